/*
 * Solves linear complementarity problems with a symmetric, positive semidefinite matrix, such as contact forces without friction:
 *
 *     w = A z + b,   z ≥ 0,   w ≥ 0,   zᵀ w = 0.
 *
 * A z and w are unique. Where A is singular z need not be; then approximately the z of the least length is chosen, in units in which A has
 * ones on its diagonal, so that equal unknowns get equal values.
 */
#ifndef CMB_MATH_LCP_H
#define CMB_MATH_LCP_H

#include "base/arena.h"

typedef struct cmb_lcp {
  int most;       /* largest number of unknowns */
  double *A, *b;  /* (most x most), (most) scaled to a unit diagonal */
  double *unit;   /* (most) scale factors */
  double *K, *x;  /* (most x most), (most) equations of the free unknowns */
  double *z, *w;  /* (most) */
  double *before; /* (most) z of the iteration before */
  bool *in;       /* (most) the free unknowns, which may be nonzero */
  bool *back;     /* (most) unknowns that were freed and fixed again at once */
} cmb_lcp;

/* Takes memory for problems of up to `most` unknowns from `arena`; the caller checks whether the arena has failed. */
void cmb_lcp_create(cmb_lcp *p, cmb_arena *arena, int most);

/* Computes the solution z (n), and for each entry whether it is unique (n). Returns CMB_RETRY_SINGULAR if there is no solution or a
 * diagonal entry of A is not positive, CMB_RETRY_NEWTON if an iteration ended after 50 + 10 n exchanges without one, CMB_RETRY_NONFINITE if
 * an entry is not finite. */
cmb_status cmb_lcp_solve(cmb_lcp *p, int n, const double *A, const double *b, double *z,
                         bool *unique);

#endif
