/*
 * What a backward differentiation formula of variable order and step remembers (Brenan, Campbell, Petzold, §5.2; the code DASSL).
 *
 * The history of y is kept as modified divided differences φ_0 .. φ_{k+1}, for steps of sizes ψ. With fixed leading coefficient:
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
  int n;                      /* numbers in y */
  double *phi[CMB_BDF_TERMS]; /* (n) */
  double psi[CMB_BDF_TERMS];
  double beta[CMB_BDF_TERMS], sigma[CMB_BDF_TERMS], gamma[CMB_BDF_TERMS];
  int constant;    /* steps of the same size and order, counted up to the order + 2 */
  int scaled_from; /* φ from here to k were multiplied by β for the attempt under way */
  int k, k_taken;  /* order of the attempt, and of the last step */
  double h_taken;
  bool open;     /* an attempt is under way: φ and ψ are those for it */
  double h_open; /* its size */

  double alpha;      /* leading coefficient */
  double error_part; /* error of the step = error_part ‖y − y⁰‖ */
} cmb_bdf_history;

void cmb_bdf_history_create(cmb_bdf_history *b, cmb_arena *arena, int n);

/* Only y and its rate are known; the first step will have about size h. */
void cmb_bdf_begin(cmb_bdf_history *b, const double *y, const double *rate, double h);

/* An attempt of order k and size h; one that was open before is given up. */
void cmb_bdf_open(cmb_bdf_history *b, int k, double h);

/* y⁰ and ẏ⁰ of the attempt. */
void cmb_bdf_predict(const cmb_bdf_history *b, double *y, double *rate);

/* The attempt is accepted with e = y − y⁰. */
void cmb_bdf_accept(cmb_bdf_history *b, double h, const double *e);

/* y at the last step's end + dt, dt <= 0. */
void cmb_bdf_interpolate(const cmb_bdf_history *b, double dt, int n, double *y);

#endif
