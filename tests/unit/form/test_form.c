/*
 * Tests of the forms of the equations (form/form.h): every kind, both formalisms, real and complex c, for equations with and without
 * patterns and constraints, and with T = I or not:
 *
 *   - an increment removes arbitrary defects to first order: the differences of the defects along it, added to them, give 0;
 *   - it is the solution of the full system in (δw, δv, δλ, δη), dense and made from differences; with ggl only after further increments;
 *   - the smoothed error estimate solves its linear equations;
 *   - derivatives by differences, dense or on an estimated pattern, agree with the exact ones; cmb_form_widen includes a force that was
 *     not active at first; derivatives that follow the inputs agree with those at the new time;
 *   - failing allocations are errors.
 *
 * In the state used r = 0, as at a solution: there M⁻¹ times the derivatives of r are the derivatives of M⁻¹ r.
 */
#include "check.h"
#include "failing_allocator.h"
#include "model_run.h"
#include "random.h"
#include "top.h"

#include "dae/evaluator.h"
#include "form/form.h"
#include "math/pattern.h"

#include <complex.h>
#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 56 }; /* coordinates, velocities, constraints */

typedef double complex number;

static number make_complex(double re, double im)
{
  return re + im * I;
}

/* ---- equations and states */

struct example {
  const char *name;
  const char *problem, *model; /* one of them; none: the heavy top */
  cmb_formulation formulation;
  double lambda; /* size of the random multipliers */
};

static const struct example examples[] = {
    {"pendulum", "pendulum", NULL, 0, 5},
    {"car axis", "caraxis", NULL, 0, 0.01},
    {"circular track", "circular-track", NULL, 0, 5},
    {"pendulum chain", "pendulum-chain", NULL, 0, 0},
    {"top", NULL, NULL, 0, 10},
    {"five-link, joint coordinates", NULL, "fivelink", CMB_FORM_RESIDUAL, 10},
    {"quarter car, Cartesian", NULL, "quarter-car", CMB_FORM_CARTESIAN, 10},
    {"five-link, Cartesian", NULL, "fivelink", CMB_FORM_CARTESIAN, 10}, /* its matrix is sparse */
};

enum { EXAMPLES = sizeof examples / sizeof examples[0] };

struct test_case {
  const char *name;
  cmb_context *ctx;
  cmb_system *system;
  cmbt_run run;
  struct cmbt_top top;
  cmb_equations top_equations;
  const cmb_equations *eq;
  cmb_evaluator *ev;
  cmb_form_state at;
  double q[MOST], v[MOST], a[MOST], lambda[MOST];
  bool
      by_gradient; /* Cartesian: G is ∂g/∂q T only along p·δp = 0, so ∂g/∂q T is taken from G instead of differences */
};

static cmb_form *make_form(struct test_case *s, cmb_form_kind kind, cmb_formalism formalism,
                           cmb_jacobian_source source)
{
  const cmb_form_options options = {kind, formalism, source, s->eq->inputs != NULL};
  cmb_form *form;
  cmbt_ok(s->ctx, cmb_form_create(s->ev, &options, &form));
  return form;
}

/* Sets s->a to M⁻¹ (f − Gᵀ λ), so that r = 0. */
static void accelerate(struct test_case *s)
{
  cmb_form *form = make_form(s, CMB_FORM_INDEX1, CMB_FORMALISM_EXPLICIT, CMB_SOURCE_DENSE);
  double r[MOST], motion[MOST];
  const cmb_defects out = {.r = r, .motion = motion};
  memset(s->a, 0, sizeof s->a);
  cmbt_ok(s->ctx, cmb_form_defects(form, &s->at, &out));
  for (int i = 0; i < s->eq->nv; i++) s->a[i] = -r[i];
  cmb_form_destroy(form);
}

/* Returns a random number with a size between size/2 and `size`: near 0 the increments of differences would be tiny. */
static double shift(struct cmbt_random *random, double size)
{
  const double part = cmbt_random_uniform(random, 0.5, 1);
  return cmbt_random_int(random, 0, 1) ? part * size : -part * size;
}

static void choose_state(struct test_case *s, const double *q, const double *v, double lambda)
{
  struct cmbt_random random = {7};
  const cmb_equations *eq = s->eq;
  assert_true(eq->nq <= MOST && eq->nv <= MOST && eq->ng <= MOST);
  for (int i = 0; i < eq->nq; i++) s->q[i] = q[i] + shift(&random, 0.02);
  if (eq->normalize) eq->normalize(eq->self, s->q);
  for (int i = 0; i < eq->nv; i++) s->v[i] = v[i] + shift(&random, 0.5);
  for (int i = 0; i < eq->ng; i++) s->lambda[i] = shift(&random, lambda);
  s->at = (cmb_form_state){0.3, s->q, s->v, s->a, s->lambda};
  accelerate(s);
}

static void open_top(struct test_case *s, double lambda)
{
  const double e[4] = {sqrt(0.7), sqrt(0.1), sqrt(0.15), sqrt(0.05)}, omega[3] = {0.5, -1, 7};
  double q[7], v[6];
  s->ctx = cmb_context_create(NULL);
  s->top = (struct cmbt_top){1.5, 0.3, {0.02, 0.03}, 0.015, 9.81};
  s->top_equations = cmbt_top_equations(&s->top);
  s->eq = &s->top_equations;
  cmbt_top_state(&s->top, e, omega, q, v);
  cmbt_ok(s->ctx, cmb_evaluator_create(s->ctx, s->eq, &s->ev));
  choose_state(s, q, v, lambda);
}

static void open_problem(struct test_case *s, const char *name, int count,
                         const cmb_setting *settings, double lambda)
{
  s->ctx = cmb_context_create(NULL);
  cmbt_ok(s->ctx, cmb_problem_create(s->ctx, cmb_problem_find(name), count, settings, &s->system));
  s->eq = cmb_system_equations(s->system);
  cmbt_ok(s->ctx, cmb_evaluator_create(s->ctx, s->eq, &s->ev));
  choose_state(s, cmb_system_q(s->system), cmb_system_v(s->system), lambda);
}

static struct test_case *open_case(const struct example *e)
{
  struct test_case *s = calloc(1, sizeof *s);
  assert_non_null(s);
  s->name = e->name;
  s->by_gradient = e->model && e->formulation == CMB_FORM_CARTESIAN;
  if (e->problem) {
    open_problem(s, e->problem, 0, NULL, e->lambda);
  } else if (e->model) {
    cmbt_run_open(&s->run, e->model, e->formulation, 0, NULL);
    s->ctx = s->run.ctx;
    s->eq = s->run.eq;
    cmbt_ok(s->ctx, cmb_evaluator_create(s->ctx, s->eq, &s->ev));
    choose_state(s, cmb_system_q(s->run.system), s->v, e->lambda); /* without the wheels' speed */
  } else {
    open_top(s, e->lambda);
  }
  return s;
}

static void close_case(struct test_case *s)
{
  cmb_evaluator_destroy(s->ev);
  if (s->run.ctx) {
    cmbt_run_close(&s->run);
  } else {
    cmb_system_destroy(s->system);
    cmb_context_destroy(s->ctx);
  }
  free(s);
}

/* ---- derivatives of the defects by differences */

struct defects {
  double r[MOST], position[MOST], motion[MOST];
};

enum variable { BY_W, BY_V, BY_A, BY_LAMBDA };

/* Computes the derivative of the defects along x by central differences; for BY_W along q̇ = T x. */
static void derive_along(struct test_case *s, cmb_form *form, enum variable which, int n,
                         const double *x, struct defects *out)
{
  double most = 0, at[4][MOST], direction[MOST];
  struct defects side[2];
  const double *from[4] = {s->q, s->v, s->a, s->lambda};
  memset(out, 0, sizeof *out);
  memset(side, 0, sizeof side);
  for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
  if (most == 0) return;
  memcpy(direction, x, (size_t)n * sizeof *x);
  if (which == BY_W) {
    cmb_rates(s->ev, s->q, x, direction);
    n = s->eq->nq;
  }
  const double step = (which == BY_W ? 1e-5 : 1) / most;
  for (int k = 0; k < 2; k++) {
    for (int j = 0; j < 4; j++) memcpy(at[j], from[j], sizeof at[j]);
    for (int i = 0; i < n; i++) at[which][i] += (k ? step : -step) * direction[i];
    const cmb_form_state beside = {s->at.t, at[0], at[1], at[2], at[3]};
    const cmb_defects to = {side[k].r, side[k].position, side[k].motion};
    cmbt_ok(s->ctx, cmb_form_defects(form, &beside, &to));
  }
  for (int i = 0; i < MOST; i++) {
    out->r[i] = (side[1].r[i] - side[0].r[i]) / (2 * step);
    out->position[i] = (side[1].position[i] - side[0].position[i]) / (2 * step);
    out->motion[i] = (side[1].motion[i] - side[0].motion[i]) / (2 * step);
  }
  if (which == BY_W && s->by_gradient) {
    const cmb_terms want = {.G = s->ev->G};
    cmbt_ok(s->ctx, cmb_evaluate(s->ev, s->at.t, s->q, s->v, &want));
    cmb_multiply(s->eq->G_pattern, s->eq->ng, s->eq->nv, s->ev->G, x, out->position);
  }
}

/* ---- increments and defects as complex numbers */

struct change {
  number v[MOST], lambda[MOST], w[MOST], normal[MOST];
};

struct rest {
  number r[MOST], position[MOST], motion[MOST];
  double size[3]; /* the largest term that was added to r, position and motion */
};

static void join(int n, double *const x[2], number *z)
{
  for (int i = 0; i < n; i++) z[i] = make_complex(x[0][i], x[1][i]);
}

static void split(int n, const number *z, double *re, double *im)
{
  for (int i = 0; i < n; i++) re[i] = creal(z[i]), im[i] = cimag(z[i]);
}

static struct change solve(cmb_form *form, number c, cmb_linear *matrix, const struct rest *d)
{
  struct defects parts[2];
  double x[8][MOST] = {{0}};
  struct change out;
  split(MOST, d->r, parts[0].r, parts[1].r);
  split(MOST, d->position, parts[0].position, parts[1].position);
  split(MOST, d->motion, parts[0].motion, parts[1].motion);
  const cmb_defects defects[2] = {{parts[0].r, parts[0].position, parts[0].motion},
                                  {parts[1].r, parts[1].position, parts[1].motion}};
  cmb_increment increment = {
      .v = {x[0], x[1]}, .lambda = {x[2], x[3]}, .w = {x[4], x[5]}, .normal = {x[6], x[7]}};
  cmb_form_solve(form, cimag(c) == 0 ? 1 : 2, creal(c), cimag(c), matrix, defects, &increment);
  join(MOST, increment.v, out.v);
  join(MOST, increment.lambda, out.lambda);
  join(MOST, increment.w, out.w);
  join(MOST, increment.normal, out.normal);
  return out;
}

static void add_term(int n, double factor_re, double factor_im, const double *x, number *sum,
                     double *size)
{
  for (int i = 0; i < n; i++) {
    sum[i] += make_complex(factor_re, factor_im) * x[i];
    *size = fmax(*size, fabs(x[i]));
  }
}

/* Adds the derivative of the defects along x. */
static void add_along(struct test_case *s, cmb_form *form, enum variable which, int n,
                      const number *x, struct rest *rest)
{
  double parts[2][MOST];
  struct defects d;
  split(n, x, parts[0], parts[1]);
  for (int k = 0; k < 2; k++) {
    derive_along(s, form, which, n, parts[k], &d);
    add_term(MOST, k == 0, k == 1, d.r, rest->r, &rest->size[0]);
    add_term(MOST, k == 0, k == 1, d.position, rest->position, &rest->size[1]);
    add_term(MOST, k == 0, k == 1, d.motion, rest->motion, &rest->size[2]);
  }
}

/* Adds the change of the defects by an increment, to first order. */
static void add_change(struct test_case *s, cmb_form *form, number c, const struct change *x,
                       struct rest *rest)
{
  number rate[MOST];
  for (int i = 0; i < s->eq->nv; i++) rate[i] = x->v[i] / c;
  add_along(s, form, BY_W, s->eq->nv, x->w, rest);
  add_along(s, form, BY_V, s->eq->nv, x->v, rest);
  add_along(s, form, BY_A, s->eq->nv, rate, rest);
  add_along(s, form, BY_LAMBDA, s->eq->ng, x->lambda, rest);
}

static struct rest random_defects(const struct test_case *s, const cmb_form *form, bool is_complex)
{
  struct cmbt_random random = {3};
  struct rest d;
  memset(&d, 0, sizeof d);
  for (int i = 0; i < s->eq->nv; i++) {
    const double im = is_complex ? cmbt_random_uniform(&random, -1, 1) : 0;
    d.r[i] = make_complex(cmbt_random_uniform(&random, -1, 1), im);
  }
  for (int i = 0; i < s->eq->ng; i++) {
    const double x = cmbt_random_uniform(&random, -1, 1), y = cmbt_random_uniform(&random, -1, 1);
    if (form->has_position) d.position[i] = 0.01 * make_complex(x, is_complex ? y : 0);
    if (form->has_motion) d.motion[i] = make_complex(y, is_complex ? x : 0);
  }
  return d;
}

static double largest(int n, const number *x)
{
  double most = 0;
  for (int i = 0; i < n; i++) most = fmax(most, cabs(x[i]));
  return most;
}

static double distance(int n, const number *x, const number *y)
{
  double most = 0;
  for (int i = 0; i < n; i++) most = fmax(most, cabs(x[i] - y[i]));
  return most;
}

/* ---- the defects after an increment */

/* Adds the terms that ggl neglects, c C₁ δw in the positions and, if |c| is small, c K Ḡᵀ δη in r, so that nothing should be left. */
static void add_expected(struct test_case *s, cmb_form *form, number c, const struct change *x,
                         struct rest *left)
{
  struct rest seen;
  if (form->kind != CMB_FORM_GGL) return;
  memset(&seen, 0, sizeof seen);
  add_along(s, form, BY_W, s->eq->nv, x->w, &seen);
  for (int i = 0; i < s->eq->ng; i++) left->position[i] += c * seen.motion[i];
  left->size[1] = fmax(left->size[1], cabs(c) * seen.size[2]);
  if (cabs(c) > form->softness) return;
  memset(&seen, 0, sizeof seen);
  add_along(s, form, BY_W, s->eq->nv, x->normal, &seen);
  for (int i = 0; i < s->eq->nv; i++) left->r[i] += c * seen.r[i];
}

struct shape {
  cmb_form_kind kind;
  cmb_formalism formalism;
  number c;
};

static void fail_in(const struct test_case *s, const struct shape *shape, const char *what,
                    double left, double size)
{
  fail_msg("%s, kind %d, formalism %d, c = %g %+g i: %s has an error of %.3g in %.3g", s->name,
           (int)shape->kind, (int)shape->formalism, creal(shape->c), cimag(shape->c), what, left,
           size);
}

static void check_increment(struct test_case *s, cmb_form *form, cmb_linear *matrix,
                            const struct shape *shape)
{
  static const char *const words[] = {"r", "the position defect", "the motion defect"};
  const double small =
      s->eq->derivative ? 1e-7 : 1e-5; /* exact derivatives; by differences: 1e-8 */
  struct rest d = random_defects(s, form, cimag(shape->c) != 0), left = d;
  const struct change x = solve(form, shape->c, matrix, &d);
  add_change(s, form, shape->c, &x, &left);
  add_expected(s, form, shape->c, &x, &left);
  const double rest[3] = {largest(s->eq->nv, left.r), largest(s->eq->ng, left.position),
                          largest(s->eq->ng, left.motion)};
  for (int k = 0; k < 3; k++) {
    const bool exists = k == 0 || (k == 1 ? form->has_position : form->has_motion);
    if (exists && !(rest[k] <= small * left.size[k])) {
      fail_in(s, shape, words[k], rest[k], left.size[k]);
    }
  }
}

/* ---- comparison with the full system */

/* Returns entry (i, j) of the augmented matrix [A | b], which has n rows of n + 1 entries. */
static number *at_entry(number *A, int n, int i, int j)
{
  return A + (ptrdiff_t)i * (n + 1) + j;
}

static void eliminate(number *A, int n)
{
  for (int k = 0; k < n; k++) {
    int pivot = k;
    for (int i = k + 1; i < n; i++) {
      if (cabs(*at_entry(A, n, i, k)) > cabs(*at_entry(A, n, pivot, k))) pivot = i;
    }
    assert_true(cabs(*at_entry(A, n, pivot, k)) > 0);
    for (int j = k; j <= n; j++) {
      number x = *at_entry(A, n, k, j);
      *at_entry(A, n, k, j) = *at_entry(A, n, pivot, j);
      *at_entry(A, n, pivot, j) = x;
    }
    for (int i = 0; i < n; i++) {
      const number factor = *at_entry(A, n, i, k) / *at_entry(A, n, k, k);
      if (i == k || factor == 0) continue;
      for (int j = k; j <= n; j++) *at_entry(A, n, i, j) -= factor * *at_entry(A, n, k, j);
    }
  }
}

/* Adds to a column of A, in the rows after the kinematic equations, `factor` times the derivative along the unit vector j. */
static void fill_column(struct test_case *s, cmb_form *form, number *A, int n, int column,
                        enum variable which, int j, number factor)
{
  const int nv = s->eq->nv, ng = s->eq->ng;
  double unit[MOST] = {0};
  struct defects d;
  unit[j] = 1;
  derive_along(s, form, which, which == BY_LAMBDA ? ng : nv, unit, &d);
  for (int i = 0; i < nv; i++) *at_entry(A, n, nv + i, column) += factor * d.r[i];
  int row = 2 * nv;
  for (int i = 0; form->has_position && i < ng; i++) {
    *at_entry(A, n, row++, column) += factor * d.position[i];
  }
  for (int i = 0; form->has_motion && i < ng; i++) {
    *at_entry(A, n, row++, column) += factor * d.motion[i];
  }
}

/* Forms the matrix of δw = c (δv − Gᵀ δη) and of the linearised defects; unknowns δw, δv, δλ and, with ggl, δη. G is the derivative of
 * G v + g_t by v. */
static number *full_matrix(struct test_case *s, cmb_form *form, number c, int n)
{
  const int nv = s->eq->nv, ng = s->eq->ng;
  number *A = calloc((size_t)n * ((size_t)n + 1), sizeof *A);
  assert_non_null(A);
  for (int j = 0; j < nv; j++) {
    *at_entry(A, n, j, j) = 1;
    *at_entry(A, n, j, nv + j) = -c;
    fill_column(s, form, A, n, j, BY_W, j, 1);
    fill_column(s, form, A, n, nv + j, BY_V, j, 1);
    for (int i = 0; i < ng && form->kind == CMB_FORM_GGL; i++) {
      *at_entry(A, n, j, 2 * nv + ng + i) = c * *at_entry(A, n, 2 * nv + ng + i, nv + j);
    }
    fill_column(s, form, A, n, nv + j, BY_A, j, 1 / c);
  }
  for (int j = 0; j < ng; j++) fill_column(s, form, A, n, 2 * nv + j, BY_LAMBDA, j, 1);
  return A;
}

static int full_size(const struct test_case *s, const cmb_form *form)
{
  return 2 * s->eq->nv + s->eq->ng * (form->kind == CMB_FORM_GGL ? 2 : 1);
}

static struct change full_solution(struct test_case *s, cmb_form *form, number c,
                                   const struct rest *d)
{
  const int nv = s->eq->nv, ng = s->eq->ng, n = full_size(s, form);
  number *A = full_matrix(s, form, c, n);
  struct change x;
  memset(&x, 0, sizeof x);
  for (int i = 0; i < nv; i++) *at_entry(A, n, nv + i, n) = -d->r[i];
  int row = 2 * nv;
  for (int i = 0; form->has_position && i < ng; i++) *at_entry(A, n, row++, n) = -d->position[i];
  for (int i = 0; form->has_motion && i < ng; i++) *at_entry(A, n, row++, n) = -d->motion[i];
  eliminate(A, n);
  for (int i = 0; i < n; i++) {
    const number value = *at_entry(A, n, i, n) / *at_entry(A, n, i, i);
    if (i < nv) x.w[i] = value;
    if (i >= nv && i < 2 * nv) x.v[i - nv] = value;
    if (i >= 2 * nv && i < 2 * nv + ng) x.lambda[i - 2 * nv] = value;
  }
  free(A);
  return x;
}

/* Adds the increments that follow the first one with ggl; each reduces the error that the one before has left. */
static void iterate(struct test_case *s, cmb_form *form, cmb_linear *matrix, number c,
                    const struct rest *d, struct change *x)
{
  for (int k = 0; k < 40; k++) {
    struct rest left = *d;
    add_change(s, form, c, x, &left);
    const struct change more = solve(form, c, matrix, &left);
    for (int i = 0; i < MOST; i++) {
      x->w[i] += more.w[i];
      x->v[i] += more.v[i];
      x->lambda[i] += more.lambda[i];
    }
  }
}

static void check_full(struct test_case *s, cmb_form *form, cmb_linear *matrix,
                       const struct shape *shape)
{
  const double small = s->eq->derivative ? 1e-6 : 1e-5;
  const struct rest d = random_defects(s, form, cimag(shape->c) != 0);
  const struct change full = full_solution(s, form, shape->c, &d);
  struct change x = solve(form, shape->c, matrix, &d);
  if (form->kind == CMB_FORM_GGL) iterate(s, form, matrix, shape->c, &d, &x);
  const int nv = s->eq->nv, ng = s->eq->ng;
  const double off[3] = {distance(nv, x.w, full.w), distance(nv, x.v, full.v),
                         distance(ng, x.lambda, full.lambda)};
  const double size[3] = {largest(nv, full.w), largest(nv, full.v), largest(ng, full.lambda)};
  static const char *const words[] = {"dw of the full system", "dv of the full system",
                                      "dlambda of the full system"};
  for (int k = 0; k < 3; k++) {
    if (!(off[k] <= small * size[k])) fail_in(s, shape, words[k], off[k], size[k]);
  }
}

/* ---- all examples */

typedef void check_function(struct test_case *s, cmb_form *form, cmb_linear *matrix,
                            const struct shape *shape);

static void check_shape(struct test_case *s, const struct shape *shape, check_function *check)
{
  cmb_form *form = make_form(s, shape->kind, shape->formalism, CMB_SOURCE_EXACT);
  cmb_linear *matrix;
  cmbt_ok(s->ctx, cmb_form_matrix_create(form, cimag(shape->c) != 0, &matrix));
  cmbt_ok(s->ctx, cmb_form_linearize(form, &s->at, true));
  cmbt_ok(s->ctx, cmb_form_factor(form, creal(shape->c), cimag(shape->c), matrix));
  check(s, form, matrix, shape);
  cmb_linear_destroy(matrix);
  cmb_form_destroy(form);
}

static void check_examples(check_function *check)
{
  const number c[] = {2e-3, make_complex(1e-3, -1.5e-3), 2e-2, make_complex(1e-2, -1.2e-2)};
  for (int e = 0; e < EXAMPLES; e++) {
    struct test_case *s = open_case(&examples[e]);
    for (int kind = 0; kind <= CMB_FORM_INDEX1; kind++) {
      for (int formalism = 0; formalism < 2; formalism++) {
        for (size_t k = 0; k < sizeof c / sizeof *c; k++) {
          const struct shape shape = {(cmb_form_kind)kind, (cmb_formalism)formalism, c[k]};
          check_shape(s, &shape, check);
        }
      }
    }
    close_case(s);
  }
}

static void test_increments(void **state)
{
  (void)state;
  check_examples(check_increment);
}

static void test_full_system(void **state)
{
  (void)state;
  check_examples(check_full);
}

/* Checks that the examples contain a sparse matrix, patterns with T ≠ I, dense matrices, and equations without constraints. */
static void test_examples(void **state)
{
  (void)state;
  bool sparse = false, patterns = false, dense = false, free_of_constraints = false;
  for (int e = 0; e < EXAMPLES; e++) {
    struct test_case *s = open_case(&examples[e]);
    cmb_form *form = make_form(s, CMB_FORM_GGL, CMB_FORMALISM_RESIDUAL, CMB_SOURCE_EXACT);
    sparse = sparse || form->pattern;
    patterns = patterns || (form->K.pattern && form->T && !form->pattern);
    dense = dense || (!form->K.pattern && !form->T && s->eq->ng > 0);
    free_of_constraints = free_of_constraints || s->eq->ng == 0;
    cmb_form_destroy(form);
    close_case(s);
  }
  assert_true(sparse && patterns && dense && free_of_constraints);
}

/* ---- the smoothed error estimate */

/* Returns the linearised defects for δw = w, δv = e_v and δv̇ = e_v/c − s_v, with the multipliers that the solution left in the form. */
static struct rest smoothed_rest(struct test_case *s, cmb_form *form, double c, const number *w,
                                 const double *e_v, const double *s_v)
{
  const int nv = s->eq->nv, ng = s->eq->ng;
  number v[MOST] = {0}, rate[MOST] = {0}, mu[MOST] = {0};
  struct rest left;
  memset(&left, 0, sizeof left);
  for (int i = 0; i < nv; i++) v[i] = e_v[i], rate[i] = e_v[i] / c - s_v[i];
  for (int i = 0; i < ng; i++) mu[i] = form->b[nv + i] / c;
  add_along(s, form, BY_W, nv, w, &left);
  add_along(s, form, BY_V, nv, v, &left);
  add_along(s, form, BY_A, nv, rate, &left);
  add_along(s, form, BY_LAMBDA, ng, mu, &left);
  return left;
}

static void check_zero(const struct test_case *s, const struct shape *shape, int n, const number *x,
                       double size, const char *what)
{
  const double small = s->eq->derivative ? 1e-7 : 1e-5;
  if (!(largest(n, x) <= small * size)) fail_in(s, shape, what, largest(n, x), size);
}

/* Checks that w = c (e_v + s_w) satisfies the linear equations. It is e_w; with ggl e_w is the part of it along which g is constant. */
static void check_smooth(struct test_case *s, cmb_form *form, cmb_linear *matrix,
                         const struct shape *shape)
{
  const int nv = s->eq->nv, ng = s->eq->ng;
  const bool ggl = form->kind == CMB_FORM_GGL && ng > 0;
  const double c = creal(shape->c);
  struct cmbt_random random = {5};
  double s_w[MOST] = {0}, s_v[MOST] = {0}, e_w[MOST] = {0}, e_v[MOST] = {0};
  number w[MOST] = {0}, got[MOST] = {0};
  if (cimag(shape->c) != 0) return;
  for (int i = 0; i < nv; i++) s_w[i] = cmbt_random_uniform(&random, -1, 1);
  for (int i = 0; i < nv; i++) s_v[i] = cmbt_random_uniform(&random, -1, 1);
  cmb_form_smooth(form, c, matrix, s_w, s_v, e_w, e_v);
  for (int i = 0; i < nv; i++) w[i] = c * (e_v[i] + s_w[i]), got[i] = e_w[i];
  const struct rest left = smoothed_rest(s, form, c, w, e_v, s_v);
  check_zero(s, shape, nv, left.r, left.size[0], "r of the smoothed error estimate");
  if (form->has_motion) check_zero(s, shape, ng, left.motion, left.size[2], "its motion defect");
  if (!ggl) cmbt_below(distance(nv, w, got), 1e-13 * largest(nv, w));
  if (!form->has_position) return;
  struct rest held, given;
  memset(&held, 0, sizeof held);
  memset(&given, 0, sizeof given);
  for (int i = 0; i < nv; i++) w[i] = c * s_w[i];
  add_along(s, form, BY_W, nv, got, &held);
  add_along(s, form, BY_W, nv, w, &given);
  check_zero(s, shape, ng, held.position, given.size[1], "G e_w");
}

static void test_smoothed_error(void **state)
{
  (void)state;
  check_examples(check_smooth);
}

/* ---- formalisms */

/* Checks in a state with r ≠ 0 that r of the residual formalism is M times the defect of the explicit formalism. */
static void test_formalisms(void **state)
{
  (void)state;
  for (int e = 0; e < EXAMPLES; e++) {
    struct test_case *s = open_case(&examples[e]);
    const int nv = s->eq->nv;
    struct defects d[2];
    double Mr[MOST], size = 0;
    for (int i = 0; i < nv; i++) s->a[i] += 1 + i % 3;
    for (int formalism = 0; formalism < 2; formalism++) {
      cmb_form *form = make_form(s, CMB_FORM_INDEX1, (cmb_formalism)formalism, CMB_SOURCE_EXACT);
      const cmb_defects to = {d[formalism].r, d[formalism].position, d[formalism].motion};
      cmbt_ok(s->ctx, cmb_form_defects(form, &s->at, &to));
      cmb_form_destroy(form);
    }
    for (int i = 0; i < s->eq->ng; i++) cmbt_near(d[0].motion[i], d[1].motion[i], 0);
    cmb_terms want = {.M = s->ev->M};
    cmbt_ok(s->ctx, cmb_evaluate(s->ev, s->at.t, s->q, NULL, &want));
    cmb_multiply_mass(s->ev, d[1].r, Mr);
    for (int i = 0; i < nv; i++) size = fmax(size, fabs(d[0].r[i]));
    for (int i = 0; i < nv; i++) cmbt_near(Mr[i], d[0].r[i], 1e-10 * size);
    close_case(s);
  }
}

/* ---- sources of the derivatives */

/* Limit of relative errors of differences whose increments are as small as 2e-10: Arnold, Fuchs and Führer 2006, eq. (17), for
 * coordinates of size 0.01. */
static const double ROUNDING = 1e-4;

static void to_dense(const cmb_block *block, double *dense)
{
  const cmb_pattern *p = block->pattern;
  memset(dense, 0, sizeof(double[MOST * MOST]));
  for (int i = 0; i < block->rows; i++) {
    const int from = p ? p->start[i] : i * block->columns;
    const int to = p ? p->start[i + 1] : from + block->columns;
    for (int k = from; k < to; k++) {
      dense[i * MOST + (p ? p->column[k] : k - from)] = block->value[k];
    }
  }
}

static double block_distance(const cmb_block *one, const cmb_block *other)
{
  static double x[MOST * MOST], y[MOST * MOST];
  double most = 0, size = 0;
  to_dense(one, x);
  to_dense(other, y);
  for (int k = 0; k < MOST * MOST; k++) {
    most = fmax(most, fabs(x[k] - y[k]));
    size = fmax(size, fabs(y[k]));
  }
  return size > 0 ? most / size : most;
}

/* Returns the largest relative difference between the derivatives of two forms at the same state. */
static double forms_distance(const cmb_form *one, const cmb_form *other)
{
  double most = fmax(block_distance(&one->K, &other->K), block_distance(&one->D, &other->D));
  if (one->has_motion) most = fmax(most, block_distance(&one->C1, &other->C1));
  if (one->C2.value) most = fmax(most, block_distance(&one->C2, &other->C2));
  return most;
}

static void check_sources(struct test_case *s, cmb_form_kind kind, cmb_formalism formalism)
{
  cmb_form *exact = make_form(s, kind, formalism, CMB_SOURCE_EXACT);
  cmb_form *dense = make_form(s, kind, formalism, CMB_SOURCE_DENSE);
  cmb_form *sparse = make_form(s, kind, formalism, CMB_SOURCE_SPARSE);
  cmbt_ok(s->ctx, cmb_form_linearize(exact, &s->at, true));
  cmbt_ok(s->ctx, cmb_form_linearize(dense, &s->at, true));
  cmbt_ok(s->ctx, cmb_form_linearize(sparse, &s->at, true)); /* estimates the pattern */
  cmbt_ok(s->ctx, cmb_form_linearize(sparse, &s->at, true)); /* uses the pattern */
  const double off[2] = {forms_distance(dense, exact), forms_distance(sparse, exact)};
  for (int k = 0; k < 2; k++) {
    const struct shape shape = {kind, formalism, 0};
    if (!(off[k] <= ROUNDING)) fail_in(s, &shape, k ? "sparse" : "dense", off[k], 1);
  }
  cmb_form_destroy(exact);
  cmb_form_destroy(dense);
  cmb_form_destroy(sparse);
}

/* Compares the sources of derivatives. The explicit formalism needs accelerations with r = 0; examples in which these are so large that
 * changes of G a + γ are lost in rounding are left out there. */
static void test_differences(void **state)
{
  (void)state;
  int count = 0;
  for (int e = 0; e < EXAMPLES; e++) {
    struct test_case *s = open_case(&examples[e]);
    double most = 0;
    for (int i = 0; i < s->eq->nv; i++) most = fmax(most, fabs(s->a[i]));
    for (int kind = 0; most < 1000 && kind <= CMB_FORM_INDEX1; kind++, count++) {
      check_sources(s, (cmb_form_kind)kind, CMB_FORMALISM_EXPLICIT);
    }
    for (int i = 0; i < s->eq->nv; i++) s->a[i] = 1 + i % 3;
    for (int kind = 0; kind <= CMB_FORM_INDEX1; kind++) {
      check_sources(s, (cmb_form_kind)kind, CMB_FORMALISM_RESIDUAL);
    }
    close_case(s);
  }
  assert_true(count >= 16);
}

/* ---- the estimated pattern */

enum { MASSES = 6 };

/* Masses on springs and dampers in a row; the first one pushes the last one when its displacement exceeds 1. */
static cmb_status row_evaluate(const void *self, const cmb_point *at, const cmb_terms *want)
{
  (void)self;
  for (int i = 0; want->M && i < MASSES; i++) want->M[i] = 1 + i;
  for (int i = 0; want->f && i < MASSES; i++) {
    const double left = i > 0 ? at->q[i - 1] : 0;
    want->f[i] = -3 * (at->q[i] - left) - 0.5 * at->v[i];
  }
  if (want->f && at->q[0] > 1) want->f[MASSES - 1] += 7 * (at->q[0] - 1) * (at->q[0] - 1);
  return CMB_OK;
}

static void test_pattern_is_widened(void **state)
{
  (void)state;
  const cmb_equations eq = {.name = "row",
                            .nq = MASSES,
                            .nv = MASSES,
                            .mass_constant = true,
                            .mass_diagonal = true,
                            .evaluate = row_evaluate};
  const int corner = (MASSES - 1) * MASSES;
  struct test_case s = {.name = "row", .ctx = cmb_context_create(NULL), .eq = &eq};
  cmbt_ok(s.ctx, cmb_evaluator_create(s.ctx, &eq, &s.ev));
  s.at = (cmb_form_state){0, s.q, s.v, s.a, s.lambda};
  cmb_form *form = make_form(&s, CMB_FORM_INDEX3, CMB_FORMALISM_RESIDUAL, CMB_SOURCE_SPARSE);
  cmb_form *dense = make_form(&s, CMB_FORM_INDEX3, CMB_FORMALISM_RESIDUAL, CMB_SOURCE_DENSE);
  for (int i = 0; i < MASSES; i++) s.q[i] = 0.5, s.v[i] = 0.1 * i;
  cmbt_ok(s.ctx, cmb_form_linearize(form, &s.at, true));
  assert_true(form->K.value[corner] == 0);
  const long full = s.ev->stats.f;
  cmbt_ok(s.ctx, cmb_form_linearize(form, &s.at, true));
  const long grouped = s.ev->stats.f - full;
  assert_true(full == 0 || grouped < full); /* fewer evaluations than with a dense matrix */
  s.q[0] = 2;
  cmbt_ok(s.ctx, cmb_form_linearize(form, &s.at, true));
  assert_true(form->K.value[corner] == 0); /* this entry is not in the estimated pattern */
  cmb_form_widen(form);
  for (int k = 0; k < 2; k++) { /* the entry is included, and stays so */
    cmbt_ok(s.ctx, cmb_form_linearize(form, &s.at, true));
    cmbt_near(form->K.value[corner], -14, 1e-5);
  }
  cmbt_ok(s.ctx, cmb_form_linearize(dense, &s.at, true));
  cmbt_below(forms_distance(form, dense), 1e-6);
  cmb_form_destroy(form);
  cmb_form_destroy(dense);
  cmb_evaluator_destroy(s.ev);
  cmb_context_destroy(s.ctx);
}

/* ---- derivatives that follow the inputs */

/* A pendulum chain whose suspension oscillates faster than usual, so that its accelerations matter. */
static void check_inputs(cmb_formalism formalism)
{
  const cmb_setting settings[] = {{"N", 6}, {"omega", 4}, {"shift_x", 0.6}, {"shift_y", 0.4}};
  struct test_case *s = calloc(1, sizeof *s);
  assert_non_null(s);
  s->name = "pendulum chain";
  open_problem(s, "pendulum-chain", 4, settings, 0);
  cmb_form *form = make_form(s, CMB_FORM_INDEX3, formalism, CMB_SOURCE_DENSE);
  cmb_form *fresh = make_form(s, CMB_FORM_INDEX3, formalism, CMB_SOURCE_DENSE);
  cmbt_ok(s->ctx, cmb_form_linearize(form, &s->at, true));
  cmbt_ok(s->ctx, cmb_form_know_inputs(form, &s->at));
  const double times[] = {0.45, 1.1};
  for (int k = 0; k < 2; k++) {
    s->at.t = times[k];
    cmbt_ok(s->ctx, cmb_form_linearize(fresh, &s->at, true));
    assert_true(forms_distance(form, fresh) > 1e-2);
    cmbt_ok(s->ctx, cmb_form_follow_inputs(form, &s->at));
    cmbt_below(forms_distance(form, fresh), ROUNDING);
  }
  cmb_form_destroy(form);
  cmb_form_destroy(fresh);
  close_case(s);
}

static void test_inputs_are_followed(void **state)
{
  (void)state;
  check_inputs(CMB_FORMALISM_RESIDUAL);
  check_inputs(CMB_FORMALISM_EXPLICIT);
}

/* A ball that hangs on a driven turntable, with Euler parameters: so the index of the driven coordinate is not that of its velocity. */
static const char turntable[] =
    "title: ball on a turntable\n"
    "points: {post: [1, 0, 0], ball_centre: [0.3, 0, -0.5]}\n"
    "bodies:\n"
    "  ball: {mass: 1, com: [0.3, 0, -0.5], inertia: [0.1, 0.2, 0.3]}\n"
    "  table: {mass: 2, com: [0, 0, 0], inertia: [0.1, 0.1, 0.2]}\n"
    "joints:\n"
    "  hang: {type: spherical, orientation: euler, parent: table, child: ball, at: [0.3, 0, 0]}\n"
    "  turn: {type: revolute, child: table, at: [0, 0, 0], axis: z, coordinates: [turn]}\n"
    "motions: {drive: {coordinate: turn, value: sin(t)}}\n"
    "forces:\n"
    "  rope: {type: spring, between: [ground@post, ball@ball_centre], stiffness: 50, "
    "damping: 2}\n";

static int coordinate(const cmb_equations *eq, const char *name)
{
  for (int i = 0; i < eq->nq; i++) {
    if (strcmp(eq->q_names[i], name) == 0) return i;
  }
  fail_msg("no coordinate '%s'", name);
  return 0;
}

/* Moves the driven coordinate. Checks that following the inputs leaves an error of second order, below 10 % of the whole change. */
static void check_driven(const char *model, const char *name, cmb_form_kind kind,
                         cmb_formalism formalism, cmb_jacobian_source source)
{
  struct test_case *s = calloc(1, sizeof *s);
  const double way = 0.02;
  double left[2];
  assert_non_null(s);
  if (model) {
    cmbt_run_open(&s->run, model, CMB_FORM_EXPLICIT, 0, NULL);
  } else {
    cmbt_run_open_text(&s->run, turntable, CMB_FORM_EXPLICIT);
  }
  s->ctx = s->run.ctx;
  s->eq = s->run.eq;
  cmbt_ok(s->ctx, cmb_evaluator_create(s->ctx, s->eq, &s->ev));
  choose_state(s, cmb_system_q(s->run.system), s->v, 10);
  const int driven = coordinate(s->eq, name);
  for (int k = 0; k < 2; k++) {
    const cmb_form_options options = {kind, formalism, source, true};
    const double before = s->q[driven];
    cmb_form *form = NULL, *fresh = make_form(s, kind, formalism, CMB_SOURCE_DENSE);
    cmbt_ok(s->ctx, cmb_form_create(s->ev, &options, &form));
    cmbt_ok(s->ctx, cmb_form_linearize(form, &s->at, true));
    cmbt_ok(s->ctx, cmb_form_know_inputs(form, &s->at));
    s->q[driven] += (k + 1) * way;
    cmbt_ok(s->ctx, cmb_form_linearize(fresh, &s->at, true));
    const double off = forms_distance(form, fresh);
    cmbt_ok(s->ctx, cmb_form_follow_inputs(form, &s->at));
    left[k] = forms_distance(form, fresh);
    cmbt_below(left[k], 0.1 * off);
    s->q[driven] = before;
    cmb_form_destroy(form);
    cmb_form_destroy(fresh);
  }
  cmbt_below(left[0], 0.35 * left[1]); /* 1/4 for half the distance, and rounding */
  close_case(s);
}

static void test_driven_joints_are_followed(void **state)
{
  (void)state;
  for (int formalism = 0; formalism < 2; formalism++) {
    for (int kind = 0; kind <= CMB_FORM_INDEX1; kind++) {
      const cmb_form_kind k = (cmb_form_kind)kind;
      const cmb_formalism f = (cmb_formalism)formalism;
      check_driven("slider-crank", "theta", k, f, CMB_SOURCE_DENSE);
      check_driven("axle-stamp", "swing", k, f, CMB_SOURCE_DENSE);
      check_driven("axle-stamp", "swing", k, f, CMB_SOURCE_SPARSE);
      check_driven(NULL, "turn", k, f, CMB_SOURCE_DENSE);
    }
  }
}

/* ---- rounding errors */

/* Adds to noise (nv) the error of x caused by the rounding ε Σ |G_kj x_j| of each row k of G x, distributed by the inverse masses u_j²:
 * u_j² |G_kj| of it, divided by Σ u_j² G_kj². */
static void add_noise(const struct test_case *s, const double *G, const double *unit,
                      const double *x, double *noise)
{
  const int nv = s->eq->nv;
  for (int k = 0; k < s->eq->ng; k++) {
    double rounding = 0, sum = 0;
    for (int j = 0; j < nv; j++) {
      const double entry = G[k * nv + j];
      rounding += DBL_EPSILON * fabs(entry * x[j]);
      sum += unit[j] * unit[j] * entry * entry;
    }
    for (int j = 0; j < nv && sum > 0; j++) {
      noise[j] += unit[j] * unit[j] * fabs(G[k * nv + j]) * rounding / sum;
    }
  }
}

/* Checks the rounding errors of positions and velocities that a form assumes. The constraints contribute to that of the positions only if
 * each velocity is the rate of one coordinate. */
static void test_noise(void **state)
{
  (void)state;
  bool seen[2] = {false, false};
  for (int e = 0; e < EXAMPLES; e++) {
    static double G[MOST * MOST];
    struct test_case *s = open_case(&examples[e]);
    const int nq = s->eq->nq, nv = s->eq->nv, ng = s->eq->ng;
    cmb_form *form = make_form(s, CMB_FORM_INDEX2, CMB_FORMALISM_EXPLICIT, CMB_SOURCE_DENSE);
    double unit[MOST], noise[MOST], noise_q[MOST], most = 0;
    cmbt_ok(s->ctx, cmb_form_linearize(form, &s->at, true));
    const cmb_terms want = {.M = s->ev->M, .G = s->ev->G};
    cmbt_ok(s->ctx, cmb_evaluate(s->ev, s->at.t, s->q, NULL, &want));
    for (int j = 0; j < nv; j++) {
      double one[MOST] = {0}, column[MOST];
      one[j] = 1;
      cmb_multiply_mass(s->ev, one, column);
      unit[j] = exp2(floor(log2(1 / sqrt(column[j]))) + 1);
      cmb_multiply(s->eq->G_pattern, ng, nv, s->ev->G, one, column);
      for (int k = 0; k < ng; k++) G[k * nv + j] = column[k];
    }
    for (int j = 0; j < nv; j++) noise[j] = DBL_EPSILON * fabs(s->v[j]);
    for (int j = 0; j < nq; j++) noise_q[j] = DBL_EPSILON * fabs(s->q[j]);
    add_noise(s, G, unit, s->v, noise);
    const bool pair = nq == nv - s->eq->nz;
    seen[pair] = true;
    if (pair) add_noise(s, G, unit, s->q, noise_q);
    for (int j = 0; j < nv; j++) cmbt_near(form->noise[j], noise[j], 1e-10 * noise[j]);
    for (int j = 0; j < nq; j++) cmbt_near(form->noise_q[j], noise_q[j], 1e-10 * noise_q[j]);
    for (int j = 0; j < nv; j++) most = fmax(most, noise[j]);
    for (int j = 0; j < nq; j++) most = fmax(most, noise_q[j]);
    cmbt_near(form->noise_most, most, 1e-10 * most);
    cmb_form_destroy(form);
    close_case(s);
  }
  assert_true(seen[0] && seen[1]);
}

/* ---- failing allocations */

/* Creates a form and its matrices; each allocation fails in turn. Returns the number of allocations. */
static long count_allocations(const cmb_equations *eq, const cmb_form_options *options)
{
  for (long k = 1;; k++) {
    struct cmbt_allocator memory;
    cmbt_allocator_init(&memory);
    cmb_context *ctx = cmb_context_create(&memory.hook);
    cmb_evaluator *ev;
    cmb_form *form;
    cmb_linear *real = NULL, *complex_one = NULL;
    cmbt_ok(ctx, cmb_evaluator_create(ctx, eq, &ev));
    const long before = memory.outstanding;
    memory.fail_at = memory.calls + k;
    cmb_status status = cmb_form_create(ev, options, &form);
    if (status != CMB_OK) {
      assert_null(form);
      assert_int_equal(memory.outstanding, before);
    }
    if (status == CMB_OK) status = cmb_form_matrix_create(form, false, &real);
    if (status == CMB_OK) status = cmb_form_matrix_create(form, true, &complex_one);
    assert_int_equal(status, memory.refused > 0 ? CMB_ERROR_MEMORY : CMB_OK);
    assert_true(status == CMB_OK || cmb_last_error(ctx)[0] != '\0');
    cmb_linear_destroy(real);
    cmb_linear_destroy(complex_one);
    cmb_form_destroy(form);
    cmb_evaluator_destroy(ev);
    cmb_context_destroy(ctx);
    assert_int_equal(memory.outstanding, 0);
    if (memory.refused == 0) return k - 1;
  }
}

static void test_memory(void **state)
{
  (void)state;
  long failures = 0;
  for (int e = 0; e < EXAMPLES; e++) {
    struct test_case *s = open_case(&examples[e]);
    for (int kind = 0; kind <= CMB_FORM_INDEX1; kind++) {
      for (int source = 0; source <= CMB_SOURCE_SPARSE; source++) {
        const cmb_form_options options = {(cmb_form_kind)kind, (cmb_formalism)(kind % 2),
                                          (cmb_jacobian_source)source, s->eq->inputs != NULL};
        const long count = count_allocations(s->eq, &options);
        assert_true(count >= 3);
        failures += count;
      }
    }
    close_case(s);
  }
  print_message("%ld failed allocations\n", failures);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_examples),
      cmocka_unit_test(test_increments),
      cmocka_unit_test(test_full_system),
      cmocka_unit_test(test_smoothed_error),
      cmocka_unit_test(test_formalisms),
      cmocka_unit_test(test_differences),
      cmocka_unit_test(test_pattern_is_widened),
      cmocka_unit_test(test_inputs_are_followed),
      cmocka_unit_test(test_driven_joints_are_followed),
      cmocka_unit_test(test_noise),
      cmocka_unit_test(test_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
