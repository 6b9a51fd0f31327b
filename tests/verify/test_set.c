/*
 * Live parameters and inputs that are changed during a run, by cmb_simulation_set.
 *
 * A change at T gives the same motion as a model whose formulas change at T by if(t < T, a, b), which is an event: forces, masses and lengths,
 * rates of constraints (with the impulse), friction that sticks and is released, bodies in contact with a stop, conditions of events; with each
 * method. A change that the positions do not permit is refused and has no effect, not on a single bit. Two runs of one system have
 * separate values.
 */
#include "check.h"
#include "methods.h"

#include <camber/camber.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double T = 0.5, T_END = 1;

enum { MOST = 3, MOST_X = 16 };

/* A model whose text has %s in place of its parameters: live parameters with numbers, or inputs with formulas of t. */
struct example {
  const char *name, *text;
  int count;
  cmb_setting before[MOST], after[MOST];
  bool input;       /* the value is an input, not a parameter */
  bool real_time;   /* real-time methods can run it */
  double tolerance; /* of q and v at the end */
  double impulse;   /* the magnitude of the one impulse of a constraint; 0: no impulse */
};

#define HEAD "gravity: [0, 0, -9.81]\n%s"
#define SLIDER                                                                                     \
  "bodies: {block: {mass: 2, box: [0.1, 0.1, 0.1], at: [0, 0, 0]}}\n"                              \
  "joints: {x: {type: prismatic, child: block, axis: x, start: 0.1, rate: 0.3}}\n"

static const struct example examples[] = {
    {.name = "stiffness and damping",
     .text = HEAD SLIDER "forces: {s: {type: load, on: {body: block, at: [0, 0, 0]}, "
                         "force: [\"-k*x - c*x'\", 0, 0]}}\n",
     .count = 2,
     .before = {{"k", 40}, {"c", 0.5}},
     .after = {{"k", 90}, {"c", 4}},
     .real_time = true,
     .tolerance = 1e-6},
    {.name = "an input",
     .text = HEAD SLIDER "forces: {s: {type: load, on: {body: block, at: [0, 0, 0]}, "
                         "force: [\"pull - 30*x\", 0, 0]}}\n",
     .count = 1,
     .before = {{"pull", 0}},
     .after = {{"pull", 7}},
     .input = true,
     .real_time = true,
     .tolerance = 1e-6},
    {.name = "a rate that jumps",
     .text = HEAD "bodies: {block: {mass: 2, box: [0.1, 0.1, 0.1], at: [0, 0, 0]}}\n"
                  "joints: {x: {type: prismatic, child: block, axis: x}}\n"
                  "motions: {drive: {coordinate: x, value: \"w*(t - 0.5)\"}}\n",
     .count = 1,
     .before = {{"w", 0}},
     .after = {{"w", 1.5}},
     .tolerance = 1e-6,
     .impulse = 3},
    {.name = "dry friction that sticks",
     .text = HEAD SLIDER "forces: {s: {type: load, on: {body: block, at: [0, 0, 0]}, "
                         "force: [\"pull - 6*sign(x')\", 0, 0]}}\n",
     .count = 1,
     .before = {{"pull", 0}},
     .after = {{"pull", 9}},
     .input = true,
     .tolerance = 1e-6},
    {.name = "a contact that opens",
     .text = HEAD "bodies: {ball: {mass: 1, sphere: [0, 0, 0], radius: 0.1}}\n"
                  "joints: {z: {type: prismatic, child: ball, axis: z, start: 0.05}}\n"
                  "loops: {low: {type: stop, formula: z, restitution: 0}}\n"
                  "forces: {s: {type: load, on: {body: ball, at: [0, 0, 0]}, "
                  "force: [0, 0, \"pull*1\"]}}\n",
     .count = 1,
     .before = {{"pull", 0}},
     .after = {{"pull", 12}},
     .input = true,
     .tolerance = 1e-6},
    {.name = "a branch",
     .text = HEAD SLIDER "forces: {s: {type: load, on: {body: block, at: [0, 0, 0]}, "
                         "force: [\"if(x > edge, -50, 20)\", 0, 0]}}\n",
     .count = 1,
     .before = {{"edge", 5}},
     .after = {{"edge", 0.3}},
     .tolerance = 1e-5},
    {.name = "a condition of an input",
     .text =
         HEAD SLIDER "events: {kick: {when: pull > 50, action: {reset: {\"x'\": \"-2*x'\"}}}}\n",
     .count = 1,
     .before = {{"pull", 0}},
     .after = {{"pull", 60}},
     .input = true,
     .tolerance = 1e-6},
};

enum { EXAMPLES = sizeof examples / sizeof examples[0] };

struct seen {
  int events, impulses;
  double impulse;
};

static cmb_status on_event(void *user, const cmb_event *event)
{
  (void)event;
  ((struct seen *)user)->events++;
  return CMB_OK;
}

static cmb_status on_impulse(void *user, const cmb_impulse *impulse)
{
  struct seen *seen = user;
  seen->impulses++;
  seen->impulse = impulse->value;
  return CMB_OK;
}

struct setup {
  cmb_context *ctx;
  cmb_model *model;
  cmb_system *system;
  cmb_simulation *sim;
  struct seen seen;
};

/* Writes "parameters: {k: 40}" or "inputs: {k: 40}" or, if `in_time`, "inputs: {k: \"if(t < 0.5, 40, 90)\"}". */
static void write_head(const struct example *x, bool in_time, size_t room, char *text)
{
  size_t used = 0;
  used += (size_t)snprintf(text, room, "%s: {", x->input || in_time ? "inputs" : "parameters");
  for (int k = 0; k < x->count; k++) {
    const double a = x->before[k].value, b = x->after[k].value;
    const char *name = x->before[k].name, *comma = k ? ", " : "";
    used += (size_t)(in_time ? snprintf(text + used, room - used, "%s%s: \"if(t < 0.5, %g, %g)\"",
                                        comma, name, a, b)
                             : snprintf(text + used, room - used, "%s%s: %g", comma, name, a));
  }
  snprintf(text + used, room - used, "}\n");
}

static void open_text(struct setup *s, const char *text, bool live)
{
  const cmb_model_options read = {.live_all = live};
  const cmb_model_system_options make = {
      .derivatives = true, .expressions = true, .live_inputs = live};
  *s = (struct setup){.ctx = cmb_context_create(NULL)};
  assert_non_null(s->ctx);
  cmbt_ok(s->ctx, cmb_model_parse(s->ctx, text, strlen(text), "set.yaml", &read, &s->model));
  cmbt_ok(s->ctx, cmb_model_system(s->ctx, s->model, &make, &s->system));
}

static void open_example(struct setup *s, const struct example *x, bool in_time)
{
  char head[300], text[2000];
  write_head(x, in_time, sizeof head, head);
  snprintf(text, sizeof text, x->text, head);
  open_text(s, text, !in_time);
}

static void make_run(struct setup *s, const char *method, double rtol)
{
  cmb_run_options o = cmb_run_defaults();
  o.method = cmb_method_find(method);
  o.integrator.rtol = rtol;
  o.integrator.atol = CMB_ATOL_PER_RTOL * rtol;
  o.t_end = T_END;
  o.observer = (cmb_observer){.user = &s->seen, .event = on_event, .impulse = on_impulse};
  cmbt_ok(s->ctx, cmb_simulation_create(s->ctx, s->system, &o, &s->sim));
}

static void close_run(struct setup *s)
{
  cmb_simulation_destroy(s->sim);
  cmb_system_destroy(s->system);
  cmb_model_destroy(s->model);
  cmb_context_destroy(s->ctx);
}

static int state_of(const struct setup *s, double x[MOST_X])
{
  const cmb_equations *eq = cmb_system_equations(s->system);
  const cmb_result *r = cmb_simulation_result(s->sim);
  memcpy(x, r->q, (size_t)eq->nq * sizeof *x);
  memcpy(x + eq->nq, r->v, (size_t)eq->nv * sizeof *x);
  return eq->nq + eq->nv;
}

/* Sets the values after the change and checks what cmb_simulation_get returns. The value set for an input is added to its formula. */
static void set_after(struct setup *s, const struct example *x)
{
  cmb_setting after[MOST];
  for (int k = 0; k < x->count; k++) {
    double value = NAN;
    const double base = x->input ? x->before[k].value : 0;
    after[k] = (cmb_setting){x->after[k].name, x->after[k].value - base};
    cmbt_ok(s->ctx, cmb_simulation_get(s->sim, after[k].name, &value));
    assert_true(value == x->before[k].value - base);
  }
  cmbt_ok(s->ctx, cmb_simulation_set(s->sim, x->count, after));
  for (int k = 0; k < x->count; k++) {
    double value = NAN;
    cmbt_ok(s->ctx, cmb_simulation_get(s->sim, after[k].name, &value));
    assert_true(value == after[k].value);
  }
}

/* Compares a run with a change at T with the expected state at the end. */
static void compare(const struct example *x, const char *method, double rtol, double tolerance,
                    const double *expected)
{
  double got[MOST_X];
  struct setup s;
  open_example(&s, x, false);
  make_run(&s, method, rtol);
  cmbt_ok(s.ctx, cmb_simulation_advance(s.sim, T));
  set_after(&s, x);
  cmbt_ok(s.ctx, cmb_simulation_advance(s.sim, T_END));
  const int n = state_of(&s, got);
  for (int i = 0; i < n; i++) {
    if (fabs(got[i] - expected[i]) <= tolerance) continue;
    fail_msg("%s, %s: state %d is %.12g; expected %.12g", x->name, method, i, got[i], expected[i]);
  }
  if (x->impulse > 0) {
    assert_int_equal(s.seen.impulses, 1);
    cmbt_near(fabs(s.seen.impulse), x->impulse, 1e-9);
  }
  close_run(&s);
}

/* Compares each change during a run with a change by a formula of time. */
static void test_as_formulas_of_time(void **state)
{
  (void)state;
  for (int k = 0; k < EXAMPLES; k++) {
    const struct example *x = &examples[k];
    double expected[MOST_X];
    struct setup reference;
    open_example(&reference, x, true);
    make_run(&reference, "mdop853", 1e-11);
    cmbt_ok(reference.ctx, cmb_simulation_run(reference.sim));
    state_of(&reference, expected);
    for (int i = 0; i < cmb_method_count(); i++) {
      const cmb_method *method = cmb_method_at(i);
      const bool in_time = cmb_method_is_real_time(method);
      if (cmbt_is(method, "trap") || (in_time && !x->real_time)) continue;
      compare(x, cmb_method_name(method), 1e-8, in_time ? 0.02 : x->tolerance, expected);
    }
    close_run(&reference);
  }
}

/* Checks that a real-time method with a value set before the run gives the same bits as with the value in the file. */
static void test_real_time_steps(void **state)
{
  (void)state;
  const struct example *x = &examples[0];
  struct example other = *x;
  double a[MOST_X], b[MOST_X];
  struct setup s, folded;
  memcpy(other.before, x->after, sizeof other.before);
  open_example(&s, x, false);
  make_run(&s, "lie", 1e-6);
  set_after(&s, x);
  cmbt_ok(s.ctx, cmb_simulation_run(s.sim));
  open_example(&folded, &other, false);
  make_run(&folded, "lie", 1e-6);
  cmbt_ok(folded.ctx, cmb_simulation_run(folded.sim));
  const int n = state_of(&s, a);
  state_of(&folded, b);
  assert_memory_equal(a, b, (size_t)n * sizeof *a);
  close_run(&s);
  close_run(&folded);
}

/* Checks that setting this value fails with a message that contains `words` and leaves the value unchanged. */
static void expect_refusal(struct setup *s, const char *name, double value, const char *words)
{
  const cmb_setting setting = {name, value};
  double before = 0, after = 1;
  const bool known = cmb_simulation_get(s->sim, name, &before) == CMB_OK;
  assert_true(cmb_simulation_set(s->sim, 1, &setting) < 0);
  if (!strstr(cmb_last_error(s->ctx), words)) fail_msg("%s", cmb_last_error(s->ctx));
  if (!known) return;
  cmbt_ok(s->ctx, cmb_simulation_get(s->sim, name, &after));
  assert_true(before == after);
}

/* Checks values set before a run: start values, geometry and masses act as in the file (verify.live_starts has more). During the run a start
 * value has no effect, and lengthening a crank in a closed loop by a thousandth is refused. */
static void test_before_the_run(void **state)
{
  (void)state;
  static const char text[] =
      "parameters: {%s}\n"
      "points: {A: [0, 0, 0], B: [r, 0, 0], C: [0.7, 0, 0.3], D: [0.5, 0, 0]}\n"
      "bodies: {crank: {mass: m, rod: [A, B], radius: 0.01}, bar: {mass: 1, rod: [B, C], radius: "
      "0.01}, rocker: {mass: 1, rod: [D, C], radius: 0.01}}\n"
      "joints:\n  turn: {type: revolute, child: crank, at: A, axis: y, start: q0, rate: w0}\n"
      "  pin: {type: revolute, parent: crank, child: bar, at: B, axis: y}\n"
      "  rock: {type: revolute, child: rocker, at: D, axis: y}\n"
      "loops: {close: {type: point-line, point: bar@C, on: rocker@C, axis: y}}\n"
      "outputs: {E: energy}\n";
  char own[sizeof text + 80], other[sizeof text + 80];
  struct setup s, folded;
  snprintf(own, sizeof own, text, "q0: 0.3, w0: 0, m: 2, r: 0.2");
  snprintf(other, sizeof other, text, "q0: 0.6, w0: 1, m: 3, r: 0.25");
  open_text(&s, own, true);
  make_run(&s, "mdop5", 1e-6);
  const cmb_setting values[] = {{"q0", 0.6}, {"w0", 1}, {"m", 3}, {"r", 0.25}};
  cmbt_ok(s.ctx, cmb_simulation_set(s.sim, 4, values));
  cmbt_ok(s.ctx, cmb_simulation_advance(s.sim, 0.05));
  expect_refusal(&s, "r", 0.2502, "since positions cannot jump");
  const cmb_setting start = {"q0", 0.9}; /* no effect after the start */
  cmbt_ok(s.ctx, cmb_simulation_set(s.sim, 1, &start));
  open_text(&folded, other, false);
  make_run(&folded, "mdop5", 1e-6);
  cmbt_ok(folded.ctx, cmb_simulation_advance(folded.sim, 0.05));
  double a[MOST_X], b[MOST_X];
  const int n = state_of(&s, a);
  state_of(&folded, b);
  for (int i = 0; i < n; i++) cmbt_near(a[i], b[i], 1e-9);
  close_run(&s);
  close_run(&folded);
}

/* Checks that a longer bar and stops raised into bodies are refused, and that the run has the same bits as one without these attempts. */
static void test_refusals(void **state)
{
  (void)state;
  static const char text[] =
      "gravity: [0, 0, -9.81]\nparameters: {L: 1, low: -2, ground_z: 0}\npoints: {W: [0, 0, 0], B: "
      "[1, 0, 0]}\n"
      "bodies:\n  bob: {mass: 1, sphere: B, radius: 0.1}\n  ball: {mass: 1, sphere: [3, 0, 0], "
      "radius: 0.1}\n"
      "joints:\n  swing: {type: planar, child: bob, at: B, axes: [x, z]}\n"
      "  z: {type: prismatic, child: ball, axis: z, start: 0.01}\n"
      "loops:\n  rod: {type: distance, between: [ground@W, bob@B], length: L}\n"
      "  base: {type: stop, formula: z - ground_z, restitution: 0}\n"
      "  stop: {type: stop, formula: swing.y - low, restitution: 0.5}\n";
  double a[MOST_X], b[MOST_X];
  for (int i = cmbt_next_but_trap(0); i < cmb_method_count(); i = cmbt_next_but_trap(i + 1)) {
    struct setup s, plain;
    open_text(&s, text, true);
    open_text(&plain, text, true);
    make_run(&s, cmb_method_name(cmb_method_at(i)), 1e-6);
    make_run(&plain, cmb_method_name(cmb_method_at(i)), 1e-6);
    cmbt_ok(s.ctx, cmb_simulation_advance(s.sim, T));
    cmbt_ok(plain.ctx, cmb_simulation_advance(plain.sim, T));
    expect_refusal(&s, "L", 1.01,
                   "constraint 'rod' changes suddenly at t = 0.5 and is not satisfied then");
    expect_refusal(&s, "low", 0.5, "stop 'stop': its gap is");
    expect_refusal(&s, "ground_z", 0.1, "the surface jumps by 0.1 into the body that touches it");
    expect_refusal(&s, "LL", 1, "there is no live parameter or input 'LL'");
    expect_refusal(&s, "L", NAN, "expected a finite number");
    cmbt_ok(s.ctx, cmb_simulation_advance(s.sim, T_END));
    cmbt_ok(plain.ctx, cmb_simulation_advance(plain.sim, T_END));
    const int n = state_of(&s, a);
    state_of(&plain, b);
    assert_memory_equal(a, b, (size_t)n * sizeof *a);
    close_run(&s);
    close_run(&plain);
  }
}

/* Checks that values which a file must not have are refused before and during a run, with the place in the file and the message of the
 * model reader for the same value. The run has the same bits as one without these attempts. */
static void test_limits(void **state)
{
  (void)state;
  static const char text[] =
      "gravity: [0, 0, -9.81]\n"
      "parameters: {m: 2, I: 1, L: 1, edge: 0.2, k: 10, d: 1, fs: 0.1, r: 0.1, n: 2,\n"
      "  w: {value: 1, least: 0, most: 3}}\n"
      "points: {P: [L, 0, 0], Q: [L, 0, 1], B: [2, 0, 0]}\n"
      "bodies:\n"
      "  arm: {mass: 2 - m/2, com: [L, 0, 0], inertia: [I, 1, 1]}\n"
      "  box: {mass: 1, box: [edge, 0.1, 0.1], at: [2, 0, 0]}\n"
      "  disc: {mass: 1/n, sphere: [3, 0, 0], radius: r}\n"
      "joints:\n"
      "  hinge: {type: revolute, child: arm, at: [0, 0, 0], axis: y, friction: fs}\n"
      "  slide: {type: prismatic, child: box, axis: x}\n"
      "  z: {type: prismatic, child: disc, axis: z}\n"
      "forces:\n"
      "  pull: {type: spring, between: [arm@P, ground@Q], stiffness: k}\n"
      "  soft: {type: bushing, between: [box@B, ground@B], stiffness: [100, 1, 1], "
      "damping: [d, 1, 1]}\n";
  static const struct {
    const char *name;
    double value;
    const char *words;
  } bad[] = {
      {"m", 4,
       "body 'arm': with these values of the live parameters the mass is 0; expected a number "
       "greater than 0"},
      {"m", 5,
       "body 'arm': with these values of the live parameters the mass is -0.5; expected a number "
       "greater"},
      {"I", -1,
       "body 'arm': with these values of the live parameters the inertia has the principal moment "
       "-1; expected"},
      {"I", 2.5, "the inertia's principal moments are 2.5, 1 and 1; expected none larger than"},
      {"edge", 0,
       "body 'box': with these values of the live parameters an edge is 0; expected a number "
       "greater than 0"},
      {"r", -0.1,
       "body 'disc': with these values of the live parameters 'radius' is -0.1; expected"},
      {"n", 0,
       "body 'disc': with these values of the live parameters the mass is inf; expected a number"},
      {"fs", -1,
       "joint 'hinge': with these values of the live parameters friction is -1; expected a number "
       "not less"},
      {"w", 4,
       "parameter 'w': with these values of the live parameters it is 4; expected at most 3"},
      {"w", -1,
       "parameter 'w': with these values of the live parameters it is -1; expected at least 0"},
  };
  double a[MOST_X], b[MOST_X];
  struct setup s, plain;
  open_text(&s, text, true);
  open_text(&plain, text, true);
  make_run(&s, "mdop5", 1e-6);
  make_run(&plain, "mdop5", 1e-6);
  for (int during = 0; during < 2; during++) {
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
      expect_refusal(&s, bad[i].name, bad[i].value, bad[i].words);
      assert_true(cmb_error_of(s.ctx)->line > 0);
    }
    cmbt_ok(s.ctx, cmb_simulation_advance(s.sim, T));
    cmbt_ok(plain.ctx, cmb_simulation_advance(plain.sim, T));
  }
  cmbt_ok(s.ctx, cmb_simulation_advance(s.sim, T_END));
  cmbt_ok(plain.ctx, cmb_simulation_advance(plain.sim, T_END));
  const int n = state_of(&s, a);
  state_of(&plain, b);
  assert_memory_equal(a, b, (size_t)n * sizeof *a);
  const cmb_setting allowed[] = {{"m", 3.9}, {"I", 1.5}, {"k", 0}};
  cmbt_ok(plain.ctx, cmb_simulation_set(plain.sim, 3, allowed));
  close_run(&s);
  close_run(&plain);
}

/* The number of warnings and the last one. */
struct warned {
  int count;
  char last[300];
};

static void note_warning(void *user, cmb_log_level level, const char *message)
{
  struct warned *warned = user;
  if (level != CMB_LOG_WARNING) return;
  warned->count++;
  snprintf(warned->last, sizeof warned->last, "%s", message);
}

/* Checks that setting a damping below 0, which drives the motion, gives one warning, and another one only after it was not negative. */
static void test_negative_damping(void **state)
{
  (void)state;
  static const char text[] =
      "gravity: [0, 0, 0]\n"
      "parameters: {c: 0}\n"
      "bodies: {b: {mass: 2, com: [0, 0, 0]}}\n"
      "joints: {x: {type: prismatic, child: b, axis: x, damping: c, rate: 1}}\n";
  const cmb_setting less = {"c", -4}, more = {"c", -6}, none = {"c", 0};
  struct warned warned = {0};
  double a[MOST_X];
  struct setup s;
  open_text(&s, text, true);
  cmb_context_set_log(s.ctx, note_warning, &warned);
  make_run(&s, "mdop5", 1e-9);
  cmbt_ok(s.ctx, cmb_simulation_set(s.sim, 1, &less));
  assert_int_equal(warned.count, 1);
  assert_non_null(strstr(warned.last, "joint 'x': 'damping' is -4, less than 0"));
  cmbt_ok(s.ctx, cmb_simulation_advance(s.sim, T));
  cmbt_ok(s.ctx, cmb_simulation_set(s.sim, 1, &more));
  assert_int_equal(warned.count, 1);
  cmbt_ok(s.ctx, cmb_simulation_set(s.sim, 1, &none));
  cmbt_ok(s.ctx, cmb_simulation_set(s.sim, 1, &less));
  assert_int_equal(warned.count, 2);
  cmbt_ok(s.ctx, cmb_simulation_advance(s.sim, 2 * T));
  state_of(&s, a);
  cmbt_near(a[1], exp(4 * T), 1e-6 * exp(4 * T)); /* 4 N s/m on 2 kg */
  close_run(&s);
}

/* Checks that an inertia with a single nonzero principal moment gives one warning. The run goes on if a joint permits rotation about this
 * axis only, and ends with a message otherwise. */
static void test_rotor(void **state)
{
  (void)state;
  static const char text[] = "gravity: [0, 0, 0]\n"
                             "parameters: {K: 1}\n"
                             "bodies: {b: {mass: 2, com: [0, 0, 0], inertia: [1.5, K, K]}}\n"
                             "joints: {j: {type: %s, child: b, at: [0, 0, 0], %s}}\n";
  static const char *const joints[2][2] = {
      {"revolute", "axis: x, rate: 2, start: 0.5, stiffness: 6"}, {"spherical", "rate: [1, 2, 3]"}};
  const cmb_setting flat = {"K", 0}, full = {"K", 1};
  for (int i = 0; i < 2; i++) {
    struct warned warned = {0};
    char model[500];
    double a[MOST_X];
    struct setup s;
    snprintf(model, sizeof model, text, joints[i][0], joints[i][1]);
    open_text(&s, model, true);
    cmb_context_set_log(s.ctx, note_warning, &warned);
    make_run(&s, "mdop5", 1e-9);
    cmbt_ok(s.ctx, cmb_simulation_advance(s.sim, T));
    const cmb_status status = cmb_simulation_set(s.sim, 1, &flat);
    assert_non_null(strstr(warned.last, "body 'b': the inertia is about one axis only"));
    assert_int_equal(warned.count, 1);
    if (i == 1) {
      assert_true(status < 0 || cmb_simulation_advance(s.sim, 2 * T) < 0);
      assert_non_null(strstr(cmb_last_error(s.ctx), "the mass matrix is not positive definite"));
    } else {
      cmbt_ok(s.ctx, status);
      cmbt_ok(s.ctx, cmb_simulation_set(s.sim, 1, &flat));
      assert_int_equal(warned.count, 1);
      cmbt_ok(s.ctx, cmb_simulation_set(s.sim, 1, &full));
      cmbt_ok(s.ctx, cmb_simulation_set(s.sim, 1, &flat));
      assert_int_equal(warned.count, 2);
      cmbt_ok(s.ctx, cmb_simulation_advance(s.sim, 2 * T));
      state_of(&s, a);
      cmbt_near(a[0], 0.5 * cos(4 * T) + sin(4 * T), 1e-7); /* 6 N m/rad on 1.5 kg m^2 */
    }
    close_run(&s);
  }
}

/* Checks that a body in contact with a stop falls freely when the stop is moved away. */
static void test_falling_floor(void **state)
{
  (void)state;
  static const char text[] = "gravity: [0, 0, -9.81]\nparameters: {ground_z: 0}\n"
                             "bodies: {ball: {mass: 1, sphere: [0, 0, 0], radius: 0.1}}\n"
                             "joints: {z: {type: prismatic, child: ball, axis: z, start: 0.01}}\n"
                             "loops: {low: {type: stop, formula: z - ground_z, restitution: 0}}\n";
  const cmb_setting down = {"ground_z", -10};
  struct setup s;
  double x[MOST_X];
  open_text(&s, text, true);
  make_run(&s, "mdop5", 1e-8);
  cmbt_ok(s.ctx, cmb_simulation_advance(s.sim, T));
  cmbt_ok(s.ctx, cmb_simulation_set(s.sim, 1, &down));
  cmbt_ok(s.ctx, cmb_simulation_advance(s.sim, T_END));
  state_of(&s, x);
  cmbt_near(x[0], -9.81 / 8, 1e-8);
  cmbt_near(x[1], -9.81 / 2, 1e-8);
  close_run(&s);
}

/* Checks that a condition which becomes true by the new value is an event at that time, which may end the run. */
static void test_conditions(void **state)
{
  (void)state;
  static const char text[] =
      "parameters: {limit: 9}\nbodies: {block: {mass: 2, box: [0.1, 0.1, 0.1], at: [0, 0, 0]}}\n"
      "joints: {x: {type: prismatic, child: block, axis: x, rate: 1}}\n"
      "events: {far: {when: x > limit, action: stop}}\n";
  const cmb_setting near = {"limit", 0.2};
  struct setup s;
  open_text(&s, text, true);
  make_run(&s, "mdop5", 1e-8);
  cmbt_ok(s.ctx, cmb_simulation_advance(s.sim, T));
  assert_int_equal(s.seen.events, 0);
  cmbt_ok(s.ctx, cmb_simulation_set(s.sim, 1, &near));
  assert_int_equal(s.seen.events, 1);
  assert_string_equal(cmb_simulation_result(s.sim)->stopped_by, "far");
  assert_int_equal(cmb_simulation_advance(s.sim, T_END), CMB_ERROR_ARGUMENT);
  close_run(&s);
}

/* Checks a condition that depends on an input only: each time that the input is set across the limit there is an event. */
static void test_condition_of_an_input(void **state)
{
  (void)state;
  static const char text[] =
      "inputs: {u: 0}\nbodies: {block: {mass: 2, box: [0.1, 0.1, 0.1], at: [0, 0, 0]}}\n"
      "joints: {x: {type: prismatic, child: block, axis: x, rate: 1}}\n"
      "events: {kick: {when: u > 50, action: {reset: {\"x'\": \"2*x'\"}}}}\n";
  static const double time[] = {0.2, 0.4, 0.6, 0.7}, value[] = {60, 70, 10, 51};
  static const int events[] = {1, 1, 1, 2};
  struct setup s;
  double x[MOST_X];
  open_text(&s, text, true);
  make_run(&s, "mdop5", 1e-8);
  for (int k = 0; k < 4; k++) {
    const cmb_setting setting = {"u", value[k]};
    cmbt_ok(s.ctx, cmb_simulation_advance(s.sim, time[k]));
    cmbt_ok(s.ctx, cmb_simulation_set(s.sim, 1, &setting));
    assert_int_equal(s.seen.events, events[k]);
  }
  cmbt_ok(s.ctx, cmb_simulation_advance(s.sim, T_END));
  assert_int_equal(s.seen.events, 2);
  state_of(&s, x);
  cmbt_near(x[0], 0.2 + 2 * 0.5 + 4 * 0.3, 1e-8);
  cmbt_near(x[1], 4, 1e-8);
  close_run(&s);
}

/* Runs two simulations of one system in turns, with different values: each gives the result of a run alone. */
static void test_runs_apart(void **state)
{
  (void)state;
  const struct example *x = &examples[0];
  double in_turns[2][MOST_X], alone[2][MOST_X];
  struct setup s, t;
  int n = 0;
  for (int pass = 0; pass < 2; pass++) {
    open_example(&s, x, false);
    t = s;
    make_run(&s, "mdop5", 1e-6);
    make_run(&t, "mdop5", 1e-6);
    for (int k = 0; k < 2; k++) {
      if (pass == 0 || k == 0) cmbt_ok(s.ctx, cmb_simulation_advance(s.sim, T * (k + 1)));
      if (pass == 0 && k == 0) set_after(&s, x);
      if (pass == 0 || k == 1) cmbt_ok(t.ctx, cmb_simulation_advance(t.sim, T * (k + 1)));
    }
    if (pass == 1) set_after(&s, x);
    if (pass == 1) cmbt_ok(s.ctx, cmb_simulation_advance(s.sim, T_END));
    double(*to)[MOST_X] = pass == 0 ? in_turns : alone;
    n = state_of(&s, to[0]);
    state_of(&t, to[1]);
    cmb_simulation_destroy(t.sim);
    close_run(&s);
  }
  assert_memory_equal(in_turns[0], alone[0], (size_t)n * sizeof(double));
  for (int i = 0; i < n; i++) cmbt_near(in_turns[1][i], alone[1][i], 1e-4);
  assert_true(fabs(in_turns[0][0] - in_turns[1][0]) > 1e-3);
}

/* ---- rates of inputs */

static const char damped_road[] =
    "gravity: [0, 0, -9.81]\ninputs: {road: \"%s\"}\n"
    "bodies: {wheel: {mass: 40, com: [0, 0, 0.3]}}\n"
    "joints: {z: {type: prismatic, child: wheel, axis: z}}\n"
    "forces: {tyre: {type: contact, on: {body: wheel, at: [0, 0, 0.3]}, radius: 0.301, "
    "surface: z - road, stiffness: 3e5, damping: 4000}}\n";

/* Computes z and ż at the end with the road as a formula of time. */
static void run_formula(double x[MOST_X])
{
  char text[sizeof damped_road + 40];
  struct setup s;
  snprintf(text, sizeof text, damped_road, "5e-4*sin(30*t)");
  open_text(&s, text, false);
  make_run(&s, "mdop5", 1e-8);
  cmbt_ok(s.ctx, cmb_simulation_run(s.sim));
  state_of(&s, x);
  close_run(&s);
}

/* Returns the error of z at the end with the same road set in pieces, with the values at their middles, with or without the rate. */
static double off_by_pieces(const double *expected, int pieces, bool rates)
{
  char text[sizeof damped_road + 40];
  double x[MOST_X];
  struct setup s;
  snprintf(text, sizeof text, damped_road, "0");
  open_text(&s, text, true);
  make_run(&s, "mdop5", 1e-8);
  for (int i = 0; i < pieces; i++) {
    const double middle = (i + 0.5) * T_END / pieces;
    const cmb_setting settings[] = {{"road", 5e-4 * sin(30 * middle)},
                                    {"road'", 30 * 5e-4 * cos(30 * middle)}};
    cmbt_ok(s.ctx, cmb_simulation_set(s.sim, rates ? 2 : 1, settings));
    cmbt_ok(s.ctx, cmb_simulation_advance(s.sim, (i + 1) * T_END / pieces));
  }
  state_of(&s, x);
  close_run(&s);
  return fabs(x[0] - expected[0]);
}

/* Checks that a force which depends on an input and its rate converges to that of the formula if both are set, and does not without the rate. */
static void test_rates(void **state)
{
  (void)state;
  double expected[MOST_X];
  run_formula(expected);
  const double coarse = off_by_pieces(expected, 200, true);
  const double fine = off_by_pieces(expected, 400, true);
  const double without = off_by_pieces(expected, 400, false);
  printf("set by 200 and 400 pieces: off by %.1e and %.1e, without rates by %.1e\n", coarse, fine,
         without);
  assert_true(fine < 0.4 * coarse);
  assert_true(fine < 2e-6);
  assert_true(without > 5e-5);
}

/* Checks that the rate of an input which moves a constraint or a gap cannot be set. */
static void test_rates_of_drives(void **state)
{
  (void)state;
  static const char *const moved[] = {
      "inputs: {u: 0}\n" SLIDER "motions: {drive: {coordinate: x, value: u + 0.1 + 0.3*t}}\n",
      "inputs: {u: 0}\n" SLIDER
      "loops: {wall: {type: stop, formula: 2 + u - x, restitution: 0.5}}\n"};
  for (size_t i = 0; i < sizeof moved / sizeof *moved; i++) {
    struct setup s;
    open_text(&s, moved[i], true);
    make_run(&s, "mdop5", 1e-6);
    expect_refusal(&s, "u'", 1, "on which a constraint, a stop or an event depends");
    cmbt_ok(s.ctx, cmb_simulation_set(s.sim, 1, &(cmb_setting){"u'", 0}));
    cmbt_ok(s.ctx, cmb_simulation_advance(s.sim, 0.1));
    expect_refusal(&s, "u''", 1, "on which a constraint, a stop or an event depends");
    close_run(&s);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_as_formulas_of_time),
                                     cmocka_unit_test(test_real_time_steps),
                                     cmocka_unit_test(test_refusals),
                                     cmocka_unit_test(test_before_the_run),
                                     cmocka_unit_test(test_limits),
                                     cmocka_unit_test(test_negative_damping),
                                     cmocka_unit_test(test_rotor),
                                     cmocka_unit_test(test_falling_floor),
                                     cmocka_unit_test(test_conditions),
                                     cmocka_unit_test(test_condition_of_an_input),
                                     cmocka_unit_test(test_rates),
                                     cmocka_unit_test(test_rates_of_drives),
                                     cmocka_unit_test(test_runs_apart)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
