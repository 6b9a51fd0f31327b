/*
 * The assignment problem by shortest augmenting paths (Kuhn 1955; Tomizawa 1971).
 *
 * Prices u of rows and p of columns keep every reduced cost c_ij − u_i − p_j from being negative, and those of the couples at 0. A further row
 * is assigned along the path of least reduced cost that ends in a free column: on it rows pass on their columns, and the prices
 * change by how far the columns on the way are (Dijkstra).
 */
#include "cli/assignment.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>

struct work {
  int rows, columns;
  const double *cost;
  double *u, *p;    /* (rows), (columns) prices */
  double *distance; /* (columns) of the row that is to be assigned */
  int *row;         /* (columns) whose the column is; -1: free */
  int *from;        /* (columns) the column before it on the path; -1: it is the first */
  bool *reached;    /* (columns) its distance is final */
};

/* Distances get shorter by a way through the row, which is `so_far` away and was reached by the column `by`. */
static void look_on(struct work *w, int row, int by, double so_far)
{
  for (int j = 0; j < w->columns; j++) {
    if (w->reached[j]) continue;
    const double reduced = w->cost[(ptrdiff_t)row * w->columns + j] - w->u[row] - w->p[j];
    if (so_far + reduced < w->distance[j]) w->distance[j] = so_far + reduced, w->from[j] = by;
  }
}

static int nearest(const struct work *w)
{
  int best = -1;
  for (int j = 0; j < w->columns; j++) {
    if (!w->reached[j] && (best < 0 || w->distance[j] < w->distance[best])) best = j;
  }
  return best;
}

/* Gives the row a column; others may get new ones. */
static void assign_row(struct work *w, int row)
{
  for (int j = 0; j < w->columns; j++) w->distance[j] = INFINITY, w->reached[j] = false;
  look_on(w, row, -1, 0);
  int end = nearest(w);
  while (w->row[end] >= 0) {
    w->reached[end] = true;
    look_on(w, w->row[end], end, w->distance[end]);
    end = nearest(w);
  }
  const double length = w->distance[end];
  for (int j = 0; j < w->columns; j++) {
    if (!w->reached[j]) continue;
    w->u[w->row[j]] += length - w->distance[j];
    w->p[j] -= length - w->distance[j];
  }
  w->u[row] += length;
  for (; w->from[end] >= 0; end = w->from[end]) w->row[end] = w->row[w->from[end]];
  w->row[end] = row;
}

bool cli_assign(int rows, int columns, const double *cost, int *column)
{
  const size_t m = (size_t)rows, n = (size_t)columns;
  struct work w = {.rows = rows, .columns = columns, .cost = cost};
  double *numbers = calloc(m + 2 * n + 1, sizeof *numbers);
  int *indices = calloc(2 * n + 1, sizeof *indices);
  w.reached = calloc(n + 1, sizeof *w.reached);
  const bool good = numbers && indices && w.reached;
  if (good) {
    w.u = numbers, w.p = w.u + m, w.distance = w.p + n;
    w.row = indices, w.from = indices + n;
    for (int j = 0; j < columns; j++) w.row[j] = -1;
    for (int i = 0; i < rows; i++) assign_row(&w, i);
    for (int j = 0; j < columns; j++) {
      if (w.row[j] >= 0) column[w.row[j]] = j;
    }
  }
  free(numbers);
  free(indices);
  free(w.reached);
  return good;
}
