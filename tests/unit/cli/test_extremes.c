/*
 * Least, greatest and root mean square values: those of a sine over one period, of a jump, and of a single instant.
 */
#include "check.h"

#include "cli/extremes.h"

#include <math.h>

static void test_sine(void **state)
{
  (void)state;
  enum { POINTS = 1000 };
  const double period = 2 * acos(-1.0);
  struct cli_extremes x;
  assert_int_equal(cli_extremes_begin(&x, 2), CMB_OK);
  for (int k = 0; k <= POINTS; k++) {
    const double t = period * k / POINTS, values[] = {3 * sin(t), 1 + sin(t)};
    cli_extremes_add(&x, 5 + t, values);
  }
  cmbt_near(x.least[0], -3, 3e-5);
  cmbt_near(x.greatest[0], 3, 3e-5);
  cmbt_near(cli_extremes_rms(&x, 0), 3 / sqrt(2), 1e-4);
  cmbt_near(x.least[1], 0, 1e-5);
  cmbt_near(cli_extremes_rms(&x, 1), sqrt(1.5), 1e-4);
  cli_extremes_end(&x);
}

/* A step from 1 to 2 in the middle, handed in as both sides of an event: the rule of trapezoids does not smear it. */
static void test_jump(void **state)
{
  (void)state;
  static const double t[] = {0, 1, 1, 2}, value[] = {1, 1, 2, 2};
  struct cli_extremes x;
  assert_int_equal(cli_extremes_begin(&x, 1), CMB_OK);
  for (int k = 0; k < 4; k++) cli_extremes_add(&x, t[k], &value[k]);
  cmbt_near(cli_extremes_rms(&x, 0), sqrt(2.5), 1e-15);
  assert_true(x.least[0] == 1 && x.greatest[0] == 2);
  cli_extremes_end(&x);
}

static void test_instant(void **state)
{
  (void)state;
  static const double values[] = {-4};
  struct cli_extremes x;
  assert_int_equal(cli_extremes_begin(&x, 1), CMB_OK);
  cli_extremes_add(&x, 7, values);
  assert_true(cli_extremes_rms(&x, 0) == 4 && x.least[0] == -4 && x.greatest[0] == -4);
  cli_extremes_end(&x);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_sine), cmocka_unit_test(test_jump),
                                     cmocka_unit_test(test_instant)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
