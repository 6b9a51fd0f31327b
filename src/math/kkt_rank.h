/*
 * Solves the KKT system in the sense of least squares, for constraints that depend on each other. Private to math.
 *
 *     B = G:   x nearest to M⁻¹ r in the metric of M among those with the least |N (G x + s)|,   y of the least length |N⁻¹ y|
 *     B ≠ G:   x = M⁻¹ (r − Bᵀ y),   y of the least length |N⁻¹ y| among those with the least |N (G x + s)|
 *
 * N = diag(1/max(length of the gradient, its reference)) in the metric of M⁻¹: units do not matter. It is as exact as the singular values
 * themselves, where a Schur complement only contains their squares.
 *
 * Rows are dependent if a singular value up to a limit counts as 0. Singular values cost sixty times as much as the Schur complement; so in
 * large systems bounds on all of them are computed first (split.h), and the values only where the bounds do not suffice.
 */
#ifndef CMB_MATH_KKT_RANK_H
#define CMB_MATH_KKT_RANK_H

#include "base/arena.h"
#include "math/split.h"

typedef struct cmb_kkt_rank {
  int nv, ng;
  int rank;          /* rank of the present factors */
  bool symmetric;    /* B = G */
  double *reference; /* (ng) usual lengths of the gradients; 0: unknown */
  double *unit_G;    /* (ng) diagonal of N */
  double *unit_B;    /* (ng) diagonal of N for B */
  double *A,
      *A_B;  /* (ng x nv) unit gradients of G and B; symmetric: A with its rows made orthogonal */
  double *S; /* (ng x ng) unsymmetric: (A A_Bᵀ)ᵀ with its rows made orthogonal */
  double *J; /* (ng x ng) the orthogonal matrix that made them so */
  /* (ng) their lengths, descending: the singular values; if is_split: 1, a lower bound of the smallest, rounding errors */
  double *sigma;
  bool is_split;   /* symmetric: bounds determine the rank, and `split` has the factors */
  cmb_split split; /* uses A_B and S; J then contains only the null vectors */
  double *z;       /* (nv) scratch */
  double *b, *c;   /* (ng) scratch */
} cmb_kkt_rank;

/* Takes its arrays from the arena; the caller checks whether the arena has failed. */
void cmb_kkt_rank_create(cmb_arena *arena, int nv, int ng, cmb_kkt_rank *rank);

/* Which singular values count as 0, and which are to be computed. */
typedef struct cmb_kkt_rank_limits {
  double zero;     /* the largest sin² that counts as 0 */
  double rounding; /* the largest value that rounding can give to a singular value that is 0 */
  /* singular values that are certainly above this need not be computed; INFINITY: compute all */
  double doubt;
} cmb_kkt_rank_limits;

/* Computes the singular values and the rank. G, B (ng x nv): rows L⁻¹ gᵀ with M = L D Lᵀ; B == G: symmetric. */
void cmb_kkt_rank_factor(cmb_kkt_rank *rank, const double *D_inv, const double *G, const double *B,
                         const cmb_kkt_rank_limits *limits);

/* Corrects z = D^½ Lᵀ x (nv) from the solution without constraints to the one with constraints. s, y as in cmb_kkt_solve. Singular values
 * up to `cut` are left out, in addition to those that count as 0. */
void cmb_kkt_rank_solve(cmb_kkt_rank *rank, double cut, const double *s, double *z, double *y);

/* Finds the rows of G that depend on the rows before them: list (ng), in ascending order, and their number. Rows with last[i] count as
 * after all others; `last` may be NULL. */
void cmb_kkt_rank_redundant(cmb_kkt_rank *rank, const double *D_inv, const double *G, double least,
                            const bool *last, int *list, int *count);

#endif
