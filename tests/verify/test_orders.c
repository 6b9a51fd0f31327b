/*
 * Observed orders of convergence with fixed steps, for every explicit method, on the car axis and the pendulum, with projection after each
 * step and without (the half-explicit methods satisfy the velocity constraints by themselves).
 *
 * The error is the root mean square over points along the trajectory, against references that do not use the library; at a single end
 * point the error may happen to be near zero, which hides its order. For mdop853 the pendulum only falls from 2 rad to about the lowest
 * point: over whole swings the symmetry of the motion cancels the leading error term, and orders from 1 to 14 are observed between
 * neighbouring step sizes.
 */
#include "check.h"
#include "fixed_steps.h"

#include <stdio.h>

enum { LEVELS = 3 };

struct expected {
  const char *method;
  const struct cmbt_trajectory *problem[2];
  int steps[2][LEVELS];            /* per problem: steps in a section */
  double order, tolerance;         /* of q and v */
  double lambda, lambda_tolerance; /* order of λ; 0: not checked */
};

static const struct expected methods[] = {
    {"mdop5",
     {&cmbt_caraxis, &cmbt_pendulum_swings},
     {{30, 60, 120}, {20, 40, 80}},
     5,
     0.2,
     5,
     0.2},
    {"mdop853", {&cmbt_caraxis, &cmbt_pendulum_fall}, {{8, 12, 16}, {3, 4, 5}}, 8, 0.3, 0, 0},
    {"hem5", {&cmbt_caraxis, &cmbt_pendulum_swings}, {{40, 80, 160}, {20, 40, 80}}, 5, 0.2, 3, 0.2},
    {"phem56",
     {&cmbt_caraxis, &cmbt_pendulum_swings},
     {{20, 40, 80}, {20, 40, 80}},
     5,
     0.2,
     5,
     0.2},
};

static void check_orders(cmb_context *ctx, const struct expected *m, int p, const char *projection)
{
  const struct cmbt_trajectory *problem = m->problem[p];
  const cmb_option_setting setting = {"projection", projection};
  const int *steps = m->steps[p];
  struct cmbt_errors e[LEVELS];
  for (int k = 0; k < LEVELS; k++) {
    e[k] = cmbt_fixed_errors(ctx, problem, m->method, 1, &setting, 0, steps[k]);
  }
  const struct cmbt_errors fine = e[LEVELS - 1];
  const struct cmbt_errors order =
      cmbt_orders(e[LEVELS - 2], fine, steps[LEVELS - 2], steps[LEVELS - 1]);
  printf("%-9s %-8s projection=%-8s order q %.2f, v %.2f, lambda %.2f (errors %.1e, %.1e, %.1e)\n",
         problem->name, m->method, projection, order.q, order.v, order.lambda, fine.q, fine.v,
         fine.lambda);
  cmbt_near(order.q, m->order, m->tolerance);
  cmbt_near(order.v, m->order, m->tolerance);
  if (m->lambda > 0) cmbt_near(order.lambda, m->lambda, m->lambda_tolerance);
}

static void check_method(const struct expected *m)
{
  cmb_context *ctx = cmb_context_create(NULL);
  for (int p = 0; p < 2; p++) {
    check_orders(ctx, m, p, "every");
    check_orders(ctx, m, p, "none");
  }
  cmb_context_destroy(ctx);
}

static void test_mdop5(void **state)
{
  (void)state;
  check_method(&methods[0]);
}

static void test_mdop853(void **state)
{
  (void)state;
  check_method(&methods[1]);
}

static void test_hem5(void **state)
{
  (void)state;
  check_method(&methods[2]);
}

static void test_phem56(void **state)
{
  (void)state;
  check_method(&methods[3]);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_mdop5),
      cmocka_unit_test(test_mdop853),
      cmocka_unit_test(test_hem5),
      cmocka_unit_test(test_phem56),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
