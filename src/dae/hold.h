/*
 * Start values that stay as they were given, while the others follow.
 *
 * A consistent start moves all coordinates and velocities, each as its mass asks for (seed 000, eq. 12). Whoever gives the speed
 * of a crank wants the other joints to go with it: then the given ones are held by further constraints q_i = given,
 * v_i = given, as far as the constraints of the system leave room for them.
 */
#ifndef CMB_DAE_HOLD_H
#define CMB_DAE_HOLD_H

#include "base/arena.h"

#include <camber/dae.h>

/* A velocity, and the coordinate whose rate it is (-1: none). */
typedef struct cmb_held {
  int q, v;
  bool hold_q, hold_v;
} cmb_held;

/* q (nq) and v (nv) of the equations at time t, in place: positions with those held that are to be, then velocities. What cannot
 * be held is left as it is: the consistent start of a run then decides. Only CMB_ERROR_MEMORY is an error. */
cmb_status cmb_hold_start(cmb_context *ctx, const cmb_equations *eq, double t, int count,
                          const cmb_held *held, double *q, double *v);

#endif
