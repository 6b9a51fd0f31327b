/*
 * Sparsity patterns (pattern.h): built from lists of entries; products with a matrix that is dense or stored on a pattern.
 */
#include "math/pattern.h"

#include "base/context.h"
#include "math/dense.h"

#include <math.h>
#include <stddef.h>

int cmb_pattern_values(const cmb_pattern *p, int rows, int columns)
{
  return p ? p->start[rows] : rows * columns;
}

/* ---- from entries */

/* Sorts entries by their keys, key[entry] in 0 .. keys − 1 (bucket sort): writes their numbers to by_key (count). Entries with equal keys
 * stay in the order in which `from` lists them, or, if `from` is NULL, in that of their numbers. next (keys + 1) is scratch. */
static void sort_by(int keys, int count, const int *key, const int *from, int *next, int *by_key)
{
  for (int k = 0; k <= keys; k++) next[k] = 0;
  for (int k = 0; k < count; k++) next[key[k] + 1]++;
  for (int k = 0; k < keys; k++) next[k + 1] += next[k];
  for (int k = 0; k < count; k++) {
    const int entry = from ? from[k] : k;
    by_key[next[key[entry]]++] = entry;
  }
}

/* Builds a sparsity pattern by rows (CSR), without duplicates, from entries (row[k], column[k]). `sorted` lists their numbers k in the order of
 * rows and, within a row, of columns. Writes the row starts to start (rows + 1) and the columns to once. Returns the number of entries of the
 * pattern. */
static int take_once(int rows, int count, const int *sorted, const int *row, const int *column,
                     int *start, int *once)
{
  int taken = 0, k = 0;
  for (int i = 0; i < rows; i++) {
    start[i] = taken;
    for (; k < count && row[sorted[k]] == i; k++) {
      const int j = column[sorted[k]];
      if (taken == start[i] || once[taken - 1] != j) once[taken++] = j;
    }
  }
  start[rows] = taken;
  return taken;
}

cmb_status cmb_pattern_of(cmb_context *ctx, cmb_arena *arena, int rows, int columns, int count,
                          const int *row, const int *column, cmb_pattern *out)
{
  cmb_arena *scratch = cmb_arena_create(ctx);
  if (!scratch) return cmb_fail_memory(ctx);
  int *next = cmb_arena_ints(scratch, (rows > columns ? rows : columns) + 1);
  int *by_column = cmb_arena_ints(scratch, count), *sorted = cmb_arena_ints(scratch, count);
  int *once = cmb_arena_ints(scratch, count), *start = cmb_arena_ints(arena, rows + 1);
  bool good = !cmb_arena_failed(scratch) && start;
  if (good) {
    sort_by(columns, count, column, NULL, next, by_column);
    sort_by(rows, count, row, by_column, next, sorted);
    const int taken = take_once(rows, count, sorted, row, column, start, once);
    int *kept = cmb_arena_ints(arena, taken);
    good = kept != NULL;
    if (good) memcpy(kept, once, (size_t)taken * sizeof *kept);
    *out = (cmb_pattern){rows, columns, start, kept};
  }
  cmb_arena_destroy(scratch);
  return good ? CMB_OK : cmb_fail_memory(ctx);
}

/* ---- dense products */

/* Returns the dot products (aᵀ x, bᵀ x) of two rows a and b of n entries with x, summed in the same order as in cmb_dot. */
static inline cmb_lanes two_dots(int n, const double *a, const double *b, const double *x)
{
  cmb_lanes s = {0}, t = {0}, u = {0}, v = {0};
  const ptrdiff_t fours = n & ~3;
  ptrdiff_t k = 0;
  for (; k < fours; k += 4) {
    const cmb_lanes x0 = cmb_lanes_load(x + k), x2 = cmb_lanes_load(x + k + 2);
    s += cmb_lanes_load(a + k) * x0;
    t += cmb_lanes_load(a + k + 2) * x2;
    u += cmb_lanes_load(b + k) * x0;
    v += cmb_lanes_load(b + k + 2) * x2;
  }
  if (n & 2) {
    s += cmb_lanes_load(a + k) * cmb_lanes_load(x + k);
    u += cmb_lanes_load(b + k) * cmb_lanes_load(x + k);
    k += 2;
  }
  s += t;
  u += v;
  const cmb_lanes dots = (cmb_lanes){s[0], u[0]} + (cmb_lanes){s[1], u[1]};
  return n & 1 ? dots + (cmb_lanes){a[k], b[k]} * x[k] : dots;
}

/* Computes y = A x for a dense matrix A (rows x columns), two rows at a time. */
static void multiply_dense(int rows, int columns, const double *A, const double *x, double *y)
{
  for (; rows > 1; rows -= 2, y += 2, A += 2 * (ptrdiff_t)columns) {
    cmb_lanes_store(two_dots(columns, A, A + columns, x), y);
  }
  if (rows > 0) *y = cmb_dot(columns, A, x);
}

/* Computes y += c Aᵀ x for a dense matrix A (rows x columns), two rows at a time. */
static void multiply_transposed_dense(int rows, int columns, const double *A, double c,
                                      const double *x, double *y)
{
  int i = 0;
  for (; i + 1 < rows; i += 2, A += 2 * (ptrdiff_t)columns) {
    const double *B = A + columns, a = c * x[i], b = c * x[i + 1];
    int k = 0;
    for (; k + 1 < columns; k += 2) {
      cmb_lanes sum = cmb_lanes_load(y + k) + a * cmb_lanes_load(A + k) + b * cmb_lanes_load(B + k);
      cmb_lanes_store(sum, y + k);
    }
    if (k < columns) y[k] = y[k] + a * A[k] + b * B[k];
  }
  if (i < rows) cmb_add_scaled(columns, c * x[i], A, y);
}

void cmb_multiply(const cmb_pattern *p, int rows, int columns, const double *A, const double *x,
                  double *y)
{
  if (!p) {
    multiply_dense(rows, columns, A, x, y);
    return;
  }
  for (int i = 0; i < rows; i++) {
    double sum = 0;
    for (int k = p->start[i]; k < p->start[i + 1]; k++) sum += A[k] * x[p->column[k]];
    y[i] = sum;
  }
}

void cmb_multiply_transposed_add(const cmb_pattern *p, int rows, int columns, const double *A,
                                 double c, const double *x, double *y)
{
  if (!p) {
    multiply_transposed_dense(rows, columns, A, c, x, y);
    return;
  }
  for (int i = 0; i < rows; i++) {
    double t = c * x[i];
    for (int k = p->start[i]; k < p->start[i + 1]; k++) y[p->column[k]] += A[k] * t;
  }
}

void cmb_expand_row(const cmb_pattern *p, int columns, int i, const double *A, double *row)
{
  if (!p) {
    memcpy(row, A + (ptrdiff_t)i * columns, (size_t)columns * sizeof *row);
    return;
  }
  memset(row, 0, (size_t)columns * sizeof *row);
  for (int k = p->start[i]; k < p->start[i + 1]; k++) row[p->column[k]] = A[k];
}

double cmb_row_size(const cmb_pattern *p, int columns, int i, const double *A)
{
  const ptrdiff_t first = p ? p->start[i] : (ptrdiff_t)i * columns;
  const ptrdiff_t end = p ? p->start[i + 1] : first + columns;
  double most = 0;
  for (ptrdiff_t k = first; k < end; k++) most = fmax(most, fabs(A[k]));
  return most > 0 ? most : 1;
}
