/*
 * Tests of the dense kernels (math/dense.h): sums against plain loops, factorisations against known solutions and by their residuals,
 * and the row at which a factorisation fails.
 *
 * Limit of the residuals: factors are exact for a matrix that differs from A by at most about n eps |L||U|. With partial pivoting, and
 * for LDLᵀ of a positive definite matrix, |L||U| is max|A| times the growth of the entries in the elimination, which stays below GROWTH
 * for the random matrices used here.
 */
#include "check.h"
#include "math/dense.h"
#include "random.h"

#include <float.h>
#include <string.h>

enum { LARGEST = 40, GROWTH = 10 };

/* ---- sums */

static void sums_are_those_of_plain_loops(void **state)
{
  (void)state;
  struct cmbt_random random = {1};
  for (int n = 0; n <= 19;
       n++) { /* every remainder of the unrolled loops; integers, so sums are exact */
    double a[20], b[4][20], c[20], dot[4];
    const double *const rows[4] = {b[0], b[1], b[2], b[3]};
    for (int k = 0; k < 20; k++) {
      a[k] = cmbt_random_int(&random, -9, 9);
      c[k] = cmbt_random_int(&random, -9, 9);
      for (int i = 0; i < 4; i++) b[i][k] = cmbt_random_int(&random, -9, 9);
    }
    cmb_dot4(n, a, rows, dot);
    for (int i = 0; i < 4; i++) {
      double sum = 0;
      for (int k = 0; k < n; k++) sum += a[k] * b[i][k];
      assert_true(dot[i] == sum);
      assert_true(cmb_dot(n, a, b[i]) == sum);
    }
    double y[20], z[20];
    memcpy(y, c, sizeof y);
    cmb_add_scaled(n, 3, a, y);
    memcpy(z, c, sizeof z);
    cmb_multiply_entries(n, a, z, z);
    for (int k = 0; k < 20; k++) {
      assert_true(y[k] == c[k] + (k < n ? 3 * a[k] : 0));
      assert_true(z[k] == (k < n ? a[k] * c[k] : c[k]));
    }
  }
}

static void the_norm_neither_overflows_nor_underflows(void **state)
{
  (void)state;
  const double x[] = {3, -4, 12};
  assert_true(cmb_norm2(3, x) == 13);
  assert_true(cmb_norm2(0, x) == 0);
  const double scales[] = {1e200, 1e-200, 1e-320};
  for (int i = 0; i < 3; i++) {
    const double scaled[] = {3 * scales[i], -4 * scales[i], 12 * scales[i]};
    cmbt_near(cmb_norm2(3, scaled) / scales[i], 13, i < 2 ? 13 * 4 * DBL_EPSILON : 0.01);
  }
  const double zero[] = {0, -0.0}, nan_last[] = {1e200, 1, NAN}, nan_first[] = {NAN, 1},
               inf[] = {1, -INFINITY, 2};
  assert_true(cmb_norm2(2, zero) == 0);
  assert_true(isnan(cmb_norm2(3, nan_last)));
  assert_true(isnan(cmb_norm2(2, nan_first)));
  assert_true(isinf(cmb_norm2(3, inf)));
}

/* ---- LU */

/* Returns max|b − A x| / (n eps max|A| Σ|x_j|). */
static double residual(int n, const double *A, const double *x, const double *b)
{
  double worst = 0, largest = 0, sum = 0;
  for (int i = 0; i < n * n; i++) largest = fmax(largest, fabs(A[i]));
  for (int i = 0; i < n; i++) sum += fabs(x[i]);
  for (int i = 0; i < n; i++) {
    double rest = b[i];
    for (int j = 0; j < n; j++) rest -= A[i * n + j] * x[j];
    worst = fmax(worst, fabs(rest));
  }
  return worst / (n * DBL_EPSILON * largest * sum);
}

static void lu_solves_a_known_system(void **state)
{
  (void)state;
  double A[] = {0, 2, 1, /* the first pivot is zero: rows must be exchanged */
                4, 1, -1, 2, 3, 5};
  double b[] = {7, 3, 23}; /* for x = (1, 2, 3) */
  double scale[3];
  int pivot[3];
  assert_int_equal(cmb_lu_factor(3, A, scale, pivot), CMB_OK);
  cmb_lu_solve(3, A, pivot, b);
  for (int i = 0; i < 3; i++) cmbt_near(b[i], i + 1, 3 * GROWTH * DBL_EPSILON);
}

/* Without exchange of rows the second row's entry 1 would be lost beside 1e20. */
static void lu_exchanges_rows_for_accuracy(void **state)
{
  (void)state;
  double A[] = {1e-20, 1, 1, 1}, b[] = {1, 2}, scale[2];
  int pivot[2];
  assert_int_equal(cmb_lu_factor(2, A, scale, pivot), CMB_OK);
  cmb_lu_solve(2, A, pivot, b);
  cmbt_near(b[0], 1, 4 * DBL_EPSILON);
  cmbt_near(b[1], 1, 4 * DBL_EPSILON);
}

static void lu_has_small_residuals(void **state)
{
  (void)state;
  struct cmbt_random random = {2};
  static double A[LARGEST * LARGEST], LU[LARGEST * LARGEST];
  for (int trial = 0; trial < 400; trial++) {
    int n = 1 + trial % LARGEST, pivot[LARGEST];
    double b[LARGEST], x[LARGEST], scratch[LARGEST];
    for (int i = 0; i < n; i++) {
      double scale = trial % 2 ? cmbt_random_scale(&random, 6) : 1;
      for (int j = 0; j < n; j++) A[i * n + j] = scale * cmbt_random_uniform(&random, -1, 1);
      b[i] = x[i] = cmbt_random_uniform(&random, -1, 1);
    }
    memcpy(LU, A, sizeof A);
    assert_int_equal(cmb_lu_factor(n, LU, scratch, pivot), CMB_OK);
    cmb_lu_solve(n, LU, pivot, x);
    cmbt_below(residual(n, A, x, b), GROWTH);
  }
}

static void lu_refuses_dependent_columns(void **state)
{
  (void)state;
  int pivot[4];
  double scale[4];
  double dependent[] = {1, 2, 3, 2, 4, 1, 3, 6, 2}; /* the second column is twice the first */
  assert_int_equal(cmb_lu_factor(3, dependent, scale, pivot), CMB_RETRY_SINGULAR);
  for (int zero = 0; zero < 4; zero++) {
    double A[16];
    for (int i = 0; i < 16; i++) A[i] = i % 4 == zero ? 0 : i % 5 == 0 ? 4 : 1;
    assert_int_equal(cmb_lu_factor(4, A, scale, pivot), CMB_RETRY_SINGULAR);
  }
}

static void lu_refuses_nonfinite_entries(void **state)
{
  (void)state;
  const double bad[] = {NAN, INFINITY, -INFINITY};
  for (int at = 0; at < 16; at++) {
    for (int k = 0; k < 3; k++) {
      double A[16], scale[4];
      int pivot[4];
      for (int i = 0; i < 16; i++) A[i] = i % 5 == 0 ? 4 : 1;
      A[at] = bad[k];
      assert_int_equal(cmb_lu_factor(4, A, scale, pivot), CMB_RETRY_NONFINITE);
    }
  }
}

/* ---- LDLᵀ */

/* Makes A = D (R Rᵀ + n I/10) D (full) with random R and a diagonal D from 10^−decades to 10^decades. */
static void random_positive(struct cmbt_random *random, int n, double decades, double *A)
{
  static double R[LARGEST * LARGEST];
  double scale[LARGEST];
  for (int i = 0; i < n * n; i++) R[i] = cmbt_random_uniform(random, -1, 1);
  for (int i = 0; i < n; i++) scale[i] = cmbt_random_scale(random, decades);
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      double sum = i == j ? 0.1 * n : 0;
      for (int k = 0; k < n; k++) sum += R[i * n + k] * R[j * n + k];
      A[i * n + j] = sum * scale[i] * scale[j];
    }
  }
}

static void ldlt_solves_a_known_system(void **state)
{
  (void)state;
  double A[] = {4, 0, 0, 2, 5, 0, -2, 1, 6}; /* the lower triangle; factors: 1/D and, below it, L */
  const double expected[] = {0.25, 0, 0, 0.5, 0.25, 0, -0.5, 0.5, 0.25};
  assert_int_equal(cmb_ldlt_factor(3, A), -1);
  for (int i = 0; i < 9; i++) assert_true(A[i] == expected[i]);
  double b[] = {2, 15, 18}; /* for x = (1, 2, 3) */
  cmb_ldlt_solve(3, A, b);
  for (int i = 0; i < 3; i++) cmbt_near(b[i], i + 1, 3 * GROWTH * DBL_EPSILON);
}

/* Returns the same as residual(), in units in which A has unit diagonal: there no entry of L D^½ exceeds 1. */
static double residual_positive(int n, const double *A, const double *x, const double *b)
{
  double worst = 0, sum = 0;
  for (int i = 0; i < n; i++) sum += sqrt(A[i * n + i]) * fabs(x[i]);
  for (int i = 0; i < n; i++) {
    double rest = b[i];
    for (int j = 0; j < n; j++) rest -= A[i * n + j] * x[j];
    worst = fmax(worst, fabs(rest) / sqrt(A[i * n + i]));
  }
  return worst / (n * DBL_EPSILON * sum);
}

static void ldlt_has_small_residuals(void **state)
{
  (void)state;
  struct cmbt_random random = {3};
  static double A[LARGEST * LARGEST], LD[LARGEST * LARGEST];
  for (int trial = 0; trial < 400; trial++) {
    int n = 1 + trial % LARGEST;
    double b[LARGEST], x[LARGEST];
    random_positive(&random, n, trial % 2 ? 6 : 0, A);
    for (int i = 0; i < n; i++)
      b[i] = x[i] = sqrt(A[i * n + i]) * cmbt_random_uniform(&random, -1, 1);
    memcpy(LD, A, sizeof A);
    for (int i = 0; i < n; i++) {
      for (int j = i + 1; j < n; j++) LD[i * n + j] = NAN; /* not read, not written */
    }
    assert_int_equal(cmb_ldlt_factor(n, LD), -1);
    cmb_ldlt_solve(n, LD, x);
    cmbt_below(residual_positive(n, A, x, b), GROWTH);
    for (int i = 0; i < n; i++) {
      for (int j = i + 1; j < n; j++) assert_true(isnan(LD[i * n + j]));
    }
  }
}

/* Checks cmb_ldlt_forward (L⁻¹, several rows at once) and cmb_ldlt_backward (L⁻ᵀ): multiplying by L and Lᵀ returns the right-hand side. */
static void ldlt_halves_invert_the_factors(void **state)
{
  (void)state;
  enum { COUNT = 7 };
  struct cmbt_random random = {4};
  static double A[LARGEST * LARGEST];
  for (int n = 1; n <= LARGEST; n += 3) {
    random_positive(&random, n, 0, A);
    assert_int_equal(cmb_ldlt_factor(n, A), -1);
    double B[COUNT * LARGEST], X[COUNT * LARGEST], b[LARGEST], x[LARGEST];
    for (int i = 0; i < COUNT * n; i++) B[i] = X[i] = cmbt_random_uniform(&random, -1, 1);
    memcpy(b, B, sizeof b);
    memcpy(x, B, sizeof x);
    cmb_ldlt_forward(n, A, COUNT, X);
    cmb_ldlt_backward(n, A, x);
    for (int i = 0; i < n; i++) {
      for (int m = 0; m < COUNT; m++) {
        double sum = X[m * n + i], size = fabs(sum);
        for (int j = 0; j < i; j++) {
          sum += A[i * n + j] * X[m * n + j];
          size += fabs(A[i * n + j] * X[m * n + j]);
        }
        cmbt_near(sum, B[m * n + i], 2 * n * DBL_EPSILON * size);
      }
      double sum = x[i], size = fabs(sum);
      for (int j = i + 1; j < n; j++) {
        sum += A[j * n + i] * x[j];
        size += fabs(A[j * n + i] * x[j]);
      }
      cmbt_near(sum, b[i], 2 * n * DBL_EPSILON * size);
    }
  }
}

/* A = L D Lᵀ with one entry of D not positive: checks that this row is returned, in any units. */
static void ldlt_returns_the_row_that_is_not_positive(void **state)
{
  (void)state;
  struct cmbt_random random = {5};
  for (int trial = 0; trial < 300; trial++) {
    enum { N = 9 };
    int bad = trial % N;
    double L[N][N] = {{0}}, D[N], scale[N], A[N * N];
    for (int i = 0; i < N; i++) {
      for (int j = 0; j < i; j++) L[i][j] = cmbt_random_uniform(&random, -1, 1);
      L[i][i] = 1;
      D[i] = cmbt_random_uniform(&random, 0.5, 2);
      scale[i] = cmbt_random_scale(&random, trial % 2 ? 6 : 0);
    }
    D[bad] = trial % 3 == 0 ? 0 : -0.5; /* semidefinite up to rounding, or indefinite */
    for (int i = 0; i < N; i++) {
      for (int j = 0; j < N; j++) {
        double sum = 0;
        for (int k = 0; k < N; k++) sum += L[i][k] * D[k] * L[j][k];
        A[i * N + j] = sum * scale[i] * scale[j];
      }
    }
    assert_int_equal(cmb_ldlt_factor(N, A), bad);
  }
}

static void ldlt_refuses_nonfinite_entries(void **state)
{
  (void)state;
  const double bad[] = {NAN, INFINITY, -INFINITY};
  for (int i = 0; i < 6; i++) {
    for (int j = 0; j <= i; j++) {
      for (int k = 0; k < 3; k++) {
        double A[36];
        for (int m = 0; m < 36; m++) A[m] = m % 7 == 0 ? 6 : 1;
        A[i * 6 + j] = bad[k];
        assert_int_equal(cmb_ldlt_factor(6, A), i);
      }
    }
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sums_are_those_of_plain_loops),
      cmocka_unit_test(the_norm_neither_overflows_nor_underflows),
      cmocka_unit_test(lu_solves_a_known_system),
      cmocka_unit_test(lu_exchanges_rows_for_accuracy),
      cmocka_unit_test(lu_has_small_residuals),
      cmocka_unit_test(lu_refuses_dependent_columns),
      cmocka_unit_test(lu_refuses_nonfinite_entries),
      cmocka_unit_test(ldlt_solves_a_known_system),
      cmocka_unit_test(ldlt_has_small_residuals),
      cmocka_unit_test(ldlt_halves_invert_the_factors),
      cmocka_unit_test(ldlt_returns_the_row_that_is_not_positive),
      cmocka_unit_test(ldlt_refuses_nonfinite_entries),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
