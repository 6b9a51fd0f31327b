/*
 * Makes random expressions for tests; equal seeds give equal expressions:
 *
 *     struct cmbt_random r = {1};
 *     cmb_expr x[2] = {cmb_input(g, "x"), cmb_input(g, "y")};
 *     cmb_expr e = cmbt_random_expr(&r, g, 2, x, 50, CMBT_EXPR_SMOOTH | CMBT_EXPR_TAME);
 *
 * Without flags an expression may contain all operations of CMB_OP_LIST on inputs and constants of all magnitudes, subexpressions are
 * used several times, and values are often not finite.
 */
#ifndef CMBT_RANDOM_EXPR_H
#define CMBT_RANDOM_EXPR_H

#include "random.h"

#include <camber/expr.h>

enum {
  /* Only operations that are smooth functions of their arguments wherever their value is finite. */
  CMBT_EXPR_SMOOTH = 1,
  /* Arguments are scaled and shifted so that for inputs in [-4, 4] every intermediate value is in about [-4, 4] and smooth operations
   * are far from their singular points. Derivatives can then be compared with difference quotients. One step takes up to five
   * operations. */
  CMBT_EXPR_TAME = 2,
  /* Every subexpression is used once, so that the length of the expression as text is proportional to its number of nodes. Made by
   * recursion, for up to about 10,000 nodes. */
  CMBT_EXPR_TREE = 4
};

/* Returns an expression in the given inputs (at least one), made in `nodes` steps of one operation each. The graph simplifies
 * operations, so the result may be smaller, even a constant, and may not depend on all inputs. */
cmb_expr cmbt_random_expr(struct cmbt_random *r, cmb_graph *g, int inputs, const cmb_expr *input,
                          int nodes, unsigned flags);

#endif
