/*
 * The exponential of a matrix.
 */
#ifndef CMB_MATH_EXPONENTIAL_H
#define CMB_MATH_EXPONENTIAL_H

#include <camber/base.h>

/* E = exp(A), both n x n, row-major; work has 2 n² numbers. CMB_RETRY_NONFINITE: A is not finite, or E is too large. */
cmb_status cmb_exponential(int n, const double *A, double *E, double *work);

#endif
