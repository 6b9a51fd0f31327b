/*
 * The axis of a plot: what it shows, where its ticks are and what is written beside them. viewer/src/axis.js has the same rules for pages.
 *
 * An axis whose values differ by little beside their size has an offset, which is written once ("+1.7e9"): its ticks are differences to it.
 */
#ifndef CMB_CLI_AXIS_H
#define CMB_CLI_AXIS_H

#include <stdbool.h>

enum { CLI_AXIS_MOST_TICKS = 32, CLI_AXIS_TEXT = 48 };

/* What is shown; decimal logarithms of it if the axis is logarithmic. */
struct cli_axis {
  double low, high;
  bool logarithmic;
  bool degrees; /* ticks at parts of a turn */
};

/* One that shows nothing yet. */
struct cli_axis cli_axis_empty(bool logarithmic);

/* Where a value lies on the axis; not finite: nowhere. */
double cli_axis_place(const struct cli_axis *axis, double value);

/* The axis comes to show the value, if it has a place. */
void cli_axis_include(struct cli_axis *axis, double value);

/* Makes it contain something, and its ticks such that they can be told apart: what is constant up to rounding gets room on both sides. */
void cli_axis_widen(struct cli_axis *axis);

/* The values with a tick, about as many as wanted; how many. */
int cli_axis_ticks(const struct cli_axis *axis, int wanted, double tick[CLI_AXIS_MOST_TICKS]);

/* What is written beside a tick. All ticks of a linear axis have the same decimals. */
void cli_axis_tick_text(const struct cli_axis *axis, int wanted, double tick,
                        char text[CLI_AXIS_TEXT]);

/* What is to be added to the ticks' numbers: "+1.7e9"; "": nothing. */
void cli_axis_offset_text(const struct cli_axis *axis, int wanted, char text[CLI_AXIS_TEXT]);

/* "1.5e-05" becomes "1.5e-5". */
void cli_shorten_exponent(char *text);

#endif
