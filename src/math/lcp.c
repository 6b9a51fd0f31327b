/*
 * Solves linear complementarity problems (lcp.h) by the proximal point method: each iteration solves the problem with A + εI and b − ε z,
 * where z is the solution of the iteration before and 0 at first. Each of these minimises ½ zᵀ(A + εI)z + (b − ε z)ᵀz over z ≥ 0 and is
 * solved by an active-set method (Lawson and Hanson 1974): the unknown at 0 with the most negative w may become positive, and those that
 * would become negative on the way to the minimum stay at 0.
 */
#include "math/lcp.h"

#include "math/dense.h"
#include "math/finite.h"

#include <math.h>
#include <string.h>

static const double EPSILON = 1e-10;
/* a wrong sign of this relative size is ascribed to rounding */
static const double ROUNDING = 1e-13;
/* a w more negative than this, relative to b, means that there is no solution */
static const double UNSOLVED = 1e-8;
/* the fraction of a unit change of an unknown that A does not determine, from which the unknown counts as not unique */
static const double UNDECIDED = 1e-2;
enum { ITERATIONS = 12 };

void cmb_lcp_create(cmb_lcp *p, cmb_arena *arena, int most)
{
  *p = (cmb_lcp){.most = most};
  p->A = cmb_arena_doubles(arena, most * most);
  p->K = cmb_arena_doubles(arena, most * most);
  p->b = cmb_arena_doubles(arena, most);
  p->unit = cmb_arena_doubles(arena, most);
  p->x = cmb_arena_doubles(arena, most);
  p->z = cmb_arena_doubles(arena, most);
  p->w = cmb_arena_doubles(arena, most);
  p->before = cmb_arena_doubles(arena, most);
  p->in = cmb_arena_take(arena, (size_t)most, sizeof *p->in);
  p->back = cmb_arena_take(arena, (size_t)most, sizeof *p->back);
}

/* Returns the largest absolute value of the entries of x[n]; 0 if n is 0. */
static double largest(int n, const double *x)
{
  double most = 0;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
  return most;
}

/* Factorises A + εI (with a small ε), restricted to the free unknowns, those that may be nonzero, by LDLᵀ in p->K. Returns the number of
 * free unknowns, or −1 if the matrix is not positive definite. */
static int factor(cmb_lcp *p, int n)
{
  int size = 0, row = 0;
  for (int i = 0; i < n; i++) size += p->in[i];
  for (int i = 0; i < n; i++) {
    if (!p->in[i]) continue;
    double *to = p->K + (ptrdiff_t)row++ * size;
    for (int k = 0, column = 0; k < n; k++) {
      if (p->in[k]) to[column++] = p->A[(ptrdiff_t)i * n + k] + (i == k ? EPSILON : 0);
    }
  }
  return cmb_ldlt_factor(size, p->K) < 0 ? size : -1;
}

/* Moves z ≥ 0 along a line towards p->x, the unconstrained minimum over the free unknowns, as far as no unknown becomes negative. Unknowns
 * that become 0 are fixed at 0. Returns whether z has reached p->x. */
static bool move_to_minimum(cmb_lcp *p, int n)
{
  double part = 1;
  for (int i = 0, k = 0; i < n; i++) {
    if (!p->in[i]) continue;
    const double to = p->x[k++];
    if (to <= 0) part = fmin(part, p->z[i] > 0 ? p->z[i] / (p->z[i] - to) : 0);
  }
  for (int i = 0, k = 0; i < n; i++) {
    if (!p->in[i]) continue;
    const double to = p->x[k++], z = p->z[i] + part * (to - p->z[i]);
    const bool ends = to <= 0 && (p->z[i] <= 0 || z <= ROUNDING * p->z[i]);
    p->in[i] = !ends;
    p->z[i] = ends ? 0 : z;
  }
  return part == 1;
}

/* Minimises ½ zᵀ(A + εI)z + (b − ε z₀)ᵀz over the n unknowns z, of which the free ones must remain ≥ 0 and the others are fixed at 0; z₀ is
 * the last proximal iterate. Free unknowns that become 0 are fixed there. Returns CMB_RETRY_SINGULAR if the matrix of the free unknowns is
 * not positive definite. */
static cmb_status minimise(cmb_lcp *p, int n)
{
  for (;;) { /* at least one unknown less each time */
    const int size = factor(p, n);
    if (size < 0) return CMB_RETRY_SINGULAR;
    for (int i = 0, k = 0; i < n; i++) {
      if (p->in[i]) p->x[k++] = EPSILON * p->before[i] - p->b[i];
    }
    cmb_ldlt_solve(size, p->K, p->x);
    if (move_to_minimum(p, n)) return CMB_OK;
  }
}

/* Computes w = (A + εI) z + b − ε z₀, with the last proximal iterate z₀, and returns the unknown fixed at 0 with the most negative w below
 * `least`, or −1 if there is none. w of free unknowns is set to 0. An unknown that was fixed again as soon as it was freed, because of
 * rounding, is not chosen again until p->back is cleared. */
static int choose_to_free(cmb_lcp *p, int n, double least)
{
  int found = -1;
  for (int i = 0; i < n; i++) {
    const double w =
        cmb_dot(n, p->A + (ptrdiff_t)i * n, p->z) + p->b[i] + EPSILON * (p->z[i] - p->before[i]);
    p->w[i] = p->in[i] ? 0 : w;
    if (p->w[i] < least && !p->back[i]) found = i, least = p->w[i];
  }
  return found;
}

/* Keeps the method from cycling. If unknown i, which was freed last, was fixed at 0 again in the next iteration, it is barred from being freed;
 * otherwise all bars are lifted. */
static void record_return(cmb_lcp *p, int n, int i)
{
  if (p->in[i]) memset(p->back, 0, (size_t)n * sizeof *p->back);
  p->back[i] = !p->in[i];
}

/* Performs one proximal iteration of the complementarity problem by an active-set method: computes z ≥ 0 with w ≥ 0, up to rounding errors,
 * freeing one unknown after the other from its bound 0. Returns CMB_RETRY_NEWTON if the limit on the number of exchanges is reached,
 * CMB_RETRY_SINGULAR if the matrix of the free unknowns is not positive definite. */
static cmb_status iterate(cmb_lcp *p, int n)
{
  const double least = -ROUNDING * largest(n, p->b);
  memset(p->back, 0, (size_t)n * sizeof *p->back);
  CMB_TRY(minimise(p, n));
  for (int k = 0; k < 50 + 10 * n; k++) {
    const int next = choose_to_free(p, n, least);
    if (next < 0) return CMB_OK;
    p->in[next] = true;
    CMB_TRY(minimise(p, n));
    record_return(p, n, next);
  }
  return CMB_RETRY_NEWTON;
}

/* Computes unique[i], whether the solution z_i of the complementarity problem is unique. Unknowns with w > 0 are. For the others, forms (A +
 * εI)⁻¹ from their rows and columns, whose i-th diagonal entry is about 1/ε if z_i is not unique. Overwrites p->in. */
static cmb_status find_unique(cmb_lcp *p, int n, bool *unique)
{
  const double least_w = UNSOLVED * largest(n, p->b);
  for (int i = 0; i < n; i++) p->in[i] = p->w[i] <= least_w;
  const int size = factor(p, n);
  if (size < 0) return CMB_RETRY_SINGULAR;
  for (int i = 0, k = 0; i < n; i++) {
    unique[i] = true;
    if (!p->in[i]) continue;
    for (int j = 0; j < size; j++) p->x[j] = 0;
    p->x[k] = 1;
    cmb_ldlt_solve(size, p->K, p->x);
    unique[i] = EPSILON * p->x[k++] < UNDECIDED;
  }
  return CMB_OK;
}

/* Copies A (n x n) and b[n], scaled to units in which the diagonal of A is 1; sets z = 0 and marks as free the unknowns with b_i < 0. Returns
 * CMB_RETRY_NONFINITE if an entry is not finite, CMB_RETRY_SINGULAR if a diagonal entry is not positive. */
static cmb_status copy_scaled(cmb_lcp *p, int n, const double *A, const double *b)
{
  if (!cmb_all_finite(n * n, A) || !cmb_all_finite(n, b)) return CMB_RETRY_NONFINITE;
  for (int i = 0; i < n; i++) {
    const double diagonal = A[(ptrdiff_t)i * n + i];
    if (!(diagonal > 0)) return CMB_RETRY_SINGULAR;
    p->unit[i] = 1 / sqrt(diagonal);
    p->b[i] = p->unit[i] * b[i];
    p->before[i] = p->z[i] = 0;
    p->in[i] = b[i] < 0;
  }
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < n; k++) {
      p->A[(ptrdiff_t)i * n + k] = p->unit[i] * A[(ptrdiff_t)i * n + k] * p->unit[k];
    }
  }
  return CMB_OK;
}

cmb_status cmb_lcp_solve(cmb_lcp *p, int n, const double *A, const double *b, double *z,
                         bool *unique)
{
  CMB_TRY(copy_scaled(p, n, A, b));
  const double size = largest(n, p->b);
  double moved = INFINITY;
  for (int k = 0; k < ITERATIONS && moved > 1e-3 * ROUNDING * size; k++) {
    CMB_TRY(iterate(p, n));
    moved = 0;
    for (int i = 0; i < n; i++) {
      moved = fmax(moved, EPSILON * fabs(p->z[i] - p->before[i]));
      p->before[i] = p->z[i];
    }
  }
  for (int i = 0; i < n; i++) {
    p->w[i] = cmb_dot(n, p->A + (ptrdiff_t)i * n, p->z) + p->b[i];
    if (!(p->w[i] >= -UNSOLVED * size)) return CMB_RETRY_SINGULAR;
    z[i] = p->unit[i] * p->z[i];
  }
  return find_unique(p, n, unique);
}
