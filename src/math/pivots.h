/*
 * Detects between two positions whether a constraint Jacobian G loses rank, from the signs of its pivots in a fixed order.
 *
 * G is eliminated with complete pivoting once; later the same pivots, in the same order, are computed for another G. Where G loses rank
 * between the two, at least one of them passes through zero, and after a single passage it has the other sign, however far apart the two
 * are. A pivot can also change its sign because other pivots than those chosen have become better: the caller then has to examine more
 * closely.
 *
 * In large systems the pivots are those of −G G₀ᵀ in a static order, with G₀ the matrix for which they were chosen (kkt_sparse.h);
 * initially they are negative.
 */
#ifndef CMB_MATH_PIVOTS_H
#define CMB_MATH_PIVOTS_H

#include "math/kkt_sparse.h"

typedef struct cmb_pivots {
  int rows, columns;
  const cmb_pattern *pattern; /* of G; NULL: dense, by rows */
  int rank;                   /* number of pivots; 0: none have been chosen */
  int *row, *column;          /* (rows) row and column of each pivot */
  /* (rank x rank) index in G of the entries in the rows and columns of the pivots, -1: always 0 */
  int *place;
  double *reference; /* (rows) the pivots when they were chosen */
  /* (rows) 1 over the largest entry of each row when the pivots were chosen; 0: the row was zero */
  double *scale;
  double *A; /* (rows x columns) G under elimination */

  /* used instead in large systems; NULL otherwise */
  cmb_kkt_sparse *sparse;
  double *G_reference; /* G when the pivots were chosen */
  double *pivot;       /* (rows) the present pivots */
} cmb_pivots;

/* Creates the object in memory from the arena. A failure leaves a message in the context. */
cmb_status cmb_pivots_create(cmb_context *ctx, cmb_arena *arena, int rows, int columns,
                             const cmb_pattern *pattern, cmb_pivots *p);

/* Chooses pivots for this G, and their number, `rank`. */
void cmb_pivots_choose(cmb_pivots *p, const double *G);

/* Returns whether a pivot has another sign for this G than when it was chosen. Sets *poor to true if one has become so small or so large
 * that others should be chosen; leaves it unchanged otherwise. */
bool cmb_pivots_have_turned(cmb_pivots *p, const double *G, bool *poor);

#endif
