/*
 * Tests of the bracketing root finder (math/root.h): smooth functions need few evaluations, difficult ones at most a few times as many as
 * bisection, and the root never leaves the bracket.
 */
#include "check.h"
#include "math/root.h"

#include <float.h>

typedef double (*function)(double x);

/* Returns the number of evaluations until the bracket is at most `tolerance` wide. Checks that it contains `root` all the time, up to
 * rounding of the function. */
static int evaluations(function f, double a, double b, double root, double tolerance)
{
  cmb_root r;
  cmb_root_begin(&r, a, f(a), b, f(b));
  int count = 0;
  while (cmb_root_width(&r) > tolerance) {
    double x = cmb_root_next(&r);
    assert_true(x > fmin(r.a, r.b) && x < fmax(r.a, r.b));
    cmb_root_update(&r, x, f(x));
    const double rounding = 8 * DBL_EPSILON;
    assert_true(fmin(r.a, r.b) <= root + rounding && root <= fmax(r.a, r.b) + rounding);
    assert_true(++count < 1000);
  }
  return count;
}

static double cube(double x)
{
  return x * x * x - 2;
}

static double exponential(double x)
{
  return exp(x) - 10;
}

static double flat(double x)
{
  return pow(x - 1, 9);
}

static double steep(double x)
{
  return tanh(1e6 * (x - 0.3));
}

static double jump(double x)
{
  return x < 0.7 ? -1 : 1e-8;
}

static double falling(double x)
{
  return 0.25 - x;
}

static const double TOLERANCE = 1e-12;
static const int BISECTIONS =
    42; /* log2(3/TOLERANCE): from a bracket of length 3 to the tolerance */

static void smooth_functions_take_few_evaluations(void **state)
{
  (void)state;
  assert_in_range(evaluations(cube, 0, 2, cbrt(2), TOLERANCE), 3, BISECTIONS / 2);
  assert_in_range(evaluations(exponential, 0, 3, log(10), TOLERANCE), 3, BISECTIONS / 2);
  assert_in_range(evaluations(falling, 0, 1, 0.25, TOLERANCE), 1, BISECTIONS);
}

static void difficult_functions_take_a_few_times_bisection(void **state)
{
  (void)state;
  assert_in_range(evaluations(steep, 0, 1, 0.3, TOLERANCE), 3, 2 * BISECTIONS);
  assert_in_range(evaluations(jump, 0, 1, 0.7, TOLERANCE), 3, 2 * BISECTIONS);
  assert_in_range(evaluations(flat, 0, 3, 1, TOLERANCE), 3, 3 * BISECTIONS);
}

static void the_ends_may_be_in_any_order(void **state)
{
  (void)state;
  assert_in_range(evaluations(cube, 2, 0, cbrt(2), TOLERANCE), 3, BISECTIONS / 2);
  assert_in_range(evaluations(falling, 1, 0, 0.25, TOLERANCE), 1, BISECTIONS);
}

static double exact_zero(double x)
{
  return x - 0.5; /* the first secant of [0, 1] gives the root exactly */
}

static void an_exact_zero_is_accepted(void **state)
{
  (void)state;
  assert_in_range(evaluations(exact_zero, 0, 1, 0.5, TOLERANCE), 1, BISECTIONS);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(smooth_functions_take_few_evaluations),
      cmocka_unit_test(difficult_functions_take_a_few_times_bisection),
      cmocka_unit_test(the_ends_may_be_in_any_order),
      cmocka_unit_test(an_exact_zero_is_accepted),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
