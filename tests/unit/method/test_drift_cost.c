/*
 * Tests that what the bound on the drift adds to the program of a real-time step is a small part of it (method/stepper.h).
 */
#include "check.h"
#include "model_run.h"

#include "expr/program.h"
#include "method/stepper.h"

#include <stdio.h>

/* Returns the number of operations of a step of lie, with or without the bound on the drift. */
static int count_operations(cmb_context *ctx, const cmb_equations *eq, bool bound)
{
  const cmb_step_options options = {.stages = 1,
                                    .index = 1,
                                    .jacobian = CMB_STEP_J2,
                                    .stabilization = CMB_STABILIZE_BOTH,
                                    .bound = bound};
  cmb_evaluator *ev;
  cmb_stepper *stepper;
  cmbt_ok(ctx, cmb_evaluator_create(ctx, eq, &ev));
  cmbt_ok(ctx, cmb_stepper_create(ev, &options, &stepper));
  const int count = stepper->program->instructions;
  cmb_stepper_destroy(stepper);
  cmb_evaluator_destroy(ev);
  return count;
}

static void test_operations(void **state)
{
  (void)state;
  static const char *const names[] = {"quarter-car", "fivelink", "hmmwv14"};
  for (int i = 0; i < 3; i++) {
    const cmb_model_system_options kept = {.evaluation = CMB_EVALUATE_INTERPRETER,
                                           .expressions = true};
    cmbt_run r;
    cmb_system *system;
    cmbt_run_open(&r, names[i], CMB_FORM_EXPLICIT, 0, NULL);
    cmbt_ok(r.ctx, cmb_model_system(r.ctx, r.model, &kept, &system));
    const cmb_equations *eq = cmb_system_equations(system);
    const int plain = count_operations(r.ctx, eq, false),
              bounded = count_operations(r.ctx, eq, true);
    printf("%-12s %d operations with the bound, %d without\n", names[i], bounded, plain);
    assert_true(plain < bounded);
    if (bounded > 1.15 * plain) {
      fail_msg("%s: %d operations with the bound, %d without", names[i], bounded, plain);
    }
    cmb_system_destroy(system);
    cmbt_run_close(&r);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_operations)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
