/*
 * Outputs of other equations of the same motion (run.h), which a report asks for beside those of the run. The witness says what these are at
 * the state of the result: with its modes, the forces of rests and the live parameters that the run has. It is asked for nothing else, so that
 * the run does not depend on it. Where the forces of constraints are not determined, or friction that holds mixes two modes, it says nothing.
 */
#include "sim/run.h"

#include "math/finite.h"

bool cmb_can_witness(const cmb_equations *witness, const cmb_equations *eq)
{
  return witness && eq && eq->nq == witness->nq && eq->nv == witness->nv && eq->nz == witness->nz &&
         eq->ng == witness->ng && eq->ns == witness->ns && eq->np == witness->np &&
         eq->rule_count == witness->rule_count;
}

cmb_status cmb_witness_create(cmb_witness *w, cmb_context *ctx, cmb_arena *arena,
                              const cmb_equations *eq, const cmb_equations *asked)
{
  *w = (cmb_witness){0};
  if (!asked || asked->no == 0) return CMB_OK;
  CMB_REQUIRE(ctx, cmb_can_witness(asked, eq),
              "the option `witness` of a run needs equations of the same motion");
  w->eq = asked;
  w->out = cmb_arena_doubles(arena, cmb_observed(asked));
  w->push = cmb_arena_doubles(arena, asked->rule_count);
  w->scratch = cmb_arena_take(arena, asked->scratch_size, 1);
  return CMB_OK;
}

/* Forces of rests, in the order of rules. */
static void find_pushes(const cmb_simulation *sim, const double *lambda)
{
  const cmb_stage *stage = sim->stage;
  double *push = sim->witness.push;
  for (int k = 0; k < sim->eq->rule_count; k++) push[k] = 0;
  for (int k = 0; k < stage->rest_count; k++) {
    push[stage->rest[k]] = lambda[sim->eq->ng + k] * stage->resting->unit[k];
  }
}

void cmb_run_ask_witness(cmb_simulation *sim, double t, const double *q, const double *v,
                         const double *a, const double *lambda)
{
  cmb_witness *w = &sim->witness;
  const cmb_stage *stage = sim->stage;
  w->knows = false;
  if (!w->eq || stage->sliding || (stage->mean && stage->mean->any)) return;
  if (sim->result.lambda_unique) return;
  cmb_point at = cmb_evaluator_point(sim->ev, t, q, v);
  at.scratch = w->scratch;
  if (!at.p) at.p = sim->eq->p;
  find_pushes(sim, lambda);
  const cmb_status status =
      w->eq->outputs_at_rest ? w->eq->outputs_at_rest(w->eq->self, &at, a, lambda, w->push, w->out)
                             : w->eq->outputs(w->eq->self, &at, a, lambda, w->out);
  w->knows = status == CMB_OK && cmb_all_finite(w->eq->no, w->out);
}
