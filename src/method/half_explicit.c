/*
 * Half-explicit Runge–Kutta stages for hem5 and phem56 (half_explicit.h). With w the velocity v_next without this stage and c its weight,
 * the acceleration a and multipliers λ of the stage at (Q, V) solve
 *
 *     [ M(Q)    G(Q)ᵀ ] [ a ]   [ f(Q, V)               ]
 *     [ G(Q⁺)   0     ] [ λ ] = [ −(G(Q⁺) w + g_t)/c    ]     so that G(Q⁺)(w + c a) + g_t = 0.
 */
#include "method/half_explicit.h"

#include "dae/project.h"
#include "math/finite.h"
#include "math/pattern.h"

#include <assert.h>

/* Computes the accelerations a (nv) and multipliers lambda (ng) of Runge–Kutta stage s by the index-1 equations, with the constraints imposed
 * on accelerations, and adds s->weight a to the velocities s->v_next. Used near positions where the constraints lose rank. */
static cmb_status solve_index1(cmb_integrator *in, const cmb_half_explicit_stage *s, double *a,
                               double *lambda)
{
  CMB_TRY(cmb_factor_and_accelerate(in->ev, s->t, s->y, s->y + in->nq, a, lambda));
  for (int i = 0; i < in->nv; i++) s->v_next[i] += s->weight * a[i];
  return CMB_OK;
}

cmb_status cmb_half_explicit_solve(cmb_integrator *in, const cmb_half_explicit_stage *s, double *a,
                                   double *lambda)
{
  if (s->index1) return solve_index1(in, s, a, lambda);
  cmb_evaluator *ev = in->ev;
  const cmb_equations *eq = ev->eq;
  double *M = cmb_mass_wanted(ev);
  cmb_terms here = {.M = M, .f = ev->f, .G = s->B_known ? NULL : s->B};
  cmb_terms there = {.G = ev->G, .gt = ev->gt};
  CMB_TRY(cmb_evaluate(ev, s->t, s->y, s->y + in->nq, &here));
  CMB_TRY(cmb_evaluate(ev, s->t_next, s->q_next, NULL, &there));
  CMB_TRY(cmb_factor(ev, M, ev->G, s->B));
  if (ev->watching && cmb_is_near_singular(ev)) return CMB_RETRY_SINGULAR;
  cmb_multiply(eq->G_pattern, in->ng, in->nv, ev->G, s->v_next, ev->dtau);
  for (int i = 0; i < in->ng; i++) ev->dtau[i] = (ev->dtau[i] + ev->gt[i]) / s->weight;
  cmb_solve(ev, ev->f, ev->dtau, a, lambda);
  for (int i = 0; i < in->nv; i++) s->v_next[i] += s->weight * a[i];
  bool finite = cmb_all_finite(in->nv, a) && cmb_all_finite(in->ng, lambda);
  return finite ? CMB_OK : CMB_RETRY_NONFINITE;
}

const cmb_option cmb_half_explicit_options[] = {
    {"projection", "none|control|every", "control",
     "positions back onto the constraints: never, as often as needed, each step; velocities "
     "satisfy theirs anyway"},
    CMB_OPTION_STEPS,
};

static_assert(sizeof cmb_half_explicit_options / sizeof *cmb_half_explicit_options ==
                  CMB_HALF_EXPLICIT_OPTIONS,
              "CMB_HALF_EXPLICIT_OPTIONS in half_explicit.h has to be the number of options");

void cmb_half_explicit_create(cmb_integrator *in, cmb_half_explicit *m)
{
  static const cmb_projection kinds[] = {CMB_PROJECT_NONE, CMB_PROJECT_CONTROL, CMB_PROJECT_EVERY};
  const cmb_equations *eq = in->ev->eq;
  m->y_plain = cmb_arena_doubles(in->arena, in->n);
  m->work = cmb_arena_doubles(in->arena, in->n);
  m->B = cmb_arena_doubles(in->arena, cmb_pattern_values(eq->G_pattern, in->ng, in->nv));
  m->dense.inside = cmb_arena_doubles(in->arena, in->n);
  cmb_projection_create(in, &m->projection, kinds[cmb_choice(in, "projection")]);
}

void cmb_half_explicit_interpolate(const cmb_integrator *in, double theta, double *y)
{
  const cmb_half_explicit *m = in->data;
  cmb_hermite_at(in, &m->dense, theta, y);
}

cmb_status cmb_half_explicit_attempt(cmb_integrator *in, double h,
                                     cmb_status (*stages)(cmb_integrator *in, double h,
                                                          bool index1),
                                     bool *index1)
{
  *index1 = in->ev->watching && in->passage.near_steps > 0;
  cmb_status status = stages(in, h, *index1);
  if (status != CMB_RETRY_SINGULAR || *index1 || !in->ev->watching) return status;
  *index1 = true;
  return stages(in, h, true);
}

cmb_status cmb_half_explicit_project(cmb_integrator *in, cmb_projection_control *control, double t,
                                     bool index1)
{
  bool due;
  CMB_TRY(cmb_projection_position(in, control, t, &due));
  if (!due && !index1) return CMB_OK;
  CMB_TRY(cmb_factor_at(in->ev, t, in->y_new));
  return cmb_project_velocity(in->ev, in->y_new + in->nq);
}
