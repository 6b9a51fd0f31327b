/*
 * Eigenvalues and row spaces against their definitions, and where the eigenvalues are known.
 */
#include "check.h"
#include "random.h"

#include "math/dense.h"
#include "math/eigen.h"

#include <string.h>

enum { N = 9, ROWS = 6 };

static void fill(struct cmbt_random *random, int count, double *x)
{
  for (int i = 0; i < count; i++) x[i] = cmbt_random_uniform(random, -1, 1);
}

/* |A x − μ x| for a complex x = (x, y) and μ = a + i b. */
static double residual(const double *A, double a, double b, const double *x, const double *y)
{
  double most = 0;
  for (int i = 0; i < N; i++) {
    double re = cmb_dot(N, A + i * N, x) - a * x[i] + b * y[i];
    double im = cmb_dot(N, A + i * N, y) - a * y[i] - b * x[i];
    most = fmax(most, hypot(re, im));
  }
  return most;
}

static void test_general(void **state)
{
  (void)state;
  struct cmbt_random random = {1};
  double A[N * N], copy[N * N], V[N * N], re[N], im[N], work[64], zero[N] = {0};
  assert_true(cmb_eigen_work(N, 0) <= 64);
  for (int k = 0; k < 50; k++) {
    double trace = 0, sum = 0;
    fill(&random, N * N, A);
    memcpy(copy, A, sizeof A);
    assert_true(cmb_eigen_general(N, copy, re, im, V, work));
    for (int j = 0; j < N; j++) {
      trace += A[j * N + j];
      sum += re[j];
      assert_true(cmb_norm2(N, V + j * N) > 0.1 || im[j] != 0);
      if (im[j] < 0) continue;
      const double *y = im[j] > 0 ? V + (j + 1) * N : zero;
      if (im[j] > 0) assert_true(im[j + 1] == -im[j]);
      cmbt_below(residual(A, re[j], im[j], V + j * N, y), 1e-13);
    }
    cmbt_near(sum, trace, 1e-13);
  }
}

/* Second differences: 2 − 2 cos(k π/(n + 1)), vectors sin(i k π/(n + 1)). */
static void test_symmetric(void **state)
{
  (void)state;
  double A[N * N] = {0}, mu[N], work[64], pi = acos(-1);
  for (int i = 0; i < N; i++) {
    A[i * N + i] = 2;
    if (i) A[i * N + i - 1] = A[(i - 1) * N + i] = -1;
  }
  assert_true(cmb_eigen_symmetric(N, A, mu, work));
  for (int k = 0; k < N; k++) {
    double angle = (k + 1) * pi / (N + 1), scale = sqrt(2.0 / (N + 1));
    double sign = A[k * N] > 0 ? 1 : -1;
    cmbt_near(mu[k], 2 - 2 * cos(angle), 1e-14);
    for (int i = 0; i < N; i++) {
      cmbt_near(sign * A[k * N + i], scale * sin((i + 1) * angle), 1e-13);
    }
  }
}

/* Six rows of which `rank` are independent, also more rows than columns. */
static void check_rows(struct cmbt_random *random, int rows, int n, int rank)
{
  double base[N * N], B[N * N], R[N * N], Q[N * N], work[128];
  int order[N];
  assert_true(cmb_eigen_work(n, rows) <= 128);
  fill(random, rank * n, base);
  memset(B, 0, sizeof B);
  for (int i = 0; i < rows; i++) {
    for (int k = 0; k < rank; k++) {
      cmb_add_scaled(n, cmbt_random_uniform(random, -1, 1), base + k * n, B + i * n);
    }
  }
  memcpy(R, B, sizeof B);
  assert_true(cmb_row_space(rows, n, R, order, Q, work));
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) cmbt_near(cmb_dot(n, Q + i * n, Q + j * n), i == j, 1e-14);
  }
  for (int i = 0; i < rows; i++) {
    double row[N] = {0};
    for (int k = 0; k <= i && k < n; k++) cmb_add_scaled(n, R[i * n + k], Q + k * n, row);
    for (int j = 0; j < n; j++) cmbt_near(row[j], B[order[i] * n + j], 1e-14);
    if (i >= rank && i < n) cmbt_below(fabs(R[i * n + i]), 1e-14);
    for (int k = rank; k < n; k++) cmbt_near(cmb_dot(n, B + i * n, Q + k * n), 0, 1e-14);
  }
  for (int i = 0; i < rank; i++) assert_true(fabs(R[i * n + i]) > 1e-4);
}

static void test_row_space(void **state)
{
  (void)state;
  struct cmbt_random random = {2};
  for (int k = 0; k < 20; k++) {
    check_rows(&random, ROWS, N, ROWS);
    check_rows(&random, ROWS, N, 3);
    check_rows(&random, ROWS, N, 0);
    check_rows(&random, ROWS, 4, 3);
    check_rows(&random, 0, N, 0);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_general),
      cmocka_unit_test(test_symmetric),
      cmocka_unit_test(test_row_space),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
