/*
 * Builds straight-line code (expressions) that solves bounded linear complementarity problems with the same operations whatever the numbers
 * are. Used for dry friction that sticks, in steps of fixed cost (method/grip.c).
 *
 *     w = w₀ − P x,   −1 ≤ x ≤ 1,   w_i ≥ 0 where x_i = 1,   w_i ≤ 0 where x_i = −1,   w_i = 0 in between
 *
 * Each unknown is at one of its bounds or in between (its state). A round of block principal pivoting solves for those in between, and
 * changes the state of all with wrong signs (Júdice and Pires 1994); where their number has not decreased in three rounds, only that of the
 * last one (Murty 1974). There are n + 4 rounds for n unknowns that depend on each other, 3 for a single one. In the middle of the rounds,
 * where signs are still wrong, they restart from the result of CMB_COMPLEMENT_SWEEPS Gauss–Seidel sweeps with values clamped to the bounds;
 * and where the last round has wrong signs, the solution is that of the sweeps: x is within the bounds in any case, up to a small
 * tolerance, and `settled` is 1 if it comes from a round without wrong signs.
 *
 * P has a positive diagonal where x_i matters, and its symmetric part is positive semidefinite in suitable units. Unknowns with the same
 * effect (P singular) share it: the rounds use a diagonal that is larger by a factor of 1 + 1e-8, and cmb_complement_correct removes the
 * error this leaves in w.
 */
#ifndef CMB_EXPR_COMPLEMENT_H
#define CMB_EXPR_COMPLEMENT_H

#include "expr/elimination.h"

enum { CMB_COMPLEMENT_MOST = 16, CMB_COMPLEMENT_SWEEPS = 8 };

/* A bounded linear complementarity problem with n unknowns: first the given expressions, then the solution. */
typedef struct cmb_complement {
  cmb_graph *g;
  cmb_arena *arena;
  int n;
  const cmb_expr *P;  /* (n x n) */
  const cmb_expr *w0; /* (n) */
  /* (n) the sum of the absolute values of the terms that were added up to P_ii */
  const cmb_expr *whole;
  const cmb_expr *noise; /* (n) a bound of |w_i| up to which it may be rounding error */
  /* (n) the state at the beginning: −1 or 1 (at a bound) or 0 (in between) */
  const cmb_expr *first;

  cmb_expr *x;      /* (n) */
  cmb_expr *at;     /* (n) the state of the solution: −1 or 1 at a bound, 0 in between */
  cmb_expr *slack;  /* (n) a bound of |w_i| up to which it counts as 0 */
  cmb_expr settled; /* 1; or 0 where x is the result of the sweeps */

  /* internal */
  /* (n) number of the independent part (set of coupled unknowns) to which the unknown belongs: the smallest index in it */
  int *part;
  cmb_expr *K; /* (n x n) P with a larger diagonal */
  /* (n) factors of the last round's matrix of the part with this number; NULL: there is no such part */
  cmb_elimination **factors;
} cmb_complement;

/* Splits the unknowns into independent parts (sets of coupled unknowns, by the entries of P that are not the constant 0), and sets *most to
 * the size of the largest one. Returns CMB_ERROR_MEMORY if out of memory, which is taken from c->arena, as below. */
cmb_status cmb_complement_parts(cmb_complement *c, int *most);

/* Builds the expressions of the solution: c->x, c->at and c->settled, and allocates the arrays. cmb_complement_parts has to be
 * called first. */
cmb_status cmb_complement_solve(cmb_complement *c);

/* Builds a correction dx[n] of those x that are between their bounds, which makes w[n], evaluated at x, zero there up to the regularisation
 * of K. dx is 0 for unknowns at a bound, and everywhere if `settled` is 0. Where P is so nearly singular that the larger diagonal makes a difference,
 * x + dx may be beyond a bound by that difference. */
cmb_status cmb_complement_correct(const cmb_complement *c, const cmb_expr *w, cmb_expr *dx);

#endif
