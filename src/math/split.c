/*
 * The complete orthogonal decomposition (split.h; Golub and Van Loan, Matrix Computations, 5.4.7), with Householder reflectors:
 *
 *     Π₁ A = L P,     L (rows x rank) = the first columns of Π₁ A Pᵀ; the others are rounding
 *     Π₂ Lᵀ = [T 0] H, T lower triangular,   so   A = Π₁ᵀ Hᵀ [Tᵀ; 0] Π₂ P
 *
 * The singular values of A are those of T and, below the length of the remaining rows of A, zeros; 1/|T⁻¹| in the Frobenius norm is a lower
 * bound of those of T, at most by a factor of √rank below the smallest. Tᵀ is nearly diagonal, so that Jacobi rotations find its singular
 * values much faster than those of A (Drmač and Veselić 2008).
 */
#include "math/split.h"

#include "math/dense.h"
#include "math/eigen.h"
#include "math/orthogonal.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

void cmb_split_create(cmb_arena *arena, int rows, int columns, double *A, double *T, cmb_split *s)
{
  *s = (cmb_split){.rows = rows, .columns = columns};
  s->A = A;
  s->T = T;
  for (int i = 0; i < 2; i++) {
    s->order[i] = cmb_arena_ints(arena, rows);
    s->beta[i] = cmb_arena_doubles(arena, rows);
    s->first[i] = cmb_arena_doubles(arena, rows);
  }
  s->b = cmb_arena_doubles(arena, rows);
}

/* Solves T x' = x for the lower triangular factor T of the complete orthogonal decomposition by forward substitution; x is replaced by x'.
 * The first `zeros` entries of x must be 0. */
static void forward(const cmb_split *s, int zeros, double *x)
{
  for (int i = zeros; i < s->rank; i++) {
    const double *row = s->T + (ptrdiff_t)i * s->rows;
    x[i] = (x[i] - cmb_dot(i - zeros, row + zeros, x + zeros)) / row[i];
  }
}

/* Solves Tᵀ x' = x for the lower triangular factor T of the complete orthogonal decomposition by back substitution; x is replaced by x'. */
static void backward(const cmb_split *s, double *x)
{
  for (int i = s->rank - 1; i >= 0; i--) {
    const double *row = s->T + (ptrdiff_t)i * s->rows;
    x[i] /= row[i];
    cmb_add_scaled(i, -x[i], row, x);
  }
}

/* Returns a lower bound of the singular values of the triangular factor T, 1/‖T⁻¹‖ in the Frobenius norm, or 0 if it is not above
 * `doubt`. */
static double least_value(const cmb_split *s, double doubt)
{
  double square = 0;
  for (int j = 0; j < s->rank; j++) {
    memset(s->b, 0, (size_t)s->rank * sizeof *s->b);
    s->b[j] = 1;
    forward(s, j, s->b);
    square += cmb_dot(s->rank - j, s->b + j, s->b + j);
    if (!(square * doubt * doubt < 1)) return 0;
  }
  return 1 / sqrt(square);
}

bool cmb_split_factor(cmb_split *s, double rounding, double doubt)
{
  const int rows = s->rows;
  s->rank = cmb_reduce_rows(rows, s->columns, rounding / sqrt(rows), s->A, s->order[0], s->beta[0],
                            s->first[0]);
  memset(s->T, 0, (size_t)rows * (size_t)rows * sizeof *s->T);
  for (int i = 0; i < rows; i++) {
    for (int k = 0; k <= i && k < s->rank; k++) {
      s->T[(ptrdiff_t)k * rows + i] = s->A[(ptrdiff_t)i * s->columns + k];
    }
  }
  const int found = cmb_reduce_rows(s->rank, rows, 0, s->T, s->order[1], s->beta[1], s->first[1]);
  s->least = found == s->rank ? least_value(s, doubt) : 0;
  return s->least > 0;
}

/* Performs the first part of a least-squares solution with the complete orthogonal decomposition A = Π₁ᵀ Hᵀ [Tᵀ; 0] Π₂ P: applies the
 * permutation Π₁ and the Householder reflectors H to b[rows], and solves Tᵀ w = c for the first `rank` entries c of the result. Stores w in
 * s->b. */
static void solve_rows(cmb_split *s, const double *b)
{
  for (int i = 0; i < s->rows; i++) s->b[i] = b[s->order[0][i]];
  cmb_reflect_into(s->rank, s->rows, s->T, s->beta[1], s->first[1], s->b);
  backward(s, s->b);
}

void cmb_split_solve(cmb_split *s, const double *b, double *z, double *y)
{
  const int rows = s->rows, rank = s->rank;
  solve_rows(s, b);
  cmb_reflect_into(rank, s->columns, s->A, s->beta[0], s->first[0], z);
  for (int i = 0; i < rank; i++) {
    double *entry = &z[s->order[1][i]];
    const double becomes = -s->b[i];
    s->b[i] = *entry - becomes;
    *entry = becomes;
  }
  cmb_reflect_back(rank, s->columns, s->A, s->beta[0], s->first[0], z);
  forward(s, 0, s->b);
  memset(s->b + rank, 0, (size_t)(rows - rank) * sizeof *s->b);
  cmb_reflect_back(rank, rows, s->T, s->beta[1], s->first[1], s->b);
  for (int i = 0; i < rows; i++) y[s->order[0][i]] = s->b[i];
}

/* Computes n := Π₁ᵀ Hᵀ x (rows) for the vector x in s->b, which is overwritten. Π₁ᵀ Hᵀ (a permutation and Householder reflectors) is the
 * left orthogonal factor of the complete orthogonal decomposition A = Π₁ᵀ Hᵀ [Tᵀ; 0] Π₂ P. */
static void to_rows(const cmb_split *s, double *n)
{
  cmb_reflect_back(s->rank, s->rows, s->T, s->beta[1], s->first[1], s->b);
  for (int i = 0; i < s->rows; i++) n[s->order[0][i]] = s->b[i];
}

void cmb_split_null(const cmb_split *s, int k, double *n)
{
  memset(s->b, 0, (size_t)s->rows * sizeof *s->b);
  s->b[s->rank + k] = 1;
  to_rows(s, n);
}

double cmb_split_rest(const cmb_split *s)
{
  double most = 0;
  for (int i = s->rank; i < s->rows; i++) {
    const double *rest = s->A + (ptrdiff_t)i * s->columns + s->rank;
    most = fmax(most, cmb_norm2(s->columns - s->rank, rest));
  }
  return most;
}

/* Converts the i-th right singular vector of Tᵀ, times its singular value, to that of A, where A = Π₁ᵀ Hᵀ [Tᵀ; 0] Π₂ P is a complete orthogonal
 * decomposition: v := Pᵀ Π₂ᵀ v. Works in place in the array A: v is read as row i with `rank` entries and written as row i with `columns`
 * entries. */
static void expand_right(const cmb_split *s, int i, double *A)
{
  const int rank = s->rank;
  double *a = A + (ptrdiff_t)i * s->columns;
  memcpy(s->b, A + (ptrdiff_t)i * rank, (size_t)rank * sizeof *s->b);
  memset(a, 0, (size_t)s->columns * sizeof *a);
  for (int j = 0; j < rank; j++) a[s->order[1][j]] = s->b[j];
  cmb_reflect_back(rank, s->columns, s->A, s->beta[0], s->first[0], a);
}

/* Transforms the i-th left singular vector of Tᵀ to that of A = Π₁ᵀ Hᵀ [Tᵀ; 0] Π₂ P (a complete orthogonal decomposition). Reads it as row
 * i of the array J with `rank` columns and writes it as row i of the same array with `rows` columns. */
static void expand_left(const cmb_split *s, int i, double *J)
{
  memcpy(s->b, J + (ptrdiff_t)i * s->rank, (size_t)s->rank * sizeof *s->b);
  memset(s->b + s->rank, 0, (size_t)(s->rows - s->rank) * sizeof *s->b);
  to_rows(s, J + (ptrdiff_t)i * s->rows);
}

void cmb_split_values(const cmb_split *s, double *A, double *J, double *sigma)
{
  const int rows = s->rows, rank = s->rank;
  for (int i = 0; i < rank; i++) {
    for (int j = 0; j < rank; j++) {
      A[(ptrdiff_t)i * rank + j] = j >= i ? s->T[(ptrdiff_t)j * rows + i] : 0;
    }
  }
  cmb_orthogonal_rows(rank, rank, A, J, sigma);
  /* from the last, since the others are still in their old places */
  for (int i = rank - 1; i >= 0; i--) {
    expand_right(s, i, A);
    expand_left(s, i, J);
  }
  for (int i = rank; i < rows; i++) {
    sigma[i] = cmb_split_rest(s);
    memset(A + (ptrdiff_t)i * s->columns, 0, (size_t)s->columns * sizeof *A);
    cmb_split_null(s, i - rank, J + (ptrdiff_t)i * rows);
  }
}
