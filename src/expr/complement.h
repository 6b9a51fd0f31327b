/*
 * Linear complementarity problems with bounds as straight-line code: the same operations whatever the numbers are.
 *
 *     w = w₀ − P x,   −1 ≤ x ≤ 1,   w_i ≥ 0 where x_i = 1,   w_i ≤ 0 where x_i = −1,   w_i = 0 in between
 *
 * Each unknown is at one of its bounds or in between. In a round those in between are solved for, and all with wrong signs are exchanged
 * (Júdice and Pires 1994); where that has not made them fewer three times, only the last one is (Murty 1974). There are n + 4 rounds for n
 * unknowns that depend on each other, 3 for a single one. In their middle, where signs are wrong still, they go on from where
 * CMB_COMPLEMENT_SWEEPS sweeps of Gauss and Seidel lead, with values cut to the bounds; and where the last round has wrong signs, the solution is
 * that of the sweeps: x is within the bounds in any case, and `settled` tells which of both it is.
 *
 * P has a positive diagonal where x_i matters, and its symmetric part is positive semidefinite in suitable units. Unknowns that do the same
 * (P singular) share it: the diagonal is larger by a part of 1e-8 in the rounds, and cmb_complement_correct takes out what that leaves of w.
 */
#ifndef CMB_EXPR_COMPLEMENT_H
#define CMB_EXPR_COMPLEMENT_H

#include "expr/elimination.h"

enum { CMB_COMPLEMENT_MOST = 16, CMB_COMPLEMENT_SWEEPS = 8 };

/* n unknowns; what is given may be any expressions. */
typedef struct cmb_complement {
  cmb_graph *g;
  cmb_arena *arena;
  int n;
  const cmb_expr *P;     /* (n x n) */
  const cmb_expr *w0;    /* (n) */
  const cmb_expr *whole; /* (n) the sum of the sizes of what P_ii was added up from */
  const cmb_expr *noise; /* (n) a w that may be rounding */
  const cmb_expr *first; /* (n) where to begin: −1, 0 (in between) or 1 */

  cmb_expr *x;      /* (n) */
  cmb_expr *at;     /* (n) −1, 0 or 1: where it is */
  cmb_expr *slack;  /* (n) a w that counts as 0 */
  cmb_expr settled; /* 1, or 0: x is what the sweeps have left */

  /* of its own */
  int *part;   /* (n) the first unknown that this one depends on, through others too */
  cmb_expr *K; /* (n x n) P with its larger diagonal */
  cmb_elimination **factors; /* (n) of the part that begins with this unknown; NULL: none does */
} cmb_complement;

/* How many unknowns at most depend on each other. Memory from the arena, here and below: CMB_ERROR_MEMORY. */
cmb_status cmb_complement_parts(cmb_complement *c, int *most);

/* x, `at` and `settled`; cmb_complement_parts comes first. */
cmb_status cmb_complement_solve(cmb_complement *c);

/* dx (n) by which x in between has to change to make w (n), found with x, vanish there; 0 for others, and where nothing has settled. */
cmb_status cmb_complement_correct(const cmb_complement *c, const cmb_expr *w, cmb_expr *dx);

#endif
