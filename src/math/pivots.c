/*
 * Computes the pivots of a matrix in a fixed order (pivots.h).
 */
#include "math/pivots.h"

#include "base/context.h"

#include <math.h>
#include <string.h>

static const double ZERO = 1e-9; /* a pivot this small relative to its row counts as zero */
/* a pivot that has shrunk or grown by this factor: choose others */
static const double POOR = 0.05;

/* Prepares the computation of pivots for a large sparse constraint Jacobian G: creates a sparse KKT matrix [I Gᵀ; G 0], with the identity
 * in place of the mass matrix. Its pivots in the rows of G are those of −G Gᵀ. */
static cmb_status create_sparse(cmb_context *ctx, cmb_arena *arena, cmb_pivots *p)
{
  const cmb_kkt_shape shape = {p->columns, p->rows, true, NULL, p->pattern};
  p->pivot = cmb_arena_doubles(arena, p->rows);
  p->G_reference = cmb_arena_doubles(arena, p->pattern->start[p->rows]);
  double *one = cmb_arena_doubles(arena, p->columns);
  if (cmb_arena_failed(arena)) return cmb_fail_memory(ctx);
  for (int i = 0; i < p->columns; i++) one[i] = 1;
  CMB_TRY(cmb_kkt_sparse_create(ctx, arena, &shape, &p->sparse));
  return cmb_kkt_sparse_mass(p->sparse, one);
}

static void create_dense(cmb_arena *arena, cmb_pivots *p)
{
  const size_t rows = (size_t)p->rows, columns = (size_t)p->columns;
  p->row = cmb_arena_ints(arena, p->rows);
  p->column = cmb_arena_ints(arena, p->rows);
  p->place = cmb_arena_take(arena, rows * rows, sizeof *p->place);
  p->scale = cmb_arena_doubles(arena, p->rows);
  p->A = cmb_arena_take(arena, rows * (rows > columns ? rows : columns), sizeof(double));
}

cmb_status cmb_pivots_create(cmb_context *ctx, cmb_arena *arena, int rows, int columns,
                             const cmb_pattern *pattern, cmb_pivots *p)
{
  const bool large = pattern && rows > 0 && rows + columns >= CMB_KKT_SPARSE_FROM;
  *p = (cmb_pivots){.rows = rows, .columns = columns, .pattern = pattern};
  p->reference = cmb_arena_doubles(arena, rows);
  if (!large) create_dense(arena, p);
  if (large) CMB_TRY(create_sparse(ctx, arena, p));
  return cmb_arena_failed(arena) ? cmb_fail_memory(ctx) : CMB_OK;
}

/* ---- choice */

/* Copies the constraint Jacobian G, which is stored dense or only with its entries on the sparsity pattern p->pattern, to the dense array
 * p->A (rows x columns). */
static void copy_G(cmb_pivots *p, const double *G)
{
  const cmb_pattern *s = p->pattern;
  const size_t size = (size_t)p->rows * (size_t)p->columns * sizeof *G;
  if (!s) memcpy(p->A, G, size);
  if (s) memset(p->A, 0, size);
  for (int i = 0; s && i < p->rows; i++) {
    for (int k = s->start[i]; k < s->start[i + 1]; k++) {
      p->A[i * p->columns + s->column[k]] = G[k];
    }
  }
}

/* Eliminates one column of p->A from all rows that follow the k-th pivot row in the order of pivots (Gaussian elimination). */
static void eliminate(cmb_pivots *p, int k, int column)
{
  const int n = p->columns;
  const double *a = p->A + p->row[k] * n;
  for (int m = k + 1; m < p->rows; m++) {
    double *b = p->A + p->row[m] * n, factor = b[column] / a[column];
    for (int j = 0; factor != 0 && j < n; j++) b[j] -= factor * a[j];
  }
}

static void swap(int *a, int *b)
{
  int t = *a;
  *a = *b;
  *b = t;
}

/* Finds the largest entry of p->A in the rows that follow the first k pivot rows, in absolute value relative to the originally largest
 * entry of its row. Returns its relative value, and its position in *row, an index into p->row, and *column. Returns 0 if all entries are
 * 0. */
static double largest(const cmb_pivots *p, int k, int *row, int *column)
{
  double most = 0;
  for (int m = k; m < p->rows; m++) {
    const double *a = p->A + p->row[m] * p->columns;
    for (int j = 0; j < p->columns; j++) {
      double size = fabs(a[j]) * p->scale[p->row[m]];
      if (size > most) most = size, *row = m, *column = j;
    }
  }
  return most;
}

/* Returns the index at which entry (row, column) of the constraint Jacobian is stored, or −1 if the entry is not on the sparsity
 * pattern. */
static int index_of(const cmb_pivots *p, int row, int column)
{
  const cmb_pattern *s = p->pattern;
  if (!s) return row * p->columns + column;
  for (int k = s->start[row]; k < s->start[row + 1]; k++) {
    if (s->column[k] == column) return k;
  }
  return -1;
}

/* Chooses the pivots of the constraint Jacobian G by Gaussian elimination with complete pivoting. Stores their values, their rows and
 * columns and their number p->rank, and where the entries in these rows and columns are stored in G. */
static void choose(cmb_pivots *p, const double *G)
{
  const int n = p->columns;
  copy_G(p, G);
  for (int i = 0; i < p->rows; i++) {
    double most = 0;
    for (int j = 0; j < n; j++) most = fmax(most, fabs(p->A[i * n + j]));
    p->row[i] = i;
    p->scale[i] = most > 0 ? 1 / most : 0;
  }
  for (p->rank = 0; p->rank < p->rows; p->rank++) {
    int k = p->rank, row = k, column = 0;
    if (!(largest(p, k, &row, &column) > ZERO)) break;
    swap(&p->row[k], &p->row[row]);
    p->column[k] = column;
    p->reference[k] = p->A[p->row[k] * n + column];
    eliminate(p, k, column);
  }
  for (int i = 0; i < p->rank; i++) {
    for (int k = 0; k < p->rank; k++) {
      p->place[i * p->rank + k] = index_of(p, p->row[i], p->column[k]);
    }
  }
}

/* Computes the pivots of −G Gᵀ for the constraint Jacobian G in the static elimination order of a large system, and keeps them and G as the
 * reference. Sets p->rank to the number of rows, or to 0 if the factorisation fails, for example because a pivot is too small. */
static void choose_sparse(cmb_pivots *p, const double *G)
{
  memcpy(p->G_reference, G, (size_t)p->pattern->start[p->rows] * sizeof *G);
  p->rank = 0;
  if (cmb_kkt_sparse_factor(p->sparse, G, G, ZERO * ZERO) != CMB_OK) return;
  cmb_kkt_sparse_pivots(p->sparse, p->reference);
  p->rank = p->rows;
}

void cmb_pivots_choose(cmb_pivots *p, const double *G)
{
  if (p->sparse) choose_sparse(p, G);
  if (!p->sparse) choose(p, G);
}

/* ---- reuse */

/* Returns whether the k-th pivot has another sign than when the pivots were chosen, or is 0 or NaN. Sets *poor if its size has changed so
 * much since then that other pivots should be chosen. */
static inline bool has_sign_changed(const cmb_pivots *p, int k, double pivot, bool *poor)
{
  const double reference = p->reference[k];
  *poor = *poor || !(fabs(pivot) > POOR * fabs(reference) && POOR * fabs(pivot) < fabs(reference));
  return !(pivot * reference > 0);
}

/* Computes the pivots of the constraint Jacobian G (stored entries) in the rows, columns and order chosen for an earlier G. Returns true at the
 * first pivot whose sign differs from that for the earlier G (or that is 0 or NaN), since G may have lost rank in between; else false. Sets
 * *poor to true if the size of a pivot has changed so much that the pivots should be chosen anew. */
static bool have_signs_changed(cmb_pivots *p, const double *G, bool *poor)
{
  const int n = p->rank;
  double *A = p->A;
  for (int i = 0; i < n * n; i++) A[i] = p->place[i] < 0 ? 0 : G[p->place[i]];
  for (int k = 0; k < n; k++) {
    const double *a = A + k * n;
    if (has_sign_changed(p, k, a[k], poor)) return true;
    for (int m = k + 1; m < n; m++) {
      double *b = A + m * n, factor = b[k] / a[k];
      for (int j = k + 1; factor != 0 && j < n; j++) b[j] -= factor * a[j];
    }
  }
  return false;
}

/* Computes the two pivots of a dense constraint Jacobian G of rank 2 in the rows, columns and order chosen for an earlier G. Returns whether
 * one differs in sign (or is 0 or NaN). Sets *poor to true if the size of a pivot has changed so much that the pivots should be chosen anew.
 * Without loops, which would cost more than the arithmetic for the smallest closed loop of bodies. */
static bool have_two_signs_changed(const cmb_pivots *p, const double *G, bool *poor)
{
  const int *place = p->place;
  const double first = G[place[0]], second = G[place[3]] - G[place[2]] * G[place[1]] / first;
  return has_sign_changed(p, 0, first, poor) || has_sign_changed(p, 1, second, poor);
}

/* Computes the pivots of −G G₀ᵀ in the static elimination order of a large system, where G₀ is the earlier constraint Jacobian for which
 * the pivots were chosen. Returns whether the sign of a pivot differs from that for G₀; true also if one is 0. Sets *poor to
 * true if the size of a pivot has changed so much that the pivots should be chosen anew. */
static bool have_signs_changed_sparse(cmb_pivots *p, const double *G, bool *poor)
{
  bool changed = false;
  if (cmb_kkt_sparse_factor(p->sparse, G, p->G_reference, 0) == CMB_RETRY_NONFINITE) return true;
  cmb_kkt_sparse_pivots(p->sparse, p->pivot);
  for (int k = 0; k < p->rank && !changed; k++) changed = has_sign_changed(p, k, p->pivot[k], poor);
  return changed;
}

bool cmb_pivots_have_turned(cmb_pivots *p, const double *G, bool *poor)
{
  if (p->sparse) return have_signs_changed_sparse(p, G, poor);
  return p->rank == 2 && !p->pattern ? have_two_signs_changed(p, G, poor)
                                     : have_signs_changed(p, G, poor);
}
