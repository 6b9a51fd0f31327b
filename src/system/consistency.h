/*
 * Checks whether constraints that depend on each other are compatible on velocities and accelerations too, not only on positions.
 * Used when redundant constraints are left out.
 */
#ifndef CMB_SYSTEM_CONSISTENCY_H
#define CMB_SYSTEM_CONSISTENCY_H

#include "system/rank.h"

typedef enum cmb_disagreement {
  CMB_AGREE,                 /* no contradiction was found */
  CMB_DISAGREE_VELOCITY,     /* 0 = G v + g_t has no solution */
  CMB_DISAGREE_ACCELERATION, /* 0 = G a + γ has no solution */
  CMB_NO_GRADIENT            /* a constraint has no gradient where it is met, like x² = 0 */
} cmb_disagreement;

typedef struct cmb_consistency {
  cmb_disagreement what;
  int count;
  int *row; /* (count) the contradictory constraints, ascending */
} cmb_consistency;

/* Checks whether the constraints that `rank` found redundant are compatible with the others, at its regular position and time t with
 * the smallest velocities possible there: a prescribed rate may be impossible. Uses the evaluator's modes. The array found->row is
 * allocated from `arena`. */
cmb_status cmb_consistency_examine(cmb_evaluator *ev, cmb_arena *arena, double t,
                                   const cmb_rank *rank, cmb_consistency *found);

#endif
