/*
 * Tests of the observer's callbacks before_step and after_step, with an adaptive method and one with steps of fixed cost: they alternate, a
 * step begins where the last one ended, its events and its record come between them, and each of them can end the run. An event has a
 * record on each side; the order is: record before, event, record after.
 */
#include "check.h"

#include <camber/camber.h>

struct log {
  bool inside;     /* between before_step and after_step */
  double t;        /* time at the end of the last step */
  long steps;      /* number of complete steps */
  long between;    /* number of records and events inside of steps */
  long before;     /* number of records right before events */
  long after;      /* number of records right after events */
  long side_calls; /* number of calls of the observer's `side` */
  long end_after;  /* number of steps after which a callback ends the run; 0: none does */
  bool end_late;   /* after_step ends the run, not before_step */
};

static cmb_status before_step(void *user, double t)
{
  struct log *log = user;
  assert_false(log->inside);
  assert_true(t == log->t);
  if (!log->end_late && log->end_after > 0 && log->steps == log->end_after) {
    return CMB_ERROR_INTERRUPTED;
  }
  log->inside = true;
  return CMB_OK;
}

static cmb_status after_step(void *user, double t)
{
  struct log *log = user;
  assert_true(log->inside);
  assert_true(t > log->t);
  log->inside = false;
  log->t = t;
  log->steps++;
  return log->end_late && log->steps == log->end_after ? CMB_ERROR_INTERRUPTED : CMB_OK;
}

static cmb_status on_record(void *user, const cmb_record *record)
{
  struct log *log = user;
  if (log->inside) {
    assert_true(record->t > log->t);
    log->between++;
  }
  log->before += record->side < 0;
  log->after += record->side > 0;
  return CMB_OK;
}

static cmb_status on_side(void *user, const cmb_record *record)
{
  struct log *log = user;
  assert_true(log->inside && record->side == (log->side_calls % 2 ? 1 : -1));
  log->side_calls++;
  return CMB_OK;
}

static cmb_status on_event(void *user, const cmb_event *event)
{
  struct log *log = user;
  assert_true(log->inside && event->t > log->t);
  assert_int_equal(log->before, log->after + 1);
  log->between++;
  return CMB_OK;
}

/* Simulates two seconds of a pendulum that passes its lowest point, an event, twice; checks the numbers of callbacks against each other. */
static cmb_result run(const char *method, struct log *log)
{
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_system *system;
  cmb_simulation *sim;
  cmb_run_options options = cmb_run_defaults();
  options.method = cmb_method_find(method);
  options.t_end = 2;
  options.observer = (cmb_observer){.user = log,
                                    .record = on_record,
                                    .side = on_side,
                                    .event = on_event,
                                    .before_step = before_step,
                                    .after_step = after_step};
  cmbt_ok(ctx, cmb_problem_create(ctx, cmb_problem_find("pendulum"), 0, NULL, &system));
  cmbt_ok(ctx, cmb_simulation_create(ctx, system, &options, &sim));
  cmb_simulation_run(sim);
  cmb_result result = *cmb_simulation_result(sim);
  assert_true(result.t == log->t);
  assert_int_equal(result.records, log->between - result.events + 1);
  assert_int_equal(result.records, log->steps + 1 + log->before);
  assert_int_equal(log->side_calls, log->before + log->after);
  cmb_simulation_destroy(sim);
  cmb_system_destroy(system);
  cmb_context_destroy(ctx);
  return result;
}

static const char *const methods[] = {"mdop5", "lie"};

static void test_around_each_step(void **state)
{
  (void)state;
  for (int i = 0; i < 2; i++) {
    struct log log = {.t = 0};
    cmb_result result = run(methods[i], &log);
    assert_int_equal(result.status, CMB_OK);
    assert_int_equal(result.events, 2);
    assert_int_equal(log.before, 2);
    assert_int_equal(log.after, 2);
    assert_false(log.inside);
    assert_true(log.t == 2);
  }
}

/* Checks that a run ends after five steps if before_step or after_step returns CMB_ERROR_INTERRUPTED. */
static void test_end_the_run(void **state)
{
  (void)state;
  for (int i = 0; i < 4; i++) {
    struct log log = {.end_after = 5, .end_late = i / 2 == 1};
    cmb_result result = run(methods[i % 2], &log);
    assert_int_equal(result.status, CMB_ERROR_INTERRUPTED);
    assert_int_equal(log.steps, 5);
    assert_false(log.inside);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_around_each_step),
                                     cmocka_unit_test(test_end_the_run)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
