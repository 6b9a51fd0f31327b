/*
 * Start values of a model's system (start.h).
 */
#include "system/start.h"

#include "base/context.h"
#include "base/text.h"
#include "dae/system.h"
#include "dyn/start.h"
#include "math/finite.h"
#include "math/rotation.h"
#include "system/equilibrium.h"
#include "system/hold.h"

#include <math.h>
#include <string.h>

/* ---- settings */

/* Data for finding start values. */
struct given {
  const cmb_model_system_options *o;
  const cmb_start *s;
  const cmb_equations *eq; /* in joint coordinates */
  const cmb_start_values *x;
  bool *q, *v; /* (nq), (nv) values to be held; for four Euler parameters the first entry counts */
};

/* Marks in k->q (nq) and k->v (nv) the start values from the model file that are to be held: coordinates and velocities that are not 0, and
 * rotations that are not 0, at the first of their four Euler parameters. First-order states are not marked, since no constraint changes them. */
static void mark_model_values(const struct given *k)
{
  const cmb_start *s = k->s;
  for (int i = 0; i < s->nv; i++) {
    const int q = s->rate_of[i];
    k->v[i] = i < s->nv - s->nz && k->x->v_given[i] != 0;
    if (q >= 0) k->q[q] = k->x->q_given[q] != 0;
  }
  for (int n = 0; n < s->ball_count; n++) {
    const double *p = k->x->q_given + s->ball_q[n];
    k->q[s->ball_q[n]] = p[1] != 0 || p[2] != 0 || p[3] != 0;
  }
}

/* Logs a warning for each set of four Euler parameters of the start values whose length is not 1; they will be normalised. */
static void warn_lengths(cmb_context *ctx, const struct given *k)
{
  for (int n = 0; n < k->s->ball_count; n++) {
    const double *p = k->x->q + k->s->ball_q[n];
    const double length = sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3]);
    if (fabs(length - 1) <= CMB_EULER_LENGTH) continue;
    cmb_log(ctx, CMB_LOG_WARNING,
            "the Euler parameters from '%s' on start with the length %.9g, and are divided by it",
            k->eq->q_names[k->s->ball_q[n]], length);
  }
}

static bool has_name(const cmb_equations *eq, const char *name)
{
  return cmb_find_name(name, eq->q_names, eq->nq, sizeof *eq->q_names) >= 0 ||
         cmb_find_name(name, eq->v_names, eq->nv, sizeof *eq->v_names) >= 0;
}

/* Replaces start values of the model by those that the user has set, marks these to be held, and copies the result to x->q (nq),
 * with Euler parameters normalised, and x->v (nv). In Cartesian coordinates, settings that name no coordinate or velocity of a
 * joint are left to cmb_start_set_bodies. */
static cmb_status add_settings(cmb_context *ctx, const struct given *k)
{
  const cmb_start *s = k->s;
  const cmb_start_values *x = k->x;
  for (int n = 0; n < k->o->start_count; n++) {
    const cmb_setting *setting = &k->o->start[n];
    cmb_start_change change;
    if (k->o->formulation == CMB_FORM_CARTESIAN && !has_name(k->eq, setting->name)) continue;
    CMB_TRY(cmb_start_change_find(ctx, k->eq, setting, &change));
    cmb_start_change_make(&change, x->q_given, x->v_given);
    if (change.v >= 0) k->v[change.v] = change.v < s->nv - s->nz;
    if (change.q >= 0) k->q[change.q] = true;
    for (int i = 0; i < s->ball_count; i++) {
      const int first = s->ball_q[i];
      if (change.q >= first && change.q < first + 4) k->q[first] = true;
    }
  }
  memcpy(x->q, x->q_given, (size_t)k->eq->nq * sizeof *x->q);
  memcpy(x->v, x->v_given, (size_t)k->eq->nv * sizeof *x->v);
  warn_lengths(ctx, k);
  if (k->eq->normalize) k->eq->normalize(k->eq->self, x->q);
  return CMB_OK;
}

cmb_status cmb_start_set_bodies(cmb_context *ctx, const cmb_model_system_options *o,
                                const cmb_equations *joints, const cmb_equations *eq,
                                const cmb_start_values *x)
{
  for (int k = 0; k < o->start_count; k++) {
    cmb_start_change change;
    if (has_name(joints, o->start[k].name)) continue;
    CMB_TRY(cmb_start_change_find(ctx, eq, &o->start[k], &change));
    cmb_start_change_make(&change, x->q, x->v);
    cmb_start_change_make(&change, x->q_given, x->v_given);
  }
  return CMB_OK;
}

/* ---- holding */

static bool is_set(const cmb_model_system_options *o, const char *name)
{
  return cmb_find_name(name, o->start, o->start_count, sizeof *o->start) >= 0;
}

/* Lists the start values of all coordinates in `position`, where four Euler parameters are one value. The caller keeps these values fixed, or
 * the position near to them. Returns their number. */
static int list_position(const struct given *k, cmb_held *position)
{
  const cmb_start *s = k->s;
  const double *x = k->x->q;
  int count = 0;
  for (int i = 0; i < s->nv; i++) {
    const int q = s->rate_of[i];
    if (q >= 0) position[count++] = (cmb_held){CMB_HELD_COORDINATE, q, i, {x[q]}};
  }
  for (int n = 0; n < s->ball_count; n++) {
    position[count] = (cmb_held){.kind = CMB_HELD_TURN, .q = s->ball_q[n], .v = s->ball_v[n]};
    memcpy(position[count++].value, x + s->ball_q[n], 4 * sizeof(double));
  }
  return count;
}

/* Appends start values that are to be kept fixed to `held`, which has `count` entries: if `set`, those that the user has set (of four Euler
 * parameters the first), otherwise the others; first coordinates, then velocities. Returns the new number of entries. */
static int list_held_values(const struct given *k, bool set, const cmb_hold_task *task, int count,
                            cmb_held *held)
{
  const cmb_start *s = k->s;
  const cmb_equations *eq = k->eq;
  for (int i = 0; i < task->home_count; i++) {
    const int q = task->home[i].q;
    if (k->q[q] && is_set(k->o, eq->q_names[q]) == set) held[count++] = task->home[i];
  }
  for (int i = 0; i < s->nv; i++) {
    if (!k->v[i] || is_set(k->o, eq->v_names[i]) != set) continue;
    held[count++] = (cmb_held){CMB_HELD_RATE, -1, i, {k->x->v[i]}};
  }
  return count;
}

/* Lists in `held` all start values that are to be kept fixed; the user's settings come before those of the model, since earlier entries take
 * precedence if not all can be kept. Returns their number. */
static int list_held(const struct given *k, const cmb_hold_task *task, cmb_held *held)
{
  return list_held_values(k, false, task, list_held_values(k, true, task, 0, held), held);
}

/* Finds consistent start values k->x->q and k->x->v at time t, which satisfy the constraints and keep the requested values as far as possible.
 * p are the values of the parameters that can be changed after set-up; NULL means those of the equations. */
static cmb_status hold(cmb_context *ctx, cmb_arena *arena, struct given *k, double t,
                       const double *p)
{
  const cmb_start *s = k->s;
  double *design = cmb_arena_doubles(arena, s->nq);
  bool *turns = cmb_arena_take(arena, (size_t)s->nv, sizeof *turns);
  cmb_held *home = cmb_arena_take(arena, (size_t)s->nq, sizeof *home);
  cmb_held *held = cmb_arena_take(arena, (size_t)s->nq + (size_t)s->nv, sizeof *held);
  k->q = cmb_arena_take(arena, (size_t)s->nq, sizeof *k->q);
  k->v = cmb_arena_take(arena, (size_t)s->nv, sizeof *k->v);
  if (cmb_arena_failed(arena)) return cmb_fail_memory(ctx);
  mark_model_values(k);
  CMB_TRY(add_settings(ctx, k));
  for (int n = 0; n < s->ball_count; n++) design[s->ball_q[n]] = 1;
  for (int i = 0; i < s->nv; i++) turns[i] = s->rate_of[i] < 0 || s->angle[s->rate_of[i]];
  cmb_hold_task task = {.t = t,
                        .p = p,
                        .held = held,
                        .home_count = list_position(k, home),
                        .home = home,
                        .q_design = design,
                        .turns = turns,
                        .angle = s->angle};
  task.count = list_held(k, &task, held);
  return cmb_hold_start(ctx, k->eq, &task, k->x->q, k->x->v);
}

cmb_status cmb_start_hold(cmb_context *ctx, const cmb_model_system_options *o, const cmb_start *s,
                          const cmb_system *joints, const double *p, const cmb_start_values *x)
{
  cmb_arena *arena = cmb_arena_create(ctx);
  if (!arena) return cmb_fail_memory(ctx);
  struct given k = {.o = o, .s = s, .eq = &joints->eq, .x = x};
  const cmb_status status = hold(ctx, arena, &k, joints->t_start, p);
  cmb_arena_destroy(arena);
  return status;
}

/* ---- data that are kept */

struct cmb_start_source {
  cmb_arena *arena;
  cmb_model_system_options options; /* only formulation and settings */
  cmb_start *in_joints;
  cmb_start *in_bodies; /* NULL: the system has joint coordinates */
  cmb_system *joints;   /* system in joint coordinates; NULL: the system itself has them */
};

static void destroy(struct cmb_start_source *source)
{
  if (!source) return;
  cmb_start_destroy(source->in_joints);
  cmb_start_destroy(source->in_bodies);
  cmb_system_destroy(source->joints);
  cmb_arena_destroy(source->arena);
}

static cmb_status copy_settings(struct cmb_start_source *source, const cmb_model_system_options *o)
{
  cmb_setting *copy = cmb_arena_take(source->arena, (size_t)o->start_count, sizeof *copy);
  for (int k = 0; copy && k < o->start_count; k++) {
    copy[k] = (cmb_setting){cmb_arena_text(source->arena, o->start[k].name), o->start[k].value};
  }
  source->options = (cmb_model_system_options){
      .formulation = o->formulation, .start_count = o->start_count, .start = copy};
  return cmb_arena_failed(source->arena) ? CMB_ERROR_MEMORY : CMB_OK;
}

cmb_status cmb_start_keep(cmb_context *ctx, const cmb_model_system_options *o, cmb_start *in_joints,
                          cmb_start *in_bodies, cmb_system *joints, cmb_system *system)
{
  cmb_arena *arena = cmb_arena_create(ctx);
  struct cmb_start_source *source = arena ? cmb_arena_take(arena, 1, sizeof *source) : NULL;
  if (!source) {
    cmb_start_destroy(in_joints);
    cmb_start_destroy(in_bodies);
    cmb_system_destroy(joints);
    cmb_arena_destroy(arena);
    return cmb_fail_memory(ctx);
  }
  *source = (struct cmb_start_source){
      .arena = arena, .in_joints = in_joints, .in_bodies = in_bodies, .joints = joints};
  system->start = source;
  system->destroy_start = destroy;
  return copy_settings(source, o) == CMB_OK ? CMB_OK : cmb_fail_memory(ctx);
}

static bool is_rest(const cmb_start_change *change)
{
  return change->q < 0 && change->v < 0;
}

cmb_start_way cmb_start_way_of(const cmb_system *system)
{
  const struct cmb_start_source *source = system->start;
  if (!source || source->in_bodies) return CMB_START_FOUND;
  for (const cmb_start_change *c = system->first_change; c; c = c->next) {
    if (is_rest(c)) return CMB_START_FOUND;
  }
  const bool set = source->options.start_count > 0 || system->first_change;
  return set || system->eq.ng > 0 ? CMB_START_CLOSED : CMB_START_FORMULAS;
}

/* ---- finding start values again */

/* Fails with the message that the start value of the named coordinate or velocity is not finite. */
static cmb_status refuse(cmb_context *ctx, const char *name)
{
  return cmb_fail_about(
      ctx, CMB_ERROR_NONFINITE, cmb_about_thing("coordinate or velocity", name),
      "with these values of the live parameters the start value of '%s' is not finite", name);
}

static cmb_status check_finite(cmb_context *ctx, const cmb_equations *eq, const double *q,
                               const double *v)
{
  for (int i = 0; i < eq->nq; i++) {
    if (!isfinite(q[i])) return refuse(ctx, eq->q_names[i]);
  }
  for (int i = 0; i < eq->nv; i++) {
    if (!isfinite(v[i])) return refuse(ctx, eq->v_names[i]);
  }
  return CMB_OK;
}

static cmb_status take_values(cmb_context *ctx, cmb_arena *arena, const cmb_equations *eq,
                              cmb_start_values *x)
{
  x->q = cmb_arena_doubles(arena, eq->nq);
  x->v = cmb_arena_doubles(arena, eq->nv);
  x->q_given = cmb_arena_doubles(arena, eq->nq);
  x->v_given = cmb_arena_doubles(arena, eq->nv);
  return cmb_arena_failed(arena) ? cmb_fail_memory(ctx) : CMB_OK;
}

/* Computes start values x for the values p (np) of the parameters that can be changed after set-up: from the formulas and constraints of the
 * model in joint coordinates, then converted to the coordinates of the system. */
static cmb_status find(cmb_context *ctx, cmb_arena *arena, const cmb_system *system,
                       const double *p, const cmb_start_values *x)
{
  const struct cmb_start_source *source = system->start;
  const cmb_start *map = source->in_bodies ? source->in_bodies : source->in_joints;
  const cmb_system *joints = source->joints  ? source->joints
                             : system->whole ? system->whole
                                             : system;
  cmb_start_values in_joints;
  CMB_TRY(take_values(ctx, arena, &joints->eq, &in_joints));
  cmb_status status =
      cmb_start_of_model(source->in_joints, arena, p, in_joints.q_given, in_joints.v_given);
  if (status != CMB_OK) return cmb_fail_memory(ctx);
  CMB_TRY(check_finite(ctx, &joints->eq, in_joints.q_given, in_joints.v_given));
  CMB_TRY(cmb_start_hold(ctx, &source->options, source->in_joints, joints, p, &in_joints));
  status = cmb_start_place(map, arena, p, in_joints.q, in_joints.v, x->q, x->v);
  if (status == CMB_OK) {
    status = cmb_start_place(map, arena, p, in_joints.q_given, in_joints.v_given, x->q_given,
                             x->v_given);
  }
  if (status != CMB_OK) return cmb_fail_memory(ctx);
  CMB_TRY(check_finite(ctx, &system->eq, x->q, x->v));
  if (!source->joints) return CMB_OK;
  return cmb_start_set_bodies(ctx, &source->options, &joints->eq, &system->eq, x);
}

/* Applies to the start values x again, in the original order, all changes that the user made to the start of the system after it was created:
 * settings of single values and searches for an equilibrium. */
static cmb_status repeat_changes(cmb_context *ctx, const cmb_system *system, const double *p,
                                 cmb_start_values *x)
{
  for (const cmb_start_change *c = system->first_change; c; c = c->next) {
    cmb_equilibrium_report report;
    const bool rest = is_rest(c);
    cmb_start_change_make(c, x->q, x->v);
    cmb_start_change_make(c, x->q_given, x->v_given);
    if (rest) CMB_TRY(cmb_equilibrium_start(ctx, system, p, x->q, x->v, &report));
    x->as_given = x->as_given || rest;
  }
  return CMB_OK;
}

static void copy_own(const cmb_system *system, cmb_start_values *x)
{
  const size_t q_size = (size_t)system->eq.nq * sizeof *x->q;
  const size_t v_size = (size_t)system->eq.nv * sizeof *x->v;
  x->as_given = !system->q_given;
  memcpy(x->q, system->q, q_size);
  memcpy(x->v, system->v, v_size);
  if (x->as_given) return;
  memcpy(x->q_given, system->q_given, q_size);
  memcpy(x->v_given, system->v_given, v_size);
}

cmb_status cmb_start_again(cmb_context *ctx, const cmb_system *system, const double *p,
                           cmb_start_values *x)
{
  const cmb_equations *eq = &system->eq;
  const bool same = eq->np == 0 || memcmp(p, eq->p, (size_t)eq->np * sizeof *p) == 0;
  x->as_given = false;
  if (same || !system->start) {
    copy_own(system, x);
    return CMB_OK;
  }
  cmb_arena *arena = cmb_arena_create(ctx);
  if (!arena) return cmb_fail_memory(ctx);
  cmb_status status = find(ctx, arena, system, p, x);
  cmb_arena_destroy(arena);
  return status == CMB_OK ? repeat_changes(ctx, system, p, x) : status;
}

cmb_status cmb_system_start(cmb_context *ctx, const cmb_system *system, const double *p, double *q,
                            double *v)
{
  CMB_REQUIRE(ctx, ctx && system && q && v,
              "cmb_system_start needs a context, a system and places for q and v");
  const cmb_equations *eq = &system->eq;
  CMB_REQUIRE(ctx, !p || cmb_all_finite(eq->np, p), "a live parameter is not finite");
  cmb_start_values x;
  cmb_arena *arena = cmb_arena_create(ctx);
  if (!arena) return cmb_fail_memory(ctx);
  cmb_status status = take_values(ctx, arena, eq, &x);
  if (status == CMB_OK) status = cmb_start_again(ctx, system, p ? p : eq->p, &x);
  if (status == CMB_OK) {
    memcpy(q, x.q, (size_t)eq->nq * sizeof *q);
    memcpy(v, x.v, (size_t)eq->nv * sizeof *v);
  }
  cmb_arena_destroy(arena);
  return status;
}
