/*
 * An axis of a plot: its range, its ticks and their labels, for the drawings of camber plot. viewer/src/axis.js has the same rules for
 * pages.
 *
 * An axis whose values differ little relative to their size has an offset, which is written once ("+1.7e9"): its tick labels are
 * differences to it.
 */
#ifndef CMB_CLI_AXIS_H
#define CMB_CLI_AXIS_H

#include <stdbool.h>

enum { CLI_AXIS_MOST_TICKS = 32, CLI_AXIS_TEXT = 48 };

/* The range of an axis; decimal logarithms of it if the axis is logarithmic. */
struct cli_axis {
  double low, high;
  bool logarithmic;
  bool degrees; /* the unit is degrees: ticks at parts of a turn */
};

/* Returns an axis with an empty range. */
struct cli_axis cli_axis_empty(bool logarithmic);

/* Returns the position of a value on the axis: the value or its decimal logarithm; not finite if it has none. */
double cli_axis_place(const struct cli_axis *axis, double value);

/* Extends the range of the axis to include the value, if that has a position on it. */
void cli_axis_include(struct cli_axis *axis, double value);

/* Extends an empty range to [0, 1], and a range that is constant up to rounding in both directions, so that ticks can be
 * distinguished. */
void cli_axis_widen(struct cli_axis *axis);

/* Computes the values with a tick, about as many as wanted; returns their number. */
int cli_axis_ticks(const struct cli_axis *axis, int wanted, double tick[CLI_AXIS_MOST_TICKS]);

/* Writes the label of a tick. All ticks of a linear axis have the same number of decimals. */
void cli_axis_tick_text(const struct cli_axis *axis, int wanted, double tick,
                        char text[CLI_AXIS_TEXT]);

/* Writes the offset that is to be added to the tick labels, such as "+1.7e9"; an empty string if there is none. */
void cli_axis_offset_text(const struct cli_axis *axis, int wanted, char text[CLI_AXIS_TEXT]);

/* Shortens the exponent of a number in a text in place: "1.5e-05" becomes "1.5e-5". */
void cli_shorten_exponent(char *text);

#endif
