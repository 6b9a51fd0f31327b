/*
 * Finds start values that satisfy the constraints, with requested values held and the others following; called by start.c.
 *
 * A consistent start moves all coordinates and velocities, in proportion to the inverse of their masses (Simeon 1996, eq. 12). If
 * the angle or the speed of a crank is given, the other joints are to follow: so the given values are held by further constraints,
 * as far as the constraints of the system permit.
 */
#ifndef CMB_SYSTEM_HOLD_H
#define CMB_SYSTEM_HOLD_H

#include "base/arena.h"

#include <camber/system.h>

typedef enum cmb_held_kind {
  CMB_HELD_COORDINATE, /* coordinate q; v is its rate */
  CMB_HELD_TURN,       /* Euler parameters from q on; angular velocities from v on */
  CMB_HELD_RATE        /* velocity v */
} cmb_held_kind;

/* A value that is to be held. */
typedef struct cmb_held {
  cmb_held_kind kind;
  int q, v;        /* indices as described for the kind */
  double value[4]; /* one number, or four Euler parameters */
} cmb_held;

/* What is to be held, and data that help to find the start. */
typedef struct cmb_hold_task {
  double t;
  const double *p; /* (np) values of live parameters; NULL: those of the equations */
  int count;
  const cmb_held *held; /* (count) requested values, the most important ones first */
  int home_count;
  const cmb_held *home;   /* (home_count) all coordinates as given, to which the others stay near */
  const double *q_design; /* (nq) design position, where loops are usually closed */
  const bool *turns;      /* (nv) velocities of angles */
  const bool *angle;      /* (nq) coordinates that are angles: they may not turn far at once */
} cmb_hold_task;

/* Makes q (nq) and then v (nv) consistent, in place, with the given values held. Loops are closed near the given position or via
 * the design position. For a value that cannot be held, the nearest one found is taken, and a warning in the log names it; if the
 * constraints cannot be met at all, q and v are unchanged. Only a failure to allocate is an error. */
cmb_status cmb_hold_start(cmb_context *ctx, const cmb_equations *eq, const cmb_hold_task *task,
                          double *q, double *v);

#endif
