/*
 * Where the constraints lose rank in passing, and near such places.
 *
 * A mechanism can run through a position where its constraints are dependent, nᵀ G = 0, and go on along a smooth branch of its
 * motion: a parallelogram through its flat position. Near it, with a small singular value nᵀ G x = σ, everything in the
 * direction x is found by dividing through σ: errors δ of position and δ' of velocity in that direction give errors δ/σ of
 * velocity and δ'/σ of acceleration. The force that causes them is that of the constraint, so it does no work, and what it
 * does is taken back once σ has grown again; but it must not grow without bound, nor lead the motion to another branch.
 */
#ifndef CMB_DAE_BRANCH_H
#define CMB_DAE_BRANCH_H

#include "dae/evaluator.h"

/* Singular values, with gradients of unit length: near to a loss of rank; too near to end a step or to correct positions and
 * velocities; a loss of rank. */
#define CMB_WEAK      0.1
#define CMB_NOT_FAR   0.3 /* where methods that take no care may get stuck */
#define CMB_WEAK_ZONE 1e-3
#define CMB_WEAK_ZERO 1e-4

/* Scratch memory for the evaluator of these equations; a failure is left to the arena. */
struct cmb_branch *cmb_branch_create(cmb_arena *arena, const cmb_equations *eq);

/* Take care of nearly dependent constraints by these measures, or only of dependent ones. */
void cmb_watch_rank(cmb_evaluator *ev, bool watching);

/* Whether the factors held are near to a loss of rank. */
static inline bool cmb_is_near_singular(const cmb_evaluator *ev)
{
  return *ev->doubtful && cmb_kkt_nearness(ev->kkt) < CMB_WEAK;
}

/* a, in: with the multipliers of least norm at (t, q, v); out: that of the smooth motion along the branch. The evaluator holds
 * factors made there, with a deficiency. */
cmb_status cmb_branch_accelerate(cmb_evaluator *ev, double t, const double *q, const double *v,
                                 double *a);

/* a at (t, q, v) near a loss of rank: its part in the weak directions is replaced by that of the state on the branch next to
 * (q, v). The evaluator holds factors made at q, before and after. */
cmb_status cmb_branch_settle(cmb_evaluator *ev, double t, const double *q, const double *v,
                             double *a);

/* The part of x (nv) in the weak directions, by the factors held and the evaluator's G, which belongs to them. */
void cmb_weak_part(cmb_evaluator *ev, const double *x, double *part);

/* The smallest singular value σ of the constraints at (t, q) that is not 0, and its rate in the motion with v. CMB_RETRY_SINGULAR
 * if none is small. */
cmb_status cmb_weakest(cmb_evaluator *ev, double t, const double *q, const double *v, double *sigma,
                       double *rate);

/* Whether the constraints at (t, q) are not far from losing rank, and how much each takes part in that: share (ng). For words about
 * a method that got stuck. */
bool cmb_weakest_constraints(cmb_evaluator *ev, double t, const double *q, double *share);

#endif
