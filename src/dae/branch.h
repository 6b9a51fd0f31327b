/*
 * Accelerations where the constraints lose rank in passing.
 */
#ifndef CMB_DAE_BRANCH_H
#define CMB_DAE_BRANCH_H

#include "dae/evaluator.h"

/* Scratch memory for the evaluator of these equations; a failure is left to the arena. */
struct cmb_branch *cmb_branch_create(cmb_arena *arena, const cmb_equations *eq);

/* a, in: with the multipliers of least norm at (t, q, v); out: that of the smooth motion along the branch. The evaluator holds
 * factors made there, with a deficiency. */
cmb_status cmb_branch_accelerate(cmb_evaluator *ev, double t, const double *q, const double *v,
                                 double *a);

/* The smallest singular value σ of the constraints at (t, q) that is not 0 everywhere, and its rate in the motion with v.
 * M of the last factorisation serves. The factors are lost. */
cmb_status cmb_weakest(cmb_evaluator *ev, double t, const double *q, const double *v, double *sigma,
                       double *rate);

#endif
