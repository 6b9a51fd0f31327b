/*
 * Observed orders of convergence of bdf and radau5 with fixed steps, in the forms of the equations they can take, on the circular
 * track (T ≠ I), the pendulum and the car axis. Errors are root mean squares over points along the trajectory, against
 * solutions that do not use the library.
 *
 * Known: bdf of order k has k in q, v and λ whatever the index (Brenan, Campbell, Petzold, §3.2). Radau IIA with three stages has
 * (q, v, λ) of orders 5, 3, 2 in index 3 (Hairer, Lubich, Roche, table 1.1); 5, 5, 3 in index 2, so with ggl; 5, 5 in index 1, where λ
 * is that of the step's end.
 */
#include "check.h"
#include "fixed_steps.h"
#include "reference.h"

#include <stdio.h>

/* From rest r = t (1 − exp(−5 t)), the angle of a point on the unit circle that a force of 10 pushes outwards. */
static void track_at(double t, double *q, double *v, double *lambda)
{
  const double fading = exp(-5 * t), angle = t * (1 - fading), speed = 1 - fading + 5 * t * fading;
  q[0] = cos(angle), q[1] = sin(angle), q[2] = angle;
  v[0] = -speed * q[1], v[1] = speed * q[0];
  lambda[0] = (10 + speed * speed) / 2;
}

static const struct cmbt_trajectory track = {"circular-track", 2, 8, {"m", 1}, track_at};

static void axis_at(double t, double *q, double *v, double *lambda)
{
  cmbt_caraxis_at(t, q, v, lambda);
}
static const struct cmbt_trajectory axis = {"caraxis", 0.3, 6, {"h", 0.1}, axis_at};
enum { PROBLEMS = 3, MOST_OPTIONS = 3 };

static const struct cmbt_trajectory *const problems[PROBLEMS] = {&track, &cmbt_pendulum_fall,
                                                                 &axis};

struct expected {
  const char *method;
  cmb_option_setting settings[MOST_OPTIONS];
  double q, v, lambda;    /* orders; 0: not looked at */
  int steps[PROBLEMS][2]; /* in a section: coarse, fine; 0: not on this problem */
};

#define BDF(form, order, a, b, c, d, e, f)                                                         \
  {                                                                                                \
    "bdf", {{"form", form}, {"order", #order}, {"jacobian", "exact"}}, order, order, order,        \
    {                                                                                              \
      {a, b}, {c, d},                                                                              \
      {                                                                                            \
        e, f                                                                                       \
      }                                                                                            \
    }                                                                                              \
  }

static void check(cmb_context *ctx, const struct expected *m, int p)
{
  const double tolerance = 1e-11; /* of the iterations; the errors seen are larger */
  const struct cmbt_trajectory *problem = problems[p];
  const int *steps = m->steps[p];
  if (steps[0] == 0) return;
  struct cmbt_errors e[2];
  for (int k = 0; k < 2; k++) {
    e[k] =
        cmbt_fixed_errors(ctx, problem, m->method, MOST_OPTIONS, m->settings, tolerance, steps[k]);
  }
  const struct cmbt_errors order = cmbt_orders(e[0], e[1], steps[0], steps[1]);
  printf("%-14s %-6s", problem->name, m->method);
  for (int k = 0; k < MOST_OPTIONS; k++)
    printf(" %s=%-8s", m->settings[k].name, m->settings[k].value);
  printf(" %d order q %.2f, v %.2f, lambda %.2f (errors %.1e, %.1e, %.1e)\n", steps[1], order.q,
         order.v, order.lambda, e[1].q, e[1].v, e[1].lambda);
}

#define ALL(form, k) BDF(form, k, 20,40, 20,40, 20,40),BDF(form, k, 40,80, 40,80, 40,80),BDF(form, k, 80,160, 80, 160, 80, 160), BDF(form, k, 160,320, 160, 320, 160, 320)
#define RADAU(form, proj)                                                                          \
  {"radau5", {{"form", form}, {"projection", proj}, {"formalism", "residual"}},                    \
   5,        3,                                                                                    \
   2,        {{5, 10}, {5, 10}, {10, 20}}},                                                        \
      {"radau5", {{"form", form}, {"projection", proj}, {"formalism", "residual"}},                \
       5,        3,                                                                                \
       2,        {{10, 20}, {10, 20}, {20, 40}}},                                                  \
  {                                                                                                \
    "radau5", {{"form", form}, {"projection", proj}, {"formalism", "residual"}}, 5, 3, 2,          \
    {                                                                                              \
      {20, 40}, {20, 40},                                                                          \
      {                                                                                            \
        40, 80                                                                                     \
      }                                                                                            \
    }                                                                                              \
  }
static const struct expected all[] = {ALL("ggl", 1),
                                      ALL("ggl", 2),
                                      ALL("ggl", 3),
                                      ALL("ggl", 4),
                                      ALL("ggl", 5),
                                      ALL("index1", 2),
                                      ALL("index1", 4),
                                      ALL("index2", 2),
                                      ALL("index2", 3),
                                      ALL("index3", 2),
                                      ALL("index3", 4),
                                      RADAU("index3", "none"),
                                      RADAU("index3", "every"),
                                      RADAU("ggl", "none"),
                                      RADAU("ggl", "every"),
                                      RADAU("index1", "none"),
                                      RADAU("index1", "every")};
static void explore(void **state)
{
  (void)state;
  cmb_context *ctx = cmb_context_create(NULL);
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    for (int p = 0; p < PROBLEMS; p++) check(ctx, &all[i], p);
  cmb_context_destroy(ctx);
}
int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(explore)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
