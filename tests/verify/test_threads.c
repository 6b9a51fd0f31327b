/*
 * One model in many threads. Eight threads, each with a context and a simulation of its own, run one shared system, with the same bits as in a
 * single thread; and they make systems of their own from one shared model, with live parameters set to different values. Tested are equations
 * written in C, interpreted programs and compiled ones, explicit, implicit and real-time methods, events, resting contacts, redundant
 * constraints. An error in a thread has its message in that thread's context.
 *
 * `make threads` runs this under the thread sanitizer, which finds unprotected writes to shared data.
 */
#include "check.h"

#include <camber/camber.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 8, PATH_ROOM = 1000 };

/* Result of a run: a digest of all records (FNV-1a), and the message of its error. */
struct outcome {
  uint64_t digest;
  long records;
  cmb_status status;
  char message[300];
};

struct task {
  const cmb_model *model;   /* NULL: the system is shared too */
  const cmb_system *system; /* NULL: the thread makes one from the model */
  const char *method;
  double t_end;
  double stiffness;   /* a live parameter that is set in the middle of the run; 0: none */
  cmb_setting before; /* a parameter that is set before the run; name NULL: none */
  struct outcome outcome;
  pthread_t thread;
};

/* Adds n numbers to the digest. */
static void add(struct outcome *o, int n, const double *x)
{
  const unsigned char *bytes = (const unsigned char *)x;
  for (size_t i = 0; i < (size_t)n * sizeof *x; i++) {
    o->digest = (o->digest ^ bytes[i]) * UINT64_C(1099511628211);
  }
}

struct watcher {
  const cmb_equations *eq;
  struct outcome *outcome;
};

static cmb_status on_record(void *user, const cmb_record *record)
{
  const struct watcher *w = user;
  add(w->outcome, 1, &record->t);
  add(w->outcome, w->eq->nq, record->q);
  add(w->outcome, w->eq->nv, record->v);
  add(w->outcome, w->eq->ng, record->lambda);
  add(w->outcome, w->eq->no, record->outputs);
  w->outcome->records++;
  return CMB_OK;
}

static cmb_status simulate(cmb_context *ctx, const cmb_system *system, struct task *task)
{
  cmb_simulation *sim = NULL;
  cmb_run_options o = cmb_run_defaults();
  struct watcher watcher = {cmb_system_equations(system), &task->outcome};
  const cmb_setting setting = {"k", task->stiffness};
  o.method = cmb_method_find(task->method);
  o.t_end = task->t_end;
  o.observer = (cmb_observer){.user = &watcher, .record = on_record};
  cmb_status status = cmb_simulation_create(ctx, system, &o, &sim);
  if (status == CMB_OK && task->before.name) status = cmb_simulation_set(sim, 1, &task->before);
  if (status == CMB_OK) status = cmb_simulation_advance(sim, task->t_end / 2);
  if (status == CMB_OK && task->stiffness > 0) status = cmb_simulation_set(sim, 1, &setting);
  if (status == CMB_OK) status = cmb_simulation_advance(sim, task->t_end);
  cmb_simulation_destroy(sim);
  return status;
}

/* Runs the task of a thread. */
static void *work(void *argument)
{
  struct task *task = argument;
  const cmb_model_system_options make = {.evaluation = CMB_EVALUATE_INTERPRETER,
                                         .derivatives = true,
                                         .expressions = true,
                                         .live_inputs = true};
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_system *own = NULL;
  task->outcome.digest = UINT64_C(14695981039346656037);
  if (!task->system) task->outcome.status = cmb_model_system(ctx, task->model, &make, &own);
  if (task->outcome.status == CMB_OK) {
    task->outcome.status = simulate(ctx, task->system ? task->system : own, task);
  }
  snprintf(task->outcome.message, sizeof task->outcome.message, "%s", cmb_last_error(ctx));
  cmb_system_destroy(own);
  cmb_context_destroy(ctx);
  return NULL;
}

/* Checks that the task has the same outcome in this thread and in eight simultaneous ones; with `vary` each has another parameter value. */
static void compare(const char *name, struct task task, bool vary)
{
  struct task alone[THREADS], simultaneous[THREADS];
  for (int i = 0; i < THREADS; i++) {
    if (vary && !task.before.name) task.stiffness = 50 + 10 * i;
    if (vary) task.before.value *= 1.01;
    alone[i] = simultaneous[i] = task;
    if (i == 0 || vary) work(&alone[i]);
    if (i > 0 && !vary) alone[i].outcome = alone[0].outcome;
  }
  for (int i = 0; i < THREADS; i++) {
    assert_int_equal(pthread_create(&simultaneous[i].thread, NULL, work, &simultaneous[i]), 0);
  }
  for (int i = 0; i < THREADS; i++) assert_int_equal(pthread_join(simultaneous[i].thread, NULL), 0);
  for (int i = 0; i < THREADS; i++) {
    const struct outcome *a = &alone[i].outcome, *b = &simultaneous[i].outcome;
    if (a->digest == b->digest && a->records == b->records && a->status == b->status &&
        strcmp(a->message, b->message) == 0) {
      continue;
    }
    fail_msg("%s, %s, thread %d: %ld records, '%s'; alone %ld, '%s'", name, task.method, i,
             b->records, b->message, a->records, a->message);
  }
}

static cmb_model *read_model(cmb_context *ctx, const char *name, bool live)
{
  char path[PATH_ROOM];
  cmb_model *model;
  const cmb_model_options options = {.live_all = live};
  const char *folder = getenv("SOURCE_DIR");
  assert_non_null(folder);
  snprintf(path, sizeof path, "%s/models/%s.yaml", folder, name);
  cmbt_ok(ctx, cmb_model_read(ctx, path, &options, &model));
  return model;
}

static void test_shared_system(void **state)
{
  (void)state;
  static const struct {
    const char *model, *method;
    cmb_formulation formulation;
    double t_end;
    cmb_evaluation evaluation;
  } cases[] = {
      {"fivelink", "mdop5", CMB_FORM_EXPLICIT, 0.1, CMB_EVALUATE_INTERPRETER},
      {"fivelink", "lie", CMB_FORM_EXPLICIT, 0.05, CMB_EVALUATE_INTERPRETER},
      {"newtons-cradle", "mdop853", CMB_FORM_EXPLICIT, 0.8, CMB_EVALUATE_INTERPRETER},
      {"slider-crank", "radau5", CMB_FORM_CARTESIAN, 0.05, CMB_EVALUATE_INTERPRETER},
      {"four-bar", "bdf", CMB_FORM_RESIDUAL, 0.2, CMB_EVALUATE_NATIVE},
      {"gyroscope", "hem5", CMB_FORM_EXPLICIT, 0.2, CMB_EVALUATE_INTERPRETER},
      {"double-wishbone", "auto", CMB_FORM_EXPLICIT, 0.05, CMB_EVALUATE_INTERPRETER},
  };
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
    cmb_context *ctx = cmb_context_create(NULL);
    cmb_model *model = read_model(ctx, cases[k].model, false);
    const cmb_model_system_options make = {.formulation = cases[k].formulation,
                                           .evaluation = cases[k].evaluation,
                                           .derivatives = true,
                                           .expressions = true};
    cmb_system *system;
    cmbt_ok(ctx, cmb_model_system(ctx, model, &make, &system));
    const struct task task = {.system = system, .method = cases[k].method, .t_end = cases[k].t_end};
    compare(cases[k].model, task, false);
    cmb_system_destroy(system);
    cmb_model_destroy(model);
    cmb_context_destroy(ctx);
  }
}

/* Checks start values that depend on a live parameter with a different value in each thread: loops are closed in all threads at the same
 * time. */
static void test_starts(void **state)
{
  (void)state;
  for (int f = CMB_FORM_EXPLICIT; f <= CMB_FORM_CARTESIAN; f++) {
    cmb_context *ctx = cmb_context_create(NULL);
    cmb_model *model = read_model(ctx, "four-bar", true);
    const cmb_model_system_options make = {.formulation = (cmb_formulation)f,
                                           .evaluation = CMB_EVALUATE_INTERPRETER};
    cmb_system *system;
    cmbt_ok(ctx, cmb_model_system(ctx, model, &make, &system));
    const struct task task = {
        .system = system, .method = "mdop5", .t_end = 0.05, .before = {"crank_length", 0.1}};
    compare("four-bar", task, true);
    cmb_system_destroy(system);
    cmb_model_destroy(model);
    cmb_context_destroy(ctx);
  }
}

static void test_problems(void **state)
{
  (void)state;
  for (int i = 0; i < cmb_problem_count(); i++) {
    cmb_context *ctx = cmb_context_create(NULL);
    cmb_system *system;
    cmbt_ok(ctx, cmb_problem_create(ctx, cmb_problem_at(i), 0, NULL, &system));
    const struct task task = {.system = system, .method = "mdop5", .t_end = 0.05};
    compare(cmb_problem_name(cmb_problem_at(i)), task, false);
    cmb_system_destroy(system);
    cmb_context_destroy(ctx);
  }
}

/* Checks threads that make systems of their own from a shared model, with different values of a live parameter. */
static void test_shared_model(void **state)
{
  (void)state;
  static const char text[] =
      "gravity: [0, 0, -9.81]\nparameters: {k: 40, r: 0.05}\n"
      "inputs: {road: {kind: spline, table: [[0, 0], [0.5, 0.1], [1, 0]]}}\n"
      "bodies:\n"
      "  block: {mass: 2, sphere: [0, 0, 0], radius: r}\n"
      "  ball: {mass: 1, sphere: [1, 0, 0], radius: r}\n"
      "joints:\n"
      "  x: {type: prismatic, child: block, axis: x, start: 0.1, rate: 0.3}\n"
      "  z: {type: prismatic, child: ball, axis: z, start: 0.1}\n"
      "loops: {low: {type: stop, formula: z - 0.1*x, restitution: 0.5}}\n"
      "forces:\n"
      "  s: {type: load, on: {body: block, at: [0, 0, 0]}, force: [\"k*(road - x) - "
      "0.5*sign(x')\", 0, 0]}\n";
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_model *model;
  const cmb_model_options live = {.live_all = true};
  cmbt_ok(ctx, cmb_model_parse(ctx, text, strlen(text), "threads.yaml", &live, &model));
  for (int k = 0; k < 2; k++) {
    const struct task task = {.model = model, .method = k ? "radau5" : "mdop5", .t_end = 0.6};
    compare("a model of its own", task, true);
  }
  cmb_model_destroy(model);
  cmb_context_destroy(ctx);
}

/* Checks that the message of a run that ends in gimbal lock is in the run's context, and none in that of the system. */
static void test_messages(void **state)
{
  (void)state;
  static const char text[] =
      "bodies: {top: {mass: 1, com: [0.1, 0.05, -0.3], inertia: [0.02, 0.03, 0.04]}}\n"
      "joints: {ball: {type: spherical, child: top, at: [0, 0, 0], start: [0.2, 90 deg, 0.1]}}\n";
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_model *model;
  cmb_system *system;
  cmbt_ok(ctx, cmb_model_parse(ctx, text, strlen(text), "lock.yaml", NULL, &model));
  cmbt_ok(ctx, cmb_model_system(ctx, model, NULL, &system));
  struct task task = {.system = system, .method = "mdop5", .t_end = 2};
  work(&task);
  if (!strstr(task.outcome.message, "gimbal lock")) fail_msg("'%s'", task.outcome.message);
  assert_string_equal(cmb_last_error(ctx), "");
  compare("gimbal lock", task, false);
  cmb_system_destroy(system);
  cmb_model_destroy(model);
  cmb_context_destroy(ctx);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_shared_system),
                                     cmocka_unit_test(test_starts), cmocka_unit_test(test_problems),
                                     cmocka_unit_test(test_shared_model),
                                     cmocka_unit_test(test_messages)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
