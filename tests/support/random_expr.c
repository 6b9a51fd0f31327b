/*
 * Makes random expressions (random_expr.h).
 */
#include "random_expr.h"

#include <stdlib.h>

struct source {
  struct cmbt_random *r;
  cmb_graph *g;
  int inputs;
  const cmb_expr *input; /* (inputs) */
  unsigned flags;
};

static const cmb_op smooth_ops[] = {
    CMB_OP_ADD,  CMB_OP_SUB,  CMB_OP_MUL,  CMB_OP_DIV,  CMB_OP_NEG,  CMB_OP_POW,   CMB_OP_SQRT,
    CMB_OP_SIN,  CMB_OP_COS,  CMB_OP_TAN,  CMB_OP_ASIN, CMB_OP_ACOS, CMB_OP_ATAN,  CMB_OP_ATAN2,
    CMB_OP_SINH, CMB_OP_COSH, CMB_OP_TANH, CMB_OP_EXP,  CMB_OP_LOG,  CMB_OP_SMOOTH};

static const cmb_op all_ops[] = {
#define OP(name, text, arity, value) CMB_OP_##name,
    CMB_OP_LIST(OP)
#undef OP
};

static cmb_op random_op(const struct source *s)
{
  enum { SMOOTH = sizeof smooth_ops / sizeof *smooth_ops, ALL = sizeof all_ops / sizeof *all_ops };
  if (cmbt_random_int(s->r, 0, 2) == 0) return all_ops[cmbt_random_int(s->r, 0, 3)]; /* + - * / */
  if (s->flags & CMBT_EXPR_SMOOTH) return smooth_ops[cmbt_random_int(s->r, 0, SMOOTH - 1)];
  return all_ops[cmbt_random_int(s->r, 0, ALL - 1)];
}

static double random_number(const struct source *s)
{
  int kind = cmbt_random_int(s->r, 0, 5);
  if (kind < 3) return cmbt_random_int(s->r, -3, 3);
  if (kind == 3 || s->flags & CMBT_EXPR_TAME) return cmbt_random_uniform(s->r, -4, 4);
  double sign = cmbt_random_int(s->r, 0, 1) ? 1 : -1;
  if (kind == 4) return sign * cmbt_random_int(s->r, 0, 9999) / 100; /* a short decimal */
  return sign * cmbt_random_scale(s->r, 307);
}

static cmb_expr leaf(const struct source *s)
{
  if (cmbt_random_int(s->r, 0, 2) == 0) return cmb_constant(s->g, random_number(s));
  return s->input[cmbt_random_int(s->r, 0, s->inputs - 1)];
}

static cmb_expr scaled(const struct source *s, double factor, cmb_expr a)
{
  return cmb_apply(s->g, CMB_OP_MUL, cmb_constant(s->g, factor), a, 0);
}

static cmb_expr shifted(const struct source *s, double offset, cmb_expr a)
{
  return cmb_apply(s->g, CMB_OP_ADD, cmb_constant(s->g, offset), a, 0);
}

/* Applies the operation to arguments in [-4, 4] that are scaled and shifted so that they are well inside its domain and the result is in
 * about [-4, 4]. */
static cmb_expr apply_tame(const struct source *s, cmb_op op, const cmb_expr *argument)
{
  cmb_expr a = argument[0], b = argument[1], c = argument[2];
  switch (op) {
  case CMB_OP_ADD:
  case CMB_OP_SUB: return scaled(s, 0.5, cmb_apply(s->g, op, a, b, 0));
  case CMB_OP_MUL: return scaled(s, 0.25, cmb_apply(s->g, op, a, b, 0));
  case CMB_OP_DIV: b = shifted(s, 1, cmb_apply(s->g, CMB_OP_MUL, b, b, 0)); break;
  case CMB_OP_POW: a = shifted(s, 5, a), b = scaled(s, 0.125, b); break;
  case CMB_OP_SQRT:
  case CMB_OP_LOG: a = shifted(s, 5, a); break;
  case CMB_OP_ASIN:
  case CMB_OP_ACOS: a = scaled(s, 0.2, a); break;
  case CMB_OP_ATAN2: b = shifted(s, 5, b); break;
  case CMB_OP_TAN:
  case CMB_OP_SINH:
  case CMB_OP_COSH:
  case CMB_OP_EXP: a = scaled(s, 0.25, a); break;
  default: break;
  }
  return cmb_apply(s->g, op, a, b, c);
}

static cmb_expr apply(const struct source *s, cmb_op op, const cmb_expr *argument)
{
  if (s->flags & CMBT_EXPR_TAME) return apply_tame(s, op, argument);
  return cmb_apply(s->g, op, argument[0], argument[1], argument[2]);
}

/* Returns a tree of n operations. The n - 1 operations below the root are distributed at random to its arguments. */
static cmb_expr tree(const struct source *s, int n)
{
  if (n <= 0) return leaf(s);
  cmb_op op = random_op(s);
  cmb_expr argument[3] = {0, 0, 0};
  int arity = cmb_op_arity(op), left = n - 1;
  for (int i = 0; i < arity; i++) {
    int share = i == arity - 1 ? left : cmbt_random_int(s->r, 0, left);
    argument[i] = tree(s, share);
    left -= share;
  }
  return apply(s, op, argument);
}

/* Returns the last of n steps, where each step applies an operation to results of earlier steps, inputs and constants. One argument is
 * always the result of the step before, so that most steps contribute to the last one. */
static cmb_expr shared(const struct source *s, int n)
{
  cmb_expr *made = malloc(((size_t)n + 1) * sizeof *made);
  if (!made) abort();
  made[0] = leaf(s);
  for (int k = 1; k <= n; k++) {
    cmb_op op = random_op(s);
    cmb_expr argument[3] = {0, 0, 0};
    for (int i = 0; i < cmb_op_arity(op); i++) {
      int kind = cmbt_random_int(s->r, 0, 3);
      if (i == 0 || kind == 0)
        argument[i] = made[k - 1];
      else if (kind == 1)
        argument[i] = made[cmbt_random_int(s->r, 0, k - 1)];
      else
        argument[i] = leaf(s);
    }
    if (cmbt_random_int(s->r, 0, 1)) { /* exchange the first two arguments in half of the steps */
      int other = cmb_op_arity(op) > 1;
      cmb_expr first = argument[0];
      argument[0] = argument[other];
      argument[other] = first;
    }
    made[k] = apply(s, op, argument);
  }
  cmb_expr e = made[n];
  free(made);
  return e;
}

cmb_expr cmbt_random_expr(struct cmbt_random *r, cmb_graph *g, int inputs, const cmb_expr *input,
                          int nodes, unsigned flags)
{
  const struct source s = {r, g, inputs, input, flags};
  return flags & CMBT_EXPR_TREE ? tree(&s, nodes) : shared(&s, nodes);
}
