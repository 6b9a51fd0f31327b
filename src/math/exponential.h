/*
 * The exponential of a matrix, used to solve linear differential equations exactly.
 */
#ifndef CMB_MATH_EXPONENTIAL_H
#define CMB_MATH_EXPONENTIAL_H

#include <camber/base.h>

/* Computes E = exp(A), both n x n and stored by rows; work has 2 n² numbers. Returns CMB_RETRY_NONFINITE if A is not finite, or E or an
 * intermediate result overflows. */
cmb_status cmb_exponential(int n, const double *A, double *E, double *work);

#endif
