/*
 * Tyres as records of the model: the force element `type: tyre`, read by tyres.c; dyn/tyre_force.c makes its equations.
 */
#ifndef CMB_MODEL_TYRE_H
#define CMB_MODEL_TYRE_H

#include "expr/number.h"

struct cmb_tir;

/* The characteristics of the tyre model TMeasy in one direction, each at the nominal load and at twice that load (Rill 2013). */
typedef struct cmb_tmeasy_side {
  double slope[2];                    /* initial slope dF0, N */
  double peak_slip[2], peak[2];       /* slip sM and force FM (N) at the peak */
  double sliding_slip[2], sliding[2]; /* slip sS and force FS (N) of full sliding */
} cmb_tmeasy_side;

typedef struct cmb_tmeasy {
  double load;          /* nominal load, N */
  cmb_tmeasy_side x, y; /* longitudinal, lateral */
  double stiffness[2];  /* of the carcass, longitudinal and lateral, N/m */
  bool has_trail;       /* the following are given */
  double trail[2];      /* (n/L)0: pneumatic trail divided by the contact length */
  double trail_zero[2]; /* lateral slip at which the trail first vanishes */
  double trail_end[2];  /* lateral slip beyond which it stays 0 */
} cmb_tmeasy;

typedef struct cmb_model_tyre {
  cmb_number axis[3]; /* unit vector of the spin axis, fixed to the body, in the design position */
  int road;           /* number of the road; -1: the plane z = 0 */
  int side;           /* +1; -1 in a mirrored copy */
  cmb_number radius, stiffness, damping; /* m, N/m, N s/m; not used with a .tir file */
  /* of TMeasy: rolling radius Re = R - (1 - rolling) Fz/k, factors at the nominal load and at twice it */
  double rolling[2];
  /* of TMeasy: moment of rolling resistance My = -resistance Fz Re of a wheel that rolls forward */
  double resistance;
  double low_speed, low_speed_damping; /* m/s, s */
  const struct cmb_tir *tir;           /* parameters of the Magic Formula, or NULL */
  /* parameters of TMeasy, or NULL; without both there is only the vertical force */
  const cmb_tmeasy *tmeasy;
  int first_state; /* index of the state NAME.u, followed by NAME.v; -1: no states */
} cmb_model_tyre;

#endif
