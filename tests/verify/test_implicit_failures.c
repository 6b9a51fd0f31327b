/*
 * Implicit methods that cannot go on, or only with difficulty: wrong Jacobians, singular iteration matrices, solutions that end in finite
 * time, values that are not finite. A run ends with CMB_OK and the right result, or with a status, an error text that contains the time, and
 * finite results so far. It always ends, and never with a wrong result.
 */
#include "check.h"

#include <camber/camber.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 8, MOST_STEPS = 20000, MOST_EVALUATIONS = 1000000 };

struct variant {
  const char *method, *form;
};

static const struct variant variants[] = {
    {"bdf", "ggl"},       {"bdf", "index3"},   {"bdf", "index2"},    {"bdf", "index1"},
    {"radau5", "index3"}, {"radau5", "ggl"},   {"radau5", "index1"}, {"radau", "index3"},
    {"radau", "ggl"},     {"radau", "index1"}, {"sdirk4", NULL},     {"trap", NULL},
    {"forsdirk", NULL}};

enum { VARIANTS = sizeof variants / sizeof variants[0] };

/* Returns whether the method computes derivatives by differences even if the equations supply them. */
static bool makes_derivatives(const struct variant *variant)
{
  return strcmp(variant->method, "forsdirk") == 0;
}

struct outcome {
  cmb_status status;
  char message[300];
  double t, q[MOST], v[MOST];
  long records, evaluations;
};

static cmb_status check_record(void *user, const cmb_record *r)
{
  const cmb_equations *eq = user;
  bool finite = isfinite(r->t);
  for (int i = 0; i < eq->nq; i++) finite = finite && isfinite(r->q[i]);
  for (int i = 0; i < eq->nv; i++) finite = finite && isfinite(r->v[i]);
  for (int i = 0; i < eq->ng; i++) finite = finite && isfinite(r->lambda[i]);
  assert_true(finite);
  return CMB_OK;
}

static struct outcome run(const struct variant *variant, cmb_equations *eq, double t_end,
                          const double *q, const double *v, double rtol, long max_steps)
{
  const cmb_option_setting form = {"form", variant->form};
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_run_options options = cmb_run_defaults();
  cmb_system *system;
  cmb_simulation *sim;
  struct outcome o = {0};
  options.method = cmb_method_find(variant->method);
  options.integrator.rtol = options.integrator.atol = rtol;
  options.integrator.max_steps = max_steps;
  options.integrator.setting_count = variant->form != NULL;
  options.integrator.settings = &form;
  options.observer = (cmb_observer){.user = eq, .record = check_record};
  cmbt_ok(ctx, cmb_system_create(ctx, eq, 0, t_end, q, v, &system));
  cmbt_ok(ctx, cmb_simulation_create(ctx, system, &options, &sim));
  o.status = cmb_simulation_run(sim);
  const cmb_result *r = cmb_simulation_result(sim);
  snprintf(o.message, sizeof o.message, "%s", cmb_last_error(ctx));
  o.t = r->t;
  memcpy(o.q, r->q, (size_t)eq->nq * sizeof *o.q);
  memcpy(o.v, r->v, (size_t)eq->nv * sizeof *o.v);
  o.records = r->records;
  o.evaluations = r->statistics->f;
  cmb_simulation_destroy(sim);
  cmb_system_destroy(system);
  cmb_context_destroy(ctx);
  return o;
}

/* Checks what holds for every end of a run: finite results, a limited number of evaluations, and the time in the error text. */
static void check_end(const struct variant *variant, const cmb_equations *eq,
                      const struct outcome *o)
{
  printf("%-20s %-6s %-6s t = %-10.6g %6ld evaluations  %s\n", eq->name, variant->method,
         variant->form ? variant->form : "", o->t, o->evaluations,
         o->status == CMB_OK ? "ok" : o->message);
  bool finite = isfinite(o->t);
  for (int i = 0; i < eq->nq; i++) finite = finite && isfinite(o->q[i]);
  for (int i = 0; i < eq->nv; i++) finite = finite && isfinite(o->v[i]);
  assert_true(finite);
  assert_true(o->status <= 0);
  assert_true(o->evaluations < MOST_EVALUATIONS);
  if (o->status != CMB_OK) {
    assert_true(o->records >= 1);
    assert_non_null(strstr(o->message, "t = "));
  }
}

/* ---- wrong Jacobians of the pendulum and the car axis */

enum wrong { NEGATIVE, ZERO, RANDOM, HUGE_RANDOM, NOT_FINITE, WRONGS };

static const char *const wrong_names[WRONGS] = {
    "negative Jacobian", "zero Jacobian", "random Jacobian", "huge Jacobian", "Jacobian with NaN"};

struct falsified {
  const cmb_equations *inner;
  enum wrong wrong;
};

static cmb_status evaluate_inner(const void *self, const cmb_point *at, const cmb_terms *want)
{
  const struct falsified *falsified = self;
  return falsified->inner->evaluate(falsified->inner->self, at, want);
}

static double falsified_value(enum wrong wrong, double truth, int i)
{
  const double scatter = sin(12.9898 * (i + 1)) * 43.7;
  switch (wrong) {
  case NEGATIVE: return -truth;
  case ZERO: return 0;
  case RANDOM: return scatter;
  case HUGE_RANDOM: return 1e4 * scatter;
  default: return i == 0 ? NAN : truth;
  }
}

static cmb_status wrong_derivative(const void *self, const cmb_point *at, const double *a,
                                   const double *lambda, cmb_derivative which, double *J)
{
  const struct falsified *falsified = self;
  const cmb_equations *eq = falsified->inner;
  const cmb_pattern *p = eq->derivative_pattern[which];
  const bool of_r = which == CMB_RESIDUAL_Q || which == CMB_RESIDUAL_V;
  const bool by_v = which == CMB_RESIDUAL_V || which == CMB_GAMMA_V;
  const int rows = of_r ? eq->nv : eq->ng, columns = by_v ? eq->nv : eq->nq;
  const int count = p ? p->start[p->rows] : rows * columns;
  CMB_TRY(eq->derivative(eq->self, at, a, lambda, which, J));
  for (int i = 0; i < count; i++) J[i] = falsified_value(falsified->wrong, J[i], i);
  return CMB_OK;
}

static void check_wrong_jacobian(const char *problem, double t_end, enum wrong wrong)
{
  const double rtol = 1e-5;
  const cmb_status refusal = wrong == NOT_FINITE ? CMB_ERROR_STEP_SIZE : CMB_ERROR_ARGUMENT;
  const struct variant reference = {"mdop853", NULL};
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_system *system;
  cmbt_ok(ctx, cmb_problem_create(ctx, cmb_problem_find(problem), 0, NULL, &system));
  const struct falsified falsified = {cmb_system_equations(system), wrong};
  cmb_equations eq = *falsified.inner;
  assert_non_null(eq.derivative);
  eq.self = &falsified;
  eq.name = wrong_names[wrong];
  eq.evaluate = evaluate_inner;
  eq.residual = NULL;
  eq.accelerate = NULL;
  eq.derivative = wrong_derivative;
  eq.ns = eq.no = 0;
  const double *q = cmb_system_q(system), *v = cmb_system_v(system);
  const struct outcome exact = run(&reference, &eq, t_end, q, v, 1e-10, MOST_STEPS);
  for (int w = 0; w < VARIANTS; w++) {
    const struct outcome o = run(&variants[w], &eq, t_end, q, v, rtol, MOST_STEPS);
    check_end(&variants[w], &eq, &o);
    const bool own = makes_derivatives(&variants[w]);
    assert_int_equal(o.status, own ? CMB_OK : refusal);
    assert_true(own || wrong == NOT_FINITE || strstr(o.message, "derivative of the residual"));
    if (!own) continue;
    for (int i = 0; i < eq.nq; i++) cmbt_near(o.q[i], exact.q[i], 500 * rtol);
    for (int i = 0; i < eq.nv; i++) cmbt_near(o.v[i], exact.v[i], 5000 * rtol);
  }
  cmb_system_destroy(system);
  cmb_context_destroy(ctx);
}

static void test_wrong_jacobians(void **state)
{
  (void)state;
  for (int wrong = 0; wrong < WRONGS; wrong++) {
    if (wrong == HUGE_RANDOM) continue;
    check_wrong_jacobian("pendulum", 1, (enum wrong)wrong);
    check_wrong_jacobian("caraxis", 0.2, (enum wrong)wrong);
  }
}

/* Checks a Jacobian so large that the increments of Newton's method are tiny, which must not count as convergence. */
static void test_huge_jacobian(void **state)
{
  (void)state;
  check_wrong_jacobian("pendulum", 1, HUGE_RANDOM);
  check_wrong_jacobian("caraxis", 0.2, HUGE_RANDOM);
}

/* ---- a derivative with a wrong sign, at rest in the origin, where q and v give no step size for differences: q'' = 1 − q − q' */

static cmb_status pushed_spring(const void *self, const cmb_point *at, const cmb_terms *want)
{
  (void)self;
  if (want->M) want->M[0] = 1;
  if (want->f) want->f[0] = 1 - at->q[0] - at->v[0];
  return CMB_OK;
}

static cmb_status spring_derivative(const void *self, const cmb_point *at, const double *a,
                                    const double *lambda, cmb_derivative which, double *J)
{
  (void)at, (void)a, (void)lambda;
  const cmb_derivative *wrong = self; /* CMB_DERIVATIVES: none is wrong */
  J[0] = which == *wrong ? -1 : 1;
  return CMB_OK;
}

static void test_wrong_jacobian_at_rest(void **state)
{
  (void)state;
  static const char *const names[] = {"x"};
  static const double zero[1] = {0};
  static const cmb_derivative wrongs[] = {CMB_DERIVATIVES, CMB_RESIDUAL_Q, CMB_RESIDUAL_V};
  const double w1 = sqrt(0.75), exact = 1 - exp(-0.5) * (cos(w1) + 0.5 / w1 * sin(w1));
  for (int k = 0; k < 3; k++) {
    cmb_equations eq = {.name = "pushed spring",
                        .self = &wrongs[k],
                        .nq = 1,
                        .nv = 1,
                        .q_names = names,
                        .v_names = names,
                        .evaluate = pushed_spring,
                        .derivative = spring_derivative};
    for (int w = 0; w < VARIANTS; w++) {
      const struct outcome o = run(&variants[w], &eq, 1, zero, zero, 1e-6, MOST_STEPS);
      const bool right = k == 0 || makes_derivatives(&variants[w]);
      check_end(&variants[w], &eq, &o);
      assert_int_equal(o.status, right ? CMB_OK : CMB_ERROR_ARGUMENT);
      assert_true(right || strstr(o.message, k == 1 ? "with respect to q" : "with respect to v"));
      if (right) cmbt_near(o.q[0], exact, 1e-4);
    }
  }
}

/* ---- singular matrices */

/* Two masses in free fall, the second of which is 0 from t = 0.5 on. */
static cmb_status vanishing_mass(const void *self, const cmb_point *at, const cmb_terms *want)
{
  (void)self;
  const double mass = fmax(0, 0.5 - at->t);
  if (want->M) want->M[0] = 1, want->M[1] = mass;
  if (want->f) want->f[0] = -9.81, want->f[1] = -9.81 * mass;
  return CMB_OK;
}

/* A point in the plane with the constraint y = 0 twice. */
static cmb_status repeated_constraint(const void *self, const cmb_point *at, const cmb_terms *want)
{
  (void)self;
  if (want->M) want->M[0] = want->M[1] = 1;
  if (want->f) want->f[0] = -at->q[0], want->f[1] = -1;
  for (int i = 0; i < 2; i++) {
    if (want->g) want->g[i] = at->q[1];
    if (want->G) want->G[2 * i] = 0, want->G[2 * i + 1] = 1;
    if (want->gt) want->gt[i] = 0;
    if (want->gamma) want->gamma[i] = 0;
  }
  return CMB_OK;
}

/* The constraints x = 0 and (1/2 − t)² y = 0, of which the second vanishes at t = 0.5. */
static cmb_status lost_constraint(const void *self, const cmb_point *at, const cmb_terms *want)
{
  (void)self;
  const double left = fmax(0, 0.5 - at->t), factor = left * left;
  if (want->M) want->M[0] = want->M[1] = want->M[2] = 1;
  if (want->f) want->f[0] = want->f[1] = -1, want->f[2] = -at->q[2];
  if (want->g) want->g[0] = at->q[0], want->g[1] = factor * at->q[1];
  if (want->G) memset(want->G, 0, 6 * sizeof *want->G);
  if (want->G) want->G[0] = 1, want->G[4] = factor;
  if (want->gt) want->gt[0] = 0, want->gt[1] = -2 * left * at->q[1];
  if (want->gamma) {
    want->gamma[0] = 0;
    want->gamma[1] = -4 * left * at->v[1] + (left > 0 ? 2 : 0) * at->q[1];
  }
  return CMB_OK;
}

static cmb_equations equations(const char *name, int nv, int ng,
                               cmb_status (*evaluate)(const void *, const cmb_point *,
                                                      const cmb_terms *))
{
  static const char *const names[] = {"first", "second", "third"};
  return (cmb_equations){.name = name,
                         .nq = nv,
                         .nv = nv,
                         .ng = ng,
                         .q_names = names,
                         .v_names = names,
                         .g_names = names,
                         .lambda_names = names,
                         .mass_diagonal = true,
                         .evaluate = evaluate};
}

static void test_vanishing_mass(void **state)
{
  (void)state;
  cmb_equations eq = equations("vanishing mass", 2, 0, vanishing_mass);
  const double zero[2] = {0, 0};
  for (int w = 0; w < VARIANTS; w++) {
    const struct outcome o = run(&variants[w], &eq, 1, zero, zero, 1e-6, MOST_STEPS);
    check_end(&variants[w], &eq, &o);
    assert_int_equal(o.status, CMB_ERROR_STEP_SIZE);
    /* a step of bdf may reach beyond 0.5 if its matrix is older */
    assert_true(o.t > 0.49 && o.t < 1);
    cmbt_near(o.q[0], -9.81 / 2 * o.t * o.t, 1e-4);
  }
}

static void test_dependent_constraints(void **state)
{
  (void)state;
  cmb_equations eq = equations("repeated constraint", 2, 2, repeated_constraint);
  const double q[2] = {1, 0}, v[2] = {0, 0};
  for (int w = 0; w < VARIANTS; w++) {
    const struct outcome o = run(&variants[w], &eq, 1, q, v, 1e-6, MOST_STEPS);
    check_end(&variants[w], &eq, &o);
    cmbt_near(o.q[0], cos(o.t), 1e-4);
    cmbt_near(o.q[1], 0, 1e-5);
    assert_true(o.status == CMB_OK || strstr(o.message, "depend") || strstr(o.message, "singular"));
  }
}

static void test_lost_constraint(void **state)
{
  (void)state;
  cmb_equations eq = equations("lost constraint", 3, 2, lost_constraint);
  const double q[3] = {0, 0, 1}, v[3] = {0, 0, 0};
  for (int w = 0; w < VARIANTS; w++) {
    if (strcmp(variants[w].method, "forsdirk") == 0) continue; /* its steps pass over this time */
    const struct outcome o = run(&variants[w], &eq, 1, q, v, 1e-6, MOST_STEPS);
    check_end(&variants[w], &eq, &o);
    cmbt_near(o.q[0], 0, 1e-5);
    cmbt_near(o.q[2], cos(o.t), 1e-4);
    const double fall = fmax(0, o.t - 0.5); /* time since the second coordinate is free */
    cmbt_near(o.q[1], -fall * fall / 2, 1e-3);
    assert_true(o.status == CMB_OK || (o.status == CMB_ERROR_STEP_SIZE && o.t > 0.4));
  }
}

/* ---- solutions, numbers of steps and values that end */

/* v' = v², with the solution v = 1/(1 − t) */
static cmb_status blow_up(const void *self, const cmb_point *at, const cmb_terms *want)
{
  (void)self;
  if (want->M) want->M[0] = 1;
  if (want->f) want->f[0] = at->v[0] * at->v[0];
  return CMB_OK;
}

static void test_blow_up(void **state)
{
  (void)state;
  cmb_equations eq = equations("blow up at t = 1", 1, 0, blow_up);
  const double q = 0, v = 1;
  for (int w = 0; w < VARIANTS; w++) {
    const struct outcome o = run(&variants[w], &eq, 2, &q, &v, 1e-6, MOST_STEPS);
    check_end(&variants[w], &eq, &o);
    const bool slow = strcmp(variants[w].method, "trap") == 0; /* of order 2: takes many steps */
    assert_true(o.status == CMB_ERROR_DIVERGED || o.status == CMB_ERROR_STEP_SIZE ||
                o.status == CMB_ERROR_NONFINITE || (slow && o.status == CMB_ERROR_STEP_COUNT));
    cmbt_near(o.t, 1, 1e-3);
    assert_true(o.v[0] > 100 && o.records > 10);
  }
}

static void test_steps_used_up(void **state)
{
  (void)state;
  cmb_equations eq = equations("20 steps", 1, 0, blow_up);
  const double q = 0, v = 1;
  for (int w = 0; w < VARIANTS; w++) {
    const struct outcome o = run(&variants[w], &eq, 0.99, &q, &v, 1e-10, 20);
    check_end(&variants[w], &eq, &o);
    assert_int_equal(o.status, CMB_ERROR_STEP_COUNT);
    assert_non_null(strstr(o.message, "20 attempted steps"));
    assert_true(o.t > 0 && o.t < 0.99);
    cmbt_near(o.v[0], 1 / (1 - o.t), 1e-6);
  }
}

/* An oscillator whose force is NaN after t = 0.5. */
static cmb_status ends_in_nan(const void *self, const cmb_point *at, const cmb_terms *want)
{
  (void)self;
  if (want->M) want->M[0] = 1;
  if (want->f) want->f[0] = at->t > 0.5 ? NAN : -9 * at->q[0];
  return CMB_OK;
}

static void test_nan_from_a_time_on(void **state)
{
  (void)state;
  cmb_equations eq = equations("NaN from t = 0.5", 1, 0, ends_in_nan);
  const double q = 1, v = 0;
  for (int w = 0; w < VARIANTS; w++) {
    const struct outcome o = run(&variants[w], &eq, 1, &q, &v, 1e-6, MOST_STEPS);
    check_end(&variants[w], &eq, &o);
    assert_int_equal(o.status, CMB_ERROR_STEP_SIZE);
    assert_non_null(strstr(o.message, "not finite"));
    assert_true(o.t > 0.5 - 1e-6 && o.t <= 0.5);
    cmbt_near(o.q[0], cos(3 * o.t), 1e-4);
  }
}

/* Three oscillators, the first and the last connected by a constraint; a force is NaN at one evaluation only. */
struct nan_at {
  long *evaluations, at;
};

static cmb_status nan_once(const void *self, const cmb_point *at, const cmb_terms *want)
{
  const struct nan_at *s = self;
  for (int i = 0; want->M && i < 3; i++) want->M[i] = 1;
  for (int i = 0; want->f && i < 3; i++) want->f[i] = -(i + 1) * at->q[i];
  if (want->f && ++*s->evaluations == s->at) want->f[1] = NAN;
  if (want->g) want->g[0] = at->q[0] - at->q[2];
  if (want->G) want->G[0] = 1, want->G[1] = 0, want->G[2] = -1;
  if (want->gt) want->gt[0] = 0;
  if (want->gamma) want->gamma[0] = 0;
  return CMB_OK;
}

static void test_nan_once(void **state)
{
  (void)state;
  cmb_equations eq = equations("NaN once", 3, 1, nan_once);
  const double q[3] = {1, 1, 1}, v[3] = {0, 0, 0};
  for (int w = 0; w < VARIANTS; w++) {
    for (long k = 20; k < 60; k++) {
      long count = 0;
      const struct nan_at self = {&count, k};
      eq.self = &self;
      const struct outcome o = run(&variants[w], &eq, 2, q, v, 1e-6, MOST_STEPS);
      if (o.status != CMB_OK) check_end(&variants[w], &eq, &o);
      assert_int_equal(o.status, CMB_OK);
      for (int i = 0; i < 3; i++) cmbt_near(o.q[i], cos(sqrt(2) * 2), 1e-3);
    }
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_wrong_jacobians), cmocka_unit_test(test_huge_jacobian),
      cmocka_unit_test(test_vanishing_mass),  cmocka_unit_test(test_dependent_constraints),
      cmocka_unit_test(test_lost_constraint), cmocka_unit_test(test_blow_up),
      cmocka_unit_test(test_steps_used_up),   cmocka_unit_test(test_nan_from_a_time_on),
      cmocka_unit_test(test_nan_once),        cmocka_unit_test(test_wrong_jacobian_at_rest),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
