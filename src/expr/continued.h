/*
 * Continuation of roots and powers with non-integer exponents beyond their domain, for stages of a step that lie slightly beyond a switch.
 * Used where modes are frozen (modes.c), in formulas and for laws of contact.
 */
#ifndef CMB_EXPR_CONTINUED_H
#define CMB_EXPR_CONTINUED_H

#include <camber/expr.h>

enum { CMB_MOST_KNOWN = 16 };

/* Expressions that are known not to be negative where a formula is evaluated, from the conditions around it. */
typedef struct cmb_known {
  int count;
  cmb_expr of[CMB_MOST_KNOWN];
} cmb_known;

/* Returns whether e is a sqrt(x), or an x^p where p is not known to be a whole number: these are not real for negative x. */
bool cmb_is_root(const cmb_graph *g, cmb_expr e);

/* Adds the conclusions from a condition that is true (yes) or false: for a > b that a − b >= 0, for `and` those of both sides, and so
 * on. */
void cmb_known_add(cmb_graph *g, cmb_expr condition, bool yes, cmb_known *known);

/* Returns whether the operations in e, and the expressions known not to be negative, prove that e is not negative. False: no proof was
 * found. */
bool cmb_never_negative(const cmb_graph *g, cmb_expr e, const cmb_known *known);

/* Returns the root e with the argument x, continued as an odd function: unchanged for x >= 0, minus the root of −x for x < 0. */
cmb_expr cmb_continued(cmb_graph *g, cmb_expr e, cmb_expr x);

/* Returns x^p for x >= 0 and −|x|^p for x < 0. Unlike x |x|^(p − 1) it has a derivative at 0 for every p > 1. */
cmb_expr cmb_odd_power(cmb_graph *g, cmb_expr x, cmb_expr p);

#endif
