/*
 * Reads a whole model: implements the public functions (camber/model.h) and calls the readers of the sections in an order in which what a
 * section refers to is read before it. Parameters may refer to later parameters, and points to later points.
 */
#include "base/context.h"
#include "model/reader.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- the names of the sections; title and gravity */

enum section_kind { TEXT, LIST, MAP, ANY };

static const struct section {
  const char *name;
  enum section_kind kind;
  bool in_template;
} sections[] = {
    {"parameters", MAP, true}, {"points", MAP, true},    {"bodies", MAP, true},
    {"markers", MAP, true},    {"joints", MAP, true},    {"loops", MAP, true},
    {"motions", MAP, true},    {"inputs", MAP, true},    {"tables", MAP, true},
    {"measures", MAP, true},   {"states", MAP, true},    {"controllers", MAP, true},
    {"implicit", MAP, true},   {"forces", MAP, true},    {"outputs", MAP, true},
    {"events", MAP, true},     {"roads", MAP, true},     {"templates", MAP, true},
    {"instances", MAP, true},  {"shapes", LIST, true},   {"include", ANY, true},
    {"title", TEXT, true},     {"gravity", LIST, false}, {"simulate", MAP, false},
};

enum { SECTIONS = sizeof sections / sizeof *sections, IN_TEMPLATE = 22 };

/* Checks that a file or template of a model (the map `root`) has only known sections, each of the right kind (text, list or map). An empty
 * section is accepted. */
cmb_status cmb_check_sections(cmb_reader *r, const cmb_node *root, bool in_template)
{
  const char *names[SECTIONS];
  for (int i = 0; i < SECTIONS; i++) names[i] = sections[i].name;
  CMB_TRY(cmb_check_keys(r, root, in_template ? IN_TEMPLATE : SECTIONS, names));
  for (int i = 0; i < SECTIONS; i++) {
    const cmb_node *node = cmb_node_find(root, sections[i].name);
    if (!node || (node->kind == CMB_NODE_TEXT && !node->text[0])) continue;
    switch (sections[i].kind) {
    case TEXT: CMB_TRY(cmb_expect_text(r, node, "a text")); break;
    case LIST: CMB_TRY(cmb_expect_list(r, node, node->count, "a list")); break;
    case MAP: CMB_TRY(cmb_expect_map(r, node)); break;
    default: break;
    }
  }
  return CMB_OK;
}

/* Returns the first section with this name that has a value (which may be {} or []), searched in the main file of the model, then in the files
 * that it includes; NULL if there is none. */
static const cmb_node *find_section(const cmb_reader *r, const char *name)
{
  const cmb_node *node = NULL;
  for (const cmb_part *part = r->scopes->parts; part && !node; part = part->next) {
    node = cmb_node_find(part->root, name);
    if (node && node->kind == CMB_NODE_TEXT && !node->text[0]) node = NULL;
  }
  return node;
}

static cmb_status read_head(cmb_reader *r)
{
  cmb_model *m = r->model;
  const cmb_node *title = find_section(r, "title"), *gravity = find_section(r, "gravity");
  m->title = "";
  if (title) CMB_TRY(cmb_read_line(r, title, &m->title));
  m->gravity[2] = cmb_fixed(-9.81);
  return gravity ? cmb_read_numbers(r, r->scopes, gravity, 3, m->gravity) : CMB_OK;
}

/* ---- simulate */

/* Appends a default for a command line option to the model: the option named by `key` has the value `value`; `at` is its position in the file.
 * value == NULL means that the caller ran out of memory, and is reported as such. */
static cmb_status add_default(cmb_reader *r, const cmb_node *key, cmb_place at, const char *value)
{
  cmb_model *m = r->model;
  cmb_model_default *d = &m->defaults[m->default_count++];
  d->name = cmb_arena_text(m->arena, key->key);
  d->value = value;
  d->file = at.file;
  d->line = at.line;
  d->column = at.column;
  d->key_line = key->key_place.line;
  d->key_column = key->key_place.column;
  return d->name && value ? CMB_OK : cmb_fail_memory(r->ctx);
}

/* Reads one entry of the section `simulate` of a model file, which sets the default of a command line option, and adds it to the model. The
 * entry `key: value` sets the option `key` to the value. `key: {a: b, ...}` gives the option once for each pair, with the value "a=b".
 * `key: [v, w, ...]` gives the option once for each value. */
static cmb_status read_default(cmb_reader *r, const cmb_node *node)
{
  static const char expected[] = "a value, {name: value, ...} or [value, ...]";
  if (node->kind == CMB_NODE_TEXT) {
    CMB_TRY(cmb_expect_text(r, node, expected));
    return add_default(r, node, node->place, cmb_arena_text(r->model->arena, node->text));
  }
  if (node->count == 0)
    return cmb_reader_fail(r, node->place, "'%s' is empty; expected %s", node->key, expected);
  for (const cmb_node *entry = node->first; entry; entry = entry->next) {
    CMB_TRY(cmb_expect_text(r, entry, expected));
    const char *value = node->kind == CMB_NODE_MAP ? cmb_full_name(r, entry->key, "=", entry->text)
                                                   : cmb_arena_text(r->model->arena, entry->text);
    CMB_TRY(add_default(r, node, entry->place, value));
  }
  return CMB_OK;
}

static cmb_status read_simulate(cmb_reader *r)
{
  const cmb_node *simulate = find_section(r, "simulate");
  if (!simulate) return CMB_OK;
  r->model->defaults =
      cmb_arena_take(r->model->arena, (size_t)simulate->size, sizeof *r->model->defaults);
  if (!r->model->defaults) return cmb_fail_memory(r->ctx);
  cmb_reader_subject(r, "simulate", "", NULL);
  for (const cmb_node *entry = simulate->first; entry; entry = entry->next)
    CMB_TRY(read_default(r, entry));
  cmb_reader_subject(r, "", "", NULL);
  return CMB_OK;
}

/* ---- the whole */

/* Reads all sections of the model but includes, templates and instances, in an order in which what a section refers to has been read before;
 * names in formulas that stay text are looked up later. */
static cmb_status read_sections(cmb_reader *r)
{
  CMB_TRY(cmb_read_parameters(r));
  CMB_TRY(cmb_define_points(r));
  CMB_TRY(cmb_place_scopes(r));
  CMB_TRY(read_head(r));
  CMB_TRY(cmb_read_points(r));
  CMB_TRY(cmb_read_tables(r));
  CMB_TRY(cmb_read_bodies(r));
  CMB_TRY(cmb_check_before(r));
  CMB_TRY(cmb_read_markers(r));
  CMB_TRY(cmb_read_roads(r));
  CMB_TRY(cmb_read_joints(r));
  CMB_TRY(cmb_read_loops(r));
  CMB_TRY(cmb_read_signals(r));
  CMB_TRY(cmb_read_controllers(r));
  CMB_TRY(cmb_read_implicits(r));
  CMB_TRY(cmb_read_forces(r));
  CMB_TRY(cmb_read_events(r));
  CMB_TRY(cmb_read_shapes(r));
  return read_simulate(r);
}

/* A model's text in memory. */
struct text {
  const char *text;
  size_t length;
};

static cmb_status parse_text(cmb_reader *r, const void *from, const cmb_node **root)
{
  const struct text *t = from;
  const cmb_place begin = r->model->place;
  if (t->length > CMB_MOST_BYTES)
    return cmb_fail_at(r->ctx, begin, "the text is larger than 16 MB");
  CMB_TRY(cmb_check_text(r->ctx, t->text, t->length, cmb_about_at(begin)));
  return cmb_yaml_parse(r->ctx, &r->map, t->text, t->length, begin.file, root);
}

static cmb_status read_tree(cmb_reader *r, const cmb_node *root)
{
  CMB_TRY(cmb_graph_create(r->ctx, &r->graph));
  if (r->options && (r->options->live_all || r->options->live_count > 0)) {
    CMB_TRY(cmb_graph_create(r->ctx, &r->model->graph));
  }
  CMB_TRY(cmb_unfold(r, root));
  return read_sections(r);
}

/* Returns the name of a model, on the model's arena: the name of its file without directory and extension. Returns NULL if out of memory.
 * */
static const char *name_of(cmb_model *m, const char *path)
{
  const char *slash = strrchr(path, '/');
  char *name = cmb_arena_text(m->arena, slash ? slash + 1 : path);
  char *point = name ? strrchr(name, '.') : NULL;
  if (point && point > name) *point = '\0';
  return name;
}

static cmb_model *create_model(cmb_context *ctx, const char *path)
{
  cmb_arena *arena = cmb_arena_create(ctx);
  cmb_model *m = arena ? cmb_arena_take(arena, 1, sizeof *m) : NULL;
  if (!m) {
    cmb_arena_destroy(arena);
    return NULL;
  }
  m->ctx = ctx;
  m->arena = arena;
  m->path = cmb_arena_text(arena, path);
  m->place = cmb_place_in(m->path, 1, 1);
  m->name = name_of(m, path);
  if (!cmb_arena_failed(arena)) return m;
  cmb_model_destroy(m);
  return NULL;
}

static cmb_status check_options(cmb_context *ctx, const cmb_model_options *o)
{
  if (!o) return CMB_OK;
  CMB_REQUIRE(ctx, o->set_count == 0 || (o->set_count > 0 && o->set_names && o->set_values),
              "names or values of the parameters are missing");
  CMB_REQUIRE(ctx, o->live_count == 0 || (o->live_count > 0 && o->live_names),
              "names of the live parameters are missing");
  for (int i = 0; i < o->set_count; i++)
    CMB_REQUIRE(ctx, o->set_names[i], "a parameter has no name");
  for (int i = 0; i < o->live_count; i++)
    CMB_REQUIRE(ctx, o->live_names[i], "a live parameter has no name");
  return CMB_OK;
}

/* The source of the tree of nodes, and what a reading that must be repeated passes on to the next one. */
struct attempt {
  cmb_tree_source source;
  const void *from;
  cmb_arena *kept;
  const cmb_not_live *fixed;
  bool repeat_needed;
};

static cmb_status read_once(cmb_context *ctx, const char *path, const cmb_model_options *options,
                            struct attempt *attempt, cmb_model **model)
{
  const cmb_node *root = NULL;
  cmb_arena *scratch = cmb_arena_create(ctx);
  cmb_model *m = create_model(ctx, path);
  cmb_reader *r = scratch ? cmb_arena_take(scratch, 1, sizeof *r) : NULL;
  cmb_status status = CMB_OK;
  if (!m || !r) {
    status = cmb_fail_memory(ctx);
  } else {
    *r = (cmb_reader){.ctx = ctx, .options = options, .model = m, .scratch = scratch};
    r->map.arena = scratch;
    r->kept = attempt->kept;
    r->fixed = attempt->fixed;
    status = attempt->source(r, attempt->from, &root);
    if (status == CMB_OK) status = read_tree(r, root);
    attempt->fixed = r->fixed;
    attempt->repeat_needed = r->repeat_needed;
    cmb_graph_destroy(r->graph);
  }
  cmb_arena_destroy(scratch);
  if (status == CMB_OK && !attempt->repeat_needed)
    *model = m;
  else
    cmb_model_destroy(m);
  return status;
}

cmb_status cmb_read_model(cmb_context *ctx, const char *path, const cmb_model_options *options,
                          cmb_tree_source source, const void *from, cmb_model **model)
{
  CMB_TRY(check_options(ctx, options));
  cmb_forget_error(ctx);
  struct attempt attempt = {.source = source, .from = from, .kept = cmb_arena_create(ctx)};
  if (!attempt.kept) return cmb_fail_memory(ctx);
  cmb_status status = CMB_OK;
  do {
    status = read_once(ctx, path, options, &attempt, model);
  } while (status == CMB_OK && attempt.repeat_needed);
  cmb_arena_destroy(attempt.kept);
  return status;
}

cmb_status cmb_model_parse(cmb_context *ctx, const char *text, size_t length, const char *path,
                           const cmb_model_options *options, cmb_model **model)
{
  CMB_REQUIRE(ctx, ctx && model, "cmb_model_parse needs a context and a place for the model");
  *model = NULL;
  CMB_REQUIRE(ctx, (text || length == 0) && path, "cmb_model_parse needs a text and its name");
  const struct text from = {text, length};
  return cmb_read_model(ctx, path, options, parse_text, &from, model);
}

cmb_status cmb_model_read(cmb_context *ctx, const char *path, const cmb_model_options *options,
                          cmb_model **model)
{
  char *text;
  size_t length;
  CMB_REQUIRE(ctx, ctx && model, "cmb_model_read needs a context and a place for the model");
  *model = NULL;
  CMB_REQUIRE(ctx, path, "cmb_model_read needs the path of a file");
  CMB_TRY(cmb_load_file(ctx, path, &text, &length));
  cmb_status status = cmb_model_parse(ctx, text, length, path, options, model);
  cmb_release(ctx, text);
  return status;
}

void cmb_model_destroy(cmb_model *m)
{
  if (!m) return;
  for (int i = 0; i < m->table_count; i++) cmb_table_destroy(m->tables[i].table);
  for (int i = 0; i < m->road_count; i++) {
    cmb_table_destroy(m->roads[i].waves);
    cmb_table_destroy(m->roads[i].line);
  }
  cmb_graph_destroy(m->graph);
  cmb_arena_destroy(m->arena);
}

const char *cmb_model_name(const cmb_model *model)
{
  return model ? model->name : NULL;
}

const char *cmb_model_title(const cmb_model *model)
{
  return model ? model->title : NULL;
}

/* Returns whether the name of a constraint is `name` or begins with `name` and a '.'. */
static bool begins_with(const char *constraint, const char *name)
{
  size_t length = strlen(name);
  return strncmp(constraint, name, length) == 0 &&
         (constraint[length] == '\0' || constraint[length] == '.');
}

/* Finds the origin of a constraint by the longest matching name: stores the joint or loop `name` in *best if the constraint's name is this
 * name, or begins with it and a '.', and *best has no longer name. For example, the constraint "left.rod.x" comes from the joint "left.rod",
 * not from "left". */
static void keep_longest_match(cmb_model_origin *best, const char *constraint, const char *kind,
                               const char *name, cmb_place place)
{
  if (!begins_with(constraint, name) || (best->name && strlen(best->name) > strlen(name))) return;
  *best = (cmb_model_origin){kind, name, place.file, place.line, place.column};
}

bool cmb_model_origin_of(const cmb_model *model, const char *constraint, cmb_model_origin *origin)
{
  if (!origin) return false;
  *origin = (cmb_model_origin){0};
  if (!model || !constraint) return false;
  for (int i = 0; i < model->loop_count; i++) {
    const cmb_model_loop *l = &model->loops[i];
    keep_longest_match(origin, constraint, l->motion ? "motion" : "loop", l->name, l->place);
  }
  for (int i = 0; i < model->joint_count; i++)
    keep_longest_match(origin, constraint, "joint", model->joints[i].name, model->joints[i].place);
  return origin->name != NULL;
}

const cmb_model_default *cmb_model_defaults(const cmb_model *model, int *count)
{
  *count = model ? model->default_count : 0;
  return model ? model->defaults : NULL;
}
