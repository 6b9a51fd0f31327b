/*
 * Applies the rules of a model at an event (run.h), one after the other, in the order in which the equations list them. What one rule does to the
 * velocities may make the condition of the next one true. Contacts that act at the same time are in simultaneous.c.
 */
#include "base/context.h"
#include "dae/system.h"
#include "sim/run.h"

#include <math.h>
#include <string.h>

static const double SHORT =
    1e-3; /* what is left of a series of impacts beside its first interval */

/* A grazing impact changes velocities by this many times the rate of the gap, at the least: to look at others would only cost time. */
static const double AMPLIFIED = 1e3;

cmb_status cmb_run_fail_endless(cmb_simulation *sim)
{
  return cmb_fail_about(
      sim->ctx, CMB_ERROR_EVENTS, cmb_about_time(sim->events->t, NULL, NULL),
      "events lead to each other without end at t = %.9g, the last was '%s'; expected events whose "
      "resets do not make the conditions of others true again; where bodies meet, take stops or "
      "contacts with 'restitution' in place of events that reset velocities",
      sim->events->t, sim->last_event);
}

cmb_about cmb_run_about_rule(const cmb_simulation *sim, int rule)
{
  const cmb_rule *r = &sim->eq->rules[rule];
  return cmb_about_time(sim->events->t, r->gap ? "stop" : "event", r->name);
}

/* The constraints leave no room for what a rule resets. */
static cmb_status refuse(const cmb_simulation *sim, int rule)
{
  return cmb_fail_about(
      sim->ctx, CMB_ERROR_EVENTS,
      cmb_about_time(sim->events->t, "event", sim->eq->rules[rule].name),
      "event '%s' at t = %.9g: what it resets cannot take the new values: constraints prevent it, "
      "or the quantities that are reset depend on each other",
      sim->eq->rules[rule].name, sim->events->t);
}

/* Whether the impact of a rule is felt on a surface that bodies rest on. */
static bool rule_reaches_contacts(const cmb_simulation *sim, int rule)
{
  const cmb_impact *x = sim->impact;
  double largest = 0;
  for (int j = 0; j < sim->eq->rules[rule].reset_count; j++) {
    largest = fmax(largest, fabs(x->rho[j]));
  }
  return cmb_run_impact_reaches_contacts(sim, x->tau, largest);
}

/* Returns whether the impact of a rule changes velocities by far more than what it resets, as where the constraints nearly hold that. */
static bool is_amplified(const cmb_simulation *sim, int rule)
{
  const cmb_rule *r = &sim->eq->rules[rule];
  double change = 0, jump = 0;
  for (int j = 0; j < r->reset_count; j++) {
    change = fmax(change, fabs(sim->impact->change[r->first_reset + j]));
  }
  for (int k = 0; k < sim->eq->nv; k++) jump = fmax(jump, fabs(sim->impact->jump[k]));
  return jump > AMPLIFIED * change;
}

/* The impact of a rule, into sim->impact. Where it is felt, bodies rest no longer (*left): each of their contacts has a law of its own
 * for impacts, and the impact is to be found anew. *held: what it asks for is so already, but for rounding, because bodies rest
 * elsewhere, as the fourth corner of a box is held by the other three; or a gap is only touched, and lifted. */
cmb_status cmb_run_find_impact(cmb_simulation *sim, int rule, bool *held, bool *left)
{
  const cmb_integrator_options *o = &sim->options.integrator;
  const cmb_events *e = sim->events;
  const bool alone = sim->regime->closed_count == 0;
  bool unseen = false;
  cmb_status status =
      cmb_impact_solve(sim->impact, rule, e->t, e->q_found, e->v_found, e->lambda_found);
  *left = false;
  *held = status == CMB_RETRY_SINGULAR && !alone &&
          !cmb_impact_asks_for_more(sim->impact, rule, e->v_found, o->rtol, o->atol);
  if (*held) return CMB_OK;
  if (status == CMB_RETRY_SINGULAR || (status == CMB_OK && is_amplified(sim, rule))) {
    CMB_TRY(cmb_run_final(sim, cmb_run_is_touched(sim, rule, held), "resets", e->t));
    if (*held) return cmb_run_lift(sim, rule);
  }
  if (status == CMB_RETRY_SINGULAR && alone) return refuse(sim, rule);
  if (status != CMB_RETRY_SINGULAR) {
    CMB_TRY(cmb_run_final(sim, status, "resets", e->t));
    if (cmb_run_is_negligible(sim, sim->impact->jump)) return CMB_OK;
    if (!rule_reaches_contacts(sim, rule)) return CMB_OK;
    CMB_TRY(cmb_run_final(sim, cmb_run_is_unseen(sim, rule, &unseen), "resets", e->t));
    if (unseen) return CMB_OK; /* bodies would leave their rests in turns, without end */
  }
  *left = true;
  return cmb_run_leave_all(sim, true);
}

/* A rule whose impacts accumulate must be one that bodies can rest on. */
static cmb_status check_accumulation(cmb_simulation *sim, int rule)
{
  const cmb_rule_times *times = &sim->times[rule];
  const double limit = cmb_run_accumulation_of(times);
  bool along = false;
  double off;
  if (!(limit - sim->events->t <= SHORT * times->longest)) return CMB_OK;
  if (sim->eq->rules[rule].surface) {
    cmb_status status = cmb_run_acts_along_surface(sim, rule, &along, &off);
    CMB_TRY(cmb_run_final(sim, status, "rest", sim->events->t));
  }
  return along ? CMB_OK : cmb_run_fail_accumulating(sim, rule, limit);
}

/* Velocities after the impact of a rule, and whether it is the last. */
static cmb_status make_impact(cmb_simulation *sim, int rule)
{
  const cmb_rule *r = &sim->eq->rules[rule];
  cmb_events *e = sim->events;
  cmb_rebound what = CMB_REBOUNDS;
  const bool small = cmb_run_is_negligible(sim, sim->impact->jump);
  cmb_run_remember_time(sim, rule);
  CMB_TRY(check_accumulation(sim, rule));
  sim->acted++;
  CMB_TRY(cmb_run_report_impact(sim, rule));
  for (int k = 0; k < sim->eq->nv; k++) e->v_found[k] += sim->impact->jump[k];
  if (r->surface && r->direction != 0) {
    CMB_TRY(cmb_run_final(sim, cmb_run_classify_rebound(sim, rule, sim->impact->jump, &what),
                          "resets", e->t));
  }
  sim->rebounds[rule] = what != CMB_PASSES && r->surface && r->direction != 0 && !r->gap;
  sim->reversed[rule] = sim->reversed[rule] || sim->rebounds[rule];
  if (!small) CMB_TRY(cmb_run_leave_all(sim, false));
  if (what == CMB_STAYS || (small && what == CMB_REBOUNDS)) {
    return cmb_run_close_contact_again(sim, rule);
  }
  return CMB_OK;
}

/* Bodies cannot be inside of each other, where a run begins or where a gap jumps. The surfaces have been found. */
cmb_status cmb_run_check_found_gap(cmb_simulation *sim, int rule)
{
  const cmb_equations *eq = sim->ev->eq;
  const cmb_events *e = sim->events;
  const double u = sim->ev->u[rule];
  if (!(u > cmb_run_leeway(sim) * cmb_surface_size(sim->ev, rule))) return CMB_OK;
  return cmb_fail_about(sim->ctx, e->t > sim->t_start ? CMB_ERROR_EVENTS : CMB_ERROR_INCONSISTENT,
                        cmb_about_leading(cmb_about_time(e->t, "stop", eq->rules[rule].name)),
                        "its gap is %.6g at t = %.9g%s; expected 0 or more", -u, e->t,
                        e->t > sim->t_start ? "" : ", where the run begins");
}

cmb_status cmb_run_check_gap(cmb_simulation *sim, int rule)
{
  CMB_TRY(cmb_run_final(sim, cmb_run_find_surfaces(sim), "stops", sim->events->t));
  return cmb_run_check_found_gap(sim, rule);
}

/* Whether bodies have rested on the surface of a rule where this event begins. */
static bool was_contact_closed(const cmb_simulation *sim, int rule)
{
  const cmb_equations *eq = sim->eq;
  const bool *reads = eq->rule_reads + (ptrdiff_t)rule * eq->ns;
  for (int i = 0; i < eq->ns; i++) {
    if (reads[i] && sim->was_closed[i]) return true;
  }
  return false;
}

/* Whether bodies part that have rested on the surface of a rule, or that parted already where this event begins, or that the rule has turned back
 * at this event: an impact takes them away from it, and only rounding has put them behind it, which is no reason to act. Gaps know it by their
 * own law. Bodies that have just come are another matter: two events may have the same condition, and the second one acts, too, where the
 * first has turned them back. */
static cmb_status look_at_parting(cmb_simulation *sim, int i, bool *part)
{
  const cmb_rule *rule = &sim->eq->rules[i];
  const double *v = sim->events->v_found, *begin = sim->v_begin;
  double u, rate, second, before, size = 0, *row = sim->v_work;
  *part = false;
  if (rule->gap || !rule->surface || rule->direction == 0 || rule->reset_count == 0) return CMB_OK;
  CMB_TRY(cmb_run_surface_here(sim, i, &u, &rate, &second, row));
  before = rate;
  for (int k = 0; k < sim->eq->nv; k++) {
    before += row[k] * (begin[k] - v[k]);
    size += fabs(row[k]) * fmax(fabs(v[k]), fabs(begin[k]));
  }
  if (!(u <= cmb_run_leeway(sim) * cmb_surface_size(sim->ev, i))) return CMB_OK;
  *part = rate < -CMB_SIGNIFICANT * size &&
          (before < -CMB_SIGNIFICANT * size || was_contact_closed(sim, i));
  *part = *part || (sim->reversed[i] && rate <= 0);
  return CMB_OK;
}

cmb_status cmb_run_warn_of_rule(cmb_simulation *sim, int i)
{
  const char *warning = sim->eq->rules[i].warning;
  if (sim->eq->rules[i].fails) {
    return cmb_fail_about(sim->ctx, CMB_ERROR_EQUATIONS, cmb_run_about_rule(sim, i),
                          "'%s' at t = %.9g is %s", sim->eq->rules[i].name, sim->events->t,
                          warning);
  }
  if (!warning || sim->warned[i]) return CMB_OK;
  sim->warned[i] = true;
  cmb_log(sim->ctx, CMB_LOG_WARNING, "from t = %.9g on %s", sim->events->t, warning);
  return CMB_OK;
}

/* What a rule asks for, where its condition has just changed. */
static cmb_status apply_rule(cmb_simulation *sim, int i)
{
  const cmb_rule *rule = &sim->eq->rules[i];
  bool held = false, left = true, acted = false, part;
  CMB_TRY(
      cmb_run_final(sim, look_at_parting(sim, i, &part), "conditions of events", sim->events->t));
  if (part) {
    sim->held_open[i] = true;
    cmb_run_disarm_rule(sim, i);
    return cmb_run_lift(sim, i);
  }
  while (left) {
    if (rule->gap) CMB_TRY(cmb_run_act_simultaneously(sim, i, &acted));
    if (acted) return CMB_OK;
    CMB_TRY(cmb_run_find_impact(sim, i, &held, &left));
  }
  sim->held_open[i] = held;
  if (held) {
    cmb_run_disarm_rule(sim, i);
    return rule->gap ? cmb_run_choose_active_contacts(sim) : CMB_OK;
  }
  const cmb_impact *x = sim->impact;
  if (rule->gap && x->change[rule->first_reset] < 0)
    return CMB_OK; /* another one has parted them */
  if (rule->gap) CMB_TRY(cmb_run_check_gap(sim, i));
  const cmb_event_kind kind = rule->gap ? CMB_KIND_IMPACT : CMB_KIND_CONDITION;
  CMB_TRY(cmb_run_report_event(sim, kind, rule->name, -1, x->met_here[i] ? 1 : -1));
  if (x->met_here[i]) CMB_TRY(cmb_run_warn_of_rule(sim, i));
  if (rule->action == CMB_EVENT_STOP) sim->result.stopped_by = rule->name;
  return rule->reset_count > 0 ? make_impact(sim, i) : CMB_OK;
}

cmb_status cmb_run_find_met_conditions(cmb_simulation *sim)
{
  const cmb_events *e = sim->events;
  cmb_status status =
      cmb_conditions(sim->ev, e->t, e->q_found, e->v_found, e->lambda_found, sim->impact->met_here);
  return cmb_run_final(sim, status, "conditions of events", e->t);
}

/* Whether the surface of an event that has turned bodies back is approached again. */
static cmb_status is_approached(cmb_simulation *sim, int i, bool *approached)
{
  double u, rate, second, size = 0, *row = sim->v_work;
  CMB_TRY(cmb_run_surface_here(sim, i, &u, &rate, &second, row));
  for (int k = 0; k < sim->eq->nv; k++) size += fabs(row[k] * sim->events->v_found[k]);
  *approached =
      u <= cmb_run_leeway(sim) * cmb_surface_size(sim->ev, i) && rate > CMB_SIGNIFICANT * size;
  return CMB_OK;
}

/* Whether a rule has acted, and an impact after it has turned the bodies towards its surface again: its condition is met anew, although no
 * switching function has another sign than before. */
static cmb_status is_met_anew(cmb_simulation *sim, int i, bool *anew)
{
  cmb_impact *x = sim->impact;
  const cmb_events *e = sim->events;
  const cmb_rule *rule = &sim->eq->rules[i];
  bool approached = true;
  *anew = false;
  const bool met = x->met[i] == (rule->direction > 0);
  const bool may = rule->gap ? met : sim->reversed[i] || (sim->rebounds[i] && met);
  if (!may || sim->closed[i]) return CMB_OK;
  if (!rule->gap) CMB_TRY(is_approached(sim, i, &approached));
  if (!approached) return CMB_OK;
  cmb_status status = cmb_impact_solve(x, i, e->t, e->q_found, e->v_found, e->lambda_found);
  if (status == CMB_RETRY_SINGULAR) return CMB_OK; /* the constraints hold it */
  CMB_TRY(status);
  if (rule->gap && x->change[rule->first_reset] <= 0) return CMB_OK;
  *anew =
      !rule->gap || !cmb_run_is_negligible(sim, x->jump); /* an event's last impact is its rest */
  return CMB_OK;
}

static cmb_status look_for_repeated(cmb_simulation *sim, bool *any)
{
  *any = false;
  for (int i = 0; i < sim->eq->rule_count; i++) {
    bool anew;
    CMB_TRY(cmb_run_final(sim, is_met_anew(sim, i, &anew), "resets", sim->events->t));
    if (!anew) continue;
    cmb_run_arm_rule(sim, i);
    *any = true;
  }
  return CMB_OK;
}

/* Rules whose conditions have changed, one after the other in their order; the velocities follow each. */
cmb_status cmb_run_apply_rules(cmb_simulation *sim)
{
  const int count = sim->eq->rule_count;
  bool again = count > 0;
  int rounds = 0;
  while (again) {
    CMB_TRY(cmb_run_find_met_conditions(sim));
    for (int i = 0; (i = cmb_impact_next(sim->impact, i)) < count; i++) CMB_TRY(apply_rule(sim, i));
    memcpy(sim->impact->met, sim->impact->met_here, (size_t)count * sizeof(bool));
    CMB_TRY(look_for_repeated(sim, &again));
    if (again && ++rounds > CMB_MOST_CROWDED) return cmb_run_fail_endless(sim);
  }
  return CMB_OK;
}
