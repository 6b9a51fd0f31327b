/*
 * Follows states of rest along a path of the parameters (quasistatic.h): Euler's predictor with exact derivatives, corrected by the
 * search for an equilibrium, in steps that are halved where the corrector moves too far.
 */
#include "system/quasistatic.h"

#include "base/context.h"
#include "math/dense.h"
#include "math/finite.h"
#include "system/equilibrium.h"
#include "system/stuck.h"

#include <math.h>
#include <string.h>

enum { MOST_STEPS = 2000 }; /* from one point to the next */

static const double LARGEST_STEP = 0.1; /* m or rad, of any coordinate */
static const double STRAIGHT = 0.1;     /* largest ratio of the correction to the step */
static const double SMALL = 1e-6;       /* a correction up to this is always accepted */
/* a force in one motion up to this part of all forces that a change causes is rounding */
static const double NO_FORCE = 1e-11;
/* part of the stiffness that may be rounding below which there is none */
static const double NO_STIFFNESS = 1e-3;
/* part of the largest component of a motion above which it is more than rounding */
static const double MOVED = 1e-8;
static const double LEAST_SHARE = 1e-6; /* smallest step as a fraction of the path */

/* Creates the data for tracking the static equilibrium of a system while `count` of its live parameters (ones that can be changed after set-up)
 * change their values. parameter (count) contains their indices and must stay valid. */
cmb_status cmb_quasistatic_create(cmb_quasistatic *x, cmb_context *ctx, const cmb_system *system,
                                  int count, const int *parameter)
{
  const cmb_equations *eq = &system->eq;
  const int nv = eq->nv, ng = eq->ng;
  *x = (cmb_quasistatic){.ctx = ctx, .t = system->t_start, .count = count, .parameter = parameter};
  CMB_TRY(cmb_evaluator_create(ctx, eq, &x->ev));
  cmb_arena *arena = x->arena = cmb_arena_create(ctx);
  if (!arena) return cmb_fail_memory(ctx);
  CMB_TRY(cmb_tangent_create(&x->tangent, arena, x->ev));
  cmb_mode_search_create(&x->modes, arena, eq);
  x->p = cmb_arena_doubles(arena, eq->np);
  x->p_from = cmb_arena_doubles(arena, eq->np);
  x->q = cmb_arena_doubles(arena, eq->nq);
  x->q_try = cmb_arena_doubles(arena, eq->nq);
  x->dq = cmb_arena_doubles(arena, eq->nq);
  x->lambda = cmb_arena_doubles(arena, ng);
  x->W = cmb_arena_doubles(arena, count * nv);
  x->L = cmb_arena_doubles(arena, count * ng);
  x->gp = cmb_arena_doubles(arena, count * ng);
  x->rest = cmb_arena_doubles(arena, nv);
  x->left = cmb_arena_doubles(arena, nv);
  x->rhs = cmb_arena_doubles(arena, nv);
  x->z = cmb_arena_doubles(arena, nv);
  x->K = cmb_arena_doubles(arena, nv * nv);
  x->column = cmb_arena_ints(arena, nv);
  x->J = cmb_arena_doubles(arena, nv * eq->nq);
  x->P = cmb_arena_doubles(arena, (nv > ng ? nv : ng) * eq->np);
  if (cmb_arena_failed(arena)) return cmb_fail_memory(ctx);
  if (eq->np > 0) memcpy(x->p, eq->p, (size_t)eq->np * sizeof *x->p);
  x->ev->p = x->p;
  return cmb_differences_create(x->ev, &x->differences);
}

void cmb_quasistatic_destroy(cmb_quasistatic *x)
{
  cmb_differences_destroy(x->differences);
  cmb_evaluator_destroy(x->ev);
  cmb_arena_destroy(x->arena);
}

/* Linear equations A (n x n) x = b, solved by elimination with complete pivoting. */
struct elimination {
  int n;
  double *A, *b; /* overwritten */
  int *column;   /* (n) order of the unknowns */
  double doubt;  /* pivots up to this count as stiffness only if a force acts */
  double none;   /* pivots up to this never count as stiffness */
  double small;  /* entries of b up to this count as no force */
};

/* Finds the largest entry of the remaining matrix (complete pivoting) and moves it to the pivot position `rank`, by exchanging rows of e->A and
 * e->b and entries of the column order e->column. Returns its absolute value. */
static double find_pivot(struct elimination *e, int rank)
{
  const int n = e->n;
  int r = rank, c = rank;
  for (int i = rank; i < n; i++) {
    for (int j = rank; j < n; j++) {
      if (fabs(e->A[i * n + e->column[j]]) > fabs(e->A[r * n + e->column[c]])) r = i, c = j;
    }
  }
  const int kept = e->column[c];
  e->column[c] = e->column[rank], e->column[rank] = kept;
  for (int j = 0; j < n && r != rank; j++) {
    const double a = e->A[r * n + j];
    e->A[r * n + j] = e->A[rank * n + j], e->A[rank * n + j] = a;
  }
  const double y = e->b[r];
  e->b[r] = e->b[rank], e->b[rank] = y;
  return fabs(e->A[rank * n + kept]);
}

/* Solves A x = b for x (n) by elimination with complete pivoting, for a stiffness matrix A, which may be singular, and a force b; unknowns
 * without a pivot become 0. Returns −1, or the index of an unknown that has a force but no stiffness, in which case there is no solution.
 * Overwrites e->A and e->b. */
static int solve_regular(struct elimination *e, double *x)
{
  const int n = e->n;
  double *A = e->A, *b = e->b;
  int rank = 0;
  for (int i = 0; i < n; i++) e->column[i] = i;
  for (; rank < n; rank++) {
    const double pivot = find_pivot(e, rank);
    const bool pushed = cmb_largest(n - rank, b + rank) > e->small;
    if (!(pivot > e->none) && pushed) return e->column[rank];
    if (!(pivot > e->doubt) && !pushed) break;
    const int kept = e->column[rank];
    for (int i = rank + 1; i < n; i++) {
      const double factor = A[i * n + kept] / A[rank * n + kept];
      cmb_add_scaled(n, -factor, A + (ptrdiff_t)rank * n, A + (ptrdiff_t)i * n);
      b[i] -= factor * b[rank];
    }
  }
  memset(x, 0, (size_t)n * sizeof *x);
  for (int i = rank - 1; i >= 0; i--) {
    for (int j = i + 1; j < rank; j++) b[i] -= A[i * n + e->column[j]] * x[e->column[j]];
    x[e->column[i]] = b[i] / A[i * n + e->column[i]];
  }
  return -1;
}

/* Copies column k of a derivative A (rows x np) with respect to the np parameters, stored on the sparsity pattern p (NULL: dense),
 * to the dense vector to (rows). */
static void take_column(const cmb_pattern *p, int rows, int np, const double *A, int k, double *to)
{
  for (int i = 0; i < rows; i++) {
    to[i] = p ? 0 : A[i * np + k];
    for (int e = p ? p->start[i] : 0; p && e < p->start[i + 1]; e++) {
      if (p->column[e] == k) to[i] += A[e];
    }
  }
}

/* Adds ∂r/∂q T w to rhs (nv): the change of the residual r of the equations of motion caused by a displacement w (nv), where q̇ = T v. Uses the
 * derivative ∂r/∂q last computed. */
static void add_stiffness(cmb_quasistatic *x, const double *w, double *rhs)
{
  const cmb_equations *eq = x->ev->eq;
  cmb_rates(x->ev, x->q, w, x->dq);
  cmb_multiply(eq->derivative_pattern[CMB_RESIDUAL_Q], eq->nv, eq->nq, x->J, x->dq, x->left);
  cmb_add_scaled(eq->nv, 1, x->left, rhs);
}

/* Returns an error with the message that no equilibrium exists for the changed parameters, since they exert a force in a direction without
 * stiffness. This direction is row k of x->tangent.N; the message names the velocity that is largest in it. */
static cmb_status fail_unbalanced_motion(cmb_quasistatic *x, int k)
{
  const cmb_equations *eq = x->ev->eq;
  const double *w = x->tangent.N + (ptrdiff_t)k * eq->nv;
  int most = 0;
  for (int i = 1; i < eq->nv; i++) {
    if (fabs(w[i]) > fabs(w[most])) most = i;
  }
  return cmb_fail_about(
      x->ctx, CMB_ERROR_EQUATIONS, cmb_about_thing("velocity", eq->v_names[most]),
      "the sweep exerts a force on a motion without stiffness, in which '%s' has the "
      "largest part; expected a drive that holds it",
      eq->v_names[most]);
}

/* Computes how the static equilibrium changes with parameter i: the derivatives of the displacements, into row i of x->W, and of the
 * multipliers, into row i of x->L. x->rhs must contain ∂r/∂p for the residual r of the equations of motion, and is overwritten; x->gp must
 * contain ∂g/∂p for the constraints g. Returns an error with a message if the parameter exerts a force in a direction without stiffness. */
static cmb_status find_change(cmb_quasistatic *x, int i)
{
  const cmb_equations *eq = x->ev->eq;
  cmb_tangent *tangent = &x->tangent;
  const int n = tangent->n, nv = eq->nv, ng = eq->ng;
  double *w = x->W + (ptrdiff_t)i * nv, *lambda = x->L + (ptrdiff_t)i * ng;
  for (int k = 0; k < ng; k++) lambda[k] = -x->gp[i * ng + k];
  cmb_tangent_normal(tangent, lambda, w);
  double *b = x->ev->w;
  memcpy(b, x->rhs, (size_t)nv * sizeof *b);
  add_stiffness(x, w, b);
  for (int k = 0; k < n; k++) x->z[k] = -cmb_dot(nv, tangent->N + (ptrdiff_t)k * nv, b);
  cmb_tangent_reduce(tangent, eq->derivative_pattern[CMB_RESIDUAL_Q], x->J, x->q, x->K);
  const int entries = cmb_pattern_values(eq->derivative_pattern[CMB_RESIDUAL_Q], nv, eq->nq);
  const double longest = cmb_largest(n * nv, tangent->N);
  const double most = cmb_largest(entries, x->J) * longest * longest;
  struct elimination e = {.n = n, .A = x->K, .b = x->z, .column = x->column};
  e.doubt = n * cmb_stiffness_noise(eq) * most; /* rounding is a part of this */
  e.none = NO_STIFFNESS * e.doubt;
  e.small = NO_FORCE * longest * cmb_largest(nv, b);
  const int pushed = solve_regular(&e, x->left);
  if (pushed >= 0) return fail_unbalanced_motion(x, pushed);
  memcpy(b, x->left, (size_t)n * sizeof *b);
  for (int k = 0; k < n; k++) cmb_add_scaled(nv, b[k], tangent->N + (ptrdiff_t)k * nv, w);
  add_stiffness(x, w, x->rhs);
  for (int k = 0; k < nv; k++) x->rhs[k] = -x->rhs[k];
  cmb_tangent_multipliers(tangent, x->rhs, lambda);
  return CMB_OK;
}

/* Computes the forces at the state of rest x->q, and the derivatives of displacements and multipliers with respect to all parameters that are
 * changed. */
static cmb_status find_changes(cmb_quasistatic *x)
{
  const cmb_equations *eq = x->ev->eq;
  double size;
  CMB_TRY(
      cmb_static_forces(&x->tangent, &x->modes, x->t, x->q, x->rest, x->lambda, x->left, &size));
  CMB_TRY(cmb_derivative_at(x->differences, x->t, x->q, x->rest, x->ev->zero, x->lambda,
                            CMB_RESIDUAL_Q, x->J));
  CMB_TRY(cmb_derivative_at(x->differences, x->t, x->q, x->rest, x->ev->zero, x->lambda,
                            CMB_POSITION_P, x->P));
  for (int i = 0; i < x->count; i++) {
    take_column(eq->derivative_pattern[CMB_POSITION_P], eq->ng, eq->np, x->P, x->parameter[i],
                x->gp + (ptrdiff_t)i * eq->ng);
  }
  CMB_TRY(cmb_derivative_at(x->differences, x->t, x->q, x->rest, x->ev->zero, x->lambda,
                            CMB_RESIDUAL_P, x->P));
  for (int i = 0; i < x->count; i++) {
    take_column(eq->derivative_pattern[CMB_RESIDUAL_P], eq->nv, eq->np, x->P, x->parameter[i],
                x->rhs);
    CMB_TRY(find_change(x, i));
  }
  return cmb_all_finite(x->count * eq->nv, x->W) && cmb_all_finite(x->count * eq->ng, x->L)
             ? CMB_OK
             : CMB_RETRY_NONFINITE;
}

cmb_status cmb_quasistatic_evaluate(cmb_quasistatic *x, const double *q)
{
  double size;
  memcpy(x->q, q, (size_t)x->ev->eq->nq * sizeof *x->q);
  CMB_TRY(
      cmb_static_forces(&x->tangent, &x->modes, x->t, x->q, x->rest, x->lambda, x->left, &size));
  return cmb_derivative_at(x->differences, x->t, x->q, x->rest, x->ev->zero, x->lambda,
                           CMB_RESIDUAL_Q, x->J);
}

bool cmb_quasistatic_is_free(cmb_quasistatic *x, int i, int count, const int *drives)
{
  const cmb_equations *eq = x->ev->eq;
  double *w = x->rhs, *g = x->L, moved = 0;
  memset(w, 0, (size_t)eq->nv * sizeof *w);
  w[i] = 1;
  cmb_multiply(eq->G_pattern, eq->ng, eq->nv, x->tangent.G, w, g);
  for (int k = 0; k < count; k++) g[drives[k]] = 0;
  const int g_entries = cmb_pattern_values(eq->G_pattern, eq->ng, eq->nv);
  if (cmb_largest(eq->ng, g) > NO_FORCE * cmb_largest(g_entries, x->tangent.G)) return false;
  memset(x->z, 0, (size_t)eq->nv * sizeof *x->z);
  add_stiffness(x, w, x->z);
  const int entries = cmb_pattern_values(eq->derivative_pattern[CMB_RESIDUAL_Q], eq->nv, eq->nq);
  if (cmb_largest(eq->nv, x->z) > cmb_stiffness_noise(eq) * cmb_largest(entries, x->J)) {
    return false;
  }
  for (int k = 0; k < x->tangent.n; k++) moved = fmax(moved, fabs(x->tangent.N[k * eq->nv + i]));
  return moved > MOVED * cmb_largest(x->tangent.n * eq->nv, x->tangent.N);
}

cmb_status cmb_quasistatic_begin(cmb_quasistatic *x, const double *q_start)
{
  cmb_equilibrium_report report;
  memcpy(x->q, q_start, (size_t)x->ev->eq->nq * sizeof *x->q);
  CMB_TRY(cmb_equilibrium(x->ev, x->t, x->q, NULL, x->lambda, &report));
  CMB_TRY(cmb_refuse_stuck(x->ev, x->arena, x->t, x->q, x->rest, x->lambda, "a sweep"));
  const cmb_status status = find_changes(x);
  return status <= 0 ? status : cmb_no_equilibrium(x->ev, x->t, status, NULL);
}

/* Predicts the positions x->q_try (nq) of the next static equilibrium on the straight line from the parameters x->p_from to `to` (count). The
 * line's parameter s increases by at most ds, to at most 1, such that no coordinate moves by more than LARGEST_STEP. Stores the predicted
 * change of q in x->dq (nq); returns the increase of s. */
static double predict(cmb_quasistatic *x, const double *to, double s, double ds)
{
  const cmb_equations *eq = x->ev->eq;
  double *w = x->rhs;
  memset(w, 0, (size_t)eq->nv * sizeof *w);
  for (int i = 0; i < x->count; i++) {
    const double rate = to[i] - x->p_from[x->parameter[i]];
    cmb_add_scaled(eq->nv, rate, x->W + (ptrdiff_t)i * eq->nv, w);
  }
  cmb_rates(x->ev, x->q, w, x->dq);
  const double most = cmb_largest(eq->nq, x->dq);
  ds = fmin(ds, 1 - s);
  if (most * ds > LARGEST_STEP) ds = LARGEST_STEP / most;
  for (int i = 0; i < eq->nq; i++) {
    x->dq[i] *= ds;
    x->q_try[i] = x->q[i] + x->dq[i];
  }
  return ds;
}

/* Corrects the predicted positions x->q_try (nq), in place, to the static equilibrium nearby. Returns CMB_RETRY_NEWTON if the correction is
 * larger than STRAIGHT times the predicted step plus SMALL (1 + |q|). */
static cmb_status correct(cmb_quasistatic *x)
{
  const cmb_equations *eq = x->ev->eq;
  cmb_equilibrium_report report;
  CMB_TRY(cmb_equilibrium(x->ev, x->t, x->q_try, NULL, x->lambda, &report));
  const double step = cmb_largest(eq->nq, x->dq), scale = 1 + cmb_largest(eq->nq, x->q);
  double off = 0;
  for (int i = 0; i < eq->nq; i++) {
    off = fmax(off, fabs(x->q_try[i] - x->q[i] - x->dq[i]));
  }
  return off <= STRAIGHT * step + SMALL * scale ? CMB_OK : CMB_RETRY_NEWTON;
}

cmb_status cmb_quasistatic_go(cmb_quasistatic *x, const double *to, double *reached)
{
  const cmb_equations *eq = x->ev->eq;
  double s = 0, wish = 1;
  memcpy(x->p_from, x->p, (size_t)eq->np * sizeof *x->p);
  for (int steps = 0; s < 1; steps++) {
    if (steps == MOST_STEPS) return CMB_RETRY_NEWTON;
    const double ds = predict(x, to, s, wish), next = s + ds >= 1 ? 1 : s + ds;
    for (int i = 0; i < x->count; i++) {
      const int k = x->parameter[i];
      x->p[k] = next < 1 ? x->p_from[k] + next * (to[i] - x->p_from[k]) : to[i];
    }
    const cmb_status status = correct(x);
    if (status == CMB_ERROR_MEMORY) return status;
    if (status == CMB_OK) {
      memcpy(x->q, x->q_try, (size_t)eq->nq * sizeof *x->q);
      s = next;
      *reached = s;
      CMB_TRY(find_changes(x));
      wish = 2 * ds;
      continue;
    }
    for (int i = 0; i < x->count; i++) {
      const int k = x->parameter[i];
      x->p[k] = x->p_from[k] + s * (to[i] - x->p_from[k]);
    }
    *reached = s;
    wish = ds / 2;
    if (wish < LEAST_SHARE) return CMB_RETRY_NEWTON;
  }
  *reached = 1;
  return CMB_OK;
}
