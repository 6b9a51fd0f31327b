/*
 * Joints and forces against closed forms, in all formulations:
 *
 *   - A nut that falls on a screw: angle'' = −m g w/(J + m w²), w = pitch/2π; the axial force and the moment of the joint.
 *   - Shafts that meet at β = 40°: a constant-velocity joint, as a joint and as a loop, transmits the angular velocity unchanged; with a
 *     universal joint ω_out/ω_in varies between cos β and 1/cos β.
 *   - Two balls with the contact law of Hunt and Crossley: with m v v' = −k dⁿ (1 + b v), b = 3/2 c, the function v/b − ln(1 + b v)/b² has
 *     the same value before and after the contact.
 *   - A bushing between two frames that are rotated by the angle a about any axis n: if it is equally stiff about all axes, its moment is
 *     −k a n. A pendulum on a bushing swings as a damped oscillator; a body that tumbles in one keeps its energy; the forces and moments
 *     NAME.fx .. .mz of a bushing accelerate the ball on which it acts; and the angular velocity of a ball that rotates through full turns in
 *     a bushing with damping only decays about each axis.
 *   - Two rotors with inertia about their axes only, coupled by a torsional spring, oscillate against each other with ω² = k (1/J1 + 1/J2).
 *   - A mass on a spring of length 0 moves through the spring's other end as x = a cos ωt + (v/ω) sin ωt, also when it starts there.
 *   - A thrown point mass on a joint of three translations with tilted axes: its coordinates are those of the parabola. A loop of the same
 *     type keeps a body on a pendulum from rotating, so that the pendulum is that of a point mass.
 */
#include "check.h"
#include "model_run.h"

#include <stdio.h>

static const double turn = 6.283185307179586; /* one revolution in rad */

static void open_text(cmbt_run *r, const char *text, int formulation, double t_end)
{
  cmbt_run_open_text(r, text, (cmb_formulation)formulation);
  r->rtol = 1e-9;
  cmbt_run_to(r, t_end, 0.01);
}

static void test_screw(void **state)
{
  (void)state;
  static const char text[] =
      "parameters: {p: 0.02}\n"
      "bodies: {nut: {mass: 2, com: [0, 0, 0], inertia: [0.01, 0.01, 0.01]}}\n"
      "joints: {s: {type: screw, child: nut, at: [0, 0, 0], axis: z, pitch: p, damping: [0, 0]}}\n"
      "outputs: {x: s.x, angle: s.angle, fz: s.fz, mz: s.mz, e: energy}\n";
  const double w = 0.02 / turn, m = 2, J = 0.01, a = -9.81 * m * w / (J + m * w * w);
  for (int f = CMB_FORM_EXPLICIT; f <= CMB_FORM_CARTESIAN; f++) {
    cmbt_run r;
    open_text(&r, text, f, 1);
    cmbt_near(cmbt_output(&r, "angle"), a / 2, 1e-7);
    cmbt_near(cmbt_output(&r, "x"), w * a / 2, 1e-9);
    cmbt_near(cmbt_output(&r, "fz"), m * (9.81 + w * a), 1e-7); /* on the nut */
    cmbt_near(cmbt_output(&r, "mz"), J * a, 1e-9);
    cmbt_run_close(&r);
  }
}

/* Finds the smallest and the largest ratio of two outputs over all records. */
static void extremes(const cmbt_run *r, const char *name, const char *other, double *least,
                     double *most)
{
  *least = INFINITY, *most = -INFINITY;
  for (int i = 0; i < r->row_count; i++) {
    const double ratio = cmbt_row(r, i, name) / cmbt_row(r, i, other);
    *least = fmin(*least, ratio);
    *most = fmax(*most, ratio);
  }
}

#define SHAFTS(joints)                                                                             \
  "parameters: {bend: 40 deg}\n"                                                                   \
  "bodies:\n"                                                                                      \
  "  in: {mass: 1, com: [0, 0, -0.5], inertia: [20, 20, 20]}\n"                                    \
  "  out: {mass: 1, com: [0, 0, 0.5], inertia: [0.1, 0.1, 0.03]}\n" joints                         \
  "outputs: {win: in.wz, wout: out.wy*sin(bend) + out.wz*cos(bend)}\n"                             \
  "gravity: [0, 0, 0]\n"

#define GUIDE                                                                                      \
  "  guide: {type: point-line, point: {body: out, at: [0, 0, 1]}, on: {body: ground, at: [0, 0, "  \
  "0]}, axis: [0, sin(bend), cos(bend)]}\n"

static void test_shafts(void **state)
{
  (void)state;
  static const char
      joint[] = SHAFTS(
          "joints:\n"
          "  bearing: {type: revolute, child: in, at: [0, 0, 0], axis: z, rate: 10}\n"
          "  mid: {type: constant-velocity, parent: in, child: out, at: [0, 0, 0], axis: z}\n"
          "loops:\n" GUIDE),
      loop[] = SHAFTS(
          "joints:\n"
          "  bearing: {type: revolute, child: in, at: [0, 0, 0], axis: z, rate: 10}\n"
          "  other: {type: free, child: out, at: [0, 0, 0]}\n"
          "loops:\n"
          "  mid: {type: constant-velocity, bodies: [in, out], at: [0, 0, 0], axis: z}\n" GUIDE),
      cardan[] =
          SHAFTS("joints:\n"
                 "  bearing: {type: revolute, child: in, at: [0, 0, 0], axis: z, rate: 10}\n"
                 "  mid: {type: universal, parent: in, child: out, at: [0, 0, 0], axes: [x, y]}\n"
                 "loops:\n" GUIDE);
  const double bend = 40 * turn / 360;
  for (int f = CMB_FORM_EXPLICIT; f <= CMB_FORM_CARTESIAN; f++) {
    cmbt_run r;
    double least, most;
    for (int k = 0; k < 2; k++) {
      open_text(&r, k == 0 ? joint : loop, f, 1);
      extremes(&r, "wout", "win", &least, &most);
      cmbt_near(least, 1, 1e-7);
      cmbt_near(most, 1, 1e-7);
      cmbt_run_close(&r);
    }
    open_text(&r, cardan, f, 1);
    extremes(&r, "wout", "win", &least, &most);
    cmbt_near(least, cos(bend), 1e-3);
    cmbt_near(most, 1 / cos(bend), 1e-3);
    cmbt_run_close(&r);
  }
}

/* Returns v/b − ln(1 + b v)/b², which has the same value before and after the contact. */
static double invariant(double b, double v)
{
  return v / b - log1p(b * v) / (b * b);
}

/* Returns the speed e of separation after an approach with v: the root of invariant(−e) = invariant(v), by bisection. */
static double separation_speed(double b, double v)
{
  double low = 0, high = v;
  for (int i = 0; i < 100; i++) {
    const double middle = (low + high) / 2;
    if (invariant(b, -middle) < invariant(b, v)) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return low;
}

static void test_spheres(void **state)
{
  (void)state;
  static const char text[] = "parameters: {c: 0.3, n: %g}\n"
                             "bodies:\n"
                             "  one: {mass: 1, sphere: [0, 0, 0], radius: 0.1}\n"
                             "  two: {mass: 3, sphere: [0.3, 0, 0], radius: 0.1}\n"
                             "joints:\n"
                             "  a: {type: prismatic, child: one, axis: x, rate: 1}\n"
                             "  b: {type: prismatic, child: two, axis: x}\n"
                             "forces:\n"
                             "  hit: {type: hunt-crossley, between: [{body: one, at: [0, 0, 0]}, "
                             "{body: two, at: [0.3, 0, 0]}],"
                             " radii: [0.12, 0.08], stiffness: 1e5, exponent: n, dissipation: c}\n"
                             "outputs: {apart: two.vx - one.vx, momentum: one.vx + 3*two.vx, push: "
                             "hit.force, away: hit.length}\n"
                             "gravity: [0, 0, 0]\n";
  static const double exponents[] = {1, 1.5, 2.5};
  for (int f = CMB_FORM_EXPLICIT; f <= CMB_FORM_CARTESIAN; f++) {
    for (int k = 0; k < 3; k++) {
      char model[2000];
      cmbt_run r;
      double t[2];
      snprintf(model, sizeof model, text, exponents[k]);
      open_text(&r, model, f, 0.4);
      cmbt_near(cmbt_output(&r, "apart"), separation_speed(0.45, 1), 1e-6);
      cmbt_near(cmbt_output(&r, "momentum"), 1, 1e-9);
      cmbt_near(cmbt_output(&r, "push"), 0, 0);
      assert_int_equal(cmbt_switch_times(&r, "hit.contact", 1, 2, t), 1);
      cmbt_near(t[0], 0.1, 1e-9);
      assert_int_equal(r.result->undecided, 0);
      cmbt_run_close(&r);
    }
  }
}

/* Checks the moment of a bushing about the axis n of a hinge: the force of a motion that holds the hinge at an angle. */
static void test_bushing_moment(void **state)
{
  (void)state;
  static const char text[] =
      "bodies: {b: {mass: 1, com: [0, 0, 0], inertia: [1, 1, 1]}}\n"
      "joints: {h: {type: revolute, child: b, at: [0, 0, 0], axis: [1, 2, 2], coordinates: [a], "
      "start: %g deg}}\n"
      "motions: {hold: {coordinate: a, value: %g deg}}\n"
      "forces:\n"
      "  r: {type: bushing, between: [{body: ground, at: [0, 0, 0]}, {body: b, at: [0, 0, 0]}],"
      " axes: {x: [0, 1, 0], y: [0, 0, 1]}, rotational-stiffness: [%g, %g, %g]}\n"
      "outputs: {m: hold.force, mx: h.mx, my: h.my, mz: h.mz, E: energy}\n"
      "gravity: [0, 0, 0]\n";
  static const double angles[] = {1e-9, 0.001, 10, -30, 90, 150, 170};
  static const double rounding = 1e-14; /* of unit vectors, times the stiffness */
  static const double n[3] = {1 / 3.0, 2 / 3.0, 2 / 3.0}, k[3] = {7, 2, 3}; /* along x, y, z */
  for (int f = CMB_FORM_EXPLICIT; f <= CMB_FORM_CARTESIAN; f++) {
    for (int i = 0; i < (int)(sizeof angles / sizeof *angles); i++) {
      const double degrees = angles[i], a = degrees * turn / 360;
      char model[2000];
      cmbt_run r;
      snprintf(model, sizeof model, text, degrees, degrees, 5.0, 5.0, 5.0);
      cmbt_run_open_text(&r, model, (cmb_formulation)f);
      cmbt_run_start(&r);
      cmbt_near(cmbt_output(&r, "m"), 5 * a, 1e-12 * fabs(a) + rounding);
      cmbt_near(cmbt_output(&r, "mx"), 5 * a * n[0], 1e-11 * fabs(a) + rounding);
      cmbt_near(cmbt_output(&r, "my"), 5 * a * n[1], 1e-11 * fabs(a) + rounding);
      cmbt_near(cmbt_output(&r, "mz"), 5 * a * n[2], 1e-11 * fabs(a) + rounding);
      cmbt_near(cmbt_output(&r, "E"), 2.5 * a * a, (1e-12 * fabs(a) + rounding) * fabs(a));
      cmbt_run_close(&r);
      /* with different stiffness about its axes y, z, x: V = ½ Σ k_i n_i² a², and so the moment about n is a Σ k_i n_i² */
      snprintf(model, sizeof model, text, degrees, degrees, k[1], k[2], k[0]);
      cmbt_run_open_text(&r, model, (cmb_formulation)f);
      cmbt_run_start(&r);
      double sum = 0;
      for (int j = 0; j < 3; j++) sum += k[j] * n[j] * n[j];
      cmbt_near(cmbt_output(&r, "m"), sum * a, 1e-12 * fabs(a) + rounding);
      cmbt_run_close(&r);
    }
  }
}

/* Checks a body on a hinge with a bushing: J a'' = −k a − c a', with angles up to 170 degrees. */
static void test_bushing_swing(void **state)
{
  (void)state;
  static const char text[] =
      "bodies: {b: {mass: 1, com: [0, 0, 0], inertia: [0.5, 0.5, 0.5]}}\n"
      "joints: {h: {type: revolute, child: b, at: [0, 0, 0], axis: y, coordinates: [a], start: 170 "
      "deg}}\n"
      "forces:\n"
      "  r: {type: bushing, between: [{body: ground, at: [0, 0, 0]}, {body: b, at: [0, 0, 0]}],"
      " rotational-stiffness: 8, rotational-damping: 0.2}\n"
      "outputs: {angle: a, E: energy, P: power}\n"
      "gravity: [0, 0, 0]\n";
  const double a0 = 170 * turn / 360, d = 0.2, w = sqrt(16 - d * d);
  for (int f = CMB_FORM_EXPLICIT; f <= CMB_FORM_CARTESIAN; f++) {
    cmbt_run r;
    open_text(&r, text, f, 3);
    for (int i = 0; i < r.row_count; i++) {
      const double t = cmbt_row(&r, i, "t");
      cmbt_near(cmbt_row(&r, i, "angle"), a0 * exp(-d * t) * (cos(w * t) + d / w * sin(w * t)),
                1e-7);
    }
    const int last = (r.row_count - 1) / 2 * 2;
    assert_int_equal(last, r.row_count - 1);
    cmbt_near(cmbt_row(&r, last, "E") - cmbt_row(&r, 0, "E"), cmbt_integral(&r, "P"), 1e-6);
    cmbt_run_close(&r);
  }
}

/* Checks the energy of a body that tumbles in a bushing on another moving body, with different stiffness along and about each axis. */
static void test_bushing_energy(void **state)
{
  (void)state;
  static const char text[] =
      "bodies:\n"
      "  one: {mass: 3, com: [0, 0, 0], inertia: [0.3, 0.4, 0.2]}\n"
      "  two: {mass: 1, com: [0.1, 0, 0.2], inertia: [0.05, 0.08, 0.06, 0.01, 0, 0]}\n"
      "joints:\n"
      "  f: {type: free, child: one, at: [0, 0, 0], rate: [0.5, 0, 0, 0.3, 0, 1]}\n"
      "  g: {type: free, child: two, at: [0, 0, 0], rate: [0, 1, 0, 4, 7, -6]}\n"
      "forces:\n"
      "  r: {type: bushing, between: [{body: one, at: [0, 0, 0]}, {body: two, at: [0, 0, 0.1]}],"
      " axes: {x: [1, 1, 0], y: [-1, 1, 0]}, stiffness: [90, 60, 70], rotational-stiffness: [3, 5, "
      "4]}\n"
      "outputs: {E: energy, c: 0.5*(two.x_x + two.y_y + two.z_z - 1)}\n"
      "gravity: [0, 0, 0]\n";
  double end[3] = {0};
  for (int f = CMB_FORM_EXPLICIT; f <= CMB_FORM_CARTESIAN; f++) {
    cmbt_run r;
    open_text(&r, text, f, 3);
    double least = 1;
    for (int i = 0; i < r.row_count; i++) {
      cmbt_near(cmbt_row(&r, i, "E"), cmbt_row(&r, 0, "E"), 1e-7);
      least = fmin(least, cmbt_row(&r, i, "c"));
    }
    assert_true(least < 0); /* it has rotated by more than 90 degrees */
    end[f] = cmbt_output(&r, "c");
    cmbt_near(end[f], end[0], 1e-6);
    cmbt_run_close(&r);
  }
}

/* Checks a ball whose centre a bushing connects to a tumbling body: m a and J ω̇ are the force and the moment of the bushing on it. */
static void test_bushing_force(void **state)
{
  (void)state;
  static const char text[] =
      "bodies:\n"
      "  one: {mass: 3, com: [0, 0, 0], inertia: [0.3, 0.4, 0.2]}\n"
      "  two: {mass: 2, com: [0, 0, 0.1], inertia: [0.05, 0.05, 0.05]}\n"
      "joints:\n"
      "  f: {type: free, child: one, at: [0, 0, 0], rate: [0.5, 0, 0, 0.3, 0, 1]}\n"
      "  g: {type: free, child: two, at: [0, 0, 0.1], rate: [0, 1, 0, 4, 7, -6]}\n"
      "forces:\n"
      "  r: {type: bushing, between: [{body: one, at: [0, 0, 0]}, {body: two, at: [0, 0, 0.1]}],"
      " axes: {x: [1, 1, 0], y: [-1, 1, 0]}, stiffness: [90, 60, 70], damping: [1, 2, 3],"
      " rotational-stiffness: [3, 0, 4], rotational-damping: [0.01, 0, 0.02]}\n"
      "events: {pulls: {when: r.fx > 3}}\n"
      "outputs: {fx: r.fx, fy: r.fy, fz: r.fz, mx: r.mx, my: r.my, mz: r.mz,\n"
      "          ax: two.ax, ay: two.ay, az: two.az, alx: two.alx, aly: two.aly, alz: two.alz}\n"
      "gravity: [0, 0, 0]\n";
  static const char *const names[6][2] = {{"fx", "ax"},  {"fy", "ay"},  {"fz", "az"},
                                          {"mx", "alx"}, {"my", "aly"}, {"mz", "alz"}};
  for (int f = CMB_FORM_EXPLICIT; f <= CMB_FORM_CARTESIAN; f++) {
    cmbt_run r;
    open_text(&r, text, f, 0.5);
    for (int k = 0; k < 6; k++) {
      double most = 0;
      for (int i = 0; i < r.row_count; i++) {
        const double Q = cmbt_row(&r, i, names[k][0]), inertia = k < 3 ? 2 : 0.05;
        cmbt_near(Q, inertia * cmbt_row(&r, i, names[k][1]), 1e-11);
        most = fmax(most, fabs(Q));
      }
      assert_true(most > 0.1);
    }
    assert_true(cmbt_times(&r, "pulls", 0, 0, NULL) > 0); /* conditions can use the force, too */
    cmbt_run_close(&r);
  }
}

/* Checks a bushing with damping only, which allows any number of turns: the angular velocity of a ball with equal moments of inertia decays
 * about each axis of the bushing independently; and a shaft in a hinge is slowed by the damper about its axis only, also at 180 degrees. */
static void test_bushing_bearing(void **state)
{
  (void)state;
  static const char bushing[] =
      "  r: {type: bushing, between: [{body: ground, at: [0, 0, 0]}, {body: b, at: [0, 0, 0]}],"
      " axes: {x: [0, 1, 0], y: [0, 0, 1]}, rotational-damping: [0.1, 0.2, 0.4]}\n"
      "outputs: {x: b.wx, y: b.wy, z: b.wz}\ngravity: [0, 0, 0]\n";
  static const char *const joints[] = {
      "spherical, orientation: euler, child: b, at: [0, 0, 0], rate: [8, 5, 7]",
      "revolute, child: b, at: [0, 0, 0], axis: z, rate: 7"};
  static const char *const methods[] = {"mdop5", "radau5", "bdf"};
  for (int f = CMB_FORM_EXPLICIT; f <= CMB_FORM_CARTESIAN; f++) {
    for (int i = 0; i < 6; i++) {
      const double t = 3, J = 0.5;
      char model[2000];
      cmbt_run r;
      snprintf(model, sizeof model,
               "bodies: {b: {mass: 1, com: [0, 0, 0], inertia: [0.5, 0.5, 0.5]}}\n"
               "joints: {h: {type: %s}}\nforces:\n%s",
               joints[i % 2], bushing);
      cmbt_run_open_text(&r, model, (cmb_formulation)f);
      r.method = methods[i / 2];
      r.rtol = 1e-8;
      cmbt_run_to(&r, t, 0);
      assert_int_equal(r.event_count, 0);
      cmbt_near(cmbt_output(&r, "x"), i % 2 ? 0 : 8 * exp(-0.4 * t / J), 1e-6);
      cmbt_near(cmbt_output(&r, "y"), i % 2 ? 0 : 5 * exp(-0.1 * t / J), 1e-6);
      cmbt_near(cmbt_output(&r, "z"), 7 * exp(-0.2 * t / J), 1e-6);
      cmbt_run_close(&r);
    }
  }
}

static void test_translation(void **state)
{
  (void)state;
  static const char text[] =
      "gravity: [1, -2, -9]\n"
      "points: {O: [0, 0, 0], P: [0, 0, -1]}\n"
      "bodies:\n"
      "  ball: {mass: 2, com: [1, 2, 3]}\n"
      "  arm: {massless: true}\n"
      "  bob: {mass: 3, com: P, inertia: [1, 2, 2]}\n"
      "joints:\n"
      "  throw: {type: translation, child: ball, axes: {x: [0.6, 0.8, 0], z: z}, start: [0.1, 0.2, "
      "0.3], rate: [1, 2, 3]}\n"
      "  pin: {type: universal, child: arm, at: O, axes: [x, y], rate: [0.3, 0.2]}\n"
      "  end: {type: spherical, orientation: euler, parent: arm, child: bob, at: P}\n"
      "loops: {upright: {type: translation, between: [ground@O, bob@P]}}\n"
      "outputs: {x: throw.x, y: throw.y, z: throw.z, gx: ball.x, gy: ball.y, gz: ball.z, fx: "
      "throw.fx,\n"
      "          turn: abs(bob.x_y) + abs(bob.y_z) + abs(bob.z_x),\n"
      "          bob: '1.5*(bob.vx^2 + bob.vy^2 + bob.vz^2) - 3*(bob.x - 2*bob.y - 9*bob.z)'}\n";
  const double t = 0.7, gx = 0.6 * 1 - 0.8 * 2, gy = -0.8 * 1 - 0.6 * 2;
  for (int f = CMB_FORM_EXPLICIT; f <= CMB_FORM_CARTESIAN; f++) {
    cmbt_run r;
    open_text(&r, text, f, t);
    const double x = 0.1 + t + gx * t * t / 2, y = 0.2 + 2 * t + gy * t * t / 2;
    cmbt_near(cmbt_output(&r, "x"), x, 1e-9);
    cmbt_near(cmbt_output(&r, "y"), y, 1e-9);
    cmbt_near(cmbt_output(&r, "z"), 0.3 + 3 * t - 9 * t * t / 2, 1e-9);
    cmbt_near(cmbt_output(&r, "gx"), 1 + 0.6 * x - 0.8 * y, 1e-9);
    cmbt_near(cmbt_output(&r, "gy"), 2 + 0.8 * x + 0.6 * y, 1e-9);
    cmbt_near(cmbt_output(&r, "fx"), 0, 1e-9);
    cmbt_near(cmbt_output(&r, "turn"), 0, 1e-8);
    cmbt_near(cmbt_output(&r, "bob"), 1.5 * (0.2 * 0.2 + 0.3 * 0.3) - 27, 1e-6);
    cmbt_run_close(&r);
  }
}

/* Checks two rotors on one skew axis, coupled by formulas of both angles. */
static void test_rotors(void **state)
{
  (void)state;
  static const char text[] =
      "parameters: {J: 2, L: 3, k: 50}\n"
      "points: {O: [0.1, 0.2, 0.3], P: [0.5, 0.4, 0.7]}\n"
      "bodies:\n"
      "  a: {mass: 5, com: O, inertia: [0, 0, J], axes: {z: [2, 1, 2], x: [1, 0, -1]}}\n"
      "  b: {mass: 7, com: P, inertia: [0, 0, L], axes: {z: [2, 1, 2], x: [1, 0, -1]}}\n"
      "joints:\n"
      "  p: {type: revolute, child: a, at: O, axis: [2, 1, 2], start: 0.3, rate: 1}\n"
      "  q: {type: revolute, child: b, at: P, axis: [2, 1, 2], start: -0.2, rate: 0.5}\n"
      "forces:\n"
      "  on_a: {type: torsion, coordinate: p, stiffness: k, torque: -k*q}\n"
      "  on_b: {type: torsion, coordinate: q, stiffness: k, torque: -k*p}\n"
      "outputs: {twist: p - q, mean: (J*p + L*q)/(J + L)}\n";
  const double J = 2, L = 3, w = sqrt(50 * (1 / J + 1 / L)), t = 2;
  for (int f = CMB_FORM_EXPLICIT; f <= CMB_FORM_CARTESIAN; f++) {
    cmbt_run r;
    open_text(&r, text, f, t);
    cmbt_near(cmbt_output(&r, "twist"), 0.5 * cos(w * t) + 0.5 / w * sin(w * t), 1e-7);
    cmbt_near(cmbt_output(&r, "mean"), (0.3 * J - 0.2 * L + (J + 0.5 * L) * t) / (J + L), 1e-7);
    cmbt_run_close(&r);
  }
}

/* Checks starts at x = a, and at the spring's other end with the velocity v. */
static void test_spring_from_zero(void **state)
{
  (void)state;
  static const char text[] =
      "gravity: [0, 0, 0]\n"
      "points: {O: [1, 2, 3]}\n"
      "bodies: {b: {mass: 2, com: O}}\n"
      "joints: {j: {type: translation, child: b, at: O, start: [%g, 0, 0], rate: [%g, 0, 0]}}\n"
      "forces: {k: {type: spring, between: [ground@O, b@O], stiffness: 50, length: 0}}\n"
      "outputs: {x: b.x - 1, y: b.y - 2, z: b.z - 3, length: k.length, pull: k.force, e: energy}\n";
  static const double start[][2] = {{0.5, 0}, {0, 2}, {0.5, 2}};
  static const char *const methods[] = {"mdop5", "radau5"};
  const double w = 5, t = 7.5;
  for (int n = 0; n < 12; n++) {
    const double a = start[n / 4][0], v = start[n / 4][1];
    const double x = a * cos(w * t) + v / w * sin(w * t);
    char model[600];
    cmbt_run r;
    snprintf(model, sizeof model, text, a, v);
    cmbt_run_open_text(&r, model, n % 2 ? CMB_FORM_CARTESIAN : CMB_FORM_EXPLICIT);
    r.method = methods[n / 2 % 2];
    cmbt_run_to(&r, t, 0.05);
    cmbt_near(cmbt_output(&r, "x"), x, 1e-7);
    cmbt_near(cmbt_output(&r, "y"), 0, 1e-12);
    cmbt_near(cmbt_output(&r, "z"), 0, 1e-12);
    cmbt_near(cmbt_output(&r, "length"), fabs(x), 1e-7);
    cmbt_near(cmbt_output(&r, "pull"), 50 * fabs(x), 1e-5);
    cmbt_near(cmbt_output(&r, "e"), v * v + 25 * a * a, 1e-6);
    cmbt_run_close(&r);
  }
}

/* Checks that a bushing rotated by more than 175 degrees reports the event r.turned. */
static void test_bushing_turned(void **state)
{
  (void)state;
  static const char text[] =
      "bodies: {b: {mass: 1, com: [0, 0, 0], inertia: [1, 1, 1]}}\n"
      "joints: {h: {type: revolute, child: b, at: [0, 0, 0], axis: y, rate: 1}}\n"
      "forces:\n"
      "  r: {type: bushing, between: [{body: ground, at: [0, 0, 0]}, {body: b, at: [0, 0, 0]}],"
      " rotational-stiffness: 1e-9}\n"
      "gravity: [0, 0, 0]\n";
  cmbt_run r;
  double t[2];
  open_text(&r, text, CMB_FORM_EXPLICIT, 3.1);
  assert_int_equal(cmbt_times(&r, "r.turned", 1, 2, t), 1);
  cmbt_near(t[0], 175 * turn / 360, 1e-7);
  cmbt_run_close(&r);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_screw),           cmocka_unit_test(test_shafts),
      cmocka_unit_test(test_spheres),         cmocka_unit_test(test_bushing_moment),
      cmocka_unit_test(test_bushing_swing),   cmocka_unit_test(test_bushing_energy),
      cmocka_unit_test(test_bushing_bearing), cmocka_unit_test(test_bushing_turned),
      cmocka_unit_test(test_bushing_force),   cmocka_unit_test(test_translation),
      cmocka_unit_test(test_rotors),          cmocka_unit_test(test_spring_from_zero),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
