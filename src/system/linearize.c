/*
 * Linearisation (linearize.h; docs/linearize.md has the derivation). δq = T w; r = M a − f + Gᵀλ; N, P and the tangent space of
 * tangent.h.
 *
 *     ẇ = δv + C w,          T C w = D_{Tw}(T v) − D_{Tv}(T w): 0 if T = I
 *     G w = 0                w = N z
 *     G δv + H w = 0         δv = N y − R H w,  H = (∂γ/∂v + G C)/2,  G R = I, P R = 0
 *     M δa + D δv + K w + Gᵀ δλ = 0,  K = ∂r/∂q T,  D = ∂r/∂v
 *
 *     ż = P C N z + y,   ẏ = −Nᵀ (K − D R H) N z − Nᵀ D N y        as Nᵀ Gᵀ = 0 and Nᵀ M δa = P δa = ẏ
 *
 * States of the equations are the last of the velocities, and their directions the last columns of N. Among the displacements z they
 * have no meaning, since T is 0 for them: these rows and columns are removed from A.
 */
#include "system/linearize.h"

#include "base/context.h"
#include "dae/derivative.h"
#include "dae/modes.h"
#include "math/dense.h"
#include "math/finite.h"

#include <math.h>
#include <string.h>

struct linearizer {
  cmb_tangent *tangent;
  cmb_evaluator *ev;
  cmb_differences *differences;
  double *J;                        /* a derivative as the equations store it */
  double *gamma;                    /* ∂γ/∂v as the equations store it */
  double *block;                    /* (n x n) */
  double *cw;                       /* (nv) C w */
  double *hw, *gc;                  /* (ng) H w, G C w */
  double *normal;                   /* (nv) R H w */
  double *T, *TT;                   /* (nv x nq) rows T e_j, (nv x nv) factors of TᵀT */
  double *q, *b, *x, *y, *y_before; /* (nq) scratch */
};

static int most_values(const cmb_equations *eq)
{
  int by_q = cmb_pattern_values(eq->derivative_pattern[CMB_RESIDUAL_Q], eq->nv, eq->nq);
  int by_v = cmb_pattern_values(eq->derivative_pattern[CMB_RESIDUAL_V], eq->nv, eq->nv);
  return by_q > by_v ? by_q : by_v;
}

static cmb_status take_memory(struct linearizer *k, cmb_arena *arena)
{
  const cmb_equations *eq = k->ev->eq;
  const cmb_pattern *gamma = eq->derivative_pattern[CMB_GAMMA_V];
  k->J = cmb_arena_doubles(arena, most_values(eq));
  k->gamma = cmb_arena_doubles(arena, cmb_pattern_values(gamma, eq->ng, eq->nv));
  k->block = cmb_arena_doubles(arena, eq->nv * eq->nv);
  k->cw = cmb_arena_doubles(arena, eq->nv);
  k->hw = cmb_arena_doubles(arena, eq->ng);
  k->gc = cmb_arena_doubles(arena, eq->ng);
  k->normal = cmb_arena_doubles(arena, eq->nv);
  k->T = cmb_arena_doubles(arena, eq->nv * eq->nq);
  k->TT = cmb_arena_doubles(arena, eq->nv * eq->nv);
  k->q = cmb_arena_doubles(arena, eq->nq);
  k->b = cmb_arena_doubles(arena, eq->nq);
  k->x = cmb_arena_doubles(arena, eq->nq);
  k->y = cmb_arena_doubles(arena, eq->nq);
  k->y_before = cmb_arena_doubles(arena, eq->nq);
  if (cmb_arena_failed(arena)) return cmb_fail_memory(k->ev->ctx);
  return cmb_differences_create(k->ev, &k->differences);
}

/* Prepares solving T c = b by least squares, where q̇ = T(q) v: stores the columns of T(q) as rows of k->T (nv x nq), and the factors of TᵀT in
 * k->TT. Does nothing if T = I. Returns CMB_RETRY_SINGULAR if TᵀT is singular. */
static cmb_status factor_rates(struct linearizer *k, const double *q)
{
  const cmb_equations *eq = k->ev->eq;
  const int nv = eq->nv, nq = eq->nq;
  if (!eq->rates) return CMB_OK;
  memset(k->cw, 0, (size_t)nv * sizeof *k->cw);
  for (int j = 0; j < nv; j++) {
    k->cw[j] = 1;
    cmb_rates(k->ev, q, k->cw, k->T + j * nq);
    k->cw[j] = 0;
  }
  for (int i = 0; i < nv; i++) {
    for (int j = 0; j <= i; j++) k->TT[i * nv + j] = cmb_dot(nq, k->T + i * nq, k->T + j * nq);
    if (i >= nv - eq->nz) k->TT[i * nv + i] = 1; /* row of a state, whose C w is 0 */
  }
  return cmb_ldlt_factor(nv, k->TT) >= 0 ? CMB_RETRY_SINGULAR : CMB_OK;
}

/* Adds c times the derivative of T(q) y along the direction T(q) x to k->b (nq), for x, y (nv) and q̇ = T(q) v, by central
 * differences of fourth order. These are exact up to rounding where T is linear in q, as for Euler parameters, and exactly 0 where
 * T is constant. */
static void add_derivative_of_rates(struct linearizer *k, const double *q, double c,
                                    const double *x, const double *y)
{
  static const double weight[2] = {8.0 / 12, -1.0 / 12};
  const int nq = k->ev->eq->nq;
  double size = cmb_norm2(nq, q);
  cmb_rates(k->ev, q, x, k->x);
  double speed = cmb_norm2(nq, k->x);
  if (speed == 0) return;
  double h = 1e-3 * fmax(size, 1e-3) / speed;
  for (int i = 0; i < 2; i++) {
    for (int j = 0; j < nq; j++) k->q[j] = q[j] - (i + 1) * h * k->x[j];
    cmb_rates(k->ev, k->q, y, k->y_before);
    for (int j = 0; j < nq; j++) k->q[j] = q[j] + (i + 1) * h * k->x[j];
    cmb_rates(k->ev, k->q, y, k->y);
    for (int j = 0; j < nq; j++) k->b[j] += c * weight[i] / h * (k->y[j] - k->y_before[j]);
  }
}

/* Computes k->cw (nv) = C w: the rate at which a displacement w (nv) changes because T(q) in q̇ = T(q) v changes along the motion v. It solves
 * T C w = D_{Tw}(T v) − D_{Tv}(T w), where D_x is the derivative in the direction x of the coordinates. C = 0 if T = I. */
static void kinematic_coupling(struct linearizer *k, const double *q, const double *v,
                               const double *w)
{
  const cmb_equations *eq = k->ev->eq;
  memset(k->cw, 0, (size_t)eq->nv * sizeof *k->cw);
  if (!eq->rates) return;
  memset(k->b, 0, (size_t)eq->nq * sizeof *k->b);
  add_derivative_of_rates(k, q, 1, w, v);
  add_derivative_of_rates(k, q, -1, v, w);
  for (int j = 0; j < eq->nv; j++) k->cw[j] = cmb_dot(eq->nq, k->T + j * eq->nq, k->b);
  cmb_ldlt_solve(eq->nv, k->TT, k->cw);
}

/* Computes the velocity n = k->normal (nv), orthogonal to the tangent space of the constraints, by n = R (∂γ/∂v w + G C w)/2 with G R = I,
 * where G v̇ + γ = 0 are the constraints on accelerations and C is the coupling of kinematic_coupling(). When positions are displaced by w
 * (nv), velocities have to change by −n to satisfy the velocity constraints. k->cw must contain C w. */
static void compute_normal_velocities(struct linearizer *k, const double *w)
{
  const cmb_equations *eq = k->ev->eq;
  const int nv = eq->nv, ng = eq->ng;
  cmb_multiply(eq->derivative_pattern[CMB_GAMMA_V], ng, nv, k->gamma, w, k->hw);
  cmb_multiply(eq->G_pattern, ng, nv, k->tangent->G, k->cw, k->gc);
  for (int i = 0; i < ng; i++) k->hw[i] = (k->hw[i] + k->gc[i]) / 2;
  cmb_tangent_normal(k->tangent, k->hw, k->normal);
}

/* Completes the columns of the state matrix A (2n x 2n) that belong to the n displacements. The lower rows must contain −Nᵀ ∂r/∂q T N on entry,
 * for the basis N of the tangent space, q̇ = T v and the residual r of the equations of motion. Adds the effect of the velocities that the
 * constraints require for a displacement. k->J must contain ∂r/∂v, k->gamma ∂γ/∂v, and factor_rates() must have been called. */
static void displacement_columns(struct linearizer *k, const double *q, const double *v, double *A)
{
  const cmb_equations *eq = k->ev->eq;
  const cmb_tangent *tangent = k->tangent;
  const int nv = eq->nv, n = tangent->n, m = 2 * n;
  for (int j = 0; j < n; j++) {
    const double *w = tangent->N + j * nv;
    kinematic_coupling(k, q, v, w);
    for (int i = 0; i < n; i++) A[i * m + j] = cmb_dot(nv, tangent->P + i * nv, k->cw);
    if (eq->ng == 0) continue;
    compute_normal_velocities(k, w);
    cmb_multiply(eq->derivative_pattern[CMB_RESIDUAL_V], nv, nv, k->J, k->normal, k->cw);
    for (int i = 0; i < n; i++) A[(n + i) * m + j] += cmb_dot(nv, tangent->N + i * nv, k->cw);
  }
}

/* Sets the n x n block of the matrix A (2n x 2n) that begins at (row, column) to c times the matrix k->block (n x n). */
static void set_block(const struct linearizer *k, double c, int row, int column, double *A)
{
  const int n = k->tangent->n;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) A[(row + i) * 2 * n + column + j] = c * k->block[i * n + j];
  }
}

/* Removes the rows and columns with indices from .. from + count − 1 from the matrix A (m x m), in place; the result is stored as a
 * matrix with rows of m − count entries. */
static void remove_rows_and_columns(int m, int from, int count, double *A)
{
  double *to = A;
  for (int i = 0; i < m; i++) {
    for (int j = 0; j < m; j++) {
      const bool out = (i >= from && i < from + count) || (j >= from && j < from + count);
      if (!out) *to++ = A[i * m + j];
    }
  }
}

/* Computes k->gamma = ∂γ/∂v at (t, q, v), where G v̇ + γ = 0 are the constraints on accelerations. The accelerations a (nv) and multipliers
 * lambda (ng) are only needed for the evaluation; the result does not depend on them. Does nothing without constraints. */
static cmb_status take_gamma(struct linearizer *k, double t, const double *q, const double *v,
                             const double *a, const double *lambda)
{
  if (k->ev->eq->ng == 0) return CMB_OK;
  return cmb_derivative_at(k->differences, t, q, v, a, lambda, CMB_GAMMA_V, k->gamma);
}

static cmb_status fill(struct linearizer *k, double t, const double *q, const double *v,
                       const double *a, const double *lambda, double *A)
{
  const cmb_pattern *const *pattern = k->ev->eq->derivative_pattern;
  CMB_TRY(cmb_tangent_at(k->tangent, t, q));
  const int n = k->tangent->n;
  memset(A, 0, 4 * (size_t)n * (size_t)n * sizeof *A);
  CMB_TRY(factor_rates(k, q));
  CMB_TRY(cmb_derivative_at(k->differences, t, q, v, a, lambda, CMB_RESIDUAL_Q, k->J));
  cmb_tangent_reduce(k->tangent, pattern[CMB_RESIDUAL_Q], k->J, q, k->block);
  set_block(k, -1, n, 0, A);
  CMB_TRY(cmb_derivative_at(k->differences, t, q, v, a, lambda, CMB_RESIDUAL_V, k->J));
  cmb_tangent_reduce(k->tangent, pattern[CMB_RESIDUAL_V], k->J, NULL, k->block);
  set_block(k, -1, n, n, A);
  CMB_TRY(take_gamma(k, t, q, v, a, lambda));
  displacement_columns(k, q, v, A);
  for (int i = 0; i < n; i++) A[i * 2 * n + n + i] = 1;
  const int nz = k->ev->eq->nz;
  if (nz > 0) remove_rows_and_columns(2 * n, n - nz, nz, A);
  return cmb_all_finite((2 * n - nz) * (2 * n - nz), A) ? CMB_OK : CMB_RETRY_NONFINITE;
}

cmb_status cmb_accelerate_in_modes(cmb_evaluator *ev, cmb_arena *arena, double t, const double *q,
                                   const double *v, double *a, double *lambda)
{
  const cmb_equations *eq = ev->eq;
  double *a_first = cmb_arena_doubles(arena, eq->nv);
  cmb_mode_search search;
  bool changed;
  cmb_mode_search_create(&search, arena, eq);
  if (cmb_arena_failed(arena)) return cmb_fail_memory(ev->ctx);
  CMB_TRY(cmb_guess_modes(ev, &search, t, q, v, &changed));
  for (int round = 0; round < cmb_mode_rounds(eq); round++) {
    CMB_TRY(cmb_accelerate(ev, t, q, v, a, lambda));
    if (round == 0) memcpy(a_first, a, (size_t)eq->nv * sizeof *a);
    CMB_TRY(cmb_find_modes(ev, &search, t, q, v, lambda, a_first, &changed));
    if (!changed) return CMB_OK;
  }
  return cmb_modes_unsettled(ev, search.before, t);
}

cmb_status cmb_no_linearization(const cmb_evaluator *ev, double t, cmb_status status)
{
  char text[256];
  if (status <= 0) return status;
  return cmb_fail_about(ev->ctx, CMB_ERROR_EQUATIONS,
                        cmb_about_time(t, "constraint", cmb_evaluator_blamed(ev, status)),
                        "no linearisation at t = %g: %s", t,
                        cmb_evaluator_blame(ev, status, sizeof text, text));
}

cmb_status cmb_linearize_at(cmb_tangent *tangent, double t, const double *q, const double *v,
                            const double *a, const double *lambda, double *A)
{
  struct linearizer k = {.tangent = tangent, .ev = tangent->ev};
  cmb_arena *arena = cmb_arena_create(k.ev->ctx);
  if (!arena) return cmb_fail_memory(k.ev->ctx);
  cmb_status status = take_memory(&k, arena);
  if (status == CMB_OK) status = fill(&k, t, q, v, a, lambda, A);
  cmb_differences_destroy(k.differences);
  cmb_arena_destroy(arena);
  return status;
}

static cmb_status fill_follow(struct linearizer *k, double t, const double *q, const double *v,
                              const double *a, const double *lambda, double *follow)
{
  const cmb_equations *eq = k->ev->eq;
  const int nv = eq->nv;
  CMB_TRY(cmb_tangent_at(k->tangent, t, q));
  CMB_TRY(factor_rates(k, q));
  CMB_TRY(take_gamma(k, t, q, v, a, lambda));
  for (int j = 0; j < k->tangent->n - eq->nz && eq->ng > 0; j++) {
    const double *w = k->tangent->N + j * nv;
    kinematic_coupling(k, q, v, w);
    compute_normal_velocities(k, w);
    for (int i = 0; i < nv; i++) follow[j * nv + i] = -k->normal[i];
  }
  return CMB_OK;
}

cmb_status cmb_follow_at(cmb_tangent *tangent, double t, const double *q, const double *v,
                         const double *a, const double *lambda, double *follow)
{
  struct linearizer k = {.tangent = tangent, .ev = tangent->ev};
  cmb_arena *arena = cmb_arena_create(k.ev->ctx);
  if (!arena) return cmb_fail_memory(k.ev->ctx);
  cmb_status status = take_memory(&k, arena);
  if (status == CMB_OK) status = fill_follow(&k, t, q, v, a, lambda, follow);
  cmb_differences_destroy(k.differences);
  cmb_arena_destroy(arena);
  return status;
}

void cmb_linearize_seen_from(const cmb_tangent *tangent, const double *v_frame,
                             const double *follow, double *A)
{
  const cmb_equations *eq = tangent->ev->eq;
  const int nv = eq->nv, n = tangent->n - eq->nz, m = n + tangent->n;
  for (int i = 0; i < n; i++) {
    const double *P = tangent->P + (ptrdiff_t)i * nv;
    for (int j = 0; j < n; j++) {
      const double *w = tangent->N + (ptrdiff_t)j * nv, *f = follow + (ptrdiff_t)j * nv;
      for (int k = 0; k < nv; k++) {
        const double *row = v_frame + (ptrdiff_t)k * nv, turned = P[k] * cmb_dot(nv, row, w);
        A[i * m + j] -= turned;
        A[(n + i) * m + n + j] -= turned;
        A[(n + i) * m + j] -= P[k] * cmb_dot(nv, row, f);
      }
    }
  }
}
