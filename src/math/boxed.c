/*
 * Linear complementarity problems with bounds (boxed.h).
 */
#include "math/boxed.h"

#include "math/dense.h"
#include "math/finite.h"

#include <math.h>
#include <string.h>

static const double ROUNDING = 1e-12; /* a wrong sign that is none */
static const double NONE = 1e-12;     /* an entry of A beside the largest of its row */
static const double SYMMETRIC = 1e-6; /* two entries that are the same */
static const double SAME = 1e-6;      /* two solutions that are */
enum { PATIENCE = 10 };               /* exchanges of all that do not make wrong signs fewer */

void cmb_boxed_create(cmb_boxed *p, cmb_arena *arena, int most)
{
  *p = (cmb_boxed){.most = most};
  p->at = cmb_arena_ints(arena, most);
  p->pivot = cmb_arena_ints(arena, most);
  p->stack = cmb_arena_ints(arena, most);
  p->K = cmb_arena_doubles(arena, most * most);
  p->y = cmb_arena_doubles(arena, most);
  p->scale = cmb_arena_doubles(arena, most);
  p->x = cmb_arena_doubles(arena, most);
  p->w = cmb_arena_doubles(arena, most);
  p->found = cmb_arena_doubles(arena, most);
  p->d = cmb_arena_doubles(arena, most);
  p->known = cmb_arena_take(arena, (size_t)most, sizeof *p->known);
}

/* The problem. */
struct given {
  int n;
  const double *A, *b, *u;
};

static const double *row_of(const struct given *g, int i)
{
  return g->A + (ptrdiff_t)i * g->n;
}

/* ---- x and w of unknowns at their bounds and others in between */

/* A w that is none, beside what it is made of. */
static double noise_of(const cmb_boxed *p, const struct given *g, int i)
{
  double size = fabs(g->b[i]);
  for (int k = 0; k < g->n; k++) size += fabs(row_of(g, i)[k] * p->x[k]);
  return ROUNDING * size;
}

static cmb_status solve_between(cmb_boxed *p, const struct given *g)
{
  int size = 0, row = 0;
  for (int i = 0; i < g->n; i++) {
    p->x[i] = p->at[i] > 0 ? g->u[i] : 0;
    size += p->at[i] == 0;
  }
  for (int i = 0; i < g->n; i++) {
    if (p->at[i] != 0) continue;
    double *to = p->K + (ptrdiff_t)row * size;
    p->y[row++] = -g->b[i] - cmb_dot(g->n, row_of(g, i), p->x);
    for (int k = 0; k < g->n; k++) {
      if (p->at[k] == 0) *to++ = row_of(g, i)[k];
    }
  }
  CMB_TRY(cmb_lu_factor(size, p->K, p->scale, p->pivot));
  cmb_lu_solve(size, p->K, p->pivot, p->y);
  for (int i = 0, k = 0; i < g->n; i++) {
    if (p->at[i] == 0) p->x[i] = p->y[k++];
  }
  for (int i = 0; i < g->n; i++) {
    p->w[i] = p->at[i] == 0 ? 0 : g->b[i] + cmb_dot(g->n, row_of(g, i), p->x);
  }
  return CMB_OK;
}

/* Where unknown i should be in view of x and w: where it is, unless a sign is wrong. */
static int place_of(const cmb_boxed *p, const struct given *g, int i)
{
  if (p->at[i] != 0) return p->at[i] * p->w[i] > noise_of(p, g, i) ? 0 : p->at[i];
  const double noise = noise_of(p, g, i) / row_of(g, i)[i];
  if (p->x[i] < -noise) return -1;
  return p->x[i] > g->u[i] + noise ? 1 : 0;
}

/* ---- the one solution */

/* Those with wrong signs are exchanged, or the last of them; how many there were. */
static int exchange(cmb_boxed *p, const struct given *g, bool all)
{
  int wrong = 0, last = -1;
  for (int i = 0; i < g->n; i++) {
    p->stack[i] = place_of(p, g, i);
    if (p->stack[i] == p->at[i]) continue;
    wrong++;
    last = i;
  }
  for (int i = 0; i < g->n; i++) {
    if (all || i == last) p->at[i] = p->stack[i];
  }
  return wrong;
}

static cmb_status find_one(cmb_boxed *p, const struct given *g)
{
  int least = g->n + 1, patience = PATIENCE;
  for (int i = 0; i < g->n; i++) p->at[i] = -1;
  for (int k = 0; k < 1000 + 100 * g->n; k++) {
    CMB_TRY(solve_between(p, g));
    const int wrong = exchange(p, g, patience > 0);
    if (wrong == 0) return CMB_OK;
    if (wrong < least) {
      least = wrong;
      patience = PATIENCE;
    } else {
      patience--;
    }
  }
  return CMB_RETRY_NEWTON;
}

/* ---- all solutions */

/* The next way to put the unknowns, as the next number with so many digits; false: that was the last. */
static bool count_on(cmb_boxed *p, const struct given *g)
{
  for (int i = 0; i < g->n; i++) {
    const int most = isfinite(g->u[i]) ? 1 : 0;
    if (p->at[i]++ < most) return true;
    p->at[i] = -1;
  }
  return false;
}

static bool is_solution(cmb_boxed *p, const struct given *g)
{
  if (solve_between(p, g) != CMB_OK) return false;
  for (int i = 0; i < g->n; i++) {
    if (place_of(p, g, i) != p->at[i]) return false;
  }
  return true;
}

/* Whether two solutions differ in what they do. */
static bool differ(const cmb_boxed *p, const struct given *g)
{
  for (int i = 0; i < g->n; i++) {
    double change = 0, size = fabs(g->b[i]);
    for (int k = 0; k < g->n; k++) {
      change += row_of(g, i)[k] * (p->x[k] - p->found[k]);
      size += fabs(row_of(g, i)[k]) * fmax(fabs(p->x[k]), fabs(p->found[k]));
    }
    if (fabs(change) > SAME * size) return true;
  }
  return false;
}

static cmb_status find_all(cmb_boxed *p, const struct given *g, bool *several)
{
  bool any = false;
  if (g->n > CMB_MOST_SEARCHED) return CMB_RETRY_NEWTON;
  for (int i = 0; i < g->n; i++) p->at[i] = -1;
  do {
    if (!is_solution(p, g)) continue;
    *several = any && (*several || differ(p, g));
    if (!any) memcpy(p->found, p->x, (size_t)g->n * sizeof *p->x);
    any = true;
  } while (count_on(p, g));
  memcpy(p->x, p->found, (size_t)g->n * sizeof *p->x);
  return any ? CMB_OK : CMB_RETRY_SINGULAR;
}

/* ---- which of them */

/* Entries that rounding could have made of 0. */
static bool is_none(const struct given *g, int i, int k)
{
  double largest = 0;
  for (int j = 0; j < g->n; j++) largest = fmax(largest, fabs(row_of(g, i)[j]));
  return fabs(row_of(g, i)[k]) <= NONE * largest;
}

/* d of all that belong together with unknown `first`; false: A D is not symmetric for any D. */
static bool spread(cmb_boxed *p, const struct given *g, int first)
{
  int waiting = 0;
  p->d[first] = 1;
  p->known[first] = true;
  p->stack[waiting++] = first;
  while (waiting > 0) {
    const int i = p->stack[--waiting];
    for (int k = 0; k < g->n; k++) {
      const bool none = is_none(g, i, k), other = is_none(g, k, i);
      if (p->known[k] || (none && other)) continue;
      p->d[k] = row_of(g, k)[i] * p->d[i] / row_of(g, i)[k];
      if (none || other || !(p->d[k] > 0)) return false;
      p->known[k] = true;
      p->stack[waiting++] = k;
    }
  }
  return true;
}

/* Whether A D is symmetric and positive definite with some D. */
static bool is_monotone(cmb_boxed *p, const struct given *g)
{
  const int n = g->n;
  for (int i = 0; i < n; i++) p->known[i] = false;
  for (int i = 0; i < n; i++) {
    if (!p->known[i] && !spread(p, g, i)) return false;
  }
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < n; k++) {
      const double one = row_of(g, i)[k] * p->d[k], other = row_of(g, k)[i] * p->d[i];
      const double size = sqrt(row_of(g, i)[i] * p->d[i]) * sqrt(row_of(g, k)[k] * p->d[k]);
      if (fabs(one - other) > SYMMETRIC * size) return false;
      p->K[(ptrdiff_t)i * n + k] = i == k ? one / size : (one + other) / 2 / size;
    }
  }
  return cmb_ldlt_factor(n, p->K) < 0;
}

cmb_status cmb_boxed_solve(cmb_boxed *p, int n, const double *A, const double *b, const double *u,
                           double *x, bool *several)
{
  const struct given g = {n, A, b, u};
  *several = false;
  if (!cmb_all_finite(n * n, A) || !cmb_all_finite(n, b)) return CMB_RETRY_NONFINITE;
  for (int i = 0; i < n; i++) {
    if (!(row_of(&g, i)[i] > 0)) return CMB_RETRY_SINGULAR;
  }
  CMB_TRY(is_monotone(p, &g) ? find_one(p, &g) : find_all(p, &g, several));
  for (int i = 0; i < n; i++) x[i] = fmin(fmax(p->x[i], 0), u[i]);
  return CMB_OK;
}
