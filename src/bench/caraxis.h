/*
 * The results of `camber bench caraxis`, for its tables (caraxis.c) and its pictures (caraxis_plot.c).
 */
#ifndef CMB_BENCH_CARAXIS_H
#define CMB_BENCH_CARAXIS_H

#include "bench/bench.h"

enum { CARAXIS_TOLERANCES = 25, CARAXIS_SHOWN = 3, CARAXIS_LEVELS = 4 };

/* The numbers of a run, in the order of Table II.17.2. */
enum {
  CARAXIS_MESCD,
  CARAXIS_SCD,
  CARAXIS_STEPS,
  CARAXIS_ACCEPTED,
  CARAXIS_F,
  CARAXIS_JACOBIANS,
  CARAXIS_FACTORS,
  CARAXIS_MICROSECONDS,
  CARAXIS_NUMBERS
};

struct caraxis_code {
  char name[16];
  bool failed[CARAXIS_TOLERANCES];
  double runs[CARAXIS_TOLERANCES][CARAXIS_NUMBERS];
};

/* The results of another code at 1e-4, 1e-7 and 1e-10, and the microseconds of its cheapest run that reaches each level. NaN: unknown or
 * not reached. `ours` is the name of Camber's method that is based on this code, or NULL. */
struct caraxis_rival {
  const char *name, *ours;
  double runs[CARAXIS_SHOWN][CARAXIS_NUMBERS], cheapest[CARAXIS_LEVELS];
};

/* Returns the index of the run that reaches this number of digits, of mescd or scd, in the least time; −1 if none does. */
int cli_caraxis_cheapest(const struct caraxis_code *code, int kind, double digits);

/* Draws Figs. II.17.2 to 6: to --plot FILE.svg the work–precision diagrams in mescd, to FILE-scd.svg those in scd, to FILE-motion.svg
 * the behaviour of the solution. */
cmb_status cli_caraxis_draw(cmb_context *ctx, const cmb_system *system,
                            const struct cli_arguments *a, int count,
                            const struct caraxis_code *codes, int rival_count,
                            const struct caraxis_rival *rivals);

#endif
