/*
 * Tests of the step-size controllers (method/controller.h) with errors that follow the assumed law, err = (h/H)^k: the sizes have to
 * converge to the value that the safety factor determines, from any first size.
 */
#include "check.h"

#include "method/method.h"

#include <math.h>

static const cmb_controller pi = {.kind = CMB_CONTROLLER_PI,
                                  CMB_CONTROLLER_PI_ORDER(5, 0.04),
                                  .safety = 0.9,
                                  .shrink = 0.2,
                                  .grow = 10,
                                  .failed = 0.25};

static const cmb_controller predictive = {.kind = CMB_CONTROLLER_PREDICTIVE,
                                          .order = 4,
                                          .safety = 0.9,
                                          .shrink = 0.2,
                                          .grow = 8,
                                          .failed = 0.5,
                                          .iterations = 7,
                                          .keep_from = 0.95,
                                          .keep_to = 1.2,
                                          .first_rejected = 0.1,
                                          .foreseen = 0.8,
                                          .below_failure = 0.9,
                                          .back = 1.05};

static const cmb_controller halving = {.kind = CMB_CONTROLLER_HALVING,
                                       .order = 2,
                                       .floor = 1e-4,
                                       .shrink = 0.5,
                                       .grow = 2,
                                       .decided = 0.9,
                                       .rejected_least = 0.25,
                                       .rejected_most = 0.9,
                                       .rejected_safety = 0.9,
                                       .rejected_again = 0.25,
                                       .failed = 0.25};

/* Checks that h converges from any first size to the one with err^(1/k − 0.75 β) err^(−β) = 0.9, where it no longer changes. */
static void test_pi(void **state)
{
  (void)state;
  const double H = 0.37, stationary = pow(0.9, 1 / (1.0 / 5 - 0.75 * 0.04 - 0.04));
  for (int start = -8; start <= 0; start++) {
    cmb_controller_memory memory;
    double h = pow(10, start) * H;
    cmb_controller_reset(&memory);
    for (int i = 0; i < 100; i++) {
      const double error = pow(h / H, 5), before = h;
      h = cmb_controller_pi(&pi, &memory, h, error, 0);
      assert_true(h <= 10 * before && h >= 0.2 * before);
    }
    cmbt_near(pow(h / H, 5), stationary, 1e-9);
  }
}

static void test_pi_rejected(void **state)
{
  (void)state;
  cmb_controller_memory memory;
  cmb_controller_reset(&memory);
  cmbt_near(cmb_controller_pi_rejected(&pi, 2, pow(2, 5)), 2 * 0.9 * pow(2, -5 * (0.2 - 0.03)),
            1e-14);
  cmbt_near(cmb_controller_pi_rejected(&pi, 2, 1e30), 0.4, 0); /* limited by `shrink` */
  assert_true(cmb_controller_pi_rejected(&pi, 2, 1.0000001) < 2);
  cmbt_near(cmb_controller_pi(&pi, &memory, 2, 1e-9, 1), 2,
            0); /* h does not grow in a step with a rejection */
}

/* Checks that after many rejections the safety factor falls to 0.6 of its value and later rises again, that few rejections do not change it,
 * and that an event does not reset the mean number of rejections. */
static void test_pi_cautious(void **state)
{
  (void)state;
  cmb_controller cautious = pi;
  cautious.caution = 4;
  cmb_controller_memory memory;
  const double usual = 0.9 * pow(1e-4, 0.04); /* for an error of 1 after 1e-4, the initial value */
  cmb_controller_reset(&memory);
  for (int i = 0; i < 100; i++) cmb_controller_pi(&cautious, &memory, 1, 1, i % 20 == 0);
  cmbt_near(cmb_controller_pi(&cautious, &memory, 1, 1, 0), 0.9, 1e-14);
  for (int i = 0; i < 300; i++) cmb_controller_pi(&cautious, &memory, 1, 1, 1);
  cmbt_near(cmb_controller_pi(&cautious, &memory, 1, 1, 1), 0.6 * 0.9, 1e-14);
  cmb_controller_begin(&memory);
  cmbt_near(cmb_controller_pi(&cautious, &memory, 1, 1, 0), 0.6 * usual, 1e-14);
  for (int i = 0; i < 300; i++) cmb_controller_pi(&cautious, &memory, 1, 1, 0);
  cmbt_near(cmb_controller_pi(&cautious, &memory, 1, 1, 0), 0.9, 1e-14);
}

/* Checks h_new = 0.9 h err^(−1/4) when no earlier error is known, and less than this after many iterations. */
static void test_predictive(void **state)
{
  (void)state;
  const double H = 0.37;
  cmb_controller_memory memory;
  cmb_controller_reset(&memory);
  const cmb_controller_step slow = {H, 0.0625, 0, 7}, quick = {H, 0.0625, 0, 1};
  cmbt_near(cmb_controller_predict(&predictive, &memory, &quick, false), H * 0.9 * 2, 1e-14);
  cmb_controller_restart(&memory);
  cmbt_near(cmb_controller_predict(&predictive, &memory, &slow, false), H * 0.9 * 15 / 21 * 2,
            1e-14);
  double h = 1e-5 * H;
  cmb_controller_reset(&memory);
  for (int i = 0; i < 60; i++) {
    const cmb_controller_step step = {h, pow(h / H, 4), 0, 1};
    h = cmb_controller_predict(&predictive, &memory, &step, false);
  }
  cmbt_near(h / H, 0.9, 1e-9);
}

/* Checks that errors that grow from step to step reduce the next step before it would be rejected. */
static void test_trend(void **state)
{
  (void)state;
  cmb_controller_memory memory;
  cmb_controller_reset(&memory);
  const cmb_controller_step first = {1, 0.1, 0, 1}, second = {1, 0.4, 0, 1};
  cmb_controller_predict(&predictive, &memory, &first, false);
  cmbt_near(cmb_controller_predict(&predictive, &memory, &second, false),
            0.9 * pow(0.1 / 0.4, 0.25) * pow(0.4, -0.25), 1e-14);
}

/* Checks that h is kept where little would be gained by a change, if the factorised matrix can then be reused. */
static void test_band(void **state)
{
  (void)state;
  cmb_controller_memory memory;
  const cmb_controller_step step = {3, pow(0.9 / 1.1, 4), 0, 1};
  cmb_controller_reset(&memory);
  cmbt_near(cmb_controller_predict(&predictive, &memory, &step, true), 3, 0);
  cmb_controller_restart(&memory);
  cmbt_near(cmb_controller_predict(&predictive, &memory, &step, false), 3.3, 1e-14);
}

/* Checks that steps stay below a size with which the iteration has failed, and that this limit rises slowly. */
static void test_limit(void **state)
{
  (void)state;
  cmb_controller_memory memory;
  const cmb_controller_step step = {0.5, 1e-6, 0, 1};
  cmb_controller_reset(&memory);
  cmb_controller_stay_below(&predictive, &memory, 1);
  for (int i = 0; i < 20; i++) {
    cmbt_near(cmb_controller_predict(&predictive, &memory, &step, false), 0.9 * pow(1.05, i),
              1e-12);
  }
  cmb_controller_restart(&memory);
  cmbt_near(cmb_controller_predict(&predictive, &memory, &step, false), 4, 0);
}

static void test_predictive_rejected(void **state)
{
  (void)state;
  const cmb_controller_step step = {1, 16, 0, 1};
  cmbt_near(cmb_controller_predict_rejected(&predictive, &step, false), 0.45, 1e-15);
  cmbt_near(cmb_controller_predict_rejected(&predictive, &step, true), 0.1, 0);
}

/* Checks the reduction of h if an iteration would end with 16 times the permitted error after two more iterations. */
static void test_failure(void **state)
{
  (void)state;
  cmbt_near(cmb_controller_failure(&predictive, 0, 0), 0.5, 0);
  cmbt_near(cmb_controller_failure(&predictive, 16, 2), 0.8 * pow(16, -1.0 / 6), 1e-15);
  cmbt_near(cmb_controller_failure(&predictive, 1e9, 2), 0.8 * pow(20, -1.0 / 6), 1e-15);
}

/* Checks where h is doubled (the error with 2 h would be small enough), kept, or reduced, then by a tenth at least. */
static void test_halving(void **state)
{
  (void)state;
  for (int k = 2; k <= 6; k++) {
    const double at = (pow(2, -k) - 1e-4) / 2; /* the error for which 2 h is just permitted */
    cmbt_near(cmb_controller_halve(&halving, 1, at * (1 - 1e-9), k, true), 2, 0);
    cmbt_near(cmb_controller_halve(&halving, 1, at * (1 - 1e-9), k, false), 1, 0);
    cmbt_near(cmb_controller_halve(&halving, 1, at * (1 + 1e-9), k, true), 1, 0);
    cmbt_near(cmb_controller_halve(&halving, 1, 0.499, k, true), 1, 0);
    cmbt_near(cmb_controller_halve(&halving, 1, 0.5, k, true), 0.9, 0);
    cmbt_near(cmb_controller_halve(&halving, 1, (pow(0.7, -k) - 1e-4) / 2, k, true), 0.7, 1e-14);
    cmbt_near(cmb_controller_halve(&halving, 1, 1e9, k, true), 0.5, 0);
    cmbt_near(cmb_controller_halve_rejected(&halving, 1, (pow(0.5, -k) - 1e-4) / 2, k, 1), 0.45,
              1e-14);
    cmbt_near(cmb_controller_halve_rejected(&halving, 1, 1e9, k, 1), 0.25, 0);
    cmbt_near(cmb_controller_halve_rejected(&halving, 1, 0.5, k, 2), 0.25, 0);
  }
}

/* Checks the constants of the controllers of all methods: every method whose step size follows the error has one. */
static void test_methods(void **state)
{
  (void)state;
  for (int i = 0; i < cmb_method_count(); i++) {
    const cmb_method *m = cmb_method_at(i);
    const cmb_controller *c = m->control;
    assert_int_equal(c == NULL, m->real_time || m == &cmb_method_auto);
    if (!c) continue;
    assert_true(c->order >= 2 && c->order <= m->order + 1);
    assert_true(c->shrink > 0 && c->shrink < 1 && c->grow > 1 && c->failed > 0 && c->failed < 1);
    assert_int_equal(m->propose == NULL, c->kind == CMB_CONTROLLER_PI);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_pi),          cmocka_unit_test(test_pi_rejected),
      cmocka_unit_test(test_pi_cautious), cmocka_unit_test(test_predictive),
      cmocka_unit_test(test_trend),       cmocka_unit_test(test_band),
      cmocka_unit_test(test_limit),       cmocka_unit_test(test_predictive_rejected),
      cmocka_unit_test(test_failure),     cmocka_unit_test(test_halving),
      cmocka_unit_test(test_methods),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
