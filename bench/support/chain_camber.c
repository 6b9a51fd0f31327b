/*
 * The chain evaluated by Camber (chain_code.h): model, mechanism, equations, and one call of them.
 */
#include "support/chain_code.h"

#include "chain.h"
#include "dae/graph_system.h"
#include "dae/system.h"
#include "dyn/mechanism.h"

#include <stdlib.h>

struct run {
  cmb_context *ctx;
  cmb_model *model;
  cmb_mechanism *mechanism;
  cmb_system *system;
  const cmb_equations *eq;
  bench_chain_state state;
  bench_quantity what;
  double *scratch;   /* aligned to 64 bytes, as the equations require */
  double *result;    /* (n) */
  double *jacobians; /* (2 n²) */
};

static cmb_point point_of(const struct run *r)
{
  return (cmb_point){.t = 0, .q = r->state.q, .v = r->state.v, .scratch = r->scratch};
}

static void explicit_form(void *self)
{
  struct run *r = self;
  cmb_point at = point_of(r);
  (void)r->eq->accelerate(r->eq->self, &at, r->result, r->state.lambda);
}

static void residual_form(void *self)
{
  struct run *r = self;
  cmb_point at = point_of(r);
  (void)r->eq->residual(r->eq->self, &at, r->state.a, r->state.lambda, r->result);
}

static void jacobian(void *self)
{
  struct run *r = self;
  const cmb_equations *eq = r->eq;
  cmb_point at = point_of(r);
  double *J = r->jacobians, *Jv = J + (size_t)eq->nv * (size_t)eq->nv;
  (void)eq->derivative(eq->self, &at, r->state.a, r->state.lambda, CMB_RESIDUAL_Q, J);
  (void)eq->derivative(eq->self, &at, r->state.a, r->state.lambda, CMB_RESIDUAL_V, Jv);
}

static void destroy(void *self)
{
  struct run *r = self;
  cmb_system_destroy(r->system);
  cmb_mechanism_destroy(r->mechanism);
  cmb_model_destroy(r->model);
  cmb_context_destroy(r->ctx);
  bench_chain_state_destroy(&r->state);
  free(r->scratch);
  free(r->result);
  free(r->jacobians);
  free(r);
}

static bool prepare(struct run *r, int n, bool native)
{
  const cmb_graph_options options = {.evaluation =
                                         native ? CMB_EVALUATE_NATIVE : CMB_EVALUATE_INTERPRETER,
                                     .derivatives = r->what == BENCH_JACOBIAN,
                                     .explicit_form = r->what == BENCH_EXPLICIT,
                                     .residual_form = r->what == BENCH_RESIDUAL};
  const cmb_mechanism_options form = {.formulation = r->what == BENCH_EXPLICIT ? CMB_FORM_EXPLICIT
                                                                               : CMB_FORM_RESIDUAL};
  r->ctx = cmb_context_create(NULL);
  r->model = r->ctx ? cmbt_chain_create(r->ctx, n) : NULL;
  if (!r->model || cmb_mechanism_create(r->ctx, r->model, &form, &r->mechanism) != CMB_OK) {
    return false;
  }
  cmb_status status =
      cmb_graph_system_create(r->ctx, &r->mechanism->expressions, &options, &r->system);
  if (status != CMB_OK) return false;
  if (native && cmb_system_origin(r->system) == CMB_NATIVE_INTERPRETED) return false;
  r->eq = cmb_system_equations(r->system);
  size_t room = (r->eq->scratch_size / 64 + 1) * 64, size = (size_t)n;
  r->scratch = aligned_alloc(64, room);
  r->result = calloc(size, sizeof *r->result);
  if (r->what == BENCH_JACOBIAN) r->jacobians = calloc(2 * size * size, sizeof *r->jacobians);
  return bench_chain_state_create(n, &r->state) && r->scratch && r->result;
}

bool bench_chain_camber(int n, bench_quantity what, bool native, bench_chain_code *code)
{
  static void (*const runs[])(void *) = {explicit_form, residual_form, jacobian};
  struct run *r = calloc(1, sizeof *r);
  if (!r) return false;
  r->what = what;
  if (!prepare(r, n, native)) {
    destroy(r);
    return false;
  }
  *code = (bench_chain_code){r, runs[what], what == BENCH_JACOBIAN ? NULL : r->result, destroy};
  return true;
}
