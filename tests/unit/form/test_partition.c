/*
 * Tests of coordinate partitioning (form/partition.h; equation numbers are those of Haug, Negrut and Engstler 1999): the choice of
 * dependent velocities, dependent positions and velocities, redundant constraints, no constraints, Euler parameters, changes of the
 * partition, and the Jacobian of implicit methods against differences.
 */
#include "check.h"
#include "failing_allocator.h"
#include "model_run.h"
#include "random.h"
#include "top.h"

#include "form/partition.h"
#include "form/partition_jacobian.h"
#include "math/pattern.h"

#include <camber/camber.h>
#include <string.h>

enum { MOST = 16 };

struct test_system {
  cmb_context *ctx;
  cmb_system *system;
  cmb_evaluator *ev;
  cmb_arena *arena;
  cmb_partition *p;
};

static struct test_system create_in(cmb_context *ctx, const cmb_equations *eq)
{
  struct test_system s = {.ctx = ctx};
  cmbt_ok(ctx, cmb_evaluator_create(ctx, eq, &s.ev));
  s.arena = cmb_arena_create(ctx);
  cmbt_ok(ctx, cmb_partition_create(s.ev, s.arena, &s.p));
  assert_false(cmb_arena_failed(s.arena));
  return s;
}

static struct test_system create_with_equations(const cmb_equations *eq)
{
  return create_in(cmb_context_create(NULL), eq);
}

static struct test_system create_with_problem(const char *name)
{
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_system *system;
  cmbt_ok(ctx, cmb_problem_create(ctx, cmb_problem_find(name), 0, NULL, &system));
  struct test_system s = create_in(ctx, cmb_system_equations(system));
  s.system = system;
  return s;
}

static void destroy(struct test_system *s)
{
  cmb_partition_destroy(s->p);
  cmb_arena_destroy(s->arena);
  cmb_evaluator_destroy(s->ev);
  cmb_system_destroy(s->system);
  cmb_context_destroy(s->ctx);
}

static void check_constraints(struct test_system *s, double t, const double *q, const double *v)
{
  double position, velocity;
  cmbt_ok(s->ctx, cmb_constraint_residuals(s->ev, t, q, v, &position, &velocity));
  cmbt_below(position, 1e-14);
  cmbt_below(velocity, 1e-14);
}

/* g = (x² + y² − 1)/2: checks that the coordinate with the larger component of the gradient is dependent. */
static void test_choice(void **state)
{
  (void)state;
  struct test_system s = create_with_problem("pendulum");
  double q[2] = {0.6, -0.8}, v[2] = {1, 0};
  cmbt_ok(s.ctx, cmb_partition_check(s.p, 0, q));
  assert_int_equal(s.p->rank, 1);
  assert_int_equal(s.p->free_count, 1);
  assert_int_equal(s.p->dependent[0], 1);
  assert_int_equal(s.p->independent[0], 0);
  q[0] = 0.3, q[1] = -0.9; /* a point beside the circle, to be corrected by (53) and (54) */
  cmbt_ok(s.ctx, cmb_partition_position(s.p, 0, q));
  cmbt_ok(s.ctx, cmb_partition_velocity(s.p, 0, q, v));
  assert_true(q[0] == 0.3 && v[0] == 1);
  cmbt_near(q[1], -sqrt(1 - 0.09), 1e-15);
  cmbt_near(v[1], 0.3 / sqrt(1 - 0.09), 1e-15);
  destroy(&s);
}

/* Checks that there is no dependent position if the independent coordinate is larger than the radius. */
static void test_no_position(void **state)
{
  (void)state;
  struct test_system s = create_with_problem("pendulum");
  double q[2] = {0.6, -0.8};
  cmbt_ok(s.ctx, cmb_partition_check(s.p, 0, q));
  q[0] = 1.5;
  assert_true(cmb_partition_position(s.p, 0, q) > 0);
  destroy(&s);
}

/* Checks dependent positions and velocities of the car axis, whose constraints depend on time. */
static void test_moving_constraints(void **state)
{
  (void)state;
  struct test_system s = create_with_problem("caraxis");
  const double t = 0.3;
  double q[4], v[4];
  memcpy(q, cmb_system_q(s.system), sizeof q);
  memcpy(v, cmb_system_v(s.system), sizeof v);
  cmbt_ok(s.ctx, cmb_partition_check(s.p, t, q));
  double q_free[2], v_free[2];
  for (int i = 0; i < 2; i++)
    q_free[i] = q[s.p->independent[i]], v_free[i] = v[s.p->independent[i]];
  cmbt_ok(s.ctx, cmb_partition_position(s.p, t, q));
  cmbt_ok(s.ctx, cmb_partition_velocity(s.p, t, q, v));
  assert_true(fabs(s.ev->gt[0]) > 1e-3); /* the constraint does move */
  check_constraints(&s, t, q, v);
  for (int i = 0; i < 2; i++) {
    assert_true(q_free[i] == q[s.p->independent[i]] && v_free[i] == v[s.p->independent[i]]);
  }
  destroy(&s);
}

/* Checks the motions of the independent velocities, and the solutions with Φ_u and with its transpose. */
static void test_solves(void **state)
{
  (void)state;
  struct test_system s = create_with_problem("caraxis");
  const cmb_equations *eq = s.ev->eq;
  double N[8], w[4], b[4] = {1, -2, 3, 0.5}, c[2] = {0.7, -0.4}, lambda[2], y[4];
  cmbt_ok(s.ctx, cmb_partition_check(s.p, 0, cmb_system_q(s.system)));
  cmb_partition_motions(s.p, N);
  for (int k = 0; k < 2; k++) {
    cmb_multiply(eq->G_pattern, 2, 4, s.ev->G, N + 4 * k, y);
    cmbt_below(fabs(y[0]) + fabs(y[1]), 1e-15);
    for (int l = 0; l < 2; l++) assert_true(N[4 * k + s.p->independent[l]] == (k == l));
  }
  cmb_partition_solve(s.p, c, w);
  cmb_multiply(eq->G_pattern, 2, 4, s.ev->G, w, y);
  for (int i = 0; i < 2; i++) {
    cmbt_near(y[i], c[i], 1e-15);
    assert_true(w[s.p->independent[i]] == 0);
  }
  cmb_partition_solve_transposed(s.p, b, lambda);
  memset(y, 0, sizeof y);
  cmb_multiply_transposed_add(eq->G_pattern, 2, 4, s.ev->G, 1, lambda, y);
  for (int i = 0; i < 2; i++) cmbt_near(y[s.p->dependent[i]], b[s.p->dependent[i]], 1e-14);
  destroy(&s);
}

/* Checks motions and solutions as in test_solves for a chain in Cartesian coordinates, whose factors are sparse. */
static void test_sparse(void **state)
{
  (void)state;
  enum { MOST_SPARSE = 200 };
  static double N[MOST_SPARSE * MOST_SPARSE], c[MOST_SPARSE], w[MOST_SPARSE], y[MOST_SPARSE];
  struct cmbt_random random = {3};
  cmbt_run r;
  const cmb_setting first = {"first", 0.5};
  cmbt_run_open(&r, "chain", CMB_FORM_CARTESIAN, 1, &first);
  cmbt_run_start(&r);
  const cmb_equations *eq = r.eq;
  const int nv = eq->nv, ng = eq->ng;
  assert_true(eq->G_pattern && nv + ng >= 64 && nv <= MOST_SPARSE);
  struct test_system s = create_with_equations(eq);
  cmbt_ok(s.ctx, cmb_partition_check(s.p, 0, r.result->q));
  assert_int_equal(s.p->rank, ng);
  cmb_partition_motions(s.p, N);
  for (int k = 0; k < s.p->free_count; k++) {
    cmb_multiply(eq->G_pattern, ng, nv, s.ev->G, N + (ptrdiff_t)k * nv, y);
    for (int i = 0; i < ng; i++) cmbt_below(fabs(y[i]), 1e-13);
    for (int l = 0; l < s.p->free_count; l++) {
      cmbt_near(N[k * nv + s.p->independent[l]], k == l, 1e-13);
    }
  }
  for (int i = 0; i < ng; i++) c[i] = cmbt_random_uniform(&random, -1, 1);
  cmb_partition_solve(s.p, c, w);
  cmb_multiply(eq->G_pattern, ng, nv, s.ev->G, w, y);
  for (int i = 0; i < ng; i++) cmbt_near(y[i], c[i], 1e-12);
  for (int l = 0; l < s.p->free_count; l++) assert_true(w[s.p->independent[l]] == 0);
  for (int i = 0; i < nv; i++) w[i] = cmbt_random_uniform(&random, -1, 1);
  cmb_partition_solve_transposed(s.p, w, c);
  memset(y, 0, sizeof y);
  cmb_multiply_transposed_add(eq->G_pattern, ng, nv, s.ev->G, 1, c, y);
  for (int i = 0; i < ng; i++) cmbt_near(y[s.p->dependent[i]], w[s.p->dependent[i]], 1e-12);
  destroy(&s);
  cmbt_run_close(&r);
}

/* A point on a sphere whose constraint is stated three times, in different units. */
static cmb_status sphere(const void *self, const cmb_point *at, const cmb_terms *want)
{
  static const double unit[] = {1, 1000, 1e-3};
  const double *q = at->q;
  (void)self;
  for (int i = 0; i < 3; i++) {
    if (want->M) want->M[i] = 1;
    if (want->f) want->f[i] = i == 2 ? -9.81 : 0;
    if (want->g) want->g[i] = unit[i] * (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] - 1) / 2;
    if (want->gt) want->gt[i] = 0;
    for (int j = 0; want->G && j < 3; j++) want->G[3 * i + j] = unit[i] * q[j];
    if (want->gamma) {
      const double *v = at->v;
      want->gamma[i] = unit[i] * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    }
  }
  return CMB_OK;
}

static const char *const names[] = {"a", "b", "c"};

static cmb_equations sphere_equations(void)
{
  return (cmb_equations){.name = "sphere",
                         .nq = 3,
                         .nv = 3,
                         .ng = 3,
                         .q_names = names,
                         .v_names = names,
                         .g_names = names,
                         .lambda_names = names,
                         .mass_diagonal = true,
                         .mass_constant = true,
                         .evaluate = sphere};
}

static void test_redundant(void **state)
{
  (void)state;
  const cmb_equations eq = sphere_equations();
  struct test_system s = create_with_equations(&eq);
  double q[3] = {0.6, 0, 0.8}, v[3] = {0.5, 1, 2};
  cmbt_ok(s.ctx, cmb_partition_check(s.p, 0, q));
  assert_int_equal(s.p->rank, 1);
  assert_int_equal(s.p->free_count, 2);
  assert_int_equal(s.p->dependent[0], 2);
  cmbt_ok(s.ctx, cmb_partition_position(s.p, 0, q));
  cmbt_ok(s.ctx, cmb_partition_velocity(s.p, 0, q, v));
  cmbt_near(v[2], -0.375, 1e-15);
  destroy(&s);
}

/* Checks that methods with partitioning, implicit and explicit, agree with mdop853 on the sphere with redundant constraints. */
static void test_redundant_motion(void **state)
{
  (void)state;
  const cmb_equations eq = sphere_equations();
  const char *const methods[] = {"sdirk4", "forsdirk", "abm", "mdop853"};
  const double q[3] = {0.6, 0, -0.8}, v[3] = {0, 1, 0};
  cmb_context *ctx = cmb_context_create(NULL);
  double end[4][3];
  for (int k = 0; k < 4; k++) {
    cmb_system *system;
    cmb_simulation *sim;
    cmb_run_options options = cmb_run_defaults();
    options.method = cmb_method_find(methods[k]);
    options.integrator.rtol = options.integrator.atol = 1e-9;
    cmbt_ok(ctx, cmb_system_create(ctx, &eq, 0, 3, q, v, &system));
    cmbt_ok(ctx, cmb_simulation_create(ctx, system, &options, &sim));
    cmbt_ok(ctx, cmb_simulation_run(sim));
    memcpy(end[k], cmb_simulation_result(sim)->q, sizeof end[k]);
    cmb_simulation_destroy(sim);
    cmb_system_destroy(system);
  }
  for (int k = 0; k < 3; k++) {
    for (int i = 0; i < 3; i++) cmbt_near(end[k][i], end[3][i], 1e-6);
  }
  cmb_context_destroy(ctx);
}

static void test_no_constraints(void **state)
{
  (void)state;
  cmb_equations eq = sphere_equations();
  eq.ng = 0;
  struct test_system s = create_with_equations(&eq);
  double q[3] = {1, 2, 3}, v[3] = {4, 5, 6};
  cmbt_ok(s.ctx, cmb_partition_check(s.p, 0, q));
  cmbt_ok(s.ctx, cmb_partition_position(s.p, 0, q));
  cmbt_ok(s.ctx, cmb_partition_velocity(s.p, 0, q, v));
  assert_int_equal(s.p->free_count, 3);
  assert_true(q[1] == 2 && v[1] == 5);
  destroy(&s);
}

static const struct cmbt_top the_top = {
    .mass = 1.5, .height = 0.3, .across = {0.02, 0.03}, .along = 0.015, .gravity = 9.81};

static void top_state(double q[7], double v[6])
{
  const double e[4] = {sqrt(0.7), sqrt(0.1), sqrt(0.15), sqrt(0.05)}, omega[3] = {0.5, -1, 7};
  cmbt_top_state(&the_top, e, omega, q, v);
}

/* Euler parameters: checks that the constraints are satisfied by changing the dependent velocities only. */
static void test_euler_parameters(void **state)
{
  (void)state;
  const cmb_equations eq = cmbt_top_equations(&the_top);
  struct test_system s = create_with_equations(&eq);
  double q[7], v[6], v_given[6];
  top_state(q, v);
  cmbt_ok(s.ctx, cmb_partition_check(s.p, 0, q));
  assert_int_equal(s.p->rank, 3);
  for (int i = 0; i < 7; i++) q[i] += 1e-3 * (i - 3);
  for (int i = 0; i < 6; i++) v_given[i] = v[i] += 1e-2 * (i - 2);
  cmbt_ok(s.ctx, cmb_partition_position(s.p, 0, q));
  cmbt_ok(s.ctx, cmb_partition_velocity(s.p, 0, q, v));
  check_constraints(&s, 0, q, v);
  for (int i = 0; i < 3; i++) assert_true(v[s.p->independent[i]] == v_given[s.p->independent[i]]);
  destroy(&s);
}

/* Returns how often the partition changes while the angle of the pendulum goes from `from` to `to` and back. */
static long count_changes(double from, double to)
{
  struct test_system s = create_with_problem("pendulum");
  for (int k = 0; k <= 200; k++) {
    double angle = from + (to - from) * sin(k * 3.14159265358979 / 200);
    double q[2] = {sin(angle), -cos(angle)};
    cmbt_ok(s.ctx, cmb_partition_check(s.p, 0, q));
    assert_true(s.p->condition >= 1);
  }
  long count = s.ev->stats.repartitions;
  destroy(&s);
  return count;
}

/* A double pendulum of two massless rods of length 1, each with a unit mass at its end. */
static cmb_status two_rods(const void *self, const cmb_point *at, const cmb_terms *want)
{
  const double *q = at->q, x = q[2] - q[0], y = q[3] - q[1];
  (void)self;
  for (int i = 0; i < 4; i++) {
    if (want->M) want->M[i] = 1;
    if (want->f) want->f[i] = i % 2 ? -9.81 : 0;
  }
  if (want->g) {
    want->g[0] = (q[0] * q[0] + q[1] * q[1] - 1) / 2;
    want->g[1] = (x * x + y * y - 1) / 2;
  }
  if (want->G) memcpy(want->G, (double[8]){q[0], q[1], 0, 0, -x, -y, x, y}, 8 * sizeof(double));
  if (want->gt) want->gt[0] = want->gt[1] = 0;
  if (want->gamma) {
    const double *v = at->v, vx = v[2] - v[0], vy = v[3] - v[1];
    want->gamma[0] = v[0] * v[0] + v[1] * v[1];
    want->gamma[1] = vx * vx + vy * vy;
  }
  return CMB_OK;
}

static const char *const rod_names[] = {"x1", "y1", "x2", "y2"};

static cmb_equations rod_equations(void)
{
  return (cmb_equations){.name = "double pendulum",
                         .nq = 4,
                         .nv = 4,
                         .ng = 2,
                         .q_names = rod_names,
                         .v_names = rod_names,
                         .g_names = rod_names,
                         .lambda_names = rod_names,
                         .mass_diagonal = true,
                         .mass_constant = true,
                         .evaluate = two_rods};
}

/* Returns how often the partition of the double pendulum changes while the angle of its first rod goes from `from` to `to`; that of the
 * second rod is 1.5 times as large. */
static long count_rod_changes(double from, double to)
{
  const cmb_equations eq = rod_equations();
  struct test_system s = create_with_equations(&eq);
  for (int k = 0; k <= 200; k++) {
    double a = from + (to - from) * k / 200, b = 1.5 * a;
    double q[4] = {sin(a), -cos(a), sin(a) + sin(b), -cos(a) - cos(b)};
    cmbt_ok(s.ctx, cmb_partition_check(s.p, 0, q));
    cmbt_below(s.p->condition, 100);
  }
  long count = s.ev->stats.repartitions;
  destroy(&s);
  return count;
}

static void test_repartitioning(void **state)
{
  (void)state;
  assert_int_equal(count_changes(0, 0.3), 0);
  assert_int_equal(count_changes(0, 3), 4);
  assert_int_equal(count_rod_changes(-0.1, 0.1), 0);
  assert_true(count_rod_changes(0, 6) >= 4);
}

/* Computes the residuals (48) of a stage with accelerations a and multipliers lambda: r of the dynamic equations, and `left` of G a + γ.
 * q and v are its position and velocity before the accelerations changed by da. */
static void stage_left(struct test_system *s, double c, const double *q, const double *v,
                       const double *da, const double *a, const double *lambda, double *r,
                       double *left)
{
  const cmb_equations *eq = s->ev->eq;
  double Q[MOST], V[MOST], move[MOST] = {0};
  cmb_rates(s->ev, q, da, move);
  for (int i = 0; i < eq->nq; i++) Q[i] = q[i] + c * c * move[i];
  for (int i = 0; i < eq->nv; i++) V[i] = v[i] + c * da[i];
  cmbt_ok(s->ctx, cmb_partition_position(s->p, 0, Q));
  cmbt_ok(s->ctx, cmb_partition_velocity(s->p, 0, Q, V));
  cmbt_ok(s->ctx, cmb_residual(s->ev, 0, Q, V, a, lambda, r));
  cmb_terms want = {.gamma = s->ev->gamma};
  cmbt_ok(s->ctx, cmb_evaluate(s->ev, 0, Q, V, &want));
  cmb_multiply(eq->G_pattern, eq->ng, eq->nv, s->ev->G, a, left);
  for (int i = 0; i < eq->ng; i++) left[i] += s->ev->gamma[i];
}

/* Checks (51): one increment reverses a small random change of accelerations and multipliers. */
static void check_jacobian(struct test_system *s, double c, const double *q, const double *v)
{
  const cmb_equations *eq = s->ev->eq;
  cmb_partition_jacobian *j;
  struct cmbt_random random = {7};
  double a[MOST], lambda[MOST], da[MOST] = {0}, dl[MOST], r[MOST], left[MOST], back[MOST],
                                back_l[MOST];
  const double small = 1e-5;
  cmbt_ok(s->ctx, cmb_partition_jacobian_create(s->p, s->arena, &j));
  cmbt_ok(s->ctx, cmb_partition_check(s->p, 0, q));
  cmbt_ok(s->ctx, cmb_factor_and_accelerate(s->ev, 0, q, v, a, lambda));
  cmbt_ok(s->ctx, cmb_partition_linearize(j, 0, q, v, a, lambda));
  cmbt_ok(s->ctx, cmb_partition_assemble(j, 0, q));
  cmbt_ok(s->ctx, cmb_partition_factor(j, c));
  for (int i = 0; i < eq->nv; i++) a[i] += da[i] = small * cmbt_random_uniform(&random, -1, 1);
  for (int i = 0; i < eq->ng; i++) lambda[i] += dl[i] = small * cmbt_random_uniform(&random, -1, 1);
  stage_left(s, c, q, v, da, a, lambda, r, left);
  cmb_partition_correct(j, r, left, back, back_l);
  for (int i = 0; i < eq->nv; i++) cmbt_near(back[i], -da[i], 2e-3 * small);
  for (int i = 0; i < eq->ng; i++) cmbt_near(back_l[i], -dl[i], 2e-3 * small);
  cmb_partition_jacobian_destroy(j);
}

static void test_jacobian(void **state)
{
  (void)state;
  const cmb_equations rods = rod_equations(), top = cmbt_top_equations(&the_top);
  struct test_system s = create_with_equations(&rods), t = create_with_equations(&top);
  double q[7], v[6];
  check_jacobian(&s, 0.2, (double[4]){0.6, -0.8, 1.4, -1.4}, (double[4]){0.8, 0.6, 1.4, 1.4});
  top_state(q, v);
  check_jacobian(&t, 0.1, q, v);
  destroy(&s);
  destroy(&t);
}

/* ---- (I − c J)⁻¹, for the smoothing of error estimates */

static const double MASS = 2, DAMPING = 3, STIFFNESS = 50;

static cmb_status oscillate(const void *self, const cmb_point *at, const cmb_terms *want)
{
  (void)self;
  if (want->M) want->M[0] = MASS;
  if (want->f) want->f[0] = -STIFFNESS * at->q[0] - DAMPING * at->v[0];
  return CMB_OK;
}

/* A mass on a spring with a damper: J (w, v) = (v, −(STIFFNESS w + DAMPING v)/MASS). Uses the same derivatives for several c. */
static void test_smoothing(void **state)
{
  (void)state;
  const cmb_equations eq = {.name = "oscillator",
                            .nq = 1,
                            .nv = 1,
                            .q_names = rod_names,
                            .v_names = rod_names,
                            .mass_constant = true,
                            .evaluate = oscillate};
  const double q = 0.3, v = -0.4, a = -(STIFFNESS * q + DAMPING * v) / MASS, of_w = 0.7, of_v = -5;
  struct test_system s = create_with_equations(&eq);
  cmb_partition_jacobian *j;
  cmbt_ok(s.ctx, cmb_partition_jacobian_create(s.p, s.arena, &j));
  cmbt_ok(s.ctx, cmb_partition_check(s.p, 0, &q));
  cmbt_ok(s.ctx, cmb_partition_linearize(j, 0, &q, &v, &a, NULL));
  cmbt_ok(s.ctx, cmb_partition_assemble(j, 0, &q));
  for (int k = 0; k < 4; k++) {
    const double c = (double[]){0.01, 1, 0.1, 20}[k];
    double w = of_w, rate = of_v;
    cmbt_ok(s.ctx, cmb_partition_factor(j, c));
    cmb_partition_smooth(j, &w, &rate);
    cmbt_near(w - c * rate, of_w, 1e-5);
    cmbt_near(rate + c * (STIFFNESS * w + DAMPING * rate) / MASS, of_v, 1e-5);
  }
  cmb_partition_jacobian_destroy(j);
  destroy(&s);
}

enum { MASSES = 3 };
static const double MASS_MATRIX[MASSES * MASSES] = {2, 0.3, 0, 0.3, 1, -0.2, 0, -0.2, 4};
static const double STIFFNESS_MATRIX[MASSES * MASSES] = {50, -20, 3, -20, 30, -10, 3, -10, 15};
static const double DAMPING_MATRIX[MASSES * MASSES] = {3, 1, 0, 2, 5, -1, 0.5, 0, 1};

/* Adds to y the product factor A x. */
static void add_product(const double *A, double factor, const double *x, double *y)
{
  for (int i = 0; i < MASSES; i++) {
    for (int k = 0; k < MASSES; k++) y[i] += factor * A[i * MASSES + k] * x[k];
  }
}

static cmb_status oscillate_together(const void *self, const cmb_point *at, const cmb_terms *want)
{
  (void)self;
  if (want->M) memcpy(want->M, MASS_MATRIX, sizeof MASS_MATRIX);
  if (want->f) {
    memset(want->f, 0, MASSES * sizeof *want->f);
    add_product(STIFFNESS_MATRIX, -1, at->q, want->f);
    add_product(DAMPING_MATRIX, -1, at->v, want->f);
  }
  return CMB_OK;
}

/* Checks M (v − v₀) + c (K w + C v) = 0 and w − c v = w₀ for three coupled masses, with the errors w₀, v₀ that were given. */
static void test_smoothing_of_several(void **state)
{
  (void)state;
  const cmb_equations eq = {.name = "oscillators",
                            .nq = MASSES,
                            .nv = MASSES,
                            .q_names = names,
                            .v_names = names,
                            .mass_constant = true,
                            .evaluate = oscillate_together};
  const double q[] = {0.3, -0.1, 0.2}, v[] = {-0.4, 0.5, 1}, a[MASSES] = {0};
  const double of_w[] = {0.7, -0.2, 0.4}, of_v[] = {-5, 2, 3};
  struct test_system s = create_with_equations(&eq);
  cmb_partition_jacobian *j;
  cmbt_ok(s.ctx, cmb_partition_jacobian_create(s.p, s.arena, &j));
  cmbt_ok(s.ctx, cmb_partition_check(s.p, 0, q));
  assert_int_equal(s.p->free_count, MASSES);
  cmbt_ok(s.ctx, cmb_partition_linearize(j, 0, q, v, a, NULL));
  cmbt_ok(s.ctx, cmb_partition_assemble(j, 0, q));
  for (int n = 0; n < 3; n++) {
    const double c = (double[]){0.01, 1, 0.1}[n];
    double w[MASSES], rate[MASSES], change[MASSES], rest[MASSES] = {0};
    memcpy(w, of_w, sizeof w);
    memcpy(rate, of_v, sizeof rate);
    cmbt_ok(s.ctx, cmb_partition_factor(j, c));
    cmb_partition_smooth(j, w, rate);
    for (int i = 0; i < MASSES; i++) change[i] = rate[i] - of_v[i];
    add_product(MASS_MATRIX, 1, change, rest);
    add_product(STIFFNESS_MATRIX, c, w, rest);
    add_product(DAMPING_MATRIX, c, rate, rest);
    for (int i = 0; i < MASSES; i++) {
      cmbt_near(w[i] - c * rate[i], of_w[i], 1e-13);
      cmbt_near(rest[i], 0, 1e-5);
    }
  }
  cmb_partition_jacobian_destroy(j);
  destroy(&s);
}

/* Checks that every failing allocation is reported when methods with partitioning are created. */
static void test_memory(void **state)
{
  (void)state;
  const cmb_equations eq = rod_equations();
  const char *const methods[] = {"sdirk4", "trap", "forsdirk", "abm"};
  for (int k = 0; k < 4; k++) {
    bool refused = true;
    for (long at = 1; refused; at++) {
      struct cmbt_allocator memory;
      cmbt_allocator_init(&memory);
      cmb_context *ctx = cmb_context_create(&memory.hook);
      cmb_integrator_options options = cmb_integrator_defaults();
      cmb_integrator *in;
      memory.fail_at = memory.calls + at;
      cmb_status status =
          cmb_integrator_create(ctx, &eq, cmb_method_find(methods[k]), &options, &in);
      refused = memory.refused > 0;
      assert_int_equal(status, refused ? CMB_ERROR_MEMORY : CMB_OK);
      if (!refused) cmb_integrator_destroy(in);
      cmb_context_destroy(ctx);
      assert_int_equal(memory.outstanding, 0);
    }
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_choice),
      cmocka_unit_test(test_no_position),
      cmocka_unit_test(test_moving_constraints),
      cmocka_unit_test(test_solves),
      cmocka_unit_test(test_sparse),
      cmocka_unit_test(test_redundant),
      cmocka_unit_test(test_redundant_motion),
      cmocka_unit_test(test_no_constraints),
      cmocka_unit_test(test_euler_parameters),
      cmocka_unit_test(test_repartitioning),
      cmocka_unit_test(test_jacobian),
      cmocka_unit_test(test_smoothing),
      cmocka_unit_test(test_smoothing_of_several),
      cmocka_unit_test(test_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
