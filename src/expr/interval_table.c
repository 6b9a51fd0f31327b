/*
 * Bounds of tables on intervals (interval.h). A cubic p on [u0, u1] lies between the smallest and the largest of its Bernstein
 * coefficients,
 *
 *     b0 = p(u0),  b1 = b0 + d1/3,  b2 = b0 + 2 d1/3 + d2/3,  b3 = p(u1),   d1 = w p'(u0),  d2 = w² p''(u0)/2,  w = u1 − u0,
 *
 * enlarged by a bound on the rounding errors of these and of the table's own evaluation.
 */
#include "expr/foot.h"
#include "expr/graph.h"
#include "expr/interval.h"

#include <float.h>

enum { ROUNDINGS = 32 }; /* more than the operations in a cubic and in its Bernstein coefficients */

/* Returns an enclosure of a − b for all values in the interval a and a number b. */
static cmb_interval subtract(cmb_interval a, double b)
{
  return cmb_interval_subtract(a, cmb_interval_of(b));
}

/* Computes the coefficients d[4] of the order-th derivative of the cubic c[0] + c[1] u + c[2] u² + c[3] u³. */
static void differentiate(const double *c, int order, double d[4])
{
  for (int i = 0; i < 4; i++) d[i] = c[i];
  for (int k = 0; k < order; k++) {
    for (int i = 0; i < 4; i++) d[i] = i < 3 ? (i + 1) * d[i + 1] : 0;
  }
}

/* Returns an enclosure of the order-th derivative of the cubic c[0] + c[1] x + c[2] x² + c[3] x³, c = coefficients[4], for x in the interval u,
 * by its Bernstein coefficients; the interval with NaN as bounds, which means unknown, if it is not finite. */
static cmb_interval enclose_cubic(const double *coefficients, int order, cmb_interval u)
{
  double c[4], w = u.high - u.low, a = u.low;
  differentiate(coefficients, order, c);
  const double d1 = w * (c[1] + a * (2 * c[2] + a * 3 * c[3])), d2 = w * w * (c[2] + 3 * a * c[3]);
  const double b[4] = {c[0] + a * (c[1] + a * (c[2] + a * c[3])), d1 / 3, 2 * d1 / 3 + d2 / 3,
                       d1 + d2 + w * w * w * c[3]};
  const double size = fabs(u.low) > fabs(u.high) ? fabs(u.low) : fabs(u.high);
  const double sum = fabs(c[0]) + size * (fabs(c[1]) + size * (fabs(c[2]) + size * fabs(c[3])));
  double low = b[0], high = b[0];
  for (int i = 1; i < 4; i++) {
    low = fmin(low, b[0] + b[i]);
    high = fmax(high, b[0] + b[i]);
  }
  const double rounding = ROUNDINGS * (8 * DBL_EPSILON * sum + DBL_TRUE_MIN);
  cmb_interval range = {low - rounding, high + rounding};
  return isfinite(range.low) && isfinite(range.high) ? range : cmb_interval_unknown();
}

/* Returns an enclosure of the order-th derivative of a 1-D table at arguments x beyond `end`, the first or last point of the table. There the
 * table is continued along the tangent of piece i, the piece at this end. */
static cmb_interval enclose_tangent(const cmb_table *t, int order, int i, double end,
                                    cmb_interval x)
{
  const cmb_interval u = subtract(cmb_interval_of(end), t->x[i]);
  if (order > 1) return cmb_interval_of(0);
  const cmb_interval slope = enclose_cubic(t->c + 4 * i, 1, u);
  if (order == 1) return slope;
  return cmb_interval_add(enclose_cubic(t->c + 4 * i, 0, u),
                          cmb_interval_multiply(slope, subtract(x, end)));
}

/* Returns an enclosure of the order-th derivative of the cubic of piece i of a 1-D table at the arguments x, also outside of the piece. The
 * first and the last piece are continued along their tangents beyond the table's ends. */
static cmb_interval enclose_piece(const cmb_table *t, int order, int i, cmb_interval x)
{
  const double first = i == 0 ? t->x[0] : -INFINITY;
  const double last = i == t->nx - 2 ? t->x[t->nx - 1] : INFINITY;
  if (order > 3) return cmb_interval_of(0);
  if (x.high < first) return enclose_tangent(t, order, i, first, x);
  if (x.low > last) return enclose_tangent(t, order, i, last, x);
  cmb_interval inside = {fmax(x.low, first), fmin(x.high, last)};
  cmb_interval range = enclose_cubic(t->c + 4 * i, order, subtract(inside, t->x[i]));
  if (x.low < first) {
    const cmb_interval before = {x.low, first};
    range = cmb_interval_hull(range, enclose_tangent(t, order, i, first, before));
  }
  if (x.high > last) {
    const cmb_interval behind = {last, x.high};
    range = cmb_interval_hull(range, enclose_tangent(t, order, i, last, behind));
  }
  return range;
}

cmb_interval cmb_table_enclose(const cmb_table *t, int order, cmb_interval x)
{
  if (!cmb_interval_known(x)) return x;
  const int first = cmb_table_interval(t, x.low), last = cmb_table_interval(t, x.high);
  cmb_interval range = cmb_interval_unknown();
  for (int i = first; i <= last; i++) {
    cmb_interval part = {i == first ? x.low : t->x[i], i == last ? x.high : t->x[i + 1]};
    cmb_interval of_part = enclose_piece(t, order, i, part);
    range = i == first ? of_part : cmb_interval_hull(range, of_part);
  }
  return range;
}

static cmb_interval margin(const cmb_table *t, int i, cmb_interval x)
{
  cmb_interval range = cmb_interval_of(t->x[t->nx - 1] - t->x[0]);
  if (i > 0) range = cmb_op_enclose(CMB_OP_MIN, range, subtract(x, t->x[i]), x);
  if (i < t->nx - 2) {
    cmb_interval left = cmb_op_enclose(CMB_OP_SUB, cmb_interval_of(t->x[i + 1]), x, x);
    range = cmb_op_enclose(CMB_OP_MIN, range, left, x);
  }
  return range;
}

cmb_interval cmb_table_enclose_at(const cmb_table *t, int order, cmb_interval x, cmb_interval mode)
{
  if (!cmb_interval_known(x) || !cmb_interval_known(mode)) return cmb_interval_unknown();
  const int first = cmb_table_piece(t, mode.low), last = cmb_table_piece(t, mode.high);
  cmb_interval range = cmb_interval_unknown();
  for (int i = first; i <= last; i++) {
    cmb_interval part = order == CMB_TABLE_MARGIN ? margin(t, i, x) : enclose_piece(t, order, i, x);
    range = i == first ? part : cmb_interval_hull(range, part);
  }
  return range;
}

/* ---- tables of two arguments */

/* Returns the interval x with both ends clamped to the range from low to high. */
static cmb_interval clamped(cmb_interval x, double low, double high)
{
  return (cmb_interval){fmin(fmax(x.low, low), high), fmin(fmax(x.high, low), high)};
}

/* Returns the part of the interval x that lies in piece i, between at[i] and at[i + 1], of a table, relative to at[i] and rounded outward; x
 * must overlap the piece. */
static cmb_interval part_in_piece(const double *at, int i, cmb_interval x)
{
  return subtract((cmb_interval){fmax(x.low, at[i]), fmin(x.high, at[i + 1])}, at[i]);
}

/* Returns an enclosure of the derivative of order dx in u and dy in v of a bicubic patch with the coefficients c[16], by Horner's rule in u
 * with coefficients that are cubics in v. */
static cmb_interval enclose_patch(const double *c, int dx, int dy, cmb_interval u, cmb_interval v)
{
  cmb_interval value = cmb_interval_of(0);
  for (int k = 3; k >= dx; k--) {
    double factor = 1;
    for (int j = 0; j < dx; j++) factor *= k - j;
    cmb_interval row =
        cmb_interval_multiply(cmb_interval_of(factor), enclose_cubic(c + 4 * k, dy, v));
    value = cmb_interval_add(cmb_interval_multiply(value, u), row);
  }
  return value;
}

/* Returns whether the first or the last of n ascending numbers at[n] lies inside the interval x, not at one of its ends. */
static bool crosses_end(int n, const double *at, cmb_interval x)
{
  return (x.low < at[0] && x.high > at[0]) || (x.low < at[n - 1] && x.high > at[n - 1]);
}

bool cmb_table2_crosses_border(const cmb_table *t, cmb_interval x, cmb_interval y)
{
  const bool known = cmb_interval_known(x) && cmb_interval_known(y);
  return !known || crosses_end(t->nx, t->x, x) || crosses_end(t->ny, t->y, y);
}

cmb_interval cmb_table2_enclose(const cmb_table *t, int dx, int dy, cmb_interval x, cmb_interval y)
{
  if (!cmb_interval_known(x) || !cmb_interval_known(y)) return cmb_interval_unknown();
  if (t->kind == CMB_TABLE_WAVES) return cmb_waves_enclose(t, dx, dy, x, y);
  if (t->kind == CMB_TABLE_FOOT) return cmb_foot_enclose(t, dx == 1, x, y);
  const cmb_interval a = clamped(x, t->x[0], t->x[t->nx - 1]);
  const cmb_interval b = clamped(y, t->y[0], t->y[t->ny - 1]);
  const bool beyond = (dx > 0 && (a.low != x.low || a.high != x.high)) ||
                      (dy > 0 && (b.low != y.low || b.high != y.high));
  const cmb_table rows = {.nx = t->ny, .x = t->y};
  const int i0 = cmb_table_interval(t, a.low), i1 = cmb_table_interval(t, a.high);
  const int j0 = cmb_table_interval(&rows, b.low), j1 = cmb_table_interval(&rows, b.high);
  cmb_interval range = cmb_interval_unknown();
  for (int i = i0; i <= i1; i++) {
    for (int j = j0; j <= j1; j++) {
      const double *c = t->c + 16 * (i * (t->ny - 1) + j);
      cmb_interval part =
          enclose_patch(c, dx, dy, part_in_piece(t->x, i, a), part_in_piece(t->y, j, b));
      range = i == i0 && j == j0 ? part : cmb_interval_hull(range, part);
    }
  }
  return beyond ? cmb_interval_hull(range, cmb_interval_of(0)) : range;
}
