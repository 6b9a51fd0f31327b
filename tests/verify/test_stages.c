/*
 * Failures during runs with resting contacts and friction that sticks.
 *
 * Memory: a regime, the equations and the integrator for a set of closed contacts and sticking frictions (sim/regime.h), is made when
 * a run first enters it, and kept. So a second run of the same simulation allocates nothing, and neither does a step without an event; whichever
 * allocation fails, alone or with all later ones, the run ends with CMB_ERROR_MEMORY and a message, and all memory is freed.
 *
 * Values: forces, switching functions, their rates, surfaces or resets contain an entry that is not finite, once or from then on. The run
 * ends with a message, or with the result of the undisturbed run; all its results are finite.
 */
#include "check.h"
#include "failing_allocator.h"

#include <camber/camber.h>
#include <stdio.h>
#include <string.h>

/* A ball that bounces, comes to rest and lifts off again, a block that stops, sticks and slides again, and another block that sticks on it. */
static const char MODEL[] =
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  ball: {mass: 1, sphere: [0, 0, 0], radius: 0.1}\n"
    "  block: {mass: 1, box: [0.1, 0.1, 0.1], at: [2, 0, 0]}\n"
    "  top: {mass: 0.1, box: [0.1, 0.1, 0.1], at: [2, 0, 0.1]}\n"
    "joints:\n"
    "  z: {type: prismatic, child: ball, axis: z, start: 0.1}\n"
    "  x: {type: prismatic, child: block, axis: x, rate: 1}\n"
    "  y: {type: prismatic, parent: block, child: top, axis: x, rate: 0.1,\n"
    "      friction: {force: 0.4, law: stick, static: 0.6}}\n"
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

/* Checks that a step without an event allocates nothing. */
static cmb_status before_step(void *user, double t)
{
  struct counts *c = user;
  (void)t;
  if (c->events == c->events_before) assert_int_equal(c->memory->calls, c->calls);
  c->calls = c->memory->calls;
  c->events_before = c->events;
  return CMB_OK;
}

/* Runs the model twice. *made and *again are the numbers of allocations in the first and in the second run, *events the events of the first. */
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

static const char *const methods[] = {"auto", "mdop5", "abm", "radau5", "radau", "bdf"};

enum { METHODS = sizeof methods / sizeof methods[0] };

static void test_made_once(void **state)
{
  (void)state;
  for (int i = 0; i < METHODS; i++) {
    struct cmbt_allocator memory;
    long made, again, events;
    cmbt_allocator_init(&memory);
    assert_int_equal(run_model(&memory, methods[i], &made, &again, &events), CMB_OK);
    printf("%-7s %ld events, %ld allocations for regimes, %ld in the second run\n", methods[i],
           events, made, again);
    assert_true(made > 0);
    assert_int_equal(again, 0);
  }
}

/* Lets each allocation of the first run fail, alone or (`all_later`) with all that follow. */
static void check_each_fails(const char *method, int all_later)
{
  struct cmbt_allocator memory;
  long made, again, events;
  cmbt_allocator_init(&memory);
  assert_int_equal(run_model(&memory, method, &made, &again, &events), CMB_OK);
  const long all = memory.calls;
  for (long k = all - made + 1; k <= all; k++) { /* the allocations for regimes */
    cmbt_allocator_init(&memory);
    memory.fail_at = k;
    memory.fail_after_too = all_later;
    const cmb_status status = run_model(&memory, method, &made, &again, &events);
    if (status != CMB_ERROR_MEMORY) {
      fail_msg("%s, allocation %ld: %s", method, k, cmb_status_code(status));
    }
  }
}

static void test_each_fails(void **state)
{
  (void)state;
  for (int i = 0; i < METHODS; i++) {
    check_each_fails(methods[i], 0);
    check_each_fails(methods[i], 1);
  }
}

/* ---- values that are not finite */

enum target { FORCES, SWITCHES, FLOW, SURFACE, RESETS, TARGETS };
enum { MOST = 8, POINTS = 12 };

static const char *const target_names[TARGETS] = {"forces", "switches", "flow", "surface",
                                                  "resets"};

/* The model with a fault: `self` of the wrapped equations. */
struct faulty {
  const cmb_equations *inner;
  enum target target;
  double value;
  long at; /* counts how often the target is filled, from 1; 0: no fault */
  bool stays;
  long *filled;
};

static void disturb(const struct faulty *p, enum target target, int n, double *x)
{
  if (target != p->target || !x || n == 0) return;
  const long k = ++*p->filled;
  if (p->stays ? p->at > 0 && k >= p->at : k == p->at) x[k % n] = p->value;
}

static cmb_status evaluate(const void *self, const cmb_point *at, const cmb_terms *want)
{
  const struct faulty *p = self;
  CMB_TRY(p->inner->evaluate(p->inner->self, at, want));
  disturb(p, FORCES, p->inner->nv, want->f);
  return CMB_OK;
}

static cmb_status switches(const void *self, const cmb_point *at, const double *lambda, double *s)
{
  const struct faulty *p = self;
  CMB_TRY(p->inner->switches(p->inner->self, at, lambda, s));
  disturb(p, SWITCHES, p->inner->ns, s);
  return CMB_OK;
}

static cmb_status switch_flow(const void *self, const cmb_point *at, const double *a, double *flow)
{
  const struct faulty *p = self;
  CMB_TRY(p->inner->switch_flow(p->inner->self, at, a, flow));
  disturb(p, FLOW, p->inner->ns, flow);
  return CMB_OK;
}

static cmb_status surfaces(const void *self, const cmb_point *at, double *u, double *ut,
                           double *gamma, double *U)
{
  const struct faulty *p = self;
  CMB_TRY(p->inner->surfaces(p->inner->self, at, u, ut, gamma, U));
  double all[3] = {u[1], gamma[1], U[0]};
  disturb(p, SURFACE, 3, all);
  u[1] = all[0], gamma[1] = all[1], U[0] = all[2];
  return CMB_OK;
}

static cmb_status resets(const void *self, const cmb_point *at, const double *lambda, double *R,
                         double *change)
{
  const struct faulty *p = self;
  CMB_TRY(p->inner->resets(p->inner->self, at, lambda, R, change));
  disturb(p, RESETS, p->inner->reset_count, change);
  return CMB_OK;
}

static cmb_equations wrap(const struct faulty *p)
{
  cmb_equations eq = *p->inner;
  eq.self = p;
  eq.code = NULL;
  eq.evaluate = evaluate;
  eq.residual = NULL;
  eq.accelerate = NULL;
  eq.derivative = NULL;
  eq.switches = switches;
  eq.switch_flow = switch_flow;
  eq.surfaces = surfaces;
  eq.resets = resets;
  return eq;
}

struct outcome {
  cmb_status status;
  char message[300];
  long filled;
  double t, q[MOST], v[MOST];
};

/* Removes the model's other functions, which expect the model's own data. */
static void remove_other_functions(cmb_equations *eq)
{
  eq->rates = NULL;
  eq->normalize = NULL;
  eq->inputs = NULL;
  eq->outputs = NULL;
  eq->no = 0;
  eq->enclose = NULL;
  eq->nt = eq->np = 0;
  eq->energy = NULL;
}

static cmb_status conditions(const void *self, const cmb_point *at, const double *lambda, bool *met)
{
  const struct faulty *p = self;
  return p->inner->conditions(p->inner->self, at, lambda, met);
}

/* Runs the model with the fault p. */
static struct outcome run_disturbed(struct faulty p, const char *method)
{
  struct outcome o = {.status = CMB_OK};
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_model *model;
  cmb_system *inner, *system;
  cmb_simulation *sim;
  const cmb_model_system_options how = {.evaluation = CMB_EVALUATE_INTERPRETER};
  assert_int_equal(cmb_model_parse(ctx, MODEL, strlen(MODEL), "test.yaml", NULL, &model), CMB_OK);
  assert_int_equal(cmb_model_system(ctx, model, &how, &inner), CMB_OK);
  p.inner = cmb_system_equations(inner);
  p.filled = &o.filled;
  assert_true(!p.inner->levels && p.inner->nq == p.inner->nv && p.inner->nq <= MOST);
  cmb_equations eq = wrap(&p);
  remove_other_functions(&eq);
  eq.conditions = conditions;
  assert_int_equal(
      cmb_system_create(ctx, &eq, 0, 2, cmb_system_q(inner), cmb_system_v(inner), &system), CMB_OK);
  cmb_run_options options = cmb_run_defaults();
  options.method = cmb_method_find(method);
  options.integrator.max_steps = 20000;
  assert_int_equal(cmb_simulation_create(ctx, system, &options, &sim), CMB_OK);
  o.status = cmb_simulation_run(sim);
  const cmb_result *r = cmb_simulation_result(sim);
  snprintf(o.message, sizeof o.message, "%s", cmb_last_error(ctx));
  o.t = r->t;
  memcpy(o.q, r->q, (size_t)eq.nq * sizeof *o.q);
  memcpy(o.v, r->v, (size_t)eq.nv * sizeof *o.v);
  cmb_simulation_destroy(sim);
  cmb_system_destroy(system);
  cmb_system_destroy(inner);
  cmb_model_destroy(model);
  cmb_context_destroy(ctx);
  return o;
}

static double distance(const struct outcome *a, const struct outcome *b)
{
  double most = fabs(a->t - b->t);
  for (int i = 0; i < MOST; i++) {
    most = fmax(most, fmax(fabs(a->q[i] - b->q[i]), fabs(a->v[i] - b->v[i])));
  }
  return most;
}

/* Returns a description of what is wrong with the outcome, NULL if nothing is; `reference` is the undisturbed run. */
static const char *verdict(const struct faulty *p, const struct outcome *reference,
                           const struct outcome *o)
{
  bool finite = isfinite(o->t);
  for (int i = 0; i < MOST; i++) finite = finite && isfinite(o->q[i]) && isfinite(o->v[i]);
  if (!finite) return "the result is not finite";
  if (o->status > 0) return "a recoverable status at the end";
  if (o->status < 0) return o->message[0] == '\0' ? "an error without a message" : NULL;
  if (p->stays && o->filled > p->at + 3) return "a permanent fault was not noticed";
  return distance(reference, o) > 1e-4 ? "the state differs from that of the undisturbed run"
                                       : NULL;
}

/* Tests faults at POINTS times of a run: NaN and infinity, once and from then on. */
static void check_target(enum target target, const char *method)
{
  const struct outcome reference = run_disturbed((struct faulty){.target = target}, method);
  long ended = 0, runs = 0;
  if (reference.status != CMB_OK) fail_msg("%s: %s", method, reference.message);
  for (int i = 0; i < POINTS; i++) {
    for (int kind = 0; kind < 4; kind++) {
      const struct faulty p = {.target = target,
                               .value = kind % 2 == 0 ? NAN : INFINITY,
                               .at = 1 + i * (reference.filled - 1) / POINTS,
                               .stays = kind > 1};
      const struct outcome o = run_disturbed(p, method);
      const char *wrong = verdict(&p, &reference, &o);
      runs++;
      ended += o.status < 0;
      if (!wrong) continue;
      fail_msg("%s, %s %g %s filling %ld of %ld: %s (%s, '%s', t = %.9g)", method,
               target_names[target], p.value, p.stays ? "from" : "at", p.at, reference.filled,
               wrong, cmb_status_code(o.status), o.message, o.t);
    }
  }
  printf("%-6s %-9s %ld of %ld runs end with an error\n", method, target_names[target], ended,
         runs);
}

static void test_not_finite(void **state)
{
  static const char *const tried[] = {"mdop5", "bdf"};
  (void)state;
  for (int i = 0; i < TARGETS; i++) {
    for (int k = 0; k < 2; k++) check_target((enum target)i, tried[k]);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_made_once),
                                     cmocka_unit_test(test_each_fails),
                                     cmocka_unit_test(test_not_finite)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
