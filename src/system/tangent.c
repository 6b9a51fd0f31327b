/*
 * The tangent space (tangent.h). With M = L D Lᵀ, C = L D^(1/2) and B = G C⁻ᵀ, whose rows are scaled to length 1,
 *
 *     Bᵀ Π = Q R,  R_ii decreasing: the rank is the number of R_ii that are not rounding,
 *     N = C⁻ᵀ Q₂,  Gᵀλ ≈ f: R λ = Q₁ᵀ C⁻¹ f,  G w = s: w = C⁻ᵀ Q₁ R⁻ᵀ s.
 */
#include "system/tangent.h"

#include "base/context.h"
#include "math/dense.h"
#include "math/eigen.h"
#include "math/finite.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* A constraint whose gradient has at most this distance from the span of the others counts as dependent: positions are known to
 * about 1e-13 of the mechanism's size, and a mechanism this near to losing rank is practically singular. */
static const double DEPENDENT = 1e-10;

static int largest(int a, int b, int c)
{
  int most = a > b ? a : b;
  return most > c ? most : c;
}

cmb_status cmb_tangent_create(cmb_tangent *s, cmb_arena *arena, cmb_evaluator *ev)
{
  const cmb_equations *eq = ev->eq;
  const int nv = eq->nv, ng = eq->ng, most = largest(nv, eq->nq, ng);
  *s = (cmb_tangent){.ev = ev};
  CMB_TRY(cmb_require_mass_entries(ev));
  if (nv > CMB_TANGENT_MOST) {
    return cmb_fail(ev->ctx, CMB_ERROR_INPUT, "%s has %d velocities; expected at most %d", eq->name,
                    nv, CMB_TANGENT_MOST);
  }
  s->N = cmb_arena_doubles(arena, nv * nv);
  s->P = cmb_arena_doubles(arena, nv * nv);
  s->G = cmb_arena_doubles(arena, cmb_pattern_values(eq->G_pattern, ng, nv));
  s->LD = cmb_arena_doubles(arena, nv * nv);
  s->root = cmb_arena_doubles(arena, nv);
  s->Q = cmb_arena_doubles(arena, nv * nv);
  s->R = cmb_arena_doubles(arena, ng * nv);
  s->length = cmb_arena_doubles(arena, ng);
  s->order = cmb_arena_ints(arena, ng);
  s->x = cmb_arena_doubles(arena, most);
  s->y = cmb_arena_doubles(arena, most);
  s->work = cmb_arena_doubles(arena, cmb_eigen_work(nv, ng));
  return cmb_arena_failed(arena) ? cmb_fail_memory(ev->ctx) : CMB_OK;
}

/* Copies the matrix A (rows x columns), which is stored on the sparsity pattern p (NULL: dense), to the dense matrix `dense`. */
static void spread(const cmb_pattern *p, int rows, int columns, const double *A, double *dense)
{
  size_t count = (size_t)rows * (size_t)columns;
  if (!p) {
    memcpy(dense, A, count * sizeof *dense);
    return;
  }
  memset(dense, 0, count * sizeof *dense);
  for (int i = 0; i < rows; i++) {
    for (int k = p->start[i]; k < p->start[i + 1]; k++) dense[i * columns + p->column[k]] = A[k];
  }
}

static cmb_status factor_mass(cmb_tangent *s)
{
  const cmb_equations *eq = s->ev->eq;
  const int nv = eq->nv;
  if (eq->mass_diagonal) {
    memset(s->LD, 0, (size_t)nv * (size_t)nv * sizeof *s->LD);
    for (int i = 0; i < nv; i++) s->LD[i * nv + i] = s->ev->M[i];
  } else {
    spread(eq->M_pattern, nv, nv, s->ev->M, s->LD);
  }
  if (!cmb_all_finite(nv * nv, s->LD)) return CMB_RETRY_NONFINITE;
  if (cmb_ldlt_factor(nv, s->LD) >= 0) return CMB_RETRY_MASS;
  for (int i = 0; i < nv; i++) s->root[i] = sqrt(s->LD[i * nv + i]);
  return CMB_OK;
}

/* Computes an orthogonal factorisation of the constraint Jacobian G (ng x nv), with rows scaled to length 1 in the metric of M⁻¹. Sets its
 * rank, s->rank, and the dimension of the tangent space, s->n = nv − rank. */
static cmb_status factor_constraints(cmb_tangent *s)
{
  const cmb_equations *eq = s->ev->eq;
  const int nv = eq->nv, ng = eq->ng;
  spread(eq->G_pattern, ng, nv, s->G, s->R);
  if (!cmb_all_finite(ng * nv, s->R)) return CMB_RETRY_NONFINITE;
  cmb_ldlt_forward(nv, s->LD, ng, s->R);
  for (int i = 0; i < ng; i++) {
    double *row = s->R + (ptrdiff_t)i * nv;
    cmb_multiply_entries(nv, s->root, row, row);
    s->length[i] = cmb_norm2(nv, row);
    for (int j = 0; j < nv && s->length[i] > 0; j++) row[j] /= s->length[i];
  }
  cmb_row_space(ng, nv, s->R, s->order, s->Q, s->work);
  s->rank = 0;
  while (s->rank < ng && s->rank < nv && fabs(s->R[s->rank * nv + s->rank]) > DEPENDENT) s->rank++;
  s->n = nv - s->rank;
  return CMB_OK;
}

/* Computes w := C⁻ᵀ w (nv) in place, where C is the Cholesky factor of the mass matrix, M = C Cᵀ. */
static void from_metric(const cmb_tangent *s, double *w)
{
  cmb_multiply_entries(s->ev->eq->nv, s->root, w, w);
  cmb_ldlt_backward(s->ev->eq->nv, s->LD, w);
}

cmb_status cmb_tangent_at(cmb_tangent *s, double t, const double *q)
{
  const int nv = s->ev->eq->nv;
  cmb_terms want = {.M = s->ev->M, .G = s->G};
  CMB_TRY(cmb_evaluate(s->ev, t, q, NULL, &want));
  CMB_TRY(factor_mass(s));
  CMB_TRY(factor_constraints(s));
  for (int k = 0; k < s->n; k++) {
    double *row = s->N + (ptrdiff_t)k * nv;
    memcpy(row, s->Q + (ptrdiff_t)(s->rank + k) * nv, (size_t)nv * sizeof *row);
    from_metric(s, row);
    cmb_multiply_mass(s->ev, row, s->P + (ptrdiff_t)k * nv);
  }
  return CMB_OK;
}

void cmb_tangent_reduce(cmb_tangent *s, const cmb_pattern *pattern, const double *J,
                        const double *q, double *reduced)
{
  const cmb_equations *eq = s->ev->eq;
  const int nv = eq->nv, n = s->n;
  for (int k = 0; k < n; k++) {
    const double *w = s->N + (ptrdiff_t)k * nv;
    if (q) cmb_rates(s->ev, q, w, s->x);
    cmb_multiply(pattern, nv, q ? eq->nq : nv, J, q ? s->x : w, s->y);
    for (int i = 0; i < n; i++) reduced[i * n + k] = cmb_dot(nv, s->N + (ptrdiff_t)i * nv, s->y);
  }
}

double cmb_tangent_multipliers(cmb_tangent *s, const double *f, double *lambda)
{
  const int nv = s->ev->eq->nv, r = s->rank;
  memcpy(s->x, f, (size_t)nv * sizeof *f);
  cmb_ldlt_forward(nv, s->LD, 1, s->x);
  cmb_multiply_entries(nv, s->root, s->x, s->x);
  for (int i = 0; i < s->ev->eq->ng; i++) lambda[i] = 0;
  for (int i = r - 1; i >= 0; i--) {
    double sum = cmb_dot(nv, s->Q + (ptrdiff_t)i * nv, s->x);
    for (int k = i + 1; k < r; k++) sum -= s->R[k * nv + i] * s->y[k];
    s->y[i] = sum / s->R[i * nv + i];
    lambda[s->order[i]] = s->y[i] / s->length[s->order[i]];
  }
  return cmb_norm2(nv, s->x);
}

void cmb_tangent_normal(cmb_tangent *s, const double *wanted, double *w)
{
  const int nv = s->ev->eq->nv;
  memset(w, 0, (size_t)nv * sizeof *w);
  for (int i = 0; i < s->rank; i++) {
    double sum = wanted[s->order[i]] / s->length[s->order[i]];
    for (int k = 0; k < i; k++) sum -= s->R[i * nv + k] * s->y[k];
    s->y[i] = sum / s->R[i * nv + i];
    cmb_add_scaled(nv, s->y[i], s->Q + (ptrdiff_t)i * nv, w);
  }
  from_metric(s, w);
}
