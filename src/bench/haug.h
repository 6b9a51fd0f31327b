/*
 * Functions that the benches after Haug, Negrut and Engstler (1999), §6, share: runs recorded step by step, errors against a reference,
 * times, and the explicit method. haug.c contains them, and the bench of one corner; haug_vehicle.c contains the benches of the vehicle,
 * haug_plot.c their pictures.
 */
#ifndef CMB_BENCH_HAUG_H
#define CMB_BENCH_HAUG_H

#include "bench/bench.h"

enum { HAUG_TOLERANCES = 4, HAUG_LENGTHS = 4, HAUG_METHODS = 2 };

#define HAUG_ERRORS_TO     2.0  /* s: the paper gives errors of the first two seconds */
#define HAUG_EXPLICIT_PART 0.01 /* part of the paper's lengths that abm runs */

extern const char *const cli_haug_names[HAUG_METHODS]; /* trap, sdirk4 */

/* The recorded steps of a run. The caller frees `row`. */
struct haug_path {
  long count, room;
  double (*row)[4]; /* t, the measured coordinate, its velocity, 1 if there is an event */
};

/* Runs a simulation once with a method and a tolerance until t_end, and records its steps in *path, whose memory is reused. */
cmb_status cli_haug_follow(cmb_context *ctx, const cmb_system *system, const char *method,
                           double tolerance, double t_end, struct haug_path *path);

/* The cost of runs of these lengths with these tolerances. */
struct haug_cost {
  double f[HAUG_LENGTHS][HAUG_TOLERANCES];  /* evaluations */
  double ms[HAUG_LENGTHS][HAUG_TOLERANCES]; /* processor time */
};

/* The paper's Tables 6 and 7, positions and velocities; 8 and 9, in s; the second Table 6, in s. */
extern const double cli_haug_paper_errors[HAUG_METHODS][HAUG_TOLERANCES][2];
extern const double cli_haug_paper_times[HAUG_METHODS][HAUG_LENGTHS][HAUG_TOLERANCES];
extern const double cli_haug_paper_explicit[HAUG_LENGTHS][HAUG_TOLERANCES];

/* Returns the k-th tolerance, 10^−(2 + k). */
double cli_haug_tolerance(int k);

/* Runs method m with all tolerances and prints its errors beside the paper's (Table 6 or 7). `error` becomes the errors of position and
 * velocity for each tolerance. */
cmb_status cli_haug_print_errors(cmb_context *ctx, const cmb_system *system, int m,
                                 const struct haug_path *reference, struct haug_path *path,
                                 double error[HAUG_TOLERANCES][2]);

/* Runs method m with all lengths and tolerances and prints its times beside the paper's (Table 8 or 9). */
cmb_status cli_haug_print_times(cmb_context *ctx, const cmb_system *system, int m, int repeat,
                                struct haug_cost *cost);

/* Runs abm over a hundredth of each length with all tolerances and prints its times beside the paper's. */
cmb_status cli_haug_print_explicit(cmb_context *ctx, const cmb_system *system,
                                   struct haug_cost *cost);

/* Print whether sdirk4 needs fewer evaluations than trap at 1e-4 and 1e-5, and whether those of abm are as the paper states. */
void cli_haug_judge_implicit(const struct haug_cost cost[HAUG_METHODS]);
void cli_haug_judge_explicit(const struct haug_cost *abm, const struct haug_cost *sdirk4);

/* Draw the printed results, and the paper's numbers with dashes, if --plot is given: Fig. 5 or 6; Fig. 7; Fig. 9, and Fig. 10 to
 * FILE-length. */
cmb_status cli_haug_draw_errors(cmb_context *ctx, const struct cli_arguments *a, int m,
                                double error[HAUG_TOLERANCES][2]);
cmb_status cli_haug_draw_times(cmb_context *ctx, const struct cli_arguments *a,
                               const struct haug_cost cost[HAUG_METHODS]);
cmb_status cli_haug_draw_explicit(cmb_context *ctx, const struct cli_arguments *a,
                                  const struct haug_cost *abm);

#endif
