/*
 * A list of the constraint impulses of a run (at impacts and discontinuities of velocity), stored for its report.
 */
#ifndef CMB_CLI_IMPULSES_H
#define CMB_CLI_IMPULSES_H

#include "cli/cli.h"

struct cli_impulses {
  cmb_impulse *all; /* (room) */
  long count, room; /* number of impulses of the run; number of entries allocated */
};

/* Appends an impulse to the list; its strings are not copied and must live as long as the list. Impulses after the first CLI_MOST_KEPT are
 * only counted. Returns CMB_ERROR_MEMORY if memory runs out. */
cmb_status cli_impulses_add(struct cli_impulses *list, const cmb_impulse *impulse);
void cli_impulses_end(struct cli_impulses *list);

/* cli_impulses_print prints the first 20 impulses as text, one per line; cli_impulses_json writes all that are stored as the JSON list
 * "impulses". */
void cli_impulses_print(const struct cli_impulses *list);
void cli_impulses_json(const struct cli_impulses *list, struct cli_json *j);

#endif
