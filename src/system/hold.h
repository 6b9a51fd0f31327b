/*
 * Start values that stay as they were given, while the others follow.
 *
 * A consistent start moves all coordinates and velocities, each as its mass asks for (Simeon 1996, eq. 12). Whoever gives the
 * angle or the speed of a crank wants the other joints to go with it: then the given ones are held by further constraints, as
 * far as the constraints of the system leave room for them.
 */
#ifndef CMB_SYSTEM_HOLD_H
#define CMB_SYSTEM_HOLD_H

#include "base/arena.h"

#include <camber/system.h>

typedef enum cmb_held_kind {
  CMB_HELD_COORDINATE, /* q; v is its rate */
  CMB_HELD_TURN,       /* Euler parameters from q on; angular velocities from v on */
  CMB_HELD_RATE        /* v */
} cmb_held_kind;

/* A value that is to be held. */
typedef struct cmb_held {
  cmb_held_kind kind;
  int q, v;
  double value[4]; /* one number, or four Euler parameters */
} cmb_held;

/* What is to be held, and what helps to find it. */
typedef struct cmb_hold_task {
  double t;
  const double *p; /* (np) values of live parameters; NULL: those of the equations */
  int count;
  const cmb_held *held; /* (count) */
  int home_count;
  const cmb_held *home;   /* (home_count) all coordinates as given: the others stay near */
  const double *q_design; /* (nq) where loops are closed, most of them */
  const bool *turns;      /* (nv) which velocities are those of angles */
  const bool *angle;      /* (nq) which coordinates are angles: they are not turned far at once */
} cmb_hold_task;

/* q (nq) and v (nv) of the equations, in place: consistent positions with those held that are to be, then
 * velocities. Loops are closed near the position given, or by way of the design position, where most models have their
 * loops closed. What cannot be held is as near as it was found, and a warning in the log has its name; if the
 * constraints cannot be met at all, q and v are left as they are. Only a failure to allocate is an error. */
cmb_status cmb_hold_start(cmb_context *ctx, const cmb_equations *eq, const cmb_hold_task *task,
                          double *q, double *v);

#endif
