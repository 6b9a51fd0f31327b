/*
 * Reads the section `joints` of a model, which connects the bodies to a tree; called by read.c (reader.h). coordinates.c reads names, initial
 * values and forces of the coordinates of a joint.
 */
#include "base/text.h"
#include "model/reader.h"

#include <math.h>
#include <string.h>

int cmb_joint_type_of(const char *name)
{
  return cmb_find_name(name, cmb_joint_rows, CMB_JOINT_TYPES, sizeof *cmb_joint_rows);
}

/* ---- directions */

/* Reads a list of `count` directions (2 or 3) into axes[0..count-1] as unit vectors in global axes. Each has to be perpendicular to the
 * preceding one to within rounding, and is made exactly perpendicular. */
static cmb_status read_perpendicular(cmb_reader *r, const cmb_scope *s, const cmb_node *list,
                                     int count, cmb_number axes[3][3])
{
  CMB_TRY(cmb_expect_list(r, list, count,
                          count == 2 ? "a list of two directions" : "a list of three directions"));
  const cmb_node *entry = list->first;
  for (int i = 0; i < count; i++, entry = entry->next) {
    CMB_TRY(cmb_read_direction(r, s, entry, axes[i]));
    if (i > 0) CMB_TRY(cmb_make_perpendicular(r, entry, axes[i - 1], axes[i]));
  }
  return CMB_OK;
}

/* Completes axes[2], a unit normal, by two perpendicular unit vectors in its plane. axes[0] is the normalised projection of the x-axis of
 * scope s (the model or a template instance), or of its y-axis if the x-axis is within 26° of the normal; axes[1] = axes[2] x axes[0]. In a
 * mirrored instance these axes are mirrored. */
static void choose_plane_axes(cmb_graph *g, const cmb_scope *s, cmb_number axes[3][3])
{
  const cmb_mirror *m = &s->placed->mirror;
  cmb_number x[3];
  cmb_scope_axis(s, 0, x);
  const int first = fabs(cmb_number_dot3(g, axes[2], x).value) > 0.9 ? 1 : 0;
  cmb_scope_axis(s, first, x);
  const cmb_number along = cmb_number_dot3(g, axes[2], x), one = cmb_fixed(1);
  const cmb_number length = cmb_root(g, cmb_minus(g, one, cmb_times(g, along, along)));
  for (int i = 0; i < 3; i++) {
    const cmb_number part = cmb_minus(g, x[i], cmb_times(g, along, axes[2][i]));
    axes[0][i] = cmb_over(g, cmb_scaled(g, m->sign[first], part), length);
  }
  cmb_number_cross3(g, axes[2], axes[0], axes[1]);
  for (int i = 0; i < 3; i++) axes[1][i] = cmb_scaled(g, m->turn, axes[1][i]);
}

/* Reads the axes of a planar joint: axes[0] and axes[1] in the plane from the key `axes`, the normal axes[2] from the key `normal`, or
 * both. Without `axes` or `normal` the missing vectors are computed from the others. */
static cmb_status read_plane(cmb_reader *r, const cmb_scope *s, const cmb_node *node,
                             cmb_number axes[3][3])
{
  cmb_graph *g = r->model->graph;
  const cmb_node *list = cmb_node_find(node, "axes"), *normal = cmb_node_find(node, "normal");
  if (list) {
    CMB_TRY(read_perpendicular(r, s, list, 2, axes));
    cmb_number_cross3(g, axes[0], axes[1], axes[2]);
    for (int i = 0; i < 3; i++) axes[2][i] = cmb_scaled(g, s->placed->mirror.turn, axes[2][i]);
    if (!normal) return CMB_OK;
    CMB_TRY(cmb_read_direction(r, s, normal, axes[2]));
    CMB_TRY(cmb_make_perpendicular(r, normal, axes[0], axes[2]));
    return cmb_make_perpendicular(r, normal, axes[1], axes[2]);
  }
  CMB_TRY(cmb_require(r, node, "normal", &normal));
  CMB_TRY(cmb_read_direction(r, s, normal, axes[2]));
  choose_plane_axes(g, s, axes);
  return CMB_OK;
}

/* Reads the axes of a constant-velocity joint: axes[2] along the shafts from the key `axis`; axes[0] and axes[1] are chosen perpendicular
 * to it. */
static cmb_status read_shaft(cmb_reader *r, const cmb_scope *s, const cmb_node *node,
                             cmb_number axes[3][3])
{
  const cmb_node *given;
  CMB_TRY(cmb_require(r, node, "axis", &given));
  CMB_TRY(cmb_read_direction(r, s, given, axes[2]));
  choose_plane_axes(r->model->graph, s, axes);
  return CMB_OK;
}

cmb_status cmb_read_joint_axes(cmb_reader *r, const cmb_scope *s, const cmb_node *node,
                               cmb_joint_type type, cmb_number axes[3][3])
{
  const cmb_node *given;
  switch (cmb_joint_rows[type].directions) {
  case CMB_AXES_ONE:
    CMB_TRY(cmb_require(r, node, "axis", &given));
    return cmb_read_direction(r, s, given, axes[0]);
  case CMB_AXES_TWO:
    CMB_TRY(cmb_require(r, node, "axes", &given));
    return read_perpendicular(r, s, given, 2, axes);
  case CMB_AXES_PLANE: return read_plane(r, s, node, axes);
  case CMB_AXES_SHAFT: return read_shaft(r, s, node, axes);
  case CMB_AXES_FRAME: return cmb_read_axes(r, s, cmb_node_find(node, "axes"), axes[0]);
  case CMB_AXES_THREE:
    given = cmb_node_find(node, "axes");
    if (given) return read_perpendicular(r, s, given, 3, axes);
    return cmb_read_axes(r, s, NULL, axes[0]);
  default: return CMB_OK;
  }
}

int cmb_joint_direction_keys(cmb_joint_type type, const char *keys[2])
{
  static const char *const all[][2] = {[CMB_AXES_NONE] = {NULL},
                                       [CMB_AXES_ONE] = {"axis"},
                                       [CMB_AXES_TWO] = {"axes"},
                                       [CMB_AXES_THREE] = {"axes"},
                                       [CMB_AXES_SHAFT] = {"axis"},
                                       [CMB_AXES_FRAME] = {"axes"},
                                       [CMB_AXES_PLANE] = {"normal", "axes"}};
  int count = 0;
  while (count < 2 && all[cmb_joint_rows[type].directions][count]) {
    keys[count] = all[cmb_joint_rows[type].directions][count];
    count++;
  }
  return count;
}

/* ---- joints */

/* Checks that a joint's entry has only keys that all types of joint have or that this type adds. Keys for coordinates are accepted even for
 * a fixed joint; cmb_read_coordinates refuses them. */
static cmb_status check_keys(cmb_reader *r, const cmb_node *entry, cmb_joint_type type)
{
  const cmb_joint_row *row = &cmb_joint_rows[type];
  static const char *const common[] = {"type",        "parent",    "child",   "at",
                                       "coordinates", "start",     "rate",    "stiffness",
                                       "damping",     "reference", "friction"};
  enum { COMMON = sizeof common / sizeof *common };
  const char *keys[COMMON + 4];
  memcpy(keys, common, sizeof common);
  int count = COMMON + cmb_joint_direction_keys(type, keys + COMMON);
  if (row->more) keys[count++] = row->more;
  return cmb_check_keys(r, entry, count, keys);
}

static cmb_status read_bodies(cmb_reader *r, const cmb_scope *s, const cmb_node *entry,
                              cmb_model_joint *j)
{
  const cmb_node *parent = cmb_node_find(entry, "parent"), *child;
  CMB_TRY(cmb_require(r, entry, "child", &child));
  CMB_TRY(cmb_expect_text(r, child, "a body's name"));
  CMB_TRY(cmb_read_body(r, s, child->text, child->place, &j->child));
  j->parent = CMB_GROUND;
  if (parent) {
    CMB_TRY(cmb_expect_text(r, parent, "a body's name"));
    CMB_TRY(cmb_read_body(r, s, parent->text, parent->place, &j->parent));
  }
  if (j->child == CMB_GROUND) {
    return cmb_reader_fail(r, child->place,
                           "the ground cannot be the child of a joint; expected it as 'parent'");
  }
  if (j->child == j->parent) {
    return cmb_reader_fail(r, child->place, "parent and child are both '%s'; expected two bodies",
                           r->model->bodies[j->child].name);
  }
  return CMB_OK;
}

static cmb_status read_geometry(cmb_reader *r, const cmb_scope *s, const cmb_node *entry,
                                cmb_model_joint *j)
{
  static const char *const orientations[] = {"angles", "euler"};
  const cmb_node *at = cmb_node_find(entry, "at"),
                 *orientation = cmb_node_find(entry, "orientation");
  const cmb_joint_row *row = &cmb_joint_rows[j->type];
  int choice = 0;
  if (at)
    CMB_TRY(cmb_read_position(r, s, at, j->at));
  else if (!row->point)
    memcpy(j->at, r->model->bodies[j->child].com, sizeof j->at);
  else
    CMB_TRY(cmb_require(r, entry, "at", &at));
  if (orientation)
    CMB_TRY(cmb_read_choice(r, orientation, orientations, 2, sizeof *orientations, &choice));
  j->euler = row->euler || choice == 1;
  j->turn = j->euler ? 1 : s->placed->mirror.turn;
  j->axes0 = j->euler ? s->placed->mirror.axes : NULL;
  if (choice == 1 && cmb_node_find(entry, "axes")) {
    return cmb_reader_fail(
        r, cmb_node_find(entry, "axes")->key_place,
        "'axes' belongs to angles; expected 'orientation: angles' beside it, or no 'axes'");
  }
  return choice == 1 ? CMB_OK : cmb_read_joint_axes(r, s, entry, j->type, j->axes);
}

/* Reads the number that only this type of joint requires, if any, such as the pitch of a screw joint, into j->pitch. A missing number or 0
 * is an error. */
static cmb_status read_pitch(cmb_reader *r, const cmb_scope *s, const cmb_node *entry,
                             cmb_model_joint *j)
{
  const char *key = cmb_joint_rows[j->type].more;
  const cmb_node *node;
  if (!key || cmb_joint_rows[j->type].orients) return CMB_OK;
  CMB_TRY(cmb_require(r, entry, key, &node));
  CMB_TRY(cmb_read_number(r, s, node, &j->pitch));
  if (j->pitch.value != 0) return CMB_OK;
  return cmb_reader_fail(r, node->place, "'%s' is 0; expected a number other than 0", key);
}

static cmb_status read_joint(cmb_reader *r, const cmb_scope *s, const cmb_node *entry)
{
  cmb_model *m = r->model;
  cmb_model_joint *j = &m->joints[m->joint_count];
  const cmb_node *type;
  int choice;
  CMB_TRY(cmb_expect_map(r, entry));
  CMB_TRY(cmb_require(r, entry, "type", &type));
  CMB_TRY(
      cmb_read_choice(r, type, cmb_joint_rows, CMB_JOINT_TYPES, sizeof *cmb_joint_rows, &choice));
  CMB_TRY(check_keys(r, entry, (cmb_joint_type)choice));
  j->name = cmb_full_name(r, s->prefix, entry->key, "");
  j->place = entry->key_place;
  j->type = (cmb_joint_type)choice;
  CMB_TRY(cmb_define(r, CMB_NAMES_JOINT, j->name, m->joint_count++, entry->key_place));
  CMB_TRY(read_bodies(r, s, entry, j));
  CMB_TRY(read_geometry(r, s, entry, j));
  CMB_TRY(read_pitch(r, s, entry, j));
  return cmb_read_coordinates(r, s, entry, j);
}

cmb_status cmb_read_joints(cmb_reader *r)
{
  CMB_TRY(cmb_take_section(r, "joints", 0, sizeof *r->model->joints, &r->model->joints));
  CMB_TRY(cmb_each_entry(r, "joints", "joint", read_joint));
  return cmb_check_tree(r);
}
