/*
 * Laws of tyres: forces and torques at the contact point as expressions of load, slip and camber, in the axes of the contact (ISO-W: x
 * forward in the plane of the wheel and of the road, y to the left, z up). A positive slip angle gives a negative lateral force.
 */
#ifndef CMB_DYN_TYRE_LAW_H
#define CMB_DYN_TYRE_LAW_H

#include <camber/expr.h>

typedef struct cmb_tyre_input {
  cmb_expr Fz;        /* >= 0: the element sees to it */
  cmb_expr kappa;     /* −Vsx/|Vx|, or relaxed */
  cmb_expr tan_alpha; /* Vsy/|Vx|, or relaxed */
  cmb_expr gamma;     /* camber */
  cmb_expr Vx;        /* forward speed of the contact point */
  cmb_expr friction;  /* factor of the road on the tyre's friction, >= 0 */
} cmb_tyre_input;

typedef struct cmb_tyre_output {
  cmb_expr Fx, Fy, Mx, My, Mz;
  cmb_expr sigma_x, sigma_y; /* relaxation lengths; 0: none */
  /* Positive where the slip is beyond that of the peak, and where the tyre slides; 0: the law does not say. */
  cmb_expr past_peak, past_sliding;
} cmb_tyre_output;

/* What the vertical force depends on. */
typedef struct cmb_tyre_deflection {
  cmb_expr rho, rho_rate; /* free radius (cmb_magic_free_radius) less loaded radius, and its rate */
  cmb_expr omega;         /* spin of the wheel */
  cmb_expr gamma;
  cmb_expr Fx,
      Fy; /* their influence on the stiffness; 0: neglected, with the shift of Fy by camber */
} cmb_tyre_deflection;

#endif
