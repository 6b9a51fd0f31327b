/*
 * Observed orders of convergence of bdf, radau5 and radau with fixed steps, for all forms of the equations they can use, on the circular
 * track (T ≠ I), the falling pendulum and the first oscillations of the car axis. Errors are root mean squares over points along the
 * trajectory, against solutions that do not use the library.
 *
 * Known results: bdf of order k has the order k in q, v and λ in index 1, 2, ggl, and in index 3 with equal steps (Brenan, Campbell,
 * Petzold, §3.2). Radau IIA with three stages has 5, 3, 2 in q, v, λ of index 3 (Hairer, Lubich, Roche 1989), 5, 5, 3 with ggl, as in
 * index 2, and 5 in all of index 1; with s stages 2 s − 1 replaces 5, s replaces 3 and s − 1 replaces 2. If positions and velocities are
 * projected and λ is computed from them, all three have the order of q.
 */
#include "check.h"
#include "fixed_steps.h"
#include "reference.h"

#include <stdio.h>

/* Starts at rest, with the angle t (1 − exp(−5 t)) of a point on the unit circle that a force of 10 pushes outwards. */
static void track_at(double t, double *q, double *v, double *lambda)
{
  const double fading = exp(-5 * t), angle = t * (1 - fading), speed = 1 - fading + 5 * t * fading;
  q[0] = cos(angle), q[1] = sin(angle), q[2] = angle;
  v[0] = -speed * q[1], v[1] = speed * q[0];
  lambda[0] = (10 + speed * speed) / 2;
}

static const struct cmbt_trajectory track = {"circular-track", 2, 8, {"m", 1}, track_at};
static const struct cmbt_trajectory axis = {"caraxis", 0.3, 6, {"h", 0.1}, cmbt_caraxis_at};

/* The same trajectory in a single section, for larger steps. */
static const struct cmbt_trajectory axis_at_once = {"caraxis", 0.3, 1, {"h", 0.1}, cmbt_caraxis_at};

enum { PROBLEMS = 3, OPTIONS = 3 };

typedef const struct cmbt_trajectory *problem_list[PROBLEMS];

static const problem_list problems = {&track, &cmbt_pendulum_fall, &axis},
                          at_once = {&track, &cmbt_pendulum_fall, &axis_at_once};

struct expected {
  cmb_option_setting settings[OPTIONS]; /* the last may be empty */
  double q, v, lambda;                  /* orders; 0: not checked */
  int coarse[PROBLEMS]; /* number of large steps in a section; 0: not on this problem */
  double tolerance;     /* of the iterations */
};

static void check_order(double observed, double order)
{
  if (order > 0) cmbt_near(observed, order, 0.2);
}

/* Checks the orders on problem p with steps of two sizes; `more` is the ratio of their numbers. */
static void check(cmb_context *ctx, const char *method, double more, const struct expected *m,
                  int p)
{
  const struct cmbt_trajectory *problem = more == 2 ? problems[p] : at_once[p];
  const int steps[2] = {m->coarse[p], (int)lround(more * m->coarse[p])};
  const int count = m->settings[OPTIONS - 1].name ? OPTIONS : OPTIONS - 1;
  struct cmbt_errors e[2];
  if (steps[0] == 0) return;
  for (int k = 0; k < 2; k++) {
    e[k] = cmbt_fixed_errors(ctx, problem, method, count, m->settings, m->tolerance, steps[k]);
  }
  const struct cmbt_errors order = cmbt_orders(e[0], e[1], steps[0], steps[1]);
  printf("%-14s %-6s", problem->name, method);
  for (int k = 0; k < count; k++) printf(" %s=%-6s", m->settings[k].name, m->settings[k].value);
  printf(" order q %.2f, v %.2f, lambda %.2f (errors %.1e, %.1e, %.1e)\n", order.q, order.v,
         order.lambda, e[1].q, e[1].v, e[1].lambda);
  check_order(order.q, m->q);
  check_order(order.v, m->v);
  check_order(order.lambda, m->lambda);
}

static void check_all(const char *method, double more, int count, const struct expected *rows)
{
  cmb_context *ctx = cmb_context_create(NULL);
  for (int i = 0; i < count; i++) {
    for (int p = 0; p < PROBLEMS; p++) check(ctx, method, more, &rows[i], p);
  }
  cmb_context_destroy(ctx);
}

static void test_bdf(void **state)
{
  (void)state;
  static const struct expected rows[] = {
      {{{"form", "ggl"}, {"order", "1"}}, 1, 1, 1, {160, 40, 160}, 1e-11},
      {{{"form", "ggl"}, {"order", "2"}}, 2, 2, 2, {40, 40, 40}, 1e-11},
      {{{"form", "ggl"}, {"order", "3"}}, 3, 3, 3, {20, 40, 40}, 1e-11},
      {{{"form", "ggl"}, {"order", "4"}}, 4, 4, 4, {20, 20, 20}, 1e-11},
      {{{"form", "ggl"}, {"order", "5"}}, 5, 5, 0, {60, 0, 0}, 1e-13},
      {{{"form", "ggl"}, {"order", "5"}}, 5, 5, 5, {0, 20, 20}, 1e-12},
      {{{"form", "index3"}, {"order", "2"}}, 2, 2, 2, {40, 40, 40}, 1e-11},
      {{{"form", "index3"}, {"order", "4"}}, 4, 4, 4, {0, 20, 20}, 1e-12},
      {{{"form", "index2"}, {"order", "2"}}, 2, 2, 2, {40, 40, 40}, 1e-11},
      {{{"form", "index2"}, {"order", "3"}}, 3, 3, 3, {40, 40, 40}, 1e-11},
      {{{"form", "index1"}, {"order", "2"}}, 2, 2, 2, {160, 40, 40}, 1e-11},
      {{{"form", "index1"}, {"order", "4"}}, 4, 4, 4, {80, 40, 40}, 1e-11},
  };
  check_all("bdf", 2, sizeof rows / sizeof *rows, rows);
}

static void test_radau5(void **state)
{
  (void)state;
  static const struct expected rows[] = {
      {{{"form", "index3"}, {"projection", "none"}}, 5, 3, 2, {0, 0, 10}, 1e-13},
      {{{"form", "index3"}, {"projection", "none"}}, 0, 3, 2, {10, 20, 0}, 1e-13},
      {{{"form", "index3"}, {"projection", "every"}}, 5, 5, 5, {0, 0, 8}, 1e-12},
      {{{"form", "ggl"}, {"projection", "none"}}, 5, 5, 3, {16, 0, 16}, 1e-13},
      {{{"form", "ggl"}, {"projection", "none"}}, 0, 5, 3, {0, 12, 0}, 1e-12},
      {{{"form", "ggl"}, {"projection", "every"}}, 5, 5, 5, {16, 0, 16}, 1e-13},
      {{{"form", "index1"}, {"projection", "none"}}, 5, 5, 5, {0, 0, 16}, 1e-13},
      {{{"form", "index1"}, {"projection", "every"}}, 5, 5, 5, {16, 0, 16}, 1e-13},
  };
  check_all("radau5", 2, sizeof rows / sizeof *rows, rows);
}

/* Checks radau with few and large steps, so that errors are above rounding; order 13 is checked for positions only (test_radau_orders.c checks
 * more). */
static void test_radau(void **state)
{
  (void)state;
#define RADAU(form, projection, order)                                                             \
  {                                                                                                \
    {"form", form}, {"projection", projection},                                                    \
    {                                                                                              \
      "order", order                                                                               \
    }                                                                                              \
  }
  static const struct expected rows[] = {
      {RADAU("index3", "none", "9"), 9, 0, 0, {0, 0, 12}, 1e-12},
      {RADAU("index3", "none", "9"), 0, 5, 4, {0, 8, 0}, 1e-12},
      {RADAU("index3", "every", "9"), 9, 9, 9, {0, 0, 20}, 1e-12},
      {RADAU("ggl", "none", "9"), 9, 9, 0, {0, 0, 16}, 1e-12},
      {RADAU("ggl", "none", "9"), 0, 0, 5, {0, 8, 0}, 1e-12},
      {RADAU("ggl", "every", "9"), 9, 9, 0, {0, 0, 16}, 1e-12},
      {RADAU("index1", "none", "9"), 9, 9, 0, {0, 0, 16}, 1e-12},
      {RADAU("index1", "every", "9"), 9, 9, 0, {0, 0, 16}, 1e-12},
      {RADAU("ggl", "none", "13"), 13, 0, 0, {0, 0, 8}, 1e-12},
      {RADAU("ggl", "every", "13"), 13, 0, 0, {0, 0, 8}, 1e-12},
  };
  check_all("radau", 1.5, sizeof rows / sizeof *rows, rows);
}

/* Checks 640 steps of equal size: that the iteration converged fast once says little about it hundreds of steps later, and what remains of its
 * increments has to stay below the tolerance. With order 5 errors grow from step to step if too much remains. */
static void test_bdf_many_equal_steps(void **state)
{
  (void)state;
  static const char *const forms[] = {"ggl", "index2", "index1"};
  const struct cmbt_trajectory fall = {"pendulum", 0.6, 1, {"angle", 2}, cmbt_pendulum_fall.at};
  const double tolerance = 1e-10;
  cmb_context *ctx = cmb_context_create(NULL);
  for (int i = 0; i < 3; i++) {
    const cmb_option_setting settings[] = {{"form", forms[i]}, {"order", "5"}};
    struct cmbt_errors e = cmbt_fixed_errors(ctx, &fall, "bdf", 2, settings, tolerance, 640);
    printf("640 equal steps, %s: errors %.1e, %.1e, %.1e\n", forms[i], e.q, e.v, e.lambda);
    cmbt_below(e.q, 10 * tolerance);
    cmbt_below(e.v, 100 * tolerance); /* speeds are up to 5 */
  }
  cmb_context_destroy(ctx);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_bdf),
      cmocka_unit_test(test_radau5),
      cmocka_unit_test(test_radau),
      cmocka_unit_test(test_bdf_many_equal_steps),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
