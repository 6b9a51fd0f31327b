/*
 * Basic solutions: of z ≥ 0 with A z = r, where A = W N Wᵀ is symmetric and positive semidefinite, one whose unknowns other than 0
 * belong to independent rows of W. There always is one (the theorem of Carathéodory); it has the same A z, and so the same r.
 *
 * The rows W_k and what they do, N W_kᵀ, are given, and not only A: the square of a small angle between rows is lost in A.
 */
#ifndef CMB_MATH_BASIC_H
#define CMB_MATH_BASIC_H

#include "base/arena.h"

typedef struct cmb_basic {
  int most, width, count;
  int *member;   /* (count) rows that are in, independent */
  double *W, *P; /* (most x width) these, orthonormal in the metric of N, and what they do */
  double *L;     /* (most x most) row i of W was Σ_k L_ik of the orthonormal ones, k ≤ i */
  double *c;     /* (most) a row beside these: its parts */
} cmb_basic;

/* Rows of `width` entries. */
typedef struct cmb_basic_rows {
  int n;
  const double *const *row, *const *response; /* (n) W_k and N W_kᵀ */
} cmb_basic_rows;

/* Memory from `arena`; a failure is left to it. */
void cmb_basic_create(cmb_basic *p, cmb_arena *arena, int most, int width);

/* From z (n) to a basic solution, in place, and which rows are independent then, in (n): those whose z is not 0, and of `more` (n)
 * as many as can be added. Where there is a choice rows in `first` (n) are taken. */
void cmb_basic_find(cmb_basic *p, const cmb_basic_rows *rows, const bool *first, const bool *more,
                    double *z, bool *in);

#endif
