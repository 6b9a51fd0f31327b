/*
 * The solution of the car axis at t = 3, to more digits than a double holds, and the error measure of the IVP Test Set; for tests
 * and benchmarks.
 *
 * Computed in quadruple precision (index-1 form, extrapolation of order 24; two step sizes agree to 1e-27, constraint residuals
 * below 5e-29). Order: q = (xl, yl, xr, yr), v = q̇, λ as in the IVP Test Set's eq. (II.17.2), which is also the sign and the
 * scaling of Camber's problem `caraxis`. The values printed in the Test Set itself are wrong from the ninth digit on in yl'.
 *
 *     mescd = −log10 max_i |error_i| / (atol/rtol + |value_i|)     over all ten components
 */
#ifndef CMB_DAE_PROBLEMS_CARAXIS_REFERENCE_H
#define CMB_DAE_PROBLEMS_CARAXIS_REFERENCE_H

#include <math.h>

static const double cmb_caraxis_reference_q[4] = {
    4.934557842752409213152679276357e-02, 4.969894602300081067629339733432e-01,
    1.041742524885426115194776207243e+00, 3.739110272653658193578976991918e-01};

static const double cmb_caraxis_reference_v[4] = {
    -7.705836840359208428394055771513e-02, 7.446866592068416491401753182548e-03,
    1.755681575354173662974061529887e-02, 7.703410437796010631206427884333e-01};

static const double cmb_caraxis_reference_lambda[2] = {-4.736886590853326515313475997946e-03,
                                                       -1.104680331259565839860600728703e-03};

/* Returns the larger of `worst` and the mixed relative errors of the n components of x; infinity if one is not finite. */
static inline double cmb_mixed_error(int n, const double *x, const double *reference,
                                     double atol_over_rtol, double worst)
{
  for (int i = 0; i < n; i++) {
    double error = fabs(x[i] - reference[i]) / (atol_over_rtol + fabs(reference[i]));
    if (!(error <= worst)) worst = isfinite(error) ? error : INFINITY;
  }
  return worst;
}

/* Returns the mescd of (q, v, λ) at t = 3, over q and v only if λ is NULL. atol_over_rtol = 1 for rtol = atol, 0 for the relative
 * scd. */
static inline double cmb_caraxis_mescd(const double *q, const double *v, const double *lambda,
                                       double atol_over_rtol)
{
  double worst = cmb_mixed_error(4, q, cmb_caraxis_reference_q, atol_over_rtol, 0);
  worst = cmb_mixed_error(4, v, cmb_caraxis_reference_v, atol_over_rtol, worst);
  if (lambda)
    worst = cmb_mixed_error(2, lambda, cmb_caraxis_reference_lambda, atol_over_rtol, worst);
  return -log10(worst);
}

#endif
