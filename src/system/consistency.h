/*
 * Constraints that depend on each other must also agree: on velocities and on accelerations, not only on positions.
 */
#ifndef CMB_SYSTEM_CONSISTENCY_H
#define CMB_SYSTEM_CONSISTENCY_H

#include "system/rank.h"

typedef enum cmb_disagreement {
  CMB_AGREE,
  CMB_DISAGREE_VELOCITY,     /* 0 = G v + g_t has no solution */
  CMB_DISAGREE_ACCELERATION, /* 0 = G a + γ has none */
  CMB_NO_GRADIENT            /* a constraint has no gradient where it is met, like x² = 0 */
} cmb_disagreement;

typedef struct cmb_consistency {
  cmb_disagreement what;
  int count;
  int *row; /* (count) the constraints at fault, ascending */
} cmb_consistency;

/* Of the constraints that `rank` calls redundant, at its regular position and at t, with the least velocities there: a rate
 * that is given may not be possible. The modes are the evaluator's. `row` is taken from `arena`. */
cmb_status cmb_consistency_examine(cmb_evaluator *ev, cmb_arena *arena, double t,
                                   const cmb_rank *rank, cmb_consistency *found);

#endif
