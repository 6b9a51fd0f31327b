/*
 * Solves bounded complementarity problems by straight-line code (complement.h); used for dry friction that sticks (method/grip.c).
 *
 * A round solves K x = w₀ for the unknowns in between, with the others at their bounds: the rows of the latter are those of the unit
 * matrix. The set of unknowns at bounds does not change any more once no sign is wrong, so that the last round has the solution if any
 * round has.
 */
#include "expr/complement.h"

#include "expr/algebra.h"

#include <string.h>

enum { MORE_ROUNDS = 4, PATIENCE = 3 };

/* relative increase of the diagonal: unknowns with the same effect share it */
static const double REGULARISATION = 1e-8;
/* below this part of |w₀_i|, a diagonal entry is replaced: x_i is at a bound anyway */
static const double LEAST_OF_W0 = 1e-12;
/* below this part of the terms that were added up to it, it is rounding error */
static const double CANCELLATION = 1e-11;
static const double TINY = 1e-100;    /* lower bound of a diagonal entry */
static const double TOLERANCE = 1e-9; /* relative precision of the bounds of x */

/* Returns the number x as a constant expression in the graph of the complementarity problem c. */
static cmb_expr number(const cmb_complement *c, double x)
{
  return cmb_constant(c->g, x);
}

static cmb_expr op2(const cmb_complement *c, cmb_op op, cmb_expr a, cmb_expr b)
{
  return cmb_apply(c->g, op, a, b, 0);
}

static cmb_expr choose(const cmb_complement *c, cmb_expr a, cmb_expr yes, cmb_expr no)
{
  return cmb_apply(c->g, CMB_OP_IF, a, yes, no);
}

static cmb_expr size_of(const cmb_complement *c, cmb_expr a)
{
  return cmb_apply(c->g, CMB_OP_ABS, a, 0, 0);
}

static cmb_expr *take(const cmb_complement *c, int count)
{
  return cmb_arena_take(c->arena, (size_t)count, sizeof(cmb_expr));
}

/* ---- independent parts */

/* Merges the sets of coupled unknowns to which the unknowns i and k of a complementarity problem belong: both sets get the smaller of their two
 * numbers in c->part[]. */
static void merge_parts(cmb_complement *c, int i, int k)
{
  const int from = c->part[i], to = c->part[k];
  const int least = from < to ? from : to, other = from < to ? to : from;
  for (int j = 0; j < c->n; j++) {
    if (c->part[j] == other) c->part[j] = least;
  }
}

cmb_status cmb_complement_parts(cmb_complement *c, int *most)
{
  const int n = c->n;
  *most = 0;
  c->part = cmb_arena_ints(c->arena, n);
  if (!c->part) return CMB_ERROR_MEMORY;
  for (int i = 0; i < n; i++) c->part[i] = i;
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < n; k++) {
      if (c->P[i * n + k] != 0) merge_parts(c, i, k);
    }
  }
  for (int i = 0; i < n; i++) {
    int count = 0;
    for (int k = 0; k < n; k++) count += c->part[k] == i;
    if (count > *most) *most = count;
  }
  return CMB_OK;
}

/* One independent part of the problem (a set of coupled unknowns): the indices of its n unknowns, and the expressions of their values in the
 * current round. */
struct part {
  int n, *member;
  cmb_expr *at, *x, *w, *next, *wrong;
  cmb_expr *swept; /* (n) x from the Gauss–Seidel sweeps */
  /* the fewest violated conditions so far; how many more rounds without fewer are allowed */
  cmb_expr least, patience;
  cmb_expr count; /* number of unknowns that violate their conditions */
  cmb_elimination *factors;
};

static bool take_part(const cmb_complement *c, int first, struct part *p)
{
  *p = (struct part){.member = cmb_arena_ints(c->arena, c->n)};
  for (int i = 0; i < c->n && p->member; i++) {
    if (c->part[i] == first) p->member[p->n++] = i;
  }
  p->at = take(c, p->n), p->x = take(c, p->n), p->w = take(c, p->n);
  p->next = take(c, p->n), p->wrong = take(c, p->n), p->swept = take(c, p->n);
  p->least = number(c, p->n + 1);
  p->patience = number(c, PATIENCE);
  for (int i = 0; i < p->n && p->at; i++) p->at[i] = c->first[p->member[i]];
  return p->member && p->at && p->x && p->w && p->next && p->wrong && p->swept;
}

static cmb_expr entry(const cmb_complement *c, const struct part *p, int i, int k)
{
  return c->K[p->member[i] * c->n + p->member[k]];
}

/* ---- one round */

/* Builds the LU factorisation for one iteration of principal pivoting in part p, a set of coupled unknowns of the complementarity problem w =
 * w₀ − K x with bounds on x. The matrix has unit rows for unknowns at a bound and rows of K for the others. Stores the factors in p->factors;
 * returns false if out of memory. */
static bool factorise(const cmb_complement *c, struct part *p)
{
  const int n = p->n;
  cmb_expr *A = take(c, n * n);
  if (!A) return false;
  for (int i = 0; i < n; i++) {
    const cmb_expr bound = cmb_square(c->g, p->at[i]);
    for (int k = 0; k < n; k++) {
      A[i * n + k] = choose(c, bound, number(c, i == k), entry(c, p, i, k));
    }
  }
  p->factors = cmb_eliminate(c->g, c->arena, n, 0, A, NULL, NULL);
  return p->factors;
}

/* Builds the expression w_i = w₀_i − Σ_k K_ik x_k for unknown i of part p of a linear complementarity problem, at the given values x[p->n]. A
 * part is a set of coupled unknowns, over which k runs. */
static cmb_expr residual_of(const cmb_complement *c, const struct part *p, const cmb_expr *x, int i)
{
  cmb_expr w = c->w0[p->member[i]];
  for (int k = 0; k < p->n; k++) w = cmb_sub(c->g, w, cmb_mul(c->g, entry(c, p, i, k), x[k]));
  return w;
}

/* Builds the expression of the next state of unknown i in the active-set solution of a complementarity problem w = w₀ − K x, −1 <= x <= 1. The
 * state becomes 0 (free) if x_i is at a bound with the wrong sign of w_i, ±1 (at the bound) if x_i is beyond a bound, and is unchanged
 * otherwise; both are tested with a tolerance. */
static cmb_expr state_of(const cmb_complement *c, const struct part *p, int i)
{
  const cmb_expr one = number(c, 1), at = p->at[i], x = p->x[i], slack = c->slack[p->member[i]];
  const cmb_expr leeway = cmb_add(c->g, one, cmb_div(c->g, slack, entry(c, p, i, i)));
  /* > 0: the sign of w_i is wrong */
  const cmb_expr inward = cmb_neg(c->g, cmb_mul(c->g, at, p->w[i]));
  const cmb_expr stays = choose(c, op2(c, CMB_OP_GT, inward, slack), 0, at);
  const cmb_expr below = op2(c, CMB_OP_LT, x, cmb_neg(c->g, leeway));
  const cmb_expr between =
      choose(c, op2(c, CMB_OP_GT, x, leeway), one, choose(c, below, number(c, -1), 0));
  return choose(c, cmb_square(c->g, at), stays, between);
}

/* Builds for each unknown i of part p, a set of coupled unknowns of a complementarity problem with bounds, the residual p->w[i], the next state
 * p->next[i] (±1: at a bound, 0: free) and whether it differs from the present state, p->wrong[i]. p->count is the number of states that
 * differ. All are expressions. */
static void check_signs(const cmb_complement *c, struct part *p)
{
  p->count = 0;
  for (int i = 0; i < p->n; i++) p->w[i] = residual_of(c, p, p->x, i);
  for (int i = 0; i < p->n; i++) {
    p->next[i] = state_of(c, p, i);
    p->wrong[i] = op2(c, CMB_OP_NE, p->next[i], p->at[i]);
    p->count = cmb_add(c->g, p->count, p->wrong[i]);
  }
}

/* Builds the change of states (at a bound, or free) of all unknowns of part p that violate the complementarity conditions (block principal
 * pivoting). If the number of violations has not decreased below its minimum for PATIENCE iterations, only the violating unknown with the
 * largest index changes its state (Murty's rule). */
static void exchange_states(const cmb_complement *c, struct part *p)
{
  const cmb_expr fewer = op2(c, CMB_OP_LT, p->count, p->least);
  cmb_expr behind = 0; /* number of wrong signs among unknowns with larger indices */
  p->patience = choose(c, fewer, number(c, PATIENCE), cmb_sub(c->g, p->patience, number(c, 1)));
  p->least = op2(c, CMB_OP_MIN, p->count, p->least);
  for (int i = p->n; i-- > 0;) {
    const cmb_expr here = choose(c, behind, p->at[i], p->next[i]);
    p->at[i] = p->n == 1 ? p->next[i] : choose(c, p->patience, p->next[i], here);
    behind = cmb_add(c->g, behind, p->wrong[i]);
  }
}

/* Adds to the graph one iteration of principal pivoting for part p of a complementarity problem: the solution for the unknowns p->x, with those
 * at a bound fixed there, and which unknowns violate the complementarity conditions. Returns false if out of memory. */
static bool solve_round(const cmb_complement *c, struct part *p)
{
  if (!factorise(c, p)) return false;
  for (int i = 0; i < p->n; i++) {
    p->x[i] = choose(c, cmb_square(c->g, p->at[i]), p->at[i], c->w0[p->member[i]]);
  }
  cmb_elimination_solve(p->factors, p->x);
  check_signs(c, p);
  return true;
}

/* ---- Gauss–Seidel sweeps */

/* Builds the expression of x clamped to [−1, 1]. */
static cmb_expr clamp(const cmb_complement *c, cmb_expr x)
{
  return op2(c, CMB_OP_MAX, op2(c, CMB_OP_MIN, x, number(c, 1)), number(c, -1));
}

/* Builds p->swept, an approximate solution of part p of a complementarity problem with −1 <= x <= 1: the result of CMB_COMPLEMENT_SWEEPS
 * projected Gauss–Seidel sweeps that start from the x of the last principal-pivoting iteration, clamped to [−1, 1]. */
static void sweep(const cmb_complement *c, struct part *p)
{
  cmb_expr *x = p->swept;
  for (int i = 0; i < p->n; i++) x[i] = clamp(c, p->x[i]);
  for (int k = 0; k < CMB_COMPLEMENT_SWEEPS; k++) {
    for (int i = 0; i < p->n; i++) {
      const cmb_expr change = cmb_div(c->g, residual_of(c, p, x, i), entry(c, p, i, i));
      x[i] = clamp(c, cmb_add(c->g, x[i], change));
    }
  }
}

static cmb_expr swept_state(const cmb_complement *c, const struct part *p, int i)
{
  const cmb_expr bound = cmb_apply(c->g, CMB_OP_GE, size_of(c, p->swept[i]), number(c, 1), 0);
  return choose(c, bound, p->swept[i], 0);
}

/* Builds a restart of the principal pivoting for part p of a complementarity problem: if unknowns violate their conditions after the last
 * iteration, the pivoting begins again with the states (at a bound, or free) that projected Gauss–Seidel sweeps have found. Also resets the
 * counters p->least and p->patience. */
static void restart_from_sweeps(const cmb_complement *c, struct part *p)
{
  sweep(c, p);
  for (int i = 0; i < p->n; i++) p->at[i] = choose(c, p->count, swept_state(c, p, i), p->at[i]);
  p->least = number(c, p->n + 1);
  p->patience = number(c, PATIENCE);
}

/* ---- the whole problem */

/* Builds the matrix K (n x n) of a complementarity problem from P, with slightly increased diagonal entries that are at least a small positive
 * number, and slack[n], the tolerances below which |w_i| counts as 0. */
static void fill_matrix(cmb_complement *c)
{
  const int n = c->n;
  memcpy(c->K, c->P, (size_t)n * (size_t)n * sizeof *c->K);
  for (int i = 0; i < n; i++) {
    cmb_expr *d = &c->K[i * n + i], least = cmb_mul(c->g, number(c, CANCELLATION), c->whole[i]);
    least = cmb_add(c->g, least, cmb_mul(c->g, number(c, LEAST_OF_W0), size_of(c, c->w0[i])));
    *d = cmb_mul(c->g, number(c, 1 + REGULARISATION), *d);
    *d = op2(c, CMB_OP_MAX, *d, cmb_add(c->g, least, number(c, TINY)));
    c->slack[i] = cmb_add(c->g, cmb_mul(c->g, number(c, TOLERANCE), *d), c->noise[i]);
  }
}

/* Stores the solution x and the states (at a bound, or free) of part p of a complementarity problem in c->x and c->at. They are those of the
 * last principal-pivoting iteration or, if unknowns then still violate their conditions, those of the Gauss–Seidel sweeps; in this case
 * c->settled is 0. */
static void store_solution(cmb_complement *c, const struct part *p)
{
  for (int i = 0; i < p->n; i++) {
    const int k = p->member[i];
    c->x[k] = choose(c, p->count, p->swept[i], p->x[i]);
    c->at[k] = choose(c, p->count, swept_state(c, p, i), p->at[i]);
  }
  c->settled = choose(c, p->count, 0, c->settled);
}

/* Builds the solution of one set of coupled unknowns of a complementarity problem with bounds, the set whose smallest index is `first`; does
 * nothing if there is none. A set of n > 1 unknowns gets n + 4 iterations of principal pivoting, a single unknown gets three. Returns false if
 * out of memory. */
static bool solve_part(cmb_complement *c, int first)
{
  struct part p;
  if (!take_part(c, first, &p)) return false;
  if (p.n == 0) return true;
  const int rounds = p.n == 1 ? 3 : p.n + MORE_ROUNDS;
  for (int k = 0; k < rounds; k++) {
    if (!solve_round(c, &p)) return false;
    if (k + 1 < rounds) exchange_states(c, &p);
    if (k + 1 == rounds / 2 && p.n > 1) restart_from_sweeps(c, &p);
  }
  if (p.n == 1) memcpy(p.swept, p.x, sizeof *p.x);
  c->factors[first] = p.factors;
  store_solution(c, &p);
  return true;
}

cmb_status cmb_complement_solve(cmb_complement *c)
{
  const int n = c->n;
  c->x = take(c, n), c->at = take(c, n), c->slack = take(c, n);
  c->K = take(c, n * n);
  c->factors = cmb_arena_take(c->arena, (size_t)n, sizeof(cmb_elimination *));
  if (!c->x || !c->at || !c->slack || !c->K || !c->factors) return CMB_ERROR_MEMORY;
  c->settled = number(c, 1);
  fill_matrix(c);
  for (int i = 0; i < n; i++) {
    if (!solve_part(c, i)) return CMB_ERROR_MEMORY;
  }
  return cmb_graph_status(c->g);
}

static bool correct_part(const cmb_complement *c, int first, const cmb_expr *w, cmb_expr *dx)
{
  struct part p;
  if (!take_part(c, first, &p)) return false;
  for (int i = 0; i < p.n; i++) {
    const int k = p.member[i];
    const cmb_expr fixed = cmb_square(c->g, c->at[k]);
    p.x[i] = choose(c, fixed, 0, choose(c, c->settled, w[k], 0));
  }
  cmb_elimination_solve(c->factors[first], p.x);
  for (int i = 0; i < p.n; i++) dx[p.member[i]] = p.x[i];
  return true;
}

cmb_status cmb_complement_correct(const cmb_complement *c, const cmb_expr *w, cmb_expr *dx)
{
  for (int i = 0; i < c->n; i++) {
    if (c->factors[i] && !correct_part(c, i, w, dx)) return CMB_ERROR_MEMORY;
  }
  return cmb_graph_status(c->g);
}
