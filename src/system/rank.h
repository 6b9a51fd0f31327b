/*
 * Determines the number of independent constraints: the rank of the constraint Jacobian G at a position that satisfies the
 * constraints, and at positions nearby. Used to find redundant constraints and singular positions.
 */
#ifndef CMB_SYSTEM_RANK_H
#define CMB_SYSTEM_RANK_H

#include "dae/evaluator.h"

/* The arrays are NULL if there are no constraints. */
typedef struct cmb_rank {
  int here;            /* rank of G at the given position */
  int around;          /* the largest rank found at consistent positions nearby */
  int redundant_count; /* number of constraints minus `around` */
  /* (redundant_count) ascending: constraints that depend on those before them; at the given position if its rank is `around`, else
   * at `regular` */
  int *redundant;
  double *regular;  /* (nq) a position at which the rank is `around` */
  double *gradient; /* (ng) the largest length of each row of G at all these positions */
  /* bound for how far a dependent gradient of unit length may leave the span of the others unnoticed when q moves by 1 */
  double bend;
} cmb_rank;

/* Determines the rank of G at (t, q), which satisfies the constraints, and at positions nearby. Arrays are allocated from `arena`. The
 * position is singular if rank->here is less than rank->around. */
cmb_status cmb_rank_examine(cmb_evaluator *ev, cmb_arena *arena, double t, const double *q,
                            cmb_rank *rank);

/* Determines the rank of G at (t, q) and nearby, with the constraints marked in last (ng; NULL: none) ordered after all others, so that
 * these are the first to be found redundant. */
cmb_status cmb_rank_examine_ordered(cmb_evaluator *ev, cmb_arena *arena, double t, const double *q,
                                    const bool *last, cmb_rank *rank);

#endif
