/*
 * Reads the sections `loops` and `motions` of a model: constraints between two bodies or between coordinates, and prescribed motions; called
 * by read.c (reader.h).
 */
#include "base/context.h"
#include "math/vec3.h"
#include "model/reader.h"

#include <string.h>

/* The types of loops that are no joints. In the list of types to choose from they follow the types of joints that can be loops. */
enum { DISTANCE, POINT_LINE, POINT_PLANE, GEAR, FORMULA, STOP, ROWS };

static const struct row {
  const char *name;
  int type;
  int key_count;
  const char *keys[3]; /* allowed beside `type` */
} rows[ROWS] = {
    {"distance", CMB_LOOP_DISTANCE, 2, {"between", "length"}},
    {"point-line", CMB_LOOP_POINT_LINE, 3, {"point", "on", "axis"}},
    {"point-plane", CMB_LOOP_POINT_PLANE, 3, {"point", "on", "normal"}},
    {"gear", CMB_LOOP_FORMULA, 3, {"coordinates", "ratio", "offset"}},
    {"formula", CMB_LOOP_FORMULA, 1, {"formula"}},
    {"stop",
     CMB_LOOP_FORMULA,
     2,
     {"formula", "restitution"}}, /* becomes a stop, no loop (stops.c) */
};

const char *cmb_loop_type_text(const cmb_model_loop *loop)
{
  int i = loop->second.text ? GEAR : FORMULA;
  if (loop->motion) return "motion";
  if (loop->type < CMB_JOINT_TYPES) return cmb_joint_rows[loop->type].name;
  if (loop->type == CMB_LOOP_FORMULA) return rows[i].name;
  for (i = 0; rows[i].type != loop->type;) i++;
  return rows[i].name;
}

/* Fills names[] with the types that a loop closure can have: first those joint types that can close a loop, whose numbers are stored in
 * joint[], then the other types of constraints, as many as the constant ROWS. Returns the number of joint types. */
static int list_choices(const char *names[CMB_JOINT_TYPES + ROWS], int joint[CMB_JOINT_TYPES])
{
  int count = 0;
  for (int i = 0; i < CMB_JOINT_TYPES; i++) {
    if (!cmb_joint_rows[i].loop) continue;
    joint[count] = i;
    names[count++] = cmb_joint_rows[i].name;
  }
  for (int i = 0; i < ROWS; i++) names[count + i] = rows[i].name;
  return count;
}

static cmb_status check_bodies(cmb_reader *r, const cmb_node *entry, const cmb_model_loop *loop)
{
  if (loop->a.body != loop->b.body) return CMB_OK;
  return cmb_reader_fail(r, entry->place, "both sides are on the same body; expected two bodies");
}

static cmb_status read_distance(cmb_reader *r, const cmb_scope *s, const cmb_node *entry,
                                cmb_model_loop *loop)
{
  const cmb_node *length = cmb_node_find(entry, "length");
  double between[3];
  CMB_TRY(cmb_read_between(r, s, entry, &loop->a, &loop->b));
  CMB_TRY(check_bodies(r, entry, loop));
  for (int i = 0; i < 3; i++) between[i] = loop->b.at[i].value - loop->a.at[i].value;
  if (!(cmb_norm3(between) > 0)) {
    return cmb_reader_fail(r, entry->place,
                           "its two points coincide in the design position; expected a distance");
  }
  return length ? cmb_read_formula(r, s, length, &loop->length) : CMB_OK;
}

static cmb_status read_point_on(cmb_reader *r, const cmb_scope *s, const cmb_node *entry,
                                const char *direction, cmb_model_loop *loop)
{
  const cmb_node *point, *on, *axis;
  CMB_TRY(cmb_require(r, entry, "point", &point));
  CMB_TRY(cmb_require(r, entry, "on", &on));
  CMB_TRY(cmb_require(r, entry, direction, &axis));
  CMB_TRY(cmb_read_anchor(r, s, on, &loop->a));
  CMB_TRY(cmb_read_anchor(r, s, point, &loop->b));
  CMB_TRY(check_bodies(r, entry, loop));
  return cmb_read_direction(r, s, axis, loop->axes[0]);
}

/* Reads the name of a joint coordinate, looks it up from the scope s (the model or a template instance) and sets *name to its full name. An
 * unknown name is an error. */
static cmb_status read_coordinate(cmb_reader *r, const cmb_scope *s, const cmb_node *node,
                                  const char **name)
{
  const cmb_name *found;
  CMB_TRY(cmb_expect_text(r, node, "a coordinate's name"));
  CMB_TRY(cmb_refer(r, s, CMB_NAMES_COORDINATE, node->text, node->place, &found));
  *name = found->name;
  return CMB_OK;
}

/* Reads a gear as the constraint q1 − ratio q2 − offset = 0 between the joint coordinates q1 and q2. */
static cmb_status read_gear(cmb_reader *r, const cmb_scope *s, const cmb_node *entry,
                            cmb_model_loop *loop)
{
  const cmb_node *list, *given;
  CMB_TRY(cmb_require(r, entry, "coordinates", &list));
  CMB_TRY(cmb_expect_list(r, list, 2, "two coordinates"));
  CMB_TRY(cmb_begin_formula(r, s, "", entry->place, &loop->formula));
  CMB_TRY(cmb_begin_formula(r, s, "", entry->place, &loop->second));
  CMB_TRY(read_coordinate(r, s, list->first, &loop->formula.text));
  CMB_TRY(read_coordinate(r, s, list->first->next, &loop->second.text));
  CMB_TRY(cmb_require(r, entry, "ratio", &given));
  CMB_TRY(cmb_read_number(r, s, given, &loop->ratio));
  return cmb_read_optional(r, s, entry, "offset", &loop->offset);
}

static cmb_status read_kind(cmb_reader *r, const cmb_scope *s, const cmb_node *entry, int kind,
                            cmb_model_loop *loop)
{
  const cmb_node *formula;
  switch (kind) {
  case DISTANCE: return read_distance(r, s, entry, loop);
  case POINT_LINE: return read_point_on(r, s, entry, "axis", loop);
  case POINT_PLANE: return read_point_on(r, s, entry, "normal", loop);
  case GEAR: return read_gear(r, s, entry, loop);
  default:
    CMB_TRY(cmb_require(r, entry, "formula", &formula));
    return cmb_read_formula(r, s, formula, &loop->formula);
  }
}

/* Reads a joint that closes a kinematic loop: its two anchors (points fixed to bodies) and, unless it is spherical, its directions. */
static cmb_status read_joint_loop(cmb_reader *r, const cmb_scope *s, const cmb_node *entry,
                                  cmb_joint_type type, cmb_model_loop *loop)
{
  CMB_TRY(cmb_read_between(r, s, entry, &loop->a, &loop->b));
  CMB_TRY(check_bodies(r, entry, loop));
  if (cmb_joint_rows[type].orients) return CMB_OK;
  return cmb_read_joint_axes(r, s, entry, type, loop->axes);
}

/* Checks that the entry of a loop closure has only keys that its type allows: `type` and the keys in `row`, the row of its type; for a
 * joint (row == NULL), `type`, `between`, `bodies`, `at` and, unless it is spherical, the keys for the directions of joint type `joint`. */
static cmb_status check_loop_keys(cmb_reader *r, const cmb_node *entry, int joint,
                                  const struct row *row)
{
  const char *keys[6] = {"type", "between", "bodies", "at"};
  int count = 4;
  if (row) {
    memcpy(keys + 1, row->keys, sizeof row->keys);
    count = 1 + row->key_count;
  } else if (!cmb_joint_rows[joint].orients) {
    count += cmb_joint_direction_keys((cmb_joint_type)joint, keys + 4);
  }
  return cmb_check_keys(r, entry, count, keys);
}

static cmb_status begin(cmb_reader *r, const cmb_scope *s, const cmb_node *entry,
                        cmb_model_loop **loop)
{
  cmb_model *m = r->model;
  *loop = &m->loops[m->loop_count];
  (*loop)->name = cmb_full_name(r, s->prefix, entry->key, "");
  (*loop)->place = entry->key_place;
  return cmb_define(r, CMB_NAMES_LOOP, (*loop)->name, m->loop_count++, entry->key_place);
}

static cmb_status read_loop(cmb_reader *r, const cmb_scope *s, const cmb_node *entry)
{
  const cmb_node *type;
  const char *names[CMB_JOINT_TYPES + ROWS];
  cmb_model_loop *loop;
  int choice, joint[CMB_JOINT_TYPES];
  const int joints = list_choices(names, joint);
  CMB_TRY(cmb_expect_map(r, entry));
  CMB_TRY(cmb_require(r, entry, "type", &type));
  CMB_TRY(cmb_read_choice(r, type, names, joints + ROWS, sizeof *names, &choice));
  const struct row *row = choice < joints ? NULL : &rows[choice - joints];
  CMB_TRY(check_loop_keys(r, entry, row ? 0 : joint[choice], row));
  if (row == &rows[STOP]) return cmb_read_stop(r, s, entry);
  CMB_TRY(begin(r, s, entry, &loop));
  loop->type = row ? row->type : joint[choice];
  CMB_TRY(row ? read_kind(r, s, entry, choice - joints, loop)
              : read_joint_loop(r, s, entry, (cmb_joint_type)joint[choice], loop));
  memcpy(loop->axes_b, loop->axes, sizeof loop->axes_b);
  return CMB_OK;
}

/* Reads a prescribed motion as the constraint coordinate − value = 0 or formula − value = 0. The Lagrange multiplier of the constraint is
 * the driving force. */
static cmb_status read_motion(cmb_reader *r, const cmb_scope *s, const cmb_node *entry)
{
  static const char *const keys[] = {"coordinate", "formula", "value"};
  cmb_model_loop *loop;
  const cmb_node *value;
  CMB_TRY(CMB_CHECK_KEYS(r, entry, keys));
  const cmb_node *coordinate = cmb_node_find(entry, "coordinate");
  const cmb_node *formula = cmb_node_find(entry, "formula");
  if (!coordinate == !formula) {
    return cmb_reader_fail(
        r, entry->place,
        coordinate ? "'coordinate' and 'formula' are both given; expected one of them"
                   : "neither 'coordinate' nor 'formula' is given; expected one of them");
  }
  CMB_TRY(begin(r, s, entry, &loop));
  loop->type = CMB_LOOP_FORMULA;
  loop->motion = true;
  if (formula) {
    CMB_TRY(cmb_read_formula(r, s, formula, &loop->formula));
  } else {
    CMB_TRY(cmb_begin_formula(r, s, "", coordinate->place, &loop->formula));
    CMB_TRY(read_coordinate(r, s, coordinate, &loop->formula.text));
  }
  CMB_TRY(cmb_require(r, entry, "value", &value));
  return cmb_read_formula(r, s, value, &loop->minus);
}

cmb_status cmb_read_loops(cmb_reader *r)
{
  int motions = cmb_count_entries(r, "motions");
  CMB_TRY(cmb_take_stops(r));
  CMB_TRY(cmb_take_section(r, "loops", motions, sizeof *r->model->loops, &r->model->loops));
  CMB_TRY(cmb_each_entry(r, "loops", "loop", read_loop));
  return cmb_each_entry(r, "motions", "motion", read_motion);
}
