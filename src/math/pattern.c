/*
 * Sparsity patterns (pattern.h): products with a matrix stored on a pattern or dense, and the grouping
 * of columns for difference Jacobians (seed 001 §3.1, eq. (19) and (20)).
 */
#include "math/pattern.h"

#include "math/dense.h"

#include <stdbool.h>
#include <stddef.h>

int cmb_pattern_values(const cmb_pattern *p, int rows, int columns)
{
  return p ? p->start[rows] : rows * columns;
}

void cmb_multiply(const cmb_pattern *p, int rows, int columns, const double *A, const double *x,
                  double *y)
{
  for (int i = 0; i < rows; i++) {
    if (!p) {
      y[i] = cmb_dot(columns, A + (ptrdiff_t)i * columns, x);
      continue;
    }
    double sum = 0;
    for (int k = p->start[i]; k < p->start[i + 1]; k++) sum += A[k] * x[p->column[k]];
    y[i] = sum;
  }
}

void cmb_multiply_transposed_add(const cmb_pattern *p, int rows, int columns, const double *A,
                                 double c, const double *x, double *y)
{
  for (int i = 0; i < rows; i++) {
    double t = c * x[i];
    if (!p) {
      cmb_add_scaled(columns, t, A + (ptrdiff_t)i * columns, y);
      continue;
    }
    for (int k = p->start[i]; k < p->start[i + 1]; k++) y[p->column[k]] += A[k] * t;
  }
}

/* Does row i have an entry in column j? Its columns ascend: halve the range. */
static bool has_entry(const cmb_pattern *p, int i, int j)
{
  int first = p->start[i], last = p->start[i + 1] - 1;
  if (first > last || j < p->column[first] || j > p->column[last]) return false;
  while (first < last) {
    int middle = first + (last - first) / 2;
    if (p->column[middle] < j) {
      first = middle + 1;
    } else {
      last = middle;
    }
  }
  return p->column[first] == j;
}

/* Columns by decreasing number of entries, equal ones in their natural order; count holds the numbers,
 * bucket (rows) is scratch. */
static void order_by_count(const cmb_pattern *p, const int *count, int *bucket, int *order)
{
  for (int i = 0; i < p->rows; i++) bucket[i] = 0;
  for (int j = 0; j < p->columns; j++) {
    if (count[j] > 0) bucket[count[j] - 1]++;
  }
  int at = 0;
  for (int i = p->rows - 1; i >= 0; i--) { /* sizes become first places */
    int size = bucket[i];
    bucket[i] = at;
    at += size;
  }
  for (int j = 0; j < p->columns; j++) {
    order[count[j] > 0 ? bucket[count[j] - 1]++ : at++] = j;
  }
}

/* Mark the groups (taken[g] = mark) of all columns that share a row with column j. */
static void mark_neighbours(const cmb_pattern *p, int j, const int *group, int mark, int *taken)
{
  for (int i = 0; i < p->rows; i++) {
    if (!has_entry(p, i, j)) continue;
    for (int k = p->start[i]; k < p->start[i + 1]; k++) {
      int g = group[p->column[k]];
      if (g >= 0) taken[g] = mark;
    }
  }
}

int cmb_colour_columns(const cmb_pattern *p, int *group, int *work)
{
  int *order = work, *taken = work + p->columns, *bucket = taken + p->columns;
  for (int j = 0; j < p->columns; j++) group[j] = 0; /* for now the count of entries */
  for (int k = 0; k < p->start[p->rows]; k++) group[p->column[k]]++;
  order_by_count(p, group, bucket, order);

  for (int j = 0; j < p->columns; j++) group[j] = taken[j] = -1;
  int groups = 0;
  for (int k = 0; k < p->columns; k++) {
    int j = order[k], g = 0;
    mark_neighbours(p, j, group, k, taken);
    while (taken[g] == k) g++; /* the first group no neighbour is in; at most k of them are taken */
    group[j] = g;
    if (g >= groups) groups = g + 1;
  }
  return groups;
}
