/*
 * Accelerations at and near positions where the constraints lose rank while the mechanism passes through. Used by the evaluator and by
 * method/passage.c.
 *
 * A mechanism can run through a position where its constraints are dependent, nᵀ G = 0, and go on along a smooth branch of its
 * motion: a parallelogram through its flat position. Near it, with a small singular value nᵀ G x = σ, every component in the
 * direction x is found by a division by σ: errors δ of position and δ' of velocity in that direction give errors δ/σ of velocity
 * and δ'/σ of acceleration. The force that causes them is a constraint force, so it does no work, and its effect is reversed once σ
 * has grown again; but it must not grow without bound, nor lead the motion to another branch.
 */
#ifndef CMB_DAE_BRANCH_H
#define CMB_DAE_BRANCH_H

#include "dae/evaluator.h"

/* Limits for the smallest singular value σ of the constraints with gradients of unit length. σ < CMB_WEAK: near a loss of rank; σ <
 * CMB_WEAK_ZONE: no step may end here, nor positions and velocities be corrected; σ < CMB_WEAK_ZERO: the rank is lost. */
#define CMB_WEAK      0.1
#define CMB_NOT_FAR   0.3 /* methods without special treatment may get stuck below this */
#define CMB_WEAK_ZONE 1e-3
#define CMB_WEAK_ZERO 1e-4

/* Allocates scratch memory from the arena for one evaluator of these equations. Returns NULL, or a structure that lacks arrays, if
 * out of memory: the caller checks cmb_arena_failed. */
struct cmb_branch *cmb_branch_create(cmb_arena *arena, const cmb_equations *eq);

/* Sets whether the evaluator treats nearly dependent constraints specially (`watching`), by the limits CMB_WEAK and its
 * companions, or only dependent ones, by the default limits of its KKT solver. */
void cmb_watch_rank(cmb_evaluator *ev, bool watching);

/* Returns whether the constraints are near a loss of rank: their smallest singular value in the current KKT factors, apart from those of
 * redundant constraints, is below CMB_WEAK. Unless the evaluator is `watching`, only values up to 1e-4 are noticed. */
static inline bool cmb_is_near_singular(const cmb_evaluator *ev)
{
  return *ev->doubtful && cmb_kkt_nearness(ev->kkt) < CMB_WEAK;
}

/* Corrects the acceleration a (nv) at (t, q, v), where the constraints have lost rank: on entry it is the one with the multipliers
 * of least norm, on return that of the smooth motion along the branch. a is unchanged at rest, or if the constraints are dependent
 * everywhere. The evaluator's KKT factors must belong to (t, q) and have a deficiency. */
cmb_status cmb_branch_accelerate(cmb_evaluator *ev, double t, const double *q, const double *v,
                                 double *a);

/* Corrects the acceleration a (nv) at (t, q, v) near a loss of rank: replaces its part in the directions that the constraints
 * determine weakly by that of a nearby state that satisfies all constraints. a is unchanged if no singular value is below
 * CMB_WEAK. The evaluator's KKT factors belong to q before and after the call. */
cmb_status cmb_branch_settle(cmb_evaluator *ev, double t, const double *q, const double *v,
                             double *a);

/* Computes the part (nv) of x (nv) in the directions that the constraints determine weakly (singular values of G up to CMB_WEAK),
 * with the current KKT factors and the evaluator's G. */
void cmb_weak_part(cmb_evaluator *ev, const double *x, double *part);

/* Computes the smallest non-zero singular value σ of the constraints at (t, q), and its rate in the motion with velocities v.
 * Makes the KKT factors at (t, q). Returns CMB_RETRY_SINGULAR if no singular value is below CMB_WEAK, or if nothing moves. */
cmb_status cmb_weakest(cmb_evaluator *ev, double t, const double *q, const double *v, double *sigma,
                       double *rate);

/* Returns whether the constraints at (t, q) are close to losing rank (smallest singular value below CMB_NOT_FAR), and writes to share (ng)
 * how much each takes part in that. Returns false if they cannot be evaluated or there are none. Used where a method got stuck: for its
 * message, and to change to a method that can pass. */
bool cmb_weakest_constraints(cmb_evaluator *ev, double t, const double *q, double *share);

#endif
