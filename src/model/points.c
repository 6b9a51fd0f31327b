/*
 * Section `points`, and positions, directions and frames wherever they stand (reader.h).
 *
 * A position is [x, y, z], a point's or marker's name, or {between: [P, Q], ratio: s} = P + s (Q - P). A direction is
 * [x, y, z], x, -y and so on, or two positions [P, Q]. Numbers written in an instance are taken through its
 * transformation: x -> sign x + offset for positions, sign x for directions.
 */
#include "base/context.h"
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
  return cmb_read_position(r, lazy->scope, lazy->node, lazy->value);
}

cmb_status cmb_read_points(cmb_reader *r)
{
  r->points = cmb_arena_take(r->scratch, (size_t)cmb_count_entries(r, "points"), sizeof *r->points);
  if (!r->points) return cmb_fail_memory(r->ctx);
  CMB_TRY(cmb_each_entry(r, "points", "point", define_point));
  for (int i = 0; i < r->point_count; i++) {
    CMB_TRY(cmb_lazy_need(r, &r->points[i], "point", r->points[i].node->place, compute));
  }
  return CMB_OK;
}

/* A point by its name, or the origin of a marker. */
static cmb_status named_position(cmb_reader *r, const cmb_scope *s, const char *name,
                                 cmb_place place, double at[3])
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
                                double from[3], double to[3])
{
  CMB_TRY(cmb_expect_list(r, list, 2, "a list of two points"));
  CMB_TRY(cmb_read_position(r, s, list->first, from));
  return cmb_read_position(r, s, list->first->next, to);
}

static cmb_status between(cmb_reader *r, const cmb_scope *s, const cmb_node *node, double at[3])
{
  static const char *const keys[] = {"between", "ratio"};
  const cmb_node *list;
  double to[3] = {0}, ratio = 0.5;
  CMB_TRY(CMB_CHECK_KEYS(r, node, keys));
  CMB_TRY(cmb_require(r, node, "between", &list));
  CMB_TRY(two_positions(r, s, list, at, to));
  CMB_TRY(cmb_read_optional(r, s, node, "ratio", &ratio));
  for (int i = 0; i < 3; i++) at[i] += ratio * (to[i] - at[i]);
  return CMB_OK;
}

static cmb_status read_position(cmb_reader *r, const cmb_scope *s, const cmb_node *node,
                                double at[3])
{
  if (node->kind == CMB_NODE_MAP) return between(r, s, node, at);
  if (node->kind == CMB_NODE_TEXT) {
    CMB_TRY(cmb_expect_text(r, node, "a point's name or [x, y, z]"));
    return named_position(r, s, node->text, node->place, at);
  }
  CMB_TRY(cmb_read_numbers(r, s, node, 3, at));
  for (int i = 0; i < 3; i++) at[i] = s->sign[i] * at[i] + s->offset[i];
  return CMB_OK;
}

cmb_status cmb_read_position(cmb_reader *r, const cmb_scope *s, const cmb_node *node, double at[3])
{
  static const double most = 1e100; /* squares of distances must be finite */
  memset(at, 0, 3 * sizeof *at);
  CMB_TRY(read_position(r, s, node, at));
  for (int i = 0; i < 3; i++) {
    if (fabs(at[i]) <= most) continue;
    return cmb_reader_fail(r, node->place,
                           "the position has the coordinate %g; expected at most %g", at[i], most);
  }
  return CMB_OK;
}

/* ---- directions */

/* "x", "-z": its components. */
static cmb_status named_direction(cmb_reader *r, const cmb_scope *s, const cmb_node *node,
                                  double d[3])
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
  for (int i = 0; i < 3; i++) d[i] = i == letter - letters ? sign * s->sign[i] : 0;
  return CMB_OK;
}

cmb_status cmb_read_direction(cmb_reader *r, const cmb_scope *s, const cmb_node *node, double d[3])
{
  if (node->kind == CMB_NODE_TEXT && node->text[0]) return named_direction(r, s, node, d);
  if (node->kind == CMB_NODE_LIST && node->count == 2) {
    double from[3] = {0};
    CMB_TRY(two_positions(r, s, node, from, d));
    for (int i = 0; i < 3; i++) d[i] -= from[i];
  } else {
    CMB_TRY(cmb_expect_list(r, node, 3, "a direction: [x, y, z], two points [P, Q], or x, y or z"));
    CMB_TRY(cmb_read_numbers(r, s, node, 3, d));
    for (int i = 0; i < 3; i++) d[i] *= s->sign[i];
  }
  double largest = fmax(fabs(d[0]), fmax(fabs(d[1]), fabs(d[2])));
  if (!(largest > 0) || !isfinite(largest)) {
    return cmb_reader_fail(r, node->place,
                           "the direction has length %g; expected one that points "
                           "somewhere",
                           largest);
  }
  for (int i = 0; i < 3; i++) d[i] /= largest; /* so that the squares do not vanish */
  double length = cmb_norm3(d);
  for (int i = 0; i < 3; i++) d[i] /= length;
  return CMB_OK;
}

cmb_status cmb_make_perpendicular(cmb_reader *r, const cmb_node *node, const double a[3],
                                  double b[3])
{
  static const double most_cosine = 1e-6; /* what directions given with seven digits can be off */
  double cosine = cmb_dot3(a, b);
  if (fabs(cosine) > most_cosine) {
    return cmb_reader_fail(r, node->place,
                           "the directions are at %.4g degrees; expected a right angle",
                           acos(fmin(1, fmax(-1, cosine))) * 180 / 3.14159265358979323846);
  }
  for (int i = 0; i < 3; i++) b[i] -= cosine * a[i];
  double length = cmb_norm3(b);
  for (int i = 0; i < 3; i++) b[i] /= length;
  return CMB_OK;
}

cmb_status cmb_read_axes(cmb_reader *r, const cmb_scope *s, const cmb_node *node, double axes[9])
{
  static const char *const keys[] = {"x", "y", "z"};
  for (int i = 0; i < 9; i++) axes[i] = i % 4 == 0 ? s->sign[i / 4] : 0;
  if (!node) return CMB_OK;
  CMB_TRY(CMB_CHECK_KEYS(r, node, keys));
  if (node->count != 2) {
    return cmb_reader_fail(r, node->place, "%d axes are given; expected two of x, y and z",
                           node->count);
  }
  int missing = 0;
  while (cmb_node_find(node, keys[missing])) missing++;
  int i = (missing + 1) % 3, j = (missing + 2) % 3;
  double *a = axes + 3L * i, *b = axes + 3L * j, *c = axes + 3L * missing;
  CMB_TRY(cmb_read_direction(r, s, cmb_node_find(node, keys[i]), a));
  CMB_TRY(cmb_read_direction(r, s, cmb_node_find(node, keys[j]), b));
  CMB_TRY(cmb_make_perpendicular(r, node, a, b));
  cmb_cross3(a, b, c);
  for (int k = 0; k < 3; k++) c[k] *= s->turn;
  return CMB_OK;
}
