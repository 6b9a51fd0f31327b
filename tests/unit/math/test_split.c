/*
 * Tests of the complete orthogonal decomposition (math/split.h) against singular values: rank, solutions of least squares and least norm,
 * null vectors; no decision where a singular value is in doubt; and singular values computed from the decomposition.
 */
#include "check.h"
#include "math/dense.h"
#include "math/orthogonal.h"
#include "math/split.h"
#include "random.h"

#include <string.h>

enum { MOST = 60 };

static const double ROUNDING = 1e-11, DOUBT = 1e-4;

struct matrix {
  cmb_context *ctx;
  cmb_arena *arena;
  int rows, columns;
  double A[MOST * MOST]; /* rows of unit length */
  double V[MOST * MOST], J[MOST * MOST],
      sigma[MOST]; /* J A = V with orthogonal rows of lengths sigma */
  double work[MOST * MOST], T[MOST * MOST];
  cmb_split split;
};

static void random_row(struct cmbt_random *random, int n, double *a)
{
  for (int j = 0; j < n; j++) a[j] = cmbt_random_uniform(random, -1, 1);
}

static void make_unit(int n, double *a)
{
  const double length = cmb_norm2(n, a);
  for (int j = 0; j < n; j++) a[j] /= length;
}

/* Replaces row i by a random combination of the first `free` rows plus `off` times a random row, scaled to length 1. */
static void make_dependent(struct matrix *m, struct cmbt_random *random, int i, int free,
                           double off)
{
  double *a = m->A + (ptrdiff_t)i * m->columns;
  random_row(random, m->columns, a);
  for (int j = 0; j < m->columns; j++) a[j] *= off;
  for (int k = 0; k < free; k++) {
    cmb_add_scaled(m->columns, cmbt_random_uniform(random, -1, 1), m->A + (ptrdiff_t)k * m->columns,
                   a);
  }
  make_unit(m->columns, a);
}

static void begin(struct matrix *m, struct cmbt_random *random, int rows, int columns)
{
  m->rows = rows;
  m->columns = columns;
  m->ctx = cmb_context_create(NULL);
  m->arena = cmb_arena_create(m->ctx);
  for (int i = 0; i < rows; i++) {
    random_row(random, columns, m->A + (ptrdiff_t)i * columns);
    make_unit(columns, m->A + (ptrdiff_t)i * columns);
  }
}

static void end(struct matrix *m)
{
  cmb_arena_destroy(m->arena);
  cmb_context_destroy(m->ctx);
}

/* Computes the singular values of A (V, J, sigma) and its decomposition. Returns whether the decomposition decides the rank. */
static bool factor(struct matrix *m)
{
  const size_t size = (size_t)(m->rows * m->columns) * sizeof(double);
  memcpy(m->V, m->A, size);
  cmb_orthogonal_rows(m->rows, m->columns, m->V, m->J, m->sigma);
  memcpy(m->work, m->A, size);
  cmb_split_create(m->arena, m->rows, m->columns, m->work, m->T, &m->split);
  return cmb_split_factor(&m->split, ROUNDING, DOUBT);
}

/* Solves by singular values: subtracts Σ c_i v_i from z and sets y = Σ c_i j_i/σ_i, with c_i = v_i·z + j_i·b/σ_i and unit vectors v_i. */
static void solve_by_values(const struct matrix *m, const double *b, double *z, double *y)
{
  memset(y, 0, (size_t)m->rows * sizeof *y);
  for (int i = 0; i < m->split.rank; i++) {
    const double *v = m->V + (ptrdiff_t)i * m->columns, *j = m->J + (ptrdiff_t)i * m->rows;
    const double c =
        (cmb_dot(m->columns, v, z) + cmb_dot(m->rows, j, b)) / m->sigma[i] / m->sigma[i];
    cmb_add_scaled(m->columns, -c, v, z);
    cmb_add_scaled(m->rows, c, j, y);
  }
}

static void compare_solutions(struct matrix *m, struct cmbt_random *random)
{
  double b[MOST], z[MOST], y[MOST], z_values[MOST], y_values[MOST];
  const double weakest = m->split.rank ? m->sigma[m->split.rank - 1] : 1;
  random_row(random, m->rows, b);
  random_row(random, m->columns, z);
  memcpy(z_values, z, sizeof z);
  cmb_split_solve(&m->split, b, z, y);
  solve_by_values(m, b, z_values, y_values);
  for (int j = 0; j < m->columns; j++) cmbt_near(z[j], z_values[j], 1e-13 / weakest / weakest);
  for (int i = 0; i < m->rows; i++) {
    cmbt_near(y[i], y_values[i], 1e-13 / weakest / weakest / weakest);
  }
}

static void check_null_vectors(const struct matrix *m)
{
  const int count = m->rows - m->split.rank;
  double n[MOST][MOST];
  for (int k = 0; k < count; k++) {
    cmb_split_null(&m->split, k, n[k]);
    for (int l = 0; l <= k; l++) cmbt_near(cmb_dot(m->rows, n[k], n[l]), k == l, 1e-13);
    for (int j = 0; j < m->columns; j++) {
      double sum = 0;
      for (int i = 0; i < m->rows; i++) sum += n[k][i] * m->A[i * m->columns + j];
      cmbt_near(sum, 0, 1e-12);
    }
  }
}

/* Checks cmb_split_values: J A = V with an orthogonal J and orthogonal rows of V, whose lengths are the singular values. */
static void compare_values(struct matrix *m)
{
  const int rows = m->rows, columns = m->columns;
  static double V[MOST * MOST], J[MOST * MOST];
  double sigma[MOST];
  cmb_split_values(&m->split, V, J, sigma);
  for (int i = 0; i < rows; i++) {
    const double *v = V + (ptrdiff_t)i * columns, *j = J + (ptrdiff_t)i * rows;
    cmbt_near(sigma[i], m->sigma[i], i < m->split.rank ? 1e-14 : ROUNDING);
    for (int k = 0; k <= i; k++) {
      const double square = i == k && i < m->split.rank ? sigma[i] * sigma[i] : 0;
      cmbt_near(cmb_dot(columns, v, V + (ptrdiff_t)k * columns), square, 1e-13);
      cmbt_near(cmb_dot(rows, j, J + (ptrdiff_t)k * rows), i == k, 1e-13);
    }
    for (int c = 0; c < columns; c++) {
      double sum = 0;
      for (int k = 0; k < rows; k++) sum += j[k] * m->A[k * columns + c];
      cmbt_near(v[c], sum, ROUNDING);
    }
  }
}

/* Checks ranks of random rows of which some depend on others, also with more rows than columns; every tenth matrix has a row of zeros. */
static void known_ranks_are_found(void **state)
{
  (void)state;
  struct cmbt_random random = {5};
  static struct matrix m;
  int certain = 0;
  for (int trial = 0; trial < 200; trial++) {
    const int rows = cmbt_random_int(&random, 1, MOST), columns = cmbt_random_int(&random, 1, MOST);
    const int most = rows < columns ? rows : columns, rank = cmbt_random_int(&random, 1, most);
    begin(&m, &random, rows, columns);
    for (int i = rank; i < rows; i++) make_dependent(&m, &random, i, rank, 0);
    if (trial % 10 == 0)
      memset(m.A, 0, (size_t)columns * sizeof(double)); /* a gradient that is zero */
    const bool decided = factor(&m);
    compare_values(&m);
    if (decided) {
      certain++;
      assert_true(m.split.rank == 0 || m.sigma[m.split.rank - 1] > DOUBT);
      assert_true(m.split.rank == rows || m.sigma[m.split.rank] < ROUNDING);
      compare_solutions(&m, &random);
      check_null_vectors(&m);
    }
    end(&m);
  }
  assert_true(certain > 190);
}

/* One row at a small distance from the span of others: checks that there is no decision if σ is between ROUNDING and DOUBT. */
static void doubtful_ranks_are_not_decided(void **state)
{
  (void)state;
  struct cmbt_random random = {6};
  static struct matrix m;
  int undecided = 0, certain = 0;
  for (int trial = 0; trial < 300; trial++) {
    const int rows = cmbt_random_int(&random, 3, 30), columns = rows + 10;
    begin(&m, &random, rows, columns);
    make_dependent(&m, &random, rows - 2, rows - 2, 0);
    make_dependent(&m, &random, rows - 1, rows - 2, pow(10, cmbt_random_uniform(&random, -15, 0)));
    const bool decided = factor(&m);
    const double sigma = m.sigma[rows - 2];
    compare_values(&m);
    if (decided) assert_int_equal(m.split.rank, sigma > DOUBT ? rows - 1 : rows - 2);
    if (sigma > ROUNDING && sigma < DOUBT) assert_false(decided);
    certain += decided;
    undecided += !decided;
    end(&m);
  }
  assert_true(undecided > 100 && certain > 100);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(known_ranks_are_found),
      cmocka_unit_test(doubtful_ranks_are_not_decided),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
