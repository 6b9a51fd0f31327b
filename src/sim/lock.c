/*
 * Watches for gimbal lock (lock.h). With w the volume that three axes span, the smallest pivot of M is in proportion to w², and is what
 * rounding errors of eps leave of larger numbers: accelerations have relative errors of eps/w². A passage of the lock takes a time in
 * proportion to w and has accelerations in proportion to 1/w², of which the part that moves the body is w; so the body's velocity
 * has relative errors of about eps/w² afterwards, by experiment a tenth of that and less.
 */
#include "sim/lock.h"

#include "base/context.h"

#include <float.h>
#include <math.h>

/* Nearer than this (rad) a failure is put down to the lock: rates of angles are more than 20 times those of the body. */
static const double NEAR = 0.05;

static const cmb_lock *nearest(const cmb_system *system, const double *q, double *volume)
{
  const cmb_lock *found = NULL;
  *volume = INFINITY;
  for (int i = 0; i < system->lock_count; i++) {
    const cmb_lock *l = &system->locks[i];
    const double w = fabs(l->c * cos(q[l->q]) + l->s * sin(q[l->q]));
    if (w < *volume) *volume = w, found = l;
  }
  return found;
}

static bool is_locked(const cmb_integrator_options *options, double w)
{
  return 10 * w * w < DBL_EPSILON / options->rtol;
}

cmb_status cmb_lock_check(cmb_context *ctx, const cmb_system *system,
                          const cmb_integrator_options *options, double t, const double *q)
{
  double w;
  if (system->lock_count == 0) return CMB_OK;
  const cmb_lock *l = nearest(system, q, &w);
  if (!is_locked(options, w)) return CMB_OK;
  cmb_about about = cmb_about_time(t, "joint", l->joint);
  about.file = l->file;
  about.line = l->line;
  about.column = l->column;
  return cmb_fail_about(
      ctx, CMB_ERROR_EQUATIONS, about,
      "joint '%s' is in gimbal lock at t = %.9g (%.1e rad from it): %s lie in one plane, and "
      "the angles do not determine how the body turns further; use a spherical joint with "
      "'orientation: euler' or other axes, or choose the formulation cartesian",
      l->joint, t, w, l->axes);
}

void cmb_lock_blame(cmb_context *ctx, const cmb_system *system,
                    const cmb_integrator_options *options, cmb_status status, const double *q)
{
  double w;
  const cmb_lock *l = nearest(system, q, &w);
  if (!l || w > NEAR || is_locked(options, w)) return;
  if (status == CMB_ERROR_MEMORY || status == CMB_ERROR_INTERRUPTED) return;
  if (l->line > 0) cmb_fail_further(ctx, "; %s:%d:%d", l->file, l->line, l->column);
  cmb_fail_further(
      ctx,
      "%s joint '%s' is then %.1e rad from gimbal lock, in which %s lie in one plane; a "
      "spherical joint with 'orientation: euler' has no gimbal lock",
      l->line > 0 ? ":" : ";", l->joint, w, l->axes);
}
