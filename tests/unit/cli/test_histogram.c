/*
 * Tests of the histogram of computing times (cli/histogram.h): quantiles of known samples are accurate to the width of a bucket, counts up
 * to the unit times a power of two are exact, and samples below and above all buckets are counted.
 */
#include "check.h"

#include "cli/histogram.h"

static const double WIDTH = 1.0352649238413776; /* 2^(1/20), the ratio of a bucket's ends */

/* Checks that the quantile of order permille/1000 lies between the exact one, `sample`, and `sample` times the width of a bucket. */
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

/* Checks the rank that belongs to an order: of 999 samples 0.01 and one sample 0.5 the quantile of order 0.999 is 0.01 and that of order 1
 * is 0.5; with a second sample 0.5 the quantile of order 0.999 is 0.5. */
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

/* Checks the counts up to u·2^k, with the unit u and k = −9, ..., 3: of samples at each of these limits and just above each. */
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

/* Checks the quantile without samples, which is NaN, and the samples 0, 1e-15 and 1e9, which are outside of the buckets of the unit
 * 1e-3. */
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
