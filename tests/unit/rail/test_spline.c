/*
 * Tests of the smoothing spline (rail/spline.h): its order of convergence, that it solves its minimisation problem, and what it makes of noisy
 * points.
 */
#include "check.h"
#include "rail/spline.h"
#include "random.h"

#include <stdlib.h>
#include <string.h>

static const double PI = 3.14159265358979323846;
enum { MOST = 2001 };

/* A spline with memory for up to MOST knots. */
struct room {
  cmb_context *ctx;
  cmb_spline s;
  double y[MOST], z[MOST], u[MOST], sy[MOST], sz[MOST], yy[MOST], zz[MOST];
};

static struct room *make_room(int n)
{
  struct room *r = calloc(1, sizeof *r);
  assert_non_null(r);
  r->ctx = cmb_context_create(NULL);
  r->s = (cmb_spline){.n = n, .u = r->u, .y = r->sy, .z = r->sz, .yy = r->yy, .zz = r->zz};
  return r;
}

static void free_room(struct room *r)
{
  cmb_context_destroy(r->ctx);
  free(r);
}

static double value(const cmb_spline *s, const double *f, const double *m, double u, int order)
{
  const int i = cmb_spline_interval(s->n, s->u, u);
  const double h = s->u[i + 1] - s->u[i];
  const cmb_spline_value v = cmb_spline_cubic(h, (u - s->u[i]) / h, f[i], f[i + 1], m[i], m[i + 1]);
  return order == 0 ? v.f : order == 1 ? v.df : v.ddf;
}

/* Measures the largest error of a spline through n points of z = sin y, 0 <= y <= π, whose curvature is 0 at both ends: *position is the
 * vertical distance, *speed the error of the unit speed, and *length that of the arc length. */
static void errors_of_sine(int n, double *position, double *speed, double *length)
{
  struct room *r = make_room(n);
  const cmb_spline *s = &r->s;
  for (int i = 0; i < n; i++) {
    r->y[i] = PI * (i + 0.2 * sin(2 * PI * i / (n - 1))) / (n - 1); /* unevenly spaced */
    r->z[i] = sin(r->y[i]);
  }
  assert_int_equal(cmb_spline_fit(r->ctx, r->y, r->z, 0, &r->s), CMB_OK);
  *position = *speed = 0;
  for (int k = 0; k <= 5000; k++) {
    const double u = s->u[n - 1] * k / 5000;
    const double y = value(s, s->y, s->yy, u, 0), z = value(s, s->z, s->zz, u, 0);
    *position = fmax(*position, fabs(z - sin(y)));
    *speed =
        fmax(*speed, fabs(hypot(value(s, s->y, s->yy, u, 1), value(s, s->z, s->zz, u, 1)) - 1));
  }
  *length = fabs(s->u[n - 1] - 3.8201977890277123); /* 2 √2 E(1/2) */
  free_room(r);
}

static void test_order(void **unused)
{
  (void)unused;
  double position[3], speed[3], length[3];
  for (int k = 0; k < 3; k++) {
    errors_of_sine((40 << k) + 1, &position[k], &speed[k], &length[k]);
  }
  for (int k = 0; k < 2; k++) {
    cmbt_near(log2(position[k] / position[k + 1]), 4, 0.2);
    cmbt_near(log2(speed[k] / speed[k + 1]), 3, 0.3);
    assert_true(log2(length[k] / length[k + 1]) > 3.7);
  }
  cmbt_below(position[2], 1e-7);
}

/* Interpolation passes through all points, and both derivatives are continuous. */
static void test_interpolation(void **unused)
{
  (void)unused;
  struct room *r = make_room(60);
  const cmb_spline *s = &r->s;
  struct cmbt_random random = {1};
  for (int i = 0; i < s->n; i++) {
    r->y[i] = i + cmbt_random_uniform(&random, -0.3, 0.3);
    r->z[i] = cmbt_random_uniform(&random, -1, 1);
  }
  assert_int_equal(cmb_spline_fit(r->ctx, r->y, r->z, 0, &r->s), CMB_OK);
  for (int i = 0; i < s->n; i++) {
    assert_true(s->y[i] == r->y[i] && s->z[i] == r->z[i]);
  }
  for (int i = 1; i < s->n - 1; i++) {
    const double h0 = s->u[i] - s->u[i - 1], h1 = s->u[i + 1] - s->u[i];
    const cmb_spline_value a =
        cmb_spline_cubic(h0, 1, s->z[i - 1], s->z[i], s->zz[i - 1], s->zz[i]);
    const cmb_spline_value b =
        cmb_spline_cubic(h1, 0, s->z[i], s->z[i + 1], s->zz[i], s->zz[i + 1]);
    cmbt_near(a.f, b.f, 1e-14);
    cmbt_near(a.df, b.df, 1e-12);
    cmbt_near(a.ddf, b.ddf, 1e-12);
  }
  assert_true(s->yy[0] == 0 && s->yy[s->n - 1] == 0 && s->zz[0] == 0 && s->zz[s->n - 1] == 0);
  free_room(r);
}

/* Points on the sine with independent errors of the given standard deviation in both coordinates. */
static void make_noisy(struct room *r, double deviation, uint64_t seed)
{
  struct cmbt_random random = {seed};
  const double width = deviation * sqrt(12.0); /* of a uniform distribution */
  for (int i = 0; i < r->s.n; i++) {
    const double y = PI * i / (r->s.n - 1);
    r->y[i] = y + cmbt_random_uniform(&random, -width / 2, width / 2);
    r->z[i] = sin(y) + cmbt_random_uniform(&random, -width / 2, width / 2);
  }
}

/* The minimum of ∫|c''|² + 1/α Σ|p_i − c(u_i)|² is characterised by p_i − c(u_i) = α (jump of c''' at u_i), with c''' = 0 beyond the ends. This
 * holds for both coordinates with one α > 0, and the root mean square of the distances is the tolerance. */
static void test_minimum(void **unused)
{
  (void)unused;
  static const double tolerances[] = {1e-5, 1e-3, 0.02};
  for (int k = 0; k < 3; k++) {
    struct room *r = make_room(150);
    const cmb_spline *s = &r->s;
    double numerator = 0, denominator = 0, sum = 0, misfit = 0;
    make_noisy(r, 1e-3, 3);
    assert_int_equal(cmb_spline_fit(r->ctx, r->y, r->z, tolerances[k], &r->s), CMB_OK);
    for (int pass = 0; pass < 2; pass++) { /* the best α, then how well it fits */
      const double alpha = numerator / denominator;
      for (int i = 0; i < s->n; i++) {
        for (int c = 0; c < 2; c++) {
          const double *m = c == 0 ? s->yy : s->zz;
          const double left = i > 0 ? (m[i] - m[i - 1]) / (s->u[i] - s->u[i - 1]) : 0;
          const double right = i < s->n - 1 ? (m[i + 1] - m[i]) / (s->u[i + 1] - s->u[i]) : 0;
          const double jump = right - left;
          const double residual = c == 0 ? r->y[i] - s->y[i] : r->z[i] - s->z[i];
          if (pass == 0) {
            numerator += residual * jump;
            denominator += jump * jump;
            sum += residual * residual;
          } else {
            misfit = fmax(misfit, fabs(residual - alpha * jump));
          }
        }
      }
    }
    assert_true(numerator > 0);
    cmbt_near(sqrt(sum / s->n), tolerances[k], 1e-8 * tolerances[k]);
    cmbt_below(misfit, 1e-4 * tolerances[k]);
    free_room(r);
  }
}

/* With the known level of noise in one direction as the tolerance, since knots follow errors along the curve, the spline is several times
 * nearer to the curve than the points are, and its curvature is near that of the curve, while that of the interpolating spline is meaningless. */
static void test_noise(void **unused)
{
  (void)unused;
  const double deviation = 1e-3;
  for (uint64_t seed = 10; seed < 20; seed++) {
    double error[2] = {0, 0}, curvature[2] = {0, 0};
    for (int k = 0; k < 2; k++) {
      struct room *r = make_room(1001);
      const cmb_spline *s = &r->s;
      make_noisy(r, deviation, seed);
      const double tolerance = k == 0 ? 0 : deviation;
      assert_int_equal(cmb_spline_fit(r->ctx, r->y, r->z, tolerance, &r->s), CMB_OK);
      double sum = 0, sum2 = 0;
      for (int i = 0; i < 1000; i++) {
        const double u = s->u[s->n - 1] * (i + 0.5) / 1000;
        const double y = value(s, s->y, s->yy, u, 0), z = value(s, s->z, s->zz, u, 0);
        const double dy = value(s, s->y, s->yy, u, 1), dz = value(s, s->z, s->zz, u, 1);
        const double ddy = value(s, s->y, s->yy, u, 2), ddz = value(s, s->z, s->zz, u, 2);
        const double slope = cos(y), bent = (dy * ddz - dz * ddy) / pow(hypot(dy, dz), 3);
        const double off = (z - sin(y)) / sqrt(1 + slope * slope);
        const double wrong = bent + sin(y) / pow(1 + slope * slope, 1.5);
        sum += off * off / 1000;
        sum2 += wrong * wrong / 1000;
      }
      error[k] = sqrt(sum);
      curvature[k] = sqrt(sum2);
      free_room(r);
    }
    cmbt_below(error[1], 0.35 * deviation);
    cmbt_below(curvature[1], 0.7);
    assert_true(curvature[0] > 10);
  }
}

/* Within a large tolerance lies a straight line, which is then the smoothest curve. A smaller tolerance is reached exactly. */
static void test_straight(void **unused)
{
  (void)unused;
  static const double tolerances[] = {0.0032, 0.0028}; /* the best straight line has about 0.0031 */
  for (int k = 0; k < 2; k++) {
    struct room *r = make_room(101);
    double sum = 0, bent = 0;
    for (int i = 0; i < r->s.n; i++) {
      r->y[i] = 0.01 * i;
      r->z[i] = 0.01 * sin(PI * r->y[i]); /* with second derivatives up to 0.1 */
    }
    assert_int_equal(cmb_spline_fit(r->ctx, r->y, r->z, tolerances[k], &r->s), CMB_OK);
    for (int i = 0; i < r->s.n; i++) {
      const double y = r->y[i] - r->s.y[i], z = r->z[i] - r->s.z[i];
      sum += (y * y + z * z) / r->s.n;
      bent = fmax(bent, fabs(r->s.zz[i]));
    }
    if (k == 0)
      cmbt_below(bent, 1e-3);
    else
      cmbt_near(sqrt(sum), tolerances[k], 1e-10);
    cmbt_below(sqrt(sum), tolerances[k] * (1 + 1e-9));
    free_room(r);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_order),
                                     cmocka_unit_test(test_interpolation),
                                     cmocka_unit_test(test_minimum), cmocka_unit_test(test_noise),
                                     cmocka_unit_test(test_straight)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
