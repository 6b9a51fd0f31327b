/*
 * Friction that sticks, in a step of fixed cost.
 *
 * Friction i acts on the rate w_i = S_i v + s_t,i. Its force in a step is c_i + φ_i d_i with −1 ≤ φ_i ≤ 1, where the ends of that range are, at the
 * beginning of the step,
 *
 *     D_i and −D_i    if it holds: D_i is the force of the most that it can hold with
 *     B_i and −D_i    if w_i > 0: B_i is that of slipping; to go back, w_i has to be let go first
 *     D_i and −B_i    if w_i < 0
 *
 * Velocities at the end of the step are linear in φ, v = v₀ + h X φ with A X = d and the constraints' own correction of it (step.h), so that
 *
 *     w = w₀ − P φ,   P = −h S X,   φ_i = 1 where w_i > 0,   φ_i = −1 where w_i < 0,   w_i = 0 in between:
 *
 * a complementarity problem with bounds (expr/complement.h), solved by a fixed number of operations. Where w_i = 0, friction holds in the next
 * step. The mode of friction that holds with the part φ of the most is 3 − φ, else it is the sign of w (expr/modes.c).
 */
#ifndef CMB_METHOD_GRIP_H
#define CMB_METHOD_GRIP_H

#include "expr/elimination.h"
#include "method/step_source.h"

typedef struct cmb_grip {
  int count;        /* 0: no friction sticks */
  int *which;       /* (count) switching functions */
  cmb_expr *side;   /* (count) sign of w where the step begins; 0: held */
  cmb_expr *half;   /* (count x nv) d, */
  cmb_expr *middle; /* (nv) and the sum of c */
  cmb_expr *mode;   /* (count) modes after the step */
  cmb_expr
      settled; /* 1; 0: φ is only near a solution; −1 − i: friction i drives on what it should hold */
} cmb_grip;

/* What of a step friction changes; φ is found for w at `at`, where v is none of it. */
typedef struct cmb_grip_step {
  cmb_step_point at;
  const cmb_expr *A;              /* (nv x nv) */
  const cmb_elimination *factors; /* of A with the constraints */
  cmb_expr *v, *a, *lambda;       /* (nv), (nv), (ng) without friction, and then with it */
} cmb_grip_step;

/* How many frictions of the equations stick. */
int cmb_grip_count(const cmb_equations *eq);

/* The functions that do, in `which`. */
void cmb_grip_list(const cmb_equations *eq, int *which);

/* The forces where the step begins; memory from the source's arena. */
cmb_status cmb_grip_begin(cmb_step_source *s, cmb_grip *x);

cmb_status cmb_grip_rub(cmb_step_source *s, cmb_grip *x, const cmb_grip_step *step);

/* The modes (count) that friction has at a state of which nothing else is known: it holds where w is 0 but for rounding. */
cmb_status cmb_grip_first_modes(cmb_step_source *s, const cmb_grip *x, cmb_expr *mode);

#endif
