/*
 * A matrix with its rows made orthogonal: the singular value decomposition, as far as it is needed.
 */
#ifndef CMB_MATH_ORTHOGONAL_H
#define CMB_MATH_ORTHOGONAL_H

/* A := J A with orthogonal rows of descending lengths sigma: A = Jᵀ Σ Vᵀ. A (rows x columns), J (rows x rows) orthogonal, sigma
 * (rows). Small singular values come out as exactly as the rows are given. The rows should have about unit length. */
void cmb_orthogonal_rows(int rows, int columns, double *A, double *J, double *sigma);

#endif
