/*
 * Derivatives that the equations supply, looked at once: a wrong one makes an iteration converge to nothing, or seem to.
 *
 * ∂r/∂q and ∂r/∂v times a direction d are compared with r(.. + ε d) − r(..) for two ε. Only if the two differences agree with each
 * other, so that the function is smooth and not all rounding there, and both disagree with the derivative, it is refused.
 */
#include "base/context.h"
#include "form/private.h"
#include "math/dense.h"
#include "math/pattern.h"
#include "math/random.h"

#include <math.h>
#include <string.h>

typedef struct cmb_check {
  double *direction;    /* (nv) */
  double *base, *moved; /* (nv) */
  double *near, *far;   /* (nv) differences over ε for the two ε */
  double *product;      /* (nv) */
  double *q, *v, *rate; /* moved; (nq) */
} cmb_check;

void cmb_check_create(cmb_form *form)
{
  cmb_arena *arena = form->arena;
  cmb_check *k = form->check = cmb_arena_take(arena, 1, sizeof *k);
  if (!k) return;
  k->direction = cmb_arena_doubles(arena, form->nv);
  k->base = cmb_arena_doubles(arena, form->nv);
  k->moved = cmb_arena_doubles(arena, form->nv);
  k->near = cmb_arena_doubles(arena, form->nv);
  k->far = cmb_arena_doubles(arena, form->nv);
  k->product = cmb_arena_doubles(arena, form->nv);
  k->q = cmb_arena_doubles(arena, form->nq);
  k->v = cmb_arena_doubles(arena, form->nv);
  k->rate = cmb_arena_doubles(arena, form->nq);
}

/* (r(.. + ε d) − r(..))/ε */
static cmb_status difference(cmb_form *form, const cmb_form_state *s, bool by_q, double epsilon,
                             double *out)
{
  cmb_check *k = form->check;
  memcpy(k->q, s->q, (size_t)form->nq * sizeof *k->q);
  memcpy(k->v, s->v, (size_t)form->nv * sizeof *k->v);
  if (by_q) {
    cmb_rates(form->ev, s->q, k->direction, k->rate);
    cmb_add_scaled(form->nq, epsilon, k->rate, k->q);
  } else {
    cmb_add_scaled(form->nv, epsilon, k->direction, k->v);
  }
  CMB_TRY(cmb_residual(form->ev, s->t, k->q, k->v, s->a, s->lambda, k->moved));
  for (int i = 0; i < form->nv; i++) out[i] = (k->moved[i] - k->base[i]) / epsilon;
  return CMB_OK;
}

/* The row that is furthest off; -1: there is none. */
static int worst_row(const cmb_form *form)
{
  const cmb_check *k = form->check;
  const double close = 1e-3, off = 0.05;
  double size = 0, apart = 0, most = 0;
  int worst = -1;
  for (int i = 0; i < form->nv; i++) {
    size = fmax(size, fmax(fabs(k->near[i]), fabs(k->product[i])));
    apart = fmax(apart, fabs(k->near[i] - k->far[i]));
  }
  if (!(apart <= close * size)) return -1;
  for (int i = 0; i < form->nv; i++) {
    double wrong = fabs(k->near[i] - k->product[i]);
    if (wrong > fmax(most, off * size)) most = wrong, worst = i;
  }
  return worst;
}

static cmb_status check(cmb_form *form, const cmb_form_state *s, const cmb_block *block, bool by_q)
{
  cmb_check *k = form->check;
  const cmb_equations *eq = form->ev->eq;
  const double size = 1 + cmb_norm2(by_q ? form->nq : form->nv, by_q ? s->q : s->v);
  CMB_TRY(difference(form, s, by_q, 1e-6 * size, k->near));
  CMB_TRY(difference(form, s, by_q, 3e-6 * size, k->far));
  cmb_multiply(block->pattern, form->nv, form->nv, block->value, k->direction, k->product);
  const int row = worst_row(form);
  if (row < 0) return CMB_OK;
  return cmb_fail(
      form->ev->ctx, CMB_ERROR_ARGUMENT,
      "%s: the derivative of the residual with respect to %s that the equations give is "
      "wrong: at t = %.9g, in the row of '%s', %.6g in a direction in which differences "
      "give %.6g",
      eq->name, by_q ? "q" : "v", s->t, eq->v_names[row], k->product[row], k->near[row]);
}

cmb_status cmb_check_derivatives(cmb_form *form, const cmb_form_state *s)
{
  cmb_check *k = form->check;
  const bool plain = form->formalism == CMB_FORMALISM_EXPLICIT;
  const cmb_statistics statistics = form->ev->stats;
  uint32_t seed = CMB_RANDOM_FIRST;
  for (int i = 0; i < form->nv; i++) k->direction[i] = cmb_random(&seed);
  cmb_status status = cmb_residual(form->ev, s->t, s->q, s->v, s->a, s->lambda, k->base);
  if (status == CMB_OK) status = check(form, s, plain ? &form->plain_K : &form->K, true);
  if (status == CMB_OK) status = check(form, s, plain ? &form->plain_D : &form->D, false);
  form->ev->stats = statistics;
  return status < 0 ? status : CMB_OK;
}
