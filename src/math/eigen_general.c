/*
 * Eigenvalues and eigenvectors of any square matrix (eigen.h):
 *
 *     D⁻¹ A D      balanced, with D of powers of 2 (Parlett and Reinsch 1969), so that nothing is rounded
 *     T = Q D⁻¹ A D Qᵀ      the real Schur form (schur.h)
 *     (T − μ) y = 0      from the bottom up, x = D Qᵀ y
 *
 * Where μ is an eigenvalue of rows above, too, the zero pivot there is replaced by a rounding error: the vectors become nearly parallel, as
 * they should. x has length 1 and its largest component is real.
 */
#include "math/eigen.h"

#include "math/dense.h"
#include "math/schur.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

enum { MOST_SWEEPS = 30 };

static const double WORTHWHILE = 0.95, LARGE = 1e100;

/* Returns the power of 2 by which to multiply column i of A (n x n), and to divide row i, so that the sums of their off-diagonal absolute
 * values become about equal (balancing). Returns 1 if that would improve little or one of the sums is 0. */
static double scale_of(int n, const double *A, int i)
{
  double column = 0, row = 0;
  for (int j = 0; j < n; j++) {
    if (j == i) continue;
    column += fabs(A[(ptrdiff_t)j * n + i]);
    row += fabs(A[(ptrdiff_t)i * n + j]);
  }
  if (!(column > 0 && row > 0)) return 1;
  const double factor = ldexp(1, (ilogb(row) - ilogb(column)) / 2);
  return column * factor + row / factor < WORTHWHILE * (column + row) ? factor : 1;
}

void cmb_even_out(int n, double *A, double *d)
{
  bool changed = true;
  for (int i = 0; i < n; i++) d[i] = 1;
  for (int sweep = 0; changed && sweep < MOST_SWEEPS; sweep++) {
    changed = false;
    for (int i = 0; i < n; i++) {
      const double factor = scale_of(n, A, i);
      if (factor == 1) continue;
      changed = true;
      d[i] *= factor;
      for (int j = 0; j < n; j++) A[(ptrdiff_t)j * n + i] *= factor;
      for (int j = 0; j < n; j++) A[(ptrdiff_t)i * n + j] /= factor;
    }
  }
}

struct triangle {
  int n;
  const double *T, *im; /* im != 0: the row belongs to a block of two */
  double rounding;      /* smallest pivot allowed */
};

/* Returns the pivot p of the back substitution, or the smallest pivot allowed if |p| is not larger. */
static double complex pivot(const struct triangle *s, double complex p)
{
  return cabs(p) > s->rounding ? p : s->rounding;
}

/* Returns −Σ_k T_ik y_k over the columns k = from .. to: the right-hand side of row i in the back substitution for (T − μ) y = 0. */
static double complex right_side(const struct triangle *s, int i, int from, int to,
                                 const double complex *y)
{
  const double *row = s->T + (ptrdiff_t)i * s->n;
  double complex sum = 0;
  for (int k = from; k <= to; k++) sum -= row[k] * y[k];
  return sum;
}

/* Solves two rows of (T − μ) y = 0 in the back substitution for an eigenvector: rows i − 1 and i, a 2 x 2 diagonal block of the real Schur
 * form T. Computes y_{i−1} and y_i from y_{i+1} .. y_to. Uses complete pivoting. A pivot that is too small is replaced by a larger number: if
 * μ is nearly an eigenvalue of the block, this concerns the last pivot only and changes one entry of the block by a rounding error. */
static void solve_block(const struct triangle *s, int i, int to, double complex mu,
                        double complex *y)
{
  const double *upper = s->T + (ptrdiff_t)(i - 1) * s->n, *lower = upper + s->n;
  const double complex B[2][2] = {{upper[i - 1] - mu, upper[i]}, {lower[i - 1], lower[i] - mu}};
  const double complex right[2] = {right_side(s, i - 1, i + 1, to, y),
                                   right_side(s, i, i + 1, to, y)};
  int row = 0, column = 0;
  for (int k = 1; k < 4; k++) {
    if (cabs(B[k / 2][k % 2]) > cabs(B[row][column])) row = k / 2, column = k % 2;
  }
  const double complex first = pivot(s, B[row][column]), factor = B[!row][column] / first;
  const double complex last = pivot(s, B[!row][!column] - factor * B[row][!column]);
  double complex *unknown = y + i - 1;
  unknown[!column] = (right[!row] - factor * right[row]) / last;
  unknown[column] = (right[row] - B[row][!column] * unknown[!column]) / first;
}

/* Computes an eigenvector y of the quasi-triangular Schur form T for the eigenvalue μ of row j, or of the 2 x 2 block of rows j and j + 1,
 * by back substitution. Returns `to`, the last of these rows; only y_0 .. y_to are stored. */
static int solve_triangle(const struct triangle *s, int j, double complex mu, double complex *y)
{
  const double *row = s->T + (ptrdiff_t)j * s->n;
  const int to = s->im[j] == 0 ? j : j + 1;
  y[j] = to == j ? 1 : row[j + 1];
  if (to > j) y[to] = mu - row[j];
  for (int i = j - 1; i >= 0; i--) {
    const bool block = s->im[i] != 0;
    if (block) {
      solve_block(s, i, to, mu, y);
    } else {
      y[i] = right_side(s, i, i + 1, to, y) / pivot(s, s->T[(ptrdiff_t)i * (s->n + 1)] - mu);
    }
    if (block) i--;
    const double size = cabs(y[i]) + (block ? cabs(y[i + 1]) : 0);
    for (int k = i; size > LARGE && k <= to; k++) y[k] /= size;
  }
  return to;
}

/* Scales a complex vector x[n] to Euclidean length 1, with a real component of the largest absolute value. */
static void normalise(int n, double complex *x)
{
  double most = 0, sum = 0;
  double complex largest = 1;
  for (int i = 0; i < n; i++) most = fmax(most, cabs(x[i]));
  for (int i = 0; i < n; i++) {
    const double part = cabs(x[i]) / most;
    sum += part * part;
    if (part == 1) largest = x[i];
  }
  const double complex factor = conj(largest) / (cabs(largest) * most * sqrt(sum));
  for (int i = 0; i < n; i++) x[i] *= factor;
}

/* Computes the eigenvectors x_j = D Qᵀ y_j of a matrix from eigenvectors y_j of its real Schur form, with the diagonal d of the balancing
 * matrix D. At entry V (n x n) contains the orthogonal Q; row j is replaced by x_j, or, for a complex pair, rows j and j + 1 by the real
 * and the imaginary part. Proceeds from the last row to the first, since x_j needs no later rows of Q. y, x (n) are scratch. */
static void find_vectors(const struct triangle *s, const double *re, const double *d, double *V,
                         double complex *y, double complex *x)
{
  const int n = s->n;
  for (int j = n - 1; j >= 0; j--) {
    if (s->im[j] < 0) j--; /* the first of a complex pair */
    const int to = solve_triangle(s, j, re[j] + s->im[j] * I, y);
    for (int i = 0; i < n; i++) x[i] = 0;
    for (int k = 0; k <= to; k++) {
      for (int i = 0; i < n; i++) x[i] += y[k] * V[(ptrdiff_t)k * n + i];
    }
    for (int i = 0; i < n; i++) x[i] *= d[i];
    normalise(n, x);
    for (int i = 0; i < n; i++) V[(ptrdiff_t)j * n + i] = creal(x[i]);
    for (int i = 0; to > j && i < n; i++) V[(ptrdiff_t)to * n + i] = cimag(x[i]);
  }
}

bool cmb_eigen_general(int n, double *A, double *re, double *im, double *V, double *work)
{
  double *d = work;
  double complex *y = (double complex *)(void *)(work + n + (n & 1)), *x = y + n;
  cmb_even_out(n, A, d);
  if (!cmb_schur(n, A, re, im, V, work + n + (n & 1))) return false;
  struct triangle s = {.n = n, .T = A, .im = im, .rounding = DBL_MIN};
  for (ptrdiff_t i = 0; i < (ptrdiff_t)n * n; i++)
    s.rounding = fmax(s.rounding, DBL_EPSILON * fabs(A[i]));
  find_vectors(&s, re, d, V, y, x);
  return true;
}
