/*
 * Tests of the TMeasy tyre (dyn/tmeasy.c): forces against values of a second implementation of the same equations, in Python, for pure and
 * combined slip, in all three sections of the force curve and of the pneumatic trail, at several loads and at low friction; derivatives at
 * zero slip against closed forms.
 */
#include "check.h"

#include "dyn/tmeasy.h"

#include <camber/camber.h>

static const cmb_tmeasy tyre = {
    .load = 3000,
    .x = {{50000, 75000}, {0.15, 0.18}, {3000, 4500}, {0.4, 0.5}, {2800, 4200}},
    .y = {{40000, 60000}, {0.21, 0.24}, {2750, 4125}, {0.6, 0.8}, {2500, 3750}},
    .stiffness = {100000, 150000},
    .has_trail = true,
    .trail = {0.133, 0.1},
    .trail_zero = {0.25, 0.275},
    .trail_end = {0.6, 0.8}};

static void open_graph(cmb_context **ctx, cmb_graph **g)
{
  *ctx = cmb_context_create(NULL);
  assert_non_null(*ctx);
  cmbt_ok(*ctx, cmb_graph_create(*ctx, g));
}

static void test_values(void **state)
{
  (void)state;
  static const struct {
    double in[4];  /* Fz, κ, tan α, friction */
    double out[3]; /* Fx, Fy, Mz for the contact length 0.14 m and Vx = 20 m/s */
  } cases[] = {
      {{3000, 0.02, 0, 1}, {922.13114754098, -0, 0}},
      {{3000, 0, 0.03, 1}, {0, -1024.7148288973, 17.428391004269}},
      {{4500, 0.05, -0.08, 1}, {1916.2388460114, 2453.8163051311, -29.065975966265}},
      {{1500, -0.2, 0.1, 0.7}, {-1023.3787768493, -398.06985376463, 4.9758197961918}},
      {{6000, -0.3, -0.3, 1}, {-3246.6601153804, 2627.4727408034, 1.9904847712197}},
      {{3000, 0.5, 0.7, 0.4}, {707.99594457687, -783.05069206858, -0}},
      {{2000, 1, 0.65, 1}, {1764.6723954266, -897.19896012773, -0}},
  };
  cmb_context *ctx;
  cmb_graph *g;
  open_graph(&ctx, &g);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const double *x = cases[i].in;
    const cmb_tyre_input in = {.Fz = cmb_constant(g, x[0]),
                               .kappa = cmb_constant(g, x[1]),
                               .tan_alpha = cmb_constant(g, x[2]),
                               .Vx = cmb_constant(g, 20),
                               .friction = cmb_constant(g, x[3])};
    cmb_tyre_output out;
    cmbt_ok(ctx, cmb_tmeasy_law(g, &tyre, &in, cmb_constant(g, 0.14), &out));
    const cmb_expr e[3] = {out.Fx, out.Fy, out.Mz};
    for (int k = 0; k < 3; k++) {
      assert_int_equal(cmb_expr_op(g, e[k]), CMB_OP_CONSTANT);
      /* the table has 14 digits; the slips are more than 1e5 times the regularisation, and no friction is below its limit (tmeasy.c) */
      cmbt_near(cmb_expr_constant(g, e[k]), cases[i].out[k], 1e-9 * (1 + fabs(cases[i].out[k])));
    }
  }
  cmb_graph_destroy(g);
  cmb_context_destroy(ctx);
}

/* Checks zero slip, with friction 1 and 0.3: forces and torque are 0, ∂Fx/∂κ and −∂Fy/∂tan α are the initial slopes dF0 in x and y, the
 * other derivatives of the forces are 0, and the pneumatic trail in ∂Mz/∂tan α is n0 = 0.133 times the contact length. */
static void test_no_slip(void **state)
{
  (void)state;
  cmb_context *ctx;
  cmb_graph *g;
  open_graph(&ctx, &g);
  const cmb_expr slip[2] = {cmb_input(g, "kappa"), cmb_input(g, "tan_alpha")};
  const cmb_expr zero[2] = {cmb_constant(g, 0), cmb_constant(g, 0)}, one = cmb_constant(g, 1);
  for (int road = 0; road < 2; road++) {
    const cmb_tyre_input in = {.Fz = cmb_constant(g, 3000),
                               .kappa = slip[0],
                               .tan_alpha = slip[1],
                               .Vx = cmb_constant(g, 20),
                               .friction = road == 0 ? one : cmb_constant(g, 0.3)};
    cmb_tyre_output out;
    cmbt_ok(ctx, cmb_tmeasy_law(g, &tyre, &in, cmb_constant(g, 0.14), &out));
    const cmb_expr force[3] = {out.Fx, out.Fy, out.Mz};
    cmb_expr e[9] = {out.Fx, out.Fy, out.Mz};
    for (int i = 0; i < 2; i++)
      cmbt_ok(ctx, cmb_forward(g, 1, &slip[i], &one, 3, force, &e[3 + 3 * i]));
    cmbt_ok(ctx, cmb_substitute(g, 2, slip, zero, 9, e, e));
    /* factor of the trail, a smooth approximation of the sign of Vx */
    const double direction = 20 / sqrt(400.01);
    const double expected[9] = {0, 0, 0, 50000, 0, 0, 0, -40000, 0.14 * 0.133 * direction * 40000};
    for (int k = 0; k < 9; k++) {
      assert_int_equal(cmb_expr_op(g, e[k]), CMB_OP_CONSTANT);
      cmbt_near(cmb_expr_constant(g, e[k]), expected[k], 1e-15 * fabs(expected[k]) * 4);
    }
  }
  cmb_graph_destroy(g);
  cmb_context_destroy(ctx);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_values), cmocka_unit_test(test_no_slip)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
