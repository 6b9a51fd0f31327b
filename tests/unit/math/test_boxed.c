/*
 * Tests of linear complementarity problems with bounds (math/boxed.h): random ones made from a known solution with A = D₁ F Fᵀ D₂, of one
 * or of several uncoupled parts; small ones with any matrix, where each result has to satisfy the conditions; problems without a
 * solution and with several.
 */
#include "check.h"
#include "math/boxed.h"
#include "math/dense.h"
#include "random.h"

enum { LARGEST = 30, CASES = 3000 };

struct problem {
  int n;
  double A[LARGEST * LARGEST], b[LARGEST], u[LARGEST], x[LARGEST];
};

/* Makes a random problem with the solution p->x: unknowns at 0, at the bound u or between, and w with the sign that this requires, or 0. */
static void make(struct cmbt_random *r, struct problem *p)
{
  double F[LARGEST * LARGEST], w[LARGEST];
  int part[LARGEST];
  const int n = p->n = cmbt_random_int(r, 1, LARGEST);
  const int parts = cmbt_random_int(r, 0, 1) ? 1 : cmbt_random_int(r, 1, 2 * n);
  for (int i = 0; i < n; i++) part[i] = cmbt_random_int(r, 1, parts);
  for (int i = 0; i < n * n; i++) {
    const double x = cmbt_random_uniform(r, -1, 1);
    F[i] = part[i / n] == part[i % n] ? x : 0;
  }
  for (int i = 0; i < n; i++) {
    const int kind = cmbt_random_int(r, 0, 4);
    F[i * n + i] += 2;
    p->u[i] = cmbt_random_int(r, 0, 1) ? INFINITY : cmbt_random_scale(r, 1);
    const double most = isfinite(p->u[i]) ? p->u[i] : 1;
    p->x[i] = kind == 0 ? 0 : kind == 1 ? most : cmbt_random_uniform(r, 0, most);
    w[i] = 0;
    if (kind == 0) w[i] = cmbt_random_uniform(r, 0, 1);
    if (kind == 1 && isfinite(p->u[i])) w[i] = -cmbt_random_uniform(r, 0, 1);
  }
  for (int i = 0; i < n; i++) {
    const double left = cmbt_random_scale(r, 2);
    p->b[i] = left * w[i];
    for (int k = 0; k < n; k++) {
      const struct cmbt_random seed = {(uint64_t)k + 17};
      struct cmbt_random column = seed;
      const double right = cmbt_random_scale(&column, 2);
      const ptrdiff_t row = (ptrdiff_t)i * n, other = (ptrdiff_t)k * n;
      p->A[row + k] = left * cmb_dot(n, F + row, F + other) * right;
      p->b[i] -= p->A[row + k] * p->x[k];
    }
  }
}

static void open_boxed(cmb_context **ctx, cmb_arena **arena, cmb_boxed *p)
{
  *ctx = cmb_context_create(NULL);
  *arena = cmb_arena_create(*ctx);
  cmb_boxed_create(p, *arena, LARGEST);
  assert_false(cmb_arena_failed(*arena));
}

static void close_boxed(cmb_context *ctx, cmb_arena *arena)
{
  cmb_arena_destroy(arena);
  cmb_context_destroy(ctx);
}

static void test_known_solutions(void **state)
{
  (void)state;
  struct cmbt_random r = {5};
  cmb_context *ctx;
  cmb_arena *arena;
  cmb_boxed boxed;
  open_boxed(&ctx, &arena, &boxed);
  for (int c = 0; c < CASES; c++) {
    static struct problem p;
    double x[LARGEST];
    bool several;
    make(&r, &p);
    assert_int_equal(cmb_boxed_solve(&boxed, p.n, p.A, p.b, p.u, x, &several), CMB_OK);
    assert_false(several);
    for (int i = 0; i < p.n; i++) {
      const double own = p.A[(ptrdiff_t)i * (p.n + 1)];
      double size = fabs(p.b[i]);
      for (int k = 0; k < p.n; k++) size += fabs(p.A[(ptrdiff_t)i * p.n + k] * p.x[k]);
      cmbt_near(x[i], p.x[i], 1e-7 * (size / own + fabs(p.x[i])));
    }
  }
  close_boxed(ctx, arena);
}

/* Returns whether x satisfies the problem up to rounding, with w = A x + b. */
static bool solves(int n, const double *A, const double *b, const double *u, const double *x)
{
  for (int i = 0; i < n; i++) {
    const double w = b[i] + cmb_dot(n, A + (ptrdiff_t)i * n, x);
    if (x[i] < 0 || x[i] > u[i]) return false;
    if (x[i] < u[i] && w < -1e-8) return false;
    if (x[i] > 0 && w > 1e-8) return false;
  }
  return true;
}

/* Any matrix with a positive diagonal: checks that what is found is a solution. With two unknowns and det A > 0 (a P-matrix) there must
 * be exactly one. */
static void test_any_matrix(void **state)
{
  (void)state;
  struct cmbt_random r = {9};
  cmb_context *ctx;
  cmb_arena *arena;
  cmb_boxed boxed;
  int found = 0, none = 0, ambiguous = 0;
  open_boxed(&ctx, &arena, &boxed);
  for (int c = 0; c < CASES; c++) {
    const int n = cmbt_random_int(&r, 2, 4);
    double A[16], b[4], u[4], x[4];
    bool several;
    for (int i = 0; i < n * n; i++) A[i] = cmbt_random_uniform(&r, -2, 2);
    for (int i = 0; i < n; i++) {
      A[i * (n + 1)] = cmbt_random_uniform(&r, 0.1, 1);
      b[i] = cmbt_random_uniform(&r, -1, 1);
      u[i] = cmbt_random_int(&r, 0, 1) ? INFINITY : 1;
    }
    const cmb_status status = cmb_boxed_solve(&boxed, n, A, b, u, x, &several);
    if (status == CMB_OK) assert_true(solves(n, A, b, u, x));
    if (n == 2 && A[0] * A[3] > A[1] * A[2]) assert_true(status == CMB_OK && !several);
    found += status == CMB_OK;
    none += status == CMB_RETRY_SINGULAR;
    ambiguous += status == CMB_OK && several;
  }
  assert_int_equal(found + none, CASES);
  assert_true(none > CASES / 50 && ambiguous > CASES / 50);
  close_boxed(ctx, arena);
}

/* Checks a problem without a solution, and one with the three solutions (1, 0), (0, 1) and (1/3, 1/3). */
static void test_none_and_several(void **state)
{
  (void)state;
  cmb_context *ctx;
  cmb_arena *arena;
  cmb_boxed boxed;
  const double none[] = {1, -2, -2, 1}, down[] = {-1, -1}, u[] = {INFINITY, INFINITY};
  const double both[] = {1, 2, 2, 1}, nan[] = {NAN, 0, 0, 1};
  double x[2];
  bool several;
  open_boxed(&ctx, &arena, &boxed);
  assert_int_equal(cmb_boxed_solve(&boxed, 2, none, down, u, x, &several), CMB_RETRY_SINGULAR);
  assert_int_equal(cmb_boxed_solve(&boxed, 2, both, down, u, x, &several), CMB_OK);
  assert_true(several);
  assert_int_equal(cmb_boxed_solve(&boxed, 2, nan, down, u, x, &several), CMB_RETRY_NONFINITE);
  close_boxed(ctx, arena);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_known_solutions),
                                     cmocka_unit_test(test_any_matrix),
                                     cmocka_unit_test(test_none_and_several)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
