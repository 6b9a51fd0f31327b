/*
 * Reads the section `points`, and positions, directions and frames in all other sections; called by the readers of sections (reader.h).
 *
 * A position is [x, y, z], a point's or marker's name, or {between: [P, Q], ratio: s} = P + s (Q - P). A direction is
 * [x, y, z], x, -y and so on, or two positions [P, Q]. Numbers written in an instance of a template are transformed by its
 * placement: x -> T sign x + offset for positions, T sign x for directions.
 */
#include "base/context.h"
#include "base/text.h"
#include "math/vec3.h"
#include "model/reader.h"

#include <string.h>

static cmb_status define_point(cmb_reader *r, const cmb_scope *s, const cmb_node *entry)
{
  int index = r->point_count++;
  const char *full = cmb_full_name(r, s->prefix, entry->key, "");
  CMB_TRY(cmb_define(r, CMB_NAMES_POINT, full, index, entry->key_place));
  r->points[index] = (cmb_lazy){.name = full, .node = entry, .scope = s};
  return CMB_OK;
}

static cmb_status compute(cmb_reader *r, cmb_lazy *lazy)
{
  CMB_TRY(cmb_place_scope(r, lazy->scope));
  return cmb_read_position(r, lazy->scope, lazy->node, lazy->value);
}

cmb_status cmb_define_points(cmb_reader *r)
{
  r->points = cmb_arena_take(r->scratch, (size_t)cmb_count_entries(r, "points"), sizeof *r->points);
  if (!r->points) return cmb_fail_memory(r->ctx);
  return cmb_each_entry(r, "points", "point", define_point);
}

cmb_status cmb_read_points(cmb_reader *r)
{
  for (int i = 0; i < r->point_count; i++) {
    CMB_TRY(cmb_lazy_need(r, &r->points[i], "point", r->points[i].node->place, compute));
  }
  return CMB_OK;
}

/* Looks up a point, or the origin of a marker (a named frame), by its name as seen from scope s (the model or a template instance) and
 * copies its position in the global frame to at[3]. An unknown name is an error. */
static cmb_status named_position(cmb_reader *r, const cmb_scope *s, const char *name,
                                 cmb_place place, cmb_number at[3])
{
  const cmb_name *point = cmb_look_up(r, s, CMB_NAMES_POINT, name);
  const cmb_name *marker = point ? NULL : cmb_look_up(r, s, CMB_NAMES_MARKER, name);
  if (marker) {
    memcpy(at, r->model->markers[marker->index].anchor.at, 3 * sizeof *at);
    return CMB_OK;
  }
  if (!point) return cmb_refer(r, s, CMB_NAMES_POINT, name, place, &point);
  CMB_TRY(cmb_lazy_need(r, &r->points[point->index], "point", place, compute));
  memcpy(at, r->points[point->index].value, 3 * sizeof *at);
  return CMB_OK;
}

static cmb_status two_positions(cmb_reader *r, const cmb_scope *s, const cmb_node *list,
                                cmb_number from[3], cmb_number to[3])
{
  CMB_TRY(cmb_expect_list(r, list, 2, "a list of two points"));
  CMB_TRY(cmb_read_position(r, s, list->first, from));
  return cmb_read_position(r, s, list->first->next, to);
}

static cmb_status between(cmb_reader *r, const cmb_scope *s, const cmb_node *node, cmb_number at[3])
{
  static const char *const keys[] = {"between", "ratio"};
  const cmb_node *list;
  cmb_graph *g = r->model->graph;
  cmb_number to[3] = {{0}}, ratio = cmb_fixed(0.5);
  CMB_TRY(CMB_CHECK_KEYS(r, node, keys));
  CMB_TRY(cmb_require(r, node, "between", &list));
  CMB_TRY(two_positions(r, s, list, at, to));
  CMB_TRY(cmb_read_optional(r, s, node, "ratio", &ratio));
  for (int i = 0; i < 3; i++) {
    at[i] = cmb_plus(g, at[i], cmb_times(g, ratio, cmb_minus(g, to[i], at[i])));
  }
  return CMB_OK;
}

static cmb_status read_position(cmb_reader *r, const cmb_scope *s, const cmb_node *node,
                                cmb_number at[3])
{
  if (node->kind == CMB_NODE_MAP) return between(r, s, node, at);
  if (node->kind == CMB_NODE_TEXT) {
    CMB_TRY(cmb_expect_text(r, node, "a point's name or [x, y, z]"));
    return named_position(r, s, node->text, node->place, at);
  }
  CMB_TRY(cmb_read_numbers(r, s, node, 3, at));
  cmb_graph *g = r->model->graph;
  cmb_scope_vector(g, s, at);
  for (int i = 0; i < 3; i++) at[i] = cmb_plus(g, at[i], s->placed->offset[i]);
  return CMB_OK;
}

cmb_status cmb_read_position(cmb_reader *r, const cmb_scope *s, const cmb_node *node,
                             cmb_number at[3])
{
  static const double most = 1e100; /* so that squares of distances are finite */
  memset(at, 0, 3 * sizeof *at);
  CMB_TRY(read_position(r, s, node, at));
  for (int i = 0; i < 3; i++) {
    if (fabs(at[i].value) <= most) continue;
    return cmb_reader_fail(r, node->place,
                           "the position has the coordinate %s; expected a number from -%g to %g",
                           cmb_shortest(at[i].value).text, most, most);
  }
  return CMB_OK;
}

/* ---- directions */

/* Reads a direction written as a letter with or without a sign, such as "x" or "-z", and stores it in d[3] as a unit vector in global axes.
 * */
static cmb_status named_direction(cmb_reader *r, const cmb_scope *s, const cmb_node *node,
                                  cmb_number d[3])
{
  static const char letters[] = "xyz";
  char shown[CMB_SHOWN_ROOM];
  const char *text = node->text, *letter;
  double sign = text[0] == '-' ? -1 : 1;
  if (text[0] == '-' || text[0] == '+') text++;
  letter = text[0] ? strchr(letters, text[0]) : NULL;
  if (!letter || text[1]) {
    return cmb_reader_fail(
        r, node->place,
        "'%s' is no direction; expected [x, y, z], two points [P, Q], or x, y, z, "
        "-x, -y or -z",
        cmb_shown(node->text, shown));
  }
  for (int i = 0; i < 3; i++) d[i] = cmb_fixed(i == letter - letters ? sign : 0);
  cmb_scope_vector(r->model->graph, s, d);
  return CMB_OK;
}

/* Normalises the vector d in place. `largest` is its largest absolute component, by which the values are divided first, so that their
 * squares neither overflow nor underflow. */
static void normalize(cmb_graph *g, double largest, cmb_number d[3])
{
  double scaled[3];
  const cmb_number norm = cmb_any_live(3, d) ? cmb_number_norm3(g, d) : cmb_fixed(0);
  for (int i = 0; i < 3; i++) scaled[i] = d[i].value / largest;
  const double length = cmb_norm3(scaled);
  for (int i = 0; i < 3; i++) {
    const cmb_expr live = norm.live ? cmb_over(g, d[i], norm).live : 0;
    d[i] = (cmb_number){scaled[i] / length, live};
  }
}

/* Returns whether a node of a model file is a list of two points, that is, of two entries that are not numbers (names of points do not
 * begin like numbers). */
static bool is_pair_of_points(const cmb_node *node)
{
  if (node->kind != CMB_NODE_LIST || node->count != 2) return false;
  for (const cmb_node *entry = node->first; entry; entry = entry->next) {
    if (entry->kind == CMB_NODE_TEXT && strspn(entry->text, "0123456789+-.") > 0) return false;
  }
  return true;
}

cmb_status cmb_read_direction(cmb_reader *r, const cmb_scope *s, const cmb_node *node,
                              cmb_number d[3])
{
  cmb_graph *g = r->model->graph;
  if (node->kind == CMB_NODE_TEXT && node->text[0]) return named_direction(r, s, node, d);
  if (is_pair_of_points(node)) {
    cmb_number from[3] = {{0}};
    CMB_TRY(two_positions(r, s, node, from, d));
    for (int i = 0; i < 3; i++) d[i] = cmb_minus(g, d[i], from[i]);
  } else {
    CMB_TRY(cmb_expect_list(r, node, 3, "a direction: [x, y, z], two points [P, Q], or x, y or z"));
    CMB_TRY(cmb_read_numbers(r, s, node, 3, d));
    cmb_scope_vector(g, s, d);
  }
  double largest = fmax(fabs(d[0].value), fmax(fabs(d[1].value), fabs(d[2].value)));
  if (!(largest > 0) || !isfinite(largest)) {
    return cmb_reader_fail(r, node->place,
                           "the largest component of the direction is %g; expected finite "
                           "components that are not all 0",
                           largest);
  }
  normalize(g, largest, d);
  return CMB_OK;
}

cmb_status cmb_make_perpendicular(cmb_reader *r, const cmb_node *node, const cmb_number a[3],
                                  cmb_number b[3])
{
  static const double most_cosine = 1e-6; /* rounding error of directions given with seven digits */
  cmb_graph *g = r->model->graph;
  const cmb_number cosine = cmb_number_dot3(g, a, b);
  if (fabs(cosine.value) > most_cosine) {
    return cmb_reader_fail(
        r, node->place, "the angle between the directions is %.9g degrees; expected a right angle",
        acos(fmin(1, fmax(-1, cosine.value))) * 180 / 3.14159265358979323846);
  }
  for (int i = 0; i < 3; i++) b[i] = cmb_minus(g, b[i], cmb_times(g, cosine, a[i]));
  const cmb_number length = cmb_number_norm3(g, b);
  for (int i = 0; i < 3; i++) b[i] = cmb_over(g, b[i], length);
  return CMB_OK;
}

cmb_status cmb_read_axes(cmb_reader *r, const cmb_scope *s, const cmb_node *node,
                         cmb_number axes[9])
{
  cmb_graph *g = r->model->graph;
  static const char *const keys[] = {"x", "y", "z"};
  for (int i = 0; i < 9; i++) axes[i] = cmb_fixed(i % 4 == 0);
  for (int i = 0; i < 3; i++) cmb_scope_vector(g, s, axes + 3L * i);
  if (!node) return CMB_OK;
  CMB_TRY(CMB_CHECK_KEYS(r, node, keys));
  if (node->count != 2) {
    return cmb_reader_fail(r, node->place, "%d ax%s given; expected two of x, y and z", node->count,
                           node->count == 1 ? "is is" : "es are");
  }
  int missing = 0;
  while (cmb_node_find(node, keys[missing])) missing++;
  int i = (missing + 1) % 3, j = (missing + 2) % 3;
  cmb_number *a = axes + 3L * i, *b = axes + 3L * j, *c = axes + 3L * missing;
  CMB_TRY(cmb_read_direction(r, s, cmb_node_find(node, keys[i]), a));
  CMB_TRY(cmb_read_direction(r, s, cmb_node_find(node, keys[j]), b));
  CMB_TRY(cmb_make_perpendicular(r, node, a, b));
  cmb_number_cross3(g, a, b, c);
  for (int k = 0; k < 3; k++) c[k] = cmb_scaled(g, s->placed->mirror.turn, c[k]);
  return CMB_OK;
}
