/*
 * Polynomials in Bernstein form on [0, 1]:
 *
 *     p(x) = Σ_k b_k B_k(x),   B_k(x) = C(d, k) x^k (1 − x)^(d−k),   min b_k <= p(x) <= max b_k
 *
 * p is given by its values at the nodes x_j = sin²(π j/(2 d)). The bounds hold for the polynomial through these values; what rounding can do to the
 * coefficients is added to them.
 */
#ifndef CMB_MATH_BERNSTEIN_H
#define CMB_MATH_BERNSTEIN_H

#include <camber/base.h>
#include <camber/math.h>

enum { CMB_BERNSTEIN_MOST = 13 }; /* degree */

/* The way from values to coefficients for one degree: b_k = p(0) + Σ_j inverse_kj (p(x_j) − p(0)). */
typedef struct cmb_bernstein {
  int degree;
  double node[CMB_BERNSTEIN_MOST + 1]; /* x_j */
  double inverse[(CMB_BERNSTEIN_MOST + 1) * (CMB_BERNSTEIN_MOST + 1)];
  double rounding; /* of a coefficient, in units of the largest value */
} cmb_bernstein;

/* 0 <= degree <= CMB_BERNSTEIN_MOST */
void cmb_bernstein_create(cmb_bernstein *b, int degree);

/* Coefficients (degree + 1) from values (degree + 1); returns a bound on their rounding errors. */
double cmb_bernstein_coefficients(const cmb_bernstein *b, const double *values,
                                  double *coefficients);

/* Bounds of the polynomial of the given degree on [x0, x1], its coefficients being right to `rounding`. */
cmb_interval cmb_bernstein_range(int degree, const double *coefficients, double rounding, double x0,
                                 double x1);

/* The derivative's coefficients (degree), degree > 0; returns the bound on their rounding errors. */
double cmb_bernstein_derivative(int degree, const double *coefficients, double rounding,
                                double *derivative);

#endif
