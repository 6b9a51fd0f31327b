/*
 * Determines the modes of event conditions that depend on velocities which dry friction holds at 0 (run.h). A held velocity is 0 to a condition,
 * whatever rounding makes of it: `x' < 0` is false, and `x' <= 0` is true. Such a condition
 *
 *     where the velocity becomes 0    is postponed until it has been decided whether friction holds the velocity,
 *     while friction holds it         has the mode that its formula has at 0, which is −1 (expr/modes.c),
 *     where friction is released      has the mode of the side to which the velocity leaves 0, from that instant on.
 *
 * A condition s depends on a held velocity if s is 0, stays 0 (ṡ = 0 with the forces that hold), and its gradient is a combination of those of the
 * held functions. A condition that a held velocity satisfies only in passing, such as x' < t − 1, is treated like any other.
 */
#include "base/context.h"
#include "method/integrator.h"
#include "sim/run.h"

#include <math.h>
#include <string.h>

static const double NONE =
    1e-6; /* what is left of a gradient or of a rate, beside what it was made of */
static const double PART = 1e-3;      /* of a velocity that does not matter */
static const double ROUNDING = 1e-12; /* of velocities beside those of the last step */

/* Whether function i is one of velocities that only conditions of events read. */
static bool is_held_condition(const cmb_simulation *sim, int i)
{
  const cmb_equations *eq = sim->eq;
  const bool silent = eq->switch_silent && eq->switch_silent[i];
  return silent && eq->switch_flow && eq->switch_order[i] == 1 && !eq->switch_of_gap[i];
}

static bool has_held_conditions(const cmb_simulation *sim)
{
  for (int i = 0; i < sim->eq->ns; i++) {
    if (is_held_condition(sim, i)) return true;
  }
  return false;
}

/* Gradients, whose sizes are kept, and values, those of the functions that slide, too. */
static cmb_status look(cmb_simulation *sim)
{
  const cmb_equations *eq = sim->eq;
  cmb_events *e = sim->events;
  CMB_TRY(cmb_run_find_gradients(sim));
  const cmb_point at = cmb_run_point(sim);
  CMB_TRY(eq->switches(eq->self, &at, e->lambda_found, e->s_probe));
  for (int i = 0; i < eq->ns; i++) sim->gradient[i] = cmb_run_gradient_size(sim, i);
  return CMB_OK;
}

/* What the groups that slide leave of the gradients. */
static cmb_status take_held(cmb_simulation *sim)
{
  const cmb_sliding *x = sim->regime->sliding;
  const cmb_point at = cmb_run_point(sim);
  for (int k = 0; x && k < CMB_PROBES; k++) {
    CMB_TRY(cmb_sliding_residue(x, &at, cmb_run_probe(sim, k)));
  }
  return CMB_OK;
}

/* Velocities that are 0 but for errors: rounding, and what those that slide are off. */
static double error_of_zero(const cmb_simulation *sim)
{
  const cmb_sliding *x = sim->regime->sliding;
  const double *v = cmb_integrator_v_before(sim->in);
  double fastest = 0, off = 0;
  for (int i = 0; i < sim->eq->nv; i++) fastest = fmax(fastest, fabs(v[i]));
  for (int k = 0; x && k < x->count; k++) {
    const int i = x->function[k];
    if (sim->gradient[i] > 0) off = fmax(off, fabs(sim->events->s_probe[i]) / sim->gradient[i]);
  }
  return 2 * off + ROUNDING * fastest + PART * cmb_run_slowness(sim);
}

static bool is_zero(const cmb_simulation *sim, int i)
{
  return fabs(sim->events->s_probe[i]) <= sim->gradient[i] * error_of_zero(sim);
}

/* ---- friction is not decided on yet */

/* Whether function k of the motion has just changed its mode, or is as near to 0 as condition i, so that friction may hold both. */
static bool may_hold(const cmb_simulation *sim, int k, int i)
{
  const cmb_equations *eq = sim->eq;
  const double *s = sim->events->s_probe;
  const bool changes = sim->events->mode_new[k] != sim->ev->mode[k];
  if (eq->switch_silent && eq->switch_silent[k]) return false;
  if (eq->switch_order[k] != 1 || sim->hold_of[k] != 0) return false;
  if (cmb_run_ratio_sign(sim, k, i) == 0) return false;
  if (!changes && !is_zero(sim, k)) return false;
  return is_zero(sim, i) || fabs(s[i] * sim->gradient[k]) <= 2 * fabs(s[k] * sim->gradient[i]);
}

static bool may_wait(const cmb_simulation *sim, int i)
{
  for (int k = 0; k < sim->eq->ns; k++) {
    if (may_hold(sim, k, i)) return true;
  }
  return false;
}

cmb_status cmb_run_begin_held_conditions(cmb_simulation *sim)
{
  const cmb_equations *eq = sim->eq;
  cmb_events *e = sim->events;
  bool friction = false;
  if (!has_held_conditions(sim)) return CMB_OK;
  cmb_events_at_end(e);
  CMB_TRY(cmb_run_final(sim, look(sim), "events", e->t));
  for (int i = 0; i < eq->ns; i++) {
    friction =
        friction || (!eq->switch_silent[i] && eq->switch_order[i] == 1 && e->s_probe[i] == 0);
  }
  for (int i = 0; friction && i < eq->ns; i++) {
    if (is_held_condition(sim, i) && e->s_probe[i] == 0) sim->ev->mode[i] = -1;
  }
  return CMB_OK;
}

/* Condition i has found a new mode. It keeps the one that it has; the friction that may hold it is looked at in this round. */
static void put_off(cmb_simulation *sim, int i)
{
  cmb_events *e = sim->events;
  for (int k = 0; k < sim->eq->ns; k++) {
    if (!may_hold(sim, k, i)) continue;
    sim->at_zero[k] = sim->at_zero[k] || e->mode_new[k] == sim->ev->mode[k];
  }
  e->mode_new[i] = sim->ev->mode[i];
}

/* Values and gradients as they are in the new modes of conditions: one may stand inside another. */
static cmb_status look_ahead(cmb_simulation *sim)
{
  const cmb_events *e = sim->events;
  const size_t size = (size_t)sim->eq->ns * sizeof(int);
  memcpy(sim->mode_kept, sim->ev->mode, size);
  for (int i = 0; i < sim->eq->ns; i++) {
    if (is_held_condition(sim, i)) sim->ev->mode[i] = e->mode_new[i];
  }
  cmb_status status = look(sim);
  if (status == CMB_OK) status = take_held(sim);
  memcpy(sim->ev->mode, sim->mode_kept, size);
  return cmb_run_final(sim, status, "events", e->t);
}

cmb_status cmb_run_postpone_held_conditions(cmb_simulation *sim, bool *any)
{
  const cmb_events *e = sim->events;
  bool known = false;
  *any = false;
  for (int i = 0; i < sim->eq->ns; i++) {
    if (e->mode_new[i] == sim->ev->mode[i] || !is_held_condition(sim, i)) continue;
    if (!known) CMB_TRY(look_ahead(sim));
    known = true;
    if (!may_wait(sim, i)) continue;
    put_off(sim, i);
    *any = true;
  }
  return CMB_OK;
}

/* ---- friction is decided on */

/* The group that has the surface of function i alone, as in dae/sliding.h, where gradients are whole; else one beyond all: several together. */
static int group_of(const cmb_simulation *sim, int i)
{
  const cmb_sliding *x = sim->regime->sliding;
  for (int k = 0; x && k < x->count; k++) {
    const int sign = cmb_run_ratio_sign(sim, x->function[k], i);
    if (sign != 0) return sign * (x->function[k] + 1);
  }
  return sim->eq->ns + 1;
}

/* Whether the rate of function i is 0, beside what the two sides of friction make of it. */
static bool stays(const cmb_simulation *sim, int i, const double *flow)
{
  const cmb_sliding *x = sim->regime->sliding;
  double most = 0;
  for (int k = 0; k < x->count; k++) {
    const int leader = x->function[k];
    const double jump = fabs(x->A[(ptrdiff_t)k * (x->count + 1)]);
    if (sim->gradient[leader] > 0) most = fmax(most, jump / sim->gradient[leader]);
  }
  return fabs(flow[i]) <= NONE * sim->gradient[i] * most;
}

/* Whether the groups that slide hold function i; of its gradient is left what they leave. */
static bool is_read(const cmb_simulation *sim, int i, const double *flow)
{
  const cmb_sliding *x = sim->regime->sliding;
  if (!x || x->count == 0 || sim->gradient[i] == 0) return false;
  const bool held = cmb_run_gradient_size(sim, i) <= NONE * sim->gradient[i];
  return held && is_zero(sim, i) && stays(sim, i, flow);
}

/* What friction held has been let go: to the side of the leader's mode, or, of several, to that of the rate. */
static void release_moving(cmb_simulation *sim, int i, int group, const double *flow)
{
  const int leader = cmb_slide_leader(group);
  const bool alone = leader < sim->eq->ns && sim->hold_of[leader] == 0;
  const int side = alone ? sim->ev->mode[leader] : 0;
  sim->condition_mode[i] = alone ? cmb_slide_mode(group, side > 0 ? 1 : -1) : flow[i] > 0 ? 1 : -1;
  cmb_events_leave_zero(sim->events, i, sim->events->s_probe[i], cmb_run_away(sim, i));
}

/* The rates of all functions in the regime that there is, and what it leaves of their gradients. */
static cmb_status look_at_regime(cmb_simulation *sim, double *flow)
{
  CMB_TRY(cmb_run_flow_here(sim, sim->a, flow));
  CMB_TRY(look(sim));
  for (int i = 0; i < sim->eq->ns; i++) {
    if (is_held_condition(sim, i)) sim->same_surface[i] = group_of(sim, i);
  }
  return take_held(sim);
}

static bool are_any(const cmb_simulation *sim)
{
  const cmb_sliding *x = sim->regime->sliding;
  for (int i = 0; i < sim->eq->ns; i++) {
    if (sim->condition_of[i] != 0) return true;
  }
  return x && x->count > 0 && has_held_conditions(sim);
}

/* Conditions that are read now and were not looked at so, into still. They get the modes of 0, with which there may be others: those around them. */
static cmb_status find_read(cmb_simulation *sim, double *flow, bool *more)
{
  CMB_TRY(look_at_regime(sim, flow));
  *more = false;
  for (int i = 0; i < sim->eq->ns; i++) {
    if (sim->condition_mode[i] != 0 || !is_held_condition(sim, i) || !is_read(sim, i, flow))
      continue;
    sim->condition_of[i] = sim->same_surface[i];
    sim->condition_mode[i] = sim->ev->mode[i] = -1;
    *more = true;
  }
  return CMB_OK;
}

static cmb_status find_all_read(cmb_simulation *sim, double *flow)
{
  const size_t size = (size_t)sim->eq->ns * sizeof(int);
  bool more = true;
  cmb_status status = CMB_OK;
  memcpy(sim->mode_kept, sim->ev->mode, size);
  while (more && status == CMB_OK) status = find_read(sim, flow, &more);
  memcpy(sim->ev->mode, sim->mode_kept, size);
  return status;
}

cmb_status cmb_run_update_held_conditions(cmb_simulation *sim, bool jumped)
{
  double *flow = cmb_run_probe(sim, CMB_PROBES + 1);
  int *before = sim->condition_before;
  if (!are_any(sim)) {
    cmb_run_end_held_conditions(sim);
    return CMB_OK;
  }
  for (int i = 0; i < sim->eq->ns; i++) {
    before[i] = sim->condition_of[i];
    sim->condition_of[i] = sim->condition_mode[i] = 0;
  }
  CMB_TRY(cmb_run_final(sim, find_all_read(sim, flow), "events", sim->events->t));
  for (int i = 0; i < sim->eq->ns; i++) {
    const bool over = before[i] != 0 && sim->condition_mode[i] == 0 && (!jumped || is_zero(sim, i));
    if (over && !cmb_run_is_held(sim, i)) release_moving(sim, i, before[i], flow);
  }
  return CMB_OK;
}

void cmb_run_end_held_conditions(cmb_simulation *sim)
{
  for (int i = 0; i < sim->eq->ns; i++) {
    if (sim->condition_of[i] == 0) sim->condition_mode[i] = 0;
  }
}
