/*
 * Resolves dry friction that acts along the same line as a closed contact (run.h). A surface that holds a velocity at 0 and friction that switches
 * with this velocity act along one line: how they divide the force is indeterminate, while the motion is unique. The mean of the two values of
 * friction is taken (dae/mean.h), and the outputs that depend on this choice are named.
 */
#include "base/context.h"
#include "sim/run.h"
#include "system/shared.h"

#include <math.h>
#include <string.h>

static const double SMALL = 1e-9; /* a force or an output beside those that it is compared with */

/* Functions that the rests hold at 0 and that forces read. */
static cmb_status find_held(cmb_simulation *sim, int *side)
{
  const cmb_resting *resting = sim->regime->resting;
  const cmb_equations *eq = sim->eq;
  cmb_events *e = sim->events;
  CMB_TRY(cmb_switches(sim->ev, e->t, e->q_found, e->v_found, e->lambda_found, e->s_probe));
  for (int i = 0; i < eq->ns; i++) {
    const bool silent = eq->switch_silent && eq->switch_silent[i];
    const bool at_zero = resting->frozen[i] || e->s_probe[i] == 0;
    side[i] = !silent && at_zero && sim->hold_of[i] == 0 ? resting->held[i] : 0;
  }
  return CMB_OK;
}

/* Accelerations, multipliers and forces with the values of one side. */
static cmb_status accelerate_on(cmb_simulation *sim, int side, double *a)
{
  const cmb_events *e = sim->events;
  cmb_mean *mean = sim->regime->mean;
  mean->only = side;
  cmb_status status = cmb_accelerate(sim->ev, e->t, e->q_found, e->v_found, a, sim->lambda_work);
  mean->only = 0;
  return status;
}

static double largest(int n, const double *x)
{
  double most = 0;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
  return most;
}

/* Whether the accelerations are the same on both sides, but for rounding: the forces that would change them are nothing beside those
 * that there are. */
static cmb_status is_determined(cmb_simulation *sim, bool *yes)
{
  const int nv = sim->eq->nv;
  double force;
  CMB_TRY(accelerate_on(sim, 1, sim->a));
  force = largest(nv, sim->ev->f);
  CMB_TRY(accelerate_on(sim, -1, sim->a_other));
  force = fmax(force, largest(nv, sim->ev->f));
  for (int i = 0; i < nv; i++) sim->a_other[i] -= sim->a[i];
  cmb_multiply_mass(sim->ev, sim->a_other, sim->v_work);
  *yes = largest(nv, sim->v_work) <= SMALL * force;
  return CMB_OK;
}

cmb_status cmb_run_take_mean_friction(cmb_simulation *sim)
{
  cmb_mean *mean = sim->regime->mean;
  bool determined = true;
  CMB_TRY(find_held(sim, sim->same_surface));
  cmb_mean_hold(mean, sim->same_surface);
  if (mean->any) CMB_TRY(is_determined(sim, &determined));
  if (!determined) cmb_mean_hold(mean, NULL);
  return CMB_OK;
}

/* Reports an error if a velocity at which the mean of friction is taken is no longer 0 at the end of a step, since the closed contact that held
 * it at 0 has begun to move. Which of friction and contact determines the motion then is not decided. */
cmb_status cmb_run_check_mean_friction(cmb_simulation *sim)
{
  const cmb_resting *resting = sim->regime->resting;
  const cmb_mean *mean = sim->regime->mean;
  double *s = sim->flow;
  if (!mean || !mean->any) return CMB_OK;
  const double t = sim->result.t;
  const cmb_status status = cmb_switches(sim->ev, t, sim->q, sim->v, sim->lambda, s);
  CMB_TRY(cmb_run_final(sim, status, "switching functions", t));
  for (int i = 0; i < sim->eq->ns; i++) {
    if (mean->side[i] == 0 || resting->frozen[i] || s[i] == 0) continue;
    const char *name = sim->eq->switch_names[i];
    return cmb_fail_about(
        sim->ctx, CMB_ERROR_EVENTS, cmb_about_time(t, "switching function", name),
        "at t = %.9g the velocity '%s' of a friction is no longer 0, since a closed contact that "
        "acts along the same line moves; such a contact and friction do not work together; "
        "expected a contact with 'stiffness', or smooth friction such as F*tanh(v/v0)",
        t, name);
  }
  return CMB_OK;
}

/* The outputs with the values of one side. */
static cmb_status outputs_on(cmb_simulation *sim, int side, double *out)
{
  const cmb_events *e = sim->events;
  cmb_mean *mean = sim->regime->mean;
  CMB_TRY(accelerate_on(sim, side, sim->a));
  mean->only = side;
  cmb_status status =
      cmb_outputs(sim->ev, e->t, e->q_found, e->v_found, sim->a, sim->lambda_work, out);
  mean->only = 0;
  return status;
}

/* Outputs that differ are not unique; *more: some that were so far. */
static void compare_outputs(cmb_simulation *sim, const double *first, const double *second,
                            bool *more)
{
  for (int i = 0; i < sim->eq->no; i++) {
    const double size = fmax(fabs(first[i]), fabs(second[i]));
    if (fabs(first[i] - second[i]) <= SMALL * size || !sim->indeterminate.output_unique[i])
      continue;
    sim->indeterminate.output_unique[i] = false;
    *more = true;
  }
}

cmb_status cmb_run_note_indeterminate(cmb_simulation *sim)
{
  const cmb_equations *eq = sim->eq;
  const cmb_regime *regime = sim->regime;
  const cmb_statistics statistics = sim->ev->stats;
  double *first = sim->outputs_new, *second = sim->outputs_other;
  char names[700];
  bool more = false;
  if (!regime->mean || !regime->mean->any || eq->no == 0) return CMB_OK;
  cmb_status status = outputs_on(sim, 1, first);
  if (status == CMB_OK) status = outputs_on(sim, -1, second);
  sim->ev->stats = statistics;
  if (status > 0) return CMB_OK; /* the record will say what is wrong */
  CMB_TRY(status);
  compare_outputs(sim, first, second, &more);
  if (!more) return CMB_OK;
  cmb_run_note_unique(sim);
  const int count =
      cmb_shared_names(eq, sim->indeterminate.output_unique, false, sizeof names, names);
  cmb_log(sim->ctx, CMB_LOG_WARNING,
          "output%s %s %s not unique from t = %.9g on: the forces of a closed contact and of dry "
          "friction along the same line are indeterminate; friction is taken to be in the middle "
          "of its "
          "possible range",
          count > 1 ? "s" : "", names, count > 1 ? "are" : "is", sim->events->t);
  return CMB_OK;
}
