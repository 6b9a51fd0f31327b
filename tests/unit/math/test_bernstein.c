/*
 * Tests of polynomials in Bernstein form (math/bernstein.h) of all degrees: on parts of [0, 1] their bounds contain the polynomial and its
 * derivative at random points, and the width of the bounds decreases with that of the part.
 */
#include "check.h"
#include "random.h"

#include "math/bernstein.h"

#include <stdbool.h>

enum { POLYNOMIALS = 300, POINTS = 20 };

/* Computes p = Σ a_k x^k and its derivative by Horner's rule in long double. */
static void value_of(int degree, const double *a, double x, double *value, double *derivative)
{
  long double p = 0, d = 0;
  for (int k = degree; k >= 0; k--) {
    d = d * x + p;
    p = p * x + a[k];
  }
  *value = (double)p;
  *derivative = (double)d;
}

static bool is_in(double x, cmb_interval range)
{
  return range.low <= x && x <= range.high;
}

/* Checks the bounds of the polynomial with monomial coefficients a and Bernstein coefficients c (error at most `rounding`) on [x0, x1]:
 * they contain 20 random values, and are at most 2·degree times as wide as the steepest slope permits. */
static void check_part(struct cmbt_random *r, int degree, const double *a, const double *c,
                       double rounding, double x0, double x1)
{
  double dc[CMB_BERNSTEIN_MOST];
  const double rate_rounding = cmb_bernstein_derivative(degree, c, rounding, dc);
  const cmb_interval range = cmb_bernstein_range(degree, c, rounding, x0, x1);
  const cmb_interval rate = cmb_bernstein_range(degree - 1, dc, rate_rounding, x0, x1);
  for (int k = 0; k < POINTS; k++) {
    double x = fmin(x1, cmbt_random_uniform(r, x0, x1)), value, derivative;
    value_of(degree, a, x, &value, &derivative);
    assert_true(is_in(value, range));
    assert_true(is_in(derivative, rate));
  }
  const double steepest = fmax(fabs(rate.low), fabs(rate.high));
  cmbt_below(range.high - range.low, 2 * degree * steepest * (x1 - x0) + 3 * rounding + 1e-12);
}

static void test_bounds(void **state)
{
  (void)state;
  struct cmbt_random r = {1};
  for (int k = 0; k < POLYNOMIALS; k++) {
    const int degree = cmbt_random_int(&r, 1, CMB_BERNSTEIN_MOST);
    double a[CMB_BERNSTEIN_MOST + 1], values[CMB_BERNSTEIN_MOST + 1], c[CMB_BERNSTEIN_MOST + 1];
    cmb_bernstein b;
    cmb_bernstein_create(&b, degree);
    for (int j = 0; j <= degree; j++) a[j] = cmbt_random_uniform(&r, -1, 1);
    for (int j = 0; j <= degree; j++) {
      double derivative;
      value_of(degree, a, b.node[j], &values[j], &derivative);
    }
    const double rounding = cmb_bernstein_coefficients(&b, values, c);
    cmbt_below(rounding, 1e-8);
    for (int part = 0; part < 8; part++) {
      double x0 = cmbt_random_uniform(&r, 0, 1);
      double x1 = fmin(1, x0 + pow(10, cmbt_random_uniform(&r, -8, 0)));
      check_part(&r, degree, a, c, rounding, part == 0 ? 0 : x0, part == 0 ? 1 : x1);
    }
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_bounds)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
