/*
 * Drift of lie from the constraints (Burgermeister, Arnold and Esterl 2006 §3 and §4): orders in h of the largest |g| on the car axis; the
 * bound of §3.4 in each of 10^5 steps on the circular track, and on the car axis; drift of the variants without stabilisation ranked as in
 * the paper. The circular track has q̇ = T(q) v: orders of the solution, and stability with a stiff integral gain, which needs the term
 * ∂f/∂q T.
 */
#include "check.h"

#include <camber/camber.h>
#include <float.h>
#include <string.h>

struct variant {
  const char *method, *index, *jacobian, *stabilization;
};

/* Result of a run: the largest |g|, distance and radius at the end on the circular track, and the drift bound. */
struct outcome {
  cmb_status status;
  double worst, distance, radius;
  bool bounded, holds;
  double limit;
};

/* Runs a bundled problem until t_end with the step h. */
static struct outcome run(const char *problem, int set_count, const cmb_setting *set,
                          const struct variant *v, double h, double t_end)
{
  const cmb_option_setting settings[] = {
      {"jacobian", v->jacobian}, {"stabilization", v->stabilization}, {"index", v->index}};
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_run_options options = cmb_run_defaults();
  cmb_system *system;
  cmb_simulation *sim;
  struct outcome o = {0};
  options.method = cmb_method_find(v->method);
  options.integrator.step = h;
  options.integrator.setting_count = v->index ? 3 : 2;
  options.integrator.settings = settings;
  options.t_end = t_end;
  cmbt_ok(ctx, cmb_problem_create(ctx, cmb_problem_find(problem), set_count, set, &system));
  cmbt_ok(ctx, cmb_simulation_create(ctx, system, &options, &sim));
  o.status = cmb_simulation_run(sim);
  const cmb_result *r = cmb_simulation_result(sim);
  o.worst = r->worst_position;
  o.distance = r->q[2];
  o.radius = hypot(r->q[0], r->q[1]);
  if (r->drift) o.bounded = true, o.holds = r->drift->holds, o.limit = r->drift->limit;
  cmb_simulation_destroy(sim);
  cmb_system_destroy(system);
  cmb_context_destroy(ctx);
  return o;
}

/* ---- the car axis */

static void test_orders(void **state)
{
  (void)state;
  static const struct {
    struct variant variant;
    double order;
  } cases[] = {
      {{"lie", "2", "J2", "none"}, 1},       {{"lie", "1", "J2", "baumgarte"}, 2},
      {{"lie", "2", "J2", "baumgarte"}, 2},  {{"lie", "1", "J2", "projection"}, 3},
      {{"lie", "2", "J2", "projection"}, 3}, {{"lie", "2", "J2", "ggl"}, 3},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    const struct outcome coarse = run("caraxis", 0, NULL, &cases[i].variant, 2e-3, 3);
    const struct outcome fine = run("caraxis", 0, NULL, &cases[i].variant, 5e-4, 3);
    assert_int_equal(coarse.status, CMB_OK);
    assert_int_equal(fine.status, CMB_OK);
    cmbt_near(log(coarse.worst / fine.worst) / log(4), cases[i].order, 0.15);
    assert_int_equal(coarse.bounded, cases[i].order == 3);
    if (!coarse.bounded) continue;
    assert_true(coarse.holds && fine.holds);
    cmbt_below(coarse.worst, coarse.limit);
    cmbt_below(fine.worst, fine.limit);
    cmbt_near(log(coarse.limit / fine.limit) / log(4), 3, 0.15);
  }
}

/* ---- the circular track */

static void test_ranking_of_variants(void **state)
{
  (void)state;
  const struct variant one = {"lie", "1", "J2", "none"}, two = {"lie", "2", "J2", "none"};
  const struct variant projected = {"lie", "1", "J2", "projection"};
  const double index_1 = run("circular-track", 0, NULL, &one, 1e-3, 10).radius - 1;
  const double index_2 = run("circular-track", 0, NULL, &two, 1e-3, 10).radius - 1;
  const double none = run("circular-track", 0, NULL, &projected, 1e-3, 10).radius - 1;
  assert_true(index_1 > 1.5 * index_2);
  assert_true(index_2 > 1e-3);
  cmbt_below(fabs(none), 1e-12);
}

/* Checks |g| <= limit after each of 10^5 steps. The bound is one of exact arithmetic, while x1² + x2² − 1 is rounded. */
static void check_every_step(double h)
{
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_integrator_options options = cmb_integrator_defaults();
  cmb_system *system;
  cmb_integrator *in;
  double most = -INFINITY, largest = 0;
  options.step = h;
  cmbt_ok(ctx, cmb_problem_create(ctx, cmb_problem_find("circular-track"), 0, NULL, &system));
  cmbt_ok(ctx, cmb_integrator_create(ctx, cmb_system_equations(system), cmb_method_find("lie"),
                                     &options, &in));
  cmbt_ok(ctx, cmb_integrator_begin(in, 0, cmb_system_q(system), cmb_system_v(system)));
  const cmb_drift_bound *bound = cmb_integrator_drift_bound(in);
  for (int k = 0; k < 100000; k++) {
    cmbt_ok(ctx, cmb_integrator_step(in, INFINITY));
    const double *q = cmb_integrator_q(in), g = fabs(q[0] * q[0] + q[1] * q[1] - 1);
    most = fmax(most, g - bound->limit);
    largest = fmax(largest, g);
  }
  assert_true(bound->holds);
  assert_int_equal(bound->steps, 100000);
  cmbt_below(most, 0);
  assert_true(largest > 0.9 * bound->limit); /* the bound is sharp */
  cmb_integrator_destroy(in);
  cmb_system_destroy(system);
  cmb_context_destroy(ctx);
}

static void test_bound(void **state)
{
  (void)state;
  check_every_step(1e-2);
  check_every_step(1e-3);
}

/* Checks the order of the distance along the track, whose exact value is t (1 − exp(−5 t)). */
static void test_distance(void **state)
{
  (void)state;
  static const char *const jacobians[] = {"none", "J1", "J2", "J3", "exact"};
  const double t = 0.5, distance = t * (1 - exp(-5 * t));
  for (int j = 0; j < 5; j++) {
    const struct variant variants[] = {{"lie", "1", jacobians[j], "projection"},
                                       {"lie", "2", jacobians[j], "projection"},
                                       {"rosw2", NULL, jacobians[j], "projection"}};
    for (int i = 0; i < 3; i++) {
      const double coarse =
          run("circular-track", 0, NULL, &variants[i], 2e-3, t).distance - distance;
      const double fine = run("circular-track", 0, NULL, &variants[i], 5e-4, t).distance - distance;
      cmbt_near(log(coarse / fine) / log(4), i < 2 ? 1 : 2, 0.1);
    }
  }
}

/* Runs with ki h² = 100: unstable without a Jacobian and with J1 and J3; stable for any gain with J2 and with the exact Jacobian. */
static void test_stiff_gain(void **state)
{
  (void)state;
  static const cmb_setting set[] = {{"kp", 0}, {"ki", 1e6}};
  static const char *const stable[] = {"J2", "exact"}, *const not_stable[] = {"none", "J1", "J3"};
  for (int i = 0; i < 2; i++) {
    const struct outcome o = run("circular-track", 2, set,
                                 &(struct variant){"lie", "1", stable[i], "projection"}, 1e-2, 5);
    assert_int_equal(o.status, CMB_OK);
    cmbt_near(o.distance, 5, 0.05);
  }
  for (int i = 0; i < 3; i++) {
    const struct outcome o =
        run("circular-track", 2, set, &(struct variant){"lie", "1", not_stable[i], "projection"},
            1e-2, 5);
    assert_true(o.status != CMB_OK || fabs(o.distance - 5) > 1);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_orders),
                                     cmocka_unit_test(test_ranking_of_variants),
                                     cmocka_unit_test(test_bound), cmocka_unit_test(test_distance),
                                     cmocka_unit_test(test_stiff_gain)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
