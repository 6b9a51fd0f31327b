/*
 * Shows that models made by calls equal those of files. Every bundled model, and one with every joint, loop, force and section of the
 * format, is made again by calls for each node of its tree. In three formulations the digests of the equations (names, start values, M, f,
 * g, G, γ, g_t, switching functions, outputs) agree at random states, bit for bit, and so do title, name and settings for runs.
 *
 * A four-bar linkage made by the typed calls is compared with its text.
 */
#include "check.h"
#include "draft_copy.h"
#include "model_run.h"
#include "random.h"

#include "dae/fingerprint.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_ROOM = 8000, STATES = 3 };

/* ---- comparison */

/* Returns the length of a name without its place: ", line 12" in a file, ", forces/f/force" by calls. */
static int name_length(const char *name)
{
  const char *comma = strstr(name, ", ");
  return comma ? (int)(comma - name) : (int)strlen(name);
}

static void assert_same_switches(const cmb_equations *a, const cmb_equations *b, const char *where)
{
  assert_int_equal(a->ns, b->ns);
  for (int i = 0; i < a->ns; i++) {
    const char *x = a->switch_names[i], *y = b->switch_names[i];
    const int n = name_length(x);
    if (n != name_length(y) || strncmp(x, y, (size_t)n) != 0)
      fail_msg("%s: the switch is '%s' in the file, '%s' by calls", where, x, y);
  }
}

static void move_state(cmb_system *s, struct cmbt_random *r)
{
  for (int i = 0; i < s->eq.nq; i++) s->q[i] += cmbt_random_uniform(r, -0.02, 0.02);
  for (int i = 0; i < s->eq.nv; i++) s->v[i] += cmbt_random_uniform(r, -1, 1);
}

static void assert_same_equations(cmb_context *ctx, cmb_system *a, cmb_system *b, const char *where)
{
  struct cmbt_random ra = {3}, rb = {3};
  assert_same_switches(&a->eq, &b->eq, where);
  a->eq.switch_names = b->eq.switch_names = NULL;
  for (int i = 0; i < STATES; i++) {
    char x[CMB_DIGEST_TEXT], y[CMB_DIGEST_TEXT];
    cmbt_ok(ctx, cmb_fingerprint(ctx, a, x));
    cmbt_ok(ctx, cmb_fingerprint(ctx, b, y));
    if (strcmp(x, y) != 0) fail_msg("%s: other equations than the file's at state %d", where, i);
    move_state(a, &ra);
    move_state(b, &rb);
  }
}

static void assert_same_settings(const cmb_model *a, const cmb_model *b)
{
  int n, m;
  const cmb_model_default *x = cmb_model_defaults(a, &n), *y = cmb_model_defaults(b, &m);
  assert_int_equal(n, m);
  for (int i = 0; i < n; i++) {
    double u, v;
    assert_string_equal(x[i].name, y[i].name);
    const bool numbers = sscanf(x[i].value, "%lf", &u) == 1 && sscanf(y[i].value, "%lf", &v) == 1;
    if (numbers) assert_true(u == v);
    if (!numbers) assert_string_equal(x[i].value, y[i].value);
    assert_int_equal(y[i].line, 0);
  }
  assert_string_equal(cmb_model_title(a), cmb_model_title(b));
  assert_string_equal(cmb_model_name(a), cmb_model_name(b));
}

static void assert_same_models(cmb_context *ctx, const cmb_model *file, const cmb_model *calls,
                               const char *name)
{
  assert_same_settings(file, calls);
  for (int form = CMB_FORM_EXPLICIT; form <= CMB_FORM_CARTESIAN; form++) {
    const cmb_model_system_options options = {.formulation = (cmb_formulation)form,
                                              .evaluation = CMB_EVALUATE_INTERPRETER};
    cmb_system *a, *b;
    char where[200];
    snprintf(where, sizeof where, "%s, formulation %d", name, form);
    cmbt_ok(ctx, cmb_model_system(ctx, file, &options, &a));
    cmbt_ok(ctx, cmb_model_system(ctx, calls, &options, &b));
    assert_same_equations(ctx, a, b, where);
    cmb_system_destroy(a);
    cmb_system_destroy(b);
  }
}

/* Checks that the same parameters stay live, also where the first reading finds that some cannot. */
static void assert_same_parameters(const cmb_model *a, const cmb_model *b)
{
  cmb_item x, y;
  for (int i = 0; cmb_model_item(a, CMB_ITEM_PARAMETER, i, &x); i++) {
    assert_true(cmb_model_item(b, CMB_ITEM_PARAMETER, i, &y));
    assert_string_equal(x.name, y.name);
    assert_true(x.value == y.value && x.live == y.live);
  }
  assert_int_equal(cmb_model_count(a, CMB_ITEM_PARAMETER), cmb_model_count(b, CMB_ITEM_PARAMETER));
}

static void compare_live(cmb_context *ctx, cmb_draft *draft, const char *path, const char *text,
                         size_t length)
{
  const cmb_model_options live = {.live_all = true};
  cmb_model *file, *calls;
  cmbt_ok(ctx, cmb_model_parse(ctx, text, length, path, &live, &file));
  cmbt_ok(ctx, cmb_draft_model(draft, &live, &calls));
  assert_same_parameters(file, calls);
  cmb_model_destroy(file);
  cmb_model_destroy(calls);
}

/* Compares the model of a text with the one made by calls; returns the number of calls. */
static int compare(const char *path, const char *text, size_t length, const char *name)
{
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_arena *arena = cmb_arena_create(ctx);
  cmb_model *file, *calls;
  cmb_draft *draft;
  assert_non_null(arena);
  cmbt_ok(ctx, cmb_model_parse(ctx, text, length, path, NULL, &file));
  cmbt_ok(ctx, cmb_draft_create(ctx, path, &draft));
  const int count = cmbt_draft_copy(draft, cmbt_yaml(ctx, arena, text, length));
  cmbt_ok(ctx, cmb_draft_model(draft, NULL, &calls));
  compare_live(ctx, draft, path, text, length);
  cmb_draft_destroy(draft);
  cmb_arena_destroy(arena);
  assert_same_models(ctx, file, calls, name);
  cmb_model_destroy(file);
  cmb_model_destroy(calls);
  cmb_context_destroy(ctx);
  return count;
}

/* ---- files */

static void test_bundled_models(void **state)
{
  (void)state;
  char names[CMBT_MOST_MODELS][CMBT_NAME_ROOM], path[PATH_ROOM];
  const int count = cmbt_model_names(names);
  const char *folder = getenv("SOURCE_DIR");
  assert_true(count >= 12 && folder);
  for (int i = 0; i < count; i++) {
    size_t length;
    snprintf(path, sizeof path, "%s/models/%s.yaml", folder, names[i]);
    char *text = cmbt_load_file(path, &length);
    printf("%-18s %d calls\n", names[i], compare(path, text, length, names[i]));
    free(text);
  }
}

/* A model with what the bundled ones lack: all joints, most loops and forces, stops, events, tables, mirrored and repeated instances, and
 * live parameters under names with operator signs in them. */
static const char everything[] =
    "title: Everything\n"
    "gravity: [0.1, 0, -9.8]\n"
    "parameters: {m: 1/3, k: 40, e: 0.5}\n"
    "points: {A: [0, 0, 0], B: [0.1, m, 0], C: {between: [A, B], ratio: 0.25}}\n"
    "tables:\n"
    "  f: {kind: akima, points: [[0, 0], [0.1, 2], [0.2, 3.3], [1, 4]]}\n"
    "  g: {x: [0, 1], y: [0, 1], values: [[1, 2], [3, 4]]}\n"
    "bodies:\n"
    "  b1: {mass: m, com: A, inertia: [1, 1.1, 1.2, 0.01, 0.02, 0.03]}\n"
    "  b2: {mass: 1, com: B, inertia: [[1, 0, 0], [0, 1, 0], [0, 0, 1]], markers: {tip: {at: C}}}\n"
    "  b3: {mass: 1, box: [0.1, 0.2, 0.3], at: [0, 0, 1], axes: {x: y, y: -x}}\n"
    "  b4: {mass: 1, cylinder: [A, B], radius: 0.1}\n"
    "  b5: {mass: 1, sphere: C, radius: 0.2}\n"
    "  b6: {mass: 1, rod: [A, B], radius: 0.1}\n"
    "  b7: {massless: true, com: A}\n"
    "  b8: {mass: 2, com: [1, 0, 0], inertia: [1, 1, 1]}\n"
    "  b9: {mass: 2, com: [2, 0, 0], inertia: [1, 1, 1]}\n"
    "  b10: {mass: 2, com: [2, 1, 0], inertia: [1, 1, 1]}\n"
    "joints:\n"
    "  j1: {type: free, child: b1, start: [0.1, 0, 0]}\n"
    "  j2: {type: spherical, parent: b1, child: b2, at: B, orientation: euler}\n"
    "  j3: {type: spherical, parent: b2, child: b3, at: C, axes: [x, y, z], start: [0.1, 0.2, 0]}\n"
    "  j4: {type: universal, parent: b3, child: b4, at: A, axes: [x, y], rate: [0.1, 0.3]}\n"
    "  j5: {type: planar, parent: b4, child: b5, at: C, normal: z, stiffness: [1, 2, 3]}\n"
    "  j6: {type: cylindrical, parent: b1, child: b6, at: A, axis: [A, B], damping: [1, 2]}\n"
    "  j7: {type: fixed, parent: b6, child: b7}\n"
    "  j8: {type: screw, parent: b7, child: b8, at: B, axis: z, pitch: 0.01}\n"
    "  j9: {type: constant-velocity, parent: b8, child: b9, at: [2, 0, 0], axis: x}\n"
    "  j10: {type: prismatic, parent: b9, child: b10, axis: y}\n"
    "loops:\n"
    "  wall: {type: stop, formula: j10 + 0.5, restitution: {law: poisson, value: e}}\n"
    "  gears: {type: gear, coordinates: [j10, j4.a], ratio: 0.1, offset: 0.02}\n"
    "motions: {drive: {coordinate: j6.x, value: 0.1*sin(2*t)}}\n"
    "inputs: {u: 0.3*t, w: {table: [[0, 0], [0.5, 1], [2, 1.5]]}}\n"
    "measures: {d: {distance: [{body: ground, at: [0, 0, 3]}, tip]}, n: d^2 + 1}\n"
    "forces:\n"
    "  s: {type: spring, between: [{body: ground, at: [0, 0, 3]}, tip], stiffness: k, damping: 2, "
    "spring: f,\n"
    "      damper: [[-1, -3], [0, 0], [1, 2]], force: \"max(u, d - 1)\"}\n"
    "  tor: {type: torsion, coordinate: j4.b, stiffness: 3, torque: \"if(j4.b > 0, w, 0)\"}\n"
    "  bush: {type: bushing, bodies: [b1, b5], at: C, stiffness: [1, 2, 3], damping: 0.5}\n"
    "  push: {type: load, on: {body: b2, at: B}, force: [u, \"g(u, t)\", 0], frame: body}\n"
    "  road: {type: contact, on: {body: b9, at: [2, 0, 0]}, radius: 0.1, surface: z + 5, "
    "stiffness: 1e4,\n"
    "          friction: 0.3}\n"
    "  balls: {type: hunt-crossley, between: [{body: b8, at: [1, 0, 0]}, {body: b10, at: [2, 1, "
    "0]}], radii: [0.1, 0.2],\n"
    "          stiffness: 1e5, dissipation: 0.2}\n"
    "outputs: {z: {value: tip.z, unit: m}, energy: energy, pull: s.force}\n"
    "events:\n"
    "  up: {when: tip.z > 0.1, direction: both}\n"
    "  flip: {when: t - 0.5, action: {reset: {\"(j10' + j10')/2\": -j10'}}}\n"
    "shapes: [{body: b2, line: [A, B], colour: red}, {body: b3, box: [1, 2, 3], at: A},\n"
    "         {sphere: b5@C, radius: 0.1, name: ball}]\n"
    "templates:\n"
    "  arm: {parameters: {l: 0.2}, points: {P: [1, 2, l]}, bodies: {w: {mass: 1, com: P}},\n"
    "        joints: {r: {type: revolute, parent: b1, child: w, at: [1, 2, 0], axis: y}}}\n"
    "  link: {points: {Q: [0, 0, -0.1]}, bodies: {w: {mass: index, com: Q}},\n"
    "         joints: {r: {type: revolute, parent: previous.w, child: w, at: [0, 0, 0], axis: "
    "x}}}\n"
    "instances:\n"
    "  left: {template: arm, parameters: {l: 2*m}}\n"
    "  right: {template: arm, mirror: y, offset: [0.1, 0, 0]}\n"
    "  row: {template: link, repeat: 3, step: [0, 0, -0.2], before: b1}\n"
    "simulate: {t-end: 2, method: mdop5, option: {projection: every}, rtol: 1e-7}\n";

static void test_everything(void **state)
{
  (void)state;
  const int calls = compare("everything.yaml", everything, sizeof everything - 1, "everything");
  printf("%-18s %d calls\n", "everything", calls);
}

/* ---- typed calls */

static void typed_four_bar(cmb_draft *d)
{
  static const double com[] = {0.25, 0, 0.5}, inertia[] = {0.2, 0.2, 0.3, 0.01, 0.02, 0.03};
  cmb_draft_text(d, "title", "A four-bar linkage");
  cmb_draft_parameter(d, "m", 0.1);
  cmb_draft_point(d, "A", 0, 0, 0);
  cmb_draft_point(d, "B", 0, 0, 1);
  cmb_draft_point(d, "C", 1, 0, 1.25);
  cmb_draft_point(d, "D", 1, 0, 0);
  cmb_draft_rod(d, "crank", 1, "A", "B");
  cmb_draft_body(d, "coupler", 2, com, inertia);
  cmb_draft_text(d, "bodies/coupler/mass", "20*m");
  cmb_draft_rod(d, "rocker", 1.5, "C", "D");
  cmb_draft_joint(d, "a", "revolute", NULL, "crank", "A", "y");
  cmb_draft_joint(d, "b", "revolute", "crank", "coupler", "B", "y");
  cmb_draft_joint(d, "d", "revolute", "ground", "rocker", "D", "y");
  cmb_draft_loop(d, "c", "revolute", "coupler@C", "rocker@C", "y");
  cmb_draft_spring(d, "s", "ground@C", "crank@B", 100, 0.1);
  cmb_draft_number(d, "joints/a/start", 0.01);
  cmb_draft_output(d, "angle", "a", "rad");
  cmb_draft_event(d, "top", "a > 0.1", "stop");
}

static const char four_bar[] =
    "title: A four-bar linkage\n"
    "parameters: {m: 0.1}\n"
    "points: {A: [0, 0, 0], B: [0, 0, 1], C: [1, 0, 1.25], D: [1, 0, 0]}\n"
    "bodies:\n"
    "  crank: {mass: 1, rod: [A, B]}\n"
    "  coupler: {mass: 20*m, com: [0.25, 0, 0.5], inertia: [0.2, 0.2, 0.3, 0.01, 0.02, 0.03]}\n"
    "  rocker: {mass: 1.5, rod: [C, D]}\n"
    "joints:\n"
    "  a: {type: revolute, child: crank, at: A, axis: y, start: 0.01}\n"
    "  b: {type: revolute, parent: crank, child: coupler, at: B, axis: y}\n"
    "  d: {type: revolute, child: rocker, at: D, axis: y}\n"
    "loops: {c: {type: revolute, between: [coupler@C, rocker@C], axis: y}}\n"
    "forces: {s: {type: spring, between: [ground@C, crank@B], stiffness: 100, damping: 0.1}}\n"
    "outputs: {angle: {value: a, unit: rad}}\n"
    "events: {top: {when: a > 0.1, action: stop}}\n";

static void test_typed_calls(void **state)
{
  (void)state;
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_draft *draft;
  cmb_model *file, *calls;
  cmbt_ok(ctx, cmb_draft_create(ctx, "four-bar", &draft));
  typed_four_bar(draft);
  cmbt_ok(ctx, cmb_draft_model(draft, NULL, &calls));
  cmb_draft_destroy(draft);
  cmbt_ok(ctx, cmb_model_parse(ctx, four_bar, sizeof four_bar - 1, "four-bar", NULL, &file));
  assert_same_models(ctx, file, calls, "four-bar");
  cmb_model_destroy(file);
  cmb_model_destroy(calls);
  cmb_context_destroy(ctx);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_bundled_models),
      cmocka_unit_test(test_everything),
      cmocka_unit_test(test_typed_calls),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
