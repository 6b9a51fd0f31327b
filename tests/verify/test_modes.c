/*
 * One function finds the modes that belong to a state (dae/modes.h), whether it is a start, an equilibrium or the end of a step:
 *
 *   - forces with nested conditions, floors and tables whose integrals are known, by every method: functions that an inner switch makes
 *     exactly 0, levels that depend on levels, several functions that switch at the same time;
 *   - random nested conditions: after a start, after a search from arbitrary modes, at an equilibrium, and at each step of a run and of a
 *     real-time run no switching function contradicts its mode, and the force in these modes has the value of the formula. The reference
 *     is an output of the same formula: outputs evaluate their comparisons directly and have no modes;
 *   - conditions that depend on one that is held at its switch: the mean of both sides;
 *   - functions of λ that make each other switch at the same time; modes that cause their own opposite, and held functions that leave their
 *     zero, end with a message.
 */
#include "check.h"
#include "dae/modes.h"
#include "methods.h"
#include "model_case.h"
#include "random_formula.h"
#include "system/equilibrium.h"

#include <camber/camber.h>
#include <float.h>
#include <stdio.h>
#include <string.h>

enum { ROOM = 20000, MOST_SWITCHES = 400, MOST_STEPS = 3000 };

/* ---- two masses with given forces */

static const char *const kinks = "tables:\n"
                                 "  up: [[0, 0], [1, 1], [2, -1], [4, 3]]\n"
                                 "  bend: [[-2, 1], [-0.5, -1], [0.5, 1], [2, 0]]\n";

/* Opens two masses of 1 on rails with the forces fx and fy, which are outputs too; `rates` is the initial velocity of the first. */
static cmb_system *open_system(cmb_context *ctx, const char *fx, const char *fy, const char *rates,
                               cmb_model **model)
{
  static char text[4 * ROOM];
  cmb_system *system;
  snprintf(text, sizeof text,
           "gravity: [0, 0, 0]\n%s"
           "bodies: {a: {mass: 1, com: [0, 0, 0]}, b: {mass: 1, com: [0, 0, 0]}}\n"
           "joints:\n"
           "  x: {type: prismatic, child: a, axis: x, rate: %s}\n"
           "  y: {type: prismatic, child: b, axis: y}\n"
           "forces:\n"
           "  fx: {type: load, on: {body: a, at: [0, 0, 0]}, force: ['%s', 0, 0]}\n"
           "  fy: {type: load, on: {body: b, at: [0, 0, 0]}, force: [0, '%s', 0]}\n"
           "outputs: {fx: '%s', fy: '%s'}\n",
           kinks, rates, fx, fy, fx, fy);
  *model = cmbt_model_parse(ctx, text);
  cmbt_ok(ctx, cmb_model_system(ctx, *model,
                                &(cmb_model_system_options){.evaluation = CMB_EVALUATE_INTERPRETER,
                                                            .expressions = true},
                                &system));
  return system;
}

/* ---- known integrals */

/* A force with its integral over a run. The sum of all |jumps| of the force times the step bounds the error of a method that switches only at
 * the ends of steps. */
struct integral {
  const char *force;
  double t_end, v; /* v = ∫ force dt */
  int events;      /* expected number; −1: not checked */
  double jumps;    /* Σ |jump| */
};

static const struct integral integrals[] = {
    {"if(max(0, 1 - t) > 0, 1, 0)", 2, 1, 2, 1}, /* the argument is exactly 0 from 1 s on */
    {"if(max(0, 1 - t) >= 0, 1, 0)", 2, 2, -1, 0},
    {"if(min(0, t - 1) < 0, 4, 1)", 2, 5, 2, 3},
    {"if(abs(min(t - 1, 0)) > 0, 4, 1)", 2, 5, -1, 3},
    {"if(floor(max(1 - t, 0)) >= 0 and max(1 - t, 0) > 0, 2, 1)", 2, 3, -1, 1},
    {"if(floor(t) > if(t > 1.5, 2, 0), 1, 0)", 4, 1.5, -1, 3},
    {"up(floor(2*t))", 2.5, 2, -1, 10},
    {"floor(t + 10*floor(2*t))", 2, 31, -1, 31},
    {"floor(floor(4*t)/2) + bend(floor(2*t) - 2)", 2,
     0.5 * (0 + 1 + 2 + 3 + 1 + -1.0 / 3 + 0 + 2.0 / 3), -1, 8},
    /* floor(t) changes once more at the end */
    {"if(t > 1, 2, 0) + if(2*t > 2, 3, 0) + if(floor(t) >= 1, 5, 0)", 2, 10, 5, 10},
    {"max(min(t, 1), 0.5)", 2, 1.625, -1, 0},
    {"if(max(0, 1 - x) > 0, 1, 0)", 2, 1, 2, 1}, /* x = t */
    {"if(floor(x) > if(x > 1.5, 2, 0), 1, 0)", 4, 1.5, -1, 3},
    {"floor(x + 10*floor(2*x))", 2, 31, -1, 31},
    {"if(x > 1, 2, 0) + if(2*x > 2, 3, 0) + if(3*x > 3, 5, 0)", 2, 10, -1, 10},
    /* the force is 0 where y > 0 and where y < 0, until floor(3*t) = 1: y stays 0, and no function is held there */
    {"if(if(floor(3*t) >= abs(y), 2*x, -2) < if(10 <= floor(4*t), 0, 2*x - 4*y - t^2), 0, 2)", 2,
     10.0 / 3, -1, 2},
    /* the velocity is held at 0 until floor(2*t) = 1 jumps away from it; from then on it does not come to 1, 2 or 3 */
    {"if(y.rate < floor(2*t), 1, -1)", 2, 1.5, -1, 2},
};

static void check_integral(cmb_context *ctx, const cmb_method *method, const struct integral *c)
{
  cmb_model *model;
  cmb_simulation *sim;
  cmb_system *system = open_system(ctx, "0", c->force, "1", &model);
  cmb_run_options options = cmb_run_defaults();
  options.method = method;
  options.t_end = c->t_end;
  if (cmb_method_is_real_time(method)) options.integrator.step = 1e-3;
  cmbt_ok(ctx, cmb_simulation_create(ctx, system, &options, &sim));
  cmbt_ok(ctx, cmb_simulation_run(sim));
  const cmb_result *r = cmb_simulation_result(sim);
  const double error = fabs(r->v[1] - c->v);
  if (cmb_method_is_real_time(method)) {
    cmbt_below(error, 1.5e-3 * c->jumps + 2e-3);
  } else {
    if (error > 1e-6) print_error("%s: %s\n", cmb_method_name(method), c->force);
    cmbt_below(error, 1e-6);
    if (c->events >= 0) assert_int_equal(r->events, c->events);
  }
  cmb_simulation_destroy(sim);
  cmb_system_destroy(system);
  cmb_model_destroy(model);
}

static void test_integrals(void **state)
{
  (void)state;
  cmb_context *ctx = cmb_context_create(NULL);
  for (int i = 0; i < cmb_method_count(); i++) {
    for (size_t k = 0; k < sizeof integrals / sizeof integrals[0]; k++) {
      check_integral(ctx, cmb_method_at(i), &integrals[k]);
    }
  }
  cmb_context_destroy(ctx);
}

/* ---- conditions that depend on one that is held at its switch */

/* The first mass is held at rest by a force that switches with its velocity and has opposite values on both sides: half of each. The force on the
 * second one is the mean of its values on both sides, in which abs, floor and conditions have different modes. The modes of one
 * side may change alone. */
static const struct mean {
  const char *force;
  double v, error; /* v = ∫ force dt in 2 s */
} means[] = {
    {"abs(if(x.rate > 0, -3, 1))", 4, 1e-9},
    {"floor(if(x.rate > 0, 2.5, 0.5))", 2, 1e-9},
    {"if(abs(if(x.rate > 0, -3, 1)) > 2, 3, 0)", 3, 1e-9},
    {"abs(if(x.rate > 0, 1, t - 1))", 1.5, 1e-6},
    {"abs(if(x.rate > 0, t - 1, 1))", 1.5, 1e-6},
    {"if(if(x.rate > 0, 1 - t, 1) > 0, 3, 1)", 5, 1e-6},
};

static void check_mean(cmb_context *ctx, const cmb_method *method, const struct mean *c)
{
  cmb_model *model;
  cmb_simulation *sim;
  cmb_system *system = open_system(ctx, "2 - if(x.rate > 0, 3, 1)", c->force, "0", &model);
  cmb_run_options options = cmb_run_defaults();
  options.method = method;
  options.t_end = 2;
  cmbt_ok(ctx, cmb_simulation_create(ctx, system, &options, &sim));
  cmbt_ok(ctx, cmb_simulation_run(sim));
  const cmb_result *r = cmb_simulation_result(sim);
  if (fabs(r->v[1] - c->v) > c->error) print_error("%s: %s\n", cmb_method_name(method), c->force);
  cmbt_near(r->v[0], 0, 1e-12);
  cmbt_near(r->v[1], c->v, c->error);
  cmb_simulation_destroy(sim);
  cmb_system_destroy(system);
  cmb_model_destroy(model);
}

static void test_means(void **state)
{
  (void)state;
  cmb_context *ctx = cmb_context_create(NULL);
  for (int i = 0; i < cmb_method_count(); i++) {
    for (size_t k = 0; k < sizeof means / sizeof means[0]; k++) {
      if (!cmb_method_is_real_time(cmb_method_at(i))) check_mean(ctx, cmb_method_at(i), &means[k]);
    }
  }
  cmb_context_destroy(ctx);
}

/* ---- random conditions */

/* Equations whose states are compared with the formulas; the counts are kept over several models. */
struct checker {
  cmb_context *ctx;
  cmb_system *system;
  const cmb_equations *eq;
  cmb_evaluator *ev;
  cmb_mode_search search;
  cmb_simulation *sim; /* the running simulation */
  bool real_time;      /* compare the forces in states with a function near 0 too */
  int steps;
  /* numbers of states checked, of modes other than +1, of states with a function exactly or nearly 0 */
  long states, changes, edges;
};

static void close_checker(struct checker *j, cmb_model *model)
{
  cmb_evaluator_destroy(j->ev);
  cmb_system_destroy(j->system);
  cmb_model_destroy(model);
}

static void open_checker(struct checker *j, cmb_context *ctx, const char *fx, const char *fy,
                         cmb_model **model)
{
  *j = (struct checker){.ctx = ctx, .states = j->states, .changes = j->changes, .edges = j->edges};
  j->system = open_system(ctx, fx, fy, "0.25", model);
  j->eq = cmb_system_equations(j->system);
  assert_in_range(j->eq->ns, 0, MOST_SWITCHES);
  cmbt_ok(ctx, cmb_evaluator_create(ctx, j->eq, &j->ev));
  cmb_mode_search_create(&j->search, j->ev->arena, j->eq);
  for (int i = 0; i < 2; i++) assert_string_equal(j->eq->v_names[i], i ? "y'" : "x'");
}

/* Checks that no function contradicts its mode by more than `slack`, and that the forces are those of the formulas (outside of real-time runs
 * only where no function is within `slack` of 0). While a function is held at its switch the forces are a mean of those in two sets of modes. */
static void check_state(struct checker *j, double t, const double *q, const double *v,
                        const int *mode, double slack)
{
  double s[MOST_SWITCHES], f[2], out[2];
  const double none[2] = {0};
  bool edge = false; /* a switching function is within `slack` of 0 */
  if (j->eq->ns > 0) memcpy(j->ev->mode, mode, (size_t)j->eq->ns * sizeof *mode);
  cmbt_ok(j->ctx, cmb_switches(j->ev, t, q, v, NULL, s));
  for (int i = 0; i < j->eq->ns; i++) {
    const double inside = cmb_mode_sign(j->ev, i) * s[i];
    if (inside < -slack) print_error("%s: mode %d, s %g\n", j->eq->switch_names[i], mode[i], s[i]);
    assert_true(inside >= -slack);
    edge = edge || inside <= slack;
    j->changes += mode[i] != 1;
  }
  j->states++;
  j->edges += edge;
  if (edge && !j->real_time) return;
  cmbt_ok(j->ctx, cmb_evaluate(j->ev, t, q, v, &(cmb_terms){.f = f}));
  cmbt_ok(j->ctx, cmb_outputs(j->ev, t, q, v, none, NULL, out));
  for (int i = 0; i < 2; i++) cmbt_near(f[i], out[i], 1e-9 * fmax(1, fabs(out[i])));
}

/* Returns a random number that is a multiple of 0.5 with probability 1/4, so that functions are exactly 0 in some states. */
static double random_state(struct cmbt_random *r)
{
  return cmbt_random_int(r, 0, 3) == 0 ? 0.5 * cmbt_random_int(r, -4, 4)
                                       : cmbt_random_uniform(r, -3, 3);
}

/* Checks 20 random starts, and that a search from arbitrary modes finds the same modes again unless a function is exactly 0. */
static void check_starts(struct checker *j, struct cmbt_random *r)
{
  for (int k = 0; k < 20; k++) {
    double q[2], v[2], a[2];
    const double t = fabs(random_state(r));
    int mode[MOST_SWITCHES];
    bool changed;
    cmb_start_report report;
    for (int i = 0; i < 2; i++) q[i] = random_state(r), v[i] = random_state(r);
    cmbt_ok(j->ctx, cmb_start_in_modes(j->ev, &j->search, t, q, v, a, NULL, &report));
    if (j->eq->ns > 0) memcpy(mode, j->ev->mode, (size_t)j->eq->ns * sizeof *mode);
    check_state(j, t, q, v, mode, 0);
    /* the second call finds out whether a function is exactly 0: then the modes are not unique */
    const long edges = j->edges;
    check_state(j, t, q, v, mode, 0);
    for (int i = 0; i < j->eq->ns; i++) {
      const int other = cmb_mode_is_level(j->ev, i) ? 0 : -1; /* tables have no interval -1 */
      j->ev->mode[i] = cmbt_random_int(r, 0, 1) ? 1 : other;
    }
    cmbt_ok(j->ctx, cmb_find_modes(j->ev, &j->search, t, q, v, NULL, NULL, &changed));
    if (j->edges == edges && j->eq->ns > 0) {
      assert_memory_equal(mode, j->ev->mode, (size_t)j->eq->ns * sizeof *mode);
    }
    if (j->eq->ns > 0) memcpy(mode, j->ev->mode, (size_t)j->eq->ns * sizeof *mode);
    j->real_time = true; /* compare the forces where a function is 0, too */
    check_state(j, t, q, v, mode, 0);
    j->real_time = false;
  }
}

static cmb_status after_step(void *user, double t)
{
  struct checker *j = user;
  const cmb_result *r = cmb_simulation_result(j->sim);
  (void)t;
  if (!r->sliding) check_state(j, r->t, r->q, r->v, r->mode, j->real_time ? 0 : 1e-9);
  return ++j->steps < MOST_STEPS ? CMB_OK : CMB_ERROR_EVENTS;
}

/* Runs the system and checks the state after each step. Returns false if the run ends with CMB_ERROR_EVENTS, because forces hold the motion
 * at a switch: by the library's message or after MOST_STEPS steps. */
static bool check_run(struct checker *j, const char *method, double t_end)
{
  cmb_run_options options = cmb_run_defaults();
  options.method = cmb_method_find(method);
  options.t_end = t_end;
  j->steps = 0;
  j->real_time = cmb_method_is_real_time(options.method);
  if (j->real_time) options.integrator.step = 1.0 / 128; /* steps end at multiples of 0.5 */
  options.observer = (cmb_observer){.user = j, .after_step = after_step};
  cmbt_ok(j->ctx, cmb_simulation_create(j->ctx, j->system, &options, &j->sim));
  const cmb_status status = cmb_simulation_run(j->sim);
  if (status != CMB_ERROR_EVENTS) cmbt_ok(j->ctx, status);
  cmb_simulation_destroy(j->sim);
  j->sim = NULL;
  j->real_time = false;
  return status == CMB_OK;
}

/* Checks the modes at an equilibrium; returns false if none is found. */
static bool check_equilibrium(struct checker *j, struct cmbt_random *r)
{
  double q[2], lambda[1]; /* there are no constraints */
  const double v[2] = {0};
  cmb_equilibrium_report report;
  int mode[MOST_SWITCHES];
  for (int i = 0; i < 2; i++) q[i] = random_state(r);
  if (cmb_equilibrium(j->ev, 0.3, q, NULL, lambda, &report) != CMB_OK) return false;
  if (j->eq->ns > 0) memcpy(mode, j->ev->mode, (size_t)j->eq->ns * sizeof *mode);
  j->real_time = true; /* compare the forces where a function is 0, too */
  check_state(j, 0.3, q, v, mode, 0);
  j->real_time = false;
  return true;
}

static void test_random(void **state)
{
  (void)state;
  static const char *const places[] = {"t", "x", "y"}, *const all[] = {"t", "x", "y", "x.rate",
                                                                       "y.rate"};
  static const char *const tables[] = {"up", "bend"};
  static char fx[ROOM], fy[ROOM], pulled[2][ROOM + 20];
  const int count = cmbt_count("CAMBER_MODES", 60);
  cmb_context *ctx = cmb_context_create(NULL);
  struct checker j = {0};
  int ended = 0, balanced = 0;
  for (int k = 0; k < count; k++) {
    struct cmbt_random r = {(uint64_t)k};
    cmb_model *model;
    const int depth = 2 + k % 4;
    cmbt_random_formula(&r, &(struct cmbt_formula_words){3, 2, places, tables}, depth, sizeof fx,
                        fx);
    cmbt_random_formula(&r, &(struct cmbt_formula_words){5, 2, all, tables}, depth, sizeof fy, fy);
    open_checker(&j, ctx, fx, fy, &model);
    check_starts(&j, &r);
    check_run(&j, "lie", 2);
    close_checker(&j, model);
    for (int i = 0; i < 2; i++) {
      snprintf(pulled[i], sizeof pulled[i], "%s - 5*%s", fx, i ? "y" : "x");
    }
    open_checker(&j, ctx, pulled[0], pulled[1], &model);
    ended += check_run(&j, k % 2 ? "mdop5" : "radau5", 2);
    balanced += check_equilibrium(&j, &r);
    close_checker(&j, model);
  }
  printf("%d models: %ld states, %ld modes other than +1, %ld states at a switch; %d runs to the "
         "end, %d "
         "equilibria\n",
         count, j.states, j.changes, j.edges, ended, balanced);
  assert_true(ended > count / 2 && balanced > count / 4);
  cmb_context_destroy(ctx);
}

/* ---- functions of λ: a mass that is held fixed, so that λ equals the force, which depends on the modes */

enum { CASCADE = 5 };

/* Fills M = 1, f = force and the constraint q = 0: then λ = force. */
static cmb_status hold(const cmb_point *at, const cmb_terms *want, double force)
{
  if (want->M) want->M[0] = 1;
  if (want->f) want->f[0] = force;
  if (want->g) want->g[0] = at->q[0];
  if (want->G) want->G[0] = 1;
  if (want->gt) want->gt[0] = 0;
  if (want->gamma) want->gamma[0] = 0;
  return CMB_OK;
}

/* Evaluates the held mass with a force that equals the number of modes −1. */
static cmb_status cascade_evaluate(const void *self, const cmb_point *at, const cmb_terms *want)
{
  int fallen = 0;
  (void)self;
  for (int i = 0; i < CASCADE; i++) fallen += at->mode[i] < 0;
  return hold(at, want, fallen);
}

/* Computes s_0, which becomes negative at 1 s, and s_i = i − 0.5 − λ, negative when i modes are −1: each change causes the next. */
static cmb_status cascade_switches(const void *self, const cmb_point *at, const double *lambda,
                                   double *s)
{
  (void)self;
  s[0] = 1 - at->t;
  for (int i = 1; i < CASCADE; i++) s[i] = i - 0.5 - lambda[0];
  return CMB_OK;
}

/* Evaluates the held mass with a force that from 1 s on has the sign opposite to the mode; s = λ is the force, so neither mode is consistent. */
static cmb_status flip_evaluate(const void *self, const cmb_point *at, const cmb_terms *want)
{
  (void)self;
  return hold(at, want, at->t < 1 || at->mode[0] > 0 ? -1 : 1);
}

static cmb_status flip_switches(const void *self, const cmb_point *at, const double *lambda,
                                double *s)
{
  (void)self;
  s[0] = at->t < 1 ? 1 : lambda[0];
  return CMB_OK;
}

static cmb_equations held_mass(int ns)
{
  static const char *const q_names[] = {"x"}, *const v_names[] = {"x'"},
                           *const g_names[] = {"rail"}, *const lambda_names[] = {"lambda"},
                           *const switch_names[CASCADE] = {"grip", "b", "c", "d", "e"};
  return (cmb_equations){.name = "held",
                         .nq = 1,
                         .nv = 1,
                         .ng = 1,
                         .ns = ns,
                         .q_names = q_names,
                         .v_names = v_names,
                         .g_names = g_names,
                         .lambda_names = lambda_names,
                         .switch_names = switch_names,
                         .mass_constant = true,
                         .mass_diagonal = true};
}

static cmb_status run_held(cmb_context *ctx, const cmb_equations *eq, const cmb_method *method,
                           double t_start, cmb_result *result, double *lambda)
{
  const double zero[1] = {0};
  cmb_run_options options = cmb_run_defaults();
  cmb_system *system;
  cmb_simulation *sim;
  options.method = method;
  cmbt_ok(ctx, cmb_system_create(ctx, eq, t_start, 3, zero, zero, &system));
  cmbt_ok(ctx, cmb_simulation_create(ctx, system, &options, &sim));
  const cmb_status status = cmb_simulation_run(sim);
  *result = *cmb_simulation_result(sim);
  if (eq->ng > 0) *lambda = result->lambda[0];
  cmb_simulation_destroy(sim);
  cmb_system_destroy(system);
  return status;
}

/* Checks that all functions switch at 1 s (with a real-time method in the steps after it), and that they have switched at a start at 2 s. */
static void test_cascade(void **state)
{
  (void)state;
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_equations eq = held_mass(CASCADE);
  eq.evaluate = cascade_evaluate;
  eq.switches = cascade_switches;
  for (int i = 0; i < cmb_method_count(); i++) {
    cmb_result r;
    double lambda;
    cmbt_ok(ctx, run_held(ctx, &eq, cmb_method_at(i), 0, &r, &lambda));
    cmbt_near(lambda, CASCADE, 1e-12);
    assert_int_equal(r.events, CASCADE);
    cmbt_ok(ctx, run_held(ctx, &eq, cmb_method_at(i), 2, &r, &lambda));
    cmbt_near(lambda, CASCADE, 1e-12);
    assert_int_equal(r.events, 0);
  }
  cmb_context_destroy(ctx);
}

/* Checks that a switching function for which no mode is consistent ends a run with a message: at an event at 1 s, and at a start at 1 s. */
static void test_unsettled(void **state)
{
  (void)state;
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_equations eq = held_mass(1);
  eq.evaluate = flip_evaluate;
  eq.switches = flip_switches;
  for (int start = 0; start < 2; start++) {
    cmb_result r;
    double lambda;
    assert_int_equal(run_held(ctx, &eq, cmb_method_find("mdop5"), start, &r, &lambda),
                     CMB_ERROR_EVENTS);
    assert_non_null(strstr(cmb_last_error(ctx), "'grip'"));
    assert_non_null(strstr(cmb_last_error(ctx), "t = 1"));
  }
  cmb_context_destroy(ctx);
}

/* ---- a function that is held by the rates that the equations give, though their forces do not hold it */

/* Evaluates a mass with a force of 1 whatever the mode. */
static cmb_status push_evaluate(const void *self, const cmb_point *at, const cmb_terms *want)
{
  (void)self;
  (void)at;
  if (want->M) want->M[0] = 1;
  if (want->f) want->f[0] = 1;
  return CMB_OK;
}

static cmb_status push_switches(const void *self, const cmb_point *at, const double *lambda,
                                double *s)
{
  (void)self;
  (void)lambda;
  s[0] = at->v[0] - 1;
  return CMB_OK;
}

static cmb_status push_flow(const void *self, const cmb_point *at, const double *a, double *flow)
{
  (void)self;
  flow[0] = a[0] - 1 - at->mode[0]; /* as if the force were -mode */
  flow[1] = 0;
  return CMB_OK;
}

/* Checks that the run ends where the held function has left its zero, with a message. */
static void test_left(void **state)
{
  (void)state;
  cmb_context *ctx = cmb_context_create(NULL);
  static const int order[] = {1};
  cmb_equations eq = held_mass(1);
  cmb_result r;
  double lambda[1] = {0};
  eq.ng = 0;
  eq.evaluate = push_evaluate;
  eq.switches = push_switches;
  eq.switch_order = order;
  eq.switch_flow = push_flow;
  for (int i = 0; i < cmb_method_count(); i++) {
    const cmb_method *method = cmb_method_at(i);
    if (cmb_method_is_real_time(method)) continue;
    assert_int_equal(run_held(ctx, &eq, method, 0, &r, lambda), CMB_ERROR_EVENTS);
    assert_non_null(strstr(cmb_last_error(ctx), "'grip' is held at its switch"));
    assert_true(r.t >= 1 && r.t < 3);
  }
  cmb_context_destroy(ctx);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_integrals), cmocka_unit_test(test_means),
      cmocka_unit_test(test_random),    cmocka_unit_test(test_cascade),
      cmocka_unit_test(test_unsettled), cmocka_unit_test(test_left),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
