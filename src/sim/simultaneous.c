/*
 * Solves the impacts of contacts that act at the same time (run.h, contacts.h): those with Poisson's law, those without rebound, and all that act
 * upon each other if their impacts one after the other do not come to an end.
 */
#include "base/context.h"
#include "sim/run.h"

#include <math.h>

static cmb_status fail_simultaneous(cmb_simulation *sim, cmb_status status, int rule)
{
  const double t = sim->events->t;
  const char *name = sim->eq->rules[rule].name;
  if (status == CMB_RETRY_SINGULAR) {
    return cmb_fail_about(
        sim->ctx, CMB_ERROR_EVENTS, cmb_run_about_rule(sim, rule),
        "'%s' at t = %.9g: its gap and the other closed gaps cannot open simultaneously: "
        "constraints or moving surfaces press the bodies into each other",
        name, t);
  }
  if (status == CMB_RETRY_NEWTON) {
    return cmb_fail_about(sim->ctx, CMB_ERROR_EVENTS, cmb_run_about_rule(sim, rule),
                          "'%s' at t = %.9g: no impulses were found for %d simultaneous contacts",
                          name, t, sim->contacts.count);
  }
  return cmb_run_final(sim, status, "impacts", t);
}

/* More contacts touch than can be looked at together; where the law does not ask for it they act one by one. */
static cmb_status check_crowd(cmb_simulation *sim, int rule)
{
  const cmb_rule *r = &sim->eq->rules[rule];
  const cmb_contacts *x = &sim->contacts;
  if (x->touching <= x->most || (r->law == CMB_LAW_NEWTON && r->restitution > 0)) return CMB_OK;
  return cmb_fail_about(
      sim->ctx, CMB_ERROR_EVENTS, cmb_run_about_rule(sim, rule),
      "'%s' at t = %.9g: %d gaps are closed, and simultaneous impacts of more than %d "
      "contacts are not solved; expected fewer, or Newton's law with a restitution "
      "above 0",
      r->name, sim->events->t, x->touching, CMB_MOST_CONTACTS);
}

/* What this rule does with others, in the regime that there is: into sim->contacts, if it does not act by itself. */
static cmb_status solve(cmb_simulation *sim, int rule, bool *acted)
{
  const cmb_integrator_options *o = &sim->options.integrator;
  const cmb_events *e = sim->events;
  const cmb_point at = cmb_run_point(sim);
  cmb_contacts *x = &sim->contacts;
  bool ends = false;
  *acted = false;
  CMB_TRY(cmb_contacts_gather(x, sim->impact, &at, e->lambda_found, sim->closed, o->atol, 2));
  if (x->touching > x->most) return check_crowd(sim, rule);
  if (x->count < 2) return CMB_OK;
  cmb_status status = cmb_contacts_act(x, rule, e->v_found, o->rtol, o->atol, acted, &ends);
  sim->sequence = ends && !*acted ? e->t : NAN;
  return status;
}

static double largest_impulse(const cmb_contacts *x)
{
  double largest = 0;
  for (int k = 0; k < x->count; k++) largest = fmax(largest, x->impulse[k]);
  return largest;
}

/* The same; where it is felt by bodies at rest these rest no longer, and their contacts act with the others. */
static cmb_status find_impulses(cmb_simulation *sim, int rule, bool *acted)
{
  const cmb_contacts *x = &sim->contacts;
  for (;;) {
    const cmb_status status = solve(sim, rule, acted);
    const bool alone = sim->regime->closed_count == 0;
    if (status == CMB_OK && (!*acted || alone || cmb_run_is_negligible(sim, x->jump) ||
                             !cmb_run_impact_reaches_contacts(sim, x->tau, largest_impulse(x)))) {
      return CMB_OK;
    }
    if (status != CMB_OK && (alone || status != CMB_RETRY_SINGULAR)) {
      return fail_simultaneous(sim, status, rule);
    }
    CMB_TRY(cmb_run_leave_all(sim, true));
  }
}

/* Events and impulses of those that have acted; the others are no members any more. */
static cmb_status tell(cmb_simulation *sim)
{
  cmb_contacts *x = &sim->contacts;
  const double significant = CMB_SIGNIFICANT * largest_impulse(x);
  for (int k = 0; k < x->count; k++) {
    const int rule = x->rule[k];
    x->member[k] = x->impulse[k] > significant;
    if (!x->member[k]) continue;
    CMB_TRY(cmb_run_check_gap(sim, rule));
    sim->impact->met_here[rule] = true;
    sim->acted++;
    cmb_run_remember_time(sim, rule);
    CMB_TRY(cmb_run_report_event(sim, CMB_KIND_IMPACT, sim->eq->rules[rule].name, -1, 1));
  }
  for (int k = 0; k < x->count; k++) {
    const cmb_rule *r = &sim->eq->rules[x->rule[k]];
    const cmb_impulse impulse = {.name = sim->eq->reset_names[r->first_reset],
                                 .t = sim->events->t,
                                 .value = x->impulse[k],
                                 .unit = cmb_run_reset_unit(sim, r->first_reset),
                                 .index = -1,
                                 .unique = x->unique[k]};
    if (x->member[k]) CMB_TRY(cmb_run_report_impulse(sim, &impulse));
  }
  return CMB_OK;
}

/* Bodies rest on the surface of this rule, unless that has been decided together with others. */
static cmb_status settle(cmb_simulation *sim, int rule)
{
  return sim->active_contacts.decided[rule] ? CMB_OK : cmb_run_close_contact_again(sim, rule);
}

cmb_status cmb_run_act_simultaneously(cmb_simulation *sim, int rule, bool *acted)
{
  cmb_contacts *x = &sim->contacts;
  const cmb_rule *r = &sim->eq->rules[rule];
  *acted = false;
  if (x->most < 2) return CMB_OK;
  if (sim->sequence == sim->events->t && r->law == CMB_LAW_NEWTON && r->restitution > 0) {
    return CMB_OK;
  }
  CMB_TRY(find_impulses(sim, rule, acted));
  if (!*acted) return CMB_OK;
  CMB_TRY(tell(sim));
  const bool small = cmb_run_is_negligible(sim, x->jump);
  for (int i = 0; i < sim->eq->nv; i++) sim->events->v_found[i] += x->jump[i];
  for (int k = 0; k < x->count; k++) {
    cmb_rebound what = CMB_PASSES;
    if (!x->member[k]) continue;
    cmb_status status = cmb_run_classify_rebound(sim, x->rule[k], x->jump, &what);
    CMB_TRY(cmb_run_final(sim, status, "impacts", sim->events->t));
    x->member[k] = what == CMB_STAYS || cmb_contacts_stay(x, k) || (small && what == CMB_REBOUNDS);
  }
  if (!small) CMB_TRY(cmb_run_leave_all(sim, false));
  cmb_active_contacts_forget(&sim->active_contacts);
  for (int k = 0; k < x->count; k++) sim->undecided[x->rule[k]] = x->member[k];
  for (int k = 0; k < x->count; k++) {
    if (x->member[k]) CMB_TRY(settle(sim, x->rule[k]));
    sim->undecided[x->rule[k]] = false;
  }
  return CMB_OK;
}
