/*
 * Tests of cmb_deflate (math/deflate.h) with matrices whose eigenvalue 0 is defective and whose other eigenvalues are known, one of them
 * only 1e-7: A = Qᵀ T Q with a random orthogonal Q and a triangular T with the eigenvalues in random order on its diagonal.
 */
#include "check.h"
#include "random.h"

#include "math/deflate.h"
#include "math/dense.h"
#include "math/eigen.h"

#include <string.h>

enum { N = 8, ZEROS = 3, CASES = 200 };

static const double others[N - ZEROS] = {-1, -0.3, 1e-7, 0.5, 2};

static void make(struct cmbt_random *random, double *A)
{
  double B[N * N], Q[N * N], T[N * N] = {0}, TQ[N * N] = {0}, work[64];
  int order[N];
  assert_true(cmb_eigen_work(N, N) <= 64);
  for (int i = 0; i < N * N; i++) B[i] = cmbt_random_uniform(random, -1, 1);
  cmb_row_space(N, N, B, order, Q, work);
  for (int i = 0; i < N; i++) {
    for (int j = i + 1; j < N; j++) T[i * N + j] = cmbt_random_uniform(random, -0.3, 0.3);
    if (i + 1 < N) T[i * N + i + 1] += 1;
    T[i * N + i] = i < ZEROS ? 0 : others[i - ZEROS];
  }
  for (int i = N - 1; i > 0; i--) { /* shuffle the diagonal */
    const int k = cmbt_random_int(random, 0, i);
    const double kept = T[i * N + i];
    T[i * N + i] = T[k * N + k];
    T[k * N + k] = kept;
  }
  for (int i = 0; i < N; i++) { /* A = Qᵀ T Q: the basis vectors are the rows of Q */
    for (int k = i; k < N; k++) cmb_add_scaled(N, T[i * N + k], Q + k * N, TQ + i * N);
  }
  memset(A, 0, sizeof TQ);
  for (int i = 0; i < N; i++) {
    for (int k = 0; k < N; k++) cmb_add_scaled(N, Q[k * N + i], TQ + k * N, A + i * N);
  }
}

static void test_defective(void **state)
{
  (void)state;
  struct cmbt_random random = {5};
  for (int n = 0; n < CASES; n++) {
    double A[N * N], V[N * N], re[N], im[N], work[2 * N * N + N], kept;
    make(&random, A);
    assert_int_equal(cmb_deflate(N, 1e-13, A, work, &kept), N - ZEROS);
    assert_true(kept > 1e-9);
    assert_true(cmb_eigen_general(N - ZEROS, A, re, im, V, work));
    for (int k = 0; k < N - ZEROS; k++) {
      double least = INFINITY;
      for (int i = 0; i < N - ZEROS; i++) least = fmin(least, hypot(re[i] - others[k], im[i]));
      cmbt_below(least, k == 2 ? 1e-10 : 1e-8);
    }
  }
}

static void test_small_matrices(void **state)
{
  (void)state;
  double zero[4] = {0}, regular[4] = {2, 1, 0, 3}, chain[4] = {0, 1, 0, 0}, work[10], kept;
  assert_int_equal(cmb_deflate(0, 1e-12, zero, work, &kept), 0);
  assert_int_equal(cmb_deflate(2, 1e-12, zero, work, &kept), 0);
  assert_true(isinf(kept));
  assert_int_equal(cmb_deflate(2, 1e-12, chain, work, &kept), 0);
  cmbt_near(kept, 1, 1e-15);
  assert_int_equal(cmb_deflate(2, 1e-12, regular, work, &kept), 2);
  assert_true(regular[0] == 2 && regular[3] == 3);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_defective),
      cmocka_unit_test(test_small_matrices),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
