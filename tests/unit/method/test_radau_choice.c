/*
 * Tests of the choice of the order of radau, known from the degree of its dense output, which is the number of stages: a given order is
 * kept; control=classic chooses by RADAU's rule; control=strict raises the order where this saves work and lowers it where it does not.
 */
#include "check.h"

#include "method/integrator.h"

#include <camber/camber.h>
#include <stdio.h>

struct history {
  int first, last, most;
  long rises, falls;
};

static void record_order(const cmb_integrator *in, struct history *s)
{
  int nodes;
  const int degree = cmb_integrator_dense_degree(in);
  assert_non_null(cmb_integrator_nodes(in, &nodes));
  assert_int_equal(nodes, degree);
  if (s->last == 0) s->first = s->last = degree;
  s->rises += degree > s->last;
  s->falls += degree < s->last;
  s->last = degree;
  if (degree > s->most) s->most = degree;
}

/* Solves the problem twice, checks that the second run is not influenced by the first, and returns the orders of the run. */
static struct history run(const char *problem, double tolerance, cmb_option_setting setting)
{
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_system *system;
  cmb_integrator *in;
  cmb_integrator_options options = cmb_integrator_defaults();
  struct history s[2] = {{0}, {0}};
  options.rtol = options.atol = tolerance;
  options.settings = &setting;
  options.setting_count = 1;
  cmbt_ok(ctx, cmb_problem_create(ctx, cmb_problem_find(problem), 0, NULL, &system));
  const cmb_equations *eq = cmb_system_equations(system);
  const double t_end = cmb_system_t_end(system);
  cmbt_ok(ctx, cmb_integrator_create(ctx, eq, cmb_method_find("radau"), &options, &in));
  for (int k = 0; k < 2; k++) {
    cmbt_ok(ctx, cmb_integrator_begin(in, 0, cmb_system_q(system), cmb_system_v(system)));
    while (cmb_integrator_t(in) < t_end) {
      cmbt_ok(ctx, cmb_integrator_step(in, t_end));
      record_order(in, &s[k]);
    }
  }
  assert_memory_equal(&s[0], &s[1], sizeof s[0]);
  cmb_integrator_destroy(in);
  cmb_system_destroy(system);
  cmb_context_destroy(ctx);
  printf("%-14s %.0e %s=%-7s up to %d stages, %ld rises, %ld falls\n", problem, tolerance,
         setting.name, setting.value, s[0].most, s[0].rises, s[0].falls);
  return s[0];
}

static void test_given(void **state)
{
  (void)state;
  static const char *const orders[] = {"5", "9", "13"};
  for (int i = 0; i < 3; i++) {
    const struct history s = run("caraxis", 1e-6, (cmb_option_setting){"order", orders[i]});
    assert_int_equal(s.first, 3 + 2 * i);
    assert_int_equal(s.rises + s.falls, 0);
  }
}

/* With control=classic, as in the code RADAU of Hairer and Wanner, the order stays 5 for a tolerance of 1e-4 (Test Set, Table II.17.2: the
 * steps are those of RADAU5) and rises for 1e-10. */
static void test_classic(void **state)
{
  (void)state;
  const cmb_option_setting classic = {"control", "classic"};
  assert_int_equal(run("caraxis", 1e-4, classic).most, 3);
  assert_int_equal(run("caraxis", 1e-10, classic).most, 5);
}

static void test_strict(void **state)
{
  (void)state;
  const cmb_option_setting strict = {"control", "strict"};
  long falls = 0;
  for (double tolerance = 1e-4; tolerance > 5e-11; tolerance /= 10) {
    const struct history s = run("caraxis", tolerance, strict);
    assert_int_equal(s.first, 3);
    assert_int_equal(s.most, 7);
    falls += s.falls + run("pendulum", tolerance, strict).falls;
  }
  assert_true(falls > 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_given), cmocka_unit_test(test_classic),
                                     cmocka_unit_test(test_strict)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
