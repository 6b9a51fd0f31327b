/*
 * What names mean in formulas (docs/model-format.md, "Names in formulas"):
 *
 *     t, deg, parameters, inputs, TABLE(x)
 *     ROAD(x, y), ROAD(x, y, radius): its height   ROAD.friction(x, y)
 *     IMPLICIT, or GROUP.UNKNOWN of several: the root of its equations
 *     COORDINATE, COORDINATE.rate or COORDINATE'     MEASURE, MEASURE.rate       of a formula there is no rate
 *     STATE, STATE.rate
 *     SAMPLED, delay(SAMPLED, time)               a value of a controller
 *     SPRING.length, .rate, .force
 *     BODY (its centre of mass) or MARKER  .x .y .z  .vx .vy .vz  .ax .ay .az  .wx .wy .wz  .alx .aly .alz   and x_x .. z_z, the
 *                                          components of its axes
 *     JOINT .fx .fy .fz .mx .my .mz        LOOP, BUSHING the same, DISTANCE.force, MOTION.force
 *     energy, kinetic, potential, power
 *
 * A name of a template instance is looked up in it first, then in what is around it.
 *
 * Formulas of a turned or mirrored copy see the world turned or in the mirror (cmb_mirror), whatever they name: what has a direction counts
 * along the copy's axes. `seen` of a quantity is the sign of a mirrored one, and value_of, which all names go through, puts it in.
 */
#include "base/context.h"
#include "base/text.h"
#include "dyn/build.h"
#include "dyn/road.h"
#include "model/tyre.h"

#include <stdio.h>
#include <string.h>

enum { NAME_ROOM = 300 };

/* Measures that are read one inside the other; where a formula goes deeper, its measures are read before it. */
enum { MOST_DEPTH = 24 };

/* Implicit functions, which cannot wait, may go deeper by this much. */
enum { MOST_IMPLICIT_DEPTH = 24 };

static const double pi = 3.14159265358979323846;

/* One formula being read. */
struct reading {
  cmb_build *b;
  const cmb_model_formula *formula;
  cmb_level level;
  cmb_symbols *symbols;
};

/* What a name stands for: a measure, or an expression and what it takes to know it. */
struct quantity {
  bool is_measure, is_state;
  cmb_measure m;
  cmb_expr e;
  cmb_level level;
  double seen; /* 1; −1: its opposite is what the formula sees */
};

cmb_vector cmb_surface_symbols(cmb_graph *g)
{
  return (cmb_vector){{cmb_input(g, "x of a surface"), cmb_input(g, "y of a surface"),
                       cmb_input(g, "z of a surface")}};
}

/* ---- names of the model */

/* The names of `count` items, which begin with them; the array is their owner. The first of two equal ones counts. */
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

/* Owners of the names of coordinates and of velocities; `kind` is which one of its joint's. */
static const void *coordinates_of(const cmb_build *b)
{
  return &b->model->joint_count;
}

static const void *velocities_of(const cmb_build *b)
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

/* Coordinates, and velocities; one that is no coordinate's rate also goes without the dash at its end. */
static bool add_coordinates(cmb_build *b, int joint)
{
  const cmb_model_joint *j = &b->model->joints[joint];
  for (int n = 0; n < j->nv; n++) {
    const int at = cmb_joint_coordinate_index(j, n);
    if (at >= 0 && !add_joint_name(b, coordinates_of(b), j->q_names[at], joint, n)) return false;
    if (!add_joint_name(b, velocities_of(b), j->v_names[n], joint, n)) return false;
    const size_t length = strlen(j->v_names[n]);
    if (at >= 0 || length == 0 || j->v_names[n][length - 1] != '\'') continue;
    char *plain = cmb_arena_text(b->arena, j->v_names[n]);
    if (!plain) return false;
    plain[length - 1] = '\0';
    if (!add_joint_name(b, velocities_of(b), plain, joint, n)) return false;
  }
  return true;
}

/* Owner of the names of implicit functions' unknowns; `kind` is which one. */
static const void *unknowns_of(const cmb_build *b)
{
  return &b->model->implicit_count;
}

static bool add_unknowns(cmb_build *b, int implicit)
{
  const cmb_model_implicit *x = &b->model->implicits[implicit];
  for (int k = 0; k < x->count; k++) {
    if (!add_joint_name(b, unknowns_of(b), x->unknown[k].name, implicit, k)) return false;
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

/* The number of one of the model's items; -1: there is none of that name. */
static int find(const cmb_build *b, const void *items, const char *name)
{
  const cmb_name *entry = items ? cmb_name_map_find(&b->names, items, name) : NULL;
  return entry ? entry->index : -1;
}

static bool known(struct quantity *q, cmb_expr e, cmb_level level)
{
  *q = (struct quantity){.e = e, .level = level, .seen = 1};
  return true;
}

static bool measured(struct quantity *q, cmb_measure m)
{
  *q = (struct quantity){
      .is_measure = true, .m = m, .e = m.value, .level = CMB_LEVEL_POSITION, .seen = 1};
  return true;
}

/* ---- what formulas of turned and mirrored copies see */

static bool is_mirrored(const cmb_mirror *m)
{
  return m->sign[0] < 0 || m->sign[1] < 0 || m->sign[2] < 0;
}

/* The component of something that has a direction; that of a turn or torque, if it is one. */
static bool seen_along(const struct reading *r, int axis, bool turns, struct quantity *q)
{
  const cmb_mirror *m = &r->formula->mirror;
  q->seen = turns ? m->turn * m->sign[axis] : m->sign[axis];
  return true;
}

/* Unit vector i of the formula's axes. */
static void axis_seen(const struct reading *r, int i, cmb_number axis[3])
{
  double row[3];
  cmb_mirror_axis(&r->formula->mirror, i, row);
  cmb_fix_numbers(3, row, axis);
}

/* The component of a vector along it. */
static cmb_expr part_seen(const struct reading *r, cmb_vector x, int i)
{
  double row[3];
  if (!r->formula->mirror.axes) return x.x[i];
  cmb_mirror_axis(&r->formula->mirror, i, row);
  return cmb_vector_dot(r->b->g, cmb_vector_constant(r->b->g, row), x);
}

static cmb_expr as_seen(cmb_build *b, double sign, cmb_expr e)
{
  return sign < 0 ? cmb_neg(b->g, e) : e;
}

/* ---- bodies and markers */

static int letter(char c)
{
  return c >= 'x' && c <= 'z' ? c - 'x' : -1;
}

/* x, vx, ax, wx, alx and so on of a point with axes (rows) on a body. */
static bool of_site(struct reading *r, const cmb_anchor *at, const cmb_number axes[9],
                    const char *suffix, struct quantity *q)
{
  cmb_build *b = r->b;
  static const cmb_site ground = {.link = CMB_GROUND, .body = CMB_GROUND};
  cmb_site s = cmb_site_of(b->k, at);
  size_t length = strlen(suffix);
  int last = length > 0 ? letter(suffix[length - 1]) : -1;
  cmb_number along[3];
  if (last < 0) return false;
  axis_seen(r, last, along);
  if (length == 1) {
    return measured(q, cmb_measure_component(b->k, ground, s, along)) &&
           seen_along(r, last, false, q);
  }
  if (length == 3 && suffix[1] == '_' && letter(suffix[0]) >= 0) {
    const cmb_number *axis = axes + 3L * letter(suffix[0]);
    return measured(q, cmb_measure_cosine(b->k, ground, along, s, axis)) &&
           seen_along(r, last, false, q);
  }
  const cmb_pose *p = cmb_pose_of(b->k, s.link, CMB_GROUND);
  if (p && length == 3 && suffix[0] == 'a' && suffix[1] == 'l')
    return known(q, part_seen(r, p->aw, last), CMB_LEVEL_OUTPUT) && seen_along(r, last, true, q);
  if (length != 2 || !p) return false;
  cmb_vector arm = cmb_pose_arm(b->k, p, s.x), x;
  switch (suffix[0]) {
  case 'v': x = cmb_point_velocity(b->k, p, arm); break;
  case 'w': x = p->w; break;
  case 'a': x = cmb_point_acceleration(b->k, p, arm); break;
  default: return false;
  }
  known(q, part_seen(r, x, last), suffix[0] == 'a' ? CMB_LEVEL_OUTPUT : CMB_LEVEL_MOTION);
  return seen_along(r, last, suffix[0] == 'w', q);
}

/* x_x .. z_z */
static bool names_axis(const char *suffix)
{
  return strlen(suffix) == 3 && suffix[1] == '_';
}

/* A body's axes are the global ones in the design position, and those of its image are the copy's. */
static bool of_body_axes(struct reading *r, const cmb_anchor *at, const char *suffix,
                         struct quantity *q)
{
  cmb_number axes[9];
  for (int i = 0; i < 3; i++) axis_seen(r, i, axes + 3L * i);
  if (!of_site(r, at, axes, suffix, q)) return false;
  if (names_axis(suffix)) q->seen *= r->formula->mirror.sign[letter(suffix[0])];
  return true;
}

static bool is_same_mirror(const cmb_mirror *one, const cmb_mirror *other)
{
  return one->sign[0] == other->sign[0] && one->sign[1] == other->sign[1] &&
         one->sign[2] == other->sign[2];
}

/* A marker's axes were mirrored when it was read, if it belongs to the copy. Of another one there is no mirror image. */
static bool of_marker(struct reading *r, const cmb_model_marker *m, const char *suffix,
                      struct quantity *q)
{
  const cmb_mirror *mine = &r->formula->mirror;
  if (!of_site(r, &m->anchor, m->axes, suffix, q)) return false;
  if (!names_axis(suffix) || !is_mirrored(mine) || is_same_mirror(mine, &m->mirror)) return true;
  cmb_build_fail(r->b, cmb_about_formula(r->formula),
                 "the axes of marker '%s' have no mirror image, since it is not mirrored as this "
                 "formula is; expected those of a body, or of a marker in the template",
                 m->name);
  return false;
}

static bool of_body(struct reading *r, const char *base, const char *suffix, struct quantity *q)
{
  const cmb_model *m = r->b->model;
  int i = find(r->b, m->bodies, base);
  if (i >= 0) {
    cmb_anchor at = {.body = i};
    memcpy(at.at, m->bodies[i].com, sizeof at.at);
    return of_body_axes(r, &at, suffix, q);
  }
  i = find(r->b, m->markers, base);
  return i >= 0 && of_marker(r, &m->markers[i], suffix, q);
}

/* ---- coordinates */

/* Coordinates with Euler parameters count along the axes of their copy. */
static bool counts_along(struct reading *r, const char *name, const cmb_name *entry,
                         struct quantity *q)
{
  const cmb_model_joint *j = &r->b->model->joints[entry->index];
  q->seen = cmb_coordinate_sign(&r->formula->mirror, j, entry->kind);
  if (q->seen != 0) return true;
  cmb_build_fail_axes(r->b, cmb_about_formula(r->formula), name);
  return false;
}

static bool of_joint(struct reading *r, const char *name, bool rate, struct quantity *q)
{
  cmb_build *b = r->b;
  const cmb_name *entry = cmb_name_map_find(&b->names, coordinates_of(b), name);
  const bool position = entry && !rate;
  if (!entry && !rate) entry = cmb_name_map_find(&b->names, velocities_of(b), name);
  if (!entry) return false;
  const cmb_measure m = cmb_build_coordinate(b, entry->index, entry->kind);
  if (position)
    measured(q, m);
  else
    known(q, m.rate, CMB_LEVEL_MOTION);
  return counts_along(r, name, entry, q);
}

/* ---- states */

/* The second state of a tyre is a deflection to the left. */
static bool is_lateral(const cmb_model *m, int state)
{
  const int tyre = m->states[state].tyre;
  return tyre > 0 && m->forces[tyre - 1].tyre->first_state + 1 == state;
}

static bool of_state(struct reading *r, const char *name, bool rate, struct quantity *q)
{
  cmb_build *b = r->b;
  const int i = find(b, b->model->states, name);
  if (i < 0 || (rate && cmb_build_state_rate(b, i) != CMB_OK)) return false;
  known(q, rate ? b->state_rate[i] : b->state[i],
        rate && b->state_late[i] ? CMB_LEVEL_OUTPUT : CMB_LEVEL_MOTION);
  q->is_state = !rate;
  if (is_lateral(b->model, i)) q->seen = r->formula->mirror.turn;
  return true;
}

/* ---- sampled values */

static bool of_sampled(cmb_build *b, const char *name, struct quantity *q)
{
  const int i = find(b, b->model->sampled, name);
  return i >= 0 && known(q, cmb_sampled_at(b, i)->x, CMB_LEVEL_TIME);
}

/* ---- measures and forces */

static cmb_status read_formula(cmb_build *b, const cmb_model_formula *formula, cmb_level level,
                               cmb_symbols *symbols, cmb_expr *e);

/* A measure is read once, and again only for another kind of formula. Its own reading checks the level. */
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
    return known(q, b->measures[i].e, CMB_LEVEL_TIME);
  }
  if (state == CMB_IN_WORK || state == CMB_WAITING) {
    cmb_build_fail(b, cmb_about_part(&m->place, "measure", m->name),
                   "measure '%s' depends on itself", m->name);
    return false;
  }
  if (b->formula_depth >= MOST_DEPTH) { /* ends all readings, down to the first */
    b->waiting = i;
    b->status = CMB_ERROR_INPUT;
    return false;
  }
  cmb_status status = read_measure(b, i, r->level, r->symbols);
  if (b->status == CMB_OK)
    b->status = status; /* the parser will only know that there is no value */
  return status == CMB_OK && known(q, b->measures[i].e, CMB_LEVEL_TIME);
}

static bool of_measure(struct reading *r, const char *name, bool rate, struct quantity *q)
{
  cmb_build *b = r->b;
  const cmb_model *model = b->model;
  int i = find(b, model->measures, name);
  if (i < 0) return false;
  const cmb_model_measure *m = &model->measures[i];
  if (!m->distance) return !rate && formula_measure(r, i, q);
  cmb_measure d = cmb_measure_distance(b->k, cmb_site_of(b->k, &m->a), cmb_site_of(b->k, &m->b));
  return rate ? known(q, d.rate, CMB_LEVEL_MOTION) : measured(q, d);
}

/* ---- implicit functions */

/* Its equations, and after them the start values, which know nothing of the unknowns. */
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

/* What the expression layer says of the equations, at their place. */
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

/* An unknown that is asked for while it is being read: a symbol in its own equations, a mistake elsewhere. */
static bool unknown_in_work(struct reading *r, int i, int k, struct quantity *q)
{
  cmb_build *b = r->b;
  const cmb_model_implicit *x = &b->model->implicits[i];
  if (b->implicit_now == i && !b->implicits[i].starts) {
    return known(q, b->implicits[i].unknown[k], CMB_LEVEL_TIME);
  }
  const cmb_about about = cmb_about_part(&x->place, "implicit function", x->name);
  if (b->implicit_now == i) {
    cmb_build_fail(b, about, "a start value of '%s' depends on its unknowns", x->name);
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

static bool of_implicit(struct reading *r, const char *name, struct quantity *q)
{
  cmb_build *b = r->b;
  const cmb_name *entry = cmb_name_map_find(&b->names, unknowns_of(b), name);
  if (!entry) return false;
  const int i = entry->index, k = entry->kind;
  const cmb_read_implicit *m = &b->implicits[i];
  if (m->state == CMB_IN_WORK) return unknown_in_work(r, i, k, q);
  const bool good = m->state == CMB_BUILT && m->level == (int)r->level &&
                    m->outputs == b->outputs && m->symbols == (r->symbols ? r->symbols->number : 0);
  if (good) b->reads_late = b->reads_late || m->late;
  if (good) return known(q, m->w[k], CMB_LEVEL_TIME);
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
    b->status = status; /* the parser will only know that there is no value */
  return status == CMB_OK && known(q, m->w[k], CMB_LEVEL_TIME);
}

/* What a force along a line pulls or pushes with. */
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

/* Of a spring, a torsion or two spheres: .length, .rate, .force. */
static bool of_line(struct reading *r, int force, bool pushes, const char *suffix,
                    struct quantity *q)
{
  cmb_build *b = r->b;
  const cmb_model_force *f = &b->model->forces[force];
  if (strcmp(suffix, "length") == 0) {
    measured(q, cmb_build_spring_measure(b, force));
  } else if (strcmp(suffix, "rate") == 0) {
    known(q, cmb_build_spring_measure(b, force).rate, CMB_LEVEL_MOTION);
  } else {
    if (strcmp(suffix, "force") != 0 && strcmp(suffix, "torque") != 0) return false;
    if (cmb_build_force(b, force) != CMB_OK) return false;
    known(q, force_along(b, force, pushes), CMB_LEVEL_MOTION);
  }
  const cmb_name *entry = f->type == CMB_FORCE_COORDINATE
                              ? cmb_name_map_find(&b->names, coordinates_of(b), f->coordinate)
                              : NULL;
  return !entry || counts_along(r, f->coordinate, entry, q);
}

static bool of_contact_point(struct reading *r, int force, int axis, struct quantity *q)
{
  static const char *const parts[] = {"px", "py", "pz"};
  cmb_vector at;
  for (int i = 0; i < 3; i++) {
    if (!cmb_build_tyre_result(r->b, force, parts[i], &at.x[i])) return false;
  }
  return known(q, part_seen(r, at, axis), CMB_LEVEL_MOTION) && seen_along(r, axis, false, q);
}

static bool of_tyre(struct reading *r, int force, const char *suffix, struct quantity *q)
{
  cmb_expr e;
  if (cmb_build_force(r->b, force) != CMB_OK) return false;
  if (!cmb_build_tyre_result(r->b, force, suffix, &e)) return false;
  known(q, e, CMB_LEVEL_MOTION);
  if (suffix[0] == 'p') return of_contact_point(r, force, suffix[1] - 'x', q);
  static const char *const sides[] = {"Fy", "Mx", "Mz", "alpha", "gamma"}; /* left is right there */
  if (cmb_find_name(suffix, sides, 5, sizeof *sides) >= 0) q->seen = r->formula->mirror.turn;
  return true;
}

static bool of_force(struct reading *r, const char *base, const char *suffix, struct quantity *q)
{
  cmb_build *b = r->b;
  const cmb_model *model = b->model;
  int i = find(b, model->forces, base);
  if (i < 0) return false;
  const cmb_force_results results = cmb_force_rows[model->forces[i].type].results;
  const bool pushes = results == CMB_RESULTS_PUSH;
  if (pushes || results == CMB_RESULTS_PULL) return of_line(r, i, pushes, suffix, q);
  static const char *const parts[] = {"fx", "fy", "fz"};
  int part = cmb_find_name(suffix, parts, 3, sizeof *parts);
  if (results == CMB_RESULTS_TYRE && part < 0) return of_tyre(r, i, suffix, q);
  if (part < 0 || (results != CMB_RESULTS_PARTS && results != CMB_RESULTS_TYRE)) return false;
  if (cmb_build_force(b, i) != CMB_OK) return false;
  const cmb_action *a = cmb_action_at(b, b->first_action[i]);
  return a->measure.base == CMB_GROUND &&
         known(q, part_seen(r, a->measure.side[0].force, part), CMB_LEVEL_MOTION) &&
         seen_along(r, part, false, q);
}

/* The result of a bushing, joint, stop or loop. */
static bool reaction_of(cmb_build *b, const char *base, const char *suffix, cmb_expr *e,
                        cmb_level *level)
{
  const cmb_model *m = b->model;
  int i = find(b, m->forces, base);
  *level = i >= 0 ? CMB_LEVEL_MOTION : CMB_LEVEL_OUTPUT;
  if (i >= 0) {
    return cmb_force_rows[m->forces[i].type].results == CMB_RESULTS_WRENCH &&
           cmb_build_bushing_force(b, i, suffix, e);
  }
  i = find(b, m->joints, base);
  if (i >= 0) return cmb_build_reaction(b, i, suffix, e);
  i = find(b, m->stops, base);
  if (i >= 0) return cmb_build_push(b, i, suffix, e);
  i = find(b, m->loops, base);
  return i >= 0 && cmb_build_loop_force(b, i, suffix, e);
}

static bool of_reaction(struct reading *r, const char *base, const char *suffix, struct quantity *q)
{
  const int axis = strlen(suffix) == 2 ? letter(suffix[1]) : -1;
  cmb_vector x;
  cmb_expr e = 0;
  cmb_level level;
  if (!reaction_of(r->b, base, suffix, &e, &level)) return false;
  if (axis < 0) return known(q, e, level);
  for (int i = 0; i < 3; i++) {
    const char part[] = {suffix[0], (char)('x' + i), '\0'};
    if (!reaction_of(r->b, base, part, &x.x[i], &level)) return false;
  }
  return known(q, part_seen(r, x, axis), level) && seen_along(r, axis, suffix[0] == 'm', q);
}

/* ---- all of them */

static bool plain_name(struct reading *r, const char *name, struct quantity *q)
{
  cmb_build *b = r->b;
  const cmb_model *m = b->model;
  if (strcmp(name, "deg") == 0) return known(q, cmb_constant(b->g, pi / 180), CMB_LEVEL_TIME);
  int i = find(b, m->parameters, name);
  if (i >= 0)
    return known(q, cmb_number_expr(b->g, b->model->parameters[i].number), CMB_LEVEL_TIME);
  i = find(b, m->inputs, name);
  if (i >= 0 && b->input) return known(q, b->input[i], CMB_LEVEL_TIME);
  return of_joint(r, name, false, q) || of_state(r, name, false, q) || of_sampled(b, name, q) ||
         of_measure(r, name, false, q) || of_implicit(r, name, q);
}

/* The name as it stands, without regard to scopes. */
static bool full_name(struct reading *r, const char *name, struct quantity *q)
{
  char base[NAME_ROOM];
  const char *dot = strrchr(name, '.');
  if (plain_name(r, name, q)) return true;
  if (!dot || (size_t)(dot - name) >= sizeof base || r->b->status != CMB_OK) return false;
  memcpy(base, name, (size_t)(dot - name));
  base[dot - name] = '\0';
  const char *suffix = dot + 1;
  if (strcmp(suffix, "rate") == 0 &&
      (of_joint(r, base, true, q) || of_state(r, base, true, q) || of_measure(r, base, true, q))) {
    return true;
  }
  if (of_body(r, base, suffix, q)) return true;
  return r->b->status == CMB_OK &&
         (of_force(r, base, suffix, q) || of_reaction(r, base, suffix, q));
}

/* scope + name, for the scope and those around it; the last one is "". */
static bool scoped(const char *scope, const char *name, int outwards, char text[NAME_ROOM])
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
  for (int k = 0; scoped(r->formula->scope, name, k, text); k++) {
    if (full_name(r, text, q)) return true;
    if (r->b->status != CMB_OK) return false;
  }
  return false;
}

/* The symbol that stands for a measure in this formula. */
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

static bool too_much(struct reading *r, const char *name, const struct quantity *q)
{
  static const char *const what[] = {"", "", "a position", "a velocity or force",
                                     "known only when the motion is"};
  static const char *const where[] = {"a function of time", "a surface", "a constraint",
                                      "a force or event", ""};
  cmb_build_fail(r->b, cmb_about_formula(r->formula), "'%s' is %s and cannot stand in %s", name,
                 q->is_state ? "a state" : what[q->level], where[r->level]);
  return false;
}

static bool has_coordinate(const cmb_model_joint *joint, const char *name)
{
  for (int i = 0; i < joint->nq; i++) {
    if (strcmp(joint->q_names[i], name) == 0) return true;
  }
  return false;
}

/* A coordinate that has no value in formulas is an Euler parameter; any other name is for the parser to complain of. */
static bool refuse_euler_parameter(struct reading *r, const char *name)
{
  const cmb_model *m = r->b->model;
  char text[NAME_ROOM];
  for (int k = 0; r->b->status == CMB_OK && scoped(r->formula->scope, name, k, text); k++) {
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

/* Energies and the power. While forces are still being built the rate of a state only asks whether there is such a quantity. */
static bool total_of(cmb_build *b, const char *name, cmb_expr *e)
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
  if (r->level == CMB_LEVEL_SURFACE && name[0] && !name[1] && letter(name[0]) >= 0) {
    const int axis = letter(name[0]);
    const cmb_expr x = part_seen(r, cmb_surface_symbols(r->b->g), axis);
    *e = as_seen(r->b, r->formula->mirror.sign[axis], x);
    return true;
  }
  if (r->level == CMB_LEVEL_OUTPUT && total_of(r->b, name, e)) return true;
  if (!resolve(r, name, &q)) return refuse_euler_parameter(r, name);
  cmb_level allowed = r->level == CMB_LEVEL_SURFACE ? CMB_LEVEL_TIME : r->level;
  if (q.level > allowed) return too_much(r, name, &q);
  r->b->reads_late = r->b->reads_late || q.level == CMB_LEVEL_OUTPUT;
  *e = as_seen(r->b, q.seen, q.is_measure && r->symbols ? symbol_of(r, &q.m) : q.e);
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

/* A road has global x, y and z, whoever asks. A wheel that touches it from below is none. */
static bool is_above_road(const struct reading *r, int road, bool disc)
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

/* Global x and y of a place that the formula has. */
static void place_on_road(const struct reading *r, const cmb_expr *own, cmb_expr at[2])
{
  cmb_build *b = r->b;
  const cmb_mirror *m = &r->formula->mirror;
  const cmb_expr x[2] = {as_seen(b, m->sign[0], own[0]), as_seen(b, m->sign[1], own[1])};
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
  if (!is_above_road(r, road, radius != 0)) return false;
  place_on_road(r, arguments, at);
  const cmb_status status = cmb_build_road_value(b, road, friction, at, radius, e);
  if (b->status == CMB_OK)
    b->status = status; /* the parser will only know that there is no value */
  if (!friction) *e = as_seen(b, m->sign[2], *e);
  return status == CMB_OK;
}

/* ROAD(x, y), ROAD(x, y, radius) or ROAD.friction(x, y) under its full name. */
static bool road_of(struct reading *r, const char *name, int count, const cmb_expr *arguments,
                    cmb_expr *e)
{
  static const char suffix[] = ".friction";
  char base[NAME_ROOM];
  const size_t length = strlen(name), tail = sizeof suffix - 1;
  const bool friction = length > tail && strcmp(name + length - tail, suffix) == 0;
  snprintf(base, sizeof base, "%.*s", (int)(friction ? length - tail : length), name);
  const int i = find(r->b, r->b->model->roads, base);
  return i >= 0 && count >= 2 && !(friction && count > 2) &&
         road_value(r, i, friction, count, arguments, e);
}

static bool call_of(void *user, const char *name, int count, const cmb_expr *arguments, cmb_expr *e)
{
  struct reading *r = user;
  const cmb_model *m = r->b->model;
  char text[NAME_ROOM];
  for (int k = 0; scoped(r->formula->scope, name, k, text); k++) {
    int i = find(r->b, m->tables, text);
    if (i >= 0 && m->tables[i].arguments == count) {
      *e = cmb_build_table(r->b, &m->tables[i], arguments);
      return true;
    }
    if (road_of(r, text, count, arguments, e)) return true;
    if (r->b->status != CMB_OK) return false;
  }
  if (strcmp(name, "delay") != 0) return false;
  if (count == 2) return cmb_build_delay(r->b, r->formula, arguments[0], arguments[1], e);
  cmb_build_fail(r->b, cmb_about_formula(r->formula),
                 "delay takes a sampled value and a time; there %s %d", count == 1 ? "is" : "are",
                 count);
  return false;
}

/* The nearest of all names that have a value of their own. */
static const char *nearest_of(void *user, const char *name)
{
  struct reading *r = user;
  const cmb_model *m = r->b->model;
  const char *names[1024];
  int count = 0;
  const int most = (int)(sizeof names / sizeof *names);
  for (int i = 0; i < m->parameter_count && count < most; i++)
    names[count++] = m->parameters[i].name;
  for (int i = 0; i < m->input_count && count < most; i++) names[count++] = m->inputs[i].name;
  for (int i = 0; i < m->measure_count && count < most; i++) names[count++] = m->measures[i].name;
  for (int i = 0; i < m->state_count && count < most; i++) names[count++] = m->states[i].name;
  for (int i = 0; i < m->sampled_count && count < most; i++) names[count++] = m->sampled[i].name;
  for (int i = 0; i < m->implicit_count; i++) {
    for (int k = 0; k < m->implicits[i].count && count < most; k++)
      names[count++] = m->implicits[i].unknown[k].name;
  }
  for (int i = 0; i < m->joint_count; i++) {
    for (int n = 0; n < m->joints[i].nv && count < most; n++) {
      const int at = cmb_joint_coordinate_index(&m->joints[i], n);
      names[count++] = at >= 0 ? m->joints[i].q_names[at] : m->joints[i].v_names[n];
    }
  }
  return cmb_nearest_name(name, names, count, sizeof *names);
}

/* The parser's failure with file and subject. */
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
  const cmb_names names = {&r, value_of, call_of, nearest_of, .friction = true};
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
  return b->status; /* the parser has words of its own */
}

/* A reading was given up for the measure that it waits for. */
static int take_waiting(cmb_build *b)
{
  const int i = b->waiting;
  b->waiting = -1;
  b->status = CMB_OK;
  cmb_forget_error(b->ctx);
  return i;
}

/* Reads the measure that a formula waits for, and before it those that it waits for in turn: each MOST_DEPTH further on. */
static cmb_status read_waiting(cmb_build *b, cmb_level level, cmb_symbols *symbols)
{
  cmb_list stack = {0};
  while (b->waiting >= 0 || stack.count > 0) {
    if (b->waiting >= 0) {
      int *next = cmb_list_add(b, &stack, sizeof *next);
      if (!next) return CMB_ERROR_MEMORY;
      *next = take_waiting(b);
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
    CMB_TRY(read_waiting(b, level, symbols));
    status = read_formula(b, formula, level, symbols, e);
  }
  return status;
}

/* What others build while an implicit function is read, a force for its equation, must not have its unknowns in it. */
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
