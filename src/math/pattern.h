/*
 * Sparsity patterns by rows, and products with matrices stored on them. (colour.h divides their columns into groups.)
 *
 * A matrix is stored either dense, row by row, or as the values on a pattern, row by row in the order of the pattern's entries. A NULL
 * pattern means dense everywhere in Camber.
 */
#ifndef CMB_MATH_PATTERN_H
#define CMB_MATH_PATTERN_H

#include "base/arena.h"

#include <camber/base.h>
#include <camber/math.h>

/* Creates the pattern with the listed entries (row, column), which may be in any order and contain duplicates. */
cmb_status cmb_pattern_of(cmb_context *ctx, cmb_arena *arena, int rows, int columns, int count,
                          const int *row, const int *column, cmb_pattern *out);

/* Returns the number of stored values of a matrix (rows x columns) on the pattern `p`, or dense if p is NULL. */
int cmb_pattern_values(const cmb_pattern *p, int rows, int columns);

/* Expands row i of a matrix with `columns` columns on `p`, or dense if p is NULL, to row[columns], with zeros between the entries. */
void cmb_expand_row(const cmb_pattern *p, int columns, int i, const double *A, double *row);

/* Returns the largest absolute value of the entries of row i of a matrix on the pattern `p`, or dense if p is NULL; 1 if all are 0. */
double cmb_row_size(const cmb_pattern *p, int columns, int i, const double *A);

/* Compute y = A x, and y += c Aᵀ x, for A (rows x columns) on the pattern `p`, or dense if p is NULL. */
void cmb_multiply(const cmb_pattern *p, int rows, int columns, const double *A, const double *x,
                  double *y);
void cmb_multiply_transposed_add(const cmb_pattern *p, int rows, int columns, const double *A,
                                 double c, const double *x, double *y);

#endif
