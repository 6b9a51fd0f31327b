/*
 * Tests of the trajectory stored for plots (cli/history.h): short runs are stored unchanged, of long ones the extremes in every interval of
 * time, in bounded memory, for steps of any length.
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

static struct cli_plot drawn; /* the plot of the history, set by draw */

/* Adds a record at time t with q = y, v = −y, λ = 0 and the outputs 1e-3 y and 1e3 y. */
static void add(struct cli_history *h, double t, double y)
{
  const double q = y, v = -y, lambda = 0, out[] = {1e-3 * y, 1e3 * y};
  const cmb_record record = {.t = t, .q = &q, .v = &v, .lambda = &lambda, .outputs = out};
  assert_int_equal(cli_history_add(h, &record), CMB_OK);
}

static void draw(const struct cli_history *h)
{
  cli_history_points(h, &drawn);
}

static double t_of(long i)
{
  return drawn.x[i * drawn.stride];
}

/* Returns column c of point i: 0 is the time, 1 the position. */
static double at(const struct cli_history *h, long i, int c)
{
  return h->rows[i * drawn.stride + c];
}

static void test_short_run_is_stored_unchanged(void **state)
{
  (void)state;
  enum { RECORDS = 3000 };
  struct cli_history h;
  cli_history_begin(&h, &equations);
  for (int i = 0; i < RECORDS; i++) add(&h, i, sin(i));
  draw(&h);
  assert_int_equal(drawn.points, RECORDS);
  for (int i = 0; i < RECORDS; i++) {
    assert_true(t_of(i) == i && at(&h, i, 1) == sin(i));
    assert_true(at(&h, i, 2) == -sin(i) && at(&h, i, 5) == 1e3 * sin(i));
  }
  cli_history_end(&h);
}

/* Returns the value of record i, at t = i: sin(1e-5 t), but 7 in record `at` and −5 in the next one. */
static double sine_with_extremes(long i, long at)
{
  return i == at ? 7 : i == at + 1 ? -5 : sin(1e-5 * (double)i);
}

/* Checks that a run of two million records is stored in bounded memory, with ascending times and with both single extreme values, in the
 * order in which they occurred; all other stored values are within one interval of the sine. */
static void test_long_run_keeps_extremes_in_order(void **state)
{
  (void)state;
  enum { RECORDS = 2000000, PEAK = 1234567 };
  struct cli_history h;
  cli_history_begin(&h, &equations);
  for (long i = 0; i < RECORDS; i++) add(&h, (double)i, sine_with_extremes(i, PEAK));
  draw(&h);
  assert_true(drawn.points <= 8192 && drawn.points >= 4000);
  assert_true(h.room <= 4096);
  assert_true(t_of(0) == 0 && t_of(drawn.points - 1) == RECORDS - 1);
  long high = -1, low = -1;
  for (long i = 0; i < drawn.points; i++) {
    if (i > 0) assert_true(t_of(i) >= t_of(i - 1));
    if (at(&h, i, 1) == 7) high = i;
    if (at(&h, i, 1) == -5) low = i;
    if (fabs(at(&h, i, 1)) > 1) { /* the stored time differs by at most the length of an interval */
      assert_true(fabs(t_of(i) - PEAK) <= RECORDS / 1000.0);
    } else {
      const double slope = 1e-5 * RECORDS / 1000.0;
      assert_true(fabs(at(&h, i, 1) - sin(1e-5 * t_of(i))) <= slope);
    }
  }
  assert_true(high >= 0 && low == high + 1);
  cli_history_end(&h);
}

/* Checks that of a million records within the first 0.1 % of the time and 1000 later ones, with the values 1 to 1000, all values from 2 on
 * are stored: intervals are of equal length in time, not of equal numbers of records. */
static void test_resolution_in_time(void **state)
{
  (void)state;
  struct cli_history h;
  cli_history_begin(&h, &equations);
  for (long i = 0; i < 1000000; i++) add(&h, 1e-9 * (double)i, 1);
  for (int i = 1; i <= 1000; i++) add(&h, 1e-3 * i, i);
  draw(&h);
  int seen = 0;
  for (long i = 0; i < drawn.points; i++)
    seen += at(&h, i, 1) >= 2 && (i == 0 || at(&h, i, 1) > at(&h, i - 1, 1));
  assert_int_equal(seen, 999);
  cli_history_end(&h);
}

/* Checks that 20000 records at the same time, all NaN but one, give at most 8192 points, among them the one that is a number. */
static void test_degenerate(void **state)
{
  (void)state;
  struct cli_history h;
  cli_history_begin(&h, &equations);
  for (int i = 0; i < 20000; i++) add(&h, 5, i == 10000 ? 3 : NAN);
  draw(&h);
  assert_true(drawn.points <= 8192);
  double most = -INFINITY;
  for (long i = 0; i < drawn.points; i++) most = fmax(most, at(&h, i, 1));
  assert_true(most == 3);
  cli_history_end(&h);
}

/* Checks that 30000 columns lower the number of intervals, and that the last record is stored. */
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
      cmocka_unit_test(test_short_run_is_stored_unchanged),
      cmocka_unit_test(test_long_run_keeps_extremes_in_order),
      cmocka_unit_test(test_resolution_in_time),
      cmocka_unit_test(test_degenerate),
      cmocka_unit_test(test_many_columns),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
