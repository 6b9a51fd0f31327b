/*
 * Tests of least, greatest and root mean square values of outputs (cli/extremes.h) against closed forms: of a sine with 50 points in a
 * period, of functions with a kink, of a step, and of a single instant; and the flag for outputs that oscillate too fast for the points.
 */
#include "check.h"

#include "cli/extremes.h"

#include <math.h>

static const double pi = 3.14159265358979323846;

/* Checks the values of 3 sin t and 1 + sin t, from 50 points in a period with uneven spacing h ≈ 2π/50. Interpolation by parabolas has an
 * error of about h³/16 = 1.2e-4 of the amplitude, by lines it would be h²/8 = 2e-3. */
static void test_sine(void **state)
{
  (void)state;
  enum { PERIODS = 20, POINTS = 50 * PERIODS };
  struct cli_extremes x;
  assert_int_equal(cli_extremes_begin(&x, 2), CMB_OK);
  for (int k = 0; k <= POINTS; k++) {
    const double uneven = k > 0 && k < POINTS ? 0.3 * sin(7.0 * k) : 0;
    const double t = 2 * pi * PERIODS * (k + uneven) / POINTS, values[] = {3 * sin(t), 1 + sin(t)};
    cli_extremes_add(&x, 5 + t, values);
  }
  cli_extremes_finish(&x);
  cmbt_near(cli_extremes_of(&x, 0).least, -3, 1e-3);
  cmbt_near(cli_extremes_of(&x, 0).greatest, 3, 1e-3);
  cmbt_near(cli_extremes_of(&x, 0).rms, 3 / sqrt(2), 3e-4);
  cmbt_near(cli_extremes_of(&x, 1).least, 0, 3e-4);
  cmbt_near(cli_extremes_of(&x, 1).rms, sqrt(1.5), 1e-4);
  assert_false(cli_extremes_of(&x, 0).is_coarse || cli_extremes_of(&x, 1).is_coarse);
  cli_extremes_end(&x);
}

/* Checks functions with a kink. Output 0 is like the force of a contact, 0 up to t = 20 and then rising: the parabolas at the kink must not
 * become negative, so the least value is exactly 0. Output 1 has its kink, with the value 0, between two points. */
static void test_kink(void **state)
{
  (void)state;
  struct cli_extremes x;
  assert_int_equal(cli_extremes_begin(&x, 2), CMB_OK);
  for (int k = 0; k <= 40; k++) {
    const double values[] = {fmax(0, k - 20), -fabs(k - 20.25)};
    cli_extremes_add(&x, k, values);
  }
  cli_extremes_finish(&x);
  assert_true(cli_extremes_of(&x, 0).least == 0 && cli_extremes_of(&x, 0).greatest == 20);
  /* between −0.25, the greatest value at the points, and the true value 0 */
  cmbt_near(cli_extremes_of(&x, 1).greatest, -0.125, 0.126);
  cmbt_near(cli_extremes_of(&x, 0).rms, sqrt(20.0 * 20 / 6), 1e-2);
  cli_extremes_end(&x);
}

/* Checks cos 2πt with one point in a period, at uneven distances: the flag is_coarse is set, the root mean square value is accurate to 3 %,
 * and no parabola exceeds the amplitude. The flag is not set for cos(2πt/40), with 40 points in a period. */
static void test_coarse(void **state)
{
  (void)state;
  enum { POINTS = 200 };
  struct cli_extremes x;
  assert_int_equal(cli_extremes_begin(&x, 2), CMB_OK);
  for (int k = 0; k <= POINTS; k++) {
    const double t = k + fmod(0.618 * k, 1) - 0.5,
                 values[] = {cos(2 * pi * t), cos(2 * pi * t / 40)};
    cli_extremes_add(&x, t, values);
  }
  cli_extremes_finish(&x);
  assert_true(cli_extremes_of(&x, 0).is_coarse);
  cmbt_near(cli_extremes_of(&x, 0).rms, sqrt(0.5), 0.03);
  assert_true(cli_extremes_of(&x, 0).greatest <= 1 && cli_extremes_of(&x, 0).greatest > 0.99);
  assert_false(cli_extremes_of(&x, 1).is_coarse);
  cli_extremes_end(&x);
}

/* Checks a step from 1 to 2 at t = 1, given as two points at the same time: the mean square is exactly (1² + 2²)/2. */
static void test_step(void **state)
{
  (void)state;
  static const double t[] = {0, 1, 1, 2}, value[] = {1, 1, 2, 2};
  struct cli_extremes x;
  assert_int_equal(cli_extremes_begin(&x, 1), CMB_OK);
  for (int k = 0; k < 4; k++) cli_extremes_add(&x, t[k], &value[k]);
  cli_extremes_finish(&x);
  cmbt_near(cli_extremes_of(&x, 0).rms, sqrt(2.5), 1e-15);
  assert_true(cli_extremes_of(&x, 0).least == 1 && cli_extremes_of(&x, 0).greatest == 2);
  cli_extremes_end(&x);
}

/* Checks that a run of a single instant gives the value there, and its absolute value as root mean square. */
static void test_instant(void **state)
{
  (void)state;
  static const double values[] = {-4};
  struct cli_extremes x;
  assert_int_equal(cli_extremes_begin(&x, 1), CMB_OK);
  cli_extremes_add(&x, 7, values);
  cli_extremes_finish(&x);
  assert_true(cli_extremes_of(&x, 0).rms == 4 && cli_extremes_of(&x, 0).least == -4 &&
              cli_extremes_of(&x, 0).greatest == -4);
  cli_extremes_end(&x);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_sine), cmocka_unit_test(test_kink),
                                     cmocka_unit_test(test_coarse), cmocka_unit_test(test_step),
                                     cmocka_unit_test(test_instant)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
