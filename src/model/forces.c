/*
 * Reads the section `forces` of a model: springs and dampers along a line or on a coordinate, bushings, loads, contacts with the ground and
 * between bodies, tyres (tyres.c); called by read.c (reader.h).
 *
 * In mirrored copies of a template, the directions of a load are reflected as vectors, sign x; those of a torque as turn sign x. The axes of
 * a bushing are reflected as vectors. A spring has no directions to be reflected: it acts along the line of its points.
 */
#include "base/context.h"
#include "base/text.h"
#include "model/reader.h"

#include <string.h>

/* ---- springs and dampers */

/* Reads the optional force characteristic under `key` into *table: the name of a table, or a table of points [x, force] written in place. A
 * grid of values, written in place or named, is an error. *table is unchanged if the key is missing. */
static cmb_status read_law(cmb_reader *r, const cmb_scope *s, const cmb_node *entry,
                           const char *key, cmb_model_force *f, const cmb_model_table **table)
{
  const cmb_node *node = cmb_node_find(entry, key);
  if (!node) return CMB_OK;
  if (!cmb_node_find(node, "values")) CMB_TRY(cmb_read_named_table(r, s, node, f->name, table));
  if (*table && (*table)->arguments == 1) return CMB_OK;
  return cmb_reader_fail(
      r, node->place,
      "this table has two arguments; expected one argument, with points [x, force]");
}

static cmb_status read_pull(cmb_reader *r, const cmb_scope *s, const cmb_node *entry,
                            const char *formula, cmb_model_force *f)
{
  const cmb_node *text = cmb_node_find(entry, formula);
  CMB_TRY(cmb_read_limited(r, s, entry, "stiffness", CMB_SELDOM_NEGATIVE, &f->stiffness));
  CMB_TRY(cmb_read_optional(r, s, entry, "preload", &f->preload));
  CMB_TRY(cmb_read_limited(r, s, entry, "damping", CMB_SELDOM_NEGATIVE, &f->damping));
  CMB_TRY(read_law(r, s, entry, "spring", f, &f->spring_table));
  CMB_TRY(read_law(r, s, entry, "damper", f, &f->damper_table));
  return text ? cmb_read_formula(r, s, text, &f->formula) : CMB_OK;
}

/* Reads the two points f->a and f->b between which a force element acts, and stores their distance in the design position in *distance. */
static cmb_status read_ends(cmb_reader *r, const cmb_scope *s, const cmb_node *entry,
                            cmb_model_force *f, cmb_number *distance)
{
  cmb_number between[3];
  CMB_TRY(cmb_read_between(r, s, entry, &f->a, &f->b));
  cmb_number_minus3(r->model->graph, f->b.at, f->a.at, between);
  *distance = cmb_number_norm3(r->model->graph, between);
  return CMB_OK;
}

/* Reports an error if the distance between the two end points of a force element is 0 in the design position; `expected` says what is
 * needed instead. The check is repeated when live parameters (which can change after the model is read) change the distance. */
static cmb_status limit_distance(cmb_reader *r, const cmb_node *entry, cmb_number distance,
                                 const char *expected)
{
  if (!(distance.value > 0)) {
    return cmb_reader_fail(r, entry->place,
                           "its two points coincide in the design position; expected %s", expected);
  }
  return cmb_limit_number(r, entry->place, "the distance of its two points", CMB_POSITIVE, NULL,
                          distance);
}

/* Returns whether spring f has only a stiffness k: no free length, preload, damping, table or formula. Its force is then −k times the
 * vector between its ends, which is defined even if the ends coincide. */
static bool is_linear_from_zero(const cmb_model_force *f)
{
  return cmb_is_zero(f->free_length) && cmb_is_zero(f->preload) && cmb_is_zero(f->damping) &&
         !f->spring_table && !f->damper_table && !f->formula.text;
}

static cmb_status read_spring(cmb_reader *r, const cmb_scope *s, const cmb_node *entry,
                              cmb_model_force *f)
{
  cmb_number distance;
  CMB_TRY(read_ends(r, s, entry, f, &distance));
  if (f->a.body == f->b.body) {
    return cmb_reader_fail(r, entry->place, "both ends are on the same body; expected two bodies");
  }
  f->free_length = distance;
  CMB_TRY(cmb_read_limited(r, s, entry, "length", CMB_SELDOM_NEGATIVE, &f->free_length));
  CMB_TRY(read_pull(r, s, entry, "force", f));
  f->from_zero = cmb_node_find(entry, "length") && is_linear_from_zero(f);
  if (f->from_zero) return CMB_OK;
  return limit_distance(r, entry, distance,
                        "a line between them, or 'length: 0' and only a stiffness beside it; with "
                        "damping take a bushing");
}

static cmb_status read_torsion(cmb_reader *r, const cmb_scope *s, const cmb_node *entry,
                               cmb_model_force *f)
{
  const cmb_node *coordinate;
  const cmb_name *found;
  CMB_TRY(cmb_require(r, entry, "coordinate", &coordinate));
  CMB_TRY(cmb_expect_text(r, coordinate, "a coordinate's name"));
  CMB_TRY(cmb_refer(r, s, CMB_NAMES_COORDINATE, coordinate->text, coordinate->place, &found));
  f->coordinate = found->name;
  f->coordinate_place = coordinate->place;
  CMB_TRY(cmb_read_optional(r, s, entry, "angle", &f->free_length));
  return read_pull(r, s, entry, "torque", f);
}

/* ---- bushings */

/* Reads a bushing (an elastic mount between two bodies): its points f->a and f->b, its axes, and stiffness and damping of three
 * translations and three rotations. */
static cmb_status read_bushing(cmb_reader *r, const cmb_scope *s, const cmb_node *entry,
                               cmb_model_force *f)
{
  CMB_TRY(cmb_read_between(r, s, entry, &f->a, &f->b));
  if (f->a.body == f->b.body) {
    return cmb_reader_fail(r, entry->place, "both sides are on the same body; expected two bodies");
  }
  CMB_TRY(cmb_read_axes(r, s, cmb_node_find(entry, "axes"), f->axes));
  CMB_TRY(cmb_read_signed(r, s, entry, "stiffness", 3, f->bushing_stiffness));
  CMB_TRY(cmb_read_signed(r, s, entry, "rotational-stiffness", 3, f->bushing_stiffness + 3));
  CMB_TRY(cmb_read_signed(r, s, entry, "damping", 3, f->bushing_damping));
  return cmb_read_signed(r, s, entry, "rotational-damping", 3, f->bushing_damping + 3);
}

/* ---- loads */

/* Reads a list of three formulas, the components of a force or torque, into formula[]. list == NULL leaves formula[] unchanged. */
static cmb_status read_components(cmb_reader *r, const cmb_scope *s, const cmb_node *list,
                                  cmb_model_formula formula[3])
{
  if (!list) return CMB_OK;
  CMB_TRY(cmb_expect_list(r, list, 3, "a list of three formulas"));
  const cmb_node *entry = list->first;
  for (int i = 0; i < 3; i++, entry = entry->next)
    CMB_TRY(cmb_read_formula(r, s, entry, &formula[i]));
  return CMB_OK;
}

static cmb_status read_load(cmb_reader *r, const cmb_scope *s, const cmb_node *entry,
                            cmb_model_force *f)
{
  static const char *const frames[] = {"ground", "body"};
  const cmb_node *on, *frame = cmb_node_find(entry, "frame"),
                      *reaction = cmb_node_find(entry, "reaction");
  const cmb_node *force = cmb_node_find(entry, "force"), *torque = cmb_node_find(entry, "torque");
  int choice = 0;
  CMB_TRY(cmb_require(r, entry, "on", &on));
  CMB_TRY(cmb_read_anchor(r, s, on, &f->b));
  f->a = (cmb_anchor){.body = CMB_GROUND, .at = {f->b.at[0], f->b.at[1], f->b.at[2]}};
  if (reaction) {
    CMB_TRY(cmb_expect_text(r, reaction, "a body's name"));
    CMB_TRY(cmb_read_body(r, s, reaction->text, reaction->place, &f->a.body));
  }
  if (!force && !torque) {
    return cmb_reader_fail(r, entry->place,
                           "neither 'force' nor 'torque' is given; expected one of them or both");
  }
  if (f->a.body == f->b.body) {
    return cmb_reader_fail(
        r, entry->place,
        "the load and its reaction act on the same body, '%s'; expected two bodies",
        f->b.body == CMB_GROUND ? "ground" : r->model->bodies[f->b.body].name);
  }
  CMB_TRY(read_components(r, s, force, f->force));
  CMB_TRY(read_components(r, s, torque, f->torque));
  if (frame) CMB_TRY(cmb_read_choice(r, frame, frames, 2, sizeof *frames, &choice));
  f->body_frame = choice == 1;
  const cmb_mirror *m = &s->placed->mirror;
  for (int i = 0; i < 9; i++) {
    const double axis = m->axes ? m->axes[i] : i % 4 == 0;
    f->directions[i] = m->sign[i / 3] * axis;
    f->torque_directions[i] = m->turn * m->sign[i / 3] * axis;
  }
  return CMB_OK;
}

/* ---- contacts */

/* Reads the contact point of a body into *at; a point that is fixed to the ground is an error. */
cmb_status cmb_read_contact_point(cmb_reader *r, const cmb_scope *s, const cmb_node *on,
                                  cmb_anchor *at)
{
  CMB_TRY(cmb_read_anchor(r, s, on, at));
  if (at->body != CMB_GROUND) return CMB_OK;
  return cmb_reader_fail(r, on->place,
                         "the point is fixed to the ground; expected a point on a body");
}

static cmb_status read_exponent(cmb_reader *r, const cmb_scope *s, const cmb_node *entry,
                                cmb_model_force *f)
{
  CMB_TRY(cmb_read_limited(r, s, entry, "exponent", CMB_POSITIVE, &f->exponent));
  if (f->exponent.value >= 1) return CMB_OK;
  return cmb_reader_fail(r, cmb_node_find(entry, "exponent")->place,
                         "the exponent is %s; expected 1 or more, since with less the contact is "
                         "infinitely stiff where it begins",
                         cmb_shortest(f->exponent.value).text);
}

static cmb_status read_contact(cmb_reader *r, const cmb_scope *s, const cmb_node *entry,
                               cmb_model_force *f)
{
  const cmb_node *on, *surface, *stiffness;
  f->exponent = cmb_fixed(1);
  f->friction_velocity = cmb_fixed(0.01); /* m/s */
  f->a.body = CMB_GROUND;
  CMB_TRY(cmb_require(r, entry, "on", &on));
  CMB_TRY(cmb_require(r, entry, "surface", &surface));
  CMB_TRY(cmb_require(r, entry, "stiffness", &stiffness));
  CMB_TRY(cmb_read_contact_point(r, s, on, &f->b));
  CMB_TRY(cmb_read_formula(r, s, surface, &f->surface));
  CMB_TRY(cmb_read_limited(r, s, entry, "radius", CMB_NOT_NEGATIVE, &f->radius));
  CMB_TRY(read_exponent(r, s, entry, f));
  CMB_TRY(cmb_read_limited(r, s, entry, "stiffness", CMB_POSITIVE, &f->stiffness));
  CMB_TRY(cmb_read_limited(r, s, entry, "damping", CMB_NOT_NEGATIVE, &f->damping));
  CMB_TRY(cmb_read_contact_friction(r, s, entry, f));
  return cmb_read_limited(r, s, entry, "friction-velocity", CMB_POSITIVE, &f->friction_velocity);
}

/* Reads a Hunt-Crossley contact between two spheres, each centred at a point of its body; f->radius becomes the sum of both radii. */
static cmb_status read_spheres(cmb_reader *r, const cmb_scope *s, const cmb_node *entry,
                               cmb_model_force *f)
{
  const cmb_node *radii, *stiffness;
  cmb_number radius[2], distance;
  CMB_TRY(read_ends(r, s, entry, f, &distance));
  CMB_TRY(limit_distance(r, entry, distance, "a line between them"));
  if (f->a.body == f->b.body) {
    return cmb_reader_fail(r, entry->place,
                           "both spheres are on the same body; expected two bodies");
  }
  CMB_TRY(cmb_require(r, entry, "radii", &radii));
  CMB_TRY(cmb_require(r, entry, "stiffness", &stiffness));
  CMB_TRY(cmb_read_numbers(r, s, radii, 2, radius));
  if (!(radius[0].value >= 0 && radius[1].value >= 0 && radius[0].value + radius[1].value > 0)) {
    return cmb_reader_fail(r, radii->place,
                           "the radii are %g and %g; expected two numbers that are not negative, "
                           "and not both 0",
                           radius[0].value, radius[1].value);
  }
  CMB_TRY(cmb_limit_each(r, radii->place, "a radius", CMB_NOT_NEGATIVE, 2, radius));
  f->radius = cmb_plus(r->model->graph, radius[0], radius[1]);
  f->exponent = cmb_fixed(1.5);
  CMB_TRY(cmb_read_limited(r, s, entry, "stiffness", CMB_POSITIVE, &f->stiffness));
  CMB_TRY(cmb_read_limited(r, s, entry, "dissipation", CMB_NOT_NEGATIVE, &f->damping));
  return read_exponent(r, s, entry, f);
}

/* ---- all types */

/* Reads the entry of one force element of any type and appends it to the model. A contact with the key `restitution` becomes a rigid
 * unilateral contact instead. */
static cmb_status read_force(cmb_reader *r, const cmb_scope *s, const cmb_node *entry)
{
  static cmb_status (*const readers[CMB_FORCE_TYPES])(cmb_reader *, const cmb_scope *,
                                                      const cmb_node *, cmb_model_force *) = {
      [CMB_FORCE_SPRING] = read_spring,   [CMB_FORCE_COORDINATE] = read_torsion,
      [CMB_FORCE_BUSHING] = read_bushing, [CMB_FORCE_LOAD] = read_load,
      [CMB_FORCE_CONTACT] = read_contact, [CMB_FORCE_SPHERES] = read_spheres,
      [CMB_FORCE_TYRE] = cmb_read_tyre};
  cmb_model *m = r->model;
  cmb_model_force *f = &m->forces[m->force_count];
  const cmb_node *type;
  const char *keys[1 + CMB_MOST_FORCE_KEYS] = {"type"};
  int kind;
  CMB_TRY(cmb_expect_map(r, entry));
  CMB_TRY(cmb_require(r, entry, "type", &type));
  CMB_TRY(cmb_read_choice(r, type, cmb_force_rows, CMB_FORCE_TYPES, sizeof *cmb_force_rows, &kind));
  const cmb_force_row *row = &cmb_force_rows[kind];
  memcpy(keys + 1, row->keys, sizeof row->keys);
  CMB_TRY(cmb_check_keys(r, entry, 1 + row->key_count, keys));
  if (cmb_node_find(entry, "restitution")) return cmb_read_rigid_contact(r, s, entry);
  f->name = cmb_full_name(r, s->prefix, entry->key, "");
  f->place = entry->key_place;
  f->mirror = s->placed->mirror;
  f->type = (cmb_force_type)kind;
  CMB_TRY(cmb_define(r, CMB_NAMES_FORCE, f->name, m->force_count++, entry->key_place));
  return readers[kind](r, s, entry, f);
}

cmb_status cmb_read_forces(cmb_reader *r)
{
  CMB_TRY(cmb_take_section(r, "forces", 0, sizeof *r->model->forces, &r->model->forces));
  return cmb_each_entry(r, "forces", "force", read_force);
}
