/*
 * Compares runs of the car axis with a reference in quadruple precision, and the four kinds of projection with each other (Simeon 1996,
 * Table 1, on this problem): projection=control is as accurate as projecting at each step and needs at most a fifth of the projections,
 * its drift stays below the tolerance at every step, and without projection the drift is at least 1000 times as large.
 *
 * radau5, radau and bdf with control=classic are as accurate as RADAU5, RADAU and DASSL, the first two in no more steps. Their numbers are
 * those of the Test Set, Table II.17.2, except that DASSL's on the stabilised index-2 form were measured with its program. With
 * control=strict the error is near the tolerance.
 */
#include "check.h"
#include "dae/problems/caraxis_reference.h"

#include <camber/camber.h>
#include <stdio.h>
#include <string.h>

struct outcome {
  double mescd, q_error, position, velocity;
  long projections, accepted, steps, iterations, solves;
};

static struct outcome run_with(const char *method, const char *option, const char *value,
                               double tolerance)
{
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_option_setting setting = {option, value};
  cmb_run_options options = cmb_run_defaults();
  cmb_system *system;
  cmb_simulation *sim;
  options.method = cmb_method_find(method);
  options.integrator.rtol = options.integrator.atol = tolerance;
  options.integrator.setting_count = 1;
  options.integrator.settings = &setting;
  cmbt_ok(ctx, cmb_problem_create(ctx, cmb_problem_find("caraxis"), 0, NULL, &system));
  cmbt_ok(ctx, cmb_simulation_create(ctx, system, &options, &sim));
  cmbt_ok(ctx, cmb_simulation_run(sim));
  const cmb_result *r = cmb_simulation_result(sim);
  struct outcome o = {cmb_caraxis_mescd(r->q, r->v, r->lambda, 1),
                      cmb_mixed_error(4, r->q, cmb_caraxis_reference_q, 1, 0),
                      r->worst_position,
                      r->worst_velocity,
                      r->statistics->projections,
                      r->statistics->accepted,
                      r->statistics->steps,
                      r->statistics->newton,
                      r->statistics->solve};
  cmb_simulation_destroy(sim);
  cmb_system_destroy(system);
  cmb_context_destroy(ctx);
  return o;
}

static struct outcome run(const char *method, const char *projection, double tolerance)
{
  return run_with(method, "projection", projection, tolerance);
}

static void test_accuracy(void **state)
{
  (void)state;
  struct outcome o = run("mdop853", "every", 1e-10);
  printf("mdop853, every, 1e-10: mescd %.2f, |g| %.1e, |G v + g_t| %.1e\n", o.mescd, o.position,
         o.velocity);
  assert_true(o.mescd >= 8);
  cmbt_below(o.position, 1e-12);
  cmbt_below(o.velocity, 1e-11);
  assert_true(run("mdop5", "control", 1e-7).mescd >= 5);
  assert_true(run("mdop853", "control", 1e-7).mescd >= 5);
  assert_true(run("hem5", "control", 1e-7).mescd >= 5);
  assert_true(run("phem56", "control", 1e-7).mescd >= 5);
}

static bool has_projection_control(const cmb_method *method)
{
  int count;
  const cmb_option *options = cmb_method_options(method, &count);
  for (int i = 0; i < count; i++) {
    if (strcmp(options[i].name, "projection") == 0) return strstr(options[i].values, "control");
  }
  return false;
}

/* Checks that the error decreases with the tolerance, over eight decades. */
static void test_tolerance(void **state)
{
  (void)state;
  for (int i = 0; i < cmb_method_count(); i++) {
    if (!has_projection_control(cmb_method_at(i))) continue;
    const char *method = cmb_method_name(cmb_method_at(i));
    double before = 0;
    for (double tolerance = 1e-4; tolerance > 5e-13; tolerance /= 100) {
      struct outcome o = run(method, "control", tolerance);
      printf("%-8s %.0e: mescd %5.2f in %5ld steps\n", method, tolerance, o.mescd, o.accepted);
      assert_true(o.mescd > before + 0.8);
      before = o.mescd;
    }
    assert_true(before > 9);
  }
}

static void test_drift_below_tolerance(void **state)
{
  (void)state;
  for (int i = 0; i < cmb_method_count(); i++) {
    if (!has_projection_control(cmb_method_at(i))) continue;
    const char *method = cmb_method_name(cmb_method_at(i));
    for (double tolerance = 1e-3; tolerance > 1e-13; tolerance /= 10) {
      struct outcome o = run(method, "control", tolerance);
      cmbt_below(o.position, tolerance);
      cmbt_below(o.velocity, 1e-14);
    }
  }
}

static void test_kinds_of_projection(void **state)
{
  (void)state;
  for (double tolerance = 1e-4; tolerance > 1e-9; tolerance /= 1000) {
    struct outcome none = run("mdop5", "none", tolerance);
    struct outcome velocity = run("mdop5", "velocity", tolerance);
    struct outcome control = run("mdop5", "control", tolerance);
    struct outcome every = run("mdop5", "every", tolerance);
    assert_int_equal(none.projections, 0);
    assert_int_equal(velocity.projections, 0);
    assert_true(every.projections >= every.accepted);
    assert_true(5 * control.projections <= every.projections);
    cmbt_near(control.q_error / every.q_error, 1, 0.1);
    assert_true(none.position >= 1000 * control.position);
    assert_true(velocity.position < none.position && control.position < velocity.position);
    cmbt_below(velocity.velocity, 1e-14);
    cmbt_below(every.position, 1e-14);
  }
}

/* Checks control=classic with the tolerances 1e-4, 1e-7 and 1e-10 against the published accuracy mescd (digits) and number of steps, which
 * includes rejected ones. A more accurate run may take more steps: a method of order 5 needs 10^(d/5) times as many for d more digits. */
static void check_classic(const char *method, const double mescd[3], const long steps[3])
{
  for (int k = 0; k < 3; k++) {
    struct outcome o = run_with(method, "control", "classic", pow(10, -4 - 3 * k));
    printf("%-8s classic 1e-%d: mescd %.2f in %ld steps\n", method, 4 + 3 * k, o.mescd, o.steps);
    assert_true(o.mescd >= mescd[k]);
    cmbt_below((double)o.steps, (double)steps[k] * pow(10, (o.mescd - mescd[k]) / 5));
  }
}

static void test_classic_control(void **state)
{
  (void)state;
  const double radau5[3] = {1.34, 3.73, 5.85}, dassl[3] = {2.33, 4.70, 6.98};
  const double radau[3] = {1.34, 3.73, 5.99};
  const long radau_steps[3] = {98, 289, 179};
  const long steps[3] = {98, 289, 884}, any[3] = {10000, 10000, 10000};
  check_classic("radau5", radau5, steps);
  check_classic("radau", radau, radau_steps);
  check_classic("bdf", dassl, any);
}

/* Checks the number of linear systems that radau5 solves: a real and a complex one in each iteration. In addition a step solves one for
 * the error estimate, for the projection of velocities and for the accelerations; the first step filters its error estimate twice. */
static void test_solves(void **state)
{
  (void)state;
  for (int k = 4; k <= 7; k += 3) {
    struct outcome o = run_with("radau5", "control", "classic", pow(10, -k));
    printf("radau5 classic 1e-%d: %ld solutions, %ld iterations in %ld steps\n", k, o.solves,
           o.iterations, o.steps);
    assert_in_range(o.solves, 2 * o.iterations, 2 * o.iterations + 4 * o.steps);
  }
}

static void test_strict_control(void **state)
{
  (void)state;
  const char *const methods[] = {"radau5", "radau", "bdf"};
  for (int i = 0; i < 3; i++) {
    for (int k = 4; k <= 10; k += 3) {
      struct outcome o = run_with(methods[i], "control", "strict", pow(10, -k));
      printf("%-8s strict 1e-%d: mescd %.2f in %ld steps\n", methods[i], k, o.mescd, o.steps);
      assert_true(o.mescd >= k - 1.8);
    }
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_accuracy),
      cmocka_unit_test(test_tolerance),
      cmocka_unit_test(test_drift_below_tolerance),
      cmocka_unit_test(test_kinds_of_projection),
      cmocka_unit_test(test_classic_control),
      cmocka_unit_test(test_solves),
      cmocka_unit_test(test_strict_control),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
