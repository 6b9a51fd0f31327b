/*
 * Tests of cmb_system_residuals, the norms of g and of G v + g_t: for a point on a rod against the closed form, and for a drive with a
 * kink, whose mode has to be that of the state.
 */
#include "check.h"

#include <camber/model.h>
#include <camber/system.h>
#include <math.h>

/* A point of mass 1 at the end of a rod of length 1: g = (x² + y² − 1)/2, ġ = x ẋ + y ẏ. */
static cmb_status evaluate(const void *self, const cmb_point *at, const cmb_terms *want)
{
  const double *q = at->q, *v = at->v;
  (void)self;
  for (int i = 0; i < 2 && want->M; i++) want->M[i] = 1;
  for (int i = 0; i < 2 && want->f; i++) want->f[i] = 0;
  if (want->gt) want->gt[0] = 0;
  if (want->g) want->g[0] = (q[0] * q[0] + q[1] * q[1] - 1) / 2;
  if (want->G) want->G[0] = q[0], want->G[1] = q[1];
  if (want->gamma) want->gamma[0] = v[0] * v[0] + v[1] * v[1];
  return CMB_OK;
}

static const char *const names[] = {"x", "y"};

static const cmb_equations rod = {.name = "rod",
                                  .nq = 2,
                                  .nv = 2,
                                  .ng = 1,
                                  .q_names = names,
                                  .v_names = names,
                                  .g_names = names,
                                  .lambda_names = names,
                                  .mass_constant = true,
                                  .mass_diagonal = true,
                                  .evaluate = evaluate};

/* Checks |g| = 0.4 and |G v| = 0.6 at an inconsistent state, and wrong calls. */
static void norms(void **state)
{
  (void)state;
  const double q[] = {0.6, 1.2}, v[] = {2, -0.5}, zero[] = {0, 0};
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_system *system;
  double position, velocity;
  cmbt_ok(ctx, cmb_system_create(ctx, &rod, 0, 1, zero, zero, &system));
  cmbt_ok(ctx, cmb_system_residuals(ctx, system, 0, q, v, &position, &velocity));
  assert_true(fabs(position - 0.4) < 1e-15);
  assert_true(fabs(velocity - 0.6) < 1e-15);
  assert_int_equal(cmb_system_residuals(ctx, system, NAN, q, v, &position, &velocity),
                   CMB_ERROR_ARGUMENT);
  assert_int_equal(cmb_system_residuals(ctx, system, 0, NULL, v, &position, &velocity),
                   CMB_ERROR_ARGUMENT);
  assert_int_equal(cmb_system_residuals(ctx, NULL, 0, q, v, &position, &velocity),
                   CMB_ERROR_ARGUMENT);
  cmb_system_destroy(system);
  cmb_context_destroy(ctx);
}

/* Checks a joint angle driven by a(t) = max(0, t − 1): a = 0 is consistent at t = 0.25, and a = 0.5 with the rate 1 at t = 1.5. */
static void modes_of_the_state(void **state)
{
  (void)state;
  static const char text[] =
      "bodies: {b: {mass: 1, com: [0, 0, -1]}}\n"
      "joints: {j: {type: revolute, child: b, at: [0, 0, 0], axis: y, coordinates: [a]}}\n"
      "motions: {d: {coordinate: a, value: 'max(0, t - 1)'}}\n";
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_model *model;
  cmb_system *system;
  double position, velocity;
  cmbt_ok(ctx, cmb_model_parse(ctx, text, sizeof text - 1, "test.yaml", NULL, &model));
  cmbt_ok(ctx, cmb_model_system(ctx, model, NULL, &system));
  const double rest[] = {0}, later[] = {0.5}, rate[] = {1};
  cmbt_ok(ctx, cmb_system_residuals(ctx, system, 0.25, rest, rest, &position, &velocity));
  assert_true(position == 0 && velocity == 0);
  cmbt_ok(ctx, cmb_system_residuals(ctx, system, 1.5, later, rate, &position, &velocity));
  assert_true(position < 1e-15 && velocity < 1e-15);
  cmbt_ok(ctx, cmb_system_residuals(ctx, system, 1.5, rest, rest, &position, &velocity));
  assert_true(fabs(position - 0.5) < 1e-15 && fabs(velocity - 1) < 1e-15);
  cmb_system_destroy(system);
  cmb_model_destroy(model);
  cmb_context_destroy(ctx);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(norms), cmocka_unit_test(modes_of_the_state)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
