/*
 * A square matrix to factor once and solve with many times: real or complex, dense or on a pattern.
 *
 * Dense: LU with partial pivoting, rows compared by the sums of their entries, so that the units of the equations do not matter.
 * On a pattern, from CMB_LINEAR_SPARSE_FROM unknowns on: KLU, whose analysis is made at creation; pivots are chosen at the
 * first factorisation and kept as long as they serve. Complex numbers are stored as (re, im), one after the other.
 */
#ifndef CMB_MATH_LINEAR_H
#define CMB_MATH_LINEAR_H

#include <camber/base.h>
#include <camber/math.h>
#include <stdbool.h>

typedef struct cmb_linear cmb_linear;

enum { CMB_LINEAR_SPARSE_FROM = 64 };

/* pattern == NULL: dense. It must outlive the object. */
cmb_status cmb_linear_create(cmb_context *ctx, int n, const cmb_pattern *pattern, bool is_complex,
                             cmb_linear **linear);
void cmb_linear_destroy(cmb_linear *linear);

/* Where the matrix is to be written before cmb_linear_factor: row by row, or the values on the pattern if there is one.
 * Factoring may overwrite it. */
double *cmb_linear_values(cmb_linear *linear);

/* CMB_RETRY_SINGULAR: there is no usable pivot; CMB_RETRY_NONFINITE. Then the factors must not be used. */
cmb_status cmb_linear_factor(cmb_linear *linear);

/* b := A⁻¹ b */
void cmb_linear_solve(cmb_linear *linear, double *b);

#endif
