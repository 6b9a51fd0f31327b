/*
 * One or two constraints and a diagonal mass matrix D in closed form (kkt_small.h):
 *
 *     W = G D⁻¹,   S = W Gᵀ = [ a  b ] ,   l = b / a,   d0 = a,   d1 = c − b l
 *                             [ b  c ]
 *     S y = W r − s,   x = D⁻¹ r − Wᵀ y
 *
 * With gradients of unit length both pivots of S are 1 at first, so pivoting has nothing to choose, and
 * d1 / c is sin² of the angle between the two gradients. For a single constraint b = 0 and c = 1.
 */
#include "math/kkt_small.h"

#include "math/dense.h"

#include <math.h>

struct pair_products {
  double a, b, c;
};

/* W and S for two rows of G in one pass. */
static struct pair_products multiply_two(const cmb_kkt_small *small, const double *G)
{
  const int nv = small->nv;
  const double *D_inv = small->D_inv, *G1 = G + nv;
  double *W = small->W, *W1 = W + nv;
  cmb_lanes a = {0}, b = {0}, c = {0};
  int k = 0;
  for (; k + 1 < nv; k += 2) {
    cmb_lanes d = cmb_lanes_load(D_inv + k), g0 = cmb_lanes_load(G + k),
              g1 = cmb_lanes_load(G1 + k);
    cmb_lanes w0 = d * g0, w1 = d * g1;
    cmb_lanes_store(w0, W + k);
    cmb_lanes_store(w1, W1 + k);
    a += w0 * g0;
    b += w0 * g1;
    c += w1 * g1;
  }
  struct pair_products S = {a[0] + a[1], b[0] + b[1], c[0] + c[1]};
  if (nv & 1) {
    double g0 = G[k], g1 = G1[k], w0 = D_inv[k] * g0, w1 = D_inv[k] * g1;
    W[k] = w0;
    W1[k] = w1;
    S.a += w0 * g0;
    S.b += w0 * g1;
    S.c += w1 * g1;
  }
  return S;
}

static struct pair_products multiply_one(const cmb_kkt_small *small, const double *G)
{
  cmb_multiply_entries(small->nv, small->D_inv, G, small->W);
  return (struct pair_products){cmb_dot(small->nv, small->W, G), 0, 1};
}

cmb_status cmb_kkt_small_factor(cmb_kkt_small *small, const double *G, double least_pivot,
                                int *dependent)
{
  const struct pair_products S = small->ng == 2 ? multiply_two(small, G) : multiply_one(small, G);
  /* sums of squares keep what is not finite */
  if (!isfinite(S.a + S.c)) return CMB_RETRY_NONFINITE;
  const double d0_inv = 1 / S.a, l = S.b * d0_inv, d1 = S.c - S.b * l;
  if (!(S.a > 0 && d1 > least_pivot * S.c)) {
    *dependent = S.a > 0 ? 1 : 0;
    return CMB_RETRY_SINGULAR;
  }
  small->l = l;
  small->d0_inv = d0_inv;
  small->d1_inv = 1 / d1;
  return CMB_OK;
}

/* b = W r */
static void reduce(const cmb_kkt_small *small, const double *r, double b[2])
{
  const int nv = small->nv;
  const double *W = small->W, *W1 = W + nv;
  cmb_lanes b0 = {0}, b1 = {0};
  int k = 0;
  for (; k + 1 < nv; k += 2) {
    cmb_lanes t = cmb_lanes_load(r + k);
    b0 += cmb_lanes_load(W + k) * t;
    b1 += cmb_lanes_load(W1 + k) * t;
  }
  b[0] = b0[0] + b0[1];
  b[1] = b1[0] + b1[1];
  if (nv & 1) {
    b[0] += W[k] * r[k];
    b[1] += W1[k] * r[k];
  }
}

/* x = D⁻¹ r − Wᵀ y; x may be r: each entry is read before it is written. */
static void expand(const cmb_kkt_small *small, const double *r, double y0, double y1, double *x)
{
  const int nv = small->nv;
  const double *D_inv = small->D_inv, *W = small->W, *W1 = W + nv;
  int k = 0;
  for (; k + 1 < nv; k += 2) {
    cmb_lanes t = cmb_lanes_load(D_inv + k) * cmb_lanes_load(r + k);
    t -= y0 * cmb_lanes_load(W + k) + y1 * cmb_lanes_load(W1 + k);
    cmb_lanes_store(t, x + k);
  }
  if (nv & 1) x[k] = D_inv[k] * r[k] - (y0 * W[k] + y1 * W1[k]);
}

void cmb_kkt_small_solve(const cmb_kkt_small *small, const double *r, const double *s, double *x,
                         double *y)
{
  const int two = small->ng == 2;
  double b[2];
  reduce(small, r, b);
  if (s) b[0] -= s[0];
  if (s && two) b[1] -= s[1];
  const double y1 = (b[1] - small->l * b[0]) * small->d1_inv;
  const double y0 = b[0] * small->d0_inv - small->l * y1;
  expand(small, r, y0, y1, x);
  if (y) y[0] = y0;
  if (y && two) y[1] = y1;
}
