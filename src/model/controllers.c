/*
 * Reads the section `controllers` of a model; called by read.c (reader.h). A controller computes sampled values at the times
 * phase + k period; between these they stay constant.
 *
 *     balance:
 *       period: 0.001
 *       phase: 0
 *       update:
 *         u: formula
 *         sum: {value: sum + 0.001*error, start: 0, unit: N s}
 *
 * Formulas use the values by their own names, like states: u, sum.
 */
#include "base/context.h"
#include "model/reader.h"

/* Reads a sampled value (a discrete-time variable of a controller) from the map {value: formula, start: number, unit: text} into *sampled;
 * only `value` is required. */
static cmb_status read_value_map(cmb_reader *r, const cmb_scope *s, const cmb_node *entry,
                                 cmb_model_sampled *sampled)
{
  static const char *const keys[] = {"value", "start", "unit"};
  const cmb_node *value, *start = cmb_node_find(entry, "start");
  CMB_TRY(CMB_CHECK_KEYS(r, entry, keys));
  CMB_TRY(cmb_require(r, entry, "value", &value));
  CMB_TRY(cmb_read_words(r, entry, "unit", "a unit such as N, A or Pa", &sampled->unit));
  if (start) CMB_TRY(cmb_read_fixed(r, s, start, "the start of a sampled value", &sampled->start));
  return cmb_read_formula(r, s, value, &sampled->update);
}

static cmb_status read_value(cmb_reader *r, const cmb_scope *s, const cmb_node *entry,
                             int controller)
{
  cmb_model *m = r->model;
  cmb_model_sampled *sampled = &m->sampled[m->sampled_count];
  CMB_TRY(cmb_check_name(r, entry->key, entry->key_place));
  sampled->name = cmb_full_name(r, s->prefix, entry->key, "");
  if (!sampled->name) return cmb_fail_memory(r->ctx);
  sampled->place = entry->key_place;
  sampled->controller = controller;
  sampled->unit = "";
  CMB_TRY(cmb_define(r, CMB_NAMES_SAMPLED, sampled->name, m->sampled_count++, entry->key_place));
  if (entry->kind == CMB_NODE_MAP) return read_value_map(r, s, entry, sampled);
  return cmb_read_formula(r, s, entry, &sampled->update);
}

static cmb_status read_times(cmb_reader *r, const cmb_scope *s, const cmb_node *entry,
                             cmb_model_controller *c)
{
  const cmb_node *period, *phase = cmb_node_find(entry, "phase");
  CMB_TRY(cmb_require(r, entry, "period", &period));
  CMB_TRY(cmb_read_fixed(r, s, period, "the period of a controller", &c->period));
  if (!(c->period > 0)) {
    return cmb_reader_fail(r, period->place, "'period' is %g; expected a time greater than 0",
                           c->period);
  }
  if (!phase) return CMB_OK;
  CMB_TRY(cmb_read_fixed(r, s, phase, "the phase of a controller", &c->phase));
  if (c->phase >= 0) return CMB_OK;
  return cmb_reader_fail(r, phase->place,
                         "'phase' is %g; expected the time of the first sample, 0 or later",
                         c->phase);
}

static cmb_status read_controller(cmb_reader *r, const cmb_scope *s, const cmb_node *entry)
{
  static const char *const keys[] = {"period", "phase", "update"};
  cmb_model *m = r->model;
  const int index = m->controller_count++;
  cmb_model_controller *c = &m->controllers[index];
  const cmb_node *update;
  c->name = cmb_full_name(r, s->prefix, entry->key, "");
  c->place = entry->key_place;
  CMB_TRY(cmb_define(r, CMB_NAMES_CONTROLLER, c->name, index, entry->key_place));
  CMB_TRY(cmb_expect_map(r, entry));
  CMB_TRY(CMB_CHECK_KEYS(r, entry, keys));
  CMB_TRY(read_times(r, s, entry, c));
  CMB_TRY(cmb_require(r, entry, "update", &update));
  CMB_TRY(cmb_expect_map(r, update));
  if (update->count == 0) {
    return cmb_reader_fail(r, update->place,
                           "'update' is empty; expected sampled values with their formulas");
  }
  for (const cmb_node *value = update->first; value; value = value->next) {
    CMB_TRY(read_value(r, s, value, index));
  }
  return CMB_OK;
}

static cmb_status count_values(cmb_reader *r, const cmb_scope *s, const cmb_node *entry)
{
  const cmb_node *update = entry->kind == CMB_NODE_MAP ? cmb_node_find(entry, "update") : NULL;
  (void)s;
  if (update && update->kind == CMB_NODE_MAP) r->model->sampled_count += update->count;
  return CMB_OK;
}

cmb_status cmb_read_controllers(cmb_reader *r)
{
  cmb_model *m = r->model;
  CMB_TRY(cmb_take_section(r, "controllers", 0, sizeof *m->controllers, &m->controllers));
  CMB_TRY(cmb_each_entry(r, "controllers", "controller", count_values));
  m->sampled = cmb_arena_take(m->arena, (size_t)m->sampled_count, sizeof *m->sampled);
  if (!m->sampled) return cmb_fail_memory(r->ctx);
  m->sampled_count = 0;
  return cmb_each_entry(r, "controllers", "controller", read_controller);
}
