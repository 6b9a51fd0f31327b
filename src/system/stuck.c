/*
 * Friction that sticks at rest (stuck.h).
 */
#include "system/stuck.h"

#include "base/context.h"
#include "math/dense.h"
#include "math/eigen.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double DEPENDENT = 1e-10; /* relative size of dependent gradients, as in tangent.c */
/* relative size of a force in other directions than that of its switching function */
static const double OFF_DIRECTION = 1e-9;
static const double EDGE = 1e-9; /* relative excess over what friction can hold that is accepted */

/* Allocates the data for sticking friction of the evaluator's equations from `arena`. Nothing is allocated if the equations have no
 * such friction. The caller checks cmb_arena_failed. */
void cmb_stuck_create(cmb_stuck *x, cmb_arena *arena, cmb_evaluator *ev)
{
  const cmb_equations *eq = ev->eq;
  const int ns = eq->switch_sticks ? eq->ns : 0, nv = eq->nv;
  *x = (cmb_stuck){.ev = ev};
  if (ns == 0) return;
  x->function = cmb_arena_ints(arena, ns);
  x->s = cmb_arena_doubles(arena, ns);
  x->s_rest = cmb_arena_doubles(arena, ns);
  x->lambda = cmb_arena_doubles(arena, eq->ng);
  x->unit = cmb_arena_doubles(arena, nv);
  x->f = cmb_arena_doubles(arena, nv);
  x->g = cmb_arena_doubles(arena, nv);
  x->force = cmb_arena_doubles(arena, ns * nv);
  x->S = cmb_arena_doubles(arena, ns * nv);
  x->R = cmb_arena_doubles(arena, ns * nv);
  x->Q = cmb_arena_doubles(arena, nv * nv);
  x->H = cmb_arena_doubles(arena, nv * nv);
  x->turned = cmb_arena_doubles(arena, nv * nv);
  x->A = cmb_arena_doubles(arena, ns * ns);
  x->theta = cmb_arena_doubles(arena, ns);
  x->scale = cmb_arena_doubles(arena, ns);
  x->work = cmb_arena_doubles(arena, cmb_eigen_work(nv, ns));
  x->order = cmb_arena_ints(arena, ns);
  x->pivot = cmb_arena_ints(arena, ns);
}

cmb_status cmb_stuck_find(cmb_stuck *x, double t, const double *q, const double *v,
                          const double *lambda)
{
  const cmb_equations *eq = x->ev->eq;
  x->count = x->held = 0;
  if (!eq->switch_sticks) return CMB_OK;
  CMB_TRY(cmb_switches(x->ev, t, q, v, lambda, x->s));
  for (int i = 0; i < eq->ns; i++) {
    if (eq->switch_sticks[i] && x->s[i] == 0) x->function[x->count++] = i;
  }
  return CMB_OK;
}

/* Computes the gradients x->S = ∂s/∂v (count x nv) of those switching functions s whose friction sticks. The functions are linear in v, so that
 * each column is a difference of their values for v plus a unit velocity and for v. */
static cmb_status find_gradients(cmb_stuck *x, double t, const double *q, const double *v,
                                 const double *lambda)
{
  const int nv = x->ev->eq->nv;
  CMB_TRY(cmb_switches(x->ev, t, q, v, lambda, x->s_rest));
  memcpy(x->unit, v, (size_t)nv * sizeof *v);
  for (int j = 0; j < nv; j++) {
    x->unit[j] += 1;
    CMB_TRY(cmb_switches(x->ev, t, q, x->unit, lambda, x->s));
    x->unit[j] = v[j];
    for (int k = 0; k < x->count; k++) {
      const int i = x->function[k];
      x->S[(ptrdiff_t)k * nv + j] = x->s[i] - x->s_rest[i];
    }
  }
  return CMB_OK;
}

/* Computes x->turned = Q · rows (n x nv): transforms n motions, the rows of `rows`, by the orthogonal matrix x->Q (n x n). */
static void change_basis(const cmb_stuck *x, int n, const double *rows)
{
  const int nv = x->ev->eq->nv;
  memset(x->turned, 0, (size_t)n * (size_t)nv * sizeof *x->turned);
  for (int k = 0; k < n; k++) {
    for (int i = 0; i < n; i++) {
      cmb_add_scaled(nv, x->Q[(ptrdiff_t)k * n + i], rows + (ptrdiff_t)i * nv,
                     x->turned + (ptrdiff_t)k * nv);
    }
  }
}

/* Computes an orthonormal basis x->Q (n x n) of the tangent space of the constraints that begins with a basis of the motions that sticking
 * friction prevents. Returns the number of these first vectors, the rank of the gradients of the switching functions of sticking friction. */
static int split_motions(cmb_stuck *x, const cmb_tangent *tangent)
{
  const int nv = x->ev->eq->nv, n = tangent->n;
  int rank = 0;
  for (int k = 0; k < x->count; k++) {
    double *row = x->R + (ptrdiff_t)k * n;
    for (int i = 0; i < n; i++) {
      row[i] = cmb_dot(nv, x->S + (ptrdiff_t)k * nv, tangent->N + (ptrdiff_t)i * nv);
    }
    const double length = cmb_norm2(n, row);
    for (int i = 0; i < n && length > 0; i++) row[i] /= length;
  }
  cmb_row_space(x->count, n, x->R, x->order, x->Q, x->work);
  while (rank < x->count && rank < n && fabs(x->R[rank * n + rank]) > DEPENDENT) rank++;
  return rank;
}

cmb_status cmb_stuck_restrict(cmb_stuck *x, cmb_tangent *tangent, double t, const double *q,
                              const double *v, const double *lambda)
{
  const int nv = x->ev->eq->nv, n = tangent->n;
  if (x->count == 0) return CMB_OK;
  CMB_TRY(find_gradients(x, t, q, v, lambda));
  x->held = split_motions(x, tangent);
  const size_t unbalanced = (size_t)(n - x->held) * (size_t)nv * sizeof(double);
  const double *rest = x->turned + (ptrdiff_t)x->held * nv;
  change_basis(x, n, tangent->N);
  memcpy(x->H, x->turned, (size_t)x->held * (size_t)nv * sizeof(double));
  memcpy(tangent->N, rest, unbalanced);
  change_basis(x, n, tangent->P);
  memcpy(tangent->P, rest, unbalanced);
  tangent->n = n - x->held;
  return CMB_OK;
}

/* Evaluates the requested terms of the equations with switching function i in the given mode (its sign) and all other switching functions in
 * their present modes; restores the modes afterwards. */
static cmb_status evaluate_in(cmb_stuck *x, int i, int mode, double t, const double *q,
                              const double *v, const cmb_terms *want)
{
  const int before = x->ev->mode[i];
  x->ev->mode[i] = mode;
  const cmb_status status = cmb_evaluate(x->ev, t, q, v, want);
  x->ev->mode[i] = before;
  return status;
}

/* Computes the largest force that sticking friction k can exert, x->force[k] (nv), and subtracts from `unbalanced` (nv) the force of this
 * friction that the equations contain in its present mode. */
static cmb_status find_force(cmb_stuck *x, int k, double t, const double *q, const double *v,
                             double *unbalanced)
{
  const int nv = x->ev->eq->nv, i = x->function[k], mode = x->ev->mode[i];
  double *force = x->force + (ptrdiff_t)k * nv;
  const cmb_terms first = {.f = x->f}, second = {.f = x->g};
  CMB_TRY(evaluate_in(x, i, -mode, t, q, v, &first));
  CMB_TRY(evaluate_in(x, i, mode, t, q, v, &second));
  for (int j = 0; j < nv; j++) unbalanced[j] += (x->f[j] - x->g[j]) / 2;
  CMB_TRY(evaluate_in(x, i, 2, t, q, v, &first));
  CMB_TRY(evaluate_in(x, i, -2, t, q, v, &second));
  for (int j = 0; j < nv; j++) force[j] = (x->f[j] - x->g[j]) / 2;
  return CMB_OK;
}

/* Returns whether the force of sticking friction k also does work along a motion that the constraints permit and that no friction prevents. */
static bool acts_across(const cmb_stuck *x, const cmb_tangent *tangent, int k)
{
  const int nv = x->ev->eq->nv;
  const double *force = x->force + (ptrdiff_t)k * nv;
  double along = 0, across = 0;
  for (int i = 0; i < x->held; i++) {
    along = fmax(along, fabs(cmb_dot(nv, x->H + (ptrdiff_t)i * nv, force)));
  }
  for (int i = 0; i < tangent->n; i++) {
    across = fmax(across, fabs(cmb_dot(nv, tangent->N + (ptrdiff_t)i * nv, force)));
  }
  return across > OFF_DIRECTION * along;
}

/* Computes which fractions x->theta of the largest friction forces balance the unbalanced forces (nv) along the motions that friction prevents.
 * Returns false if they are not unique. */
static bool solve_shares(cmb_stuck *x, const double *unbalanced)
{
  const int nv = x->ev->eq->nv, n = x->count;
  if (x->held < n) return false;
  for (int i = 0; i < n; i++) {
    const double *row = x->H + (ptrdiff_t)i * nv;
    x->theta[i] = -cmb_dot(nv, row, unbalanced);
    for (int k = 0; k < n; k++) {
      x->A[i * n + k] = cmb_dot(nv, row, x->force + (ptrdiff_t)k * nv);
    }
  }
  if (cmb_lu_factor(n, x->A, x->scale, x->pivot) != CMB_OK) return false;
  cmb_lu_solve(n, x->A, x->pivot, x->theta);
  return true;
}

static cmb_status fail_about_friction(const cmb_stuck *x, int k, double t, const char *why)
{
  const char *name = x->ev->eq->switch_names[x->function[k]];
  return cmb_fail_about(x->ev->ctx, CMB_ERROR_EQUATIONS,
                        cmb_about_time(t, "switching function", name),
                        "no static equilibrium at t = %g was found: '%s' sticks at the start, "
                        "and %s",
                        t, name, why);
}

cmb_status cmb_stuck_check(cmb_stuck *x, const cmb_tangent *tangent, double t, const double *q,
                           const double *v, double *unbalanced)
{
  const int nv = x->ev->eq->nv;
  if (x->count == 0) return CMB_OK;
  for (int k = 0; k < x->count; k++) CMB_TRY(find_force(x, k, t, q, v, unbalanced));
  for (int k = 0; k < x->count; k++) {
    if (!acts_across(x, tangent, k)) continue;
    return fail_about_friction(x, k, t, "its force also acts on motions that it does not hold");
  }
  if (!solve_shares(x, unbalanced)) {
    return fail_about_friction(x, 0, t,
                               "its force and those of others that stick are "
                               "indeterminate");
  }
  for (int k = 0; k < x->count; k++) {
    cmb_add_scaled(nv, x->theta[k], x->force + (ptrdiff_t)k * nv, unbalanced);
    if (fabs(x->theta[k]) <= 1 + EDGE) continue;
    char why[120];
    snprintf(why, sizeof why, "would have to exert %.4g times what it can hold", fabs(x->theta[k]));
    return fail_about_friction(x, k, t, why);
  }
  return CMB_OK;
}

cmb_status cmb_refuse_stuck(cmb_evaluator *ev, cmb_arena *arena, double t, const double *q,
                            const double *v, const double *lambda, const char *what)
{
  cmb_stuck x;
  cmb_stuck_create(&x, arena, ev);
  if (cmb_arena_failed(arena)) return cmb_fail_memory(ev->ctx);
  CMB_TRY(cmb_stuck_find(&x, t, q, v, lambda));
  if (x.count == 0) return CMB_OK;
  const char *name = ev->eq->switch_names[x.function[0]];
  return cmb_fail_about(
      ev->ctx, CMB_ERROR_EQUATIONS, cmb_about_time(t, "switching function", name),
      "'%s' sticks at t = %g, and %s does not work with friction that sticks; expected "
      "smooth friction ('law: smooth', or F*tanh(v/v0) in place of stick(v, F, Fs)), "
      "or a fixed joint where friction holds the bodies together",
      name, t, what);
}
