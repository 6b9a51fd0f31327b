/*
 * Tests of implicit functions (include/camber/expr.h): roots and their derivatives against closed forms and against differences of roots in
 * long double; equations that are refused; equations without a root; import, substitution, modes, intervals and failing allocations.
 */
#include "check.h"
#include "failing_allocator.h"
#include "long_value.h"
#include "random.h"
#include "random_system.h"

#include "expr/graph.h"
#include "expr/interval.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = CMB_MOST_UNKNOWNS, INPUTS = 4 };

struct fixture {
  cmb_context *ctx;
  cmb_graph *g;
  cmb_expr x[INPUTS], w[MOST];
};

static int setup(void **state)
{
  static const char *const given[] = {"a", "b", "c", "d"};
  static const char *const unknown[] = {"u", "v", "w", "r", "s", "p"};
  struct fixture *f = calloc(1, sizeof *f);
  assert_non_null(f);
  f->ctx = cmb_context_create(NULL);
  cmbt_ok(f->ctx, cmb_graph_create(f->ctx, &f->g));
  for (int i = 0; i < INPUTS; i++) f->x[i] = cmb_input(f->g, given[i]);
  for (int i = 0; i < MOST; i++) f->w[i] = cmb_input(f->g, unknown[i]);
  *state = f;
  return 0;
}

static int teardown(void **state)
{
  struct fixture *f = *state;
  cmb_graph_destroy(f->g);
  cmb_context_destroy(f->ctx);
  free(f);
  return 0;
}

/* ---- values */

/* Makes every name an input. */
static bool input_of(void *user, const char *name, cmb_expr *e)
{
  *e = cmb_input(user, name);
  return true;
}

static cmb_expr formula(struct fixture *f, const char *text)
{
  const cmb_names names = {.user = f->g, .value = input_of};
  cmb_expr e = 0;
  cmbt_ok(f->ctx, cmb_formula_parse(f->g, text, strlen(text), 1, 1, &names, &e));
  return e;
}

/* Returns the value of an expression of a, b, c, d. */
static double value_at(struct fixture *f, cmb_expr e, const double *x)
{
  cmb_program *p;
  double y;
  cmbt_ok(f->ctx, cmb_program_create(f->ctx, f->g, INPUTS, f->x, 1, &e, &p));
  double *work = malloc(((size_t)cmb_program_work(p) + 1) * sizeof *work);
  assert_non_null(work);
  cmb_program_run(p, x, &y, work);
  free(work);
  cmb_program_destroy(p);
  return y;
}

/* Returns the root u of one equation, as an expression. */
static cmb_expr root_of(struct fixture *f, const char *equation, const char *start)
{
  const cmb_expr r = formula(f, equation), from = formula(f, start);
  cmb_expr u;
  cmbt_ok(f->ctx, cmb_implicit(f->g, 1, f->w, &r, &from, NULL, &u));
  return u;
}

/* u² = a: compares with √a and its first three derivatives; the sign of the start value selects the branch. */
static void test_square_root(void **state)
{
  struct fixture *f = *state;
  const double x[INPUTS] = {2, 0, 0, 0};
  const cmb_expr one = cmb_constant(f->g, 1);
  cmb_expr e = root_of(f, "u^2 - a", "1"), minus = root_of(f, "u^2 - a", "-1");
  double expected = sqrt(2);
  cmbt_near(value_at(f, minus, x), -expected, 1e-15);
  for (int k = 0; k < 4; k++) {
    cmbt_near(value_at(f, e, x), expected, 1e-14);
    expected *= (0.5 - k) / 2;
    cmbt_ok(f->ctx, cmb_forward(f->g, 1, f->x, &one, 1, &e, &e));
  }
}

/* Kepler's equation u − b sin u = a: compares derivatives with their closed form. */
static void test_kepler(void **state)
{
  struct fixture *f = *state;
  const cmb_expr u = root_of(f, "u - b*sin(u) - a", "a"), one = cmb_constant(f->g, 1);
  cmb_expr gradient[2];
  cmbt_ok(f->ctx, cmb_reverse(f->g, 2, f->x, 1, &u, &one, gradient));
  for (int k = 0; k < 200; k++) {
    const double x[INPUTS] = {-12 + 0.13 * k, 0.9 * k / 200, 0, 0};
    const double at = value_at(f, u, x), slope = 1 / (1 - x[1] * cos(at));
    cmbt_below(fabs(at - x[1] * sin(at) - x[0]), 1e-14);
    cmbt_near(value_at(f, gradient[0], x), slope, 1e-12 * slope);
    cmbt_near(value_at(f, gradient[1], x), sin(at) * slope, 1e-12 * slope);
  }
}

/* Checks the solution of a linear system and its Jacobian. A zero on the diagonal requires an exchange of rows. */
static void test_linear_system(void **state)
{
  struct fixture *f = *state;
  const cmb_expr r[] = {formula(f, "v - a"), formula(f, "u - 2*w - b"), formula(f, "w + v - c")};
  const cmb_expr start[3] = {0};
  const double x[INPUTS] = {3, 5, 7, 0};
  cmb_expr w[3];
  cmbt_ok(f->ctx, cmb_implicit(f->g, 3, f->w, r, start, NULL, w));
  cmbt_near(value_at(f, w[0], x), 13, 1e-14);
  cmbt_near(value_at(f, w[1], x), 3, 1e-15);
  cmbt_near(value_at(f, w[2], x), 4, 1e-15);
  cmb_jacobian *j;
  cmbt_ok(f->ctx, cmb_jacobian_create(f->ctx, f->g, INPUTS, f->x, INPUTS, f->x, 3, w, &j));
  static const double expected[] = {-2, 1, 2, 1, 0, 0, -1, 0, 1};
  const cmb_pattern *pattern = cmb_jacobian_pattern(j);
  double values[9], *work = aligned_alloc(64, ((size_t)cmb_jacobian_work(j) / 8 + 1) * 64);
  assert_int_equal(pattern->start[3], 9); /* all depend on a, b and c, none on d */
  cmb_jacobian_run(j, x, values, work);
  for (int k = 0; k < 9; k++) cmbt_near(values[k], expected[k], 1e-15);
  free(work);
  cmb_jacobian_destroy(j);
}

/* ---- random systems */

/* A system of equations and its Jacobian as programs, which are evaluated in long double: the reference for roots and derivatives. */
struct reference {
  int n;
  cmb_program *r[MOST], *J[MOST * MOST];
  long double *work;
};

static struct reference reference_of(struct fixture *f, int n, const cmb_expr *r)
{
  struct reference reference = {.n = n};
  cmb_expr all[MOST + INPUTS], one = cmb_constant(f->g, 1), row[MOST];
  int most = 0;
  memcpy(all, f->w, (size_t)n * sizeof *all);
  memcpy(all + n, f->x, sizeof f->x);
  for (int i = 0; i < n * n + n; i++) {
    const bool equation = i < n;
    if (!equation && (i - n) % n == 0) {
      cmbt_ok(f->ctx, cmb_reverse(f->g, n, f->w, 1, &r[(i - n) / n], &one, row));
    }
    cmb_program **p = equation ? &reference.r[i] : &reference.J[i - n];
    const cmb_expr *e = equation ? &r[i] : &row[(i - n) % n];
    cmbt_ok(f->ctx, cmb_program_create(f->ctx, f->g, n + INPUTS, all, 1, e, p));
    if (cmb_program_work(*p) > most) most = cmb_program_work(*p);
  }
  reference.work = malloc(((size_t)most + 1) * sizeof *reference.work);
  assert_non_null(reference.work);
  return reference;
}

static void free_reference(struct reference *reference)
{
  for (int i = 0; i < reference->n; i++) cmb_program_destroy(reference->r[i]);
  for (int i = 0; i < reference->n * reference->n; i++) cmb_program_destroy(reference->J[i]);
  free(reference->work);
}

/* Solves A d = b by Gauss–Jordan elimination with partial pivoting; d replaces b. Returns the smallest pivot. */
static long double eliminate(int n, long double A[MOST][MOST], long double *b)
{
  long double least = INFINITY;
  for (int k = 0; k < n; k++) {
    int best = k;
    for (int i = k; i < n; i++) best = fabsl(A[i][k]) > fabsl(A[best][k]) ? i : best;
    for (int j = 0; j < n; j++) {
      long double a = A[k][j];
      A[k][j] = A[best][j];
      A[best][j] = a;
    }
    long double a = b[k];
    b[k] = b[best];
    b[best] = a;
    least = fminl(least, fabsl(A[k][k]));
    for (int i = 0; i < n; i++) {
      const long double factor = A[i][k] / A[k][k];
      for (int j = 0; i != k && j < n; j++) A[i][j] -= factor * A[k][j];
      if (i != k) b[i] -= factor * b[k];
    }
  }
  for (int k = 0; k < n; k++) b[k] /= A[k][k];
  return least;
}

/* Computes the root at x by Newton's method from w in long double. Returns the smallest pivot of all iterations. */
static long double long_root(const struct reference *reference, const long double *x,
                             long double *w)
{
  const int n = reference->n;
  long double least = INFINITY;
  for (int step = 0; step < 8; step++) {
    long double in[MOST + INPUTS], A[MOST][MOST], b[MOST];
    memcpy(in, w, (size_t)n * sizeof *in);
    memcpy(in + n, x, INPUTS * sizeof *in);
    for (int i = 0; i < n; i++) {
      b[i] = cmbt_long_value(reference->r[i], in, reference->work);
      for (int j = 0; j < n; j++) {
        A[i][j] = cmbt_long_value(reference->J[i * n + j], in, reference->work);
      }
    }
    least = fminl(least, eliminate(n, A, b));
    for (int i = 0; i < n; i++) w[i] -= b[i];
  }
  return least;
}

/* Computes first and second derivatives of the root along a direction by differences of order 6. */
static void differences(const struct reference *reference, const double *at,
                        const double *direction, const double *root, long double *first,
                        long double *second)
{
  static const int weight[] = {0, 45, -9, 1};
  static const long double weights[] = {-49.0L / 18, 1.5L, -0.15L, 1.0L / 90};
  const long double h = 4e-3L;
  for (int i = 0; i < reference->n; i++) first[i] = second[i] = 0;
  for (int k = -3; k <= 3; k++) {
    long double x[INPUTS], w[MOST];
    for (int i = 0; i < INPUTS; i++) x[i] = at[i] + k * h * direction[i];
    for (int i = 0; i < reference->n; i++) w[i] = root[i];
    (void)long_root(reference, x, w);
    for (int i = 0; i < reference->n; i++) {
      first[i] += (k < 0 ? -1 : 1) * weight[abs(k)] * w[i] / (60 * h);
      second[i] += weights[abs(k)] * w[i] / (h * h);
    }
  }
}

/* Adds to w (n) its derivatives ẇ and ẅ along a direction, and both once more as products with gradients by reverse mode. */
static void derivatives(struct fixture *f, int n, cmb_expr *w, const double *direction)
{
  cmb_expr along[INPUTS], one[1] = {cmb_constant(f->g, 1)};
  for (int i = 0; i < INPUTS; i++) along[i] = cmb_constant(f->g, direction[i]);
  cmbt_ok(f->ctx, cmb_forward(f->g, INPUTS, f->x, along, n, w, w + n));
  cmbt_ok(f->ctx, cmb_forward(f->g, INPUTS, f->x, along, n, w + n, w + 2 * n));
  for (int i = 0; i < 2 * n; i++) { /* gradients of w and of ẇ */
    cmb_expr gradient[INPUTS], sum = 0;
    cmbt_ok(f->ctx, cmb_reverse(f->g, INPUTS, f->x, 1, w + i, one, gradient));
    for (int j = 0; j < INPUTS; j++) {
      const cmb_expr part = cmb_apply(f->g, CMB_OP_MUL, gradient[j], along[j], 0);
      sum = cmb_apply(f->g, CMB_OP_ADD, sum, part, 0);
    }
    w[3 * n + i] = sum;
  }
}

/* Returns the largest difference between a random system and its reference, relative to the larger of 1 and the value; −1 if the system is
 * not regular or no root was found. */
static double compare_system(uint64_t seed)
{
  struct fixture *f;
  setup((void **)&f);
  struct cmbt_random r = {seed};
  const int n = (int)(seed % MOST) + 1;
  double x[INPUTS], direction[INPUTS], y[5 * MOST], worst = -1;
  cmb_expr equation[MOST], start[MOST] = {0}, w[5 * MOST];
  cmb_program *p;
  for (int i = 0; i < INPUTS; i++) {
    x[i] = cmbt_random_uniform(&r, -2, 2);
    direction[i] = cmbt_random_uniform(&r, -1, 1);
  }
  cmbt_random_system(&r, f->g, n, f->w, INPUTS, f->x, 20, equation);
  cmbt_ok(f->ctx, cmb_implicit(f->g, n, f->w, equation, start, NULL, w));
  derivatives(f, n, w, direction);
  struct reference reference = reference_of(f, n, equation);
  cmbt_ok(f->ctx, cmb_program_create(f->ctx, f->g, INPUTS, f->x, 5 * n, w, &p));
  double *work = malloc(((size_t)cmb_program_work(p) + 1) * sizeof *work);
  assert_non_null(work);
  cmb_program_run(p, x, y, work);
  long double at[INPUTS], root[MOST], first[MOST], second[MOST];
  for (int i = 0; i < INPUTS; i++) at[i] = x[i];
  for (int i = 0; i < n; i++) root[i] = y[i];
  const bool found = !isnan(y[0]);
  if (found && long_root(&reference, at, root) > 0.5L) {
    worst = 0;
    differences(&reference, x, direction, y, first, second);
    for (int i = 0; i < n; i++) {
      const long double *const expected[] = {root, first, second, first, second};
      for (int k = 0; k < 5; k++) {
        const double by = (double)fmaxl(1, fabsl(expected[k][i]));
        const double off = (double)fabsl(y[k * n + i] - expected[k][i]) / by;
        if (!(off <= worst))
          worst = k == 0 ? 1e7 * off : off; /* the limit 1e-7 means 1e-14 for roots */
      }
    }
  }
  free(work);
  cmb_program_destroy(p);
  free_reference(&reference);
  teardown((void **)&f);
  return worst;
}

static void test_random_systems(void **state)
{
  (void)state;
  const int count = cmbt_count("CAMBER_IMPLICIT", 60);
  int compared = 0, left_out = 0;
  double worst = 0;
  for (uint64_t seed = 0; compared < count; seed++) {
    const double off = compare_system(seed);
    if (off > 1e-7 || isnan(off)) fail_msg("seed %d is off by %g", (int)seed, off);
    compared += off >= 0;
    left_out += off < 0;
    if (off > worst) worst = off;
  }
  print_message("%d systems, %d left out, worst difference %.2g\n", compared, left_out, worst);
  cmbt_below(left_out, 0.05 * count + 3);
}

/* ---- equations without a root */

static void test_no_root(void **state)
{
  struct fixture *f = *state;
  const double nowhere[INPUTS] = {-1, 0, 0, 0}, good[INPUTS] = {4, 0, 0, 0};
  const cmb_expr u = root_of(f, "u^2 - a", "3"), one = cmb_constant(f->g, 1);
  cmb_expr du;
  cmbt_ok(f->ctx, cmb_forward(f->g, 1, f->x, &one, 1, &u, &du));
  assert_true(isnan(value_at(f, u, nowhere)) && isnan(value_at(f, du, nowhere)));
  cmbt_near(value_at(f, u, good), 2, 1e-15);
  assert_true(isnan(value_at(f, root_of(f, "exp(u) + a", "0"), good)));
  const cmb_expr flat = root_of(f, "u^2 - a", "0"); /* the derivative at the start value is 0 */
  assert_true(isnan(value_at(f, flat, good)));
  const double not_finite[INPUTS] = {INFINITY, 0, 0, 0};
  assert_true(isnan(value_at(f, u, not_finite)));
}

/* Checks that the iteration is damped: from u = 20 plain Newton iterations for atan(u) = a diverge. */
static void test_damping(void **state)
{
  struct fixture *f = *state;
  const double x[INPUTS] = {0.5, 20, 0, 0};
  cmbt_near(value_at(f, root_of(f, "atan(u) - a", "b"), x), tan(0.5), 1e-15);
}

/* Checks that a root at 0 of an equation with large terms is found: corrections of the size of rounding count as small. */
static void test_root_at_zero(void **state)
{
  struct fixture *f = *state;
  const double x[INPUTS] = {1, 1 + 1e-16, 0, 0};
  cmbt_near(value_at(f, root_of(f, "(u + a) + sin(u) - b", "0.3"), x), 0, 3e-16);
}

/* Checks that roots much smaller than the usual size have full relative accuracy, and that a missing root is recognised there too. */
static void test_small_roots(void **state)
{
  struct fixture *f = *state;
  const double x[INPUTS] = {1e-16, 0, 0, 0};
  cmbt_near(value_at(f, root_of(f, "u^2 - a", "1e-6"), x), 1e-8, 1e-23);
  assert_true(isnan(value_at(f, root_of(f, "u^2 + a", "1e-6"), x)));
  assert_true(isnan(value_at(f, root_of(f, "u^2 + a", "2e-8"), x)));
  cmbt_near(value_at(f, root_of(f, "u^3 + u*a - a*a", "1e-6"), x), 1e-16, 1e-30);
}

/* ---- equations that are refused */

static void check_refused(struct fixture *f, int n, const char *const *equations, const char *words)
{
  cmb_expr r[MOST], start[MOST] = {0}, w[MOST];
  for (int i = 0; i < n; i++) r[i] = formula(f, equations[i]);
  assert_int_equal(cmb_implicit(f->g, n, f->w, r, start, NULL, w), CMB_ERROR_INPUT);
  if (!strstr(cmb_last_error(f->ctx), words)) {
    fail_msg("the message '%s' does not contain '%s'", cmb_last_error(f->ctx), words);
  }
  cmbt_ok(f->ctx, cmb_graph_status(f->g));
}

#define REFUSED(words, ...)                                                                        \
  do {                                                                                             \
    const char *const all[] = {__VA_ARGS__};                                                       \
    check_refused(f, (int)(sizeof all / sizeof *all), all, words);                                 \
  } while (0)

static void test_refused(void **state)
{
  struct fixture *f = *state;
  REFUSED("the unknown 'u' does not occur", "a - 1");
  REFUSED("the unknown 'v' does not occur", "u - a", "u + a");
  REFUSED("equation 2 has no unknown", "u + v - a", "a - b");
  REFUSED("do not determine the unknowns", "u*a - v", "u - a*v", "u + v + w", "u*v - 1", "r + s",
          "p - 1");
  REFUSED("derivative with respect to 'u' is 0", "smooth(sign(u)) - a");
  REFUSED("'abs' in an equation switches", "abs(u) - a");
  REFUSED("'if' in an equation switches", "u - if(u > a, 1, 2)");
  REFUSED("'max' in an equation switches", "u + max(u, v) - a", "v - b");
  const double x[INPUTS] = {-1, 0, 0, 0};
  cmbt_near(value_at(f, root_of(f, "u - abs(a)*if(a > 0, 2, 3)", "0"), x), 3, 1e-15);
  cmbt_near(value_at(f, root_of(f, "u + smooth(abs(u)) - 4", "1"), x), 2, 1e-15);
}

static void test_wrong_calls(void **state)
{
  struct fixture *f = *state;
  cmb_expr r = formula(f, "u - a"), w;
  const double size = 0;
  assert_int_equal(cmb_implicit(f->g, 0, f->w, &r, &r, NULL, &w), CMB_ERROR_ARGUMENT);
  assert_int_equal(cmb_implicit(f->g, 7, f->w, &r, &r, NULL, &w), CMB_ERROR_ARGUMENT);
  assert_int_equal(cmb_implicit(f->g, 1, &r, &r, &r, NULL, &w), CMB_ERROR_ARGUMENT);
  assert_int_equal(cmb_implicit(f->g, 1, f->w, &r, f->x, &size, &w), CMB_ERROR_ARGUMENT);
  assert_int_equal(cmb_implicit(f->g, 1, f->w, &r, f->x, NULL, NULL), CMB_ERROR_ARGUMENT);
}

/* ---- implicit functions in other parts of the layer */

/* Checks that equal equations are stored as one system, and that equal arguments give the same node. */
static void test_equal_systems(void **state)
{
  struct fixture *f = *state;
  const cmb_expr first = root_of(f, "u^3 + u - a", "0"), again = root_of(f, "u^3 + u - a", "0");
  const cmb_expr other = root_of(f, "u^3 + u - b*c", "0");
  assert_int_equal(first, again);
  assert_int_not_equal(first, other);
  assert_int_equal(f->g->systems_size, 1);
}

/* An equation that contains the root of another one: value and derivative, also after substitution and import. */
static void test_nested_and_moved(void **state)
{
  struct fixture *f = *state;
  const cmb_expr inner = root_of(f, "u^2 - a - v", "1"); /* sqrt(a + v) */
  const cmb_expr r = cmb_apply(f->g, CMB_OP_SUB, inner, formula(f, "v*v - b"), 0);
  const cmb_expr start = cmb_constant(f->g, 2), one = cmb_constant(f->g, 1);
  cmb_expr v, dv, moved[2];
  cmbt_ok(f->ctx, cmb_implicit(f->g, 1, f->w + 1, &r, &start, NULL, &v));
  cmbt_ok(f->ctx, cmb_forward(f->g, 1, f->x, &one, 1, &v, &dv));
  const double x[INPUTS] = {2, 2, 0, 0}; /* sqrt(2 + v) = v² − 2: v = 2 */
  const double slope = 0.25 / (4 - 0.25);
  cmbt_near(value_at(f, v, x), 2, 1e-15);
  cmbt_near(value_at(f, dv, x), slope, 1e-15);
  const cmb_expr both[] = {v, dv}, sum = formula(f, "c + d");
  const double y[INPUTS] = {0, 2, 0.5, 1.5};
  cmbt_ok(f->ctx, cmb_substitute(f->g, 1, f->x, &sum, 2, both, moved));
  cmbt_near(value_at(f, moved[0], y), 2, 1e-15);
  cmbt_near(value_at(f, moved[1], y), slope, 1e-15);
  struct fixture *to;
  setup((void **)&to);
  cmbt_ok(to->ctx, cmb_import(to->g, f->g, 0, NULL, NULL, 2, both, moved));
  cmbt_near(value_at(to, moved[0], x), 2, 1e-15);
  cmbt_near(value_at(to, moved[1], x), slope, 1e-15);
  teardown((void **)&to);
}

/* Checks that the enclosure of a root is always unknown. */
static void test_interval_is_unknown(void **state)
{
  struct fixture *f = *state;
  const cmb_expr u = root_of(f, "u - a", "0");
  cmb_program *p;
  cmbt_ok(f->ctx, cmb_program_create(f->ctx, f->g, INPUTS, f->x, 1, &u, &p));
  cmb_interval in[INPUTS] = {{0, 1}}, out = {0, 0};
  cmb_interval *work = calloc((size_t)cmb_program_work(p) + 1, sizeof *work);
  assert_non_null(work);
  cmb_program_enclose(p, in, &out, work);
  assert_false(cmb_interval_known(out));
  free(work);
  cmb_program_destroy(p);
}

/* Checks that switches in the arguments of an equation become modes, and that the root follows them. */
static void test_modes(void **state)
{
  struct fixture *f = *state;
  const cmb_expr u = root_of(f, "u^3 + u - abs(a)*10", "1");
  cmb_modes *modes;
  cmb_expr frozen;
  cmbt_ok(f->ctx, cmb_modes_create(f->ctx, &modes));
  cmbt_ok(f->ctx, cmb_modes_freeze(modes, f->g, 1, &u, &frozen));
  assert_int_equal(cmb_modes_count(modes), 1);
  const cmb_expr minus = cmb_constant(f->g, -1);
  cmbt_ok(f->ctx,
          cmb_substitute(f->g, 1, &cmb_modes_at(modes, 0)->mode, &minus, 1, &frozen, &frozen));
  const double x[INPUTS] = {-1, 0, 0, 0};
  cmbt_near(value_at(f, frozen, x), 2, 1e-15);
  cmb_modes_destroy(modes);
}

static cmb_status use_implicit_function(cmb_context *ctx)
{
  cmb_graph *g = NULL;
  cmb_program *p = NULL;
  cmb_status status = cmb_graph_create(ctx, &g);
  if (status == CMB_OK) {
    const cmb_expr a = cmb_input(g, "a"), one = cmb_constant(g, 1);
    const cmb_expr w[2] = {cmb_input(g, "u"), cmb_input(g, "v")}, start[2] = {one, a};
    const cmb_expr r[2] = {cmb_apply(g, CMB_OP_SUB, cmb_apply(g, CMB_OP_MUL, w[0], w[1], 0), a, 0),
                           cmb_apply(g, CMB_OP_SUB, w[0], cmb_apply(g, CMB_OP_SIN, w[1], 0, 0), 0)};
    cmb_expr y[4];
    status = cmb_implicit(g, 2, w, r, start, NULL, y);
    if (status == CMB_OK) status = cmb_forward(g, 1, &a, &one, 2, y, y + 2);
    if (status == CMB_OK) status = cmb_program_create(ctx, g, 1, &a, 4, y, &p);
  }
  cmb_program_destroy(p);
  cmb_graph_destroy(g);
  return status;
}

static void test_out_of_memory(void **state)
{
  (void)state;
  cmb_status status = CMB_ERROR_MEMORY;
  long k = 1;
  for (; status != CMB_OK && k < 10000; k++) {
    struct cmbt_allocator memory;
    cmbt_allocator_init(&memory);
    memory.fail_at = k;
    cmb_context *ctx = cmb_context_create(&memory.hook);
    if (!ctx) continue;
    status = use_implicit_function(ctx);
    assert_true(status == CMB_OK || status == CMB_ERROR_MEMORY);
    cmb_context_destroy(ctx);
    assert_int_equal(memory.outstanding, 0);
  }
  assert_in_range(k, 20, 9999);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
  const struct CMUnitTest tests[] = {
      TEST(test_square_root),    TEST(test_kepler),           TEST(test_linear_system),
      TEST(test_random_systems), TEST(test_no_root),          TEST(test_damping),
      TEST(test_root_at_zero),   TEST(test_refused),          TEST(test_wrong_calls),
      TEST(test_equal_systems),  TEST(test_nested_and_moved), TEST(test_interval_is_unknown),
      TEST(test_modes),          TEST(test_small_roots),      TEST(test_out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
