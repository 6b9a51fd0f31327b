/*
 * Shows that a run made in pieces with cmb_simulation_advance is the same run as one made with cmb_simulation_run:
 *
 *   - One call that advances to the end gives the same records and events as cmb_simulation_run, bit for bit, with every method.
 *   - Calls that advance by random times stop exactly at these times and give the same motion within the tolerance: events at the same
 *     times as a run with a small tolerance, records at the chosen interval, and an event with the action stop ends the run.
 *   - Calls with invalid arguments return an error and change nothing.
 */
#include "check.h"
#include "methods.h"
#include "random.h"

#include <camber/camber.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A ball that falls on a stop, stays in contact and is lifted again; a block that slides, sticks and slides again; a pendulum closed by a
 * loop. */
static const char MODEL[] =
    "gravity: [0, 0, -9.81]\n"
    "points: {W: [4, 0, 0], B: [5, 0, 0]}\n"
    "bodies:\n"
    "  ball: {mass: 1, sphere: [0, 0, 0], radius: 0.1}\n"
    "  block: {mass: 1, box: [0.1, 0.1, 0.1], at: [2, 0, 0]}\n"
    "  bob: {mass: 1, sphere: [5, 0, 0], radius: 0.1}\n"
    "joints:\n"
    "  z: {type: prismatic, child: ball, axis: z, start: 0.1}\n"
    "  x: {type: prismatic, child: block, axis: x, rate: 1}\n"
    "  swing: {type: planar, child: bob, at: B, axes: [x, z]}\n"
    "loops:\n"
    "  low: {type: stop, formula: z, restitution: 0}\n"
    "  rod: {type: distance, between: [ground@W, bob@B]}\n"
    "forces:\n"
    "  lift: {type: load, on: {body: ball, at: [0, 0, 0]}, force: [0, 0, \"10*t\"]}\n"
    "  dry: {type: load, on: {body: block, at: [2, 0, 0]}, force: [\"-3*sign(x') + 4*max(t - 0.5, "
    "0)\", 0, 0]}\n";

/* The pendulum alone, for real-time methods, which allow no impacts. */
static const char PENDULUM[] = "gravity: [0, 0, -9.81]\n"
                               "points: {W: [0, 0, 0], B: [1, 0, 0]}\n"
                               "bodies: {bob: {mass: 1, sphere: [1, 0, 0], radius: 0.1}}\n"
                               "joints: {swing: {type: planar, child: bob, at: B, axes: [x, z]}}\n"
                               "loops: {rod: {type: distance, between: [ground@W, bob@B]}}\n"
                               "events: {%s}\n";

enum { MOST_ROWS = 20000, MOST_EVENTS = 200, WIDTH = 11 };

/* A body under a controller, which would take more than a billion samples until the latest end times of test_late_end_times. */
static const char SAMPLED[] =
    "gravity: [0, 0, 0]\n"
    "bodies: {b: {mass: 1, sphere: [0, 0, 0], radius: 0.1}}\n"
    "joints: {x: {type: prismatic, child: b, axis: x, start: 1}}\n"
    "controllers: {c: {period: 0.05, update: {u: \"-3*x - x'\"}}}\n"
    "forces: {push: {type: load, on: {body: b, at: [0, 0, 0]}, force: [u, 0, 0]}}\n";

struct log {
  int nq, nv, rows, events;
  double row[MOST_ROWS][WIDTH]; /* t, q, v */
  double event[MOST_EVENTS];    /* times in seconds */
  char name[MOST_EVENTS][60];
};

static cmb_status on_record(void *user, const cmb_record *record)
{
  struct log *log = user;
  assert_in_range(log->rows, 0, MOST_ROWS - 1);
  double *row = log->row[log->rows++];
  row[0] = record->t;
  memcpy(row + 1, record->q, (size_t)log->nq * sizeof *row);
  memcpy(row + 1 + log->nq, record->v, (size_t)log->nv * sizeof *row);
  return CMB_OK;
}

static cmb_status on_event(void *user, const cmb_event *event)
{
  struct log *log = user;
  assert_in_range(log->events, 0, MOST_EVENTS - 1);
  snprintf(log->name[log->events], sizeof log->name[0], "%s", event->name);
  log->event[log->events++] = event->t;
  return CMB_OK;
}

struct setup {
  cmb_context *ctx;
  cmb_model *model;
  cmb_system *system;
  cmb_simulation *sim;
  struct log *log;
};

static void open_run(struct setup *s, const char *text, const char *method, double rtol,
                     double t_end, double every)
{
  const cmb_model_system_options make = {.derivatives = true, .expressions = true};
  cmb_run_options o = cmb_run_defaults();
  s->ctx = cmb_context_create(NULL);
  s->log = calloc(1, sizeof *s->log);
  assert_true(s->ctx && s->log);
  cmbt_ok(s->ctx, cmb_model_parse(s->ctx, text, strlen(text), "advance.yaml", NULL, &s->model));
  cmbt_ok(s->ctx, cmb_model_system(s->ctx, s->model, &make, &s->system));
  s->log->nq = cmb_system_equations(s->system)->nq, s->log->nv = s->log->nq;
  o.method = cmb_method_find(method);
  o.integrator.rtol = rtol;
  o.integrator.atol = CMB_ATOL_PER_RTOL * rtol;
  o.t_end = t_end;
  o.every = every;
  o.observer = (cmb_observer){.user = s->log, .record = on_record, .event = on_event};
  cmbt_ok(s->ctx, cmb_simulation_create(s->ctx, s->system, &o, &s->sim));
}

static void close_run(struct setup *s)
{
  cmb_simulation_destroy(s->sim);
  cmb_system_destroy(s->system);
  cmb_model_destroy(s->model);
  cmb_context_destroy(s->ctx);
  free(s->log);
}

static const char *text_for(const cmb_method *method)
{
  static char pendulum[sizeof PENDULUM];
  snprintf(pendulum, sizeof pendulum, PENDULUM, "");
  return cmb_method_is_real_time(method) ? pendulum : MODEL;
}

static void test_one_call_equals_run(void **state)
{
  (void)state;
  for (int i = 0; i < cmb_method_count(); i++) {
    const cmb_method *method = cmb_method_at(i);
    const char *text = text_for(method), *name = cmb_method_name(method);
    const double rtol = cmbt_is(method, "trap") ? 1e-3 : 1e-5;
    struct setup a, b;
    open_run(&a, text, name, rtol, 1.3, 0);
    open_run(&b, text, name, rtol, 1.3, 0);
    cmbt_ok(a.ctx, cmb_simulation_run(a.sim));
    cmbt_ok(b.ctx, cmb_simulation_advance(b.sim, 1.3));
    assert_true(a.log->rows > 10);
    assert_memory_equal(a.log, b.log, sizeof *a.log);
    assert_int_equal(memcmp(cmb_simulation_result(a.sim)->statistics,
                            cmb_simulation_result(b.sim)->statistics, sizeof(cmb_statistics)),
                     0);
    close_run(&a);
    close_run(&b);
  }
}

/* Advances the run to t_end in random pieces, some of which are much shorter than a step. */
static void advance_in_pieces(struct setup *s, struct cmbt_random *r, double t_end)
{
  const cmb_result *result = cmb_simulation_result(s->sim);
  for (double t = 0; t < t_end;) {
    t = fmin(t + 0.1 * cmbt_random_scale(r, 1), t_end);
    cmbt_ok(s->ctx, cmb_simulation_advance(s->sim, t));
    assert_true(result->t == t);
    cmbt_ok(s->ctx, cmb_simulation_advance(s->sim, t)); /* the run is at t already */
    assert_true(result->t == t);
  }
}

static void test_random_pieces(void **state)
{
  (void)state;
  struct cmbt_random r = {11};
  struct setup fine;
  open_run(&fine, MODEL, "mdop853", 1e-11, 1.5, 0.125);
  cmbt_ok(fine.ctx, cmb_simulation_run(fine.sim));
  for (int i = cmbt_next_but_trap(0); i < cmb_method_count(); i = cmbt_next_but_trap(i + 1)) {
    struct setup s;
    open_run(&s, MODEL, cmb_method_name(cmb_method_at(i)), 1e-7, 1.5, 0.125);
    advance_in_pieces(&s, &r, 1.5);
    assert_int_equal(s.log->rows, fine.log->rows);
    for (int k = 0; k < s.log->rows; k++) {
      for (int j = 0; j < WIDTH; j++) cmbt_near(s.log->row[k][j], fine.log->row[k][j], 2e-5);
    }
    assert_int_equal(s.log->events, fine.log->events);
    for (int k = 0; k < s.log->events; k++) {
      assert_string_equal(s.log->name[k], fine.log->name[k]);
      cmbt_near(s.log->event[k], fine.log->event[k], 1e-4);
    }
    close_run(&s);
  }
  close_run(&fine);
}

/* Checks that steps which are shortened to end at a given time do not reduce the sizes of later steps: 21 such calls add fewer than 24
 * steps to the run. */
static void test_shortened_steps_have_no_lasting_effect(void **state)
{
  (void)state;
  char text[sizeof PENDULUM];
  struct setup whole, cut;
  snprintf(text, sizeof text, PENDULUM, "");
  open_run(&whole, text, "mdop5", 1e-6, 2, 0);
  open_run(&cut, text, "mdop5", 1e-6, 2, 0);
  cmbt_ok(whole.ctx, cmb_simulation_run(whole.sim));
  const cmb_result *a = cmb_simulation_result(whole.sim), *b = cmb_simulation_result(cut.sim);
  cmbt_ok(cut.ctx, cmb_simulation_advance(cut.sim, 0.5));
  for (int k = 0; k < 20; k++) { /* each piece is 1 ns long */
    cmbt_ok(cut.ctx, cmb_simulation_advance(cut.sim, 0.5 + 1e-9 * (k + 1)));
  }
  cmbt_ok(cut.ctx, cmb_simulation_advance(cut.sim, 2));
  cmbt_below((double)b->statistics->accepted, (double)a->statistics->accepted + 24);
  close_run(&whole);
  close_run(&cut);
}

/* Checks that the end time of a run does not influence its results: a run that may go on to 1e15 s agrees bit for bit up to 1.3 s with one
 * that ends there. */
static void test_late_end_times(void **state)
{
  (void)state;
  const double ends[] = {1e3, 1e9, 1e15};
  for (int i = 0; i < 2 * cmb_method_count(); i++) {
    const cmb_method *method = cmb_method_at(i / 2);
    const char *text = i % 2 ? SAMPLED : text_for(method), *name = cmb_method_name(method);
    const double rtol = cmbt_is(method, "trap") ? 1e-3 : 1e-5;
    struct setup a, b;
    open_run(&a, text, name, rtol, 1.3, 0);
    open_run(&b, text, name, rtol, ends[i / 2 % 3], 0);
    cmbt_ok(a.ctx, cmb_simulation_advance(a.sim, 1.3));
    cmbt_ok(b.ctx, cmb_simulation_advance(b.sim, 1.3));
    assert_true(cmb_simulation_result(b.sim)->t == 1.3);
    assert_int_equal(a.log->rows, b.log->rows);
    assert_memory_equal(a.log, b.log, sizeof *a.log);
    close_run(&a);
    close_run(&b);
  }
}

/* Checks that steps are not refused as too small relative to an end time of 1e9 s, neither the 60,000
 * steps of 1 ms by lie nor the larger ones by mdop5. */
static void test_small_steps_before_late_end(void **state)
{
  (void)state;
  char text[sizeof PENDULUM];
  static const char *const methods[] = {"lie", "mdop5"};
  snprintf(text, sizeof text, PENDULUM, "");
  for (int i = 0; i < 2; i++) {
    struct setup s;
    open_run(&s, text, methods[i], 1e-6, 1e9, 1);
    cmbt_ok(s.ctx, cmb_simulation_advance(s.sim, 60));
    assert_true(cmb_simulation_result(s.sim)->t == 60);
    assert_int_equal(s.log->rows, 61);
    close_run(&s);
  }
}

static void expect_refusal(struct setup *s, double t, const char *words)
{
  const cmb_result *r = cmb_simulation_result(s->sim);
  const double here = r->t;
  const long steps = r->statistics->steps;
  assert_int_equal(cmb_simulation_advance(s->sim, t), CMB_ERROR_ARGUMENT);
  if (!strstr(cmb_last_error(s->ctx), words)) fail_msg("%s", cmb_last_error(s->ctx));
  assert_true(r->t == here && r->statistics->steps == steps);
}

static void test_wrong_calls(void **state)
{
  (void)state;
  char text[sizeof PENDULUM + 100];
  struct setup s;
  assert_int_equal(cmb_simulation_advance(NULL, 1), CMB_ERROR_ARGUMENT);
  snprintf(text, sizeof text, PENDULUM, "low: {when: t > 0.7, action: stop}");
  open_run(&s, text, "mdop5", 1e-6, 2, 0);
  const cmb_result *r = cmb_simulation_result(s.sim);
  expect_refusal(&s, -1, "the run is at t = 0 and ends at t = 2");
  expect_refusal(&s, NAN, "the run is at t = 0");
  cmbt_ok(s.ctx, cmb_simulation_advance(s.sim, 0));
  assert_true(r->started && r->t == 0);
  cmbt_ok(s.ctx, cmb_simulation_advance(s.sim, 0.5));
  expect_refusal(&s, 0.25, "the run is at t = 0.5");
  expect_refusal(&s, 2.5, "ends at t = 2");
  cmbt_ok(s.ctx, cmb_simulation_advance(s.sim, 1));
  assert_string_equal(r->stopped_by, "low");
  cmbt_near(r->t, 0.7, 1e-9);
  expect_refusal(&s, 1.5, "event 'low' has ended the run at t = 0.7");
  cmbt_ok(s.ctx, cmb_simulation_run(s.sim)); /* starts again at t = 0 */
  cmbt_near(r->t, 0.7, 1e-9);
  close_run(&s);
}

static cmb_status interrupt_after_step(void *user, double t)
{
  (void)user;
  return t > 0.3 ? CMB_ERROR_INTERRUPTED : CMB_OK;
}

static void test_after_a_failure(void **state)
{
  (void)state;
  char text[sizeof PENDULUM];
  struct setup s;
  cmb_run_options o = cmb_run_defaults();
  snprintf(text, sizeof text, PENDULUM, "");
  open_run(&s, text, "mdop5", 1e-6, 2, 0);
  cmb_simulation_destroy(s.sim);
  o.observer.after_step = interrupt_after_step;
  o.t_end = 2;
  cmbt_ok(s.ctx, cmb_simulation_create(s.ctx, s.system, &o, &s.sim));
  assert_int_equal(cmb_simulation_advance(s.sim, 1), CMB_ERROR_INTERRUPTED);
  expect_refusal(&s, 1.5, "the run has failed at t = ");
  close_run(&s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_one_call_equals_run),
                                     cmocka_unit_test(test_random_pieces),
                                     cmocka_unit_test(test_late_end_times),
                                     cmocka_unit_test(test_small_steps_before_late_end),
                                     cmocka_unit_test(test_shortened_steps_have_no_lasting_effect),
                                     cmocka_unit_test(test_wrong_calls),
                                     cmocka_unit_test(test_after_a_failure)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
