/*
 * Small dense factorisations (dense.h): LU with scaled partial pivoting (rows exchanged one by one, outer product form, real and complex)
 * and LDLᵀ without pivoting (column by column, inner product form).
 *
 *     LU:    a_ij := a_ij − l_ik u_kj            for k = 0, 1, ...
 *     LDLᵀ:  l_jk = c_jk / d_k,  d_j = a_jj − Σ_k c_jk l_jk,  c_ij = a_ij − Σ_k c_ik l_jk for i > j
 *
 * with k < j in the sums: row i contains c until column i is reached, and l afterwards.
 *
 * The caller provides all memory.
 */
#include "math/dense.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>

static double *row(double *A, int n, int i)
{
  return A + (ptrdiff_t)i * n;
}

static const double *row_const(const double *A, int n, int i)
{
  return A + (ptrdiff_t)i * n;
}

/* ---- LU
 *
 * One pass over the rows below the pivot eliminates and finds the next pivot. For up to HELD pairs of columns it is compiled for each
 * number of pairs, so that the pivot row stays in registers. If the number of columns is odd, the column of l_ik in front is included to
 * make it even, and l_ik is written afterwards.
 *
 * For matrices of up to SMALL rows there is code for each size, with the loops unrolled: counters would cost as much as the arithmetic.
 * Only the pass over the rows remains a loop; its body is long enough. */

enum { HELD = 4, SMALL = 8 };

#define COMPILED_FOR_EACH_SIZE static inline __attribute__((always_inline))

#define CASE_OF_SIZE(size, call)                                                                   \
  case size: {                                                                                     \
    enum { N = (size) };                                                                           \
    call;                                                                                          \
    break;                                                                                         \
  }

/* Executes `call` with N = n, where N is a compile-time constant if n is at most SMALL. */
#define CALL_BY_SIZE(n, call)                                                                      \
  switch (n) {                                                                                     \
    CASE_OF_SIZE(1, call)                                                                          \
    CASE_OF_SIZE(2, call)                                                                          \
    CASE_OF_SIZE(3, call)                                                                          \
    CASE_OF_SIZE(4, call)                                                                          \
    CASE_OF_SIZE(5, call)                                                                          \
    CASE_OF_SIZE(6, call)                                                                          \
    CASE_OF_SIZE(7, call)                                                                          \
    CASE_OF_SIZE(SMALL, call)                                                                      \
  default: {                                                                                       \
    const int N = n;                                                                               \
    call;                                                                                          \
  }                                                                                                \
  }

/* The row with the largest pivot so far, relative to the sum of the row's absolute values. */
struct candidate {
  int row;
  double size;
};

/* Makes row i the best candidate for the next pivot row if `size`, the absolute value of its pivot relative to the row's sum of absolute
 * values, is larger than that of the best candidate so far. */
static inline void consider(int i, double size, struct candidate *best)
{
  if (size > best->size) {
    best->size = size;
    best->row = i;
  }
}

/* Returns Σ |a_j|, the sum of the absolute values of the `length` numbers of a matrix row. */
static double row_sum(int length, const double *a)
{
  cmb_lanes sum = {0};
  for (int j = 0; j < length - 1; j += 2) sum += cmb_lanes_absolute(cmb_lanes_load(a + j));
  return sum[0] + sum[1] + (length & 1 ? fabs(a[length - 1]) : 0);
}

static void swap_rows(int length, double *restrict a, double *restrict b)
{
  for (int j = 0; j < length - 1; j += 2) {
    cmb_lanes t = cmb_lanes_load(a + j);
    cmb_lanes_store(cmb_lanes_load(b + j), a + j);
    cmb_lanes_store(t, b + j);
  }
  if (length & 1) {
    double t = a[length - 1];
    a[length - 1] = b[length - 1];
    b[length - 1] = t;
  }
}

/* Returns whether a pivot is finite and larger than rounding errors: `size`, its absolute value relative to the sum of the absolute values
 * of its row, is above n ε. */
static bool is_usable(int n, double size)
{
  return size > n * DBL_EPSILON && size <= DBL_MAX;
}

/* Exchanges row k of the matrix A (rows of `length` numbers) with the pivot row p, and stores the scale factor of the old row k as that of
 * row p. */
static void swap_pivot_row(int length, double *A, double *scale, int k, int p)
{
  if (p == k) return;
  scale[p] = scale[k];
  swap_rows(length, row(A, length, k), row(A, length, p));
}

/* Eliminates column k in the rows below the pivot: a_ij := a_ij − l_ik u_kj for i > k, in the last `pairs` pairs of columns; l_ik is
 * stored in column k. The pointers u (row k) and y (row k + 1) are to the first of these columns; 1/u_kk is at u[pivot]. Returns the row
 * with the best pivot for the next column. */
COMPILED_FOR_EACH_SIZE struct candidate eliminate(int pairs, int n, int k, const double *u,
                                                  double *y, const double *scale)
{
  const ptrdiff_t pivot = k - (n - 2 * pairs); /* index of column k relative to u: -1 or 0 */
  struct candidate next = {k + 1, 0};
  cmb_lanes x[HELD];
  for (int j = 0; pairs <= HELD && j < pairs; j++) x[j] = cmb_lanes_load(u + 2 * j);
  const double u_inv = u[pivot];
#pragma GCC unroll 1
  for (int i = k + 1; i < n; i++, y += n) {
    if (y[pivot] != 0) {
      const double l = y[pivot] * u_inv;
      for (int j = 0; j < pairs; j++) {
        cmb_lanes u_j = pairs <= HELD ? x[j] : cmb_lanes_load(u + 2 * j);
        cmb_lanes_store(cmb_lanes_load(y + 2 * j) - l * u_j, y + 2 * j);
      }
      y[pivot] = l;
    }
    consider(i, fabs(y[pivot + 1]) * scale[i], &next);
  }
  return next;
}

/* Performs one step of Gaussian elimination, for column k of the matrix (n x n), on its last 2 · `pairs` columns; calls code that is
 * compiled for each number of pairs up to 4. u and y point to the first of these columns in rows k and k + 1. Returns the row with the best
 * pivot for the next column. */
static struct candidate eliminate_pairs(int pairs, int n, int k, const double *u, double *y,
                                        const double *scale)
{
  switch (pairs) {
  case 1: return eliminate(1, n, k, u, y, scale);
  case 2: return eliminate(2, n, k, u, y, scale);
  case 3: return eliminate(3, n, k, u, y, scale);
  case 4: return eliminate(4, n, k, u, y, scale);
  default: return eliminate(pairs, n, k, u, y, scale);
  }
}

/* Factorises A = P L U in place with scaled partial pivoting; see cmb_lu_factor. */
COMPILED_FOR_EACH_SIZE cmb_status factor(int n, double *A, double *scale, int *pivot)
{
  struct candidate best = {0, 0};
  for (int i = 0; i < n; i++) {
    const double *a = row(A, n, i), sum = row_sum(n, a);
    if (!(sum <= DBL_MAX)) return CMB_RETRY_NONFINITE;
    scale[i] = 1 / sum;
    consider(i, fabs(a[0]) * scale[i], &best);
  }
  double *u = A;
#pragma GCC unroll 8
  for (int k = 0; k < n; k++, u += n) {
    if (!is_usable(n, best.size)) return CMB_RETRY_SINGULAR;
    pivot[k] = best.row;
    swap_pivot_row(n, A, scale, k, best.row);
    u[k] = 1 / u[k];
    const int pairs = (n - k) / 2;
    double *from = u + (n - 2 * pairs);
    best = n <= SMALL ? eliminate(pairs, n, k, from, from + n, scale)
                      : eliminate_pairs(pairs, n, k, from, from + n, scale);
  }
  return CMB_OK;
}

cmb_status cmb_lu_factor(int n, double *A, double *scale, int *pivot)
{
  cmb_status status;
  CALL_BY_SIZE(n, status = factor(N, A, scale, pivot))
  return status;
}

/* Returns the dot products of row a and of the row below it, n numbers further on, with b: (Σ a_j b_j, Σ a_(n+j) b_j), j < count. */
COMPILED_FOR_EACH_SIZE cmb_lanes two_dots(int n, int count, const double *a, const double *b)
{
  cmb_lanes s = {0}, t = {0};
  for (int j = 0; j < count - 1; j += 2) {
    cmb_lanes x = cmb_lanes_load(b + j);
    s += cmb_lanes_load(a + j) * x;
    t += cmb_lanes_load(a + n + j) * x;
  }
  cmb_lanes dots = (cmb_lanes){s[0], t[0]} + (cmb_lanes){s[1], t[1]};
  if (count & 1) dots += (cmb_lanes){a[count - 1], a[n + count - 1]} * b[count - 1];
  return dots;
}

/* Solves A x = b with the factors of cmb_lu_factor; b is replaced by x. Works on two rows at a time. */
COMPILED_FOR_EACH_SIZE void solve(int n, const double *LU, const int *pivot, double *b)
{
#pragma GCC unroll 8
  for (int k = 0; k < n; k++) { /* b := P b */
    double t = b[pivot[k]];
    b[pivot[k]] = b[k];
    b[k] = t;
  }
  const double *a = LU;
  int k = 0;
#pragma GCC unroll 8
  for (; k < n - 1; k += 2, a += 2 * (ptrdiff_t)n) { /* b := L⁻¹ b */
    cmb_lanes rest = cmb_lanes_load(b + k) - two_dots(n, k, a, b);
    b[k] = rest[0];
    b[k + 1] = rest[1] - a[n + k] * rest[0];
  }
  if (n & 1) b[k] = (b[k] - cmb_dot(k, a, b)) * a[k];
#pragma GCC unroll 8
  for (k -= 2; k >= 0; k -= 2) { /* b := U⁻¹ b */
    a -= 2 * (ptrdiff_t)n;
    cmb_lanes rest = cmb_lanes_load(b + k) - two_dots(n, n - k - 2, a + k + 2, b + k + 2);
    b[k + 1] = rest[1] * a[n + k + 1];
    b[k] = (rest[0] - a[k + 1] * b[k + 1]) * a[k];
  }
}

void cmb_lu_solve(int n, const double *LU, const int *pivot, double *b)
{
  CALL_BY_SIZE(n, solve(N, LU, pivot, b))
}

/* ---- complex LU */

/* Returns the SIMD vector of two numbers with the numbers exchanged. */
static cmb_lanes swap_lanes(cmb_lanes x)
{
  return (cmb_lanes){x[1], x[0]};
}

/* Returns the product of two complex numbers a and b, each stored as a pair (re, im). */
static cmb_lanes complex_product(cmb_lanes a, cmb_lanes b)
{
  return a[0] * b + (cmb_lanes){-a[1], a[1]} * swap_lanes(b);
}

/* Returns |re| + |im|, a cheap measure of the size of the complex number a = (re, im). */
static double size_complex(const double *a)
{
  return fabs(a[0]) + fabs(a[1]);
}

/* Returns 1/a for a complex number a = (re, im); divides by |re| + |im| first, so that no square overflows or underflows. */
static cmb_lanes inverse(const double *a)
{
  const double size = size_complex(a), re = a[0] / size, im = a[1] / size;
  const double factor = 1 / ((re * re + im * im) * size);
  return (cmb_lanes){re * factor, -im * factor};
}

/* Eliminates one column of a complex matrix in the rows below the pivot: subtracts l_ik u_kj in the `count` columns behind that of the
 * pivot. u and y begin in the pivot's column; u contains 1/u_kk there. Returns the row with the best pivot for the next column. */
COMPILED_FOR_EACH_SIZE struct candidate eliminate_complex(int count, int n, const double *u,
                                                          double *y, const double *scale)
{
  struct candidate next = {n - count, 0};
  cmb_lanes x[HELD];
  for (int j = 0; j < (count <= HELD ? count : 0); j++) x[j] = cmb_lanes_load(u + 2 + 2 * j);
  const cmb_lanes u_inv = cmb_lanes_load(u);
#pragma GCC unroll 1
  for (int i = n - count; i < n; i++, y += 2 * (ptrdiff_t)n) {
    if (y[0] != 0 || y[1] != 0) {
      const cmb_lanes l = complex_product(u_inv, cmb_lanes_load(y)), im = {l[1], -l[1]};
      cmb_lanes_store(l, y);
      for (int j = 0; j < count; j++) {
        double *a = y + 2 + 2 * j;
        cmb_lanes u_j = count <= HELD ? x[j] : cmb_lanes_load(u + 2 + 2 * j);
        cmb_lanes_store(cmb_lanes_load(a) - l[0] * u_j + im * swap_lanes(u_j), a);
      }
    }
    consider(i, size_complex(y + 2) * scale[i], &next);
  }
  return next;
}

/* Performs one step of Gaussian elimination on a complex matrix, in the last `count` columns, which follow that of the pivot; calls code that
 * is compiled for each number of columns up to 4. u points to the inverse of the pivot in its row, y to the entry below it, where the factors
 * l_ik are stored. Returns the row with the best pivot for the next column. */
static struct candidate eliminate_columns_complex(int count, int n, const double *u, double *y,
                                                  const double *scale)
{
  switch (count) {
  case 1: return eliminate_complex(1, n, u, y, scale);
  case 2: return eliminate_complex(2, n, u, y, scale);
  case 3: return eliminate_complex(3, n, u, y, scale);
  case 4: return eliminate_complex(4, n, u, y, scale);
  default: return eliminate_complex(count, n, u, y, scale);
  }
}

/* Factorises a complex matrix A = P L U in place with scaled partial pivoting; see cmb_lu_factor_complex. */
COMPILED_FOR_EACH_SIZE cmb_status factor_complex(int n, double *A, double *scale, int *pivot)
{
  const int length = 2 * n;
  struct candidate best = {0, 0};
  for (int i = 0; i < n; i++) {
    const double *a = row(A, length, i), sum = row_sum(length, a);
    if (!(sum <= DBL_MAX)) return CMB_RETRY_NONFINITE;
    scale[i] = 1 / sum;
    consider(i, size_complex(a) * scale[i], &best);
  }
  double *u = A;
#pragma GCC unroll 8
  for (int k = 0; k < n; k++, u += length + 2) {
    if (!is_usable(n, best.size)) return CMB_RETRY_SINGULAR;
    pivot[k] = best.row;
    swap_pivot_row(length, A, scale, k, best.row);
    cmb_lanes_store(inverse(u), u);
    best = n <= SMALL ? eliminate_complex(n - k - 1, n, u, u + length, scale)
                      : eliminate_columns_complex(n - k - 1, n, u, u + length, scale);
  }
  return CMB_OK;
}

cmb_status cmb_lu_factor_complex(int n, double *A, double *scale, int *pivot)
{
  cmb_status status;
  CALL_BY_SIZE(n, status = factor_complex(N, A, scale, pivot))
  return status;
}

/* Returns t − Σ a_j b_j over `count` complex numbers. */
COMPILED_FOR_EACH_SIZE cmb_lanes subtract_dot_complex(int count, cmb_lanes t, const double *a,
                                                      const double *b)
{
  cmb_lanes even = {0}, odd = {0}; /* sums of (re re, im im) and of (re im, im re) */
  for (int j = 0; j < 2 * count; j += 2) {
    cmb_lanes x = cmb_lanes_load(a + j), y = cmb_lanes_load(b + j);
    even += x * y;
    odd += x * swap_lanes(y);
  }
  return t - (cmb_lanes){even[0], odd[0]} - (cmb_lanes){-even[1], odd[1]};
}

/* Solves A x = b with the factors of cmb_lu_factor_complex; b is replaced by x. */
COMPILED_FOR_EACH_SIZE void solve_complex(int n, const double *LU, const int *pivot, double *b)
{
  const int length = 2 * n;
  const double *a = LU;
  double *b_k = b;
#pragma GCC unroll 8
  for (int k = 0; k < n; k++, a += length, b_k += 2) { /* b := L⁻¹ P b */
    double *b_p = b + 2 * (ptrdiff_t)pivot[k];
    cmb_lanes t = cmb_lanes_load(b_p);
    cmb_lanes_store(cmb_lanes_load(b_k), b_p);
    cmb_lanes_store(subtract_dot_complex(k, t, a, b), b_k);
  }
#pragma GCC unroll 8
  for (int k = n - 1; k >= 0; k--) { /* b := U⁻¹ b */
    a -= length;
    b_k -= 2;
    const double *u = a + 2 * (ptrdiff_t)k;
    cmb_lanes t = subtract_dot_complex(n - k - 1, cmb_lanes_load(b_k), u + 2, b_k + 2);
    cmb_lanes_store(complex_product(t, cmb_lanes_load(u)), b_k);
  }
}

void cmb_lu_solve_complex(int n, const double *LU, const int *pivot, double *b)
{
  CALL_BY_SIZE(n, solve_complex(N, LU, pivot, b))
}

/* ---- LDLᵀ */

/* Computes column j below the diagonal in the LDLᵀ factorisation of A (n x n), in place: replaces a_ij by c_ij = l_ij d_j = a_ij − Σ_k c_ik
 * l_jk (sum over k < j) for all rows i > j. */
static void ldlt_column(int n, double *A, int j)
{
  const double *l = row(A, n, j);
  int i = j + 1;
  for (; i + 3 < n; i += 4) {
    double *c[4] = {row(A, n, i), row(A, n, i + 1), row(A, n, i + 2), row(A, n, i + 3)}, dot[4];
    cmb_dot4(j, l, (const double *const *)c, dot);
    for (int m = 0; m < 4; m++) c[m][j] -= dot[m];
  }
  for (; i < n; i++) row(A, n, i)[j] -= cmb_dot(j, l, row(A, n, i));
}

int cmb_ldlt_factor(int n, double *A)
{
  for (int j = 0; j < n; j++) {
    double *a = row(A, n, j);
    double d = a[j];
    const double rounding = n * DBL_EPSILON * d;
    for (int k = 0; k < j; k++) {
      double l = a[k] * row(A, n, k)[k];
      d -= a[k] * l;
      a[k] = l;
    }
    if (!(d > rounding)) return j; /* also for Inf and NaN */
    ldlt_column(n, A, j);
    a[j] = 1 / d;
  }
  return -1;
}

void cmb_ldlt_forward(int n, const double *LD, int count, double *B)
{
  int i = 0;
  for (; i + 3 < count; i += 4) {
    double *b[4] = {row(B, n, i), row(B, n, i + 1), row(B, n, i + 2), row(B, n, i + 3)}, dot[4];
    for (int k = 1; k < n; k++) {
      cmb_dot4(k, row_const(LD, n, k), (const double *const *)b, dot);
      for (int m = 0; m < 4; m++) b[m][k] -= dot[m];
    }
  }
  for (; i < count; i++) {
    double *b = row(B, n, i);
    for (int k = 1; k < n; k++) b[k] -= cmb_dot(k, row_const(LD, n, k), b);
  }
}

void cmb_ldlt_backward(int n, const double *LD, double *b)
{
  for (int i = n - 1; i > 0; i--) cmb_add_scaled(i, -b[i], row_const(LD, n, i), b);
}

void cmb_ldlt_solve(int n, const double *LD, double *b)
{
  cmb_ldlt_forward(n, LD, 1, b);
  for (int i = 0; i < n; i++) b[i] *= row_const(LD, n, i)[i];
  cmb_ldlt_backward(n, LD, b);
}

double cmb_largest(int n, const double *x)
{
  double most = 0;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
  return most;
}

double cmb_norm2(int n, const double *x)
{
  double sum = cmb_dot(n, x, x);
  if (sum > DBL_MIN / DBL_EPSILON && sum <= DBL_MAX) return sqrt(sum);
  /* a square is outside of the range of normal numbers: divide by the largest entry */
  double largest = 0;
  for (int i = 0; i < n; i++) {
    if (!(fabs(x[i]) <= largest)) largest = fabs(x[i]); /* also if it is NaN */
    if (!isfinite(largest)) return largest;
  }
  if (largest == 0) return 0;
  double scaled = 0;
  for (int i = 0; i < n; i++) scaled += (x[i] / largest) * (x[i] / largest);
  return largest * sqrt(scaled);
}
