/*
 * Tests that the dense output of every method over a step is a polynomial of the degree that the integrator returns: the polynomial
 * through its values at the nodes has to give its values in between. The proofs that no event is missed use this.
 */
#include "check.h"
#include "random.h"

#include "math/bernstein.h"

#include <camber/camber.h>
#include <stdio.h>

enum { STEPS = 40, MOST_STATES = 40 };

/* Returns for one step the largest difference between the dense output at a random time and the polynomial through the nodes. */
static double check_step(struct cmbt_random *r, cmb_integrator *in, double t0, int nq, int nv)
{
  const double h = cmb_integrator_t(in) - t0;
  const int degree = cmb_integrator_dense_degree(in);
  double y[CMB_BERNSTEIN_MOST + 1][MOST_STATES], at[MOST_STATES], worst = 0;
  cmb_bernstein basis;
  assert_in_range(degree, 1, CMB_BERNSTEIN_MOST);
  cmb_bernstein_create(&basis, degree);
  for (int j = 0; j <= degree; j++) {
    double t = j < degree ? t0 + basis.node[j] * h : cmb_integrator_t(in);
    assert_int_equal(cmb_integrator_interpolate(in, t, y[j], y[j] + nq), CMB_OK);
  }
  const double theta = cmbt_random_uniform(r, 0, 1);
  assert_int_equal(cmb_integrator_interpolate(in, t0 + theta * h, at, at + nq), CMB_OK);
  for (int i = 0; i < nq + nv; i++) {
    double values[CMB_BERNSTEIN_MOST + 1], c[CMB_BERNSTEIN_MOST + 1];
    for (int j = 0; j <= degree; j++) values[j] = y[j][i];
    cmb_bernstein_coefficients(&basis, values, c);
    cmb_interval here = cmb_bernstein_range(degree, c, 0, theta, theta);
    worst = fmax(worst, fabs(at[i] - (here.low + here.high) / 2));
  }
  return worst;
}

static void test_degrees(void **state)
{
  (void)state;
  struct cmbt_random r = {1};
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_system *system;
  cmbt_ok(ctx, cmb_problem_create(ctx, cmb_problem_find("caraxis"), 0, NULL, &system));
  const cmb_equations *eq = cmb_system_equations(system);
  for (int i = 0; i < cmb_method_count(); i++) {
    const cmb_method *method = cmb_method_at(i);
    cmb_integrator_options options = cmb_integrator_defaults();
    cmb_integrator *in;
    double worst = 0;
    options.step = 1e-3;
    cmbt_ok(ctx, cmb_integrator_create(ctx, eq, method, &options, &in));
    cmbt_ok(ctx, cmb_integrator_begin(in, 0, cmb_system_q(system), cmb_system_v(system)));
    for (int k = 0; k < STEPS; k++) {
      const double t0 = cmb_integrator_t(in);
      cmbt_ok(ctx, cmb_integrator_step(in, 3));
      worst = fmax(worst, check_step(&r, in, t0, eq->nq, eq->nv));
    }
    printf("%-8s dense output of degree %2d, error %.1e\n", cmb_method_name(method),
           cmb_integrator_dense_degree(in), worst);
    cmbt_below(worst, 1e-11);
    cmb_integrator_destroy(in);
  }
  cmb_system_destroy(system);
  cmb_context_destroy(ctx);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_degrees)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
