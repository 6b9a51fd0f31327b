/*
 * What `camber check` counts: constraints, their rank, those that are redundant, degrees of freedom.
 */
#ifndef CMB_CLI_COUNTS_H
#define CMB_CLI_COUNTS_H

#include "cli/cli.h"

struct cli_counts {
  const cmb_equations *eq;
  cmb_rank_report rank;
  int *redundant;              /* (ng) */
  const char *const *left_out; /* names of constraints that are not among the system's any more */
  int left_out_count;
};

/* False: without memory. cli_counts_end is to be called in any case. */
bool cli_counts_begin(const cmb_system *system, struct cli_counts *counts);
void cli_counts_end(struct cli_counts *counts);

/* The rank at a position that meets the constraints, in the modes given. */
cmb_status cli_counts_find(cmb_context *ctx, const cmb_system *system, double t, const double *q,
                           const int *mode, struct cli_counts *counts);

/* As keys of an object. */
void cli_json_counts(struct cli_json *j, const struct cli_counts *counts);

#endif
