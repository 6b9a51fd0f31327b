/*
 * Computes reference trajectories (reference.h) by Gragg–Bulirsch–Stoer extrapolation in long double.
 *
 * A step of size H applies the modified midpoint rule with n_j = 2, 4, ..., 16 substeps of size h = H/n_j and extrapolates the results in
 * h² (Aitken and Neville). The order is 16; with the steps used here the error is about the rounding error of long double.
 */
#include "reference.h"

#include <math.h>
#include <string.h>

enum { COLUMNS = 8 };

/* Computes one step H of the modified midpoint rule with smoothing, from y to out. */
static void midpoint(cmbt_ode f, const void *user, int n, long double t, long double H,
                     int substeps, const long double *y, long double *out)
{
  long double h = H / substeps, before[CMBT_MOST_STATES], here[CMBT_MOST_STATES];
  long double dy[CMBT_MOST_STATES];
  f(user, t, y, dy);
  for (int i = 0; i < n; i++) before[i] = y[i], here[i] = y[i] + h * dy[i];
  for (int k = 1; k < substeps; k++) {
    f(user, t + k * h, here, dy);
    for (int i = 0; i < n; i++) {
      long double next = before[i] + 2 * h * dy[i];
      before[i] = here[i];
      here[i] = next;
    }
  }
  f(user, t + H, here, dy);
  for (int i = 0; i < n; i++) out[i] = (here[i] + before[i] + h * dy[i]) / 2;
}

static void extrapolation_step(cmbt_ode f, const void *user, int n, long double t, long double H,
                               long double *y)
{
  long double table[COLUMNS][CMBT_MOST_STATES];
  for (int j = 0; j < COLUMNS; j++) {
    midpoint(f, user, n, t, H, 2 * (j + 1), y, table[j]);
    for (int k = j - 1; k >= 0; k--) {
      long double ratio = (long double)(j + 1) / (k + 1);
      for (int i = 0; i < n; i++) {
        table[k][i] = table[k + 1][i] + (table[k + 1][i] - table[k][i]) / (ratio * ratio - 1);
      }
    }
  }
  memcpy(y, table[0], (size_t)n * sizeof *y);
}

void cmbt_extrapolate(cmbt_ode f, const void *user, int n, long double t0, long double t1,
                      int steps, long double *y)
{
  long double H = (t1 - t0) / steps;
  for (int k = 0; k < steps; k++) extrapolation_step(f, user, n, t0 + k * H, H, y);
}

/* ---- car axis: masses K, positions p, forces f, constraints φ(t, p) = 0 with the Jacobian φ_p. K p'' = f + φ_pᵀ λ, where λ is the solution of
 * φ_p φ_pᵀ λ = −K (φ'' − φ_p p'') − φ_p f ---- */

static void caraxis(const void *user, long double t, const long double *y, long double *dy)
{
  const long double *p = y, *v = y + 4, h = 0.1L, w = 10, L0 = 0.5L, K = 5e-4L;
  long double *lambda_out = (long double *)user; /* (2) gets the multipliers, unless NULL */
  long double yb = h * sinl(w * t), xb = sqrtl(1 - yb * yb), yb1 = h * w * cosl(w * t);
  long double xb1 = -yb * yb1 / xb, yb2 = -w * w * yb;
  long double xb2 = -(yb1 * yb1 + yb * yb2 + xb1 * xb1) / xb;
  long double ll = sqrtl(p[0] * p[0] + p[1] * p[1]);
  long double lr = sqrtl((p[2] - xb) * (p[2] - xb) + (p[3] - yb) * (p[3] - yb));
  long double f[4] = {(L0 - ll) * p[0] / ll, (L0 - ll) * p[1] / ll - K,
                      (L0 - lr) * (p[2] - xb) / lr, (L0 - lr) * (p[3] - yb) / lr - K};
  long double dx = p[0] - p[2], dz = p[1] - p[3], ux = v[0] - v[2], uz = v[1] - v[3];
  long double J[2][4] = {{xb, yb, 0, 0}, {2 * dx, 2 * dz, -2 * dx, -2 * dz}};
  long double rest[2] = {2 * (v[0] * xb1 + v[1] * yb1) + p[0] * xb2 + p[1] * yb2,
                         2 * (ux * ux + uz * uz)};
  long double a = 0, b = 0, c = 0, r[2];
  for (int i = 0; i < 4; i++)
    a += J[0][i] * J[0][i], b += J[0][i] * J[1][i], c += J[1][i] * J[1][i];
  for (int k = 0; k < 2; k++) {
    r[k] = -K * rest[k];
    for (int i = 0; i < 4; i++) r[k] -= J[k][i] * f[i];
  }
  long double det = a * c - b * b,
              lambda[2] = {(c * r[0] - b * r[1]) / det, (a * r[1] - b * r[0]) / det};
  for (int i = 0; i < 4; i++) {
    dy[i] = v[i];
    dy[4 + i] = (f[i] + J[0][i] * lambda[0] + J[1][i] * lambda[1]) / K;
  }
  if (lambda_out) lambda_out[0] = lambda[0], lambda_out[1] = lambda[1];
}

void cmbt_caraxis_at(double t, double *q, double *v, double *lambda)
{
  long double y[8] = {0, 0.5L, 1, 0.5L, -0.5L, 0, -0.5L, 0}, dy[8], multipliers[2];
  if (t > 0) cmbt_extrapolate(caraxis, NULL, 8, 0, t, 1 + (int)(t * 200), y);
  caraxis(multipliers, t, y, dy);
  for (int i = 0; i < 4; i++) q[i] = (double)y[i], v[i] = (double)y[4 + i];
  for (int i = 0; i < 2; i++) lambda[i] = (double)multipliers[i];
}

/* ---- pendulum: φ'' = −g/l sin φ ---- */

static void pendulum(const void *user, long double t, const long double *y, long double *dy)
{
  const long double *g_over_l = user;
  (void)t;
  dy[0] = y[1];
  dy[1] = -*g_over_l * sinl(y[0]);
}

void cmbt_pendulum_at(double l, double g, double phi0, double t, double *q, double *v,
                      double *lambda)
{
  long double y[2] = {phi0, 0}, g_over_l = (long double)g / l;
  if (t > 0) cmbt_extrapolate(pendulum, &g_over_l, 2, 0, t, 1 + (int)(t * sqrt(g / l) * 8), y);
  q[0] = (double)(l * sinl(y[0])), q[1] = (double)(-l * cosl(y[0]));
  v[0] = (double)(l * cosl(y[0]) * y[1]), v[1] = (double)(l * sinl(y[0]) * y[1]);
  lambda[0] = (double)(y[1] * y[1] + g_over_l * cosl(y[0]));
}

long double cmbt_pendulum_period(double l, double g, double phi0)
{
  long double a = 1, b = cosl((long double)phi0 / 2); /* T = 2π sqrt(l/g) / agm(1, cos(φ0/2)) */
  for (int k = 0; k < 8; k++) {
    long double mean = (a + b) / 2;
    b = sqrtl(a * b);
    a = mean;
  }
  return 2 * acosl(-1.0L) * sqrtl((long double)l / g) / a;
}
