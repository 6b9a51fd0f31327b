/*
 * The modes that belong to a state: one rule for starts, events, equilibria, loops that are closed and steps of real-time
 * methods. Exported C has it as straight-line code (export/c_programs.c).
 *
 *   - A sign is +1 where its switching function is > 0, else −1; a level is the whole number, or the interval, that the state
 *     lies in: what the formula says there. Modes that the function depends on come first: `if(floor(x) > 2, ...)` is decided
 *     after floor(x), in its new level.
 *   - A function that is exactly 0 is about to leave 0 in one direction, or stays. Where it is known how the motion goes on, the
 *     state a moment later decides; if it is 0 there too, the formula. Steps of real-time methods go by the formula alone.
 *   - New modes bring about other accelerations and multipliers, perhaps another state, and these may ask for other modes:
 *     whoever computes them finds the modes again until they stay, at most cmb_mode_rounds times.
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

/* How often modes are found for accelerations and multipliers that they have brought about themselves. */
static inline int cmb_mode_rounds(const cmb_equations *eq)
{
  return 2 * eq->ns + 10;
}

/* A level whose function is 0: it may have been taken from what lies ahead, and found not to be right here. */
enum cmb_mode_edge { CMB_EDGE_UNKNOWN, CMB_EDGE_AHEAD, CMB_EDGE_NONE };

/* Scratch memory of the functions below. */
typedef struct cmb_mode_search {
  double *s, *s_ahead;  /* (ns) switching functions at the state, and a moment later */
  double *q, *v, *rate; /* the state a moment later */
  double *q_given, *v_given;
  double *a_first;          /* (nv) accelerations in the first modes of a start */
  double *no_force;         /* (ng), and */
  double *no_change;        /* (nv) zeros */
  int *before;              /* (ns) the modes before the last search */
  int *level, *level_ahead; /* (ns) */
  int *edge;                /* (ns) what is known of a level's edge, enum cmb_mode_edge */
  const double
      *lift; /* (ns) up to there functions near 0 keep the modes that they have; NULL: none does */
  const int *still; /* (ns) modes that functions have whatever their values; 0, NULL: none */
} cmb_mode_search;

/* Memory from `arena`; a failure is left to it. */
void cmb_mode_search_create(cmb_mode_search *m, cmb_arena *arena, const cmb_equations *eq);

/* The evaluator's modes become those of (t, q, v, λ); *changed tells whether any differs from before. v and the accelerations a
 * tell where a function that is exactly 0 will go; a == NULL: the formula alone decides. The functions' values in the new modes
 * are left in the search. On failure the modes are what they were; CMB_RETRY_NONFINITE: a function has no finite value in the
 * modes of those that it depends on. */
cmb_status cmb_find_modes(cmb_evaluator *ev, cmb_mode_search *m, double t, const double *q,
                          const double *v, const double *lambda, const double *a, bool *changed);

/* The same where accelerations and multipliers are not known yet: they are taken as 0. */
cmb_status cmb_guess_modes(cmb_evaluator *ev, cmb_mode_search *m, double t, const double *q,
                           const double *v, bool *changed);

/* The words for modes that have not settled in cmb_mode_rounds: they name the functions that have another mode than in `other`
 * (ns), the modes before the last search or behind it. */
cmb_status cmb_modes_unsettled(const cmb_evaluator *ev, const int *other, double t);

/* Consistent values at t near q and v as they are given, in place, with the modes that belong to them. New modes change
 * accelerations and multipliers, perhaps the constraints too, and these may change a mode: hence a repetition inside. On
 * failure the context has the words, and q and v are as they were. */
cmb_status cmb_start_in_modes(cmb_evaluator *ev, cmb_mode_search *m, double t, double *q, double *v,
                              double *a, double *lambda, cmb_start_report *report);

#endif
