/*
 * Random expressions for tests, the same for the same seed:
 *
 *     struct cmbt_random r = {1};
 *     cmb_expr x[2] = {cmb_input(g, "x"), cmb_input(g, "y")};
 *     cmb_expr e = cmbt_random_expr(&r, g, 2, x, 50, CMBT_EXPR_SMOOTH | CMBT_EXPR_TAME);
 *
 * Without flags: all operations of CMB_OP_LIST on inputs and constants of all magnitudes; subexpressions are used
 * several times; values are often not finite.
 */
#ifndef CMBT_RANDOM_EXPR_H
#define CMBT_RANDOM_EXPR_H

#include "random.h"

#include <camber/expr.h>

enum {
  /* Only operations whose value is a smooth function of the arguments, wherever it is finite. */
  CMBT_EXPR_SMOOTH = 1,
  /* Arguments are scaled and shifted so that for inputs in [-4, 4] every value on the way is in [-4, 4] or near it,
   * and smooth operations are far from their singular points: derivatives can be compared with differences. One
   * step then takes up to five operations. */
  CMBT_EXPR_TAME = 2,
  /* Every subexpression is used once: the text is about as long as the expression has nodes. Recursive, for up to some
   * 10,000 nodes. */
  CMBT_EXPR_TREE = 4
};

/* An expression of the given inputs (nodes, at least one), made in `nodes` steps, one operation each. What the
 * graph simplifies on the way is gone, so it may be smaller, even a constant. The inputs need not all occur. */
cmb_expr cmbt_random_expr(struct cmbt_random *r, cmb_graph *g, int inputs, const cmb_expr *input,
                          int nodes, unsigned flags);

#endif
