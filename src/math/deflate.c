/*
 * Removes the eigenvalue 0 of a matrix by Kublanovskaya's (1966) staircase algorithm (deflate.h). An orthogonal J whose last rows are left
 * null vectors, J_k A = 0, is found from the singular values, and
 *
 *     J A Jᵀ = [A' *; 0 0]
 *
 * has the eigenvalues of A' and 0. An eigenvalue 0 of A' belongs to a Jordan block from which this has removed one row; the step is repeated
 * until none is left. An error ε in A changes a singular value by no more than ε, but a defective eigenvalue by a root of ε.
 */
#include "math/deflate.h"

#include "math/dense.h"
#include "math/orthogonal.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

int cmb_deflate(int n, double nothing, double *A, double *work, double *kept)
{
  double *rotated = work, *J = rotated + (ptrdiff_t)n * n, *sigma = J + (ptrdiff_t)n * n;
  *kept = INFINITY;
  while (n > 0) {
    memcpy(rotated, A, (size_t)n * (size_t)n * sizeof *A);
    cmb_orthogonal_rows(n, n, rotated, J, sigma); /* J A */
    int rank = n;
    while (rank > 0 && sigma[rank - 1] <= nothing) rank--;
    if (rank > 0) *kept = fmin(*kept, sigma[rank - 1]);
    if (rank == n) break;
    for (int i = 0; i < rank; i++) {
      for (int j = 0; j < rank; j++) {
        A[(ptrdiff_t)i * rank + j] = cmb_dot(n, rotated + (ptrdiff_t)i * n, J + (ptrdiff_t)j * n);
      }
    }
    n = rank;
  }
  return n;
}
