/*
 * Tests of the dense KKT object (math/kkt.h): residuals, agreement between all ways to store the same matrix, status codes, and the rank
 * test in any units.
 */
#include "check.h"
#include "failing_allocator.h"
#include "kkt_system.h"
#include "math/kkt.h"
#include "random.h"

#include <float.h>
#include <string.h>

enum { LARGEST = 60 };
/* limit of residuals in units of (nv + ng) eps, for some operations on each entry; up to 2.5 is reached */
static const double STABLE = 10;

static cmb_kkt *new_kkt(cmb_context *ctx, const cmb_kkt_shape *shape)
{
  cmb_kkt *kkt = NULL;
  cmbt_ok(ctx, cmb_kkt_create(ctx, shape, &kkt));
  return kkt;
}

static cmb_status factor_system(cmb_kkt *kkt, const struct cmbt_kkt_system *sys,
                                const cmb_kkt_shape *shape)
{
  return cmb_kkt_factor(kkt, cmbt_kkt_mass_for(sys, shape), cmbt_kkt_G_for(sys, shape),
                        cmbt_kkt_B_for(sys, shape));
}

/* Factorises and solves; the solution is stored in sys->x, sys->y. */
static void solve_system(struct cmbt_kkt_system *sys, const cmb_kkt_shape *shape)
{
  cmb_kkt *kkt = new_kkt(sys->ctx, shape);
  cmbt_ok(sys->ctx, factor_system(kkt, sys, shape));
  assert_int_equal(cmb_kkt_dependent(kkt), -1);
  cmb_kkt_solve(kkt, sys->r, sys->s, sys->x, sys->y);
  cmb_kkt_destroy(kkt);
}

/* ---- solutions */

static void check_residuals(bool diagonal, bool unsymmetric, double decades)
{
  struct cmbt_random random = {1};
  for (int trial = 0; trial < 500; trial++) {
    int nv = cmbt_random_int(&random, 1, LARGEST), ng = cmbt_random_int(&random, 0, nv);
    const struct cmbt_kkt_kind kind = {nv, ng, diagonal, unsymmetric, 1, decades};
    struct cmbt_kkt_system *sys = cmbt_kkt_create(&random, &kind);
    cmb_kkt_shape shape = diagonal ? cmbt_kkt_shape_diagonal(sys) : cmbt_kkt_shape_dense(sys);
    solve_system(sys, &shape);
    cmbt_below(cmbt_kkt_error(sys, sys->x, sys->y), STABLE);
    cmbt_kkt_destroy(sys);
  }
}

static void residuals_are_rounding_in_any_units(void **state)
{
  (void)state;
  for (int way = 0; way < 8; way++) check_residuals(way & 1, way & 2, way & 4 ? 6 : 0);
}

/* A pendulum of mass 2 and length 5 that hangs at rest below its pivot at (0, 0): the acceleration is 0, the multiplier balances the weight. */
static void a_pendulum_at_rest(void **state)
{
  (void)state;
  cmb_context *ctx = cmb_context_create(NULL);
  const cmb_kkt_shape shape = {.nv = 2, .ng = 1, .mass_diagonal = true};
  cmb_kkt *kkt = new_kkt(ctx, &shape);
  const double M[] = {2, 2}, G[] = {0, -10}, f[] = {0, -2 * 9.81}; /* g = x² + y² − 25 */
  double a[2], lambda;
  cmbt_ok(ctx, cmb_kkt_factor(kkt, M, G, NULL));
  cmb_kkt_solve(kkt, f, NULL, a, &lambda);
  assert_true(a[0] == 0);
  cmbt_near(a[1], 0, 4 * DBL_EPSILON * 9.81);
  cmbt_near(lambda, 1.962, 4 * DBL_EPSILON * 1.962); /* M a = f − Gᵀ λ */
  cmb_kkt_destroy(kkt);
  cmb_context_destroy(ctx);
}

/* Checks that all ways to store a system give the same solution: M diagonal, dense, and on patterns, with 0 to 5 constraints, so that both
 * the closed form for one or two constraints and the general factors are used. Solutions differ by rounding times the condition number,
 * below 1e4 for these matrices. */
static void all_ways_to_store_agree(void **state)
{
  (void)state;
  struct cmbt_random random = {2};
  for (int trial = 0; trial < 300; trial++) {
    int ng = trial % 6, nv = cmbt_random_int(&random, ng > 0 ? ng : 1, 12);
    const struct cmbt_kkt_kind kind = {nv, ng, true, trial % 5 == 0, trial % 2 ? 1 : 0.5, 0};
    struct cmbt_kkt_system *sys = cmbt_kkt_create(&random, &kind);
    cmb_kkt_shape shapes[4] = {cmbt_kkt_shape_diagonal(sys), cmbt_kkt_shape_dense(sys),
                               cmbt_kkt_shape_sparse(sys), cmbt_kkt_shape_sparse(sys)};
    shapes[3].mass_diagonal = false;
    double x[12], y[6];
    for (int way = 0; way < 4; way++) {
      solve_system(sys, &shapes[way]);
      cmbt_below(cmbt_kkt_error(sys, sys->x, sys->y), STABLE);
      double size = 0;
      for (int i = 0; i < nv; i++) size = fmax(size, fabs(sys->x[i]));
      for (int i = 0; i < ng; i++) size = fmax(size, fabs(sys->y[i]));
      const double tolerance = 1e4 * (nv + ng) * DBL_EPSILON * size;
      for (int i = 0; way > 0 && i < nv; i++) cmbt_near(sys->x[i], x[i], tolerance);
      for (int i = 0; way > 0 && i < ng; i++) cmbt_near(sys->y[i], y[i], tolerance);
      memcpy(x, sys->x, (size_t)nv * sizeof *x);
      memcpy(y, sys->y, (size_t)ng * sizeof *y);
    }
    cmbt_kkt_destroy(sys);
  }
}

/* Systems for the tests below: M diagonal with few constraints (closed form) and with more, M dense; B = G, then B ≠ G. */
static const struct cmbt_kkt_kind kinds[] = {{4, 1, true, false, 1, 0}, {5, 2, true, false, 1, 0},
                                             {7, 4, true, false, 1, 0}, {8, 5, false, false, 1, 0},
                                             {8, 5, false, true, 1, 0}, {5, 2, true, true, 1, 0},
                                             {4, 1, true, true, 1, 0}};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

static cmb_kkt_shape shape_of(const struct cmbt_kkt_system *sys)
{
  return sys->kind.diagonal ? cmbt_kkt_shape_diagonal(sys) : cmbt_kkt_shape_dense(sys);
}

static void results_may_replace_the_right_hand_side(void **state)
{
  (void)state;
  struct cmbt_random random = {3};
  for (int k = 0; k < KINDS; k++) {
    struct cmbt_kkt_system *sys = cmbt_kkt_create(&random, &kinds[k]);
    const int nv = sys->kind.nv, ng = sys->kind.ng;
    cmb_kkt_shape shape = shape_of(sys);
    cmb_kkt *kkt = new_kkt(sys->ctx, &shape);
    cmbt_ok(sys->ctx, factor_system(kkt, sys, &shape));
    cmb_kkt_solve(kkt, sys->r, sys->s, sys->x, sys->y);
    double x[8], y[5];
    memcpy(x, sys->r, (size_t)nv * sizeof *x);
    memcpy(y, sys->s, (size_t)ng * sizeof *y);
    cmb_kkt_solve(kkt, x, y, x, y);
    assert_memory_equal(x, sys->x, (size_t)nv * sizeof *x);
    assert_memory_equal(y, sys->y, (size_t)ng * sizeof *y);

    cmb_kkt_solve(kkt, sys->r, sys->s, x, NULL); /* without the multipliers */
    assert_memory_equal(x, sys->x, (size_t)nv * sizeof *x);
    const double zero[5] = {0};
    double y_zero[5];
    cmb_kkt_solve(kkt, sys->r, zero, sys->x, y_zero);
    cmb_kkt_solve(kkt, sys->r, NULL, x, y);
    assert_memory_equal(x, sys->x, (size_t)nv * sizeof *x);
    assert_memory_equal(y, y_zero, (size_t)ng * sizeof *y);
    cmb_kkt_destroy(kkt);
    cmbt_kkt_destroy(sys);
  }
}

/* Checks that cmb_kkt_move, with s passed in the place of y, gives what cmb_kkt_solve gives for r = 0, bit by bit; B = G and B ≠ G. */
static void moves_agree_with_solutions(void **state)
{
  (void)state;
  struct cmbt_random random = {9};
  for (int k = 0; k < KINDS; k++) {
    struct cmbt_kkt_system *sys = cmbt_kkt_create(&random, &kinds[k]);
    const int nv = sys->kind.nv, ng = sys->kind.ng;
    cmb_kkt_shape shape = shape_of(sys);
    cmb_kkt *kkt = new_kkt(sys->ctx, &shape);
    const double zero[8] = {0};
    double x[8], y[5];
    cmbt_ok(sys->ctx, factor_system(kkt, sys, &shape));
    cmb_kkt_solve(kkt, zero, sys->s, sys->x, sys->y);
    memcpy(y, sys->s, (size_t)ng * sizeof *y);
    cmb_kkt_move(kkt, zero, y, x, y);
    for (int i = 0; i < nv; i++) assert_true(x[i] == sys->x[i]);
    for (int i = 0; i < ng; i++) assert_true(y[i] == sys->y[i]);
    cmb_kkt_destroy(kkt);
    cmbt_kkt_destroy(sys);
  }
}

/* Checks that M == NULL gives bit by bit the result of passing the same M again, also after a G that was refused. */
static void the_mass_matrix_is_kept(void **state)
{
  (void)state;
  struct cmbt_random random = {4};
  for (int k = 0; k < KINDS; k++) {
    struct cmbt_kkt_system *sys = cmbt_kkt_create(&random, &kinds[k]);
    const size_t bytes = (size_t)sys->kind.nv * sizeof(double);
    cmb_kkt_shape shape = shape_of(sys);
    cmb_kkt *kkt = new_kkt(sys->ctx, &shape);
    assert_int_equal(cmb_kkt_factor(kkt, NULL, sys->G, sys->B), CMB_ERROR_ARGUMENT);
    assert_true(strlen(cmb_last_error(sys->ctx)) > 0);
    cmbt_ok(sys->ctx, factor_system(kkt, sys, &shape));

    cmbt_kkt_change(sys, &random, 1);
    cmbt_ok(sys->ctx, factor_system(kkt, sys, &shape));
    double x[8];
    cmb_kkt_solve(kkt, sys->r, sys->s, x, NULL);
    double kept = sys->G[1];
    sys->G[1] = NAN;
    assert_int_equal(cmb_kkt_factor(kkt, NULL, sys->G, cmbt_kkt_B_for(sys, &shape)),
                     CMB_RETRY_NONFINITE);
    sys->G[1] = kept;
    cmbt_ok(sys->ctx, cmb_kkt_factor(kkt, NULL, sys->G, cmbt_kkt_B_for(sys, &shape)));
    cmb_kkt_solve(kkt, sys->r, sys->s, sys->x, NULL);
    assert_memory_equal(x, sys->x, bytes);
    cmb_kkt_destroy(kkt);
    cmbt_kkt_destroy(sys);
  }
}

static void without_constraints_it_is_the_mass_matrix(void **state)
{
  (void)state;
  cmb_context *ctx = cmb_context_create(NULL);
  const cmb_kkt_shape full = {.nv = 2}, diagonal = {.nv = 2, .mass_diagonal = true};
  const double M[] = {2, 1, 1, 1}, D[] = {2, 4}, r[] = {5, 3};
  double x[2];
  int list[1], count;
  cmb_kkt *kkt = new_kkt(ctx, &full);
  cmbt_ok(ctx, cmb_kkt_factor(kkt, M, NULL, NULL));
  cmb_kkt_solve(kkt, r, NULL, x, NULL);
  cmbt_near(x[0], 2, 8 * DBL_EPSILON);
  cmbt_near(x[1], 1, 8 * DBL_EPSILON);
  cmbt_ok(ctx, cmb_kkt_redundant(kkt, M, NULL, NULL, list, &count));
  assert_int_equal(count, 0);
  cmb_kkt_destroy(kkt);
  kkt = new_kkt(ctx, &diagonal);
  cmbt_ok(ctx, cmb_kkt_factor(kkt, D, NULL, NULL));
  cmb_kkt_solve(kkt, r, NULL, x, NULL);
  assert_true(x[0] == 2.5 && x[1] == 0.75);
  cmb_kkt_destroy(kkt);
  cmb_context_destroy(ctx);
}

/* ---- input that is refused */

static void a_mass_matrix_must_be_positive_definite(void **state)
{
  (void)state;
  struct cmbt_random random = {5};
  for (int k = 0; k < KINDS; k++) {
    struct cmbt_kkt_system *sys = cmbt_kkt_create(&random, &kinds[k]);
    const int nv = sys->kind.nv;
    cmb_kkt_shape shape = shape_of(sys);
    cmb_kkt *kkt = new_kkt(sys->ctx, &shape);
    for (int i = 0; i < nv; i++) {
      const double bad[] = {0, -1, -DBL_MIN};
      double kept = sys->M[i * nv + i];
      for (int b = 0; b < 3; b++) {
        sys->M[i * nv + i] = kept;
        cmbt_kkt_refresh(sys);
        cmbt_ok(sys->ctx, factor_system(kkt, sys, &shape));
        sys->M[i * nv + i] = bad[b];
        cmbt_kkt_refresh(sys);
        assert_int_equal(factor_system(kkt, sys, &shape), CMB_RETRY_MASS);
        assert_int_equal(cmb_kkt_dependent(kkt), -1);
        assert_int_equal(cmb_kkt_factor(kkt, NULL, sys->G, NULL),
                         CMB_ERROR_ARGUMENT); /* no factors of M are left */
      }
      sys->M[i * nv + i] = kept;
    }
    cmbt_kkt_refresh(sys);
    cmbt_ok(sys->ctx, factor_system(kkt, sys, &shape));
    cmb_kkt_destroy(kkt);
    cmbt_kkt_destroy(sys);
  }
}

/* Checks that M = [1 2; 2 1] is refused, which has a positive diagonal but a negative eigenvalue. */
static void an_indefinite_mass_matrix_is_refused(void **state)
{
  (void)state;
  cmb_context *ctx = cmb_context_create(NULL);
  const cmb_kkt_shape shape = {.nv = 2, .ng = 1};
  cmb_kkt *kkt = new_kkt(ctx, &shape);
  const double M[] = {1, 2, 2, 1}, G[] = {1, 0};
  assert_int_equal(cmb_kkt_factor(kkt, M, G, NULL), CMB_RETRY_MASS);
  cmb_kkt_destroy(kkt);
  cmb_context_destroy(ctx);
}

/* Puts NaN and ±Inf in turn into each entry of A and checks the status; width > 0: only into the lower triangle of A (width x width). */
static void check_nonfinite(struct cmbt_kkt_system *sys, cmb_kkt *kkt, int count, double *A,
                            int width)
{
  const double bad[] = {NAN, INFINITY, -INFINITY};
  cmb_kkt_shape shape = shape_of(sys);
  for (int k = 0; k < count; k++) {
    if (width > 0 && k % width > k / width) continue;
    double kept = A[k];
    for (int b = 0; b < 3; b++) {
      A[k] = bad[b];
      assert_int_equal(factor_system(kkt, sys, &shape), CMB_RETRY_NONFINITE);
      assert_int_equal(cmb_kkt_dependent(kkt), -1);
    }
    A[k] = kept;
  }
}

static void nan_and_inf_are_refused_in_every_entry(void **state)
{
  (void)state;
  struct cmbt_random random = {6};
  for (int k = 0; k < KINDS; k++) {
    struct cmbt_kkt_system *sys = cmbt_kkt_create(&random, &kinds[k]);
    const int nv = sys->kind.nv, ng = sys->kind.ng;
    cmb_kkt_shape shape = shape_of(sys);
    cmb_kkt *kkt = new_kkt(sys->ctx, &shape);
    if (sys->kind.diagonal) {
      check_nonfinite(sys, kkt, nv, sys->M_diagonal, 0);
    } else {
      check_nonfinite(sys, kkt, nv * nv, sys->M, nv);
    }
    check_nonfinite(sys, kkt, ng * nv, sys->G, 0);
    if (sys->kind.unsymmetric) check_nonfinite(sys, kkt, ng * nv, sys->B, 0);
    cmbt_ok(sys->ctx, factor_system(kkt, sys, &shape));
    cmb_kkt_destroy(kkt);
    cmbt_kkt_destroy(sys);
  }
}

static void shapes_must_fit(void **state)
{
  (void)state;
  cmb_context *ctx = cmb_context_create(NULL);
  const int start[] = {0, 1, 2}, column[] = {0, 1};
  const cmb_pattern square = {2, 2, start, column};
  const cmb_kkt_shape bad[] = {{-1, 0, false, NULL, NULL},
                               {2, -1, false, NULL, NULL},
                               {3, 0, false, &square, NULL},
                               {3, 2, false, NULL, &square},
                               {2, 1, true, NULL, &square}};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    cmb_kkt *kkt = (cmb_kkt *)&square;
    assert_int_equal(cmb_kkt_create(ctx, &bad[i], &kkt), CMB_ERROR_ARGUMENT);
    assert_null(kkt);
    assert_true(strlen(cmb_last_error(ctx)) > 0);
  }
  cmb_kkt_destroy(NULL);
  cmb_context_destroy(ctx);
}

/* ---- rank */

/* Replaces row `to` of G and of B by Σ weight[k] row k, k ≠ to. */
static void combine(struct cmbt_kkt_system *sys, int to, const double *weight)
{
  const int nv = sys->kind.nv;
  for (int i = 0; i < nv; i++) {
    double g = 0, b = 0;
    for (int k = 0; k < sys->kind.ng; k++) {
      if (k == to) continue;
      g += weight[k] * sys->G[k * nv + i];
      b += weight[k] * sys->B[k * nv + i];
    }
    sys->G[to * nv + i] = g;
    sys->B[to * nv + i] = b;
  }
  cmbt_kkt_refresh(sys);
}

/* Makes one row a combination of others. Checks that the constraint reported as dependent is this row or one with a nonzero weight. */
static void dependent_rows_are_named_in_any_units(void **state)
{
  (void)state;
  struct cmbt_random random = {7};
  for (int trial = 0; trial < 600; trial++) {
    int nv = cmbt_random_int(&random, 2, LARGEST), ng = cmbt_random_int(&random, 2, nv);
    const struct cmbt_kkt_kind kind = {nv, ng, trial % 2, trial % 3 == 0, 1, trial % 4 < 2 ? 0 : 6};
    struct cmbt_kkt_system *sys = cmbt_kkt_create(&random, &kind);
    double weight[LARGEST] = {0};
    int to = cmbt_random_int(&random, 0, ng - 1), terms = cmbt_random_int(&random, 1, 3);
    for (int k = 0; k < terms; k++) {
      int from = cmbt_random_int(&random, 0, ng - 1);
      if (from != to)
        weight[from] = cmbt_random_uniform(&random, 1, 2) * sys->rho[to] / sys->rho[from];
    }
    combine(sys, to, weight); /* a zero row if no other row was drawn */
    cmb_kkt_shape shape = shape_of(sys);
    cmb_kkt *kkt = new_kkt(sys->ctx, &shape);
    assert_int_equal(factor_system(kkt, sys, &shape), CMB_RETRY_SINGULAR);
    int named = cmb_kkt_dependent(kkt);
    assert_in_range(named, 0, ng - 1);
    assert_true(named == to || weight[named] != 0);
    cmb_kkt_destroy(kkt);
    cmbt_kkt_destroy(sys);
  }
}

/* Checks that of several equal rows the last is reported, and that the report does not outlive the next factorisation. */
static void the_last_of_equal_rows_is_named(void **state)
{
  (void)state;
  cmb_context *ctx = cmb_context_create(NULL);
  for (int way = 0; way < 2; way++) {
    const cmb_kkt_shape shape = {.nv = 5, .ng = 4, .mass_diagonal = way == 0};
    double M[25] = {1, 1, 1, 1, 1}, G[20] = {0}, B[20];
    for (int i = 0; way == 1 && i < 25; i++) M[i] = i % 6 == 0;
    G[0] = G[6] = G[11] = G[16] = 1; /* one along the first axis, three along the second */
    memcpy(B, G, sizeof B);
    cmb_kkt *kkt = new_kkt(ctx, &shape);
    assert_int_equal(cmb_kkt_factor(kkt, M, G, G), CMB_RETRY_SINGULAR);
    assert_int_equal(cmb_kkt_dependent(kkt), 3);
    assert_int_equal(cmb_kkt_factor(kkt, M, G, B), CMB_RETRY_SINGULAR);
    assert_int_equal(cmb_kkt_dependent(kkt), 3);
    double kept = G[0];
    G[0] = NAN;
    assert_int_equal(cmb_kkt_factor(kkt, M, G, G), CMB_RETRY_NONFINITE);
    assert_int_equal(cmb_kkt_dependent(kkt), -1);
    G[0] = kept;
    assert_int_equal(cmb_kkt_factor(kkt, M, G, G), CMB_RETRY_SINGULAR);
    G[12] = G[18] = 1;
    assert_int_equal(cmb_kkt_factor(kkt, M, G, G), CMB_OK);
    assert_int_equal(cmb_kkt_dependent(kkt), -1);
    cmb_kkt_destroy(kkt);
  }
  cmb_context_destroy(ctx);
}

/* Two unit gradients at an angle of 1e-5 are accepted, and the solution satisfies the equations; at 1e-9, where sin² is below rounding,
 * they are refused. This holds with the second row multiplied by 1e±6 and with the second velocity in units of 1e-3. */
static void the_rank_test_depends_on_the_angle_not_on_units(void **state)
{
  (void)state;
  cmb_context *ctx = cmb_context_create(NULL);
  for (int way = 0; way < 48; way++) {
    const double angle = way % 2 ? 1e-9 : 1e-5, row = pow(10, 6 * ((way / 2) % 3 - 1));
    const double column = way % 24 >= 12 ? 1e-3 : 1;
    const bool diagonal = (way / 6) % 2;
    const cmb_kkt_shape shape = {.nv = 3, .ng = 2, .mass_diagonal = diagonal};
    const double D[] = {1, column * column, 1}, M[] = {1, 0, 0, 0, column * column, 0, 0, 0, 1};
    const double G[] = {1, 0, 0, row * cos(angle), row * sin(angle) * column, 0};
    double B[6]; /* the same numbers in another array, which is treated as B ≠ G */
    memcpy(B, G, sizeof B);
    cmb_kkt *kkt = new_kkt(ctx, &shape);
    cmb_status status = cmb_kkt_factor(kkt, diagonal ? D : M, G, way >= 24 ? B : G);
    if (angle < 1e-6) {
      assert_int_equal(status, CMB_RETRY_SINGULAR);
      assert_int_equal(cmb_kkt_dependent(kkt), 1);
    } else {
      assert_int_equal(status, CMB_OK);
      const double r[] = {1, column, 1}, s[] = {-1, -row};
      double x[3], y[2];
      cmb_kkt_solve(kkt, r, s, x, y);
      /* the second equation gives x[1] = (1 − cos)/sin/column, about angle/(2 column) */
      cmbt_near(x[0], 1, 1e-9);
      cmbt_near(x[1] * column, angle / 2, 1e-4); /* the error is of the order of eps / angle² */
    }
    cmb_kkt_destroy(kkt);
  }
  cmb_context_destroy(ctx);
}

static void more_constraints_than_velocities_are_dependent(void **state)
{
  (void)state;
  struct cmbt_random random = {8};
  cmb_context *ctx = cmb_context_create(NULL);
  for (int nv = 1; nv <= 6; nv++) {
    const cmb_kkt_shape shape = {.nv = nv, .ng = nv + 1};
    double M[36] = {0}, G[42], B[42];
    int list[7], count;
    for (int i = 0; i < nv; i++) M[i * nv + i] = 1 + i;
    for (int i = 0; i < 42; i++) G[i] = B[i] = cmbt_random_uniform(&random, -1, 1);
    cmb_kkt *kkt = new_kkt(ctx, &shape);
    assert_int_equal(cmb_kkt_factor(kkt, M, G, G), CMB_RETRY_SINGULAR);
    assert_int_equal(cmb_kkt_factor(kkt, M, G, B), CMB_RETRY_SINGULAR);
    cmbt_ok(ctx, cmb_kkt_redundant(kkt, NULL, G, NULL, list, &count));
    assert_int_equal(count, 1);
    assert_int_equal(list[0], nv);
    cmb_kkt_destroy(kkt);
  }
  cmb_context_destroy(ctx);
}

/* B ≠ G: checks that the system is singular if a row of B is zero or acts only on a velocity that no constraint contains. */
static void forces_must_reach_the_constraints(void **state)
{
  (void)state;
  cmb_context *ctx = cmb_context_create(NULL);
  const cmb_kkt_shape shape = {.nv = 3, .ng = 2, .mass_diagonal = true};
  const double M[] = {1, 2, 3}, G[] = {1, 0, 0, 0, 1, 0}, none[] = {1, 0, 0, 0, 0, 0},
               nowhere[] = {0, 0, 1, 0, 0, 2}, beside[] = {1, 0, 0, 0, 0, 1};
  const double both[] = {0, 1, 0, 1, 0, 0}, r[] = {0, 0, 0},
               s[] = {-3, -4}; /* the factorisation needs an exchange of rows */
  double x[3], y[2];
  cmb_kkt *kkt = new_kkt(ctx, &shape);
  assert_int_equal(cmb_kkt_factor(kkt, M, G, nowhere), CMB_RETRY_SINGULAR);
  assert_int_equal(cmb_kkt_factor(kkt, M, G, none), CMB_RETRY_SINGULAR);
  assert_int_equal(cmb_kkt_dependent(kkt), 1);
  assert_int_equal(cmb_kkt_factor(kkt, M, G, beside), CMB_RETRY_SINGULAR);
  assert_int_equal(cmb_kkt_dependent(kkt), 1);
  cmbt_ok(ctx, cmb_kkt_factor(kkt, M, G, both));
  cmb_kkt_solve(kkt, r, s, x, y);
  cmbt_near(x[0], 3, 16 * DBL_EPSILON);
  cmbt_near(x[1], 4, 16 * DBL_EPSILON);
  cmbt_near(y[0], -8, 32 * DBL_EPSILON); /* 2 · 4 + y₀ = 0 */
  cmbt_near(y[1], -3, 32 * DBL_EPSILON);
  cmb_kkt_destroy(kkt);
  cmb_context_destroy(ctx);
}

static void later_rows_are_the_redundant_ones(void **state)
{
  (void)state;
  cmb_context *ctx = cmb_context_create(NULL);
  const cmb_kkt_shape shape = {.nv = 4, .ng = 5};
  const double M[] = {2, 1, 0, 0, 1, 2, 0, 0, 0, 0, 3, 1, 0, 0, 1, 1};
  const double rows[5][4] = {{1, 2, 3, 4}, {0, 1, 0, 1}, {1, 3, 3, 5}, {0, 0, 0, 0}, {2, 0, 1, 0}};
  cmb_kkt *kkt = new_kkt(ctx, &shape);
  for (int unit = -9; unit <= 9; unit += 9) { /* row 2 is the sum of rows 0 and 1, row 3 is zero */
    double G[20];
    int list[5], count;
    for (int i = 0; i < 20; i++) G[i] = rows[i / 4][i % 4] * pow(10, unit);
    cmbt_ok(ctx, cmb_kkt_redundant(kkt, M, G, NULL, list, &count));
    assert_int_equal(count, 2);
    assert_int_equal(list[0], 2);
    assert_int_equal(list[1], 3);
  }
  cmb_kkt_destroy(kkt);
  cmb_context_destroy(ctx);
}

/* Replaces random rows by combinations of independent rows before them and checks that exactly these are listed, in ascending order.
 * (Redundant rows are not combined: they could cancel up to rounding, which has any direction.) */
static void the_list_of_redundant_rows_is_exact(void **state)
{
  (void)state;
  struct cmbt_random random = {9};
  for (int trial = 0; trial < 300; trial++) {
    int nv = cmbt_random_int(&random, 4, 30), ng = cmbt_random_int(&random, 2, nv);
    const struct cmbt_kkt_kind kind = {nv, ng, trial % 2, false, 1, trial % 4 < 2 ? 0 : 6};
    struct cmbt_kkt_system *sys = cmbt_kkt_create(&random, &kind);
    int expected[30], expect = 0;
    for (int j = 1; j < ng; j++) {
      if (cmbt_random_uniform(&random, 0, 1) < 0.7) continue;
      double weight[30] = {0};
      for (int k = 0, next = 0; k < j; k++) {
        if (next < expect && expected[next] == k) {
          next++;
        } else {
          weight[k] = cmbt_random_int(&random, -1, 1) * sys->rho[j] / sys->rho[k];
        }
      }
      combine(sys, j, weight);
      expected[expect++] = j;
    }
    int list[30], count;
    cmb_kkt_shape shape = shape_of(sys);
    cmb_kkt *kkt = new_kkt(sys->ctx, &shape);
    cmbt_ok(sys->ctx,
            cmb_kkt_redundant(kkt, cmbt_kkt_mass_for(sys, &shape), sys->G, NULL, list, &count));
    assert_int_equal(count, expect);
    assert_memory_equal(list, expected, (size_t)expect * sizeof *list);
    assert_int_equal(factor_system(kkt, sys, &shape), expect ? CMB_RETRY_SINGULAR : CMB_OK);
    sys->G[nv] = NAN;
    assert_int_equal(cmb_kkt_redundant(kkt, NULL, sys->G, NULL, list, &count), CMB_RETRY_NONFINITE);
    cmb_kkt_destroy(kkt);
    cmbt_kkt_destroy(sys);
  }
}

/* ---- memory */

static void only_creating_allocates(void **state)
{
  (void)state;
  struct cmbt_random random = {10};
  for (int k = 0; k < KINDS; k++) {
    struct cmbt_kkt_system *sys = cmbt_kkt_create(&random, &kinds[k]);
    cmb_kkt_shape shape = shape_of(sys);
    struct cmbt_allocator memory;
    cmbt_allocator_init(&memory);
    cmb_context *ctx = cmb_context_create(&memory.hook);
    cmb_kkt *kkt = new_kkt(ctx, &shape);
    long calls = memory.calls;
    int list[8], count;
    cmbt_ok(ctx, factor_system(kkt, sys, &shape));
    cmb_kkt_solve(kkt, sys->r, sys->s, sys->x, sys->y);
    cmbt_ok(ctx, cmb_kkt_redundant(kkt, NULL, sys->G, NULL, list, &count));
    assert_int_equal(memory.calls, calls);
    cmb_kkt_destroy(kkt);
    cmb_context_destroy(ctx);
    assert_int_equal(memory.outstanding, 0);
    cmbt_kkt_destroy(sys);
  }
}

static void creating_survives_every_refused_allocation(void **state)
{
  (void)state;
  const cmb_kkt_shape shape = {.nv = 40, .ng = 20}; /* takes more than one chunk of the arena */
  for (long at = 2;; at++) {
    struct cmbt_allocator memory;
    cmbt_allocator_init(&memory);
    cmb_context *ctx = cmb_context_create(&memory.hook);
    memory.fail_at = at;
    cmb_kkt *kkt = NULL;
    cmb_status status = cmb_kkt_create(ctx, &shape, &kkt);
    bool refused = memory.refused > 0;
    assert_int_equal(status, refused ? CMB_ERROR_MEMORY : CMB_OK);
    assert_int_equal(kkt == NULL, refused);
    cmb_kkt_destroy(kkt);
    cmb_context_destroy(ctx);
    assert_int_equal(memory.outstanding, 0);
    if (!refused) {
      assert_in_range(
          at, 4, 100); /* requests 2 and 3, at least, were refused; the first is the context's */
      return;
    }
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(residuals_are_rounding_in_any_units),
      cmocka_unit_test(a_pendulum_at_rest),
      cmocka_unit_test(all_ways_to_store_agree),
      cmocka_unit_test(results_may_replace_the_right_hand_side),
      cmocka_unit_test(moves_agree_with_solutions),
      cmocka_unit_test(the_mass_matrix_is_kept),
      cmocka_unit_test(without_constraints_it_is_the_mass_matrix),
      cmocka_unit_test(a_mass_matrix_must_be_positive_definite),
      cmocka_unit_test(an_indefinite_mass_matrix_is_refused),
      cmocka_unit_test(nan_and_inf_are_refused_in_every_entry),
      cmocka_unit_test(shapes_must_fit),
      cmocka_unit_test(dependent_rows_are_named_in_any_units),
      cmocka_unit_test(the_last_of_equal_rows_is_named),
      cmocka_unit_test(the_rank_test_depends_on_the_angle_not_on_units),
      cmocka_unit_test(more_constraints_than_velocities_are_dependent),
      cmocka_unit_test(forces_must_reach_the_constraints),
      cmocka_unit_test(later_rows_are_the_redundant_ones),
      cmocka_unit_test(the_list_of_redundant_rows_is_exact),
      cmocka_unit_test(only_creating_allocates),
      cmocka_unit_test(creating_survives_every_refused_allocation),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
