/*
 * The pivots of a matrix with rows that may become dependent, in an order that stays.
 *
 * G is eliminated with complete pivoting once; later the same pivots, in the same order, are computed for another G. Where G loses rank
 * between the two at least one of them goes through zero and changes its sign, however far apart the two are. A pivot can also change its
 * sign because others than the chosen would be better by now: whoever asks has to look more closely.
 *
 * In large systems the pivots are those of G G₀ᵀ in a static order, with G₀ the G they were chosen for (kkt_sparse.h): at first they are
 * positive.
 */
#ifndef CMB_MATH_PIVOTS_H
#define CMB_MATH_PIVOTS_H

#include "math/kkt_sparse.h"

typedef struct cmb_pivots {
  int rows, columns;
  const cmb_pattern *pattern; /* of G; NULL: dense, by rows */
  int rank;                   /* pivots that there are; 0: none have been chosen */
  int *row, *column;          /* (rows) in the order of the pivots */
  int *place; /* (rank x rank) where the entries of their rows and columns are stored, -1: not */
  double *reference; /* (rows) pivots when they were chosen */
  double
      *scale; /* (rows) 1 over the largest entry of the row when they were chosen; 0: it had none */
  double *A;  /* (rows x columns) G under elimination */

  /* in large systems instead; NULL: not */
  cmb_kkt_sparse *sparse;
  double *G_reference; /* G when the pivots were chosen */
  double *pivot;       /* (rows) now */
} cmb_pivots;

/* Arrays come from the arena; a failure comes with words. */
cmb_status cmb_pivots_create(cmb_context *ctx, cmb_arena *arena, int rows, int columns,
                             const cmb_pattern *pattern, cmb_pivots *p);

/* Pivots for this G: `rank`. */
void cmb_pivots_choose(cmb_pivots *p, const double *G);

/* Whether one has another sign for this G. *poor: one has become so small or so large that others should be chosen; else *poor is
 * unchanged. */
bool cmb_pivots_have_turned(cmb_pivots *p, const double *G, bool *poor);

#endif
