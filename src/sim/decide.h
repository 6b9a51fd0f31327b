/*
 * Contacts that touch and stay, d = 0 and ḋ = 0, and dry friction on functions of velocities that are 0: which contacts bear, which
 * friction holds, and to which side the rest of it lets go. Contacts push with μ ≥ 0; the forces of friction are a mixture of those of
 * its two modes, as in dae/sliding.h, with θ from 0 to 1. With the accelerations a₋ where all functions are in mode −1, what mode +1
 * of function k adds to them, Δ_k, and N and W of contacts.h,
 *
 *     a = a₋ + Σ θ_k Δ_k + N Wᵀ μ,   d̈ = W a + w,   ṡ = S a + c,
 *
 *     0 ≤ μ ⟂ d̈ ≥ 0;   ṡ_k ≤ 0 where θ_k = 0,   ṡ_k ≥ 0 where θ_k = 1,   ṡ_k = 0 in between   (Pfeiffer and Glocker 1996),
 *
 * a problem of boxed.h. Friction that opposes the motion which switches it makes its solution unique, but for forces that act along the
 * same line. Friction that can hold more than it exerts while it slips counts with what it can hold (modes ±2, dae.h); where it lets go, the
 * problem is posed anew with what it exerts then, and with no way back. Then there may be several solutions, and friction_release.c chooses.
 *
 * Of forces along the same line contacts bear as in active_contacts.h, and friction that acts along with them is as near to its middle as it can be.
 */
#ifndef CMB_SIM_DECIDE_H
#define CMB_SIM_DECIDE_H

#include "base/arena.h"
#include "math/boxed.h"

#include <camber/dae.h>

typedef struct cmb_decision {
  int most, groups, size; /* size: groups, then contacts */
  bool quiet;             /* friction that lets go is not told */
  bool warned;            /* of friction that is idle */
  int doubtful;           /* a group that sticks and shares out a force with others; -1: none */
  int *leader;            /* (ns) the first function of each group */
  int *
      group; /* (ns) which group a function is in: ±(1 + its number), as in dae/sliding.h; 0: none */
  bool *still;         /* (ns) functions that are 0 */
  int *hold_of, *mode; /* (ns) before the decision */
  bool *
      slips; /* (ns) groups that have let go: they have the force of slipping, not that of sticking */
  bool *sticks; /* (ns) groups that can hold more than they exert while they slip */
  bool *fixed; /* (most) groups that have just let go, and contacts that have just ceased to bear */
  bool *idle;  /* (most) friction that is at a bound and does not move, since others hold it */
  int *list;   /* (most) unknowns between their bounds */
  bool *held;  /* (ns) functions that friction held where this round of the event began */
  int *passed; /* (ns) modes of functions that were let go at this event; 0: of none */
  int *role;   /* (ns) of groups, friction_release.c */
  double *
      slipping; /* (2 ns x most) columns as those of A of groups that slip, to the left and to the right */
  double *a, *lower;     /* (nv), (2 most_ns) accelerations and rates in mode −1 .. */
  double *change;        /* (ns x nv) .. what mode +1 adds to the accelerations .. */
  double *A, *b, *u, *x; /* (most x most), (most) the problem of all .. */
  double *B, *c, *w, *y; /* (most x most), (most) .. and of those that are not fixed */
  int *number;           /* (most) of these */
  cmb_boxed boxed;
} cmb_decision;

/* Memory from `arena`; a failure is left to it. */
void cmb_decision_create(cmb_decision *x, cmb_arena *arena, const cmb_equations *eq);

#endif
