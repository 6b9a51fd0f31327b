/*
 * Tests of consistent initial values and projection (Simeon 1996 eqs. 12, 13): results satisfy the constraints up to rounding and are the
 * nearest ones in the metric of M; the report contains the distances; constraints that cannot be satisfied are named in the message.
 */
#include "check.h"
#include "random.h"

#include "dae/project.h"

#include <camber/camber.h>
#include <string.h>

enum { MOST = 32 };

static double distance(int n, const double *x, const double *y)
{
  double sum = 0;
  for (int i = 0; i < n; i++) sum += (x[i] - y[i]) * (x[i] - y[i]);
  return sqrt(sum);
}

/* Returns |x| of [M Gᵀ; G 0](x, y) = (M d, 0), the part of d along the constraints; 0 for the distance to a nearest point. */
static double tangential(cmb_evaluator *ev, const double *d)
{
  double r[MOST], x[MOST], y[MOST], zero[MOST] = {0};
  cmb_multiply_mass(ev, d, r);
  cmb_solve(ev, r, zero, x, y);
  return distance(ev->eq->nv, x, zero);
}

/* Checks the projection of a problem's start values after a random change by up to `off` in each coordinate and velocity. */
static void check_start(cmb_context *ctx, const cmb_problem *problem, struct cmbt_random *random,
                        double off)
{
  cmb_system *system;
  cmb_evaluator *ev;
  cmb_start_report report;
  double q[MOST], v[MOST], q0[MOST], v0[MOST], a[MOST], lambda[MOST], d[MOST];
  cmbt_ok(ctx, cmb_problem_create(ctx, problem, 0, NULL, &system));
  const cmb_equations *eq = cmb_system_equations(system);
  cmbt_ok(ctx, cmb_evaluator_create(ctx, eq, &ev));
  for (int i = 0; i < eq->nq; i++) {
    q[i] = q0[i] = cmb_system_q(system)[i] + cmbt_random_uniform(random, -off, off);
  }
  for (int i = 0; i < eq->nv; i++) {
    v[i] = v0[i] = cmb_system_v(system)[i] + cmbt_random_uniform(random, -off, off);
  }
  cmbt_ok(ctx, cmb_consistent_start(ev, 0, q, v, a, lambda, &report));
  cmbt_below(report.position, 1e-13);
  cmbt_below(report.velocity, 1e-13);
  cmbt_near(report.q_moved, distance(eq->nq, q, q0), 1e-15);
  cmbt_near(report.v_moved, distance(eq->nv, v, v0), 1e-15);

  cmbt_ok(ctx, cmb_factor_at(ev, 0, q));
  for (int i = 0; i < eq->nv; i++) d[i] = v[i] - v0[i];
  cmbt_below(tangential(ev, d), 1e-14);
  for (int i = 0; i < eq->nv && eq->nq == eq->nv; i++) d[i] = q[i] - q0[i];
  if (eq->nq == eq->nv) cmbt_below(tangential(ev, d), 1e-13);
  cmb_evaluator_destroy(ev);
  cmb_system_destroy(system);
}

static void test_start(void **state)
{
  (void)state;
  cmb_context *ctx = cmb_context_create(NULL);
  struct cmbt_random random = {11};
  for (int i = 0; i < cmb_problem_count(); i++) {
    for (int k = 0; k < 100; k++) check_start(ctx, cmb_problem_at(i), &random, 1e-2);
    for (int k = 0; k < 20; k++) check_start(ctx, cmb_problem_at(i), &random, 0.2);
  }
  cmb_context_destroy(ctx);
}

/* Checks the projection of a point mass: the nearest point of the circle is q l/|q|, and the velocity loses its radial part. */
static void test_nearest(void **state)
{
  (void)state;
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_system *system;
  cmb_evaluator *ev;
  cmb_start_report report;
  double q[2] = {2, -1.5}, v[2] = {1, 1}, a[2], lambda[1], r = 2.5;
  cmbt_ok(ctx, cmb_problem_create(ctx, cmb_problem_find("pendulum"), 0, NULL, &system));
  cmbt_ok(ctx, cmb_evaluator_create(ctx, cmb_system_equations(system), &ev));
  cmbt_ok(ctx, cmb_consistent_start(ev, 0, q, v, a, lambda, &report));
  cmbt_near(q[0], 2 / r, 1e-15);
  cmbt_near(q[1], -1.5 / r, 1e-15);
  double radial = (2 - 1.5) / r;
  cmbt_near(v[0], 1 - radial * 2 / r, 1e-15);
  cmbt_near(v[1], 1 + radial * 1.5 / r, 1e-15);
  cmbt_near(report.q_moved, 1.5, 1e-14);
  cmb_evaluator_destroy(ev);
  cmb_system_destroy(system);
  cmb_context_destroy(ctx);
}

/* g1 = x − y together with g2 = x² + 1, which has no root, or g2 = 2 (x − y) + 0.25, which contradicts g1, or g2 = 2 g1. */
enum { NO_ROOT, CONTRADICTION, REPETITION };

static cmb_status impossible(const void *self, const cmb_point *at, const cmb_terms *want)
{
  const int kind = *(const int *)self;
  const double offset = kind == CONTRADICTION ? 0.25 : 0;
  double x = at->q[0], y = at->q[1];
  if (want->M) want->M[0] = want->M[1] = 1;
  if (want->f) want->f[0] = want->f[1] = 0;
  if (want->g) want->g[0] = x - y, want->g[1] = kind == NO_ROOT ? x * x + 1 : 2 * (x - y) + offset;
  if (want->G) {
    double G[4] = {1, -1, kind == NO_ROOT ? 2 * x : 2, kind == NO_ROOT ? 0 : -2};
    memcpy(want->G, G, sizeof G);
  }
  if (want->gt) want->gt[0] = want->gt[1] = 0;
  if (want->gamma) want->gamma[0] = 0, want->gamma[1] = 0;
  return CMB_OK;
}

static const char *const two_names[] = {"first", "second"};

static cmb_equations impossible_equations(const int *kind)
{
  return (cmb_equations){.name = "impossible",
                         .nq = 2,
                         .nv = 2,
                         .ng = 2,
                         .q_names = two_names,
                         .v_names = two_names,
                         .g_names = two_names,
                         .lambda_names = two_names,
                         .mass_diagonal = true,
                         .mass_constant = true,
                         .self = kind,
                         .evaluate = impossible};
}

static void check_impossible(int kind, const char *words)
{
  cmb_equations eq = impossible_equations(&kind);
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_evaluator *ev;
  cmb_start_report report;
  double q[2] = {1, 0.5}, v[2] = {0, 0}, a[2], lambda[2];
  cmbt_ok(ctx, cmb_evaluator_create(ctx, &eq, &ev));
  assert_int_equal(cmb_consistent_start(ev, 0, q, v, a, lambda, &report), CMB_ERROR_INCONSISTENT);
  if (!strstr(cmb_last_error(ctx), words)) fail_msg("'%s' lacks '%s'", cmb_last_error(ctx), words);
  assert_true(q[0] == 1 && q[1] == 0.5); /* unchanged */
  cmb_evaluator_destroy(ev);
  cmb_context_destroy(ctx);
}

static void test_impossible(void **state)
{
  (void)state;
  check_impossible(NO_ROOT, "'second' could not be satisfied");
  check_impossible(CONTRADICTION, "could not be satisfied");
}

/* Checks the projection with g2 = 2 g1: the nearest point is that for g1 alone, and the multipliers are those of least norm in units in which
 * both gradients have the same length: λ₂ = λ₁/2. */
static void test_repetition(void **state)
{
  (void)state;
  static const int kind = REPETITION;
  cmb_equations eq = impossible_equations(&kind);
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_evaluator *ev;
  cmb_start_report report;
  double q[2] = {1, 0.5}, v[2] = {3, -1}, a[2], lambda[2];
  const double f[2] = {1, -2};
  bool unique[2];
  cmbt_ok(ctx, cmb_evaluator_create(ctx, &eq, &ev));
  cmbt_ok(ctx, cmb_consistent_start(ev, 0, q, v, a, lambda, &report));
  for (int i = 0; i < 2; i++) {
    cmbt_near(q[i], 0.75, 1e-15);
    cmbt_near(v[i], 1, 1e-15);
    cmbt_near(a[i], 0, 1e-15);
  }
  cmb_solve(ev, f, NULL, a, lambda);
  cmbt_near(a[0], -0.5, 1e-15);
  cmbt_near(a[1], -0.5, 1e-15);
  cmbt_near(lambda[0] + 2 * lambda[1], 1.5, 1e-14); /* 1 − λ₁ − 2 λ₂ = −0.5 */
  cmbt_near(lambda[0], 2 * lambda[1], 1e-14);
  assert_false(cmb_unique_multipliers(ev, unique));
  assert_false(unique[0] || unique[1]);
  cmb_evaluator_destroy(ev);
  cmb_context_destroy(ctx);
}

/* The ellipse x² + 4 y² = 4; or, with `shifted`, the circle (1 + x)² + y² = 1, of which (0, 0) is a point. */
static cmb_status curve(const void *self, const cmb_point *at, const cmb_terms *want)
{
  const int *shifted = self;
  double x = at->q[0] + *shifted, y = at->q[1], k = *shifted ? 1 : 4;
  if (want->M) want->M[0] = want->M[1] = 1;
  if (want->f) want->f[0] = 0, want->f[1] = -9.81;
  if (want->g) want->g[0] = (x * x + k * y * y - k) / 2;
  if (want->G) want->G[0] = x, want->G[1] = k * y;
  if (want->gt) want->gt[0] = 0;
  if (want->gamma) want->gamma[0] = at->v[0] * at->v[0] + k * at->v[1] * at->v[1];
  return CMB_OK;
}

static cmb_equations curve_equations(const int *shifted)
{
  static const char *const names[] = {"first", "second"};
  return (cmb_equations){.name = "curve",
                         .nq = 2,
                         .nv = 2,
                         .ng = 1,
                         .q_names = names,
                         .v_names = names,
                         .g_names = names,
                         .lambda_names = names,
                         .mass_diagonal = true,
                         .mass_constant = true,
                         .self = shifted,
                         .evaluate = curve};
}

/* Checks that from further away than the radius of curvature a point of the curve is found, though perhaps not the nearest one. */
static void test_far_starts(void **state)
{
  (void)state;
  static const int shifted = 0;
  const double starts[][2] = {{3, 2}, {0.1, 0.1}, {-9, 5}, {1, 0.2}, {2, 1.2}, {0.001, 3}};
  cmb_equations eq = curve_equations(&shifted);
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_evaluator *ev;
  cmbt_ok(ctx, cmb_evaluator_create(ctx, &eq, &ev));
  for (int k = 0; k < 6; k++) {
    double q[2] = {starts[k][0], starts[k][1]}, v[2] = {0, 0}, a[2], lambda[1];
    cmb_start_report report;
    cmbt_ok(ctx, cmb_consistent_start(ev, 0, q, v, a, lambda, &report));
    cmbt_below(report.position, 1e-13);
  }
  cmb_evaluator_destroy(ev);
  cmb_context_destroy(ctx);
}

/* Checks that the projection converges for coordinates near 0 in a constraint with terms of size 1: rounding of g does not shrink with q. */
static void test_displacements(void **state)
{
  (void)state;
  static const int shifted = 1;
  cmb_equations eq = curve_equations(&shifted);
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_evaluator *ev;
  struct cmbt_random random = {12};
  cmbt_ok(ctx, cmb_evaluator_create(ctx, &eq, &ev));
  for (int k = 0; k < 1000; k++) {
    double size = pow(10, cmbt_random_uniform(&random, -12, -3));
    double q[2];
    for (int i = 0; i < 2; i++) q[i] = size * cmbt_random_uniform(&random, -1, 1);
    double v[2] = {0, 0}, a[2], lambda[1];
    cmb_start_report report;
    cmbt_ok(ctx, cmb_factor_at(ev, 0, q));
    cmbt_ok(ctx, cmb_project_position(ev, 0, q, NULL));
    cmbt_ok(ctx, cmb_consistent_start(ev, 0, q, v, a, lambda, &report));
    cmbt_below(report.position, 1e-15);
  }
  cmb_evaluator_destroy(ev);
  cmb_context_destroy(ctx);
}

/* Checks that each factorisation, solution and evaluation of forces is counted once. */
static void test_counts(void **state)
{
  (void)state;
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_system *system;
  cmb_evaluator *ev;
  double x[MOST], y[MOST], f[MOST];
  cmbt_ok(ctx, cmb_problem_create(ctx, cmb_problem_find("caraxis"), 0, NULL, &system));
  const cmb_equations *eq = cmb_system_equations(system);
  const double *q = cmb_system_q(system), *v = cmb_system_v(system);
  const double r[MOST] = {1, -2, 0.5, 3}, s[MOST] = {0.1, -0.2};
  cmbt_ok(ctx, cmb_evaluator_create(ctx, eq, &ev));
  for (int k = 1; k <= 3; k++) {
    const cmb_terms want = {.f = f}, positions = {.g = ev->g};
    cmbt_ok(ctx, cmb_factor_at(ev, 0, q));
    assert_int_equal(ev->stats.factor, k);
    cmb_solve(ev, r, s, x, y);
    assert_int_equal(ev->stats.solve, 2 * k - 1);
    cmb_correct(ev, s, x, y);
    assert_int_equal(ev->stats.solve, 2 * k);
    cmbt_ok(ctx, cmb_evaluate(ev, 0, q, v, &want));
    cmbt_ok(ctx, cmb_evaluate(ev, 0, q, v, &positions)); /* no forces */
    assert_int_equal(ev->stats.f, k);
    assert_int_equal(ev->stats.factor, k);
    assert_int_equal(ev->stats.jacobian + ev->stats.newton + ev->stats.projections, 0);
  }
  cmb_evaluator_destroy(ev);
  cmb_system_destroy(system);
  cmb_context_destroy(ctx);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_start),      cmocka_unit_test(test_nearest),
      cmocka_unit_test(test_impossible), cmocka_unit_test(test_repetition),
      cmocka_unit_test(test_far_starts), cmocka_unit_test(test_displacements),
      cmocka_unit_test(test_counts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
