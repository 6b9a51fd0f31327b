/*
 * The foot of a point (x, y) on a line in the plane: how far it is along the line, u, and how far to the left of it, v.
 *
 *     (P(u) − p)·P'(u) = 0,   v = (P'×(p − P))/|P'|
 *
 * P(u) is the natural spline through points at u = 0, step, 2 step, ..; it goes on straight beyond its ends. The foot is that of the nearest
 * point of the line. It is a function of two arguments as a 2-D table is one (table.h), whose derivatives are expressions of the foot:
 *
 *     ∇u = P'/(P'·P' − (p − P)·P''),   ∇v = (−P'_y, P'_x)/|P'|
 *
 * How far from the line the nearest point is only one, and u continuous, is its reach (Federer 1959): to the side of the normal n
 *
 *     inf |d|²/(2 d·n)   over the differences d of all pairs of points with d·n > 0.
 *
 * Up to 0.95 of the reach there is a foot, elsewhere u and v are NaN; so no way leads from one part of a line to another one unseen.
 */
#ifndef CMB_EXPR_FOOT_H
#define CMB_EXPR_FOOT_H

#include "expr/interval.h"
#include "expr/table.h"

enum { CMB_FOOT_RIGHT, CMB_FOOT_LEFT, CMB_FOOT_SIDES };

/* How far to a side there is a foot, and the points that let it go no further: twice the same one where the line's curvature does. */
typedef struct cmb_foot_limit {
  double reach;
  int at, other; /* -1: only `most` does */
} cmb_foot_limit;

/* The line through n points; the reach is not more than `most`. A line that ends at its first point, or a step before it,
 * in the same direction, is closed: behind its end it begins anew. CMB_ERROR_INPUT: not finite. */
cmb_status cmb_foot_create(cmb_context *ctx, int n, const double *x, const double *y, double step,
                           double most, cmb_foot_limit limit[CMB_FOOT_SIDES], cmb_table **table);

/* u, or v, as an expression. */
cmb_expr cmb_foot_apply(cmb_graph *g, const cmb_table *table, bool across, cmb_expr x, cmb_expr y);

/* Derivative of such an expression by argument i. */
cmb_expr cmb_foot_partial(cmb_graph *g, cmb_expr e, int i);

double cmb_foot_value(const cmb_table *table, bool across, double x, double y);
void cmb_foot_values(const cmb_table *table, double x, double y, double *u, double *v);
cmb_interval cmb_foot_enclose(const cmb_table *table, bool across, cmb_interval x, cmb_interval y);

/* How many points are in a block (foot_code.h), and how many numbers c has. */
int cmb_foot_block(int n);
int cmb_foot_coefficients(int n);

/* The reaches of a line that is complete but for them (foot_reach.c). */
void cmb_foot_find_reach(const cmb_table *table, double most, cmb_foot_limit limit[CMB_FOOT_SIDES]);

#endif
