/*
 * Reports events and impulses of a run to its observer (run.h).
 */
#include "dae/system.h"
#include "sim/run.h"

#include <math.h>

static cmb_status tell(cmb_simulation *sim, const cmb_event *event)
{
  const cmb_observer *o = &sim->options.observer;
  sim->result.events++;
  sim->last_event = event->name;
  return o->event ? o->event(o->user, event) : CMB_OK;
}

cmb_event_kind cmb_run_kind_of_switch(const cmb_equations *eq, int i)
{
  static const cmb_event_kind kinds[] = {[CMB_SWITCH_NAMED] = CMB_KIND_SWITCH,
                                         [CMB_SWITCH_CONTACT] = CMB_KIND_CONTACT,
                                         [CMB_SWITCH_FORMULA] = CMB_KIND_FORMULA};
  return eq->switch_kinds ? kinds[eq->switch_kinds[i]] : CMB_KIND_SWITCH;
}

cmb_status cmb_run_report_event(cmb_simulation *sim, cmb_event_kind kind, const char *name,
                                int index, int direction)
{
  const cmb_event event = {name, index, sim->events->t, direction, NAN, kind};
  if (index >= 0 && index < sim->eq->ns) sim->unreported[index] = 0;
  return tell(sim, &event);
}

/* Bodies have come to rest on the rule's surface; the regime is the one in which they do. */
cmb_status cmb_run_report_closed_contact(cmb_simulation *sim, int rule, double limit)
{
  const cmb_regime *regime = sim->regime;
  cmb_event event = {"", -1, sim->events->t, 1, limit, CMB_KIND_REST};
  for (int k = 0; k < regime->closed_count; k++) {
    if (regime->closed_rule[k] == rule) event.name = regime->eq->switch_names[sim->eq->ns + k];
  }
  return tell(sim, &event);
}

cmb_status cmb_run_report_impulse(cmb_simulation *sim, const cmb_impulse *impulse)
{
  const cmb_observer *o = &sim->options.observer;
  sim->result.impulses++;
  return o->impulse ? o->impulse(o->user, impulse) : CMB_OK;
}

cmb_status cmb_run_report_impulses(cmb_simulation *sim)
{
  const cmb_left_out *a = sim->left_out_watch;
  const cmb_equations *eq = sim->eq;
  if (!cmb_left_out_can_change(a)) return CMB_OK;
  for (int i = 0; i < eq->ng; i++) {
    if (!cmb_left_out_has_impulse(a, i)) continue;
    const double sign = eq->impulse_signs ? eq->impulse_signs[i] : 1;
    const cmb_impulse impulse = {.name = eq->lambda_names[i],
                                 .t = sim->events->t,
                                 .value = sign * a->impulse[i],
                                 .unit = eq->impulse_units ? eq->impulse_units[i] : "",
                                 .index = i,
                                 .unique = a->impulse_unique[i]};
    CMB_TRY(cmb_run_report_impulse(sim, &impulse));
  }
  return CMB_OK;
}

const char *cmb_run_reset_unit(const cmb_simulation *sim, int reset)
{
  return sim->eq->reset_units ? sim->eq->reset_units[reset] : "";
}

/* Those along what a rule has reset. */
cmb_status cmb_run_report_impact(cmb_simulation *sim, int rule)
{
  const cmb_equations *eq = sim->eq;
  const cmb_rule *r = &eq->rules[rule];
  for (int j = 0; j < r->reset_count; j++) {
    const bool state = eq->reset_of_state && eq->reset_of_state[r->first_reset + j];
    if (state || sim->impact->rho[j] == 0) continue;
    const cmb_impulse impulse = {.name = eq->reset_names[r->first_reset + j],
                                 .t = sim->events->t,
                                 .value = sim->impact->rho[j],
                                 .unit = cmb_run_reset_unit(sim, r->first_reset + j),
                                 .index = -1,
                                 .unique = true};
    CMB_TRY(cmb_run_report_impulse(sim, &impulse));
  }
  return CMB_OK;
}
