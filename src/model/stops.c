/*
 * Reads stops: rigid unilateral contacts, whose gap cannot become negative; called by forces.c and loops.c (reader.h). A contact becomes a
 * stop if it has a coefficient of restitution instead of a stiffness. A loop of the type `stop` is a unilateral constraint given by a
 * formula.
 */
#include "base/context.h"
#include "base/text.h"
#include "model/reader.h"

cmb_status cmb_take_stops(cmb_reader *r)
{
  const int forces = cmb_count_entries(r, "forces");
  return cmb_take_section(r, "loops", forces, sizeof *r->model->stops, &r->model->stops);
}

static cmb_status begin(cmb_reader *r, const cmb_scope *s, const cmb_node *entry,
                        cmb_name_kind kind, cmb_model_stop **stop)
{
  cmb_model *m = r->model;
  *stop = &m->stops[m->stop_count];
  (*stop)->name = cmb_full_name(r, s->prefix, entry->key, "");
  (*stop)->place = entry->key_place;
  return cmb_define(r, kind, (*stop)->name, m->stop_count++, entry->key_place);
}

/* Reads the coefficient of restitution of a unilateral contact, a number from 0 to 1: as the number alone, for Newton's impact law, or from
 * {law: newton | poisson, value: number}. */
static cmb_status read_restitution(cmb_reader *r, const cmb_scope *s, const cmb_node *entry,
                                   cmb_model_stop *stop)
{
  static const char *const keys[] = {"law", "value"}, *const laws[] = {"newton", "poisson"};
  const cmb_node *node, *law;
  int choice = 0;
  CMB_TRY(cmb_require(r, entry, "restitution", &node));
  if (node->kind == CMB_NODE_MAP) {
    CMB_TRY(CMB_CHECK_KEYS(r, node, keys));
    CMB_TRY(cmb_require(r, node, "law", &law));
    CMB_TRY(cmb_read_choice(r, law, laws, 2, sizeof *laws, &choice));
    CMB_TRY(cmb_require(r, node, "value", &node));
  }
  stop->law = choice == 1 ? CMB_LAW_POISSON : CMB_LAW_NEWTON;
  CMB_TRY(cmb_read_fixed(r, s, node, "a coefficient of restitution", &stop->restitution));
  if (stop->restitution >= 0 && stop->restitution <= 1) return CMB_OK;
  return cmb_reader_fail(r, node->place, "'restitution' is %s; expected a number from 0 to 1",
                         cmb_shortest(stop->restitution).text);
}

cmb_status cmb_read_rigid_contact(cmb_reader *r, const cmb_scope *s, const cmb_node *entry)
{
  static const char *const keys[] = {"type", "on", "radius", "surface", "restitution"};
  const cmb_node *on, *surface;
  cmb_model_stop *stop;
  for (const cmb_node *key = entry->first; key; key = key->next) {
    if (cmb_find_name(key->key, keys, 5, sizeof *keys) >= 0) continue;
    return cmb_reader_fail(r, key->key_place,
                           "a contact with 'restitution' is rigid and without friction; expected "
                           "no '%s' beside it",
                           key->key);
  }
  CMB_TRY(begin(r, s, entry, CMB_NAMES_FORCE, &stop));
  stop->contact = true;
  CMB_TRY(cmb_require(r, entry, "on", &on));
  CMB_TRY(cmb_read_contact_point(r, s, on, &stop->b));
  CMB_TRY(cmb_require(r, entry, "surface", &surface));
  CMB_TRY(cmb_read_formula(r, s, surface, &stop->gap));
  CMB_TRY(cmb_read_limited(r, s, entry, "radius", CMB_NOT_NEGATIVE, &stop->radius));
  return read_restitution(r, s, entry, stop);
}

cmb_status cmb_read_stop(cmb_reader *r, const cmb_scope *s, const cmb_node *entry)
{
  const cmb_node *formula;
  cmb_model_stop *stop;
  CMB_TRY(begin(r, s, entry, CMB_NAMES_LOOP, &stop));
  CMB_TRY(cmb_require(r, entry, "formula", &formula));
  CMB_TRY(cmb_read_formula(r, s, formula, &stop->gap));
  return read_restitution(r, s, entry, stop);
}
