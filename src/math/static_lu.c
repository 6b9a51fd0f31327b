/*
 * Sparse factorisation without a search for pivots (static_lu.h), row by row: with y the k-th row of L D, z the k-th column of D U,
 *
 *     y_j = a_kj − Σ_{m<j} y_m u_mj,   z_j = a_jk − Σ_{m<j} l_jm z_m,   l_kj = y_j/d_j, u_jk = z_j/d_j,   d_k = a_kk − Σ l_kj z_j
 *
 * as in Davis 2005 (LDL) for the symmetric case.
 */
#include "math/static_lu.h"

#include "base/context.h"
#include "math/ordering.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* ---- analysis */

/* Lists, row by row in the elimination order, the columns of the matrix entries to the left of the diagonal in lu->a_column, with row
 * starts in lu->a_start. */
static void index_entries(cmb_static_lu *lu, const cmb_pattern *p)
{
  for (int k = 0; k < lu->n; k++) {
    const int i = lu->unknown[k];
    int at = lu->a_start[k];
    for (int m = p->start[i]; m < p->start[i + 1]; m++) {
      const int column = lu->place[p->column[m]];
      if (column < k) lu->a_column[at++] = column;
    }
    lu->a_start[k + 1] = at;
  }
}

/* Builds the sparsity pattern of the factor L by columns (lu->start, lu->row) with ascending rows, and by rows (lu->row_start,
 * lu->column) with ascending columns. column[i] lists the count[i] unknowns that are neighbours of unknown i when it is eliminated; end
 * (n) is scratch. */
static void index_factors(cmb_static_lu *lu, int *const *column, const int *count, int *end)
{
  const int n = lu->n, *order = lu->unknown;
  for (int k = 0; k < n; k++) {
    const int *members = column[order[k]];
    lu->start[k + 1] = lu->start[k] + count[order[k]];
    for (int m = 0; m < count[order[k]]; m++) lu->row_start[lu->place[members[m]] + 1]++;
  }
  for (int k = 0; k < n; k++) lu->row_start[k + 1] += lu->row_start[k];
  memcpy(end, lu->row_start, (size_t)n * sizeof *end);
  for (int k = 0; k < n; k++) {
    for (int m = 0; m < count[order[k]]; m++) {
      lu->column[end[lu->place[column[order[k]][m]]]++] = k;
    }
  }
  memcpy(end, lu->start, (size_t)n * sizeof *end);
  for (int i = 0; i < n; i++) {
    for (int m = lu->row_start[i]; m < lu->row_start[i + 1]; m++) lu->row[end[lu->column[m]]++] = i;
  }
}

/* Computes the elimination order of a sparse matrix with the given pattern, and the sparsity patterns of the matrix and of its factor L in
 * this order; stores them in lu. Allocates the results in `arena` and scratch in `work`. Returns false if out of memory. */
static bool analyze(cmb_arena *arena, cmb_arena *work, const cmb_pattern *pattern,
                    cmb_static_lu *lu)
{
  const int n = lu->n;
  int *count = cmb_arena_ints(work, n), *end = cmb_arena_ints(work, n), entries = 0;
  int **column = cmb_arena_take(work, (size_t)n, sizeof *column);
  if (cmb_arena_failed(work)) return false;
  if (!cmb_minimum_degree(work, pattern, lu->first_dual, lu->unknown, column, count)) return false;
  for (int k = 0; k < n; k++) entries += count[k];
  lu->start = cmb_arena_ints(arena, n + 1);
  lu->row_start = cmb_arena_ints(arena, n + 1);
  lu->row = cmb_arena_ints(arena, entries);
  lu->column = cmb_arena_ints(arena, entries);
  if (cmb_arena_failed(arena)) return false;
  for (int k = 0; k < n; k++) {
    lu->place[lu->unknown[k]] = k;
    lu->dual[k] = lu->unknown[k] >= lu->first_dual;
  }
  index_entries(lu, pattern);
  index_factors(lu, column, count, end);
  return true;
}

cmb_status cmb_static_lu_create(cmb_context *ctx, cmb_arena *arena, const cmb_pattern *pattern,
                                int first_dual, cmb_static_lu *lu)
{
  const int n = pattern->rows, entries = pattern->start[n];
  cmb_arena *work = cmb_arena_create(ctx);
  *lu = (cmb_static_lu){.n = n, .first_dual = first_dual};
  lu->place = cmb_arena_ints(arena, n);
  lu->unknown = cmb_arena_ints(arena, n);
  lu->dual = cmb_arena_take(arena, (size_t)n, sizeof *lu->dual);
  lu->a_start = cmb_arena_ints(arena, n + 1);
  lu->a_column = cmb_arena_ints(arena, entries / 2 + 1);
  lu->a_low = cmb_arena_doubles(arena, entries / 2 + 1);
  lu->a_up = cmb_arena_doubles(arena, entries / 2 + 1);
  lu->a_diagonal = cmb_arena_doubles(arena, n);
  const bool done = work && !cmb_arena_failed(arena) && analyze(arena, work, pattern, lu);
  cmb_arena_destroy(work);
  return done ? CMB_OK : cmb_fail_memory(ctx);
}

void cmb_static_factors_take(cmb_arena *arena, const cmb_static_lu *lu, bool symmetric,
                             cmb_static_factors *f)
{
  const int entries = lu->start[lu->n];
  *f = (cmb_static_factors){.lu = lu, .symmetric = symmetric};
  f->L = cmb_arena_doubles(arena, entries);
  if (!symmetric) f->U = cmb_arena_doubles(arena, entries);
  f->d_inv = cmb_arena_doubles(arena, lu->n);
  f->length2 = cmb_arena_doubles(arena, lu->n);
  f->filled = cmb_arena_ints(arena, lu->n);
  f->w = cmb_arena_doubles(arena, lu->n);
  f->u = cmb_arena_doubles(arena, lu->n);
  f->b = cmb_arena_doubles(arena, lu->n);
  f->x = cmb_arena_doubles(arena, lu->n);
  f->rest = cmb_arena_doubles(arena, lu->n);
}

double *cmb_static_lu_entry(cmb_static_lu *lu, int row, int column)
{
  const int i = lu->place[row], j = lu->place[column], last = i > j ? i : j, first = i + j - last;
  for (int k = lu->a_start[last]; k < lu->a_start[last + 1]; k++) {
    if (lu->a_column[k] == first) return i > j ? &lu->a_low[k] : &lu->a_up[k];
  }
  return NULL;
}

/* ---- factors */

/* Sums over a row of L D while it is computed: the pivot, from which each entry's contribution is subtracted, and, for a row of G and of B,
 * the squared length, the contributions of the rows of M. */
struct row {
  double pivot, length2, length2_up;
};

/* Computes row k of L in the sparse factorisation L D Lᵀ of the KKT matrix, and subtracts the contributions of all previous rows from the
 * pivot, r->pivot. Adds those of the rows of the mass matrix M also to r->length2, which for a constraint with the gradient g becomes about
 * the squared length g M⁻¹ gᵀ, to which the pivot is compared. r->length2_up, for unsymmetric matrices, becomes the same. */
static void eliminate_symmetric(cmb_static_factors *f, int k, struct row *r)
{
  const cmb_static_lu *lu = f->lu;
  double *w = f->w;
  for (int m = lu->a_start[k]; m < lu->a_start[k + 1]; m++) w[lu->a_column[m]] = lu->a_low[m];
  for (int m = lu->row_start[k]; m < lu->row_start[k + 1]; m++) {
    const int j = lu->column[m], end = lu->start[j] + f->filled[j]++;
    const double y = w[j], l = y * f->d_inv[j];
    w[j] = 0;
    for (int p = lu->start[j]; p < end; p++) w[lu->row[p]] -= f->L[p] * y;
    f->L[end] = l;
    r->pivot -= l * y;
    if (!lu->dual[j]) r->length2 += l * y;
  }
  r->length2_up = r->length2;
}

/* Computes row k of L and column k of U in the sparse factorisation L D U of an unsymmetric KKT matrix, and subtracts the contributions of all
 * previous rows from the pivot, r->pivot. Adds those of the rows of the mass matrix also to the squared lengths, r->length2 and r->length2_up,
 * of the constraint's two rows, those of G (velocity constraints) and B (constraint forces Bᵀ λ), to which the pivot is compared. */
static void eliminate_unsymmetric(cmb_static_factors *f, int k, struct row *r)
{
  const cmb_static_lu *lu = f->lu;
  double *w = f->w, *u = f->u;
  for (int m = lu->a_start[k]; m < lu->a_start[k + 1]; m++) {
    w[lu->a_column[m]] = lu->a_low[m];
    u[lu->a_column[m]] = lu->a_up[m];
  }
  for (int m = lu->row_start[k]; m < lu->row_start[k + 1]; m++) {
    const int j = lu->column[m], end = lu->start[j] + f->filled[j]++;
    const double y = w[j], z = u[j];
    w[j] = u[j] = 0;
    for (int p = lu->start[j]; p < end; p++) {
      w[lu->row[p]] -= y * f->U[p];
      u[lu->row[p]] -= f->L[p] * z;
    }
    f->L[end] = y * f->d_inv[j];
    f->U[end] = z * f->d_inv[j];
    r->pivot -= f->L[end] * z;
    if (lu->dual[j]) continue;
    r->length2 += f->L[end] * y;
    r->length2_up += f->U[end] * z;
  }
}

/* Stores the inverse of the shifted pivot of row k, a constraint's row of a KKT matrix: the pivot minus shift · length², where length² is the
 * product of the lengths of the constraint's rows of both matrices or, if that is larger, `usual`; it is stored in f->length2[k]. Updates the
 * smallest |pivot|/length² of all constraints, before the shift. Returns CMB_RETRY_SINGULAR, with 0 as the inverse, if the shifted pivot is at
 * most zero · length² in absolute value. */
static cmb_status invert_dual_pivot(cmb_static_factors *f, int k, const struct row *r, double usual,
                                    double shift, double zero)
{
  const double length2 = fmax(sqrt(fabs(r->length2) * fabs(r->length2_up)), usual);
  const double part = length2 > 0 ? fabs(r->pivot) / length2 : 0;
  f->length2[k] = length2;
  if (!(part >= f->least)) f->least = part, f->weakest = f->lu->unknown[k];
  const double pivot = r->pivot - shift * length2;
  const bool out = !(fabs(pivot) > zero * length2);
  f->d_inv[k] = out ? 0 : 1 / pivot;
  return out ? CMB_RETRY_SINGULAR : CMB_OK;
}

cmb_status cmb_static_factor(cmb_static_factors *f, const double *least_length2, double shift,
                             double zero)
{
  const cmb_static_lu *lu = f->lu;
  cmb_status status = CMB_OK;
  f->least = 1;
  f->weakest = -1;
  memset(f->filled, 0, (size_t)lu->n * sizeof *f->filled);
  memset(f->w, 0, (size_t)lu->n * sizeof *f->w); /* may contain values after a failure */
  memset(f->u, 0, (size_t)lu->n * sizeof *f->u);
  for (int k = 0; k < lu->n; k++) {
    struct row r = {.pivot = lu->a_diagonal[k]};
    if (f->symmetric) eliminate_symmetric(f, k, &r);
    if (!f->symmetric) eliminate_unsymmetric(f, k, &r);
    if (!isfinite(r.pivot)) return CMB_RETRY_NONFINITE;
    if (lu->dual[k]) {
      if (invert_dual_pivot(f, k, &r, least_length2 ? least_length2[lu->unknown[k]] : 0, shift,
                            zero) != CMB_OK) {
        status = CMB_RETRY_SINGULAR;
      }
    } else if (r.pivot > lu->n * DBL_EPSILON * lu->a_diagonal[k]) {
      f->d_inv[k] = 1 / r.pivot;
    } else {
      return CMB_RETRY_MASS;
    }
  }
  return status;
}

/* ---- solve */

/* Computes x := (L D U)⁻¹ x in place by forward and back substitution with the sparse factors; x is in the elimination order. */
static void substitute(const cmb_static_factors *f, double *x)
{
  const cmb_static_lu *lu = f->lu;
  const double *U = f->symmetric ? f->L : f->U;
  for (int j = 0; j < lu->n; j++) {
    const double xj = x[j];
    for (int p = lu->start[j]; p < lu->start[j + 1]; p++) x[lu->row[p]] -= f->L[p] * xj;
  }
  for (int j = lu->n - 1; j >= 0; j--) {
    double sum = x[j] * f->d_inv[j];
    for (int p = lu->start[j]; p < lu->start[j + 1]; p++) sum -= U[p] * x[lu->row[p]];
    x[j] = sum;
  }
}

/* Computes the residual f->rest := b − K x of the linear system K x = b, with b in f->b and x in f->x, for iterative refinement. */
static void residual(cmb_static_factors *f)
{
  const cmb_static_lu *lu = f->lu;
  const double *up = f->symmetric ? lu->a_low : lu->a_up, *x = f->x;
  double *rest = f->rest;
  for (int k = 0; k < lu->n; k++) rest[k] = f->b[k] - lu->a_diagonal[k] * x[k];
  for (int k = 0; k < lu->n; k++) {
    double sum = 0;
    for (int m = lu->a_start[k]; m < lu->a_start[k + 1]; m++) {
      sum += lu->a_low[m] * x[lu->a_column[m]];
      rest[lu->a_column[m]] -= up[m] * x[k];
    }
    rest[k] -= sum;
  }
}

void cmb_static_solve(cmb_static_factors *f, int refinements, const double *b, double *x)
{
  const cmb_static_lu *lu = f->lu;
  const int n = lu->n;
  for (int k = 0; k < n; k++) f->x[k] = f->b[k] = b[lu->unknown[k]];
  substitute(f, f->x);
  for (int pass = 0; pass < refinements; pass++) {
    residual(f);
    substitute(f, f->rest);
    for (int k = 0; k < n; k++) f->x[k] += f->rest[k];
  }
  for (int k = 0; k < n; k++) x[lu->unknown[k]] = f->x[k];
}
