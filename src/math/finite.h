/*
 * Whether all of an array is finite.
 */
#ifndef CMB_MATH_FINITE_H
#define CMB_MATH_FINITE_H

#include <float.h>
#include <math.h>
#include <stdbool.h>

/* The arrays are short: leaving at the first offence costs less than a sum that a compiler vectorises. */
static inline bool cmb_all_finite(int n, const double *x)
{
  for (int i = 0; i < n; i++) {
    if (!(fabs(x[i]) <= DBL_MAX)) return false;
  }
  return true;
}

#endif
