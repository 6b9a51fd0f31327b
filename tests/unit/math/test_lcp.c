/*
 * Tests of linear complementarity problems (math/lcp.h): random ones made from a known solution, regular and singular, with diagonal
 * entries that differ by factors up to 10⁸; problems without a solution; and equal unknowns, which must get equal values.
 */
#include "check.h"
#include "math/dense.h"
#include "math/lcp.h"
#include "random.h"

#include <stdio.h>

enum { LARGEST = 40, CASES = 6000 };

struct problem {
  int n, rank;
  double A[LARGEST * LARGEST], b[LARGEST], w[LARGEST];
};

/* Makes A = F Fᵀ, F (n x rank) with rows of very different lengths, and b = w − A z, where z_i = 0 or w_i = 0, in some cases both. */
static void make(struct cmbt_random *r, struct problem *p)
{
  double F[LARGEST * LARGEST], z[LARGEST];
  const int n = p->n = cmbt_random_int(r, 1, LARGEST);
  p->rank = cmbt_random_int(r, 0, 2) == 0 ? cmbt_random_int(r, 1, n) : n;
  for (int i = 0; i < n; i++) {
    const double length = pow(10, cmbt_random_uniform(r, -2, 2));
    for (int k = 0; k < p->rank; k++) {
      F[i * p->rank + k] = length * cmbt_random_uniform(r, -1, 1);
    }
    const int kind = cmbt_random_int(r, 0, 9);
    z[i] = kind < 5 ? cmbt_random_uniform(r, 0, 1) / length : 0;
    p->w[i] = kind < 5 || kind == 9 ? 0 : length * cmbt_random_uniform(r, 0, 1);
  }
  for (int i = 0; i < n; i++) {
    p->b[i] = p->w[i];
    for (int k = 0; k < n; k++) {
      p->A[i * n + k] = cmb_dot(p->rank, F + (ptrdiff_t)i * p->rank, F + (ptrdiff_t)k * p->rank);
      p->b[i] -= p->A[i * n + k] * z[k];
    }
  }
}

static void test_known_solutions(void **state)
{
  (void)state;
  struct cmbt_random r = {1};
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_arena *arena = cmb_arena_create(ctx);
  cmb_lcp lcp;
  double worst = 0;
  int ambiguous = 0;
  cmb_lcp_create(&lcp, arena, LARGEST);
  for (int c = 0; c < CASES; c++) {
    static struct problem p;
    double z[LARGEST];
    bool unique[LARGEST];
    make(&r, &p);
    assert_int_equal(cmb_lcp_solve(&lcp, p.n, p.A, p.b, z, unique), CMB_OK);
    for (int i = 0; i < p.n; i++) {
      const double w = cmb_dot(p.n, p.A + (ptrdiff_t)i * p.n, z) + p.b[i];
      const double unit = sqrt(p.A[i * p.n + i]);
      assert_true(z[i] >= 0);
      worst = fmax(worst, fabs(w - p.w[i]) / unit / p.n);
      ambiguous += !unique[i];
      if (p.rank == p.n && p.n < 5) assert_true(unique[i]);
    }
  }
  printf("w to %.1e, %d unknowns that are not unique\n", worst, ambiguous);
  cmbt_below(worst, 1e-11);
  assert_true(ambiguous > CASES / 10);
  cmb_arena_destroy(arena);
  cmb_context_destroy(ctx);
}

static void test_equal_unknowns(void **state)
{
  (void)state;
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_arena *arena = cmb_arena_create(ctx);
  const double A[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1}, b[3] = {-3, -3, -3};
  const double hindered[4] = {1, -1, -1, 1}, against[2] = {-1, -1}, nan[2] = {NAN, 0};
  double z[3];
  bool unique[3];
  cmb_lcp lcp;
  cmb_lcp_create(&lcp, arena, 3);
  assert_int_equal(cmb_lcp_solve(&lcp, 3, A, b, z, unique), CMB_OK);
  for (int i = 0; i < 3; i++) {
    cmbt_near(z[i], 1, 1e-9);
    assert_false(unique[i]);
  }
  assert_int_equal(cmb_lcp_solve(&lcp, 2, hindered, against, z, unique), CMB_RETRY_SINGULAR);
  assert_int_equal(cmb_lcp_solve(&lcp, 2, hindered, nan, z, unique), CMB_RETRY_NONFINITE);
  cmb_arena_destroy(arena);
  cmb_context_destroy(ctx);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_known_solutions),
                                     cmocka_unit_test(test_equal_unknowns)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
