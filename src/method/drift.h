/*
 * Computes the proven bound on the drift of positions from the constraints g = 0 (Burgermeister, Arnold and Esterl 2006, §3.4) during a
 * run, for the real-time methods in lie.c. With one Newton step of projection per step of size h,
 *
 *     ‖g_{n+1}‖ <= C₂ ‖g_n‖² + h C₁ ‖g_n‖ + h³ C₀,
 *
 * so that ‖g‖ never exceeds g_lim, the smaller fixed point, as long as condition (13) holds. The constants are measured during the run
 * from the quantities that they bound:
 *
 *     A₁ = ‖g(q̃) − g(q_n)‖ / h²      A₂ = ‖r‖ / ‖g(q̃)‖²      A₃ = ‖(G(q̃) − G(q_n)) P g(q̃)‖ / (h ‖g(q̃)‖)
 *     C₂ = A₂,   C₁ = A₃ + 2h A₂ A₁,   C₀ = A₃ A₁ + h A₂ A₁²
 *
 * Here q̃ is the position before its projection at the time t + h, and P maps violations of the constraints to the displacements that remove
 * them. The paper has norms of matrices, ‖(G(q̃) − G(q_n)) P‖ and ½ ‖g_qq(P·, P·)‖; but the projection applies P to g(q̃) alone, and with
 * G(q_n) P = I
 *
 *     g_{n+1} = g(q̃ − T P g(q̃)) = −(G(q̃) − G(q_n)) P g(q̃) + r,   r = ½ g_qq(P g(q̃), P g(q̃)) + ..,   ‖g(q̃)‖ <= ‖g_n‖ + h² A₁,
 *
 * so that the displacement P g(q̃) of the step itself is enough; r, which includes the terms of higher order, follows from g_{n+1}. The
 * rounding of g is subtracted from ‖r‖ and added to h³ C₀. A shorter step, such as the last one of a run, counts like one of full size h
 * with the same changes: these are divided by the largest h. Until the motion begins anew, as after an event, the constants never shrink,
 * so g_lim never shrinks, and it holds for all steps so far. (The paper prints C₁ with one h A₂ A₁; its own expansion has two.)
 */
#ifndef CMB_METHOD_DRIFT_H
#define CMB_METHOD_DRIFT_H

#include "dae/evaluator.h"

#include <camber/method.h>

typedef struct cmb_drift {
  cmb_drift_bound bound;
  int nq, nv, ng, G_size;
  double *g, *g_last; /* (ng) scratch */
  double *G;          /* (G_size) change of the constraint Jacobian in a step */
  double *q;          /* (nq) displaced position */
  double *product;    /* (ng) scratch */
  /* estimated rounding error of g; renewed in the steps 0, 1, 2, 4, 8 .., and before cmb_drift_check warns */
  double rounding;
  double h;     /* the largest step so far */
  double first; /* ‖g‖ where the motion begins */
} cmb_drift;

/* What the bound on the drift reads of a step of size h from the time t to q_plain (nq), the position before its projection: the
 * constraints (ng) and their Jacobian, stored as the equations store it, at the beginning of the step and there, the displacement P
 * g_plain (nv) that the projection subtracts, and the constraints after the step. */
typedef struct cmb_drift_step {
  double t, h;
  const double *q_plain, *g, *g_plain, *G, *G_plain, *Pg, *g_end;
} cmb_drift_step;

/* Allocates the arrays for the drift bound of these equations from the arena; an allocation failure is recorded in the arena. */
void cmb_drift_create(cmb_drift *d, const cmb_equations *eq, cmb_arena *arena);

/* Resets the constants and the bound on the drift at the beginning of a motion: of a run, and after an event. */
void cmb_drift_begin(cmb_drift *d);

/* Updates the constants and the bound on the drift after a step. Logs a warning, once in a motion, when condition (13) fails and the bound
 * ceases to exist. */
cmb_status cmb_drift_update(cmb_drift *d, cmb_evaluator *ev, const cmb_drift_step *step);

/* Compares the violation of the constraints at (t, q), size = ‖g‖, with the bound on the drift. If it exceeds the bound, also after the
 * rounding error has been estimated again there, logs a warning and declares the bound invalid. */
void cmb_drift_check(cmb_drift *d, cmb_evaluator *ev, double t, const double *q, double size);

#endif
