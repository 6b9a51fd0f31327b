/*
 * The KKT object where constraints are dependent or nearly so: how near that is, in which directions, and reports.
 *
 * With Â = N G L⁻ᵀ D^−½ = Jᵀ Σ Vᵀ (kkt_rank.h): nᵀ = (row of J) N is a left vector, x = L⁻ᵀ D^−½ v the right vector that goes
 * with it, nᵀ G x = σ and xᵀ M x = 1; its dual is M x = L D^½ v.
 */
#include "math/kkt_object.h"

#include "math/dense.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

void cmb_kkt_correct(cmb_kkt *kkt, const double *s, double *x)
{
  cmb_kkt *held = kkt->by_dense ? kkt->dense : kkt;
  memset(x, 0, (size_t)kkt->shape.nv * sizeof *x);
  if (held->by_rank) {
    cmb_kkt_solve_by_rank(held, held->limits.correct, x, s, x, NULL);
  } else {
    cmb_kkt_solve(kkt, x, s, x, NULL);
  }
}

const bool *cmb_kkt_doubtful(const cmb_kkt *kkt)
{
  return &kkt->doubtful;
}

double cmb_kkt_nearness(const cmb_kkt *kkt)
{
  const cmb_kkt *held = cmb_kkt_holder(kkt);
  const int k = kkt->shape.ng - 1 - kkt->limits.redundant;
  if (!held->by_rank || k < 0) return 1;
  return held->rank.symmetric ? held->rank.sigma[k] : sqrt(held->rank.sigma[k]);
}

int cmb_kkt_dependent(const cmb_kkt *kkt)
{
  return kkt->dependent;
}

int cmb_kkt_rank_held(const cmb_kkt *kkt)
{
  const cmb_kkt *held = cmb_kkt_holder(kkt);
  return held->by_rank ? held->rank.rank : kkt->shape.ng;
}

void cmb_kkt_null(const cmb_kkt *kkt, int k, double *n, double *share)
{
  const cmb_kkt_rank *rank = &cmb_kkt_holder(kkt)->rank;
  const double *j = rank->J + (ptrdiff_t)(rank->rank + k) * rank->ng;
  for (int i = 0; i < rank->ng; i++) {
    n[i] = j[i] * rank->unit_B[i];
    share[i] = fabs(j[i]);
  }
}

/* What of a gradient's length is in doubt, by the reference and the limits. */
static void set_lengths(cmb_kkt *kkt)
{
  const double *reference = kkt->sparse ? kkt->reference : kkt->rank.reference;
  double *least_length2 = kkt->sparse ? kkt->least_length2 : kkt->schur.least_length2;
  for (int i = 0; i < kkt->shape.ng; i++) {
    double least = kkt->limits.doubt * reference[i];
    least_length2[i] = least * least;
  }
}

void cmb_kkt_set_reference(cmb_kkt *kkt, const double *length)
{
  memcpy(kkt->sparse ? kkt->reference : kkt->rank.reference, length,
         (size_t)kkt->shape.ng * sizeof *length);
  set_lengths(kkt);
  if (kkt->dense) cmb_kkt_set_reference(kkt->dense, length);
}

void cmb_kkt_set_limits(cmb_kkt *kkt, const cmb_kkt_limits *limits)
{
  kkt->limits = *limits;
  kkt->doubt = fmax(kkt->least_pivot, limits->doubt * limits->doubt);
  set_lengths(kkt);
  if (kkt->dense) cmb_kkt_set_limits(kkt->dense, limits);
}

cmb_status cmb_kkt_lengths(cmb_kkt *kkt, const double *M, const double *G, double *length)
{
  const int nv = kkt->shape.nv;
  cmb_kkt *d;
  CMB_TRY(cmb_kkt_prepare(kkt, M, G, &d));
  for (int i = 0; i < kkt->shape.ng; i++) {
    const double *g = d->G + (ptrdiff_t)i * nv;
    cmb_multiply_entries(nv, d->D_inv, g, d->u);
    length[i] = sqrt(cmb_dot(nv, g, d->u));
  }
  return CMB_OK;
}

/* No factors are held any more. */
static void lose_factors(cmb_kkt *kkt)
{
  kkt->dependent = -1;
  kkt->by_rank = kkt->by_dense = kkt->doubtful = false;
}

cmb_status cmb_kkt_singular_values(cmb_kkt *kkt, const double *M, const double *G, int k,
                                   double *sigma, double *share)
{
  const int ng = kkt->shape.ng;
  cmb_kkt *d;
  lose_factors(kkt);
  CMB_TRY(cmb_kkt_prepare(kkt, M, G, &d));
  cmb_kkt_rank_factor(&d->rank, d->D_inv, d->G, d->G, d->least_pivot);
  memcpy(sigma, d->rank.sigma, (size_t)ng * sizeof *sigma);
  for (int i = 0; i < ng; i++) share[i] = fabs(d->rank.J[(ptrdiff_t)k * ng + i]);
  return CMB_OK;
}

/* Right vector i, of length 1 in the metric of M, and its dual M x. */
static void right_vector(const cmb_kkt *d, int i, double *x, double *dual)
{
  const int nv = d->shape.nv;
  for (int k = 0; k < nv; k++) {
    double v = d->rank.A[(ptrdiff_t)i * nv + k] / d->rank.sigma[i], root = sqrt(d->D_inv[k]);
    x[k] = v * root;
    dual[k] = v / root;
  }
  cmb_kkt_backward(d, x);
  const cmb_mass_factors *f = d->factors;
  if (f) f->multiply(f->self, d->M_factors, d->M_scratch, x, dual);
  if (!d->LD) return;
  for (int k = nv - 1; k >= 0; k--) dual[k] += cmb_dot(k, d->LD + (ptrdiff_t)k * nv, dual);
}

int cmb_kkt_weak(const cmb_kkt *kkt, double limit, double *sigma, double *N, double *X,
                 double *dual)
{
  const cmb_kkt *d = cmb_kkt_holder(kkt);
  const int nv = kkt->shape.nv, ng = kkt->shape.ng;
  int count = 0;
  if (!d->by_rank || !d->rank.symmetric) return 0;
  for (int i = d->rank.rank - 1; i >= 0 && d->rank.sigma[i] <= limit; i--, count++) {
    sigma[count] = d->rank.sigma[i];
    for (int j = 0; j < ng; j++) {
      N[(ptrdiff_t)count * ng + j] = d->rank.J[(ptrdiff_t)i * ng + j] * d->rank.unit_G[j];
    }
    right_vector(d, i, X + (ptrdiff_t)count * nv, dual + (ptrdiff_t)count * nv);
  }
  return count;
}

cmb_status cmb_kkt_redundant(cmb_kkt *kkt, const double *M, const double *G, int *list, int *count)
{
  cmb_kkt *d;
  *count = 0;
  lose_factors(kkt);
  CMB_TRY(cmb_kkt_prepare(kkt, M, G, &d));
  cmb_kkt_rank_redundant(&d->rank, d->D_inv, d->G, d->least_pivot, list, count);
  return CMB_OK;
}
