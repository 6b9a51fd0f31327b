/*
 * The positions of a run in which the constraints lost rank, kept for its report.
 */
#ifndef CMB_CLI_SINGULAR_H
#define CMB_CLI_SINGULAR_H

#include "cli/cli.h"

struct cli_singularities {
  struct cli_singularity *all;
  long count, room;
};

/* Keep one; the names must live as long as the list. */
cmb_status cli_singularities_add(struct cli_singularities *list, const cmb_singularity *s);
void cli_singularities_end(struct cli_singularities *list);

/* A line each, the first few; and all of them as a JSON list under "singularities". */
void cli_singularities_print(const struct cli_singularities *list);
void cli_singularities_json(const struct cli_singularities *list, struct cli_json *j);

/* The names of the multipliers and outputs that are not unique, if there are any: a line, and JSON lists under "not_unique" and
 * "not_unique_outputs". */
void cli_not_unique_print(const cmb_system *system, const cmb_result *r);
void cli_not_unique_json(const cmb_system *system, const cmb_result *r, struct cli_json *j);

#endif
