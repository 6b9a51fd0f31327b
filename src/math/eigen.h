/*
 * Eigenvalues and a rank-revealing factorisation, by LAPACK. For reports and set-up, not for stepping: the caller
 * brings all memory but nothing here is tuned for small sizes.
 *
 * Matrices are row-major; vectors that come in sets are the rows of a matrix. Entries must be finite.
 */
#ifndef CMB_MATH_EIGEN_H
#define CMB_MATH_EIGEN_H

#include <stdbool.h>

/* How many doubles of `work` the functions below want for matrices of n columns and up to `rows` rows. */
int cmb_eigen_work(int n, int rows);

/* A x = μ x for any A (n x n), which is overwritten. Complex pairs stand next to each other, im > 0 first; row j of V
 * (n x n) is x, or for a pair rows j and j + 1 are the real and the imaginary part of the x that belongs to im > 0.
 * false: the iteration did not converge. */
bool cmb_eigen_general(int n, double *A, double *re, double *im, double *V, double *work);

/* The same for a symmetric A: eigenvalues ascend, A is overwritten by the eigenvectors, orthonormal rows. */
bool cmb_eigen_symmetric(int n, double *A, double *mu, double *work);

/* Row order[i] of B (rows x n) is Σ_k R_ki Q_k, k <= i, with the orthonormal rows Q_k of Q (n x n) and |R_ii| falling:
 * QR with column pivoting of Bᵀ. R_ki is stored at B[i n + k], and so B is overwritten. The last rows of Q are
 * orthogonal to all rows of B. */
bool cmb_row_space(int rows, int n, double *B, int *order, double *Q, double *work);

#endif
