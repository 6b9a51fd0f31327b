/*
 * Finds a static equilibrium: q and λ with f(t,q,0) = G(t,q)ᵀ λ, g(t,q) = 0 and the modes (signs of the switching functions) that
 * belong to them; if there are first-order states z, e(t,q,0,z) = 0 too. Used for start values and for steps of quasistatic sweeps.
 */
#ifndef CMB_SYSTEM_EQUILIBRIUM_H
#define CMB_SYSTEM_EQUILIBRIUM_H

#include "dae/modes.h"
#include "system/tangent.h"

#include <camber/system.h>

/* Finds an equilibrium near q (nq), which need not satisfy the constraints, in place; λ (ng) and the evaluator's modes belong to it.
 * Of the velocities v (nv) only the part along neutral directions is kept; v may be NULL if there are no first-order states. On
 * failure q and v are unchanged and the message says what is not balanced. */
cmb_status cmb_equilibrium(cmb_evaluator *ev, double t, double *q, double *v, double *lambda,
                           cmb_equilibrium_report *report);

/* Finds an equilibrium of equations with first-order states, which are the last entries of v (nv): positions q (nq) and states
 * together, in place (balance.c). On failure q and v are unchanged. */
cmb_status cmb_balance(cmb_evaluator *ev, double t, double *q, double *v, double *lambda,
                       cmb_equilibrium_report *report);

/* Computes the tangent space at q, and there, at velocities and states v, the multipliers λ (ng) and the unbalanced forces f − Gᵀ λ
 * (nv), with the modes that belong to them. *size becomes the norm of f in the metric of M⁻¹. Returns CMB_RETRY_NEWTON if the modes do
 * not settle. */
cmb_status cmb_static_forces(cmb_tangent *tangent, cmb_mode_search *modes, double t,
                             const double *q, const double *v, double *lambda, double *unbalanced,
                             double *size);

/* Computes to = q + α dq (nq), projected onto the position constraints. */
cmb_status cmb_displace(cmb_evaluator *ev, double t, const double *q, double alpha,
                        const double *dq, double *to);

/* Fails with a message that there is no equilibrium. It names the coordinate or state with the largest of the forces or rates
 * `unbalanced` (nv); if that is NULL, it explains the status. */
cmb_status cmb_no_equilibrium(cmb_evaluator *ev, double t, cmb_status status,
                              const double *unbalanced);

/* Lists in the report a velocity that dominates for each of the neutral directions W (count x nv), for at most CMB_NEUTRAL_NAMED of
 * them, by elimination with complete pivoting, so that none is listed for two directions. Overwrites W. */
void cmb_name_neutral(int count, int nv, double *W, cmb_equilibrium_report *report);

/* Stores in the report the distance of q (nq) from the given position, and the index of the coordinate that moved most. */
void cmb_note_moved(int nq, const double *given, const double *q, cmb_equilibrium_report *report);

/* Finds an equilibrium from start values q (nq) and v (nv) of the system, in place, with the live parameters p (np; NULL: those of the
 * equations). Fails if a gap is negative there by more than rounding. After a failure q and v are undefined. */
cmb_status cmb_equilibrium_start(cmb_context *ctx, const cmb_system *system, const double *p,
                                 double *q, double *v, cmb_equilibrium_report *report);

/* Returns the relative size below which a stiffness, in 1/s² as in Nᵀ ∂r/∂q T N, cannot be distinguished from 0: rounding for exact
 * derivatives, else the error of difference quotients. */
double cmb_stiffness_noise(const cmb_equations *eq);

#endif
