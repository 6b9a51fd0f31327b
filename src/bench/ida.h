/*
 * SUNDIALS IDA for comparison: variable-order BDF on the stabilised index-2 form of Gear, Gupta and Leimkuhler, used by `camber bench
 * caraxis` and by the comparisons in bench/. It is available if CMake finds SUNDIALS, and then CMB_WITH_IDA is defined.
 */
#ifndef CMB_BENCH_IDA_H
#define CMB_BENCH_IDA_H

#include "bench/bench.h"
#include "dae/evaluator.h"

struct cli_ida;

/* Creates a run from the consistent state (q, v, a, λ) at t with rtol = atol = tolerance; the equations, in which q̇ = v, are evaluated
 * by ev. Returns NULL on failure. */
struct cli_ida *cli_ida_create(cmb_evaluator *ev, const double *q, const double *v, const double *a,
                               const double *lambda, double t, double t_end, double tolerance);
void cli_ida_destroy(struct cli_ida *ida);

/* Integrates to t_end; returns 0 if it is reached. */
int cli_ida_run(struct cli_ida *ida);

/* Stores the current state, and the numbers of steps, Jacobians and evaluations of the residual, those for difference Jacobians
 * included. */
void cli_ida_collect(const struct cli_ida *ida, struct cli_outcome *outcome);

#endif
