/*
 * Sampled values of controllers in model files, against references that do not use the library:
 *
 *   - A pendulum under a digital controller with a delay that is no multiple of its period. The exact motion from sample to sample comes
 *     from an extrapolation method in long double. All methods meet their tolerances, those of fixed cost have their orders.
 *   - Samples that change nothing cost less than a tenth more evaluations, and a counter as a difference equation counts exactly.
 *   - Samples of accelerations and constraint forces; samples and events at the same time; live parameters; repeated runs.
 *   - A run allocates no memory; any allocation that fails before leaves no memory allocated.
 *   - Invalid models and steps are refused with error texts.
 */
#include "check.h"
#include "failing_allocator.h"
#include "methods.h"
#include "model_case.h"
#include "model_run.h"
#include "reference.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- a pendulum: u is sampled every 10 ms from 5 ms on and acts as a torque 25 ms later */

#define PENDULUM                                                                                   \
  "points: {O: [0, 0, 0], A: [0, 0, -1]}\n"                                                        \
  "bodies: {bob: {mass: 2, com: A, inertia: [0.5, 0.5, 0.5]}}\n"                                   \
  "joints: {pivot: {type: revolute, child: bob, at: O, axis: y, start: -0.4, rate: 0.3}}\n"

#define HELD                                                                                       \
  PENDULUM                                                                                         \
  "controllers:\n"                                                                                 \
  "  law:\n    period: 0.01\n    phase: 0.005\n"                                                   \
  "    update: {u: 30*(0.5 - pivot) + 20*sum - 6*pivot', sum: sum + 0.01*(0.5 - pivot)}\n"         \
  "forces: {motor: {type: torsion, coordinate: pivot, torque: \"-delay(u, 0.025)\"}}\n"            \
  "outputs: {angle: pivot, speed: pivot', u: u, sum: sum, old: \"delay(u, 0.025)\"}\n"

enum { ANGLE, SPEED, UNKNOWNS };

static void swing(const void *user, long double t, const long double *y, long double *dy)
{
  const long double *torque = user;
  (void)t;
  dy[ANGLE] = y[SPEED];
  dy[SPEED] = (*torque - 2 * 9.81 * sinl(y[ANGLE])) / 2.5L;
}

/* Computes the state at t = parts · 5 ms. Samples are at odd numbers of parts and act five parts later. */
static void reference_at(int parts, double y[UNKNOWNS], double *u_now, double *sum_now)
{
  long double x[UNKNOWNS] = {-0.4L, 0.3L}, u[1000] = {0}, sum = 0;
  int samples = 0;
  for (int k = 0;; k++) {
    if (k % 2 == 1) {
      u[samples++] = 30 * (0.5L - x[ANGLE]) + 20 * sum - 6 * x[SPEED];
      sum += 0.01L * (0.5L - x[ANGLE]);
    }
    if (k == parts) break;
    const int acting =
        k < 6 ? -1 : (k - 6) / 2; /* sampled at part 2 n + 1, acts from part 2 n + 6 on */
    const long double torque = acting >= 0 ? u[acting] : 0, t = 0.005L * k;
    cmbt_extrapolate(swing, &torque, UNKNOWNS, t, t + 0.005L, 2, x);
  }
  for (int i = 0; i < UNKNOWNS; i++) y[i] = (double)x[i];
  *u_now = (double)u[samples - 1];
  *sum_now = (double)sum;
}

static double angle_error(const cmbt_run *r, double exact)
{
  return fabs(cmbt_output(r, "angle") - exact);
}

static void test_tolerances(void **state)
{
  (void)state;
  double y[UNKNOWNS], u, sum, worst = 0;
  const char *name = "";
  reference_at(400, y, &u, &sum);
  for (int f = 0; f < 3; f++) {
    for (int i = cmbt_next_but_trap(0); i < cmb_method_count(); i = cmbt_next_but_trap(i + 1)) {
      cmbt_run r;
      if (!cmbt_is_sampled(i + f)) continue;
      cmbt_run_open_text(&r, HELD, cmbt_formulation(f));
      r.method = cmb_method_name(cmb_method_at(i));
      r.rtol = r.atol = 1e-8;
      cmbt_run_to(&r, 2, 0);
      assert_int_equal(r.result->instants, 400);
      const double off[] = {angle_error(&r, y[ANGLE]), fabs(cmbt_output(&r, "speed") - y[SPEED]),
                            fabs(cmbt_output(&r, "u") - u) / 30,
                            fabs(cmbt_output(&r, "sum") - sum)};
      for (int k = 0; k < 4; k++) {
        if (off[k] / 1e-8 > worst) worst = off[k] / 1e-8, name = r.method;
      }
      cmbt_run_close(&r);
    }
  }
  printf("worst error: %.1f tolerances, %s\n", worst, name);
  assert_true(worst <= 20);
}

/* Checks that steps of fixed cost end at all sampling instants and converge with the order of the method. */
static void test_orders(void **state)
{
  (void)state;
  static const struct {
    const char *method, *positions;
    double order;
  } expected[] = {{"lie", NULL, 1}, {"lie", "new", 1}, {"rosw2", NULL, 2}};
  double y[UNKNOWNS], u, sum;
  reference_at(200, y, &u, &sum);
  for (int m = 0; m < 3; m++) {
    for (int f = 0; f < 3; f++) {
      double error[2];
      for (int k = 0; k < 2; k++) {
        cmbt_run r;
        cmbt_run_open_text_with(&r, HELD, cmbt_formulation(f), true);
        r.method = expected[m].method;
        r.positions = expected[m].positions;
        r.step = k == 0 ? 0.0025 : 0.00125;
        cmbt_run_to(&r, 1, 0);
        error[k] = angle_error(&r, y[ANGLE]);
        cmbt_run_close(&r);
      }
      printf("%s: error %.2e at 2.5 ms, order %.2f\n", expected[m].method, error[0],
             log2(error[0] / error[1]));
      cmbt_near(log2(error[0] / error[1]), expected[m].order, 0.2);
    }
  }
}

/* ---- cost of samples */

/* A controller with a condition that never becomes true and a counter that the motion does not depend on, sampled 10,001 times. */
#define WITHOUT_EFFECT                                                                             \
  PENDULUM                                                                                         \
  "controllers: {watch: {period: 0.0005, update: {on: \"if(pivot > 2, 1, 0)\", n: n + 1}}}\n"      \
  "forces: {motor: {type: torsion, coordinate: pivot, torque: 5*on}}\n"                            \
  "outputs: {angle: pivot, n: n}\n"

/* The same without the controller, recorded as often, so that both runs evaluate the dense output. */
static const char PLAIN[] = PENDULUM;

static void test_cost_of_samples(void **state)
{
  (void)state;
  double most = 0;
  for (int f = 0; f < 3; f++) {
    for (int i = cmbt_next_but_trap(0); i < cmb_method_count(); i = cmbt_next_but_trap(i + 1)) {
      cmbt_run with, without;
      if (!cmbt_is_sampled(i + f)) continue;
      cmbt_run_open_text(&with, WITHOUT_EFFECT, cmbt_formulation(f));
      cmbt_run_open_text(&without, PLAIN, cmbt_formulation(f));
      with.method = without.method = cmb_method_name(cmb_method_at(i));
      with.rtol = without.rtol = 1e-6;
      cmbt_run_to(&with, 5, 0);
      cmbt_run_to(&without, 5, 0.0005);
      assert_int_equal(with.result->instants, 10001);
      cmbt_near(cmbt_output(&with, "n"), 10001, 0);
      const double ratio =
          (double)with.result->statistics->f / (double)without.result->statistics->f;
      if (ratio > most) most = ratio;
      if (ratio > 1.1) print_error("%s, formulation %d: %.3f\n", with.method, f, ratio);
      assert_true(ratio <= 1.1);
      cmbt_near(with.result->q[0], without.result->q[0], 1e-4);
      cmbt_run_close(&with);
      cmbt_run_close(&without);
    }
  }
  printf("10,001 samples that change nothing: at most %.1f %% more evaluations\n",
         100 * (most - 1));
}

/* ---- sampled quantities */

/* Checks that sampled accelerations and constraint forces agree with the outputs at the sampling instants. */
static void test_forces(void **state)
{
  (void)state;
  static const char text[] =
      PENDULUM "controllers: {sensor: {period: 0.1, update: {a: bob.ax, pull: pivot.fz}}}\n"
               "outputs: {a: a, pull: pull, a_now: bob.ax, pull_now: pivot.fz}\n";
  for (int f = 0; f < 3; f++) {
    for (int i = 0; i < cmb_method_count(); i++) {
      cmbt_run r;
      if (!cmbt_is_sampled(i + f)) continue;
      cmbt_run_open_text_with(&r, text, cmbt_formulation(f), true);
      r.method = cmb_method_name(cmb_method_at(i));
      r.rtol = r.atol = 1e-8;
      cmbt_run_to(&r, 0.3, 0.3); /* the end is a sampling instant */
      cmbt_near(cmbt_output(&r, "a"), cmbt_output(&r, "a_now"), 1e-6);
      cmbt_near(cmbt_output(&r, "pull"), cmbt_output(&r, "pull_now"), 1e-5);
      cmbt_near(cmbt_row(&r, 0, "a"), cmbt_row(&r, 0, "a_now"), 1e-12);
      cmbt_run_close(&r);
    }
  }
}

/* Checks that all updates of an instant read the values from before it: two values are exchanged. */
static void test_swap(void **state)
{
  (void)state;
  static const char text[] =
      PENDULUM "controllers:\n"
               "  swap: {period: 0.1, update: {a: {value: b, start: 1}, b: {value: a, start: 2}}}\n"
               "  other: {period: 0.3, update: {seen: 10*a + b}}\n"
               "outputs: {a: a, b: b, seen: seen}\n";
  cmbt_run r;
  cmbt_run_open_text(&r, text, CMB_FORM_EXPLICIT);
  cmbt_run_to(&r, 0.35, 0.05);
  const double a[] = {2, 2, 1, 1, 2, 2, 1, 1}, seen[] = {12, 12, 12, 12, 12, 12, 21, 21};
  for (int k = 0; k < r.row_count; k++) {
    cmbt_near(cmbt_row(&r, k, "a"), a[k], 0);
    cmbt_near(cmbt_row(&r, k, "b"), 3 - a[k], 0);
    cmbt_near(cmbt_row(&r, k, "seen"), seen[k], 0);
  }
  cmbt_run_close(&r);
}

/* Checks an event at the time of a sample and one between two samples: a ball, partly lifted by a sampled force, rebounds from a stop. */
static void test_events(void **state)
{
  (void)state;
  static const char text[] =
      "bodies: {ball: {mass: 1, com: [0, 0, 0], inertia: [0.1, 0.1, 0.1]}}\n"
      "joints: {z: {type: prismatic, child: ball, axis: z, start: 0.5}}\n"
      "loops: {soil: {type: stop, formula: z, restitution: 0.5}}\n"
      "controllers: {lift: {period: 0.1, update: {u: \"if(z < 0.46, 4.905, 0)\", n: n + 1}}}\n"
      "forces: {up: {type: load, on: {body: ball, at: [0, 0, 0]}, force: [0, 0, u]}}\n"
      "events: {clock: {when: t > 0.4}}\n"
      "outputs: {n: n}\n";
  /* 0.1 s of free fall, then with half the weight */
  const double g = 9.81, v1 = -0.1 * g, z1 = 0.5 - 0.005 * g, a = -g / 2;
  const double dt = (-v1 - sqrt(v1 * v1 - 2 * a * z1)) / a, hit = 0.1 + dt;
  for (int f = 0; f < 3; f++) {
    for (int i = cmbt_next_but_trap(0); i < cmb_method_count(); i = cmbt_next_but_trap(i + 1)) {
      double t[4];
      cmbt_run r;
      if (!cmbt_is_sampled(i + f)) continue;
      cmbt_run_open_text(&r, text, cmbt_formulation(f));
      r.method = cmb_method_name(cmb_method_at(i));
      r.rtol = r.atol = 1e-9;
      cmbt_run_to(&r, 0.45, 0);
      assert_int_equal(cmbt_times(&r, "soil", 1, 4, t), 1);
      cmbt_near(t[0], hit, 1e-7);
      assert_int_equal(cmbt_times(&r, "clock", 1, 4, t), 1);
      cmbt_near(t[0], 0.4, 1e-12);
      cmbt_near(cmbt_output(&r, "n"), 5, 0);
      cmbt_run_close(&r);
    }
  }
}

/* ---- repeated runs, memory, constraints */

/* Checks that a second run begins with the start values of sampled values, and that a change of a live parameter acts at the next sample. */
static void test_repeated_runs(void **state)
{
  (void)state;
  static const char text[] = PENDULUM "parameters: {k: 3}\n"
                                      "controllers: {c: {period: 0.1, update: {n: n + k}}}\n"
                                      "outputs: {n: n}\n";
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_model *model;
  cmb_system *system;
  cmb_simulation *sim;
  const char *const live[] = {"k"};
  const cmb_model_options read = {.live_count = 1, .live_names = live};
  const cmb_model_system_options made = {.formulation = CMB_FORM_EXPLICIT};
  cmb_run_options options = cmb_run_defaults();
  options.t_end = 0.55;
  cmbt_ok(ctx, cmb_model_parse(ctx, text, strlen(text), "test.yaml", &read, &model));
  cmbt_ok(ctx, cmb_model_system(ctx, model, &made, &system));
  cmbt_ok(ctx, cmb_simulation_create(ctx, system, &options, &sim));
  for (int k = 0; k < 2; k++) {
    cmbt_ok(ctx, cmb_simulation_run(sim));
    cmbt_near(cmb_simulation_result(sim)->outputs[0], 18, 0);
  }
  cmbt_ok(ctx, cmb_simulation_start(sim));
  cmbt_ok(ctx, cmb_simulation_advance(sim, 0.25));
  cmbt_ok(ctx, cmb_simulation_set(sim, 1, &(cmb_setting){"k", 100}));
  cmbt_near(cmb_simulation_result(sim)->outputs[0], 9, 0);
  cmbt_ok(ctx, cmb_simulation_advance(sim, 0.35));
  cmbt_near(cmb_simulation_result(sim)->outputs[0], 109, 0);
  assert_int_equal(cmb_simulation_set(sim, 1, &(cmb_setting){"n", 1}), CMB_ERROR_ARGUMENT);
  assert_non_null(strstr(cmb_error_of(ctx)->text, "sampled value of controller 'c'"));
  double n;
  cmbt_ok(ctx, cmb_simulation_get(sim, "n", &n));
  cmbt_near(n, 109, 0);
  cmb_simulation_destroy(sim);
  cmb_system_destroy(system);
  cmb_model_destroy(model);
  cmb_context_destroy(ctx);
}

/* Reads, builds and runs the model; *before is the number of allocations when the run began. */
static cmb_status run_with(struct cmbt_allocator *memory, const char *method, long *before)
{
  cmb_context *ctx = cmb_context_create(&memory->hook);
  cmb_model *model = NULL;
  cmb_system *system = NULL;
  cmb_simulation *sim = NULL;
  const cmb_model_system_options made = {.derivatives = true, .expressions = true};
  cmb_run_options options = cmb_run_defaults();
  options.method = cmb_method_find(method);
  options.t_end = 0.3;
  if (!ctx) return CMB_ERROR_MEMORY;
  cmb_status status = cmb_model_parse(ctx, HELD, strlen(HELD), "test.yaml", NULL, &model);
  if (status == CMB_OK) status = cmb_model_system(ctx, model, &made, &system);
  if (status == CMB_OK) status = cmb_simulation_create(ctx, system, &options, &sim);
  *before = memory->calls;
  if (status == CMB_OK) status = cmb_simulation_run(sim);
  cmb_simulation_destroy(sim);
  cmb_system_destroy(system);
  cmb_model_destroy(model);
  cmb_context_destroy(ctx);
  return status;
}

static void test_memory(void **state)
{
  (void)state;
  struct cmbt_allocator memory;
  long before;
  for (int i = 0; i < cmb_method_count(); i++) {
    cmbt_allocator_init(&memory);
    assert_int_equal(run_with(&memory, cmb_method_name(cmb_method_at(i)), &before), CMB_OK);
    assert_int_equal(memory.calls, before);
    assert_int_equal(memory.outstanding, 0);
  }
  const long all = memory.calls;
  for (long k = 1; k <= all; k += cmbt_is_sampled(1) ? 3 : 17) {
    cmbt_allocator_init(&memory);
    memory.fail_at = k;
    const cmb_status status = run_with(&memory, "lie", &before);
    assert_int_equal(status, memory.refused ? CMB_ERROR_MEMORY : CMB_OK);
    assert_int_equal(memory.outstanding, 0);
  }
}

/* Checks a drive whose rate is a sampled value: the constraint changes the velocity by impulses, positions stay continuous. */
static void test_constraints(void **state)
{
  (void)state;
  static const char text[] = PENDULUM
      "controllers: {c: {period: 0.25, update: {w: w + 1, base: base + 0.25*w}}}\n"
      "motions: {turn: {coordinate: pivot, value: \"-0.4 + base + w*(t - 0.25*(w - 1))\"}}\n"
      "outputs: {angle: pivot, speed: pivot'}\n";
  for (int f = 0; f < 3; f++) {
    for (int i = 0; i < cmb_method_count(); i++) {
      cmbt_run r;
      if (!cmbt_is_sampled(i + f)) continue;
      cmbt_run_open_text_with(&r, text, cmbt_formulation(f), true);
      r.method = cmb_method_name(cmb_method_at(i));
      r.step = 1e-3;
      r.rtol = r.atol = 1e-7;
      cmbt_run_to(&r, 0.625, 0); /* 1, 2 and 3 rad/s */
      const bool fixed = cmb_method_is_real_time(cmb_method_at(i));
      cmbt_near(cmbt_output(&r, "angle"), -0.4 + 0.25 + 0.5 + 0.375, fixed ? 1e-2 : 1e-6);
      cmbt_near(cmbt_output(&r, "speed"), 3, fixed ? 1e-6 : 1e-5);
      assert_true(r.result->impulses >= 2);
      cmbt_run_close(&r);
    }
  }
}

/* ---- sampling instants */

/* Checks that samples of two controllers are taken at one instant only if their times differ by rounding, for long periods too, and that a
 * run may have no sample, or one at its end only. */
static void test_instants(void **state)
{
  (void)state;
  static const struct {
    const char *controllers;
    double t_end, n;
  } cases[] = {
      {"{once: {period: 1e6, update: {n: n + 1}}, often: {period: 0.01, update: {m: m + 1}}}", 10,
       1},
      {"{once: {period: 1e6, phase: 5, update: {n: n + 1}}, often: {period: 0.01, update: {m: m + "
       "1}}}",
       10, 1},
      {"{slow: {period: 10, update: {n: n + 1}}, fast: {period: 0.01, phase: 5e-6, update: {m: m + "
       "1}}}",
       100, 11},
      {"{slow: {period: 9.999995, update: {n: n + 1}}, fast: {period: 0.01, update: {m: m + 1}}}",
       100, 11},
      {"{c: {period: 0.15, phase: 0.3, update: {n: n + 1}}}", 3, 19}, /* one ulp before the end */
      {"{c: {period: 1e6, phase: 3, update: {u: 1, n: 'delay(u, 0.5)'}}, d: {period: 0.25, update: "
       "{m: 0}}}",
       3.4, 0},
      {"{a: {period: 0.1, update: {k: t}}, b: {period: 0.1, phase: 1e-8, update: {n: k}}}", 0.95,
       0.9},
      {"{c: {period: 0.1, update: {n: n + 1}}}", 0, 1},
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    char text[600];
    cmbt_run r;
    snprintf(text, sizeof text,
             PENDULUM "controllers: %s\noutputs: {n: n}\n"
                      "forces: {motor: {type: torsion, coordinate: pivot, torque: 1e-3*n}}\n",
             cases[k].controllers);
    cmbt_run_open_text(&r, text, CMB_FORM_EXPLICIT);
    cmbt_run_to(&r, cases[k].t_end, 0);
    if (cmbt_output(&r, "n") != cases[k].n) print_error("%s: %g\n", text, cmbt_output(&r, "n"));
    cmbt_near(cmbt_output(&r, "n"), cases[k].n, 1e-12);
    cmbt_run_close(&r);
  }
}

/* Checks that each delay in a formula of an update has samples of its own: two masses move at 3 m/s and 5 m/s, and the last instants of the
 * controllers are 1 s; and that a formula which is read several times makes no further samples. */
static void test_delays_in_updates(void **state)
{
  (void)state;
  static const char text[] =
      "gravity: [0, 0, 0]\n"
      "bodies: {a: {mass: 1, com: [0, 0, 0]}, b: {mass: 1, com: [0, 0, 0]}}\n"
      "joints:\n  x: {type: prismatic, child: a, axis: x, rate: 3}\n"
      "  y: {type: prismatic, child: b, axis: y, rate: 5}\n"
      "controllers:\n"
      "  c: {period: 0.1, update: {w: \"delay(x, 0.2) + 10*delay(y, 0.1)\", z: \"delay(x, 0.1) - "
      "delay(y, 0.3)\"}}\n"
      "  d: {period: 0.25, update: {s: \"delay(y, 0.25) + delay(x, 0)\"}}\n"
      "outputs: {w: w, z: z, s: s, old: \"delay(w, 0.1)\"}\n";
  for (int k = 0; k < 3; k++) {
    cmbt_run r;
    cmbt_run_open_text(&r, text, cmbt_formulation(k));
    assert_int_equal(r.eq->nh, 3 + 2 + 1 + 1 + 3 + 1 + 1);
    cmbt_run_to(&r, 1.05, 0);
    cmbt_near(cmbt_output(&r, "w"), 3 * 0.8 + 10 * 5 * 0.9, 1e-12);
    cmbt_near(cmbt_output(&r, "z"), 3 * 0.9 - 5 * 0.7, 1e-12);
    cmbt_near(cmbt_output(&r, "s"), 5 * 0.75 + 3 * 1.0, 1e-12);
    cmbt_near(cmbt_output(&r, "old"), 3 * 0.7 + 10 * 5 * 0.8, 1e-12);
    cmbt_run_close(&r);
  }
}

/* Checks that an update uses the value of a step at its own instant, no matter whether an event or a force switches at that time as well:
 * the input steps at 0.5 s. */
static void test_step_at_an_instant(void **state)
{
  (void)state;
#define STEP                                                                                       \
  PENDULUM "inputs: {ref: \"if(t >= 0.5, 1, 0)\"}\n"                                               \
           "controllers: {a: {period: 0.1, update: {u: ref}}}\noutputs: {u: u}\n"
  static const char *const texts[] = {
      STEP, STEP "events: {watch: {when: t >= 0.5}}\n",
      STEP "forces: {motor: {type: torsion, coordinate: pivot, torque: ref}}\n"};
  for (int k = 0; k < 3; k++) {
    for (int i = 0; i < cmb_method_count(); i++) {
      cmbt_run r;
      cmbt_run_open_text_with(&r, texts[k], CMB_FORM_EXPLICIT, true);
      r.method = cmb_method_name(cmb_method_at(i));
      r.rtol = 1e-6;
      r.step = cmb_method_is_real_time(cmb_method_at(i)) ? 0.01 : 0;
      cmbt_run_to(&r, 0.55, 0);
      cmbt_near(cmbt_output(&r, "u"), 1, 0);
      cmbt_run_close(&r);
    }
  }
}

/* ---- error texts */

static void expect_error(const char *text, const char *method, double step, const char *words)
{
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_model *model = cmbt_model_parse(ctx, text);
  cmb_system *system;
  cmb_simulation *sim = NULL;
  const cmb_model_system_options made = {.formulation = CMB_FORM_EXPLICIT, .expressions = true};
  cmb_run_options options = cmb_run_defaults();
  options.method = cmb_method_find(method);
  options.integrator.step = step;
  options.t_end = 1;
  cmb_status status = cmb_model_system(ctx, model, &made, &system);
  if (status == CMB_OK) status = cmb_simulation_create(ctx, system, &options, &sim);
  if (status == CMB_OK) status = cmb_simulation_run(sim);
  assert_true(status < 0);
  if (!strstr(cmb_error_of(ctx)->text, words)) print_error("%s\n", cmb_error_of(ctx)->text);
  assert_non_null(strstr(cmb_error_of(ctx)->text, words));
  cmb_simulation_destroy(sim);
  cmb_system_destroy(system);
  cmb_model_destroy(model);
  cmb_context_destroy(ctx);
}

static void test_error_texts(void **state)
{
  (void)state;
#define LAW(period, update)                                                                        \
  PENDULUM "controllers: {c: {period: " period ", update: {" update "}}}\n"
  expect_error(LAW("0.01", "u: pivot"), "lie", 0.004,
               "expected a step of which both times are multiples");
  expect_error(LAW("0.01", "u: pivot") "outputs: {o: \"delay(u, 0.0105)\"}\n", "rosw2", 0.001,
               "of 0.001 s each, do not end at these times");
  expect_error(LAW("0.1", "u: log(-0.35 - pivot)"), "mdop5", 0,
               "sampled value 'u' of controller 'c' is not finite");
  expect_error(LAW("0.1", "u: u + 1") "motions: {m: {coordinate: pivot, value: u}}\n", "mdop5", 0,
               "since positions cannot jump");
  expect_error(LAW("1e-12", "u: pivot"), "mdop5", 0, "more than 1e9 samples");
  expect_error("gravity: [0, 0, 0]\npoints: {O: [0, 0, 0]}\nbodies: {b: {mass: 1, com: O}}\n"
               "joints: {x: {type: prismatic, child: b, axis: x}}\n"
               "forces: {dry: {type: load, on: b@O, force: [\"1 - 3*sign(x')\", 0, 0]}}\n"
               "controllers: {c: {period: 0.1, update: {n: \"n + if(x' > 0, 1, 0)\"}}}\n",
               "mdop5", 0, "where it is held at 0, as by dry friction, and has no sign");
  expect_error("gravity: [0, 0, 0]\npoints: {O: [0, 0, 0]}\nbodies: {b: {mass: 1, com: O}}\n"
               "joints: {x: {type: prismatic, child: b, axis: x, rate: -0.1,\n"
               "             friction: {force: 3, law: stick, static: 5}}}\n"
               "controllers: {c: {period: 0.1, update: {n: sign(x')}}}\n",
               "mdop5", 0, "where it is held at 0, as by dry friction, and has no sign");
  expect_error(LAW("0.1", "u: pivot") "outputs: {o: \"delay(pivot, 0.1)\"}\n", "mdop5", 0,
               "expected a sampled value");
  expect_error(LAW("0.1", "u: \"delay(pivot, 0.15)\""), "mdop5", 0,
               "no multiple of the controller's period");
  expect_error(LAW("0.1", "u: pivot") "outputs: {o: \"delay(u, t)\"}\n", "mdop5", 0,
               "depends on live parameters or on the motion");
  expect_error(LAW("0.1", "u: pivot") "outputs: {o: \"delay(u, 200)\"}\n", "mdop5", 0,
               "longer than 1000 periods");
  expect_error(LAW("0.1", "u: pivot") "states: {z: {rate: u.rate}}\n", "mdop5", 0, "u.rate");
  cmb_context *ctx = cmb_context_create(NULL);
  cmbt_model_refused(ctx, LAW("0", "u: pivot"), "test.yaml:4:27", "greater than 0");
  cmbt_model_refused(ctx, LAW("0.1", "pivot: 1"), "test.yaml:4:41", "taken by the");
  cmbt_model_refused(ctx, LAW("0.1, phase: -1", "u: 1"), "test.yaml:4:39", "0 or later");
  cmb_context_destroy(ctx);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_tolerances),
                                     cmocka_unit_test(test_orders),
                                     cmocka_unit_test(test_cost_of_samples),
                                     cmocka_unit_test(test_forces),
                                     cmocka_unit_test(test_swap),
                                     cmocka_unit_test(test_events),
                                     cmocka_unit_test(test_repeated_runs),
                                     cmocka_unit_test(test_constraints),
                                     cmocka_unit_test(test_instants),
                                     cmocka_unit_test(test_delays_in_updates),
                                     cmocka_unit_test(test_step_at_an_instant),
                                     cmocka_unit_test(test_memory),
                                     cmocka_unit_test(test_error_texts)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
