/*
 * Linear complementarity problems (lcp.h) by proximal points: each iteration solves the problem with A + εI and b − ε z, z that of the
 * iteration before and 0 at first. These are least-squares problems, z ≥ 0 being that of the least ½ zᵀ(A + εI)z + (b − ε z)ᵀz, and
 * solved like these (Lawson and Hanson 1974): the unknown at 0 with the most negative w may become positive, and those that would
 * become negative on the way to the least value stay at 0.
 */
#include "math/lcp.h"

#include "math/dense.h"
#include "math/finite.h"

#include <math.h>
#include <string.h>

static const double EPSILON = 1e-10;
static const double ROUNDING = 1e-13; /* a wrong sign that is none */
static const double UNSOLVED = 1e-8;  /* w below 0, beside b: there is no solution */
static const double UNDECIDED = 1e-2; /* the part of an unknown that A says nothing of */
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

static double largest(int n, const double *x)
{
  double most = 0;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
  return most;
}

/* A + εI of the unknowns that are not 0, factored; how many there are, or -1. */
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

/* The way from z to x, the solution of those that are not 0 now, as far as no unknown becomes negative: whether it is the whole way.
 * Those that become 0 stay there. */
static bool go(cmb_lcp *p, int n)
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

/* The least value for the unknowns that may be other than 0. */
static cmb_status descend(cmb_lcp *p, int n)
{
  for (;;) { /* each time there is one less */
    const int size = factor(p, n);
    if (size < 0) return CMB_RETRY_SINGULAR;
    for (int i = 0, k = 0; i < n; i++) {
      if (p->in[i]) p->x[k++] = EPSILON * p->before[i] - p->b[i];
    }
    cmb_ldlt_solve(size, p->K, p->x);
    if (go(p, n)) return CMB_OK;
  }
}

/* The unknown at 0 that has the most negative w, or -1. One that came back at once, by rounding, is not asked again. */
static int choose(cmb_lcp *p, int n, double least)
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

/* Unknown i was asked for last: others may be asked again, unless it came back. */
static void note_back(cmb_lcp *p, int n, int i)
{
  if (p->in[i]) memset(p->back, 0, (size_t)n * sizeof *p->back);
  p->back[i] = !p->in[i];
}

/* z and w of an iteration. */
static cmb_status iterate(cmb_lcp *p, int n)
{
  const double least = -ROUNDING * largest(n, p->b);
  memset(p->back, 0, (size_t)n * sizeof *p->back);
  CMB_TRY(descend(p, n));
  for (int k = 0; k < 50 + 10 * n; k++) {
    const int next = choose(p, n, least);
    if (next < 0) return CMB_OK;
    p->in[next] = true;
    CMB_TRY(descend(p, n));
    note_back(p, n, next);
  }
  return CMB_RETRY_NEWTON;
}

/* Entries that A determines: for others (A + εI)⁻¹ is about 1/ε. All whose w is 0 take part. */
static cmb_status tell_unique(cmb_lcp *p, int n, bool *unique)
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

/* Into units in which the diagonal is 1. */
static cmb_status take(cmb_lcp *p, int n, const double *A, const double *b)
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
  CMB_TRY(take(p, n, A, b));
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
  return tell_unique(p, n, unique);
}
