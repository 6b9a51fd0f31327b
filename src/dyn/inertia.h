/*
 * Inertias of links as expressions, rigid and articulated: their transformation from a link's frame to its parent's, for
 * the recursions in joint coordinates.
 */
#ifndef CMB_DYN_INERTIA_H
#define CMB_DYN_INERTIA_H

#include "dyn/kinematics.h"

/* Returns R A Rᵀ for a symmetric matrix A, where R is the rotation of the step s from a link's axes to its parent's. */
cmb_matrix cmb_symmetric_up(cmb_graph *g, const cmb_step *s, cmb_matrix A);

/* Returns R A Rᵀ for any 3 x 3 matrix A, where R is the rotation of the step s from a link's axes to its parent's. */
cmb_matrix cmb_matrix_up(cmb_graph *g, const cmb_step *s, cmb_matrix A);

#endif
