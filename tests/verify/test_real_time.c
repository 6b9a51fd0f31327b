/*
 * lie and rosw2, the methods of fixed cost:
 *
 *   - orders 1 and 2 in q and v on the pendulum and the car axis, with every Jacobian, index and stabilisation;
 *   - a model and the same equations written in C give the same motion: for the model a step is one program made from its expressions, for
 *     the equations in C it calls their functions;
 *   - models with Euler parameters: rosw2 converges with order 2 to the result of mdop853; multipliers of lie and rosw2 have order 1;
 *   - modes change at the ends of steps, all steps have one size, and the last one ends at the end of the run;
 *   - drift stays below the reported bound, which is reported as broken when the step is too large;
 *   - invalid combinations of options are refused with a message; a loss of rank and faulty equations end the run with one.
 */
#include "check.h"
#include "fixed_steps.h"
#include "model_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 64 };

/* ---- orders */

struct variant {
  const char *method, *jacobian, *index, *stabilization;
  double order;
  const char *positions; /* NULL: the default */
};

/* With Baumgarte's stabilisation v has order 1 only, by the error in the constraints. */
static const struct variant variants[] = {
    {"lie", "none", "1", "projection", 1, NULL},
    {"lie", "J1", "1", "projection", 1, NULL},
    {"lie", "J2", "1", "projection", 1, NULL},
    {"lie", "J3", "1", "projection", 1, NULL},
    {"lie", "exact", "1", "projection", 1, NULL},
    {"lie", "J2", "1", "none", 1, NULL},
    {"lie", "J2", "1", "projection-q", 1, NULL},
    {"lie", "J2", "1", "baumgarte", 1, NULL},
    {"lie", "J2", "2", "none", 1, NULL},
    {"lie", "J2", "2", "baumgarte", 1, NULL},
    {"lie", "J2", "2", "projection-q", 1, NULL},
    {"lie", "J2", "2", "projection", 1, NULL},
    {"lie", "J2", "2", "ggl", 1, NULL},
    {"lie", "exact", "2", "ggl", 1, NULL},
    {"lie", "exact", "2", "projection", 1, NULL},
    {"rosw2", "none", NULL, "projection", 2, NULL},
    {"rosw2", "J1", NULL, "projection", 2, NULL},
    {"rosw2", "J2", NULL, "projection", 2, NULL},
    {"rosw2", "J3", NULL, "projection", 2, NULL},
    {"rosw2", "exact", NULL, "projection", 2, NULL},
    {"rosw2", "exact", NULL, "none", 2, NULL},
    {"rosw2", "J2", NULL, "none", 2, NULL},
    {"rosw2", "J2", NULL, "projection-q", 2, NULL},
};

enum { VARIANTS = sizeof variants / sizeof variants[0] };

/* Variants with positions from the new velocities. On the car axis their error of q is dominated by the part of order h², except for the first
 * variant: only this one shows order 1 there. */
static const struct variant leading[] = {
    {"lie", "J1", "1", "projection", 1, "new"}, {"lie", "none", "1", "projection", 1, "new"},
    {"lie", "J2", "1", "projection", 1, "new"}, {"lie", "exact", "1", "projection", 1, "new"},
    {"lie", "J2", "1", "none", 1, "new"},       {"lie", "J2", "1", "projection-q", 1, "new"},
    {"lie", "J2", "2", "projection", 1, "new"}, {"lie", "J2", "2", "ggl", 1, "new"},
    {"lie", "J2", "1", "baumgarte", 1, "new"},  {"lie", "J2", "2", "baumgarte", 1, "new"},
};

enum { LEADING = sizeof leading / sizeof leading[0], LEADING_CAR_AXIS = 1, LEADING_PENDULUM = 8 };

static int settings_of(const struct variant *w, cmb_option_setting s[4])
{
  int count = 0;
  s[count++] = (cmb_option_setting){"jacobian", w->jacobian};
  s[count++] = (cmb_option_setting){"stabilization", w->stabilization};
  if (w->index) s[count++] = (cmb_option_setting){"index", w->index};
  if (w->positions) s[count++] = (cmb_option_setting){"positions", w->positions};
  return count;
}

static void check_orders(const struct cmbt_trajectory *problem, const int steps[2], int n,
                         const struct variant *list)
{
  cmb_context *ctx = cmb_context_create(NULL);
  int off = 0;
  for (int k = 0; k < n; k++) {
    const struct variant *w = &list[k];
    cmb_option_setting s[4];
    struct cmbt_errors e[2];
    const int count = settings_of(w, s);
    for (int i = 0; i < 2; i++) {
      e[i] = cmbt_fixed_errors(ctx, problem, w->method, count, s, 0, steps[i]);
    }
    const struct cmbt_errors order = cmbt_orders(e[0], e[1], steps[0], steps[1]);
    const bool good = fabs(order.q - w->order) <= 0.2 && fabs(order.v - w->order) <= 0.2;
    printf("%-9s %-6s %-6s index %s %-13s %-4s order q %.2f, v %.2f (errors %.1e, %.1e)%s\n",
           problem->name, w->method, w->jacobian, w->index ? w->index : "1", w->stabilization,
           w->positions ? w->positions : "", order.q, order.v, e[1].q, e[1].v, good ? "" : "  <--");
    off += !good;
  }
  cmb_context_destroy(ctx);
  if (off > 0) fail_msg("%s: %d variants without their order", problem->name, off);
}

static void test_orders_pendulum(void **state)
{
  (void)state;
  check_orders(&cmbt_pendulum_swings, (const int[2]){400, 800}, VARIANTS, variants);
  check_orders(&cmbt_pendulum_swings, (const int[2]){200, 400}, LEADING_PENDULUM, leading);
}

static void test_orders_car_axis(void **state)
{
  (void)state;
  check_orders(&cmbt_caraxis, (const int[2]){1200, 2400}, VARIANTS, variants);
  check_orders(&cmbt_caraxis, (const int[2]){1200, 2400}, LEADING_CAR_AXIS, leading);
}

/* ---- a model against the same equations in C */

static cmb_run_options run_options(const char *method, double step, double t_end, int count,
                                   const cmb_option_setting *settings)
{
  cmb_run_options o = cmb_run_defaults();
  o.method = cmb_method_find(method);
  o.t_end = t_end;
  o.integrator.step = step;
  o.integrator.setting_count = count;
  o.integrator.settings = settings;
  return o;
}

static cmb_model *open_model(cmb_context *ctx, const char *name)
{
  char path[4096];
  cmb_model *model;
  snprintf(path, sizeof path, "%s/models/%s.yaml", getenv("SOURCE_DIR"), name);
  cmbt_ok(ctx, cmb_model_read(ctx, path, NULL, &model));
  return model;
}

/* Runs the system, stores q and v at the end in y and returns the status. */
static cmb_status run_system(cmb_context *ctx, const cmb_system *system, const cmb_run_options *o,
                             double y[MOST], cmb_result *result)
{
  cmb_simulation *sim;
  cmbt_ok(ctx, cmb_simulation_create(ctx, system, o, &sim));
  const cmb_status status = cmb_simulation_run(sim);
  const cmb_equations *eq = cmb_system_equations(system);
  *result = *cmb_simulation_result(sim);
  assert_true(eq->nq + eq->nv <= MOST);
  memcpy(y, result->q, (size_t)eq->nq * sizeof *y);
  memcpy(y + eq->nq, result->v, (size_t)eq->nv * sizeof *y);
  cmb_simulation_destroy(sim);
  return status;
}

/* Compares runs of the car axis as a model and as the problem written in C, for all variants. */
static void test_model_and_c(void **state)
{
  (void)state;
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_model *model = open_model(ctx, "car-axis");
  const cmb_model_system_options kept = {.evaluation = CMB_EVALUATE_INTERPRETER,
                                         .expressions = true};
  cmb_system *by_model, *in_c;
  cmbt_ok(ctx, cmb_model_system(ctx, model, &kept, &by_model));
  cmbt_ok(ctx, cmb_problem_create(ctx, cmb_problem_find("caraxis"), 0, NULL, &in_c));
  for (int k = 0; k < VARIANTS + LEADING; k++) {
    const struct variant *w = k < VARIANTS ? &variants[k] : &leading[k - VARIANTS];
    cmb_option_setting s[4];
    cmb_result result;
    double a[MOST], b[MOST], most = 0;
    const cmb_run_options o = run_options(w->method, 1e-3, 0.5, settings_of(w, s), s);
    cmbt_ok(ctx, run_system(ctx, by_model, &o, a, &result));
    cmbt_ok(ctx, run_system(ctx, in_c, &o, b, &result));
    /* the model's coordinates count from the design position */
    const double *q = cmb_system_q(by_model), *q_c = cmb_system_q(in_c);
    for (int i = 0; i < 8; i++) {
      const double shift = i < 4 ? q_c[i] - q[i] : 0;
      most = fmax(most, fabs(a[i] + shift - b[i]));
    }
    printf("%-6s %-6s %-13s model and C differ by %.2g\n", w->method, w->jacobian, w->stabilization,
           most);
    /* g is a distance in the model and its square in C, so that drift differs without projection; J1 and J2 contain only the
     * stiff part of the derivatives in the model, but all of them in C */
    const bool projected =
        strcmp(w->stabilization, "projection") == 0 || strcmp(w->stabilization, "ggl") == 0;
    const bool stiff = strcmp(w->jacobian, "J1") == 0 || strcmp(w->jacobian, "J2") == 0;
    cmbt_below(most, projected && !stiff ? 1e-10 : 1e-5);
  }
  cmb_system_destroy(by_model);
  cmb_system_destroy(in_c);
  cmb_model_destroy(model);
  cmb_context_destroy(ctx);
}

/* ---- convergence on models */

/* Returns the largest error of a coordinate at t_end. */
static double error_of(const char *name, const char *method, int settings,
                       const cmb_option_setting *setting, double step, double t_end,
                       const double *exact)
{
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_model *model = open_model(ctx, name);
  const cmb_model_system_options kept = {.evaluation = CMB_EVALUATE_INTERPRETER,
                                         .expressions = true};
  cmb_system *system;
  cmb_result result;
  double y[MOST], most = 0;
  cmbt_ok(ctx, cmb_model_system(ctx, model, &kept, &system));
  const cmb_run_options o = run_options(method, step, t_end, settings, setting);
  cmbt_ok(ctx, run_system(ctx, system, &o, y, &result));
  for (int i = 0; i < cmb_system_equations(system)->nq; i++) {
    most = fmax(most, fabs(y[i] - exact[i]));
  }
  cmb_system_destroy(system);
  cmb_model_destroy(model);
  cmb_context_destroy(ctx);
  return most;
}

/* Checks that rosw2 has order 2 on a model, an error below `limit`, and a smaller one than lie. */
static void check_convergence(const char *name, double t_end, double limit)
{
  cmbt_run r;
  cmbt_run_open(&r, name, CMB_FORM_EXPLICIT, 0, NULL);
  cmbt_run_to(&r, t_end, 0);
  const double coarse = error_of(name, "rosw2", 0, NULL, 4e-4, t_end, r.result->q),
               fine = error_of(name, "rosw2", 0, NULL, 2e-4, t_end, r.result->q),
               euler = error_of(name, "lie", 0, NULL, 2e-4, t_end, r.result->q);
  printf("%-16s rosw2 %.2e, %.2e: order %.2f; lie %.2e\n", name, coarse, fine, log2(coarse / fine),
         euler);
  cmbt_near(log2(coarse / fine), 2, 0.2);
  cmbt_below(fine, limit);
  cmbt_below(fine, euler);
  cmbt_run_close(&r);
}

static void test_models(void **state)
{
  (void)state;
  check_convergence("gyroscope", 0.3, 3e-3);
  check_convergence("spatial-four-bar", 0.3, 1e-3);
  check_convergence("double-pendulum", 0.5, 1e-4);
  check_convergence("four-bar", 0.3, 1e-2);
}

/* Checks that lie has order 1 on a model with positions from the new velocities and this stabilisation. */
static void check_positions(const char *name, double step, double t_end, const char *stabilization)
{
  const cmb_option_setting s[] = {{"positions", "new"}, {"stabilization", stabilization}};
  cmbt_run r;
  cmbt_run_open(&r, name, CMB_FORM_EXPLICIT, 0, NULL);
  cmbt_run_to(&r, t_end, 0);
  const double coarse = error_of(name, "lie", 2, s, step, t_end, r.result->q),
               fine = error_of(name, "lie", 2, s, step / 2, t_end, r.result->q),
               old = error_of(name, "lie", 0, NULL, step / 2, t_end, r.result->q);
  printf("%-16s positions=new, %-10s %.2e, %.2e: order %.2f; by old velocities %.2e\n", name,
         stabilization, coarse, fine, log2(coarse / fine), old);
  cmbt_near(log2(coarse / fine), 1, 0.2);
  cmbt_run_close(&r);
}

static void test_positions(void **state)
{
  (void)state;
  static const char *const against[] = {"projection", "baumgarte"};
  for (int k = 0; k < 2; k++) {
    check_positions("quarter-car", 1e-3, 0.4, against[k]);
    check_positions("four-bar", 2e-4, 0.3, against[k]);
    check_positions("spatial-four-bar", 2e-4, 0.3, against[k]);
    check_positions("gyroscope", 2e-4, 0.3, against[k]);
  }
}

/* Returns the largest relative error of a multiplier at the end. Multipliers are computed in the stages of a step, hence of order 1. */
static double error_of_multipliers(cmb_context *ctx, const cmb_model *model, const char *method,
                                   double step, const cmbt_run *exact)
{
  const cmb_model_system_options kept = {.evaluation = CMB_EVALUATE_INTERPRETER,
                                         .expressions = true};
  cmb_system *system;
  cmb_simulation *sim;
  double most = 0;
  cmbt_ok(ctx, cmb_model_system(ctx, model, &kept, &system));
  const cmb_run_options o = run_options(method, step, exact->result->t, 0, NULL);
  cmbt_ok(ctx, cmb_simulation_create(ctx, system, &o, &sim));
  cmbt_ok(ctx, cmb_simulation_run(sim));
  for (int i = 0; i < cmb_system_equations(system)->ng; i++) {
    const double right = exact->result->lambda[i];
    most = fmax(most, fabs(cmb_simulation_result(sim)->lambda[i] - right) / fabs(right));
  }
  cmb_simulation_destroy(sim);
  cmb_system_destroy(system);
  return most;
}

static void test_multipliers(void **state)
{
  (void)state;
  static const char *const methods[] = {"lie", "rosw2"};
  cmbt_run r;
  cmbt_run_open(&r, "four-bar", CMB_FORM_EXPLICIT, 0, NULL);
  cmbt_run_to(&r, 0.1, 0);
  for (int i = 0; i < 2; i++) {
    const double coarse = error_of_multipliers(r.ctx, r.model, methods[i], 2e-4, &r),
                 fine = error_of_multipliers(r.ctx, r.model, methods[i], 1e-4, &r);
    printf("%-5s multipliers %.2e, %.2e: order %.2f\n", methods[i], coarse, fine,
           log2(coarse / fine));
    cmbt_near(log2(coarse / fine), 1, 0.1);
    cmbt_below(fine, 0.05);
  }
  cmbt_run_close(&r);
}

/* ---- switching, step sizes */

/* Records and events of a run: number of steps, shortest and longest one, times of events. */
struct seen {
  int steps, events;
  double last, shortest, longest, t_event[8];
};

static cmb_status on_record(void *user, const cmb_record *record)
{
  struct seen *s = user;
  if (record->side < 0) return CMB_OK; /* state before a switch; the record of the step follows */
  if (s->steps++ > 0) {
    s->shortest = fmin(s->shortest, record->t - s->last);
    s->longest = fmax(s->longest, record->t - s->last);
  }
  s->last = record->t;
  return CMB_OK;
}

static cmb_status on_event(void *user, const cmb_event *event)
{
  struct seen *s = user;
  assert_true(s->events < 8);
  s->t_event[s->events++] = event->t;
  return CMB_OK;
}

/* Checks that switches at 0.1 s and 0.25 s, which are not ends of steps, take effect at the end of their step, and that all steps are equal. */
static void test_switching(void **state)
{
  (void)state;
  struct seen seen = {.shortest = 1};
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_model *model = open_model(ctx, "quarter-car");
  const cmb_model_system_options kept = {.evaluation = CMB_EVALUATE_INTERPRETER,
                                         .expressions = true};
  cmb_system *system;
  cmb_result result;
  double y[MOST];
  cmbt_ok(ctx, cmb_model_system(ctx, model, &kept, &system));
  cmb_run_options o = run_options("lie", 3e-4, 0.3, 0, NULL);
  o.observer = (cmb_observer){.user = &seen, .record = on_record, .event = on_event};
  cmbt_ok(ctx, run_system(ctx, system, &o, y, &result));
  assert_int_equal(seen.steps, 1001);
  cmbt_near(seen.shortest, 3e-4, 1e-12);
  cmbt_near(seen.longest, 3e-4, 1e-12);
  assert_true(seen.last == 0.3);
  assert_int_equal(seen.events, 2);
  cmbt_near(seen.t_event[0], 334 * 3e-4, 1e-10);
  cmbt_near(seen.t_event[1], 834 * 3e-4, 1e-10);
  cmb_system_destroy(system);
  cmb_model_destroy(model);
  cmb_context_destroy(ctx);
}

/* ---- the drift bound */

/* Checks over 1000 steps of lie that |g| is below the drift bound and the bound at most 100 |g|; or, if not `holds`, that the bound is reported
 * as broken. */
static void check_bound(const char *name, double step, bool holds)
{
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_model *model = open_model(ctx, name);
  const cmb_model_system_options kept = {.evaluation = CMB_EVALUATE_INTERPRETER,
                                         .expressions = true};
  cmb_system *system;
  cmb_simulation *sim;
  cmbt_ok(ctx, cmb_model_system(ctx, model, &kept, &system));
  const cmb_run_options o = run_options("lie", step, 1000 * step, 0, NULL);
  cmbt_ok(ctx, cmb_simulation_create(ctx, system, &o, &sim));
  cmbt_ok(ctx, cmb_simulation_run(sim));
  const cmb_result *r = cmb_simulation_result(sim);
  assert_non_null(r->drift);
  assert_int_equal(r->drift->steps, 1000);
  printf("%-16s h = %-7g largest |g| %.3g, bound %.3g\n", name, step, r->worst_position,
         r->drift->limit);
  assert_int_equal(r->drift->holds, holds);
  if (holds) {
    cmbt_below(r->worst_position, r->drift->limit);
    cmbt_below(r->drift->limit, 100 * r->worst_position); /* the bound is not trivial */
    assert_true(isnan(r->drift->broken_at));
  } else {
    assert_true(isfinite(r->drift->broken_at));
  }
  cmb_simulation_destroy(sim);
  cmb_system_destroy(system);
  cmb_model_destroy(model);
  cmb_context_destroy(ctx);
}

static void test_bound(void **state)
{
  (void)state;
  check_bound("car-axis", 1e-3, true);
  check_bound("quarter-car", 1e-3, true);
  check_bound("fivelink", 1e-3, true);
  check_bound("four-bar", 2e-4, true);
  check_bound("slider-crank", 8e-3, false); /* the crank turns by more than two radians in a step */
}

/* ---- refusals */

static void refuse(const char *method, int count, const cmb_option_setting *s, const char *words)
{
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_system *system;
  cmb_simulation *sim;
  cmbt_ok(ctx, cmb_problem_create(ctx, cmb_problem_find("caraxis"), 0, NULL, &system));
  const cmb_run_options o = run_options(method, 1e-3, 0.1, count, s);
  assert_int_equal(cmb_simulation_create(ctx, system, &o, &sim), CMB_ERROR_ARGUMENT);
  if (!strstr(cmb_last_error(ctx), words)) fail_msg("the message is: %s", cmb_last_error(ctx));
  cmb_system_destroy(system);
  cmb_context_destroy(ctx);
}

static void test_refusals(void **state)
{
  (void)state;
  refuse("lie", 1, &(cmb_option_setting){"stabilization", "ggl"}, "needs index=2");
  refuse("lie", 1, &(cmb_option_setting){"alpha", "-1"}, "auto|NUMBER");
  refuse("lie", 1, &(cmb_option_setting){"alpha", "NUMBER"}, "auto|NUMBER");
  refuse("lie", 1, &(cmb_option_setting){"beta", "nan"}, "auto|NUMBER");
  refuse("rosw2", 1, &(cmb_option_setting){"stabilization", "ggl"}, "expected one of");
  refuse("rosw2", 1, &(cmb_option_setting){"index", "2"}, "no option");
  refuse("rosw2", 1, &(cmb_option_setting){"positions", "new"}, "no option");
  const cmb_option_setting nothing_left[] = {{"jacobian", "J3"}, {"positions", "new"}};
  refuse("lie", 2, nothing_left, "contains only the term that positions=new leaves out");
}

/* A double pendulum in line with a rod: the gradient of the rod's constraint is 0 there. */
static const char straight[] =
    "points: {middle: [1, 0, 0], tip: [2, 0, 0], wall: [3, 0, 0]}\n"
    "bodies:\n"
    "  one: {mass: 1, com: [0.5, 0, 0], inertia: [0.1, 0.1, 0.1]}\n"
    "  two: {mass: 1, com: [1.5, 0, 0], inertia: [0.1, 0.1, 0.1]}\n"
    "joints:\n"
    "  a: {type: revolute, child: one, at: [0, 0, 0], axis: y}\n"
    "  b: {type: revolute, parent: one, child: two, at: middle, axis: y}\n"
    "loops:\n"
    "  rod: {type: distance, between: [two@tip, ground@wall]}\n";

static void test_loss_of_rank(void **state)
{
  (void)state;
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_model *model;
  const cmb_model_system_options kept = {.evaluation = CMB_EVALUATE_INTERPRETER,
                                         .expressions = true};
  cmb_system *system;
  cmb_result result;
  double y[MOST];
  cmbt_ok(ctx, cmb_model_parse(ctx, straight, strlen(straight), "straight.yaml", NULL, &model));
  cmbt_ok(ctx, cmb_model_system(ctx, model, &kept, &system));
  const cmb_run_options o = run_options("lie", 1e-3, 0.1, 0, NULL);
  assert_int_not_equal(run_system(ctx, system, &o, y, &result), CMB_OK);
  printf("%s\n", cmb_last_error(ctx));
  assert_non_null(strstr(cmb_last_error(ctx), "lost rank"));
  cmb_system_destroy(system);
  cmb_model_destroy(model);
  cmb_context_destroy(ctx);
}

/* ---- faulty equations */

/* Equations of which one entry has a wrong value from a given time on. */
struct faulty {
  const cmb_equations *right;
  int target; /* 0: f, 1: M, 2: G */
  double value;
  double from; /* time */
};

static cmb_status evaluate_wrongly(const void *self, const cmb_point *at, const cmb_terms *want)
{
  const struct faulty *faulty = self;
  CMB_TRY(faulty->right->evaluate(faulty->right->self, at, want));
  double *const to[3] = {want->f, want->M, want->G};
  if (at->t >= faulty->from && to[faulty->target]) to[faulty->target][0] = faulty->value;
  return CMB_OK;
}

static cmb_status residual_wrongly(const void *self, const cmb_point *at, const double *a,
                                   const double *lambda, double *r)
{
  const struct faulty *faulty = self;
  return faulty->right->residual(faulty->right->self, at, a, lambda, r);
}

static cmb_status derive_rightly(const void *self, const cmb_point *at, const double *a,
                                 const double *lambda, cmb_derivative which, double *J)
{
  const struct faulty *faulty = self;
  return faulty->right->derivative(faulty->right->self, at, a, lambda, which, J);
}

/* Checks that values that are not finite end the run at their time with a message, and that its result is the last finite state. */
static void test_faults(void **state)
{
  (void)state;
  static const double values[] = {NAN, INFINITY, -INFINITY};
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_system *right, *wrong;
  cmbt_ok(ctx, cmb_problem_create(ctx, cmb_problem_find("caraxis"), 0, NULL, &right));
  for (int k = 0; k < 2 * 3 * 3; k++) {
    struct faulty faulty = {cmb_system_equations(right), k / 2 % 3, values[k / 6], 0.05};
    cmb_equations eq = *faulty.right;
    cmb_result result;
    double y[MOST];
    eq.self = &faulty;
    eq.evaluate = evaluate_wrongly;
    eq.residual = faulty.right->residual ? residual_wrongly : NULL;
    eq.derivative = derive_rightly;
    eq.accelerate = NULL;
    eq.mass_constant = false;
    cmbt_ok(ctx,
            cmb_system_create(ctx, &eq, 0, 0.1, cmb_system_q(right), cmb_system_v(right), &wrong));
    const cmb_run_options o = run_options(k % 2 ? "rosw2" : "lie", 1e-3, 0.1, 0, NULL);
    assert_int_not_equal(run_system(ctx, wrong, &o, y, &result), CMB_OK);
    assert_non_null(strstr(cmb_last_error(ctx), "not finite"));
    cmbt_near(result.t, 0.0485, 0.002);
    for (int i = 0; i < 8; i++) assert_true(isfinite(y[i]));
    cmb_system_destroy(wrong);
  }
  cmb_system_destroy(right);
  cmb_context_destroy(ctx);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_orders_pendulum), cmocka_unit_test(test_orders_car_axis),
      cmocka_unit_test(test_model_and_c),     cmocka_unit_test(test_models),
      cmocka_unit_test(test_positions),       cmocka_unit_test(test_multipliers),
      cmocka_unit_test(test_switching),       cmocka_unit_test(test_bound),
      cmocka_unit_test(test_refusals),        cmocka_unit_test(test_loss_of_rank),
      cmocka_unit_test(test_faults),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
