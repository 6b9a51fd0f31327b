/*
 * The foot of a point p = (x, y) on a planar curve, such as the reference line of a road: the nearest point of the curve, by its parameter
 * u, and the distance v of p from the curve, positive to the left.
 *
 *     (P(u) − p)·P'(u) = 0,   v = (P'×(p − P))/|P'|
 *
 * P(u) is the natural spline through points at u = 0, step, 2 step, .. (for a closed curve whose ends meet, also through points added from
 * its other end); beyond its ends it continues as a straight line. u and v are functions of two arguments, like a 2-D table (table.h);
 * their derivatives are expressions of the foot:
 *
 *     ∇u = P'/(P'·P' − (p − P)·P''),   ∇v = (−P'_y, P'_x)/|P'|
 *
 * The reach of the curve (Federer 1959) is the distance up to which the nearest point is unique, and u continuous: to the side of the
 * normal n it is
 *
 *     inf |d|²/(2 d·n)   over the differences d of all pairs of points with d·n > 0.
 *
 * A point up to 0.95 of the reach from the curve has a foot, and so has, within limits (foot_code.h), one beside its straight continuation;
 * elsewhere u and v are NaN: so a motion cannot pass from one part of a line to another one unnoticed.
 */
#ifndef CMB_EXPR_FOOT_H
#define CMB_EXPR_FOOT_H

#include "expr/interval.h"
#include "expr/table.h"

enum { CMB_FOOT_RIGHT, CMB_FOOT_LEFT, CMB_FOOT_SIDES };

/* The reach of a curve to one side, the distance up to which a point has a foot, and the indices of the two points of the curve that limit
 * it: twice the same point where the curvature limits it. */
typedef struct cmb_foot_limit {
  double reach;
  int at, other; /* -1: limited by `most`, the largest reach allowed */
} cmb_foot_limit;

/* Creates the table of a planar curve through the points (x[n], y[n]), about `step` apart; its reach, stored in `limit`, is at most `most`. A
 * curve of more than 8 points that ends at its first point, or up to 1.5 steps before it, in nearly the same direction, is closed. Returns
 * CMB_ERROR_INPUT if coordinates are not finite. */
cmb_status cmb_foot_create(cmb_context *ctx, int n, const double *x, const double *y, double step,
                           double most, cmb_foot_limit limit[CMB_FOOT_SIDES], cmb_table **table);

/* Builds the expression u(x, y), the parameter of the foot of the point (x, y), or, if `across`, v(x, y), its signed distance from the
 * curve. */
cmb_expr cmb_foot_apply(cmb_graph *g, const cmb_table *table, bool across, cmb_expr x, cmb_expr y);

/* Builds the partial derivative of e, an expression u(x, y) or v(x, y) of a foot, with respect to x (i = 0) or y (i = 1). */
cmb_expr cmb_foot_partial(cmb_graph *g, cmb_expr e, int i);

double cmb_foot_value(const cmb_table *table, bool across, double x, double y);
void cmb_foot_values(const cmb_table *table, double x, double y, double *u, double *v);
cmb_interval cmb_foot_enclose(const cmb_table *table, bool across, cmb_interval x, cmb_interval y);

/* Return the number of points in a block (foot_code.h), and the number of coefficients in the array c, for a curve with n points. */
int cmb_foot_block(int n);
int cmb_foot_coefficients(int n);

/* Computes the reach of a curve to both sides, at most `most`, and stores it in `limit` with the points that limit it (foot_reach.c). The
 * table has to be complete except for the reaches in it and the distance from the seam. */
void cmb_foot_find_reach(const cmb_table *table, double most, cmb_foot_limit limit[CMB_FOOT_SIDES]);

#endif
