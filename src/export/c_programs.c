/*
 * The programs of exported C code that are not the method's: modes and outputs (c_code.h).
 *
 * A mode that is a sign turns when its switching function has changed its own; a level is found anew when it was left. A table's
 * interval is the number of its inner points that are not above: as many comparisons as it has points, always.
 */
#include "base/context.h"
#include "export/c_code.h"
#include "expr/algebra.h"
#include "expr/table.h"

#include <string.h>

struct making {
  cmb_c_code *c;
  cmb_graph *graph;
  cmb_arena *arena;
  int inputs;
  cmb_expr *input;
};

static cmb_expr take_input(struct making *m, const char *name)
{
  return m->input[m->inputs++] = cmb_input(m->graph, name);
}

/* The array x, by the names that the kept expressions have. */
static cmb_status take_inputs(struct making *m)
{
  const cmb_kept *x = m->c->x;
  const struct {
    int count;
    const cmb_expr *of;
  } groups[] = {{x->nq, x->q},         {x->nv, x->v},      {x->ns, x->mode}, {x->nu, x->u},
                {x->np, x->parameter}, {x->ng, x->lambda}, {x->nv, x->a}};
  const int most = 2 + x->nq + 2 * x->nv + x->ns + x->nu + x->np + x->ng;
  m->input = cmb_arena_take(m->arena, (size_t)most, sizeof *m->input);
  if (!m->input) return cmb_fail_memory(m->c->ctx);
  take_input(m, cmb_expr_name(x->graph, x->t));
  take_input(m, "step size");
  for (size_t k = 0; k < sizeof groups / sizeof groups[0]; k++) {
    for (int i = 0; i < groups[k].count; i++) {
      take_input(m, cmb_expr_name(x->graph, groups[k].of[i]));
    }
  }
  return cmb_graph_status(m->graph);
}

static cmb_status import(struct making *m, int count, const cmb_expr *from, cmb_expr **to)
{
  *to = cmb_arena_take(m->arena, (size_t)count, sizeof **to);
  if (!*to) return cmb_fail_memory(m->c->ctx);
  return cmb_import(m->graph, m->c->x->graph, 0, NULL, NULL, count, from, *to);
}

/* The interval of a table that `at` lies in, or the whole number below it. */
static cmb_expr level_of(cmb_graph *g, const cmb_table *table, cmb_expr at)
{
  if (!table) return cmb_apply(g, CMB_OP_FLOOR, at, 0, 0);
  cmb_expr sum = 0;
  for (int i = 1; i < table->nx - 1; i++) {
    sum = cmb_add(g, sum, cmb_apply(g, CMB_OP_GE, at, cmb_constant(g, table->x[i]), 0));
  }
  return sum;
}

static cmb_status make_modes(struct making *m)
{
  const cmb_kept *x = m->c->x;
  cmb_graph *g = m->graph;
  cmb_expr *mode, *margin, *deciding;
  if (x->ns == 0) return CMB_OK;
  CMB_TRY(import(m, x->ns, x->mode, &mode));
  CMB_TRY(import(m, x->ns, x->margin, &margin));
  CMB_TRY(import(m, x->level_count, x->deciding, &deciding));
  cmb_expr *after = cmb_arena_take(m->arena, (size_t)x->ns, sizeof *after);
  if (!after) return cmb_fail_memory(m->c->ctx);
  for (int i = 0; i < x->ns; i++) {
    const cmb_expr turned = cmb_apply(g, CMB_OP_LT, cmb_mul(g, mode[i], margin[i]), 0, 0);
    after[i] = cmb_apply(g, CMB_OP_IF, turned, cmb_neg(g, mode[i]), mode[i]);
  }
  for (int k = 0; k < x->level_count; k++) {
    const int i = x->level_mode[k];
    const cmb_expr left = cmb_apply(g, CMB_OP_LT, margin[i], 0, 0);
    after[i] = cmb_apply(g, CMB_OP_IF, left, level_of(g, x->level_table[k], deciding[k]), mode[i]);
  }
  return cmb_program_create(m->c->ctx, g, m->inputs, m->input, x->ns, after, &m->c->modes);
}

static cmb_status make_outputs(struct making *m)
{
  const cmb_kept *x = m->c->x;
  cmb_expr *out;
  if (x->no == 0) return CMB_OK;
  CMB_TRY(import(m, x->no, x->outputs, &out));
  return cmb_program_create(m->c->ctx, m->graph, m->inputs, m->input, x->no, out, &m->c->outputs);
}

cmb_status cmb_c_code_programs(cmb_c_code *c)
{
  struct making m = {.c = c, .arena = c->arena};
  CMB_TRY(cmb_graph_create(c->ctx, &m.graph));
  cmb_status status = take_inputs(&m);
  if (status == CMB_OK) status = make_modes(&m);
  if (status == CMB_OK) status = make_outputs(&m);
  cmb_graph_destroy(m.graph);
  return status;
}
