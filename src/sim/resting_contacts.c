/*
 * Closes contacts that stay closed, after impacts that have become negligible, and checks those that are closed (run.h).
 *
 * Impacts that follow each other at shorter and shorter intervals have no end. So an impact that changes no velocity by more than the tolerances of
 * the run is the last one: the contact then stays closed, if the bodies are pushed onto the surface of the rule. The time at which the impacts would
 * accumulate is that of a geometric series: with the last intervals d₁ and d₂ it is t + d₂² / (d₁ − d₂).
 */
#include "base/context.h"
#include "dae/system.h"
#include "sim/run.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const double ROUNDING = 1e-14;   /* of a rate beside the velocities that it is made of */
static const double ROUNDINGS = 32;     /* in the places of a dense output */
static const double ACCUMULATED = 1e-2; /* an interval between impacts beside the first ones */
/* Impacts of a rule that has no surface to rest on. */
cmb_status cmb_run_fail_accumulating(cmb_simulation *sim, int rule, double limit)
{
  return cmb_fail_about(
      sim->ctx, CMB_ERROR_EVENTS, cmb_about_time(limit, "event", sim->eq->rules[rule].name),
      "event '%s' occurs at ever shorter intervals towards t = %.12g, and the motion after that is "
      "not determined: a contact can stay closed only where 'when' is one comparison of positions "
      "and the event resets one quantity, the rate of what is compared",
      sim->eq->rules[rule].name, limit);
}

/* The time at which the rule's impacts accumulate; NaN: they do not come faster and faster. The last of them are so near to each
 * other that rounding decides on the intervals: what was found before is kept, unless the impacts have gone on for longer. */
static double limit_of(const cmb_rule_times *times)
{
  const double *t = times->t, first = t[1] - t[2], second = t[0] - t[1];
  const double limit = second < first ? t[0] + second * second / (first - second) : NAN;
  const double left = times->limit - t[1];
  if (isnan(left) || t[0] > times->limit + left) return limit;
  return fabs(limit - times->limit) <= left ? limit : times->limit;
}

void cmb_run_remember_time(cmb_simulation *sim, int rule)
{
  cmb_rule_times *times = &sim->times[rule];
  double *t = times->t;
  if (t[0] == sim->events->t) return;
  t[2] = t[1], t[1] = t[0], t[0] = sim->events->t;
  times->limit = limit_of(times);
  const double interval = t[0] - t[1];
  const bool shorter = interval <= 2 * (t[1] - t[2]) || interval <= ACCUMULATED * times->longest;
  if (!shorter) times->longest = interval; /* others begin */
}

/* The limit, if the rule's impacts really have come faster and faster. */
double cmb_run_accumulation_of(const cmb_rule_times *times)
{
  return times->t[0] - times->t[1] <= ACCUMULATED * times->longest ? times->limit : NAN;
}

bool cmb_run_is_negligible(const cmb_simulation *sim, const double *jump)
{
  const cmb_integrator_options *o = &sim->options.integrator;
  const double *v = sim->events->v_found;
  for (int i = 0; i < sim->eq->nv; i++) {
    if (!(fabs(jump[i]) <= o->rtol * fabs(v[i]) + o->atol)) return false;
  }
  return true;
}

/* The surfaces of all rules at the state found, into the evaluator's u, ut, u_gamma and U. */
cmb_status cmb_run_find_surfaces(cmb_simulation *sim)
{
  const cmb_events *e = sim->events;
  return cmb_surfaces(sim->ev, e->t, e->q_found, e->v_found);
}

/* The rule's surface at the state found, its gradient into row (nv): u and du/dt, counted so that u is positive where the rule
 * has just acted. */
cmb_status cmb_run_surface_here(cmb_simulation *sim, int rule, double *u, double *rate,
                                double *gamma, double *row)
{
  const cmb_equations *eq = sim->ev->eq;
  const cmb_events *e = sim->events;
  const int direction = eq->rules[rule].direction;
  const int side = direction != 0 ? direction : sim->impact->met_here[rule] ? 1 : -1;
  CMB_TRY(cmb_run_find_surfaces(sim));
  cmb_surface_row(sim->ev, rule, row);
  *rate = sim->ev->ut[rule];
  for (int i = 0; i < eq->nv; i++) {
    row[i] *= side;
    *rate += side * row[i] * e->v_found[i];
  }
  *u = side * sim->ev->u[rule], *rate *= side, *gamma = side * sim->ev->u_gamma[rule];
  return CMB_OK;
}

/* What rounding makes of places. Where an impact is found on the dense output of a method, its rounding counts: that of radau5 and sdirk4
 * has some 20 units. */
static double rounded_place(const cmb_simulation *sim)
{
  double place = 0;
  for (int i = 0; i < sim->eq->nq; i++) place = fmax(place, fabs(sim->events->q_found[i]));
  return ROUNDINGS * DBL_EPSILON * place;
}

/* What that makes of the distance from a surface with the gradient `row`: jumps that are not higher are not seen. */
double cmb_run_unseen_distance(const cmb_simulation *sim, const double *row)
{
  double slope = 0;
  for (int i = 0; i < sim->eq->nv; i++) slope = fmax(slope, fabs(row[i]));
  return slope * rounded_place(sim);
}

cmb_status cmb_run_classify_rebound(cmb_simulation *sim, int rule, const double *jump,
                                    cmb_rebound *what)
{
  const cmb_equations *eq = sim->ev->eq;
  cmb_events *e = sim->events;
  double u, rate, second, *row = sim->v_work, change = 0, size = 0;
  CMB_TRY(cmb_accelerate(sim->ev, e->t, e->q_found, e->v_found, sim->a, e->lambda_found));
  CMB_TRY(cmb_run_surface_here(sim, rule, &u, &rate, &second, row));
  for (int i = 0; i < eq->nv; i++) {
    second += row[i] * sim->a[i];
    change += row[i] * jump[i];
    size += fabs(row[i] * e->v_found[i]);
  }
  *what = CMB_PASSES;
  if (u > cmb_run_leeway(sim) * cmb_surface_size(sim->ev, rule)) return CMB_OK; /* far behind it */
  const double least = fmax(u, cmb_run_unseen_distance(sim, row));
  const bool out = rate < 0 && (second <= 0 || rate * rate > 4 * second * least);
  const bool passes = rate > CMB_SIGNIFICANT * fabs(change) + ROUNDING * size;
  *what = passes ? CMB_PASSES : out ? CMB_REBOUNDS : CMB_STAYS;
  return CMB_OK;
}

/* The largest gradient of a contact's gap so far; that of other surfaces is about 1. */
static double usual_gradient(const cmb_simulation *sim, int rule)
{
  const cmb_equations *eq = sim->eq;
  const bool *reads = eq->rule_reads + (ptrdiff_t)rule * eq->ns;
  double most = 0;
  if (!eq->rules[rule].gap) return 1;
  for (int i = 0; i < eq->ns; i++) {
    if (reads[i]) most = fmax(most, sim->events->steepest[i]);
  }
  return most;
}

/* Whether what the rule resets is the rate of its surface: only then its impulses act along the surface's normal. A surface without
 * a normal has none. What other bodies rest on holds no rates for good: the constraints are those of the first regime, without rests.
 * *off is how far the state is from the surface. */
cmb_status cmb_run_acts_along_surface(cmb_simulation *sim, int rule, bool *along, double *off)
{
  const cmb_events *e = sim->events;
  const cmb_equations *eq = sim->eq;
  const double *R = sim->impact->R + (ptrdiff_t)eq->rules[rule].first_reset * eq->nv;
  cmb_impact *first = &sim->regimes->impact;
  double u, rate, gamma;
  CMB_TRY(cmb_run_surface_here(sim, rule, &u, &rate, &gamma, sim->v_work));
  *off = fabs(u) / cmb_surface_size(sim->ev, rule);
  if (eq->ns > 0) memmove(first->ev->mode, sim->ev->mode, (size_t)eq->ns * sizeof(int));
  return cmb_impact_is_along(first, e->t, e->q_found, R, sim->v_work, usual_gradient(sim, rule),
                             along);
}

cmb_status cmb_run_is_unseen(cmb_simulation *sim, int rule, bool *unseen)
{
  const cmb_rule *r = &sim->eq->rules[rule];
  const cmb_events *e = sim->events;
  bool along = r->gap;
  double u, rate, second, off, *row = sim->v_work;
  *unseen = false;
  if (!r->surface || r->direction == 0) return CMB_OK;
  if (!along) CMB_TRY(cmb_run_acts_along_surface(sim, rule, &along, &off));
  if (!along) return CMB_OK;
  CMB_TRY(cmb_accelerate(sim->ev, e->t, e->q_found, e->v_found, sim->a, e->lambda_found));
  CMB_TRY(cmb_run_surface_here(sim, rule, &u, &rate, &second, row));
  for (int i = 0; i < sim->eq->nv; i++) second += row[i] * sim->a[i];
  *unseen = second > 0 && rate * rate <= 4 * second * cmb_run_unseen_distance(sim, row);
  return CMB_OK;
}

cmb_status cmb_run_is_touched(cmb_simulation *sim, int rule, bool *touched)
{
  const cmb_events *e = sim->events;
  double u, rate, second, *row = sim->v_work;
  *touched = false;
  if (!sim->eq->rules[rule].gap) return CMB_OK;
  CMB_TRY(cmb_accelerate(sim->ev, e->t, e->q_found, e->v_found, sim->a, e->lambda_found));
  CMB_TRY(cmb_run_surface_here(sim, rule, &u, &rate, &second, row));
  for (int i = 0; i < sim->eq->nv; i++) second += row[i] * sim->a[i];
  const double room = usual_gradient(sim, rule) * rounded_place(sim) - u;
  *touched = room > 0 && second < 0 && rate * rate <= -2 * second * room;
  return CMB_OK;
}

/* Whether the bodies stay on the surface of the rule: the regime with it is entered, and left again if they do not. */
static cmb_status try_closed(cmb_simulation *sim, int rule, bool *rests)
{
  cmb_regime *before = sim->regime;
  cmb_events *e = sim->events;
  memcpy(sim->q_work, e->q_found, (size_t)sim->eq->nq * sizeof(double));
  memcpy(sim->v_kept, e->v_found, (size_t)sim->eq->nv * sizeof(double));
  sim->closed[rule] = true;
  CMB_TRY(cmb_run_change_regime(sim));
  e = sim->events;
  cmb_status status =
      cmb_accelerate(sim->ev, e->t, e->q_found, e->v_found, sim->a, e->lambda_found);
  CMB_TRY(cmb_run_final(sim, status, "rest", e->t));
  status = cmb_switches(sim->ev, e->t, e->q_found, e->v_found, e->lambda_found, e->s_probe);
  CMB_TRY(cmb_run_final(sim, status, "switching functions", e->t));
  *rests = true;
  for (int k = 0; k < sim->regime->closed_count; k++) {
    if (sim->regime->closed_rule[k] == rule) *rests = e->s_probe[sim->eq->ns + k] >= 0;
  }
  if (*rests) sim->rebounds[rule] = false;
  if (*rests) return CMB_OK;
  cmb_run_mark_held(sim);
  sim->closed[rule] = false;
  cmb_run_return_to(sim, before);
  memcpy(sim->events->q_found, sim->q_work, (size_t)sim->eq->nq * sizeof(double));
  memcpy(sim->events->v_found, sim->v_kept, (size_t)sim->eq->nv * sizeof(double));
  return CMB_OK;
}

/* The functions that tell on which side of its surface a rule is get this mode; those inside of the formula of the surface keep theirs. */
static void put(cmb_simulation *sim, int rule, int mode)
{
  const cmb_equations *eq = sim->eq;
  const ptrdiff_t row = (ptrdiff_t)rule * eq->ns;
  for (int i = 0; i < eq->ns; i++) {
    const bool inside = eq->surface_reads && eq->surface_reads[row + i];
    if (eq->rule_reads[row + i] && !inside) sim->ev->mode[i] = mode;
  }
}

/* With the modes of that side the bodies rest, or part. */
void cmb_run_disarm_rule(cmb_simulation *sim, int rule)
{
  const int direction = sim->eq->rules[rule].direction;
  if (direction == 0) return;
  put(sim, rule, -direction);
  sim->impact->met_here[rule] = direction < 0;
}

void cmb_run_arm_rule(cmb_simulation *sim, int rule)
{
  const int direction = sim->eq->rules[rule].direction;
  put(sim, rule, direction);
  sim->impact->met[rule] = direction < 0;
}

/* ---- contacts that bear */

static cmb_status fail_active_contacts(cmb_simulation *sim, cmb_status status)
{
  const cmb_contacts *c = &sim->active_contacts.contacts;
  char names[300] = "";
  size_t used = 0;
  int first = -1;
  if (status != CMB_RETRY_SINGULAR && status != CMB_RETRY_NEWTON) {
    return cmb_run_final(sim, status, "rest", sim->events->t);
  }
  for (int k = 0; k < c->count && used < sizeof names; k++) {
    if (!c->member[k]) continue;
    if (first < 0) first = c->rule[k];
    used += (size_t)snprintf(names + used, sizeof names - used, "%s'%s'", used ? ", " : "",
                             sim->eq->rules[c->rule[k]].name);
  }
  return cmb_fail_about(
      sim->ctx, CMB_ERROR_EVENTS, cmb_run_about_rule(sim, first),
      "at t = %.9g no contact forces of %s keep their gaps from becoming negative: constraints or "
      "moving surfaces press the bodies into each other",
      sim->events->t, names);
}

cmb_active_contacts_query cmb_run_active_contacts_query(const cmb_simulation *sim)
{
  const double atol = sim->options.integrator.atol;
  return (cmb_active_contacts_query){.closed = sim->closed,
                                     .ended = sim->ended,
                                     .undecided = sim->undecided,
                                     .gap = atol,
                                     .rate = atol,
                                     .unseen = rounded_place(sim),
                                     .far = cmb_run_leeway(sim),
                                     .still = cmb_run_still(sim)};
}

/* Which contacts bear at the state found, into sim->bearing; *several: there are some to choose from. */
static cmb_status find_active_contacts(cmb_simulation *sim, bool *several)
{
  const cmb_events *e = sim->events;
  const cmb_active_contacts_query query = cmb_run_active_contacts_query(sim);
  const cmb_contacts *c = &sim->active_contacts.contacts;
  cmb_regime *free;
  CMB_TRY(cmb_run_find_free_regime(sim, &free));
  const cmb_point at = cmb_evaluator_point(free->ev, e->t, e->q_found, e->v_found);
  cmb_status status =
      cmb_active_contacts_find(&sim->active_contacts, &free->impact, &at, e->lambda_found, &query);
  if (status != CMB_OK) return fail_active_contacts(sim, status);
  *several = c->touching >= 2;
  if (c->touching <= c->most) return CMB_OK;
  return cmb_fail_about(sim->ctx, CMB_ERROR_EVENTS, cmb_run_about_rule(sim, c->rule[0]),
                        "at t = %.9g %d gaps are closed, but the forces of more than %d "
                        "simultaneous contacts are not "
                        "computed; expected fewer",
                        e->t, c->touching, CMB_MOST_CONTACTS);
}

cmb_status cmb_run_lift(cmb_simulation *sim, int rule)
{
  const cmb_equations *eq = sim->eq;
  const bool *reads = eq->rule_reads + (ptrdiff_t)rule * eq->ns;
  cmb_events *e = sim->events;
  const double atol = sim->options.integrator.atol;
  const double zero = eq->rules[rule].gap ? atol : cmb_run_leeway(sim);
  cmb_status status =
      cmb_switches(sim->ev, e->t, e->q_found, e->v_found, e->lambda_found, e->s_probe);
  CMB_TRY(cmb_run_final(sim, status, "switching functions", e->t));
  for (int i = 0; i < eq->ns; i++) {
    const bool is_zero = fabs(e->s_probe[i]) <= zero * e->unit[i];
    if (reads[i] && is_zero) cmb_events_leave_zero(e, i, e->s_probe[i], cmb_run_away(sim, i));
  }
  return CMB_OK;
}

/* Contacts that touch and do not push have open gaps, whatever rounding says. */
static cmb_status lift_touching(cmb_simulation *sim)
{
  for (int k = 0; k < sim->eq->rule_count; k++) {
    if (sim->active_contacts.decided[k] && !sim->closed[k]) CMB_TRY(cmb_run_lift(sim, k));
  }
  return CMB_OK;
}

cmb_status cmb_run_take_active_contacts(cmb_simulation *sim, const cmb_regime *before)
{
  const cmb_equations *eq = sim->eq;
  for (int k = 0; k < eq->rule_count; k++) {
    if (sim->active_contacts.decided[k]) cmb_run_disarm_rule(sim, k);
    if (eq->rules[k].gap) sim->closed[k] = cmb_active_contacts_contain(&sim->active_contacts, k);
  }
  for (int k = 0; k < before->closed_count; k++) {
    if (sim->closed[before->closed_rule[k]]) continue;
    CMB_TRY(cmb_run_report_event(sim, CMB_KIND_REST, before->eq->switch_names[eq->ns + k], -1, -1));
  }
  CMB_TRY(cmb_run_enter_regime(sim, sim->regime == before));
  for (int k = 0; k < sim->regime->closed_count; k++) {
    const int rule = sim->regime->closed_rule[k];
    bool is_new = true;
    for (int i = 0; i < before->closed_count; i++)
      is_new = is_new && before->closed_rule[i] != rule;
    const double limit = sim->undecided[rule] ? cmb_run_accumulation_of(&sim->times[rule]) : NAN;
    if (is_new) CMB_TRY(cmb_run_report_closed_contact(sim, rule, limit));
  }
  return cmb_run_end_active_contacts(sim);
}

cmb_status cmb_run_end_active_contacts(cmb_simulation *sim)
{
  const cmb_active_contacts *x = &sim->active_contacts;
  for (int k = 0; k < sim->eq->rule_count; k++)
    sim->undecided[k] = sim->undecided[k] && !x->decided[k];
  return lift_touching(sim);
}

cmb_status cmb_run_choose_active_contacts(cmb_simulation *sim)
{
  bool several = false, decided;
  CMB_TRY(cmb_run_decide(sim, &decided));
  if (decided || sim->active_contacts.contacts.most < 2) return CMB_OK;
  CMB_TRY(find_active_contacts(sim, &several));
  return several ? cmb_run_take_active_contacts(sim, sim->regime) : CMB_OK;
}

/* Bodies come to rest on the surface of a rule; where others touch, or friction may hold, these may bear too, or in its place: the foot of a ladder is held, and
 * its head is pushed against the wall that it touches. */
static cmb_status close_on(cmb_simulation *sim, int rule, double limit)
{
  const bool gap = sim->eq->rules[rule].gap;
  bool several = false, decided = false, rests;
  sim->undecided[rule] = gap;
  if (gap) CMB_TRY(cmb_run_decide(sim, &decided));
  if (decided) return CMB_OK;
  if (gap) CMB_TRY(find_active_contacts(sim, &several));
  if (several) return cmb_run_take_active_contacts(sim, sim->regime);
  sim->undecided[rule] = false;
  CMB_TRY(try_closed(sim, rule, &rests));
  if (!rests) return CMB_OK;
  CMB_TRY(cmb_run_report_closed_contact(sim, rule, limit));
  return gap ? CMB_OK : cmb_run_choose_active_contacts(sim);
}

cmb_status cmb_run_close_contact(cmb_simulation *sim, int rule)
{
  const cmb_rule *r = &sim->eq->rules[rule];
  const double limit = cmb_run_accumulation_of(&sim->times[rule]);
  bool along = false;
  double off = 0;
  if (r->surface) {
    cmb_status status = cmb_run_acts_along_surface(sim, rule, &along, &off);
    CMB_TRY(cmb_run_final(sim, status, "rest", sim->events->t));
  }
  if (off > cmb_run_leeway(sim)) return CMB_OK; /* there is nothing to rest on */
  if (!along) {
    if (isnan(limit)) return CMB_OK;
    return cmb_run_fail_accumulating(sim, rule, limit);
  }
  cmb_run_disarm_rule(sim, rule);
  if (!r->gap) sim->impact->met[rule] = sim->impact->met_here[rule];
  return close_on(sim, rule, limit);
}

cmb_status cmb_run_close_contact_again(cmb_simulation *sim, int rule)
{
  const cmb_events *e = sim->events;
  cmb_status status =
      cmb_impact_solve(sim->impact, rule, e->t, e->q_found, e->v_found, e->lambda_found);
  if (status != CMB_RETRY_SINGULAR) CMB_TRY(cmb_run_final(sim, status, "rest", e->t));
  return cmb_run_close_contact(sim, rule);
}

/* Whether the impact of an event that has turned bodies back is negligible by now, or its rebound is too low to be seen: they may rest on its
 * surface. */
static cmb_status may_settle(cmb_simulation *sim, int rule, bool *may)
{
  const cmb_events *e = sim->events;
  const cmb_rule *r = &sim->eq->rules[rule];
  *may = false;
  if (!sim->reversed[rule] || sim->closed[rule] || r->gap) return CMB_OK;
  cmb_status status =
      cmb_impact_solve(sim->impact, rule, e->t, e->q_found, e->v_found, e->lambda_found);
  if (status == CMB_RETRY_SINGULAR) return CMB_OK; /* the constraints hold it */
  *may = status == CMB_OK && cmb_run_is_negligible(sim, sim->impact->jump);
  if (status == CMB_OK && !*may) status = cmb_run_is_unseen(sim, rule, may);
  return cmb_run_final(sim, status, "rest", e->t);
}

/* Those that have been put back and do not come to rest leave their surfaces; another regime has forgotten that. */
static cmb_status lift_reversed(cmb_simulation *sim)
{
  for (int i = 0; i < sim->eq->rule_count; i++) {
    const cmb_rule *r = &sim->eq->rules[i];
    const bool back = sim->impact->met_here[i] == (r->direction < 0);
    const bool reversed = sim->reversed[i] || sim->held_open[i];
    if (reversed && back && !r->gap && !sim->closed[i]) CMB_TRY(cmb_run_lift(sim, i));
  }
  return CMB_OK;
}

cmb_status cmb_run_settle(cmb_simulation *sim, bool *settled)
{
  bool again = true;
  while (again) {
    again = false;
    for (int i = 0; i < sim->eq->rule_count; i++) {
      bool may;
      CMB_TRY(may_settle(sim, i, &may));
      if (may) CMB_TRY(cmb_run_close_contact(sim, i));
      again = again || (may && sim->closed[i]);
    }
    *settled = *settled || again;
  }
  return lift_reversed(sim);
}

bool cmb_run_impact_reaches_contacts(const cmb_simulation *sim, const double *tau, double largest)
{
  for (int k = 0; k < sim->regime->closed_count; k++) {
    if (fabs(tau[sim->eq->ng + k]) > CMB_SIGNIFICANT * largest) return true;
  }
  return false;
}

cmb_status cmb_run_leave_all(cmb_simulation *sim, bool rests)
{
  const cmb_equations *eq = sim->eq;
  if (rests) sim->sequence = NAN;
  sim->opened_for_impact = sim->opened_for_impact || (rests && sim->regime->closed_count > 0);
  for (int k = 0; rests && k < sim->regime->closed_count; k++) {
    if (!sim->closed[sim->regime->closed_rule[k]]) continue;
    sim->closed[sim->regime->closed_rule[k]] = false;
    sim->reversed[sim->regime->closed_rule[k]] = true;
    CMB_TRY(cmb_run_report_event(sim, CMB_KIND_REST, sim->regime->eq->switch_names[eq->ns + k], -1,
                                 -1));
  }
  for (int i = 0; i < eq->ns; i++) {
    if (sim->hold_of[i] == 0) continue;
    const int leader = cmb_slide_leader(sim->hold_of[i]);
    sim->was_torn[leader] = true;
    cmb_run_stop_holding(sim, leader, -1);
  }
  return cmb_run_change_regime(sim);
}
