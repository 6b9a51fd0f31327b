/*
 * Reduction to Hessenberg form by Householder reflectors (hessenberg.h): the entries of column k below the subdiagonal are eliminated by a
 * reflector P that acts on rows and columns from k + 1 on (Golub and Van Loan, Matrix Computations, §7.4.3).
 */
#include "math/hessenberg.h"

#include "math/reflector.h"

#include <stddef.h>
#include <string.h>

void cmb_hessenberg(int n, double *A, double *Q, double *work)
{
  double *v = work, *w = work + n, alpha;
  memset(Q, 0, (size_t)n * (size_t)n * sizeof *Q);
  for (int i = 0; i < n; i++) Q[(ptrdiff_t)i * (n + 1)] = 1;
  for (int k = 0; k + 2 < n; k++) {
    const int m = n - k - 1;
    double *below = A + (ptrdiff_t)(k + 1) * n;
    for (int i = 0; i < m; i++) v[i] = below[(ptrdiff_t)i * n + k];
    const double beta = cmb_reflector(m, v, &alpha);
    cmb_reflect_rows(m, v, beta, m, n, below + k + 1, w);
    cmb_reflect_columns(n, n, m, v, beta, A + k + 1);
    cmb_reflect_rows(m, v, beta, n, n, Q + (ptrdiff_t)(k + 1) * n, w);
    for (int i = 0; i < m; i++) below[(ptrdiff_t)i * n + k] = i == 0 ? alpha : 0;
  }
}
