/*
 * What the benches of Haug, Negrut and Engstler (1999), §6, share: runs followed step by step, errors against a reference, times, and
 * the explicit method beside them. haug.c has them, and the bench of one corner; haug_vehicle.c those of the vehicle; haug_plot.c their
 * pictures.
 */
#ifndef CMB_BENCH_HAUG_H
#define CMB_BENCH_HAUG_H

#include "bench/bench.h"

enum { HAUG_TOLERANCES = 4, HAUG_LENGTHS = 4, HAUG_METHODS = 2 };

#define HAUG_ERRORS_TO     2.0  /* s: the paper looks at the first two seconds */
#define HAUG_EXPLICIT_PART 0.01 /* of the paper's lengths, for abm */

extern const char *const cli_haug_names[HAUG_METHODS]; /* trap, sdirk4 */

/* The steps of a run. The caller frees `row`. */
struct haug_path {
  long count, room;
  double (*row)[4]; /* t, the first coordinate, its velocity, whether there is an event */
};

cmb_status cli_haug_follow(cmb_context *ctx, const cmb_system *system, const char *method,
                           double tolerance, double t_end, struct haug_path *path);

/* What runs of these lengths take with these tolerances. */
struct haug_cost {
  double f[HAUG_LENGTHS][HAUG_TOLERANCES];  /* evaluations */
  double ms[HAUG_LENGTHS][HAUG_TOLERANCES]; /* processor time */
};

/* The paper's Tables 6 and 7, positions and velocities; 8 and 9, in s; the second Table 6, in s. */
extern const double cli_haug_paper_errors[HAUG_METHODS][HAUG_TOLERANCES][2];
extern const double cli_haug_paper_times[HAUG_METHODS][HAUG_LENGTHS][HAUG_TOLERANCES];
extern const double cli_haug_paper_explicit[HAUG_LENGTHS][HAUG_TOLERANCES];

double cli_haug_tolerance(int k);

/* Errors of method m at all tolerances beside the paper's, Table 6 or 7; `error`: of position and velocity. */
cmb_status cli_haug_print_errors(cmb_context *ctx, const cmb_system *system, int m,
                                 const struct haug_path *reference, struct haug_path *path,
                                 double error[HAUG_TOLERANCES][2]);

/* Times of method m beside the paper's, Table 8 or 9. */
cmb_status cli_haug_print_times(cmb_context *ctx, const cmb_system *system, int m, int repeat,
                                struct haug_cost *cost);

/* The same of abm, over a hundredth of each length. */
cmb_status cli_haug_print_explicit(cmb_context *ctx, const cmb_system *system,
                                   struct haug_cost *cost);

/* Prints whether sdirk4 takes fewer evaluations than trap, and whether abm's are as the paper says. */
void cli_haug_judge_implicit(const struct haug_cost cost[HAUG_METHODS]);
void cli_haug_judge_explicit(const struct haug_cost *abm, const struct haug_cost *sdirk4);

/* Draw what was printed, and the paper's numbers with dashes, if --plot is given: Fig. 5 or 6; 7; 9, and 10 beside it as FILE-length. */
cmb_status cli_haug_draw_errors(cmb_context *ctx, const struct cli_arguments *a, int m,
                                double error[HAUG_TOLERANCES][2]);
cmb_status cli_haug_draw_times(cmb_context *ctx, const struct cli_arguments *a,
                               const struct haug_cost cost[HAUG_METHODS]);
cmb_status cli_haug_draw_explicit(cmb_context *ctx, const struct cli_arguments *a,
                                  const struct haug_cost *abm);

#endif
