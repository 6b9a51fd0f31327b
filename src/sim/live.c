/*
 * Changes live parameters (dae.h) while a run is under way: they belong to the simulation, and every evaluator of
 * every regime reads them there.
 *
 * Behind a change the run goes on as behind an event: modes are decided anew, constraints whose rates have jumped act with impulses,
 * rules are obeyed, and the integrator begins at the state that is there. Positions cannot jump: values that no longer allow
 * the positions of the moment are refused, and so are those that a model file could not have, such as a negative mass
 * (model/limits.h); nothing has changed then.
 *
 * A run that begins does so at the start values that belong to its parameters (system/start.h).
 */
#include "base/context.h"
#include "base/text.h"
#include "dae/project.h"
#include "method/integrator.h"
#include "model/limits.h"
#include "sim/run.h"

#include <math.h>
#include <string.h>

/* The place of a live parameter; -1, with the words: there is none of that name. */
static int find(const cmb_simulation *sim, const char *name)
{
  const cmb_equations *eq = sim->eq;
  const int i = cmb_find_name(name, eq->p_names, eq->np, sizeof *eq->p_names);
  if (i >= 0) return i;
  const char *near = cmb_nearest_name(name, eq->p_names, eq->np, sizeof *eq->p_names);
  cmb_fail(
      sim->ctx, CMB_ERROR_ARGUMENT,
      "there is no live parameter or input '%s'%s%s%s; live parameters are chosen when the model "
      "is read, and live inputs by the option live_inputs when the system is made",
      name, near ? ": did you mean '" : "", near ? near : "", near ? "'?" : "");
  return -1;
}

/* A sampled value belongs to its controller. */
static cmb_status refuse_sampled(const cmb_simulation *sim, int i)
{
  const cmb_equations *eq = sim->eq;
  const int held = i - eq->held_first;
  if (held < 0 || held >= eq->nh) return CMB_OK;
  return cmb_fail(sim->ctx, CMB_ERROR_ARGUMENT,
                  "'%s' is a sampled value of controller '%s', which sets it; expected a live "
                  "parameter or input",
                  eq->p_names[i], eq->samplers[eq->held_sampler[held]].name);
}

/* Between two settings an input stands still. A force may be given a rate nevertheless; what holds bodies in their places cannot move and
 * stand still. */
static cmb_status refuse_moving(const cmb_simulation *sim, int i, double value)
{
  if (!sim->system->p_moves || !sim->system->p_moves[i] || value == 0) return CMB_OK;
  return cmb_fail(
      sim->ctx, CMB_ERROR_ARGUMENT,
      "'%s' cannot be other than 0: it is a time derivative of an input on which a constraint, a "
      "stop or an event depends, and a program sets this input to constant values; expected 0, or "
      "a formula for the input in the model",
      sim->eq->p_names[i]);
}

/* Where the integrator stands is where things happen; the positions there, and gaps, must allow the new values. */
static cmb_status check_positions(cmb_simulation *sim)
{
  const cmb_events *e = sim->events;
  cmb_status status =
      cmb_left_out_check_moved(sim->left_out_watch, e->t, e->q_found, sim->p_before);
  CMB_TRY(cmb_run_final(sim, status, "constraints", e->t));
  if (!sim->ev->eq->surfaces) return CMB_OK;
  CMB_TRY(cmb_run_final(sim, cmb_run_check_closed_contacts(sim), "rest", e->t));
  CMB_TRY(cmb_run_final(sim, cmb_run_find_surfaces(sim), "stops", e->t));
  for (int i = 0; i < sim->eq->rule_count; i++) {
    if (sim->eq->rules[i].gap) CMB_TRY(cmb_run_check_found_gap(sim, i));
  }
  return CMB_OK;
}

cmb_status cmb_run_find_start(cmb_simulation *sim)
{
  const cmb_system *system = sim->system;
  const size_t size = (size_t)sim->eq->np * sizeof *sim->p;
  if (sim->start_known && system->start && sim->start_change == system->last_change &&
      memcmp(sim->p_start, sim->p, size) == 0) {
    return CMB_OK;
  }
  sim->start_known = false;
  CMB_TRY(cmb_start_again(sim->ctx, system, sim->p, &sim->start));
  memcpy(sim->p_start, sim->p, size);
  sim->start_change = system->last_change;
  sim->start_known = true;
  return CMB_OK;
}

/* Before the run begins. Of equations written in C the start values are numbers: they must meet the constraints with the new values, too. */
static cmb_status check_start(cmb_simulation *sim)
{
  CMB_TRY(cmb_run_find_start(sim));
  if (sim->system->start) return CMB_OK;
  cmb_status status =
      cmb_left_out_check_moved(sim->left_out_watch, sim->t_start, sim->start.q, NULL);
  if (status == CMB_ERROR_CONTRADICTION) {
    cmb_fail_further(
        sim->ctx, "; before the run begins, set only parameters on which no start values depend");
  }
  return status < 0 ? status : CMB_OK; /* the start itself tells what cannot be evaluated */
}

/* Behind the change: as behind an event. */
static cmb_status restart(cmb_simulation *sim)
{
  cmb_events *e = sim->events;
  CMB_TRY(cmb_run_final(sim, cmb_take_references(sim->ev, e->t, e->q_found), "constraints", e->t));
  cmb_variation_begin(sim->variation, e->t, sim->t_end);
  CMB_TRY(cmb_run_set_contact_tolerances(sim));
  return cmb_run_restart(sim);
}

/* The same for a real-time method, which changes modes at ends of steps and has velocities jump in the next one. */
static cmb_status follow_in_time(cmb_simulation *sim)
{
  cmb_events *e = sim->events;
  const double h = cmb_integrator_t(sim->in) - cmb_integrator_t_before(sim->in);
  cmb_status status = cmb_events_modes_at_end(e);
  CMB_TRY(cmb_run_final(sim, status, "switching functions", e->t));
  CMB_TRY(cmb_run_end_step(sim));
  return cmb_run_enter_late(sim, h);
}

static cmb_status restart_in_time(cmb_simulation *sim)
{
  const cmb_events *e = sim->events;
  CMB_TRY(follow_in_time(sim));
  return cmb_integrator_begin(sim->in, e->t, e->q_found, e->v_found);
}

cmb_status cmb_run_follow_change(cmb_simulation *sim)
{
  const bool real_time = cmb_method_is_real_time(sim->options.method);
  sim->moved = true;
  cmb_status status = check_positions(sim);
  if (status == CMB_OK) status = real_time ? follow_in_time(sim) : restart(sim);
  sim->moved = false;
  return status;
}

/* The run goes on with the values in p. */
static cmb_status go_on(cmb_simulation *sim)
{
  const bool real_time = cmb_method_is_real_time(sim->options.method);
  cmb_status status = real_time ? restart_in_time(sim) : restart(sim);
  if (status == CMB_OK) status = cmb_run_take_restart(sim);
  return cmb_run_conclude(sim, status);
}

/* What the constraints are before the change, for a real-time method; and the event is where the integrator stands. */
cmb_status cmb_run_evaluate_before_change(cmb_simulation *sim)
{
  cmb_events *e = sim->events;
  cmb_events_at_end(e);
  if (!cmb_method_is_real_time(sim->options.method)) return CMB_OK;
  cmb_status status = cmb_left_out_last_modes(sim->left_out_watch, e->t, e->q_found, e->v_found);
  return cmb_run_final(sim, status, "constraints", e->t);
}

static cmb_status change(cmb_simulation *sim, int count, const cmb_setting *settings)
{
  const size_t size = (size_t)sim->eq->np * sizeof *sim->p;
  if (sim->phase == CMB_PHASE_RUNNING) CMB_TRY(cmb_run_evaluate_before_change(sim));
  memcpy(sim->p_before, sim->p, size);
  for (int k = 0; k < count; k++) sim->p[find(sim, settings[k].name)] = settings[k].value;
  if (memcmp(sim->p, sim->p_before, size) == 0) return CMB_OK;
  const bool under_way = sim->phase != CMB_PHASE_FRESH;
  cmb_status status = sim->limits ? cmb_limits_check(sim->limits, sim->p) : CMB_OK;
  if (status == CMB_OK) status = under_way ? check_positions(sim) : check_start(sim);
  if (status != CMB_OK) { /* those before stay */
    memcpy(sim->p, sim->p_before, size);
    return status;
  }
  return under_way ? go_on(sim) : CMB_OK;
}

cmb_status cmb_simulation_set(cmb_simulation *sim, int count, const cmb_setting *settings)
{
  if (!sim) return CMB_ERROR_ARGUMENT;
  CMB_REQUIRE(sim->ctx, count == 0 || (count > 0 && settings), "cmb_simulation_set needs settings");
  const bool no_start = sim->phase == CMB_PHASE_FAILED && !sim->result.started;
  if (no_start && sim->place == CMB_PLACE_IDLE)
    sim->phase = CMB_PHASE_FRESH; /* with others it may have one */
  CMB_TRY(cmb_run_check_call(sim, "cmb_simulation_set", CMB_PLACE_BETWEEN));
  for (int k = 0; k < count; k++) {
    CMB_REQUIRE(sim->ctx, settings[k].name, "cmb_simulation_set needs names");
    const int i = find(sim, settings[k].name);
    if (i < 0) return CMB_ERROR_ARGUMENT;
    CMB_TRY(refuse_sampled(sim, i));
    CMB_TRY(refuse_moving(sim, i, settings[k].value));
    if (isfinite(settings[k].value)) continue;
    return cmb_fail(sim->ctx, CMB_ERROR_ARGUMENT, "'%s' is set to %g; expected a finite number",
                    settings[k].name, settings[k].value);
  }
  if (sim->eq->np == 0) return CMB_OK;
  sim->moved = true;
  const cmb_run_place place = sim->place;
  sim->place = CMB_PLACE_INSIDE;
  cmb_status status = change(sim, count, settings);
  sim->place = place;
  sim->moved = false;
  return status;
}

cmb_status cmb_simulation_get(const cmb_simulation *sim, const char *name, double *value)
{
  if (!sim) return CMB_ERROR_ARGUMENT;
  CMB_REQUIRE(sim->ctx, name && value, "cmb_simulation_get needs a name and a place for the value");
  const int i = find(sim, name);
  if (i < 0) return CMB_ERROR_ARGUMENT;
  *value = sim->p[i];
  return CMB_OK;
}
