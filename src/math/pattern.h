/*
 * Sparsity patterns by rows and products with the values stored on them; colour.h groups their columns.
 *
 * A matrix is stored either dense, row by row, or as the values on a pattern, row by row in the order
 * of the pattern's entries. A NULL pattern means dense everywhere in Camber.
 */
#ifndef CMB_MATH_PATTERN_H
#define CMB_MATH_PATTERN_H

#include "base/arena.h"

#include <camber/base.h>
#include <camber/math.h>

/* The pattern of the entries (row, column) listed, in any order and some of them twice or more. */
cmb_status cmb_pattern_of(cmb_context *ctx, cmb_arena *arena, int rows, int columns, int count,
                          const int *row, const int *column, cmb_pattern *out);

/* The number of stored values of a rows x columns matrix on `p`, or dense if p is NULL. */
int cmb_pattern_values(const cmb_pattern *p, int rows, int columns);

/* Row i of a matrix with `columns` columns on `p`, or dense if p is NULL, written out into `row`. */
void cmb_expand_row(const cmb_pattern *p, int columns, int i, const double *A, double *row);

/* The largest absolute value of an entry of that row; 1 if there is none but 0. */
double cmb_row_size(const cmb_pattern *p, int columns, int i, const double *A);

/* y = A x and y += c Aᵀ x for A (rows x columns) on `p`, or dense if p is NULL. */
void cmb_multiply(const cmb_pattern *p, int rows, int columns, const double *A, const double *x,
                  double *y);
void cmb_multiply_transposed_add(const cmb_pattern *p, int rows, int columns, const double *A,
                                 double c, const double *x, double *y);

#endif
