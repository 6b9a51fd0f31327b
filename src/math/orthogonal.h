/*
 * Makes the rows of a matrix orthogonal, which gives its singular value decomposition.
 */
#ifndef CMB_MATH_ORTHOGONAL_H
#define CMB_MATH_ORTHOGONAL_H

/* Replaces A (rows x columns) by J A with orthogonal rows of descending lengths sigma (rows), J (rows x rows) being orthogonal: A = Jᵀ Σ
 * Vᵀ. Small singular values are as accurate as the rows are given. The rows should have about unit length. */
void cmb_orthogonal_rows(int rows, int columns, double *A, double *J, double *sigma);

#endif
