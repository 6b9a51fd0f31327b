/*
 * Tests of cmb_linearize: eigenvalues against closed forms, at rest and in steady rotation, with constraints and Euler parameters; mode
 * shapes; the matrix A of ẋ = A x against difference quotients of the equations of motion in local coordinates; the change of velocities that
 * constraints require for a displacement; failures.
 */
#include "check.h"
#include "failing_allocator.h"
#include "model_run.h"
#include "top.h"

#include "dae/project.h"
#include "math/dense.h"
#include "math/pattern.h"
#include "system/linearize.h"

#include <camber/camber.h>
#include <string.h>

enum { MOST = 16 };

static cmb_system *open_problem(cmb_context *ctx, const char *name, int count,
                                const cmb_setting *settings)
{
  cmb_system *system;
  cmbt_ok(ctx, cmb_problem_create(ctx, cmb_problem_find(name), count, settings, &system));
  return system;
}

/* Returns the eigenmode nearest to the eigenvalue re + i im; fails if the distance exceeds the tolerance. */
static const cmb_eigenmode *find_mode(const cmb_linearization *l, double re, double im,
                                      double tolerance)
{
  const cmb_eigenmode *best = NULL;
  double least = INFINITY;
  for (int i = 0; i < l->eigenmode_count; i++) {
    double distance = hypot(l->eigenmodes[i].re - re, l->eigenmodes[i].im - im);
    if (distance < least) {
      least = distance;
      best = &l->eigenmodes[i];
    }
  }
  if (!(least <= tolerance)) fail_msg("no eigenvalue %.12g + %.12g i: off by %.3g", re, im, least);
  return best;
}

/* Checks a pendulum of length l = 2.5 at rest: ω = sqrt(g/l), no damping, and a horizontal mode shape. */
static void test_pendulum(void **state)
{
  (void)state;
  cmb_context *ctx = cmb_context_create(NULL);
  const cmb_setting settings[] = {{"l", 2.5}};
  cmb_system *system = open_problem(ctx, "pendulum", 1, settings);
  cmb_linearization *l;
  const double q[2] = {0, -2.5}, v[2] = {0, 0};
  double g = 9.81, omega = sqrt(g / 2.5);
  cmbt_ok(ctx, cmb_linearize(ctx, cmb_system_equations(system), 0, q, v, &l));
  assert_int_equal(l->freedoms, 1);
  assert_int_equal(l->eigenmode_count, 1);
  const cmb_eigenmode *m = find_mode(l, 0, omega, 1e-7);
  cmbt_near(m->frequency, omega / (2 * acos(-1)), 1e-8);
  cmbt_near(m->damping, 0, 1e-8);
  assert_false(m->neutral);
  assert_int_equal(m->most, 0);
  assert_true(m->shape_re[0] == 1 && m->shape_im[0] == 0);
  cmbt_near(hypot(m->shape_re[1], m->shape_im[1]), 0, 1e-12);
  cmb_linearization_destroy(l);
  cmb_system_destroy(system);
  cmb_context_destroy(ctx);
}

/* Checks a chain of n = 5 equal masses on equal rods of length l: ω² = x g/l with the zeros x of the Laguerre polynomial L_n (Abramowitz
 * and Stegun, Table 25.9). */
static void test_chain(void **state)
{
  (void)state;
  static const double zeros[5] = {0.263560319718, 1.413403059107, 3.596425771041, 7.085810005859,
                                  12.640800844276};
  cmb_context *ctx = cmb_context_create(NULL);
  const cmb_setting settings[] = {{"N", 5}, {"l", 0.7}, {"m", 3}, {"shift_x", 0}, {"shift_y", 0}};
  cmb_system *system = open_problem(ctx, "pendulum-chain", 5, settings);
  cmb_linearization *l;
  cmbt_ok(ctx, cmb_linearize(ctx, cmb_system_equations(system), 0, cmb_system_q(system),
                             cmb_system_v(system), &l));
  assert_int_equal(l->eigenmode_count, 5);
  for (int i = 0; i < 5; i++) {
    cmbt_near(l->eigenmodes[i].im, sqrt(zeros[i] * 9.81 / 0.7), 1e-6);
    cmbt_near(l->eigenmodes[i].re, 0, 1e-6);
  }
  /* in the slowest mode all angles have the same sign and increase towards the free end */
  for (int i = 0; i < 5; i++) {
    assert_true(l->eigenmodes[0].shape_re[i] > 0);
    if (i) assert_true(l->eigenmodes[0].shape_re[i] > l->eigenmodes[0].shape_re[i - 1]);
  }
  assert_int_equal(l->eigenmodes[0].most, 4);
  cmb_linearization_destroy(l);
  cmb_system_destroy(system);
  cmb_context_destroy(ctx);
}

/* Two equal masses m between walls, with springs k and dampers c to the walls and kc, cc between them, and exact derivatives with sparsity
 * patterns. In phase: m λ² + c λ + k = 0; in opposite phase: m λ² + (c + 2 cc) λ + k + 2 kc = 0. */
struct pair {
  double m, k, kc, c, cc;
};

static cmb_status pair_evaluate(const void *self, const cmb_point *at, const cmb_terms *want)
{
  const struct pair *p = self;
  const double *q = at->q, *v = at->v;
  if (want->M) want->M[0] = want->M[1] = p->m;
  if (want->f) {
    double between = p->kc * (q[1] - q[0]) + p->cc * (v[1] - v[0]);
    want->f[0] = -p->k * q[0] - p->c * v[0] + between;
    want->f[1] = -p->k * q[1] - p->c * v[1] - between;
  }
  return CMB_OK;
}

static cmb_status pair_derivative(const void *self, const cmb_point *at, const double *a,
                                  const double *lambda, cmb_derivative which, double *J)
{
  const struct pair *p = self;
  double own = which == CMB_RESIDUAL_Q ? p->k + p->kc : p->c + p->cc;
  double other = which == CMB_RESIDUAL_Q ? -p->kc : -p->cc;
  (void)at, (void)a, (void)lambda;
  J[0] = J[3] = own;
  J[1] = J[2] = other;
  return CMB_OK;
}

static cmb_equations pair_equations(const struct pair *p)
{
  static const char *const names[] = {"left", "right"};
  static const int start[] = {0, 2, 4}, column[] = {0, 1, 0, 1};
  static const cmb_pattern pattern = {2, 2, start, column};
  return (cmb_equations){.name = "pair",
                         .nq = 2,
                         .nv = 2,
                         .q_names = names,
                         .v_names = names,
                         .mass_constant = true,
                         .mass_diagonal = true,
                         .self = p,
                         .evaluate = pair_evaluate,
                         .derivative = pair_derivative,
                         .derivative_pattern = {&pattern, &pattern}};
}

/* Checks eigenvalues, frequencies, damping ratios and mode shapes of the two masses. In phase the damping is below critical, then above it,
 * and then there is no spring. */
static void test_spring_damper(void **state)
{
  (void)state;
  const struct pair p = {2, 800, 150, 3, 1.5};
  const double zero[2] = {0, 0};
  cmb_equations eq = pair_equations(&p);
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_linearization *l;
  cmbt_ok(ctx, cmb_linearize(ctx, &eq, 0, zero, zero, &l));
  assert_int_equal(l->eigenmode_count, 2);
  for (int i = 0; i < 2; i++) {
    double k = i ? p.k + 2 * p.kc : p.k, c = i ? p.c + 2 * p.cc : p.c;
    const cmb_eigenmode *m =
        find_mode(l, -c / (2 * p.m), sqrt(k / p.m - c * c / (4 * p.m * p.m)), 1e-12);
    cmbt_near(m->frequency, sqrt(k / p.m) / (2 * acos(-1)), 1e-13);
    cmbt_near(m->damping, c / (2 * sqrt(k * p.m)), 1e-14);
    cmbt_near(m->shape_re[0] * m->shape_re[1], i ? -1 : 1, 1e-12);
    cmbt_near(m->shape_im[0], 0, 1e-12);
    cmbt_near(m->shape_im[1], 0, 1e-12);
  }
  cmb_linearization_destroy(l);

  const struct pair slow = {2, 800, 150, 100, 0}; /* in phase: overdamped, two real eigenvalues */
  eq.self = &slow;
  cmbt_ok(ctx, cmb_linearize(ctx, &eq, 0, zero, zero, &l));
  double root = sqrt(100 * 100 - 4 * 2 * 800.0);
  assert_int_equal(l->eigenmode_count, 4);
  for (int i = 0; i < 2; i++) {
    const cmb_eigenmode *m = find_mode(l, (-100 + (i ? root : -root)) / 4, 0, 1e-12);
    cmbt_near(m->damping, 1, 0);
    assert_true(m->im == 0);
  }
  cmb_linearization_destroy(l);

  const struct pair loose = {2, 0, 150, 0, 0}; /* in phase: no restoring force */
  eq.self = &loose;
  cmbt_ok(ctx, cmb_linearize(ctx, &eq, 0, zero, zero, &l));
  find_mode(l, 0, sqrt(150), 1e-12);
  assert_int_equal(l->eigenmode_count, 3);
  for (int i = 0; i < 3; i++) assert_int_equal(l->eigenmodes[i].neutral, i < 2);
  assert_true(l->eigenmodes[0].frequency == 0);
  cmb_linearization_destroy(l);
  cmb_context_destroy(ctx);
}

/* Evaluates the spherical pendulum in cylindrical coordinates (ρ, φ, z) with the constraint ρ² + z² = l². In steady conical motion at the
 * angle θ to the vertical it rotates with Ω² = g/(l cos θ); small deviations oscillate with Ω sqrt(1 + 3 cos²θ) (e.g. Landau and Lifshitz,
 * Mechanics §14). Constant changes of φ and of Ω give two eigenvalues 0. */
static cmb_status cone(const void *self, const cmb_point *at, const cmb_terms *want)
{
  const double *q = at->q, *v = at->v, g = 9.81, length = *(const double *)self;
  if (want->M) want->M[0] = want->M[2] = 1, want->M[1] = q[0] * q[0];
  if (want->f) {
    want->f[0] = q[0] * v[1] * v[1];
    want->f[1] = -2 * q[0] * v[0] * v[1];
    want->f[2] = -g;
  }
  if (want->g) want->g[0] = (q[0] * q[0] + q[2] * q[2] - length * length) / 2;
  if (want->G) want->G[0] = q[0], want->G[1] = 0, want->G[2] = q[2];
  if (want->gt) want->gt[0] = 0;
  if (want->gamma) want->gamma[0] = v[0] * v[0] + v[2] * v[2];
  return CMB_OK;
}

/* Checks the frequency Ω sqrt(1 + 3 cos²θ), and that the mode shape is tangent to the sphere; all other eigenmodes are neutral. */
static void test_conical_pendulum(void **state)
{
  (void)state;
  static const char *const names[] = {"rho", "phi", "z"};
  const double length = 1.3, theta = 0.6;
  cmb_equations eq = {.name = "cone",
                      .nq = 3,
                      .nv = 3,
                      .ng = 1,
                      .q_names = names,
                      .v_names = names,
                      .g_names = names,
                      .lambda_names = names,
                      .mass_diagonal = true,
                      .self = &length,
                      .evaluate = cone};
  double turning = sqrt(9.81 / (length * cos(theta)));
  const double q[3] = {length * sin(theta), 0.4, -length * cos(theta)}, v[3] = {0, turning, 0};
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_linearization *l;
  cmbt_ok(ctx, cmb_linearize(ctx, &eq, 0, q, v, &l));
  assert_int_equal(l->freedoms, 2);
  cmbt_below(fabs(l->a[l->a_most]), 1e-14);
  const cmb_eigenmode *m = find_mode(l, 0, turning * sqrt(1 + 3 * cos(theta) * cos(theta)), 1e-6);
  cmbt_near(hypot(m->shape_re[2], m->shape_im[2]) / hypot(m->shape_re[0], m->shape_im[0]),
            tan(theta), 1e-7); /* tangent to the sphere */
  int neutral = 0;
  for (int i = 0; i < l->eigenmode_count; i++) neutral += l->eigenmodes[i].neutral;
  assert_int_equal(neutral, l->eigenmode_count - 1);
  cmb_linearization_destroy(l);
  cmb_context_destroy(ctx);
}

/* Checks the sleeping top, upright and rotating with Ω about its axis. The complex tilt ξ in space satisfies I ξ¨ − i J Ω ξ˙ − m g h ξ = 0,
 * so ξ ~ exp(iνt) with I ν² − J Ω ν + m g h = 0. Displacements are along the axes of the body, which rotate with Ω: the frequency is ν −
 * Ω. */
static void check_sleeping_top(cmb_context *ctx, double spin)
{
  const struct cmbt_top top = {3, 0.4, {0.06, 0.06}, 0.2, 9.81};
  const double e[4] = {0.8, 0, 0, 0.6}, omega[3] = {0, 0, spin};
  cmb_equations eq = cmbt_top_equations(&top);
  double q[7], v[6], I = 0.06 + 3 * 0.4 * 0.4, J = 0.2, weight = 3 * 9.81 * 0.4;
  double square = J * J * spin * spin - 4 * I * weight, root = sqrt(fabs(square)) / (2 * I);
  double middle = J * spin / (2 * I) - spin;
  cmb_linearization *l;
  cmbt_top_state(&top, e, omega, q, v);
  cmbt_ok(ctx, cmb_linearize(ctx, &eq, 0, q, v, &l));
  assert_int_equal(l->freedoms, 3);
  if (square > 0) {
    find_mode(l, 0, fabs(middle + root), 1e-5);
    find_mode(l, 0, fabs(middle - root), 1e-5);
  } else {
    find_mode(l, root, fabs(middle), 1e-5);
    find_mode(l, -root, fabs(middle), 1e-5);
  }
  int neutral = 0;
  for (int i = 0; i < l->eigenmode_count; i++) neutral += l->eigenmodes[i].neutral;
  assert_int_equal(neutral, l->eigenmode_count - 2);
  cmb_linearization_destroy(l);
}

static void test_sleeping_top(void **state)
{
  (void)state;
  cmb_context *ctx = cmb_context_create(NULL);
  check_sleeping_top(ctx, 40);  /* stable */
  check_sleeping_top(ctx, -40); /* stable, opposite rotation */
  check_sleeping_top(ctx, 9);   /* too slow: unstable */
  cmb_context_destroy(ctx);
}

/* Evaluates the car axis with additional dampers to the ground, so that f depends on velocities. */
static cmb_status damped_caraxis(const void *self, const cmb_point *at, const cmb_terms *want)
{
  static const double damping[4] = {0.01, 0.02, 0.005, 0.03};
  const cmb_equations *plain = self;
  CMB_TRY(plain->evaluate(plain->self, at, want));
  for (int i = 0; i < 4 && want->f; i++) want->f[i] -= damping[i] * at->v[i];
  return CMB_OK;
}

/* Local coordinates x = (z, y) of states near (q0, v0) on the constraints: z = P (q − q0) and y = P (v − v0), with P = NᵀM and the tangent
 * space N at q0. */
struct chart {
  cmb_evaluator *ev;
  const double *N, *q0, *v0; /* N: (n x 4), rows are free motions */
  double t;
};

/* Computes the state q, v on the constraints that has the local coordinates x (2n), by simplified Newton iterations with steps orthogonal
 * to the tangent space, which do not change x. */
static void chart_state(const struct chart *c, const double *x, double *q, double *v)
{
  enum { NV = 4, NG = 2, N = 2 };
  cmb_evaluator *ev = c->ev;
  double zero[NV] = {0}, step[NV], defect[NG];
  for (int i = 0; i < NV; i++) {
    q[i] = c->q0[i] + x[0] * c->N[i] + x[1] * c->N[NV + i];
    v[i] = c->v0[i] + x[N] * c->N[i] + x[N + 1] * c->N[NV + i];
  }
  assert_int_equal(cmb_factor_at(ev, c->t, c->q0), CMB_OK);
  for (int k = 0; k < 30; k++) { /* steps along M⁻¹ G(q0)ᵀ */
    cmb_terms want = {.g = defect};
    assert_int_equal(cmb_evaluate(ev, c->t, q, NULL, &want), CMB_OK);
    cmb_solve(ev, zero, defect, step, NULL);
    for (int i = 0; i < NV; i++) q[i] += step[i];
  }
  for (int k = 0; k < 30; k++) {
    double G[NG * NV], gt[NG];
    cmb_terms want = {.G = G, .gt = gt};
    assert_int_equal(cmb_evaluate(ev, c->t, q, NULL, &want), CMB_OK);
    for (int i = 0; i < NG; i++) defect[i] = cmb_dot(NV, G + i * NV, v) + gt[i];
    cmb_solve(ev, zero, defect, step, NULL);
    for (int i = 0; i < NV; i++) v[i] += step[i];
  }
}

/* Computes ẋ at x by the equations of motion. */
static void chart_flow(const struct chart *c, const double *x, double *rate)
{
  enum { NV = 4, N = 2 };
  double q[NV], v[NV], a[NV], lambda[2], mass = 1e-4 * 10 / 2;
  chart_state(c, x, q, v);
  assert_int_equal(cmb_accelerate(c->ev, c->t, q, v, a, lambda), CMB_OK);
  for (int k = 0; k < N; k++) {
    rate[k] = mass * cmb_dot(NV, c->N + k * NV, v);
    rate[N + k] = mass * cmb_dot(NV, c->N + k * NV, a);
  }
}

/* Compares A of the car axis in motion, at t = 0.83, with central differences of ẋ; the difference is at most 1e-7 of the largest entry. */
static void test_against_differences(void **state)
{
  (void)state;
  enum { N = 2, M = 2 * N };
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_system *system = open_problem(ctx, "caraxis", 0, NULL);
  const cmb_equations *plain = cmb_system_equations(system);
  cmb_equations damped = *plain, *eq = &damped;
  damped.self = plain;
  damped.evaluate = damped_caraxis;
  damped.residual = NULL;
  damped.derivative = NULL;
  damped.derivative_pattern[CMB_RESIDUAL_V] = NULL;
  cmb_system *moved;
  cmb_run_options options = cmb_run_defaults();
  cmb_simulation *sim;
  cmb_linearization *l;
  cmbt_ok(ctx,
          cmb_system_create(ctx, eq, 0, 3, cmb_system_q(system), cmb_system_v(system), &moved));
  options.integrator.rtol = options.integrator.atol = 1e-9;
  options.t_end = 0.83;
  cmbt_ok(ctx, cmb_simulation_create(ctx, moved, &options, &sim));
  cmbt_ok(ctx, cmb_simulation_run(sim));
  const cmb_result *r = cmb_simulation_result(sim);
  cmbt_ok(ctx, cmb_linearize(ctx, eq, r->t, r->q, r->v, &l));
  assert_int_equal(l->freedoms, N);

  struct chart c = {.N = l->N, .q0 = r->q, .v0 = r->v, .t = r->t};
  double plus[M], minus[M], x[M] = {0}, largest = 0, wrong = 0;
  const double h[M] = {1e-6, 1e-6, 1e-4, 1e-4};
  cmbt_ok(ctx, cmb_evaluator_create(ctx, eq, &c.ev));
  for (int j = 0; j < M; j++) {
    x[j] = h[j];
    chart_flow(&c, x, plus);
    x[j] = -h[j];
    chart_flow(&c, x, minus);
    x[j] = 0;
    for (int i = 0; i < M; i++) {
      largest = fmax(largest, fabs(l->A[i * M + j]));
      wrong = fmax(wrong, fabs((plus[i] - minus[i]) / (2 * h[j]) - l->A[i * M + j]));
    }
  }
  cmbt_below(wrong, 1e-7 * largest);
  cmb_evaluator_destroy(c.ev);
  cmb_linearization_destroy(l);
  cmb_simulation_destroy(sim);
  cmb_system_destroy(moved);
  cmb_system_destroy(system);
  cmb_context_destroy(ctx);
}

/* Computes q̇ = T(q) v = v + (q1 v1, q2 v2, q0 v0)/2 of a mass on the unit sphere, whose velocities are along axes that depend on its
 * position. It has springs, dampers and forces that depend on q and v; its motion is not steady. */
static void skew_rates(const void *self, const double *q, const double *v, double *qdot)
{
  (void)self;
  for (int i = 0; i < 3; i++) qdot[i] = v[i] + q[(i + 1) % 3] * v[(i + 1) % 3] / 2;
}

/* Evaluates M, f and the constraint (|q|² − 1)/2 = 0 of the mass on the unit sphere. */
static cmb_status skew(const void *self, const cmb_point *at, const cmb_terms *want)
{
  static const double mass[3] = {1, 2, 3}, stiffness[3] = {5, 7, 11}, damping[3] = {0.3, 1.1, 2};
  const double *q = at->q, *v = at->v;
  double rate[3];
  (void)self;
  for (int i = 0; i < 3 && want->M; i++) want->M[i] = mass[i];
  for (int i = 0; i < 3 && want->f; i++) {
    want->f[i] =
        -stiffness[i] * q[i] - damping[i] * v[i] + 4 * q[i] * (v[(i + 1) % 3] - v[(i + 2) % 3]);
  }
  if (want->g) want->g[0] = (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] - 1) / 2;
  if (want->gt) want->gt[0] = 0;
  for (int i = 0; i < 3 && want->G; i++) { /* q·T e_i */
    const double axis[3] = {i == 0, i == 1, i == 2};
    skew_rates(NULL, q, axis, rate);
    want->G[i] = cmb_dot(3, q, rate);
  }
  if (want->gamma) { /* |q̇|² + q·Ṫ v */
    skew_rates(NULL, q, v, rate);
    want->gamma[0] = cmb_dot(3, rate, rate);
    for (int i = 0; i < 3; i++) {
      int next = (i + 1) % 3;
      want->gamma[0] += q[i] * rate[next] * v[next] / 2;
    }
  }
  return CMB_OK;
}

/* Solves T(q) w = d for w. */
static void skew_displacement(const double *q, const double *d, double *w)
{
  double T[9], rate[3], scale[3];
  int pivot[3];
  for (int j = 0; j < 3; j++) {
    const double axis[3] = {j == 0, j == 1, j == 2};
    skew_rates(NULL, q, axis, rate);
    for (int i = 0; i < 3; i++) T[3 * i + j] = rate[i];
  }
  memcpy(w, d, 3 * sizeof *d);
  assert_int_equal(cmb_lu_factor(3, T, scale, pivot), CMB_OK);
  cmb_lu_solve(3, T, pivot, w);
}

/* Computes the rate w_rate of the displacement w, and the accelerations a, of the motion that begins at q0 + T(q0) w and v0 + dv, with the
 * velocities projected to the constraints. Displacements are those from the motion that begins at (q0, v0), solved from T w = δq. */
static void skew_beside(cmb_evaluator *ev, const double *q0, const double *v0, const double *w,
                        const double *dv, double *w_rate, double *a)
{
  const double tau = 1e-4;
  double q[3], v[3], lambda[1], rate0[3], rate[3], at[2][3];
  skew_rates(NULL, q0, w, rate);
  for (int i = 0; i < 3; i++) q[i] = q0[i] + rate[i], v[i] = v0[i] + dv[i];
  assert_int_equal(cmb_factor_at(ev, 0, q), CMB_OK);
  assert_int_equal(cmb_project_velocity(ev, v), CMB_OK);
  assert_int_equal(cmb_accelerate(ev, 0, q, v, a, lambda), CMB_OK);
  skew_rates(NULL, q0, v0, rate0);
  skew_rates(NULL, q, v, rate);
  for (int k = 0; k < 2; k++) {
    double base[3], apart[3], h = k ? tau : -tau;
    for (int i = 0; i < 3; i++) base[i] = q0[i] + h * rate0[i];
    for (int i = 0; i < 3; i++) apart[i] = q[i] + h * rate[i] - base[i];
    skew_displacement(base, apart, at[k]);
  }
  for (int i = 0; i < 3; i++) w_rate[i] = (at[1][i] - at[0][i]) / (2 * tau);
}

/* Computes column j of A by central differences, with steps along the free motions in N. */
static void skew_column(cmb_evaluator *ev, const cmb_linearization *l, const double *q0,
                        const double *v0, int j, double *column)
{
  const double h = 1e-5, mass[3] = {1, 2, 3}, *direction = l->N + (j % 2) * 3;
  double w_rate[2][3], a[2][3];
  for (int k = 0; k < 2; k++) {
    double w[3] = {0}, dv[3] = {0};
    for (int i = 0; i < 3; i++) (j < 2 ? w : dv)[i] = (k ? h : -h) * direction[i];
    skew_beside(ev, q0, v0, w, dv, w_rate[k], a[k]);
  }
  for (int i = 0; i < 2; i++) {
    column[i] = column[2 + i] = 0;
    for (int m = 0; m < 3; m++) {
      double weight = l->N[3 * i + m] * mass[m] / (2 * h);
      column[i] += weight * (w_rate[1][m] - w_rate[0][m]);
      column[2 + i] += weight * (a[1][m] - a[0][m]);
    }
  }
}

/* Compares A with central differences, for equations whose velocities v are not derivatives of the coordinates. */
static void test_moving_axes(void **state)
{
  (void)state;
  static const char *const names[] = {"q0", "q1", "q2"};
  cmb_equations eq = {.name = "skew",
                      .nq = 3,
                      .nv = 3,
                      .ng = 1,
                      .q_names = names,
                      .v_names = names,
                      .g_names = names,
                      .lambda_names = names,
                      .mass_constant = true,
                      .mass_diagonal = true,
                      .evaluate = skew,
                      .rates = skew_rates};
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_evaluator *ev;
  cmb_linearization *l;
  cmb_start_report report;
  double q[3] = {0.6, -0.5, 0.7}, v[3] = {2, 1, -3}, a[3], lambda[1], column[4];
  cmbt_ok(ctx, cmb_evaluator_create(ctx, &eq, &ev));
  cmbt_ok(ctx, cmb_consistent_start(ev, 0, q, v, a, lambda, &report));
  cmbt_ok(ctx, cmb_linearize(ctx, &eq, 0, q, v, &l));
  assert_int_equal(l->freedoms, 2);
  for (int j = 0; j < 4; j++) {
    skew_column(ev, l, q, v, j, column);
    for (int i = 0; i < 4; i++) cmbt_near(l->A[4 * i + j], column[i], 1e-5);
  }
  cmb_linearization_destroy(l);
  cmb_evaluator_destroy(ev);
  cmb_context_destroy(ctx);
}

/* Evaluates a pendulum of length 2 with two constraints for the same rod, the second one multiplied by −50. */
static cmb_status two_rods(const void *self, const cmb_point *at, const cmb_terms *want)
{
  const double *q = at->q, *v = at->v;
  (void)self;
  if (want->M) want->M[0] = want->M[1] = 3;
  if (want->f) want->f[0] = 0, want->f[1] = -3 * 9.81;
  for (int k = 0; k < 2; k++) {
    const double unit = k ? -50 : 1;
    if (want->g) want->g[k] = unit * (q[0] * q[0] + q[1] * q[1] - 4);
    if (want->G) want->G[2 * k] = 2 * unit * q[0], want->G[2 * k + 1] = 2 * unit * q[1];
    if (want->gt) want->gt[k] = 0;
    if (want->gamma) want->gamma[k] = 2 * unit * (v[0] * v[0] + v[1] * v[1]);
  }
  return CMB_OK;
}

/* Checks that equilibrium and linearisation are those of a pendulum with one constraint: the lower position and ω = sqrt(g/2). */
static void test_dependent(void **state)
{
  (void)state;
  static const char *const names[] = {"x", "y"};
  cmb_equations eq = {.name = "two rods",
                      .nq = 2,
                      .nv = 2,
                      .ng = 2,
                      .q_names = names,
                      .v_names = names,
                      .g_names = names,
                      .lambda_names = names,
                      .mass_constant = true,
                      .mass_diagonal = true,
                      .evaluate = two_rods};
  const double q[2] = {1.9, 0.3}, v[2] = {0, 0};
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_system *system;
  cmb_equilibrium_report r;
  cmb_linearization *l;
  cmbt_ok(ctx, cmb_system_create(ctx, &eq, 0, 1, q, v, &system));
  cmbt_ok(ctx, cmb_system_equilibrium(ctx, system, &r));
  cmbt_near(cmb_system_q(system)[0], 0, 1e-13);
  cmbt_near(cmb_system_q(system)[1], -2, 1e-13);
  assert_int_equal(r.stability, CMB_STABLE);
  assert_int_equal(r.freedoms, 1);
  cmbt_ok(ctx, cmb_linearize(ctx, &eq, 0, cmb_system_q(system), v, &l));
  assert_int_equal(l->freedoms, 1);
  find_mode(l, 0, sqrt(9.81 / 2), 1e-7);
  cmb_linearization_destroy(l);
  cmb_system_destroy(system);
  cmb_context_destroy(ctx);
}

static cmb_status not_a_number(const void *self, const cmb_point *at, const cmb_terms *want)
{
  (void)self;
  if (want->M) want->M[0] = want->M[1] = 1;
  if (want->f) want->f[0] = want->f[1] = at->q[0] > 0 ? NAN : 0;
  return CMB_OK;
}

/* Makes each request for memory fail once; then linearises equations whose forces are finite at the given state, but not beside it. */
static void test_failures(void **state)
{
  (void)state;
  const struct pair p = {2, 800, 150, 3, 1.5};
  const double zero[2] = {0, 0};
  cmb_equations eq = pair_equations(&p);
  long refused = 1;
  for (long k = 1; refused > 0; k++) {
    struct cmbt_allocator memory;
    cmbt_allocator_init(&memory);
    cmb_context *ctx = cmb_context_create(&memory.hook);
    cmb_linearization *l;
    memory.fail_at = memory.calls + k;
    cmb_status status = cmb_linearize(ctx, &eq, 0, zero, zero, &l);
    refused = memory.refused;
    assert_int_equal(status, refused > 0 ? CMB_ERROR_MEMORY : CMB_OK);
    assert_true(refused == 0 || l == NULL);
    cmb_linearization_destroy(l);
    cmb_context_destroy(ctx);
    assert_int_equal(memory.outstanding, 0);
  }
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_linearization *l;
  eq.evaluate = not_a_number;
  eq.derivative = NULL;
  assert_int_equal(cmb_linearize(ctx, &eq, 0, zero, zero, &l), CMB_ERROR_EQUATIONS);
  assert_non_null(strstr(cmb_last_error(ctx), "not finite"));
  assert_null(l);
  cmb_context_destroy(ctx);
}

/* Computes the velocity G(q) v of the constraints, which must not depend on time, at q + h w and v + h u. */
static void constraint_velocity(cmb_evaluator *ev, const double *q, const double *v, double h,
                                const double *w, const double *u, double *velocity)
{
  const cmb_equations *eq = ev->eq;
  double q_moved[MOST], v_moved[MOST];
  for (int i = 0; i < eq->nq; i++) q_moved[i] = q[i] + h * w[i];
  for (int i = 0; i < eq->nv; i++) v_moved[i] = v[i] + h * u[i];
  cmbt_ok(ev->ctx, cmb_evaluate(ev, 0, q_moved, v_moved, &(cmb_terms){.G = ev->G}));
  cmb_multiply(eq->G_pattern, eq->ng, eq->nv, ev->G, v_moved, velocity);
}

/* Checks for each of the three free motions of two masses on rods and a third one on a wire that the change of velocities which goes with the
 * displacement keeps G v = 0 (by central differences), and is orthogonal to the free motions in the metric of M. */
static void test_follow(void **state)
{
  (void)state;
  enum { FREE = 3, ROWS = 3, N = FREE + ROWS };
  static const char text[] =
      "bodies: {a: {mass: 1, com: [0, 0, 0]}, b: {mass: 2, com: [0, 0, 0]}, c: {mass: 3, com: [0, "
      "0, 0]}, d: {mass: 4, com: [0, 0, 0]}, e: {mass: 5, com: [0, 0, 0]}, f: {mass: 6, com: [0, "
      "0, "
      "0]}}\n"
      "joints:\n"
      "  x1: {type: prismatic, child: a, axis: x, start: 0.6}\n"
      "  y1: {type: prismatic, parent: a, child: b, axis: y, start: -0.8}\n"
      "  x2: {type: prismatic, child: c, axis: x, start: 1.4}\n"
      "  y2: {type: prismatic, parent: c, child: d, axis: y, start: -1.4}\n"
      "  x3: {type: prismatic, child: e, axis: x, start: 0.5}\n"
      "  y3: {type: prismatic, parent: e, child: f, axis: y, start: 0.25}\n"
      "loops: {upper: {type: formula, formula: x1^2 + y1^2 - 1}, lower: {type: formula, formula: "
      "(x2 - x1)^2 + (y2 - y1)^2 - 1}, wire: {type: formula, formula: y3 - x3^2}}\n";
  const double h = 1e-5;
  cmbt_run r;
  cmb_tangent tangent;
  cmb_evaluator *ev;
  cmbt_run_open_text(&r, text, CMB_FORM_RESIDUAL);
  const double *q = cmb_system_q(r.system);
  double v[N] = {0}, a[N], lambda[ROWS], follow[N * N] = {0}, plus[ROWS], minus[ROWS];
  cmb_arena *arena = cmb_arena_create(r.ctx);
  cmbt_ok(r.ctx, cmb_evaluator_create(r.ctx, r.eq, &ev));
  cmbt_ok(r.ctx, cmb_tangent_create(&tangent, arena, ev));
  cmbt_ok(r.ctx, cmb_tangent_at(&tangent, 0, q));
  assert_true(tangent.n == FREE && r.eq->ng == ROWS && r.eq->nv == N);
  for (int j = 0; j < FREE; j++) cmb_add_scaled(N, 1 + j, tangent.N + (ptrdiff_t)j * N, v);
  cmbt_ok(r.ctx, cmb_accelerate(ev, 0, q, v, a, lambda));
  cmbt_ok(r.ctx, cmb_follow_at(&tangent, 0, q, v, a, lambda, follow));
  for (int j = 0; j < FREE; j++) {
    const double *w = tangent.N + (ptrdiff_t)j * N, *change = follow + (ptrdiff_t)j * N;
    constraint_velocity(ev, q, v, h, w, change, plus);
    constraint_velocity(ev, q, v, -h, w, change, minus);
    for (int i = 0; i < ROWS; i++) cmbt_near((plus[i] - minus[i]) / (2 * h), 0, 1e-8);
    for (int k = 0; k < FREE; k++)
      cmbt_near(cmb_dot(N, tangent.P + (ptrdiff_t)k * N, change), 0, 1e-10);
    assert_true(cmb_largest(N, change) > 0.01);
  }
  cmb_evaluator_destroy(ev);
  cmb_arena_destroy(arena);
  cmbt_run_close(&r);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_follow),
      cmocka_unit_test(test_pendulum),
      cmocka_unit_test(test_chain),
      cmocka_unit_test(test_spring_damper),
      cmocka_unit_test(test_conical_pendulum),
      cmocka_unit_test(test_sleeping_top),
      cmocka_unit_test(test_against_differences),
      cmocka_unit_test(test_moving_axes),
      cmocka_unit_test(test_dependent),
      cmocka_unit_test(test_failures),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
