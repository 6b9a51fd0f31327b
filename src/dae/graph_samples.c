/*
 * Sampled values of a graph system (graph_parts.h): finds their samplers, which of them the motion depends on, which switching
 * functions they depend on, and whether their new values depend on forces or accelerations.
 */
#include "base/context.h"
#include "dae/graph_data.h"
#include "expr/algebra.h"
#include "expr/graph.h"

/* Marks in moves (nh) those sampled values of controllers (constant between sampling instants) on which the motion, the user's
 * events or the switching functions depend. */
static cmb_status mark_moving(const cmb_graph_parts *p, bool *moves)
{
  const cmb_expressions *x = p->x;
  const int motion = (int)(p->part[CMB_EVENT_PARTS] - p->part[0]);
  uint8_t *parts = cmb_reachable(x->graph, motion, p->part[0]);
  uint8_t *margins =
      cmb_reachable(x->graph, p->ns + p->count[CMB_PART_DECIDING], p->part[CMB_PART_MARGINS]);
  for (int i = 0; parts && margins && i < x->nh; i++) {
    const cmb_expr w = x->parameter[x->held_first + i];
    moves[i] = parts[w] || margins[w];
  }
  const bool good = parts && margins;
  cmb_release(p->ctx, parts);
  cmb_release(p->ctx, margins);
  return good ? CMB_OK : cmb_fail_memory(p->ctx);
}

static cmb_status read_forces(const cmb_graph_parts *p, bool *yes)
{
  const cmb_expressions *x = p->x;
  uint8_t *used = cmb_reachable(x->graph, x->nh, p->part[CMB_PART_OUTPUTS] + x->no);
  if (!used) return cmb_fail_memory(p->ctx);
  for (int i = 0; i < x->nv; i++) *yes = *yes || used[x->a[i]];
  for (int i = 0; i < x->ng; i++) *yes = *yes || used[x->lambda[i]];
  for (int i = 0; i < x->push_count; i++) *yes = *yes || used[x->rules[i].push];
  cmb_release(p->ctx, used);
  return CMB_OK;
}

/* Returns whether two modes a and b are of the kind that stands for the sign of a switching function, and change at the same zeros: both
 * functions have the same expression, or one has the negative of the other. */
static bool have_same_zeros(cmb_graph *g, const cmb_mode *a, const cmb_mode *b)
{
  const bool signs = cmb_mode_is_sign(a->kind) && cmb_mode_is_sign(b->kind);
  return signs && (a->of == b->of || a->of == cmb_neg(g, b->of));
}

/* Marks in reads (ns) the switching functions of the system whose sign also decides a condition in the update formula of sampled
 * value i. Leaves other entries unchanged. */
static cmb_status mark_shared(const cmb_graph_parts *p, int i, bool *reads)
{
  cmb_graph *g = p->x->graph;
  const cmb_expr *update = p->part[CMB_PART_OUTPUTS] + p->x->no + i;
  cmb_modes *own;
  cmb_expr frozen;
  if (cmb_op_arity(cmb_expr_op(g, *update)) == 0)
    return CMB_OK; /* most are just earlier values, delayed */
  CMB_TRY(cmb_modes_create(p->ctx, &own));
  cmb_status status = cmb_modes_freeze(own, g, 1, update, &frozen);
  for (int n = 0; status == CMB_OK && n < cmb_modes_count(own); n++) {
    for (int k = 0; k < p->ns; k++) {
      reads[k] = reads[k] || have_same_zeros(g, cmb_modes_at(own, n), cmb_modes_at(p->modes, k));
    }
  }
  cmb_modes_destroy(own);
  return status;
}

cmb_status cmb_graph_samples_list(const cmb_graph_parts *p, cmb_arena *arena, cmb_equations *eq)
{
  const cmb_expressions *x = p->x;
  if (x->nh == 0) return CMB_OK;
  cmb_sampler *samplers = cmb_arena_take(arena, (size_t)x->sampler_count, sizeof *samplers);
  int *of = cmb_arena_ints(arena, x->nh);
  bool *moves = cmb_arena_take(arena, (size_t)x->nh, sizeof *moves);
  bool *reads = cmb_arena_take(arena, (size_t)x->nh * (size_t)p->ns, sizeof *reads);
  if (!samplers || !of || !moves || !reads) return cmb_fail_memory(p->ctx);
  for (int i = 0; i < x->sampler_count; i++) {
    samplers[i] = x->samplers[i];
    samplers[i].name = cmb_arena_text(arena, x->samplers[i].name);
  }
  for (int i = 0; i < x->nh; i++) of[i] = x->held_sampler[i];
  eq->nh = x->nh;
  eq->sampler_count = x->sampler_count;
  eq->samplers = samplers;
  eq->held_sampler = of;
  eq->held_moves = moves;
  eq->held_reads = reads;
  CMB_TRY(mark_moving(p, moves));
  for (int i = 0; i < x->nh; i++) CMB_TRY(mark_shared(p, i, reads + (ptrdiff_t)i * p->ns));
  CMB_TRY(read_forces(p, &eq->samples_read_forces));
  return cmb_arena_failed(arena) ? cmb_fail_memory(p->ctx) : CMB_OK;
}
