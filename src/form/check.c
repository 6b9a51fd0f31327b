/*
 * Checks the derivatives that the equations supply, once (check.h): with a wrong one an iteration would not converge, or only seem to.
 *
 * ∂r/∂q and ∂r/∂v times a direction d are compared with (r(.. + ε d) − r(..))/ε for two ε. A derivative is refused only if the two
 * differences agree with each other, so that the function is smooth there and not dominated by rounding, and both disagree with the
 * derivative. Differences smaller than the rounding errors of forces, divided by ε, are ignored.
 *
 * Accelerations a computed for given λ must leave only a small residual r(a, λ) compared with r(0, λ) and r(0, 0).
 */
#include "form/check.h"

#include "base/context.h"
#include "math/dense.h"
#include "math/pattern.h"
#include "math/random.h"

#include <math.h>
#include <string.h>

struct cmb_check {
  cmb_evaluator *ev;
  bool done, forced_done;
  double *direction;    /* (nv) */
  double *rate;         /* (nq) T times the direction */
  double *base, *moved; /* (nv) residuals at the state and beside it */
  double *near, *far;   /* (nv) differences over ε for the two ε */
  double *product;      /* (nv) the derivative times the direction */
  double *q, *v;        /* the changed state */
  double *none;         /* (the larger of nv and ng) zeros */
  double *lambda;       /* (ng) */
  double forces;        /* the largest force at the state */
};

static const double ROUNDING = 1e-14;

cmb_check *cmb_check_create(cmb_evaluator *ev, cmb_arena *arena)
{
  const int nq = ev->eq->nq, nv = ev->eq->nv, ng = ev->eq->ng;
  cmb_check *k = cmb_arena_take(arena, 1, sizeof *k);
  if (!k) return NULL;
  *k = (cmb_check){.ev = ev,
                   .direction = cmb_arena_doubles(arena, nv),
                   .rate = cmb_arena_doubles(arena, nq),
                   .base = cmb_arena_doubles(arena, nv),
                   .moved = cmb_arena_doubles(arena, nv),
                   .near = cmb_arena_doubles(arena, nv),
                   .far = cmb_arena_doubles(arena, nv),
                   .product = cmb_arena_doubles(arena, nv),
                   .q = cmb_arena_doubles(arena, nq),
                   .v = cmb_arena_doubles(arena, nv),
                   .lambda = cmb_arena_doubles(arena, ng),
                   .none = cmb_arena_doubles(arena, nv > ng ? nv : ng)};
  return k;
}

/* Computes the difference quotient out (nv) = (r(x + ε d) − r(x))/ε of the residual r of the dynamic equations at the state s,
 * where x are the positions (`by_q`) or the velocities, and d is the direction k->rate or k->direction. k->base must contain r at
 * the state s. */
static cmb_status difference(cmb_check *k, const cmb_form_state *s, bool by_q, double epsilon,
                             double *out)
{
  const int nq = k->ev->eq->nq, nv = k->ev->eq->nv;
  memcpy(k->q, s->q, (size_t)nq * sizeof *k->q);
  memcpy(k->v, s->v, (size_t)nv * sizeof *k->v);
  if (by_q) {
    cmb_add_scaled(nq, epsilon, k->rate, k->q);
  } else {
    cmb_add_scaled(nv, epsilon, k->direction, k->v);
  }
  CMB_TRY(cmb_residual(k->ev, s->t, k->q, k->v, s->a, s->lambda, k->moved));
  for (int i = 0; i < nv; i++) out[i] = (k->moved[i] - k->base[i]) / epsilon;
  return CMB_OK;
}

/* Computes the size of the forces at the state s, k->forces, for comparison: the largest component of the residual of the dynamic equations
 * without accelerations and multipliers. */
static cmb_status measure_forces(cmb_check *k, const cmb_form_state *s)
{
  CMB_TRY(cmb_residual(k->ev, s->t, s->q, s->v, k->none, k->none, k->moved));
  k->forces = 0;
  for (int i = 0; i < k->ev->eq->nv; i++) k->forces = fmax(k->forces, fabs(k->moved[i]));
  return CMB_OK;
}

/* Returns the row in which a derivative times a direction, k->product, and its difference quotient k->near disagree most; −1 if
 * they agree, or if the quotient is not reliable because it differs from k->far, the one with another increment, or is within
 * rounding errors. `epsilon` is the increment of k->near. */
static int worst_row(const cmb_check *k, double epsilon)
{
  const int nv = k->ev->eq->nv;
  const double close = 1e-3, off = 0.05;
  double size = 0, apart = 0, most = 0;
  int worst = -1;
  for (int i = 0; i < nv; i++) {
    size = fmax(size, fmax(fabs(k->near[i]), fabs(k->product[i])));
    apart = fmax(apart, fabs(k->near[i] - k->far[i]));
  }
  if (!(apart <= close * size && size > ROUNDING * k->forces / epsilon)) return -1;
  for (int i = 0; i < nv; i++) {
    double wrong = fabs(k->near[i] - k->product[i]);
    if (wrong > fmax(most, off * size)) most = wrong, worst = i;
  }
  return worst;
}

/* Checks the derivative `which` of the residual at the state s, whose values `value` the equations supply, against difference
 * quotients in one direction. Returns CMB_ERROR_ARGUMENT with a message if they disagree. */
static cmb_status compare(cmb_check *k, const cmb_form_state *s, cmb_derivative which,
                          const double *value)
{
  const cmb_equations *eq = k->ev->eq;
  const bool by_q = which == CMB_RESIDUAL_Q;
  const int columns = by_q ? eq->nq : eq->nv;
  const double size = 1 + cmb_norm2(columns, by_q ? s->q : s->v);
  const double epsilon = 1e-6 * size;
  CMB_TRY(difference(k, s, by_q, epsilon, k->near));
  CMB_TRY(difference(k, s, by_q, 3 * epsilon, k->far));
  cmb_multiply(eq->derivative_pattern[which], eq->nv, columns, value, by_q ? k->rate : k->direction,
               k->product);
  const int row = worst_row(k, epsilon);
  if (row < 0) return CMB_OK;
  return cmb_fail_about(
      k->ev->ctx, CMB_ERROR_ARGUMENT, cmb_about_time(s->t, "velocity", eq->v_names[row]),
      "%s: the derivative of the residual with respect to %s that the equations give is "
      "wrong: at t = %.9g, in the row of '%s', %.6g in a direction in which differences "
      "give %.6g",
      eq->name, by_q ? "q" : "v", s->t, eq->v_names[row], k->product[row], k->near[row]);
}

cmb_status cmb_check_derivatives(cmb_check *k, const cmb_form_state *s, const double *by_q,
                                 const double *by_v)
{
  const cmb_equations *eq = k->ev->eq;
  const cmb_statistics statistics = k->ev->stats;
  uint32_t seed = CMB_RANDOM_FIRST;
  if (k->done || !eq->derivative) return CMB_OK;
  for (int i = 0; i < eq->nv; i++) k->direction[i] = cmb_random(&seed);
  cmb_rates(k->ev, s->q, k->direction, k->rate);
  cmb_status status = cmb_residual(k->ev, s->t, s->q, s->v, s->a, s->lambda, k->base);
  if (status == CMB_OK) status = measure_forces(k, s);
  if (status == CMB_OK) status = compare(k, s, CMB_RESIDUAL_Q, by_q);
  if (status == CMB_OK) status = compare(k, s, CMB_RESIDUAL_V, by_v);
  k->ev->stats = statistics;
  k->done = status >= 0;
  return status < 0 ? status : CMB_OK;
}

/* Computes the largest component, in absolute value, of the residual M a − f + Gᵀ λ of the dynamic equations at the state s with the given
 * accelerations a and multipliers λ, and its row. */
static cmb_status largest_residual(cmb_check *k, const cmb_form_state *s, const double *a,
                                   const double *lambda, double *most, int *row)
{
  CMB_TRY(cmb_residual(k->ev, s->t, s->q, s->v, a, lambda, k->moved));
  *most = *row = 0;
  for (int i = 0; i < k->ev->eq->nv; i++) {
    if (fabs(k->moved[i]) > *most) *most = fabs(k->moved[i]), *row = i;
  }
  return CMB_OK;
}

/* Checks eq->forced, the equations' function that computes accelerations for given multipliers, at the state s: its result for the multipliers
 * k->lambda must satisfy the equations of motion. Returns CMB_ERROR_ARGUMENT with a message if the largest residual exceeds 1/1000 of the
 * largest force. */
static cmb_status compare_forced(cmb_check *k, const cmb_form_state *s)
{
  const cmb_equations *eq = k->ev->eq;
  const cmb_point at = cmb_evaluator_point(k->ev, s->t, s->q, s->v);
  const double off = 1e-3;
  double left, pushed, loads;
  int row, other;
  CMB_TRY(eq->forced(eq->self, &at, k->lambda, k->near));
  CMB_TRY(largest_residual(k, s, k->none, k->none, &loads, &other));
  CMB_TRY(largest_residual(k, s, k->none, k->lambda, &pushed, &other));
  CMB_TRY(largest_residual(k, s, k->near, k->lambda, &left, &row));
  if (!(left > off * fmax(loads, pushed))) return CMB_OK;
  return cmb_fail_about(
      k->ev->ctx, CMB_ERROR_ARGUMENT, cmb_about_time(s->t, "velocity", eq->v_names[row]),
      "%s: the accelerations for given multipliers that the equations give are wrong: at t = %.9g "
      "they leave a residual of %.6g in the row of '%s', where forces are up to %.6g",
      eq->name, s->t, left, eq->v_names[row], fmax(loads, pushed));
}

cmb_status cmb_check_forced(cmb_check *k, const cmb_form_state *s)
{
  const cmb_equations *eq = k->ev->eq;
  const cmb_statistics statistics = k->ev->stats;
  uint32_t seed = CMB_RANDOM_FIRST;
  if (k->forced_done || !eq->forced) return CMB_OK;
  const double size = 1 + cmb_norm2(eq->ng, s->lambda);
  for (int i = 0; i < eq->ng; i++) k->lambda[i] = s->lambda[i] + size * cmb_random(&seed);
  cmb_status status = compare_forced(k, s);
  k->ev->stats = statistics;
  k->forced_done = status >= 0;
  return status < 0 ? status : CMB_OK;
}
