/*
 * The stiff double wishbone of Haug, Negrut and Engstler 1999 §6 (models/double-wishbone.yaml): errors of sdirk4 are below the tolerance in all
 * positions and velocities, for all tolerances of the paper's Table 7, with a small fraction of the evaluations of the explicit method.
 *
 * Errors are the largest over time, compared with a run at a tolerance of 1e-9. First, for all coordinates, in units of the integrator's
 * tolerance (Haug, Negrut and Engstler 1999 eq. 59) with rtol = atol: the stiff coordinates of the upper arm are the hardest. Then as in the
 * paper's eqs. (62) and (63) for the chassis, and for the wheel, also with trap, whose stiff components decay slowly.
 */
#include "check.h"
#include "model_run.h"

#include <camber/camber.h>
#include <stdio.h>

static const double EVERY = 0.01;

static void run(cmbt_run *r, const char *method, double tolerance, double t_end)
{
  cmbt_run_open(r, "double-wishbone", CMB_FORM_EXPLICIT, 0, NULL);
  cmbt_run_settle(r);
  r->method = method;
  r->rtol = r->atol = tolerance;
  cmbt_run_to(r, t_end, EVERY);
}

/* Returns the largest error of an output over time. */
static double worst(const cmbt_run *r, const cmbt_run *reference, const char *name)
{
  double most = 0;
  assert_int_equal(r->row_count, reference->row_count);
  for (int k = 0; k < r->row_count; k++) {
    most = fmax(most, fabs(cmbt_row(r, k, name) - cmbt_row(reference, k, name)));
  }
  return most;
}

/* Returns the largest error of several components, in units of the tolerance. */
static double tolerances(const cmbt_run *r, const cmbt_run *reference, int count,
                         const char *const *names)
{
  double most = 0;
  assert_int_equal(r->row_count, reference->row_count);
  for (int i = 0; i < count; i++) {
    for (int k = 0; k < r->row_count; k++) {
      const double exact = cmbt_row(reference, k, names[i]);
      const double error = fabs(cmbt_row(r, k, names[i]) - exact);
      most = fmax(most, error / (r->rtol * fabs(exact) + r->atol));
    }
  }
  return most;
}

/* Confirms the reference by bdf, which is another method with another form of the equations, within 1e-8. */
static void test_reference(void **state)
{
  const cmbt_run *reference = *state;
  cmbt_run other;
  run(&other, "bdf", 1e-11, 2);
  other.rtol = other.atol = 1e-8;
  cmbt_below(tolerances(&other, reference, other.eq->nq, other.eq->q_names), 1);
  cmbt_below(tolerances(&other, reference, other.eq->nv, other.eq->v_names), 1);
  cmbt_run_close(&other);
}

static void test_all_components(void **state)
{
  const cmbt_run *reference = *state;
  for (int k = 2; k <= 5; k++) {
    cmbt_run r;
    run(&r, "sdirk4", pow(10, -k), 2);
    const double position = tolerances(&r, reference, r.eq->nq, r.eq->q_names);
    const double velocity = tolerances(&r, reference, r.eq->nv, r.eq->v_names);
    printf("sdirk4  tolerance 1e-%d: errors %.2f, %.2f tolerances; %ld steps, %ld evaluations\n", k,
           position, velocity, r.result->statistics->accepted, r.result->statistics->f);
    cmbt_below(position, 1);
    cmbt_below(velocity, 1);
    cmbt_run_close(&r);
  }
}

static void check_errors(const char *method, const cmbt_run *reference)
{
  for (int k = 2; k <= 5; k++) {
    const double tolerance = pow(10, -k);
    cmbt_run r;
    run(&r, method, tolerance, 2);
    double position = fmax(worst(&r, reference, "height"), worst(&r, reference, "wheel"));
    double velocity = fmax(worst(&r, reference, "speed_up"), worst(&r, reference, "wheel_rate"));
    printf("%-7s tolerance 1e-%d: errors %.1e, %.1e; %ld steps, %ld evaluations\n", method, k,
           position, velocity, r.result->statistics->accepted, r.result->statistics->f);
    cmbt_below(position, tolerance);
    cmbt_below(velocity, tolerance);
    cmbt_run_close(&r);
  }
}

static void test_chassis_and_wheel(void **state)
{
  check_errors("sdirk4", *state);
  check_errors("trap", *state);
}

/* Compares evaluations for 2 s. Those of the explicit method are limited by stability and proportional to time, so that 0.1 s of it is
 * enough. */
static void test_work(void **state)
{
  (void)state;
  cmbt_run implicit, explicit;
  run(&implicit, "sdirk4", 1e-3, 2);
  run(&explicit, "abm", 1e-3, 0.1);
  const long f = implicit.result->statistics->f, f_explicit = 20 * explicit.result->statistics->f;
  printf("evaluations for 2 s at 1e-3: sdirk4 %ld, abm about %ld\n", f, f_explicit);
  assert_true(50 * f <= f_explicit);
  cmbt_run_close(&implicit);
  cmbt_run_close(&explicit);
}

static int open_reference(void **state)
{
  static cmbt_run reference;
  run(&reference, "sdirk4", 1e-9, 2);
  *state = &reference;
  return 0;
}

static int close_reference(void **state)
{
  cmbt_run_close(*state);
  return 0;
}

/* Checks that a Jacobian is used for three steps on average; evaluated in each step it would take half of all instructions. */
static void test_reuse_of_derivatives(void **state)
{
  (void)state;
  const char *const implicit_methods[] = {"sdirk4", "trap"};
  for (int m = 0; m < 2; m++) {
    cmbt_run r;
    run(&r, implicit_methods[m], 1e-4, 2);
    const cmb_statistics *s = r.result->statistics;
    printf("%-7s %ld Jacobians in %ld steps\n", implicit_methods[m], s->jacobian, s->accepted);
    assert_true(3 * s->jacobian <= s->accepted);
    cmbt_run_close(&r);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_reference),
      cmocka_unit_test(test_all_components),
      cmocka_unit_test(test_chassis_and_wheel),
      cmocka_unit_test(test_work),
      cmocka_unit_test(test_reuse_of_derivatives),
  };
  return cmocka_run_group_tests(tests, open_reference, close_reference);
}
