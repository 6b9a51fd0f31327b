/*
 * From a model to a system: expressions, programs, and the search for constraints that depend on the others.
 *
 * Redundant constraints are left out, and the equations are made again without them: then every method finds constraints of
 * full rank, and the straight-line elimination of the explicit formalism works.
 */
#include "base/context.h"
#include "base/text.h"
#include "dae/graph_system.h"
#include "dae/hold.h"
#include "dae/project.h"
#include "dae/rank.h"
#include "dae/system.h"
#include "dyn/mechanism.h"

#include <string.h>

static const double DEFAULT_END = 1; /* seconds, if the model does not say */

static double end_time(const cmb_model *model)
{
  int count;
  double t = DEFAULT_END;
  const cmb_model_default *d = cmb_model_defaults(model, &count);
  for (int i = 0; i < count; i++) {
    if (strcmp(d[i].name, "t-end") == 0 && !cmb_parse_number(d[i].value, &t)) return DEFAULT_END;
  }
  return t;
}

/* What was given stays, the rest follows. */
static cmb_status hold_given(cmb_context *ctx, const cmb_expressions *x, cmb_system *system)
{
  cmb_held *held = cmb_arena_take(system->arena, (size_t)x->nv, sizeof *held);
  int count = 0;
  if (!held) return cmb_fail_memory(ctx);
  for (int i = 0; i < x->nv; i++) {
    int q = x->rate_of[i];
    cmb_held h = {q, i, q >= 0 && x->q_given[q], x->v_given[i]};
    if (h.hold_q || h.hold_v) held[count++] = h;
  }
  return cmb_hold_start(ctx, &system->eq, system->t_start, count, held, system->q, system->v);
}

static cmb_status build_form(cmb_context *ctx, const cmb_model *model,
                             const cmb_mechanism_options *wanted, const cmb_graph_options *graph,
                             cmb_system **system)
{
  cmb_mechanism *mechanism;
  CMB_TRY(cmb_mechanism_create(ctx, model, wanted, &mechanism));
  cmb_status status = cmb_graph_system_create(ctx, &mechanism->expressions, graph, system);
  bool joints = wanted->formulation != CMB_FORM_CARTESIAN;
  if (status == CMB_OK && joints) status = hold_given(ctx, &mechanism->expressions, *system);
  cmb_mechanism_destroy(mechanism);
  return status;
}

/* Start values are found in joint coordinates, so that they are the same for all formulations. */
static cmb_status build(cmb_context *ctx, const cmb_model *model, const cmb_model_system_options *o,
                        const cmb_rank *rank, cmb_system **system)
{
  cmb_mechanism_options wanted = {.formulation = o->formulation,
                                  .left_out_count = rank->redundant_count,
                                  .left_out = rank->redundant,
                                  .whole_mass = o->derivatives || o->expressions,
                                  .live = o->expressions};
  const cmb_graph_options graph = {.evaluation = o->evaluation,
                                   .derivatives = o->derivatives,
                                   .keep = o->expressions,
                                   .explicit_form = o->formulation == CMB_FORM_EXPLICIT,
                                   .residual_form = o->formulation == CMB_FORM_RESIDUAL};
  if (o->formulation != CMB_FORM_CARTESIAN) return build_form(ctx, model, &wanted, &graph, system);
  const cmb_mechanism_options in_joints = {.formulation = CMB_FORM_RESIDUAL};
  const cmb_graph_options plain = {.evaluation = CMB_EVALUATE_INTERPRETER};
  cmb_system *joints = NULL;
  cmb_status status = build_form(ctx, model, &in_joints, &plain, &joints);
  if (status == CMB_OK) {
    wanted.q_start = joints->q;
    wanted.v_start = joints->v;
    status = build_form(ctx, model, &wanted, &graph, system);
  }
  cmb_system_destroy(joints);
  return status;
}

/* The rank where the start values can be assembled. If they cannot, nothing is left out, and whoever starts a run is told. */
static cmb_status examine(cmb_context *ctx, const cmb_system *system, cmb_arena *arena,
                          cmb_rank *rank)
{
  const cmb_equations *eq = &system->eq;
  cmb_evaluator *ev;
  cmb_start_report report;
  double *q = cmb_arena_doubles(arena, eq->nq), *v = cmb_arena_doubles(arena, eq->nv);
  double *a = cmb_arena_doubles(arena, eq->nv), *lambda = cmb_arena_doubles(arena, eq->ng);
  if (cmb_arena_failed(arena)) return cmb_fail_memory(ctx);
  memcpy(q, system->q, (size_t)eq->nq * sizeof *q);
  memcpy(v, system->v, (size_t)eq->nv * sizeof *v);
  CMB_TRY(cmb_evaluator_create(ctx, eq, &ev));
  cmb_status status = cmb_consistent_start(ev, system->t_start, q, v, a, lambda, &report);
  if (status == CMB_OK) status = cmb_rank_examine(ev, arena, system->t_start, q, rank);
  cmb_evaluator_destroy(ev);
  if (status == CMB_ERROR_MEMORY) return status;
  cmb_forget_error(ctx);
  return CMB_OK;
}

/* The names of what is left out, for the system that is made without it; and a warning. */
static cmb_status remember_left_out(cmb_context *ctx, const cmb_system *whole, const cmb_rank *rank,
                                    cmb_system *system)
{
  system->left_out_count = rank->redundant_count;
  system->left_out =
      cmb_arena_take(system->arena, (size_t)rank->redundant_count, sizeof *system->left_out);
  if (!system->left_out) return cmb_fail_memory(ctx);
  for (int i = 0; i < rank->redundant_count; i++) {
    const char *name = whole->eq.g_names[rank->redundant[i]];
    system->left_out[i] = cmb_arena_text(system->arena, name);
    if (!system->left_out[i]) return cmb_fail_memory(ctx);
    cmb_log(ctx, CMB_LOG_WARNING, "constraint '%s' is redundant and left out", name);
  }
  return CMB_OK;
}

/* The system again, without the constraints that are redundant. */
static cmb_status leave_out(cmb_context *ctx, const cmb_model *model,
                            const cmb_model_system_options *o, cmb_system **system)
{
  cmb_system *whole = *system, *less = NULL;
  cmb_rank rank = {0};
  cmb_arena *arena = cmb_arena_create(ctx);
  if (!arena) return cmb_fail_memory(ctx);
  cmb_status status = examine(ctx, whole, arena, &rank);
  if (status == CMB_OK && rank.redundant_count > 0) {
    status = build(ctx, model, o, &rank, &less);
    if (status == CMB_OK) status = remember_left_out(ctx, whole, &rank, less);
    cmb_system_destroy(whole);
    *system = less;
  }
  cmb_arena_destroy(arena);
  return status;
}

cmb_status cmb_model_system(cmb_context *ctx, const cmb_model *model,
                            const cmb_model_system_options *options, cmb_system **system)
{
  const cmb_model_system_options defaults = {.formulation = CMB_FORM_EXPLICIT};
  const cmb_model_system_options *o = options ? options : &defaults;
  *system = NULL;
  cmb_status status = build(ctx, model, o, &(cmb_rank){0}, system);
  if (status == CMB_OK && (*system)->eq.ng > 0) status = leave_out(ctx, model, o, system);
  if (status == CMB_OK) {
    (*system)->t_end = end_time(model);
    return CMB_OK;
  }
  cmb_system_destroy(*system);
  *system = NULL;
  return status;
}
