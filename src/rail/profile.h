/*
 * Profiles of wheels and rails as cubic splines, for use inside of the library; include/camber/rail.h has the functions that create them.
 *
 * A profile is a parametric spline over the knots u_0 = 0 < u_1 < … < u_(n−1) = length. It is stored by its values and second derivatives at
 * the knots; both are cubic in u between two of them, and the second derivatives are 0 at both ends (a natural spline). With h = u_(i+1) − u_i,
 * b = (u − u_i)/h and a = 1 − b, the coordinate y is
 *
 *     y(u) = a y_i + b y_(i+1) + ((a³ − a) y''_i + (b³ − b) y''_(i+1)) h²/6.
 */
#ifndef CMB_RAIL_PROFILE_H
#define CMB_RAIL_PROFILE_H

#include "base/arena.h"

#include <camber/rail.h>

struct cmb_profile {
  cmb_arena *arena; /* of all memory of the profile, with this struct */
  const char *name;
  cmb_profile_kind kind;
  double cant;
  int n;                 /* number of knots, and of points from which the spline was made */
  const double *u;       /* (n) strictly ascending from 0 */
  const double *y, *z;   /* (n) coordinates at the knots */
  const double *yy, *zz; /* (n) their second derivatives with respect to u; 0 at both ends */
  /* root mean square and maximum of the distances of the points from the spline */
  double deviation, largest_deviation;
};

/* The points of a profile from which its spline is made, and before that as its file has them. */
typedef struct cmb_profile_points {
  int n;
  double *y, *z; /* (n) in mm; in the axes of cmb_profile_kind after cmb_profile_orient (read.h) */
  int *line;     /* (n) line of each point in its file; NULL: there is no file */
} cmb_profile_points;

/* Returns the number i of the interval u_i <= u < u_(i+1) that contains u, from 0 to n − 2; the first or last one beyond the ends. */
int cmb_profile_interval(const cmb_profile *p, double u);

/* ---- built_in.c */

/* Computes the points of the built-in profile number `which` (cmb_profile_built_in) by its formulas, uncanted, onto the arena. The caller
 * checks whether the arena has failed. */
void cmb_profile_formulas(cmb_arena *arena, int which, cmb_profile_points *points);

#endif
