/*
 * Whole simulations compared with exact solutions and with each other, for every method:
 *
 * - the circular track, whose controlled speed has a closed-form solution;
 * - the heavy top in steady precession, with Euler parameters, so that T ≠ I, nq > nv and M is a matrix;
 * - a chain of 40 pendulums in Cartesian coordinates (120 unknowns in the KKT matrix, sparse, by KLU) and the bundled chain in joint angles
 *   (dense, no constraints): two formulations of one motion;
 * - the energy of the pendulum over a long time.
 */
#include "check.h"
#include "methods.h"

#include "math/rotation.h"
#include "math/vec3.h"

#include <camber/camber.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINKS = 40, MOST = 2 * LINKS };

struct outcome {
  double q[MOST], v[MOST], lambda[MOST], outputs[4], position, velocity;
};

static void run(cmb_context *ctx, const cmb_system *system, const char *method, double tolerance,
                double t_end, struct outcome *o)
{
  const cmb_equations *eq = cmb_system_equations(system);
  cmb_run_options options = cmb_run_defaults();
  cmb_simulation *sim;
  options.method = cmb_method_find(method);
  options.integrator.rtol = options.integrator.atol = tolerance;
  options.t_end = t_end;
  cmbt_ok(ctx, cmb_simulation_create(ctx, system, &options, &sim));
  cmbt_ok(ctx, cmb_simulation_run(sim));
  const cmb_result *r = cmb_simulation_result(sim);
  memcpy(o->q, r->q, (size_t)eq->nq * sizeof *o->q);
  memcpy(o->v, r->v, (size_t)eq->nv * sizeof *o->v);
  memcpy(o->lambda, r->lambda, (size_t)eq->ng * sizeof *o->lambda);
  memcpy(o->outputs, r->outputs, (size_t)eq->no * sizeof *o->outputs);
  o->position = r->worst_position;
  o->velocity = r->worst_velocity;
  cmb_simulation_destroy(sim);
}

/* ---- circular track: r = s t (1 − exp(−5 t)), at radius 1; λ from the radial balance ---- */

static void test_circular_track(void **state)
{
  (void)state;
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_system *system;
  cmbt_ok(ctx, cmb_problem_create(ctx, cmb_problem_find("circular-track"), 0, NULL, &system));
  for (int i = 0; i < cmb_method_count(); i++) {
    struct outcome o;
    double t = 3, way = t * (1 - exp(-5 * t)), speed = 1 - exp(-5 * t) * (1 - 5 * t);
    if (cmb_method_is_real_time(cmb_method_at(i))) continue;
    run(ctx, system, cmb_method_name(cmb_method_at(i)), 1e-10, t, &o);
    cmbt_near(o.q[0], cos(way), 1e-8);
    cmbt_near(o.q[1], sin(way), 1e-8);
    cmbt_near(o.q[2], way, 1e-8);
    cmbt_near(o.v[0], -speed * sin(way), 1e-8);
    cmbt_near(o.v[1], speed * cos(way), 1e-8);
    cmbt_near(2 * o.lambda[0], 10 + speed * speed, 1e-5); /* F_R + m v²/r; hem5's λ is of order 3 */
    cmbt_below(o.position, 1e-10);
  }
  cmb_system_destroy(system);
  cmb_context_destroy(ctx);
}

/* ---- heavy top: q = (x, p), v = (ẋ, ω'), the body point −d e3 held at the origin ---- */

struct top {
  double m, d, g, J1, J3;
};

static void top_rates(const void *self, const double *q, const double *v, double *qdot)
{
  (void)self;
  memcpy(qdot, v, 3 * sizeof *v);
  cmb_euler_rates(q + 3, v + 3, qdot + 3);
}

static void top_normalize(const void *self, double *q)
{
  (void)self;
  cmb_euler_normalize(q + 3);
}

static void top_mass(const struct top *p, double *M)
{
  memset(M, 0, 36 * sizeof *M);
  for (int i = 0; i < 3; i++) M[7 * i] = p->m;
  M[7 * 3] = M[7 * 4] = p->J1;
  M[7 * 5] = p->J3;
}

/* Evaluates g = x + A s' with s' = −d e3, its derivative ẋ + A (ω' × s') = ẋ − A s̃' ω', and γ = A (ω' × (ω' × s')). */
static cmb_status top_evaluate(const void *self, const cmb_point *at, const cmb_terms *want)
{
  const struct top *p = self;
  const double *q = at->q, s[3] = {0, 0, -p->d};
  double A[9], As[3];
  cmb_rotation_from_euler(q + 3, A);
  cmb_mul3(A, s, As);
  if (want->M) top_mass(p, want->M);
  if (want->f) {
    const double *w = at->v + 3, Jw[3] = {p->J1 * w[0], p->J1 * w[1], p->J3 * w[2]};
    double torque[3];
    cmb_cross3(Jw, w, torque);
    want->f[0] = want->f[1] = 0, want->f[2] = -p->m * p->g;
    memcpy(want->f + 3, torque, sizeof torque);
  }
  for (int i = 0; want->g && i < 3; i++) want->g[i] = q[i] + As[i];
  for (int i = 0; want->gt && i < 3; i++) want->gt[i] = 0;
  if (want->G) {
    const double tilde[9] = {0, -s[2], s[1], s[2], 0, -s[0], -s[1], s[0], 0};
    double At[9];
    cmb_mul33(A, tilde, At);
    memset(want->G, 0, 18 * sizeof *want->G);
    for (int i = 0; i < 3; i++) {
      want->G[6 * i + i] = 1;
      for (int j = 0; j < 3; j++) want->G[6 * i + 3 + j] = -At[3 * i + j];
    }
  }
  if (want->gamma) {
    double ws[3], wws[3];
    cmb_cross3(at->v + 3, s, ws);
    cmb_cross3(at->v + 3, ws, wws);
    cmb_mul3(A, wws, want->gamma);
  }
  return CMB_OK;
}

static const char *const top_q[] = {"x", "y", "z", "e0", "e1", "e2", "e3"};
static const char *const top_v[] = {"x'", "y'", "z'", "w1", "w2", "w3"};
static const char *const top_g[] = {"tip x", "tip y", "tip z"};

/* Compares with steady precession. The rate W at the tilt θ needs the spin w3 = ((J1 + m d²) W² cos θ + m g d)/(J3 W); then the centre
 * moves on a circle, x = d (sin θ sin W t, −sin θ cos W t, cos θ) for a start tilted about x. */
static void test_heavy_top(void **state)
{
  (void)state;
  const struct top top = {.m = 1.5, .d = 0.4, .g = 9.81, .J1 = 0.1, .J3 = 0.2};
  const double theta = 0.6, W = 3, axis[3] = {1, 0, 0}, z[3] = {0, 0, 1};
  double spin = ((top.J1 + top.m * top.d * top.d) * W * W * cos(theta) + top.m * top.g * top.d) /
                (top.J3 * W);
  double q[7], v[6], A[9], z_body[3], velocity[3], arm[3] = {0, 0, top.d};
  cmb_rotation_from_axis(axis, theta, A);
  cmb_euler_from_rotation(A, q + 3);
  cmb_mul3(A, arm, q);
  cmb_mul3t(A, z, z_body);
  for (int i = 0; i < 3; i++) v[3 + i] = W * z_body[i];
  v[5] = spin;
  cmb_cross3(v + 3, arm, velocity);
  cmb_mul3(A, velocity, v);
  const cmb_equations eq = {.name = "top",
                            .nq = 7,
                            .nv = 6,
                            .ng = 3,
                            .q_names = top_q,
                            .v_names = top_v,
                            .g_names = top_g,
                            .lambda_names = top_g,
                            .mass_constant = true,
                            .self = &top,
                            .evaluate = top_evaluate,
                            .rates = top_rates,
                            .normalize = top_normalize};
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_system *system;
  cmbt_ok(ctx, cmb_system_create(ctx, &eq, 0, 1, q, v, &system));
  for (int i = 0; i < cmb_method_count(); i++) {
    struct outcome o;
    const double t = 5;
    if (!cmbt_is_short(cmb_method_at(i))) continue;
    run(ctx, system, cmb_method_name(cmb_method_at(i)), 1e-11, t, &o);
    cmbt_near(o.q[0], top.d * sin(theta) * sin(W * t), 1e-8);
    cmbt_near(o.q[1], -top.d * sin(theta) * cos(W * t), 1e-8);
    cmbt_near(o.q[2], top.d * cos(theta), 1e-8);
    cmbt_near(o.v[5], spin, 1e-8);
    cmbt_near(o.q[3] * o.q[3] + o.q[4] * o.q[4] + o.q[5] * o.q[5] + o.q[6] * o.q[6], 1, 1e-14);
    cmbt_below(o.position, 1e-11);
    cmbt_below(o.velocity, 1e-13);
  }
  cmb_system_destroy(system);
  cmb_context_destroy(ctx);
}

/* ---- the chain in Cartesian coordinates: g_i = (|r_i − r_{i−1}|² − l²)/2, r_0 the suspension ---- */

struct suspension {
  double r[2], v[2], a[2];
};

static struct suspension suspension_at(double t)
{
  const double w = 0.05, s = sin(w * t), c = cos(w * t);
  return (struct suspension){
      {2 + 0.3 * s, 0.2 * s}, {0.3 * w * c, 0.2 * w * c}, {-0.3 * w * w * s, -0.2 * w * w * s}};
}

static cmb_status links_evaluate(const void *self, const cmb_point *at, const cmb_terms *want)
{
  (void)self;
  const struct suspension top = suspension_at(at->t);
  for (int i = 0; want->M && i < 2 * LINKS; i++) want->M[i] = 1;
  for (int i = 0; want->f && i < 2 * LINKS; i++) want->f[i] = i % 2 ? -9.81 : 0;
  double *G = want->G;
  for (int i = 0; i < LINKS; i++) {
    const double *before = i ? at->q + 2 * i - 2 : top.r, *here = at->q + 2 * i;
    double d[2] = {here[0] - before[0], here[1] - before[1]};
    if (want->g) want->g[i] = (d[0] * d[0] + d[1] * d[1] - 1) / 2;
    if (want->gt) want->gt[i] = i ? 0 : -(d[0] * top.v[0] + d[1] * top.v[1]);
    if (G) {
      if (i) *G++ = -d[0], *G++ = -d[1];
      *G++ = d[0], *G++ = d[1];
    }
    if (want->gamma) {
      const double *v0 = i ? at->v + 2 * i - 2 : top.v, *v1 = at->v + 2 * i;
      double u[2] = {v1[0] - v0[0], v1[1] - v0[1]};
      want->gamma[i] = u[0] * u[0] + u[1] * u[1];
      if (i == 0) want->gamma[i] -= d[0] * top.a[0] + d[1] * top.a[1];
    }
  }
  return CMB_OK;
}

static void links_pattern(int *start, int *column)
{
  int k = 0;
  for (int i = 0; i < LINKS; i++) {
    start[i] = k;
    for (int j = i ? 2 * i - 2 : 0; j < 2 * i + 2; j++) column[k++] = j;
  }
  start[LINKS] = k;
}

/* Returns the initial angle of rod i: both chains start without angular velocities, with the rods fanned out. */
static double first_angle(int i)
{
  return 0.5 + 0.01 * i;
}

static cmb_system *links_system(cmb_context *ctx, const cmb_equations *eq)
{
  double q[2 * LINKS], v[2 * LINKS], x = 2, y = 0;
  cmb_system *system;
  for (int i = 0; i < LINKS; i++) {
    q[2 * i] = x += sin(first_angle(i));
    q[2 * i + 1] = y -= cos(first_angle(i));
    v[2 * i] = 0.3 * 0.05, v[2 * i + 1] = 0.2 * 0.05; /* as the suspension: no angular velocity */
  }
  cmbt_ok(ctx, cmb_system_create(ctx, eq, 0, 1, q, v, &system));
  return system;
}

static cmb_system *angles_system(cmb_context *ctx)
{
  const cmb_setting n = {"N", LINKS};
  cmb_system *system;
  cmbt_ok(ctx, cmb_problem_create(ctx, cmb_problem_find("pendulum-chain"), 1, &n, &system));
  for (int i = 0; i < LINKS; i++) {
    cmb_setting start = {cmb_system_equations(system)->q_names[i], first_angle(i)};
    cmbt_ok(ctx, cmb_system_set_start(ctx, system, 1, &start));
  }
  return system;
}

static void test_two_formulations(void **state)
{
  (void)state;
  static const char *names[2 * LINKS];
  int start[LINKS + 1], column[4 * LINKS];
  links_pattern(start, column);
  for (int i = 0; i < 2 * LINKS; i++) names[i] = "coordinate";
  const cmb_pattern G = {LINKS, 2 * LINKS, start, column};
  const cmb_equations eq = {.name = "links",
                            .nq = 2 * LINKS,
                            .nv = 2 * LINKS,
                            .ng = LINKS,
                            .q_names = names,
                            .v_names = names,
                            .g_names = names,
                            .lambda_names = names,
                            .mass_constant = true,
                            .mass_diagonal = true,
                            .G_pattern = &G,
                            .evaluate = links_evaluate};
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_system *links = links_system(ctx, &eq), *angles = angles_system(ctx);
  struct outcome reference, o;
  const double t = 1;
  run(ctx, angles, "mdop853", 1e-11, t, &reference);
  for (int i = 0; i < cmb_method_count(); i++) {
    if (!cmbt_is_precise(cmb_method_at(i))) continue;
    run(ctx, links, cmb_method_name(cmb_method_at(i)), 1e-9, t, &o);
    struct suspension top = suspension_at(t);
    double x = top.r[0], y = top.r[1];
    for (int k = 0; k < LINKS; k++) {
      cmbt_near(o.q[2 * k], x += sin(reference.q[k]), 1e-7);
      cmbt_near(o.q[2 * k + 1], y -= cos(reference.q[k]), 1e-7);
    }
    cmbt_below(o.position, 1e-9);
  }
  cmb_system_destroy(links);
  cmb_system_destroy(angles);
  cmb_context_destroy(ctx);
}

/* ---- a rotating unit vector without constraints: q = (c, s), one velocity; every record has length 1 ---- */

static void turn_rates(const void *self, const double *q, const double *v, double *qdot)
{
  (void)self;
  qdot[0] = -q[1] * v[0];
  qdot[1] = q[0] * v[0];
}

static void turn_normalize(const void *self, double *q)
{
  (void)self;
  double length = hypot(q[0], q[1]);
  q[0] /= length;
  q[1] /= length;
}

static cmb_status turn_evaluate(const void *self, const cmb_point *at, const cmb_terms *want)
{
  (void)self;
  if (want->M) want->M[0] = 1;
  if (want->f) want->f[0] = -at->q[1];
  return CMB_OK;
}

static cmb_status unit_length(void *user, const cmb_record *record)
{
  (void)user;
  cmbt_near(hypot(record->q[0], record->q[1]), 1, 1e-15);
  return CMB_OK;
}

/* Checks the length in all records, and that a second run of the same simulation has the same number of steps. */
static void test_normalized_records(void **state)
{
  (void)state;
  static const char *const names[] = {"c", "s"};
  const cmb_equations eq = {.name = "turn",
                            .nq = 2,
                            .nv = 1,
                            .q_names = names,
                            .v_names = names,
                            .evaluate = turn_evaluate,
                            .rates = turn_rates,
                            .normalize = turn_normalize};
  const double q[2] = {1, 0}, v[1] = {3};
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_system *system;
  cmbt_ok(ctx, cmb_system_create(ctx, &eq, 0, 5, q, v, &system));
  for (int i = 0; i < cmb_method_count(); i++) {
    cmb_run_options options = cmb_run_defaults();
    cmb_simulation *sim;
    options.method = cmb_method_at(i);
    if (cmb_method_is_real_time(options.method))
      continue; /* cannot normalise q of equations in C */
    options.integrator.rtol = options.integrator.atol = 1e-4;
    options.every = 0.01;
    options.observer.record = unit_length;
    cmbt_ok(ctx, cmb_simulation_create(ctx, system, &options, &sim));
    cmbt_ok(ctx, cmb_simulation_run(sim));
    const long steps = cmb_simulation_result(sim)->statistics->steps;
    cmbt_ok(ctx, cmb_simulation_run(sim));
    assert_int_equal(cmb_simulation_result(sim)->statistics->steps, steps);
    assert_int_equal(cmb_simulation_result(sim)->records, 501);
    cmb_simulation_destroy(sim);
  }
  cmb_system_destroy(system);
  cmb_context_destroy(ctx);
}

/* ---- energy: relative change below 1e-5 over 2,000 s at a tolerance of 1e-9 ---- */

static void test_energy(void **state)
{
  (void)state;
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_system *system;
  cmb_setting setting = {"angle", 1};
  cmbt_ok(ctx, cmb_problem_create(ctx, cmb_problem_find("pendulum"), 1, &setting, &system));
  double energy = 9.81 * (1 - cos(1.0));
  for (int i = 0; i < cmb_method_count(); i++) {
    struct outcome o;
    if (!cmbt_is_precise(cmb_method_at(i))) continue; /* L-stable methods dissipate energy */
    const char *method = cmb_method_name(cmb_method_at(i));
    run(ctx, system, method, 1e-9, 2000, &o);
    printf("%-8s relative change of energy after 2000 s: %.1e, worst |g| %.1e\n", method,
           o.outputs[1] / energy - 1, o.position);
    cmbt_near(o.outputs[1] / energy, 1, 1e-5);
    cmbt_below(o.position, 1e-9);
    cmbt_below(o.velocity, 1e-14);
  }
  cmb_system_destroy(system);
  cmb_context_destroy(ctx);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_circular_track),   cmocka_unit_test(test_heavy_top),
      cmocka_unit_test(test_two_formulations), cmocka_unit_test(test_normalized_records),
      cmocka_unit_test(test_energy),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
