/*
 * Keeping expressions (kept.h): they are imported into a graph of their own, which has nothing else in it.
 */
#include "dae/kept.h"

#include "base/context.h"
#include "expr/graph.h"

static cmb_expr *expressions(cmb_arena *arena, int count)
{
  return cmb_arena_take(arena, (size_t)count, sizeof(cmb_expr));
}

/* count expressions, as they are; NULL stays NULL. */
static cmb_status keep(const cmb_graph_parts *p, cmb_arena *arena, cmb_kept *kept, int count,
                       const cmb_expr *from, cmb_expr **to)
{
  if (!from) return CMB_OK;
  *to = expressions(arena, count);
  if (!*to) return cmb_fail_memory(p->ctx);
  return cmb_import(kept->graph, p->x->graph, 0, NULL, NULL, count, from, *to);
}

static cmb_status keep_part(const cmb_graph_parts *p, cmb_arena *arena, cmb_kept *kept,
                            cmb_graph_part part, cmb_expr **to)
{
  return keep(p, arena, kept, p->count[part], p->part[part], to);
}

static cmb_status keep_entries(const cmb_graph_parts *p, cmb_arena *arena, cmb_kept *kept,
                               const cmb_entries *from, cmb_graph_part part, cmb_entries *to)
{
  cmb_expr *value = NULL;
  CMB_TRY(keep_part(p, arena, kept, part, &value));
  to->entry = cmb_arena_take(arena, (size_t)from->count, sizeof *to->entry);
  if (!to->entry || !value) return cmb_fail_memory(p->ctx);
  for (int k = 0; k < from->count; k++) {
    if (value[k] == 0) continue;
    to->entry[to->count++] = (cmb_entry){from->entry[k].row, from->entry[k].column, value[k]};
  }
  return CMB_OK;
}

static cmb_status keep_inputs(const cmb_graph_parts *p, cmb_arena *arena, cmb_kept *kept)
{
  const cmb_expressions *x = p->x;
  cmb_expr *t = NULL;
  CMB_TRY(keep(p, arena, kept, 1, &x->t, &t));
  kept->t = *t;
  CMB_TRY(keep(p, arena, kept, x->nq, x->q, &kept->q));
  CMB_TRY(keep(p, arena, kept, x->nv, x->v, &kept->v));
  CMB_TRY(keep(p, arena, kept, x->ng, x->lambda, &kept->lambda));
  CMB_TRY(keep(p, arena, kept, x->nv, x->a, &kept->a));
  CMB_TRY(keep(p, arena, kept, x->nu, x->u, &kept->u));
  kept->mode = expressions(arena, p->ns);
  if (!kept->mode) return cmb_fail_memory(p->ctx);
  for (int i = 0; i < p->ns; i++) {
    const cmb_expr mode = cmb_modes_at(p->modes, i)->mode;
    CMB_TRY(cmb_import(kept->graph, x->graph, 0, NULL, NULL, 1, &mode, &kept->mode[i]));
  }
  return CMB_OK;
}

static cmb_status keep_stiff(const cmb_graph_parts *p, cmb_arena *arena, cmb_kept *kept)
{
  const size_t count = (size_t)p->x->stiff_count, nv = (size_t)p->x->nv;
  CMB_TRY(keep_part(p, arena, kept, CMB_PART_STIFF, &kept->stiff_row));
  kept->stiff_count = p->x->stiff_count;
  kept->stiff_x = kept->stiff_row + count * nv;
  kept->stiff_rate = kept->stiff_x + count;
  kept->loose = kept->stiff_rate + count;
  kept->forces = kept->loose + nv;
  return CMB_OK;
}

static cmb_status keep_balls(const cmb_graph_parts *p, cmb_arena *arena, cmb_kept *kept)
{
  kept->ball_count = p->x->ball_count;
  kept->ball_q = cmb_arena_ints(arena, kept->ball_count);
  if (!kept->ball_q) return cmb_fail_memory(p->ctx);
  for (int i = 0; i < kept->ball_count; i++) kept->ball_q[i] = p->x->ball_q[i];
  return CMB_OK;
}

static cmb_status keep_levels(const cmb_graph_parts *p, cmb_arena *arena, cmb_kept *kept)
{
  const size_t count = (size_t)p->count[CMB_PART_DECIDING];
  kept->level_table = cmb_arena_take(arena, count, sizeof(const cmb_table *));
  kept->level_mode = cmb_arena_ints(arena, (int)count);
  if (!kept->level_table || !kept->level_mode) return cmb_fail_memory(p->ctx);
  for (int i = 0; i < p->ns; i++) {
    const cmb_mode *m = cmb_modes_at(p->modes, i);
    if (m->kind == CMB_MODE_SIGN) continue;
    if (m->kind == CMB_MODE_TABLE) {
      kept->level_table[kept->level_count] = p->x->graph->tables[m->table];
    }
    kept->level_mode[kept->level_count++] = i;
  }
  return keep_part(p, arena, kept, CMB_PART_DECIDING, &kept->deciding);
}

/* After all others: what is then new in the graph is used by nobody. */
static cmb_status keep_parameters(const cmb_graph_parts *p, cmb_arena *arena, cmb_kept *kept)
{
  const cmb_expressions *x = p->x;
  kept->parameter = expressions(arena, x->np);
  kept->parameter_value = cmb_arena_doubles(arena, x->np);
  kept->parameter_names = cmb_arena_take(arena, (size_t)x->np, sizeof *kept->parameter_names);
  if (cmb_arena_failed(arena)) return cmb_fail_memory(p->ctx);
  for (int i = 0; i < x->np; i++) {
    const uint32_t size = cmb_graph_size(kept->graph);
    cmb_expr *place = &kept->parameter[kept->np];
    CMB_TRY(cmb_import(kept->graph, x->graph, 0, NULL, NULL, 1, &x->parameter[i], place));
    if (cmb_graph_size(kept->graph) > size) continue;
    kept->parameter_value[kept->np] = x->parameter_value[i];
    kept->parameter_names[kept->np++] = cmb_arena_text(arena, x->parameter_names[i]);
  }
  return cmb_arena_failed(arena) ? cmb_fail_memory(p->ctx) : CMB_OK;
}

cmb_status cmb_keep(const cmb_graph_parts *p, cmb_arena *arena, cmb_kept *kept)
{
  const cmb_expressions *x = p->x;
  *kept = (cmb_kept){.nq = x->nq, .nv = x->nv, .ng = x->ng, .ns = p->ns, .no = x->no, .nu = x->nu};
  kept->evaluation = p->options->evaluation;
  CMB_TRY(cmb_graph_create(p->ctx, &kept->graph));
  CMB_TRY(keep_inputs(p, arena, kept));
  CMB_TRY(keep_entries(p, arena, kept, &p->M, CMB_PART_M, &kept->M));
  CMB_TRY(keep_entries(p, arena, kept, &p->G, CMB_PART_G, &kept->G));
  CMB_TRY(keep_part(p, arena, kept, CMB_PART_F, &kept->f));
  CMB_TRY(keep_part(p, arena, kept, CMB_PART_POSITION, &kept->g));
  CMB_TRY(keep_part(p, arena, kept, CMB_PART_GAMMA, &kept->gamma));
  CMB_TRY(keep_part(p, arena, kept, CMB_PART_GT, &kept->gt));
  CMB_TRY(keep_part(p, arena, kept, CMB_PART_OUTPUTS, &kept->outputs));
  CMB_TRY(keep_part(p, arena, kept, CMB_PART_MARGINS, &kept->margin));
  CMB_TRY(keep_levels(p, arena, kept));
  if (p->count[CMB_PART_STIFF] > 0) CMB_TRY(keep_stiff(p, arena, kept));
  if (x->quaternions) CMB_TRY(keep(p, arena, kept, x->nq, x->rates, &kept->rates));
  CMB_TRY(keep_balls(p, arena, kept));
  return keep_parameters(p, arena, kept);
}
