/*
 * Names of switching functions: each has the name of the force, measure, input, motion or loop and the line that it comes from, in every
 * formulation; several in one formula are numbered; no two have the same name.
 */
#include "check.h"
#include "model_run.h"
#include "random.h"

#include <stdio.h>
#include <string.h>

/* The expected names contain the line numbers of this text. */
static const char model[] =
    "inputs:\n"
    "  once: if(t > 3, 1, 0)\n"
    "  twice: if(t > 4, 1, 0) + max(t, 2)\n"
    "  steps: floor(2*t)\n"
    "  idle: abs(t - 7)\n"
    "tables:\n"
    "  bent: [[0, 0], [1, 1], [2, 4]]\n"
    "measures:\n"
    "  gap: abs(x - 1)\n"
    "points: {O: [0, 0, 0], B: [3, 0, 2], W: [9, 0, 0]}\n"
    "bodies:\n"
    "  cart: {mass: 1, com: O, inertia: [1, 1, 1]}\n"
    "  bob: {mass: 1, com: [0, 0, -1], inertia: [1, 1, 1]}\n"
    "  ball: {mass: 1, com: B, inertia: [1, 1, 1]}\n"
    "joints:\n"
    "  slide: {type: prismatic, child: cart, at: O, axis: x, coordinates: [x]}\n"
    "  pin: {type: revolute, parent: cart, child: bob, at: O, axis: y, coordinates: [phi]}\n"
    "  lift: {type: prismatic, child: ball, at: B, axis: z, coordinates: [z]}\n"
    "motions:\n"
    "  drive: {coordinate: phi, value: '0.1*max(0, t - 5)'}\n"
    "forces:\n"
    "  push: {type: load, on: cart@O,\n"
    "    force: ['once + twice + steps + gap*min(x, 2) + bent(t)', 0, 0]}\n"
    "  stop: {type: spring, between: [cart@O, ground@W], spring: bent,\n"
    "    force: 'if(stop.length < 2, 3, 0)'}\n"
    "  touch: {type: contact, on: ball@B, stiffness: 100,\n"
    "    surface: 'z - 0.1*abs(z - 1)'}\n";

static const char *const expected[] = {
    "input once, line 2",      "input twice, line 3 (1)", "input twice, line 3 (2)",
    "input steps, line 4",     "measure gap, line 9",     "motion drive, line 20",
    "force push, line 23 (1)", "force push, line 23 (2)", "force stop, line 24",
    "force stop, line 25",     "force touch, line 26",    "touch.contact"};
enum { EXPECTED = sizeof expected / sizeof *expected };

/* Returns whether a switching function has this name; fails if several have. */
static bool has(const cmb_equations *eq, const char *name)
{
  int count = 0;
  for (int i = 0; i < eq->ns; i++) count += strcmp(eq->switch_names[i], name) == 0;
  assert_in_range(count, 0, 1);
  return count == 1;
}

static void test_names(void **state)
{
  (void)state;
  for (int form = CMB_FORM_EXPLICIT; form <= CMB_FORM_CARTESIAN; form++) {
    cmbt_run r;
    cmbt_run_open_text(&r, model, (cmb_formulation)form);
    for (int i = 0; i < r.eq->ns; i++) printf("%s\n", r.eq->switch_names[i]);
    for (int i = 0; i < EXPECTED; i++) {
      if (!has(r.eq, expected[i]))
        fail_msg("formulation %d: no function has the name '%s'", form, expected[i]);
    }
    assert_int_equal(r.eq->ns, EXPECTED);
    cmbt_run_close(&r);
  }
}

/* Formulas in smooth(...) have no switches themselves, but their derivatives may: these have a name of the model, too. */
static const char smooth[] =
    "points: {O: [0, 0, 0], A: [0.4, 0, 0], T: [0.3, 0, 0.4]}\n"
    "bodies:\n"
    "  arm: {mass: 5, rod: [O, A], radius: 0.02}\n"
    "  cart: {mass: 1, com: O}\n"
    "joints:\n"
    "  pin: {type: revolute, child: arm, at: O, axis: y, start: 0.2}\n"
    "  slide: {type: prismatic, child: cart, axis: x}\n"
    "motions:\n"
    "  drive: {coordinate: slide, value: 'smooth(abs(t - 0.5)^3)'}\n"
    "forces:\n"
    "  s: {type: spring, between: [ground@T, arm@A], stiffness: 2000,\n"
    "    force: 'smooth(if(s.rate > 0, 300, 100)*s.rate)'}\n"
    "  w: {type: spring, between: [ground@T, arm@A],\n"
    "    force: 'smooth(abs(w.length - 0.3))'}\n"
    "  loose: {type: load, on: arm@A, force: [0, 0, 'smooth(max(pin, 0))']}\n";

static void test_smooth_names(void **state)
{
  (void)state;
  static const char *const names[] = {"motion drive, line 9", "force s, line 12",
                                      "force w, line 14"};
  for (int fixed_cost = 0; fixed_cost < 2; fixed_cost++) {
    cmbt_run r;
    cmbt_run_open_text_with(&r, smooth, CMB_FORM_EXPLICIT, fixed_cost);
    for (int i = 0; i < r.eq->ns; i++) printf("%s\n", r.eq->switch_names[i]);
    assert_int_equal(r.eq->ns,
                     fixed_cost ? 3 : 1); /* forces have derivatives with fixed cost only */
    for (int i = 0; i < r.eq->ns; i++) assert_true(has(r.eq, names[i]));
    cmbt_run_close(&r);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_names),
      cmocka_unit_test(test_smooth_names),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
