/*
 * Reads the section `shapes` of a model, lines and solids that are drawn in pictures of it; called by read.c (reader.h): {body: B, line:
 * [P, Q, ...]}, cylinder: [P, Q] with a radius, sphere: P with a radius, box: [a, b, c] at a point along axes. The points are positions on
 * the body B, or anchors body@P, so that a line may connect bodies.
 */
#include "base/context.h"
#include "model/reader.h"

#include <string.h>

static const struct row {
  const char *name;
  int key_count;
  const char *keys[2]; /* allowed beside body, name, colour */
} rows[] = {{"line", 0, {NULL}},
            {"box", 2, {"at", "axes"}},
            {"cylinder", 1, {"radius"}},
            {"sphere", 1, {"radius"}}};

enum { ROWS = sizeof rows / sizeof *rows };

const char *cmb_shape_type_text(cmb_shape_type type)
{
  return rows[type].name;
}

/* Reads a point of a drawn shape: an anchor (a point fixed to a body), body@P or {body: B, at: P}, or a position that is fixed to body
 * number *body, the body of the shape. If the shape has no body (body == NULL), only anchors are allowed. */
static cmb_status read_point(cmb_reader *r, const cmb_scope *s, const cmb_node *node,
                             const int *body, cmb_anchor *a)
{
  bool own = node->kind == CMB_NODE_TEXT && strchr(node->text, '@');
  if (own || cmb_node_find(node, "body") || !body) return cmb_read_anchor(r, s, node, a);
  a->body = *body;
  return cmb_read_position(r, s, node, a->at);
}

/* Reads the points of a drawn shape into an array on the model's arena: a list for a line (two points or more) or a cylinder (two), a
 * single point for a box or a sphere. *body is the number of the shape's body; body == NULL if it has none. */
static cmb_status read_points(cmb_reader *r, const cmb_scope *s, const cmb_node *node,
                              const int *body, cmb_model_shape *shape)
{
  bool many = shape->type == CMB_SHAPE_LINE || shape->type == CMB_SHAPE_CYLINDER;
  int count = shape->type == CMB_SHAPE_CYLINDER || node->count < 2 ? 2 : node->count;
  if (many) CMB_TRY(cmb_expect_list(r, node, count, "a list of two points, or more for a line"));
  shape->point_count = many ? count : 1;
  cmb_anchor *points = cmb_arena_take(r->model->arena, (size_t)shape->point_count, sizeof *points);
  if (!points) return cmb_fail_memory(r->ctx);
  shape->points = points;
  if (!many) return read_point(r, s, node, body, points);
  for (const cmb_node *entry = node->first; entry; entry = entry->next)
    CMB_TRY(read_point(r, s, entry, body, points++));
  return CMB_OK;
}

static cmb_status read_size(cmb_reader *r, const cmb_scope *s, const cmb_node *entry,
                            const cmb_node *node, cmb_model_shape *shape)
{
  const cmb_node *radius;
  CMB_TRY(cmb_read_axes(r, s, cmb_node_find(entry, "axes"), shape->axes));
  if (shape->type == CMB_SHAPE_LINE) return CMB_OK;
  if (shape->type == CMB_SHAPE_BOX) {
    CMB_TRY(cmb_read_numbers(r, s, node, 3, shape->size));
    const cmb_number *size = shape->size;
    if (size[0].value > 0 && size[1].value > 0 && size[2].value > 0) return CMB_OK;
    return cmb_reader_fail(r, node->place,
                           "the edges are %g, %g and %g; expected three numbers greater than 0",
                           size[0].value, size[1].value, size[2].value);
  }
  CMB_TRY(cmb_require(r, entry, "radius", &radius));
  return cmb_read_limited(r, s, entry, "radius", CMB_POSITIVE, &shape->size[0]);
}

static cmb_status find_type(cmb_reader *r, const cmb_node *entry, int *kind)
{
  *kind = 0;
  CMB_TRY(cmb_expect_map(r, entry));
  while (*kind < ROWS && !cmb_node_find(entry, rows[*kind].name)) ++*kind;
  if (*kind == ROWS) {
    return cmb_reader_fail(
        r, entry->place, "no shape is given; expected one of the keys line, box, cylinder, sphere");
  }
  const char *keys[6] = {"body", "name", "colour", rows[*kind].name};
  memcpy(keys + 4, rows[*kind].keys, sizeof rows[*kind].keys);
  return cmb_check_keys(r, entry, 4 + rows[*kind].key_count, keys);
}

static cmb_status read_shape(cmb_reader *r, const cmb_scope *s, const cmb_node *entry)
{
  cmb_model_shape *shape = &r->model->shapes[r->model->shape_count++];
  const cmb_node *body = cmb_node_find(entry, "body"), *node, *at;
  int number = CMB_GROUND, kind;
  CMB_TRY(find_type(r, entry, &kind));
  node = at = cmb_node_find(entry, rows[kind].name);
  shape->type = (cmb_shape_type)kind;
  shape->place = entry->place;
  CMB_TRY(cmb_read_words(r, entry, "name", "a text", &shape->name));
  CMB_TRY(cmb_read_words(r, entry, "colour", "a text", &shape->colour));
  if (body) {
    CMB_TRY(cmb_expect_text(r, body, "a body's name"));
    CMB_TRY(cmb_read_body(r, s, body->text, body->place, &number));
  }
  if (shape->type == CMB_SHAPE_BOX) CMB_TRY(cmb_require(r, entry, "at", &at));
  CMB_TRY(read_points(r, s, at, body ? &number : NULL, shape));
  return read_size(r, s, entry, node, shape);
}

cmb_status cmb_read_shapes(cmb_reader *r)
{
  CMB_TRY(cmb_take_section(r, "shapes", 0, sizeof *r->model->shapes, &r->model->shapes));
  return cmb_each_entry(r, "shapes", "shape", read_shape);
}
