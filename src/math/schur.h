/*
 * The real Schur form of a matrix, from which its eigenvalues and eigenvectors are read.
 */
#ifndef CMB_MATH_SCHUR_H
#define CMB_MATH_SCHUR_H

#include <stdbool.h>

/* A (n x n) becomes T = Q A Qᵀ, Q (n x n) orthogonal: upper triangular, but for blocks of two rows where there is a pair of
 * eigenvalues re ± i im; re, im (n), im > 0 first. work (2n). false: the iteration did not converge. */
bool cmb_schur(int n, double *A, double *re, double *im, double *Q, double *work);

#endif
