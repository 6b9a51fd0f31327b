/*
 * The projecting descriptor form, Simeon 1996 eq. (5), where q and u may violate the constraints, and p, v, w, λ, τ, η are algebraic
 * variables:
 *
 *     (5a)  M(p) q̇ = M(p) v + Ṁ (p − q) + Ġᵀ τ            (5c)  0 = M(p) w − f + G(p)ᵀ λ,      0 = G(p) w + γ
 *     (5b)  M(p) u̇ = M(p) w + Ṁ (v − u) + Ġᵀ η            (5d)  0 = M(p)(v − u) + G(p)ᵀ η,     0 = G(p) v + g_t
 *                                                         (5e)  0 = M(p)(p − q) + G(p)ᵀ τ,     0 = g(p)
 *
 * Its algebraic part is solved from the last line to the first: p and τ by Newton's method from q, then v and η, then w and λ, each with the
 * KKT matrix at p. So q and u remain to be integrated. Ṁ and Ġ are derivatives along the motion; the paper's ṗ in (5a) is v on solutions,
 * and with v in its place the form has the same solutions: ṗ − v and τ̇ solve a regular linear system without a right-hand side.
 *
 * Ṁ x + Ġᵀ y is a central difference of M x + Gᵀ y between p − ε v at t − ε and p + ε v at t + ε. x and y are as small as the drift, and so
 * is the error of the difference, so that its rounding is negligible.
 */
#include "form/projecting.h"

#include "base/context.h"
#include "dae/project.h"
#include "math/dense.h"
#include "math/finite.h"

#include <float.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

/* Returns a description, for an error message, of what the equations lack for the projecting form; NULL if the form supports them. */
static const char *what_is_missing(const cmb_equations *eq)
{
  if (eq->mass_factors)
    return "the entries of the mass matrix, which are not computed for such a long chain of bodies";
  if (eq->normalize) {
    return "velocities that are the derivatives of the coordinates; this model has Euler "
           "parameters";
  }
  if (eq->nz > 0) {
    return "velocities that are the derivatives of the coordinates; this model has first-order "
           "states";
  }
  const bool same = !eq->rates && eq->nq == eq->nv;
  return same ? NULL : "velocities that are the derivatives of the coordinates";
}

/* Checks that the projecting form supports the equations: velocities must be the rates of the coordinates, and the mass matrix must be given by
 * its entries. Returns CMB_ERROR_ARGUMENT with a message if not. */
static cmb_status check_covered(const cmb_evaluator *ev)
{
  const cmb_equations *eq = ev->eq;
  const char *missing = what_is_missing(eq);
  if (!missing) return CMB_OK;
  return cmb_fail_about(ev->ctx, CMB_ERROR_ARGUMENT, cmb_about_thing("option", "form"),
                        "%s: option form=projecting needs %s", eq->name, missing);
}

cmb_status cmb_projecting_create(cmb_arena *arena, cmb_evaluator *ev, cmb_projecting **out)
{
  const cmb_equations *eq = ev->eq;
  const int nv = eq->nv, ng = eq->ng;
  *out = NULL;
  CMB_TRY(check_covered(ev));
  cmb_projecting *form = cmb_arena_take(arena, 1, sizeof *form);
  if (!form) return cmb_fail_memory(ev->ctx);
  form->ev = ev;
  double **of_motion[] = {&form->p,     &form->v,  &form->w,  &form->rate,
                          &form->force, &form->dp, &form->dv, &form->moved};
  double **of_constraints[] = {&form->lambda, &form->tau, &form->eta};
  for (size_t i = 0; i < sizeof of_motion / sizeof(void *); i++) {
    *of_motion[i] = cmb_arena_doubles(arena, nv);
  }
  for (size_t i = 0; i < sizeof of_constraints / sizeof(void *); i++) {
    *of_constraints[i] = cmb_arena_doubles(arena, ng);
  }
  form->mass = cmb_arena_take(arena, (size_t)nv * (size_t)nv, sizeof *form->mass);
  if (cmb_arena_failed(arena)) return cmb_fail_memory(ev->ctx);
  *out = form;
  return CMB_OK;
}

/* Projects positions q and velocities u (nv each) onto the constraints: computes the projected positions form->p with multipliers
 * form->tau, then the velocities form->v with multipliers form->eta, and the changes form->dp and form->dv. Returns
 * CMB_RETRY_SINGULAR if the constraints are dependent or nearly so. */
static cmb_status project(cmb_projecting *form, double t, const double *q, const double *u)
{
  cmb_evaluator *ev = form->ev;
  const int nv = ev->eq->nv;
  cmb_copy(nv, q, form->p);
  cmb_copy(nv, u, form->v);
  CMB_TRY(cmb_nearest_position(ev, t, form->p, form->tau));
  CMB_TRY(cmb_factor_at(ev, t, form->p));
  if (*ev->doubtful) return CMB_RETRY_SINGULAR;
  CMB_TRY(cmb_strike_velocity(ev, form->v, form->eta));
  cmb_subtract(nv, form->p, q, form->dp);
  cmb_subtract(nv, form->v, u, form->dv);
  return CMB_OK;
}

/* Computes sum (nv) += c (M x + Gᵀ y), with the mass matrix M and the constraint Jacobian G of the evaluator. */
static void add_product(cmb_projecting *form, double c, const double *x, const double *y,
                        double *sum)
{
  cmb_evaluator *ev = form->ev;
  const cmb_equations *eq = ev->eq;
  cmb_multiply_mass(ev, x, ev->w);
  cmb_add_scaled(eq->nv, c, ev->w, sum);
  cmb_multiply_transposed_add(eq->G_pattern, eq->ng, eq->nv, ev->G, c, y, sum);
}

/* Computes the terms Ṁ x + Ġᵀ y of the projection by central differences along the motion, twice: for the positions, with x = p − q (change of
 * the positions) and y = τ, into form->rate, and for the velocities, with x = v − u (their change) and y = η, into form->force. */
static cmb_status differentiate(cmb_projecting *form, double t)
{
  cmb_evaluator *ev = form->ev;
  const int nv = ev->eq->nv;
  const double fast = cmb_largest(nv, form->v), far = 1 + cmb_largest(nv, form->p);
  const double e = cbrt(DBL_EPSILON) * fmin(1, far / fmax(fast, DBL_MIN));
  memset(form->rate, 0, (size_t)nv * sizeof *form->rate);
  memset(form->force, 0, (size_t)nv * sizeof *form->force);
  for (int side = -1; side <= 1; side += 2) {
    cmb_terms want = {.M = cmb_mass_wanted(ev), .G = ev->G};
    for (int i = 0; i < nv; i++) form->moved[i] = form->p[i] + side * e * form->v[i];
    CMB_TRY(cmb_evaluate(ev, t + side * e, form->moved, NULL, &want));
    add_product(form, side / (2 * e), form->dp, form->tau, form->rate);
    add_product(form, side / (2 * e), form->dv, form->eta, form->force);
  }
  return CMB_OK;
}

/* Copies the evaluator's mass matrix to the dense form->mass (nv x nv), column by column, and factorises it in place. Returns
 * CMB_RETRY_MASS if it is not positive definite. */
static cmb_status factor_mass(cmb_projecting *form)
{
  const int nv = form->ev->eq->nv;
  double *unit = form->moved;
  memset(unit, 0, (size_t)nv * sizeof *unit);
  for (int i = 0; i < nv; i++) {
    unit[i] = 1;
    cmb_multiply_mass(form->ev, unit, form->mass + (ptrdiff_t)i * nv);
    unit[i] = 0;
  }
  return cmb_ldlt_factor(nv, form->mass) < 0 ? CMB_OK : CMB_RETRY_MASS;
}

cmb_status cmb_projecting_solve(cmb_projecting *form, double t, const double *q, const double *u)
{
  cmb_evaluator *ev = form->ev;
  const int nv = ev->eq->nv;
  CMB_TRY(project(form, t, q, u));
  CMB_TRY(differentiate(form, t));
  CMB_TRY(cmb_factor_at(ev, t, form->p));
  CMB_TRY(cmb_accelerate_factored(ev, t, form->p, form->v, form->w, form->lambda));
  CMB_TRY(factor_mass(form));
  cmb_ldlt_solve(nv, form->mass, form->rate);
  cmb_ldlt_solve(nv, form->mass, form->force);
  const bool finite = cmb_all_finite(nv, form->rate) && cmb_all_finite(nv, form->force);
  return finite ? CMB_OK : CMB_RETRY_NONFINITE;
}
