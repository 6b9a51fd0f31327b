/*
 * The rank of the constraints (rank.h). A constraint that depends on the others in one position only makes that position singular;
 * one that does so everywhere is redundant. To distinguish them, G is examined at a few more positions: random displacements,
 * always the same ones, projected back onto the constraints.
 *
 * Which constraints depend on those before them may differ between positions of the same rank: if bodies are parallel, others may
 * be dependent. Without the constraints left out, G must have full rank where a run begins, so a single position decides.
 */
#include "system/rank.h"

#include "base/context.h"
#include "dae/project.h"
#include "dae/size.h"
#include "math/random.h"

#include <math.h>
#include <string.h>

enum { POSITIONS = 4 };

/* largest displacement, relative to the sizes of coordinates (dae/size.h) */
static const double PART = 0.05;
static const double LEAST_PART = 0.05 / 16;

/* the sine of an angle that counts as 0 but is more than rounding */
static const double ANGLE = 1e-11;

struct probe {
  cmb_evaluator *ev;
  double t;
  const double *q;
  double *q_near, *q_regular;
  const bool *last; /* (ng) constraints to be ordered last */
  int *list;        /* (ng) dependent constraints at the position last examined */
  int *redundant;   /* (ng) dependent constraints at the position that decides */
  double *gradient; /* (ng) the largest lengths at all positions so far */
  double part;      /* displacement to be tried */
  bool found;       /* a displaced position was found */
  double dropped;   /* largest sine treated as 0 at the position taken for regular (math/kkt.h) */
  uint32_t random;
};

/* Computes the rank of the constraint Jacobian G at q (nq), *rank, and lists in p->list the constraints whose rows are linearly dependent on
 * preceding ones, where those marked in p->last come after the others. Updates the largest length of each row so far, p->gradient (ng). */
static cmb_status examine_at(struct probe *p, const double *q, int *rank)
{
  cmb_evaluator *ev = p->ev;
  const int ng = ev->eq->ng;
  int count = 0;
  cmb_terms want = {.M = ev->M, .G = ev->G};
  CMB_TRY(cmb_evaluate(ev, p->t, q, NULL, &want));
  CMB_TRY(cmb_kkt_redundant(ev->kkt, ev->M, ev->G, p->last, p->list, &count));
  ev->mass_ready = false;
  *rank = ng - count;
  for (int i = 0; i < ng; i++) {
    p->gradient[i] = fmax(p->gradient[i], cmb_gradient_length(ev, i));
  }
  return CMB_OK;
}

/* Computes a random position p->q_near near p->q that satisfies the constraints. Halves the displacement p->part, also for later
 * calls, until one is found; returns false if there is none. */
static bool move_away(struct probe *p)
{
  for (;; p->part /= 2) {
    cmb_displace_beside(p->ev->eq, p->q, p->part, &p->random, p->q_near);
    if (cmb_position_near(p->ev, p->t, p->q_near) == CMB_OK) return true;
    if (p->part <= LEAST_PART) break;
  }
  cmb_forget_error(p->ev->ctx);
  return false;
}

static cmb_status take_memory(struct probe *p, cmb_arena *arena)
{
  const cmb_equations *eq = p->ev->eq;
  p->q_near = cmb_arena_doubles(arena, eq->nq);
  p->q_regular = cmb_arena_doubles(arena, eq->nq);
  p->list = cmb_arena_ints(arena, eq->ng);
  p->gradient = cmb_arena_doubles(arena, eq->ng);
  p->redundant = cmb_arena_ints(arena, eq->ng);
  if (cmb_arena_failed(arena)) return cmb_fail_memory(p->ev->ctx);
  return CMB_OK;
}

/* Copies the list of dependent constraints at the position last examined to p->redundant, and sets the number of redundant constraints to the
 * number of all constraints minus rank->around, the largest rank at positions nearby. */
static void take_redundant(struct probe *p, cmb_rank *rank)
{
  rank->redundant_count = p->ev->eq->ng - rank->around;
  memcpy(p->redundant, p->list, (size_t)rank->redundant_count * sizeof *p->list);
}

/* Examines the constraint Jacobian at one more random position nearby, and updates the largest rank and the most regular position found: the
 * one where, among positions of the same rank, the angles between dependent rows are largest. Ignores a position that cannot be found or
 * evaluated. */
static cmb_status examine_displaced(struct probe *p, cmb_rank *rank)
{
  int there = 0;
  if (!move_away(p)) return CMB_OK;
  const double dropped = cmb_kkt_dropped(p->ev->kkt);
  rank->bend = p->found ? fmax(rank->bend, dropped / p->part) : dropped / p->part;
  p->found = true;
  cmb_status status = examine_at(p, p->q_near, &there);
  if (status != CMB_OK) return status < 0 ? status : CMB_OK;
  if (there < rank->around || (there == rank->around && !(dropped > p->dropped))) return CMB_OK;
  rank->around = there;
  if (there > rank->here) take_redundant(p, rank);
  p->dropped = fmax(ANGLE, dropped);
  memcpy(p->q_regular, p->q_near, (size_t)p->ev->eq->nq * sizeof *p->q_near);
  return CMB_OK;
}

cmb_status cmb_rank_examine_ordered(cmb_evaluator *ev, cmb_arena *arena, double t, const double *q,
                                    const bool *last, cmb_rank *rank)
{
  struct probe p = {.ev = ev,
                    .t = t,
                    .q = q,
                    .last = last,
                    .part = PART,
                    .dropped = ANGLE,
                    .random = CMB_RANDOM_FIRST};
  *rank = (cmb_rank){0};
  if (ev->eq->ng == 0) return CMB_OK;
  CMB_TRY(take_memory(&p, arena));
  CMB_TRY(cmb_take_references(ev, t, q));
  CMB_TRY(examine_at(&p, q, &rank->here));
  rank->around = rank->here;
  take_redundant(&p, rank);
  rank->bend = cmb_kkt_zero(ev->kkt) / PART;
  rank->regular = p.q_regular;
  memcpy(p.q_regular, q, (size_t)ev->eq->nq * sizeof *q);
  for (int k = 0; k < POSITIONS && rank->around < ev->eq->ng; k++) {
    CMB_TRY(examine_displaced(&p, rank));
  }
  rank->redundant = p.redundant;
  rank->gradient = p.gradient;
  return CMB_OK;
}

cmb_status cmb_rank_examine(cmb_evaluator *ev, cmb_arena *arena, double t, const double *q,
                            cmb_rank *rank)
{
  return cmb_rank_examine_ordered(ev, arena, t, q, NULL, rank);
}
