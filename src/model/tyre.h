/*
 * Tyres as the model has them: the force element `type: tyre` (tyres.c reads it, dyn/tyre_force.c makes its equations).
 */
#ifndef CMB_MODEL_TYRE_H
#define CMB_MODEL_TYRE_H

#include "expr/number.h"

struct cmb_tir;

/* TMeasy in one direction, each at the nominal load and at twice it (Rill 2013). */
typedef struct cmb_tmeasy_side {
  double slope[2];                    /* dF0, N */
  double peak_slip[2], peak[2];       /* sM, FM in N */
  double sliding_slip[2], sliding[2]; /* sS, FS in N */
} cmb_tmeasy_side;

typedef struct cmb_tmeasy {
  double load;          /* nominal, N */
  cmb_tmeasy_side x, y; /* longitudinal, lateral */
  double stiffness[2];  /* of the carcass, longitudinal and lateral, N/m */
  bool has_trail;       /* what follows is given */
  double trail[2];      /* (n/L)0: over the length of the contact */
  double trail_zero[2]; /* lateral slip at which it vanishes .. */
  double trail_end[2];  /* .. and beyond which it stays 0 */
} cmb_tmeasy;

typedef struct cmb_model_tyre {
  cmb_number axis[3]; /* of the spin, fixed to the body, in the design position */
  int road;           /* -1: z = 0 */
  int side;           /* 1, in a mirrored copy -1 */
  cmb_number radius, stiffness, damping; /* not with a file */
  double rolling[2]; /* Re = R - (1 - rolling) Fz/k, at the nominal load and twice it */
  double resistance; /* My = -resistance Fz Re where a file does not say */
  double low_speed, low_speed_damping; /* m/s, s */
  const struct cmb_tir *tir;           /* a Magic Formula, or NULL */
  const cmb_tmeasy *tmeasy;            /* or NULL; without both only the vertical force */
  int first_state;                     /* NAME.u, NAME.v in the model's states; -1: none */
} cmb_model_tyre;

#endif
