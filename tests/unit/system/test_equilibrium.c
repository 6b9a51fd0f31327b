/*
 * Tests of static equilibria (system/equilibrium.h) against closed forms: from rough start values, through changes of modes, with neutral
 * directions, with Euler parameters; their stability; and the messages where there is no equilibrium.
 */
#include "check.h"
#include "failing_allocator.h"
#include "random.h"
#include "top.h"

#include "system/equilibrium.h"

#include <camber/camber.h>
#include <string.h>

static const double PI = 3.14159265358979323846;

/* Returns a problem with `count` settings of parameters and `starts` settings of start values. */
static cmb_system *open_problem(cmb_context *ctx, const char *name, int count,
                                const cmb_setting *settings, int starts, const cmb_setting *start)
{
  cmb_system *system;
  cmbt_ok(ctx, cmb_problem_create(ctx, cmb_problem_find(name), count, settings, &system));
  cmbt_ok(ctx, cmb_system_set_start(ctx, system, starts, start));
  return system;
}

/* Checks the car axis: each spring, of stiffness 1 in the scaled equations, carries half of the weight ε² M, so its length is
 * L0 − ε² M/2 with L0 = 0.5, ε = 0.01 and M = 200. */
static void test_caraxis(void **state)
{
  (void)state;
  cmb_context *ctx = cmb_context_create(NULL);
  const cmb_setting heavy[] = {{"M", 200}}, off[] = {{"xl", 0.1}, {"yl", 0.7}, {"yr", 0.35}};
  cmb_system *system = open_problem(ctx, "caraxis", 1, heavy, 3, off);
  cmb_equilibrium_report r;
  cmbt_ok(ctx, cmb_system_equilibrium(ctx, system, &r));
  const double *q = cmb_system_q(system), length = 0.5 - 1e-4 * 200 / 2;
  const double expected[4] = {0, length, 1, length};
  for (int i = 0; i < 4; i++) cmbt_near(q[i], expected[i], 1e-14);
  for (int i = 0; i < 4; i++) assert_true(cmb_system_v(system)[i] == 0);
  assert_int_equal(r.stability, CMB_STABLE);
  assert_int_equal(r.freedoms, 2);
  assert_int_equal(r.q_most, 1);
  cmbt_below(r.force, 1e-14);
  cmb_system_destroy(system);
  cmb_context_destroy(ctx);
}

/* Checks the pendulum: from all start positions but the upper equilibrium, even 1e-11 rad beside it, the lower equilibrium is found. The
 * upper one is found if it is the start position, and is unstable. */
static void test_pendulum(void **state)
{
  (void)state;
  cmb_context *ctx = cmb_context_create(NULL);
  const double angles[] = {0, 0.1, 1.57, 3, PI - 1e-6, PI - 1e-11};
  cmb_equilibrium_report r;
  for (int i = 0; i < 6; i++) {
    const cmb_setting start[] = {{"x", sin(angles[i])}, {"y", -cos(angles[i])}};
    cmb_system *system = open_problem(ctx, "pendulum", 0, NULL, 2, start);
    cmbt_ok(ctx, cmb_system_equilibrium(ctx, system, &r));
    cmbt_near(cmb_system_q(system)[0], 0, 1e-14);
    cmbt_near(cmb_system_q(system)[1], -1, 1e-14);
    assert_int_equal(r.stability, CMB_STABLE);
    cmb_system_destroy(system);
  }
  const cmb_setting top[] = {{"x", 0}, {"y", 1}};
  cmb_system *system = open_problem(ctx, "pendulum", 0, NULL, 2, top);
  cmbt_ok(ctx, cmb_system_equilibrium(ctx, system, &r));
  assert_true(cmb_system_q(system)[1] == 1);
  assert_int_equal(r.stability, CMB_UNSTABLE);
  assert_int_equal(r.unstable, 1);
  cmb_system_destroy(system);
  cmb_context_destroy(ctx);
}

/* Checks a chain of twelve rods from ten random positions with angles up to 2.5 rad: in the equilibrium each rod hangs straight down. */
static void test_chain(void **state)
{
  (void)state;
  enum { N = 12 };
  cmb_context *ctx = cmb_context_create(NULL);
  struct cmbt_random random = {5};
  for (int k = 0; k < 10; k++) {
    cmb_system *system;
    cmb_evaluator *ev;
    cmb_equilibrium_report r;
    double q[N], lambda[1];
    cmbt_ok(ctx, cmb_problem_create(ctx, cmb_problem_find("pendulum-chain"), 0, NULL, &system));
    cmbt_ok(ctx, cmb_evaluator_create(ctx, cmb_system_equations(system), &ev));
    for (int i = 0; i < N; i++) q[i] = cmbt_random_uniform(&random, -2.5, 2.5);
    cmbt_ok(ctx, cmb_equilibrium(ev, 0, q, NULL, lambda, &r));
    for (int i = 0; i < N; i++) cmbt_near(sin(q[i]), 0, 1e-12);
    for (int i = 0; i < N; i++) cmbt_near(cos(q[i]), 1, 1e-12);
    assert_int_equal(r.stability, CMB_STABLE);
    cmb_evaluator_destroy(ev);
    cmb_system_destroy(system);
  }
  cmb_context_destroy(ctx);
}

/* A wheel of radius 0.3 on a road, with the coordinates height and spin angle. The tyre is a spring that acts while the height is less than
 * 0.3. */
struct wheel {
  double mass, stiffness, torque;
  double extra; /* added to the vertical force */
};

static cmb_status wheel_evaluate(const void *self, const cmb_point *at, const cmb_terms *want)
{
  const struct wheel *w = self;
  double push = at->mode[0] > 0 ? w->stiffness * (0.3 - at->q[0]) : 0;
  if (want->M) want->M[0] = w->mass, want->M[1] = 0.5;
  if (want->f) want->f[0] = push - w->mass * 9.81 + w->extra, want->f[1] = w->torque;
  return CMB_OK;
}

static cmb_status wheel_switches(const void *self, const cmb_point *at, const double *lambda,
                                 double *s)
{
  (void)self, (void)lambda;
  s[0] = 0.3 - at->q[0];
  return CMB_OK;
}

static cmb_equations wheel_equations(const struct wheel *wheel)
{
  static const char *const names[] = {"height", "spin"}, *const touch[] = {"touch"};
  return (cmb_equations){.name = "wheel",
                         .nq = 2,
                         .nv = 2,
                         .ns = 1,
                         .q_names = names,
                         .v_names = names,
                         .switch_names = touch,
                         .mass_constant = true,
                         .mass_diagonal = true,
                         .self = wheel,
                         .evaluate = wheel_evaluate,
                         .switches = wheel_switches};
}

/* Checks the wheel from heights far above and far below the road: the tyre carries the weight, and the mode is that of contact. The spin
 * angle is a neutral direction and does not change. */
static void test_unilateral(void **state)
{
  (void)state;
  const double heights[] = {7, 0.31, 0.2, -4};
  const struct wheel wheel = {20, 2e5, 1e-9, 0}; /* with a torque as small as rounding errors */
  cmb_equations eq = wheel_equations(&wheel);
  cmb_context *ctx = cmb_context_create(NULL);
  for (int i = 0; i < 4; i++) {
    cmb_evaluator *ev;
    cmb_equilibrium_report r;
    double q[2] = {heights[i], 1.25}, lambda[1];
    cmbt_ok(ctx, cmb_evaluator_create(ctx, &eq, &ev));
    cmbt_ok(ctx, cmb_equilibrium(ev, 0, q, NULL, lambda, &r));
    cmbt_near(q[0], 0.3 - 20 * 9.81 / 2e5, 1e-14);
    assert_true(q[1] == 1.25);
    assert_int_equal(ev->mode[0], 1);
    assert_int_equal(r.stability, CMB_NEUTRAL);
    assert_int_equal(r.neutral, 1);
    assert_int_equal(r.neutral_named, 1);
    assert_string_equal(eq.v_names[r.neutral_most[0]], "spin");
    assert_int_equal(r.unstable, 0);
    cmb_evaluator_destroy(ev);
  }
  cmb_context_destroy(ctx);
}

/* Checks that no equilibrium of the wheel is found, with this status and a message that contains `words`, and that q is unchanged. */
static void check_none(const struct wheel *wheel, cmb_status expected, const char *words)
{
  cmb_equations eq = wheel_equations(wheel);
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_evaluator *ev;
  cmb_equilibrium_report r;
  double q[2] = {0.5, 0.25}, lambda[1];
  cmbt_ok(ctx, cmb_evaluator_create(ctx, &eq, &ev));
  assert_int_equal(cmb_equilibrium(ev, 0, q, NULL, lambda, &r), expected);
  if (!strstr(cmb_last_error(ctx), words)) fail_msg("'%s' lacks '%s'", cmb_last_error(ctx), words);
  assert_true(q[0] == 0.5 && q[1] == 0.25);
  cmb_evaluator_destroy(ev);
  cmb_context_destroy(ctx);
}

/* Checks a driven wheel, a falling one, and one with a force that is not finite. */
static void test_none(void **state)
{
  (void)state;
  const struct wheel driven = {20, 2e5, 3, 0}, falling = {20, 0, 0, 0};
  const struct wheel broken = {20, 2e5, 0, NAN};
  check_none(&driven, CMB_ERROR_EQUATIONS, "3 on 'spin'");
  check_none(&falling, CMB_ERROR_EQUATIONS, "-196.2 on 'height'");
  check_none(&broken, CMB_ERROR_INCONSISTENT, "not finite");
}

/* One or two unit masses under the force f(x). */
struct field {
  int n;
  void (*force)(const double *x, const int *mode, double *f);
};

static cmb_status field_evaluate(const void *self, const cmb_point *at, const cmb_terms *want)
{
  const struct field *field = self;
  for (int i = 0; i < field->n && want->M; i++) want->M[i] = 1;
  if (want->f) field->force(at->q, at->mode, want->f);
  return CMB_OK;
}

static cmb_equations field_equations(const struct field *field)
{
  static const char *const names[] = {"x", "y"};
  return (cmb_equations){.name = "field",
                         .nq = field->n,
                         .nv = field->n,
                         .q_names = names,
                         .v_names = names,
                         .mass_constant = true,
                         .mass_diagonal = true,
                         .self = field,
                         .evaluate = field_evaluate};
}

/* Finds the equilibrium of equations from the start position q. */
static cmb_status find_equilibrium(const cmb_equations *eq, double *q, cmb_equilibrium_report *r)
{
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_evaluator *ev;
  double lambda[1];
  cmbt_ok(ctx, cmb_evaluator_create(ctx, eq, &ev));
  cmb_status status = cmb_equilibrium(ev, 0, q, NULL, lambda, r);
  cmb_evaluator_destroy(ev);
  cmb_context_destroy(ctx);
  return status;
}

static void saturating(const double *x, const int *mode, double *f)
{
  (void)mode;
  f[0] = -atan(100 * x[0]);
}

/* Checks the force −atan(100 x), for which Newton's method without damping diverges if |x| > 0.014. */
static void test_overshoot(void **state)
{
  (void)state;
  const struct field field = {1, saturating};
  cmb_equations eq = field_equations(&field);
  cmb_equilibrium_report r;
  const double starts[] = {10, -0.3, 1e4};
  for (int i = 0; i < 3; i++) {
    double x[1] = {starts[i]};
    assert_int_equal(find_equilibrium(&eq, x, &r), CMB_OK);
    cmbt_near(x[0], 0, 1e-13);
    assert_int_equal(r.stability, CMB_STABLE);
  }
}

static void circulatory(const double *x, const int *mode, double *f)
{
  double square = x[0] * x[0] + x[1] * x[1], stiff = 1 + square, turn = 30 * (1 + square * square);
  (void)mode;
  f[0] = -stiff * x[0] - turn * x[1];
  f[1] = -stiff * x[1] + turn * x[0];
}

/* Checks a force without potential that is almost perpendicular to the direction of the only equilibrium, the origin. */
static void test_circulatory(void **state)
{
  (void)state;
  const struct field field = {2, circulatory};
  cmb_equations eq = field_equations(&field);
  cmb_equilibrium_report r;
  double x[2] = {2, -1.5};
  assert_int_equal(find_equilibrium(&eq, x, &r), CMB_OK);
  cmbt_near(hypot(x[0], x[1]), 0, 1e-13);
  cmbt_below(r.iterations, 25);
}

static void discontinuous(const double *x, const int *mode, double *f)
{
  (void)mode;
  f[0] = (x[0] > 0.2 ? -1 : 1) - x[0];
}

/* Checks a force that changes its sign in a discontinuity and is nowhere 0: no equilibrium is found. */
static void test_discontinuity(void **state)
{
  (void)state;
  const struct field field = {1, discontinuous};
  cmb_equations eq = field_equations(&field);
  cmb_equilibrium_report r;
  double x[1] = {3};
  assert_int_equal(find_equilibrium(&eq, x, &r), CMB_ERROR_EQUATIONS);
  assert_true(x[0] == 3);
}

/* Computes the force 7.3 − s(x) of a spring with a table: s is x² interpolated linearly between integers; the mode is the interval's
 * number. */
static void tabulated(const double *x, const int *mode, double *f)
{
  double m = mode[0];
  f[0] = 7.3 - (m * m + (2 * m + 1) * (x[0] - m));
}

static cmb_status table_switches(const void *self, const cmb_point *at, const double *lambda,
                                 double *s)
{
  (void)self, (void)lambda;
  s[0] = fmin(at->q[0] - at->mode[0], at->mode[0] + 1 - at->q[0]);
  return CMB_OK;
}

static cmb_status table_levels(const void *self, const cmb_point *at, const double *lambda,
                               int *mode)
{
  (void)self, (void)lambda;
  mode[0] = (int)floor(at->q[0]);
  return CMB_OK;
}

/* Checks a switching function with several levels, from other intervals than that of the equilibrium. */
static void test_levels(void **state)
{
  (void)state;
  static const char *const interval[] = {"interval"};
  static const bool is_level[] = {true};
  const struct field field = {1, tabulated};
  cmb_equations eq = field_equations(&field);
  cmb_equilibrium_report r;
  const double starts[] = {6.5, 1.2, 0.1};
  eq.ns = 1;
  eq.switch_names = interval;
  eq.switches = table_switches;
  eq.switch_is_level = is_level;
  eq.levels = table_levels;
  for (int i = 0; i < 3; i++) {
    double x[1] = {starts[i]};
    assert_int_equal(find_equilibrium(&eq, x, &r), CMB_OK);
    cmbt_near(x[0], 2.66, 1e-14); /* 4 + 5 (x − 2) = 7.3 */
  }
}

/* Checks the heavy top from 20 random orientations: it hangs below its pivot, and the rotation about the vertical is a neutral direction.
 * From the upright position the unstable equilibrium there is found. */
static void test_euler_parameters(void **state)
{
  (void)state;
  const struct cmbt_top top = {3, 0.4, {0.06, 0.07}, 0.02, 9.81};
  cmb_equations eq = cmbt_top_equations(&top);
  cmb_context *ctx = cmb_context_create(NULL);
  struct cmbt_random random = {3};
  const double still[3] = {0};
  double q[7], v[6], lambda[3], e[4];
  cmb_equilibrium_report r;
  cmb_evaluator *ev;
  cmbt_ok(ctx, cmb_evaluator_create(ctx, &eq, &ev));
  for (int k = 0; k < 20; k++) {
    for (int i = 0; i < 4; i++) e[i] = cmbt_random_uniform(&random, -1, 1);
    cmbt_top_state(&top, e, still, q, v);
    cmbt_ok(ctx, cmb_equilibrium(ev, 0, q, NULL, lambda, &r));
    cmbt_near(q[2], -0.4, 1e-14);
    cmbt_near(hypot(q[0], q[1]), 0, 1e-12);
    cmbt_near(q[3] * q[3] + q[4] * q[4] + q[5] * q[5] + q[6] * q[6], 1, 1e-14);
    cmbt_near(lambda[2], 3 * 9.81, 1e-12);
    assert_int_equal(r.stability, CMB_NEUTRAL);
    assert_int_equal(r.neutral, 1);
  }
  const double upright[4] = {1, 0, 0, 0};
  cmbt_top_state(&top, upright, still, q, v);
  cmbt_ok(ctx, cmb_equilibrium(ev, 0, q, NULL, lambda, &r));
  assert_true(q[2] == 0.4);
  assert_int_equal(r.stability, CMB_UNSTABLE);
  assert_int_equal(r.unstable, 2);
  cmb_evaluator_destroy(ev);
  cmb_context_destroy(ctx);
}

/* Makes each request for memory fail once: the error is CMB_ERROR_MEMORY, no memory is leaked, and the start values are unchanged. */
static void test_memory(void **state)
{
  (void)state;
  long refused = 1;
  for (long k = 1; refused > 0; k++) {
    struct cmbt_allocator memory;
    cmbt_allocator_init(&memory);
    cmb_context *ctx = cmb_context_create(&memory.hook);
    cmb_system *system;
    cmb_equilibrium_report r;
    cmbt_ok(ctx, cmb_problem_create(ctx, cmb_problem_find("caraxis"), 0, NULL, &system));
    memory.fail_at = memory.calls + k;
    cmb_status status = cmb_system_equilibrium(ctx, system, &r);
    refused = memory.refused;
    assert_int_equal(status, refused > 0 ? CMB_ERROR_MEMORY : CMB_OK);
    if (refused > 0) assert_true(cmb_system_q(system)[1] == 0.5);
    cmb_system_destroy(system);
    cmb_context_destroy(ctx);
    assert_int_equal(memory.outstanding, 0);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_caraxis),     cmocka_unit_test(test_pendulum),
      cmocka_unit_test(test_chain),       cmocka_unit_test(test_unilateral),
      cmocka_unit_test(test_none),        cmocka_unit_test(test_overshoot),
      cmocka_unit_test(test_circulatory), cmocka_unit_test(test_discontinuity),
      cmocka_unit_test(test_levels),      cmocka_unit_test(test_euler_parameters),
      cmocka_unit_test(test_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
