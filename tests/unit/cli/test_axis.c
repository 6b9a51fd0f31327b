/*
 * Tests of the axes of plots (cli/axis.h): range, ticks and labels of linear and logarithmic axes and of axes in degrees, for ranges on both
 * sides of the limits at which the distance of the ticks, the form of the labels or the offset changes.
 */
#include "check.h"

#include "cli/axis.h"

#include <float.h>
#include <stdio.h>

/* Checks that the axis has exactly these ticks, with these labels. */
static void check_ticks(const struct cli_axis *a, int wanted, int count, const double *ticks,
                        const char *const *labels)
{
  double tick[CLI_AXIS_MOST_TICKS];
  char text[CLI_AXIS_TEXT];
  const int seen = cli_axis_ticks(a, wanted, tick);
  if (seen != count) fail_msg("%d ticks from %g on; expected %d", seen, tick[0], count);
  for (int i = 0; i < count; i++) {
    cmbt_near(tick[i], ticks[i], 1e-12 * fabs(ticks[i]));
    cli_axis_tick_text(a, wanted, tick[i], text);
    assert_string_equal(text, labels[i]);
  }
}

static void test_linear(void **state)
{
  (void)state;
  const struct cli_axis unit = {.low = 0, .high = 1};
  check_ticks(&unit, 5, 6, (double[]){0, 0.2, 0.4, 0.6, 0.8, 1},
              (const char *[]){"0.0", "0.2", "0.4", "0.6", "0.8", "1.0"});
  check_ticks(&unit, 2, 3, (double[]){0, 0.5, 1}, (const char *[]){"0.0", "0.5", "1.0"});
  check_ticks(&unit, 1, 2, (double[]){0, 1}, (const char *[]){"0", "1"});
  /* the distance is 1, 2, 5 or 10 times a power of ten: changes at 1.5, 3.5 and 7.5 of it */
  const struct cli_axis wide[] = {{.low = -7.4, .high = 7.4},   {.low = -7.6, .high = 7.6},
                                  {.low = -17.4, .high = 17.4}, {.low = -17.6, .high = 17.6},
                                  {.low = -37.4, .high = 37.4}, {.low = -37.6, .high = 37.6}};
  const double steps[] = {1, 2, 2, 5, 5, 10};
  for (int k = 0; k < 6; k++) {
    double tick[CLI_AXIS_MOST_TICKS];
    const int count = cli_axis_ticks(&wide[k], 10, tick);
    const double last = steps[k] * floor(wide[k].high / steps[k]);
    assert_int_equal(count, 1 + (int)(2 * last / steps[k]));
    for (int i = 0; i < count; i++) cmbt_near(tick[i], i * steps[k] - last, 1e-12);
  }
}

static void test_degrees(void **state)
{
  (void)state;
  const struct cli_axis half = {.low = -180, .high = 0, .degrees = true},
                        small = {.low = 0, .high = 30, .degrees = true},
                        turns = {.low = 0, .high = 4000, .degrees = true};
  check_ticks(&half, 4, 5, (double[]){-180, -135, -90, -45, 0},
              (const char *[]){"-180", "-135", "-90", "-45", "0"});
  check_ticks(&half, 2, 3, (double[]){-180, -90, 0}, (const char *[]){"-180", "-90", "0"});
  check_ticks(&small, 3, 3, (double[]){0, 15, 30}, (const char *[]){"0", "15", "30"});
  check_ticks(&small, 4, 4, (double[]){0, 10, 20, 30}, (const char *[]){"0", "10", "20", "30"});
  check_ticks(&turns, 5, 6, (double[]){0, 720, 1440, 2160, 2880, 3600},
              (const char *[]){"0", "720", "1440", "2160", "2880", "3600"});
}

/* Checks logarithmic axes, whose ranges are decimal logarithms: 1, 2 and 5 in each decade up to two decades, otherwise powers of ten, all of
 * them or every second one. */
static void test_logarithmic(void **state)
{
  (void)state;
  const struct cli_axis one = {.low = -0.1, .high = 1.4, .logarithmic = true},
                        two = {.low = 0, .high = 2, .logarithmic = true},
                        six = {.low = -3, .high = 3, .logarithmic = true},
                        longer = {.low = -3.2, .high = 3.3, .logarithmic = true},
                        tiny = {.low = -9, .high = -6, .logarithmic = true};
  check_ticks(&one, 5, 5, (double[]){1, 2, 5, 10, 20}, (const char *[]){"1", "2", "5", "10", "20"});
  check_ticks(&two, 5, 3, (double[]){1, 10, 100}, (const char *[]){"1", "10", "100"});
  check_ticks(&six, 5, 7, (double[]){1e-3, 1e-2, 0.1, 1, 10, 100, 1000},
              (const char *[]){"0.001", "0.01", "0.1", "1", "10", "100", "1000"});
  check_ticks(&longer, 5, 3, (double[]){1e-2, 1, 100}, (const char *[]){"0.01", "1", "100"});
  check_ticks(&tiny, 5, 4, (double[]){1e-9, 1e-8, 1e-7, 1e-6},
              (const char *[]){"1e-9", "1e-8", "1e-7", "1e-6"});
}

static void test_offset(void **state)
{
  (void)state;
  char text[CLI_AXIS_TEXT];
  const struct cli_axis near = {.low = 1.7e9 - 3, .high = 1.7e9 + 7}, usual = {.low = 3, .high = 9};
  cli_axis_offset_text(&near, 5, text);
  assert_string_equal(text, "+1.7e9");
  check_ticks(&near, 5, 5, (double[]){1.7e9 - 2, 1.7e9, 1.7e9 + 2, 1.7e9 + 4, 1.7e9 + 6},
              (const char *[]){"-2", "0", "2", "4", "6"});
  cli_axis_offset_text(&usual, 5, text);
  assert_string_equal(text, "");
}

static void check_range(struct cli_axis a, double low, double high)
{
  cli_axis_widen(&a);
  cmbt_near(a.low, low, 1e-13 * fabs(low));
  cmbt_near(a.high, high, 1e-13 * fabs(high));
}

/* Checks that a range is extended only if it is empty or constant up to rounding. */
static void test_range(void **state)
{
  (void)state;
  struct cli_axis a = cli_axis_empty(false), b = cli_axis_empty(true);
  check_range(a, 0, 1);
  cli_axis_include(&a, NAN);
  cli_axis_include(&a, INFINITY);
  check_range(a, 0, 1);
  cli_axis_include(&a, 4);
  check_range(a, 2, 6);
  cli_axis_include(&a, 4 + 100 * DBL_EPSILON);
  check_range(a, 2, 6 + 100 * DBL_EPSILON);
  cli_axis_include(&a, 4 + 1000 * DBL_EPSILON);
  check_range(a, 4, 4 + 1000 * DBL_EPSILON);
  cli_axis_include(&a, -1);
  check_range(a, -1, 4 + 1000 * DBL_EPSILON);
  cli_axis_include(&b, -5);
  cli_axis_include(&b, 0);
  cli_axis_include(&b, 100);
  check_range(b, 1.5, 2.5);
  cli_axis_include(&b, 1e-3);
  check_range(b, -3, 2);
  check_range((struct cli_axis){.low = 0, .high = 0}, -0.5, 0.5);
}

static void test_exponents(void **state)
{
  (void)state;
  static const char *const cases[][2] = {{"1.5e-05", "1.5e-5"},
                                         {"1e+00", "1e0"},
                                         {"2e+10", "2e10"},
                                         {"2e-100", "2e-100"},
                                         {"15", "15"}};
  for (int k = 0; k < 5; k++) {
    char text[20];
    snprintf(text, sizeof text, "%s", cases[k][0]);
    cli_shorten_exponent(text);
    assert_string_equal(text, cases[k][1]);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_linear),      cmocka_unit_test(test_degrees),
      cmocka_unit_test(test_logarithmic), cmocka_unit_test(test_offset),
      cmocka_unit_test(test_range),       cmocka_unit_test(test_exponents),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
