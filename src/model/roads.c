/*
 * Reads the section `roads` of a model: surfaces that wheels and contacts roll on; called by read.c (reader.h). The types and their numbers
 * are the rows of road_types.c.
 *
 * A road that has a place begins at `at` and leads in `direction`, along x by default; an OpenCRG file gives defaults for both. Its own
 * coordinates are s along the direction and n to the left of it. In mirrored copies the place and the direction are mirrored, and n counts
 * to the right; the x and y of formulas are those that all formulas of the copy use (cmb_mirror).
 */
#include "base/context.h"
#include "base/text.h"
#include "model/crg.h"
#include "model/reader.h"

#include <math.h>

/* ---- place and direction */

/* Sets road->across to the horizontal unit vector perpendicular to road->along: to its left or, in a mirrored template instance, to its
 * right. */
static void set_across(cmb_graph *g, const cmb_scope *s, cmb_model_road *road)
{
  const int turn = s->placed->mirror.turn;
  road->across[0] = cmb_scaled(g, -turn, road->along[1]);
  road->across[1] = cmb_scaled(g, turn, road->along[0]);
}

/* Sets road->along to the horizontal unit vector (x, y), given in the axes of scope s (the model or a template instance), and road->across
 * to the horizontal unit vector to its left or, in a mirrored instance, to its right. */
static void set_along(cmb_graph *g, const cmb_scope *s, double x, double y, cmb_model_road *road)
{
  cmb_number d[3] = {cmb_fixed(x), cmb_fixed(y), cmb_fixed(0)};
  cmb_scope_vector(g, s, d);
  for (int i = 0; i < 2; i++) road->along[i] = d[i];
  set_across(g, s, road);
}

/* Reads the direction of a road into road->along and sets road->across to the horizontal unit vector to its left or, in a mirrored template
 * instance, to its right. A direction that is not horizontal is an error. */
static cmb_status read_direction(cmb_reader *r, const cmb_scope *s, const cmb_node *node,
                                 cmb_model_road *road)
{
  cmb_graph *g = r->model->graph;
  cmb_number d[3];
  CMB_TRY(cmb_read_direction(r, s, node, d));
  if (!(fabs(d[2].value) < 1e-9) || d[2].live != 0) {
    return d[2].live != 0 ? cmb_reader_fail(r, node->place,
                                            "the height of the direction depends on a live "
                                            "parameter; expected a horizontal direction")
                          : cmb_reader_fail(r, node->place,
                                            "the direction rises by %g per metre; expected a "
                                            "horizontal one",
                                            d[2].value);
  }
  for (int i = 0; i < 2; i++) road->along[i] = d[i];
  set_across(g, s, road);
  return CMB_OK;
}

static cmb_status read_place(cmb_reader *r, const cmb_scope *s, const cmb_node *entry,
                             cmb_model_road *road)
{
  const cmb_node *at = cmb_node_find(entry, "at"), *direction = cmb_node_find(entry, "direction");
  set_along(r->model->graph, s, 1, 0, road);
  for (int i = 0; i < 3; i++) road->at[i] = s->placed->offset[i];
  if (at) CMB_TRY(cmb_read_position(r, s, at, road->at));
  return direction ? read_direction(r, s, direction, road) : CMB_OK;
}

/* ---- type and numbers */

/* Reads the numeric parameters of a road, such as height and length of a bump, into road->n[], under the keys that its type has, with
 * default values for those that are not required. */
static cmb_status read_numbers(cmb_reader *r, const cmb_scope *s, const cmb_node *entry,
                               cmb_model_road *road)
{
  const cmb_road_row *row = &cmb_road_rows[road->type];
  for (int i = 0; i < row->number_count; i++) {
    const cmb_road_number *n = &row->numbers[i];
    const cmb_node *node = cmb_node_find(entry, n->key);
    road->n[i] = cmb_fixed(n->usual);
    if (n->required) CMB_TRY(cmb_require(r, entry, n->key, &node));
    if (n->limit == CMB_ROAD_ANY)
      CMB_TRY(cmb_read_optional(r, s, entry, n->key, &road->n[i]));
    else
      CMB_TRY(cmb_read_limited(r, s, entry, n->key, CMB_POSITIVE, &road->n[i]));
  }
  return CMB_OK;
}

static cmb_status read_formula_road(cmb_reader *r, const cmb_scope *s, const cmb_node *entry,
                                    cmb_model_road *road)
{
  const cmb_node *height;
  CMB_TRY(cmb_require(r, entry, "height", &height));
  return cmb_read_formula(r, s, height, &road->height);
}

static cmb_status read_stair(cmb_reader *r, const cmb_scope *s, const cmb_node *entry,
                             cmb_model_road *road)
{
  enum { MOST_STEPS = 100 };
  const cmb_node *node;
  double count;
  CMB_TRY(cmb_require(r, entry, "count", &node));
  CMB_TRY(cmb_read_fixed(r, s, node, "the number of steps", &count));
  if (!(count >= 1 && count <= MOST_STEPS && count == floor(count))) {
    return cmb_reader_fail(r, node->place, "'count' is %s; expected a whole number from 1 to %d",
                           cmb_shortest(count).text, MOST_STEPS);
  }
  road->count = (int)count;
  return CMB_OK;
}

static cmb_status read_profile(cmb_reader *r, const cmb_scope *s, const cmb_node *entry,
                               cmb_model_road *road)
{
  const cmb_node *table;
  CMB_TRY(cmb_require(r, entry, "table", &table));
  return cmb_read_named_table(r, s, table, road->name, &road->table);
}

/* Sets the start and the direction of a road to those in its OpenCRG file, crg; either is unchanged if the model gives it under the key
 * `at` or `direction`. */
static void take_place_from_file(cmb_reader *r, const cmb_scope *s, const cmb_node *entry,
                                 const cmb_crg *crg, cmb_model_road *road)
{
  cmb_graph *g = r->model->graph;
  if (!cmb_node_find(entry, "at")) {
    for (int i = 0; i < 3; i++) road->at[i] = cmb_fixed(crg->start[i]);
    cmb_scope_vector(g, s, road->at);
    for (int i = 0; i < 3; i++) road->at[i] = cmb_plus(g, road->at[i], s->placed->offset[i]);
  }
  if (!cmb_node_find(entry, "direction")) set_along(g, s, cos(crg->phi), sin(crg->phi), road);
}

static cmb_status read_crg(cmb_reader *r, const cmb_scope *s, const cmb_node *entry,
                           cmb_model_road *road)
{
  const cmb_node *file;
  cmb_crg crg;
  CMB_TRY(cmb_require(r, entry, "file", &file));
  CMB_TRY(cmb_read_crg(r, file, &crg));
  road->line = crg.line;
  take_place_from_file(r, s, entry, &crg, road);
  return cmb_make_grid(r, file, road->name, crg.nu, crg.u, crg.nv, crg.v, crg.z, &road->table);
}

static cmb_status read_sum(cmb_reader *r, const cmb_scope *s, const cmb_node *entry,
                           cmb_model_road *road)
{
  const cmb_node *list;
  CMB_TRY(cmb_require(r, entry, "roads", &list));
  CMB_TRY(cmb_expect_list(r, list, list->count, "a list of roads"));
  if (list->count == 0)
    return cmb_reader_fail(r, list->place, "'roads' is empty; expected one road or more");
  road->parts = cmb_arena_ints(r->model->arena, list->count);
  if (!road->parts) return cmb_fail_memory(r->ctx);
  for (const cmb_node *node = list->first; node; node = node->next) {
    const cmb_name *found;
    CMB_TRY(cmb_expect_text(r, node, "the name of a road"));
    CMB_TRY(cmb_refer(r, s, CMB_NAMES_ROAD, node->text, node->place, &found));
    road->parts[road->count++] = found->index;
  }
  return CMB_OK;
}

/* Reads the friction factor of a road, a formula, into road->friction. A plain number must not be negative. */
static cmb_status read_friction(cmb_reader *r, const cmb_scope *s, const cmb_node *node,
                                cmb_model_road *road)
{
  double value;
  CMB_TRY(cmb_read_formula(r, s, node, &road->friction));
  if (!cmb_parse_number(node->text, &value) || value >= 0) return CMB_OK;
  return cmb_reader_fail(r, node->place, "friction is %s; expected a factor that is not negative",
                         node->text);
}

static cmb_status check_road_keys(cmb_reader *r, const cmb_node *entry, const cmb_road_row *row)
{
  static const char *const common[] = {"type", "friction"}, *const placed[] = {"at", "direction"},
                           *const scaled[] = {"scale"};
  const char *keys[CMB_MOST_ROAD_NUMBERS + CMB_MOST_ROAD_KEYS + 5];
  int count = 0;
  for (int i = 0; i < 2; i++) keys[count++] = common[i];
  for (int i = 0; i < 2 && row->placed; i++) keys[count++] = placed[i];
  if (row->scaled) keys[count++] = scaled[0];
  for (int i = 0; i < row->number_count; i++) keys[count++] = row->numbers[i].key;
  for (int i = 0; i < row->key_count; i++) keys[count++] = row->keys[i];
  return cmb_check_keys(r, entry, count, keys);
}

/* Registers the name of a road. This is done for all roads before the first is read, because sums of roads and formulas may use roads that
 * are defined later. */
static cmb_status define_road(cmb_reader *r, const cmb_scope *s, const cmb_node *entry)
{
  const int index = r->model->road_count++;
  cmb_model_road *road = &r->model->roads[index];
  road->name = cmb_full_name(r, s->prefix, entry->key, "");
  road->place = entry->key_place;
  road->scale = cmb_fixed(1);
  CMB_TRY(cmb_define(r, CMB_NAMES_ROAD, road->name, index, entry->key_place));
  return cmb_expect_map(r, entry);
}

static cmb_status read_road(cmb_reader *r, const cmb_scope *s, const cmb_node *entry)
{
  static cmb_status (*const readers[CMB_ROAD_TYPES])(cmb_reader *, const cmb_scope *,
                                                     const cmb_node *, cmb_model_road *) = {
      [CMB_ROAD_FORMULA] = read_formula_road,
      [CMB_ROAD_STAIR] = read_stair,
      [CMB_ROAD_RANDOM] = cmb_read_random_road,
      [CMB_ROAD_PROFILE] = read_profile,
      [CMB_ROAD_CRG] = read_crg,
      [CMB_ROAD_SUM] = read_sum};
  cmb_model_road *road = &r->model->roads[r->model->road_count++];
  const cmb_node *type, *friction;
  int choice;
  if (s->placed->mirror.sign[2] < 0 || !cmb_is_upright(&s->placed->mirror)) {
    return cmb_reader_fail(
        r, entry->key_place,
        "a road cannot be turned upside down or be tilted; expected no road in an instance with "
        "'mirror: z' or with axes of which z does not point up");
  }
  CMB_TRY(cmb_require(r, entry, "type", &type));
  CMB_TRY(cmb_read_choice(r, type, cmb_road_rows, CMB_ROAD_TYPES, sizeof *cmb_road_rows, &choice));
  road->type = (cmb_road_type)choice;
  CMB_TRY(check_road_keys(r, entry, &cmb_road_rows[choice]));
  if (cmb_road_rows[choice].placed) CMB_TRY(read_place(r, s, entry, road));
  CMB_TRY(cmb_read_optional(r, s, entry, "scale", &road->scale));
  CMB_TRY(read_numbers(r, s, entry, road));
  friction = cmb_node_find(entry, "friction");
  if (friction) CMB_TRY(read_friction(r, s, friction, road));
  return readers[choice] ? readers[choice](r, s, entry, road) : CMB_OK;
}

cmb_status cmb_read_roads(cmb_reader *r)
{
  cmb_model *m = r->model;
  CMB_TRY(cmb_take_section(r, "roads", 0, sizeof *m->roads, &m->roads));
  CMB_TRY(cmb_each_entry(r, "roads", "road", define_road));
  m->road_count = 0;
  return cmb_each_entry(r, "roads", "road", read_road);
}
