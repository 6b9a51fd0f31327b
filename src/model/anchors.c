/*
 * Reads anchors (points fixed to bodies) and the section `markers` (named frames fixed to bodies); called by the readers of the other
 * sections (reader.h).
 *
 * In a file, an anchor is body@point, the name of a marker, or {body: B, at: P}; the ground counts as a body.
 */
#include "base/context.h"
#include "model/reader.h"

#include <string.h>

cmb_status cmb_read_body(cmb_reader *r, const cmb_scope *s, const char *name, cmb_place at,
                         int *body)
{
  const cmb_name *found;
  char full[CMB_NAME_ROOM];
  *body = CMB_GROUND;
  bool named = cmb_is_previous(name) && cmb_previous_name(r, s, name, full);
  if (strcmp(named ? full : name, "ground") == 0) return CMB_OK;
  CMB_TRY(cmb_refer(r, s, CMB_NAMES_BODY, name, at, &found));
  *body = found->index;
  return CMB_OK;
}

static cmb_status anchor_of_map(cmb_reader *r, const cmb_scope *s, const cmb_node *node,
                                cmb_anchor *a)
{
  static const char *const keys[] = {"body", "at"};
  const cmb_node *body, *at;
  CMB_TRY(CMB_CHECK_KEYS(r, node, keys));
  CMB_TRY(cmb_require(r, node, "body", &body));
  CMB_TRY(cmb_require(r, node, "at", &at));
  CMB_TRY(cmb_expect_text(r, body, "a body's name"));
  CMB_TRY(cmb_read_body(r, s, body->text, body->place, &a->body));
  return cmb_read_position(r, s, at, a->at);
}

static cmb_status anchor_of_marker(cmb_reader *r, const cmb_scope *s, const cmb_node *node,
                                   cmb_anchor *a)
{
  char shown[CMB_SHOWN_ROOM];
  const cmb_name *marker = cmb_look_up(r, s, CMB_NAMES_MARKER, node->text);
  if (marker) {
    *a = r->model->markers[marker->index].anchor;
    return CMB_OK;
  }
  if (cmb_is_previous(node->text))
    return cmb_fail_previous(r, s, CMB_NAMES_MARKER, node->text, node->place);
  cmb_shown(node->text, shown);
  if (strcmp(node->text, "ground") == 0 || cmb_look_up(r, s, CMB_NAMES_BODY, node->text)) {
    return cmb_reader_fail(r, node->place,
                           "'%s' is a body; expected a point on it: %s@P, or {body: %s, at: "
                           "[x, y, z]}",
                           shown, shown, shown);
  }
  const char *near = cmb_nearest(r, s, CMB_NAMES_MARKER, node->text);
  if (near) {
    return cmb_reader_fail(r, node->place, "unknown marker '%s': did you mean '%s'?", shown, near);
  }
  const char *known = cmb_expected(r, s, CMB_NAMES_MARKER, node->text);
  return cmb_reader_fail(r, node->place, "unknown marker '%s': %s%sbody@point", shown,
                         known ? known : "expected ", known ? ", or " : "");
}

cmb_status cmb_read_anchor(cmb_reader *r, const cmb_scope *s, const cmb_node *node, cmb_anchor *a)
{
  char shown[CMB_SHOWN_ROOM];
  if (node->kind == CMB_NODE_MAP) return anchor_of_map(r, s, node, a);
  CMB_TRY(cmb_expect_text(r, node, "body@point, a marker, or {body: B, at: P}"));
  const char *sign = strchr(node->text, '@');
  if (!sign) return anchor_of_marker(r, s, node, a);
  char *body = cmb_arena_text(r->scratch, node->text);
  if (!body) return cmb_fail_memory(r->ctx);
  body[sign - node->text] = '\0';
  if (sign[1] == '[') {
    return cmb_reader_fail(
        r, node->place,
        "a position follows '@'; expected the name of a point, or {body: %s, at: [x, y, z]}",
        cmb_shown(body, shown));
  }
  CMB_TRY(cmb_read_body(r, s, body, node->place, &a->body));
  cmb_node point = *node; /* a copy that begins behind the '@' */
  point.text = sign + 1;
  point.place.column += (int)(sign + 1 - node->text);
  return cmb_read_position(r, s, &point, a->at);
}

cmb_status cmb_read_between(cmb_reader *r, const cmb_scope *s, const cmb_node *map, cmb_anchor *a,
                            cmb_anchor *b)
{
  const cmb_node *between = cmb_node_find(map, "between"), *bodies = cmb_node_find(map, "bodies"),
                 *at;
  if (between && bodies) {
    return cmb_reader_fail(r, bodies->key_place,
                           "'bodies' and 'between' are both given; expected one of them");
  }
  if (!bodies) {
    CMB_TRY(cmb_require(r, map, "between", &between));
    CMB_TRY(cmb_expect_list(r, between, 2, "two points on bodies: [body@P, body@Q]"));
    CMB_TRY(cmb_read_anchor(r, s, between->first, a));
    return cmb_read_anchor(r, s, between->first->next, b);
  }
  CMB_TRY(cmb_expect_list(r, bodies, 2, "two bodies"));
  const cmb_node *first = bodies->first, *second = first->next;
  CMB_TRY(cmb_expect_text(r, first, "a body's name"));
  CMB_TRY(cmb_expect_text(r, second, "a body's name"));
  CMB_TRY(cmb_read_body(r, s, first->text, first->place, &a->body));
  CMB_TRY(cmb_read_body(r, s, second->text, second->place, &b->body));
  CMB_TRY(cmb_require(r, map, "at", &at));
  CMB_TRY(cmb_read_position(r, s, at, a->at));
  memcpy(b->at, a->at, sizeof b->at);
  return CMB_OK;
}

/* ---- markers */

/* Reads a marker (a named frame fixed to a body) from its entry in a model file, appends it to the model and registers its name. body ==
 * NULL: the entry is in the section `markers` and names its body under the key `on`; else it is in the map `markers` of body number *body.
 * */
static cmb_status read_marker(cmb_reader *r, const cmb_scope *s, const cmb_node *entry,
                              const int *body)
{
  static const char *const keys[] = {"at", "axes", "on"};
  const cmb_node *on, *at;
  cmb_model_marker *marker = &r->model->markers[r->model->marker_count];
  CMB_TRY(cmb_check_keys(r, entry, body ? 2 : 3, keys));
  if (body) {
    marker->anchor.body = *body;
  } else {
    CMB_TRY(cmb_require(r, entry, "on", &on));
    CMB_TRY(cmb_expect_text(r, on, "a body's name"));
    CMB_TRY(cmb_read_body(r, s, on->text, on->place, &marker->anchor.body));
  }
  CMB_TRY(cmb_require(r, entry, "at", &at));
  CMB_TRY(cmb_read_position(r, s, at, marker->anchor.at));
  CMB_TRY(cmb_read_axes(r, s, cmb_node_find(entry, "axes"), marker->axes));
  marker->name = cmb_full_name(r, s->prefix, entry->key, "");
  marker->place = entry->key_place;
  marker->mirror = s->placed->mirror;
  return cmb_define(r, CMB_NAMES_MARKER, marker->name, r->model->marker_count++, entry->key_place);
}

static cmb_status read_own(cmb_reader *r, const cmb_scope *s, const cmb_node *entry)
{
  return read_marker(r, s, entry, NULL);
}

static cmb_status read_of_body(cmb_reader *r, const cmb_scope *s, const cmb_node *body)
{
  const cmb_node *list = cmb_node_find(body, "markers");
  if (!list) return CMB_OK;
  CMB_TRY(cmb_expect_map(r, list));
  const cmb_name *name = cmb_look_up(r, s, CMB_NAMES_BODY, body->key);
  for (const cmb_node *entry = list->first; entry; entry = entry->next) {
    cmb_reader_subject(r, "marker", s->prefix, entry->key);
    CMB_TRY(cmb_check_name(r, entry->key, entry->key_place));
    CMB_TRY(read_marker(r, s, entry, &name->index));
  }
  return CMB_OK;
}

static cmb_status count_of_body(cmb_reader *r, const cmb_scope *s, const cmb_node *body)
{
  const cmb_node *list = cmb_node_find(body, "markers");
  (void)s;
  r->model->marker_count += list ? list->count : 0;
  return CMB_OK;
}

cmb_status cmb_read_markers(cmb_reader *r)
{
  cmb_model *m = r->model;
  CMB_TRY(cmb_each_entry(r, "bodies", "body", count_of_body));
  int of_bodies = m->marker_count;
  m->marker_count = 0;
  CMB_TRY(cmb_take_section(r, "markers", of_bodies, sizeof *m->markers, &m->markers));
  CMB_TRY(cmb_each_entry(r, "bodies", "body", read_of_body));
  return cmb_each_entry(r, "markers", "marker", read_own);
}
