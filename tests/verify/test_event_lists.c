/*
 * Compares complete lists of events with closed forms: name, kind, direction and time of each, in order, with none missing and none added.
 * The model has independent bodies, so that the events of one lie among those of the others:
 *
 *     two bodies that fall onto stops without rebound, stay in contact and are lifted off by a growing force;
 *     two blocks with dry friction that stop, where sign() in a formula is discontinuous, and are released later, one forwards and one
 *     backwards;
 *     a body on a spring, with one condition that reports both directions and one that reports one.
 *
 * Also checked: parts that differ only in position and direction have equal lists.
 */
#include "check.h"
#include "methods.h"
#include "model_run.h"

#include <stdio.h>
#include <string.h>

/* m: factor of all masses and forces */
#define MODEL                                                                                      \
  "parameters: {m: %g}\n"                                                                          \
  "bodies:\n"                                                                                      \
  "  high: {mass: m, sphere: [0, 0, 0], radius: 0.1}\n"                                            \
  "  low: {mass: 2*m, sphere: [0, 0, 0], radius: 0.1}\n"                                           \
  "  forwards: {mass: m, sphere: [0, 0, 0], radius: 0.1}\n"                                        \
  "  backwards: {mass: m, sphere: [0, 0, 0], radius: 0.1}\n"                                       \
  "  swing: {mass: m, sphere: [0, 0, 0], radius: 0.1}\n"                                           \
  "joints:\n"                                                                                      \
  "  zh: {type: prismatic, child: high, axis: z, start: 1}\n"                                      \
  "  zl: {type: prismatic, child: low, axis: z, start: 0.25}\n"                                    \
  "  xf: {type: prismatic, child: forwards, axis: x, rate: 1}\n"                                   \
  "  xb: {type: prismatic, child: backwards, axis: x, rate: -2}\n"                                 \
  "  xs: {type: prismatic, child: swing, axis: x, start: 1}\n"                                     \
  "loops:\n"                                                                                       \
  "  first: {type: stop, formula: zh, restitution: 0}\n"                                           \
  "  second: {type: stop, formula: zl, restitution: 0}\n"                                          \
  "forces:\n"                                                                                      \
  "  lift: {type: load, on: {body: high, at: [0, 0, 0]}, force: [0, 0, 5*m*t]}\n"                  \
  "  raise: {type: load, on: {body: low, at: [0, 0, 0]}, force: [0, 0, 8*m*t]}\n"                  \
  "  dry: {type: load, on: {body: forwards, at: [0, 0, 0]}, force: ['m*(-3*sign(xf\'\') + t)', "   \
  "0, "                                                                                            \
  "0]}\n"                                                                                          \
  "  rub: {type: load, on: {body: backwards, at: [0, 0, 0]}, force: ['m*(-3*sign(xb\'\') - "       \
  "1.5*t)', "                                                                                      \
  "0, 0]}\n"                                                                                       \
  "  spring: {type: load, on: {body: swing, at: [0, 0, 0]}, force: [-4*m*xs, 0, 0]}\n"             \
  "events:\n"                                                                                      \
  "  zero: {when: xs < 0, direction: both}\n"                                                      \
  "  half: {when: xs > -0.5, direction: rising}\n"                                                 \
  "outputs: {h: zh, l: zl, f: xf, b: xb, s: xs}\n"

static const double G = 9.81, END = 3.5;

struct expected {
  const char *name; /* without the place in the file */
  cmb_event_kind kind;
  int direction;
  double t;
};

/* Returns the time at which a body that starts at rest at the height h, with the acceleration −G + k t, comes to 0: the smallest root of
 * h − G t²/2 + k t³/6, by Newton's method, which starts before the root, where the height is concave. */
static double landing(double h, double k)
{
  double t = sqrt(2 * h / G);
  for (int i = 0; i < 50; i++) {
    t -= (h - G * t * t / 2 + k * t * t * t / 6) / (-G * t + k * t * t / 2);
  }
  return t;
}

/* Returns the time at which a body with the velocity v, decelerated by friction of 3 and pushed by k t, comes to rest: v − 3 t + k t²/2 = 0.
 * It is released at 3/k. */
static double standstill(double v, double k)
{
  return (3 - sqrt(9 - 2 * k * v)) / k;
}

static void check_list(const cmbt_run *r, int formulation)
{
  const double high = landing(1, 5), low = landing(0.25, 4), pi = acos(-1);
  const struct expected list[] = {
      {"second", CMB_KIND_IMPACT, 1, low},
      {"second.rest", CMB_KIND_REST, 1, low},
      {"force dry", CMB_KIND_FORMULA, -1, standstill(1, 1)},
      {"first", CMB_KIND_IMPACT, 1, high},
      {"first.rest", CMB_KIND_REST, 1, high},
      {"zero", CMB_KIND_CONDITION, 1, pi / 4},
      {"force rub", CMB_KIND_FORMULA, 1, standstill(2, 1.5)},
      {"first.rest", CMB_KIND_REST, -1, G / 5},
      {"force rub", CMB_KIND_SWITCH, -1, 2},
      {"half", CMB_KIND_CONDITION, 1, 2 * pi / 3},
      {"zero", CMB_KIND_CONDITION, -1, 3 * pi / 4},
      {"second.rest", CMB_KIND_REST, -1, G / 4},
      {"force dry", CMB_KIND_SWITCH, 1, 3},
  };
  const int count = (int)(sizeof list / sizeof *list);
  double worst = 0;
  for (int i = 0; i < count && i < r->event_count; i++) {
    const struct expected *a = &list[i];
    const cmbt_event *b = &r->events[i];
    const size_t length = strcspn(b->name, ","); /* the name of a switch is followed by its place */
    const bool same = strlen(a->name) == length && strncmp(a->name, b->name, length) == 0 &&
                      a->kind == b->kind && a->direction == b->direction;
    worst = fmax(worst, fabs(a->t - b->t));
    if (!same || fabs(a->t - b->t) > 100 * r->rtol) {
      fail_msg("%s, formulation %d, event %d: '%s', kind %d, direction %d, at %.10g; expected "
               "'%s', %d, %d, at %.10g",
               r->method, formulation, i, b->name, (int)b->kind, b->direction, b->t, a->name,
               (int)a->kind, a->direction, a->t);
    }
  }
  printf("%-10s %d events, to %.1e s\n", r->method, r->event_count, worst);
  assert_int_equal(r->event_count, count);
}

static void check_all(double mass)
{
  char text[sizeof MODEL + 20];
  snprintf(text, sizeof text, MODEL, mass);
  for (int i = 0; (i = cmbt_next_but_trap(i)) < cmb_method_count(); i++) {
    for (int k = 0; k < 3; k++) {
      cmbt_run r;
      cmbt_run_open_text(&r, text, cmbt_formulation(k));
      r.method = cmb_method_name(cmb_method_at(i));
      r.rtol = 1e-6;
      cmbt_run_to(&r, END, 0);
      check_list(&r, k);
      cmbt_run_close(&r);
    }
  }
}

static void test_lists(void **state)
{
  (void)state;
  check_all(1);
}

/* Checks that masses and forces in another unit give the same events: no limit for forces may depend on the unit. */
static void test_masses(void **state)
{
  (void)state;
  check_all(1e-12);
  check_all(1e6);
}

/* ---- equal parts */

/* Parts in different directions, so that their velocities come to 0 at the same time except for rounding. */
static const char EQUAL[] =
    "gravity: [0, 0, 0]\n"
    "templates:\n"
    "  slider:\n"
    "    bodies: {b: {mass: 1, com: [0, 0, 0]}}\n"
    "    joints:\n"
    "      x: {type: prismatic, child: b, axis: [1, 0.3, 0.2], rate: 1,\n"
    "          friction: {force: 0.7, law: stick}}\n"
    "    forces:\n"
    "      f: {type: load, on: {body: b, at: [0, 0, 0]}, force: [5*sin(3*t), sin(t), 0]}\n"
    "instances:\n"
    "  a: {template: slider}\n"
    "  b: {template: slider, axes: {x: [1, 2, 3], y: [-2, 1, 0]}}\n"
    "  c: {template: slider, mirror: y}\n"
    "  d: {template: slider, axes: {x: [0.3, 1, 0.1], z: [-0.1, 0, 0.3]}}\n"
    "outputs: {a: \"a.x'\"}\n";

/* Lists the events of the part with this letter, in order; returns their number. */

static int events_of(const cmbt_run *r, char part, int most, const cmbt_event **list)
{
  int count = 0;
  for (int i = 0; i < r->event_count && count < most; i++) {
    if (r->events[i].name[0] == part) list[count++] = &r->events[i];
  }
  return count;
}

static void test_equal_parts(void **state)
{
  enum { MOST = 40, EVENTS = 9 };
  (void)state;
  for (int i = 0; (i = cmbt_next_but_trap(i)) < cmb_method_count(); i++) {
    for (int k = 0; k < 3; k++) {
      const cmbt_event *first[MOST], *other[MOST];
      cmbt_run r;
      cmbt_run_open_text(&r, EQUAL, cmbt_formulation(k));
      r.method = cmb_method_name(cmb_method_at(i));
      cmbt_run_to(&r, 10, 0);
      assert_int_equal(events_of(&r, 'a', MOST, first), EVENTS);
      for (char part = 'b'; part <= 'd'; part++) {
        assert_int_equal(events_of(&r, part, MOST, other), EVENTS);
        for (int j = 0; j < EVENTS; j++) {
          assert_string_equal(other[j]->name + 1, first[j]->name + 1);
          assert_int_equal(other[j]->direction, first[j]->direction);
          cmbt_near(other[j]->t, first[j]->t, 1e-12);
        }
      }
      cmbt_run_close(&r);
    }
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_lists), cmocka_unit_test(test_masses),
                                     cmocka_unit_test(test_equal_parts)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
