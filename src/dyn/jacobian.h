/*
 * Derivatives of the inertial forces with respect to positions and velocities in closed form (jacobian.c), for Newton
 * matrices of implicit methods.
 */
#ifndef CMB_DYN_JACOBIAN_H
#define CMB_DYN_JACOBIAN_H

#include "dyn/expressions.h"
#include "dyn/kinematics.h"

/* Returns whether the closed form is to be used: all links are turns or shifts, and some path to the ground has more
 * velocities than are differentiated at a time (CMB_LANES). Then it takes at most half the instructions of
 * differentiating the residual. */
bool cmb_inertial_jacobian_pays(const cmb_tree *tree);

/* Computes the entries of ∂(M a − f)/∂q and ∂(M a − f)/∂v, where f contains inertial and weight forces only; sorted
 * by row and column. All links must be turns or shifts. */
cmb_status cmb_inertial_jacobian(cmb_kinematics *k, const cmb_expr *a, cmb_entries *by_q,
                                 cmb_entries *by_v);

#endif
