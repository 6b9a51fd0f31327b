/*
 * Polynomials in Bernstein form on [0, 1], used to bound a function's values over an interval:
 *
 *     p(x) = Σ_k b_k B_k(x),   B_k(x) = C(d, k) x^k (1 − x)^(d−k),   min b_k <= p(x) <= max b_k
 *
 * p is given by its values at the nodes x_j = sin²(π j/(2 d)). The bounds hold for the polynomial through these values; a bound on the
 * rounding errors of the coefficients is added to them.
 */
#ifndef CMB_MATH_BERNSTEIN_H
#define CMB_MATH_BERNSTEIN_H

#include <camber/base.h>
#include <camber/math.h>

enum { CMB_BERNSTEIN_MOST = 13 }; /* largest degree */

/* The conversion of values to coefficients for one degree: b_k = p(0) + Σ_j inverse_kj (p(x_j) − p(0)). */
typedef struct cmb_bernstein {
  int degree;
  double node[CMB_BERNSTEIN_MOST + 1]; /* x_j */
  double inverse[(CMB_BERNSTEIN_MOST + 1) * (CMB_BERNSTEIN_MOST + 1)];
  /* bound on the rounding error of a coefficient, relative to the largest value */
  double rounding;
} cmb_bernstein;

/* Prepares the conversion for 0 <= degree <= CMB_BERNSTEIN_MOST. */
void cmb_bernstein_create(cmb_bernstein *b, int degree);

/* Computes the degree + 1 Bernstein coefficients of the polynomial through the degree + 1 values at the nodes. Returns a bound on their
 * rounding errors. */
double cmb_bernstein_coefficients(const cmb_bernstein *b, const double *values,
                                  double *coefficients);

/* Returns bounds of the polynomial with these coefficients on [x0, x1], widened for errors up to `rounding` in each coefficient. */
cmb_interval cmb_bernstein_range(int degree, const double *coefficients, double rounding, double x0,
                                 double x1);

/* Computes the Bernstein coefficients (degree) of the derivative; degree > 0. Returns a bound on their rounding errors. */
double cmb_bernstein_derivative(int degree, const double *coefficients, double rounding,
                                double *derivative);

#endif
