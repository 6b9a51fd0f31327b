/*
 * Continues roots and powers with non-integer exponents beyond their domain (continued.h), so that a step can pass a switch at which a
 * branch ends.
 *
 * In abs(x)^1.5, max(x, 0)^1.5 and if(x > 0, sqrt(x), 0) the branch ends where its root stops being real. Inside a step the branch is
 * frozen, and a stage of the method may lie slightly beyond the switch: there
 *
 *     x^p = −|x|^p,   sqrt(x) = −sqrt(|x|)      for x < 0
 *
 * which continues a contact law as usual: continuous, as smooth at 0 as from one side, and growing on both sides. The solution is cut at
 * the switch, so that the continuation only makes the step possible and does not change the result. It is used only where the formula
 * itself shows that the argument is not negative in the branch, so that no mistake is hidden: any other root of a negative number is still
 * not finite.
 */
#include "expr/continued.h"

#include "expr/graph.h"

#include <math.h>

enum { MOST_VISITS = 200 }; /* limit of the nodes that one proof visits */

/* Returns argument i (0, 1 or 2) of node e of an expression graph; 0 if its operation has fewer. */
static cmb_expr argument(const cmb_graph *g, cmb_expr e, int i)
{
  return cmb_expr_argument(g, e, i);
}

static bool is_constant(const cmb_graph *g, cmb_expr e)
{
  return cmb_expr_op(g, e) == CMB_OP_CONSTANT;
}

static bool is_whole(const cmb_graph *g, cmb_expr e, double divisor)
{
  return is_constant(g, e) && fmod(cmb_expr_constant(g, e), divisor) == 0;
}

bool cmb_is_root(const cmb_graph *g, cmb_expr e)
{
  if (cmb_expr_op(g, e) == CMB_OP_SQRT) return true;
  return cmb_expr_op(g, e) == CMB_OP_POW && !is_whole(g, argument(g, e, 1), 1);
}

/* ---- expressions that are never negative */

struct proof {
  const cmb_graph *g;
  const cmb_known *known;
  int visits;
};

static bool holds(struct proof *p, cmb_expr e);

static bool both(struct proof *p, cmb_expr e, int first)
{
  return holds(p, argument(p->g, e, first)) && holds(p, argument(p->g, e, first + 1));
}

static bool follows_from_operation(struct proof *p, cmb_expr e)
{
  const cmb_graph *g = p->g;
  switch (cmb_expr_op(g, e)) {
  case CMB_OP_CONSTANT: return cmb_expr_constant(g, e) >= 0;
  case CMB_OP_ABS:
  case CMB_OP_EXP:
  case CMB_OP_COSH:
  case CMB_OP_SQRT:
  case CMB_OP_ACOS: return true;
  case CMB_OP_MUL: return argument(g, e, 0) == argument(g, e, 1) || both(p, e, 0);
  case CMB_OP_ADD:
  case CMB_OP_DIV:
  case CMB_OP_MIN: return both(p, e, 0);
  case CMB_OP_MAX: return holds(p, argument(g, e, 0)) || holds(p, argument(g, e, 1));
  case CMB_OP_IF: return both(p, e, 1);
  case CMB_OP_POW: return is_whole(g, argument(g, e, 1), 2) || holds(p, argument(g, e, 0));
  case CMB_OP_SMOOTH: return holds(p, argument(g, e, 0));
  default: return false;
  }
}

static bool holds(struct proof *p, cmb_expr e)
{
  for (int i = 0; p->known && i < p->known->count; i++) {
    if (p->known->of[i] == e) return true;
  }
  return p->visits-- > 0 && follows_from_operation(p, e);
}

bool cmb_never_negative(const cmb_graph *g, cmb_expr e, const cmb_known *known)
{
  struct proof p = {g, known, MOST_VISITS};
  return holds(&p, e);
}

/* ---- conclusions from conditions */

/* Appends the expression e to the list of expressions known to be non-negative; ignores it if the list is full. */
static void append_known(cmb_known *known, cmb_expr e)
{
  if (known->count < CMB_MOST_KNOWN) known->of[known->count++] = e;
}

/* Draws conclusions from a >= b and appends them to `known`, the list of expressions known to be non-negative: a − b; also a if b is proved to
 * be non-negative, and −b if −a is. */
static void add_order(cmb_graph *g, cmb_expr a, cmb_expr b, cmb_known *known)
{
  const cmb_expr minus_a = cmb_apply(g, CMB_OP_NEG, a, 0, 0);
  append_known(known, cmb_apply(g, CMB_OP_SUB, a, b, 0));
  if (cmb_never_negative(g, b, known)) append_known(known, a);
  if (cmb_never_negative(g, minus_a, known)) append_known(known, cmb_apply(g, CMB_OP_NEG, b, 0, 0));
}

void cmb_known_add(cmb_graph *g, cmb_expr condition, bool yes, cmb_known *known)
{
  const cmb_expr a = argument(g, condition, 0), b = argument(g, condition, 1);
  const cmb_op op = cmb_expr_op(g, condition);
  if (op == CMB_OP_GT || op == CMB_OP_GE) {
    add_order(g, yes ? a : b, yes ? b : a, known);
  } else if (op == CMB_OP_LT || op == CMB_OP_LE) {
    add_order(g, yes ? b : a, yes ? a : b, known);
  } else if (op ==
             (yes ? CMB_OP_MIN
                  : CMB_OP_MAX)) { /* `and` is true, or `or` is false: so are both arguments */
    cmb_known_add(g, a, yes, known);
    cmb_known_add(g, b, yes, known);
  }
}

/* ---- continuation */

/* Builds the expression smooth(sign(x) y). smooth(...) keeps the change of sign from becoming an event. */
static cmb_expr with_sign(cmb_graph *g, cmb_expr x, cmb_expr y)
{
  const cmb_expr product = cmb_apply(g, CMB_OP_MUL, cmb_apply(g, CMB_OP_SIGN, x, 0, 0), y, 0);
  return cmb_apply(g, CMB_OP_SMOOTH, product, 0, 0);
}

cmb_expr cmb_odd_power(cmb_graph *g, cmb_expr x, cmb_expr p)
{
  return with_sign(g, x, cmb_apply(g, CMB_OP_POW, cmb_apply(g, CMB_OP_ABS, x, 0, 0), p, 0));
}

cmb_expr cmb_continued(cmb_graph *g, cmb_expr e, cmb_expr x)
{
  if (cmb_expr_op(g, e) == CMB_OP_POW) return cmb_odd_power(g, x, argument(g, e, 1));
  return with_sign(g, x, cmb_apply(g, CMB_OP_SQRT, cmb_apply(g, CMB_OP_ABS, x, 0, 0), 0, 0));
}
