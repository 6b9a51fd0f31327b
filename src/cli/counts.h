/*
 * The counts of `camber check`: constraints, their rank, redundant ones, degrees of freedom.
 */
#ifndef CMB_CLI_COUNTS_H
#define CMB_CLI_COUNTS_H

#include "cli/cli.h"

struct cli_counts {
  const cmb_equations *eq;
  cmb_rank_report rank;
  int *redundant;              /* (ng) indices of redundant constraints */
  const char *const *left_out; /* names of redundant constraints that the system has left out */
  int left_out_count;
};

/* Begins the counts of a system; returns false if memory runs out. cli_counts_end has to be called in any case. */
bool cli_counts_begin(const cmb_system *system, struct cli_counts *counts);
void cli_counts_end(struct cli_counts *counts);

/* Finds the rank of the constraints at a position q that satisfies them, at time t and in the given modes. */
cmb_status cli_counts_find(cmb_context *ctx, const cmb_system *system, double t, const double *q,
                           const int *mode, struct cli_counts *counts);

/* Prints the counts as keys of a JSON object. */
void cli_json_counts(struct cli_json *j, const struct cli_counts *counts);

#endif
