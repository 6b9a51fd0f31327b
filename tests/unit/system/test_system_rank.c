/*
 * Tests of cmb_system_rank: a repeated constraint is redundant, a position where two branches of the motion cross is singular; wrong calls;
 * failing requests for memory.
 */
#include "check.h"
#include "failing_allocator.h"

#include <camber/system.h>

/* A point (q0, q1, q2) of mass 1 with the constraints q2 = 0, 2 q2 = 0, which repeats the first one, and (q0² − q1²)/2 = 0, two lines that
 * cross at the origin. */
static cmb_status evaluate(const void *self, const cmb_point *at, const cmb_terms *want)
{
  const double *q = at->q, *v = at->v;
  (void)self;
  for (int i = 0; i < 3 && want->M; i++) want->M[i] = 1;
  for (int i = 0; i < 3 && want->f; i++) want->f[i] = 0;
  for (int i = 0; i < 3 && want->gt; i++) want->gt[i] = 0;
  for (int i = 0; i < 9 && want->G; i++) want->G[i] = 0;
  if (want->g)
    want->g[0] = q[2], want->g[1] = 2 * q[2], want->g[2] = (q[0] * q[0] - q[1] * q[1]) / 2;
  if (want->G) want->G[2] = 1, want->G[5] = 2, want->G[6] = q[0], want->G[7] = -q[1];
  if (want->gamma) {
    want->gamma[0] = want->gamma[1] = 0;
    want->gamma[2] = v[0] * v[0] - v[1] * v[1];
  }
  return CMB_OK;
}

static const char *const names[] = {"a", "b", "c"};

static const cmb_equations lines = {.name = "lines",
                                    .nq = 3,
                                    .nv = 3,
                                    .ng = 3,
                                    .q_names = names,
                                    .v_names = names,
                                    .g_names = names,
                                    .lambda_names = names,
                                    .mass_constant = true,
                                    .mass_diagonal = true,
                                    .evaluate = evaluate};

static const double crossing[3] = {0, 0, 0}, beside[3] = {1, 1, 0};

/* Checks that the rank is 2 beside the crossing and 1 at the crossing, where it is 2 around it, and that one constraint is redundant. */
static void ranks_and_redundant_constraints(void **state)
{
  (void)state;
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_system *system;
  cmb_rank_report r;
  int redundant[3] = {-1, -1, -1};
  cmbt_ok(ctx, cmb_system_create(ctx, &lines, 0, 1, beside, crossing, &system));
  cmbt_ok(ctx, cmb_system_rank(ctx, system, 0, beside, NULL, &r, redundant));
  assert_int_equal(r.here, 2);
  assert_int_equal(r.around, 2);
  assert_int_equal(r.redundant_count, 1);
  assert_in_range(redundant[0], 0, 1); /* either of the first two */
  assert_int_equal(redundant[1], -1);
  cmbt_ok(ctx, cmb_system_rank(ctx, system, 0, crossing, NULL, &r, NULL));
  assert_int_equal(r.here, 1);
  assert_int_equal(r.around, 2);
  assert_int_equal(r.redundant_count, 1);
  cmb_system_destroy(system);
  cmb_context_destroy(ctx);
}

static void wrong_calls_are_refused(void **state)
{
  (void)state;
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_system *system;
  cmb_rank_report r;
  cmbt_ok(ctx, cmb_system_create(ctx, &lines, 0, 1, beside, crossing, &system));
  assert_int_equal(cmb_system_rank(ctx, NULL, 0, beside, NULL, &r, NULL), CMB_ERROR_ARGUMENT);
  assert_int_equal(cmb_system_rank(ctx, system, 0, NULL, NULL, &r, NULL), CMB_ERROR_ARGUMENT);
  assert_int_equal(cmb_system_rank(ctx, system, 0, beside, NULL, NULL, NULL), CMB_ERROR_ARGUMENT);
  assert_int_equal(cmb_system_rank(ctx, system, NAN, beside, NULL, &r, NULL), CMB_ERROR_ARGUMENT);
  cmb_system_destroy(system);
  cmb_context_destroy(ctx);
}

static void memory_runs_out(void **state)
{
  (void)state;
  struct cmbt_allocator memory;
  cmbt_allocator_init(&memory);
  cmb_context *ctx = cmb_context_create(&memory.hook);
  cmb_system *system;
  cmb_rank_report r;
  cmbt_ok(ctx, cmb_system_create(ctx, &lines, 0, 1, beside, crossing, &system));
  const long before = memory.outstanding;
  bool refused = true;
  for (long k = 1; refused; k++) {
    memory.calls = memory.refused = 0;
    memory.fail_at = k;
    const cmb_status status = cmb_system_rank(ctx, system, 0, beside, NULL, &r, NULL);
    refused = memory.refused > 0;
    assert_int_equal(status, refused ? CMB_ERROR_MEMORY : CMB_OK);
    assert_int_equal(memory.outstanding, before);
    assert_true(k < 1000);
  }
  cmb_system_destroy(system);
  cmb_context_destroy(ctx);
  assert_int_equal(memory.outstanding, 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ranks_and_redundant_constraints),
      cmocka_unit_test(wrong_calls_are_refused),
      cmocka_unit_test(memory_runs_out),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
