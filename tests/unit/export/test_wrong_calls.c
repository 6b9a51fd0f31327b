/*
 * Tests of wrong calls of the public interface, header by header: missing arguments, impossible sizes, equations without required functions
 * or names, calls in a wrong order, and calls with objects that a failed call was to create. None crashes. Each returns CMB_ERROR_ARGUMENT,
 * or CMB_ERROR_INPUT where numbers, texts or names are wrong that may come from a user; a context that is given has an error message.
 */
#include "check.h"

#include <camber/camber.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int calls; /* number of wrong calls so far */

/* Checks that a wrong call returned `expected` and left a message in the context (unless NULL). `call` and `line` are its text and
 * place. */
static void refused_with(cmb_context *ctx, cmb_status expected, cmb_status status, const char *call,
                         int line)
{
  calls++;
  if (status != expected)
    fail_msg("line %d: %s returns %d, not %d", line, call, (int)status, (int)expected);
  if (!ctx) return;
  if (cmb_last_error(ctx)[0] == '\0') fail_msg("line %d: %s leaves no message", line, call);
  /* a successful call deletes the message, so that the next wrong call has to leave its own */
  cmb_model *model;
  cmbt_ok(ctx, cmb_model_parse(ctx, "title: a", 8, "x", NULL, &model));
  cmb_model_destroy(model);
  assert_string_equal(cmb_last_error(ctx), "");
}

#define REFUSED(ctx, call)       refused_with(ctx, CMB_ERROR_ARGUMENT, call, #call, __LINE__)
#define REFUSED_INPUT(ctx, call) refused_with(ctx, CMB_ERROR_INPUT, call, #call, __LINE__)

/* ---- correct equations: a mass on a spring, with a switching function, an output and an input */

static cmb_status evaluate(const void *self, const cmb_point *at, const cmb_terms *want)
{
  (void)self;
  if (want->M) want->M[0] = 1;
  if (want->f) want->f[0] = -at->q[0];
  return CMB_OK;
}

static cmb_status switches(const void *self, const cmb_point *at, const double *lambda, double *s)
{
  (void)self, (void)lambda;
  s[0] = at->q[0] - 100;
  return CMB_OK;
}

static cmb_status outputs(const void *self, const cmb_point *at, const double *a,
                          const double *lambda, double *out)
{
  (void)self, (void)a, (void)lambda;
  out[0] = at->q[0];
  return CMB_OK;
}

static cmb_status inputs(const void *self, const cmb_point *at, double *u)
{
  (void)self, (void)at;
  u[0] = 0;
  return CMB_OK;
}

static const char *const names[] = {"x"}, *const no_names[] = {NULL};
static const double zero[2] = {0, 0};

static cmb_equations correct_equations(void)
{
  return (cmb_equations){.name = "mass",
                         .nq = 1,
                         .nv = 1,
                         .ns = 1,
                         .no = 1,
                         .nu = 1,
                         .q_names = names,
                         .v_names = names,
                         .switch_names = names,
                         .output_names = names,
                         .u_names = names,
                         .evaluate = evaluate,
                         .switches = switches,
                         .outputs = outputs,
                         .inputs = inputs};
}

/* Checks that wrong equations are refused by the functions that create systems, integrators and linearisations. */
static void refuse_equations(cmb_context *ctx, const cmb_equations *eq)
{
  const cmb_integrator_options o = cmb_integrator_defaults();
  cmb_system *system = NULL;
  cmb_integrator *in = NULL;
  cmb_linearization *l = NULL;
  REFUSED(ctx, cmb_system_create(ctx, eq, 0, 1, zero, zero, &system));
  REFUSED(ctx, cmb_integrator_create(ctx, eq, cmb_method_find("mdop5"), &o, &in));
  REFUSED(ctx, cmb_linearize(ctx, eq, 0, zero, zero, &l));
  assert_true(!system && !in && !l);
}

/* Checks the correct equations with one wrong member at a time. */
static void test_equations(void **state)
{
  (void)state;
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_system *system;
  cmb_equations eq = correct_equations();
  cmbt_ok(ctx, cmb_system_create(ctx, &eq, 0, 1, zero, zero, &system));
  cmb_system_destroy(system);
  refuse_equations(ctx, NULL);
#define WRONG(...)                                                                                 \
  do {                                                                                             \
    eq = correct_equations();                                                                      \
    __VA_ARGS__;                                                                                   \
    refuse_equations(ctx, &eq);                                                                    \
  } while (0)
  WRONG(eq.name = NULL);
  WRONG(eq.nq = 0);
  WRONG(eq.nq = -1);
  WRONG(eq.nq = INT_MAX);
  WRONG(eq.nv = 0);
  WRONG(eq.nv = 2);
  WRONG(eq.ng = -1);
  WRONG(eq.ng = 1); /* without names of constraints and multipliers */
  WRONG(eq.ng = 1, eq.g_names = names);
  WRONG(eq.ng = 1, eq.lambda_names = names);
  WRONG(eq.ns = -5);
  WRONG(eq.no = INT_MIN);
  WRONG(eq.nu = -1);
  WRONG(eq.nt = -1);
  WRONG(eq.nt = 1);
  WRONG(eq.np = -1);
  WRONG(eq.np = 1);
  WRONG(eq.q_names = NULL);
  WRONG(eq.v_names = NULL);
  WRONG(eq.q_names = no_names);
  WRONG(eq.switch_names = NULL);
  WRONG(eq.output_names = no_names);
  WRONG(eq.u_names = NULL);
  WRONG(eq.evaluate = NULL);
  WRONG(eq.switches = NULL);
  WRONG(eq.outputs = NULL);
  WRONG(eq.inputs = NULL);
  WRONG(eq.switch_is_level = (const bool[]){true});
  cmb_context_destroy(ctx);
}

/* Checks sparsity patterns with wrong sizes, missing arrays, columns out of range or repeated, and row starts that do not ascend from 0. */
static void test_patterns(void **state)
{
  (void)state;
  static const int start[] = {0, 1}, long_start[] = {0, 2}, late[] = {1, 1}, back[] = {0, -1};
  static const int inside[] = {0}, outside[] = {1}, before[] = {-1}, twice[] = {0, 0};
  const cmb_pattern patterns[] = {
      {1, 2, start, inside},     {2, 1, start, inside},  {1, 1, NULL, inside},
      {1, 1, start, NULL},       {1, 1, start, outside}, {1, 1, start, before},
      {1, 1, long_start, twice}, {1, 1, late, inside},   {1, 1, back, inside}};
  cmb_context *ctx = cmb_context_create(NULL);
  for (size_t i = 0; i < sizeof patterns / sizeof patterns[0]; i++) {
    cmb_equations eq = correct_equations();
    eq.M_pattern = &patterns[i];
    refuse_equations(ctx, &eq);
    eq = correct_equations();
    eq.derivative_pattern[CMB_RESIDUAL_V] = &patterns[i];
    refuse_equations(ctx, &eq);
  }
  cmb_context_destroy(ctx);
}

static void test_systems(void **state)
{
  (void)state;
  cmb_context *ctx = cmb_context_create(NULL);
  const cmb_equations eq = correct_equations();
  const cmb_setting unnamed = {NULL, 1}, unknown = {"y", 1};
  const cmb_problem *pendulum = cmb_problem_find("pendulum");
  cmb_system *system;
  REFUSED(NULL, cmb_system_create(NULL, &eq, 0, 1, zero, zero, &system));
  REFUSED(ctx, cmb_system_create(ctx, &eq, 0, 1, zero, zero, NULL));
  REFUSED(ctx, cmb_system_create(ctx, &eq, NAN, 1, zero, zero, &system));
  REFUSED(ctx, cmb_system_create(ctx, &eq, 0, INFINITY, zero, zero, &system));
  REFUSED(ctx, cmb_system_create(ctx, &eq, 0, 1, NULL, zero, &system));
  REFUSED(ctx, cmb_system_create(ctx, &eq, 0, 1, zero, NULL, &system));
  cmbt_ok(ctx, cmb_system_create(ctx, &eq, 0, 1, zero, zero, &system));
  REFUSED(ctx, cmb_system_set_start(ctx, NULL, 0, NULL));
  REFUSED(ctx, cmb_system_set_start(ctx, system, 1, NULL));
  REFUSED(ctx, cmb_system_set_start(ctx, system, -1, &unknown));
  REFUSED(ctx, cmb_system_set_start(ctx, system, 1, &unnamed));
  REFUSED_INPUT(ctx, cmb_system_set_start(ctx, system, 1, &unknown));
  REFUSED(ctx, cmb_system_equilibrium(ctx, NULL, NULL));
  REFUSED(ctx, cmb_system_equilibrium(ctx, system, NULL));
  cmb_system_destroy(system);
  REFUSED(ctx, cmb_problem_create(ctx, NULL, 0, NULL, &system));
  REFUSED(ctx, cmb_problem_create(ctx, pendulum, 1, NULL, &system));
  REFUSED(ctx, cmb_problem_create(ctx, pendulum, -1, NULL, &system));
  REFUSED(ctx, cmb_problem_create(ctx, pendulum, 1, &unnamed, &system));
  REFUSED(ctx, cmb_problem_create(ctx, pendulum, 0, NULL, NULL));
  /* a failed call sets the system to NULL, which can be queried and destroyed */
  assert_null(system);
  assert_null(cmb_system_equations(system));
  assert_null(cmb_system_q(system));
  assert_null(cmb_system_v(system));
  assert_true(isnan(cmb_system_t_start(system)) && isnan(cmb_system_t_end(system)));
  cmb_system_destroy(system);
  assert_null(cmb_problem_at(-1));
  assert_null(cmb_problem_at(cmb_problem_count()));
  assert_null(cmb_problem_find(NULL));
  cmb_linearization *l;
  REFUSED(ctx, cmb_linearize(ctx, &eq, NAN, zero, zero, &l));
  REFUSED(ctx, cmb_linearize(ctx, &eq, 0, NULL, zero, &l));
  REFUSED(ctx, cmb_linearize(ctx, &eq, 0, zero, zero, NULL));
  cmb_state_space *space;
  const int first = 0, behind = 99;
  REFUSED(ctx, cmb_state_space_create(ctx, NULL, 0, zero, zero, 0, NULL, 0, NULL, &space));
  REFUSED(ctx, cmb_state_space_create(ctx, &eq, NAN, zero, zero, 0, NULL, 0, NULL, &space));
  REFUSED(ctx, cmb_state_space_create(ctx, &eq, 0, NULL, zero, 0, NULL, 0, NULL, &space));
  REFUSED(ctx, cmb_state_space_create(ctx, &eq, 0, zero, zero, 0, NULL, 0, NULL, NULL));
  REFUSED(ctx, cmb_state_space_create(ctx, &eq, 0, zero, zero, 1, &behind, 0, NULL, &space));
  REFUSED(ctx, cmb_state_space_create(ctx, &eq, 0, zero, zero, 1, NULL, 0, NULL, &space));
  REFUSED(ctx, cmb_state_space_create(ctx, &eq, 0, zero, zero, 0, NULL, 1, &behind, &space));
  REFUSED(ctx, cmb_state_space_create(ctx, &eq, 0, zero, zero, -1, &first, 0, NULL, &space));
  const cmb_state_space empty = {0};
  double room[2];
  REFUSED(ctx, cmb_state_space_response(ctx, NULL, 1, room));
  REFUSED(ctx, cmb_state_space_response(ctx, &empty, NAN, room));
  REFUSED(ctx, cmb_state_space_response(ctx, &empty, 1, NULL));
  REFUSED(ctx, cmb_state_space_step(ctx, NULL, 0, 1, 1, room));
  REFUSED(ctx, cmb_state_space_step(ctx, &empty, 0, 1, 1, room)); /* it has no input */
  cmb_state_space_destroy(NULL);
  cmb_transfer *transfer;
  const double one = 1, bad = NAN;
  const cmb_state_space scalar = {
      .nx = 1, .nu = 1, .ny = 1, .A = &bad, .B = &one, .C = &one, .D = &one};
  REFUSED(ctx, cmb_transfer_create(ctx, NULL, 0, 0, &transfer));
  REFUSED(ctx, cmb_transfer_create(ctx, &empty, 0, 0, &transfer));
  REFUSED(ctx, cmb_transfer_create(ctx, &scalar, 1, 0, &transfer));
  REFUSED(ctx, cmb_transfer_create(ctx, &scalar, 0, -1, &transfer));
  REFUSED(ctx, cmb_transfer_create(ctx, &scalar, 0, 0, NULL));
  REFUSED(ctx, cmb_transfer_create(ctx, &scalar, 0, 0, &transfer)); /* not finite */
  cmb_transfer_destroy(NULL);
  cmb_context_destroy(ctx);
}

static void test_integrators(void **state)
{
  (void)state;
  cmb_context *ctx = cmb_context_create(NULL);
  const cmb_equations eq = correct_equations();
  const cmb_method *method = cmb_method_find("mdop5");
  const cmb_option_setting unnamed = {NULL, "x"}, valueless = {"projection", NULL};
  cmb_integrator_options o = cmb_integrator_defaults();
  cmb_integrator *in;
  double q[1], v[1];
  REFUSED(NULL, cmb_integrator_create(NULL, &eq, method, &o, &in));
  REFUSED(ctx, cmb_integrator_create(ctx, &eq, NULL, &o, &in));
  REFUSED(ctx, cmb_integrator_create(ctx, &eq, method, NULL, &in));
  REFUSED(ctx, cmb_integrator_create(ctx, &eq, method, &o, NULL));
  o.setting_count = 1;
  REFUSED(ctx, cmb_integrator_create(ctx, &eq, method, &o, &in));
  o.settings = &unnamed;
  REFUSED(ctx, cmb_integrator_create(ctx, &eq, method, &o, &in));
  o.settings = &valueless;
  REFUSED(ctx, cmb_integrator_create(ctx, &eq, method, &o, &in));
  o.setting_count = -1;
  REFUSED(ctx, cmb_integrator_create(ctx, &eq, method, &o, &in));
  o = cmb_integrator_defaults();
  o.rtol = NAN;
  REFUSED(ctx, cmb_integrator_create(ctx, &eq, method, &o, &in));
  REFUSED(NULL, cmb_integrator_begin(NULL, 0, zero, zero));
  REFUSED(NULL, cmb_integrator_step(NULL, 1));
  REFUSED(NULL, cmb_integrator_undo(NULL));
  REFUSED(NULL, cmb_integrator_interpolate(NULL, 0, q, v));
  REFUSED(ctx, cmb_method_check_option(ctx, NULL, &valueless));
  REFUSED(ctx, cmb_method_check_option(ctx, method, NULL));
  REFUSED(ctx, cmb_method_check_option(ctx, method, &valueless));
  assert_null(cmb_method_at(-1));
  assert_null(cmb_method_at(INT_MAX));
  assert_null(cmb_method_find(NULL));
  cmb_integrator_destroy(in);
  cmb_context_destroy(ctx);
}

/* Checks for every method that a step before cmb_integrator_begin is refused, and interpolation and undo before a step; and wrong arguments
 * of begin and of interpolation. */
static void test_order_of_calls(void **state)
{
  (void)state;
  cmb_context *ctx = cmb_context_create(NULL);
  const cmb_equations eq = correct_equations();
  for (int i = 0; i < cmb_method_count(); i++) {
    cmb_integrator_options o = cmb_integrator_defaults();
    cmb_integrator *in;
    double q[1], v[1];
    o.step = 1e-3;
    cmbt_ok(ctx, cmb_integrator_create(ctx, &eq, cmb_method_at(i), &o, &in));
    REFUSED(ctx, cmb_integrator_step(in, 1));
    REFUSED(ctx, cmb_integrator_undo(in));
    REFUSED(ctx, cmb_integrator_interpolate(in, 0, q, v));
    REFUSED(ctx, cmb_integrator_begin(in, 0, NULL, zero));
    REFUSED(ctx, cmb_integrator_begin(in, NAN, zero, zero));
    cmbt_ok(ctx, cmb_integrator_begin(in, 0, (const double[]){1}, zero));
    REFUSED(ctx, cmb_integrator_undo(in));
    cmbt_ok(ctx, cmb_integrator_step(in, 1));
    REFUSED(ctx, cmb_integrator_interpolate(in, -1, q, v));
    REFUSED(ctx, cmb_integrator_interpolate(in, NAN, q, v));
    REFUSED(ctx, cmb_integrator_interpolate(in, 0, NULL, v));
    cmbt_ok(ctx, cmb_integrator_interpolate(in, cmb_integrator_t(in), q, v));
    cmb_integrator_destroy(in);
  }
  cmb_context_destroy(ctx);
}

static void test_runs(void **state)
{
  (void)state;
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_equations eq = correct_equations();
  cmb_run_options o = cmb_run_defaults();
  cmb_system *system;
  cmb_simulation *sim;
  cmb_csv *csv;
  cmbt_ok(ctx, cmb_system_create(ctx, &eq, 0, 1, zero, zero, &system));
  REFUSED(NULL, cmb_simulation_create(NULL, system, &o, &sim));
  REFUSED(ctx, cmb_simulation_create(ctx, NULL, &o, &sim));
  REFUSED(ctx, cmb_simulation_create(ctx, system, NULL, &sim));
  REFUSED(ctx, cmb_simulation_create(ctx, system, &o, NULL));
  o.method = NULL;
  REFUSED(ctx, cmb_simulation_create(ctx, system, &o, &sim));
  o = cmb_run_defaults();
  o.every = -1;
  REFUSED(ctx, cmb_simulation_create(ctx, system, &o, &sim));
  o.every = NAN;
  REFUSED(ctx, cmb_simulation_create(ctx, system, &o, &sim));
  o = cmb_run_defaults();
  o.t_end = -1;
  REFUSED(ctx, cmb_simulation_create(ctx, system, &o, &sim));
  assert_null(sim);
  REFUSED(NULL, cmb_simulation_start(sim));
  REFUSED(NULL, cmb_simulation_run(sim));
  assert_null(cmb_simulation_result(sim));
  cmb_simulation_destroy(sim);
  cmb_system_destroy(system);

  REFUSED(NULL, cmb_csv_open(NULL, "x.csv", &eq, &csv));
  REFUSED(ctx, cmb_csv_open(ctx, NULL, &eq, &csv));
  REFUSED(ctx, cmb_csv_open(ctx, "x.csv", NULL, &csv));
  REFUSED(ctx, cmb_csv_open(ctx, "x.csv", &eq, NULL));
  eq.q_names = NULL;
  REFUSED(ctx, cmb_csv_open(ctx, "x.csv", &eq, &csv));
  eq.q_names = no_names;
  REFUSED(ctx, cmb_csv_open(ctx, "x.csv", &eq, &csv));
  assert_null(csv);
  REFUSED(NULL, cmb_csv_record(csv, NULL));
  REFUSED(NULL, cmb_csv_close(csv));
  eq = correct_equations();
  cmbt_ok(ctx, cmb_csv_open(ctx, "x.csv", &eq, &csv));
  REFUSED(ctx, cmb_csv_record(csv, NULL));
  REFUSED(ctx, cmb_csv_record(csv, &(cmb_record){.q = zero, .v = zero}));
  cmb_csv_discard(csv);
  cmb_context_destroy(ctx);
}

static void test_models(void **state)
{
  (void)state;
  static const char text[] = "bodies: {b: {mass: 1, com: [0, 0, 1], inertia: [1, 1, 1]}}\n"
                             "joints: {j: {type: revolute, child: b, at: [0, 0, 0], axis: y}}\n";
  static const double one[] = {1};
  cmb_context *ctx = cmb_context_create(NULL);
  const cmb_model_options no_values = {.set_count = 1, .set_names = names};
  const cmb_model_options negative = {.set_count = -1, .set_names = names, .set_values = one};
  const cmb_model_options unnamed = {.set_count = 1, .set_names = no_names, .set_values = one};
  const cmb_model_system_options wild = {.formulation = (cmb_formulation)77};
  const cmb_mechanism_options joints = {.formulation = CMB_FORM_RESIDUAL};
  cmb_model *model;
  cmb_system *system;
  cmb_mechanism *mechanism;
  cmb_model_origin origin;
  int count;
  REFUSED(NULL, cmb_model_read(NULL, "x.yaml", NULL, &model));
  REFUSED(ctx, cmb_model_read(ctx, NULL, NULL, &model));
  REFUSED(ctx, cmb_model_read(ctx, "x.yaml", NULL, NULL));
  REFUSED(NULL, cmb_model_parse(NULL, text, sizeof text - 1, "x", NULL, &model));
  REFUSED(ctx, cmb_model_parse(ctx, NULL, 5, "x", NULL, &model));
  REFUSED(ctx, cmb_model_parse(ctx, text, sizeof text - 1, NULL, NULL, &model));
  REFUSED(ctx, cmb_model_parse(ctx, text, sizeof text - 1, "x", NULL, NULL));
  REFUSED(ctx, cmb_model_parse(ctx, text, sizeof text - 1, "x", &no_values, &model));
  REFUSED(ctx, cmb_model_parse(ctx, text, sizeof text - 1, "x", &negative, &model));
  REFUSED(ctx, cmb_model_parse(ctx, text, sizeof text - 1, "x", &unnamed, &model));
  assert_null(model);
  assert_null(cmb_model_name(model));
  assert_null(cmb_model_title(model));
  assert_null(cmb_model_defaults(model, &count));
  assert_false(cmb_model_origin_of(model, "j", &origin) || cmb_model_reads(model, "x"));
  REFUSED(ctx, cmb_model_system(ctx, model, NULL, &system));
  REFUSED(ctx, cmb_mechanism_create(ctx, model, &joints, &mechanism));
  cmbt_ok(ctx, cmb_model_parse(ctx, text, sizeof text - 1, "x", NULL, &model));
  REFUSED(NULL, cmb_model_system(NULL, model, NULL, &system));
  REFUSED(ctx, cmb_model_system(ctx, model, NULL, NULL));
  REFUSED(ctx, cmb_model_system(ctx, model, &wild, &system));
  REFUSED(ctx, cmb_mechanism_create(ctx, model, NULL, &mechanism));
  REFUSED(ctx, cmb_mechanism_create(ctx, model, &joints, NULL));
  assert_false(cmb_model_origin_of(model, NULL, &origin) || cmb_model_origin_of(model, "j", NULL));
  assert_false(cmb_model_reads(model, NULL) || cmb_formulation_find(NULL, NULL));
  cmb_model_destroy(model);
  cmb_context_destroy(ctx);
}

static void test_export(void **state)
{
  (void)state;
  cmb_context *ctx = cmb_context_create(NULL);
  const cmb_equations eq = correct_equations();
  cmb_run_options o = cmb_run_defaults();
  cmb_system *system;
  cmbt_ok(ctx, cmb_system_create(ctx, &eq, 0, 1, zero, zero, &system));
  o.method = NULL;
  REFUSED(ctx, cmb_export_c(ctx, system, &o, "code", NULL));
  o.method = cmb_method_find("lie");
  REFUSED(NULL, cmb_export_c(NULL, system, &o, "code", NULL));
  REFUSED(ctx, cmb_export_c(ctx, NULL, &o, "code", NULL));
  REFUSED(ctx, cmb_export_c(ctx, system, NULL, "code", NULL));
  REFUSED(ctx, cmb_export_c(ctx, system, &o, NULL, NULL));
  REFUSED(ctx, cmb_export_c(ctx, system, &o, "code", NULL)); /* no expressions */
  assert_int_equal(cmb_export_c(ctx, system, &o, "code", NULL), CMB_ERROR_ARGUMENT);
  assert_non_null(strstr(cmb_last_error(ctx), "is written in C and has no expressions"));
  o.integrator.setting_count = 1;
  REFUSED(ctx, cmb_export_c(ctx, system, &o, "code", NULL));
  cmb_system_destroy(system);
  cmb_context_destroy(ctx);
}

/* A model whose system was made without expressions cannot be exported, and the message names the option that is missing. */
static void test_export_without_expressions(void **state)
{
  (void)state;
  static const char text[] =
      "bodies: {b: {mass: 1, sphere: [0, 0, 0], radius: 1}}\njoints: {x: {type: free, child: b}}";
  const cmb_model_system_options plain = {0};
  cmb_run_options o = cmb_run_defaults();
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_model *model;
  cmb_system *system;
  o.method = cmb_method_find("lie");
  cmbt_ok(ctx, cmb_model_parse(ctx, text, strlen(text), "x", NULL, &model));
  cmbt_ok(ctx, cmb_model_system(ctx, model, &plain, &system));
  assert_int_equal(cmb_export_c(ctx, system, &o, "code", NULL), CMB_ERROR_ARGUMENT);
  assert_non_null(strstr(cmb_last_error(ctx), "expected the option 'expressions' when the system"));
  cmb_system_destroy(system);
  cmb_model_destroy(model);
  cmb_context_destroy(ctx);
}

/* ---- expressions; a graph stays in its error state, so each case has a graph of its own */

/* Returns a graph with one input. */
static cmb_graph *graph(cmb_context *ctx)
{
  cmb_graph *g;
  cmbt_ok(ctx, cmb_graph_create(ctx, &g));
  cmb_input(g, "x");
  return g;
}

/* Checks that the expression is the invalid one, 0; destroys the graph and returns its status. */
static cmb_status status_after(cmb_graph *g, cmb_expr e)
{
  assert_int_equal(e, 0);
  cmb_status status = cmb_graph_status(g);
  cmb_graph_destroy(g);
  return status;
}

static void test_expressions(void **state)
{
  (void)state;
  static const double x[] = {0, 1}, y[] = {0, 1}, f[] = {0, 1, 2, 3}, back[] = {1, 0};
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_table *line, *surface, *wrong;
  const cmb_external empty = {.name = "f", .arity = 1};
  const cmb_expr far[] = {77};
  cmb_graph *g;
  REFUSED(NULL, cmb_graph_create(NULL, &g));
  REFUSED(ctx, cmb_graph_create(ctx, NULL));
  REFUSED(NULL, cmb_graph_status(NULL));
  cmbt_ok(ctx, cmb_table_create(ctx, CMB_TABLE_LINEAR, 2, x, f, &line));
  cmbt_ok(ctx, cmb_table2_create(ctx, 2, x, 2, y, f, &surface));
  REFUSED_INPUT(ctx, cmb_table_create(ctx, CMB_TABLE_LINEAR, -2, x, f, &wrong));
  REFUSED(ctx, cmb_table_create(ctx, CMB_TABLE_LINEAR, 2, NULL, f, &wrong));
  REFUSED(ctx, cmb_table_create(ctx, CMB_TABLE_LINEAR, 2, x, NULL, &wrong));
  REFUSED_INPUT(ctx, cmb_table_create(ctx, CMB_TABLE_LINEAR, 2, back, f, &wrong));
  REFUSED(ctx, cmb_table_create(ctx, (cmb_table_kind)9, 2, x, f, &wrong));
  REFUSED(ctx, cmb_table_create(ctx, CMB_TABLE_LINEAR, 2, x, f, NULL));
  REFUSED(ctx, cmb_table2_create(ctx, 2, x, 2, NULL, f, &wrong));
  REFUSED_INPUT(ctx, cmb_table2_create(ctx, 2, x, 0, y, f, &wrong));
#define MISUSE(call) (g = graph(ctx), REFUSED(ctx, status_after(g, call)))
  MISUSE(cmb_input(g, NULL));
  MISUSE(cmb_apply(g, CMB_OP_ADD, 1, 77, 0));
  MISUSE(cmb_apply(g, CMB_OP_SIN, 77, 0, 0));
  MISUSE(cmb_apply(g, CMB_OP_IF, 1, 1, UINT32_MAX));
  MISUSE(cmb_apply(g, CMB_OP_INPUT, 1, 1, 1));
  MISUSE(cmb_apply(g, CMB_OP_CALL, 1, 1, 1));
  MISUSE(cmb_apply(g, (cmb_op)1000, 1, 1, 1));
  MISUSE(cmb_table_apply(g, NULL, 1));
  MISUSE(cmb_table_apply(g, line, 77));
  MISUSE(cmb_table_apply(g, surface, 1));
  MISUSE(cmb_table2_apply(g, line, 1, 1));
  MISUSE(cmb_table2_apply(g, surface, 1, 77));
  MISUSE(cmb_external_apply(g, NULL, far));
  MISUSE(cmb_external_apply(g, &empty, far));
  cmb_table_destroy(line);
  cmb_table_destroy(surface);
  cmb_context_destroy(ctx);
}

static void test_programs(void **state)
{
  (void)state;
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_graph *g = graph(ctx);
  cmb_modes *modes;
  cmb_program *program;
  cmb_jacobian *jacobian;
  cmb_native *native;
  cmb_expr in[] = {1}, far[] = {77}, result[1], e;
  const cmb_program *const no_program[] = {NULL};
  const cmb_c_function nameless = {NULL, NULL};
  REFUSED(ctx, cmb_forward(g, 1, in, in, 1, far, result));
  REFUSED(ctx, cmb_forward(g, 1, far, in, 1, in, result));
  REFUSED(ctx, cmb_forward(g, -1, in, in, 1, in, result));
  REFUSED(ctx, cmb_forward(g, 1, NULL, in, 1, in, result));
  REFUSED(ctx, cmb_forward(g, 1, in, in, 1, in, NULL));
  REFUSED(ctx, cmb_reverse(g, 1, in, 1, far, in, result));
  REFUSED(ctx, cmb_reverse(g, 1, in, 1, in, NULL, result));
  REFUSED(ctx, cmb_substitute(g, 1, in, far, 1, in, result));
  REFUSED(ctx, cmb_substitute(g, 1, in, in, 1, NULL, result));
  REFUSED(ctx, cmb_import(g, NULL, 1, in, in, 1, in, result));
  REFUSED(NULL, cmb_import(NULL, g, 1, in, in, 1, in, result));
  REFUSED(ctx, cmb_import(g, g, 1, in, far, 1, in, result));
  REFUSED(ctx, cmb_modes_create(ctx, NULL));
  cmbt_ok(ctx, cmb_modes_create(ctx, &modes));
  REFUSED(ctx, cmb_modes_freeze(modes, g, 1, far, result));
  REFUSED(ctx, cmb_modes_freeze(NULL, g, 1, in, result));
  REFUSED(NULL, cmb_modes_freeze(modes, NULL, 1, in, result));
  cmb_modes_destroy(modes);
  REFUSED(NULL, cmb_formula_parse(NULL, "x", 1, 1, 1, NULL, &e));
  REFUSED(ctx, cmb_formula_parse(g, NULL, 1, 1, 1, NULL, &e));
  REFUSED(ctx, cmb_formula_parse(g, "1", 1, 1, 1, NULL, NULL));
  REFUSED_INPUT(ctx, cmb_formula_parse(g, "x", 1, 1, 1, NULL, &e)); /* an unknown name */
  REFUSED(ctx, cmb_program_create(ctx, NULL, 1, in, 1, in, &program));
  REFUSED(ctx, cmb_program_create(ctx, g, 1, far, 1, in, &program));
  REFUSED(ctx, cmb_program_create(ctx, g, 1, in, 1, far, &program));
  REFUSED(ctx, cmb_program_create(ctx, g, 1, in, 1, in, NULL));
  REFUSED(ctx, cmb_program_create(ctx, g, 1, (const cmb_expr[]){0}, 1, in, &program));
  REFUSED(ctx, cmb_program_create(ctx, g, 0, NULL, 1, in, &program)); /* x is missing */
  REFUSED(ctx, cmb_jacobian_create(ctx, g, 1, in, 1, far, 1, in, &jacobian));
  REFUSED(ctx, cmb_jacobian_create(ctx, NULL, 1, in, 1, in, 1, in, &jacobian));
  REFUSED(ctx, cmb_jacobian_create(ctx, g, 1, in, 1, in, 1, in, NULL));
  REFUSED(ctx, cmb_native_create(ctx, 1, NULL, NULL, &native));
  REFUSED(ctx, cmb_native_create(ctx, 1, no_program, NULL, &native));
  REFUSED(ctx, cmb_native_create(ctx, -1, no_program, NULL, &native));
  REFUSED(ctx, cmb_c_file_save(ctx, "p", 1, NULL, "x.c"));
  REFUSED(ctx, cmb_c_file_save(ctx, "p", 1, &nameless, "x.c"));
  REFUSED(ctx, cmb_c_file_save(ctx, NULL, 0, NULL, "x.c"));
  REFUSED(ctx, cmb_c_file_save(ctx, "p", 0, NULL, NULL));
  cmb_graph_destroy(g);
  cmb_context_destroy(ctx);
}

/* Checks that destroying nothing does nothing, with all functions of the interface that destroy something but a context. */
static void test_destroying_nothing(void **state)
{
  (void)state;
  cmb_draft_destroy(NULL);
  cmb_freedoms_destroy(NULL);
  cmb_graph_destroy(NULL);
  cmb_ground_destroy(NULL);
  cmb_integrator_destroy(NULL);
  cmb_jacobian_destroy(NULL);
  cmb_linearization_destroy(NULL);
  cmb_mechanism_destroy(NULL);
  cmb_model_destroy(NULL);
  cmb_modes_destroy(NULL);
  cmb_native_destroy(NULL);
  cmb_poses_destroy(NULL);
  cmb_program_destroy(NULL);
  cmb_simulation_destroy(NULL);
  cmb_state_space_destroy(NULL);
  cmb_suspension_destroy(NULL);
  cmb_system_destroy(NULL);
  cmb_table_destroy(NULL);
  cmb_transfer_destroy(NULL);
}

static void test_contexts(void **state)
{
  (void)state;
  const cmb_allocator empty = {0};
  assert_null(cmb_context_create(&empty));
  cmb_context_destroy(NULL);
  cmb_context_set_log(NULL, NULL, NULL);
  assert_string_equal(cmb_last_error(NULL), "");
  assert_string_equal(cmb_status_code((cmb_status)12345), "unknown");
  printf("%d wrong calls\n", calls);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_equations),
      cmocka_unit_test(test_patterns),
      cmocka_unit_test(test_systems),
      cmocka_unit_test(test_integrators),
      cmocka_unit_test(test_order_of_calls),
      cmocka_unit_test(test_runs),
      cmocka_unit_test(test_models),
      cmocka_unit_test(test_export),
      cmocka_unit_test(test_export_without_expressions),
      cmocka_unit_test(test_expressions),
      cmocka_unit_test(test_programs),
      cmocka_unit_test(test_destroying_nothing),
      cmocka_unit_test(test_contexts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
