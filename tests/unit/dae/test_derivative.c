/*
 * Tests of Jacobians by differences (dae/derivative.h): accurate to about the square root of eps compared with derivatives by hand, with and
 * without a pattern, and with as few evaluations as the pattern permits. They agree with the exact derivatives of the bundled problems.
 */
#include "check.h"
#include "random.h"

#include "dae/derivative.h"

#include <camber/camber.h>
#include <string.h>

enum { N = 8 };

/* A chain of masses on cubic springs between neighbours and with quadratic damping: f_i depends on q_{i-1}, q_i, q_{i+1} and v_i. M = I, no
 * constraints. */
static cmb_status chain(const void *self, const cmb_point *at, const cmb_terms *want)
{
  (void)self;
  for (int i = 0; want->M && i < N; i++) want->M[i] = 1;
  for (int i = 0; want->f && i < N; i++) {
    double left = i ? at->q[i] - at->q[i - 1] : 0, right = i < N - 1 ? at->q[i + 1] - at->q[i] : 0;
    want->f[i] = right * right * right - left * left * left - at->v[i] * at->v[i];
  }
  return CMB_OK;
}

static double expected_q(const double *q, int i, int j)
{
  double left = i ? 3 * pow(q[i] - q[i - 1], 2) : 0,
         right = i < N - 1 ? 3 * pow(q[i + 1] - q[i], 2) : 0;
  if (j == i - 1) return -left;
  if (j == i + 1) return -right;
  return j == i ? left + right : 0;
}

static const char *const names[N] = {"1", "2", "3", "4", "5", "6", "7", "8"};

static void fill_tridiagonal(int *start, int *column)
{
  int k = 0;
  for (int i = 0; i < N; i++) {
    start[i] = k;
    for (int j = i - 1; j <= i + 1; j++) {
      if (j >= 0 && j < N) column[k++] = j;
    }
  }
  start[N] = k;
}

static void check_chain(const cmb_pattern *q_pattern, const cmb_pattern *v_pattern, int groups)
{
  cmb_equations eq = {.name = "chain",
                      .nq = N,
                      .nv = N,
                      .q_names = names,
                      .v_names = names,
                      .mass_diagonal = true,
                      .evaluate = chain};
  eq.derivative_pattern[CMB_RESIDUAL_Q] = q_pattern;
  eq.derivative_pattern[CMB_RESIDUAL_V] = v_pattern;
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_evaluator *ev;
  cmb_differences *d;
  double q[N], v[N], a[N] = {0}, J[N * N];
  for (int i = 0; i < N; i++)
    q[i] = 2 + sin(2.0 * i), v[i] = 2 + cos(3.0 * i); /* not 0, for which the increment is tiny */
  cmbt_ok(ctx, cmb_evaluator_create(ctx, &eq, &ev));
  cmbt_ok(ctx, cmb_differences_create(ev, &d));
  cmbt_ok(ctx, cmb_derivative_at(d, 0, q, v, a, NULL, CMB_RESIDUAL_Q, J));
  assert_int_equal(ev->stats.f, groups + 1);
  for (int i = 0; i < N; i++) {
    if (q_pattern) {
      for (int k = q_pattern->start[i]; k < q_pattern->start[i + 1]; k++) {
        cmbt_near(J[k], expected_q(q, i, q_pattern->column[k]), 1e-6);
      }
    } else {
      for (int j = 0; j < N; j++) cmbt_near(J[i * N + j], expected_q(q, i, j), 1e-6);
    }
  }
  cmbt_ok(ctx, cmb_derivative_at(d, 0, q, v, a, NULL, CMB_RESIDUAL_V, J));
  for (int i = 0; i < N; i++) cmbt_near(J[v_pattern ? i : i * N + i], 2 * v[i], 1e-6);
  cmb_differences_destroy(d);
  cmb_evaluator_destroy(ev);
  cmb_context_destroy(ctx);
}

static void test_dense(void **state)
{
  (void)state;
  check_chain(NULL, NULL, N);
}

static void test_grouped(void **state)
{
  (void)state;
  int start[N + 1], column[3 * N], diagonal_start[N + 1], diagonal[N];
  fill_tridiagonal(start, column);
  for (int i = 0; i <= N; i++) diagonal_start[i] = i;
  for (int i = 0; i < N; i++) diagonal[i] = i;
  const cmb_pattern three = {N, N, start, column}, one = {N, N, diagonal_start, diagonal};
  check_chain(&three, &one, 3);
}

/* The pendulum has G = qᵀ and γ = |v|²: checks ∂γ/∂v = 2 vᵀ, ∂(G a + γ)/∂q = aᵀ, ∂(G v)/∂q = vᵀ, and ∂r/∂q = λ I, from Gᵀ λ. */
static void check_pendulum(cmb_context *ctx, const cmb_equations *eq)
{
  cmb_evaluator *ev;
  cmb_differences *d;
  const double q[2] = {0.6, -0.8}, v[2] = {1.5, -2.5}, a[2] = {0.1, 0.2}, lambda[1] = {3};
  double J[4];
  cmbt_ok(ctx, cmb_evaluator_create(ctx, eq, &ev));
  cmbt_ok(ctx, cmb_differences_create(ev, &d));
  cmbt_ok(ctx, cmb_derivative_at(d, 0, q, v, a, lambda, CMB_GAMMA_V, J));
  cmbt_near(J[0], 3, 1e-6);
  cmbt_near(J[1], -5, 1e-6);
  cmbt_ok(ctx, cmb_derivative_at(d, 0, q, v, a, lambda, CMB_GAMMA_Q, J));
  cmbt_near(J[0], 0.1, 1e-6);
  cmbt_near(J[1], 0.2, 1e-6);
  cmbt_ok(ctx, cmb_derivative_at(d, 0, q, v, a, lambda, CMB_VELOCITY_Q, J));
  cmbt_near(J[0], 1.5, 1e-6);
  cmbt_near(J[1], -2.5, 1e-6);
  cmbt_ok(ctx, cmb_derivative_at(d, 0, q, v, a, lambda, CMB_RESIDUAL_Q, J));
  cmbt_near(J[0], 3, 1e-6);
  cmbt_near(J[3], 3, 1e-6);
  assert_true(J[1] == 0 && J[2] == 0);
  assert_true((ev->stats.f == 0) == (eq->derivative != NULL));
  cmb_differences_destroy(d);
  cmb_evaluator_destroy(ev);
}

static void test_pendulum(void **state)
{
  (void)state;
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_system *system;
  cmbt_ok(ctx, cmb_problem_create(ctx, cmb_problem_find("pendulum"), 0, NULL, &system));
  cmb_equations eq = *cmb_system_equations(system);
  check_pendulum(ctx, &eq);
  eq.derivative = NULL;
  check_pendulum(ctx, &eq);
  cmb_system_destroy(system);
  cmb_context_destroy(ctx);
}

/* ---- bundled problems */

enum { MOST = 16 };

struct state {
  double t, q[MOST], v[MOST], a[MOST], lambda[MOST];
};

/* Makes a random state without values near 0, for which increments are tiny. */
static void fill_state(struct cmbt_random *r, struct state *x)
{
  double *const all[] = {x->q, x->v, x->a, x->lambda};
  x->t = cmbt_random_uniform(r, 0, 3);
  for (int k = 0; k < 4; k++) {
    for (int i = 0; i < MOST; i++) {
      all[k][i] = cmbt_random_uniform(r, 0.5, 2);
      all[k][i] *= cmbt_random_int(r, 0, 1) ? 1 : -1;
    }
  }
}

static void derive(cmb_context *ctx, const cmb_equations *eq, const struct state *x,
                   cmb_derivative which, double *J)
{
  cmb_evaluator *ev;
  cmb_differences *d;
  cmbt_ok(ctx, cmb_evaluator_create(ctx, eq, &ev));
  cmbt_ok(ctx, cmb_differences_create(ev, &d));
  cmbt_ok(ctx, cmb_derivative_at(d, x->t, x->q, x->v, x->a, x->lambda, which, J));
  assert_true((ev->stats.f == 0) == (eq->derivative != NULL));
  cmb_differences_destroy(d);
  cmb_evaluator_destroy(ev);
}

/* Expands values on a pattern, or dense ones if p is NULL, to a dense matrix. */
static void spread(const cmb_pattern *p, int size, const double *values, double *dense)
{
  memcpy(dense, values, (size_t)size * sizeof *dense);
  if (!p) return;
  memset(dense, 0, (size_t)size * sizeof *dense);
  for (int i = 0; i < p->rows; i++) {
    for (int k = p->start[i]; k < p->start[i + 1]; k++) {
      dense[i * p->columns + p->column[k]] = values[k];
    }
  }
}

static void check_problem(cmb_context *ctx, const cmb_equations *exact, const struct state *x,
                          cmb_derivative which)
{
  const bool constraints = which >= CMB_VELOCITY_Q;
  const bool by_v = which == CMB_RESIDUAL_V || which == CMB_GAMMA_V;
  const int size = (constraints ? exact->ng : exact->nv) * (by_v ? exact->nv : exact->nq);
  static double J[MOST * MOST], expected[MOST * MOST], values[MOST * MOST];
  cmb_equations eq = *exact;
  eq.derivative = NULL;
  memset(eq.derivative_pattern, 0, sizeof eq.derivative_pattern);
  double largest = 1;
  derive(ctx, exact, x, which, values);
  derive(ctx, &eq, x, which, expected);
  spread(exact->derivative_pattern[which], size, values, J);
  for (int i = 0; i < size; i++) largest = fmax(largest, fabs(expected[i]));
  for (int i = 0; i < size; i++) cmbt_near(J[i], expected[i], 1e-6 * largest);
}

static void test_problems(void **state)
{
  (void)state;
  cmb_context *ctx = cmb_context_create(NULL);
  struct cmbt_random random = {3};
  for (int i = 0; i < cmb_problem_count(); i++) {
    cmb_system *system;
    cmbt_ok(ctx, cmb_problem_create(ctx, cmb_problem_at(i), 0, NULL, &system));
    const cmb_equations *eq = cmb_system_equations(system);
    assert_non_null(eq->derivative);
    for (int trial = 0; trial < 20; trial++) {
      struct state x;
      fill_state(&random, &x);
      for (int k = 0; k < CMB_RESIDUAL_U; k++) check_problem(ctx, eq, &x, (cmb_derivative)k);
    }
    cmb_system_destroy(system);
  }
  cmb_context_destroy(ctx);
}

/* Time enters the residual of the chain only through its inputs, and linearly. Checks this with ∂r/∂u, and that the inputs are the
 * accelerations of the tip if the angles are constant. */
static void test_inputs_of_chain(void **state)
{
  (void)state;
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_system *system;
  cmb_evaluator *ev;
  struct cmbt_random random = {5};
  struct state x;
  const cmb_setting omega = {"omega", 2};
  const double h = 1e-4;
  double r[2][MOST], u[2][2], J[2 * MOST], out[3][2];
  fill_state(&random, &x);
  cmbt_ok(ctx, cmb_problem_create(ctx, cmb_problem_find("pendulum-chain"), 1, &omega, &system));
  const cmb_equations *eq = cmb_system_equations(system);
  cmbt_ok(ctx, cmb_evaluator_create(ctx, eq, &ev));
  assert_int_equal(eq->nu, 2);
  assert_string_equal(eq->u_names[1], "suspension_ay");
  for (int k = 0; k < 2; k++) {
    const cmb_point at = {.t = x.t + k, .scratch = ev->scratch};
    cmbt_ok(ctx, eq->inputs(eq->self, &at, u[k]));
    cmbt_ok(ctx, cmb_residual(ev, x.t + k, x.q, x.v, x.a, NULL, r[k]));
  }
  derive(ctx, eq, &x, CMB_RESIDUAL_U, J);
  for (int i = 0; i < eq->nv; i++) {
    double expected = J[2 * i] * (u[1][0] - u[0][0]) + J[2 * i + 1] * (u[1][1] - u[0][1]);
    cmbt_near(r[1][i] - r[0][i], expected, 1e-10);
  }
  assert_true(fabs(r[1][0] - r[0][0]) > 0.1);
  for (int k = 0; k < 3; k++) {
    cmbt_ok(ctx, cmb_outputs(ev, x.t + (k - 1) * h, x.q, x.v, x.a, NULL, out[k]));
  }
  for (int i = 0; i < 2; i++) {
    cmbt_near((out[0][i] - 2 * out[1][i] + out[2][i]) / (h * h), u[0][i], 1e-6);
  }
  cmb_evaluator_destroy(ev);
  cmb_system_destroy(system);
  cmb_context_destroy(ctx);
}

/* Checks that derivatives by inputs are refused if the equations do not supply them: inputs are computed inside the equations. */
static void test_inputs(void **state)
{
  (void)state;
  cmb_equations eq = {.name = "chain",
                      .nq = N,
                      .nv = N,
                      .nu = 1,
                      .q_names = names,
                      .v_names = names,
                      .mass_diagonal = true,
                      .evaluate = chain};
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_evaluator *ev;
  cmb_differences *d;
  const double zero[N] = {0};
  double J[N];
  cmbt_ok(ctx, cmb_evaluator_create(ctx, &eq, &ev));
  cmbt_ok(ctx, cmb_differences_create(ev, &d));
  for (int which = CMB_RESIDUAL_U; which < CMB_DERIVATIVES; which++) {
    assert_int_equal(cmb_derivative_at(d, 0, zero, zero, zero, zero, (cmb_derivative)which, J),
                     CMB_ERROR_ARGUMENT);
    assert_non_null(strstr(cmb_last_error(ctx), "inputs"));
  }
  cmb_differences_destroy(d);
  cmb_evaluator_destroy(ev);
  cmb_context_destroy(ctx);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_inputs),   cmocka_unit_test(test_dense),
      cmocka_unit_test(test_grouped),  cmocka_unit_test(test_pendulum),
      cmocka_unit_test(test_problems), cmocka_unit_test(test_inputs_of_chain),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
