/*
 * Derivatives of the inertial forces in closed form (jacobian.c).
 */
#ifndef CMB_DYN_JACOBIAN_H
#define CMB_DYN_JACOBIAN_H

#include "dyn/expressions.h"
#include "dyn/kinematics.h"

/* Are all links turns and shifts, and some built on so many others that derivatives of the residual need more than one run
 * of lanes? Then the closed form takes at most half the instructions. */
bool cmb_inertial_jacobian_pays(const cmb_tree *tree);

/* Entries of ∂(M a − f)/∂q and ∂(M a − f)/∂v, where f has inertial and weight forces only; sorted. All links are turns or
 * shifts. */
cmb_status cmb_inertial_jacobian(cmb_kinematics *k, const cmb_expr *a, cmb_entries *by_q,
                                 cmb_entries *by_v);

#endif
