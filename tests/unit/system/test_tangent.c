/*
 * Tests of the tangent space of the constraints (system/tangent.h) against its definition, for random matrices M and G: G N = 0 and NᵀMN =
 * I, multipliers with the nearest constraint force, normal displacements; with dependent constraints, with a sparse G, and with a gradient
 * that is 0.
 */
#include "check.h"
#include "random.h"

#include "math/dense.h"
#include "system/tangent.h"

#include <camber/camber.h>
#include <string.h>

enum { NV = 7, NG = 5 };

struct matrices {
  double M[NV * NV], G[NG * NV];
};

static cmb_status evaluate(const void *self, const cmb_point *at, const cmb_terms *want)
{
  const struct matrices *m = self;
  (void)at;
  if (want->M) memcpy(want->M, m->M, sizeof m->M);
  if (want->G) memcpy(want->G, m->G, sizeof m->G);
  return CMB_OK;
}

/* Sets M = A Aᵀ + I and G at random. If `dependent`, row 3 of G is a combination of rows 0 and 2; if `empty`, row 4 is 0. */
static void set_random_matrices(struct cmbt_random *random, bool dependent, bool empty,
                                struct matrices *m)
{
  double A[NV * NV];
  for (int i = 0; i < NV * NV; i++) A[i] = cmbt_random_uniform(random, -1, 1);
  for (int i = 0; i < NV; i++) {
    for (int j = 0; j < NV; j++) m->M[i * NV + j] = cmb_dot(NV, A + i * NV, A + j * NV) + (i == j);
  }
  for (int i = 0; i < NG * NV; i++) m->G[i] = cmbt_random_uniform(random, -100, 100);
  for (int j = 0; j < NV; j++) {
    if (dependent) m->G[3 * NV + j] = 0.5 * m->G[j] - 3 * m->G[2 * NV + j];
    if (empty) m->G[4 * NV + j] = 0;
  }
}

/* Checks G N = 0, NᵀMN = I and P = NᵀM. */
static void check_basis(const cmb_tangent *t, const struct matrices *m)
{
  for (int i = 0; i < t->n; i++) {
    const double *w = t->N + i * NV;
    double Mw[NV];
    cmb_multiply(NULL, NV, NV, m->M, w, Mw);
    for (int k = 0; k < NG; k++) cmbt_near(cmb_dot(NV, m->G + k * NV, w), 0, 1e-11);
    for (int k = 0; k < t->n; k++) cmbt_near(cmb_dot(NV, t->N + k * NV, Mw), i == k, 1e-13);
    for (int k = 0; k < NV; k++) cmbt_near(t->P[i * NV + k], Mw[k], 1e-13);
  }
}

/* Checks that λ makes the remaining force f − Gᵀλ smallest in the metric of M⁻¹, that is G M⁻¹ (f − Gᵀλ) = 0, and that the function returns
 * the length of f, sqrt(fᵀM⁻¹f). */
static void check_multipliers(cmb_tangent *t, const struct matrices *m, const double *f)
{
  double LD[NV * NV], lambda[NG], x[NV], y[NV];
  memcpy(LD, m->M, sizeof LD);
  assert_int_equal(cmb_ldlt_factor(NV, LD), -1);
  memcpy(x, f, sizeof x);
  memcpy(y, f, sizeof y);
  cmb_ldlt_solve(NV, LD, y);
  cmbt_near(cmb_tangent_multipliers(t, f, lambda), sqrt(cmb_dot(NV, f, y)), 1e-12);
  cmb_multiply_transposed_add(NULL, NG, NV, m->G, -1, lambda, x);
  cmb_ldlt_solve(NV, LD, x);
  for (int k = 0; k < NG; k++) cmbt_near(cmb_dot(NV, m->G + k * NV, x), 0, 1e-10);
}

/* Checks that cmb_tangent_normal returns w with G w = s, for s = G · reach, and no component along the tangent space: P w = 0. */
static void check_normal(cmb_tangent *t, const struct matrices *m, const double *reach)
{
  double s[NG], w[NV];
  for (int k = 0; k < NG; k++) s[k] = cmb_dot(NV, m->G + k * NV, reach);
  cmb_tangent_normal(t, s, w);
  for (int k = 0; k < NG; k++) cmbt_near(cmb_dot(NV, m->G + k * NV, w), s[k], 1e-10);
  for (int i = 0; i < t->n; i++) cmbt_near(cmb_dot(NV, t->P + i * NV, w), 0, 1e-12);
}

/* Checks one random case, and that an indefinite M and a G that is not finite are reported. */
static void check_tangent(struct cmbt_random *random, bool dependent, bool empty, bool on_pattern)
{
  static const char *const names[NV] = {"a", "b", "c", "d", "e", "f", "g"};
  int start[NG + 1], column[NG * NV];
  for (int i = 0; i <= NG; i++) start[i] = i * NV;
  for (int k = 0; k < NG * NV; k++) column[k] = k % NV;
  const cmb_pattern full = {NG, NV, start, column};
  struct matrices m;
  cmb_equations eq = {.name = "matrices",
                      .nq = NV,
                      .nv = NV,
                      .ng = NG,
                      .q_names = names,
                      .v_names = names,
                      .g_names = names,
                      .lambda_names = names,
                      .G_pattern = on_pattern ? &full : NULL,
                      .self = &m,
                      .evaluate = evaluate};
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_evaluator *ev;
  cmb_tangent t;
  double q[NV] = {0}, x[NV];
  set_random_matrices(random, dependent, empty, &m);
  for (int i = 0; i < NV; i++) x[i] = cmbt_random_uniform(random, -1, 1);
  cmbt_ok(ctx, cmb_evaluator_create(ctx, &eq, &ev));
  cmbt_ok(ctx, cmb_tangent_create(&t, ev->arena, ev));
  cmbt_ok(ctx, cmb_tangent_at(&t, 0, q));
  assert_int_equal(t.rank, NG - dependent - empty);
  assert_int_equal(t.n, NV - t.rank);
  check_basis(&t, &m);
  check_multipliers(&t, &m, x);
  check_normal(&t, &m, x);
  m.M[NV + 1] = -1;
  assert_int_equal(cmb_tangent_at(&t, 0, q), CMB_RETRY_MASS);
  m.G[3] = NAN;
  m.M[NV + 1] = 100;
  assert_int_equal(cmb_tangent_at(&t, 0, q), CMB_RETRY_NONFINITE);
  cmb_evaluator_destroy(ev);
  cmb_context_destroy(ctx);
}

static void test_tangent(void **state)
{
  (void)state;
  struct cmbt_random random = {8};
  for (int k = 0; k < 40; k++) check_tangent(&random, k & 1, k & 2, k & 4);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_tangent)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
