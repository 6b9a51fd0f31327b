/*
 * Tests of sparsity patterns (math/pattern.h): products against those of dense matrices; and of the check for finite numbers (finite.h).
 */
#include "check.h"
#include "math/finite.h"
#include "math/pattern.h"
#include "random.h"

#include <float.h>
#include <stdbool.h>
#include <string.h>

enum { LARGEST = 40 };

/* A pattern (rows in start, column), made from a table that says whether entry (i, j) is in it. */
struct grid {
  cmb_pattern pattern;
  int start[LARGEST + 1], column[LARGEST * LARGEST];
  bool present[LARGEST][LARGEST];
};

static void grid_close(struct grid *g, int rows, int columns)
{
  int at = 0;
  for (int i = 0; i < rows; i++) {
    g->start[i] = at;
    for (int j = 0; j < columns; j++) {
      if (g->present[i][j]) g->column[at++] = j;
    }
  }
  g->start[rows] = at;
  g->pattern = (cmb_pattern){rows, columns, g->start, g->column};
}

static void random_grid(struct grid *g, struct cmbt_random *random, int rows, int columns,
                        double density)
{
  memset(g, 0, sizeof *g);
  for (int i = 0; i < rows; i++) {
    for (int j = 0; j < columns; j++)
      g->present[i][j] = cmbt_random_uniform(random, 0, 1) < density;
  }
  grid_close(g, rows, columns);
}

/* ---- products */

static void products_agree_with_dense_ones(void **state)
{
  (void)state;
  struct cmbt_random random = {1};
  static struct grid g;
  static double dense[LARGEST * LARGEST], sparse[LARGEST * LARGEST];
  for (int trial = 0; trial < 200; trial++) { /* integers, so all sums are exact */
    int rows = cmbt_random_int(&random, 0, LARGEST), columns = cmbt_random_int(&random, 1, LARGEST);
    random_grid(&g, &random, rows, columns, cmbt_random_uniform(&random, 0, 1));
    double x[LARGEST], y[LARGEST], y_sparse[LARGEST], z[LARGEST], z_sparse[LARGEST];
    memset(dense, 0, sizeof dense);
    for (int i = 0; i < rows; i++) {
      for (int k = g.start[i]; k < g.start[i + 1]; k++) {
        sparse[k] = dense[i * columns + g.column[k]] = cmbt_random_int(&random, -9, 9);
      }
    }
    for (int k = 0; k < LARGEST; k++) {
      x[k] = cmbt_random_int(&random, -9, 9);
      z[k] = z_sparse[k] = cmbt_random_int(&random, -9, 9);
    }
    cmb_multiply(NULL, rows, columns, dense, x, y);
    cmb_multiply(&g.pattern, rows, columns, sparse, x, y_sparse);
    for (int i = 0; i < rows; i++) {
      double sum = 0;
      for (int j = 0; j < columns; j++) sum += dense[i * columns + j] * x[j];
      assert_true(y[i] == sum && y_sparse[i] == sum);
    }
    double z0[LARGEST];
    memcpy(z0, z, sizeof z0);
    cmb_multiply_transposed_add(NULL, rows, columns, dense, -2, x, z);
    cmb_multiply_transposed_add(&g.pattern, rows, columns, sparse, -2, x, z_sparse);
    for (int j = 0; j < columns; j++) {
      double sum = z0[j];
      for (int i = 0; i < rows; i++) sum -= 2 * dense[i * columns + j] * x[i];
      assert_true(z[j] == sum && z_sparse[j] == sum);
    }
    assert_int_equal(cmb_pattern_values(&g.pattern, rows, columns), g.start[rows]);
    assert_int_equal(cmb_pattern_values(NULL, rows, columns), rows * columns);
  }
}

/* ---- finite.h */

static void every_nonfinite_entry_is_found(void **state)
{
  (void)state;
  double x[9] = {DBL_MAX, -DBL_MAX, DBL_MAX, 0, -0.0, 5e-324, 1, 2, 3};
  assert_true(cmb_all_finite(9, x)); /* although their sum is not finite */
  assert_true(cmb_all_finite(0, NULL));
  const double bad[] = {NAN, INFINITY, -INFINITY};
  for (int i = 0; i < 9; i++) {
    for (int k = 0; k < 3; k++) {
      double kept = x[i];
      x[i] = bad[k];
      assert_false(cmb_all_finite(9, x));
      x[i] = kept;
    }
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(products_agree_with_dense_ones),
      cmocka_unit_test(every_nonfinite_entry_is_found),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
