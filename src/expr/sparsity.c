/*
 * Sparsity (sparsity.h): for each node the set of inputs it depends on, 64 inputs at a time as the bits of a word.
 * A node's set is the union of its arguments' sets, without those whose partial derivative is the constant 0:
 * conditions, floor, sign and comparisons pass nothing on.
 */
#include "expr/sparsity.h"

#include "base/context.h"
#include "expr/graph.h"

#include <string.h>

enum { WORD = 64 };

/* The sets of all marked nodes for the inputs first .. first + 63. */
static void spread(const cmb_graph *g, const uint8_t *marked, int inputs, const cmb_expr *input,
                   int first, uint64_t *set)
{
  memset(set, 0, (size_t)g->size * sizeof *set);
  for (int j = first; j < inputs && j < first + WORD; j++)
    set[input[j]] |= UINT64_C(1) << (j - first);
  for (cmb_expr e = 0; e < g->size; e++) {
    if (!marked[e]) continue;
    cmb_op op = cmb_expr_op(g, e);
    for (int i = 0; i < cmb_op_arity(op); i++) {
      if (cmb_op_passes(op, i)) set[e] |= set[cmb_expr_argument(g, e, i)];
    }
  }
}

/* Rows are collected block by block of inputs: counted first, then filled. `start` (outputs + 1) counts up. */
static void collect(const cmb_graph *g, const uint8_t *marked, int inputs, const cmb_expr *input,
                    int outputs, const cmb_expr *output, uint64_t *set, int *start, int *column)
{
  for (int first = 0; first < inputs; first += WORD) {
    spread(g, marked, inputs, input, first, set);
    for (int i = 0; i < outputs; i++) {
      for (uint64_t bits = set[output[i]]; bits; bits &= bits - 1) {
        int j = first;
        for (uint64_t low = bits & (~bits + 1); low > 1; low >>= 1) j++;
        if (column) column[start[i]] = j;
        start[i]++;
      }
    }
  }
}

static void make_pattern(const cmb_graph *g, cmb_arena *arena, const uint8_t *marked, uint64_t *set,
                         int inputs, const cmb_expr *input, int outputs, const cmb_expr *output,
                         cmb_pattern *pattern)
{
  int *start = cmb_arena_ints(arena, outputs + 1), *fill = cmb_arena_ints(arena, outputs + 1);
  if (cmb_arena_failed(arena)) return;
  collect(g, marked, inputs, input, outputs, output, set, start, NULL);
  int total = 0;
  for (int i = 0; i < outputs; i++) {
    int count = start[i];
    start[i] = fill[i] = total;
    total += count;
  }
  start[outputs] = total;
  int *column = cmb_arena_ints(arena, total);
  if (cmb_arena_failed(arena)) return;
  collect(g, marked, inputs, input, outputs, output, set, fill, column);
  *pattern = (cmb_pattern){outputs, inputs, start, column};
}

cmb_status cmb_sparsity(cmb_graph *g, cmb_arena *arena, int inputs, const cmb_expr *input,
                        int outputs, const cmb_expr *output, cmb_pattern *pattern)
{
  CMB_TRY(cmb_graph_status(g));
  uint8_t *marked = cmb_reachable(g, outputs, output);
  uint64_t *set = cmb_allocate(g->ctx, ((size_t)g->size + 1) * sizeof *set);
  if (marked && set) {
    make_pattern(g, arena, marked, set, inputs, input, outputs, output, pattern);
  }
  bool good = marked && set && !cmb_arena_failed(arena);
  cmb_release(g->ctx, marked);
  cmb_release(g->ctx, set);
  return good ? CMB_OK : cmb_fail_memory(g->ctx);
}
