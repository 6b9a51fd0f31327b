/*
 * Stores the states right before and right after the events of a run, for the output of --json: those of the first events, as many as fit into
 * a few megabytes. Used by `camber run`.
 */
#ifndef CMB_CLI_SIDES_H
#define CMB_CLI_SIDES_H

#include "cli/cli.h"

/* The states at the instants at which events occur; simultaneous events have a common instant. */
struct cli_sides {
  const cmb_equations *eq;
  int columns;      /* number of values of one side: q, v, λ, outputs */
  double *rows;     /* (2 room x columns) before and after each instant; NaN: unknown */
  long count, room; /* numbers of complete instants: of the run; that memory is allocated for */
  bool begun;       /* whether the first side of the next instant is stored */
};

void cli_sides_begin(struct cli_sides *s, const cmb_equations *eq);
void cli_sides_end(struct cli_sides *s);

/* Adds the record of one side of an instant, before (record->side < 0) or after its events. Events that are reported between both belong to the
 * instant with the index `count`. Returns CMB_ERROR_MEMORY if memory runs out. */
cmb_status cli_sides_add(struct cli_sides *s, const cmb_record *record);

/* Writes the states right before and right after the events of an instant as the JSON objects "before" and "behind"; nothing if they are not
 * stored. */
void cli_sides_json(const struct cli_sides *s, long instant, struct cli_json *j);

#endif
