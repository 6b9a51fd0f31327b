/*
 * The Schur complement S = G M⁻¹ Bᵀ (n x n) of the KKT matrix: factored with complete pivoting and a test of its rank. Private to math.
 *
 * The caller fills S, and for B ≠ G the squared lengths of the rows of G and B in the metric of M⁻¹ (for B = G they are the diagonal of S).
 * In units in which all these lengths are 1 the entries of S are cosines, and a pivot for B = G is sin² of the angle between one gradient
 * and the span of those eliminated before. `least_pivot` is in these units.
 */
#ifndef CMB_MATH_KKT_SCHUR_H
#define CMB_MATH_KKT_SCHUR_H

#include "base/arena.h"

typedef struct cmb_schur {
  int n;
  bool symmetric;    /* which of the two factorisations is present */
  double *S;         /* (n x n) input, both triangles; overwritten in the unsymmetric case */
  double *L;         /* (n x n) symmetric: unit L, rows in S's order, columns in pivot order */
  double *G_length2; /* (n) input if unsymmetric: g_i M⁻¹ g_iᵀ */
  double *B_length2; /* (n) input if unsymmetric: b_j M⁻¹ b_jᵀ */
  /* (n) a gradient whose squared length is not above this counts as dependent; initially 0 */
  double *least_length2;
  double *d_inv;     /* (n) symmetric: 1/d of the pivots, in pivot order */
  double *rest;      /* (n) symmetric: diagonal of what remains to be eliminated, in S's order */
  double *unit;      /* (n) symmetric: 1/s_ii. Unsymmetric: the rows' scale factors */
  double *unit_B;    /* (n) unsymmetric: the columns' scale factors */
  int *row, *column; /* (n) which row and column of S the k-th pivot came from */
  double *z;         /* (n) scratch of solve */
} cmb_schur;

/* Takes its arrays from the arena; the caller checks whether the arena has failed. */
void cmb_schur_create(cmb_arena *arena, int n, cmb_schur *schur);

/* Factorise S. Return CMB_RETRY_SINGULAR, with *dependent set to a row that depends on the others, if a pivot is not above least_pivot or a
 * length is too small; CMB_RETRY_NONFINITE if a length is not finite. */
cmb_status cmb_schur_factor_symmetric(cmb_schur *schur, double least_pivot, int *dependent);
cmb_status cmb_schur_factor_unsymmetric(cmb_schur *schur, double least_pivot, int *dependent);

/* Solves y := S⁻¹ b; y may be b. */
void cmb_schur_solve(cmb_schur *schur, const double *b, double *y);

#endif
