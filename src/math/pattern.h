/*
 * Sparsity patterns by rows, products with the values stored on them, and column colouring.
 *
 * A matrix is stored either dense, row by row, or as the values on a pattern, row by row in the order
 * of the pattern's entries. A NULL pattern means dense everywhere in Camber.
 */
#ifndef CMB_MATH_PATTERN_H
#define CMB_MATH_PATTERN_H

#include <camber/math.h>

/* The number of stored values of a rows x columns matrix on `p`, or dense if p is NULL. */
int cmb_pattern_values(const cmb_pattern *p, int rows, int columns);

/* y = A x and y += c Aᵀ x for A (rows x columns) on `p`, or dense if p is NULL. */
void cmb_multiply(const cmb_pattern *p, int rows, int columns, const double *A, const double *x,
                  double *y);
void cmb_multiply_transposed_add(const cmb_pattern *p, int rows, int columns, const double *A,
                                 double c, const double *x, double *y);

/* Columns into groups so that no two columns of a group have an entry in the same row (Curtis, Powell
 * and Reid 1974): group[j] in 0 .. n-1. `work` holds 2*columns + rows ints. Returns the number n of groups.
 * Greedy, columns in the order of decreasing count. */
int cmb_colour_columns(const cmb_pattern *p, int *group, int *work);

#endif
