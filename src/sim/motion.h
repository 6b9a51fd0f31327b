/*
 * Converts the dense output of the last step, for enclosure.c and variation.c, to polynomials in θ: Bernstein coefficients bound the state, and its derivative, on any part of the step.
 */
#ifndef CMB_SIM_MOTION_H
#define CMB_SIM_MOTION_H

#include "base/arena.h"
#include "math/bernstein.h"

#include <camber/method.h>

typedef struct cmb_motion {
  cmb_integrator *in;
  cmb_bernstein basis; /* of the degree of the method at work */
  int nq, n, degree;   /* n: q and v; degree of the polynomials at hand */
  const bool *reads;   /* (n) the components that somebody reads; NULL: all */
  double *values;      /* ((CMB_BERNSTEIN_MOST + 1) x n) of the dense output at the nodes */
  double *c, *dc;      /* (n x (degree + 1)), (n x degree) coefficients of y and of dy/dθ */
  double *rounding, *rate_rounding; /* (n) */
} cmb_motion;

/* Memory from `arena`; a failure is left to it. Of components that nobody reads the bounds are unknown. */
void cmb_motion_create(cmb_motion *m, cmb_arena *arena, cmb_integrator *in, const bool *reads);

/* The first `count` components of y = (q, v) in the last step. */
cmb_status cmb_motion_take(cmb_motion *m, int count);

/* The same for rough dense output (method/integrator.h), whose errors are up to bounds (count). Only cmb_motion_range may be called then:
 * it bounds each motion that stays within these errors of the polynomials, but nothing is known of the derivatives of such a motion. */
cmb_status cmb_motion_take_roughly(cmb_motion *m, int count, const double *bounds);

/* Bounds on [a, b] of the first `count` components, of their derivatives, or of their second ones. */
void cmb_motion_range(const cmb_motion *m, int count, double a, double b, cmb_interval *y);
void cmb_motion_rate_range(const cmb_motion *m, int count, double a, double b, cmb_interval *rate);
void cmb_motion_bend_range(const cmb_motion *m, int count, double a, double b, cmb_interval *bend);

#endif
