/*
 * Numbers of a model: a value and, where parameters stay live, the expression of them that it was computed by.
 *
 * Arithmetic on numbers is that on their values, operation by operation, and makes expressions only where an operand is live. So a model
 * without live parameters is computed as if its numbers were doubles. What decides something (is an axis parallel to another?) looks at
 * the value alone; then the decision has to be good for other values, too.
 *
 * A number belongs to a graph: that of its model, or one that begins with a copy of it (cmb_graph_copy).
 */
#ifndef CMB_EXPR_NUMBER_H
#define CMB_EXPR_NUMBER_H

#include "expr/algebra.h"

typedef struct cmb_number {
  double value;
  cmb_expr live; /* 0, which is the constant 0 and so never live: the value is all there is */
} cmb_number;

static inline cmb_number cmb_fixed(double value)
{
  return (cmb_number){value, 0};
}

/* 0 whatever the parameters are. */
static inline bool cmb_is_zero(cmb_number x)
{
  return x.value == 0 && x.live == 0;
}

static inline bool cmb_is_one(cmb_number x)
{
  return x.value == 1 && x.live == 0;
}

/* Whether any of them is live. */
bool cmb_any_live(int count, const cmb_number *x);

cmb_expr cmb_number_expr(cmb_graph *g, cmb_number x);

/* The number with this value and this expression, which may turn out to be a constant. */
cmb_number cmb_number_of(const cmb_graph *g, double value, cmb_expr e);

/* Whether x changes with `input`, a number that is an input of the graph. */
cmb_status cmb_number_depends(const cmb_graph *g, cmb_number x, cmb_number input, bool *yes);

/* a + b, a - b, a b, a / b, the square root */
cmb_number cmb_plus(cmb_graph *g, cmb_number a, cmb_number b);
cmb_number cmb_minus(cmb_graph *g, cmb_number a, cmb_number b);
cmb_number cmb_times(cmb_graph *g, cmb_number a, cmb_number b);
cmb_number cmb_over(cmb_graph *g, cmb_number a, cmb_number b);
cmb_number cmb_root(cmb_graph *g, cmb_number a);
cmb_number cmb_scaled(cmb_graph *g, double factor, cmb_number a);

/* As math/vec3.h: products of 3-vectors and of row-major 3 x 3 matrices; results may not be operands. */
cmb_number cmb_number_dot3(cmb_graph *g, const cmb_number a[3], const cmb_number b[3]);
cmb_number cmb_number_norm3(cmb_graph *g, const cmb_number a[3]);
void cmb_number_cross3(cmb_graph *g, const cmb_number a[3], const cmb_number b[3], cmb_number c[3]);
void cmb_number_minus3(cmb_graph *g, const cmb_number a[3], const cmb_number b[3], cmb_number c[3]);
void cmb_number_mul3t(cmb_graph *g, const cmb_number A[9], const cmb_number x[3], cmb_number y[3]);
void cmb_number_mul33(cmb_graph *g, const cmb_number A[9], const cmb_number B[9], cmb_number C[9]);
void cmb_number_transpose(const cmb_number A[9], cmb_number At[9]);

extern const cmb_number cmb_unit3[3][3]; /* the unit vectors */

/* What is not live and smaller than `size`, a rounding error of 0, becomes 0: expressions get shorter. */
void cmb_number_clean(int count, cmb_number *x, double size);

/* Between arrays of numbers and of doubles. */
void cmb_values_of(int count, const cmb_number *x, double *value);
void cmb_fix_numbers(int count, const double *value, cmb_number *x);

/* 3-vectors and matrices of expressions */
cmb_vector cmb_number_vector(cmb_graph *g, const cmb_number x[3]);
cmb_matrix cmb_number_matrix(cmb_graph *g, const cmb_number a[9]);

#endif
