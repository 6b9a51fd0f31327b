/*
 * Makes the programs of exported C code that are not the method's: modes, outputs and start values (c_code.h).
 *
 * The modes are those of the rule in dae/modes.h, written as formulas: one switching function after the other, each with the modes of those
 * before it, since it may depend on no others. So they are determined by the present state, whatever they were before. The interval of a
 * table is the number of its inner points that are not above the argument: as many comparisons as it has inner points, always. Sticking
 * friction keeps the mode that the step has computed.
 */
#include "base/context.h"
#include "export/c_code.h"
#include "expr/algebra.h"
#include "expr/table.h"
#include "system/start.h"

#include <string.h>

/* The data while the exported programs are made: a new graph of expressions, in which they are built, and its inputs. */
struct program_maker {
  cmb_c_code *c;
  cmb_graph *graph;
  cmb_arena *arena;
  int inputs;
  cmb_expr *input;
};

/* Creates the inputs m->input of the exported programs in their graph: one for each entry of the exported code's array x of all variables,
 * with the name that it has in the model's graph. */
static cmb_status create_inputs(struct program_maker *m)
{
  const cmb_code *x = m->c->x;
  m->inputs = cmb_layout_size(&x->layout);
  m->input = cmb_arena_take(m->arena, (size_t)m->inputs, sizeof *m->input);
  if (!m->input) return cmb_fail_memory(m->c->ctx);
  for (int i = 0; i < m->inputs; i++) {
    m->input[i] = cmb_input(m->graph, cmb_expr_name(x->graph, x->input[i]));
  }
  return cmb_graph_status(m->graph);
}

/* Copies the expressions from[count] of the model's graph to m->graph, the graph of the exported programs. *to receives the array of the
 * copies, allocated in the arena m->arena. */
static cmb_status import(struct program_maker *m, int count, const cmb_expr *from, cmb_expr **to)
{
  *to = cmb_arena_take(m->arena, (size_t)count, sizeof **to);
  if (!*to) return cmb_fail_memory(m->c->ctx);
  return cmb_import(m->graph, m->c->x->graph, 0, NULL, NULL, count, from, *to);
}

/* Builds the expression of an integer-valued mode (discrete variable) from the value `at`: the index, from 0, of the interval of `table` that
 * contains `at`, limited to the first and last interval, or floor(at) if `table` is NULL. */
static cmb_expr level_of(cmb_graph *g, const cmb_table *table, cmb_expr at)
{
  if (!table) return cmb_apply(g, CMB_OP_FLOOR, at, 0, 0);
  cmb_expr sum = 0;
  for (int i = 1; i < table->nx - 1; i++) {
    sum = cmb_add(g, sum, cmb_apply(g, CMB_OP_GE, at, cmb_constant(g, table->x[i]), 0));
  }
  return sum;
}

/* Lists the expressions that determine the ns modes of a model. If level[i] becomes false, mode i is the sign of the switching function of[i];
 * if true, it is the integer to which the value of[i] is rounded down, or the number of its interval in table[i]. */
static void list_mode_values(const cmb_code *x, cmb_expr *of, const cmb_table **table, bool *level)
{
  for (int i = 0; i < x->ns; i++) of[i] = x->margin[i];
  for (int k = 0; k < x->level_count; k++) {
    const int i = x->level_mode[k];
    of[i] = x->deciding[k];
    table[i] = x->level_table[k];
    level[i] = true;
  }
}

/* Creates the program c->modes of the exported code, which computes all modes (signs or levels of the ns switching functions) and then the ns
 * values that determine them. Modes of friction that can stick are passed on unchanged. Does nothing if there are no modes. */
static cmb_status make_modes(struct program_maker *m)
{
  const cmb_code *x = m->c->x;
  cmb_graph *g = m->graph;
  const size_t ns = (size_t)x->ns;
  if (ns == 0) return CMB_OK;
  cmb_expr *of = cmb_arena_take(m->arena, ns, sizeof *of);
  cmb_expr *after = cmb_arena_take(m->arena, 2 * ns, sizeof *after), *value = after + ns;
  const cmb_table **table = cmb_arena_take(m->arena, ns, sizeof(const cmb_table *));
  bool *level = cmb_arena_take(m->arena, ns, sizeof *level);
  if (!of || !after || !table || !level) return cmb_fail_memory(m->c->ctx);
  list_mode_values(x, of, table, level);
  for (int i = 0; i < x->ns; i++) {
    CMB_TRY(cmb_import(g, x->graph, i, x->mode, after, 1, &of[i], &value[i]));
    after[i] = level[i]
                   ? level_of(g, table[i], value[i])
                   : cmb_apply(g, CMB_OP_IF, value[i], cmb_constant(g, 1), cmb_constant(g, -1));
    if (cmb_switch_sticks(m->c->eq, i)) after[i] = m->input[x->layout.first[CMB_BLOCK_MODE] + i];
  }
  return cmb_program_create(m->c->ctx, g, m->inputs, m->input, 2 * x->ns, after, &m->c->modes);
}

/* Creates the program c->outputs of the exported code, which computes the model's outputs and then the new values of all sampled variables.
 * Does nothing if there are neither. */
static cmb_status make_outputs(struct program_maker *m)
{
  const cmb_code *x = m->c->x;
  cmb_expr *out;
  const int count = x->no + x->nh;
  if (count == 0) return CMB_OK;
  CMB_TRY(import(m, count, x->outputs, &out));
  return cmb_program_create(m->c->ctx, m->graph, m->inputs, m->input, count, out, &m->c->outputs);
}

/* Creates the program c->first of the exported code, which computes the start values q and v from the parameters, if the start is given by
 * formulas. Otherwise sets c->start_reads, the parameters whose change makes the stored start invalid. Does nothing if no parameter can be
 * changed. */
static cmb_status make_first(struct program_maker *m)
{
  cmb_c_code *c = m->c;
  const cmb_code *x = c->x;
  const cmb_start_way way = cmb_start_way_of(c->system);
  cmb_expr *out;
  if (!x->first || c->live == 0) return CMB_OK;
  if (way == CMB_START_FORMULAS) {
    CMB_TRY(import(m, x->first_count, x->first, &out));
    return cmb_program_create(c->ctx, m->graph, m->inputs, m->input, x->first_count, out,
                              &c->first);
  }
  c->start_reads = cmb_arena_take(c->arena, (size_t)c->live, sizeof *c->start_reads);
  if (!c->start_reads) return cmb_fail_memory(c->ctx);
  for (int i = 0; i < c->live; i++) c->start_reads[i] = way == CMB_START_FOUND || x->start_reads[i];
  return CMB_OK;
}

cmb_status cmb_c_code_programs(cmb_c_code *c)
{
  struct program_maker m = {.c = c, .arena = c->arena};
  CMB_TRY(cmb_graph_create(c->ctx, &m.graph));
  cmb_status status = create_inputs(&m);
  if (status == CMB_OK) status = make_modes(&m);
  if (status == CMB_OK) status = make_outputs(&m);
  if (status == CMB_OK) status = make_first(&m);
  cmb_graph_destroy(m.graph);
  return status;
}
