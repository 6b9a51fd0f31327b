/*
 * Checks friction that releases under a smoothly growing force: the velocity grows from 0 with the rate 0. The dense output of a long step
 * may show that velocity with the wrong sign just after the event; it must not count as an event, or runs would restart there forever.
 *
 * Two wheels with the moment of inertia 1 are locked by a limited differential with the locking torque M. Torques a and b with the
 * relaxation time τ, τ a' = c (w − w₀ − sin ωt) − a with the wheel's rate w, and b with the opposite sign of sin ωt, load the
 * differential. While both wheels turn alike, a = −b with
 *
 *     −a(t) = c (sin ωt − ωτ cos ωt + ωτ exp(−t/τ))/(1 + ω²τ²),   and the differential releases when |a| = M.
 */
#include "check.h"
#include "model_run.h"

#include <string.h>

static const double tau = 0.005, stiffness = 300, lock = 30, omega = 3;

static const char wheels[] =
    "include: parts/differential\n"
    "bodies:\n"
    "  one: {mass: 20, com: [0, 0.7, 0], inertia: [0.6, 1, 0.6]}\n"
    "  two: {mass: 20, com: [0, -0.7, 0], inertia: [0.6, 1, 0.6]}\n"
    "joints:\n"
    "  left: {type: revolute, child: one, at: [0, 0.7, 0], axis: y, rate: 70}\n"
    "  right: {type: revolute, child: two, at: [0, -0.7, 0], axis: y, rate: 70}\n"
    "inputs: {turn: sin(3*t)}\n"
    "states:\n"
    "  a: {rate: \"(300*(left' - 70 - turn) - a)/0.005\"}\n"
    "  b: {rate: \"(300*(right' - 70 + turn) - b)/0.005\"}\n"
    "instances:\n"
    "  axle:\n"
    "    template: limited_differential\n"
    "    parameters: {preload: 30}\n"
    "    measures: {torque: 0, left_speed: \"left'\", right_speed: \"right'\"}\n"
    "forces:\n"
    "  l: {type: torsion, coordinate: left, torque: a - axle.left}\n"
    "  r: {type: torsion, coordinate: right, torque: b - axle.right}\n"
    "outputs: {slip: \"left' - right'\", moved: axle.moved}\n";

static double torque_at(double t)
{
  const double x = omega * tau;
  return stiffness * (sin(omega * t) - x * cos(omega * t) + x * exp(-t / tau)) / (1 + x * x);
}

/* Returns the time of the release by bisection, before the torque has its maximum. */
static double release_time(void)
{
  double low = 0, high = 0.4;
  for (int k = 0; k < 60; k++) {
    const double middle = (low + high) / 2;
    if (torque_at(middle) < lock)
      low = middle;
    else
      high = middle;
  }
  return low;
}

static void check_release(const char *method, double rtol)
{
  cmbt_run r;
  cmbt_run_open_text(&r, wheels, CMB_FORM_EXPLICIT);
  r.method = method;
  r.rtol = rtol;
  cmbt_run_to(&r, 0.5, 0);
  assert_true(r.event_count >= 1 && r.event_count <= 4);
  cmbt_near(r.events[0].t, release_time(), 100 * rtol * lock / (stiffness * omega));
  assert_true(fabs(cmbt_output(&r, "slip")) > 0.1);
  cmbt_near(fabs(cmbt_output(&r, "moved")), lock, 1e-9);
  cmbt_run_close(&r);
}

static void test_release(void **state)
{
  (void)state;
  static const char *const methods[] = {"radau5", "radau", "auto",   "bdf",
                                        "sdirk4", "mdop5", "mdop853"};
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
    check_release(methods[i], 1e-4);
    check_release(methods[i], 1e-6);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_release)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
