/*
 * The evaluator (evaluator.h): calls of the equations' functions, the KKT solve of Simeon 1996 eq. (4)
 *
 *     [ M  Gᵀ ] [ a ]   [  f ]
 *     [ G  0  ] [ λ ] = [ −γ ]
 *
 * and the residual r = M a − f + Gᵀ λ, built from M, f, G where the equations do not give it themselves.
 */
#include "dae/evaluator.h"

#include "base/context.h"
#include "dae/branch.h"
#include "math/dense.h"
#include "math/finite.h"
#include "math/pattern.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static int mass_values(const cmb_equations *eq)
{
  if (eq->mass_factors) return eq->mass_factors->values;
  return eq->mass_diagonal ? eq->nv : cmb_pattern_values(eq->M_pattern, eq->nv, eq->nv);
}

static void take_memory(cmb_evaluator *ev)
{
  const cmb_equations *eq = ev->eq;
  cmb_arena *a = ev->arena;
  ev->mode = cmb_arena_ints(a, eq->ns);
  if (eq->switch_sticks) ev->grip = cmb_arena_doubles(a, eq->ns);
  ev->scratch = cmb_arena_take(a, eq->scratch_size, 1);
  ev->M = cmb_arena_doubles(a, mass_values(eq));
  if (eq->mass_factors) ev->M_scratch = cmb_arena_doubles(a, eq->mass_factors->scratch);
  ev->G = cmb_arena_doubles(a, cmb_pattern_values(eq->G_pattern, eq->ng, eq->nv));
  ev->f = cmb_arena_doubles(a, eq->nv);
  ev->g = cmb_arena_doubles(a, eq->ng);
  ev->gamma = cmb_arena_doubles(a, eq->ng);
  ev->gt = cmb_arena_doubles(a, eq->ng);
  ev->length = cmb_arena_doubles(a, eq->ng);
  ev->extent = cmb_arena_doubles(a, eq->ng);
  ev->branch = cmb_branch_create(a, eq);
  if (eq->surfaces) {
    ev->u = cmb_arena_doubles(a, eq->rule_count);
    ev->ut = cmb_arena_doubles(a, eq->rule_count);
    ev->u_gamma = cmb_arena_doubles(a, eq->rule_count);
    ev->U = cmb_arena_doubles(a, cmb_pattern_values(eq->U_pattern, eq->rule_count, eq->nv));
  }
  ev->late = cmb_arena_doubles(a, eq->nl);
  ev->late_a = cmb_arena_doubles(a, eq->nl > 0 ? eq->nv : 0);
  ev->late_lambda = cmb_arena_doubles(a, eq->nl > 0 ? eq->ng : 0);
  ev->zero = cmb_arena_doubles(a, eq->nv);
  ev->w = cmb_arena_doubles(a, eq->nv);
  ev->dw = cmb_arena_doubles(a, eq->nv);
  ev->tau = cmb_arena_doubles(a, eq->ng);
  ev->dtau = cmb_arena_doubles(a, eq->ng);
  ev->dq = cmb_arena_doubles(a, eq->nq);
  ev->q_given = cmb_arena_doubles(a, eq->nq);
  ev->v_given = cmb_arena_doubles(a, eq->nv);
  ev->q_trial = cmb_arena_doubles(a, eq->nq);
}

static cmb_status check_sizes(cmb_context *ctx, const cmb_equations *eq)
{
  if (eq->nv < 1 || eq->nq < 1 || eq->ng < 0 || eq->ns < 0 || eq->no < 0) {
    return cmb_fail(
        ctx, CMB_ERROR_INPUT,
        "%s: nq = %d, nv = %d, ng = %d, ns = %d and no = %d; expected nq and nv of at least 1, "
        "and the others not negative",
        eq->name, eq->nq, eq->nv, eq->ng, eq->ns, eq->no);
  }
  if (!eq->rates && eq->nq != eq->nv) {
    return cmb_fail(ctx, CMB_ERROR_INPUT,
                    "%s: nq = %d and nv = %d differ; expected equal numbers, or the function rates",
                    eq->name, eq->nq, eq->nv);
  }
  return CMB_OK;
}

static cmb_status create(cmb_context *ctx, const cmb_equations *eq, cmb_evaluator **out)
{
  *out = NULL;
  CMB_TRY(check_sizes(ctx, eq));
  cmb_arena *arena = cmb_arena_create(ctx);
  if (!arena) return cmb_fail_memory(ctx);
  cmb_evaluator *ev = cmb_arena_take(arena, 1, sizeof *ev);
  if (!ev) {
    cmb_arena_destroy(arena);
    return cmb_fail_memory(ctx);
  }
  ev->ctx = ctx;
  ev->eq = eq;
  ev->arena = arena;
  take_memory(ev);
  if (cmb_arena_failed(arena)) {
    cmb_arena_destroy(arena);
    return cmb_fail_memory(ctx);
  }
  for (int i = 0; i < eq->ns; i++) ev->mode[i] = 1;
  cmb_kkt_shape shape = {eq->nv, eq->ng, eq->mass_diagonal, eq->M_pattern, eq->G_pattern};
  cmb_status status = eq->mass_factors
                          ? cmb_kkt_create_factored(ctx, &shape, eq->mass_factors, &ev->kkt)
                          : cmb_kkt_create(ctx, &shape, &ev->kkt);
  if (status != CMB_OK) {
    cmb_arena_destroy(arena);
    return status;
  }
  ev->doubtful = cmb_kkt_doubtful(ev->kkt);
  *out = ev;
  return CMB_OK;
}

cmb_status cmb_evaluator_create(cmb_context *ctx, const cmb_equations *eq, cmb_evaluator **ev)
{
  cmb_evaluator *aside = NULL;
  *ev = NULL;
  if (eq->late) CMB_TRY(create(ctx, eq, &aside));
  const cmb_status status = create(ctx, eq, ev);
  if (*ev) {
    (*ev)->aside = aside;
  } else {
    cmb_evaluator_destroy(aside);
  }
  return status;
}

void cmb_evaluator_destroy(cmb_evaluator *ev)
{
  if (!ev) return;
  cmb_evaluator_destroy(ev->aside);
  cmb_kkt_destroy(ev->kkt);
  cmb_arena_destroy(ev->arena);
}

/* Computes the rates of those first-order states whose rates depend on accelerations or multipliers (late states) at (t, q, v),
 * into ev->late (nl). Accelerations and multipliers are computed by a second evaluator, so that ev keeps its KKT factors. */
static __attribute__((noinline)) cmb_status compute_late_rates(cmb_evaluator *ev, double t,
                                                               const double *q, const double *v)
{
  const cmb_equations *eq = ev->eq;
  cmb_evaluator *aside = ev->aside;
  memcpy(aside->mode, ev->mode, (size_t)eq->ns * sizeof *ev->mode);
  if (ev->grip) memcpy(aside->grip, ev->grip, (size_t)eq->ns * sizeof *ev->grip);
  aside->p = ev->p;
  aside->redundant = ev->redundant;
  CMB_TRY(cmb_factor_and_accelerate(aside, t, q, v, ev->late_a, ev->late_lambda));
  for (int i = 0; i < eq->nl; i++) ev->late[i] = ev->late_a[eq->late_row[i]];
  return CMB_OK;
}

cmb_status cmb_evaluate_with_late(cmb_evaluator *ev, const cmb_point *at, const cmb_terms *want)
{
  const cmb_equations *eq = ev->eq;
  CMB_TRY(cmb_evaluate_but_late(ev, at, want));
  CMB_TRY(compute_late_rates(ev, at->t, at->q, at->v));
  for (int i = 0; i < eq->nl; i++) want->f[eq->late_row[i]] = ev->late[i];
  return CMB_OK;
}

cmb_status cmb_evaluate(cmb_evaluator *ev, double t, const double *q, const double *v,
                        const cmb_terms *want)
{
  const cmb_point at = cmb_evaluator_point(ev, t, q, v);
  return cmb_evaluate_at(ev, &at, want);
}

cmb_status cmb_late_residual(cmb_evaluator *ev, double t, const double *q, const double *v,
                             const double *a, double *r)
{
  const cmb_equations *eq = ev->eq;
  if (!ev->aside) return CMB_OK;
  CMB_TRY(compute_late_rates(ev, t, q, v));
  for (int i = 0; i < eq->nl; i++) r[eq->late_row[i]] = a[eq->late_row[i]] - ev->late[i];
  return CMB_OK;
}

void cmb_rates(const cmb_evaluator *ev, const double *q, const double *v, double *qdot)
{
  if (ev->eq->rates) {
    ev->eq->rates(ev->eq->self, q, v, qdot);
  } else {
    cmb_copy(ev->eq->nv, v, qdot);
  }
}

double *cmb_mass_wanted(cmb_evaluator *ev)
{
  return ev->mass_ready ? NULL : ev->M;
}

/* Stores in ev->deficiency the number of dependent constraints that a factorisation of the KKT matrix with the result `status` has
 * found (0 unless this is CMB_RETRY_SINGULAR). Returns CMB_OK if the singular matrix may be used for least-squares solutions: it
 * is `symmetric`, or no more constraints are dependent than are known to be redundant. Otherwise returns `status`. */
static __attribute__((noinline)) cmb_status accept_deficiency(cmb_evaluator *ev, cmb_status status,
                                                              bool symmetric)
{
  ev->deficiency = 0;
  if (status != CMB_RETRY_SINGULAR) return status;
  ev->deficiency = ev->eq->ng - cmb_kkt_rank_held(ev->kkt);
  return symmetric || ev->deficiency <= ev->redundant ? CMB_OK : status;
}

cmb_status cmb_factor(cmb_evaluator *ev, const double *M, const double *G, const double *B)
{
  ev->stats.factor++;
  ev->factors_near = true;
  cmb_status status = cmb_kkt_factor(ev->kkt, M, G, B);
  if (*ev->doubtful) status = accept_deficiency(ev, status, !B || B == G);
  if (status == CMB_OK) ev->mass_ready = ev->eq->mass_constant;
  return status;
}

void cmb_solve(cmb_evaluator *ev, const double *r, const double *s, double *x, double *y)
{
  cmb_kkt_solve(ev->kkt, r ? r : ev->zero, s, x, y);
  ev->stats.solve++;
}

/* Computes the Newton correction x (nv) of G x = −s for the constraint defects s (ng), and its multipliers y (ng) with Gᵀ y = −M
 * x, by the current KKT factors of nearly dependent constraints. Directions with very small singular values are left out, so that
 * x may satisfy G x = −s only in part. */
static __attribute__((noinline)) void correct_nearly_dependent(cmb_evaluator *ev, const double *s,
                                                               double *x, double *y)
{
  cmb_kkt_correct(ev->kkt, s, x);
  cmb_multiply_mass(ev, x, ev->w);
  for (int i = 0; i < ev->eq->nv; i++) ev->w[i] = -ev->w[i];
  cmb_kkt_solve(ev->kkt, ev->w, NULL, ev->w, y);
}

void cmb_correct(cmb_evaluator *ev, const double *s, double *x, double *y)
{
  if (*ev->doubtful) {
    correct_nearly_dependent(ev, s, x, y);
  } else {
    cmb_kkt_move(ev->kkt, ev->zero, s, x, y);
  }
  ev->stats.solve++;
}

/* Corrects the accelerations a (nv) in a singular position, where more constraints are dependent than are redundant everywhere: of the
 * accelerations that satisfy the constraints, takes those of a smooth motion through this position. If ev->watching is set, also corrects
 * accelerations near such a position, in directions that the constraints determine only weakly. */
static __attribute__((noinline)) cmb_status follow_branch(cmb_evaluator *ev, double t,
                                                          const double *q, const double *v,
                                                          double *a)
{
  if (ev->deficiency > ev->redundant) CMB_TRY(cmb_branch_accelerate(ev, t, q, v, a));
  return ev->watching ? cmb_branch_settle(ev, t, q, v, a) : CMB_OK;
}

/* Computes the rates of those first-order states whose rates depend on the accelerations a (nv) or multipliers λ (ng) (late
 * states), and stores them in the entries of these states in a and ev->f. */
static __attribute__((noinline)) cmb_status store_late_rates(cmb_evaluator *ev, double t,
                                                             const double *q, const double *v,
                                                             double *a, const double *lambda)
{
  const cmb_equations *eq = ev->eq;
  const cmb_point at = cmb_evaluator_point(ev, t, q, v);
  CMB_TRY(eq->late(eq->self, &at, a, lambda, NULL, ev->late));
  for (int i = 0; i < eq->nl; i++) a[eq->late_row[i]] = ev->f[eq->late_row[i]] = ev->late[i];
  return CMB_OK;
}

/* Solves M a + Gᵀ λ = f, G a = −γ for the accelerations a (nv) and multipliers λ (ng), with the current KKT factors and the
 * evaluator's f and γ. Corrects a in and near singular positions. Then computes those rates of first-order states that depend on a
 * or λ; they are entries of a. Returns CMB_RETRY_NONFINITE if a is not finite. */
static inline cmb_status solve_motion(cmb_evaluator *ev, double t, const double *q, const double *v,
                                      double *a, double *lambda)
{
  const cmb_equations *eq = ev->eq;
  for (int i = 0; i < eq->nl; i++) ev->f[eq->late_row[i]] = 0; /* it may be NaN */
  cmb_solve(ev, ev->f, ev->gamma, a, lambda);
  if (*ev->doubtful) CMB_TRY(follow_branch(ev, t, q, v, a));
  if (eq->nl > 0) CMB_TRY(store_late_rates(ev, t, q, v, a, lambda));
  /* Every component of f and, through Gᵀλ, of γ enters some component of a, so checking a is enough. */
  return cmb_all_finite(eq->nv, a) ? CMB_OK : CMB_RETRY_NONFINITE;
}

static inline cmb_status factor_and_solve(cmb_evaluator *ev, double t, const double *q,
                                          const double *v, double *a, double *lambda)
{
  double *M = cmb_mass_wanted(ev);
  const cmb_point at = cmb_evaluator_point(ev, t, q, v);
  cmb_terms want = {.M = M, .f = ev->f, .G = ev->G, .gamma = ev->gamma};
  CMB_TRY(cmb_evaluate_but_late(ev, &at, &want));
  CMB_TRY(cmb_factor(ev, M, ev->G, NULL));
  return solve_motion(ev, t, q, v, a, lambda);
}

/* Computes the accelerations a (nv) and multipliers λ (ng) by the equations' own function eq->accelerate, without a KKT matrix.
 * Factorises the KKT matrix instead if its last factors showed nearly dependent constraints, or if the function returns
 * CMB_RETRY_SINGULAR. */
static __attribute__((noinline)) cmb_status accelerate_explicitly(cmb_evaluator *ev, double t,
                                                                  const double *q, const double *v,
                                                                  double *a, double *lambda)
{
  const cmb_equations *eq = ev->eq;
  if (*ev->doubtful) return factor_and_solve(ev, t, q, v, a, lambda);
  cmb_point at = cmb_evaluator_point(ev, t, q, v);
  ev->stats.f++;
  cmb_status status = eq->accelerate(eq->self, &at, a, lambda);
  if (status == CMB_RETRY_SINGULAR) return factor_and_solve(ev, t, q, v, a, lambda);
  if (status != CMB_OK) return status;
  ev->factors_near = false;
  bool finite = cmb_all_finite(eq->nv, a) && cmb_all_finite(eq->ng, lambda);
  return finite ? CMB_OK : CMB_RETRY_NONFINITE;
}

cmb_status cmb_accelerate(cmb_evaluator *ev, double t, const double *q, const double *v, double *a,
                          double *lambda)
{
  if (ev->eq->accelerate) return accelerate_explicitly(ev, t, q, v, a, lambda);
  return factor_and_solve(ev, t, q, v, a, lambda);
}

cmb_status cmb_factor_and_accelerate(cmb_evaluator *ev, double t, const double *q, const double *v,
                                     double *a, double *lambda)
{
  return factor_and_solve(ev, t, q, v, a, lambda);
}

cmb_status cmb_factor_at(cmb_evaluator *ev, double t, const double *q)
{
  double *M = cmb_mass_wanted(ev);
  cmb_terms want = {.M = M, .G = ev->G, .gt = ev->gt};
  CMB_TRY(cmb_evaluate(ev, t, q, NULL, &want));
  return cmb_factor(ev, M, ev->G, NULL);
}

cmb_status cmb_accelerate_factored(cmb_evaluator *ev, double t, const double *q, const double *v,
                                   double *a, double *lambda)
{
  const cmb_point at = cmb_evaluator_point(ev, t, q, v);
  cmb_terms want = {.f = ev->f, .gamma = ev->gamma};
  CMB_TRY(cmb_evaluate_but_late(ev, &at, &want));
  return solve_motion(ev, t, q, v, a, lambda);
}

bool cmb_unique_multipliers(const cmb_evaluator *ev, bool *unique)
{
  const int ng = ev->eq->ng;
  if (!*ev->doubtful || ev->deficiency == 0) return true;
  for (int i = 0; i < ng; i++) unique[i] = true;
  for (int k = 0; k < ev->deficiency; k++) {
    cmb_kkt_null(ev->kkt, k, ev->tau, ev->dtau);
    for (int i = 0; i < ng; i++) {
      if (ev->dtau[i] > 1e-6) unique[i] = false; /* the share vectors have length 1 */
    }
  }
  return false;
}

cmb_status cmb_require_mass_entries(const cmb_evaluator *ev)
{
  if (!ev->eq->mass_factors) return CMB_OK;
  return cmb_fail(
      ev->ctx, CMB_ERROR_ARGUMENT,
      "%s: the entries of the mass matrix, which this method or analysis needs, are not computed "
      "for such a long chain of bodies; expected a system made with the option derivatives",
      ev->eq->name);
}

void cmb_multiply_mass(const cmb_evaluator *ev, const double *x, double *y)
{
  const cmb_equations *eq = ev->eq;
  const double *M = ev->M;
  const cmb_mass_factors *factors = eq->mass_factors;
  if (factors) {
    factors->multiply(factors->self, M, ev->M_scratch, x, y);
  } else if (eq->mass_diagonal) {
    for (int i = 0; i < eq->nv; i++) y[i] = M[i] * x[i];
  } else {
    cmb_multiply(eq->M_pattern, eq->nv, eq->nv, M, x, y);
  }
}

void cmb_solve_again(cmb_evaluator *ev, const double *r, double *x, double *y)
{
  const cmb_equations *eq = ev->eq;
  double *residual_left = ev->w;
  cmb_multiply_mass(ev, x, residual_left);
  cmb_multiply_transposed_add(eq->G_pattern, eq->ng, eq->nv, ev->G, 1, y, residual_left);
  for (int i = 0; i < eq->nv; i++) residual_left[i] = r[i] - residual_left[i];
  cmb_multiply(eq->G_pattern, eq->ng, eq->nv, ev->G, x, ev->tau);
  cmb_solve(ev, residual_left, ev->tau, ev->dw, ev->dtau);
  cmb_add_scaled(eq->nv, 1, ev->dw, x);
  cmb_add_scaled(eq->ng, 1, ev->dtau, y);
}

cmb_status cmb_residual(cmb_evaluator *ev, double t, const double *q, const double *v,
                        const double *a, const double *lambda, double *r)
{
  const cmb_equations *eq = ev->eq;
  cmb_point at = cmb_evaluator_point(ev, t, q, v);
  ev->stats.f++;
  if (eq->residual) {
    CMB_TRY(eq->residual(eq->self, &at, a, lambda, r));
  } else {
    cmb_terms want = {.M = ev->M, .f = ev->f, .G = ev->G};
    CMB_TRY(eq->evaluate(eq->self, &at, &want));
    cmb_multiply_mass(ev, a, r);
    for (int i = 0; i < eq->nv; i++) r[i] -= ev->f[i];
    cmb_multiply_transposed_add(eq->G_pattern, eq->ng, eq->nv, ev->G, 1.0, lambda, r);
  }
  CMB_TRY(cmb_late_residual(ev, t, q, v, a, r));
  return cmb_all_finite(eq->nv, r) ? CMB_OK : CMB_RETRY_NONFINITE;
}

cmb_status cmb_switches(cmb_evaluator *ev, double t, const double *q, const double *v,
                        const double *lambda, double *s)
{
  if (ev->eq->ns == 0) return CMB_OK;
  cmb_point at = cmb_evaluator_point(ev, t, q, v);
  CMB_TRY(ev->eq->switches(ev->eq->self, &at, lambda, s));
  return cmb_all_finite(ev->eq->ns, s) ? CMB_OK : CMB_RETRY_NONFINITE;
}

cmb_status cmb_levels(cmb_evaluator *ev, double t, const double *q, const double *v,
                      const double *lambda, int *mode)
{
  const cmb_equations *eq = ev->eq;
  for (int i = 0; i < eq->ns; i++) mode[i] = ev->mode[i];
  if (!eq->switch_is_level) return CMB_OK;
  cmb_point at = cmb_evaluator_point(ev, t, q, v);
  return eq->levels(eq->self, &at, lambda, mode);
}

cmb_status cmb_outputs(cmb_evaluator *ev, double t, const double *q, const double *v,
                       const double *a, const double *lambda, double *out)
{
  const int all = cmb_observed(ev->eq);
  if (all == 0) return CMB_OK;
  cmb_point at = cmb_evaluator_point(ev, t, q, v);
  CMB_TRY(ev->eq->outputs(ev->eq->self, &at, a, lambda, out));
  for (int i = 0; i < all; i++) out[i] += 0.0; /* turns −0 into +0 */
  return cmb_all_finite(ev->eq->no, out) ? CMB_OK : CMB_RETRY_NONFINITE;
}

cmb_status cmb_next_samples(cmb_evaluator *ev, double t, const double *q, const double *v,
                            const double *a, const double *lambda, double *out)
{
  const cmb_point at = cmb_evaluator_point(ev, t, q, v);
  CMB_TRY(ev->eq->outputs(ev->eq->self, &at, a, lambda, out));
  for (int i = 0; i < cmb_observed(ev->eq); i++) out[i] += 0.0;
  return CMB_OK;
}

cmb_status cmb_conditions(cmb_evaluator *ev, double t, const double *q, const double *v,
                          const double *lambda, bool *met)
{
  if (ev->eq->rule_count == 0) return CMB_OK;
  cmb_point at = cmb_evaluator_point(ev, t, q, v);
  return ev->eq->conditions(ev->eq->self, &at, lambda, met);
}

cmb_status cmb_resets(cmb_evaluator *ev, double t, const double *q, const double *v,
                      const double *lambda, double *R, double *change)
{
  const cmb_equations *eq = ev->eq;
  if (eq->reset_count == 0) return CMB_OK;
  cmb_point at = cmb_evaluator_point(ev, t, q, v);
  CMB_TRY(eq->resets(eq->self, &at, lambda, R, change));
  const bool finite =
      cmb_all_finite(eq->reset_count * eq->nv, R) && cmb_all_finite(eq->reset_count, change);
  return finite ? CMB_OK : CMB_RETRY_NONFINITE;
}

cmb_status cmb_surfaces(cmb_evaluator *ev, double t, const double *q, const double *v)
{
  cmb_point at = cmb_evaluator_point(ev, t, q, v);
  return ev->eq->surfaces(ev->eq->self, &at, ev->u, ev->ut, ev->u_gamma, ev->U);
}

void cmb_surface_row(const cmb_evaluator *ev, int rule, double *row)
{
  const cmb_equations *eq = ev->eq;
  cmb_expand_row(eq->U_pattern, eq->nv, rule, ev->U, row);
}

double cmb_surface_size(const cmb_evaluator *ev, int rule)
{
  return cmb_row_size(ev->eq->U_pattern, ev->eq->nv, rule, ev->U);
}

cmb_status cmb_constraint_residuals(cmb_evaluator *ev, double t, const double *q, const double *v,
                                    double *position, double *velocity)
{
  const cmb_equations *eq = ev->eq;
  cmb_terms want = {.g = ev->g, .G = ev->G, .gt = ev->gt};
  CMB_TRY(cmb_evaluate(ev, t, q, NULL, &want));
  cmb_multiply(eq->G_pattern, eq->ng, eq->nv, ev->G, v, ev->tau);
  cmb_add_to(eq->ng, ev->gt, ev->tau);
  *position = cmb_norm2(eq->ng, ev->g);
  *velocity = cmb_norm2(eq->ng, ev->tau);
  return isfinite(*position) && isfinite(*velocity) ? CMB_OK : CMB_RETRY_NONFINITE;
}

const char *cmb_evaluator_blamed(const cmb_evaluator *ev, cmb_status status)
{
  const int row = status == CMB_RETRY_SINGULAR ? cmb_kkt_dependent(ev->kkt) : -1;
  return row >= 0 ? ev->eq->g_names[row] : NULL;
}

const char *cmb_evaluator_unsolved(const cmb_evaluator *ev)
{
  const cmb_point last = cmb_evaluator_point(ev, 0, NULL, NULL);
  return ev->eq->unsolved ? ev->eq->unsolved(ev->eq->self, &last) : NULL;
}

const char *cmb_evaluator_blame(const cmb_evaluator *ev, cmb_status status, size_t room, char *text)
{
  const char *constraint = cmb_evaluator_blamed(ev, status);
  const char *unsolved = status == CMB_RETRY_NONFINITE ? cmb_evaluator_unsolved(ev) : NULL;
  if (unsolved) {
    snprintf(text, room, "no root is found from the start value of the %s", unsolved);
  } else if (constraint) {
    snprintf(text, room, "%s: constraint '%s' depends on the others", cmb_status_meaning(status),
             constraint);
  } else {
    snprintf(text, room, "%s", cmb_status_meaning(status));
  }
  return text;
}
