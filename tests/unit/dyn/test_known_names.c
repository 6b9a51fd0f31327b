/*
 * Shows that each name which messages on unknown names can suggest (dyn/known_names.c) is accepted in a formula: for a model with joints,
 * bodies, markers, all types of forces, loops of all kinds and stops, each listed quantity and value is read as an output.
 */
#include "check.h"
#include "dyn/build.h"
#include "model_case.h"

#include <camber/camber.h>
#include <stdio.h>
#include <string.h>

static const char model_text[] =
    "parameters: {stiff: 1000}\n"
    "points: {O: [0, 0, 1], A: [1, 0, 1], C: [2, 0, 1], P: [0, 0, 0.3]}\n"
    "bodies:\n"
    "  rod: {mass: 1, rod: [O, A], radius: 0.1}\n"
    "  bar: {mass: 1, rod: [A, C], radius: 0.1}\n"
    "  ball: {mass: 1, com: C, inertia: [1, 1, 1]}\n"
    "  slider: {mass: 1, com: P, inertia: [1, 1, 1]}\n"
    "  wheel: {mass: 1, com: P, inertia: [1, 1, 1]}\n"
    "markers: {tip: {on: rod, at: A}}\n"
    "joints:\n"
    "  pivot: {type: revolute, child: rod, at: O, axis: y}\n"
    "  elbow: {type: spherical, parent: rod, child: bar, at: A}\n"
    "  loose: {type: free, child: ball, at: C}\n"
    "  lift: {type: prismatic, child: slider, axis: z}\n"
    "  spin: {type: revolute, parent: slider, child: wheel, at: P, axis: y}\n"
    "loops:\n"
    "  ring: {type: distance, between: [bar@C, ground@P]}\n"
    "  slot: {type: point-plane, point: bar@C, on: ground@C, normal: y}\n"
    "  same: {type: formula, formula: loose.y}\n"
    "  halt: {type: stop, formula: lift + 1, restitution: 0}\n"
    "inputs: {u: sin(t)}\n"
    "measures: {m: pivot^2}\n"
    "states: {z: {rate: -z, start: 1}}\n"
    "forces:\n"
    "  spring: {type: spring, between: [rod@A, ground@P], stiffness: stiff}\n"
    "  torsion: {type: torsion, coordinate: pivot, stiffness: stiff}\n"
    "  bushing: {type: bushing, bodies: [ground, slider], at: P, stiffness: 100}\n"
    "  load: {type: load, on: rod@A, force: [0, 0, 1]}\n"
    "  touch: {type: contact, on: {body: ball, at: C}, surface: z + 5, stiffness: stiff}\n"
    "  balls: {type: hunt-crossley, between: [ball@C, bar@A], radii: [0.1, 0.1], stiffness: 1000}\n"
    "  tyre: {type: tyre, on: wheel@P, axis: y, radius: 0.3, stiffness: 1e5}\n";

/* Reads the model with an output that has the name as its formula. */
static void check_accepted(cmb_context *ctx, const char *name)
{
  char text[sizeof model_text + 200];
  cmb_system *system = NULL;
  snprintf(text, sizeof text, "%soutputs: {tested: \"%s\"}\n", model_text, name);
  cmb_model *model = cmbt_model_parse(ctx, text);
  const cmb_status status = cmb_model_system(ctx, model, NULL, &system);
  if (status != CMB_OK) fail_msg("'%s' is refused: %s", name, cmb_error_of(ctx)->text);
  cmb_system_destroy(system);
  cmb_model_destroy(model);
}

static void test_names(void **state)
{
  (void)state;
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_model *model = cmbt_model_parse(ctx, model_text);
  cmb_build b = {.ctx = ctx, .arena = cmb_arena_create(ctx), .model = model};
  cmb_known_names elements = {.count = 0}, known = {.count = 0};
  cmb_known_elements(&b, &elements);
  assert_int_equal(elements.count, 22);
  for (int i = 0; i < elements.count; i++) {
    const int before = known.count;
    cmb_known_quantities(&b, elements.names[i], &known);
    if (known.count == before) fail_msg("'%s' has no quantities", elements.names[i]);
  }
  cmb_known_values(&b, &known);
  cmb_known_constants(&known);
  assert_true(known.count > 200 && known.count < CMB_KNOWN_NAMES);
  for (int i = 0; i < known.count; i++) check_accepted(ctx, known.names[i]);
  cmb_arena_destroy(b.arena);
  cmb_model_destroy(model);
  cmb_context_destroy(ctx);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_names)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
