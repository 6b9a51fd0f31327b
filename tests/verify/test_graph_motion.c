/*
 * Compares runs of systems made from expressions with exact solutions: a symmetric top with Euler parameters and a mass that bounces off an
 * elastic floor. A pendulum, with and without explicit accelerations, is compared with the one written in C.
 */
#include "check.h"
#include "graph_examples.h"
#include "graph_stage.h"

#include <camber/sim.h>
#include <stdio.h>

static const cmb_result *run(cmb_context *ctx, const cmb_system *system, double t_end,
                             cmb_simulation **sim)
{
  cmb_run_options options = cmb_run_defaults();
  options.method = cmb_method_find("mdop5");
  options.integrator.rtol = 1e-11;
  options.integrator.atol = 1e-12;
  options.t_end = t_end;
  cmbt_ok(ctx, cmb_simulation_create(ctx, system, &options, sim));
  cmbt_ok(ctx, cmb_simulation_run(*sim));
  return cmb_simulation_result(*sim);
}

/* Computes the quaternion product c = a ∘ b. */
static void multiply(const double *a, const double *b, double *c)
{
  c[0] = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3];
  c[1] = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2];
  c[2] = a[0] * b[2] + a[2] * b[0] + a[3] * b[1] - a[1] * b[3];
  c[3] = a[0] * b[3] + a[3] * b[0] + a[1] * b[2] - a[2] * b[1];
}

/* Checks the top with the moments of inertia 1, 1, 2: the angular momentum L is constant, the top rotates about it with |L|/1 and about its
 * own axis with (1 − 2) ω3, p(t) = exp(L t/2) ∘ exp(−ω3 e3 t/2). ω1 and ω2 rotate with ω3. */
static void test_top(void **state)
{
  (void)state;
  struct cmbt_stage s;
  cmb_simulation *sim;
  const double t = 5, w1 = 0.5, w3 = 1.25, L = sqrt(w1 * w1 + 4 * w3 * w3);
  const double about_L[4] = {cos(L * t / 2), w1 / L * sin(L * t / 2), 0,
                             2 * w3 / L * sin(L * t / 2)};
  const double about_axis[4] = {cos(w3 * t / 2), 0, 0, -sin(w3 * t / 2)};
  double p[4];
  multiply(about_L, about_axis, p);
  cmbt_stage_open(&s, &cmbt_top, &(cmb_graph_options){0});
  const cmb_result *r = run(s.ctx, s.system, t, &sim);
  for (int i = 0; i < 4; i++) cmbt_near(r->q[i], p[i], 1e-9);
  cmbt_near(r->v[0], w1 * cos(w3 * t), 1e-9);
  cmbt_near(r->v[1], w1 * sin(w3 * t), 1e-9);
  cmbt_near(r->v[2], w3, 1e-12);
  cmb_simulation_destroy(sim);
  cmbt_stage_close(&s);
}

/* Checks a mass that falls from 1 m for the time t1, is in contact for 2 τ and rises for t1, with tan(10 τ) = v1/(10 · 0.0981) in the second
 * quadrant. */
static void test_bounce(void **state)
{
  (void)state;
  const double g = 9.81, w = 10, t1 = sqrt(2 / g), v1 = -g * t1;
  const double tau = atan2(-v1, -g / w) / w, period = 2 * (t1 + tau);
  struct cmbt_stage s;
  cmb_simulation *sim;
  cmbt_stage_open(&s, &cmbt_bounce, &(cmb_graph_options){0});
  const cmb_result *r = run(s.ctx, s.system, 3 * period + t1 / 2, &sim);
  printf("%ld events\n", r->events);
  assert_int_equal(r->events, 6);
  cmbt_near(r->q[0], 0.75, 1e-8);
  cmbt_near(r->v[0], v1 / 2, 1e-7);
  cmb_simulation_destroy(sim);
  cmbt_stage_close(&s);
}

/* Checks the pendulum with explicit accelerations, which are refused near the lowest point, and with those of the KKT system, against the
 * problem written in C. */
static void test_pendulum_explicit_and_kkt(void **state)
{
  (void)state;
  const cmb_setting settings[] = {{"m", 2}, {"l", 1.5}, {"angle", atan2(0.9, 1.2)}};
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_system *by_hand;
  cmb_simulation *expected_sim;
  cmbt_ok(ctx, cmb_problem_create(ctx, cmb_problem_find("pendulum"), 3, settings, &by_hand));
  const cmb_result *expected = run(ctx, by_hand, 3, &expected_sim);
  for (int form = 0; form < 2; form++) {
    struct cmbt_stage s;
    cmb_simulation *sim;
    cmbt_stage_open(&s, &cmbt_pendulum, &(cmb_graph_options){.explicit_form = form == 1});
    assert_true((s.eq->accelerate != NULL) == (form == 1));
    const cmb_result *r = run(s.ctx, s.system, 3, &sim);
    for (int i = 0; i < 2; i++) cmbt_near(r->q[i], expected->q[i], 1e-9);
    cmbt_near(r->lambda[0], expected->lambda[0], 1e-8);
    cmbt_near(r->outputs[2], r->lambda[0], 0);
    cmb_simulation_destroy(sim);
    cmbt_stage_close(&s);
  }
  cmb_simulation_destroy(expected_sim);
  cmb_system_destroy(by_hand);
  cmb_context_destroy(ctx);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_top),
      cmocka_unit_test(test_bounce),
      cmocka_unit_test(test_pendulum_explicit_and_kkt),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
