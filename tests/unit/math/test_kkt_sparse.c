/*
 * Tests of the sparse KKT object (math/kkt.h): residuals, agreement with the dense object, status codes, the dense object's decision where
 * rank is lost, and near such a place the smallest singular value, its vectors and damped corrections.
 */
#include "check.h"
#include "failing_allocator.h"
#include "kkt_system.h"
#include "math/kkt.h"
#include "random.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

static const double STABLE =
    10; /* limit of residuals in units of (nv + ng) eps, as for the dense object */

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

static void solve_and_check(cmb_kkt *kkt, struct cmbt_kkt_system *sys, const cmb_kkt_shape *shape)
{
  cmbt_ok(sys->ctx, factor_system(kkt, sys, shape));
  cmb_kkt_solve(kkt, sys->r, sys->s, sys->x, sys->y);
  cmbt_below(cmbt_kkt_error(sys, sys->x, sys->y), STABLE);
}

/* ---- solutions */

/* Solves with one object a sequence of matrices as in a simulation: small changes, then a large one. Checks that no matrix is in doubt,
 * in any units: the dense object is never created, so nothing is allocated. */
static void check_sequence(struct cmbt_kkt_system *sys, struct cmbt_random *random)
{
  cmb_kkt_shape shape = cmbt_kkt_shape_sparse(sys);
  struct cmbt_allocator memory;
  cmbt_allocator_init(&memory);
  cmb_context *ctx = cmb_context_create(&memory.hook);
  cmb_kkt *kkt = new_kkt(ctx, &shape);
  const long calls = memory.calls;
  for (int step = 0; step < 12; step++) {
    solve_and_check(kkt, sys, &shape);
    cmbt_kkt_change(sys, random, step % 6 == 5 ? 10 : 0.1);
  }
  assert_int_equal(memory.calls, calls);
  cmb_kkt_destroy(kkt);
  cmb_context_destroy(ctx);
}

static void residuals_are_rounding_in_any_units(void **state)
{
  (void)state;
  struct cmbt_random random = {1};
  for (int way = 0; way < 8; way++) {
    const struct cmbt_kkt_kind kind = {300, 120, way & 1, way & 2, 0.01, way & 4 ? 6 : 0};
    struct cmbt_kkt_system *sys = cmbt_kkt_create(&random, &kind);
    assert_in_range(sys->G_pattern->start[120], 2 * 120, 10 * 120); /* 2 to 10 entries in a row */
    check_sequence(sys, &random);
    cmbt_kkt_destroy(sys);
  }
}

static void chains_open_and_closed(void **state)
{
  (void)state;
  struct cmbt_random random = {2};
  for (int way = 0; way < 8; way++) {
    struct cmbt_kkt_system *sys =
        cmbt_kkt_create_chain(&random, way & 4 ? 6 : 30, way & 1, way & 2);
    check_sequence(sys, &random);
    cmbt_kkt_destroy(sys);
  }
}

/* Checks residuals for sizes on both sides of CMB_KKT_SPARSE_FROM, also without constraints. */
static void sizes_on_both_sides_of_the_limit(void **state)
{
  (void)state;
  struct cmbt_random random = {3};
  for (int nv = 40; nv <= 70; nv++) {
    for (int ng = 0; ng <= 24; ng += 4) {
      const struct cmbt_kkt_kind kind = {nv, ng, nv % 2, false, 0.1, 3};
      struct cmbt_kkt_system *sys = cmbt_kkt_create(&random, &kind);
      cmb_kkt_shape shape = cmbt_kkt_shape_sparse(sys);
      cmb_kkt *kkt = new_kkt(sys->ctx, &shape);
      solve_and_check(kkt, sys, &shape);
      cmb_kkt_destroy(kkt);
      cmbt_kkt_destroy(sys);
    }
  }
}

/* Checks that dense, diagonal and sparse storage give the same solution up to rounding times the condition number, below 1e5 here. */
static void sparse_and_dense_agree(void **state)
{
  (void)state;
  struct cmbt_random random = {4};
  for (int trial = 0; trial < 12; trial++) {
    const struct cmbt_kkt_kind kind = {60, 30, trial % 2, trial % 3 == 0, 0.1, 0};
    struct cmbt_kkt_system *sys = cmbt_kkt_create(&random, &kind);
    cmb_kkt_shape shapes[] = {cmbt_kkt_shape_dense(sys), cmbt_kkt_shape_sparse(sys),
                              cmbt_kkt_shape_sparse(sys)};
    shapes[2].mass_diagonal = false;
    double x[60], y[30];
    for (int way = 0; way < 3; way++) {
      cmb_kkt *kkt = new_kkt(sys->ctx, &shapes[way]);
      solve_and_check(kkt, sys, &shapes[way]);
      double size = 0;
      for (int i = 0; i < 60; i++) size = fmax(size, fabs(sys->x[i]));
      for (int i = 0; i < 30; i++) size = fmax(size, fabs(sys->y[i]));
      const double tolerance = 1e5 * 90 * DBL_EPSILON * size;
      for (int i = 0; way > 0 && i < 60; i++) cmbt_near(sys->x[i], x[i], tolerance);
      for (int i = 0; way > 0 && i < 30; i++) cmbt_near(sys->y[i], y[i], tolerance);
      memcpy(x, sys->x, sizeof x);
      memcpy(y, sys->y, sizeof y);
      cmb_kkt_destroy(kkt);
    }
    cmbt_kkt_destroy(sys);
  }
}

static void results_may_replace_the_right_hand_side(void **state)
{
  (void)state;
  struct cmbt_random random = {5};
  const struct cmbt_kkt_kind kind = {50, 20, false, true, 0.1, 2};
  struct cmbt_kkt_system *sys = cmbt_kkt_create(&random, &kind);
  cmb_kkt_shape shape = cmbt_kkt_shape_sparse(sys);
  cmb_kkt *kkt = new_kkt(sys->ctx, &shape);
  solve_and_check(kkt, sys, &shape);
  double x[50], y[20], zero[20] = {0};
  memcpy(x, sys->r, sizeof x);
  memcpy(y, sys->s, sizeof y);
  cmb_kkt_solve(kkt, x, y, x, y);
  assert_memory_equal(x, sys->x, sizeof x);
  assert_memory_equal(y, sys->y, sizeof y);
  cmb_kkt_solve(kkt, sys->r, NULL, x, NULL);
  cmb_kkt_solve(kkt, sys->r, zero, sys->x, sys->y);
  assert_memory_equal(x, sys->x, sizeof x);
  cmb_kkt_destroy(kkt);
  cmbt_kkt_destroy(sys);
}

/* ---- an entry that becomes zero */

/* Groups of four coupled velocities, the first two of them tied by a constraint with the gradient (a, b). a decreases from 1 to exactly 0
 * while b increases, with the same order of elimination: checks that the solutions stay accurate. */
static void solutions_stay_accurate_when_an_entry_becomes_zero(void **state)
{
  (void)state;
  enum { NG = 20, NV = 4 * NG };
  cmb_context *ctx = cmb_context_create(NULL);
  int M_start[NV + 1], M_column[4 * NV], G_start[NG + 1], G_column[2 * NG];
  double M[4 * NV], G[2 * NG], r[NV], s[NG], x[NV], y[NG];
  for (int i = 0; i <= NV; i++) M_start[i] = 4 * i;
  for (int k = 0; k < 4 * NV; k++) {
    M_column[k] = k / 16 * 4 + k % 4;
    M[k] = M_column[k] == k / 4 ? 1 : 0.2;
  }
  for (int j = 0; j <= NG; j++) G_start[j] = 2 * j;
  for (int k = 0; k < 2 * NG; k++) G_column[k] = k / 2 * 4 + k % 2;
  for (int i = 0; i < NV; i++) r[i] = 1 + i % 3;
  for (int j = 0; j < NG; j++) s[j] = 1;
  const cmb_pattern M_pattern = {NV, NV, M_start, M_column},
                    G_pattern = {NG, NV, G_start, G_column};
  const cmb_kkt_shape shape = {NV, NG, false, &M_pattern, &G_pattern};
  cmb_kkt *kkt = new_kkt(ctx, &shape);
  for (int step = 0; step <= 17; step++) {
    double a = step == 17 ? 0 : pow(10, -step), b = sqrt(1 - a * a), rest[NV], rest_G[NG];
    for (int k = 0; k < 2 * NG; k++) G[k] = k % 2 ? b : a;
    cmbt_ok(ctx, cmb_kkt_factor(kkt, step == 0 ? M : NULL, G, G));
    cmb_kkt_solve(kkt, r, s, x, y);
    cmb_multiply(&M_pattern, NV, NV, M, x, rest);
    cmb_multiply_transposed_add(&G_pattern, NG, NV, G, 1, y, rest);
    cmb_multiply(&G_pattern, NG, NV, G, x, rest_G);
    for (int i = 0; i < NV; i++)
      cmbt_near(rest[i], r[i], 10 * STABLE * DBL_EPSILON); /* the entries are up to 10 */
    for (int j = 0; j < NG; j++) cmbt_near(rest_G[j], -s[j], 10 * STABLE * DBL_EPSILON);
  }
  cmb_kkt_destroy(kkt);
  cmb_context_destroy(ctx);
}

/* ---- input that is refused */

static void a_mass_matrix_must_be_positive_definite(void **state)
{
  (void)state;
  struct cmbt_random random = {6};
  for (int way = 0; way < 2; way++) {
    const struct cmbt_kkt_kind kind = {50, 20, way, false, 0.1, 6};
    struct cmbt_kkt_system *sys = cmbt_kkt_create(&random, &kind);
    cmb_kkt_shape shape = cmbt_kkt_shape_sparse(sys);
    cmb_kkt *kkt = new_kkt(sys->ctx, &shape);
    for (int i = 0; i < 50; i++) {
      cmbt_ok(sys->ctx, factor_system(kkt, sys, &shape));
      const double kept = sys->M[i * 50 + i], bad[] = {0, -kept, 1e-3 * kept};
      for (int b = 0; b < (way ? 2 : 3);
           b++) { /* the last value leaves the diagonal positive, but M indefinite */
        sys->M[i * 50 + i] = bad[b];
        cmbt_kkt_refresh(sys);
        if (b >= 2 && sys->M_pattern->start[i + 1] - sys->M_pattern->start[i] < 3) continue;
        assert_int_equal(factor_system(kkt, sys, &shape), CMB_RETRY_MASS);
        assert_int_equal(cmb_kkt_factor(kkt, NULL, sys->G_values, NULL), CMB_ERROR_ARGUMENT);
      }
      sys->M[i * 50 + i] = kept;
      cmbt_kkt_refresh(sys);
    }
    solve_and_check(kkt, sys, &shape);
    cmb_kkt_destroy(kkt);
    cmbt_kkt_destroy(sys);
  }
}

/* Checks a matrix with m_ij² < m_ii m_jj for each pair that is not positive definite: three velocities of one body have 1 on the diagonal
 * and −0.9 elsewhere, which gives the eigenvalue 1 − 1.8. */
static void an_indefinite_mass_matrix_is_refused_by_its_pivots(void **state)
{
  (void)state;
  struct cmbt_random random = {7};
  struct cmbt_kkt_system *sys = cmbt_kkt_create_chain(&random, 10, false, false);
  const int nv = sys->kind.nv, body = 4;
  for (int i = 6 * body; i < 6 * body + 3; i++) {
    for (int j = 6 * body; j < 6 * body + 6; j++) {
      sys->M[i * nv + j] = sys->M[j * nv + i] = i == j ? 1 : j < 6 * body + 3 ? -0.9 : 0;
    }
  }
  cmbt_kkt_refresh(sys);
  cmb_kkt_shape shape = cmbt_kkt_shape_sparse(sys);
  cmb_kkt *kkt = new_kkt(sys->ctx, &shape);
  assert_int_equal(factor_system(kkt, sys, &shape), CMB_RETRY_MASS);
  cmb_kkt_destroy(kkt);
  cmbt_kkt_destroy(sys);
}

/* Blocks of three velocities u, v, w, of which u and v are dependent but for 1e-12 and w is coupled to v: a pivot of 2e-12 beside an entry
 * of 1.3e-6, with any order in the block. The smallest pivot is 19 % of this: positive definite, and accepted. */
static void a_mass_matrix_may_be_nearly_singular(void **state)
{
  (void)state;
  enum { BLOCKS = 24, NV = 3 * BLOCKS };
  static const int order[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
  const double delta = 1e-12, f = 0.9 * sqrt(2 * delta);
  const double block[3][3] = {{1, 1 - delta, 0}, {1 - delta, 1, f}, {0, f, 1}};
  cmb_context *ctx = cmb_context_create(NULL);
  int M_start[NV + 1], M_column[3 * NV], G_start[2] = {0, 1}, G_column[1] = {5};
  double M[3 * NV], G[1] = {1};
  for (int i = 0; i <= NV; i++) M_start[i] = 3 * i;
  for (int k = 0; k < 3 * NV; k++) {
    int b = k / 9, i = k / 3 % 3, j = k % 3;
    M_column[k] = 3 * b + j;
    M[k] = block[order[b % 6][i]][order[b % 6][j]];
  }
  const cmb_pattern M_pattern = {NV, NV, M_start, M_column}, G_pattern = {1, NV, G_start, G_column};
  const cmb_kkt_shape shape = {NV, 1, false, &M_pattern, &G_pattern};
  cmb_kkt *kkt = new_kkt(ctx, &shape);
  assert_int_equal(cmb_kkt_factor(kkt, M, G, NULL), CMB_OK);
  for (int k = 0; k < 3 * NV; k++) {
    if (fabs(M[k]) < 1e-3) M[k] *= 1.2; /* f is now above sqrt(2 delta): indefinite */
  }
  assert_int_equal(cmb_kkt_factor(kkt, M, G, NULL), CMB_RETRY_MASS);
  cmb_kkt_destroy(kkt);
  cmb_context_destroy(ctx);
}

/* Checks that a pattern of M without a diagonal entry is refused: no such matrix is positive definite. */
static void a_diagonal_entry_that_is_not_stored_is_zero(void **state)
{
  (void)state;
  enum { NV = 70 };
  cmb_context *ctx = cmb_context_create(NULL);
  int start[NV + 1], column[NV], G_start[2] = {0, 1}, G_column[1] = {0};
  double M[NV], G[1] = {1};
  for (int i = 0; i <= NV; i++) start[i] = i < 30 ? i : i - 1; /* row 29 is empty */
  for (int i = 0; i < NV - 1; i++) {
    column[i] = i < 29 ? i : i + 1;
    M[i] = 1;
  }
  const cmb_pattern M_pattern = {NV, NV, start, column}, G_pattern = {1, NV, G_start, G_column};
  const cmb_kkt_shape shape = {NV, 1, false, &M_pattern, &G_pattern};
  cmb_kkt *kkt = new_kkt(ctx, &shape);
  assert_int_equal(cmb_kkt_factor(kkt, M, G, NULL), CMB_RETRY_MASS);
  cmb_kkt_destroy(kkt);
  cmb_context_destroy(ctx);
}

static void check_nonfinite(struct cmbt_kkt_system *sys, cmb_kkt *kkt, int count, double *A)
{
  const double bad[] = {NAN, INFINITY, -INFINITY};
  cmb_kkt_shape shape = cmbt_kkt_shape_sparse(sys);
  for (int k = 0; k < count; k++) {
    double kept = A[k];
    for (int b = 0; b < 3; b++) {
      A[k] = bad[b];
      assert_int_equal(factor_system(kkt, sys, &shape), CMB_RETRY_NONFINITE);
    }
    A[k] = kept;
  }
}

static void nan_and_inf_are_refused_in_every_entry(void **state)
{
  (void)state;
  struct cmbt_random random = {8};
  for (int way = 0; way < 4; way++) {
    const struct cmbt_kkt_kind kind = {50, 20, way & 1, way & 2, 0.08, 0};
    struct cmbt_kkt_system *sys = cmbt_kkt_create(&random, &kind);
    cmb_kkt_shape shape = cmbt_kkt_shape_sparse(sys);
    cmb_kkt *kkt = new_kkt(sys->ctx, &shape);
    solve_and_check(kkt, sys, &shape);
    if (kind.diagonal) {
      check_nonfinite(sys, kkt, 50, sys->M_diagonal);
    } else {
      check_nonfinite(sys, kkt, sys->M_pattern->start[50], sys->M_values);
    }
    check_nonfinite(sys, kkt, sys->G_pattern->start[20], sys->G_values);
    if (kind.unsymmetric) check_nonfinite(sys, kkt, sys->G_pattern->start[20], sys->B_values);
    solve_and_check(kkt, sys, &shape);
    cmb_kkt_destroy(kkt);
    cmbt_kkt_destroy(sys);
  }
}

/* ---- rank */

/* Makes two constraints of one joint of a chain dependent: all rows of a joint have the same pattern, so one can be a combination of two
 * others. Checks the reported constraint and the list of redundant ones. */
static void dependent_rows_are_named_in_any_units(void **state)
{
  (void)state;
  struct cmbt_random random = {9};
  for (int trial = 0; trial < 40; trial++) {
    struct cmbt_kkt_system *sys = cmbt_kkt_create_chain(&random, 8, false, trial % 2);
    const int nv = sys->kind.nv, joint = cmbt_random_int(&random, 0, 7), a = 5 * joint, c = a + 4;
    cmb_kkt_shape shape = cmbt_kkt_shape_sparse(sys);
    cmb_kkt *kkt = new_kkt(sys->ctx, &shape);
    solve_and_check(kkt, sys, &shape);

    const double unit = pow(10, 6 * (trial % 3 - 1)),
                 weight = trial % 4 == 3 ? 0 : 1; /* 0: the row is zero */
    double kept[48];
    memcpy(kept, sys->G + c * nv, sizeof kept);
    for (int i = 0; i < nv; i++) {
      sys->G[c * nv + i] = weight * unit * (sys->G[a * nv + i] + 2 * sys->G[(a + 1) * nv + i]);
    }
    memcpy(sys->B, sys->G, (size_t)(sys->kind.ng * nv) * sizeof(double));
    cmbt_kkt_refresh(sys);
    assert_int_equal(factor_system(kkt, sys, &shape), CMB_RETRY_SINGULAR);
    int named = cmb_kkt_dependent(kkt), list[43], count;
    assert_true(named == c || (weight != 0 && (named == a || named == a + 1)));
    cmbt_ok(sys->ctx, cmb_kkt_redundant(kkt, cmbt_kkt_mass_for(sys, &shape), sys->G_values, NULL,
                                        list, &count));
    assert_int_equal(count, 1);
    assert_int_equal(list[0], c);

    memcpy(sys->G + c * nv, kept,
           sizeof kept); /* the regular matrix again, as when a simulation goes on */
    memcpy(sys->B, sys->G, (size_t)(sys->kind.ng * nv) * sizeof(double));
    cmbt_kkt_refresh(sys);
    solve_and_check(kkt, sys, &shape);
    assert_int_equal(cmb_kkt_dependent(kkt), -1);
    cmb_kkt_destroy(kkt);
    cmbt_kkt_destroy(sys);
  }
}

/* Turns row `to` of G towards row `from`, which has the same pattern, to about the given angle. */
static void turn_towards(struct cmbt_kkt_system *sys, int to, int from, double angle)
{
  const int nv = sys->kind.nv;
  double *g = sys->G + to * nv;
  const double *h = sys->G + from * nv;
  for (int i = 0; i < nv; i++) g[i] = cos(angle) * h[i] + sin(angle) * g[i];
  memcpy(sys->B, sys->G, (size_t)(sys->kind.ng * nv) * sizeof(double));
  cmbt_kkt_refresh(sys);
}

/* Checks that angles down to 1e-5 are accepted, by the sparse factors or the dense ones, and that the equations are solved. */
static void small_angles_are_accepted(void **state)
{
  (void)state;
  struct cmbt_random random = {10};
  for (int trial = 0; trial < 30; trial++) {
    struct cmbt_kkt_system *sys = cmbt_kkt_create_chain(&random, 8, false, trial % 2);
    cmb_kkt_shape shape = cmbt_kkt_shape_sparse(sys);
    cmb_kkt *kkt = new_kkt(sys->ctx, &shape);
    turn_towards(sys, 12, 10, pow(10, -(trial % 6)));
    solve_and_check(kkt, sys, &shape);
    cmb_kkt_destroy(kkt);
    cmbt_kkt_destroy(sys);
  }
}

/* M couples velocities in pairs that are dependent but for 1e-13, and is still positive definite. Checks that this raises no doubt about
 * the constraints: the dense object is not created. */
static void a_nearly_singular_mass_does_not_cast_doubt(void **state)
{
  (void)state;
  enum { NV = 70, NG = 30 };
  struct cmbt_allocator memory;
  cmbt_allocator_init(&memory);
  cmb_context *ctx = cmb_context_create(&memory.hook);
  int M_start[NV + 1], M_column[2 * NV], G_start[NG + 1], G_column[NG];
  double M[2 * NV], G[NG], r[NV], x[NV], y[NG];
  for (int i = 0; i < NV; i++) {
    M_start[i] = 2 * i;
    M_column[2 * i] = i - i % 2;
    M_column[2 * i + 1] = i - i % 2 + 1;
    r[i] = 1;
  }
  M_start[NV] = 2 * NV;
  for (int j = 0; j <= NG; j++) G_start[j] = j;
  for (int j = 0; j < NG; j++) {
    G_column[j] = 2 * j;
    G[j] = 1;
  }
  const cmb_pattern M_pattern = {NV, NV, M_start, M_column},
                    G_pattern = {NG, NV, G_start, G_column};
  const cmb_kkt_shape shape = {NV, NG, false, &M_pattern, &G_pattern};
  cmb_kkt *kkt = new_kkt(ctx, &shape);
  long calls = memory.calls;
  for (int pass = 0; pass < 4; pass++) {
    const double delta = pass % 2 ? 1e-13 : 0.5,
                 lost = 100 * DBL_EPSILON / delta; /* rounding times the condition number of M */
    for (int k = 0; k < 2 * NV; k++) M[k] = k % 4 == 0 || k % 4 == 3 ? 1 : 1 - delta;
    cmbt_ok(ctx, cmb_kkt_factor(kkt, M, G, NULL));
    assert_int_equal(memory.calls, calls);
    cmb_kkt_solve(kkt, r, NULL, x, y);
    for (int j = 0; j < NV / 2;
         j++) { /* pairs with a constraint on the first velocity, then without */
      cmbt_near(x[2 * j], j < NG ? 0 : 1 / (2 - delta), lost);
      cmbt_near(x[2 * j + 1], j < NG ? 1 : 1 / (2 - delta), lost);
      if (j < NG) cmbt_near(y[j], delta, lost);
    }
  }
  cmb_kkt_destroy(kkt);
  cmb_context_destroy(ctx);
  assert_int_equal(memory.outstanding, 0);
}

/* ---- near a loss of rank */

/* Checks what is known near a loss of rank: unit masses and 90 velocities; the gradient of constraint 2j is along velocity 3j, that of 2j +
 * 1 is at an angle to it, smallest for j = 7. The pairs have σ² = 1 ± cos(angle), and the weak direction is along the difference of the two
 * gradients. */
static void near_a_loss_of_rank(void **state)
{
  (void)state;
  enum { PAIRS = 30, NV = 3 * PAIRS, NG = 2 * PAIRS };
  int start[NG + 1], column[3 * PAIRS];
  double M[NV], G[3 * PAIRS], n[NG], x[NV], s[NG] = {0}, part[NV], share[NG], sigma, reference[NG];
  cmb_context *ctx = cmb_context_create(NULL);
  for (int j = 0, k = 0; j < PAIRS; j++) {
    const double angle = j == 7 ? 0.02 : 1;
    start[2 * j] = k;
    column[k] = 3 * j, G[k++] = 1;
    start[2 * j + 1] = k;
    column[k] = 3 * j, G[k++] = cos(angle);
    column[k] = 3 * j + 1, G[k++] = sin(angle);
    start[2 * j + 2] = k;
  }
  for (int i = 0; i < NV; i++) M[i] = 1;
  for (int j = 0; j < NG; j++) reference[j] = 1;
  const cmb_pattern pattern = {NG, NV, start, column};
  const cmb_kkt_shape shape = {NV, NG, true, NULL, &pattern};
  cmb_kkt *kkt = new_kkt(ctx, &shape);
  cmb_kkt_set_reference(kkt, reference);
  cmb_kkt_set_limits(kkt, &(cmb_kkt_limits){.doubt = 0.1, .zero = 1e-4, .correct = 1e-3});
  cmbt_ok(ctx, cmb_kkt_factor(kkt, M, G, NULL));
  assert_true(*cmb_kkt_doubtful(kkt));
  cmbt_near(cmb_kkt_nearness(kkt), sin(0.02), 1e-12);
  assert_true(cmb_kkt_weakest(kkt, 0.1, &sigma, n, x));
  cmbt_near(sigma, sqrt(2) * sin(0.01), 1e-10); /* √(1 − cos 0.02) */
  cmbt_near(fabs(x[21]), sin(0.01), 1e-6);      /* perpendicular to the mean of both gradients */
  cmbt_near(fabs(x[22]), cos(0.01), 1e-6);
  cmbt_near(fabs(n[14]), sqrt(0.5), 1e-6);
  s[15] = sin(0.02); /* s = G x for unit velocities 22, which is weak, and 24, which is not */
  s[16] = 1, s[17] = cos(1);
  for (int i = 0; i < NV; i++) x[i] = i == 22 || i == 24;
  cmb_kkt_weak_part(kkt, 0.1, x, s, part);
  cmbt_near(part[22], 0.01 / (0.01 + sigma * sigma), 1e-3);
  assert_true(fabs(part[24]) < 0.1);
  cmbt_ok(ctx, cmb_kkt_smallest(kkt, NULL, G, 0, &sigma, share));
  cmbt_near(sigma, sqrt(2) * sin(0.01), 1e-8);
  cmbt_near(share[14], sqrt(0.5), 1e-6);
  G[start[15]] = 1, G[start[15] + 1] = 0; /* constraints 14 and 15 are now equal */
  cmb_kkt_refuse(kkt, true);
  assert_int_equal(cmb_kkt_factor(kkt, NULL, G, NULL), CMB_RETRY_SINGULAR);
  cmb_kkt_refuse(kkt, false);
  assert_int_equal(cmb_kkt_factor(kkt, NULL, G, NULL), CMB_RETRY_SINGULAR);
  assert_int_equal(cmb_kkt_rank_held(kkt), NG - 1);
  cmb_kkt_destroy(kkt);
  cmb_context_destroy(ctx);
}

/* ---- M == NULL */

static void the_mass_matrix_is_kept(void **state)
{
  (void)state;
  struct cmbt_random random = {11};
  for (int way = 0; way < 2; way++) {
    const struct cmbt_kkt_kind kind = {50, 20, way, false, 0.1, 2};
    struct cmbt_kkt_system *sys = cmbt_kkt_create(&random, &kind);
    cmb_kkt_shape shape = cmbt_kkt_shape_sparse(sys);
    cmb_kkt *kkt = new_kkt(sys->ctx, &shape);
    int list[20], count;
    assert_int_equal(cmb_kkt_factor(kkt, NULL, sys->G_values, NULL), CMB_ERROR_ARGUMENT);
    cmbt_ok(sys->ctx, factor_system(kkt, sys, &shape));
    for (int i = 0; i < 50 * 50; i++) sys->M[i] *= 3; /* another M, passed to cmb_kkt_redundant */
    cmbt_kkt_change(sys, &random, 1);
    cmbt_ok(sys->ctx, cmb_kkt_redundant(kkt, cmbt_kkt_mass_for(sys, &shape), sys->G_values, NULL,
                                        list, &count));
    assert_int_equal(count, 0);
    double kept = sys->G_values[3];
    sys->G_values[3] = NAN;
    assert_int_equal(cmb_kkt_factor(kkt, NULL, sys->G_values, NULL), CMB_RETRY_NONFINITE);
    sys->G_values[3] = kept;
    cmbt_ok(sys->ctx, cmb_kkt_factor(kkt, NULL, sys->G_values, NULL));
    cmb_kkt_solve(kkt, sys->r, sys->s, sys->x, sys->y);
    cmbt_below(cmbt_kkt_error(sys, sys->x, sys->y), STABLE);
    cmb_kkt_destroy(kkt);
    cmbt_kkt_destroy(sys);
  }
}

/* ---- memory */

static void factoring_again_does_not_allocate(void **state)
{
  (void)state;
  struct cmbt_random random = {12};
  struct cmbt_kkt_system *sys = cmbt_kkt_create_chain(&random, 10, true, false);
  cmb_kkt_shape shape = cmbt_kkt_shape_sparse(sys);
  struct cmbt_allocator memory;
  cmbt_allocator_init(&memory);
  cmb_context *ctx = cmb_context_create(&memory.hook);
  cmb_kkt *kkt = new_kkt(ctx, &shape);
  solve_and_check(kkt, sys, &shape);
  long calls = memory.calls;
  for (int step = 0; step < 10; step++) {
    cmbt_kkt_change(sys, &random, 1e-3);
    solve_and_check(kkt, sys, &shape);
  }
  assert_int_equal(memory.calls, calls);
  cmb_kkt_destroy(kkt);
  cmb_context_destroy(ctx);
  assert_int_equal(memory.outstanding, 0);
  cmbt_kkt_destroy(sys);
}

/* Creates an object, factorises G and then a dependent G, with the `at`-th request for memory refused. Returns whether one was refused. */
static bool create_and_factor_with_refusal(struct cmbt_kkt_system *good,
                                           struct cmbt_kkt_system *bad, long at)
{
  cmb_kkt_shape shape = cmbt_kkt_shape_sparse(good);
  struct cmbt_allocator memory;
  cmbt_allocator_init(&memory);
  cmb_context *ctx = cmb_context_create(&memory.hook);
  memory.fail_at = at;
  cmb_kkt *kkt = NULL;
  cmb_status status = cmb_kkt_create(ctx, &shape, &kkt);
  if (status == CMB_OK) status = factor_system(kkt, good, &shape);
  if (status == CMB_OK) status = factor_system(kkt, bad, &shape);
  bool refused = memory.refused > 0;
  if (status != CMB_RETRY_SINGULAR) {
    assert_true(refused);
    assert_int_equal(status, CMB_ERROR_MEMORY);
    assert_string_equal(cmb_last_error(ctx), cmb_status_meaning(CMB_ERROR_MEMORY));
  }
  cmb_kkt_destroy(kkt);
  cmb_context_destroy(ctx);
  assert_int_equal(memory.outstanding, 0);
  return refused;
}

static void every_refused_allocation_is_survived(void **state)
{
  (void)state;
  struct cmbt_random random = {13}, again = {13};
  struct cmbt_kkt_system *good = cmbt_kkt_create_chain(&random, 7, false, false);
  struct cmbt_kkt_system *bad = cmbt_kkt_create_chain(&again, 7, false, false);
  turn_towards(bad, 7, 6, 0);
  long at = 2;
  while (create_and_factor_with_refusal(good, bad, at)) at++;
  assert_in_range(at, 5, 1000);
  cmbt_kkt_destroy(good);
  cmbt_kkt_destroy(bad);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(residuals_are_rounding_in_any_units),
      cmocka_unit_test(chains_open_and_closed),
      cmocka_unit_test(sizes_on_both_sides_of_the_limit),
      cmocka_unit_test(sparse_and_dense_agree),
      cmocka_unit_test(results_may_replace_the_right_hand_side),
      cmocka_unit_test(solutions_stay_accurate_when_an_entry_becomes_zero),
      cmocka_unit_test(a_mass_matrix_must_be_positive_definite),
      cmocka_unit_test(an_indefinite_mass_matrix_is_refused_by_its_pivots),
      cmocka_unit_test(a_mass_matrix_may_be_nearly_singular),
      cmocka_unit_test(a_diagonal_entry_that_is_not_stored_is_zero),
      cmocka_unit_test(nan_and_inf_are_refused_in_every_entry),
      cmocka_unit_test(dependent_rows_are_named_in_any_units),
      cmocka_unit_test(small_angles_are_accepted),
      cmocka_unit_test(a_nearly_singular_mass_does_not_cast_doubt),
      cmocka_unit_test(the_mass_matrix_is_kept),
      cmocka_unit_test(near_a_loss_of_rank),
      cmocka_unit_test(factoring_again_does_not_allocate),
      cmocka_unit_test(every_refused_allocation_is_survived),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
