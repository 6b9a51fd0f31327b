/*
 * Inertias of links as expressions, rigid and articulated, and how they go from a link's frame to its parent's.
 */
#ifndef CMB_DYN_INERTIA_H
#define CMB_DYN_INERTIA_H

#include "dyn/kinematics.h"

/* A symmetric matrix turned like the components of vectors: A := R A Rᵀ. */
cmb_matrix cmb_symmetric_up(cmb_graph *g, const cmb_step *s, cmb_matrix A);

/* Any matrix likewise. */
cmb_matrix cmb_matrix_up(cmb_graph *g, const cmb_step *s, cmb_matrix A);

#endif
