/*
 * Small dense linear algebra: vector operations, LU with partial pivoting, and LDLᵀ of a symmetric positive definite matrix.
 *
 * Matrices are stored by rows, n x n. The functions are plain loops, which below about 64 unknowns are faster than a library call. All
 * inner loops run along rows, two numbers at a time: a compiler may not reorder a sum, so the two lanes are written out, with a vector type
 * that gcc and clang have on every machine. This fixes the order of each sum, so that results do not depend on the compiler's choices.
 */
#ifndef CMB_MATH_DENSE_H
#define CMB_MATH_DENSE_H

#include <camber/base.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef double cmb_lanes __attribute__((vector_size(2 * sizeof(double))));

static inline cmb_lanes cmb_lanes_load(const double *a)
{
  cmb_lanes lanes;
  memcpy(&lanes, a, sizeof lanes);
  return lanes;
}

static inline void cmb_lanes_store(cmb_lanes lanes, double *a)
{
  memcpy(a, &lanes, sizeof lanes);
}

static inline cmb_lanes cmb_lanes_absolute(cmb_lanes x)
{
  typedef int64_t bits __attribute__((vector_size(2 * sizeof(int64_t))));
  return (cmb_lanes)((bits)x & INT64_MAX); /* all but the sign */
}

/* Copies x[n] to y, for short arrays, for which a call of memcpy would cost more. */
static inline void cmb_copy(int n, const double *x, double *y)
{
  const ptrdiff_t even = n & ~1;
  for (ptrdiff_t k = 0; k < even; k += 2) cmb_lanes_store(cmb_lanes_load(x + k), y + k);
  if (n & 1) y[even] = x[even];
}

/* Computes y += x for vectors of n entries. */
static inline void cmb_add_to(int n, const double *x, double *y)
{
  const ptrdiff_t even = n & ~1;
  for (ptrdiff_t k = 0; k < even; k += 2) {
    cmb_lanes_store(cmb_lanes_load(y + k) + cmb_lanes_load(x + k), y + k);
  }
  if (n & 1) y[even] += x[even];
}

/* Computes z = x − y for vectors of n entries. */
static inline void cmb_subtract(int n, const double *x, const double *y, double *z)
{
  const ptrdiff_t even = n & ~1;
  for (ptrdiff_t k = 0; k < even; k += 2) {
    cmb_lanes_store(cmb_lanes_load(x + k) - cmb_lanes_load(y + k), z + k);
  }
  if (n & 1) z[even] = x[even] - y[even];
}

/* Returns the dot product aᵀ b of two vectors of n entries. Two sums of two lanes each, so that consecutive additions need not wait for
 * each other. */
static inline double cmb_dot(int n, const double *a, const double *b)
{
  const ptrdiff_t fours = n & ~3;
  cmb_lanes s = {0}, t = {0};
  ptrdiff_t k = 0;
  for (; k < fours; k += 4) {
    s += cmb_lanes_load(a + k) * cmb_lanes_load(b + k);
    t += cmb_lanes_load(a + k + 2) * cmb_lanes_load(b + k + 2);
  }
  if (n & 2) {
    s += cmb_lanes_load(a + k) * cmb_lanes_load(b + k);
    k += 2;
  }
  s += t;
  double sum = s[0] + s[1];
  return n & 1 ? sum + a[k] * b[k] : sum;
}

/* Computes the dot products dot[i] = aᵀ b[i] of a with four vectors: a is read once, and the four sums do not wait for each other. */
static inline void cmb_dot4(int n, const double *a, const double *const b[4], double dot[4])
{
  const double *b0 = b[0], *b1 = b[1], *b2 = b[2], *b3 = b[3];
  const ptrdiff_t even = n & ~1;
  cmb_lanes s0 = {0}, s1 = {0}, s2 = {0}, s3 = {0};
  ptrdiff_t k = 0;
  for (; k < even; k += 2) {
    cmb_lanes x = cmb_lanes_load(a + k);
    s0 += x * cmb_lanes_load(b0 + k);
    s1 += x * cmb_lanes_load(b1 + k);
    s2 += x * cmb_lanes_load(b2 + k);
    s3 += x * cmb_lanes_load(b3 + k);
  }
  dot[0] = s0[0] + s0[1];
  dot[1] = s1[0] + s1[1];
  dot[2] = s2[0] + s2[1];
  dot[3] = s3[0] + s3[1];
  if (n & 1) {
    dot[0] += a[k] * b0[k];
    dot[1] += a[k] * b1[k];
    dot[2] += a[k] * b2[k];
    dot[3] += a[k] * b3[k];
  }
}

/* Computes y += c x for vectors of n entries; x and y must be different arrays. */
static inline void cmb_add_scaled(int n, double c, const double *restrict x, double *restrict y)
{
  const cmb_lanes factor = {c, c};
  const ptrdiff_t even = n & ~1;
  for (ptrdiff_t k = 0; k < even; k += 2) {
    cmb_lanes_store(cmb_lanes_load(y + k) + factor * cmb_lanes_load(x + k), y + k);
  }
  if (n & 1) y[even] += c * x[even];
}

/* Computes the products y_i = d_i x_i of the entries of two vectors of n entries; y may be x. */
static inline void cmb_multiply_entries(int n, const double *d, const double *x, double *y)
{
  const ptrdiff_t even = n & ~1;
  for (ptrdiff_t k = 0; k < even; k += 2) {
    cmb_lanes_store(cmb_lanes_load(d + k) * cmb_lanes_load(x + k), y + k);
  }
  if (n & 1) y[even] = d[even] * x[even];
}

/* Factorises A = P L U in place: pivot[k] is the row exchanged with row k; the diagonal contains 1/u_kk. Pivots are compared relative to
 * the sum of the absolute values of their row, so that the units of the rows do not matter; `scale` (n) is scratch. Returns
 * CMB_RETRY_SINGULAR if every pivot of a column is at most n eps times that sum, as rounding alone could produce, and CMB_RETRY_NONFINITE
 * if an entry or a sum is not finite. In both cases the factors must not be used. */
cmb_status cmb_lu_factor(int n, double *A, double *scale, int *pivot);
void cmb_lu_solve(int n, const double *LU, const int *pivot, double *b); /* b := A⁻¹ b */

/* Factorise and solve as cmb_lu_factor and cmb_lu_solve do, for complex matrices stored as pairs (re, im). The size of a number is |re| +
 * |im|. */
cmb_status cmb_lu_factor_complex(int n, double *A, double *scale, int *pivot);
void cmb_lu_solve_complex(int n, const double *LU, const int *pivot, double *b);

/* Factorises A = L D Lᵀ in place, using the lower triangle: unit L below the diagonal and 1/D on the diagonal. Returns -1, or the first
 * row whose pivot is not positive and finite. A pivot that rounding alone could produce, at most n eps times the original diagonal entry,
 * counts as not positive. The upper triangle is neither read nor written. */
int cmb_ldlt_factor(int n, double *A);
void cmb_ldlt_solve(int n, const double *LD, double *b); /* b := A⁻¹ b */

/* The steps of cmb_ldlt_solve: b := L⁻¹ b for each of the `count` rows b of B (count x n), and b := L⁻ᵀ b. */
void cmb_ldlt_forward(int n, const double *LD, int count, double *B);
void cmb_ldlt_backward(int n, const double *LD, double *b);

/* Returns the Euclidean norm of x (n), without overflow or underflow of the squares. */
double cmb_norm2(int n, const double *x);

/* Returns the largest |x_i|, 0 for n = 0. NaNs are ignored. */
double cmb_largest(int n, const double *x);

#endif
