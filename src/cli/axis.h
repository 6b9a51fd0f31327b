/*
 * An axis of a plot: its range, its ticks and their labels, for the plots that plot.c draws. viewer/src/axis.js chooses ticks and offsets of
 * linear axes by the same rules for pages, but for degrees.
 *
 * A linear axis whose values differ little relative to their size has an offset, which is written once ("+1.7e9"): its tick labels are
 * differences from the offset.
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

/* Returns the position of a value on the axis: the value itself or, on a logarithmic axis, its decimal logarithm; infinite or NaN if the
 * value has no logarithm. */
double cli_axis_place(const struct cli_axis *axis, double value);

/* Extends the range of the axis to include the value; does nothing if the value has no finite position on the axis. */
void cli_axis_include(struct cli_axis *axis, double value);

/* Makes the range of the axis wide enough for distinct ticks: an empty range becomes [0, 1], and a range that is constant up to rounding is
 * extended in both directions. */
void cli_axis_widen(struct cli_axis *axis);

/* Computes the values at which the axis has ticks and stores them in tick[]: about `wanted` of them on a linear axis, on a logarithmic one
 * possibly none. Returns their number. */
int cli_axis_ticks(const struct cli_axis *axis, int wanted, double tick[CLI_AXIS_MOST_TICKS]);

/* Writes the label of the tick at the value `tick`, less the offset of the axis, to `text`. All labels of a linear axis have the same number
 * of decimals, unless they are very large or very small. */
void cli_axis_tick_text(const struct cli_axis *axis, int wanted, double tick,
                        char text[CLI_AXIS_TEXT]);

/* Writes the offset that has to be added to all tick labels, such as "+1.7e9", to `text`; an empty string if the axis has no offset. */
void cli_axis_offset_text(const struct cli_axis *axis, int wanted, char text[CLI_AXIS_TEXT]);

/* Removes the leading zeros (and a plus sign) of the exponent of a number in a text, in place: "1.5e-05" becomes "1.5e-5". */
void cli_shorten_exponent(char *text);

#endif
