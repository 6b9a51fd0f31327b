/*
 * KKT matrix with one or two constraints and a diagonal mass matrix D in closed form (kkt_small.h):
 *
 *     W_G = G D⁻¹,   W_B = B D⁻¹,   S = W_G Bᵀ (2 x 2),   S y = W_G r + s,   x = D⁻¹ r − W_Bᵀ y
 *
 * B = G: with gradients of unit length both pivots of S are 1 at first, so pivoting has no choice, and the second pivot is sin² of the angle
 * between the two gradients. B ≠ G: the first pivot is the largest of the four entries, in units of the rows' lengths. A single constraint
 * is extended by a second one without gradient, S = [s 0; 0 1].
 */
#include "math/kkt_small.h"

#include "math/dense.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

/* S, and the squared lengths of the rows of G and B in the metric of D⁻¹. */
struct products {
  double S[2][2], G_length2[2], B_length2[2];
};

/* Returns nv rounded down to an even number: the number of entries of a row that are processed in pairs (SIMD). */
static inline ptrdiff_t even_part(const cmb_kkt_small *small)
{
  return small->nv & ~1;
}

/* Returns the sum of the two numbers of a SIMD vector. */
static double sum(cmb_lanes lanes)
{
  return lanes[0] + lanes[1];
}

/* Reports that constraint `row` depends on the other one: sets *dependent to `row` and returns CMB_RETRY_SINGULAR. */
static cmb_status singular(int row, int *dependent)
{
  *dependent = row;
  return CMB_RETRY_SINGULAR;
}

/* ---- B = G */

/* Computes for two constraints with Jacobian G (2 x nv) and a diagonal mass matrix D the product W_G = G D⁻¹ and the Schur complement W_G
 * Gᵀ, whose entries s00, s01 = s10, s11 are stored in S, in one pass. */
static void multiply_two(const cmb_kkt_small *small, const double *G, double S[3])
{
  const ptrdiff_t nv = small->nv, pairs = even_part(small);
  const double *D_inv = small->D_inv, *G1 = G + nv;
  double *W = small->W_G, *W1 = W + nv;
  cmb_lanes a = {0}, b = {0}, c = {0};
  ptrdiff_t k = 0;
  for (; k < pairs; k += 2) {
    cmb_lanes d = cmb_lanes_load(D_inv + k);
    cmb_lanes g0 = cmb_lanes_load(G + k), g1 = cmb_lanes_load(G1 + k), w0 = d * g0, w1 = d * g1;
    cmb_lanes_store(w0, W + k);
    cmb_lanes_store(w1, W1 + k);
    a += w0 * g0;
    b += w0 * g1;
    c += w1 * g1;
  }
  S[0] = sum(a);
  S[1] = sum(b);
  S[2] = sum(c);
  if (nv & 1) {
    double g0 = G[k], g1 = G1[k], w0 = D_inv[k] * g0, w1 = D_inv[k] * g1;
    W[k] = w0;
    W1[k] = w1;
    S[0] += w0 * g0;
    S[1] += w0 * g1;
    S[2] += w1 * g1;
  }
}

cmb_status cmb_kkt_small_factor(cmb_kkt_small *small, const double *G, double least_pivot,
                                int *dependent)
{
  double S[3] = {0, 0, 1}; /* s00, s01 = s10, s11 */
  if (small->ng == 2) {
    multiply_two(small, G, S);
  } else {
    cmb_multiply_entries(small->nv, small->D_inv, G, small->W_G);
    S[0] = cmb_dot(small->nv, small->W_G, G);
  }
  /* sums of squares are not finite if an entry is not finite */
  if (!isfinite(S[0] + S[2])) return CMB_RETRY_NONFINITE;
  if (!(S[0] > small->least_length2[0])) return singular(0, dependent);
  const double d0_inv = 1 / S[0], l = S[1] * d0_inv, d1 = S[2] - S[1] * l;
  if (!(d1 > least_pivot * S[2])) return singular(1, dependent);
  if (!(S[2] > small->least_length2[1])) return singular(1, dependent);
  small->W = small->W_G;
  small->row = small->column = 0;
  small->l = small->m = l;
  small->d0_inv = d0_inv;
  small->d1_inv = 1 / d1;
  return CMB_OK;
}

/* ---- B ≠ G */

/* Computes, in one pass, for two constraints with Jacobian G (2 x nv), whose forces Bᵀ λ act along other rows B, and a diagonal mass matrix D:
 * W_G = G D⁻¹ and W_B = B D⁻¹; and in *p the Schur complement S = W_G Bᵀ and the squared lengths of the rows of G and B in the inner product of
 * D⁻¹. */
static void multiply_two_and_two(const cmb_kkt_small *small, const double *G, const double *B,
                                 struct products *p)
{
  const int nv = small->nv;
  cmb_lanes s00 = {0}, s01 = {0}, s10 = {0}, s11 = {0}, g00 = {0}, g11 = {0}, b00 = {0}, b11 = {0};
  int k = 0;
  for (; k + 1 < nv; k += 2) {
    cmb_lanes d = cmb_lanes_load(small->D_inv + k);
    cmb_lanes g0 = cmb_lanes_load(G + k), g1 = cmb_lanes_load(G + nv + k), u0 = d * g0, u1 = d * g1;
    cmb_lanes b0 = cmb_lanes_load(B + k), b1 = cmb_lanes_load(B + nv + k), w0 = d * b0, w1 = d * b1;
    cmb_lanes_store(u0, small->W_G + k);
    cmb_lanes_store(u1, small->W_G + nv + k);
    cmb_lanes_store(w0, small->W_B + k);
    cmb_lanes_store(w1, small->W_B + nv + k);
    s00 += u0 * b0;
    s01 += u0 * b1;
    s10 += u1 * b0;
    s11 += u1 * b1;
    g00 += u0 * g0;
    g11 += u1 * g1;
    b00 += w0 * b0;
    b11 += w1 * b1;
  }
  *p = (struct products){
      {{sum(s00), sum(s01)}, {sum(s10), sum(s11)}}, {sum(g00), sum(g11)}, {sum(b00), sum(b11)}};
  for (int i = 0; (nv & 1) && i < 2; i++) {
    double d = small->D_inv[k], g = G[i * nv + k], b = B[i * nv + k];
    small->W_G[i * nv + k] = d * g;
    small->W_B[i * nv + k] = d * b;
    p->G_length2[i] += d * g * g;
    p->B_length2[i] += d * b * b;
    for (int j = 0; j < 2; j++) p->S[i][j] += d * g * B[j * nv + k];
  }
}

/* Computes for one constraint with Jacobian G[nv], whose force acts along another row B[nv], and a diagonal mass matrix D: W_G = G D⁻¹, W_B
 * = B D⁻¹, and in *p the Schur complement s = W_G Bᵀ, extended to the 2 x 2 matrix [s 0; 0 1], and the squared lengths of G and B in the
 * inner product of D⁻¹. */
static void multiply_one_and_one(const cmb_kkt_small *small, const double *G, const double *B,
                                 struct products *p)
{
  const int nv = small->nv;
  cmb_multiply_entries(nv, small->D_inv, G, small->W_G);
  cmb_multiply_entries(nv, small->D_inv, B, small->W_B);
  *p = (struct products){{{cmb_dot(nv, small->W_G, B), 0}, {0, 1}},
                         {cmb_dot(nv, small->W_G, G), 1},
                         {cmb_dot(nv, small->W_B, B), 1}};
}

/* Returns s²/(a b) for s, an entry or pivot of the 2 x 2 Schur complement G D⁻¹ Bᵀ, where a is the squared length of row i of G and b that
 * of row j of B; the order of operations avoids overflow. */
static double relative_square(const struct products *p, int i, int j, double s)
{
  return (s / p->G_length2[i]) * (s / p->B_length2[j]);
}

/* Returns the position, 2 · row + column, of the entry of the 2 x 2 Schur complement that is largest relative to the lengths of its rows of
 * G and B. */
static int largest_entry(const struct products *p)
{
  const double size[4] = {
      relative_square(p, 0, 0, p->S[0][0]), relative_square(p, 0, 1, p->S[0][1]),
      relative_square(p, 1, 0, p->S[1][0]), relative_square(p, 1, 1, p->S[1][1])};
  int largest = 0;
  for (int k = 1; k < 4; k++) {
    if (size[k] > size[largest]) largest = k;
  }
  return largest;
}

cmb_status cmb_kkt_small_factor_unsymmetric(cmb_kkt_small *small, const double *G, const double *B,
                                            double least_pivot, int *dependent)
{
  struct products p;
  if (small->ng == 2) {
    multiply_two_and_two(small, G, B, &p);
  } else {
    multiply_one_and_one(small, G, B, &p);
  }
  const double *g = p.G_length2, *b = p.B_length2, least2 = least_pivot * least_pivot;
  const double *least = small->least_length2;
  if (!isfinite(g[0] + g[1] + b[0] + b[1])) return CMB_RETRY_NONFINITE;
  if (!(g[0] > least[0] && b[0] > least[0])) return singular(0, dependent);
  if (!(g[1] > least[1] && b[1] > least[1])) return singular(1, dependent);

  const int place = largest_entry(&p), row = place / 2, column = place % 2;
  const double d0_inv = 1 / p.S[row][column], l = p.S[1 - row][column] * d0_inv;
  const double d1 = p.S[1 - row][1 - column] - l * p.S[row][1 - column];
  /* if the first pivot is too small, the second is no larger, or NaN */
  if (!(relative_square(&p, 1 - row, 1 - column, d1) > least2)) return singular(1 - row, dependent);
  small->W = small->W_B;
  small->row = row;
  small->column = column;
  small->l = l;
  small->m = p.S[row][1 - column] * d0_inv;
  small->d0_inv = d0_inv;
  small->d1_inv = 1 / d1;
  return CMB_OK;
}

/* ---- solve */

/* Computes b = G D⁻¹ r (2) from r[nv], where G (2 x nv) are the constraint gradients and D is the diagonal mass matrix. If there is only one
 * constraint, the second row of G counts as zero. */
static void reduce(const cmb_kkt_small *small, const double *r, double b[2])
{
  const ptrdiff_t nv = small->nv, pairs = even_part(small);
  const double *W = small->W_G, *W1 = W + nv;
  cmb_lanes b0 = {0}, b1 = {0};
  ptrdiff_t k = 0;
  for (; k < pairs; k += 2) {
    cmb_lanes t = cmb_lanes_load(r + k);
    b0 += cmb_lanes_load(W + k) * t;
    b1 += cmb_lanes_load(W1 + k) * t;
  }
  b[0] = sum(b0);
  b[1] = sum(b1);
  if (nv & 1) {
    b[0] += W[k] * r[k];
    b[1] += W1[k] * r[k];
  }
}

/* Computes the solution x = D⁻¹ r − Wᵀ y (nv) of the KKT system with a diagonal mass matrix D from the right-hand side r and the Lagrange
 * multipliers y, where W = B D⁻¹. x may be r. */
static void expand(const cmb_kkt_small *small, const double *r, const double y[2], double *x)
{
  const ptrdiff_t nv = small->nv, pairs = even_part(small);
  const double *D_inv = small->D_inv, *W = small->W, *W1 = W + nv, y0 = y[0], y1 = y[1];
  ptrdiff_t k = 0;
  for (; k < pairs; k += 2) {
    cmb_lanes t = cmb_lanes_load(D_inv + k) * cmb_lanes_load(r + k);
    t -= y0 * cmb_lanes_load(W + k) + y1 * cmb_lanes_load(W1 + k);
    cmb_lanes_store(t, x + k);
  }
  if (nv & 1) x[k] = D_inv[k] * r[k] - (y0 * W[k] + y1 * W1[k]);
}

/* Exchanges the two numbers of a if is_wanted is not 0; the compiler is told that this is rare. */
static inline void exchange(int is_wanted, double a[2])
{
  if (__builtin_expect(is_wanted, 0)) {
    const double t = a[0];
    a[0] = a[1];
    a[1] = t;
  }
}

/* Solves the 2 x 2 system S z = b with the factors of the Schur complement S; b may be overwritten. */
static inline void solve_two(const cmb_kkt_small *small, double b[2], double z[2])
{
  exchange(small->row, b);
  z[1] = (b[1] - small->l * b[0]) * small->d1_inv;
  z[0] = b[0] * small->d0_inv - small->m * z[1];
  exchange(small->column, z);
}

void cmb_kkt_small_move(const cmb_kkt_small *small, const double *s, double *x, double *y)
{
  const bool two = small->ng == 2;
  const ptrdiff_t nv = small->nv, pairs = even_part(small);
  const double *W = small->W, *W1 = W + nv;
  double b[2] = {s[0], two ? s[1] : 0}, z[2];
  solve_two(small, b, z);
  const double z0 = z[0], z1 = z[1];
  ptrdiff_t k = 0;
  for (; k < pairs; k += 2) {
    cmb_lanes_store(-(z0 * cmb_lanes_load(W + k) + z1 * cmb_lanes_load(W1 + k)), x + k);
  }
  if (nv & 1) x[k] = -(z0 * W[k] + z1 * W1[k]);
  y[0] = z0;
  if (two) y[1] = z1;
}

void cmb_kkt_small_solve(const cmb_kkt_small *small, const double *r, const double *s, double *x,
                         double *y)
{
  const bool two = small->ng == 2;
  double b[2], z[2];
  reduce(small, r, b);
  if (s) b[0] += s[0];
  if (s && two) b[1] += s[1];
  solve_two(small, b, z);
  expand(small, r, z, x);
  if (y) y[0] = z[0];
  if (y && two) y[1] = z[1];
}
