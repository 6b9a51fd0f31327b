/*
 * Static equilibrium (equilibrium.h) in the n free motions z of the tangent space (tangent.h):
 *
 *     p = Nᵀ f                        the unbalanced force; Gᵀλ balances the rest of f
 *     K = Nᵀ ∂(−f + Gᵀλ)/∂q T N       the stiffness, with the change of the constraint forces
 *     (K + μ I) z = p,   q ← q ⊕ N z, projected onto g = 0
 *
 * μ = 0 is Newton's method. 1/μ is a step of linearly implicit Euler for ż = p, the motion without inertia under heavy damping in
 * the metric of M: μ > 0 is taken where K has negative eigenvalues, which leads away from unstable equilibria, and where the step
 * would be longer than the trust radius. A step is halved if it runs far beyond the lowest point on its path. Directions with
 * neither stiffness nor force are not changed (least-norm step). The modes are updated with the state: p is the true force,
 * continuous where force laws are, with a kink where a mode changes. What dry friction holds at the start stays there (stuck.h).
 */
#include "system/equilibrium.h"

#include "base/context.h"
#include "dae/derivative.h"
#include "dae/modes.h"
#include "dae/project.h"
#include "dae/system.h"
#include "math/dense.h"
#include "math/eigen.h"
#include "math/finite.h"
#include "system/gaps.h"
#include "system/stuck.h"
#include "system/tangent.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { ITERATIONS = 300, HALVINGS = 40, SHIFTS = 60 };

/* lengths are relative to 1 + |q|, forces to the largest so far */
/* m or rad: the usual size of a mechanism; adapted later */
static const double FIRST_RADIUS = 0.5;
static const double NO_FORCE = 1e-9;  /* no force, in directions without stiffness */
static const double BALANCED = 1e-13; /* rounding */
/* a small force: near an equilibrium and not just before a jump */
static const double SMALL_FORCE = 1e-3;
static const double NEARLY_THERE = 1e-6; /* a step that is taken without checking the force */
static const double ARRIVED =
    1e-9; /* a step that no longer shrinks is rounding, if the force is small */
/* a step that no longer shrinks is rounding, whatever the force */
static const double ROUNDING = 1e-12;
static const double TOO_FAR = 1e8; /* |q| beyond which forces have no correct digits left */

struct equilibrium_search {
  cmb_evaluator *ev;
  cmb_differences *differences;
  cmb_tangent tangent;
  cmb_stuck stuck; /* motions that sticking friction holds */
  double t;
  double *q, *q_trial, *dq; /* (nq) position, trial position, step */
  double *rest;             /* (nv) velocities 0, and the first-order states, which do not change */
  double *lambda;           /* (ng) multipliers */
  cmb_mode_search modes;
  double *unbalanced;    /* (nv) unbalanced forces f − Gᵀλ at the state last evaluated */
  double *p, *p_hat, *z; /* (n ≤ nv) force Nᵀ f, the same in the basis of eigenvectors, step */
  double *w;             /* (nv) N z */
  double *J;             /* ∂r/∂q as the equations store it */
  /* (n x n), (n x n), (n): stiffness, eigenvectors and eigenvalues of its symmetric part */
  double *K, *U, *theta;
  double *A, *V; /* (n x n) scratch */
  double *im;    /* (n) scratch */
  int *pivot;
  double *work;
  double force_scale; /* largest |f| so far, in the metric of M⁻¹ */
  double radius;      /* trust radius: largest permitted change of a coordinate */
};

double cmb_stiffness_noise(const cmb_equations *eq)
{
  return eq->derivative ? 1e-12 : 1e-7;
}

static cmb_status take_memory(struct equilibrium_search *k, cmb_arena *arena)
{
  const cmb_equations *eq = k->ev->eq;
  const int nv = eq->nv;
  CMB_TRY(cmb_tangent_create(&k->tangent, arena, k->ev));
  k->q = cmb_arena_doubles(arena, eq->nq);
  k->q_trial = cmb_arena_doubles(arena, eq->nq);
  k->dq = cmb_arena_doubles(arena, eq->nq);
  k->rest = cmb_arena_doubles(arena, nv);
  k->lambda = cmb_arena_doubles(arena, eq->ng);
  k->unbalanced = cmb_arena_doubles(arena, nv);
  k->p = cmb_arena_doubles(arena, nv);
  k->p_hat = cmb_arena_doubles(arena, nv);
  k->z = cmb_arena_doubles(arena, nv);
  k->w = cmb_arena_doubles(arena, nv);
  k->J = cmb_arena_doubles(arena,
                           cmb_pattern_values(eq->derivative_pattern[CMB_RESIDUAL_Q], nv, eq->nq));
  k->K = cmb_arena_doubles(arena, nv * nv);
  k->U = cmb_arena_doubles(arena, nv * nv);
  k->A = cmb_arena_doubles(arena, nv * nv);
  k->V = cmb_arena_doubles(arena, nv * nv);
  k->theta = cmb_arena_doubles(arena, nv);
  k->im = cmb_arena_doubles(arena, nv);
  k->pivot = cmb_arena_ints(arena, nv);
  cmb_mode_search_create(&k->modes, arena, k->ev->eq);
  cmb_stuck_create(&k->stuck, arena, k->ev);
  k->work = cmb_arena_doubles(arena, cmb_eigen_work(nv, 0));
  if (cmb_arena_failed(arena)) return cmb_fail_memory(k->ev->ctx);
  return cmb_differences_create(k->ev, &k->differences);
}

cmb_status cmb_static_forces(cmb_tangent *tangent, cmb_mode_search *modes, double t,
                             const double *q, const double *v, double *lambda, double *unbalanced,
                             double *size)
{
  cmb_evaluator *ev = tangent->ev;
  const cmb_equations *eq = ev->eq;
  bool changed = true;
  CMB_TRY(cmb_tangent_at(tangent, t, q));
  for (int round = 0; changed; round++) {
    cmb_terms want = {.f = unbalanced};
    if (round >= cmb_mode_rounds(eq))
      return CMB_RETRY_NEWTON; /* the modes depend on λ and do not settle */
    CMB_TRY(cmb_evaluate(ev, t, q, v, &want));
    if (!cmb_all_finite(eq->nv, unbalanced)) return CMB_RETRY_NONFINITE;
    *size = cmb_tangent_multipliers(tangent, unbalanced, lambda);
    CMB_TRY(cmb_find_modes(ev, modes, t, q, v, lambda, NULL, &changed));
  }
  cmb_multiply_transposed_add(eq->G_pattern, eq->ng, eq->nv, tangent->G, -1.0, lambda, unbalanced);
  return CMB_OK;
}

/* Evaluates the unbalanced forces k->unbalanced = f − Gᵀλ and the multipliers k->lambda at position q (nq) at rest, with the modes (signs of
 * the switching functions) that belong to them. Computes the tangent space of the constraints without first-order states and without motions
 * that sticking friction prevents. Updates the largest force so far, k->force_scale. */
static cmb_status forces_at(struct equilibrium_search *k, const double *q)
{
  double size;
  CMB_TRY(
      cmb_static_forces(&k->tangent, &k->modes, k->t, q, k->rest, k->lambda, k->unbalanced, &size));
  k->tangent.n -= k->ev->eq->nz; /* directions of states come last and are left out */
  k->force_scale = fmax(k->force_scale, size);
  return cmb_stuck_restrict(&k->stuck, &k->tangent, k->t, q, k->rest, k->lambda);
}

/* Computes the unbalanced force k->p (n) and the stiffness matrix k->K (n x n) at the current position, in a basis of the tangent
 * space of the constraints, and the eigenvalues k->theta and eigenvectors k->U (rows) of the symmetric part of K. */
static cmb_status reduce(struct equilibrium_search *k)
{
  const cmb_equations *eq = k->ev->eq;
  const cmb_tangent *tangent = &k->tangent;
  const int n = tangent->n;
  for (int i = 0; i < n; i++) k->p[i] = cmb_dot(eq->nv, tangent->N + i * eq->nv, k->unbalanced);
  CMB_TRY(cmb_derivative_at(k->differences, k->t, k->q, k->rest, k->ev->zero, k->lambda,
                            CMB_RESIDUAL_Q, k->J));
  cmb_tangent_reduce(&k->tangent, eq->derivative_pattern[CMB_RESIDUAL_Q], k->J, k->q, k->K);
  if (!cmb_all_finite(n * n, k->K)) return CMB_RETRY_NONFINITE;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) k->V[i * n + j] = (k->K[i * n + j] + k->K[j * n + i]) / 2;
  }
  return cmb_eigen_symmetric(n, k->V, k->theta, k->U, k->work) ? CMB_OK : CMB_RETRY_NEWTON;
}

static double stiffest(const struct equilibrium_search *k)
{
  const int n = k->tangent.n;
  return n > 0 ? fmax(fabs(k->theta[0]), fabs(k->theta[n - 1])) : 0;
}

/* Returns whether both the stiffness and the force along eigenvector number i of the symmetric part of the stiffness matrix are 0 up to rounding. */
static bool is_idle(const struct equilibrium_search *k, int i)
{
  return fabs(k->theta[i]) <= cmb_stiffness_noise(k->ev->eq) * stiffest(k) &&
         fabs(k->p_hat[i]) <= NO_FORCE * k->force_scale;
}

/* Computes the shifted stiffness matrix k->A = U K Uᵀ + μ I (n x n) and the force k->p_hat = U p (n) for a regularised Newton step. The rows of
 * U are the eigenvectors of the symmetric part of K. Directions with neither stiffness nor force are decoupled: their rows and columns become
 * those of the identity. */
static void shifted_stiffness(struct equilibrium_search *k, double mu)
{
  const int n = k->tangent.n;
  for (int i = 0; i < n; i++) k->p_hat[i] = cmb_dot(n, k->U + i * n, k->p);
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) k->V[i * n + j] = cmb_dot(n, k->K + j * n, k->U + i * n);
  }
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      bool idle = is_idle(k, i) || is_idle(k, j);
      double entry = idle ? 0 : cmb_dot(n, k->U + i * n, k->V + j * n);
      k->A[i * n + j] = entry + (i != j ? 0 : is_idle(k, i) ? 1 : mu);
    }
  }
}

/* Solves (K + μ I) z = p for a regularised Newton step, where K is the stiffness matrix and p the force in the tangent space of the
 * constraints. Stores z (n) in k->z, the corresponding velocities in k->w (nv) and changes of coordinates in k->dq (nq). Returns false if the
 * matrix is singular or the step is not finite. */
static bool solve_step(struct equilibrium_search *k, double mu)
{
  const int n = k->tangent.n, nv = k->ev->eq->nv;
  shifted_stiffness(k, mu);
  if (cmb_lu_factor(n, k->A, k->work, k->pivot) != CMB_OK) return false;
  for (int i = 0; i < n; i++) k->im[i] = is_idle(k, i) ? 0 : k->p_hat[i];
  cmb_lu_solve(n, k->A, k->pivot, k->im);
  if (!cmb_all_finite(n, k->im)) return false;
  memset(k->z, 0, (size_t)n * sizeof *k->z);
  memset(k->w, 0, (size_t)nv * sizeof *k->w);
  for (int i = 0; i < n; i++) cmb_add_scaled(n, k->im[i], k->U + i * n, k->z);
  for (int i = 0; i < n; i++) cmb_add_scaled(nv, k->z[i], k->tangent.N + i * nv, k->w);
  cmb_rates(k->ev, k->q, k->w, k->dq);
  return cmb_all_finite(k->ev->eq->nq, k->dq);
}

/* Computes a step towards equilibrium that changes no coordinate by more than the trust radius: tries the shifts μ of an increasing sequence,
 * which begins at 0 or, if the stiffness has negative eigenvalues, above 0, until one gives such a step. *whole becomes whether the first one
 * did. Returns false if none does. */
static bool choose_step(struct equilibrium_search *k, bool *whole)
{
  const int n = k->tangent.n;
  double noise = cmb_stiffness_noise(k->ev->eq) * stiffest(k);
  double mu = k->theta[0] < -noise ? -1.5 * k->theta[0] : 0;
  for (int i = 0; i < SHIFTS; i++) {
    *whole = i == 0;
    if (solve_step(k, mu) && cmb_largest(k->ev->eq->nq, k->dq) <= k->radius) return true;
    mu = mu > 0 ? 4 * mu : fmax(1e-12 * stiffest(k), 1e-12 * cmb_norm2(n, k->p) / k->radius);
  }
  return false;
}

cmb_status cmb_displace(cmb_evaluator *ev, double t, const double *q, double alpha,
                        const double *dq, double *to)
{
  const cmb_equations *eq = ev->eq;
  for (int i = 0; i < eq->nq; i++) to[i] = q[i] + alpha * dq[i];
  if (eq->normalize) eq->normalize(eq->self, to);
  if (eq->ng == 0) return CMB_OK;
  CMB_TRY(cmb_factor_at(ev, t, q));
  CMB_TRY(cmb_project_position(ev, t, to, NULL));
  if (eq->normalize) eq->normalize(eq->self, to);
  return CMB_OK;
}

/* Computes the trial position k->q_trial of a line search, the fraction alpha of the step k->dq from k->q, projected onto the constraints, and
 * the forces there. */
static cmb_status try_step(struct equilibrium_search *k, double alpha)
{
  CMB_TRY(cmb_displace(k->ev, k->t, k->q, alpha, k->dq, k->q_trial));
  return forces_at(k, k->q_trial);
}

/* Returns the 2-norm of the unbalanced force last computed, projected onto the tangent space of the constraints. */
static double unbalanced_norm(struct equilibrium_search *k)
{
  const int n = k->tangent.n, nv = k->ev->eq->nv;
  for (int i = 0; i < n; i++) k->im[i] = cmb_dot(nv, k->tangent.N + i * nv, k->unbalanced);
  return cmb_norm2(n, k->im);
}

/* Takes a damped step towards equilibrium and adapts the trust radius. Halves the step until the force at its end has decreased by at least a
 * tenth, or its component against the step is at most half of the initial component along it; if `near` is set, takes the first trial position
 * at which the forces can be evaluated. Returns a positive status if no trial position is accepted. */
static cmb_status descend(struct equilibrium_search *k, bool near)
{
  const cmb_equations *eq = k->ev->eq;
  double before = cmb_norm2(k->tangent.n, k->p), slope = cmb_dot(k->tangent.n, k->p, k->z);
  double alpha = 1;
  cmb_status status = CMB_RETRY_NEWTON;
  for (int i = 0; i < HALVINGS; i++, alpha /= 2) {
    status = try_step(k, alpha);
    if (status < 0) return status;
    if (status != CMB_OK) continue;
    status = CMB_RETRY_NEWTON;
    bool beyond = cmb_dot(eq->nv, k->unbalanced, k->w) < -0.5 * slope;
    if (near || !beyond || unbalanced_norm(k) <= 0.9 * before) {
      memcpy(k->q, k->q_trial, (size_t)eq->nq * sizeof *k->q);
      k->radius =
          alpha < 1 ? fmax(alpha * cmb_largest(k->ev->eq->nq, k->dq), DBL_MIN) : 2 * k->radius;
      return CMB_OK;
    }
  }
  return status;
}

/* Returns whether the unbalanced force in all motions that constraints and sticking friction permit is 0 up to rounding, compared with the largest
 * force so far. */
static bool is_balanced(const struct equilibrium_search *k)
{
  return cmb_norm2(k->tangent.n, k->p) <= BALANCED * k->force_scale;
}

/* Returns whether the search for an equilibrium has converged after a full step of norm `size` that followed one of norm `last`: the step is
 * rounding error, or it is small and at least half as long as the last one. `scale` is 1 + |q|. Returns false at a maximum or saddle point of the
 * energy, where the stiffness has a negative eigenvalue. */
static bool has_arrived(const struct equilibrium_search *k, double size, double last, double scale)
{
  bool small = cmb_norm2(k->tangent.n, k->p) <= SMALL_FORCE * k->force_scale;
  if (k->theta[0] < -cmb_stiffness_noise(k->ev->eq) * stiffest(k)) return false; /* not a minimum */
  if (size <= 8 * DBL_EPSILON * scale) return true;
  return size >= last / 2 && size <= (small ? ARRIVED : ROUNDING) * scale;
}

static cmb_status iterate(struct equilibrium_search *k, int *iterations)
{
  const int nq = k->ev->eq->nq;
  double last = INFINITY;
  for (*iterations = 0; *iterations < ITERATIONS; ++*iterations) {
    bool whole;
    CMB_TRY(reduce(k));
    if (is_balanced(k)) return CMB_OK;
    if (!choose_step(k, &whole)) return CMB_RETRY_NEWTON;
    double size = cmb_norm2(nq, k->dq), scale = 1 + cmb_norm2(nq, k->q);
    if (scale > TOO_FAR) return CMB_RETRY_NEWTON;
    if (whole && has_arrived(k, size, last, scale)) return CMB_OK;
    CMB_TRY(descend(k, whole && size <= NEARLY_THERE * scale));
    last = size;
  }
  return CMB_RETRY_NEWTON;
}

/* Computes an orthonormal basis of the neutral directions, into the first rows of k->A: of the eigenvectors of the stiffness matrix whose
 * eigenvalues are at most `noise` in absolute value. Returns their number. */
static int neutral_directions(struct equilibrium_search *k, double noise)
{
  const int n = k->tangent.n;
  int count = 0;
  for (int i = 0; i < n; i++) {
    if (hypot(k->theta[i], k->im[i]) > noise) continue;
    double *x = k->A + (size_t)count * (size_t)n;
    memcpy(x, k->V + (size_t)i * (size_t)n, (size_t)n * sizeof *x);
    for (int j = 0; j < count; j++) {
      const double *e = k->A + (size_t)j * (size_t)n, along = cmb_dot(n, x, e);
      for (int l = 0; l < n; l++) x[l] -= along * e[l];
    }
    double size = sqrt(cmb_dot(n, x, x));
    if (!(size > 1e-6)) continue;
    for (int l = 0; l < n; l++) x[l] /= size;
    count++;
  }
  return count;
}

/* Computes w = N x (nv), the velocities that belong to the coefficients x (n); the columns of N are a basis of the tangent space of the
 * constraints. */
static void velocities_of(const struct equilibrium_search *k, const double *x, double *w)
{
  const int n = k->tangent.n, nv = k->ev->eq->nv;
  memset(w, 0, (size_t)nv * sizeof *w);
  for (int l = 0; l < n; l++) {
    const double *row = k->tangent.N + (size_t)l * (size_t)nv;
    for (int m = 0; m < nv; m++) w[m] += x[l] * row[m];
  }
}

/* Replaces the velocities v (nv) by their projection onto the motions without stiffness, the first `count` rows of k->A, so that a spinning
 * wheel goes on spinning in equilibrium. */
static void keep_neutral(struct equilibrium_search *k, int count, double *v)
{
  const int n = k->tangent.n, nv = k->ev->eq->nv;
  for (int i = 0; i < n; i++) k->z[i] = cmb_dot(nv, k->tangent.P + (size_t)i * (size_t)nv, v);
  memset(v, 0, (size_t)nv * sizeof *v);
  for (int i = 0; i < count; i++) {
    const double *x = k->A + (size_t)i * (size_t)n, part = cmb_dot(n, x, k->z);
    velocities_of(k, x, k->w);
    for (int m = 0; m < nv; m++) v[m] += part * k->w[m];
  }
}

void cmb_name_neutral(int count, int nv, double *W, cmb_equilibrium_report *report)
{
  for (int done = 0; done < count && done < CMB_NEUTRAL_NAMED; done++) {
    int row = done, column = 0;
    for (int i = done; i < count; i++) {
      for (int m = 0; m < nv; m++) {
        if (fabs(W[i * nv + m]) > fabs(W[row * nv + column])) row = i, column = m;
      }
    }
    for (int m = 0; m < nv; m++) {
      const double x = W[done * nv + m];
      W[done * nv + m] = W[row * nv + m], W[row * nv + m] = x;
    }
    for (int i = done + 1; i < count; i++) {
      const double factor = W[i * nv + column] / W[done * nv + column];
      for (int m = 0; m < nv; m++) W[i * nv + m] -= factor * W[done * nv + m];
      W[i * nv + column] = 0;
    }
    report->neutral_most[report->neutral_named++] = column;
  }
}

static void name_neutral(struct equilibrium_search *k, int count, cmb_equilibrium_report *report)
{
  const int nv = k->ev->eq->nv;
  double *W = k->U; /* (count x nv) */
  for (int i = 0; i < count; i++) {
    velocities_of(k, k->A + (size_t)i * (size_t)k->tangent.n, W + (size_t)i * (size_t)nv);
  }
  cmb_name_neutral(count, nv, W, report);
}

/* Fills the report on an equilibrium: its stability, by the eigenvalues of the stiffness matrix, its neutral directions and the largest
 * unbalanced force. If v (nv) is not NULL, replaces it by its part along neutral directions. Returns CMB_RETRY_NEWTON if the eigenvalue
 * iteration fails. */
static cmb_status report_stability(struct equilibrium_search *k, double *v,
                                   cmb_equilibrium_report *report)
{
  const int n = k->tangent.n, nv = k->ev->eq->nv;
  double most = 0;
  memcpy(k->A, k->K, (size_t)n * (size_t)n * sizeof *k->A);
  if (!cmb_eigen_general(n, k->A, k->theta, k->im, k->V, k->work)) return CMB_RETRY_NEWTON;
  for (int i = 0; i < n; i++) most = fmax(most, hypot(k->theta[i], k->im[i]));
  double noise = n * cmb_stiffness_noise(k->ev->eq) * most;
  report->freedoms = n;
  for (int i = 0; i < n; i++) {
    if (k->theta[i] < -noise) report->unstable++;
    if (hypot(k->theta[i], k->im[i]) <= noise) report->neutral++;
  }
  report->stability = report->unstable > 0  ? CMB_UNSTABLE
                      : report->neutral > 0 ? CMB_NEUTRAL
                                            : CMB_STABLE;
  const int neutral = neutral_directions(k, noise);
  name_neutral(k, neutral, report);
  if (v) keep_neutral(k, neutral, v);
  for (int i = 0; i < nv; i++) {
    if (fabs(k->unbalanced[i]) <= report->force) continue;
    report->force = fabs(k->unbalanced[i]);
    report->force_most = i;
  }
  return CMB_OK;
}

/* Adds the forces of sticking friction to the unbalanced forces k->unbalanced (nv), and removes from the sum what the constraints can balance:
 * subtracts Gᵀλ with λ by least squares, and adds λ to k->lambda. Returns an error with a message if friction cannot hold the equilibrium. Does
 * nothing if no friction sticks. */
static cmb_status add_friction(struct equilibrium_search *k)
{
  const cmb_equations *eq = k->ev->eq;
  if (k->stuck.count == 0) return CMB_OK;
  CMB_TRY(cmb_stuck_check(&k->stuck, &k->tangent, k->t, k->q, k->rest, k->unbalanced));
  cmb_tangent_multipliers(&k->tangent, k->unbalanced, k->stuck.lambda);
  cmb_add_scaled(eq->ng, 1, k->stuck.lambda, k->lambda);
  cmb_multiply_transposed_add(eq->G_pattern, eq->ng, eq->nv, k->tangent.G, -1.0, k->stuck.lambda,
                              k->unbalanced);
  return CMB_OK;
}

static cmb_status seek(struct equilibrium_search *k, double *v, cmb_equilibrium_report *report)
{
  CMB_TRY(cmb_stuck_find(&k->stuck, k->t, k->q, k->rest, k->lambda));
  CMB_TRY(forces_at(k, k->q));
  CMB_TRY(iterate(k, &report->iterations));
  CMB_TRY(add_friction(k));
  report->held = k->stuck.held;
  return report_stability(k, v, report);
}

cmb_status cmb_no_equilibrium(cmb_evaluator *ev, double t, cmb_status status,
                              const double *unbalanced)
{
  const cmb_equations *eq = ev->eq;
  char text[256];
  int most = 0;
  if (!unbalanced) {
    return cmb_fail_about(ev->ctx, CMB_ERROR_EQUATIONS,
                          cmb_about_time(t, "constraint", cmb_evaluator_blamed(ev, status)),
                          "no static equilibrium at t = %g: %s", t,
                          cmb_evaluator_blame(ev, status, sizeof text, text));
  }
  for (int i = 1; i < eq->nv; i++) {
    if (fabs(unbalanced[i]) > fabs(unbalanced[most])) most = i;
  }
  if (most >= eq->nv - eq->nz) {
    return cmb_fail_about(ev->ctx, CMB_ERROR_EQUATIONS,
                          cmb_about_time(t, "state", eq->v_names[most]),
                          "no static equilibrium at t = %g: state '%s' changes at %.6g /s", t,
                          eq->v_names[most], unbalanced[most]);
  }
  const char *name = cmb_velocities_pair(eq) ? eq->q_names[most] : eq->v_names[most];
  return cmb_fail_about(
      ev->ctx, CMB_ERROR_EQUATIONS, cmb_about_time(t, "coordinate", name),
      "no static equilibrium at t = %g: the largest unbalanced force is %.6g on '%s'", t,
      unbalanced[most], name);
}

void cmb_note_moved(int nq, const double *given, const double *q, cmb_equilibrium_report *report)
{
  double sum = 0, most = 0;
  for (int i = 0; i < nq; i++) {
    double d = fabs(q[i] - given[i]);
    sum += d * d;
    if (d > most) {
      most = d;
      report->q_most = i;
    }
  }
  report->q_moved = sqrt(sum);
}

/* Sets k->q to a position near q (nq) that satisfies the constraints, from which the search for an equilibrium begins, and finds
 * the modes (signs of the switching functions) and multipliers there, for velocities 0. */
static cmb_status assemble(struct equilibrium_search *k, const double *q)
{
  cmb_start_report start;
  memcpy(k->q, q, (size_t)k->ev->eq->nq * sizeof *q);
  memset(k->w, 0, (size_t)k->ev->eq->nv * sizeof *k->w);
  return cmb_start_in_modes(k->ev, &k->modes, k->t, k->q, k->w, k->unbalanced, k->lambda, &start);
}

/* Replaces q (nq) by a nearby position at time t in which the forces on the mechanism at rest are balanced. First-order states
 * keep their values, which are the last entries of v (nv); the velocities in v are not used. q is unchanged on failure. */
static cmb_status relax(cmb_evaluator *ev, double t, const double *v, double *q)
{
  const cmb_equations *eq = ev->eq;
  const int first = eq->nv - eq->nz;
  struct equilibrium_search k = {.ev = ev, .t = t, .radius = FIRST_RADIUS};
  int iterations;
  cmb_arena *arena = cmb_arena_create(ev->ctx);
  if (!arena) return cmb_fail_memory(ev->ctx);
  cmb_status status = take_memory(&k, arena);
  if (status == CMB_OK) {
    memcpy(k.rest + first, v + first, (size_t)eq->nz * sizeof *v);
    status = assemble(&k, q);
  }
  if (status == CMB_OK) status = forces_at(&k, k.q);
  if (status == CMB_OK) status = iterate(&k, &iterations);
  if (status == CMB_OK) memcpy(q, k.q, (size_t)eq->nq * sizeof *q);
  cmb_differences_destroy(k.differences);
  cmb_arena_destroy(arena);
  return status;
}

/* Finds an equilibrium of the positions q (nq) and the first-order states, which are the last entries of v (nv); overwrites both.
 * Uses Newton's method from the given values or, if that fails, from a position where the forces are balanced with the
 * first-order states fixed. If both fail, the first error is reported. */
static cmb_status balance(cmb_evaluator *ev, double t, double *q, double *v, double *lambda,
                          cmb_equilibrium_report *report)
{
  const cmb_equations *eq = ev->eq;
  cmb_error_record failure;
  cmb_arena *arena = cmb_arena_create(ev->ctx);
  double *nearer = arena ? cmb_arena_doubles(arena, eq->nq) : NULL;
  if (!nearer) {
    cmb_arena_destroy(arena);
    return cmb_fail_memory(ev->ctx);
  }
  cmb_status status = cmb_balance(ev, t, q, v, lambda, report);
  if (status == CMB_ERROR_EQUATIONS) {
    cmb_error_keep(ev->ctx, status, &failure);
    memcpy(nearer, q, (size_t)eq->nq * sizeof *q);
    cmb_status again = relax(ev, t, v, nearer);
    *report = (cmb_equilibrium_report){0};
    if (again == CMB_OK) again = cmb_balance(ev, t, nearer, v, lambda, report);
    if (again == CMB_OK) {
      cmb_note_moved(eq->nq, q, nearer, report);
      memcpy(q, nearer, (size_t)eq->nq * sizeof *q);
      status = CMB_OK;
    } else {
      cmb_fail_again(ev->ctx, &failure);
    }
  }
  cmb_arena_destroy(arena);
  return status;
}

cmb_status cmb_equilibrium(cmb_evaluator *ev, double t, double *q, double *v, double *lambda,
                           cmb_equilibrium_report *report)
{
  const cmb_equations *eq = ev->eq;
  struct equilibrium_search k = {.ev = ev, .t = t, .radius = FIRST_RADIUS};
  *report = (cmb_equilibrium_report){0};
  if (eq->nz > 0) return balance(ev, t, q, v, lambda, report);
  cmb_arena *arena = cmb_arena_create(ev->ctx);
  if (!arena) return cmb_fail_memory(ev->ctx);
  cmb_status status = take_memory(&k, arena);
  if (status == CMB_OK) status = assemble(&k, q);
  if (status == CMB_OK) {
    status = seek(&k, v, report);
    if (status > 0) {
      const bool known = status == CMB_RETRY_NEWTON && forces_at(&k, k.q) == CMB_OK;
      status = cmb_no_equilibrium(ev, t, status, known ? k.unbalanced : NULL);
    }
  }
  if (status == CMB_OK) {
    cmb_note_moved(eq->nq, q, k.q, report);
    memcpy(q, k.q, (size_t)eq->nq * sizeof *q);
    memcpy(lambda, k.lambda, (size_t)eq->ng * sizeof *lambda);
  }
  cmb_differences_destroy(k.differences);
  cmb_arena_destroy(arena);
  return status;
}

static const double CLOSED = 1e-9; /* a gap below −CLOSED counts as closed, in metres */

/* Finds a static equilibrium of a system, starting from positions q (nq) and velocities and first-order states v (nv), and overwrites both. p are
 * the values of the parameters that can be changed after set-up; NULL means those of the equations. Fails, with q and v undefined, if bodies
 * penetrate each other at a unilateral contact in the equilibrium. */
cmb_status cmb_equilibrium_start(cmb_context *ctx, const cmb_system *system, const double *p,
                                 double *q, double *v, cmb_equilibrium_report *report)
{
  const cmb_equations *eq = &system->eq;
  cmb_evaluator *ev;
  CMB_TRY(cmb_evaluator_create(ctx, eq, &ev));
  double *lambda = cmb_arena_doubles(ev->arena, eq->ng);
  if (!lambda) {
    cmb_evaluator_destroy(ev);
    return cmb_fail_memory(ctx);
  }
  ev->p = p;
  cmb_status status = cmb_equilibrium(ev, system->t_start, q, v, lambda, report);
  if (status == CMB_OK) {
    status = cmb_refuse_closed_gaps(ev, system->t_start, q, v, -CLOSED, "an equilibrium");
  }
  cmb_evaluator_destroy(ev);
  return status;
}

static cmb_status bring_to_rest(cmb_context *ctx, cmb_system *system, cmb_arena *arena,
                                cmb_equilibrium_report *report)
{
  static const cmb_start_change to_rest = {.q = -1, .v = -1};
  const cmb_equations *eq = &system->eq;
  double *q = cmb_arena_doubles(arena, eq->nq), *v = cmb_arena_doubles(arena, eq->nv);
  if (!q || !v) return cmb_fail_memory(ctx);
  memcpy(q, system->q, (size_t)eq->nq * sizeof *q);
  memcpy(v, system->v, (size_t)eq->nv * sizeof *v);
  CMB_TRY(cmb_equilibrium_start(ctx, system, NULL, q, v, report));
  CMB_TRY(cmb_start_change_note(ctx, system, &to_rest));
  memcpy(system->q, q, (size_t)eq->nq * sizeof *q);
  memcpy(system->v, v, (size_t)eq->nv * sizeof *v);
  system->q_given = system->v_given = NULL; /* these are the start values from here on */
  system->frame = NULL;
  return CMB_OK;
}

cmb_status cmb_system_equilibrium(cmb_context *ctx, cmb_system *system,
                                  cmb_equilibrium_report *report)
{
  CMB_REQUIRE(ctx, ctx && system && report,
              "cmb_system_equilibrium needs a context, a system and a place for its report");
  cmb_arena *arena = cmb_arena_create(ctx);
  if (!arena) return cmb_fail_memory(ctx);
  const cmb_status status = bring_to_rest(ctx, system, arena, report);
  cmb_arena_destroy(arena);
  return status;
}
