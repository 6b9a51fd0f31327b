/*
 * Computes the state matrix of the linearised equations about a state, with an existing evaluator; used for eigenmodes, state spaces,
 * equilibria and steady motions.
 */
#ifndef CMB_SYSTEM_LINEARIZE_H
#define CMB_SYSTEM_LINEARIZE_H

#include "system/tangent.h"

#include <camber/system.h>

/* Computes the state matrix A (m x m, m = 2n − nz) of ẋ = A x at the consistent state (t, q, v) with accelerations a (nv) and
 * multipliers lambda (ng), in the evaluator's modes. Also computes the tangent space there, whose n gives the size. A must have room for
 * 4 nv² numbers. Derivatives are exact ones of the equations or difference quotients. */
cmb_status cmb_linearize_at(cmb_tangent *tangent, double t, const double *q, const double *v,
                            const double *a, const double *lambda, double *A);

/* Transforms the state matrix A, in place, to the moving frame in which a steady motion is constant: η̇_w = η_v + (C − Ω) η_w and
 * η̇_v = δa − Ω η_v with Ω = v_frame (nv x nv). `follow` comes from cmb_follow_at for the same tangent space. */
void cmb_linearize_seen_from(const cmb_tangent *tangent, const double *v_frame,
                             const double *follow, double *A);

/* Computes the tangent space at the state, and in row j of `follow` (n − nz x nv, which must be 0 on entry) the change −R H N_j of the
 * velocities that the constraints require for the j-th displacement. */
cmb_status cmb_follow_at(cmb_tangent *tangent, double t, const double *q, const double *v,
                         const double *a, const double *lambda, double *follow);

/* Computes accelerations a (nv) and multipliers lambda (ng) together with the modes (signs of the switching functions) that belong to
 * them, which remain in the evaluator. Fails with a message if the modes do not settle. */
cmb_status cmb_accelerate_in_modes(cmb_evaluator *ev, cmb_arena *arena, double t, const double *q,
                                   const double *v, double *a, double *lambda);

#define CMB_TOUCHING 1e-9 /* a gap up to this counts as closed, in metres */

/* Fails with the message "no linearisation at t = .." and the reason if `status` is positive (recoverable). Returns any other status
 * unchanged. */
cmb_status cmb_no_linearization(const cmb_evaluator *ev, double t, cmb_status status);

#endif
