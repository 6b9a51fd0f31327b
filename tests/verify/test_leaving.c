/*
 * Bodies that lift off from surfaces, smoothly and at edges, with every method that has dense output: a ball lifted by a growing force; a
 * ball on a table that falls or shakes; a ladder that slides down and leaves the wall; a ball that moves over the edge of a plane; a body that
 * falls off the inside of a loop; the follower of a cam. References are closed forms, or a Runge–Kutta method with small steps on
 * equations written down here.
 */
#include "check.h"
#include "methods.h"
#include "model_run.h"

#include <stdio.h>
#include <string.h>

static const double G = 9.81;

static void open_run(cmbt_run *r, const char *text, int method, int formulation)
{
  cmbt_run_open_text(r, text, cmbt_formulation(formulation));
  r->method = cmb_method_name(cmb_method_at(method));
  r->rtol = 1e-6;
}

/* Runs each method in each formulation to t_end and calls `check`. */
static void run_all(const char *text, double t_end, void (*check)(const cmbt_run *r))
{
  for (int i = 0; (i = cmbt_next_but_trap(i)) < cmb_method_count(); i++) {
    for (int k = 0; k < 3; k++) {
      cmbt_run r;
      open_run(&r, text, i, k);
      cmbt_run_to(&r, t_end, 0);
      check(&r);
      cmbt_run_close(&r);
    }
  }
}

static void expect(const cmbt_run *r, const char *name, double value)
{
  const double is = cmbt_output(r, name);
  if (!(fabs(is - value) <= 100 * r->rtol * fmax(fabs(value), 0.01))) {
    fail_msg("%s: %s is %.12g; expected %.12g", r->method, name, is, value);
  }
}

/* Checks the time of the first event with this name and direction. */
static void expect_time(const cmbt_run *r, const char *name, int direction, double t)
{
  for (int i = 0; i < r->event_count; i++) {
    const cmbt_event *e = &r->events[i];
    if (strcmp(e->name, name) != 0 || e->direction != direction) continue;
    if (fabs(e->t - t) > 100 * r->rtol) {
      fail_msg("%s: '%s' at %.12g; expected %.12g", r->method, name, e->t, t);
    }
    return;
  }
  fail_msg("%s: no '%s'", r->method, name);
}

/* ---- a force of 12 t N on 1 kg */

static void check_lift(const cmbt_run *r)
{
  const double leaves = G / 12;
  expect_time(r, "bench", 1, 0); /* it is in contact from the start on */
  if (r->events[0].t != 0) fail_msg("%s: at rest at t = %g", r->method, r->events[0].t);
  expect_time(r, "bench.rest", -1, leaves);
  expect(r, "h", 2 * pow(2 - leaves, 3));
  assert_int_equal(r->event_count, 3);
}

static void test_lift(void **state)
{
  (void)state;
  run_all("bodies: {ball: {mass: 1, sphere: [0, 0, 0], radius: 0.1}}\n"
          "joints: {z: {type: prismatic, child: ball, axis: z}}\n"
          "loops: {bench: {type: stop, formula: z, restitution: 0}}\n"
          "forces: {lift: {type: load, on: {body: ball, at: [0, 0, 0]}, force: [0, 0, 12*t]}}\n"
          "outputs: {h: z}\n",
          2, check_lift);
}

/* ---- a table that falls with the acceleration 12 t */

static void check_table(const cmbt_run *r)
{
  const double leaves = G / 12, rest = 2 - leaves;
  const double z = -2 * pow(leaves, 3), w = -6 * leaves * leaves;
  expect_time(r, "bench.rest", -1, leaves);
  expect(r, "h", z + w * rest - G / 2 * rest * rest);
  /* the gap opens like (t − t₀)³; an error of the method that closes it again must not cost many steps */
  if (r->result->statistics->steps > 500) {
    fail_msg("%s: %ld steps", r->method, r->result->statistics->steps);
  }
}

static void test_table(void **state)
{
  (void)state;
  run_all("bodies: {ball: {mass: 1, sphere: [0, 0, 0], radius: 0.1}}\n"
          "joints: {z: {type: prismatic, child: ball, axis: z}}\n"
          "loops: {bench: {type: stop, formula: z + 2*t^3, restitution: 0}}\n"
          "outputs: {h: z}\n",
          2, check_table);
}

/* ---- a table that shakes */

static double table_at(double t)
{
  return 0.1 * t * sin(12 * t);
}

static double speed_of_table(double t)
{
  return 0.1 * sin(12 * t) + 1.2 * t * cos(12 * t);
}

static double acceleration_of_table(double t)
{
  return 2.4 * cos(12 * t) - 14.4 * t * sin(12 * t);
}

/* Finds by bisection where f changes its sign in [a, b]. */
static double root(double (*f)(double t, const double *p), const double *p, double a, double b)
{
  const bool rises = f(b, p) > 0;
  for (int k = 0; k < 60; k++) {
    const double c = (a + b) / 2;
    *((f(c, p) > 0) == rises ? &b : &a) = c;
  }
  return (a + b) / 2;
}

static double contact_force(double t, const double *p)
{
  (void)p;
  return acceleration_of_table(t) + G;
}

/* Returns the gap between ball and table after the ball lifted off at p[0] with the height p[1] and the speed p[2]. */
static double gap_after_lift_off(double t, const double *p)
{
  const double dt = t - p[0];
  return p[1] + dt * (p[2] - G / 2 * dt) - table_at(t);
}

/* Returns the ball's height at t_end: it moves with the table, lifts off where the contact force would be tensile, and stays where it lands. */
static double height_on_shaken_table(double t_end)
{
  const double step = 1e-5;
  double p[3] = {0, 0, 0};
  bool in_contact = true;
  for (double t = 0; t < t_end; t += step) {
    if (in_contact && contact_force(t + step, p) < 0 && contact_force(t, p) >= 0) {
      p[0] = root(contact_force, p, t, t + step);
      p[1] = table_at(p[0]), p[2] = speed_of_table(p[0]);
      in_contact = false;
    } else if (!in_contact && gap_after_lift_off(t + step, p) < 0 && t - p[0] > 2 * step) {
      in_contact = contact_force(root(gap_after_lift_off, p, t, t + step), p) > 0;
    }
  }
  return in_contact ? table_at(t_end) : gap_after_lift_off(t_end, p) + table_at(t_end);
}

static void check_shaken(const cmbt_run *r)
{
  expect(r, "h", height_on_shaken_table(1.7));
}

static void test_shaken(void **state)
{
  (void)state;
  run_all("bodies: {ball: {mass: 1, sphere: [0, 0, 0], radius: 0.1}}\n"
          "joints: {z: {type: prismatic, child: ball, axis: z}}\n"
          "loops: {bench: {type: stop, formula: z - 0.1*t*sin(12*t), restitution: 0}}\n"
          "outputs: {h: z}\n",
          1.7, check_shaken);
}

/* ---- a ladder */

/* Half its length is 1, its moment of inertia I; y[0] is the angle to the ground, y[1] its rate. With both contacts closed
 * (1 + I) φ̈ = −g cos φ; without the wall (cos φ + I/cos φ) φ̈ = −g + φ̇² sin φ. */
static const double I = (4 + 0.0004) / 12;

static double turn(const double *y, bool wall)
{
  const double c = cos(y[0]), s = sin(y[0]);
  return wall ? -G * c / (1 + I) : (-G + y[1] * y[1] * s) / (c + I / c);
}

static void runge_kutta(double h, bool wall, double *y)
{
  static const double part[] = {0.5, 0.5, 1}, weight[] = {1, 2, 2, 1};
  double at[2] = {y[0], y[1]}, sum[2] = {0, 0};
  for (int k = 0; k < 4; k++) {
    const double slope[2] = {at[1], turn(at, wall)};
    for (int i = 0; i < 2; i++) {
      sum[i] += weight[k] * slope[i];
      if (k < 3) at[i] = y[i] + part[k] * h * slope[i];
    }
  }
  for (int i = 0; i < 2; i++) y[i] += h / 6 * sum[i];
}

static double ladder_leaves, ladder_angle, ladder_speed;

/* Computes time, angle and speed of the ladder, which leaves the wall when the height of its centre is two thirds of that at the start. */
static void slide_down(double start, double t_end)
{
  const double h = 1e-5, height = sin(start) * 2 / 3;
  double y[2] = {start, 0}, t = 0;
  for (; sin(y[0]) > height; t += h) runge_kutta(h, true, y);
  const double back = (height - sin(y[0])) / (cos(y[0]) * y[1]); /* one step of Newton's method */
  runge_kutta(back, true, y);
  t += back;
  ladder_leaves = t;
  ladder_speed = -sin(y[0]) * y[1];
  const int steps = (int)((t_end - t) / h) + 1;
  for (int k = 0; k < steps; k++) runge_kutta((t_end - t) / steps, false, y);
  ladder_angle = y[0];
}

static void check_ladder(const cmbt_run *r)
{
  expect_time(r, "wall.rest", -1, ladder_leaves);
  expect(r, "angle", ladder_angle);
  expect(r, "speed", ladder_speed);
}

static void test_ladder(void **state)
{
  (void)state;
  slide_down(1.2, 0.8);
  run_all("gravity: [0, -9.81, 0]\n"
          "bodies: {rod: {mass: 1, box: [2, 0.02, 0.02], at: [0, 0, 0]}}\n"
          "joints: {r: {type: planar, child: rod, at: [0, 0, 0], normal: z, axes: [x, y],\n"
          "             start: [cos(1.2), sin(1.2), -1.2]}}\n"
          "loops:\n"
          "  wall: {type: stop, formula: r.x - cos(r.angle), restitution: 0}\n"
          "  base: {type: stop, formula: r.y + sin(r.angle), restitution: 0}\n"
          "outputs: {angle: -r.angle, speed: r.x'}\n",
          0.8, check_ladder);
}

/* ---- a plane that goes down by one in ten from x = 1 on */

/* Checks the ball: it flies from the edge and lands on the slope after τ = 0.2/g, and keeps the part of its velocity along the slope. */
static void check_edge(const cmbt_run *r)
{
  const double flies = 0.2 / G, left = 2 - flies, vx = 1.02 / 1.01, ax = 0.1 * G / 1.01;
  const double x = 1 + flies + vx * left + ax / 2 * left * left;
  expect_time(r, "plane.rest", -1, 1);
  expect(r, "x", x);
  expect(r, "z", -0.1 * (x - 1));
}

static void test_edge(void **state)
{
  (void)state;
  run_all("bodies: {ball: {mass: 1, sphere: [0, 0, 0], radius: 0.1}}\n"
          "joints: {f: {type: free, child: ball, rate: [1, 0, 0, 0, 0, 0]}}\n"
          "loops: {plane: {type: stop, formula: \"f.z + 0.1*max(f.x - 1, 0)\", restitution: 0}}\n"
          "outputs: {x: f.x, z: f.z}\n",
          3, check_edge);
}

/* ---- lift-offs at which the gap opens as t³ */

/* Checks a body that slides up the inside of a loop of radius 1, with v² = 4 g at the bottom: the angle from there has θ' = 2 √g cos(θ/2), and
 * the contact force is 0 where cos θ = −2/3. */
static void check_loop(const cmbt_run *r)
{
  const double off = log(sqrt(6) + sqrt(5)) / sqrt(G), s = 0.7 - off, w = sqrt(2 * G / 3);
  expect(r, "X", sqrt(5) / 3 - w * 2 / 3 * s);
  expect(r, "Z", 2.0 / 3 + w * sqrt(5) / 3 * s - G * s * s / 2);
  assert_int_equal(r->result->events, 3); /* impact, closed contact, release */
}

static void test_loop(void **state)
{
  (void)state;
  run_all("bodies: {b: {mass: 2, com: [0, 0, -1], inertia: [1, 1, 1]}}\n"
          "joints: {p: {type: planar, child: b, at: [0, 0, -1], axes: [x, z], coordinates: [x, z, "
          "a],\n"
          "             rate: [6.2641839053463304, 0, 0]}}\n"
          "forces: {c: {type: contact, on: {body: b, at: [0, 0, -1]}, surface: \"1 - x^2 - z^2\",\n"
          "             restitution: 0}}\n"
          "outputs: {X: b.x, Z: b.z}\n",
          0.7, check_loop);
}

/* Checks a follower of 0.5 kg with a spring of 100 N/m on a cam at 70 rad/s: it starts on the cam's nose, lifts off at once, falls back and
 * lifts off again where the cam's acceleration, −98 cos φ, is that of the spring and of gravity. */
static void check_cam(const cmbt_run *r)
{
  const double c = (100 * 0.08 + 0.5 * G) / 47, turn = 2 * acos(-1), off = (turn - acos(c)) / 70;
  const double z = 0.02 * (c - 1), v = 1.4 * sqrt(1 - c * c), s = 0.12 - off;
  const double w = sqrt(200), middle = -0.1 - G / 200;
  expect(r, "Z", middle + (z - middle) * cos(w * s) + v / w * sin(w * s));
  assert_int_equal(r->result->events, 3);
}

static void test_cam(void **state)
{
  (void)state;
  run_all("bodies:\n"
          "  cam: {mass: 1, cylinder: [[0, -0.01, 0], [0, 0.01, 0]], radius: 0.05}\n"
          "  f: {mass: 0.5, com: [0, 0, 0.07]}\n"
          "joints:\n"
          "  a: {type: revolute, child: cam, at: [0, 0, 0], axis: y}\n"
          "  z: {type: prismatic, child: f, at: [0, 0, 0.07], axis: z, stiffness: 100, reference: "
          "-0.1}\n"
          "motions: {d: {coordinate: a, value: 70*t}}\n"
          "loops: {c: {type: stop, formula: \"0.02 + z - 0.02*cos(a)\", restitution: 0}}\n"
          "outputs: {Z: z}\n",
          0.12, check_cam);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_lift),   cmocka_unit_test(test_table),
                                     cmocka_unit_test(test_shaken), cmocka_unit_test(test_ladder),
                                     cmocka_unit_test(test_edge),   cmocka_unit_test(test_loop),
                                     cmocka_unit_test(test_cam)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
