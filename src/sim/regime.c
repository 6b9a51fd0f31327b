/*
 * Creates and destroys the regimes of a run (regime.h).
 */
#include "sim/regime.h"

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

bool cmb_regime_is(const cmb_regime *regime, const cmb_equations *eq, const bool *closed,
                   const int *hold_of)
{
  if (!is_list(regime->closed_count, regime->closed_rule, eq->rule_count, closed)) return false;
  for (int i = 0; i < eq->ns; i++) {
    if (regime->hold_of[i] != hold_of[i]) return false;
  }
  return true;
}

static cmb_status make_equations(const cmb_regime_source *s, cmb_regime *regime)
{
  const int ns = s->system->eq.ns;
  bool hold_of = false;
  for (int i = 0; i < ns; i++) hold_of = hold_of || regime->hold_of[i] != 0;
  if (regime->closed_count > 0) {
    CMB_TRY(cmb_mean_create(s->ctx, s->arena, regime->eq, &regime->mean));
    regime->eq = &regime->mean->layer.eq;
    CMB_TRY(cmb_resting_create(s->ctx, s->arena, s->lasting, regime->eq, regime->closed_count,
                               regime->closed_rule, &regime->resting));
    regime->eq = &regime->resting->layer.eq;
  }
  if (hold_of) {
    CMB_TRY(
        cmb_sliding_create(s->ctx, s->arena, regime->eq, ns, regime->hold_of, &regime->sliding));
    regime->eq = &regime->sliding->layer.eq;
  }
  return CMB_OK;
}

/* What constraints that were left out take from time and place: if a step passes over it, so does the look whether they are met. */
static void watch_left_out(const cmb_regime_source *s, cmb_regime *regime)
{
  cmb_evaluator *whole = regime->left_out_watch.whole;
  if (!whole) return;
  cmb_variation_create(&regime->variation_of_whole, s->arena, regime->in, whole);
  regime->variation.also = &regime->variation_of_whole;
}

/* All that evaluates equations in this regime does so with the parameters of the run. */
static void use_parameters(const cmb_regime_source *s, cmb_regime *regime)
{
  regime->ev->p = s->p;
  regime->left_out_watch.moved = s->moved;
  if (regime->left_out_watch.whole) regime->left_out_watch.whole->p = s->p;
  if (regime->sliding) regime->sliding->below->p = s->p;
  if (regime->resting && regime->resting->other) regime->resting->other->p = s->p;
}

static cmb_status fill(const cmb_regime_source *s, cmb_regime *regime)
{
  const cmb_run_options *o = s->options;
  CMB_TRY(make_equations(s, regime));
  CMB_TRY(cmb_integrator_create(s->ctx, regime->eq, o->method, &o->integrator, &regime->in));
  regime->ev = cmb_integrator_evaluator(regime->in);
  cmb_events_create(&regime->events, s->arena, regime->in);
  cmb_enclosure_hold(&regime->events.enclosure, s->arena, regime->sliding, regime->resting);
  regime->events.solves = regime->closed_count > 0;
  cmb_variation_create(&regime->variation, s->arena, regime->in, regime->ev);
  cmb_impact_create(&regime->impact, s->arena, regime->ev);
  CMB_TRY(cmb_rank_watch_create(&regime->watch, s->arena, regime->in, s->singular, s->user));
  CMB_TRY(cmb_left_out_create(s->ctx, s->arena, s->system, regime->ev, &o->integrator,
                              &regime->left_out_watch));
  watch_left_out(s, regime);
  use_parameters(s, regime);
  return CMB_OK;
}

cmb_status cmb_regime_create(const cmb_regime_source *source, const bool *closed,
                             const int *hold_of, cmb_regime **out)
{
  cmb_arena *arena = source->arena;
  const cmb_equations *eq = &source->system->eq;
  cmb_regime *regime = *out = cmb_arena_take(arena, 1, sizeof *regime);
  if (!regime) return cmb_fail_memory(source->ctx);
  *regime = (cmb_regime){.eq = eq};
  regime->closed_count = list(arena, eq->rule_count, closed, &regime->closed_rule);
  regime->hold_of = cmb_arena_ints(arena, eq->ns);
  if (cmb_arena_failed(arena)) return cmb_fail_memory(source->ctx);
  for (int i = 0; hold_of && i < eq->ns; i++) regime->hold_of[i] = hold_of[i];
  CMB_TRY(fill(source, regime));
  return cmb_arena_failed(arena) ? cmb_fail_memory(source->ctx) : CMB_OK;
}

void cmb_regime_destroy(cmb_regime *regime)
{
  if (!regime) return;
  cmb_left_out_destroy(&regime->left_out_watch);
  cmb_integrator_destroy(regime->in);
  cmb_sliding_destroy(regime->sliding);
  cmb_resting_destroy(regime->resting);
}
