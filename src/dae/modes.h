/*
 * Finds the modes that belong to a state, by one rule for starts, events, equilibria, assembly of loops and steps of real-time
 * methods. Exported C has it as straight-line code (export/c_programs.c).
 *
 *     - The mode of a sign is +1 where its switching function is > 0, else −1; a level is the whole number, or the interval, that the value
 *       lies in. Modes that the function depends on come first: `if(floor(x) > 2, ...)` is decided after floor(x), with its new level.
 *     - A function that is exactly 0 is about to leave 0 in one direction, or stays. If accelerations are known, the value a moment later
 *       decides; if it is 0 there too, the formula. Steps of real-time methods use the formula alone.
 *     - New modes cause other accelerations and multipliers, perhaps another state, which may require other modes: the caller repeats the
 *       search until the modes stay, at most cmb_mode_rounds times.
 */
#ifndef CMB_DAE_MODES_H
#define CMB_DAE_MODES_H

#include "dae/evaluator.h"

/* Returns whether the mode of switching function i is a level (a whole number) rather than a sign. */
static inline bool cmb_mode_is_level(const cmb_evaluator *ev, int i)
{
  return ev->eq->switch_is_level && ev->eq->switch_is_level[i];
}

/* Returns the sign that switching function i has as long as its mode is valid: the mode itself, +1 for a level (whole number). */
static inline int cmb_mode_sign(const cmb_evaluator *ev, int i)
{
  return cmb_mode_is_level(ev, i) ? 1 : ev->mode[i];
}

/* Returns the largest permitted number of rounds of a search for modes, each with the accelerations and multipliers of the modes
 * last found. */
static inline int cmb_mode_rounds(const cmb_equations *eq)
{
  return 2 * eq->ns + 10;
}

/* What is known of a level whose function is 0, at the edge of the level: nothing; the level a moment later was tried; that level
 * is wrong here. */
enum cmb_mode_edge { CMB_EDGE_UNKNOWN, CMB_EDGE_AHEAD, CMB_EDGE_NONE };

/* Scratch memory of the functions below. */
typedef struct cmb_mode_search {
  double *s, *s_ahead;       /* (ns) switching functions at the state, and a moment later */
  double *q, *v, *rate;      /* (nq), (nv), (nq) the state a moment later, and rates q̇ */
  double *q_given, *v_given; /* (nq), (nv) start values as given */
  double *a_first;           /* (nv) accelerations in the first modes of a start */
  double *no_force;          /* (ng) zeros */
  double *no_change;         /* (nv) zeros */
  int *before;               /* (ns) the modes before the last search */
  int *level, *level_ahead;  /* (ns) levels at the state, and a moment later */
  int *edge;                 /* (ns) what is known of each level's edge, enum cmb_mode_edge */
  const double
      *lift; /* (ns) functions below this absolute value keep their modes; NULL: none does */
  /* (ns) modes that are fixed whatever the value of the function; 0, NULL: not fixed */
  const int *still;
} cmb_mode_search;

/* Allocates the scratch memory from the arena; the caller detects a failure by cmb_arena_failed. */
void cmb_mode_search_create(cmb_mode_search *m, cmb_arena *arena, const cmb_equations *eq);

/* Sets the evaluator's modes to those of (t, q, v, λ); *changed: a mode differs from before. Where a function is exactly 0, v and
 * the accelerations a predict its sign; a == NULL: the formula alone decides. The functions' values in the new modes are left in
 * m->s. On failure the modes are unchanged; CMB_RETRY_NONFINITE: a function has no finite value. */
cmb_status cmb_find_modes(cmb_evaluator *ev, cmb_mode_search *m, double t, const double *q,
                          const double *v, const double *lambda, const double *a, bool *changed);

/* Sets the evaluator's modes to those of (t, q, v) with zero accelerations and multipliers, where these are not known yet. */
cmb_status cmb_guess_modes(cmb_evaluator *ev, cmb_mode_search *m, double t, const double *q,
                           const double *v, bool *changed);

/* A function that depends on the mode of another one, whose value is 0 but for the error δ, depends on it by more than a kink where its values in
 * both modes differ by more than this times δ. */
#define CMB_FOLLOWING 1e4

/* Lets the modes of functions follow the evaluator's modes, of which some have just been changed: before (ns) has the values of all functions at
 * (t, q, v, λ) before that. A function whose value has changed by more than `least` gets the mode of its new value, and so do functions that
 * depend on that mode; those with fixed[i] != 0 keep theirs. */
cmb_status cmb_follow_modes(cmb_evaluator *ev, const cmb_mode_search *m, double t, const double *q,
                            const double *v, const double *lambda, const double *before,
                            double least, const int *fixed);

/* Fails with the message that modes have not settled within cmb_mode_rounds. It names the functions whose mode differs from that in
 * `other` (ns), the modes before or after the last search. */
cmb_status cmb_modes_unsettled(const cmb_evaluator *ev, const int *other, double t);

/* Makes q and v consistent with the constraints at t, in place, and finds the modes, accelerations a and multipliers λ that belong to them.
 * Repeats both until the modes stay. On failure the context has the message; q and v may have changed. */
cmb_status cmb_start_in_modes(cmb_evaluator *ev, cmb_mode_search *m, double t, double *q, double *v,
                              double *a, double *lambda, cmb_start_report *report);

#endif
