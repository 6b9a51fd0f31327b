/*
 * The trajectory of a run kept in memory, for plotting.
 */
#ifndef CMB_CLI_HISTORY_H
#define CMB_CLI_HISTORY_H

#include "cli/plot.h"

#include <camber/camber.h>
#include <stdbool.h>

struct cli_history {
  const cmb_equations *eq;
  double *rows; /* (count x columns): t, q, v, λ, outputs */
  long count, room;
  int columns;
};

void cli_history_begin(struct cli_history *h, const cmb_equations *eq);
cmb_status cli_history_add(struct cli_history *h, const cmb_record *record);
void cli_history_end(struct cli_history *h);

/* The abscissa of a plot and where its points lie; y of a column begins at rows + column. */
void cli_history_points(const struct cli_history *h, struct cli_plot *plot);

/* Whether a file can be written at `path`: to be known before a long run. errno says why not. */
bool cli_history_writable(const char *path);

#endif
