/*
 * S1002 on UIC60 with a cant of 1:40, gauge 1435 mm, flange backs 1360 mm apart, wheel radius 460 mm: contact points and angles against results of the
 * program CONTACT (case of the Manchester contact benchmark, by E.A.H. Vollebregt), and the equivalent conicity against a computation from the
 * formulas of both profiles.
 *
 * In CONTACT the wheels carry 10 kN and penetrate the rails by 0.016 to 0.066 mm; its contact point is the mean over the region of penetration. At the
 * heights and roll angles of that program, the mean of Camber is within 0.1 mm and 0.002 rad in all rows, the greatest differences being 0.02 mm
 * and 0.0004 rad where the roll angle is known. It is not known for y = 1 and 6 mm, where the roll angle is that of rigid contact.
 *
 * The contact point of a rigid wheelset has no reason to be there. In most rows it is within the same limits, and otherwise (`rigid` false) because
 *
 *   0 mm    the surfaces nearly coincide on 18 mm, and the wheel nearly touches at a second point, 12 mm farther in;
 *   1 mm    the same on 11 and 9 mm, as the wheel has just left that second point on the left, and moved to it on the right;
 *   2.5 mm  left: a region of 9 mm over which the curvature of the wheel changes by its own size;
 *   5 mm    right: the wheel has just jumped to the flange root, and still penetrates at its former contact point, 11 mm farther out;
 *   6 mm    right: 0.004 rad, the curvature of the wheel changes much in the region.
 */
#include "check.h"

#include <camber/rail.h>

static cmb_profile *wheel, *rail;
static cmb_context *ctx;
static cmb_contact_geometry *geometry;

static int begin(void **state)
{
  (void)state;
  const cmb_profile_options canted = {.cant = atan(1.0 / 40)};
  ctx = cmb_context_create(NULL);
  if (!ctx || cmb_profile_open(ctx, "S1002", CMB_PROFILE_WHEEL, NULL, &wheel) != CMB_OK ||
      cmb_profile_open(ctx, "UIC60", CMB_PROFILE_RAIL, &canted, &rail) != CMB_OK)
    return -1;
  const cmb_wheelset set = {.wheel = {wheel, wheel},
                            .rail = {rail, rail},
                            .radius = 0.460,
                            .back_to_back = 1.360,
                            .gauge = 1.435};
  return cmb_contact_geometry_create(ctx, &set, &geometry) == CMB_OK ? 0 : -1;
}

static int end(void **state)
{
  (void)state;
  cmb_contact_geometry_destroy(geometry);
  cmb_profile_destroy(wheel);
  cmb_profile_destroy(rail);
  cmb_context_destroy(ctx);
  return 0;
}

/* Rows of CONTACT, in which y points to the right: the right wheel, with the flange contact, is our left one. z: how far the wheelset is below its
 * position with the tape lines at the height of the rails, the mean of both wheels' tables; roll in rad, NaN: not in the tables. */
static const struct row {
  double y, z, roll;
  struct {
    double y, angle;
    bool rigid; /* whether rigid contact is within the limits */
  } flange, other;
} rows[] = {
    {0, 0.1981, 0, {751.8726, 0.0290, false}, {751.8726, 0.0290, false}},
    {1, 0.18395, NAN, {741.9908, 0.0696, false}, {755.2440, 0.0176, false}},
    {2.5, 0.13455, 1.457e-4, {740.4620, 0.0862, true}, {756.9177, 0.0121, false}},
    {5, 0.0017, 3.554e-4, {727.0855, 0.2905, false}, {757.8958, 0.0088, true}},
    {6, -0.19585, NAN, {725.1371, 0.4176, false}, {758.0210, 0.0084, true}},
    {7.5, -5.52955, 7.642e-3, {719.4632, 1.0006, true}, {758.4440, 0.0070, true}},
    {10, -8.2665, 1.126431e-2, {721.0880, 0.7992, true}, {757.0975, 0.0115, true}},
};

static void test_contact(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    const struct row *r = &rows[i];
    const double y = 1e-3 * r->y, yaw = 0.0024 * r->y;
    cmb_wheelset_contact rigid, soft;
    cmbt_ok(ctx, cmb_contact_find(geometry, y, yaw, &rigid));
    if (isfinite(r->roll)) cmbt_near(rigid.roll, r->roll, 6e-5);
    const double roll = isfinite(r->roll) ? r->roll : rigid.roll;
    cmbt_ok(ctx, cmb_contact_patch(geometry, y, 0.460 - 1e-3 * r->z, roll, yaw, &soft));
    cmbt_near(1e3 * soft.at[CMB_RAIL_LEFT].y, r->flange.y, 0.1);
    cmbt_near(1e3 * -soft.at[CMB_RAIL_RIGHT].y, r->other.y, 0.1);
    cmbt_near(soft.at[CMB_RAIL_LEFT].angle, r->flange.angle, 0.002);
    cmbt_near(soft.at[CMB_RAIL_RIGHT].angle, r->other.angle, 0.002);
    if (isfinite(r->roll)) {
      cmbt_near(1e3 * soft.at[CMB_RAIL_LEFT].y, r->flange.y, 0.025);
      cmbt_near(1e3 * -soft.at[CMB_RAIL_RIGHT].y, r->other.y, 0.025);
      cmbt_near(soft.at[CMB_RAIL_LEFT].angle, r->flange.angle, 0.0005);
      cmbt_near(soft.at[CMB_RAIL_RIGHT].angle, r->other.angle, 0.0005);
    }
    const bool left = fabs(1e3 * rigid.at[CMB_RAIL_LEFT].y - r->flange.y) < 0.1 &&
                      fabs(rigid.at[CMB_RAIL_LEFT].angle - r->flange.angle) < 0.002;
    const bool right = fabs(-1e3 * rigid.at[CMB_RAIL_RIGHT].y - r->other.y) < 0.1 &&
                       fabs(rigid.at[CMB_RAIL_RIGHT].angle - r->other.angle) < 0.002;
    assert_int_equal(left, r->flange.rigid);
    assert_int_equal(right, r->other.rigid);
  }
}

/* ---- the conicity, from the formulas in mm: wheel z downwards over s, rail as arcs */

/* Returns the height of the wheel S1002 at s > −35 mm, z downwards. */
static double wheel_formula(double s)
{
  static const double b[] = {0,
                             -3.358537058e-2,
                             1.565681624e-3,
                             -2.810427944e-5,
                             5.844240864e-8,
                             -1.562379023e-8,
                             5.309217349e-15,
                             -5.957839843e-12,
                             2.646656573e-13};
  static const double c[] = {-4.320221063e3,  -1.038384026e3,  -1.065501873e2,  -6.051367875,
                             -2.054332446e-1, -4.169739389e-3, -4.687195829e-5, -2.252755540e-7};
  double z = 0;
  if (s > 32.15796) return 1.364323640 - 0.066666667 * s;
  if (s > -26)
    for (int k = 8; k >= 0; k--) z = z * s + b[k];
  else
    for (int k = 7; k >= 0; k--) z = z * s + c[k];
  return z;
}

/* Computes the point of the left rail UIC60, canted and in the track, in which the normal of the uncanted head has the angle `a` with the vertical,
 * positive outwards; z upwards. |a| is at most that of the end of the corner, atan 20. */
static void rail_formula(double a, double *y, double *z)
{
  const double cant = atan(1.0 / 40), b = fabs(a);
  const double R = b < 0.0350071 ? 300 : b < 0.2306398 ? 80 : 13;
  const double y0 = R > 100 ? 0 : R > 20 ? 7.7 : 23.01623;
  const double z0 = R > 100 ? 300 : R > 20 ? 80.13479 : 14.90893;
  const double up = R * cos(b) - z0, out = copysign(y0 + R * sin(b), a);
  /* the crown of the canted head is on the arc of 300 mm, 300 mm above its centre */
  *y = out * cos(cant) - up * sin(cant);
  *z = out * sin(cant) + up * cos(cant) - (300 - 300 * cos(cant));
}

/* Returns the height of a rail at y, in the axes of rail_formula, by bisection. */
static double rail_height(double y)
{
  double a = -1.5, b = 1.5, z = 0;
  for (int i = 0; i < 50; i++) {
    double at;
    rail_formula((a + b) / 2, &at, &z);
    if (at < y)
      a = (a + b) / 2;
    else
      b = (a + b) / 2;
  }
  return z;
}

/* The height of a rail at equal distances of 0.01 mm from −37 to 37 mm, for interpolation. */
enum { HEIGHTS = 7001 };
static double height[HEIGHTS];

static double interpolated(double y)
{
  const double t = (y + 35) * 100;
  const int i = (int)floor(t);
  if (i < 1 || i > HEIGHTS - 3) return -1e9;
  const double x = t - i, *h = &height[i];
  return h[0] + x * (h[1] - h[0]) + x * (x - 1) / 4 * (h[2] - h[1] - h[0] + h[-1]);
}

/* Computes the height of the wheelset at which its left wheel, displaced outwards by y and rolled, touches the rail, and s of the contact
 * point: the best of points at 0.02 mm and the parabola through it and its neighbours. `head` is the place of the middle of the head. */
static double touch(double y, double roll, double head, double *s)
{
  double h[3] = {0}, best = -1e9;
  for (int i = -1700; i <= 2000; i++) {
    for (int k = 0; k < 3; k++) h[k] = k < 2 ? h[k + 1] : 0;
    const double at = 0.02 * i, z = -460 - wheel_formula(at), x = 750 + at;
    h[2] = interpolated(y + x * cos(roll) - z * sin(roll) - head) - x * sin(roll) - z * cos(roll);
    if (i < -1698 || !(h[1] > best) || h[1] < h[0] || h[1] < h[2]) continue;
    best = h[1];
    *s = at - 0.02 + 0.01 * (h[0] - h[2]) / (h[0] - 2 * h[1] + h[2]);
  }
  return best;
}

/* Returns Δr at the displacement y > 0. */
static double radius_difference(double y, double head)
{
  double a = 0, b = 1e-3, left = 0, right = 0;
  for (int i = 0; i < 16; i++) {
    const double roll = (a + b) / 2;
    if (touch(y, roll, head, &left) > touch(-y, -roll, head, &right))
      a = roll;
    else
      b = roll;
  }
  return wheel_formula(left) - wheel_formula(right);
}

/* The midpoint rule over the phase, with points at 1/400 of a quarter of the wave: its error is that of the jump by 0.45 mm at 0.2 mm, at most
 * half of a distance of points. */
static void test_conicity(void **state)
{
  (void)state;
  enum { N = 400 };
  const double quarter = 3.14159265358979323846 / 2, amplitude = 3e-3;
  double low = -1.5, high = 0, y = 0, z, sum = 0, conicity, centre;
  for (int i = 0; i < HEIGHTS; i++) height[i] = rail_height(-35 + 0.01 * i);
  for (int i = 0; i < 50; i++) { /* the gauge point: 14 mm below the crown */
    rail_formula((low + high) / 2, &y, &z);
    if (z < -14)
      low = (low + high) / 2;
    else
      high = (low + high) / 2;
  }
  const double head = 717.5 - y;
  for (int i = 0; i < N; i++) {
    const double phase = quarter * (i + 0.5) / N;
    sum += radius_difference(1e3 * amplitude * sin(phase), head) * sin(phase) * quarter / N;
  }
  const double expected = 2 * sum / (2 * quarter * 1e3 * amplitude);
  cmbt_ok(ctx, cmb_contact_conicity(geometry, 1, &amplitude, &conicity, &centre));
  cmbt_near(conicity, expected, 0.45 * 0.07 * quarter / N / (quarter * 3));
  cmbt_near(conicity, 0.185151, 5e-6); /* the same computation with 20 000 points */
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_contact),
                                     cmocka_unit_test(test_conicity)};
  return cmocka_run_group_tests(tests, begin, end);
}
