/*
 * Balls that fall on a table and stay in contact: number of evaluations of the gaps. A ball that falls from the height h and keeps the
 * fraction e of its speed at each impact comes to rest at
 *
 *     t = √(2 h/g) (1 + e) / (1 − e).
 *
 * One call of the equations' `surfaces` evaluates the gaps of all contacts, with their gradients stored on a sparsity pattern. A layer
 * between the model and the run counts the calls. The largest number of balls is chosen so that the KKT matrix with all contacts closed
 * is stored as a sparse matrix.
 */
#include "base/arena.h"
#include "check.h"
#include "dae/layer.h"
#include "math/kkt.h"

#include <camber/camber.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char MODEL[] =
    "parameters: {N: 1}\n"
    "gravity: [0, 0, -9.81]\n"
    "templates:\n"
    "  ball:\n"
    "    points: {C: [index, 0, 0]}\n"
    "    bodies: {b: {mass: index, sphere: C, radius: 0.1}}\n"
    "    joints: {fall: {type: prismatic, child: b, at: C, axis: z, coordinates: [z],\n"
    "             start: 0.1*index/N}}\n"
    "    loops: {table: {type: stop, formula: z, restitution: 0.2}}\n"
    "instances: {ball: {template: ball, repeat: N}}\n";

static const double G = 9.81, E = 0.2;

/* Layer of equations that counts the calls of `evaluate` and of `surfaces` and passes them on. */
struct counter {
  cmb_layer layer;
  long *evaluations, *surfaces;
};

static cmb_status evaluate(const void *self, const cmb_point *at, const cmb_terms *want)
{
  const struct counter *c = self;
  ++*c->evaluations;
  return c->layer.inner->evaluate(c->layer.inner->self, at, want);
}

static cmb_status surfaces(const void *self, const cmb_point *at, double *u, double *ut,
                           double *gamma, double *U)
{
  const struct counter *c = self;
  ++*c->surfaces;
  return c->layer.inner->surfaces(c->layer.inner->self, at, u, ut, gamma, U);
}

/* What the observer has counted in a run with n balls: all events and, among them, balls that have come to rest. */
struct seen {
  int n, rests;
  long events;
};

/* Counts the events. Where impacts have accumulated, compares the time of rest (event->limit) with the closed form for a fall from 0.1 k/n. */
static cmb_status on_event(void *user, const cmb_event *event)
{
  struct seen *s = user;
  int k;
  s->events++;
  if (isnan(event->limit)) return CMB_OK;
  assert_int_equal(sscanf(event->name, "ball%d.table.rest", &k), 1);
  cmbt_near(event->limit, sqrt(2 * 0.1 * k / s->n / G) * (1 + E) / (1 - E), 1e-5);
  s->rests++;
  return CMB_OK;
}

/* Returns the model with N = n balls as a system, evaluated by the interpreter. */
static cmb_system *read_system(cmb_context *ctx, int n)
{
  static const char *const name = "N";
  const double value = n;
  const cmb_model_options options = {.set_count = 1, .set_names = &name, .set_values = &value};
  const cmb_model_system_options how = {.evaluation = CMB_EVALUATE_INTERPRETER};
  cmb_model *model;
  cmb_system *system;
  cmbt_ok(ctx, cmb_model_parse(ctx, MODEL, strlen(MODEL), "balls.yaml", &options, &model));
  cmbt_ok(ctx, cmb_model_system(ctx, model, &how, &system));
  cmb_model_destroy(model);
  return system;
}

/* Checks that all n balls come to rest at the right times and stay on the table, and that `surfaces` is called at most once per evaluation
 * and ten times more per event. */
static void check_run(int n)
{
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_arena *arena = cmb_arena_create(ctx);
  cmb_system *inner = read_system(ctx, n), *system;
  const cmb_equations *eq = cmb_system_equations(inner);
  long evaluations = 0, calls = 0;
  struct counter c = {.evaluations = &evaluations, .surfaces = &calls};
  struct seen seen = {.n = n};
  assert_int_equal(eq->U_pattern->start[n], n);
  cmb_layer_begin(&c.layer, arena, eq);
  c.layer.eq.evaluate = evaluate;
  c.layer.eq.surfaces = surfaces;
  cmbt_ok(ctx, cmb_system_create(ctx, &c.layer.eq, 0, 0.4, cmb_system_q(inner), cmb_system_v(inner),
                                 &system));
  cmb_run_options options = cmb_run_defaults();
  options.observer = (cmb_observer){.user = &seen, .event = on_event};
  cmb_simulation *sim;
  cmbt_ok(ctx, cmb_simulation_create(ctx, system, &options, &sim));
  cmbt_ok(ctx, cmb_simulation_run(sim));
  const cmb_result *r = cmb_simulation_result(sim);
  printf("%3d balls: %ld events, %ld evaluations, %ld of the surfaces\n", n, seen.events,
         evaluations, calls);
  assert_int_equal(seen.rests, n);
  for (int i = 0; i < n; i++) {
    cmbt_near(r->q[i], 0, 1e-7);
    cmbt_near(r->v[i], 0, 1e-7);
  }
  assert_true(calls <= evaluations + 10 * seen.events);
  cmb_simulation_destroy(sim);
  cmb_system_destroy(system);
  cmb_system_destroy(inner);
  cmb_arena_destroy(arena);
  cmb_context_destroy(ctx);
}

static void test_few(void **state)
{
  (void)state;
  check_run(3);
}

static void test_many(void **state)
{
  (void)state;
  check_run(CMB_KKT_SPARSE_FROM / 2 + 3);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_few), cmocka_unit_test(test_many)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
