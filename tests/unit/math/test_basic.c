/*
 * Basic solutions: random ones of which columns depend on each other. What A z is stays, no unknown becomes negative, and what is left
 * is independent; the legs of a table, by hand.
 */
#include "check.h"
#include "math/basic.h"
#include "math/dense.h"
#include "random.h"

enum { LARGEST = 30, CASES = 3000 };

struct room {
  cmb_context *ctx;
  cmb_arena *arena;
  cmb_basic basic;
};

static struct room open_room(void)
{
  struct room r = {.ctx = cmb_context_create(NULL)};
  r.arena = cmb_arena_create(r.ctx);
  cmb_basic_create(&r.basic, r.arena, LARGEST, LARGEST);
  return r;
}

static void close_room(struct room *r)
{
  cmb_arena_destroy(r->arena);
  cmb_context_destroy(r->ctx);
}

/* N is the identity: rows F (n x width) are what they do. */
static void find(struct room *room, int n, int width, const double *F, const bool *first, double *z,
                 bool *in)
{
  const double *row[LARGEST];
  bool more[LARGEST];
  room->basic.width = width;
  for (int i = 0; i < n; i++) row[i] = F + (ptrdiff_t)i * width, more[i] = true;
  const cmb_basic_rows rows = {n, row, row};
  cmb_basic_find(&room->basic, &rows, first, more, z, in);
}

/* Whether the rows that are in are independent, and how many there are. */
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
  struct room room = open_room();
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
    find(&room, n, rank, F, first, z, in);
    assert_true(check_independent(n, rank, F, in) <= rank);
    for (int k = 0; k < rank; k++) { /* Wᵀ z, and so A z, stays */
      double now = 0, then = 0, sum = 0;
      for (int i = 0; i < n; i++) {
        now += F[i * rank + k] * z[i], then += F[i * rank + k] * before[i];
        sum += fabs(F[i * rank + k]) * (z[i] + before[i]);
      }
      if (!(fabs(now - then) <= 1e-9 * sum)) fail_msg("case %d: %g for %g", c, now, then);
    }
    for (int i = 0; i < n; i++) assert_true(z[i] >= 0 && (in[i] || z[i] == 0));
  }
  close_room(&room);
}

/* Three legs bear a table; the fourth gives its part away. Those that bear already go on. */
static void test_table(void **state)
{
  (void)state;
  struct room room = open_room();
  const double F[12] = {1, 1, 1, 1, 1, -1, 1, -1, 1, 1, -1, -1};
  for (int last = 0; last < 4; last++) {
    double z[4] = {0.25, 0.25, 0.25, 0.25};
    bool first[4] = {true, true, true, true}, in[4];
    first[last] = false;
    find(&room, 4, 3, F, first, z, in);
    for (int i = 0; i < 4; i++) {
      const bool opposite = i == 3 - last;
      cmbt_near(z[i], i == last || opposite ? 0 : 0.5, 1e-15);
      assert_int_equal(in[i], i != last);
    }
  }
  close_room(&room);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_random), cmocka_unit_test(test_table)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
