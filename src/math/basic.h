/*
 * Computes basic solutions: given z ≥ 0 with A z = r, where A = W N Wᵀ is symmetric and positive semidefinite, finds another solution whose
 * nonzero unknowns belong to linearly independent rows of W. One always exists (Carathéodory's theorem). Used to choose one set of contact
 * forces where they are not unique.
 *
 * The rows W_k and their products N W_kᵀ are given, and not only A, because the squared sine of a small angle between two rows is lost in
 * the rounding of A.
 */
#ifndef CMB_MATH_BASIC_H
#define CMB_MATH_BASIC_H

#include "base/arena.h"

typedef struct cmb_basic {
  int most, width, count;
  int *member; /* (count) indices of the independent rows found so far */
  /* (most x width) these rows made orthonormal in the metric of N, and N times them */
  double *W, *P;
  /* (most x most) lower triangular: member i is W_i = Σ_k L_ik (orthonormal row k), k ≤ i */
  double *L;
  double *c; /* (most) coefficients of a row with respect to these rows */
} cmb_basic;

/* The given rows, each with `width` entries. */
typedef struct cmb_basic_rows {
  int n;
  const double *const *row, *const *response; /* (n) W_k and N W_kᵀ */
} cmb_basic_rows;

/* Takes memory for `most` rows of `width` entries from `arena`; the caller checks whether the arena has failed. */
void cmb_basic_create(cmb_basic *p, cmb_arena *arena, int most, int width);

/* Changes z (n) to a basic solution of the same A z. Sets in[k] for a set of independent rows: all with z_k ≠ 0, and as many of those
 * with more[k] as can be added. Where there is a choice, the rows with first[k] are preferred. */
void cmb_basic_find(cmb_basic *p, const cmb_basic_rows *rows, const bool *first, const bool *more,
                    double *z, bool *in);

#endif
