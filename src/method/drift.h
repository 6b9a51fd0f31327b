/*
 * The bound on the drift of Burgermeister, Arnold and Esterl (2006), §3.4: with one Newton step of projection per step,
 *
 *     ‖g_{n+1}‖ <= C₂ ‖g_n‖² + h C₁ ‖g_n‖ + h³ C₀,
 *
 * so that ‖g‖ never exceeds g_lim, the smaller fixed point, as long as condition (13) holds. The constants are measured along the
 * run from the quantities that they bound:
 *
 *     A₁ = ‖g(q̃) − g(q_n)‖ / h²      A₂ = ½ ‖g_qq(P·, P·)‖      A₃ = ‖(G(q̃) − G(q_n)) P‖ / h
 *     C₂ = A₂,   C₁ = A₃ + 2h A₂ A₁,   C₀ = A₃ A₁ + h A₂ A₁²
 *
 * with Frobenius norms, which are not below the norms meant. q̃ is the position before its projection, at the time t + h. To h³ C₀ comes
 * the rounding of g. A shorter step, such as the last one of a run, counts like one of full size h that moved so little: its changes are
 * divided by the largest h. A₂ takes an evaluation of G for each constraint: it is measured anew where G has changed by half a hundredth of itself,
 * and taken with two hundredths on top. So g_lim never shrinks, and it holds for all steps up to now. (The paper prints C₁ with one h A₂ A₁; its own expansion has two.)
 */
#ifndef CMB_METHOD_DRIFT_H
#define CMB_METHOD_DRIFT_H

#include "dae/evaluator.h"

#include <camber/method.h>

typedef struct cmb_drift {
  cmb_drift_bound bound;
  int nq, nv, ng, G_size;
  double *g, *g_plain, *g_last; /* (ng) */
  double *G, *G_plain;          /* as the equations store G */
  double *G_curved;             /* G where A2 was measured */
  double A2;
  double *column, *direction; /* (nv), (nq) */
  double *q;                  /* (nq) */
  double *product;            /* (ng) */
  double rounding;            /* of g; found now and then, in the steps 0, 1, 2, 4, 8 .. */
  double h;                   /* the largest step so far */
  double first;               /* ‖g‖ where the run begins */
} cmb_drift;

/* From the arena; a failure is left to it. */
void cmb_drift_create(cmb_drift *d, const cmb_equations *eq, cmb_arena *arena);
void cmb_drift_begin(cmb_drift *d);

/* A step has led from (t, q) over h to q_plain, then by P (nv x ng) to the end. The first time that (13) fails, the log has it. */
cmb_status cmb_drift_look(cmb_drift *d, cmb_evaluator *ev, double t, double h, const double *q,
                          const double *q_plain, const double *P);

/* The constraints have been found violated by ‖g‖ = size at t. If that is above the bound, the bound is over, and the log says so. */
void cmb_drift_meet(cmb_drift *d, const cmb_evaluator *ev, double t, double size);

#endif
