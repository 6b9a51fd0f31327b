/*
 * Whether all of an array is finite. x - x is 0 for a finite number and NaN otherwise, and the sum keeps
 * a NaN: one pass without branches.
 */
#ifndef CMB_MATH_FINITE_H
#define CMB_MATH_FINITE_H

#include <stdbool.h>

static inline bool cmb_all_finite(int n, const double *x)
{
  double sum = 0;
  for (int i = 0; i < n; i++) sum += x[i] - x[i];
  return sum == 0;
}

#endif
