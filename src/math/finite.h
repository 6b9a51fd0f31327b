/*
 * Checks whether all entries of an array are finite, without branches: 0 x is 0 if x is finite and NaN otherwise, and a sum keeps a NaN.
 */
#ifndef CMB_MATH_FINITE_H
#define CMB_MATH_FINITE_H

#include "math/dense.h"

#include <stdbool.h>
#include <stddef.h>

/* Returns whether all n entries of x are finite. */
static inline bool cmb_all_finite(int n, const double *x)
{
  const ptrdiff_t even = n & ~1;
  cmb_lanes sum = {0};
  for (ptrdiff_t k = 0; k < even; k += 2) sum += 0 * cmb_lanes_load(x + k);
  double total = sum[0] + sum[1];
  if (n & 1) total += 0 * x[even];
  return total == total;
}

#endif
