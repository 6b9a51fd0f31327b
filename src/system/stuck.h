/*
 * Dry friction that sticks at rest (dae.h, `switch_sticks`): holds coordinates in equilibria, and is refused by computations that
 * take no account of sticking.
 *
 * At rest each such function s_k(v), linear in v, that is 0 holds its direction: motions with ∂s_k/∂v w = 0 are free. With the free
 * motions N of the tangent space (tangent.h), split into those that are held and the others, N = (N_h, N_f), and the forces f_k at
 * the bound of friction,
 *
 *     0 = N_hᵀ (f + Σ θ_k f_k),   |θ_k| ≤ 1:   friction can hold;   N_fᵀ f_k = 0: it acts along the held directions only.
 */
#ifndef CMB_SYSTEM_STUCK_H
#define CMB_SYSTEM_STUCK_H

#include "system/tangent.h"

typedef struct cmb_stuck {
  cmb_evaluator *ev;
  int count; /* number of functions of friction that sticks */
  /* number of independent motions that friction holds, in the tangent space last restricted */
  int held;
  int *function;             /* (ns) indices of the held functions */
  double *s, *s_rest;        /* (ns) values, with and without a unit velocity */
  double *lambda;            /* (ng) scratch */
  double *unit, *f, *g;      /* (nv) scratch */
  double *force;             /* (ns x nv) f_k */
  double *S, *R;             /* (ns x nv) ∂s/∂v, and in free motions */
  double *Q, *H, *turned;    /* (nv x nv) basis of free motions, held motions, scratch */
  double *A, *theta, *scale; /* (ns x ns), (ns), (ns) equations for the shares θ */
  double *work;
  int *order, *pivot; /* (ns) */
} cmb_stuck;

/* Allocates memory from `arena`; the caller detects a failure by cmb_arena_failed. No function is held yet. */
void cmb_stuck_create(cmb_stuck *x, cmb_arena *arena, cmb_evaluator *ev);

/* Finds the switching functions of friction that are 0 at (t, q, v): this friction sticks. λ (ng) may be arbitrary if they do not depend
 * on it. */
cmb_status cmb_stuck_find(cmb_stuck *x, double t, const double *q, const double *v,
                          const double *lambda);

/* Removes the motions that sticking friction holds from the basis of a tangent space at (t, q); v (nv) are velocities 0 and the
 * first-order states. Sets x->held. */
cmb_status cmb_stuck_restrict(cmb_stuck *x, cmb_tangent *tangent, double t, const double *q,
                              const double *v, const double *lambda);

/* Checks that friction can hold the motions against the forces `unbalanced` (nv), in the evaluator's modes; fails with a message
 * otherwise. Then adds the friction forces to `unbalanced`. */
cmb_status cmb_stuck_check(cmb_stuck *x, const cmb_tangent *tangent, double t, const double *q,
                           const double *v, double *unbalanced);

/* Fails with a message if any friction sticks at (t, q, v). `what` names the computation that takes no account of that. */
cmb_status cmb_refuse_stuck(cmb_evaluator *ev, cmb_arena *arena, double t, const double *q,
                            const double *v, const double *lambda, const char *what);

#endif
