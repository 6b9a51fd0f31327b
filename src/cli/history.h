/*
 * The trajectory of a run kept in memory, for plotting.
 */
#ifndef CMB_CLI_HISTORY_H
#define CMB_CLI_HISTORY_H

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

/* A plot of it as SVG at `path`: positions, velocities, multipliers and outputs over time, the first eight of
 * each. Put in place as a whole. False, with errno, if the file cannot be written. */
bool cli_history_plot(const struct cli_history *h, const char *title, const char *path);

/* Whether a file can be written at `path`: to be known before a long run. errno says why not. */
bool cli_history_writable(const char *path);

#endif
