/*
 * Held start values: Euler parameters and rates of spherical and free joints, whole chains out of reach, what settings of
 * the options do in each formulation, and where freedoms are left.
 */
#include "check.h"
#include "math/rotation.h"

#include <camber/sim.h>
#include <stdio.h>
#include <string.h>

struct heard {
  int count;
  char last[300];
};

static void hear(void *user, cmb_log_level level, const char *message)
{
  struct heard *h = user;
  if (level != CMB_LOG_WARNING || !strstr(message, "cannot start")) return;
  h->count++;
  snprintf(h->last, sizeof h->last, "%s", message);
}

static cmb_system *open_system(cmb_context *ctx, const char *text, cmb_formulation form, int count,
                               const cmb_setting *start, cmb_model **model)
{
  const cmb_model_system_options options = {
      .formulation = form, .start_count = count, .start = start};
  cmb_system *system;
  cmbt_ok(ctx, cmb_model_parse(ctx, text, strlen(text), "hold.yaml", NULL, model));
  cmbt_ok(ctx, cmb_model_system(ctx, *model, &options, &system));
  return system;
}

/* A rod of 1 m on a ball at O; its end C is tied to a body on a slider by a strut. The rod's orientation is given: 0.5 rad about
 * y, (cos 0.25, 0, sin 0.25, 0). The slider follows: its distance to the end of the rod stays 1. */
static const char ball[] =
    "points: {O: [0, 0, 0], C: [1, 0, 0], S: [2, 0, 0]}\n"
    "bodies: {rod: {mass: 1, rod: [O, C], radius: 0.1}, slide: {mass: 2, com: S}}\n"
    "joints:\n"
    "  ball: {type: spherical, child: rod, at: O, orientation: euler, start: [0.96891242171064473, "
    "0, "
    "0.24740395925452294, 0], rate: [0, 0.7, 0]}\n"
    "  rail: {type: prismatic, child: slide, at: S, axis: x}\n"
    "loops: {strut: {type: distance, between: [rod@C, slide@S]}}\n";

static void test_euler_parameters(void **state)
{
  (void)state;
  cmb_context *ctx = cmb_context_create(NULL);
  struct heard heard = {0};
  cmb_model *model;
  cmb_context_set_log(ctx, hear, &heard);
  cmb_system *system = open_system(ctx, ball, CMB_FORM_EXPLICIT, 0, NULL, &model);
  const double *q = cmb_system_q(system), *v = cmb_system_v(system);
  cmbt_near(q[0], cos(0.25), 1e-14);
  cmbt_near(q[2], sin(0.25), 1e-14);
  /* C is at (cos 0.5, 0, −sin 0.5), and the strut is 1 long */
  const double x = cos(0.5) + sqrt(1 - sin(0.5) * sin(0.5));
  cmbt_near(q[4], x - 2, 1e-12);
  cmbt_near(v[1], 0.7, 1e-13);
  cmbt_near(v[3], -0.7 * 2 * sin(0.5), 1e-12);
  assert_int_equal(heard.count, 0);
  cmb_system_destroy(system);
  cmb_model_destroy(model);
  cmb_context_destroy(ctx);
}

/* Two cranks of 1 m whose ends are tied by a rod of 3 m, 3 m apart: upright they can lean together. The first is told to lean so
 * far that the second would have to be longer: 2.5 m apart it is out of reach at −2 rad against +2. */
static const char cranks[] =
    "points: {A: [0, 0, 0], B: [0, 0, 1], C: [3, 0, 0], D: [3, 0, 1]}\n"
    "bodies: {left: {mass: 1, rod: [A, B]}, right: {mass: 1, rod: [C, D]}}\n"
    "joints:\n"
    "  a: {type: revolute, child: left, at: A, axis: y}\n"
    "  b: {type: revolute, child: right, at: C, axis: y}\n"
    "loops: {tie: {type: distance, between: [left@B, right@D]}}\n";

static void test_settings(void **state)
{
  (void)state;
  const cmb_setting one[] = {{"a", 0.6}, {"b'", -1.5}}, both[] = {{"b", 0.4}, {"a", -0.9}};
  for (int form = CMB_FORM_EXPLICIT; form <= CMB_FORM_RESIDUAL; form++) {
    cmb_context *ctx = cmb_context_create(NULL);
    struct heard heard = {0};
    cmb_model *model;
    cmb_context_set_log(ctx, hear, &heard);
    cmb_system *system = open_system(ctx, cranks, (cmb_formulation)form, 2, one, &model);
    for (int i = 0; i < 2; i++) {
      cmbt_near(cmb_system_q(system)[i], 0.6, 1e-12); /* a parallelogram */
      cmbt_near(cmb_system_v(system)[i], -1.5, 1e-12);
    }
    assert_int_equal(heard.count, 0);
    cmb_system_destroy(system);
    cmb_model_destroy(model);
    system = open_system(ctx, cranks, (cmb_formulation)form, 2, both, &model);
    assert_int_equal(heard.count, 1); /* one of the two is held, the other is named */
    const double *q = cmb_system_q(system);
    assert_true(fabs(q[0] + 0.9) < 1e-9 || fabs(q[1] - 0.4) < 1e-9);
    cmbt_near(q[0], q[1], 1e-9);
    cmb_system_destroy(system);
    cmb_model_destroy(model);
    cmb_context_destroy(ctx);
  }
}

/* In Cartesian coordinates settings of joints are held, those of bodies are set, and others are refused. */
static void test_cartesian(void **state)
{
  (void)state;
  const cmb_setting joint[] = {{"a", 0.6}}, wrong[] = {{"c", 0.6}};
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_model *model;
  cmb_system *system = open_system(ctx, cranks, CMB_FORM_CARTESIAN, 1, joint, &model);
  const double *q = cmb_system_q(system); /* x y z of the middle of the left crank, then p */
  cmbt_near(q[0], 0.5 * sin(0.6), 1e-12);
  cmbt_near(q[2], 0.5 * cos(0.6), 1e-12);
  cmb_system_destroy(system);
  for (int form = CMB_FORM_EXPLICIT; form <= CMB_FORM_CARTESIAN; form++) {
    const cmb_model_system_options options = {
        .formulation = (cmb_formulation)form, .start_count = 1, .start = wrong};
    assert_int_equal(cmb_model_system(ctx, model, &options, &system), CMB_ERROR_INPUT);
    assert_non_null(strstr(cmb_last_error(ctx), "has no coordinate or velocity 'c'"));
    assert_null(system);
  }
  cmb_model_destroy(model);
  cmb_context_destroy(ctx);
}

/* A slider-crank whose rod is shorter than the crank: the crank cannot stand at 1.2 rad. It goes as far as it gets, asin 0.8. */
static const char short_rod[] =
    "points: {A: [0, 0, 0], B: [1, 0, 0], C: [1.8, 0, 0]}\n"
    "bodies:\n"
    "  crank: {mass: 1, rod: [A, B]}\n"
    "  piston: {mass: 1, com: C}\n"
    "joints:\n"
    "  main: {type: revolute, child: crank, at: A, axis: y, start: 1.2}\n"
    "  bore: {type: prismatic, child: piston, at: C, axis: x}\n"
    "loops: {rod: {type: distance, between: [crank@B, piston@C]}}\n";

static void test_out_of_reach(void **state)
{
  (void)state;
  cmb_context *ctx = cmb_context_create(NULL);
  struct heard heard = {0};
  cmb_model *model;
  cmb_context_set_log(ctx, hear, &heard);
  cmb_system *system = open_system(ctx, short_rod, CMB_FORM_EXPLICIT, 0, NULL, &model);
  const double *q = cmb_system_q(system);
  assert_int_equal(heard.count, 1);
  assert_non_null(strstr(heard.last, "coordinate 'main' cannot start at 1.2"));
  const double dx = 1.8 + q[1] - cos(q[0]);
  cmbt_near(dx * dx + sin(q[0]) * sin(q[0]), 0.64, 1e-9); /* on the constraints */
  assert_true(q[0] > 0.85 && q[0] < asin(0.8) + 1e-9);    /* 0.927 */
  cmb_system_destroy(system);
  cmb_model_destroy(model);
  cmb_context_destroy(ctx);
}

/* Two slides and a crank, x + y + sin phi = 2. With x = 0.5 held y gets down to 0.5 only, where the crank stands across: there y follows
 * from x, y' = −x'. Holding y' too would need a crank that turns at 4,000 rad/s. */
static const char together[] =
    "bodies:\n"
    "  a: {mass: 1, com: [0, 0, 0]}\n"
    "  b: {mass: 1, com: [0, 0, 0]}\n"
    "  arm: {mass: 1, com: [0, 0, 0], inertia: [0.1, 0.1, 0.1]}\n"
    "joints:\n"
    "  x: {type: prismatic, child: a, at: [0, 0, 0], axis: x, start: 0.5, rate: 0.3}\n"
    "  y: {type: prismatic, child: b, at: [0, 0, 0], axis: x, start: 0.2, rate: 0.1}\n"
    "  phi: {type: revolute, child: arm, at: [0, 0, 0], axis: y}\n"
    "loops: {reach: {type: formula, formula: x + y + sin(phi) - 2}}\n";

static void test_reach_together(void **state)
{
  (void)state;
  for (int form = CMB_FORM_EXPLICIT; form <= CMB_FORM_CARTESIAN; form++) {
    cmb_context *ctx = cmb_context_create(NULL);
    struct heard heard = {0};
    cmb_model *model;
    cmb_context_set_log(ctx, hear, &heard);
    cmb_system *system = open_system(ctx, together, (cmb_formulation)form, 0, NULL, &model);
    const cmb_equations *eq = cmb_system_equations(system);
    const double *q = cmb_system_q(system) + eq->nq - 3, *v = cmb_system_v(system) + eq->nv - 3;
    cmbt_near(q[0], 0.5, 1e-12);
    cmbt_near(q[1], 0.5, 1e-6);
    cmbt_near(v[0], 0.3, 1e-12);
    cmbt_near(v[1], -0.3, 1e-6);
    cmbt_below(fabs(v[2]), 1e-3);
    assert_int_equal(heard.count, 2);
    assert_non_null(strstr(heard.last, "rate 'y'' cannot start at 0.1"));
    cmb_system_destroy(system);
    cmb_model_destroy(model);
    cmb_context_destroy(ctx);
  }
}

/* A slide and two cranks, x = sin phi + sin psi. x gets to 2 and not to 3; then psi = 1 can be held, and x goes back to 1 + sin 1, where
 * phi still stands across: x' = cos(psi) psi' follows from psi'. Holding x' as well would need a crank that turns at thousands of rad/s. */
static const char in_turn[] =
    "bodies:\n"
    "  a: {mass: 1, com: [0, 0, 0]}\n"
    "  b: {mass: 1, com: [0, 0, 0], inertia: [0.1, 0.1, 0.1]}\n"
    "  c: {mass: 1, com: [0, 0, 0], inertia: [0.1, 0.1, 0.1]}\n"
    "joints:\n"
    "  x: {type: prismatic, child: a, at: [0, 0, 0], axis: x, start: 3, rate: 0.3}\n"
    "  phi: {type: revolute, child: b, at: [0, 0, 0], axis: y}\n"
    "  psi: {type: revolute, child: c, at: [0, 0, 0], axis: y, start: 1, rate: 0.2}\n"
    "loops: {reach: {type: formula, formula: x - sin(phi) - sin(psi)}}\n";

static void test_met_later(void **state)
{
  (void)state;
  for (int form = CMB_FORM_EXPLICIT; form <= CMB_FORM_CARTESIAN; form++) {
    cmb_context *ctx = cmb_context_create(NULL);
    struct heard heard = {0};
    cmb_model *model;
    cmb_context_set_log(ctx, hear, &heard);
    cmb_system *system = open_system(ctx, in_turn, (cmb_formulation)form, 0, NULL, &model);
    const cmb_equations *eq = cmb_system_equations(system);
    const double *q = cmb_system_q(system) + eq->nq - 3, *v = cmb_system_v(system) + eq->nv - 3;
    cmbt_near(q[0], 1 + sin(1), 1e-6);
    cmbt_near(q[2], 1, 1e-12);
    cmbt_near(v[0], 0.2 * cos(1), 1e-3);
    cmbt_below(fabs(v[1]), 1e-3);
    cmbt_near(v[2], 0.2, 1e-12);
    assert_int_equal(heard.count, 2);
    assert_non_null(strstr(heard.last, "rate 'x'' cannot start at 0.3"));
    cmb_system_destroy(system);
    cmb_model_destroy(model);
    cmb_context_destroy(ctx);
  }
}

/* Three slides with X Y² = 1 + c, X = 1 + x and Y = 1 + y, of which c is given far away. The least change of x and y in each step leads along
 * 2 X² − Y² = 1; the nearest position to X = Y = 1 has 2 X (X − 1) = Y (Y − 1), and is 0.03 from there. */
static const char product[] =
    "bodies:\n"
    "  a: {mass: 1, com: [0, 0, 0]}\n"
    "  b: {mass: 9, com: [0, 0, 0]}\n"
    "  d: {mass: 1, com: [0, 0, 0]}\n"
    "joints:\n"
    "  x: {type: prismatic, child: a, at: [0, 0, 0], axis: x}\n"
    "  y: {type: prismatic, child: b, at: [0, 0, 0], axis: x}\n"
    "  c: {type: prismatic, child: d, at: [0, 0, 0], axis: x, start: 7}\n"
    "loops: {product: {type: formula, formula: (1 + x)*(1 + y)^2 - 1 - c}}\n";

static void test_nearest(void **state)
{
  (void)state;
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_model *model;
  cmb_system *system = open_system(ctx, product, CMB_FORM_EXPLICIT, 0, NULL, &model);
  const double *q = cmb_system_q(system), X = 1 + q[0], Y = 1 + q[1];
  cmbt_near(q[2], 7, 1e-12);
  cmbt_near(X * Y * Y, 8, 1e-10);
  /* the cosine of the angle between the way back and the direction along X Y² = 8 */
  const double along = 2 * X * Y * (X - 1) - Y * Y * (Y - 1);
  cmbt_below(fabs(along) / hypot(2 * X * Y, Y * Y) / hypot(X - 1, Y - 1), 1.01e-3);
  cmb_system_destroy(system);
  cmb_model_destroy(model);
  cmb_context_destroy(ctx);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_euler_parameters), cmocka_unit_test(test_settings),
      cmocka_unit_test(test_cartesian),        cmocka_unit_test(test_out_of_reach),
      cmocka_unit_test(test_reach_together),   cmocka_unit_test(test_met_later),
      cmocka_unit_test(test_nearest)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
