/*
 * Rates of coordinates, q̇ = T(q) v, and normalisation of Euler parameters for graph systems (graph_data.h).
 *
 * The function for rates has no scratch memory. Most rates are equal to a velocity. The others are computed by small programs, one
 * for up to four successive coordinates, whose arrays are on the stack: the orientation of a body takes some 30 numbers.
 */
#include "base/context.h"
#include "dae/graph_data.h"
#include "expr/graph.h"

#include <math.h>

enum { RATES = 4, INPUTS = 64, WORK = 512 };

/* Returns an array over all graph nodes: 1 + i for coordinate i, 1 + nq + i for velocity i, 0 for others; NULL if out of memory.
 * The caller releases it. */
static int *number_inputs(const cmb_graph_parts *p)
{
  const cmb_expressions *x = p->x;
  int *number = cmb_allocate(p->ctx, (size_t)cmb_graph_size(x->graph) * sizeof *number);
  for (int i = 0; number && i < x->nq; i++) number[x->q[i]] = 1 + i;
  for (int i = 0; number && i < x->nv; i++) number[x->v[i]] = 1 + x->nq + i;
  return number;
}

static cmb_status too_long(const cmb_graph_parts *p, const cmb_graph_rate *rate)
{
  return cmb_fail(p->ctx, CMB_ERROR_ARGUMENT, "%s: the expression of the rate of '%s' is too long",
                  p->x->name, p->x->q_names[rate->first]);
}

/* Creates the program for `count` successive coordinate rates q̇ from rate->first on. First copies their expressions to the empty graph
 * `small`, since the time to create a program is proportional to the size of its graph. `number` is the result of number_inputs. Fails with a
 * message if the expressions are too long. */
static cmb_status make_rate(const cmb_graph_parts *p, const int *number, int count,
                            cmb_arena *arena, cmb_graph *small, cmb_graph_rate *rate)
{
  const cmb_expressions *x = p->x;
  cmb_expr out[RATES], used[CMB_SMALL], input[INPUTS];
  cmb_status status =
      cmb_import_small(small, x->graph, count, x->rates + rate->first, out, &rate->inputs, used);
  if (status == CMB_ERROR_ARGUMENT || rate->inputs > INPUTS) return too_long(p, rate);
  CMB_TRY(status);
  rate->from = cmb_arena_ints(arena, INPUTS);
  if (!rate->from) return cmb_fail_memory(p->ctx);
  for (int i = 0; i < rate->inputs; i++) {
    rate->from[i] = number[used[i]] - 1;
    input[i] = cmb_input(small, cmb_expr_name(x->graph, used[i]));
  }
  CMB_TRY(cmb_program_create(p->ctx, small, rate->inputs, input, count, out, &rate->program));
  return cmb_program_work(rate->program) > WORK ? too_long(p, rate) : CMB_OK;
}

static cmb_status make_rates(const cmb_graph_parts *p, const int *number, cmb_arena *arena,
                             cmb_graph_data *d)
{
  const cmb_expressions *x = p->x;
  for (int i = 0; i < x->nq; i++) {
    const int n = number[x->rates[i]];
    d->rate_of[i] = n > x->nq ? n - 1 - x->nq : -1;
  }
  for (int i = 0, count; i < x->nq; i += count) {
    for (count = 0; count < RATES && i + count < x->nq && d->rate_of[i + count] < 0;) count++;
    if (count > 0) {
      cmb_graph_rate *rate = &d->rate[d->rate_count++];
      cmb_graph *small;
      rate->first = i;
      CMB_TRY(cmb_graph_create(p->ctx, &small));
      cmb_status status = make_rate(p, number, count, arena, small, rate);
      cmb_graph_destroy(small);
      CMB_TRY(status);
    } else {
      count = 1;
    }
  }
  return CMB_OK;
}

cmb_status cmb_graph_rates_make(const cmb_graph_parts *p, cmb_arena *arena, cmb_graph_data *d)
{
  const cmb_expressions *x = p->x;
  d->ball_count = x->ball_count;
  d->ball_q = cmb_arena_ints(arena, x->ball_count);
  d->rate_of = cmb_arena_ints(arena, x->nq);
  d->rate = cmb_arena_take(arena, (size_t)x->nq, sizeof *d->rate);
  if (cmb_arena_failed(arena)) return cmb_fail_memory(p->ctx);
  for (int i = 0; i < x->ball_count; i++) d->ball_q[i] = x->ball_q[i];
  int *number = number_inputs(p);
  if (!number) return cmb_fail_memory(p->ctx);
  cmb_status status = make_rates(p, number, arena, d);
  cmb_release(p->ctx, number);
  return status;
}

void cmb_graph_rates_destroy(cmb_graph_data *d)
{
  for (int k = 0; k < d->rate_count; k++) cmb_program_destroy(d->rate[k].program);
}

void cmb_graph_rates(const void *self, const double *q, const double *v, double *qdot)
{
  const cmb_graph_data *d = self;
  double in[INPUTS], out[RATES], work[WORK];
  for (int k = 0; k < d->rate_count; k++) {
    const cmb_graph_rate *rate = &d->rate[k];
    for (int i = 0; i < rate->inputs; i++) {
      in[i] = rate->from[i] < d->nq ? q[rate->from[i]] : v[rate->from[i] - d->nq];
    }
    cmb_program_run(rate->program, in, out, work);
    for (int i = 0; i < cmb_program_outputs(rate->program); i++) qdot[rate->first + i] = out[i];
  }
  for (int i = 0; i < d->nq; i++) {
    if (d->rate_of[i] >= 0) qdot[i] = v[d->rate_of[i]];
  }
}

/* Scales each set of four Euler parameters in q to length 1, in place; four zeros are left as they are. */
void cmb_graph_normalize(const void *self, double *q)
{
  const cmb_graph_data *d = self;
  for (int k = 0; k < d->ball_count; k++) {
    double *p = q + d->ball_q[k];
    double length = sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3]);
    for (int i = 0; i < 4 && length > 0; i++) p[i] /= length;
  }
}
