/*
 * Continuation of roots and powers with non-integer exponents beyond their domain, for stages of a step that lie slightly beyond a switch.
 * Used where modes are frozen (modes.c), in formulas and for laws of contact.
 */
#ifndef CMB_EXPR_CONTINUED_H
#define CMB_EXPR_CONTINUED_H

#include <camber/expr.h>

enum { CMB_MOST_KNOWN = 16 };

/* Expressions that are known to be non-negative where a formula is evaluated, by the conditions around it. */
typedef struct cmb_known {
  int count;
  cmb_expr of[CMB_MOST_KNOWN];
} cmb_known;

/* Returns whether node e is sqrt(x), or x^p where p is not a constant integer: these are in general not real for negative x. */
bool cmb_is_root(const cmb_graph *g, cmb_expr e);

/* Adds to `known` the expressions that are non-negative because a condition is true (yes) or false: a − b for a > b or a >= b, the
 * conclusions from both sides for a true `and`, and so on. */
void cmb_known_add(cmb_graph *g, cmb_expr condition, bool yes, cmb_known *known);

/* Returns whether e is proved to be non-negative by its operations and by the expressions in `known` (NULL: none); false if no proof was
 * found. */
bool cmb_never_negative(const cmb_graph *g, cmb_expr e, const cmb_known *known);

/* Builds the square root or power e with the argument x in place of its own, continued as an odd function: unchanged for x > 0, minus the
 * root or power of −x for x < 0. */
cmb_expr cmb_continued(cmb_graph *g, cmb_expr e, cmb_expr x);

/* Builds the expression sign(x) |x|^p, which is x^p for x > 0 and −|x|^p for x < 0. Unlike x |x|^(p − 1) it has a derivative at 0 for every p
 * > 1. */
cmb_expr cmb_odd_power(cmb_graph *g, cmb_expr x, cmb_expr p);

#endif
