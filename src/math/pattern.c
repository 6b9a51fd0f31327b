/*
 * Sparsity patterns (pattern.h): products with a matrix stored on a pattern or dense.
 */
#include "math/pattern.h"

#include "math/dense.h"

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
