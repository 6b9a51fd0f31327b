/*
 * Tests of the freedoms of mechanisms (cmb_freedoms_create): the choice of coordinates, and the positions to which they are moved, for a
 * four-bar linkage against its closure equation; wrong calls; failing requests for memory.
 */
#include "check.h"
#include "failing_allocator.h"
#include "model_run.h"

#include <math.h>
#include <string.h>

/* Returns the freedoms at the start position of a run. */
static cmb_freedoms *freedoms_of(cmbt_run *r)
{
  cmb_freedoms *f = NULL;
  const cmb_freedoms_place at = {r->eq, r->model, 0, r->result->q, r->result->v, NULL};
  cmbt_ok(r->ctx, cmb_freedoms_create(r->ctx, &at, &f));
  return f;
}

/* Moves the crank of a four-bar linkage to seven angles and checks that the distance of the two pins of the coupler is its length; and that
 * cmb_freedoms_check accepts the position, but not one with the rocker turned by 0.001 rad. */
static void test_four_bar(void **state)
{
  /* crank of length 1, coupler from (0, 1) to (2.5, 2.45) in the x-z plane, rocker of length 2.5 on (3, 0); all turn about y */
  static const char text[] =
      "points: {A: [0, 0, 0], B: [0, 0, 1], D: [3, 0, 0], C: [2.5, 0, 2.449489742783178]}\n"
      "bodies:\n"
      "  crank: {mass: 1, rod: [A, B]}\n"
      "  coupler: {mass: 1, rod: [B, C]}\n"
      "  rocker: {mass: 1, rod: [D, C]}\n"
      "joints:\n"
      "  a: {type: revolute, child: crank, at: A, axis: y, coordinates: [crank_angle]}\n"
      "  b: {type: revolute, parent: crank, child: coupler, at: B, axis: y, coordinates: "
      "[coupler_angle]}\n"
      "  d: {type: revolute, child: rocker, at: D, axis: y, coordinates: [rocker_angle]}\n"
      "loops: {pin: {type: spherical, between: [coupler@C, rocker@C]}}\n";
  const double coupler = hypot(2.5, 2.449489742783178 - 1);
  cmbt_run r;
  int count;
  (void)state;
  cmbt_run_open_text(&r, text, CMB_FORM_EXPLICIT);
  cmbt_run_start(&r);
  cmb_freedoms *f = freedoms_of(&r);
  const cmb_freedom *list = cmb_freedoms_list(f, &count);
  assert_int_equal(count, 1);
  assert_string_equal(list[0].name, "crank_angle");
  assert_true(list[0].angle);
  for (int k = -3; k <= 3; k++) {
    double q[3], reached;
    bool satisfied;
    memcpy(q, r.result->q, sizeof q);
    cmbt_ok(r.ctx, cmb_freedoms_drive(f, 0));
    cmbt_ok(r.ctx, cmb_freedoms_move(f, 0.2 * k, 0, q, &reached));
    cmbt_near(reached, 1, 0);
    cmbt_near(q[0], 0.2 * k, 1e-12);
    const double b_x = sin(q[0]), b_z = cos(q[0]);
    const double c_x = 3 + cos(q[2]) * -0.5 + sin(q[2]) * 2.449489742783178;
    const double c_z = sin(q[2]) * 0.5 + cos(q[2]) * 2.449489742783178;
    cmbt_near(hypot(c_x - b_x, c_z - b_z), coupler, 1e-9);
    cmbt_ok(r.ctx, cmb_freedoms_check(f, 0, q, &satisfied));
    assert_true(satisfied);
    q[2] += 1e-3;
    cmbt_ok(r.ctx, cmb_freedoms_check(f, 0, q, &satisfied));
    assert_false(satisfied);
  }
  assert_int_equal(cmb_freedoms_drive(f, 1), CMB_ERROR_ARGUMENT);
  cmb_freedoms_destroy(f);
  cmbt_run_close(&r);
}

/* Checks that the constraints of a consistent state are 0 and that missing positions are refused. */
static void test_constraint_values(void **state)
{
  cmbt_run r;
  double g[16];
  (void)state;
  cmbt_run_open(&r, "four-bar-pin", CMB_FORM_EXPLICIT, 0, NULL);
  cmbt_run_start(&r);
  assert_in_range(r.eq->ng, 1, 16);
  cmbt_ok(r.ctx, cmb_constraint_values(r.ctx, r.eq, 0, r.result->q, r.result->v, g));
  for (int i = 0; i < r.eq->ng; i++) cmbt_below(fabs(g[i]), 1e-12);
  assert_int_equal(cmb_constraint_values(r.ctx, r.eq, 0, NULL, r.result->v, g), CMB_ERROR_ARGUMENT);
  cmbt_run_close(&r);
}

/* Makes each request for memory fail once while freedoms are created and one is chosen: the error is CMB_ERROR_MEMORY, and no memory is
 * leaked. */
static void test_memory(void **state)
{
  static const char *const models[] = {"four-bar-pin", "simple-pendulum", "newtons-cradle"};
  (void)state;
  for (size_t m = 0; m < sizeof models / sizeof *models; m++) {
    cmbt_run r;
    bool refused = true;
    cmbt_run_open(&r, models[m], CMB_FORM_EXPLICIT, 0, NULL);
    cmbt_run_start(&r);
    const cmb_freedoms_place at = {r.eq, r.model, 0, r.result->q, r.result->v, NULL};
    for (long k = 1; refused; k++) {
      struct cmbt_allocator memory;
      cmb_freedoms *f = NULL;
      cmbt_allocator_init(&memory);
      cmb_context *ctx = cmb_context_create(&memory.hook);
      memory.fail_at = memory.calls + k;
      cmb_status status = cmb_freedoms_create(ctx, &at, &f);
      assert_true((status == CMB_OK) == (f != NULL));
      if (status == CMB_OK) status = cmb_freedoms_drive(f, 0);
      refused = memory.refused > 0;
      assert_int_equal(status, refused ? CMB_ERROR_MEMORY : CMB_OK);
      cmb_freedoms_destroy(f);
      cmb_context_destroy(ctx);
      assert_int_equal(memory.outstanding, 0);
      assert_true(!refused || k < 10000);
    }
    cmbt_run_close(&r);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_four_bar),
                                     cmocka_unit_test(test_constraint_values),
                                     cmocka_unit_test(test_memory)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
