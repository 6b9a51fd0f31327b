/*
 * Reference solutions and simulations for tests of bundled parts (part_case.h). Simulations have rtol = 1e-9; their outputs are compared
 * at the end time.
 */
#include "part_case.h"

#include "check.h"

#include <math.h>

void cmbt_runge_kutta(cmbt_rates f, int n, long double t_end, int steps, long double *x)
{
  const long double h = t_end / steps;
  long double k[4][CMBT_MOST_UNKNOWNS], y[CMBT_MOST_UNKNOWNS];
  static const long double ahead[4] = {0, 0.5L, 0.5L, 1};
  assert_true(n <= CMBT_MOST_UNKNOWNS);
  for (int step = 0; step < steps; step++) {
    for (int stage = 0; stage < 4; stage++) {
      for (int i = 0; i < n; i++) {
        y[i] = x[i] + (stage > 0 ? ahead[stage] * h * k[stage - 1][i] : 0);
      }
      f((step + ahead[stage]) * h, y, k[stage]);
    }
    for (int i = 0; i < n; i++) x[i] += h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
  }
}

void cmbt_swing(double d, double w, double x0, double v0, double t, double *x, double *v)
{
  const double turn = sqrt(w * w - d * d), c = cos(turn * t), s = sin(turn * t), fall = exp(-d * t);
  *x = fall * (x0 * c + (v0 + d * x0) / turn * s);
  *v = fall * (v0 * c - (w * w * x0 + d * v0) / turn * s);
}

double cmbt_part_error(cmb_context *ctx, const cmb_model *model, const char *method,
                       cmb_formulation formulation, double t_end, const double *exact)
{
  static const double RTOL = 1e-9, ATOL = 1e-11;
  cmb_system *system;
  cmb_simulation *sim;
  const cmb_model_system_options o = {.formulation = formulation, .derivatives = true};
  double worst = 0;
  cmbt_ok(ctx, cmb_model_system(ctx, model, &o, &system));
  cmb_run_options options = cmb_run_defaults();
  options.method = cmb_method_find(method);
  options.integrator.rtol = RTOL, options.integrator.atol = ATOL;
  options.t_end = t_end;
  cmbt_ok(ctx, cmb_simulation_create(ctx, system, &options, &sim));
  cmbt_ok(ctx, cmb_simulation_run(sim));
  const cmb_result *r = cmb_simulation_result(sim);
  assert_true(r->t == t_end);
  for (int i = 0; i < cmb_system_equations(system)->no; i++) {
    const double unit = RTOL * fmax(fabs(exact[i]), 1);
    worst = fmax(worst, fabs(r->outputs[i] - exact[i]) / unit);
  }
  cmb_simulation_destroy(sim);
  cmb_system_destroy(system);
  return worst;
}
