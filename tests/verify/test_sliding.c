/*
 * Dry friction that sticks: switching functions of velocities both of whose modes lead back to 0. A block on a slope stops and sticks until a
 * growing force moves it; two blocks on each other; a block on a belt that sticks and slips. All compared with solutions in closed form,
 * piece by piece.
 */
#include "check.h"
#include "methods.h"
#include "model_run.h"

#include <stdio.h>

static const double G = 9.81;

static void open_run(cmbt_run *r, const char *text, int method)
{
  cmbt_run_open_text(r, text, cmbt_formulation(method % 3));
  r->method = cmb_method_name(cmb_method_at(method));
  if (!cmbt_is_precise(cmb_method_at(method))) r->rtol = 1e-8;
}

static double tolerance_of(const cmbt_run *r)
{
  return r->rtol < 1e-9 ? 1e-8 : 1e-5;
}

static const char BLOCK[] =
    "parameters: {mu: 0.5, al: 20 deg, m: 2}\n"
    "gravity: [9.81*sin(al), 0, -9.81*cos(al)]\n"
    "bodies: {block: {mass: m, box: [0.2, 0.1, 0.1], at: [0, 0, 0]}}\n"
    "joints: {x: {type: prismatic, child: block, axis: x, rate: %g}}\n"
    "forces:\n"
    "  dry: {type: load, on: {body: block, at: [0, 0, 0]},\n"
    "        force: [-mu*m*9.81*cos(al)*sign(x'), 0, 0]}\n"
    "  push: {type: load, on: {body: block, at: [0, 0, 0]}, force: [%g*t, 0, 0]}\n"
    "outputs: {place: x, speed: x', F: dry.fx}\n";

/* Checks the block, which stops where x' = 1 − a t + (c/2m) t² is 0, sticks, and, pushed with c t, is released at t = m a/c. */
static void test_block_on_slope(void **state)
{
  (void)state;
  const double pi = acos(-1), al = pi / 9, m = 2, a = G * (0.5 * cos(al) - sin(al));
  for (int i = 0; (i = cmbt_next_but_trap(i)) < cmb_method_count(); i++) {
    for (int pushed = 0; pushed < 2; pushed++) {
      const double c = pushed ? 0.5 : 0, b = c / m;
      const double stops = pushed ? (a - sqrt(a * a - 2 * b)) / b : 1 / a;
      const double place = stops - a * stops * stops / 2 + b * pow(stops, 3) / 6;
      const double moves = pushed ? m * a / c : INFINITY, end = pushed ? moves + 2 : 5;
      char text[2000];
      cmbt_run r;
      snprintf(text, sizeof text, BLOCK, 1.0, c);
      open_run(&r, text, i);
      cmbt_run_to(&r, pushed ? 0.9 * moves : end, 0);
      cmbt_near(cmbt_output(&r, "place"), place, tolerance_of(&r));
      cmbt_near(cmbt_output(&r, "speed"), 0, 1e-12);
      /* while it sticks friction balances gravity and the load */
      cmbt_near(cmbt_output(&r, "F"), -m * G * sin(al) - c * r.result->t, 1e-7);
      cmbt_run_close(&r);
      if (!pushed) continue;
      open_run(&r, text, i);
      cmbt_run_to(&r, end, 0);
      cmbt_near(cmbt_output(&r, "place"), place + b * 8 / 6, tolerance_of(&r));
      cmbt_near(cmbt_output(&r, "speed"), b * 2, tolerance_of(&r));
      cmbt_run_close(&r);
    }
  }
}

/* Checks that a block at rest from the start sticks. */
static void test_block_at_rest(void **state)
{
  (void)state;
  for (int i = 0; (i = cmbt_next_but_trap(i)) < cmb_method_count(); i++) {
    char text[2000];
    cmbt_run r;
    snprintf(text, sizeof text, BLOCK, 0.0, 0.0);
    open_run(&r, text, i);
    cmbt_run_to(&r, 5, 0);
    cmbt_near(cmbt_output(&r, "place"), 0, 1e-9);
    cmbt_run_close(&r);
  }
}

/* ---- two blocks */

/* Compares positions and velocities of two blocks: block 1 (2 kg) on the ground (μ = 0.2), block 2 (1 kg) on block 1 (μ = 0.4); initial speeds
 * 0.5 and `first` m/s. Block 1 is decelerated by (0.2·3 − 0.4) g/2, block 2 by 0.4 g, until both have the same speed; then both by 0.2 g; then
 * both stick, until a force on block 2 of 3 N/s·(t − 2) exceeds 0.4 g and block 2 moves alone, since 0.4·1·g < 0.2·3·g. */
static void check_two_blocks(double first)
{
  const double a1 = -0.1 * G, a2 = -0.4 * G, together = -0.2 * G;
  const double meet = (first - 0.5) / (a1 - a2), speed = 0.5 + a1 * meet,
               stop = meet + speed / -together;
  const double x1 = 0.5 * meet + a1 * meet * meet / 2 + speed * speed / (2 * -together);
  const double x2 = first * meet + a2 * meet * meet / 2 + speed * speed / (2 * -together);
  const double moves = 2 + 0.4 * G / 3, end = moves + 1;
  assert_true(stop < 2);
  for (int i = 0; (i = cmbt_next_but_trap(i)) < cmb_method_count(); i++) {
    char text[2000];
    cmbt_run r;
    snprintf(text, sizeof text,
             "gravity: [0, 0, -9.81]\n"
             "bodies:\n"
             "  b1: {mass: 2, box: [0.5, 0.1, 0.1], at: [0, 0, 0]}\n"
             "  b2: {mass: 1, box: [0.2, 0.1, 0.1], at: [0, 0, 0.1]}\n"
             "joints:\n"
             "  x1: {type: prismatic, child: b1, axis: x, rate: 0.5}\n"
             "  x2: {type: prismatic, child: b2, axis: x, rate: %g}\n"
             "forces:\n"
             "  ground_: {type: load, on: {body: b1, at: [0, 0, 0]},\n"
             "            force: [\"-0.2*3*9.81*sign(x1')\", 0, 0]}\n"
             "  below: {type: load, on: {body: b1, at: [0, 0, 0]},\n"
             "          force: [\"0.4*9.81*sign(x2' - x1')\", 0, 0]}\n"
             "  above: {type: load, on: {body: b2, at: [0, 0, 0.1]},\n"
             "          force: [\"-0.4*9.81*sign(x2' - x1') + 3*max(t - 2, 0)\", 0, 0]}\n"
             "outputs: {p1: x1, p2: x2, w1: x1', w2: x2'}\n",
             first);
    open_run(&r, text, i);
    cmbt_run_to(&r, end, 0);
    cmbt_near(cmbt_output(&r, "p1"), x1, tolerance_of(&r));
    cmbt_near(cmbt_output(&r, "w1"), 0, 1e-10);
    cmbt_near(cmbt_output(&r, "p2"), x2 + 0.5, tolerance_of(&r)); /* 3 s³/6 */
    cmbt_near(cmbt_output(&r, "w2"), 1.5, tolerance_of(&r));
    cmbt_run_close(&r);
  }
}

/* Tests two initial speeds. With 2 m/s both blocks stop at the same time: two functions with different gradients reach 0 simultaneously. */
static void test_two_blocks(void **state)
{
  (void)state;
  check_two_blocks(1.5);
  check_two_blocks(2);
}

/* ---- stick and slip */

/* A block on a belt with the speed u: m x'' = −k x − F sign(x' − u) + c (x' − u), with friction that decreases with speed. It sticks until
 * k x = F, then slips: with w² = k/m − (c/2m)² and x₀ = F/k − c u/k, x = x₀ + e^(ct/2m) (A cos wt + B sin wt), until x' = u again. */
struct belt {
  double m, k, F, c, u;
};

static void slip(const struct belt *b, double A, double B, double s, double *x, double *v)
{
  const double d = b->c / (2 * b->m), w = sqrt(b->k / b->m - d * d), e = exp(d * s);
  *x = b->F / b->k - b->c * b->u / b->k + e * (A * cos(w * s) + B * sin(w * s));
  *v = e * ((d * A + w * B) * cos(w * s) + (d * B - w * A) * sin(w * s));
}

/* Returns how long the block slips from its release until it sticks again, and in *place where. */
static double slip_time(const struct belt *b, double *place)
{
  const double d = b->c / (2 * b->m), w = sqrt(b->k / b->m - d * d), A = b->c * b->u / b->k;
  const double B = (b->u - d * A) / w, half = acos(-1) / w;
  double low = 0.5 * half, high = low, v;
  do { /* x' < u during slip */
    low = high;
    high += 0.01 * half;
    slip(b, A, B, high, place, &v);
  } while (v < b->u);
  for (int n = 0; n < 100; n++) {
    const double middle = (low + high) / 2;
    slip(b, A, B, middle, place, &v);
    if (v < b->u) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return high;
}

static void test_belt(void **state)
{
  (void)state;
  const struct belt b = {1, 25, 5, 0.5, 0.1};
  double place = 0, t = 0, end;
  for (int n = 0; n < 8; n++) { /* the state after eight slips */
    t += (b.F / b.k - place) / b.u;
    t += slip_time(&b, &place);
  }
  end = t + 0.1; /* while it sticks */
  for (int i = 0; (i = cmbt_next_but_trap(i)) < cmb_method_count(); i++) {
    cmbt_run r;
    open_run(&r,
             "gravity: [0, 0, 0]\n"
             "bodies: {block: {mass: 1, box: [0.2, 0.1, 0.1], at: [0, 0, 0]}}\n"
             "joints: {x: {type: prismatic, child: block, axis: x, rate: 0.1, stiffness: 25}}\n"
             "forces:\n"
             "  dry: {type: load, on: {body: block, at: [0, 0, 0]},\n"
             "        force: [\"-5*sign(x' - 0.1) + 0.5*(x' - 0.1)\", 0, 0]}\n"
             "outputs: {place: x, speed: x'}\n",
             i);
    cmbt_run_to(&r, end, 0);
    printf("%-9s place off by %.1e\n", r.method, fabs(cmbt_output(&r, "place") - place - 0.01));
    cmbt_near(cmbt_output(&r, "place"), place + 0.1 * b.u, tolerance_of(&r));
    cmbt_near(cmbt_output(&r, "speed"), b.u, 1e-9);
    cmbt_run_close(&r);
  }
}

/* ---- friction in a model with a kink in a driven motion */

/* Checks a cart of 1 kg with an arm of 1 kg, whose centre is 0.5 m below. The cart slides at 1 m/s and stops at t = 1/3. At t = 0.5 the arm
 * begins to rotate at 1 rad/s: the cart gets the speed 0.25, and the momentum 2 ẋ − 0.5 cos τ changes by −6 τ in the time τ after it. The
 * cart stops again where cos τ = 12 τ, and friction balances 0.5 sin τ. */
static void test_kinked_drive(void **state)
{
  (void)state;
  double tau = 0.08;
  for (int k = 0; k < 20; k++) tau = cos(tau) / 12;
  const double place = 1.0 / 6 + 0.25 * sin(tau) - 1.5 * tau * tau;
  for (int i = 0; (i = cmbt_next_but_trap(i)) < cmb_method_count(); i++) {
    cmbt_run r;
    open_run(
        &r,
        "bodies:\n"
        "  cart: {mass: 1, box: [0.1, 0.1, 0.1], at: [0, 0, 0]}\n"
        "  arm: {mass: 1, com: [0, 0, -0.5], inertia: [0.1, 0.1, 0.1]}\n"
        "joints:\n"
        "  x: {type: prismatic, child: cart, axis: x, rate: 1}\n"
        "  p: {type: revolute, parent: cart, child: arm, at: [0, 0, 0], axis: y}\n"
        "motions: {d: {coordinate: p, value: \"max(t - 0.5, 0)\"}}\n"
        "forces:\n"
        "  dry: {type: load, on: {body: cart, at: [0, 0, 0]}, force: [\"-6*sign(x')\", 0, 0]}\n"
        "outputs: {place: x, speed: x', F: dry.fx}\n",
        i);
    cmbt_run_to(&r, 1.5, 0);
    cmbt_near(cmbt_output(&r, "place"), place, tolerance_of(&r));
    cmbt_near(cmbt_output(&r, "speed"), 0, tolerance_of(&r));
    cmbt_near(cmbt_output(&r, "F"), 0.5 * sin(1), tolerance_of(&r));
    cmbt_run_close(&r);
  }
}

/* ---- friction in several joints of one degree of freedom */

/* Checks geared carts, x = 2 y: 1.25 kg at x, with friction of 3 + 4/2 N. From 2 m/s they stop at t = 0.5, and a load of 8 (t − 1) moves
 * them at t = 1.625. Both frictions are released at the same time, once. The four events are two stops, the beginning of the load, and the
 * release. */
static void test_gear(void **state)
{
  (void)state;
  const double s = 2 - 5.0 / 8, place = 0.5 + 8 / 1.25 * pow(s, 3) / 6, speed = 4 / 1.25 * s * s;
  for (int i = 0; (i = cmbt_next_but_trap(i)) < cmb_method_count(); i++) {
    cmbt_run r;
    open_run(&r,
             "gravity: [0, 0, 0]\n"
             "bodies: {a: {mass: 1, com: [0, 0, 0]}, b: {mass: 1, com: [0, 0, 0]}}\n"
             "joints:\n"
             "  x: {type: prismatic, child: a, axis: x, rate: 2}\n"
             "  y: {type: prismatic, child: b, axis: x}\n"
             "loops: {gr: {type: gear, coordinates: [x, y], ratio: 2}}\n"
             "forces:\n"
             "  fa: {type: load, on: {body: a, at: [0, 0, 0]},\n"
             "       force: [\"-3*sign(x') + if(t > 1, 8*(t - 1), 0)\", 0, 0]}\n"
             "  fb: {type: load, on: {body: b, at: [0, 0, 0]}, force: [\"-4*sign(y')\", 0, 0]}\n"
             "outputs: {place: x, speed: x'}\n",
             i);
    cmbt_run_to(&r, 3, 0);
    cmbt_near(cmbt_output(&r, "place"), place, 10 * tolerance_of(&r));
    cmbt_near(cmbt_output(&r, "speed"), speed, 10 * tolerance_of(&r));
    assert_int_equal(r.result->events, 4);
    cmbt_run_close(&r);
  }
}

/* Compares the angle at which a slider-crank with friction in its three joints sticks with a solution of its equation of motion in one
 * coordinate, by the classical Runge-Kutta method with steps of 5e-5 s. The three frictions stop simultaneously. */
static void check_slider_crank(int method, int form)
{
  cmbt_run r;
  cmbt_run_open_text(&r,
                     "points: {A: [0, 0, 0], B: [0, 0, 0.1], C: [0.3, 0, 0.1]}\n"
                     "bodies:\n"
                     "  crank: {mass: 0.5, rod: [A, B], radius: 0.01}\n"
                     "  rod: {mass: 1, rod: [B, C], radius: 0.01}\n"
                     "  piston: {mass: 0.3, com: C}\n"
                     "joints:\n"
                     "  m: {type: revolute, child: crank, at: A, axis: y, rate: 20}\n"
                     "  p: {type: revolute, parent: crank, child: rod, at: B, axis: y}\n"
                     "  s: {type: prismatic, child: piston, at: C, axis: x}\n"
                     "loops: {wrist: {type: revolute, between: [rod@C, piston@C], axis: y}}\n"
                     "forces:\n"
                     "  f: {type: load, on: piston@C, force: [\"-5*sign(s')\", 0, 0]}\n"
                     "  tm: {type: torsion, coordinate: m, torque: \"0.3*sign(m')\"}\n"
                     "  tp: {type: torsion, coordinate: p, torque: \"0.2*sign(p')\"}\n"
                     "outputs: {angle: m, speed: m'}\n",
                     cmbt_formulation(form));
  r.method = cmb_method_name(cmb_method_at(method));
  r.rtol = 1e-7;
  cmbt_run_to(&r, 1, 0);
  cmbt_near(cmbt_output(&r, "angle"), 3.5726593, 100 * r.rtol);
  cmbt_near(cmbt_output(&r, "speed"), 0, 1e-9);
  cmbt_run_close(&r);
}

static void test_slider_crank(void **state)
{
  (void)state;
  for (int i = 0; (i = cmbt_next_but_trap(i)) < cmb_method_count(); i++) {
    for (int form = 0; form < 3; form++) check_slider_crank(i, form);
  }
}

/* Checks a body at a force that drives it back from both sides, −2 N for x > 0 and 1 N otherwise. It stays at x = 0 while another force,
 * 3 (t − 1), is less than 2 N, and x = (t − 5/3)³/2 afterwards. To the other side it leaves at t = 4/3, with x = −(t − 4/3)³/2. */
static void test_position_at_its_switch(void **state)
{
  (void)state;
  for (int i = 0; (i = cmbt_next_but_trap(i)) < cmb_method_count(); i++) {
    for (int side = -1; side <= 1; side += 2) {
      const double leaves = side > 0 ? 5.0 / 3 : 4.0 / 3;
      char text[1000];
      cmbt_run r;
      snprintf(text, sizeof text,
               "gravity: [0, 0, 0]\n"
               "bodies: {a: {mass: 1, com: [0, 0, 0]}}\n"
               "joints: {x: {type: prismatic, child: a, axis: x}}\n"
               "forces: {f: {type: load, on: {body: a, at: [0, 0, 0]},\n"
               "  force: [\"if(x > 0, -2, 1) + (%d)*if(t > 1, 3*(t - 1), 0)\", 0, 0]}}\n"
               "outputs: {place: x, F: f.fx}\n",
               side);
      open_run(&r, text, i);
      cmbt_run_to(&r, 1.2, 0);
      cmbt_near(cmbt_output(&r, "place"), 0, 1e-12);
      cmbt_near(cmbt_output(&r, "F"), 0, 1e-9);
      cmbt_run_close(&r);
      open_run(&r, text, i);
      cmbt_run_to(&r, 2, 0);
      cmbt_near(cmbt_output(&r, "place"), side * 0.5 * pow(2 - leaves, 3), tolerance_of(&r));
      cmbt_run_close(&r);
    }
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_block_on_slope), cmocka_unit_test(test_block_at_rest),
      cmocka_unit_test(test_two_blocks),     cmocka_unit_test(test_belt),
      cmocka_unit_test(test_kinked_drive),   cmocka_unit_test(test_gear),
      cmocka_unit_test(test_slider_crank),   cmocka_unit_test(test_position_at_its_switch)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
