/*
 * Tests of dependent and nearly dependent constraints in the KKT object (math/kkt.h): least squares, least norm, null vectors and weak
 * directions, in any units and for all ways to store the matrices.
 */
#include "check.h"
#include "kkt_system.h"
#include "math/dense.h"
#include "math/kkt.h"
#include "math/orthogonal.h"
#include "random.h"

#include <float.h>
#include <string.h>

enum { MOST = 40 };

/* Checks cmb_orthogonal_rows: B = J A has orthogonal rows with the lengths σ in descending order, J is orthogonal, and Jᵀ B = A. The last σ
 * is 0 for dependent rows. */
static void rows_become_orthogonal(void **state)
{
  (void)state;
  struct cmbt_random random = {3};
  for (int trial = 0; trial < 100; trial++) {
    const int rows = cmbt_random_int(&random, 1, 12), columns = cmbt_random_int(&random, 1, 12);
    double A[144], B[144], J[144], sigma[12];
    for (int i = 0; i < rows * columns; i++) A[i] = B[i] = cmbt_random_uniform(&random, -1, 1);
    for (int j = 0; rows > 2 && j < columns; j++) { /* the last row depends on the first two */
      A[(rows - 1) * columns + j] = B[(rows - 1) * columns + j] = B[j] / 3 - B[columns + j] / 2;
    }
    cmb_orthogonal_rows(rows, columns, B, J, sigma);
    for (int i = 0; i < rows; i++) {
      for (int k = 0; k < rows; k++) {
        const double dot = cmb_dot(columns, B + i * columns, B + k * columns);
        cmbt_near(dot, i == k ? sigma[i] * sigma[i] : 0, 1e-13);
        cmbt_near(cmb_dot(rows, J + i * rows, J + k * rows), i == k, 1e-13);
      }
      for (int j = 0; j < columns; j++) { /* Jᵀ B = A */
        double sum = 0;
        for (int k = 0; k < rows; k++) sum += J[k * rows + i] * B[k * columns + j];
        cmbt_near(sum, A[i * columns + j], 1e-13);
      }
      if (i > 0) assert_true(sigma[i] <= sigma[i - 1]);
    }
    const int rank = rows > 2 ? rows - 1 : rows;
    if (rows > columns || rank < rows) cmbt_below(sigma[rows - 1], 1e-14);
    if (rank <= columns) assert_true(sigma[rank - 1] > 1e-6);
  }
}

/* Returns the length of row i of G in the metric of M⁻¹, for a diagonal M. */
static double gradient_length(const struct cmbt_kkt_system *sys, int i)
{
  const double *g = sys->G + i * sys->kind.nv;
  double sum = 0;
  for (int k = 0; k < sys->kind.nv; k++) sum += g[k] * g[k] / sys->M_diagonal[k];
  return sqrt(sum);
}

/* Replaces the last row of G by a combination of two others, and the last entry of s accordingly, so that the equations have a solution. */
static void make_dependent(struct cmbt_kkt_system *sys, struct cmbt_random *random)
{
  const int nv = sys->kind.nv, last = sys->kind.ng - 1;
  const double a = cmbt_random_uniform(random, 1, 2) * sys->rho[last] / sys->rho[0];
  const double b = -cmbt_random_uniform(random, 1, 2) * sys->rho[last] / sys->rho[1];
  for (int k = 0; k < nv; k++) sys->G[last * nv + k] = a * sys->G[k] + b * sys->G[nv + k];
  sys->s[last] = a * sys->s[0] + b * sys->s[1];
  memcpy(sys->B, sys->G, (size_t)((last + 1) * nv) * sizeof(double));
  cmbt_kkt_refresh(sys);
}

/* Checks that the equations are solved up to rounding, and that y is the solution of least norm: orthogonal to the null vector, in units
 * in which all gradients have the same length. */
static void dependent_constraints_are_solved(void **state)
{
  (void)state;
  struct cmbt_random random = {17};
  for (int trial = 0; trial < 300; trial++) {
    const int nv = cmbt_random_int(&random, 4, MOST), ng = cmbt_random_int(&random, 3, nv);
    const struct cmbt_kkt_kind kind = {nv, ng, true, false, 1, trial % 2 ? 6 : 0};
    struct cmbt_kkt_system *sys = cmbt_kkt_create(&random, &kind);
    make_dependent(sys, &random);
    cmb_kkt_shape shapes[3] = {cmbt_kkt_shape_dense(sys), cmbt_kkt_shape_diagonal(sys),
                               cmbt_kkt_shape_sparse(sys)};
    const cmb_kkt_shape *shape = &shapes[trial % 3];
    cmb_kkt *kkt;
    double n[MOST], share[MOST], product = 0, size = 0, sum = 0;
    cmbt_ok(sys->ctx, cmb_kkt_create(sys->ctx, shape, &kkt));
    const double *G = cmbt_kkt_G_for(sys, shape);
    assert_int_equal(cmb_kkt_factor(kkt, cmbt_kkt_mass_for(sys, shape), G, G), CMB_RETRY_SINGULAR);
    assert_int_equal(cmb_kkt_rank_held(kkt), ng - 1);
    assert_true(*cmb_kkt_doubtful(kkt));
    cmb_kkt_solve(kkt, sys->r, sys->s, sys->x, sys->y);
    cmbt_below(cmbt_kkt_error(sys, sys->x, sys->y), 100);
    cmb_kkt_null(kkt, 0, n, share);
    for (int i = 0; i < ng; i++) {
      const double unit = gradient_length(sys, i);
      product += n[i] * unit * sys->y[i] * unit;
      size += fabs(sys->y[i] * unit);
      sum += share[i] * share[i];
      cmbt_near(fabs(n[i]) * unit, share[i], 1e-12);
    }
    cmbt_below(fabs(product), 1e-11 * size);
    cmbt_near(sum, 1, 1e-12);
    cmb_kkt_destroy(kkt);
    cmbt_kkt_destroy(sys);
  }
}

/* The contradicting constraints x + y = 1 and x + y = 2: checks that x + y = 1.5, whatever the unit of the second one. */
static void contradictions_are_solved_by_least_squares(void **state)
{
  (void)state;
  const cmb_kkt_shape shape = {.nv = 2, .ng = 2, .mass_diagonal = true};
  cmb_context *ctx = cmb_context_create(NULL);
  for (int k = -3; k <= 3; k++) {
    const double unit = pow(10, k), M[2] = {1, 1}, G[4] = {1, 1, unit, unit};
    const double r[2] = {0, 0}, s[2] = {-1, -2 * unit};
    double x[2], y[2];
    cmb_kkt *kkt;
    cmbt_ok(ctx, cmb_kkt_create(ctx, &shape, &kkt));
    assert_int_equal(cmb_kkt_factor(kkt, M, G, NULL), CMB_RETRY_SINGULAR);
    cmb_kkt_solve(kkt, r, s, x, y);
    cmbt_near(x[0], 0.75, 1e-14);
    cmbt_near(x[1], 0.75, 1e-14);
    cmb_kkt_destroy(kkt);
  }
  cmb_context_destroy(ctx);
}

/* Two gradients at a small angle: checks that below the limit `doubt` the system is solved by singular values, and that the least singular
 * value and its vectors are right. */
static void weak_directions_are_found(void **state)
{
  (void)state;
  const cmb_kkt_limits limits = {.doubt = 0.1, .zero = 1e-4, .correct = 1e-2};
  cmb_context *ctx = cmb_context_create(NULL);
  for (int full = 0; full < 2; full++) {
    const cmb_kkt_shape shape = {.nv = 3, .ng = 2, .mass_diagonal = !full};
    const double D[3] = {1, 4, 1}, M[9] = {1, 0, 0, 0, 4, 0, 0, 0, 1}, *mass = full ? M : D;
    const double angle = 0.02;
    const double G[6] = {1, 0, 0, cos(angle), 2 * sin(angle), 0}; /* length 1 in M⁻¹ */
    const double s[2] = {-1, -cos(angle) - 3 * sin(angle)};       /* x = (1, 1.5, 0) */
    double sigma, n[2], X[3], part[3], x[3], Gx[2], length[2];
    cmb_kkt *kkt;
    cmbt_ok(ctx, cmb_kkt_create(ctx, &shape, &kkt));
    cmbt_ok(ctx, cmb_kkt_factor(kkt, mass, G, NULL));
    assert_false(*cmb_kkt_doubtful(kkt));
    assert_true(cmb_kkt_nearness(kkt) == 1);
    assert_false(cmb_kkt_weakest(kkt, 1, &sigma, n, X));
    cmb_kkt_set_limits(kkt, &limits);
    cmbt_ok(ctx, cmb_kkt_factor(kkt, NULL, G, NULL));
    assert_true(*cmb_kkt_doubtful(kkt));
    assert_false(cmb_kkt_weakest(kkt, 0.01, &sigma, n, X));
    assert_true(cmb_kkt_weakest(kkt, 0.1, &sigma, n, X));
    cmbt_near(sigma, sqrt(2) * sin(angle / 2), 1e-15); /* of two unit rows at this angle */
    cmbt_near(cmb_kkt_nearness(kkt), sigma, 0);
    cmbt_near(X[0] * X[0] + 4 * X[1] * X[1] + X[2] * X[2], 1, 1e-14);
    cmbt_near(n[0] * cmb_dot(3, G, X) + n[1] * cmb_dot(3, G + 3, X), sigma, 1e-15);
    for (int i = 0; i < 3; i++)
      x[i] = 7 * X[i] + (i == 2); /* no constraint contains the third coordinate */
    for (int k = 0; k < 2; k++) Gx[k] = cmb_dot(3, G + 3 * k, x);
    cmb_kkt_weak_part(kkt, 0.1, x, Gx, part);
    for (int i = 0; i < 3; i++) cmbt_near(part[i], 7 * X[i], 1e-13);
    cmb_kkt_correct(kkt, s, x); /* σ = 0.014 is above `correct` */
    cmbt_near(x[0], 1, 1e-12);
    cmbt_near(x[1], 1.5, 1e-12);
    cmb_kkt_set_limits(kkt, &(cmb_kkt_limits){.doubt = 0.1, .correct = 0.05});
    cmbt_ok(ctx, cmb_kkt_factor(kkt, NULL, G, NULL));
    cmb_kkt_correct(kkt, s, x); /* σ is below `correct`: no correction along the weak direction */
    cmbt_near(D[0] * X[0] * x[0] + D[1] * X[1] * x[1] + D[2] * X[2] * x[2], 0, 1e-14);
    cmb_kkt_set_limits(kkt, &(cmb_kkt_limits){.doubt = 0.1, .zero = 0.05});
    assert_int_equal(cmb_kkt_factor(kkt, NULL, G, NULL), CMB_RETRY_SINGULAR);
    cmbt_ok(ctx, cmb_kkt_lengths(kkt, NULL, G, length));
    cmbt_near(length[0], 1, 1e-15);
    cmbt_near(length[1], 1, 1e-15);
    cmb_kkt_destroy(kkt);
  }
  cmb_context_destroy(ctx);
}

/* Checks that a gradient much shorter than its reference length counts as dependent, and one whose reference is short does not. */
static void short_gradients_are_compared_with_their_reference(void **state)
{
  (void)state;
  cmb_context *ctx = cmb_context_create(NULL);
  for (int ng = 1; ng <= 3; ng++) {
    for (int full = 0; full < 2; full++) {
      const cmb_kkt_shape shape = {.nv = 4, .ng = ng, .mass_diagonal = !full};
      double M[16] = {0}, G[12] = {0}, B[12], sigma, share[3];
      const double D[4] = {1, 1, 1, 1}, usual[3] = {1, 1, 1}, tiny[3] = {1e-12, 1, 1};
      cmb_kkt *kkt;
      for (int i = 0; i < 4; i++) M[5 * i] = 1;
      for (int i = 0; i < ng; i++) G[4 * i + i] = i ? 1 : 1e-12;
      memcpy(B, G, sizeof B);
      const double *mass = full ? M : D;
      cmbt_ok(ctx, cmb_kkt_create(ctx, &shape, &kkt));
      cmbt_ok(ctx, cmb_kkt_factor(kkt, mass, G, NULL));
      cmb_kkt_set_reference(kkt, tiny);
      cmbt_ok(ctx, cmb_kkt_factor(kkt, mass, G, NULL));
      cmbt_ok(ctx, cmb_kkt_factor(kkt, mass, G, B));
      cmb_kkt_set_reference(kkt, usual);
      assert_int_equal(cmb_kkt_factor(kkt, mass, G, NULL), CMB_RETRY_SINGULAR);
      assert_int_equal(cmb_kkt_factor(kkt, mass, G, B), CMB_RETRY_SINGULAR);
      assert_int_equal(cmb_kkt_rank_held(kkt), ng - 1);
      cmbt_ok(ctx, cmb_kkt_smallest(kkt, mass, G, 0, &sigma, share));
      cmbt_near(sigma, 1e-12, 1e-20);
      cmbt_near(share[0], 1, 1e-12);
      cmb_kkt_destroy(kkt);
    }
  }
  cmb_context_destroy(ctx);
}

/* B ≠ G, both with a dependent row: checks that the remaining equations are solved. */
static void dependent_unsymmetric_constraints_are_solved(void **state)
{
  (void)state;
  const cmb_kkt_shape shape = {.nv = 3, .ng = 2, .mass_diagonal = true};
  const double M[3] = {1, 2, 3}, G[6] = {1, 1, 0, 2, 2, 0}, B[6] = {1, 0.5, 0, 3, 1.5, 0};
  const double r[3] = {1, 2, 3}, s[2] = {-4, -8};
  double x[3], y[2];
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_kkt *kkt;
  cmbt_ok(ctx, cmb_kkt_create(ctx, &shape, &kkt));
  assert_int_equal(cmb_kkt_factor(kkt, M, G, B), CMB_RETRY_SINGULAR);
  assert_int_equal(cmb_kkt_rank_held(kkt), 1);
  cmb_kkt_solve(kkt, r, s, x, y);
  cmbt_near(x[0] + x[1], 4, 1e-13);
  for (int i = 0; i < 3; i++) cmbt_near(M[i] * x[i] + B[i] * y[0] + B[3 + i] * y[1], r[i], 1e-13);
  cmbt_near(3 * y[1], y[0], 1e-13); /* least norm for gradients scaled to equal length */
  cmb_kkt_destroy(kkt);
  cmb_context_destroy(ctx);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rows_become_orthogonal),
      cmocka_unit_test(dependent_constraints_are_solved),
      cmocka_unit_test(contradictions_are_solved_by_least_squares),
      cmocka_unit_test(weak_directions_are_found),
      cmocka_unit_test(short_gradients_are_compared_with_their_reference),
      cmocka_unit_test(dependent_unsymmetric_constraints_are_solved),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
