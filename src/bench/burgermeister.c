/*
 * Runs simulations step by step and records a quantity after each step (burgermeister.h).
 */
#include "bench/burgermeister.h"

#include "base/context.h"
#include "dae/evaluator.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static cmb_status create(cmb_context *ctx, const cmb_equations *eq,
                         const struct cli_variant *variant, double h, cmb_integrator **in)
{
  cmb_integrator_options options = cmb_integrator_defaults();
  if (!variant) {
    options.rtol = options.atol = 1e-10;
    return cmb_integrator_create(ctx, eq, cmb_method_find("mdop853"), &options, in);
  }
  const cmb_option_setting settings[] = {{"index", variant->index},
                                         {"jacobian", variant->jacobian},
                                         {"stabilization", variant->stabilization}};
  options.step = h;
  options.setting_count = sizeof settings / sizeof settings[0];
  options.settings = settings;
  return cmb_integrator_create(ctx, eq, cmb_method_find("lie"), &options, in);
}

static cmb_status record(cmb_integrator *in, cmb_evaluator *ev, long k, cli_measure measure,
                         void *user, double *y)
{
  struct cli_run_state at = {.q = cmb_integrator_q(in)};
  CMB_TRY(cmb_constraint_residuals(ev, cmb_integrator_t(in), at.q, cmb_integrator_v(in),
                                   &at.position, &at.velocity));
  y[k] = measure(user, k, &at);
  return CMB_OK;
}

static cmb_status record_steps(cmb_integrator *in, cmb_evaluator *ev, double h, long steps,
                               cli_measure measure, void *user, double *y)
{
  CMB_TRY(record(in, ev, 0, measure, user, y));
  for (long k = 1; k <= steps; k++) {
    const double t = (double)k * h;
    while (cmb_integrator_t(in) < t) CMB_TRY(cmb_integrator_step(in, t));
    CMB_TRY(record(in, ev, k, measure, user, y));
  }
  return CMB_OK;
}

cmb_status cli_follow(cmb_context *ctx, const cmb_system *system, const struct cli_variant *variant,
                      double h, long steps, cli_measure measure, void *user, double *y)
{
  const cmb_equations *eq = cmb_system_equations(system);
  cmb_evaluator *ev = NULL;
  cmb_integrator *in = NULL;
  cmb_status status = cmb_evaluator_create(ctx, eq, &ev);
  if (status == CMB_OK) status = create(ctx, eq, variant, h, &in);
  if (status == CMB_OK) {
    status = cmb_integrator_begin(in, 0, cmb_system_q(system), cmb_system_v(system));
  }
  if (status == CMB_OK) status = record_steps(in, ev, h, steps, measure, user, y);
  cmb_integrator_destroy(in);
  cmb_evaluator_destroy(ev);
  return status;
}

double cli_measure_position(void *user, long k, const struct cli_run_state *at)
{
  (void)user, (void)k;
  return at->position;
}

struct store {
  int nq;
  double *q;
};

static double store_q(void *user, long k, const struct cli_run_state *at)
{
  const struct store *store = user;
  memcpy(store->q + k * store->nq, at->q, (size_t)store->nq * sizeof *at->q);
  return at->position;
}

cmb_status cli_follow_reference(cmb_context *ctx, const cmb_system *system, double h, long steps,
                                double **q)
{
  const int nq = cmb_system_equations(system)->nq;
  const size_t length = (size_t)steps + 1;
  struct store store = {nq, *q = calloc(length * (size_t)nq, sizeof **q)};
  if (!store.q) return cmb_fail_memory(ctx);
  double *positions = calloc(length, sizeof *positions);
  if (!positions) return cmb_fail_memory(ctx);
  const cmb_status status = cli_follow(ctx, system, NULL, h, steps, store_q, &store, positions);
  free(positions);
  return status;
}

double cli_axis_distance(const double *q, const double *reference)
{
  double sum = 0;
  for (int i = 0; i < CLI_AXIS_COORDINATES; i++) {
    sum += (q[i] - reference[i]) * (q[i] - reference[i]);
  }
  return sqrt(sum);
}

double cli_largest(long from, long to, const double *y)
{
  double most = 0;
  for (long k = from; k <= to; k++) most = fmax(most, y[k]);
  return most;
}
