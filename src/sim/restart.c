/*
 * Handles an event of a run (run.h), called by simulation.c: modes change, rules are applied, contacts close or open, friction begins to hold or is
 * released, and the integrator begins again from there. Rules are in rules.c, resting contacts in resting_contacts.c, held functions in
 * held_functions.c, the change of the regime in regimes.c, and the reports to the observer in report.c.
 */
#include "base/context.h"
#include "dae/project.h"
#include "dae/system.h"
#include "method/integrator.h"
#include "sim/run.h"

#include <math.h>
#include <string.h>

static const double STRUCK = 100;  /* a jump of a rate, in tolerances */
static const double AT_ONCE = 0.1; /* part of a step */

cmb_point cmb_run_point(const cmb_simulation *sim)
{
  const cmb_events *e = sim->events;
  return cmb_evaluator_point(sim->ev, e->t, e->q_found, e->v_found);
}

/* Returns whether nothing depends on the mode of function i with the present values of the live parameters, which are those of the system. */
static bool has_no_effect(const cmb_simulation *sim, int i)
{
  const cmb_equations *eq = sim->eq;
  if (i >= eq->ns || !eq->switch_idle || !eq->switch_idle[i]) return false;
  return memcmp(sim->p, eq->p, (size_t)eq->held_first * sizeof *sim->p) == 0;
}

/* Function i gets its new mode. It is an event if the motion depends on it. */
static cmb_status change_mode(cmb_simulation *sim, int i)
{
  const cmb_equations *eq = sim->ev->eq;
  const int before = sim->ev->mode[i], after = sim->events->mode_new[i];
  if (after == before) return CMB_OK;
  sim->ev->mode[i] = after;
  if (eq->switch_silent && eq->switch_silent[i]) return CMB_OK;
  if (has_no_effect(sim, i)) return CMB_OK;
  if (i < sim->eq->ns) sim->was_torn[i] = false;
  const cmb_event_kind kind =
      i < sim->eq->ns ? cmb_run_kind_of_switch(sim->eq, i) : CMB_KIND_SWITCH;
  return cmb_run_report_event(sim, kind, eq->switch_names[i], i, after > before ? 1 : -1);
}

/* ---- the end of rests and slides */

/* A rest from both sides ends to one of them: the modes of that side. */
static void choose_side(cmb_simulation *sim, int k)
{
  const cmb_equations *eq = sim->eq;
  const int rule = sim->regime->closed_rule[k];
  const double mu = sim->events->lambda_found[eq->ng + k];
  const bool *reads = eq->rule_reads + (ptrdiff_t)rule * eq->ns;
  const bool same_side = sim->impact->met[rule] ? mu > 0 : mu < 0;
  if (eq->rules[rule].direction != 0 || same_side) return;
  for (int i = 0; i < eq->ns; i++) {
    if (reads[i]) sim->ev->mode[i] = sim->events->mode_new[i] = -sim->ev->mode[i];
  }
  sim->impact->met[rule] = !sim->impact->met[rule];
}

/* What the condition of a rule reads leaves its zero where the rest on its surface ends; slowly, for there the acceleration is 0, too. It
 * has left it where it is further away than errors of coordinates and velocities make it. */
static cmb_status open_contact(cmb_simulation *sim, int rule)
{
  const cmb_equations *eq = sim->eq;
  const bool *reads = eq->rule_reads + (ptrdiff_t)rule * eq->ns;
  double *row = sim->v_work, length = 0;
  if (eq->rules[rule].direction == 0) return CMB_OK;
  CMB_TRY(cmb_run_find_surfaces(sim));
  cmb_surface_row(sim->ev, rule, row);
  for (int i = 0; i < eq->nv; i++) length += fabs(row[i]);
  for (int i = 0; i < eq->ns; i++) {
    if (reads[i]) sim->released[i] = length * sim->options.integrator.atol;
  }
  return CMB_OK;
}

/* The slide of group k ends to the side where the flow goes. */
static cmb_status end_hold(cmb_simulation *sim, int k)
{
  const cmb_regime *regime = sim->regime;
  const int i = regime->sliding->function[k], side = cmb_slide_side(regime->sliding, k);
  if (cmb_slide_parts(regime->sliding, k)) {
    cmb_log(
        sim->ctx, CMB_LOG_WARNING,
        "'%s' was held at its switch, and from t = %.9g on the motions on both sides of the switch "
        "lead away from it: more than one motion is possible, and the run continues with %s "
        "values of this function",
        regime->eq->switch_names[i], sim->events->t, side > 0 ? "positive" : "negative");
  }
  cmb_run_release_function(sim, i);
  cmb_run_stop_holding(sim, i, side);
  return cmb_run_report_event(sim, CMB_KIND_SWITCH, regime->eq->switch_names[i], i, side);
}

/* Held functions whose layer's functions have become negative. If that is because functions that depend on their modes have changed on one
 * side, it is seen in the next round whether the forces still hold them. */
static cmb_status leave_switches(cmb_simulation *sim)
{
  const cmb_sliding *x = sim->regime->sliding;
  int *mode = sim->events->mode_new;
  bool any = false, changed = false;
  for (int k = 0; x && k < x->count; k++) any = any || mode[x->function[k]] != 1;
  if (!any) return CMB_OK;
  cmb_status status = cmb_run_follow_held(sim, &changed);
  CMB_TRY(cmb_run_final(sim, status, "switching functions", sim->events->t));
  for (int k = 0; k < x->count; k++) {
    if (mode[x->function[k]] == 1) continue;
    if (changed) {
      mode[x->function[k]] = 1;
    } else {
      CMB_TRY(end_hold(sim, k));
    }
  }
  return CMB_OK;
}

/* Rests and slides whose switching functions have become negative. */
static cmb_status leave_surfaces(cmb_simulation *sim)
{
  const cmb_regime *regime = sim->regime;
  cmb_events *e = sim->events;
  bool ended = false;
  for (int k = 0; k < regime->closed_count; k++) {
    const int i = sim->eq->ns + k;
    if (e->mode_new[i] == 1) continue;
    e->mode_new[i] = 1;
    sim->closed[regime->closed_rule[k]] = false;
    sim->ended[regime->closed_rule[k]] = true;
    choose_side(sim, k);
    CMB_TRY(cmb_run_final(sim, open_contact(sim, regime->closed_rule[k]), "rest", e->t));
    ended = true;
    CMB_TRY(cmb_run_report_event(sim, CMB_KIND_REST, regime->eq->switch_names[i], -1, -1));
  }
  CMB_TRY(leave_switches(sim));
  if (ended) cmb_run_mark_held(sim);
  return CMB_OK;
}

/* ---- the restart */

/* The event's state as the constraints of the new modes want it. */
static cmb_status enter_modes(cmb_simulation *sim)
{
  cmb_events *e = sim->events;
  const int redundant = sim->ev->redundant;
  cmb_status status = cmb_left_out_new_modes(sim->left_out_watch, e->t, e->q_found, e->v_found);
  CMB_TRY(cmb_run_final(sim, status, "constraints", e->t));
  CMB_TRY(cmb_run_report_impulses(sim));
  if (sim->ev->redundant == redundant) return CMB_OK;
  return cmb_run_watch_rank(sim);
}

/* Whether bodies rest on this rule's surface no longer, because it is elsewhere. */
static bool has_moved(const cmb_simulation *sim, int rule)
{
  const double leeway = cmb_run_leeway(sim) * cmb_surface_size(sim->ev, rule);
  return sim->closed[rule] && fabs(sim->ev->u[rule]) > leeway;
}

cmb_status cmb_run_check_closed_contacts(cmb_simulation *sim)
{
  const cmb_regime *regime = sim->regime;
  if (regime->closed_count > 0) CMB_TRY(cmb_run_find_surfaces(sim));
  for (int k = 0; k < regime->closed_count; k++) {
    const cmb_rule *rule = &sim->eq->rules[regime->closed_rule[k]];
    const double u = sim->ev->u[regime->closed_rule[k]];
    if (!has_moved(sim, regime->closed_rule[k]) ||
        (rule->direction != 0 && rule->direction * u <= 0)) {
      continue;
    }
    return cmb_fail_about(
        sim->ctx, CMB_ERROR_EVENTS, cmb_run_about_rule(sim, regime->closed_rule[k]),
        "'%s' at t = %.9g: the surface jumps by %.3g into the body that touches it; "
        "expected a surface that moves without jumps",
        rule->name, sim->events->t, fabs(u));
  }
  return CMB_OK;
}

/* In the new modes a surface may be elsewhere, as a stair is behind the edge of a step: bodies that rested on it fall. Where it
 * has risen into them nothing is determined. */
static cmb_status leave_jumped(cmb_simulation *sim)
{
  const cmb_regime *regime = sim->regime;
  const cmb_equations *eq = sim->eq;
  CMB_TRY(cmb_run_check_closed_contacts(sim));
  for (int k = 0; k < regime->closed_count; k++) {
    const int rule = regime->closed_rule[k];
    if (!has_moved(sim, rule)) continue;
    sim->closed[rule] = false;
    CMB_TRY(cmb_run_report_event(sim, CMB_KIND_REST, regime->eq->switch_names[eq->ns + k], -1, -1));
  }
  return CMB_OK;
}

/* Stops whose surfaces have another branch now must not be inside of a body. */
static cmb_status check_moved_gaps(cmb_simulation *sim)
{
  const cmb_equations *eq = sim->eq;
  for (int k = 0; eq->surface_reads && k < eq->rule_count; k++) {
    const bool *reads = eq->surface_reads + (ptrdiff_t)k * eq->ns;
    bool moved = false;
    for (int i = 0; i < eq->ns; i++) {
      moved = moved || (reads[i] && sim->ev->mode[i] != sim->mode_before[i]);
    }
    if (moved && eq->rules[k].gap) CMB_TRY(cmb_run_check_gap(sim, k));
  }
  return CMB_OK;
}

/* The modes that have been found become those of the run. */
static cmb_status change_modes(cmb_simulation *sim)
{
  memcpy(sim->mode_before, sim->ev->mode, (size_t)sim->eq->ns * sizeof(int));
  CMB_TRY(leave_surfaces(sim));
  for (int i = 0; i < sim->events->ns; i++) CMB_TRY(change_mode(sim, i));
  CMB_TRY(cmb_run_final(sim, leave_jumped(sim), "rest", sim->events->t));
  return check_moved_gaps(sim);
}

cmb_status cmb_run_end_step(cmb_simulation *sim)
{
  CMB_TRY(change_modes(sim));
  return cmb_run_apply_rules(sim);
}

/* Whether velocities have jumped in this round. Then a function of them may have another sign without having been 0. */
static bool has_jumped(cmb_simulation *sim)
{
  double *jump = sim->v_work;
  for (int i = 0; i < sim->eq->nv; i++) jump[i] = sim->v_before[i] - sim->events->v_found[i];
  return !cmb_run_is_negligible(sim, jump);
}

/* Where a rate jumps that a constraint or a surface asks for, bodies that rest are not taken along: those that are pushed will
 * rebound, or come to rest again. */
static cmb_status leave_struck(cmb_simulation *sim)
{
  const cmb_integrator_options *o = &sim->options.integrator;
  const cmb_events *e = sim->events;
  double position, velocity, largest = 0;
  if (sim->regime->closed_count == 0) return CMB_OK;
  cmb_status status =
      cmb_constraint_residuals(sim->ev, e->t, e->q_found, e->v_found, &position, &velocity);
  CMB_TRY(cmb_run_final(sim, status, "rest", e->t));
  for (int i = 0; i < sim->eq->nv; i++) largest = fmax(largest, fabs(e->v_found[i]));
  return velocity > STRUCK * (o->rtol * largest + o->atol) ? cmb_run_leave_all(sim, true) : CMB_OK;
}

/* The integrator begins where the event is. */
static cmb_status begin_there(cmb_simulation *sim)
{
  cmb_events *e = sim->events;
  bool changed;
  CMB_TRY(cmb_run_final(sim, cmb_run_follow_held(sim, &changed), "switching functions", e->t));
  CMB_TRY(cmb_run_note_indeterminate(sim));
  CMB_TRY(cmb_integrator_begin(sim->in, e->t, e->q_found, e->v_found));
  cmb_variation_restart(sim->variation);
  cmb_events_at_end(e);
  return CMB_OK;
}

cmb_status cmb_run_hold_functions_at_start(cmb_simulation *sim, bool *restarted)
{
  const cmb_equations *eq = sim->eq;
  const cmb_regime *before = sim->regime;
  const int *mode = sim->ev->mode;
  bool any = false, decided;
  if (!eq->switch_flow) return CMB_OK;
  cmb_run_forget_passed(sim);
  cmb_run_remember_held(sim);
  cmb_events_at_end(sim->events);
  cmb_status status = cmb_events_here(sim->events);
  CMB_TRY(cmb_run_final(sim, status, "switching functions", sim->events->t));
  for (int i = 0; i < eq->ns; i++) {
    const bool at_zero = sim->events->s[0][i] == 0 && sim->ev->eq->switch_order[i] == 1;
    sim->mode_before[i] = at_zero ? -mode[i] : mode[i];
    any = any || at_zero;
  }
  if (!any) return CMB_OK;
  CMB_TRY(cmb_run_find_held_functions(sim, true));
  sim->decision.quiet = true; /* what a run begins with is no event */
  status = cmb_run_decide(sim, &decided);
  sim->decision.quiet = false;
  CMB_TRY(status);
  CMB_TRY(cmb_run_update_held_conditions(sim, false));
  if (sim->regime == before && !decided) return CMB_OK;
  *restarted = true;
  return begin_there(sim);
}

/* Whether a rest has ended at this event. */
static bool has_ended(const cmb_simulation *sim)
{
  for (int k = 0; k < sim->eq->rule_count; k++) {
    if (sim->ended[k]) return true;
  }
  return false;
}

/* Rules act, and what they have made bodies leave, or come to, is rested on. That brings velocities to 0 which had been within the tolerances,
 * or too small to be seen, and rules that have acted may have to do so once more. */
static cmb_status apply_and_settle(cmb_simulation *sim)
{
  bool again = true;
  for (int round = 0; again; round++) {
    if (round > CMB_MOST_CROWDED) return cmb_run_fail_endless(sim);
    CMB_TRY(cmb_run_apply_rules(sim));
    again = sim->opened_for_impact;
    if (sim->opened_for_impact)
      CMB_TRY(cmb_run_choose_active_contacts(sim)); /* some may not have been moved */
    sim->opened_for_impact = false;
    CMB_TRY(cmb_run_settle(sim, &again));
  }
  return CMB_OK;
}

/* Modes, impacts, rests and slides once; where something acted upon the velocities more of that may follow. */
static cmb_status go_round(cmb_simulation *sim, bool first)
{
  const size_t size = (size_t)sim->eq->nv * sizeof(double);
  bool decided;
  memcpy(sim->v_before, sim->events->v_found, size);
  cmb_run_remember_held(sim);
  CMB_TRY(change_modes(sim));
  CMB_TRY(cmb_run_change_regime(sim));
  CMB_TRY(cmb_run_release_jumped(sim));
  CMB_TRY(leave_struck(sim));
  CMB_TRY(enter_modes(sim));
  if (has_ended(sim)) CMB_TRY(cmb_run_choose_active_contacts(sim));
  if (sim->regime->sliding && has_jumped(sim))
    CMB_TRY(cmb_run_leave_all(sim, false)); /* by an impulse */
  CMB_TRY(apply_and_settle(sim));
  CMB_TRY(cmb_run_end_redundant_holds(sim));
  CMB_TRY(cmb_run_mark_torn(sim));
  CMB_TRY(cmb_run_find_held_functions(sim, first && !has_jumped(sim)));
  CMB_TRY(cmb_run_decide(sim, &decided));
  if (!decided) CMB_TRY(cmb_run_stop_held(sim));
  CMB_TRY(cmb_run_leave_zeros(sim, has_jumped(sim)));
  CMB_TRY(cmb_run_update_held_conditions(sim, has_jumped(sim)));
  return begin_there(sim);
}

/* Gaps that are held have the modes that they were put back to, whatever rounding says. */
static void keep_held(cmb_simulation *sim)
{
  const cmb_equations *eq = sim->eq;
  for (int k = 0; k < eq->rule_count; k++) {
    const bool *reads = eq->rule_reads + (ptrdiff_t)k * eq->ns;
    for (int i = 0; sim->held_open[k] && i < eq->ns; i++) {
      if (reads[i]) sim->events->mode_new[i] = sim->ev->mode[i];
    }
  }
}

static cmb_status find_modes(cmb_simulation *sim, bool *changed)
{
  cmb_events *e = sim->events;
  cmb_status status = cmb_events_new_modes(e, changed);
  CMB_TRY(cmb_run_final(sim, status, "switching functions", e->t));
  if (!*changed) return CMB_OK;
  keep_held(sim);
  *changed = memcmp(e->mode_new, sim->ev->mode, (size_t)e->ns * sizeof(int)) != 0;
  return CMB_OK;
}

/* An event begins. */
static void forget_held(cmb_simulation *sim)
{
  const cmb_resting *resting = sim->regime->resting;
  for (int k = 0; k < sim->eq->rule_count; k++) {
    sim->held_open[k] = sim->ended[k] = sim->reversed[k] = false;
  }
  for (int i = 0; i < sim->eq->ns; i++) sim->was_closed[i] = resting && resting->frozen[i];
  cmb_run_forget_passed(sim);
  memcpy(sim->v_begin, sim->events->v_found, (size_t)sim->eq->nv * sizeof(double));
}

/* Whether neither the motion, nor the surfaces that bodies rest on, nor outputs depend on the mode of function i. */
static bool is_idle(const cmb_simulation *sim, int i)
{
  const cmb_equations *eq = sim->eq;
  const cmb_regime *regime = sim->regime;
  if (has_no_effect(sim, i)) return true;
  if (i >= eq->ns || !eq->switch_silent || !eq->surface_reads || !eq->switch_shown) return false;
  for (int k = 0; k < regime->closed_count; k++) {
    if (eq->surface_reads[(ptrdiff_t)regime->closed_rule[k] * eq->ns + i]) return false;
  }
  return eq->switch_silent[i] && !eq->switch_shown[i];
}

static bool all_idle(const cmb_simulation *sim)
{
  for (int i = 0; i < sim->events->ns; i++) {
    if (sim->events->mode_new[i] != sim->ev->mode[i] && !is_idle(sim, i)) return false;
  }
  return true;
}

cmb_status cmb_run_pass_idle(cmb_simulation *sim, bool *idle)
{
  const size_t size = (size_t)sim->eq->ns * sizeof(int);
  int *mode = sim->ev->mode;
  bool changed, put_off;
  *idle = false;
  forget_held(sim);
  CMB_TRY(find_modes(sim, &changed));
  if (!changed || !all_idle(sim)) return CMB_OK;
  CMB_TRY(cmb_run_postpone_held_conditions(sim, &put_off));
  if (put_off) return CMB_OK;
  memcpy(sim->mode_before, mode, size);
  memcpy(mode, sim->events->mode_new, size);
  CMB_TRY(cmb_run_find_met_conditions(sim));
  *idle = cmb_impact_next(sim->impact, 0) == sim->eq->rule_count;
  if (*idle) {
    memcpy(sim->impact->met, sim->impact->met_here, (size_t)sim->eq->rule_count * sizeof(bool));
    return check_moved_gaps(sim);
  }
  memcpy(mode, sim->mode_before, size);
  return CMB_OK;
}

/* There have been enough rounds: whether modes still change, and which. */
static cmb_status check_settled(cmb_simulation *sim)
{
  bool changed;
  CMB_TRY(find_modes(sim, &changed));
  if (!changed) return CMB_OK;
  return cmb_modes_unsettled(sim->ev, sim->events->mode_new, sim->events->t);
}

/* Rounds until nothing changes. The modes of the first are those that mode_new has. */
static cmb_status go_rounds(cmb_simulation *sim)
{
  for (int round = 0, idle_instants = 0;; round++) {
    const long acted = sim->acted;
    bool changed = true;
    if (round > 0) CMB_TRY(find_modes(sim, &changed));
    if (round > 0 && !changed) return CMB_OK;
    CMB_TRY(go_round(sim, round == 0));
    idle_instants = sim->acted == acted ? idle_instants + 1 : 0;
    if (idle_instants > cmb_mode_rounds(sim->eq)) return check_settled(sim);
    if (round > CMB_MOST_CROWDED) return cmb_run_fail_endless(sim);
  }
}

/* What was held at its switch and has been torn off by a jump to the side whose mode it had: no mode has changed. */
static cmb_status report_torn(cmb_simulation *sim)
{
  const cmb_equations *eq = sim->eq;
  for (int i = 0; i < eq->ns; i++) {
    if (!sim->was_torn[i] || sim->hold_of[i] != 0) continue;
    const int direction = sim->ev->mode[i] > 0 ? 1 : -1;
    CMB_TRY(cmb_run_report_event(sim, CMB_KIND_SWITCH, eq->switch_names[i], i, direction));
  }
  return CMB_OK;
}

/* What has come to be held at its switch without a change of its sign: whether it has passed 0 already is a matter of rounding where several come
 * there at one time. */
static cmb_status report_held(cmb_simulation *sim)
{
  const cmb_equations *eq = sim->eq;
  for (int i = 0; i < eq->ns; i++) {
    const int came = sim->unreported[i];
    if (came == 0 || sim->hold_of[i] == 0 || sim->was_closed[i]) continue;
    CMB_TRY(cmb_run_report_event(sim, cmb_run_kind_of_switch(eq, i), eq->switch_names[i], i,
                                 came > 0 ? -1 : 1));
  }
  return CMB_OK;
}

/* An event that is told begins. */
static void forget_reported(cmb_simulation *sim)
{
  for (int i = 0; i < sim->eq->ns; i++) {
    sim->was_torn[i] = false;
    sim->unreported[i] = sim->hold_of[i] == 0 ? sim->ev->mode[i] : 0;
  }
}

cmb_status cmb_run_restart(cmb_simulation *sim)
{
  bool changed, put_off;
  forget_held(sim);
  forget_reported(sim);
  CMB_TRY(find_modes(sim, &changed));
  CMB_TRY(cmb_run_postpone_held_conditions(sim, &put_off));
  CMB_TRY(go_rounds(sim));
  cmb_run_end_held_conditions(sim);
  CMB_TRY(report_torn(sim));
  return report_held(sim);
}

/* Whether the bodies have rebounded by less than the method can tell, and go on into the surface. */
static cmb_status falls_short(cmb_simulation *sim, int rule, bool *yes)
{
  const cmb_rule *r = &sim->eq->rules[rule];
  double u, rate, gamma;
  *yes = false;
  sim->rebounds[rule] = sim->impact->met[rule] == (r->direction > 0); /* else they are out again */
  if (!sim->rebounds[rule]) return CMB_OK;
  CMB_TRY(cmb_run_surface_here(sim, rule, &u, &rate, &gamma, sim->v_work));
  *yes = rate > 0;
  return CMB_OK;
}

/* Copies what is now to what is kept, or back. */
static void carry(bool back, void *kept, void *now, size_t size)
{
  if (size == 0) return;
  if (back) {
    memcpy(now, kept, size);
  } else {
    memcpy(kept, now, size);
  }
}

static void carry_start(cmb_simulation *sim, bool back)
{
  const cmb_step_start *x = &sim->step_start;
  cmb_events *e = sim->events;
  const size_t all = (size_t)e->ns, ns = (size_t)sim->eq->ns, rules = (size_t)sim->eq->rule_count;
  e->from = 0;
  carry(back, x->mode, sim->ev->mode, all * sizeof *x->mode);
  carry(back, x->lift, e->lift, all * sizeof *x->lift);
  carry(back, x->s, e->s[0], all * sizeof *x->s);
  carry(back, x->at_zero, sim->at_zero, ns * sizeof *x->at_zero);
  carry(back, x->met, sim->impact->met, rules * sizeof *x->met);
  carry(back, x->rebounds, sim->rebounds, rules * sizeof *x->rebounds);
}

void cmb_run_keep_start(cmb_simulation *sim)
{
  carry_start(sim, false);
}

void cmb_run_restore_start(cmb_simulation *sim)
{
  carry_start(sim, true);
}

/* The switching functions where the last step begins, into s_probe, and their rates there in the modes of the step. */
static cmb_status flow_at_start(cmb_simulation *sim)
{
  const cmb_equations *eq = sim->ev->eq;
  const double t = cmb_integrator_t_before(sim->in), *q = cmb_integrator_q_before(sim->in),
               *v = cmb_integrator_v_before(sim->in);
  CMB_TRY(cmb_accelerate(sim->ev, t, q, v, sim->a, sim->lambda_work));
  CMB_TRY(cmb_switches(sim->ev, t, q, v, sim->lambda_work, sim->events->s_probe));
  const cmb_point at = cmb_evaluator_point(sim->ev, t, q, v);
  return eq->switch_flow(eq->self, &at, sim->a, sim->flow);
}

/* Whether function i changes its sign at the event found. */
static bool has_changed(const cmb_simulation *sim, int i)
{
  return sim->events->mode_new[i] != sim->ev->mode[i];
}

/* A function of velocities that leaves its zero with the accelerations where the step begins, and slowly, as where friction lets go, may
 * seem to come back at once: the dense output of a long step does not have these accelerations. A shorter step tells. */
cmb_status cmb_run_is_spurious_event(cmb_simulation *sim, bool *spurious)
{
  const cmb_equations *eq = sim->ev->eq;
  const cmb_events *e = sim->events;
  *spurious = false;
  if (!eq->switch_flow || e->theta > AT_ONCE) return CMB_OK;
  for (int i = 0; i < eq->ns; i++) {
    if (has_changed(sim, i) && eq->switch_order[i] != 1) return CMB_OK;
  }
  const cmb_status status = flow_at_start(sim);
  if (status != CMB_OK) return status < 0 ? status : CMB_OK;
  for (int i = 0; i < eq->ns; i++) {
    const bool at_zero = fabs(e->s_probe[i]) <= cmb_run_leeway(sim) * fmax(1, e->unit[i]);
    const bool leaves = cmb_mode_sign(sim->ev, i) * sim->flow[i] > 0;
    *spurious = *spurious || (has_changed(sim, i) && at_zero && leaves);
  }
  return CMB_OK;
}

/* Whether they have gone deeper into the surface in the last step. */
static cmb_status has_gone_in(cmb_simulation *sim, int rule, bool *in)
{
  const double off = fabs(sim->ev->u[rule]), unseen = cmb_run_unseen_distance(sim, sim->v_work);
  CMB_TRY(cmb_surfaces(sim->ev, cmb_integrator_t_before(sim->in), cmb_integrator_q_before(sim->in),
                       cmb_integrator_v_before(sim->in)));
  *in = off > fabs(sim->ev->u[rule]) + unseen;
  return CMB_OK;
}

cmb_status cmb_run_has_penetrated(cmb_simulation *sim, bool found, bool *penetrated)
{
  *penetrated = false;
  for (int i = 0; i < sim->eq->rule_count && !*penetrated; i++) {
    bool yes = false;
    if (!sim->rebounds[i]) continue;
    if (!found) cmb_events_at_end(sim->events);
    cmb_status status = falls_short(sim, i, &yes);
    if (status == CMB_OK && yes) status = has_gone_in(sim, i, penetrated);
    CMB_TRY(cmb_run_final(sim, status, "events", sim->events->t));
  }
  return CMB_OK;
}

/* An event has turned bodies back, and the run has lost sight of them: they are behind its surface and go on. */
static cmb_status check_penetration(cmb_simulation *sim, int rule)
{
  bool along = false;
  double off;
  cmb_status status = cmb_run_acts_along_surface(sim, rule, &along, &off);
  CMB_TRY(cmb_run_final(sim, status, "events", sim->events->t));
  if (!along || off <= cmb_run_leeway(sim)) return CMB_OK;
  return cmb_fail_about(
      sim->ctx, CMB_ERROR_EVENTS, cmb_run_about_rule(sim, rule),
      "event '%s' has reversed the motion of bodies, but at t = %.9g they are behind its surface "
      "by %.3g and move further: the rebound is too short for the steps of the run; expected a "
      "contact or a stop with 'restitution' in place of the event",
      sim->eq->rules[rule].name, sim->events->t, off);
}

cmb_status cmb_run_close_small_rebounds(cmb_simulation *sim)
{
  for (int i = 0; i < sim->eq->rule_count; i++) {
    bool yes = false, changed = false, held = false, left = true;
    if (!sim->rebounds[i]) continue;
    cmb_events_at_end(sim->events);
    CMB_TRY(cmb_run_final(sim, falls_short(sim, i, &yes), "events", sim->events->t));
    if (!yes) continue;
    CMB_TRY(check_penetration(sim, i));
    forget_held(sim);
    sim->rebounds[i] = false;
    while (left) CMB_TRY(cmb_run_find_impact(sim, i, &held, &left));
    if (held) continue;
    CMB_TRY(cmb_run_close_contact(sim, i));
    CMB_TRY(cmb_run_settle(sim, &changed));
    CMB_TRY(begin_there(sim));
    CMB_TRY(find_modes(sim, &changed));
    if (changed) CMB_TRY(cmb_run_restart(sim));
  }
  return CMB_OK;
}

/* A step that has found nothing must not have led through a gap: the impact would be lost. */
cmb_status cmb_run_check_ends(cmb_simulation *sim)
{
  const cmb_equations *eq = sim->eq;
  bool gaps = false;
  for (int i = 0; i < eq->rule_count; i++) gaps = gaps || eq->rules[i].gap;
  if (!gaps) return CMB_OK;
  cmb_events_at_end(sim->events);
  CMB_TRY(cmb_run_final(sim, cmb_run_find_surfaces(sim), "stops", sim->events->t));
  for (int i = 0; i < eq->rule_count; i++) {
    const double u = sim->ev->u[i];
    if (!eq->rules[i].gap || sim->closed[i]) continue;
    if (!(u > cmb_run_leeway(sim) * cmb_surface_size(sim->ev, i))) continue;
    return cmb_fail_about(sim->ctx, CMB_ERROR_EVENTS, cmb_run_about_rule(sim, i),
                          "'%s' at t = %.9g: the run has missed an impact, and the gap is %.3g; a "
                          "smaller tolerance, another "
                          "method, or a contact with a stiffness may follow this motion",
                          eq->rules[i].name, sim->events->t, -u);
  }
  return CMB_OK;
}

/* The conditions that are met where the run begins, in the modes that the formulas have there (dae/modes.h): what is about to be
 * met is an event. */
static cmb_status note_conditions(cmb_simulation *sim)
{
  cmb_events *e = sim->events;
  cmb_evaluator *ev = sim->ev;
  const size_t size = (size_t)sim->eq->ns * sizeof(int);
  bool changed;
  memcpy(sim->mode_before, ev->mode, size);
  CMB_TRY(cmb_find_modes(ev, &e->search, e->t, e->q_found, e->v_found, e->lambda_found, NULL,
                         &changed));
  cmb_status status = cmb_impact_begin(sim->impact, e->t, e->q_found, e->v_found, e->lambda_found);
  memcpy(ev->mode, sim->mode_before, size);
  CMB_TRY(status);
  return cmb_events_here(e);
}

static cmb_status check_gaps(cmb_simulation *sim)
{
  if (!sim->ev->eq->surfaces) return CMB_OK;
  CMB_TRY(cmb_run_final(sim, cmb_run_find_surfaces(sim), "stops", sim->events->t));
  for (int i = 0; i < sim->eq->rule_count; i++) {
    if (sim->eq->rules[i].gap) CMB_TRY(cmb_run_check_found_gap(sim, i));
  }
  return CMB_OK;
}

cmb_status cmb_run_begin_rules(cmb_simulation *sim, bool *restarted)
{
  cmb_events *e = sim->events;
  *restarted = false;
  if (sim->eq->rule_count == 0) return CMB_OK;
  cmb_events_at_end(e);
  CMB_TRY(check_gaps(sim));
  CMB_TRY(cmb_run_final(sim, note_conditions(sim), "conditions of events", e->t));
  for (int i = 0; i < sim->eq->rule_count; i++) {
    if (sim->impact->met[i]) CMB_TRY(cmb_run_warn_of_rule(sim, i));
  }
  CMB_TRY(cmb_run_find_met_conditions(sim));
  *restarted = cmb_impact_next(sim->impact, 0) < sim->eq->rule_count;
  if (!*restarted) return CMB_OK;
  forget_held(sim);
  memcpy(e->mode_new, sim->ev->mode, (size_t)sim->eq->ns * sizeof(int)); /* with what lies ahead */
  CMB_TRY(cmb_run_release_zeros(sim));
  CMB_TRY(go_rounds(sim));
  cmb_run_end_held_conditions(sim);
  return CMB_OK;
}
