/*
 * The coefficients of Radau IIA: they fulfil the conditions that they are made from, and with them those of order 2 s − 1 (Hairer and
 * Wanner, Solving ODEs II, §IV.5). Computed in long double from the doubles that the methods have.
 */
#include "check.h"

#include "method/radau_table.h"

#include <math.h>
#include <stdio.h>

static const cmb_radau_table *const tables[CMB_RADAU_TABLES] = {&cmb_radau_3, &cmb_radau_5,
                                                                &cmb_radau_7};

/* Σ_j x_j c_j^(k−1) */
static long double moment(const cmb_radau_table *t, const double *x, int k)
{
  long double sum = 0;
  for (int j = 0; j < t->stages; j++) sum += x[j] * powl(t->c[j], k - 1);
  return sum;
}

/* B(2 s − 1), C(s), and D(s − 1): Σ_i b_i c_i^(k−1) a_ij = b_j (1 − c_j^k)/k. Together they give order 2 s − 1 (§IV.5, Theorem 5.1). */
static void test_order(void **state)
{
  (void)state;
  for (int n = 0; n < CMB_RADAU_TABLES; n++) {
    const cmb_radau_table *t = tables[n];
    const int s = t->stages;
    const double *b = t->A + (s - 1) * s;
    long double worst = fabsl(1 - (long double)t->c[s - 1]);
    for (int k = 1; k <= 2 * s - 1; k++) worst = fmaxl(worst, fabsl(moment(t, b, k) - 1.0L / k));
    assert_true(fabsl(moment(t, b, 2 * s) - 1.0L / (2 * s)) > 1e-9L); /* and no higher one */
    for (int k = 1; k <= s; k++) {
      for (int i = 0; i < s; i++) {
        const long double wanted = powl(t->c[i], k) / k;
        worst = fmaxl(worst, fabsl(moment(t, t->A + i * s, k) - wanted));
      }
    }
    for (int k = 1; k < s; k++) {
      for (int j = 0; j < s; j++) {
        long double sum = 0;
        for (int i = 0; i < s; i++) sum += b[i] * powl(t->c[i], k - 1) * t->A[i * s + j];
        worst = fmaxl(worst, fabsl(sum - b[j] * (1 - powl(t->c[j], k)) / k));
      }
    }
    printf("%d stages: conditions met to %.1Le\n", s, worst);
    cmbt_below((double)worst, 1e-15);
  }
}

/* Σ_k x_ik y_kj */
static long double product(int s, const double *x, const double *y, int i, int j)
{
  long double sum = 0;
  for (int k = 0; k < s; k++) sum += (long double)x[i * s + k] * y[k * s + j];
  return sum;
}

/* A A⁻¹ = I, T T⁻¹ = I, A⁻¹ T = T Λ */
static void test_matrices(void **state)
{
  (void)state;
  for (int n = 0; n < CMB_RADAU_TABLES; n++) {
    const cmb_radau_table *t = tables[n];
    const int s = t->stages;
    double diagonal[CMB_RADAU_MOST * CMB_RADAU_MOST] = {t->gamma};
    long double worst = 0;
    for (int k = 0; k < s / 2; k++) {
      const int i = 1 + 2 * k, j = i + 1;
      diagonal[i * s + i] = diagonal[j * s + j] = t->alpha[k];
      diagonal[i * s + j] = -t->beta[k], diagonal[j * s + i] = t->beta[k];
    }
    for (int i = 0; i < s; i++) {
      for (int j = 0; j < s; j++) {
        const long double one = i == j;
        worst = fmaxl(worst, fabsl(product(s, t->A, t->A_inverse, i, j) - one));
        worst = fmaxl(worst, fabsl(product(s, t->T, t->T_inverse, i, j) - one));
        worst = fmaxl(
            worst, fabsl(product(s, t->A_inverse, t->T, i, j) - product(s, t->T, diagonal, i, j)));
      }
    }
    printf("%d stages: matrices agree to %.1Le\n", s, worst);
    cmbt_below((double)worst, 1e-12);
  }
}

/* The estimate: Σ e_i z_i/h takes away the slope where a step begins, if y is a polynomial of degree s; and for y = t^(s+1), whose stages are
 * z = A (s + 1) c^s, it is (s + 1) c_1 .. c_s: the estimate is of order s. */
static void test_estimate(void **state)
{
  (void)state;
  for (int n = 0; n < CMB_RADAU_TABLES; n++) {
    const cmb_radau_table *t = tables[n];
    const int s = t->stages;
    long double nodes = 1, next = 0;
    for (int k = 1; k <= s; k++) {
      cmbt_near((double)moment(t, t->e, k + 1), k == 1 ? -1 : 0, 1e-13);
    }
    for (int i = 0; i < s; i++) {
      nodes *= t->c[i];
      next += t->e[i] * moment(t, t->A + i * s, s + 1);
    }
    cmbt_near((double)(fabsl(next) / nodes), 1, 1e-9);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_order), cmocka_unit_test(test_matrices),
                                     cmocka_unit_test(test_estimate)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
