/*
 * Takes the samples of controllers along a run: sampled values (dae.h) get new values from the state at the instants of their samplers,
 *
 *     t_k = phase + k period,   k = 0, 1, ..
 *
 * To the motion sampled values are parameters (live.c). With a method that chooses its steps, an instant is treated like an event whose time is
 * known: the state there comes from the dense output, on the constraints, and the integrator begins anew after it if a value has changed that
 * the motion depends on. A step ends at the next instant of a sampler as long as its instants change the motion; otherwise steps may pass
 * over more and more of them. Steps of fixed cost end at instants: their size divides periods and phases.
 */
#include "base/context.h"
#include "base/text.h"
#include "dae/evaluator.h"
#include "dae/project.h"
#include "method/integrator.h"
#include "sim/run.h"
#include "sim/simulation.h"

#include <math.h>
#include <string.h>

enum { DOUBLINGS = 3 }; /* of what a step may pass over, after each instant that was calm */

/* Part of a step within which periods and phases are multiples of it; and instants that a run, or a second of a longer one, may have. */
static const double MULTIPLE = 1e-9, MOST_INSTANTS = 1e9;

/* ---- times */

/* The next instant of a sampler, and of all. */
static double instant_of(const cmb_simulation *sim, int sampler)
{
  const cmb_sampler *s = &sim->eq->samplers[sampler];
  return s->phase + sim->next[sampler] * s->period;
}

double cmb_run_next_instant(const cmb_simulation *sim)
{
  double next = INFINITY;
  for (int i = 0; i < sim->eq->sampler_count; i++) next = fmin(next, instant_of(sim, i));
  return next;
}

double cmb_sampler_instants(const cmb_sampler *s, double t)
{
  return fmax(floor((t - s->phase) / s->period) + 1, 0);
}

/* Which samplers are due at t. A step of fixed cost ends near an instant, if not at it: then those are that were since the last one, or
 * will be before the middle of the next. Their next instants are later ones. */
static bool mark_due(cmb_simulation *sim, double t)
{
  const bool real_time = cmb_method_is_real_time(sim->options.method);
  bool any = false;
  for (int i = 0; i < sim->eq->sampler_count; i++) {
    const double half = 0.5 * cmb_integrator_fixed_step(sim->in);
    const double count = real_time ? cmb_sampler_instants(&sim->eq->samplers[i], t + half) : 0;
    sim->due_now[i] =
        real_time ? count > sim->next[i] : instant_of(sim, i) <= t + cmb_run_least_step(sim, t);
    if (sim->due_now[i]) sim->next[i] = real_time ? count : sim->next[i] + 1;
    any = any || sim->due_now[i];
  }
  return any;
}

static bool is_due(const cmb_simulation *sim, int held)
{
  return sim->due_now[sim->eq->held_sampler[held]];
}

double cmb_run_step_limit(const cmb_simulation *sim)
{
  if (sim->eq->nh == 0 || cmb_method_is_real_time(sim->options.method)) return sim->t_limit;
  const double t = cmb_integrator_t(sim->in);
  double limit = sim->t_limit;
  for (int i = 0; i < sim->eq->sampler_count; i++) {
    limit = fmin(limit, t + ldexp(instant_of(sim, i) - t, DOUBLINGS * sim->idle_instants[i]));
  }
  return sim->t_limit - limit <= cmb_run_least_step(sim, limit) ? sim->t_limit : limit;
}

/* ---- checks */

static bool is_multiple(double time, double step)
{
  return fabs(time - nearbyint(time / step) * step) <= MULTIPLE * step;
}

static cmb_status refuse_step(cmb_context *ctx, const cmb_sampler *s, const char *method, double h)
{
  return cmb_fail_about(
      ctx, CMB_ERROR_ARGUMENT, cmb_about_thing("controller", s->name),
      "controller '%s' takes samples, or gives delayed values, at t = %s s and then every %s s, "
      "but "
      "the steps of %s, of %s s each, do not end at these times; expected a step of which both "
      "times are multiples",
      s->name, cmb_shortest(s->phase).text, cmb_shortest(s->period).text, method,
      cmb_shortest(h).text);
}

cmb_status cmb_run_check_samplers(cmb_context *ctx, const cmb_simulation *sim)
{
  const cmb_equations *eq = sim->eq;
  const cmb_method *method = sim->options.method;
  const double h =
      sim->options.integrator.step > 0 ? sim->options.integrator.step : CMB_USUAL_PERIOD;
  for (int i = 0; i < eq->sampler_count; i++) {
    const cmb_sampler *s = &eq->samplers[i];
    const bool ends =
        is_multiple(s->period, h) && s->period > 0.5 * h && is_multiple(s->phase - sim->t_start, h);
    if (method && cmb_method_is_real_time(method) && !ends) {
      return refuse_step(ctx, s, cmb_method_name(method), h);
    }
    const double time = fmin(sim->t_end - s->phase, 1);
    if (!(time / s->period > MOST_INSTANTS)) continue;
    return cmb_fail_about(
        ctx, CMB_ERROR_ARGUMENT, cmb_about_thing("controller", s->name),
        "controller '%s' has a period of %.9g s, which gives more than 1e9 samples in "
        "%.9g s; expected a longer period",
        s->name, s->period, time);
  }
  return CMB_OK;
}

/* ---- values */

void cmb_run_forget_samples(cmb_simulation *sim)
{
  const cmb_equations *eq = sim->eq;
  for (int i = 0; i < eq->nh; i++) sim->p[eq->held_first + i] = eq->p[eq->held_first + i];
  for (int i = 0; i < eq->sampler_count; i++) {
    sim->next[i] = fmax(cmb_sampler_instants(&eq->samplers[i], sim->t_start) - 1, 0);
    if (instant_of(sim, i) < sim->t_start - cmb_run_least_step(sim, sim->t_start)) sim->next[i]++;
    sim->idle_instants[i] = CMB_MOST_IDLE_INSTANTS;
  }
}

/* Counts the instants of samplers that have changed nothing. */
static void count_idle_instants(cmb_simulation *sim)
{
  const cmb_equations *eq = sim->eq;
  for (int i = 0; i < eq->sampler_count; i++) {
    if (sim->due_now[i] && sim->idle_instants[i] < CMB_MOST_IDLE_INSTANTS) sim->idle_instants[i]++;
  }
  for (int i = 0; i < eq->nh; i++) {
    const bool changes = sim->observed[eq->no + i] != sim->p[eq->held_first + i];
    if (is_due(sim, i) && changes && eq->held_moves[i]) sim->idle_instants[eq->held_sampler[i]] = 0;
  }
}

/* A switch that is held has no sign: dry friction that holds lets a rate be 0, and which side rounding puts it on says nothing. */
static cmb_status refuse_held(const cmb_simulation *sim, int held, double t)
{
  const cmb_equations *eq = sim->eq;
  const char *name = eq->p_names[eq->held_first + held];
  for (int k = 0; eq->held_reads && k < eq->ns; k++) {
    if (!eq->held_reads[(ptrdiff_t)held * eq->ns + k] || sim->hold_of[k] == 0) continue;
    return cmb_fail_about(
        sim->ctx, CMB_ERROR_EVENTS, cmb_about_time(t, "sampled value", name),
        "sampled value '%s' of controller '%s' reads the sign of '%s' at t = "
        "%.9g, where it is held at 0, as by dry friction, and has no sign; sample a "
        "quantity that does not jump there, or let the force change smoothly, "
        "F*tanh(v/v0) in place of F*sign(v)",
        name, eq->samplers[eq->held_sampler[held]].name, eq->switch_names[k], t);
  }
  return CMB_OK;
}

/* The values that are due at t and change there: *any, and *moves: one that the motion depends on. All are finite. */
static cmb_status compare(cmb_simulation *sim, double t, bool *any, bool *moves)
{
  const cmb_equations *eq = sim->eq;
  const double *next = sim->observed + eq->no;
  *any = *moves = false;
  for (int i = 0; i < eq->nh; i++) {
    if (!is_due(sim, i)) continue;
    CMB_TRY(refuse_held(sim, i, t));
    if (!isfinite(next[i])) {
      const char *name = eq->p_names[eq->held_first + i];
      return cmb_fail_about(sim->ctx, CMB_ERROR_NONFINITE, cmb_about_time(t, "sampled value", name),
                            "sampled value '%s' of controller '%s' is not finite at t = %.9g", name,
                            eq->samplers[eq->held_sampler[i]].name, t);
    }
    const bool changes = next[i] != sim->p[eq->held_first + i];
    *any = *any || changes;
    *moves = *moves || (changes && eq->held_moves[i]);
  }
  return CMB_OK;
}

static void take(cmb_simulation *sim)
{
  const cmb_equations *eq = sim->eq;
  memcpy(sim->p_before, sim->p, (size_t)eq->np * sizeof *sim->p);
  for (int i = 0; i < eq->nh; i++) {
    if (is_due(sim, i)) sim->p[eq->held_first + i] = sim->observed[eq->no + i];
  }
}

/* ---- inside of a step */

/* The state at t inside the last step, on the constraints, and what sampled values would become there. */
static cmb_status look_inside(cmb_simulation *sim, double t)
{
  const cmb_equations *eq = sim->eq;
  double *q = sim->q_there, *v = sim->v_there;
  CMB_TRY(cmb_integrator_interpolate(sim->in, t, q, v));
  if (sim->ev->eq->ng > 0) CMB_TRY(cmb_project(sim->ev, t, q, v));
  if (sim->ev->eq->ng == 0 && eq->normalize) eq->normalize(eq->self, q);
  if (eq->samples_read_forces) {
    CMB_TRY(cmb_accelerate(sim->ev, t, q, v, sim->a, sim->lambda_work));
  }
  return cmb_next_samples(sim->ev, t, q, v, sim->a, sim->lambda_work, sim->observed);
}

/* The same where the last step ends. */
static cmb_status look_at_end(cmb_simulation *sim)
{
  const cmb_integrator *in = sim->in;
  memcpy(sim->q_there, cmb_integrator_q(in), (size_t)sim->eq->nq * sizeof(double));
  memcpy(sim->v_there, cmb_integrator_v(in), (size_t)sim->eq->nv * sizeof(double));
  return cmb_next_samples(sim->ev, cmb_integrator_t(in), cmb_integrator_q(in), cmb_integrator_v(in),
                          cmb_integrator_a(in), cmb_integrator_lambda(in), sim->observed);
}

/* The instant becomes the event found. */
static cmb_status find_there(cmb_simulation *sim, double t)
{
  cmb_events *e = sim->events;
  if (t >= cmb_integrator_t(sim->in)) {
    cmb_events_at_end(e);
    return CMB_OK;
  }
  e->t = t;
  memcpy(e->q_found, sim->q_there, (size_t)sim->eq->nq * sizeof(double));
  memcpy(e->v_found, sim->v_there, (size_t)sim->eq->nv * sizeof(double));
  return cmb_accelerate(sim->ev, t, e->q_found, e->v_found, sim->a, e->lambda_found);
}

cmb_status cmb_run_pass_instant(cmb_simulation *sim, double t, bool *moved)
{
  const double end = cmb_integrator_t(sim->in);
  bool any;
  mark_due(sim, t);
  if (end - t <= cmb_run_least_step(sim, t)) t = end; /* no step fits in between */
  cmb_status status = t == end ? look_at_end(sim) : look_inside(sim, t);
  CMB_TRY(cmb_run_final(sim, status, "samples of controllers", t));
  CMB_TRY(compare(sim, t, &any, moved));
  count_idle_instants(sim);
  sim->result.instants++;
  if (!any) return CMB_OK;
  CMB_TRY(cmb_run_record_to(sim, t, *moved));
  if (*moved) CMB_TRY(cmb_run_final(sim, find_there(sim, t), "samples of controllers", t));
  take(sim);
  if (!*moved) return t < end ? cmb_run_sample_at(sim, t) : CMB_OK;
  cmb_integrator_keep_size(sim->in);
  return cmb_run_follow_change(sim);
}

/* ---- at an end */

cmb_status cmb_run_sample_here(cmb_simulation *sim, bool *changed)
{
  const double t = cmb_integrator_t(sim->in);
  bool moved;
  *changed = false;
  if (!mark_due(sim, t)) return CMB_OK;
  CMB_TRY(cmb_run_final(sim, look_at_end(sim), "samples of controllers", t));
  CMB_TRY(compare(sim, t, changed, &moved));
  sim->result.instants++;
  sim->moved = moved;
  cmb_status status = moved ? cmb_run_evaluate_before_change(sim) : CMB_OK;
  sim->moved = false;
  CMB_TRY(status);
  if (*changed && t > sim->t_start) CMB_TRY(cmb_run_sample_at(sim, t));
  take(sim);
  return moved ? cmb_run_follow_change(sim) : CMB_OK;
}
