/*
 * Tests of the sine and cosine of programs (expr/sine_code.h) against those of the C library in long double: errors of about one unit in
 * the last place for arguments of all sizes, also next to multiples of π/2; equal to the C library beyond 10⁶; NaN for infinite arguments.
 */
#include "check.h"
#include "expr/sine_code.h"
#include "expr/table_code.h"
#include "random.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

CMB_TURN_CODE(CMB_CODE_COMPILED)
CMB_SINE_CODE(CMB_CODE_COMPILED)
CMB_COSINE_CODE(CMB_CODE_COMPILED)

static double error_in_units(double got, long double right)
{
  int exponent;
  frexpl(right, &exponent);
  return (double)(fabsl(got - right) / ldexpl(1, exponent - DBL_MANT_DIG));
}

static void update_errors(double x, double *sine, double *cosine)
{
  *sine = fmax(*sine, error_in_units(op_sine(x), sinl(x)));
  *cosine = fmax(*cosine, error_in_units(op_cosine(x), cosl(x)));
}

static void test_accuracy(void **state)
{
  (void)state;
  static const double sizes[] = {1e-8, 0.5, 1, 4, 100, 1e4, 1e6};
  struct cmbt_random r = {1};
  double sine = 0, cosine = 0;
  for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
    for (int i = 0; i < 200000; i++) {
      update_errors(cmbt_random_uniform(&r, -sizes[k], sizes[k]), &sine, &cosine);
    }
  }
  for (int i = -600000; i <= 600000; i += 7) { /* the nearest numbers to multiples of π/2 */
    const double x = i * 1.57079632679489661923;
    update_errors(x, &sine, &cosine);
    update_errors(nextafter(x, 0), &sine, &cosine);
  }
  printf("largest errors: sine %.3f, cosine %.3f units in the last place\n", sine, cosine);
  cmbt_below(sine, 1.1);
  cmbt_below(cosine, 1.1);
}

static void test_special(void **state)
{
  (void)state;
  assert_true(op_sine(0) == 0 && op_cosine(0) == 1);
  assert_true(op_sine(1e-300) == 1e-300);
  assert_true(isnan(op_sine(NAN)) && isnan(op_cosine(NAN)));
  assert_true(isnan(op_sine(INFINITY)) && isnan(op_cosine(-INFINITY)));
  assert_true(op_sine(1e22) == sin(1e22) && op_cosine(-3e6) == cos(-3e6));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_accuracy),
      cmocka_unit_test(test_special),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
