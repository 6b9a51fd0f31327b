/*
 * Events with known times, for every method: all found, each at its time, in the right direction.
 *
 * - the pendulum through its lowest point, 100 crossings, times from the complete elliptic integral;
 * - a mass on a rail between two springs of different stiffness, which switches the mode: times exactly;
 *   two functions that switch at the same time, two that switch very close together, and one that dips
 *   below zero and comes back inside a single step.
 */
#include "check.h"
#include "reference.h"

#include <camber/camber.h>
#include <stdio.h>
#include <string.h>

enum { MOST_EVENTS = 2000 };

struct log {
  cmb_event events[MOST_EVENTS];
  int count;
};

static cmb_status keep(void *user, const cmb_event *event)
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
  options.observer = (cmb_observer){.user = log, .event = keep};
  log->count = 0;
  cmbt_ok(ctx, cmb_simulation_create(ctx, system, &options, &sim));
  cmbt_ok(ctx, cmb_simulation_run(sim));
  assert_int_equal(cmb_simulation_result(sim)->events, log->count);
  cmb_simulation_destroy(sim);
}

/* Times T/4 + k T/2, direction falling first; the largest error. */
static double crossings(cmb_context *ctx, const char *method, double angle, double rtol,
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

/* The times carry the error of the trajectory, which grows with the amplitude and is 1e-8 at 1 rad and
 * rtol 1e-10; there a tighter tolerance shows that the location itself is not the limit. */
static void test_lowest_point(void **state)
{
  (void)state;
  static struct log log;
  cmb_context *ctx = cmb_context_create(NULL);
  for (int i = 0; i < cmb_method_count(); i++) {
    const char *method = cmb_method_name(cmb_method_at(i));
    double small = crossings(ctx, method, 0.1, 1e-10, &log);
    double large = crossings(ctx, method, 1, 1e-12, &log);
    printf("%-8s 100 crossings, largest error %.1e s (0.1 rad), %.1e s (1 rad, rtol 1e-12)\n",
           method, small, large);
    cmbt_below(small, 1e-9);
    cmbt_below(large, 2e-9);
  }
  cmb_context_destroy(ctx);
}

/* ---- the mass on a rail: x'' = −w1² x for x > 0, −w2² x for x < 0; y = 0 by constraint ---- */

struct rail {
  double w1, w2;
  double level, apart; /* further functions: x − level, and the first again, shifted in time */
  int ns;
};

static cmb_status rail_evaluate(const void *self, const cmb_point *at, const cmb_terms *want)
{
  const struct rail *p = self;
  double w = at->mode[0] > 0 ? p->w1 : p->w2; /* the mode decides, not x */
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
  const double q[2] = {0, 0}, v[2] = {1, 0}; /* begins exactly on the switch, going up */
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

/* The k-th zero of x, k = 1, 2 ...: half periods alternate. */
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

/* With w1 = w2 = 1: x = sin t. The level 0.9999 is passed upwards at asin(level) and downwards 0.028 later, far
 * inside a step of mdop853 at a loose tolerance. */
static void test_dip(void **state)
{
  (void)state;
  static struct log log;
  const struct rail rail = {.w1 = 1, .w2 = 1, .level = 0.9999, .ns = 2};
  const double pi = acos(-1.0), up = asin(rail.level);
  cmb_context *ctx = cmb_context_create(NULL);
  for (int i = 0; i < cmb_method_count(); i++) {
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
      cmbt_near(log.events[k].t, expected, 2e-3); /* the level is grazed: 1e-6 in x is 1e-4 in t */
      assert_int_equal(log.events[k].direction, level % 2 ? -1 : 1);
      level++;
    }
    assert_int_equal(level, 20);
    assert_in_range(side, 19, 20); /* the last one falls on t_end */
    cmb_system_destroy(system);
  }
  cmb_context_destroy(ctx);
}

/* Two functions with the same zeros, and two whose zeros are `apart`: none lost, order kept. */
static void test_together(void **state)
{
  (void)state;
  static struct log log;
  const double gaps[] = {0, 1e-3, 1e-6, 1e-9};
  cmb_context *ctx = cmb_context_create(NULL);
  for (int i = 0; i < cmb_method_count(); i++) {
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

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_lowest_point),
      cmocka_unit_test(test_mode),
      cmocka_unit_test(test_dip),
      cmocka_unit_test(test_together),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
