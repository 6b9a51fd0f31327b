/*
 * Functions that the benches after Burgermeister, Arnold and Esterl 2006 share: variants of the method `lie`, run step by step.
 */
#ifndef CMB_BENCH_BURGERMEISTER_H
#define CMB_BENCH_BURGERMEISTER_H

#include "bench/bench.h"

/* The values of the options of `lie`. */
struct cli_variant {
  const char *title, *index, *jacobian, *stabilization;
};

/* The state of a run after a step. */
struct cli_run_state {
  const double *q;
  double position, velocity; /* |g|, |G v + g_t| */
};

/* Returns the quantity to record of a run at t = k h. */
typedef double (*cli_measure)(void *user, long k, const struct cli_run_state *at);

/* Runs a variant of `lie` with the step h and stores in y[k] (steps + 1) what `measure` returns at t = k h. variant == NULL: mdop853 at
 * a tolerance of 1e-10. */
cmb_status cli_follow(cmb_context *ctx, const cmb_system *system, const struct cli_variant *variant,
                      double h, long steps, cli_measure measure, void *user, double *y);

/* Returns the norm of the position constraints |g|. */
double cli_measure_position(void *user, long k, const struct cli_run_state *at);

/* Computes the positions of the reference solution at t = k h: (steps + 1) x nq, to be freed, also after a failure. */
cmb_status cli_follow_reference(cmb_context *ctx, const cmb_system *system, double h, long steps,
                                double **q);

/* Returns the distance between two positions of the car axis, in m. */
enum { CLI_AXIS_COORDINATES = 4 };
double cli_axis_distance(const double *q, const double *reference);

double cli_largest(long from, long to,
                   const double *y); /* the largest of y[from] .. y[to], at least 0 */

#endif
