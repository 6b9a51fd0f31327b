/*
 * Maintains the divided differences of a backward differentiation formula (interface in bdf_history.h; used by bdf.c). The coefficients
 * α_i, β_i, γ_i, σ_i, ψ_i are those of DASSL, counted from 0.
 */
#include "method/bdf_history.h"

#include "math/dense.h"

#include <math.h>
#include <string.h>

void cmb_bdf_history_create(cmb_bdf_history *b, cmb_arena *arena, int n)
{
  b->n = n;
  for (int i = 0; i < CMB_BDF_TERMS; i++) b->phi[i] = cmb_arena_doubles(arena, n);
}

void cmb_bdf_begin(cmb_bdf_history *b, const double *y, const double *rate, double h)
{
  for (int i = 2; i < CMB_BDF_TERMS; i++) memset(b->phi[i], 0, (size_t)b->n * sizeof(double));
  for (int i = 0; i < b->n; i++) {
    b->phi[0][i] = y[i];
    b->phi[1][i] = h * rate[i];
  }
  memset(b->psi, 0, sizeof b->psi);
  b->psi[0] = h;
  b->constant = b->k_taken = 0;
  b->h_taken = h;
  b->open = false;
}

/* Restores the BDF history, the divided differences φ and the sums of step sizes ψ, to the state before an attempt of size h that is discarded. */
static void restore_history(cmb_bdf_history *b, double h)
{
  for (int i = b->scaled_from; i <= b->k; i++) {
    const double back = 1 / b->beta[i];
    for (int j = 0; j < b->n; j++) b->phi[i][j] *= back;
  }
  for (int i = 1; i <= b->k; i++) b->psi[i - 1] = b->psi[i] - h;
  b->open = false;
}

/* Computes the coefficients β_i, γ_i, σ_i and the sums of step sizes ψ_i (i = 0 .. k) of the BDF formula for a step of order k and size h, as
 * in DASSL. Returns Σ_{i<k} h/ψ_i; *last becomes h/ψ_k. */
static double coefficients(cmb_bdf_history *b, int k, double h, double *last)
{
  double size = h, sum = 1, alpha = 1;
  b->beta[0] = b->sigma[0] = 1;
  b->gamma[0] = 0;
  for (int i = 1; i <= k; i++) {
    const double before = b->psi[i - 1];
    b->psi[i - 1] = size;
    b->beta[i] = b->beta[i - 1] * size / before;
    size = before + h;
    b->gamma[i] = b->gamma[i - 1] + alpha / h;
    alpha = h / size;
    b->sigma[i] = i * b->sigma[i - 1] * alpha;
    if (i < k) sum += alpha;
  }
  b->psi[k] = size;
  *last = alpha;
  return sum;
}

void cmb_bdf_open(cmb_bdf_history *b, int k, double h)
{
  static const double harmonic_sums[CMB_BDF_MOST + 1] = {0,        1,         3.0 / 2,
                                                         11.0 / 6, 25.0 / 12, 137.0 / 60};
  const double harmonic = harmonic_sums[k];
  double last, sum;
  if (b->open) restore_history(b, b->h_open);
  if (h != b->h_taken || k != b->k_taken) b->constant = 0;
  if (b->constant < b->k_taken + 2) b->constant++;
  sum = coefficients(b, k, h, &last);
  b->alpha = harmonic / h;
  b->error_part = fmax(fabs(last - harmonic + sum), last);
  b->scaled_from = b->constant < k + 1 ? b->constant : k + 1;
  for (int i = b->scaled_from; i <= k; i++) {
    for (int j = 0; j < b->n; j++) b->phi[i][j] *= b->beta[i];
  }
  b->k = k;
  b->h_open = h;
  b->open = true;
}

/* Marks functions that are compiled separately for the highest order, which most steps have: the number of iterations in their loops over
 * all φ is then constant. */
#define COMPILED_FOR_ORDER static inline __attribute__((always_inline))

/* Computes the predictor of a BDF step of order k, y = Σ φ_i (n), and its rate of change, rate = Σ γ_i φ_i (n), summed over the scaled
 * divided differences φ_0 .. φ_k of the history. */
COMPILED_FOR_ORDER void predict(const cmb_bdf_history *b, int k, double *y, double *rate)
{
  const int n = b->n;
  for (int j = 0; j < n; j += 2) {
    cmb_lanes sum = cmb_lanes_load(b->phi[0] + j), slope = {0, 0};
    for (int i = 1; i <= k; i++) {
      const cmb_lanes phi = cmb_lanes_load(b->phi[i] + j);
      sum += phi;
      slope += b->gamma[i] * phi;
    }
    cmb_lanes_store(sum, y + j);
    cmb_lanes_store(slope, rate + j);
  }
}

void cmb_bdf_predict(const cmb_bdf_history *b, double *y, double *rate)
{
  if (b->k == CMB_BDF_MOST) {
    predict(b, CMB_BDF_MOST, y, rate);
  } else {
    predict(b, b->k, y, rate);
  }
}

/* Updates the divided differences φ_0 .. φ_{k+1} of the BDF history after an accepted step of order k; e (n) is the difference between
 * the corrected and the predicted state. At the highest order φ_{k+1} is not needed and not stored. */
COMPILED_FOR_ORDER void update_differences(cmb_bdf_history *b, int k, const double *e)
{
  const int n = b->n;
  for (int j = 0; j < n; j += 2) {
    cmb_lanes sum = cmb_lanes_load(e + j);
    if (k < CMB_BDF_MOST) cmb_lanes_store(sum, b->phi[k + 1] + j);
    for (int i = k; i >= 0; i--) {
      sum += cmb_lanes_load(b->phi[i] + j);
      cmb_lanes_store(sum, b->phi[i] + j);
    }
  }
}

void cmb_bdf_accept(cmb_bdf_history *b, double h, const double *e)
{
  if (b->k == CMB_BDF_MOST) {
    update_differences(b, CMB_BDF_MOST, e);
  } else {
    update_differences(b, b->k, e);
  }
  b->k_taken = b->k;
  b->h_taken = h;
  b->open = false;
}

void cmb_bdf_interpolate(const cmb_bdf_history *b, double dt, int n, double *y)
{
  double c = 1, factor = dt / b->psi[0];
  memcpy(y, b->phi[0], (size_t)n * sizeof *y);
  for (int i = 1; i <= b->k_taken; i++) {
    c *= factor;
    factor = (dt + b->psi[i - 1]) / b->psi[i];
    cmb_add_scaled(n, c, b->phi[i], y);
  }
}
