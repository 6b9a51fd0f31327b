/*
 * Tyres (dyn/tyre_force.c), compared with closed forms and with the curves of TMeasy implemented here a second time:
 *
 *   - a sloping road is equivalent to a flat one under inclined gravity, with camber and a slip angle; formulations and methods agree;
 *   - a tyre that is only a spring conserves the energy on a wavy road, whatever its camber; lift-off and landing are events;
 *   - a slip angle builds up the lateral force over the relaxation length; the stopping distance of a locked wheel follows from the curve;
 *     rolling resistance reduces the momentum by its impulse;
 *   - a wheel that is braked to a stop on a slope stands still for a minute where its stiffness requires, and then drives off in reverse; so
 *     does one from 5 m/s, compared with an integration of the equations written here;
 *   - without friction no force acts along the road; a wheel has an equilibrium on a level road in all formulations, and none on a slope without
 *     friction;
 *   - a mirrored instance has mirrored forces.
 */
#include "check.h"
#include "model_case.h"
#include "model_run.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double G = 9.81;

#define TMEASY                                                                                     \
  "tmeasy: {load: 3000, carcass: [100000, 150000], longitudinal: {slope: [50000, 75000], "         \
  "peak-slip: [0.15, 0.18], peak: [3000, 4500], sliding-slip: [0.4, 0.5], sliding: [2800, "        \
  "4200]}, "                                                                                       \
  "lateral: {slope: [40000, 60000], peak-slip: [0.21, 0.24], peak: [2750, 4125], "                 \
  "sliding-slip: [0.6, 0.8], sliding: [2500, 3750]}, "                                             \
  "trail: {ratio: [0.133, 0.1], zero: [0.25, 0.275], end: [0.6, 0.8]}}"

#define OUTPUTS                                                                                    \
  "outputs: {Fx: t1.Fx, Fy: t1.Fy, Fz: t1.Fz, Mz: t1.Mz, My: t1.My, kappa: t1.kappa, "             \
  "alpha: t1.alpha, gamma: t1.gamma, rho: t1.deflection, X: wheel.x, V: wheel.vx, Z: wheel.z, "    \
  "spin: hub', turn: hub}\n"

/* Returns the force of a TMeasy curve c = (slope, peak slip, peak, sliding slip, sliding force) at the slip s, at the nominal load. */
static double curve(double s, const double c[5])
{
  const double slope = c[0], sM = c[1], FM = c[2], sS = c[3], FS = c[4];
  const double a = s / sM, b = (s - sM) / (sS - sM);
  if (s <= sM) return slope * s / (1 + a * (a + slope * sM / FM - 2));
  return s <= sS ? FM - (FM - FS) * b * b * (3 - 2 * b) : FS;
}

static const double longitudinal[5] = {50000, 0.15, 3000, 0.4, 2800};

/* Returns the relaxation length slope/carcass with its smooth lower bound, a fiftieth of the radius 0.3 m. */
static double sigma(double slope, double carcass)
{
  return hypot(slope / carcass, 0.02 * 0.3);
}

/* ---- slope */

/* Writes a wheel on three slides, on a plane with the inclination `incline` about y, in a frame rotated by `turn`. */
static void write_inclined(double incline, double turn, char *text, size_t room)
{
  const double axis[3] = {-0.1, 0.98, 0.15}, c = cos(turn), s = sin(turn);
  const double weight = incline - turn; /* angle of gravity to the frame's −z */
  const double at[3] = {0.29 * s, 0, 0.29 * c};
  snprintf(
      text, room,
      "gravity: [%.17g, 0, %.17g]\n"
      "points: {W: [%.17g, 0, %.17g]}\n"
      "roads: {plane: {type: formula, height: %.17g*x}}\n"
      "bodies: {a: {massless: true}, b: {massless: true}, carriage: {mass: 280, com: W, inertia: "
      "[9, 9, 9]},\n"
      "  wheel: {mass: 20, com: W, inertia: [1, 1, 1]}}\n"
      "joints: {x: {type: prismatic, child: a, at: W, axis: x, rate: %.17g},\n"
      "  y: {type: prismatic, parent: a, child: b, at: W, axis: y},\n"
      "  z: {type: prismatic, parent: b, child: carriage, at: W, axis: z, rate: %.17g},\n"
      "  hub: {type: revolute, parent: carriage, child: wheel, at: W, axis: [%.17g, %.17g, %.17g], "
      "rate: 8}}\n"
      "forces: {t1: {type: tyre, on: wheel@W, axis: [%.17g, %.17g, %.17g], road: plane, radius: "
      "0.3, "
      "stiffness: 200000, damping: 2000, rolling-resistance: 0.02, " TMEASY "},\n"
      "  motor: {type: torsion, coordinate: hub, torque: -300*sin(8*t)}}\n" OUTPUTS,
      G * sin(weight), -G * cos(weight), at[0], at[2], -tan(turn), 3 * c, -3 * s,
      axis[0] * c + axis[2] * s, axis[1], axis[2] * c - axis[0] * s, axis[0] * c + axis[2] * s,
      axis[1], axis[2] * c - axis[0] * s);
}

static void run_inclined(double turn, cmb_formulation formulation, double rtol, cmbt_run *r)
{
  char text[4000];
  write_inclined(0.2, turn, text, sizeof text);
  cmbt_run_open_text(r, text, formulation);
  r->rtol = rtol;
  cmbt_run_to(r, 0.2, 0);
}

static void test_slope_is_inclined_gravity(void **state)
{
  (void)state;
  static const char *const same[] = {"Fx", "Fy", "Fz", "Mz", "My", "kappa", "alpha", "spin", "rho"};
  cmbt_run flat, slope, cartesian;
  run_inclined(0, CMB_FORM_EXPLICIT, 1e-10, &flat);
  run_inclined(0.2, CMB_FORM_EXPLICIT, 1e-10, &slope);
  run_inclined(0.2, CMB_FORM_CARTESIAN, 1e-9, &cartesian);
  assert_true(fabs(cmbt_output(&flat, "Fy")) > 20 && fabs(cmbt_output(&flat, "Fx")) > 20);
  for (int i = 0; i < 9; i++) {
    const double x = cmbt_output(&flat, same[i]);
    cmbt_near(cmbt_output(&slope, same[i]), x, 1e-6 * (1 + fabs(x)));
    cmbt_near(cmbt_output(&cartesian, same[i]), x, 1e-5 * (1 + fabs(x)));
  }
  cmbt_run_close(&flat);
  cmbt_run_close(&slope);
  cmbt_run_close(&cartesian);
}

/* ---- energy and events */

static void test_spring_conserves_energy(void **state)
{
  (void)state;
  cmbt_run r;
  double t[4];
  cmbt_run_open_text(
      &r,
      "points: {W: [0, 0, 0.5]}\n"
      "roads: {waves: {type: formula, height: 0.02*sin(5*x) + 0.1*y + 0.03*sin(4*y)}}\n"
      "bodies: {wheel: {mass: 20, com: W, inertia: [1, 2, 1]}}\n"
      "joints: {fly: {type: free, child: wheel, at: W, rate: [3, 0.5, 0, 0.7, 2, 0.4]}}\n"
      "forces: {t1: {type: tyre, on: wheel@W, axis: [0.2, 0.9, 0.3], road: waves, radius: 0.3, "
      "stiffness: 20000}}\n"
      "outputs: {E: 'energy + if(t1.deflection > 0, 10000*t1.deflection^2, 0)'}\n",
      CMB_FORM_EXPLICIT);
  cmbt_run_to(&r, 1, 0.01);
  const double before = cmbt_row(&r, 0, "E");
  assert_true(cmbt_switch_times(&r, "t1.contact", 1, 4, t) >= 1);
  assert_true(cmbt_switch_times(&r, "t1.contact", -1, 4, t) >= 1);
  for (int i = 0; i < r.row_count; i++) cmbt_near(cmbt_row(&r, i, "E"), before, 1e-6 * before);
  cmbt_run_close(&r);
}

/* Checks the times of landing, by free fall, and of lift-off, after an oscillation about the equilibrium for 2 (π − atan(v ω/g))/ω. */
static void test_landing_is_an_event(void **state)
{
  (void)state;
  const double height = 0.2, omega = sqrt(20000 / 20.0), speed = sqrt(2 * G * height);
  const double down = sqrt(2 * height / G);
  const double pressed = 2 * (acos(-1.0) - atan(speed * omega / G)) / omega;
  cmbt_run r;
  double on[2], off[2];
  cmbt_run_open_text(
      &r,
      "points: {W: [0, 0, 0.5]}\n"
      "bodies: {wheel: {mass: 20, com: W, inertia: [1, 2, 1]}}\n"
      "joints: {fall: {type: prismatic, child: wheel, at: W, axis: z}}\n"
      "forces: {t1: {type: tyre, on: wheel@W, axis: y, radius: 0.3, stiffness: 20000}}\n"
      "outputs: {Fz: t1.Fz, fz: t1.fz}\n",
      CMB_FORM_EXPLICIT);
  cmbt_run_to(&r, 0.5, 0);
  assert_true(cmbt_switch_times(&r, "t1.contact", 1, 2, on) == 1);
  assert_true(cmbt_switch_times(&r, "t1.contact", -1, 2, off) == 1);
  cmbt_near(on[0], down, 1e-8);
  cmbt_near(off[0] - on[0], pressed, 1e-7);
  assert_true(cmbt_output(&r, "Fz") == 0 && cmbt_output(&r, "fz") == 0);
  cmbt_run_close(&r);
}

struct warnings {
  int count;
  char text[400];
};

static void note_warning(void *user, cmb_log_level level, const char *message)
{
  struct warnings *w = user;
  if (level != CMB_LOG_WARNING || !strstr(message, "nearer to the road")) return;
  w->count++;
  snprintf(w->text, sizeof w->text, "%s", message);
}

/* Checks a wheel that falls so fast that it is deflected by more than three quarters of its radius, twice: an event each time, and one
 * warning, on a flat road, on one whose contact point is an implicit function, and on one with a switch. The second road is level only
 * within 1e-4, which limits the accuracy. */
static void test_deep(void **state)
{
  (void)state;
  static const char *const roads[] = {"type: flat", "type: formula, height: 1e-4*sin(x)",
                                      "type: formula, height: 'if(x > 5, 1, 0)'"};
  const double height = 3, omega = sqrt(20000 / 20.0), speed = sqrt(2 * G * height);
  const double middle = G / (omega * omega), begins = atan2(middle, speed / omega);
  const double part = (0.225 - middle) / hypot(middle, speed / omega);
  const double deep = sqrt(2 * height / G) + (asin(part) + begins) / omega;
  for (int i = 0; i < 3; i++) {
    char text[800], words[100];
    struct warnings w = {0};
    double t[3];
    cmbt_run r;
    snprintf(text, sizeof text,
             "points: {W: [0, 0, 3.3]}\n"
             "roads: {r: {%s}}\n"
             "bodies: {wheel: {mass: 20, com: W, inertia: [1, 2, 1]}}\n"
             "joints: {fall: {type: prismatic, child: wheel, at: W, axis: z}}\n"
             "forces: {t1: {type: tyre, on: wheel@W, axis: y, road: r, radius: 0.3, stiffness: "
             "20000}}\n"
             "outputs: {Fz: t1.Fz}\n",
             roads[i]);
    cmbt_run_open_text(&r, text, i == 0 ? CMB_FORM_CARTESIAN : CMB_FORM_EXPLICIT);
    cmb_context_set_log(r.ctx, note_warning, &w);
    cmbt_run_to(&r, 2.5, 0);
    assert_int_equal(cmbt_times(&r, "t1.deep", 1, 3, t), 2);
    cmbt_near(t[0], deep, i == 1 ? 1e-4 : 1e-7);
    assert_int_equal(w.count, 1);
    snprintf(words, sizeof words, "from t = %.4f", t[0]);
    words[strlen(words) - 1] = '\0'; /* the last digit may be rounded */
    assert_memory_equal(w.text, words, strlen(words));
    assert_non_null(strstr(w.text, "the wheel of tyre 't1' is nearer to the road"));
    cmbt_run_close(&r);
  }
}

/* Checks that a run which begins with such a deflection warns at once and has no event. */
static void test_deep_at_the_start(void **state)
{
  (void)state;
  struct warnings w = {0};
  double t[2];
  cmbt_run r;
  cmbt_run_open_text(&r,
                     "points: {W: [0, 0, -0.1]}\n"
                     "bodies: {wheel: {mass: 20, com: W, inertia: [1, 2, 1]}}\n"
                     "joints: {fall: {type: prismatic, child: wheel, at: W, axis: z}}\n"
                     "forces: {t1: {type: tyre, on: wheel@W, axis: y, radius: 0.3, stiffness: "
                     "20000}}\n"
                     "outputs: {Fz: t1.Fz}\n",
                     CMB_FORM_EXPLICIT);
  cmb_context_set_log(r.ctx, note_warning, &w);
  cmbt_run_to(&r, 0.02, 0);
  assert_int_equal(cmbt_times(&r, "t1.deep", 1, 2, t), 0);
  assert_int_equal(w.count, 1);
  assert_memory_equal(w.text, "from t = 0 on the centre", 24);
  cmbt_run_close(&r);
}

/* Checks that switching functions of the tyre's limits have names of the tyre: the load exceeds that of the file when the wheel hits the
 * road. */
static void test_limits_have_names(void **state)
{
  (void)state;
  static const char *const files[] = {"tyres/car-205-60r15.tir", "tyres/passenger.yaml"};
  for (int i = 0; i < 2; i++) {
    char text[600];
    double t[8];
    cmbt_run r;
    snprintf(text, sizeof text,
             "points: {W: [0, 0, 0.5]}\n"
             "bodies: {wheel: {mass: 600, com: W, inertia: [1, 2, 1]}}\n"
             "joints: {fall: {type: planar, child: wheel, at: W, normal: y, rate: [5, 0, 0]}}\n"
             "forces: {t1: {type: tyre, on: wheel@W, axis: y, file: %s}}\n"
             "outputs: {Fz: t1.Fz}\n",
             files[i]);
    cmbt_run_open_text(&r, text, CMB_FORM_EXPLICIT);
    cmbt_run_to(&r, 0.4, 0);
    assert_true(cmbt_switch_times(&r, "t1.load_most", 1, 8, t) >= 1);
    for (int k = 0; k < r.eq->ns; k++) {
      if (strncmp(r.eq->switch_names[k], "t1.", 3) == 0) continue;
      fail_msg("a switching function of %s has the name '%s'", files[i], r.eq->switch_names[k]);
    }
    cmbt_run_close(&r);
  }
}

/* Counts the warnings about crossings that could not be proved. */
static void note_doubt(void *user, cmb_log_level level, const char *message)
{
  int *count = user;
  *count += level == CMB_LOG_WARNING && strstr(message, "no change of sign could be proved");
}

/* Checks a bouncing wheel with a joint that permits camber: each landing and each lift-off is found, without a warning that a crossing
 * could not be proved. */
static void test_proved_bounces(void **state)
{
  (void)state;
  const double fall = sqrt(2 * G * 0.05) / G, omega = sqrt(2e5 / 40);
  const double pressed = 2 * (acos(-1.0) - atan(G * fall * omega / G)) / omega;
  double on[20], off[20];
  int doubts = 0;
  cmbt_run r;
  cmbt_run_open_text(
      &r,
      "points: {W: [0, 0, 0.35]}\n"
      "bodies: {up: {massless: true}, wheel: {mass: 40, com: W, inertia: [0.5, 1, 0.5]}}\n"
      "joints:\n"
      "  z: {type: prismatic, child: up, at: W, axis: z}\n"
      "  lean: {type: revolute, parent: up, child: wheel, at: W, axis: x}\n"
      "motions: {upright: {coordinate: lean, value: 0}}\n"
      "forces: {t1: {type: tyre, on: wheel@W, axis: y, radius: 0.3, stiffness: 2e5}}\n"
      "outputs: {Fz: t1.Fz}\n",
      CMB_FORM_EXPLICIT);
  cmb_context_set_log(r.ctx, note_doubt, &doubts);
  cmbt_run_to(&r, 2, 0);
  assert_int_equal(cmbt_switch_times(&r, "t1.contact", 1, 20, on), 8);
  assert_int_equal(cmbt_switch_times(&r, "t1.contact", -1, 20, off), 8);
  for (int i = 0; i < 8; i++) {
    cmbt_near(on[i], fall + i * (2 * fall + pressed), 1e-4);
    cmbt_near(off[i] - on[i], pressed, 1e-5);
  }
  assert_int_equal(doubts, 0);
  cmbt_run_close(&r);
}

/* ---- slip */

#define GUIDED(mass, more_joint, speed, axis, more_force)                                          \
  "points: {W: [0, 0, 0.285]}\n"                                                                   \
  "bodies: {carriage: {mass: " mass ", com: W, inertia: [9, 9, 9]}, wheel: {mass: 20, com: W, "    \
  "inertia: [1, 1, 1]}}\n"                                                                         \
  "joints: {x: {type: prismatic, child: carriage, at: W, axis: x, rate: " speed "},\n"             \
  "  hub: {type: revolute, parent: carriage, child: wheel, at: W, axis: " axis more_joint "}}\n"   \
  "forces: {t1: {type: tyre, on: wheel@W, axis: " axis                                             \
  ", radius: 0.3, stiffness: 200000, " TMEASY more_force "}\n" OUTPUTS

/* Checks that after a step of the slip angle tan α grows to tan(steer) as 1 − exp(−distance/σ). The wheel rolls with the radius
 * 0.3 − 0.015/3 = 0.295. */
static void test_lateral_force_lags(void **state)
{
  (void)state;
  const double steer = 1e-4, s = sigma(40000, 150000), speed = 10;
  cmbt_run r;
  cmbt_run_open_text(
      &r, GUIDED("1e9", ", rate: 33.898304915", "10", "[9.99999998333e-5, 0.999999995, 0]", "}"),
      CMB_FORM_EXPLICIT);
  cmbt_run_to(&r, 0.1, 0.005);
  for (int i = 1; i < r.row_count; i++) {
    const double way = speed * cos(steer) * cmbt_row(&r, i, "t");
    cmbt_near(tan(cmbt_row(&r, i, "alpha")), tan(steer) * (1 - exp(-way / s)), 1e-5 * steer);
  }
  cmbt_near(cmbt_output(&r, "Fz"), 3000, 1e-9);
  assert_true(cmbt_output(&r, "Fy") < -3 && cmbt_output(&r, "Mz") > 0);
  cmbt_run_close(&r);
}

/* Returns the distance in which the work of the tyre force equals the kinetic energy: F = c x up to the peak, then the sliding force. */
static double stopping_distance(double mass, double speed)
{
  const double rise = longitudinal[2] / 100000, energy = 0.5 * mass * speed * speed;
  return rise + (energy - 0.5 * longitudinal[2] * rise) / longitudinal[4];
}

static void test_locked_wheel_stops(void **state)
{
  (void)state;
  static const double speed = 15;
  cmbt_run r;
  cmbt_run_open_text(
      &r,
      "points: {W: [0, 0, 0.285]}\n"
      "bodies: {wheel: {mass: 300, com: W, inertia: [1, 1, 1]}}\n"
      "joints: {hub: {type: prismatic, child: wheel, at: W, axis: x, rate: 15}}\n"
      "forces: {t1: {type: tyre, on: wheel@W, axis: y, radius: 0.3, stiffness: 200000, " TMEASY
      "}}\n" OUTPUTS,
      CMB_FORM_EXPLICIT);
  r.rtol = 1e-7;
  cmbt_run_to(&r, 4, 0.01);
  double farthest = 0;
  for (int i = 0; i < r.row_count; i++) farthest = fmax(farthest, cmbt_row(&r, i, "X"));
  const double expected = stopping_distance(300, speed);
  cmbt_near(farthest, expected, 1e-3 * expected);
  assert_true(expected > 11.5 && expected < 12.5); /* v²/(2 μ g), μ g = 2800/300 */
  const double yields = longitudinal[4] / 100000;  /* carcass deflection FS/c */
  printf("a locked wheel swings back by %.4f m, expected %.4f m\n", farthest - cmbt_output(&r, "X"),
         yields);
  cmbt_near(farthest - cmbt_output(&r, "X"), yields, 2e-3 * yields);
  cmbt_near(cmbt_output(&r, "V"), 0, 1e-6);
  cmbt_run_close(&r);
}

#define TWO_TYRES(first, last)                                                                     \
  "points: {A: [0, 0, 0.285], B: [0, 2, 0.285]}\n"                                                 \
  "bodies: {a: {mass: 300, com: A, inertia: [1, 1, 1]}, b: {mass: 250, com: B, inertia: [1, 1, "   \
  "1]}}\n"                                                                                         \
  "joints: {x: {type: prismatic, child: a, at: A, axis: x, rate: 15},\n"                           \
  "  y: {type: prismatic, child: b, at: B, axis: [4, 1, 0], rate: 8}}\n"                           \
  "forces: {" first "t1: {type: tyre, on: a@A, axis: y, radius: 0.3, stiffness: 200000, " TMEASY   \
  "},\n"                                                                                           \
  "  t2: {type: tyre, on: b@B, axis: y, radius: 0.3, stiffness: 200000, " TMEASY "}" last "}\n"

#define PUSH                                                                                       \
  "push: {type: load, on: a@A, force: [\"40*t1.u.rate - 70*t2.u.rate + 900*t2.v.rate\", 0, 0]}"

/* Checks that a force which reads the rates of the states of two tyres is the same whether it is defined before or after them. */
static void test_rates_are_read_in_any_order(void **state)
{
  (void)state;
  static const char *const texts[] = {TWO_TYRES(PUSH ",\n  ", ""), TWO_TYRES("", ",\n  " PUSH),
                                      TWO_TYRES("", "")};
  double v[3];
  for (int k = 0; k < 3; k++) {
    cmbt_run r;
    cmbt_run_open_text(&r, texts[k], CMB_FORM_EXPLICIT);
    r.rtol = 1e-9;
    cmbt_run_to(&r, 0.05, 0);
    v[k] = cmbt_velocity(&r, "x'");
    cmbt_run_close(&r);
  }
  cmbt_near(v[0], v[1], 1e-7);
  assert_true(fabs(v[0] - v[2]) > 0.01);
}

/* Checks that rolling resistance reduces the momentum m V + I Ω/Re by its impulse. */
static void test_rolling_resistance(void **state)
{
  (void)state;
  const double Re = 0.3 - 0.005, lost = 0.015 * 3000 * 10;
  cmbt_run r;
  cmbt_run_open_text(
      &r, GUIDED("280", ", rate: 67.7966101694915", "20", "y", ", rolling-resistance: 0.015}"),
      CMB_FORM_EXPLICIT);
  cmbt_run_to(&r, 10, 0);
  const double momentum = 300 * cmbt_output(&r, "V") + cmbt_output(&r, "spin") / Re;
  /* two tolerances, 1e-6, of the initial momentum, which is 14 times the loss */
  cmbt_near(300 * 20 + 67.7966101694915 / Re - momentum, lost, 3e-5 * lost);
  const double braking = 300 * lost / 10 / (300 + 1 / (Re * Re));
  cmbt_near(curve(-cmbt_output(&r, "kappa"), longitudinal), braking, 1e-3 * braking);
  cmbt_run_close(&r);
}

/* ---- standstill */

/* Returns the deflection at which the curve has this force, by bisection. */
static double deflection_of(double force)
{
  double low = 0, high = longitudinal[1];
  for (int i = 0; i < 60; i++) {
    const double middle = 0.5 * (low + high);
    if (curve(middle, longitudinal) < force)
      low = middle;
    else
      high = middle;
  }
  return low * sigma(50000, 100000);
}

/* Runs a wheel under inclined gravity: the hub is free until `brakes`, then held by a spring and damper, and driven backwards after 70 s. */
static void run_stopping(cmbt_run *r, double speed, double brakes)
{
  char text[4000];
  snprintf(
      text, sizeof text,
      "gravity: [-1.466, 0, -9.7]\n"
      "states: {hold: {rate: 'if(t < %g, hub.rate, 0)'}}\n" GUIDED(
          "280", ", rate: %.17g", "%g", "y",
          "},\n  motor: {type: torsion, coordinate: hub, torque: 'if(t > 70, 600, if(t < %g, 0, "
          "1e5*(hub - hold) + 500*hub.rate))'}"),
      brakes, speed, speed / 0.295, brakes);
  cmbt_run_open_text(r, text, CMB_FORM_EXPLICIT);
  r->rtol = 1e-6;
  r->method = "radau5";
  cmbt_run_to(r, 71, 0.5);
}

/* Checks that between 10 s and 70 s the wheel does not move and its deflection carries the weight's component. */
static void check_standing(const cmbt_run *r)
{
  double stood = NAN;
  for (int i = 0; i < r->row_count; i++) {
    const double t = cmbt_row(r, i, "t"), x = cmbt_row(r, i, "X");
    if (fabs(t - 10) < 1e-6) stood = x;
    if (t < 9.9 || t > 69.9) continue;
    cmbt_near(x, stood, 1e-7);
    cmbt_near(cmbt_row(r, i, "t1.u"), deflection_of(300 * 1.466), 1e-5);
  }
}

/* Checks the rolling condition in reverse with 600 N m: 300 kg and 1 kg m² are accelerated, with the constant slip that belongs to the force. */
static void check_reverse(const cmbt_run *r)
{
  const double Re = 0.295, V = cmbt_output(r, "V"), hill = 300 * 1.466;
  const double gains = (600 / Re + hill) / (300 + 1 / (Re * Re));
  const double slip = deflection_of(300 * gains - hill) / sigma(50000, 100000);
  assert_true(V < -1);
  cmbt_near((1 + slip) * V, Re * cmbt_output(r, "spin"), 5e-4 * fabs(V));
}

static void test_stands_and_reverses(void **state)
{
  (void)state;
  cmbt_run still, rolls;
  run_stopping(&still, 0, 0);
  check_standing(&still);
  check_reverse(&still);
  const double force = 300 * 1.466, hub = force * 0.295 * 0.295 / 1e5;
  cmbt_near(cmbt_row(&still, 60, "X"), -deflection_of(force) - hub, 1e-3 / 4);
  run_stopping(&rolls, 1.5, 0.5);
  check_standing(&rolls);
  check_reverse(&rolls);
  cmbt_run_close(&still);
  cmbt_run_close(&rolls);
}

/* The same with a Magic Formula: braked on a slope from 5 m/s by a soft spring and damper, which become stiff, and then driven backwards. */
static const double slow_mass = 400, slow_slope = 1.5, slow_target = 16; /* rad */
static const double soft[2] = {40, 80}, stiff[2] = {20000, 300};

/* Returns the effective radius of car-205-60r15.tir at its nominal load of 4000 N, 400 kg at 10 m/s². */
static double file_radius(void)
{
  return 0.3135 - 4000 / 200000.0 * (0.24 * atan(8) + 0.01);
}

/* Returns the slip of that tyre for a longitudinal force at the nominal load. */
static double file_slip(double force)
{
  return tan(asin(force / 4000) / 1.6) / (16 / 1.6);
}

/* Computes the rates of y: x, V, the hub's angle and angular velocity, and the deflection F/c of a spring c in series with a contact whose
 * slip depends on the force. */
static void slow_rates(double t, const double y[5], double rate[5])
{
  const double Re = file_radius(), V = y[1], spin = y[3], force = 4e5 * y[4];
  const double more = 0.5 + 0.5 * tanh(4 * (t - 8)), held = slow_mass * slow_slope * Re;
  const double fade = fabs(V) > 1 ? copysign(1, V) : sin(acos(0.0) * V);
  const double rolling = 0.3135 * 4000 * (0.01 + 0.0004 * fabs(V) / 16.7) * fade;
  const double brake = (soft[0] + more * stiff[0]) * (y[2] - slow_target) - held +
                       (soft[1] + more * stiff[1]) * spin;
  rate[0] = V;
  rate[1] = force / slow_mass - slow_slope;
  rate[2] = spin;
  rate[3] = -(brake + rolling + force * Re); /* 1 kg m² */
  rate[4] = Re * spin - V - fabs(V) * file_slip(force);
}

/* Returns the position at t_end by the classical Runge-Kutta method. */
static double slow_place(double t_end)
{
  const double dt = 5e-4;
  double y[5] = {0, 5, 0, 5 / file_radius(), 0}, k[4][5], at[5];
  for (int n = 0; n < (int)(t_end / dt + 0.5); n++) {
    for (int i = 0; i < 4; i++) {
      const double part = i == 0 ? 0 : i == 3 ? dt : dt / 2;
      for (int j = 0; j < 5; j++) at[j] = y[j] + (i == 0 ? 0 : part * k[i - 1][j]);
      slow_rates(n * dt + part, at, k[i]);
    }
    for (int j = 0; j < 5; j++) y[j] += dt / 6 * (k[0][j] + 2 * k[1][j] + 2 * k[2][j] + k[3][j]);
  }
  return y[0];
}

static void run_slow(cmbt_run *r)
{
  const double Re = file_radius();
  char text[4000];
  snprintf(
      text, sizeof text,
      "gravity: [%g, 0, -10]\n"
      "points: {W: [0, 0, 0.2935]}\n"
      "measures: {more: 0.5 + 0.5*tanh(4*(t - 8))}\n"
      "bodies: {slide: {massless: true}, carriage: {mass: 380, com: W, inertia: [9, 9, 9]},\n"
      "  wheel: {mass: 20, com: W, inertia: [1, 1, 1]}}\n"
      "joints: {x: {type: prismatic, child: slide, at: W, axis: x, rate: 5},\n"
      "  z: {type: prismatic, parent: slide, child: carriage, at: W, axis: z, damping: 5000},\n"
      "  hub: {type: revolute, parent: carriage, child: wheel, at: W, axis: y, rate: %.17g}}\n"
      "forces: {t1: {type: tyre, on: wheel@W, axis: y, file: tyres/car-205-60r15.tir},\n"
      "  brake: {type: torsion, coordinate: hub, torque: 'if(t > 80, 500, (%g + %g*more)*(hub - "
      "%g) + (%g + %g*more)*hub.rate - %.17g)'}}\n" OUTPUTS,
      -slow_slope, 5 / Re, soft[0], stiff[0], slow_target, soft[1], stiff[1],
      slow_mass * slow_slope * Re);
  cmbt_run_open_text(r, text, CMB_FORM_EXPLICIT);
  r->rtol = 1e-7;
  r->method = "radau5";
  cmbt_run_to(r, 82, 1);
}

static void test_file_stops_and_reverses(void **state)
{
  (void)state;
  const double place = slow_place(20), force = slow_mass * slow_slope;
  cmbt_run r;
  run_slow(&r);
  printf("stands at %.5f m, expected %.5f m\n", cmbt_row(&r, 20, "X"), place);
  for (int i = 20; i <= 80; i++) cmbt_near(cmbt_row(&r, i, "X"), place, 1e-3);
  cmbt_near(cmbt_row(&r, 80, "X"), cmbt_row(&r, 20, "X"), 1e-7);
  cmbt_near(cmbt_row(&r, 80, "Fx"), force, 1e-6 * force);
  const double V = cmbt_output(&r, "V");
  assert_true(V < -2);
  cmbt_near(V, file_radius() * cmbt_output(&r, "spin"), 0.05 * fabs(V));
  cmbt_run_close(&r);
}

/* ---- without friction, and equilibrium on a level road */

/* Checks that without friction no force acts along the road, at any speed and slip, and that with little friction the force is at most that
 * of the curve times the coefficient. */
static void test_ice(void **state)
{
  (void)state;
  static const char *const methods[] = {"mdop5", "radau5", "bdf"};
  static const double frictions[] = {0, 1e-3}, spins[] = {33.9, 20};
  for (int i = 0; i < 12; i++) {
    const double friction = frictions[i % 2], spin = spins[i / 2 % 2];
    char text[3000];
    cmbt_run r;
    snprintf(text, sizeof text,
             "points: {W: [0, 0, 0.285]}\n"
             "roads: {ice: {type: flat, friction: %g}}\n"
             "bodies: {a: {massless: true}, carriage: {mass: 280, com: W, inertia: [9, 9, 9]},\n"
             "  wheel: {mass: 20, com: W, inertia: [1, 1, 1]}}\n"
             "joints: {x: {type: prismatic, child: a, at: W, axis: x, rate: 10},\n"
             "  y: {type: prismatic, parent: a, child: carriage, at: W, axis: y},\n"
             "  hub: {type: revolute, parent: carriage, child: wheel, at: W, axis: y, rate: %g}}\n"
             "forces: {t1: {type: tyre, on: wheel@W, axis: y, road: ice, radius: 0.3, stiffness: "
             "200000, " TMEASY "}}\n" OUTPUTS,
             friction, spin);
    cmbt_run_open_text(&r, text, CMB_FORM_EXPLICIT);
    r.method = methods[i / 4];
    cmbt_run_to(&r, 0.5, 0);
    if (spin == 20) cmbt_near(cmbt_output(&r, "Fx"), -2800 * friction, 2800e-6 * friction);
    cmbt_below(fabs(cmbt_output(&r, "Fx")), 3000 * friction);
    if (friction == 0) assert_true(cmbt_output(&r, "V") == 10);
    cmbt_run_close(&r);
  }
}

static void test_level_equilibrium(void **state)
{
  (void)state;
  static const cmb_formulation forms[] = {CMB_FORM_EXPLICIT, CMB_FORM_RESIDUAL, CMB_FORM_CARTESIAN};
  static const char *const tyres[] = {TMEASY, "rolling-resistance: 0.01, " TMEASY};
  for (int i = 0; i < 6; i++) {
    char text[3000];
    cmb_equilibrium_report report;
    cmbt_run r;
    snprintf(
        text, sizeof text,
        "gravity: [0, 0, -9.7]\n"
        "points: {W: [0, 0, 0.285]}\n"
        "bodies: {slide: {massless: true}, carriage: {mass: 280, com: W, inertia: [9, 9, 9]},\n"
        "  wheel: {mass: 20, com: W, inertia: [1, 1, 1]}}\n"
        "joints: {x: {type: prismatic, child: slide, at: W, axis: x},\n"
        "  z: {type: prismatic, parent: slide, child: carriage, at: W, axis: z},\n"
        "  hub: {type: revolute, parent: carriage, child: wheel, at: W, axis: y}}\n"
        "forces: {t1: {type: tyre, on: wheel@W, axis: y, radius: 0.3, stiffness: 200000, %s},\n"
        "  brake: {type: torsion, coordinate: hub, torque: 20000*hub + 300*hub.rate}}\n" OUTPUTS,
        tyres[i / 3]);
    cmbt_run_open_text(&r, text, forms[i % 3]);
    cmbt_ok(r.ctx, cmb_system_equilibrium(r.ctx, r.system, &report));
    cmbt_run_start(&r);
    cmbt_near(cmbt_output(&r, "Fz"), 300 * 9.7, 1e-9);
    cmbt_near(cmbt_output(&r, "Z"), 0.3 - 300 * 9.7 / 200000, 1e-14);
    cmbt_near(cmbt_output(&r, "Fx"), 0, 1e-9);
    cmbt_run_close(&r);
  }
}

/* Checks that a wheel without friction has no equilibrium on a slope. */
static void test_no_equilibrium_on_slope(void **state)
{
  (void)state;
  cmb_equilibrium_report report;
  cmbt_run r;
  cmbt_run_open_text(
      &r,
      "points: {W: [0, 0, 0.285]}\n"
      "roads: {hill: {type: formula, height: 0.1*x}}\n"
      "bodies: {slide: {massless: true}, wheel: {mass: 20, com: W, inertia: [1, 1, 1]}}\n"
      "joints: {x: {type: prismatic, child: slide, at: W, axis: x},\n"
      "  z: {type: prismatic, parent: slide, child: wheel, at: W, axis: z}}\n"
      "forces: {t1: {type: tyre, on: wheel@W, axis: y, road: hill, radius: 0.3, stiffness: 2e5}}\n",
      CMB_FORM_EXPLICIT);
  assert_int_equal(cmb_system_equilibrium(r.ctx, r.system, &report), CMB_ERROR_EQUATIONS);
  assert_non_null(strstr(cmb_last_error(r.ctx), "no static equilibrium at t = 0"));
  cmbt_run_close(&r);
}

/* ---- mirrored instances */

static void test_mirrored_instances(void **state)
{
  (void)state;
  cmbt_run r;
  cmbt_run_open_text(&r,
                     "templates:\n"
                     "  side:\n"
                     "    points: {W: [0, 0.7, 0.285]}\n"
                     "    bodies: {wheel: {mass: 20, com: W, inertia: [1, 1, 1]}}\n"
                     "    joints: {hub: {type: revolute, parent: car, child: wheel, at: W, axis: "
                     "[0.02, 1, 0.03], rate: "
                     "34}}\n"
                     "    forces: {tyre: {type: tyre, on: wheel@W, axis: [0.02, 1, 0.03], radius: "
                     "0.3, stiffness: 200000, "
                     "" TMEASY "}}\n"
                     "bodies: {car: {mass: 600, com: [0, 0, 0.3], inertia: [9, 9, 9]}}\n"
                     "joints: {x: {type: prismatic, child: car, axis: x, rate: 10}}\n"
                     "instances: {left: {template: side}, right: {template: side, mirror: y}}\n"
                     "outputs: {Lx: left.tyre.fx, Ly: left.tyre.fy, Lm: left.tyre.Mz, Lg: "
                     "left.tyre.gamma, Rx: right.tyre.fx, "
                     "Ry: right.tyre.fy, Rm: right.tyre.Mz, Rg: right.tyre.gamma}\n",
                     CMB_FORM_EXPLICIT);
  cmbt_run_to(&r, 0.2, 0);
  assert_true(fabs(cmbt_output(&r, "Ly")) > 100 && fabs(cmbt_output(&r, "Lm")) > 1);
  cmbt_near(cmbt_output(&r, "Lx"), cmbt_output(&r, "Rx"), 1e-9 * 3000);
  cmbt_near(cmbt_output(&r, "Ly"), -cmbt_output(&r, "Ry"), 1e-9 * 3000);
  cmbt_near(cmbt_output(&r, "Lm"), -cmbt_output(&r, "Rm"), 1e-9 * 3000);
  cmbt_near(cmbt_output(&r, "Lg"), -cmbt_output(&r, "Rg"), 1e-12);
  cmbt_run_close(&r);
}

/* ---- roads evaluated for a radius, files, refused models */

/* Checks the force on a disc 0.1 m beside the axis of a half-cylinder of 0.05 m: it acts along the line from axis to centre. */
static void test_half_cylinder(void **state)
{
  (void)state;
  const double exact = 20000 * (0.35 - hypot(0.1, 0.33));
  cmbt_run r;
  cmbt_run_open_text(&r,
                     "points: {W: [0.1, 0, 0.33]}\n"
                     "roads: {bar: {type: half-cylinder, radius: 0.05}}\n"
                     "bodies: {wheel: {mass: 20, com: W, inertia: [1, 2, 1]}}\n"
                     "joints: {fall: {type: prismatic, child: wheel, at: W, axis: z}}\n"
                     "forces: {t1: {type: tyre, on: wheel@W, axis: y, road: bar, radius: 0.3, "
                     "stiffness: 20000}}\n"
                     "outputs: {Fz: t1.Fz, fx: t1.fx, fz: t1.fz}\n",
                     CMB_FORM_EXPLICIT);
  cmbt_run_start(&r);
  cmbt_near(cmbt_output(&r, "Fz"), exact, 1e-11 * exact);
  cmbt_near(cmbt_output(&r, "fx") / cmbt_output(&r, "fz"), 0.1 / 0.33, 1e-12);
  cmbt_run_close(&r);
}

/* Checks the Magic Formula of a file: the vertical force near the nominal load (2.5 % for spin and nonlinearity), slip angle and lateral
 * force. */
static void test_file(void **state)
{
  (void)state;
  cmbt_run r[2];
  for (int i = 0; i < 2; i++) {
    cmbt_run_open_text(
        &r[i],
        "points: {W: [0, 0, 0.2935]}\n"
        "bodies: {carriage: {mass: 390, com: W, inertia: [9, 9, 9]}, wheel: {mass: 10, com: W, "
        "inertia: [1, 1, 1]}}\n"
        "joints: {x: {type: prismatic, child: carriage, at: W, axis: x, rate: 10},\n"
        "  hub: {type: revolute, parent: carriage, child: wheel, at: W, axis: [0.05, 1, 0], rate: "
        "32.5}}\n"
        "forces: {t1: {type: tyre, on: wheel@W, axis: [0.05, 1, 0], file: "
        "tyres/car-205-60r15.tir}}\n" OUTPUTS,
        i == 0 ? CMB_FORM_EXPLICIT : CMB_FORM_CARTESIAN);
    r[i].rtol = 1e-8;
    cmbt_run_to(&r[i], 1, 0);
  }
  cmbt_near(cmbt_output(&r[0], "Fz"), 4000, 100);
  /* check value at 1 degree: -824.7; 0.05 is 2.86 degrees */
  const double Fy = cmbt_output(&r[0], "Fy");
  assert_true(Fy < -1900 && Fy > -2400);
  cmbt_near(cmbt_output(&r[1], "Fy"), Fy, 1e-6 * 4000);
  cmbt_near(tan(cmbt_output(&r[0], "alpha")), 0.05, 1e-5);
  cmbt_run_close(&r[0]);
  cmbt_run_close(&r[1]);
}

/* Checks the parameter sets in files: a locked wheel under the nominal load reaches the peak force, and then the sliding force of the set. */
static void test_sets(void **state)
{
  (void)state;
  static const struct {
    const char *name;
    double radius, load, stiffness, peak, sliding;
  } sets[] = {{"passenger", 0.3, 3000, 200000, 3000, 2800},
              {"hmmwv", 0.4699, 8562.8266, 411121, 7575.3614, 4657.9208}};
  for (int i = 0; i < 2; i++) {
    char text[2000];
    cmbt_run r;
    double t[2], most = 0;
    snprintf(text, sizeof text,
             "points: {W: [0, 0, %.17g]}\n"
             "bodies: {wheel: {mass: %.17g, com: W, inertia: [1, 1, 1]}}\n"
             "joints: {hub: {type: prismatic, child: wheel, at: W, axis: x, rate: 20}}\n"
             "forces: {t1: {type: tyre, on: wheel@W, axis: y, file: tyres/%s.yaml}}\n"
             "outputs: {Fx: t1.Fx, Fz: t1.Fz}\n",
             sets[i].radius - sets[i].load / sets[i].stiffness, sets[i].load / G, sets[i].name);
    cmbt_run_open_text(&r, text, CMB_FORM_EXPLICIT);
    r.rtol = 1e-7;
    cmbt_run_to(&r, 0.5, 1e-4);
    for (int k = 0; k < r.row_count; k++) most = fmax(most, -cmbt_row(&r, k, "Fx"));
    cmbt_near(cmbt_output(&r, "Fz"), sets[i].load, 1e-9 * sets[i].load);
    cmbt_near(most, sets[i].peak, 1e-3 * sets[i].peak);
    cmbt_near(-cmbt_output(&r, "Fx"), sets[i].sliding, 1e-6 * sets[i].sliding);
    assert_int_equal(cmbt_switch_times(&r, "t1.peak", 1, 2, t), 1);
    assert_int_equal(cmbt_switch_times(&r, "t1.sliding", 1, 2, t), 1);
    cmbt_run_close(&r);
  }
}

/* Checks that a wheel on its side, which has no contact point, ends the run with an error. */
static void test_axis_along_the_normal(void **state)
{
  (void)state;
  cmbt_run r;
  cmb_simulation *sim;
  cmbt_run_open_text(
      &r,
      "points: {W: [0, 0, 0.2]}\n"
      "bodies: {wheel: {mass: 20, com: W, inertia: [1, 1, 1]}}\n"
      "joints: {z: {type: prismatic, child: wheel, axis: z}}\n"
      "forces: {t1: {type: tyre, on: wheel@W, axis: z, radius: 0.3, stiffness: 1e5}}\n",
      CMB_FORM_EXPLICIT);
  cmb_run_options o = cmb_run_defaults();
  o.method = cmb_method_find("mdop5");
  o.t_end = 1;
  cmbt_ok(r.ctx, cmb_simulation_create(r.ctx, r.system, &o, &sim));
  assert_int_equal(cmb_simulation_run(sim), CMB_ERROR_NONFINITE);
  assert_string_equal(cmb_last_error(r.ctx),
                      "switching function 't1.contact' at t = 0: the equations gave a value that "
                      "is not finite");
  cmb_simulation_destroy(sim);
  cmbt_run_close(&r);
}

static void test_refused(void **state)
{
  (void)state;
#define WHEEL(keys)                                                                                \
  "points: {W: [0, 0, 0.3]}\nbodies: {wheel: {mass: 20, com: W, inertia: [1, 1, 1]}}\n"            \
  "joints: {z: {type: prismatic, child: wheel, axis: z}}\nforces: {t1: {type: tyre, " keys "}}\n"
  static const struct {
    const char *text, *place, *words;
  } cases[] = {
      {WHEEL("on: wheel@W, axis: y"), "test.yaml:4:14", "the key 'radius' is missing"},
      {WHEEL("on: ground@W, axis: y, radius: 1, stiffness: 1"), "test.yaml:4:31",
       "expected a point on a body"},
      {WHEEL("on: wheel@W, axis: y, road: hill, radius: 1, stiffness: 1"), "test.yaml:4:55",
       "unknown road 'hill'"},
      {WHEEL("on: wheel@W, axis: y, low-speed: 2, radius: 1, stiffness: 1"), "test.yaml:4:60",
       "beside it"},
      {WHEEL("on: wheel@W, axis: y, radius: 1, stiffness: 1, low-speed: 0, " TMEASY),
       "test.yaml:4:85", "'low-speed' is 0; expected a number greater than 0"},
      {WHEEL("on: wheel@W, axis: y, file: x.yaml, radius: 1"), "test.yaml:4:71",
       "'radius' is given beside 'file', although the file contains it"},
      {WHEEL("on: wheel@W, axis: y, file: x.yaml"), "test.yaml:4:55", "'x.yaml' cannot be read"},
      {WHEEL("on: wheel@W, axis: y, file: x.tir, " TMEASY), "test.yaml:4:70",
       "force 't1': 'file' and 'tmeasy' are both given; expected one of them"},
  };
  cmb_context *ctx = cmb_context_create(NULL);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    cmbt_model_refused(ctx, cases[i].text, cases[i].place, cases[i].words);
  cmb_context_destroy(ctx);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_slope_is_inclined_gravity),
      cmocka_unit_test(test_spring_conserves_energy),
      cmocka_unit_test(test_landing_is_an_event),
      cmocka_unit_test(test_deep),
      cmocka_unit_test(test_proved_bounces),
      cmocka_unit_test(test_deep_at_the_start),
      cmocka_unit_test(test_limits_have_names),
      cmocka_unit_test(test_lateral_force_lags),
      cmocka_unit_test(test_locked_wheel_stops),
      cmocka_unit_test(test_rates_are_read_in_any_order),
      cmocka_unit_test(test_rolling_resistance),
      cmocka_unit_test(test_stands_and_reverses),
      cmocka_unit_test(test_file_stops_and_reverses),
      cmocka_unit_test(test_ice),
      cmocka_unit_test(test_level_equilibrium),
      cmocka_unit_test(test_no_equilibrium_on_slope),
      cmocka_unit_test(test_mirrored_instances),
      cmocka_unit_test(test_half_cylinder),
      cmocka_unit_test(test_file),
      cmocka_unit_test(test_sets),
      cmocka_unit_test(test_axis_along_the_normal),
      cmocka_unit_test(test_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
