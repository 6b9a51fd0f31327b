/*
 * Chooses the regime of a run (regime.h) that belongs to the closed contacts and held functions, and carries the state over from the last one.
 */
#include "base/context.h"
#include "dae/project.h"
#include "method/integrator.h"
#include "sim/run.h"

#include <math.h>
#include <string.h>

/* An acceleration that changes no velocity within the time scale by more than this part of the tolerance does not matter. */
static const double STILL = 1e-2;

static const double ROUNDING = 1e-13; /* of velocities that constraints hold, beside the largest */

enum { MOST_REGIMES = 200 }; /* each has an integrator of its own */

/* Returns the name of the first function that is held in the regime; NULL: none is. */
static const char *held_function(const cmb_simulation *sim, const cmb_regime *regime)
{
  for (int i = 0; i < sim->eq->ns; i++) {
    if (regime->hold_of[i] != 0) return sim->eq->switch_names[i];
  }
  return NULL;
}

static void use_regime(cmb_simulation *sim, cmb_regime *regime)
{
  sim->regime = regime;
  sim->in = regime->in;
  sim->ev = regime->ev;
  sim->events = &regime->events;
  sim->events->still = sim->events->search.still = sim->condition_mode;
  sim->watch = &regime->watch;
  sim->variation = &regime->variation;
  sim->left_out_watch = &regime->left_out_watch;
  sim->impact = &regime->impact;
  sim->result.mode = regime->ev->mode;
  sim->result.sliding = held_function(sim, regime);
  sim->result.drift = cmb_integrator_drift_bound(regime->in);
  sim->result.statistics = cmb_integrator_statistics(regime->in);
}

cmb_status cmb_run_first_regime(cmb_simulation *sim)
{
  sim->source.arena = cmb_arena_create(sim->ctx);
  if (!sim->source.arena) return cmb_fail_memory(sim->ctx);
  CMB_TRY(cmb_regime_create(&sim->source, NULL, NULL, &sim->regimes));
  use_regime(sim, sim->regimes);
  return CMB_OK;
}

void cmb_run_destroy_regimes(cmb_simulation *sim)
{
  for (cmb_regime *s = sim->regimes; s; s = s->next) cmb_regime_destroy(s);
  cmb_arena_destroy(sim->source.arena);
  sim->regimes = NULL;
  sim->source.arena = NULL;
}

void cmb_run_begin_regimes(cmb_simulation *sim)
{
  const cmb_equations *eq = sim->eq;
  use_regime(sim, sim->regimes);
  for (int i = 0; i < eq->ns; i++)
    sim->hold_of[i] = sim->condition_of[i] = sim->condition_mode[i] = 0, sim->released[i] = 0,
    sim->at_zero[i] = false;
  sim->sequence = NAN;
  sim->decision.warned = false;
  for (cmb_regime *s = sim->regimes; s; s = s->next) {
    for (int i = 0; i < s->events.ns; i++) {
      s->events.scale[i] = s->events.lift[i] = s->events.steepest[i] = 0;
      s->events.unit[i] = 1;
    }
  }
  for (int i = 0; i < eq->rule_count; i++) {
    sim->closed[i] = sim->rebounds[i] = sim->undecided[i] = sim->ended[i] = sim->warned[i] = false;
    sim->times[i] = (cmb_rule_times){{NAN, NAN, NAN}, NAN, NAN};
  }
}

/* The regime with these rests, perhaps a new one. */
static cmb_status find_regime(cmb_simulation *sim, const bool *rests, cmb_regime **found)
{
  cmb_regime **end = &sim->regimes;
  int count = 0;
  for (; *end; end = &(*end)->next, count++) {
    *found = *end;
    if (cmb_regime_is(*end, sim->eq, rests, sim->hold_of)) return CMB_OK;
  }
  if (count == MOST_REGIMES) {
    return cmb_fail_about(
        sim->ctx, CMB_ERROR_EVENTS, cmb_about_time(sim->events->t, NULL, NULL),
        "at t = %.9g: contacts have been closed and dry friction has stuck in %d different "
        "combinations, which are the most that a run can store; expected fewer contacts that stay "
        "closed, or contacts with 'stiffness' in place of 'restitution'",
        sim->events->t, MOST_REGIMES);
  }
  cmb_status status = cmb_regime_create(&sim->source, rests, sim->hold_of, found);
  if (status == CMB_OK) {
    *end = *found;
  } else {
    cmb_regime_destroy(*found);
  }
  return status;
}

cmb_status cmb_run_new_regimes(cmb_simulation *sim)
{
  cmb_regime *found;
  cmb_run_destroy_regimes(sim);
  CMB_TRY(cmb_run_first_regime(sim));
  CMB_TRY(find_regime(sim, sim->closed, &found));
  use_regime(sim, found);
  return CMB_OK;
}

/* What a regime takes over from the one before: the event, the modes, and what is counted. */
static void take_over(const cmb_simulation *sim, cmb_regime *to)
{
  const cmb_regime *from = sim->regime;
  const cmb_equations *eq = sim->eq;
  cmb_events *e = &to->events;
  const cmb_enclosure *before = &from->events.enclosure;
  e->t = from->events.t;
  e->crowded = from->events.crowded;
  memcpy(e->q_found, from->events.q_found, (size_t)eq->nq * sizeof(double));
  memcpy(e->v_found, from->events.v_found, (size_t)eq->nv * sizeof(double));
  memcpy(e->lambda_found, from->events.lambda_found, (size_t)eq->ng * sizeof(double));
  for (int k = 0; k < to->closed_count; k++) e->lambda_found[eq->ng + k] = 0;
  for (int i = 0; i < eq->ns; i++) {
    e->scale[i] = fmax(e->scale[i], from->events.scale[i]);
    e->unit[i] = from->events.unit[i];
    e->steepest[i] = fmax(e->steepest[i], from->events.steepest[i]);
  }
  e->enclosure.undecided = before->undecided;
  e->enclosure.undecided_function = before->undecided_function;
  e->enclosure.undecided_t = before->undecided_t;
  memcpy(to->ev->mode, from->ev->mode, (size_t)eq->ns * sizeof(int));
  for (int k = 0; k < to->closed_count; k++) to->ev->mode[eq->ns + k] = 1;
  for (int i = 0; i < eq->ns; i++) {
    if (to->hold_of[i] != 0) to->ev->mode[i] = 1;
    e->lift[i] = 0; /* where functions go in this regime is not known */
  }
  memcpy(to->impact.met, from->impact.met, (size_t)eq->rule_count * sizeof(bool));
  memcpy(to->impact.met_here, from->impact.met_here, (size_t)eq->rule_count * sizeof(bool));
  to->ev->stats = from->ev->stats;
  to->ev->redundant = from->ev->redundant;
}

void cmb_run_return_to(cmb_simulation *sim, cmb_regime *regime)
{
  take_over(sim, regime);
  use_regime(sim, regime);
}

cmb_status cmb_run_watch_rank(cmb_simulation *sim)
{
  const cmb_events *e = sim->events;
  return cmb_run_final(sim, cmb_rank_watch_start(sim->watch, e->t, e->q_found), "constraints",
                       e->t);
}

double cmb_run_slowness(const cmb_simulation *sim)
{
  double largest = 0;
  for (int i = 0; i < sim->eq->nv; i++) largest = fmax(largest, fabs(sim->events->v_found[i]));
  return fmax(sim->options.integrator.atol, ROUNDING * largest);
}

double cmb_run_still(const cmb_simulation *sim)
{
  const double time = cmb_run_time_scale(sim, 0);
  return time > 0 ? STILL * sim->options.integrator.atol / time : 0;
}

/* What does not matter where bodies rest, from the forces and velocities there. */
static cmb_status begin_contact(cmb_simulation *sim)
{
  const cmb_point at = cmb_run_point(sim);
  cmb_mean_hold(sim->regime->mean, NULL);
  CMB_TRY(cmb_resting_begin(sim->regime->resting, sim->ev, &at, cmb_run_still(sim),
                            cmb_run_slowness(sim)));
  return sim->eq->switch_flow ? cmb_run_take_mean_friction(sim) : CMB_OK;
}

cmb_status cmb_run_set_contact_tolerances(cmb_simulation *sim)
{
  if (!sim->regime->resting) return CMB_OK;
  return cmb_run_final(sim, begin_contact(sim), "rest", sim->events->t);
}

cmb_status cmb_run_widen_contact_tolerances(cmb_simulation *sim)
{
  const cmb_statistics statistics = sim->ev->stats;
  if (!sim->regime->resting) return CMB_OK;
  const cmb_point at = cmb_evaluator_point(sim->ev, cmb_integrator_t(sim->in),
                                           cmb_integrator_q(sim->in), cmb_integrator_v(sim->in));
  cmb_status status = cmb_resting_widen(sim->regime->resting, sim->ev, &at, cmb_run_still(sim));
  sim->ev->stats = statistics;
  return cmb_run_final(sim, status, "rest", at.t);
}

cmb_status cmb_run_change_regime(cmb_simulation *sim)
{
  return cmb_run_enter_regime(sim, true);
}

void cmb_run_step_back(cmb_simulation *sim, cmb_regime *regime)
{
  regime->ev->stats = sim->ev->stats;
  use_regime(sim, regime);
}

cmb_status cmb_run_inspect_regime(cmb_simulation *sim)
{
  cmb_regime *to;
  CMB_TRY(find_regime(sim, sim->closed, &to));
  if (to != sim->regime) cmb_run_return_to(sim, to);
  return CMB_OK;
}

cmb_status cmb_run_enter_regime(cmb_simulation *sim, bool inside)
{
  cmb_regime *to;
  CMB_TRY(find_regime(sim, sim->closed, &to));
  if (to == sim->regime && inside) return CMB_OK;
  if (to != sim->regime) cmb_run_return_to(sim, to);
  cmb_events *e = sim->events;
  bool changed;
  CMB_TRY(cmb_run_final(sim, cmb_run_follow_held(sim, &changed), "switching functions", e->t));
  cmb_evaluator *ev = sim->ev;
  if (to->resting) {
    const cmb_point at = cmb_run_point(sim);
    CMB_TRY(cmb_run_final(sim, cmb_resting_measure(to->resting, &at), "rest", e->t));
  }
  CMB_TRY(cmb_run_final(sim, cmb_take_references(ev, e->t, e->q_found), "constraints", e->t));
  if (ev->eq->ng > 0) {
    CMB_TRY(cmb_run_final(sim, cmb_factor_at(ev, e->t, e->q_found), "constraints", e->t));
    const cmb_status projected = cmb_project_outside_steps(ev, e->t, e->q_found, e->v_found);
    CMB_TRY(cmb_run_final(sim, projected, "constraints", e->t));
  }
  CMB_TRY(cmb_run_set_contact_tolerances(sim));
  cmb_integrator_reset(sim->in);
  cmb_variation_begin(sim->variation, e->t, sim->t_end);
  cmb_status status = cmb_left_out_start(sim->left_out_watch, e->t, e->q_found, e->v_found);
  CMB_TRY(cmb_run_final(sim, status, "constraints", e->t));
  return cmb_run_watch_rank(sim);
}

cmb_status cmb_run_find_free_regime(cmb_simulation *sim, cmb_regime **found)
{
  const cmb_equations *eq = sim->eq;
  const cmb_events *e = sim->events;
  for (int i = 0; i < eq->rule_count; i++) {
    sim->closed_without_gap[i] = sim->closed[i] && !eq->rules[i].gap;
  }
  CMB_TRY(find_regime(sim, sim->closed_without_gap, found));
  if (*found == sim->regime) return CMB_OK;
  cmb_evaluator *ev = (*found)->ev;
  if (eq->ns > 0) memcpy(ev->mode, sim->ev->mode, (size_t)eq->ns * sizeof(int));
  for (int i = eq->ns; i < ev->eq->ns; i++) ev->mode[i] = 1;
  if (*found == sim->regimes) return CMB_OK; /* its references are those of the start */
  ev->redundant = sim->ev->redundant;
  cmb_status status = cmb_take_references(ev, e->t, e->q_found);
  return cmb_run_final(sim, status, "constraints", e->t);
}
