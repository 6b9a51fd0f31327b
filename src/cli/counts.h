/*
 * Counts the constraints of a system: their number and rank, the redundant ones, the degrees of freedom. Used by the commands `check` and
 * `view`.
 */
#ifndef CMB_CLI_COUNTS_H
#define CMB_CLI_COUNTS_H

#include "cli/cli.h"

struct cli_counts {
  const cmb_equations *eq;
  cmb_rank_report rank;
  int *redundant;              /* (ng) indices of the rank.redundant_count redundant constraints */
  const char *const *left_out; /* names of redundant constraints that the system has left out */
  int left_out_count;
};

/* Initialises the counts of a system; returns false if memory runs out. cli_counts_end has to be called in any case. */
bool cli_counts_begin(const cmb_system *system, struct cli_counts *counts);
void cli_counts_end(struct cli_counts *counts);

/* Computes the rank of the constraint Jacobian and the redundant constraints at time t and a position q[nq], which should satisfy the
 * constraints; mode[ns] contains the signs of the switching functions. */
cmb_status cli_counts_find(cmb_context *ctx, const cmb_system *system, double t, const double *q,
                           const int *mode, struct cli_counts *counts);

/* Writes the numbers of constraints and degrees of freedom, the rank and the names of redundant constraints as members of a JSON object. */
void cli_json_counts(struct cli_json *j, const struct cli_counts *counts);

#endif
