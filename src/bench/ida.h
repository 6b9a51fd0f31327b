/*
 * SUNDIALS IDA as a rival: variable-order BDF on the stabilised index-2 form of Gear, Gupta and Leimkuhler, for
 * `camber bench caraxis` and for the races in bench/. It is there if CMake finds SUNDIALS, and then
 * CMB_WITH_IDA is defined.
 */
#ifndef CMB_BENCH_IDA_H
#define CMB_BENCH_IDA_H

#include "bench/bench.h"
#include "dae/evaluator.h"

struct cli_ida;

/* A run from the consistent state (q, v, a, λ) at t with rtol = atol = tolerance; the equations, whose q̇ is v, are
 * evaluated by ev. NULL: it cannot be made. */
struct cli_ida *cli_ida_create(cmb_evaluator *ev, const double *q, const double *v, const double *a,
                               const double *lambda, double t, double t_end, double tolerance);
void cli_ida_destroy(struct cli_ida *ida);

/* To the end; 0: reached. */
int cli_ida_run(struct cli_ida *ida);

/* Where it stands, and its steps, Jacobians and evaluations of the residual, those for difference Jacobians included. */
void cli_ida_collect(const struct cli_ida *ida, struct cli_outcome *outcome);

#endif
