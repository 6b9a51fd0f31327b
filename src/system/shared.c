/*
 * Indeterminate forces of redundant constraints (shared.h). The forces −Gᵀ λ do not change along the vectors n with nᵀ G = 0, so
 * that λ is known up to multiples of them. An output, or the rate of a late state, is not unique if it changes along one of them;
 * it is evaluated with two arbitrary sets of multipliers, one positive and one negative, so that max(0, λ) is recognised as well.
 */
#include "system/shared.h"

#include "base/context.h"

#include <math.h>
#include <stdio.h>

/* part of a null vector of length 1 above which a constraint takes part in it */
static const double PART = 1e-6;
static const double CHANGE = 1e-9;    /* relative change of an output that is significant */
static const double ROUNDING = 1e-12; /* absolute rounding error: multipliers are about 1 here */

struct probe {
  cmb_evaluator *ev;
  double t;
  const double *q;
  double *v, *a, *n, *share, *lambda, *out, *out_moved, *late, *late_moved;
};

static void take_memory(struct probe *p, cmb_arena *arena)
{
  const cmb_equations *eq = p->ev->eq;
  p->v = cmb_arena_doubles(arena, eq->nv);
  p->a = cmb_arena_doubles(arena, eq->nv);
  p->n = cmb_arena_doubles(arena, eq->ng);
  p->share = cmb_arena_doubles(arena, eq->ng);
  p->lambda = cmb_arena_doubles(arena, eq->ng);
  p->out = cmb_arena_doubles(arena, cmb_observed(eq));
  p->out_moved = cmb_arena_doubles(arena, cmb_observed(eq));
  p->late = cmb_arena_doubles(arena, eq->nl);
  p->late_moved = cmb_arena_doubles(arena, eq->nl);
}

static bool is_same(double one, double other)
{
  const double size = fmax(fabs(one), fabs(other));
  return fabs(other - one) <= CHANGE * size + ROUNDING || !isfinite(size);
}

/* Computes into `rate` (nl) the rates of those first-order states that depend on accelerations and constraint forces, for the multipliers
 * p->lambda. Does nothing if the equations have none. */
static void find_late(const struct probe *p, double *rate)
{
  const cmb_equations *eq = p->ev->eq;
  const cmb_point at = cmb_evaluator_point(p->ev, p->t, p->q, p->v);
  if (eq->late) eq->late(eq->self, &at, p->a, p->lambda, NULL, rate);
}

/* Finds results that are not unique because constraint forces are indeterminate: evaluates the outputs and the rates of first-order states for
 * two sets of multipliers, λ and λ + n with Gᵀ n = 0. `sign` is the sign of the arbitrary λ. Marks in `shared` the outputs that differ, and
 * stores the name of a state whose rate differs. Infinite values, and those that are NaN both times, are not marked. */
static void compare(struct probe *p, double sign, cmb_shared *shared)
{
  const cmb_equations *eq = p->ev->eq;
  double most = 0;
  for (int i = 0; i < eq->ng; i++) most = fmax(most, fabs(p->n[i]));
  for (int i = 0; i < eq->ng; i++) p->lambda[i] = sign * (1 + fmod(0.618 * i, 1));
  cmb_outputs(p->ev, p->t, p->q, p->v, p->a, p->lambda, p->out);
  find_late(p, p->late);
  for (int i = 0; i < eq->ng; i++) p->lambda[i] += p->n[i] / most;
  find_late(p, p->late_moved);
  cmb_outputs(p->ev, p->t, p->q, p->v, p->a, p->lambda, p->out_moved);
  for (int i = 0; i < eq->no; i++) {
    if (is_same(p->out[i], p->out_moved[i])) continue;
    shared->outputs[i] = shared->any_output = true;
  }
  for (int i = 0; i < eq->nl; i++) {
    if (!is_same(p->late[i], p->late_moved[i])) shared->state = eq->v_names[eq->late_row[i]];
  }
}

int cmb_shared_names(const cmb_equations *eq, const bool *mark, bool value, size_t room, char *text)
{
  enum { NAMED = 8 };
  int count = 0;
  size_t used = 0;
  text[0] = '\0';
  for (int i = 0; i < eq->no; i++) {
    if (mark[i] != value || count++ >= NAMED || used >= room) continue;
    const int n =
        snprintf(text + used, room - used, "%s'%s'", used ? ", " : "", eq->output_names[i]);
    used += n > 0 ? (size_t)n : 0;
  }
  if (count > NAMED && used < room) {
    snprintf(text + used, room - used, " and %d more", count - NAMED);
  }
  return count;
}

cmb_status cmb_shared_find(cmb_evaluator *ev, cmb_arena *arena, double t, const cmb_rank *rank,
                           cmb_shared *shared)
{
  const cmb_equations *eq = ev->eq;
  struct probe p = {.ev = ev, .t = t, .q = rank->regular};
  *shared = (cmb_shared){0};
  if (rank->redundant_count == 0) return CMB_OK;
  take_memory(&p, arena);
  shared->lambda = cmb_arena_take(arena, (size_t)eq->ng, sizeof *shared->lambda);
  shared->outputs = cmb_arena_take(arena, (size_t)eq->no, sizeof *shared->outputs);
  if (cmb_arena_failed(arena)) return cmb_fail_memory(ev->ctx);
  ev->redundant = eq->ng - rank->around;
  CMB_TRY(cmb_factor_at(ev, t, p.q));
  for (int k = 0; *ev->doubtful && k < ev->deficiency; k++) {
    cmb_kkt_null(ev->kkt, k, p.n, p.share);
    for (int i = 0; i < eq->ng; i++) shared->lambda[i] |= fabs(p.share[i]) > PART;
    compare(&p, 1, shared);
    compare(&p, -1, shared);
  }
  return CMB_OK;
}
