/*
 * Creates and runs the programs of a real-time step of fixed cost (stepper.h).
 */
#include "method/stepper.h"

#include "base/context.h"
#include "dae/code.h"
#include "math/finite.h"
#include "math/pattern.h"

#include <string.h>

cmb_stepper_outputs cmb_stepper_places(const cmb_equations *eq, const cmb_step_options *o)
{
  cmb_stepper_outputs p = {.v = eq->nq};
  p.lambda = p.v + eq->nv;
  p.a = p.lambda + eq->ng;
  p.health = p.a + eq->nv;
  p.grip = p.health + 1;
  p.settled = p.grip + cmb_grip_count(eq);
  p.q_plain = p.settled + (p.settled > p.grip);
  const int G_size = cmb_pattern_values(eq->G_pattern, eq->ng, eq->nv);
  p.g = p.q_plain + (o->bound ? eq->nq : 0);
  p.g_plain = p.g + (o->bound ? eq->ng : 0);
  p.G = p.g_plain + (o->bound ? eq->ng : 0);
  p.G_plain = p.G + (o->bound ? G_size : 0);
  p.Pg = p.G_plain + (o->bound ? G_size : 0);
  p.g_end = p.Pg + (o->bound ? eq->nv : 0);
  p.count = p.g_end + (o->bound ? eq->ng : 0);
  return p;
}

/* ---- creating the programs of a step */

/* Copies `count` expressions `from` to the list of a program's outputs, beginning at `output`; does nothing if `from` is NULL. */
static void copy_outputs(cmb_expr *output, int count, const cmb_expr *from)
{
  if (from) memcpy(output, from, (size_t)count * sizeof *output);
}

/* Stores the entries of the dense matrix of expressions G (ng x nv) in `output`, in the order in which the equations store their constraint
 * Jacobian (sparse or dense). */
static void store_jacobian(const cmb_equations *eq, const cmb_expr *G, cmb_expr *output)
{
  const cmb_pattern *p = eq->G_pattern;
  if (!p) copy_outputs(output, eq->ng * eq->nv, G);
  for (int i = 0; p && i < eq->ng; i++) {
    for (int k = p->start[i]; k < p->start[i + 1]; k++) output[k] = G[i * eq->nv + p->column[k]];
  }
}

/* Lists in `output` those expressions of a step that are needed to compute the bound on the drift of the constraints, in the order of p. */
static void put_bound(const cmb_equations *eq, const cmb_stepper_outputs *p, const cmb_step *step,
                      cmb_expr *output)
{
  copy_outputs(output + p->q_plain, eq->nq, step->q_plain);
  copy_outputs(output + p->g, eq->ng, step->g);
  copy_outputs(output + p->g_plain, eq->ng, step->g_plain);
  store_jacobian(eq, step->G, output + p->G);
  store_jacobian(eq, step->G_plain, output + p->G_plain);
  copy_outputs(output + p->Pg, eq->nv, step->Pg);
  copy_outputs(output + p->g_end, eq->ng, step->g_end);
}

/* Creates the programs (lists of instructions that evaluate expressions) of a step: one for the whole step, one for the modes of dry
 * friction (slipping or sticking) where they are unknown, and those for the points at which user equations written in C are evaluated. */
static cmb_status make_programs(cmb_stepper *st, const cmb_step_source *s, const cmb_step *step)
{
  const cmb_equations *eq = st->eq;
  const cmb_stepper_outputs p = cmb_stepper_places(eq, &st->options);
  cmb_expr *output = cmb_arena_take(s->arena, (size_t)p.count, sizeof *output);
  if (!output) return cmb_fail_memory(st->ctx);
  copy_outputs(output, eq->nq, step->q);
  copy_outputs(output + p.v, eq->nv, step->v);
  copy_outputs(output + p.lambda, eq->ng, step->lambda);
  copy_outputs(output + p.a, eq->nv, step->a);
  output[p.health] = step->health;
  copy_outputs(output + p.grip, p.settled - p.grip, step->grip);
  if (p.settled > p.grip) output[p.settled] = step->settled;
  if (st->options.bound) put_bound(eq, &p, step, output);
  CMB_TRY(
      cmb_program_create(st->ctx, s->graph, s->inputs, s->input, p.count, output, &st->program));
  if (p.settled > p.grip) {
    CMB_TRY(cmb_program_create(st->ctx, s->graph, s->inputs, s->input, p.settled - p.grip,
                               step->first_grip, &st->first_grip));
  }
  for (int i = 0; i < s->call_count; i++) {
    const int outputs = 1 + eq->nq + (s->call[i].velocities ? eq->nv : 0);
    st->call[st->call_count++].what = s->call[i];
    CMB_TRY(cmb_program_create(st->ctx, s->graph, s->call[i].first, s->input, outputs,
                               s->call[i].point, &st->call[i].program));
  }
  st->inputs = s->inputs;
  return CMB_OK;
}

/* Builds the expressions of a real-time step in `graph`, and creates the programs (lists of instructions) that evaluate them; `arena` holds
 * temporary data. */
static cmb_status make_step(cmb_stepper *st, cmb_graph *graph, cmb_arena *arena)
{
  const cmb_equations *eq = st->eq;
  cmb_step_source s = {.ctx = st->ctx, .eq = eq, .arena = arena, .graph = graph};
  cmb_step step;
  s.nq = eq->nq, s.nv = eq->nv, s.ng = eq->ng;
  CMB_TRY(cmb_step_layout(&s));
  st->layout = s.layout;
  CMB_TRY(eq->code ? cmb_step_graph(&s) : cmb_step_calls(&s));
  CMB_TRY(cmb_step_make(&s, &st->options, &step));
  return make_programs(st, &s, &step);
}

/* Makes machine code for the program of the step if the model's options permit it; otherwise it stays interpreted. */
static cmb_status emit(cmb_stepper *st)
{
  const cmb_code *x = st->eq->code;
  const cmb_program *program = st->program;
  if (!x || x->evaluation == CMB_EVALUATE_INTERPRETER) return CMB_OK;
  const cmb_native_options options = {.no_lanes = true};
  return cmb_native_create(st->ctx, 1, &program, &options, &st->native);
}

static cmb_status take_memory(cmb_stepper *st)
{
  const cmb_equations *eq = st->eq;
  int work = cmb_program_work(st->program);
  if (st->first_grip && cmb_program_work(st->first_grip) > work) {
    work = cmb_program_work(st->first_grip);
  }
  for (int i = 0; i < st->call_count; i++) {
    const int more = cmb_program_work(st->call[i].program);
    if (more > work) work = more;
  }
  st->in = cmb_arena_doubles(st->arena, st->inputs);
  st->out = cmb_arena_doubles(st->arena, cmb_program_outputs(st->program));
  st->work = cmb_arena_doubles(st->arena, work);
  st->point = cmb_arena_doubles(st->arena, 1 + eq->nq + eq->nv);
  st->zero = cmb_arena_doubles(st->arena, eq->nv + eq->ng);
  st->unit = cmb_arena_doubles(st->arena, eq->nv);
  st->rate = cmb_arena_doubles(st->arena, eq->nq);
  return cmb_arena_failed(st->arena) ? cmb_fail_memory(st->ctx) : CMB_OK;
}

static cmb_status create(cmb_stepper *st, cmb_evaluator *ev)
{
  cmb_graph *graph = NULL;
  cmb_arena *arena = cmb_arena_create(st->ctx);
  cmb_status status = arena ? cmb_graph_create(st->ctx, &graph) : cmb_fail_memory(st->ctx);
  if (status == CMB_OK) status = make_step(st, graph, arena);
  cmb_graph_destroy(graph);
  cmb_arena_destroy(arena);
  if (status != CMB_OK) return status;
  CMB_TRY(emit(st));
  if (st->call_count > 0) CMB_TRY(cmb_differences_create(ev, &st->differences));
  return take_memory(st);
}

cmb_status cmb_stepper_create(cmb_evaluator *ev, const cmb_step_options *options,
                              cmb_stepper **stepper)
{
  *stepper = NULL;
  cmb_arena *arena = cmb_arena_create(ev->ctx);
  cmb_stepper *st = arena ? cmb_arena_take(arena, 1, sizeof *st) : NULL;
  if (!st) {
    cmb_arena_destroy(arena);
    return cmb_fail_memory(ev->ctx);
  }
  *st = (cmb_stepper){.ctx = ev->ctx, .eq = ev->eq, .arena = arena, .options = *options};
  cmb_status status = create(st, ev);
  if (status != CMB_OK) {
    cmb_stepper_destroy(st);
    return status;
  }
  *stepper = st;
  return CMB_OK;
}

void cmb_stepper_destroy(cmb_stepper *st)
{
  if (!st) return;
  for (int i = 0; i < st->call_count; i++) cmb_program_destroy(st->call[i].program);
  cmb_native_destroy(st->native);
  cmb_program_destroy(st->program);
  cmb_program_destroy(st->first_grip);
  cmb_differences_destroy(st->differences);
  cmb_arena_destroy(st->arena);
}

/* ---- running a step */

/* Returns the position *place in a buffer and advances it by `count` numbers if `wanted` is set; otherwise returns NULL. */
static double *next_values(bool wanted, int count, double **place)
{
  double *here = *place;
  if (!wanted) return NULL;
  *place += count;
  return here;
}

/* Computes the matrix T(q) (nq x nv) of q̇ = T v, column by column as the coordinate rates of unit velocities. */
static void compute_rate_matrix(cmb_stepper *st, const cmb_evaluator *ev, const double *q,
                                double *T)
{
  const int nq = st->eq->nq, nv = st->eq->nv;
  for (int j = 0; j < nv; j++) {
    st->unit[j] = 1;
    cmb_rates(ev, q, st->unit, st->rate);
    st->unit[j] = 0;
    for (int i = 0; i < nq; i++) T[i * nv + j] = st->rate[i];
  }
}

/* Returns CMB_RETRY_NONFINITE unless all values from the i-th evaluation of user equations written in C are finite. Not every such value would
 * show in the result of the step, for example an infinite mass. */
static cmb_status check_finite(const cmb_stepper *st, int i)
{
  const int first = st->call[i].what.first,
            end = i + 1 < st->call_count ? st->call[i + 1].what.first : st->inputs;
  return cmb_all_finite(end - first, st->in + first) ? CMB_OK : CMB_RETRY_NONFINITE;
}

/* Evaluates user equations written in C at the point st->point = (t, q, v), and stores the terms that c requests in the inputs of the step's
 * programs, in the order in which step_calls.c creates these inputs. */
static cmb_status evaluate(cmb_stepper *st, cmb_evaluator *ev, const cmb_step_call *c)
{
  const cmb_equations *eq = st->eq;
  const int nv = eq->nv, ng = eq->ng;
  const double t = st->point[0], *q = st->point + 1, *v = c->velocities ? q + eq->nq : NULL;
  double *place = st->in + c->first;
  cmb_terms want = {0};
  if (c->T) {
    compute_rate_matrix(st, ev, q, place);
    return CMB_OK;
  }
  want.M =
      next_values(c->M, eq->mass_diagonal ? nv : cmb_pattern_values(eq->M_pattern, nv, nv), &place);
  want.f = next_values(c->f, nv, &place);
  want.g = next_values(c->g, ng, &place);
  want.G = next_values(c->G, cmb_pattern_values(eq->G_pattern, ng, nv), &place);
  want.gamma = next_values(c->gamma, ng, &place);
  want.gt = next_values(c->gt, ng, &place);
  if (!c->force_q) return cmb_evaluate(ev, t, q, v, &want);
  const cmb_pattern *pattern = eq->derivative_pattern[CMB_RESIDUAL_Q];
  double *J = next_values(true, cmb_pattern_values(pattern, nv, eq->nq), &place);
  CMB_TRY(cmb_derivative_at(st->differences, t, q, v, st->zero, st->zero, CMB_RESIDUAL_Q, J));
  if (!c->force_v) return CMB_OK;
  return cmb_derivative_at(st->differences, t, q, v, st->zero, st->zero, CMB_RESIDUAL_V, place);
}

/* Sets the first inputs of the step's programs: the time t, the step size h, q, v, the modes of the switching functions (their signs, or
 * how friction sticks) and the parameters that can be changed after set-up. */
static void set_inputs(cmb_stepper *st, const cmb_evaluator *ev, double t, double h,
                       const double *q, const double *v)
{
  const cmb_equations *eq = st->eq;
  const cmb_layout *l = &st->layout;
  const cmb_point at = cmb_evaluator_point(ev, t, q, v);
  double *in = st->in, *mode = in + l->first[CMB_BLOCK_MODE], *p = in + l->first[CMB_BLOCK_P];
  in[l->first[CMB_BLOCK_T]] = t;
  in[l->first[CMB_BLOCK_H]] = h;
  memcpy(in + l->first[CMB_BLOCK_Q], q, (size_t)eq->nq * sizeof *q);
  memcpy(in + l->first[CMB_BLOCK_V], v, (size_t)eq->nv * sizeof *v);
  for (int i = 0; i < l->count[CMB_BLOCK_MODE]; i++) mode[i] = cmb_real_mode(&at, i);
  for (int i = 0; i < l->count[CMB_BLOCK_P]; i++) p[i] = ev->p ? ev->p[i] : eq->p[i];
}

const double *cmb_stepper_first_grip(cmb_stepper *st, const cmb_evaluator *ev, double t, double h,
                                     const double *q, const double *v)
{
  set_inputs(st, ev, t, h, q, v);
  cmb_program_run(st->first_grip, st->in, st->out, st->work);
  return st->out;
}

cmb_status cmb_stepper_run(cmb_stepper *st, cmb_evaluator *ev, double t, double h, const double *q,
                           const double *v, const double **results)
{
  double *in = st->in;
  set_inputs(st, ev, t, h, q, v);
  for (int i = 0; i < st->call_count; i++) {
    cmb_program_run(st->call[i].program, in, st->point, st->work);
    CMB_TRY(evaluate(st, ev, &st->call[i].what));
    CMB_TRY(check_finite(st, i));
  }
  if (st->native) {
    cmb_native_run(st->native, 0, in, st->out, st->work);
  } else {
    cmb_program_run(st->program, in, st->out, st->work);
  }
  *results = st->out;
  return CMB_OK;
}
