/*
 * Tests of the built-in profiles (rail/built_in.c) against their formulas, written here a second time: S1002 by its polynomials and arcs, UIC60
 * by circles fitted to the points of the Manchester contact benchmark, with five decimals of a millimetre.
 */
#include "check.h"

#include <camber/rail.h>

enum { POINTS = 10000 };

static cmb_profile *open_profile(cmb_context *ctx, const char *name, cmb_profile_kind kind,
                                 double cant)
{
  cmb_profile *p;
  cmbt_ok(ctx, cmb_profile_open(ctx, name, kind, &(cmb_profile_options){.cant = cant}, &p));
  return p;
}

/* Returns u at which the profile has this y, in mm, for a profile whose y ascends. */
static double find_y(const cmb_profile *p, double y)
{
  double low = 0, high = cmb_profile_about(p).length;
  for (int k = 0; k < 100; k++) {
    const double middle = (low + high) / 2;
    if (1e3 * cmb_profile_at(p, middle).y < y)
      low = middle;
    else
      high = middle;
  }
  return low;
}

/* Returns the distance in mm of the point (s, z) from the circle. */
static double from_circle(double s, double z, double s0, double z0, double radius)
{
  return fabs(hypot(s - s0, z - z0) - radius);
}

/* Returns the distance in mm of the point (s, z), z downwards, from the polynomial with n coefficients, by the normal at s. */
static double from_polynomial(double s, double z, int n, const double *c)
{
  double f = 0, df = 0;
  for (int k = n - 1; k >= 0; k--) {
    df = df * s + f;
    f = f * s + c[k];
  }
  return fabs(z - f) / sqrt(1 + df * df);
}

/* Returns the distance in mm of the point (s, z), z downwards, from the formula of S1002 that applies at s. */
static double from_s1002(double s, double z)
{
  static const double A[] = {1.364323640, -0.066666667};
  static const double B[] = {0,
                             -3.358537058e-2,
                             1.565681624e-3,
                             -2.810427944e-5,
                             5.844240864e-8,
                             -1.562379023e-8,
                             5.309217349e-15,
                             -5.957839843e-12,
                             2.646656573e-13};
  static const double C[] = {-4.320221063e3,  -1.038384026e3,  -1.065501873e2,  -6.051367875,
                             -2.054332446e-1, -4.169739389e-3, -4.687195829e-5, -2.252755540e-7};
  static const double E[] = {-93.576667419, -2.747477419};
  if (s > 32.15796) return from_polynomial(s, z, 2, A);
  if (s > -26) return from_polynomial(s, z, 9, B);
  if (s > -35) return from_polynomial(s, z, 8, C);
  if (s > -38.426669071) return from_circle(s, z, -26.210665, 16.446, 13);
  if (s > -39.764473993) return from_polynomial(s, z, 2, E);
  if (s > -49.662510381) return from_circle(s, z, -58.558326413, 8.834924130, 20);
  if (s > -62.764705882) return from_circle(s, z, -55, 16, 12);
  return from_circle(s, z, -49.5, 9.519259302, 20.5);
}

/* Returns the distance in mm of the point (y, z), z downwards, from the head of UIC60. */
static double from_uic60(double y, double z)
{
  y = fabs(y);
  if (y < 10.5) return from_circle(y, z, 0, 300, 300);
  if (y < 25.98804) return from_circle(y, z, 7.7, 80.13479, 80);
  if (z < 14.2597) return from_circle(y, z, 23.01623, 14.90893, 13);
  return fabs(20 * (y - 36) - (z - 14.2597)) / hypot(20, 1);
}

/* 10,000 points of each profile, most of them between the knots, are within 1e-7 m of the formulas. */
static void test_distances(void **unused)
{
  (void)unused;
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_profile *wheel = open_profile(ctx, "S1002", CMB_PROFILE_WHEEL, 0);
  cmb_profile *rail = open_profile(ctx, "UIC60", CMB_PROFILE_RAIL, 0);
  double largest[2] = {0, 0};
  for (int i = 0; i < POINTS; i++) {
    const double t = (i + 0.5) / POINTS;
    const cmb_profile_point w = cmb_profile_at(wheel, t * cmb_profile_about(wheel).length);
    const cmb_profile_point r = cmb_profile_at(rail, t * cmb_profile_about(rail).length);
    largest[0] = fmax(largest[0], from_s1002(1e3 * w.y, -1e3 * w.z));
    largest[1] = fmax(largest[1], from_uic60(1e3 * r.y, -1e3 * r.z));
  }
  print_message("largest distances: S1002 %.3g m, UIC60 %.3g m\n", 1e-3 * largest[0],
                1e-3 * largest[1]);
  cmbt_below(largest[0], 1e-4);
  cmbt_below(largest[1], 1e-4);
  cmb_profile_destroy(wheel);
  cmb_profile_destroy(rail);
  cmb_context_destroy(ctx);
}

/* Published values of S1002, with six decimals. */
static void test_values(void **unused)
{
  (void)unused;
  static const double values[][2] = {{59.9999999, -2.635676}, {20, -0.311765},  {10, -0.208401},
                                     {-10, 0.522759},         {-20, 1.596563},  {-30, 3.921571},
                                     {-36, 7.892117},         {-45, 23.537706}, {-55, 28}};
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_profile *p = open_profile(ctx, "S1002", CMB_PROFILE_WHEEL, 0);
  for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
    const double u = find_y(p, values[i][0]);
    cmbt_near(-1e3 * cmb_profile_at(p, u).z, values[i][1], 1e-4);
  }
  cmbt_near(cmb_profile_at(p, find_y(p, 0)).z, 0, 1e-15);
  const cmb_profile_facts facts = cmb_profile_about(p);
  assert_string_equal(facts.name, "S1002");
  assert_int_equal(facts.kind, CMB_PROFILE_WHEEL);
  cmbt_near(facts.y_min, -0.070, 1e-12);
  cmbt_near(facts.y_max, 0.060, 1e-12);
  assert_true(facts.deviation == 0 && facts.largest_deviation == 0);
  cmb_profile_destroy(p);
  cmb_context_destroy(ctx);
}

/* u is the arc length: |dy, dz| = 1, and the second derivative is normal to the curve, with the curvatures of the arcs. */
static void test_curvature(void **unused)
{
  (void)unused;
  static const double rail[][2] = {
      {0, -1.0 / 300}, {-20, -1.0 / 80}, {30, -1.0 / 13}, {20, -1.0 / 80}};
  static const double wheel[][2] = {
      {-66, 1 / 20.5}, {-55, 1.0 / 12}, {-45, 1.0 / 20}, {-37, -1.0 / 13}, {45, 0}};
  cmb_context *ctx = cmb_context_create(NULL);
  for (int k = 0; k < 2; k++) {
    cmb_profile *p = k == 0 ? open_profile(ctx, "S1002", CMB_PROFILE_WHEEL, 0)
                            : open_profile(ctx, "UIC60", CMB_PROFILE_RAIL, 0);
    double speed = 0;
    for (int i = 0; i <= POINTS; i++) {
      const cmb_profile_point x = cmb_profile_at(p, i * cmb_profile_about(p).length / POINTS);
      speed = fmax(speed, fabs(hypot(x.dy, x.dz) - 1));
    }
    cmbt_below(speed, 3e-6);
    for (int i = 0; i < (k == 0 ? 5 : 4); i++) {
      const double *at = k == 0 ? wheel[i] : rail[i];
      const cmb_profile_point x = cmb_profile_at(p, find_y(p, at[0]));
      cmbt_near(1e-3 * (x.dy * x.ddz - x.dz * x.ddy), at[1], 1e-5);
    }
    cmb_profile_destroy(p);
  }
  cmb_context_destroy(ctx);
}

/* Beside a joint of two arcs of UIC60 the curvature is wrong by less than 3 % of the jump. */
static void test_joints(void **unused)
{
  (void)unused;
  static const double joint[2] = {10.5, 25.98804}, radius[3] = {300, 80, 13};
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_profile *p = open_profile(ctx, "UIC60", CMB_PROFILE_RAIL, 0);
  for (int k = 0; k < 2; k++) {
    const double jump = 1 / radius[k + 1] - 1 / radius[k];
    for (double off = 0.02; off < 1; off += 0.01) {
      const cmb_profile_point a = cmb_profile_at(p, find_y(p, joint[k] - off));
      const cmb_profile_point b = cmb_profile_at(p, find_y(p, joint[k] + off));
      cmbt_near(1e-3 * (a.dz * a.ddy - a.dy * a.ddz), 1 / radius[k], 0.03 * jump);
      cmbt_near(1e-3 * (b.dz * b.ddy - b.dy * b.ddz), 1 / radius[k + 1], 0.03 * jump);
    }
  }
  cmb_profile_destroy(p);
  cmb_context_destroy(ctx);
}

/* A rail that is canted by 1:40 leans to the centre of the track: the crown, an arc of 300 mm, has its highest point at y = 300 mm sin(cant),
 * and the gauge side is lower than the field side. */
static void test_cant(void **unused)
{
  (void)unused;
  const double cant = atan(1.0 / 40);
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_profile *p = open_profile(ctx, "UIC60", CMB_PROFILE_RAIL, cant);
  cmb_profile *upright = open_profile(ctx, "UIC60", CMB_PROFILE_RAIL, 0);
  const cmb_profile_facts facts = cmb_profile_about(p);
  cmbt_near(facts.length, cmb_profile_about(upright).length, 1e-15);
  const cmb_profile_point top = cmb_profile_at(p, find_y(p, 300 * sin(cant)));
  cmbt_near(top.z, 0, 1e-12);
  cmbt_near(top.dz, 0, 1e-6);
  const double lift = 0.3 * (1 - cos(cant)); /* of the highest point by the rotation */
  for (int i = 0; i <= 100; i++) {
    const double u = i * facts.length / 100;
    const cmb_profile_point a = cmb_profile_at(upright, u), b = cmb_profile_at(p, u);
    cmbt_near(b.y, cos(cant) * a.y - sin(cant) * a.z, 1e-8);
    cmbt_near(b.z, sin(cant) * a.y + cos(cant) * a.z - lift, 1e-8);
  }
  assert_true(cmb_profile_at(p, 0).z < cmb_profile_at(p, facts.length).z);
  cmb_profile_destroy(p);
  cmb_profile_destroy(upright);
  cmb_context_destroy(ctx);
}

static void test_names(void **unused)
{
  (void)unused;
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_profile *p = NULL;
  cmb_profile_kind kind;
  assert_string_equal(cmb_profile_built_in(0, &kind), "S1002");
  assert_int_equal(kind, CMB_PROFILE_WHEEL);
  assert_string_equal(cmb_profile_built_in(1, NULL), "UIC60");
  assert_null(cmb_profile_built_in(2, NULL));
  assert_null(cmb_profile_built_in(-1, NULL));
  assert_int_equal(cmb_profile_open(ctx, "S1002", CMB_PROFILE_RAIL, NULL, &p), CMB_ERROR_INPUT);
  assert_string_equal(cmb_last_error(ctx),
                      "S1002 is the profile of a wheel; expected that of a rail");
  assert_int_equal(cmb_profile_open(ctx, "UIC6O", CMB_PROFILE_RAIL, NULL, &p), CMB_ERROR_INPUT);
  assert_string_equal(cmb_last_error(ctx),
                      "'UIC6O' is neither a built-in profile nor the name of a "
                      "file with an ending; did you mean 'UIC60'?");
  assert_int_equal(cmb_profile_open(ctx, "no/such.ban", CMB_PROFILE_RAIL, NULL, &p), CMB_ERROR_IO);
  assert_null(p);
  cmb_profile_destroy(NULL);
  cmb_context_destroy(ctx);
}

/* Beyond its ends a profile goes on along its tangents. */
static void test_continuation(void **unused)
{
  (void)unused;
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_profile *p = open_profile(ctx, "S1002", CMB_PROFILE_WHEEL, 0);
  const double length = cmb_profile_about(p).length;
  const cmb_profile_point last = cmb_profile_at(p, length), x = cmb_profile_at(p, length + 0.01);
  cmbt_near(x.y, last.y + 0.01 * last.dy, 1e-15);
  cmbt_near(x.z, last.z + 0.01 * last.dz, 1e-15);
  assert_true(x.dy == last.dy && x.dz == last.dz && x.ddy == 0 && x.ddz == 0);
  const cmb_profile_point first = cmb_profile_at(p, 0), y = cmb_profile_at(p, -0.01);
  cmbt_near(y.y, first.y - 0.01 * first.dy, 1e-15);
  cmbt_near(y.z, first.z - 0.01 * first.dz, 1e-15);
  cmb_profile_destroy(p);
  cmb_context_destroy(ctx);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_distances),   cmocka_unit_test(test_values),
      cmocka_unit_test(test_curvature),   cmocka_unit_test(test_joints),
      cmocka_unit_test(test_cant),        cmocka_unit_test(test_names),
      cmocka_unit_test(test_continuation)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
