/*
 * Reads the laws of friction of joints and contacts; called by coordinates.c and forces.c (reader.h).
 *
 *     smooth     −F tanh(v/v₀) of a joint, −μ N u/√(u² + v₀²) of a contact
 *     stick      −F sign(v), and while it sticks (v = 0) anything between −Fs and Fs: stick(v, F, Fs) of expr/modes.c
 */
#include "model/reader.h"

#include "base/text.h"

cmb_status cmb_read_friction_law(cmb_reader *r, const cmb_node *map, bool *sticks)
{
  static const char *const laws[] = {"smooth", "stick"};
  const cmb_node *law = cmb_node_find(map, "law"), *most = cmb_node_find(map, "static");
  int choice = 0;
  if (law) CMB_TRY(cmb_read_choice(r, law, laws, 2, sizeof *laws, &choice));
  *sticks = choice == 1;
  if (*sticks || !most) return CMB_OK;
  return cmb_reader_fail(
      r, most->key_place,
      "'static' belongs to friction that sticks; expected 'law: stick' beside it, or no "
      "'static'");
}

cmb_status cmb_limit_static(cmb_reader *r, const cmb_node *map, cmb_number slipping,
                            cmb_number most)
{
  const cmb_node *node = cmb_node_find(map, "static");
  if (!node) return CMB_OK;
  if (most.value < slipping.value) {
    return cmb_reader_fail(r, node->place,
                           "'static' is %s; expected at least %s, the friction while slipping",
                           cmb_shortest(most.value).text, cmb_shortest(slipping.value).text);
  }
  return cmb_limit_number(r, node->place, "'static' minus the friction while slipping",
                          CMB_NOT_NEGATIVE, NULL, cmb_minus(r->model->graph, most, slipping));
}

/* Reads the additional data of dry friction that can stick, for a contact, from the map `map`: the static coefficient of friction (default: the
 * sliding one) and the direction along which friction acts, which must be given. `entry` is the entry of the contact, in which the key
 * `friction-velocity` is an error. */
static cmb_status read_sticking(cmb_reader *r, const cmb_scope *s, const cmb_node *entry,
                                const cmb_node *map, cmb_model_force *f)
{
  const cmb_node *velocity = cmb_node_find(entry, "friction-velocity");
  const cmb_node *direction = cmb_node_find(map, "direction");
  if (velocity) {
    return cmb_reader_fail(r, velocity->key_place,
                           "'friction-velocity' belongs to smooth friction; expected no "
                           "'friction-velocity' with 'law: stick'");
  }
  f->friction_static = f->friction;
  CMB_TRY(cmb_read_limited(r, s, map, "static", CMB_NOT_NEGATIVE, &f->friction_static));
  CMB_TRY(cmb_limit_static(r, map, f->friction, f->friction_static));
  if (direction) return cmb_read_direction(r, s, direction, f->friction_direction);
  return cmb_reader_fail(r, map->place,
                         "friction of a contact with 'law: stick' acts along one line; expected "
                         "its 'direction' [x, y, z], or 'law: smooth' where the body can slide in "
                         "more than one direction");
}

cmb_status cmb_read_contact_friction(cmb_reader *r, const cmb_scope *s, const cmb_node *entry,
                                     cmb_model_force *f)
{
  static const char *const keys[] = {"coefficient", "law", "static", "direction"};
  const cmb_node *node = cmb_node_find(entry, "friction"), *given;
  if (!node || node->kind != CMB_NODE_MAP) {
    return cmb_read_limited(r, s, entry, "friction", CMB_NOT_NEGATIVE, &f->friction);
  }
  CMB_TRY(CMB_CHECK_KEYS(r, node, keys));
  CMB_TRY(cmb_read_friction_law(r, node, &f->sticks));
  CMB_TRY(cmb_require(r, node, "coefficient", &given));
  CMB_TRY(cmb_read_limited(r, s, node, "coefficient", CMB_NOT_NEGATIVE, &f->friction));
  if (f->sticks) return read_sticking(r, s, entry, node, f);
  given = cmb_node_find(node, "direction");
  if (!given) return CMB_OK;
  return cmb_reader_fail(
      r, given->key_place,
      "'direction' belongs to friction that sticks; expected 'law: stick' beside it, or no "
      "'direction'");
}
