/*
 * Polynomials in Bernstein form (bernstein.h). The collocation matrix B_k(x_j) is totally positive, so that elimination without pivoting is
 * accurate in each entry of its inverse, which is computed once for each degree. Rounding errors of the values are amplified by the norm of
 * the inverse. Restriction to a part of [0, 1] is by de Casteljau's algorithm, which forms convex combinations only, so that rounding errors
 * do not grow there.
 */
#include "math/bernstein.h"

#include <float.h>
#include <math.h>
#include <string.h>

static double binomial(int n, int k)
{
  double value = 1;
  for (int i = 1; i <= k; i++) value *= (double)(n - k + i) / i;
  return value;
}

/* Computes the inverse of A (n x n) in `inverse` by Gauss-Jordan elimination without pivoting; overwrites A. */
static void invert(int n, double *A, double *inverse)
{
  memset(inverse, 0, (size_t)n * (size_t)n * sizeof *inverse);
  for (int i = 0; i < n; i++) inverse[i * n + i] = 1;
  for (int k = 0; k < n; k++) {
    const double pivot = A[k * n + k];
    for (int j = 0; j < n; j++) A[k * n + j] /= pivot, inverse[k * n + j] /= pivot;
    for (int i = 0; i < n; i++) {
      const double factor = i == k ? 0 : A[i * n + k];
      for (int j = 0; factor != 0 && j < n; j++) {
        A[i * n + j] -= factor * A[k * n + j];
        inverse[i * n + j] -= factor * inverse[k * n + j];
      }
    }
  }
}

/* Returns interpolation node j = 0 .. degree in [0, 1], x_j = sin²(π j/(2 degree)); 1 if the degree is 0. */
static double node(int degree, int j)
{
  const double pi = 3.14159265358979323846, s = degree > 0 ? sin(pi / 2 * j / degree) : 0;
  return j < degree ? s * s : 1;
}

void cmb_bernstein_create(cmb_bernstein *b, int degree)
{
  double A[(CMB_BERNSTEIN_MOST + 1) * (CMB_BERNSTEIN_MOST + 1)];
  const int n = degree + 1;
  b->degree = degree;
  for (int j = 0; j < n; j++) {
    const double x = b->node[j] = node(degree, j);
    for (int k = 0; k < n; k++) {
      A[j * n + k] = binomial(degree, k) * pow(x, k) * pow(1 - x, degree - k);
    }
  }
  invert(n, A, b->inverse);
  double norm = 0;
  for (int k = 0; k < n; k++) {
    double sum = 0;
    for (int j = 0; j < n; j++) sum += fabs(b->inverse[k * n + j]);
    norm = fmax(norm, sum);
  }
  b->rounding = 4 * n * DBL_EPSILON * norm;
}

double cmb_bernstein_coefficients(const cmb_bernstein *b, const double *values,
                                  double *coefficients)
{
  const int n = b->degree + 1;
  double largest = 0;
  for (int j = 0; j < n; j++) largest = fmax(largest, fabs(values[j] - values[0]));
  for (int k = 0; k < n; k++) {
    double sum = 0;
    for (int j = 1; j < n; j++) sum += b->inverse[k * n + j] * (values[j] - values[0]);
    coefficients[k] = values[0] + sum;
  }
  return b->rounding * (largest + fabs(values[0]));
}

/* Replaces the Bernstein coefficients c[degree + 1] of a polynomial on [0, 1] by those of the same polynomial on [0, x], or on [x, 1] if
 * `right` is not 0, mapped to [0, 1] (de Casteljau's algorithm). */
static void restrict_interval(int degree, double *c, double x, int right)
{
  for (int level = 1; level <= degree; level++) {
    if (right) {
      for (int k = 0; k <= degree - level; k++) c[k] += x * (c[k + 1] - c[k]);
    } else {
      for (int k = degree; k >= level; k--) c[k] = c[k - 1] + x * (c[k] - c[k - 1]);
    }
  }
}

cmb_interval cmb_bernstein_range(int degree, const double *coefficients, double rounding, double x0,
                                 double x1)
{
  double c[CMB_BERNSTEIN_MOST + 1], low, high, largest = 0;
  memcpy(c, coefficients, ((size_t)degree + 1) * sizeof *c);
  for (int k = 0; k <= degree; k++) largest = fmax(largest, fabs(c[k]));
  if (x1 < 1) restrict_interval(degree, c, x1, 0);
  if (x0 > 0) restrict_interval(degree, c, x0 / x1, 1);
  low = high = c[0];
  for (int k = 1; k <= degree; k++) {
    low = fmin(low, c[k]);
    high = fmax(high, c[k]);
  }
  rounding += 4 * (degree + 1) * DBL_EPSILON * largest;
  return (cmb_interval){low - rounding, high + rounding};
}

double cmb_bernstein_derivative(int degree, const double *coefficients, double rounding,
                                double *derivative)
{
  double largest = 0;
  for (int k = 0; k < degree; k++) {
    derivative[k] = degree * (coefficients[k + 1] - coefficients[k]);
    largest = fmax(largest, fabs(derivative[k]));
  }
  return 2 * degree * rounding + 4 * DBL_EPSILON * largest;
}
