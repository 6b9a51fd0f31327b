/*
 * Linearisation about a state, seen from inside the library: with an evaluator that is at hand.
 */
#ifndef CMB_SYSTEM_LINEARIZE_H
#define CMB_SYSTEM_LINEARIZE_H

#include "system/tangent.h"

#include <camber/system.h>

/* A (m x m, m = 2n − nz) of ẋ = A x at the consistent state (t, q, v) with accelerations a and multipliers λ and the evaluator's
 * modes; the tangent space is computed on the way, its n gives the size. A must have room for 4 nv² numbers. Derivatives
 * are the equations' own or differences. */
cmb_status cmb_linearize_at(cmb_tangent *tangent, double t, const double *q, const double *v,
                            const double *a, const double *lambda, double *A);

/* A of the same size, seen from a frame in which a steady motion is constant: η̇_w = η_v + (C − Ω) η_w and η̇_v = δa − Ω η_v, Ω = v_frame. `follow` is
 * that of cmb_follow_at, and the tangent space is at hand. */
void cmb_linearize_seen_from(const cmb_tangent *tangent, const double *v_frame,
                             const double *follow, double *A);

/* Only the tangent space there, and follow (freedoms x nv), which comes as 0: the velocities −R H N_j that follow from the j-th displacement. */
cmb_status cmb_follow_at(cmb_tangent *tangent, double t, const double *q, const double *v,
                         const double *a, const double *lambda, double *follow);

/* Accelerations and multipliers with the modes that belong to them, which stay in the evaluator. */
cmb_status cmb_accelerate_in_modes(cmb_evaluator *ev, cmb_arena *arena, double t, const double *q,
                                   const double *v, double *a, double *lambda);

#define CMB_TOUCHING 1e-9 /* a gap that is as good as closed, in metres */

/* A recoverable status as the failure "no linearisation at t = ..", with its reason; others as they are. */
cmb_status cmb_no_linearization(const cmb_evaluator *ev, double t, cmb_status status);

#endif
