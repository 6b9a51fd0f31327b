/*
 * The car axis eliminated by hand, for a rival that gets all the help there is. With p = (xl, yl, xr, yr),
 * k = ε² m/2 and the constraints φ of the IVP Test Set,
 *
 *     k a = f + φ_pᵀ λ,   φ_p a = −γ    ⟹    (φ_p φ_pᵀ) λ = −k γ − φ_p f,
 *
 * two equations with the matrix [L² 2e; 2e 8d²], e = xb dx + yb dy, d² = dx² + dy², (dx, dy) the bar.
 */
#include "support/codes.h"

#include <math.h>

void bench_caraxis_by_hand(double t, const double *q, const double *v, double *a, double *lambda)
{
  static const double L = 1, L0 = 0.5, k = 5e-4, bump = 0.1, omega = 10; /* k = 1e-2² · 10 / 2 */
  const double yb = bump * sin(omega * t), xb = sqrt(L * L - yb * yb);
  const double yb1 = bump * omega * cos(omega * t), xb1 = -yb * yb1 / xb;
  const double yb2 = -omega * omega * yb, xb2 = -(yb1 * yb1 + yb * yb2 + xb1 * xb1) / xb;
  const double dx = q[0] - q[2], dy = q[1] - q[3], dvx = v[0] - v[2], dvy = v[1] - v[3];
  const double rx = q[2] - xb, ry = q[3] - yb;
  const double left = L0 / sqrt(q[0] * q[0] + q[1] * q[1]) - 1;
  const double right = L0 / sqrt(rx * rx + ry * ry) - 1;
  const double f0 = left * q[0], f1 = left * q[1] - k, f2 = right * rx, f3 = right * ry - k;
  const double gamma1 = 2 * (v[0] * xb1 + v[1] * yb1) + q[0] * xb2 + q[1] * yb2;
  const double gamma2 = 2 * (dvx * dvx + dvy * dvy);
  const double b1 = -k * gamma1 - (xb * f0 + yb * f1);
  const double b2 = -k * gamma2 - 2 * (dx * (f0 - f2) + dy * (f1 - f3));
  const double e2 = 2 * (xb * dx + yb * dy), d8 = 8 * (dx * dx + dy * dy);
  const double determinant = L * L * d8 - e2 * e2;
  const double lambda1 = (d8 * b1 - e2 * b2) / determinant;
  const double lambda2 = (L * L * b2 - e2 * b1) / determinant;
  a[0] = (f0 + xb * lambda1 + 2 * dx * lambda2) / k;
  a[1] = (f1 + yb * lambda1 + 2 * dy * lambda2) / k;
  a[2] = (f2 - 2 * dx * lambda2) / k;
  a[3] = (f3 - 2 * dy * lambda2) / k;
  lambda[0] = lambda1;
  lambda[1] = lambda2;
}
