/*
 * What the benches of Burgermeister, Arnold and Esterl 2006 share: variants of
 * the method `lie`, followed step by step.
 */
#ifndef CMB_BENCH_BURGERMEISTER_H
#define CMB_BENCH_BURGERMEISTER_H

#include "bench/bench.h"

/* Values of lie's options. */
struct cli_variant {
  const char *title, *index, *jacobian, *stabilization;
};

/* Where a run stands. */
struct cli_place {
  const double *q;
  double position, velocity; /* |g|, |G v + g_t| */
};

/* What is to be known of a run at t = k h. */
typedef double (*cli_look)(void *user, long k, const struct cli_place *at);

/* y[k] (steps + 1) is what `look` returns at t = k h. variant == NULL: mdop853 at a tolerance of 1e-10. */
cmb_status cli_follow(cmb_context *ctx, const cmb_system *system, const struct cli_variant *variant,
                      double h, long steps, cli_look look, void *user, double *y);

/* |g| itself */
double cli_look_position(void *user, long k, const struct cli_place *at);

/* Positions of the reference at t = k h: (steps + 1) x nq, to be freed. */
cmb_status cli_follow_reference(cmb_context *ctx, const cmb_system *system, double h, long steps,
                                double **q);

/* Between positions of the car axis, in m. */
enum { CLI_AXIS_COORDINATES = 4 };
double cli_axis_distance(const double *q, const double *reference);

double cli_largest(long from, long to, const double *y); /* of y[from] .. y[to] */

#endif
