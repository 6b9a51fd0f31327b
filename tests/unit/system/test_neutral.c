/*
 * Tests of cmb_find_neutral with matrices of a free motion, an eigenvalue −1e5 and eigenvalues near 0: these are distinguished from 0 where
 * possible, and marked as neutral where errors of A could make them 0.
 */
#include "check.h"

#include "math/eigen.h"
#include "system/neutral.h"

#include <string.h>

enum { M = 5, WORK = 200 };

static const double FAST = -1e5, NOISE = 1e-12, BAND = 0.1;

/* Computes the eigenvalues of A, their real parts in re; returns how many are neutral. The first unknown is the displacement of a free
 * motion, the second its velocity. */
static int count_neutral(const double *A, double *re, bool *neutral)
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

/* Checks that 0.03 is distinguished from 0, with an accuracy of 1e-9; the two neutral eigenvalues are those of the free motion. */
static void test_distinct(void **state)
{
  (void)state;
  const double A[M * M] = {0, 1, 0, 0, 0, 0,  0, 0, 0, 0, 0, 7,   0.03,
                           0, 0, 0, 0, 0, -2, 0, 0, 0, 3, 0, FAST};
  double re[M];
  bool neutral[M];
  assert_int_equal(count_neutral(A, re, neutral), 2);
  for (int i = 0; i < M; i++) {
    if (!neutral[i] && fabs(re[i]) < BAND) cmbt_near(re[i], 0.03, 1e-9);
  }
}

/* Checks eigenvalues 0.03 and 0.04 with a coupling of 1e5 in A: an error of 1.2e-8 in another entry could change them to 0 and 0.07, so
 * both are neutral. */
static void test_coupled(void **state)
{
  (void)state;
  const double A[M * M] = {0,   1, 0, 0, 0, 0,    0, 0, 0, 0, 0, 0,   0.03,
                           1e5, 0, 0, 0, 0, 0.04, 0, 0, 0, 0, 0, FAST};
  double re[M];
  bool neutral[M];
  assert_int_equal(count_neutral(A, re, neutral), 4);
}

/* Checks that an eigenvalue 1e-6 is neutral, since it is hardly greater than what errors of A can cause. */
static void test_no_gap(void **state)
{
  (void)state;
  const double A[M * M] = {0, 1, 0, 0, 0, 0,  0, 0, 0, 0, 0, 0,   1e-6,
                           0, 0, 0, 0, 0, -2, 0, 0, 0, 0, 0, FAST};
  double re[M];
  bool neutral[M];
  assert_int_equal(count_neutral(A, re, neutral), 3);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_distinct),
      cmocka_unit_test(test_coupled),
      cmocka_unit_test(test_no_gap),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
