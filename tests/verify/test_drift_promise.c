/*
 * Shows that the bound on the drift that lie and rosw2 compute holds: the largest |g| of the whole run is not above it wherever it is said
 * to hold. Tested are all bundled problems, and in joint and in Cartesian coordinates all bundled models with constraints, fewer than 50
 * velocities and no impacts. The steps do not divide the time, because a short last step must not make the bound smaller. Runs with a fixed
 * step make as many steps as the quotient of time and step size says: no step is added by rounding, however many there are. A kink of a
 * drive, before which g has no rounding error at all, does not break the bound; a jump of 1e-13 does.
 */
#include "check.h"
#include "model_run.h"

#include <stdio.h>
#include <string.h>

struct count {
  int runs, held, warnings;
};

/* Counts the warnings of the log that |g| was above the bound. */
static void count_warnings(void *user, cmb_log_level level, const char *message)
{
  struct count *count = user;
  if (level == CMB_LOG_WARNING && strstr(message, "more than the bound")) count->warnings++;
}

static void check_run(cmb_context *ctx, const cmb_system *system, const char *name,
                      const char *method, double h, double t_end, struct count *count)
{
  cmb_run_options options = cmb_run_defaults();
  cmb_simulation *sim;
  options.method = cmb_method_find(method);
  options.integrator.step = h;
  options.t_end = t_end;
  cmb_context_set_log(ctx, count_warnings, count);
  if (cmb_simulation_create(ctx, system, &options, &sim) != CMB_OK) return; /* with an error */
  (void)cmb_simulation_run(sim); /* may end with an error if the step is too large for a model */
  const cmb_result *r = cmb_simulation_result(sim);
  count->runs++;
  if (r->drift && r->drift->holds) {
    if (!(r->worst_position <= r->drift->limit)) {
      fail_msg("%s with %s and h = %g: |g| = %.3g, bound %.3g", name, method, h, r->worst_position,
               r->drift->limit);
    }
    count->held++;
  }
  cmb_simulation_destroy(sim);
}

static void check_system(cmb_context *ctx, const cmb_system *system, const char *name,
                         struct count *count)
{
  const double h[] = {7e-4, 3e-3};
  for (int i = 0; i < 2; i++) {
    check_run(ctx, system, name, "lie", h[i], 150.3 * h[i], count);
    check_run(ctx, system, name, "rosw2", h[i], (60 + 1e-5) * h[i], count);
  }
}

static void test_problems(void **state)
{
  (void)state;
  struct count count = {0};
  for (int i = 0; i < cmb_problem_count(); i++) {
    cmb_context *ctx = cmb_context_create(NULL);
    cmb_system *system;
    cmbt_ok(ctx, cmb_problem_create(ctx, cmb_problem_at(i), 0, NULL, &system));
    check_system(ctx, system, cmb_problem_name(cmb_problem_at(i)), &count);
    cmb_system_destroy(system);
    cmb_context_destroy(ctx);
  }
  assert_true(count.held >= 12); /* the problems with constraints */
  assert_int_equal(count.warnings, 0);
}

static void check_model(const char *name, cmb_formulation form, struct count *count)
{
  const cmb_model_system_options kept = {
      .formulation = form, .evaluation = CMB_EVALUATE_INTERPRETER, .expressions = true};
  cmbt_run r;
  cmb_system *system;
  cmbt_run_open(&r, name, form, 0, NULL);
  cmbt_ok(r.ctx, cmb_model_system(r.ctx, r.model, &kept, &system));
  const bool impacts = r.eq->reset_count > 0; /* methods of fixed cost do not allow impacts */
  if (r.eq->ng > 0 && r.eq->nv < 50 && !impacts) check_system(r.ctx, system, name, count);
  cmb_system_destroy(system);
  cmbt_run_close(&r);
}

static void test_models(void **state)
{
  (void)state;
  char names[CMBT_MOST_MODELS][CMBT_NAME_ROOM];
  struct count count = {0};
  const int models = cmbt_model_names(names);
  for (int i = 0; i < models; i++) {
    check_model(names[i], CMB_FORM_EXPLICIT, &count);
    check_model(names[i], CMB_FORM_CARTESIAN, &count);
  }
  printf("the bound held in %d of %d runs\n", count.held, count.runs);
  assert_true(count.held > count.runs / 2);
  assert_int_equal(count.warnings, 0);
}

/* Checks the number of steps, and that a short last step leaves the bound above |g|, but by a factor of less than 3. */
static void test_last_step(void **state)
{
  (void)state;
  static const struct {
    const char *problem;
    double h, t_end;
    long steps;
  } cases[] = {{"caraxis", 0.007, 3, 429},
               {"circular-track", 1e-3, 400, 400000},
               {"pendulum", 0.001, 100, 100000}};
  for (int i = 0; i < 3; i++) {
    cmb_context *ctx = cmb_context_create(NULL);
    cmb_run_options options = cmb_run_defaults();
    cmb_system *system;
    cmb_simulation *sim;
    options.method = cmb_method_find("lie");
    options.integrator.step = cases[i].h;
    options.t_end = cases[i].t_end;
    cmbt_ok(ctx, cmb_problem_create(ctx, cmb_problem_find(cases[i].problem), 0, NULL, &system));
    cmbt_ok(ctx, cmb_simulation_create(ctx, system, &options, &sim));
    cmbt_ok(ctx, cmb_simulation_run(sim));
    const cmb_result *r = cmb_simulation_result(sim);
    assert_int_equal(r->statistics->accepted, cases[i].steps);
    assert_true(r->t == cases[i].t_end);
    if (r->drift->holds) cmbt_below(r->worst_position, r->drift->limit);
    assert_true(i == 2 || r->drift->limit < 3 * r->worst_position); /* not far too large */
    cmb_simulation_destroy(sim);
    cmb_system_destroy(system);
    cmb_context_destroy(ctx);
  }
}

/* Runs a slider whose drive has the given formula, and checks whether the bound holds with a limit below `most`. */
static void check_drive(const char *formula, const char *method, bool holds, double most)
{
  char text[400];
  cmbt_run r;
  snprintf(text, sizeof text,
           "bodies:\n  a: {mass: 1, com: [0, 0, 0], inertia: [1, 1, 1]}\n"
           "joints:\n  z: {type: prismatic, child: a, axis: z}\n"
           "motions:\n  d: {coordinate: z, value: '%s'}\n",
           formula);
  cmbt_run_open_text_with(&r, text, CMB_FORM_EXPLICIT, true);
  struct count count = {0};
  cmb_run_options options = cmb_run_defaults();
  options.method = cmb_method_find(method);
  options.integrator.step = 1e-3;
  options.t_end = 1;
  cmb_context_set_log(r.ctx, count_warnings, &count);
  cmbt_ok(r.ctx, cmb_simulation_create(r.ctx, r.system, &options, &r.sim));
  cmbt_ok(r.ctx, cmb_simulation_run(r.sim));
  r.result = cmb_simulation_result(r.sim);
  assert_true(r.result->worst_position > 0);
  assert_int_equal(count.warnings, holds ? 0 : 1);
  assert_true(r.result->drift->holds == holds);
  if (holds) cmbt_below(r.result->worst_position, r.result->drift->limit);
  if (holds) cmbt_below(r.result->drift->limit, most);
  cmb_context_set_log(r.ctx, NULL, NULL);
  cmbt_run_close(&r);
}

static void test_kinks(void **state)
{
  (void)state;
  static const char *const methods[] = {"lie", "rosw2"};
  for (int i = 0; i < 2; i++) {
    check_drive("max(0, t - 0.35)*0.01", methods[i], true, 1e-17);
    check_drive("max(0, t - 0.35)*0.01 + if(t > 0.5, 1e-13, 0)", methods[i], false, 0);
  }
}

/* Checks that a method with step size control makes the same number of steps with a fixed step. */
static void test_fixed_steps(void **state)
{
  (void)state;
  static const cmb_option_setting fixed = {"steps", "fixed"};
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_run_options options = cmb_run_defaults();
  cmb_system *system;
  cmb_simulation *sim;
  options.method = cmb_method_find("hem5");
  options.integrator.step = 1e-2;
  options.integrator.setting_count = 1;
  options.integrator.settings = &fixed;
  options.t_end = 1000;
  cmbt_ok(ctx, cmb_problem_create(ctx, cmb_problem_find("circular-track"), 0, NULL, &system));
  cmbt_ok(ctx, cmb_simulation_create(ctx, system, &options, &sim));
  cmbt_ok(ctx, cmb_simulation_run(sim));
  assert_int_equal(cmb_simulation_result(sim)->statistics->accepted, 100000);
  cmb_simulation_destroy(sim);
  cmb_system_destroy(system);
  cmb_context_destroy(ctx);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_problems),    cmocka_unit_test(test_models),
      cmocka_unit_test(test_last_step),   cmocka_unit_test(test_kinks),
      cmocka_unit_test(test_fixed_steps),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
