/*
 * Forces of closed contacts in outputs: of rigid contacts, stops and events, 0 while the contact is open. Reactions of joints include
 * them, and so does the power of moving surfaces. Compared with statics by hand, in all formulations and with three methods.
 */
#include "check.h"
#include "model_run.h"

#include <stdio.h>

static const double G = 9.81;

static const char *const methods[] = {"mdop5", "radau5", "bdf"};

/* An arm of 2 kg, hinged at one end and lying with the other on a floor whose force is the output `hold`. */
static const char ARM[] = "points: {O: [0, 0, 0], T: [1, 0, 0]}\n"
                          "bodies: {arm: {mass: 2, inertia: [0.01, 0.2, 0.2], com: [0.5, 0, 0]}}\n"
                          "joints: {h: {type: revolute, child: arm, at: O, axis: y, start: -0.1}}\n"
                          "markers: {tip: {on: arm, at: T}}\n"
                          "%s\n";

struct expected {
  const char *name;
  double value;
};

/* Compares the outputs at t_end with the expected values, in three formulations with three methods. */
static void check(const char *text, double t_end, int count, const struct expected *expected,
                  double tolerance)
{
  for (int k = 0; k < 9; k++) {
    cmbt_run r;
    cmbt_run_open_text(&r, text, (cmb_formulation)(k % 3));
    r.method = methods[k / 3];
    r.rtol = 1e-8;
    cmbt_run_to(&r, t_end, 0);
    for (int i = 0; i < count; i++) {
      const double found = cmbt_output(&r, expected[i].name);
      if (fabs(found - expected[i].value) > tolerance) {
        fail_msg("%s, formulation %d: %s is %.12g; expected %.12g", r.method, k % 3,
                 expected[i].name, found, expected[i].value);
      }
    }
    cmbt_run_close(&r);
  }
}

/* Checks the reaction of the hinge and the force of the contact at rest, and that the force is 0 while the arm still falls. */
static void test_arm(void **state)
{
  (void)state;
  static const char *const contacts[] = {
      "forces: {c: {type: contact, on: arm@T, surface: 5*z, restitution: 0.2}}\n"
      "outputs: {up: h.fz, m: h.my, hold: c.fz, aside: c.fx}",
      "loops: {c: {type: stop, formula: -h, restitution: 0.2}}\n" /* the stop acts as a torque at the hinge */
      "outputs: {up: h.fz - 9.81, m: h.my, hold: c.force, aside: 0}",
      "events: {c: {when: tip.z < 0, action: {reset: {tip.vz: -0.2*tip.vz}}}}\n"
      "outputs: {up: h.fz, m: h.my, hold: 9.81, aside: 0}"};
  for (int k = 0; k < 3; k++) {
    char text[2000];
    snprintf(text, sizeof text, ARM, contacts[k]);
    const struct expected expected[] = {
        {"up", G}, {"m", k == 1 ? -G : 0}, {"hold", G}, {"aside", 0}};
    check(text, 1, 4, expected, 1e-6);
    const struct expected apart[] = {{"aside", 0}, {"hold", k == 2 ? G : 0}};
    check(text, 0.01, 2, apart, 0);
  }
}

/* Checks the contact forces on a ball in a groove of two planes at 45°, whose surface formulas have gradients of lengths other than 1. */
static void test_groove(void **state)
{
  (void)state;
  const struct expected expected[] = {{"ax", 3 * G / 2},
                                      {"az", 3 * G / 2},
                                      {"bx", -3 * G / 2},
                                      {"bz", 3 * G / 2},
                                      {"z", 0.1 * sqrt(2)}};
  check(
      "bodies: {ball: {mass: 3, sphere: [0, 0, 0.16], radius: 0.1}}\n"
      "joints: {j: {type: free, child: ball}}\n"
      "forces:\n"
      "  a: {type: contact, on: {body: ball, at: [0, 0, 0.16]}, radius: 0.1, surface: z + x,\n"
      "      restitution: 0}\n"
      "  b: {type: contact, on: {body: ball, at: [0, 0, 0.16]}, radius: 0.1, surface: 3*(z - x),\n"
      "      restitution: {law: poisson, value: 0.1}}\n"
      "outputs: {ax: a.fx, az: a.fz, bx: b.fx, bz: b.fz, z: ball.z}\n",
      1, 5, expected, 1e-6);
}

/* Checks force and power for a ball on a vertically oscillating table: 2 (g + z'') and 2 (g + z'') z'. The table is curved like a bowl, which
 * has no effect at its lowest point. */
static void test_table(void **state)
{
  (void)state;
  const double A = 0.02, w = 10, t = 1.5, z2 = -A * w * w * sin(w * t), z1 = A * w * cos(w * t);
  const struct expected expected[] = {
      {"force", 2 * (G + z2)}, {"power", 2 * (G + z2) * z1}, {"side", 0}};
  check("parameters: {A: 0.02, omega: 10}\n"
        "bodies: {ball: {mass: 2, sphere: [0, 0, 0.1], radius: 0.1}}\n"
        "joints: {j: {type: prismatic, child: ball, axis: z}}\n"
        "forces:\n"
        "  c: {type: contact, on: {body: ball, at: [0, 0, 0.1]}, radius: 0.1,\n"
        "      surface: z - x^2/2 - y^2/2 - A*sin(omega*t), restitution: 0}\n"
        "outputs: {force: c.fz, side: j.fx, power: power}\n",
        t, 3, expected, 1e-4);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_arm), cmocka_unit_test(test_groove),
                                     cmocka_unit_test(test_table)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
