/*
 * Tests of forms of large sparse systems: the iteration matrix has more entries, n x n with zeros, than an int can count, and its few
 * nonzero entries are placed correctly; T of q̇ = T v is found with fewer calls than there are velocities; a form that would need such a
 * matrix dense is refused with a message.
 *
 * The system: masses in a row, q̇_i = v_i + q_{i-1} v_{i-1}, a_i + d v_i + k (q_i − q_{i-1}) = 0, with the constraint q_0 = 0.
 */
#include "check.h"

#include "dae/evaluator.h"
#include "form/form.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MASSES = 50000 };
static const double D = 0.3, K = 2;

static int rate_calls;

static cmb_status evaluate(const void *self, const cmb_point *at, const cmb_terms *want)
{
  (void)self;
  if (want->g) want->g[0] = at->q[0];
  if (want->G) want->G[0] = 1;
  if (want->gamma) want->gamma[0] = 0;
  for (int i = 0; i < MASSES; i++) {
    const double before = i > 0 ? at->q[i - 1] : 0;
    if (want->M) want->M[i] = 1;
    if (want->f) want->f[i] = -D * at->v[i] - K * (at->q[i] - before);
  }
  return CMB_OK;
}

static void rates(const void *self, const double *q, const double *v, double *qdot)
{
  (void)self;
  rate_calls++;
  for (int i = 0; i < MASSES; i++) qdot[i] = v[i] + (i > 0 ? q[i - 1] * v[i - 1] : 0);
}

static cmb_status derivative(const void *self, const cmb_point *at, const double *a,
                             const double *lambda, cmb_derivative which, double *J)
{
  (void)self, (void)at, (void)a, (void)lambda;
  for (int i = 0, k = 0; i < MASSES; i++) {
    if (which == CMB_RESIDUAL_V) J[k++] = D;
    if (which == CMB_RESIDUAL_Q && i > 0) J[k++] = -K;
    if (which == CMB_RESIDUAL_Q) J[k++] = K;
  }
  return CMB_OK;
}

struct row {
  cmb_context *ctx;
  cmb_equations eq;
  cmb_pattern diagonal, band; /* with one and with two entries in a row */
  cmb_pattern first;          /* of the constraint: the first coordinate */
  char *names;
  const char **name;
  cmb_evaluator *ev;
};

static void make_pattern(cmb_pattern *p, int width)
{
  int *start = malloc((MASSES + 1) * sizeof *start);
  int *column = malloc((size_t)width * MASSES * sizeof *column), count = 0;
  assert_true(start && column);
  for (int i = 0; i < MASSES; i++) {
    start[i] = count;
    for (int j = i - width + 1; j <= i; j++) {
      if (j >= 0) column[count++] = j;
    }
  }
  start[MASSES] = count;
  *p = (cmb_pattern){MASSES, MASSES, start, column};
}

static void open_row(struct row *r)
{
  r->ctx = cmb_context_create(NULL);
  make_pattern(&r->diagonal, 1);
  make_pattern(&r->band, 2);
  r->first = (cmb_pattern){1, MASSES, r->diagonal.start, r->diagonal.column};
  r->names = malloc(16 * MASSES);
  r->name = malloc(MASSES * sizeof *r->name);
  assert_true(r->ctx && r->names && r->name);
  for (int i = 0; i < MASSES; i++) {
    r->name[i] = r->names + 16 * (size_t)i;
    snprintf(r->names + 16 * (size_t)i, 16, "m%d", i);
  }
  r->eq = (cmb_equations){.name = "row",
                          .nq = MASSES,
                          .nv = MASSES,
                          .ng = 1,
                          .g_names = r->name,
                          .G_pattern = &r->first,
                          .q_names = r->name,
                          .v_names = r->name,
                          .mass_constant = true,
                          .mass_diagonal = true,
                          .evaluate = evaluate,
                          .rates = rates,
                          .derivative = derivative};
  r->eq.derivative_pattern[CMB_RESIDUAL_Q] = &r->band;
  r->eq.derivative_pattern[CMB_RESIDUAL_V] = &r->diagonal;
  cmbt_ok(r->ctx, cmb_evaluator_create(r->ctx, &r->eq, &r->ev));
}

static void close_row(struct row *r)
{
  cmb_evaluator_destroy(r->ev);
  cmb_context_destroy(r->ctx);
  free((void *)r->name);
  free(r->names);
  free((void *)r->diagonal.start), free((void *)r->diagonal.column);
  free((void *)r->band.start), free((void *)r->band.column);
}

/* Checks (1/c + D) δv_i + K (δq_i − δq_{i−1}) + Gᵀ δλ = −defect with δq = T δw and δw = c δv, and δw_0 = −g. */
static void an_increment_removes_the_defect(void **state)
{
  (void)state;
  enum { COPIES = 6 };
  struct row r;
  double *x = calloc(COPIES * MASSES, sizeof *x);
  double *q = x, *v = q + MASSES, *a = v + MASSES, *defect = a + MASSES, *dv = defect + MASSES,
         *dw = dv + MASSES, lambda[2] = {0}, dlambda[2],
         g[2] = {0.7} /* increments are written two at a time */, c = 0.1;
  cmb_form *form;
  cmb_linear *matrix;
  assert_non_null(x);
  open_row(&r);
  rate_calls = 0;
  const cmb_form_options options = {CMB_FORM_INDEX3, CMB_FORMALISM_RESIDUAL, CMB_SOURCE_EXACT,
                                    false};
  cmbt_ok(r.ctx, cmb_form_create(r.ev, &options, &form));
  assert_in_range(rate_calls, 1, 1000);
  for (int i = 0; i < MASSES; i++) q[i] = 0.5 * sin(i), v[i] = cos(i), defect[i] = sin(3 * i);
  const cmb_form_state at = {0, q, v, a, lambda};
  cmbt_ok(r.ctx, cmb_form_linearize(form, &at, true));
  cmbt_ok(r.ctx, cmb_form_matrix_create(form, false, &matrix));
  cmbt_ok(r.ctx, cmb_form_factor(form, c, 0, matrix));
  const cmb_defects defects[2] = {{defect, g, NULL}};
  cmb_increment out = {.v = {dv}, .lambda = {dlambda}, .w = {dw}};
  cmb_form_solve(form, 1, c, 0, matrix, defects, &out);
  double most = 0, dq_before = 0;
  for (int i = 0; i < MASSES; i++) {
    const double dq = dw[i] + (i > 0 ? q[i - 1] * dw[i - 1] : 0);
    const double rest =
        dv[i] / c + D * dv[i] + K * (dq - dq_before) + (i == 0 ? dlambda[0] : 0) + defect[i];
    most = fmax(most, fmax(fabs(rest), fabs(dw[i] - c * dv[i])));
    dq_before = dq;
  }
  assert_true(most < 1e-12 && fabs(dw[0] + g[0]) < 1e-12);
  cmb_linear_destroy(matrix);
  cmb_form_destroy(form);
  close_row(&r);
  free(x);
}

static void a_dense_matrix_is_refused(void **state)
{
  (void)state;
  struct row r;
  cmb_form *form;
  open_row(&r);
  const cmb_form_options options = {CMB_FORM_INDEX3, CMB_FORMALISM_EXPLICIT, CMB_SOURCE_EXACT,
                                    false};
  assert_int_equal(cmb_form_create(r.ev, &options, &form), CMB_ERROR_INPUT);
  assert_non_null(strstr(cmb_last_error(r.ctx), "50001 unknowns"));
  close_row(&r);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_increment_removes_the_defect),
      cmocka_unit_test(a_dense_matrix_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
