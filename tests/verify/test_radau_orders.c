/*
 * radau of orders 9 and 13 with fixed steps: two masses on a line, coupled by springs and driven by a first-order lag, over a long interval.
 * The motion is linear, so that steps of some radians are possible and errors stay far above rounding; its solution is a sum of modes,
 * computed here. Tested in all formulations; in Cartesian coordinates there are constraints, multipliers and Euler parameters.
 */
#include "check.h"
#include "methods.h"

#include <camber/camber.h>
#include <stdio.h>
#include <string.h>

/* x1'' = -2 x1 + x2 + u, x2'' = x1 - 2 x2 + u, u' = -u/5. The mode (x1 + x2)/2 has the frequency 1 and is driven by u, (x1 - x2)/2 has √3. */
static const char MODEL[] =
    "gravity: [0, 0, 0]\n"
    "bodies:\n"
    "  one: {mass: 1, box: [0.1, 0.1, 0.1], at: [0, 0, 0]}\n"
    "  two: {mass: 1, box: [0.1, 0.1, 0.1], at: [0, 1, 0]}\n"
    "states: {u: {start: 1, rate: -u/5}}\n"
    "joints:\n"
    "  x1: {type: prismatic, child: one, axis: x, start: 1}\n"
    "  x2: {type: prismatic, child: two, axis: x, start: 0.5}\n"
    "forces:\n"
    "  f1: {type: load, on: {body: one, at: [0, 0, 0]}, force: [\"-2*x1 + x2 + u\", 0, 0]}\n"
    "  f2: {type: load, on: {body: two, at: [0, 1, 0]}, force: [\"x1 - 2*x2 + u\", 0, 0]}\n";

enum { UNKNOWNS = 5 };
static const double T_END = 60;

/* Computes the exact (x1, x2, x1', x2', u) at t. */
static void exact_at(double t, double y[UNKNOWNS])
{
  const double w = sqrt(3), fading = exp(-t / 5), part = 1 / (1 + 1.0 / 25); /* driven by u */
  const double a = 0.75 - part, b = part / 5, d = 0.25;
  const double sum = a * cos(t) + b * sin(t) + part * fading,
               sum_rate = -a * sin(t) + b * cos(t) - part / 5 * fading;
  const double half = d * cos(w * t), half_rate = -d * w * sin(w * t);
  y[0] = sum + half, y[1] = sum - half;
  y[2] = sum_rate + half_rate, y[3] = sum_rate - half_rate;
  y[4] = fading;
}

/* Returns the root mean square error at the integrator's time. The joints' coordinates are the last ones in all formulations. */
static double error_of(const cmb_equations *eq, const cmb_integrator *in)
{
  const double *q = cmb_integrator_q(in) + eq->nq - 2,
               *v = cmb_integrator_v(in) + eq->nv - eq->nz - 2;
  const double seen[UNKNOWNS] = {q[0], q[1], v[0], v[1], v[2]};
  double exact[UNKNOWNS], sum = 0;
  exact_at(cmb_integrator_t(in), exact);
  for (int i = 0; i < UNKNOWNS; i++) sum += (seen[i] - exact[i]) * (seen[i] - exact[i]);
  return sqrt(sum / UNKNOWNS);
}

/* Returns the error at T_END with so many steps of equal size. */
static double run(cmb_context *ctx, const cmb_system *system, const char *order, const char *form,
                  int steps)
{
  const cmb_equations *eq = cmb_system_equations(system);
  const cmb_option_setting settings[] = {{"steps", "fixed"}, {"order", order}, {"form", form}};
  cmb_integrator_options options = cmb_integrator_defaults();
  cmb_integrator *in;
  options.step = T_END / steps;
  options.settings = settings;
  options.setting_count = 3;
  options.rtol = options.atol = 1e-11;
  cmbt_ok(ctx, cmb_integrator_create(ctx, eq, cmb_method_find("radau"), &options, &in));
  cmbt_ok(ctx, cmb_integrator_begin(in, 0, cmb_system_q(system), cmb_system_v(system)));
  while (cmb_integrator_t(in) < T_END) cmbt_ok(ctx, cmb_integrator_step(in, T_END));
  const double error = error_of(eq, in);
  cmb_integrator_destroy(in);
  return error;
}

static void check_formulation(cmb_formulation formulation, const char *form)
{
  static const struct {
    const char *name;
    double order;
    int coarse, fine;
  } cases[] = {{"9", 9, 60, 80}, {"13", 13, 40, 55}};
  const cmb_model_system_options how = {.formulation = formulation,
                                        .evaluation = CMB_EVALUATE_INTERPRETER};
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_model *model;
  cmb_system *system;
  cmbt_ok(ctx, cmb_model_parse(ctx, MODEL, strlen(MODEL), "test.yaml", NULL, &model));
  cmbt_ok(ctx, cmb_model_system(ctx, model, &how, &system));
  for (int i = 0; i < 2; i++) {
    const double coarse = run(ctx, system, cases[i].name, form, cases[i].coarse),
                 fine = run(ctx, system, cases[i].name, form, cases[i].fine);
    const double order = log(coarse / fine) / log((double)cases[i].fine / cases[i].coarse);
    printf("formulation %d, %-6s order %-2s: %.2f (errors %.1e and %.1e)\n", (int)formulation, form,
           cases[i].name, order, coarse, fine);
    cmbt_near(order, cases[i].order, 0.2);
  }
  cmb_system_destroy(system);
  cmb_model_destroy(model);
  cmb_context_destroy(ctx);
}

static void test_orders(void **state)
{
  (void)state;
  static const char *const forms[] = {"index1", "ggl", "index3"};
  check_formulation(CMB_FORM_EXPLICIT, "index1");
  check_formulation(CMB_FORM_RESIDUAL, "index1");
  for (int k = 0; k < 3; k++) check_formulation(CMB_FORM_CARTESIAN, forms[k]);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_orders)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
