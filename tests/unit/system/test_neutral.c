/*
 * Slow eigenvalues beside a fast one and a free motion: told from 0 where that can be done, and neutral where what is taken out would change them.
 */
#include "check.h"

#include "math/eigen.h"
#include "system/neutral.h"

#include <string.h>

enum { M = 5, WORK = 200 };

static const double FAST = -1e5, NOISE = 1e-12, BAND = 0.1;

/* How many eigenvalues of A are neutral; re has them. A free motion's displacement is the first unknown, its velocity the second. */
static int find(const double *A, double *re, bool *neutral)
{
  double copy[M * M], im[M], V[M * M], work[WORK];
  int count = 0;
  assert_true(cmb_neutral_work(M) <= WORK);
  memcpy(copy, A, sizeof copy);
  assert_true(cmb_eigen_general(M, copy, re, im, V, work));
  cmb_find_neutral(1, M, A, NOISE, BAND, re, im, neutral, work);
  for (int i = 0; i < M; i++) count += neutral[i];
  return count;
}

static void test_alone(void **state)
{
  (void)state;
  const double A[M * M] = {0, 1, 0, 0, 0, 0,  0, 0, 0, 0, 0, 7,   0.03,
                           0, 0, 0, 0, 0, -2, 0, 0, 0, 3, 0, FAST};
  double re[M];
  bool neutral[M];
  assert_int_equal(find(A, re, neutral), 2);
  for (int i = 0; i < M; i++) {
    if (!neutral[i] && fabs(re[i]) < BAND) cmbt_near(re[i], 0.03, 1e-9);
  }
}

/* Two slow ones with so strong a coupling that rounding of A could make them 0 and their sum. */
static void test_coupled(void **state)
{
  (void)state;
  const double A[M * M] = {0,   1, 0, 0, 0, 0,    0, 0, 0, 0, 0, 0,   0.03,
                           1e5, 0, 0, 0, 0, 0.04, 0, 0, 0, 0, 0, FAST};
  double re[M];
  bool neutral[M];
  assert_int_equal(find(A, re, neutral), 4);
}

/* One that is hardly above what counts as 0. */
static void test_no_gap(void **state)
{
  (void)state;
  const double A[M * M] = {0, 1, 0, 0, 0, 0,  0, 0, 0, 0, 0, 0,   1e-6,
                           0, 0, 0, 0, 0, -2, 0, 0, 0, 0, 0, FAST};
  double re[M];
  bool neutral[M];
  assert_int_equal(find(A, re, neutral), 3);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_alone),
      cmocka_unit_test(test_coupled),
      cmocka_unit_test(test_no_gap),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
