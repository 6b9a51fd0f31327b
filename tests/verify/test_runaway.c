/*
 * Runs that diverge end soon, with a status of their own and the name of the velocity that grows; similar runs that do not diverge are not
 * stopped: a rotor accelerated to 3·10^5 rad/s from rest, angles beyond 10^6 rad, a fall from a great height, exponential growth that costs
 * no additional steps (compared with the exact solution), a rotor that drives itself up to a limit, a ball between walls that approach.
 */
#include "check.h"
#include "model_run.h"

#include <stdio.h>
#include <string.h>

/* A box that rotates about y with a moment of inertia of 1/3 kg m², without gravity. */
#define ROTOR(torque, rate)                                                                        \
  "gravity: [0, 0, 0]\n"                                                                           \
  "bodies: {rod: {mass: 2, box: [1, 1, 1], at: [0, 0, 0]}}\n"                                      \
  "joints:\n"                                                                                      \
  "  hinge: {type: revolute, child: rod, at: [0, 0, 0], axis: y, coordinates: [phi], rate: " rate  \
  "}\n"                                                                                            \
  "forces:\n"                                                                                      \
  "  drive: {type: load, on: {body: rod, at: [0, 0, 0]}, torque: [0, \"" torque "\", 0]}\n"

/* A second rod hangs from the first: its motion makes steps shrink as velocities grow. */
static const char double_pendulum[] =
    "bodies:\n"
    "  upper: {mass: 2, rod: [[0, 0, 0], [0, 0, -1]], radius: 0.02}\n"
    "  lower: {mass: 1, rod: [[0, 0, -1], [0, 0, -1.5]], radius: 0.02}\n"
    "joints:\n"
    "  a: {type: revolute, child: upper, at: [0, 0, 0], axis: y, coordinates: [alpha], rate: 5}\n"
    "  b: {type: revolute, parent: upper, child: lower, at: [0, 0, -1], axis: y, coordinates: "
    "[beta]}\n"
    "forces:\n"
    "  wrong: {type: load, on: {body: upper, at: [0, 0, -1]}, torque: [0, \"2*alpha'\", 0]}\n";

struct outcome {
  cmb_status status;
  double t, phi, rate;
  long accepted;
  char message[300];
};

static struct outcome run(const char *text, cmb_formulation form, const char *method, double t_end)
{
  cmbt_run r;
  struct outcome o;
  cmb_run_options options = cmb_run_defaults();
  cmbt_run_open_text(&r, text, form);
  options.method = cmb_method_find(method);
  options.t_end = t_end;
  cmbt_ok(r.ctx, cmb_simulation_create(r.ctx, r.system, &options, &r.sim));
  o.status = cmb_simulation_run(r.sim);
  r.result = cmb_simulation_result(r.sim);
  o.t = r.result->t;
  o.phi = r.result->q[0];
  o.rate = r.result->v[0];
  o.accepted = r.result->statistics->accepted;
  snprintf(o.message, sizeof o.message, "%s", cmb_last_error(r.ctx));
  cmbt_run_close(&r);
  return o;
}

/* Checks that a damper with the wrong sign ends the run as diverged: the energy doubles about every 0.6 s, and without this check the run would
 * take e^60 steps. */
static void test_wrong_sign(void **state)
{
  (void)state;
  static const char *const methods[] = {"mdop5", "mdop853", "abm", "bdf", "auto"};
  for (int i = 0; i < 5; i++) {
    const struct outcome o = run(double_pendulum, CMB_FORM_EXPLICIT, methods[i], 60);
    assert_int_equal(o.status, CMB_ERROR_DIVERGED);
    assert_non_null(strstr(o.message, "beta'"));
    cmbt_below(o.t, 10);
    assert_true(o.accepted < 1000000);
  }
}

/* Checks that runs of φ'' = 6 φ' and φ'' = 3 φ'^2 end as diverged: the first has steps of constant size, the second a pole at t = 1/3. */
static void test_exponential_growth(void **state)
{
  (void)state;
  struct outcome o = run(ROTOR("2*phi'", "1"), CMB_FORM_EXPLICIT, "mdop5", 60);
  assert_int_equal(o.status, CMB_ERROR_DIVERGED);
  assert_non_null(strstr(o.message, "phi'"));
  cmbt_near(o.t, 66 * log(2) / 6, 3);
  o = run(ROTOR("phi'^2", "1"), CMB_FORM_EXPLICIT, "mdop5", 60);
  assert_int_equal(o.status, CMB_ERROR_DIVERGED);
  cmbt_near(o.t, 1.0 / 3, 1e-3);
}

/* Checks runs that must not be stopped: φ'' = 3 T, a rotor from rest with the angular velocity 3 T t, and one at 1e4 rad/s for 1000 s. */
static void test_spin_up(void **state)
{
  (void)state;
  struct outcome o = run(ROTOR("100", "0"), CMB_FORM_EXPLICIT, "mdop5", 1000);
  assert_int_equal(o.status, CMB_OK);
  cmbt_near(o.rate, 3e5, 1);
  cmbt_near(o.phi, 1.5e8, 1e3);
  o = run(ROTOR("20", "0"), CMB_FORM_CARTESIAN, "mdop5", 10);
  assert_int_equal(o.status, CMB_OK);
  o = run(ROTOR("0", "1e4"), CMB_FORM_EXPLICIT, "radau5", 1000);
  assert_int_equal(o.status, CMB_OK);
  cmbt_near(o.phi, 1e7, 1);
}

/* Compares φ'' = 6 φ' with φ' = 1e-3 e^(6 t) over 13 decades of growth; the error may be 100 tolerances. */
static void test_free_growth(void **state)
{
  (void)state;
  const struct outcome o = run(ROTOR("2*phi'", "1e-3"), CMB_FORM_EXPLICIT, "mdop5", 5);
  assert_int_equal(o.status, CMB_OK);
  cmbt_near(o.rate / (1e-3 * exp(30)), 1, 1e-4);
}

/* Checks that φ'' = φ' (1 − (φ'/300)²) is not stopped; in Cartesian coordinates steps shrink as the velocity grows, here up to 300 rad/s. */
static void test_limit(void **state)
{
  (void)state;
  const struct outcome o =
      run(ROTOR("phi'*(1 - (phi'/300)^2)/3", "0.001"), CMB_FORM_CARTESIAN, "mdop5", 20);
  assert_int_equal(o.status, CMB_OK);
}

/* Checks 10^5 s of free fall from rest, up to 10^6 m/s. */
static void test_fall(void **state)
{
  (void)state;
  const struct outcome o =
      run("gravity: [0, 0, -10]\n"
          "bodies: {ball: {mass: 1, sphere: [0, 0, 0], radius: 0.1}}\n"
          "joints: {way: {type: prismatic, child: ball, at: [0, 0, 0], axis: z, coordinates: "
          "[height]}}\n",
          CMB_FORM_EXPLICIT, "mdop853", 1e5);
  assert_int_equal(o.status, CMB_OK);
  cmbt_near(o.rate, -1e6, 1);
}

/* Returns the speed of a ball between walls at ±(2e-5 + |2 − t| / 2) with elastic impacts. Each impact adds twice the speed of the wall, 1
 * m/s, up to some 50,000 m/s, and subtracts as much after t = 2. Computed impact by impact, mirrored so that the ball always moves to the
 * right. */
static double speed_between_walls(double t_end)
{
  const double least = 2e-5, u = 0.5;
  double t = 0, x = 0, v = 1;
  for (;;) {
    double at = t < 2 ? t + (least + u * (2 - t) - x) / (v + u) : INFINITY, wall = -u;
    if (!(at < 2)) at = t + (least + u * (t - 2) - x) / (v - u), wall = u;
    if (at > t_end) return v;
    t = at;
    x = -(least + u * fabs(2 - t));
    v -= 2 * wall;
  }
}

static void test_walls(void **state)
{
  (void)state;
  const double t_end = 2.02;
  const struct outcome o =
      run("gravity: [0, 0, 0]\n"
          "bodies: {ball: {mass: 1, com: [0, 0, 0]}}\n"
          "joints: {x: {type: prismatic, child: ball, axis: x, rate: 1}}\n"
          "loops:\n"
          "  l: {type: stop, formula: \"2e-5 + abs(2 - t)/2 + x\", restitution: 1}\n"
          "  r: {type: stop, formula: \"2e-5 + abs(2 - t)/2 - x\", restitution: 1}\n",
          CMB_FORM_EXPLICIT, "mdop5", t_end);
  assert_int_equal(o.status, CMB_OK);
  cmbt_near(fabs(o.rate), speed_between_walls(t_end), 1e-4);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_wrong_sign), cmocka_unit_test(test_exponential_growth),
      cmocka_unit_test(test_spin_up),    cmocka_unit_test(test_free_growth),
      cmocka_unit_test(test_limit),      cmocka_unit_test(test_fall),
      cmocka_unit_test(test_walls),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
