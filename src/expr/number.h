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
  /* the expression in live parameters; 0 (the constant 0, which is never live): there is only the value */
  cmb_expr live;
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

/* Returns x as an expression: x.live, or the constant x.value if x is not live. */
cmb_expr cmb_number_expr(cmb_graph *g, cmb_number x);

/* Returns the number with the value `value` and the expression e; if e is a constant, the number is not live. */
cmb_number cmb_number_of(const cmb_graph *g, double value, cmb_expr e);

/* Sets *yes to true if x depends on `input`, a number whose expression is an input of the graph, otherwise to false. */
cmb_status cmb_number_depends(const cmb_graph *g, cmb_number x, cmb_number input, bool *yes);

/* Return a + b, a − b, a b, a/b, the square root of a, and factor · a. */
cmb_number cmb_plus(cmb_graph *g, cmb_number a, cmb_number b);
cmb_number cmb_minus(cmb_graph *g, cmb_number a, cmb_number b);
cmb_number cmb_times(cmb_graph *g, cmb_number a, cmb_number b);
cmb_number cmb_over(cmb_graph *g, cmb_number a, cmb_number b);
cmb_number cmb_root(cmb_graph *g, cmb_number a);
cmb_number cmb_scaled(cmb_graph *g, double factor, cmb_number a);

/* Compute the operations of math/vec3.h for numbers: products and differences of 3-vectors and row-major 3 x 3 matrices. Results must not
 * overlap operands. */
cmb_number cmb_number_dot3(cmb_graph *g, const cmb_number a[3], const cmb_number b[3]);
cmb_number cmb_number_norm3(cmb_graph *g, const cmb_number a[3]);
void cmb_number_cross3(cmb_graph *g, const cmb_number a[3], const cmb_number b[3], cmb_number c[3]);
void cmb_number_minus3(cmb_graph *g, const cmb_number a[3], const cmb_number b[3], cmb_number c[3]);
void cmb_number_mul3t(cmb_graph *g, const cmb_number A[9], const cmb_number x[3], cmb_number y[3]);
void cmb_number_mul33(cmb_graph *g, const cmb_number A[9], const cmb_number B[9], cmb_number C[9]);
void cmb_number_transpose(const cmb_number A[9], cmb_number At[9]);

extern const cmb_number cmb_unit3[3][3]; /* the unit vectors */

/* Replaces by 0 those of x[count] that are not live and smaller than `size` in magnitude, taken as rounding errors, to simplify
 * expressions. */
void cmb_number_clean(int count, cmb_number *x, double size);

/* Copy between arrays of numbers and of doubles. */
void cmb_values_of(int count, const cmb_number *x, double *value);
void cmb_fix_numbers(int count, const double *value, cmb_number *x);

/* Return the 3-vector x[3], and the matrix a[9] stored by rows, as expressions. */
cmb_vector cmb_number_vector(cmb_graph *g, const cmb_number x[3]);
cmb_matrix cmb_number_matrix(cmb_graph *g, const cmb_number a[9]);

#endif
