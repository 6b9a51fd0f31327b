/*
 * Finds the constraint forces and outputs that are indeterminate because constraints are redundant.
 */
#ifndef CMB_SYSTEM_SHARED_H
#define CMB_SYSTEM_SHARED_H

#include "system/rank.h"

/* What is not unique because constraints are redundant: the marked multipliers lambda (ng) and outputs (no), NULL if none was examined. */
typedef struct cmb_shared {
  bool *lambda, *outputs;
  bool any_output;
  const char
      *state; /* a state whose rate depends on constraint forces and is not unique; NULL: none */
} cmb_shared;

/* Finds the multipliers, outputs and rates of states that are not unique because of the constraints that `rank` found redundant, at its
 * regular position. Memory comes from `arena`. */
cmb_status cmb_shared_find(cmb_evaluator *ev, cmb_arena *arena, double t, const cmb_rank *rank,
                           cmb_shared *shared);

/* Writes the names of the outputs for which mark (no) equals `value` to text[room], as in "'a', 'b' and 3 more". Returns how many there
 * are. */
int cmb_shared_names(const cmb_equations *eq, const bool *mark, bool value, size_t room,
                     char *text);

#endif
