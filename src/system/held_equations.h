/*
 * Equations with further constraints that hold start values, for finding a consistent start.
 *
 *     0 = g(t, q) − offset                      the constraints of the system, let go by an offset on the way
 *     0 = q_i − given − offset                  a coordinate that is held
 *     0 = 2 vec(p̄_given ∘ p) − offset           Euler parameters that are held, three constraints
 *     0 = v_i − given                           a velocity that is held
 *
 * In place of the mass matrix stands a diagonal metric that does not depend on masses: 1 for angles, 1/L² for displacements,
 * with L the lever that the constraints have on average: the root mean square of their derivatives with respect to angles over
 * that with respect to displacements. A least change in it moves only coordinates that the constraints speak of, and turns
 * joints as little as possible: a bob that hangs on a driven cart stays at the angle it was given, whatever way the cart goes.
 */
#ifndef CMB_SYSTEM_HELD_EQUATIONS_H
#define CMB_SYSTEM_HELD_EQUATIONS_H

#include "base/arena.h"
#include "system/hold.h"

typedef struct cmb_held_row {
  const cmb_held *held;
  int component; /* of Euler parameters: 0, 1 or 2 */
} cmb_held_row;

typedef struct cmb_held_equations {
  cmb_equations eq; /* with the rows added so far */
  const cmb_equations *inner;
  int count; /* rows added */
  cmb_held_row *row;
  double *offset;      /* (inner->ng + count) subtracted from g; 0 at first */
  double *metric;      /* (nv) */
  cmb_pattern pattern; /* of G */
  int *start, *column;
} cmb_held_equations;

enum { CMB_HELD_ROWS = 3 }; /* at most, of one value */

/* Where the lever is found. */
typedef struct cmb_held_place {
  double t;
  const double *q;
  const double *p;   /* (np) values of live parameters; NULL: those of the equations */
  const bool *turns; /* (nv) which velocities are of angles */
} cmb_held_place;

/* No values are held yet; there will be at most `most`. `inner` must outlive it. Memory from `arena`. */
cmb_status cmb_held_create(cmb_context *ctx, cmb_arena *arena, const cmb_equations *inner, int most,
                           const cmb_held_place *at, cmb_held_equations **out);

/* Hold this value too, which must outlive the equations; or none any more. Evaluators made before are not to be used again. */
void cmb_held_add(cmb_held_equations *x, const cmb_held *held);
void cmb_held_add_row(cmb_held_equations *x, const cmb_held *held,
                      int component); /* of Euler parameters only one */
void cmb_held_clear(cmb_held_equations *x);

/* w (nv): the way from q to the position `home` (count values, no rates), the shorter way round where it turns. Returns the square of its
 * length in the metric. */
double cmb_held_way(const cmb_held_equations *x, int count, const cmb_held *home, const double *q,
                    double *w);

#endif
