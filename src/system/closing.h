/*
 * Closing the loops of a mechanism in small steps.
 *
 * Newton's method from afar may end in any assembly: another branch of a linkage, a joint some turns further. So the residual r
 * of the constraints at the beginning is let go a little at a time,
 *
 *     g(t, q(s)) = (1 − s) r,   s from 0 to 1,
 *
 * in steps that turn no joint by more than 0.05 rad (0.1 rad, if one step is all it takes) and in which the way is nearly
 * straight: what follows the first increment is at most a twentieth of it.
 *
 * Such a way is the shortest from each position to the next, but not as a whole: freedoms that the constraints leave are carried along,
 * and where they are left depends on the steps. So after each step the position slides along the freedoms towards home, which is the
 * position given, and in the end until it is the nearest to home around: the way home, in the metric of the held equations, is then
 * perpendicular to all that the constraints permit.
 *
 * Loops may look as if they could move, and not be able to: a constraint that depends on the others in one position makes an angle
 * with them beside it, too small at first to be taken for one, and its residual grows slowly. Such a constraint is nearly met
 * for quite a way. So loops that were closed at the beginning stay as well closed as they were, and what was dependent stays so.
 */
#ifndef CMB_SYSTEM_CLOSING_H
#define CMB_SYSTEM_CLOSING_H

#include "dae/modes.h"
#include "system/held_equations.h"

/* How well loops are closed. */
typedef struct cmb_closed {
  double off;     /* the largest residual, in parts of what q can make of it */
  double dropped; /* the largest sine of an angle that counts as 0 (math/kkt.h) */
} cmb_closed;

typedef struct cmb_closing {
  cmb_evaluator *ev; /* of the held equations */
  cmb_held_equations *x;
  cmb_mode_search *modes;
  double t;
  const double *v;            /* (nv) with which switching functions are about to change */
  const bool *angle;          /* (nq) coordinates that are not turned far in one step */
  int home_count;             /* 0: freedoms are left where the way has taken them */
  const cmb_held *home;       /* (home_count) the position that freedoms are drawn to */
  double *r, *q_new, *q_kept; /* scratch */
  double *way;                /* (nv) */
  double share;               /* of the way home that a slide takes */
  bool closed;                /* the loops were at the beginning: they stay so on the way, */
  cmb_closed first;           /* as well as then, or to rounding */

  /* what came of it */
  double reached;  /* s; 1: the constraints are met */
  bool at_once;    /* in one step */
  cmb_closed last; /* if it was reached */
} cmb_closing;

/* Whether loops are closed as well as others of the same mechanism, or to rounding. NULL: to rounding. */
bool cmb_closed_as_well(const cmb_closed *loops, const cmb_closed *others);

/* Scratch memory for the equations with all rows that there may be. */
void cmb_closing_take(cmb_closing *c, cmb_arena *arena, int ng);

/* q in place: as far as it got, with the modes that belong to it. Only a negative status is a failure. */
cmb_status cmb_close_loops(cmb_closing *c, double *q);

#endif
