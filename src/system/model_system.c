/*
 * From a model to a system: expressions, programs, and the search for constraints that depend on the others.
 *
 * Redundant constraints are left out, and the equations are made again without them: then every method finds constraints of
 * full rank, and the straight-line elimination of the explicit formalism works.
 */
#include "base/context.h"
#include "base/text.h"
#include "dae/graph_system.h"
#include "dae/modes.h"
#include "dae/project.h"
#include "dae/system.h"
#include "dyn/mechanism.h"
#include "math/rotation.h"
#include "model/model.h"
#include "system/consistency.h"
#include "system/hold.h"
#include "system/rank.h"
#include "system/shared.h"

#include <camber/system.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const double DEFAULT_END = 1; /* seconds, if the model does not say */

static cmb_status find_end(cmb_context *ctx, const cmb_model *model, double *t)
{
  int count;
  const cmb_model_default *d = cmb_model_defaults(model, &count);
  *t = DEFAULT_END;
  for (int i = 0; i < count; i++) {
    if (strcmp(d[i].name, "t-end") != 0) continue;
    const cmb_status status = cmb_number_parse(ctx, d[i].value, t);
    if (status == CMB_ERROR_MEMORY) return status;
    if (status == CMB_OK && *t >= 0) continue;
    return cmb_fail_about(ctx, CMB_ERROR_INPUT,
                          cmb_about_place(d[i].file, d[i].line, d[i].line > 0 ? d[i].column : 0),
                          "simulate: t-end is '%s'; expected a time from 0 on", d[i].value);
  }
  return CMB_OK;
}

/* ---- start values */

/* Euler parameters that are about to be divided by their length, which should be 1. */
static void warn_lengths(cmb_context *ctx, const cmb_expressions *x, const cmb_system *system)
{
  for (int n = 0; n < x->ball_count; n++) {
    const double *p = system->q + x->ball_q[n];
    const double length = sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3]);
    if (fabs(length - 1) <= CMB_EULER_LENGTH) continue;
    cmb_log(ctx, CMB_LOG_WARNING,
            "the Euler parameters from '%s' on start with the length %.9g, and are divided by it",
            system->eq.q_names[x->ball_q[n]], length);
  }
}

/* The settings become start values that are held. In Cartesian coordinates, those that are no joint's wait for the bodies. */
static cmb_status take_settings(cmb_context *ctx, const cmb_model_system_options *o,
                                cmb_expressions *x, cmb_system *system)
{
  const cmb_equations *eq = &system->eq;
  for (int k = 0; k < o->start_count; k++) {
    const char *name = o->start[k].name;
    int i = cmb_find_name(name, eq->q_names, eq->nq, sizeof *eq->q_names);
    int j = cmb_find_name(name, eq->v_names, eq->nv, sizeof *eq->v_names);
    if (i < 0 && j < 0 && o->formulation == CMB_FORM_CARTESIAN) continue;
    CMB_TRY(cmb_system_set_start(ctx, system, 1, &o->start[k]));
    if (i < 0) x->v_given[j] = true;
    if (i >= 0) x->q_given[i] = true;
    for (int n = 0; i >= 0 && n < x->ball_count; n++) {
      if (i >= x->ball_q[n] && i < x->ball_q[n] + 4) x->q_given[x->ball_q[n]] = true;
    }
  }
  warn_lengths(ctx, x, system);
  if (eq->normalize) eq->normalize(eq->self, system->q);
  return CMB_OK;
}

static bool is_set(const cmb_model_system_options *o, const char *name)
{
  return cmb_find_name(name, o->start, o->start_count, sizeof *o->start) >= 0;
}

/* Where all coordinates start, as given. Returns how many values that are. */
static int list_position(const cmb_expressions *x, const cmb_system *system, cmb_held *position)
{
  int count = 0;
  for (int i = 0; i < x->nv; i++) {
    const int q = x->rate_of[i];
    if (q >= 0) position[count++] = (cmb_held){CMB_HELD_COORDINATE, q, i, {system->q[q]}};
  }
  for (int n = 0; n < x->ball_count; n++) {
    position[count] = (cmb_held){.kind = CMB_HELD_TURN, .q = x->ball_q[n], .v = x->ball_v[n]};
    memcpy(position[count++].value, system->q + x->ball_q[n], 4 * sizeof(double));
  }
  return count;
}

/* The given values of the system that are to be held and are among the settings, or are not; behind those that are there. */
static int list_some(const cmb_model_system_options *o, bool set, const cmb_expressions *x,
                     const cmb_system *system, const cmb_hold_task *task, int count, cmb_held *held)
{
  const cmb_equations *eq = &system->eq;
  for (int k = 0; k < task->home_count; k++) {
    const int q = task->home[k].q;
    if (x->q_given[q] && is_set(o, eq->q_names[q]) == set) held[count++] = task->home[k];
  }
  for (int i = 0; i < x->nv; i++) {
    if (!x->v_given[i] || is_set(o, eq->v_names[i]) != set) continue;
    held[count++] = (cmb_held){CMB_HELD_RATE, -1, i, {system->v[i]}};
  }
  return count;
}

/* All of them. Where not all can be held the first ones are: settings come before what the model says. */
static int list_held(const cmb_model_system_options *o, const cmb_expressions *x,
                     const cmb_system *system, const cmb_hold_task *task, cmb_held *held)
{
  const int set = list_some(o, true, x, system, task, 0, held);
  return list_some(o, false, x, system, task, set, held);
}

/* What was given stays, the rest follows. */
static cmb_status hold_given(cmb_context *ctx, const cmb_model_system_options *o,
                             cmb_expressions *x, cmb_system *system)
{
  cmb_arena *arena = cmb_arena_create(ctx);
  if (!arena) return cmb_fail_memory(ctx);
  double *design = cmb_arena_doubles(arena, x->nq);
  bool *turns = cmb_arena_take(arena, (size_t)x->nv, sizeof *turns);
  cmb_held *home = cmb_arena_take(arena, (size_t)x->nq, sizeof *home);
  cmb_held *held = cmb_arena_take(arena, (size_t)x->nq + (size_t)x->nv, sizeof *held);
  cmb_status status = cmb_arena_failed(arena) ? cmb_fail_memory(ctx) : CMB_OK;
  if (status == CMB_OK) status = take_settings(ctx, o, x, system);
  if (status == CMB_OK) {
    for (int n = 0; n < x->ball_count; n++) design[x->ball_q[n]] = 1;
    for (int i = 0; i < x->nv; i++) turns[i] = x->rate_of[i] < 0 || x->angle[x->rate_of[i]];
    cmb_hold_task task = {.t = system->t_start,
                          .held = held,
                          .home_count = list_position(x, system, home),
                          .home = home,
                          .q_design = design,
                          .turns = turns,
                          .angle = x->angle};
    task.count = list_held(o, x, system, &task, held);
    status = cmb_hold_start(ctx, &system->eq, &task, system->q, system->v);
  }
  cmb_arena_destroy(arena);
  return status;
}

/* ---- building */

/* The system in one set of coordinates. Joint coordinates that have no start values yet get consistent ones. */
static cmb_status build_form(cmb_context *ctx, const cmb_model *model,
                             const cmb_model_system_options *o, const cmb_mechanism_options *wanted,
                             const cmb_graph_options *graph, cmb_system **system)
{
  cmb_mechanism *mechanism;
  CMB_TRY(cmb_mechanism_create(ctx, model, wanted, &mechanism));
  cmb_status status = cmb_graph_system_create(ctx, &mechanism->expressions, graph, system);
  if (status == CMB_OK && !wanted->q_start) {
    status = hold_given(ctx, o, &mechanism->expressions, *system);
  }
  cmb_mechanism_destroy(mechanism);
  return status;
}

/* The system without the constraints that are redundant. Start values are found in joint coordinates, so that they are the
 * same for all formulations; `joints` has them already, or is NULL. */
static cmb_status build(cmb_context *ctx, const cmb_model *model, const cmb_model_system_options *o,
                        const cmb_rank *rank, const cmb_system *joints, cmb_system **system)
{
  cmb_mechanism_options wanted = {.formulation = o->formulation,
                                  .left_out_count = rank->redundant_count,
                                  .left_out = rank->redundant,
                                  .whole_mass = o->derivatives || o->expressions,
                                  .live_inputs = o->live_inputs,
                                  .stiffness = o->expressions};
  const cmb_graph_options graph = {.evaluation = o->evaluation,
                                   .derivatives = o->derivatives,
                                   .keep = o->expressions,
                                   .explicit_form = o->formulation == CMB_FORM_EXPLICIT,
                                   .residual_form = o->formulation == CMB_FORM_RESIDUAL};
  if (joints) {
    wanted.q_start = joints->q, wanted.v_start = joints->v;
    wanted.q_wanted = joints->q_given, wanted.v_wanted = joints->v_given;
  }
  CMB_TRY(build_form(ctx, model, o, &wanted, &graph, system));
  for (int k = 0; joints && k < o->start_count; k++) {
    const cmb_equations *eq = &joints->eq;
    const char *name = o->start[k].name;
    if (cmb_find_name(name, eq->q_names, eq->nq, sizeof *eq->q_names) >= 0) continue;
    if (cmb_find_name(name, eq->v_names, eq->nv, sizeof *eq->v_names) >= 0) continue;
    CMB_TRY(cmb_system_set_start(ctx, *system, 1, &o->start[k]));
  }
  return CMB_OK;
}

/* ---- redundant constraints */

/* What is to be known about the constraints of a system. */
struct examined {
  cmb_rank rank;
  cmb_consistency consistency;
  cmb_shared shared;
};

/* At consistent start values; if there are none, nothing is left out, and whoever starts a run is told. */
static cmb_status examine_at_start(cmb_evaluator *ev, const cmb_system *system, cmb_arena *arena,
                                   struct examined *x)
{
  const cmb_equations *eq = &system->eq;
  const double t = system->t_start;
  cmb_mode_search modes;
  cmb_start_report report;
  double *q = cmb_arena_doubles(arena, eq->nq), *v = cmb_arena_doubles(arena, eq->nv);
  double *a = cmb_arena_doubles(arena, eq->nv), *lambda = cmb_arena_doubles(arena, eq->ng);
  cmb_mode_search_create(&modes, arena, eq);
  if (cmb_arena_failed(arena)) return cmb_fail_memory(system->ctx);
  memcpy(q, system->q, (size_t)eq->nq * sizeof *q);
  memcpy(v, system->v, (size_t)eq->nv * sizeof *v);
  CMB_TRY(cmb_start_in_modes(ev, &modes, t, q, v, a, lambda, &report));
  CMB_TRY(cmb_rank_examine(ev, arena, t, q, &x->rank));
  CMB_TRY(cmb_consistency_examine(ev, arena, t, &x->rank, &x->consistency));
  return x->consistency.count > 0 ? CMB_OK : cmb_shared_find(ev, arena, t, &x->rank, &x->shared);
}

static cmb_status examine(cmb_context *ctx, const cmb_system *system, cmb_arena *arena,
                          struct examined *x)
{
  cmb_evaluator *ev;
  CMB_TRY(cmb_evaluator_create(ctx, &system->eq, &ev));
  cmb_status status = examine_at_start(ev, system, arena, x);
  cmb_evaluator_destroy(ev);
  if (status == CMB_OK || status == CMB_ERROR_MEMORY) return status;
  *x = (struct examined){0};
  cmb_forget_error(ctx);
  return CMB_OK;
}

/* "motion 'b' (line 12), loop 'close.x' (line 15)": constraints that are at fault, but for the last of them. */
static void list_others(const cmb_model *model, const cmb_equations *eq, const cmb_consistency *c,
                        size_t room, char *text)
{
  size_t used = 0;
  text[0] = '\0';
  for (int i = 0; i + 1 < c->count && used < room; i++) {
    cmb_model_origin o;
    const char *name = eq->g_names[c->row[i]], *comma = i ? ", " : "";
    if (!cmb_model_origin_of(model, name, &o)) continue;
    char line[32] = "";
    if (o.line > 0) snprintf(line, sizeof line, " (line %d)", o.line);
    int n = snprintf(text + used, room - used, "%s%s '%s'%s", comma, o.kind, name, line);
    used += (size_t)n;
  }
}

/* Constraints that do not agree are the user's mistake. */
static cmb_status complain(cmb_context *ctx, const cmb_model *model, const cmb_system *system,
                           const cmb_consistency *c)
{
  static const char *const levels[] = {
      [CMB_DISAGREE_VELOCITY] = "velocities", [CMB_DISAGREE_ACCELERATION] = "accelerations"};
  const char *name = system->eq.g_names[c->row[c->count - 1]];
  const cmb_place *whole = &model->place;
  cmb_model_origin o = {"constraint", name, whole->file, whole->line, whole->column};
  char others[512];
  cmb_model_origin_of(model, name, &o);
  cmb_about about = cmb_about_place(o.file, o.line, o.column);
  about.kind = o.kind;
  about.name = name;
  if (c->what == CMB_NO_GRADIENT) {
    return cmb_fail_about(ctx, CMB_ERROR_INPUT, about,
                          "%s '%s' has no gradient where it is met, as x^2 = 0 has none: it "
                          "cannot hold anything; write x = 0",
                          o.kind, name);
  }
  if (c->count == 1) {
    return cmb_fail_about(ctx, CMB_ERROR_INPUT, about, "%s '%s' cannot be met: no %s satisfy it",
                          o.kind, name, levels[c->what]);
  }
  list_others(model, &system->eq, c, sizeof others, others);
  return cmb_fail_about(ctx, CMB_ERROR_INPUT, about,
                        "%s '%s' depends on others and contradicts them: no %s satisfy it "
                        "together with %s",
                        o.kind, name, levels[c->what], others);
}

/* In joint coordinates, where only loops and motions can be at fault. */
static cmb_status refuse_contradictions(cmb_context *ctx, const cmb_model *model,
                                        const cmb_system *joints)
{
  struct examined x = {0};
  cmb_arena *arena = cmb_arena_create(ctx);
  if (!arena) return cmb_fail_memory(ctx);
  cmb_status status = examine(ctx, joints, arena, &x);
  if (status == CMB_OK && x.consistency.count > 0) {
    status = complain(ctx, model, joints, &x.consistency);
  }
  cmb_arena_destroy(arena);
  return status;
}

/* Constraints with branches stay: they may become independent in another one. */
static void keep_branches(const cmb_system *system, cmb_rank *rank)
{
  int count = 0;
  for (int k = 0; k < rank->redundant_count; k++) {
    int i = rank->redundant[k];
    if (system->g_has_branches && system->g_has_branches[i]) continue;
    rank->redundant[count++] = i;
  }
  rank->redundant_count = count;
}

/* The names and numbers of what is left out, for the system that is made without it; and a warning. */
static cmb_status remember_left_out(cmb_context *ctx, const cmb_system *whole, const cmb_rank *rank,
                                    cmb_system *system)
{
  const int count = rank->redundant_count;
  system->left_out = cmb_arena_take(system->arena, (size_t)count, sizeof *system->left_out);
  system->left_out_row = cmb_arena_ints(system->arena, count);
  if (cmb_arena_failed(system->arena)) return cmb_fail_memory(ctx);
  for (int i = 0; i < count; i++) {
    system->left_out_row[i] = rank->redundant[i];
    system->left_out[i] = whole->eq.g_names[rank->redundant[i]];
    cmb_log(ctx, CMB_LOG_WARNING, "constraint '%s' is redundant and left out", system->left_out[i]);
  }
  system->left_out_count = count;
  return CMB_OK;
}

/* "outputs 'a', 'b' and 3 more are not unique .." */
static void warn_shared(cmb_context *ctx, const cmb_system *system)
{
  char names[700];
  const int count = cmb_shared_names(&system->eq, system->output_shared, true, sizeof names, names);
  if (count == 0) return;
  cmb_log(ctx, CMB_LOG_WARNING,
          "output%s %s %s not unique: redundant constraints can share out their forces in other "
          "ways, and the one taken depends on the order of lines",
          count > 1 ? "s" : "", names, count > 1 ? "are" : "is");
}

/* What the redundant constraints leave open, in the numbers of the system that is run. */
static cmb_status remember_shared(cmb_context *ctx, const cmb_shared *shared, int ng_whole,
                                  cmb_system *system)
{
  cmb_arena *arena = system->arena;
  const int no = system->eq.no;
  if (!shared->lambda) return CMB_OK;
  system->lambda_shared = cmb_arena_take(arena, (size_t)system->eq.ng, sizeof(bool));
  system->output_shared = cmb_arena_take(arena, (size_t)no, sizeof(bool));
  if (cmb_arena_failed(arena)) return cmb_fail_memory(ctx);
  for (int i = 0, k = 0, left = 0; i < ng_whole; i++) {
    if (left < system->left_out_count && system->left_out_row[left] == i) {
      left++;
    } else {
      system->lambda_shared[k++] = shared->lambda[i];
    }
  }
  for (int i = 0; i < no; i++) system->output_shared[i] = shared->outputs[i];
  warn_shared(ctx, system);
  return CMB_OK;
}

/* The system again, without the constraints that are redundant; it keeps the whole one, to watch them. */
static cmb_status leave_out(cmb_context *ctx, const cmb_model *model,
                            const cmb_model_system_options *o, const cmb_system *joints,
                            cmb_system **system)
{
  cmb_system *whole = *system, *less = NULL;
  struct examined x = {0};
  cmb_arena *arena = cmb_arena_create(ctx);
  if (!arena) return cmb_fail_memory(ctx);
  cmb_status status = examine(ctx, whole, arena, &x);
  if (status == CMB_OK && x.consistency.count > 0) {
    status = complain(ctx, model, whole, &x.consistency);
  }
  keep_branches(whole, &x.rank);
  if (status == CMB_OK && x.rank.redundant_count > 0) {
    status = build(ctx, model, o, &x.rank, joints ? joints : whole, &less);
    if (status == CMB_OK) status = remember_left_out(ctx, whole, &x.rank, less);
    if (status == CMB_OK) {
      less->whole = whole;
      *system = less;
    } else {
      cmb_system_destroy(less);
    }
  }
  if (status == CMB_OK) status = remember_shared(ctx, &x.shared, whole->eq.ng, *system);
  cmb_arena_destroy(arena);
  return status;
}

static cmb_status make(cmb_context *ctx, const cmb_model *model, const cmb_model_system_options *o,
                       cmb_system **joints, cmb_system **system)
{
  if (o->formulation == CMB_FORM_CARTESIAN) {
    const cmb_mechanism_options in_joints = {.formulation = CMB_FORM_RESIDUAL};
    const cmb_graph_options plain = {.evaluation = CMB_EVALUATE_INTERPRETER};
    CMB_TRY(build_form(ctx, model, o, &in_joints, &plain, joints));
    if ((*joints)->eq.ng > 0) CMB_TRY(refuse_contradictions(ctx, model, *joints));
  }
  CMB_TRY(build(ctx, model, o, &(cmb_rank){0}, *joints, system));
  if ((*system)->eq.ng > 0) CMB_TRY(leave_out(ctx, model, o, *joints, system));
  CMB_TRY(find_end(ctx, model, &(*system)->t_end));
  (*system)->model = model;
  return CMB_OK;
}

cmb_status cmb_model_system(cmb_context *ctx, const cmb_model *model,
                            const cmb_model_system_options *options, cmb_system **system)
{
  const cmb_model_system_options defaults = {.formulation = CMB_FORM_EXPLICIT};
  const cmb_model_system_options *o = options ? options : &defaults;
  cmb_system *joints = NULL;
  CMB_REQUIRE(ctx, ctx && system, "cmb_model_system needs a context and a place for the system");
  *system = NULL;
  CMB_REQUIRE(ctx, model, "cmb_model_system needs a model");
  CMB_REQUIRE(ctx, o->formulation >= CMB_FORM_EXPLICIT && o->formulation <= CMB_FORM_CARTESIAN,
              "there is no such formulation");
  cmb_status status = make(ctx, model, o, &joints, system);
  cmb_system_destroy(joints);
  if (status == CMB_OK) return CMB_OK;
  cmb_system_destroy(*system);
  *system = NULL;
  return status;
}
