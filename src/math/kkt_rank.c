/*
 * Solves the KKT system for dependent constraints in the sense of least squares and least norm (kkt_rank.h). With ẑ = D^½ Lᵀ x, Â = N G L⁻ᵀ
 * D^−½, y = N η:
 *
 *     B = G:   J Â = Σ Vᵀ;   c_i = v_i ẑ₀ + (J N s)_i / σ_i,   ẑ = ẑ₀ − Σ c_i v_i,   η = Jᵀ (c_i / σ_i)
 *     B ≠ G:   Sᵀ = B̂ Âᵀ, J Sᵀ = Σ Wᵀ;   η = Jᵀ (w_i (Â ẑ₀ + N s) / σ_i),   ẑ = ẑ₀ − B̂ᵀ η
 *
 * with the sums over the singular values that are not zero. σ_i² is sin² of an angle, like the pivots in kkt.c, if two gradients are nearly
 * dependent; for B ≠ G it is σ_i itself, which is a product of two sines.
 */
#include "math/kkt_rank.h"

#include "math/dense.h"
#include "math/orthogonal.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* nv + ng; in smaller systems the singular values cost next to nothing */
enum { SPLIT_FROM = 64 };

void cmb_kkt_rank_create(cmb_arena *arena, int nv, int ng, cmb_kkt_rank *rank)
{
  const size_t wide = (size_t)nv * (size_t)ng, square = (size_t)ng * (size_t)ng;
  *rank = (cmb_kkt_rank){.nv = nv, .ng = ng};
  rank->reference = cmb_arena_doubles(arena, ng);
  rank->unit_G = cmb_arena_doubles(arena, ng);
  rank->unit_B = cmb_arena_doubles(arena, ng);
  rank->A = cmb_arena_take(arena, wide, sizeof(double));
  rank->A_B = cmb_arena_take(arena, wide, sizeof(double));
  rank->S = cmb_arena_take(arena, square, sizeof(double));
  rank->J = cmb_arena_take(arena, square, sizeof(double));
  rank->sigma = cmb_arena_doubles(arena, ng);
  rank->z = cmb_arena_doubles(arena, nv);
  rank->b = cmb_arena_doubles(arena, ng);
  rank->c = cmb_arena_doubles(arena, ng);
  cmb_split_create(arena, ng, nv, rank->A_B, rank->S, &rank->split);
}

/* Scales the rows of the constraint Jacobian, given as G L⁻ᵀ (ng x nv) with the mass matrix M = L D Lᵀ, to A = N G L⁻ᵀ D^−½ (ng x nv) with
 * rows of unit length, or shorter where a gradient is shorter than its usual length. unit (ng) becomes the diagonal of N. D_inv is the
 * diagonal of D⁻¹. */
static void unit_rows(const cmb_kkt_rank *rank, const double *D_inv, const double *G, double *A,
                      double *unit)
{
  const int nv = rank->nv;
  for (int i = 0; i < rank->ng; i++) {
    const double *g = G + (ptrdiff_t)i * nv;
    double *a = A + (ptrdiff_t)i * nv;
    for (int k = 0; k < nv; k++) a[k] = g[k] * sqrt(D_inv[k]);
    double length = fmax(cmb_norm2(nv, a), rank->reference[i]);
    unit[i] = length > 0 ? 1 / length : 1;
    for (int k = 0; k < nv; k++) a[k] *= unit[i];
  }
}

/* Sets rank->rank to the number of singular values of the constraint Jacobian above `least_sigma`; they are in descending order. */
static void count_rank(cmb_kkt_rank *rank, double least_sigma)
{
  rank->rank = 0;
  while (rank->rank < rank->ng && rank->sigma[rank->rank] > least_sigma) rank->rank++;
}

/* Determines the rank of a large scaled constraint Jacobian from bounds of its singular values, by a complete orthogonal decomposition.
 * Computes the singular values in rank->sigma only if the bounds do not suffice; otherwise rank->sigma contains approximate values that
 * only separate the nonzero ones from rounding errors. */
static void factor_by_split(cmb_kkt_rank *rank, const cmb_kkt_rank_limits *limits)
{
  const int nv = rank->nv, ng = rank->ng;
  memcpy(rank->A_B, rank->A, (size_t)nv * (size_t)ng * sizeof *rank->A);
  rank->is_split = cmb_split_factor(&rank->split, limits->rounding, limits->doubt);
  if (!rank->is_split) {
    cmb_split_values(&rank->split, rank->A, rank->J, rank->sigma);
    count_rank(rank, sqrt(limits->zero));
    return;
  }
  rank->rank = rank->split.rank;
  for (int i = 0; i < rank->rank; i++) rank->sigma[i] = 1;
  if (rank->rank > 0) rank->sigma[rank->rank - 1] = fmin(1, rank->split.least);
  for (int i = rank->rank; i < ng; i++) {
    rank->sigma[i] = cmb_split_rest(&rank->split);
    cmb_split_null(&rank->split, i - rank->rank, rank->J + (ptrdiff_t)i * ng);
  }
}

/* Factors the scaled constraint Jacobian to find its rank and singular values. In large systems, computes only bounds of the singular values if
 * these decide the rank. */
static void factor_symmetric(cmb_kkt_rank *rank, const cmb_kkt_rank_limits *limits)
{
  memcpy(rank->unit_B, rank->unit_G, (size_t)rank->ng * sizeof *rank->unit_B);
  if (rank->nv + rank->ng >= SPLIT_FROM) {
    factor_by_split(rank, limits);
    return;
  }
  cmb_orthogonal_rows(rank->ng, rank->nv, rank->A, rank->J, rank->sigma);
  count_rank(rank, sqrt(limits->zero));
}

void cmb_kkt_rank_factor(cmb_kkt_rank *rank, const double *D_inv, const double *G, const double *B,
                         const cmb_kkt_rank_limits *limits)
{
  const int nv = rank->nv, ng = rank->ng;
  rank->symmetric = B == G;
  rank->is_split = false;
  unit_rows(rank, D_inv, G, rank->A, rank->unit_G);
  if (rank->symmetric) {
    factor_symmetric(rank, limits);
    return;
  }
  unit_rows(rank, D_inv, B, rank->A_B, rank->unit_B);
  for (int j = 0; j < ng; j++) {
    for (int i = 0; i < ng; i++) {
      rank->S[(ptrdiff_t)j * ng + i] =
          cmb_dot(nv, rank->A_B + (ptrdiff_t)j * nv, rank->A + (ptrdiff_t)i * nv);
    }
  }
  cmb_orthogonal_rows(ng, ng, rank->S, rank->J, rank->sigma);
  count_rank(rank, limits->zero);
}

/* Computes the scaled Lagrange multipliers y = Σ c_i j_i (ng) from the coefficients c of the first `count` left singular vectors j_i, the
 * rows of J. */
static void multipliers(const cmb_kkt_rank *rank, int count, const double *c, double *y)
{
  memset(y, 0, (size_t)rank->ng * sizeof *y);
  for (int i = 0; i < count; i++) {
    cmb_add_scaled(rank->ng, c[i], rank->J + (ptrdiff_t)i * rank->ng, y);
  }
}

/* Corrects z (nv), the unknown of the scaled KKT system, so that it satisfies the constraints in the sense of least squares, and computes the
 * scaled Lagrange multipliers y (ng). Uses only the `count` largest singular values. For constraint forces along the constraint gradients (B =
 * G). */
static void solve_symmetric(cmb_kkt_rank *rank, int count, double *z, double *y)
{
  const int nv = rank->nv, ng = rank->ng;
  for (int i = 0; i < count; i++) {
    double *row = rank->A + (ptrdiff_t)i * nv, sigma = rank->sigma[i]; /* σ_i v_i */
    double target = cmb_dot(ng, rank->J + (ptrdiff_t)i * ng, rank->b);
    rank->c[i] = (cmb_dot(nv, row, z) + target) / sigma / sigma;
    cmb_add_scaled(nv, -rank->c[i], row, z);
  }
  multipliers(rank, count, rank->c, y);
}

/* Solves the scaled KKT system with the `count` largest singular values of the constraint Jacobian, for constraint forces that do not act along
 * the constraint gradients (B ≠ G). On entry z (nv) is the scaled solution without constraints; computes the scaled Lagrange multipliers y (ng)
 * and subtracts the constraint forces from z. Overwrites rank->b. */
static void solve_unsymmetric(cmb_kkt_rank *rank, int count, double *z, double *y)
{
  const int nv = rank->nv, ng = rank->ng;
  for (int i = 0; i < ng; i++) rank->b[i] += cmb_dot(nv, rank->A + (ptrdiff_t)i * nv, z);
  for (int i = 0; i < count; i++) {
    double sigma = rank->sigma[i];
    rank->c[i] = cmb_dot(ng, rank->S + (ptrdiff_t)i * ng, rank->b) / sigma / sigma;
  }
  multipliers(rank, count, rank->c, y);
  for (int i = 0; i < ng; i++) cmb_add_scaled(nv, -y[i], rank->A_B + (ptrdiff_t)i * nv, z);
}

void cmb_kkt_rank_solve(cmb_kkt_rank *rank, double cut, const double *s, double *z, double *y)
{
  int count = rank->rank;
  while (count > 0 && !(rank->sigma[count - 1] > cut)) count--;
  for (int i = 0; i < rank->ng; i++) rank->b[i] = s ? s[i] * rank->unit_G[i] : 0;
  if (rank->is_split) {
    cmb_split_solve(&rank->split, rank->b, z, y);
  } else if (rank->symmetric) {
    solve_symmetric(rank, count, z, y);
  } else {
    solve_unsymmetric(rank, count, z, y);
  }
  for (int i = 0; i < rank->ng; i++) y[i] *= rank->unit_B[i];
}

/* Orthogonalises q[nv] against the first `kept` rows q_j of Q, which are orthonormal: q := q − Σ (q_jᵀ q) q_j (Gram-Schmidt). Two passes
 * keep the result orthogonal to rounding even if the angle between q and the rows is small. */
static void orthogonalize(int nv, int kept, const double *Q, double *q)
{
  for (int pass = 0; pass < 2; pass++) {
    for (int j = 0; j < kept; j++) {
      const double *q_j = Q + (ptrdiff_t)j * nv;
      cmb_add_scaled(nv, -cmb_dot(nv, q_j, q), q_j, q);
    }
  }
}

/* Returns whether row i of the scaled constraint Jacobian depends on the *kept rows chosen so far: the squared length of its component
 * orthogonal to them is at most `least`. Otherwise appends that component, normalised, to the orthonormal rows in rank->A and increments
 * *kept. */
static bool is_dependent(cmb_kkt_rank *rank, int i, double least, int *kept)
{
  const int nv = rank->nv;
  double *q = *kept < nv ? rank->A + (ptrdiff_t)*kept * nv : rank->z;
  memcpy(q, rank->A_B + (ptrdiff_t)i * nv, (size_t)nv * sizeof *q);
  orthogonalize(nv, *kept, rank->A, q);
  const double rest = cmb_dot(nv, q, q), length = sqrt(rest);
  if (!(rest > least)) return true;
  for (int k = 0; k < nv; k++) q[k] /= length;
  ++*kept;
  return false;
}

static int ascending(const void *a, const void *b)
{
  const int x = *(const int *)a, y = *(const int *)b;
  return (x > y) - (x < y);
}

void cmb_kkt_rank_redundant(cmb_kkt_rank *rank, const double *D_inv, const double *G, double least,
                            const bool *last, int *list, int *count)
{
  int kept = 0;
  *count = 0;
  unit_rows(rank, D_inv, G, rank->A_B, rank->unit_B);
  for (int pass = 0; pass < (last ? 2 : 1); pass++) {
    for (int i = 0; i < rank->ng; i++) {
      if (last && last[i] != (pass == 1)) continue;
      if (is_dependent(rank, i, least, &kept)) list[(*count)++] = i;
    }
  }
  qsort(list, (size_t)*count, sizeof *list, ascending);
}
