/*
 * Checks switching functions that touch 0 without changing sign. A pendulum whose lowest point touches a floor with a soft contact moves as
 * one without a floor. Forces that are not smooth at s = 0, where a loop keeps s >= 0 and s comes to 0 once in a swing, are those of the
 * side s > 0. Dense output satisfies the constraints only up to the error of a step and so passes 0 where the motion does not; steps must
 * not be halved forever to find such a zero. The same holds for friction on a velocity that a joint keeps at 0, whose sign is rounding. A rigid
 * floor that is higher than the lowest point by a millionth of a millionth of a metre turns the pendulum back, in all formulations;
 * one that only rounding closes does not.
 */
#include "check.h"
#include "methods.h"
#include "model_run.h"
#include "reference.h"

#include <math.h>
#include <stdio.h>

static const double L = 0.7, M = 1.5, J = 0.01, G = 9.81;

static const char PENDULUM[] =
    "gravity: [0, 0, -9.81]\n"
    "points: {O: [0, 0, 0.7], P: [0, 0, 0]}\n"
    "bodies: {bob: {mass: 1.5, com: P, inertia: [0.01, 0.01, 0.01]}}\n"
    "joints: {ball: {type: spherical, child: bob, at: O, start: [0, %g, 0]}}\n"
    "forces: {touch: {type: contact, on: bob@P, surface: z, %s}}\n"
    "outputs: {x: bob.x}\n";

/* Returns x at time t after a start at rest with the angle φ: the body moves as a point mass at the distance J/(M L) + L. */
static double pendulum(double phi, double t)
{
  const double length = J / (M * L) + L;
  double q[2], v[2], lambda[1];
  cmbt_pendulum_at(length, G, phi, t, q, v, lambda);
  return -L * q[0] / length;
}

/* Makes the run and checks that its step size did not collapse, by the number of rejected steps. */
static void run_to_end(cmbt_run *r, const char *method, double rtol, double t_end)
{
  r->method = method;
  r->rtol = rtol;
  cmbt_run_to(r, t_end, 0);
  cmbt_below((double)r->result->statistics->rejected,
             200 + (double)r->result->statistics->accepted);
}

static void test_touched_floor(void **state)
{
  (void)state;
  static const char *const methods[] = {"mdop5", "mdop853", "hem5", "phem56"},
                           *const floors[] = {"stiffness: 1e5, exponent: 1.5",
                                              "stiffness: 1e4, damping: 50, friction: 0.3"};
  for (int m = 0; m < 4; m++) {
    for (int k = 0; k < 12; k++) {
      const double phi = 0.5 + 0.1 * (k / 2), rtol = k % 2 ? 1e-5 : 1e-7;
      char text[1000];
      cmbt_run r;
      snprintf(text, sizeof text, PENDULUM, phi, floors[k / 2 % 2]);
      cmbt_run_open_text(&r, text, CMB_FORM_CARTESIAN);
      run_to_end(&r, methods[m], rtol, 5);
      cmbt_near(cmbt_output(&r, "x"), pendulum(phi, 5), 1000 * rtol);
      cmbt_run_close(&r);
    }
  }
}

static const char RIGID[] =
    "gravity: [0, 0, -9.81]\n"
    "points: {O: [0, 0, 0.7], P: [0, 0, 0]}\n"
    "bodies: {bob: {mass: 1.5, com: P, inertia: [0.01, 0.01, 0.01]}}\n"
    "joints: {ball: {type: %s, child: bob, at: O, start: %s}}\n"
    "forces: {touch: {type: contact, on: bob@P, surface: z - %g, restitution: %g}}\n"
    "outputs: {height: bob.z, square: bob.vx^2 + bob.vz^2}\n";

/* Checks that an impact at the angle √(2 h/L) from the lowest point, where the joint nearly holds the rate of the gap, leaves the part e² of the
 * energy; with e = 0 the pendulum rests there. */
static void test_rigid_floor(void **state)
{
  (void)state;
  static const double heights[] = {1e-8, 1e-10, 1e-12}, parts[] = {1, 0.8, 0.3, 0};
  static const char *const joints[][2] = {{"spherical", "[0, 0.9, 0]"},
                                          {"revolute, axis: y, coordinates: [phi]", "0.9"}};
  const double before = M * G * L * (1 - cos(0.9));
  for (int i = 0; (i = cmbt_next_method(i)) < cmb_method_count(); i++) {
    for (int k = 0; k < 72; k++) {
      const char *const *joint = joints[k / 12 % 2];
      const double e = parts[k / 3 % 4];
      char text[1000];
      cmbt_run r;
      snprintf(text, sizeof text, RIGID, joint[0], joint[1], heights[k % 3], e);
      cmbt_run_open_text(&r, text, cmbt_formulation(k / 24));
      r.method = cmb_method_name(cmb_method_at(i));
      r.rtol = cmbt_is(cmb_method_at(i), "trap") ? 1e-5 : 1e-7;
      cmbt_run_to(&r, 0.8, 0);
      const double energy =
          0.5 * (M + J / (L * L)) * cmbt_output(&r, "square") + M * G * cmbt_output(&r, "height");
      cmbt_near(energy / before, e * e, 1000 * r.rtol);
      cmbt_run_close(&r);
    }
  }
}

static const char CRANK[] =
    "gravity: [0, 0, 0]\n"
    "points: {O: [0, 0, 0], A: [%.3f, 0, 0], B: [%.3f, 0, 0]}\n"
    "bodies:\n"
    "  crank: {mass: 1, com: O, inertia: [0.05, 0.05, 0.05]}\n"
    "  rod: {mass: 0.8, com: A, inertia: [0.01, 0.02, 0.02]}\n"
    "  slider: {mass: 0.5, com: B, inertia: [0.01, 0.01, 0.01]}\n"
    "joints:\n"
    "  c: {type: revolute, child: crank, at: O, axis: y, coordinates: [phi], start: -0.9, rate: "
    "6}\n"
    "  p: {type: revolute, parent: crank, child: rod, at: A, axis: y, coordinates: [th], start: "
    "1.2}\n"
    "  s: {type: prismatic, child: slider, at: B, axis: x, coordinates: [x]}\n"
    "loops: {q: {type: revolute, between: [rod@B, slider@B], axis: y}}\n"
    "forces: {touch: {type: contact, on: slider@B, surface: %.3f - x, restitution: 0.5}}\n"
    "outputs: {phi: phi}\n";

/* Checks that a slider which just touches a wall at the dead centre of its crank passes it without an impact: the rounding of places decides whether
 * the gap is closed there. */
static void test_dead_centre(void **state)
{
  (void)state;
  static const char *const methods[] = {"mdop5", "mdop853"};
  for (int k = 0; k < 120; k++) {
    const double a = 0.1 + 0.01 * (k / 4), b = a + 0.5 + 0.013 * (k / 4);
    double phi[2];
    for (int i = 0; i < 2; i++) {
      char text[2000];
      cmbt_run r;
      snprintf(text, sizeof text, CRANK, a, b, i ? b : b + 1);
      cmbt_run_open_text(&r, text, k / 2 % 2 ? CMB_FORM_EXPLICIT : CMB_FORM_CARTESIAN);
      run_to_end(&r, methods[k % 2], 1e-6, 2);
      assert_int_equal(r.event_count, 0);
      phi[i] = cmbt_output(&r, "phi");
      cmbt_run_close(&r);
    }
    cmbt_near(phi[1], phi[0], 1e-3);
  }
}

static const char PLATE[] =
    "gravity: [0, 0, -9.81]\n"
    "points: {O: [0, 0, 1], P: [0, 0, 0]}\n"
    "bodies:\n"
    "  bob: {mass: 1, com: P, inertia: [0.01, 0.01, 0.01]}\n"
    "  plate: {mass: 0.5, com: P, inertia: [0.01, 0.01, 0.01]}\n"
    "joints:\n"
    "  hinge: {type: revolute, child: bob, at: O, axis: y, coordinates: [phi], start: 1}\n"
    "  lift: {type: prismatic, child: plate, at: P, axis: z, coordinates: [s]}\n"
    "loops: {on: {type: point-plane, point: bob@P, on: plate@P, normal: z}}\n"
    "forces: {f: {type: torsion, coordinate: s, torque: '%s'}}\n"
    "outputs: {x: bob.x}\n";

/* Returns x at t = 5 with the given force law along s. */
static double swing(const char *law, cmb_formulation formulation, const char *method, double rtol)
{
  char text[1000];
  cmbt_run r;
  snprintf(text, sizeof text, PLATE, law);
  cmbt_run_open_text(&r, text, formulation);
  run_to_end(&r, method, rtol, 5);
  const double x = cmbt_output(&r, "x");
  cmbt_run_close(&r);
  return x;
}

static void test_nonsmooth_forces(void **state)
{
  (void)state;
  static const char *const laws[][2] = {{"100*abs(s)", "100*s"}, {"if(s > 0, 1, -5)", "1"}};
  for (int law = 0; law < 2; law++) {
    const double exact = swing(laws[law][1], CMB_FORM_EXPLICIT, "mdop853", 1e-11);
    for (int i = 0; (i = cmbt_next_method(i)) < cmb_method_count(); i++) {
      const char *method = cmb_method_name(cmb_method_at(i));
      for (int k = 0; k < 4; k++) {
        const double rtol = k / 2 ? 1e-4 : 1e-6;
        const double x =
            swing(laws[law][0], k % 2 ? CMB_FORM_CARTESIAN : CMB_FORM_EXPLICIT, method, rtol);
        cmbt_near(x, exact, 1000 * rtol);
      }
    }
  }
}

static const char GUIDE[] =
    "gravity: [0, 0, -9.81]\n"
    "points: {P: [0, 0, 0.1], B: [0, 0, 0]}\n"
    "bodies: {block: {mass: 2, com: P, inertia: [0.01, 0.01, 0.01]}}\n"
    "joints: {guide: {type: cylindrical, child: block, at: P, axis: z, start: [0.02, 0.3]}}\n"
    "forces:\n"
    "  foot: {type: contact, on: block@B, surface: z, stiffness: %g, damping: %g%s}\n"
    "outputs: {z: block.z}\n";

static double height(const double floor[2], const char *friction, cmb_formulation formulation,
                     const char *method, double rtol)
{
  char text[1000];
  cmbt_run r;
  snprintf(text, sizeof text, GUIDE, floor[0], floor[1], friction);
  cmbt_run_open_text(&r, text, formulation);
  run_to_end(&r, method, rtol, 1);
  const double z = cmbt_output(&r, "z");
  cmbt_run_close(&r);
  return z;
}

/* Checks that friction along x does not change the motion of a block that a joint guides along z. */
static void test_friction_on_guided_block(void **state)
{
  (void)state;
  static const double floors[][2] = {{1e4, 100}, {1e6, 2000}};
  static const char *const methods[] = {"mdop5", "mdop853", "hem5", "radau5", "bdf"},
                           *const frictions[] = {
                               ", friction: {coefficient: 0.4, law: stick, direction: [1, 0, 0]}",
                               ", friction: {coefficient: 0.4, law: stick, direction: [1, 1, 0]}"};
  for (int k = 0; k < 4; k++) {
    const double *floor = floors[k / 2];
    const double exact = height(floor, "", CMB_FORM_EXPLICIT, "mdop853", 1e-11);
    for (int m = 0; m < 5; m++) {
      for (int digits = 4; digits <= 8; digits += 2) {
        const double rtol = pow(10, -digits);
        const double z = height(floor, frictions[k % 2], CMB_FORM_CARTESIAN, methods[m], rtol);
        cmbt_near(z, exact, 100 * rtol);
      }
    }
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_touched_floor), cmocka_unit_test(test_rigid_floor),
      cmocka_unit_test(test_dead_centre), cmocka_unit_test(test_nonsmooth_forces),
      cmocka_unit_test(test_friction_on_guided_block)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
