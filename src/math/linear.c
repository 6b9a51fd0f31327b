/*
 * A square matrix with its LU factors (linear.h): P A = L U by dense.h, or by KLU (sparse_lu.h) for a pattern with many unknowns. With fewer
 * unknowns the values on a pattern are copied to a dense matrix.
 *
 * KLU stores columns, a pattern rows: `place` contains the index in the other storage of each value. KLU divides every row by the sum of
 * its absolute values, to which dense.h compares pivots, so that a pivot can be compared with rounding, n eps.
 */
#include "math/linear.h"

#include "base/arena.h"
#include "base/context.h"
#include "math/dense.h"
#include "math/finite.h"
#include "math/pattern.h"
#include "math/sparse_lu.h"

#include <float.h>
#include <string.h>

struct cmb_linear {
  cmb_context *ctx;
  cmb_arena *arena;
  const cmb_pattern *pattern; /* NULL: dense */
  int n;
  int parts;      /* doubles in a number: 1 real, 2 complex */
  int stored;     /* numbers in `values` */
  double *values; /* the matrix as the user writes it */
  int *place;     /* (stored) with a pattern: index of each value in LU or sparse.value */
  /* (n x n) dense matrix and factors; the same array as `values` if there is no pattern */
  double *LU;
  double *scale;        /* (n) scratch */
  int *pivot;           /* (n) */
  cmb_sparse_lu sparse; /* used instead for large patterns */
};

/* Returns whether the matrix is factored by the sparse solver KLU: it has a sparsity pattern and is large enough. */
static bool is_sparse(const cmb_linear *lin)
{
  return lin->pattern && lin->n >= CMB_LINEAR_SPARSE_FROM;
}

/* ---- creation */

static void take_arrays(cmb_linear *lin)
{
  const int n = lin->n;
  lin->values = cmb_arena_doubles(lin->arena, lin->parts * lin->stored);
  if (lin->pattern) lin->place = cmb_arena_ints(lin->arena, lin->stored);
  if (is_sparse(lin)) {
    cmb_sparse_lu_take(lin->arena, n, lin->stored, lin->parts == 2, &lin->sparse);
    lin->sparse.common.scale = 1; /* by the sum of absolute values of each row, as cmb_lu_factor */
    /* least size of a diagonal pivot relative to its column: larger than KLU's, as there is no iterative refinement */
    lin->sparse.common.tol = 0.1;
    return;
  }
  lin->LU = lin->pattern ? cmb_arena_doubles(lin->arena, lin->parts * n * n) : lin->values;
  lin->scale = cmb_arena_doubles(lin->arena, n);
  lin->pivot = cmb_arena_ints(lin->arena, n);
}

/* Computes in lin->place, for each value on the sparsity pattern, its index in the array that is factored: the dense matrix or KLU's array
 * by columns. */
static void locate_values(cmb_linear *lin)
{
  const cmb_pattern *p = lin->pattern;
  const bool sparse = is_sparse(lin);
  for (int k = 0; sparse && k < lin->stored; k++) cmb_sparse_lu_count(&lin->sparse, p->column[k]);
  if (sparse) cmb_sparse_lu_open(&lin->sparse);
  for (int i = 0; i < lin->n; i++) {
    for (int k = p->start[i]; k < p->start[i + 1]; k++) {
      lin->place[k] =
          sparse ? cmb_sparse_lu_place(&lin->sparse, i, p->column[k]) : i * lin->n + p->column[k];
    }
  }
  if (sparse) cmb_sparse_lu_close(&lin->sparse);
}

cmb_status cmb_linear_create(cmb_context *ctx, int n, const cmb_pattern *pattern, bool is_complex,
                             cmb_linear **linear)
{
  *linear = NULL;
  cmb_arena *arena = cmb_arena_create(ctx);
  cmb_linear *lin = arena ? cmb_arena_take(arena, 1, sizeof *lin) : NULL;
  if (lin) {
    lin->ctx = ctx;
    lin->arena = arena;
    lin->pattern = pattern;
    lin->n = n;
    lin->parts = is_complex ? 2 : 1;
    lin->stored = cmb_pattern_values(pattern, n, n);
    take_arrays(lin);
  }
  if (!lin || cmb_arena_failed(arena)) {
    cmb_arena_destroy(arena);
    return cmb_fail_memory(ctx);
  }
  if (pattern) locate_values(lin);
  *linear = lin;
  return CMB_OK;
}

void cmb_linear_destroy(cmb_linear *lin)
{
  if (!lin) return;
  if (is_sparse(lin)) cmb_sparse_lu_release(&lin->sparse);
  cmb_arena_destroy(lin->arena);
}

double *cmb_linear_values(cmb_linear *lin)
{
  return lin->values;
}

/* ---- factors */

/* Copies the values on the sparsity pattern, real or complex, to the array that is factored, dense or KLU's; entries of a dense array that
 * are not on the pattern remain unchanged. */
static void copy_values(const cmb_linear *lin, double *to)
{
  for (int k = 0; k < lin->stored; k++) {
    for (int part = 0; part < lin->parts; part++) {
      to[lin->parts * lin->place[k] + part] = lin->values[lin->parts * k + part];
    }
  }
}

/* Factorises a sparse matrix by KLU. Returns CMB_RETRY_NONFINITE if a value is not finite, CMB_RETRY_SINGULAR if a pivot is missing or too
 * small, CMB_ERROR_MEMORY if out of memory. */
static cmb_status factor_sparse(cmb_linear *lin)
{
  if (!cmb_all_finite(lin->parts * lin->stored, lin->values)) return CMB_RETRY_NONFINITE;
  copy_values(lin, lin->sparse.value);
  cmb_status status = cmb_sparse_lu_factor(&lin->sparse, lin->n * DBL_EPSILON);
  return status == CMB_ERROR_MEMORY ? cmb_fail_memory(lin->ctx) : status;
}

cmb_status cmb_linear_factor(cmb_linear *lin)
{
  const int n = lin->n;
  if (is_sparse(lin)) return factor_sparse(lin);
  if (lin->pattern) {
    memset(lin->LU, 0, (size_t)lin->parts * (size_t)n * (size_t)n * sizeof(double));
    copy_values(lin, lin->LU);
  }
  return lin->parts == 1 ? cmb_lu_factor(n, lin->LU, lin->scale, lin->pivot)
                         : cmb_lu_factor_complex(n, lin->LU, lin->scale, lin->pivot);
}

void cmb_linear_solve(cmb_linear *lin, double *b)
{
  if (is_sparse(lin)) {
    cmb_sparse_lu_solve(&lin->sparse, b);
  } else if (lin->parts == 1) {
    cmb_lu_solve(lin->n, lin->LU, lin->pivot, b);
  } else {
    cmb_lu_solve_complex(lin->n, lin->LU, lin->pivot, b);
  }
}
