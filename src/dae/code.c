/*
 * Fills the compiled model (code.h): copies the expressions that it needs into a new graph that has nothing else in it.
 */
#include "dae/code.h"

#include "base/context.h"
#include "expr/graph.h"

static cmb_expr *expressions(cmb_arena *arena, int count)
{
  return cmb_arena_take(arena, (size_t)count, sizeof(cmb_expr));
}

/* Copies the expressions from[count], which belong to the model's graph, to the graph of the generated code, and sets *to to an array of the
 * copies, allocated from the arena. Does nothing if `from` is NULL. */
static cmb_status copy_expressions(const cmb_graph_parts *p, cmb_arena *arena, cmb_code *code,
                                   int count, const cmb_expr *from, cmb_expr **to)
{
  if (!from) return CMB_OK;
  *to = expressions(arena, count);
  if (!*to) return cmb_fail_memory(p->ctx);
  return cmb_import(code->graph, p->x->graph, 0, NULL, NULL, count, from, *to);
}

static cmb_status copy_part(const cmb_graph_parts *p, cmb_arena *arena, cmb_code *code,
                            cmb_graph_part part, cmb_expr **to)
{
  return copy_expressions(p, arena, code, p->count[part], p->part[part], to);
}

static cmb_status copy_entries(const cmb_graph_parts *p, cmb_arena *arena, cmb_code *code,
                               const cmb_entries *from, cmb_graph_part part, cmb_entries *to)
{
  cmb_expr *value = NULL;
  CMB_TRY(copy_part(p, arena, code, part, &value));
  to->entry = cmb_arena_take(arena, (size_t)from->count, sizeof *to->entry);
  if (!to->entry || !value) return cmb_fail_memory(p->ctx);
  for (int k = 0; k < from->count; k++) {
    if (value[k] == 0) continue;
    to->entry[to->count++] = (cmb_entry){from->entry[k].row, from->entry[k].column, value[k]};
  }
  return CMB_OK;
}

static cmb_status copy_inputs(const cmb_graph_parts *p, cmb_arena *arena, cmb_code *code)
{
  const cmb_layout *l = &p->layout;
  code->layout = *l;
  code->input = expressions(arena, cmb_layout_size(l));
  if (!code->input) return cmb_fail_memory(p->ctx);
  CMB_TRY(cmb_import(code->graph, p->x->graph, 0, NULL, NULL, l->first[CMB_BLOCK_H], p->input,
                     code->input));
  code->input[l->first[CMB_BLOCK_H]] = cmb_input(code->graph, "step size");
  code->t = code->input[0];
  code->q = code->input + l->first[CMB_BLOCK_Q];
  code->mode = code->input + l->first[CMB_BLOCK_MODE];
  code->parameter = code->input + l->first[CMB_BLOCK_P];
  code->v = code->input + l->first[CMB_BLOCK_V];
  code->lambda = code->input + l->first[CMB_BLOCK_LAMBDA];
  code->a = code->input + l->first[CMB_BLOCK_A];
  code->u = code->input + l->first[CMB_BLOCK_U];
  return cmb_graph_status(code->graph);
}

static cmb_status copy_input_counts(const cmb_graph_parts *p, cmb_arena *arena, cmb_code *code)
{
  if (p->x->live_inputs) return CMB_OK; /* then the inputs are parameters */
  code->nu = p->x->nu;
  code->nr = p->nr;
  code->input_rate_names = cmb_arena_take(arena, (size_t)p->nr, sizeof *code->input_rate_names);
  for (int i = 0; code->input_rate_names && i < p->nr; i++) {
    code->input_rate_names[i] = cmb_arena_text(arena, p->input_rate_names[i]);
  }
  return cmb_arena_failed(arena) ? cmb_fail_memory(p->ctx) : CMB_OK;
}

static cmb_status copy_stiff(const cmb_graph_parts *p, cmb_arena *arena, cmb_code *code)
{
  const size_t count = (size_t)p->x->stiff_count, nv = (size_t)p->x->nv;
  CMB_TRY(copy_part(p, arena, code, CMB_PART_STIFF, &code->stiff_row));
  code->stiff_count = p->x->stiff_count;
  code->stiff_x = code->stiff_row + count * nv;
  code->stiff_rate = code->stiff_x + count;
  code->loose = code->stiff_rate + count;
  code->forces = code->loose + nv;
  return CMB_OK;
}

static cmb_status copy_balls(const cmb_graph_parts *p, cmb_arena *arena, cmb_code *code)
{
  code->ball_count = p->x->ball_count;
  code->ball_q = cmb_arena_ints(arena, code->ball_count);
  if (!code->ball_q) return cmb_fail_memory(p->ctx);
  for (int i = 0; i < code->ball_count; i++) code->ball_q[i] = p->x->ball_q[i];
  return CMB_OK;
}

static cmb_status copy_levels(const cmb_graph_parts *p, cmb_arena *arena, cmb_code *code)
{
  const size_t count = (size_t)p->count[CMB_PART_DECIDING];
  code->level_table = cmb_arena_take(arena, count, sizeof(const cmb_table *));
  code->level_mode = cmb_arena_ints(arena, (int)count);
  if (!code->level_table || !code->level_mode) return cmb_fail_memory(p->ctx);
  for (int i = 0; i < p->ns; i++) {
    const cmb_mode *m = cmb_modes_at(p->modes, i);
    if (cmb_mode_is_sign(m->kind)) continue;
    if (m->kind == CMB_MODE_TABLE) {
      code->level_table[code->level_count] = p->x->graph->tables[m->table];
    }
    code->level_mode[code->level_count++] = i;
  }
  return copy_part(p, arena, code, CMB_PART_DECIDING, &code->deciding);
}

static cmb_status copy_parameters(const cmb_graph_parts *p, cmb_arena *arena, cmb_code *code)
{
  const cmb_expressions *x = p->x;
  code->parameter_value = cmb_arena_doubles(arena, x->np);
  code->parameter_names = cmb_arena_take(arena, (size_t)x->np, sizeof *code->parameter_names);
  if (cmb_arena_failed(arena)) return cmb_fail_memory(p->ctx);
  for (int i = 0; i < x->np; i++) {
    code->parameter_value[i] = x->parameter_value[i];
    code->parameter_names[i] = cmb_arena_text(arena, x->parameter_names[i]);
  }
  code->np = x->np;
  code->nh = x->nh;
  return cmb_arena_failed(arena) ? cmb_fail_memory(p->ctx) : CMB_OK;
}

/* Sets *any to true if at least one of the expressions of[count] depends, directly or through a condition, on live parameter k,
 * which can be changed after compilation; otherwise leaves *any unchanged. reads[count] is work space. */
static cmb_status mark_dependence(const cmb_graph_parts *p, int k, int count, const cmb_expr *of,
                                  bool *reads, bool *any)
{
  const cmb_expressions *x = p->x;
  if (count == 0) return CMB_OK;
  CMB_TRY(cmb_depends(x->graph, 1, &x->parameter[k], count, of, reads));
  for (int i = 0; i < count; i++) *any = *any || reads[i];
  return CMB_OK;
}

static cmb_status copy_start(const cmb_graph_parts *p, cmb_arena *arena, cmb_code *code)
{
  const cmb_expressions *x = p->x;
  const int most = x->first_count > x->ng ? x->first_count : x->ng;
  if (!x->first) return CMB_OK;
  bool *reads = cmb_arena_take(p->arena, (size_t)most, sizeof *reads);
  code->start_reads = cmb_arena_take(arena, (size_t)x->np, sizeof *code->start_reads);
  if (!reads || !code->start_reads) return cmb_fail_memory(p->ctx);
  for (int k = 0; k < x->np; k++) {
    bool *any = &code->start_reads[k];
    CMB_TRY(mark_dependence(p, k, x->first_count, x->first, reads, any));
    CMB_TRY(mark_dependence(p, k, x->ng, x->g, reads, any));
    CMB_TRY(mark_dependence(p, k, x->ng, x->gt, reads, any));
  }
  code->first_count = x->first_count;
  return copy_expressions(p, arena, code, x->first_count, x->first, &code->first);
}

cmb_status cmb_code_fill(const cmb_graph_parts *p, cmb_arena *arena, cmb_code *code)
{
  const cmb_expressions *x = p->x;
  *code = (cmb_code){.nq = x->nq, .nv = x->nv, .ng = x->ng, .ns = p->ns, .no = x->no};
  CMB_TRY(copy_input_counts(p, arena, code));
  code->evaluation = p->options->evaluation;
  CMB_TRY(cmb_graph_create(p->ctx, &code->graph));
  CMB_TRY(copy_inputs(p, arena, code));
  CMB_TRY(copy_entries(p, arena, code, &p->M, CMB_PART_M, &code->M));
  CMB_TRY(copy_entries(p, arena, code, &p->G, CMB_PART_G, &code->G));
  CMB_TRY(copy_part(p, arena, code, CMB_PART_F, &code->f));
  CMB_TRY(copy_part(p, arena, code, CMB_PART_POSITION, &code->g));
  CMB_TRY(copy_part(p, arena, code, CMB_PART_GAMMA, &code->gamma));
  CMB_TRY(copy_part(p, arena, code, CMB_PART_GT, &code->gt));
  CMB_TRY(copy_part(p, arena, code, CMB_PART_OUTPUTS, &code->outputs));
  CMB_TRY(copy_part(p, arena, code, CMB_PART_MARGINS, &code->margin));
  CMB_TRY(copy_levels(p, arena, code));
  if (p->count[CMB_PART_STIFF] > 0) CMB_TRY(copy_stiff(p, arena, code));
  if (cmb_has_rates(x)) CMB_TRY(copy_expressions(p, arena, code, x->nq, x->rates, &code->rates));
  CMB_TRY(copy_balls(p, arena, code));
  CMB_TRY(copy_start(p, arena, code));
  return copy_parameters(p, arena, code);
}
