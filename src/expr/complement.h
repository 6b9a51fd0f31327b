/*
 * Linear complementarity problems with bounds as straight-line code: the same operations whatever the numbers are. Used for dry friction
 * that sticks, in steps of fixed cost (method/grip.c).
 *
 *     w = w₀ − P x,   −1 ≤ x ≤ 1,   w_i ≥ 0 where x_i = 1,   w_i ≤ 0 where x_i = −1,   w_i = 0 in between
 *
 * Each unknown is at one of its bounds or in between. A round solves for those in between, and changes the state of all with wrong signs
 * (Júdice and Pires 1994); where their number has not decreased in three rounds, only that of the last one (Murty 1974). There are n + 4
 * rounds for n unknowns that depend on each other, 3 for a single one. In the middle of the rounds, where signs are still wrong, they
 * restart from the result of CMB_COMPLEMENT_SWEEPS Gauss–Seidel sweeps with values clamped to the bounds; and where the last round has
 * wrong signs, the solution is that of the sweeps: x is within the bounds in any case, and `settled` is 1 if it comes from a round without
 * wrong signs.
 *
 * P has a positive diagonal where x_i matters, and its symmetric part is positive semidefinite in suitable units. Unknowns with the same
 * effect (P singular) share it: the rounds use a diagonal that is larger by a factor of 1 + 1e-8, and cmb_complement_correct removes the
 * error this leaves in w.
 */
#ifndef CMB_EXPR_COMPLEMENT_H
#define CMB_EXPR_COMPLEMENT_H

#include "expr/elimination.h"

enum { CMB_COMPLEMENT_MOST = 16, CMB_COMPLEMENT_SWEEPS = 8 };

/* A problem with n unknowns; the given arrays may contain any expressions. */
typedef struct cmb_complement {
  cmb_graph *g;
  cmb_arena *arena;
  int n;
  const cmb_expr *P;     /* (n x n) */
  const cmb_expr *w0;    /* (n) */
  const cmb_expr *whole; /* (n) the sum of the absolute values of the terms of P_ii */
  const cmb_expr *noise; /* (n) a |w_i| that may be rounding error */
  const cmb_expr *first; /* (n) the state to begin with: −1, 0 (in between) or 1 */

  cmb_expr *x;      /* (n) */
  cmb_expr *at;     /* (n) the state: −1 or 1 at a bound, 0 in between */
  cmb_expr *slack;  /* (n) a |w_i| that counts as 0 */
  cmb_expr settled; /* 1; or 0 where x is the result of the sweeps */

  /* internal */
  /* (n) the smallest index among the unknowns that depend on each other and on this one */
  int *part;
  cmb_expr *K; /* (n x n) P with a larger diagonal */
  /* (n) factors of the part that begins with this unknown; NULL: none does */
  cmb_elimination **factors;
} cmb_complement;

/* Splits the unknowns into parts that do not depend on each other, and sets *most to the size of the largest part. Memory is taken from
 * the arena, here and below: CMB_ERROR_MEMORY. */
cmb_status cmb_complement_parts(cmb_complement *c, int *most);

/* Forms the expressions of the solution: x, `at` and `settled`. cmb_complement_parts has to be called first. */
cmb_status cmb_complement_solve(cmb_complement *c);

/* Forms the correction dx (n) of those x that are in between, which makes w (n), evaluated at x, zero there; dx is 0 for unknowns at a
 * bound, and where nothing has settled. */
cmb_status cmb_complement_correct(const cmb_complement *c, const cmb_expr *w, cmb_expr *dx);

#endif
