/*
 * Tests of accelerations where the constraints lose rank, and near such positions: both cranks of a parallelogram four-bar have the
 * acceleration given by the equation of motion of the branch, in the flat position, on both sides of it, and for states slightly off the
 * branch.
 */
#include "check.h"
#include "dae/branch.h"
#include "dae/project.h"
#include "fourbar.h"
#include "model_run.h"
#include "system/rank.h"

#include <camber/camber.h>
#include <string.h>

struct bar {
  cmb_context *ctx;
  cmb_equations eq;
  cmb_evaluator *ev;
  double q[9], v[9], a[9], lambda[8];
  int crank, rocker; /* coordinates of their angles */
};

static void open_bar(struct bar *b, const struct cmbt_fourbar *p)
{
  double start_q[9], start_v[9];
  cmb_start_report report;
  b->ctx = cmb_context_create(NULL);
  b->eq = cmbt_fourbar_equations(p);
  b->crank = p->kind == CMBT_FOURBAR_BODIES ? 2 : 0;
  b->rocker = p->kind == CMBT_FOURBAR_BODIES ? 8 : 2;
  cmbt_ok(b->ctx, cmb_evaluator_create(b->ctx, &b->eq, &b->ev));
  cmbt_fourbar_state(p, 1, 2, start_q, start_v);
  cmbt_ok(b->ctx, cmb_consistent_start(b->ev, 0, start_q, start_v, b->a, b->lambda, &report));
}

static void close_bar(struct bar *b)
{
  cmb_evaluator_destroy(b->ev);
  cmb_context_destroy(b->ctx);
}

/* Returns φ'' of the branch, by the difference of φ' over a short time. */
static double exact(const struct cmbt_fourbar *p, double phi, double rate)
{
  const double e = 1e-4;
  double phi1 = phi, rate1 = rate, phi2 = phi, rate2 = rate;
  cmbt_fourbar_exact(p, e, 10, &phi1, &rate1, 0, NULL);
  cmbt_fourbar_exact(p, -e, 10, &phi2, &rate2, 0, NULL);
  return (rate1 - rate2) / (2 * e);
}

static const cmbt_fourbar_kind kinds[] = {CMBT_FOURBAR_ANGLES, CMBT_FOURBAR_RELATIVE,
                                          CMBT_FOURBAR_BODIES, CMBT_FOURBAR_DOUBLE};

/* Checks the accelerations in states exactly at a loss of rank, and so near to it that they count as such. */
static void test_flat(void **state)
{
  (void)state;
  static const double angles[] = {0, 3.14159265358979323846, 1e-9, -1e-6};
  for (int k = 0; k < 16; k++) {
    const struct cmbt_fourbar p = {kinds[k / 4], 1, k % 4 / 2 ? 0.6 : 0, 0.9, 3, 0.1};
    for (int i = 0; i < 4; i++) {
      struct bar b;
      open_bar(&b, &p);
      cmb_watch_rank(b.ev, k % 2);
      cmbt_fourbar_state(&p, angles[i], 2, b.q, b.v);
      cmbt_ok(b.ctx, cmb_accelerate(b.ev, 0, b.q, b.v, b.a, b.lambda));
      const double expected = exact(&p, angles[i], 2);
      cmbt_near(b.a[b.crank], expected, 1e-4 * fabs(expected)); /* CMB_WEAK_ZERO is 1e-4 */
      cmbt_near(b.a[b.rocker], expected, 1e-4 * fabs(expected));
      close_bar(&b);
    }
  }
}

/* Checks two uncoupled four-bars that lose rank simultaneously and turn at 2 and −3 rad/s. Both cranks of
 * each have a length of 1 m and masses of 1 and 3 kg, the couplers M = 1 and 3 kg, so that (4/3 + M) φ'' = −(2 + M) g cos φ. */
static void test_two_simultaneous(void **state)
{
  (void)state;
  static const char text[] =
      "gravity: [0, 0, -9.81]\n"
      "templates:\n"
      "  bar:\n"
      "    parameters: {mass: 1}\n"
      "    points: {A: [0, 0, 0], B: [1, 0, 0], C: [4, 0, 0], D: [3, 0, 0]}\n"
      "    bodies: {crank: {mass: 1, rod: [A, B]}, coupler: {mass: mass, rod: [B, C]},\n"
      "             rocker: {mass: 3, rod: [D, C]}}\n"
      "    joints:\n"
      "      one: {type: revolute, child: crank, at: A, axis: [0, -1, 0], start: 1}\n"
      "      two: {type: revolute, parent: crank, child: coupler, at: B, axis: [0, -1, 0], start: "
      "-1}\n"
      "      three: {type: revolute, child: rocker, at: D, axis: [0, -1, 0], start: 1}\n"
      "    loops: {pin: {type: revolute, between: [coupler@C, rocker@C], axis: y}}\n"
      "instances: {a: {template: bar}, b: {template: bar, parameters: {mass: 3}, offset: [0, 5, "
      "0]}}\n";
  const double rate[2] = {2, -3}, mass[2] = {1, 3};
  for (int watch = 0; watch < 2; watch++) {
    cmbt_run r;
    cmb_evaluator *ev;
    cmbt_run_open_text(&r, text, CMB_FORM_EXPLICIT);
    double q[6], v[6], a[6], lambda[20];
    assert_int_equal(r.eq->nv, 6);
    cmbt_ok(r.ctx, cmb_evaluator_create(r.ctx, r.eq, &ev));
    cmb_start_report report;
    memcpy(q, cmb_system_q(r.system), sizeof q), memcpy(v, cmb_system_v(r.system), sizeof v);
    cmbt_ok(r.ctx, cmb_consistent_start(ev, 0, q, v, a, lambda, &report));
    memset(q, 0, sizeof q);
    cmb_watch_rank(ev, watch);
    for (int i = 0; i < 6; i++) v[i] = i % 3 == 1 ? -rate[i / 3] : rate[i / 3];
    cmbt_ok(r.ctx, cmb_accelerate(ev, 0, q, v, a, lambda));
    for (int i = 0; i < 6; i++) {
      const double M = mass[i / 3], expected = -9.81 * (2 + M) / (4.0 / 3 + M);
      cmbt_near(a[i], i % 3 == 1 ? -expected : expected, 1e-3);
    }
    cmb_evaluator_destroy(ev);
    cmbt_run_close(&r);
  }
}

/* Checks a state near the loss of rank whose velocity is off the branch by 1e-7: without cmb_watch_rank the accelerations of both cranks
 * differ by more than 1e-5; with it they are those of the branch. */
static void test_off_the_branch(void **state)
{
  (void)state;
  for (int k = 0; k < 3; k++) {
    const struct cmbt_fourbar p = {kinds[k], 1, 0.6, 0.9, 3, 0.1};
    struct bar b;
    open_bar(&b, &p);
    for (int watch = 0; watch < 2; watch++) {
      const double phi = 2e-3, expected = exact(&p, phi, 2);
      cmb_watch_rank(b.ev, watch);
      cmbt_fourbar_state(&p, phi, 2, b.q, b.v);
      b.v[b.rocker] += 1e-7;
      cmbt_ok(b.ctx, cmb_accelerate(b.ev, 0, b.q, b.v, b.a, b.lambda));
      const double difference = fabs(b.a[b.rocker] - b.a[b.crank]);
      if (watch) {
        cmbt_below(difference, 1e-6);
        cmbt_near(b.a[b.crank], expected, 1e-5);
      } else {
        assert_true(difference > 1e-5);
      }
    }
    close_bar(&b);
  }
}

/* Checks σ and its rate: near the loss of rank σ is proportional to the angle, so −σ/σ̇ is the time angle/rate. */
static void test_weakest(void **state)
{
  (void)state;
  for (int k = 0; k < 3; k++) {
    const struct cmbt_fourbar p = {kinds[k], 1, 0.6, 0.9, 3, 0.1};
    struct bar b;
    double sigma, rate;
    open_bar(&b, &p);
    cmb_watch_rank(b.ev, true);
    cmbt_fourbar_state(&p, 0.02, -2, b.q, b.v);
    cmbt_ok(b.ctx, cmb_weakest(b.ev, 0, b.q, b.v, &sigma, &rate));
    assert_true(rate < 0);
    cmbt_near(-sigma / rate, 0.01, 1e-4);
    cmbt_fourbar_state(&p, 1, -2, b.q, b.v); /* no singular value is small here */
    assert_int_equal(cmb_weakest(b.ev, 0, b.q, b.v, &sigma, &rate), CMB_RETRY_SINGULAR);
    close_bar(&b);
  }
}

/* Checks the rank in the flat position, the rank around it, and the constraints that are redundant everywhere. */
static void test_rank(void **state)
{
  (void)state;
  static const struct {
    double phi;
    int kind, here, around, redundant;
  } cases[] = {{1, 0, 2, 2, 0}, {0, 0, 1, 2, 0}, {3.14159265358979323846, 0, 1, 2, 0},
               {0, 1, 1, 2, 0}, {1, 2, 8, 8, 0}, {0, 2, 7, 8, 0},
               {1, 3, 2, 2, 2}, {0, 3, 1, 2, 2}};
  for (int i = 0; i < (int)(sizeof cases / sizeof cases[0]); i++) {
    for (int tilt = 0; tilt < 2; tilt++) {
      const struct cmbt_fourbar p = {
          kinds[cases[i].kind], tilt ? 1000 : 1, 0.6 * tilt, 0.9, 3, 0.1};
      struct bar b;
      cmb_rank rank;
      open_bar(&b, &p);
      cmb_arena *arena = cmb_arena_create(b.ctx);
      cmbt_fourbar_state(&p, cases[i].phi, 2, b.q, b.v);
      cmbt_ok(b.ctx, cmb_rank_examine(b.ev, arena, 0, b.q, &rank));
      assert_int_equal(rank.here, cases[i].here);
      assert_int_equal(rank.around, cases[i].around);
      assert_int_equal(rank.redundant_count, cases[i].redundant);
      for (int k = 0; k < rank.redundant_count; k++) assert_int_equal(rank.redundant[k], 2 + k);
      cmb_arena_destroy(arena);
      close_bar(&b);
    }
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_flat),           cmocka_unit_test(test_two_simultaneous),
      cmocka_unit_test(test_off_the_branch), cmocka_unit_test(test_weakest),
      cmocka_unit_test(test_rank),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
