/*
 * Smoothing splines (Reinsch 1967, "Smoothing by spline functions") for a curve in the plane.
 *
 * Given points p_i = (y_i, z_i) at the knots u_0 < … < u_(n−1), the curve c(u) minimises
 *
 *     ∫ |c''(u)|² du   subject to   1/n Σ_i |p_i − c(u_i)|² ≤ S²,
 *
 * where S is the tolerance, a distance. c is a natural cubic spline. With h_i = u_(i+1) − u_i, the vector m of the second derivatives at the
 * inner knots of one coordinate f follows from
 *
 *     (R + α QᵀQ) m = Qᵀ f,     c = f − α Q m,
 *
 * where column j of Q (n x n−2) has the entries 1/h_(j−1), −1/h_(j−1) − 1/h_j, 1/h_j in the rows j−1, j, j+1, and R is tridiagonal with
 * (h_(j−1) + h_j)/3 on the diagonal and h_j/6 beside it. The matrix has five diagonals and is positive definite; its factors L D Lᵀ are
 * computed once for both coordinates. The residual α |Q m| increases with the multiplier α >= 0; a root finder in log α finds where it equals
 * the tolerance. α = 0 interpolates.
 *
 * The knots should be arc lengths. They start as the lengths of the chords between the points; then the spline is computed, its arc
 * lengths are measured (by Gauss's rule with four points in each interval) and become the knots, and so on until they do not change.
 */
#include "rail/spline.h"

#include "base/arena.h"
#include "base/context.h"
#include "math/root.h"

#include <math.h>
#include <string.h>

enum {
  MOST_ROUNDS = 8
}; /* of the arc lengths; each reduces their error by a factor of (h/radius)² */
#define PRECISION 1e-10 /* of log α */

/* The linear equations for m, and their factors L D Lᵀ. */
struct fit {
  int n;                /* of the knots; there are n − 2 unknowns */
  double *h;            /* (n − 1) */
  double *d0, *d1, *d2; /* (n) D, and the two diagonals of L below that of ones */
  double *qy, *qz;      /* (n) Qᵀ y, Qᵀ z; entry j belongs to knot j */
  double *my, *mz;      /* (n) second derivatives, 0 at both ends */
};

int cmb_spline_interval(int n, const double *u, double at)
{
  int low = 0, high = n - 1;
  while (high - low > 1) {
    const int middle = low + (high - low) / 2;
    if (u[middle] <= at)
      low = middle;
    else
      high = middle;
  }
  return low;
}

cmb_spline_value cmb_spline_cubic(double h, double b, double f0, double f1, double m0, double m1)
{
  const double a = 1 - b;
  return (cmb_spline_value){
      .f = a * f0 + b * f1 - h * h / 6 * a * b * ((1 + a) * m0 + (1 + b) * m1),
      .df = (f1 - f0) / h + h / 6 * ((3 * b * b - 1) * m1 - (3 * a * a - 1) * m0),
      .ddf = a * m0 + b * m1};
}

/* ---- the linear equations */

/* Computes element j of the vector Qᵀ f for an inner knot j: the second divided difference of the values f at the knots, not divided by the
 * length of its interval. */
static double divided_difference(const struct fit *p, const double *f, int j)
{
  return (f[j + 1] - f[j]) / p->h[j] - (f[j] - f[j - 1]) / p->h[j - 1];
}

/* Computes element i of the vector Q m, where Q is the matrix of the divided differences (file header), and m, the second derivatives at the
 * knots, is 0 at both ends. */
static double spread(const struct fit *p, const double *m, int i)
{
  double sum = 0;
  if (i > 0) sum += (m[i - 1] - m[i]) / p->h[i - 1];
  if (i < p->n - 1) sum += (m[i + 1] - m[i]) / p->h[i];
  return sum;
}

/* Computes the factors L D Lᵀ of the matrix R + α QᵀQ with five diagonals, whose elements follow from the distances h of the knots (file header). */
static void factorise(struct fit *p, double alpha)
{
  const double *h = p->h;
  for (int j = 1; j < p->n - 1; j++) {
    const double before = 1 / h[j - 1], after = 1 / h[j], own = before + after;
    double diagonal = (h[j - 1] + h[j]) / 3;
    diagonal += alpha * (before * before + own * own + after * after);
    double first = 0, second = 0; /* entries (j, j + 1) and (j, j + 2) of the matrix */
    if (j + 1 < p->n - 1) {
      const double next = 1 / h[j + 1];
      first = h[j] / 6 - alpha * after * (own + after + next);
      if (j + 2 < p->n - 1) second = alpha * after * next;
    }
    if (j > 1) {
      diagonal -= p->d0[j - 1] * p->d1[j - 1] * p->d1[j - 1];
      first -= p->d0[j - 1] * p->d1[j - 1] * p->d2[j - 1];
    }
    if (j > 2) diagonal -= p->d0[j - 2] * p->d2[j - 2] * p->d2[j - 2];
    p->d0[j] = diagonal;
    p->d1[j] = first / diagonal;
    p->d2[j] = second / diagonal;
  }
}

/* Solves L D Lᵀ m = q for the inner knots. */
static void solve(const struct fit *p, const double *q, double *m)
{
  for (int j = 1; j < p->n - 1; j++) {
    m[j] = q[j];
    if (j > 1) m[j] -= p->d1[j - 1] * m[j - 1];
    if (j > 2) m[j] -= p->d2[j - 2] * m[j - 2];
  }
  for (int j = p->n - 2; j > 0; j--) {
    m[j] /= p->d0[j];
    if (j < p->n - 2) m[j] -= p->d1[j] * m[j + 1];
    if (j < p->n - 3) m[j] -= p->d2[j] * m[j + 2];
  }
}

/* Computes the second derivatives of both coordinates at the knots for one value of the multiplier α (file header). Returns the root mean
 * square of the distances between the points and the spline. */
static double solve_for(struct fit *p, double alpha)
{
  double sum = 0;
  factorise(p, alpha);
  solve(p, p->qy, p->my);
  solve(p, p->qz, p->mz);
  for (int i = 0; i < p->n; i++) {
    const double y = spread(p, p->my, i), z = spread(p, p->mz, i);
    sum += y * y + z * z;
  }
  return alpha * sqrt(sum / p->n);
}

/* Returns the multiplier α for which the root mean square of the distances between points and spline equals the tolerance, and computes the
 * second derivatives for it; 0 for the tolerance 0. If the distances never become as large, α is so large that the spline is nearly straight. */
static double choose_alpha(struct fit *p, double tolerance)
{
  double mean = 0;
  for (int i = 0; i < p->n - 1; i++) mean += p->h[i] / (p->n - 1);
  /* For equal intervals α/h³ is the ratio of both terms of the matrix; waves over all n knots are smoothed from about n⁴ on. */
  const double low = 3 * log(mean) - 40, high = 3 * log(mean) + 4 * log(p->n) + 5;
  double alpha = 0;
  if (tolerance > 0) {
    cmb_root r;
    const double first = solve_for(p, exp(low)), last = solve_for(p, exp(high));
    if (last <= tolerance) return exp(high);
    cmb_root_begin(&r, low, log(first / tolerance), high, log(last / tolerance));
    while (first < tolerance && cmb_root_width(&r) > PRECISION) {
      const double x = cmb_root_next(&r);
      cmb_root_update(&r, x, log(solve_for(p, exp(x)) / tolerance));
    }
    if (first < tolerance) alpha = exp(r.a);
  }
  solve_for(p, alpha);
  return alpha;
}

/* ---- arc lengths */

/* Returns the length of the spline between the knots i and i + 1. */
static double arc(const cmb_spline *s, int i)
{
  static const double node[2] = {0.33998104358485626, 0.86113631159405258};
  static const double weight[2] = {0.65214515486254614, 0.34785484513745386};
  const double h = s->u[i + 1] - s->u[i];
  double sum = 0;
  for (int k = 0; k < 4; k++) {
    const double b = 0.5 + (k % 2 == 0 ? 0.5 : -0.5) * node[k / 2];
    const double y = cmb_spline_cubic(h, b, s->y[i], s->y[i + 1], s->yy[i], s->yy[i + 1]).df;
    const double z = cmb_spline_cubic(h, b, s->z[i], s->z[i + 1], s->zz[i], s->zz[i + 1]).df;
    sum += weight[k / 2] / 2 * sqrt(y * y + z * z);
  }
  return h * sum;
}

/* Computes the spline for the knots s->u. */
static void fit_once(struct fit *p, const double *y, const double *z, double tolerance,
                     cmb_spline *s)
{
  for (int i = 0; i < p->n - 1; i++) p->h[i] = s->u[i + 1] - s->u[i];
  for (int j = 1; j < p->n - 1; j++) {
    p->qy[j] = divided_difference(p, y, j);
    p->qz[j] = divided_difference(p, z, j);
  }
  const double alpha = choose_alpha(p, tolerance);
  for (int i = 0; i < p->n; i++) {
    s->y[i] = y[i] - alpha * spread(p, p->my, i);
    s->z[i] = z[i] - alpha * spread(p, p->mz, i);
  }
  memcpy(s->yy, p->my, (size_t)p->n * sizeof *s->yy);
  memcpy(s->zz, p->mz, (size_t)p->n * sizeof *s->zz);
}

/* Replaces the knots by the arc lengths of the spline. Returns the largest relative change of an interval. */
static double measure(struct fit *p, cmb_spline *s)
{
  double change = 0;
  for (int i = 0; i < p->n - 1; i++) {
    const double length = arc(s, i);
    change = fmax(change, fabs(length / p->h[i] - 1));
    p->h[i] = length;
  }
  for (int i = 0; i < p->n - 1; i++) s->u[i + 1] = s->u[i] + p->h[i];
  return change;
}

cmb_status cmb_spline_fit(cmb_context *ctx, const double *y, const double *z, double tolerance,
                          cmb_spline *s)
{
  struct fit p = {.n = s->n};
  double **const arrays[] = {&p.h, &p.d0, &p.d1, &p.d2, &p.qy, &p.qz, &p.my, &p.mz};
  cmb_arena *scratch = cmb_arena_create(ctx);
  if (!scratch) return cmb_fail_memory(ctx);
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
    *arrays[i] = cmb_arena_doubles(scratch, s->n);
  }
  if (cmb_arena_failed(scratch)) {
    cmb_arena_destroy(scratch);
    return cmb_fail_memory(ctx);
  }
  s->u[0] = 0;
  for (int i = 0; i < s->n - 1; i++) {
    s->u[i + 1] = s->u[i] + hypot(y[i + 1] - y[i], z[i + 1] - z[i]);
  }
  for (int k = 0; k < MOST_ROUNDS; k++) {
    fit_once(&p, y, z, tolerance, s);
    if (measure(&p, s) < 1e-13) break;
  }
  fit_once(&p, y, z, tolerance, s);
  cmb_arena_destroy(scratch);
  return CMB_OK;
}
