/*
 * Derivatives by forward and by reverse mode, as expressions in the same graph (cmb_forward, cmb_reverse and the partial derivatives they
 * use).
 *
 * Both visit the nodes that the outputs are made of, in ascending order (forward) or descending order (reverse):
 *     forward   ẏ = Σ_i (∂y/∂x_i) ẋ_i        for each node y with arguments x_i
 *     reverse   x̄_i += (∂y/∂x_i) ȳ
 * Node 0 is the constant 0, so an array of zeros means "no derivative" to begin with.
 */
#include "base/context.h"
#include "expr/foot.h"
#include "expr/graph.h"
#include "expr/implicit.h"
#include "expr/table.h"

#include <math.h>

static cmb_expr op1(cmb_graph *g, cmb_op op, cmb_expr a)
{
  return cmb_apply(g, op, a, 0, 0);
}

static cmb_expr op2(cmb_graph *g, cmb_op op, cmb_expr a, cmb_expr b)
{
  return cmb_apply(g, op, a, b, 0);
}

static cmb_expr one(cmb_graph *g)
{
  return cmb_constant(g, 1);
}

static cmb_expr reciprocal(cmb_graph *g, cmb_expr a)
{
  return op2(g, CMB_OP_DIV, one(g), a);
}

/* Builds the expression 1 + a² if s > 0, otherwise 1 − a². */
static cmb_expr one_plus_square(cmb_graph *g, double s, cmb_expr a)
{
  cmb_expr square = op2(g, CMB_OP_MUL, a, a);
  return op2(g, s > 0 ? CMB_OP_ADD : CMB_OP_SUB, one(g), square);
}

/* Builds the partial derivative of the power e = a^b: ∂e/∂a = b a^(b−1) for i = 0, ∂e/∂b = e log a for i = 1. */
static cmb_expr partial_power(cmb_graph *g, cmb_expr e, cmb_expr a, cmb_expr b, int i)
{
  if (i == 1) return op2(g, CMB_OP_MUL, e, op1(g, CMB_OP_LOG, a));
  cmb_expr less = op2(g, CMB_OP_SUB, b, one(g));
  return op2(g, CMB_OP_MUL, b, op2(g, CMB_OP_POW, a, less));
}

/* Builds the partial derivative of atan2(a, b): b/(a² + b²) with respect to a (i = 0), −a/(a² + b²) with respect to b (i = 1). */
static cmb_expr partial_atan2(cmb_graph *g, cmb_expr a, cmb_expr b, int i)
{
  cmb_expr square = op2(g, CMB_OP_ADD, op2(g, CMB_OP_MUL, a, a), op2(g, CMB_OP_MUL, b, b));
  return op2(g, CMB_OP_DIV, i == 0 ? b : op1(g, CMB_OP_NEG, a), square);
}

static cmb_expr partial_of_two(cmb_graph *g, cmb_op op, cmb_expr e, cmb_expr a, cmb_expr b, int i)
{
  switch (op) {
  case CMB_OP_ADD: return one(g);
  case CMB_OP_SUB: return cmb_constant(g, i == 0 ? 1 : -1);
  case CMB_OP_MUL: return i == 0 ? b : a;
  case CMB_OP_DIV: return i == 0 ? reciprocal(g, b) : op1(g, CMB_OP_NEG, op2(g, CMB_OP_DIV, e, b));
  case CMB_OP_POW: return partial_power(g, e, a, b, i);
  case CMB_OP_ATAN2: return partial_atan2(g, a, b, i);
  case CMB_OP_MIN: return op2(g, i == 0 ? CMB_OP_LT : CMB_OP_GE, a, b);
  case CMB_OP_MAX: return op2(g, i == 0 ? CMB_OP_GT : CMB_OP_LE, a, b);
  default: return 0;
  }
}

static cmb_expr partial_of_one(cmb_graph *g, cmb_op op, cmb_expr e, cmb_expr a)
{
  switch (op) {
  case CMB_OP_NEG: return cmb_constant(g, -1);
  case CMB_OP_SQRT: return op2(g, CMB_OP_DIV, cmb_constant(g, 0.5), e);
  case CMB_OP_SIN: return op1(g, CMB_OP_COS, a);
  case CMB_OP_COS: return op1(g, CMB_OP_NEG, op1(g, CMB_OP_SIN, a));
  case CMB_OP_TAN: return one_plus_square(g, 1, e);
  case CMB_OP_ASIN: return reciprocal(g, op1(g, CMB_OP_SQRT, one_plus_square(g, -1, a)));
  case CMB_OP_ACOS:
    return op1(g, CMB_OP_NEG, reciprocal(g, op1(g, CMB_OP_SQRT, one_plus_square(g, -1, a))));
  case CMB_OP_ATAN: return reciprocal(g, one_plus_square(g, 1, a));
  case CMB_OP_SINH: return op1(g, CMB_OP_COSH, a);
  case CMB_OP_COSH: return op1(g, CMB_OP_SINH, a);
  case CMB_OP_TANH: return one_plus_square(g, -1, e);
  case CMB_OP_EXP: return e;
  case CMB_OP_LOG: return reciprocal(g, a);
  case CMB_OP_ABS: return op1(g, CMB_OP_SIGN, a);
  case CMB_OP_SMOOTH: return one(g);
  default: return 0;
  }
}

/* Builds the partial derivative of the table lookup e with respect to its argument i: a lookup of the table's next derivative, or 0 where this
 * is known to vanish. Tables that give the nearest point on a curve have a formula for it; for tables that are sums of waves, orders above 15
 * are an error of the graph. */
static cmb_expr partial_of_table(cmb_graph *g, cmb_expr e, int i)
{
  const cmb_node n = g->nodes[e];
  if (n.op != CMB_OP_TABLE2) return cmb_table_node(g, (cmb_op)n.op, n.order + 1, n.data, n.a, n.b);
  const int dx = n.order % CMB_TABLE2_ORDERS + (i == 0),
            dy = n.order / CMB_TABLE2_ORDERS + (i == 1);
  if (g->tables[n.data]->kind == CMB_TABLE_FOOT) return cmb_foot_partial(g, e, i);
  const bool waves = g->tables[n.data]->kind == CMB_TABLE_WAVES;
  if (!waves && (dx > 3 || dy > 3)) return 0;
  if (dx >= CMB_TABLE2_ORDERS || dy >= CMB_TABLE2_ORDERS) return cmb_graph_misuse(g);
  return cmb_table_node(g, CMB_OP_TABLE2, dx + CMB_TABLE2_ORDERS * dy, n.data, n.a, n.b);
}

/* Builds the partial derivative with respect to argument i of e, which is a call of a user's C function or of a derivative of one. Fourth
 * derivatives are taken as 0. A derivative is stored by its order, a number whose base-4 digits are the arguments (1 to 3) with respect to
 * which it is taken. */
static cmb_expr partial_of_call(cmb_graph *g, cmb_expr e, int i)
{
  cmb_node n = g->nodes[e];
  int digit = n.order == 0 ? 1 : n.order < 4 ? 4 : 16;
  if (n.order >= 16 || i >= g->externals[n.data]->arity)
    return 0; /* at most three derivatives are supported */
  n.order = (uint8_t)(n.order + (i + 1) * digit);
  return cmb_intern(g, n);
}

cmb_expr cmb_partial(cmb_graph *g, cmb_expr e, int i)
{
  cmb_op op = cmb_expr_op(g, e);
  if (!cmb_op_passes(op, i)) return 0;
  if (cmb_is_table(op)) return partial_of_table(g, e, i);
  if (op == CMB_OP_CALL) return partial_of_call(g, e, i);
  cmb_expr a = cmb_expr_argument(g, e, 0), b = cmb_expr_argument(g, e, 1);
  switch (cmb_op_arity(op)) {
  case 1: return partial_of_one(g, op, e, a);
  case 2: return partial_of_two(g, op, e, a, b, i);
  case 3:
    if (op == CMB_OP_STICK) return op1(g, CMB_OP_SIGN, a);
    /* if: the derivative of the active branch */
    return cmb_apply(g, CMB_OP_IF, a, cmb_constant(g, i == 1), cmb_constant(g, i == 2));
  default: return 0;
  }
}

/* Returns the forward-mode derivative of node e, one unknown of a solved system of equations, from the derivatives dot[] of earlier nodes: the
 * corresponding unknown of the differentiated system. */
static cmb_expr forward_unknown(cmb_graph *g, cmb_expr e, const cmb_expr *dot)
{
  const cmb_node n = g->nodes[e];
  const bool only = g->systems[g->nodes[n.a].data]->n == 1;
  return only || dot[n.a] == 0 ? dot[n.a] : cmb_solution_part(g, dot[n.a], n.order);
}

/* Builds the forward-mode derivative ẏ = Σ_i (∂y/∂x_i) ẋ_i of node e with the value y, where dot[] contains the derivatives ẋ_i of its
 * arguments. The derivative of `if`, min and max is that of the selected argument; that of a solved system of equations is the solution of a
 * linear system. */
static cmb_expr forward_node(cmb_graph *g, cmb_expr e, const cmb_expr *dot)
{
  if (cmb_expr_op(g, e) == CMB_OP_SOLVE) return cmb_solution_forward(g, e, dot);
  if (cmb_expr_op(g, e) == CMB_OP_PART) return forward_unknown(g, e, dot);
  const cmb_op op = cmb_expr_op(g, e);
  int arity = cmb_op_arity(op);
  if (op == CMB_OP_IF) { /* one choice instead of two products */
    cmb_expr yes = dot[cmb_expr_argument(g, e, 1)], no = dot[cmb_expr_argument(g, e, 2)];
    return cmb_apply(g, CMB_OP_IF, cmb_expr_argument(g, e, 0), yes, no);
  }
  if (op == CMB_OP_MIN ||
      op == CMB_OP_MAX) { /* an `if` of the two derivatives: its bounds lie between theirs */
    const cmb_expr a = cmb_expr_argument(g, e, 0), b = cmb_expr_argument(g, e, 1);
    if (dot[a] == 0 && dot[b] == 0) return 0;
    return cmb_apply(g, CMB_OP_IF, cmb_partial(g, e, 0), dot[a], dot[b]);
  }
  cmb_expr sum = 0;
  for (int i = 0; i < arity; i++) {
    cmb_expr d = dot[cmb_expr_argument(g, e, i)];
    if (d == 0) continue;
    sum = op2(g, CMB_OP_ADD, sum, op2(g, CMB_OP_MUL, cmb_partial(g, e, i), d));
  }
  return sum;
}

cmb_status cmb_forward(cmb_graph *g, int inputs, const cmb_expr *input, const cmb_expr *direction,
                       int outputs, const cmb_expr *output, cmb_expr *result)
{
  CMB_TRY(cmb_graph_status(g));
  CMB_REQUIRE(g->ctx,
              cmb_graph_has(g, inputs, input) && cmb_graph_has(g, inputs, direction) &&
                  cmb_graph_has(g, outputs, output) && (result || outputs == 0),
              "cmb_forward needs expressions of the graph");
  /* the nodes before differentiation; those that it creates have larger numbers */
  const uint32_t size = g->size;
  uint8_t *marked = cmb_reachable(g, outputs, output);
  cmb_expr *dot = cmb_allocate(g->ctx, ((size_t)size + 1) * sizeof *dot);
  if (marked && dot) {
    for (int j = 0; j < inputs; j++) dot[input[j]] = direction[j];
    for (cmb_expr e = 0; e < size; e++) {
      if (marked[e] && cmb_op_arity(cmb_expr_op(g, e)) > 0) dot[e] = forward_node(g, e, dot);
    }
    for (int i = 0; i < outputs; i++) result[i] = dot[output[i]];
  } else {
    g->failed = true;
  }
  cmb_release(g->ctx, marked);
  cmb_release(g->ctx, dot);
  return cmb_graph_status(g);
}

cmb_status cmb_reverse(cmb_graph *g, int inputs, const cmb_expr *input, int outputs,
                       const cmb_expr *output, const cmb_expr *weight, cmb_expr *result)
{
  CMB_TRY(cmb_graph_status(g));
  CMB_REQUIRE(g->ctx,
              cmb_graph_has(g, inputs, input) && cmb_graph_has(g, outputs, output) &&
                  cmb_graph_has(g, outputs, weight) && (result || inputs == 0),
              "cmb_reverse needs expressions of the graph");
  const uint32_t size = g->size;
  cmb_expr *bar = cmb_allocate(g->ctx, ((size_t)size + 1) * sizeof *bar);
  if (bar) {
    for (int i = 0; i < outputs; i++)
      bar[output[i]] = op2(g, CMB_OP_ADD, bar[output[i]], weight[i]);
    for (cmb_expr e = size; e-- > 0;) {
      if (cmb_expr_op(g, e) == CMB_OP_SOLVE) cmb_solution_reverse(g, e, size, bar);
      if (bar[e] == 0) continue;
      int arity = cmb_op_arity(cmb_expr_op(g, e));
      for (int i = 0; i < arity; i++) {
        cmb_expr x = cmb_expr_argument(g, e, i), partial = cmb_partial(g, e, i);
        if (partial == 0) continue;
        bar[x] = op2(g, CMB_OP_ADD, bar[x], op2(g, CMB_OP_MUL, partial, bar[e]));
      }
    }
    for (int j = 0; j < inputs; j++) result[j] = bar[input[j]];
  } else {
    g->failed = true;
  }
  cmb_release(g->ctx, bar);
  return cmb_graph_status(g);
}
