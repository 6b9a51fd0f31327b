/*
 * Dry friction that sticks (dae.h, `switch_sticks`) where nothing moves, for those who know nothing of slides.
 *
 * At rest each such function s_k(v), linear in v, that is 0 holds what it switches with: motions with ∂s_k/∂v w = 0 are free. With the free
 * motions N of the tangent space (tangent.h), split into those that are held and those that are left, N = (N_h, N_f), and the forces
 * f_k of its bound,
 *
 *     0 = N_hᵀ (f + Σ θ_k f_k),   |θ_k| ≤ 1:   friction can hold where it is;   N_fᵀ f_k = 0: it acts along what it switches with.
 */
#ifndef CMB_SYSTEM_STUCK_H
#define CMB_SYSTEM_STUCK_H

#include "system/tangent.h"

typedef struct cmb_stuck {
  cmb_evaluator *ev;
  int count;                 /* of functions that are held */
  int held;                  /* of motions that they hold, in the tangent space last restricted */
  int *function;             /* (ns) which functions */
  double *s, *s_rest;        /* (ns) */
  double *lambda;            /* (ng) scratch */
  double *unit, *f, *g;      /* (nv) */
  double *force;             /* (ns x nv) f_k */
  double *S, *R;             /* (ns x nv) ∂s/∂v, and in free motions */
  double *Q, *H, *turned;    /* (nv x nv) */
  double *A, *theta, *scale; /* (ns x ns), (ns), (ns) */
  double *work;
  int *order, *pivot; /* (ns) */
} cmb_stuck;

/* Memory from `arena`; a failure is left to it. No function is held yet. */
void cmb_stuck_create(cmb_stuck *x, cmb_arena *arena, cmb_evaluator *ev);

/* Those that are 0 at (t, q, v) are held from now on. λ (ng) may be anything where they do not read it. */
cmb_status cmb_stuck_find(cmb_stuck *x, double t, const double *q, const double *v,
                          const double *lambda);

/* The free motions of the tangent space at (t, q), v at rest, without those that are held. */
cmb_status cmb_stuck_restrict(cmb_stuck *x, cmb_tangent *tangent, double t, const double *q,
                              const double *v, const double *lambda);

/* Whether friction can hold them against what is `left` (nv) of f there, in the evaluator's modes; else the words. Then `left` is what
 * friction leaves of it. */
cmb_status cmb_stuck_check(cmb_stuck *x, const cmb_tangent *tangent, double t, const double *q,
                           const double *v, double *left);

/* An error in words if any friction sticks at (t, q, v): `what` takes no account of that. */
cmb_status cmb_refuse_stuck(cmb_evaluator *ev, cmb_arena *arena, double t, const double *q,
                            const double *v, const double *lambda, const char *what);

#endif
