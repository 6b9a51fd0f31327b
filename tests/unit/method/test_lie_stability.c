/*
 * Tests where one step of lie with h = 1 is stable for q'' = −a q − b q' (Burgermeister, Arnold and Esterl 2006 §2): the spectral radius
 * of the step's matrix, found from two steps, slightly below and above each limit. The matrix is also compared with the paper's formulas.
 */
#include "check.h"

#include <camber/camber.h>
#include <float.h>

static const double CLOSE = 1e-6; /* distance from a limit at which the radius is computed */

struct coefficients {
  double a, b;
};

static cmb_status evaluate(const void *self, const cmb_point *at, const cmb_terms *want)
{
  const struct coefficients *c = self;
  if (want->M) want->M[0] = 1;
  if (want->f) want->f[0] = -c->a * at->q[0] - c->b * at->v[0];
  return CMB_OK;
}

static cmb_status derivative(const void *self, const cmb_point *at, const double *a,
                             const double *lambda, cmb_derivative which, double *J)
{
  const struct coefficients *c = self;
  (void)at, (void)a, (void)lambda;
  if (which == CMB_RESIDUAL_Q) J[0] = c->a;
  if (which == CMB_RESIDUAL_V) J[0] = c->b;
  return CMB_OK;
}

/* Finds A (2 x 2) such that (q, v) after a step is A times (q, v) before it. */
static void find_matrix(const char *jacobian, const char *positions, double a, double b,
                        double A[4])
{
  static const char *const q_names[] = {"q"}, *const v_names[] = {"q'"};
  const struct coefficients c = {a, b};
  const cmb_option_setting settings[] = {{"jacobian", jacobian}, {"positions", positions}};
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_integrator *in;
  cmb_integrator_options options = cmb_integrator_defaults();
  cmb_equations eq = {.name = "test equation", .nq = 1, .nv = 1, .self = &c};
  eq.q_names = q_names, eq.v_names = v_names;
  eq.evaluate = evaluate, eq.derivative = derivative;
  options.step = 1;
  options.setting_count = 2;
  options.settings = settings;
  cmbt_ok(ctx, cmb_integrator_create(ctx, &eq, cmb_method_find("lie"), &options, &in));
  for (int i = 0; i < 2; i++) {
    const double q = i == 0, v = i == 1;
    cmbt_ok(ctx, cmb_integrator_begin(in, 0, &q, &v));
    cmbt_ok(ctx, cmb_integrator_step(in, 1));
    A[i] = cmb_integrator_q(in)[0];
    A[2 + i] = cmb_integrator_v(in)[0];
  }
  cmb_integrator_destroy(in);
  cmb_context_destroy(ctx);
}

static double radius(const char *jacobian, const char *positions, double a, double b)
{
  double A[4];
  find_matrix(jacobian, positions, a, b, A);
  const double half = (A[0] - A[3]) / 2, root = half * half + A[1] * A[2];
  if (root < 0) return sqrt(A[0] * A[3] - A[1] * A[2]);
  return fabs(A[0] + A[3]) / 2 + sqrt(root);
}

static void check_limit(const char *jacobian, const char *positions, double a, double b, double da,
                        double db)
{
  const double before = radius(jacobian, positions, a - CLOSE * da, b - CLOSE * db);
  const double behind = radius(jacobian, positions, a + CLOSE * da, b + CLOSE * db);
  cmbt_below(before, 1 + 16 * DBL_EPSILON);
  assert_true(behind > 1 + 64 * DBL_EPSILON);
}

static void test_limits(void **state)
{
  (void)state;
  for (int i = 1; i < 16; i++) {
    const double b = i / 8.0;
    check_limit("none", "auto", b, b, 1, 0);
    check_limit("J1", "auto", 2 * b + 4, b, 1, 0);
    check_limit("J3", "auto", 4 - 2 * b, b, 1, 0);
    check_limit("none", "new", 4 - 2 * b, b, 1, 0);
    check_limit("J1", "new", 2 * b + 4, b, 1, 0);
  }
  check_limit("none", "auto", 0, 2, 0, 1);
  check_limit("J3", "auto", 0, 2, 0, 1);
  check_limit("J1", "auto", 2 * 1000.0 + 4, 1000, 1, 0);
}

static void test_no_limits(void **state)
{
  (void)state;
  for (int i = -7; i <= 6; i++) {
    for (int k = -7; k <= 6; k++) {
      const double a = i < -6 ? 0 : pow(10, i), b = k < -6 ? 0 : pow(10, k);
      cmbt_below(radius("J2", "auto", a, b), 1 + 16 * DBL_EPSILON);
      cmbt_below(radius("exact", "auto", a, b), 1 + 16 * DBL_EPSILON);
      cmbt_below(radius("J2", "new", a, b), 1 + 16 * DBL_EPSILON);
      cmbt_below(radius("exact", "new", a, b), 1 + 16 * DBL_EPSILON);
    }
  }
}

/* Checks that without damping oscillations neither grow nor decay if positions use the new velocities, as long as they
 * are stable; with jacobian=exact and positions=auto they decay. */
static void test_undamped(void **state)
{
  (void)state;
  static const char *const jacobians[] = {"none", "J1", "J2", "exact"};
  for (int j = 0; j < 4; j++) {
    for (int i = 1; i < 16; i++) {
      cmbt_near(radius(jacobians[j], "new", i / 4.0, 0), 1, 16 * DBL_EPSILON);
    }
  }
  cmbt_below(radius("exact", "auto", 1, 0), 0.9);
}

/* Compares with matrices found by hand from eq. (3) for each of the Jacobians, and from the step of veDYNA (§4.3). */
static void test_matrices(void **state)
{
  (void)state;
  const double a = 0.7, b = 0.4, s = 1 + b, d = 1 + a + b;
  const struct {
    const char *jacobian, *positions;
    double A[4];
  } cases[] = {
      {"none", "auto", {1, 1, -a, 1 - b}},
      {"J1", "auto", {1, 1, -a / s, (1 - a) / s}},
      {"J2", "auto", {1, 1, -a / d, 1 / d}},
      {"J3", "auto", {1, 1, -a, 1 - a - b}},
      {"exact", "auto", {1 - a / d, 1 / d, -a / d, 1 / d}},
      {"none", "new", {1 - a, 1 - b, -a, 1 - b}},
      {"J1", "new", {1 - a / s, 1 / s, -a / s, 1 / s}},
      {"J2", "new", {1 - a / d, (1 + a) / d, -a / d, (1 + a) / d}},
      {"exact", "new", {1 - a / d, (1 + a) / d, -a / d, (1 + a) / d}},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    double A[4];
    find_matrix(cases[i].jacobian, cases[i].positions, a, b, A);
    for (int k = 0; k < 4; k++) cmbt_near(A[k], cases[i].A[k], 4 * DBL_EPSILON);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_limits), cmocka_unit_test(test_no_limits),
      cmocka_unit_test(test_undamped), cmocka_unit_test(test_matrices)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
