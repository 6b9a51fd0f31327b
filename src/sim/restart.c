/*
 * What happens at an event (run.h): modes change, rules are obeyed, bodies come to rest on surfaces or leave them, and the integrator
 * begins again from there. Sliding is in slides.c, the change of the stage in stages.c.
 *
 * Rules act one after the other, in the order in which the equations list them; what one does to the velocities may call the next.
 * Contacts that act together are in together.c.
 *
 * Impacts that follow each other faster and faster have no end. So an impact that changes no velocity by more than the tolerances of
 * the run is the last: the bodies then rest on the rule's surface, if they are pushed onto it. The time at which the impacts would
 * accumulate is that of a geometric series: with the last intervals d₁ and d₂, t + d₂² / (d₁ − d₂).
 */
#include "base/context.h"
#include "dae/project.h"
#include "dae/system.h"
#include "method/integrator.h"
#include "sim/run.h"

#include <math.h>
#include <string.h>

static const double FELT = 1e-9; /* an impulse beside a larger one, or a rate beside its jump */
static const double ROUNDING = 1e-14; /* of a rate beside the velocities that it is made of */

static const double JUMPED = 1e3; /* a distance from a surface that bodies rest on, in tolerances */
static const double SHORT =
    1e-3; /* what is left of a series of impacts beside its first interval */
static const double STRUCK = 100;       /* a jump of a rate, in tolerances */
static const double ACCUMULATED = 1e-2; /* an interval between impacts beside the first ones */

cmb_point cmb_run_point(const cmb_simulation *sim)
{
  const cmb_events *e = sim->events;
  return (cmb_point){e->t, e->q_found, e->v_found, sim->ev->mode, sim->ev->scratch};
}

/* ---- events */

static cmb_status tell(cmb_simulation *sim, const cmb_event *event)
{
  const cmb_observer *o = &sim->options.observer;
  sim->result.events++;
  sim->last_event = event->name;
  return o->event ? o->event(o->user, event) : CMB_OK;
}

cmb_status cmb_run_announce(cmb_simulation *sim, cmb_event_kind kind, const char *name, int index,
                            int direction)
{
  const cmb_event event = {name, index, sim->events->t, direction, NAN, kind};
  return tell(sim, &event);
}

/* Bodies have come to rest on the rule's surface; the stage is the one in which they do. */
static cmb_status announce_rest(cmb_simulation *sim, int rule, double limit)
{
  const cmb_stage *stage = sim->stage;
  cmb_event event = {"", -1, sim->events->t, 1, limit, CMB_KIND_REST};
  for (int k = 0; k < stage->rest_count; k++) {
    if (stage->rest[k] == rule) event.name = stage->eq->switch_names[sim->eq->ns + k];
  }
  return tell(sim, &event);
}

cmb_status cmb_run_tell_impulse(cmb_simulation *sim, const cmb_impulse *impulse)
{
  const cmb_observer *o = &sim->options.observer;
  sim->result.impulses++;
  return o->impulse ? o->impulse(o->user, impulse) : CMB_OK;
}

cmb_status cmb_run_tell_impulses(cmb_simulation *sim)
{
  const cmb_agreement *a = sim->agreement;
  const cmb_equations *eq = sim->eq;
  if (!cmb_agreement_can_change(a)) return CMB_OK;
  for (int i = 0; i < eq->ng; i++) {
    if (!cmb_agreement_has_impulse(a, i)) continue;
    const double sign = eq->impulse_signs ? eq->impulse_signs[i] : 1;
    const cmb_impulse impulse = {.name = eq->lambda_names[i],
                                 .t = sim->events->t,
                                 .value = sign * a->impulse[i],
                                 .unit = eq->impulse_units ? eq->impulse_units[i] : "",
                                 .index = i,
                                 .unique = a->impulse_unique[i]};
    CMB_TRY(cmb_run_tell_impulse(sim, &impulse));
  }
  return CMB_OK;
}

const char *cmb_run_reset_unit(const cmb_simulation *sim, int reset)
{
  return sim->eq->reset_units ? sim->eq->reset_units[reset] : "";
}

/* Those along what a rule has reset. */
static cmb_status tell_impact(cmb_simulation *sim, int rule)
{
  const cmb_equations *eq = sim->eq;
  const cmb_rule *r = &eq->rules[rule];
  for (int j = 0; j < r->reset_count; j++) {
    if (sim->impact->rho[j] == 0) continue;
    const cmb_impulse impulse = {.name = eq->reset_names[r->first_reset + j],
                                 .t = sim->events->t,
                                 .value = sim->impact->rho[j],
                                 .unit = cmb_run_reset_unit(sim, r->first_reset + j),
                                 .index = -1,
                                 .unique = true};
    CMB_TRY(cmb_run_tell_impulse(sim, &impulse));
  }
  return CMB_OK;
}

/* Function i gets its new mode. It is an event if the motion depends on it. */
static cmb_status change_mode(cmb_simulation *sim, int i)
{
  const cmb_equations *eq = sim->ev->eq;
  const int before = sim->ev->mode[i], after = sim->events->mode_new[i];
  if (after == before) return CMB_OK;
  sim->ev->mode[i] = after;
  if (eq->switch_silent && eq->switch_silent[i]) return CMB_OK;
  return cmb_run_announce(sim, CMB_KIND_SWITCH, eq->switch_names[i], i, after > before ? 1 : -1);
}

/* ---- the end of rests and slides */

/* A rest from both sides ends to one of them: the modes of that side. */
static void choose_side(cmb_simulation *sim, int k)
{
  const cmb_equations *eq = sim->eq;
  const int rule = sim->stage->rest[k];
  const double mu = sim->events->lambda_found[eq->ng + k];
  const bool *reads = eq->rule_reads + (ptrdiff_t)rule * eq->ns;
  const bool same_side = sim->impact->met[rule] ? mu > 0 : mu < 0;
  if (eq->rules[rule].direction != 0 || same_side) return;
  for (int i = 0; i < eq->ns; i++) {
    if (reads[i]) sim->ev->mode[i] = sim->events->mode_new[i] = -sim->ev->mode[i];
  }
  sim->impact->met[rule] = !sim->impact->met[rule];
}

/* Rests and slides whose switching functions have become negative. */
static cmb_status leave_surfaces(cmb_simulation *sim)
{
  const cmb_stage *stage = sim->stage;
  cmb_events *e = sim->events;
  for (int k = 0; k < stage->rest_count; k++) {
    const int i = sim->eq->ns + k;
    if (e->mode_new[i] == 1) continue;
    e->mode_new[i] = 1;
    sim->rests[stage->rest[k]] = false;
    choose_side(sim, k);
    CMB_TRY(cmb_run_announce(sim, CMB_KIND_REST, stage->eq->switch_names[i], -1, -1));
  }
  for (int k = 0; stage->sliding && k < stage->sliding->count; k++) {
    const int i = stage->sliding->function[k], side = stage->sliding->theta[k] > 0.5 ? 1 : -1;
    if (e->mode_new[i] == 1) continue;
    cmb_run_release_slide(sim, i);
    cmb_run_stop_sliding(sim, i, side);
    CMB_TRY(cmb_run_announce(sim, CMB_KIND_SWITCH, stage->eq->switch_names[i], i, side));
  }
  return CMB_OK;
}

/* ---- rules */

static cmb_status fail_endless(cmb_simulation *sim)
{
  return cmb_fail(sim->ctx, CMB_ERROR_EVENTS, "impacts follow each other without end at t = %.9g",
                  sim->events->t);
}

/* Impacts of a rule that has no surface to rest on. */
static cmb_status fail_accumulating(cmb_simulation *sim, int rule, double limit)
{
  return cmb_fail(sim->ctx, CMB_ERROR_EVENTS,
                  "event '%s' comes faster and faster towards t = %.12g, and what follows is not "
                  "determined: bodies can come to rest only where 'when' is one comparison of "
                  "positions and the event resets one quantity, the rate of what is compared",
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
static double accumulation_of(const cmb_rule_times *times)
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
static cmb_status find_surfaces(cmb_simulation *sim)
{
  const cmb_events *e = sim->events;
  return cmb_surfaces(sim->ev, e->t, e->q_found, e->v_found);
}

/* The rule's surface at the state found, its gradient into row (nv): u and du/dt, counted so that u is positive where the rule
 * has just acted. */
static cmb_status surface_here(cmb_simulation *sim, int rule, double *u, double *rate,
                               double *gamma, double *row)
{
  const cmb_equations *eq = sim->ev->eq;
  const cmb_events *e = sim->events;
  const int side = sim->impact->met_here[rule] ? 1 : -1;
  CMB_TRY(find_surfaces(sim));
  cmb_surface_row(sim->ev, rule, row);
  *rate = sim->ev->ut[rule];
  for (int i = 0; i < eq->nv; i++) {
    row[i] *= side;
    *rate += side * row[i] * e->v_found[i];
  }
  *u = side * sim->ev->u[rule], *rate *= side, *gamma = side * sim->ev->u_gamma[rule];
  return CMB_OK;
}

cmb_status cmb_run_look_at_rebound(cmb_simulation *sim, int rule, const double *jump,
                                   cmb_rebound *what)
{
  const cmb_equations *eq = sim->ev->eq;
  cmb_events *e = sim->events;
  double u, rate, second, *row = sim->v_work, change = 0, size = 0;
  CMB_TRY(cmb_accelerate(sim->ev, e->t, e->q_found, e->v_found, sim->a, e->lambda_found));
  CMB_TRY(surface_here(sim, rule, &u, &rate, &second, row));
  for (int i = 0; i < eq->nv; i++) {
    second += row[i] * sim->a[i];
    change += row[i] * jump[i];
    size += fabs(row[i] * e->v_found[i]);
  }
  const bool out = rate < 0 && (second <= 0 || rate * rate > 4 * second * fmax(u, 0));
  const bool passes = rate > FELT * fabs(change) + ROUNDING * size;
  *what = passes ? CMB_PASSES : out ? CMB_REBOUNDS : CMB_STAYS;
  return CMB_OK;
}

/* Whether what the rule resets is the rate of its surface: only then its impulses act along the surface's normal. A surface without
 * a normal has none. What other bodies rest on holds no rates for good: the constraints are those of the first stage, without rests.
 * *off is how far the state is from the surface. */
static cmb_status acts_along_surface(cmb_simulation *sim, int rule, bool *along, double *off)
{
  const cmb_events *e = sim->events;
  const cmb_equations *eq = sim->eq;
  const double *R = sim->impact->R + (ptrdiff_t)eq->rules[rule].first_reset * eq->nv;
  cmb_impact *first = &sim->stages->impact;
  double u, rate, gamma;
  CMB_TRY(surface_here(sim, rule, &u, &rate, &gamma, sim->v_work));
  *off = fabs(u);
  if (eq->ns > 0) memmove(first->ev->mode, sim->ev->mode, (size_t)eq->ns * sizeof(int));
  return cmb_impact_is_along(first, e->t, e->q_found, R, sim->v_work, along);
}

/* Whether the bodies stay on the surface of the rule: the stage with it is entered, and left again if they do not. */
static cmb_status try_rest(cmb_simulation *sim, int rule, bool *rests)
{
  cmb_stage *before = sim->stage;
  cmb_events *e = sim->events;
  memcpy(sim->q_work, e->q_found, (size_t)sim->eq->nq * sizeof(double));
  memcpy(sim->v_kept, e->v_found, (size_t)sim->eq->nv * sizeof(double));
  sim->rests[rule] = true;
  CMB_TRY(cmb_run_change_stage(sim));
  e = sim->events;
  cmb_status status =
      cmb_accelerate(sim->ev, e->t, e->q_found, e->v_found, sim->a, e->lambda_found);
  CMB_TRY(cmb_run_final(sim, status, "rest", e->t));
  status = cmb_switches(sim->ev, e->t, e->q_found, e->v_found, e->lambda_found, e->s_probe);
  CMB_TRY(cmb_run_final(sim, status, "switching functions", e->t));
  *rests = true;
  for (int k = 0; k < sim->stage->rest_count; k++) {
    if (sim->stage->rest[k] == rule) *rests = e->s_probe[sim->eq->ns + k] >= 0;
  }
  if (*rests) return CMB_OK;
  sim->rests[rule] = false;
  cmb_run_return_to(sim, before);
  memcpy(sim->events->q_found, sim->q_work, (size_t)sim->eq->nq * sizeof(double));
  memcpy(sim->events->v_found, sim->v_kept, (size_t)sim->eq->nv * sizeof(double));
  return CMB_OK;
}

/* With the modes of that side the bodies rest, or part. */
void cmb_run_put_back(cmb_simulation *sim, int rule)
{
  const cmb_equations *eq = sim->eq;
  const bool *reads = eq->rule_reads + (ptrdiff_t)rule * eq->ns;
  const int direction = eq->rules[rule].direction;
  if (direction == 0) return;
  for (int i = 0; i < eq->ns; i++) {
    if (reads[i]) sim->ev->mode[i] = -direction;
  }
  sim->impact->met_here[rule] = direction < 0;
}

/* Whether the gap of a stop is 0, and its rate too, but for what is within the tolerances; the functions have the values s. */
static bool touches(const cmb_simulation *sim, int rule, const double *s)
{
  const cmb_equations *eq = sim->eq;
  const bool *reads = eq->rule_reads + (ptrdiff_t)rule * eq->ns;
  if (!eq->rules[rule].gap || sim->rests[rule]) return false;
  for (int i = 0; i < eq->ns; i++) {
    if (reads[i] && !(fabs(s[i]) <= sim->options.integrator.atol)) return false;
  }
  return true;
}

/* Whether the accelerations close the gap of a stop that touches, and nothing holds it already. */
static cmb_status is_pushed(cmb_simulation *sim, int rule, bool *pushed)
{
  const cmb_equations *eq = sim->ev->eq;
  cmb_events *e = sim->events;
  double *row = sim->v_work;
  *pushed = false;
  cmb_status status =
      cmb_impact_solve(sim->impact, rule, e->t, e->q_found, e->v_found, e->lambda_found);
  if (status == CMB_RETRY_SINGULAR) return CMB_OK;
  CMB_TRY(status);
  CMB_TRY(cmb_accelerate_factored(sim->ev, e->t, e->q_found, e->v_found, sim->a, e->lambda_found));
  CMB_TRY(find_surfaces(sim));
  cmb_surface_row(sim->ev, rule, row);
  double second = sim->ev->u_gamma[rule];
  for (int i = 0; i < eq->nv; i++) second += row[i] * sim->a[i];
  *pushed = second > 0;
  return CMB_OK;
}

/* Where a rest begins, others may begin with it: the foot of a ladder is held, and its head is pushed against the wall that it touches. */
static cmb_status rest_on_touching(cmb_simulation *sim)
{
  cmb_events *e = sim->events;
  cmb_status status =
      cmb_switches(sim->ev, e->t, e->q_found, e->v_found, e->lambda_found, sim->flow);
  CMB_TRY(cmb_run_final(sim, status, "switching functions", e->t));
  for (int i = 0; i < sim->eq->rule_count; i++) {
    bool pushed = false;
    if (!touches(sim, i, sim->flow)) continue;
    CMB_TRY(cmb_run_final(sim, is_pushed(sim, i, &pushed), "rest", sim->events->t));
    if (!pushed) continue;
    cmb_run_put_back(sim, i);
    CMB_TRY(try_rest(sim, i, &pushed));
    if (pushed) CMB_TRY(announce_rest(sim, i, NAN));
  }
  return CMB_OK;
}

cmb_status cmb_run_come_to_rest(cmb_simulation *sim, int rule)
{
  const cmb_rule *r = &sim->eq->rules[rule];
  const double limit = accumulation_of(&sim->times[rule]);
  bool along = false, rests = false;
  double off = 0;
  if (r->surface) {
    cmb_status status = acts_along_surface(sim, rule, &along, &off);
    CMB_TRY(cmb_run_final(sim, status, "rest", sim->events->t));
  }
  if (off > JUMPED * sim->options.integrator.atol) return CMB_OK; /* there is nothing to rest on */
  if (!along) {
    if (isnan(limit)) return CMB_OK;
    return fail_accumulating(sim, rule, limit);
  }
  cmb_run_put_back(sim, rule);
  CMB_TRY(try_rest(sim, rule, &rests));
  if (!rests) return CMB_OK;
  CMB_TRY(announce_rest(sim, rule, limit));
  return rest_on_touching(sim);
}

bool cmb_run_reaches_rests(const cmb_simulation *sim, const double *tau, double largest)
{
  for (int k = 0; k < sim->stage->rest_count; k++) {
    if (fabs(tau[sim->eq->ng + k]) > FELT * largest) return true;
  }
  return false;
}

/* The same of the impact of a rule. */
static bool rule_reaches_rests(const cmb_simulation *sim, int rule)
{
  const cmb_impact *x = sim->impact;
  double largest = 0;
  for (int j = 0; j < sim->eq->rules[rule].reset_count; j++) {
    largest = fmax(largest, fabs(x->rho[j]));
  }
  return cmb_run_reaches_rests(sim, x->tau, largest);
}

cmb_status cmb_run_leave_all(cmb_simulation *sim, bool rests)
{
  const cmb_equations *eq = sim->eq;
  if (rests) sim->sequence = NAN;
  for (int k = 0; rests && k < sim->stage->rest_count; k++) {
    if (!sim->rests[sim->stage->rest[k]]) continue;
    sim->rests[sim->stage->rest[k]] = false;
    CMB_TRY(cmb_run_announce(sim, CMB_KIND_REST, sim->stage->eq->switch_names[eq->ns + k], -1, -1));
  }
  for (int i = 0; i < eq->ns; i++) {
    if (sim->slides[i] != 0) cmb_run_stop_sliding(sim, cmb_slide_leader(sim->slides[i]), -1);
  }
  return cmb_run_change_stage(sim);
}

/* The constraints leave no room for what a rule resets. */
static cmb_status refuse(const cmb_simulation *sim, int rule)
{
  return cmb_fail(sim->ctx, CMB_ERROR_EVENTS,
                  "event '%s' at t = %.9g: what it resets cannot have the values asked for: the "
                  "constraints hold it, or its parts depend on each other",
                  sim->eq->rules[rule].name, sim->events->t);
}

/* The impact of a rule, into sim->impact. Where it is felt, bodies rest no longer (*left): each of their contacts has a law of its own
 * for impacts, and the impact is to be found anew. *held: what it asks for is so already, but for rounding, because bodies rest
 * elsewhere, as the fourth corner of a box is held by the other three. */
static cmb_status find_impact(cmb_simulation *sim, int rule, bool *held, bool *left)
{
  const cmb_integrator_options *o = &sim->options.integrator;
  const cmb_events *e = sim->events;
  const bool alone = sim->stage->rest_count == 0;
  cmb_status status =
      cmb_impact_solve(sim->impact, rule, e->t, e->q_found, e->v_found, e->lambda_found);
  *left = false;
  *held = status == CMB_RETRY_SINGULAR && !alone &&
          !cmb_impact_asks_for_more(sim->impact, rule, e->v_found, o->rtol, o->atol);
  if (*held) return CMB_OK;
  if (status == CMB_RETRY_SINGULAR && alone) return refuse(sim, rule);
  if (status != CMB_RETRY_SINGULAR) {
    CMB_TRY(cmb_run_final(sim, status, "resets", e->t));
    if (cmb_run_is_negligible(sim, sim->impact->jump)) return CMB_OK;
    if (!rule_reaches_rests(sim, rule)) return CMB_OK;
  }
  *left = true;
  return cmb_run_leave_all(sim, true);
}

/* A rule whose impacts accumulate must be one that bodies can rest on. */
static cmb_status check_accumulation(cmb_simulation *sim, int rule)
{
  const cmb_rule_times *times = &sim->times[rule];
  const double limit = accumulation_of(times);
  bool along = false;
  double off;
  if (!(limit - sim->events->t <= SHORT * times->longest)) return CMB_OK;
  if (sim->eq->rules[rule].surface) {
    cmb_status status = acts_along_surface(sim, rule, &along, &off);
    CMB_TRY(cmb_run_final(sim, status, "rest", sim->events->t));
  }
  return along ? CMB_OK : fail_accumulating(sim, rule, limit);
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
  CMB_TRY(tell_impact(sim, rule));
  for (int k = 0; k < sim->eq->nv; k++) e->v_found[k] += sim->impact->jump[k];
  if (r->surface && r->direction != 0) {
    CMB_TRY(cmb_run_final(sim, cmb_run_look_at_rebound(sim, rule, sim->impact->jump, &what),
                          "resets", e->t));
  }
  sim->rebounds[rule] = what == CMB_REBOUNDS && r->surface && r->direction != 0 && !r->gap;
  if (what == CMB_STAYS || (small && what == CMB_REBOUNDS)) return cmb_run_come_to_rest(sim, rule);
  return small ? CMB_OK : cmb_run_leave_all(sim, false);
}

/* Bodies cannot be inside of each other, where a run begins or where a gap jumps. The surfaces have been found. */
static cmb_status check_found_gap(cmb_simulation *sim, int rule)
{
  const cmb_equations *eq = sim->ev->eq;
  const cmb_events *e = sim->events;
  const double u = sim->ev->u[rule];
  if (!(u > JUMPED * sim->options.integrator.atol)) return CMB_OK;
  return cmb_fail(sim->ctx, e->t > sim->t_start ? CMB_ERROR_EVENTS : CMB_ERROR_INCONSISTENT,
                  "stop '%s': its gap is %.6g at t = %.9g%s; expected 0 or more",
                  eq->rules[rule].name, -u, e->t,
                  e->t > sim->t_start ? "" : ", where the run begins");
}

cmb_status cmb_run_check_gap(cmb_simulation *sim, int rule)
{
  CMB_TRY(cmb_run_final(sim, find_surfaces(sim), "stops", sim->events->t));
  return check_found_gap(sim, rule);
}

/* What a rule asks for, where its condition has just changed. */
static cmb_status obey_rule(cmb_simulation *sim, int i)
{
  const cmb_rule *rule = &sim->eq->rules[i];
  bool held = false, left = true, acted = false;
  while (left) {
    if (rule->gap) CMB_TRY(cmb_run_act_together(sim, i, &acted));
    if (acted) return CMB_OK;
    CMB_TRY(find_impact(sim, i, &held, &left));
  }
  sim->held[i] = held;
  if (held) {
    cmb_run_put_back(sim, i);
    return CMB_OK;
  }
  const cmb_impact *x = sim->impact;
  if (rule->gap && x->change[rule->first_reset] < 0)
    return CMB_OK; /* another one has parted them */
  if (rule->gap) CMB_TRY(cmb_run_check_gap(sim, i));
  const cmb_event_kind kind = rule->gap ? CMB_KIND_IMPACT : CMB_KIND_CONDITION;
  CMB_TRY(cmb_run_announce(sim, kind, rule->name, -1, x->met_here[i] ? 1 : -1));
  if (rule->action == CMB_EVENT_STOP) sim->result.stopped_by = rule->name;
  return rule->reset_count > 0 ? make_impact(sim, i) : CMB_OK;
}

static cmb_status look_at_conditions(cmb_simulation *sim)
{
  const cmb_events *e = sim->events;
  cmb_status status =
      cmb_conditions(sim->ev, e->t, e->q_found, e->v_found, e->lambda_found, sim->impact->met_here);
  return cmb_run_final(sim, status, "conditions of events", e->t);
}

/* A stop has acted, and an impact after it has turned the bodies towards each other again: its condition is met anew, although no
 * switching function has another sign than before. */
static cmb_status look_for_repeated(cmb_simulation *sim, bool *any)
{
  cmb_impact *x = sim->impact;
  const cmb_events *e = sim->events;
  *any = false;
  for (int i = 0; i < sim->eq->rule_count; i++) {
    const cmb_rule *rule = &sim->eq->rules[i];
    if (!rule->gap || !x->met[i] || sim->rests[i]) continue;
    cmb_status status = cmb_impact_solve(x, i, e->t, e->q_found, e->v_found, e->lambda_found);
    if (status == CMB_RETRY_SINGULAR) continue; /* the constraints hold it */
    CMB_TRY(cmb_run_final(sim, status, "resets", e->t));
    if (x->change[rule->first_reset] <= 0 || cmb_run_is_negligible(sim, x->jump)) continue;
    x->met[i] = false;
    *any = true;
  }
  return CMB_OK;
}

/* Rules whose conditions have changed, one after the other in their order; the velocities follow each. */
static cmb_status obey_rules(cmb_simulation *sim)
{
  const int count = sim->eq->rule_count;
  bool again = count > 0;
  int rounds = 0;
  while (again) {
    CMB_TRY(look_at_conditions(sim));
    for (int i = 0; (i = cmb_impact_next(sim->impact, i)) < count; i++) CMB_TRY(obey_rule(sim, i));
    memcpy(sim->impact->met, sim->impact->met_here, (size_t)count * sizeof(bool));
    CMB_TRY(look_for_repeated(sim, &again));
    if (again && ++rounds > CMB_MOST_CROWDED) return fail_endless(sim);
  }
  return CMB_OK;
}

/* ---- the restart */

/* The event's state as the constraints of the new modes want it. */
static cmb_status enter_modes(cmb_simulation *sim)
{
  cmb_events *e = sim->events;
  const int redundant = sim->ev->redundant;
  cmb_status status = cmb_agreement_new_modes(sim->agreement, e->t, e->q_found, e->v_found);
  CMB_TRY(cmb_run_final(sim, status, "constraints", e->t));
  CMB_TRY(cmb_run_tell_impulses(sim));
  if (sim->ev->redundant == redundant) return CMB_OK;
  return cmb_run_watch_rank(sim);
}

/* In the new modes a surface may be elsewhere, as a stair is behind the edge of a step: bodies that rested on it fall. Where it
 * has risen into them nothing is determined. */
static cmb_status leave_jumped(cmb_simulation *sim)
{
  const cmb_stage *stage = sim->stage;
  const cmb_equations *eq = sim->eq;
  const cmb_events *e = sim->events;
  if (stage->rest_count > 0) CMB_TRY(find_surfaces(sim));
  for (int k = 0; k < stage->rest_count; k++) {
    const int rule = stage->rest[k], direction = eq->rules[rule].direction;
    const double u = sim->ev->u[rule];
    if (!sim->rests[rule]) continue;
    if (!(fabs(u) > JUMPED * sim->options.integrator.atol)) continue;
    if (direction == 0 || direction * u > 0) {
      return cmb_fail(sim->ctx, CMB_ERROR_EVENTS,
                      "'%s' at t = %.9g: the surface jumps by %.3g into what rests on it",
                      eq->rules[rule].name, e->t, fabs(u));
    }
    sim->rests[rule] = false;
    CMB_TRY(cmb_run_announce(sim, CMB_KIND_REST, stage->eq->switch_names[eq->ns + k], -1, -1));
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
  return obey_rules(sim);
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
  if (sim->stage->rest_count == 0) return CMB_OK;
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
  CMB_TRY(cmb_integrator_begin(sim->in, e->t, e->q_found, e->v_found));
  cmb_variation_restart(sim->variation);
  cmb_events_at_end(e);
  return CMB_OK;
}

cmb_status cmb_run_begin_slides(cmb_simulation *sim, bool *restarted)
{
  const cmb_equations *eq = sim->eq;
  const cmb_stage *before = sim->stage;
  const int *mode = sim->ev->mode;
  bool any = false;
  if (!eq->switch_flow) return CMB_OK;
  cmb_events_at_end(sim->events);
  cmb_status status = cmb_events_here(sim->events);
  CMB_TRY(cmb_run_final(sim, status, "switching functions", sim->events->t));
  for (int i = 0; i < eq->ns; i++) {
    const bool at_zero = sim->events->s[0][i] == 0 && sim->ev->eq->switch_order[i] == 1;
    sim->mode_before[i] = at_zero ? -mode[i] : mode[i];
    any = any || at_zero;
  }
  if (any) CMB_TRY(cmb_run_look_for_slides(sim));
  if (sim->stage == before) return CMB_OK;
  *restarted = true;
  return begin_there(sim);
}

/* Modes, impacts, rests and slides once; where something acted upon the velocities more of that may follow. */
static cmb_status go_round(cmb_simulation *sim, bool first)
{
  const size_t size = (size_t)sim->eq->nv * sizeof(double);
  memcpy(sim->v_before, sim->events->v_found, size);
  CMB_TRY(change_modes(sim));
  CMB_TRY(cmb_run_change_stage(sim));
  CMB_TRY(leave_struck(sim));
  CMB_TRY(enter_modes(sim));
  if (sim->stage->sliding && has_jumped(sim))
    CMB_TRY(cmb_run_leave_all(sim, false)); /* by an impulse */
  CMB_TRY(obey_rules(sim));
  if (first && !has_jumped(sim)) CMB_TRY(cmb_run_look_for_slides(sim));
  CMB_TRY(cmb_run_leave_zeros(sim, has_jumped(sim)));
  return begin_there(sim);
}

/* Gaps that are held have the modes that they were put back to, whatever rounding says. */
static void keep_held(cmb_simulation *sim)
{
  const cmb_equations *eq = sim->eq;
  for (int k = 0; k < eq->rule_count; k++) {
    const bool *reads = eq->rule_reads + (ptrdiff_t)k * eq->ns;
    for (int i = 0; sim->held[k] && i < eq->ns; i++) {
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

static void forget_held(cmb_simulation *sim)
{
  for (int k = 0; k < sim->eq->rule_count; k++) sim->held[k] = false;
}

/* Whether neither the motion, nor the surfaces that bodies rest on, nor outputs depend on the mode of function i. */
static bool is_idle(const cmb_simulation *sim, int i)
{
  const cmb_equations *eq = sim->eq;
  const cmb_stage *stage = sim->stage;
  if (i >= eq->ns || !eq->switch_silent || !eq->surface_reads || !eq->switch_shown) return false;
  for (int k = 0; k < stage->rest_count; k++) {
    if (eq->surface_reads[(ptrdiff_t)stage->rest[k] * eq->ns + i]) return false;
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
  bool changed;
  *idle = false;
  forget_held(sim);
  CMB_TRY(find_modes(sim, &changed));
  if (!changed || !all_idle(sim)) return CMB_OK;
  memcpy(sim->mode_before, mode, size);
  memcpy(mode, sim->events->mode_new, size);
  CMB_TRY(look_at_conditions(sim));
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
  for (int round = 0, calm = 0;; round++) {
    const long acted = sim->acted;
    bool changed = true;
    if (round > 0) CMB_TRY(find_modes(sim, &changed));
    if (round > 0 && !changed) return CMB_OK;
    CMB_TRY(go_round(sim, round == 0));
    calm = sim->acted == acted ? calm + 1 : 0;
    if (calm > cmb_mode_rounds(sim->eq)) return check_settled(sim);
    if (round > CMB_MOST_CROWDED) return fail_endless(sim);
  }
}

cmb_status cmb_run_restart(cmb_simulation *sim)
{
  bool changed;
  forget_held(sim);
  CMB_TRY(find_modes(sim, &changed));
  return go_rounds(sim);
}

/* Whether the bodies have rebounded by less than the method can tell, and go on into the surface. */
static cmb_status falls_short(cmb_simulation *sim, int rule, bool *yes)
{
  const cmb_rule *r = &sim->eq->rules[rule];
  double u, rate, gamma;
  *yes = false;
  sim->rebounds[rule] = sim->impact->met[rule] == (r->direction > 0); /* else they are out again */
  if (!sim->rebounds[rule]) return CMB_OK;
  CMB_TRY(surface_here(sim, rule, &u, &rate, &gamma, sim->v_work));
  *yes = rate > 0;
  return CMB_OK;
}

cmb_status cmb_run_look_back(cmb_simulation *sim)
{
  for (int i = 0; i < sim->eq->rule_count; i++) {
    bool yes = false, changed, held = false, left = true;
    if (!sim->rebounds[i]) continue;
    cmb_events_at_end(sim->events);
    CMB_TRY(cmb_run_final(sim, falls_short(sim, i, &yes), "events", sim->events->t));
    if (!yes) continue;
    forget_held(sim);
    sim->rebounds[i] = false;
    while (left) CMB_TRY(find_impact(sim, i, &held, &left));
    if (held) continue;
    CMB_TRY(cmb_run_come_to_rest(sim, i));
    CMB_TRY(begin_there(sim));
    CMB_TRY(find_modes(sim, &changed));
    if (changed) CMB_TRY(cmb_run_restart(sim));
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
  CMB_TRY(cmb_run_final(sim, find_surfaces(sim), "stops", sim->events->t));
  for (int i = 0; i < sim->eq->rule_count; i++) {
    if (sim->eq->rules[i].gap) CMB_TRY(check_found_gap(sim, i));
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
  CMB_TRY(look_at_conditions(sim));
  *restarted = cmb_impact_next(sim->impact, 0) < sim->eq->rule_count;
  if (!*restarted) return CMB_OK;
  forget_held(sim);
  memcpy(e->mode_new, sim->ev->mode, (size_t)sim->eq->ns * sizeof(int)); /* with what lies ahead */
  CMB_TRY(cmb_run_release_zeros(sim));
  return go_rounds(sim);
}
