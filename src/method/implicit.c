/*
 * What the implicit methods bdf, radau5 and radau share: the weights of their error norms and the projection at the end of a step
 * (implicit.h).
 */
#include "method/implicit.h"

#include "base/context.h"
#include "dae/project.h"

#include <math.h>

static const double ROUNDINGS = 32; /* roundings of a state component that add up in an increment */
/* the same for a velocity that is moved by all constraints at once */
static const double MOVES = 8;
static const double RESOLVED =
    10; /* an error test can resolve errors down to this multiple of the rounding in an iteration */

/* The part of the Newton tolerance below which rounding does not influence the size of increments. */
static const double INVISIBLE = 0.1;

/* A warning is logged where rounding widens the tolerance by more than this factor. */
static const double WIDENED = 10;

/* Computes the weights w_i = 1 / (rtol |y_i| + atol) of the n components of y in an error norm. */
static inline void weights_of(int n, const double *y, const cmb_tolerance *tol, double *w)
{
  const double rtol = tol->rtol, atol = tol->atol;
  int i = 0;
  for (; i + 1 < n; i += 2) {
    const cmb_lanes size = cmb_lanes_absolute(cmb_lanes_load(y + i));
    cmb_lanes_store(1 / (rtol * size + atol), w + i);
  }
  if (i < n) w[i] = 1 / (rtol * fabs(y[i]) + atol);
}

/* Computes the weights w_i = 1 / (rtol |y_i| + atol + ρ_i) of the positions y (n) in an error norm. ρ_i is the rounding error of y_i divided by
 * `least`, so that rounding errors contribute at most the fraction `least` of the tolerance. */
static void rounded_weights(int n, const double *y, const cmb_tolerance *tol, double least,
                            double *w)
{
  const double share = ROUNDINGS / least, *noise = tol->form->noise_q;
  for (int i = 0; i < n; i++) {
    w[i] = 1 / (tol->rtol * fabs(y[i]) + tol->atol + share * noise[i]);
  }
}

/* Computes the weights w_i = 1 / (rtol |v_i| + atol + ρ_i) of the velocities v (n) in an error norm. ρ_i is the rounding error of v_i divided
 * by `least`, so that rounding errors contribute at most the fraction `least` of the tolerance. Rounding errors of the constraints count only
 * up to rtol times the size of the whole motion. */
static void rounded_velocity_weights(int n, const double *v, const cmb_tolerance *tol, double least,
                                     double *w)
{
  const cmb_form *form = tol->form;
  const double most = tol->rtol * form->speed, share = form->has_motion ? MOVES / least : 0;
  for (int i = 0; i < n; i++) {
    const double moved = fmin(share * form->noise_moved[i], most * form->size[i]);
    const double rounding = fmax(ROUNDINGS / least * form->noise[i], moved);
    w[i] = 1 / (tol->rtol * fabs(v[i]) + tol->atol + rounding);
  }
}

/* Computes the weights w (ng) of the Lagrange multipliers λ in an error norm for a step of size h: all are c / (rtol |λ|max + atol), relative
 * to the largest multiplier, since many are 0 up to rounding. c is min(h, 1), or its square for index 3. For forms with constraints on
 * velocities or accelerations, a bound of the rounding errors is added to the divisor. With form->scaled, multipliers are measured in the units
 * of their constraints. */
static void multiplier_weights(const cmb_integrator *in, const cmb_tolerance *tol, double h,
                               double *w)
{
  const cmb_form *form = tol->form;
  const double *unit = form->size + form->nv, rtol = tol->rtol, atol = tol->atol,
               index = cmb_form_multiplier_weight(form->kind, h),
               noise = form->has_motion ? MOVES / tol->left * form->noise_l / h : 0;
  double most = 0;
  for (int i = 0; i < in->ng; i++) {
    const double size = fabs(in->lambda[i]) / (form->scaled ? unit[i] : 1);
    most = size > most ? size : most;
  }
  const double weight = index / (rtol * most + atol + noise);
  for (int i = 0; i < in->ng; i++) w[i] = weight;
  for (int i = 0; form->scaled && i < in->ng; i++) {
    w[i] = index / ((rtol * most + noise) * unit[i] + atol);
  }
}

void cmb_weights_create(const cmb_integrator *in, cmb_weights *w)
{
  w->q = w->error_q = cmb_arena_doubles(in->arena, in->nq);
  w->v = w->error_v = cmb_arena_doubles(in->arena, in->nv);
  w->l = cmb_arena_doubles(in->arena, in->ng);
  w->apart_q = cmb_arena_doubles(in->arena, in->nq);
  w->apart_v = cmb_arena_doubles(in->arena, in->nv);
}

/* Returns the index of the component of x (n) for which the tolerance 1/w in the norm exceeds the user's tolerance rtol |x| + atol by the
 * largest factor, and raises *most to this factor. Returns −1 if no factor is above *most. */
static int widest(const cmb_integrator *in, int n, const double *x, const double *w, double *most)
{
  int found = -1;
  for (int i = 0; i < n; i++) {
    const double times = 1 / (w[i] * (in->options.rtol * fabs(x[i]) + in->options.atol));
    if (times > *most) *most = times, found = i;
  }
  return found;
}

void cmb_warn_of_rounding(cmb_integrator *in, const cmb_weights *w)
{
  const cmb_equations *eq = in->ev->eq;
  double most = WIDENED;
  if (!w->rounded || in->rounding_reported) return;
  const int q = widest(in, in->nq, in->y, w->error_q, &most);
  const int v = widest(in, in->nv, in->y + in->nq, w->error_v, &most);
  if (q < 0 && v < 0) return;
  in->rounding_reported = true;
  cmb_log(in->ctx, CMB_LOG_WARNING,
          "from t = %.6g on the tolerance is below what rounding permits %s: errors of '%s' are "
          "held to %.2g times the tolerance at each step; expected a larger tolerance",
          in->t, in->method->name, v >= 0 ? eq->v_names[v] : eq->q_names[q], most);
}

void cmb_warn_of_least_tolerance(cmb_integrator *in, double least)
{
  if (in->options.rtol >= least || in->fixed_step || in->rounding_reported) return;
  in->rounding_reported = true;
  cmb_log(in->ctx, CMB_LOG_WARNING,
          "the tolerance %.3g is below what rounding permits %s: errors of steps are held to the "
          "tolerance %.2g",
          in->options.rtol, in->method->name, least);
}

double cmb_raised_atol(const cmb_integrator *in, double least)
{
  const double rtol = in->options.rtol, atol = in->options.atol;
  return rtol < least ? fmax(atol, least * fmin(atol / rtol, CMB_ATOL_PER_RTOL)) : atol;
}

void cmb_weights_at(const cmb_integrator *in, const cmb_tolerance *tol, double h, cmb_weights *w)
{
  const double *q = in->y, *v = in->y + in->nq, least = fmax(tol->left, tol->tested / RESOLVED);
  const bool rounded = ROUNDINGS * tol->form->noise_most > 0.1 * tol->left * tol->atol;
  const bool apart = rounded && least > tol->left;
  w->rounded = rounded;
  w->error_q = apart ? w->apart_q : w->q;
  w->error_v = apart ? w->apart_v : w->v;
  if (rounded) {
    rounded_weights(in->nq, q, tol, tol->left, w->q);
    rounded_velocity_weights(in->nv, v, tol, tol->left, w->v);
  } else {
    weights_of(in->nq, q, tol, w->q);
    weights_of(in->nv, v, tol, w->v);
  }
  if (apart) {
    rounded_weights(in->nq, q, tol, least, w->error_q);
    rounded_velocity_weights(in->nv, v, tol, least, w->error_v);
  }
  multiplier_weights(in, tol, h, w->l);
}

void cmb_weigh_velocity_errors(const cmb_integrator *in, double factor, cmb_weights *w)
{
  for (int i = 0; i < in->nv; i++) w->apart_v[i] = factor * w->error_v[i];
  w->error_v = w->apart_v;
}

bool cmb_rounding_matters(const cmb_form *form, double least, double c, const double *w_v)
{
  double most = 0;
  if (form->kind != CMB_FORM_INDEX3) return false;
  for (int i = 0; i < form->nv; i++) most = cmb_larger_error(w_v[i] * form->noise_moved[i], most);
  return MOVES * most > INVISIBLE * least * c;
}

void cmb_remove_rounding(cmb_form *form, double least, double c, cmb_linear *matrix,
                         const double *w_v, double *x)
{
  double *n = form->x;
  cmb_form_crossing(form, matrix, x, n);
  for (int i = 0; i < form->nv; i++) {
    const double rounding = w_v[i] * (MOVES / least) * form->noise_moved[i] / c;
    x[i] -= rounding / (1 + rounding) * n[i];
  }
}

void cmb_remove_normal_part(cmb_form *form, cmb_linear *matrix, double *x)
{
  if (form->kind != CMB_FORM_INDEX3) return;
  cmb_form_crossing(form, matrix, x, form->x);
  cmb_add_scaled(form->nv, -1, form->x, x);
}

cmb_implicit_projection cmb_implicit_projection_of(const cmb_integrator *in, cmb_form_kind kind)
{
  const int choice = cmb_choice(in, "projection");
  if (choice > 0) return (cmb_implicit_projection)(choice - 1);
  return kind == CMB_FORM_INDEX3 || kind == CMB_FORM_GGL ? CMB_IMPLICIT_VELOCITY
                                                         : CMB_IMPLICIT_EVERY;
}

cmb_status cmb_implicit_project(cmb_integrator *in, cmb_implicit_projection kind, double t,
                                double *a)
{
  cmb_evaluator *ev = in->ev;
  double *q = in->y_new, *v = in->y_new + in->nq;
  if (kind == CMB_IMPLICIT_NONE) return CMB_OK;
  if (ev->eq->normalize) ev->eq->normalize(ev->eq->self, q);
  if (in->ng == 0) return cmb_accelerate(ev, t, q, v, a, in->lambda_new);
  if (kind == CMB_IMPLICIT_EVERY) {
    CMB_TRY(cmb_project(ev, t, q, v));
  } else {
    CMB_TRY(cmb_factor_at(ev, t, q));
    CMB_TRY(cmb_project_velocity(ev, v));
  }
  return cmb_accelerate_factored(ev, t, q, v, a, in->lambda_new);
}
