/*
 * Equations with additional constraints that hold start values; used for finding consistent start values (hold.c, closing.c) and for
 * moving a mechanism (freedoms.c).
 *
 *     0 = g(t, q) − offset                      the constraints of the system, violated by an offset on the way
 *     0 = q_i − given − offset                  a held coordinate
 *     0 = 2 vec(p̄_given ∘ p) − offset           held Euler parameters, three constraints
 *     0 = v_i − given                           a held velocity
 *
 * The mass matrix is replaced by a diagonal metric that does not depend on masses: 1 for angles, 1/L² for displacements, with L the
 * mean lever arm of the constraints: the root mean square of their derivatives with respect to angles over that with respect to
 * displacements. A smallest change in it moves only coordinates that the constraints depend on, and turns joints as little as
 * possible: a bob that hangs on a driven cart stays at the given angle, whatever way the cart goes.
 */
#ifndef CMB_SYSTEM_HELD_EQUATIONS_H
#define CMB_SYSTEM_HELD_EQUATIONS_H

#include "base/arena.h"
#include "system/hold.h"

typedef struct cmb_held_row {
  const cmb_held *held;
  int component; /* 0, 1 or 2 of the vector part for Euler parameters, else 0 */
} cmb_held_row;

typedef struct cmb_held_equations {
  cmb_equations eq;           /* with the rows added so far */
  const cmb_equations *inner; /* the system's equations */
  int count;                  /* number of rows added */
  cmb_held_row *row;          /* (count) */
  double *offset;             /* (inner->ng + count) subtracted from g; 0 at first */
  double *metric;             /* (nv) diagonal of the metric */
  cmb_pattern pattern;        /* of G */
  int *start, *column;        /* arrays of the pattern; start is NULL if G is dense */
} cmb_held_equations;

enum { CMB_HELD_ROWS = 3 }; /* largest number of rows of one value */

/* The position at which the lever arm is measured. */
typedef struct cmb_held_place {
  double t;
  const double *q;
  const double *p;   /* (np) values of live parameters; NULL: those of the equations */
  const bool *turns; /* (nv) velocities of angles */
} cmb_held_place;

/* Creates the equations *out, without held values at first and with at most `most` held values later. `inner` must outlive them.
 * Memory comes from `arena`. */
cmb_status cmb_held_create(cmb_context *ctx, cmb_arena *arena, const cmb_equations *inner, int most,
                           const cmb_held_place *at, cmb_held_equations **out);

/* cmb_held_add adds the constraints (one, or three for Euler parameters) that hold a value, which must outlive the equations;
 * cmb_held_clear removes all. Evaluators created before must not be used again. */
void cmb_held_add(cmb_held_equations *x, const cmb_held *held);
void cmb_held_add_row(cmb_held_equations *x, const cmb_held *held,
                      int component); /* one component of Euler parameters only */
void cmb_held_clear(cmb_held_equations *x);

/* Computes the difference w (nv) from q to the position `home` (count values, no rates), the shorter way round for rotations.
 * Returns the square of its length in the metric. */
double cmb_held_difference(const cmb_held_equations *x, int count, const cmb_held *home,
                           const double *q, double *w);

#endif
