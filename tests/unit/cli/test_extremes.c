/*
 * Least, greatest and root mean square values: those of a sine with few points a period, of a corner, of a jump, and of a single instant;
 * outputs that change faster than the points show.
 */
#include "check.h"

#include "cli/extremes.h"

#include <math.h>

static const double pi = 3.14159265358979323846;

/* 50 points a period at uneven distances. Parabolas are off by (2π/50)³/16 of the amplitude, lines would be by (2π/50)²/8, 0.2 %. */
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

/* The force of a contact is 0 and then grows steeply: nothing of it is negative, and what is least is 0 exactly. */
static void test_corner(void **state)
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
  cmbt_near(cli_extremes_of(&x, 1).greatest, -0.125,
            0.126); /* the corner is between two points: 0 at most, −0.25 there */
  cmbt_near(cli_extremes_of(&x, 0).rms, sqrt(20.0 * 20 / 6), 1e-2);
  cli_extremes_end(&x);
}

/* A rotor that turns 200 times, seen at 200 points, at uneven distances: its mean square is about right, and it is said that the points are few. */
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

/* A step from 1 to 2 in the middle, handed in as both sides of an event: it is not smeared. */
static void test_jump(void **state)
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
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_sine), cmocka_unit_test(test_corner),
                                     cmocka_unit_test(test_coarse), cmocka_unit_test(test_jump),
                                     cmocka_unit_test(test_instant)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
