/*
 * What the benches of Haug, Negrut and Engstler (1999), §6, share: runs followed step by step, errors against a reference, times, and
 * the explicit method beside them. haug.c has them, and the bench of one corner; haug_vehicle.c those of the vehicle.
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

/* Errors of method m at all tolerances beside the paper's, Table 6 or 7. */
cmb_status cli_haug_print_errors(cmb_context *ctx, const cmb_system *system, int m,
                                 const struct haug_path *reference, struct haug_path *path);

/* Times of method m beside the paper's, Table 8 or 9. f: evaluations. */
cmb_status cli_haug_print_times(cmb_context *ctx, const cmb_system *system, int m, int repeat,
                                double f[HAUG_LENGTHS][HAUG_TOLERANCES]);

/* The same of abm, over a hundredth of each length. */
cmb_status cli_haug_print_explicit(cmb_context *ctx, const cmb_system *system,
                                   double f[HAUG_LENGTHS][HAUG_TOLERANCES]);

/* Prints whether sdirk4 takes fewer evaluations than trap, and whether abm's are as the paper says. */
void cli_haug_judge_implicit(double f[HAUG_METHODS][HAUG_LENGTHS][HAUG_TOLERANCES]);
void cli_haug_judge_explicit(double f[HAUG_LENGTHS][HAUG_TOLERANCES],
                             double sdirk4[HAUG_LENGTHS][HAUG_TOLERANCES]);

#endif
