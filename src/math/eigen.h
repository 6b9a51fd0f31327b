/*
 * Eigenvalues and a rank-revealing factorisation. For set-up and reports, not for stepping: the caller brings all memory, but nothing
 * here is tuned for small sizes. Sums have a fixed order and there are no threads, so results are the same on every machine.
 *
 * Matrices are row-major; vectors that come in sets are the rows of a matrix. Entries must be finite.
 */
#ifndef CMB_MATH_EIGEN_H
#define CMB_MATH_EIGEN_H

#include <stdbool.h>

/* How many doubles of `work` the functions below want for matrices of n columns and up to `rows` rows. */
static inline int cmb_eigen_work(int n, int rows)
{
  return 5 * n + 2 * rows + 1;
}

/* A (n x n) becomes D⁻¹ A D, D of powers of 2, with rows and columns of about equal size; d (n) is the diagonal of D. */
void cmb_even_out(int n, double *A, double *d);

/* A x = μ x for any A (n x n), which is overwritten. Complex pairs stand next to each other, im > 0 first; row j of V
 * (n x n) is x, or for a pair rows j and j + 1 are the real and the imaginary part of the x that belongs to im > 0.
 * false: the iteration did not converge. */
bool cmb_eigen_general(int n, double *A, double *re, double *im, double *V, double *work);

/* The same for a symmetric A: eigenvalues ascend, the rows of V are orthonormal. */
bool cmb_eigen_symmetric(int n, double *A, double *mu, double *V, double *work);

/* B Πᵀ P₀ P₁ … = R with |R_ii| falling, row i of Π B being row order[i] of B, until no row of what is left is longer than `least`:
 * the number of reflectors P_k = I − β_k v_k v_kᵀ made, at most min(rows, n), is returned. R_ki, k <= i, is stored at B[i n + k],
 * so B is overwritten; the first entry of v_k, which is entry k, in first[k], the others in row k behind R_kk. */
int cmb_reduce_rows(int rows, int n, double least, double *B, int *order, double *beta,
                    double *first);

/* x := … P₁ P₀ x (n), and x := P₀ P₁ … x, with the first `count` of these reflectors. */
void cmb_reflect_into(int count, int n, const double *B, const double *beta, const double *first,
                      double *x);
void cmb_reflect_back(int count, int n, const double *B, const double *beta, const double *first,
                      double *x);

/* Row order[i] of B (rows x n) is Σ_k R_ki Q_k, k <= i, with the orthonormal rows Q_k of Q (n x n) and |R_ii| falling:
 * QR with column pivoting of Bᵀ. R_ki is stored at B[i n + k], and so B is overwritten. The last rows of Q are
 * orthogonal to all rows of B. */
void cmb_row_space(int rows, int n, double *B, int *order, double *Q, double *work);

#endif
