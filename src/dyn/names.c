/*
 * Reads formulas: resolves the names in them to expressions, while the forces, constraints and outputs of a mechanism are built
 * (docs/model-format.md, "Names in formulas"):
 *
 *     t, deg, parameters, inputs, TABLE(x), TABLE(x, y)
 *     ROAD(x, y), ROAD(x, y, radius): its height   ROAD.friction(x, y)
 *     IMPLICIT, or GROUP.UNKNOWN of several: the root of its equations
 *     COORDINATE, COORDINATE.rate or COORDINATE'     MEASURE, MEASURE.rate       a measure with a formula has no rate
 *     STATE, STATE.rate
 *     SAMPLED, delay(SAMPLED, time)               a value of a controller
 *     SPRING, SPHERES .length .rate .force      TORSION .length .rate .torque      LOAD, CONTACT .fx .fy .fz
 *     TYRE .fx .fy .fz and the results of tyre_force.c                            STOP.force, of a contact .fx .fy .fz
 *     BODY (its centre of mass) or MARKER  .x .y .z  .vx .vy .vz  .ax .ay .az  .wx .wy .wz  .alx .aly .alz   and x_x .. z_z, the
 *                                          components of its axes
 *     JOINT .fx .fy .fz .mx .my .mz        LOOP, BUSHING the same, DISTANCE.force, MOTION.force
 *     energy, kinetic, potential, power
 *
 * A name in a template instance is looked up in the instance first, then in those that contain it, then in the model.
 *
 * In formulas of a rotated or mirrored copy (cmb_mirror) all quantities with a direction are components along the copy's axes, mirrored as
 * the copy is. The field `sign` of a quantity is −1 if mirroring reverses it; value_of, through which all names pass, applies it.
 */
#include "base/context.h"
#include "base/text.h"
#include "dyn/build.h"
#include "dyn/road.h"
#include "model/tyre.h"

#include <stdio.h>
#include <string.h>

enum { NAME_ROOM = 300 };

/* Limit for the nesting of measures (named formulas) that are read one inside the other; deeper ones are read beforehand. */
enum { MOST_DEPTH = 24 };

/* Additional depth for implicit functions, which cannot be read beforehand. */
enum { MOST_IMPLICIT_DEPTH = 24 };

static const double pi = 3.14159265358979323846;

/* A formula that is being read. */
struct reading {
  cmb_build *b;
  const cmb_model_formula *formula;
  cmb_level level;
  cmb_symbols *symbols;
};

/* The meaning of a name: a measure, or an expression with the level of formulas that may use it. */
struct quantity {
  bool is_measure, is_state;
  cmb_measure m;
  cmb_expr e;
  cmb_level level;
  /* 1, or −1 if the formula belongs to a mirrored copy that counts the quantity in the opposite direction */
  double sign;
};

cmb_vector cmb_surface_symbols(cmb_graph *g)
{
  return (cmb_vector){{cmb_input(g, "x of a surface"), cmb_input(g, "y of a surface"),
                       cmb_input(g, "z of a surface")}};
}

/* ---- names of the model */

/* Adds the names of the `count` items of an array to the name map, with their indices. Each item has `size` bytes and begins with a pointer to
 * its name. Names are looked up together with the address `items`, which tells apart items of different kinds. Of two items with the same name
 * the first one counts. Returns false if out of memory. */
static bool add_names(cmb_name_map *map, const void *items, int count, size_t size)
{
  for (int i = 0; i < count; i++) {
    const char *name = *(const char *const *)((const char *)items + (size_t)i * size);
    if (cmb_name_map_find(map, items, name)) continue;
    cmb_name *entry = cmb_name_map_add(map, items, name);
    if (!entry) return false;
    entry->index = i;
  }
  return true;
}

/* Returns the key under which the name map b->names stores the names of joint coordinates. In such an entry `index` is the joint and `kind` the
 * number of the coordinate within the joint. */
static const void *coordinate_names_key(const cmb_build *b)
{
  return &b->model->joint_count;
}

static const void *velocity_names_key(const cmb_build *b)
{
  return &b->model->joints;
}

static bool add_joint_name(cmb_build *b, const void *owner, const char *name, int joint, int n)
{
  if (cmb_name_map_find(&b->names, owner, name)) return true;
  cmb_name *entry = cmb_name_map_add(&b->names, owner, name);
  if (!entry) return false;
  entry->index = joint;
  entry->kind = n;
  return true;
}

/* Adds the names of the coordinates and velocities of a joint to the name map b->names. A velocity that is not the rate of a coordinate (an
 * angular velocity with Euler parameters) is also found without the prime at the end of its name. Returns false if out of memory. */
static bool add_coordinates(cmb_build *b, int joint)
{
  const cmb_model_joint *j = &b->model->joints[joint];
  for (int n = 0; n < j->nv; n++) {
    const int at = cmb_joint_coordinate_index(j, n);
    if (at >= 0 && !add_joint_name(b, coordinate_names_key(b), j->q_names[at], joint, n))
      return false;
    if (!add_joint_name(b, velocity_names_key(b), j->v_names[n], joint, n)) return false;
    const size_t length = strlen(j->v_names[n]);
    if (at >= 0 || length == 0 || j->v_names[n][length - 1] != '\'') continue;
    char *plain = cmb_arena_text(b->arena, j->v_names[n]);
    if (!plain) return false;
    plain[length - 1] = '\0';
    if (!add_joint_name(b, velocity_names_key(b), plain, joint, n)) return false;
  }
  return true;
}

/* Returns the key that distinguishes unknowns of implicit functions from other names in the name map b->names. In an entry of an unknown,
 * `index` is the number of the implicit function and `kind` that of the unknown in it. */
static const void *unknown_names_key(const cmb_build *b)
{
  return &b->model->implicit_count;
}

static bool add_unknowns(cmb_build *b, int implicit)
{
  const cmb_model_implicit *x = &b->model->implicits[implicit];
  for (int k = 0; k < x->count; k++) {
    if (!add_joint_name(b, unknown_names_key(b), x->unknown[k].name, implicit, k)) return false;
  }
  return true;
}

cmb_status cmb_build_names(cmb_build *b)
{
  const cmb_model *m = b->model;
  b->names.arena = b->arena;
#define ADD(items, count) add_names(&b->names, m->items, m->count, sizeof *m->items)
  bool good = ADD(parameters, parameter_count) && ADD(inputs, input_count) &&
              ADD(bodies, body_count) && ADD(markers, marker_count) &&
              ADD(measures, measure_count) && ADD(states, state_count) &&
              ADD(sampled, sampled_count) && ADD(forces, force_count) && ADD(joints, joint_count) &&
              ADD(loops, loop_count) && ADD(tables, table_count) && ADD(stops, stop_count) &&
              ADD(roads, road_count);
#undef ADD
  for (int i = 0; good && i < m->joint_count; i++) good = add_coordinates(b, i);
  for (int i = 0; good && i < m->implicit_count; i++) good = add_unknowns(b, i);
  return good ? CMB_OK : CMB_ERROR_MEMORY;
}

/* Returns the index of the model's item with this name, or −1 if there is none. `items` is the array of the items of that kind, such as the
 * model's bodies. */
static int find_item(const cmb_build *b, const void *items, const char *name)
{
  const cmb_name *entry = items ? cmb_name_map_find(&b->names, items, name) : NULL;
  return entry ? entry->index : -1;
}

static bool set_expression(struct quantity *q, cmb_expr e, cmb_level level)
{
  *q = (struct quantity){.e = e, .level = level, .sign = 1};
  return true;
}

static bool set_measure(struct quantity *q, cmb_measure m)
{
  *q = (struct quantity){
      .is_measure = true, .m = m, .e = m.value, .level = CMB_LEVEL_POSITION, .sign = 1};
  return true;
}

/* ---- axes and signs in formulas of rotated and mirrored copies */

/* Returns whether a copy of a subassembly is mirrored along at least one axis. */
static bool is_mirrored(const cmb_mirror *m)
{
  return m->sign[0] < 0 || m->sign[1] < 0 || m->sign[2] < 0;
}

/* Sets q->sign to 1 or −1: the sign of the vector component along `axis` (0..2) in a formula that belongs to a turned or mirrored copy of a
 * subassembly. `turns` is set for axial vectors (rotations and torques), which have the opposite signs if the copy's `turn` is −1. Always
 * returns true. */
static bool set_component_sign(const struct reading *r, int axis, bool turns, struct quantity *q)
{
  const cmb_mirror *m = &r->formula->mirror;
  q->sign = turns ? m->turn * m->sign[axis] : m->sign[axis];
  return true;
}

/* Computes the unit vector `axis` to which the i-th component of vectors refers in the formula being read: a global axis or, in a rotated copy
 * of a subassembly, an axis of that copy. */
static void formula_axis(const struct reading *r, int i, cmb_number axis[3])
{
  double row[3];
  cmb_mirror_axis(&r->formula->mirror, i, row);
  cmb_fix_numbers(3, row, axis);
}

/* Returns the i-th component of the vector x (global axes) in the axes of the formula being read: global axes or, in a rotated copy of a
 * subassembly, the axes of that copy. */
static cmb_expr formula_component(const struct reading *r, cmb_vector x, int i)
{
  double row[3];
  if (!r->formula->mirror.axes) return x.x[i];
  cmb_mirror_axis(&r->formula->mirror, i, row);
  return cmb_vector_dot(r->b->g, cmb_vector_constant(r->b->g, row), x);
}

static cmb_expr with_sign(cmb_build *b, double sign, cmb_expr e)
{
  return sign < 0 ? cmb_neg(b->g, e) : e;
}

/* ---- bodies and markers */

/* Returns 0, 1 or 2 for the letter x, y or z, and −1 for any other character. */
static int axis_of_letter(char c)
{
  return c >= 'x' && c <= 'z' ? c - 'x' : -1;
}

/* Finds a kinematic quantity of a point on a body by the suffix of its name and stores it in *q: position x, velocity vx, acceleration ax,
 * angular velocity wx, angular acceleration alx, or a component x_x .. z_z of the axes in the rows of `axes`. Returns false if there is no such
 * suffix. */
static bool site_quantity(struct reading *r, const cmb_anchor *at, const cmb_number axes[9],
                          const char *suffix, struct quantity *q)
{
  cmb_build *b = r->b;
  static const cmb_site ground = {.link = CMB_GROUND, .body = CMB_GROUND};
  cmb_site s = cmb_site_of(b->k, at);
  size_t length = strlen(suffix);
  int last = length > 0 ? axis_of_letter(suffix[length - 1]) : -1;
  cmb_number along[3];
  if (last < 0) return false;
  formula_axis(r, last, along);
  if (length == 1) {
    return set_measure(q, cmb_measure_component(b->k, ground, s, along)) &&
           set_component_sign(r, last, false, q);
  }
  if (length == 3 && suffix[1] == '_' && axis_of_letter(suffix[0]) >= 0) {
    const cmb_number *axis = axes + 3L * axis_of_letter(suffix[0]);
    return set_measure(q, cmb_measure_cosine(b->k, ground, along, s, axis)) &&
           set_component_sign(r, last, false, q);
  }
  const cmb_pose *p = cmb_pose_of(b->k, s.link, CMB_GROUND);
  if (p && length == 3 && suffix[0] == 'a' && suffix[1] == 'l')
    return set_expression(q, formula_component(r, p->aw, last), CMB_LEVEL_OUTPUT) &&
           set_component_sign(r, last, true, q);
  if (length != 2 || !p) return false;
  cmb_vector arm = cmb_pose_arm(b->k, p, s.x), x;
  switch (suffix[0]) {
  case 'v': x = cmb_point_velocity(b->k, p, arm); break;
  case 'w': x = p->w; break;
  case 'a': x = cmb_point_acceleration(b->k, p, arm); break;
  default: return false;
  }
  set_expression(q, formula_component(r, x, last),
                 suffix[0] == 'a' ? CMB_LEVEL_OUTPUT : CMB_LEVEL_MOTION);
  return set_component_sign(r, last, suffix[0] == 'w', q);
}

/* Returns whether a suffix has the form of a component of an axis, such as x_y. */
static bool is_axis_suffix(const char *suffix)
{
  return strlen(suffix) == 3 && suffix[1] == '_';
}

/* Finds a kinematic quantity of a point on a body by the suffix of its name (x, vx, x_x, ..) and stores it in *q. The body's axes are taken
 * such that they coincide in the design position with the axes in which the formula is written. Returns false if there is no such
 * suffix. */
static bool body_quantity(struct reading *r, const cmb_anchor *at, const char *suffix,
                          struct quantity *q)
{
  cmb_number axes[9];
  for (int i = 0; i < 3; i++) formula_axis(r, i, axes + 3L * i);
  if (!site_quantity(r, at, axes, suffix, q)) return false;
  if (is_axis_suffix(suffix)) q->sign *= r->formula->mirror.sign[axis_of_letter(suffix[0])];
  return true;
}

static bool is_same_mirror(const cmb_mirror *one, const cmb_mirror *other)
{
  return one->sign[0] == other->sign[0] && one->sign[1] == other->sign[1] &&
         one->sign[2] == other->sign[2];
}

/* Finds a kinematic quantity of a marker (a point with axes on a body) by the suffix of its name (x, vx, x_x, ..) and stores it in *q. Returns
 * false if there is none, or with an error if a formula in a mirrored copy of a subassembly uses the axes of a marker that is not mirrored
 * in the same way. */
static bool marker_quantity(struct reading *r, const cmb_model_marker *m, const char *suffix,
                            struct quantity *q)
{
  const cmb_mirror *mine = &r->formula->mirror;
  if (!site_quantity(r, &m->anchor, m->axes, suffix, q)) return false;
  if (!is_axis_suffix(suffix) || !is_mirrored(mine) || is_same_mirror(mine, &m->mirror))
    return true;
  cmb_build_fail(r->b, cmb_about_formula(r->formula),
                 "the axes of marker '%s' have no mirror image, since it is not mirrored as this "
                 "formula is; expected the axes of a body, or of a marker in the same template",
                 m->name);
  return false;
}

static bool body_or_marker_quantity(struct reading *r, const char *base, const char *suffix,
                                    struct quantity *q)
{
  const cmb_model *m = r->b->model;
  int i = find_item(r->b, m->bodies, base);
  if (i >= 0) {
    cmb_anchor at = {.body = i};
    memcpy(at.at, m->bodies[i].com, sizeof at.at);
    return body_quantity(r, &at, suffix, q);
  }
  i = find_item(r->b, m->markers, base);
  return i >= 0 && marker_quantity(r, &m->markers[i], suffix, q);
}

/* ---- coordinates */

/* Sets q->sign to the sign of a joint coordinate in a formula of a mirrored copy of a subassembly. Reports an error and returns false if the
 * coordinate has no equivalent along the formula's axes, as with Euler parameters in a rotated copy. */
static bool set_coordinate_sign(struct reading *r, const char *name, const cmb_name *entry,
                                struct quantity *q)
{
  const cmb_model_joint *j = &r->b->model->joints[entry->index];
  q->sign = cmb_coordinate_sign(&r->formula->mirror, j, entry->kind);
  if (q->sign != 0) return true;
  cmb_build_fail_axes(r->b, cmb_about_formula(r->formula), name);
  return false;
}

static bool coordinate_quantity(struct reading *r, const char *name, bool rate, struct quantity *q)
{
  cmb_build *b = r->b;
  const cmb_name *entry = cmb_name_map_find(&b->names, coordinate_names_key(b), name);
  const bool position = entry && !rate;
  if (!entry && !rate) entry = cmb_name_map_find(&b->names, velocity_names_key(b), name);
  if (!entry) return false;
  const cmb_measure m = cmb_build_coordinate(b, entry->index, entry->kind);
  if (position)
    set_measure(q, m);
  else
    set_expression(q, m.rate, CMB_LEVEL_MOTION);
  return set_coordinate_sign(r, name, entry, q);
}

/* ---- states */

/* Returns whether a first-order state of the model is the lateral deflection of a tyre, which is positive to the
 * left. */
static bool is_lateral_deflection(const cmb_model *m, int state)
{
  const int tyre = m->states[state].tyre;
  return tyre > 0 && m->forces[tyre - 1].tyre->first_state + 1 == state;
}

static bool state_quantity(struct reading *r, const char *name, bool rate, struct quantity *q)
{
  cmb_build *b = r->b;
  const int i = find_item(b, b->model->states, name);
  if (i < 0 || (rate && cmb_build_state_rate(b, i) != CMB_OK)) return false;
  set_expression(q, rate ? b->state_rate[i] : b->state[i],
                 rate && b->state_late[i] ? CMB_LEVEL_OUTPUT : CMB_LEVEL_MOTION);
  q->is_state = !rate;
  if (is_lateral_deflection(b->model, i)) q->sign = r->formula->mirror.turn;
  return true;
}

/* ---- sampled values */

static bool sampled_quantity(cmb_build *b, const char *name, struct quantity *q)
{
  const int i = find_item(b, b->model->sampled, name);
  return i >= 0 && set_expression(q, cmb_sampled_at(b, i)->x, CMB_LEVEL_TIME);
}

/* ---- measures and forces */

static cmb_status read_formula(cmb_build *b, const cmb_model_formula *formula, cmb_level level,
                               cmb_symbols *symbols, cmb_expr *e);

/* Reads the formula of measure number i (a named scalar quantity of the model) at the given level, which limits the quantities that it may use.
 * Stores in b->measures[i] its expression, and whether it depends on accelerations or constraint forces. */
static cmb_status read_measure(cmb_build *b, int i, cmb_level level, cmb_symbols *symbols)
{
  cmb_read_measure *m = &b->measures[i];
  *m = (cmb_read_measure){.state = CMB_IN_WORK,
                          .level = (int)level,
                          .outputs = b->outputs,
                          .implicit = b->implicit_now};
  m->symbols = symbols ? symbols->number : 0;
  const bool before = b->reads_late;
  b->reads_late = false;
  cmb_status status = read_formula(b, &b->model->measures[i].formula, level, symbols, &m->e);
  m->late = b->reads_late;
  b->reads_late = b->reads_late || before;
  m->state = status == CMB_OK ? CMB_BUILT : CMB_NOT_BUILT;
  return status;
}

static bool is_read(const struct reading *r, const cmb_read_measure *m)
{
  return m->state == CMB_BUILT && m->level == (int)r->level && m->outputs == r->b->outputs &&
         m->symbols == (r->symbols ? r->symbols->number : 0) && m->implicit == r->b->implicit_now;
}

static bool formula_measure(struct reading *r, int i, struct quantity *q)
{
  cmb_build *b = r->b;
  const cmb_model_measure *m = &b->model->measures[i];
  const int state = b->measures[i].state;
  if (is_read(r, &b->measures[i])) {
    b->reads_late = b->reads_late || b->measures[i].late;
    return set_expression(q, b->measures[i].e, CMB_LEVEL_TIME);
  }
  if (state == CMB_IN_WORK || state == CMB_WAITING) {
    cmb_build_fail(b, cmb_about_part(&m->place, "measure", m->name),
                   "measure '%s' depends on itself", m->name);
    return false;
  }
  if (b->formula_depth >= MOST_DEPTH) {
    /* aborts all readings, down to the first formula, which is then read again */
    b->waiting = i;
    b->status = CMB_ERROR_INPUT;
    return false;
  }
  cmb_status status = read_measure(b, i, r->level, r->symbols);
  if (b->status == CMB_OK)
    b->status = status; /* the parser only reports that the name has no value */
  return status == CMB_OK && set_expression(q, b->measures[i].e, CMB_LEVEL_TIME);
}

static bool measure_quantity(struct reading *r, const char *name, bool rate, struct quantity *q)
{
  cmb_build *b = r->b;
  const cmb_model *model = b->model;
  int i = find_item(b, model->measures, name);
  if (i < 0) return false;
  const cmb_model_measure *m = &model->measures[i];
  if (!m->distance) return !rate && formula_measure(r, i, q);
  cmb_measure d = cmb_measure_distance(b->k, cmb_site_of(b->k, &m->a), cmb_site_of(b->k, &m->b));
  return rate ? set_expression(q, d.rate, CMB_LEVEL_MOTION) : set_measure(q, d);
}

/* ---- implicit functions */

/* Reads the formulas of implicit function number i: its equations into equation[], with symbols for its unknowns, and the initial values of the
 * unknowns, which must not depend on unknowns, into start[]. */
static cmb_status read_implicit_formulas(cmb_build *b, int i, cmb_level level, cmb_symbols *symbols,
                                         cmb_expr *equation, cmb_expr *start)
{
  const cmb_model_implicit *x = &b->model->implicits[i];
  cmb_read_implicit *m = &b->implicits[i];
  for (int k = 0; k < x->count; k++) m->unknown[k] = cmb_input(b->g, x->unknown[k].name);
  for (int k = 0; k < x->count; k++) {
    CMB_TRY(read_formula(b, &x->equation[k], level, symbols, &equation[k]));
  }
  m->starts = true;
  for (int k = 0; k < x->count; k++) {
    CMB_TRY(read_formula(b, &x->unknown[k].start, level, symbols, &start[k]));
  }
  return CMB_OK;
}

/* Reports the error that cmb_implicit() found in the equations of the implicit function x, with the position of the first one in the model
 * file. */
static cmb_status fail_implicit(cmb_build *b, const cmb_model_implicit *x)
{
  const cmb_error *inner = cmb_error_of(b->ctx);
  return cmb_build_fail(b, cmb_about_formula(&x->equation[0]), "%s", inner->text);
}

static cmb_status read_implicit(cmb_build *b, int i, cmb_level level, cmb_symbols *symbols)
{
  const cmb_model_implicit *x = &b->model->implicits[i];
  cmb_read_implicit *m = &b->implicits[i];
  const int before = b->implicit_now;
  cmb_expr equation[CMB_MOST_UNKNOWNS], start[CMB_MOST_UNKNOWNS];
  double size[CMB_MOST_UNKNOWNS];
  *m = (cmb_read_implicit){.state = CMB_IN_WORK, .level = (int)level, .outputs = b->outputs};
  m->symbols = symbols ? symbols->number : 0;
  for (int k = 0; k < x->count; k++) size[k] = x->unknown[k].size;
  const bool late_before = b->reads_late;
  b->implicit_now = i;
  b->reads_late = false;
  cmb_status status = read_implicit_formulas(b, i, level, symbols, equation, start);
  b->implicit_now = before;
  m->late = b->reads_late;
  b->reads_late = b->reads_late || late_before;
  if (status == CMB_OK) {
    status = cmb_implicit(b->g, x->count, m->unknown, equation, start, size, m->w);
    if (status == CMB_ERROR_INPUT) status = fail_implicit(b, x);
  }
  m->state = status == CMB_OK ? CMB_BUILT : CMB_NOT_BUILT;
  return status;
}

/* Resolves the name of unknown number k of implicit function i while the formulas of this function are still being read. In the function's own
 * equations *q becomes the symbol of the unknown; elsewhere reports a circular dependence and returns false. */
static bool resolve_unfinished_unknown(struct reading *r, int i, int k, struct quantity *q)
{
  cmb_build *b = r->b;
  const cmb_model_implicit *x = &b->model->implicits[i];
  if (b->implicit_now == i && !b->implicits[i].starts) {
    return set_expression(q, b->implicits[i].unknown[k], CMB_LEVEL_TIME);
  }
  const cmb_about about = cmb_about_part(&x->place, "implicit function", x->name);
  if (b->implicit_now == i) {
    cmb_build_fail(b, about,
                   "a start value of the implicit function '%s' depends on its unknowns; expected "
                   "a formula without them",
                   x->name);
  } else if (b->implicit_now >= 0) {
    cmb_build_fail(b, about,
                   "the implicit functions '%s' and '%s' depend on each other; expected one group "
                   "with the unknowns and equations of both",
                   x->name, b->model->implicits[b->implicit_now].name);
  } else {
    cmb_build_fail(b, about, "the implicit function '%s' depends on a force that depends on it",
                   x->name);
  }
  return false;
}

static bool unknown_quantity(struct reading *r, const char *name, struct quantity *q)
{
  cmb_build *b = r->b;
  const cmb_name *entry = cmb_name_map_find(&b->names, unknown_names_key(b), name);
  if (!entry) return false;
  const int i = entry->index, k = entry->kind;
  const cmb_read_implicit *m = &b->implicits[i];
  if (m->state == CMB_IN_WORK) return resolve_unfinished_unknown(r, i, k, q);
  const bool good = m->state == CMB_BUILT && m->level == (int)r->level &&
                    m->outputs == b->outputs && m->symbols == (r->symbols ? r->symbols->number : 0);
  if (good) b->reads_late = b->reads_late || m->late;
  if (good) return set_expression(q, m->w[k], CMB_LEVEL_TIME);
  if (b->formula_depth >= MOST_DEPTH + MOST_IMPLICIT_DEPTH) {
    const cmb_model_implicit *x = &b->model->implicits[i];
    cmb_build_fail(b, cmb_about_part(&x->place, "implicit function", x->name),
                   "the implicit function '%s' is used by others that use each other, %d deep; "
                   "expected at most %d",
                   x->name, b->formula_depth, MOST_DEPTH + MOST_IMPLICIT_DEPTH);
    return false;
  }
  const cmb_status status = read_implicit(b, i, r->level, r->symbols);
  if (b->status == CMB_OK)
    b->status = status; /* the parser only reports that the name has no value */
  return status == CMB_OK && set_expression(q, m->w[k], CMB_LEVEL_TIME);
}

/* Returns the force of a spring or of two spheres along the line between its ends, or the torque of a torsion spring: positive in
 * compression if `pushes` is set, else positive in tension. `force` is the index of the force element. */
static cmb_expr force_along(cmb_build *b, int force, bool pushes)
{
  const cmb_model_force *f = &b->model->forces[force];
  if (f->from_zero) {
    return cmb_mul(b->g, cmb_number_expr(b->g, f->stiffness),
                   cmb_build_spring_measure(b, force).value);
  }
  const cmb_expr along = cmb_action_at(b, b->first_action[force])->force;
  return pushes ? along : cmb_neg(b->g, along);
}

/* Finds the quantity length, rate, force or torque, named by `suffix`, of a spring, a torsion spring or two spheres in contact, and stores it
 * in *q. The force is positive in compression if `pushes` is set, else in tension. Returns false if there is no such quantity. */
static bool line_force_quantity(struct reading *r, int force, bool pushes, const char *suffix,
                                struct quantity *q)
{
  cmb_build *b = r->b;
  const cmb_model_force *f = &b->model->forces[force];
  if (strcmp(suffix, "length") == 0) {
    set_measure(q, cmb_build_spring_measure(b, force));
  } else if (strcmp(suffix, "rate") == 0) {
    set_expression(q, cmb_build_spring_measure(b, force).rate, CMB_LEVEL_MOTION);
  } else {
    if (strcmp(suffix, "force") != 0 && strcmp(suffix, "torque") != 0) return false;
    if (cmb_build_force(b, force) != CMB_OK) return false;
    set_expression(q, force_along(b, force, pushes), CMB_LEVEL_MOTION);
  }
  const cmb_name *entry = f->type == CMB_FORCE_COORDINATE
                              ? cmb_name_map_find(&b->names, coordinate_names_key(b), f->coordinate)
                              : NULL;
  return !entry || set_coordinate_sign(r, f->coordinate, entry, q);
}

static bool contact_point_quantity(struct reading *r, int force, int axis, struct quantity *q)
{
  static const char *const parts[] = {"px", "py", "pz"};
  cmb_vector at;
  for (int i = 0; i < 3; i++) {
    if (!cmb_build_tyre_result(r->b, force, parts[i], &at.x[i])) return false;
  }
  return set_expression(q, formula_component(r, at, axis), CMB_LEVEL_MOTION) &&
         set_component_sign(r, axis, false, q);
}

static bool tyre_quantity(struct reading *r, int force, const char *suffix, struct quantity *q)
{
  cmb_expr e;
  if (cmb_build_force(r->b, force) != CMB_OK) return false;
  if (!cmb_build_tyre_result(r->b, force, suffix, &e)) return false;
  set_expression(q, e, CMB_LEVEL_MOTION);
  if (suffix[0] == 'p') return contact_point_quantity(r, force, suffix[1] - 'x', q);
  /* quantities whose sign changes when left and right are exchanged */
  static const char *const sides[] = {"Fy", "Mx", "Mz", "alpha", "gamma"};
  if (cmb_find_name(suffix, sides, 5, sizeof *sides) >= 0) q->sign = r->formula->mirror.turn;
  return true;
}

static bool force_quantity(struct reading *r, const char *base, const char *suffix,
                           struct quantity *q)
{
  cmb_build *b = r->b;
  const cmb_model *model = b->model;
  int i = find_item(b, model->forces, base);
  if (i < 0) return false;
  const cmb_force_results results = cmb_force_rows[model->forces[i].type].results;
  const bool pushes = results == CMB_RESULTS_PUSH;
  if (pushes || results == CMB_RESULTS_PULL) return line_force_quantity(r, i, pushes, suffix, q);
  static const char *const parts[] = {"fx", "fy", "fz"};
  int part = cmb_find_name(suffix, parts, 3, sizeof *parts);
  if (results == CMB_RESULTS_TYRE && part < 0) return tyre_quantity(r, i, suffix, q);
  if (part < 0 || (results != CMB_RESULTS_PARTS && results != CMB_RESULTS_TYRE)) return false;
  if (cmb_build_force(b, i) != CMB_OK) return false;
  const cmb_action *a = cmb_action_at(b, b->first_action[i]);
  return a->measure.base == CMB_GROUND &&
         set_expression(q, formula_component(r, a->measure.side[0].force, part),
                        CMB_LEVEL_MOTION) &&
         set_component_sign(r, part, false, q);
}

/* Finds the component `suffix` of the force or moment of the bushing, joint, stop or loop named `base`, and stores it in *e. *level becomes the
 * least kind of formula that may contain it (enum cmb_level). Returns false if there is none, or on failure. */
static bool reaction_of(cmb_build *b, const char *base, const char *suffix, cmb_expr *e,
                        cmb_level *level)
{
  const cmb_model *m = b->model;
  int i = find_item(b, m->forces, base);
  *level = i >= 0 ? CMB_LEVEL_MOTION : CMB_LEVEL_OUTPUT;
  if (i >= 0) {
    return cmb_force_rows[m->forces[i].type].results == CMB_RESULTS_WRENCH &&
           cmb_build_bushing_force(b, i, suffix, e);
  }
  i = find_item(b, m->joints, base);
  if (i >= 0) return cmb_build_reaction(b, i, suffix, e);
  i = find_item(b, m->stops, base);
  if (i >= 0) return cmb_build_push(b, i, suffix, e);
  i = find_item(b, m->loops, base);
  return i >= 0 && cmb_build_loop_force(b, i, suffix, e);
}

static bool reaction_quantity(struct reading *r, const char *base, const char *suffix,
                              struct quantity *q)
{
  const int axis = strlen(suffix) == 2 ? axis_of_letter(suffix[1]) : -1;
  cmb_vector x;
  cmb_expr e = 0;
  cmb_level level;
  if (!reaction_of(r->b, base, suffix, &e, &level)) return false;
  if (axis < 0) return set_expression(q, e, level);
  for (int i = 0; i < 3; i++) {
    const char part[] = {suffix[0], (char)('x' + i), '\0'};
    if (!reaction_of(r->b, base, part, &x.x[i], &level)) return false;
  }
  return set_expression(q, formula_component(r, x, axis), level) &&
         set_component_sign(r, axis, suffix[0] == 'm', q);
}

/* ---- all names */

static bool plain_name(struct reading *r, const char *name, struct quantity *q)
{
  cmb_build *b = r->b;
  const cmb_model *m = b->model;
  if (strcmp(name, "deg") == 0)
    return set_expression(q, cmb_constant(b->g, pi / 180), CMB_LEVEL_TIME);
  int i = find_item(b, m->parameters, name);
  if (i >= 0)
    return set_expression(q, cmb_number_expr(b->g, b->model->parameters[i].number), CMB_LEVEL_TIME);
  i = find_item(b, m->inputs, name);
  if (i >= 0 && b->input) return set_expression(q, b->input[i], CMB_LEVEL_TIME);
  return coordinate_quantity(r, name, false, q) || state_quantity(r, name, false, q) ||
         sampled_quantity(b, name, q) || measure_quantity(r, name, false, q) ||
         unknown_quantity(r, name, q);
}

/* Looks up a quantity by its full name, without adding the prefix of a subassembly, and stores it in *q. Returns false if there is none, or
 * after an error. */
static bool resolve_full_name(struct reading *r, const char *name, struct quantity *q)
{
  char base[NAME_ROOM];
  const char *dot = strrchr(name, '.');
  if (plain_name(r, name, q)) return true;
  if (!dot || (size_t)(dot - name) >= sizeof base || r->b->status != CMB_OK) return false;
  memcpy(base, name, (size_t)(dot - name));
  base[dot - name] = '\0';
  const char *suffix = dot + 1;
  if (strcmp(suffix, "rate") == 0 &&
      (coordinate_quantity(r, base, true, q) || state_quantity(r, base, true, q) ||
       measure_quantity(r, base, true, q))) {
    return true;
  }
  if (body_or_marker_quantity(r, base, suffix, q)) return true;
  return r->b->status == CMB_OK &&
         (force_quantity(r, base, suffix, q) || reaction_quantity(r, base, suffix, q));
}

/* Writes the name with its scope, such as "CAR.AXLE.NAME", to `text`. The innermost `outwards` levels of the scope are left out (1:
 * "CAR.NAME"). Returns false if the scope has fewer levels or the text is too long. */
static bool write_scoped_name(const char *scope, const char *name, int outwards,
                              char text[NAME_ROOM])
{
  size_t length = strlen(scope);
  for (; outwards > 0; outwards--) {
    if (length == 0) return false;
    length--; /* the dot at its end */
    while (length > 0 && scope[length - 1] != '.') length--;
  }
  return snprintf(text, NAME_ROOM, "%.*s%s", (int)length, scope, name) < NAME_ROOM;
}

static bool resolve(struct reading *r, const char *name, struct quantity *q)
{
  char text[NAME_ROOM];
  for (int k = 0; write_scoped_name(r->formula->scope, name, k, text); k++) {
    if (resolve_full_name(r, text, q)) return true;
    if (r->b->status != CMB_OK) return false;
  }
  return false;
}

/* Returns the symbol that represents the measure m (a scalar such as a distance) in the formula being read, so that the formula can be
 * differentiated with respect to it. Creates the symbol at its first use. */
static cmb_expr symbol_of(struct reading *r, const cmb_measure *m)
{
  cmb_build *b = r->b;
  cmb_symbol *s = r->symbols->items.items;
  for (int i = 0; i < r->symbols->items.count; i++) {
    if (s[i].measure.value == m->value) return s[i].x;
  }
  char text[64];
  int number = r->symbols->items.count;
  s = cmb_list_add(b, &r->symbols->items, sizeof *s);
  if (!s) return 0;
  snprintf(text, sizeof text, "measure %d", number);
  s->x = cmb_input(b->g, text);
  snprintf(text, sizeof text, "rate of measure %d", number);
  s->rate = cmb_input(b->g, text);
  s->measure = *m;
  return s->x;
}

static bool fail_level(struct reading *r, const char *name, const struct quantity *q)
{
  static const char computed[] = "a quantity computed from the motion, such as an acceleration or "
                                 "a constraint force";
  static const char *const what[] = {[CMB_LEVEL_POSITION] = "a position",
                                     [CMB_LEVEL_MOTION] = "a velocity or a force",
                                     [CMB_LEVEL_OUTPUT] = computed};
  static const char *const permitted[] = {[CMB_LEVEL_TIME] = "",
                                          [CMB_LEVEL_SURFACE] = "x, y and, except in a road, z, ",
                                          [CMB_LEVEL_POSITION] = "positions, ",
                                          [CMB_LEVEL_MOTION] =
                                              "positions, velocities, states, applied forces, "};
  cmb_build_fail(r->b, cmb_about_formula(r->formula),
                 "'%s' is %s; this formula can use only %sthe time, inputs, sampled values and "
                 "parameters",
                 name, q->is_state ? "a state" : what[q->level], permitted[r->level]);
  return false;
}

static bool has_coordinate(const cmb_model_joint *joint, const char *name)
{
  for (int i = 0; i < joint->nq; i++) {
    if (strcmp(joint->q_names[i], name) == 0) return true;
  }
  return false;
}

/* Reports an error if `name`, which formulas cannot use, is the name of an Euler parameter; the parser reports errors for all other names.
 * Always returns false (name not resolved). */
static bool refuse_euler_parameter(struct reading *r, const char *name)
{
  const cmb_model *m = r->b->model;
  char text[NAME_ROOM];
  for (int k = 0; r->b->status == CMB_OK && write_scoped_name(r->formula->scope, name, k, text);
       k++) {
    for (int i = 0; i < m->joint_count; i++) {
      if (!has_coordinate(&m->joints[i], text)) continue;
      cmb_build_fail(r->b, cmb_about_formula(r->formula),
                     "'%s' is an Euler parameter, which formulas cannot use; expected "
                     "components of a body's axes such as BODY.x_x, or its angular velocity",
                     name);
    }
  }
  return false;
}

/* Builds the expression of a quantity of the whole mechanism: energy, kinetic, potential or power. For a formula of the rate of a first-order
 * state, which is read before all forces are known, only checks the name and sets *e to 0. Returns false if there is no such quantity. */
static bool read_total(cmb_build *b, const char *name, cmb_expr *e)
{
  if (b->in_rate && !b->outputs) {
    static const char *const totals[] = {"energy", "kinetic", "potential", "power"};
    *e = 0;
    if (cmb_find_name(name, totals, 4, sizeof *totals) < 0) return false;
  } else if (!cmb_build_total(b, name, e)) {
    return false;
  }
  b->reads_late = true;
  return true;
}

static bool value_of(void *user, const char *name, cmb_expr *e)
{
  struct reading *r = user;
  struct quantity q;
  if (strcmp(name, "t") == 0) {
    *e = r->b->k->t;
    return true;
  }
  if (r->level == CMB_LEVEL_SURFACE && name[0] && !name[1] && axis_of_letter(name[0]) >= 0) {
    const int axis = axis_of_letter(name[0]);
    const cmb_expr x = formula_component(r, cmb_surface_symbols(r->b->g), axis);
    *e = with_sign(r->b, r->formula->mirror.sign[axis], x);
    return true;
  }
  if (r->level == CMB_LEVEL_OUTPUT && read_total(r->b, name, e)) return true;
  if (!resolve(r, name, &q)) return refuse_euler_parameter(r, name);
  cmb_level allowed = r->level == CMB_LEVEL_SURFACE ? CMB_LEVEL_TIME : r->level;
  if (q.level > allowed) return fail_level(r, name, &q);
  r->b->reads_late = r->b->reads_late || q.level == CMB_LEVEL_OUTPUT;
  *e = with_sign(r->b, q.sign, q.is_measure && r->symbols ? symbol_of(r, &q.m) : q.e);
  return true;
}

cmb_expr cmb_build_table(cmb_build *b, const cmb_model_table *table, const cmb_expr *arguments)
{
  cmb_graph *g = b->g;
  cmb_expr x[2] = {0, 0};
  for (int i = 0; i < table->arguments; i++) {
    const cmb_number stretch = table->stretch[i];
    x[i] = arguments[i];
    if (!cmb_is_one(stretch)) x[i] = cmb_div(g, x[i], cmb_number_expr(g, stretch));
  }
  const cmb_expr e = table->arguments == 1 ? cmb_table_apply(g, table->table, x[0])
                                           : cmb_table2_apply(g, table->table, x[0], x[1]);
  return cmb_is_one(table->scale) ? e : cmb_mul(g, cmb_number_expr(g, table->scale), e);
}

/* Returns whether the formula being read can use a road. If not, reports an error: the formula belongs to a copy of a subassembly whose z
 * axis does not point up, or in which a disc (`disc` set) would roll on the road upside down. */
static bool can_use_road(const struct reading *r, int road, bool disc)
{
  const cmb_mirror *m = &r->formula->mirror;
  if (cmb_is_upright(m) && (!disc || m->sign[2] > 0)) return true;
  if (!cmb_is_upright(m)) {
    cmb_build_fail(r->b, cmb_about_formula(r->formula),
                   "'%s' has no height in an instance whose z axis does not point up; expected the "
                   "formula outside of it",
                   r->b->model->roads[road].name);
  } else {
    cmb_build_fail(r->b, cmb_about_formula(r->formula),
                   "a disc cannot roll on '%s' upside down; expected no radius in an instance "
                   "with 'mirror: z'",
                   r->b->model->roads[road].name);
  }
  return false;
}

/* Converts the horizontal position own[2] (x and y) from the axes of the formula being read to global coordinates,
 * at[2]. */
static void place_on_road(const struct reading *r, const cmb_expr *own, cmb_expr at[2])
{
  cmb_build *b = r->b;
  const cmb_mirror *m = &r->formula->mirror;
  const cmb_expr x[2] = {with_sign(b, m->sign[0], own[0]), with_sign(b, m->sign[1], own[1])};
  for (int k = 0; k < 2; k++) {
    at[k] = x[k];
    if (!m->axes) continue;
    at[k] = cmb_add(b->g, cmb_mul(b->g, cmb_constant(b->g, m->axes[k]), x[0]),
                    cmb_mul(b->g, cmb_constant(b->g, m->axes[3 + k]), x[1]));
  }
}

static bool road_value(struct reading *r, int road, bool friction, int count,
                       const cmb_expr *arguments, cmb_expr *e)
{
  cmb_build *b = r->b;
  const cmb_mirror *m = &r->formula->mirror;
  const cmb_expr radius = count == 3 ? arguments[2] : 0;
  cmb_expr at[2];
  if (!can_use_road(r, road, radius != 0)) return false;
  place_on_road(r, arguments, at);
  const cmb_status status = cmb_build_road_value(b, road, friction, at, radius, e);
  if (b->status == CMB_OK)
    b->status = status; /* the parser only reports that the name has no value */
  if (!friction) *e = with_sign(b, m->sign[2], *e);
  return status == CMB_OK;
}

/* Builds the expression of a call ROAD(x, y), ROAD(x, y, radius) or ROAD.friction(x, y). `name` is the road's full name, with the suffix if
 * there is one. Returns false if there is no such road, or on an error. */
static bool read_road_call(struct reading *r, const char *name, int count,
                           const cmb_expr *arguments, cmb_expr *e)
{
  static const char suffix[] = ".friction";
  char base[NAME_ROOM];
  const size_t length = strlen(name), tail = sizeof suffix - 1;
  const bool friction = length > tail && strcmp(name + length - tail, suffix) == 0;
  snprintf(base, sizeof base, "%.*s", (int)(friction ? length - tail : length), name);
  const int i = find_item(r->b, r->b->model->roads, base);
  return i >= 0 && count >= 2 && !(friction && count > 2) &&
         road_value(r, i, friction, count, arguments, e);
}

static bool call_of(void *user, const char *name, int count, const cmb_expr *arguments, cmb_expr *e)
{
  struct reading *r = user;
  const cmb_model *m = r->b->model;
  char text[NAME_ROOM];
  for (int k = 0; write_scoped_name(r->formula->scope, name, k, text); k++) {
    int i = find_item(r->b, m->tables, text);
    if (i >= 0 && m->tables[i].arguments == count) {
      *e = cmb_build_table(r->b, &m->tables[i], arguments);
      return true;
    }
    if (read_road_call(r, text, count, arguments, e)) return true;
    if (r->b->status != CMB_OK) return false;
  }
  if (strcmp(name, "delay") != 0) return false;
  if (count == 2) return cmb_build_delay(r->b, r->formula, arguments[0], arguments[1], e);
  cmb_build_fail(r->b, cmb_about_formula(r->formula),
                 "'delay' has %d argument%s; expected two, a sampled value and a time", count,
                 count == 1 ? "" : "s");
  return false;
}

/* Lists in `known` the quantities of the element called `name` or, if `name` has the form ELEMENT.QUANTITY, those of ELEMENT. */
static void list_quantities(const struct reading *r, const char *name, cmb_known_names *known)
{
  char text[NAME_ROOM];
  for (int k = 0; known->count == 0 && write_scoped_name(r->formula->scope, name, k, text); k++) {
    char *dot = strrchr(text, '.');
    cmb_known_quantities(r->b, text, known);
    if (known->count > 0 || !dot) continue;
    *dot = '\0';
    cmb_known_quantities(r->b, text, known);
  }
}

/* Lists in `known` the names that an error message on the unknown name `name` can suggest: the quantities of the element with that name or a
 * similar one or, if there is no such element, all values, elements and constants. Lists none if reading the value of a known name failed,
 * since the parser's message is then discarded. */
static void list_known(const struct reading *r, const char *name, cmb_known_names *known)
{
  char base[NAME_ROOM];
  const char *dot = strrchr(name, '.'), *near = NULL;
  known->count = 0;
  if (r->b->status != CMB_OK) return;
  list_quantities(r, name, known);
  if (known->count > 0) return;
  if (dot) {
    snprintf(base, sizeof base, "%.*s", (int)(dot - name), name);
    cmb_known_elements(r->b, known);
    near = cmb_nearest_name(base, known->names, known->count, sizeof *known->names);
    known->count = 0;
  }
  if (near) {
    cmb_known_quantities(r->b, near, known);
  } else {
    cmb_known_values(r->b, known);
    cmb_known_elements(r->b, known);
    cmb_known_constants(known);
  }
}

/* Returns the known name that is most similar to the unknown name `name`, or NULL if none is similar. user is the struct reading. */
static const char *nearest_of(void *user, const char *name)
{
  cmb_known_names known;
  list_known(user, name, &known);
  return cmb_nearest_name(name, known.names, known.count, sizeof *known.names);
}

/* Returns the end of an error message on the unknown name `name`, such as "expected one of a, b"; NULL if out of memory. user is the struct
 * reading. */
static const char *expected_of(void *user, const char *name)
{
  const struct reading *r = user;
  cmb_known_names known;
  list_known(r, name, &known);
  char *hint = cmb_arena_take(r->b->arena, CMB_HINT_ROOM, 1);
  if (!hint) return NULL;
  return cmb_hint_of_names(name, known.names, known.count, sizeof *known.names, hint);
}

/* Reports the parser's error in a formula, with its position in the model file and with what the formula belongs to. */
static cmb_status fail_formula(cmb_build *b, const cmb_model_formula *formula)
{
  const cmb_error *inner = cmb_error_of(b->ctx);
  cmb_about about = cmb_about_formula(formula);
  about.line = inner->line;
  about.column = inner->column;
  return cmb_build_fail(b, about, "%s", inner->text);
}

static cmb_status read_formula(cmb_build *b, const cmb_model_formula *formula, cmb_level level,
                               cmb_symbols *symbols, cmb_expr *e)
{
  struct reading r = {.b = b, .formula = formula, .level = level, .symbols = symbols};
  const cmb_names names = {.user = &r,
                           .value = value_of,
                           .call = call_of,
                           .nearest = nearest_of,
                           .expected = expected_of,
                           .friction = true};
  CMB_TRY(b->status);
  b->formula_depth++;
  const cmb_place at = cmb_place_of_text(formula->place);
  cmb_status status =
      cmb_formula_parse(b->g, formula->text, strlen(formula->text), at.line, at.column, &names, e);
  b->formula_depth--;
  if (cmb_arena_failed(b->arena) || cmb_graph_status(b->g) != CMB_OK) return CMB_ERROR_MEMORY;
  if (b->status == CMB_ERROR_MEMORY) return CMB_ERROR_MEMORY;
  if (b->waiting >= 0) return CMB_ERROR_INPUT;
  if (b->status == CMB_OK) {
    if (status == CMB_OK) cmb_build_source(b, *e, formula->subject, &formula->place);
    if (status != CMB_ERROR_INPUT) return status;
    return fail_formula(b, formula);
  }
  if (b->failure.status != CMB_OK) cmb_fail_again(b->ctx, &b->failure);
  return b->status; /* an error other than the parser's, whose message is restored */
}

/* Returns the index of the measure (a named formula) whose reading was put off because formulas were nested too deeply, and clears the error
 * that stopped the reading. */
static int take_waiting_measure(cmb_build *b)
{
  const int i = b->waiting;
  b->waiting = -1;
  b->status = CMB_OK;
  cmb_forget_error(b->ctx);
  return i;
}

/* Reads the measure (a named formula) whose reading was put off because formulas were nested too deeply. If it needs a further measure that is
 * put off in the same way, reads that one first; a stack holds the unfinished ones. So measures are read at most MOST_DEPTH levels deep, counted
 * anew in each force or road. */
static cmb_status read_waiting_measures(cmb_build *b, cmb_level level, cmb_symbols *symbols)
{
  cmb_list stack = {0};
  while (b->waiting >= 0 || stack.count > 0) {
    if (b->waiting >= 0) {
      int *next = cmb_list_add(b, &stack, sizeof *next);
      if (!next) return CMB_ERROR_MEMORY;
      *next = take_waiting_measure(b);
      b->measures[*next].state = CMB_WAITING;
    }
    const int top = ((int *)stack.items)[stack.count - 1];
    cmb_status status = read_measure(b, top, level, symbols);
    if (b->waiting >= 0) {
      b->measures[top].state = CMB_WAITING;
      continue;
    }
    CMB_TRY(status);
    stack.count--;
  }
  return CMB_OK;
}

static cmb_status build_formula(cmb_build *b, const cmb_model_formula *formula, cmb_level level,
                                cmb_symbols *symbols, cmb_expr *e)
{
  cmb_status status = read_formula(b, formula, level, symbols, e);
  if (b->formula_depth > 0) return status;
  while (b->waiting >= 0) {
    CMB_TRY(read_waiting_measures(b, level, symbols));
    status = read_formula(b, formula, level, symbols, e);
  }
  return status;
}

/* Parses a formula and builds its expression *e. `level` (time, surface, position, motion, output) limits the quantities that the formula
 * may use. If `symbols` is not NULL, measures (scalar quantities such as a distance) are represented by symbols, which are listed there.
 * While an implicit function is being read, the use of its unknowns in any formula but its own equations is an error. */
cmb_status cmb_build_formula(cmb_build *b, const cmb_model_formula *formula, cmb_level level,
                             cmb_symbols *symbols, cmb_expr *e)
{
  const int before = b->implicit_now;
  b->implicit_now = -1;
  const cmb_status status = build_formula(b, formula, level, symbols, e);
  b->implicit_now = before;
  return status;
}

cmb_status cmb_build_inputs(cmb_build *b)
{
  const cmb_model *m = b->model;
  cmb_expr *whole = cmb_arena_take(b->arena, (size_t)m->input_count + 1, sizeof *whole);
  if (!whole) return CMB_ERROR_MEMORY;
  CMB_TRY(cmb_build_input_symbols(b));
  for (int i = 0; i < m->input_count; i++) {
    cmb_expr e = 0;
    CMB_TRY(cmb_build_formula(b, &m->inputs[i].formula, CMB_LEVEL_TIME, NULL, &e));
    whole[i] = cmb_add(b->g, e, b->u[i]);
  }
  b->input = whole;
  return CMB_OK;
}
