/*
 * Directional derivatives of outputs (output_change.h), from the model's expressions (camber/expr.h).
 */
#include "system/output_change.h"

#include "base/context.h"
#include "dae/code.h"

#include <string.h>

cmb_status cmb_output_change_begin(cmb_output_change *o, cmb_arena *arena, cmb_evaluator *ev)
{
  const cmb_code *x = ev->eq->code;
  const int counts[] = {x->nq, x->np, x->nv, x->ng, x->nv};
  const cmb_expr *const blocks[] = {x->q, x->parameter, x->v, x->lambda, x->a};
  const int wrt_count = x->nq + x->np + 2 * x->nv + x->ng;
  const int size = cmb_layout_size(&x->layout);
  cmb_expr *wrt = cmb_arena_take(arena, (size_t)wrt_count + 1, sizeof *wrt), *to = wrt;
  *o = (cmb_output_change){.ev = ev};
  o->in = cmb_arena_doubles(arena, size + wrt_count + 1);
  o->p = cmb_arena_doubles(arena, x->np + 1);
  if (!wrt || !o->in || !o->p) return cmb_fail_memory(ev->ctx);
  for (int k = 0; k < 5; k++) {
    for (int i = 0; i < counts[k]; i++) *to++ = blocks[k][i];
  }
  CMB_TRY(cmb_graph_copy(ev->ctx, x->graph, &o->graph));
  CMB_TRY(cmb_jacobian_create(ev->ctx, o->graph, size, x->input, wrt_count, wrt, x->no, x->outputs,
                              &o->jacobian));
  o->work = cmb_arena_doubles(arena, cmb_program_work(cmb_jacobian_program(o->jacobian)));
  return o->work ? CMB_OK : cmb_fail_memory(ev->ctx);
}

void cmb_output_change_end(cmb_output_change *o)
{
  cmb_jacobian_destroy(o->jacobian);
  cmb_graph_destroy(o->graph);
}

static void put(int count, const double *x, double **to)
{
  if (count > 0) memcpy(*to, x, (size_t)count * sizeof *x);
  *to += count;
}

void cmb_output_change_at(cmb_output_change *o, double t, const cmb_output_point *at,
                          const cmb_output_point *by, double *change)
{
  const cmb_equations *eq = o->ev->eq;
  const cmb_layout *l = &eq->code->layout;
  const double *p = o->ev->p ? o->ev->p : eq->p;
  double *in = o->in, *to = in + cmb_layout_size(l);
  in[0] = t;
  memcpy(in + l->first[CMB_BLOCK_Q], at->q, (size_t)eq->nq * sizeof *in);
  memcpy(in + l->first[CMB_BLOCK_V], at->v, (size_t)eq->nv * sizeof *in);
  memcpy(in + l->first[CMB_BLOCK_A], at->a, (size_t)eq->nv * sizeof *in);
  for (int i = 0; i < eq->ns; i++) in[l->first[CMB_BLOCK_MODE] + i] = o->ev->mode[i];
  for (int i = 0; i < eq->np; i++) in[l->first[CMB_BLOCK_P] + i] = p[i];
  for (int i = 0; i < eq->ng; i++) in[l->first[CMB_BLOCK_LAMBDA] + i] = at->lambda[i];
  for (int i = 0; i < eq->np; i++) o->p[i] = i == by->parameter;
  put(eq->nq, by->q, &to);
  put(eq->np, o->p, &to);
  put(eq->nv, by->v, &to);
  put(eq->ng, by->lambda, &to);
  put(eq->nv, by->a, &to);
  cmb_program_run(cmb_jacobian_program(o->jacobian), in, change, o->work);
}
