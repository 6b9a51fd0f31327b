/*
 * Removes the eigenvalue 0 from a square matrix, for eigenvalue problems with singular matrices.
 */
#ifndef CMB_MATH_DEFLATE_H
#define CMB_MATH_DEFLATE_H

/* Replaces A (n x n) by a regular matrix with the other eigenvalues of A, stored as (r x r) at the beginning of A, and returns its size
 * r. The eigenvalue 0 is removed with all of its Jordan blocks; singular values up to `nothing` count as 0. *kept becomes the least
 * singular value that counted as nonzero, or INFINITY if there was none. The entries of A should be of about unit size. work (2 n² + n)
 * is scratch. */
int cmb_deflate(int n, double nothing, double *A, double *work, double *kept);

#endif
