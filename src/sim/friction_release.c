/*
 * Decides for decide.c which friction is released first (decide.h). If the force that friction can hold is larger than the force with which it
 * slips, and several frictions act on each other, more than one motion is possible: a block that comes to a stop on another one either stops and
 * makes that one slip, or slips on. The motion chosen is the limit v₁ → 0 of friction laws that creep instead of holding and reach their bounds at
 * the same velocity v₁. In such a law held velocities are s = (2θ − 1) v₁. With θ and w = −ṡ = b + A θ of decide.h, and the time τ = t/(2 v₁), in
 * which everything else is constant,
 *
 *     dθ/dτ = −w;   θ(0) as before, with w = 0, for friction that held so far, and 1/2 for velocities that have just become 0,
 *
 * until w = 0. A friction that reaches its bound slips from there on, with its smaller force; one that slips and would be reversed at once
 * holds again.
 */
#include "base/context.h"
#include "math/dense.h"
#include "sim/run.h"

#include <math.h>

static const double EDGE = 1e-6;  /* θ that is 0 or 1, of friction that has let go */
static const double WRONG = 1e-6; /* a rate of a wrong sign, beside what it is made of */
static const double PART = 0.05;  /* of what is left of the fastest motion, in a step */
static const double STILL = 1e-7; /* a change of θ in the time of that motion */

enum { MOST_STEPS = 200000 };

/* Of a group: it slips to the left or to the right, it holds, or, where a run begins, neither is known. */
enum { LEFT = -1, HOLDS = 0, RIGHT = 1, MIDDLE = 2 };

static const double *slipping(const cmb_decision *x, int k, int side)
{
  return x->slipping + (2 * (ptrdiff_t)k + (side > 0)) * x->most;
}

/* What slipping to both sides does to the rates of all groups. */
static cmb_status find_slipping(cmb_simulation *sim, int k)
{
  cmb_decision *x = &sim->decision;
  const bool slips = x->slips[k];
  for (int side = -1; side <= 1; side += 2) {
    double *column = x->slipping + (2 * (ptrdiff_t)k + (side > 0)) * x->most;
    x->slips[k] = true;
    cmb_decision_put(sim, k, side);
    const cmb_status status = cmb_run_flow_here(sim, sim->a_other, sim->flow);
    x->slips[k] = slips;
    cmb_decision_put(sim, k, -1);
    CMB_TRY(status);
    for (int i = 0; i < x->groups; i++) {
      column[i] = x->lower[x->leader[i]] - sim->flow[x->leader[i]];
    }
  }
  return CMB_OK;
}

/* What group k adds to the rate of group i, θ being that of those that hold. */
static double part_of(const cmb_decision *x, const double *theta, int i, int k)
{
  const double column = x->A[(ptrdiff_t)i * x->most + k];
  if (x->role[k] == HOLDS) return column * theta[k];
  return x->role[k] == MIDDLE ? column / 2 : slipping(x, k, x->role[k])[i];
}

/* θ* of those that hold, into y (groups). */
static cmb_status solve_held(cmb_decision *x)
{
  int n = 0;
  for (int i = 0; i < x->groups; i++) {
    if (x->role[i] == HOLDS) x->number[n++] = i;
  }
  for (int i = 0; i < n; i++) {
    const int from = x->number[i];
    x->c[i] = -x->b[from];
    for (int k = 0; k < x->groups; k++) {
      if (x->role[k] != HOLDS) x->c[i] -= part_of(x, NULL, from, k);
    }
    for (int k = 0; k < n; k++) {
      x->B[(ptrdiff_t)i * n + k] = x->A[(ptrdiff_t)from * x->most + x->number[k]];
    }
  }
  if (n > 0) CMB_TRY(cmb_lu_factor(n, x->B, x->boxed.scale, x->boxed.pivot));
  if (n > 0) cmb_lu_solve(n, x->B, x->boxed.pivot, x->c);
  for (int i = 0; i < n; i++) x->y[x->number[i]] = x->c[i];
  return CMB_OK;
}

/* How group k comes to this event: it was let go at it before, it held, or it slipped and has come to 0. */
static int role_before(const cmb_simulation *sim, int k)
{
  const cmb_decision *x = &sim->decision;
  const int i = x->leader[k];
  if (x->passed[i] != 0) return x->passed[i];
  if (x->held[i]) return HOLDS;
  return x->quiet ? MIDDLE : sim->mode_before[i];
}

/* θ(0) into x->x. Then those that slipped up to here hold, too, as long as they can; not those that were let go. */
static cmb_status begin(cmb_simulation *sim)
{
  cmb_decision *x = &sim->decision;
  for (int k = 0; k < x->groups; k++) x->role[k] = role_before(sim, k);
  CMB_TRY(solve_held(x));
  for (int k = 0; k < x->groups; k++) {
    const bool edge = x->y[k] < EDGE || x->y[k] > 1 - EDGE;
    x->x[k] = x->role[k] == HOLDS ? x->y[k] : 0.5;
    if (x->role[k] == HOLDS && edge && cmb_decision_was_released(sim, k)) {
      x->role[k] = x->mode[x->leader[k]];
    } else if (x->passed[x->leader[k]] == 0) {
      x->role[k] = HOLDS;
    }
  }
  return CMB_OK;
}

/* w of group k; the sum of the sizes of what it is made of. */
static double rate_of(const cmb_decision *x, int k, double *size)
{
  double w = x->b[k];
  *size = fabs(w);
  for (int i = 0; i < x->groups; i++) {
    const double part = part_of(x, x->x, k, i);
    w += part;
    *size += fabs(part);
  }
  return w;
}

/* A step of τ in which no θ changes by more than a small part of what is left. */
static double step_of(const cmb_decision *x)
{
  double most = 0;
  for (int k = 0; k < x->groups; k++) {
    double sum = 0;
    for (int i = 0; i < x->groups; i++) sum += fabs(x->A[(ptrdiff_t)k * x->most + i]);
    most = fmax(most, sum);
  }
  return PART / most;
}

/* One step; *first is the group that has gone furthest beyond its bounds, -1: none has. Returns the largest change. */
static double creep(cmb_decision *x, double step, int *first)
{
  double most = 0, beyond = 0, size;
  *first = -1;
  for (int k = 0; k < x->groups; k++) {
    x->c[k] = x->role[k] == HOLDS ? -step * rate_of(x, k, &size) : 0;
  }
  for (int k = 0; k < x->groups; k++) {
    if (x->role[k] != HOLDS) continue;
    x->x[k] += x->c[k];
    most = fmax(most, fabs(x->c[k]));
    const double off = fmax(-x->x[k], x->x[k] - 1);
    if (off > beyond) beyond = off, *first = k;
  }
  return most;
}

/* All hold that can; *arrived: nothing creeps any more. */
static cmb_status go(cmb_decision *x, bool *arrived)
{
  const double step = step_of(x);
  *arrived = false;
  for (int n = 0; n < MOST_STEPS && !*arrived; n++) {
    int first;
    *arrived = creep(x, step, &first) <= STILL * PART;
    if (first < 0) continue;
    x->role[first] = x->x[first] > 1 ? RIGHT : LEFT;
    *arrived = false;
  }
  CMB_TRY(solve_held(x));
  for (int k = 0; k < x->groups; k++) {
    if (x->role[k] == HOLDS) x->x[k] = fmin(fmax(x->y[k], 0), 1);
  }
  return CMB_OK;
}

/* Groups that slip and come back at once hold again; *any. */
static void turn_back(cmb_decision *x, bool *any)
{
  *any = false;
  for (int k = 0; k < x->groups; k++) {
    double size;
    const double w = rate_of(x, k, &size);
    if (x->role[k] == HOLDS || x->role[k] * w <= WRONG * size) continue;
    x->x[k] = x->role[k] > 0 ? 1 : 0;
    x->role[k] = HOLDS;
    *any = true;
  }
}

cmb_status cmb_decision_release(cmb_simulation *sim, bool *done)
{
  cmb_decision *x = &sim->decision;
  bool sticks = false, again = true;
  for (int k = 0; k < x->groups; k++) sticks = sticks || x->sticks[k];
  *done = false;
  if (!sticks || x->size > x->groups) return CMB_OK;
  for (int k = 0; k < x->groups; k++) CMB_TRY(find_slipping(sim, k));
  cmb_status status = begin(sim);
  for (int round = 0; status == CMB_OK && again; round++) {
    bool arrived = false;
    if (status == CMB_OK) status = go(x, &arrived);
    if (round > x->groups || !arrived)
      return status > 0 ? CMB_OK : status; /* in a circle, or too slowly */
    if (status == CMB_OK) turn_back(x, &again);
  }
  if (status != CMB_OK) return status == CMB_RETRY_SINGULAR ? CMB_OK : status;
  for (int k = 0; k < x->groups; k++) {
    x->slips[k] = x->role[k] != HOLDS;
    if (x->slips[k]) x->x[k] = x->role[k] == RIGHT ? 1 : 0;
  }
  *done = true;
  return CMB_OK;
}
