/*
 * The histogram of step times: quantiles of known samples to the width of a bucket, exact counts at powers of two times the
 * unit, and what lies outside all buckets.
 */
#include "check.h"

#include "cli/histogram.h"

static const double WIDTH = 1.0352649238413776; /* 2^(1/20), the ratio of a bucket's ends */

/* A quantile is not below the sample of that rank, and not a bucket's width above it. */
static void assert_quantile(const struct cli_histogram *h, int permille, double sample)
{
  double quantile = cli_histogram_quantile(h, permille);
  cmbt_below(sample, quantile);
  cmbt_below(quantile, sample * WIDTH * (1 + 1e-12));
}

static void test_quantiles(void **state)
{
  (void)state;
  struct cli_histogram h;
  cli_histogram_begin(&h, 1e-3);
  for (int k = 0; k < 10000; k++) { /* 1 to 10000 µs, in an order without pattern */
    cli_histogram_add(&h, 1e-6 * (1 + (k * 7919) % 10000));
  }
  assert_int_equal(h.total, 10000);
  cmbt_near(h.most, 1e-2, 1e-15);
  assert_quantile(&h, 500, 5e-3);
  assert_quantile(&h, 900, 9e-3);
  assert_quantile(&h, 990, 9.9e-3);
  assert_quantile(&h, 999, 9.99e-3);
  assert_true(cli_histogram_quantile(&h, 1000) == h.most);
}

/* 999 short ones and a long one: only what asks for more than 999 of 1000 sees it. */
static void test_rank(void **state)
{
  (void)state;
  struct cli_histogram h;
  cli_histogram_begin(&h, 1);
  for (int k = 0; k < 999; k++) cli_histogram_add(&h, 0.01);
  cli_histogram_add(&h, 0.5);
  assert_quantile(&h, 999, 0.01);
  assert_quantile(&h, 1000, 0.5);
  cli_histogram_add(&h, 0.5);
  assert_quantile(&h, 990, 0.01);
  assert_quantile(&h, 999, 0.5);
}

static void test_octaves(void **state)
{
  (void)state;
  struct cli_histogram h;
  cli_histogram_begin(&h, 3e-3);
  const double just_above = 1 + 1e-9;
  for (int octave = -9; octave <= 3; octave++) {
    cli_histogram_add(&h, 3e-3 * exp2(octave));
    cli_histogram_add(&h, 3e-3 * exp2(octave) * just_above);
  }
  for (int octave = -9; octave <= 3; octave++) {
    assert_int_equal(cli_histogram_up_to(&h, octave), 2 * (octave + 9) + 1);
  }
}

static void test_outside(void **state)
{
  (void)state;
  struct cli_histogram h;
  cli_histogram_begin(&h, 1e-3);
  assert_true(isnan(cli_histogram_quantile(&h, 500)));
  cli_histogram_add(&h, 0);
  assert_true(cli_histogram_quantile(&h, 500) == 0);
  cli_histogram_add(&h, 1e-15);
  cli_histogram_add(&h, 1e9);
  assert_int_equal(h.total, 3);
  assert_int_equal(cli_histogram_up_to(&h, -CLI_OCTAVES_BELOW), 2);
  assert_int_equal(cli_histogram_up_to(&h, CLI_OCTAVES_ABOVE), 2);
  assert_true(cli_histogram_quantile(&h, 999) == 1e9);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_quantiles), cmocka_unit_test(test_rank),
                                     cmocka_unit_test(test_octaves),
                                     cmocka_unit_test(test_outside)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
