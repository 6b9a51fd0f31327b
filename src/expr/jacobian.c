/*
 * Evaluates sparse Jacobians (cmb_jacobian_create, cmb_jacobian_run): by a program for one directional derivative, with the direction as
 * further inputs, which is run for groups of columns, CMB_LANES groups at a time. The groups come from a colouring of the exact pattern.
 *
 *     program: (x, ẋ) ↦ J(x) ẋ.   Lane l has ẋ_j = 1 for the columns j of group l, 0 elsewhere; row i of the
 *     result is then J_ij for the one column j of the group that row i has.
 */
#include "base/context.h"
#include "expr/graph.h"
#include "expr/program.h"
#include "expr/sparsity.h"
#include "math/colour.h"

#include <camber/expr.h>
#include <stdio.h>
#include <string.h>

enum { NAME_ROOM = 32 };

struct cmb_jacobian {
  cmb_arena *arena;
  cmb_program *program;
  cmb_pattern pattern;
  int inputs, wrt;
  int *group; /* (wrt) group of each column: columns of a group share no row */
  int groups;
};

/* Creates the inputs direction[wrt] of a program that computes directional derivatives: the components of the direction. Their names differ
 * from all names in formulas. */
static cmb_status directions(cmb_graph *g, int wrt, cmb_expr *direction)
{
  const uint32_t size = cmb_graph_size(g);
  for (int j = 0; j < wrt; j++) {
    char name[NAME_ROOM];
    snprintf(name, sizeof name, "direction %u.%d", (unsigned)size, j);
    direction[j] = cmb_input(g, name);
  }
  return cmb_graph_status(g);
}

static cmb_status make_program(cmb_context *ctx, cmb_graph *g, cmb_jacobian *jacobian,
                               const cmb_expr *input, const cmb_expr *wrt, int outputs,
                               const cmb_expr *output)
{
  int inputs = jacobian->inputs, columns = jacobian->wrt;
  cmb_expr *all = cmb_arena_take(jacobian->arena, (size_t)inputs + (size_t)columns, sizeof *all);
  cmb_expr *result = cmb_arena_take(jacobian->arena, (size_t)outputs, sizeof *result);
  if (cmb_arena_failed(jacobian->arena)) return cmb_fail_memory(ctx);
  memcpy(all, input, (size_t)inputs * sizeof *all);
  CMB_TRY(directions(g, columns, all + inputs));
  CMB_TRY(cmb_forward(g, columns, wrt, all + inputs, outputs, output, result));
  return cmb_program_create_for_lanes(ctx, g, inputs + columns, all, outputs, result,
                                      &jacobian->program);
}

static cmb_status make_groups(cmb_context *ctx, cmb_graph *g, cmb_jacobian *jacobian,
                              const cmb_expr *wrt, int outputs, const cmb_expr *output)
{
  CMB_TRY(
      cmb_sparsity(g, jacobian->arena, jacobian->wrt, wrt, outputs, output, &jacobian->pattern));
  jacobian->group = cmb_arena_ints(jacobian->arena, jacobian->wrt);
  if (cmb_arena_failed(jacobian->arena)) return cmb_fail_memory(ctx);
  return cmb_colour_columns(ctx, &jacobian->pattern, jacobian->group, &jacobian->groups);
}

cmb_status cmb_jacobian_create(cmb_context *ctx, cmb_graph *g, int inputs, const cmb_expr *input,
                               int wrt_count, const cmb_expr *wrt, int outputs,
                               const cmb_expr *output, cmb_jacobian **out)
{
  CMB_REQUIRE(ctx, ctx && out, "cmb_jacobian_create needs a context and a place for the Jacobian");
  *out = NULL;
  CMB_REQUIRE(ctx, g, "cmb_jacobian_create needs a graph");
  CMB_TRY(cmb_graph_status(g));
  CMB_REQUIRE(ctx,
              cmb_graph_has(g, inputs, input) && cmb_graph_has(g, wrt_count, wrt) &&
                  cmb_graph_has(g, outputs, output),
              "cmb_jacobian_create needs expressions of the graph");
  cmb_arena *arena = cmb_arena_create(ctx);
  cmb_jacobian *jacobian = arena ? cmb_arena_take(arena, 1, sizeof *jacobian) : NULL;
  if (!jacobian) {
    cmb_arena_destroy(arena);
    return cmb_fail_memory(ctx);
  }
  *jacobian = (cmb_jacobian){.arena = arena, .inputs = inputs, .wrt = wrt_count};
  cmb_status status = make_groups(ctx, g, jacobian, wrt, outputs, output);
  if (status == CMB_OK) {
    status = make_program(ctx, g, jacobian, input, wrt, outputs, output);
  }
  if (status != CMB_OK) {
    cmb_jacobian_destroy(jacobian);
    return status;
  }
  *out = jacobian;
  return CMB_OK;
}

void cmb_jacobian_destroy(cmb_jacobian *jacobian)
{
  if (!jacobian) return;
  cmb_program_destroy(jacobian->program);
  cmb_arena_destroy(jacobian->arena);
}

const cmb_pattern *cmb_jacobian_pattern(const cmb_jacobian *jacobian)
{
  return &jacobian->pattern;
}

int cmb_jacobian_groups(const cmb_jacobian *jacobian)
{
  return jacobian->groups;
}

const cmb_program *cmb_jacobian_program(const cmb_jacobian *jacobian)
{
  return jacobian->program;
}

int cmb_jacobian_work(const cmb_jacobian *jacobian)
{
  int rows = cmb_program_inputs(jacobian->program) + cmb_program_outputs(jacobian->program);
  return CMB_LANES * (rows + cmb_program_work(jacobian->program));
}

/* Fills `lanes`, the inputs of CMB_LANES simultaneous evaluations of a directional derivative. All lanes get the arguments in[]; lane l gets
 * the direction that is 1 for the columns in group first + l and 0 for all others. */
static void fill_lanes(const cmb_jacobian *jacobian, const double *in, int first, double *lanes)
{
  for (int i = 0; i < jacobian->inputs; i++) {
    for (int l = 0; l < CMB_LANES; l++) lanes[i * CMB_LANES + l] = in[i];
  }
  double *direction = lanes + jacobian->inputs * CMB_LANES;
  for (int j = 0; j < jacobian->wrt; j++) {
    for (int l = 0; l < CMB_LANES; l++) {
      direction[j * CMB_LANES + l] = jacobian->group[j] == first + l ? 1 : 0;
    }
  }
}

static void gather(const cmb_jacobian *jacobian, const double *lanes, int first, double *values)
{
  const cmb_pattern *p = &jacobian->pattern;
  for (int i = 0; i < p->rows; i++) {
    for (int k = p->start[i]; k < p->start[i + 1]; k++) {
      int lane = jacobian->group[p->column[k]] - first;
      if (lane >= 0 && lane < CMB_LANES) values[k] = lanes[i * CMB_LANES + lane];
    }
  }
}

/* Computes values[], the structurally nonzero entries of the Jacobian at in[], by directional derivatives for CMB_LANES groups of columns at a
 * time: with program i of the code `native` or, if that is NULL, by the interpreter. Overwrites work[]. */
static void run(const cmb_jacobian *jacobian, const cmb_native *native, int i, const double *in,
                double *values, double *work)
{
  double *lanes = work;
  double *results = lanes + CMB_LANES * cmb_program_inputs(jacobian->program);
  double *slots = results + CMB_LANES * cmb_program_outputs(jacobian->program);
  for (int first = 0; first < jacobian->groups; first += CMB_LANES) {
    fill_lanes(jacobian, in, first, lanes);
    if (native) {
      cmb_native_run_lanes(native, i, lanes, results, slots);
    } else {
      cmb_program_run_lanes(jacobian->program, lanes, results, slots);
    }
    gather(jacobian, results, first, values);
  }
}

void cmb_jacobian_run(const cmb_jacobian *jacobian, const double *in, double *values, double *work)
{
  run(jacobian, NULL, 0, in, values, work);
}

void cmb_jacobian_run_native(const cmb_jacobian *jacobian, const cmb_native *native, int i,
                             const double *in, double *values, double *work)
{
  run(jacobian, native, i, in, values, work);
}
