/*
 * Measures the orders of all methods in a model with first-order states (state_orders.h).
 */
#include "state_orders.h"

#include "check.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

const struct cmbt_order_case cmbt_order_cases[CMBT_ORDER_CASES] = {
    {"mdop5", 5, 1e-12, {NULL, NULL}},   {"mdop853", 8, 1e-13, {NULL, NULL}},
    {"hem5", 5, 1e-12, {NULL, NULL}},    {"phem56", 5, 1e-12, {NULL, NULL}},
    {"bdf", 2, 1e-12, {"order", "2"}},   {"bdf", 4, 1e-13, {"order", "4"}},
    {"radau5", 5, 1e-13, {NULL, NULL}},  {"sdirk4", 4, 1e-13, {NULL, NULL}},
    {"trap", 2, 1e-12, {NULL, NULL}},    {"forsdirk", 4, 1e-13, {NULL, NULL}},
    {"lie", 1, 0, {NULL, NULL}},         {"rosw2", 2, 0, {NULL, NULL}},
    {"lie", 1, 0, {"positions", "new"}},
};

/* Computes the errors (problem->unknowns) of a method with `steps` equal steps in each section. */
static void errors_of(cmb_context *ctx, const cmb_system *system,
                      const struct cmbt_state_problem *problem, const struct cmbt_order_case *m,
                      int steps, double *error)
{
  const cmb_equations *eq = cmb_system_equations(system);
  cmb_integrator_options options = cmb_integrator_defaults();
  cmb_option_setting settings[2] = {{"steps", "fixed"}, m->setting};
  cmb_integrator *in;
  const bool always = cmb_method_is_real_time(cmb_method_find(m->method));
  options.step = problem->t_end / problem->points / steps;
  options.settings = always ? settings + 1 : settings;
  options.setting_count = !always + (m->setting.name != NULL);
  if (m->tolerance > 0) options.rtol = options.atol = m->tolerance;
  cmbt_ok(ctx, cmb_integrator_create(ctx, eq, cmb_method_find(m->method), &options, &in));
  cmbt_ok(ctx, cmb_integrator_begin(in, 0, cmb_system_q(system), cmb_system_v(system)));
  memset(error, 0, (size_t)problem->unknowns * sizeof *error);
  for (int k = 1; k <= problem->points; k++) {
    const double t = problem->t_end * k / problem->points;
    double difference[CMBT_MOST_UNKNOWNS];
    while (cmb_integrator_t(in) < t) cmbt_ok(ctx, cmb_integrator_step(in, t));
    problem->compare(eq, in, difference);
    for (int i = 0; i < problem->unknowns; i++) error[i] += difference[i] * difference[i];
  }
  for (int i = 0; i < problem->unknowns; i++) error[i] = sqrt(error[i] / problem->points);
  cmb_integrator_destroy(in);
}

void cmbt_state_errors(cmb_context *ctx, const cmb_system *system,
                       const struct cmbt_state_problem *problem, int number, const char *where,
                       double *coarse, double *fine)
{
  const struct cmbt_order_case *m = &cmbt_order_cases[number];
  assert_true(problem->unknowns <= CMBT_MOST_UNKNOWNS);
  errors_of(ctx, system, problem, m, problem->steps[number][0], coarse);
  errors_of(ctx, system, problem, m, problem->steps[number][1], fine);
  printf("%-10s %-8s", where, m->method);
  for (int i = 0; i < problem->unknowns; i++) {
    printf("  %s %.2f (%.1e)", problem->names[i],
           cmbt_state_order(problem, number, coarse[i], fine[i]), fine[i]);
  }
  printf("\n");
}

double cmbt_state_order(const struct cmbt_state_problem *problem, int number, double coarse,
                        double fine)
{
  const int *steps = problem->steps[number];
  return log(coarse / fine) / log((double)steps[1] / steps[0]);
}
