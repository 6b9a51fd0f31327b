/*
 * Reads the section `bodies` of a model; called by read.c (reader.h). A body has its mass, centre of mass and inertia as numbers, or is a
 * homogeneous rod, box, cylinder or sphere (inertia.c), or is a massless frame.
 */
#include "model/reader.h"

#include <string.h>

static cmb_status read_massless(cmb_reader *r, const cmb_scope *s, const cmb_node *entry,
                                cmb_model_body *b)
{
  static const char *const keys[] = {"massless", "com", "markers"};
  const cmb_node *com = cmb_node_find(entry, "com");
  CMB_TRY(CMB_CHECK_KEYS(r, entry, keys));
  return com ? cmb_read_position(r, s, com, b->com) : CMB_OK;
}

static cmb_status is_massless(cmb_reader *r, const cmb_node *entry, bool *massless)
{
  static const char *const words[] = {"false", "true"};
  const cmb_node *node = cmb_node_find(entry, "massless");
  int choice = 0;
  if (node) CMB_TRY(cmb_read_choice(r, node, words, 2, sizeof *words, &choice));
  *massless = choice == 1;
  return CMB_OK;
}

static cmb_status read_body(cmb_reader *r, const cmb_scope *s, const cmb_node *entry)
{
  cmb_model *m = r->model;
  cmb_model_body *b = &m->bodies[m->body_count];
  bool massless;
  const cmb_node *mass;
  CMB_TRY(cmb_expect_map(r, entry));
  b->name = cmb_full_name(r, s->prefix, entry->key, "");
  b->place = entry->key_place;
  CMB_TRY(cmb_define(r, CMB_NAMES_BODY, b->name, m->body_count, entry->key_place));
  m->body_count++;
  CMB_TRY(is_massless(r, entry, &massless));
  if (massless) return read_massless(r, s, entry, b);
  CMB_TRY(cmb_check_body_keys(r, entry));
  CMB_TRY(cmb_require(r, entry, "mass", &mass));
  CMB_TRY(cmb_read_number(r, s, mass, &b->mass));
  CMB_TRY(cmb_limit_number(r, mass->place, "the mass", CMB_POSITIVE,
                           "a number greater than 0, or 'massless: true'", b->mass));
  return cmb_read_inertia(r, s, entry, b);
}

cmb_status cmb_read_bodies(cmb_reader *r)
{
  CMB_TRY(cmb_take_section(r, "bodies", 0, sizeof *r->model->bodies, &r->model->bodies));
  return cmb_each_entry(r, "bodies", "body", read_body);
}
