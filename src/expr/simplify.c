/*
 * Creates operations in a graph (cmb_apply): folds constants and simplifies.
 *
 * Every rule keeps a finite value up to rounding. A few turn a value that is not finite into a finite one (0 · x = 0), which is permitted;
 * none goes the other way. Sums, products, minima and maxima have their arguments in the order of their numbers, so that a + b and b + a
 * are one node.
 */
#include "expr/graph.h"

#include <math.h>

static bool is_constant(const cmb_graph *g, cmb_expr e)
{
  return g->nodes[e].op == CMB_OP_CONSTANT;
}

static bool is_value(const cmb_graph *g, cmb_expr e, double value)
{
  return is_constant(g, e) && g->nodes[e].value == value;
}

static bool is_op(const cmb_graph *g, cmb_expr e, cmb_op op)
{
  return g->nodes[e].op == (uint8_t)op;
}

static cmb_expr make(cmb_graph *g, cmb_op op, cmb_expr a, cmb_expr b, cmb_expr c)
{
  return cmb_intern(g, (cmb_node){.op = (uint8_t)op, .a = a, .b = b, .c = c});
}

static cmb_expr make_ordered(cmb_graph *g, cmb_op op, cmb_expr a, cmb_expr b)
{
  return a < b ? make(g, op, a, b, 0) : make(g, op, b, a, 0);
}

static cmb_expr negate(cmb_graph *g, cmb_expr a)
{
  if (is_op(g, a, CMB_OP_NEG)) return g->nodes[a].a;
  if (is_op(g, a, CMB_OP_SUB)) return make(g, CMB_OP_SUB, g->nodes[a].b, g->nodes[a].a, 0);
  return make(g, CMB_OP_NEG, a, 0, 0);
}

static cmb_expr subtract(cmb_graph *g, cmb_expr a, cmb_expr b);

static cmb_expr add(cmb_graph *g, cmb_expr a, cmb_expr b)
{
  if (a == 0) return b;
  if (b == 0) return a;
  if (is_op(g, b, CMB_OP_NEG)) return subtract(g, a, g->nodes[b].a);
  if (is_op(g, a, CMB_OP_NEG)) return subtract(g, b, g->nodes[a].a);
  return make_ordered(g, CMB_OP_ADD, a, b);
}

static cmb_expr subtract(cmb_graph *g, cmb_expr a, cmb_expr b)
{
  if (a == b) return 0;
  if (b == 0) return a;
  if (a == 0) return negate(g, b);
  if (is_op(g, b, CMB_OP_NEG)) return add(g, a, g->nodes[b].a);
  if (is_op(g, a, CMB_OP_NEG)) return negate(g, add(g, g->nodes[a].a, b));
  return make(g, CMB_OP_SUB, a, b, 0);
}

static cmb_expr multiply(cmb_graph *g, cmb_expr a, cmb_expr b)
{
  if (a == 0 || b == 0) return 0;
  if (is_value(g, a, 1)) return b;
  if (is_value(g, b, 1)) return a;
  if (is_value(g, a, -1)) return negate(g, b);
  if (is_value(g, b, -1)) return negate(g, a);
  if (is_op(g, a, CMB_OP_NEG)) return negate(g, multiply(g, g->nodes[a].a, b));
  if (is_op(g, b, CMB_OP_NEG)) return negate(g, multiply(g, a, g->nodes[b].a));
  return make_ordered(g, CMB_OP_MUL, a, b);
}

static cmb_expr divide(cmb_graph *g, cmb_expr a, cmb_expr b)
{
  if (a == 0 && b != 0) return 0;
  if (is_value(g, b, 1)) return a;
  if (is_value(g, b, -1)) return negate(g, a);
  if (is_op(g, a, CMB_OP_NEG)) return negate(g, divide(g, g->nodes[a].a, b));
  if (is_op(g, b, CMB_OP_NEG)) return negate(g, divide(g, a, g->nodes[b].a));
  return make(g, CMB_OP_DIV, a, b, 0);
}

static cmb_expr power(cmb_graph *g, cmb_expr a, cmb_expr b)
{
  if (b == 0) return cmb_constant(g, 1);
  if (is_value(g, b, 1)) return a;
  if (is_value(g, b, 2)) return multiply(g, a, a);
  return make(g, CMB_OP_POW, a, b, 0);
}

/* Builds the function op of one argument a. Simplifies odd and even functions of a negated argument, such as sin(−a) = −sin a and cos(−a) = cos
 * a, and abs(abs(a)). */
static cmb_expr unary(cmb_graph *g, cmb_op op, cmb_expr a)
{
  bool negated = is_op(g, a, CMB_OP_NEG);
  switch (op) {
  case CMB_OP_SIN:
  case CMB_OP_TAN:
  case CMB_OP_ASIN:
  case CMB_OP_ATAN:
  case CMB_OP_SINH:
  case CMB_OP_TANH:
  case CMB_OP_SIGN:
    if (negated) return negate(g, unary(g, op, g->nodes[a].a));
    break;
  case CMB_OP_COS:
  case CMB_OP_COSH:
  case CMB_OP_ABS:
    if (negated) return unary(g, op, g->nodes[a].a);
    if (op == CMB_OP_ABS && is_op(g, a, CMB_OP_ABS)) return a;
    break;
  default: break;
  }
  return make(g, op, a, 0, 0);
}

static cmb_expr choose(cmb_graph *g, cmb_expr condition, cmb_expr yes, cmb_expr no)
{
  if (yes == no) return yes;
  if (is_constant(g, condition)) return g->nodes[condition].value > 0 ? yes : no;
  return make(g, CMB_OP_IF, condition, yes, no);
}

/* Computes *value, the value of operation op, if all its arguments (up to three expressions) are constants. Returns false if one is not, or
 * if the value is not finite. */
static bool fold(const cmb_graph *g, cmb_op op, const cmb_expr *arguments, double *value)
{
  double x[3] = {0, 0, 0};
  for (int i = 0; i < 3 && i < cmb_op_arity(op); i++) {
    if (!is_constant(g, arguments[i])) return false;
    x[i] = g->nodes[arguments[i]].value;
  }
  *value = cmb_op_value(op, x[0], x[1], x[2]);
  return isfinite(*value);
}

cmb_expr cmb_apply(cmb_graph *g, cmb_op op, cmb_expr a, cmb_expr b, cmb_expr c)
{
  const cmb_expr arguments[3] = {a, b, c};
  double value;
  if (g->failed) return 0;
  if (op <= CMB_OP_INPUT || op >= CMB_OP_TABLE || !cmb_graph_has(g, cmb_op_arity(op), arguments)) {
    return cmb_graph_misuse(g);
  }
  if (fold(g, op, arguments, &value)) return cmb_constant(g, value);
  switch (op) {
  case CMB_OP_ADD: return add(g, a, b);
  case CMB_OP_SUB: return subtract(g, a, b);
  case CMB_OP_MUL: return multiply(g, a, b);
  case CMB_OP_DIV: return divide(g, a, b);
  case CMB_OP_NEG: return negate(g, a);
  case CMB_OP_POW: return power(g, a, b);
  case CMB_OP_IF: return choose(g, a, b, c);
  case CMB_OP_STICK: return make(g, op, a, b, c);
  case CMB_OP_MIN:
  case CMB_OP_MAX: return a == b ? a : make_ordered(g, op, a, b);
  default: break;
  }
  return cmb_op_arity(op) == 1 ? unary(g, op, a) : make(g, op, a, b, 0);
}
