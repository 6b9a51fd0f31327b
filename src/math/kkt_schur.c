/*
 * Factorisation of the Schur complement S with complete pivoting (kkt_schur.h).
 *
 * Symmetric: P S Pᵀ = L D Lᵀ, column by column, after scaling S to unit diagonal. Scaling commutes with elimination, so it is not carried
 * out: a pivot is divided by the diagonal entry of S it came from wherever pivots are compared. Rows are not moved either: row i of L
 * belongs to row i of S.
 *
 *     l_pj = c_pj / d_j for j < k,   c_ik = s_ip − Σ_j c_ij l_pj,   rest_i := rest_i − c_ik² / d_k
 *
 * for the k-th pivot row p and all rows i not yet eliminated, which contain c until they become pivot rows. The largest entry of a positive
 * semidefinite matrix is on the diagonal, so complete pivoting has to search only the diagonal.
 *
 * Unsymmetric: P (R S C) Q = L U by outer products, R and C the scaling to unit row lengths of G and B.
 */
#include "math/kkt_schur.h"

#include "math/dense.h"

#include <math.h>
#include <stddef.h>

void cmb_schur_create(cmb_arena *arena, int n, cmb_schur *schur)
{
  size_t entries = (size_t)n * (size_t)n;
  *schur = (cmb_schur){.n = n, .symmetric = true};
  schur->S = cmb_arena_take(arena, entries, sizeof(double));
  schur->L = cmb_arena_take(arena, entries, sizeof(double));
  schur->G_length2 = cmb_arena_doubles(arena, n);
  schur->B_length2 = cmb_arena_doubles(arena, n);
  schur->least_length2 = cmb_arena_doubles(arena, n);
  schur->d_inv = cmb_arena_doubles(arena, n);
  schur->rest = cmb_arena_doubles(arena, n);
  schur->unit = cmb_arena_doubles(arena, n);
  schur->unit_B = cmb_arena_doubles(arena, n);
  schur->row = cmb_arena_ints(arena, n);
  schur->column = cmb_arena_ints(arena, n);
  schur->z = cmb_arena_doubles(arena, n);
}

/* Checks the squared lengths of all constraint gradients, length2[i · stride]. Returns CMB_RETRY_NONFINITE if their sum is not finite;
 * CMB_RETRY_SINGULAR, with the constraint in *dependent, if one is not above its lower limit. */
static cmb_status check_lengths(const cmb_schur *schur, const double *length2, ptrdiff_t stride,
                                int *dependent)
{
  const int n = schur->n;
  double sum = 0;
  int zero = -1;
  for (int i = 0; i < n; i++) {
    double square = length2[i * stride];
    sum += square;
    if (!(square > schur->least_length2[i])) zero = i;
  }
  if (!isfinite(sum)) return CMB_RETRY_NONFINITE;
  if (zero < 0) return CMB_OK;
  *dependent = zero;
  return CMB_RETRY_SINGULAR;
}

/* Reports that the constraints of the pivot rows k and later depend on the others: sets *dependent to the one of them with the largest
 * index and returns CMB_RETRY_SINGULAR. */
static cmb_status dependent_from(const cmb_schur *schur, int k, int *dependent)
{
  int last = schur->row[k];
  for (int i = k + 1; i < schur->n; i++) {
    if (schur->row[i] > last) last = schur->row[i];
  }
  *dependent = last;
  return CMB_RETRY_SINGULAR;
}

/* Computes column k of the LDLᵀ factors of the symmetric Schur complement S: c_ik = s_ip − Σ_j c_ij l_pj over j < k, in all rows i that are
 * not yet eliminated. p is the k-th pivot row, and thereby also the column of S. */
static void eliminate_column(cmb_schur *schur, int k, int p)
{
  const int n = schur->n, *row = schur->row;
  const double *S = schur->S + (ptrdiff_t)p * n, *l = schur->L + (ptrdiff_t)p * n;
  int i = k + 1;
  for (; i + 3 < n; i += 4) {
    double *c[4], dot[4];
    for (int m = 0; m < 4; m++) c[m] = schur->L + (ptrdiff_t)row[i + m] * n;
    cmb_dot4(k, l, (const double *const *)c, dot);
    for (int m = 0; m < 4; m++) c[m][k] = S[row[i + m]] - dot[m];
  }
  for (; i < n; i++) {
    double *c = schur->L + (ptrdiff_t)row[i] * n;
    c[k] = S[row[i]] - cmb_dot(k, l, c);
  }
}

/* Performs step k of the LDLᵀ factorisation of the Schur complement with diagonal pivoting, and updates the remaining diagonal. Returns the
 * position in schur->row of the next pivot row, the one with the largest remaining diagonal entry relative to its original value. */
static int eliminate_symmetric(cmb_schur *schur, int k)
{
  const int n = schur->n, p = schur->row[k];
  double *l = schur->L + (ptrdiff_t)p * n;
  cmb_multiply_entries(k, schur->d_inv, l, l);
  schur->d_inv[k] = 1 / schur->rest[p];
  eliminate_column(schur, k, p);

  int next = k + 1;
  double largest = -1;
  for (int i = k + 1; i < n; i++) {
    const int r = schur->row[i];
    double c = schur->L[(ptrdiff_t)r * n + k];
    schur->rest[r] -= c * c * schur->d_inv[k];
    double pivot = schur->rest[r] * schur->unit[r];
    if (pivot > largest) {
      largest = pivot;
      next = i;
    }
  }
  return next;
}

cmb_status cmb_schur_factor_symmetric(cmb_schur *schur, double least_pivot, int *dependent)
{
  const int n = schur->n;
  schur->symmetric = true;
  CMB_TRY(check_lengths(schur, schur->S, n + 1, dependent));
  for (int i = 0; i < n; i++) {
    double s = schur->S[(ptrdiff_t)i * (n + 1)];
    schur->rest[i] = s;
    schur->unit[i] = 1 / s;
    schur->row[i] = i;
  }
  int next = 0; /* all scaled pivots are 1 in the beginning */
  for (int k = 0; k < n; k++) {
    int p = schur->row[next];
    schur->row[next] = schur->row[k];
    schur->row[k] = p;
    const double pivot = schur->rest[p] * schur->unit[p];
    if (!(pivot > least_pivot)) return dependent_from(schur, k, dependent);
    next = eliminate_symmetric(schur, k);
  }
  return CMB_OK;
}

/* Solves S y = b with the factors of the Schur complement, P S Pᵀ = L D Lᵀ (P a permutation). y may be b. */
static void solve_symmetric(cmb_schur *schur, const double *b, double *y)
{
  const int n = schur->n;
  const int *row = schur->row;
  double *restrict z = schur->z;
  for (int k = 0; k < n; k++) z[k] = b[row[k]] - cmb_dot(k, schur->L + (ptrdiff_t)row[k] * n, z);
  cmb_multiply_entries(n, schur->d_inv, z, z);
  for (int k = n - 1; k >= 0; k--) {
    y[row[k]] = z[k];
    cmb_add_scaled(k, -z[k], schur->L + (ptrdiff_t)row[k] * n, z);
  }
}

/* Scales the Schur complement, S := R S C with diagonal matrices R and C, as if all constraint gradients had unit length, and resets the
 * permutations of its rows and columns. */
static void scale(cmb_schur *schur)
{
  const int n = schur->n;
  for (int j = 0; j < n; j++) {
    schur->unit[j] = 1 / sqrt(schur->G_length2[j]);
    schur->unit_B[j] = 1 / sqrt(schur->B_length2[j]);
    schur->row[j] = schur->column[j] = j;
  }
  for (int i = 0; i < n; i++) {
    double *S = schur->S + (ptrdiff_t)i * n;
    for (int j = 0; j < n; j++) S[j] *= schur->unit[i] * schur->unit_B[j];
  }
}

/* Returns the largest |s_ij| with i, j ≥ k in the Schur complement S, and its position in *row and *column. */
static double largest_entry(const cmb_schur *schur, int k, int *row, int *column)
{
  const int n = schur->n;
  double largest = -1;
  for (int i = k; i < n; i++) {
    const double *S = schur->S + (ptrdiff_t)i * n;
    for (int j = k; j < n; j++) {
      if (fabs(S[j]) > largest) {
        largest = fabs(S[j]);
        *row = i;
        *column = j;
      }
    }
  }
  return largest;
}

static void swap_ints(int *a, int *b)
{
  int t = *a;
  *a = *b;
  *b = t;
}

/* Exchanges rows k and i and columns k and j of the Schur complement, which moves entry (i, j) to position (k, k), and updates the
 * permutations of rows and columns. */
static void exchange(cmb_schur *schur, int k, int i, int j)
{
  const int n = schur->n;
  double *S = schur->S;
  for (int m = 0; i != k && m < n; m++) {
    double t = S[(ptrdiff_t)k * n + m];
    S[(ptrdiff_t)k * n + m] = S[(ptrdiff_t)i * n + m];
    S[(ptrdiff_t)i * n + m] = t;
  }
  for (int m = 0; j != k && m < n; m++) {
    double t = S[(ptrdiff_t)m * n + k];
    S[(ptrdiff_t)m * n + k] = S[(ptrdiff_t)m * n + j];
    S[(ptrdiff_t)m * n + j] = t;
  }
  swap_ints(&schur->row[k], &schur->row[i]);
  swap_ints(&schur->column[k], &schur->column[j]);
}

cmb_status cmb_schur_factor_unsymmetric(cmb_schur *schur, double least_pivot, int *dependent)
{
  const int n = schur->n;
  schur->symmetric = false;
  CMB_TRY(check_lengths(schur, schur->G_length2, 1, dependent));
  CMB_TRY(check_lengths(schur, schur->B_length2, 1, dependent));
  scale(schur);
  for (int k = 0; k < n; k++) {
    int i = k, j = k;
    double largest = largest_entry(schur, k, &i, &j);
    if (!(largest > least_pivot)) return dependent_from(schur, k, dependent);
    exchange(schur, k, i, j);
    const double *Sk = schur->S + (ptrdiff_t)k * n;
    for (i = k + 1; i < n; i++) {
      double *Si = schur->S + (ptrdiff_t)i * n;
      Si[k] /= Sk[k];
      cmb_add_scaled(n - k - 1, -Si[k], Sk + k + 1, Si + k + 1);
    }
  }
  return CMB_OK;
}

/* Solves S y = b with the LU factors of the scaled Schur complement, P (R S C) Q = L U, where R, C are diagonal and P, Q permutations: z =
 * U⁻¹ L⁻¹ P R b, y = C Q z. y may be b. */
static void solve_unsymmetric(cmb_schur *schur, const double *b, double *y)
{
  const int n = schur->n;
  double *z = schur->z;
  for (int k = 0; k < n; k++) {
    int i = schur->row[k];
    z[k] = b[i] * schur->unit[i] - cmb_dot(k, schur->S + (ptrdiff_t)k * n, z);
  }
  for (int k = n - 1; k >= 0; k--) {
    const double *U = schur->S + (ptrdiff_t)k * n;
    z[k] = (z[k] - cmb_dot(n - k - 1, U + k + 1, z + k + 1)) / U[k];
  }
  for (int k = 0; k < n; k++) {
    int j = schur->column[k];
    y[j] = z[k] * schur->unit_B[j];
  }
}

void cmb_schur_solve(cmb_schur *schur, const double *b, double *y)
{
  if (schur->symmetric) {
    solve_symmetric(schur, b, y);
  } else {
    solve_unsymmetric(schur, b, y);
  }
}
