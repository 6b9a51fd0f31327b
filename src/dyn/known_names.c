/*
 * Lists the names that formulas know, except tables and roads, for messages on unknown ones.
 *
 * Elements are bodies, markers, joints, forces, loops and stops, which have quantities (docs/model-format.md, "Names in formulas"); values
 * are parameters, inputs, measures, states, sampled values, unknowns and coordinates; constants are t, pi and deg.
 */
#include "base/text.h"
#include "dyn/build.h"
#include "model/force_types.h"

#include <stdio.h>
#include <string.h>

static const char of_points[] = "x y z vx vy vz wx wy wz ax ay az alx aly alz "
                                "x_x x_y x_z y_x y_y y_z z_x z_y z_z";
static const char of_wrenches[] = "fx fy fz mx my mz";
static const char of_forces[] = "fx fy fz";
static const char of_lines[] = "length rate force";
static const char of_torsions[] = "length rate torque";
static const char of_tyres[] = "fx fy fz Fx Fy Fz Mx My Mz kappa alpha gamma deflection px py pz";

static void add(cmb_known_names *known, const char *name)
{
  if (known->count < CMB_KNOWN_NAMES) known->names[known->count++] = name;
}

/* Appends a name to the list of known names unless the list has it already. */
static void add_once(cmb_known_names *known, const char *name)
{
  if (cmb_find_name(name, known->names, known->count, sizeof *known->names) < 0) add(known, name);
}

/* Appends ELEMENT.QUANTITY to the list of known names for each word in `quantities`. If memory runs out, the rest is left out. */
static void add_quantities(cmb_build *b, const char *element, const char *quantities,
                           cmb_known_names *known)
{
  for (const char *word = quantities; *word;) {
    const int length = (int)strcspn(word, " ");
    const size_t room = strlen(element) + (size_t)length + 2;
    char *name = cmb_arena_take(b->arena, room, 1);
    if (!name) return;
    snprintf(name, room, "%s.%.*s", element, length, word);
    add(known, name);
    word += length + (word[length] == ' ');
  }
}

static void add_coordinates(const cmb_model_joint *joint, cmb_known_names *known)
{
  for (int n = 0; n < joint->nv; n++) {
    const int at = cmb_joint_coordinate_index(joint, n);
    add(known, at >= 0 ? joint->q_names[at] : joint->v_names[n]);
  }
}

static const char *quantities_of_force(const cmb_model_force *force)
{
  if (force->type == CMB_FORCE_COORDINATE) return of_torsions;
  switch (cmb_force_rows[force->type].results) {
  case CMB_RESULTS_PULL:
  case CMB_RESULTS_PUSH: return of_lines;
  case CMB_RESULTS_PARTS: return of_forces;
  case CMB_RESULTS_WRENCH: return of_wrenches;
  case CMB_RESULTS_TYRE: return of_tyres;
  default: return "";
  }
}

static const char *quantities_of_loop(const cmb_model_loop *loop)
{
  return loop->type == CMB_LOOP_DISTANCE || loop->type == CMB_LOOP_FORMULA ? "force" : of_wrenches;
}

void cmb_known_quantities(cmb_build *b, const char *element, cmb_known_names *known)
{
  const cmb_model *m = b->model;
#define NAMED(items, i) (strcmp(m->items[i].name, element) == 0)
  for (int i = 0; i < m->joint_count; i++) {
    if (!NAMED(joints, i)) continue;
    add_coordinates(&m->joints[i], known);
    add_quantities(b, element, of_wrenches, known);
  }
  for (int i = 0; i < m->body_count; i++)
    if (NAMED(bodies, i)) add_quantities(b, element, of_points, known);
  for (int i = 0; i < m->marker_count; i++)
    if (NAMED(markers, i)) add_quantities(b, element, of_points, known);
  for (int i = 0; i < m->force_count; i++)
    if (NAMED(forces, i)) add_quantities(b, element, quantities_of_force(&m->forces[i]), known);
  for (int i = 0; i < m->loop_count; i++)
    if (NAMED(loops, i)) add_quantities(b, element, quantities_of_loop(&m->loops[i]), known);
  for (int i = 0; i < m->stop_count; i++)
    if (NAMED(stops, i))
      add_quantities(b, element, m->stops[i].contact ? of_forces : "force", known);
#undef NAMED
}

void cmb_known_values(const cmb_build *b, cmb_known_names *known)
{
  const cmb_model *m = b->model;
  for (int i = 0; i < m->parameter_count; i++) add(known, m->parameters[i].name);
  for (int i = 0; i < m->input_count; i++) add(known, m->inputs[i].name);
  for (int i = 0; i < m->measure_count; i++) add(known, m->measures[i].name);
  for (int i = 0; i < m->state_count; i++) add(known, m->states[i].name);
  for (int i = 0; i < m->sampled_count; i++) add(known, m->sampled[i].name);
  for (int i = 0; i < m->implicit_count; i++) {
    for (int k = 0; k < m->implicits[i].count; k++) add(known, m->implicits[i].unknown[k].name);
  }
  for (int i = 0; i < m->joint_count; i++) add_coordinates(&m->joints[i], known);
}

void cmb_known_constants(cmb_known_names *known)
{
  static const char *const constants[] = {"t", "pi", "deg"};
  for (int i = 0; i < 3; i++) add(known, constants[i]);
}

void cmb_known_elements(const cmb_build *b, cmb_known_names *known)
{
  const cmb_model *m = b->model;
  for (int i = 0; i < m->body_count; i++) add_once(known, m->bodies[i].name);
  for (int i = 0; i < m->marker_count; i++) add_once(known, m->markers[i].name);
  for (int i = 0; i < m->joint_count; i++) add_once(known, m->joints[i].name);
  for (int i = 0; i < m->force_count; i++) add_once(known, m->forces[i].name);
  for (int i = 0; i < m->loop_count; i++) add_once(known, m->loops[i].name);
  for (int i = 0; i < m->stop_count; i++) add_once(known, m->stops[i].name);
}
