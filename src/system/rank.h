/*
 * How many constraints there really are: the rank of G where a mechanism is assembled, and around.
 */
#ifndef CMB_SYSTEM_RANK_H
#define CMB_SYSTEM_RANK_H

#include "dae/evaluator.h"

typedef struct cmb_rank {
  int here;            /* rank of G at the position given */
  int around;          /* the largest found at consistent positions near it */
  int redundant_count; /* constraints less `around`: those that depend on the ones before them, here if the position is regular, .. */
  int *redundant;      /* (redundant_count) ascending; .. else in `regular` */
  double *regular;     /* (nq) one of the positions where the rank is `around` */
  double *gradient;    /* (ng) lengths of the rows of G, the largest in all of these positions */
  double
      bend; /* by how much a dependent gradient of unit length may leave the others, when q moves by 1, and not be seen to */
} cmb_rank;

/* At (t, q), which satisfies the constraints. The arrays are taken from `arena`. The position is singular if `here` is less than `around`. */
cmb_status cmb_rank_examine(cmb_evaluator *ev, cmb_arena *arena, double t, const double *q,
                            cmb_rank *rank);

/* The same with some of the constraints behind all others: last (ng); NULL: none. */
cmb_status cmb_rank_examine_ordered(cmb_evaluator *ev, cmb_arena *arena, double t, const double *q,
                                    const bool *last, cmb_rank *rank);

#endif
