/*
 * Decides at an event which contacts stay closed and which dry friction holds, all at once (decide.h; called from restart.c by run.h).
 */
#include "sim/decide.h"

#include "base/context.h"
#include "math/dense.h"
#include "sim/run.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* What makes the problem regular, beside the diagonal: contacts are stiffer than friction, which so stays in its middle beside them. */
static const double SOFT = 1e-7, HARD = 1e-10;
static const double NONE = 1e-12;     /* what a mode makes of a rate, beside the rate */
static const double MORE = 1e-9;      /* a force at rest that is larger, beside twice that force */
static const double EDGE = 1e-6;      /* θ that is 0 or 1 */
static const double DEPENDENT = 1e-9; /* what is left of a response by others, beside it */
static const double WRONG = 1e-6;     /* a rate of a wrong sign, beside what it is made of */
static const double NEAR =
    1e6; /* functions that may turn out to be 0, in velocities that do not matter */

void cmb_decision_create(cmb_decision *x, cmb_arena *arena, const cmb_equations *eq)
{
  int gaps = 0;
  for (int i = 0; i < eq->rule_count; i++) gaps += eq->rules[i].gap;
  const int contacts = gaps < CMB_MOST_CONTACTS ? gaps : CMB_MOST_CONTACTS;
  const int ns = eq->switch_flow ? eq->ns : 0, most = ns > 0 ? ns + contacts : 0;
  *x = (cmb_decision){.most = most};
  x->leader = cmb_arena_ints(arena, ns);
  x->group = cmb_arena_ints(arena, ns);
  x->still = cmb_arena_take(arena, (size_t)ns, sizeof *x->still);
  x->hold_of = cmb_arena_ints(arena, ns);
  x->mode = cmb_arena_ints(arena, ns);
  x->held = cmb_arena_take(arena, (size_t)ns, sizeof *x->held);
  x->passed = cmb_arena_ints(arena, ns);
  x->role = cmb_arena_ints(arena, ns);
  x->slipping = cmb_arena_take(arena, 2 * (size_t)ns, (size_t)most * sizeof(double));
  x->slips = cmb_arena_take(arena, (size_t)ns, sizeof *x->slips);
  x->sticks = cmb_arena_take(arena, (size_t)ns, sizeof *x->sticks);
  x->fixed = cmb_arena_take(arena, (size_t)most, sizeof *x->fixed);
  x->idle = cmb_arena_take(arena, (size_t)most, sizeof *x->idle);
  x->list = cmb_arena_ints(arena, most);
  x->a = cmb_arena_doubles(arena, eq->nv);
  x->lower = cmb_arena_doubles(arena, 2 * (ns + eq->rule_count));
  x->change = cmb_arena_take(arena, (size_t)ns, (size_t)eq->nv * sizeof(double));
  x->A = cmb_arena_doubles(arena, most * most);
  x->b = cmb_arena_doubles(arena, most);
  x->u = cmb_arena_doubles(arena, most);
  x->x = cmb_arena_doubles(arena, most);
  x->B = cmb_arena_doubles(arena, most * most);
  x->c = cmb_arena_doubles(arena, most);
  x->w = cmb_arena_doubles(arena, most);
  x->y = cmb_arena_doubles(arena, most);
  x->number = cmb_arena_ints(arena, most);
  cmb_boxed_create(&x->boxed, arena, most);
}

void cmb_run_forget_passed(cmb_simulation *sim)
{
  for (int i = 0; sim->eq->switch_flow && i < sim->eq->ns; i++) sim->decision.passed[i] = 0;
}

void cmb_run_remember_held(cmb_simulation *sim)
{
  for (int i = 0; sim->eq->switch_flow && i < sim->eq->ns; i++) {
    sim->decision.held[i] = sim->hold_of[i] != 0;
  }
}

/* ---- what there is to decide */

/* Whether function i may be one that friction switches with. */
static bool is_of_friction(const cmb_simulation *sim, int i)
{
  const cmb_equations *eq = sim->eq;
  const bool silent = eq->switch_silent && eq->switch_silent[i];
  const bool of_gap = eq->switch_of_gap && eq->switch_of_gap[i];
  return eq->switch_order[i] == 1 && !silent && !of_gap;
}

/* Whether there may be something to decide, friction and another friction or a contact: where functions are about 0. */
static cmb_status look_for_several(cmb_simulation *sim, bool *several)
{
  const cmb_equations *eq = sim->eq;
  cmb_events *e = sim->events;
  int count = 0;
  *several = false;
  CMB_TRY(cmb_switches(sim->ev, e->t, e->q_found, e->v_found, e->lambda_found, e->s_probe));
  for (int i = 0; i < eq->ns; i++) {
    const bool near = sim->hold_of[i] != 0 || fabs(e->s_probe[i]) <= NEAR * cmb_run_slowness(sim);
    count += is_of_friction(sim, i) && near;
  }
  *several = count > 1;
  if (count != 1 || !eq->surfaces) return CMB_OK;
  CMB_TRY(cmb_run_find_surfaces(sim));
  for (int k = 0; k < eq->rule_count; k++) {
    const double far = cmb_run_leeway(sim) * cmb_surface_size(sim->ev, k);
    *several = *several || (eq->rules[k].gap && fabs(sim->ev->u[k]) <= far);
  }
  return CMB_OK;
}

/* Into the regime without rests on contacts and without slides of functions of velocities, as it is. */
static cmb_status enter_free(cmb_simulation *sim)
{
  cmb_decision *x = &sim->decision;
  cmb_regime *free;
  const size_t size = (size_t)sim->eq->ns * sizeof(int);
  memcpy(x->hold_of, sim->hold_of, size);
  memcpy(x->mode, sim->ev->mode, size);
  for (int i = 0; i < sim->eq->ns; i++) {
    if (sim->hold_of[i] != 0 && sim->eq->switch_order[i] == 1) sim->hold_of[i] = 0;
  }
  CMB_TRY(cmb_run_find_free_regime(sim, &free));
  if (free != sim->regime) cmb_run_return_to(sim, free);
  return CMB_OK;
}

/* Whether group k held up to this event. */
bool cmb_decision_was_released(const cmb_simulation *sim, int k)
{
  const cmb_decision *x = &sim->decision;
  const int i = x->leader[k];
  return sim->released[i] > 0 && x->hold_of[i] == 0;
}

/* Whether a function of group k has modes of its own for what holds it. */
static bool has_held_modes(const cmb_simulation *sim, int k)
{
  const int *group = sim->decision.group;
  bool any = false;
  for (int i = 0; i < sim->eq->ns; i++) {
    const bool member = group[i] != 0 && cmb_slide_leader(group[i]) == k;
    any = any || (member && cmb_switch_sticks(sim->eq, i));
  }
  return any;
}

/* The rate of group k with what it holds with or what it slips with, on one side; all others are in mode −1. */
static cmb_status find_own_rate(cmb_simulation *sim, int k, bool slips, int side, double *rate)
{
  cmb_decision *x = &sim->decision;
  x->slips[k] = slips;
  cmb_decision_put(sim, k, side);
  const cmb_status status = cmb_run_flow_here(sim, sim->a_other, sim->flow);
  x->slips[k] = false;
  cmb_decision_put(sim, k, -1);
  *rate = sim->flow[x->leader[k]];
  return status;
}

/* Whether group k can hold more than it exerts while it slips: by values, for a law with two forces may have the same for both, or have it now.
 */
static cmb_status find_sticks(cmb_simulation *sim, int k)
{
  cmb_decision *x = &sim->decision;
  double held, slipping, across;
  x->sticks[k] = false;
  if (!has_held_modes(sim, k)) return CMB_OK;
  CMB_TRY(find_own_rate(sim, k, false, -1, &held));
  CMB_TRY(find_own_rate(sim, k, true, -1, &slipping));
  CMB_TRY(find_own_rate(sim, k, false, 1, &across));
  x->sticks[k] = fabs(held - slipping) > MORE * fabs(held - across);
  return CMB_OK;
}

/* Groups of functions that share their surfaces, in mode −1. */
static cmb_status list_groups(cmb_simulation *sim)
{
  cmb_decision *x = &sim->decision;
  const int ns = sim->eq->ns;
  x->groups = 0;
  memset(x->group, 0, (size_t)ns * sizeof *x->group);
  CMB_TRY(cmb_run_find_still(sim, x->still));
  for (int i = 0; i < ns; i++) {
    if (x->group[i] != 0 || !is_of_friction(sim, i) || !(x->still[i] || x->hold_of[i] != 0))
      continue;
    CMB_TRY(cmb_run_find_group(sim, i, sim->same_surface));
    for (int j = 0; j < ns; j++) {
      if (sim->same_surface[j] != 0) x->group[j] = sim->same_surface[j] * (x->groups + 1);
    }
    x->leader[x->groups++] = i;
  }
  for (int k = 0; k < x->groups; k++) {
    x->slips[k] = false;
    cmb_decision_put(sim, k, -1);
  }
  for (int k = 0; k < x->groups; k++) CMB_TRY(find_sticks(sim, k));
  for (int k = 0; k < x->groups; k++) {
    x->slips[k] = cmb_decision_was_released(sim, k) && !x->sticks[k];
  }
  return CMB_OK;
}

/* Functions of group k on one side. */
void cmb_decision_put(cmb_simulation *sim, int k, int side)
{
  const cmb_decision *x = &sim->decision;
  for (int i = 0; i < sim->eq->ns; i++) {
    const int g = x->group[i];
    if (g == 0 || cmb_slide_leader(g) != k) continue;
    sim->ev->mode[i] =
        x->slips[k] ? cmb_slide_mode(g, side) : cmb_slide_held_mode(sim->eq, i, g, side);
  }
}

/* ---- the problem */

/* Column k of the problem: what mode +1 of a group does to the rates of the others. */
static cmb_status find_change(cmb_simulation *sim, int k)
{
  cmb_decision *x = &sim->decision;
  const int nv = sim->eq->nv;
  double *change = x->change + (ptrdiff_t)k * nv;
  cmb_decision_put(sim, k, 1);
  CMB_TRY(cmb_run_flow_here(sim, change, sim->flow));
  cmb_decision_put(sim, k, -1);
  for (int i = 0; i < nv; i++) change[i] -= x->a[i];
  for (int i = 0; i < x->groups; i++) {
    const int f = x->leader[i];
    x->A[(ptrdiff_t)i * x->most + k] = x->lower[f] - sim->flow[f];
  }
  return CMB_OK;
}

/* Group k is none of friction: its modes are what they were. */
static void drop_group(cmb_simulation *sim, int k)
{
  cmb_decision *x = &sim->decision;
  const int last = --x->groups;
  for (int i = 0; i < sim->eq->ns; i++) {
    const int g = x->group[i] == 0 ? -1 : cmb_slide_leader(x->group[i]);
    if (g == k) {
      x->group[i] = 0;
      sim->ev->mode[i] = x->mode[i];
    } else if (g == last) {
      x->group[i] = x->group[i] > 0 ? k + 1 : -k - 1;
    }
  }
  x->leader[k] = x->leader[last];
  x->slips[k] = x->slips[last];
  x->sticks[k] = x->sticks[last];
  x->x[k] = x->x[last];
}

/* The groups' part. Functions whose two modes make no difference, or lead away on both sides, are left out; then *again. */
static cmb_status find_groups(cmb_simulation *sim, bool *again)
{
  cmb_decision *x = &sim->decision;
  *again = false;
  for (int k = 0; k < x->groups; k++) cmb_decision_put(sim, k, -1);
  CMB_TRY(cmb_run_flow_here(sim, x->a, x->lower));
  for (int k = 0; k < x->groups; k++) CMB_TRY(find_change(sim, k));
  for (int k = x->groups - 1; k >= 0; k--) {
    const double rate = x->lower[x->leader[k]], jump = x->A[(ptrdiff_t)k * (x->most + 1)];
    x->b[k] = -rate;
    x->u[k] = 1;
    if (jump > NONE * (fabs(rate) + fabs(rate - jump))) continue;
    drop_group(sim, k);
    *again = true;
  }
  return CMB_OK;
}

/* The contacts' part, in the order of active_contacts.c's members. */
static cmb_status find_contacts(cmb_simulation *sim)
{
  cmb_decision *x = &sim->decision;
  const cmb_equations *eq = sim->ev->eq;
  cmb_contacts *c = &sim->active_contacts.contacts;
  const cmb_point at = cmb_run_point(sim);
  const int nv = eq->nv, members = c->count > 0 ? cmb_contacts_take_members(c) : 0;
  x->size = x->groups + members;
  for (int k = 0, j = x->groups; k < c->count; k++) {
    if (!c->member[k]) continue;
    const double *row = sim->impact->R + (ptrdiff_t)eq->rules[c->rule[k]].first_reset * nv;
    const double *response = c->response + (ptrdiff_t)k * nv;
    for (int i = 0; i < nv; i++) sim->v_work[i] = x->a[i] + response[i];
    CMB_TRY(eq->switch_flow(eq->self, &at, sim->v_work, sim->flow));
    for (int i = 0; i < x->groups; i++) {
      const int f = x->leader[i];
      x->A[(ptrdiff_t)i * x->most + j] = x->lower[f] - sim->flow[f];
      x->A[(ptrdiff_t)j * x->most + i] = cmb_dot(nv, row, x->change + (ptrdiff_t)i * nv);
    }
    for (int i = 0; i < members; i++) {
      x->A[(ptrdiff_t)j * x->most + x->groups + i] = c->B[(ptrdiff_t)(j - x->groups) * members + i];
    }
    x->b[j] = c->b[j - x->groups];
    x->u[j++] = INFINITY;
  }
  return CMB_OK;
}

/* The problem of those that are not fixed, made regular: contacts are drawn to 0, and friction to its middle. */
static int pose(cmb_decision *x)
{
  int n = 0;
  for (int i = 0; i < x->size; i++) {
    if (!x->fixed[i]) x->number[n++] = i;
  }
  for (int i = 0; i < n; i++) {
    const ptrdiff_t from = x->number[i];
    const double *row = x->A + from * x->most;
    const double drawn = row[from] * (from < x->groups ? SOFT : HARD);
    x->c[i] = x->b[from] - (from < x->groups ? drawn / 2 : 0);
    for (int k = 0; k < x->size; k++) x->c[i] += x->fixed[k] ? row[k] * x->x[k] : 0;
    for (int k = 0; k < n; k++) x->B[(ptrdiff_t)i * n + k] = row[x->number[k]];
    x->B[(ptrdiff_t)i * (n + 1)] += drawn;
    x->w[i] = x->u[from];
  }
  return n;
}

/* Its solution. */
static cmb_status solve(cmb_decision *x, bool *several)
{
  const int n = pose(x);
  CMB_TRY(cmb_boxed_solve(&x->boxed, n, x->B, x->c, x->w, x->y, several));
  for (int i = 0; i < n; i++) x->x[x->number[i]] = x->y[i];
  return CMB_OK;
}

/* The terms that the rate of unknown k is made of, their sum and the sum of their sizes. */
static double rate_of(const cmb_decision *x, int k, double *size)
{
  double w = x->b[k];
  *size = fabs(w);
  for (int i = 0; i < x->size; i++) {
    const double part = x->A[(ptrdiff_t)k * x->most + i] * x->x[i];
    w += part;
    *size += fabs(part);
  }
  return w;
}

/* Groups that have just let go, to a side that is known, and contacts that have just ceased to bear. One with a larger force at rest may have been
 * let go by what others did for a moment in modes that they do not have: whether it holds is found with that force. */
static bool fix_released(cmb_simulation *sim)
{
  cmb_decision *x = &sim->decision;
  const cmb_contacts *c = &sim->active_contacts.contacts;
  bool any = false;
  for (int k = 0; k < x->groups; k++) {
    const int i = x->leader[k];
    x->fixed[k] = x->slips[k];
    if (x->fixed[k] && !x->sticks[k]) x->x[k] = x->mode[i] > 0 ? 1 : 0;
    any = any || x->fixed[k];
  }
  for (int i = 0, k = x->groups; i < c->count; i++) {
    if (!c->member[i]) continue;
    x->fixed[k] = sim->ended[c->rule[i]];
    x->x[k] = 0;
    any = any || x->fixed[k++];
  }
  return any;
}

/* These stay what they are, unless they would come back at once. */
static cmb_status solve_released(cmb_simulation *sim, bool *several)
{
  cmb_decision *x = &sim->decision;
  bool back = false;
  const bool any = fix_released(sim);
  CMB_TRY(solve(x, several));
  for (int k = 0; any && k < x->size; k++) {
    double size;
    const double w = rate_of(x, k, &size);
    if (!x->fixed[k] || (x->x[k] > 0 ? w : -w) <= WRONG * size) continue;
    x->fixed[k] = false;
    back = true;
  }
  return back ? solve(x, several) : CMB_OK;
}

/* ---- what follows */

/* The names of all that take part. */
static void name_all(const cmb_simulation *sim, size_t size, char *names)
{
  const cmb_decision *x = &sim->decision;
  const cmb_contacts *c = &sim->active_contacts.contacts;
  size_t used = 0;
  names[0] = '\0';
  for (int k = 0; k < x->groups && used < size; k++) {
    used += (size_t)snprintf(names + used, size - used, "%s'%s'", used ? ", " : "",
                             sim->eq->switch_names[x->leader[k]]);
  }
  for (int k = 0; k < c->count && used < size; k++) {
    if (!c->member[k]) continue;
    used += (size_t)snprintf(names + used, size - used, ", '%s'", sim->eq->rules[c->rule[k]].name);
  }
}

static cmb_status fail_decision(cmb_simulation *sim, cmb_status status, bool several)
{
  const double t = sim->events->t;
  const char *first = sim->eq->switch_names[sim->decision.leader[0]];
  const cmb_about about = cmb_about_time(t, "switching function", first);
  char names[400];
  name_all(sim, sizeof names, names);
  if (several) {
    return cmb_fail_about(sim->ctx, CMB_ERROR_EVENTS, about,
                          "at t = %.9g the motion at %s is not determined: more than one motion "
                          "satisfies all of their laws",
                          t, names);
  }
  if (status == CMB_RETRY_SINGULAR) {
    return cmb_fail_about(sim->ctx, CMB_ERROR_EVENTS, about,
                          "at t = %.9g no accelerations satisfy the laws of %s simultaneously", t,
                          names);
  }
  if (status == CMB_RETRY_NEWTON) {
    return cmb_fail_about(sim->ctx, CMB_ERROR_EVENTS, about,
                          "at t = %.9g no accelerations were found that satisfy the laws of %s "
                          "simultaneously",
                          t, names);
  }
  return cmb_run_final(sim, status, "dry friction", t);
}

/* 1, -1: group k lets go to that side; 0: it holds. */
static int side_of(const cmb_decision *x, int k)
{
  if (x->x[k] < EDGE) return -1;
  return x->x[k] > 1 - EDGE ? 1 : 0;
}

/* Functions that move get the modes of their sides, and leave 0; what has changed by that is told. */
static cmb_status release_moving(cmb_simulation *sim)
{
  const cmb_decision *x = &sim->decision;
  cmb_events *e = sim->events;
  for (int i = 0; i < sim->eq->ns; i++) {
    const int g = x->group[i], k = g == 0 ? -1 : cmb_slide_leader(g);
    const int side = k < 0 ? 0 : side_of(x, k);
    x->passed[i] = side == 0 ? 0 : cmb_slide_mode(g, side);
    if (side == 0) continue;
    const int mode = x->passed[i];
    const bool held = x->hold_of[i] != 0;
    sim->ev->mode[i] = e->mode_new[i] = mode;
    if (x->idle[k] || (!held && mode == x->mode[i]) || (held && x->leader[k] != i)) continue;
    sim->was_torn[i] = false;
    if (x->quiet) continue;
    CMB_TRY(cmb_run_report_event(sim, CMB_KIND_SWITCH, sim->eq->switch_names[i], i, mode));
  }
  return CMB_OK;
}

/* Groups that hold slide, unless the rests hold them. */
static cmb_status hold(cmb_simulation *sim)
{
  const cmb_decision *x = &sim->decision;
  const int ns = sim->eq->ns;
  for (int k = 0; k < x->groups; k++) {
    if (side_of(x, k) != 0 || cmb_run_is_held(sim, x->leader[k])) continue;
    for (int i = 0; i < ns; i++) {
      const int g = x->group[i];
      sim->same_surface[i] = g != 0 && cmb_slide_leader(g) == k ? cmb_slide_mode(g, 1) : 0;
    }
    cmb_run_hold_function(sim, x->leader[k], sim->same_surface);
  }
  return cmb_run_change_regime(sim);
}

/* Whether the regime and the modes that there were are those that have been decided on. */
static bool is_so_already(const cmb_simulation *sim, const cmb_regime *before)
{
  const cmb_decision *x = &sim->decision;
  for (int k = 0; k < sim->eq->rule_count; k++) {
    if (sim->eq->rules[k].gap &&
        sim->closed[k] != cmb_active_contacts_contain(&sim->active_contacts, k))
      return false;
  }
  for (int i = 0; i < sim->eq->ns; i++) {
    const int g = x->group[i], side = g == 0 ? 0 : side_of(x, cmb_slide_leader(g));
    if (g == 0 || (before->resting && before->resting->held[i] != 0)) continue;
    if ((side == 0) != (x->hold_of[i] != 0)) return false;
    if (side != 0 && x->mode[i] != cmb_slide_mode(g, side)) return false;
  }
  return true;
}

static void go_back(cmb_simulation *sim, cmb_regime *before)
{
  const size_t size = (size_t)sim->eq->ns * sizeof(int);
  if (sim->regime != before) cmb_run_step_back(sim, before);
  memcpy(sim->hold_of, sim->decision.hold_of, size);
  memcpy(sim->ev->mode, sim->decision.mode, size);
}

/* The motion is the same however friction and contacts that hold it share out their forces; what outputs say of these is not. */
static void warn_of_idle(cmb_simulation *sim)
{
  cmb_decision *x = &sim->decision;
  char names[400];
  bool any = false;
  for (int k = 0; k < x->size; k++) any = any || x->idle[k];
  if (!any || x->warned || sim->eq->no == 0) return;
  x->warned = true;
  name_all(sim, sizeof names, names);
  cmb_log(
      sim->ctx, CMB_LOG_WARNING,
      "from t = %.9g on %s hold the same motion: their forces are indeterminate, and outputs that "
      "depend on them are one of several possible values",
      sim->events->t, names);
}

/* What has been decided becomes what is. */
static cmb_status take(cmb_simulation *sim, cmb_regime *before)
{
  const cmb_decision *x = &sim->decision;
  warn_of_idle(sim);
  if (is_so_already(sim, before)) {
    go_back(sim, before);
    CMB_TRY(cmb_run_end_active_contacts(sim));
  } else {
    CMB_TRY(release_moving(sim));
    CMB_TRY(cmb_run_take_active_contacts(sim, before));
    CMB_TRY(hold(sim));
  }
  CMB_TRY(cmb_run_check_held_functions(sim));
  CMB_TRY(cmb_run_stop_held(sim));
  cmb_events *e = sim->events;
  cmb_status status =
      cmb_switches(sim->ev, e->t, e->q_found, e->v_found, e->lambda_found, e->s_probe);
  CMB_TRY(cmb_run_final(sim, status, "switching functions", e->t));
  for (int i = 0; i < sim->eq->ns; i++) {
    const int g = x->group[i];
    if (g == 0 || side_of(x, cmb_slide_leader(g)) == 0) continue;
    if (!cmb_run_is_held(sim, i)) {
      cmb_events_leave_zero(e, i, e->s_probe[i], cmb_run_away(sim, i));
    }
  }
  return CMB_OK;
}

/* Which contacts bear, with friction as it has been found. */
static void choose_contacts(cmb_simulation *sim, const cmb_active_contacts_query *query)
{
  const cmb_decision *x = &sim->decision;
  cmb_contacts *c = &sim->active_contacts.contacts;
  for (int i = 0, k = x->groups; i < c->count; i++) {
    if (!c->member[i]) continue;
    c->z[k - x->groups] = x->x[k];
    for (int j = 0; j < x->groups; j++) {
      c->b[k - x->groups] += x->A[(ptrdiff_t)k * x->most + j] * x->x[j];
    }
    k++;
  }
  cmb_active_contacts_choose(&sim->active_contacts, sim->impact->R, query);
}

/* ---- friction that holds what others hold */

/* The part that the unknowns in `list` have in what unknown k does, into y: whether they can do all of it. */
static bool depends(cmb_decision *x, int n, int k)
{
  const double *row = x->A + (ptrdiff_t)k * x->most;
  double own = row[k];
  for (int i = 0; i < n; i++) {
    const double *from = x->A + (ptrdiff_t)x->list[i] * x->most;
    x->y[i] = from[k];
    for (int j = 0; j < n; j++) x->B[(ptrdiff_t)i * n + j] = from[x->list[j]];
  }
  if (cmb_lu_factor(n, x->B, x->boxed.scale, x->boxed.pivot) != CMB_OK) return true;
  cmb_lu_solve(n, x->B, x->boxed.pivot, x->y);
  for (int i = 0; i < n; i++) own -= row[x->list[i]] * x->y[i];
  return own <= DEPENDENT * row[k];
}

/* How far unknown i can go with the speed y. */
static double way_of(const cmb_decision *x, int i, double y)
{
  if (y == 0) return INFINITY;
  return fmax(0, y < 0 ? x->x[i] / -y : (x->u[i] - x->x[i]) / y);
}

/* The first of the unknowns in `list`, or k (n), that comes to its bound when k goes to the given side and the others make up for it. */
static int first_of(const cmb_decision *x, int n, int k, int side, double *way)
{
  int first = n;
  *way = way_of(x, k, side);
  for (int i = 0; i < n; i++) {
    const double further = way_of(x, x->list[i], -side * x->y[i]);
    if (further < *way) *way = further, first = i;
  }
  return first;
}

/* Of k and those in `list` that can do a part of the same, one that can hold more than it exerts while it slips. */
static void note_indeterminate_sticking(cmb_decision *x, int n, int k)
{
  if (x->sticks[k]) x->doubtful = k;
  for (int i = 0; i < n; i++) {
    const int other = x->list[i];
    if (other < x->groups && x->sticks[other] && fabs(x->y[i]) > DEPENDENT) x->doubtful = other;
  }
}

/* Unknown k and those in `list` can do the same: one of them comes to its bound and stays there, friction rather than a contact. Whether it is a
 * contact. */
static bool exchange(cmb_decision *x, bool *active, int n, int k)
{
  double way, other;
  const int up = first_of(x, n, k, 1, &way), down = first_of(x, n, k, -1, &other);
  const bool rises =
      up == n || x->list[up] < x->groups || !(down == n || x->list[down] < x->groups);
  const int side = rises ? 1 : -1, out = rises ? up : down;
  const double by = side * (rises ? way : other);
  x->x[k] += by;
  for (int i = 0; i < n; i++) x->x[x->list[i]] -= by * x->y[i];
  const int idle = out == n ? k : x->list[out];
  x->x[idle] = 2 * x->x[idle] > x->u[idle] ? x->u[idle] : 0;
  x->idle[idle] = true;
  if (idle >= x->groups)
    active[idle - x->groups] = false;
  else
    note_indeterminate_sticking(x, n, k);
  if (out < n) x->list[out] = k;
  return idle >= x->groups;
}

/* The contacts that bear, into `list`; how many there are. */
static int list_active_contacts(cmb_simulation *sim)
{
  cmb_decision *x = &sim->decision;
  const cmb_contacts *c = &sim->active_contacts.contacts;
  int n = 0;
  for (int i = 0, k = x->groups; i < c->count; i++) {
    if (!c->member[i]) continue;
    if (cmb_active_contacts_contain(&sim->active_contacts, c->rule[i])) x->list[n++] = k;
    k++;
  }
  return n;
}

/* Whether a contact bears no longer: then friction may hold what it held. */
static bool leave_out_once(cmb_simulation *sim)
{
  cmb_decision *x = &sim->decision;
  const int contacts = list_active_contacts(sim);
  int n = contacts;
  for (int k = 0; k < x->groups; k++) {
    if (side_of(x, k) != 0 || depends(x, contacts, k)) continue;
    if (!depends(x, n, k)) {
      x->list[n++] = k;
    } else if (exchange(x, sim->active_contacts.active, n, k)) {
      return true;
    }
  }
  return false;
}

/* Of friction that holds together with others what these hold already, one is at a bound: the motion is the same. What contacts alone
 * hold is in the middle of its values (sticking.c). */
static void leave_out(cmb_simulation *sim)
{
  cmb_decision *x = &sim->decision;
  bool again = true;
  x->doubtful = -1;
  for (int k = 0; k < x->size; k++) x->idle[k] = false;
  while (again) again = leave_out_once(sim);
}

/* Friction that can hold the same in several ways, each with one force F for slipping and for holding, leaves the motion determined: the
 * accelerations are those of the complementarity problem, whose matrix is positive semidefinite, and these are unique though the forces are
 * not (docs/theory.md). Where one comes to its bound the problem is posed anew, and what another one has left is used
 * then. Where one has a larger force at rest, Fs > F, it loses a part of it when it comes to its bound, and when that is depends on how they
 * share out. */
static cmb_status refuse_indeterminate_sticking(cmb_simulation *sim)
{
  const cmb_decision *x = &sim->decision;
  char names[400];
  if (x->doubtful < 0) return CMB_OK;
  const char *name = sim->eq->switch_names[x->leader[x->doubtful]];
  name_all(sim, sizeof names, names);
  return cmb_fail_about(
      sim->ctx, CMB_ERROR_EVENTS, cmb_about_time(sim->events->t, "switching function", name),
      "at t = %.9g %s hold the same motion with indeterminate forces, and '%s' can exert a larger "
      "force while it sticks than while it slips: the time at which it begins to slip is not "
      "determined; expected the same force for both, or smooth friction",
      sim->events->t, names, name);
}

/* How much more than it can hold group k would have to exert, as a part of that, with all others as they are. */
static double overload_of(const cmb_decision *x, int k)
{
  double size;
  return fabs(rate_of(x, k, &size)) / x->A[(ptrdiff_t)k * (x->most + 1)];
}

/* One of the groups that let go of what they could hold has the smaller force from now on; *any: there was one. With it others may hold after
 * all. Those come first that have not held so far, but come through 0, and of several the one that is overloaded most. */
static void release_weakest(cmb_simulation *sim, bool *any)
{
  cmb_decision *x = &sim->decision;
  double most = 0;
  bool first_held = true;
  int first = -1;
  for (int k = 0; k < x->groups; k++) {
    if (side_of(x, k) == 0 || x->slips[k] || !x->sticks[k]) continue;
    const bool held = x->hold_of[x->leader[k]] != 0 || cmb_decision_was_released(sim, k);
    const double overload = overload_of(x, k);
    if (first >= 0 && (held != first_held ? held : overload <= most)) continue;
    first = k, first_held = held, most = overload;
  }
  *any = first >= 0;
  if (!*any) return;
  x->slips[first] = true;
  x->x[first] = side_of(x, first) > 0 ? 1 : 0;
}

/* The problem of the groups listed, and its solution; *several: there is something to decide. */
static cmb_status find_once(cmb_simulation *sim, const cmb_active_contacts_query *query,
                            bool *several, bool *done)
{
  cmb_decision *x = &sim->decision;
  cmb_contacts *c = &sim->active_contacts.contacts;
  const cmb_events *e = sim->events;
  bool again = true, unsure = false;
  *several = false;
  while (again) CMB_TRY(find_groups(sim, &again));
  if (x->groups == 0) return CMB_OK;
  const cmb_point at = cmb_run_point(sim);
  CMB_TRY(cmb_active_contacts_gather(&sim->active_contacts, sim->impact, &at, e->lambda_found,
                                     query, 1));
  if (c->touching > c->most) return CMB_OK;
  CMB_TRY(find_contacts(sim));
  *several = x->size > 1;
  if (*several) CMB_TRY(cmb_decision_release(sim, done));
  if (!*several || *done) return CMB_OK;
  cmb_status status = solve_released(sim, &unsure);
  return status != CMB_OK || unsure ? fail_decision(sim, status, unsure) : CMB_OK;
}

/* The whole problem in the regime without rests. */
static cmb_status find(cmb_simulation *sim, bool *several)
{
  const cmb_active_contacts_query query = cmb_run_active_contacts_query(sim);
  bool again = true, done = false;
  CMB_TRY(list_groups(sim));
  while (again && !done) {
    CMB_TRY(find_once(sim, &query, several, &done));
    if (!*several) return CMB_OK;
    release_weakest(sim, &again);
  }
  if (sim->active_contacts.contacts.count > 0) choose_contacts(sim, &query);
  leave_out(sim);
  return refuse_indeterminate_sticking(sim);
}

cmb_status cmb_run_decide(cmb_simulation *sim, bool *decided)
{
  cmb_regime *before = sim->regime;
  *decided = false;
  if (!sim->eq->switch_flow) return CMB_OK;
  cmb_status status = look_for_several(sim, decided);
  CMB_TRY(cmb_run_final(sim, status, "switching functions", sim->events->t));
  if (!*decided) return CMB_OK;
  CMB_TRY(enter_free(sim));
  CMB_TRY(cmb_run_final(sim, find(sim, decided), "dry friction", sim->events->t));
  if (*decided) return take(sim, before);
  go_back(sim, before);
  return CMB_OK;
}
