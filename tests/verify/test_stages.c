/*
 * Memory of runs in which bodies come to rest and friction holds: a stage is made when it is first entered, and kept. So a second run
 * of the same simulation allocates nothing, and neither does a run between its events; whichever allocation fails ends the run with
 * CMB_ERROR_MEMORY and words, and leaks nothing.
 */
#include "check.h"
#include "failing_allocator.h"

#include <camber/camber.h>
#include <stdio.h>
#include <string.h>

/* A ball that bounces, rests and leaves again, and a block that stops, holds and slides again. */
static const char MODEL[] =
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  ball: {mass: 1, sphere: [0, 0, 0], radius: 0.1}\n"
    "  block: {mass: 1, box: [0.1, 0.1, 0.1], at: [2, 0, 0]}\n"
    "joints:\n"
    "  z: {type: prismatic, child: ball, axis: z, start: 0.1}\n"
    "  x: {type: prismatic, child: block, axis: x, rate: 1}\n"
    "loops: {low: {type: stop, formula: z, restitution: 0.2}}\n"
    "events: {top: {when: z > 0.05, action: {reset: {z': 0.5*z'}}}}\n"
    "forces:\n"
    "  lift: {type: load, on: {body: ball, at: [0, 0, 0]}, force: [0, 0, \"10*t\"]}\n"
    "  dry: {type: load, on: {body: block, at: [2, 0, 0]}, force: [\"-3*sign(x') + 4*max(t - 0.5, "
    "0)\", 0, 0]}\n";

struct counts {
  const struct cmbt_allocator *memory;
  long calls, events, events_before;
};

static cmb_status on_event(void *user, const cmb_event *event)
{
  struct counts *c = user;
  (void)event;
  c->events++;
  return CMB_OK;
}

/* A step without an event allocates nothing. */
static cmb_status before_step(void *user, double t)
{
  struct counts *c = user;
  (void)t;
  if (c->events == c->events_before) assert_int_equal(c->memory->calls, c->calls);
  c->calls = c->memory->calls;
  c->events_before = c->events;
  return CMB_OK;
}

/* The run, once or twice; the requests of the second in *again. */
static cmb_status run_model(struct cmbt_allocator *memory, const char *method, long *made,
                            long *again, long *events)
{
  cmb_context *ctx = cmb_context_create(&memory->hook);
  cmb_model *model = NULL;
  cmb_system *system = NULL;
  cmb_simulation *sim = NULL;
  struct counts counts = {.memory = memory, .events_before = -1};
  const cmb_model_system_options how = {.evaluation = CMB_EVALUATE_INTERPRETER};
  cmb_run_options options = cmb_run_defaults();
  options.method = cmb_method_find(method);
  options.t_end = 2;
  options.observer = (cmb_observer){.user = &counts, .event = on_event, .before_step = before_step};
  if (!ctx) return CMB_ERROR_MEMORY;
  cmb_status status = cmb_model_parse(ctx, MODEL, strlen(MODEL), "test.yaml", NULL, &model);
  if (status == CMB_OK) status = cmb_model_system(ctx, model, &how, &system);
  if (status == CMB_OK) status = cmb_simulation_create(ctx, system, &options, &sim);
  const long created = memory->calls;
  if (status == CMB_OK) status = cmb_simulation_run(sim);
  const long first = memory->calls;
  *events = counts.events;
  if (status == CMB_OK) status = cmb_simulation_run(sim);
  *made = first - created;
  *again = memory->calls - first;
  if (status != CMB_OK) assert_true(strlen(cmb_last_error(ctx)) > 0);
  cmb_simulation_destroy(sim);
  cmb_system_destroy(system);
  cmb_model_destroy(model);
  cmb_context_destroy(ctx);
  assert_int_equal(memory->outstanding, 0);
  return status;
}

static const char *const methods[] = {"auto", "mdop5", "abm", "radau5", "bdf"};

static void test_made_once(void **state)
{
  (void)state;
  for (int i = 0; i < 5; i++) {
    struct cmbt_allocator memory;
    long made, again, events;
    cmbt_allocator_init(&memory);
    assert_int_equal(run_model(&memory, methods[i], &made, &again, &events), CMB_OK);
    printf("%-7s %ld events, %ld requests for stages, %ld in the second run\n", methods[i], events,
           made, again);
    assert_true(made > 0);
    assert_int_equal(again, 0);
  }
}

static void test_each_fails(void **state)
{
  (void)state;
  struct cmbt_allocator memory;
  long made, again, events;
  cmbt_allocator_init(&memory);
  assert_int_equal(run_model(&memory, "mdop5", &made, &again, &events), CMB_OK);
  const long all = memory.calls;
  for (long k = all - made + 1; k <= all; k++) { /* those of the stages */
    cmbt_allocator_init(&memory);
    memory.fail_at = k;
    const cmb_status status = run_model(&memory, "mdop5", &made, &again, &events);
    if (status != CMB_ERROR_MEMORY) fail_msg("allocation %ld: %s", k, cmb_status_code(status));
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_made_once),
                                     cmocka_unit_test(test_each_fails)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
