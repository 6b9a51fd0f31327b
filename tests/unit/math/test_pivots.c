/*
 * Tests of pivots in a fixed order (math/pivots.h) with random square matrices A and A + s B, small and dense, on a pattern, and large
 * enough for the static order. Signs of determinants are computed independently, by elimination with partial pivoting: where the sign
 * changes, at least one pivot has to change its sign.
 */
#include "check.h"
#include "math/pattern.h"
#include "math/pivots.h"
#include "random.h"

#include <string.h>

enum { MOST = 48 };

static struct cmbt_random random_source = {11};

static double determinant_sign(int n, const double *G)
{
  static double A[MOST * MOST];
  double sign = 1;
  memcpy(A, G, (size_t)(n * n) * sizeof *A);
  for (int k = 0; k < n; k++) {
    int best = k;
    for (int i = k + 1; i < n; i++) best = fabs(A[i * n + k]) > fabs(A[best * n + k]) ? i : best;
    for (int j = 0; best != k && j < n; j++) {
      const double t = A[k * n + j];
      A[k * n + j] = A[best * n + j];
      A[best * n + j] = t;
    }
    sign *= (best != k ? -1 : 1) * (A[k * n + k] > 0 ? 1 : -1);
    for (int i = k + 1; i < n; i++) {
      const double factor = A[i * n + k] / A[k * n + k];
      for (int j = k; j < n; j++) A[i * n + j] -= factor * A[k * n + j];
    }
  }
  return sign;
}

/* Checks that each change of sign of the determinant is found, and that none is reported for the matrix with which pivots were chosen. */
static void check_square(int n, const cmb_pattern *pattern)
{
  static double A[MOST * MOST], G[MOST * MOST];
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_arena *arena = cmb_arena_create(ctx);
  cmb_pivots p;
  const double size = 2 + 0.3 * n;
  int changes = 0;
  cmbt_ok(ctx, cmb_pivots_create(ctx, arena, n, n, pattern, &p));
  assert_int_equal(p.sparse != NULL, pattern && 2 * n >= CMB_KKT_SPARSE_FROM);
  for (int round = 0; round < 200; round++) {
    bool poor = false;
    for (int i = 0; i < n * n; i++) A[i] = cmbt_random_uniform(&random_source, -1, 1);
    for (int i = 0; i < n; i++) A[i * n + i] += 0.3 * n;
    cmb_pivots_choose(&p, A);
    assert_int_equal(p.rank, n);
    assert_false(cmb_pivots_have_turned(&p, A, &poor));
    assert_false(poor);
    for (int i = 0; i < n * n; i++) G[i] = A[i] + size * cmbt_random_uniform(&random_source, -1, 1);
    const bool changed = determinant_sign(n, A) != determinant_sign(n, G);
    changes += changed;
    if (changed) assert_true(cmb_pivots_have_turned(&p, G, &poor));
  }
  assert_true(changes > 20);
  cmb_arena_destroy(arena);
  cmb_context_destroy(ctx);
}

static void test_determinants(void **state)
{
  (void)state;
  static int start[MOST + 1], column[MOST * MOST];
  for (int n = 1; n <= MOST; n = n < 6 ? n + 1 : 2 * n) {
    for (int i = 0; i <= n; i++) start[i] = i * n;
    for (int i = 0; i < n * n; i++) column[i] = i % n;
    const cmb_pattern full = {n, n, start, column};
    check_square(n, NULL);
    check_square(n, &full);
  }
}

/* Checks that a matrix with a dependent row gets fewer pivots than rows. */
static void test_rank(void **state)
{
  (void)state;
  const double G[3][4] = {{1, 2, 0, 1}, {0, 1, 1, 0}, {2, 5, 1, 2}};
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_arena *arena = cmb_arena_create(ctx);
  cmb_pivots p;
  cmbt_ok(ctx, cmb_pivots_create(ctx, arena, 3, 4, NULL, &p));
  cmb_pivots_choose(&p, &G[0][0]);
  assert_int_equal(p.rank, 2);
  cmb_arena_destroy(arena);
  cmb_context_destroy(ctx);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_determinants),
                                     cmocka_unit_test(test_rank)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
