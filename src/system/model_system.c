/*
 * Creates a system from a model (cmb_model_system): its equations as expressions and programs, consistent start values, and the search
 * for redundant constraints, which depend on others.
 *
 * Redundant constraints are left out, unless they depend on modes, and the equations are made again without them: then the constraints have
 * full rank for every method, and the straight-line elimination of the explicit formalism works.
 */
#include "base/context.h"
#include "dae/graph_system.h"
#include "dae/modes.h"
#include "dae/project.h"
#include "dae/system.h"
#include "dyn/mechanism.h"
#include "model/model.h"
#include "system/consistency.h"
#include "system/rank.h"
#include "system/shared.h"
#include "system/start.h"

#include <camber/system.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const double DEFAULT_END = 1; /* end time in seconds for a model that does not specify one */

/* Sets *t to the default end time of a simulation, "t-end" in the model file, or to DEFAULT_END if the model has none. Fails with a message if
 * that default is no number ≥ 0. */
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

/* ---- creation */

/* Data of a system while it is created. */
struct system_builder {
  cmb_context *ctx;
  const cmb_model *model;
  const cmb_model_system_options *o;
  /* system in joint coordinates, which provides the start values of a Cartesian one */
  cmb_system *joints;
  /* data for finding start values again for other values of live parameters, NULL: none */
  cmb_start *in_joints, *in_bodies;
};

/* Keeps the data with which start values can be computed again: moves them from mechanism->start to *kept. Does so only if the system has
 * parameters that can be changed after set-up and *kept is empty. */
static void take_start(cmb_mechanism *mechanism, const cmb_system *system, cmb_start **kept)
{
  if (system->eq.np == 0 || *kept) return;
  *kept = mechanism->start;
  mechanism->start = NULL;
}

/* Creates the system of a model in the formulation wanted->formulation. Finds consistent start values unless `wanted` contains start values;
 * keeps the data for finding them again if the system has parameters that can be changed after set-up. */
static cmb_status build_form(struct system_builder *k, const cmb_mechanism_options *wanted,
                             const cmb_graph_options *graph, cmb_system **system)
{
  cmb_mechanism *mechanism;
  const bool cartesian = wanted->formulation == CMB_FORM_CARTESIAN;
  CMB_TRY(cmb_mechanism_create(k->ctx, k->model, wanted, &mechanism));
  cmb_status status = cmb_graph_system_create(k->ctx, &mechanism->expressions, graph, system);
  if (status == CMB_OK && !wanted->q_start) {
    cmb_system *s = *system;
    const cmb_start_values start = {s->q, s->v, s->q_given, s->v_given, false};
    status = cmb_start_hold(k->ctx, k->o, mechanism->start, s, NULL, &start);
  }
  if (status == CMB_OK) {
    take_start(mechanism, *system, cartesian ? &k->in_bodies : &k->in_joints);
  }
  cmb_mechanism_destroy(mechanism);
  return status;
}

/* Creates the system of a model without the redundant constraints listed in `rank`, in the formulation of k->o. If `joints`, the same model in
 * joint coordinates, is not NULL, converts its start values, and then applies those start values that the user has set for Cartesian
 * coordinates. */
static cmb_status build(struct system_builder *k, const cmb_rank *rank, const cmb_system *joints,
                        cmb_system **system)
{
  const cmb_model_system_options *o = k->o;
  cmb_mechanism_options wanted = {.formulation = o->formulation,
                                  .left_out_count = rank->redundant_count,
                                  .left_out = rank->redundant,
                                  .forced = o->forced,
                                  .whole_mass = o->derivatives || o->expressions,
                                  .live_inputs = o->live_inputs,
                                  .stiffness = o->expressions};
  const cmb_graph_options graph = {.evaluation = o->evaluation,
                                   .derivatives = o->derivatives,
                                   .keep = o->expressions,
                                   .explicit_form = o->formulation == CMB_FORM_EXPLICIT,
                                   .forced_form = o->forced,
                                   .residual_form = o->formulation == CMB_FORM_RESIDUAL};
  if (joints) {
    wanted.q_start = joints->q, wanted.v_start = joints->v;
    wanted.q_wanted = joints->q_given, wanted.v_wanted = joints->v_given;
  }
  CMB_TRY(build_form(k, &wanted, &graph, system));
  if (!joints) return CMB_OK;
  const cmb_system *s = *system;
  const cmb_start_values start = {s->q, s->v, s->q_given, s->v_given, false};
  return cmb_start_set_bodies(k->ctx, o, &joints->eq, &s->eq, &start);
}

/* ---- redundant constraints */

/* Results of examining the constraints of a system: their rank, their consistency and which forces are indeterminate. */
struct examined {
  cmb_rank rank;
  cmb_consistency consistency;
  cmb_shared shared;
};

/* Makes the start values consistent, and examines the constraints there: their rank, whether they contradict each other and, if not, which
 * constraint forces are indeterminate. Stores the results in x. Fails if there are no consistent start values. */
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
  CMB_TRY(cmb_rank_examine_ordered(ev, arena, t, q, system->g_closes, &x->rank));
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

/* Lists the contradictory constraints except the last one in text[room], as in "motion 'b' (line 12), loop 'close.x' (line 15)".
 * Leaves out those that do not come from an entry of the model file. */
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

/* Fails with a message on the constraints listed in c, which contradict each other, cannot be satisfied, or have no gradient. The message
 * refers to the file and line of the last of them. */
static cmb_status fail_contradiction(cmb_context *ctx, const cmb_model *model,
                                     const cmb_system *system, const cmb_consistency *c)
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
    return cmb_fail_about(
        ctx, CMB_ERROR_INPUT, about,
        "the gradient of %s '%s' is 0 where the constraint is satisfied, as that of "
        "x^2 = 0 is, so that it exerts no force; expected a formula such as x = 0",
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

/* Fails with a message if loops or prescribed motions of the model contradict each other. `joints` is the model's system in joint coordinates,
 * whose only other constraints are those that screw and constant-velocity joints have of their own. */
static cmb_status refuse_contradictions(cmb_context *ctx, const cmb_model *model,
                                        const cmb_system *joints)
{
  struct examined x = {0};
  cmb_arena *arena = cmb_arena_create(ctx);
  if (!arena) return cmb_fail_memory(ctx);
  cmb_status status = examine(ctx, joints, arena, &x);
  if (status == CMB_OK && x.consistency.count > 0) {
    status = fail_contradiction(ctx, model, joints, &x.consistency);
  }
  cmb_arena_destroy(arena);
  return status;
}

/* Removes from the list of redundant constraints in `rank` those that depend on modes (signs of switching functions: stick or slip, open or
 * closed), as they may become independent in another mode; they stay in the equations. */
static void keep_mode_dependent(const cmb_system *system, cmb_rank *rank)
{
  int count = 0;
  for (int k = 0; k < rank->redundant_count; k++) {
    int i = rank->redundant[k];
    if (system->g_has_branches && system->g_has_branches[i]) continue;
    rank->redundant[count++] = i;
  }
  rank->redundant_count = count;
}

/* Logs one info line for each of `count` redundant constraints, and then a warning such as "3 redundant constraints are left out: 'a',
 * 'b', 'c'" with up to six of the names and the number of the others. Does nothing if count is 0. */
static void warn_left_out(cmb_context *ctx, int count, const char *const *names)
{
  enum { NAMED = 6 };
  char text[700];
  size_t used = 0;
  if (count == 0) return;
  for (int i = 0; i < count; i++) {
    if (i < NAMED && used < sizeof text)
      used += (size_t)snprintf(text + used, sizeof text - used, "%s'%s'", i ? ", " : "", names[i]);
    cmb_log(ctx, CMB_LOG_INFO, "constraint '%s' is redundant and left out", names[i]);
  }
  if (count > NAMED && used < sizeof text) {
    snprintf(text + used, sizeof text - used, " and %d more", count - NAMED);
  }
  if (count == 1)
    cmb_log(ctx, CMB_LOG_WARNING, "constraint %s is redundant and left out", text);
  else
    cmb_log(ctx, CMB_LOG_WARNING, "%d redundant constraints are left out: %s", count, text);
}

/* Stores in `system`, which was created without the redundant constraints listed in `rank`, the names of these constraints and their indices in
 * `whole`, the system with all constraints. Logs a warning about all but those of the option `addition`. */
static cmb_status store_left_out(const struct system_builder *k, const cmb_system *whole,
                                 const cmb_rank *rank, cmb_system *system)
{
  cmb_context *ctx = k->ctx;
  const int count = rank->redundant_count;
  system->left_out = cmb_arena_take(system->arena, (size_t)count, sizeof *system->left_out);
  system->left_out_row = cmb_arena_ints(system->arena, count);
  const char **reported = cmb_arena_take(system->arena, (size_t)count, sizeof *reported);
  int reported_count = 0;
  if (cmb_arena_failed(system->arena)) return cmb_fail_memory(ctx);
  for (int i = 0; i < count; i++) {
    system->left_out_row[i] = rank->redundant[i];
    system->left_out[i] = whole->eq.g_names[rank->redundant[i]];
    cmb_model_origin o;
    const bool known = cmb_model_origin_of(k->model, system->left_out[i], &o);
    if (known && cmb_is_addition(o.file)) continue; /* its creator reports it */
    reported[reported_count++] = system->left_out[i];
  }
  warn_left_out(ctx, reported_count, reported);
  system->left_out_count = count;
  return CMB_OK;
}

/* Logs a warning that names the outputs that are not unique because the forces of redundant constraints are indeterminate. Does
 * nothing if there are none. */
static void warn_indeterminate(cmb_context *ctx, const cmb_system *system)
{
  char names[700];
  const int count = cmb_shared_names(&system->eq, system->output_shared, true, sizeof names, names);
  if (count == 0) return;
  cmb_log(
      ctx, CMB_LOG_WARNING,
      "output%s %s %s not unique: the forces of redundant constraints are indeterminate, and the "
      "values taken depend on the order of lines",
      count > 1 ? "s" : "", names, count > 1 ? "are" : "is");
}

/* Stores in `system` which of its multipliers (ng) and outputs (no) are not unique, and logs a warning about the outputs. `shared` says this
 * for the system with all ng_whole constraints; if shared->lambda is NULL, does nothing. */
static cmb_status store_indeterminate(cmb_context *ctx, const cmb_shared *shared, int ng_whole,
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
  warn_indeterminate(ctx, system);
  return CMB_OK;
}

/* Fails with a message if `state` is not NULL: the name of a first-order state whose rate is not unique, so that the motion would depend on the
 * order of lines in the model. */
static cmb_status refuse_indeterminate_state(cmb_context *ctx, const cmb_model *model,
                                             const char *state)
{
  const cmb_place *place = &model->place;
  if (!state) return CMB_OK;
  for (int i = 0; i < model->state_count; i++) {
    if (strcmp(model->states[i].name, state) == 0) place = &model->states[i].place;
  }
  cmb_about about = cmb_about_place(place->file, place->line, place->column);
  about.kind = "state";
  about.name = state;
  return cmb_fail_about(
      ctx, CMB_ERROR_INPUT, about,
      "state '%s': its rate is not unique, since it depends on forces of redundant "
      "constraints, which are indeterminate; expected a rate without these forces",
      state);
}

/* Replaces *system by one without its redundant constraints, if it has any that do not depend on modes; the new system keeps the old one to
 * monitor them. Records which multipliers and outputs are not unique. Fails with a message if constraints contradict each other or the rate of
 * a first-order state is not unique. */
static cmb_status leave_out(struct system_builder *k, cmb_system **system)
{
  cmb_context *ctx = k->ctx;
  cmb_system *whole = *system, *less = NULL;
  struct examined x = {0};
  cmb_arena *arena = cmb_arena_create(ctx);
  if (!arena) return cmb_fail_memory(ctx);
  cmb_status status = examine(ctx, whole, arena, &x);
  if (status == CMB_OK && x.consistency.count > 0) {
    status = fail_contradiction(ctx, k->model, whole, &x.consistency);
  }
  if (status == CMB_OK) status = refuse_indeterminate_state(ctx, k->model, x.shared.state);
  keep_mode_dependent(whole, &x.rank);
  if (status == CMB_OK && x.rank.redundant_count > 0) {
    status = build(k, &x.rank, k->joints ? k->joints : whole, &less);
    if (status == CMB_OK) status = store_left_out(k, whole, &x.rank, less);
    if (status == CMB_OK) {
      less->whole = whole;
      *system = less;
    } else {
      cmb_system_destroy(less);
    }
  }
  if (status == CMB_OK) status = store_indeterminate(ctx, &x.shared, whole->eq.ng, *system);
  cmb_arena_destroy(arena);
  return status;
}

static cmb_status make_joints(struct system_builder *k)
{
  const cmb_mechanism_options in_joints = {.formulation = CMB_FORM_RESIDUAL,
                                           .live_inputs = k->o->live_inputs};
  const cmb_graph_options plain = {.evaluation = CMB_EVALUATE_INTERPRETER};
  CMB_TRY(build_form(k, &in_joints, &plain, &k->joints));
  return k->joints->eq.ng > 0 ? refuse_contradictions(k->ctx, k->model, k->joints) : CMB_OK;
}

static cmb_status make(struct system_builder *k, cmb_system **system)
{
  if (k->o->formulation == CMB_FORM_CARTESIAN) CMB_TRY(make_joints(k));
  CMB_TRY(build(k, &(cmb_rank){0}, k->joints, system));
  if ((*system)->eq.ng > 0) CMB_TRY(leave_out(k, system));
  CMB_TRY(find_end(k->ctx, k->model, &(*system)->t_end));
  (*system)->model = k->model;
  if ((*system)->eq.np == 0) return CMB_OK;
  const struct system_builder kept = *k;
  k->in_joints = k->in_bodies = NULL;
  k->joints = NULL;
  return cmb_start_keep(k->ctx, k->o, kept.in_joints, kept.in_bodies, kept.joints, *system);
}

cmb_status cmb_model_system(cmb_context *ctx, const cmb_model *model,
                            const cmb_model_system_options *options, cmb_system **system)
{
  const cmb_model_system_options defaults = {.formulation = CMB_FORM_EXPLICIT};
  const cmb_model_system_options *o = options ? options : &defaults;
  CMB_REQUIRE(ctx, ctx && system, "cmb_model_system needs a context and a place for the system");
  *system = NULL;
  CMB_REQUIRE(ctx, model, "cmb_model_system needs a model");
  CMB_REQUIRE(ctx, o->formulation >= CMB_FORM_EXPLICIT && o->formulation <= CMB_FORM_CARTESIAN,
              "there is no such formulation");
  struct system_builder k = {.ctx = ctx, .model = model, .o = o};
  const cmb_status status = make(&k, system);
  cmb_start_destroy(k.in_joints);
  cmb_start_destroy(k.in_bodies);
  cmb_system_destroy(k.joints);
  if (status == CMB_OK) return CMB_OK;
  cmb_system_destroy(*system);
  *system = NULL;
  return status;
}
