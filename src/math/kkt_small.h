/*
 * The KKT matrix with diagonal M and one or two constraints, in closed form. Private to math.
 *
 * It is the smallest closed loop in the plane, and the case where what is around the arithmetic would
 * cost more than the arithmetic. The general way (kkt.c) gives the same results; a test compares them.
 */
#ifndef CMB_MATH_KKT_SMALL_H
#define CMB_MATH_KKT_SMALL_H

#include <camber/base.h>

typedef struct cmb_kkt_small {
  int nv, ng;          /* ng: 1 or 2 */
  const double *D_inv; /* (nv) 1/m_i, the caller's */
  double *W_G,
      *W_B; /* (2 x nv) G D⁻¹ and B D⁻¹, the caller's; zero for a constraint that is not there */
  const double *least_length2; /* (2) as in kkt_schur.h, the caller's */
  const double *W;             /* the one of them that stands for B in the factors held */

  /* S with rows and columns so exchanged that the first pivot comes first: [d0 m·d0; l·d0 l·m·d0 + d1] */
  int row, column; /* of the first pivot */
  double l, m, d0_inv, d1_inv;
} cmb_kkt_small;

/* Factor for dense G and B (ng x nv), B = G or not. Statuses and `dependent` as cmb_kkt_factor. */
cmb_status cmb_kkt_small_factor(cmb_kkt_small *small, const double *G, double least_pivot,
                                int *dependent);
cmb_status cmb_kkt_small_factor_unsymmetric(cmb_kkt_small *small, const double *G, const double *B,
                                            double least_pivot, int *dependent);

/* Solve, as cmb_kkt_solve. */
void cmb_kkt_small_solve(const cmb_kkt_small *small, const double *r, const double *s, double *x,
                         double *y);

/* The same for r = 0; y may be s. */
void cmb_kkt_small_move(const cmb_kkt_small *small, const double *s, double *x, double *y);

#endif
