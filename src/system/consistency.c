/*
 * Compatibility of dependent constraints (consistency.h).
 *
 * Where constraints are dependent, velocities and accelerations are solved for in the sense of least squares, with gradients of
 * unit length (math/kkt_rank.h). The residual
 *
 *     ρ = G v + g_t   or   ρ = G a + γ
 *
 * is 0 if the constraints are compatible. Otherwise ρ_i / |G_i| is the combination of gradients that is 0, and its large entries
 * belong to the constraints that contradict each other. Constraints that are dependent but for an angle σ leave a residual σ |x| of
 * any x that satisfies the others: that is no contradiction, since the angle counts as 0. In accelerations the change of such an
 * angle leaves a residual as well, if the constraints could not be examined beside the position.
 */
#include "system/consistency.h"

#include "base/context.h"
#include "dae/project.h"
#include "math/dense.h"
#include "math/pattern.h"

#include <math.h>

static const double RELATIVE = 1e-6;  /* tolerance relative to the terms in ρ */
static const double ROUNDING = 1e-11; /* tolerance relative to the largest terms in any ρ */
/* part of the largest entry above which a constraint belongs to the contradiction */
static const double PART = 0.05;
/* negligible rate or acceleration, relative to the extent of g */
static const double NEGLIGIBLE = 1e-8;
static const double VANISHED = 1e-3; /* a gradient this small beside its reference vanishes */

/* Returns Σ_j |G_ij x_j|, the sum of the absolute terms in row i of G x, for the constraint Jacobian G (ng x nv) in the evaluator
 * and a vector x (nv). */
static double row_terms(const cmb_evaluator *ev, int i, const double *x)
{
  const cmb_equations *eq = ev->eq;
  const cmb_pattern *p = eq->G_pattern;
  double sum = 0;
  for (int k = p ? p->start[i] : 0; k < (p ? p->start[i + 1] : eq->nv); k++) {
    sum += fabs(p ? ev->G[k] * x[p->column[k]] : ev->G[i * eq->nv + k] * x[k]);
  }
  return sum;
}

/* Returns the length √(xᵀ M x) of a vector x (nv) in the metric of the mass matrix M. */
static double length_of(cmb_evaluator *ev, const double *x)
{
  cmb_multiply_mass(ev, x, ev->w);
  return sqrt(cmb_dot(ev->eq->nv, x, ev->w));
}

/* Checks whether dependent constraints agree on velocities or accelerations x (nv): computes their relative residuals rho (ng) = |G x + rest| /
 * extent. A residual may be as large as the rounding errors plus `unresolved` times the length of the constraint's gradient; if one is larger,
 * adds the constraints with the largest residuals to the list in `found` and sets the reason `what`. */
static void compare_residuals(cmb_evaluator *ev, const double *x, const double *rest,
                              cmb_disagreement what, double unresolved, double *rho,
                              cmb_consistency *found)
{
  const cmb_equations *eq = ev->eq;
  double most = 0, size = 0;
  bool agree = true;
  cmb_multiply(eq->G_pattern, eq->ng, eq->nv, ev->G, x, rho);
  for (int i = 0; i < eq->ng; i++) {
    const double unit = 1 / fmax(ev->extent[i], NEGLIGIBLE);
    rho[i] = fabs(rho[i] + rest[i]) * unit;
    most = fmax(most, rho[i]);
    size = fmax(size, (row_terms(ev, i, x) + fabs(rest[i])) * unit);
  }
  for (int i = 0; i < eq->ng; i++) {
    const double unit = 1 / fmax(ev->extent[i], NEGLIGIBLE);
    const double own = RELATIVE * (row_terms(ev, i, x) + fabs(rest[i]));
    const double doubt = unresolved * ev->length[i];
    if (!(rho[i] <= (own + doubt) * unit + ROUNDING * size + NEGLIGIBLE)) agree = false;
  }
  if (agree) return;
  found->what = what;
  for (int i = 0; i < eq->ng; i++) {
    if (rho[i] > PART * most) found->row[found->count++] = i;
  }
}

/* Lists in `found` the redundant constraints without a gradient, such as x² = 0: at all examined positions that satisfy the constraints the
 * gradient (nearly) vanishes, but not at displaced positions. Sets found->what to CMB_NO_GRADIENT if there is one. */
static void find_vanished(const cmb_evaluator *ev, const cmb_rank *rank, cmb_consistency *found)
{
  for (int k = 0; k < rank->redundant_count; k++) {
    int i = rank->redundant[k];
    if (!cmb_is_unmoved(ev, i) &&
        rank->gradient[i] * CMB_REFERENCE_PART <= VANISHED * ev->extent[i]) {
      found->what = CMB_NO_GRADIENT;
      found->row[found->count++] = i;
    }
  }
}

cmb_status cmb_consistency_examine(cmb_evaluator *ev, cmb_arena *arena, double t,
                                   const cmb_rank *rank, cmb_consistency *found)
{
  const cmb_equations *eq = ev->eq;
  double *rho = cmb_arena_doubles(arena, eq->ng), *lambda = cmb_arena_doubles(arena, eq->ng);
  double *v_near = cmb_arena_doubles(arena, eq->nv), *a = cmb_arena_doubles(arena, eq->nv);
  const double *q = rank->regular;
  *found = (cmb_consistency){.row = cmb_arena_ints(arena, eq->ng)};
  if (cmb_arena_failed(arena)) return cmb_fail_memory(ev->ctx);
  if (rank->redundant_count == 0) return CMB_OK;
  CMB_TRY(cmb_take_references(ev, t, q));
  ev->redundant = eq->ng - rank->around;
  CMB_TRY(cmb_factor_at(ev, t, q));
  find_vanished(ev, rank, found);
  if (found->what != CMB_AGREE) return CMB_OK;
  CMB_TRY(cmb_project_velocity(ev, v_near));
  const double speed = length_of(ev, v_near);
  compare_residuals(ev, v_near, ev->gt, CMB_DISAGREE_VELOCITY, cmb_kkt_dropped(ev->kkt) * speed,
                    rho, found);
  if (found->what != CMB_AGREE) return CMB_OK;
  CMB_TRY(cmb_factor_and_accelerate(ev, t, q, v_near, a, lambda));
  const double turned = rank->bend * cmb_norm2(eq->nv, v_near) * speed;
  compare_residuals(ev, a, ev->gamma, CMB_DISAGREE_ACCELERATION,
                    cmb_kkt_dropped(ev->kkt) * length_of(ev, a) + turned, rho, found);
  return CMB_OK;
}
