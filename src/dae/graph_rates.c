/*
 * q̇ = T(q) v and the length of Euler parameters, for graph systems (graph_data.h).
 *
 * Rates are asked for without scratch memory. Most are a velocity as it is. The others come in small programs, one for
 * up to four coordinates that follow each other, whose arrays are on the stack: a body's orientation takes some 30
 * places.
 */
#include "base/context.h"
#include "dae/graph_data.h"
#include "expr/graph.h"

#include <math.h>

enum { RATES = 4, INPUTS = 64, WORK = 512 };

static int velocity_of(const cmb_expressions *x, cmb_expr e)
{
  for (int j = 0; j < x->nv; j++) {
    if (x->v[j] == e) return j;
  }
  return -1;
}

/* What of q and v the rates use. */
static cmb_status list_inputs(const cmb_graph_parts *p, int count, const cmb_expr *rates,
                              cmb_arena *arena, cmb_graph_rate *rate, cmb_expr *input)
{
  const cmb_expressions *x = p->x;
  uint8_t *used = cmb_reachable(x->graph, count, rates);
  rate->from = cmb_arena_ints(arena, INPUTS);
  if (used && rate->from) {
    for (int i = 0; i < x->nq + x->nv && rate->inputs < INPUTS; i++) {
      cmb_expr e = i < x->nq ? x->q[i] : x->v[i - x->nq];
      if (!used[e]) continue;
      rate->from[rate->inputs] = i;
      input[rate->inputs++] = e;
    }
  }
  bool good = used && rate->from;
  cmb_release(x->graph->ctx, used);
  return good ? CMB_OK : cmb_fail_memory(p->ctx);
}

static cmb_status make_rate(const cmb_graph_parts *p, int count, cmb_arena *arena,
                            cmb_graph_rate *rate)
{
  const cmb_expressions *x = p->x;
  cmb_expr input[INPUTS];
  CMB_TRY(list_inputs(p, count, x->rates + rate->first, arena, rate, input));
  CMB_TRY(cmb_program_create(p->ctx, x->graph, rate->inputs, input, count, x->rates + rate->first,
                             &rate->program));
  if (cmb_program_work(rate->program) > WORK) {
    return cmb_fail(p->ctx, CMB_ERROR_ARGUMENT, "%s: the rate of %s is too long an expression",
                    x->name, x->q_names[rate->first]);
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
  for (int i = 0; i < x->nq; i++) d->rate_of[i] = velocity_of(x, x->rates[i]);
  for (int i = 0, count; i < x->nq; i += count) {
    for (count = 0; count < RATES && i + count < x->nq && d->rate_of[i + count] < 0;) count++;
    if (count > 0) {
      cmb_graph_rate *rate = &d->rate[d->rate_count++];
      rate->first = i;
      CMB_TRY(make_rate(p, count, arena, rate));
    } else {
      count = 1;
    }
  }
  return CMB_OK;
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

/* Four zeros have no direction and stay. */
void cmb_graph_normalize(const void *self, double *q)
{
  const cmb_graph_data *d = self;
  for (int k = 0; k < d->ball_count; k++) {
    double *p = q + d->ball_q[k];
    double length = sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3]);
    for (int i = 0; i < 4 && length > 0; i++) p[i] /= length;
  }
}
