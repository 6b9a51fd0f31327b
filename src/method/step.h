/*
 * One real-time step of fixed cost as expressions, from which stepper.c and the C export make programs: the partitioned linearly implicit
 * Euler methods of Burgermeister, Arnold and Esterl 2006 and the W-method of order 2 that extends them. No iteration, no branch, no search
 * for pivots.
 *
 *     (M − γh ∂f/∂v − (γh)² ∂f/∂q T) k + Gᵀ λ = f + γh ∂f/∂q q̇        ∂f of the applied forces only
 *     index 1:  G k = −γ(t,q,v)                     index 2 (eq. 6):  G(q₁)(v + h k) = −g_t(q₁)
 *
 * Options leave out parts of the matrix (Burgermeister, Arnold and Esterl 2006 §2): J1 the term with (γh)², J3 all but M, `none` also the
 * second term of the right side. With `none`, J1, J2 and J3 positions follow from the old velocities, with `exact` from the new ones. In
 * veDYNA's step (§4.3) positions follow from the new velocities as well, and the second term of the right side is left out with any matrix.
 *
 * The forces f do not contain friction that can stick; its effect on the new velocities is added last (grip.h).
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
  CMB_POSITIONS_AUTO, /* from the old velocities; with `exact` from the new ones */
  CMB_POSITIONS_NEW   /* from the new ones, with f alone on the right side (§4.3) */
} cmb_step_positions;

typedef enum cmb_stabilization {
  CMB_STABILIZE_NONE,
  CMB_STABILIZE_BAUMGARTE,
  CMB_STABILIZE_POSITION, /* positions by one Newton step (eq. 11) */
  CMB_STABILIZE_BOTH,     /* the same, then velocities exactly */
  /* index 2 only: positions first, then velocities from the constraint there; positions last where they follow from the new velocities */
  CMB_STABILIZE_GGL
} cmb_stabilization;

typedef struct cmb_step_options {
  int stages; /* 1: linearly implicit Euler, 2: the method of order 2 */
  int index;  /* of the constraints in a step, 1 (accelerations) or 2 (velocities) */
  cmb_step_jacobian jacobian;
  cmb_step_positions positions;
  cmb_stabilization stabilization;
  /* Baumgarte's parameters; 0: α = 1/h, or 1/(2h) where positions follow from new velocities, and β = α² */
  double alpha, beta;
  bool bound; /* also compute what the bound on the drift needs (drift.h) */
} cmb_step_options;

typedef struct cmb_step {
  /* (nq), (nv), (ng), (nv) values after the step; a is the acceleration in the step */
  cmb_expr *q, *v, *lambda, *a;
  /* smallest relative pivot (cmb_elimination_health); −1 if friction accelerates the motion */
  cmb_expr health;
  /* for the bound on the drift, NULL unless it is wanted: q before its projection (nq); the constraints g (ng) and their Jacobian G (ng x
   * nv) at the beginning of the step and, _plain, there; g_end (ng) the constraints after it; Pg (nv) of that projection −T P g, 0 in velocities on which the constraints do
   * not depend */
  cmb_expr *q_plain, *g, *G, *g_plain, *G_plain, *Pg, *g_end;
  /* (cmb_grip_count) modes of dry friction that can stick, after the step; see cmb_grip for settled */
  cmb_expr *grip, settled;
  /* (cmb_grip_count) their modes at the beginning of the step, if not known */
  cmb_expr *first_grip;
} cmb_step;

/* Builds the expressions of a step with the options o from the terms that the source s supplies. Arrays are allocated from the
 * source's arena. */
cmb_status cmb_step_make(cmb_step_source *s, const cmb_step_options *o, cmb_step *step);

#endif
