/*
 * Outputs of other equations of the same motion (run.h), which a report asks for beside those of the run. The witness says what these are at
 * the state of the result: with its modes, the forces of rests and the live parameters that the run has. It is asked for nothing else, so that
 * the run does not depend on it. While dry friction holds, what it says is mixed of modes as the forces are (dae/sliding.h). Where the forces of constraints, or those of
 * friction and a rest along the same line, are not determined it says nothing.
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
  w->modes = cmb_arena_doubles(arena, 2 * cmb_observed(asked));
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

/* A question to the witness at a state. */
struct question {
  const cmb_witness *w;
  const cmb_point *at;
  const double *a, *lambda;
};

static cmb_status ask(const void *user, const int *mode, double *out)
{
  const struct question *x = user;
  const cmb_equations *eq = x->w->eq;
  cmb_point at = *x->at;
  at.mode = mode;
  return eq->outputs_at_rest ? eq->outputs_at_rest(eq->self, &at, x->a, x->lambda, x->w->push, out)
                             : eq->outputs(eq->self, &at, x->a, x->lambda, out);
}

void cmb_run_ask_witness(cmb_simulation *sim, double t, const double *q, const double *v,
                         const double *a, const double *lambda)
{
  cmb_witness *w = &sim->witness;
  const cmb_stage *stage = sim->stage;
  w->knows = false;
  if (!w->eq || (stage->mean && stage->mean->any)) return;
  if (sim->result.lambda_unique) return;
  const cmb_point of_run = cmb_evaluator_point(sim->ev, t, q, v);
  cmb_point at = of_run;
  const struct question x = {w, &at, a, lambda};
  at.scratch = w->scratch;
  if (!at.p) at.p = sim->eq->p;
  find_pushes(sim, lambda);
  const cmb_slide_question asked = {cmb_observed(w->eq), ask, &x};
  const cmb_status status = stage->sliding
                                ? cmb_sliding_ask(stage->sliding, &of_run, &asked, w->modes, w->out)
                                : ask(&x, at.mode, w->out);
  w->knows = status == CMB_OK && cmb_all_finite(w->eq->no, w->out);
}
