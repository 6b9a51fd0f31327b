/*
 * A matrix whose rows are either clearly independent or clearly dependent, split into its row space, its null vectors and what
 * is regular between them: least squares without singular values. Private to math.
 *
 * Singular values tell of each direction how weak it is, and cost some ten times as much. Where none of them is in doubt, that
 * is not asked for: bounds on all of them show it.
 */
#ifndef CMB_MATH_SPLIT_H
#define CMB_MATH_SPLIT_H

#include "base/arena.h"

#include <stdbool.h>

typedef struct cmb_split {
  int rows, columns;
  int rank;
  double *A;                  /* (rows x columns) R and reflectors of the row space */
  double *T;                  /* (rank x rows) T and reflectors of the column space */
  int *order[2];              /* (rows) of the rows of A, and of T */
  double *beta[2], *first[2]; /* (rows) of the reflectors, see cmb_reduce_rows */
  double *b;                  /* (rows) scratch */
} cmb_split;

/* A (rows x columns) and T (rows x rows) are the caller's; the others are from the arena, whose failure the caller looks at. */
void cmb_split_create(cmb_arena *arena, int rows, int columns, double *A, double *T, cmb_split *s);

/* Factor what is in A, rows of about unit length. True: `rank` singular values are above `doubt`, and the others are below `rounding`.
 * False: that is not certain, and there are no factors. A is overwritten. */
bool cmb_split_factor(cmb_split *s, double rounding, double doubt);

/* z (columns) := the vector nearest to z with the least |A z + b|, b (rows); and y (rows) of the least length with Aᵀ y = the change
 * of −z. */
void cmb_split_solve(cmb_split *s, const double *b, double *z, double *y);

/* Null vector k < rows − rank of length 1: nᵀ A = 0. */
void cmb_split_null(const cmb_split *s, int k, double *n);

#endif
