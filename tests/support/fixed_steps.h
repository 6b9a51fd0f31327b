/*
 * Measures the errors of a method with fixed steps on bundled problems, against reference trajectories that are computed without the
 * library (reference.h), and the order of convergence from the errors of two step sizes.
 */
#ifndef CMBT_FIXED_STEPS_H
#define CMBT_FIXED_STEPS_H

#include <camber/camber.h>

/* A bundled problem, one of its parameters, and its reference solution `at`. */
struct cmbt_trajectory {
  const char *name;
  double t_end;
  int points; /* number of sections of [0, t_end]; the error is measured at the end of each */
  cmb_setting setting;
  void (*at)(double t, double *q, double *v, double *lambda);
};

/* The car axis; the pendulum released at 2 rad, for 5 s and for its first fall to about the lowest point. */
extern const struct cmbt_trajectory cmbt_caraxis, cmbt_pendulum_swings, cmbt_pendulum_fall;

/* Errors of the positions, velocities and multipliers: root mean squares over the points of the Euclidean norms. */
struct cmbt_errors {
  double q, v, lambda;
};

/* Integrates the problem with `steps` equal steps in each section and returns the errors. tolerance: rtol = atol, which limit the
 * errors of the iterations; 0: the defaults. settings: options of the method in addition to steps=fixed. */
struct cmbt_errors cmbt_fixed_errors(cmb_context *ctx, const struct cmbt_trajectory *problem,
                                     const char *method, int setting_count,
                                     const cmb_option_setting *settings, double tolerance,
                                     int steps);

/* Returns the observed orders log(coarse/fine) / log(steps_fine/steps_coarse) of q, v and λ. */
struct cmbt_errors cmbt_orders(struct cmbt_errors coarse, struct cmbt_errors fine, int steps_coarse,
                               int steps_fine);

#endif
