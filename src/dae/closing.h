/*
 * Closing the loops of a mechanism in small steps.
 *
 * Newton's method from afar may end in any assembly: another branch of a linkage, a joint some turns further. So the residual r
 * of the constraints at the beginning is let go a little at a time,
 *
 *     g(t, q(s)) = (1 − s) r,   s from 0 to 1,
 *
 * in steps that turn no joint by more than 0.1 rad and in which the way is nearly straight: what follows the first
 * increment is at most a twentieth of it.
 */
#ifndef CMB_DAE_CLOSING_H
#define CMB_DAE_CLOSING_H

#include "dae/held_equations.h"
#include "dae/modes.h"

typedef struct cmb_closing {
  cmb_evaluator *ev; /* of the held equations */
  cmb_held_equations *x;
  cmb_mode_search *modes;
  double t;
  const double *v;            /* (nv) with which switching functions are about to change */
  const bool *angle;          /* (nq) coordinates that are not turned far in one step */
  double *r, *q_new, *q_kept; /* scratch */
  bool closed;                /* the loops were at the beginning: they stay so on the way */

  /* what came of it */
  double reached; /* s; 1: the constraints are met */
  bool at_once;   /* in one step */
} cmb_closing;

/* Scratch memory for the equations with all rows that there may be. */
void cmb_closing_take(cmb_closing *c, cmb_arena *arena, int ng);

/* q in place: as far as it got, with the modes that belong to it. Only a negative status is a failure. */
cmb_status cmb_close_loops(cmb_closing *c, double *q);

#endif
