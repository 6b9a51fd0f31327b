/*
 * A sparse matrix by columns with its factors by KLU (Davis and Palamadai Natarajan 2010), real or
 * complex; complex numbers are (re, im), one after the other. Private to math.
 *
 * The pattern is analysed and pivots are chosen at the first factorisation; they are kept as long as they
 * serve well (klu_refactor). How a matrix gets there: take, count every entry, open, place every entry,
 * close; then write `value` and factor, again and again.
 */
#ifndef CMB_MATH_SPARSE_LU_H
#define CMB_MATH_SPARSE_LU_H

#include "base/arena.h"

#include <stdbool.h>
#include <suitesparse/klu.h>

typedef struct cmb_sparse_lu {
  int n;
  bool is_complex;
  int *start, *row;       /* (n + 1), (start[n]) */
  double *value;          /* (start[n]) numbers, real or complex */
  klu_symbolic *symbolic; /* KLU's, as the next */
  klu_numeric *numeric;   /* NULL: pivots have not been chosen */
  klu_common common;      /* KLU's options may be changed before the first factorisation */
} cmb_sparse_lu;

/* Arrays from the arena, options: rows are not scaled, the matrix is not split into blocks. */
void cmb_sparse_lu_take(cmb_arena *arena, int n, int entries, bool is_complex, cmb_sparse_lu *lu);

/* The pattern. Entries must be placed by ascending rows; place returns where in `value` the entry is. */
void cmb_sparse_lu_count(cmb_sparse_lu *lu, int column);
void cmb_sparse_lu_open(cmb_sparse_lu *lu);
int cmb_sparse_lu_place(cmb_sparse_lu *lu, int row, int column);
void cmb_sparse_lu_close(cmb_sparse_lu *lu);

/* Gives back what KLU took, also after a failure. */
void cmb_sparse_lu_release(cmb_sparse_lu *lu);

/* CMB_RETRY_SINGULAR: a pivot is missing or, with pivots chosen for these values, not above least_pivot;
 * CMB_ERROR_MEMORY, without words: KLU had none. All values must be finite: the search for pivots passes over a NaN. */
cmb_status cmb_sparse_lu_factor(cmb_sparse_lu *lu, double least_pivot);

void cmb_sparse_lu_solve(cmb_sparse_lu *lu, double *b); /* b := A⁻¹ b */

#endif
