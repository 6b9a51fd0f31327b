/*
 * The row space of a matrix (eigen.h) by Householder's reflectors, the longest of the remaining rows first:
 *
 *     B Πᵀ P₀ P₁ … = R,  so Q = … P₁ P₀
 *
 * Lengths are computed anew for each choice: that costs half as much as the reflections and cannot lose digits.
 */
#include "math/eigen.h"

#include "math/dense.h"
#include "math/reflector.h"

#include <stddef.h>
#include <string.h>

static int longest_row(int from, int rows, int n, const double *B)
{
  int longest = from;
  double most = -1;
  for (int i = from; i < rows; i++) {
    const double length = cmb_norm2(n - from, B + (ptrdiff_t)i * n + from);
    if (length > most) {
      most = length;
      longest = i;
    }
  }
  return longest;
}

void cmb_row_space(int rows, int n, double *B, int *order, double *Q, double *work)
{
  const int steps = rows < n ? rows : n;
  double *beta = work, *first = work + steps; /* of the reflectors; the rest of v_k is in row k */
  for (int i = 0; i < rows; i++) order[i] = i;
  for (int k = 0; k < steps; k++) {
    double *row = B + (ptrdiff_t)k * n, alpha;
    const int longest = longest_row(k, rows, n, B), was = order[k];
    order[k] = order[longest];
    order[longest] = was;
    if (longest != k) cmb_exchange(n, row, B + (ptrdiff_t)longest * n);
    beta[k] = cmb_reflector(n - k, row + k, &alpha);
    cmb_reflect_columns(rows - k - 1, n, n - k, row + k, beta[k], row + n + k);
    first[k] = row[k];
    row[k] = alpha;
  }
  memset(Q, 0, (size_t)n * (size_t)n * sizeof *Q);
  for (int i = 0; i < n; i++) Q[(ptrdiff_t)i * (n + 1)] = 1;
  for (int k = steps - 1; k >= 0; k--) {
    double *row = B + (ptrdiff_t)k * n, alpha = row[k];
    row[k] = first[k];
    cmb_reflect_columns(n - k, n, n - k, row + k, beta[k], Q + (ptrdiff_t)k * (n + 1));
    row[k] = alpha;
  }
}
