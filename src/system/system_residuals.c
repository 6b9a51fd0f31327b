/*
 * How well a state meets the constraints of a system, for whoever has the system only (include/camber/system.h).
 */
#include "base/context.h"
#include "dae/modes.h"

#include <camber/system.h>
#include <math.h>

static cmb_status evaluate(cmb_evaluator *ev, cmb_arena *arena, double t, const double *q,
                           const double *v, double *position, double *velocity)
{
  cmb_mode_search modes;
  bool changed;
  cmb_mode_search_create(&modes, arena, ev->eq);
  if (cmb_arena_failed(arena)) return cmb_fail_memory(ev->ctx);
  CMB_TRY(cmb_guess_modes(ev, &modes, t, q, v, &changed));
  return cmb_constraint_residuals(ev, t, q, v, position, velocity);
}

cmb_status cmb_system_residuals(cmb_context *ctx, const cmb_system *system, double t,
                                const double *q, const double *v, double *position,
                                double *velocity)
{
  cmb_evaluator *ev;
  CMB_REQUIRE(ctx, ctx && system && q && v && position && velocity && isfinite(t),
              "cmb_system_residuals needs a context, a system, a finite t, q, v and two places");
  *position = *velocity = NAN;
  CMB_TRY(cmb_evaluator_create(ctx, cmb_system_equations(system), &ev));
  cmb_arena *arena = cmb_arena_create(ctx);
  const cmb_status status =
      arena ? evaluate(ev, arena, t, q, v, position, velocity) : cmb_fail_memory(ctx);
  if (status > 0) *position = *velocity = NAN;
  cmb_arena_destroy(arena);
  cmb_evaluator_destroy(ev);
  return status > 0 ? CMB_OK : status;
}
