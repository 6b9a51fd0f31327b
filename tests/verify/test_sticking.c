/*
 * Friction of joints and contacts with the law `stick`, compared with solutions in closed form, piece by piece:
 *
 *   - a block on a belt (models/stick-slip.yaml): period and amplitude of its cycle, all methods in all formulations;
 *   - a block that stops, sticks for 100 s and slips when the load exceeds the static limit;
 *   - two light blocks, one on the other, moved late by a short push, when times have a low resolution, that do not creep afterwards;
 *   - two blocks of which one is released when the friction of the other drops from its static to its kinetic value;
 *   - two wheels with brakes and a limited-slip differential;
 *   - a ball that slides on a contact until it rolls;
 *   - a clock: a balance wheel with dry friction whose speed is restored at each passage, 1,000 ticks;
 *   - friction with a factor that changes its sign;
 *   - equilibria with sticking friction, and refused models, among them friction with a driving sign.
 */
#include "check.h"
#include "methods.h"
#include "model_case.h"
#include "model_run.h"

#include <stdio.h>
#include <string.h>

static void choose_method(cmbt_run *r, int method)
{
  const cmb_method *m = cmb_method_at(method);
  r->method = cmb_method_name(m);
  r->rtol = cmbt_is(m, "trap") ? 1e-5 : cmbt_is_precise(m) ? 1e-10 : 1e-8;
}

static double tolerance_of(const cmbt_run *r)
{
  return r->rtol < 1e-9 ? 1e-8 : r->rtol < 1e-6 ? 1e-6 : 1e-4;
}

/* ---- block on a belt */

/* Checks times and amplitude of the cycle. The block sticks while its spring pulls with less than Fs, from k x = 2 F − Fs on; then
 * x − F/k = d cos ws + (u/w) sin ws with d = (Fs − F)/k until x' = u again, where x − F/k = −d. */
static void check_belt(int method, cmb_formulation formulation)
{
  enum { CYCLES = 3, MOST = 20 };
  const double m = 1, k = 100, u = 0.1, F = 5, Fs = 8, pi = acos(-1);
  const double w = sqrt(k / m), d = (Fs - F) / k, amplitude = hypot(d, u / w);
  const double period = 2 * d / u + 2 / w * (pi - atan(d * w / u)), first = Fs / k / u;
  const double lowest = first + CYCLES * period + (atan2(u / w, d) + pi) / w;
  double released[MOST], sticks[MOST];
  cmbt_run r;
  cmbt_run_open(&r, "stick-slip", formulation, 0, NULL);
  choose_method(&r, method);
  cmbt_run_to(&r, lowest, 0);
  assert_int_equal(cmbt_switch_times(&r, "slip.friction", -1, MOST, released), CYCLES + 1);
  assert_int_equal(cmbt_switch_times(&r, "slip.friction", 1, MOST, sticks), CYCLES);
  for (int n = 0; n <= CYCLES; n++) {
    cmbt_near(released[n], first + n * period, tolerance_of(&r));
    if (n < CYCLES) cmbt_near(sticks[n], first + (n + 1) * period - 2 * d / u, tolerance_of(&r));
  }
  cmbt_near(cmbt_output(&r, "x"), F / k - amplitude, tolerance_of(&r));
  cmbt_near(cmbt_output(&r, "friction"), F, 1e-9);
  cmbt_run_close(&r);
}

static void test_belt(void **state)
{
  (void)state;
  for (int i = 0, n = 0; (i = cmbt_next_method(i)) < cmb_method_count(); i++) {
    for (int k = 0; k < 3; k++, n++) {
      const bool slow = cmbt_is(cmb_method_at(i), "trap") && k > 0;
      if (!slow && cmbt_is_sampled(n)) check_belt(i, cmbt_formulation(k));
    }
  }
}

/* ---- sticking for 100 s */

static const char PULLED[] =
    "gravity: [0, 0, 0]\n"
    "bodies: {block: {mass: 2, box: [0.2, 0.1, 0.1], at: [0, 0, 0]}}\n"
    "joints:\n"
    "  x: {type: prismatic, child: block, axis: x, rate: 0.5,\n"
    "      friction: {force: 4, law: stick, static: 6}}\n"
    "forces: {pull: {type: load, on: {body: block, at: [0, 0, 0]}, force: [0.06*t, 0, 0]}}\n"
    "outputs: {place: x}\n";

/* Compares with 2 x'' = −4 + 0.06 t until x' = 0, rest until 0.06 t = 6, and 2 x'' = 2 + 0.06 s from there on. */
static void check_long_sticking(int method, cmb_formulation formulation)
{
  enum { MOST = 4 };
  const double stop = (2 - sqrt(4 - 0.03)) / 0.03;
  const double place = 0.5 * stop - stop * stop + 0.005 * pow(stop, 3);
  double events[MOST];
  cmbt_run r;
  cmbt_run_open_text(&r, PULLED, formulation);
  choose_method(&r, method);
  cmbt_run_to(&r, 101, 0.5);
  assert_int_equal(cmbt_switch_times(&r, "x.friction", 0, MOST, events), 2);
  cmbt_near(events[0], stop, tolerance_of(&r));
  cmbt_near(events[1], 100, 1e-9);
  cmbt_near(cmbt_output(&r, "place"), place + 0.505, 10 * tolerance_of(&r));
  int first = 0, last = 0;
  for (int i = 0; i < r.row_count; i++) {
    const double t = cmbt_row(&r, i, "t");
    if (t >= 0.5 && first == 0) first = i;
    if (t <= 100) last = i;
  }
  cmbt_near(cmbt_row(&r, first, "place"), place, tolerance_of(&r));
  for (int i = first; i <= last; i++) {
    cmbt_near(cmbt_row(&r, i, "place"), cmbt_row(&r, first, "place"), 1e-9);
  }
  cmbt_run_close(&r);
}

static void test_long_sticking(void **state)
{
  (void)state;
  for (int i = 0, n = 0; (i = cmbt_next_method(i)) < cmb_method_count(); i++) {
    for (int k = 0; k < 3; k++, n++) {
      if (cmbt_is_sampled(n)) check_long_sticking(i, cmbt_formulation(k));
    }
  }
}

/* ---- sticking for a day */

/* Two blocks of m = 1/1024 kg, one on the other, are pushed by P for 2 ms at 10,000 s. Within the resolution of times there velocities
 * change by 1e-7 m/s, which would move a block by a centimetre in a day. In Cartesian coordinates accelerations of sticking bodies also
 * have rounding errors of 1e5 m/s², which would cause centimetres on their own. */
static const char PUSHED[] =
    "gravity: [0, 0, 0]\n"
    "bodies: {b: {mass: 1/1024, com: [0, 0, 0]}, c: {mass: 1/1024, com: [0, 0, 0]}}\n"
    "joints:\n"
    "  x: {type: prismatic, child: b, axis: x, friction: {force: 128, law: stick, static: 256}}\n"
    "  y: {type: prismatic, parent: b, child: c, axis: x, friction: {force: 80, law: stick}}\n"
    "inputs: {p: \"if(abs(t - 10000.5) < 1e-3, 384, 0)\"}\n"
    "forces: {f: {type: torsion, coordinate: x, torque: -p}}\n"
    "outputs: {x: x, y: y}\n";

/* Returns the displacement caused by the push. The lower block is accelerated by P − F1 − F2, then decelerated by F1 + F2 until the upper
 * one, which F2 accelerates all the time, has the same speed, and then both by F1. */
static double displacement_by_push(void)
{
  const double m = 1.0 / 1024, P = 384, F1 = 128, F2 = 80, push = 2e-3;
  const double fast = (P - F1 - F2) / m * push, slow = F2 / m * push;
  const double catch = (fast - slow) * m / (F1 + 2 * F2), both = slow + F2 / m * catch;
  return fast * push / 2 + (fast + both) / 2 * catch + both * both * m / F1;
}

static void check_creep(int method, cmb_formulation formulation)
{
  cmbt_run r;
  cmbt_run_open_text(&r, PUSHED, formulation);
  choose_method(&r, method);
  cmbt_run_to(&r, 1e5, 2e4);
  cmbt_near(cmbt_output(&r, "x"), displacement_by_push(), 1e-6);
  for (int i = 0; i < r.row_count; i++) {
    if (cmbt_row(&r, i, "t") < 2e4) continue;
    cmbt_near(cmbt_row(&r, i, "x"), cmbt_output(&r, "x"), 1e-12);
    cmbt_near(cmbt_row(&r, i, "y"), cmbt_output(&r, "y"), 1e-12);
  }
  for (int i = 0; i < r.eq->nv; i++) cmbt_near(r.result->v[i], 0, 1e-15);
  cmbt_run_close(&r);
}

static void test_creep(void **state)
{
  (void)state;
  for (int i = 0; (i = cmbt_next_but_trap(i)) < cmb_method_count(); i++) {
    for (int k = 0; k < 2; k++) check_creep(i, cmbt_formulation(k));
  }
}

/* ---- two blocks */

/* Compares the final positions with x1 and x2. Block 1 is on the ground with friction of 10 N (static) and 2 N, block 2 on block 1 with
 * `grip` and 1 N; a force of t N acts on block 1. At t = 10 block 1 is released, and both would be accelerated by 4 m/s², for which block 2
 * needs 4 N. */
static void check_two(double grip, double x1, double x2, double end)
{
  for (int i = 0; (i = cmbt_next_but_trap(i)) < cmb_method_count(); i++) {
    char text[1000];
    cmbt_run r;
    snprintf(text, sizeof text,
             "gravity: [0, 0, 0]\n"
             "bodies: {b1: {mass: 1, com: [0, 0, 0]}, b2: {mass: 1, com: [0, 0, 1]}}\n"
             "joints:\n"
             "  x1: {type: prismatic, child: b1, axis: x, friction: {force: 2, law: stick, static: "
             "10}}\n"
             "  x2: {type: prismatic, parent: b1, child: b2, axis: x,\n"
             "       friction: {force: 1, law: stick, static: %g}}\n"
             "forces: {pull: {type: load, on: {body: b1, at: [0, 0, 0]}, force: [t, 0, 0]}}\n"
             "outputs: {p1: b1.x, p2: b2.x}\n",
             grip);
    cmbt_run_open_text(&r, text, cmbt_formulation(i % 3));
    choose_method(&r, i);
    cmbt_run_to(&r, end, 0);
    cmbt_near(cmbt_output(&r, "p1"), x1, 10 * tolerance_of(&r));
    cmbt_near(cmbt_output(&r, "p2"), x2, 10 * tolerance_of(&r));
    cmbt_run_close(&r);
  }
}

/* Tests two static limits of block 2. With 3 N it slips at once: x1'' = 7 + s, x2'' = 1. With 5 N both move as one, x'' = 4 + s/2. */
static void test_two_blocks(void **state)
{
  (void)state;
  check_two(3, 3.5 + 1.0 / 6, 0.5, 11);
  check_two(5, 2 + 1.0 / 12, 2 + 1.0 / 12, 11);
}

/* Checks which friction is released when two blocks stop. Block 2 (0.5 kg, friction 5 and 1 N) on block 1 (1.5 kg, on the ground 4 and 1 N)
 * is pulled back with 6 N; both move with 1 m/s, decelerated by 3.5 m/s², for which block 2 needs 4.25 N. When they stop, sticking would
 * need 6 N in both places. As the forces change towards this, block 2 reaches its 5 N when the ground has 2 N, slips from there on with 10
 * m/s², and block 1 sticks. (Both moving back with 2.5 m/s² is a second solution.) */
static void test_through_zero(void **state)
{
  (void)state;
  const double turns = 1 / 3.5, x1 = turns / 2, x2 = x1 - 5 * (1 - turns) * (1 - turns);
  for (int i = 0; (i = cmbt_next_but_trap(i)) < cmb_method_count(); i++) {
    cmbt_run r;
    cmbt_run_open_text(
        &r,
        "gravity: [0, 0, 0]\n"
        "bodies: {b1: {mass: 1.5, com: [0, 0, 0]}, b2: {mass: 0.5, com: [0, 0, 1]}}\n"
        "joints:\n"
        "  x1: {type: prismatic, child: b1, axis: x, rate: 1,\n"
        "       friction: {force: 1, law: stick, static: 4}}\n"
        "  x2: {type: prismatic, parent: b1, child: b2, axis: x,\n"
        "       friction: {force: 1, law: stick, static: 5}}\n"
        "forces: {pull: {type: load, on: {body: b2, at: [0, 0, 1]}, force: [-6, 0, 0]}}\n"
        "outputs: {p1: b1.x, p2: b2.x}\n",
        cmbt_formulation(i % 3));
    choose_method(&r, i);
    cmbt_run_to(&r, 1, 0);
    cmbt_near(cmbt_output(&r, "p1"), x1, 10 * tolerance_of(&r));
    cmbt_near(cmbt_output(&r, "p2"), x2, 10 * tolerance_of(&r));
    cmbt_run_close(&r);
  }
}

/* ---- two wheels with brakes and a limited-slip differential */

static const char AXLE[] =
    "gravity: [0, 0, 0]\n"
    "bodies:\n"
    "  one: {mass: 20, com: [0, 0.7, 0], inertia: [0.6, 1, 0.6]}\n"
    "  two: {mass: 20, com: [0, -0.7, 0], inertia: [0.6, 1, 0.6]}\n"
    "joints:\n"
    "  left: {type: revolute, child: one, at: [0, 0.7, 0], axis: y, rate: 20}\n"
    "  right: {type: revolute, child: two, at: [0, -0.7, 0], axis: y, rate: 20}\n"
    "inputs: {load: \"%g*max(t - 1, 0)\"}\n"
    "measures: {lock: \"stick(left' - right', 50, 50)\", brake_one: \"stick(left', 150, %g)\",\n"
    "           brake_two: \"stick(right', 150, 150)\"}\n"
    "forces:\n"
    "  l: {type: torsion, coordinate: left, torque: lock + brake_one - load}\n"
    "  r: {type: torsion, coordinate: right, torque: brake_two - lock}\n"
    "outputs: {left_angle: left, right_angle: right, left_speed: \"left'\"}\n";

/* Checks the wheels after both have stopped at 20/150 s. Three frictions hold two wheels: the distribution of their forces is
 * indeterminate. With equal static and kinetic limits the left wheel sticks as long as its brake and the differential can hold it, up to
 * 200 N m at t = 3, in either direction. Then ω' = 100 s, and the right wheel stays at rest. */
static void check_axle(int method, cmb_formulation formulation, int side)
{
  const double way = 20.0 * 20 / 150 / 2;
  char text[1500];
  cmbt_run r;
  snprintf(text, sizeof text, AXLE, 100.0 * side, 150.0);
  cmbt_run_open_text(&r, text, formulation);
  choose_method(&r, method);
  cmbt_run_to(&r, 4, 0);
  cmbt_near(cmbt_output(&r, "left_angle"), way + side * 50.0 / 3, 10 * tolerance_of(&r));
  cmbt_near(cmbt_output(&r, "right_angle"), way, 10 * tolerance_of(&r));
  cmbt_near(cmbt_output(&r, "left_speed"), side * 50, 100 * tolerance_of(&r));
  cmbt_run_close(&r);
}

static void test_axle(void **state)
{
  (void)state;
  for (int i = 0, n = 0; (i = cmbt_next_method(i)) < cmb_method_count(); i++) {
    for (int k = 0; k < 3; k++, n++) {
      if (cmbt_is_sampled(n)) check_axle(i, cmbt_formulation(k), n % 2 == 0 ? 1 : -1);
    }
  }
}

/* Checks that a larger static limit of one brake is refused: the left wheel would be held up to 210 N m, or less if the torque of the
 * differential has the other sign. */
static void test_axle_with_grip(void **state)
{
  char text[1500];
  cmb_run_options options = cmb_run_defaults();
  cmbt_run r;
  (void)state;
  options.t_end = 4;
  snprintf(text, sizeof text, AXLE, 100.0, 160.0);
  cmbt_run_open_text(&r, text, CMB_FORM_EXPLICIT);
  cmbt_ok(r.ctx, cmb_simulation_create(r.ctx, r.system, &options, &r.sim));
  assert_int_equal(cmb_simulation_run(r.sim), CMB_ERROR_EVENTS);
  assert_non_null(strstr(cmb_last_error(r.ctx),
                         "'measure brake_one, line 9' can exert a larger force "
                         "while it sticks than while it slips"));
  cmbt_run_close(&r);
}

/* ---- contacts */

/* Checks a ball that slides with v0: μ g decelerates and rotates it until it rolls with 5/7 v0, from t = 2 v0/(7 μ g) on. */
static void test_ball(void **state)
{
  (void)state;
  const double mu = 0.2, g = 10, v0 = 2, rolls = 2 * v0 / (7 * mu * g), end = 1;
  const double x = v0 * rolls - mu * g * rolls * rolls / 2 + 5.0 / 7 * v0 * (end - rolls);
  for (int k = 0; k < 3; k++) {
    double t[2];
    cmbt_run r;
    cmbt_run_open_text(
        &r,
        "gravity: [0, 0, -10]\n"
        "points: {C: [0, 0, 0.1]}\n"
        "bodies: {ball: {mass: 1, sphere: C, radius: 0.1}}\n"
        "joints: {j: {type: planar, child: ball, at: C, normal: y, coordinates: [x, z, turn],\n"
        "             rate: [2, 0, 0], start: [0, 1e-4, 0]}}\n"
        "forces:\n"
        "  road: {type: contact, on: ball@C, radius: 0.1, surface: z, stiffness: 1e5,\n"
        "         friction: {coefficient: 0.2, law: stick, static: 0.3, direction: x}}\n"
        "outputs: {place: ball.x, fx: road.fx}\n",
        cmbt_formulation(k));
    cmbt_run_to(&r, end, 0);
    assert_int_equal(cmbt_switch_times(&r, "road.friction", -1, 2, t), 1);
    cmbt_near(t[0], rolls, 1e-8);
    cmbt_near(cmbt_output(&r, "place"), x, 1e-8);
    cmbt_near(cmbt_output(&r, "fx"), 0, 1e-6);
    cmbt_run_close(&r);
  }
}

/* ---- a clock */

/* Checks the ticks of a balance wheel whose speed V is restored at each passage: it oscillates about −d up to its reversal, and about d =
 * F/k on the way back. */
static void test_clock(void **state)
{
  (void)state;
  enum { TICKS = 1000 };
  const double J = 0.01, k = 0.25, F = 0.02, V = 10, w = sqrt(k / J), d = F / k;
  const double up = atan2(V / w, d) / w, turn = hypot(d, V / w) - d;
  const double tick = up + acos(-d / (turn - d)) / w;
  static double t[TICKS + 10];
  cmbt_run r;
  cmbt_run_open_text(&r,
                     "gravity: [0, 0, 0]\n"
                     "bodies: {wheel: {mass: 1, com: [0, 0, 0], inertia: [0.01, 0.01, 0.01]}}\n"
                     "joints: {a: {type: revolute, child: wheel, at: [0, 0, 0], axis: y,\n"
                     "             stiffness: 0.25, rate: 10, start: 1e-9,\n"
                     "             friction: {force: 0.02, law: stick, static: 0.03}}}\n"
                     "events:\n"
                     "  tick: {when: a > 0, direction: rising, action: {reset: {a': 10}}}\n"
                     "  tock: {when: a < 0, direction: rising, action: {reset: {a': -10}}}\n"
                     "outputs: {angle: a}\n",
                     CMB_FORM_EXPLICIT);
  r.rtol = 1e-9;
  cmbt_run_to(&r, (TICKS + 0.5) * tick, 0);
  const int tocks = cmbt_times(&r, "tock", 1, TICKS, t);
  assert_int_equal(tocks + cmbt_times(&r, "tick", 1, TICKS, t + tocks), TICKS);
  cmbt_near(t[tocks - 1], (TICKS - 1) * tick, 1e-6);
  cmbt_near(t[TICKS - 1], TICKS * tick, 1e-6);
  cmbt_run_close(&r);
}

/* ---- a negative limit of friction */

/* Checks that friction with a negative limit does not drive: with 2 − 4 t N, static 1.5 times that, only the first half second decelerates the
 * block of 1 kg, from 2 m/s to 1.5. */
static void test_negative_force(void **state)
{
  (void)state;
  for (int i = 0; (i = cmbt_next_method(i)) < cmb_method_count(); i++) {
    cmbt_run r;
    cmbt_run_open_text(
        &r,
        "gravity: [0, 0, 0]\n"
        "bodies: {block: {mass: 1, com: [0, 0, 0]}}\n"
        "joints: {x: {type: prismatic, child: block, axis: x, rate: 2}}\n"
        "inputs: {grip: 2 - 4*t}\n"
        "forces: {f: {type: torsion, coordinate: x, torque: \"stick(x', grip, 1.5*grip)\"}}\n"
        "outputs: {speed: \"x'\"}\n",
        cmbt_formulation(i % 3));
    choose_method(&r, i);
    cmbt_run_to(&r, 3, 0);
    cmbt_near(cmbt_output(&r, "speed"), 1.5, 10 * tolerance_of(&r));
    cmbt_run_close(&r);
  }
}

/* ---- a factor of friction that changes its sign */

/* A block of 1 kg with 2 m/s under a constant force of 1.5 N, and a pull of friction. */
#define DRIVEN                                                                                     \
  "parameters: {k: 1}\n"                                                                           \
  "gravity: [0, 0, 0]\n"                                                                           \
  "bodies: {block: {mass: 1, com: [0, 0, 0]}}\n"                                                   \
  "joints: {x: {type: prismatic, child: block, axis: [1, 2, 2], rate: 2}}\n"                       \
  "tables: {dip: {points: [[0, 1], [0.5, 1], [0.5001, -1], [0.5002, 1], [3, 1]], kind: linear},\n" \
  "         off: {points: [[0, 1], [0.3, 0], [0.7, 0], [3, 1]], kind: linear}}\n"                  \
  "inputs: {u: 1 - 2*t, short: dip(t), zero: off(t), square: (t - 0.5)^2}\n"                       \
  "forces:\n"                                                                                      \
  "  f: {type: torsion, coordinate: x, torque: \"%s\"}\n"                                          \
  "  g: {type: torsion, coordinate: x, torque: -1.5}\n"                                            \
  "outputs: {speed: x'}\n"

/* Runs the block with the given method. Where its friction drives from the time `from` on, the run must end with an error there; INFINITY: the
 * friction never drives. */
static void run_driven(int method, const char *force, double from)
{
  static const char words[] =
      "is friction that accelerates the motion which it should oppose; expected a force against it";
  char text[2000];
  cmbt_run r;
  snprintf(text, sizeof text, DRIVEN, force);
  cmbt_run_open_text(&r, text, cmbt_formulation(method % 3));
  choose_method(&r, method);
  cmb_run_options options = cmb_run_defaults();
  options.method = cmb_method_find(r.method);
  options.integrator.rtol = r.rtol;
  options.t_end = 1;
  cmbt_ok(r.ctx, cmb_simulation_create(r.ctx, r.system, &options, &r.sim));
  const cmb_status status = cmb_simulation_run(r.sim);
  if (status != (isfinite(from) ? CMB_ERROR_EQUATIONS : CMB_OK)) {
    fail_msg("%s: %s: %s", r.method, force, status ? cmb_last_error(r.ctx) : "runs");
  }
  if (isfinite(from)) {
    if (!strstr(cmb_last_error(r.ctx), words)) fail_msg("%s", cmb_last_error(r.ctx));
    cmbt_near(cmb_simulation_result(r.sim)->t, from, tolerance_of(&r));
  }
  cmbt_run_close(&r);
}

/* Checks that a run ends with an error where a factor makes friction drive, at the start or later, also in a tenth of a millisecond; and that
 * factors which only touch 0, or are negative where friction has no force, are accepted. */
static void test_changing_sign(void **state)
{
  (void)state;
  static const struct {
    const char *force;
    double from;
  } cases[] = {
      {"u*stick(x', 1, 1.2)", 0.5},
      {"-u*stick(x', 1, 1)", 0},
      {"short*stick(x', 1, 1)", 0.50005},
      {"cos(3*t)*stick(x', 1, 1) + stick(x', 0.1, 0.2)", 1.5707963267948966 / 3},
      {"k*(0.8 - t)*stick(x', 1, 1)", 0.8},
      {"zero*stick(x', 1, 1)", INFINITY},
      {"square*stick(x', 1, 1)", INFINITY},
      {"u*stick(x', u, 1.2*u)", INFINITY},
      {"(1 + 0.5*sin(t))*stick(x', 1, 1.2)", INFINITY},
      {"(0.1 + 0.9*exp(-abs(x')))*stick(x', 1, 1)", INFINITY},
  };
  for (int i = 0; (i = cmbt_next_method(i)) < cmb_method_count(); i++) {
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
      run_driven(i, cases[k].force, cases[k].from);
    }
  }
}

/* ---- equilibria, and refused models */

static const char SLOPE[] =
    "parameters: {grip: %g}\n"
    "gravity: [0, 0, -10]\n"
    "points: {W: [0, 0, 2]}\n"
    "bodies: {a: {mass: 1, com: [0, 0, 0]}, b: {mass: 2, com: [0, 0, 1]}}\n"
    "joints:\n"
    "  x: {type: prismatic, child: a, axis: [3, 0, -4], start: 0.2,\n"
    "      friction: {force: 1, law: stick, static: grip}}\n"
    "  z: {type: prismatic, child: b, axis: z, stiffness: 100, start: 0.4}\n"
    "outputs: {place: x, height: z}\n";

/* Checks that block a sticks if its static limit exceeds the 8 N of gravity along its slope, and that there is no equilibrium otherwise;
 * block b hangs 0.2 m below its unstressed position. */
static void test_equilibrium(void **state)
{
  (void)state;
  for (int k = 0; k < 3; k++) {
    char text[1000];
    cmb_equilibrium_report report;
    cmbt_run r;
    snprintf(text, sizeof text, SLOPE, 8.1);
    cmbt_run_open_text(&r, text, cmbt_formulation(k));
    cmbt_ok(r.ctx, cmb_system_equilibrium(r.ctx, r.system, &report));
    assert_int_equal(report.held, 1);
    assert_int_equal(report.freedoms, 1);
    assert_int_equal(report.stability, CMB_STABLE);
    cmbt_below(report.force, 1e-9);
    cmbt_run_to(&r, 2, 0);
    cmbt_near(cmbt_output(&r, "place"), 0.2, 1e-12);
    cmbt_near(cmbt_output(&r, "height"), -0.2, 1e-9);
    cmbt_run_close(&r);
    snprintf(text, sizeof text, SLOPE, 7.9);
    cmbt_run_open_text(&r, text, cmbt_formulation(k));
    assert_int_equal(cmb_system_equilibrium(r.ctx, r.system, &report), CMB_ERROR_EQUATIONS);
    assert_non_null(strstr(cmb_last_error(r.ctx), "'x.friction' sticks at the start, and "
                                                  "would have to exert 1.013 times"));
    cmbt_run_close(&r);
  }
}

/* Checks block b on block a on a slope: each kilogram is pulled down with 8 N, so that the friction of b carries 16 N and that of a 24 N. */
static void test_two_sticking_blocks(void **state)
{
  (void)state;
  static const struct {
    double a, b;
    const char *words; /* NULL: the blocks stick */
  } cases[] = {
      {24.1, 16.1, NULL},
      {23.5, 16.1, "'x.friction' sticks at the start, and would have to exert 1.021 times"},
      {24.1, 15.5, "'y.friction' sticks at the start, and would have to exert 1.032 times"}};
  for (int k = 0; k < 9; k++) {
    char text[1000];
    cmb_equilibrium_report report;
    cmbt_run r;
    snprintf(
        text, sizeof text,
        "gravity: [0, 0, -10]\npoints: {W: [0, 0, 2]}\n"
        "bodies: {a: {mass: 1, com: [0, 0, 0]}, b: {mass: 2, com: [0, 0, 1]}, c: {mass: 1, com: "
        "[3, 0, 0]}}\n"
        "joints:\n"
        "  x: {type: prismatic, child: a, axis: [3, 0, -4], start: 0.2,\n"
        "      friction: {force: 1, law: stick, static: %g}}\n"
        "  y: {type: prismatic, parent: a, child: b, axis: [3, 0, -4], start: -0.1,\n"
        "      friction: {force: 2, law: stick, static: %g}}\n"
        "  z: {type: prismatic, child: c, axis: z, stiffness: 100}\n"
        "outputs: {first: x, second: y, height: z}\n",
        cases[k % 3].a, cases[k % 3].b);
    cmbt_run_open_text(&r, text, cmbt_formulation(k / 3));
    const cmb_status status = cmb_system_equilibrium(r.ctx, r.system, &report);
    if (cases[k % 3].words) {
      assert_int_equal(status, CMB_ERROR_EQUATIONS);
      if (!strstr(cmb_last_error(r.ctx), cases[k % 3].words)) fail_msg("%s", cmb_last_error(r.ctx));
    } else {
      cmbt_ok(r.ctx, status);
      assert_int_equal(report.held, 2);
      assert_int_equal(report.freedoms, 1);
      cmbt_below(report.force, 1e-9);
      cmbt_run_to(&r, 1, 0);
      cmbt_near(cmbt_output(&r, "first"), 0.2, 1e-12);
      cmbt_near(cmbt_output(&r, "second"), -0.1, 1e-12);
      cmbt_near(cmbt_output(&r, "height"), -0.1, 1e-9);
    }
    cmbt_run_close(&r);
  }
}

/* Checks that a negative number as the limit of friction is refused with its place in the file. */
static void test_negative_number(void **state)
{
  (void)state;
  static const char text[] =
      "bodies: {block: {mass: 1, com: [0, 0, 0]}}\n"
      "joints: {x: {type: prismatic, child: block, axis: x}}\n"
      "forces: {f: {type: torsion, coordinate: x, torque: \"1 + stick(x', -2, 3)\"}}\n";
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_model *model = cmbt_model_parse(ctx, text);
  const cmb_model_system_options options = {0};
  cmb_system *system;
  assert_int_equal(cmb_model_system(ctx, model, &options, &system), CMB_ERROR_INPUT);
  assert_non_null(
      strstr(cmb_last_error(ctx), "the force of friction in 'stick' is -2; expected 0 or more"));
  cmb_model_destroy(model);
  cmb_context_destroy(ctx);
}

/* A sliding body with a hinged bar, and a force of friction, to be filled in. */
#define RUBBED                                                                                     \
  "parameters: {s: -1}\n"                                                                          \
  "gravity: [0, 0, 0]\n"                                                                           \
  "bodies: {a: {mass: 1, com: [0, 0, 0], inertia: [1, 1, 1]},\n"                                   \
  "         b: {mass: 2, com: [1, 0, 0], inertia: [1, 1, 1]}}\n"                                   \
  "joints: {x: {type: prismatic, child: a, axis: [1, 2, 2], rate: 1},\n"                           \
  "         w: {type: revolute, parent: a, child: b, at: [0, 0, 0], axis: z, rate: 1}}\n"          \
  "inputs: {u: sin(t)}\n"                                                                          \
  "measures: {brake: \"stick(w', 2 + u, 3 + u)\"}\n"                                               \
  "forces: {f: {%s}}\n"

static void check_sign(const char *force, cmb_formulation formulation, const char *words)
{
  const cmb_model_system_options options = {.formulation = formulation};
  char text[2000];
  cmb_system *system = NULL;
  snprintf(text, sizeof text, RUBBED, force);
  cmb_context *ctx = cmb_context_create(NULL);
  const cmb_model_options live = {.live_all = true};
  cmb_model *model;
  cmbt_ok(ctx, cmb_model_parse(ctx, text, strlen(text), "test.yaml", &live, &model));
  const cmb_status status = cmb_model_system(ctx, model, &options, &system);
  if (status != (words ? CMB_ERROR_INPUT : CMB_OK)) {
    fail_msg("%s: %s", force, status == CMB_OK ? "is taken" : cmb_last_error(ctx));
  }
  if (words && !strstr(cmb_last_error(ctx), words)) {
    fail_msg("%s: %s", force, cmb_last_error(ctx));
  }
  cmb_system_destroy(system);
  cmb_model_destroy(model);
  cmb_context_destroy(ctx);
}

/* Checks which signs of friction are refused. The power of a force is S v, with the force S and the velocity v of friction, times a factor;
 * a positive factor drives and is refused. Factors whose sign is not known are accepted, live parameters have their present values, and
 * friction may act on another motion than the one it depends on. */
static void test_sign(void **state)
{
  (void)state;
  static const char pull[] =
      "force 'f': with this sign 'stick' accelerates the motion whose velocity "
      "it reads, while friction opposes it; expected the other sign: a pull acts";
  static const char load[] =
      "force 'f': with this sign 'stick' accelerates the motion whose velocity "
      "it reads, while friction opposes it; expected the other sign: friction against";
  static const char second[] = "force 'g': with this sign";
#define ON_A  "type: load, on: {body: a, at: [0, 0, 0]}, "
#define ON_B  "type: load, on: {body: b, at: [1, 0, 0]}, reaction: a, "
#define STRUT "type: spring, between: [{body: ground, at: [-5, 1, 2]}, {body: b, at: [1, 0, 0]}], "
  static const struct {
    const char *force, *words;
  } cases[] = {
      {"type: torsion, coordinate: w, torque: brake", NULL},
      {"type: torsion, coordinate: w, torque: -brake", pull},
      {"type: torsion, coordinate: w, torque: \"u - 2*stick(w' - u, 1, 1)\"", pull},
      {"type: torsion, coordinate: w, torque: \"stick(u - w', 1, 1)\"", pull},
      {"type: torsion, coordinate: w, torque: \"-stick(u - w', 1, 1)\"", NULL},
      {"type: torsion, coordinate: w, torque: \"-u*stick(w', 1, 1)\"", NULL},
      {"type: torsion, coordinate: w, torque: \"-(5 + x)*stick(w', 1, 1)\"", NULL},
      {"type: torsion, coordinate: w, torque: \"if(t < 9, -1, 1)*stick(w', 1, 1)\"", NULL},
      {"type: torsion, coordinate: w, torque: \"s*stick(w', 1, 1)\"", pull},
      {"type: torsion, coordinate: w, torque: \"-s*stick(w', 1, 1)\"", NULL},
      /* factors that vary, but are never negative */
      {"type: torsion, coordinate: w, torque: \"-(5 + x^2)*stick(w', 1, 1)\"", pull},
      {"type: torsion, coordinate: w, torque: \"(5 + x^2)*stick(w', 1, 1)\"", NULL},
      {"type: torsion, coordinate: w, torque: \"-exp(-0.001*abs(u))*stick(w', 1, 1)\"", pull},
      {"type: torsion, coordinate: w, torque: \"if(t > 0.5, -1, 0)*stick(w', 1, 1)\"", pull},
      {"type: torsion, coordinate: w, torque: \"-stick(w', 1, 1)^3\"", pull},
      {"type: torsion, coordinate: w, torque: \"max(0, -stick(w', 1, 1))\"", pull},
      {"type: torsion, coordinate: w, torque: \"(x - 2000)*stick(w', 1, 1)\"", NULL},
      {"type: torsion, coordinate: w, torque: \"-stick(w' - u^2*x, 1, 1)\"", pull},
      {"type: torsion, coordinate: w, torque: \"-stick(x', 1, 1)\"", NULL},
      {"type: torsion, coordinate: x, torque: \"-stick(x', 1, 1)\"", pull},
      {STRUT "force: \"stick(f.rate, 1, 1)\"", NULL},
      {STRUT "force: \"-stick(f.rate, 1, 1)\"", pull},
      {ON_B "torque: [0, 0, -brake]", NULL},
      {ON_B "torque: [0, 0, brake]", load},
      {ON_A "force: [\"-stick(a.vx, 1, 1)\", 0, 0]", NULL},
      {ON_A "force: [0, \"stick(a.vy, 1, 1)\", 0]", load},
      {ON_A "force: [0, \"stick(w', 1, 1)\", 0]", NULL},
      /* a force that drives beside a larger one that brakes, with the same friction */
      {"type: torsion, coordinate: w, torque: -brake}, g: {type: torsion, coordinate: w, torque: "
       "2*brake",
       NULL},
      {"type: torsion, coordinate: w, torque: brake}, g: {type: torsion, coordinate: w, torque: "
       "-2*brake",
       second},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    for (int k = 0; k < 3; k++) check_sign(cases[i].force, cmbt_formulation(k), cases[i].words);
  }
}

static void test_refusals(void **state)
{
  (void)state;
  char text[1000];
  cmbt_run r;
  cmb_linearization *l;
  snprintf(text, sizeof text, SLOPE, 9.0);
  cmbt_run_open_text(&r, text, CMB_FORM_EXPLICIT);
  assert_int_equal(
      cmb_linearize(r.ctx, r.eq, 0, cmb_system_q(r.system), cmb_system_v(r.system), &l),
      CMB_ERROR_EQUATIONS);
  assert_non_null(strstr(cmb_last_error(r.ctx), "'x.friction' sticks at t = 0"));
  const char *const methods[] = {"lie", "rosw2"}; /* lie needs expressions */
  for (int i = 0; i < 2; i++) {
    cmb_run_options options = cmb_run_defaults();
    cmb_simulation *sim;
    options.method = cmb_method_find(methods[i]);
    options.integrator.step = 1e-3;
    assert_int_equal(cmb_simulation_create(r.ctx, r.system, &options, &sim), CMB_ERROR_ARGUMENT);
    assert_non_null(
        strstr(cmb_last_error(r.ctx), "cannot hold 'x.friction', friction that sticks"));
  }
  cmbt_run_close(&r);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_belt),           cmocka_unit_test(test_long_sticking),
      cmocka_unit_test(test_creep),          cmocka_unit_test(test_two_blocks),
      cmocka_unit_test(test_through_zero),   cmocka_unit_test(test_axle),
      cmocka_unit_test(test_axle_with_grip), cmocka_unit_test(test_ball),
      cmocka_unit_test(test_clock),          cmocka_unit_test(test_negative_force),
      cmocka_unit_test(test_equilibrium),    cmocka_unit_test(test_two_sticking_blocks),
      cmocka_unit_test(test_refusals),       cmocka_unit_test(test_negative_number),
      cmocka_unit_test(test_sign),           cmocka_unit_test(test_changing_sign),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
