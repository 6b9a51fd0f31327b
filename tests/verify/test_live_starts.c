/*
 * Shows that start values follow live parameters: a value that is set before a run begins gives the same start as a model read with it.
 *
 *   - every bundled model, every parameter that can stay live, with another value than the file's, each in one of the formulations, not the
 *     same as in verify.live; both tests use all formulations if CAMBER_CAMPAIGN is set;
 *   - models with what the bundled ones lack: Euler parameters, mirrored and repeated instances, settings, drives, axes, redundant loops;
 *   - static equilibria and start values set by a program;
 *   - inputs; repeated runs; starts that do not exist.
 *
 * The references are systems of models with the values folded in. q and v agree to 1e-12 of their size, or of 1.
 */
#include "check.h"
#include "failing_allocator.h"
#include "model_run.h"

#include <camber/camber.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double SAME = 1e-12;

enum { MOST = 400 };

/* A model, in a file (text NULL) or a text, and what is set in its system. */
struct source {
  const char *path, *text;
  int start_count;
  cmb_setting start[2]; /* start values given when the system is made */
  cmb_setting set[1];   /* start value set later; name NULL: none */
  bool settle;          /* whether the start is moved to the equilibrium */
};

/* A model with its system and a run. */
struct made {
  cmb_model *model;
  cmb_system *system;
  cmb_simulation *sim;
  const cmb_equations *eq;
};

static void make(cmb_context *ctx, const struct source *s, cmb_formulation formulation,
                 const cmb_model_options *o, struct made *m)
{
  cmb_equilibrium_report report;
  const cmb_model_system_options options = {.formulation = formulation,
                                            .evaluation = CMB_EVALUATE_INTERPRETER,
                                            .start_count = s->start_count,
                                            .start = s->start};
  if (s->text) {
    cmbt_ok(ctx, cmb_model_parse(ctx, s->text, strlen(s->text), s->path, o, &m->model));
  } else {
    cmbt_ok(ctx, cmb_model_read(ctx, s->path, o, &m->model));
  }
  cmbt_ok(ctx, cmb_model_system(ctx, m->model, &options, &m->system));
  if (s->set[0].name && formulation != CMB_FORM_CARTESIAN) {
    cmbt_ok(ctx, cmb_system_set_start(ctx, m->system, 1, s->set));
  }
  if (s->settle) cmbt_ok(ctx, cmb_system_equilibrium(ctx, m->system, &report));
  m->eq = cmb_system_equations(m->system);
  cmb_run_options run = cmb_run_defaults();
  run.t_end = 1;
  cmbt_ok(ctx, cmb_simulation_create(ctx, m->system, &run, &m->sim));
}

static void release(struct made *m)
{
  cmb_simulation_destroy(m->sim);
  cmb_system_destroy(m->system);
  cmb_model_destroy(m->model);
}

struct counts {
  int models, parameters, moved; /* moved: parameters that change a start value */
  double worst;
};

static void compare(int n, const char *const *names, const double *got, const double *expected,
                    const char *where, struct counts *counts)
{
  for (int i = 0; i < n; i++) {
    const double off = fabs(got[i] - expected[i]) / fmax(1, fabs(expected[i]));
    if (!(off <= SAME)) {
      fail_msg("%s: '%s' starts at %.17g with the value live and %.17g with it folded, off by %.3g",
               where, names[i], got[i], expected[i], off);
    }
    counts->worst = fmax(counts->worst, off);
  }
}

/* Checks the start values that the system computes for p, and those of a run in which the value was set. */
static void compare_starts(cmb_context *ctx, struct made *live, int k, const double *p,
                           struct made *folded, const char *where, struct counts *counts)
{
  const cmb_equations *eq = live->eq;
  double q[MOST], v[MOST];
  assert_true(eq->nq == folded->eq->nq && eq->nv == folded->eq->nv);
  cmbt_ok(ctx, cmb_system_start(ctx, live->system, p, q, v));
  compare(eq->nq, eq->q_names, q, cmb_system_q(folded->system), where, counts);
  compare(eq->nv, eq->v_names, v, cmb_system_v(folded->system), where, counts);
  counts->moved += memcmp(q, cmb_system_q(live->system), (size_t)eq->nq * sizeof *q) != 0 ||
                   memcmp(v, cmb_system_v(live->system), (size_t)eq->nv * sizeof *v) != 0;

  const cmb_setting setting = {eq->p_names[k], p[k]}, back = {eq->p_names[k], eq->p[k]};
  const cmb_result *a = cmb_simulation_result(live->sim), *b = cmb_simulation_result(folded->sim);
  cmbt_ok(ctx, cmb_simulation_set(live->sim, 1, &setting));
  const cmb_status status = cmb_simulation_start(folded->sim);
  assert_int_equal(cmb_simulation_start(live->sim), status);
  compare(eq->nq, eq->q_names, a->q, b->q, where, counts);
  compare(eq->nv, eq->v_names, a->v, b->v, where, counts);
  if (status == CMB_OK) cmbt_near(a->start.q_moved, b->start.q_moved, 1e-9);
  cmbt_ok(ctx, cmb_simulation_set(live->sim, 1, &back));
}

/* Tries the parameters one after the other with other values. */
static void try_form(cmb_context *ctx, const struct source *s, cmb_formulation formulation,
                     bool in_turn, struct counts *counts)
{
  const cmb_model_options all = {.live_all = true};
  struct made live, folded;
  make(ctx, s, formulation, &all, &live);
  const cmb_equations *eq = live.eq;
  for (int k = in_turn ? ((int)formulation + 1) % 3 : 0; k < eq->np - eq->nh;
       k += in_turn ? 3 : 1) {
    double p[MOST];
    char where[300];
    memcpy(p, eq->p, (size_t)eq->np * sizeof *p);
    p[k] = p[k] == 0 ? 0.03 : 1.07 * p[k];
    const cmb_model_options set = {
        .set_count = 1, .set_names = &eq->p_names[k], .set_values = &p[k]};
    make(ctx, s, formulation, &set, &folded);
    snprintf(where, sizeof where, "%s, formulation %d, %s = %g", s->path, (int)formulation,
             eq->p_names[k], p[k]);
    compare_starts(ctx, &live, k, p, &folded, where, counts);
    counts->parameters++;
    release(&folded);
  }
  release(&live);
}

/* Tries all parameters in all formulations, or each parameter in one formulation. */
static void try_source(cmb_context *ctx, const struct source *s, bool in_turn,
                       struct counts *counts)
{
  for (int f = CMB_FORM_EXPLICIT; f <= CMB_FORM_CARTESIAN; f++) {
    try_form(ctx, s, (cmb_formulation)f, in_turn, counts);
  }
  counts->models++;
}

static void print_counts(const struct counts *c)
{
  print_message("%d models, %d live parameters and formulations, %d move the start, worst %.2g\n",
                c->models, c->parameters, c->moved, c->worst);
}

static void test_bundled(void **state)
{
  (void)state;
  cmb_context *ctx = cmb_context_create(NULL);
  char names[CMBT_MOST_MODELS][CMBT_NAME_ROOM], path[8000];
  struct counts counts = {0};
  const int models = cmbt_model_names(names);
  for (int i = 0; i < models; i++) {
    if (cmbt_has_trailer(names[i])) continue;
    snprintf(path, sizeof path, "%s/models/%s.yaml", getenv("SOURCE_DIR"), names[i]);
    const struct source s = {.path = path};
    try_source(ctx, &s, !getenv("CAMBER_CAMPAIGN"), &counts);
  }
  print_counts(&counts);
  assert_true(counts.parameters > models && counts.moved > counts.parameters / 5);
  cmb_context_destroy(ctx);
}

static const char linkage[] =
    "parameters: {q0: 0.3, w0: 1, m: 2, r: 0.2, l: 0.7, tilt: 0.1, far: 0.5}\n"
    "points: {A: [0, 0, 0], B: [r, 0, 0], C: [l, 0, 0.3], D: [far, 0, 0]}\n"
    "bodies: {crank: {mass: m, rod: [A, B], radius: 0.01}, bar: {mass: 1, rod: [B, C], radius: "
    "0.01}, rocker: {mass: 1, rod: [D, C], radius: 0.01}}\n"
    "joints:\n"
    "  turn: {type: revolute, child: crank, at: A, axis: y, start: q0, rate: w0}\n"
    "  pin: {type: revolute, parent: crank, child: bar, at: B, axis: y}\n"
    "  rock: {type: revolute, child: rocker, at: D, axis: y}\n"
    "loops: {close: {type: point-line, point: bar@C, on: rocker@C, axis: y}}\n"
    "outputs: {E: energy, x: tilt*bar.x}\n";

static const char hanging[] =
    "gravity: [0, 0, -9.81]\nparameters: {m: 2, k: 300, l: 0.5, side: 0.3, q0: 0.2}\n"
    "points: {A: [0, 0, 0], B: [l, 0, 0], C: [l, 0, side]}\n"
    "bodies: {arm: {mass: m, rod: [A, B], radius: 0.01}, bob: {mass: m/2, sphere: C, radius: "
    "0.05}}\n"
    "joints:\n  hinge: {type: revolute, child: arm, at: A, axis: y, start: q0}\n"
    "  second: {type: revolute, parent: arm, child: bob, at: B, axis: y, stiffness: k/50}\n"
    "forces: {hold: {type: spring, between: [arm@B, {body: ground, at: [l, 0, 1]}], stiffness: "
    "k}}\n";

static const struct source sources[] = {
    {.path = "linkage.yaml", .text = linkage},
    {.path = "linkage-set.yaml",
     .text = linkage,
     .start_count = 2,
     .start = {{"rock", 0.1}, {"rock'", -2}}},
    {.path = "linkage-later.yaml", .text = linkage, .set = {{"turn", 0.31}}},
    {.path = "hanging.yaml", .text = hanging},
    {.path = "settled.yaml", .text = hanging, .set = {{"hinge", 0.1}}, .settle = true},
    /* Euler parameters, mirrored and repeated instances, live axes, lists of start values */
    {.path = "instances.yaml",
     .text =
         "parameters: {a: 0.3, b: 0.2, w: 0.4, n: 3, s: 1}\n"
         "templates:\n"
         "  arm:\n"
         "    parameters: {angle: a}\n"
         "    bodies:\n"
         "      bar: {mass: 1, rod: [[0, 0.2, 0], [0, 0.2 + w, 0.1]], radius: 0.02}\n"
         "      end: {mass: 1, sphere: [0, 0.2 + w, 0.1], radius: 0.1}\n"
         "    joints:\n"
         "      hinge: {type: revolute, child: bar, at: [0, 0.2, 0], axis: [1, w, 0], start: "
         "angle/2, rate: b}\n"
         "      ball: {type: spherical, parent: bar, child: end, at: [0, 0.2 + w, 0.1], "
         "orientation: "
         "euler, start: [cos(angle), sin(angle)*s, 0, b], rate: [0, a*b, s]}\n"
         "  link:\n"
         "    bodies: {ball: {mass: 1, sphere: [0, 0, 0], radius: w/4}}\n"
         "    joints: {slide: {type: prismatic, parent: previous.ball, child: ball, axis: [b, 0, "
         "1], start: a*index, rate: -b*index}}\n"
         "instances:\n"
         "  left: {template: arm, offset: [w, 0, 0]}\n"
         "  right: {template: arm, mirror: y, offset: [0, 0, s], parameters: {angle: a + b}}\n"
         "  chain: {template: link, repeat: n, step: [0, 0, w], offset: [2, 0, 0]}\n"
         "loops: {gear: {type: gear, coordinates: [chain1.slide, chain3.slide], ratio: s}}\n"
         "inputs: {u: a*cos(s*t)}\n"
         "motions: {drive: {coordinate: chain2.slide, value: u*b}}\n"
         "outputs: {x: left.hinge}\n"},
    /* a free body, also in Cartesian coordinates */
    {.path = "free.yaml",
     .text = "parameters: {x0: 0.3, turn: 0.2, v0: 2, c: 0.1}\n"
             "bodies: {top: {mass: 1, box: [0.1, 0.2, 0.3], at: [c, 0, 2*c]}}\n"
             "joints: {free: {type: free, child: top, start: [x0, 0, x0*c, cos(turn), 0, "
             "sin(turn), 0], rate: [v0, 0, c, 0, v0*turn, 1]}}\n"
             "outputs: {h: top.z}\n"},
};

static void test_texts(void **state)
{
  (void)state;
  cmb_context *ctx = cmb_context_create(NULL);
  struct counts counts = {0};
  for (size_t i = 0; i < sizeof sources / sizeof *sources; i++) {
    try_source(ctx, &sources[i], false, &counts);
  }
  print_counts(&counts);
  assert_true(counts.moved > counts.parameters / 2);
  cmb_context_destroy(ctx);
}

/* Checks that a value added to an input changes the start values of a drive and of the loop connected to it. */
static void test_inputs(void **state)
{
  (void)state;
  static const char text[] = "parameters: {a: 0.4}\ninputs: {u: a + t}\n"
                             "bodies: {one: {mass: 1, box: [1, 1, 1], at: [0, 0, 0]}, two: {mass: "
                             "1, box: [1, 1, 1], at: [1, 0, 0]}}\n"
                             "joints:\n  x: {type: prismatic, child: one, axis: x}\n"
                             "  y: {type: prismatic, parent: one, child: two, axis: y}\n"
                             "motions: {drive: {coordinate: x, value: u}}\n"
                             "loops: {gear: {type: gear, coordinates: [y, x], ratio: 2}}\n";
  for (int f = CMB_FORM_EXPLICIT; f <= CMB_FORM_CARTESIAN; f++) {
    cmb_context *ctx = cmb_context_create(NULL);
    cmb_model *model;
    cmb_system *system;
    const cmb_model_options all = {.live_all = true};
    const cmb_model_system_options o = {.formulation = (cmb_formulation)f, .live_inputs = true};
    cmbt_ok(ctx, cmb_model_parse(ctx, text, strlen(text), "inputs.yaml", &all, &model));
    cmbt_ok(ctx, cmb_model_system(ctx, model, &o, &system));
    double q[MOST], v[MOST];
    const double p[4] = {0.7, -0.1}; /* a, the value added to u, and the rates of u */
    assert_int_equal(cmb_system_equations(system)->np, 4);
    cmbt_ok(ctx, cmb_system_start(ctx, system, p, q, v));
    const bool cartesian = f == CMB_FORM_CARTESIAN;
    cmbt_near(q[0], 0.6, SAME);
    cmbt_near(q[cartesian ? 8 : 1], 1.2, SAME); /* two.y */
    cmbt_near(v[0], 1, SAME);
    cmbt_near(v[cartesian ? 8 : 1], 2, SAME);
    cmb_system_destroy(system);
    cmb_model_destroy(model);
    cmb_context_destroy(ctx);
  }
}

/* Checks that a value set in one run also holds in the next and changes its start. A start that does not exist is reported as an error, after
 * which another value can be set. */
static void test_runs_after_runs(void **state)
{
  (void)state;
  static const char rope[] =
      "parameters: {L: 1.2, x0: 0.5}\npoints: {A: [0, 0, 0], W: [0, 0, 1]}\n"
      "bodies: {cart: {mass: 1, box: [1, 1, 1], at: A}, bob: {mass: 1, sphere: A, radius: 0.1}}\n"
      "joints:\n  x: {type: prismatic, child: cart, axis: x, start: 0.7}\n"
      "  y: {type: prismatic, child: bob, axis: x, start: x0, rate: 1}\n"
      "loops: {rope: {type: distance, between: [ground@W, cart@A], length: L}}\n";
  cmb_context *ctx = cmb_context_create(NULL);
  const struct source s = {.path = "rope.yaml", .text = rope};
  const cmb_model_options all = {.live_all = true};
  const cmb_setting start = {"x0", 0.6}, none = {"L", 0.9}, some = {"L", 1.25};
  struct made m;
  double value = 0;
  make(ctx, &s, CMB_FORM_EXPLICIT, &all, &m);
  const cmb_result *r = cmb_simulation_result(m.sim);
  cmbt_ok(ctx, cmb_simulation_advance(m.sim, 0.1));
  cmbt_near(r->q[1], 0.6, SAME);
  cmbt_ok(ctx, cmb_simulation_set(m.sim, 1, &start)); /* does not change a run under way */
  cmbt_near(r->q[1], 0.6, SAME);
  cmbt_ok(ctx, cmb_simulation_start(m.sim));
  cmbt_near(r->q[1], 0.6, SAME);
  cmbt_ok(ctx, cmb_simulation_set(m.sim, 1, &none));
  assert_true(cmb_simulation_advance(m.sim, 0.1) < 0);
  assert_non_null(strstr(cmb_last_error(ctx), "'rope'"));
  assert_true(cmb_simulation_advance(m.sim, 0.1) == CMB_ERROR_ARGUMENT);
  cmbt_ok(ctx, cmb_simulation_set(m.sim, 1, &some));
  cmbt_ok(ctx, cmb_simulation_get(m.sim, "L", &value));
  assert_true(value == 1.25);
  cmbt_ok(ctx, cmb_simulation_advance(m.sim, 0.1));
  cmbt_near(fabs(r->q[0]), 0.75, 1e-9);
  cmbt_near(r->q[1], 0.7, SAME);
  release(&m);
  cmb_context_destroy(ctx);
}

/* Checks a loop whose constraints are redundant while its axis is parallel to the others and which locks the linkage when it is not: setting such an
 * axis is reported as a contradiction with the constraints that were left out. */
static void test_left_out(void **state)
{
  (void)state;
  static const char text[] =
      "parameters: {e: 0, w: 2}\n"
      "points: {A: [0, 0, 0], B: [0.2, 0, 0], C: [0.7, 0, 0.3], D: [0.5, 0, 0]}\n"
      "bodies: {crank: {mass: 1, rod: [A, B], radius: 0.01}, bar: {mass: 1, rod: [B, C], radius: "
      "0.01}, rocker: {mass: 1, rod: [D, C], radius: 0.01}}\n"
      "joints:\n  turn: {type: revolute, child: crank, at: A, axis: y, rate: w}\n"
      "  pin: {type: revolute, parent: crank, child: bar, at: B, axis: y}\n"
      "  rock: {type: revolute, child: rocker, at: D, axis: y}\n"
      "loops: {close: {type: revolute, bodies: [bar, rocker], at: C, axis: [e, 1, 0]}}\n";
  cmb_context *ctx = cmb_context_create(NULL);
  const struct source s = {.path = "tilted.yaml", .text = text};
  const cmb_model_options all = {.live_all = true};
  const cmb_setting tilted = {"e", 0.2};
  struct made m;
  for (int f = CMB_FORM_EXPLICIT; f <= CMB_FORM_CARTESIAN; f++) {
    int count = 0;
    make(ctx, &s, (cmb_formulation)f, &all, &m);
    cmb_system_left_out(m.system, &count);
    assert_true(count > 0);
    cmbt_ok(ctx, cmb_simulation_set(m.sim, 1, &tilted));
    assert_true(cmb_simulation_run(m.sim) < 0);
    assert_non_null(strstr(cmb_last_error(ctx), "was redundant until t = "));
    release(&m);
  }
  cmb_context_destroy(ctx);
}

/* Checks that a run with another start can be saved and resumed by another simulation, which when started again has the first run's start. */
static void test_resumed(void **state)
{
  (void)state;
  cmb_context *ctx = cmb_context_create(NULL);
  const struct source s = {.path = "linkage.yaml", .text = linkage};
  const cmb_model_options all = {.live_all = true};
  const cmb_setting values[] = {{"r", 0.22}, {"q0", 0.5}};
  double first[MOST];
  struct made m;
  cmb_simulation *other;
  cmb_run_options run = cmb_run_defaults();
  run.t_end = 1;
  make(ctx, &s, CMB_FORM_CARTESIAN, &all, &m);
  const size_t size = (size_t)m.eq->nq * sizeof *first;
  cmbt_ok(ctx, cmb_simulation_create(ctx, m.system, &run, &other));
  const cmb_result *a = cmb_simulation_result(m.sim), *b = cmb_simulation_result(other);
  cmbt_ok(ctx, cmb_simulation_set(m.sim, 2, values));
  cmbt_ok(ctx, cmb_simulation_start(m.sim));
  memcpy(first, a->q, size);
  cmbt_ok(ctx, cmb_simulation_advance(m.sim, 0.1));
  cmbt_ok(ctx, cmb_simulation_save(m.sim, "live.state"));
  cmbt_ok(ctx, cmb_simulation_resume(other, "live.state"));
  cmbt_ok(ctx, cmb_simulation_advance(m.sim, 0.2));
  cmbt_ok(ctx, cmb_simulation_advance(other, 0.2));
  assert_memory_equal(a->q, b->q, size);
  assert_true(a->start.q_moved == b->start.q_moved);
  cmbt_ok(ctx, cmb_simulation_start(other));
  assert_memory_equal(b->q, first, size);
  cmb_simulation_destroy(other);
  release(&m);
  cmb_context_destroy(ctx);
}

/* Checks a value with which a start formula has no value. */
static void test_not_finite(void **state)
{
  (void)state;
  cmb_context *ctx = cmb_context_create(NULL);
  const struct source s = {
      .path = "log.yaml",
      .text = "parameters: {a: 0.5}\nbodies: {one: {mass: 1, box: [1, 1, 1], at: [0, 0, 0]}}\n"
              "joints: {x: {type: prismatic, child: one, axis: x, start: log(a)}}\n"};
  const cmb_model_options all = {.live_all = true};
  const cmb_setting bad = {"a", -1}, good = {"a", 1.5};
  struct made m;
  double a = 0;
  for (int f = CMB_FORM_EXPLICIT; f <= CMB_FORM_CARTESIAN; f++) {
    make(ctx, &s, (cmb_formulation)f, &all, &m);
    assert_int_equal(cmb_simulation_set(m.sim, 1, &bad), CMB_ERROR_NONFINITE);
    assert_non_null(strstr(cmb_last_error(ctx), "the start value of 'x' is not finite"));
    cmbt_ok(ctx, cmb_simulation_get(m.sim, "a", &a));
    assert_true(a == 0.5);
    cmbt_ok(ctx, cmb_simulation_set(m.sim, 1, &good));
    cmbt_ok(ctx, cmb_simulation_start(m.sim));
    cmbt_near(cmb_simulation_result(m.sim)->q[0], log(1.5), SAME);
    release(&m);
  }
  cmb_context_destroy(ctx);
}

/* Checks that any allocation that fails gives an error text, changes nothing and leaves no memory allocated. */
static void test_memory(void **state)
{
  (void)state;
  const struct source s = {
      .path = "linkage.yaml", .text = linkage, .start_count = 1, .start = {{"rock", 0.1}}};
  const cmb_model_options all = {.live_all = true};
  const cmb_setting longer = {"r", 0.21};
  struct cmbt_allocator memory;
  cmbt_allocator_init(&memory);
  cmb_context *ctx = cmb_context_create(&memory.hook);
  struct made m;
  double r = 0;
  make(ctx, &s, CMB_FORM_CARTESIAN, &all, &m);
  long k = 1;
  for (cmb_status status = CMB_ERROR_MEMORY; status != CMB_OK; k++) {
    const long outstanding = memory.outstanding;
    memory.refused = 0;
    memory.fail_at = memory.calls + k;
    status = cmb_simulation_set(m.sim, 1, &longer);
    memory.fail_at = 0;
    assert_int_equal(status, memory.refused ? CMB_ERROR_MEMORY : CMB_OK);
    assert_true(status == CMB_OK || cmb_last_error(ctx)[0]);
    assert_int_equal(memory.outstanding, outstanding);
    cmbt_ok(ctx, cmb_simulation_get(m.sim, "r", &r));
    assert_true(r == (status == CMB_OK ? 0.21 : 0.2));
  }
  print_message("%ld failed allocations\n", k - 2);
  assert_true(k > 10);
  release(&m);
  cmb_context_destroy(ctx);
  assert_int_equal(memory.outstanding, 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_bundled),    cmocka_unit_test(test_texts),
      cmocka_unit_test(test_inputs),     cmocka_unit_test(test_runs_after_runs),
      cmocka_unit_test(test_left_out),   cmocka_unit_test(test_resumed),
      cmocka_unit_test(test_not_finite), cmocka_unit_test(test_memory)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
