/*
 * Checks which contacts carry load if their forces depend on each other or on constraints, as those of a table's four legs. A smooth motion
 * of surfaces or drives can make it impossible that all of them stay closed. The bodies then move on with the active contacts, without
 * penetration, gaps at these contacts or tensile forces. References are statics and kinematics by hand, with all methods in all
 * formulations. Also tested: light bodies beside large forces, stops in other units, and indeterminate contact forces.
 */
#include "check.h"
#include "methods.h"
#include "model_run.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { TEXT = 2000 };

static const double G = 9.81;

struct expected {
  const char *name;
  double value;
};

static void check(const char *text, double t_end, int count, const struct expected *expected)
{
  for (int i = 0; (i = cmbt_next_method(i)) < cmb_method_count(); i++) {
    const cmb_method *method = cmb_method_at(i);
    const bool rough = cmbt_is(method, "trap") || cmbt_is(method, "bdf");
    for (int f = 0; f < 3; f++) {
      cmbt_run r;
      cmbt_run_open_text(&r, text, cmbt_formulation(f));
      r.method = cmb_method_name(method);
      r.rtol = rough ? 1e-6 : 1e-8;
      cmbt_run_to(&r, t_end, 0);
      for (int k = 0; k < count; k++) {
        const double found = cmbt_output(&r, expected[k].name), value = expected[k].value;
        if (!(fabs(found - value) <= (rough ? 1e-3 : 1e-5) * fmax(1, fabs(value)))) {
          fail_msg("%s, formulation %d: %s is %.12g; expected %.12g", r.method, f, expected[k].name,
                   found, value);
        }
      }
      cmbt_run_close(&r);
    }
  }
}

#define COUNT(list) (int)(sizeof(list) / sizeof(list)[0])

/* A rod of mass 3 kg with contacts at x = −1 and x = 1, a point Q at a given x, and further lines of the model. */
static const char ROD[] =
    "points: {C: [0, 0, 0], L: [-1, 0, 0], R: [1, 0, 0], Q: [%s, 0, 0]}\n"
    "bodies: {r: {mass: 3, com: C, inertia: [0.001, 1, 1], markers: {tip: {at: Q}}}}\n"
    "joints: {p: {type: planar, child: r, at: C, axes: [x, z], coordinates: [x, z, a]}}\n"
    "forces:\n"
    "  l: {type: contact, on: r@L, surface: z, restitution: 0}\n"
    "  rr: {type: contact, on: r@R, surface: z, restitution: 0}\n"
    "%s\n";

static void check_rod(const char *at, const char *more, int count, const struct expected *expected)
{
  char text[TEXT];
  snprintf(text, sizeof text, ROD, at, more);
  check(text, 1.1, count, expected);
}

/* Checks a rod that a rising surface below its middle lifts by s = 0.1 (1 − cos t) without turning it: both outer contacts open. */
static void test_rod_lifted_in_middle(void **state)
{
  (void)state;
  const double s = 0.1 * (1 - cos(1.1));
  const struct expected e[] = {
      {"ZL", s}, {"ZR", s}, {"FL", 0}, {"FR", 0}, {"FQ", 3 * (G + 0.1 * cos(1.1))}};
  check_rod("0",
            "  q: {type: contact, on: r@Q, surface: 'z - 0.1*(1 - cos(t))', restitution: 0}\n"
            "outputs: {ZL: z - sin(a), ZR: z + sin(a), FL: l.fz, FR: rr.fz, FQ: q.fz}",
            COUNT(e), e);
}

/* Checks a rod that turns about its contact at x = 1 because its tip at x = −2 is raised, either by a drive or by a surface that starts
 * to rise at 0.5 s with three continuous derivatives. With the tip at the height s, sin a = −s/3. */
static void test_rod_raised_at_tip(void **state)
{
  (void)state;
  const double s = 0.1 * (1 - cos(1.1)), late = pow(0.6, 4);
  const struct expected driven[] = {{"ZL", 2 * s / 3}, {"ZR", 0}, {"FL", 0}};
  check_rod("-2",
            "motions: {up: {formula: tip.z, value: '0.1*(1 - cos(t))'}}\n"
            "outputs: {ZL: z - sin(a), ZR: z + sin(a), FL: l.fz}",
            COUNT(driven), driven);
  const struct expected pushed[] = {{"ZL", 2 * late / 3}, {"ZR", 0}, {"FL", 0}, {"ZQ", late}};
  check_rod("-2",
            "  q: {type: contact, on: r@Q, surface: 'z - max(0, t - 0.5)^4', restitution: 0}\n"
            "outputs: {ZL: z - sin(a), ZR: z + sin(a), FL: l.fz, ZQ: tip.z}",
            COUNT(pushed), pushed);
}

/* Checks that a rod on three contacts stays at rest under a torque 20 sin 8t, which changes the contacts that carry load. */
static void test_alternating_torque(void **state)
{
  (void)state;
  const struct expected e[] = {
      {"Z", 0}, {"A", 0}, {"F", 3 * G}, {"M", 20 * sin(8.8)}, {"least", 0}};
  check_rod("0",
            "  q: {type: contact, on: r@Q, surface: z, restitution: 0}\n"
            "  m: {type: torsion, coordinate: a, torque: '20*sin(8*t)'}\n"
            "outputs: {Z: z, A: a, F: l.fz + q.fz + rr.fz, M: rr.fz - l.fz,\n"
            "          least: 'min(0, min(l.fz, min(q.fz, rr.fz)))'}",
            COUNT(e), e);
}

/* Checks a table whose leg 1 loses contact when the floor below it sinks; the forces on the others follow from statics. */
static void test_table(void **state)
{
  (void)state;
  const struct expected e[] = {{"Z", 0.5},          {"F1", 0}, {"F2", 0.45 * 3 * G},
                               {"F4", 0.1 * 3 * G}, {"xz", 0}, {"yz", 0}};
  check(
      "points: {C: [-0.1, -0.1, 0.5], A1: [1, 1, 0], A2: [1, -1, 0], A3: [-1, 1, 0], A4: [-1, -1, "
      "0]}\n"
      "bodies: {r: {mass: 3, box: [2, 2, 0.1], at: C}}\n"
      "joints: {p: {type: free, child: r, at: C}}\n"
      "forces:\n"
      "  c1: {type: contact, on: r@A1, surface: 'z + max(0, t - 0.5)^3', restitution: 0}\n"
      "  c2: {type: contact, on: r@A2, surface: z, restitution: 0}\n"
      "  c3: {type: contact, on: r@A3, surface: z, restitution: 0}\n"
      "  c4: {type: contact, on: r@A4, surface: z, restitution: 0}\n"
      "outputs: {Z: r.z, F1: c1.fz, F2: c2.fz, F4: c4.fz, xz: r.x_z, yz: r.y_z}\n",
      1.1, COUNT(e), e);
}

/* Checks a sled with three contacts in a row that slides onto a slope, where the surface's curvature is discontinuous: the contact in the
 * middle opens, and the energy stays the same. */
static void test_sled(void **state)
{
  (void)state;
  const struct expected e[] = {{"gl", 0}, {"gr", 0}, {"middle_too_low", 0}, {"E", 3 * G * 0.2 + 6}};
  check("points: {C: [0, 0, 0.2], L: [-1, 0, 0], R: [1, 0, 0], Q: [0, 0, 0]}\n"
        "bodies: {r: {mass: 3, com: C, inertia: [0.001, 1, 1],\n"
        "             markers: {ml: {at: L}, mr: {at: R}, mq: {at: Q}}}}\n"
        "joints: {p: {type: planar, child: r, at: C, axes: [x, z], rate: [2, 0, 0]}}\n"
        "forces:\n"
        "  l: {type: contact, on: r@L, surface: 'z - 0.1*max(0, x - 1.5)^2', restitution: 0}\n"
        "  rr: {type: contact, on: r@R, surface: 'z - 0.1*max(0, x - 1.5)^2', restitution: 0}\n"
        "  q: {type: contact, on: r@Q, surface: 'z - 0.1*max(0, x - 1.5)^2', restitution: 0}\n"
        "outputs:\n"
        "  gl: 'ml.z - 0.1*max(0, ml.x - 1.5)^2'\n"
        "  gr: 'mr.z - 0.1*max(0, mr.x - 1.5)^2'\n"
        "  middle_too_low: 'min(0, mq.z - 0.1*max(0, mq.x - 1.5)^2 - 0.012)'\n"
        "  E: energy\n",
        0.5, COUNT(e), e);
}

/* Checks that a ball of 1 g leaves a floor that moves as 0.1 sin 15t where sin 15t = 9.81/22.5, although a force of 1e8 N acts on a cart
 * that is not connected to it. */
static void test_light_ball_beside_large_force(void **state)
{
  (void)state;
  const double off = asin(G / 22.5) / 15, t = 0.1 - off;
  const double v = 1.5 * cos(15 * off) - G * t;
  const struct expected e[] = {
      {"Z", 0.1 * sin(15 * off) + 1.5 * cos(15 * off) * t - G * t * t / 2}, {"V", v}, {"F", 0}};
  check(
      "points: {B: [0, 0, 0], H: [5, 0, 0]}\n"
      "bodies: {b: {mass: 0.001, sphere: B, radius: 0.1}, h: {mass: 1000, box: [1, 1, 1], at: H}}\n"
      "joints:\n"
      "  p: {type: prismatic, child: b, axis: z}\n"
      "  x: {type: prismatic, child: h, at: H, axis: x}\n"
      "forces:\n"
      "  c: {type: contact, on: b@B, surface: z - 0.1*sin(15*t), restitution: 0}\n"
      "  press: {type: load, on: h@H, force: [1e+8*cos(10*t), 0, 0]}\n"
      "outputs: {Z: b.z, V: b.vz, F: c.fz}\n",
      0.1, COUNT(e), e);
}

/* Checks that a pendulum falls on a stop and stays in contact with it, independently of the unit of the stop's formula. */
static void test_units(void **state)
{
  (void)state;
  static const char *const units[] = {"1", "1e-9", "1e9"};
  const struct expected e[] = {{"A", 0.3}, {"W", 0}, {"F", 3 * G * sin(0.3)}};
  for (int k = 0; k < COUNT(units); k++) {
    char text[TEXT];
    snprintf(text, sizeof text,
             "parameters: {unit: %s}\n"
             "points: {O: [0, 0, 0], A: [0, 0, -1]}\n"
             "bodies: {d: {mass: 3, com: A}}\n"
             "joints: {h: {type: revolute, child: d, at: O, axis: y, coordinates: [a], start: 1}}\n"
             "loops: {s: {type: stop, formula: 'unit*(a - 0.3)', restitution: 0.5}}\n"
             "outputs: {A: a, W: a.rate, F: s.force*unit}\n",
             units[k]);
    check(text, 4, COUNT(e), e);
  }
}

/* Checks that the forces of four legs, and of two legs and a drive at rest, are reported as indeterminate, their sums as unique. */
static void test_indeterminate_forces(void **state)
{
  (void)state;
  static const char *const models[] = {
      "points: {C: [0, 0, 0.5], A1: [1, 1, 0], A2: [1, -1, 0], A3: [-1, 1, 0], A4: [-1, -1, 0]}\n"
      "bodies: {r: {mass: 3, box: [2, 2, 0.1], at: C}}\n"
      "joints: {p: {type: free, child: r, at: C}}\n"
      "forces:\n"
      "  l: {type: contact, on: r@A1, surface: z, restitution: 0}\n"
      "  rr: {type: contact, on: r@A2, surface: z, restitution: 0}\n"
      "  c3: {type: contact, on: r@A3, surface: z, restitution: 0}\n"
      "  c4: {type: contact, on: r@A4, surface: z, restitution: 0}\n"
      "outputs: {one: l.fz, Z: r.z, sum: l.fz + rr.fz + c3.fz + c4.fz, moment: l.fz + rr.fz}\n",
      "points: {C: [0, 0, 0], L: [-1, 0, 0], R: [1, 0, 0], Q: [-2, 0, 0]}\n"
      "bodies: {r: {mass: 3, com: C, inertia: [0.001, 1, 1], markers: {tip: {at: Q}}}}\n"
      "joints: {p: {type: planar, child: r, at: C, axes: [x, z], coordinates: [x, z, a]}}\n"
      "forces:\n"
      "  l: {type: contact, on: r@L, surface: z, restitution: 0}\n"
      "  rr: {type: contact, on: r@R, surface: z, restitution: 0}\n"
      "motions: {up: {formula: tip.z, value: '0'}}\n"
      "outputs: {one: l.fz, Z: z, sum: l.fz + rr.fz + up.force, moment: l.fz - rr.fz + "
      "2*up.force}\n"};
  for (int k = 0; k < 2; k++) {
    for (int f = 0; f < 3; f++) {
      cmbt_run r;
      cmbt_run_open_text(&r, models[k], cmbt_formulation(f));
      cmbt_run_to(&r, 0.5, 0);
      const bool *unique = cmb_simulation_result(r.sim)->outputs_unique;
      assert_non_null(unique);
      for (int i = 0; i < 4; i++) assert_int_equal(unique[i], i > 0);
      cmbt_near(cmbt_output(&r, "sum"), 3 * G, 1e-9);
      cmbt_run_close(&r);
    }
  }
}

/* Checks that a surface which rises below the tip of the rod, so slowly that no impact occurs, takes load: of the two contacts of the rod
 * the second is released, and its event has the name rr.rest. By statics the forces then are 2 G, 0 and G. */
static void test_second_contact_released(void **state)
{
  (void)state;
  static const char lift[] = "  lift: {type: contact, on: r@Q, surface: \"z - 5e-6*max(t - 1, 0)^2 "
                             "+ 1e-13\", restitution: "
                             "0}\noutputs: {fl: l.fz, fr: rr.fz, fq: lift.fz}";
  char text[TEXT];
  snprintf(text, sizeof text, ROD, "2", lift);
  for (int i = 0; (i = cmbt_next_method(i)) < cmb_method_count(); i++) {
    for (int f = 0; f < 3; f++) {
      int ended = 0;
      cmbt_run r;
      cmbt_run_open_text(&r, text, cmbt_formulation(f));
      r.method = cmb_method_name(cmb_method_at(i));
      r.rtol = 1e-4;
      cmbt_run_to(&r, 2, 0);
      for (int k = 0; k < r.event_count; k++) {
        if (!strstr(r.events[k].name, ".rest") || r.events[k].direction > 0) continue;
        assert_string_equal(r.events[k].name, "rr.rest");
        assert_true(r.events[k].t > 1);
        ended++;
      }
      assert_int_equal(ended, 1);
      cmbt_near(cmbt_output(&r, "fl"), 2 * G, 1e-3);
      cmbt_near(cmbt_output(&r, "fr"), 0, 1e-9);
      cmbt_near(cmbt_output(&r, "fq"), G, 1e-3);
      cmbt_run_close(&r);
    }
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_second_contact_released),
                                     cmocka_unit_test(test_rod_lifted_in_middle),
                                     cmocka_unit_test(test_rod_raised_at_tip),
                                     cmocka_unit_test(test_alternating_torque),
                                     cmocka_unit_test(test_table),
                                     cmocka_unit_test(test_sled),
                                     cmocka_unit_test(test_light_ball_beside_large_force),
                                     cmocka_unit_test(test_units),
                                     cmocka_unit_test(test_indeterminate_forces)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
