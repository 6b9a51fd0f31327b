/*
 * Stages of a run (stage.h).
 */
#include "sim/stage.h"

#include "base/context.h"
#include "dae/system.h"
#include "method/integrator.h"

/* The numbers of those that are true, ascending. */
static int list(cmb_arena *arena, int n, const bool *which, int **numbers)
{
  int count = 0;
  for (int i = 0; which && i < n; i++) count += which[i];
  *numbers = cmb_arena_ints(arena, count);
  for (int i = 0, k = 0; *numbers && k < count; i++) {
    if (which[i]) (*numbers)[k++] = i;
  }
  return count;
}

static bool is_list(int count, const int *numbers, int n, const bool *which)
{
  int k = 0;
  for (int i = 0; i < n; i++) {
    if (!which[i]) continue;
    if (k == count || numbers[k++] != i) return false;
  }
  return k == count;
}

bool cmb_stage_is(const cmb_stage *stage, const cmb_equations *eq, const bool *rests,
                  const int *slides)
{
  if (!is_list(stage->rest_count, stage->rest, eq->rule_count, rests)) return false;
  for (int i = 0; i < eq->ns; i++) {
    if (stage->slide[i] != slides[i]) return false;
  }
  return true;
}

static cmb_status make_equations(const cmb_stage_source *s, cmb_stage *stage)
{
  const int ns = s->system->eq.ns;
  bool slides = false;
  for (int i = 0; i < ns; i++) slides = slides || stage->slide[i] != 0;
  if (stage->rest_count > 0) {
    CMB_TRY(cmb_mean_create(s->ctx, s->arena, stage->eq, &stage->mean));
    stage->eq = &stage->mean->layer.eq;
    CMB_TRY(cmb_resting_create(s->ctx, s->arena, s->lasting, stage->eq, stage->rest_count,
                               stage->rest, &stage->resting));
    stage->eq = &stage->resting->layer.eq;
  }
  if (slides) {
    CMB_TRY(cmb_sliding_create(s->ctx, s->arena, stage->eq, ns, stage->slide, &stage->sliding));
    stage->eq = &stage->sliding->layer.eq;
  }
  return CMB_OK;
}

/* What constraints that were left out take from time and place: if a step passes over it, so does the look whether they are met. */
static void watch_left_out(const cmb_stage_source *s, cmb_stage *stage)
{
  cmb_evaluator *whole = stage->agreement.whole;
  if (!whole) return;
  cmb_variation_create(&stage->variation_of_whole, s->arena, stage->in, whole);
  stage->variation.also = &stage->variation_of_whole;
}

/* All that evaluates equations in this stage does so with the parameters of the run. */
static void use_parameters(const cmb_stage_source *s, cmb_stage *stage)
{
  stage->ev->p = s->p;
  stage->agreement.moved = s->moved;
  if (stage->agreement.whole) stage->agreement.whole->p = s->p;
  if (stage->sliding) stage->sliding->below->p = s->p;
  if (stage->resting && stage->resting->other) stage->resting->other->p = s->p;
}

static cmb_status fill(const cmb_stage_source *s, cmb_stage *stage)
{
  const cmb_run_options *o = s->options;
  CMB_TRY(make_equations(s, stage));
  CMB_TRY(cmb_integrator_create(s->ctx, stage->eq, o->method, &o->integrator, &stage->in));
  stage->ev = cmb_integrator_evaluator(stage->in);
  cmb_events_create(&stage->events, s->arena, stage->in);
  cmb_enclosure_hold(&stage->events.enclosure, s->arena, stage->sliding, stage->resting);
  stage->events.solves = stage->rest_count > 0;
  cmb_variation_create(&stage->variation, s->arena, stage->in, stage->ev);
  cmb_impact_create(&stage->impact, s->arena, stage->ev);
  CMB_TRY(cmb_rank_watch_create(&stage->watch, s->arena, stage->in, s->singular, s->user));
  CMB_TRY(cmb_agreement_create(s->ctx, s->arena, s->system, stage->ev, &o->integrator,
                               &stage->agreement));
  watch_left_out(s, stage);
  use_parameters(s, stage);
  return CMB_OK;
}

cmb_status cmb_stage_create(const cmb_stage_source *source, const bool *rests, const int *slides,
                            cmb_stage **out)
{
  cmb_arena *arena = source->arena;
  const cmb_equations *eq = &source->system->eq;
  cmb_stage *stage = *out = cmb_arena_take(arena, 1, sizeof *stage);
  if (!stage) return cmb_fail_memory(source->ctx);
  *stage = (cmb_stage){.eq = eq};
  stage->rest_count = list(arena, eq->rule_count, rests, &stage->rest);
  stage->slide = cmb_arena_ints(arena, eq->ns);
  if (cmb_arena_failed(arena)) return cmb_fail_memory(source->ctx);
  for (int i = 0; slides && i < eq->ns; i++) stage->slide[i] = slides[i];
  CMB_TRY(fill(source, stage));
  return cmb_arena_failed(arena) ? cmb_fail_memory(source->ctx) : CMB_OK;
}

void cmb_stage_destroy(cmb_stage *stage)
{
  if (!stage) return;
  cmb_agreement_destroy(&stage->agreement);
  cmb_integrator_destroy(stage->in);
  cmb_sliding_destroy(stage->sliding);
  cmb_resting_destroy(stage->resting);
}
