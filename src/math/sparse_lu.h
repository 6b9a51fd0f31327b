/*
 * A sparse matrix stored by columns with its factors by KLU (Davis and Palamadai Natarajan 2010), real or complex; complex numbers are pairs
 * (re, im). Private to math.
 *
 * The pattern is analysed and pivots are chosen at the first factorisation; they are kept as long as they are accurate enough
 * (klu_refactor). Order of the calls: take, count every entry, open, place every entry, close; then write `value` and factorise, repeatedly.
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
  klu_symbolic *symbolic; /* data of KLU, as the next two */
  klu_numeric *numeric;   /* NULL: pivots have not been chosen */
  klu_common common;      /* options may be changed before the first factorisation */
} cmb_sparse_lu;

/* Takes the arrays from the arena and sets KLU's options: rows are not scaled, the matrix is not split into blocks. The caller checks
 * whether the arena has failed. */
void cmb_sparse_lu_take(cmb_arena *arena, int n, int entries, bool is_complex, cmb_sparse_lu *lu);

/* Build the pattern, in the order of these calls. Entries must be placed by ascending rows; cmb_sparse_lu_place returns the index of the
 * entry in `value`. */
void cmb_sparse_lu_count(cmb_sparse_lu *lu, int column);
void cmb_sparse_lu_open(cmb_sparse_lu *lu);
int cmb_sparse_lu_place(cmb_sparse_lu *lu, int row, int column);
void cmb_sparse_lu_close(cmb_sparse_lu *lu);

/* Frees the memory of KLU, also after a failure. */
void cmb_sparse_lu_release(cmb_sparse_lu *lu);

/* Factorises the matrix. Returns CMB_RETRY_SINGULAR if a pivot is missing or, with pivots chosen for these values, not above least_pivot;
 * CMB_ERROR_MEMORY, without a message, if KLU has no memory. All values must be finite: KLU's search for pivots ignores a NaN. */
cmb_status cmb_sparse_lu_factor(cmb_sparse_lu *lu, double least_pivot);

void cmb_sparse_lu_solve(cmb_sparse_lu *lu, double *b); /* b := A⁻¹ b */

#endif
