/*
 * Shows for long chains that setting one up takes memory in proportion to its length, and that the mass matrix given by its factors
 * (dyn/mass_factors.c) is the same as that given by its entries. Formulas that refer to other formulas are read once, however many there are.
 */
#include "check.h"
#include "dae/evaluator.h"
#include "dae/graph_system.h"
#include "dyn/mechanism.h"
#include "failing_allocator.h"

#include <camber/sim.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <suitesparse/SuiteSparse_config.h>

/* Each copy has a hinge, a slide and a ball joint, with positions or velocities that are not 0. */
static const char mixed[] =
    "parameters: {N: 1}\n"
    "templates:\n"
    "  link:\n"
    "    points: {A: [0, 0, 0], B: [0.1, 0, 0], C: [0.15, 0.02, 0], D: [0.2, 0, 0.03]}\n"
    "    bodies:\n"
    "      bar: {mass: 1, com: B, inertia: [0.01, 0.02, 0.03]}\n"
    "      slide: {mass: 0.5, com: C, inertia: [0.004, 0.003, 0.002]}\n"
    "      ball: {mass: 0.7, com: D, inertia: [0.01, 0.01, 0.02]}\n"
    "    joints:\n"
    "      hinge: {type: revolute, parent: previous.ball, child: bar, at: A, axis: y, start: "
    "0.1*sin(index), rate: 0.3}\n"
    "      rail: {type: prismatic, parent: bar, child: slide, at: B, axis: x, start: "
    "0.01*cos(index), damping: 2}\n"
    "      socket: {type: spherical, parent: slide, child: ball, at: C}\n"
    "instances:\n"
    "  link: {template: link, repeat: N, step: [0.2, 0, 0.03]}\n"
    "simulate: {t-end: 1}\n";

/* A chain of bars on hinges. */
static const char bars[] = "parameters: {N: 1}\n"
                           "templates:\n"
                           "  link:\n"
                           "    points: {A: [0, 0, 0], B: [0.1, 0, 0]}\n"
                           "    bodies: {bar: {mass: 1, com: B, inertia: [0.001, 0.001, 0.001]}}\n"
                           "    joints: {hinge: {type: revolute, parent: previous.bar, child: bar, "
                           "at: A, axis: y, start: 'if(index < 2, "
                           "0.3, 0)'}}\n"
                           "    outputs: {x: bar.x, reaction: hinge.fz}\n"
                           "instances:\n"
                           "  link: {template: link, repeat: N, step: [0.2, 0, 0]}\n";

static cmb_model *read_model(cmb_context *ctx, const char *text, int n)
{
  static const char *const name = "N";
  const double value = n;
  const cmb_model_options options = {.set_count = 1, .set_names = &name, .set_values = &value};
  cmb_model *model;
  cmbt_ok(ctx, cmb_model_parse(ctx, text, strlen(text), "chain.yaml", &options, &model));
  return model;
}

/* ---- the mass matrix by its factors */

struct side {
  cmb_system *system;
  cmb_evaluator *ev;
};

static struct side open_side(cmb_context *ctx, const cmb_model *model, cmb_formulation form,
                             bool entries)
{
  const cmb_model_system_options options = {
      .formulation = form, .evaluation = CMB_EVALUATE_INTERPRETER, .derivatives = entries};
  struct side s;
  cmbt_ok(ctx, cmb_model_system(ctx, model, &options, &s.system));
  cmbt_ok(ctx, cmb_evaluator_create(ctx, cmb_system_equations(s.system), &s.ev));
  return s;
}

static void close_side(struct side *s)
{
  cmb_evaluator_destroy(s->ev);
  cmb_system_destroy(s->system);
}

static double distance(int n, const double *a, const double *b, double *size)
{
  double most = 0;
  *size = 0;
  for (int i = 0; i < n; i++) {
    most = fmax(most, fabs(a[i] - b[i]));
    *size = fmax(*size, fabs(b[i]));
  }
  return most;
}

/* Checks M x and the accelerations of the residual formulation, with factors of M and with its entries, and of the explicit formulation. */
static void test_factors(void **state)
{
  (void)state;
  enum { MOST = 400 };
  double x[MOST], y[2][MOST], a[3][MOST], none[1], size;
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_model *model = read_model(ctx, mixed, 40);
  struct side factors = open_side(ctx, model, CMB_FORM_RESIDUAL, false);
  struct side entries = open_side(ctx, model, CMB_FORM_RESIDUAL, true);
  struct side recursion = open_side(ctx, model, CMB_FORM_EXPLICIT, false);
  const struct side *const all[3] = {&factors, &entries, &recursion};
  const int nv = cmb_system_equations(factors.system)->nv;
  assert_non_null(cmb_system_equations(factors.system)->mass_factors);
  assert_null(cmb_system_equations(entries.system)->mass_factors);
  assert_true(nv == 200 && nv <= MOST);
  for (int i = 0; i < nv; i++) x[i] = sin(1 + 3 * i);
  for (int k = 0; k < 3; k++) {
    const double *q = cmb_system_q(all[k]->system), *v = cmb_system_v(all[k]->system);
    cmbt_ok(ctx, cmb_accelerate(all[k]->ev, 0, q, v, a[k], none));
    if (k < 2) {
      cmbt_ok(ctx, cmb_evaluate(all[k]->ev, 0, q, NULL, &(cmb_terms){.M = all[k]->ev->M}));
      cmb_multiply_mass(all[k]->ev, x, y[k]);
    }
  }
  double apart = distance(nv, y[0], y[1], &size);
  assert_true(apart <= 1e-13 * size);
  for (int k = 0; k < 3; k += 2) {
    apart = distance(nv, a[k], a[1], &size);
    assert_true(apart <= 1e-8 * size);
  }
  close_side(&factors);
  close_side(&entries);
  close_side(&recursion);
  cmb_model_destroy(model);
  cmb_context_destroy(ctx);
}

/* Checks that an implicit method without entries of M, and M of a very long chain, are refused with an error. */
static void test_refused(void **state)
{
  (void)state;
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_model *model = read_model(ctx, bars, 200);
  struct side s = open_side(ctx, model, CMB_FORM_EXPLICIT, false);
  cmb_run_options run = cmb_run_defaults();
  cmb_simulation *sim;
  run.method = cmb_method_find("bdf");
  assert_true(cmb_simulation_create(ctx, s.system, &run, &sim) < 0);
  assert_non_null(strstr(cmb_last_error(ctx),
                         "entries of the mass matrix, which this method or analysis needs"));
  close_side(&s);
  cmb_model_destroy(model);

  model = read_model(ctx, bars, 3000);
  const cmb_model_system_options options = {.derivatives = true};
  cmb_system *system;
  assert_int_equal(cmb_model_system(ctx, model, &options, &system), CMB_ERROR_INPUT);
  assert_non_null(
      strstr(cmb_last_error(ctx), "would take about 9.0 GB of memory; expected at most 8 GB"));
  cmb_model_destroy(model);
  cmb_context_destroy(ctx);
}

/* ---- memory */

/* Returns the largest amount of memory per body in bytes while a chain of n bodies is set up. */
static double bytes_per_body(cmb_formulation form, int n)
{
  struct cmbt_allocator memory;
  cmbt_allocator_init(&memory);
  cmb_context *ctx = cmb_context_create(&memory.hook);
  cmb_model *model = read_model(ctx, bars, n);
  const cmb_mechanism_options options = {.formulation = form};
  const cmb_graph_options graph = {.evaluation = CMB_EVALUATE_INTERPRETER,
                                   .explicit_form = form == CMB_FORM_EXPLICIT,
                                   .residual_form = form == CMB_FORM_RESIDUAL};
  cmb_mechanism *mechanism;
  cmb_system *system;
  cmbt_ok(ctx, cmb_mechanism_create(ctx, model, &options, &mechanism));
  cmbt_ok(ctx, cmb_graph_system_create(ctx, &mechanism->expressions, &graph, &system));
  cmb_system_destroy(system);
  cmb_mechanism_destroy(mechanism);
  cmb_model_destroy(model);
  cmb_context_destroy(ctx);
  assert_int_equal(memory.outstanding, 0);
  return (double)memory.peak / n;
}

/* Checks that four times as many bodies take at most 1.5 times the memory per body: arrays grow by doubling; n² would give a factor of 4. */
static void test_memory(void **state)
{
  (void)state;
  for (int form = CMB_FORM_EXPLICIT; form <= CMB_FORM_CARTESIAN; form++) {
    const double few = bytes_per_body((cmb_formulation)form, 150);
    const double many = bytes_per_body((cmb_formulation)form, 600);
    printf("formulation %d: %.0f bytes a body of 150, %.0f of 600\n", form, few, many);
    assert_true(many <= 1.5 * few);
  }
}

/* The largest request of KLU for memory; static, since the functions that replace malloc and realloc take no further argument. */
static size_t klu_largest;

static void *klu_malloc(size_t size)
{
  klu_largest = size > klu_largest ? size : klu_largest;
  return malloc(size);
}

static void *klu_realloc(void *memory, size_t size)
{
  klu_largest = size > klu_largest ? size : klu_largest;
  return realloc(memory, size);
}

/* Returns the largest amount of memory per body in bytes while a Cartesian chain of n bars is set up and makes its first steps. One dense matrix
 * of its constraints would add 288 n bytes per body. */
static double bytes_per_stepped_body(int n, const char *method, bool controlled)
{
  static const cmb_option_setting fixed = {"steps", "fixed"};
  const bool is_implicit = strcmp(method, "mdop5") != 0;
  struct cmbt_allocator memory;
  cmbt_allocator_init(&memory);
  cmb_context *ctx = cmb_context_create(&memory.hook);
  cmb_model *model = read_model(ctx, bars, n);
  const cmb_model_system_options options = {.formulation = CMB_FORM_CARTESIAN,
                                            .evaluation = CMB_EVALUATE_INTERPRETER,
                                            .derivatives = is_implicit};
  cmb_run_options run = cmb_run_defaults();
  cmb_simulation *sim;
  cmb_system *system;
  klu_largest = 0;
  run.method = cmb_method_find(method);
  run.integrator.step = 1e-5;
  run.integrator.setting_count = controlled ? 0 : 1;
  run.integrator.settings = &fixed;
  run.t_end = 2 * run.integrator.step;
  cmbt_ok(ctx, cmb_model_system(ctx, model, &options, &system));
  cmbt_ok(ctx, cmb_simulation_create(ctx, system, &run, &sim));
  cmbt_ok(ctx, cmb_simulation_run(sim));
  cmb_simulation_destroy(sim);
  cmb_system_destroy(system);
  cmb_model_destroy(model);
  cmb_context_destroy(ctx);
  assert_int_equal(memory.outstanding, 0);
  return (double)memory.peak / n;
}

/* Checks the memory of steps. With 600 bodies the pivots of the constraints are below 1e-8, which near a singular position would be a loss of
 * rank. */
static void test_cartesian_steps(void **state)
{
  (void)state;
  const double few = bytes_per_stepped_body(75, "mdop5", false);
  for (int n = 200; n <= 600; n += 400) {
    const double many = bytes_per_stepped_body(n, "mdop5", false);
    printf("stepped: %.0f bytes a body of 75, %.0f of %d\n", few, many, n);
    assert_true(many <= 1.5 * few);
  }
  assert_true(bytes_per_stepped_body(600, "mdop5", true) <= 1.5 * few);
}

/* Checks the memory of implicit steps. The pivots of constraints are not on the diagonal: an elimination order that assumes it fills the matrix. */
static void test_implicit_steps(void **state)
{
  (void)state;
  static const char *const methods[] = {"radau5", "bdf"};
  for (int i = 0; i < 2; i++) {
    const double few = bytes_per_stepped_body(40, methods[i], true);
    const double few_factors = (double)klu_largest / 40;
    const double many = bytes_per_stepped_body(120, methods[i], true);
    const double many_factors = (double)klu_largest / 120;
    printf("%s: %.0f bytes a body of 40, %.0f of 120; factors %.0f, %.0f\n", methods[i], few, many,
           few_factors, many_factors);
    assert_true(many <= 1.5 * few && many_factors <= 1.5 * few_factors);
  }
}

/* ---- formulas */

static const char sums[] =
    "parameters: {N: 1}\n"
    "templates:\n"
    "  first:\n"
    "    bodies: {bar: {mass: 1, com: [0, 0, 0]}}\n"
    "    joints: {hinge: {type: prismatic, child: bar, at: [0, 0, 0], axis: x, start: 1}}\n"
    "    measures: {sum: hinge}\n"
    "  link:\n"
    "    bodies: {bar: {mass: 1, com: [0, 0, 0]}}\n"
    "    joints: {hinge: {type: prismatic, child: bar, at: [0, 0, 0], axis: x, start: index}}\n"
    "    measures: {sum: previous.sum + hinge}\n"
    "    outputs: {sum: sum}\n"
    "instances:\n"
    "  begin: {template: first}\n"
    "  link: {template: link, repeat: N, before: begin}\n"
    "outputs: {total: link1500.sum}\n";

/* Returns the output with this name at the start of a run. */
static double output_at_start(cmb_context *ctx, const cmb_model *model, const char *name)
{
  cmb_run_options run = cmb_run_defaults();
  cmb_simulation *sim;
  cmb_system *system;
  run.method = cmb_method_find("mdop5");
  cmbt_ok(ctx, cmb_model_system(ctx, model, NULL, &system));
  cmbt_ok(ctx, cmb_simulation_create(ctx, system, &run, &sim));
  cmbt_ok(ctx, cmb_simulation_start(sim));
  const cmb_equations *eq = cmb_system_equations(system);
  int i = 0;
  while (i < eq->no && strcmp(eq->output_names[i], name) != 0) i++;
  assert_true(i < eq->no);
  const double value = cmb_simulation_result(sim)->outputs[i];
  cmb_simulation_destroy(sim);
  cmb_system_destroy(system);
  return value;
}

/* Checks a row of measures, each the sum of the one before and its own coordinate: 1, and 1 to 1500. If each use of a measure read its formula
 * again, the row would take a million readings, and its last measure alone 1,500 nested ones. */
static void test_sum_of_measures(void **state)
{
  (void)state;
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_model *model = read_model(ctx, sums, 1500);
  cmbt_near(output_at_start(ctx, model, "total"), 1 + 1500.0 * 1501 / 2, 1e-6);
  cmbt_near(output_at_start(ctx, model, "link3.sum"), 7, 1e-13);
  cmb_model_destroy(model);
  cmb_context_destroy(ctx);
}

enum { TEXT_ROOM = 1 << 14 };

static const char slider[] = "bodies: {hook: {mass: 1, com: [0, 0, 0]}}\n"
                             "joints: {first: {type: prismatic, child: hook, at: [0, 0, 0], axis: "
                             "x, coordinates: [x0], start: 0.1}}\n";

/* Checks measures that use the one before three times: 3^40 readings, if each use were one. */
static void test_nested_measures(void **state)
{
  (void)state;
  enum { DEEP = 40 };
  char text[TEXT_ROOM];
  size_t n = (size_t)snprintf(text, sizeof text, "%smeasures:\n  m0: x0\n", slider);
  double value = 0.1;
  for (int i = 1; i <= DEEP; i++) {
    n += (size_t)snprintf(text + n, sizeof text - n, "  m%d: 'if(m%d > %d, m%d + 1, 2*m%d)'\n", i,
                          i - 1, i, i - 1, i - 1);
    value = value > i ? value + 1 : 2 * value;
  }
  snprintf(text + n, sizeof text - n, "outputs: {last: m%d}\n", DEEP);
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_model *model;
  cmbt_ok(ctx, cmb_model_parse(ctx, text, strlen(text), "nested.yaml", NULL, &model));
  cmbt_near(output_at_start(ctx, model, "last"), value, 1e-12);
  cmb_model_destroy(model);
  cmb_context_destroy(ctx);
}

static void expect_error(const char *text, const char *words)
{
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_model *model;
  cmb_system *system;
  cmbt_ok(ctx, cmb_model_parse(ctx, text, strlen(text), "refused.yaml", NULL, &model));
  assert_int_equal(cmb_model_system(ctx, model, NULL, &system), CMB_ERROR_INPUT);
  if (!strstr(cmb_last_error(ctx), words)) fail_msg("%s", cmb_last_error(ctx));
  cmb_model_destroy(model);
  cmb_context_destroy(ctx);
}

/* Checks a ring of measures longer than the allowed nesting, and a row of forces each of which depends on the next. */

static void test_refused_formulas(void **state)
{
  (void)state;
  enum { RING = 100, ROW = 80 };
  char text[TEXT_ROOM];
  size_t n = (size_t)snprintf(text, sizeof text, "%smeasures:\n", slider);
  for (int i = 0; i < RING; i++) {
    n += (size_t)snprintf(text + n, sizeof text - n, "  m%d: m%d\n", i, (i + 1) % RING);
  }
  snprintf(text + n, sizeof text - n, "outputs: {one: m3}\n");
  expect_error(text, "depends on itself");

  n = (size_t)snprintf(text, sizeof text, "%sforces:\n", slider);
  for (int i = 0; i < ROW; i++) {
    n += (size_t)snprintf(text + n, sizeof text - n,
                          "  f%d: {type: torsion, coordinate: x0, torque: 'f%d.torque'}\n", i,
                          i + 1);
  }
  snprintf(text + n, sizeof text - n, "  f%d: {type: torsion, coordinate: x0, torque: '1'}\n", ROW);
  expect_error(text, "forces that depend on each other");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_factors),         cmocka_unit_test(test_refused),
      cmocka_unit_test(test_memory),          cmocka_unit_test(test_sum_of_measures),
      cmocka_unit_test(test_nested_measures), cmocka_unit_test(test_refused_formulas),
      cmocka_unit_test(test_cartesian_steps), cmocka_unit_test(test_implicit_steps),
  };
  SuiteSparse_config.malloc_func = klu_malloc;
  SuiteSparse_config.realloc_func = klu_realloc;
  return cmocka_run_group_tests(tests, NULL, NULL);
}
