/*
 * Linear complementarity problems with a symmetric, positive semidefinite matrix:
 *
 *     w = A z + b,   z ≥ 0,   w ≥ 0,   zᵀ w = 0.
 *
 * A z and w are unique; where A is singular z need not be, and then that of about the least length is taken, in units in which A has
 * ones on its diagonal: what is alike gets the same.
 */
#ifndef CMB_MATH_LCP_H
#define CMB_MATH_LCP_H

#include "base/arena.h"

typedef struct cmb_lcp {
  int most;       /* unknowns at the most */
  double *A, *b;  /* (most x most), (most) in those units */
  double *unit;   /* (most) */
  double *K, *x;  /* (most x most), (most) equations of the unknowns that are not 0 */
  double *z, *w;  /* (most) */
  double *before; /* (most) z of the iteration before */
  bool *in;       /* (most) unknowns that may be other than 0 */
  bool *back;     /* (most) those that were asked to be and came back at once */
} cmb_lcp;

/* Memory from `arena`; a failure is left to it. */
void cmb_lcp_create(cmb_lcp *p, cmb_arena *arena, int most);

/* z (n), and which of its entries are unique (n). The diagonal of A is positive. CMB_RETRY_SINGULAR: there is no solution;
 * CMB_RETRY_NEWTON: none was found within 50 + 10 n exchanges; CMB_RETRY_NONFINITE: an entry is not finite. */
cmb_status cmb_lcp_solve(cmb_lcp *p, int n, const double *A, const double *b, double *z,
                         bool *unique);

#endif
