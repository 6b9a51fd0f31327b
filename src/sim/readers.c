/*
 * Conditions of events on velocities that dry friction holds at 0 (run.h). A velocity that is held is 0 to a condition, whatever rounding makes of
 * it: `x' < 0` is not met, and `x' <= 0` is. So such a condition
 *
 *     where the velocity becomes 0     waits until it has been decided whether friction holds it,
 *     while friction holds it          has the mode that its formula has at 0, which is −1 (expr/modes.c),
 *     where friction lets go           has the mode of the side to which it lets go, from that instant on.
 */
#include "base/context.h"
#include "sim/run.h"

#include <math.h>
#include <string.h>

/* Whether function i is one of velocities that only conditions of events read. */
static bool is_reader(const cmb_simulation *sim, int i)
{
  const cmb_equations *eq = sim->eq;
  const bool silent = eq->switch_silent && eq->switch_silent[i];
  return silent && eq->switch_flow && eq->switch_order[i] == 1 && !eq->switch_of_gap[i];
}

static bool is_slow(const cmb_simulation *sim, int i)
{
  const double slow = cmb_run_gradient_size(sim, i) * cmb_run_slowness(sim);
  return fabs(sim->events->s_probe[i]) <= slow;
}

/* Whether function i of the motion may be held at the state found: it has changed its mode, or is 0 but for what is within the tolerances. */
static bool may_be_held(const cmb_simulation *sim, int i)
{
  const cmb_equations *eq = sim->eq;
  const bool changes = sim->events->mode_new[i] != sim->ev->mode[i];
  const bool silent = eq->switch_silent && eq->switch_silent[i];
  return !silent && eq->switch_order[i] == 1 && sim->slides[i] == 0 && (changes || is_slow(sim, i));
}

/* Whether there is friction that may hold what condition i reads. */
static bool may_wait(const cmb_simulation *sim, int i)
{
  for (int k = 0; k < sim->eq->ns; k++) {
    if (may_be_held(sim, k) && cmb_run_ratio_sign(sim, k, i) != 0) return true;
  }
  return false;
}

cmb_status cmb_run_begin_readers(cmb_simulation *sim)
{
  cmb_events *e = sim->events;
  bool any = false;
  for (int i = 0; i < sim->eq->ns; i++) any = any || is_reader(sim, i);
  if (!any) return CMB_OK;
  cmb_events_at_end(e);
  memcpy(e->mode_new, sim->ev->mode, (size_t)e->ns * sizeof *e->mode_new);
  CMB_TRY(cmb_run_final(sim, cmb_run_find_gradients(sim), "events", e->t));
  for (int i = 0; i < sim->eq->ns; i++) {
    if (is_reader(sim, i) && is_slow(sim, i) && may_wait(sim, i)) sim->ev->mode[i] = -1;
  }
  return CMB_OK;
}

/* Condition i has found a new mode. It keeps the one that it has; the friction that may hold it is looked at in this round. */
static void put_off(cmb_simulation *sim, int i)
{
  cmb_events *e = sim->events;
  for (int k = 0; k < sim->eq->ns; k++) {
    if (!may_be_held(sim, k) || cmb_run_ratio_sign(sim, k, i) == 0) continue;
    sim->at_zero[k] = sim->at_zero[k] || e->mode_new[k] == sim->ev->mode[k];
  }
  e->mode_new[i] = sim->ev->mode[i];
}

cmb_status cmb_run_put_off_readers(cmb_simulation *sim, bool *any)
{
  const cmb_events *e = sim->events;
  bool known = false;
  *any = false;
  for (int i = 0; i < sim->eq->ns; i++) {
    if (e->mode_new[i] == sim->ev->mode[i] || !is_reader(sim, i)) continue;
    if (!known) {
      CMB_TRY(cmb_run_final(sim, cmb_run_find_gradients(sim), "events", e->t));
      known = true;
    }
    if (!is_slow(sim, i) || !may_wait(sim, i)) continue;
    put_off(sim, i);
    *any = true;
  }
  return CMB_OK;
}

/* Which group that slides has the surface of function i, as in dae/sliding.h. */
static int group_read(const cmb_simulation *sim, int i)
{
  const cmb_sliding *x = sim->stage->sliding;
  for (int k = 0; x && k < x->count && is_slow(sim, i); k++) {
    const int leader = x->function[k], sign = cmb_run_ratio_sign(sim, leader, i);
    if (sim->eq->switch_order[leader] == 1 && sign != 0) return sign * (leader + 1);
  }
  return 0;
}

/* What friction held has been let go, to the side of the leader's mode. */
static void let_go(cmb_simulation *sim, int i, int group)
{
  const int mode = sim->ev->mode[cmb_slide_leader(group)];
  sim->still[i] = cmb_slide_mode(group, mode > 0 ? 1 : -1);
  cmb_events_leave_zero(sim->events, i, sim->events->s_probe[i], cmb_run_away(sim, i));
}

static bool are_any(const cmb_simulation *sim)
{
  const cmb_sliding *x = sim->stage->sliding;
  bool readers = false, read = false;
  for (int i = 0; i < sim->eq->ns; i++) {
    readers = readers || is_reader(sim, i);
    read = read || sim->read_of[i] != 0;
  }
  return read || (readers && x && x->count > 0);
}

cmb_status cmb_run_note_readers(cmb_simulation *sim, bool jumped)
{
  cmb_run_end_readers(sim);
  if (!are_any(sim)) return CMB_OK;
  CMB_TRY(cmb_run_final(sim, cmb_run_find_gradients(sim), "events", sim->events->t));
  for (int i = 0; i < sim->eq->ns; i++) {
    const int before = sim->read_of[i];
    if (!is_reader(sim, i)) continue;
    sim->read_of[i] = group_read(sim, i);
    sim->still[i] = sim->read_of[i] != 0 ? -1 : 0;
    const bool over = before != 0 && sim->read_of[i] == 0 && !jumped && is_slow(sim, i);
    if (over && !cmb_run_is_held(sim, i)) let_go(sim, i, before);
  }
  return CMB_OK;
}

void cmb_run_end_readers(cmb_simulation *sim)
{
  for (int i = 0; i < sim->eq->ns; i++) {
    if (sim->read_of[i] == 0) sim->still[i] = 0;
  }
}
