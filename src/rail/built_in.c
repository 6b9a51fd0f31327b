/*
 * The built-in profiles: the wheel S1002 and the head of the rail UIC60, by their formulas (profile.h).
 *
 * S1002 (EN 13715): polynomials and arcs in eight sections of the distance s from the tape line, with z downwards. The polynomials are given
 * with ten digits, so that neighbouring sections differ by up to 1.2e-4 mm where they meet. Half of this difference is taken from each of
 * both sections, falling linearly to 0 at its other end, so that the curve is continuous; it then differs from the formulas by at most 6.1e-5
 * mm. UIC60 (60E1 of EN 13674-1): arcs of the radii 300, 80 and 13 mm on both sides of the crown, and flanks with the slope 20:1, down to
 * 37.5 mm below the crown.
 *
 * The points have a distance of 0.1 mm along the curve, with none at a joint between two sections but one 0.01 mm before and after it. So a jump
 * of the curvature becomes a ramp of 0.02 mm; with a point at the joint the curvature of the spline would overshoot by an eighth of the jump.
 * The spline differs from the formulas by less than 1e-7 m (unit.rail.built_in).
 */
#include "rail/profile.h"

#include <camber/base.h>
#include <math.h>
#include <string.h>

#define SPACING 0.1  /* mm, of the points along the curve */
#define GAP     0.01 /* mm, between a joint and the points on both sides */

enum { MOST_COEFFICIENTS = 9, SECTIONS = 8 };

/* One section of S1002 from s = `from` to s = `to`, in mm: the polynomial Σ c_k s^k, or, with a radius, the arc with the centre (s, z) =
 * (c_0, c_1), of which `side` chooses the half above (−1) or below (+1) the centre. */
struct section {
  double from, to, radius, side;
  double c[MOST_COEFFICIENTS];
};

/* clang-format off */
static const struct section s1002[SECTIONS] = {
    {-70, -62.764705882, 20.5, 1, {-49.5, 9.519259302}},
    {-62.764705882, -49.662510381, 12, 1, {-55, 16}},
    {-49.662510381, -39.764473993, 20, 1, {-58.558326413, 8.834924130}},
    {-39.764473993, -38.426669071, 0, 0, {-93.576667419, -2.747477419}},
    {-38.426669071, -35, 13, -1, {-26.210665, 16.446}},
    {-35, -26, 0, 0, {-4.320221063e3, -1.038384026e3, -1.065501873e2, -6.051367875, -2.054332446e-1, -4.169739389e-3,
                      -4.687195829e-5, -2.252755540e-7}},
    {-26, 32.15796, 0, 0, {0, -3.358537058e-2, 1.565681624e-3, -2.810427944e-5, 5.844240864e-8, -1.562379023e-8, 5.309217349e-15,
                           -5.957839843e-12, 2.646656573e-13}},
    {32.15796, 60, 0, 0, {1.364323640, -0.066666667}},
};
/* clang-format on */

static const struct {
  const char *name;
  cmb_profile_kind kind;
} built_in[] = {{"S1002", CMB_PROFILE_WHEEL}, {"UIC60", CMB_PROFILE_RAIL}};

const char *cmb_profile_built_in(int i, cmb_profile_kind *kind)
{
  if (i < 0 || (size_t)i >= sizeof built_in / sizeof *built_in) return NULL;
  if (kind) *kind = built_in[i].kind;
  return built_in[i].name;
}

/* Appends a point in mm to a list. Does nothing to a list without memory. */
static void append(cmb_profile_points *points, double y, double z)
{
  if (!points->y || !points->z) return;
  points->y[points->n] = y;
  points->z[points->n++] = z;
}

/* Points of a section: number k, from 0 to `count`, is at the fraction first + (last − first) k/count of its length. */
struct samples {
  int count;
  double first, last;
};

/* Returns how a section of a profile with this length is sampled: the number of points, and where the first and the last one lie. An end at a
 * joint of two curves is left out by a small gap. */
static struct samples sample(double length, bool begins_at_joint, bool ends_at_joint)
{
  return (struct samples){.count = (int)ceil(length / SPACING),
                          .first = begins_at_joint ? GAP / length : 0,
                          .last = 1 - (ends_at_joint ? GAP / length : 0)};
}

static double sample_at(const struct samples *s, int k)
{
  return s->first + (s->last - s->first) * k / s->count;
}

/* Returns the height z at the coordinate s by the standard's formula for this section of the profile; z is positive downwards. */
static double height(const struct section *c, double s)
{
  if (c->radius > 0) {
    const double x = s - c->c[0];
    return c->c[1] + c->side * sqrt(fmax(0, c->radius * c->radius - x * x));
  }
  double z = 0;
  for (int k = MOST_COEFFICIENTS - 1; k >= 0; k--) z = z * s + c->c[k];
  return z;
}

/* Returns the coordinate s, the argument of the standard's formulas, at the fraction t of a section. Equal steps of t give points that are
 * nearly evenly spaced along the curve. */
static double position(const struct section *c, double t)
{
  if (c->radius == 0) return c->from + t * (c->to - c->from);
  const double a = asin(fmax(-1, (c->from - c->c[0]) / c->radius));
  const double b = asin((c->to - c->c[0]) / c->radius);
  return c->c[0] + c->radius * sin(a + t * (b - a));
}

/* Returns the difference of z between both sections that meet at the end of section i; 0 at the ends of the profile. */
static double jump(int i)
{
  if (i < 0 || i >= SECTIONS - 1) return 0;
  return height(&s1002[i + 1], s1002[i].to) - height(&s1002[i], s1002[i].to);
}

static void wheel_points(cmb_profile_points *points)
{
  for (int i = 0; i < SECTIONS; i++) {
    const struct section *c = &s1002[i];
    const double chord = hypot(c->to - c->from, height(c, c->to) - height(c, c->from));
    const struct samples samples = sample(chord, i > 0, i < SECTIONS - 1);
    for (int k = 0; k <= samples.count; k++) {
      const double s = position(c, sample_at(&samples, k));
      const double t = (s - c->from) / (c->to - c->from);
      append(points, s, -(height(c, s) - (1 - t) * jump(i - 1) / 2 + t * jump(i) / 2));
    }
  }
}

/* ---- UIC60 */

/* Appends points on an arc whose centre (y, z) is in mm, from the polar angle `from` to `to`, measured from the upward vertical to the field
 * side. */
static void append_arc(cmb_profile_points *points, double y, double z, double radius, double from,
                       double to)
{
  const struct samples samples = sample(radius * (to - from), true, true);
  for (int k = 0; k <= samples.count; k++) {
    const double angle = from + (to - from) * sample_at(&samples, k);
    append(points, y + radius * sin(angle), z + radius * cos(angle));
  }
}

/* Appends points on a line that begins at a joint, or, with `ends`, ends at one. */
static void append_line(cmb_profile_points *points, double y0, double z0, double y1, double z1,
                        bool ends)
{
  const struct samples samples = sample(hypot(y1 - y0, z1 - z0), !ends, ends);
  for (int k = 0; k <= samples.count; k++) {
    const double t = sample_at(&samples, k);
    append(points, y0 + t * (y1 - y0), z0 + t * (z1 - z0));
  }
}

static void rail_points(cmb_profile_points *points)
{
  const double R1 = 300, R2 = 80, R3 = 13, bottom = -37.5;
  const double a1 = asin(10.5 / R1); /* the arcs have common tangents at the angles a1 and a2 */
  const double y2 = (R1 - R2) * sin(a1), z2 = -R1 + (R1 - R2) * cos(a1);
  const double a2 = asin((25.98804 - y2) / R2), a3 = atan(20);
  const double y3 = y2 + (R2 - R3) * sin(a2), z3 = z2 + (R2 - R3) * cos(a2);
  const double y4 = y3 + R3 * sin(a3), z4 = z3 + R3 * cos(a3);
  const double end = y4 + (z4 - bottom) / 20;
  append_line(points, -end, bottom, -y4, z4, true);
  append_arc(points, -y3, z3, R3, -a3, -a2);
  append_arc(points, -y2, z2, R2, -a2, -a1);
  append_arc(points, 0, -R1, R1, -a1, a1);
  append_arc(points, y2, z2, R2, a1, a2);
  append_arc(points, y3, z3, R3, a2, a3);
  append_line(points, y4, z4, end, bottom, false);
}

void cmb_profile_formulas(cmb_arena *arena, int which, cmb_profile_points *points)
{
  enum { ROOM = 2500 }; /* more than 170 mm / SPACING */
  *points = (cmb_profile_points){.y = cmb_arena_doubles(arena, ROOM),
                                 .z = cmb_arena_doubles(arena, ROOM)};
  if (built_in[which].kind == CMB_PROFILE_WHEEL)
    wheel_points(points);
  else
    rail_points(points);
}
