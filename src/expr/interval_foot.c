/*
 * Bounds of the foot of a point on a planar curve when the point lies in a box (interval.h, foot.h). For the middle m of the box, whose
 * corners are at the distance r from it:
 *
 *     v lies between v(m) − r and v(m) + r;
 *     u lies between a and b if F(a) = (P(a) − p)·P'(a) < 0 < F(b) for all p of the box: u is continuous where all of the box is within reach,
 *     and would have to pass a or b where F is 0; then in u(m) + u_x (x − m_x) + u_y (y − m_y), with the derivatives on [a, b].
 *
 * If the box is not within reach, or near the seam of a closed line, the result is unknown.
 */
#include "expr/foot.h"
#include "expr/graph.h"

#include <float.h>

/* A box of points, x[0] by x[1], its middle, half its diagonal (radius), and the foot of the middle: parameter u and distance v. */
struct box {
  const cmb_table *t;
  cmb_interval x[2];
  double middle[2], radius;
  double u, v;
  double rounding; /* bound of the rounding errors of u and v */
};

/* Returns an enclosure of F(u) = (P(u) − p)·P'(u) for all points p of the box b and all parameters u of an interval. F is 0 where P(u) is the
 * point of the curve nearest to p. */
static cmb_interval slope_at(const struct box *b, cmb_interval u)
{
  cmb_interval sum = cmb_interval_of(0);
  for (int k = 0; k < 2; k++) {
    const cmb_interval away =
        cmb_interval_subtract(cmb_table_enclose(b->t->line[k], 0, u), b->x[k]);
    sum =
        cmb_interval_add(sum, cmb_interval_multiply(away, cmb_table_enclose(b->t->line[k], 1, u)));
  }
  return sum;
}

/* Returns an enclosure of F'(u) = P'·P' − (p − P)·P'', the derivative of F(u) = (P(u) − p)·P'(u), for all points p of the box b and all
 * parameters u of an interval. */
static cmb_interval bend_at(const struct box *b, cmb_interval u)
{
  cmb_interval sum = cmb_interval_of(0);
  for (int k = 0; k < 2; k++) {
    const cmb_interval slope = cmb_table_enclose(b->t->line[k], 1, u);
    const cmb_interval away =
        cmb_interval_subtract(b->x[k], cmb_table_enclose(b->t->line[k], 0, u));
    sum = cmb_interval_add(sum, cmb_interval_multiply(slope, slope));
    sum = cmb_interval_subtract(
        sum, cmb_interval_multiply(away, cmb_table_enclose(b->t->line[k], 2, u)));
  }
  return sum;
}

static bool open_box(struct box *b)
{
  double half[2], size = 1;
  for (int k = 0; k < 2; k++) {
    b->middle[k] = b->x[k].low + (b->x[k].high - b->x[k].low) / 2;
    half[k] = fmax(b->x[k].high - b->middle[k], b->middle[k] - b->x[k].low);
    size += fabs(b->x[k].low) + fabs(b->x[k].high);
  }
  cmb_foot_values(b->t, b->middle[0], b->middle[1], &b->u, &b->v);
  b->radius = hypot(half[0], half[1]) * (1 + 8 * DBL_EPSILON);
  if (!isfinite(b->u) || !isfinite(b->v) || !isfinite(b->radius)) return false;
  /* near the centre of curvature u changes at most 20 times as fast as the point moves: 1/(1 − 0.95) */
  b->rounding = 2000 * DBL_EPSILON * (size + fabs(b->u));
  return true;
}

/* Returns the largest distance by which points of the curve with parameters in the interval u lie beyond its ends, on the straight continuation
 * of the curve; 0 if the interval lies between the ends. */
static double excess_beyond_ends(const struct box *b, cmb_interval u)
{
  const double end = b->t->c[0] * (b->t->nx - 1);
  double most = 0;
  for (int k = 0; k < 2; k++) {
    const double at = k == 0 ? 0 : end, over = k == 0 ? -u.low : u.high - end;
    const double size =
        hypot(cmb_table_value(b->t->line[0], 1, at), cmb_table_value(b->t->line[1], 1, at));
    most = fmax(most, over * size);
  }
  return most;
}

/* Returns whether each point of the box b is proved to have a unique nearest point on the curve that depends continuously on it. u is an
 * interval that contains the parameters of the nearest points. The box must be near the curve or its straight continuation, and away from the
 * seam of a closed curve. */
static bool within_reach(const struct box *b, cmb_interval u)
{
  const double right = b->t->c[1], left = b->t->c[2], more = b->radius + b->rounding;
  if (!(b->v + more <= left && b->v - more >= -right)) return false;
  const double seam = b->t->c[5], end = b->t->c[0] * (b->t->nx - 1);
  if (b->t->c[3] > 0) return u.low >= seam && u.high <= end - seam;
  const double over = excess_beyond_ends(b, u);
  return over == 0 || hypot(over, fabs(b->v) + more) <= fmin(left, right);
}

/* Returns an interval [a, b] that contains the parameter u of the curve's nearest point for all points p of the box b: F(a) < 0 < F(b) with
 * F(u) = (P(u) − p)·P'(u). Widens it up to three times; if none is found, returns the interval with NaN as bounds, which means unknown. */
static cmb_interval bracket(const struct box *b)
{
  const cmb_interval bend = bend_at(b, cmb_interval_of(b->u));
  const double slope =
      hypot(cmb_table_value(b->t->line[0], 1, b->u), cmb_table_value(b->t->line[1], 1, b->u));
  if (!cmb_interval_known(bend) || !(bend.high > 0)) return cmb_interval_unknown();
  double width = 1.1 * b->radius * slope / fmax(bend.low, 0.5 * bend.high) + 2 * b->rounding;
  for (int k = 0; k < 4; k++, width *= 2) {
    const cmb_interval low = slope_at(b, cmb_interval_of(b->u - width));
    const cmb_interval high = slope_at(b, cmb_interval_of(b->u + width));
    if (low.high < 0 && high.low > 0) return (cmb_interval){b->u - width, b->u + width};
  }
  return cmb_interval_unknown();
}

/* Narrows an interval u that contains the curve parameters of the nearest points of all points of the box b, by the mean value theorem about
 * the middle of the box. Returns u itself if the derivatives are not bounded. */
static cmb_interval refine(const struct box *b, cmb_interval u)
{
  const cmb_interval bend = bend_at(b, u);
  if (!cmb_interval_known(bend) || !(bend.low > 0)) return u;
  cmb_interval range = {b->u - b->rounding, b->u + b->rounding};
  for (int k = 0; k < 2; k++) {
    const cmb_interval partial =
        cmb_op_enclose(CMB_OP_DIV, cmb_table_enclose(b->t->line[k], 1, u), bend, bend);
    range = cmb_interval_add(
        range, cmb_interval_multiply(
                   partial, cmb_interval_subtract(b->x[k], cmb_interval_of(b->middle[k]))));
  }
  if (!cmb_interval_known(range)) return u;
  return (cmb_interval){fmax(u.low, range.low), fmin(u.high, range.high)};
}

cmb_interval cmb_foot_enclose(const cmb_table *t, bool across, cmb_interval x, cmb_interval y)
{
  struct box b = {.t = t, .x = {x, y}};
  if (!open_box(&b)) return cmb_interval_unknown();
  const cmb_interval u = bracket(&b);
  if (!cmb_interval_known(u) || !within_reach(&b, u)) return cmb_interval_unknown();
  if (!across) return refine(&b, u);
  return (cmb_interval){b.v - b.radius - b.rounding, b.v + b.radius + b.rounding};
}
