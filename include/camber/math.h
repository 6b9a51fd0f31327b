/*
 * Camber, layer math: what of it is seen from outside, the sparsity pattern of a matrix and intervals.
 */
#ifndef CAMBER_MATH_H
#define CAMBER_MATH_H

#ifdef __cplusplus
extern "C" {
#endif

/* A sparsity pattern by rows: row i has its entries at start[i] .. start[i+1]-1, their columns ascend
 * within a row. Values on a pattern are stored in the same order. */
typedef struct cmb_pattern {
  int rows, columns;
  const int *start;  /* (rows + 1) */
  const int *column; /* (start[rows]) */
} cmb_pattern;

/* All numbers from low to high; both NaN: nothing is known. */
typedef struct cmb_interval {
  double low, high;
} cmb_interval;

#ifdef __cplusplus
}
#endif
#endif
