/*
 * Gaussian elimination of matrices of expressions in a static order (elimination.h).
 *
 * The next pivot is the one with the fewest entries left in its row and column (minimum degree, on the symmetric pattern), but a row of C
 * can follow only after all x in it: then its pivot is part of −C A⁻¹ Bᵀ, which is definite.
 *
 * Of a symmetric matrix (the same expressions on both sides of the diagonal) only one side is eliminated.
 */
#include "expr/elimination.h"

#include "expr/algebra.h"

#include <string.h>

struct cmb_elimination {
  cmb_graph *g;
  int n, size; /* size = n + m */
  int *order;  /* (size) row and column of the k-th pivot */
  /* (size x size) L below the diagonal, U on and above it; rows and columns in the given order */
  cmb_expr *K;
  cmb_expr *inverse; /* (size) 1/pivot, by row */
  /* (size) the magnitude of the diagonal entry before the elimination; for a row of C, the sum of the terms from pivots of A of which it
   * consists */
  cmb_expr *whole;
};

static cmb_expr *entry(const cmb_elimination *e, int row, int column)
{
  return &e->K[(size_t)row * (size_t)e->size + (size_t)column];
}

/* ---- order of the pivots */

struct ordering {
  int size, n;
  bool *linked; /* (size x size) symmetric pattern with fill-in */
  /* (size) for a row of C the number of unknowns x in it that are not eliminated yet */
  int *waiting;
  bool *done; /* (size) */
};

static bool is_linked(const struct ordering *o, int i, int k)
{
  return o->linked[(size_t)i * (size_t)o->size + (size_t)k];
}

static int degree(const struct ordering *o, int i)
{
  int count = 0;
  for (int k = 0; k < o->size; k++) count += !o->done[k] && k != i && is_linked(o, i, k);
  return count;
}

/* Returns the next pivot of a minimum-degree ordering for a KKT matrix: the remaining row with the fewest other entries in remaining columns. A
 * constraint row may be chosen only when all unknowns x in it have been eliminated. Returns −1 if no row is left. */
static int next_pivot(const struct ordering *o)
{
  int best = -1, least = 0;
  for (int i = 0; i < o->size; i++) {
    if (o->done[i] || o->waiting[i] > 0) continue;
    const int d = degree(o, i);
    if (best < 0 || d < least) best = i, least = d;
  }
  return best;
}

/* Eliminates pivot p from the symmetric sparsity pattern of a KKT matrix: links all remaining rows that were linked to p with each other, which
 * is the fill of the elimination. If p is one of the first n unknowns, decreases waiting[i] by 1 for each constraint row i that contains it. */
static void eliminate_from_pattern(struct ordering *o, const cmb_elimination *e, int p)
{
  o->done[p] = true;
  for (int i = 0; i < o->size; i++) {
    if (o->done[i] || !is_linked(o, p, i)) continue;
    for (int k = 0; k < o->size; k++) {
      if (!o->done[k] && is_linked(o, p, k)) o->linked[(size_t)i * (size_t)o->size + (size_t)k] = 1;
    }
  }
  for (int i = o->n; i < o->size && p < o->n; i++) {
    o->waiting[i] -= *entry(e, i, p) != 0 || *entry(e, p, i) != 0;
  }
}

static bool find_order(cmb_elimination *e, cmb_arena *arena)
{
  const size_t all = (size_t)e->size * (size_t)e->size;
  struct ordering o = {e->size, e->n, cmb_arena_take(arena, all, sizeof *o.linked),
                       cmb_arena_ints(arena, e->size),
                       cmb_arena_take(arena, (size_t)e->size, sizeof *o.done)};
  if (!o.linked || !o.waiting || !o.done) return false;
  for (int i = 0; i < e->size; i++) {
    for (int k = 0; k < e->size; k++) {
      const bool nonzero = *entry(e, i, k) != 0 || *entry(e, k, i) != 0;
      o.linked[(size_t)i * (size_t)e->size + (size_t)k] = nonzero;
      if (i >= e->n && k < e->n) o.waiting[i] += nonzero;
    }
  }
  for (int k = 0; k < e->size; k++) {
    e->order[k] = next_pivot(&o);
    eliminate_from_pattern(&o, e, e->order[k]);
  }
  return true;
}

/* ---- elimination */

/* Returns whether the matrix of expressions is symmetric: entries (i, k) and (k, i) are the same nodes of the graph. */
static bool is_symmetric(const cmb_elimination *e)
{
  for (int i = 0; i < e->size; i++) {
    for (int k = 0; k < i; k++) {
      if (*entry(e, i, k) != *entry(e, k, i)) return false;
    }
  }
  return true;
}

/* Builds one update of the elimination, K_ik := K_ik − l u, when row `pivot` is eliminated. For the diagonal entry of a constraint row (i >= n)
 * and a pivot from the block A, also subtracts l u from e->whole[i], by which the pivot of that row is judged later. */
static void subtract(cmb_elimination *e, int i, int k, int pivot, cmb_expr l, cmb_expr u)
{
  cmb_expr *K = entry(e, i, k), product = cmb_mul(e->g, l, u);
  *K = cmb_sub(e->g, *K, product);
  if (i == k && i >= e->n && pivot < e->n) e->whole[i] = cmb_sub(e->g, e->whole[i], product);
}

static void eliminate_pivot(cmb_elimination *e, int step, bool symmetric)
{
  cmb_graph *g = e->g;
  const int p = e->order[step];
  e->inverse[p] = cmb_div(g, cmb_constant(g, 1), *entry(e, p, p));
  for (int a = step + 1; a < e->size; a++) {
    const int i = e->order[a];
    if (*entry(e, i, p) == 0) continue;
    const cmb_expr l = cmb_mul(g, *entry(e, i, p), e->inverse[p]);
    for (int b = symmetric ? a : step + 1; b < e->size; b++) {
      const int k = e->order[b];
      if (*entry(e, p, k) == 0) continue;
      subtract(e, i, k, p, l, *entry(e, p, k));
      if (symmetric) *entry(e, k, i) = *entry(e, i, k);
    }
    *entry(e, i, p) = l;
  }
}

cmb_elimination *cmb_eliminate(cmb_graph *g, cmb_arena *arena, int n, int m, const cmb_expr *A,
                               const cmb_expr *B, const cmb_expr *C)
{
  cmb_elimination *e = cmb_arena_take(arena, 1, sizeof *e);
  const int size = n + m;
  if (!e) return NULL;
  *e = (cmb_elimination){.g = g, .n = n, .size = size};
  e->order = cmb_arena_ints(arena, size);
  e->K = cmb_arena_take(arena, (size_t)size * (size_t)size, sizeof *e->K);
  e->inverse = cmb_arena_take(arena, (size_t)size, sizeof *e->inverse);
  e->whole = cmb_arena_take(arena, (size_t)size, sizeof *e->whole);
  if (!e->order || !e->K || !e->inverse || !e->whole) return NULL;
  for (int i = 0; i < n; i++) {
    memcpy(entry(e, i, 0), A + (size_t)i * (size_t)n, (size_t)n * sizeof *A);
    const cmb_expr length = cmb_apply(g, CMB_OP_ABS, *entry(e, i, i), 0, 0);
    /* keeps the sign from becoming a switching function */
    e->whole[i] = cmb_apply(g, CMB_OP_SMOOTH, length, 0, 0);
  }
  for (int i = 0; i < m; i++) {
    memcpy(entry(e, n + i, 0), C + (size_t)i * (size_t)n, (size_t)n * sizeof *C);
    for (int k = 0; k < n; k++) *entry(e, k, n + i) = B[(size_t)i * (size_t)n + (size_t)k];
  }
  if (!find_order(e, arena)) return NULL;
  const bool symmetric = is_symmetric(e);
  for (int k = 0; k < size; k++) eliminate_pivot(e, k, symmetric);
  return e;
}

void cmb_elimination_solve(const cmb_elimination *e, cmb_expr *x)
{
  cmb_graph *g = e->g;
  for (int a = 0; a < e->size; a++) {
    const int p = e->order[a];
    for (int b = a + 1; b < e->size && x[p] != 0; b++) {
      const int i = e->order[b];
      if (*entry(e, i, p) != 0) x[i] = cmb_sub(g, x[i], cmb_mul(g, *entry(e, i, p), x[p]));
    }
  }
  for (int a = e->size; a-- > 0;) {
    const int p = e->order[a];
    for (int b = a + 1; b < e->size; b++) {
      const int k = e->order[b];
      if (*entry(e, p, k) != 0) x[p] = cmb_sub(g, x[p], cmb_mul(g, *entry(e, p, k), x[k]));
    }
    x[p] = cmb_mul(g, x[p], e->inverse[p]);
  }
}

/* Builds the relative size of pivot i, which is near 0 if the matrix is nearly singular. For a row of A it is the pivot divided by |A_ii|,
 * its magnitude before the elimination; for a constraint row the divisor is the part of the pivot that comes from the elimination of A. */
cmb_expr cmb_elimination_pivot(const cmb_elimination *e, int i)
{
  cmb_graph *g = e->g;
  const cmb_expr before = e->whole[i],
                 whole = i < e->n ? before : cmb_sub(g, before, cmb_constant(g, 1e-300));
  return cmb_div(g, *entry(e, i, i), whole);
}

cmb_expr cmb_elimination_health(const cmb_elimination *e)
{
  cmb_expr health = 0;
  for (int i = 0; i < e->size; i++) {
    const cmb_expr part = cmb_elimination_pivot(e, i);
    health = i == 0 ? part : cmb_apply(e->g, CMB_OP_MIN, health, part, 0);
  }
  return health;
}
