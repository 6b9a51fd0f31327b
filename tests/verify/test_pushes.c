/*
 * Short forces, and forces that exceed the limit of friction or of a contact only slightly. Sticking ends, and contacts open, at the time
 * that follows from the load, for every method and however long its steps are while nothing moves. The load is
 * P(t) = c + p exp(−((t − 5)/w)²) or A sin t, so that the time is known in closed form:
 *
 *     c + p exp(−((t − 5)/w)²) = limit,   t = 5 − w √ln(p/(limit − c)).
 *
 * For a block that sticks on a freely oscillating carriage, x = x₀ cos ωt, the time at which load and inertia force together exceed the
 * limit is found by bisection.
 */
#include "check.h"
#include "model_run.h"

#include <stdio.h>

static const char *const methods[] = {"mdop5", "mdop853", "radau5", "radau", "bdf", "sdirk4"};
enum { METHODS = sizeof methods / sizeof *methods };

/* Runs the model for 10 s and checks that no release was left undecided. */
static void run(cmbt_run *r, const char *text, const char *method)
{
  cmbt_run_open_text(r, text, CMB_FORM_EXPLICIT);
  r->method = method;
  r->rtol = 1e-6;
  cmbt_run_to(r, 10, 0);
  assert_int_equal(r->result->undecided, 0);
}

/* Returns the time of the first event after the start; fails if there is none. */
static double first_event(const cmbt_run *r)
{
  for (int i = 0; i < r->event_count; i++) {
    if (r->events[i].t > 0) return r->events[i].t;
  }
  fail_msg("%s has found no release", r->method);
  return 0;
}

/* Checks that all methods find the release at the time t. */
static void check_all_methods(const char *text, double t, double tolerance)
{
  for (int k = 0; k < METHODS; k++) {
    cmbt_run r;
    run(&r, text, methods[k]);
    cmbt_near(first_event(&r), t, tolerance);
    cmbt_run_close(&r);
  }
}

/* Returns the time at which 1/excess of the bell exp(−((t − 5)/width)²) is reached: 5 − width √ln(excess). */
static double bell_time(double width, double excess)
{
  return 5 - width * sqrt(log(excess));
}

/* Writes the model of a block on the ground with friction that sticks up to 8 N, and a load. */
static const char *block(const char *load, size_t room, char *text)
{
  snprintf(text, room,
           "bodies: {b: {mass: 1, sphere: [0, 0, 0], radius: 0.1}}\n"
           "joints: {j: {type: prismatic, child: b, axis: x,\n"
           "             friction: {force: 5, law: stick, static: 8}}}\n"
           "forces: {l: {type: load, on: {body: b, at: [0, 0, 0]}, force: ['%s', 0, 0]}}\n"
           "outputs: {x: b.x}\n",
           load);
  return text;
}

static void test_short_load(void **state)
{
  (void)state;
  static const double widths[] = {0.3, 0.1, 0.03, 0.01, 0.001};
  char text[1000], load[100];
  for (int i = 0; i < 5; i++) {
    snprintf(load, sizeof load, "4 + 10*exp(-((t - 5)/%g)^2)", widths[i]);
    check_all_methods(block(load, sizeof text, text), bell_time(widths[i], 10.0 / 4), 1e-12);
  }
}

static void test_slight_excess(void **state)
{
  (void)state;
  char text[1000];
  check_all_methods(block("8.000001*sin(t)", sizeof text, text), asin(8 / 8.000001), 1e-9);
  check_all_methods(block("8.001*sin(t)", sizeof text, text), asin(8 / 8.001), 1e-12);
}

/* Checks that loads just below the limit cause no event and no motion. */
static void test_below_limit(void **state)
{
  (void)state;
  static const char *const loads[] = {"7.9999*sin(t)", "4 + 3.9999*exp(-((t - 5)/0.05)^2)",
                                      "4*sin(30*t) + 3*cos(17*t)"};
  char text[1000];
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < METHODS; k++) {
      cmbt_run r;
      run(&r, block(loads[i], sizeof text, text), methods[k]);
      assert_int_equal(r.event_count, 0);
      cmbt_near(cmbt_output(&r, "x"), 0, 1e-12);
      cmbt_run_close(&r);
    }
  }
}

/* Checks the time at which a short force lifts a body off a stop: when it exceeds the weight. */
static void test_short_lift(void **state)
{
  (void)state;
  check_all_methods("bodies: {b: {mass: 1, sphere: [0, 0, 0], radius: 0.1}}\n"
                    "joints: {j: {type: prismatic, child: b, axis: z}}\n"
                    "loops: {s: {type: stop, formula: j, restitution: 0}}\n"
                    "forces: {l: {type: load, on: {body: b, at: [0, 0, 0]},\n"
                    "             force: [0, 0, '20*exp(-((t - 5)/0.1)^2)']}}\n"
                    "gravity: [0, 0, -9.81]\n",
                    bell_time(0.1, 20 / 9.81), 1e-9);
}

/* Returns the time at which a floor, h(t) = −0.2 exp(−((t − 5)/0.1)²), falls faster than the body on it: ḧ = −9.81, by bisection. */
static double floor_time(void)
{
  double low = 4.7, high = 5 - 0.1 * sqrt(1.5);
  for (int k = 0; k < 60; k++) {
    const double t = (low + high) / 2, x = (t - 5) / 0.1;
    const double rate = -0.2 * exp(-x * x) * (4 * x * x - 2) / 0.01;
    *(rate > -9.81 ? &low : &high) = t;
  }
  return low;
}

static void test_falling_floor(void **state)
{
  (void)state;
  check_all_methods("bodies: {b: {mass: 1, sphere: [0, 0, 0], radius: 0.1}}\n"
                    "joints: {j: {type: prismatic, child: b, axis: z}}\n"
                    "inputs: {h: '-0.2*exp(-((t - 5)/0.1)^2)'}\n"
                    "loops: {s: {type: stop, formula: j - h, restitution: 0}}\n"
                    "gravity: [0, 0, -9.81]\n",
                    floor_time(), 1e-8);
}

/* Checks the release at the time at which the limit of friction, F = 6 − 4 exp(−((t − 5)/0.05)²), falls below a constant load of 4 for a
 * short time. */
static void test_weak_friction(void **state)
{
  (void)state;
  check_all_methods(
      "bodies: {b: {mass: 1, sphere: [0, 0, 0], radius: 0.1}}\n"
      "joints: {j: {type: prismatic, child: b, axis: x}}\n"
      "inputs: {F: '6 - 4*exp(-((t - 5)/0.05)^2)'}\n"
      "forces: {l: {type: load, on: {body: b, at: [0, 0, 0]}, force: [\"4 - stick(j', F, F)\", "
      "0, 0]}}\n",
      bell_time(0.05, 4.0 / 2), 1e-12);
}

/* Checks blocks in a row, each sticking on the one before; the last is loaded, and all joints transmit the load. The joint with the lowest
 * limit is released: in the first model the last one, with 6 N, in the second model the first one, with 5 N. */
static void test_row_of_blocks(void **state)
{
  (void)state;
  static const char text[] =
      "bodies:\n"
      "  a: {mass: 1, sphere: [0, 0, 0], radius: 0.1}\n"
      "  b: {mass: 2, sphere: [0, 0, 0], radius: 0.1}\n"
      "  c: {mass: 3, sphere: [0, 0, 0], radius: 0.1}\n"
      "joints:\n"
      "  i: {type: prismatic, child: a, axis: x, friction: {force: 5, law: stick, static: %s}}\n"
      "  j: {type: prismatic, parent: a, child: b, axis: x, friction: {force: 5, law: stick, "
      "static: 8}}\n"
      "  k: {type: prismatic, parent: b, child: c, axis: x, friction: {force: 5, law: stick, "
      "static: %s}}\n"
      "forces: {l: {type: load, on: {body: c, at: [0, 0, 0]},\n"
      "             force: ['1 + 6*exp(-((t - 5)/0.1)^2)', 0, 0]}}\n";
  char model[1200];
  snprintf(model, sizeof model, text, "8", "6");
  check_all_methods(model, bell_time(0.1, 6.0 / 5), 1e-12);
  snprintf(model, sizeof model, text, "5", "9");
  check_all_methods(model, bell_time(0.1, 6.0 / 4), 1e-12);
}

/* Returns the time at which the friction between block (1 kg) and carriage (3 kg) exceeds 8 N: while it sticks x'' = (P − k x)/4, and before
 * the load x = x₀ cos ωt. */
static double carriage_time(void)
{
  double low = 4.99, high = 5;
  for (int k = 0; k < 60; k++) {
    const double t = (low + high) / 2, x = (t - 5) / 0.002, push = 12 * exp(-x * x);
    const double a = (push - 20 * 0.2 * cos(sqrt(5) * t)) / 4;
    *(push - a < 8 ? &low : &high) = t;
  }
  return low;
}

static void test_moving_carriage(void **state)
{
  (void)state;
  check_all_methods(
      "bodies: {c: {mass: 3, sphere: [0, 0, 0], radius: 0.1}, b: {mass: 1, sphere: [0, 0, 0], "
      "radius: 0.1}}\n"
      "joints:\n"
      "  s: {type: prismatic, child: c, axis: x, start: 0.2}\n"
      "  j: {type: prismatic, parent: c, child: b, axis: x, friction: {force: 5, law: stick, "
      "static: 8}}\n"
      "forces:\n"
      "  k: {type: load, on: {body: c, at: [0, 0, 0]}, force: [-20*s, 0, 0]}\n"
      "  l: {type: load, on: {body: b, at: [0, 0, 0]}, force: ['12*exp(-((t - 5)/0.002)^2)', "
      "0, 0]}\n",
      carriage_time(), 1e-6);
}

/* Checks a release in a model with a constraint whose gradient depends on time: for it the library has no bounds on friction forces within a
 * step, and evaluates them at points instead. */
static void test_varying_constraint(void **state)
{
  (void)state;
  check_all_methods(
      "bodies: {b: {mass: 1, sphere: [0, 0, 0], radius: 0.1}, c: {mass: 1, sphere: [0, 0, 0], "
      "radius: 0.1},\n"
      "         d: {mass: 1, sphere: [0, 0, 0], radius: 0.1}}\n"
      "joints:\n"
      "  j: {type: prismatic, child: b, axis: x, friction: {force: 5, law: stick, static: 8}}\n"
      "  k: {type: prismatic, child: c, axis: x}\n"
      "  m: {type: prismatic, child: d, axis: x}\n"
      "loops: {f: {type: formula, formula: 'k - (1 + 0.1*sin(t))*m'}}\n"
      "forces: {l: {type: load, on: {body: b, at: [0, 0, 0]}, force: ['4 + 10*exp(-((t - "
      "5)/0.1)^2)', 0, 0]}}\n",
      bell_time(0.1, 10.0 / 4), 1e-9);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_short_load),         cmocka_unit_test(test_slight_excess),
      cmocka_unit_test(test_below_limit),        cmocka_unit_test(test_short_lift),
      cmocka_unit_test(test_falling_floor),      cmocka_unit_test(test_weak_friction),
      cmocka_unit_test(test_row_of_blocks),      cmocka_unit_test(test_moving_carriage),
      cmocka_unit_test(test_varying_constraint),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
