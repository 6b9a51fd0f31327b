/*
 * Solves linear complementarity problems with bounds (boxed.h).
 */
#include "math/boxed.h"

#include "math/dense.h"
#include "math/finite.h"

#include <math.h>
#include <string.h>

/* a wrong sign of this relative size is ascribed to rounding */
static const double ROUNDING = 1e-12;
/* an entry of A that counts as 0, relative to the largest of its row */
static const double NEGLIGIBLE = 1e-12;
/* relative difference up to which two entries count as equal */
static const double SYMMETRIC = 1e-6;
static const double SAME = 1e-6; /* relative difference up to which two solutions count as equal */
/* exchanges of all unknowns with wrong signs that may fail to reduce their number */
enum { PATIENCE = 10 };

void cmb_boxed_create(cmb_boxed *p, cmb_arena *arena, int most)
{
  *p = (cmb_boxed){.most = most};
  p->state = cmb_arena_ints(arena, most);
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

/* The problem: size n, matrix A (n x n), vector b and upper bounds u. */
struct problem {
  int n;
  const double *A, *b, *u;
};

static const double *row_of(const struct problem *g, int i)
{
  return g->A + (ptrdiff_t)i * g->n;
}

/* ---- given states */

/* Returns the rounding error to be expected in w_i = b_i + Σ_k A_ik x_k: 1e-12 of the sum of the absolute values of the terms. */
static double rounding_error(const cmb_boxed *p, const struct problem *g, int i)
{
  double size = fabs(g->b[i]);
  for (int k = 0; k < g->n; k++) size += fabs(row_of(g, i)[k] * p->x[k]);
  return ROUNDING * size;
}

/* Computes p->x and p->w = A x + b of the linear complementarity problem with bounds 0 ≤ x ≤ u for given states of the unknowns: those at a
 * bound have x_i = 0 or u_i, the free ones follow from w_i = 0 by LU factorisation. Returns CMB_RETRY_SINGULAR if the matrix of the free
 * unknowns is singular. */
static cmb_status solve_free(cmb_boxed *p, const struct problem *g)
{
  int size = 0, row = 0;
  for (int i = 0; i < g->n; i++) {
    p->x[i] = p->state[i] > 0 ? g->u[i] : 0;
    size += p->state[i] == 0;
  }
  for (int i = 0; i < g->n; i++) {
    if (p->state[i] != 0) continue;
    double *to = p->K + (ptrdiff_t)row * size;
    p->y[row++] = -g->b[i] - cmb_dot(g->n, row_of(g, i), p->x);
    for (int k = 0; k < g->n; k++) {
      if (p->state[k] == 0) *to++ = row_of(g, i)[k];
    }
  }
  CMB_TRY(cmb_lu_factor(size, p->K, p->scale, p->pivot));
  cmb_lu_solve(size, p->K, p->pivot, p->y);
  for (int i = 0, k = 0; i < g->n; i++) {
    if (p->state[i] == 0) p->x[i] = p->y[k++];
  }
  for (int i = 0; i < g->n; i++) {
    p->w[i] = p->state[i] == 0 ? 0 : g->b[i] + cmb_dot(g->n, row_of(g, i), p->x);
  }
  return CMB_OK;
}

/* Returns the state that unknown i of the complementarity problem should have, given p->x and p->w = A x + b: −1 (x_i = 0), 1 (x_i = u_i)
 * or 0 (free). An unknown at a bound becomes free if w_i has the wrong sign by more than rounding; a free unknown moves to the bound that
 * x_i violates by more than rounding. */
static int required_state(const cmb_boxed *p, const struct problem *g, int i)
{
  if (p->state[i] != 0) return p->state[i] * p->w[i] > rounding_error(p, g, i) ? 0 : p->state[i];
  const double noise = rounding_error(p, g, i) / row_of(g, i)[i];
  if (p->x[i] < -noise) return -1;
  return p->x[i] > g->u[i] + noise ? 1 : 0;
}

/* ---- a unique solution */

/* Performs one step of principal pivoting: changes the state (at a bound, or free) of all unknowns that violate their bounds or the sign of
 * w, or only of the last of them if `all` is false. Returns the number of such unknowns. */
static int exchange(cmb_boxed *p, const struct problem *g, bool all)
{
  int wrong = 0, last = -1;
  for (int i = 0; i < g->n; i++) {
    p->stack[i] = required_state(p, g, i);
    if (p->stack[i] == p->state[i]) continue;
    wrong++;
    last = i;
  }
  for (int i = 0; i < g->n; i++) {
    if (all || i == last) p->state[i] = p->stack[i];
  }
  return wrong;
}

/* Solves a complementarity problem with a unique solution by principal pivoting, starting from x = 0: unknowns that violate their bounds or
 * the sign of w change their state (at a bound, or free) until there are none. Returns CMB_RETRY_NEWTON if the limit on the number of steps
 * is reached, CMB_RETRY_SINGULAR if the matrix of the free unknowns is singular to rounding. */
static cmb_status find_one(cmb_boxed *p, const struct problem *g)
{
  int least = g->n + 1, patience = PATIENCE;
  for (int i = 0; i < g->n; i++) p->state[i] = -1;
  for (int k = 0; k < 1000 + 100 * g->n; k++) {
    CMB_TRY(solve_free(p, g));
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

/* Advances the states of all unknowns (at 0, free, or at the upper bound if that is finite) to the next combination, like a counter with
 * one digit for each unknown. Returns false after the last combination. */
static bool next_combination(cmb_boxed *p, const struct problem *g)
{
  for (int i = 0; i < g->n; i++) {
    const int most = isfinite(g->u[i]) ? 1 : 0;
    if (p->state[i]++ < most) return true;
    p->state[i] = -1;
  }
  return false;
}

/* Returns whether the current states of the unknowns (at a bound, or free) solve the complementarity problem w = A x + b: each x_i within
 * its bounds, w_i ≥ 0 at the lower and w_i ≤ 0 at the upper bound, to rounding. Computes p->x and p->w. Returns false if they cannot be
 * computed. */
static bool is_solution(cmb_boxed *p, const struct problem *g)
{
  if (solve_free(p, g) != CMB_OK) return false;
  for (int i = 0; i < g->n; i++) {
    if (required_state(p, g, i) != p->state[i]) return false;
  }
  return true;
}

/* Returns whether the solution p->x of the complementarity problem differs from the first one found, p->found, in some entry of A x by more
 * than 1e-6 of the sum of the absolute values of that entry's terms and of b. */
static bool differ(const cmb_boxed *p, const struct problem *g)
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

/* Tests all combinations of states of the unknowns (at 0, free, at the upper bound) for solutions x of the complementarity problem w = A x + b.
 * Stores the first solution in p->x; *several becomes whether another solution has a different A x. Returns CMB_RETRY_SINGULAR if there is no
 * solution, CMB_RETRY_NEWTON if there are too many unknowns for this search. */
static cmb_status find_all(cmb_boxed *p, const struct problem *g, bool *several)
{
  bool any = false;
  if (g->n > CMB_MOST_SEARCHED) return CMB_RETRY_NEWTON;
  for (int i = 0; i < g->n; i++) p->state[i] = -1;
  do {
    if (!is_solution(p, g)) continue;
    *several = any && (*several || differ(p, g));
    if (!any) memcpy(p->found, p->x, (size_t)g->n * sizeof *p->x);
    any = true;
  } while (next_combination(p, g));
  memcpy(p->x, p->found, (size_t)g->n * sizeof *p->x);
  return any ? CMB_OK : CMB_RETRY_SINGULAR;
}

/* ---- the kind of A */

/* Returns whether entry (i, k) of the matrix A is negligible: at most 1e-12 of the largest entry of row i in absolute value. */
static bool is_negligible(const struct problem *g, int i, int k)
{
  double largest = 0;
  for (int j = 0; j < g->n; j++) largest = fmax(largest, fabs(row_of(g, i)[j]));
  return fabs(row_of(g, i)[k]) <= NEGLIGIBLE * largest;
}

/* Computes the entries d_k of a diagonal matrix D that can make A D symmetric, for all unknowns coupled with unknown `first` by nonzero
 * entries of A, starting from d = 1 there. Returns false if a d_k is not positive, or if only one of two transposed entries of A is 0. Does
 * not check that A D is symmetric. */
static bool scale_coupled(cmb_boxed *p, const struct problem *g, int first)
{
  int waiting = 0;
  p->d[first] = 1;
  p->known[first] = true;
  p->stack[waiting++] = first;
  while (waiting > 0) {
    const int i = p->stack[--waiting];
    for (int k = 0; k < g->n; k++) {
      const bool none = is_negligible(g, i, k), other = is_negligible(g, k, i);
      if (p->known[k] || (none && other)) continue;
      p->d[k] = row_of(g, k)[i] * p->d[i] / row_of(g, i)[k];
      if (none || other || !(p->d[k] > 0)) return false;
      p->known[k] = true;
      p->stack[waiting++] = k;
    }
  }
  return true;
}

/* Returns whether A D is symmetric (to a relative 1e-6) and positive definite for some positive diagonal matrix D, in which case the
 * complementarity problem has exactly one solution. */
static bool is_monotone(cmb_boxed *p, const struct problem *g)
{
  const int n = g->n;
  for (int i = 0; i < n; i++) p->known[i] = false;
  for (int i = 0; i < n; i++) {
    if (!p->known[i] && !scale_coupled(p, g, i)) return false;
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
  const struct problem g = {n, A, b, u};
  *several = false;
  if (!cmb_all_finite(n * n, A) || !cmb_all_finite(n, b)) return CMB_RETRY_NONFINITE;
  for (int i = 0; i < n; i++) {
    if (!(row_of(&g, i)[i] > 0)) return CMB_RETRY_SINGULAR;
  }
  CMB_TRY(is_monotone(p, &g) ? find_one(p, &g) : find_all(p, &g, several));
  for (int i = 0; i < n; i++) x[i] = fmin(fmax(p->x[i], 0), u[i]);
  return CMB_OK;
}
