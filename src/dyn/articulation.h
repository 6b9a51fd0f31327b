/*
 * The inside of the articulated bodies (articulated.c, mass_factors.c).
 */
#ifndef CMB_DYN_ARTICULATION_H
#define CMB_DYN_ARTICULATION_H

#include "dyn/recursion.h"

typedef struct cmb_articulated_column {
  cmb_vector moment, force;     /* U */
  cmb_vector moment_D, force_D; /* U/D, without the entry along the velocity, which is 1 */
} cmb_articulated_column;

struct cmb_articulation {
  cmb_kinematics *k;
  cmb_step *steps;
  cmb_articulated_column *columns; /* (nv) */
  cmb_expr *inverse;               /* (nv) 1/D */
  cmb_wrench *p;                   /* (links) work */
};

#endif
