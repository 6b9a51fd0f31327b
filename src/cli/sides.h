/*
 * The states on both sides of the events of a run, kept for its report: as many as fit into some megabytes, from the first on.
 */
#ifndef CMB_CLI_SIDES_H
#define CMB_CLI_SIDES_H

#include "cli/cli.h"

struct cli_sides {
  const cmb_equations *eq;
  int columns;  /* of a side: q, v, λ, outputs */
  double *rows; /* (2 kept x columns) before and behind each instant; NaN: not known */
  long count,
      room;   /* instants that have both sides; kept are at most as many as there is room for */
  bool begun; /* of the next one the first side is there */
};

void cli_sides_begin(struct cli_sides *s, const cmb_equations *eq);
void cli_sides_end(struct cli_sides *s);

/* A record with its side. Events between the two sides belong to the instant number `count`. */
cmb_status cli_sides_add(struct cli_sides *s, const cmb_record *record);

/* Objects "before" and "behind" of an instant, if it is kept. */
void cli_sides_json(const struct cli_sides *s, long instant, struct cli_json *j);

#endif
