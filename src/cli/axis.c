/*
 * Computes the range, the ticks and the tick labels of an axis of a plot (axis.h). Ticks are at multiples of 1, 2 or 5 times a power of
 * ten, on a logarithmic axis of several decades at powers of ten.
 */
#include "cli/axis.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The smallest range relative to the largest value: the rounding of sums of some dozen terms that are constant. */
static const double ROUNDING = 64 * DBL_EPSILON;
static const double FEW_DIGITS = 1e6; /* at this many tick spacings from 0, labels get an offset */

/* Returns a plot axis with an empty range (low = +∞, high = −∞), to which values can be added. */
struct cli_axis cli_axis_empty(bool logarithmic)
{
  return (struct cli_axis){INFINITY, -INFINITY, logarithmic, false};
}

double cli_axis_place(const struct cli_axis *a, double value)
{
  return a->logarithmic ? log10(value) : value;
}

void cli_axis_include(struct cli_axis *a, double value)
{
  value = cli_axis_place(a, value);
  if (!isfinite(value)) return;
  a->low = fmin(a->low, value);
  a->high = fmax(a->high, value);
}

/* Returns the largest absolute value in the range of a plot axis: max(|low|, |high|). */
static double size_of(const struct cli_axis *a)
{
  return fmax(fabs(a->low), fabs(a->high));
}

void cli_axis_widen(struct cli_axis *a)
{
  if (!(a->high >= a->low)) a->low = 0, a->high = 1;
  const double size = size_of(a);
  if (!a->logarithmic && a->high - a->low <= ROUNDING * size) {
    const double half = size > 0 ? 0.5 * size : 0.5;
    a->low -= half, a->high += half;
  }
  if (a->high == a->low) a->low -= 0.5, a->high += 0.5; /* half a unit, or half a decade */
}

/* ---- ticks */

/* Returns a tick spacing in degrees of about `rough`: 15, 30, 45, 90 or 180, or 360 times a power of two. */
static double degree_step(double rough)
{
  static const double steps[] = {15, 30, 45, 90, 180};
  for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
    if (rough <= 1.4 * steps[i]) return steps[i];
  }
  double step = 360;
  while (rough > 1.4 * step) step *= 2;
  return step;
}

/* Returns the tick spacing of a linear plot axis for about `wanted` ticks: 1, 2 or 5 times a power of ten. On an axis in degrees, spacings of
 * more than 7.5 become 15, 30, 45, 90, 180 or 360 times a power of two. */
static double tick_step(const struct cli_axis *a, int wanted)
{
  const double rough = (a->high - a->low) / wanted, power = pow(10, floor(log10(rough)));
  const double digit = rough / power;
  if (a->degrees && rough > 7.5) return degree_step(rough);
  return power * (digit < 1.5 ? 1 : digit < 3.5 ? 2 : digit < 7.5 ? 5 : 10);
}

/* Returns the number that is subtracted from all tick labels of a plot axis to shorten them: the roundest number in its range, i.e. a multiple
 * of the largest possible power of ten. Returns 0 if the labels of about `wanted` ticks are short anyway, or if the axis is logarithmic. */
static double offset_of(const struct cli_axis *a, int wanted)
{
  if (a->logarithmic || size_of(a) < FEW_DIGITS * tick_step(a, wanted)) return 0;
  const double slack = 1e-9 * (a->high - a->low);
  for (int power = (int)floor(log10(size_of(a))); power > -DBL_MAX_10_EXP; power--) {
    const double unit = pow(10, abs(power));
    const double multiple =
        power < 0 ? ceil((a->low - slack) * unit) / unit : ceil((a->low - slack) / unit) * unit;
    if (multiple <= a->high + slack) return multiple;
  }
  return a->low;
}

/* Computes the values at which a linear plot axis has ticks, about `wanted` of them and at most CLI_AXIS_MOST_TICKS, and stores them in
 * tick[]. Returns their number. */
static int linear_ticks(const struct cli_axis *a, int wanted, double *tick)
{
  const double step = tick_step(a, wanted), offset = offset_of(a, wanted);
  const long first = (long)ceil((a->low - offset) / step - 1e-9);
  const long last = (long)floor((a->high - offset) / step + 1e-9);
  int count = 0;
  for (long k = first; k <= last && count < CLI_AXIS_MOST_TICKS; k++)
    tick[count++] = offset + (double)k * step;
  return count;
}

/* Computes the values at which a logarithmic plot axis has ticks, in tick[]: 1, 2 and 5 times powers of ten if the range is shorter than two
 * decades (possibly none), otherwise evenly spaced powers of ten, at most about `wanted` of them. Returns their number. */
static int logarithmic_ticks(const struct cli_axis *a, int wanted, double *tick)
{
  static const double digits[] = {1, 2, 5};
  const bool few = a->high - a->low < 2;
  const int stride = few ? 1 : (int)ceil((a->high - a->low) / (wanted + 1));
  int count = 0;
  for (int k = (int)floor(a->low / stride) * stride; k <= a->high; k += stride) {
    for (int d = 0; d < (few ? 3 : 1); d++) {
      const double value = digits[d] * pow(10, k), at = log10(value);
      if (at >= a->low && at <= a->high && count < CLI_AXIS_MOST_TICKS) tick[count++] = value;
    }
  }
  return count;
}

int cli_axis_ticks(const struct cli_axis *a, int wanted, double tick[CLI_AXIS_MOST_TICKS])
{
  return a->logarithmic ? logarithmic_ticks(a, wanted, tick) : linear_ticks(a, wanted, tick);
}

/* ---- texts */

void cli_shorten_exponent(char *text)
{
  char *e = strchr(text, 'e');
  if (!e) return;
  char *to = e + 1, *from = e + 1;
  if (*from == '-') to++;
  from++;
  while (*from == '0' && from[1]) from++;
  memmove(to, from, strlen(from) + 1);
}

void cli_axis_tick_text(const struct cli_axis *a, int wanted, double tick, char text[CLI_AXIS_TEXT])
{
  const double step = a->logarithmic ? 0 : tick_step(a, wanted), offset = offset_of(a, wanted);
  const double size = fmax(fabs(a->low - offset), fabs(a->high - offset));
  tick -= offset;
  if (fabs(tick) < 1e-9 * step) tick = 0;
  if (step >= (size < 1e-3 ? 0.99e-4 : 0.99e-6) && size < 1e7) {
    const int decimals = (int)fmax(0, -floor(log10(step) + 1e-9));
    snprintf(text, CLI_AXIS_TEXT, "%.*f", decimals, tick);
    return;
  }
  if (a->logarithmic && (a->low < -4 || a->high >= 6)) {
    snprintf(text, CLI_AXIS_TEXT, "%.0e", tick); /* one digit, all with exponents */
  } else {
    const int digits = step > 0 ? (int)fmax(1, floor(log10(size / step)) + 2) : 6;
    snprintf(text, CLI_AXIS_TEXT, "%.*g", digits, tick);
  }
  cli_shorten_exponent(text);
}

void cli_axis_offset_text(const struct cli_axis *a, int wanted, char text[CLI_AXIS_TEXT])
{
  const double offset = offset_of(a, wanted);
  text[0] = '\0';
  if (offset == 0) return;
  /* as few digits as determine the number */
  for (int digits = 1; digits <= DBL_DECIMAL_DIG; digits++) {
    snprintf(text, CLI_AXIS_TEXT, "%+.*g", digits, offset);
    if (strtod(text, NULL) == offset) break;
  }
  cli_shorten_exponent(text);
}
