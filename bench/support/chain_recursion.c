/*
 * The O(N) recursions of the chain and nothing else (chain_code.h): programs made straight from them, without the mass matrix,
 * whose N² entries are all there for a chain.
 */
#include "support/chain_code.h"

#include "chain.h"
#include "dyn/recursion.h"

#include <stdlib.h>

struct run {
  cmb_context *ctx;
  cmb_model *model;
  cmb_arena *arena;
  cmb_graph *graph;
  cmb_program *program;
  cmb_native *native; /* NULL: interpreted */
  double *in, *out, *work;
};

static void run_program(void *self)
{
  struct run *r = self;
  if (r->native) {
    cmb_native_run(r->native, 0, r->in, r->out, r->work);
  } else {
    cmb_program_run(r->program, r->in, r->out, r->work);
  }
}

static void destroy(void *self)
{
  struct run *r = self;
  cmb_native_destroy(r->native);
  cmb_program_destroy(r->program);
  cmb_graph_destroy(r->graph);
  cmb_arena_destroy(r->arena);
  cmb_model_destroy(r->model);
  cmb_context_destroy(r->ctx);
  free(r->in);
  free(r->out);
  free(r->work);
  free(r);
}

static bool build(cmb_kinematics *k, bench_quantity what, cmb_expr *result)
{
  const size_t n = (size_t)k->tree->nv;
  cmb_wrench *on = cmb_arena_take(k->arena, n, sizeof *on);
  cmb_expr *u = cmb_arena_take(k->arena, n, sizeof *u);
  cmb_articulation *w;
  if (!on || !u) return false;
  cmb_newton_euler(k, what == BENCH_RESIDUAL ? k->a : NULL, on);
  if (what == BENCH_RESIDUAL) {
    cmb_wrenches_project(k, CMB_GROUND, on, result);
    return true;
  }
  if (cmb_articulate(k, &w) != CMB_OK) return false;
  cmb_articulation_half(w, u, on);
  cmb_articulation_accelerate(w, u, result);
  return true;
}

static bool make_program(struct run *r, int n, bench_quantity what)
{
  cmb_tree *tree;
  cmb_kinematics *k;
  r->ctx = cmb_context_create(NULL);
  r->model = r->ctx ? cmbt_chain_create(r->ctx, n) : NULL;
  r->arena = r->model ? cmb_arena_create(r->ctx) : NULL;
  if (!r->arena || cmb_graph_create(r->ctx, &r->graph) != CMB_OK) return false;
  cmb_expr *in = cmb_arena_take(r->arena, 3 * (size_t)n, sizeof *in);
  cmb_expr *out = cmb_arena_take(r->arena, (size_t)n, sizeof *out);
  if (!in || !out || cmb_tree_create(r->arena, r->graph, r->model, &tree) != CMB_OK) return false;
  if (cmb_kinematics_create(r->arena, r->graph, tree, &k) != CMB_OK) return false;
  for (int i = 0; i < n; i++) in[i] = k->q[i], in[n + i] = k->v[i], in[2 * n + i] = k->a[i];
  return build(k, what, out) &&
         cmb_program_create(r->ctx, r->graph, 3 * n, in, n, out, &r->program) == CMB_OK;
}

static bool prepare(struct run *r, int n, bench_quantity what, bool native)
{
  bench_chain_state s = {0};
  if (!make_program(r, n, what)) return false;
  const cmb_native_options options = {.no_lanes = true};
  const cmb_program *list[] = {r->program};
  if (native && cmb_native_create(r->ctx, 1, list, &options, &r->native) != CMB_OK) return false;
  r->in = calloc(3 * (size_t)n, sizeof *r->in);
  r->out = calloc((size_t)n, sizeof *r->out);
  r->work = calloc((size_t)cmb_program_work(r->program), sizeof *r->work);
  bool good = r->in && r->out && r->work && bench_chain_state_create(n, &s);
  for (int i = 0; good && i < n; i++) {
    r->in[i] = s.q[i], r->in[n + i] = s.v[i], r->in[2 * n + i] = s.a[i];
  }
  bench_chain_state_destroy(&s);
  return good && (!native || cmb_native_where_from(r->native) != CMB_NATIVE_INTERPRETED);
}

bool bench_chain_recursion(int n, bench_quantity what, bool native, bench_chain_code *code,
                           int *operations)
{
  struct run *r = calloc(1, sizeof *r);
  if (!r) return false;
  if (!prepare(r, n, what, native)) {
    destroy(r);
    return false;
  }
  *operations = cmb_program_instructions(r->program);
  *code = (bench_chain_code){r, run_program, r->out, destroy};
  return true;
}
