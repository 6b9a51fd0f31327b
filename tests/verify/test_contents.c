/*
 * Shows that the lists of a model's contents agree with its file: for every bundled model, each entry of each section is found under its
 * name, with its type, text, unit and line, and the lists have no further items.
 *
 * Also shows that poses are right: for every body of every bundled model, at random positions in three formulations, position and
 * rotation agree with outputs that are added to the model by calls, the coordinates of its centre of mass and of three markers beside it.
 * Poses with live parameters agree with those of a model that was read with the same values.
 */
#include "check.h"
#include "draft_copy.h"
#include "failing_allocator.h"
#include "model_run.h"
#include "random.h"

#include "base/text.h"
#include "dae/evaluator.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_ROOM = 8000, MOST = 600 };

/* A bundled model and the tree of its file. */
struct file {
  cmb_context *ctx;
  cmb_arena *arena;
  char path[PATH_ROOM];
  char *text;
  const cmb_node *root;
  cmb_model *model;
};

static void open_file(struct file *f, const char *name)
{
  size_t length;
  const char *folder = getenv("SOURCE_DIR");
  assert_non_null(folder);
  f->ctx = cmb_context_create(NULL);
  f->arena = cmb_arena_create(f->ctx);
  snprintf(f->path, sizeof f->path, "%s/models/%s.yaml", folder, name);
  f->text = cmbt_load_file(f->path, &length);
  f->root = cmbt_yaml(f->ctx, f->arena, f->text, length);
  cmbt_ok(f->ctx, cmb_model_read(f->ctx, f->path, NULL, &f->model));
}

static void close_file(struct file *f)
{
  cmb_model_destroy(f->model);
  cmb_arena_destroy(f->arena);
  cmb_context_destroy(f->ctx);
  free(f->text);
}

/* ---- lists */

static const char *text_under(const cmb_node *map, const char *key)
{
  const cmb_node *node = cmb_node_find(map, key);
  return node ? node->text : "";
}

/* Returns the kind under which an entry is listed: rigid contacts and stops have a kind of their own. */
static cmb_item_kind kind_of(cmb_item_kind kind, const cmb_node *entry)
{
  const bool stop =
      strcmp(text_under(entry, "type"), "stop") == 0 || cmb_node_find(entry, "restitution");
  return stop ? CMB_ITEM_STOP : kind;
}

/* Checks the item that the model lists for an entry. `given` holds the parameters that an instance sets in place of the template's values,
 * or is NULL. */
static void check_entry(const cmb_model *m, cmb_item_kind kind, const char *prefix,
                        const cmb_node *entry, const cmb_node *given)
{
  char name[300];
  cmb_item item;
  double x;
  kind = kind_of(kind, entry);
  snprintf(name, sizeof name, "%s%s", prefix, entry->key);
  const int i = cmb_model_find(m, kind, name);
  if (i < 0) fail_msg("%s: there is no '%s'", cmb_model_name(m), name);
  assert_true(cmb_model_item(m, kind, i, &item));
  assert_string_equal(item.name, name);
  assert_int_equal(item.line, entry->key_place.line);
  assert_int_equal(item.column, entry->key_place.column);
  assert_string_equal(item.key, "");
  if (cmb_node_find(entry, "type")) assert_string_equal(item.type, text_under(entry, "type"));
  assert_string_equal(item.unit, text_under(entry, "unit"));
  const cmb_node *set =
      given && kind == CMB_ITEM_PARAMETER ? cmb_node_find(given, entry->key) : NULL;
  const cmb_node *value = set ? set : entry;
  if (value->kind == CMB_NODE_TEXT) assert_string_equal(item.text, value->text);
  if (kind == CMB_ITEM_EVENT) assert_string_equal(item.text, text_under(entry, "when"));
  if (kind == CMB_ITEM_OUTPUT && entry->kind == CMB_NODE_MAP)
    assert_string_equal(item.text, text_under(entry, "value"));
  if (kind == CMB_ITEM_PARAMETER && cmb_parse_number(value->text, &x)) assert_true(item.value == x);
}

static const struct {
  const char *name;
  cmb_item_kind kind;
} sections[] = {{"parameters", CMB_ITEM_PARAMETER},
                {"bodies", CMB_ITEM_BODY},
                {"markers", CMB_ITEM_MARKER},
                {"joints", CMB_ITEM_JOINT},
                {"loops", CMB_ITEM_LOOP},
                {"motions", CMB_ITEM_LOOP},
                {"inputs", CMB_ITEM_INPUT},
                {"measures", CMB_ITEM_MEASURE},
                {"forces", CMB_ITEM_FORCE},
                {"outputs", CMB_ITEM_OUTPUT},
                {"events", CMB_ITEM_EVENT},
                {"implicit", CMB_ITEM_IMPLICIT},
                {"states", CMB_ITEM_STATE},
                {"roads", CMB_ITEM_ROAD},
                {"controllers", CMB_ITEM_CONTROLLER},
                {"templates", CMB_ITEM_TEMPLATE}};

enum { SECTIONS = sizeof sections / sizeof *sections };

/* Checks the items in the map under a key of another entry: markers of a body, sampled values of a controller. */
static void check_members(const cmb_model *m, cmb_item_kind kind, const char *key,
                          const char *prefix, const cmb_node *entry, int seen[CMB_ITEM_KINDS])
{
  const cmb_node *own = cmb_node_find(entry, key);
  for (const cmb_node *n = own ? own->first : NULL; n; n = n->next) {
    check_entry(m, kind, prefix, n, NULL);
    seen[kind]++;
  }
}

/* Checks all entries of a file or template under a prefix, with the parameters `given` by an instance; `seen` (kinds) counts them. */
static void check_sections(const cmb_model *m, const cmb_node *root, const char *prefix,
                           const cmb_node *given, int seen[CMB_ITEM_KINDS])
{
  for (int i = 0; i < SECTIONS; i++) {
    const cmb_node *section = cmb_node_find(root, sections[i].name);
    for (const cmb_node *e = section ? section->first : NULL; e; e = e->next) {
      check_entry(m, sections[i].kind, prefix, e, given);
      seen[kind_of(sections[i].kind, e)]++;
      if (sections[i].kind == CMB_ITEM_BODY)
        check_members(m, CMB_ITEM_MARKER, "markers", prefix, e, seen);
      if (sections[i].kind == CMB_ITEM_CONTROLLER)
        check_members(m, CMB_ITEM_SAMPLED, "update", prefix, e, seen);
    }
  }
  const cmb_node *shapes = cmb_node_find(root, "shapes");
  seen[CMB_ITEM_SHAPE] += shapes ? shapes->count : 0;
}

/* Checks the instances of the model's own templates. The copies of a repeated instance are counted by their first
 * bodies in the model. */
static void check_instances(const cmb_model *m, const cmb_node *root, int seen[CMB_ITEM_KINDS])
{
  const cmb_node *instances = cmb_node_find(root, "instances");
  for (const cmb_node *e = instances ? instances->first : NULL; e; e = e->next) {
    const cmb_node *body =
        cmb_node_find(cmb_node_find(root, "templates"), text_under(e, "template"));
    const cmb_node *bodies = cmb_node_find(body, "bodies");
    if (!bodies) continue; /* the bodies are in a file that the template includes */
    const cmb_node *first = bodies->first;
    const bool repeated = cmb_node_find(e, "repeat") != NULL;
    for (int copy = 1; copy == 1 || repeated; copy++) {
      char number[16], prefix[100], name[200];
      snprintf(number, sizeof number, "%d", copy);
      snprintf(prefix, sizeof prefix, "%s%s.", e->key, repeated ? number : "");
      snprintf(name, sizeof name, "%s%s", prefix, first->key);
      if (cmb_model_find(m, CMB_ITEM_BODY, name) < 0) break;
      check_sections(m, body, prefix, cmb_node_find(e, "parameters"), seen);
      if (repeated) seen[CMB_ITEM_PARAMETER]++; /* `index` */
    }
  }
}

static void check_includes(struct file *f, const cmb_node *include, int seen[CMB_ITEM_KINDS])
{
  for (const cmb_node *e = include ? include->first : NULL; e; e = e->next) {
    char path[2 * PATH_ROOM];
    size_t length;
    const int folder = (int)(strrchr(f->path, '/') - f->path);
    snprintf(path, sizeof path, "%.*s/%s", folder, f->path, e->text);
    char *text = cmbt_load_file(path, &length);
    check_sections(f->model, cmbt_yaml(f->ctx, f->arena, text, length), "", NULL, seen);
    free(text);
  }
}

/* Checks that the indices by which bodies, joints and shapes refer to each other agree. */
static void check_references(const cmb_model *m)
{
  cmb_body body;
  cmb_joint joint;
  cmb_shape shape;
  const int bodies = cmb_model_count(m, CMB_ITEM_BODY);
  for (int i = 0; cmb_body_of(m, i, &body); i++) {
    assert_true(cmb_joint_of(m, body.joint, &joint));
    assert_int_equal(joint.child, i);
    assert_int_equal(joint.parent, body.parent);
    assert_in_range(body.parent + 1, 0, bodies);
    assert_true(body.mass >= 0 && joint.nq >= joint.nv && joint.nv >= 0);
    for (int k = 0; k < joint.nq; k++) assert_true(strlen(joint.q_names[k]) > 0);
  }
  for (int i = 0; cmb_shape_of(m, i, &shape); i++) {
    cmb_body_point points[MOST];
    assert_int_equal(cmb_model_points(m, CMB_ITEM_SHAPE, i, MOST, points), shape.point_count);
    for (int k = 0; k < shape.point_count; k++) assert_in_range(points[k].body + 1, 0, bodies);
  }
}

/* Returns the number of states that are in no section `states`: those of tyres, which have no formula. */
static int states_of_tyres(const cmb_model *m)
{
  cmb_item item;
  int count = 0;
  for (int i = 0; cmb_model_item(m, CMB_ITEM_STATE, i, &item); i++) count += item.text[0] == '\0';
  return count;
}

static void test_lists(void **state)
{
  (void)state;
  char names[CMBT_MOST_MODELS][CMBT_NAME_ROOM];
  const int count = cmbt_model_names(names);
  int all = 0;
  for (int i = 0; i < count; i++) {
    struct file f;
    int seen[CMB_ITEM_KINDS] = {0};
    open_file(&f, names[i]);
    check_sections(f.model, f.root, "", NULL, seen);
    check_includes(&f, cmb_node_find(f.root, "include"), seen);
    check_instances(f.model, f.root, seen);
    seen[CMB_ITEM_STATE] += states_of_tyres(f.model);
    /* templates of these models include files, which this test does not follow */
    const bool nested = strcmp(names[i], "hmmwv14") == 0 || strcmp(names[i], "iltis") == 0 ||
                        strcmp(names[i], "sedan") == 0 || cmbt_has_trailer(names[i]);
    for (int kind = 0; !nested && kind < CMB_ITEM_KINDS; kind++) {
      const int has = cmb_model_count(f.model, (cmb_item_kind)kind);
      if (kind != CMB_ITEM_TABLE && has != seen[kind])
        fail_msg("%s: %d items of kind %d; %d in the files", names[i], has, kind, seen[kind]);
      all += has;
    }
    check_references(f.model);
    close_file(&f);
  }
  printf("%d items of %d models\n", all, count);
}

/* ---- poses */

/* Adds the coordinates of each body's centre of mass and of three markers at a distance of 1 m to the outputs. */
static void add_outputs(cmb_draft *d, const cmb_model *m)
{
  cmb_body body;
  for (int i = 0; cmb_body_of(m, i, &body); i++) {
    for (int k = 0; k < 4; k++) {
      char key[100], on[200] = "", value[220];
      double at[3] = {body.com[0], body.com[1], body.com[2]};
      if (k > 0) {
        at[k - 1] += 1;
        snprintf(key, sizeof key, "markers/beside_%d_%d/on", i, k);
        assert_int_equal(cmb_draft_text(d, key, body.name), CMB_OK);
        snprintf(key, sizeof key, "markers/beside_%d_%d/at", i, k);
        assert_int_equal(cmb_draft_numbers(d, key, 3, at), CMB_OK);
        snprintf(on, sizeof on, "beside_%d_%d", i, k);
      }
      for (int n = 0; n < 3; n++) {
        snprintf(key, sizeof key, "outputs/pose_%d_%d_%d", i, k, n);
        snprintf(value, sizeof value, "%s.%c", k > 0 ? on : body.name, 'x' + n);
        assert_int_equal(cmb_draft_text(d, key, value), CMB_OK);
      }
    }
  }
}

/* Returns the index of the first output that add_outputs added; the others follow. */
static int first_output(const cmb_equations *eq)
{
  int i = 0;
  while (i < eq->no && strcmp(eq->output_names[i], "pose_0_0_0") != 0) i++;
  return i;
}

/* Returns the largest difference between the 12 added outputs of each body and its pose, at one random position. */
static double compare_poses(cmb_context *ctx, const cmb_model *m, const cmb_system *system,
                            cmb_formulation form, int bodies, uint64_t seed)
{
  const cmb_equations *eq = cmb_system_equations(system);
  cmb_evaluator *ev;
  cmb_poses *poses;
  static double q[MOST], v[MOST], zero[MOST], out[MOST];
  cmb_pose_of_body pose[MOST / 12];
  struct cmbt_random r = {seed};
  double worst = 0;
  assert_true(eq->nq <= MOST && eq->nv <= MOST && eq->no <= MOST && bodies <= MOST / 12);
  cmbt_ok(ctx, cmb_evaluator_create(ctx, eq, &ev));
  /* evaluation may fail at a random position, for example where a gas is compressed to nothing */
  cmb_status status = CMB_RETRY_NONFINITE;
  for (double far = 0.5; status == CMB_RETRY_NONFINITE && far > 1e-3; far /= 2) {
    for (int i = 0; i < eq->nq; i++)
      q[i] = cmb_system_q(system)[i] + cmbt_random_uniform(&r, -far, far);
    if (eq->normalize) eq->normalize(eq->self, q);
    status = cmb_outputs(ev, 0, q, v, zero, zero, out);
  }
  cmbt_ok(ctx, status);
  cmbt_ok(ctx, cmb_poses_create(ctx, m, form, &poses));
  cmbt_ok(ctx, cmb_poses_at(poses, eq->nq, q, 0, NULL, pose));
  const double *x = out + first_output(eq);
  assert_true(first_output(eq) + 12 * bodies <= eq->no);
  for (int i = 0; i < bodies; i++, x += 12) {
    for (int n = 0; n < 3; n++) {
      worst = fmax(worst, fabs(pose[i].place[n] - x[n]));
      for (int k = 0; k < 3; k++) {
        const double beside = pose[i].place[n] + pose[i].turn[3 * n + k];
        worst = fmax(worst, fabs(beside - x[3 + 3 * k + n]));
      }
    }
  }
  cmb_poses_destroy(poses);
  cmb_evaluator_destroy(ev);
  return worst;
}

static double check_poses(const char *name)
{
  struct file f;
  cmb_draft *draft;
  cmb_model *with;
  double worst = 0;
  open_file(&f, name);
  cmbt_ok(f.ctx, cmb_draft_create(f.ctx, f.path, &draft));
  cmbt_draft_copy(draft, f.root);
  add_outputs(draft, f.model);
  cmbt_ok(f.ctx, cmb_draft_model(draft, NULL, &with));
  cmb_draft_destroy(draft);
  for (int form = CMB_FORM_EXPLICIT; form <= CMB_FORM_CARTESIAN; form++) {
    const cmb_model_system_options options = {.formulation = (cmb_formulation)form,
                                              .evaluation = CMB_EVALUATE_INTERPRETER};
    cmb_system *system;
    cmbt_ok(f.ctx, cmb_model_system(f.ctx, with, &options, &system));
    const int bodies = cmb_model_count(with, CMB_ITEM_BODY);
    for (uint64_t seed = 1; seed <= 3; seed++) {
      worst =
          fmax(worst, compare_poses(f.ctx, f.model, system, (cmb_formulation)form, bodies, seed));
    }
    cmb_system_destroy(system);
  }
  cmb_model_destroy(with);
  close_file(&f);
  return worst;
}

static void test_poses(void **state)
{
  (void)state;
  char names[CMBT_MOST_MODELS][CMBT_NAME_ROOM];
  const int count = cmbt_model_names(names);
  for (int i = 0; i < count; i++) {
    const double worst = check_poses(names[i]);
    printf("%-18s poses differ by %.1e m\n", names[i], worst);
    cmbt_below(worst, 1e-13);
  }
}

/* An arm of length l, tilted out of its plane by a: points and axes that depend on live parameters. */
static const char arm[] =
    "parameters: {l: {value: 0.5, unit: m, title: length}, a: 0.1}\n"
    "points: {A: [0, 0, 0], B: [l*cos(a), l*sin(a), 0], C: [l, l, l]}\n"
    "bodies: {b: {mass: 1, rod: [A, B]}, c: {mass: 1, com: C}}\n"
    "joints: {h: {type: revolute, child: b, at: A, axis: [sin(a), 0, cos(a)]},\n"
    "         k: {type: revolute, parent: b, child: c, at: B, axis: y}}\n";

static void test_live_poses(void **state)
{
  (void)state;
  static const char *const names[] = {"l", "a"};
  static const double p[] = {0.8, -0.3}, q[] = {0.7, -1.1};
  const cmb_model_options live = {.live_all = true},
                          set = {.set_count = 2, .set_names = names, .set_values = p};
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_model *m[2];
  cmb_poses *poses[2];
  cmb_pose_of_body x[2][2], design[2];
  cmbt_ok(ctx, cmb_model_parse(ctx, arm, sizeof arm - 1, "arm", &live, &m[0]));
  cmbt_ok(ctx, cmb_model_parse(ctx, arm, sizeof arm - 1, "arm", &set, &m[1]));
  for (int i = 0; i < 2; i++) {
    cmbt_ok(ctx, cmb_poses_create(ctx, m[i], CMB_FORM_EXPLICIT, &poses[i]));
    cmbt_ok(ctx, cmb_poses_at(poses[i], 2, q, 2, i == 0 ? p : NULL, x[i]));
  }
  cmbt_ok(ctx, cmb_poses_at(poses[0], 2, q, 0, NULL, design));
  for (int i = 0; i < 2; i++) {
    for (int n = 0; n < 3; n++) cmbt_near(x[0][i].place[n], x[1][i].place[n], 1e-15);
    for (int n = 0; n < 9; n++) cmbt_near(x[0][i].turn[n], x[1][i].turn[n], 1e-15);
    assert_true(fabs(design[i].place[0] - x[0][i].place[0]) > 1e-3);
  }
  cmb_item item;
  assert_true(cmb_model_item(m[0], CMB_ITEM_PARAMETER, 0, &item) && item.live);
  assert_string_equal(item.unit, "m");
  assert_string_equal(item.title, "length");
  assert_string_equal(item.text, "0.5");
  assert_int_equal(cmb_poses_at(poses[0], 3, q, 0, NULL, design), CMB_ERROR_ARGUMENT);
  assert_int_equal(cmb_poses_at(poses[0], 2, q, 1, p, design), CMB_ERROR_ARGUMENT);
  assert_int_equal(cmb_poses_at(poses[0], 2, NULL, 0, NULL, design), CMB_ERROR_ARGUMENT);
  assert_int_equal(cmb_poses_at(poses[0], 2, (const double[]){NAN, 0}, 0, NULL, design),
                   CMB_ERROR_NONFINITE);
  for (int i = 0; i < 2; i++) {
    cmb_poses_destroy(poses[i]);
    cmb_model_destroy(m[i]);
  }
  cmb_context_destroy(ctx);
}

/* ---- points on bodies */

static const char pointed[] =
    "points: {A: [1, 0, 0], B: [0, 2, 0], C: [0, 0, 3]}\n"
    "bodies: {b: {mass: 1, com: A}, c: {mass: 1, com: B}, r: {mass: 1, rod: [C, A], radius: 1}}\n"
    "joints: {i: {type: free, child: b}, j: {type: free, child: c}, k: {type: free, child: r}}\n"
    "markers: {m: {on: c, at: C}}\n"
    "loops: {l: {type: distance, between: [b@A, c@B]}, g: {type: formula, formula: i.x - 1},\n"
    "        o: {type: point-plane, point: c@B, on: b@A, normal: z}}\n"
    "measures: {d: {distance: [ground@C, b@B]}, n: 2*d}\n"
    "forces:\n"
    "  s: {type: spring, between: [ground@B, m], stiffness: 1}\n"
    "  p: {type: load, on: b@C, force: [1, 2, 3]}\n"
    "  f: {type: contact, on: c@A, surface: z + 9, restitution: 0.5}\n"
    "  q: {type: torsion, coordinate: i.x, stiffness: 1}\n"
    "shapes: [{line: [b@A, c@B, ground@C]}]\n";

static void test_points(void **state)
{
  (void)state;
  static const struct {
    cmb_item_kind kind;
    const char *name;
    int count, body[3], point[3]; /* A, B, C as 0, 1, 2 */
  } rows[] = {
      {CMB_ITEM_MARKER, "m", 1, {1}, {2}},
      {CMB_ITEM_LOOP, "l", 2, {0, 1}, {0, 1}},
      {CMB_ITEM_LOOP, "g", 0, {0}, {0}},
      {CMB_ITEM_LOOP, "o", 2, {0, 1}, {0, 1}},
      {CMB_ITEM_MEASURE, "d", 2, {CMB_NO_BODY, 0}, {2, 1}},
      {CMB_ITEM_MEASURE, "n", 0, {0}, {0}},
      {CMB_ITEM_FORCE, "s", 2, {CMB_NO_BODY, 1}, {1, 2}},
      {CMB_ITEM_FORCE, "p", 1, {0}, {2}},
      {CMB_ITEM_FORCE, "q", 0, {0}, {0}},
      {CMB_ITEM_STOP, "f", 1, {1}, {0}},
      {CMB_ITEM_SHAPE, "", 3, {0, 1, CMB_NO_BODY}, {0, 1, 2}},
      {CMB_ITEM_BODY, "b", 0, {0}, {0}},
      {CMB_ITEM_BODY, "r", 2, {2, 2}, {2, 0}},
  };
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_model *m;
  cmbt_ok(ctx, cmb_model_parse(ctx, pointed, sizeof pointed - 1, "pointed", NULL, &m));
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    cmb_body_point points[4] = {{.body = 77}, {.body = 77}, {.body = 77}, {.body = 77}};
    const int item = cmb_model_find(m, rows[i].kind, rows[i].name);
    assert_true(item >= 0);
    assert_int_equal(cmb_model_points(m, rows[i].kind, item, 0, NULL), rows[i].count);
    assert_int_equal(cmb_model_points(m, rows[i].kind, item, 3, points), rows[i].count);
    for (int k = 0; k < rows[i].count; k++) {
      assert_int_equal(points[k].body, rows[i].body[k]);
      for (int n = 0; n < 3; n++)
        assert_true(points[k].at[n] == (rows[i].point[k] == n ? n + 1 : 0));
    }
    assert_int_equal(points[rows[i].count].body, 77);
  }
  cmb_model_destroy(m);
  cmb_context_destroy(ctx);
}

/* ---- wrong calls, no memory */

static void test_wrong_calls(void **state)
{
  (void)state;
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_model *m;
  cmb_poses *poses;
  cmb_item item;
  cmb_body body;
  cmb_joint joint;
  cmb_shape shape;
  cmb_body_point points[2];
  double g[3] = {1, 1, 1};
  cmbt_ok(ctx, cmb_model_parse(ctx, arm, sizeof arm - 1, "arm", NULL, &m));
  assert_int_equal(cmb_model_count(m, CMB_ITEM_KINDS), 0);
  assert_int_equal(cmb_model_count(m, (cmb_item_kind)-1), 0);
  assert_false(cmb_model_item(m, CMB_ITEM_KINDS, 0, &item));
  assert_false(cmb_model_item(m, CMB_ITEM_BODY, 2, &item));
  assert_false(cmb_model_item(m, CMB_ITEM_BODY, 0, NULL));
  assert_false(cmb_model_item(NULL, CMB_ITEM_BODY, 0, &item));
  assert_int_equal(cmb_model_find(m, CMB_ITEM_BODY, NULL), -1);
  assert_int_equal(cmb_model_find(m, CMB_ITEM_JOINT, "b"), -1);
  assert_int_equal(cmb_model_find(NULL, CMB_ITEM_JOINT, "h"), -1);
  assert_int_equal(cmb_model_points(m, CMB_ITEM_SHAPE, 0, 2, points), 0);
  assert_int_equal(cmb_model_points(NULL, CMB_ITEM_SHAPE, 0, 2, points), 0);
  assert_false(cmb_body_of(m, -1, &body) || cmb_body_of(m, 2, &body) || cmb_body_of(m, 0, NULL));
  assert_false(cmb_joint_of(m, 2, &joint) || cmb_joint_of(NULL, 0, &joint));
  assert_false(cmb_shape_of(m, 0, &shape) || cmb_shape_of(NULL, 0, &shape));
  cmb_model_gravity(NULL, g);
  assert_true(g[2] == 0);
  cmb_model_gravity(m, g);
  assert_true(g[2] == -9.81);
  cmb_model_gravity(m, NULL);
  assert_int_equal(cmb_poses_create(ctx, NULL, CMB_FORM_EXPLICIT, &poses), CMB_ERROR_ARGUMENT);
  assert_null(poses);
  assert_int_equal(cmb_poses_create(ctx, m, CMB_FORM_EXPLICIT, NULL), CMB_ERROR_ARGUMENT);
  assert_int_equal(cmb_poses_create(NULL, m, CMB_FORM_EXPLICIT, &poses), CMB_ERROR_ARGUMENT);
  assert_int_equal(cmb_poses_create(ctx, m, (cmb_formulation)7, &poses), CMB_ERROR_ARGUMENT);
  assert_int_equal(cmb_poses_at(NULL, 0, NULL, 0, NULL, NULL), CMB_ERROR_ARGUMENT);
  cmb_poses_destroy(NULL);
  cmb_model_destroy(m);
  cmb_context_destroy(ctx);
}

static void test_memory(void **state)
{
  (void)state;
  const cmb_model_options live = {.live_all = true};
  cmb_context *of_model = cmb_context_create(NULL);
  cmb_model *m;
  cmbt_ok(of_model, cmb_model_parse(of_model, arm, sizeof arm - 1, "arm", &live, &m));
  for (int form = CMB_FORM_EXPLICIT; form <= CMB_FORM_CARTESIAN; form++) {
    long refused = 1;
    for (long k = 2; refused > 0; k++) {
      struct cmbt_allocator memory;
      cmbt_allocator_init(&memory);
      memory.fail_at = k;
      cmb_context *ctx = cmb_context_create(&memory.hook);
      cmb_poses *poses;
      const cmb_status status = cmb_poses_create(ctx, m, (cmb_formulation)form, &poses);
      refused = memory.refused;
      assert_int_equal(status, refused > 0 ? CMB_ERROR_MEMORY : CMB_OK);
      assert_int_equal(cmb_error_of(ctx)->status, status);
      cmb_poses_destroy(poses);
      cmb_context_destroy(ctx);
      assert_int_equal(memory.outstanding, 0);
    }
  }
  cmb_model_destroy(m);
  cmb_context_destroy(of_model);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_lists),       cmocka_unit_test(test_poses),
      cmocka_unit_test(test_live_poses),  cmocka_unit_test(test_points),
      cmocka_unit_test(test_wrong_calls), cmocka_unit_test(test_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
