/*
 * Forces that redundant constraints can share out in several ways.
 */
#ifndef CMB_SYSTEM_SHARED_H
#define CMB_SYSTEM_SHARED_H

#include "system/rank.h"

/* What the equations do not determine: multipliers (ng), and outputs (no) that depend on how they are shared out. */
typedef struct cmb_shared {
  bool *lambda, *outputs;
  bool any_output;
  const char *state; /* a late state whose rate depends on it; NULL: none does */
} cmb_shared;

/* With the constraints that `rank` calls redundant among those of the evaluator, at its regular position. Memory from `arena`. */
cmb_status cmb_shared_find(cmb_evaluator *ev, cmb_arena *arena, double t, const cmb_rank *rank,
                           cmb_shared *shared);

/* "'a', 'b' and 3 more": outputs of the equations whose mark (no) is `value`; how many there are. */
int cmb_shared_names(const cmb_equations *eq, const bool *mark, bool value, size_t room,
                     char *text);

#endif
