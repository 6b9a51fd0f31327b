/*
 * Roots and broken powers beyond their domain: how a branch goes on behind the switch at which it ends.
 */
#ifndef CMB_EXPR_CONTINUED_H
#define CMB_EXPR_CONTINUED_H

#include <camber/expr.h>

enum { CMB_MOST_KNOWN = 16 };

/* Expressions that are not negative where a formula is evaluated, from the conditions around it. */
typedef struct cmb_known {
  int count;
  cmb_expr of[CMB_MOST_KNOWN];
} cmb_known;

/* sqrt(x), or x^p with a p that is not known to be a whole number: not real for negative x. */
bool cmb_is_root(const cmb_graph *g, cmb_expr e);

/* Adds what holds where the condition is true (yes), or false: a − b >= 0 of a > b, both sides of `and`, and so on. */
void cmb_known_add(cmb_graph *g, cmb_expr condition, bool yes, cmb_known *known);

/* Whether the form of e, and what is known, show that it is not negative. False: not found out. */
bool cmb_never_negative(const cmb_graph *g, cmb_expr e, const cmb_known *known);

/* The root e with the argument x: the same for x >= 0, and its negative image for x < 0. */
cmb_expr cmb_continued(cmb_graph *g, cmb_expr e, cmb_expr x);

/* x^p for x >= 0, −|x|^p for x < 0. Unlike x |x|^(p − 1) it has a derivative at 0 for every p > 1. */
cmb_expr cmb_odd_power(cmb_graph *g, cmb_expr x, cmb_expr p);

#endif
