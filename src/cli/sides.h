/*
 * Stores the states before and after the events of a run for its report: those of the first events, as many as fit into a few megabytes.
 */
#ifndef CMB_CLI_SIDES_H
#define CMB_CLI_SIDES_H

#include "cli/cli.h"

struct cli_sides {
  const cmb_equations *eq;
  int columns;      /* values of one side: q, v, λ, outputs */
  double *rows;     /* (2 kept x columns) before and after each instant; NaN: unknown */
  long count, room; /* instants with both sides; those beyond `room` are only counted */
  bool begun;       /* whether the first side of the next instant is stored */
};

void cli_sides_begin(struct cli_sides *s, const cmb_equations *eq);
void cli_sides_end(struct cli_sides *s);

/* Adds the record of one side of an instant. Events between its two sides belong to the instant number `count`. */
cmb_status cli_sides_add(struct cli_sides *s, const cmb_record *record);

/* Writes the objects "before" and "behind" (the states before and after) of an instant, if it is stored. */
void cli_sides_json(const struct cli_sides *s, long instant, struct cli_json *j);

#endif
