/*
 * Systems, which are equations with start values: creation, access, changes of start values; and the list of the bundled problems.
 */
#include "dae/system.h"

#include "base/context.h"
#include "base/text.h"
#include "dae/attach.h"

#include <math.h>
#include <string.h>

static const cmb_problem *const problems[] = {
    &cmb_problem_caraxis,
    &cmb_problem_circular_track,
    &cmb_problem_pendulum,
    &cmb_problem_pendulum_chain,
};

enum { PROBLEMS = sizeof problems / sizeof problems[0], MOST_PARAMETERS = 16 };

int cmb_problem_count(void)
{
  return PROBLEMS;
}

const cmb_problem *cmb_problem_at(int i)
{
  return i >= 0 && i < PROBLEMS ? problems[i] : NULL;
}

const cmb_problem *cmb_problem_find(const char *name)
{
  for (int i = 0; name && i < PROBLEMS; i++) {
    if (strcmp(problems[i]->name, name) == 0) return problems[i];
  }
  return NULL;
}

const char *cmb_problem_name(const cmb_problem *problem)
{
  return problem->name;
}

const char *cmb_problem_title(const cmb_problem *problem)
{
  return problem->title;
}

const char *cmb_problem_twin(const cmb_problem *problem)
{
  return problem->twin;
}

const cmb_parameter *cmb_problem_parameters(const cmb_problem *problem, int *count)
{
  *count = problem->parameter_count;
  return problem->parameters;
}

static cmb_status unknown_name(cmb_context *ctx, const char *where, const char *what,
                               const char *name, const void *names, int count, size_t stride)
{
  char hint[CMB_HINT_ROOM];
  return cmb_fail_about(ctx, CMB_ERROR_INPUT, cmb_about_thing(what, name), "%s has no %s '%s'; %s",
                        where, what, name, cmb_hint_of_names(name, names, count, stride, hint));
}

static cmb_status set_parameters(cmb_context *ctx, const cmb_problem *problem, int count,
                                 const cmb_setting *settings, double *values)
{
  const cmb_parameter *table = problem->parameters;
  int n = problem->parameter_count;
  for (int i = 0; i < n; i++) values[i] = table[i].value;
  for (int k = 0; k < count; k++) {
    CMB_REQUIRE(ctx, settings[k].name, "a parameter has no name");
    int i = cmb_find_name(settings[k].name, table, n, sizeof *table);
    if (i < 0) {
      return unknown_name(ctx, problem->name, "parameter", settings[k].name, table, n,
                          sizeof *table);
    }
    double value = settings[k].value;
    if (!(value >= table[i].min && value <= table[i].max) ||
        (table[i].integer && value != floor(value))) {
      return cmb_fail_about(ctx, CMB_ERROR_INPUT, cmb_about_thing("parameter", table[i].name),
                            "%s: parameter %s = %s; expected %s from %s to %s", problem->name,
                            table[i].name, cmb_shortest(value).text,
                            table[i].integer ? "a whole number" : "a number",
                            cmb_shortest(table[i].min).text, cmb_shortest(table[i].max).text);
    }
    values[i] = value;
  }
  return CMB_OK;
}

cmb_system *cmb_system_new(cmb_context *ctx)
{
  cmb_arena *arena = cmb_arena_create(ctx);
  if (!arena) return NULL;
  cmb_system *system = cmb_arena_take(arena, 1, sizeof *system);
  if (!system) {
    cmb_arena_destroy(arena);
    return NULL;
  }
  system->ctx = ctx;
  system->arena = arena;
  return system;
}

cmb_status cmb_problem_create(cmb_context *ctx, const cmb_problem *problem, int count,
                              const cmb_setting *settings, cmb_system **out)
{
  double values[MOST_PARAMETERS];
  CMB_REQUIRE(ctx, ctx && out, "cmb_problem_create needs a context and a place for the system");
  *out = NULL;
  CMB_REQUIRE(ctx, problem, "cmb_problem_create needs a problem");
  CMB_REQUIRE(ctx, count == 0 || (count > 0 && settings), "the parameters are missing");
  CMB_TRY(set_parameters(ctx, problem, count, settings, values));
  cmb_system *system = cmb_system_new(ctx);
  if (!system) return cmb_fail_memory(ctx);
  system->eq.name = problem->name;
  cmb_status status = problem->build(system, values);
  if (status == CMB_OK && cmb_arena_failed(system->arena)) status = cmb_fail_memory(ctx);
  if (status != CMB_OK) {
    cmb_system_destroy(system);
    return status;
  }
  *out = system;
  return CMB_OK;
}

cmb_status cmb_system_create(cmb_context *ctx, const cmb_equations *equations, double t_start,
                             double t_end, const double *q, const double *v, cmb_system **out)
{
  CMB_REQUIRE(ctx, ctx && out, "cmb_system_create needs a context and a place for the system");
  *out = NULL;
  CMB_TRY(cmb_equations_check(ctx, equations));
  CMB_REQUIRE(ctx, isfinite(t_start) && isfinite(t_end), "start or end time is not finite");
  CMB_REQUIRE(ctx, q && v, "the start values q or v are missing");
  cmb_system *system = cmb_system_new(ctx);
  if (!system) return cmb_fail_memory(ctx);
  system->eq = *equations;
  system->t_start = t_start;
  system->t_end = t_end;
  system->q = cmb_arena_doubles(system->arena, equations->nq);
  system->v = cmb_arena_doubles(system->arena, equations->nv);
  if (cmb_arena_failed(system->arena)) {
    cmb_system_destroy(system);
    return cmb_fail_memory(ctx);
  }
  memcpy(system->q, q, (size_t)equations->nq * sizeof *q);
  memcpy(system->v, v, (size_t)equations->nv * sizeof *v);
  *out = system;
  return CMB_OK;
}

const char *const *cmb_system_left_out(const cmb_system *system, int *count)
{
  *count = system->left_out_count;
  return system->left_out;
}

const bool *cmb_system_shared_multipliers(const cmb_system *system)
{
  return system->lambda_shared;
}

const bool *cmb_system_shared_outputs(const cmb_system *system)
{
  return system->output_shared;
}

void cmb_system_destroy(cmb_system *system)
{
  if (!system) return;
  cmb_system_destroy(system->whole);
  if (system->destroy_start) system->destroy_start(system->start);
  if (system->destroy) system->destroy(system);
  cmb_arena_destroy(system->arena);
}

const cmb_equations *cmb_system_equations(const cmb_system *system)
{
  return system ? &system->eq : NULL;
}

double cmb_system_t_start(const cmb_system *system)
{
  return system ? system->t_start : NAN;
}

double cmb_system_t_end(const cmb_system *system)
{
  return system ? system->t_end : NAN;
}

const double *cmb_system_q(const cmb_system *system)
{
  return system ? system->q : NULL;
}

const double *cmb_system_v(const cmb_system *system)
{
  return system ? system->v : NULL;
}

cmb_status cmb_start_change_find(cmb_context *ctx, const cmb_equations *eq,
                                 const cmb_setting *setting, cmb_start_change *change)
{
  const char *name = setting->name;
  *change = (cmb_start_change){.q = -1, .v = -1};
  CMB_REQUIRE(ctx, name, "a start value has no name");
  const int q = cmb_find_name(name, eq->q_names, eq->nq, sizeof *eq->q_names);
  const int v = q >= 0 ? -1 : cmb_find_name(name, eq->v_names, eq->nv, sizeof *eq->v_names);
  *change = (cmb_start_change){.q = q, .v = v, .value = setting->value};
  if (q >= 0 || v >= 0) return CMB_OK;
  const bool is_velocity = !cmb_nearest_name(name, eq->q_names, eq->nq, sizeof *eq->q_names) &&
                           cmb_nearest_name(name, eq->v_names, eq->nv, sizeof *eq->v_names);
  return unknown_name(
      ctx, eq->name, eq->nz > 0 ? "coordinate, velocity or state" : "coordinate or velocity", name,
      is_velocity ? eq->v_names : eq->q_names, is_velocity ? eq->nv : eq->nq, sizeof *eq->q_names);
}

void cmb_start_change_make(const cmb_start_change *change, double *q, double *v)
{
  if (change->q >= 0) q[change->q] = change->value;
  if (change->v >= 0) v[change->v] = change->value;
}

cmb_status cmb_start_change_note(cmb_context *ctx, cmb_system *system,
                                 const cmb_start_change *change)
{
  if (!system->start) return CMB_OK;
  cmb_start_change *noted = cmb_arena_take(system->arena, 1, sizeof *noted);
  if (!noted) return cmb_fail_memory(ctx);
  *noted = *change;
  noted->next = NULL;
  if (system->last_change) system->last_change->next = noted;
  if (!system->first_change) system->first_change = noted;
  system->last_change = noted;
  return CMB_OK;
}

cmb_status cmb_system_set_start(cmb_context *ctx, cmb_system *system, int count,
                                const cmb_setting *settings)
{
  CMB_REQUIRE(ctx, system, "cmb_system_set_start needs a system");
  CMB_REQUIRE(ctx, count == 0 || (count > 0 && settings), "the start values are missing");
  if (count > 0) system->frame = NULL; /* the start is no steady motion any more */
  for (int k = 0; k < count; k++) {
    cmb_start_change change;
    CMB_TRY(cmb_start_change_find(ctx, &system->eq, &settings[k], &change));
    CMB_TRY(cmb_start_change_note(ctx, system, &change));
    cmb_start_change_make(&change, system->q, system->v);
    if (system->q_given) cmb_start_change_make(&change, system->q_given, system->v_given);
  }
  return CMB_OK;
}
