/*
 * Tests of eigenvalues and row spaces (math/eigen.h) against their definitions and known eigenvalues: random matrices of all sizes, graded
 * and defective ones, multiple eigenvalues, and cycles, with which the usual shifts of the QR algorithm make no progress.
 */
#include "check.h"
#include "random.h"

#include "math/dense.h"
#include "math/eigen.h"
#include "math/schur.h"

#include <float.h>
#include <string.h>

enum { MOST = 60, WORK = 500, N = 9, ROWS = 6 };

struct eigen {
  double re[MOST], im[MOST], V[MOST * MOST];
};

static void fill(struct cmbt_random *random, int count, double *x)
{
  for (int i = 0; i < count; i++) x[i] = cmbt_random_uniform(random, -1, 1);
}

/* Returns max|A z − μ z| for the complex vector z = x + i y and μ = a + i b. */
static double residual(int n, const double *A, double a, double b, const double *x, const double *y)
{
  double most = 0;
  for (int i = 0; i < n; i++) {
    double re = cmb_dot(n, A + i * n, x) - a * x[i] + b * y[i];
    double im = cmb_dot(n, A + i * n, y) - a * y[i] - b * x[i];
    most = fmax(most, hypot(re, im));
  }
  return most;
}

/* Computes the eigenvalues of A and checks: conjugate pairs are adjacent, eigenvectors have length 1 and satisfy A z = μ z up to rounding,
 * and the sum of the eigenvalues is the trace. */
static void check_general(int n, const double *A, struct eigen *e)
{
  double copy[MOST * MOST], work[WORK], zero[MOST] = {0}, trace = 0, sum = 0, size = 0;
  assert_true(cmb_eigen_work(n, 0) <= WORK);
  memcpy(copy, A, sizeof *A * (size_t)(n * n));
  assert_true(cmb_eigen_general(n, copy, e->re, e->im, e->V, work));
  for (int i = 0; i < n * n; i++) size = fmax(size, fabs(A[i]));
  for (int j = 0; j < n; j++) {
    trace += A[j * n + j];
    sum += e->re[j];
    if (e->im[j] < 0) {
      assert_true(j > 0 && e->im[j - 1] == -e->im[j] && e->re[j - 1] == e->re[j]);
      continue;
    }
    const double *x = e->V + j * n, *y = e->im[j] > 0 ? x + n : zero;
    cmbt_near(hypot(cmb_norm2(n, x), cmb_norm2(n, y)), 1, 1e-14);
    cmbt_below(residual(n, A, e->re[j], e->im[j], x, y), 20 * n * DBL_EPSILON * size);
  }
  cmbt_near(sum, trace, 20 * n * DBL_EPSILON * size);
}

static void test_general(void **state)
{
  (void)state;
  struct cmbt_random random = {1};
  double A[MOST * MOST];
  struct eigen e;
  for (int n = 0; n <= MOST; n += n < 12 ? 1 : 8) {
    for (int k = 0; k < 20; k++) {
      fill(&random, n * n, A);
      check_general(n, A, &e);
    }
  }
}

/* Checks matrices for which a divisor in the algorithm is 0: zero, the identity, shears, and matrices with zeros beside the diagonal. */
static void test_special(void **state)
{
  (void)state;
  struct eigen e;
  check_general(3, (double[]){0, 0, 0, 0, 0, 0, 0, 0, 0}, &e);
  check_general(3, (double[]){1, 0, 0, 0, 1, 0, 0, 0, 1}, &e);
  check_general(3, (double[]){0, 1, 0, 0, 0, 1, 0, 0, 0}, &e);
  check_general(3, (double[]){0, 0, 0, 1, 0, 0, 0, 1, 0}, &e);
  check_general(2, (double[]){1, 0, 1, 1}, &e);
  check_general(2, (double[]){0, 1, -4, 0}, &e);
  cmbt_near(e.im[0], 2, 1e-15);
  check_general(4, (double[]){0, 1, 0, 0, -1, 0, 0, 0, 0, 0, 0, 1, 0, 0, -1, 0}, &e); /* ±i twice */
  check_general(4, (double[]){0, 0, 1, 0, 0, 0, 0, 1, -1, 0, 0, 0, 0, -1, 0, 0}, &e);
}

/* The cyclic permutation x_i → x_(i+1) has the roots of unity as eigenvalues. The shifts from its last two rows are 0, and a QR step with
 * them does not change it. */
static void test_cycle(void **state)
{
  (void)state;
  struct eigen e;
  for (int n = 3; n <= 40; n++) {
    double A[MOST * MOST] = {0};
    for (int i = 0; i < n; i++) A[i * n + (i + 1) % n] = 1;
    check_general(n, A, &e);
    for (int j = 0; j < n; j++) {
      const double turns = atan2(e.im[j], e.re[j]) * n / (2 * acos(-1));
      cmbt_near(hypot(e.re[j], e.im[j]), 1, 1e-13);
      cmbt_near(turns, round(turns), 1e-11);
    }
  }
}

/* Checks the Schur form of a Hessenberg matrix whose diagonal is 0 and whose blocks (0, b; −c, 0) have couplings of 1e-20 below them. Only the
 * size of the whole matrix shows that these are negligible. They are, so that no step changes the blocks, and ±i √(b c) are exact. */
static void test_zero_diagonal(void **state)
{
  (void)state;
  enum { COUNT = 4, SIZE = 2 * COUNT };
  struct cmbt_random random = {3};
  double A[SIZE * SIZE] = {0}, re[SIZE], im[SIZE], Q[SIZE * SIZE], work[WORK], turn[COUNT];
  for (int k = 0; k < COUNT; k++) {
    const int i = 2 * k;
    double *row = A + i * SIZE, *next = row + SIZE;
    fill(&random, SIZE - i - 1, row + i + 1);
    fill(&random, SIZE - i - 2, next + i + 2);
    row[i + 1] = 1.1 + k;
    next[i] = -1.7 - k;
    turn[k] = sqrt(row[i + 1] * -next[i]);
    if (k > 0) row[i - 1] = 1e-20;
  }
  assert_true(cmb_schur(SIZE, A, re, im, Q, work));
  for (int k = 0; k < COUNT; k++) {
    assert_true(re[2 * k] == 0 && re[2 * k + 1] == 0);
    assert_true(im[2 * k] == turn[k] && im[2 * k + 1] == -turn[k]);
  }
}

/* A Jordan block of size 3 in other coordinates. A perturbation ε moves its eigenvalues by ε^(1/3), hence the limit 1e-4. */
static void test_defective(void **state)
{
  (void)state;
  double A[9], B[9], S[9] = {1, 2, -1, 0, 1, 3, 0, 0, 1},
                     inverse[9] = {1, -2, 7, 0, 1, -3, 0, 0, 1};
  const double J[9] = {2, 1, 0, 0, 2, 1, 0, 0, 2};
  struct eigen e;
  for (int i = 0; i < 9; i++) {
    B[i] = A[i] = 0;
    for (int k = 0; k < 3; k++) B[i] += S[i / 3 * 3 + k] * J[k * 3 + i % 3];
  }
  for (int i = 0; i < 9; i++) {
    for (int k = 0; k < 3; k++) A[i] += B[i / 3 * 3 + k] * inverse[k * 3 + i % 3];
  }
  check_general(3, A, &e);
  for (int j = 0; j < 3; j++) cmbt_below(hypot(e.re[j] - 2, e.im[j]), 1e-4);
}

/* Checks a mechanism of m coordinates, x'' = −K x − C x', K = Σ k_s j_s j_sᵀ, C = Σ c_s j_s j_sᵀ, with `rigid` free motions. Each gives
 * the eigenvalue 0 twice, of which rounding leaves no correct digit; residuals have to be small all the same. */
static void check_free_motions(struct cmbt_random *random, int m, int rigid, struct eigen *e)
{
  const int n = 2 * m;
  double A[MOST * MOST] = {0}, j[MOST];
  for (int i = 0; i < m; i++) A[i * n + m + i] = 1;
  for (int s = 0; s < m - rigid; s++) {
    const double k = 50 * pow(10, cmbt_random_uniform(random, -1, 1));
    const double c = 5 * pow(10, cmbt_random_uniform(random, -1, 1));
    fill(random, m, j);
    for (int i = 0; i < m; i++) {
      cmb_add_scaled(m, -k * j[i], j, A + (m + i) * n);
      cmb_add_scaled(m, -c * j[i], j, A + (m + i) * n + m);
    }
  }
  check_general(n, A, e);
}

static void test_free_motions(void **state)
{
  (void)state;
  struct cmbt_random random = {11};
  struct eigen e;
  for (int k = 0; k < 400; k++) check_free_motions(&random, 11, 2 + k % 3, &e);
}

/* The companion matrix of the roots 1 to 6 in units D from 1 to 2^128: D⁻¹ A D has the same eigenvalues. */
static void test_graded(void **state)
{
  (void)state;
  enum { M = 6 };
  const double coefficient[M] = {-720, 1764, -1624,
                                 735,  -175, 21}; /* x⁶ = 21 x⁵ − 175 x⁴ + … − 720 */
  double A[M * M] = {0}, work[WORK], re[M], im[M], V[M * M];
  for (int i = 0; i + 1 < M; i++) A[i * M + i + 1] = 1;
  for (int j = 0; j < M; j++) A[(M - 1) * M + j] = coefficient[j];
  for (int i = 0; i < M; i++) {
    for (int j = 0; j < M; j++) A[i * M + j] *= pow(2, 16 * ((j * 3 % M) - (i * 3 % M) + j - i));
  }
  assert_true(cmb_eigen_general(M, A, re, im, V, work));
  for (int root = 1; root <= M; root++) {
    double nearest = INFINITY;
    for (int j = 0; j < M; j++) nearest = fmin(nearest, hypot(re[j] - root, im[j]));
    cmbt_below(nearest, 1e-9);
  }
}

/* The matrix of second differences has the eigenvalues 2 − 2 cos(k π/(n + 1)) and the eigenvectors sin(i k π/(n + 1)). */
static void test_symmetric(void **state)
{
  (void)state;
  double A[N * N] = {0}, V[N * N], mu[N], work[64], pi = acos(-1);
  for (int i = 0; i < N; i++) {
    A[i * N + i] = 2;
    if (i) A[i * N + i - 1] = A[(i - 1) * N + i] = -1;
  }
  assert_true(cmb_eigen_symmetric(N, A, mu, V, work));
  for (int k = 0; k < N; k++) {
    double angle = (k + 1) * pi / (N + 1), scale = sqrt(2.0 / (N + 1));
    double sign = V[k * N] > 0 ? 1 : -1;
    cmbt_near(mu[k], 2 - 2 * cos(angle), 1e-14);
    for (int i = 0; i < N; i++) {
      cmbt_near(sign * V[k * N + i], scale * sin((i + 1) * angle), 1e-13);
    }
  }
}

/* Checks A = Σ μ_k u_k u_kᵀ with random orthonormal u_k and triple μ_k, one of them 0. */
static void check_multiple(struct cmbt_random *random, int n)
{
  double B[MOST * MOST], U[MOST * MOST], A[MOST * MOST] = {0}, V[MOST * MOST], mu[MOST], work[WORK];
  int order[MOST];
  fill(random, n * n, B);
  cmb_row_space(n, n, B, order, U, work);
  for (int k = 0; k < n; k++) {
    for (int i = 0; i < n; i++) {
      cmb_add_scaled(n, (k / 3 - 2) * U[k * n + i], U + k * n, A + i * n);
    }
  }
  assert_true(cmb_eigen_symmetric(n, A, mu, V, work));
  for (int k = 0; k < n; k++) {
    cmbt_near(mu[k], k / 3 - 2, n * 1e-14);
    for (int j = 0; j < n; j++) {
      cmbt_near(cmb_dot(n, V + k * n, V + j * n), j == k, 1e-13);
      if (j / 3 != k / 3) cmbt_near(cmb_dot(n, V + k * n, U + j * n), 0, n * 1e-14);
    }
  }
}

static void test_symmetric_multiple(void **state)
{
  (void)state;
  struct cmbt_random random = {3};
  for (int n = 0; n <= 40; n += n < 8 ? 1 : 8) check_multiple(&random, n);
}

/* Checks cmb_row_space for random `rows` with n entries, of which `rank` are independent: Q is orthogonal, the ordered rows are R Q with
 * decreasing pivots, pivots after the rank-th are 0, and the last rows of Q are orthogonal to all given rows. */
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
  cmb_row_space(rows, n, R, order, Q, work);
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) cmbt_near(cmb_dot(n, Q + i * n, Q + j * n), i == j, 1e-14);
  }
  for (int i = 0; i < rows; i++) {
    double row[N] = {0};
    for (int k = 0; k <= i && k < n; k++) cmb_add_scaled(n, R[i * n + k], Q + k * n, row);
    for (int j = 0; j < n; j++) cmbt_near(row[j], B[order[i] * n + j], 1e-14);
    if (i > 0 && i < n)
      assert_true(fabs(R[i * n + i]) <= fabs(R[(i - 1) * n + i - 1]) * (1 + 1e-15));
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
      cmocka_unit_test(test_special),
      cmocka_unit_test(test_cycle),
      cmocka_unit_test(test_zero_diagonal),
      cmocka_unit_test(test_defective),
      cmocka_unit_test(test_free_motions),
      cmocka_unit_test(test_graded),
      cmocka_unit_test(test_symmetric),
      cmocka_unit_test(test_symmetric_multiple),
      cmocka_unit_test(test_row_space),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
