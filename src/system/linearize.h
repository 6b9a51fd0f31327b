/*
 * Linearisation about a state with an existing evaluator; used for eigenmodes, state spaces, equilibria and steady motions.
 */
#ifndef CMB_SYSTEM_LINEARIZE_H
#define CMB_SYSTEM_LINEARIZE_H

#include "system/tangent.h"

#include <camber/system.h>

/* Computes A (m x m, m = 2n − nz) of ẋ = A x at the consistent state (t, q, v) with accelerations a and multipliers λ, in the
 * evaluator's modes. Also computes the tangent space there; its n gives the size. A must have room for 4 nv² numbers. Derivatives
 * are the equations' exact ones or difference quotients. */
cmb_status cmb_linearize_at(cmb_tangent *tangent, double t, const double *q, const double *v,
                            const double *a, const double *lambda, double *A);

/* Transforms A to a frame in which a steady motion is constant: η̇_w = η_v + (C − Ω) η_w and η̇_v = δa − Ω η_v with Ω = v_frame (nv
 * x nv). `follow` is from cmb_follow_at, and the tangent space must have been computed. */
void cmb_linearize_seen_from(const cmb_tangent *tangent, const double *v_frame,
                             const double *follow, double *A);

/* Computes the tangent space at the state and follow (freedoms x nv), zero on entry: row j is −R H N_j, the velocities that the
 * constraints require for the j-th displacement. */
cmb_status cmb_follow_at(cmb_tangent *tangent, double t, const double *q, const double *v,
                         const double *a, const double *lambda, double *follow);

/* Computes accelerations a and multipliers λ together with the modes that belong to them, which remain in the evaluator. */
cmb_status cmb_accelerate_in_modes(cmb_evaluator *ev, cmb_arena *arena, double t, const double *q,
                                   const double *v, double *a, double *lambda);

#define CMB_TOUCHING 1e-9 /* a gap up to this counts as closed, in metres */

/* Turns a recoverable status into the failure "no linearisation at t = ..", with its reason. Returns others as they are. */
cmb_status cmb_no_linearization(const cmb_evaluator *ev, double t, cmb_status status);

#endif
