/*
 * A square matrix without its eigenvalue 0.
 */
#ifndef CMB_MATH_DEFLATE_H
#define CMB_MATH_DEFLATE_H

/* A (n x n) becomes a regular matrix with the other eigenvalues of A, whose size r is returned; it is stored as (r x r) at the front of A. The
 * eigenvalue 0 is taken out with all of its Jordan blocks, as far as singular values up to `nothing` are 0; `kept` is the least that
 * counted as more, INFINITY if none was looked at. A should be of about unit size. work (2 n² + n). */
int cmb_deflate(int n, double nothing, double *A, double *work, double *kept);

#endif
