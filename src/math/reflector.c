/*
 * Householder reflectors (reflector.h): with u = x/‖x‖, v = u + sign(u₁) e₁, β = 1/(1 + |u₁|), α = −sign(u₁) ‖x‖, so that there is no
 * cancellation.
 */
#include "math/reflector.h"

#include "math/dense.h"

#include <math.h>
#include <string.h>

double cmb_reflector(int m, double *x, double *alpha)
{
  const double length = cmb_norm2(m, x), tail = cmb_norm2(m - 1, x + 1);
  *alpha = x[0];
  if (tail == 0) return 0;
  for (int i = 0; i < m; i++) x[i] /= length;
  const double sign = copysign(1, x[0]), beta = 1 / (1 + fabs(x[0]));
  *alpha = -sign * length;
  x[0] += sign;
  return beta;
}

void cmb_reflect_rows(int m, const double *v, double beta, int columns, int stride, double *A,
                      double *w)
{
  if (beta == 0) return;
  memset(w, 0, (size_t)columns * sizeof *w);
  for (int i = 0; i < m; i++) cmb_add_scaled(columns, v[i], A + (ptrdiff_t)i * stride, w);
  for (int i = 0; i < m; i++) cmb_add_scaled(columns, -beta * v[i], w, A + (ptrdiff_t)i * stride);
}

void cmb_reflect_columns(int rows, int stride, int m, const double *v, double beta, double *A)
{
  if (beta == 0) return;
  for (int i = 0; i < rows; i++) {
    double *a = A + (ptrdiff_t)i * stride;
    cmb_add_scaled(m, -beta * cmb_dot(m, v, a), v, a);
  }
}
