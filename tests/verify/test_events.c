/*
 * Shows for every method that events with known times are all found, each at its time and in the right direction:
 *
 * - a pendulum passes its lowest point 100 times; the times follow from the complete elliptic integral;
 * - a mass on a rail between two springs of different stiffness, of which the mode selects one; the times are known exactly;
 *   two functions that change their signs at the same time, two that do so at almost the same time, and one that becomes
 *   negative and positive again within a step.
 */
#include "check.h"
#include "methods.h"
#include "reference.h"

#include <camber/camber.h>
#include <stdio.h>
#include <string.h>

enum { MOST_EVENTS = 2000 };

struct log {
  cmb_event events[MOST_EVENTS];
  int count;
};

static cmb_status on_event(void *user, const cmb_event *event)
{
  struct log *log = user;
  assert_in_range(log->count, 0, MOST_EVENTS - 1);
  log->events[log->count++] = *event;
  return CMB_OK;
}

static void run(cmb_context *ctx, const cmb_system *system, const char *method, double rtol,
                double t_end, struct log *log)
{
  cmb_run_options options = cmb_run_defaults();
  cmb_simulation *sim;
  options.method = cmb_method_find(method);
  options.integrator.rtol = rtol;
  options.integrator.atol = CMB_ATOL_PER_RTOL * rtol;
  options.t_end = t_end;
  options.observer = (cmb_observer){.user = log, .event = on_event};
  log->count = 0;
  cmbt_ok(ctx, cmb_simulation_create(ctx, system, &options, &sim));
  cmbt_ok(ctx, cmb_simulation_run(sim));
  assert_int_equal(cmb_simulation_result(sim)->events, log->count);
  cmb_simulation_destroy(sim);
}

/* Runs the pendulum and checks that it passes its lowest point at T/4 + k T/2, first in falling direction. Returns the largest error of the
 * times. */
static double largest_time_error(cmb_context *ctx, const char *method, double angle, double rtol,
                                 struct log *log)
{
  cmb_setting setting = {"angle", angle};
  cmb_system *system;
  cmbt_ok(ctx, cmb_problem_create(ctx, cmb_problem_find("pendulum"), 1, &setting, &system));
  double T = (double)cmbt_pendulum_period(1, 9.81, angle), worst = 0;
  run(ctx, system, method, rtol, 50.1 * T, log);
  assert_int_equal(log->count, 100);
  for (int k = 0; k < log->count; k++) {
    assert_string_equal(log->events[k].name, "lowest point");
    assert_int_equal(log->events[k].direction, k % 2 ? 1 : -1);
    worst = fmax(worst, fabs(log->events[k].t - (T / 4 + k * T / 2)));
  }
  cmb_system_destroy(system);
  return worst;
}

/* Checks the crossings at two amplitudes. Their times have the error of the trajectory, which grows with the amplitude and is 1e-8 at 1 rad
 * with rtol 1e-10. The smaller tolerance at 1 rad shows that locating the events does not limit the accuracy. */
static void test_lowest_point(void **state)
{
  (void)state;
  static struct log log;
  cmb_context *ctx = cmb_context_create(NULL);
  for (int i = 0; i < cmb_method_count(); i++) {
    if (!cmbt_is_precise(cmb_method_at(i))) continue;
    const char *method = cmb_method_name(cmb_method_at(i));
    double small = largest_time_error(ctx, method, 0.1, 1e-10, &log);
    double large = largest_time_error(ctx, method, 1, 1e-12, &log);
    printf("%-8s 100 crossings, largest error %.1e s (0.1 rad), %.1e s (1 rad, rtol 1e-12)\n",
           method, small, large);
    cmbt_below(small, 1e-9);
    cmbt_below(large, 2e-9);
  }
  cmb_context_destroy(ctx);
}

/* ---- the mass on a rail: x'' = −w1² x for x > 0, −w2² x for x < 0; y = 0 by constraint */

struct rail {
  double w1, w2;
  double level, apart; /* of the second and third function: x − level, and x shifted in time */
  int ns;
};

static cmb_status rail_evaluate(const void *self, const cmb_point *at, const cmb_terms *want)
{
  const struct rail *p = self;
  double w = at->mode[0] > 0 ? p->w1 : p->w2; /* the mode decides, not the sign of x */
  if (want->M) want->M[0] = want->M[1] = 1;
  if (want->f) want->f[0] = -w * w * at->q[0], want->f[1] = -9.81;
  if (want->g) want->g[0] = at->q[1];
  if (want->G) want->G[0] = 0, want->G[1] = 1;
  if (want->gt) want->gt[0] = 0;
  if (want->gamma) want->gamma[0] = 0;
  return CMB_OK;
}

static cmb_status rail_switches(const void *self, const cmb_point *at, const double *lambda,
                                double *s)
{
  const struct rail *p = self;
  (void)lambda;
  s[0] = at->q[0];
  if (p->ns > 1) s[1] = at->q[0] - p->level;
  if (p->ns > 2) s[2] = 3 * (at->q[0] + p->apart * at->v[0]); /* about x(t + apart) */
  return CMB_OK;
}

static const char *const q_names[] = {"x", "y"}, *const v_names[] = {"x'", "y'"};
static const char *const g_names[] = {"rail"}, *const lambda_names[] = {"lambda"};
static const char *const switch_names[] = {"side", "level", "ahead"};

static cmb_system *rail_system(cmb_context *ctx, const struct rail *rail, cmb_equations *eq)
{
  const double q[2] = {0, 0}, v[2] = {1, 0}; /* starts at x = 0 with increasing x */
  cmb_system *system;
  *eq = (cmb_equations){.name = "rail",
                        .nq = 2,
                        .nv = 2,
                        .ng = 1,
                        .ns = rail->ns,
                        .q_names = q_names,
                        .v_names = v_names,
                        .g_names = g_names,
                        .lambda_names = lambda_names,
                        .switch_names = switch_names,
                        .mass_constant = true,
                        .mass_diagonal = true,
                        .self = rail,
                        .evaluate = rail_evaluate,
                        .switches = rail_switches};
  cmbt_ok(ctx, cmb_system_create(ctx, eq, 0, 1, q, v, &system));
  return system;
}

/* Returns the k-th zero of x, k = 1, 2 ...: half periods with w1 and w2 alternate. */
static double rail_zero(const struct rail *p, int k)
{
  double pi = acos(-1.0);
  return (k + 1) / 2 * pi / p->w1 + k / 2 * pi / p->w2;
}

static void test_mode(void **state)
{
  (void)state;
  static struct log log;
  const struct rail rail = {.w1 = 3, .w2 = 40, .ns = 1};
  cmb_context *ctx = cmb_context_create(NULL);
  for (int i = 0; i < cmb_method_count(); i++) {
    if (!cmbt_is_precise(cmb_method_at(i))) continue;
    cmb_equations eq;
    cmb_system *system = rail_system(ctx, &rail, &eq);
    run(ctx, system, cmb_method_name(cmb_method_at(i)), 1e-11, 0.999 * rail_zero(&rail, 41), &log);
    assert_int_equal(log.count, 40); /* none at the start, none twice */
    for (int k = 0; k < log.count; k++) {
      cmbt_near(log.events[k].t, rail_zero(&rail, k + 1), 1e-9);
      assert_int_equal(log.events[k].direction, k % 2 ? 1 : -1);
    }
    cmb_system_destroy(system);
  }
  cmb_context_destroy(ctx);
}

/* Checks a function that is positive for a short time only. With w1 = w2 = 1 and x = sin t, the level 0.9999 is passed upwards at
 * asin(level) and downwards 0.028 s later, within one step of mdop853 at a large tolerance. */
static void test_short_excursion(void **state)
{
  (void)state;
  static struct log log;
  const struct rail rail = {.w1 = 1, .w2 = 1, .level = 0.9999, .ns = 2};
  const double pi = acos(-1.0), up = asin(rail.level);
  cmb_context *ctx = cmb_context_create(NULL);
  for (int i = 0; i < cmb_method_count(); i++) {
    if (!cmbt_is_precise(cmb_method_at(i))) continue;
    cmb_equations eq;
    cmb_system *system = rail_system(ctx, &rail, &eq);
    run(ctx, system, cmb_method_name(cmb_method_at(i)), 1e-7, 20 * pi, &log);
    int level = 0, side = 0;
    for (int k = 0; k < log.count; k++) {
      if (log.events[k].index == 0) {
        cmbt_near(log.events[k].t, ++side * pi, 1e-4);
        continue;
      }
      double expected = (level % 2 ? pi - up : up) + level / 2 * 2 * pi;
      cmbt_near(log.events[k].t, expected, 2e-3); /* x' is 0.014 there: 1e-6 in x is 1e-4 in t */
      assert_int_equal(log.events[k].direction, level % 2 ? -1 : 1);
      level++;
    }
    assert_int_equal(level, 20);
    assert_in_range(side, 19, 20); /* the last one is at t_end */
    cmb_system_destroy(system);
  }
  cmb_context_destroy(ctx);
}

/* Checks two functions with the same zeros, and two with zeros shifted by `apart`: all zeros are found, in order. */
static void test_simultaneous_zeros(void **state)
{
  (void)state;
  static struct log log;
  const double gaps[] = {0, 1e-3, 1e-6, 1e-9};
  cmb_context *ctx = cmb_context_create(NULL);
  for (int i = 0; i < cmb_method_count(); i++) {
    if (!cmbt_is_precise(cmb_method_at(i))) continue;
    for (int g = 0; g < 4; g++) {
      const struct rail rail = {.w1 = 2, .w2 = 2, .level = 100, .apart = gaps[g], .ns = 3};
      cmb_equations eq;
      cmb_system *system = rail_system(ctx, &rail, &eq);
      run(ctx, system, cmb_method_name(cmb_method_at(i)), 1e-11, 20.7, &log);
      int count[3] = {0, 0, 0};
      for (int k = 0; k < log.count; k++) {
        int f = log.events[k].index;
        double zero = rail_zero(&rail, ++count[f]);
        cmbt_near(log.events[k].t, f == 2 ? zero - atan(2 * gaps[g]) / 2 : zero, 1e-9);
      }
      assert_int_equal(count[0], 13);
      assert_int_equal(count[1], 0);
      assert_int_equal(count[2], 13);
      cmb_system_destroy(system);
    }
  }
  cmb_context_destroy(ctx);
}

/* ---- a mass with one switching function of time, velocity or mode */

struct watch {
  int kind; /* 0: s = (t − at)² − 1e-6, 1: s = at − t, 2: s = v with v̇ = −mode, 3: s = −1 and f = 1 + mode */
  double at;
};

static cmb_status watch_evaluate(const void *self, const cmb_point *at, const cmb_terms *want)
{
  const struct watch *w = self;
  if (want->M) want->M[0] = 1;
  if (want->f) want->f[0] = w->kind == 2 ? -at->mode[0] : w->kind == 3 ? 1 + at->mode[0] : 0;
  if (want->g) want->g[0] = at->q[0];
  if (want->G) want->G[0] = 1;
  if (want->gt) want->gt[0] = 0;
  if (want->gamma) want->gamma[0] = 0;
  return CMB_OK;
}

static cmb_status watch_switches(const void *self, const cmb_point *at, const double *lambda,
                                 double *s)
{
  const struct watch *w = self;
  (void)lambda;
  s[0] = w->kind == 0   ? (at->t - w->at) * (at->t - w->at) - 1e-6
         : w->kind == 1 ? w->at - at->t
         : w->kind == 2 ? at->v[0]
                        : -1;
  return CMB_OK;
}

static cmb_system *watch_system(cmb_context *ctx, const struct watch *w, double t_start,
                                cmb_equations *eq)
{
  const double zero[1] = {0};
  cmb_system *system;
  *eq = (cmb_equations){.name = "watch",
                        .nq = 1,
                        .nv = 1,
                        .ng = w->kind == 3,
                        .ns = 1,
                        .q_names = q_names,
                        .v_names = v_names,
                        .g_names = g_names,
                        .lambda_names = lambda_names,
                        .switch_names = switch_names,
                        .mass_constant = true,
                        .mass_diagonal = true,
                        .self = w,
                        .evaluate = watch_evaluate,
                        .switches = watch_switches};
  cmbt_ok(ctx, cmb_system_create(ctx, eq, t_start, t_start + 1, zero, zero, &system));
  return system;
}

static cmb_status watch_run(cmb_context *ctx, const struct watch *w, double t_start, double step,
                            struct log *log, cmb_result *result)
{
  cmb_equations eq;
  cmb_option_setting fixed = {"steps", "fixed"};
  cmb_system *system = watch_system(ctx, w, t_start, &eq);
  cmb_run_options options = cmb_run_defaults();
  cmb_simulation *sim;
  options.integrator.step = step;
  options.integrator.setting_count = step > 0;
  options.integrator.settings = &fixed;
  options.observer = (cmb_observer){.user = log, .event = on_event};
  log->count = 0;
  cmbt_ok(ctx, cmb_simulation_create(ctx, system, &options, &sim));
  cmb_status status = cmb_simulation_start(sim);
  *result = *cmb_simulation_result(sim);
  if (w->kind == 3)
    cmbt_near(result->lambda[0], 0, 0); /* f = 1 + mode is 0 with the right mode, −1 */
  if (status == CMB_OK) status = cmb_simulation_run(sim);
  cmb_simulation_destroy(sim);
  cmb_system_destroy(system);
  return status;
}

/* Checks functions that are negative for 2 ms, at many times within steps of 0.1 s. */
static void test_short_excursions_anywhere(void **state)
{
  (void)state;
  static struct log log;
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_result result;
  for (double at = 0.4025; at < 0.6; at += 0.0013) {
    const struct watch w = {0, at};
    cmbt_ok(ctx, watch_run(ctx, &w, 0, 0.1, &log, &result));
    if (log.count != 2) fail_msg("a dip at t = %.4f: %d events", at, log.count);
    cmbt_near(log.events[0].t, at - 1e-3, 1e-12);
    cmbt_near(log.events[1].t, at + 1e-3, 1e-12);
  }
  cmb_context_destroy(ctx);
}

/* Checks zeros a few units in the last place before the end, and a start where the sign of the function is not the one assumed first. */
static void test_start_and_end(void **state)
{
  (void)state;
  static struct log log;
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_result result;
  for (int k = 1; k < 40; k++) {
    const struct watch w = {1, 1 - k * 1.2e-16};
    cmbt_ok(ctx, watch_run(ctx, &w, 0, 0, &log, &result));
    cmbt_below(log.count, 1);
  }
  const struct watch negative = {3, 0};
  cmbt_ok(ctx, watch_run(ctx, &negative, 0, 0, &log, &result));
  assert_int_equal(log.count, 0);
  cmb_context_destroy(ctx);
}

/* Checks that a force law which drives its own switching function to zero from both sides ends the run with an error, also at t = 0. */
static void test_chattering(void **state)
{
  (void)state;
  static struct log log;
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_result result;
  const struct watch w = {2, 0};
  for (int k = 0; k < 2; k++) {
    assert_int_equal(watch_run(ctx, &w, k, 0, &log, &result), CMB_ERROR_EVENTS);
    assert_non_null(strstr(cmb_last_error(ctx), "t = "));
  }
  cmb_context_destroy(ctx);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_lowest_point),
      cmocka_unit_test(test_mode),
      cmocka_unit_test(test_short_excursion),
      cmocka_unit_test(test_simultaneous_zeros),
      cmocka_unit_test(test_short_excursions_anywhere),
      cmocka_unit_test(test_start_and_end),
      cmocka_unit_test(test_chattering),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
