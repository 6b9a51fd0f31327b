/*
 * Dry friction that can stick, in a real-time step of fixed cost (called by step.c): its forces are found from a complementarity problem
 * that is solved with a fixed number of operations.
 *
 * Friction i acts on the sliding velocity w_i = S_i v + s_t,i. Its force in a step is c_i + φ_i d_i with −1 ≤ φ_i ≤ 1, where the ends of
 * that range are, at the beginning of the step,
 *
 *     D_i and −D_i    if it sticks: D_i is the largest force that it can hold with
 *     B_i and −D_i    if w_i > 0: B_i is the force while it slides; before it can slide backwards it has to stick
 *     D_i and −B_i    if w_i < 0
 *
 * Velocities at the end of the step are linear in φ, v = v₀ + h X φ with A X = d and the correction of that by the constraints (step.h),
 * so that
 *
 *     w = w₀ − P φ,   P = −h S X,   φ_i = 1 where w_i > 0,   φ_i = −1 where w_i < 0,   w_i = 0 in between:
 *
 * a complementarity problem with bounds (expr/complement.h). Where w_i = 0, friction sticks in the next step. The mode of friction that
 * holds with the part φ of its largest force is 3 − φ, that of sliding friction the sign of w (expr/modes.c).
 */
#ifndef CMB_METHOD_GRIP_H
#define CMB_METHOD_GRIP_H

#include "expr/elimination.h"
#include "method/step_source.h"

typedef struct cmb_grip {
  int count;            /* number of friction elements that can stick */
  int *which;           /* (count) indices of their switching functions */
  cmb_expr *sign;       /* (count) sign of w where the step begins; 0: it sticks */
  cmb_expr *half_range; /* (count x nv) d, half the range of each friction force */
  cmb_expr *middle_sum; /* (nv) the sum of c, the middles of these ranges */
  cmb_expr *mode;       /* (count) modes after the step */
  /* 1: solved; 0: φ is only near a solution; −1 − i: friction i accelerates the sliding that it should stop */
  cmb_expr settled;
} cmb_grip;

/* The quantities of a step that friction changes. φ is determined for the sliding velocities at the time and position `at`; its v is not
 * used. */
typedef struct cmb_grip_step {
  cmb_step_point at;
  const cmb_expr *A;              /* (nv x nv) matrix of the step */
  const cmb_elimination *factors; /* factors of A with the constraints */
  cmb_expr *v, *a, *lambda;       /* (nv), (nv), (ng) in: without friction; out: with it */
} cmb_grip_step;

/* Returns the number of switching functions of the equations that belong to dry friction which can stick. */
int cmb_grip_count(const cmb_equations *eq);

/* Lists the indices of the switching functions that belong to dry friction which can stick, in which[cmb_grip_count(eq)]. */
void cmb_grip_list(const cmb_equations *eq, int *which);

/* Builds the ranges of the friction forces at the beginning of a step, as expressions in *x, whose arrays are allocated from the
 * source's arena. Returns an error if there is friction that can stick and the equations have no expressions (step_source.h). */
cmb_status cmb_grip_begin(cmb_step_source *s, cmb_grip *x);

/* Builds the effect of dry friction on a step: determines the places φ of the friction forces within their ranges from the complementarity
 * problem, adds their effect to v, a and λ of the step, and sets x->mode and x->settled. */
cmb_status cmb_grip_apply(cmb_step_source *s, cmb_grip *x, const cmb_grip_step *step);

/* Builds mode[x->count], the modes of friction elements at a state whose history is unknown: an element sticks where its sliding
 * velocity is 0 up to rounding; else its mode is the sign of that velocity. */
cmb_status cmb_grip_first_modes(cmb_step_source *s, const cmb_grip *x, cmb_expr *mode);

#endif
