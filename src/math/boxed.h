/*
 * Linear complementarity problems with bounds:
 *
 *     w = A x + b,   0 ≤ x ≤ u,   w_i ≥ 0 where x_i = 0,   w_i ≤ 0 where x_i = u_i > 0,   w_i = 0 in between.
 *
 * u_i may be infinite. A has a positive diagonal. If it is D₁ S D₂, D₁ and D₂ diagonal and positive, S symmetric and positive definite,
 * there is one solution (Cottle, Pang and Stone 1992, §3.3), found by exchanging all unknowns with wrong signs, or, where that does not
 * make them fewer, the last one only (Júdice and Pires 1994). Of other matrices all solutions are sought, if there are not too many unknowns.
 */
#ifndef CMB_MATH_BOXED_H
#define CMB_MATH_BOXED_H

#include "base/arena.h"

enum { CMB_MOST_SEARCHED = 8 }; /* unknowns of a problem with any matrix */

typedef struct cmb_boxed {
  int most;      /* unknowns at the most */
  int *at;       /* (most) -1: x = 0, 1: x = u, 0: in between */
  int *pivot;    /* (most) */
  int *stack;    /* (most) */
  double *K, *y; /* (most x most), (most) equations of the unknowns in between */
  double *scale; /* (most) */
  double *x, *w; /* (most) */
  double *found; /* (most) a solution */
  double *d;     /* (most) the diagonal that makes A D symmetric */
  bool *known;   /* (most) of d */
} cmb_boxed;

/* Memory from `arena`; a failure is left to it. */
void cmb_boxed_create(cmb_boxed *p, cmb_arena *arena, int most);

/* x (n); *several: it is one of several. CMB_RETRY_SINGULAR: there is none; CMB_RETRY_NEWTON: none was found, or A is such that there may be
 * several and there are too many unknowns to look for them; CMB_RETRY_NONFINITE: an entry is not finite. */
cmb_status cmb_boxed_solve(cmb_boxed *p, int n, const double *A, const double *b, const double *u,
                           double *x, bool *several);

#endif
