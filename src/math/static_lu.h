/*
 * Factorisation of a sparse matrix with a symmetric pattern, in an order that is computed once (ordering.h), without a search for pivots:
 * for matrices whose pivots have known signs, such as KKT matrices. Private to math.
 *
 *     K = [ M   Bᵀ ]      P K Pᵀ = L D U,   L and Uᵀ with unit diagonals,   B = G: U = Lᵀ
 *         [ G   0  ]
 *
 * The rows of M have positive pivots. The pivot of a row of G is −length² of the component, in the metric of M⁻¹, that is orthogonal to the
 * rows before it; divided by the length² of the row it is sin² of the angle between them. So pivots show how near the rows are to being
 * dependent. A multiple of the length² can be subtracted from them: K with −shift·length² in its last block is never singular.
 *
 * All memory is allocated when the object is created; the cost of factoring and solving grows with the entries of L.
 */
#ifndef CMB_MATH_STATIC_LU_H
#define CMB_MATH_STATIC_LU_H

#include "base/arena.h"
#include "math/pattern.h"

#include <stdbool.h>

typedef struct cmb_static_lu {
  int n, first_dual; /* rows from first_dual on are those of G */
  /* (n) position of each unknown in the order of elimination, in which everything else is stored */
  int *place;
  int *unknown; /* (n) the inverse permutation */
  /* (n + 1), (a_start[n]) the entries of the matrix left of the diagonal, by rows */
  int *a_start, *a_column;
  /* (a_start[n]) their values, and those of the mirror entries above the diagonal; symmetric: a_low only */
  double *a_low, *a_up;
  double *a_diagonal;      /* (n) */
  int *start, *row;        /* (n + 1), (start[n]) L by columns */
  int *row_start, *column; /* (n + 1), (start[n]) L by rows: the columns */
  bool *dual;              /* (n) whether it is a row of G */
} cmb_static_lu;

/* One set of factors of a cmb_static_lu. */
typedef struct cmb_static_factors {
  const cmb_static_lu *lu;
  bool symmetric;
  double *L, *U;        /* (start[n]); U unused if symmetric */
  double *d_inv;        /* (n) 1/pivot; 0: the row is left out */
  double *length2;      /* (n) of a row of G: the squared length as above */
  double least;         /* the smallest |pivot|/length² of the rows of G, at most 1 */
  int weakest;          /* the unknown, in the caller's numbering, of that row; -1: there is none */
  int *filled;          /* (n) scratch: number of entries already computed in each column */
  double *w, *u;        /* (n) scratch */
  double *b, *x, *rest; /* (n) scratch of the solver */
} cmb_static_factors;

/* Analyses a symmetric pattern and takes memory from the arena. Returns CMB_ERROR_MEMORY, with a message in the context, if that runs
 * out. */
cmb_status cmb_static_lu_create(cmb_context *ctx, cmb_arena *arena, const cmb_pattern *pattern,
                                int first_dual, cmb_static_lu *lu);

/* Takes memory for one set of factors; the caller checks whether the arena has failed. */
void cmb_static_factors_take(cmb_arena *arena, const cmb_static_lu *lu, bool symmetric,
                             cmb_static_factors *f);

/* Returns where the value of the entry (row, column), row != column, has to be written; NULL if the pattern has no such entry. */
double *cmb_static_lu_entry(cmb_static_lu *lu, int row, int column);

/* Factorises the present values. The squared lengths of rows of G count as at least `least_length2` (n, by unknowns; NULL: 0);
 * shift·length² is subtracted from the pivots of rows of G. Returns CMB_RETRY_MASS if a pivot of M is not positive, CMB_RETRY_NONFINITE
 * if one is not finite, and CMB_RETRY_SINGULAR if a pivot of G is at most `zero`·length² in size: its row is then left out. */
cmb_status cmb_static_factor(cmb_static_factors *f, const double *least_length2, double shift,
                             double zero);

/* Solves x := K⁻¹ b, with `refinements` steps of iterative refinement (for K without the shift). x may be b. */
void cmb_static_solve(cmb_static_factors *f, int refinements, const double *b, double *x);

#endif
