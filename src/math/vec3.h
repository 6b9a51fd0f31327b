/*
 * Vectors and matrices in three dimensions: small inline functions on double[3] and double[9].
 */
#ifndef CMB_MATH_VEC3_H
#define CMB_MATH_VEC3_H

#include <math.h>

static inline double cmb_dot3(const double a[3], const double b[3])
{
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Computes the cross product c = a × b; c must not be a or b. */
static inline void cmb_cross3(const double a[3], const double b[3], double c[3])
{
  c[0] = a[1] * b[2] - a[2] * b[1];
  c[1] = a[2] * b[0] - a[0] * b[2];
  c[2] = a[0] * b[1] - a[1] * b[0];
}

static inline double cmb_norm3(const double a[3])
{
  return sqrt(cmb_dot3(a, a));
}

/* Compute y = A x, and y = Aᵀ x, for a 3 x 3 matrix stored by rows; y must not be x. */
static inline void cmb_mul3(const double A[9], const double x[3], double y[3])
{
  for (int i = 0; i < 3; i++) y[i] = cmb_dot3(A + 3 * i, x);
}

static inline void cmb_mul3t(const double A[9], const double x[3], double y[3])
{
  for (int i = 0; i < 3; i++) y[i] = A[i] * x[0] + A[3 + i] * x[1] + A[6 + i] * x[2];
}

/* Computes C = A B, stored by rows; C must not be A or B. */
static inline void cmb_mul33(const double A[9], const double B[9], double C[9])
{
  for (int i = 0; i < 3; i++) cmb_mul3t(B, A + 3 * i, C + 3 * i);
}

#endif
