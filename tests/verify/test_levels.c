/*
 * Checks levels of a staircase function: x'' = −floor(x) − 1/2 with the constraint y = 0. Between two levels the motion is a parabola, so that
 * the exact solution is composed of solutions of quadratic equations: times and directions of all changes and the final state, for every
 * method; starts inside an interval and at its ends; a level that is only just reached; searches for the level at the end of an interval.
 */
#include "check.h"
#include "methods.h"

#include "base/arena.h"
#include "dae/modes.h"

#include <camber/camber.h>
#include <math.h>
#include <stdio.h>

enum { MOST_EVENTS = 400 };

struct log {
  double t[MOST_EVENTS];
  int direction[MOST_EVENTS];
  int count;
};

/* ---- the exact solution */

struct flight {
  long double t, x, v;
  int n; /* x is in [n, n + 1] */
};

static long double force(int n)
{
  return -n - 0.5L;
}

/* Returns the time until x = at for the first time; INFINITY if never. A root that is nearly 0 does not count. */
static long double time_to(const struct flight *f, long double at)
{
  long double a = force(f->n) / 2, b = f->v, c = f->x - at, root = INFINITY;
  long double square = b * b - 4 * a * c;
  if (square < 0) return INFINITY;
  for (int sign = -1; sign <= 1; sign += 2) {
    long double s = (-b + (long double)sign * sqrtl(square)) / (2 * a);
    if (s > 1e-12L && s < root) root = s;
  }
  return root;
}

static void move(struct flight *f, long double s)
{
  long double a = force(f->n);
  f->x += s * (f->v + a * s / 2);
  f->v += s * a;
  f->t += s;
}

static void fly(struct flight *f, double t_end, struct log *log)
{
  log->count = 0;
  for (;;) {
    long double down = time_to(f, f->n), up = time_to(f, f->n + 1.0L), s = fminl(down, up);
    if (f->t + s > t_end) {
      move(f, t_end - f->t);
      return;
    }
    move(f, s);
    int direction = up < down ? 1 : -1;
    f->x = direction > 0 ? f->n + 1 : f->n;
    f->n += direction;
    log->t[log->count] = (double)f->t;
    log->direction[log->count++] = direction;
  }
}

/* ---- the equations */

static cmb_status evaluate(const void *self, const cmb_point *at, const cmb_terms *want)
{
  (void)self;
  if (want->M) want->M[0] = want->M[1] = 1;
  if (want->f) want->f[0] = (double)force(at->mode[0]), want->f[1] = -9.81;
  if (want->g) want->g[0] = at->q[1];
  if (want->G) want->G[0] = 0, want->G[1] = 1;
  if (want->gt) want->gt[0] = 0;
  if (want->gamma) want->gamma[0] = 0;
  return CMB_OK;
}

static cmb_status switches(const void *self, const cmb_point *at, const double *lambda, double *s)
{
  (void)self;
  (void)lambda;
  double above = at->q[0] - at->mode[0];
  s[0] = fmin(above, 1 - above);
  return CMB_OK;
}

static cmb_status levels(const void *self, const cmb_point *at, const double *lambda, int *mode)
{
  (void)self;
  (void)lambda;
  mode[0] = (int)floor(at->q[0]);
  return CMB_OK;
}

static const char *const q_names[] = {"x", "y"}, *const v_names[] = {"x'", "y'"};
static const char *const g_names[] = {"rail"}, *const lambda_names[] = {"lambda"};
static const char *const switch_names[] = {"floor(x)"};
static const bool is_level[] = {true};

static const cmb_equations staircase = {.name = "staircase",
                                        .nq = 2,
                                        .nv = 2,
                                        .ng = 1,
                                        .ns = 1,
                                        .q_names = q_names,
                                        .v_names = v_names,
                                        .g_names = g_names,
                                        .lambda_names = lambda_names,
                                        .switch_names = switch_names,
                                        .mass_constant = true,
                                        .mass_diagonal = true,
                                        .evaluate = evaluate,
                                        .switches = switches,
                                        .switch_is_level = is_level,
                                        .levels = levels};

static cmb_status on_event(void *user, const cmb_event *event)
{
  struct log *log = user;
  assert_in_range(log->count, 0, MOST_EVENTS - 1);
  assert_string_equal(event->name, "floor(x)");
  log->t[log->count] = event->t;
  log->direction[log->count++] = event->direction;
  return CMB_OK;
}

/* Runs from (x, v), at first in [n, n + 1], and compares with the exact solution. Returns the number of events. */
static int compare(cmb_context *ctx, const cmb_method *method, double x, double v, int n,
                   double t_end, double *worst)
{
  static struct log exact, found;
  struct flight f = {0, x, v, n};
  const double q0[2] = {x, 0}, v0[2] = {v, 0};
  cmb_system *system;
  cmb_simulation *sim;
  cmb_run_options options = cmb_run_defaults();
  options.method = method;
  options.observer = (cmb_observer){.user = &found, .event = on_event};
  found.count = 0;
  fly(&f, t_end, &exact);
  cmbt_ok(ctx, cmb_system_create(ctx, &staircase, 0, t_end, q0, v0, &system));
  cmbt_ok(ctx, cmb_simulation_create(ctx, system, &options, &sim));
  cmbt_ok(ctx, cmb_simulation_run(sim));
  const cmb_result *r = cmb_simulation_result(sim);
  assert_int_equal(found.count, exact.count);
  *worst = fmax(fabs(r->q[0] - (double)f.x), fabs(r->v[0] - (double)f.v));
  for (int k = 0; k < exact.count; k++) {
    assert_int_equal(found.direction[k], exact.direction[k]);
    *worst = fmax(*worst, fabs(found.t[k] - exact.t[k]));
  }
  cmb_simulation_destroy(sim);
  cmb_system_destroy(system);
  return exact.count;
}

/* Returns the limit of the error. The parabolas are exact for every method but bdf, which begins with order 1 after each change; what
 * remains is rounding, which grows with each change of level. */
static double limit(const cmb_method *method)
{
  return cmbt_is(method, "bdf") ? 1e-3 : 1e-9;
}

static void test_staircase(void **state)
{
  (void)state;
  static const struct {
    double x, v;
    int n;
    double t_end;
  } cases[] = {
      {0.25, 4.7, 0, 40},  /* five levels up and down, many times */
      {0.25, -4.7, 0, 40}, /* in the other direction, through negative numbers */
      {3, -1, 2, 20},      /* starts with decreasing x where an interval ends: no change there */
      {-3, 1, -3, 20},     /* the same with increasing x */
      {0.5, 0, 0, 12},     /* from rest */
  };
  cmb_context *ctx = cmb_context_create(NULL);
  for (int i = 0; i < cmb_method_count(); i++) {
    const cmb_method *method = cmb_method_at(i);
    if (cmb_method_is_real_time(method)) continue; /* levels change at the ends of steps only */
    for (int k = 0; k < (int)(sizeof cases / sizeof cases[0]); k++) {
      double worst;
      int count = compare(ctx, method, cases[k].x, cases[k].v, cases[k].n, cases[k].t_end, &worst);
      printf("%-8s x = %g, v = %g: %d changes of level, largest error %.1e\n",
             cmb_method_name(method), cases[k].x, cases[k].v, count, worst);
      assert_true(count >= 4);
      cmbt_below(worst, limit(method));
    }
  }
  cmb_context_destroy(ctx);
}

/* Checks that x which rises above 1 by 1e-7 and falls back within 1e-3 s gives two changes of level, inside a far longer step. */
static void test_level_just_reached(void **state)
{
  (void)state;
  cmb_context *ctx = cmb_context_create(NULL);
  for (int i = 0; i < cmb_method_count(); i++) {
    double worst, v = sqrt(2 * 0.5 * (0.75 + 1e-7));
    if (cmb_method_is_real_time(cmb_method_at(i))) continue;
    int count = compare(ctx, cmb_method_at(i), 0.25, v, 0, 2.5, &worst);
    assert_int_equal(count, 2);
    cmbt_below(worst, limit(cmb_method_at(i)));
  }
  cmb_context_destroy(ctx);
}

/* Levels that do not change with x and so become wrong: the run has to end with an error, not in an endless loop. */
static cmb_status constant_levels(const void *self, const cmb_point *at, const double *lambda,
                                  int *mode)
{
  (void)self;
  (void)at;
  (void)lambda;
  mode[0] = 0;
  return CMB_OK;
}

static void test_wrong_levels(void **state)
{
  (void)state;
  const double q0[2] = {0.25, 0}, v0[2] = {3, 0};
  cmb_equations eq = staircase;
  eq.levels = constant_levels;
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_run_options options = cmb_run_defaults();
  cmb_system *system;
  cmb_simulation *sim;
  cmbt_ok(ctx, cmb_system_create(ctx, &eq, 0, 5, q0, v0, &system));
  cmbt_ok(ctx, cmb_simulation_create(ctx, system, &options, &sim));
  assert_int_equal(cmb_simulation_run(sim), CMB_ERROR_EVENTS);
  assert_int_equal(cmb_simulation_result(sim)->events, 0);
  cmb_simulation_destroy(sim);
  cmb_system_destroy(system);
  cmb_context_destroy(ctx);
}

/* Checks searches for the level one after the other, each at a whole number x that is left at once with the velocity v, from another level: the
 * level is that of the motion a moment later, whatever the search before has found. */
static void test_searches_at_edges(void **state)
{
  (void)state;
  static const struct {
    double x, v;
    int before, level;
  } cases[] = {{1, 1, 0, 1}, {3, -1, 1, 2},  {3, 1, 2, 3},   {3, -1, 3, 2},
               {5, 1, 0, 5}, {0, -1, 5, -1}, {0.5, 1, 7, 0}, {-2, 1, 3, -2}};
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_arena *arena = cmb_arena_create(ctx);
  cmb_evaluator *ev;
  cmb_mode_search search;
  cmbt_ok(ctx, cmb_evaluator_create(ctx, &staircase, &ev));
  cmb_mode_search_create(&search, arena, &staircase);
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    const double q[2] = {cases[k].x, 0}, v[2] = {cases[k].v, 0};
    bool changed;
    ev->mode[0] = cases[k].before;
    cmbt_ok(ctx, cmb_guess_modes(ev, &search, 0, q, v, &changed));
    assert_int_equal(ev->mode[0], cases[k].level);
    assert_true(changed);
  }
  cmb_evaluator_destroy(ev);
  cmb_arena_destroy(arena);
  cmb_context_destroy(ctx);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_staircase),
      cmocka_unit_test(test_level_just_reached),
      cmocka_unit_test(test_wrong_levels),
      cmocka_unit_test(test_searches_at_edges),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
