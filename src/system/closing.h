/*
 * Closes the loops of a mechanism in small steps, that is, finds a position that satisfies all constraints; used for consistent start
 * values (hold.c) and for moving a mechanism along its independent coordinates (freedoms.c).
 *
 * Newton's method from afar may end in any assembly: another branch of a linkage, a joint some turns further. So the residual r of
 * the constraints at the beginning is reduced a little at a time,
 *
 *     g(t, q(s)) = (1 − s) r,   s from 0 to 1,
 *
 * in steps that turn no joint by more than 0.05 rad (0.1 rad, if one step is enough) and in which the path is nearly straight: what
 * follows the first increment is at most a twentieth of it.
 *
 * Each step is the shortest one, but the whole path is not: the remaining freedoms drift, by amounts that depend on the steps. So
 * after each step the position is relaxed along the freedoms towards the home position, which is the position given, and at the end
 * until it is the nearest one: then the difference to the home position, in the metric of the held equations, is perpendicular to
 * all motions that the constraints permit.
 *
 * Loops may seem movable without being so: a constraint that depends on the others in one position forms an angle with them nearby,
 * too small at first to be recognised, and its residual grows slowly. Such a constraint is nearly met over a long path. So loops that
 * were closed at the beginning stay about as accurately closed as they were, and constraints that were dependent stay so.
 */
#ifndef CMB_SYSTEM_CLOSING_H
#define CMB_SYSTEM_CLOSING_H

#include "dae/modes.h"
#include "system/held_equations.h"

/* How accurately loops are closed. */
typedef struct cmb_closed {
  double off;     /* the largest residual divided by its extent (evaluator.h) */
  double dropped; /* the largest sine of an angle treated as 0 (math/kkt.h) */
} cmb_closed;

typedef struct cmb_closing {
  cmb_evaluator *ev; /* evaluator of the held equations */
  cmb_held_equations *x;
  cmb_mode_search *modes;
  double t;
  /* (nv) velocities, by which switching functions that are 0 get their sign */
  const double *v;
  const bool *angle;          /* (nq) coordinates that may not turn far in one step */
  int home_count;             /* 0: no relaxation towards a home position */
  const cmb_held *home;       /* (home_count) home position, near which the result is to be */
  double *r, *q_new, *q_kept; /* (ng), (nq), (nq) scratch */
  double *to_home;            /* (nv) difference to the home position */
  double share;               /* fraction of the difference that a relaxation takes */
  bool closed;                /* the loops were closed at the beginning and must stay so */
  cmb_closed first;           /* how accurately they were closed at the beginning, if `closed` */

  /* results */
  double reached;  /* path parameter s reached; 1: the constraints are met */
  bool at_once;    /* the loops were closed in one step */
  cmb_closed last; /* how accurately they are closed, if s = 1 was reached */
} cmb_closing;

/* Returns whether `loops` are closed up to rounding or with at most twice the errors of `others`, which may be NULL: then up to
 * rounding. */
bool cmb_closed_as_well(const cmb_closed *loops, const cmb_closed *others);

/* Allocates scratch memory for held equations with at most ng rows. */
void cmb_closing_take(cmb_closing *c, cmb_arena *arena, int ng);

/* Closes the loops from q (nq), in place, as far as possible, and finds the modes of that position. c->reached becomes 1 if all
 * constraints are met. Returns CMB_OK also if they are not met; only a negative status is a failure. */
cmb_status cmb_close_loops(cmb_closing *c, double *q);

#endif
