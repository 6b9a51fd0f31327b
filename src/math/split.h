/*
 * Complete orthogonal decomposition of a matrix: separates its row space and null vectors. If its rows are either clearly independent or
 * clearly dependent, this suffices for least-squares solutions, as bounds on all singular values show. Otherwise the singular values are
 * computed from the decomposition, at a third of the cost. Private to math.
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
  int *order[2];              /* (rows) permutations of the rows of A, and of T */
  double *beta[2], *first[2]; /* (rows) of the reflectors, see cmb_reduce_rows */
  double *b;                  /* (rows) scratch */
  double least; /* lower bound of the singular values; 0: it is not above the requested one */
} cmb_split;

/* Creates a decomposition. The caller provides A (rows x columns) and T (rows x rows); other arrays are from the arena, whose failure the
 * caller checks. */
void cmb_split_create(cmb_arena *arena, int rows, int columns, double *A, double *T, cmb_split *s);

/* Decomposes the matrix in A, which has rows of about unit length; A is overwritten. `rank` is the number of rows that are longer than
 * rounding errors when their components along the chosen rows before them are removed. Returns true if their singular values are all
 * certainly above `doubt`. The other singular values are below `rounding`. */
bool cmb_split_factor(cmb_split *s, double rounding, double doubt);

/* Replaces z (columns) by the nearest vector with the least |A z + b|, b (rows); and computes the y (rows) of the least length for which
 * Aᵀ y is the previous z minus the new one. */
void cmb_split_solve(cmb_split *s, const double *b, double *z, double *y);

/* Returns the length of the longest other row after removing its components in the row space: the other singular values are below √rows
 * times this. */
double cmb_split_rest(const cmb_split *s);

/* Computes the singular values of the matrix that was decomposed, in the same form as cmb_orthogonal_rows: A (rows x columns), J (rows x
 * rows), sigma (rows). Those below `rounding` have no right vectors, and sigma is cmb_split_rest there. */
void cmb_split_values(const cmb_split *s, double *A, double *J, double *sigma);

/* Computes null vector k < rows − rank, of length 1: nᵀ A = 0. */
void cmb_split_null(const cmb_split *s, int k, double *n);

#endif
