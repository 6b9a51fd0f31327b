/*
 * The methods with coordinate partitioning: observed orders with fixed steps on the pendulum and the car axis, against references that do
 * not use the library; dense output of stiff components; a top with Euler parameters against smaller steps; agreement with mdop853; errors
 * of abm proportional to the tolerance; changes of the partition in a slider-crank that turns over, and none in small swings.
 */
#include "check.h"
#include "model_run.h"
#include "reference.h"
#include "top.h"

#include "method/partitioned.h"

#include <camber/camber.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 16, MOST_STATES = 64 };

struct problem {
  const char *name;
  double t_end;
  int points; /* sections of the interval; the error is measured at the end of each */
  cmb_setting setting;
  void (*at)(double t, double *q, double *v, double *lambda);
};

static void pendulum_at(double t, double *q, double *v, double *lambda)
{
  cmbt_pendulum_at(1, 9.81, 2, t, q, v, lambda);
}

static const struct problem problems[] = {
    {"caraxis", 3, 24, {"h", 0.1}, cmbt_caraxis_at},
    {"pendulum", 5, 24, {"angle", 2}, pendulum_at},
};

struct expected {
  const char *method;
  double order;
  int steps[2][2]; /* per problem: coarse and fine, in a section */
};

static const struct expected methods[] = {
    {"sdirk4", 4, {{80, 160}, {40, 80}}},
    {"trap", 2, {{80, 160}, {40, 80}}},
    {"forsdirk", 4, {{80, 160}, {40, 80}}},
};

static cmb_integrator_options fixed_steps(double h)
{
  static const cmb_option_setting fixed = {"steps", "fixed"};
  cmb_integrator_options options = cmb_integrator_defaults();
  options.rtol = options.atol = 1e-12; /* tolerance of the iterations */
  options.step = h;
  options.setting_count = 1;
  options.settings = &fixed;
  return options;
}

static double distance2(int n, const double *x, const double *y)
{
  double sum = 0;
  for (int i = 0; i < n; i++) sum += (x[i] - y[i]) * (x[i] - y[i]);
  return sum;
}

/* Computes the root mean squares of the errors of q, v and λ with `steps` steps in each section. */
static void errors(cmb_context *ctx, const struct problem *problem, const char *method, int steps,
                   double error[3])
{
  const cmb_integrator_options options = fixed_steps(problem->t_end / problem->points / steps);
  cmb_system *system;
  cmb_integrator *in;
  cmbt_ok(ctx,
          cmb_problem_create(ctx, cmb_problem_find(problem->name), 1, &problem->setting, &system));
  const cmb_equations *eq = cmb_system_equations(system);
  cmbt_ok(ctx, cmb_integrator_create(ctx, eq, cmb_method_find(method), &options, &in));
  cmbt_ok(ctx, cmb_integrator_begin(in, 0, cmb_system_q(system), cmb_system_v(system)));
  error[0] = error[1] = error[2] = 0;
  for (int k = 1; k <= problem->points; k++) {
    double t = problem->t_end * k / problem->points, q[MOST], v[MOST], lambda[MOST];
    while (cmb_integrator_t(in) < t) cmbt_ok(ctx, cmb_integrator_step(in, t));
    problem->at(t, q, v, lambda);
    error[0] += distance2(eq->nq, q, cmb_integrator_q(in));
    error[1] += distance2(eq->nv, v, cmb_integrator_v(in));
    error[2] += distance2(eq->ng, lambda, cmb_integrator_lambda(in));
  }
  for (int i = 0; i < 3; i++) error[i] = sqrt(error[i] / problem->points);
  cmb_integrator_destroy(in);
  cmb_system_destroy(system);
}

static void test_orders(void **state)
{
  (void)state;
  cmb_context *ctx = cmb_context_create(NULL);
  for (int m = 0; m < 3; m++) {
    const struct expected *e = &methods[m];
    for (int p = 0; p < 2; p++) {
      double coarse[3], fine[3];
      errors(ctx, &problems[p], e->method, e->steps[p][0], coarse);
      errors(ctx, &problems[p], e->method, e->steps[p][1], fine);
      double q = log2(coarse[0] / fine[0]), v = log2(coarse[1] / fine[1]),
             lambda = log2(coarse[2] / fine[2]);
      printf("%-9s %-9s order q %.2f, v %.2f, lambda %.2f (errors %.1e, %.1e, %.1e)\n",
             problems[p].name, e->method, q, v, lambda, fine[0], fine[1], fine[2]);
      cmbt_near(q, e->order, 0.2);
      cmbt_near(v, e->order, 0.2);
      cmbt_near(lambda, e->order, 0.2);
    }
  }
  cmb_context_destroy(ctx);
}

/* Evaluates v' = z (v − t²) + 2 t (Prothero and Robinson) with the solution v = t², stiff for large −z. */
static cmb_status stiff_parabola(const void *self, const cmb_point *at, const cmb_terms *want)
{
  const double *z = self;
  if (want->M) want->M[0] = 1;
  if (want->f) want->f[0] = *z * (at->v[0] - at->t * at->t) + 2 * at->t;
  return CMB_OK;
}

/* Checks that inside the steps the dense output of a stiff component has the accuracy 10/|z| that it has at the ends. */
static void test_stiff_dense_output(void **state)
{
  (void)state;
  static const char *const name[] = {"x"}, *const ours[] = {"sdirk4", "forsdirk"};
  const double z = -1e6, h = 0.5, q0 = 0, v0 = 0;
  const cmb_equations eq = {.name = "stiff parabola",
                            .self = &z,
                            .nq = 1,
                            .nv = 1,
                            .q_names = name,
                            .v_names = name,
                            .mass_diagonal = true,
                            .evaluate = stiff_parabola};
  const cmb_integrator_options options = fixed_steps(h);
  cmb_context *ctx = cmb_context_create(NULL);
  for (int m = 0; m < 2; m++) {
    cmb_integrator *in;
    double q, v;
    cmbt_ok(ctx, cmb_integrator_create(ctx, &eq, cmb_method_find(ours[m]), &options, &in));
    cmbt_ok(ctx, cmb_integrator_begin(in, 0, &q0, &v0));
    for (int k = 0; k < 4; k++) {
      cmbt_ok(ctx, cmb_integrator_step(in, 4 * h));
      for (int i = 0; i <= 8; i++) {
        const double t = (k + i / 8.0) * h;
        cmbt_ok(ctx, cmb_integrator_interpolate(in, t, &q, &v));
        cmbt_near(v, t * t, 10 / fabs(z));
      }
    }
    cmb_integrator_destroy(in);
  }
  cmb_context_destroy(ctx);
}

/* Computes the state of the top (Euler parameters, so that q̇ = T v with T ≠ I) at t = 1. */
static void top_end(cmb_context *ctx, const char *method, const cmb_integrator_options *options,
                    double y[13])
{
  const struct cmbt_top top = {
      .mass = 1.5, .height = 0.3, .across = {0.02, 0.03}, .along = 0.015, .gravity = 9.81};
  const double e[4] = {sqrt(0.7), sqrt(0.1), sqrt(0.15), sqrt(0.05)}, omega[3] = {0.5, -1, 7};
  const cmb_equations eq = cmbt_top_equations(&top);
  cmb_integrator *in;
  double q[7], v[6];
  cmbt_top_state(&top, e, omega, q, v);
  cmbt_ok(ctx, cmb_integrator_create(ctx, &eq, cmb_method_find(method), options, &in));
  cmbt_ok(ctx, cmb_integrator_begin(in, 0, q, v));
  while (cmb_integrator_t(in) < 1) cmbt_ok(ctx, cmb_integrator_step(in, 1));
  memcpy(y, cmb_integrator_q(in), 7 * sizeof *y);
  memcpy(y + 7, cmb_integrator_v(in), 6 * sizeof *y);
  cmb_integrator_destroy(in);
}

static void test_order_with_euler_parameters(void **state)
{
  (void)state;
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_integrator_options options = cmb_integrator_defaults();
  double exact[13], y[13];
  options.rtol = options.atol = 1e-13;
  top_end(ctx, "mdop853", &options, exact);
  for (int m = 0; m < 3; m++) {
    double error[2];
    for (int k = 0; k < 2; k++) {
      options = fixed_steps(1.0 / (k ? 400 : 200));
      top_end(ctx, methods[m].method, &options, y);
      error[k] = sqrt(distance2(13, y, exact));
    }
    double order = log2(error[0] / error[1]);
    printf("top       %-9s order %.2f (error %.1e)\n", methods[m].method, order, error[1]);
    cmbt_near(order, methods[m].order, 0.2);
  }
  cmb_context_destroy(ctx);
}

/* Computes q and v at the end of a run with this tolerance; checks that a partitioned method satisfies the constraints to rounding. */
static void end_of(cmb_context *ctx, const char *problem, const char *method, double rtol,
                   double y[MOST])
{
  cmb_run_options options = cmb_run_defaults();
  cmb_system *system;
  cmb_simulation *sim;
  options.method = cmb_method_find(method);
  options.integrator.rtol = options.integrator.atol = rtol;
  options.t_end = 3;
  memset(y, 0, MOST * sizeof *y);
  cmbt_ok(ctx, cmb_problem_create(ctx, cmb_problem_find(problem), 0, NULL, &system));
  cmbt_ok(ctx, cmb_simulation_create(ctx, system, &options, &sim));
  cmbt_ok(ctx, cmb_simulation_run(sim));
  const cmb_equations *eq = cmb_system_equations(system);
  const cmb_result *r = cmb_simulation_result(sim);
  memcpy(y, r->q, (size_t)eq->nq * sizeof *y);
  memcpy(y + eq->nq, r->v, (size_t)eq->nv * sizeof *y);
  if (strcmp(method, "mdop853") != 0) {
    cmbt_below(r->worst_position, 1e-13);
    cmbt_below(r->worst_velocity, 1e-13);
  }
  cmb_simulation_destroy(sim);
  cmb_system_destroy(system);
}

static void test_agreement(void **state)
{
  (void)state;
  static const char *const names[] = {"pendulum", "circular-track", "caraxis"};
  static const struct {
    const char *method;
    double rtol, limit;
  } ours[] = {
      {"sdirk4", 1e-8, 1e-6}, {"forsdirk", 1e-8, 1e-6}, {"abm", 1e-8, 1e-6}, {"trap", 1e-7, 2e-5}};
  cmb_context *ctx = cmb_context_create(NULL);
  for (int p = 0; p < 3; p++) {
    double exact[MOST], y[MOST];
    end_of(ctx, names[p], "mdop853", 1e-12, exact);
    for (int m = 0; m < 4; m++) {
      end_of(ctx, names[p], ours[m].method, ours[m].rtol, y);
      double error = sqrt(distance2(MOST, y, exact));
      printf("%-15s %-9s differs by %.1e\n", names[p], ours[m].method, error);
      cmbt_below(error, ours[m].limit);
    }
  }
  cmb_context_destroy(ctx);
}

static void test_abm_converges(void **state)
{
  (void)state;
  const char *const names[] = {"pendulum", "caraxis"};
  cmb_context *ctx = cmb_context_create(NULL);
  for (int p = 0; p < 2; p++) {
    double exact[MOST], y[MOST], before = 1;
    end_of(ctx, names[p], "mdop853", 1e-13, exact);
    for (int k = 4; k <= 10; k += 2) {
      end_of(ctx, names[p], "abm", pow(10, -k), y);
      double error = sqrt(distance2(MOST, y, exact));
      printf("%-9s abm rtol 1e-%d: error %.1e\n", names[p], k, error);
      cmbt_below(error, 200 * pow(10, -k));
      cmbt_below(error, before / 5);
      before = error;
    }
  }
  cmb_context_destroy(ctx);
}

/* A crank that turns over; a point on a line closes the loop between rod and piston. */
static const char slider_crank[] =
    "parameters: {r: 0.1, l: 0.25}\n"
    "points: {O: [0, 0, 0], A: [r, 0, 0], B: [r + l, 0, 0]}\n"
    "bodies:\n"
    "  crank: {mass: 1, rod: [O, A], radius: 0.01}\n"
    "  rod: {mass: 0.5, rod: [A, B], radius: 0.01}\n"
    "  piston: {mass: 0.7, com: B}\n"
    "joints:\n"
    "  main: {type: revolute, child: crank, at: O, axis: -y, rate: 20}\n"
    "  pin: {type: revolute, parent: crank, child: rod, at: A, axis: -y, rate: -28}\n"
    "  guide: {type: prismatic, child: piston, axis: x}\n"
    "loops: {end: {type: point-line, point: rod@B, on: piston@B, axis: y}}\n"
    "outputs: {x: piston.x, v: piston.vx}\n";

/* Computes the state of the slider-crank at t = 1. Returns how often the partition changed. */
static long turn_over(cmbt_run *r, const char *method, double rtol, double y[MOST_STATES])
{
  cmb_integrator_options options = cmb_integrator_defaults();
  cmb_integrator *in;
  options.rtol = options.atol = rtol;
  cmbt_ok(r->ctx, cmb_integrator_create(r->ctx, r->eq, cmb_method_find(method), &options, &in));
  cmbt_ok(r->ctx, cmb_integrator_begin(in, 0, r->result->q, r->result->v));
  while (cmb_integrator_t(in) < 1) cmbt_ok(r->ctx, cmb_integrator_step(in, 1));
  memcpy(y, cmb_integrator_q(in), (size_t)r->eq->nq * sizeof *y);
  memcpy(y + r->eq->nq, cmb_integrator_v(in), (size_t)r->eq->nv * sizeof *y);
  long count = cmb_integrator_statistics(in)->repartitions;
  cmb_integrator_destroy(in);
  return count;
}

static double worst_difference(int n, const double *x, const double *exact)
{
  double worst = 0;
  for (int i = 0; i < n; i++) worst = fmax(worst, fabs(x[i] - exact[i]) / (1 + fabs(exact[i])));
  return worst;
}

static void test_turning_over(void **state)
{
  (void)state;
  static const struct {
    const char *method;
    double rtol, limit;
  } ours[] = {
      {"sdirk4", 1e-6, 5e-5}, {"forsdirk", 1e-6, 5e-5}, {"abm", 1e-7, 5e-5}, {"trap", 1e-6, 5e-5}};
  for (int f = 0; f < 2; f++) {
    double exact[MOST_STATES], y[MOST_STATES];
    cmbt_run r;
    cmbt_run_open_text(&r, slider_crank, f ? CMB_FORM_CARTESIAN : CMB_FORM_EXPLICIT);
    cmbt_run_start(&r);
    turn_over(&r, "mdop853", 1e-11, exact);
    for (int m = 0; m < 4; m++) {
      long count = turn_over(&r, ours[m].method, ours[m].rtol, y);
      double error = worst_difference(r.eq->nq + r.eq->nv, y, exact);
      printf("slider-crank, nv %d, %-9s %ld changes of the partition, error %.1e\n", r.eq->nv,
             ours[m].method, count, error);
      assert_true(count >= 1);
      cmbt_below(error, ours[m].limit);
    }
    cmbt_run_close(&r);
  }
}

static void test_small_swings(void **state)
{
  (void)state;
  const char *const ours[] = {"sdirk4", "trap", "forsdirk", "abm"};
  cmb_context *ctx = cmb_context_create(NULL);
  const cmb_setting angle = {"angle", 0.2};
  for (int m = 0; m < 4; m++) {
    cmb_integrator_options options = cmb_integrator_defaults();
    cmb_system *system;
    cmb_integrator *in;
    options.rtol = options.atol = 1e-4;
    cmbt_ok(ctx, cmb_problem_create(ctx, cmb_problem_find("pendulum"), 1, &angle, &system));
    cmbt_ok(ctx, cmb_integrator_create(ctx, cmb_system_equations(system), cmb_method_find(ours[m]),
                                       &options, &in));
    cmbt_ok(ctx, cmb_integrator_begin(in, 0, cmb_system_q(system), cmb_system_v(system)));
    while (cmb_integrator_t(in) < 10) cmbt_ok(ctx, cmb_integrator_step(in, 10));
    assert_int_equal(cmb_integrator_statistics(in)->repartitions, 0);
    cmb_integrator_destroy(in);
    cmb_system_destroy(system);
  }
  cmb_context_destroy(ctx);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_orders),
      cmocka_unit_test(test_order_with_euler_parameters),
      cmocka_unit_test(test_agreement),
      cmocka_unit_test(test_abm_converges),
      cmocka_unit_test(test_turning_over),
      cmocka_unit_test(test_small_swings),
      cmocka_unit_test(test_stiff_dense_output),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
