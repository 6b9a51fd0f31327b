/*
 * Patterns: products against the dense ones, and column groups: valid, and as few as there can be where
 * that number is known.
 */
#include "check.h"
#include "math/finite.h"
#include "math/pattern.h"
#include "random.h"

#include <float.h>
#include <limits.h>
#include <stdbool.h>
#include <string.h>

enum { LARGEST = 40 };

/* A pattern with room, filled from a table of what is there. */
struct grid {
  cmb_pattern pattern;
  int start[LARGEST + 1], column[LARGEST * LARGEST];
  bool there[LARGEST][LARGEST];
};

static void grid_close(struct grid *g, int rows, int columns)
{
  int at = 0;
  for (int i = 0; i < rows; i++) {
    g->start[i] = at;
    for (int j = 0; j < columns; j++) {
      if (g->there[i][j]) g->column[at++] = j;
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
    for (int j = 0; j < columns; j++) g->there[i][j] = cmbt_random_uniform(random, 0, 1) < density;
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
  for (int trial = 0; trial < 200; trial++) { /* whole numbers: all sums are exact */
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

/* ---- groups of columns */

/* Groups of a valid colouring; asserts that it is one, and that work is not overrun. */
static int colours(const cmb_pattern *p)
{
  int group[LARGEST], work[3 * LARGEST + 1], last[LARGEST];
  const int room = 2 * p->columns + p->rows;
  work[room] = INT_MIN;
  int groups = cmb_colour_columns(p, group, work);
  assert_int_equal(work[room], INT_MIN);
  bool used[LARGEST] = {false};
  for (int j = 0; j < p->columns; j++) {
    assert_in_range(group[j], 0, groups - 1);
    used[group[j]] = true;
  }
  for (int k = 0; k < groups; k++) assert_true(used[k]);
  for (int k = 0; k < LARGEST; k++) last[k] = -1;
  for (int i = 0; i < p->rows; i++) {
    for (int k = p->start[i]; k < p->start[i + 1]; k++) {
      int g = group[p->column[k]];
      assert_int_not_equal(last[g], i); /* the group has no other entry in this row */
      last[g] = i;
    }
  }
  return groups;
}

/* All columns of a row must be in different groups: no colouring has fewer than the longest row. */
static int longest_row(const cmb_pattern *p)
{
  int longest = 0;
  for (int i = 0; i < p->rows; i++) {
    int length = p->start[i + 1] - p->start[i];
    if (length > longest) longest = length;
  }
  return longest;
}

static void random_patterns_are_coloured_validly(void **state)
{
  (void)state;
  struct cmbt_random random = {2};
  static struct grid g;
  for (int trial = 0; trial < 300; trial++) {
    int rows = cmbt_random_int(&random, 1, LARGEST), columns = cmbt_random_int(&random, 1, LARGEST);
    random_grid(&g, &random, rows, columns, cmbt_random_uniform(&random, 0, 0.3));
    int groups = colours(&g.pattern);
    assert_in_range(groups, longest_row(&g.pattern) > 0 ? longest_row(&g.pattern) : 1, columns);
  }
}

static void bands_take_their_width(void **state)
{
  (void)state;
  static struct grid g;
  for (int n = 1; n <= LARGEST; n++) {
    for (int width = 0; width <= 5; width++) { /* 0: diagonal */
      memset(&g, 0, sizeof g);
      for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) g.there[i][j] = j >= i - width && j <= i + width;
      }
      grid_close(&g, n, n);
      assert_int_equal(colours(&g.pattern), longest_row(&g.pattern));
    }
  }
}

/* A full column beside a diagonal: two groups. A full row: every column for itself. */
static void arrows(void **state)
{
  (void)state;
  static struct grid g;
  for (int n = 2; n <= LARGEST; n++) {
    memset(&g, 0, sizeof g);
    for (int i = 0; i < n; i++) g.there[i][i] = g.there[i][n / 2] = true;
    grid_close(&g, n, n);
    assert_int_equal(colours(&g.pattern), 2);
    for (int j = 0; j < n; j++) g.there[n - 1][j] = true;
    grid_close(&g, n, n);
    assert_int_equal(colours(&g.pattern), n);
  }
}

/* Seed 001, eq. (19): columns {1, 5}, {2, 4, 6} and {3}. */
static void the_example_of_seed_001_takes_three(void **state)
{
  (void)state;
  static const char *const rows[6] = {"*..*..", "***...", "*.*..*", "...**.", ".**.*.", "**...."};
  static struct grid g;
  memset(&g, 0, sizeof g);
  for (int i = 0; i < 6; i++) {
    for (int j = 0; j < 6; j++) g.there[i][j] = rows[i][j] == '*';
  }
  grid_close(&g, 6, 6);
  assert_int_equal(colours(&g.pattern), 3);
}

static void empty_columns_and_rows_are_no_trouble(void **state)
{
  (void)state;
  static struct grid g;
  memset(&g, 0, sizeof g);
  grid_close(&g, 5, 4);
  assert_int_equal(colours(&g.pattern), 1);
  grid_close(&g, 0, 4);
  assert_int_equal(colours(&g.pattern), 1);
  grid_close(&g, 5, 0);
  int group[1], work[5];
  assert_int_equal(cmb_colour_columns(&g.pattern, group, work), 0);
}

/* ---- finite.h */

static void nothing_that_is_not_finite_passes(void **state)
{
  (void)state;
  double x[9] = {DBL_MAX, -DBL_MAX, DBL_MAX, 0, -0.0, 5e-324, 1, 2, 3};
  assert_true(cmb_all_finite(9, x)); /* although their sum is not */
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
      cmocka_unit_test(random_patterns_are_coloured_validly),
      cmocka_unit_test(bands_take_their_width),
      cmocka_unit_test(arrows),
      cmocka_unit_test(the_example_of_seed_001_takes_three),
      cmocka_unit_test(empty_columns_and_rows_are_no_trouble),
      cmocka_unit_test(nothing_that_is_not_finite_passes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
