/*
 * Stiffness (stiffness.h). A nonlinear power iteration along the way:
 *
 *     d ← f(t, y + d) − f(t, y), made short again;   ρ = geometric mean of two ‖f(t, y + d) − f(t, y)‖/‖d‖ that follow each other,
 *
 * f the slope of the index-1 equations; the mean since positions and velocities take turns in an oscillation. An explicit method is
 * held by stability where h ρ comes near to the end of its stability region step after step; accuracy alone keeps h ρ smaller,
 * since a motion with the rate ρ would have to be followed.
 */
#include "method/stiffness.h"

#include "math/dense.h"

#include <math.h>
#include <string.h>

enum { RARELY = 8, OFTEN = 2 };

/* Parts of the stability region: an explicit method is held by it from here on; it would not be up to there. */
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

/* d, scaled to a small part of the tolerance, but well above rounding. */
static void shorten(const cmb_integrator *in, double *d)
{
  const double wanted = fmax(0.01, 1e-8 / in->options.rtol);
  const double size = cmb_error_norm(in, 0, in->n, d);
  const double factor = size > 0 && isfinite(size) ? wanted / size : 0;
  for (int i = 0; i < in->n; i++) d[i] *= factor;
}

/* f(t, y), which some methods have. Where constraints are near to losing rank it is computed all the same: the evaluator's factors are then
 * those of y again, by which it is judged. */
static cmb_status slope_here(cmb_integrator *in, double *slope)
{
  if (!in->method->ends_with_slope || *in->ev->doubtful) {
    return cmb_slope(in, in->t, in->y, slope, in->lambda_new);
  }
  cmb_rates(in->ev, in->y, in->y + in->nq, slope);
  cmb_copy(in->nv, in->a, slope + in->nq);
  return CMB_OK;
}

/* One step of the power iteration; y_new is free and serves the norm. */
static cmb_status stretch(cmb_integrator *in, cmb_stiffness *s)
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

bool cmb_stiffness_look(cmb_integrator *in, cmb_stiffness *s, double stability, int enough)
{
  s->end = CMB_OK;
  if (--s->wait > 0) return false;
  const double before = s->stretch;
  const cmb_status status = stretch(in, s);
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
