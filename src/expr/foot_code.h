/*
 * Evaluation of the foot of a point on a planar curve (foot.h) on plain arrays. The code exists once, for the library and for generated C,
 * as in table_code.h.
 *
 *     x, y (n)   the points of the line
 *     c          step of u, reach to the right, reach to the left, 1 if the line is closed, points per block, distance from the seam of a
 *                closed line within which a point may have its foot on either end; then for each block of points a circle around them
 *                (x, y, radius), and the cubics of X(u) and of Y(u), 4 (n − 1) numbers each
 *
 * First the nearest of all points is found, by searching only blocks that can contain it. From there the search follows the line to the
 * piece on which F(u) = (P(u) − p)·P'(u) changes its sign, and a Newton iteration, safeguarded by bisection, finds the foot. Beyond an end
 * the line is straight. A point that is nearer to the line than its reach has one foot only. Other points have none (NaN), except those
 * beside the straight continuation of one end which are not beside that of the other end, and not near the line itself.
 */
#ifndef CMB_EXPR_FOOT_CODE_H
#define CMB_EXPR_FOOT_CODE_H

#include "expr/table_code.h"

enum { CMB_FOOT_HEAD = 6 }; /* how many numbers are in c before the circles */

/* clang-format off */

/* Returns the index of the point of the curve, x[n] and y[n], that is nearest to (at_x, at_y); -1 if no squared distance is below 1e300. */
#define CMB_FOOT_NEAREST_CODE(X) X( \
static int op_foot_nearest(int n, const double *x, const double *y, int size, const double *circle, \
                           double at_x, double at_y) \
{ \
  const int blocks = (n + size - 1) / size; \
  int first = 0; \
  int nearest = -1; \
  double least = 1e300; \
  double best = 1e300; \
  for (int b = 0; b < blocks; b++) { \
    const double dx = circle[3 * b] - at_x; \
    const double dy = circle[3 * b + 1] - at_y; \
    const double far = dx * dx + dy * dy; \
    if (far < least) { \
      least = far; \
      first = b; \
    } \
  } \
  for (int k = -1; k < blocks; k++) { \
    const int b = k < 0 ? first : k; \
    const double dx = circle[3 * b] - at_x; \
    const double dy = circle[3 * b + 1] - at_y; \
    const double within = sqrt(best) + circle[3 * b + 2]; \
    const int end = (b + 1) * size < n ? (b + 1) * size : n; \
    if (k == first || dx * dx + dy * dy > within * within) continue; \
    for (int i = b * size; i < end; i++) { \
      const double far = (x[i] - at_x) * (x[i] - at_x) + (y[i] - at_y) * (y[i] - at_y); \
      if (far < best) { \
        best = far; \
        nearest = i; \
      } \
    } \
  } \
  return nearest; \
} )

/* Compute F = (P − p)·P' at t on a piece with the cubics p (X) and q (Y) for the point (x, y); its derivative there; and F at point k of the
 * curve. */
#define CMB_FOOT_SLOPE_CODE(X) X( \
static double op_foot_slope(const double *p, const double *q, double t, double x, double y) \
{ \
  return (op_table_cubic(p, 0, t) - x) * op_table_cubic(p, 1, t) \
         + (op_table_cubic(q, 0, t) - y) * op_table_cubic(q, 1, t); \
} \
static double op_foot_bend(const double *p, const double *q, double t, double x, double y) \
{ \
  const double dx = op_table_cubic(p, 1, t); \
  const double dy = op_table_cubic(q, 1, t); \
  return dx * dx + dy * dy + (op_table_cubic(p, 0, t) - x) * op_table_cubic(p, 2, t) \
         + (op_table_cubic(q, 0, t) - y) * op_table_cubic(q, 2, t); \
} \
static double op_foot_at(int n, const double *p, double step, int k, double x, double y) \
{ \
  const int i = k < n - 1 ? k : n - 2; \
  return op_foot_slope(p + 4 * i, p + 4 * (n - 1 + i), k < n - 1 ? 0 : step, x, y); \
} )

/* Computes the root t of F on a piece, between 0 and step, by Newton's iteration safeguarded by bisection. */
#define CMB_FOOT_ROOT_CODE(X) X( \
static double op_foot_root(const double *p, const double *q, double step, double x, double y) \
{ \
  double low = 0; \
  double high = step; \
  double t = 0.5 * step; \
  double before = 1e300; \
  for (int k = 0; k < 60; k++) { \
    const double slope = op_foot_slope(p, q, t, x, y); \
    const double change = slope / op_foot_bend(p, q, t, x, y); \
    double next = t - change; \
    if (slope < 0) { low = t; } else { high = t; } \
    if (next < low && next > low - 1e-3 * step) next = low; \
    if (next > high && next < high + 1e-3 * step) next = high; \
    const int halved = !(next >= low && next <= high); \
    if (halved) next = 0.5 * (low + high); \
    const double moved = fabs(next - t); \
    t = next; \
    if (!halved && (moved <= 1e-16 * step || (moved <= 1e-7 * step && moved >= 0.5 * before))) break; \
    before = moved; \
  } \
  return t; \
} )

/* Returns the index of the piece of the curve that contains the foot of (x, y), searched from the nearest point k; -1 if the foot is beyond
 * the first point, -2 beyond the last one, -3 if it is not found. */
#define CMB_FOOT_PIECE_CODE(X) X( \
static int op_foot_piece(int n, const double *p, double step, int closed, int k, double x, double y) \
{ \
  for (int turn = 0; turn < 2; turn++) { \
    const int ahead = op_foot_at(n, p, step, k, x, y) < 0; \
    for (int i = 0; i < 8 && (ahead ? k < n - 1 : k > 0); i++) { \
      k = ahead ? k + 1 : k - 1; \
      if ((op_foot_at(n, p, step, k, x, y) < 0) != ahead) return ahead ? k - 1 : k; \
    } \
    if (k != (ahead ? n - 1 : 0)) return -3; \
    if (!closed || (op_foot_at(n, p, step, n - 1 - k, x, y) < 0) != ahead) break; \
    k = n - 1 - k; \
  } \
  return k == 0 ? -1 : -2; \
} )

/* Writes into to[3], for a point (x, y) and the point of the curve at t: how far the parameter of the foot on the tangent there is beyond t,
 * the signed distance v from the tangent, and the distance of the two points. */
#define CMB_FOOT_ON_CODE(X) X( \
static void op_foot_on(const double *p, const double *q, double t, double x, double y, double *to) \
{ \
  const double dx = op_table_cubic(p, 1, t); \
  const double dy = op_table_cubic(q, 1, t); \
  const double ex = x - op_table_cubic(p, 0, t); \
  const double ey = y - op_table_cubic(q, 0, t); \
  const double size = sqrt(dx * dx + dy * dy); \
  to[0] = (ex * dx + ey * dy) / (size * size); \
  to[1] = (dx * ey - dy * ex) / size; \
  to[2] = sqrt(ex * ex + ey * ey); \
} )

/* Writes u and v into `to` if the line is not closed and the point is within reach of the straight continuation of one end, and neither
 * within 1.05 times the reach of that of the other end, nor within that distance (`near`) of another foot, on piece `found`; otherwise
 * NaN. */
#define CMB_FOOT_BEYOND_CODE(X) X( \
static void op_foot_beyond(int n, const double *p, const double *c, int found, int near, double x, \
                           double y, double *to) \
{ \
  double at[2][3]; \
  int inside[2]; \
  int beside[2]; \
  for (int e = 0; e < 2; e++) { \
    const int i = e == 0 ? 0 : n - 2; \
    op_foot_on(p + 4 * i, p + 4 * (n - 1 + i), e == 0 ? 0 : c[0], x, y, at[e]); \
    const double reach = at[e][1] < 0 ? c[1] : c[2]; \
    const int over = e == 0 ? at[e][0] <= 0 : at[e][0] >= 0; \
    inside[e] = over && fabs(at[e][1]) <= reach; \
    beside[e] = over && fabs(at[e][1]) <= 1.05 * reach; \
  } \
  to[0] = to[1] = NAN; \
  for (int e = 0; e < 2; e++) { \
    if (!inside[e] || beside[1 - e] || c[3] > 0 || (near && found != -1 - e)) continue; \
    to[0] = at[e][0] + (e == 0 ? 0 : c[0] * (n - 1)); \
    to[1] = at[e][1]; \
  } \
} )

/* op_foot_both writes u and v into `to`, which has room for three numbers; op_foot returns u (which = 0) or v (which = 1). */
#define CMB_FOOT_CODE(X) X( \
static void op_foot_both(int n, const double *x, const double *y, const double *c, double at_x, \
                         double at_y, double *to) \
{ \
  const double step = c[0]; \
  const int size = (int)c[4]; \
  const double *p = c + 6 + 3 * ((n + size - 1) / size); \
  const double *q = p + 4 * (n - 1); \
  const int nearest = op_foot_nearest(n, x, y, size, c + 6, at_x, at_y); \
  const int piece = \
      nearest < 0 ? -3 : op_foot_piece(n, p, step, c[3] > 0, nearest, at_x, at_y); \
  const int i = piece == -1 ? 0 : piece == -2 ? n - 2 : piece; \
  to[0] = to[1] = NAN; \
  if (piece == -3) return; \
  const double t = piece == -1 ? 0 : piece == -2 ? step \
                   : op_foot_root(p + 4 * i, q + 4 * i, step, at_x, at_y); \
  op_foot_on(p + 4 * i, q + 4 * i, t, at_x, at_y, to); \
  const double reach = to[1] < 0 ? c[1] : c[2]; \
  const double u = step * i + t; \
  if (!(to[2] <= reach)) \
    op_foot_beyond(n, p, c, piece, to[2] <= 1.05 * reach, at_x, at_y, to); \
  else \
    to[0] = piece < 0 ? u + to[0] : u; \
} \
static double op_foot(int n, const double *x, const double *y, const double *c, int which, int dy, \
                      double at_x, double at_y) \
{ \
  double to[3]; \
  op_foot_both(n, x, y, c, at_x, at_y, to); \
  return dy > 0 ? NAN : to[which]; \
} )

/* clang-format on */

#endif
