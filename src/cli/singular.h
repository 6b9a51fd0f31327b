/*
 * A list of the positions of a run in which the constraint Jacobian lost rank, stored for its report.
 */
#ifndef CMB_CLI_SINGULAR_H
#define CMB_CLI_SINGULAR_H

#include "cli/cli.h"

struct cli_singularities {
  struct cli_singularity *all;
  long count, room;
};

/* Appends a singular position; the names are not copied and must live as long as the list. After CLI_MOST_KEPT positions, further ones
 * are only counted. */
cmb_status cli_singularities_add(struct cli_singularities *list, const cmb_singularity *s);
void cli_singularities_end(struct cli_singularities *list);

/* Prints the first positions, one a line, or writes those that are stored as a JSON list under "singularities". */
void cli_singularities_print(const struct cli_singularities *list);
void cli_singularities_json(const struct cli_singularities *list, struct cli_json *j);

/* Prints the names of the multipliers and outputs that are not unique, or writes them as JSON lists under "not_unique" and
 * "not_unique_outputs". */
void cli_not_unique_print(const cmb_system *system, const cmb_result *r);
void cli_not_unique_json(const cmb_system *system, const cmb_result *r, struct cli_json *j);

#endif
