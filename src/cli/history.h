/*
 * The trajectory of a run in memory, for plots and reports: as much of it as a picture can show, however long the run is.
 *
 * Up to some thousands of records are stored unchanged. When there are more, the time since the start is cut into intervals, and for each
 * interval and column the least and the greatest value are stored, in the order in which they occurred.
 */
#ifndef CMB_CLI_HISTORY_H
#define CMB_CLI_HISTORY_H

#include "cli/plot.h"

#include <camber/camber.h>

struct cli_history {
  const cmb_equations *eq;
  double *rows; /* (2 count x columns): t, q, v, λ, outputs, |g|, |Gv|; two rows per interval */
  long count, room, most;
  double width; /* length of an interval in seconds; 0: each interval is one record */
  int columns;
};

void cli_history_begin(struct cli_history *h, const cmb_equations *eq);
cmb_status cli_history_add(struct cli_history *h, const cmb_record *record);

/* Begins a history of rows of any kind, whose first column is the time. At most about `numbers` values are stored, and all memory is
 * allocated here, so that later calls cannot fail. */
cmb_status cli_history_begin_rows(struct cli_history *h, int columns, long numbers);
/* returns the next row, to be filled in; NULL: no memory */
double *cli_history_row(struct cli_history *h);
void cli_history_keep(struct cli_history *h); /* stores the row that cli_history_row has returned */

/* Stores a record in a history that was begun by cli_history_begin_rows, without allocating memory. */
void cli_history_take(struct cli_history *h, const cmb_equations *eq, const cmb_record *record);
int cli_history_columns(const cmb_equations *eq);
void cli_history_end(struct cli_history *h);

/* Sets the abscissa, the number of points and their distance in memory in a plot; the values of column c begin at rows + c. */
void cli_history_points(const struct cli_history *h, struct cli_plot *plot);

#endif
