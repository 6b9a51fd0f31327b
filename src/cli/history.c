/*
 * Stores the trajectory in memory with limited space (history.h).
 */
#include "cli/history.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
  MOST_INTERVALS = 4096, /* after a merge about half of them are in use: more than two per pixel */
  LEAST_INTERVALS = 512, /* if there are very many columns */
  MOST_NUMBERS = 1 << 23
};

int cli_history_columns(const cmb_equations *eq)
{
  return 3 + eq->nq + eq->nv + eq->ng + eq->no;
}

/* Sets h->most, the largest number of time intervals to be stored for a run: `numbers` divided by the number of columns, limited to
 * LEAST_INTERVALS … MOST_INTERVALS. Each interval takes two rows, so that they contain up to about 2 `numbers` values. */
static void set_limit(struct cli_history *h, long numbers)
{
  h->most = numbers / h->columns;
  if (h->most > MOST_INTERVALS) h->most = MOST_INTERVALS;
  if (h->most < LEAST_INTERVALS) h->most = LEAST_INTERVALS;
}

void cli_history_begin(struct cli_history *h, const cmb_equations *eq)
{
  *h = (struct cli_history){.eq = eq, .columns = cli_history_columns(eq)};
  set_limit(h, MOST_NUMBERS);
}

/* ---- intervals of time */

/* Returns a pointer to the first of the two rows that are stored for time interval k; the second row follows it in memory. */
static double *interval(const struct cli_history *h, long k)
{
  return h->rows + 2 * k * h->columns;
}

/* Returns whether the times `t` and `other` are in the same time interval, where intervals of the length h->width are counted from the
 * start of the run. */
static bool is_same_interval(const struct cli_history *h, double t, double other)
{
  const double start = h->rows[0];
  return floor((t - start) / h->width) == floor((other - start) / h->width);
}

/* Merges the stored time interval `next` into the interval `into` before it. An interval has two rows of h->columns values; of the four values
 * of each column in both intervals, the smallest and the largest are kept in `into`, in their order in time. */
static void merge(const struct cli_history *h, double *into, const double *next)
{
  for (int c = 0; c < h->columns; c++) {
    const double y[4] = {into[c], into[h->columns + c], next[c], next[h->columns + c]};
    int low = 0, high = 0;
    for (int i = 1; i < 4; i++) {
      if (y[i] < y[low] || isnan(y[low])) low = i;
      if (y[i] > y[high] || isnan(y[high])) high = i;
    }
    into[c] = y[low < high ? low : high];
    into[h->columns + c] = y[low < high ? high : low];
  }
}

/* Widens the time intervals of the stored trajectory so that those from the start to the time t take about half of the memory, and merges
 * stored intervals that now coincide. */
static void widen(struct cli_history *h, double t)
{
  const size_t size = 2 * (size_t)h->columns * sizeof *h->rows;
  long last = 0;
  h->width = fmax(2 * (t - h->rows[0]) / (double)h->most, DBL_MIN);
  for (long k = 1; k < h->count; k++) {
    if (is_same_interval(h, interval(h, k)[0], interval(h, last)[0])) {
      merge(h, interval(h, last), interval(h, k));
    } else if (++last < k) {
      memcpy(interval(h, last), interval(h, k), size);
    }
  }
  h->count = last + 1;
}

/* Enlarges the memory of the stored trajectory to `room` time intervals. Returns CMB_ERROR_MEMORY and changes nothing if memory runs out.
 * */
static cmb_status make_room(struct cli_history *h, long room)
{
  double *grown = realloc(h->rows, 2 * (size_t)room * (size_t)h->columns * sizeof *grown);
  if (!grown) return CMB_ERROR_MEMORY;
  h->rows = grown;
  h->room = room;
  return CMB_OK;
}

cmb_status cli_history_begin_rows(struct cli_history *h, int columns, long numbers)
{
  *h = (struct cli_history){.columns = columns};
  set_limit(h, numbers / 2); /* two rows per interval */
  return make_room(h, h->most);
}

double *cli_history_row(struct cli_history *h)
{
  const bool full = h->count == h->room;
  if (full && make_room(h, h->room ? 2 * h->room : 64) != CMB_OK) return NULL;
  return interval(h, h->count);
}

/* Adds a row of values to the stored trajectory, as a new time interval or merged into the last one if its time lies there. The caller has
 * written the row to the address that cli_history_row returned. */
void cli_history_keep(struct cli_history *h)
{
  double *first = interval(h, h->count);
  const double t = first[0];
  memcpy(first + h->columns, first, (size_t)h->columns * sizeof *first);
  if (h->width > 0 && is_same_interval(h, t, interval(h, h->count - 1)[0])) {
    merge(h, interval(h, h->count - 1), first);
  } else if (++h->count == h->most) {
    widen(h, t);
  }
}

/* Writes a record of the run to `row`: t, q[nq], v[nv], λ[ng], outputs[no] and the residual norms |g| and |G v + g_t| of the constraints.
 * */
static void fill_row(double *row, const cmb_equations *eq, const cmb_record *r)
{
  *row++ = r->t;
  memcpy(row, r->q, (size_t)eq->nq * sizeof *row);
  memcpy(row += eq->nq, r->v, (size_t)eq->nv * sizeof *row);
  memcpy(row += eq->nv, r->lambda, (size_t)eq->ng * sizeof *row);
  memcpy(row += eq->ng, r->outputs, (size_t)eq->no * sizeof *row);
  row[eq->no] = r->position;
  row[eq->no + 1] = r->velocity;
}

void cli_history_take(struct cli_history *h, const cmb_equations *eq, const cmb_record *r)
{
  fill_row(interval(h, h->count), eq, r);
  cli_history_keep(h);
}

cmb_status cli_history_add(struct cli_history *h, const cmb_record *r)
{
  if (!cli_history_row(h)) return CMB_ERROR_MEMORY;
  cli_history_take(h, h->eq, r);
  return CMB_OK;
}

void cli_history_end(struct cli_history *h)
{
  free(h->rows);
}

void cli_history_points(const struct cli_history *h, struct cli_plot *plot)
{
  const bool single = h->width == 0; /* then both rows of an interval are equal */
  plot->x = h->rows;
  plot->points = single ? h->count : 2 * h->count;
  plot->stride = single ? 2 * h->columns : h->columns;
}
