/*
 * Solves linear complementarity problems with bounds (boxed LCPs), used for friction forces:
 *
 *     w = A x + b,   0 ≤ x ≤ u,   w_i ≥ 0 where x_i = 0 < u_i,   w_i ≤ 0 where x_i = u_i > 0,   w_i = 0 in between.
 *
 * u_i may be infinite. A has a positive diagonal. If it is D₁ S D₂, D₁ and D₂ diagonal and positive, S symmetric and positive definite,
 * there is one solution (Cottle, Pang and Stone 1992, §3.3). It is found by exchanging all unknowns with wrong signs, or, where that does
 * not reduce their number, the last one only (Júdice and Pires 1994). For other matrices all solutions are enumerated, if there are not too
 * many unknowns.
 */
#ifndef CMB_MATH_BOXED_H
#define CMB_MATH_BOXED_H

#include "base/arena.h"

enum { CMB_MOST_SEARCHED = 8 }; /* largest number of unknowns for a general matrix */

typedef struct cmb_boxed {
  int most;      /* largest number of unknowns */
  int *state;    /* (most) state of each unknown: -1: x = 0, 1: x = u, 0: free, in between */
  int *pivot;    /* (most) row exchanges of the LU factors */
  int *stack;    /* (most) scratch */
  double *K, *y; /* (most x most), (most) the equations of the free unknowns */
  double *scale; /* (most) scratch */
  double *x, *w; /* (most) */
  double *found; /* (most) the first solution */
  double *d;     /* (most) the diagonal that makes A D symmetric */
  bool *known;   /* (most) whether d is already computed */
} cmb_boxed;

/* Takes memory for problems of up to `most` unknowns from `arena`; the caller checks whether the arena has failed. */
void cmb_boxed_create(cmb_boxed *p, cmb_arena *arena, int most);

/* Computes the solution x (n); *several becomes true if there are solutions that differ in A x. Returns CMB_RETRY_SINGULAR if there is no
 * solution or a diagonal entry of A is not positive, CMB_RETRY_NEWTON if none was found, or if A may have several solutions and n is too
 * large to enumerate them, and CMB_RETRY_NONFINITE if an entry of A or b is not finite. */
cmb_status cmb_boxed_solve(cmb_boxed *p, int n, const double *A, const double *b, const double *u,
                           double *x, bool *several);

#endif
