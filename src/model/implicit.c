/*
 * Reads the section `implicit` of a model: unknowns that are the solution of equations, one equation for one unknown or a group of up to six
 * that are solved simultaneously; called by read.c (reader.h).
 *
 *     w: {equation: formula, start: formula, size: number}
 *     touch: {unknowns: {u: {start: formula, size: number}, v: formula}, equations: [formula, formula]}
 *
 * Elsewhere in the model, the unknowns of a group are touch.u and touch.v; its own formulas can call them u and v, too: their scope is
 * "touch.".
 */
#include "base/context.h"
#include "model/reader.h"

static cmb_status read_size(cmb_reader *r, const cmb_scope *s, const cmb_node *map, double *size)
{
  const cmb_node *node = cmb_node_find(map, "size");
  *size = 1;
  if (!node) return CMB_OK;
  CMB_TRY(cmb_read_fixed(r, s, node, "the size of an unknown", size));
  if (*size > 0) return CMB_OK;
  return cmb_reader_fail(r, node->place, "'size' is %g; expected a number greater than 0", *size);
}

/* Reads an implicit function with a single unknown into *x, from {equation: formula, start: formula, size: number}: the equation, the start
 * value for Newton's method and the typical magnitude of the unknown (default 1). */
static cmb_status read_one(cmb_reader *r, const cmb_scope *s, const cmb_node *entry,
                           cmb_model_implicit *x)
{
  static const char *const keys[] = {"equation", "start", "size"};
  const cmb_node *equation, *start;
  CMB_TRY(CMB_CHECK_KEYS(r, entry, keys));
  CMB_TRY(cmb_require(r, entry, "equation", &equation));
  CMB_TRY(cmb_require(r, entry, "start", &start));
  x->count = 1;
  x->unknown[0] = (cmb_model_unknown){.name = x->name};
  CMB_TRY(cmb_read_formula(r, s, equation, &x->equation[0]));
  CMB_TRY(cmb_read_formula(r, s, start, &x->unknown[0].start));
  return read_size(r, s, entry, &x->unknown[0].size);
}

/* Reads one unknown of a group of equations that are solved simultaneously: its start value for Newton's method, u: formula, or u: {start:
 * formula, size: number} with its typical magnitude (default 1). `index` is the number of the group in the model; `scope`, the group's name
 * and a '.', is the prefix with which the formula's names are looked up first. */
static cmb_status read_unknown(cmb_reader *r, const cmb_scope *s, const char *scope,
                               const cmb_node *node, int index, cmb_model_unknown *unknown)
{
  static const char *const keys[] = {"start", "size"};
  const cmb_node *start = node;
  CMB_TRY(cmb_check_name(r, node->key, node->key_place));
  unknown->name = cmb_full_name(r, scope, node->key, "");
  unknown->size = 1;
  CMB_TRY(cmb_define(r, CMB_NAMES_IMPLICIT, unknown->name, index, node->key_place));
  if (node->kind == CMB_NODE_MAP) {
    CMB_TRY(CMB_CHECK_KEYS(r, node, keys));
    CMB_TRY(cmb_require(r, node, "start", &start));
    CMB_TRY(read_size(r, s, node, &unknown->size));
  }
  CMB_TRY(cmb_read_formula(r, s, start, &unknown->start));
  unknown->start.scope = scope;
  return CMB_OK;
}

static cmb_status read_group(cmb_reader *r, const cmb_scope *s, const cmb_node *entry, int index,
                             cmb_model_implicit *x)
{
  static const char *const keys[] = {"unknowns", "equations"};
  const cmb_node *unknowns, *equations;
  const char *scope = cmb_full_name(r, x->name, ".", "");
  if (!scope) return cmb_fail_memory(r->ctx);
  CMB_TRY(CMB_CHECK_KEYS(r, entry, keys));
  CMB_TRY(cmb_require(r, entry, "unknowns", &unknowns));
  CMB_TRY(cmb_expect_map(r, unknowns));
  if (unknowns->count < 1 || unknowns->count > CMB_MOST_UNKNOWNS) {
    return cmb_reader_fail(r, unknowns->place, "the group has %d unknowns; expected 1 to %d",
                           unknowns->count, (int)CMB_MOST_UNKNOWNS);
  }
  CMB_TRY(cmb_require(r, entry, "equations", &equations));
  CMB_TRY(cmb_expect_list(r, equations, unknowns->count, "as many equations as unknowns"));
  const cmb_node *equation = equations->first;
  for (const cmb_node *node = unknowns->first; node; node = node->next) {
    CMB_TRY(read_unknown(r, s, scope, node, index, &x->unknown[x->count]));
    CMB_TRY(cmb_read_formula(r, s, equation, &x->equation[x->count]));
    x->equation[x->count++].scope = scope;
    equation = equation->next;
  }
  return CMB_OK;
}

static cmb_status read_implicit(cmb_reader *r, const cmb_scope *s, const cmb_node *entry)
{
  cmb_model *m = r->model;
  const int index = m->implicit_count++;
  cmb_model_implicit *x = &m->implicits[index];
  x->name = cmb_full_name(r, s->prefix, entry->key, "");
  x->place = entry->key_place;
  CMB_TRY(cmb_define(r, CMB_NAMES_IMPLICIT, x->name, index, entry->key_place));
  CMB_TRY(cmb_expect_map(r, entry));
  x->group = cmb_node_find(entry, "unknowns") || cmb_node_find(entry, "equations");
  return x->group ? read_group(r, s, entry, index, x) : read_one(r, s, entry, x);
}

cmb_status cmb_read_implicits(cmb_reader *r)
{
  cmb_model *m = r->model;
  CMB_TRY(cmb_take_section(r, "implicit", 0, sizeof *m->implicits, &m->implicits));
  return cmb_each_entry(r, "implicit", "implicit function", read_implicit);
}
