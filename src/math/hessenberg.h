/*
 * A square matrix without what lies below its first subdiagonal: the common beginning of eigenvalue computations.
 */
#ifndef CMB_MATH_HESSENBERG_H
#define CMB_MATH_HESSENBERG_H

/* A (n x n) becomes H = Q A Qᵀ with h_ij = 0 for i > j + 1, tridiagonal if A is symmetric; Q (n x n) is orthogonal. work (2n). */
void cmb_hessenberg(int n, double *A, double *Q, double *work);

#endif
