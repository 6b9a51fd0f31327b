/*
 * The history of a backward differentiation formula of variable order and step size, used by bdf.c (Brenan, Campbell, Petzold, §5.2; the
 * code DASSL).
 *
 * The past values of y are kept as modified divided differences φ_0 .. φ_{k+1} (at the highest order φ_0 .. φ_k), for the sums of step
 * sizes ψ. With fixed leading coefficient:
 *
 *     predictor   y⁰ = Σ_{i≤k} φ_i,   ẏ⁰ = Σ γ_i φ_i
 *     corrector   ẏ = ẏ⁰ + α (y − y⁰),   α = (1 + 1/2 + .. + 1/k) / h
 */
#ifndef CMB_METHOD_BDF_HISTORY_H
#define CMB_METHOD_BDF_HISTORY_H

#include "base/arena.h"

#include <stdbool.h>

enum { CMB_BDF_MOST = 5, CMB_BDF_TERMS = CMB_BDF_MOST + 2 };

typedef struct cmb_bdf_history {
  int n;                      /* length of y */
  double *phi[CMB_BDF_TERMS]; /* (n) modified divided differences φ_i */
  double psi[CMB_BDF_TERMS];  /* sums ψ_i of the last i + 1 step sizes */
  /* coefficients β_i, σ_i and γ_i of the open attempt (DASSL) */
  double beta[CMB_BDF_TERMS], sigma[CMB_BDF_TERMS], gamma[CMB_BDF_TERMS];
  int constant;    /* consecutive steps of equal size and order, counted up to the order + 2 */
  int scaled_from; /* φ_i from this i to k have been multiplied by β_i for the current attempt */
  int k, k_taken;  /* order of the attempt, and of the last accepted step */
  double h_taken;
  bool open;     /* an attempt is in progress: φ and ψ are scaled for it */
  double h_open; /* size of that attempt */

  double alpha;      /* leading coefficient α of the corrector */
  double error_part; /* the error estimate of the step is error_part ‖y − y⁰‖ */
} cmb_bdf_history;

/* Allocates the history of a vector y of n numbers from the arena; an allocation failure is recorded in the arena. */
void cmb_bdf_history_create(cmb_bdf_history *b, cmb_arena *arena, int n);

/* Starts a new history of order 1 at y (n) with its rate of change (n); the first step will have about the size h. */
void cmb_bdf_begin(cmb_bdf_history *b, const double *y, const double *rate, double h);

/* Begins an attempt of order k and size h: computes the coefficients of the formula and scales the divided differences. An attempt that
 * was open before is discarded. */
void cmb_bdf_open(cmb_bdf_history *b, int k, double h);

/* Computes the predictor y⁰ (n) of the open attempt in y, and its rate ẏ⁰ (n) in `rate`. */
void cmb_bdf_predict(const cmb_bdf_history *b, double *y, double *rate);

/* Ends the open attempt of size h as accepted: updates the divided differences by e (n) = y − y⁰, corrector minus predictor. */
void cmb_bdf_accept(cmb_bdf_history *b, double h, const double *e);

/* Computes y (n), the first n numbers of the solution at the time dt <= 0 after the end of the last step, by the interpolating
 * polynomial of the history. */
void cmb_bdf_interpolate(const cmb_bdf_history *b, double dt, int n, double *y);

#endif
