/*
 * One step of fixed cost as expressions: the partitioned linear-implicit Euler methods of Burgermeister, Arnold and Esterl 2006
 * and the W-method of order 2 that continues them. No iteration, no branch, no pivot search.
 *
 *     (M − γh ∂f/∂v − (γh)² ∂f/∂q T) k + Gᵀ λ = f + γh ∂f/∂q q̇        ∂f of the applied forces only
 *     index 1:  G k = −γ(t,q,v)                     index 2 (eq. 6):  G(q₁)(v + h k) = −g_t(q₁)
 *
 * Options leave parts of the matrix away (Burgermeister, Arnold and Esterl 2006 §2): J1 the term with (γh)², J3 all but M, `none`
 * also the right side's second term. With J1, J2 and J3 positions go on with the old velocities, with `exact` with the new ones.
 * veDYNA's step (§4.3) has positions by the new velocities, too, and the right side's second term in none of the matrices.
 *
 * Forces are those without friction that sticks; what this does to the new velocities is found last (grip.h).
 */
#ifndef CMB_METHOD_STEP_H
#define CMB_METHOD_STEP_H

#include "method/grip.h"
#include "method/step_source.h"

typedef enum cmb_step_jacobian {
  CMB_STEP_NONE,
  CMB_STEP_J1,
  CMB_STEP_J2,
  CMB_STEP_J3,
  CMB_STEP_EXACT
} cmb_step_jacobian;

typedef enum cmb_step_positions {
  CMB_POSITIONS_AUTO, /* by the old velocities; with `exact` by the new ones */
  CMB_POSITIONS_NEW   /* by the new ones, and f alone on the right side (§4.3) */
} cmb_step_positions;

typedef enum cmb_stabilization {
  CMB_STABILIZE_NONE,
  CMB_STABILIZE_BAUMGARTE,
  CMB_STABILIZE_POSITION, /* one Newton step for q (eq. 11) */
  CMB_STABILIZE_BOTH,     /* and v exactly, after it */
  CMB_STABILIZE_GGL       /* index 2 only: q first, then v from its constraint there */
} cmb_stabilization;

typedef struct cmb_step_options {
  int stages; /* 1: linear-implicit Euler, 2: of order 2 */
  int index;
  cmb_step_jacobian jacobian;
  cmb_step_positions positions;
  cmb_stabilization stabilization;
  double alpha,
      beta;   /* of Baumgarte; 0: 1/h, with positions by new velocities 1/(2h), and its square */
  bool bound; /* also what the drift bound needs */
} cmb_step_options;

typedef struct cmb_step {
  cmb_expr *q, *v, *lambda, *a; /* after the step; a is the acceleration in it */
  cmb_expr health;              /* cmb_elimination_health; 1 without constraints */
  cmb_expr *q_plain;            /* (nq) q before its projection, .. */
  cmb_expr *P;                  /* (nv x ng) .. which is T P g; both NULL unless wanted */
  cmb_expr *grip, settled;      /* (cmb_grip_count) modes of friction that sticks; cmb_grip */
  cmb_expr *first_grip;         /* (cmb_grip_count) those of the state where the step begins */
} cmb_step;

/* Arrays from the source's arena. */
cmb_status cmb_step_make(cmb_step_source *s, const cmb_step_options *o, cmb_step *step);

#endif
