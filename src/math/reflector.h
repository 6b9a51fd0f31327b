/*
 * Householder reflectors and plane rotations on matrices stored by rows.
 *
 *     P = I − β v vᵀ, symmetric and orthogonal, with P x = α e₁
 */
#ifndef CMB_MATH_REFLECTOR_H
#define CMB_MATH_REFLECTOR_H

#include "math/dense.h"

#include <stddef.h>

/* Computes the reflector P of x (m), with P x = α e₁: replaces x by v and returns β, which is 0 if x is already a multiple of e₁. *alpha
 * is α. */
double cmb_reflector(int m, double *x, double *alpha);

/* Computes A := P A for m rows of A, which are `stride` numbers apart, and `columns` columns; w (columns) is scratch. */
void cmb_reflect_rows(int m, const double *v, double beta, int columns, int stride, double *A,
                      double *w);

/* Computes A := A P for `rows` rows of A, which are `stride` numbers apart, and m columns. */
void cmb_reflect_columns(int rows, int stride, int m, const double *v, double beta, double *A);

/* Rotates two rows of length n: (a, b) := (c a − s b, s a + c b). */
static inline void cmb_rotate(int n, double c, double s, double *a, double *b)
{
  const ptrdiff_t even = n & ~1;
  for (ptrdiff_t k = 0; k < even; k += 2) {
    const cmb_lanes x = cmb_lanes_load(a + k), y = cmb_lanes_load(b + k);
    cmb_lanes_store(c * x - s * y, a + k);
    cmb_lanes_store(s * x + c * y, b + k);
  }
  if (n & 1) {
    const double x = a[even], y = b[even];
    a[even] = c * x - s * y;
    b[even] = s * x + c * y;
  }
}

static inline void cmb_exchange(int n, double *a, double *b)
{
  for (int k = 0; k < n; k++) {
    double x = a[k];
    a[k] = b[k];
    b[k] = x;
  }
}

#endif
