/*
 * Observed orders of convergence with fixed steps, for every method, on the car axis and the pendulum, with
 * projection after each step and without (the half-explicit methods keep their velocities by themselves).
 *
 * The error is the root mean square over points along the trajectory, against references that do not use
 * the library; a single end point would show the zeros of the error rather than its order. For mdop853 the
 * pendulum only falls from 2 rad to about the lowest point: over whole swings the symmetry of the motion
 * cancels its leading error term, and anything from 1 to 14 is observed between neighbouring step sizes.
 */
#include "check.h"
#include "reference.h"

#include <camber/camber.h>
#include <stdio.h>

enum { LEVELS = 3 };

struct problem {
  const char *name;
  double t_end;
  int points; /* sections of the interval; the error is measured at the end of each */
  cmb_setting setting;
  void (*at)(double t, double *q, double *v, double *lambda);
};

struct expected {
  const char *method;
  int problem[2];
  int steps[2][LEVELS];            /* per problem: steps in a section */
  double order, tolerance;         /* of q and v */
  double lambda, lambda_tolerance; /* order of λ; 0: not looked at */
};

static void pendulum_at(double t, double *q, double *v, double *lambda)
{
  cmbt_pendulum_at(1, 9.81, 2, t, q, v, lambda);
}

enum { CARAXIS, SWINGS, FALL };

static const struct problem problems[] = {
    [CARAXIS] = {"caraxis", 3, 24, {"h", 0.1}, cmbt_caraxis_at},
    [SWINGS] = {"pendulum", 5, 24, {"angle", 2}, pendulum_at},
    [FALL] = {"pendulum", 0.6, 4, {"angle", 2}, pendulum_at},
};

static const struct expected methods[] = {
    {"mdop5", {CARAXIS, SWINGS}, {{30, 60, 120}, {20, 40, 80}}, 5, 0.2, 5, 0.2},
    {"mdop853", {CARAXIS, FALL}, {{8, 12, 16}, {3, 4, 5}}, 8, 0.3, 0, 0},
    {"hem5", {CARAXIS, SWINGS}, {{40, 80, 160}, {20, 40, 80}}, 5, 0.2, 3, 0.2},
    {"phem56", {CARAXIS, SWINGS}, {{20, 40, 80}, {20, 40, 80}}, 5, 0.2, 5, 0.2},
};

struct squares {
  double q, v, lambda;
};

static double distance2(int n, const double *x, const double *y)
{
  double sum = 0;
  for (int i = 0; i < n; i++) sum += (x[i] - y[i]) * (x[i] - y[i]);
  return sum;
}

struct comparison {
  const struct problem *problem;
  const cmb_equations *eq;
  struct squares sum;
  int points;
};

static cmb_status compare(cmb_integrator *in, struct comparison *c)
{
  double q[8], v[8], lambda[4];
  c->problem->at(cmb_integrator_t(in), q, v, lambda);
  c->sum.q += distance2(c->eq->nq, q, cmb_integrator_q(in));
  c->sum.v += distance2(c->eq->nv, v, cmb_integrator_v(in));
  c->sum.lambda += distance2(c->eq->ng, lambda, cmb_integrator_lambda(in));
  c->points++;
  return CMB_OK;
}

/* Errors of q, v, λ with `steps` steps in each section. */
static struct squares errors(cmb_context *ctx, const struct problem *problem, const char *method,
                             const char *projection, int steps)
{
  cmb_option_setting settings[] = {{"steps", "fixed"}, {"projection", projection}};
  cmb_integrator_options options = cmb_integrator_defaults();
  options.step = problem->t_end / problem->points / steps;
  options.setting_count = 2;
  options.settings = settings;
  cmb_system *system;
  cmb_integrator *in;
  cmbt_ok(ctx,
          cmb_problem_create(ctx, cmb_problem_find(problem->name), 1, &problem->setting, &system));
  struct comparison c = {.problem = problem, .eq = cmb_system_equations(system)};
  cmbt_ok(ctx, cmb_integrator_create(ctx, c.eq, cmb_method_find(method), &options, &in));
  cmbt_ok(ctx, cmb_integrator_begin(in, 0, cmb_system_q(system), cmb_system_v(system)));
  for (int k = 1; k <= problem->points; k++) {
    double t = problem->t_end * k / problem->points;
    while (cmb_integrator_t(in) < t) cmbt_ok(ctx, cmb_integrator_step(in, t));
    cmbt_ok(ctx, compare(in, &c));
  }
  assert_int_equal(cmb_integrator_statistics(in)->accepted, problem->points * steps);
  cmb_integrator_destroy(in);
  cmb_system_destroy(system);
  return (struct squares){sqrt(c.sum.q / c.points), sqrt(c.sum.v / c.points),
                          sqrt(c.sum.lambda / c.points)};
}

static double slope(double coarse, double fine, int steps_coarse, int steps_fine)
{
  return log(coarse / fine) / log((double)steps_fine / steps_coarse);
}

static void check_orders(cmb_context *ctx, const struct expected *m, int p, const char *projection)
{
  const struct problem *problem = &problems[m->problem[p]];
  const int *steps = m->steps[p];
  struct squares e[LEVELS];
  for (int k = 0; k < LEVELS; k++) e[k] = errors(ctx, problem, m->method, projection, steps[k]);
  int a = steps[LEVELS - 2], b = steps[LEVELS - 1];
  const struct squares *coarse = &e[LEVELS - 2], *fine = &e[LEVELS - 1];
  double q = slope(coarse->q, fine->q, a, b), v = slope(coarse->v, fine->v, a, b);
  double lambda = slope(coarse->lambda, fine->lambda, a, b);
  printf("%-9s %-8s projection=%-8s order q %.2f, v %.2f, lambda %.2f (errors %.1e, %.1e, %.1e)\n",
         problem->name, m->method, projection, q, v, lambda, fine->q, fine->v, fine->lambda);
  cmbt_near(q, m->order, m->tolerance);
  cmbt_near(v, m->order, m->tolerance);
  if (m->lambda > 0) cmbt_near(lambda, m->lambda, m->lambda_tolerance);
}

static void check_method(const struct expected *m)
{
  cmb_context *ctx = cmb_context_create(NULL);
  for (int p = 0; p < 2; p++) {
    check_orders(ctx, m, p, "every");
    check_orders(ctx, m, p, "none");
  }
  cmb_context_destroy(ctx);
}

static void test_mdop5(void **state)
{
  (void)state;
  check_method(&methods[0]);
}

static void test_mdop853(void **state)
{
  (void)state;
  check_method(&methods[1]);
}

static void test_hem5(void **state)
{
  (void)state;
  check_method(&methods[2]);
}

static void test_phem56(void **state)
{
  (void)state;
  check_method(&methods[3]);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_mdop5),
      cmocka_unit_test(test_mdop853),
      cmocka_unit_test(test_hem5),
      cmocka_unit_test(test_phem56),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
