/*
 * Arithmetic on numbers that may depend on live parameters (number.h).
 */
#include "expr/number.h"

#include "expr/graph.h"

#include <math.h>

const cmb_number cmb_unit3[3][3] = {
    {{1, 0}, {0, 0}, {0, 0}}, {{0, 0}, {1, 0}, {0, 0}}, {{0, 0}, {0, 0}, {1, 0}}};

bool cmb_any_live(int count, const cmb_number *x)
{
  for (int i = 0; i < count; i++) {
    if (x[i].live != 0) return true;
  }
  return false;
}

cmb_expr cmb_number_expr(cmb_graph *g, cmb_number x)
{
  return x.live != 0 ? x.live : cmb_constant(g, x.value);
}

cmb_number cmb_number_of(const cmb_graph *g, double value, cmb_expr e)
{
  return (cmb_number){value, cmb_expr_op(g, e) == CMB_OP_CONSTANT ? 0 : e};
}

cmb_status cmb_number_depends(const cmb_graph *g, cmb_number x, cmb_number input, bool *yes)
{
  *yes = false;
  return x.live == 0 ? CMB_OK : cmb_depends(g, 1, &input.live, 1, &x.live, yes);
}

static cmb_number result(cmb_graph *g, double value, cmb_op op, cmb_number a, cmb_number b)
{
  if (a.live == 0 && b.live == 0) return cmb_fixed(value);
  return cmb_number_of(g, value, cmb_apply(g, op, cmb_number_expr(g, a), cmb_number_expr(g, b), 0));
}

cmb_number cmb_plus(cmb_graph *g, cmb_number a, cmb_number b)
{
  return result(g, a.value + b.value, CMB_OP_ADD, a, b);
}

cmb_number cmb_minus(cmb_graph *g, cmb_number a, cmb_number b)
{
  return result(g, a.value - b.value, CMB_OP_SUB, a, b);
}

cmb_number cmb_times(cmb_graph *g, cmb_number a, cmb_number b)
{
  return result(g, a.value * b.value, CMB_OP_MUL, a, b);
}

cmb_number cmb_over(cmb_graph *g, cmb_number a, cmb_number b)
{
  return result(g, a.value / b.value, CMB_OP_DIV, a, b);
}

cmb_number cmb_root(cmb_graph *g, cmb_number a)
{
  if (a.live == 0) return cmb_fixed(sqrt(a.value));
  return cmb_number_of(g, sqrt(a.value), cmb_apply(g, CMB_OP_SQRT, a.live, 0, 0));
}

cmb_number cmb_scaled(cmb_graph *g, double factor, cmb_number a)
{
  return cmb_times(g, cmb_fixed(factor), a);
}

/* Returns x[0] y[0] + x[1] y[stride] + x[2] y[2 stride], summed from left to right. If a term depends on a live parameter (one that can be
 * changed after set-up), the result contains the expression, too. */
static cmb_number sum_of_products(cmb_graph *g, const cmb_number x[3], const cmb_number *y,
                                  int stride)
{
  cmb_number sum = cmb_plus(g, cmb_times(g, x[0], y[0]), cmb_times(g, x[1], y[stride]));
  return cmb_plus(g, sum, cmb_times(g, x[2], y[2 * (ptrdiff_t)stride]));
}

cmb_number cmb_number_dot3(cmb_graph *g, const cmb_number a[3], const cmb_number b[3])
{
  return sum_of_products(g, a, b, 1);
}

cmb_number cmb_number_norm3(cmb_graph *g, const cmb_number a[3])
{
  return cmb_root(g, cmb_number_dot3(g, a, a));
}

void cmb_number_cross3(cmb_graph *g, const cmb_number a[3], const cmb_number b[3], cmb_number c[3])
{
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    c[i] = cmb_minus(g, cmb_times(g, a[j], b[k]), cmb_times(g, a[k], b[j]));
  }
}

void cmb_number_minus3(cmb_graph *g, const cmb_number a[3], const cmb_number b[3], cmb_number c[3])
{
  for (int i = 0; i < 3; i++) c[i] = cmb_minus(g, a[i], b[i]);
}

void cmb_number_mul3t(cmb_graph *g, const cmb_number A[9], const cmb_number x[3], cmb_number y[3])
{
  for (int i = 0; i < 3; i++) {
    const cmb_number column[3] = {A[i], A[3 + i], A[6 + i]};
    y[i] = cmb_number_dot3(g, column, x);
  }
}

void cmb_number_mul33(cmb_graph *g, const cmb_number A[9], const cmb_number B[9], cmb_number C[9])
{
  for (int i = 0; i < 9; i++) C[i] = sum_of_products(g, A + 3 * (ptrdiff_t)(i / 3), B + i % 3, 3);
}

void cmb_number_transpose(const cmb_number A[9], cmb_number At[9])
{
  for (int i = 0; i < 9; i++) At[i] = A[3 * (i % 3) + i / 3];
}

void cmb_number_clean(int count, cmb_number *x, double size)
{
  for (int i = 0; i < count; i++) {
    if (x[i].live == 0 && fabs(x[i].value) < size) x[i] = cmb_fixed(0);
  }
}

void cmb_values_of(int count, const cmb_number *x, double *value)
{
  for (int i = 0; i < count; i++) value[i] = x[i].value;
}

void cmb_fix_numbers(int count, const double *value, cmb_number *x)
{
  for (int i = 0; i < count; i++) x[i] = cmb_fixed(value[i]);
}

cmb_vector cmb_number_vector(cmb_graph *g, const cmb_number x[3])
{
  cmb_vector v;
  for (int i = 0; i < 3; i++) v.x[i] = cmb_number_expr(g, x[i]);
  return v;
}

cmb_matrix cmb_number_matrix(cmb_graph *g, const cmb_number a[9])
{
  cmb_matrix A;
  for (int i = 0; i < 9; i++) A.a[i] = cmb_number_expr(g, a[i]);
  return A;
}
