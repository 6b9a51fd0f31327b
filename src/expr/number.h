/*
 * Numbers of a model: a value and, if it depends on live parameters (which can be changed without building the model again), the
 * expression in these parameters by which the value was computed. Used where a model's equations are formed (dyn, model).
 *
 * Arithmetic on numbers is that on their values, operation by operation, and creates expressions only where an operand is live. So a model
 * without live parameters is computed as if its numbers were doubles. Decisions (is an axis parallel to another?) depend on the value
 * alone; they have to be correct for other values of the parameters, too.
 *
 * A number belongs to a graph: that of its model, or one that begins with a copy of it (cmb_graph_copy).
 */
#ifndef CMB_EXPR_NUMBER_H
#define CMB_EXPR_NUMBER_H

#include "expr/algebra.h"

typedef struct cmb_number {
  double value;
  cmb_expr live; /* the expression; 0 (the constant 0, which is never live): the value only */
} cmb_number;

static inline cmb_number cmb_fixed(double value)
{
  return (cmb_number){value, 0};
}

/* Returns whether x is 0 whatever the values of the live parameters are. */
static inline bool cmb_is_zero(cmb_number x)
{
  return x.value == 0 && x.live == 0;
}

static inline bool cmb_is_one(cmb_number x)
{
  return x.value == 1 && x.live == 0;
}

/* Returns whether any of the numbers depends on live parameters. */
bool cmb_any_live(int count, const cmb_number *x);

cmb_expr cmb_number_expr(cmb_graph *g, cmb_number x);

/* Returns the number with this value and this expression; if the expression is a constant, the number is not live. */
cmb_number cmb_number_of(const cmb_graph *g, double value, cmb_expr e);

/* Sets *yes to whether x depends on `input`, a number that is an input of the graph. */
cmb_status cmb_number_depends(const cmb_graph *g, cmb_number x, cmb_number input, bool *yes);

/* a + b, a - b, a b, a / b, the square root, and factor · a */
cmb_number cmb_plus(cmb_graph *g, cmb_number a, cmb_number b);
cmb_number cmb_minus(cmb_graph *g, cmb_number a, cmb_number b);
cmb_number cmb_times(cmb_graph *g, cmb_number a, cmb_number b);
cmb_number cmb_over(cmb_graph *g, cmb_number a, cmb_number b);
cmb_number cmb_root(cmb_graph *g, cmb_number a);
cmb_number cmb_scaled(cmb_graph *g, double factor, cmb_number a);

/* The operations of math/vec3.h for numbers: products of 3-vectors and of row-major 3 x 3 matrices; results may not be operands. */
cmb_number cmb_number_dot3(cmb_graph *g, const cmb_number a[3], const cmb_number b[3]);
cmb_number cmb_number_norm3(cmb_graph *g, const cmb_number a[3]);
void cmb_number_cross3(cmb_graph *g, const cmb_number a[3], const cmb_number b[3], cmb_number c[3]);
void cmb_number_minus3(cmb_graph *g, const cmb_number a[3], const cmb_number b[3], cmb_number c[3]);
void cmb_number_mul3t(cmb_graph *g, const cmb_number A[9], const cmb_number x[3], cmb_number y[3]);
void cmb_number_mul33(cmb_graph *g, const cmb_number A[9], const cmb_number B[9], cmb_number C[9]);
void cmb_number_transpose(const cmb_number A[9], cmb_number At[9]);

extern const cmb_number cmb_unit3[3][3]; /* the unit vectors */

/* Replaces numbers that are not live and smaller than `size` in magnitude, which are rounding errors, by 0, to simplify expressions. */
void cmb_number_clean(int count, cmb_number *x, double size);

/* Copy between arrays of numbers and of doubles. */
void cmb_values_of(int count, const cmb_number *x, double *value);
void cmb_fix_numbers(int count, const double *value, cmb_number *x);

/* Return 3-vectors and matrices of expressions. */
cmb_vector cmb_number_vector(cmb_graph *g, const cmb_number x[3]);
cmb_matrix cmb_number_matrix(cmb_graph *g, const cmb_number a[9]);

#endif
