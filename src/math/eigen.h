/*
 * Eigenvalues and a rank-revealing factorisation, for set-up and reports, not for stepping: the caller provides all memory, but nothing here
 * is tuned for small sizes. Sums have a fixed order and there are no threads, so that results are the same on every machine.
 *
 * Matrices are stored by rows; sets of vectors are the rows of a matrix. Entries must be finite.
 */
#ifndef CMB_MATH_EIGEN_H
#define CMB_MATH_EIGEN_H

#include <stdbool.h>

/* Returns how many doubles of `work` the functions below need for matrices of n columns and up to `rows` rows. */
static inline int cmb_eigen_work(int n, int rows)
{
  return 5 * n + 2 * rows + 1;
}

/* Balances A (n x n): replaces it by D⁻¹ A D with rows and columns of about equal size, where the diagonal matrix D consists of powers of
 * 2; d (n) is its diagonal. */
void cmb_even_out(int n, double *A, double *d);

/* Computes all eigenvalues μ and eigenvectors x of any A (n x n), A x = μ x; overwrites A. The eigenvalues are in re and im (n), complex
 * pairs next to each other, im > 0 first. Row j of V (n x n) is x; for a pair rows j and j + 1 are the real and the imaginary part of the
 * x that belongs to im > 0. Returns false if the iteration did not converge. */
bool cmb_eigen_general(int n, double *A, double *re, double *im, double *V, double *work);

/* Computes all eigenvalues mu (n), ascending, and the eigenvectors of a symmetric A (n x n), which are the orthonormal rows of V;
 * overwrites A. Returns false if the iteration did not converge. */
bool cmb_eigen_symmetric(int n, double *A, double *mu, double *V, double *work);

/* Factorises Π B P₀ P₁ … = Rᵀ with reflectors P_k = I − β_k v_k v_kᵀ such that |R_kk| decreases (QR of Bᵀ with column pivoting); row i of
 * Π B is row order[i] of B (rows x n). Stops when no remaining row is longer than `least`. Returns the number of reflectors, at most
 * min(rows, n). Overwrites B: R_ki, k <= i, is at B[i n + k]; v_k begins at entry k with first[k], its other entries follow R_kk in row
 * k. */
int cmb_reduce_rows(int rows, int n, double least, double *B, int *order, double *beta,
                    double *first);

/* Apply the first `count` of the reflectors of cmb_reduce_rows: x := … P₁ P₀ x (n), and x := P₀ P₁ … x. */
void cmb_reflect_into(int count, int n, const double *B, const double *beta, const double *first,
                      double *x);
void cmb_reflect_back(int count, int n, const double *B, const double *beta, const double *first,
                      double *x);

/* Factorises B (rows x n) such that row order[i] of B is Σ_k R_ki Q_k, k <= i, with the orthonormal rows Q_k of Q (n x n) and decreasing
 * |R_ii|: QR with column pivoting of Bᵀ. Overwrites B: R_ki is at B[i n + k]. The last rows of Q are orthogonal to all rows of B. */
void cmb_row_space(int rows, int n, double *B, int *order, double *Q, double *work);

#endif
