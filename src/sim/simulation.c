/*
 * The run loop, one for all methods: consistent start, then steps; after each step look for an event, hand
 * out the records that lie before it, restart behind it, note how well the constraints hold.
 *
 * Records inside a step come from the dense output, projected onto the constraints, with multipliers from
 * eq. (4) of Simeon (1996): what is written satisfies the constraints like the steps themselves.
 */
#include "base/context.h"
#include "dae/project.h"
#include "dae/rank.h"
#include "dae/system.h"
#include "math/finite.h"
#include "method/integrator.h"
#include "sim/agreement.h"
#include "sim/events.h"
#include "sim/singular.h"
#include "sim/variation.h"

#include <camber/sim.h>
#include <float.h>
#include <math.h>
#include <string.h>

enum {
  MOST_CROWDED = 1000, /* events in a row with no time between them */
  MOST_SHORTER = 40,   /* halvings of a step for a function of time that varies in it unseen */
  MOST_UNDONE = 20,    /* halvings of a step for an event that then does not show: it was none */
  PLACES_IN_STEP = 5,  /* parts of a step, and of a run, at whose ends */
  PLACES_IN_RUN = 1000 /* constraints that were left out are looked at */
};

struct cmb_simulation {
  cmb_context *ctx;
  cmb_arena *arena;
  const cmb_system *system;
  const cmb_equations *eq;
  cmb_run_options options;
  cmb_integrator *in;
  cmb_evaluator *ev;
  cmb_events events;
  cmb_rank_watch watch;
  cmb_variation variation;
  cmb_agreement agreement;
  cmb_result result;
  double t_start, t_end;
  long due;                         /* number of the next record at an interval */
  long sample_due;                  /* number of the next sample at an even distance */
  double sampled;                   /* time of the last sample */
  double *q, *v, *lambda, *outputs; /* the result's state */
  double *q_work, *v_work, *lambda_work, *outputs_new;
  double *a;    /* (nv) */
  bool *unique; /* (ng) which multipliers of the result are */
};

cmb_run_options cmb_run_defaults(void)
{
  return (cmb_run_options){
      .method = cmb_method_find("mdop5"), .integrator = cmb_integrator_defaults(), .t_end = NAN};
}

static cmb_status check_times(cmb_context *ctx, const cmb_simulation *sim)
{
  if (!isfinite(sim->t_end) || sim->t_end < sim->t_start) {
    return cmb_fail(ctx, CMB_ERROR_ARGUMENT, "t-end is %g; expected a time from %g on", sim->t_end,
                    sim->t_start);
  }
  if (!isfinite(sim->options.every) || sim->options.every < 0) {
    return cmb_fail(ctx, CMB_ERROR_ARGUMENT, "every is %g; expected a positive interval",
                    sim->options.every);
  }
  return CMB_OK;
}

/* The constraints have lost rank. */
static cmb_status on_singular(void *user, const cmb_singularity *found)
{
  cmb_simulation *sim = user;
  const cmb_observer *o = &sim->options.observer;
  sim->result.singularities++;
  return o->singular ? o->singular(o->user, found) : CMB_OK;
}

static cmb_status set_up(cmb_context *ctx, cmb_simulation *sim)
{
  const cmb_equations *eq = sim->eq;
  cmb_arena *arena = sim->arena;
  CMB_TRY(check_times(ctx, sim));
  CMB_TRY(cmb_integrator_create(ctx, eq, sim->options.method, &sim->options.integrator, &sim->in));
  sim->ev = cmb_integrator_evaluator(sim->in);
  sim->q = cmb_arena_doubles(arena, eq->nq);
  sim->q_work = cmb_arena_doubles(arena, eq->nq);
  sim->v = cmb_arena_doubles(arena, eq->nv);
  sim->v_work = cmb_arena_doubles(arena, eq->nv);
  sim->a = cmb_arena_doubles(arena, eq->nv);
  sim->lambda = cmb_arena_doubles(arena, eq->ng);
  sim->lambda_work = cmb_arena_doubles(arena, eq->ng);
  sim->outputs = cmb_arena_doubles(arena, eq->no);
  sim->outputs_new = cmb_arena_doubles(arena, eq->no);
  sim->unique = cmb_arena_take(arena, (size_t)eq->ng, sizeof *sim->unique);
  cmb_events_create(&sim->events, arena, sim->in);
  cmb_variation_create(&sim->variation, arena, sim->in);
  CMB_TRY(cmb_rank_watch_create(&sim->watch, arena, sim->in, on_singular, sim));
  CMB_TRY(cmb_agreement_create(ctx, arena, sim->system, sim->ev, &sim->options.integrator,
                               &sim->agreement));
  return cmb_arena_failed(arena) ? cmb_fail_memory(ctx) : CMB_OK;
}

cmb_status cmb_simulation_create(cmb_context *ctx, const cmb_system *system,
                                 const cmb_run_options *options, cmb_simulation **out)
{
  CMB_REQUIRE(ctx, ctx && out, "cmb_simulation_create needs a context and a place for the run");
  *out = NULL;
  CMB_REQUIRE(ctx, system && options, "cmb_simulation_create needs a system and options");
  cmb_arena *arena = cmb_arena_create(ctx);
  cmb_simulation *sim = arena ? cmb_arena_take(arena, 1, sizeof *sim) : NULL;
  if (!sim) {
    cmb_arena_destroy(arena);
    return cmb_fail_memory(ctx);
  }
  sim->ctx = ctx;
  sim->arena = arena;
  sim->system = system;
  sim->eq = cmb_system_equations(system);
  sim->options = *options;
  sim->t_start = cmb_system_t_start(system);
  sim->t_end = isnan(options->t_end) ? cmb_system_t_end(system) : options->t_end;
  cmb_status status = set_up(ctx, sim);
  if (status != CMB_OK) {
    cmb_simulation_destroy(sim);
    return status;
  }
  sim->result = (cmb_result){.t = sim->t_start,
                             .q = sim->q,
                             .v = sim->v,
                             .lambda = sim->lambda,
                             .outputs = sim->outputs,
                             .mode = sim->ev->mode,
                             .drift = cmb_integrator_drift_bound(sim->in),
                             .statistics = cmb_integrator_statistics(sim->in)};
  *out = sim;
  return CMB_OK;
}

void cmb_simulation_destroy(cmb_simulation *sim)
{
  if (!sim) return;
  cmb_agreement_destroy(&sim->agreement);
  cmb_integrator_destroy(sim->in);
  cmb_arena_destroy(sim->arena);
}

cmb_integrator *cmb_simulation_integrator(cmb_simulation *sim)
{
  return sim->in;
}

const cmb_result *cmb_simulation_result(const cmb_simulation *sim)
{
  return sim ? &sim->result : NULL;
}

/* A recoverable status outside a step cannot be recovered from. */
static cmb_status final(cmb_simulation *sim, cmb_status status, const char *what, double t)
{
  char text[256];
  if (status <= 0) return status;
  cmb_status end = status == CMB_RETRY_NONFINITE ? CMB_ERROR_NONFINITE : CMB_ERROR_EQUATIONS;
  return cmb_fail(sim->ctx, end, "%s at t = %.9g: %s", what, t,
                  cmb_evaluator_blame(sim->ev, status, sizeof text, text));
}

/* (t, q, v, a, λ) become the result, with outputs; anything not finite is refused and the result stays. */
static cmb_status take_state(cmb_simulation *sim, double t, const double *q, const double *v,
                             const double *a, const double *lambda)
{
  const cmb_equations *eq = sim->eq;
  bool finite =
      cmb_all_finite(eq->nq, q) && cmb_all_finite(eq->nv, v) && cmb_all_finite(eq->ng, lambda);
  if (!finite) return final(sim, CMB_RETRY_NONFINITE, "state", t);
  CMB_TRY(final(sim, cmb_outputs(sim->ev, t, q, v, a, lambda, sim->outputs_new), "outputs", t));
  sim->result.t = t;
  memcpy(sim->q, q, (size_t)eq->nq * sizeof *q);
  memcpy(sim->v, v, (size_t)eq->nv * sizeof *v);
  memcpy(sim->lambda, lambda, (size_t)eq->ng * sizeof *lambda);
  memcpy(sim->outputs, sim->outputs_new, (size_t)eq->no * sizeof *sim->outputs);
  sim->result.lambda_unique = cmb_unique_multipliers(sim->ev, sim->unique) ? NULL : sim->unique;
  return CMB_OK;
}

/* How well the result's state meets the constraints; anything not finite is refused, as above. */
static cmb_status note_residuals(cmb_simulation *sim)
{
  cmb_result *r = &sim->result;
  double position, velocity;
  cmb_status status = cmb_constraint_residuals(sim->ev, r->t, sim->q, sim->v, &position, &velocity);
  if (status != CMB_OK) return final(sim, status, "constraints", r->t);
  r->position = position;
  r->velocity = velocity;
  r->worst_position = fmax(r->worst_position, position);
  r->worst_velocity = fmax(r->worst_velocity, velocity);
  cmb_integrator_meet_drift(sim->in, r->t, position);
  return CMB_OK;
}

/* Constraints that were left out, or depend on others, are still met. */
static cmb_status check_agreement(cmb_simulation *sim)
{
  const double t = sim->result.t;
  return final(sim, cmb_agreement_check(&sim->agreement, t, sim->q, sim->v), "constraints", t);
}

static cmb_status take_integrator_state(cmb_simulation *sim)
{
  return take_state(sim, cmb_integrator_t(sim->in), cmb_integrator_q(sim->in),
                    cmb_integrator_v(sim->in), cmb_integrator_a(sim->in),
                    cmb_integrator_lambda(sim->in));
}

/* Were those that were left out met on the way to t too? In a few places of each step, and in so many of the whole run. */
static cmb_status check_inside(cmb_simulation *sim, double t)
{
  const double t0 = cmb_integrator_t_before(sim->in), h = t - t0;
  const double part = h * PLACES_IN_RUN / (sim->t_end - sim->t_start);
  const int parts = (int)fmax(PLACES_IN_STEP, fmin(ceil(part), PLACES_IN_RUN));
  double *q = sim->q_work, *v = sim->v_work;
  for (int k = 1; k < parts; k++) {
    const double at = t0 + h * k / parts;
    CMB_TRY(cmb_integrator_interpolate(sim->in, at, q, v));
    if (sim->eq->normalize) sim->eq->normalize(sim->eq->self, q);
    CMB_TRY(final(sim, cmb_agreement_check(&sim->agreement, at, q, v), "constraints", at));
  }
  return CMB_OK;
}

/* The last step has come to (t, q, v), and the evaluator has G there: have the constraints lost rank on the way? */
static cmb_status watch_step(cmb_simulation *sim, double t, const double *q, const double *v)
{
  const bool real_time = cmb_method_is_real_time(sim->options.method);
  CMB_TRY(final(sim, cmb_rank_watch_step(&sim->watch, t, q, v), "constraints", t));
  return sim->agreement.whole && !real_time ? check_inside(sim, t) : CMB_OK;
}

static cmb_status hand_out(cmb_simulation *sim)
{
  const cmb_observer *o = &sim->options.observer;
  cmb_record record = {sim->result.t, sim->q,       sim->v,
                       sim->lambda,   sim->outputs, sim->result.lambda_unique};
  if (!o->record) return CMB_OK;
  sim->result.records++;
  return o->record(o->user, &record);
}

/* How far the run is; the observer may end it here. */
static cmb_status tell_progress(cmb_simulation *sim)
{
  const cmb_observer *o = &sim->options.observer;
  return o->progress ? o->progress(o->user, sim->result.t, sim->t_start, sim->t_end) : CMB_OK;
}

/* One of the hooks around a step, if it is there. */
static cmb_status call_hook(const cmb_simulation *sim, cmb_status (*hook)(void *user, double t))
{
  return hook ? hook(sim->options.observer.user, cmb_integrator_t(sim->in)) : CMB_OK;
}

/* The state at t inside the last step, on the constraints. */
static cmb_status take_state_inside(cmb_simulation *sim, double t)
{
  CMB_TRY(cmb_integrator_interpolate(sim->in, t, sim->q_work, sim->v_work));
  if (sim->eq->ng == 0) {
    if (sim->eq->normalize) sim->eq->normalize(sim->eq->self, sim->q_work);
    if (sim->eq->no > 0) {
      CMB_TRY(cmb_accelerate(sim->ev, t, sim->q_work, sim->v_work, sim->a, sim->lambda_work));
    }
  } else {
    CMB_TRY(cmb_project(sim->ev, t, sim->q_work, sim->v_work));
    CMB_TRY(
        cmb_accelerate_factored(sim->ev, t, sim->q_work, sim->v_work, sim->a, sim->lambda_work));
  }
  return take_state(sim, t, sim->q_work, sim->v_work, sim->a, sim->lambda_work);
}

static double time_due(const cmb_simulation *sim)
{
  return sim->t_start + (double)sim->due * sim->options.every;
}

/* Records at the interval that lie in the last step before `limit`. */
static cmb_status records_inside(cmb_simulation *sim, double limit)
{
  if (sim->options.every == 0) return CMB_OK;
  double resolution = 4 * DBL_EPSILON * fmax(fabs(limit), sim->options.every);
  for (; time_due(sim) < limit - resolution; sim->due++) {
    cmb_status status = take_state_inside(sim, time_due(sim));
    if (status != CMB_OK) return final(sim, status, "dense output", time_due(sim));
    CMB_TRY(hand_out(sim));
    CMB_TRY(tell_progress(sim)); /* there may be very many in one step */
  }
  return CMB_OK;
}

/* The result's state as a sample. */
static cmb_status hand_out_sample(cmb_simulation *sim)
{
  const cmb_observer *o = &sim->options.observer;
  if (!o->sample || sim->options.samples == 0) return CMB_OK;
  const cmb_record record = {sim->result.t, sim->q,       sim->v,
                             sim->lambda,   sim->outputs, sim->result.lambda_unique};
  sim->sampled = record.t;
  return o->sample(o->user, &record);
}

/* A sample inside the last step. It is not part of the work that a run reports, and where there is none the picture does without. */
static cmb_status sample_at(cmb_simulation *sim, double t)
{
  if (!sim->options.observer.sample || sim->options.samples == 0) return CMB_OK;
  const cmb_statistics statistics = sim->ev->stats;
  cmb_status status = take_state_inside(sim, t);
  sim->ev->stats = statistics;
  if (status == CMB_OK) return hand_out_sample(sim);
  cmb_forget_error(sim->ctx);
  return CMB_OK;
}

/* Samples at even distances that lie in the last step before `limit`. */
static cmb_status samples_inside(cmb_simulation *sim, double limit)
{
  if (sim->options.samples == 0) return CMB_OK;
  const double distance = (sim->t_end - sim->t_start) / sim->options.samples;
  for (;; sim->sample_due++) {
    const double t = sim->t_start + (double)sim->sample_due * distance;
    if (t >= limit || !(distance > 0)) return CMB_OK;
    if (t > sim->sampled) CMB_TRY(sample_at(sim, t));
  }
}

static cmb_status hand_out_inside(cmb_simulation *sim, double limit)
{
  CMB_TRY(records_inside(sim, limit));
  return samples_inside(sim, limit);
}

/* The state now reached: a record, if each step is one, if the interval falls here, or at the end. */
static cmb_status hand_out_here(cmb_simulation *sim)
{
  CMB_TRY(hand_out_sample(sim));
  double t = sim->result.t;
  bool each = sim->options.every == 0;
  bool due = !each && time_due(sim) <= t + 4 * DBL_EPSILON * fmax(fabs(t), sim->options.every);
  if (due) sim->due++;
  return each || due || t >= sim->t_end ? hand_out(sim) : CMB_OK;
}

/* What could not be decided on, and a warning. */
static void note_undecided(cmb_simulation *sim)
{
  const cmb_enclosure *e = &sim->events.enclosure;
  cmb_result *r = &sim->result;
  r->undecided = e->undecided;
  r->undecided_name = NULL;
  r->undecided_t = e->undecided_t;
  if (e->undecided == 0) return;
  r->undecided_name = sim->eq->switch_names[e->undecided_function];
  cmb_log(
      sim->ctx, CMB_LOG_WARNING,
      "%ld times a switching function came so near to 0 that no change of sign could be proved or "
      "excluded, last '%s' at t = %.9g",
      r->undecided, r->undecided_name, r->undecided_t);
}

/* Equations and observers can end a run without a word; an error of a run always has some. */
static cmb_status conclude(cmb_simulation *sim, cmb_status status)
{
  sim->result.status = status;
  sim->result.stiff_since = cmb_integrator_stiff_since(sim->in);
  note_undecided(sim);
  if (status == CMB_OK || cmb_last_error(sim->ctx)[0] != '\0') return status;
  return cmb_fail(sim->ctx, status, "ended at t = %.9g: %s", sim->result.t,
                  cmb_status_meaning(status));
}

static void copy_given(const cmb_simulation *sim, double *q, double *v)
{
  memcpy(q, cmb_system_q(sim->system), (size_t)sim->eq->nq * sizeof *q);
  memcpy(v, cmb_system_v(sim->system), (size_t)sim->eq->nv * sizeof *v);
}

/* Which of the constraints that depend on others here do so everywhere. */
static cmb_status count_redundant(cmb_simulation *sim, const double *q)
{
  cmb_rank rank;
  cmb_evaluator *ev = sim->ev;
  const cmb_statistics statistics = ev->stats;
  cmb_arena *arena = cmb_arena_create(sim->ctx);
  if (!arena) return cmb_fail_memory(sim->ctx);
  cmb_status status = cmb_rank_examine(ev, arena, sim->t_start, q, &rank);
  if (status == CMB_OK) ev->redundant = sim->eq->ng - rank.around;
  cmb_arena_destroy(arena);
  ev->stats = statistics;
  return final(sim, status, "rank of the constraints", sim->t_start);
}

/* Consistent values, and the modes there. */
static cmb_status start_modes(cmb_simulation *sim)
{
  cmb_evaluator *ev = sim->ev;
  cmb_start_report *report = &sim->result.start;
  double *q = sim->q_work, *v = sim->v_work, *lambda = sim->lambda_work;
  copy_given(sim, q, v);
  CMB_TRY(cmb_start_in_modes(ev, &sim->events.search, sim->t_start, q, v, sim->a, lambda, report));
  if (!*ev->doubtful || ev->deficiency == 0) return CMB_OK;
  CMB_TRY(count_redundant(sim, q));
  copy_given(sim, q, v);
  return cmb_start_in_modes(ev, &sim->events.search, sim->t_start, q, v, sim->a, lambda, report);
}

/* How far the start is from what the user gave, if the system's start values were found from that. */
static void measure_start(cmb_simulation *sim)
{
  const cmb_system *system = sim->system;
  cmb_start_report *r = &sim->result.start;
  if (!system->q_given) return;
  r->q_moved = cmb_change(sim->eq->nq, sim->q_work, system->q_given, &r->q_most);
  r->v_moved = cmb_change(sim->eq->nv, sim->v_work, system->v_given, &r->v_most);
}

static cmb_status start(cmb_simulation *sim)
{
  cmb_result *r = &sim->result;
  cmb_forget_error(sim->ctx);
  copy_given(sim, sim->q, sim->v); /* the result, should the start fail */
  r->t = sim->t_start;
  r->worst_position = r->worst_velocity = 0;
  r->events = r->records = r->singularities = 0;
  sim->due = sim->sample_due = 0;
  sim->sampled = -INFINITY;
  sim->events.crowded = 0;
  cmb_enclosure_begin(&sim->events.enclosure);
  sim->ev->stats = (cmb_statistics){0};
  sim->ev->redundant = 0;
  CMB_TRY(start_modes(sim));
  cmb_variation_begin(&sim->variation, sim->t_start, sim->t_end);
  measure_start(sim);
  CMB_TRY(take_state(sim, sim->t_start, sim->q_work, sim->v_work, sim->a, sim->lambda_work));
  CMB_TRY(note_residuals(sim));
  CMB_TRY(cmb_agreement_check_start(&sim->agreement, sim->t_start, sim->q, sim->v));
  cmb_status status = cmb_agreement_start(&sim->agreement, sim->t_start, sim->q, sim->v);
  CMB_TRY(final(sim, status, "constraints", sim->t_start));
  return check_agreement(sim);
}

cmb_status cmb_simulation_start(cmb_simulation *sim)
{
  return sim ? conclude(sim, start(sim)) : CMB_ERROR_ARGUMENT;
}

/* Function i gets its new mode, and the observer is told. */
static cmb_status announce(cmb_simulation *sim, int i)
{
  const cmb_observer *o = &sim->options.observer;
  const int before = sim->ev->mode[i], after = sim->events.mode_new[i];
  if (after == before) return CMB_OK;
  sim->ev->mode[i] = after;
  sim->result.events++;
  cmb_event event = {sim->eq->switch_names[i], i, sim->events.t, after > before ? 1 : -1};
  return o->event ? o->event(o->user, &event) : CMB_OK;
}

/* The event's state as the constraints of the new modes want it. */
static cmb_status enter_modes(cmb_simulation *sim)
{
  cmb_events *e = &sim->events;
  const int redundant = sim->ev->redundant;
  cmb_status status = cmb_agreement_new_modes(&sim->agreement, e->t, e->q_found, e->v_found);
  CMB_TRY(final(sim, status, "constraints", e->t));
  if (sim->ev->redundant == redundant) return CMB_OK;
  return final(sim, cmb_rank_watch_start(&sim->watch, e->t, e->q_found), "constraints", e->t);
}

/* Restart at the event with the new mode. A function of λ may change its sign with the mode: then that is
 * an event too, at the same time. */
static cmb_status restart(cmb_simulation *sim)
{
  cmb_events *e = &sim->events;
  for (;;) {
    CMB_TRY(final(sim, cmb_events_new_modes(e), "switching functions", e->t));
    for (int i = 0; i < e->ns; i++) CMB_TRY(announce(sim, i));
    CMB_TRY(enter_modes(sim));
    CMB_TRY(cmb_integrator_begin(sim->in, e->t, e->q_found, e->v_found));
    cmb_variation_restart(&sim->variation, e->t);
    memcpy(e->lambda_found, cmb_integrator_lambda(sim->in), (size_t)sim->eq->ng * sizeof(double));
    CMB_TRY(final(sim, cmb_events_here(e), "switching functions", e->t));
    bool again = false;
    for (int i = 0; i < e->ns; i++) {
      e->s_found[i] = e->s[0][i];
      again = again || cmb_events_changed(e, i);
    }
    if (!again) return CMB_OK;
    if (++e->crowded > MOST_CROWDED) {
      return cmb_fail(sim->ctx, CMB_ERROR_EVENTS,
                      "switching functions change sign without end at t = %.9g", e->t);
    }
  }
}

/* The event found in the last step: records up to it, then on from there. */
static cmb_status pass_event(cmb_simulation *sim, double t_last)
{
  cmb_events *e = &sim->events;
  double scale = fmax(fabs(e->t), sim->t_end - sim->t_start);
  bool no_time = e->t - t_last <= 64 * DBL_EPSILON * scale;
  if (sim->t_end - e->t <= 16 * DBL_EPSILON * scale)
    e->t = sim->t_end; /* no step fits in between */
  e->crowded = no_time ? e->crowded + 1 : 0;
  if (e->crowded > MOST_CROWDED) {
    return cmb_fail(sim->ctx, CMB_ERROR_EVENTS, "%d events without time between them at t = %.9g",
                    MOST_CROWDED, e->t);
  }
  CMB_TRY(hand_out_inside(sim, e->t));
  CMB_TRY(sample_at(sim, e->t)); /* before the switch */
  if (sim->eq->ng > 0) {
    cmb_terms want = {.G = sim->ev->G};
    CMB_TRY(final(sim, cmb_evaluate(sim->ev, e->t, e->q_found, NULL, &want), "constraints", e->t));
    CMB_TRY(watch_step(sim, fmin(e->t, cmb_integrator_t(sim->in)), e->q_found, e->v_found));
  }
  return restart(sim);
}

/* One step of a real-time method: what it has switched is changed where it ends. */
static cmb_status advance_in_time(cmb_simulation *sim)
{
  cmb_events *e = &sim->events;
  CMB_TRY(cmb_integrator_step(sim->in, sim->t_end));
  CMB_TRY(hand_out_inside(sim, cmb_integrator_t(sim->in)));
  if (e->ns == 0) return CMB_OK;
  CMB_TRY(final(sim, cmb_events_at_end(e), "switching functions", e->t));
  CMB_TRY(final(sim, cmb_events_new_modes(e), "switching functions", e->t));
  for (int i = 0; i < e->ns; i++) CMB_TRY(announce(sim, i));
  return CMB_OK;
}

/* A step whose stages have seen how functions of time vary in it; a shorter one where the first that is tried has not. */
static cmb_status make_step(cmb_simulation *sim)
{
  const bool fixed = cmb_integrator_is_fixed(sim->in);
  CMB_TRY(cmb_integrator_step(sim->in, sim->t_end));
  for (int k = 0; !fixed && k < MOST_SHORTER && cmb_variation_unseen(&sim->variation); k++) {
    CMB_TRY(cmb_integrator_undo(sim->in));
    CMB_TRY(cmb_integrator_step(sim->in, sim->t_end));
  }
  return CMB_OK;
}

/* One step, with the events in it. */
static cmb_status advance(cmb_simulation *sim)
{
  for (int undone = 0;; undone++) {
    double t_last = cmb_integrator_t(sim->in);
    bool found = false;
    CMB_TRY(make_step(sim));
    cmb_status status = cmb_events_find(&sim->events, &found);
    if (status == CMB_RETRY_NEWTON && undone < MOST_UNDONE) {
      CMB_TRY(cmb_integrator_undo(sim->in));
      continue;
    }
    if (status != CMB_RETRY_NEWTON) CMB_TRY(final(sim, status, "switching functions", t_last));
    if (found) return pass_event(sim, t_last);
    CMB_TRY(hand_out_inside(sim, cmb_integrator_t(sim->in)));
    return sim->events.ns ? final(sim, cmb_events_here(&sim->events), "switching functions", t_last)
                          : CMB_OK;
  }
}

static cmb_status run(cmb_simulation *sim)
{
  CMB_TRY(start(sim));
  CMB_TRY(final(sim, cmb_rank_watch_start(&sim->watch, sim->t_start, sim->q), "constraints",
                sim->t_start));
  cmb_integrator_reset(sim->in);
  CMB_TRY(cmb_integrator_begin(sim->in, sim->t_start, sim->q, sim->v));
  CMB_TRY(hand_out_here(sim));
  const cmb_result *r = &sim->result;
  const cmb_observer *o = &sim->options.observer;
  const bool real_time = cmb_method_is_real_time(sim->options.method);
  while (cmb_integrator_t(sim->in) < sim->t_end) {
    CMB_TRY(call_hook(sim, o->before_step));
    CMB_TRY(real_time ? advance_in_time(sim) : advance(sim));
    CMB_TRY(take_integrator_state(sim));
    CMB_TRY(note_residuals(sim));
    CMB_TRY(check_agreement(sim));
    if (cmb_integrator_t_before(sim->in) < r->t) CMB_TRY(watch_step(sim, r->t, sim->q, sim->v));
    CMB_TRY(hand_out_here(sim));
    CMB_TRY(call_hook(sim, o->after_step));
    CMB_TRY(tell_progress(sim));
  }
  return CMB_OK;
}

cmb_status cmb_simulation_run(cmb_simulation *sim)
{
  return sim ? conclude(sim, run(sim)) : CMB_ERROR_ARGUMENT;
}
