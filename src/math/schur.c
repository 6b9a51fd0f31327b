/*
 * The real Schur form (schur.h): Hessenberg form, then Francis's implicit QR steps with two shifts (Golub and Van Loan, Matrix Computations,
 * §7.5). A step makes the first column of (H − σ₁)(H − σ₂) a multiple of e₁ and chases the bulge down the subdiagonal; σ are the eigenvalues
 * of the last two rows, so that real arithmetic suffices and complex pairs stay pairs. Where a subdiagonal entry is no more than rounding,
 * the matrix is split into two (deflation).
 */
#include "math/schur.h"

#include "math/hessenberg.h"
#include "math/reflector.h"

#include <float.h>
#include <math.h>
#include <stddef.h>

enum {
  MOST_STEPS = 200, /* for one eigenvalue */
  EXCEPTIONAL = 10, /* every so many steps an exceptional shift is used */
  LOCAL = 20        /* after so many steps subdiagonal entries are compared with all of H, too */
};

struct schur {
  int n;
  double *T, *Q, *re, *im, *w; /* w (n) is scratch */
  double size;                 /* absolute value of the largest entry of H */
};

static double *at(const struct schur *s, int i, int j)
{
  return s->T + (ptrdiff_t)i * s->n + j;
}

/* Applies a Householder reflector P = I − beta v vᵀ, which acts on the rows and columns k to k + m − 1: T := P T P, Q := P Q. In these rows
 * of T treats only the columns from `from` on, in these columns only the rows up to `last`: the other entries are 0, or set by the
 * caller. */
static void reflect(const struct schur *s, int k, int m, const double *v, double beta, int from,
                    int last)
{
  cmb_reflect_rows(m, v, beta, s->n - from, s->n, at(s, k, from), s->w);
  cmb_reflect_columns(last + 1, s->n, m, v, beta, at(s, 0, k));
  cmb_reflect_rows(m, v, beta, s->n, s->n, s->Q + (ptrdiff_t)k * s->n, s->w);
}

/* Computes, up to a factor, the first three entries x of the first column of (H − σ₁)(H − σ₂), where H is the Hessenberg matrix in rows
 * `low` to `high`. The shifts σ are the eigenvalues of its last two rows and columns, or, if `exceptional`, others that end a cycle of the
 * QR iteration. */
static void first_column(const struct schur *s, int low, int high, bool exceptional, double x[3])
{
  const double a = *at(s, high - 1, high - 1), b = *at(s, high - 1, high),
               c = *at(s, high, high - 1), d = *at(s, high, high);
  double sum = a + d, product = a * d - b * c;
  if (exceptional) {
    const double beside = fabs(c) + fabs(*at(s, high - 1, high - 2));
    sum = 1.5 * beside;
    product = beside * beside;
  }
  const double first = *at(s, low, low), next = *at(s, low + 1, low);
  x[0] = first * (first - sum) + *at(s, low, low + 1) * next + product;
  x[1] = next * (first + *at(s, low + 1, low + 1) - sum);
  x[2] = next * *at(s, low + 2, low + 1);
}

/* Performs one implicit double-shift QR step (Francis) on rows `low` to `high` of the Hessenberg matrix, which must be at least three;
 * `exceptional` selects shifts that end a cycle of the iteration. */
static void francis(const struct schur *s, int low, int high, bool exceptional)
{
  double x[3], alpha;
  first_column(s, low, high, exceptional, x);
  for (int k = low; k < high; k++) {
    const int m = k + 2 <= high ? 3 : 2;
    for (int i = 0; i < m && k > low; i++) x[i] = *at(s, k + i, k - 1);
    const double beta = cmb_reflector(m, x, &alpha);
    reflect(s, k, m, x, beta, k, k + 3 < high ? k + 3 : high);
    for (int i = 0; i < m && k > low; i++) *at(s, k + i, k - 1) = i == 0 ? alpha : 0;
  }
}

/* Computes the eigenvalues of the 2 x 2 diagonal block of rows k and k + 1 of T in re and im. If they are real, the block is made
 * triangular by a reflector that maps an eigenvector to a multiple of e₁. */
static void split(const struct schur *s, int k)
{
  const double a = *at(s, k, k), b = *at(s, k, k + 1), c = *at(s, k + 1, k),
               d = *at(s, k + 1, k + 1);
  const double half = (a - d) / 2, under = half * half + b * c;
  s->re[k] = s->re[k + 1] = (a + d) / 2;
  if (under < 0) {
    s->im[k] = sqrt(-under);
    s->im[k + 1] = -s->im[k];
    return;
  }
  const double root = half + copysign(sqrt(under), half);
  double v[2] = {root, c}, alpha;
  const double beta = cmb_reflector(2, v, &alpha);
  reflect(s, k, 2, v, beta, k, k + 1);
  *at(s, k + 1, k) = 0;
  for (int i = k; i <= k + 1; i++) s->re[i] = *at(s, i, i), s->im[i] = 0;
}

/* Returns the first row of the last block of rows 0 to `high` whose subdiagonal entries are not negligible, and sets the entry left of that
 * row to 0. An entry is negligible beside its two neighbours on the diagonal. Where 0 is a multiple eigenvalue, these neighbours are
 * rounding themselves, and the rounding of each step fills in the entry again. So after LOCAL steps without success an entry is negligible beside
 * n times the largest entry of H, too, since the steps have made a backward error of that size anyway. */
static int last_block(const struct schur *s, int high, int steps)
{
  int low = high;
  for (; low > 0; low--) {
    double beside = fabs(*at(s, low - 1, low - 1)) + fabs(*at(s, low, low));
    if (beside == 0) beside = s->size;
    if (steps > LOCAL) beside = fmax(beside, s->n * s->size);
    if (fabs(*at(s, low, low - 1)) <= DBL_EPSILON * beside) break;
  }
  if (low > 0) *at(s, low, low - 1) = 0;
  return low;
}

bool cmb_schur(int n, double *A, double *re, double *im, double *Q, double *work)
{
  struct schur s = {.n = n, .T = A, .Q = Q, .re = re, .im = im, .w = work};
  int steps = 0;
  cmb_hessenberg(n, A, Q, work);
  for (ptrdiff_t i = 0; i < (ptrdiff_t)n * n; i++) s.size = fmax(s.size, fabs(A[i]));
  for (int high = n - 1; high >= 0;) {
    const int low = last_block(&s, high, steps);
    if (low < high - 1) {
      if (steps++ == MOST_STEPS) return false;
      francis(&s, low, high, steps % EXCEPTIONAL == 0);
      continue;
    }
    if (low == high) {
      re[high] = *at(&s, high, high);
      im[high] = 0;
    } else {
      split(&s, low);
    }
    high = low - 1;
    steps = 0;
  }
  return true;
}
