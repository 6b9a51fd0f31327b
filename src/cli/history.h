/*
 * The trajectory of a run in memory, for plots and reports: as much of it as a picture can show, however long the run is.
 *
 * Up to some thousands of records are stored unchanged. When there are more, the time since the start is divided into equal intervals, and
 * for each interval and column the smallest and the largest value are stored, in the order in which they occurred.
 */
#ifndef CMB_CLI_HISTORY_H
#define CMB_CLI_HISTORY_H

#include "cli/plot.h"

#include <camber/camber.h>

struct cli_history {
  const cmb_equations *eq;
  /* (2 count x columns) two rows per interval; of records t, q, v, λ, outputs, |g|, |G v + g_t| */
  double *rows;
  long count, room, most; /* numbers of intervals: stored, allocated, allowed */
  double width;           /* length of an interval in seconds; 0: each interval is one record */
  int columns;
};

/* Begins a history of the records of a run; memory is allocated when records are added. */
void cli_history_begin(struct cli_history *h, const cmb_equations *eq);

/* Adds a record of the run. Returns CMB_ERROR_MEMORY if memory runs out. */
cmb_status cli_history_add(struct cli_history *h, const cmb_record *record);

/* Begins a history of rows of any kind, whose first column is the time. At most about `numbers` values are stored, but there is room for 512
 * intervals in any case; all memory is allocated here, so that adding rows cannot fail. Returns CMB_ERROR_MEMORY if memory runs out. */
cmb_status cli_history_begin_rows(struct cli_history *h, int columns, long numbers);
/* Returns the next row[columns], to be filled in by the caller; NULL if memory runs out. */
double *cli_history_row(struct cli_history *h);
void cli_history_keep(struct cli_history *h); /* adds the row that cli_history_row has returned */

/* Adds a record of a run to a history that was begun by cli_history_begin_rows, without allocating memory. */
void cli_history_take(struct cli_history *h, const cmb_equations *eq, const cmb_record *record);

/* Returns the number of columns of a history of records: t, q, v, λ, outputs, |g|, |G v + g_t|. */
int cli_history_columns(const cmb_equations *eq);
void cli_history_end(struct cli_history *h);

/* Sets the abscissa (time), the number of points and their stride in memory in a plot; the values of column c begin at rows + c. */
void cli_history_points(const struct cli_history *h, struct cli_plot *plot);

#endif
