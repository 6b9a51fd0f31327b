/*
 * Events with conditions on a velocity that dry friction brings to 0 and holds there. In a condition a held velocity counts as exactly 0,
 * whatever rounding makes of it: `x' < 0` becomes true neither where the block stops nor while it is held, but when friction releases it. A
 * block of 2 kg with friction of 4 N, and 6 N at rest, is pulled back by 6 t:
 *
 *     2 x'' = −4 − 6 t   until x' = 0,   at rest until t = 1,   2 x'' = 4 − 6 t afterwards.
 */
#include "check.h"
#include "methods.h"
#include "model_run.h"

#include <stdio.h>
#include <string.h>

enum { MOST = 8 };

/* The formats %s stand for: the start rate, friction on the other block, further events. */
static const char BLOCK[] =
    "gravity: [0, 0, 0]\n"
    "bodies: {block: {mass: 2, box: [0.2, 0.1, 0.1], at: [0, 0, 0]}, other: {mass: 1, box: [0.2, "
    "0.1, 0.1], at: "
    "[0, 1, 0]}}\n"
    "joints:\n"
    "  x: {type: prismatic, child: block, axis: x, rate: %s, friction: {force: 4, law: stick, "
    "static: 6}}\n"
    "  y: {type: prismatic, child: other, axis: x, rate: 0.3%s}\n"
    "forces: {pull: {type: load, on: {body: block, at: [0, 0, 0]}, force: [-6*t, 0, 0]}}\n"
    "events:\n"
    "  back: {when: \"x' < 0\", direction: both}\n"
    "  forth: {when: \"0 < x'\", direction: both}\n"
    "  not_forth: {when: \"x' <= 0\", direction: both}\n"
    "  not_back: {when: \"2*x' >= 0\", direction: both}\n"
    "  inside: {when: \"min(x', 0) < 0\", direction: both}\n"
    "%s"
    "outputs: {place: x}\n";

static void open_block(cmbt_run *r, int method, int form, const char *rate, const char *friction,
                       const char *events)
{
  const cmb_method *m = cmb_method_at(method);
  char text[2000];
  snprintf(text, sizeof text, BLOCK, rate, friction, events);
  cmbt_run_open_text(r, text, cmbt_formulation(form));
  r->method = cmb_method_name(m);
  r->rtol = cmbt_is(m, "trap") ? 1e-5 : cmbt_is_precise(m) ? 1e-10 : 1e-8;
}

/* Checks that the event occurs once, in this direction, at this time. */
static void check_once(const cmbt_run *r, const char *name, int direction, double t)
{
  double times[MOST];
  assert_int_equal(cmbt_times(r, name, 0, MOST, times), 1);
  assert_int_equal(cmbt_times(r, name, direction, MOST, times), 1);
  cmbt_near(times[0], t, r->rtol < 1e-9 ? 1e-8 : r->rtol < 1e-6 ? 1e-6 : 1e-4);
}

/* Checks all conditions for a block that stops and is released; the other block may have friction that also stops and holds it. */
static void check_stop(int method, int form, const char *friction)
{
  const double stop = (sqrt(7) - 2) / 3;
  cmbt_run r;
  open_block(&r, method, form, "0.5", friction, "");
  cmbt_run_to(&r, 1.5, 0);
  check_once(&r, "back", 1, 1);
  check_once(&r, "forth", -1, stop);
  check_once(&r, "not_forth", 1, stop);
  check_once(&r, "not_back", -1, 1);
  check_once(&r, "inside", 1, 1);
  const double place = 0.5 * stop - stop * stop - 0.5 * pow(stop, 3) - 0.1875;
  cmbt_near(cmbt_output(&r, "place"), place, r.rtol < 1e-6 ? 1e-6 : 1e-4);
  cmbt_run_close(&r);
}

/* Checks a block that is held from the start of the run. */
static void check_start(int method, int form)
{
  double times[MOST];
  cmbt_run r;
  open_block(&r, method, form, "0", "", "");
  cmbt_run_to(&r, 1.5, 0);
  check_once(&r, "back", 1, 1);
  check_once(&r, "not_back", -1, 1);
  assert_int_equal(cmbt_times(&r, "forth", 0, MOST, times), 0);
  assert_int_equal(cmbt_times(&r, "not_forth", 0, MOST, times), 0);
  cmbt_run_close(&r);
}

/* Checks a block that a reset of its velocity sets in motion, 2 x'' = 4 − 6 t; friction stops it again and releases it at t = 1. */
static void check_reset(int method, int form)
{
  const char hit[] = "  hit: {when: t > 0.6, action: {reset: {\"x'\": -0.001}}}\n";
  double times[MOST];
  cmbt_run r;
  open_block(&r, method, form, "0", "", hit);
  cmbt_run_to(&r, 1.2, 0);
  assert_int_equal(cmbt_times(&r, "back", 1, MOST, times), 2);
  cmbt_near(times[0], 0.6, 1e-12);
  cmbt_near(times[1], 1, 1e-9);
  assert_int_equal(cmbt_times(&r, "back", -1, MOST, times), 1);
  cmbt_near(times[0], 0.6 + (0.2 - sqrt(0.034)) / 3, r.rtol < 1e-6 ? 1e-6 : 1e-4);
  assert_int_equal(cmbt_times(&r, "forth", 0, MOST, times), 0);
  cmbt_run_close(&r);
}

/* Checks a block that a reset moves forwards at t = 1.5, 2 x'' = −4 − 6 t; it reverses where friction cannot hold it. */
static void check_reversal(int method, int form)
{
  double times[MOST];
  const char late[] = "  push: {when: t > 1.5, action: {reset: {\"x'\": 1}}}\n";
  cmbt_run r;
  open_block(&r, method, form, "0", "", late);
  cmbt_run_to(&r, 2, 0);
  assert_int_equal(cmbt_times(&r, "back", 1, MOST, times), 2);
  cmbt_near(times[0], 1, 1e-9);
  cmbt_near(times[1], (sqrt(48.25) - 2) / 3, r.rtol < 1e-6 ? 1e-6 : 1e-4);
  assert_int_equal(cmbt_times(&r, "forth", 0, MOST, times), 2);
  cmbt_run_close(&r);
}

static void test_stop_and_release(void **state)
{
  (void)state;
  for (int i = 0, n = 0; (i = cmbt_next_method(i)) < cmb_method_count(); i++) {
    for (int k = 0; k < 3; k++, n++) {
      if (!cmbt_is_sampled(n)) continue;
      check_stop(i, k, "");
      check_stop(i, k, ", friction: {force: 2, law: stick, static: 3}");
      check_start(i, k);
      check_reset(i, k);
      check_reversal(i, k);
    }
  }
}

/* Two blocks, with a force on a coordinate; the formats %s stand for the coordinate and the force. */
static const char SWITCHED[] = "gravity: [0, 0, 0]\n"
                               "bodies: {a: {mass: 2, sphere: [0, 0, 0], radius: 0.1}, b: {mass: "
                               "1, sphere: [0, 1, 0], radius: 0.1}}\n"
                               "joints:\n"
                               "  x: {type: prismatic, child: a, axis: x, rate: 0.5, friction: "
                               "{force: 4, law: stick, static: 6}}\n"
                               "  y: {type: prismatic, child: b, axis: x}\n"
                               "forces: {c: {type: torsion, coordinate: %s, torque: \"%s\"}}\n"
                               "outputs: {place: x}\n";

/* Checks that a force which is discontinuous in a held velocity is refused, since it has no value while friction holds. It is allowed if it
 * acts on the same coordinate as the friction: 4 N and 2 N stop the block of 2 kg within 1/6 s. */
static void test_forces(void **state)
{
  (void)state;
  static const char *const forces[] = {"if(x' < 0, 1, 2)", "2*sign(x')", "if(x' > 0, 2, -2)"};
  for (int k = 0; k < 3; k++) {
    char text[2000];
    cmbt_run r;
    snprintf(text, sizeof text, SWITCHED, "y", forces[k]);
    cmbt_run_open_text(&r, text, CMB_FORM_EXPLICIT);
    cmb_run_options options = cmb_run_defaults();
    options.t_end = 1;
    cmb_simulation *sim;
    assert_int_equal(cmb_simulation_create(r.ctx, r.system, &options, &sim), CMB_OK);
    assert_int_equal(cmb_simulation_run(sim), CMB_ERROR_EVENTS);
    assert_non_null(
        strstr(cmb_last_error(r.ctx), "'x.friction' holds a velocity at 0 at t = 0.25"));
    cmb_simulation_destroy(sim);
    cmbt_run_close(&r);
    if (k == 0) continue;
    snprintf(text, sizeof text, SWITCHED, "x", forces[k]);
    cmbt_run_open_text(&r, text, CMB_FORM_EXPLICIT);
    cmbt_run_to(&r, 1, 0);
    cmbt_near(cmbt_output(&r, "place"), 0.25 / 6, 1e-8);
    cmbt_run_close(&r);
  }
}

/* ---- conditions that must not count as conditions on a held velocity */

/* Opens the model of the block with other events. */
static void open_events(cmbt_run *r, double rtol, const char *events)
{
  char text[2000];
  const char *const at = strstr(BLOCK, "  back:");
  const int length = (int)(at - BLOCK);
  char head[1200];
  snprintf(head, sizeof head, "%.*s%%soutputs: {place: x}\n", length, BLOCK);
  snprintf(text, sizeof text, head, "0.5", "", events);
  cmbt_run_open_text(r, text, CMB_FORM_EXPLICIT);
  r->rtol = rtol;
}

/* Checks that a threshold which moves while the velocity is held is passed at its time, and that thresholds close to 0 differ from 0. */
static void test_thresholds(void **state)
{
  (void)state;
  const double stop = (sqrt(7) - 2) / 3;
  for (int k = 3; k <= 9; k += 3) {
    cmbt_run r;
    open_events(&r, pow(10, -k),
                "  passes: {when: \"x' < t - 0.7\", direction: both}\n"
                "  stopped: {when: \"x' < 1e-6\", direction: both}\n"
                "  not_reversed: {when: \"x' > -1e-6\", direction: both}\n");
    cmbt_run_to(&r, 1.5, 0);
    check_once(&r, "passes", 1, 0.7);
    check_once(&r, "stopped", 1, stop);
    check_once(&r, "not_reversed", -1, 1);
    cmbt_run_close(&r);
  }
}

/* Checks that a held velocity stays held when the velocity of the other block is reset, at least ten times. */
static void test_resets_of_other_block(void **state)
{
  (void)state;
  double times[40];
  for (int i = 0; (i = cmbt_next_method(i)) < cmb_method_count(); i++) {
    cmbt_run r;
    open_block(&r, i, i % 3, "0.5", "",
               "  tick: {when: \"sin(50*t) > 0\", action: {reset: {\"y'\": 0.2}}}\n");
    cmbt_run_to(&r, 1.5, 0);
    assert_true(cmbt_times(&r, "tick", 0, 40, times) >= 10);
    check_once(&r, "back", 1, 1);
    check_once(&r, "not_forth", 1, (sqrt(7) - 2) / 3);
    cmbt_run_close(&r);
  }
}

/* Checks the sum of two held velocities: a reset of both, at 0.6, moves the block forwards and the other one, with more speed, back. The sum is
 * then negative, although the block's velocity is positive until friction holds it again, up to t = 1; the other block stops at the end. */
static void test_reset_of_both(void **state)
{
  (void)state;
  double times[MOST];
  for (int i = 0; (i = cmbt_next_method(i)) < cmb_method_count(); i++) {
    cmbt_run r;
    open_block(&r, i, i % 3, "0", ", friction: {force: 1, law: stick}",
               "  sum: {when: \"x' + y' < 0\", direction: both}\n"
               "  ahead: {when: \"x' > y'\", direction: both}\n"
               "  hit: {when: t > 0.6, action: {reset: {\"x'\": 1, \"y'\": -2}}}\n");
    cmbt_run_to(&r, 1.2, 0);
    check_once(&r, "sum", 1, 0.6);
    check_once(&r, "ahead", 1, 0.6);
    assert_int_equal(cmbt_times(&r, "back", 0, MOST, times), 1);
    cmbt_near(times[0], 1, 1e-6);
    assert_int_equal(cmbt_times(&r, "forth", 1, MOST, times), 1);
    cmbt_near(times[0], 0.6, 1e-12);
    cmbt_run_close(&r);
  }
}

/* Blocks on top of each other, each held by friction on the one below, so that sums of held velocities are held, too. The load t releases the
 * lowest one at 1.5, and all three move. */
static const char PILE[] =
    "gravity: [0, 0, 0]\n"
    "bodies: {a: {mass: 1, sphere: [0, 0, 0], radius: 0.1}, b: {mass: 1, sphere: [0, 1, 0], "
    "radius: 0.1}, c: {mass: 1, sphere: [0, 2, 0], radius: 0.1}}\n"
    "joints:\n"
    "  x: {type: prismatic, child: a, axis: x, friction: {force: 1, law: stick, static: 1.5}}\n"
    "  y: {type: prismatic, parent: a, child: b, axis: x, friction: {force: 2, law: stick, static: "
    "3}}\n"
    "  z: {type: prismatic, parent: b, child: c, axis: x, friction: {force: 3, law: stick, static: "
    "4}}\n"
    "forces: {p: {type: load, on: {body: c, at: [0, 2, 0]}, force: [t, 0, 0]}}\n"
    "events: {c_moves: {when: c.vx > 0, direction: both}, c_back: {when: c.vx < 0, direction: "
    "both},\n"
    "         b_slips: {when: \"b.vx < a.vx\", direction: both}, b_rests: {when: b.vx <= 0, "
    "direction: both}}\n";

static void test_pile(void **state)
{
  (void)state;
  double times[MOST];
  for (int i = 0; (i = cmbt_next_method(i)) < cmb_method_count(); i++) {
    cmbt_run r;
    if (cmbt_is(cmb_method_at(i), "trap")) continue;
    cmbt_run_open_text(&r, PILE, cmbt_formulation(i % 3));
    r.method = cmb_method_name(cmb_method_at(i));
    r.rtol = 1e-6;
    cmbt_run_to(&r, 3, 0);
    check_once(&r, "c_moves", 1, 1.5);
    check_once(&r, "b_rests", -1, 1.5);
    assert_int_equal(cmbt_times(&r, "c_back", 0, MOST, times), 0);
    assert_int_equal(cmbt_times(&r, "b_slips", 0, MOST, times), 0);
    cmbt_run_close(&r);
  }
}

/* Checks many blocks, of which two stop at the same time and one is released later: their velocities are distinguished in all positions. */
static void test_many_blocks(void **state)
{
  (void)state;
  enum { BLOCKS = 377, ROOM = 100 };
  static char text[2 * BLOCKS * ROOM + 1000];
  size_t used = (size_t)snprintf(text, sizeof text, "gravity: [0, 0, 0]\nbodies:\n");
  for (int i = 1; i <= BLOCKS; i++) {
    used += (size_t)snprintf(text + used, sizeof text - used,
                             "  b%d: {mass: 1, sphere: [0, %d, 0], radius: 0.1}\n", i, i);
  }
  used += (size_t)snprintf(text + used, sizeof text - used, "joints:\n");
  for (int i = 1; i <= BLOCKS; i++) {
    const bool held = i == 333 || i == BLOCKS;
    used += (size_t)snprintf(text + used, sizeof text - used,
                             "  x%d: {type: prismatic, child: b%d, axis: x%s}\n", i, i,
                             held ? ", rate: 1, friction: {force: 1, law: stick, static: 2}" : "");
  }
  snprintf(
      text + used, sizeof text - used,
      "forces: {pull: {type: torsion, coordinate: x377, torque: \"if(t > 1.2, 3*(t - 1.2), 0)\"}}\n"
      "events: {back: {when: \"x377' < 0\"}, other: {when: \"x333' < 0\"}}\n"
      "outputs: {place: x377}\n");
  double times[MOST];
  cmbt_run r;
  cmbt_run_open_text(&r, text, CMB_FORM_EXPLICIT);
  cmbt_run_to(&r, 4, 0);
  check_once(&r, "back", 1, 1.2 + 2.0 / 3);
  assert_int_equal(cmbt_times(&r, "other", 0, MOST, times), 0);
  /* From the release on x'' = 1 − 3 (t − 1.2), or −1 − 3 s with the time s since then. */
  const double s = 4 - 1.2 - 2.0 / 3;
  cmbt_near(cmbt_output(&r, "place"), 0.5 - s * s / 2 - s * s * s / 2, 1e-6);
  cmbt_run_close(&r);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_stop_and_release), cmocka_unit_test(test_forces),
      cmocka_unit_test(test_thresholds),       cmocka_unit_test(test_resets_of_other_block),
      cmocka_unit_test(test_reset_of_both),    cmocka_unit_test(test_pile),
      cmocka_unit_test(test_many_blocks),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
