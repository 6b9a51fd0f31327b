/*
 * One-sided Jacobi rotations (orthogonal.h): pairs of rows a, b are rotated, (a, b) := (c a − s b, s a + c b), until all are orthogonal.
 * With ζ = (b·b − a·a)/(2 a·b) the angle has tan = sign(ζ)/(|ζ| + √(1 + ζ²)), and a·a becomes a·a − tan a·b, b·b becomes b·b + tan a·b.
 */
#include "math/orthogonal.h"

#include "math/dense.h"
#include "math/reflector.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

enum { MOST_SWEEPS = 40 }; /* six or seven are usual */

/* Returns the squared length of row a (columns entries) after a rotation: `after`, the value computed by an update formula, or a·a computed
 * anew if `after` is at most half of `before`, the value before the rotation, since the update then loses digits. */
static double square_after(int columns, const double *a, double before, double after)
{
  return after > before / 2 ? after : cmb_dot(columns, a, a);
}

/* Makes rows i and j of A (rows x columns) orthogonal by a plane rotation, which is also applied to J (rows x rows), and updates their
 * squared lengths in square[rows]. Returns false, without a rotation, if they are orthogonal already or one of them is 0, both to
 * rounding. */
static bool rotate_pair(int rows, int columns, int i, int j, double *A, double *J, double *square)
{
  double *a = A + (ptrdiff_t)i * columns, *b = A + (ptrdiff_t)j * columns;
  const double aa = square[i], bb = square[j], ab = cmb_dot(columns, a, b);
  const double nothing = columns * DBL_EPSILON;
  if (ab == 0 || !(fabs(ab) > nothing * sqrt(aa) * sqrt(bb))) return false;
  if (!(fmin(aa, bb) > nothing * nothing)) return false; /* a zero row, to rounding */
  const double zeta = (bb - aa) / (2 * ab);
  const double t = copysign(1, zeta) / (fabs(zeta) + sqrt(1 + zeta * zeta)), c = 1 / hypot(1, t);
  cmb_rotate(columns, c, c * t, a, b);
  cmb_rotate(rows, c, c * t, J + (ptrdiff_t)i * rows, J + (ptrdiff_t)j * rows);
  square[i] = square_after(columns, a, aa, aa - t * ab);
  square[j] = square_after(columns, b, bb, bb + t * ab);
  return true;
}

/* Sorts the rows of A (rows x columns) and J (rows x rows), and sigma[rows], by the lengths sigma of the rows of A, longest first. */
static void sort_rows(int rows, int columns, double *A, double *J, double *sigma)
{
  for (int i = 0; i < rows; i++) {
    int longest = i;
    for (int k = i + 1; k < rows; k++) {
      if (sigma[k] > sigma[longest]) longest = k;
    }
    if (longest == i) continue;
    cmb_exchange(1, sigma + i, sigma + longest);
    cmb_exchange(columns, A + (ptrdiff_t)i * columns, A + (ptrdiff_t)longest * columns);
    cmb_exchange(rows, J + (ptrdiff_t)i * rows, J + (ptrdiff_t)longest * rows);
  }
}

/* Computes the squared length square[i] = a·a of each row a of A. */
static void squares(int rows, int columns, const double *A, double *square)
{
  for (int i = 0; i < rows; i++) {
    const double *a = A + (ptrdiff_t)i * columns;
    square[i] = cmb_dot(columns, a, a);
  }
}

void cmb_orthogonal_rows(int rows, int columns, double *A, double *J, double *sigma)
{
  memset(J, 0, (size_t)rows * (size_t)rows * sizeof *J);
  for (int i = 0; i < rows; i++) J[(ptrdiff_t)i * (rows + 1)] = 1;
  squares(rows, columns, A, sigma);
  bool rotated = true;
  for (int sweep = 0; rotated && sweep < MOST_SWEEPS; sweep++) {
    rotated = false;
    for (int i = 0; i < rows; i++) {
      for (int j = i + 1; j < rows; j++) {
        if (rotate_pair(rows, columns, i, j, A, J, sigma)) rotated = true;
      }
    }
    squares(rows, columns, A, sigma); /* removes the rounding errors of the updates */
  }
  for (int i = 0; i < rows; i++) sigma[i] = sqrt(sigma[i]);
  sort_rows(rows, columns, A, J, sigma);
}
