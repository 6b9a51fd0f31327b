/*
 * The trajectory of a run kept in memory, for plotting: as much of it as a picture can show, however long the run is.
 *
 * Up to some thousands of records are kept as they are. When there are more, the time since the start is cut into intervals,
 * and of each interval and column the least and the greatest value are kept, in the order in which they came.
 */
#ifndef CMB_CLI_HISTORY_H
#define CMB_CLI_HISTORY_H

#include "cli/plot.h"

#include <camber/camber.h>

struct cli_history {
  const cmb_equations *eq;
  double *rows; /* (2 count x columns): t, q, v, λ, outputs, |g|, |Gv|; two rows an interval */
  long count, room, most;
  double width; /* of an interval in seconds; 0: each record is its own */
  int columns;
};

void cli_history_begin(struct cli_history *h, const cmb_equations *eq);
cmb_status cli_history_add(struct cli_history *h, const cmb_record *record);

/* The same for rows of any kind, whose first column is the time; at most about `numbers` of them are kept, and all memory is taken here. */
cmb_status cli_history_begin_rows(struct cli_history *h, int columns, long numbers);
double *cli_history_row(struct cli_history *h); /* where the next row goes; NULL: no memory */
void cli_history_keep(struct cli_history *h);   /* it has been filled in */

/* For a history that was begun for rows: one of the record. */
void cli_history_take(struct cli_history *h, const cmb_equations *eq, const cmb_record *record);
int cli_history_columns(const cmb_equations *eq);
void cli_history_end(struct cli_history *h);

/* The abscissa of a plot and where its points lie; y of a column begins at rows + column. */
void cli_history_points(const struct cli_history *h, struct cli_plot *plot);

#endif
