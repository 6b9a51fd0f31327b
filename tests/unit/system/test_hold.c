/*
 * Tests of start values that a model or an option gives: they are held while the other coordinates and velocities are made consistent.
 * Euler parameters and rates of a spherical joint; options in each formulation; values that the constraints do not permit, with a warning;
 * and the choice of the nearest position.
 */
#include "check.h"
#include "math/rotation.h"

#include <camber/sim.h>
#include <stdio.h>
#include <string.h>

/* The number of warnings about start values, and the last one. */
struct warnings {
  int count;
  char last[300];
};

static void record_warning(void *user, cmb_log_level level, const char *message)
{
  struct warnings *h = user;
  if (level != CMB_LOG_WARNING || !strstr(message, "cannot start")) return;
  h->count++;
  snprintf(h->last, sizeof h->last, "%s", message);
}

/* Returns the system of a model text and, in *model, the model, with `count` start values set by options. */
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

/* A rod OC of 1 m on a spherical joint at O; a strut of 1 m connects C to a slider S on the x axis. The rod's orientation is given: a
 * rotation by 0.5 rad about y, with the Euler parameters (cos 0.25, 0, sin 0.25, 0). The position of the slider follows. */
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
  struct warnings warnings = {0};
  cmb_model *model;
  cmb_context_set_log(ctx, record_warning, &warnings);
  cmb_system *system = open_system(ctx, ball, CMB_FORM_EXPLICIT, 0, NULL, &model);
  const double *q = cmb_system_q(system), *v = cmb_system_v(system);
  cmbt_near(q[0], cos(0.25), 1e-14);
  cmbt_near(q[2], sin(0.25), 1e-14);
  /* C is at (cos 0.5, 0, −sin 0.5), and the strut has the length 1 */
  const double x = cos(0.5) + sqrt(1 - sin(0.5) * sin(0.5));
  cmbt_near(q[4], x - 2, 1e-12);
  cmbt_near(v[1], 0.7, 1e-13);
  cmbt_near(v[3], -0.7 * 2 * sin(0.5), 1e-12);
  assert_int_equal(warnings.count, 0);
  cmb_system_destroy(system);
  cmb_model_destroy(model);
  cmb_context_destroy(ctx);
}

/* Two upright cranks of 1 m at a distance of 3 m, whose ends are connected by a rod of 3 m: a parallelogram, in which both angles are
 * equal. */
static const char cranks[] =
    "points: {A: [0, 0, 0], B: [0, 0, 1], C: [3, 0, 0], D: [3, 0, 1]}\n"
    "bodies: {left: {mass: 1, rod: [A, B]}, right: {mass: 1, rod: [C, D]}}\n"
    "joints:\n"
    "  a: {type: revolute, child: left, at: A, axis: y}\n"
    "  b: {type: revolute, child: right, at: C, axis: y}\n"
    "loops: {tie: {type: distance, between: [left@B, right@D]}}\n";

/* Checks that a start angle of one crank and a start rate of the other determine both cranks. Of two different start angles one is held,
 * and a warning names the other. */
static void test_settings(void **state)
{
  (void)state;
  const cmb_setting one[] = {{"a", 0.6}, {"b'", -1.5}}, both[] = {{"b", 0.4}, {"a", -0.9}};
  for (int form = CMB_FORM_EXPLICIT; form <= CMB_FORM_RESIDUAL; form++) {
    cmb_context *ctx = cmb_context_create(NULL);
    struct warnings warnings = {0};
    cmb_model *model;
    cmb_context_set_log(ctx, record_warning, &warnings);
    cmb_system *system = open_system(ctx, cranks, (cmb_formulation)form, 2, one, &model);
    for (int i = 0; i < 2; i++) {
      cmbt_near(cmb_system_q(system)[i], 0.6, 1e-12); /* both angles are equal */
      cmbt_near(cmb_system_v(system)[i], -1.5, 1e-12);
    }
    assert_int_equal(warnings.count, 0);
    cmb_system_destroy(system);
    cmb_model_destroy(model);
    system = open_system(ctx, cranks, (cmb_formulation)form, 2, both, &model);
    assert_int_equal(warnings.count, 1);
    const double *q = cmb_system_q(system);
    assert_true(fabs(q[0] + 0.9) < 1e-9 || fabs(q[1] - 0.4) < 1e-9);
    cmbt_near(q[0], q[1], 1e-9);
    cmb_system_destroy(system);
    cmb_model_destroy(model);
    cmb_context_destroy(ctx);
  }
}

/* Checks that start values of joint coordinates are held in Cartesian coordinates, too, and that unknown names are refused in each
 * formulation. */
static void test_cartesian(void **state)
{
  (void)state;
  const cmb_setting joint[] = {{"a", 0.6}}, wrong[] = {{"c", 0.6}};
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_model *model;
  cmb_system *system = open_system(ctx, cranks, CMB_FORM_CARTESIAN, 1, joint, &model);
  /* x, y, z of the left crank's centre of mass, then Euler parameters */
  const double *q = cmb_system_q(system);
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

/* A slider-crank with a crank of 1 m and a rod of 0.8 m: the crank angle is at most asin 0.8 = 0.927 rad. Its start angle is to be 1.2
 * rad. */
static const char short_rod[] =
    "points: {A: [0, 0, 0], B: [1, 0, 0], C: [1.8, 0, 0]}\n"
    "bodies:\n"
    "  crank: {mass: 1, rod: [A, B]}\n"
    "  piston: {mass: 1, com: C}\n"
    "joints:\n"
    "  main: {type: revolute, child: crank, at: A, axis: y, start: 1.2}\n"
    "  bore: {type: prismatic, child: piston, at: C, axis: x}\n"
    "loops: {rod: {type: distance, between: [crank@B, piston@C]}}\n";

/* Checks that the crank starts near its largest angle, with a warning. */
static void test_out_of_reach(void **state)
{
  (void)state;
  cmb_context *ctx = cmb_context_create(NULL);
  struct warnings warnings = {0};
  cmb_model *model;
  cmb_context_set_log(ctx, record_warning, &warnings);
  cmb_system *system = open_system(ctx, short_rod, CMB_FORM_EXPLICIT, 0, NULL, &model);
  const double *q = cmb_system_q(system);
  assert_int_equal(warnings.count, 1);
  assert_non_null(strstr(warnings.last, "coordinate 'main' cannot start at 1.2"));
  const double dx = 1.8 + q[1] - cos(q[0]);
  cmbt_near(dx * dx + sin(q[0]) * sin(q[0]), 0.64, 1e-9); /* on the constraints */
  assert_true(q[0] > 0.85 && q[0] < asin(0.8) + 1e-9);    /* 0.927 */
  cmb_system_destroy(system);
  cmb_model_destroy(model);
  cmb_context_destroy(ctx);
}

/* Two sliders and a crank with the constraint x + y + sin φ = 2. With x = 0.5 held the least y is 0.5, at φ = π/2, and y = 0.2 cannot be
 * held. There cos φ = 0, so y' = −x' follows from x'. If y' was held as well, the crank would turn at thousands of rad/s. */
static const char sum_of_two[] =
    "bodies:\n"
    "  a: {mass: 1, com: [0, 0, 0]}\n"
    "  b: {mass: 1, com: [0, 0, 0]}\n"
    "  arm: {mass: 1, com: [0, 0, 0], inertia: [0.1, 0.1, 0.1]}\n"
    "joints:\n"
    "  x: {type: prismatic, child: a, at: [0, 0, 0], axis: x, start: 0.5, rate: 0.3}\n"
    "  y: {type: prismatic, child: b, at: [0, 0, 0], axis: x, start: 0.2, rate: 0.1}\n"
    "  phi: {type: revolute, child: arm, at: [0, 0, 0], axis: y}\n"
    "loops: {reach: {type: formula, formula: x + y + sin(phi) - 2}}\n";

/* Checks that x, y = 0.5, x' and y' = −x' are found in each formulation, with warnings for y and y'. */
static void test_rate_at_limit(void **state)
{
  (void)state;
  for (int form = CMB_FORM_EXPLICIT; form <= CMB_FORM_CARTESIAN; form++) {
    cmb_context *ctx = cmb_context_create(NULL);
    struct warnings warnings = {0};
    cmb_model *model;
    cmb_context_set_log(ctx, record_warning, &warnings);
    cmb_system *system = open_system(ctx, sum_of_two, (cmb_formulation)form, 0, NULL, &model);
    const cmb_equations *eq = cmb_system_equations(system);
    const double *q = cmb_system_q(system) + eq->nq - 3, *v = cmb_system_v(system) + eq->nv - 3;
    cmbt_near(q[0], 0.5, 1e-12);
    cmbt_near(q[1], 0.5, 1e-6);
    cmbt_near(v[0], 0.3, 1e-12);
    cmbt_near(v[1], -0.3, 1e-6);
    cmbt_below(fabs(v[2]), 1e-3);
    assert_int_equal(warnings.count, 2);
    assert_non_null(strstr(warnings.last, "rate 'y'' cannot start at 0.1"));
    cmb_system_destroy(system);
    cmb_model_destroy(model);
    cmb_context_destroy(ctx);
  }
}

/* A slider and two cranks with the constraint x = sin φ + sin ψ. The start value x = 3 is tried first and leads to x = 2. Then ψ = 1 can be
 * held, and x becomes 1 + sin 1 with φ = π/2, so x' = cos(ψ) ψ' follows from ψ'. If x' was held as well, a crank would turn at thousands of
 * rad/s. */
static const char two_cranks[] =
    "bodies:\n"
    "  a: {mass: 1, com: [0, 0, 0]}\n"
    "  b: {mass: 1, com: [0, 0, 0], inertia: [0.1, 0.1, 0.1]}\n"
    "  c: {mass: 1, com: [0, 0, 0], inertia: [0.1, 0.1, 0.1]}\n"
    "joints:\n"
    "  x: {type: prismatic, child: a, at: [0, 0, 0], axis: x, start: 3, rate: 0.3}\n"
    "  phi: {type: revolute, child: b, at: [0, 0, 0], axis: y}\n"
    "  psi: {type: revolute, child: c, at: [0, 0, 0], axis: y, start: 1, rate: 0.2}\n"
    "loops: {reach: {type: formula, formula: x - sin(phi) - sin(psi)}}\n";

/* Checks that ψ and ψ' are held in each formulation, that x and x' follow, and that there are warnings for x and x'. */
static void test_value_given_up(void **state)
{
  (void)state;
  for (int form = CMB_FORM_EXPLICIT; form <= CMB_FORM_CARTESIAN; form++) {
    cmb_context *ctx = cmb_context_create(NULL);
    struct warnings warnings = {0};
    cmb_model *model;
    cmb_context_set_log(ctx, record_warning, &warnings);
    cmb_system *system = open_system(ctx, two_cranks, (cmb_formulation)form, 0, NULL, &model);
    const cmb_equations *eq = cmb_system_equations(system);
    const double *q = cmb_system_q(system) + eq->nq - 3, *v = cmb_system_v(system) + eq->nv - 3;
    cmbt_near(q[0], 1 + sin(1), 1e-6);
    cmbt_near(q[2], 1, 1e-12);
    cmbt_near(v[0], 0.2 * cos(1), 1e-3);
    cmbt_below(fabs(v[1]), 1e-3);
    cmbt_near(v[2], 0.2, 1e-12);
    assert_int_equal(warnings.count, 2);
    assert_non_null(strstr(warnings.last, "rate 'x'' cannot start at 0.3"));
    cmb_system_destroy(system);
    cmb_model_destroy(model);
    cmb_context_destroy(ctx);
  }
}

/* Three sliders with X Y² = 1 + c, X = 1 + x and Y = 1 + y, where c = 7 is given. Of all positions with this c, the nearest one to x = y =
 * 0 has 2 X (X − 1) = Y (Y − 1). Small steps, each with the least change of x and y, would lead along 2 X² − Y² = 1 to a position 0.03
 * away. */
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

/* Checks that the nearest position is found. */
static void test_nearest(void **state)
{
  (void)state;
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_model *model;
  cmb_system *system = open_system(ctx, product, CMB_FORM_EXPLICIT, 0, NULL, &model);
  const double *q = cmb_system_q(system), X = 1 + q[0], Y = 1 + q[1];
  cmbt_near(q[2], 7, 1e-12);
  cmbt_near(X * Y * Y, 8, 1e-10);
  /* cosine of the angle between the displacement (X − 1, Y − 1) and the tangent (2 X Y, −Y²) of the curve X Y² = 8 */
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
      cmocka_unit_test(test_rate_at_limit),    cmocka_unit_test(test_value_given_up),
      cmocka_unit_test(test_nearest)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
