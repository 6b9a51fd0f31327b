/*
 * A list of the positions of a run at which the constraint Jacobian lost rank, for its printed and JSON output; and the names of quantities that
 * are not unique. Used by `camber run`.
 */
#ifndef CMB_CLI_SINGULAR_H
#define CMB_CLI_SINGULAR_H

#include "cli/cli.h"

struct cli_singularities {
  struct cli_singularity *all; /* (room) */
  long count, room;            /* number of positions of the run; number of entries allocated */
};

/* Appends a singular position; its array of names is copied, but the strings are not and must live as long as the list. Positions after the first
 * CLI_MOST_KEPT are only counted. Returns CMB_ERROR_MEMORY if memory runs out. */
cmb_status cli_singularities_add(struct cli_singularities *list, const cmb_singularity *s);
void cli_singularities_end(struct cli_singularities *list);

/* cli_singularities_print prints the first 20 positions as text, one per line; cli_singularities_json writes all that are stored as the JSON list
 * "singularities". */
void cli_singularities_print(const struct cli_singularities *list);
void cli_singularities_json(const struct cli_singularities *list, struct cli_json *j);

/* Print the names of the multipliers and outputs that are not unique, as text in one line or as the JSON lists "not_unique" and
 * "not_unique_outputs". */
void cli_not_unique_print(const cmb_system *system, const cmb_result *r);
void cli_not_unique_json(const cmb_system *system, const cmb_result *r, struct cli_json *j);

#endif
