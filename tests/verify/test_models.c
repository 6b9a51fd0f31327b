/*
 * The models in models/, but a few large ones: each is read, assembled and run in the three formulations (explicit, residual, Cartesian),
 * and all outputs agree at the end. The formulations are three derivations of the equations with different coordinates and different
 * errors of integration. The car axis is also compared with its reference solution in quadruple precision.
 */
#include "check.h"
#include "dae/problems/caraxis_reference.h"
#include "model_run.h"

#include <stdio.h>
#include <string.h>

enum { MOST_OUTPUTS = 64 };

/* Returns whether the model asks for a start at equilibrium. */
static bool wants_equilibrium(const cmb_model *model)
{
  int count;
  const cmb_model_default *d = cmb_model_defaults(model, &count);
  for (int i = 0; i < count; i++) {
    if (strcmp(d[i].name, "equilibrium") == 0) return strcmp(d[i].value, "true") == 0;
  }
  return false;
}

/* Returns whether an explicit method needs very small steps for the model, which is then run for a shorter time. */
static bool is_stiff(const char *name)
{
  return strcmp(name, "double-wishbone") == 0 || strcmp(name, "axle-stamp") == 0 ||
         strcmp(name, "sedan") == 0;
}

/* Computes the outputs after 1 s or the model's end if it is earlier, for stiff models after 0.05 s. Returns their number. */
static int run_form(const char *name, cmb_formulation form, double *outputs)
{
  cmbt_run r;
  cmbt_run_open(&r, name, form, 0, NULL);
  if (wants_equilibrium(r.model)) cmbt_run_settle(&r);
  const double most = is_stiff(name) ? 0.05 : 1;
  cmbt_run_to(&r, fmin(most, cmb_system_t_end(r.system)), 0);
  const int n = r.eq->no;
  assert_in_range(n, 1, MOST_OUTPUTS);
  memcpy(outputs, r.result->outputs, (size_t)n * sizeof *outputs);
  cmbt_run_close(&r);
  return n;
}

/* Returns the largest |x_i − y_i| / max(1, |x_i|), infinity if a value is not finite. */
static double difference(int n, const double *x, const double *y)
{
  double most = 0;
  for (int i = 0; i < n; i++) {
    double d = fabs(x[i] - y[i]) / fmax(1, fabs(x[i]));
    if (!(d <= most)) most = isfinite(d) ? d : INFINITY;
  }
  return most;
}

static void test_formulations_agree(void **state)
{
  (void)state;
  char names[CMBT_MOST_MODELS][CMBT_NAME_ROOM];
  int count = cmbt_model_names(names), apart = 0;
  assert_true(count >= 12);
  for (int i = 0; i < count; i++) {
    if (strcmp(names[i], "hmmwv14") == 0 || strcmp(names[i], "iltis") == 0)
      continue; /* stiff and large: test_hmmwv.c and test_iltis.c run them with implicit methods */
    if (cmbt_has_trailer(names[i])) continue;
    double x[MOST_OUTPUTS], y[MOST_OUTPUTS], z[MOST_OUTPUTS];
    int n = run_form(names[i], CMB_FORM_EXPLICIT, x);
    assert_int_equal(run_form(names[i], CMB_FORM_RESIDUAL, y), n);
    assert_int_equal(run_form(names[i], CMB_FORM_CARTESIAN, z), n);
    double residual = difference(n, x, y), cartesian = difference(n, x, z);
    printf("%-18s residual %.1e, cartesian %.1e apart\n", names[i], residual, cartesian);
    if (!(residual <= 1e-7 && cartesian <= 1e-7)) apart++;
  }
  assert_int_equal(apart, 0);
}

static void test_car_axis(void **state)
{
  (void)state;
  static const char *const q_names[] = {"xl", "yl", "xr", "yr"};
  static const char *const v_names[] = {"xl_rate", "yl_rate", "xr_rate", "yr_rate"};
  for (int form = CMB_FORM_EXPLICIT; form <= CMB_FORM_CARTESIAN; form++) {
    double q[4], v[4];
    cmbt_run r;
    cmbt_run_open(&r, "car-axis", (cmb_formulation)form, 0, NULL);
    cmbt_run_to(&r, 3, 0);
    for (int i = 0; i < 4; i++) {
      q[i] = cmbt_output(&r, q_names[i]);
      v[i] = cmbt_output(&r, v_names[i]);
    }
    double lambda[2] = {cmbt_output(&r, "lambda1"), cmbt_output(&r, "lambda2")};
    double mescd = cmb_caraxis_mescd(q, v, lambda, 1);
    printf("car axis, formulation %d: mescd %.2f\n", form, mescd);
    assert_true(mescd >= 8);
    cmbt_run_close(&r);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_formulations_agree),
      cmocka_unit_test(test_car_axis),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
