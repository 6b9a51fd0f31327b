/*
 * bdf with the strategies of DASSL (control=dassl), on the chain of pendulums of Arnold, Fuchs and Führer 2006 §4.2.1 with dense difference
 * Jacobians, t from 0 to 200, RTOL = 1e-4, ATOL = 1e-6:
 *
 *     evaluations    at most as many as DASSL takes, measured with its authors' program: 5,496, 8,236, 5,884 for N = 12, 14, 16.
 *                    The default control=strict, which keeps errors smaller, takes at most 1.3 times as many
 *     errors         in units of ATOL + RTOL |value| at whole seconds: 151 with DASSL for N = 12. Here at most 20, as in other
 *                    tests of bdf. The reference is mdop853
 *     orders         with fixed steps, as those of the other controls (test_implicit_orders.c)
 *
 * Both controls change the order when undamped oscillations smaller than the tolerance limit the step size: they take fewer than 1,000
 * steps where DASSL takes 4,515, also with tolerances that are larger or smaller by 0.1 %.
 */
#include "check.h"
#include "fixed_steps.h"

#include <stdio.h>
#include <string.h>

enum { LINKS = 12, INSTANTS = 201 };

static const double RTOL = 1e-4, ATOL = 1e-6;

struct path {
  int count;
  double y[INSTANTS][2 * LINKS];
};

static cmb_status on_record(void *user, const cmb_record *record)
{
  struct path *path = user;
  assert_true(path->count < INSTANTS);
  memcpy(path->y[path->count], record->q, LINKS * sizeof(double));
  memcpy(path->y[path->count++] + LINKS, record->v, LINKS * sizeof(double));
  return CMB_OK;
}

/* Makes a run with `factor` times the tolerances of the paper. `path` may be NULL; if it is not, N has to be LINKS. */
static cmb_statistics run(int N, const char *method, const char *control, double factor,
                          struct path *path)
{
  const cmb_setting setting = {"N", N};
  const cmb_option_setting settings[] = {{"control", control}, {"jacobian", "dense"}};
  cmb_run_options options = cmb_run_defaults();
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_system *system;
  cmb_simulation *sim;
  cmbt_ok(ctx, cmb_problem_create(ctx, cmb_problem_find("pendulum-chain"), 1, &setting, &system));
  options.method = cmb_method_find(method);
  options.integrator.rtol = RTOL * factor;
  options.integrator.atol = ATOL * factor;
  options.integrator.settings = settings;
  options.integrator.setting_count = control ? 2 : 0;
  if (path) {
    path->count = 0;
    options.every = 1;
    options.observer = (cmb_observer){.user = path, .record = on_record};
  }
  cmbt_ok(ctx, cmb_simulation_create(ctx, system, &options, &sim));
  cmbt_ok(ctx, cmb_simulation_run(sim));
  const cmb_statistics statistics = *cmb_simulation_result(sim)->statistics;
  cmb_simulation_destroy(sim);
  cmb_system_destroy(system);
  cmb_context_destroy(ctx);
  return statistics;
}

/* ---- evaluations */

static void test_evaluations(void **state)
{
  (void)state;
  static const char *const controls[] = {"dassl", "strict"};
  static const int links[] = {12, 14, 16};
  static const double of_dassl[] = {5496, 8236, 5884}, permitted[] = {1, 1.3};
  for (int c = 0; c < 2; c++) {
    for (int i = 0; i < 3; i++) {
      for (int moved = -1; moved <= 1; moved++) {
        const cmb_statistics s = run(links[i], "bdf", controls[c], 1 + 1e-3 * moved, NULL);
        printf("%-7s N = %d: %ld evaluations, %ld steps, %ld Jacobians\n", controls[c], links[i],
               s.f, s.accepted, s.jacobian);
        cmbt_below((double)s.f, permitted[c] * of_dassl[i]);
        cmbt_below((double)s.accepted, 1000);
      }
    }
  }
}

/* ---- errors */

static double error_of(const struct path *path, const struct path *reference)
{
  double most = 0;
  assert_int_equal(path->count, INSTANTS);
  for (int k = 0; k < INSTANTS; k++) {
    for (int i = 0; i < 2 * LINKS; i++) {
      const double y = reference->y[k][i];
      most = fmax(most, fabs(path->y[k][i] - y) / (ATOL + RTOL * fabs(y)));
    }
  }
  return most;
}

static void test_errors(void **state)
{
  (void)state;
  static struct path reference, path;
  (void)run(LINKS, "mdop853", NULL, 1e-4, &reference);
  assert_int_equal(reference.count, INSTANTS);
  for (int k = 0; k < 2; k++) {
    const char *control = k ? "strict" : "dassl";
    (void)run(LINKS, "bdf", control, 1, &path);
    const double error = error_of(&path, &reference);
    printf("%s: error %.1f tolerances (DASSL: 151)\n", control, error);
    cmbt_below(error, 20);
  }
}

/* ---- orders */

static void test_orders(void **state)
{
  (void)state;
  cmb_context *ctx = cmb_context_create(NULL);
  static const char *const orders[] = {"1", "2", "3", "4", "5"};
  for (int k = 1; k <= 5; k++) {
    const cmb_option_setting settings[] = {
        {"control", "dassl"}, {"form", "ggl"}, {"order", orders[k - 1]}};
    struct cmbt_errors e[2];
    const int steps = k < 4 ? 40 : 20;
    const double left = k < 5 ? 1e-12 : 1e-13; /* tolerance of the iterations */
    for (int i = 0; i < 2; i++) {
      e[i] = cmbt_fixed_errors(ctx, &cmbt_pendulum_fall, "bdf", 3, settings, left, (i + 1) * steps);
    }
    const struct cmbt_errors order = cmbt_orders(e[0], e[1], steps, 2 * steps);
    printf("order=%d: q %.2f, v %.2f, lambda %.2f\n", k, order.q, order.v, order.lambda);
    cmbt_near(order.q, k, 0.2);
    cmbt_near(order.v, k, 0.2);
    cmbt_near(order.lambda, k, 0.2);
  }
  cmb_context_destroy(ctx);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_evaluations),
      cmocka_unit_test(test_errors),
      cmocka_unit_test(test_orders),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
