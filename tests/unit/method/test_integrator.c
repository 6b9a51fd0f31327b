/*
 * Tests of what the integrator does for all methods: dense output of the right order that agrees with the steps at both ends, fixed steps
 * that end at multiples of their size, undoing a step, refused options, and the limit of the number of steps.
 */
#include "check.h"
#include "reference.h"

#include "method/method.h"

#include <camber/camber.h>
#include <stdio.h>
#include <string.h>

struct test_system {
  cmb_context *ctx;
  cmb_system *system;
  cmb_integrator *in;
};

static struct test_system create_with(const cmb_method *method, cmb_integrator_options options)
{
  struct test_system s = {.ctx = cmb_context_create(NULL)};
  cmb_setting angle = {"angle", 2};
  cmbt_ok(s.ctx, cmb_problem_create(s.ctx, cmb_problem_find("pendulum"), 1, &angle, &s.system));
  cmbt_ok(s.ctx,
          cmb_integrator_create(s.ctx, cmb_system_equations(s.system), method, &options, &s.in));
  cmbt_ok(s.ctx, cmb_integrator_begin(s.in, 0, cmb_system_q(s.system), cmb_system_v(s.system)));
  return s;
}

static struct test_system create(const char *method, cmb_integrator_options options)
{
  return create_with(cmb_method_find(method), options);
}

static void destroy(struct test_system *s)
{
  cmb_integrator_destroy(s->in);
  cmb_system_destroy(s->system);
  cmb_context_destroy(s->ctx);
}

static const cmb_option_setting fixed = {"steps", "fixed"};

static cmb_integrator_options fixed_step(double h)
{
  cmb_integrator_options options = cmb_integrator_defaults();
  options.step = h;
  options.setting_count = 1;
  options.settings = &fixed;
  return options;
}

/* The largest errors of the dense output of one step: of q and v, and of the multipliers computed from them. */
struct dense_error {
  double motion, lambda;
};

static struct dense_error dense_error(const char *method, double h)
{
  struct test_system s = create(method, fixed_step(h));
  cmb_evaluator *ev = s.in->ev;
  struct dense_error worst = {0, 0};
  cmbt_ok(s.ctx, cmb_integrator_step(s.in, h));
  for (int k = 1; k < 10; k++) {
    double q[2], v[2], a[2], lambda[1], q_exact[2], v_exact[2], lambda_exact[1];
    cmbt_ok(s.ctx, cmb_integrator_interpolate(s.in, h * k / 10, q, v));
    cmbt_ok(s.ctx, cmb_accelerate(ev, h * k / 10, q, v, a, lambda));
    cmbt_pendulum_at(1, 9.81, 2, h * k / 10, q_exact, v_exact, lambda_exact);
    for (int i = 0; i < 2; i++) {
      worst.motion = fmax(worst.motion, fmax(fabs(q[i] - q_exact[i]), fabs(v[i] - v_exact[i])));
    }
    worst.lambda = fmax(worst.lambda, fabs(lambda[0] - lambda_exact[0]));
  }
  destroy(&s);
  return worst;
}

/* Checks that dense output of order p has an error of h^(p+1) in one step, for positions and velocities, and for multipliers computed from
 * them between the ends of steps. Multistep methods begin with lower orders; they are tested in test_between_steps.c. */
static void test_dense_order(void **state)
{
  (void)state;
  const struct {
    const char *method;
    double order, h;
  } expected[] = {{"mdop5", 4, 0.02},  {"mdop853", 7, 0.1}, {"hem5", 4, 0.02},
                  {"phem56", 4, 0.02}, {"radau5", 3, 0.02}, {"radau", 3, 0.02},
                  {"sdirk4", 3, 0.02}, {"trap", 2, 0.005},  {"forsdirk", 3, 0.02}};
  for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
    const double h = expected[i].h, least = expected[i].order - 0.3;
    const struct dense_error coarse = dense_error(expected[i].method, 2 * h),
                             fine = dense_error(expected[i].method, h);
    const double order = log2(coarse.motion / fine.motion) - 1,
                 order_of_lambda = log2(coarse.lambda / fine.lambda) - 1;
    printf("%-8s dense output: order %.2f (error %.1e), multipliers %.2f (%.1e)\n",
           expected[i].method, order, fine.motion, order_of_lambda, fine.lambda);
    assert_true(order > least); /* a higher order is permitted */
    assert_true(order_of_lambda > least);
  }
}

static void test_dense_ends(void **state)
{
  (void)state;
  for (int m = 0; m < cmb_method_count(); m++) {
    struct test_system s = create(cmb_method_name(cmb_method_at(m)), cmb_integrator_defaults());
    for (int k = 0; k < 20; k++) {
      double q[2], v[2], q0[2], v0[2];
      memcpy(q0, cmb_integrator_q(s.in), sizeof q0);
      memcpy(v0, cmb_integrator_v(s.in), sizeof v0);
      cmbt_ok(s.ctx, cmb_integrator_step(s.in, 100));
      cmbt_ok(s.ctx, cmb_integrator_interpolate(s.in, cmb_integrator_t_before(s.in), q, v));
      for (int i = 0; i < 2; i++) {
        cmbt_near(q[i], q0[i], 1e-14);
        cmbt_near(v[i], v0[i], 1e-14);
      }
      cmbt_ok(s.ctx, cmb_integrator_interpolate(s.in, cmb_integrator_t(s.in), q, v));
      for (int i = 0; i < 2; i++) {
        cmbt_near(q[i], cmb_integrator_q(s.in)[i], 1e-13);
        cmbt_near(v[i], cmb_integrator_v(s.in)[i], 1e-13);
      }
      double beyond = cmb_integrator_t(s.in) + 1;
      assert_int_equal(cmb_integrator_interpolate(s.in, beyond, q, v), CMB_ERROR_ARGUMENT);
    }
    destroy(&s);
  }
}

/* Checks the start-up phase of abm: from a first step that is far too small, every step is twice as long as the one before. */
static void test_abm_starts(void **state)
{
  (void)state;
  cmb_integrator_options options = cmb_integrator_defaults();
  options.step = 1e-7;
  options.rtol = options.atol = 1e-6;
  struct test_system s = create("abm", options);
  double h = options.step;
  for (int k = 0; k < 14; k++, h *= 2) {
    const double before = cmb_integrator_t(s.in);
    cmbt_ok(s.ctx, cmb_integrator_step(s.in, 1));
    cmbt_near((cmb_integrator_t(s.in) - before) / h, 1, 1e-6);
  }
  assert_int_equal(cmb_integrator_statistics(s.in)->rejected, 0);
  destroy(&s);
}

static void test_fixed_steps_end_exactly(void **state)
{
  (void)state;
  struct test_system s = create("mdop5", fixed_step(0.1)); /* 0.1 is not a binary fraction */
  while (cmb_integrator_t(s.in) < 3) cmbt_ok(s.ctx, cmb_integrator_step(s.in, 3));
  assert_int_equal(cmb_integrator_statistics(s.in)->accepted, 30);
  assert_true(cmb_integrator_t(s.in) == 3);
  destroy(&s);
}

/* Checks that the last fixed step is longer or shorter by up to a millionth of its size to end where the run does; of a larger difference,
 * what is left is a step of its own, or the last step is shorter. */
static void test_last_fixed_step(void **state)
{
  (void)state;
  static const struct {
    double off; /* of the end from three steps, in steps */
    int steps;
  } cases[] = {{-0.5, 3}, {-1e-5, 3}, {0, 3}, {5e-7, 3}, {0.95e-6, 3}, {1.05e-6, 4}, {1e-3, 4}};
  const double h = 0.1;
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    struct test_system s = create("mdop5", fixed_step(h));
    const double end = (3 + cases[k].off) * h;
    while (cmb_integrator_t(s.in) < end) cmbt_ok(s.ctx, cmb_integrator_step(s.in, end));
    assert_int_equal(cmb_integrator_statistics(s.in)->accepted, cases[k].steps);
    assert_true(cmb_integrator_t(s.in) == end);
    destroy(&s);
  }
}

/* Runs the pendulum for 3 s in the stabilised form, with the multipliers free or in the error test. Returns the number of accepted steps and,
 * in *worst, the largest error of the multiplier after a step. */
static long run_multipliers(const char *method, const char *multipliers, double *worst)
{
  const cmb_option_setting settings[] = {{"form", "ggl"}, {"multipliers", multipliers}};
  cmb_integrator_options options = cmb_integrator_defaults();
  options.rtol = options.atol = 1e-4;
  options.settings = settings;
  options.setting_count = 2;
  struct test_system s = create(method, options);
  *worst = 0;
  while (cmb_integrator_t(s.in) < 3) {
    double q[2], v[2], lambda;
    cmbt_ok(s.ctx, cmb_integrator_step(s.in, 3));
    cmbt_pendulum_at(1, 9.81, 2, cmb_integrator_t(s.in), q, v, &lambda);
    *worst = fmax(*worst, fabs(cmb_integrator_lambda(s.in)[0] - lambda));
  }
  const long steps = cmb_integrator_statistics(s.in)->accepted;
  destroy(&s);
  return steps;
}

/* Checks that the stabilised form takes more steps if the multipliers are in the error test, and that these are right in any case:
 * they are off by less than 0.1 N of up to 37.6 N. */
static void test_multipliers(void **state)
{
  (void)state;
  static const char *const methods[] = {"bdf", "radau5"};
  for (int m = 0; m < 2; m++) {
    double off[2];
    const long tested = run_multipliers(methods[m], "tested", &off[0]);
    const long untested = run_multipliers(methods[m], "free", &off[1]);
    assert_true(tested > untested);
    cmbt_below(fmax(off[0], off[1]), 0.1);
  }
}

static void test_undo(void **state)
{
  (void)state;
  for (int m = 0; m < cmb_method_count(); m++) {
    struct test_system s = create(cmb_method_name(cmb_method_at(m)), cmb_integrator_defaults());
    for (int k = 0; k < 5; k++) cmbt_ok(s.ctx, cmb_integrator_step(s.in, 100));
    double t = cmb_integrator_t(s.in), q[2], h;
    memcpy(q, cmb_integrator_q(s.in), sizeof q);
    cmbt_ok(s.ctx, cmb_integrator_step(s.in, 100));
    h = cmb_integrator_t(s.in) - t;
    const cmb_statistics before = *cmb_integrator_statistics(s.in);
    cmbt_ok(s.ctx, cmb_integrator_undo(s.in));
    assert_int_equal(cmb_integrator_statistics(s.in)->accepted, before.accepted - 1);
    assert_int_equal(cmb_integrator_statistics(s.in)->rejected, before.rejected + 1);
    assert_true(cmb_integrator_t(s.in) == t);
    assert_memory_equal(q, cmb_integrator_q(s.in), sizeof q);
    cmbt_ok(s.ctx, cmb_integrator_step(s.in, 100));
    const bool always = cmb_method_is_real_time(cmb_method_at(m)); /* keeps the same step size */
    cmbt_near(cmb_integrator_t(s.in) - t, always ? h : h / 2, 1e-12);
    destroy(&s);
  }
}

/* Compares accelerations and multipliers with those of the equations: equal at the start, and up to the methods' errors after steps. */
static void test_accelerations(void **state)
{
  (void)state;
  for (int m = 0; m < cmb_method_count(); m++) {
    struct test_system s = create(cmb_method_name(cmb_method_at(m)), cmb_integrator_defaults());
    for (int k = 0; k < 4; k++) {
      double a[2], lambda[1];
      cmbt_ok(s.ctx,
              cmb_factor_and_accelerate(s.in->ev, cmb_integrator_t(s.in), cmb_integrator_q(s.in),
                                        cmb_integrator_v(s.in), a, lambda));
      for (int i = 0; i < 2; i++) cmbt_near(cmb_integrator_a(s.in)[i], a[i], k == 0 ? 1e-12 : 1e-3);
      cmbt_near(cmb_integrator_lambda(s.in)[0], lambda[0], k == 0 ? 1e-12 : 1e-3);
      cmbt_ok(s.ctx, cmb_integrator_step(s.in, 100));
    }
    destroy(&s);
  }
}

/* A mass with a force that acts for a short time only, at the first stage of radau5 in a step of size 0.05. */
static cmb_status short_pulse(const void *self, const cmb_point *at, const cmb_terms *want)
{
  const double x = (at->t - 0.00775) / 0.003;
  (void)self;
  if (want->M) want->M[0] = 1;
  if (want->f) want->f[0] = 1e-6 * exp(-x * x);
  return CMB_OK;
}

/* Returns the size of the step after one of size 0.05 from the start, which is the first one or follows an undone one of size 0.1. */
static double second_step(const char *method, bool undone)
{
  static const char *const names[] = {"x"};
  const cmb_equations eq = {.name = "mass",
                            .nq = 1,
                            .nv = 1,
                            .q_names = names,
                            .v_names = names,
                            .mass_constant = true,
                            .mass_diagonal = true,
                            .evaluate = short_pulse};
  cmb_integrator_options options = cmb_integrator_defaults();
  cmb_integrator *in;
  const double zero = 0;
  options.step = undone ? 0.1 : 0.05;
  cmb_context *ctx = cmb_context_create(NULL);
  cmbt_ok(ctx, cmb_integrator_create(ctx, &eq, cmb_method_find(method), &options, &in));
  cmbt_ok(ctx, cmb_integrator_begin(in, 0, &zero, &zero));
  if (undone) {
    cmbt_ok(ctx, cmb_integrator_step(in, 100));
    cmbt_near(cmb_integrator_t(in), 0.1, 1e-15);
    cmbt_ok(ctx, cmb_integrator_undo(in));
  }
  cmbt_ok(ctx, cmb_integrator_step(in, 100));
  cmbt_near(cmb_integrator_t(in), 0.05, 1e-15);
  cmbt_ok(ctx, cmb_integrator_step(in, 100));
  const double size = cmb_integrator_t(in) - cmb_integrator_t_before(in);
  cmb_integrator_destroy(in);
  cmb_context_destroy(ctx);
  return size;
}

/* Checks that the error of an undone step has no influence on later steps: the step of 0.1 misses the short force, that of 0.05 has a stage
 * in it with radau5. */
static void test_undone_errors(void **state)
{
  (void)state;
  static const char *const methods[] = {"radau5", "radau", "sdirk4", "forsdirk", "mdop5"};
  for (int i = 0; i < 5; i++) {
    const double first = second_step(methods[i], false), after = second_step(methods[i], true);
    printf("%s: %g after the first step, %g after an undone one\n", methods[i], first, after);
    cmbt_near(after, first, 1e-9);
  }
}

static void check_refused(const cmb_integrator_options *options, const char *words)
{
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_system *system;
  cmb_integrator *in;
  cmbt_ok(ctx, cmb_problem_create(ctx, cmb_problem_find("pendulum"), 0, NULL, &system));
  cmb_status status = cmb_integrator_create(ctx, cmb_system_equations(system),
                                            cmb_method_find("mdop5"), options, &in);
  assert_int_equal(status, CMB_ERROR_ARGUMENT);
  assert_null(in);
  if (!strstr(cmb_last_error(ctx), words)) fail_msg("'%s' lacks '%s'", cmb_last_error(ctx), words);
  cmb_system_destroy(system);
  cmb_context_destroy(ctx);
}

static void test_options(void **state)
{
  (void)state;
  cmb_integrator_options good = cmb_integrator_defaults(), o = good;
  o.rtol = -1;
  check_refused(&o, "rtol");
  o = good, o.atol = NAN;
  check_refused(&o, "atol");
  o = good, o.step = INFINITY;
  check_refused(&o, "step");
  cmb_option_setting setting = {"projektion", "every"};
  o = good, o.setting_count = 1, o.settings = &setting;
  check_refused(&o, "did you mean 'projection'");
  setting = (cmb_option_setting){"projection", "ever"};
  check_refused(&o, "none|velocity|control|every");
  o.settings = &fixed;
  check_refused(&o, "needs a step size");
}

/* A method with many options: checks that each has its own choice and its own number. */
static void test_many_options(void **state)
{
  (void)state;
  enum { MANY = 40 };
  static char names[MANY][8];
  cmb_option options[MANY] = {{"projection", "none|velocity|control|every", "control", ""},
                              {"steps", "adaptive|fixed", "adaptive", ""}};
  for (int i = 2; i < MANY; i++) {
    snprintf(names[i], sizeof names[i], "o%d", i);
    options[i] = (cmb_option){names[i], "a|b|NUMBER", i % 2 ? "b" : "a", ""};
  }
  cmb_method method = *cmb_method_find("mdop5");
  method.options = options;
  method.option_count = MANY;
  const cmb_option_setting settings[] = {{"o38", "b"}, {"o39", "0.75"}};
  cmb_integrator_options o = cmb_integrator_defaults();
  o.setting_count = 2, o.settings = settings;
  struct test_system s = create_with(&method, o);
  for (int i = 2; i < MANY - 2; i++) assert_int_equal(cmb_choice(s.in, names[i]), i % 2);
  assert_int_equal(cmb_choice(s.in, "o38"), 1);
  assert_int_equal(cmb_choice(s.in, "o39"), 2);
  cmbt_near(cmb_option_number(s.in, "o39"), 0.75, 0);
  cmbt_near(cmb_option_number(s.in, "o38"), 0, 0);
  cmbt_ok(s.ctx, cmb_integrator_step(s.in, 1));
  destroy(&s);
}

static void keep_coordinates(const void *self, double *q)
{
  (void)self;
  (void)q;
}

/* Returns how many steps bdf takes for the pendulum with these properties, and sets *angle to its first coordinate at the end. */
static long steps_of_bdf(bool normalizes, bool euler_parameters, double *angle)
{
  cmb_integrator_options o = cmb_integrator_defaults();
  struct test_system s = create("mdop5", o);
  cmb_integrator_destroy(s.in);
  cmb_equations eq = *cmb_system_equations(s.system);
  eq.normalize = normalizes ? keep_coordinates : NULL;
  eq.euler_parameters = euler_parameters;
  cmbt_ok(s.ctx, cmb_integrator_create(s.ctx, &eq, cmb_method_find("bdf"), &o, &s.in));
  cmbt_ok(s.ctx, cmb_integrator_begin(s.in, 0, cmb_system_q(s.system), cmb_system_v(s.system)));
  while (cmb_integrator_t(s.in) < 1) cmbt_ok(s.ctx, cmb_integrator_step(s.in, 1));
  *angle = cmb_integrator_q(s.in)[0];
  const long steps = cmb_integrator_statistics(s.in)->steps;
  destroy(&s);
  return steps;
}

/* Checks that equations with `normalize`, as for an angle reduced to one turn, are not treated as having Euler parameters: only these make
 * bdf take other steps. */
static void test_euler_parameters(void **state)
{
  (void)state;
  double plain, normal, euler;
  const long steps = steps_of_bdf(false, false, &plain);
  assert_int_equal(steps_of_bdf(true, false, &normal), steps);
  cmbt_near(normal, plain, 0);
  assert_true(steps_of_bdf(true, true, &euler) != steps);
}

/* Checks that the circular track has a T ≠ I but no Euler parameters. */
static void test_rates_alone(void **state)
{
  (void)state;
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_system *system;
  cmbt_ok(ctx, cmb_problem_create(ctx, cmb_problem_find("circular-track"), 0, NULL, &system));
  assert_non_null(cmb_system_equations(system)->rates);
  assert_false(cmb_system_equations(system)->euler_parameters);
  cmb_system_destroy(system);
  cmb_context_destroy(ctx);
}

static void test_step_limit(void **state)
{
  (void)state;
  cmb_integrator_options options = cmb_integrator_defaults();
  options.max_steps = 3;
  struct test_system s = create("mdop5", options);
  cmb_status status = CMB_OK;
  for (int k = 0; k < 4 && status == CMB_OK; k++) status = cmb_integrator_step(s.in, 100);
  assert_int_equal(status, CMB_ERROR_STEP_COUNT);
  assert_non_null(strstr(cmb_last_error(s.ctx), "3 attempted steps"));
  destroy(&s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_dense_order),
      cmocka_unit_test(test_dense_ends),
      cmocka_unit_test(test_abm_starts),
      cmocka_unit_test(test_fixed_steps_end_exactly),
      cmocka_unit_test(test_last_fixed_step),
      cmocka_unit_test(test_multipliers),
      cmocka_unit_test(test_undo),
      cmocka_unit_test(test_undone_errors),
      cmocka_unit_test(test_accelerations),
      cmocka_unit_test(test_options),
      cmocka_unit_test(test_many_options),
      cmocka_unit_test(test_euler_parameters),
      cmocka_unit_test(test_rates_alone),
      cmocka_unit_test(test_step_limit),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
