/*
 * The impulses of constraints in a run, kept for its report.
 */
#ifndef CMB_CLI_IMPULSES_H
#define CMB_CLI_IMPULSES_H

#include "cli/cli.h"

struct cli_impulses {
  cmb_impulse *all;
  long count, room;
};

/* Keep one; its texts must live as long as the list. */
cmb_status cli_impulses_add(struct cli_impulses *list, const cmb_impulse *impulse);
void cli_impulses_end(struct cli_impulses *list);

/* A line each, the first few; and all of them as a JSON list under "impulses". */
void cli_impulses_print(const struct cli_impulses *list);
void cli_impulses_json(const struct cli_impulses *list, struct cli_json *j);

#endif
