/*
 * Friction that lets go while the force on it grows smoothly leaves its zero slowly: the velocity grows from 0 with the rate 0. The dense output of a
 * long step may show that velocity with the wrong sign just behind the event, which is no event: runs restarted there without end.
 *
 * Two wheels of the inertia 1 are held together by a limited differential with the locking torque M. Forces a and b that relax, τ a' = c (w − w₀ − sin ωt) − a and
 * b the opposite, pull them apart. While both turn alike a = −b, and it is known in closed form:
 *
 *     −a(t) = c (sin ωt − ωτ cos ωt + ωτ exp(−t/τ))/(1 + ω²τ²),   the differential lets go where |a| = M.
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

static double pull_at(double t)
{
  const double x = omega * tau;
  return stiffness * (sin(omega * t) - x * cos(omega * t) + x * exp(-t / tau)) / (1 + x * x);
}

/* By bisection, before the pull has its maximum. */
static double letting_go(void)
{
  double low = 0, high = 0.4;
  for (int k = 0; k < 60; k++) {
    const double middle = (low + high) / 2;
    if (pull_at(middle) < lock)
      low = middle;
    else
      high = middle;
  }
  return low;
}

static void lets_go_once(const char *method, double rtol)
{
  cmbt_run r;
  cmbt_run_open_text(&r, wheels, CMB_FORM_EXPLICIT);
  r.method = method;
  r.rtol = rtol;
  cmbt_run_to(&r, 0.5, 0);
  assert_true(r.event_count >= 1 && r.event_count <= 4);
  cmbt_near(r.events[0].t, letting_go(), 100 * rtol * lock / (stiffness * omega));
  assert_true(fabs(cmbt_output(&r, "slip")) > 0.1);
  cmbt_near(fabs(cmbt_output(&r, "moved")), lock, 1e-9);
  cmbt_run_close(&r);
}

static void every_method(void **state)
{
  (void)state;
  static const char *const methods[] = {"radau5", "radau", "auto",   "bdf",
                                        "sdirk4", "mdop5", "mdop853"};
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
    lets_go_once(methods[i], 1e-4);
    lets_go_once(methods[i], 1e-6);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_method)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
