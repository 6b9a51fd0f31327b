/*
 * Estimates whether stability limits the steps of an explicit method (stiffness.h), by a nonlinear power iteration along the motion:
 *
 *     d ← f(t, y + d) − f(t, y), scaled to be short again;   ρ = geometric mean of two successive ‖f(t, y + d) − f(t, y)‖/‖d‖,
 *
 * where f is the slope of the index-1 equations; the mean is taken since positions and velocities alternate in an oscillation. Stability
 * limits an explicit method where h ρ is near the end of its stability region step after step; accuracy alone keeps h ρ smaller, since a
 * motion with the rate ρ would have to be resolved.
 */
#include "method/stiffness.h"

#include "math/dense.h"

#include <math.h>
#include <string.h>

enum { RARELY = 8, OFTEN = 2 };

/* Parts of the stability region: stability limits an explicit method above HELD, and would not limit it below FREE. */
static const double HELD = 0.7, FREE = 0.4;

cmb_stiffness *cmb_stiffness_create(cmb_integrator *in)
{
  cmb_stiffness *s = cmb_arena_take(in->arena, 1, sizeof *s);
  if (!s) return NULL;
  s->direction = cmb_arena_doubles(in->arena, in->n);
  s->point = cmb_arena_doubles(in->arena, in->n);
  s->slope = cmb_arena_doubles(in->arena, in->n);
  return s;
}

void cmb_stiffness_begin(cmb_stiffness *s)
{
  s->stretch = s->rho = 0;
  s->wait = 1;
  s->suspicion = 0;
}

/* Scales the direction d (n) of the power iteration to a hundredth of the tolerance, or more where this would be too near to rounding
 * errors. Sets d to 0 if its norm is 0 or not finite. */
static void shorten(const cmb_integrator *in, double *d)
{
  const double wanted = fmax(0.01, 1e-8 / in->options.rtol);
  const double size = cmb_error_norm(in, 0, in->n, d);
  const double factor = size > 0 && isfinite(size) ? wanted / size : 0;
  for (int i = 0; i < in->n; i++) d[i] *= factor;
}

/* Computes the slope f(t, y) (n) of the index-1 equations at the current state; takes the accelerations in->a if the method has computed them
 * exactly there. Near a loss of rank of the constraints, always evaluates the equations, so that the factorised matrix is that of the current
 * state. */
static cmb_status slope_here(cmb_integrator *in, double *slope)
{
  if (!in->method->ends_with_slope || *in->ev->doubtful) {
    return cmb_slope(in, in->t, in->y, slope, in->lambda_new);
  }
  cmb_rates(in->ev, in->y, in->y + in->nq, slope);
  cmb_copy(in->nv, in->a, slope + in->nq);
  return CMB_OK;
}

/* Performs one step of a nonlinear power iteration for ρ, the largest absolute value of an eigenvalue of ∂f/∂y, along the motion y' = f(t, y).
 * Updates the direction, its stretching factor and ρ. Overwrites y_new, which is used for error weights. */
static cmb_status power_step(cmb_integrator *in, cmb_stiffness *s)
{
  memcpy(in->y_new, in->y, (size_t)in->n * sizeof *in->y_new);
  if (s->stretch == 0) {
    for (int i = 0; i < in->n; i++) s->direction[i] = in->y[i] - in->y_before[i];
  }
  shorten(in, s->direction);
  const double before = cmb_error_norm(in, 0, in->n, s->direction);
  if (before == 0) return CMB_OK;
  for (int i = 0; i < in->n; i++) s->point[i] = in->y[i] + s->direction[i];
  CMB_TRY(cmb_slope(in, in->t, s->point, s->slope, in->lambda_new));
  CMB_TRY(slope_here(in, s->point));
  for (int i = 0; i < in->n; i++) s->direction[i] = s->slope[i] - s->point[i];
  const double now = cmb_error_norm(in, 0, in->n, s->direction) / before;
  s->rho = s->stretch > 0 ? sqrt(now * s->stretch) : 0;
  s->stretch = now;
  return CMB_OK;
}

bool cmb_stiffness_update(cmb_integrator *in, cmb_stiffness *s, double stability, int enough)
{
  s->end = CMB_OK;
  if (--s->wait > 0) return false;
  const double before = s->stretch;
  const cmb_status status = power_step(in, s);
  if (status < 0) s->end = status;
  if (status != CMB_OK || !isfinite(s->stretch)) {
    cmb_stiffness_begin(s);
    return false;
  }
  const double place = in->h_taken * s->rho / stability;
  const bool for_other = s->rho > 0 && (in->method->implicit ? place < FREE : place > HELD);
  if (for_other && s->suspicion == 0) s->since = in->t_before;
  s->suspicion = for_other ? s->suspicion + 1 : s->suspicion > 0 ? s->suspicion - 1 : 0;
  s->wait = before == 0 ? 1 : s->suspicion > 0 ? OFTEN : RARELY;
  return s->suspicion >= enough;
}
