/*
 * Tests of systems from expressions against the same problems written in C: every set of terms, accelerations and residual in one call,
 * exact derivatives compared with differences, empty patterns, inputs, Euler parameters.
 */
#include "check.h"
#include "graph_examples.h"
#include "graph_stage.h"
#include "random.h"

#include <string.h>

enum { ROOM = 64 };

static void fill(int n, double value, double *x)
{
  for (int i = 0; i < n; i++) x[i] = value;
}

static void random_state(struct cmbt_random *r, int n, double *x)
{
  for (int i = 0; i < n; i++) x[i] = cmbt_random_uniform(r, -1.5, 1.5);
}

/* ---- terms */

static const double UNTOUCHED = 1234.5;

struct all_terms {
  double value[6][ROOM];
};

/* Returns terms whose arrays are in `a`; the k-th one is requested if bit k is set. */
static cmb_terms choose(struct all_terms *a, unsigned bits)
{
  double *to[6];
  for (int k = 0; k < 6; k++) {
    fill(ROOM, UNTOUCHED, a->value[k]);
    to[k] = bits >> k & 1 ? a->value[k] : NULL;
  }
  return (cmb_terms){to[0], to[1], to[2], to[3], to[4], to[5]};
}

/* Checks all 64 sets of terms; velocities are passed only if f or γ is requested. */
static void test_every_set_of_terms(void **state)
{
  (void)state;
  struct cmbt_stage s;
  struct cmbt_random r = {1};
  static struct all_terms got, expected;
  const cmb_setting settings[] = {{"m", 2}, {"l", 1.5}};
  cmb_system *by_hand;
  cmbt_stage_open(&s, &cmbt_pendulum, &(cmb_graph_options){0});
  cmbt_ok(s.ctx, cmb_problem_create(s.ctx, cmb_problem_find("pendulum"), 2, settings, &by_hand));
  const cmb_equations *eq = cmb_system_equations(by_hand);
  assert_true(s.eq->mass_diagonal && s.eq->mass_constant && !s.eq->G_pattern);
  for (unsigned bits = 0; bits < 64; bits++) {
    double q[2], v[2];
    random_state(&r, 2, q);
    random_state(&r, 2, v);
    cmb_terms want = choose(&got, bits), same = choose(&expected, bits);
    cmb_point at = cmbt_stage_point(&s, 0.3, q, want.f || want.gamma ? v : NULL);
    cmbt_ok(s.ctx, s.eq->evaluate(s.eq->self, &at, &want));
    cmbt_ok(s.ctx, eq->evaluate(eq->self, &at, &same));
    for (int k = 0; k < 6; k++) {
      for (int i = 0; i < ROOM; i++) cmbt_near(got.value[k][i], expected.value[k][i], 1e-14);
    }
  }
  cmb_system_destroy(by_hand);
  cmbt_stage_close(&s);
}

static void test_names_and_start(void **state)
{
  (void)state;
  struct cmbt_stage s;
  cmbt_stage_open(&s, &cmbt_pendulum, &(cmb_graph_options){0});
  assert_string_equal(s.eq->name, "pendulum");
  assert_string_equal(s.eq->q_names[1], "y");
  assert_string_equal(s.eq->v_names[0], "vx");
  assert_string_equal(s.eq->g_names[0], "length of the rod");
  assert_string_equal(s.eq->lambda_names[0], "lambda_0");
  assert_string_equal(s.eq->output_names[2], "force");
  assert_true(cmb_system_q(s.system)[1] == -1.2 && cmb_system_v(s.system)[1] == 0);
  assert_true(!s.eq->residual && !s.eq->accelerate && !s.eq->derivative && !s.eq->rates);
  assert_true(!s.eq->normalize && !s.eq->switches && !s.eq->levels && s.eq->ns == 0);
  assert_false(s.eq->euler_parameters);
  cmbt_stage_close(&s);
}

static void test_outputs_and_energy(void **state)
{
  (void)state;
  struct cmbt_stage s;
  const double q[2] = {0.9, -1.2}, v[2] = {0.4, 0.3}, a[2] = {7, 8}, lambda[1] = {5};
  double out[4], energy;
  cmbt_stage_open(&s, &cmbt_pendulum, &(cmb_graph_options){0});
  cmb_point at = cmbt_stage_point(&s, 0, q, v);
  cmbt_ok(s.ctx, s.eq->outputs(s.eq->self, &at, a, lambda, out));
  cmbt_ok(s.ctx, s.eq->energy(s.eq->self, &at, &energy));
  cmbt_near(out[0], atan2(0.9, 1.2), 1e-15);
  cmbt_near(out[1], 0.25 + 2 * 9.81 * 0.3, 1e-14);
  cmbt_near(out[2], 5, 0);
  cmbt_near(out[3], 7, 0);
  cmbt_near(energy, 0.25 - 2 * 9.81 * 1.2, 1e-14);
  cmbt_stage_close(&s);
}

/* ---- explicit form and residual form */

/* Checks that a and λ satisfy the equations of motion, and that the explicit form refuses an ill-conditioned state. */
static void test_one_call_forms(void **state)
{
  (void)state;
  struct cmbt_stage s;
  const cmb_graph_options options = {.explicit_form = true, .residual_form = true};
  double q[2] = {0.9, -1.2}, v[2] = {0.4, 0.3}, a[2], lambda[1], r[2];
  cmbt_stage_open(&s, &cmbt_pendulum, &options);
  cmb_point at = cmbt_stage_point(&s, 0, q, v);
  cmbt_ok(s.ctx, s.eq->accelerate(s.eq->self, &at, a, lambda));
  cmbt_near(2 * a[0] + q[0] * lambda[0], 0, 1e-13);
  cmbt_near(2 * a[1] + q[1] * lambda[0], -2 * 9.81, 1e-13);
  cmbt_near(q[0] * a[0] + q[1] * a[1] + v[0] * v[0] + v[1] * v[1], 0, 1e-13);
  cmbt_ok(s.ctx, s.eq->residual(s.eq->self, &at, v, q, r));
  cmbt_near(r[0], 2 * v[0] + q[0] * q[0], 1e-14);
  cmbt_near(r[1], 2 * v[1] + 2 * 9.81 + q[1] * q[0], 1e-13);
  q[0] = 1e-13; /* a pivot is then below its limit */
  assert_int_equal(s.eq->accelerate(s.eq->self, &at, a, lambda), CMB_RETRY_SINGULAR);
  q[0] = NAN;
  assert_int_equal(s.eq->accelerate(s.eq->self, &at, a, lambda), CMB_RETRY_SINGULAR);
  cmbt_stage_close(&s);
}

/* ---- derivatives */

static double element(const cmb_pattern *p, const double *values, int row, int column)
{
  for (int k = p->start[row]; k < p->start[row + 1]; k++) {
    if (p->column[k] == column) return values[k];
  }
  return 0;
}

/* Returns G w of the arm with u = 0. */
static double arm_gradient(const double *q, const double *w)
{
  return cos(q[0]) * w[0] - 2 * sin(q[1]) * w[1] - w[2];
}

/* Computes all functions of the arm whose derivatives are tested: r (3), G a + γ, g, G v + g_t. */
static void arm(double t, const double *x, const double *a, double lambda, double *y)
{
  cmbt_arm_residual(t, x, x + 3, a, lambda, x[6], y);
  y[3] = arm_gradient(x, a) + cmbt_arm_gamma(t, x, x + 3);
  y[4] = cmbt_arm_position(t, x, x[6]);
  y[5] = arm_gradient(x, x + 3) - t / 5;
}

/* Compares with central differences, whose error with a step of 1e-5 is below 1e-9 here. */
static void test_derivatives(void **state)
{
  (void)state;
  static const struct {
    cmb_derivative which;
    int rows, row, columns, column;
  } blocks[CMB_RESIDUAL_P] = {{CMB_RESIDUAL_Q, 3, 0, 3, 0}, {CMB_RESIDUAL_V, 3, 0, 3, 3},
                              {CMB_VELOCITY_Q, 1, 5, 3, 0}, {CMB_GAMMA_Q, 1, 3, 3, 0},
                              {CMB_GAMMA_V, 1, 3, 3, 3},    {CMB_RESIDUAL_U, 3, 0, 1, 6},
                              {CMB_POSITION_U, 1, 4, 1, 6}};
  struct cmbt_stage s;
  struct cmbt_random random = {7};
  const double t = 0.7, h = 1e-5;
  cmbt_stage_open(&s, &cmbt_arm, &(cmb_graph_options){.derivatives = true});
  assert_int_equal(s.eq->nu, 1);
  assert_string_equal(s.eq->u_names[0], "u_0");
  for (int trial = 0; trial < 5; trial++) {
    double x[7], a[3], lambda, up[6], down[6], J[ROOM];
    random_state(&random, 6, x);
    random_state(&random, 3, a);
    random_state(&random, 1, &lambda);
    x[6] = 0;
    cmb_point at = cmbt_stage_point(&s, t, x, x + 3);
    for (int k = 0; k < CMB_RESIDUAL_P; k++) { /* the arm has no live parameters */
      const cmb_pattern *p = s.eq->derivative_pattern[blocks[k].which];
      assert_true(p->rows == blocks[k].rows && p->columns == blocks[k].columns);
      cmbt_ok(s.ctx, s.eq->derivative(s.eq->self, &at, a, &lambda, blocks[k].which, J));
      for (int j = 0; j < blocks[k].columns; j++) {
        double moved[7];
        memcpy(moved, x, sizeof moved);
        moved[blocks[k].column + j] += h;
        arm(t, moved, a, lambda, up);
        moved[blocks[k].column + j] -= 2 * h;
        arm(t, moved, a, lambda, down);
        for (int i = 0; i < blocks[k].rows; i++) {
          int row = blocks[k].row + i;
          cmbt_near(element(p, J, i, j), (up[row] - down[row]) / (2 * h), 1e-8);
        }
      }
    }
  }
  cmbt_stage_close(&s);
}

/* Checks that entries that are always 0 are not in the patterns. */
static void test_patterns_of_derivatives(void **state)
{
  (void)state;
  struct cmbt_stage s;
  cmbt_stage_open(&s, &cmbt_arm, &(cmb_graph_options){.derivatives = true});
  assert_int_equal(s.eq->derivative_pattern[CMB_RESIDUAL_Q]->start[3], 5);
  assert_int_equal(s.eq->derivative_pattern[CMB_RESIDUAL_V]->start[3], 3);
  assert_int_equal(s.eq->derivative_pattern[CMB_VELOCITY_Q]->start[1], 2);
  assert_int_equal(s.eq->derivative_pattern[CMB_GAMMA_Q]->start[1], 2);
  assert_int_equal(s.eq->derivative_pattern[CMB_GAMMA_V]->start[1], 2);
  cmbt_stage_close(&s);
}

/* A mass that follows a drive along a straight line: only the derivative of the force with respect to q has an entry. The drive has a kink,
 * and another input has no effect. */
static const struct cmbt_graph_model slider = {
    .name = "slider",
    .nq = 2,
    .nv = 2,
    .ng = 1,
    .nu = 2,
    .q = (const char *const[]){"x", "y"},
    .v = (const char *const[]){"vx", "vy"},
    .g_names = (const char *const[]){"drive"},
    .q_start = (const double[]){0, 0},
    .v_start = (const double[]){0, 0},
    .M_count = 2,
    .M = (const struct cmbt_entry[]){{0, 0, "1"}, {1, 1, "1"}},
    .G_count = 2,
    .G = (const struct cmbt_entry[]){{0, 0, "1"}, {0, 1, "-1"}},
    .f = (const char *const[]){"-x", "max(t - 1, 0) + u_0"},
    .g = (const char *const[]){"x - y"},
    .gamma = (const char *const[]){"0"},
    .gt = (const char *const[]){"0"},
    .inputs = (const char *const[]){"max(t - 1, 0)", "abs(t - 1)"},
};

static void test_empty_derivatives(void **state)
{
  (void)state;
  struct cmbt_stage s;
  const double zero[2] = {0, 0};
  cmbt_stage_open(&s, &slider, &(cmb_graph_options){.derivatives = true});
  cmb_point at = cmbt_stage_point(&s, 0, zero, zero);
  for (int k = CMB_RESIDUAL_V; k <= CMB_GAMMA_V; k++) {
    double J = UNTOUCHED;
    const cmb_pattern *p = s.eq->derivative_pattern[k];
    assert_int_equal(p->start[p->rows], 0);
    cmbt_ok(s.ctx, s.eq->derivative(s.eq->self, &at, zero, zero, (cmb_derivative)k, &J));
    assert_true(J == UNTOUCHED);
  }
  cmbt_stage_close(&s);
}

/* ---- inputs */

/* Checks that the mode selects the branch of an input that affects the motion; an input without effect has no mode. */
static void test_inputs(void **state)
{
  (void)state;
  struct cmbt_stage s;
  const double zero[2] = {0, 0};
  double u[2], margin;
  cmbt_stage_open(&s, &cmbt_arm, &(cmb_graph_options){0});
  cmb_point at = cmbt_stage_point(&s, 0.7, NULL, NULL);
  cmbt_ok(s.ctx, s.eq->inputs(s.eq->self, &at, u));
  cmbt_near(u[0], 0.25 * 0.49, 1e-16);
  cmbt_stage_close(&s);
  cmbt_stage_open(&s, &slider, &(cmb_graph_options){0});
  assert_int_equal(s.eq->ns, 1);
  for (int after = 0; after <= 1;
       after++) { /* with the mode of a time before the kink, then after it */
    at = cmbt_stage_point(&s, after ? 2 : 0, zero, zero);
    cmbt_ok(s.ctx, s.eq->switches(s.eq->self, &at, zero, &margin));
    s.mode[0] = margin > 0 ? 1 : -1;
    at = cmbt_stage_point(&s, 0.25, NULL, NULL);
    cmbt_ok(s.ctx, s.eq->inputs(s.eq->self, &at, u));
    cmbt_near(u[0], after ? -0.75 : 0, 0);
    cmbt_near(u[1], 0.75, 0);
  }
  cmbt_stage_close(&s);
  cmbt_stage_open(&s, &cmbt_pendulum, &(cmb_graph_options){0});
  assert_null(s.eq->inputs);
  cmbt_stage_close(&s);
}

/* Checks that M is stored dense, with zeros outside of its pattern, for u = 0; and that a switch in an output has no mode. */
static void test_full_mass(void **state)
{
  (void)state;
  struct cmbt_stage s;
  const double q[3] = {0.3, -0.4, 0.5}, v[3] = {1, 2, 3};
  double c = cos(0.7) / 2, M[9], G[3], f[3], out;
  const double expected[9] = {3 + cos(0.4), c, 0, c, 2.25, 0, 0, 0, 1.5};
  cmbt_stage_open(&s, &cmbt_arm, &(cmb_graph_options){0});
  assert_true(!s.eq->mass_constant && !s.eq->mass_diagonal && !s.eq->M_pattern && s.eq->ns == 0);
  cmb_point at = cmbt_stage_point(&s, 0.5, q, v);
  fill(9, UNTOUCHED, M);
  cmbt_ok(s.ctx, s.eq->evaluate(s.eq->self, &at, &(cmb_terms){.M = M, .f = f, .G = G}));
  for (int i = 0; i < 9; i++) cmbt_near(M[i], expected[i], 1e-15);
  cmbt_near(G[1], 2 * sin(0.4), 1e-15);
  cmbt_near(G[2], -1, 0);
  cmbt_near(f[2], sin(0.5) - 0.9, 1e-15);
  cmbt_ok(s.ctx, s.eq->outputs(s.eq->self, &at, v, v, &out));
  cmbt_near(out, 0.4, 0);
  cmbt_stage_close(&s);
}

/* ---- Euler parameters */

static void test_euler_parameters(void **state)
{
  (void)state;
  struct cmbt_stage s;
  const double q[4] = {0.5, 0.5, -0.5, 0.5}, v[3] = {2, 4, 6};
  const double expected[4] = {-1, -2, 0, 3}; /* (−e·ω, e0 ω + e × ω)/2 */
  double qdot[4], longer[4] = {1, 1, -1, 1}, nothing[4] = {0, 0, 0, 0};
  cmbt_stage_open(&s, &cmbt_top, &(cmb_graph_options){0});
  assert_true(s.eq->euler_parameters);
  s.eq->rates(s.eq->self, q, v, qdot);
  for (int i = 0; i < 4; i++) cmbt_near(qdot[i], expected[i], 1e-15);
  s.eq->normalize(s.eq->self, longer);
  s.eq->normalize(s.eq->self, nothing);
  for (int i = 0; i < 4; i++) cmbt_near(longer[i], q[i], 1e-16);
  for (int i = 0; i < 4; i++) cmbt_near(nothing[i], 0, 0);
  cmbt_stage_close(&s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_set_of_terms), cmocka_unit_test(test_names_and_start),
      cmocka_unit_test(test_outputs_and_energy), cmocka_unit_test(test_one_call_forms),
      cmocka_unit_test(test_derivatives),        cmocka_unit_test(test_patterns_of_derivatives),
      cmocka_unit_test(test_full_mass),          cmocka_unit_test(test_euler_parameters),
      cmocka_unit_test(test_empty_derivatives),  cmocka_unit_test(test_inputs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
