/*
 * Checks dry friction that acts along the normal of a stop on which a body stays: the forces of friction and stop are indeterminate, the
 * motion is not. A block with friction of ±4 N under a load P, moving to the right or to the left. Forces that switch with the velocity at rest,
 * but would change another motion, are those of their formulas.
 */
#include "check.h"
#include "methods.h"
#include "model_run.h"

#include <stdio.h>
#include <string.h>

static void open_run(cmbt_run *r, const char *text, int method)
{
  cmbt_run_open_text(r, text, cmbt_formulation(method % 3));
  r->method = cmb_method_name(cmb_method_at(method));
  if (!cmbt_is_precise(cmb_method_at(method))) r->rtol = 1e-8;
}

static double tolerance_of(const cmbt_run *r)
{
  return r->rtol < 1e-9 ? 1e-8 : 1e-5;
}

/* Writes a model in which the block moves to a stop at a distance of 0.1 m: to the right (side 1), or to the left with all signs reversed. */
static void write_block(size_t room, char *text, const char *friction, const char *load, int side)
{
  snprintf(text, room,
           "gravity: [0, 0, 0]\n"
           "bodies: {b: {mass: 2, com: [0, 0, 0]}}\n"
           "joints: {x: {type: prismatic, child: b, axis: x, rate: %d}}\n"
           "loops: {c: {type: stop, formula: \"0.1 - (%d)*x\", restitution: 0}}\n"
           "forces:\n"
           "  f: {type: load, on: {body: b, at: [0, 0, 0]}, force: [\"%s\", 0, 0]}\n"
           "  p: {type: load, on: {body: b, at: [0, 0, 0]}, force: [\"%d*(%s)\", 0, 0]}\n"
           "outputs: {place: x, N: c.force, F: f.fx}\n",
           side, side, friction, side, load);
}

static bool is_indeterminate(const cmbt_run *r, int output)
{
  return r->result->outputs_unique && !r->result->outputs_unique[output];
}

/* Checks the load P = 6 − 4 t. While it is positive the stop carries it, and the friction is reported as 0, the middle of its range. Then
 * friction carries it, up to t = 2.5, where the block moves off: 2 ẍ = −4 (t − 2.5). */
static void check_decreasing_load(const char *friction, int method, int side)
{
  const double end[] = {1, 2, 3}, push[] = {2, 0, 0}, hold[] = {0, 2, 4};
  char text[1000];
  write_block(sizeof text, text, friction, "6 - 4*t", side);
  for (int k = 0; k < 3; k++) {
    const double place = k < 2 ? 0.1 : 0.1 - pow(end[k] - 2.5, 3) / 3;
    cmbt_run r;
    open_run(&r, text, method);
    cmbt_run_to(&r, end[k], 0);
    cmbt_near(side * cmbt_output(&r, "place"), place, tolerance_of(&r));
    cmbt_near(cmbt_output(&r, "N"), push[k], tolerance_of(&r));
    cmbt_near(side * cmbt_output(&r, "F"), hold[k], tolerance_of(&r));
    assert_false(is_indeterminate(&r, 0));
    assert_true(is_indeterminate(&r, 1) && is_indeterminate(&r, 2));
    cmbt_run_close(&r);
  }
}

static void test_decreasing_load(void **state)
{
  (void)state;
  const char *const friction[] = {"-4*sign(x')", "if(x' > 0, -4, if(x' < 0, 4, 0))",
                                  "-2*sign(x') + 2*sign(-2*x')"};
  for (int i = 0; (i = cmbt_next_but_trap(i)) < cmb_method_count(); i++) {
    for (int side = -1; side <= 1; side += 2) check_decreasing_load(friction[i % 3], i, side);
  }
}

/* Checks a block that strikes the stop while 3 N pull it away: friction alone holds it there, and all outputs are unique. A block that is
 * pressed on the stop, and pulled away with 6 N from t = 1 on, moves off at once. */
static void test_tensile_load(void **state)
{
  (void)state;
  char text[1000];
  for (int i = 0; (i = cmbt_next_but_trap(i)) < cmb_method_count(); i++) {
    for (int side = -1; side <= 1; side += 2) {
      cmbt_run r;
      write_block(sizeof text, text, "-4*sign(x')", "if(t < 1, -3, 0)", side);
      open_run(&r, text, i);
      cmbt_run_to(&r, 0.9, 0);
      cmbt_near(side * cmbt_output(&r, "place"), 0.1, tolerance_of(&r));
      cmbt_near(side * cmbt_output(&r, "F"), 3, tolerance_of(&r));
      cmbt_near(cmbt_output(&r, "N"), 0, 0);
      assert_null(r.result->outputs_unique);
      cmbt_run_close(&r);
      write_block(sizeof text, text, "-4*sign(x')", "if(t < 1, 6, -6)", side);
      open_run(&r, text, i);
      cmbt_run_to(&r, 1.2, 0);
      cmbt_near(side * cmbt_output(&r, "place"), 0.1 - 0.5 * 0.04, tolerance_of(&r));
      cmbt_run_close(&r);
    }
  }
}

/* Checks a force on another block that switches with the velocity which the stop holds at 0. It would move that block in other ways on the
 * two sides, so that no mean is taken: at 0 it has the value of its formula. The block strikes the stop where t + 2.5 t² = 0.1. */
static void test_force_on_another_block(void **state)
{
  (void)state;
  static const struct {
    const char *condition;
    double at_rest;
  } cases[] = {{"x' > 0", 3}, {"x' >= 0", 1}, {"x' < 0", 3}, {"x' <= 0", 1}};
  const double hit = (sqrt(2) - 1) / 5;
  for (int i = 0; (i = cmbt_next_but_trap(i)) < cmb_method_count(); i++) {
    const char *condition = cases[i % 4].condition;
    const double first = strchr(condition, '>') ? 1 : 3, force = cases[i % 4].at_rest;
    char text[1000];
    cmbt_run r;
    snprintf(
        text, sizeof text,
        "gravity: [0, 0, 0]\n"
        "bodies: {a: {mass: 1, com: [0, 0, 0]}, b: {mass: 1, com: [0, 1, 0]}}\n"
        "joints: {x: {type: prismatic, child: a, axis: x, rate: 1}, y: {type: prismatic, "
        "child: b, axis: x}}\n"
        "loops: {wall: {type: stop, formula: 0.1 - x, restitution: 0}}\n"
        "forces:\n"
        "  push: {type: load, on: {body: a, at: [0, 0, 0]}, force: [5, 0, 0]}\n"
        "  drive: {type: load, on: {body: b, at: [0, 1, 0]}, force: [\"if(%s, 1, 3)\", 0, 0]}\n"
        "outputs: {speed: y', drive: drive.fx, N: wall.force}\n",
        condition);
    open_run(&r, text, i);
    cmbt_run_to(&r, 1, 0);
    cmbt_near(cmbt_output(&r, "speed"), first * hit + force * (1 - hit), tolerance_of(&r));
    cmbt_near(cmbt_output(&r, "drive"), force, 0);
    cmbt_near(cmbt_output(&r, "N"), 5, tolerance_of(&r));
    assert_null(r.result->outputs_unique);
    cmbt_run_close(&r);
  }
}

/* Checks that an output which is not finite for one of the values that friction can have is named as such, with its time. */
static void test_output_not_finite(void **state)
{
  (void)state;
  char text[1100], *outputs;
  write_block(1000, text, "-4*sign(x')", "6 - 4*t", 1);
  outputs = strstr(text, "outputs:");
  strcpy(outputs, "outputs: {place: x, root: sqrt(3.9 - f.fx)}\n");
  cmbt_run r;
  cmbt_run_open_text(&r, text, CMB_FORM_EXPLICIT);
  cmb_run_options options = cmb_run_defaults();
  options.t_end = 1;
  cmbt_ok(r.ctx, cmb_simulation_create(r.ctx, r.system, &options, &r.sim));
  assert_int_equal(cmb_simulation_run(r.sim), CMB_ERROR_NONFINITE);
  assert_string_equal(cmb_last_error(r.ctx), "output 'root' is not finite at t = 0.0957118824");
  cmbt_run_close(&r);
}

/* Checks that a run ends with an error if the stop at which friction holds a weight begins to move away: the friction of 20 N would hold the
 * weight of 9.81 N in its place, but it had been left out while the stop stood still. */
static void test_receding_stop(void **state)
{
  (void)state;
  static const char text[] =
      "gravity: [0, 0, -9.81]\n"
      "bodies: {b: {mass: 1, com: [0, 0, 0]}}\n"
      "joints: {z: {type: prismatic, child: b, axis: z, friction: {force: 20, law: stick}}}\n"
      "loops: {table: {type: stop, formula: \"z + 0.1*t^3\", restitution: 0}}\n";
  static const char *const methods[] = {"mdop5", "radau5", "bdf"};
  for (int i = 0; i < 3; i++) {
    cmbt_run r;
    cmbt_run_open_text(&r, text, CMB_FORM_EXPLICIT);
    cmb_run_options options = cmb_run_defaults();
    options.method = cmb_method_find(methods[i]);
    options.t_end = 1;
    cmbt_ok(r.ctx, cmb_simulation_create(r.ctx, r.system, &options, &r.sim));
    assert_int_equal(cmb_simulation_run(r.sim), CMB_ERROR_EVENTS);
    assert_non_null(
        strstr(cmb_last_error(r.ctx), "the velocity 'z.friction' of a friction is no longer 0"));
    cmbt_run_close(&r);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_decreasing_load), cmocka_unit_test(test_tensile_load),
      cmocka_unit_test(test_force_on_another_block), cmocka_unit_test(test_output_not_finite),
      cmocka_unit_test(test_receding_stop)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
