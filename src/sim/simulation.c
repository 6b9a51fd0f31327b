/*
 * The public functions of a simulation and the loop of a run, one for all methods: consistent start, then steps; after each step it looks for an
 * event, records what lies before the event, restarts after it, and notes how well the constraints are satisfied.
 *
 * Records inside a step come from the dense output, projected onto the constraints, with multipliers from eq. (4) of Simeon (1996): what is
 * written satisfies the constraints like the steps themselves.
 */
#include "base/context.h"
#include "base/text.h"
#include "dae/branch.h"
#include "dae/project.h"
#include "dae/system.h"
#include "math/finite.h"
#include "method/integrator.h"
#include "model/limits.h"
#include "sim/lock.h"
#include "sim/run.h"
#include "system/rank.h"

#include <camber/sim.h>
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
  MOST_SHORTER = 40,    /* halvings of a step for a function that varies in it unseen */
  MOST_UNDONE = 20,     /* halvings of a step for an event that then does not show: it was none */
  MOST_IDLE = 32,       /* changes in a step that nothing depends on */
  PLACES_IN_STEP = 5,   /* parts of a step, and of a run, at whose ends */
  PLACES_IN_RUN = 1000, /* constraints that were left out are looked at */
  PACE_STEPS = 50000,   /* steps in a row, .. */
  PACE_EVENTS = 10000   /* .. and restarts at events, after which the pace is looked at */
};

/* So many more are too many. */
static const double MOST_STEPS = 1e10, MOST_RESTARTS = 1e8;

/* A step shorter than this part of the time scale is not halved further for a rebound. */
static const double SHORT_STEP = 1e4 * DBL_EPSILON;

cmb_run_options cmb_run_defaults(void)
{
  return (cmb_run_options){
      .method = cmb_method_find("mdop5"), .integrator = cmb_integrator_defaults(), .t_end = NAN};
}

static cmb_status check_times(cmb_context *ctx, const cmb_simulation *sim)
{
  if (!isfinite(sim->t_end) || sim->t_end < sim->t_start) {
    return cmb_fail_about(ctx, CMB_ERROR_ARGUMENT, cmb_about_thing("option", "t-end"),
                          "t-end is %s; expected a time from %s on", cmb_shortest(sim->t_end).text,
                          cmb_shortest(sim->t_start).text);
  }
  if (!isfinite(sim->options.every) || sim->options.every < 0) {
    return cmb_fail_about(ctx, CMB_ERROR_ARGUMENT, cmb_about_thing("option", "every"),
                          "every is %g; expected a positive interval, or 0", sim->options.every);
  }
  CMB_REQUIRE(ctx, sim->options.samples >= 0, "cmb_simulation_create: samples is negative");
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

/* A step of a real-time method has no room for impacts. */
static cmb_status check_resets(cmb_context *ctx, const cmb_simulation *sim)
{
  const cmb_equations *eq = sim->eq;
  const cmb_method *method = sim->options.method;
  if (eq->reset_count == 0 || !method || !cmb_method_is_real_time(method)) return CMB_OK;
  return cmb_fail_about(
      ctx, CMB_ERROR_ARGUMENT, cmb_about_thing("method", cmb_method_name(method)),
      "method '%s' makes steps of fixed cost and cannot reset velocities or states, as events or "
      "stops of this model do; expected a method that locates events",
      cmb_method_name(method));
}

/* Nor for events: friction has to be solved for in the step, which one with several regimes does not. */
static cmb_status check_sticking(cmb_context *ctx, const cmb_simulation *sim)
{
  const cmb_equations *eq = sim->eq;
  const cmb_method *method = sim->options.method;
  const bool refused =
      method && cmb_method_is_real_time(method) && !cmb_method_holds_friction(method);
  for (int i = 0; refused && i < eq->ns; i++) {
    if (!cmb_switch_sticks(eq, i)) continue;
    return cmb_fail_about(ctx, CMB_ERROR_ARGUMENT,
                          cmb_about_thing("switching function", eq->switch_names[i]),
                          "method '%s' makes steps of fixed cost and cannot hold '%s', friction "
                          "that sticks; expected "
                          "lie, a method that locates events, or friction with 'law: smooth'",
                          cmb_method_name(method), eq->switch_names[i]);
  }
  return CMB_OK;
}

/* ---- memory; a failure is left to the arena */

static void take_states(cmb_simulation *sim, int most_ng)
{
  const cmb_equations *eq = sim->eq;
  cmb_arena *arena = sim->arena;
  sim->q = cmb_arena_doubles(arena, eq->nq);
  sim->q_work = cmb_arena_doubles(arena, eq->nq);
  sim->v = cmb_arena_doubles(arena, eq->nv);
  sim->v_work = cmb_arena_doubles(arena, eq->nv);
  sim->a = cmb_arena_doubles(arena, eq->nv);
  sim->lambda = cmb_arena_doubles(arena, eq->ng);
  sim->a_other = cmb_arena_doubles(arena, eq->nv);
  sim->v_before = cmb_arena_doubles(arena, eq->nv);
  sim->v_begin = cmb_arena_doubles(arena, eq->nv);
  sim->v_kept = cmb_arena_doubles(arena, eq->nv);
  sim->lambda_work = cmb_arena_doubles(arena, most_ng);
  sim->outputs = cmb_arena_doubles(arena, eq->no);
  sim->outputs_new = cmb_arena_doubles(arena, cmb_observed(eq));
  sim->outputs_other = cmb_arena_doubles(arena, cmb_observed(eq));
  sim->observed = cmb_arena_doubles(arena, cmb_observed(eq));
  sim->next = cmb_arena_doubles(arena, eq->sampler_count);
  sim->due_now = cmb_arena_take(arena, (size_t)eq->sampler_count, sizeof *sim->due_now);
  sim->idle_instants = cmb_arena_ints(arena, eq->sampler_count);
  sim->q_there = cmb_arena_doubles(arena, eq->nq);
  sim->v_there = cmb_arena_doubles(arena, eq->nv);
  sim->unique = cmb_arena_take(arena, (size_t)most_ng, sizeof *sim->unique);
}

static void take_start(cmb_simulation *sim)
{
  const cmb_equations *eq = sim->eq;
  sim->start = (cmb_start_values){.q = cmb_arena_doubles(sim->arena, eq->nq),
                                  .v = cmb_arena_doubles(sim->arena, eq->nv),
                                  .q_given = cmb_arena_doubles(sim->arena, eq->nq),
                                  .v_given = cmb_arena_doubles(sim->arena, eq->nv)};
}

static void take_rules(cmb_simulation *sim)
{
  const size_t rules = (size_t)sim->eq->rule_count;
  cmb_arena *arena = sim->arena;
  sim->closed = cmb_arena_take(arena, rules, sizeof *sim->closed);
  sim->rebounds = cmb_arena_take(arena, rules, sizeof *sim->rebounds);
  sim->warned = cmb_arena_take(arena, rules, sizeof *sim->warned);
  sim->reversed = cmb_arena_take(arena, rules, sizeof *sim->reversed);
  sim->held_open = cmb_arena_take(arena, rules, sizeof *sim->held_open);
  sim->ended = cmb_arena_take(arena, rules, sizeof *sim->ended);
  sim->undecided = cmb_arena_take(arena, rules, sizeof *sim->undecided);
  sim->closed_without_gap = cmb_arena_take(arena, rules, sizeof *sim->closed_without_gap);
  sim->times = cmb_arena_take(arena, rules, sizeof *sim->times);
  cmb_contacts_create(&sim->contacts, arena, sim->eq);
  cmb_active_contacts_create(&sim->active_contacts, arena, sim->eq);
  cmb_decision_create(&sim->decision, arena, sim->eq);
  cmb_indeterminate_create(&sim->indeterminate, arena, sim->eq);
}

static void take_modes(cmb_simulation *sim)
{
  const int ns = sim->eq->ns;
  cmb_arena *arena = sim->arena;
  sim->hold_of = cmb_arena_ints(arena, ns);
  sim->same_surface = cmb_arena_ints(arena, ns);
  sim->condition_of = cmb_arena_ints(arena, ns);
  sim->condition_before = cmb_arena_ints(arena, ns);
  sim->gradient = cmb_arena_doubles(arena, ns);
  sim->at_zero = cmb_arena_take(arena, (size_t)ns, sizeof *sim->at_zero);
  sim->was_closed = cmb_arena_take(arena, (size_t)ns, sizeof *sim->was_closed);
  sim->unreported = cmb_arena_ints(arena, ns);
  sim->was_torn = cmb_arena_take(arena, (size_t)ns, sizeof *sim->was_torn);
  sim->released = cmb_arena_doubles(arena, ns);
  sim->mode_before = cmb_arena_ints(arena, ns);
  sim->mode_kept = cmb_arena_ints(arena, ns);
  sim->fixed = cmb_arena_ints(arena, sim->most_ns);
  sim->flow = cmb_arena_doubles(arena, 2 * (CMB_PROBES + 2) * sim->most_ns);
  const size_t rules = (size_t)sim->eq->rule_count;
  sim->step_start = (cmb_step_start){.mode = cmb_arena_ints(arena, sim->most_ns),
                                     .lift = cmb_arena_doubles(arena, sim->most_ns),
                                     .s = cmb_arena_doubles(arena, sim->most_ns),
                                     .at_zero = cmb_arena_take(arena, (size_t)ns, sizeof(bool)),
                                     .met = cmb_arena_take(arena, rules, sizeof(bool)),
                                     .rebounds = cmb_arena_take(arena, rules, sizeof(bool))};
}

static cmb_status set_up(cmb_context *ctx, cmb_simulation *sim)
{
  const cmb_equations *eq = sim->eq;
  cmb_arena *arena = sim->arena;
  CMB_TRY(check_times(ctx, sim));
  CMB_TRY(check_resets(ctx, sim));
  CMB_TRY(cmb_run_check_samplers(ctx, sim));
  CMB_TRY(check_sticking(ctx, sim));
  const int most_ng = eq->ng + eq->rule_count; /* bodies that rest add constraints, */
  sim->most_ns = eq->ns + eq->rule_count;      /* and switching functions */
  sim->p = cmb_arena_doubles(arena, eq->np);
  sim->p_before = cmb_arena_doubles(arena, eq->np);
  sim->p_start = cmb_arena_doubles(arena, eq->np);
  sim->condition_mode = cmb_arena_ints(arena, sim->most_ns);
  take_start(sim);
  CMB_TRY(cmb_extra_outputs_create(&sim->extra, ctx, arena, eq, sim->options.extra_equations));
  if (cmb_arena_failed(arena)) return cmb_fail_memory(ctx);
  for (int i = 0; i < eq->np; i++) sim->p[i] = eq->p[i];
  if (sim->system->model) CMB_TRY(cmb_limits_create(ctx, sim->system->model, &sim->limits));
  sim->source = (cmb_regime_source){ctx,    NULL,        arena,       sim->system, &sim->options,
                                    sim->p, &sim->moved, on_singular, sim};
  CMB_TRY(cmb_run_first_regime(sim));
  take_states(sim, most_ng);
  take_rules(sim);
  take_modes(sim);
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
  cmb_run_begin_regimes(sim);
  sim->result = (cmb_result){.t = sim->t_start,
                             .p = sim->p,
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
  cmb_run_destroy_regimes(sim);
  cmb_limits_destroy(sim->limits);
  cmb_arena_destroy(sim->arena);
}

const double *cmb_simulation_a(const cmb_simulation *sim)
{
  return sim->a;
}

cmb_integrator *cmb_simulation_integrator(cmb_simulation *sim)
{
  return sim->in;
}

const cmb_result *cmb_simulation_result(const cmb_simulation *sim)
{
  return sim ? &sim->result : NULL;
}

cmb_status cmb_run_fail(cmb_simulation *sim, cmb_status status, const char *what, double t)
{
  char text[256];
  cmb_status end = status == CMB_RETRY_NONFINITE ? CMB_ERROR_NONFINITE : CMB_ERROR_EQUATIONS;
  return cmb_fail_about(
      sim->ctx, end, cmb_about_time(t, "constraint", cmb_evaluator_blamed(sim->ev, status)),
      "%s at t = %.9g: %s", what, t, cmb_evaluator_blame(sim->ev, status, sizeof text, text));
}

/* The first output that is not finite; -1: all are. */
static int bad_output(const cmb_simulation *sim)
{
  for (int i = 0; i < sim->eq->no; i++) {
    if (!isfinite(sim->outputs_new[i])) return i;
  }
  return -1;
}

/* The outputs at a state, with the words of a failure. */
static cmb_status evaluate_outputs(cmb_simulation *sim, double t, const double *q, const double *v,
                                   const double *a, const double *lambda)
{
  cmb_status status = cmb_outputs(sim->ev, t, q, v, a, lambda, sim->outputs_new);
  const int bad = status == CMB_RETRY_NONFINITE ? bad_output(sim) : -1;
  if (bad < 0) return cmb_run_final(sim, status, "outputs", t);
  const char *unsolved = cmb_evaluator_unsolved(sim->ev);
  return cmb_fail_about(
      sim->ctx, CMB_ERROR_NONFINITE, cmb_about_time(t, "output", sim->eq->output_names[bad]),
      "output '%s' is not finite at t = %.9g%s%s", sim->eq->output_names[bad], t,
      unsolved ? ": no root is found from the start value of the " : "", unsolved ? unsolved : "");
}

/* (t, q, v, a, λ) become the result, with outputs; anything not finite is refused and the result stays. */
static cmb_status take_state(cmb_simulation *sim, double t, const double *q, const double *v,
                             const double *a, const double *lambda)
{
  const cmb_equations *eq = sim->eq;
  bool finite =
      cmb_all_finite(eq->nq, q) && cmb_all_finite(eq->nv, v) && cmb_all_finite(eq->ng, lambda);
  if (!finite) return cmb_run_final(sim, CMB_RETRY_NONFINITE, "state", t);
  CMB_TRY(evaluate_outputs(sim, t, q, v, a, lambda));
  sim->result.t = t;
  cmb_copy(eq->nq, q, sim->q);
  cmb_copy(eq->nv, v, sim->v);
  cmb_copy(eq->ng, lambda, sim->lambda);
  cmb_copy(eq->no, sim->outputs_new, sim->outputs);
  sim->result.started = true;
  sim->result.lambda_unique = cmb_unique_multipliers(sim->ev, sim->unique) ? NULL : sim->unique;
  CMB_TRY(cmb_run_mark_indeterminate(sim, t, q, v, a, lambda));
  cmb_run_evaluate_extra(sim, t, q, v, a, lambda);
  return CMB_OK;
}

/* How well the result's state meets the constraints; anything not finite is refused, as above. */
static cmb_status note_residuals(cmb_simulation *sim)
{
  cmb_result *r = &sim->result;
  double position, velocity;
  cmb_status status = cmb_constraint_residuals(sim->ev, r->t, sim->q, sim->v, &position, &velocity);
  if (status != CMB_OK) return cmb_run_final(sim, status, "constraints", r->t);
  r->position = position;
  r->velocity = velocity;
  if (position > r->worst_position) r->worst_position = position;
  if (velocity > r->worst_velocity) r->worst_velocity = velocity;
  cmb_integrator_meet_drift(sim->in, r->t, sim->q, position);
  return CMB_OK;
}

/* What the projections of the last step have taken back. */
static void note_projections(cmb_simulation *sim)
{
  cmb_result *r = &sim->result;
  double tau, eta;
  cmb_integrator_drift(sim->in, &tau, &eta);
  if (tau > r->worst_tau) r->worst_tau = tau;
  if (eta > r->worst_eta) r->worst_eta = eta;
}

/* Constraints that were left out, or depend on others, are still met. */
static cmb_status check_left_out(cmb_simulation *sim)
{
  const double t = sim->result.t;
  return cmb_run_final(sim, cmb_left_out_check(sim->left_out_watch, t, sim->q, sim->v),
                       "constraints", t);
}

static cmb_status take_integrator_state(cmb_simulation *sim)
{
  sim->raw[0] = sim->raw[1] = NAN;
  return take_state(sim, cmb_integrator_t(sim->in), cmb_integrator_q(sim->in),
                    cmb_integrator_v(sim->in), cmb_integrator_a(sim->in),
                    cmb_integrator_lambda(sim->in));
}

/* As cmb_run_final, for a failure at t inside the last step: the run has come to the end of that step. */
static cmb_status final_inside(cmb_simulation *sim, cmb_status status, const char *what, double t)
{
  char place[160];
  if (status <= 0) return status;
  snprintf(place, sizeof place, "%s inside the step from t = %.9g to %.9g,", what,
           cmb_integrator_t_before(sim->in), cmb_integrator_t(sim->in));
  return cmb_run_fail(sim, status, place, t);
}

/* Constraints that were left out at t inside the last step: at a state that meets the others. */
static cmb_status check_left_out_at(cmb_simulation *sim, double t)
{
  double *q = sim->q_work, *v = sim->v_work;
  CMB_TRY(cmb_integrator_interpolate(sim->in, t, q, v));
  if (sim->eq->normalize) sim->eq->normalize(sim->eq->self, q);
  cmb_status status = cmb_left_out_check(sim->left_out_watch, t, q, v);
  if (status == CMB_OK && !sim->left_out_watch->others_met) {
    status = cmb_project(sim->ev, t, q, v);
    if (status == CMB_OK) status = cmb_left_out_check(sim->left_out_watch, t, q, v);
  }
  return final_inside(sim, status, "constraints", t);
}

/* Were those that were left out met on the way to t too? In a few places of each step, and in so many of the whole run; and at the regimes,
 * which see what there is to be seen (variation.h). */
static cmb_status check_inside(cmb_simulation *sim, double t)
{
  const double t0 = cmb_integrator_t_before(sim->in), h = t - t0;
  const double part = h * PLACES_IN_RUN / (sim->t_end - sim->t_start);
  const int parts = (int)fmax(PLACES_IN_STEP, fmin(ceil(part), PLACES_IN_RUN));
  int regimes;
  const double *node = cmb_integrator_nodes(sim->in, &regimes);
  for (int k = 1; k < parts; k++) CMB_TRY(check_left_out_at(sim, t0 + h * k / parts));
  for (int k = 0; k < regimes; k++) CMB_TRY(check_left_out_at(sim, t0 + h * node[k]));
  return CMB_OK;
}

/* The last step has come to (t, q, v), and the evaluator has G there: have the constraints lost rank on the way? */
static cmb_status watch_step(cmb_simulation *sim, double t, const double *q, const double *v)
{
  const bool real_time = cmb_method_is_real_time(sim->options.method);
  CMB_TRY(cmb_run_final(sim, cmb_rank_watch_step(sim->watch, t, q, v), "constraints", t));
  return sim->left_out_watch->whole && !real_time ? check_inside(sim, t) : CMB_OK;
}

/* The result as a record. */
static cmb_status make_record(cmb_simulation *sim, cmb_record *record)
{
  *record = (cmb_record){.t = sim->result.t,
                         .q = sim->q,
                         .v = sim->v,
                         .lambda = sim->lambda,
                         .outputs = sim->outputs,
                         .extra_outputs = sim->extra.known ? sim->extra.out : NULL,
                         .lambda_unique = sim->result.lambda_unique,
                         .position = NAN,
                         .velocity = NAN,
                         .side = sim->side};
  if (!sim->options.residuals) return CMB_OK;
  record->position = sim->raw[0];
  record->velocity = sim->raw[1];
  if (!isnan(sim->raw[0])) return CMB_OK;
  cmb_status status = cmb_constraint_residuals(sim->ev, record->t, sim->q, sim->v,
                                               &record->position, &record->velocity);
  return cmb_run_final(sim, status, "constraints", record->t);
}

static cmb_status record_now(cmb_simulation *sim)
{
  const cmb_observer *o = &sim->options.observer;
  if (!o->record) return CMB_OK;
  cmb_record record;
  CMB_TRY(make_record(sim, &record));
  sim->result.records++;
  return o->record(o->user, &record);
}

/* How far the run is; the observer may end it here. */
static cmb_status report_progress(cmb_simulation *sim)
{
  const cmb_observer *o = &sim->options.observer;
  return o->progress ? o->progress(o->user, sim->result.t, sim->t_start, sim->t_end) : CMB_OK;
}

/* One of the hooks around a step, if it is there. */
static cmb_status call_hook(const cmb_simulation *sim, cmb_status (*hook)(void *user, double t))
{
  return hook ? hook(sim->options.observer.user, cmb_integrator_t(sim->in)) : CMB_OK;
}

/* Computes the state at t inside the last step, on the constraints, and its accelerations, in the scratch arrays of the run. */
static cmb_status find_state_inside(cmb_simulation *sim, double t)
{
  CMB_TRY(cmb_integrator_interpolate(sim->in, t, sim->q_work, sim->v_work));
  if (sim->options.residuals) {
    CMB_TRY(
        cmb_constraint_residuals(sim->ev, t, sim->q_work, sim->v_work, &sim->raw[0], &sim->raw[1]));
  }
  if (sim->ev->eq->ng == 0) {
    if (sim->eq->normalize) sim->eq->normalize(sim->eq->self, sim->q_work);
    return sim->eq->no > 0
               ? cmb_accelerate(sim->ev, t, sim->q_work, sim->v_work, sim->a, sim->lambda_work)
               : CMB_OK;
  }
  CMB_TRY(cmb_project(sim->ev, t, sim->q_work, sim->v_work));
  return cmb_accelerate_factored(sim->ev, t, sim->q_work, sim->v_work, sim->a, sim->lambda_work);
}

/* The same; where that fails because the constraints lose rank nearby, directions that they determine weakly are not corrected. */
static cmb_status find_state_anywhere(cmb_simulation *sim, double t)
{
  cmb_status status = find_state_inside(sim, t);
  if (status <= 0 || sim->ev->eq->ng == 0 || sim->ev->watching) return status;
  cmb_watch_rank(sim->ev, true);
  status = find_state_inside(sim, t);
  cmb_watch_rank(sim->ev, false);
  return status;
}

/* The state at t inside the last step becomes the result. It leaves no trace in the evaluator: which states inside of steps are looked at does
 * not change the motion. */
static cmb_status take_state_inside(cmb_simulation *sim, double t)
{
  cmb_kkt_keep(sim->ev->kkt);
  cmb_status status = find_state_anywhere(sim, t);
  if (status == CMB_OK) {
    status = take_state(sim, t, sim->q_work, sim->v_work, sim->a, sim->lambda_work);
  }
  cmb_kkt_restore(sim->ev->kkt);
  return status;
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
    if (status != CMB_OK) return final_inside(sim, status, "dense output", time_due(sim));
    CMB_TRY(record_now(sim));
    CMB_TRY(report_progress(sim)); /* there may be very many in one step */
  }
  return CMB_OK;
}

static bool wants_samples(const cmb_simulation *sim)
{
  return sim->options.observer.sample && sim->options.samples > 0;
}

/* The result's state as a sample. */
static cmb_status record_sample(cmb_simulation *sim)
{
  const cmb_observer *o = &sim->options.observer;
  if (!wants_samples(sim)) return CMB_OK;
  cmb_record record;
  CMB_TRY(make_record(sim, &record));
  sim->sampled = record.t;
  return o->sample(o->user, &record);
}

/* The state at t, inside the last step or at its end, becomes the result, if there is one: *stands. It is not part of the work that a
 * run reports. */
static cmb_status stand_at(cmb_simulation *sim, double t, bool inside, bool *stands)
{
  const cmb_statistics statistics = sim->ev->stats;
  cmb_status status = inside ? take_state_inside(sim, t) : take_integrator_state(sim);
  sim->ev->stats = statistics;
  *stands = status == CMB_OK;
  const bool none = status > 0 || status == CMB_ERROR_NONFINITE || status == CMB_ERROR_EQUATIONS;
  if (!none) return status;
  cmb_forget_error(sim->ctx);
  return CMB_OK;
}

/* Where there is no state the picture does without. */
cmb_status cmb_run_sample_at(cmb_simulation *sim, double t)
{
  bool stands;
  if (!wants_samples(sim)) return CMB_OK;
  CMB_TRY(stand_at(sim, t, t < cmb_integrator_t(sim->in), &stands));
  return stands ? record_sample(sim) : CMB_OK;
}

/* Returns into how many parts the time from the last sample to `limit`, in the last step, is divided, so that the parts are at most as long
 * as the run divided by the number of samples; 1 if no samples are wanted. */
static int sample_parts(const cmb_simulation *sim, double limit)
{
  if (!wants_samples(sim)) return 1;
  const double distance = (sim->t_end - sim->t_start) / sim->options.samples;
  const double length = limit - fmax(sim->sampled, cmb_integrator_t_before(sim->in));
  return length > distance ? (int)fmin(ceil(length / distance), INT_MAX) : 1;
}

/* Samples the last step up to `limit` where the points of the run would otherwise be too far apart (sample_parts). Each of the points inside
 * is shifted by up to a quarter of a part, by multiples of the golden section modulo 1, so that an oscillation whose period is a part is not
 * always sampled at the same phase. */
static cmb_status samples_inside(cmb_simulation *sim, double limit)
{
  static const double golden = 0.61803398874989485;
  const int parts = sample_parts(sim, limit);
  const double begin = fmax(sim->sampled, cmb_integrator_t_before(sim->in));
  for (int k = 1; k < parts; k++) {
    const double shift = (fmod((double)sim->samples_inside++ * golden, 1) - 0.5) / 2;
    CMB_TRY(cmb_run_sample_at(sim, begin + (k + shift) / parts * (limit - begin)));
  }
  return CMB_OK;
}

static inline cmb_status record_inside(cmb_simulation *sim, double limit)
{
  if (sim->options.every == 0 && sim->options.samples == 0) return CMB_OK;
  CMB_TRY(records_inside(sim, limit));
  return samples_inside(sim, limit);
}

/* Notes for the search for events whether states inside of the last step will be handed out, and whether the work for them counts. */
static void note_outputs_inside(cmb_simulation *sim)
{
  const double end = cmb_integrator_t(sim->in);
  const double instant = sim->eq->nh > 0 ? cmb_run_next_instant(sim) : INFINITY;
  const bool counts = (sim->options.every > 0 && time_due(sim) < end) || instant < end;
  sim->events->outputs_count = counts;
  sim->events->outputs_inside = counts || sample_parts(sim, end) > 1;
}

/* The switching function that was last seen not to be finite; -1: it was not kept which. */
static int bad_switch(const cmb_events *e)
{
  for (int i = 0; i < e->ns; i++) {
    bool finite = isfinite(e->s_probe[i]) && isfinite(e->s_edge[i]);
    for (int k = 0; k <= CMB_EVENT_SAMPLES; k++) finite = finite && isfinite(e->s[k][i]);
    if (!finite) return i;
  }
  return e->ns == 1 ? 0 : -1;
}

/* A failure of the switching functions somewhere in the last step, which began at `from`. */
static cmb_status fail_switches(cmb_simulation *sim, cmb_status status, double from)
{
  const double to = cmb_integrator_t(sim->in);
  const int bad = bad_switch(sim->events);
  static const char all[] = "switching functions";
  char when[80];
  if (status != CMB_RETRY_NONFINITE) return cmb_run_final(sim, status, all, to);
  cmb_about about = cmb_about_leading(cmb_about_time(to, "switching function", NULL));
  if (bad >= 0)
    about.name = sim->ev->eq->switch_names[bad];
  else
    about.subject = all;
  snprintf(when, sizeof when, "at t = %.9g", to);
  if (from < to) snprintf(when, sizeof when, "at a time from t = %.9g to %.9g", from, to);
  return cmb_fail_about(sim->ctx, CMB_ERROR_NONFINITE, about, "not finite %s", when);
}

static inline cmb_status final_switches(cmb_simulation *sim, cmb_status status, double from)
{
  return status == CMB_OK ? CMB_OK : fail_switches(sim, status, from);
}

/* The result is on a side of an event: the observer may want to know. */
static cmb_status record_side(cmb_simulation *sim)
{
  const cmb_observer *o = &sim->options.observer;
  if (!o->side || sim->side == 0) return CMB_OK;
  cmb_record record;
  CMB_TRY(make_record(sim, &record));
  return o->side(o->user, &record);
}

/* The state right before an event, in the old modes, for whoever wants it: inside the last step, or at its end. It is not part of the
 * work that a run reports. */
static cmb_status record_before(cmb_simulation *sim, double t, bool inside)
{
  const cmb_observer *o = &sim->options.observer;
  const bool recorded = o->side || (o->record && sim->options.every == 0);
  sim->side = -1;
  if (!recorded) {
    bool stands = false;
    if (inside || wants_samples(sim)) CMB_TRY(stand_at(sim, t, inside, &stands));
    return stands ? record_sample(sim) : CMB_OK;
  }
  const cmb_statistics statistics = sim->ev->stats;
  cmb_status status = inside ? take_state_inside(sim, t) : take_integrator_state(sim);
  sim->ev->stats = statistics;
  CMB_TRY(cmb_run_final(sim, status, "state before an event", t));
  CMB_TRY(record_side(sim));
  CMB_TRY(record_sample(sim));
  return sim->options.every == 0 ? record_now(sim) : CMB_OK;
}

cmb_status cmb_run_record_to(cmb_simulation *sim, double t, bool changes)
{
  const double end = cmb_integrator_t(sim->in);
  CMB_TRY(record_inside(sim, t));
  if (!changes || sim->options.every != 0) CMB_TRY(cmb_run_sample_at(sim, t));
  if (!changes) return CMB_OK;
  if (sim->options.every == 0) {
    CMB_TRY(record_before(sim, t, t < end));
    sim->side = 1;
  }
  if (sim->ev->eq->ng == 0 || t >= end) return CMB_OK;
  const cmb_terms want = {.G = sim->ev->G};
  cmb_status status = cmb_evaluate(sim->ev, t, sim->q_there, NULL, &want);
  CMB_TRY(cmb_run_final(sim, status, "constraints", t));
  return watch_step(sim, t, sim->q_there, sim->v_there);
}

/* Whether the next record at the interval is where the result is, or before. */
static bool is_due(const cmb_simulation *sim)
{
  const double t = sim->result.t;
  return time_due(sim) <= t + 4 * DBL_EPSILON * fmax(fabs(t), sim->options.every);
}

/* The state now reached: a record, if each step is one, if the interval falls here, or at the end. */
static cmb_status record_here(cmb_simulation *sim)
{
  CMB_TRY(record_side(sim));
  CMB_TRY(record_sample(sim));
  double t = sim->result.t;
  bool each = sim->options.every == 0;
  bool due = !each && is_due(sim);
  const bool last = t >= sim->t_end || sim->result.stopped_by;
  if (due && !last) sim->result.t = time_due(sim); /* not an event beside it, by rounding */
  if (due) sim->due++;
  cmb_status status = each || due || last ? record_now(sim) : CMB_OK;
  sim->result.t = t;
  return status;
}

/* What could not be decided on; and a warning, when the run is over. */
static void note_undecided(cmb_simulation *sim, bool over)
{
  const cmb_enclosure *e = &sim->events->enclosure;
  cmb_result *r = &sim->result;
  r->undecided = e->undecided;
  r->undecided_name = NULL;
  r->undecided_t = e->undecided_t;
  if (e->undecided == 0) return;
  r->undecided_name = sim->eq->switch_names[e->undecided_function];
  if (!over) return;
  cmb_log(
      sim->ctx, CMB_LOG_WARNING,
      "%ld time%s a switching function came so near to 0, or to a place where it jumps, that no "
      "change of sign could be proved or excluded, last '%s' at t = %.9g",
      r->undecided, r->undecided == 1 ? "" : "s", r->undecided_name, r->undecided_t);
}

/* Equations and observers can end a run without a word; an error of a run always has some. */
cmb_status cmb_run_conclude(cmb_simulation *sim, cmb_status status)
{
  sim->result.status = status;
  sim->result.stiff_since = cmb_integrator_stiff_since(sim->in);
  if (status != CMB_OK) sim->phase = CMB_PHASE_FAILED;
  note_undecided(sim, status != CMB_OK || sim->result.stopped_by || sim->result.t >= sim->t_end);
  if (status < 0) cmb_lock_blame(sim->ctx, sim->system, &sim->options.integrator, status, sim->q);
  if (status == CMB_OK || cmb_error_of(sim->ctx)->status != CMB_OK) return status;
  return cmb_fail_about(sim->ctx, status, cmb_about_time(sim->result.t, NULL, NULL),
                        "ended at t = %.9g: %s", sim->result.t, cmb_status_meaning(status));
}

static void copy_given(const cmb_simulation *sim, double *q, double *v)
{
  memcpy(q, sim->start.q, (size_t)sim->eq->nq * sizeof *q);
  memcpy(v, sim->start.v, (size_t)sim->eq->nv * sizeof *v);
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
  return cmb_run_final(sim, status, "rank of the constraints", sim->t_start);
}

/* Consistent values, and the modes there. */
static cmb_status start_modes(cmb_simulation *sim)
{
  cmb_evaluator *ev = sim->ev;
  cmb_start_report *report = &sim->result.start;
  double *q = sim->q_work, *v = sim->v_work, *lambda = sim->lambda_work;
  copy_given(sim, q, v);
  CMB_TRY(cmb_start_in_modes(ev, &sim->events->search, sim->t_start, q, v, sim->a, lambda, report));
  if (!*ev->doubtful || ev->deficiency == 0) return CMB_OK;
  CMB_TRY(count_redundant(sim, q));
  copy_given(sim, q, v);
  return cmb_start_in_modes(ev, &sim->events->search, sim->t_start, q, v, sim->a, lambda, report);
}

/* How far the start is from what the user gave, if the start values were found from that. */
static void measure_start(cmb_simulation *sim)
{
  const cmb_start_values *given = &sim->start;
  cmb_start_report *r = &sim->result.start;
  if (given->as_given) return;
  r->q_moved = cmb_change(sim->eq->nq, sim->q_work, given->q_given, &r->q_most);
  r->v_moved = cmb_change(sim->eq->nv, sim->v_work, given->v_given, &r->v_most);
}

/* Implicit functions, also those that nothing depends on, have roots at the start. */
static cmb_status check_roots(cmb_simulation *sim)
{
  if (!sim->eq->unsolved) return CMB_OK;
  const cmb_point at = cmb_evaluator_point(sim->ev, sim->t_start, sim->q_work, sim->v_work);
  const char *unsolved = sim->eq->unsolved(sim->eq->self, &at);
  if (!unsolved) return CMB_OK;
  return cmb_fail_about(sim->ctx, CMB_ERROR_NONFINITE, cmb_about_time(sim->t_start, NULL, NULL),
                        "start: no root is found from the start value of the %s", unsolved);
}

/* Nothing has happened yet. The state is that of the system, should the start fail; the rest is not known then. */
static void forget_run(cmb_simulation *sim)
{
  cmb_result *r = &sim->result;
  cmb_forget_error(sim->ctx);
  memcpy(sim->q, cmb_system_q(sim->system), (size_t)sim->eq->nq * sizeof *sim->q);
  memcpy(sim->v, cmb_system_v(sim->system), (size_t)sim->eq->nv * sizeof *sim->v);
  for (int i = 0; i < sim->eq->no; i++) sim->outputs[i] = 0;
  for (int i = 0; i < sim->eq->ng; i++) sim->lambda[i] = 0;
  sim->raw[0] = sim->raw[1] = NAN;
  r->started = false;
  r->position = r->velocity = r->worst_position = r->worst_velocity = 0;
  r->worst_tau = r->worst_eta = 0;
  r->t = sim->t_start;
  r->events = r->impulses = r->instants = r->records = r->singularities = 0;
  cmb_run_forget_samples(sim);
  r->stopped_by = r->sliding = NULL;
  for (int i = 0; i < sim->eq->no; i++) sim->indeterminate.output_unique[i] = true;
  cmb_run_note_unique(sim);
  sim->due = sim->samples_inside = 0;
  cmb_run_begin_regimes(sim);
  sim->side = 0;
  sim->sampled = -INFINITY;
  sim->steps = sim->restarts = (cmb_pace){0, sim->t_start};
  sim->last_event = "";
  sim->events->crowded = 0;
  cmb_enclosure_begin(&sim->events->enclosure);
  sim->ev->stats = (cmb_statistics){0};
  sim->ev->redundant = 0;
  cmb_forget_grip(sim->ev);
}

static cmb_status start(cmb_simulation *sim)
{
  cmb_result *r = &sim->result;
  forget_run(sim);
  CMB_TRY(cmb_run_find_start(sim));
  copy_given(sim, sim->q, sim->v);
  cmb_status found = start_modes(sim);
  CMB_TRY(cmb_lock_check(sim->ctx, sim->system, &sim->options.integrator, r->t, sim->q_work));
  CMB_TRY(found);
  CMB_TRY(check_roots(sim));
  cmb_variation_begin(sim->variation, sim->t_start, sim->t_end);
  r->worst_position = r->worst_velocity = r->worst_tau = r->worst_eta = 0;
  measure_start(sim);
  CMB_TRY(take_state(sim, sim->t_start, sim->q_work, sim->v_work, sim->a, sim->lambda_work));
  CMB_TRY(note_residuals(sim));
  CMB_TRY(cmb_left_out_check_start(sim->left_out_watch, sim->t_start, sim->q, sim->v));
  cmb_status status = cmb_left_out_start(sim->left_out_watch, sim->t_start, sim->q, sim->v);
  CMB_TRY(cmb_run_final(sim, status, "constraints", sim->t_start));
  return check_left_out(sim);
}

/* The words for a call from inside of another one. */
static cmb_status refuse_inside(cmb_simulation *sim, const char *call)
{
  return cmb_fail(
      sim->ctx, CMB_ERROR_ARGUMENT,
      "%s is called from inside of the run; expected the call after the run has returned", call);
}

cmb_status cmb_simulation_start(cmb_simulation *sim)
{
  if (!sim) return CMB_ERROR_ARGUMENT;
  if (sim->place != CMB_PLACE_IDLE) return refuse_inside(sim, "cmb_simulation_start");
  sim->phase = CMB_PHASE_FRESH;
  return cmb_run_conclude(sim, start(sim));
}

/* The event that resets velocities in both directions and reads function i; NULL: none does. */
static const char *undoing_event(const cmb_equations *eq, int i)
{
  for (int k = 0; k < eq->rule_count; k++) {
    const cmb_rule *r = &eq->rules[k];
    const bool reads = i < eq->ns && eq->rule_reads[(ptrdiff_t)k * eq->ns + i];
    if (reads && r->reset_count > 0 && r->direction == 0) return r->name;
  }
  return NULL;
}

/* Whether bodies touch this gap where a branch of its formula ends; s (ns) and the surfaces are those of the event found. */
static bool is_at_edge(const cmb_simulation *sim, int rule, const double *s)
{
  const cmb_equations *eq = sim->eq;
  const bool *reads = eq->surface_reads + (ptrdiff_t)rule * eq->ns;
  const double leeway = cmb_run_leeway(sim);
  if (!eq->rules[rule].gap) return false;
  if (fabs(sim->ev->u[rule]) > leeway * cmb_surface_size(sim->ev, rule)) return false;
  for (int i = 0; i < eq->ns; i++) {
    if (reads[i] && fabs(s[i]) <= leeway) return true;
  }
  return false;
}

/* Events come too fast. If bodies are in a corner of one gap they cannot come to rest there: the words for that, else CMB_OK. */
static cmb_status fail_at_edge(cmb_simulation *sim)
{
  const cmb_equations *eq = sim->eq;
  cmb_events *e = sim->events;
  if (!eq->surfaces || !eq->surface_reads) return CMB_OK;
  cmb_status status =
      cmb_switches(sim->ev, e->t, e->q_found, e->v_found, e->lambda_found, e->s_probe);
  if (status == CMB_OK) status = cmb_run_find_surfaces(sim);
  CMB_TRY(cmb_run_final(sim, status, "switching functions", e->t));
  for (int k = 0; k < eq->rule_count; k++) {
    if (!is_at_edge(sim, k, e->s_probe)) continue;
    return cmb_fail_about(
        sim->ctx, CMB_ERROR_EVENTS, cmb_run_about_rule(sim, k),
        "'%s' at t = %.9g: bodies touch it again and again where two branches of its "
        "formula meet, as in the corner of a V, but a contact can stay closed on one branch only; "
        "give each branch a contact or stop of its own",
        eq->rules[k].name, e->t);
  }
  return CMB_OK;
}

/* Which function changes back and forth, the one that is furthest beyond its zero or nearest to it, and what may help. */
static cmb_status fail_crowded(cmb_simulation *sim)
{
  cmb_events *e = sim->events;
  cmb_evaluator *ev = sim->ev;
  const char *name = sim->last_event, *undoing = NULL;
  double least = INFINITY;
  CMB_TRY(fail_at_edge(sim));
  CMB_TRY(cmb_run_final(sim,
                        cmb_switches(ev, e->t, e->q_found, e->v_found, e->lambda_found, e->s_probe),
                        "switching functions", e->t));
  for (int i = 0; i < e->ns; i++) {
    const double s = cmb_mode_sign(ev, i) * e->s_probe[i];
    if (!(s < least)) continue;
    least = s;
    name = ev->eq->switch_names[i];
    undoing = s < 0 ? undoing_event(sim->eq, i) : NULL;
  }
  if (undoing) {
    return cmb_fail(
        sim->ctx, CMB_ERROR_EVENTS,
        "%d events without time between them at t = %.9g: the reset of event '%s' leads back "
        "through its condition, where the event acts again; let it act in one direction ('rising' "
        "or 'falling', not 'both')",
        CMB_MOST_CROWDED, e->t, undoing);
  }
  return cmb_fail_about(
      sim->ctx, CMB_ERROR_EVENTS, cmb_about_time(e->t, "switching function", name),
      "%d events without time between them at t = %.9g: '%s' changes sign again and "
      "again, as where a force jumps against the motion that makes it jump (dry "
      "friction that sticks, a contact whose strong damping opens it at once); "
      "let it change smoothly, F*tanh(v/v0) in place of F*sign(v), or use 'friction' of "
      "the joint or contact, or less damping",
      CMB_MOST_CROWDED, e->t, name);
}

/* The event found in the last step: records up to it, then on from there. */
static cmb_status pass_event(cmb_simulation *sim, double t_last)
{
  cmb_events *e = sim->events;
  bool no_time = e->t - t_last <= 4 * cmb_run_least_step(sim, e->t);
  if (sim->t_limit - e->t <= cmb_run_least_step(sim, e->t)) e->t = sim->t_limit;
  e->crowded = no_time ? e->crowded + 1 : 0;
  if (e->crowded > CMB_MOST_CROWDED) {
    return fail_crowded(sim);
  }
  CMB_TRY(record_inside(sim, e->t));
  CMB_TRY(record_before(sim, e->t, true));
  if (sim->ev->eq->ng > 0) {
    cmb_terms want = {.G = sim->ev->G};
    CMB_TRY(cmb_run_final(sim, cmb_evaluate(sim->ev, e->t, e->q_found, NULL, &want), "constraints",
                          e->t));
    CMB_TRY(watch_step(sim, fmin(e->t, cmb_integrator_t(sim->in)), e->q_found, e->v_found));
  }
  sim->side = 1;
  sim->restarts.count++;
  return cmb_run_restart(sim);
}

/* A jump of a rate needs a method that brings velocities to the constraints. */
static cmb_status refuse_loose_rates(cmb_simulation *sim)
{
  const cmb_left_out *a = sim->left_out_watch;
  for (int i = 0; i < sim->eq->ng; i++) {
    if (!cmb_left_out_has_impulse(a, i)) continue;
    return cmb_fail_about(
        sim->ctx, CMB_ERROR_EVENTS,
        cmb_about_time(sim->events->t, "constraint", sim->eq->g_names[i]),
        "constraint '%s' requires a sudden change of velocity at t = %.9g, which %s with this "
        "value of "
        "the option stabilization does not make; expected stabilization=projection",
        sim->eq->g_names[i], sim->events->t, cmb_method_name(sim->options.method));
  }
  return CMB_OK;
}

/* The constraints of the new modes where a step of a real-time method ends: the next one brings velocities there. */
cmb_status cmb_run_enter_late(cmb_simulation *sim, double h)
{
  const cmb_events *e = sim->events;
  cmb_status status = cmb_left_out_late_modes(sim->left_out_watch, e->t, h, e->q_found, e->v_found,
                                              cmb_integrator_a(sim->in));
  CMB_TRY(cmb_run_final(sim, status, "constraints", e->t));
  if (cmb_integrator_has_loose_rates(sim->in)) CMB_TRY(refuse_loose_rates(sim));
  return cmb_run_report_impulses(sim);
}

/* The modes of friction that sticks are what a step of a real-time method has found: +1 and -1 where it slips, 2 where it holds. */
static void keep_grip(cmb_simulation *sim)
{
  const double *grip = sim->ev->grip;
  for (int i = 0; grip && i < sim->eq->ns; i++) {
    if (grip[i] != 0) sim->condition_mode[i] = grip[i] > 1.5 ? 2 : grip[i] > 0 ? 1 : -1;
  }
}

/* The same where the run begins. */
static void begin_grip(cmb_simulation *sim, bool *restarted)
{
  keep_grip(sim);
  for (int i = 0; sim->ev->grip && i < sim->eq->ns; i++) {
    if (sim->ev->grip[i] != 0) sim->ev->mode[i] = sim->condition_mode[i];
    *restarted = *restarted || sim->ev->grip[i] != 0;
  }
}

/* A step of a real-time method has ended: what it has switched is changed there. */
static cmb_status switch_in_time(cmb_simulation *sim)
{
  cmb_events *e = sim->events;
  const long events = sim->result.events;
  if (e->ns == 0) return CMB_OK;
  keep_grip(sim);
  CMB_TRY(final_switches(sim, cmb_events_modes_at_end(e), cmb_integrator_t(sim->in)));
  if (memcmp(e->mode_new, sim->ev->mode, (size_t)e->ns * sizeof *e->mode_new) != 0) {
    cmb_status status = cmb_left_out_last_modes(sim->left_out_watch, e->t, e->q_found, e->v_found);
    CMB_TRY(cmb_run_final(sim, status, "constraints", e->t));
    CMB_TRY(record_before(sim, e->t, false));
    sim->side = 1;
  }
  CMB_TRY(cmb_run_end_step(sim));
  if (sim->result.events == events) return CMB_OK;
  return cmb_run_enter_late(sim, cmb_integrator_t(sim->in) - cmb_integrator_t_before(sim->in));
}

/* One step of a real-time method. */
static cmb_status advance_in_time(cmb_simulation *sim)
{
  bool changed;
  CMB_TRY(cmb_integrator_step(sim->in, sim->t_limit));
  CMB_TRY(record_inside(sim, cmb_integrator_t(sim->in)));
  CMB_TRY(switch_in_time(sim));
  return sim->eq->nh > 0 ? cmb_run_sample_here(sim, &changed) : CMB_OK;
}

/* A step whose regimes have seen how functions of time and of the path vary in it; a shorter one where the first that is tried has not. */
static cmb_status make_step(cmb_simulation *sim)
{
  CMB_TRY(cmb_integrator_step(sim->in, cmb_run_step_limit(sim)));
  if (cmb_integrator_is_fixed(sim->in)) return CMB_OK;
  for (int k = 0; k < MOST_SHORTER; k++) {
    bool unseen;
    cmb_status status = cmb_variation_unseen(sim->variation, &unseen);
    CMB_TRY(cmb_run_final(sim, status, "dense output", cmb_integrator_t_before(sim->in)));
    if (!unseen) break;
    CMB_TRY(cmb_integrator_undo(sim->in));
    CMB_TRY(cmb_integrator_step(sim->in, cmb_run_step_limit(sim)));
  }
  return CMB_OK;
}

/* Functions that the constraints have held in the step before are looked at first: to prove that rounding has one sign would take long. */
static cmb_status begin_constrained(cmb_simulation *sim)
{
  cmb_events *e = sim->events;
  bool any = false;
  for (int i = 0; i < e->ns; i++) {
    any = any || e->constrained[i];
    e->constrained[i] = false;
  }
  if (!any) return CMB_OK;
  cmb_events_at_end(e);
  return cmb_run_final(sim, cmb_run_mark_constrained(sim, &any), "events", e->t);
}

/* The first event of the last step from e->from on. Functions of velocities that the constraints hold at 0 have none. */
static cmb_status find_next_event(cmb_simulation *sim, bool *found)
{
  cmb_events *e = sim->events;
  bool again = true;
  cmb_status status = CMB_OK;
  while (again) {
    status = cmb_events_find(e, found);
    const bool lost = status == CMB_RETRY_NEWTON && e->from == 0;
    if (!lost && (status != CMB_OK || !*found)) return status;
    if (lost) cmb_events_at_end(e);
    CMB_TRY(cmb_run_final(sim, cmb_run_mark_constrained(sim, &again), "events", e->t));
  }
  return status;
}

/* The first event of the last step behind e->from, if it is not later than `limit`. Those that are idle are passed and counted, and the
 * step goes on; but not too many of them, for where functions stay at 0 but for rounding there is no end of them. */
static cmb_status find_event(cmb_simulation *sim, double limit, bool *found, int *passed)
{
  cmb_events *e = sim->events;
  for (int k = 0; k < MOST_IDLE; k++) {
    bool idle, goes_on = false;
    cmb_status status = find_next_event(sim, found);
    if (status == CMB_RETRY_NEWTON && k > 0) *found = true; /* the last idle one */
    *found = *found && e->t <= limit;
    if (status != CMB_OK || !*found) return *found ? CMB_OK : status;
    CMB_TRY(cmb_run_pass_idle(sim, &idle));
    if (idle) (*passed)++;
    if (idle) CMB_TRY(cmb_events_go_on(e, &goes_on));
    if (!goes_on) break;
  }
  return CMB_OK;
}

/* Where the run ends there may be an event that the next step would have begun with. */
static cmb_status find_last_event(cmb_simulation *sim, bool *found, int *passed)
{
  const double t = cmb_integrator_t(sim->in);
  bool idle;
  if (t < sim->t_end) return CMB_OK;
  CMB_TRY(cmb_events_find_at_end(sim->events, cmb_run_least_step(sim, t), found));
  if (!*found) return CMB_OK;
  CMB_TRY(cmb_run_pass_idle(sim, &idle));
  if (idle) (*passed)++;
  *found = !idle;
  return CMB_OK;
}

/* The first event of the last step, or of the end of the run, behind e->from. CMB_RETRY_NEWTON: there seems to be one that cannot be bracketed. */
static cmb_status find_first(cmb_simulation *sim, bool *found, int *passed)
{
  const double from = cmb_integrator_t_before(sim->in);
  cmb_status status = find_event(sim, INFINITY, found, passed);
  if (status == CMB_OK && !*found) status = find_last_event(sim, found, passed);
  return status == CMB_RETRY_NEWTON ? status : final_switches(sim, status, from);
}

/* Instants of samplers up to the event found, or in the whole step, until one of them changes the motion: *moved. If idle events have been
 * passed they are taken back and passed again in the order of time: at an instant those behind it have not happened, and will not if the
 * motion changes there. */
static cmb_status pass_instants(cmb_simulation *sim, bool *found, int passed, bool *moved)
{
  const double end = cmb_integrator_t(sim->in), limit = *found ? fmin(sim->events->t, end) : end;
  const double last = limit + cmb_run_least_step(sim, limit);
  double t = cmb_run_next_instant(sim);
  bool before;
  *moved = false;
  if (t > last) return CMB_OK;
  if (passed > 0) cmb_run_restore_start(sim);
  for (; t <= last && !*moved; t = cmb_run_next_instant(sim)) {
    cmb_status status = passed > 0 ? find_event(sim, t, &before, &passed) : CMB_OK;
    if (status != CMB_RETRY_NEWTON)
      CMB_TRY(final_switches(sim, status, cmb_integrator_t_before(sim->in)));
    CMB_TRY(cmb_run_pass_instant(sim, t, moved));
  }
  if (passed == 0 || *moved) return CMB_OK;
  cmb_status status = find_first(sim, found, &passed);
  return status == CMB_RETRY_NEWTON ? CMB_OK : status;
}

static bool is_worth_halving(const cmb_simulation *sim)
{
  const double t = cmb_integrator_t(sim->in), h = t - cmb_integrator_t_before(sim->in);
  return !cmb_integrator_is_fixed(sim->in) && h > SHORT_STEP * cmb_run_time_scale(sim, t);
}

/* One step, with the events in it. */
static cmb_status advance(cmb_simulation *sim)
{
  for (int undone = 0;;) {
    double t_last = cmb_integrator_t(sim->in);
    bool found = false, penetrated = false, moved = false;
    int passed = 0;
    CMB_TRY(make_step(sim));
    if (sim->events->ns == 0 && sim->eq->nh == 0) {
      return record_inside(sim, cmb_integrator_t(sim->in));
    }
    cmb_run_keep_start(sim);
    CMB_TRY(cmb_run_widen_contact_tolerances(sim));
    CMB_TRY(begin_constrained(sim));
    note_outputs_inside(sim);
    cmb_status status = find_first(sim, &found, &passed);
    if (status == CMB_RETRY_NEWTON && undone < MOST_UNDONE) {
      undone++;
      CMB_TRY(cmb_integrator_undo(sim->in));
      continue;
    }
    if (status != CMB_RETRY_NEWTON) CMB_TRY(status);
    if (is_worth_halving(sim)) CMB_TRY(cmb_run_has_penetrated(sim, found, &penetrated));
    if (found && !penetrated && is_worth_halving(sim))
      CMB_TRY(cmb_run_is_spurious_event(sim, &penetrated));
    if (penetrated) {
      cmb_run_restore_start(sim);
      CMB_TRY(cmb_integrator_undo(sim->in));
      continue;
    }
    if (sim->eq->nh > 0) CMB_TRY(pass_instants(sim, &found, passed, &moved));
    if (moved) return CMB_OK;
    if (found) return pass_event(sim, t_last);
    CMB_TRY(record_inside(sim, cmb_integrator_t(sim->in)));
    if (sim->events->ns == 0) return CMB_OK;
    CMB_TRY(final_switches(sim, cmb_events_here(sim->events), cmb_integrator_t(sim->in)));
    CMB_TRY(cmb_run_check_held(sim));
    CMB_TRY(cmb_run_close_small_rebounds(sim));
    return cmb_run_check_ends(sim);
  }
}

/* Very short steps or events in very close succession would keep a run from its end for ever: at the pace of the last `enough` of them
 * the rest, or a second of it, would take too many. */
static bool is_slow(const cmb_simulation *sim, cmb_pace *pace, long enough, double most)
{
  const double t = sim->result.t, advanced = t - pace->t;
  if (pace->count < enough) return false;
  pace->count = 0;
  pace->t = t;
  return fmin(sim->t_end - t, 1) * (double)enough > most * advanced;
}

static cmb_status check_pace(cmb_simulation *sim)
{
  const double t = sim->result.t, steps_from = sim->steps.t, events_from = sim->restarts.t;
  sim->steps.count++;
  if (is_slow(sim, &sim->restarts, PACE_EVENTS, MOST_RESTARTS)) {
    cmb_events_at_end(sim->events);
    CMB_TRY(fail_at_edge(sim));
    return cmb_fail_about(
        sim->ctx, CMB_ERROR_EVENTS, cmb_about_time(t, "event", sim->last_event),
        "%d restarts at events have advanced the run by %.3g s only, to t = %.9g: the "
        "run would not reach its end; the last event was '%s'",
        PACE_EVENTS, t - events_from, t, sim->last_event);
  }
  if (!is_slow(sim, &sim->steps, PACE_STEPS, MOST_STEPS)) return CMB_OK;
  return cmb_fail_about(
      sim->ctx, CMB_ERROR_STEP_COUNT, cmb_about_time(t, NULL, NULL),
      "%d steps have advanced the run by %.3g s only, to t = %.9g: the run would not reach its "
      "end",
      PACE_STEPS, t - steps_from, t);
}

/* The start, and what happens there. */
static cmb_status begin(cmb_simulation *sim)
{
  const bool real_time = cmb_method_is_real_time(sim->options.method);
  bool restarted;
  sim->phase = CMB_PHASE_RUNNING;
  sim->t_limit = sim->t_end;
  CMB_TRY(start(sim));
  CMB_TRY(cmb_run_final(sim, cmb_rank_watch_start(sim->watch, sim->t_start, sim->q), "constraints",
                        sim->t_start));
  cmb_integrator_reset(sim->in);
  CMB_TRY(cmb_integrator_begin(sim->in, sim->t_start, sim->q, sim->v));
  if (!real_time) CMB_TRY(cmb_run_begin_held_conditions(sim));
  CMB_TRY(cmb_run_begin_rules(sim, &restarted));
  begin_grip(sim, &restarted);
  if (!real_time) CMB_TRY(cmb_run_hold_functions_at_start(sim, &restarted));
  if (sim->eq->nh > 0) {
    bool changed;
    CMB_TRY(cmb_run_sample_here(sim, &changed));
    restarted = restarted || changed;
  }
  if (restarted) CMB_TRY(take_integrator_state(sim));
  return record_here(sim);
}

cmb_status cmb_run_take_restart(cmb_simulation *sim)
{
  sim->side = 1;
  CMB_TRY(take_integrator_state(sim));
  CMB_TRY(note_residuals(sim));
  CMB_TRY(check_left_out(sim));
  return record_here(sim);
}

cmb_status cmb_run_take_resumed(cmb_simulation *sim)
{
  CMB_TRY(take_integrator_state(sim));
  const double t = sim->result.t, every = sim->options.every;
  sim->samples_inside = 0;
  sim->sampled = t;
  if (every == 0) return CMB_OK;
  sim->due = (long)fmax(floor((t - sim->t_start) / every) - 1, 0);
  while (is_due(sim)) sim->due++;
  return CMB_OK;
}

/* A step, and all that belongs to it. */
static cmb_status step(cmb_simulation *sim)
{
  const cmb_result *r = &sim->result;
  sim->side = 0;
  CMB_TRY(cmb_method_is_real_time(sim->options.method) ? advance_in_time(sim) : advance(sim));
  sim->result.order = cmb_integrator_order(sim->in);
  CMB_TRY(take_integrator_state(sim));
  CMB_TRY(cmb_lock_check(sim->ctx, sim->system, &sim->options.integrator, r->t, sim->q));
  CMB_TRY(note_residuals(sim));
  note_projections(sim);
  CMB_TRY(check_left_out(sim));
  CMB_TRY(cmb_run_check_mean_friction(sim));
  if (cmb_integrator_t_before(sim->in) < r->t) CMB_TRY(watch_step(sim, r->t, sim->q, sim->v));
  CMB_TRY(record_here(sim));
  return check_pace(sim);
}

/* One, with the hooks around it, in which parameters may change. */
static cmb_status go_on(cmb_simulation *sim)
{
  const cmb_observer *o = &sim->options.observer;
  sim->place = CMB_PLACE_BETWEEN;
  CMB_TRY(call_hook(sim, o->before_step));
  if (sim->result.stopped_by) return CMB_OK;
  sim->place = CMB_PLACE_INSIDE;
  CMB_TRY(step(sim));
  sim->place = CMB_PLACE_BETWEEN;
  CMB_TRY(call_hook(sim, o->after_step));
  sim->place = CMB_PLACE_INSIDE;
  return report_progress(sim);
}

/* On to t; the start comes first, if there has been none. */
static cmb_status go_to(cmb_simulation *sim, double t)
{
  if (sim->phase == CMB_PHASE_FRESH) CMB_TRY(begin(sim));
  const double here = cmb_integrator_t(sim->in);
  const double least = cmb_run_least_step(sim, here);
  if (t - here <= least && t < sim->t_end) return CMB_OK; /* it is there */
  sim->t_limit = sim->t_end - t <= least ? sim->t_end : t;
  while (cmb_integrator_t(sim->in) < sim->t_limit && !sim->result.stopped_by) CMB_TRY(go_on(sim));
  return CMB_OK;
}

/* go_to as a call: what the observer does meanwhile is inside of it. */
static cmb_status call_go_to(cmb_simulation *sim, double t)
{
  sim->place = CMB_PLACE_INSIDE;
  cmb_forget_error(sim->ctx);
  cmb_status status = go_to(sim, t);
  sim->place = CMB_PLACE_IDLE;
  return cmb_run_conclude(sim, status);
}

cmb_status cmb_simulation_run(cmb_simulation *sim)
{
  if (!sim) return CMB_ERROR_ARGUMENT;
  if (sim->place != CMB_PLACE_IDLE) return refuse_inside(sim, "cmb_simulation_run");
  sim->phase = CMB_PHASE_FRESH;
  return call_go_to(sim, sim->t_end);
}

/* The words for a call that cannot go on from where the run stands. */
cmb_status cmb_run_check_call(cmb_simulation *sim, const char *call, cmb_run_place most)
{
  const cmb_result *r = &sim->result;
  if (sim->place > most) return refuse_inside(sim, call);
  if (sim->phase == CMB_PHASE_FAILED) {
    return cmb_fail(sim->ctx, CMB_ERROR_ARGUMENT,
                    "%s: the run has failed at t = %.9g (%s) and cannot go on", call, r->t,
                    cmb_status_code(r->status));
  }
  if (sim->phase == CMB_PHASE_FRESH || !r->stopped_by) return CMB_OK;
  return cmb_fail(sim->ctx, CMB_ERROR_ARGUMENT,
                  "%s: event '%s' has ended the run at t = %.9g, and it cannot go on", call,
                  r->stopped_by, r->t);
}

cmb_status cmb_simulation_advance(cmb_simulation *sim, double t)
{
  static const char call[] = "cmb_simulation_advance";
  if (!sim) return CMB_ERROR_ARGUMENT;
  CMB_TRY(cmb_run_check_call(sim, call, CMB_PLACE_IDLE));
  const double here = sim->phase == CMB_PHASE_FRESH ? sim->t_start : sim->result.t;
  if (!(t >= here && t <= sim->t_end)) {
    return cmb_fail(
        sim->ctx, CMB_ERROR_ARGUMENT,
        "%s to t = %s: the run is at t = %s and ends at t = %s; expected a time between", call,
        cmb_shortest(t).text, cmb_shortest(here).text, cmb_shortest(sim->t_end).text);
  }
  return call_go_to(sim, t);
}
