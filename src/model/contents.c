/*
 * Implements the queries of camber/model.h for programs that use the library: how many bodies, joints, outputs and so on a model has, and
 * their names, types, points and values, copied from the model's internal records.
 */
#include "model/reader.h"
#include "model/tir.h"
#include "model/tyre.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

/* The first members of the records of all kinds. */
struct head {
  const char *name;
  cmb_place place;
};

#define BEGINS_WITH_HEAD(type)                                                                     \
  _Static_assert(offsetof(type, name) == offsetof(struct head, name) &&                            \
                     offsetof(type, place) == offsetof(struct head, place),                        \
                 "the record has name and place first")

BEGINS_WITH_HEAD(cmb_model_parameter);
BEGINS_WITH_HEAD(cmb_model_body);
BEGINS_WITH_HEAD(cmb_model_marker);
BEGINS_WITH_HEAD(cmb_model_joint);
BEGINS_WITH_HEAD(cmb_model_loop);
BEGINS_WITH_HEAD(cmb_model_input);
BEGINS_WITH_HEAD(cmb_model_table);
BEGINS_WITH_HEAD(cmb_model_measure);
BEGINS_WITH_HEAD(cmb_model_state);
BEGINS_WITH_HEAD(cmb_model_implicit);
BEGINS_WITH_HEAD(cmb_model_controller);
BEGINS_WITH_HEAD(cmb_model_sampled);
BEGINS_WITH_HEAD(cmb_model_force);
BEGINS_WITH_HEAD(cmb_model_stop);
BEGINS_WITH_HEAD(cmb_model_output);
BEGINS_WITH_HEAD(cmb_model_event);
BEGINS_WITH_HEAD(cmb_model_shape);
BEGINS_WITH_HEAD(cmb_model_template);
BEGINS_WITH_HEAD(cmb_model_road);

struct list {
  const void *records;
  int count;
  size_t size;
};

#define LIST(of, n)                                                                                \
  (struct list)                                                                                    \
  {                                                                                                \
    m->of, m->n, sizeof *m->of                                                                     \
  }

static struct list list_of(const cmb_model *m, cmb_item_kind kind)
{
  if (!m) return (struct list){0};
  switch (kind) {
  case CMB_ITEM_PARAMETER: return LIST(parameters, parameter_count);
  case CMB_ITEM_BODY: return LIST(bodies, body_count);
  case CMB_ITEM_MARKER: return LIST(markers, marker_count);
  case CMB_ITEM_JOINT: return LIST(joints, joint_count);
  case CMB_ITEM_LOOP: return LIST(loops, loop_count);
  case CMB_ITEM_INPUT: return LIST(inputs, input_count);
  case CMB_ITEM_TABLE: return LIST(tables, table_count);
  case CMB_ITEM_MEASURE: return LIST(measures, measure_count);
  case CMB_ITEM_STATE: return LIST(states, state_count);
  case CMB_ITEM_FORCE: return LIST(forces, force_count);
  case CMB_ITEM_STOP: return LIST(stops, stop_count);
  case CMB_ITEM_OUTPUT: return LIST(outputs, output_count);
  case CMB_ITEM_EVENT: return LIST(events, event_count);
  case CMB_ITEM_SHAPE: return LIST(shapes, shape_count);
  case CMB_ITEM_IMPLICIT: return LIST(implicits, implicit_count);
  case CMB_ITEM_CONTROLLER: return LIST(controllers, controller_count);
  case CMB_ITEM_SAMPLED: return LIST(sampled, sampled_count);
  case CMB_ITEM_TEMPLATE: return LIST(templates, template_count);
  case CMB_ITEM_ROAD: return LIST(roads, road_count);
  default: return (struct list){0};
  }
}

static bool head_of(const cmb_model *m, cmb_item_kind kind, int i, struct head *head)
{
  const struct list list = list_of(m, kind);
  if (i < 0 || i >= list.count) return false;
  memcpy(head, (const char *)list.records + (size_t)i * list.size, sizeof *head);
  return true;
}

int cmb_model_count(const cmb_model *model, cmb_item_kind kind)
{
  return list_of(model, kind).count;
}

int cmb_model_find(const cmb_model *model, cmb_item_kind kind, const char *name)
{
  struct head head;
  for (int i = 0; name && head_of(model, kind, i, &head); i++) {
    if (strcmp(head.name, name) == 0) return i;
  }
  return -1;
}

/* ---- what all kinds have */

/* Returns the text of a formula; "" if the model does not give the formula. */
static const char *text_of(const cmb_model_formula *formula)
{
  return formula->text ? formula->text : "";
}

static void describe_parameter(const cmb_model_parameter *p, cmb_item *item)
{
  item->text = p->text;
  item->unit = p->unit;
  item->title = p->title;
  item->value = p->number.value;
  item->live = p->live;
}

static void describe_state(const cmb_model_state *s, cmb_item *item)
{
  item->text = text_of(&s->rate);
  item->unit = s->unit;
  item->title = s->title;
  item->value = s->start.value;
}

static void describe_sampled(const cmb_model_sampled *s, cmb_item *item)
{
  item->text = text_of(&s->update);
  item->unit = s->unit;
  item->value = s->start;
}

static void describe_output(const cmb_model_output *o, cmb_item *item)
{
  item->text = text_of(&o->formula);
  item->unit = o->unit;
  item->title = o->title;
}

static void describe_loop(const cmb_model_loop *l, cmb_item *item)
{
  if (l->motion) item->kind = "motion";
  item->type = cmb_loop_type_text(l);
  if (l->second.text) return; /* a gear has two coordinates and a ratio, but no formula */
  item->text = text_of(l->motion                      ? &l->minus
                       : l->type == CMB_LOOP_DISTANCE ? &l->length
                                                      : &l->formula);
}

/* Fills in those members of *item (type, text of the formula, unit, title, value, live) that only some kinds of model elements have, from
 * element number i of this kind, such as joint i. All other members are unchanged, except that `kind` becomes "motion" for a loop
 * constraint that prescribes a motion. */
static void describe(const cmb_model *m, cmb_item_kind kind, int i, cmb_item *item)
{
  switch (kind) {
  case CMB_ITEM_PARAMETER: describe_parameter(&m->parameters[i], item); break;
  case CMB_ITEM_JOINT: item->type = cmb_joint_rows[m->joints[i].type].name; break;
  case CMB_ITEM_LOOP: describe_loop(&m->loops[i], item); break;
  case CMB_ITEM_INPUT: item->text = text_of(&m->inputs[i].formula); break;
  case CMB_ITEM_MEASURE:
    item->type = m->measures[i].distance ? "distance" : "formula";
    item->text = text_of(&m->measures[i].formula);
    break;
  case CMB_ITEM_STATE: describe_state(&m->states[i], item); break;
  case CMB_ITEM_FORCE:
    item->type = cmb_force_rows[m->forces[i].type].name;
    item->text = text_of(m->forces[i].type == CMB_FORCE_CONTACT ? &m->forces[i].surface
                                                                : &m->forces[i].formula);
    break;
  case CMB_ITEM_STOP:
    item->type = m->stops[i].contact ? "contact" : "stop";
    item->text = text_of(&m->stops[i].gap);
    break;
  case CMB_ITEM_OUTPUT: describe_output(&m->outputs[i], item); break;
  case CMB_ITEM_EVENT: item->text = text_of(&m->events[i].when); break;
  case CMB_ITEM_IMPLICIT:
    if (!m->implicits[i].group) item->text = text_of(&m->implicits[i].equation[0]);
    break;
  case CMB_ITEM_CONTROLLER: item->value = m->controllers[i].period; break;
  case CMB_ITEM_SAMPLED: describe_sampled(&m->sampled[i], item); break;
  case CMB_ITEM_ROAD:
    item->type = cmb_road_rows[m->roads[i].type].name;
    item->text = text_of(&m->roads[i].height);
    break;
  case CMB_ITEM_TEMPLATE: item->title = m->templates[i].title; break;
  case CMB_ITEM_SHAPE: item->type = cmb_shape_type_text(m->shapes[i].type); break;
  default: break;
  }
}

bool cmb_model_item(const cmb_model *model, cmb_item_kind kind, int i, cmb_item *item)
{
  static const char *const texts[CMB_ITEM_KINDS] = {
      "parameter",         "body",       "marker",        "joint",    "loop",   "input", "table",
      "measure",           "state",      "force",         "stop",     "output", "event", "shape",
      "implicit function", "controller", "sampled value", "template", "road"};
  struct head head;
  if (!item || !head_of(model, kind, i, &head)) return false;
  *item = (cmb_item){.kind = texts[kind],
                     .name = head.name,
                     .type = "",
                     .text = "",
                     .unit = "",
                     .title = "",
                     .value = NAN,
                     .file = head.place.file,
                     .line = head.place.line,
                     .column = head.place.column,
                     .key = head.place.key ? head.place.key : ""};
  describe(model, kind, i, item);
  return true;
}

/* ---- points */

/* Copies the body numbers and positions of the first `room` of `count` anchors (points fixed to bodies) to points[], and returns count.
 * Copies nothing if points is NULL. */
static int copy_points(int count, const cmb_anchor *const *anchors, int room,
                       cmb_body_point *points)
{
  for (int i = 0; i < count && i < room && points; i++) {
    points[i].body = anchors[i]->body;
    cmb_values_of(3, anchors[i]->at, points[i].at);
  }
  return count;
}

/* Writes pointers to the anchors (points fixed to bodies) at which force element f acts into anchors[] and returns their number: 0 for a
 * force on a joint coordinate; 1, f->b, for a load, a contact with the ground or a tyre; 2, f->a and f->b, for all other types. */
static int force_anchors(const cmb_model_force *f, const cmb_anchor *anchors[2])
{
  if (f->type == CMB_FORCE_COORDINATE) return 0;
  const bool one =
      f->type == CMB_FORCE_LOAD || f->type == CMB_FORCE_CONTACT || f->type == CMB_FORCE_TYRE;
  anchors[0] = one ? &f->b : &f->a;
  anchors[1] = &f->b;
  return one ? 1 : 2;
}

static int shape_points(const cmb_model_shape *shape, int room, cmb_body_point *points)
{
  for (int i = 0; i < shape->point_count && i < room && points; i++) {
    const cmb_anchor *const anchor = &shape->points[i];
    copy_points(1, &anchor, 1, &points[i]);
  }
  return shape->point_count;
}

static int rod_ends(const cmb_model_body *b, int body, int room, cmb_body_point *points)
{
  const int count = b->is_rod ? 2 : 0;
  for (int i = 0; i < count && i < room && points; i++) {
    points[i].body = body;
    cmb_values_of(3, b->ends[i], points[i].at);
  }
  return count;
}

int cmb_model_points(const cmb_model *model, cmb_item_kind kind, int i, int room,
                     cmb_body_point *points)
{
  const cmb_anchor *anchors[2] = {NULL, NULL};
  struct head head;
  int count = 0;
  if (!head_of(model, kind, i, &head)) return 0;
  if (kind == CMB_ITEM_BODY) return rod_ends(&model->bodies[i], i, room, points);
  if (kind == CMB_ITEM_SHAPE) return shape_points(&model->shapes[i], room, points);
  if (kind == CMB_ITEM_FORCE) {
    count = force_anchors(&model->forces[i], anchors);
  } else if (kind == CMB_ITEM_MARKER) {
    anchors[count++] = &model->markers[i].anchor;
  } else if (kind == CMB_ITEM_STOP && model->stops[i].contact) {
    anchors[count++] = &model->stops[i].b;
  } else if (kind == CMB_ITEM_MEASURE && model->measures[i].distance) {
    anchors[count++] = &model->measures[i].a;
    anchors[count++] = &model->measures[i].b;
  } else if (kind == CMB_ITEM_LOOP && model->loops[i].type != CMB_LOOP_FORMULA) {
    anchors[count++] = &model->loops[i].a;
    anchors[count++] = &model->loops[i].b;
  }
  return copy_points(count, anchors, room, points);
}

/* ---- bodies, joints, shapes */

/* Returns the number of the joint whose child is body number `body`; every body has exactly one. The search begins at the joint with the
 * same number, because most models list joints and bodies in the same order. */
static int joint_under(const cmb_model *model, int body)
{
  int joint = body < model->joint_count ? body : 0;
  while (model->joints[joint].child != body) joint = (joint + 1) % model->joint_count;
  return joint;
}

bool cmb_body_of(const cmb_model *model, int i, cmb_body *body)
{
  if (!body || !model || i < 0 || i >= model->body_count) return false;
  const cmb_model_body *b = &model->bodies[i];
  *body = (cmb_body){.name = b->name, .mass = b->mass.value};
  cmb_values_of(3, b->com, body->com);
  cmb_values_of(9, b->inertia, body->inertia);
  body->joint = joint_under(model, i);
  body->parent = model->joints[body->joint].parent;
  return true;
}

bool cmb_joint_of(const cmb_model *model, int i, cmb_joint *joint)
{
  _Static_assert((int)CMB_JOINT_MOST_Q == (int)CMB_MOST_COORDINATES &&
                     (int)CMB_JOINT_MOST_V == (int)CMB_MOST_VELOCITIES,
                 "a joint has room for all its coordinates");
  if (!joint || !model || i < 0 || i >= model->joint_count) return false;
  const cmb_model_joint *j = &model->joints[i];
  *joint = (cmb_joint){.name = j->name,
                       .type = cmb_joint_rows[j->type].name,
                       .parent = j->parent,
                       .child = j->child,
                       .nq = j->nq,
                       .nv = j->nv};
  cmb_values_of(3, j->at, joint->at);
  for (int k = 0; k < 3; k++) cmb_values_of(3, j->axes[k], joint->axes + 3 * (ptrdiff_t)k);
  cmb_values_of(j->nq, j->q_start, joint->q_start);
  cmb_values_of(j->nv, j->v_start, joint->v_start);
  memcpy(joint->q_names, j->q_names, sizeof j->q_names);
  memcpy(joint->v_names, j->v_names, sizeof j->v_names);
  return true;
}

bool cmb_shape_of(const cmb_model *model, int i, cmb_shape *shape)
{
  if (!shape || !model || i < 0 || i >= model->shape_count) return false;
  const cmb_model_shape *s = &model->shapes[i];
  *shape = (cmb_shape){.name = s->name,
                       .type = cmb_shape_type_text(s->type),
                       .colour = s->colour,
                       .point_count = s->point_count};
  cmb_values_of(3, s->size, shape->size);
  cmb_values_of(9, s->axes, shape->axes);
  return true;
}

static double tyre_radius(const cmb_model_tyre *tyre)
{
  return tyre->tir ? tyre->tir->UNLOADED_RADIUS : tyre->radius.value;
}

bool cmb_force_of(const cmb_model *model, int i, cmb_force_view *force)
{
  if (!force || !model || i < 0 || i >= model->force_count) return false;
  const cmb_model_force *f = &model->forces[i];
  *force = (cmb_force_view){.name = f->name,
                            .type = cmb_force_rows[f->type].name,
                            .radius = f->tyre ? tyre_radius(f->tyre) : f->radius.value};
  if (f->tyre) cmb_values_of(3, f->tyre->axis, force->axis);
  if (f->type != CMB_FORCE_SPRING) return true;
  force->elastic = f->stiffness.value != 0 || f->spring_table;
  force->damped = f->damping.value != 0 || f->damper_table || f->formula.text;
  return true;
}

void cmb_model_gravity(const cmb_model *model, double gravity[3])
{
  if (!gravity) return;
  memset(gravity, 0, 3 * sizeof *gravity);
  if (model) cmb_values_of(3, model->gravity, gravity);
}
