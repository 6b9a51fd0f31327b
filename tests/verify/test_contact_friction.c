/*
 * Dry friction that holds or releases bodies on closed rigid contacts and stops, against solutions in closed form, in all formulations.
 * Loads F*sign(v) are the friction; F is a number, as for a contact that carries a known weight.
 *
 * - A block on an incline slides down against friction, stays at a stop and is pulled up again by a growing force.
 * - A block on a block on a floor: the upper one is dragged along until the friction between the two slips.
 * - A car on four legs on an incline: friction at the legs holds it until the incline is steep enough.
 * - A rod whose two ends bounce on a floor with friction: both come to rest.
 * - A body in the corner of one contact ends the run with an error that names the contact; with a contact for each side it stays there.
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
  r->rtol = cmbt_is(cmb_method_at(method), "trap") ? 1e-5 : 1e-8;
}

static double tolerance_of(const cmbt_run *r)
{
  return r->rtol > 1e-6 ? 1e-3 : 1e-6;
}

/* Checks every method in one formulation; the formulations take turns. */
static void for_all(const char *text, double t_end, void (*check)(const cmbt_run *r, double near))
{
  for (int i = cmbt_next_method(0); i < cmb_method_count(); i = cmbt_next_method(i + 1)) {
    cmbt_run r;
    open_run(&r, text, i, i % 3);
    cmbt_run_to(&r, t_end, 0);
    check(&r, tolerance_of(&r));
    cmbt_run_close(&r);
  }
}

/* ---- a block, an incline and a stop */

/* A block of 2 kg on an incline of 30°: 9.81 N down the incline against 4 N of friction. It moves 0.5 m from rest in √(2 0.5/2.905) s and
 * stays at the stop with restitution 0, where friction and the stop carry 9.81 N in indeterminate parts. A force 10 (t − 1) up the incline
 * from 1 s on unloads the stop and moves the block when 10 (t − 1) − 9.81 = 4. */
static const char INCLINE[] =
    "parameters: {s: 0.5, c: 0.86602540378443865}\n"
    "bodies: {b: {mass: 2, sphere: [0, 0, 0], radius: 0.1}}\n"
    "joints: {x: {type: prismatic, child: b, axis: [c, 0, -s]}}\n"
    "loops: {wall: {type: stop, formula: 0.5 - x, restitution: 0}}\n"
    "forces:\n"
    "  f: {type: torsion, coordinate: x, torque: \"4*sign(x')\"}\n"
    "  pull: {type: torsion, coordinate: x, torque: 'if(t > 1, 10*(t - 1), 0)'}\n"
    "outputs: {place: x, rate: x', push: wall.force}\n";

static void check_incline(const cmbt_run *r, double near)
{
  const double after = 3 - (1 + (G + 4) / 10); /* time τ since the block moves: a = −5 τ */
  cmbt_near(cmbt_output(r, "place"), 0.5 - 5 * after * after * after / 6, near);
  cmbt_near(cmbt_output(r, "rate"), -5 * after * after / 2, near);
  cmbt_near(cmbt_output(r, "push"), 0, near);
}

static void check_incline_held(const cmbt_run *r, double near)
{
  cmbt_near(cmbt_output(r, "place"), 0.5, near);
  cmbt_near(cmbt_output(r, "rate"), 0, near);
}

static void test_incline(void **state)
{
  (void)state;
  for_all(INCLINE, 3, check_incline);
  for_all(INCLINE, 2.3, check_incline_held);
}

/* ---- a block on a block on a floor */

/* 3 kg on a floor without friction, and 1 kg on top with 2 N of friction between them; both are on closed contacts. A force 4 t along the floor
 * on the lower one accelerates both with a = t until the upper one would need more than 2 N, at t = 2. Then a = 2 above, (4 t − 2)/3 below. */
static const char STACK[] =
    "bodies:\n"
    "  low: {mass: 3, sphere: [0, 0, 0], radius: 0.1}\n"
    "  high: {mass: 1, sphere: [0, 0, 0], radius: 0.1}\n"
    "  c: {mass: 0.5, sphere: [0, 0, 0], radius: 0.1}\n"
    "  d: {mass: 0.5, sphere: [0, 0, 0], radius: 0.1}\n"
    "joints:\n"
    "  jc: {type: prismatic, child: c, axis: z}\n"
    "  x: {type: prismatic, parent: c, child: low, axis: x}\n"
    "  jd: {type: prismatic, child: d, axis: z, start: 1}\n"
    "  y: {type: prismatic, parent: d, child: high, axis: x}\n"
    "loops:\n"
    "  base: {type: stop, formula: low.z, restitution: 0}\n"
    "  top: {type: stop, formula: high.z - low.z - 1, restitution: 0}\n"
    "forces:\n"
    "  f: {type: load, on: {body: high, at: [0, 0, 0]}, force: [\"2*sign(x' - y')\", 0, 0]}\n"
    "  g: {type: load, on: {body: low, at: [0, 0, 0]}, force: [\"4*t - 2*sign(x' - y')\", 0, 0]}\n"
    "outputs: {vx: x', vy: y', low_push: base.force, high_push: top.force}\n";

static void check_stack(const cmbt_run *r, double near)
{
  cmbt_near(cmbt_output(r, "vx"), 2 + (2 * (9 - 4) - 2) / 3.0, 5 * near);
  cmbt_near(cmbt_output(r, "vy"), 2 + 2, 5 * near);
  cmbt_near(cmbt_output(r, "high_push"), 1.5 * G, near);
  cmbt_near(cmbt_output(r, "low_push"), 5 * G, near);
}

static void test_stack(void **state)
{
  (void)state;
  for_all(STACK, 3, check_stack);
}

/* ---- a car on four legs */

/* 4 kg on a plane whose slope grows: gravity turns by 0.1 t rad, and the friction of four legs is 1.5 N each. The car begins to slide when
 * 4 g sin 0.1 t = 6, and then v = ∫ g sin 0.1 t − 1.5. The sum of the contact forces is 4 g cos 0.1 t. */
static const char CAR[] =
    "gravity: [0, 0, 0]\n"
    "bodies: {car: {mass: 4, com: [0, 0, 0.2], inertia: [0.1, 0.2, 0.3]}}\n"
    "joints: {p: {type: free, child: car, at: [0, 0, 0]}}\n"
    "forces:\n"
    "  w: {type: load, on: {body: car, at: [0, 0, 0]}, force: [39.24*sin(0.1*t), 0, "
    "-39.24*cos(0.1*t)]}\n"
    "  a: {type: contact, on: {body: car, at: [1, 1, 0]}, surface: z, restitution: 0}\n"
    "  b: {type: contact, on: {body: car, at: [1, -1, 0]}, surface: z, restitution: 0}\n"
    "  c: {type: contact, on: {body: car, at: [-1, 1, 0]}, surface: z, restitution: 0}\n"
    "  d: {type: contact, on: {body: car, at: [-1, -1, 0]}, surface: z, restitution: 0}\n"
    "  f: {type: load, on: {body: car, at: [0, 0, 0]}, force: [-6*sign(car.vx), 0, 0]}\n"
    "outputs: {v: car.vx, h: car.z, push: a.fz + b.fz + c.fz + d.fz}\n";

static void check_car(const cmbt_run *r, double near)
{
  const double begins = 10 * asin(6 / (4 * G));
  const double v = 10 * G * (cos(0.1 * begins) - cos(0.3)) - 1.5 * (3 - begins);
  cmbt_near(cmbt_output(r, "v"), v, near);
  cmbt_near(cmbt_output(r, "h"), 0.2, near);
  cmbt_near(cmbt_output(r, "push"), 4 * G * cos(0.3), 100 * near);
}

static void check_car_held(const cmbt_run *r, double near)
{
  cmbt_near(cmbt_output(r, "v"), 0, near);
  cmbt_near(cmbt_output(r, "push"), 4 * G * cos(0.15), 100 * near);
}

static void test_car(void **state)
{
  (void)state;
  for_all(CAR, 3, check_car);
  for_all(CAR, 1.5, check_car_held);
}

/* ---- a rod on two ends */

static void write_rod(double e, int friction, size_t room, char *text)
{
  snprintf(text, room,
           "bodies:\n"
           "  bar: {mass: 2, com: [0, 0, 0], inertia: [0.2, 0.2, 0.2],\n"
           "        markers: {l: {at: [-0.5, 0, 0]}, r: {at: [0.5, 0, 0]}}}\n"
           "joints:\n"
           "  p: {type: planar, child: bar, at: [0, 0, 0], normal: y, coordinates: [u, w, a],\n"
           "      start: [0, 0, 0.2], rate: [1, 0, 0.3]}\n"
           "forces:\n"
           "  cl: {type: contact, on: {body: bar, at: [-0.5, 0, 0]}, surface: z + 1, restitution: "
           "%g}\n"
           "  cr: {type: contact, on: {body: bar, at: [0.5, 0, 0]}, surface: z + 1, restitution: "
           "%g}\n"
           "  fl: {type: load, on: {body: bar, at: [-0.5, 0, 0]}, force: [-%d*sign(l.vx), 0, 0]}\n"
           "  fr: {type: load, on: {body: bar, at: [0.5, 0, 0]}, force: [-%d*sign(r.vx), 0, 0]}\n"
           "outputs: {x: bar.x, z: bar.z, angle: a}\n",
           e, e, 3 * friction, 2 * friction);
}

/* Checks the final position with e = 0 and friction. There is no closed form: the value is that on which several methods agree at a tolerance
 * of 1e-9. Friction in the wrong direction after an impact changes it by about 1e-3. */
static void check_rod(const cmbt_run *r, double near)
{
  cmbt_near(cmbt_output(r, "x"), 0.2006166320445, near);
  cmbt_near(cmbt_output(r, "z"), -1, near);
  cmbt_near(cmbt_output(r, "angle"), 0, near);
}

/* Checks the final position without friction: nothing acts along the floor. */
static void check_free_rod(const cmbt_run *r, double near)
{
  cmbt_near(cmbt_output(r, "x"), 4, near);
  cmbt_near(cmbt_output(r, "z"), -1, near);
  cmbt_near(cmbt_output(r, "angle"), 0, near);
}

static void test_rod(void **state)
{
  (void)state;
  char text[2000];
  write_rod(0, 1, sizeof text, text);
  for_all(text, 4, check_rod);
  write_rod(0.7, 0, sizeof text, text);
  for_all(text, 4, check_free_rod);
}

/* Checks, at several tolerances, that the direction of friction after an impact follows from the velocity after the impact. */
static void test_friction_after_impact(void **state)
{
  (void)state;
  static const double rtol[] = {1e-6, 1e-7, 1e-9};
  static const char *const method[] = {"mdop5", "hem5", "radau5", "bdf"};
  char text[2000];
  write_rod(0, 1, sizeof text, text);
  for (int i = 0; i < 12; i++) {
    cmbt_run r;
    cmbt_run_open_text(&r, text, cmbt_formulation(i % 3));
    r.method = method[i / 3];
    r.rtol = rtol[i % 3];
    cmbt_run_to(&r, 4, 0);
    check_rod(&r, 1e-5);
    cmbt_run_close(&r);
  }
}

/* ---- a corner */

#define VALLEY(mass, contacts)                                                                     \
  "bodies: {c: {mass: " mass ", sphere: [0, 0, 0], radius: 0.1},\n"                                \
  "         b: {mass: 1, sphere: [0, 0, 0], radius: 0.1}}\n"                                       \
  "joints:\n"                                                                                      \
  "  x: {type: prismatic, child: c, axis: x, start: 0.3}\n"                                        \
  "  z: {type: prismatic, parent: c, child: b, axis: z, start: 1}\n"                               \
  "forces:\n" contacts "outputs: {px: b.x, pz: b.z}\n"
#define SIDE(name, surface)                                                                        \
  "  " name ": {type: contact, on: {body: b, at: [0, 0, 0]}, surface: " surface                    \
  ", restitution: 0}\n"

static void check_corner(const cmbt_run *r, double near)
{
  cmbt_near(cmbt_output(r, "px"), 0, near);
  cmbt_near(cmbt_output(r, "pz"), 0, near);
}

static void test_corner(void **state)
{
  (void)state;
  cmbt_run r;
  for_all(VALLEY("0.5", SIDE("left", "z - x") SIDE("right", "z + x")), 5, check_corner);
  cmbt_run_open_text(&r, VALLEY("0.001", SIDE("vee", "z - abs(x)")), CMB_FORM_EXPLICIT);
  cmb_run_options options = cmb_run_defaults();
  options.t_end = 5;
  cmbt_ok(r.ctx, cmb_simulation_create(r.ctx, r.system, &options, &r.sim));
  assert_int_equal(cmb_simulation_run(r.sim), CMB_ERROR_EVENTS);
  assert_non_null(strstr(cmb_last_error(r.ctx), "'vee' at t = "));
  assert_non_null(strstr(cmb_last_error(r.ctx), "give each branch a contact"));
  cmbt_run_close(&r);
}

/* Checks that a run which ends because an event undoes itself names this event, not a contact above whose corner, at a distance, a body is. */
static void test_above_a_corner(void **state)
{
  (void)state;
  cmbt_run r;
  cmbt_run_open_text(
      &r,
      "gravity: [0, 0, 0]\n"
      "bodies: {c: {mass: 1, com: [0, 0, 0]}, b: {mass: 1, com: [0, 0, 0]}, "
      "other: {mass: 1, com: [0, 5, 0]}}\n"
      "joints:\n"
      "  x: {type: prismatic, child: c, axis: x}\n"
      "  z: {type: prismatic, parent: c, child: b, axis: z, start: 1}\n"
      "  y: {type: prismatic, child: other, axis: y, rate: 1}\n"
      "forces:\n" SIDE("vee", "z - abs(x)") "events: {turn: {when: y > 1, direction: both, action: "
                                            "{reset: {y': -y'}}}}\n",
      CMB_FORM_EXPLICIT);
  cmb_run_options options = cmb_run_defaults();
  options.t_end = 5;
  cmbt_ok(r.ctx, cmb_simulation_create(r.ctx, r.system, &options, &r.sim));
  assert_int_equal(cmb_simulation_run(r.sim), CMB_ERROR_EVENTS);
  if (!strstr(cmb_last_error(r.ctx), "event 'turn'")) fail_msg("%s", cmb_last_error(r.ctx));
  cmbt_run_close(&r);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_incline),
                                     cmocka_unit_test(test_stack),
                                     cmocka_unit_test(test_car),
                                     cmocka_unit_test(test_rod),
                                     cmocka_unit_test(test_friction_after_impact),
                                     cmocka_unit_test(test_corner),
                                     cmocka_unit_test(test_above_a_corner)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
