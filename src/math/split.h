/*
 * A matrix split into its row space, its null vectors and what is regular between them. If its rows are either clearly
 * independent or clearly dependent, that is all that least squares need, and bounds on all singular values show it. Otherwise the
 * singular values come from the split matrix, at a third of the cost. Private to math.
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
  double least;               /* no singular value is below it; 0: not as large as asked for */
} cmb_split;

/* A (rows x columns) and T (rows x rows) are the caller's; the others are from the arena, whose failure the caller looks at. */
void cmb_split_create(cmb_arena *arena, int rows, int columns, double *A, double *T, cmb_split *s);

/* Factor what is in A, rows of about unit length. `rank` rows are longer than rounding, each beside the ones before it. True: their
 * singular values are all above `doubt`. False: that is not certain. The other singular values are below `rounding`. A is
 * overwritten. */
bool cmb_split_factor(cmb_split *s, double rounding, double doubt);

/* z (columns) := the vector nearest to z with the least |A z + b|, b (rows); and y (rows) of the least length with Aᵀ y = the change
 * of −z. */
void cmb_split_solve(cmb_split *s, const double *b, double *z, double *y);

/* What the row space leaves of the longest of the other rows: the other singular values are below √rows times this. */
double cmb_split_rest(const cmb_split *s);

/* The singular values, as cmb_orthogonal_rows has them, of the matrix that was factored: A (rows x columns), J (rows x rows), sigma
 * (rows). Those below `rounding` have no right vectors. */
void cmb_split_values(const cmb_split *s, double *A, double *J, double *sigma);

/* Null vector k < rows − rank of length 1: nᵀ A = 0. */
void cmb_split_null(const cmb_split *s, int k, double *n);

#endif
