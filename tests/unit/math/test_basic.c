/*
 * Tests of basic solutions (math/basic.h) with random dependent rows: A z does not change, no unknown becomes negative, and the rows of
 * nonzero unknowns are independent; and by hand for a table on four legs.
 */
#include "check.h"
#include "math/basic.h"
#include "math/dense.h"
#include "random.h"

enum { LARGEST = 30, CASES = 3000 };

struct workspace {
  cmb_context *ctx;
  cmb_arena *arena;
  cmb_basic basic;
};

static struct workspace open_workspace(void)
{
  struct workspace r = {.ctx = cmb_context_create(NULL)};
  r.arena = cmb_arena_create(r.ctx);
  cmb_basic_create(&r.basic, r.arena, LARGEST, LARGEST);
  return r;
}

static void close_workspace(struct workspace *r)
{
  cmb_arena_destroy(r->arena);
  cmb_context_destroy(r->ctx);
}

/* Finds a basic solution from z for A = F Fᵀ, F (n x width): N is the identity, so N times a row is the row itself. */
static void find(struct workspace *workspace, int n, int width, const double *F, const bool *first,
                 double *z, bool *in)
{
  const double *row[LARGEST];
  bool more[LARGEST];
  workspace->basic.width = width;
  for (int i = 0; i < n; i++) row[i] = F + (ptrdiff_t)i * width, more[i] = true;
  const cmb_basic_rows rows = {n, row, row};
  cmb_basic_find(&workspace->basic, &rows, first, more, z, in);
}

/* Checks that the rows of F with in[i] are linearly independent: their Gram matrix is positive definite. Returns their number. */
static int check_independent(int n, int width, const double *F, const bool *in)
{
  static double B[LARGEST * LARGEST];
  int which[LARGEST], size = 0;
  for (int i = 0; i < n; i++) {
    if (in[i]) which[size++] = i;
  }
  for (int i = 0; i < size; i++) {
    for (int k = 0; k < size; k++) {
      B[i * size + k] =
          cmb_dot(width, F + (ptrdiff_t)which[i] * width, F + (ptrdiff_t)which[k] * width);
    }
  }
  assert_int_equal(cmb_ldlt_factor(size, B), -1);
  return size;
}

static void test_random(void **state)
{
  (void)state;
  struct workspace workspace = open_workspace();
  struct cmbt_random r = {7};
  for (int c = 0; c < CASES; c++) {
    const int n = cmbt_random_int(&r, 1, LARGEST), rank = cmbt_random_int(&r, 1, n);
    double F[LARGEST * LARGEST], z[LARGEST], before[LARGEST];
    bool first[LARGEST], in[LARGEST];
    for (int i = 0; i < n; i++) {
      const double length = pow(10, cmbt_random_uniform(&r, -2, 2));
      for (int k = 0; k < rank; k++) F[i * rank + k] = length * cmbt_random_uniform(&r, -1, 1);
      const int any = cmbt_random_int(&r, 0, 1);
      before[i] = z[i] = any * cmbt_random_uniform(&r, 0, 1) / length;
      first[i] = cmbt_random_int(&r, 0, 1);
    }
    find(&workspace, n, rank, F, first, z, in);
    assert_true(check_independent(n, rank, F, in) <= rank);
    for (int k = 0; k < rank; k++) { /* Fᵀ z, and so A z, does not change */
      double now = 0, then = 0, sum = 0;
      for (int i = 0; i < n; i++) {
        now += F[i * rank + k] * z[i], then += F[i * rank + k] * before[i];
        sum += fabs(F[i * rank + k]) * (z[i] + before[i]);
      }
      if (!(fabs(now - then) <= 1e-9 * sum)) fail_msg("case %d: %g instead of %g", c, now, then);
    }
    for (int i = 0; i < n; i++) assert_true(z[i] >= 0 && (in[i] || z[i] == 0));
  }
  close_workspace(&workspace);
}

/* A square table on four legs that carry a quarter of its weight each; three of their rows (force and two moments) are independent.
 * Checks that the leg without first[] is left out. Then neither it nor the leg opposite carries anything, the two others half each. */
static void test_table(void **state)
{
  (void)state;
  struct workspace workspace = open_workspace();
  const double F[12] = {1, 1, 1, 1, 1, -1, 1, -1, 1, 1, -1, -1};
  for (int last = 0; last < 4; last++) {
    double z[4] = {0.25, 0.25, 0.25, 0.25};
    bool first[4] = {true, true, true, true}, in[4];
    first[last] = false;
    find(&workspace, 4, 3, F, first, z, in);
    for (int i = 0; i < 4; i++) {
      const bool opposite = i == 3 - last;
      cmbt_near(z[i], i == last || opposite ? 0 : 0.5, 1e-15);
      assert_int_equal(in[i], i != last);
    }
  }
  close_workspace(&workspace);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_random), cmocka_unit_test(test_table)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
