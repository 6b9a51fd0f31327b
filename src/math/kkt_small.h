/*
 * The KKT matrix with diagonal M and one or two constraints, in closed form. Private to math.
 *
 * It is the case of the smallest closed loop in the plane, where overhead would cost more than the arithmetic. The general method (kkt.c)
 * gives the same results; a test compares them.
 */
#ifndef CMB_MATH_KKT_SMALL_H
#define CMB_MATH_KKT_SMALL_H

#include <camber/base.h>

typedef struct cmb_kkt_small {
  int nv, ng;          /* ng: 1 or 2 */
  const double *D_inv; /* (nv) 1/m_i, memory of the caller */
  /* (2 x nv) G D⁻¹ and B D⁻¹, memory of the caller; zero for a missing second constraint */
  double *W_G, *W_B;
  const double *least_length2; /* (2) as in kkt_schur.h, memory of the caller */
  const double *W;             /* W_G or W_B: the one that represents B in the present factors */

  /* factors of S with its rows and columns exchanged such that the first pivot is first: [d0 m·d0; l·d0 l·m·d0 + d1] */
  int row, column; /* of the first pivot */
  double l, m, d0_inv, d1_inv;
} cmb_kkt_small;

/* Factorise for dense G and B (ng x nv), with B = G or not. Return statuses and `dependent` as cmb_kkt_factor does. */
cmb_status cmb_kkt_small_factor(cmb_kkt_small *small, const double *G, double least_pivot,
                                int *dependent);
cmb_status cmb_kkt_small_factor_unsymmetric(cmb_kkt_small *small, const double *G, const double *B,
                                            double least_pivot, int *dependent);

/* Solves with these factors, as cmb_kkt_solve does. */
void cmb_kkt_small_solve(const cmb_kkt_small *small, const double *r, const double *s, double *x,
                         double *y);

/* Solves for r = 0; y may be s. */
void cmb_kkt_small_move(const cmb_kkt_small *small, const double *s, double *x, double *y);

#endif
