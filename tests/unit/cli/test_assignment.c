/*
 * Tests of the assignment problem (cli/assignment.h): the sum of the costs equals the least sum over all assignments, for random costs and
 * for many equal costs; an example in which choosing the cheapest pair first does not lead to the least sum.
 */
#include "check.h"
#include "random.h"

#include "cli/assignment.h"

enum { MOST = 6 };

/* Returns the least sum of costs of the rows `row`, ..., rows-1, found by trying all assignments to the columns whose bit is not set in
 * `taken`. */
static double least_sum(int rows, int columns, const double *cost, int row, unsigned taken)
{
  double least = INFINITY;
  if (row == rows) return 0;
  for (int j = 0; j < columns; j++) {
    if (taken & 1u << j) continue;
    const double rest = least_sum(rows, columns, cost, row + 1, taken | 1u << j);
    least = fmin(least, cost[row * columns + j] + rest);
  }
  return least;
}

/* Checks that cli_assign gives each row a column of its own and that the sum of the costs is the least one. */
static void assert_least_sum(int rows, int columns, const double *cost)
{
  int column[MOST] = {0};
  unsigned taken = 0;
  double sum = 0;
  assert_true(cli_assign(rows, columns, cost, column));
  for (int i = 0; i < rows; i++) {
    assert_in_range(column[i], 0, columns - 1);
    assert_false(taken & 1u << column[i]);
    taken |= 1u << column[i];
    sum += cost[i * columns + column[i]];
  }
  cmbt_near(sum, least_sum(rows, columns, cost, 0, 0), 1e-12 * (1 + fabs(sum)));
}

static void test_random(void **state)
{
  (void)state;
  struct cmbt_random r = {7};
  const int cases = cmbt_count("CAMBER_ASSIGNMENTS", 2000);
  for (int k = 0; k < cases; k++) {
    const int columns = cmbt_random_int(&r, 1, MOST), rows = cmbt_random_int(&r, 0, columns);
    const bool whole = k % 2; /* costs are integers from -2 to 2, so that many are equal */
    double cost[MOST * MOST];
    for (int i = 0; i < rows * columns; i++) {
      cost[i] = whole ? cmbt_random_int(&r, -2, 2) : cmbt_random_uniform(&r, -1, 1);
    }
    assert_least_sum(rows, columns, cost);
  }
}

/* Checks that the sum 2 + 2 is chosen: the cheapest pair is (0, 0), but with it the sum would be 1 + 10. */
static void test_not_greedy(void **state)
{
  (void)state;
  const double cost[4] = {1, 2, 2, 10};
  int column[2];
  assert_true(cli_assign(2, 2, cost, column));
  assert_int_equal(column[0], 1);
  assert_int_equal(column[1], 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_random),
                                     cmocka_unit_test(test_not_greedy)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
