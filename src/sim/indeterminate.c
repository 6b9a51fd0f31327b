/*
 * Marks multipliers and outputs that are not unique because contact forces are indeterminate (run.h). A contact that touches without a force,
 * d = ḋ = d̈ = 0, and whose gradient U depends on the constraints and the closed contacts, U = Gᵀτ, could carry load as well: with any force θ of
 * its own and λ − θ τ in place of λ the motion is the same. So multipliers with τ_i ≠ 0, and outputs that change with θ, are not unique. Their values
 * are those of the active contacts that were selected.
 */
#include "sim/run.h"

#include <math.h>

static const double NONE = 1e-9;      /* an acceleration, beside the terms that it is made of */
static const double SHARE = 1e-6;     /* a part of τ, or of an output, that counts */
static const double ROUNDING = 1e-12; /* of an output, beside the force that is tried */

/* Whether the contact of a rule touches and neither opens nor closes; the surfaces have been found. */
static bool touches(const cmb_simulation *sim, int rule, const double *v, const double *a)
{
  const cmb_evaluator *ev = sim->ev;
  const double size = cmb_surface_size(ev, rule), limit = sim->options.integrator.atol * size;
  double *row = sim->indeterminate.row;
  double rate = ev->ut[rule], second = ev->u_gamma[rule], terms = fabs(second);
  if (!sim->eq->rules[rule].gap || sim->closed[rule] || !(fabs(ev->u[rule]) <= limit)) return false;
  cmb_surface_row(ev, rule, row);
  for (int i = 0; i < sim->eq->nv; i++) {
    rate += row[i] * v[i];
    second += row[i] * a[i];
    terms += fabs(row[i] * a[i]);
  }
  return fabs(rate) <= limit && fabs(second) <= limit + NONE * terms;
}

/* Whether the constraints and rests hold the contact whose gradient has been written out: τ. */
static bool depends(const cmb_simulation *sim)
{
  const cmb_indeterminate *x = &sim->indeterminate;
  return !cmb_impact_respond(sim->impact, x->row, x->response, x->tau);
}

void cmb_run_note_unique(cmb_simulation *sim)
{
  const bool *unique = sim->indeterminate.output_unique;
  sim->result.outputs_unique = NULL;
  for (int i = 0; i < sim->eq->no; i++) {
    if (!unique[i]) sim->result.outputs_unique = unique;
  }
}

/* The outputs with the force θ of the contact of this rule, into out. */
static cmb_status outputs_with(const cmb_simulation *sim, const cmb_point *at, const double *a,
                               const double *lambda, int rule, double theta, double *out)
{
  const cmb_indeterminate *x = &sim->indeterminate;
  const cmb_equations *eq = sim->eq;
  const cmb_regime *regime = sim->regime;
  for (int i = 0; i < regime->eq->ng; i++) x->lambda[i] = lambda[i] - theta * x->tau[i];
  for (int k = 0; k < eq->rule_count; k++) x->push[k] = 0;
  for (int k = 0; k < regime->closed_count; k++) {
    x->push[regime->closed_rule[k]] = x->lambda[eq->ng + k] * regime->resting->unit[k];
  }
  x->push[rule] = theta;
  return eq->outputs_at_rest(eq->self, at, a, x->lambda, x->push, out);
}

/* Outputs that change with the force of the contact of this rule. */
static cmb_status mark_outputs(cmb_simulation *sim, const cmb_point *at, const double *a,
                               const double *lambda, int rule)
{
  cmb_indeterminate *x = &sim->indeterminate;
  const int no = sim->eq->no, all = cmb_observed(sim->eq);
  double theta = 1;
  if (no == 0 || !sim->eq->outputs_at_rest) return CMB_OK;
  for (int i = 0; i < sim->ev->eq->ng; i++) theta = fmax(theta, fabs(lambda[i]));
  CMB_TRY(outputs_with(sim, at, a, lambda, rule, 0, x->out));
  CMB_TRY(outputs_with(sim, at, a, lambda, rule, theta, x->out + all));
  for (int i = 0; i < no; i++) {
    const double one = x->out[i], other = x->out[all + i], change = fabs(other - one);
    const bool counts = change > SHARE * fmax(fabs(one), fabs(other)) && change > ROUNDING * theta;
    x->output_unique[i] = x->output_unique[i] && !counts;
  }
  cmb_run_note_unique(sim);
  return CMB_OK;
}

/* Multipliers with a part in τ; all: none has been marked yet. */
static void mark_multipliers(cmb_simulation *sim, bool all)
{
  const cmb_indeterminate *x = &sim->indeterminate;
  const int ng = sim->ev->eq->ng;
  bool *unique = sim->unique;
  double most = 0;
  for (int i = 0; i < ng; i++) most = fmax(most, fabs(x->tau[i]));
  for (int i = 0; i < ng; i++) {
    unique[i] = (all || unique[i]) && !(fabs(x->tau[i]) > SHARE * most);
  }
  sim->result.lambda_unique = unique;
}

static cmb_status look(cmb_simulation *sim, double t, const double *q, const double *v,
                       const double *a, const double *lambda)
{
  const cmb_point at = cmb_evaluator_point(sim->ev, t, q, v);
  bool factored = false, all = !sim->result.lambda_unique;
  CMB_TRY(cmb_surfaces(sim->ev, t, q, v));
  for (int k = 0; k < sim->eq->rule_count; k++) {
    if (!touches(sim, k, v, a)) continue;
    if (!factored) CMB_TRY(cmb_factor_at(sim->ev, t, q));
    factored = true;
    if (!depends(sim)) continue;
    mark_multipliers(sim, all);
    all = false;
    CMB_TRY(mark_outputs(sim, &at, a, lambda, k));
  }
  return CMB_OK;
}

cmb_status cmb_run_mark_indeterminate(cmb_simulation *sim, double t, const double *q,
                                      const double *v, const double *a, const double *lambda)
{
  const cmb_statistics statistics = sim->ev->stats;
  if (sim->contacts.most == 0 || sim->ev->eq->ng == 0) return CMB_OK;
  cmb_status status = look(sim, t, q, v, a, lambda);
  sim->ev->stats = statistics;
  return cmb_run_final(sim, status, "forces of contacts", t);
}

void cmb_indeterminate_create(cmb_indeterminate *x, cmb_arena *arena, const cmb_equations *eq)
{
  const int ng = eq->ng + eq->rule_count;
  x->row = cmb_arena_doubles(arena, eq->nv);
  x->response = cmb_arena_doubles(arena, eq->nv);
  x->tau = cmb_arena_doubles(arena, ng);
  x->lambda = cmb_arena_doubles(arena, ng);
  x->push = cmb_arena_doubles(arena, eq->rule_count);
  x->out = cmb_arena_doubles(arena, 2 * cmb_observed(eq));
  x->output_unique = cmb_arena_take(arena, (size_t)eq->no, sizeof *x->output_unique);
}
