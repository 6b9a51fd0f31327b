/*
 * Errors of a method with fixed steps on bundled problems, against trajectories that do not use the library, and the order that
 * two of them show.
 */
#ifndef CMBT_FIXED_STEPS_H
#define CMBT_FIXED_STEPS_H

#include <camber/camber.h>

/* A bundled problem, with one of its parameters, and its solution. */
struct cmbt_trajectory {
  const char *name;
  double t_end;
  int points; /* sections of the interval; the error is measured at the end of each */
  cmb_setting setting;
  void (*at)(double t, double *q, double *v, double *lambda);
};

/* The car axis, and the pendulum from 2 rad: swings, and a fall to about the lowest point. */
extern const struct cmbt_trajectory cmbt_caraxis, cmbt_pendulum_swings, cmbt_pendulum_fall;

/* Root mean squares over the points. */
struct cmbt_errors {
  double q, v, lambda;
};

/* `steps` steps in each section; tolerance: rtol and atol, what iterations may leave; 0: the usual ones. Settings are those
 * beside steps=fixed. */
struct cmbt_errors cmbt_fixed_errors(cmb_context *ctx, const struct cmbt_trajectory *problem,
                                     const char *method, int setting_count,
                                     const cmb_option_setting *settings, double tolerance,
                                     int steps);

/* log(coarse/fine) / log(steps_fine/steps_coarse) for each. */
struct cmbt_errors cmbt_orders(struct cmbt_errors coarse, struct cmbt_errors fine, int steps_coarse,
                               int steps_fine);

#endif
