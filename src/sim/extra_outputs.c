/*
 * Evaluates, at the state of the result, the outputs of a second set of equations for the same motion (option `extra_equations`; run.h). Reports
 * obtain their forces in this way. The modes, the forces of closed contacts and the live parameters are those of the run. The run itself does not
 * depend on these outputs.
 *
 * While dry friction holds, outputs are mixed from those of its modes, as the forces are (dae/sliding.h). There are none (`known` is false) where
 * the forces of constraints, or those of friction and a closed contact along the same line, are not unique.
 */
#include "sim/run.h"

#include "math/finite.h"

bool cmb_extra_equations_fit(const cmb_equations *extra, const cmb_equations *eq)
{
  return extra && eq && eq->nq == extra->nq && eq->nv == extra->nv && eq->nz == extra->nz &&
         eq->ng == extra->ng && eq->ns == extra->ns && eq->np == extra->np &&
         eq->rule_count == extra->rule_count;
}

cmb_status cmb_extra_outputs_create(cmb_extra_outputs *w, cmb_context *ctx, cmb_arena *arena,
                                    const cmb_equations *eq, const cmb_equations *asked)
{
  *w = (cmb_extra_outputs){0};
  if (!asked || asked->no == 0) return CMB_OK;
  CMB_REQUIRE(ctx, cmb_extra_equations_fit(asked, eq),
              "the option `extra_equations` of a run needs equations of the same motion");
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
  const cmb_regime *regime = sim->regime;
  double *push = sim->extra.push;
  for (int k = 0; k < sim->eq->rule_count; k++) push[k] = 0;
  for (int k = 0; k < regime->closed_count; k++) {
    push[regime->closed_rule[k]] = lambda[sim->eq->ng + k] * regime->resting->unit[k];
  }
}

/* A query for the extra outputs at a state. */
struct question {
  const cmb_extra_outputs *w;
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

void cmb_run_evaluate_extra(cmb_simulation *sim, double t, const double *q, const double *v,
                            const double *a, const double *lambda)
{
  cmb_extra_outputs *w = &sim->extra;
  const cmb_regime *regime = sim->regime;
  w->known = false;
  if (!w->eq || (regime->mean && regime->mean->any)) return;
  if (sim->result.lambda_unique) return;
  const cmb_point of_run = cmb_evaluator_point(sim->ev, t, q, v);
  cmb_point at = of_run;
  const struct question x = {w, &at, a, lambda};
  at.scratch = w->scratch;
  if (!at.p) at.p = sim->eq->p;
  find_pushes(sim, lambda);
  const cmb_slide_question asked = {cmb_observed(w->eq), ask, &x};
  const cmb_status status =
      regime->sliding ? cmb_sliding_ask(regime->sliding, &of_run, &asked, w->modes, w->out)
                      : ask(&x, at.mode, w->out);
  w->known = status == CMB_OK && cmb_all_finite(w->eq->no, w->out);
}
