/*
 * Force laws with roots whose argument reaches 0 at a switch: x'' = −40 sign(x) |x|^p, written with abs, with max and with conditions. All
 * methods pass the switches and keep the energy and the period, which is known exactly: with n = p + 1, from x = 1 at rest to 0 in
 *
 *     t₁ = B(1/n, 1/2) / (n √(80/n)),
 *
 * and x(9 t₁) = 0 again. A contact with the exponent 1.5 may start exactly at gap 0.
 */
#include "check.h"
#include "methods.h"
#include "model_run.h"

#include <math.h>
#include <stdio.h>

/* Returns t₁, a quarter of the period, for the exponent p. */
static double quarter_period(double p)
{
  const double n = p + 1, a = 1 / n;
  return tgamma(a) * tgamma(0.5) / tgamma(a + 0.5) / (n * sqrt(80 / n));
}

/* Checks the energy and x = 0 after nine quarter periods, with the force `law`. */
static void swing(const char *law, double p, const cmb_method *method)
{
  char text[600];
  cmbt_run r;
  snprintf(text, sizeof text,
           "bodies: {b: {mass: 1, sphere: [0, 0, 0], radius: 0.1}}\n"
           "joints: {j: {type: prismatic, child: b, axis: x, coordinates: [x], start: 1}}\n"
           "forces: {f: {type: load, on: {body: b, at: [0, 0, 0]}, force: ['%s', 0, 0]}}\n"
           "outputs: {E: \"x'^2/2 + 40*abs(x)^%g/%g\"}\n",
           law, p + 1, p + 1);
  cmbt_run_open_text(&r, text, CMB_FORM_EXPLICIT);
  r.rtol = 1e-7, r.method = cmb_method_name(method);
  cmbt_run_to(&r, 9 * quarter_period(p), 0);
  printf("%s %s: x = %.1e, energy %.1e, %ld steps\n", r.method, law, r.result->q[0],
         cmbt_output(&r, "E") / (40 / (p + 1)) - 1, r.result->statistics->steps);
  cmbt_near(cmbt_output(&r, "E"), 40 / (p + 1), 40 / (p + 1) * 1e-4);
  cmbt_near(r.result->q[0], 0, 2e-4);
  cmbt_run_close(&r);
}

static void test_swings(void **state)
{
  (void)state;
  static const struct {
    const char *law;
    double p;
  } laws[] = {
      {"-40*sign(x)*abs(x)^1.5", 1.5},
      {"-40*sign(x)*sqrt(abs(x))", 0.5},
      {"40*max(-x, 0)^1.5 - 40*max(x, 0)^1.5", 1.5},
      {"if(x > 0, -40*sqrt(x), 40*sqrt(-x))", 0.5},
      {"if(x > 0, -40*x^1.5, 40*(-x)^1.5)", 1.5},
  };
  for (int m = 0; m < cmb_method_count(); m++) {
    const cmb_method *method = cmb_method_at(m);
    if (cmb_method_is_real_time(method) || cmbt_is(method, "trap")) continue;
    for (size_t i = 0; i < sizeof laws / sizeof laws[0]; i++) {
      swing(laws[i].law, laws[i].p, method);
    }
  }
}

/* Checks the energy of a ball released on the surface: m z̈ = k (r − z)^1.5 − m g; it oscillates about its equilibrium in contact. */
static void test_touching(void **state)
{
  (void)state;
  static const char text[] =
      "bodies: {b: {mass: 1, sphere: [0, 0, 0], radius: 0.1}}\n"
      "joints: {j: {type: prismatic, child: b, axis: z, coordinates: [z], start: 0.1}}\n"
      "forces: {c: {type: contact, on: {body: b, at: [0, 0, 0]}, surface: z, radius: 0.1,\n"
      "             stiffness: 1e4, exponent: 1.5}}\n"
      "outputs: {E: \"z'^2/2 + 9.81*z + 1e4*max(0.1 - z, 0)^2.5/2.5\"}\n";
  for (int m = 0; m < cmb_method_count(); m++) {
    const cmb_method *method = cmb_method_at(m);
    cmbt_run r;
    if (cmb_method_is_real_time(method) || cmbt_is(method, "trap")) continue;
    cmbt_run_open_text(&r, text, CMB_FORM_RESIDUAL);
    r.rtol = 1e-7, r.method = cmb_method_name(method);
    cmbt_run_to(&r, 0.5, 0);
    cmbt_near(cmbt_output(&r, "E"), 0.981, 1e-6);
    assert_true(r.result->q[0] < 0.1);
    cmbt_run_close(&r);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_swings),
      cmocka_unit_test(test_touching),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
