/*
 * Residuals of the constraints at a state, in the modes that belong to it (include/camber/system.h).
 */
#include "base/context.h"
#include "dae/modes.h"

#include <camber/system.h>
#include <math.h>

/* Creates an evaluator *ev with the modes (signs of the switching functions) of the state (t, q, v). The caller has to destroy *ev
 * also after a failure. Returns a positive status if the switching functions cannot be evaluated there. */
static cmb_status open_at(cmb_context *ctx, const cmb_equations *eq, double t, const double *q,
                          const double *v, cmb_evaluator **ev)
{
  cmb_mode_search modes;
  bool changed;
  *ev = NULL;
  CMB_TRY(cmb_evaluator_create(ctx, eq, ev));
  cmb_mode_search_create(&modes, (*ev)->arena, eq);
  if (cmb_arena_failed((*ev)->arena)) return cmb_fail_memory(ctx);
  for (int i = 0; i < eq->ns; i++) (*ev)->mode[i] = 1;
  return cmb_guess_modes(*ev, &modes, t, q, v, &changed);
}

cmb_status cmb_system_residuals(cmb_context *ctx, const cmb_system *system, double t,
                                const double *q, const double *v, double *position,
                                double *velocity)
{
  cmb_evaluator *ev;
  CMB_REQUIRE(ctx, ctx && system && q && v && position && velocity && isfinite(t),
              "cmb_system_residuals needs a context, a system, a finite t, q, v and two places");
  cmb_status status = open_at(ctx, cmb_system_equations(system), t, q, v, &ev);
  if (status == CMB_OK) status = cmb_constraint_residuals(ev, t, q, v, position, velocity);
  if (status != CMB_OK) *position = *velocity = NAN;
  cmb_evaluator_destroy(ev);
  return status > 0 ? CMB_OK : status;
}

cmb_status cmb_constraint_values(cmb_context *ctx, const cmb_equations *eq, double t,
                                 const double *q, const double *v, double *g)
{
  cmb_evaluator *ev;
  CMB_REQUIRE(ctx, ctx && eq && q && v && g && isfinite(t),
              "cmb_constraint_values needs a context, equations, a finite t, q, v and a place");
  cmb_status status = open_at(ctx, eq, t, q, v, &ev);
  if (status == CMB_OK) {
    const cmb_terms want = {.g = ev->g};
    status = cmb_evaluate(ev, t, q, NULL, &want);
    for (int i = 0; i < eq->ng; i++) g[i] = ev->g[i];
  }
  cmb_evaluator_destroy(ev);
  if (status <= 0) return status;
  return cmb_fail(ctx, CMB_ERROR_EQUATIONS, "the constraints cannot be evaluated at t = %.9g", t);
}
