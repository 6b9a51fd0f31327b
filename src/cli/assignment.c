/*
 * Solves the assignment problem by shortest augmenting paths (Kuhn 1955; Tomizawa 1971); interface in assignment.h.
 *
 * Dual variables (prices) u of rows and p of columns keep every reduced cost c_ij − u_i − p_j ≥ 0, and those of assigned pairs at 0. A
 * further row is assigned along the path of least reduced cost that ends in a free column: the rows on this path each move to the next
 * column, and the dual variables of all rows and columns reached on the way change by how much nearer they are than the path's end
 * (Dijkstra's algorithm).
 */
#include "cli/assignment.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>

struct assignment {
  int rows, columns;
  const double *cost; /* (rows x columns) */
  double *u, *p;      /* (rows), (columns) dual variables (prices) */
  double *distance;   /* (columns) length of the shortest path from the row to be assigned */
  int *row;           /* (columns) the row assigned to the column; -1: it is free */
  int *from;          /* (columns) the column before it on the path; -1: it is the first */
  bool *reached;      /* (columns) its distance is final */
};

/* Relaxes the paths that lead from `row` to all columns not yet final (Dijkstra's algorithm in the assignment problem): shortens their
 * tentative distances w->distance[] where possible. `so_far` is the distance of the row, and `by` the column that is assigned to it (-1: the
 * row where the search begins). */
static void update_distances(struct assignment *w, int row, int by, double so_far)
{
  for (int j = 0; j < w->columns; j++) {
    if (w->reached[j]) continue;
    const double reduced = w->cost[(ptrdiff_t)row * w->columns + j] - w->u[row] - w->p[j];
    if (so_far + reduced < w->distance[j]) w->distance[j] = so_far + reduced, w->from[j] = by;
  }
}

/* Returns the column with the smallest tentative distance in Dijkstra's algorithm; -1 if the distances of all columns are final. */
static int nearest_column(const struct assignment *w)
{
  int best = -1;
  for (int j = 0; j < w->columns; j++) {
    if (!w->reached[j] && (best < 0 || w->distance[j] < w->distance[best])) best = j;
  }
  return best;
}

/* Adds `row` to the assignment along the shortest augmenting path, and updates the dual variables (Hungarian method, with Dijkstra's algorithm
 * for the path). Rows that already have a column may be moved to other columns. */
static void assign_row(struct assignment *w, int row)
{
  for (int j = 0; j < w->columns; j++) w->distance[j] = INFINITY, w->reached[j] = false;
  update_distances(w, row, -1, 0);
  int end = nearest_column(w);
  while (w->row[end] >= 0) {
    w->reached[end] = true;
    update_distances(w, w->row[end], end, w->distance[end]);
    end = nearest_column(w);
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
  struct assignment w = {.rows = rows, .columns = columns, .cost = cost};
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
