/*
 * The solution of small systems of equations on plain arrays. The code exists once, for the library and for generated C: the text in the
 * macros below is compiled in run.c and printed into C files (table_code.h explains the two ways to expand a macro).
 *
 *     linear     A d = b, A (n x n) stored by rows, by Gaussian elimination with partial pivoting
 *     root       r(w) = 0 by a damped Newton iteration from a start: J d = −r, w := w + λ d, with the first λ = 1, 1/2, .. 1/64 for which
 *                the next correction with the same J is at most 1 − λ/4 times this one (Deuflhard's natural monotonicity test)
 *
 * The size of a correction is the largest |d_i|/max(|w_i|, size_i) of all i. Corrections below 1e-8 are made without the test. The root is
 * found when a correction is below 1e-15 |w_i| for all i, or below 1e-10 and more than a fourth of the one before it: what remains is
 * rounding error then. The result is a function of the arguments alone: nothing is remembered from one solution to the next. If there is
 * no such root after 20 corrections, or A is singular, all results are NaN.
 */
#ifndef CMB_EXPR_ROOT_CODE_H
#define CMB_EXPR_ROOT_CODE_H

/* clang-format off */

/* op_factor overwrites A (n x n) by its LU factors, with the row interchanges in `row`; it returns 0 if A is singular or not finite.
 * op_substitute overwrites b by the solution. */
#define CMB_LINEAR_CODE(X) X( \
static int op_factor(int n, double *A, int *row) \
{ \
  for (int k = 0; k < n; k++) { \
    int best = k; \
    for (int i = k + 1; i < n; i++) { \
      if (fabs(A[i * n + k]) > fabs(A[best * n + k])) best = i; \
    } \
    row[k] = best; \
    for (int j = 0; j < n; j++) { \
      const double a = A[k * n + j]; \
      A[k * n + j] = A[best * n + j]; \
      A[best * n + j] = a; \
    } \
    if (!(fabs(A[k * n + k]) > 0 && fabs(A[k * n + k]) <= 1.7976931348623157e308)) return 0; \
    for (int i = k + 1; i < n; i++) { \
      A[i * n + k] = A[i * n + k] / A[k * n + k]; \
      for (int j = k + 1; j < n; j++) A[i * n + j] = A[i * n + j] - A[i * n + k] * A[k * n + j]; \
    } \
  } \
  return 1; \
} \
static void op_substitute(int n, const double *A, const int *row, double *b) \
{ \
  for (int k = 0; k < n; k++) { \
    const double a = b[k]; \
    b[k] = b[row[k]]; \
    b[row[k]] = a; \
  } \
  for (int i = 0; i < n; i++) { \
    for (int j = 0; j < i; j++) b[i] = b[i] - A[i * n + j] * b[j]; \
  } \
  for (int i = n - 1; i >= 0; i--) { \
    for (int j = i + 1; j < n; j++) b[i] = b[i] - A[i * n + j] * b[j]; \
    b[i] = b[i] / A[i * n + i]; \
  } \
} )

/* Solves A d = b; z contains A (n x n, by rows) and then b, which are overwritten. All of d[n] are NaN if A is singular or not finite. */
#define CMB_LINEAR_SOLVE_CODE(X) X( \
static void op_linear(int n, double *z, double *d) \
{ \
  int row[6]; \
  const int good = op_factor(n, z, row); \
  if (good) op_substitute(n, z, row, z + n * n); \
  for (int i = 0; i < n; i++) d[i] = good ? z[n * n + i] : NAN; \
} )

/* f writes r (n) and J (n x n) to y for z: w (n) and then the given quantities. z contains the start in place of w, and is overwritten.
 * v: work array of f. The root is written to w (n). */
#define CMB_ROOT_CODE(X) X( \
typedef void (*op_equations)(const void *user, const double *z, double *y, double *v); \
static double op_correction(int n, const double *size, const double *w, const double *d) \
{ \
  double most = 0; \
  for (int i = 0; i < n; i++) { \
    const double of = fabs(w[i]) > size[i] ? fabs(w[i]) : size[i]; \
    const double part = fabs(d[i]) / of; \
    if (!(part <= most) && most == most) most = part; \
  } \
  return most; \
} \
static int op_damped(int n, op_equations f, const void *user, const double *size, double *z, \
                     double *y, double *v, const int *row, double *w) \
{ \
  double A[36]; double d[6]; double next[6]; \
  double part = 1; \
  for (int i = 0; i < n * n; i++) A[i] = y[n + i]; \
  for (int i = 0; i < n; i++) d[i] = y[i]; \
  const double before = op_correction(n, size, w, d); \
  for (int k = 0; k < 7; k++) { \
    for (int i = 0; i < n; i++) z[i] = w[i] - part * d[i]; \
    f(user, z, y, v); \
    for (int i = 0; i < n; i++) next[i] = y[i]; \
    op_substitute(n, A, row, next); \
    if (op_correction(n, size, w, next) <= (1 - 0.25 * part) * before) { \
      for (int i = 0; i < n; i++) w[i] = z[i]; \
      return 1; \
    } \
    part = 0.5 * part; \
  } \
  return 0; \
} \
static void op_root(int n, op_equations f, const void *user, const double *size, double *z, \
                    double *v, double *w) \
{ \
  double y[42]; int row[6]; \
  double before = 1e300; \
  int found = 0; \
  for (int i = 0; i < n; i++) w[i] = z[i]; \
  f(user, z, y, v); \
  for (int k = 0; k < 20 && !found; k++) { \
    if (!op_factor(n, y + n, row)) break; \
    op_substitute(n, y + n, row, y); \
    const double now = op_correction(n, size, w, y); \
    if (now <= 1e-8) { \
      int exact = 1; \
      for (int i = 0; i < n; i++) z[i] = w[i] = w[i] - y[i]; \
      for (int i = 0; i < n; i++) exact = exact && fabs(y[i]) <= 1e-15 * fabs(w[i]); \
      found = exact || (now <= 1e-10 && now > 0.25 * before); \
      before = now; \
      if (!found) f(user, z, y, v); \
    } else { \
      before = 1e300; \
      if (!op_damped(n, f, user, size, z, y, v, row, w)) break; \
    } \
  } \
  for (int i = 0; !found && i < n; i++) w[i] = NAN; \
} )

/* clang-format on */

#endif
