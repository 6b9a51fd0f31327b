/*
 * Writes the elements of a model that are drawn as JSON, for the HTML pages of `camber run --html` and `camber view` (report.h): bodies with
 * their centres of mass, points, joints, loops, stops, forces and shapes, all in the design position, with the number of the body to which
 * each is fixed, −1 for the ground. Adds gravity and the formulas of the outputs.
 */
#include "cli/report.h"

#include <stdlib.h>

/* Writes the name of a model element under the JSON key "name" and, unless it is NULL, its type under "type". */
static void put_name(struct cli_json *j, const char *name, const char *type)
{
  cli_json_text(j, "name", name);
  if (type) cli_json_text(j, "type", type);
}

/* Writes the points of element number i of a kind as the JSON list "points": for each the number of its body (−1: ground) and its coordinates
 * in the design position. The list is empty if memory runs out. */
static void put_points(struct cli_json *j, const cmb_model *m, cmb_item_kind kind, int i)
{
  const int count = cmb_model_points(m, kind, i, 0, NULL);
  cmb_body_point *points = calloc((size_t)count + 1, sizeof *points);
  cli_json_open(j, "points", '[');
  if (points) cmb_model_points(m, kind, i, count, points);
  for (int k = 0; points && k < count; k++) {
    cli_json_open(j, NULL, '{');
    cli_json_integer(j, "body", points[k].body);
    cli_json_numbers(j, "at", 3, points[k].at);
    cli_json_close(j, '}');
  }
  cli_json_close(j, ']');
  free(points);
}

/* Writes the bodies of a model as the JSON list "bodies": name, mass, and the centre of mass and points in the design position. */
static void put_bodies(struct cli_json *j, const cmb_model *m)
{
  cmb_body body;
  cli_json_open(j, "bodies", '[');
  for (int i = 0; cmb_body_of(m, i, &body); i++) {
    cli_json_open(j, NULL, '{');
    put_name(j, body.name, NULL);
    cli_json_number(j, "mass", body.mass);
    cli_json_numbers(j, "com", 3, body.com);
    put_points(j, m, CMB_ITEM_BODY, i);
    cli_json_close(j, '}');
  }
  cli_json_close(j, ']');
}

/* Writes the joints of a model as the JSON list "joints": name, type, numbers of the two bodies, and position and axes in the design
 * position. */
static void put_joints(struct cli_json *j, const cmb_model *m)
{
  cmb_joint joint;
  cli_json_open(j, "joints", '[');
  for (int i = 0; cmb_joint_of(m, i, &joint); i++) {
    cli_json_open(j, NULL, '{');
    put_name(j, joint.name, joint.type);
    cli_json_integer(j, "parent", joint.parent);
    cli_json_integer(j, "child", joint.child);
    cli_json_numbers(j, "at", 3, joint.at);
    cli_json_numbers(j, "axes", 9, joint.axes);
    cli_json_close(j, '}');
  }
  cli_json_close(j, ']');
}

/* Writes the elements of a kind (markers, loops or stops) as a JSON list under `key`: names, types and points. Elements without points are
 * omitted. */
static void put_items(struct cli_json *j, const char *key, const cmb_model *m, cmb_item_kind kind)
{
  cmb_item item;
  cli_json_open(j, key, '[');
  for (int i = 0; cmb_model_item(m, kind, i, &item); i++) {
    if (cmb_model_points(m, kind, i, 0, NULL) == 0) continue;
    cli_json_open(j, NULL, '{');
    put_name(j, item.name, item.type);
    put_points(j, m, kind, i);
    cli_json_close(j, '}');
  }
  cli_json_close(j, ']');
}

/* Writes the force elements of a model as the JSON list "forces": name, type, radius, axis, whether they have stiffness and damping, and
 * points. */
static void put_forces(struct cli_json *j, const cmb_model *m)
{
  cmb_force_view force;
  cli_json_open(j, "forces", '[');
  for (int i = 0; cmb_force_of(m, i, &force); i++) {
    cli_json_open(j, NULL, '{');
    put_name(j, force.name, force.type);
    cli_json_number(j, "radius", force.radius);
    cli_json_numbers(j, "axis", 3, force.axis);
    cli_json_bool(j, "elastic", force.elastic);
    cli_json_bool(j, "damped", force.damped);
    put_points(j, m, CMB_ITEM_FORCE, i);
    cli_json_close(j, '}');
  }
  cli_json_close(j, ']');
}

static void put_shapes(struct cli_json *j, const cmb_model *m)
{
  cmb_shape shape;
  cli_json_open(j, "shapes", '[');
  for (int i = 0; cmb_shape_of(m, i, &shape); i++) {
    cli_json_open(j, NULL, '{');
    put_name(j, shape.name, shape.type);
    cli_json_text(j, "colour", shape.colour);
    cli_json_numbers(j, "size", 3, shape.size);
    cli_json_numbers(j, "axes", 9, shape.axes);
    put_points(j, m, CMB_ITEM_SHAPE, i);
    cli_json_close(j, '}');
  }
  cli_json_close(j, ']');
}

/* Writes the outputs of a model as the JSON list "outputs": name, formula and title of each. */
static void put_outputs(struct cli_json *j, const cmb_model *m)
{
  cmb_item item;
  cli_json_open(j, "outputs", '[');
  for (int i = 0; cmb_model_item(m, CMB_ITEM_OUTPUT, i, &item); i++) {
    cli_json_open(j, NULL, '{');
    put_name(j, item.name, NULL);
    cli_json_text(j, "formula", item.text);
    cli_json_text(j, "title", item.title);
    cli_json_close(j, '}');
  }
  cli_json_close(j, ']');
}

void cli_report_scene(struct cli_json *j, const cmb_model *model)
{
  double gravity[3];
  cmb_model_gravity(model, gravity);
  cli_json_open(j, "scene", '{');
  cli_json_numbers(j, "gravity", 3, gravity);
  put_bodies(j, model);
  put_joints(j, model);
  put_items(j, "markers", model, CMB_ITEM_MARKER);
  put_items(j, "loops", model, CMB_ITEM_LOOP);
  put_items(j, "stops", model, CMB_ITEM_STOP);
  put_forces(j, model);
  put_shapes(j, model);
  put_outputs(j, model);
  cli_json_close(j, '}');
}
