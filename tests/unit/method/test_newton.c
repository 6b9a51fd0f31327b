/*
 * Tests of the convergence test of Newton iterations (method/newton.h) with increments of known rates: a linear iteration with contraction
 * θ leaves an error of exactly θ/(1 − θ) times its last increment, which is compared with the estimate of the rule.
 */
#include "check.h"

#include "method/newton.h"

#include <float.h>
#include <math.h>

static const cmb_newton_rule plain = {.most = 10,
                                      .mean = CMB_NEWTON_OF_LAST,
                                      .diverges = 1,
                                      .predicts = true,
                                      .slow = 0.1,
                                      .eta_new = 1,
                                      .eta_power = 0.8,
                                      .eta_least = DBL_EPSILON,
                                      .kappa = 0.03,
                                      .roundings = 10};

/* Passes increments first, first θ, first θ², .. until the iteration has converged; *count is their number. Returns the first failure. */
static cmb_status iterate(cmb_newton *n, double first, double theta, int *count)
{
  cmb_newton_begin(n);
  for (*count = 0; !n->arrived; ++*count) {
    cmb_status status = cmb_newton_judge(n, first * pow(theta, *count));
    if (status != CMB_OK) return status;
  }
  return CMB_OK;
}

/* Checks that at convergence the true error is below κ, and that one increment fewer would not have been enough. */
static void test_error_left(void **state)
{
  (void)state;
  const double rates[] = {1e-6, 1e-3, 0.05, 0.2, 0.4, 0.6};
  const cmb_newton_mean means[] = {CMB_NEWTON_OF_LAST, CMB_NEWTON_OF_TWO, CMB_NEWTON_OF_ALL};
  for (size_t m = 0; m < sizeof means / sizeof *means; m++) {
    cmb_newton_rule rule = plain;
    rule.mean = means[m];
    rule.most = 40;
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++) {
      const double theta = rates[i];
      cmb_newton n;
      int count = 0;
      cmb_newton_create(&n, &rule, 1e-3, 1e-6);
      assert_int_equal(iterate(&n, 5, theta, &count), CMB_OK);
      assert_int_equal(n.iterations, count);
      cmbt_near(n.theta, theta, 1e-12);
      const double left = 5 * pow(theta, count) / (1 - theta);
      assert_true(left <= 1e-3 * (1 + 1e-9));
      if (count > 2) assert_true(left / theta > 1e-3 * (1 - 1e-9));
      assert_int_equal(cmb_newton_is_slow(&n), theta > rule.slow);
    }
  }
}

/* Checks that η of the previous iteration lets the next one converge with its first increment, and after cmb_newton_forget does not. */
static void test_memory(void **state)
{
  (void)state;
  cmb_newton n;
  int count = 0;
  cmb_newton_create(&n, &plain, 1, 1e-3);
  cmbt_near(n.enough, 0.03, 0);
  assert_int_equal(iterate(&n, 1, 1e-3, &count), CMB_OK);
  assert_int_equal(count, 2);
  assert_int_equal(iterate(&n, 1, 1e-3, &count), CMB_OK);
  assert_int_equal(count, 1);
  assert_false(cmb_newton_is_slow(&n)); /* no rate was measured */
  cmb_newton_forget(&n);
  assert_int_equal(iterate(&n, 1, 1e-3, &count), CMB_OK);
  assert_int_equal(count, 2);
}

/* Checks that κ is not below rounding, relative to the tolerance. */
static void test_least_kappa(void **state)
{
  (void)state;
  cmb_newton n;
  cmb_newton_create(&n, &plain, sqrt(1e-14), 1e-14);
  cmbt_near(n.enough, 10 * DBL_EPSILON / 1e-14, 1e-12);
}

static void test_divergence(void **state)
{
  (void)state;
  cmb_newton n;
  int count = 0;
  cmb_newton_create(&n, &plain, 1e-3, 1e-6);
  assert_int_equal(iterate(&n, 1, 1, &count), CMB_RETRY_NEWTON);
  assert_int_equal(count, 1);
  assert_true(n.excess == 0); /* no prediction of the final error is possible */
  assert_int_equal(iterate(&n, 1, 3, &count), CMB_RETRY_NEWTON);
  n.tolerable = 0.5; /* increments below this that do not shrink are rounding */
  assert_int_equal(iterate(&n, 0.4, 1.1, &count), CMB_OK);
  assert_int_equal(count, 2);
  assert_int_equal(iterate(&n, 0.6, 1, &count), CMB_RETRY_NEWTON);
  n.negligible = 0.6;
  assert_int_equal(iterate(&n, 0.6, 1, &count), CMB_OK);
  assert_int_equal(count, 1);
}

/* Checks that too slow a rate is recognised after two increments, and that the predicted final error is the true one. */
static void test_prediction(void **state)
{
  (void)state;
  const double theta = 0.8;
  for (int spare = 0; spare < 2; spare++) {
    cmb_newton_rule rule = plain;
    rule.spare = spare;
    cmb_newton n;
    int count = 0;
    cmb_newton_create(&n, &rule, 1e-3, 1e-6);
    assert_int_equal(iterate(&n, 1, theta, &count), CMB_RETRY_NEWTON);
    assert_int_equal(count, 1);
    assert_int_equal(n.left, rule.most - 2 - spare);
    cmbt_near(n.excess, pow(theta, rule.most - spare) / (1 - theta) / 1e-3, 1e-9 * n.excess);
    rule.predicts = false; /* all permitted iterations are made */
    cmb_newton_forget(&n);
    assert_int_equal(iterate(&n, 1, theta, &count), CMB_RETRY_NEWTON);
    assert_int_equal(count, rule.most - 1);
  }
}

/* With spare = 1: checks that the last increment is judged with the rate measured before it. */
static void test_spare(void **state)
{
  (void)state;
  cmb_newton_rule rule = plain;
  rule.most = 3;
  rule.spare = 1;
  rule.predicts = false;
  cmb_newton n;
  cmb_newton_create(&n, &rule, 1e-3, 1e-6);
  cmb_newton_begin(&n);
  assert_int_equal(cmb_newton_judge(&n, 1), CMB_OK);
  assert_int_equal(cmb_newton_judge(&n, 0.5), CMB_OK);
  assert_int_equal(cmb_newton_judge(&n, 0.9e-3), CMB_OK);
  assert_true(n.arrived);
  cmbt_near(n.theta, 0.5, 0);
}

static void test_not_finite(void **state)
{
  (void)state;
  const double sizes[] = {NAN, INFINITY};
  for (int i = 0; i < 2; i++) {
    cmb_newton n;
    cmb_newton_create(&n, &plain, 1e-3, 1e-6);
    cmb_newton_begin(&n);
    assert_int_equal(cmb_newton_judge(&n, sizes[i]), CMB_RETRY_NONFINITE);
    assert_false(n.arrived);
    cmb_newton_begin(&n);
    assert_int_equal(cmb_newton_judge(&n, 1), CMB_OK);
    assert_int_equal(cmb_newton_judge(&n, sizes[i]), CMB_RETRY_NONFINITE);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_error_left),  cmocka_unit_test(test_memory),
      cmocka_unit_test(test_least_kappa), cmocka_unit_test(test_divergence),
      cmocka_unit_test(test_prediction),  cmocka_unit_test(test_spare),
      cmocka_unit_test(test_not_finite),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
