/*
 * The row space of a matrix (eigen.h) by Householder reflectors, the longest of the remaining rows first:
 *
 *     Π B P₀ P₁ … = Rᵀ,  so Q = … P₁ P₀
 *
 * Lengths are computed anew for each choice: that costs half as much as the reflections and loses no digits.
 */
#include "math/eigen.h"

#include "math/dense.h"
#include "math/reflector.h"

#include <stddef.h>
#include <string.h>

/* Returns the index of the longest of the rows `from` to rows − 1 of B (rows x n), measured in the columns `from` to n − 1 only. *most
 * becomes its length. */
static int longest_row(int from, int rows, int n, const double *B, double *most)
{
  int longest = from;
  *most = -1;
  for (int i = from; i < rows; i++) {
    const double length = cmb_norm2(n - from, B + (ptrdiff_t)i * n + from);
    if (length > *most) {
      *most = length;
      longest = i;
    }
  }
  return longest;
}

int cmb_reduce_rows(int rows, int n, double least, double *B, int *order, double *beta,
                    double *first)
{
  const int steps = rows < n ? rows : n;
  for (int i = 0; i < rows; i++) order[i] = i;
  for (int k = 0; k < steps; k++) {
    double *row = B + (ptrdiff_t)k * n, alpha, most;
    const int longest = longest_row(k, rows, n, B, &most), was = order[k];
    if (most <= least) return k;
    order[k] = order[longest];
    order[longest] = was;
    if (longest != k) cmb_exchange(n, row, B + (ptrdiff_t)longest * n);
    beta[k] = cmb_reflector(n - k, row + k, &alpha);
    cmb_reflect_columns(rows - k - 1, n, n - k, row + k, beta[k], row + n + k);
    first[k] = row[k];
    row[k] = alpha;
  }
  return steps;
}

/* Applies the Householder reflector P_k = I − β v vᵀ to x[n]: x := P_k x. Entry k of v is first[k], the following entries are those of row
 * k of B; β is beta[k]. */
static void reflect(int k, int n, const double *B, const double *beta, const double *first,
                    double *x)
{
  const double *v = B + (ptrdiff_t)k * n + k + 1;
  const double c = beta[k] * (first[k] * x[k] + cmb_dot(n - k - 1, v, x + k + 1));
  x[k] -= c * first[k];
  cmb_add_scaled(n - k - 1, -c, v, x + k + 1);
}

void cmb_reflect_into(int count, int n, const double *B, const double *beta, const double *first,
                      double *x)
{
  for (int k = 0; k < count; k++) reflect(k, n, B, beta, first, x);
}

void cmb_reflect_back(int count, int n, const double *B, const double *beta, const double *first,
                      double *x)
{
  for (int k = count - 1; k >= 0; k--) reflect(k, n, B, beta, first, x);
}

void cmb_row_space(int rows, int n, double *B, int *order, double *Q, double *work)
{
  double *beta = work, *first = work + (rows < n ? rows : n);
  const int steps = cmb_reduce_rows(rows, n, -1, B, order, beta, first);
  memset(Q, 0, (size_t)n * (size_t)n * sizeof *Q);
  for (int i = 0; i < n; i++) Q[(ptrdiff_t)i * (n + 1)] = 1;
  for (int k = steps - 1; k >= 0; k--) {
    double *row = B + (ptrdiff_t)k * n, alpha = row[k];
    row[k] = first[k];
    cmb_reflect_columns(n - k, n, n - k, row + k, beta[k], Q + (ptrdiff_t)k * (n + 1));
    row[k] = alpha;
  }
}
