/*
 * Tests of cmb_model_system: given start values are held, redundant constraints are left out with messages, inputs have the values of their
 * formulas and tables, derivatives that are 0 have empty patterns, the end time is read; and failing requests for memory.
 */
#include "check.h"
#include "failing_allocator.h"

#include <camber/sim.h>
#include <stdio.h>
#include <string.h>

/* A slider-crank, r = 0.1 and l = 0.3, with revolute joints in space: the loop `wrist` requires again that the motion is plane, which the
 * joints ensure already, so that three of its five constraints are redundant. */
static const char crank[] =
    "points: {A: [0, 0, 0], B: [0, 0, 0.1], C: [0.28284271247461903, 0, 0]}\n"
    "bodies:\n"
    "  crank: {mass: 0.5, rod: [A, B]}\n"
    "  rod: {mass: 1, rod: [B, C]}\n"
    "  piston: {mass: 0.3, com: C}\n"
    "joints:\n"
    "  main: {type: revolute, child: crank, at: A, axis: y, rate: 20}\n"
    "  pin: {type: revolute, parent: crank, child: rod, at: B, axis: y}\n"
    "  bore: {type: prismatic, child: piston, at: C, axis: x}\n"
    "loops:\n"
    "  wrist: {type: revolute, between: [rod@C, piston@C], axis: y}\n";

static cmb_model *read_model(cmb_context *ctx, const char *text)
{
  cmb_model *model;
  cmbt_ok(ctx, cmb_model_parse(ctx, text, strlen(text), "crank.yaml", NULL, &model));
  return model;
}

/* Checks that the given rate of the crank is held and that the rates of rod and piston follow. */
static void test_given_rate(void **state)
{
  (void)state;
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_model *model = read_model(ctx, crank);
  cmb_system *system;
  cmbt_ok(ctx, cmb_model_system(ctx, model, NULL, &system));
  const double *v = cmb_system_v(system);
  /* the crank is vertical: the crank pin and the piston move along x with r ω, and the rod does not rotate */
  cmbt_near(v[0], 20, 1e-12);
  cmbt_near(v[0] + v[1], 0, 1e-11);
  cmbt_near(v[2], 2, 1e-11);
  cmb_system_destroy(system);
  cmb_model_destroy(model);
  cmb_context_destroy(ctx);
}

/* Checks that a given crank angle q is held and that the piston is at x = r cos φ + sqrt(l² − r² sin² φ), where φ = π/2 − q is the angle
 * between crank and x axis. */
static void test_given_angle(void **state)
{
  (void)state;
  char text[sizeof crank + 16];
  const char *rate = strstr(crank, "rate: 20");
  snprintf(text, sizeof text, "%.*sstart: 0.3%s", (int)(rate - crank), crank, rate + 8);
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_model *model = read_model(ctx, text);
  for (int form = CMB_FORM_EXPLICIT; form <= CMB_FORM_RESIDUAL; form++) {
    const cmb_model_system_options options = {.formulation = (cmb_formulation)form};
    cmb_system *system;
    cmbt_ok(ctx, cmb_model_system(ctx, model, &options, &system));
    const double *q = cmb_system_q(system), phi = 1.5707963267948966 - 0.3;
    const double x = 0.1 * cos(phi) + sqrt(0.09 - 0.01 * sin(phi) * sin(phi));
    cmbt_near(q[0], 0.3, 1e-13);
    cmbt_near(q[2], x - 0.28284271247461903, 1e-12);
    cmb_system_destroy(system);
  }
  cmb_model_destroy(model);
  cmb_context_destroy(ctx);
}

/* Numbers of messages about redundant constraints: warnings with their number, and notes about each of them. */
struct messages {
  int warnings, notes;
};

/* Counts a message of the log. */
static void count_messages(void *user, cmb_log_level level, const char *message)
{
  struct messages *messages = user;
  if (level == CMB_LOG_WARNING && strstr(message, "3 redundant constraints are left out: '")) {
    messages->warnings++;
  }
  if (level == CMB_LOG_INFO && strstr(message, "is redundant and left out")) messages->notes++;
}

/* Checks in each formulation that three constraints are left out, with one warning and three notes, and that the system can be
 * simulated. */
static void test_redundant(void **state)
{
  (void)state;
  for (int form = CMB_FORM_EXPLICIT; form <= CMB_FORM_CARTESIAN; form++) {
    const cmb_model_system_options options = {.formulation = (cmb_formulation)form};
    cmb_context *ctx = cmb_context_create(NULL);
    cmb_model *model = read_model(ctx, crank);
    cmb_system *system;
    struct messages messages = {0, 0};
    int count;
    cmb_context_set_log(ctx, count_messages, &messages);
    cmbt_ok(ctx, cmb_model_system(ctx, model, &options, &system));
    const cmb_equations *eq = cmb_system_equations(system);
    cmb_system_left_out(system, &count);
    assert_int_equal(count, 3);
    assert_int_equal(messages.warnings, 1);
    assert_int_equal(messages.notes, 3);
    assert_int_equal(eq->nv - eq->ng, 1);
    cmb_run_options run = cmb_run_defaults();
    cmb_simulation *sim;
    run.t_end = 0.05;
    cmbt_ok(ctx, cmb_simulation_create(ctx, system, &run, &sim));
    cmbt_ok(ctx, cmb_simulation_run(sim));
    cmb_simulation_destroy(sim);
    cmb_system_destroy(system);
    cmb_model_destroy(model);
    cmb_context_destroy(ctx);
  }
}

/* Makes one request for memory fail in each repetition: each of the first 400, then every 37th. */
static void test_memory(void **state)
{
  (void)state;
  for (long k = 1, refused = 1; refused > 0; k += k < 400 ? 1 : 37) {
    struct cmbt_allocator memory;
    cmbt_allocator_init(&memory);
    cmb_context *ctx = cmb_context_create(&memory.hook);
    cmb_model *model = read_model(ctx, crank);
    cmb_system *system;
    memory.fail_at = memory.calls + k;
    cmb_status status = cmb_model_system(ctx, model, NULL, &system);
    refused = memory.refused;
    memory.fail_at = 0;
    assert_int_equal(status, refused ? CMB_ERROR_MEMORY : CMB_OK);
    if (refused) assert_null(system);
    cmb_system_destroy(system);
    cmb_model_destroy(model);
    cmb_context_destroy(ctx);
    assert_int_equal(memory.outstanding, 0);
  }
}

/* The length of a rod depends on an input with a table, whose interval is a mode, and on one with a formula; nothing depends on the third
 * input. */
static const char driven[] = "points: {A: [0, 0, 0], B: [1, 0, 0]}\n"
                             "gravity: [0, 0, 0]\n"
                             "bodies: {a: {mass: 1, com: A}, b: {mass: 2, com: B}}\n"
                             "joints:\n"
                             "  x: {type: prismatic, child: a, at: A, axis: x}\n"
                             "  y: {type: prismatic, child: b, at: B, axis: x}\n"
                             "inputs:\n"
                             "  far: [[0, 1], [1, 3], [2, 3.5]]\n"
                             "  swing: sin(3*t)\n"
                             "  idle: if(t > 1, 5, 7)\n"
                             "loops:\n"
                             "  rod: {type: distance, between: [a@A, b@B], length: far + swing}\n";

/* Checks the values of the inputs at t = 1.5. The table is evaluated in the mode of its first interval, which is extrapolated, and in that
 * of its second one. The third input has no switching function. */
static void test_inputs(void **state)
{
  (void)state;
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_model *model = read_model(ctx, driven);
  for (int form = CMB_FORM_EXPLICIT; form <= CMB_FORM_CARTESIAN; form++) {
    const cmb_model_system_options options = {.formulation = (cmb_formulation)form};
    static double scratch[10000];
    cmb_system *system;
    cmbt_ok(ctx, cmb_model_system(ctx, model, &options, &system));
    const cmb_equations *eq = cmb_system_equations(system);
    int mode = 0; /* the table's first interval */
    double u[3];
    assert_int_equal(eq->nu, 3);
    assert_int_equal(eq->ns, 1);
    assert_in_range(eq->scratch_size, 1, sizeof scratch);
    const cmb_point at = {.t = 1.5, .mode = &mode, .scratch = scratch};
    cmbt_ok(ctx, eq->inputs(eq->self, &at, u));
    cmbt_near(u[0], 4, 1e-15);
    cmbt_near(u[1], sin(4.5), 1e-15);
    cmbt_near(u[2], 5, 0);
    mode = 1;
    cmbt_ok(ctx, eq->inputs(eq->self, &at, u));
    cmbt_near(u[0], 3.25, 1e-15);
    cmb_system_destroy(system);
  }
  cmb_model_destroy(model);
  cmb_context_destroy(ctx);
}

/* Checks a chain of twelve parallel sliders, long enough for derivatives in closed form: no force depends on positions or velocities, and
 * the patterns of the derivatives exist and are empty. */
static void test_no_derivatives(void **state)
{
  (void)state;
  enum { SLIDERS = 12 };
  char text[2000], *end = text;
  end += sprintf(end, "gravity: [0, 0, 0]\npoints: {A: [0, 0, 0]}\nbodies:\n");
  for (int i = 0; i < SLIDERS; i++) end += sprintf(end, "  b%d: {mass: 1, com: A}\n", i);
  end += sprintf(end, "joints:\n  j0: {type: prismatic, child: b0, at: A, axis: x}\n");
  for (int i = 1; i < SLIDERS; i++) {
    end += sprintf(end, "  j%d: {type: prismatic, parent: b%d, child: b%d, at: A, axis: x}\n", i,
                   i - 1, i);
  }
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_model *model = read_model(ctx, text);
  const cmb_model_system_options options = {.formulation = CMB_FORM_RESIDUAL, .derivatives = true};
  cmb_system *system;
  cmbt_ok(ctx, cmb_model_system(ctx, model, &options, &system));
  const cmb_equations *eq = cmb_system_equations(system);
  for (int k = CMB_RESIDUAL_Q; k <= CMB_RESIDUAL_V; k++) {
    const cmb_pattern *p = eq->derivative_pattern[k];
    assert_non_null(p);
    assert_int_equal(p->start[SLIDERS], 0);
  }
  cmb_system_destroy(system);
  cmb_model_destroy(model);
  cmb_context_destroy(ctx);
}

/* Checks that the end time in a model may be a formula, as for the program `camber`, and that values that are no time are errors with their
 * place. */
static void test_end(void **state)
{
  (void)state;
  static const struct {
    const char *written; /* text in the model */
    const char *words;   /* part of the message; NULL: the end time is 6 */
  } cases[] = {{"2*3", NULL},
               {"6", NULL},
               {"abc", "simulate: t-end is 'abc'; expected a time from 0 on"},
               {"-6", "simulate: t-end is '-6'; expected a time from 0 on"}};
  for (int i = 0; i < 4; i++) {
    char text[300];
    snprintf(text, sizeof text,
             "bodies: {b: {mass: 1, sphere: [0, 0, 0], radius: 0.1}}\n"
             "joints: {x: {type: prismatic, child: b, axis: x}}\nsimulate: {t-end: %s}\n",
             cases[i].written);
    cmb_context *ctx = cmb_context_create(NULL);
    cmb_model *model;
    cmb_system *system;
    cmbt_ok(ctx, cmb_model_parse(ctx, text, strlen(text), "end.yaml", NULL, &model));
    const cmb_status status = cmb_model_system(ctx, model, NULL, &system);
    assert_int_equal(status, cases[i].words ? CMB_ERROR_INPUT : CMB_OK);
    if (cases[i].words) assert_non_null(strstr(cmb_last_error(ctx), cases[i].words));
    if (cases[i].words) assert_int_equal(cmb_error_of(ctx)->line, 3);
    if (status == CMB_OK) assert_true(cmb_system_t_end(system) == 6);
    if (status == CMB_OK) cmb_system_destroy(system);
    cmb_model_destroy(model);
    cmb_context_destroy(ctx);
  }
}

/* Checks loops between bodies that a fixed joint connects: all their constraints are redundant, none of them moves, and no message says that their
 * gradients vanish where they are satisfied. With a second coordinate there is also a constraint that moves. */
static void test_unmoved_constraints(void **state)
{
  (void)state;
  static const struct {
    const char *loops;
    int ng;
  } cases[] = {
      {"l: {type: spherical, between: [a@P, b@P]}", 0},
      {"l: {type: fixed, between: [a@P, b@P]}", 0},
      {"l: {type: distance, between: [a@P, b@Q], length: 1}", 0},
      {"l: {type: spherical, between: [a@P, b@P]}, m: {type: formula, formula: x - y}", 1}};
  cmb_context *ctx = cmb_context_create(NULL);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[1000];
    cmb_system *system;
    snprintf(
        text, sizeof text,
        "points: {P: [1, 0, 0], Q: [1, 1, 0]}\n"
        "bodies: {a: {mass: 1, com: [0, 0, 0]}, b: {mass: 1, com: [1, 0, 0]}, c: {mass: 1, com: "
        "[0, 0, 0]}}\n"
        "joints:\n  x: {type: prismatic, child: a, axis: x}\n"
        "  f: {type: fixed, parent: a, child: b, at: P}\n"
        "  y: {type: prismatic, child: c, axis: x}\n"
        "loops: {%s}\n",
        cases[i].loops);
    cmb_model *model = read_model(ctx, text);
    cmbt_ok(ctx, cmb_model_system(ctx, model, NULL, &system));
    assert_int_equal(cmb_system_equations(system)->ng, cases[i].ng);
    cmb_system_destroy(system);
    cmb_model_destroy(model);
  }
  cmb_context_destroy(ctx);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_unmoved_constraints),
      cmocka_unit_test(test_given_rate),
      cmocka_unit_test(test_given_angle),
      cmocka_unit_test(test_redundant),
      cmocka_unit_test(test_inputs),
      cmocka_unit_test(test_no_derivatives),
      cmocka_unit_test(test_end),
      cmocka_unit_test(test_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
