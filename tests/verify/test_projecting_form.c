/*
 * The projecting descriptor form (Simeon 1996, eq. 5) of the car axis, whose constraints depend on time, and of linkages whose mass matrix
 * depends on the position.
 *
 * Theorem 3.1: its algebraic part is regular, so that its index is 1, in contrast to that of the descriptor form (1). From positions and
 * velocities off the constraints its multipliers η and τ keep their initial values, and its positions p,
 * velocities v and multipliers λ are the motion from the projected start. Without the terms with Ṁ and Ġ, which the form adds, η and τ
 * change. The residuals and their derivatives are implemented here a second time,
 * from the paper.
 *
 * Eqs. (8) and (9): η and τ, as the form has them and as runs with projection report them, are compared with the drift of the constraints.
 */
#include "check.h"
#include "model_run.h"
#include "random.h"

#include "dae/project.h"
#include "method/integrator.h"
#include "method/mdop.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 16, UNKNOWNS = 96 };

/* Equations with a consistent state. */
struct subject {
  cmbt_run run;
  cmb_context *ctx;
  cmb_system *problem;
  const cmb_equations *eq;
  cmb_evaluator *ev;
  double q[MOST], v[MOST];
};

static void open_problem(struct subject *s, const char *name)
{
  memset(s, 0, sizeof *s);
  s->ctx = cmb_context_create(NULL);
  cmbt_ok(s->ctx, cmb_problem_create(s->ctx, cmb_problem_find(name), 0, NULL, &s->problem));
  s->eq = cmb_system_equations(s->problem);
  cmbt_ok(s->ctx, cmb_evaluator_create(s->ctx, s->eq, &s->ev));
  memcpy(s->q, cmb_system_q(s->problem), (size_t)s->eq->nq * sizeof *s->q);
  memcpy(s->v, cmb_system_v(s->problem), (size_t)s->eq->nv * sizeof *s->v);
}

static void open_model(struct subject *s, const char *name)
{
  memset(s, 0, sizeof *s);
  cmbt_run_open(&s->run, name, CMB_FORM_EXPLICIT, 0, NULL);
  cmbt_run_start(&s->run);
  s->ctx = s->run.ctx;
  s->eq = s->run.eq;
  assert_true(s->eq->nq == s->eq->nv && s->eq->nv <= MOST);
  cmbt_ok(s->ctx, cmb_evaluator_create(s->ctx, s->eq, &s->ev));
  memcpy(s->q, s->run.result->q, (size_t)s->eq->nq * sizeof *s->q);
  memcpy(s->v, s->run.result->v, (size_t)s->eq->nv * sizeof *s->v);
}

static void close_subject(struct subject *s)
{
  cmb_evaluator_destroy(s->ev);
  cmb_system_destroy(s->problem);
  if (s->run.ctx) {
    cmbt_run_close(&s->run);
  } else {
    cmb_context_destroy(s->ctx);
  }
}

/* ---- dense matrices and elimination */

/* All terms of the equations at one state, with dense M and G. */
struct dense_terms {
  double M[MOST][MOST], G[MOST][MOST], f[MOST], g[MOST], gt[MOST], gamma[MOST];
};

/* Evaluates all terms at (t, q, v). */
static void evaluate_terms(struct subject *s, double t, const double *q, const double *v,
                           struct dense_terms *at)
{
  const int n = s->eq->nv, ng = s->eq->ng;
  cmb_evaluator *ev = s->ev;
  cmb_terms want = {ev->M, ev->f, ev->g, ev->G, ev->gamma, ev->gt};
  cmbt_ok(s->ctx, cmb_evaluate(ev, t, q, v, &want));
  for (int j = 0; j < n; j++) {
    double unit[MOST] = {0}, column[MOST];
    unit[j] = 1;
    cmb_multiply_mass(ev, unit, column);
    for (int i = 0; i < n; i++) at->M[i][j] = column[i];
  }
  for (int i = 0; i < ng; i++) cmb_expand_row(s->eq->G_pattern, n, i, ev->G, at->G[i]);
  memcpy(at->f, ev->f, sizeof(double) * (size_t)n);
  memcpy(at->g, ev->g, sizeof(double) * (size_t)ng);
  memcpy(at->gt, ev->gt, sizeof(double) * (size_t)ng);
  memcpy(at->gamma, ev->gamma, sizeof(double) * (size_t)ng);
}

/* Solves A x = b by elimination with complete pivoting, after scaling each row to the largest entry 1. Returns the ratio of the last pivot to
 * the first, 0 for a singular matrix. A is overwritten, b becomes x. */
static double eliminate(int n, double A[UNKNOWNS][UNKNOWNS], double b[UNKNOWNS])
{
  int place[UNKNOWNS];
  double x[UNKNOWNS], first = 0, last = 0;
  for (int i = 0; i < n; i++) {
    double most = 0;
    place[i] = i;
    for (int j = 0; j < n; j++) most = fmax(most, fabs(A[i][j]));
    for (int j = 0; most > 0 && j < n; j++) A[i][j] /= most;
    if (most > 0) b[i] /= most;
  }
  for (int k = 0; k < n; k++) {
    int row = k, column = k;
    for (int i = k; i < n; i++) {
      for (int j = k; j < n; j++) {
        if (fabs(A[i][j]) > fabs(A[row][column])) row = i, column = j;
      }
    }
    for (int j = 0; j < n; j++) {
      const double other = A[k][j];
      A[k][j] = A[row][j], A[row][j] = other;
    }
    const double other = b[k];
    b[k] = b[row], b[row] = other;
    for (int i = 0; i < n; i++) {
      const double entry = A[i][k];
      A[i][k] = A[i][column], A[i][column] = entry;
    }
    const int moved = place[k];
    place[k] = place[column], place[column] = moved;
    last = fabs(A[k][k]);
    if (k == 0) first = last;
    if (last == 0) return 0;
    for (int i = k + 1; i < n; i++) {
      const double factor = A[i][k] / A[k][k];
      for (int j = k; j < n; j++) A[i][j] -= factor * A[k][j];
      b[i] -= factor * b[k];
    }
  }
  for (int k = n - 1; k >= 0; k--) {
    for (int j = k + 1; j < n; j++) b[k] -= A[k][j] * x[j];
    x[k] = b[k] / A[k][k];
  }
  for (int k = 0; k < n; k++) b[place[k]] = x[k];
  return last / first;
}

static double matrix[UNKNOWNS][UNKNOWNS];

/* Computes y = (G M⁻¹ Gᵀ)⁻¹ d from [M Gᵀ; G 0] (x, −y) = (0, d). */
static void multipliers_of(const struct subject *s, const struct dense_terms *at, const double *d,
                           double *y)
{
  const int n = s->eq->nv, ng = s->eq->ng;
  double b[UNKNOWNS] = {0};
  memset(matrix, 0, sizeof matrix);
  for (int i = 0; i < n; i++) memcpy(matrix[i], at->M[i], sizeof at->M[i]);
  for (int i = 0; i < ng; i++) {
    for (int j = 0; j < n; j++) matrix[n + i][j] = matrix[j][n + i] = at->G[i][j];
    b[n + i] = d[i];
  }
  assert_true(eliminate(n + ng, matrix, b) > 0);
  for (int i = 0; i < ng; i++) y[i] = -b[n + i];
}

static double length(int n, const double *x)
{
  return cmb_norm2(n, x);
}

static double distance(int n, const double *x, const double *y)
{
  double sum = 0;
  for (int i = 0; i < n; i++) sum += (x[i] - y[i]) * (x[i] - y[i]);
  return sqrt(sum);
}

/* ---- the algebraic part, as in the paper */

/* Computes the residual of (5c), (5d) and (5e) for the unknowns x = (p, v, w, λ, η, τ) and given positions q and velocities u. */
static void residual(struct subject *s, double t, const double *q, const double *u, const double *x,
                     double *r)
{
  const int n = s->eq->nv, ng = s->eq->ng;
  const double *p = x, *v = p + n, *w = v + n, *lambda = w + n, *eta = lambda + ng, *tau = eta + ng;
  struct dense_terms at;
  evaluate_terms(s, t, p, v, &at);
  for (int i = 0; i < n; i++) {
    double *force = r + i, *velocity = r + n + ng + i, *position = r + 2 * (n + ng) + i;
    *force = -at.f[i];
    *velocity = *position = 0;
    for (int j = 0; j < n; j++) {
      *force += at.M[i][j] * w[j];
      *velocity += at.M[i][j] * (v[j] - u[j]);
      *position += at.M[i][j] * (p[j] - q[j]);
    }
    for (int j = 0; j < ng; j++) {
      *force += at.G[j][i] * lambda[j];
      *velocity += at.G[j][i] * eta[j];
      *position += at.G[j][i] * tau[j];
    }
  }
  for (int i = 0; i < ng; i++) {
    double *acceleration = r + n + i, *velocity = r + 2 * n + ng + i;
    *acceleration = at.gamma[i];
    *velocity = at.gt[i];
    for (int j = 0; j < n; j++) {
      *acceleration += at.G[i][j] * w[j];
      *velocity += at.G[i][j] * v[j];
    }
    r[3 * n + 2 * ng + i] = at.g[i];
  }
}

/* Returns the ratio of pivots (see eliminate) of the residual's Jacobian by x, from central differences. */
static double regularity(struct subject *s, double t, const double *q, const double *u,
                         const double *x)
{
  const int n = s->eq->nv, ng = s->eq->ng, all = 3 * (n + ng);
  double near[UNKNOWNS], r[2][UNKNOWNS], none[UNKNOWNS] = {0};
  for (int j = 0; j < all; j++) {
    const double e = 1e-6 * fmax(1, fabs(x[j]));
    for (int side = 0; side < 2; side++) {
      memcpy(near, x, sizeof *x * (size_t)all);
      near[j] += side ? e : -e;
      residual(s, t, q, u, near, r[side]);
    }
    for (int i = 0; i < all; i++) matrix[i][j] = (r[1][i] - r[0][i]) / (2 * e);
  }
  return eliminate(all, matrix, none);
}

/* Returns the ratio of pivots of the derivatives of the dynamic equations and of g = 0 with respect to (v̇, λ), the algebraic part of the
 * descriptor form (1). */
static double regularity_of_descriptor_form(struct subject *s, double t, const double *q)
{
  const int n = s->eq->nv, ng = s->eq->ng;
  double none[UNKNOWNS] = {0}, v[MOST] = {0};
  struct dense_terms at;
  evaluate_terms(s, t, q, v, &at);
  memset(matrix, 0, sizeof matrix);
  for (int i = 0; i < n; i++) {
    memcpy(matrix[i], at.M[i], sizeof at.M[i]);
    for (int j = 0; j < ng; j++) matrix[i][n + j] = at.G[j][i]; /* ∂g/∂(v̇, λ) = 0 */
  }
  return eliminate(n + ng, matrix, none);
}

/* Computes a state off the constraints: the consistent one with random changes of positions up to `by` and of velocities up to `by_v`. */
static void move_off(const struct subject *s, double by, double by_v, double *q, double *u)
{
  struct cmbt_random random = {7};
  for (int i = 0; i < s->eq->nv; i++) {
    q[i] = s->q[i] + by * cmbt_random_uniform(&random, -1, 1);
    u[i] = s->v[i] + by_v * cmbt_random_uniform(&random, -1, 1);
  }
}

/* Copies the form's solution into x = (p, v, w, λ, η, τ). */
static void gather(const struct subject *s, const cmb_projecting *f, double *x)
{
  const int n = s->eq->nv, ng = s->eq->ng;
  const double *const parts[] = {f->p, f->v, f->w, f->lambda, f->eta, f->tau};
  for (int k = 0; k < 6; k++) {
    memcpy(x, parts[k], sizeof *x * (size_t)(k < 3 ? n : ng));
    x += k < 3 ? n : ng;
  }
}

/* Checks that the form's solution satisfies (5c)-(5e), and that its algebraic part is regular and that of the descriptor form singular. */
static void check_index(struct subject *s)
{
  const int n = s->eq->nv, ng = s->eq->ng, all = 3 * (n + ng);
  double q[MOST], u[MOST], x[UNKNOWNS], r[UNKNOWNS], at_rest[UNKNOWNS] = {0}, r0[UNKNOWNS];
  cmb_arena *arena = cmb_arena_create(s->ctx);
  cmb_projecting *form;
  assert_true(all <= UNKNOWNS);
  move_off(s, 1e-3, 0.1, q, u);
  cmbt_ok(s->ctx, cmb_projecting_create(arena, s->ev, &form));
  cmbt_ok(s->ctx, cmb_projecting_solve(form, 0, q, u));
  gather(s, form, x);
  residual(s, 0, q, u, x, r);
  memcpy(at_rest, q, sizeof *q * (size_t)n);
  residual(s, 0, q, u, at_rest, r0);
  const double regular = regularity(s, 0, q, u, x),
               singular = regularity_of_descriptor_form(s, 0, q);
  printf("%-12s residual of (5c)-(5e) %.1e of %.1e; ratio of pivots %.1e, descriptor form %.1e\n",
         s->eq->name, length(all, r), length(all, r0), regular, singular);
  cmbt_below(length(all, r), 1e-11 * length(all, r0));
  cmbt_below(1e-9, regular);
  cmbt_below(singular, 1e-16);
  cmb_arena_destroy(arena);
}

/* ---- motions */

/* Begins an integration with mdop853 in the given form, without projection. */
static cmb_integrator *begin(struct subject *s, const char *form, double rtol, const double *q,
                             const double *v)
{
  static cmb_option_setting settings[2];
  cmb_integrator_options options = cmb_integrator_defaults();
  cmb_integrator *in;
  settings[0] = (cmb_option_setting){"form", form};
  settings[1] = (cmb_option_setting){"projection", "none"};
  options.rtol = rtol;
  options.atol = rtol;
  options.settings = settings;
  options.setting_count = 2;
  cmbt_ok(s->ctx, cmb_integrator_create(s->ctx, s->eq, cmb_method_find("mdop853"), &options, &in));
  cmbt_ok(s->ctx, cmb_integrator_begin(in, 0, q, v));
  return in;
}

static const cmb_projecting *form_of(const cmb_integrator *in)
{
  return ((const cmb_mdop *)in->data)->form;
}

/* The largest relative changes of τ and η along a run. */
struct change {
  double tau, eta;
};

/* Integrates until t_end. Returns the changes of τ and η, and checks that the reported drift is |τ| and |η| after each step. */
static struct change follow(struct subject *s, cmb_integrator *in, double t_end)
{
  const int ng = s->eq->ng;
  double tau[MOST], eta[MOST];
  struct change most = {0, 0};
  memcpy(tau, form_of(in)->tau, sizeof *tau * (size_t)ng);
  memcpy(eta, form_of(in)->eta, sizeof *eta * (size_t)ng);
  while (cmb_integrator_t(in) < t_end) {
    double now[2];
    cmbt_ok(s->ctx, cmb_integrator_step(in, t_end));
    most.tau = fmax(most.tau, distance(ng, form_of(in)->tau, tau) / length(ng, tau));
    most.eta = fmax(most.eta, distance(ng, form_of(in)->eta, eta) / length(ng, eta));
    cmb_integrator_drift(in, &now[0], &now[1]);
    cmbt_near(now[0], length(ng, form_of(in)->tau), 1e-15 * now[0]);
    cmbt_near(now[1], length(ng, form_of(in)->eta), 1e-15 * now[1]);
  }
  return most;
}

/* Integrates the index-1 equations from the same state off the constraints. Returns how much their τ and η at the end differ from the initial
 * values `tau` and `eta`. */
static struct change follow_without(struct subject *s, const double *q, const double *u,
                                    double t_end, const double *tau, const double *eta)
{
  const int ng = s->eq->ng;
  cmb_integrator *in = begin(s, "index1", 1e-10, q, u);
  cmb_arena *arena = cmb_arena_create(s->ctx);
  cmb_projecting *form;
  while (cmb_integrator_t(in) < t_end) cmbt_ok(s->ctx, cmb_integrator_step(in, t_end));
  cmbt_ok(s->ctx, cmb_projecting_create(arena, s->ev, &form));
  cmbt_ok(s->ctx, cmb_projecting_solve(form, t_end, cmb_integrator_q(in), cmb_integrator_v(in)));
  const struct change c = {distance(ng, form->tau, tau) / length(ng, tau),
                           distance(ng, form->eta, eta) / length(ng, eta)};
  cmb_arena_destroy(arena);
  cmb_integrator_destroy(in);
  return c;
}

/* Checks theorem 3.1: τ and η are constant, but change without the form, and the motion is that from the projected start. */
static void check_theorem(struct subject *s, double t_end)
{
  const int n = s->eq->nv, ng = s->eq->ng;
  double q[MOST], u[MOST], tau[MOST], eta[MOST];
  move_off(s, 1e-3, 0.1, q, u);
  cmb_integrator *in = begin(s, "projecting", 1e-10, q, u);
  memcpy(tau, form_of(in)->tau, sizeof *tau * (size_t)ng);
  memcpy(eta, form_of(in)->eta, sizeof *eta * (size_t)ng);
  cmb_integrator *fine = begin(s, "index1", 1e-12, cmb_integrator_q(in), cmb_integrator_v(in));
  const struct change c = follow(s, in, t_end);
  while (cmb_integrator_t(fine) < t_end) cmbt_ok(s->ctx, cmb_integrator_step(fine, t_end));
  const struct change without = follow_without(s, q, u, t_end, tau, eta);
  const double off_q = distance(n, cmb_integrator_q(in), cmb_integrator_q(fine)),
               off_v = distance(n, cmb_integrator_v(in), cmb_integrator_v(fine)),
               off_l = distance(ng, cmb_integrator_lambda(in), cmb_integrator_lambda(fine)),
               size = length(ng, cmb_integrator_lambda(fine));
  printf("%-12s tau changes by %.1e, eta by %.1e; of index 1 by %.1e, %.1e; q, v, lambda differ "
         "by %.1e, %.1e, %.1e\n",
         s->eq->name, c.tau, c.eta, without.tau, without.eta, off_q, off_v, off_l / size);
  cmbt_below(c.tau, 1e-7);
  cmbt_below(c.eta, 1e-7);
  cmbt_below(1e-3, fmin(without.tau, without.eta));
  cmbt_below(off_q, 1e-8);
  cmbt_below(off_v, 1e-6);
  cmbt_below(off_l, 1e-7 * size);
  cmb_integrator_destroy(fine);
  cmb_integrator_destroy(in);
}

/* ---- eqs. (8) and (9) */

/* Compares the form's η with eq. (8), (G M⁻¹ Gᵀ)⁻¹ (G u + g_t), and its τ with eq. (9), (G M⁻¹ Gᵀ)⁻¹ g(q). Eq. (9) is linearised: at a tenth
 * of the distance from the constraints its error is about 100 times smaller. */
static void check_measures(struct subject *s)
{
  const int n = s->eq->nv, ng = s->eq->ng;
  double q[MOST], u[MOST], tau[MOST], eta[MOST], d[MOST], off[2];
  cmb_arena *arena = cmb_arena_create(s->ctx);
  cmb_projecting *form;
  struct dense_terms at_q, at_p;
  cmbt_ok(s->ctx, cmb_projecting_create(arena, s->ev, &form));
  for (int k = 0; k < 2; k++) {
    move_off(s, k ? 1e-4 : 1e-3, 0.1, q, u);
    cmbt_ok(s->ctx, cmb_projecting_solve(form, 0, q, u));
    evaluate_terms(s, 0, q, u, &at_q);
    evaluate_terms(s, 0, form->p, u, &at_p);
    multipliers_of(s, &at_p, at_q.g, tau);
    for (int i = 0; i < ng; i++) d[i] = at_p.gt[i] + cmb_dot(n, at_p.G[i], u);
    multipliers_of(s, &at_p, d, eta);
    off[k] = distance(ng, form->tau, tau);
    cmbt_below(distance(ng, form->eta, eta), 1e-9 * length(ng, eta));
  }
  printf("%-12s error of eq. (9) %.1e of %.1e, %.0f times smaller at a tenth\n", s->eq->name,
         off[1], length(ng, tau), off[0] / off[1]);
  cmbt_near(off[0] / off[1], 100, 30);
  cmb_arena_destroy(arena);
}

/* Runs mdop5 with projection after each step and compares the reported |τ| and |η| with eqs. (9) and (8) for the state before projection. */
static void check_reported(struct subject *s, double t_end)
{
  const int n = s->eq->nv, ng = s->eq->ng;
  cmb_option_setting setting = {"projection", "every"};
  cmb_integrator_options options = cmb_integrator_defaults();
  cmb_integrator *in;
  double worst[2] = {0, 0}, least = INFINITY, most = 0;
  options.rtol = options.atol = 1e-4;
  options.settings = &setting;
  options.setting_count = 1;
  cmbt_ok(s->ctx, cmb_integrator_create(s->ctx, s->eq, cmb_method_find("mdop5"), &options, &in));
  cmbt_ok(s->ctx, cmb_integrator_begin(in, 0, s->q, s->v));
  while (cmb_integrator_t(in) < t_end) {
    double expected[2][MOST], d[MOST], reported[2];
    struct dense_terms at_q, at_p;
    cmbt_ok(s->ctx, cmb_integrator_step(in, t_end));
    const double t = cmb_integrator_t(in), *before = ((const cmb_mdop *)in->data)->y_plain;
    evaluate_terms(s, t, before, before + n, &at_q);
    evaluate_terms(s, t, cmb_integrator_q(in), before + n, &at_p);
    multipliers_of(s, &at_p, at_q.g, expected[0]);
    for (int i = 0; i < ng; i++) d[i] = at_p.gt[i] + cmb_dot(n, at_p.G[i], before + n);
    multipliers_of(s, &at_p, d, expected[1]);
    cmb_integrator_drift(in, &reported[0], &reported[1]);
    for (int k = 0; k < 2; k++) {
      const double size = length(ng, expected[k]);
      if (size < (k ? 1e-9 : 1e-11)) continue; /* as small as rounding errors */
      worst[k] = fmax(worst[k], fabs(reported[k] - size) / size);
    }
    if (length(ng, at_q.g) < 1e-12) continue;
    least = fmin(least, reported[0] / length(ng, at_q.g));
    most = fmax(most, reported[0] / length(ng, at_q.g));
  }
  printf(
      "%-12s reported |tau| and |eta| are (9) and (8) within %.1e and %.1e; |tau|/|g| is %.3g to "
      "%.3g\n",
      s->eq->name, worst[0], worst[1], least, most);
  cmbt_below(worst[0], 2e-3);
  cmbt_below(worst[1], 1e-12);
  cmb_integrator_destroy(in);
}

/* ---- tests with each system */

/* Calls the check for the car axis and the linkages. */
static void check_all_systems(void (*check)(struct subject *s, double t_end))
{
  static const struct {
    const char *name;
    double t_end;
  } models[] = {{"fivelink", 0.2}, {"four-bar", 0.5}, {"slider-crank", 0.04}};
  struct subject s;
  open_problem(&s, "caraxis");
  check(&s, 0.5);
  close_subject(&s);
  for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
    open_model(&s, models[i].name);
    check(&s, models[i].t_end);
    close_subject(&s);
  }
}

static void index_of(struct subject *s, double t_end)
{
  (void)t_end;
  check_index(s);
}

static void measures_of(struct subject *s, double t_end)
{
  (void)t_end;
  check_measures(s);
}

static void test_index(void **state)
{
  (void)state;
  check_all_systems(index_of);
}

static void test_theorem(void **state)
{
  (void)state;
  check_all_systems(check_theorem);
}

static void test_measures(void **state)
{
  (void)state;
  check_all_systems(measures_of);
}

static void test_reported(void **state)
{
  (void)state;
  check_all_systems(check_reported);
}

/* Runs mdop5 in the projecting form with this kind of projection. Returns the largest |τ|, the distance of the form's own positions from the
 * constraints, after a step. */
static double largest_tau(struct subject *s, const char *projection, double t_end)
{
  const cmb_option_setting settings[] = {{"form", "projecting"}, {"projection", projection}};
  cmb_integrator_options options = cmb_integrator_defaults();
  cmb_integrator *in;
  double most = 0, tau, eta;
  options.rtol = options.atol = 1e-4;
  options.settings = settings;
  options.setting_count = 2;
  cmbt_ok(s->ctx, cmb_integrator_create(s->ctx, s->eq, cmb_method_find("mdop5"), &options, &in));
  cmbt_ok(s->ctx, cmb_integrator_begin(in, 0, s->q, s->v));
  while (cmb_integrator_t(in) < t_end) {
    cmbt_ok(s->ctx, cmb_integrator_step(in, t_end));
    cmb_integrator_drift(in, &tau, &eta);
    most = fmax(most, tau);
  }
  cmb_integrator_destroy(in);
  return most;
}

/* Checks that positions which are projected after each step, or often enough, drift less than those that are not: over a run, by less than half
 * and by less. */
static void test_offsets(void **state)
{
  (void)state;
  static const double t_end[] = {0.5, 0.2, 0.5};
  for (int k = 0; k < 3; k++) {
    struct subject s;
    if (k == 0) open_problem(&s, "caraxis");
    if (k > 0) open_model(&s, k == 1 ? "fivelink" : "four-bar");
    const double unprojected = largest_tau(&s, "velocity", t_end[k]);
    cmbt_below(largest_tau(&s, "every", t_end[k]), 0.5 * unprojected);
    cmbt_below(largest_tau(&s, "control", t_end[k]), 0.96 * unprojected);
    close_subject(&s);
  }
}

/* Checks that the form is refused with a message for velocities that are not derivatives of the positions. */
static void test_refusals(void **state)
{
  (void)state;
  cmb_option_setting setting = {"form", "projecting"};
  cmb_integrator_options options = cmb_integrator_defaults();
  cmb_integrator *in;
  cmbt_run run;
  options.settings = &setting;
  options.setting_count = 1;
  cmbt_run_open(&run, "four-bar", CMB_FORM_CARTESIAN, 0, NULL);
  assert_int_equal(cmb_integrator_create(run.ctx, run.eq, cmb_method_find("mdop5"), &options, &in),
                   CMB_ERROR_ARGUMENT);
  assert_non_null(strstr(cmb_last_error(run.ctx), "this model has Euler parameters"));
  cmbt_run_close(&run);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_index),    cmocka_unit_test(test_theorem),
      cmocka_unit_test(test_measures), cmocka_unit_test(test_reported),
      cmocka_unit_test(test_offsets),  cmocka_unit_test(test_refusals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
