/*
 * Computes least, greatest and root mean square values of the outputs of a run (extremes.h).
 *
 * In an interval of length h with the values a and b at its ends an output is interpolated by y(s) = a (1 − s) + b s − c s (1 − s), s from
 * 0 to 1, where c = h² y''/2. Then
 *
 *     1/h ∫ y dt  = (a + b)/2 − c/6
 *     1/h ∫ y² dt = (a² + a b + b²)/3 − c (a + b)/6 + c²/30
 *     y' = 0 at s = 1/2 − (b − a)/(2 c)
 */
#include "cli/extremes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The relative deviation above which an output counts as coarse. The points of a sine, k in a period, deviate from the lines between
 * their neighbours by 2 (π/k)² of its amplitude: 0.2 with ten points. */
static const double COARSE = 0.2;
/* deviations below this part of the largest value are rounding errors, no oscillation */
static const double ROUNDING = 1e-6;

cmb_status cli_extremes_begin(struct cli_extremes *x, int n)
{
  double **arrays[] = {&x->at[0], &x->at[1],    &x->at[2],   &x->least,  &x->greatest,  &x->bottom,
                       &x->top,   &x->integral, &x->squares, &x->excess, &x->deviations};
  enum { ARRAYS = sizeof arrays / sizeof *arrays };
  *x = (struct cli_extremes){.n = n};
  x->memory = calloc(ARRAYS * (size_t)n + 1, sizeof *x->memory);
  if (!x->memory) return CMB_ERROR_MEMORY;
  for (int k = 0; k < ARRAYS; k++) *arrays[k] = x->memory + (ptrdiff_t)k * n;
  return CMB_OK;
}

void cli_extremes_end(struct cli_extremes *x)
{
  free(x->memory);
}

/* Returns the second divided difference of the values a, b and c at the times t[0], t[1] and t[2], which approximates half of the second
 * derivative. */
static double second_difference(const double t[3], double a, double b, double c)
{
  return ((c - b) / (t[2] - t[1]) - (b - a) / (t[1] - t[0])) / (t[2] - t[0]);
}

/* Returns the curvature of an output between two points from those at the points: their mean, but at most twice the smaller absolute value,
 * and 0 if their signs differ, so that a kink nearby does not bend the curve (the monotonized central limiter of van Leer 1977). */
static double limited_mean(double a, double b)
{
  if (!(a * b > 0)) return 0;
  const double most = 2 * fmin(fabs(a), fabs(b));
  return copysign(fmin(fabs(a + b) / 2, most), a);
}

/* Adds an interval of length h, in which output i is a parabola, to the integrals of the output and of its square; a and b are its values at
 * the ends, and at the middle it lies c/4 below the straight line between them. x->squares gets the integral by the trapezoidal rule, and
 * x->excess its difference from that of the parabola. Also updates the minimum and maximum of output i if the parabola has its extremum inside
 * the interval. */
static void add_interval(struct cli_extremes *x, int i, double h, double a, double b, double c)
{
  const double squares = (a * a + b * b) / 2;
  x->integral[i] += h * ((a + b) / 2 - c / 6);
  x->squares[i] += h * squares;
  x->excess[i] += h * (squares - (a * a + a * b + b * b) / 3 + c * (a + b) / 6 - c * c / 30);
  if (fabs(b - a) < fabs(c)) {
    const double s = 0.5 - (b - a) / (2 * c), y = a * (1 - s) + b * s - c * s * (1 - s);
    x->bottom[i] = fmin(x->bottom[i], y);
    x->top[i] = fmax(x->top[i], y);
  }
}

/* Adds the interval between the last two points to the time integrals of all outputs. The curvature is estimated with the next point: its time
 * t and its values next[n], or next = NULL if none follows before a discontinuity or the end. Does nothing if fewer than two points are known. */
static void close_interval(struct cli_extremes *x, double t, const double *next)
{
  if (x->known < 2) return;
  const double h = x->t[2] - x->t[1], following[3] = {x->t[1], x->t[2], t};
  const bool both = next && x->known == 3;
  for (int i = 0; i < x->n; i++) {
    const double a = x->at[1][i], b = x->at[2][i];
    const double right = next ? second_difference(following, a, b, next[i]) : 0;
    const double left = both ? second_difference(x->t, x->at[0][i], a, b) : 0;
    const double deviation = next ? right * h * (t - x->t[2]) : 0;
    add_interval(x, i, h, a, b, h * h * limited_mean(left, right));
    x->deviations[i] += h * deviation * deviation;
  }
  x->duration += h;
}

void cli_extremes_add(struct cli_extremes *x, double t, const double *values)
{
  const bool first = x->points++ == 0, jumps = !first && !(t > x->t[2]);
  double *oldest = x->at[0];
  close_interval(x, t, jumps ? NULL : values);
  if (jumps) x->known = 0;
  for (int k = 0; k < CLI_EXTREMES_POINTS - 1; k++) x->t[k] = x->t[k + 1], x->at[k] = x->at[k + 1];
  x->t[2] = t, x->at[2] = oldest;
  memcpy(oldest, values, (size_t)x->n * sizeof *values);
  if (x->known < CLI_EXTREMES_POINTS) x->known++;
  for (int i = 0; i < x->n; i++) {
    const double value = values[i];
    if (first) x->least[i] = x->greatest[i] = x->bottom[i] = x->top[i] = value;
    x->least[i] = fmin(x->least[i], value);
    x->greatest[i] = fmax(x->greatest[i], value);
  }
}

void cli_extremes_finish(struct cli_extremes *x)
{
  close_interval(x, x->t[2], NULL);
  x->known = 0;
}

/* Returns whether output i varies too fast for the spacing of its points: the root mean square deviation of the points from the lines through
 * their neighbours exceeds both 20 % of the standard deviation of the output and rounding errors. */
static bool is_coarse(const struct cli_extremes *x, int i)
{
  const double mean = x->integral[i] / x->duration;
  const double variance = x->squares[i] / x->duration - mean * mean;
  const double deviation = sqrt(x->deviations[i] / x->duration);
  const double largest = fmax(fabs(x->least[i]), fabs(x->greatest[i]));
  return deviation > ROUNDING * largest && deviation > COARSE * sqrt(fmax(variance, 0));
}

struct cli_extreme cli_extremes_of(const struct cli_extremes *x, int i)
{
  struct cli_extreme e = {x->least[i], x->greatest[i], fabs(x->at[2][i]), false};
  if (!(x->duration > 0)) return e;
  e.is_coarse = is_coarse(x, i);
  e.rms = sqrt((x->squares[i] - (e.is_coarse ? 0 : x->excess[i])) / x->duration);
  if (!e.is_coarse) e.least = fmin(e.least, x->bottom[i]);
  if (!e.is_coarse) e.greatest = fmax(e.greatest, x->top[i]);
  return e;
}
