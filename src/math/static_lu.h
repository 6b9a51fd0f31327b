/*
 * Factors of a sparse matrix with a symmetric pattern, in an order that is found once (ordering.h), without a search for pivots:
 * for matrices whose pivots have known signs, as KKT matrices have. Private to math.
 *
 *     K = [ M   Bᵀ ]      P K Pᵀ = L D U,   L and Uᵀ with unit diagonals,   B = G: U = Lᵀ
 *         [ G   0  ]
 *
 * The rows of M come with positive pivots. A row of G has as its pivot −(what is left of its length², in the metric of M⁻¹, when
 * the parts along the rows before it are taken out): over the length² that is sin² of the angle between them. So pivots tell how
 * near the rows are to being dependent. A multiple of the length² can be added to them: K with −shift·length² in its last block
 * is never singular.
 *
 * All memory is taken when the object is created; factoring and solving cost what the entries of L cost.
 */
#ifndef CMB_MATH_STATIC_LU_H
#define CMB_MATH_STATIC_LU_H

#include "base/arena.h"
#include "math/pattern.h"

#include <stdbool.h>

typedef struct cmb_static_lu {
  int n, first_dual;       /* rows from first_dual on belong to G */
  int *place;              /* (n) where in the order an unknown is; all else is in that order */
  int *unknown;            /* (n) the other way round */
  int *a_start, *a_column; /* (n + 1), (a_start[n]) the matrix left of its diagonal, by rows */
  double *a_low,
      *a_up; /* (a_start[n]) its values, and those above the diagonal; symmetric: a_low only */
  double *a_diagonal;      /* (n) */
  int *start, *row;        /* (n + 1), (start[n]) L by columns */
  int *row_start, *column; /* (n + 1), (start[n]) the same by rows: the columns */
  bool *dual;              /* (n) a row of G */
} cmb_static_lu;

/* One set of factors of such a matrix. */
typedef struct cmb_static_factors {
  const cmb_static_lu *lu;
  bool symmetric;
  double *L, *U;        /* (start[n]); U unused if symmetric */
  double *d_inv;        /* (n) 1/pivot; 0: left out */
  double *length2;      /* (n) of a row of G: its length² as above */
  double least;         /* the smallest |pivot|/length² of rows of G, at most 1 */
  int weakest;          /* the unknown (as given) it belongs to, -1: there is none */
  int *filled;          /* (n) scratch: how much of a column is there */
  double *w, *u;        /* (n) scratch */
  double *b, *x, *rest; /* (n) scratch of solving */
} cmb_static_factors;

/* The pattern is symmetric. CMB_ERROR_MEMORY comes with words. */
cmb_status cmb_static_lu_create(cmb_context *ctx, cmb_arena *arena, const cmb_pattern *pattern,
                                int first_dual, cmb_static_lu *lu);

/* Memory for factors; a failure is left to the arena. */
void cmb_static_factors_take(cmb_arena *arena, const cmb_static_lu *lu, bool symmetric,
                             cmb_static_factors *f);

/* Where the entry of this row and column, with row != column, is to be written. */
double *cmb_static_lu_entry(cmb_static_lu *lu, int row, int column);

/* Factor the values. Lengths² count at least `least_length2` (n, by unknowns; NULL: 0), the pivots of rows of G get shift·length²
 * more. CMB_RETRY_MASS: a pivot that should be positive is not. A pivot of G up to `zero`·length² leaves its row out, which gives
 * CMB_RETRY_SINGULAR. */
cmb_status cmb_static_factor(cmb_static_factors *f, const double *least_length2, double shift,
                             double zero);

/* x := K⁻¹ b, with so many steps of iterative refinement (for K as it is, without shift). x may be b. */
void cmb_static_solve(cmb_static_factors *f, int refinements, const double *b, double *x);

#endif
