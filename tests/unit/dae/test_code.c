/*
 * Tests of the expressions that are kept for real-time steps:
 *
 *   - the stiff part Σ wᵀ (∂Q/∂..) w of the derivatives of applied forces: with respect to velocities it is all of ∂f/∂v; with respect to
 *     positions it is all of ∂f/∂q where the line of action is fixed (springs on coordinates), also for tables, formulas of the spring's own
 *     length, and friction;
 *   - forces that depend on other quantities are kept apart, to be differentiated as a whole;
 *   - live parameters are inputs of the graph.
 */
#include "check.h"
#include "dae/code.h"
#include "random.h"

#include <camber/camber.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 32, ROOM = 400000 };

struct test_model {
  cmb_context *ctx;
  cmb_model *model;
  cmb_system *system;
  const cmb_code *x;
  cmb_graph *g;
  cmb_expr q[MOST], v[MOST];
};

static void open_system(struct test_model *s)
{
  const cmb_model_system_options kept = {.evaluation = CMB_EVALUATE_INTERPRETER,
                                         .expressions = true};
  cmbt_ok(s->ctx, cmb_model_system(s->ctx, s->model, &kept, &s->system));
  s->x = cmb_system_equations(s->system)->code;
  assert_non_null(s->x);
  assert_true(s->x->nq <= MOST);
  cmbt_ok(s->ctx, cmb_graph_create(s->ctx, &s->g));
}

static void open_model(struct test_model *s, const char *name)
{
  char path[4096];
  s->ctx = cmb_context_create(NULL);
  snprintf(path, sizeof path, "%s/models/%s.yaml", getenv("SOURCE_DIR"), name);
  cmbt_ok(s->ctx, cmb_model_read(s->ctx, path, NULL, &s->model));
  open_system(s);
}

static void open_text(struct test_model *s, const char *text)
{
  s->ctx = cmb_context_create(NULL);
  const cmb_model_options live = {.live_all = true};
  cmbt_ok(s->ctx, cmb_model_parse(s->ctx, text, strlen(text), "test.yaml", &live, &s->model));
  open_system(s);
}

static void close_model(struct test_model *s)
{
  cmb_graph_destroy(s->g);
  cmb_system_destroy(s->system);
  cmb_model_destroy(s->model);
  cmb_context_destroy(s->ctx);
}

/* ---- values of derivatives */

static void import(struct test_model *s, int count, const cmb_expr *from, cmb_expr *to)
{
  const cmb_code *x = s->x;
  cmb_expr zero[MOST] = {0};
  cmbt_ok(s->ctx, cmb_import(s->g, x->graph, x->ng, x->lambda, zero, count, from, to));
}

/* Evaluates e at random coordinates and velocities, with all modes 1, λ and u 0, and parameters as in the model. */
static void evaluate(struct test_model *s, int count, const cmb_expr *e, double *out)
{
  static double work[ROOM];
  const cmb_code *x = s->x;
  struct cmbt_random r = {5};
  cmb_expr input[8 * MOST];
  double value[8 * MOST];
  int n = 0;
#define PUT(from, number)                                                                          \
  do {                                                                                             \
    import(s, 1, &(from), &input[n]);                                                              \
    value[n++] = (number);                                                                         \
  } while (0)
  PUT(x->t, 0.07);
  for (int i = 0; i < x->nq; i++) {
    PUT(x->q[i], cmb_system_q(s->system)[i] + cmbt_random_uniform(&r, -0.1, 0.1));
  }
  for (int i = 0; i < x->nv; i++) PUT(x->v[i], cmbt_random_uniform(&r, -1, 1));
  for (int i = 0; i < x->ns; i++) PUT(x->mode[i], 1);
  for (int i = 0; i < x->nu; i++) PUT(x->u[i], 0);
  for (int i = 0; i < x->np; i++) PUT(x->parameter[i], x->parameter_value[i]);
#undef PUT
  cmb_program *p;
  cmbt_ok(s->ctx, cmb_program_create(s->ctx, s->g, n, input, count, e, &p));
  assert_true(cmb_program_work(p) <= ROOM);
  cmb_program_run(p, value, out, work);
  cmb_program_destroy(p);
}

/* Computes the derivative of the forces with respect to q or v. */
static void exact(struct test_model *s, const cmb_expr *wrt, double *J)
{
  const cmb_code *x = s->x;
  cmb_expr forces[MOST], inputs[MOST], direction[MOST], column[MOST];
  double out[MOST];
  import(s, x->nv, x->forces, forces);
  import(s, x->nv, wrt, inputs);
  for (int j = 0; j < x->nv; j++) {
    memset(direction, 0, sizeof direction);
    direction[j] = cmb_constant(s->g, 1);
    cmbt_ok(s->ctx, cmb_forward(s->g, x->nv, inputs, direction, x->nv, forces, column));
    evaluate(s, x->nv, column, out);
    for (int i = 0; i < x->nv; i++) J[i * x->nv + j] = out[i];
  }
}

static void stiff(struct test_model *s, const cmb_expr *by, double *J)
{
  const cmb_code *x = s->x;
  const int nv = x->nv, count = x->stiff_count;
  cmb_expr e[MOST * (MOST + 1)];
  double out[MOST * (MOST + 1)];
  assert_true(count <= MOST);
  import(s, count * nv, x->stiff_row, e);
  import(s, count, by, e + (size_t)count * (size_t)nv);
  evaluate(s, count * (nv + 1), e, out);
  for (int i = 0; i < nv * nv; i++) {
    J[i] = 0;
    for (int k = 0; k < count; k++) {
      J[i] += out[count * nv + k] * out[k * nv + i / nv] * out[k * nv + i % nv];
    }
  }
}

static double largest(int n, const double *a)
{
  double most = 0;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(a[i]));
  return most;
}

static void compare(struct test_model *s, const cmb_expr *wrt, const cmb_expr *by)
{
  static double right[MOST * MOST], J[MOST * MOST];
  const int n = s->x->nv * s->x->nv;
  exact(s, wrt, right);
  stiff(s, by, J);
  const double scale = largest(n, right);
  assert_true(scale > 0);
  for (int i = 0; i < n; i++) cmbt_near(J[i], right[i], 1e-10 * scale);
}

static bool all_covered(const cmb_code *x)
{
  for (int i = 0; i < x->nv; i++) {
    if (x->loose[i] != 0) return false;
  }
  return true;
}

static void test_dampers(void **state)
{
  (void)state;
  static const char *const models[] = {"fivelink", "quarter-car"};
  for (int k = 0; k < 2; k++) {
    struct test_model s;
    open_model(&s, models[k]);
    printf("%s: %d stiff forces\n", models[k], s.x->stiff_count);
    assert_true(all_covered(s.x));
    compare(&s, s.x->v, s.x->stiff_rate);
    close_model(&s);
  }
}

#define PENDULUM                                                                                   \
  "parameters: {k: 300, c: 4, m: 2, unused: 1}\n"                                                  \
  "points: {A: [0, 0, 0], B: [1, 0, 0]}\n"                                                         \
  "bodies: {one: {mass: m, rod: [A, B]}, two: {mass: 1, com: [1.5, 0, 0], "                        \
  "inertia: [0.1, 0.1, 0.1]}}\n"                                                                   \
  "joints:\n"                                                                                      \
  "  a: {type: revolute, child: one, at: A, axis: y, damping: 3, friction: {force: 2, velocity: "  \
  "0.1}}\n"                                                                                        \
  "  b: {type: revolute, parent: one, child: two, at: B, axis: y}\n"

static void test_springs(void **state)
{
  (void)state;
  static const char text[] =
      PENDULUM "forces:\n"
               "  s: {type: torsion, coordinate: a, stiffness: k, damping: c}\n"
               "  u: {type: torsion, coordinate: b, spring: [[-1, -50], [0, 0], [1, 90]], "
               "torque: 20*u.length^3 + t}\n";
  struct test_model s;
  open_text(&s, text);
  assert_true(all_covered(s.x));
  compare(&s, s.x->q, s.x->stiff_x);
  compare(&s, s.x->v, s.x->stiff_rate);
  close_model(&s);
}

/* Checks that a torque that depends on the angle of another joint is not treated as a spring. */
static void test_loose(void **state)
{
  (void)state;
  static const char text[] = PENDULUM "forces: {s: {type: torsion, coordinate: a, stiffness: k, "
                                      "torque: 5*b}}\n";
  struct test_model s;
  open_text(&s, text);
  assert_false(all_covered(s.x));
  assert_int_equal(s.x->stiff_count, 1); /* friction and damping of joint a */
  close_model(&s);
}

static void test_parameters(void **state)
{
  (void)state;
  static const char text[] =
      PENDULUM "forces: {s: {type: torsion, coordinate: a, stiffness: 2*k, damping: c}}\n";
  struct test_model s;
  open_text(&s, text);
  assert_int_equal(s.x->np, 4); /* the last one occurs in no formula */
  assert_string_equal(s.x->parameter_names[0], "k");
  assert_string_equal(s.x->parameter_names[1], "c");
  assert_string_equal(s.x->parameter_names[2], "m");
  assert_true(s.x->parameter_value[0] == 300 && s.x->parameter_value[1] == 4);
  close_model(&s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_dampers),
      cmocka_unit_test(test_springs),
      cmocka_unit_test(test_loose),
      cmocka_unit_test(test_parameters),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
