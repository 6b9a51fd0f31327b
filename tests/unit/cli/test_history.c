/*
 * The trajectory that is kept for a plot: short runs exactly, of long ones the extremes of every interval, in bounded memory,
 * whatever the steps are.
 */
#include "cli/history.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char *const one[] = {"a"}, *const outputs[] = {"small", "large"};
static const cmb_equations equations = {.nq = 1,
                                        .nv = 1,
                                        .ng = 1,
                                        .no = 2,
                                        .q_names = one,
                                        .v_names = one,
                                        .lambda_names = one,
                                        .output_names = outputs};

static struct cli_plot given;

static void add(struct cli_history *h, double t, double y)
{
  const double q = y, v = -y, lambda = 0, out[] = {1e-3 * y, 1e3 * y};
  const cmb_record record = {.t = t, .q = &q, .v = &v, .lambda = &lambda, .outputs = out};
  assert_int_equal(cli_history_add(h, &record), CMB_OK);
}

static void draw(const struct cli_history *h)
{
  cli_history_points(h, &given);
}

static double t_of(long i)
{
  return given.x[i * given.stride];
}

/* Column c of point i; 1 is the position. */
static double at(const struct cli_history *h, long i, int c)
{
  return h->rows[i * given.stride + c];
}

static void test_short_run_is_kept_as_it_is(void **state)
{
  (void)state;
  enum { RECORDS = 3000 };
  struct cli_history h;
  cli_history_begin(&h, &equations);
  for (int i = 0; i < RECORDS; i++) add(&h, i, sin(i));
  draw(&h);
  assert_int_equal(given.points, RECORDS);
  for (int i = 0; i < RECORDS; i++) {
    assert_true(t_of(i) == i && at(&h, i, 1) == sin(i));
    assert_true(at(&h, i, 2) == -sin(i) && at(&h, i, 5) == 1e3 * sin(i));
  }
  cli_history_end(&h);
}

/* A value at t = i: a slow wave with a needle at one record in the middle of nowhere. */
static double needle(long i, long at)
{
  return i == at ? 7 : i == at + 1 ? -5 : sin(1e-5 * (double)i);
}

static void test_long_run_keeps_extremes_in_order(void **state)
{
  (void)state;
  enum { RECORDS = 2000000, NEEDLE = 1234567 };
  struct cli_history h;
  cli_history_begin(&h, &equations);
  for (long i = 0; i < RECORDS; i++) add(&h, (double)i, needle(i, NEEDLE));
  draw(&h);
  assert_true(given.points <= 8192 && given.points >= 4000);
  assert_true(h.room <= 4096);
  assert_true(t_of(0) == 0 && t_of(given.points - 1) == RECORDS - 1);
  long high = -1, low = -1;
  for (long i = 0; i < given.points; i++) {
    if (i > 0) assert_true(t_of(i) >= t_of(i - 1));
    if (at(&h, i, 1) == 7) high = i;
    if (at(&h, i, 1) == -5) low = i;
    if (fabs(at(&h, i, 1)) > 1) { /* the time is off by an interval at most */
      assert_true(fabs(t_of(i) - NEEDLE) <= RECORDS / 1000.0);
    } else {
      const double slope = 1e-5 * RECORDS / 1000.0;
      assert_true(fabs(at(&h, i, 1) - sin(1e-5 * t_of(i))) <= slope);
    }
  }
  assert_true(high >= 0 && low == high + 1);
  cli_history_end(&h);
}

/* A million records in the first thousandth of the time: the rest is still shown at each of its records. */
static void test_resolution_in_time(void **state)
{
  (void)state;
  struct cli_history h;
  cli_history_begin(&h, &equations);
  for (long i = 0; i < 1000000; i++) add(&h, 1e-9 * (double)i, 1);
  for (int i = 1; i <= 1000; i++) add(&h, 1e-3 * i, i);
  draw(&h);
  int seen = 0;
  for (long i = 0; i < given.points; i++)
    seen += at(&h, i, 1) >= 2 && (i == 0 || at(&h, i, 1) > at(&h, i - 1, 1));
  assert_int_equal(seen, 999);
  cli_history_end(&h);
}

/* Records without end at one time, and values that are no numbers. */
static void test_degenerate(void **state)
{
  (void)state;
  struct cli_history h;
  cli_history_begin(&h, &equations);
  for (int i = 0; i < 20000; i++) add(&h, 5, i == 10000 ? 3 : NAN);
  draw(&h);
  assert_true(given.points <= 8192);
  double most = -INFINITY;
  for (long i = 0; i < given.points; i++) most = fmax(most, at(&h, i, 1));
  assert_true(most == 3);
  cli_history_end(&h);
}

static void test_many_columns(void **state)
{
  (void)state;
  enum { MANY = 30000, RECORDS = 2000 };
  const char **names = calloc(MANY, sizeof *names);
  double *y = calloc(MANY, sizeof *y);
  assert_true(names && y);
  const cmb_equations wide = {.nq = MANY, .q_names = names};
  struct cli_history h;
  cli_history_begin(&h, &wide);
  for (int i = 0; i < RECORDS; i++) {
    y[MANY - 1] = i;
    const cmb_record record = {.t = i, .q = y, .v = y, .lambda = y, .outputs = y};
    assert_int_equal(cli_history_add(&h, &record), CMB_OK);
  }
  draw(&h);
  assert_true(h.room <= 512);
  assert_true(h.rows[(2 * h.count - 1) * h.columns + MANY] == RECORDS - 1);
  cli_history_end(&h);
  free(names);
  free(y);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_short_run_is_kept_as_it_is),
      cmocka_unit_test(test_long_run_keeps_extremes_in_order),
      cmocka_unit_test(test_resolution_in_time),
      cmocka_unit_test(test_degenerate),
      cmocka_unit_test(test_many_columns),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
