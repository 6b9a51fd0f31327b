/*
 * Small dense factorisations (dense.h): LU with partial pivoting (row exchanges as they come, outer
 * product form) and LDLᵀ without pivoting (column by column, inner product form).
 *
 *     LU:    a_ij := a_ij − l_ik u_kj            for k = 0, 1, ...
 *     LDLᵀ:  l_jk = c_jk / d_k,  d_j = a_jj − Σ_k c_jk l_jk,  c_ij = a_ij − Σ_k c_ik l_jk for i > j
 *
 * with k < j in the sums: row i holds c until column i is reached, and l from then on.
 *
 * Memory belongs to the caller throughout.
 */
#include "math/dense.h"

#include <float.h>
#include <math.h>
#include <stddef.h>

static double *row(double *A, int n, int i)
{
  return A + (ptrdiff_t)i * n;
}

static const double *row_const(const double *A, int n, int i)
{
  return A + (ptrdiff_t)i * n;
}

static void swap_rows(int n, double *restrict a, double *restrict b)
{
  for (int j = 0; j < n; j++) {
    double t = a[j];
    a[j] = b[j];
    b[j] = t;
  }
}

/* The row with the largest entry of column k, or -1 if that is zero or anything is not finite. */
static int lu_pivot(int n, const double *A, int k)
{
  int best = -1;
  double largest = 0, sum = 0;
  for (int i = k; i < n; i++) {
    double size = fabs(row_const(A, n, i)[k]);
    sum += size; /* comparisons pass over a NaN, a sum does not */
    if (size > largest) {
      largest = size;
      best = i;
    }
  }
  return isfinite(sum) ? best : -1;
}

int cmb_lu_factor(int n, double *A, int *pivot)
{
  for (int k = 0; k < n; k++) {
    int p = lu_pivot(n, A, k);
    if (p < 0) return k;
    pivot[k] = p;
    double *pivot_row = row(A, n, k);
    if (p != k) swap_rows(n, pivot_row, row(A, n, p));
    for (int i = k + 1; i < n; i++) {
      double *a = row(A, n, i);
      a[k] /= pivot_row[k];
      cmb_add_scaled(n - k - 1, -a[k], pivot_row + k + 1, a + k + 1);
    }
  }
  return -1;
}

void cmb_lu_solve(int n, const double *LU, const int *pivot, double *b)
{
  for (int k = 0; k < n; k++) { /* b := L⁻¹ P b */
    double t = b[pivot[k]];
    b[pivot[k]] = b[k];
    b[k] = t;
  }
  for (int k = 1; k < n; k++) b[k] -= cmb_dot(k, row_const(LU, n, k), b);
  for (int k = n - 1; k >= 0; k--) { /* b := U⁻¹ b */
    const double *u = row_const(LU, n, k);
    b[k] = (b[k] - cmb_dot(n - k - 1, u + k + 1, b + k + 1)) / u[k];
  }
}

/* Column j: c_ij in all rows i > j. */
static void ldlt_column(int n, double *A, int j)
{
  const double *l = row(A, n, j);
  int i = j + 1;
  for (; i + 3 < n; i += 4) {
    double *c[4] = {row(A, n, i), row(A, n, i + 1), row(A, n, i + 2), row(A, n, i + 3)}, dot[4];
    cmb_dot4(j, l, (const double *const *)c, dot);
    for (int m = 0; m < 4; m++) c[m][j] -= dot[m];
  }
  for (; i < n; i++) row(A, n, i)[j] -= cmb_dot(j, l, row(A, n, i));
}

int cmb_ldlt_factor(int n, double *A)
{
  for (int j = 0; j < n; j++) {
    double *a = row(A, n, j);
    double d = a[j];
    const double rounding = n * DBL_EPSILON * d;
    for (int k = 0; k < j; k++) {
      double l = a[k] * row(A, n, k)[k];
      d -= a[k] * l;
      a[k] = l;
    }
    if (!(d > rounding)) return j; /* also if both are Inf or NaN */
    ldlt_column(n, A, j);
    a[j] = 1 / d;
  }
  return -1;
}

void cmb_ldlt_forward(int n, const double *LD, int count, double *B)
{
  int i = 0;
  for (; i + 3 < count; i += 4) {
    double *b[4] = {row(B, n, i), row(B, n, i + 1), row(B, n, i + 2), row(B, n, i + 3)}, dot[4];
    for (int k = 1; k < n; k++) {
      cmb_dot4(k, row_const(LD, n, k), (const double *const *)b, dot);
      for (int m = 0; m < 4; m++) b[m][k] -= dot[m];
    }
  }
  for (; i < count; i++) {
    double *b = row(B, n, i);
    for (int k = 1; k < n; k++) b[k] -= cmb_dot(k, row_const(LD, n, k), b);
  }
}

void cmb_ldlt_backward(int n, const double *LD, double *b)
{
  for (int i = n - 1; i > 0; i--) cmb_add_scaled(i, -b[i], row_const(LD, n, i), b);
}

void cmb_ldlt_solve(int n, const double *LD, double *b)
{
  cmb_ldlt_forward(n, LD, 1, b);
  for (int i = 0; i < n; i++) b[i] *= row_const(LD, n, i)[i];
  cmb_ldlt_backward(n, LD, b);
}

double cmb_norm2(int n, const double *x)
{
  double sum = cmb_dot(n, x, x);
  if (sum > DBL_MIN / DBL_EPSILON && sum <= DBL_MAX) return sqrt(sum);
  double largest = 0; /* a square left the range of normal numbers: divide by the largest entry */
  for (int i = 0; i < n; i++) {
    if (!(fabs(x[i]) <= largest)) largest = fabs(x[i]); /* keeps a NaN that comes last */
    if (!isfinite(largest)) return largest;
  }
  if (largest == 0) return 0;
  double scaled = 0;
  for (int i = 0; i < n; i++) scaled += (x[i] / largest) * (x[i] / largest);
  return largest * sqrt(scaled);
}
