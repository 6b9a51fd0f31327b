/*
 * A square matrix to factorise once and solve with many times: real or complex, dense or with a sparsity pattern.
 *
 * Dense: LU with partial pivoting, rows compared by the sums of their entries, so that the units of the equations do not matter. With a
 * pattern and at least CMB_LINEAR_SPARSE_FROM unknowns: KLU, which analyses the pattern and chooses pivots at the first factorisation and
 * keeps them as long as they are accurate enough. Complex numbers are stored as pairs (re, im).
 */
#ifndef CMB_MATH_LINEAR_H
#define CMB_MATH_LINEAR_H

#include <camber/base.h>
#include <camber/math.h>
#include <stdbool.h>

typedef struct cmb_linear cmb_linear;

enum { CMB_LINEAR_SPARSE_FROM = 64 };

/* Creates a matrix with n rows and columns. pattern == NULL: dense; otherwise the pattern must outlive the object. */
cmb_status cmb_linear_create(cmb_context *ctx, int n, const cmb_pattern *pattern, bool is_complex,
                             cmb_linear **linear);
void cmb_linear_destroy(cmb_linear *linear);

/* Returns the array to which the matrix has to be written before cmb_linear_factor: row by row, or the values on the pattern if there is
 * one. Factorising may overwrite it. */
double *cmb_linear_values(cmb_linear *linear);

/* Factorises the matrix. Returns CMB_RETRY_SINGULAR if there is no usable pivot, CMB_RETRY_NONFINITE if an entry is not finite,
 * CMB_ERROR_MEMORY if KLU has no memory. The factors must not be used then. */
cmb_status cmb_linear_factor(cmb_linear *linear);

/* Solves b := A⁻¹ b. */
void cmb_linear_solve(cmb_linear *linear, double *b);

#endif
