/*
 * Tests of linear systems (math/linear.h), real and complex, dense and on patterns of sizes on both sides of CMB_LINEAR_SPARSE_FROM:
 * solutions by their residuals, rows in any units, old pivots used with new values, the order of elimination, and matrices that are
 * refused. KLU allocates through the process-wide functions of SuiteSparse, which this program replaces in order to refuse requests.
 *
 * Limit of the residuals: elimination with partial pivoting is exact for a matrix whose rows differ by at most about n eps times their sum
 * of sizes, times the growth of the entries, which stays below GROWTH for the random matrices used here. KLU accepts pivots down to a
 * tenth of the largest candidate.
 */
#include "check.h"
#include "failing_allocator.h"
#include "math/linear.h"
#include "math/sparse_lu.h"
#include "random.h"

#include <complex.h>
#include <float.h>
#include <stdlib.h>
#include <string.h>
#include <suitesparse/SuiteSparse_config.h>

enum { LARGEST = 80, GROWTH = 10 };

/* The problem A x = b; A as a full matrix, zero outside the pattern. */
struct problem {
  int n;
  bool is_complex, is_dense;
  cmb_pattern pattern;
  int start[LARGEST + 1], column[LARGEST * LARGEST];
  double complex A[LARGEST][LARGEST], b[LARGEST], x[LARGEST];
};

static struct problem the; /* static, as it is too large for the stack */

/* Returns re + i im, also where one of them is not finite. */
static double complex number(double re, double im)
{
  const double parts[2] = {re, im};
  double complex z;
  memcpy(&z, parts, sizeof z);
  return z;
}

static double complex random_number(struct cmbt_random *random)
{
  double re = cmbt_random_uniform(random, -1, 1), im = cmbt_random_uniform(random, -1, 1);
  return number(re, the.is_complex ? im : 0);
}

/* Makes a dense pattern, or a random one with the diagonal, the superdiagonal, and about 4 more entries in a row. */
static void random_pattern(struct cmbt_random *random, int n, bool is_complex, bool is_dense)
{
  the.n = n;
  the.is_complex = is_complex;
  the.is_dense = is_dense;
  int entries = 0;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      bool fixed = is_dense || i == j || j == (i + 1) % n;
      if (fixed || cmbt_random_int(random, 1, n) <= 4) the.column[entries++] = j;
    }
    the.start[i + 1] = entries;
  }
  the.pattern = (cmb_pattern){n, n, the.start, the.column};
}

static void random_values(struct cmbt_random *random, double decades)
{
  memset(the.A, 0, sizeof the.A);
  for (int i = 0; i < the.n; i++) {
    const double scale = cmbt_random_scale(random, decades);
    for (int k = the.start[i]; k < the.start[i + 1]; k++) {
      the.A[i][the.column[k]] = scale * random_number(random);
    }
    the.b[i] = the.x[i] = scale * random_number(random);
  }
}

static cmb_linear *new_linear(cmb_context *ctx)
{
  cmb_linear *linear = NULL;
  cmbt_ok(ctx, cmb_linear_create(ctx, the.n, the.is_dense ? NULL : &the.pattern, the.is_complex,
                                 &linear));
  return linear;
}

static cmb_status factor(cmb_linear *linear)
{
  double *value = cmb_linear_values(linear);
  for (int i = 0; i < the.n; i++) {
    for (int k = the.start[i]; k < the.start[i + 1]; k++) {
      double complex a = the.A[i][the.column[k]];
      *value++ = creal(a);
      if (the.is_complex) *value++ = cimag(a);
    }
  }
  return cmb_linear_factor(linear);
}

static void solve(cmb_linear *linear)
{
  double b[2 * LARGEST];
  const int parts = the.is_complex ? 2 : 1;
  for (int i = 0; i < the.n; i++) {
    b[parts * i] = creal(the.b[i]);
    if (the.is_complex) b[2 * i + 1] = cimag(the.b[i]);
  }
  cmb_linear_solve(linear, b);
  for (int i = 0; i < the.n; i++) {
    the.x[i] = the.is_complex ? number(b[2 * i], b[2 * i + 1]) : number(b[i], 0);
  }
}

/* Returns the largest |b − A x|_i / (n eps Σ_j|A_ij| max|x|) of all rows i; INFINITY if it is NaN. */
static double error(void)
{
  double worst = 0, size_x = 0;
  for (int j = 0; j < the.n; j++) size_x = fmax(size_x, cabs(the.x[j]));
  for (int i = 0; i < the.n; i++) {
    double complex rest = the.b[i];
    double sum = 0;
    for (int j = 0; j < the.n; j++) {
      rest -= the.A[i][j] * the.x[j];
      sum += cabs(the.A[i][j]);
    }
    double part = cabs(rest) / (the.n * DBL_EPSILON * sum * size_x);
    if (!(part <= worst)) worst = part; /* true also for a NaN */
    if (isnan(worst)) return INFINITY;
  }
  return worst;
}

/* ---- solutions */

static void residuals_are_small_for_every_size_and_kind(void **state)
{
  (void)state;
  cmb_context *ctx = cmb_context_create(NULL);
  struct cmbt_random random = {1};
  for (int n = 1; n <= LARGEST; n++) {
    for (int kind = 0; kind < 8; kind++) {
      random_pattern(&random, n, kind & 1, kind & 2);
      cmb_linear *linear = new_linear(ctx);
      random_values(&random, kind & 4 ? 12 : 0);
      cmbt_ok(ctx, factor(linear));
      solve(linear);
      cmbt_below(error(), GROWTH);
      cmb_linear_destroy(linear);
    }
  }
  cmb_context_destroy(ctx);
}

/* Compares the solution itself for rows in units from 1e-12 to 1e12. The large entries, one in each row and column, make the matrix well
 * conditioned once its rows are scaled; they stand on the other diagonal, so that rows have to be exchanged. */
static void the_units_of_the_rows_do_not_matter(void **state)
{
  (void)state;
  static double complex expected[LARGEST];
  cmb_context *ctx = cmb_context_create(NULL);
  struct cmbt_random random = {2};
  for (int n = 3; n <= LARGEST; n += 7) {
    for (int kind = 0; kind < 4; kind++) {
      random_pattern(&random, n, kind & 1, true);
      random_values(&random, 0);
      for (int i = 0; i < n; i++) {
        const double scale = pow(10, i % 2 ? 12 - i % 5 : i % 7 - 12);
        the.A[i][n - 1 - i] += 2 * n;
        for (int j = 0; j < n; j++) the.A[i][j] *= scale;
        expected[i] = random_number(&random);
      }
      the.is_dense = kind & 2; /* if not: a pattern with all entries */
      for (int i = 0; i < n; i++) {
        the.b[i] = 0;
        for (int j = 0; j < n; j++) the.b[i] += the.A[i][j] * expected[j];
      }
      cmb_linear *linear = new_linear(ctx);
      cmbt_ok(ctx, factor(linear));
      solve(linear);
      for (int i = 0; i < n; i++) cmbt_below(cabs(the.x[i] - expected[i]), 1e-10);
      cmb_linear_destroy(linear);
    }
  }
  cmb_context_destroy(ctx);
}

/* The entries of the first row are large only because of its unit. Its entry 1 beside 1e20 must not become the pivot, or all digits of
 * the second row would be lost. The solution is (1, 1) up to 1e-20. */
static void pivots_are_compared_in_the_scaled_rows(void **state)
{
  (void)state;
  cmb_context *ctx = cmb_context_create(NULL);
  for (int is_complex = 0; is_complex < 2; is_complex++) {
    cmb_linear *linear = NULL;
    cmbt_ok(ctx, cmb_linear_create(ctx, 2, NULL, is_complex, &linear));
    double *A = cmb_linear_values(linear), b[4] = {0};
    const double rows[] = {1, 1e20, 0.1, 0.1}, right[] = {1e20, 0.2};
    const int parts = is_complex + 1;
    for (int k = 0; k < 4; k++) A[parts * k] = rows[k];
    for (int i = 0; i < 2; i++) b[parts * i] = right[i];
    cmbt_ok(ctx, cmb_linear_factor(linear));
    cmb_linear_solve(linear, b);
    for (int i = 0; i < 2; i++) cmbt_near(b[parts * i], 1, 4 * DBL_EPSILON);
    cmb_linear_destroy(linear);
  }
  cmb_context_destroy(ctx);
}

/* Factorises many matrices on one pattern with one object, so that KLU's pivots were chosen for an earlier one. A growth of entries up to
 * 1e6 is permitted before new pivots are chosen; sums of several such terms are a little larger, hence the limit 1e-9. */
static void old_pivots_are_used_or_replaced(void **state)
{
  (void)state;
  cmb_context *ctx = cmb_context_create(NULL);
  struct cmbt_random random = {3};
  for (int is_complex = 0; is_complex < 2; is_complex++) {
    random_pattern(&random, LARGEST, is_complex, false);
    cmb_linear *linear = new_linear(ctx);
    for (int trial = 0; trial < 100; trial++) {
      random_values(&random, trial % 2 ? 6 : 0);
      for (int i = 0; i < LARGEST && trial % 3 == 0; i++) the.A[i][i] *= 1e-12;
      cmbt_ok(ctx, factor(linear));
      solve(linear);
      cmbt_below(error() * LARGEST * DBL_EPSILON, 1e-9);
    }
    cmb_linear_destroy(linear);
  }
  cmb_context_destroy(ctx);
}

/* ---- matrices that are refused */

/* Makes a weighted Laplacian, each row multiplied by a random (complex) number: off the diagonal all weights are negative, and the sum of
 * each row is zero. The graph is connected, so all pivots but the last are large. */
static void make_laplacian(struct cmbt_random *random, double decades)
{
  for (int i = 0; i < the.n; i++) {
    const double size = cmbt_random_scale(random, decades);
    const double complex unit = size * random_number(random);
    double sum = 0;
    for (int k = the.start[i]; k < the.start[i + 1]; k++) {
      double weight = the.column[k] == i ? 0 : cmbt_random_uniform(random, 0.1, 1);
      sum += weight;
      the.A[i][the.column[k]] = -weight * unit;
    }
    the.A[i][i] = sum * unit;
  }
}

static void singular_matrices_are_refused(void **state)
{
  (void)state;
  cmb_context *ctx = cmb_context_create(NULL);
  struct cmbt_random random = {4};
  for (int n = 1; n <= LARGEST; n++) {
    for (int kind = 0; kind < 8; kind++) {
      random_pattern(&random, n, kind & 1, kind & 2);
      cmb_linear *linear = new_linear(ctx);
      make_laplacian(&random, kind & 4 ? 6 : 0);
      assert_int_equal(factor(linear), CMB_RETRY_SINGULAR);
      random_values(&random, 0);
      const int which = cmbt_random_int(&random, 0, n - 1);
      for (int i = 0; i < n; i++) the.A[kind & 4 ? i : which][kind & 4 ? which : i] = 0;
      assert_int_equal(factor(linear), CMB_RETRY_SINGULAR); /* a zero row or column */
      random_values(&random, 0);                            /* then a regular matrix again */
      cmbt_ok(ctx, factor(linear));
      solve(linear);
      cmbt_below(error(), GROWTH);
      cmb_linear_destroy(linear);
    }
  }
  cmb_context_destroy(ctx);
}

/* Checks all entries, also those from which elimination would not spread the NaN: the matrix is the identity but for one entry. */
static void nonfinite_entries_are_refused(void **state)
{
  (void)state;
  const double bad[] = {NAN, INFINITY, -INFINITY};
  const int sizes[] = {1, 2, 5, 6, 70};
  cmb_context *ctx = cmb_context_create(NULL);
  struct cmbt_random random = {5};
  for (int s = 0; s < 5; s++) {
    for (int kind = 0; kind < 4; kind++) {
      const int n = sizes[s];
      random_pattern(&random, n, kind & 1, true);
      the.is_dense = kind & 2;
      cmb_linear *linear = new_linear(ctx);
      for (int at = 0; at<n * n; at += n> 6 ? 61 : 1) {
        for (int k = 0; k < 6; k++) {
          memset(the.A, 0, sizeof the.A);
          for (int i = 0; i < n; i++) the.A[i][i] = 1;
          the.A[at / n][at % n] = kind & 1 && k > 2 ? number(0, bad[k % 3]) : number(bad[k % 3], 0);
          assert_int_equal(factor(linear), CMB_RETRY_NONFINITE);
        }
      }
      cmb_linear_destroy(linear);
    }
  }
  cmb_context_destroy(ctx);
}

/* ---- memory */

static struct {
  long calls, fail_at;
} klu_memory; /* global, as the replaced functions have no argument for it */

static bool klu_refuses(void)
{
  klu_memory.calls++;
  return klu_memory.calls == klu_memory.fail_at;
}

static void *klu_malloc_or_not(size_t size)
{
  return klu_refuses() ? NULL : malloc(size);
}

static void *klu_calloc_or_not(size_t count, size_t size)
{
  return klu_refuses() ? NULL : calloc(count, size);
}

static void *klu_realloc_or_not(void *memory, size_t size)
{
  return klu_refuses() ? NULL : realloc(memory, size);
}

/* Creates and factorises with the `at`-th request refused, or KLU's `klu_at`-th. Only KLU may succeed all the same. Returns whether a
 * request was refused, and adds to *failed if creating or factorising failed. */
static bool refused_at(long at, long klu_at, int *failed)
{
  struct cmbt_allocator memory;
  cmbt_allocator_init(&memory);
  cmb_context *ctx = cmb_context_create(&memory.hook);
  memory.fail_at = at > 0 ? memory.calls + at : 0;
  klu_memory.calls = 0;
  klu_memory.fail_at = klu_at;
  cmb_linear *linear = NULL;
  cmb_status status =
      cmb_linear_create(ctx, the.n, the.is_dense ? NULL : &the.pattern, the.is_complex, &linear);
  assert_int_equal(linear != NULL, status == CMB_OK);
  if (linear) status = factor(linear);
  const bool klu_refused = klu_at > 0 && klu_memory.calls >= klu_at;
  klu_memory.fail_at = 0;
  if (status != CMB_OK) {
    assert_int_equal(status, CMB_ERROR_MEMORY);
    assert_true(memory.refused > 0 || klu_refused);
    assert_true(cmb_last_error(ctx)[0] != '\0');
    ++*failed;
  }
  assert_true(memory.refused == 0 || status != CMB_OK);
  if (status == CMB_OK) {
    solve(linear);
    cmbt_below(error(), GROWTH);
  }
  cmb_linear_destroy(linear);
  const bool refused = memory.refused > 0 || klu_refused;
  cmb_context_destroy(ctx);
  assert_int_equal(memory.outstanding, 0);
  return refused;
}

static void every_refused_allocation_is_survived(void **state)
{
  (void)state;
  SuiteSparse_config.malloc_func = klu_malloc_or_not;
  SuiteSparse_config.calloc_func = klu_calloc_or_not;
  SuiteSparse_config.realloc_func = klu_realloc_or_not;
  struct cmbt_random random = {6};
  for (int kind = 0; kind < 6; kind++) { /* dense, small pattern, large pattern */
    random_pattern(&random, kind < 4 ? 8 : LARGEST, kind & 1, kind < 2);
    random_values(&random, 0);
    int failed = 0, klu_failed = 0;
    for (long at = 1; refused_at(at, 0, &failed);) at++;
    for (long at = 1; refused_at(0, at, &klu_failed);) at++;
    assert_true(failed > 1);
    assert_int_equal(klu_failed > 1, kind >= 4); /* KLU is used from size 64 on */
  }
}

/* Checks which order of elimination KLU is given: AMD (0) if all diagonal entries, of complex matrices their real parts, are there and not 0, else
 * COLAMD (1). The matrix has entries in (i, i) and (i, i + 1), the latter cyclic. */
static void the_diagonal_decides_the_order(void **state)
{
  (void)state;
  enum { N = 4 };
  static const struct {
    bool is_complex;
    int without; /* this column has no diagonal entry; −1: none */
    double diagonal[N], beside;
    int ordering;
  } cases[] = {{false, -1, {1, 2, 3, 4}, 0.5, 0}, {false, -1, {1, 2, 3, 0}, 0.5, 1},
               {false, -1, {0, 2, 3, 4}, 0.5, 1}, {false, 0, {1, 2, 3, 4}, 0.5, 1},
               {false, 2, {1, 2, 3, 4}, 0.5, 1},  {false, 3, {1, 2, 3, 4}, 0.5, 1},
               {true, -1, {1, 2, 3, 4}, 0.5, 0},  {true, -1, {1, 2, 3, 4}, 0, 0},
               {true, -1, {1, 0, 3, 4}, 0.5, 1},  {true, 1, {1, 2, 3, 4}, 0.5, 1}};
  cmb_context *ctx = cmb_context_create(NULL);
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    const int parts = cases[k].is_complex ? 2 : 1, without = cases[k].without;
    cmb_arena *arena = cmb_arena_create(ctx);
    cmb_sparse_lu lu = {0};
    cmb_sparse_lu_take(arena, N, 2 * N, cases[k].is_complex, &lu);
    for (int pass = 0; pass < 2; pass++) {
      for (int row = 0; row < N; row++) {
        const int column[2] = {row, (row + 1) % N};
        for (int i = 0; i < 2; i++) {
          if (i == 0 && column[i] == without) continue;
          if (pass == 0) {
            cmb_sparse_lu_count(&lu, column[i]);
            continue;
          }
          const int at = parts * cmb_sparse_lu_place(&lu, row, column[i]);
          lu.value[at] = i == 0 ? cases[k].diagonal[row] : cases[k].beside;
          if (parts == 2) lu.value[at + 1] = i == 0 ? 0 : 1;
        }
      }
      if (pass == 0) cmb_sparse_lu_open(&lu);
    }
    cmb_sparse_lu_close(&lu);
    cmb_sparse_lu_factor(&lu, 0); /* without a diagonal entry the matrix may be singular */
    if (lu.common.ordering != cases[k].ordering) fail_msg("case %zu", k);
    cmb_sparse_lu_release(&lu);
    cmb_arena_destroy(arena);
  }
  cmb_context_destroy(ctx);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(residuals_are_small_for_every_size_and_kind),
      cmocka_unit_test(the_units_of_the_rows_do_not_matter),
      cmocka_unit_test(pivots_are_compared_in_the_scaled_rows),
      cmocka_unit_test(old_pivots_are_used_or_replaced),
      cmocka_unit_test(singular_matrices_are_refused),
      cmocka_unit_test(nonfinite_entries_are_refused),
      cmocka_unit_test(the_diagonal_decides_the_order),
      cmocka_unit_test(every_refused_allocation_is_survived),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
