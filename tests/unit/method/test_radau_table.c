/*
 * Tests of the coefficients of Radau IIA: they satisfy the conditions from which they were computed, and with these the conditions of order
 * 2 s − 1 for s stages (Hairer and Wanner, Solving ODEs II, §IV.5). Sums are computed in long double from the stored doubles.
 */
#include "check.h"

#include "method/radau_table.h"

#include <math.h>
#include <stdio.h>

static const cmb_radau_table *const tables[CMB_RADAU_TABLES] = {&cmb_radau_3, &cmb_radau_5,
                                                                &cmb_radau_7};

/* Returns Σ_j x_j c_j^(k−1). */
static long double moment(const cmb_radau_table *t, const double *x, int k)
{
  long double sum = 0;
  for (int j = 0; j < t->stages; j++) sum += x[j] * powl(t->c[j], k - 1);
  return sum;
}

/* Checks B(2 s − 1): Σ_i b_i c_i^(k−1) = 1/k, C(s): Σ_j a_ij c_j^(k−1) = c_i^k/k, and D(s − 1): Σ_i b_i c_i^(k−1) a_ij =
 * b_j (1 − c_j^k)/k, for k up to the given number. They imply the order 2 s − 1 (§IV.5, Theorem 5.1). */
static void test_order(void **state)
{
  (void)state;
  for (int n = 0; n < CMB_RADAU_TABLES; n++) {
    const cmb_radau_table *t = tables[n];
    const int s = t->stages;
    const double *b = t->A + (s - 1) * s;
    long double worst = fabsl(1 - (long double)t->c[s - 1]);
    for (int k = 1; k <= 2 * s - 1; k++) worst = fmaxl(worst, fabsl(moment(t, b, k) - 1.0L / k));
    assert_true(fabsl(moment(t, b, 2 * s) - 1.0L / (2 * s)) > 1e-9L); /* the order is not higher */
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
    printf("%d stages: order conditions satisfied to %.1Le\n", s, worst);
    cmbt_below((double)worst, 1e-15);
  }
}

/* Returns (x y)_ij = Σ_k x_ik y_kj. */
static long double product(int s, const double *x, const double *y, int i, int j)
{
  long double sum = 0;
  for (int k = 0; k < s; k++) sum += (long double)x[i * s + k] * y[k * s + j];
  return sum;
}

/* Checks A A⁻¹ = I, T T⁻¹ = I, and A⁻¹ T = T Λ, where Λ has γ and the 2 x 2 blocks [α −β; β α] on its diagonal. */
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

/* Checks the error estimate h ẏ_0 + Σ_i e_i z_i: it is 0 if y is a polynomial of degree s, and for y = t^(s+1), with stages
 * z = (s + 1) A c^s, it is (s + 1) c_1 .. c_s up to the sign. So the estimate is of order s. */
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
