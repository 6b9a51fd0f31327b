/*
 * Finds start values that satisfy the constraints with requested values held (hold.h). There are four ways to a consistent position:
 *
 *     near       from the values as given, in one step: the loops were nearly closed
 *     by design  from the design position: it is closed first, then the given coordinates move to their values in small steps,
 *                and the loops follow
 *     as given   from the values as given, in small steps
 *
 *     beside     from a position a little beside the design position, if that is a dead centre for a given coordinate: its
 *                constraint depends on those of the loops there, though it can be moved
 *
 * A way that meets all given values is taken. If there is none (too many are given, or one is out of reach), given coordinates move
 * to their values one after the other from the design position, each as far as possible; then the position nearest to the given
 * values is taken.
 *
 * Only independent values can be held by constraints: one that depends on the constraints and the values before it is left out, and
 * checked afterwards.
 */
#include "system/hold.h"

#include "base/context.h"
#include "dae/project.h"
#include "math/dense.h"
#include "math/pattern.h"
#include "system/closing.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MOST_BESIDE = 12 };              /* attempts to leave a dead centre */
static const double DISPLACEMENT = 0.1; /* rad: distance by which a dead centre is left */
/* velocity left of a velocity 1 after projection onto the constraints, below which it is blocked */
static const double LEAST_MOTION = 1e-6;
static const double STUCK =
    1e-3; /* the same near the end of its reach: there the others move 30 times as fast */

static const double MET = 1e-8; /* relative deviation up to which a held value is met */

enum place { PLACE_ANY, PLACE_MET, PLACE_OFF };

/* A consistent position, if one was found. */
struct candidate {
  double *q;
  bool found, at_once;
  double off;        /* the largest deviation from a requested value, relative to max(1, |value|) */
  cmb_closed closed; /* how accurately the loops are closed */
};

struct hold_search {
  cmb_context *ctx;
  cmb_arena *arena;
  const cmb_equations *eq;
  const cmb_hold_task *task;
  double t;
  int count;            /* number of held values: first positions, later velocities */
  const cmb_held *held; /* (count) */
  bool *active;         /* (count) whether the value is held by a constraint at present */
  int *list;            /* (ng + rows) scratch: dependent rows */
  cmb_held_equations *x;
  cmb_mode_search modes;
  cmb_closing closing;
  double *v;      /* (nv) requested velocities */
  double *metric; /* (nv) metric of x at the values as given */
};

/* ---- what is held */

/* Creates an evaluator *ev for the system's equations with additional constraints that hold the start values marked in h->active. */
static cmb_status open_active(struct hold_search *h, cmb_evaluator **ev)
{
  cmb_held_clear(h->x);
  for (int i = 0; i < h->count; i++) {
    if (h->active[i]) cmb_held_add(h->x, &h->held[i]);
  }
  CMB_TRY(cmb_evaluator_create(h->ctx, &h->x->eq, ev));
  (*ev)->p = h->task->p;
  return CMB_OK;
}

static void activate(struct hold_search *h, int first, int end)
{
  for (int i = 0; i < h->count; i++) h->active[i] = i >= first && i < end;
}

/* Unmarks in h->active each start value whose constraint is linearly dependent, at q (nq), on the constraints of the system and on those that
 * hold earlier start values. `ev` is an evaluator with the constraints of all marked start values. */
static cmb_status drop_dependent(struct hold_search *h, cmb_evaluator *ev, const double *q)
{
  const int ng = h->eq->ng;
  int dependent = 0;
  bool changed;
  cmb_terms want = {.M = ev->M, .G = ev->G};
  CMB_TRY(cmb_guess_modes(ev, &h->modes, h->t, q, h->v, &changed));
  CMB_TRY(cmb_evaluate(ev, h->t, q, NULL, &want));
  CMB_TRY(cmb_kkt_redundant(ev->kkt, ev->M, ev->G, NULL, h->list, &dependent));
  for (int k = 0; k < dependent; k++) {
    if (h->list[k] >= ng) h->active[h->x->row[h->list[k] - ng].held - h->held] = false;
  }
  return CMB_OK;
}

/* Restricts the marks in h->active, of start values that constraints are to hold, to a set that can be held independently: unmarks each one
 * whose constraint is linearly dependent, at q (nq), on the constraints of the system and on those of earlier start values. Leaves all marked
 * if the constraints cannot be evaluated. */
static cmb_status keep_independent(struct hold_search *h, const double *q)
{
  cmb_evaluator *ev;
  if (h->count == 0) return CMB_OK;
  CMB_TRY(open_active(h, &ev));
  cmb_status status = drop_dependent(h, ev, q);
  cmb_evaluator_destroy(ev);
  return status < 0 ? status : CMB_OK;
}

/* Returns the deviation of positions q (nq) and velocities v (nv) from a requested start value, relative to max(1, |value|); for Euler
 * parameters it is approximately the angle in radians. */
static double deviation(const cmb_held *held, const double *q, const double *v)
{
  double sign = 1, sum = 0;
  if (held->kind == CMB_HELD_RATE) {
    return fabs(v[held->v] - held->value[0]) / fmax(1, fabs(held->value[0]));
  }
  if (held->kind == CMB_HELD_COORDINATE) {
    return fabs(q[held->q] - held->value[0]) / fmax(1, fabs(held->value[0]));
  }
  if (cmb_dot(4, q + held->q, held->value) < 0) sign = -1;
  for (int i = 0; i < 4; i++) sum += pow(sign * q[held->q + i] - held->value[i], 2);
  return 2 * sqrt(sum);
}

static double largest_deviation(const struct hold_search *h, const double *q, const double *v)
{
  double most = 0;
  for (int i = 0; i < h->count; i++) most = fmax(most, deviation(&h->held[i], q, v));
  return most;
}

/* ---- positions */

static cmb_status new_candidate(struct hold_search *h, const double *from, struct candidate *c)
{
  *c = (struct candidate){.q = cmb_arena_doubles(h->arena, h->eq->nq)};
  if (!c->q) return cmb_fail_memory(h->ctx);
  memcpy(c->q, from, (size_t)h->eq->nq * sizeof *from);
  return CMB_OK;
}

/* Closes the loops as far as possible from the position c->q, in place, while constraints hold the start values marked in h->active, and stores
 * in c how well this succeeded. *reached becomes the fraction of the path from the open to the closed loops, 1 if they are closed. */
static cmb_status close_active(struct hold_search *h, struct candidate *c, double *reached)
{
  CMB_TRY(open_active(h, &h->closing.ev));
  cmb_status status = cmb_close_loops(&h->closing, c->q);
  cmb_evaluator_destroy(h->closing.ev);
  CMB_TRY(status);
  *reached = h->closing.reached;
  c->found = *reached >= 1;
  c->at_once = h->closing.at_once;
  c->closed = h->closing.last;
  c->off = largest_deviation(h, c->q, h->v);
  return CMB_OK;
}

/* Closes the loops, starting at the position `from` (nq), and stores the result in the candidate c. Holds those requested start values whose
 * constraints are independent there; the other coordinates stay near their given values. */
static cmb_status close_from(struct hold_search *h, const double *from, struct candidate *c)
{
  double reached;
  CMB_TRY(new_candidate(h, from, c));
  activate(h, 0, h->count);
  CMB_TRY(keep_independent(h, from));
  h->closing.home_count = h->task->home_count;
  cmb_status status = close_active(h, c, &reached);
  h->closing.home_count = 0;
  return status;
}

/* Moves requested coordinates one after the other to their start values, each as far as the constraints permit, beginning at the position c->q,
 * which satisfies the constraints. Overwrites c->q by the last position, and c->off by the largest remaining deviation. */
static cmb_status close_one_by_one(struct hold_search *h, struct candidate *c)
{
  bool *kept = cmb_arena_take(h->arena, (size_t)h->count, sizeof *kept);
  struct candidate next;
  double reached;
  if (!kept) return cmb_fail_memory(h->ctx);
  CMB_TRY(new_candidate(h, c->q, &next));
  for (int i = 0; i < h->count; i++) {
    kept[i] = true;
    memcpy(h->active, kept, (size_t)h->count * sizeof *kept);
    CMB_TRY(keep_independent(h, c->q));
    if (!h->active[i]) {
      kept[i] = false;
      continue;
    }
    memcpy(next.q, c->q, (size_t)h->eq->nq * sizeof *c->q);
    CMB_TRY(close_active(h, &next, &reached));
    if (reached > 0) memcpy(c->q, next.q, (size_t)h->eq->nq * sizeof *c->q);
    kept[i] = reached >= 1;
  }
  /* closes the loops once more and exactly at what was reached, since the motion of a blocked value ended on the way */
  memcpy(h->active, kept, (size_t)h->count * sizeof *kept);
  memcpy(next.q, c->q, (size_t)h->eq->nq * sizeof *c->q);
  CMB_TRY(close_active(h, &next, &reached));
  if (reached >= 1) memcpy(c->q, next.q, (size_t)h->eq->nq * sizeof *c->q);
  c->off = largest_deviation(h, c->q, h->v);
  return CMB_OK;
}

/* Copies *c to *best if c has a position, and *best has none or deviates more from the requested start values. */
static void take_better(const struct candidate *c, struct candidate *best)
{
  if (c->found && (!best->found || c->off < best->off)) *best = *c;
}

/* ---- dead centres */

/* Finds the first requested coordinate that does not have its start value at q (nq) and is at a dead centre there: the system's constraints
 * alone block its motion. *dead becomes its index among the held values, −1 if there is none. */
static cmb_status find_dead_centre(struct hold_search *h, const double *q, int *dead)
{
  *dead = -1;
  for (int i = 0; i < h->count; i++) {
    if (h->held[i].kind != CMB_HELD_COORDINATE || deviation(&h->held[i], q, h->v) <= MET) continue;
    activate(h, i, i + 1);
    CMB_TRY(keep_independent(h, q));
    if (h->active[i]) continue;
    *dead = i;
    return CMB_OK;
  }
  return CMB_OK;
}

/* Returns component i of the velocities v_i = 1 (all others 0) after their projection onto the tangent space of the constraints last factored:
 * 0 if the constraints block this velocity, 1 if they leave it free. ev->dw (nv) becomes the change made by the projection. */
static double motion_left(cmb_evaluator *ev, int i)
{
  const cmb_equations *eq = ev->eq;
  memset(ev->w, 0, (size_t)eq->nv * sizeof *ev->w);
  ev->w[i] = 1;
  cmb_multiply(eq->G_pattern, eq->ng, eq->nv, ev->G, ev->w, ev->dtau);
  cmb_solve(ev, NULL, ev->dtau, ev->dw, NULL);
  return 1 + ev->dw[i];
}

/* Computes the velocities w (nv) that the system's constraints permit at q (nq) and that are nearest to v_i = 1 with all others 0, scaled so
 * that the largest rotation is |turn| (rad), with the sign of `turn`. Returns false if the constraints block velocity i or cannot be
 * factored. */
static bool motion_of(struct hold_search *h, cmb_evaluator *ev, const double *q, int i, double turn,
                      double *w)
{
  const cmb_equations *eq = ev->eq;
  double most = 0;
  if (cmb_factor_at(ev, h->t, q) != CMB_OK) return false;
  w[i] = motion_left(ev, i);
  if (w[i] < LEAST_MOTION) return false;
  for (int k = 0; k < eq->nv; k++) {
    if (k != i) w[k] = ev->dw[k];
    if (h->task->turns[k]) most = fmax(most, fabs(w[k]));
  }
  for (int k = 0; k < eq->nv; k++) w[k] *= turn / most;
  return true;
}

/* Moves the position c->q, which satisfies the constraints, to a nearby one that satisfies them, too: first in the direction of the permitted
 * motion nearest to velocity i, or against it if `turn` is negative, until the largest rotation is |turn| (rad), then by projection. c->found
 * becomes whether this succeeds; it fails if the constraints block velocity i. */
static cmb_status move_beside(struct hold_search *h, int i, double turn, struct candidate *c)
{
  double reached, *w = cmb_arena_doubles(h->arena, h->eq->nv);
  cmb_evaluator *ev;
  if (!w) return cmb_fail_memory(h->ctx);
  activate(h, 0, 0);
  CMB_TRY(open_active(h, &ev));
  c->found = motion_of(h, ev, c->q, i, turn, w);
  if (c->found) {
    cmb_rates(ev, c->q, w, ev->dq);
    for (int k = 0; k < h->eq->nq; k++) c->q[k] += ev->dq[k];
  }
  cmb_evaluator_destroy(ev);
  return c->found ? close_active(h, c, &reached) : CMB_OK;
}

static void warn_of_side(const struct hold_search *h, const cmb_held *dead, int i, bool grows)
{
  cmb_log(
      h->ctx, CMB_LOG_WARNING,
      "the design position is a dead centre of coordinate '%s': of several ways to %.9g the one "
      "on which %s is %s is taken; a start value of another joint chooses",
      h->eq->q_names[dead->q], dead->value[0], h->eq->v_names[i], grows ? "positive" : "negative");
}

/* Tries to reach the requested start values if the assembled design position `base` (nq) is a dead centre of a requested coordinate: starts
 * from positions on both sides of it. Replaces *best by a result that is better. */
static cmb_status close_beside(struct hold_search *h, const double *base, struct candidate *best)
{
  int dead, tries = 0;
  CMB_TRY(find_dead_centre(h, base, &dead));
  for (int i = 0; dead >= 0 && i < h->eq->nv && tries < MOST_BESIDE; i++) {
    struct candidate beside = {.found = h->task->turns[i]}, c;
    for (int k = 0; beside.found && k < 2; k++, tries++) {
      CMB_TRY(new_candidate(h, base, &beside));
      CMB_TRY(move_beside(h, i, k == 0 ? DISPLACEMENT : -DISPLACEMENT, &beside));
      if (!beside.found) break;
      CMB_TRY(close_from(h, beside.q, &c));
      if (!c.found || c.off > MET) {
        CMB_TRY(close_one_by_one(h, &beside));
        take_better(&beside, best);
        if (beside.off > MET) continue;
        c = beside;
      }
      warn_of_side(h, &h->held[dead], i, k == 0);
      *best = c;
      return CMB_OK;
    }
  }
  return CMB_OK;
}

static cmb_status find_position(struct hold_search *h, const double *q, const double *q_design,
                                struct candidate *best)
{
  struct candidate given, base, design;
  double reached;
  CMB_TRY(close_from(h, q, &given));
  *best = given;
  if (given.found && given.at_once && given.off <= MET && cmb_closed_as_well(&given.closed, NULL)) {
    return CMB_OK;
  }
  CMB_TRY(new_candidate(h, q_design, &base));
  activate(h, 0, 0);
  CMB_TRY(close_active(h, &base, &reached));
  if (base.found) {
    best->found = given.found && cmb_closed_as_well(&given.closed, &base.closed);
    CMB_TRY(close_from(h, base.q, &design));
    if (design.found && design.off <= MET)
      best->found = false; /* the way that an engineer expects */
    take_better(&design, best);
    if (best->found && best->off <= MET) return CMB_OK;
    CMB_TRY(close_beside(h, base.q, best));
    if (best->found && best->off <= MET) return CMB_OK;
    CMB_TRY(close_one_by_one(h, &base));
    take_better(&base, best);
  }
  if (best->found) return CMB_OK;
  CMB_TRY(new_candidate(h, q, best));
  activate(h, 0, 0);
  return close_active(h, best, &reached);
}

/* ---- velocities */

/* Computes the velocities v (nv) nearest to the given ones that satisfy the constraints at q (nq) and have the requested values marked in
 * h->active, with the modes (signs of the switching functions) that belong to them. */
static cmb_status project_velocities(struct hold_search *h, cmb_evaluator *ev, const double *q,
                                     double *v)
{
  const size_t size = (size_t)h->eq->nv * sizeof *v;
  bool changed = true;
  CMB_TRY(cmb_guess_modes(ev, &h->modes, h->t, q, v, &changed));
  CMB_TRY(cmb_take_references(ev, h->t, q));
  changed = true;
  for (int round = 0; changed && round < cmb_mode_rounds(h->eq); round++) {
    memcpy(v, h->v, size);
    CMB_TRY(cmb_factor_at(ev, h->t, q));
    CMB_TRY(cmb_project_velocity(ev, v));
    CMB_TRY(cmb_guess_modes(ev, &h->modes, h->t, q, v, &changed));
  }
  return CMB_OK;
}

/* Returns PLACE_ANY if no start value was requested for the coordinate whose rate is velocity v (an index), PLACE_MET if q (nq) has
 * the requested value, PLACE_OFF otherwise. */
static enum place place_of(const struct hold_search *h, const double *q, int v)
{
  for (int k = 0; k < h->task->count; k++) {
    const cmb_held *place = &h->task->held[k];
    if (place->kind != CMB_HELD_COORDINATE || place->v != v) continue;
    return deviation(place, q, h->v) > MET ? PLACE_OFF : PLACE_MET;
  }
  return PLACE_ANY;
}

/* Computes in *left component i of the velocities v_i = 1 (all others 0) after their projection onto the velocities that are permitted at q
 * (nq) by the system's constraints and by those that hold the marked start values. *left becomes 0 if nearly dependent constraints were treated
 * as dependent, so that the result is not reliable; it is unchanged on failure. */
static cmb_status remaining_motion(struct hold_search *h, const double *q, int i, double *left)
{
  cmb_evaluator *ev;
  CMB_TRY(keep_independent(h, q));
  CMB_TRY(open_active(h, &ev));
  cmb_status status = cmb_factor_at(ev, h->t, q);
  const cmb_closed here = {.dropped = status == CMB_OK ? cmb_kkt_dropped(ev->kkt) : 0};
  if (status == CMB_OK) *left = cmb_closed_as_well(&here, NULL) ? motion_left(ev, i) : 0;
  cmb_evaluator_destroy(ev);
  return status;
}

/* Sets to 0, in h->v, the requested rate of each coordinate that could not reach its start value at q (nq) and whose motion is blocked there by
 * the constraints, by coordinates held at their start values, or by earlier rates. Marks the remaining rates in h->active. */
static cmb_status stop_blocked_coordinates(struct hold_search *h, const double *q)
{
  bool *moves = cmb_arena_take(h->arena, (size_t)h->count, sizeof *moves), all = true;
  double *metric = h->x->metric;
  if (!moves && h->count > 0) return cmb_fail_memory(h->ctx);
  h->x->metric = h->metric;
  for (int i = 0; i < h->count; i++) moves[i] = place_of(h, q, h->held[i].v) != PLACE_OFF;
  for (int i = 0; i < h->count; i++) {
    const int v = h->held[i].v;
    double left = 1;
    if (moves[i]) continue;
    for (int k = 0; k < h->count; k++) {
      h->active[k] = moves[k] && (k < i || place_of(h, q, h->held[k].v) == PLACE_MET);
    }
    cmb_status status = remaining_motion(h, q, v, &left);
    if (status < 0) return status;
    moves[i] = left > STUCK;
    if (!moves[i]) h->v[v] = 0;
    all = all && moves[i];
  }
  for (int i = 0; i < h->count; i++) h->active[i] = moves[i];
  /* otherwise the metric at the given values stays in use, since rotations may have no lever arm at q */
  if (all) h->x->metric = metric;
  return CMB_OK;
}

static cmb_status find_velocities(struct hold_search *h, const double *q, double *v)
{
  cmb_evaluator *ev;
  CMB_TRY(stop_blocked_coordinates(h, q));
  CMB_TRY(keep_independent(h, q));
  CMB_TRY(open_active(h, &ev));
  cmb_status status = project_velocities(h, ev, q, v);
  cmb_evaluator_destroy(ev);
  if (status > 0) memcpy(v, h->v, (size_t)h->eq->nv * sizeof *v);
  return status < 0 ? status : CMB_OK;
}

/* ---- positions and velocities */

/* Logs a warning for each held start value that positions q (nq) or velocities v (nv) miss. */
static void warn(const struct hold_search *h, const double *q, const double *v)
{
  for (int i = 0; i < h->count; i++) {
    const cmb_held *held = &h->held[i];
    const bool rate = held->kind == CMB_HELD_RATE;
    if (deviation(held, q, v) <= MET) continue;
    const char *name = rate ? h->eq->v_names[held->v] : h->eq->q_names[held->q];
    if (held->kind == CMB_HELD_TURN) {
      cmb_log(h->ctx, CMB_LOG_WARNING,
              "the orientation from '%s' on cannot start as given: the constraints turn it", name);
    } else {
      cmb_log(h->ctx, CMB_LOG_WARNING, "%s '%s' cannot start at %.9g: the constraints make it %.9g",
              rate ? "rate" : "coordinate", name, held->value[0], rate ? v[held->v] : q[held->q]);
    }
  }
}

/* Prepares the search for consistent positions or, if `rates` is set, velocities: lists in h->held the requested start values of that kind, and
 * creates the equations with constraints that hold them, with their metric at q (nq). */
static cmb_status begin(struct hold_search *h, const double *q, bool rates)
{
  const int count = h->task->count;
  const cmb_held *held = h->task->held;
  cmb_held *some = cmb_arena_take(h->arena, (size_t)count, sizeof *some);
  h->active = cmb_arena_take(h->arena, (size_t)count, sizeof *h->active);
  h->list = cmb_arena_ints(h->arena, h->eq->ng + CMB_HELD_ROWS * count);
  if (cmb_arena_failed(h->arena)) return cmb_fail_memory(h->ctx);
  h->count = 0;
  for (int i = 0; i < count; i++) {
    if ((held[i].kind == CMB_HELD_RATE) == rates) some[h->count++] = held[i];
  }
  h->held = some;
  const cmb_held_place at = {h->t, q, h->task->p, h->task->turns};
  CMB_TRY(cmb_held_create(h->ctx, h->arena, h->eq, h->count, &at, &h->x));
  if (!rates) h->metric = h->x->metric;
  cmb_mode_search_create(&h->modes, h->arena, &h->x->eq);
  h->closing = (cmb_closing){.x = h->x,
                             .modes = &h->modes,
                             .t = h->t,
                             .v = h->v,
                             .angle = h->task->angle,
                             .home = h->task->home};
  cmb_closing_take(&h->closing, h->arena, h->eq->ng + CMB_HELD_ROWS * h->count);
  return cmb_arena_failed(h->arena) ? cmb_fail_memory(h->ctx) : CMB_OK;
}

static cmb_status hold(struct hold_search *h, double *q, double *v)
{
  struct candidate best;
  double *v_given = cmb_arena_doubles(h->arena, h->eq->nv);
  if (!v_given) return cmb_fail_memory(h->ctx);
  memcpy(v_given, v, (size_t)h->eq->nv * sizeof *v);
  h->v = v_given;
  CMB_TRY(begin(h, q, false));
  CMB_TRY(find_position(h, q, h->task->q_design, &best));
  if (!best.found) return CMB_OK;
  memcpy(q, best.q, (size_t)h->eq->nq * sizeof *q);
  warn(h, q, v);
  CMB_TRY(begin(h, q, true));
  CMB_TRY(find_velocities(h, q, v));
  warn(h, q, v);
  return CMB_OK;
}

cmb_status cmb_hold_start(cmb_context *ctx, const cmb_equations *eq, const cmb_hold_task *task,
                          double *q, double *v)
{
  if (eq->ng == 0) return CMB_OK;
  cmb_arena *arena = cmb_arena_create(ctx);
  if (!arena) return cmb_fail_memory(ctx);
  struct hold_search h = {.ctx = ctx, .arena = arena, .eq = eq, .task = task, .t = task->t};
  cmb_status status = hold(&h, q, v);
  cmb_arena_destroy(arena);
  if (status == CMB_ERROR_MEMORY || status == CMB_OK) return status;
  cmb_forget_error(ctx); /* the consistent start of the run will report it */
  return CMB_OK;
}
