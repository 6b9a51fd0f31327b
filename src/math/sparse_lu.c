/*
 * Sparse LU factorisation by calls of KLU (sparse_lu.h).
 *
 * Arrays come from the arena. KLU allocates its memory through the functions in SuiteSparse_config, which belong to the whole process: a
 * library must not change them, so this memory does not come from the context's allocator.
 */
#include "math/sparse_lu.h"

#include <math.h>

void cmb_sparse_lu_take(cmb_arena *arena, int n, int entries, bool is_complex, cmb_sparse_lu *lu)
{
  lu->n = n;
  lu->is_complex = is_complex;
  lu->start = cmb_arena_ints(arena, n + 1);
  lu->row = cmb_arena_ints(arena, entries);
  lu->value = cmb_arena_doubles(arena, is_complex ? 2 * entries : entries);
  klu_defaults(&lu->common);
  lu->common.scale = -1;
  /* no block triangular form: mechanisms are connected; AMD gives less fill-in for the whole, symmetric pattern */
  lu->common.btf = 0;
}

/* ---- the pattern */

/* Counts an entry of a column, in the first of two passes over the entries of a sparse matrix. */
void cmb_sparse_lu_count(cmb_sparse_lu *lu, int column)
{
  lu->start[column + 1]++;
}

void cmb_sparse_lu_open(cmb_sparse_lu *lu)
{
  for (int c = 0; c < lu->n; c++) lu->start[c + 1] += lu->start[c];
}

/* Stores an entry of the sparsity pattern, in the second pass over the entries, and returns its index in the array of values. In this pass
 * start[c] is the index of the next entry of column c. */
int cmb_sparse_lu_place(cmb_sparse_lu *lu, int row, int column)
{
  int at = lu->start[column]++;
  lu->row[at] = row;
  return at;
}

void cmb_sparse_lu_close(cmb_sparse_lu *lu)
{
  for (int c = lu->n; c > 0; c--) lu->start[c] = lu->start[c - 1];
  lu->start[0] = 0;
}

void cmb_sparse_lu_release(cmb_sparse_lu *lu)
{
  klu_free_numeric(&lu->numeric, &lu->common); /* valid also for complex factors */
  klu_free_symbolic(&lu->symbolic, &lu->common);
}

/* ---- analysis */

/* Returns whether each column of the sparse matrix has a stored entry on the diagonal whose value is not 0 (for complex matrices: whose
 * real part is not 0). */
static bool has_diagonal(const cmb_sparse_lu *lu)
{
  const int parts = lu->is_complex ? 2 : 1;
  for (int c = 0; c < lu->n; c++) {
    int k = lu->start[c];
    while (k < lu->start[c + 1] && lu->row[k] != c) k++;
    if (k == lu->start[c + 1] || lu->value[parts * k] == 0) return false;
  }
  return true;
}

/* Chooses the elimination order from the pattern and the first values: AMD, which gives the least fill-in, if all pivots are on the diagonal.
 * In a KKT matrix the constraints have no pivots there, and with the order of AMD the factors of a long chain would get many times as many
 * entries; so COLAMD is used, which is suitable for any pivots. Returns false if the analysis fails, in practice if out of memory. */
static bool analyze(cmb_sparse_lu *lu)
{
  enum { AMD = 0, COLAMD = 1 };
  lu->common.ordering = has_diagonal(lu) ? AMD : COLAMD;
  lu->symbolic = klu_analyze(lu->n, lu->start, lu->row, &lu->common);
  return lu->symbolic;
}

/* ---- factors */

/* Returns whether all pivots of the LU factors are larger than `least` in absolute value (|re| + |im| for complex pivots). */
static bool pivots_above(const cmb_sparse_lu *lu, double least)
{
  const double *pivot = lu->numeric->Udiag;
  for (int i = 0; i < lu->n; i++) {
    double size = lu->is_complex ? fabs(pivot[2 * i]) + fabs(pivot[2 * i + 1]) : fabs(pivot[i]);
    if (!(size > least)) return false;
  }
  return true;
}

/* Factorises the present values with the pivots of the previous factors. Returns false if there are no previous factors or the result is
 * not accurate enough: a pivot is too small, or entries grow by more than 1e6, which costs 6 of 16 digits. (linear.c has the first choice
 * of pivots limit the entries of L to 10.) */
static bool refactor(cmb_sparse_lu *lu, double least_pivot)
{
  const double least_growth = 1e-6;
  if (!lu->numeric) return false;
  int done = (lu->is_complex ? klu_z_refactor : klu_refactor)(
      lu->start, lu->row, lu->value, lu->symbolic, lu->numeric, &lu->common);
  if (!done || lu->common.status != KLU_OK) return false;
  (lu->is_complex ? klu_z_rgrowth : klu_rgrowth)(lu->start, lu->row, lu->value, lu->symbolic,
                                                 lu->numeric, &lu->common);
  return lu->common.rgrowth >= least_growth && pivots_above(lu, least_pivot);
}

cmb_status cmb_sparse_lu_factor(cmb_sparse_lu *lu, double least_pivot)
{
  if (!lu->symbolic && !analyze(lu)) return CMB_ERROR_MEMORY;
  if (refactor(lu, least_pivot)) return CMB_OK;
  klu_free_numeric(&lu->numeric, &lu->common);
  lu->numeric = (lu->is_complex ? klu_z_factor : klu_factor)(lu->start, lu->row, lu->value,
                                                             lu->symbolic, &lu->common);
  const int status = lu->common.status;
  if (status == KLU_OK) return pivots_above(lu, least_pivot) ? CMB_OK : CMB_RETRY_SINGULAR;
  klu_free_numeric(&lu->numeric, &lu->common); /* incomplete factors */
  return status == KLU_SINGULAR ? CMB_RETRY_SINGULAR : CMB_ERROR_MEMORY;
}

void cmb_sparse_lu_solve(cmb_sparse_lu *lu, double *b)
{
  (lu->is_complex ? klu_z_solve : klu_solve)(lu->symbolic, lu->numeric, lu->n, 1, b, &lu->common);
}
