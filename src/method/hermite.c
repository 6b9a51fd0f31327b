/*
 * Quartic Hermite interpolation over one step, the dense output of hem5 and phem56 (hermite.h). With x = θ and T the inner node,
 *
 *     p(x) = y0 + h x(x−1)²(T−x)/T y0' − h x²(x−1)(T−x)/(1−T) y1' + x²(x−1)²/((1−T)²T²) (yT − y0)
 *          + x² (T(3T−4) + (4−2T²)x + (2T−3)x²)/(1−T)² (y1 − y0)
 *
 * Bootstrapping finds the inner value yT: p = c(x) + w x²(1−x)² with the cubic c through values and slopes at the ends; the condition
 * p'(T) = h f(c(T)) gives w = (h f − c'(T)) / (2T(1−T)(1−2T)). The divisor is largest at T = (3 − √3)/6.
 */
#include "method/hermite.h"

#include <math.h>

void cmb_hermite_at(const cmb_integrator *in, const cmb_hermite *p, double theta, double *y)
{
  const double x = theta, T = p->node, h = in->h_taken, x1 = x - 1, T1 = 1 - T;
  const double w_f0 = h * x * x1 * x1 * (T - x) / T;
  const double w_f1 = -h * x * x * x1 * (T - x) / T1;
  const double w_inside = x * x * x1 * x1 / (T1 * T1 * T * T);
  const double w_end =
      x * x * (T * (3 * T - 4) + (4 - 2 * T * T) * x + (2 * T - 3) * x * x) / (T1 * T1);
  const double *y0 = in->y_before, *y1 = in->y;
  for (int i = 0; i < in->n; i++) {
    y[i] = y0[i] + w_f0 * p->f0[i] + w_f1 * p->f1[i] + w_inside * (p->inside[i] - y0[i]) +
           w_end * (y1[i] - y0[i]);
  }
}

cmb_status cmb_hermite_bootstrap(cmb_integrator *in, cmb_hermite *p)
{
  const double T = p->node = (3 - sqrt(3.0)) / 6, h = in->h_taken;
  const double *y0 = in->y_before, *y1 = in->y;
  double *slope = in->y_out;
  CMB_TRY(cmb_slope(in, in->t_before, y0, p->f0, in->lambda_new));
  CMB_TRY(cmb_slope(in, in->t, y1, p->f1, in->lambda_new));
  for (int i = 0; i < in->n; i++) { /* the cubic c at T */
    double step = y1[i] - y0[i];
    p->inside[i] = y0[i] + T * step +
                   T * (T - 1) * ((1 - 2 * T) * step + (T - 1) * h * p->f0[i] + T * h * p->f1[i]);
  }
  CMB_TRY(cmb_slope(in, in->t_before + T * h, p->inside, slope, in->lambda_new));
  for (int i = 0; i < in->n; i++) {
    double step = y1[i] - y0[i];
    double cubic_slope = 6 * T * (1 - T) * step + (1 - T) * (1 - 3 * T) * h * p->f0[i] +
                         T * (3 * T - 2) * h * p->f1[i];
    double w = (h * slope[i] - cubic_slope) / (2 * T * (1 - T) * (1 - 2 * T));
    p->inside[i] += w * T * T * (1 - T) * (1 - T);
  }
  return CMB_OK;
}
