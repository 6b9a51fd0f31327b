/*
 * Reduction of a square matrix to Hessenberg form, with zeros below the first subdiagonal: the first step of eigenvalue computations.
 */
#ifndef CMB_MATH_HESSENBERG_H
#define CMB_MATH_HESSENBERG_H

/* Replaces A (n x n) by H = Q A Qᵀ with h_ij = 0 for i > j + 1, which is tridiagonal if A is symmetric; Q (n x n) is orthogonal. work
 * (2n) is scratch. */
void cmb_hessenberg(int n, double *A, double *Q, double *work);

#endif
