/*
 * A list of the constraint impulses of a run (at impacts and discontinuities of velocity), stored for its report.
 */
#ifndef CMB_CLI_IMPULSES_H
#define CMB_CLI_IMPULSES_H

#include "cli/cli.h"

struct cli_impulses {
  cmb_impulse *all;
  long count, room;
};

/* Appends an impulse to the list; its strings are not copied and must live as long as the list. After CLI_MOST_KEPT impulses, further
 * ones are only counted. */
cmb_status cli_impulses_add(struct cli_impulses *list, const cmb_impulse *impulse);
void cli_impulses_end(struct cli_impulses *list);

/* Prints the first impulses, one a line, or writes those that are stored as a JSON list under "impulses". */
void cli_impulses_print(const struct cli_impulses *list);
void cli_impulses_json(const struct cli_impulses *list, struct cli_json *j);

#endif
