/*
 * Pendulums, a top and a chain from models/, compared with references that use no code of the library:
 *
 * - simple-pendulum: the period by the arithmetic-geometric mean; speed and hinge force at the lowest point;
 * - double-pendulum: the equations of motion in absolute angles, integrated in long double;
 * - gyroscope: steady precession by the exact quadratic equation; the lowest point of the nutation; conserved quantities;
 * - chain: the problem pendulum-chain written in C, frequencies from the zeros of Laguerre's polynomial, the energy balance.
 */
#include "check.h"
#include "model_run.h"
#include "reference.h"

#include <stdio.h>
#include <string.h>

static const double PI = 3.14159265358979323846, GRAVITY = 9.81;

/* ---- simple-pendulum */

static void test_simple_pendulum(void **state)
{
  (void)state;
  const double l = 1, rod = 0.2, r_rod = 0.004, bob = 1, r_bob = 0.03, start = PI / 3;
  const double I = rod * (l * l / 3 + r_rod * r_rod / 4) + bob * (l * l + 0.4 * r_bob * r_bob);
  const double moment = rod * l / 2 + bob * l, omega0 = sqrt(moment * GRAVITY / I);
  const double T = (double)cmbt_pendulum_period(I / moment, GRAVITY, start);
  const double lowest = 2 * omega0 * sin(start / 2);
  cmbt_run r;
  cmbt_run_open(&r, "simple-pendulum", CMB_FORM_EXPLICIT, 0, NULL);
  cmbt_run_to(&r, T / 4, 0);
  cmbt_near(cmbt_output(&r, "angle"), 0, 1e-7);
  cmbt_near(cmbt_velocity(&r, "phi'"), -lowest, 1e-9);
  cmbt_near(cmbt_output(&r, "hinge_x"), 0, 1e-7);
  cmbt_near(cmbt_output(&r, "hinge_z"), (rod + bob) * GRAVITY + moment * lowest * lowest, 1e-7);
  cmbt_run_close(&r);

  cmbt_run_open(&r, "simple-pendulum", CMB_FORM_EXPLICIT, 0, NULL);
  cmbt_run_to(&r, 5 * T, 0);
  cmbt_near(cmbt_output(&r, "angle"), 60, 1e-7);
  cmbt_near(cmbt_velocity(&r, "phi'"), 0, 1e-7);
  cmbt_run_close(&r);
}

/* ---- double-pendulum */

struct rods {
  long double l1, l2, m1, m2, radius;
};

/* Computes dy/dt of y = (θ1, θ2, θ1', θ2') with the absolute angles θ1, θ2 of two uniform rods, measured from the vertical. */
static void double_pendulum(const void *user, long double t, const long double *y, long double *dy)
{
  const struct rods *p = user;
  const long double r2 = p->radius * p->radius / 4, g = 9.81L, d = y[0] - y[1];
  const long double mixed = p->m2 * p->l1 * p->l2 / 2;
  const long double M11 = p->m1 * (p->l1 * p->l1 / 3 + r2) + p->m2 * p->l1 * p->l1;
  const long double M22 = p->m2 * (p->l2 * p->l2 / 3 + r2), M12 = mixed * cosl(d);
  const long double f1 =
      -mixed * sinl(d) * y[3] * y[3] - (p->m1 / 2 + p->m2) * p->l1 * g * sinl(y[0]);
  const long double f2 = mixed * sinl(d) * y[2] * y[2] - p->m2 * p->l2 / 2 * g * sinl(y[1]);
  const long double det = M11 * M22 - M12 * M12;
  (void)t;
  dy[0] = y[2], dy[1] = y[3];
  dy[2] = (M22 * f1 - M12 * f2) / det;
  dy[3] = (M11 * f2 - M12 * f1) / det;
}

static void test_double_pendulum(void **state)
{
  (void)state;
  const struct rods p = {1, 0.8L, 1.5L, 1, 0.01L};
  const long double degree = 3.14159265358979323846264338L / 180;
  long double y[4] = {120 * degree, 150 * degree, 0, 0}, dy[4];
  cmbt_run r;
  cmbt_run_open(&r, "double-pendulum", CMB_FORM_EXPLICIT, 0, NULL);
  r.rtol = 1e-12;
  cmbt_run_to(&r, 2, 0);
  cmbt_extrapolate(double_pendulum, &p, 4, 0, 2, 400, y);
  double_pendulum(&p, 2, y, dy);
  cmbt_near(cmbt_output(&r, "upper_angle"), (double)(y[0] / degree), 1e-7);
  cmbt_near(cmbt_output(&r, "lower_angle"), (double)(y[1] / degree), 1e-7);
  cmbt_near(cmbt_velocity(&r, "phi'"), (double)y[2], 1e-8);
  /* the hinge force on the lower rod is m2 (a - gravity) with the acceleration a of its centre */
  const long double half = p.l2 / 2;
  const long double ax = p.l1 * (cosl(y[0]) * dy[2] - sinl(y[0]) * y[2] * y[2]) +
                         half * (cosl(y[1]) * dy[3] - sinl(y[1]) * y[3] * y[3]);
  const long double az = p.l1 * (sinl(y[0]) * dy[2] + cosl(y[0]) * y[2] * y[2]) +
                         half * (sinl(y[1]) * dy[3] + cosl(y[1]) * y[3] * y[3]);
  cmbt_near(cmbt_output(&r, "hinge_x"), (double)(p.m2 * ax), 1e-6);
  cmbt_near(cmbt_output(&r, "hinge_z"), (double)(p.m2 * (az + 9.81L)), 1e-6);
  cmbt_run_close(&r);
}

/* ---- gyroscope */

static const double MASS = 0.5, RADIUS = 0.06, THICKNESS = 0.02, ARM = 0.08, SPIN = 200;

/* Returns the rotor's moment of inertia about the shaft. */
static double axial_inertia(void)
{
  return MASS * RADIUS * RADIUS / 2;
}

/* Returns the moment of inertia about an axis through the fixed point, perpendicular to the shaft. */
static double transverse_inertia(void)
{
  return MASS * (RADIUS * RADIUS / 4 + THICKNESS * THICKNESS / 12 + ARM * ARM);
}

/* Checks that the angular momentum about the vertical (L_z) and about the shaft (L_3) and the energy are constant over all rows. */
static void check_conserved(const cmbt_run *r)
{
  static const char *const names[] = {"L_z", "L_3", "energy"};
  for (int k = 0; k < 3; k++) {
    double first = cmbt_row(r, 0, names[k]);
    for (int i = 0; i < r->row_count; i++) {
      cmbt_near(cmbt_row(r, i, names[k]) / first, 1, 1e-8);
    }
  }
}

static void test_steady_precession(void **state)
{
  (void)state;
  const double tilt = 50 * PI / 180, A = transverse_inertia(), C = axial_inertia(),
               load = MASS * GRAVITY * ARM;
  const double root = sqrt(C * SPIN * C * SPIN - 4 * A * cos(tilt) * load);
  const double Omega = (C * SPIN - root) / (2 * A * cos(tilt));
  cmbt_run r;
  cmbt_run_open(&r, "gyroscope", CMB_FORM_EXPLICIT, 0, NULL);
  cmbt_run_to(&r, 2, 0.01);
  for (int i = 0; i < r.row_count; i++) {
    double angle = Omega * cmbt_row(&r, i, "t");
    cmbt_near(cmbt_row(&r, i, "axis_x"), sin(tilt) * cos(angle), 1e-8);
    cmbt_near(cmbt_row(&r, i, "axis_y"), sin(tilt) * sin(angle), 1e-8);
    cmbt_near(cmbt_row(&r, i, "axis_z"), cos(tilt), 1e-8);
    cmbt_near(cmbt_row(&r, i, "L_3"), C * SPIN, 1e-10);
  }
  check_conserved(&r);
  cmbt_run_close(&r);
}

/* Checks the nutation of a top whose shaft starts without velocity at u0 = cos θ: the shaft falls to u1 = λ − sqrt(λ² − 2 λ u0 + 1) with
 * λ = L3²/(4 A m g s) (A: transverse moment of inertia, s: arm) and returns to u0. */
static void test_nutation(void **state)
{
  (void)state;
  const double L3 = axial_inertia() * SPIN, u0 = cos(50 * PI / 180);
  const double lambda = L3 * L3 / (4 * transverse_inertia() * MASS * GRAVITY * ARM);
  const double u1 = lambda - sqrt(lambda * lambda - 2 * lambda * u0 + 1);
  const cmb_setting free = {"steady", 0};
  double lowest = 1, highest = -1;
  cmbt_run r;
  cmbt_run_open(&r, "gyroscope", CMB_FORM_EXPLICIT, 1, &free);
  cmbt_run_to(&r, 0.5, 1e-4);
  for (int i = 0; i < r.row_count; i++) {
    lowest = fmin(lowest, cmbt_row(&r, i, "axis_z"));
    if (i > r.row_count / 4) highest = fmax(highest, cmbt_row(&r, i, "axis_z"));
  }
  cmbt_near(lowest, u1, 1e-7);
  cmbt_near(highest, u0, 1e-7);
  assert_true(u0 - u1 > 0.01);
  check_conserved(&r);
  cmbt_run_close(&r);
}

/* ---- chain */

enum { LINKS = 12 };

/* Compares the chain with the same problem written in C. The model's angles are relative to the link before, the problem's absolute; the
 * suspension is driven faster than by default (omega = 2), so that the chain sways by more than 0.05 rad. */
static void test_chain_against_c(void **state)
{
  (void)state;
  const double t_end = 10, l = 1;
  const cmb_setting fast = {"omega", 2};
  cmb_run_options options = cmb_run_defaults();
  cmb_system *system;
  cmb_simulation *sim;
  cmbt_run r;
  cmbt_run_open(&r, "chain", CMB_FORM_EXPLICIT, 1, &fast);
  cmbt_run_to(&r, t_end, 0);
  cmbt_ok(r.ctx, cmb_problem_create(r.ctx, cmb_problem_find("pendulum-chain"), 1, &fast, &system));
  options.method = cmb_method_find("mdop853");
  options.integrator.rtol = 1e-12;
  options.integrator.atol = 1e-14;
  options.t_end = t_end;
  cmbt_ok(r.ctx, cmb_simulation_create(r.ctx, system, &options, &sim));
  cmbt_ok(r.ctx, cmb_simulation_run(sim));
  const cmb_result *c = cmb_simulation_result(sim);
  double angle = 0, rate = 0, most = 0;
  for (int i = 0; i < LINKS; i++) {
    angle += r.result->q[2 + i], rate += r.result->v[2 + i];
    most = fmax(most, fabs(c->q[i]));
    cmbt_near(angle, c->q[i], 1e-8);
    cmbt_near(rate, c->v[i], 1e-8);
  }
  assert_true(most > 0.05); /* the chain sways */
  cmbt_near(cmbt_output(&r, "link12.x"), c->outputs[0], 1e-8 * l);
  cmbt_near(cmbt_output(&r, "link12.z"), c->outputs[1], 1e-8 * l);
  cmb_simulation_destroy(sim);
  cmb_system_destroy(system);
  cmbt_run_close(&r);
}

/* Returns Laguerre's polynomial of degree n at x > 0 and its derivative in *slope, by the three-term recurrence. */
static double laguerre(int n, double x, double *slope)
{
  double before = 1, L = 1 - x;
  for (int k = 1; k < n; k++) {
    double next = ((2 * k + 1 - x) * L - k * before) / (k + 1);
    before = L, L = next;
  }
  *slope = n * (L - before) / x;
  return L;
}

/* Computes the n zeros of Laguerre's polynomial in ascending order, by Newton's method with the zeros found so far divided out. Each iteration
 * starts below the zero sought, from where it converges monotonically. */
static void laguerre_zeros(int n, double *zero)
{
  for (int k = 0; k < n; k++) {
    double x = k > 0 ? zero[k - 1] * (1 + 1e-6) : 1e-6;
    for (int i = 0; i < 200; i++) {
      double slope, L = laguerre(n, x, &slope), ratio = slope / L;
      for (int j = 0; j < k; j++) ratio -= 1 / (x - zero[j]);
      double step = 1 / ratio;
      x -= step;
      if (fabs(step) <= 1e-15 * x) break;
    }
    zero[k] = x;
  }
}

/* Compares the eigenfrequencies of the hanging chain with sqrt(g x_i), where x_i are the zeros of Laguerre's polynomial of degree 12. */
static void test_chain_frequencies(void **state)
{
  (void)state;
  const cmb_setting still[] = {{"shift_x", 0}, {"shift_z", 0}};
  cmb_linearization *lin;
  double zero[LINKS];
  cmbt_run r;
  cmbt_run_open(&r, "chain", CMB_FORM_RESIDUAL, 2, still);
  cmbt_run_start(&r);
  cmbt_ok(r.ctx, cmb_linearize(r.ctx, r.eq, 0, r.result->q, r.result->v, &lin));
  laguerre_zeros(LINKS, zero);
  assert_int_equal(lin->eigenmode_count, LINKS);
  for (int i = 0; i < LINKS; i++) {
    cmbt_near(lin->eigenmodes[i].im / sqrt(zero[i] * GRAVITY), 1, 1e-9);
    cmbt_below(fabs(lin->eigenmodes[i].re), 1e-6);
  }
  cmb_linearization_destroy(lin);
  cmbt_run_close(&r);
}

/* Checks that the energy is constant while the suspension is fixed, and that with a driven suspension the energy grows by the integral of the
 * output `power`. */
static void test_chain_energy(void **state)
{
  (void)state;
  const cmb_setting swing[] = {{"shift_x", 0}, {"shift_z", 0}, {"first", 1}};
  const cmb_setting driven[] = {{"omega", 3}};
  cmbt_run r;
  cmbt_run_open(&r, "chain", CMB_FORM_EXPLICIT, 3, swing);
  cmbt_run_to(&r, 2, 0.1);
  for (int i = 0; i < r.row_count; i++) {
    cmbt_near(cmbt_row(&r, i, "energy"), cmbt_row(&r, 0, "energy"), 1e-5);
  }
  assert_true(cmbt_output(&r, "link12.x") < 11.5); /* the chain has swung down */
  cmbt_run_close(&r);

  cmbt_run_open(&r, "chain", CMB_FORM_EXPLICIT, 1, driven);
  cmbt_run_to(&r, 2, 0.001);
  double gain = cmbt_output(&r, "energy") - cmbt_row(&r, 0, "energy");
  assert_true(fabs(gain) > 1);
  cmbt_near(cmbt_integral(&r, "power"), gain, 1e-6 * fabs(gain));
  cmbt_run_close(&r);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_simple_pendulum),   cmocka_unit_test(test_double_pendulum),
      cmocka_unit_test(test_steady_precession), cmocka_unit_test(test_nutation),
      cmocka_unit_test(test_chain_against_c),   cmocka_unit_test(test_chain_frequencies),
      cmocka_unit_test(test_chain_energy),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
