/*
 * The implicit methods agree with mdop853 on bundled models: at tolerances 1e-4, 1e-6 and 1e-8 the error at the end of the run,
 *
 *     max over q and v of |error| / (atol/rtol + |value|) / rtol,
 *
 * is at most 20, but for bdf at 1e-8 (100: the errors of thousands of steps add up) and radau5, whose error estimate is of order 3 and
 * held to 0.1 rtol^(2/3), as in RADAU5: 30 and 100 at the two smaller tolerances in ggl, more in index 3, where velocities count only h
 * times. The reference is mdop853 with 1e-11. The runs are so short that the models themselves do not make errors grow:
 * mdop853 keeps to the same limit with these tolerances. Multipliers are looked at where nothing else is free. trap, of order 2, is spared 1e-8.
 */
#include "check.h"
#include "model_run.h"

#include <stdio.h>
#include <string.h>

enum { MOST = 64, TOLERANCES = 3 };

static const double usual[TOLERANCES] = {20, 20, 20}, of_bdf[TOLERANCES] = {20, 20, 100},
                    of_index3[TOLERANCES] = {100, 500, 2000}, of_ggl[TOLERANCES] = {20, 30, 100};

struct model {
  const char *name;
  double t_end;
  bool settled; /* from an equilibrium */
};

static const struct model models[] = {
    {"fivelink", 0.5, true},  {"slider-crank", 0.04, false}, {"four-bar", 0.1, false},
    {"car-axis", 0.3, false}, {"quarter-car", 0.3, true},
};

enum { MODELS = sizeof models / sizeof models[0] };

/* q and v at the end; returns how many numbers. */
static int end_of(const struct model *m, const char *method, const char *form, double rtol,
                  double y[MOST])
{
  cmbt_run r;
  cmbt_run_open(&r, m->name, CMB_FORM_EXPLICIT, 0, NULL);
  if (m->settled) cmbt_run_settle(&r);
  r.method = method;
  r.form = form;
  r.rtol = rtol;
  cmbt_run_to(&r, m->t_end, 0);
  const int nq = r.eq->nq, n = nq + r.eq->nv;
  assert_true(n <= MOST);
  memcpy(y, r.result->q, (size_t)nq * sizeof *y);
  memcpy(y + nq, r.result->v, (size_t)(n - nq) * sizeof *y);
  cmbt_run_close(&r);
  return n;
}

static double error_of(const struct model *m, const char *method, const char *form, double rtol,
                       const double exact[MOST])
{
  double most = 0, y[MOST];
  const int n = end_of(m, method, form, rtol, y);
  for (int i = 0; i < n; i++) {
    most = fmax(most, fabs(y[i] - exact[i]) / (CMB_ATOL_PER_RTOL + fabs(exact[i])) / rtol);
  }
  return most;
}

static double exact[MODELS][MOST];

static int make_references(void **state)
{
  (void)state;
  for (int k = 0; k < MODELS; k++) end_of(&models[k], "mdop853", NULL, 1e-11, exact[k]);
  return 0;
}

static void check_method(const char *method, const char *form, int tolerances,
                         const double limit[TOLERANCES])
{
  int above = 0;
  for (int k = 0; k < MODELS; k++) {
    printf("%-12s %-9s %-5s error/tolerance", models[k].name, method, form ? form : "");
    for (int i = 0; i < tolerances; i++) {
      const double rtol = pow(10, -4 - 2 * i),
                   error = error_of(&models[k], method, form, rtol, exact[k]);
      printf("  %.0e: %-8.3g", rtol, error);
      above += !(error <= limit[i]);
    }
    printf("\n");
  }
  if (above > 0) fail_msg("%s: %d errors above the limit", method, above);
}

static void test_fair(void **state)
{
  (void)state;
  check_method("mdop853", NULL, TOLERANCES, usual);
}

static void test_bdf(void **state)
{
  (void)state;
  check_method("bdf", NULL, TOLERANCES, of_bdf);
}

static void test_radau5(void **state)
{
  (void)state;
  check_method("radau5", "ggl", TOLERANCES, of_ggl);
  check_method("radau5", NULL, TOLERANCES, of_index3);
}

static void test_sdirk4(void **state)
{
  (void)state;
  check_method("sdirk4", NULL, TOLERANCES, usual);
}

static void test_forsdirk(void **state)
{
  (void)state;
  check_method("forsdirk", NULL, TOLERANCES, usual);
}

static void test_trap(void **state)
{
  (void)state;
  check_method("trap", NULL, TOLERANCES - 1, usual);
}

/* λ of the slider-crank, whose motor leaves nothing free: q and v say nothing about whether it is right. */
static void multipliers(const char *method, double rtol, double lambda[3])
{
  cmbt_run r;
  cmbt_run_open(&r, "slider-crank", CMB_FORM_EXPLICIT, 0, NULL);
  r.method = method;
  r.rtol = rtol;
  cmbt_run_to(&r, 0.1, 0);
  assert_int_equal(r.eq->ng, 3);
  memcpy(lambda, r.result->lambda, 3 * sizeof *lambda);
  cmbt_run_close(&r);
}

static void check_multipliers(const char *method)
{
  double right[3], lambda[3], most = 0;
  multipliers("mdop853", 1e-11, right);
  for (int i = 0; i < 3; i++) most = fmax(most, fabs(right[i]));
  for (int k = 4; k <= 8; k += 2) {
    multipliers(method, pow(10, -k), lambda);
    double off = 0;
    for (int i = 0; i < 3; i++) off = fmax(off, fabs(lambda[i] - right[i]) / most);
    printf("slider-crank %-9s 1e-%d: multipliers off by %.2g\n", method, k, off);
    cmbt_below(off, 0.01);
  }
}

static void test_multipliers_of_bdf(void **state)
{
  (void)state;
  check_multipliers("bdf");
}

static void test_multipliers_of_radau5(void **state)
{
  (void)state;
  check_multipliers("radau5");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_fair),
      cmocka_unit_test(test_bdf),
      cmocka_unit_test(test_radau5),
      cmocka_unit_test(test_sdirk4),
      cmocka_unit_test(test_trap),
      cmocka_unit_test(test_forsdirk),
      cmocka_unit_test(test_multipliers_of_bdf),
      cmocka_unit_test(test_multipliers_of_radau5),
  };
  return cmocka_run_group_tests(tests, make_references, NULL);
}
