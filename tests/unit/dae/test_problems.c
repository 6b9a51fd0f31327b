/*
 * Tests that every bundled problem is consistent in itself: G, g_t and γ are derivatives of its g (by central differences at random
 * states), the residual is M a − f + Gᵀ λ, and M is symmetric; and that their outputs have the values of their formulas.
 */
#include "check.h"
#include "random.h"

#include "dae/evaluator.h"
#include "math/pattern.h"

#include <camber/camber.h>
#include <string.h>

enum { MOST = 32 };

static const double STEP = 1e-5; /* central differences: error STEP² times a third derivative ... */
static const double TOLERANCE = 1e-7; /* ... and eps/STEP, both below this for values of order 10 */

struct state {
  double t, q[MOST], v[MOST];
};

static void randomize(struct cmbt_random *r, const cmb_system *system, struct state *x)
{
  const cmb_equations *eq = cmb_system_equations(system);
  x->t = cmbt_random_uniform(r, 0, 2);
  for (int i = 0; i < eq->nq; i++)
    x->q[i] = cmb_system_q(system)[i] + cmbt_random_uniform(r, -0.3, 0.3);
  for (int i = 0; i < eq->nv; i++) x->v[i] = cmbt_random_uniform(r, -1, 1);
}

/* Returns the state moved by `s` along (1, T v, a). */
static struct state moved(const cmb_evaluator *ev, const struct state *x, const double *a, double s)
{
  struct state y = *x;
  double qdot[MOST];
  cmb_rates(ev, x->q, x->v, qdot);
  y.t += s;
  for (int i = 0; i < ev->eq->nq; i++) y.q[i] += s * qdot[i];
  for (int i = 0; i < ev->eq->nv; i++) y.v[i] += s * a[i];
  return y;
}

static void g_at(cmb_evaluator *ev, const struct state *x, double *g)
{
  cmb_terms want = {.g = g};
  cmbt_ok(ev->ctx, cmb_evaluate(ev, x->t, x->q, x->v, &want));
}

/* Computes G v + g_t at x. */
static void constraint_velocity(cmb_evaluator *ev, const struct state *x, double *velocity)
{
  cmb_terms want = {.G = ev->G, .gt = ev->gt};
  cmbt_ok(ev->ctx, cmb_evaluate(ev, x->t, x->q, x->v, &want));
  cmb_multiply(ev->eq->G_pattern, ev->eq->ng, ev->eq->nv, ev->G, x->v, velocity);
  for (int i = 0; i < ev->eq->ng; i++) velocity[i] += ev->gt[i];
}

/* Checks dg/dt = G v + g_t and d(G v + g_t)/dt = G a + γ along a motion with acceleration a. */
static void check_constraint_derivatives(cmb_evaluator *ev, const struct state *x, const double *a)
{
  const cmb_equations *eq = ev->eq;
  double plus[MOST], minus[MOST], velocity[MOST], acceleration[MOST];
  struct state ahead = moved(ev, x, a, STEP), behind = moved(ev, x, a, -STEP);
  g_at(ev, &ahead, plus);
  g_at(ev, &behind, minus);
  constraint_velocity(ev, x, velocity);
  for (int i = 0; i < eq->ng; i++)
    cmbt_near((plus[i] - minus[i]) / (2 * STEP), velocity[i], TOLERANCE);

  constraint_velocity(ev, &ahead, plus);
  constraint_velocity(ev, &behind, minus);
  cmb_terms want = {.G = ev->G, .gamma = ev->gamma};
  cmbt_ok(ev->ctx, cmb_evaluate(ev, x->t, x->q, x->v, &want));
  cmb_multiply(eq->G_pattern, eq->ng, eq->nv, ev->G, a, acceleration);
  for (int i = 0; i < eq->ng; i++) {
    cmbt_near((plus[i] - minus[i]) / (2 * STEP), acceleration[i] + ev->gamma[i], 10 * TOLERANCE);
  }
}

static void check_residual(cmb_evaluator *ev, const struct state *x, const double *a,
                           const double *lambda)
{
  const cmb_equations *eq = ev->eq;
  double r[MOST], expected[MOST];
  cmbt_ok(ev->ctx, cmb_residual(ev, x->t, x->q, x->v, a, lambda, r));
  cmb_terms want = {.M = ev->M, .f = ev->f, .G = ev->G};
  cmbt_ok(ev->ctx, cmb_evaluate(ev, x->t, x->q, x->v, &want));
  cmb_multiply_mass(ev, a, expected);
  cmb_multiply_transposed_add(eq->G_pattern, eq->ng, eq->nv, ev->G, 1, lambda, expected);
  for (int i = 0; i < eq->nv; i++) cmbt_near(r[i], expected[i] - ev->f[i], 1e-10);
  for (int i = 0; i < eq->nv && !eq->mass_diagonal; i++) {
    for (int j = 0; j < i; j++) assert_true(ev->M[i * eq->nv + j] == ev->M[j * eq->nv + i]);
  }
}

/* Checks that the computed accelerations satisfy the equations of motion and G a + γ = 0. */
static void check_acceleration(cmb_evaluator *ev, const struct state *x)
{
  const cmb_equations *eq = ev->eq;
  double a[MOST], lambda[MOST], r[MOST], Ga[MOST];
  cmbt_ok(ev->ctx, cmb_accelerate(ev, x->t, x->q, x->v, a, lambda));
  cmbt_ok(ev->ctx, cmb_residual(ev, x->t, x->q, x->v, a, lambda, r));
  double scale = 1;
  for (int i = 0; i < eq->nv; i++) scale = fmax(scale, fabs(a[i]));
  for (int i = 0; i < eq->nv; i++) cmbt_near(r[i], 0, 1e-12 * scale * eq->nv * eq->nv);
  cmb_terms want = {.G = ev->G, .gamma = ev->gamma};
  cmbt_ok(ev->ctx, cmb_evaluate(ev, x->t, x->q, x->v, &want));
  cmb_multiply(eq->G_pattern, eq->ng, eq->nv, ev->G, a, Ga);
  for (int i = 0; i < eq->ng; i++) cmbt_near(Ga[i], -ev->gamma[i], 1e-12 * scale);
}

static void check_problem(const cmb_problem *problem)
{
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_system *system;
  cmb_evaluator *ev;
  struct cmbt_random random = {7};
  cmbt_ok(ctx, cmb_problem_create(ctx, problem, 0, NULL, &system));
  const cmb_equations *eq = cmb_system_equations(system);
  assert_in_range(eq->nq, 1, MOST);
  cmbt_ok(ctx, cmb_evaluator_create(ctx, eq, &ev));
  for (int k = 0; k < 50; k++) {
    struct state x;
    double a[MOST], lambda[MOST];
    randomize(&random, system, &x);
    for (int i = 0; i < eq->nv; i++) a[i] = cmbt_random_uniform(&random, -1, 1);
    for (int i = 0; i < eq->ng; i++) lambda[i] = cmbt_random_uniform(&random, -1, 1);
    check_constraint_derivatives(ev, &x, a);
    check_residual(ev, &x, a, lambda);
    check_acceleration(ev, &x);
  }
  cmb_evaluator_destroy(ev);
  cmb_system_destroy(system);
  cmb_context_destroy(ctx);
}

static void test_problems(void **state)
{
  (void)state;
  for (int i = 0; i < cmb_problem_count(); i++) check_problem(cmb_problem_at(i));
}

/* Creates a problem with its default parameters, and computes its two outputs at the positions q and velocities v. */
static void compute_outputs(const char *name, const double *q, const double *v, double out[2])
{
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_system *system;
  cmb_evaluator *ev;
  cmbt_ok(ctx, cmb_problem_create(ctx, cmb_problem_find(name), 0, NULL, &system));
  const cmb_equations *eq = cmb_system_equations(system);
  const double none[MOST] = {0};
  assert_int_equal(eq->no, 2);
  cmbt_ok(ctx, cmb_evaluator_create(ctx, eq, &ev));
  cmbt_ok(ctx, cmb_outputs(ev, 0, q, v, none, none, out));
  cmb_evaluator_destroy(ev);
  cmb_system_destroy(system);
  cmb_context_destroy(ctx);
}

static void test_outputs(void **state)
{
  (void)state;
  double out[2];
  compute_outputs("circular-track", (const double[]){-3, 4, 7}, (const double[]){2, 10}, out);
  cmbt_near(out[0], 5, 1e-15);
  cmbt_near(out[1], (-3 * 10.0 - 4 * 2) / 5, 1e-14);
  compute_outputs("pendulum", (const double[]){0.6, -0.8}, (const double[]){0.5, 0.25}, out);
  cmbt_near(out[0], atan2(0.6, 0.8), 1e-15);
  cmbt_near(out[1], 0.5 * (0.25 + 0.0625) + 9.81 * (1 - 0.8), 1e-14);
}

static cmb_status create(cmb_context *ctx, const char *name, const char *parameter, double value)
{
  cmb_setting setting = {parameter, value};
  cmb_system *system;
  cmb_status status = cmb_problem_create(ctx, cmb_problem_find(name), 1, &setting, &system);
  if (status == CMB_OK) cmb_system_destroy(system);
  return status;
}

static void test_parameters(void **state)
{
  (void)state;
  cmb_context *ctx = cmb_context_create(NULL);
  cmbt_ok(ctx, create(ctx, "pendulum-chain", "N", 3));
  assert_int_equal(create(ctx, "pendulum-chain", "N", 2.5), CMB_ERROR_INPUT);
  assert_non_null(strstr(cmb_last_error(ctx), "whole number"));
  assert_int_equal(create(ctx, "pendulum-chain", "N", 0), CMB_ERROR_INPUT);
  assert_int_equal(create(ctx, "pendulum", "l", -1), CMB_ERROR_INPUT);
  assert_int_equal(create(ctx, "pendulum", "l", NAN), CMB_ERROR_INPUT);
  assert_int_equal(create(ctx, "pendulum", "angel", 1), CMB_ERROR_INPUT);
  assert_non_null(strstr(cmb_last_error(ctx), "did you mean 'angle'"));
  assert_null(cmb_problem_find("nothing"));
  cmb_context_destroy(ctx);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_problems),
      cmocka_unit_test(test_outputs),
      cmocka_unit_test(test_parameters),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
