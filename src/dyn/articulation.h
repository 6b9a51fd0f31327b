/*
 * The factors of the mass matrix by articulated bodies, M = W⁻¹ D W⁻ᵀ: the data shared by articulated.c, which computes
 * them, and mass_factors.c, which replaces them by symbols.
 */
#ifndef CMB_DYN_ARTICULATION_H
#define CMB_DYN_ARTICULATION_H

#include "dyn/recursion.h"

typedef struct cmb_articulated_column {
  cmb_vector moment, force; /* U, column of the articulated inertia along the velocity */
  cmb_vector moment_D,
      force_D; /* U/D, with its component along the velocity, which is 1, set to 0 */
} cmb_articulated_column;

struct cmb_articulation {
  cmb_kinematics *k;
  cmb_step *steps;                 /* (links) transformations to the parents' frames */
  cmb_articulated_column *columns; /* (nv) */
  cmb_expr *inverse;               /* (nv) 1/D */
  cmb_wrench *p;                   /* (links) scratch */
};

#endif
