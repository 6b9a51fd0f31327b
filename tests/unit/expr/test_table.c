/*
 * Tests of tables, sums of waves and C functions (expr/table.h): they pass through their points, are exact for the polynomials for which
 * they should be, have the stated smoothness, and their derivatives agree with differences.
 */
#include "check.h"
#include "random.h"

#include "expr/table.h"

#include <camber/camber.h>
#include <stdlib.h>
#include <string.h>

enum { N = 9 };

static const double X[N] = {-2, -1.5, -0.5, 0, 0.25, 1, 1.75, 2, 3};

static cmb_table *table_of(cmb_context *ctx, cmb_table_kind kind, double (*f)(double))
{
  double y[N];
  cmb_table *t;
  for (int i = 0; i < N; i++) y[i] = f(X[i]);
  cmbt_ok(ctx, cmb_table_create(ctx, kind, N, X, y, &t));
  return t;
}

static double straight(double x)
{
  return 3 - 2 * x;
}

static double wavy(double x)
{
  return sin(2 * x) + x;
}

static double step(double x)
{
  return x < 0.1 ? 0 : 1;
}

static void test_points_and_lines(void **state)
{
  (void)state;
  cmb_context *ctx = cmb_context_create(NULL);
  for (int kind = CMB_TABLE_LINEAR; kind <= CMB_TABLE_AKIMA; kind++) {
    cmb_table *t = table_of(ctx, (cmb_table_kind)kind, wavy),
              *s = table_of(ctx, (cmb_table_kind)kind, straight);
    for (int i = 0; i < N; i++) cmbt_near(cmb_table_value(t, 0, X[i]), wavy(X[i]), 1e-14);
    for (double x = -5; x < 6; x += 0.1) { /* straight lines are exact, beyond the ends too */
      cmbt_near(cmb_table_value(s, 0, x), straight(x), 1e-13);
      cmbt_near(cmb_table_value(s, 1, x), -2, 1e-13);
    }
    cmb_table_destroy(t);
    cmb_table_destroy(s);
  }
  cmb_context_destroy(ctx);
}

/* Compares derivatives with differences, and checks continuity at the points up to the order stated for each kind. */
static void test_smoothness(void **state)
{
  (void)state;
  static const int continuous[] = {0, 2, 1}; /* linear, spline, akima */
  cmb_context *ctx = cmb_context_create(NULL);
  for (int kind = CMB_TABLE_LINEAR; kind <= CMB_TABLE_AKIMA; kind++) {
    cmb_table *t = table_of(ctx, (cmb_table_kind)kind, wavy);
    for (int i = 0; i < N; i++) {
      for (int order = 0; order <= continuous[kind]; order++) {
        double before = cmb_table_value(t, order, X[i] - 1e-9),
               after = cmb_table_value(t, order, X[i] + 1e-9);
        cmbt_near(after, before, 1e-6);
      }
    }
    for (double x = -2.4; x < 3.4; x += 0.0731) {
      for (int order = 0; order < 3; order++) {
        double h = 1e-5,
               d = (cmb_table_value(t, order, x + h) - cmb_table_value(t, order, x - h)) / (2 * h);
        cmbt_near(cmb_table_value(t, order + 1, x), d, 1e-4);
      }
    }
    cmb_table_destroy(t);
  }
  cmb_context_destroy(ctx);
}

/* Compares a natural spline through three points with its closed form; checks that Akima's does not overshoot next to a step. */
static void test_kinds(void **state)
{
  (void)state;
  cmb_context *ctx = cmb_context_create(NULL);
  const double x[3] = {0, 1, 2}, y[3] = {0, 1, 0}; /* on [0, 1] the spline is (3 x − x³)/2 */
  cmb_table *spline, *akima = table_of(ctx, CMB_TABLE_AKIMA, step);
  cmbt_ok(ctx, cmb_table_create(ctx, CMB_TABLE_SPLINE, 3, x, y, &spline));
  for (double u = 0; u <= 1; u += 0.1)
    cmbt_near(cmb_table_value(spline, 0, u), (3 * u - u * u * u) / 2, 1e-14);
  for (double u = -2; u <= 3; u += 0.01) {
    cmbt_below(cmb_table_value(akima, 0, u), 1 + 1e-12);
    cmbt_below(-cmb_table_value(akima, 0, u), 1e-12);
  }
  cmb_table_destroy(spline);
  cmb_table_destroy(akima);
  cmb_context_destroy(ctx);
}

static double plane(double x, double y)
{
  return 1 + 2 * x - 3 * y + 0.5 * x * y;
}

static void test_surface(void **state)
{
  (void)state;
  cmb_context *ctx = cmb_context_create(NULL);
  const double y[4] = {-1, 0, 0.5, 2};
  double f[N * 4], wave[N * 4];
  cmb_table *t, *w;
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < 4; j++)
      f[i * 4 + j] = plane(X[i], y[j]), wave[i * 4 + j] = sin(X[i]) * cos(y[j]);
  }
  cmbt_ok(ctx, cmb_table2_create(ctx, N, X, 4, y, f, &t));
  cmbt_ok(ctx, cmb_table2_create(ctx, N, X, 4, y, wave, &w));
  for (double u = -2; u <= 3; u += 0.13) {
    for (double v = -1; v <= 2; v += 0.17) { /* bilinear functions are exact */
      cmbt_near(cmb_table2_value(t, 0, 0, u, v), plane(u, v), 1e-12);
      cmbt_near(cmb_table2_value(t, 1, 0, u, v), 2 + 0.5 * v, 1e-12);
      cmbt_near(cmb_table2_value(t, 0, 1, u, v), -3 + 0.5 * u, 1e-12);
      cmbt_near(cmb_table2_value(t, 1, 1, u, v), 0.5, 1e-12);
      double h = 1e-5;
      double dx =
          (cmb_table2_value(w, 0, 1, u + h, v) - cmb_table2_value(w, 0, 1, u - h, v)) / (2 * h);
      if (u > -1.9 && u < 2.9) cmbt_near(cmb_table2_value(w, 1, 1, u, v), dx, 1e-4);
    }
  }
  for (int i = 0; i < N; i++)
    cmbt_near(cmb_table2_value(w, 0, 0, X[i], 0.5), wave[i * 4 + 2], 1e-14);
  cmbt_near(cmb_table2_value(t, 0, 0, 100, 100), plane(3, 2), 1e-12);
  assert_true(cmb_table2_value(t, 1, 0, 100, 0) == 0);
  cmb_table_destroy(t);
  cmb_table_destroy(w);
  cmb_context_destroy(ctx);
}

static double product(const void *user, const double *x)
{
  return *(const double *)user * x[0] * x[0] * x[1];
}

static double product_partial(const void *user, const double *x, int i)
{
  return *(const double *)user * (i == 0 ? 2 * x[0] * x[1] : x[0] * x[0]);
}

static double value_of(cmb_context *ctx, cmb_graph *g, int inputs, const cmb_expr *x, cmb_expr e,
                       const double *in)
{
  double work[64], out;
  cmb_program *p;
  cmbt_ok(ctx, cmb_program_create(ctx, g, inputs, x, 1, &e, &p));
  cmb_program_run(p, in, &out, work);
  cmb_program_destroy(p);
  return out;
}

/* Checks value and derivatives of 3 x² y as a C function, with tolerances of the first and second derivative. */
static void check_external(const cmb_external *f, double first, double second)
{
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_graph *g;
  cmbt_ok(ctx, cmb_graph_create(ctx, &g));
  cmb_expr x[2] = {cmb_input(g, "x"), cmb_input(g, "y")}, one = cmb_constant(g, 1);
  cmb_expr e = cmb_external_apply(g, f, x), dx, dxy;
  const double in[2] = {1.5, -2};
  cmbt_ok(ctx, cmb_forward(g, 1, &x[0], &one, 1, &e, &dx));
  cmbt_ok(ctx, cmb_forward(g, 1, &x[1], &one, 1, &dx, &dxy));
  cmbt_near(value_of(ctx, g, 2, x, e, in), 3 * 2.25 * -2, 1e-14);
  cmbt_near(value_of(ctx, g, 2, x, dx, in), 3 * 2 * 1.5 * -2, first);
  cmbt_near(value_of(ctx, g, 2, x, dxy, in), 3 * 2 * 1.5, second);
  cmb_graph_destroy(g);
  cmb_context_destroy(ctx);
}

static void test_external(void **state)
{
  (void)state;
  const double three = 3;
  const cmb_external with = {"product", 2, product, product_partial, &three};
  const cmb_external without = {"product", 2, product, NULL, &three};
  check_external(&with, 1e-14, 1e-9);
  check_external(&without, 1e-8, 1e-4);
}

static double cubic(const void *user, const double *x)
{
  (void)user;
  return x[0] * x[1] * x[1] * x[2] * x[2] * x[2];
}

/* Checks all first and second derivatives of x y² z³ as a C function without partial derivatives, in both orders, and the third ones along
 * one axis. */
static void test_external_differences(void **state)
{
  (void)state;
  const cmb_external f = {"cubic", 3, cubic, NULL, NULL};
  const double in[3] = {2, 3, 0.5}, x = in[0], y = in[1], z = in[2];
  const double first[3] = {y * y * z * z * z, 2 * x * y * z * z * z, 3 * x * y * y * z * z};
  const double xy = 2 * y * z * z * z, xz = 3 * y * y * z * z, yz = 6 * x * y * z * z;
  const double second[3][3] = {
      {0, xy, xz}, {xy, 2 * x * z * z * z, yz}, {xz, yz, 6 * x * y * y * z}};
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_graph *g;
  cmbt_ok(ctx, cmb_graph_create(ctx, &g));
  cmb_expr at[3] = {cmb_input(g, "x"), cmb_input(g, "y"), cmb_input(g, "z")};
  cmb_expr e = cmb_external_apply(g, &f, at), one = cmb_constant(g, 1), d, dd, ddd;
  for (int i = 0; i < 3; i++) {
    cmbt_ok(ctx, cmb_forward(g, 1, &at[i], &one, 1, &e, &d));
    cmbt_near(value_of(ctx, g, 3, at, d, in), first[i], 1e-8);
    for (int j = 0; j < 3; j++) {
      cmbt_ok(ctx, cmb_forward(g, 1, &at[j], &one, 1, &d, &dd));
      cmbt_near(value_of(ctx, g, 3, at, dd, in), second[i][j], 1e-6);
      if (i != j) continue;
      cmbt_ok(ctx, cmb_forward(g, 1, &at[i], &one, 1, &dd, &ddd));
      cmbt_near(value_of(ctx, g, 3, at, ddd, in), i == 2 ? 6 * x * y * y : 0, 1e-4);
    }
  }
  cmb_graph_destroy(g);
  cmb_context_destroy(ctx);
}

static void test_bad_tables(void **state)
{
  (void)state;
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_table *t;
  const double up[3] = {0, 1, 2}, down[3] = {0, 2, 1}, bad[3] = {0, NAN, 1};
  assert_int_equal(cmb_table_create(ctx, CMB_TABLE_LINEAR, 1, up, up, &t), CMB_ERROR_INPUT);
  assert_int_equal(cmb_table_create(ctx, CMB_TABLE_LINEAR, 3, down, up, &t), CMB_ERROR_INPUT);
  assert_non_null(strstr(cmb_last_error(ctx), "point 3"));
  assert_int_equal(cmb_table_create(ctx, CMB_TABLE_LINEAR, 3, up, bad, &t), CMB_ERROR_INPUT);
  assert_int_equal(cmb_table2_create(ctx, 3, up, 1, up, up, &t), CMB_ERROR_INPUT);
  assert_null(t);
  cmb_context_destroy(ctx);
}

/* ---- sums of waves */

enum { WAVES = 31, PLACES = 400 };

static cmb_table *some_waves(cmb_context *ctx, struct cmbt_random *r, cmb_wave *w)
{
  cmb_table *t;
  for (int i = 0; i < WAVES; i++) {
    w[i] = (cmb_wave){cmbt_random_uniform(r, -1, 1), cmbt_random_uniform(r, -3, 3),
                      cmbt_random_uniform(r, -1, 1), cmbt_random_uniform(r, -1, 1)};
  }
  cmbt_ok(ctx, cmb_waves_create(ctx, WAVES, w, &t));
  return t;
}

/* Returns a derivative of the sum of waves in long double. Sets *size to the sum of the amplitudes, each times 1 plus the terms of its
 * angle: rounding errors grow with the angle. */
static long double waves_exactly(const cmb_wave *w, int dx, int dy, long double x, long double y,
                                 long double *size)
{
  const long double turn = 6.283185307179586476925286766559L;
  long double sum = 0;
  *size = 0;
  for (int i = 0; i < WAVES; i++) {
    const long double u = w[i].along, v = w[i].across;
    const long double a = w[i].amplitude * powl(turn * u, dx) * powl(turn * v, dy);
    const long double angle = u * x + v * y + w[i].phase;
    sum += a * sinl(turn * (angle - rintl(angle)) + (dx + dy) * turn / 4);
    *size += fabsl(a) * (1 + fabsl(u * x) + fabsl(v * y));
  }
  return sum;
}

static void test_waves(void **state)
{
  (void)state;
  struct cmbt_random r = {11};
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_wave w[WAVES];
  cmb_table *t = some_waves(ctx, &r, w);
  for (int k = 0; k < PLACES; k++) {
    const double far = k % 4 == 0 ? 1e5 : 3;
    const double x = cmbt_random_uniform(&r, -far, far), y = cmbt_random_uniform(&r, -far, far);
    for (int order = 0; order < 20; order++) {
      long double size;
      const int dx = order % 5, dy = order / 5;
      const long double exact = waves_exactly(w, dx, dy, (long double)x, (long double)y, &size);
      const long double value = (long double)cmb_table2_value(t, dx, dy, x, y);
      assert_true(fabsl(value - exact) <= 2e-15L * size);
    }
  }
  assert_true(isnan(cmb_table2_value(t, 0, 0, 1e9, 0)));
  assert_true(isnan(cmb_table2_value(t, 0, 0, 0, INFINITY)));
  assert_true(isnan(cmb_table2_value(t, 1, 0, NAN, 0)));
  cmb_table_destroy(t);
  cmb_context_destroy(ctx);
}

/* A single wave whose angle is exact: compares with the sine, up to one or two roundings. */
static void test_one_wave(void **state)
{
  (void)state;
  cmb_context *ctx = cmb_context_create(NULL);
  const cmb_wave w = {1, 1, 0, 0};
  cmb_table *t;
  cmbt_ok(ctx, cmb_waves_create(ctx, 1, &w, &t));
  for (int k = -4096; k <= 4096; k++) {
    const double x = k / 4096.0 * 0.75;
    const long double exact = sinl(6.283185307179586476925286766559L * (long double)x);
    assert_true(fabsl((long double)cmb_table2_value(t, 0, 0, x, 0) - exact) <= 3e-16L);
  }
  cmb_table_destroy(t);
  cmb_context_destroy(ctx);
}

/* Checks a derivative of order 7 in the graph, and that too many derivatives are refused. */
static void test_wave_derivatives(void **state)
{
  (void)state;
  struct cmbt_random r = {12};
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_wave w[WAVES];
  cmb_table *t = some_waves(ctx, &r, w);
  cmb_graph *g;
  cmb_program *p;
  cmbt_ok(ctx, cmb_graph_create(ctx, &g));
  const cmb_expr x[2] = {cmb_input(g, "x"), cmb_input(g, "y")}, one = cmb_constant(g, 1);
  cmb_expr e = cmb_table2_apply(g, t, x[0], x[1]);
  for (int k = 0; k < 7; k++) cmbt_ok(ctx, cmb_forward(g, 1, &x[k % 3 == 2], &one, 1, &e, &e));
  cmbt_ok(ctx, cmb_program_create(ctx, g, 2, x, 1, &e, &p));
  double in[2] = {0.3, -0.7}, out, *work = malloc(sizeof *work * (size_t)cmb_program_work(p));
  long double size;
  cmb_program_run(p, in, &out, work);
  const long double exact = waves_exactly(w, 5, 2, (long double)in[0], (long double)in[1], &size);
  assert_true(fabsl((long double)out - exact) <= 2e-15L * size);
  for (int k = 0; k < 11; k++) (void)cmb_forward(g, 1, x, &one, 1, &e, &e); /* too high an order */
  assert_int_not_equal(cmb_graph_status(g), CMB_OK);
  free(work);
  cmb_program_destroy(p);
  cmb_graph_destroy(g);
  cmb_table_destroy(t);
  cmb_context_destroy(ctx);
}

static void test_wrong_waves(void **state)
{
  (void)state;
  cmb_context *ctx = cmb_context_create(NULL);
  const cmb_wave wrong[] = {{NAN, 1, 1, 0}, {1, INFINITY, 1, 0}, {1, 1, NAN, 0}, {1, 1, 1, 2}};
  cmb_table *t;
  for (int i = 0; i < 4; i++) {
    assert_int_equal(cmb_waves_create(ctx, 1, &wrong[i], &t), CMB_ERROR_INPUT);
    assert_null(t);
  }
  assert_int_equal(cmb_waves_create(ctx, 0, wrong, &t), CMB_ERROR_INPUT);
  assert_int_equal(cmb_waves_create(ctx, 1, NULL, &t), CMB_ERROR_ARGUMENT);
  cmb_context_destroy(ctx);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_points_and_lines),
      cmocka_unit_test(test_smoothness),
      cmocka_unit_test(test_kinds),
      cmocka_unit_test(test_surface),
      cmocka_unit_test(test_external),
      cmocka_unit_test(test_external_differences),
      cmocka_unit_test(test_bad_tables),
      cmocka_unit_test(test_waves),
      cmocka_unit_test(test_one_wave),
      cmocka_unit_test(test_wave_derivatives),
      cmocka_unit_test(test_wrong_waves),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
