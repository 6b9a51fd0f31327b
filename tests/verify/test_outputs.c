/*
 * Outputs receive the accelerations at the end of a step, inside a step and at the start, for every method, with and without constraints,
 * computed from M, f, G and γ or by the equations' own explicit formalism.
 */
#include "check.h"

#include <camber/camber.h>
#include <math.h>

/* Evaluates x'' = −4 x; for ng = 1 with a second mass y'' = −4 y and the constraint x = y. Solution: x = cos 2t, x'' = −4 cos 2t. */
static cmb_status evaluate(const void *self, const cmb_point *at, const cmb_terms *want)
{
  const int ng = *(const int *)self, n = 1 + ng;
  for (int i = 0; i < n; i++) {
    if (want->M) want->M[i] = 1;
    if (want->f) want->f[i] = -4 * at->q[i];
  }
  if (ng == 0) return CMB_OK;
  if (want->g) want->g[0] = at->q[0] - at->q[1];
  if (want->G) want->G[0] = 1, want->G[1] = -1;
  if (want->gt) want->gt[0] = 0;
  if (want->gamma) want->gamma[0] = 0;
  return CMB_OK;
}

static cmb_status accelerate(const void *self, const cmb_point *at, double *a, double *lambda)
{
  const int ng = *(const int *)self;
  a[0] = -4 * at->q[0];
  if (ng) a[0] = a[1] = -2 * (at->q[0] + at->q[1]), lambda[0] = -2 * (at->q[0] - at->q[1]);
  return CMB_OK;
}

static cmb_status outputs(const void *self, const cmb_point *at, const double *a,
                          const double *lambda, double *out)
{
  (void)at;
  (void)lambda;
  const int ng = *(const int *)self;
  out[0] = a[ng];
  return CMB_OK;
}

/* The largest error of the acceleration over all records, and their number. */
struct worst {
  double error;
  int count;
};

static cmb_status keep(void *user, const cmb_record *record)
{
  struct worst *w = user;
  w->error = fmax(w->error, fabs(record->outputs[0] + 4 * cos(2 * record->t)));
  w->count++;
  return CMB_OK;
}

/* Returns the largest error of the output a[ng] over a run of 3 s with records at intervals `every` (0: at the ends of steps). */
static double error_of(const cmb_method *method, int ng, bool by_formalism, double every)
{
  static const char *const q_names[] = {"x", "y"}, *const g_names[] = {"rail"},
                           *const out_names[] = {"acceleration"};
  cmb_equations eq = {.name = "oscillator",
                      .nq = 1 + ng,
                      .nv = 1 + ng,
                      .ng = ng,
                      .no = 1,
                      .q_names = q_names,
                      .v_names = q_names,
                      .g_names = g_names,
                      .lambda_names = g_names,
                      .output_names = out_names,
                      .mass_constant = true,
                      .mass_diagonal = true,
                      .self = &ng,
                      .evaluate = evaluate,
                      .accelerate = by_formalism ? accelerate : NULL,
                      .outputs = outputs};
  const double q[2] = {1, 1}, v[2] = {0, 0};
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_system *system;
  cmb_simulation *sim;
  struct worst worst = {0, 0};
  cmb_run_options options = cmb_run_defaults();
  options.method = method;
  options.every = every;
  options.integrator.rtol = 1e-9;
  options.integrator.atol = 1e-11;
  options.observer = (cmb_observer){.user = &worst, .record = keep};
  cmbt_ok(ctx, cmb_system_create(ctx, &eq, 0, 3, q, v, &system));
  cmbt_ok(ctx, cmb_simulation_create(ctx, system, &options, &sim));
  cmbt_ok(ctx, cmb_simulation_run(sim));
  assert_true(worst.count > 10);
  cmb_simulation_destroy(sim);
  cmb_system_destroy(system);
  cmb_context_destroy(ctx);
  return worst.error;
}

/* Checks errors below 1e-6 for a tolerance of 1e-9. The limit leaves room for hem5, whose accelerations at the end of a step are those of its
 * last stage, of lower order. */
static void test_accelerations(void **state)
{
  (void)state;
  for (int i = 0; i < cmb_method_count(); i++) {
    const cmb_method *method = cmb_method_at(i);
    if (cmb_method_is_real_time(method)) continue; /* order 1 and 2, no control of the error */
    for (int k = 0; k < 8; k++) {
      cmbt_below(error_of(method, k % 2, k / 2 % 2, k < 4 ? 0 : 0.1), 1e-6);
    }
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_accelerations)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
