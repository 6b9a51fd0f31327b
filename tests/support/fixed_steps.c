/*
 * Measures errors and orders of methods with fixed steps (fixed_steps.h).
 */
#include "fixed_steps.h"

#include "check.h"
#include "reference.h"

enum { MOST_SETTINGS = 8, MOST_NUMBERS = 8 };

static void pendulum_at(double t, double *q, double *v, double *lambda)
{
  cmbt_pendulum_at(1, 9.81, 2, t, q, v, lambda);
}

const struct cmbt_trajectory cmbt_caraxis = {"caraxis", 3, 24, {"h", 0.1}, cmbt_caraxis_at};
const struct cmbt_trajectory cmbt_pendulum_swings = {"pendulum", 5, 24, {"angle", 2}, pendulum_at};
const struct cmbt_trajectory cmbt_pendulum_fall = {"pendulum", 0.6, 4, {"angle", 2}, pendulum_at};

static double distance2(int n, const double *x, const double *y)
{
  double sum = 0;
  for (int i = 0; i < n; i++) sum += (x[i] - y[i]) * (x[i] - y[i]);
  return sum;
}

/* Adds the squared errors of q, v and λ at the integrator's present time to the sum. */
static void compare(const cmb_integrator *in, const cmb_equations *eq,
                    const struct cmbt_trajectory *problem, struct cmbt_errors *sum)
{
  double q[MOST_NUMBERS], v[MOST_NUMBERS], lambda[MOST_NUMBERS];
  problem->at(cmb_integrator_t(in), q, v, lambda);
  sum->q += distance2(eq->nq, q, cmb_integrator_q(in));
  sum->v += distance2(eq->nv, v, cmb_integrator_v(in));
  sum->lambda += distance2(eq->ng, lambda, cmb_integrator_lambda(in));
}

struct cmbt_errors cmbt_fixed_errors(cmb_context *ctx, const struct cmbt_trajectory *problem,
                                     const char *method, int setting_count,
                                     const cmb_option_setting *settings, double tolerance,
                                     int steps)
{
  cmb_option_setting all[MOST_SETTINGS] = {{"steps", "fixed"}};
  cmb_integrator_options options = cmb_integrator_defaults();
  struct cmbt_errors sum = {0, 0, 0};
  cmb_system *system;
  cmb_integrator *in;
  assert_in_range(setting_count, 0, MOST_SETTINGS - 1);
  for (int k = 0; k < setting_count; k++) all[k + 1] = settings[k];
  options.step = problem->t_end / problem->points / steps;
  const bool always = cmb_method_is_real_time(cmb_method_find(method)); /* has no option `steps` */
  options.setting_count = setting_count + !always;
  options.settings = all + always;
  if (tolerance > 0) options.rtol = options.atol = tolerance;
  cmbt_ok(ctx,
          cmb_problem_create(ctx, cmb_problem_find(problem->name), 1, &problem->setting, &system));
  const cmb_equations *eq = cmb_system_equations(system);
  cmbt_ok(ctx, cmb_integrator_create(ctx, eq, cmb_method_find(method), &options, &in));
  cmbt_ok(ctx, cmb_integrator_begin(in, 0, cmb_system_q(system), cmb_system_v(system)));
  for (int k = 1; k <= problem->points; k++) {
    double t = problem->t_end * k / problem->points;
    while (cmb_integrator_t(in) < t) cmbt_ok(ctx, cmb_integrator_step(in, t));
    compare(in, eq, problem, &sum);
  }
  assert_int_equal(cmb_integrator_statistics(in)->accepted, problem->points * steps);
  cmb_integrator_destroy(in);
  cmb_system_destroy(system);
  return (struct cmbt_errors){sqrt(sum.q / problem->points), sqrt(sum.v / problem->points),
                              sqrt(sum.lambda / problem->points)};
}

struct cmbt_errors cmbt_orders(struct cmbt_errors coarse, struct cmbt_errors fine, int steps_coarse,
                               int steps_fine)
{
  const double ratio = log((double)steps_fine / steps_coarse);
  return (struct cmbt_errors){log(coarse.q / fine.q) / ratio, log(coarse.v / fine.v) / ratio,
                              log(coarse.lambda / fine.lambda) / ratio};
}
