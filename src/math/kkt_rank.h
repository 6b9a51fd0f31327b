/*
 * The KKT system in the sense of least squares, for constraints that depend on each other. Private to math.
 *
 *     x nearest to M⁻¹ r in the metric of M among those with the least |N (G x + s)|,   y of the least length |N⁻¹ y|,
 *
 * N = diag(1/max(length of the gradient, its reference)) in the metric of M⁻¹: units do not matter. It is as exact as the singular
 * values themselves, where a Schur complement only has their squares.
 *
 * Which rows are dependent is one rule: a singular value up to a limit counts as 0. Its cost is sixty times that of the Schur
 * complement; so in large systems bounds on all singular values come first (split.h), and only where they leave one in doubt are the
 * values worked out.
 */
#ifndef CMB_MATH_KKT_RANK_H
#define CMB_MATH_KKT_RANK_H

#include "base/arena.h"
#include "math/split.h"

typedef struct cmb_kkt_rank {
  int nv, ng;
  int rank;          /* of the factors held */
  bool symmetric;    /* B = G */
  double *reference; /* (ng) lengths of gradients as they usually are; 0: not known */
  double *unit_G;    /* (ng) N */
  double *unit_B;    /* (ng) the same for B */
  double *A,
      *A_B;  /* (ng x nv) unit gradients of G and B; symmetric: A with its rows made orthogonal */
  double *S; /* (ng x ng) unsymmetric: (A A_Bᵀ)ᵀ with its rows made orthogonal */
  double *J; /* (ng x ng) the rotation that made them so */
  double
      *sigma; /* (ng) their lengths, descending: the singular values; if is_split: 1, or rounding */
  bool is_split;   /* symmetric: no singular value is in doubt, and `split` has the factors */
  cmb_split split; /* with A_B and S; of J only the null vectors are there */
  double *z;       /* (nv) scratch */
  double *b, *c;   /* (ng) scratch */
} cmb_kkt_rank;

/* Takes its arrays from the arena, whose failure the caller looks at. */
void cmb_kkt_rank_create(cmb_arena *arena, int nv, int ng, cmb_kkt_rank *rank);

/* Which singular values there are. */
typedef struct cmb_kkt_rank_limits {
  double zero;     /* the largest sin² that counts as 0 */
  double rounding; /* the largest singular value that rounding makes of one that is 0 */
  double
      doubt; /* singular values that are certainly above this need not be known; INFINITY: all are wanted */
} cmb_kkt_rank_limits;

/* Factor. G, B: rows L⁻¹ gᵀ with M = L D Lᵀ; B == G: symmetric. */
void cmb_kkt_rank_factor(cmb_kkt_rank *rank, const double *D_inv, const double *G, const double *B,
                         const cmb_kkt_rank_limits *limits);

/* z: D^½ Lᵀ x, in: of the solution without constraints; out: with them. s, y as in cmb_kkt_solve. Singular values up to `cut`
 * are left out, beyond those that count as 0. */
void cmb_kkt_rank_solve(cmb_kkt_rank *rank, double cut, const double *s, double *z, double *y);

/* The rows of G that depend on the rows before them, in ascending order: list (ng) and how many. Rows that come last (ng) are behind all
 * others; NULL: none. */
void cmb_kkt_rank_redundant(cmb_kkt_rank *rank, const double *D_inv, const double *G, double least,
                            const bool *last, int *list, int *count);

#endif
