/*
 * Shows that the implicit methods agree with mdop853 on bundled models: at tolerances 1e-4, 1e-6 and 1e-8 the error at the end of the run,
 *
 *     max over q and v of |error| / (atol/rtol + |value|) / rtol,
 *
 * is at most 20. The reference is mdop853 with 1e-11. The runs are so short that the models themselves do not make errors grow: mdop853
 * stays below the same limit with these tolerances. Multipliers are checked on a model without degrees of freedom. trap, of order 2, is not
 * run with 1e-8.
 *
 * radau5, radau and bdf stay below the limit between these tolerances, too: their errors are proportional to the tolerance. With
 * control=classic they are not: radau5 then holds an estimate of order 3 to 0.1 rtol^(2/3), and errors of velocities of index 3 count only h
 * times; with bdf the errors of thousands of steps add up.
 *
 * bdf stays below the limit in Cartesian coordinates as well.
 *
 * A spinning body makes errors grow: the angle of a wheel that is too fast by one tolerance has an error of as many tolerances as it has
 * turned by radians. There errors are compared with the change at the end when the start is faster by one tolerance, found by mdop853 with
 * 1e-11. Error norms that average over all bodies hide the errors of a wheel, and rounding errors of an iteration hide those of a step; these
 * tests would show both.
 *
 * forsdirk stays below the limit at random tolerances between 1e-3 and 1e-5 on the quarter car, whose road begins and ends within a step:
 * there the run continues from the dense output, dependent velocities included. CAMBER_TOLERANCES sets the number of tolerances.
 */
#include "check.h"
#include "model_run.h"
#include "random.h"

#include <stdio.h>
#include <string.h>

enum { MOST = 128, TOLERANCES = 3 };

static const double usual[TOLERANCES] = {20, 20, 20}, of_bdf[TOLERANCES] = {20, 20, 100},
                    of_classic[TOLERANCES] = {20, 30, 100};

/* With control=classic, radau holds the estimate of order 13 to 0.1 rtol^(4/7), 270 tolerances at 1e-8, and errors are as large where the
 * motion is not smooth. */
static const double of_radau_classic[TOLERANCES] = {20, 30, 270};

/* A method with the options form and control; NULL: the method's default. */
struct variant {
  const char *method, *form, *control;
};

struct model {
  const char *name;
  double t_end;
  bool settled; /* the run starts from an equilibrium */
  cmb_formulation formulation;
};

static const struct model models[] = {
    {"fivelink", 0.5, true, CMB_FORM_EXPLICIT},    {"slider-crank", 0.04, false, CMB_FORM_EXPLICIT},
    {"four-bar", 0.1, false, CMB_FORM_EXPLICIT},   {"car-axis", 0.3, false, CMB_FORM_EXPLICIT},
    {"quarter-car", 0.3, true, CMB_FORM_EXPLICIT},
};

enum { MODELS = sizeof models / sizeof models[0], QUARTER_CAR = 4 };

/* Computes q and v at the end, with a value for one parameter or none (NULL). Returns the number of entries of y. */
static int end_with(const struct model *m, const cmb_setting *set, struct variant variant,
                    double rtol, double y[MOST])
{
  cmbt_run r;
  cmbt_run_open(&r, m->name, m->formulation, set ? 1 : 0, set);
  if (m->settled) cmbt_run_settle(&r);
  r.method = variant.method;
  r.form = variant.form;
  r.control = variant.control;
  r.rtol = rtol;
  cmbt_run_to(&r, m->t_end, 0);
  const int nq = r.eq->nq, n = nq + r.eq->nv;
  assert_true(n <= MOST);
  memcpy(y, r.result->q, (size_t)nq * sizeof *y);
  memcpy(y + nq, r.result->v, (size_t)(n - nq) * sizeof *y);
  cmbt_run_close(&r);
  return n;
}

static int end_of(const struct model *m, struct variant variant, double rtol, double y[MOST])
{
  return end_with(m, NULL, variant, rtol, y);
}

/* Returns the error of y in tolerances. */
static double distance(int n, const double y[MOST], const double exact[MOST], double rtol)
{
  double most = 0;
  for (int i = 0; i < n; i++) {
    most = fmax(most, fabs(y[i] - exact[i]) / (CMB_ATOL_PER_RTOL + fabs(exact[i])) / rtol);
  }
  return most;
}

static double error_of(const struct model *m, struct variant variant, double rtol,
                       const double exact[MOST])
{
  double y[MOST];
  const int n = end_of(m, variant, rtol, y);
  return distance(n, y, exact, rtol);
}

/* Models in Cartesian coordinates, with rates of Euler parameters as velocities; the gyroscope makes three turns. */
static const struct model cartesian[] = {
    {"spatial-four-bar", 0.5, false, CMB_FORM_CARTESIAN},
    {"gyroscope", 0.1, false, CMB_FORM_CARTESIAN},
    {"four-bar", 0.1, false, CMB_FORM_CARTESIAN},
};

enum { CARTESIAN = sizeof cartesian / sizeof cartesian[0] };

static double exact[MODELS][MOST];

static int make_references(void **state)
{
  (void)state;
  for (int k = 0; k < MODELS; k++)
    end_of(&models[k], (struct variant){.method = "mdop853"}, 1e-11, exact[k]);
  return 0;
}

static double show_error(int k, struct variant variant, double rtol)
{
  const double error = error_of(&models[k], variant, rtol, exact[k]);
  printf("  %.0e: %-8.3g", rtol, error);
  return error;
}

static void print_variant(int k, struct variant variant)
{
  printf("%-12s %-9s %-6s %-7s error/tolerance", models[k].name, variant.method,
         variant.form ? variant.form : "", variant.control ? variant.control : "");
}

static void check_variant(struct variant variant, int tolerances, const double limit[TOLERANCES])
{
  int above = 0;
  for (int k = 0; k < MODELS; k++) {
    print_variant(k, variant);
    for (int i = 0; i < tolerances; i++)
      above += !(show_error(k, variant, pow(10, -4 - 2 * i)) <= limit[i]);
    printf("\n");
  }
  if (above > 0) fail_msg("%s: %d errors above the limit", variant.method, above);
}

static void check_method(const char *method, int tolerances)
{
  check_variant((struct variant){.method = method}, tolerances, usual);
}

/* Checks a method with four tolerances a decade. */
static void check_between(const char *method)
{
  const struct variant variant = {.method = method};
  int above = 0;
  for (int k = 0; k < MODELS; k++) {
    print_variant(k, variant);
    for (int i = 0; i <= 16; i++)
      above += !(show_error(k, variant, pow(10, -4 - i / 4.0)) <= usual[0]);
    printf("\n");
  }
  if (above > 0) fail_msg("%s: %d errors above the limit", method, above);
}

static void test_mdop853(void **state)
{
  (void)state;
  check_method("mdop853", TOLERANCES);
}

static void test_bdf(void **state)
{
  (void)state;
  check_between("bdf");
  check_variant((struct variant){"bdf", NULL, "classic"}, TOLERANCES, of_bdf);
  check_variant((struct variant){"bdf", "index3", "strict"}, TOLERANCES, usual);
}

/* Checks bdf with two tolerances a decade. */
static void test_bdf_cartesian(void **state)
{
  (void)state;
  const struct variant variant = {.method = "bdf"};
  int above = 0;
  for (int k = 0; k < CARTESIAN; k++) {
    double reference[MOST];
    end_of(&cartesian[k], (struct variant){.method = "mdop853"}, 1e-11, reference);
    printf("%-16s cartesian error/tolerance", cartesian[k].name);
    for (int i = 0; i <= 8; i++) {
      const double rtol = pow(10, -4 - i / 2.0);
      const double error = error_of(&cartesian[k], variant, rtol, reference);
      printf("  %.0e: %-8.3g", rtol, error);
      above += !(error <= usual[0]);
    }
    printf("\n");
  }
  if (above > 0) fail_msg("bdf: %d errors above the limit", above);
}

/* A model in Cartesian coordinates, and the parameter that is the angular velocity at its start. */
struct spinning {
  struct model model;
  cmb_setting speed;
};

static const struct spinning wheel = {{"fivelink", 0.5, true, CMB_FORM_CARTESIAN}, {"speed", 30}},
                             top = {{"gyroscope", 0.2, false, CMB_FORM_CARTESIAN}, {"spin", 200}};

/* A method, its tolerance, and the limit of its error as a multiple of the change by a start that is faster by one tolerance. */
struct limited_case {
  struct variant variant;
  double rtol, limit;
};

static void check_spinning(const struct spinning *s, int count, const struct limited_case *cases)
{
  const double little = 1e-7;
  const struct variant fine = {.method = "mdop853"};
  const cmb_setting faster = {s->speed.name, s->speed.value * (1 + little)};
  double reference[MOST], moved[MOST];
  const int n = end_of(&s->model, fine, 1e-11, reference);
  int above = 0;
  end_with(&s->model, &faster, fine, 1e-11, moved);
  const double growth = distance(n, moved, reference, little);
  printf("%s, cartesian: one tolerance becomes %.3g\n", s->model.name, growth);
  assert_true(growth > 1);
  for (int i = 0; i < count; i++) {
    const struct limited_case *c = &cases[i];
    const double error = error_of(&s->model, c->variant, c->rtol, reference);
    printf("  %-7s %-7s %.0e: %.3g times that (limit %g)\n", c->variant.method,
           c->variant.form ? c->variant.form : "", c->rtol, error / growth, c->limit);
    above += !(error <= c->limit * growth);
  }
  if (above > 0) fail_msg("%s: %d errors above the limit", s->model.name, above);
}

static void test_wheel(void **state)
{
  (void)state;
  static const struct limited_case cases[] = {
      {{"radau5", NULL, NULL}, 1e-4, 1},  {{"radau5", NULL, NULL}, 1e-6, 1},
      {{"radau5", "ggl", NULL}, 1e-4, 1}, {{"radau5", "ggl", NULL}, 1e-6, 1},
      {{"sdirk4", NULL, NULL}, 1e-4, 2},  {{"abm", NULL, NULL}, 1e-4, 4},
      {{"abm", NULL, NULL}, 1e-6, 4},     {{"bdf", NULL, NULL}, 1e-4, 1},
  };
  check_spinning(&wheel, sizeof cases / sizeof cases[0], cases);
}

static void test_top(void **state)
{
  (void)state;
  static const struct limited_case cases[] = {
      {{"bdf", NULL, NULL}, 1e-8, 0.5},
      {{"bdf", NULL, NULL}, 1e-9, 0.5},
      {{"radau5", NULL, NULL}, 1e-9, 0.5},
  };
  check_spinning(&top, sizeof cases / sizeof cases[0], cases);
}

static void test_radau5(void **state)
{
  (void)state;
  check_between("radau5");
  check_variant((struct variant){"radau5", "index1", NULL}, TOLERANCES, usual);
  check_variant((struct variant){"radau5", "ggl", "classic"}, TOLERANCES, of_classic);
  check_variant((struct variant){"radau5", NULL, "classic"}, TOLERANCES, of_classic);
  check_variant((struct variant){"radau5", "index3", "strict"}, TOLERANCES, usual);
}

/* Checks radau, which chooses its order so that work is least, or with control=classic by the convergence rate of Newton's method. */
static void test_radau(void **state)
{
  (void)state;
  check_between("radau");
  check_variant((struct variant){"radau", "index1", NULL}, TOLERANCES, usual);
  check_variant((struct variant){"radau", NULL, "classic"}, TOLERANCES, of_radau_classic);
  check_variant((struct variant){"radau", "index3", "strict"}, TOLERANCES, usual);
}

static void test_auto(void **state)
{
  (void)state;
  check_method("auto", TOLERANCES);
}

/* Checks fast vibrations with little or no damping that the tolerance requires to be resolved: those of the chain after its suspension has
 * begun to move, and those of the wheel on a tyre 100 times as stiff, at the top of the bump, since after it they have decayed. In the
 * chain an error of one tolerance in one angle of the start grows to up to 17 tolerances (mdop853 with 1e-12); its limit is twice that. */
static void test_auto_on_vibrations(void **state)
{
  (void)state;
  static const struct {
    struct model model;
    cmb_setting set;
    double limit[TOLERANCES];
  } cases[] = {
      {{"chain", 2, false, CMB_FORM_EXPLICIT}, {"N", 12}, {35, 35, 35}},
      {{"fivelink", 0.2, true, CMB_FORM_EXPLICIT}, {"tyre_stiffness", 20965200}, {100, 20, 20}},
  };
  int above = 0;
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
    double reference[MOST], y[MOST];
    const struct model *m = &cases[k].model;
    end_with(m, &cases[k].set, (struct variant){.method = "mdop853"}, 1e-11, reference);
    for (int i = 0; i < TOLERANCES; i++) {
      const double rtol = pow(10, -4 - 2 * i);
      const int n = end_with(m, &cases[k].set, (struct variant){.method = "auto"}, rtol, y);
      const double error = distance(n, y, reference, rtol);
      printf("%-12s auto to t = %g, %.0e: %.3g tolerances\n", m->name, m->t_end, rtol, error);
      above += !(error <= cases[k].limit[i]);
    }
  }
  if (above > 0) fail_msg("auto: %d errors above the limit", above);
}

static void test_sdirk4(void **state)
{
  (void)state;
  check_method("sdirk4", TOLERANCES);
}

static void test_forsdirk(void **state)
{
  (void)state;
  check_method("forsdirk", TOLERANCES);
}

static void test_forsdirk_through_events(void **state)
{
  (void)state;
  struct cmbt_random random = {12};
  const struct variant variant = {.method = "forsdirk"};
  const int count = cmbt_count("CAMBER_TOLERANCES", 10);
  int above = 0;
  print_variant(QUARTER_CAR, variant);
  for (int i = 0; i < count; i++)
    above += !(show_error(QUARTER_CAR, variant, pow(10, cmbt_random_uniform(&random, -5, -3))) <=
               usual[0]);
  printf("\n");
  if (above > 0) fail_msg("forsdirk: %d of %d errors above the limit", above, count);
}

static void test_trap(void **state)
{
  (void)state;
  check_method("trap", TOLERANCES - 1);
}

/* Computes λ of the slider-crank, whose motor determines the motion, so that errors of λ do not appear in q and v. */
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

/* Checks that a second run makes as many steps as the first: rounding errors of the constraints at the end of a run, which matter in Cartesian
 * coordinates, must not influence the next one. */
static void test_second_run(void **state)
{
  (void)state;
  for (int i = 0; i < cmb_method_count(); i++) {
    const cmb_method *method = cmb_method_at(i);
    if (cmb_method_is_real_time(method)) continue;
    cmbt_run r;
    cmbt_run_open(&r, "four-bar", CMB_FORM_CARTESIAN, 0, NULL);
    r.method = cmb_method_name(method);
    r.rtol = 1e-4;
    cmbt_run_to(&r, 0.3, 0);
    const long steps = r.result->statistics->steps;
    cmbt_ok(r.ctx, cmb_simulation_run(r.sim));
    printf("four-bar, cartesian %-8s %ld steps, again %ld\n", r.method, steps,
           r.result->statistics->steps);
    assert_int_equal(r.result->statistics->steps, steps);
    cmbt_run_close(&r);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_mdop853),
      cmocka_unit_test(test_bdf),
      cmocka_unit_test(test_bdf_cartesian),
      cmocka_unit_test(test_wheel),
      cmocka_unit_test(test_top),
      cmocka_unit_test(test_radau5),
      cmocka_unit_test(test_radau),
      cmocka_unit_test(test_auto),
      cmocka_unit_test(test_auto_on_vibrations),
      cmocka_unit_test(test_sdirk4),
      cmocka_unit_test(test_trap),
      cmocka_unit_test(test_forsdirk),
      cmocka_unit_test(test_forsdirk_through_events),
      cmocka_unit_test(test_multipliers_of_bdf),
      cmocka_unit_test(test_multipliers_of_radau5),
      cmocka_unit_test(test_second_run),
  };
  return cmocka_run_group_tests(tests, make_references, NULL);
}
