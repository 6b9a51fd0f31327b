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

/* Limits of a law, beyond which it goes on with the value at the limit: what they are called, and whose signs decide on them. */
enum { CMB_MOST_TYRE_LIMITS = 24 };
typedef struct cmb_tyre_limits {
  int count;
  struct {
    const char *name;
    cmb_expr e;
  } of[CMB_MOST_TYRE_LIMITS];
} cmb_tyre_limits;

/* One more; without room for it the limit has no name. */
static inline void cmb_tyre_limits_add(cmb_tyre_limits *limits, const char *name, cmb_expr e)
{
  if (limits->count == CMB_MOST_TYRE_LIMITS) return;
  limits->of[limits->count].name = name;
  limits->of[limits->count++].e = e;
}

/* min(x, end), by a condition: the arguments of min may change places, and the event of a limit rises where it is passed. */
static inline cmb_expr cmb_tyre_limits_at_most(cmb_tyre_limits *limits, cmb_graph *g, cmb_expr x,
                                               cmb_expr end, const char *name)
{
  cmb_tyre_limits_add(limits, name, cmb_apply(g, CMB_OP_SUB, x, end, 0));
  return cmb_apply(g, CMB_OP_IF, cmb_apply(g, CMB_OP_GT, x, end, 0), end, x);
}

typedef struct cmb_tyre_output {
  cmb_expr Fx, Fy, Mx, My, Mz;
  cmb_expr sigma_x, sigma_y; /* relaxation lengths; 0: none */
  /* Positive where the slip is beyond that of the peak, and where the tyre slides; 0: the law does not say. */
  cmb_expr past_peak, past_sliding;
  cmb_tyre_limits limits;
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
