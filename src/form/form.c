/*
 * Creates a form, and computes its defects (form.h).
 *
 * The residual r is that of the equations' function for it, if they have one; otherwise M, f and G are evaluated together with the
 * constraints. The explicit formalism without constraints uses the equations' accelerations, r = a − v̇(t,q,v), and with constraints those
 * for given multipliers, r = a − v̇(t,q,v,λ); both cost O(N) operations in joint coordinates. Without such a function M, f and G are
 * evaluated, and M⁻¹ r is solved for.
 */
#include "form/form.h"

#include "base/context.h"
#include "form/check.h"
#include "form/private.h"
#include "math/pattern.h"

#include <math.h>
#include <string.h>

/* Creates the linear solver for the mass matrix, form->mass, in the explicit formalism; does nothing in the residual formalism. */
static cmb_status create_mass(cmb_form *form)
{
  const cmb_equations *eq = form->ev->eq;
  cmb_kkt_shape shape = {eq->nv, 0, eq->mass_diagonal, eq->M_pattern, NULL};
  return form->formalism == CMB_FORMALISM_EXPLICIT
             ? cmb_kkt_create(form->ev->ctx, &shape, &form->mass)
             : CMB_OK;
}

/* Allocates the work arrays of a form of the equations of motion and creates its parts: the solver for the mass matrix, T, the
 * blocks of the iteration matrix, scaling factors, and a check of the derivatives. Without exact derivatives, also the estimation
 * of Jacobians by differences and, if `extended`, derivatives with respect to inputs. */
static cmb_status create_parts(cmb_form *form, bool extended)
{
  const int most = form->nv > form->ng ? form->nv : form->ng;
  form->x = cmb_arena_doubles(form->arena, most);
  form->y = cmb_arena_doubles(form->arena, most);
  form->b = cmb_arena_doubles(form->arena, 2 * form->n + 2);
  form->packed = cmb_arena_doubles(form->arena, 2 * form->n + 2);
  for (int k = 0; k < 2; k++) {
    form->seen[k] = cmb_arena_doubles(form->arena, form->n);
    form->eta[k] = cmb_arena_doubles(form->arena, form->ng + 1);
  }
  CMB_TRY(create_mass(form));
  CMB_TRY(cmb_differences_create(form->ev, &form->differences));
  CMB_TRY(cmb_rates_matrix_create(form));
  CMB_TRY(cmb_blocks_create(form));
  cmb_scale_create(form);
  if (form->source != CMB_SOURCE_EXACT) cmb_estimate_create(form);
  if (extended && form->source != CMB_SOURCE_EXACT) cmb_extension_create(form);
  form->check = cmb_check_create(form->ev, form->arena);
  return cmb_arena_failed(form->arena) ? cmb_fail_memory(form->ev->ctx) : CMB_OK;
}

cmb_status cmb_form_create(cmb_evaluator *ev, const cmb_form_options *options, cmb_form **out)
{
  const cmb_equations *eq = ev->eq;
  *out = NULL;
  CMB_TRY(cmb_require_mass_entries(ev));
  cmb_arena *arena = cmb_arena_create(ev->ctx);
  cmb_form *form = arena ? cmb_arena_take(arena, 1, sizeof *form) : NULL;
  if (!form) {
    cmb_arena_destroy(arena);
    return cmb_fail_memory(ev->ctx);
  }
  *form = (cmb_form){.ev = ev,
                     .arena = arena,
                     .kind = eq->ng > 0 ? options->kind : CMB_FORM_INDEX1,
                     .formalism = options->formalism,
                     .source = options->source,
                     .nq = eq->nq,
                     .nv = eq->nv,
                     .ng = eq->ng,
                     .n = eq->nv + eq->ng};
  form->has_position = eq->ng > 0 && (form->kind == CMB_FORM_INDEX3 || form->kind == CMB_FORM_GGL);
  form->has_motion = eq->ng > 0 && form->kind != CMB_FORM_INDEX3;
  cmb_status status = create_parts(form, options->extended);
  if (status != CMB_OK) {
    cmb_form_destroy(form);
    return status;
  }
  *out = form;
  return CMB_OK;
}

void cmb_form_destroy(cmb_form *form)
{
  if (!form) return;
  cmb_kkt_destroy(form->mass);
  cmb_differences_destroy(form->differences);
  cmb_arena_destroy(form->arena);
}

double cmb_form_multiplier_weight(cmb_form_kind kind, double h)
{
  const double most = fmin(h, 1); /* at most 1, for slow motions, whose steps are longer than 1 s */
  return kind == CMB_FORM_INDEX3 ? most * most : most;
}

/* ---- defects */

/* Evaluates the residuals of those constraints that the formulation imposes (on positions, velocities or accelerations) at the
 * state s, whose point is `at`, into `out`. If `dynamic`, also evaluates the mass matrix M, the forces f and the constraint
 * Jacobian G, which stay in the evaluator. */
static cmb_status evaluate_terms(cmb_form *form, const cmb_form_state *s, const cmb_point *at,
                                 bool dynamic, const cmb_defects *out)
{
  cmb_evaluator *ev = form->ev;
  cmb_terms want = {0};
  if (form->has_position) want.g = out->position;
  if (form->has_motion) {
    want.G = ev->G;
    *(form->kind == CMB_FORM_INDEX1 ? &want.gamma : &want.gt) = out->motion;
  }
  if (dynamic) want.M = ev->M, want.f = ev->f, want.G = ev->G;
  if (!dynamic && !form->has_position && !form->has_motion) return CMB_OK;
  CMB_TRY(cmb_evaluate_at(ev, at, &want));
  if (form->has_motion) {
    const double *x = form->kind == CMB_FORM_INDEX1 ? s->a : s->v;
    cmb_multiply(ev->eq->G_pattern, form->ng, form->nv, ev->G, x, form->x);
    for (int i = 0; i < form->ng; i++) out->motion[i] += form->x[i];
  }
  return CMB_OK;
}

/* Factorises the mass matrix in the evaluator, ev->M, into form->mass, for the explicit formalism. */
cmb_status cmb_mass_factor(cmb_form *form)
{
  return cmb_kkt_factor(form->mass, form->ev->M, NULL, NULL);
}

/* Computes the residual r = a − M⁻¹ (f − Gᵀ λ) (nv) of the dynamic equations at the state s with its accelerations a and
 * multipliers λ, by the equations' own function eq->forced for the accelerations with given multipliers. `at` is the point of the
 * state. */
static cmb_status forced_defect(cmb_form *form, const cmb_form_state *s, const cmb_point *at,
                                double *r)
{
  cmb_evaluator *ev = form->ev;
  ev->stats.f++;
  CMB_TRY(ev->eq->forced(ev->eq->self, at, s->lambda, r));
  for (int i = 0; i < form->nv; i++) r[i] = s->a[i] - r[i];
  return CMB_OK;
}

/* Computes the residual r = a − M⁻¹ (f − Gᵀ λ) (nv) of the dynamic equations at the state s (accelerations a, multipliers λ) from mass
 * matrix M, forces f and constraint Jacobian G in the evaluator. Overwrites the evaluator's f. */
static cmb_status explicit_defect(cmb_form *form, const cmb_form_state *s, double *r)
{
  cmb_evaluator *ev = form->ev;
  const cmb_equations *eq = ev->eq;
  CMB_TRY(cmb_mass_factor(form));
  cmb_multiply_transposed_add(eq->G_pattern, form->ng, form->nv, ev->G, -1.0, s->lambda, ev->f);
  cmb_kkt_solve(form->mass, ev->f, NULL, r, NULL);
  for (int i = 0; i < form->nv; i++) r[i] = s->a[i] - r[i];
  return CMB_OK;
}

/* Computes the residual r = M a − f + Gᵀ λ (nv) of the dynamic equations at the state s (accelerations a, multipliers λ) from mass matrix
 * M, forces f and constraint Jacobian G in the evaluator. */
static void residual_defect(cmb_form *form, const cmb_form_state *s, double *r)
{
  cmb_evaluator *ev = form->ev;
  cmb_multiply_mass(ev, s->a, r);
  for (int i = 0; i < form->nv; i++) r[i] -= ev->f[i];
  cmb_multiply_transposed_add(ev->eq->G_pattern, form->ng, form->nv, ev->G, 1.0, s->lambda, r);
}

cmb_status cmb_form_defects(cmb_form *form, const cmb_form_state *s, const cmb_defects *out)
{
  cmb_evaluator *ev = form->ev;
  const cmb_equations *eq = ev->eq;
  const bool is_explicit = form->formalism == CMB_FORMALISM_EXPLICIT;
  if (is_explicit && form->ng == 0) {
    CMB_TRY(cmb_accelerate(ev, s->t, s->q, s->v, out->r, form->y));
    for (int i = 0; i < form->nv; i++) out->r[i] = s->a[i] - out->r[i];
    return CMB_OK;
  }
  const bool own = is_explicit ? eq->forced != NULL : eq->residual != NULL;
  const cmb_point at = cmb_evaluator_point(ev, s->t, s->q, s->v);
  CMB_TRY(evaluate_terms(form, s, &at, !own, out));
  if (own && is_explicit) return forced_defect(form, s, &at, out->r);
  if (own) {
    ev->stats.f++;
    CMB_TRY(eq->residual(eq->self, &at, s->a, s->lambda, out->r));
    return cmb_late_residual(ev, s->t, s->q, s->v, s->a, out->r);
  }
  if (is_explicit) return explicit_defect(form, s, out->r);
  residual_defect(form, s, out->r);
  return CMB_OK;
}
