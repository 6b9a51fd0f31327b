/*
 * Results do not depend on the units. A pendulum of 1e-8 m and 1e-20 kg, and one of 1e9 m and 1e9 kg, move as one of 1 m and 1 kg in scaled
 * time, with about as many steps, for every method that uses matrices, in Cartesian coordinates, which contain both lengths and angles.
 *
 * Tolerances below the rounding of a velocity that passes through 0 while others are 1e3 rad/s stop neither bdf nor radau5. Errors follow the
 * tolerances as far as rounding permits, and below that a run warns.
 *
 * Closed loops of 1e-4 and 1e-7 m, planar and spatial, have the degrees of freedom and the motion that they have in metres.
 * A body of 1e18 or 1e25 kg may carry one of 1e3 kg, a thin rod among them, in Cartesian coordinates as in joint coordinates.
 */
#include "check.h"
#include "model_run.h"

#include <stdio.h>
#include <string.h>

static const char pendulum[] =
    "parameters: {L: %g, m: %g}\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies: {rod: {mass: m, box: [L/10, L/10, L], at: [0, 0, -L/2]}}\n"
    "joints: {hinge: {type: revolute, child: rod, at: [0, 0, 0], axis: y, coordinates: [phi], "
    "start: 1}}\n"
    "outputs: {x: rod.x/L, z: rod.z/L}\n";

struct outcome {
  double x, z;
  long steps;
};

/* Runs the pendulum of length L for 5 √L seconds. */
static struct outcome run(double L, double mass, cmb_formulation form, const char *method,
                          double rtol)
{
  char text[500];
  cmbt_run r;
  struct outcome o;
  snprintf(text, sizeof text, pendulum, L, mass);
  cmbt_run_open_text(&r, text, form);
  r.method = method;
  r.rtol = rtol;
  cmbt_run_to(&r, 5 * sqrt(L), 0);
  o.x = cmbt_output(&r, "x");
  o.z = cmbt_output(&r, "z");
  o.steps = r.result->statistics->steps;
  cmbt_run_close(&r);
  return o;
}

/* Compares positions with the pendulum of 1 m and 1 kg, and the number of steps with that of the same method there (1/4 to 2 times). */
static void test_units(void **state)
{
  (void)state;
  static const char *const methods[] = {"mdop5", "abm", "radau5", "bdf", "sdirk4", "forsdirk"};
  static const double size[][2] = {{1e-8, 1e-20}, {1e9, 1e9}, {1e-3, 1e12}};
  const struct outcome exact = run(1, 1, CMB_FORM_EXPLICIT, "mdop853", 1e-11);
  for (int i = 0; i < 6; i++) {
    const struct outcome one = run(1, 1, CMB_FORM_CARTESIAN, methods[i], 1e-6);
    for (int k = 0; k < 3; k++) {
      const struct outcome o = run(size[k][0], size[k][1], CMB_FORM_CARTESIAN, methods[i], 1e-6);
      cmbt_near(o.x, exact.x, 1e-4);
      cmbt_near(o.z, exact.z, 1e-4);
      assert_in_range(o.steps, one.steps / 4, 2 * one.steps);
    }
  }
}

static const char four_bar[] =
    "parameters: {L: %g, m: %g}\n"
    "gravity: [0, 0, -9.81*L]\n"
    "points: {A: [0, 0, 0], B: [0, 0, L/10], C: [0.3*L, 0, L/5], D: [L/4, 0, 0]}\n"
    "bodies: {k: {mass: m, rod: [A, B], radius: L/100}, c: {mass: m, rod: [B, C], radius: L/100},\n"
    "  r: {mass: m, rod: [C, D], radius: L/100}}\n"
    "joints: {ja: {type: revolute, child: k, at: A, axis: y, rate: 5},\n"
    "  jb: {type: revolute, parent: k, child: c, at: B, axis: y},\n"
    "  jd: {type: revolute, child: r, at: D, axis: y}}\n"
    "loops: {l: {type: revolute, between: [c@C, r@C], axis: y}}\n"
    "outputs: {a: ja, b: jb}\n";

/* Bennett's linkage: the joints' axes are skew, and the loop leaves one degree of freedom although three of its constraints are redundant. */
static const char bennett[] =
    "parameters: {L: %g, m: %g}\n"
    "gravity: [1.5*L, -3*L, -9.81*L]\n"
    "points: {A: [0, 0, 0], B: [0.10260604299770063*L, 0.28190778623577248*L, 0],\n"
    "  C: [0.07625571514792602*L, 0.0955083935163395*L, -0.06753463271563691*L], D: [-L/5, 0, 0]}\n"
    "bodies: {l1: {mass: m, rod: [A, B], radius: L/100}, l2: {mass: 1.3*m, rod: [B, C], radius: "
    "L/100},\n"
    "  l3: {mass: 0.7*m, rod: [C, D], radius: L/100}}\n"
    "joints:\n"
    "  a: {type: revolute, child: l1, at: A, axis: z, rate: 2}\n"
    "  b: {type: revolute, parent: l1, child: l2, at: B, axis: [0.8137976813493736, "
    "-0.2961981327260239, 0.5]}\n"
    "  c: {type: revolute, parent: l2, child: l3, at: C, axis: [0.33767316357818455, "
    "-0.3624658304806461, 0.8686744823770732]}\n"
    "loops: {d: {type: revolute, between: [l3@D, ground@D], axis: [0, 0.5773502691896257, "
    "0.816496580927726]}}\n"
    "outputs: {a: a, b: b}\n";

/* Computes both angles at t = 1; checks that three constraints are left out. */
static void close_loop(const char *text, double L, double mass, cmb_formulation form,
                       const char *method, double rtol, double angle[2])
{
  char model[2000];
  cmbt_run r;
  int left_out;
  snprintf(model, sizeof model, text, L, mass);
  cmbt_run_open_text(&r, model, form);
  cmb_system_left_out(r.system, &left_out);
  assert_int_equal(left_out, 3);
  r.method = method;
  r.rtol = rtol;
  cmbt_run_to(&r, 1, 0);
  angle[0] = cmbt_output(&r, "a"), angle[1] = cmbt_output(&r, "b");
  cmbt_run_close(&r);
}

static void test_small_loops(void **state)
{
  (void)state;
  static const char *const text[] = {four_bar, bennett};
  static const char *const methods[] = {"mdop5", "mdop853", "phem56", "hem5", "radau5"};
  static const double size[][2] = {{1e-4, 1e-9}, {1e-7, 1e-14}};
  for (int k = 0; k < 2; k++) {
    double exact[2], angle[2];
    close_loop(text[k], 1, 1, CMB_FORM_EXPLICIT, "mdop853", 1e-11, exact);
    for (int i = 0; i < 10; i++) {
      close_loop(text[k], size[i % 2][0], size[i % 2][1], CMB_FORM_CARTESIAN, methods[i / 2], 1e-7,
                 angle);
      for (int n = 0; n < 2; n++) cmbt_near(angle[n], exact[n], 2e-4);
    }
  }
}

/* Returns the crank's angle of a fast four-bar at t = 0.04. */
static double crank(const char *method, double rtol)
{
  const cmb_setting fast = {"speed", 1000};
  cmbt_run r;
  cmbt_run_open(&r, "four-bar", CMB_FORM_EXPLICIT, 1, &fast);
  r.method = method;
  r.rtol = rtol;
  cmbt_run_to(&r, 0.04, 0);
  const double angle = r.result->q[0];
  cmbt_run_close(&r);
  return angle;
}

/* Checks that runs with tolerances below the rounding errors of the velocities end, with errors below 1e-6 and 1e-7. */
static void test_below_rounding(void **state)
{
  (void)state;
  const double exact = crank("mdop853", 1e-12);
  cmbt_near(crank("bdf", 1e-9), exact, 1e-6);
  cmbt_near(crank("bdf", 1e-10), exact, 1e-7);
  cmbt_near(crank("radau5", 1e-11), exact, 1e-7);
}

static void count_warnings(void *user, cmb_log_level level, const char *message)
{
  int *warnings = user;
  if (level == CMB_LOG_WARNING && strstr(message, "rounding permits")) (*warnings)++;
}

/* Returns the error of x'' = −x at t = 20, and in *warnings the number of warnings that rounding permits no such tolerance. With atol = 0
 * the absolute tolerance is the usual fraction of the relative one. */
static double oscillate(const char *method, double rtol, double atol, int *warnings)
{
  cmbt_run r;
  cmbt_run_open_text(&r,
                     "gravity: [0, 0, 0]\n"
                     "bodies: {b: {mass: 1, com: [0, 0, 0]}}\n"
                     "joints: {p: {type: prismatic, child: b, axis: x, start: 1, stiffness: 1}}\n",
                     CMB_FORM_EXPLICIT);
  r.method = method;
  r.rtol = rtol;
  r.atol = atol;
  *warnings = 0;
  cmb_context_set_log(r.ctx, count_warnings, warnings);
  cmbt_run_to(&r, 20, 0);
  const double worst = fmax(fabs(r.result->q[0] - cos(20)), fabs(r.result->v[0] + sin(20)));
  cmbt_run_close(&r);
  return worst;
}

/* Checks the smallest tolerance that each method achieves within a factor of 3 without a warning, and that it warns of the next smaller one. */
static void test_limits(void **state)
{
  (void)state;
  static const struct {
    const char *method;
    double followed, refused;
  } limits[] = {{"bdf", 3e-10, 1e-10}, {"radau5", 3e-12, 2e-12}, {"radau", 7e-12, 6e-12}};
  for (int i = 0; i < 3; i++) {
    int warnings;
    const double followed = limits[i].followed, refused = limits[i].refused;
    const double above = oscillate(limits[i].method, followed, 0, &warnings) / followed;
    assert_int_equal(warnings, 0);
    const double larger =
        oscillate(limits[i].method, 100 * followed, 0, &warnings) / (100 * followed);
    assert_int_equal(warnings, 0);
    const double below = oscillate(limits[i].method, refused, 0, &warnings) / refused;
    assert_int_equal(warnings, 1);
    printf("%-6s %.0e: %.2g, %.0e: %.2g, %.0e: %.2g tolerances\n", limits[i].method, 100 * followed,
           larger, followed, above, refused, below);
    cmbt_below(larger, 3);
    cmbt_below(above, 3);
  }
}

/* Checks that a relative tolerance below the smallest possible one, with an absolute tolerance that can be met, does not increase the error. */
static void test_small_relative_tolerance(void **state)
{
  (void)state;
  const double atol = 1e-8;
  static const char *const methods[] = {"bdf", "radau5", "radau", "auto"};
  for (int i = 0; i < 4; i++) {
    for (int k = 8; k <= 15; k++) {
      int warnings;
      const double error = oscillate(methods[i], pow(10, -k), atol, &warnings);
      printf("%-6s rtol 1e-%02d: %.2g of the absolute tolerance\n", methods[i], k, error / atol);
      cmbt_below(error, 10 * atol);
    }
  }
}

/* Checks for a spinning top, whose Jacobian rotates with it, that fewer steps fail than a quarter of the accepted ones. */
static void test_top(void **state)
{
  (void)state;
  cmbt_run r;
  cmbt_run_open(&r, "gyroscope", CMB_FORM_CARTESIAN, 0, NULL);
  r.method = "radau5";
  r.rtol = 1e-6;
  cmbt_run_to(&r, 1, 0);
  const cmb_statistics *s = r.result->statistics;
  printf("top: %ld steps accepted, %ld rejected\n", s->accepted, s->rejected);
  assert_true(s->rejected < s->accepted / 4);
  cmbt_run_close(&r);
}

/* Compares Cartesian and joint coordinates for a heavy rod, which from 1e14 kg on moves as if it were alone, and light bodies hanging from
 * it. */
static void test_heavy_and_light(void **state)
{
  (void)state;
  static const char text[] =
      "gravity: [0, 0, -9.81]\n"
      "bodies:\n"
      "  one: {mass: %g, rod: [[0, 0, 0], [1, 0, 0]], radius: 0.1}\n"
      "  two: {mass: 1e3, sphere: [1.5, 0, 0], radius: 0.01}\n"
      "  three: {mass: 1e3, rod: [[2, 0, 0], [3, 0, 0]]}\n"
      "joints:\n"
      "  a: {type: revolute, child: one, at: [0, 0, 0], axis: y}\n"
      "  b: {type: revolute, parent: one, child: two, at: [1, 0, 0], axis: y}\n"
      "  c: {type: revolute, parent: two, child: three, at: [2, 0, 0], axis: y}\n"
      "outputs: {x: one.x, y: two.x, z: three.z}\n";
  static const char *const names[] = {"x", "y", "z"};
  static const double mass[] = {1e14, 1e18, 1e25};
  for (int k = 0; k < 3; k++) {
    double expected[3] = {0};
    char model[2000];
    snprintf(model, sizeof model, text, mass[k]);
    for (int f = CMB_FORM_EXPLICIT; f <= CMB_FORM_CARTESIAN; f++) {
      cmbt_run r;
      cmbt_run_open_text(&r, model, (cmb_formulation)f);
      r.rtol = 1e-9;
      cmbt_run_to(&r, 0.5, 0);
      for (int i = 0; i < 3; i++) {
        if (f == CMB_FORM_EXPLICIT) expected[i] = cmbt_output(&r, names[i]);
        cmbt_near(cmbt_output(&r, names[i]), expected[i], 1e-6);
      }
      cmbt_run_close(&r);
    }
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_units),
                                     cmocka_unit_test(test_small_loops),
                                     cmocka_unit_test(test_below_rounding),
                                     cmocka_unit_test(test_limits),
                                     cmocka_unit_test(test_small_relative_tolerance),
                                     cmocka_unit_test(test_top),
                                     cmocka_unit_test(test_heavy_and_light)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
