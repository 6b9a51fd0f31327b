/*
 * Derivatives that follow the inputs u(t) (Arnold, Fuchs and Führer 2006 §3.3): mildly nonlinear equations whose Jacobian changes
 * mainly because of what drives them.
 *
 *     J_new = J_old + Σ_i ∂²F/∂u_i∂y (u_i(t_new) − u_i(t_old))                  the second line of eq. (26)
 *
 * ∂F/∂u comes from the equations, its derivatives with respect to q and v from differences at the state in which they are first
 * wanted. That serves both formalisms; M is fresh in each matrix anyway.
 */
#include "base/context.h"
#include "dae/evaluator.h"
#include "form/private.h"
#include "math/pattern.h"

#include <string.h>

typedef struct cmb_extension {
  int nu;
  bool known;
  double *u, *u_new;    /* (nu) inputs that D and K belong to, and at another time */
  double *K_u, *D_u;    /* (nu x nv x nv) */
  double *raw;          /* ∂r/∂u as the equations store it */
  double *base, *moved; /* (nv x nu) ∂F/∂u */
  double *unit;         /* (nu) */
  double *q, *v;
} cmb_extension;

void cmb_extension_create(cmb_form *form)
{
  const cmb_equations *eq = form->ev->eq;
  const int nu = eq->nu, nv = form->nv;
  cmb_arena *arena = form->arena;
  cmb_extension *x = form->extension = cmb_arena_take(arena, 1, sizeof *x);
  if (!x) return;
  const size_t entries = (size_t)nu * (size_t)nv * (size_t)nv;
  x->nu = nu;
  x->u = cmb_arena_doubles(arena, nu);
  x->u_new = cmb_arena_doubles(arena, nu);
  x->K_u = cmb_arena_take(arena, entries, sizeof(double));
  x->D_u = cmb_arena_take(arena, entries, sizeof(double));
  x->raw =
      cmb_arena_doubles(arena, cmb_pattern_values(eq->derivative_pattern[CMB_RESIDUAL_U], nv, nu));
  x->base = cmb_arena_doubles(arena, nv * nu);
  x->moved = cmb_arena_doubles(arena, nv * nu);
  x->unit = cmb_arena_doubles(arena, nu);
  x->q = cmb_arena_doubles(arena, form->nq);
  x->v = cmb_arena_doubles(arena, nv);
}

static cmb_status inputs_at(cmb_form *form, double t, double *u)
{
  const cmb_evaluator *ev = form->ev;
  const cmb_point at = cmb_evaluator_point(ev, t, NULL, NULL);
  return ev->eq->inputs(ev->eq->self, &at, u);
}

/* ∂F/∂u (nv x nu), F = r or M⁻¹ r. */
static cmb_status by_inputs(cmb_form *form, const cmb_form_state *s, const double *q,
                            const double *v, double *out)
{
  cmb_extension *x = form->extension;
  const cmb_pattern *pattern = form->ev->eq->derivative_pattern[CMB_RESIDUAL_U];
  const bool divide = form->formalism == CMB_FORMALISM_EXPLICIT;
  form->ev->stats.f++;
  CMB_TRY(
      cmb_derivative_at(form->differences, s->t, q, v, s->a, s->lambda, CMB_RESIDUAL_U, x->raw));
  if (divide) {
    cmb_terms want = {.M = form->ev->M};
    CMB_TRY(cmb_evaluate(form->ev, s->t, q, NULL, &want));
    CMB_TRY(cmb_mass_factor(form));
  }
  for (int k = 0; k < x->nu; k++) {
    x->unit[k] = 1;
    cmb_multiply(pattern, form->nv, x->nu, x->raw, x->unit, form->x);
    x->unit[k] = 0;
    if (divide) cmb_kkt_solve(form->mass, form->x, NULL, form->x, NULL);
    for (int i = 0; i < form->nv; i++) out[i * x->nu + k] = form->x[i];
  }
  return CMB_OK;
}

/* Column j of every K_u, or D_u. */
static cmb_status difference(cmb_form *form, const cmb_form_state *s, int j, bool position)
{
  cmb_extension *x = form->extension;
  const int nv = form->nv;
  memcpy(x->q, s->q, (size_t)form->nq * sizeof *x->q);
  memcpy(x->v, s->v, (size_t)nv * sizeof *x->v);
  const double delta =
      position ? cmb_move_position(form, s->q, j, x->q) : cmb_move_velocity(s->v, j, x->v);
  CMB_TRY(by_inputs(form, s, x->q, x->v, x->moved));
  double *to = position ? x->K_u : x->D_u;
  for (int i = 0; i < nv; i++) {
    for (int k = 0; k < x->nu; k++) {
      to[(k * nv + i) * nv + j] = (x->moved[i * x->nu + k] - x->base[i * x->nu + k]) / delta;
    }
  }
  return CMB_OK;
}

cmb_status cmb_form_know_inputs(cmb_form *form, const cmb_form_state *s)
{
  cmb_extension *x = form->extension;
  const long jacobians = form->ev->stats.jacobian;
  if (!x->known) {
    CMB_TRY(by_inputs(form, s, s->q, s->v, x->base));
    for (int j = 0; j < form->nv; j++) {
      CMB_TRY(difference(form, s, j, true));
      CMB_TRY(difference(form, s, j, false));
    }
    form->ev->stats.jacobian = jacobians;
    x->known = true;
  }
  return inputs_at(form, s->t, x->u);
}

cmb_status cmb_form_follow_inputs(cmb_form *form, double t)
{
  cmb_extension *x = form->extension;
  const int size = form->nv * form->nv;
  CMB_TRY(inputs_at(form, t, x->u_new));
  for (int k = 0; k < x->nu; k++) {
    const double moved = x->u_new[k] - x->u[k];
    for (int i = 0; i < size; i++) {
      form->K.value[i] += moved * x->K_u[k * size + i];
      form->D.value[i] += moved * x->D_u[k * size + i];
    }
    x->u[k] = x->u_new[k];
  }
  return CMB_OK;
}
