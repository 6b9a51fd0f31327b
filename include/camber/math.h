/*
 * Camber, layer math: the types of this layer that other layers' interfaces use: the sparsity pattern of a matrix, and intervals.
 */
#ifndef CAMBER_MATH_H
#define CAMBER_MATH_H

#ifdef __cplusplus
extern "C" {
#endif

/* The sparsity pattern of a matrix by rows: the entries of row i have the numbers start[i] to start[i+1]-1, and their columns ascend
 * within a row. The values of a matrix with this pattern are stored in the same order. */
typedef struct cmb_pattern {
  int rows, columns;
  const int *start;  /* (rows + 1) */
  const int *column; /* (start[rows]) */
} cmb_pattern;

/* All numbers from low to high, both included; both NaN: no bounds are known. */
typedef struct cmb_interval {
  double low, high;
} cmb_interval;

#ifdef __cplusplus
}
#endif
#endif
