/*
 * Eigenvalues of a symmetric matrix (eigen.h): reduction to tridiagonal form, then implicit QR steps with Wilkinson's shift (Golub and Van
 * Loan, Matrix Computations, §8.3). The diagonal is d, the subdiagonal e; the rows of V begin as Q and are transformed by every rotation.
 */
#include "math/eigen.h"

#include "math/hessenberg.h"
#include "math/reflector.h"

#include <float.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

enum { MOST_STEPS = 30 }; /* for one eigenvalue; two or three are usual */

/* Performs one implicit QR step with Wilkinson's shift on rows `low` to `high` of the symmetric tridiagonal matrix with diagonal d and
 * subdiagonal e; applies the rotations to the rows of Q (n x n). */
static void qr_step(int n, int low, int high, double *d, double *e, double *Q)
{
  const double half = (d[high - 1] - d[high]) / 2, side = e[high - 1];
  const double shift = d[high] - side * (side / (half + copysign(hypot(half, side), half)));
  double x = d[low] - shift, z = e[low];
  for (int k = low; k < high; k++) {
    const double r = hypot(x, z), c = r > 0 ? x / r : 1, s = r > 0 ? z / r : 0;
    const double first = d[k], second = d[k + 1], between = e[k];
    if (k > low) e[k - 1] = r;
    d[k] = c * c * first + 2 * c * s * between + s * s * second;
    d[k + 1] = s * s * first - 2 * c * s * between + c * c * second;
    e[k] = c * s * (second - first) + (c * c - s * s) * between;
    cmb_rotate(n, c, -s, Q + (ptrdiff_t)k * n, Q + (ptrdiff_t)(k + 1) * n);
    if (k + 1 == high) break;
    x = e[k];
    z = s * e[k + 1];
    e[k + 1] *= c;
  }
}

/* Sorts the eigenvalues mu[n] in ascending order, and with them the eigenvectors, which are the rows of Q (n x n). */
static void sort(int n, double *mu, double *Q)
{
  for (int i = 0; i < n; i++) {
    int least = i;
    for (int k = i + 1; k < n; k++) {
      if (mu[k] < mu[least]) least = k;
    }
    if (least == i) continue;
    cmb_exchange(1, mu + i, mu + least);
    cmb_exchange(n, Q + (ptrdiff_t)i * n, Q + (ptrdiff_t)least * n);
  }
}

bool cmb_eigen_symmetric(int n, double *A, double *mu, double *V, double *work)
{
  double *e = work;
  int steps = 0;
  cmb_hessenberg(n, A, V, work);
  for (int i = 0; i < n; i++) mu[i] = A[(ptrdiff_t)i * (n + 1)];
  for (int i = 0; i + 1 < n; i++) e[i] = A[(ptrdiff_t)(i + 1) * n + i];
  for (int high = n - 1; high > 0;) {
    int low = high;
    while (low > 0 && fabs(e[low - 1]) > DBL_EPSILON * (fabs(mu[low - 1]) + fabs(mu[low]))) low--;
    if (low > 0) e[low - 1] = 0;
    if (low == high) {
      high--;
      steps = 0;
    } else if (steps++ < MOST_STEPS) {
      qr_step(n, low, high, mu, e, V);
    } else {
      return false;
    }
  }
  sort(n, mu, V);
  return true;
}
