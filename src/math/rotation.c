/*
 * Rotation matrices and Euler parameters (rotation.h). The formulas are those of Haug, Negrut and Engstler 1999 (Euler parameters p = (e0,
 * e)):
 *
 *     A(p) = (2 e0² − 1) I + 2 (e eᵀ + e0 ẽ)         L(p) = [ −e,  e0 I − ẽ ]       (3 x 4)
 *
 * and Rodrigues' formula for axis u and angle φ: A = cos φ I + (1 − cos φ) u uᵀ + sin φ ũ.
 */
#include "math/rotation.h"

#include <float.h>
#include <math.h>

/* Computes the 3 x 3 matrix A = c I + d u uᵀ + s ũ, stored by rows, where ũ is the skew-symmetric matrix of the cross product, ũ x = u ×
 * x. */
static void compose(double c, double d, double s, const double u[3], double A[9])
{
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) A[3 * i + j] = d * u[i] * u[j];
    A[4 * i] += c;
  }
  A[1] -= s * u[2];
  A[2] += s * u[1];
  A[3] += s * u[2];
  A[5] -= s * u[0];
  A[6] -= s * u[1];
  A[7] += s * u[0];
}

void cmb_rotation_from_axis(const double axis[3], double angle, double A[9])
{
  double c = cos(angle);
  compose(c, 1 - c, sin(angle), axis, A);
}

void cmb_rotation_from_euler(const double p[4], double A[9])
{
  compose(2 * p[0] * p[0] - 1, 2, 2 * p[0], p + 1, A);
}

void cmb_euler_from_rotation(const double A[9], double p[4])
{
  /* The entries of 4 p pᵀ follow from A. Dividing its row with the largest diagonal entry, at least 1, by the square root of that entry
   * gives 2 p without cancellation. */
  double trace = A[0] + A[4] + A[8];
  double square[4] = {1 + trace, 1 + 2 * A[0] - trace, 1 + 2 * A[4] - trace, 1 + 2 * A[8] - trace};
  double x = A[7] - A[5], y = A[2] - A[6], z = A[3] - A[1]; /* 4 e0 e */
  double xy = A[1] + A[3], xz = A[2] + A[6], yz = A[5] + A[7];
  const double P[4][4] = {
      {square[0], x, y, z}, {x, square[1], xy, xz}, {y, xy, square[2], yz}, {z, xz, yz, square[3]}};
  int largest = 0;
  for (int i = 1; i < 4; i++) {
    if (square[i] > square[largest]) largest = i;
  }
  double factor = 0.5 / sqrt(square[largest]);
  if (P[largest][0] < 0) factor = -factor; /* the sign that makes e0 >= 0 */
  for (int i = 0; i < 4; i++) p[i] = factor * P[largest][i];
}

void cmb_euler_rates(const double p[4], const double omega[3], double pdot[4])
{
  const double x = 0.5 * omega[0], y = 0.5 * omega[1], z = 0.5 * omega[2];
  pdot[0] = -p[1] * x - p[2] * y - p[3] * z;
  pdot[1] = p[0] * x - p[3] * y + p[2] * z;
  pdot[2] = p[3] * x + p[0] * y - p[1] * z;
  pdot[3] = -p[2] * x + p[1] * y + p[0] * z;
}

void cmb_euler_product(const double p[4], const double s[4], double r[4])
{
  const double r0 = p[0] * s[0] - p[1] * s[1] - p[2] * s[2] - p[3] * s[3];
  const double r1 = p[0] * s[1] + p[1] * s[0] + p[2] * s[3] - p[3] * s[2];
  const double r2 = p[0] * s[2] + p[2] * s[0] + p[3] * s[1] - p[1] * s[3];
  const double r3 = p[0] * s[3] + p[3] * s[0] + p[1] * s[2] - p[2] * s[1];
  r[0] = r0; /* stored last, since r may be p or s */
  r[1] = r1;
  r[2] = r2;
  r[3] = r3;
}

double cmb_euler_normalize(double p[4])
{
  double length = sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3]);
  if (!(length > 0 && length <= DBL_MAX)) return length;
  for (int i = 0; i < 4; i++) p[i] /= length;
  return length;
}
