/*
 * Substitution: replaces some of the inputs of expressions by other expressions, all at once (cmb_substitute). The result is simplified as
 * if it had been built so from the beginning. The replacements themselves are not changed.
 *
 * Nodes are visited in ascending order, so that a node's arguments have been replaced before it. cmb_import does the same into another
 * graph, where every node is built anew.
 */
#include "base/context.h"
#include "expr/graph.h"
#include "expr/implicit.h"

cmb_expr cmb_rebuild(cmb_graph *g, cmb_expr e, const cmb_expr x[3])
{
  cmb_node n = g->nodes[e];
  const cmb_op op = (cmb_op)n.op;
  if (op < CMB_OP_TABLE) return cmb_apply(g, op, x[0], x[1], x[2]);
  n.a = x[0];
  if (cmb_op_arity(op) > 1) n.b = x[1];
  if (cmb_op_arity(op) > 2) n.c = x[2];
  return cmb_intern(g, n);
}

/* Returns node e with its arguments replaced, argument k by rewritten[k]; e itself if no argument changes. */
static cmb_expr rewrite(cmb_graph *g, cmb_expr e, const cmb_expr *rewritten)
{
  int arity = cmb_op_arity(cmb_expr_op(g, e));
  cmb_expr x[3] = {0, 0, 0};
  bool changed = false;
  for (int i = 0; i < arity; i++) {
    cmb_expr argument = cmb_expr_argument(g, e, i);
    x[i] = rewritten[argument];
    changed = changed || x[i] != argument;
  }
  return changed ? cmb_rebuild(g, e, x) : e;
}

cmb_status cmb_substitute(cmb_graph *g, int inputs, const cmb_expr *input,
                          const cmb_expr *replacement, int count, const cmb_expr *exprs,
                          cmb_expr *result)
{
  CMB_TRY(cmb_graph_status(g));
  CMB_REQUIRE(g->ctx,
              cmb_graph_has(g, inputs, input) && cmb_graph_has(g, inputs, replacement) &&
                  cmb_graph_has(g, count, exprs) && (result || count == 0),
              "cmb_substitute needs expressions of the graph");
  const uint32_t size = g->size; /* the existing nodes; new ones have larger numbers */
  uint8_t *marked = cmb_reachable(g, count, exprs);
  cmb_expr *rewritten = cmb_allocate(g->ctx, ((size_t)size + 1) * sizeof *rewritten);
  if (marked && rewritten) {
    for (int j = 0; j < inputs; j++) marked[input[j]] = 2;
    for (int j = 0; j < inputs; j++) rewritten[input[j]] = replacement[j];
    for (cmb_expr e = 0; e < size; e++) {
      if (marked[e] == 1) rewritten[e] = rewrite(g, e, rewritten);
    }
    for (int i = 0; i < count; i++) result[i] = rewritten[exprs[i]];
  } else {
    g->failed = true;
  }
  cmb_release(g->ctx, marked);
  cmb_release(g->ctx, rewritten);
  return cmb_graph_status(g);
}

/* Returns a copy in the graph `to` of node e of the graph `from`, with the arguments x[3], which are nodes of `to`. Adds the node's table, user
 * function or system of equations to `to`, if it has one. */
static cmb_expr rebuild_in(cmb_graph *to, const cmb_graph *from, cmb_expr e, const cmb_expr x[3])
{
  cmb_node n = from->nodes[e];
  const cmb_op op = (cmb_op)n.op;
  if (op == CMB_OP_CONSTANT) return cmb_constant(to, n.value);
  if (op == CMB_OP_INPUT) return cmb_input(to, cmb_expr_name(from, e));
  if (op < CMB_OP_TABLE) return cmb_apply(to, op, x[0], x[1], x[2]);
  if (cmb_is_table(op)) n.data = cmb_table_number(to, from->tables[n.data]);
  if (op == CMB_OP_CALL) n.data = cmb_external_number(to, from->externals[n.data]);
  if (op == CMB_OP_SOLVE) n.data = cmb_import_system(to, from, n.data);
  n.a = x[0];
  n.b = x[1];
  n.c = x[2];
  return cmb_intern(to, n);
}

cmb_status cmb_import(cmb_graph *to, const cmb_graph *from, int inputs, const cmb_expr *input,
                      const cmb_expr *replacement, int count, const cmb_expr *exprs,
                      cmb_expr *result)
{
  CMB_TRY(cmb_graph_status(to));
  CMB_REQUIRE(to->ctx,
              from && cmb_graph_has(from, inputs, input) &&
                  cmb_graph_has(to, inputs, replacement) && cmb_graph_has(from, count, exprs) &&
                  (result || count == 0),
              "cmb_import needs expressions of both graphs");
  uint8_t *marked = cmb_reachable(from, count, exprs);
  cmb_expr *rewritten = cmb_allocate(to->ctx, ((size_t)from->size + 1) * sizeof *rewritten);
  if (marked && rewritten) {
    for (int j = 0; j < inputs; j++) marked[input[j]] = 2;
    for (int j = 0; j < inputs; j++) rewritten[input[j]] = replacement[j];
    for (cmb_expr e = 0; e < from->size; e++) {
      if (marked[e] != 1) continue;
      cmb_expr x[3] = {0, 0, 0};
      const int arity = cmb_op_arity(cmb_expr_op(from, e));
      for (int i = 0; i < arity; i++) x[i] = rewritten[cmb_expr_argument(from, e, i)];
      rewritten[e] = rebuild_in(to, from, e, x);
    }
    for (int i = 0; i < count; i++) result[i] = rewritten[exprs[i]];
  } else {
    to->failed = true;
  }
  cmb_release(to->ctx, marked);
  cmb_release(to->ctx, rewritten);
  return cmb_graph_status(to);
}

/* The nodes of a small expression, in ascending order, and their counterparts in the other graph. */
struct small {
  int count;
  cmb_expr node[CMB_SMALL], rewritten[CMB_SMALL];
};

static int index_of(const struct small *s, cmb_expr e)
{
  int low = 0, high = s->count;
  while (low < high) {
    int middle = (low + high) / 2;
    if (s->node[middle] < e) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

static bool insert(struct small *s, cmb_expr e)
{
  const int at = index_of(s, e);
  if (at < s->count && s->node[at] == e) return true;
  if (s->count == CMB_SMALL) return false;
  for (int k = s->count++; k > at; k--) s->node[k] = s->node[k - 1];
  s->node[at] = e;
  return true;
}

/* Extends the list of nodes s by all nodes on which these depend. Returns false if there would be more than CMB_SMALL. */
static bool collect(const cmb_graph *g, struct small *s)
{
  for (int left = s->count; left > 0;) {
    const cmb_expr e = s->node[--left];
    const int arity = cmb_op_arity(cmb_expr_op(g, e)), before = s->count;
    for (int i = 0; i < arity; i++) {
      if (!insert(s, cmb_expr_argument(g, e, i))) return false;
    }
    left += s->count - before;
  }
  return true;
}

cmb_status cmb_import_small(cmb_graph *to, const cmb_graph *from, int count, const cmb_expr *exprs,
                            cmb_expr *result, int *used_count, cmb_expr *used)
{
  struct small s = {.count = 0};
  bool good = true;
  for (int i = 0; good && i < count; i++) good = insert(&s, exprs[i]);
  if (!good || !collect(from, &s)) return CMB_ERROR_ARGUMENT;
  *used_count = 0;
  for (int k = 0; k < s.count; k++) {
    cmb_expr x[3] = {0, 0, 0};
    const int arity = cmb_op_arity(cmb_expr_op(from, s.node[k]));
    for (int i = 0; i < arity; i++)
      x[i] = s.rewritten[index_of(&s, cmb_expr_argument(from, s.node[k], i))];
    s.rewritten[k] = rebuild_in(to, from, s.node[k], x);
    if (cmb_expr_op(from, s.node[k]) == CMB_OP_INPUT) used[(*used_count)++] = s.node[k];
  }
  for (int i = 0; i < count; i++) result[i] = s.rewritten[index_of(&s, exprs[i])];
  return cmb_graph_status(to);
}
