/*
 * Reads the section `events` of a model; called by read.c (reader.h). An event is a condition whose change is located in time, and an action
 * at that instant: the event is recorded, the run stops, or velocities or first-order states get new values.
 */
#include "base/context.h"
#include "model/reader.h"

static const char *const directions[] = {"rising", "falling", "both"};
static const int signs[] = {1, -1, 0};

/* Reads the resets of an event (new values that velocities or first-order states get at the event) from the map {NAME: formula, ...}. NAME is
 * usually a velocity or a state but may itself be a formula. Whether it is linear in velocities or states is checked later, when the equations
 * are built. */
static cmb_status read_resets(cmb_reader *r, const cmb_scope *s, const cmb_node *map,
                              cmb_model_event *event)
{
  CMB_TRY(cmb_expect_map(r, map));
  if (map->count == 0) {
    return cmb_reader_fail(r, map->place,
                           "'reset' is empty; expected velocities or states with their new values");
  }
  event->action = CMB_EVENT_RESET;
  event->resets = cmb_arena_take(r->model->arena, (size_t)map->count, sizeof *event->resets);
  if (!event->resets) return cmb_fail_memory(r->ctx);
  for (const cmb_node *value = map->first; value; value = value->next) {
    cmb_model_reset *reset = &event->resets[event->reset_count++];
    const cmb_node target = {.kind = CMB_NODE_TEXT, .text = value->key, .place = value->key_place};
    CMB_TRY(cmb_read_formula(r, s, &target, &reset->target));
    CMB_TRY(cmb_read_formula(r, s, value, &reset->value));
  }
  return CMB_OK;
}

/* Reads the action of an event into event->action: `record`, `stop`, or a map {reset: {NAME: formula, ...}}. node == NULL leaves the
 * default, `record`. */
static cmb_status read_action(cmb_reader *r, const cmb_scope *s, const cmb_node *node,
                              cmb_model_event *event)
{
  static const char *const keys[] = {"reset"}, *const words[] = {"record", "stop"};
  int choice = 0;
  if (!node) return CMB_OK;
  if (node->kind == CMB_NODE_MAP) {
    const cmb_node *reset;
    CMB_TRY(CMB_CHECK_KEYS(r, node, keys));
    CMB_TRY(cmb_require(r, node, "reset", &reset));
    return read_resets(r, s, reset, event);
  }
  CMB_TRY(cmb_read_choice(r, node, words, 2, sizeof *words, &choice));
  event->action = choice == 1 ? CMB_EVENT_STOP : CMB_EVENT_RECORD;
  return CMB_OK;
}

static cmb_status read_event(cmb_reader *r, const cmb_scope *s, const cmb_node *entry)
{
  static const char *const keys[] = {"when", "direction", "action"};
  cmb_model *m = r->model;
  cmb_model_event *event = &m->events[m->event_count];
  const cmb_node *when, *direction = cmb_node_find(entry, "direction");
  int choice = 0;
  CMB_TRY(cmb_expect_map(r, entry));
  CMB_TRY(CMB_CHECK_KEYS(r, entry, keys));
  event->name = cmb_full_name(r, s->prefix, entry->key, "");
  event->place = entry->key_place;
  CMB_TRY(cmb_define(r, CMB_NAMES_EVENT, event->name, m->event_count++, entry->key_place));
  CMB_TRY(cmb_require(r, entry, "when", &when));
  CMB_TRY(cmb_read_formula(r, s, when, &event->when));
  if (direction) CMB_TRY(cmb_read_choice(r, direction, directions, 3, sizeof *directions, &choice));
  event->direction = signs[choice];
  return read_action(r, s, cmb_node_find(entry, "action"), event);
}

cmb_status cmb_read_events(cmb_reader *r)
{
  CMB_TRY(cmb_take_section(r, "events", 0, sizeof *r->model->events, &r->model->events));
  return cmb_each_entry(r, "events", "event", read_event);
}
