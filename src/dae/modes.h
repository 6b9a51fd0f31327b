/*
 * The modes that belong to a state: one rule for whoever starts something there.
 */
#ifndef CMB_DAE_MODES_H
#define CMB_DAE_MODES_H

#include "dae/evaluator.h"

/* Whether the mode of function i is a level, a whole number, rather than a sign. */
static inline bool cmb_mode_is_level(const cmb_evaluator *ev, int i)
{
  return ev->eq->switch_is_level && ev->eq->switch_is_level[i];
}

/* The sign that switching function i has while its mode is right. */
static inline int cmb_mode_sign(const cmb_evaluator *ev, int i)
{
  return cmb_mode_is_level(ev, i) ? 1 : ev->mode[i];
}

/* Scratch memory of the functions below. */
typedef struct cmb_mode_search {
  double *s, *s_ahead;  /* (ns) switching functions at the state, and a moment later */
  double *q, *v, *rate; /* the state a moment later */
  double *q_given, *v_given;
  double *no_force;    /* (ng), and */
  double *no_change;   /* (nv) zeros */
  int *before, *level; /* (ns) */
} cmb_mode_search;

/* Memory from `arena`; a failure is left to it. */
void cmb_mode_search_create(cmb_mode_search *m, cmb_arena *arena, const cmb_equations *eq);

/* The evaluator's modes from the signs and the levels at (t, q, v, λ, a); *changed tells whether any differs from before. A
 * function that is exactly 0 gets the sign or the level it is about to take, or, if it stays 0, the sign of its formula, -1. s is
 * left in the search. */
cmb_status cmb_find_modes(cmb_evaluator *ev, cmb_mode_search *m, double t, const double *q,
                          const double *v, const double *lambda, const double *a, bool *changed);

/* The same where accelerations and multipliers are not known yet: they are taken as 0. */
cmb_status cmb_guess_modes(cmb_evaluator *ev, cmb_mode_search *m, double t, const double *q,
                           const double *v, bool *changed);

/* Consistent values at t near q and v as they are given, in place, with the modes that belong to them. New modes change
 * accelerations and multipliers, perhaps the constraints too, and these may change a mode: hence a repetition inside. On
 * failure the context has the words, and q and v are as they were. */
cmb_status cmb_start_in_modes(cmb_evaluator *ev, cmb_mode_search *m, double t, double *q, double *v,
                              double *a, double *lambda, cmb_start_report *report);

#endif
