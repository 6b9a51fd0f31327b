/*
 * The equations of the heavy top (top.h): Newton's and Euler's equations in the body frame.
 */
#include "top.h"

#include <math.h>
#include <string.h>

static const char *const q_names[] = {"x", "y", "z", "e0", "e1", "e2", "e3"};
static const char *const v_names[] = {"ux", "uy", "uz", "wx", "wy", "wz"};
static const char *const g_names[] = {"pivot x", "pivot y", "pivot z"};

/* Computes the rotation matrix R from unit Euler parameters; its columns are the body's axes. */
static void rotation(const double *e, double R[3][3])
{
  double s = e[0] * e[0] - e[1] * e[1] - e[2] * e[2] - e[3] * e[3];
  const double cross[3][3] = {{0, -e[3], e[2]}, {e[3], 0, -e[1]}, {-e[2], e[1], 0}};
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      R[i][j] = (i == j ? s : 0) + 2 * e[i + 1] * e[j + 1] + 2 * e[0] * cross[i][j];
    }
  }
}

/* y = R x */
static void rotate(double R[3][3], const double *x, double *y)
{
  for (int i = 0; i < 3; i++) y[i] = R[i][0] * x[0] + R[i][1] * x[1] + R[i][2] * x[2];
}

static void cross(const double *a, const double *b, double *c)
{
  c[0] = a[1] * b[2] - a[2] * b[1];
  c[1] = a[2] * b[0] - a[0] * b[2];
  c[2] = a[0] * b[1] - a[1] * b[0];
}

/* y = Rᵀ x */
static void rotate_back(double R[3][3], const double *x, double *y)
{
  for (int i = 0; i < 3; i++) y[i] = R[0][i] * x[0] + R[1][i] * x[1] + R[2][i] * x[2];
}

/* Computes f (6) = (m (u × ω − g Rᵀe_z), −ω × I ω), g = gravity: the applied and gyroscopic forces in the body frame. */
static void forces(const struct cmbt_top *top, double R[3][3], const double *v, double *f)
{
  const double *u = v, *omega = v + 3;
  const double spin[3] = {top->across[0] * omega[0], top->across[1] * omega[1],
                          top->along * omega[2]};
  cross(u, omega, f);
  for (int i = 0; i < 3; i++) f[i] = top->mass * (f[i] - top->gravity * R[2][i]);
  cross(spin, omega, f + 3); /* −ω × I ω */
}

static cmb_status evaluate(const void *self, const cmb_point *at, const cmb_terms *want)
{
  const struct cmbt_top *top = self;
  double R[3][3], s[3], y[3];
  rotation(at->q + 3, R);
  rotate_back(R, at->q, s);
  if (want->M) {
    for (int i = 0; i < 3; i++) want->M[i] = top->mass;
    want->M[3] = top->across[0], want->M[4] = top->across[1], want->M[5] = top->along;
  }
  if (want->f) forces(top, R, at->v, want->f);
  for (int i = 0; i < 3 && want->g; i++) want->g[i] = s[i] - (i == 2 ? top->height : 0);
  for (int i = 0; i < 3 && want->gt; i++) want->gt[i] = 0;
  for (int j = 0; j < 3 && want->G; j++) { /* ġ = u + s × ω */
    const double axis[3] = {j == 0, j == 1, j == 2};
    cross(s, axis, y);
    for (int i = 0; i < 3; i++) want->G[i * 6 + j] = i == j, want->G[i * 6 + 3 + j] = y[i];
  }
  if (want->gamma) { /* ṡ × ω */
    cross(s, at->v + 3, y);
    for (int i = 0; i < 3; i++) y[i] += at->v[i];
    cross(y, at->v + 3, want->gamma);
  }
  return CMB_OK;
}

static void rates(const void *self, const double *q, const double *v, double *qdot)
{
  const double *e = q + 3, *w = v + 3;
  double R[3][3], turned[3];
  (void)self;
  rotation(e, R);
  rotate(R, v, qdot);
  cross(e + 1, w, turned);
  qdot[3] = -(e[1] * w[0] + e[2] * w[1] + e[3] * w[2]) / 2;
  for (int i = 0; i < 3; i++) qdot[4 + i] = (e[0] * w[i] + turned[i]) / 2;
}

static void normalize(const void *self, double *q)
{
  double length = sqrt(q[3] * q[3] + q[4] * q[4] + q[5] * q[5] + q[6] * q[6]);
  (void)self;
  for (int i = 3; i < 7; i++) q[i] /= length;
}

cmb_equations cmbt_top_equations(const struct cmbt_top *top)
{
  return (cmb_equations){.name = "top",
                         .nq = 7,
                         .nv = 6,
                         .ng = 3,
                         .q_names = q_names,
                         .v_names = v_names,
                         .g_names = g_names,
                         .lambda_names = g_names,
                         .mass_constant = true,
                         .mass_diagonal = true,
                         .self = top,
                         .evaluate = evaluate,
                         .rates = rates,
                         .normalize = normalize};
}

void cmbt_top_state(const struct cmbt_top *top, const double e[4], const double omega[3],
                    double q[7], double v[6])
{
  const double c[3] = {0, 0, top->height};
  double R[3][3];
  memcpy(q + 3, e, 4 * sizeof *e);
  normalize(NULL, q);
  rotation(q + 3, R);
  rotate(R, c, q);
  cross(omega, c, v);
  memcpy(v + 3, omega, 3 * sizeof *omega);
}
