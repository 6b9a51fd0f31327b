/*
 * Smoothing and interpolating cubic splines through points of a plane curve; used by profile.c.
 */
#ifndef CMB_RAIL_SPLINE_H
#define CMB_RAIL_SPLINE_H

#include <camber/base.h>

/* A parametric natural cubic spline: both coordinates and their second derivatives at the knots. All arrays belong to the caller. */
typedef struct cmb_spline {
  int n;           /* number of knots, at least 3 */
  double *u;       /* (n) knots, strictly ascending from 0 */
  double *y, *z;   /* (n) coordinates at the knots */
  double *yy, *zz; /* (n) second derivatives with respect to u; 0 at both ends */
} cmb_spline;

/* Computes the smoothest spline whose knots belong to the n points (y[i], z[i]), with a root mean square of at most `tolerance` for the
 * distances between each point and the spline at its knot (spline.c states the problem); tolerance 0: the spline through the points.
 * s->u receives the arc lengths of the spline at the knots. Consecutive points must differ. Where a straight line is within the tolerance,
 * the spline is nearly straight. Returns CMB_ERROR_MEMORY if memory runs out. */
cmb_status cmb_spline_fit(cmb_context *ctx, const double *y, const double *z, double tolerance,
                          cmb_spline *s);

/* Returns the number i of the interval u_i <= u < u_(i+1) that contains u, from 0 to n − 2; the first or last one beyond the ends. */
int cmb_spline_interval(int n, const double *u, double at);

/* The value and two derivatives of one coordinate. */
typedef struct cmb_spline_value {
  double f, df, ddf;
} cmb_spline_value;

/* Evaluates the cubic of an interval of length h at the fraction b of it from its left end, 0 <= b <= 1, where the coordinate has the values
 * f0, f1 and the second derivatives m0, m1 at the ends. */
cmb_spline_value cmb_spline_cubic(double h, double b, double f0, double f1, double m0, double m1);

#endif
