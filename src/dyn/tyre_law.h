/*
 * Tyre laws: forces and moments at the contact point as expressions of load, slip and camber, in the axes of the contact
 * (ISO-W: x forward in the plane of the wheel and of the road, y to the left, z up). A positive slip angle gives a
 * negative lateral force. Implemented by magic_formula.c and tmeasy.c.
 */
#ifndef CMB_DYN_TYRE_LAW_H
#define CMB_DYN_TYRE_LAW_H

#include <camber/expr.h>

typedef struct cmb_tyre_input {
  cmb_expr Fz;        /* load, >= 0: the caller ensures it */
  cmb_expr kappa;     /* longitudinal slip −Vsx/|Vx|, or its relaxed value */
  cmb_expr tan_alpha; /* tangent of the slip angle, Vsy/|Vx|, or its relaxed value */
  cmb_expr gamma;     /* camber */
  cmb_expr Vx;        /* forward speed of the contact point */
  cmb_expr friction;  /* factor of the road on the tyre's friction, >= 0 */
} cmb_tyre_input;

/* The limits of validity of a law, beyond which it uses the value at the limit: their names, and the expressions that
 * are positive beyond them. */
enum { CMB_MOST_TYRE_LIMITS = 24 };
typedef struct cmb_tyre_limits {
  int count;
  struct {
    const char *name;
    cmb_expr e;
  } of[CMB_MOST_TYRE_LIMITS];
} cmb_tyre_limits;

/* Adds a limit to the list. If the list is full the limit is not added, so that its event has no name. */
static inline void cmb_tyre_limits_add(cmb_tyre_limits *limits, const char *name, cmb_expr e)
{
  if (limits->count == CMB_MOST_TYRE_LIMITS) return;
  limits->of[limits->count].name = name;
  limits->of[limits->count++].e = e;
}

/* Computes min(x, end) as a condition and adds the limit `name`. Unlike min, whose arguments may be exchanged, the
 * condition makes a switching function that increases when x passes the limit. */
static inline cmb_expr cmb_tyre_limits_at_most(cmb_tyre_limits *limits, cmb_graph *g, cmb_expr x,
                                               cmb_expr end, const char *name)
{
  cmb_tyre_limits_add(limits, name, cmb_apply(g, CMB_OP_SUB, x, end, 0));
  return cmb_apply(g, CMB_OP_IF, cmb_apply(g, CMB_OP_GT, x, end, 0), end, x);
}

typedef struct cmb_tyre_output {
  cmb_expr Fx, Fy, Mx, My, Mz;
  cmb_expr sigma_x, sigma_y; /* relaxation lengths; 0: none */
  /* positive if the slip is beyond that of the peak, and if the tyre slides; 0: not known */
  cmb_expr past_peak, past_sliding;
  cmb_tyre_limits limits;
} cmb_tyre_output;

/* The arguments of the vertical force. */
typedef struct cmb_tyre_deflection {
  /* deflection: free radius (cmb_magic_free_radius) minus loaded radius; and minus the rate of the loaded radius */
  cmb_expr rho, rho_rate;
  cmb_expr omega; /* spin of the wheel */
  cmb_expr gamma;
  cmb_expr Fx,
      Fy; /* influence on the stiffness; 0: neglected, together with the shift of Fy by camber */
} cmb_tyre_deflection;

#endif
