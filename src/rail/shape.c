/*
 * Checks the points of a profile and changes those of a file to the axes of profiles (read.h).
 *
 * Files have z upwards or downwards, begin at either end, and wheels count y from the tape line or from the back of the flange, to either
 * side. The shape decides, in this order:
 *
 *   1. The points are put in the order of ascending y.
 *   2. The prominence of the lowest point is the height to which the profile rises above it on both sides, that of the highest point the
 *      depth to which it falls on both sides. The prominence of the lowest point, the tip of the flange, is the larger one in a wheel, that of
 *      the highest point, the crown, in a rail; otherwise z is inverted. Where none is larger than 1 mm, as in a cone, z stays.
 *   3. The tip of the flange of a wheel lies at the end with the smaller y; otherwise y is inverted. A tip is a lowest point that is more
 *      than 10 mm below the mean of z, and within a third of the width from one end.
 *   4. If the tip has y > 0, y is counted from the back of the flange, and 70 mm are subtracted.
 *
 * The shape of a rail does not show its gauge side, which the caller has to know.
 */
#include "rail/read.h"

#include "base/context.h"

#include <math.h>

enum { FEWEST_POINTS = 5 };
#define LEAST_DISTANCE    1e-3 /* mm, between points */
#define LEAST_WIDTH       10   /* mm */
#define LARGEST_EXTENT    400  /* mm */
#define TAPE_LINE         70   /* mm from the back of the flange */
#define LEAST_PROMINENCE  1    /* mm */
#define LARGEST_STEP_BACK 0.05 /* mm */
#define LEAST_FLANGE      10   /* mm */

/* Fails with a message about point i. */
#define FAIL(ctx, name, points, i, ...)                                                            \
  cmb_fail_about(ctx, CMB_ERROR_INPUT,                                                             \
                 (points)->line                                                                    \
                     ? cmb_about_place(name, (points)->line[i], 1)                                 \
                     : cmb_about_leading((cmb_about){                                              \
                           .subject = name, .kind = "profile", .name = name, .time = NAN}),        \
                 __VA_ARGS__)

/* ---- checks */

/* Copies point number `from` of the list to the place of number `to`. */
static void copy_point(cmb_profile_points *points, int from, int to)
{
  points->y[to] = points->y[from];
  points->z[to] = points->z[from];
  if (points->line) points->line[to] = points->line[from];
}

/* Leaves out the points that are nearer than LEAST_DISTANCE to the one before. Returns their number. */
static int leave_out_near_points(cmb_profile_points *points)
{
  int n = 0;
  for (int i = 0; i < points->n; i++) {
    const int last = n > 0 ? n - 1 : i;
    const double y = points->y[i] - points->y[last], z = points->z[i] - points->z[last];
    if (n == 0 || hypot(y, z) >= LEAST_DISTANCE) copy_point(points, i, n++);
  }
  const int left_out = points->n - n;
  points->n = n;
  return left_out;
}

static cmb_status check_number(cmb_context *ctx, const char *name, const cmb_profile_points *points)
{
  if (points->n >= FEWEST_POINTS) return CMB_OK;
  return FAIL(ctx, name, points, points->n - 1,
              "the profile has %d different points; expected at least %d", points->n,
              FEWEST_POINTS);
}

static void find_range(int n, const double *x, double *low, double *high)
{
  *low = *high = x[0];
  for (int i = 1; i < n; i++) {
    *low = fmin(*low, x[i]);
    *high = fmax(*high, x[i]);
  }
}

/* Returns an addition to the message about a profile with an impossible width in millimetres: in which unit the file seems to be, if the width
 * is that of a profile in metres or inches, else "". */
static const char *other_unit(double width)
{
  if (width >= 0.04 && width <= 0.4) return "; the file seems to be in metres";
  return width >= 1.5 && width <= 8 ? "; the file seems to be in inches" : "";
}

static cmb_status check_extent(cmb_context *ctx, const char *name, const cmb_profile_points *points)
{
  double y0, y1, z0, z1;
  find_range(points->n, points->y, &y0, &y1);
  find_range(points->n, points->z, &z0, &z1);
  if (y1 - y0 < LEAST_WIDTH) {
    return FAIL(ctx, name, points, 0, "the profile is %.4g mm wide; expected at least %d mm%s",
                y1 - y0, LEAST_WIDTH, other_unit(y1 - y0));
  }
  if (y1 - y0 > LARGEST_EXTENT || z1 - z0 > LARGEST_EXTENT) {
    return FAIL(ctx, name, points, 0,
                "the profile is %.4g mm wide and %.4g mm high; expected at most %d mm", y1 - y0,
                z1 - z0, LARGEST_EXTENT);
  }
  return CMB_OK;
}

cmb_status cmb_profile_clean(cmb_context *ctx, const char *name, cmb_profile_points *points)
{
  for (int i = 0; i < points->n; i++) {
    if (fabs(points->y[i]) <= 1e6 && fabs(points->z[i]) <= 1e6) continue;
    return FAIL(ctx, name, points, i,
                "point %d is (%g, %g) mm; expected numbers of at most a million", i + 1,
                points->y[i], points->z[i]);
  }
  const int left_out = leave_out_near_points(points);
  CMB_TRY(check_number(ctx, name, points));
  if (left_out > 0) {
    cmb_log(ctx, CMB_LOG_INFO, "%s: %d points within 0.001 mm of the one before are left out", name,
            left_out);
  }
  return check_extent(ctx, name, points);
}

/* Returns whether the profile turns by more than 120 degrees at point i, if point `next` follows it. */
static bool turns_back(const cmb_profile_points *points, int i, int next)
{
  const double y0 = points->y[i] - points->y[i - 1], z0 = points->z[i] - points->z[i - 1];
  const double y1 = points->y[next] - points->y[i], z1 = points->z[next] - points->z[i];
  return y0 * y1 + z0 * z1 < -0.5 * hypot(y0, z0) * hypot(y1, z1);
}

cmb_status cmb_profile_unfold(cmb_context *ctx, const char *name, cmb_profile_points *points)
{
  int n = 2, left_out = 0;
  for (int i = 2; i < points->n; i++) {
    const bool back = turns_back(points, n - 1, i);
    const double step = hypot(points->y[i] - points->y[n - 1], points->z[i] - points->z[n - 1]);
    if (back && step > LARGEST_STEP_BACK) {
      return FAIL(ctx, name, points, i,
                  "the profile doubles back by %.3g mm; expected the points in their order along "
                  "the profile, without a fold",
                  step);
    }
    if (back) {
      left_out++;
      continue;
    }
    copy_point(points, i, n++);
  }
  points->n = n;
  if (left_out > 0) {
    cmb_log(ctx, CMB_LOG_WARNING, "%s: %d points that step back by up to %g mm are left out", name,
            left_out, LARGEST_STEP_BACK);
  }
  return check_number(ctx, name, points);
}

/* ---- axes */

/* Reverses the order of the points. */
static void reverse(cmb_profile_points *points)
{
  for (int i = 0, k = points->n - 1; i < k; i++, k--) {
    const double y = points->y[i], z = points->z[i];
    points->y[i] = points->y[k];
    points->z[i] = points->z[k];
    points->y[k] = y;
    points->z[k] = z;
    if (!points->line) continue;
    const int line = points->line[i];
    points->line[i] = points->line[k];
    points->line[k] = line;
  }
}

void cmb_profile_turn_round(cmb_profile_points *points)
{
  if (points->y[points->n - 1] < points->y[0]) reverse(points);
}

static void invert(int n, double *x)
{
  for (int i = 0; i < n; i++) x[i] = -x[i];
}

/* Returns the height to which the profile rises above point i on both sides; with sign = −1 the depth to which it falls below it. */
static double prominence(const cmb_profile_points *points, int i, double sign)
{
  double before = 0, after = 0;
  for (int k = 0; k < points->n; k++) {
    const double rise = sign * (points->z[k] - points->z[i]);
    if (k < i)
      before = fmax(before, rise);
    else
      after = fmax(after, rise);
  }
  return fmin(before, after);
}

/* Returns the index of the lowest point; with sign = −1 that of the highest one. */
static int find_lowest(const cmb_profile_points *points, double sign)
{
  int lowest = 0;
  for (int i = 1; i < points->n; i++) {
    if (sign * points->z[i] < sign * points->z[lowest]) lowest = i;
  }
  return lowest;
}

/* Changes y of a wheel so that the flange is at negative y, and y is counted from the tape line. */
static void orient_wheel(cmb_profile_points *points)
{
  double low, high, mean = 0;
  int tip = find_lowest(points, 1);
  for (int i = 0; i < points->n; i++) mean += points->z[i] / points->n;
  find_range(points->n, points->y, &low, &high);
  const double from_low = points->y[tip] - low, from_high = high - points->y[tip];
  if (mean - points->z[tip] < LEAST_FLANGE || fmin(from_low, from_high) > (high - low) / 3) return;
  if (from_low > from_high) {
    invert(points->n, points->y);
    reverse(points);
    tip = points->n - 1 - tip;
  }
  if (points->y[tip] <= 0) return;
  for (int i = 0; i < points->n; i++) points->y[i] -= TAPE_LINE;
}

void cmb_profile_orient(cmb_profile_kind kind, bool mirror, cmb_profile_points *points)
{
  if (mirror) invert(points->n, points->y);
  cmb_profile_turn_round(points);
  const double valley = prominence(points, find_lowest(points, 1), 1);
  const double summit = prominence(points, find_lowest(points, -1), -1);
  if (fmax(valley, summit) > LEAST_PROMINENCE && (valley > summit) != (kind == CMB_PROFILE_WHEEL))
    invert(points->n, points->z);
  if (kind == CMB_PROFILE_WHEEL) orient_wheel(points);
}
