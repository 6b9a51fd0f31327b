/*
 * Reports the rank of a system's constraints to callers who have only the system (include/camber/system.h).
 */
#include "base/context.h"
#include "system/rank.h"

#include <camber/system.h>
#include <math.h>
#include <string.h>

static cmb_status examine(cmb_evaluator *ev, cmb_arena *arena, double t, const double *q,
                          cmb_rank_report *report, int *redundant)
{
  cmb_rank rank;
  const cmb_status status = cmb_rank_examine(ev, arena, t, q, &rank);
  *report = (cmb_rank_report){rank.here, rank.around, rank.redundant_count};
  if (redundant && rank.redundant_count > 0) {
    memcpy(redundant, rank.redundant, (size_t)rank.redundant_count * sizeof *redundant);
  }
  return status;
}

cmb_status cmb_system_rank(cmb_context *ctx, const cmb_system *system, double t, const double *q,
                           const int *mode, cmb_rank_report *report, int *redundant)
{
  cmb_evaluator *ev;
  CMB_REQUIRE(
      ctx, ctx && system && q && report && isfinite(t),
      "cmb_system_rank needs a context, a system, a finite t, q and a place for the report");
  const cmb_equations *eq = cmb_system_equations(system);
  *report = (cmb_rank_report){0};
  CMB_REQUIRE(ctx, mode || eq->ns == 0, "cmb_system_rank needs the modes");
  CMB_TRY(cmb_evaluator_create(ctx, eq, &ev));
  for (int i = 0; i < eq->ns; i++) ev->mode[i] = mode[i];
  cmb_arena *arena = cmb_arena_create(ctx);
  const cmb_status status =
      arena ? examine(ev, arena, t, q, report, redundant) : cmb_fail_memory(ctx);
  cmb_arena_destroy(arena);
  cmb_evaluator_destroy(ev);
  return status;
}
