/*
 * Reads the names and initial values of the coordinates of a joint, and the stiffness, damping and friction that act on each; called by
 * joints.c (reader.h).
 *
 * If a joint has one coordinate, its default name is that of the joint; else it is JOINT.x, .y, .z for translations, JOINT.angle,
 * JOINT.a, .b, .c for angles, JOINT.p0 to .p3 for Euler parameters, with JOINT.wx, .wy, .wz for the angular velocity. The name of a velocity
 * is that of its coordinate with a ' appended. In a mirrored copy of a template, angles keep their meaning, because the joint's sense of
 * rotation and axes are mirrored. The coordinates of free joints and Euler parameters are components along the global axes (in a turned copy
 * along the turned axes), which are not mirrored, so their values are: (x, e0, e) -> (sign x, e0, turn sign e).
 */
#include "base/context.h"
#include "math/rotation.h"
#include "model/reader.h"

#include <math.h>
#include <string.h>

static const char *const angular[3] = {".wx", ".wy", ".wz"};

/* Returns the suffix with which the name of joint j becomes the default name of its coordinate number i: ".x", ".angle" and so on, ".p0" to
 * ".p3" for Euler parameters, "" for the only coordinate of a revolute or prismatic joint. */
static const char *suffix_of(const cmb_model_joint *j, int i)
{
  static const char *const euler[4] = {".p0", ".p1", ".p2", ".p3"};
  const int n = cmb_joint_translations(j->type);
  return j->euler && i >= n ? euler[i - n] : cmb_joint_rows[j->type].suffix[i];
}

/* ---- names */

/* Registers the name of a coordinate of joint j; `at` is its place in the model file. The name may be that of the joint, which is then
 * registered as the name of the coordinate. It is an error if the name is taken by anything else, or if the joint's name is used twice. name ==
 * NULL is reported as a lack of memory. */
static cmb_status define(cmb_reader *r, const cmb_model_joint *j, const char *name, cmb_place at)
{
  if (!name) return cmb_fail_memory(r->ctx);
  if (strcmp(name, j->name) != 0) return cmb_define(r, CMB_NAMES_COORDINATE, name, 0, at);
  cmb_name *joint = cmb_look_up(r, r->scopes, CMB_NAMES_JOINT, name);
  if (!joint)
    return cmb_define(r, CMB_NAMES_COORDINATE, name, 0,
                      at); /* the list has the joint's name twice: the second is an error */
  joint->kind = CMB_NAMES_COORDINATE;
  return CMB_OK;
}

static cmb_status read_names(cmb_reader *r, const cmb_scope *s, const cmb_node *node,
                             cmb_model_joint *j)
{
  const int translations = cmb_joint_translations(j->type);
  const cmb_node *entry = node;
  if (node && !(node->kind == CMB_NODE_TEXT && j->nq == 1)) {
    CMB_TRY(cmb_expect_list(r, node, j->nq, "a name for each coordinate"));
    entry = node->first;
  }
  for (int i = 0; i < j->nq; i++) {
    if (entry) {
      CMB_TRY(cmb_expect_text(r, entry, "a coordinate's name"));
      CMB_TRY(cmb_check_name(r, entry->text, entry->place));
      j->q_names[i] = cmb_full_name(r, s->prefix, entry->text, "");
    } else {
      j->q_names[i] = cmb_full_name(r, j->name, suffix_of(j, i), "");
    }
    CMB_TRY(define(r, j, j->q_names[i], entry ? entry->place : j->place));
    if (entry) entry = entry->next;
  }
  for (int i = 0; i < j->nv; i++) {
    bool turning = j->euler && i >= translations;
    const char *name = j->q_names[i];
    if (turning) {
      name = cmb_full_name(r, j->name, angular[i - translations], "");
      CMB_TRY(cmb_define(r, CMB_NAMES_COORDINATE, name, 0, j->place));
    }
    j->coordinate[i].name = name;
    j->v_names[i] = cmb_full_name(r, name, "'", "");
    if (!j->v_names[i]) return cmb_fail_memory(r->ctx);
  }
  return CMB_OK;
}

/* ---- initial values */

/* Reads the initial values x[0..count-1] of a joint's coordinates or velocities: a list, or a single number if count is 1. A list of only
 * `fewer` values (the translations of a free joint) is accepted, too, and leaves the others unchanged; fewer == -1 accepts no such list. */
static cmb_status read_values(cmb_reader *r, const cmb_scope *s, const cmb_node *node, int count,
                              int fewer, cmb_number *x)
{
  if (count == 1 && node->kind == CMB_NODE_TEXT) return cmb_read_number(r, s, node, x);
  bool few = node->kind == CMB_NODE_LIST && node->count == fewer;
  return cmb_read_numbers(r, s, node, few ? fewer : count, x);
}

/* Divides the four Euler parameters p by their norm, in place, and returns the norm that they had. The result is only meaningful if that
 * norm is positive and finite. */
static double normalize(cmb_graph *g, cmb_number p[4])
{
  double value[4];
  cmb_values_of(4, p, value);
  const double length = cmb_euler_normalize(value);
  cmb_number square = cmb_times(g, p[0], p[0]);
  for (int i = 1; i < 4; i++) square = cmb_plus(g, square, cmb_times(g, p[i], p[i]));
  const cmb_number norm = cmb_root(g, square);
  for (int i = 0; i < 4; i++) p[i] = (cmb_number){value[i], cmb_over(g, p[i], norm).live};
  return length;
}

static cmb_status read_start(cmb_reader *r, const cmb_scope *s, const cmb_node *entry,
                             cmb_model_joint *j)
{
  static const char *const keys[] = {"q", "v"};
  const int first = cmb_joint_translations(j->type), fewer = j->euler && first > 0 ? first : -1;
  const cmb_node *q = cmb_node_find(entry, "start"), *v = cmb_node_find(entry, "rate");
  if (q && q->kind == CMB_NODE_MAP) {
    const cmb_node *start = q, *rate = cmb_node_find(start, "v");
    CMB_TRY(CMB_CHECK_KEYS(r, start, keys));
    q = cmb_node_find(start, "q");
    if (v && rate) {
      return cmb_reader_fail(
          r, rate->key_place,
          "the velocities are given both here and under 'rate'; expected one of the two");
    }
    if (rate) v = rate;
  }
  if (q) CMB_TRY(read_values(r, s, q, j->nq, fewer, j->q_start));
  if (v) CMB_TRY(read_values(r, s, v, j->nv, fewer, j->v_start));
  const double length = j->euler ? normalize(r->model->graph, j->q_start + first) : 1;
  if (!(length > 0 && isfinite(length))) {
    return cmb_reader_fail(r, q ? q->place : entry->place,
                           "the squares of the Euler parameters add up to %g; expected 1",
                           length * length);
  }
  if (fabs(length - 1) > CMB_EULER_LENGTH) {
    char where[CMB_WHERE_ROOM];
    cmb_log(r->ctx, CMB_LOG_WARNING,
            "%s: joint '%s': the Euler parameters have the length %.9g, and were divided by it",
            cmb_where(q ? q->place : entry->place, where), j->name, length);
  }
  return CMB_OK;
}

/* Mirrors the initial coordinates and velocities, and the reference positions of the springs on translations, of a joint with Euler parameters
 * in a mirrored copy of a template: changes their signs, since the axes along which they are measured are not mirrored. */
static void mirror_start(cmb_graph *g, const cmb_scope *s, cmb_model_joint *j)
{
  const int n = cmb_joint_translations(j->type);
  const cmb_mirror *m = &s->placed->mirror;
  for (int i = 0; i < 3; i++) {
    const double along = m->sign[i], about = m->turn * m->sign[i];
    cmb_number *reference = &j->coordinate[i].reference;
    if (n > 0) j->q_start[i] = cmb_scaled(g, along, j->q_start[i]);
    if (n > 0) j->v_start[i] = cmb_scaled(g, along, j->v_start[i]);
    if (n > 0) *reference = cmb_scaled(g, along, *reference);
    j->q_start[n + 1 + i] = cmb_scaled(g, about, j->q_start[n + 1 + i]);
    j->v_start[n + i] = cmb_scaled(g, about, j->v_start[n + i]);
  }
}

/* ---- forces on coordinates */

/* The friction of a joint as read, with a value for each velocity. */
struct friction {
  cmb_number force[CMB_MOST_VELOCITIES], velocity[CMB_MOST_VELOCITIES];
  cmb_number most[CMB_MOST_VELOCITIES]; /* largest friction force while sticking */
  bool sticks;
};

/* Reads the friction of a joint with `count` velocities into *f, from {force, law: smooth, velocity} or {force, law: stick, static}; only
 * `force` is required, and f->velocity is unchanged without `velocity`. f->most, the largest force while sticking, equals the force unless
 * `static` is given. */
static cmb_status read_friction_map(cmb_reader *r, const cmb_scope *s, const cmb_node *node,
                                    int count, struct friction *f)
{
  static const char *const keys[] = {"force", "velocity", "law", "static"};
  const cmb_node *given;
  CMB_TRY(CMB_CHECK_KEYS(r, node, keys));
  CMB_TRY(cmb_read_friction_law(r, node, &f->sticks));
  given = cmb_node_find(node, "velocity");
  if (given && f->sticks) {
    return cmb_reader_fail(
        r, given->key_place,
        "'velocity' belongs to smooth friction; expected no 'velocity' beside 'law: stick'");
  }
  CMB_TRY(cmb_require(r, node, "force", &given));
  CMB_TRY(cmb_read_each(r, s, given, count, f->force));
  memcpy(f->most, f->force, sizeof f->most);
  CMB_TRY(cmb_read_each(r, s, cmb_node_find(node, "static"), count, f->most));
  return cmb_read_each(r, s, cmb_node_find(node, "velocity"), count, f->velocity);
}

static cmb_status limit_friction(cmb_reader *r, const cmb_node *node, int count,
                                 const struct friction *f)
{
  for (int i = 0; i < count; i++) {
    if (!(f->force[i].value >= 0 && f->velocity[i].value > 0)) {
      return cmb_reader_fail(
          r, node->place,
          "friction has the force %g and the velocity %g; expected a force not less than 0 and a "
          "velocity greater than 0",
          f->force[i].value, f->velocity[i].value);
    }
    if (f->sticks) CMB_TRY(cmb_limit_static(r, node, f->force[i], f->most[i]));
  }
  CMB_TRY(cmb_limit_each(r, node->place, "friction", CMB_NOT_NEGATIVE, count, f->force));
  return cmb_limit_each(r, node->place, "friction's velocity", CMB_POSITIVE, count, f->velocity);
}

static cmb_status read_friction(cmb_reader *r, const cmb_scope *s, const cmb_node *node,
                                cmb_model_joint *j)
{
  struct friction f = {.sticks = false};
  for (int i = 0; i < CMB_MOST_VELOCITIES; i++) f.velocity[i] = cmb_fixed(0.01); /* m/s or rad/s */
  if (node && node->kind == CMB_NODE_MAP) {
    CMB_TRY(read_friction_map(r, s, node, j->nv, &f));
  } else {
    CMB_TRY(cmb_read_each(r, s, node, j->nv, f.force));
  }
  for (int i = 0; i < j->nv; i++) {
    j->coordinate[i].friction = f.force[i];
    j->coordinate[i].friction_velocity = f.velocity[i];
    j->coordinate[i].friction_static = f.most[i];
    j->coordinate[i].sticks = f.sticks;
  }
  return node ? limit_friction(r, node, j->nv, &f) : CMB_OK;
}

static cmb_status read_laws(cmb_reader *r, const cmb_scope *s, const cmb_node *entry,
                            cmb_model_joint *j)
{
  cmb_number k[CMB_MOST_VELOCITIES] = {{0}}, c[CMB_MOST_VELOCITIES] = {{0}};
  cmb_number q[CMB_MOST_VELOCITIES] = {{0}};
  CMB_TRY(cmb_read_signed(r, s, entry, "stiffness", j->nv, k));
  CMB_TRY(cmb_read_signed(r, s, entry, "damping", j->nv, c));
  CMB_TRY(cmb_read_each(r, s, cmb_node_find(entry, "reference"), j->nv, q));
  for (int i = 0; i < j->nv; i++) {
    if (j->euler && i >= cmb_joint_translations(j->type) && !cmb_is_zero(k[i])) {
      return cmb_reader_fail(r, cmb_node_find(entry, "stiffness")->place,
                             "the rotation is described by Euler parameters, which have no angle "
                             "for a stiffness to act on; expected the stiffness 0 for rotations");
    }
    j->coordinate[i].stiffness = k[i];
    j->coordinate[i].damping = c[i];
    j->coordinate[i].reference = q[i];
  }
  return read_friction(r, s, cmb_node_find(entry, "friction"), j);
}

cmb_status cmb_read_coordinates(cmb_reader *r, const cmb_scope *s, const cmb_node *entry,
                                cmb_model_joint *j)
{
  static const char *const keys[] = {"coordinates", "start",     "rate",    "stiffness",
                                     "damping",     "reference", "friction"};
  j->nq = cmb_joint_coordinates(j->type, j->euler);
  j->nv = cmb_joint_velocities(j->type);
  for (size_t i = 0; j->nq == 0 && i < sizeof keys / sizeof *keys; i++) {
    const cmb_node *given = cmb_node_find(entry, keys[i]);
    if (given) {
      return cmb_reader_fail(r, given->key_place,
                             "a fixed joint has no coordinates; expected no '%s'", keys[i]);
    }
  }
  if (j->euler) j->q_start[cmb_joint_translations(j->type)] = cmb_fixed(1);
  CMB_TRY(read_names(r, s, cmb_node_find(entry, "coordinates"), j));
  CMB_TRY(read_start(r, s, entry, j));
  CMB_TRY(read_laws(r, s, entry, j));
  if (j->euler) mirror_start(r->model->graph, s, j);
  return CMB_OK;
}
