/*
 * The exponential of a matrix (exponential.h) by scaling and squaring: exp(A) = exp(A/2^s)^(2^s) with ‖A/2^s‖ ≤ 1/2 (but s ≤ 60), where the
 * Taylor series is accurate to rounding at degree 14.
 */
#include "math/exponential.h"

#include "math/finite.h"

#include <math.h>
#include <string.h>

enum { DEGREE = 14, MOST_SQUARINGS = 60 };

/* Returns the row-sum norm of A (n x n): the largest sum of absolute values in a row. */
static double row_sum_norm(int n, const double *A)
{
  double most = 0;
  for (int i = 0; i < n; i++) {
    double sum = 0;
    for (int j = 0; j < n; j++) sum += fabs(A[i * n + j]);
    most = fmax(most, sum);
  }
  return most;
}

/* Computes the matrix product C = A B (n x n); C must be neither A nor B. */
static void multiply(int n, const double *A, const double *B, double *C)
{
  memset(C, 0, (size_t)n * (size_t)n * sizeof *C);
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < n; k++) {
      const double a = A[i * n + k];
      for (int j = 0; a != 0 && j < n; j++) C[i * n + j] += a * B[k * n + j];
    }
  }
}

cmb_status cmb_exponential(int n, const double *A, double *E, double *work)
{
  const size_t bytes = (size_t)n * (size_t)n * sizeof *E;
  double *scaled = work, *product = work + (size_t)n * (size_t)n, size = row_sum_norm(n, A);
  int squarings = 0;
  if (!isfinite(size)) return CMB_RETRY_NONFINITE;
  for (; size > 0.5 && squarings < MOST_SQUARINGS; squarings++) size /= 2;
  for (int i = 0; i < n * n; i++) scaled[i] = ldexp(A[i], -squarings);
  memset(E, 0, bytes);
  for (int i = 0; i < n; i++) E[i * n + i] = 1;
  for (int k = DEGREE; k > 0; k--) { /* Horner's scheme: E := I + (A/k) E */
    multiply(n, scaled, E, product);
    for (int i = 0; i < n * n; i++) E[i] = product[i] / k;
    for (int i = 0; i < n; i++) E[i * n + i] += 1;
  }
  for (int k = 0; k < squarings; k++) {
    multiply(n, E, E, product);
    memcpy(E, product, bytes);
  }
  return cmb_all_finite(n * n, E) ? CMB_OK : CMB_RETRY_NONFINITE;
}
