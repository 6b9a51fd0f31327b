/*
 * The real Schur form of a matrix, from which its eigenvalues and eigenvectors are computed.
 */
#ifndef CMB_MATH_SCHUR_H
#define CMB_MATH_SCHUR_H

#include <stdbool.h>

/* Replaces A (n x n) by T = Q A Qᵀ, Q (n x n) being orthogonal: upper triangular, except for blocks of two rows for pairs of eigenvalues
 * re ± i im. The eigenvalues are in re, im (n), im > 0 first. work (2n) is scratch. Returns false if the iteration did not converge. */
bool cmb_schur(int n, double *A, double *re, double *im, double *Q, double *work);

#endif
