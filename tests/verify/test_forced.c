/*
 * Shows that the function `forced` is right, which computes accelerations for given multipliers, a = M⁻¹ (f − Gᵀ λ) (Arnold, Fuchs and
 * Führer 2006, eq. 10):
 *
 *   - On every bundled model with constraints, at random states and multipliers, M a = f − Gᵀ λ except for rounding, with the M, f and G
 *     of other recursions. Native code gives the same bits as the interpreter.
 *   - The number of operations per body does not grow with the length of a chain that is closed to a loop.
 *   - bdf, radau5 and radau call the function with formalism=explicit, and only then. The motions of both formalisms converge to each other
 *     with the tolerance.
 *   - A wrong function is refused, and so is one of equations without constraints.
 */
#include "check.h"
#include "model_run.h"
#include "random.h"

#include "dae/evaluator.h"
#include "dae/project.h"
#include "dyn/mechanism.h"
#include "math/pattern.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static cmb_system *system_of(cmbt_run *r, cmb_formulation formulation, cmb_evaluation evaluation,
                             bool forced)
{
  const cmb_model_system_options options = {
      .formulation = formulation, .evaluation = evaluation, .derivatives = true, .forced = forced};
  cmb_system *system;
  cmbt_ok(r->ctx, cmb_model_system(r->ctx, r->model, &options, &system));
  return system;
}

/* ---- the equations of motion */

struct state {
  double *q, *v, *a, *lambda, *left, *size;
};

static struct state create_state(const cmb_equations *eq)
{
  const size_t nq = (size_t)eq->nq, nv = (size_t)eq->nv, ng = (size_t)eq->ng;
  double *x = calloc(nq + 4 * nv + ng, sizeof *x);
  assert_non_null(x);
  return (struct state){
      x, x + nq, x + nq + nv, x + nq + 2 * nv, x + nq + 2 * nv + ng, x + nq + 3 * nv + ng};
}

static void random_state(const cmb_system *system, struct cmbt_random *random, struct state *s)
{
  const cmb_equations *eq = cmb_system_equations(system);
  const double *q = cmb_system_q(system), *v = cmb_system_v(system);
  for (int i = 0; i < eq->nq; i++) s->q[i] = q[i] + cmbt_random_uniform(random, -0.01, 0.01);
  for (int i = 0; i < eq->nv; i++) s->v[i] = v[i] + cmbt_random_uniform(random, -1, 1);
  for (int i = 0; i < eq->ng; i++) s->lambda[i] = cmbt_random_uniform(random, -1e3, 1e3);
  if (eq->normalize) eq->normalize(eq->self, s->q);
}

/* Sets the modes of the evaluator to those of the state: levels of tables, and signs of switching functions. */
static void set_modes(cmb_evaluator *ev, const struct state *s)
{
  const cmb_equations *eq = ev->eq;
  double *value = calloc((size_t)eq->ns + 1, sizeof *value);
  if (eq->levels) cmbt_ok(ev->ctx, cmb_levels(ev, 0, s->q, s->v, s->lambda, ev->mode));
  if (eq->ns > 0) cmbt_ok(ev->ctx, cmb_switches(ev, 0, s->q, s->v, s->lambda, value));
  for (int i = 0; i < eq->ns; i++) {
    const bool level = eq->switch_is_level && eq->switch_is_level[i];
    if (!level) ev->mode[i] = value[i] < 0 ? -1 : 1;
  }
  free(value);
}

/* Computes y += |A| |x| or y += |Aᵀ| |x|, the sizes of the terms in A x that may cancel. */
static void add_sizes(const cmb_pattern *p, int rows, int columns, const double *A, const double *x,
                      bool transposed, double *y)
{
  for (int i = 0; i < rows; i++) {
    const int from = p ? p->start[i] : i * columns, to = p ? p->start[i + 1] : from + columns;
    for (int k = from; k < to; k++) {
      const int j = p ? p->column[k] : k - from;
      y[transposed ? j : i] += fabs(A[k] * x[transposed ? i : j]);
    }
  }
}

/* Returns the largest |M a − f + Gᵀ λ|, divided by the rounding error of the largest sum of |M| |a|, |f| and |Gᵀ| |λ|. */
static double residual_in_roundings(cmb_evaluator *ev, const struct state *s)
{
  const cmb_equations *eq = ev->eq;
  const cmb_terms want = {.M = ev->M, .f = ev->f, .G = ev->G};
  const cmb_point at = cmb_evaluator_point(ev, 0, s->q, s->v);
  double most = 0, size = 0;
  cmbt_ok(ev->ctx, cmb_evaluate(ev, 0, s->q, s->v, &want));
  cmbt_ok(ev->ctx, eq->forced(eq->self, &at, s->lambda, s->a));
  cmb_multiply_mass(ev, s->a, s->left);
  cmb_multiply_transposed_add(eq->G_pattern, eq->ng, eq->nv, ev->G, 1.0, s->lambda, s->left);
  memset(s->size, 0, (size_t)eq->nv * sizeof *s->size);
  if (!eq->mass_diagonal) add_sizes(eq->M_pattern, eq->nv, eq->nv, ev->M, s->a, false, s->size);
  add_sizes(eq->G_pattern, eq->ng, eq->nv, ev->G, s->lambda, true, s->size);
  for (int i = 0; i < eq->nv; i++) {
    const double diagonal = eq->mass_diagonal ? fabs(ev->M[i] * s->a[i]) : 0;
    most = fmax(most, fabs(s->left[i] - ev->f[i]));
    size = fmax(size, s->size[i] + diagonal + fabs(ev->f[i]));
    if (!isfinite(s->a[i])) fail_msg("%s: a of '%s' is %g", eq->name, eq->v_names[i], s->a[i]);
  }
  return most / (DBL_EPSILON * size);
}

/* Checks that native code computes the same bits of a as the interpreter. */
static void compare_native(const cmb_evaluator *ev, cmb_system *native, const struct state *s)
{
  const cmb_equations *eq = cmb_system_equations(native);
  cmb_evaluator *other;
  double *a = calloc((size_t)eq->nv, sizeof *a);
  cmbt_ok(ev->ctx, cmb_evaluator_create(ev->ctx, eq, &other));
  memcpy(other->mode, ev->mode, (size_t)eq->ns * sizeof *ev->mode);
  const cmb_point at = cmb_evaluator_point(other, 0, s->q, s->v);
  cmbt_ok(ev->ctx, eq->forced(eq->self, &at, s->lambda, a));
  assert_memory_equal(a, s->a, (size_t)eq->nv * sizeof *a);
  cmb_evaluator_destroy(other);
  free(a);
}

/* Returns the largest error of a model in rounding errors; negative: the model has no constraints. */
static double largest_error(const char *name, cmb_formulation formulation, bool compile)
{
  enum { STATES = 5 };
  struct cmbt_random random = {7};
  cmbt_run r;
  cmb_evaluator *ev;
  double most = -1;
  cmbt_run_open(&r, name, formulation, 0, NULL);
  cmb_system *system = system_of(&r, formulation, CMB_EVALUATE_INTERPRETER, true);
  const cmb_equations *eq = cmb_system_equations(system);
  assert_true((eq->forced != NULL) == (eq->ng > 0));
  assert_null(r.eq->forced); /* made only if the options ask for it */
  if (eq->forced) {
    cmb_system *native = compile ? system_of(&r, formulation, CMB_EVALUATE_NATIVE, true) : NULL;
    struct state s = create_state(eq);
    cmbt_ok(r.ctx, cmb_evaluator_create(r.ctx, eq, &ev));
    for (int i = 0; i < STATES; i++) {
      random_state(system, &random, &s);
      set_modes(ev, &s);
      most = fmax(most, residual_in_roundings(ev, &s));
      if (native) compare_native(ev, native, &s);
    }
    cmb_evaluator_destroy(ev);
    free(s.q);
    cmb_system_destroy(native);
  }
  cmb_system_destroy(system);
  cmbt_run_close(&r);
  return most;
}

static void test_models(void **state)
{
  static const char *const compiled[] = {"fivelink", "slider-crank"};
  char names[CMBT_MOST_MODELS][CMBT_NAME_ROOM];
  const int count = cmbt_model_names(names);
  int with_loops = 0;
  double worst = 0;
  (void)state;
  for (int i = 0; i < count; i++) {
    bool compile = false;
    for (int k = 0; k < 2; k++) compile = compile || strcmp(names[i], compiled[k]) == 0;
    const double off = largest_error(names[i], CMB_FORM_EXPLICIT, compile);
    with_loops += off >= 0;
    if (off > 0) print_message("%-20s %.1f rounding errors\n", names[i], off);
    worst = fmax(worst, off);
    if (off >= 0) worst = fmax(worst, largest_error(names[i], CMB_FORM_RESIDUAL, false));
  }
  print_message("%d models with constraints: %.1f rounding errors\n", with_loops, worst);
  assert_true(with_loops >= 10);
  cmbt_below(worst, 50);
}

/* ---- cost */

/* Writes a chain of n rods with different axes, of which the last is connected to the ground by a distance constraint. */
static void write_chain(int n, size_t room, char *text)
{
  size_t at = (size_t)snprintf(text, room, "bodies:\n");
  for (int i = 0; i < n; i++) {
    at += (size_t)snprintf(text + at, room - at,
                           "  b%d: {mass: 1, rod: [[%d, 0, 0.1], [%d, 0.2, 0]], radius: 0.05}\n", i,
                           i, i + 1);
  }
  at += (size_t)snprintf(text + at, room - at, "joints:\n");
  for (int i = 0; i < n; i++) {
    at += (size_t)snprintf(text + at, room - at, "  j%d: {type: revolute, ", i);
    if (i > 0) at += (size_t)snprintf(text + at, room - at, "parent: b%d, ", i - 1);
    at += (size_t)snprintf(text + at, room - at, "child: b%d, at: [%d, 0, 0], axis: [%d, 1, %d]}\n",
                           i, i, i % 3 - 1, i % 2);
  }
  snprintf(text + at, room - at,
           "loops:\n  tie: {type: distance, between: [{body: b%d, at: [%d, 0, 0]}, {body: ground, "
           "at: [%d, 3, "
           "0]}]}\n",
           n - 1, n, n);
}

/* Returns the number of operations per body of a for given λ, in a chain of n bodies. */
static double operations(int n)
{
  enum { ROOM = 30000 };
  char *text = malloc(ROOM);
  cmbt_run r;
  cmb_mechanism *mechanism;
  cmb_program *program;
  assert_non_null(text);
  write_chain(n, ROOM, text);
  cmbt_run_open_text(&r, text, CMB_FORM_RESIDUAL);
  const cmb_mechanism_options options = {.formulation = CMB_FORM_EXPLICIT, .forced = true};
  cmbt_ok(r.ctx, cmb_mechanism_create(r.ctx, r.model, &options, &mechanism));
  const cmb_expressions *x = &mechanism->expressions;
  assert_int_equal(x->ng, 1);
  cmb_expr *input = calloc((size_t)(2 * n) + 1, sizeof *input);
  memcpy(input, x->q, (size_t)n * sizeof *input);
  memcpy(input + n, x->v, (size_t)n * sizeof *input);
  input[2 * n] = x->lambda[0];
  cmbt_ok(r.ctx, cmb_program_create(r.ctx, x->graph, 2 * n + 1, input, n, x->forced, &program));
  const double each = (double)cmb_program_instructions(program) / n;
  cmb_program_destroy(program);
  cmb_mechanism_destroy(mechanism);
  cmbt_run_close(&r);
  free(input), free(text);
  return each;
}

static void test_cost_of_a_body(void **state)
{
  const double few = operations(10), many = operations(40), most = operations(80);
  (void)state;
  print_message("operations a body: %.1f, %.1f and %.1f of 10, 40 and 80\n", few, many, most);
  cmbt_below(most / few, 1.3);
  cmbt_below(most / many, 1.05);
}

/* ---- runs */

static const cmb_equations *inner;
static long calls;

static cmb_status count_forced(const void *self, const cmb_point *at, const double *lambda,
                               double *a)
{
  calls++;
  return inner->forced(self, at, lambda, a);
}

/* Computes the state (q, v) at t_end; returns the number of steps. */
static long run(cmb_context *ctx, const cmb_system *system, const cmb_equations *eq,
                const char *method, const char *formalism, double rtol, struct state *s)
{
  static const double T_END = 0.5;
  const cmb_option_setting settings[] = {{"formalism", formalism}};
  cmb_integrator_options options = cmb_integrator_defaults();
  cmb_integrator *in;
  options.rtol = rtol, options.atol = rtol / 100;
  options.setting_count = 1, options.settings = settings;
  cmbt_ok(ctx, cmb_integrator_create(ctx, eq, cmb_method_find(method), &options, &in));
  cmbt_ok(ctx, cmb_integrator_begin(in, 0, cmb_system_q(system), cmb_system_v(system)));
  while (cmb_integrator_t(in) < T_END) cmbt_ok(ctx, cmb_integrator_step(in, T_END));
  memcpy(s->q, cmb_integrator_q(in), (size_t)eq->nq * sizeof(double));
  memcpy(s->v, cmb_integrator_v(in), (size_t)eq->nv * sizeof(double));
  const long steps = cmb_integrator_statistics(in)->accepted;
  cmb_integrator_destroy(in);
  return steps;
}

static double difference(const cmb_equations *eq, const struct state *x, const struct state *y)
{
  double most = 0;
  for (int i = 0; i < eq->nq; i++) most = fmax(most, fabs(x->q[i] - y->q[i]));
  for (int i = 0; i < eq->nv; i++) most = fmax(most, fabs(x->v[i] - y->v[i]) / 10);
  return most;
}

static void test_runs(void **state)
{
  static const char *const methods[] = {"bdf", "radau5", "radau"};
  cmbt_run r;
  (void)state;
  cmbt_run_open(&r, "spatial-four-bar", CMB_FORM_EXPLICIT, 0, NULL);
  cmb_system *system = system_of(&r, CMB_FORM_EXPLICIT, CMB_EVALUATE_INTERPRETER, true);
  inner = cmb_system_equations(system);
  cmb_equations eq = *inner;
  eq.forced = count_forced;
  struct state reference = create_state(&eq), x = create_state(&eq), y = create_state(&eq);
  run(r.ctx, system, &eq, "radau5", "residual", 1e-12, &reference);
  for (int k = 0; k < 3; k++) {
    double error[2];
    for (int i = 0; i < 2; i++) {
      const double rtol = i == 0 ? 1e-5 : 1e-9;
      calls = 0;
      run(r.ctx, system, &eq, methods[k], "residual", rtol, &y);
      assert_int_equal(calls, 0);
      const long steps = run(r.ctx, system, &eq, methods[k], "explicit", rtol, &x);
      assert_true(steps > 10 && calls >= steps);
      error[i] = difference(&eq, &x, &reference);
      print_message("%-6s %.0e: explicit off by %.1e, residual by %.1e\n", methods[k], rtol,
                    error[i], difference(&eq, &y, &reference));
      cmbt_below(difference(&eq, &x, &y), 100 * rtol);
      cmbt_below(error[i], 100 * rtol);
    }
    cmbt_below(error[1], 0.01 * error[0]);
  }
  free(reference.q), free(x.q), free(y.q);
  cmb_system_destroy(system);
  cmbt_run_close(&r);
}

/* ---- wrong functions */

/* Computes accelerations of which one component is wrong by 1 %. */
static cmb_status wrong_forced(const void *self, const cmb_point *at, const double *lambda,
                               double *a)
{
  CMB_TRY(inner->forced(self, at, lambda, a));
  a[1] *= 1.01;
  return CMB_OK;
}

static void test_wrong_function(void **state)
{
  const cmb_option_setting settings[] = {{"formalism", "explicit"}};
  cmb_integrator_options options = cmb_integrator_defaults();
  cmbt_run r;
  cmb_integrator *in;
  (void)state;
  options.setting_count = 1, options.settings = settings;
  cmbt_run_open(&r, "spatial-four-bar", CMB_FORM_EXPLICIT, 0, NULL);
  cmb_system *system = system_of(&r, CMB_FORM_EXPLICIT, CMB_EVALUATE_INTERPRETER, true);
  inner = cmb_system_equations(system);
  cmb_equations eq = *inner;
  eq.forced = wrong_forced;
  cmbt_ok(r.ctx, cmb_integrator_create(r.ctx, &eq, cmb_method_find("bdf"), &options, &in));
  cmbt_ok(r.ctx, cmb_integrator_begin(in, 0, cmb_system_q(system), cmb_system_v(system)));
  assert_int_equal(cmb_integrator_step(in, 1), CMB_ERROR_ARGUMENT);
  assert_non_null(strstr(cmb_error_of(r.ctx)->text, "given multipliers"));
  cmb_integrator_destroy(in);
  cmb_system_destroy(system);
  cmbt_run_close(&r);
}

static void test_without_constraints(void **state)
{
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_system *system, *own = NULL;
  (void)state;
  cmbt_ok(ctx, cmb_problem_create(ctx, cmb_problem_find("pendulum-chain"), 0, NULL, &system));
  cmb_equations eq = *cmb_system_equations(system);
  assert_int_equal(eq.ng, 0);
  eq.forced = count_forced;
  assert_int_equal(
      cmb_system_create(ctx, &eq, 0, 1, cmb_system_q(system), cmb_system_v(system), &own),
      CMB_ERROR_ARGUMENT);
  assert_non_null(strstr(cmb_error_of(ctx)->text, "forced"));
  cmb_system_destroy(system);
  cmb_context_destroy(ctx);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_models), cmocka_unit_test(test_cost_of_a_body),
      cmocka_unit_test(test_runs), cmocka_unit_test(test_wrong_function),
      cmocka_unit_test(test_without_constraints)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
