/*
 * The KKT object where constraints are dependent or nearly so: how near they are to losing rank, in which directions, and reports for the
 * user.
 *
 * With Â = N G L⁻ᵀ D^−½ = Jᵀ Σ Vᵀ (kkt_rank.h): nᵀ = (row of J) N is a left vector, x = L⁻ᵀ D^−½ v the right vector that belongs to it, nᵀ G
 * x = σ and xᵀ M x = 1; its dual is M x = L D^½ v.
 */
#include "math/kkt_object.h"

#include "math/dense.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

void cmb_kkt_correct(cmb_kkt *kkt, const double *s, double *x)
{
  cmb_kkt *held = kkt->by_dense ? kkt->dense : kkt;
  if (kkt->near_singular && kkt->nearness <= kkt->limits.correct) {
    cmb_kkt_sparse_damped(kkt->sparse, kkt->limits.correct, s, x);
    return;
  }
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

void cmb_kkt_lose(cmb_kkt *kkt)
{
  kkt->dependent = -1;
  kkt->by_rank = kkt->by_dense = kkt->near_singular = kkt->doubtful = false;
}

void cmb_kkt_keep(cmb_kkt *kkt)
{
  kkt->kept_doubtful = kkt->doubtful;
  if (kkt->sparse) cmb_kkt_sparse_keep(kkt->sparse);
}

void cmb_kkt_restore(cmb_kkt *kkt)
{
  kkt->doubtful = kkt->kept_doubtful;
  if (kkt->sparse) cmb_kkt_sparse_restore(kkt->sparse);
}

double cmb_kkt_nearness(const cmb_kkt *kkt)
{
  const cmb_kkt *held = cmb_kkt_holder(kkt);
  const int k = kkt->shape.ng - 1 - kkt->limits.redundant;
  if (kkt->near_singular) return kkt->nearness;
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

double cmb_kkt_zero(const cmb_kkt *kkt)
{
  return fmax(sqrt(kkt->certain), kkt->limits.zero);
}

double cmb_kkt_dropped(const cmb_kkt *kkt)
{
  const cmb_kkt_rank *rank = &cmb_kkt_holder(kkt)->rank;
  const int dropped = kkt->shape.ng - cmb_kkt_rank_held(kkt);
  return dropped > 0 ? rank->sigma[rank->rank] * sqrt(dropped) : 0;
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

/* Computes for each constraint of a dense KKT object the squared length up to which its gradient counts as dependent, from its usual length
 * and the limit `doubt`. Does nothing for a sparse object. */
static void set_lengths(cmb_kkt *kkt)
{
  for (int i = 0; i < kkt->shape.ng && !kkt->sparse; i++) {
    double least = kkt->limits.doubt * kkt->rank.reference[i];
    kkt->schur.least_length2[i] = least * least;
  }
}

void cmb_kkt_set_reference(cmb_kkt *kkt, const double *length)
{
  memcpy(kkt->sparse ? kkt->reference : kkt->rank.reference, length,
         (size_t)kkt->shape.ng * sizeof *length);
  if (kkt->sparse) cmb_kkt_sparse_reference(kkt->sparse, length);
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

/* Computes the lengths length[ng] of the constraint gradients, the rows of G, in the metric of M⁻¹ (approximately) from a sparse
 * factorisation with a small diagonal shift, which exists also for dependent constraints. M == NULL: the mass matrix is unchanged. */
static cmb_status measure_sparse(cmb_kkt *kkt, const double *M, const double *G, double *length)
{
  CMB_TRY(cmb_kkt_mass(kkt, M));
  return cmb_kkt_sparse_measure(kkt->sparse, G, length);
}

void cmb_kkt_refuse(cmb_kkt *kkt, bool refuse)
{
  kkt->refusing = refuse && kkt->limits.correct > 0;
}

cmb_status cmb_kkt_lengths(cmb_kkt *kkt, const double *M, const double *G, double *length)
{
  const int nv = kkt->shape.nv;
  cmb_kkt *d;
  if (kkt->sparse && !kkt->by_dense) return measure_sparse(kkt, M, G, length);
  CMB_TRY(cmb_kkt_prepare(kkt, M, G, &d));
  for (int i = 0; i < kkt->shape.ng; i++) {
    const double *g = d->G + (ptrdiff_t)i * nv;
    cmb_multiply_entries(nv, d->D_inv, g, d->u);
    length[i] = sqrt(cmb_dot(nv, g, d->u));
  }
  return CMB_OK;
}

cmb_status cmb_kkt_smallest(cmb_kkt *kkt, const double *M, const double *G, int redundant,
                            double *sigma, double *share)
{
  const int ng = kkt->shape.ng, k = ng - 1 - redundant;
  cmb_kkt *d;
  cmb_kkt_lose(kkt);
  if (kkt->sparse && redundant == 0) {
    CMB_TRY(cmb_kkt_mass(kkt, M));
    return cmb_kkt_sparse_smallest(kkt->sparse, G, sigma, share);
  }
  CMB_TRY(cmb_kkt_prepare(kkt, M, G, &d));
  const cmb_kkt_rank_limits limits = {.zero = d->least_pivot, .doubt = INFINITY};
  cmb_kkt_rank_factor(&d->rank, d->D_inv, d->G, d->G, &limits);
  *sigma = d->rank.sigma[k];
  for (int i = 0; i < ng; i++) share[i] = fabs(d->rank.J[(ptrdiff_t)k * ng + i]);
  return CMB_OK;
}

/* Computes the i-th right singular vector x (nv) of the constraint Jacobian, which has length 1 in the inner product of the mass matrix M,
 * and dual = M x (nv). */
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

/* Returns whether singular value i of the constraint Jacobian has been computed (or bounded), is at most `limit`, and is large enough, compared
 * with rounding errors, for its right singular vector to be defined. For constraint forces along the constraint gradients (B = G). */
static bool is_weak(const cmb_kkt *d, int i, double limit)
{
  const double sigma = d->by_rank && d->rank.symmetric && i >= 0 ? d->rank.sigma[i] : INFINITY;
  return sigma <= limit && sigma * sigma > d->least_pivot;
}

bool cmb_kkt_weakest(const cmb_kkt *kkt, double limit, double *sigma, double *n, double *x)
{
  const cmb_kkt *d = cmb_kkt_holder(kkt);
  const int i = d->rank.rank - 1;
  if (kkt->near_singular) {
    *sigma = kkt->weakest;
    cmb_kkt_sparse_weakest_vectors(kkt->sparse, n, x);
    return kkt->nearness <= limit;
  }
  if (!is_weak(d, i, limit)) return false;
  *sigma = d->rank.sigma[i];
  for (int j = 0; j < kkt->shape.ng; j++) {
    n[j] = d->rank.J[(ptrdiff_t)i * kkt->shape.ng + j] * d->rank.unit_G[j];
  }
  right_vector(d, i, x, d->u);
  return true;
}

/* Computes, for a sparse system, that part of the smallest x with G x = s which lies in directions that the constraints determine only weakly
 * (singular values up to about `limit`): a damped solution of G x = −s minus the full solution. s is read, part[nv] written. */
static void weak_part_sparse(cmb_kkt *kkt, double limit, const double *s, double *part)
{
  const int nv = kkt->shape.nv;
  double *full = kkt->sparse_scratch;
  memset(full, 0, (size_t)nv * sizeof *full);
  cmb_kkt_sparse_solve(kkt->sparse, full, s, full, NULL);
  cmb_kkt_sparse_damped(kkt->sparse, limit, s, part);
  for (int i = 0; i < nv; i++) part[i] -= full[i];
}

void cmb_kkt_weak_part(cmb_kkt *kkt, double limit, const double *x, const double *Gx, double *part)
{
  const cmb_kkt *d = cmb_kkt_holder(kkt);
  const int nv = kkt->shape.nv;
  if (kkt->near_singular) {
    weak_part_sparse(kkt, limit, Gx, part);
    return;
  }
  memset(part, 0, (size_t)nv * sizeof *part);
  for (int i = kkt->shape.ng - 1 - kkt->limits.redundant; i >= 0; i--) {
    if (!is_weak(d, i, limit)) continue;
    right_vector(d, i, d->z, d->u);
    cmb_add_scaled(nv, cmb_dot(nv, d->u, x), d->z, part);
  }
}

cmb_status cmb_kkt_redundant(cmb_kkt *kkt, const double *M, const double *G, const bool *last,
                             int *list, int *count)
{
  cmb_kkt *d;
  *count = 0;
  cmb_kkt_lose(kkt);
  /* pivots that are large enough show that there is none, without a dense matrix */
  if (kkt->sparse) {
    CMB_TRY(cmb_kkt_mass(kkt, M));
    cmb_status status = cmb_kkt_sparse_factor(kkt->sparse, G, G, kkt->least_pivot);
    const bool good = status == CMB_OK && cmb_kkt_is_certain(kkt);
    if (good || (status != CMB_OK && status != CMB_RETRY_SINGULAR)) return status;
    M = NULL;
  }
  CMB_TRY(cmb_kkt_prepare(kkt, M, G, &d));
  cmb_kkt_rank_redundant(&d->rank, d->D_inv, d->G, d->least_pivot, last, list, count);
  return CMB_OK;
}
