/*
 * One wheel over one rail (contact_side.h has the equations): sampling of the profiles, and the search for the highest contact. Called by
 * contact_geometry.c.
 */
#include "rail/contact_side.h"

#include "math/root.h"

#include <float.h>
#include <math.h>

enum { DIVISIONS = 16 }; /* of an interval in which e may have two roots */

/* least dy/du of rail points: what is steeper is not visible from above */
static const double FLATTEST = 1e-3;
/* m: maxima that are closer to each other are the same one; interpolation error of heights at the points of the search */
static const double SAME = 1e-9, END_TOLERANCE = 1e-9;

/* ---- sampling */

/* Returns the number of points at equal distances of at most CMB_SIDE_STEP on a profile. */
static int count_points(const cmb_profile *p)
{
  return 2 + (int)(cmb_profile_about(p).length / CMB_SIDE_STEP);
}

/* Samples the wheel. */
static void sample_wheel(cmb_contact_side *s)
{
  const double length = cmb_profile_about(s->wheel).length;
  for (int i = 0; i < s->n; i++) {
    s->u[i] = length * i / (s->n - 1);
    const cmb_profile_point p = cmb_profile_at(s->wheel, s->u[i]);
    s->eta[i] = s->tape + p.y;
    s->r[i] = s->radius - p.z;
    s->t[i] = p.dz / p.dy;
  }
}

/* Samples the part of the rail on both sides of its highest point where y ascends, of m points in all. */
static void sample_rail(cmb_contact_side *s, int m)
{
  const double length = cmb_profile_about(s->rail).length;
  int top = 0, first, last;
  for (int i = 0; i < m; i++) {
    s->rail_u[i] = length * i / (m - 1);
    const cmb_profile_point p = cmb_profile_at(s->rail, s->rail_u[i]);
    s->Y[i] = p.y;
    s->Z[i] = p.z;
    s->slope[i] = p.dy > FLATTEST ? p.dz / p.dy : NAN;
    if (p.z > s->Z[top]) top = i;
  }
  for (first = top; first > 0 && isfinite(s->slope[first - 1]);) first--;
  for (last = top; last < m - 1 && isfinite(s->slope[last + 1]);) last++;
  s->m = last - first + 1;
  s->rail_u += first;
  s->Y += first;
  s->Z += first;
  s->slope += first;
}

bool cmb_side_prepare(cmb_arena *arena, const cmb_profile *wheel, const cmb_profile *rail,
                      double tape, double radius, cmb_contact_side *s)
{
  *s = (cmb_contact_side){.wheel = wheel, .rail = rail, .tape = tape, .radius = radius};
  const int m = count_points(rail);
  s->n = count_points(wheel);
  double **const of_wheel[] = {&s->u,       &s->eta,    &s->r,     &s->t,
                               &s->outline, &s->height, &s->below, &s->e};
  double **const of_rail[] = {&s->rail_u, &s->Y, &s->Z, &s->slope};
  for (int i = 0; i < 8; i++) *of_wheel[i] = cmb_arena_doubles(arena, s->n);
  for (int i = 0; i < 4; i++) *of_rail[i] = cmb_arena_doubles(arena, m);
  if (cmb_arena_failed(arena)) return false;
  sample_wheel(s);
  sample_rail(s, m);
  return s->m > 1;
}

bool cmb_side_gauge_point(const cmb_contact_side *s, double *y)
{
  int top = 0;
  for (int i = 1; i < s->m; i++) {
    if (s->Z[i] > s->Z[top]) top = i;
  }
  const double depth = s->Z[top] - CMB_SIDE_GAUGE_DEPTH;
  int i = top;
  while (i > 0 && s->Z[i] > depth) i--;
  /* a flank that is not visible from above is undercut: its innermost point is the last visible one */
  *y = s->Y[i];
  if (s->Z[i] > depth) return s->rail_u[i] > 0;
  cmb_root r;
  cmb_root_begin(&r, s->rail_u[i], s->Z[i] - depth, s->rail_u[i + 1], s->Z[i + 1] - depth);
  while (cmb_root_width(&r) > 2 * DBL_EPSILON * s->rail_u[i + 1]) {
    const double u = cmb_root_next(&r);
    cmb_root_update(&r, u, cmb_profile_at(s->rail, u).z - depth);
  }
  *y = cmb_profile_at(s->rail, r.a).y;
  return true;
}

/* ---- the outline of the wheel and the rail below it */

/* A point of the outline. */
struct outline {
  double Y, Z, slope; /* Z for a wheelset of height 0 */
};

/* Computes the point of the outline on the circle with the distance eta along the axle, the radius r and the slope t of the profile. Returns
 * false if there is none that is visible from below. */
static bool outline_at(const cmb_side_pose *p, double eta, double r, double t, struct outline *o)
{
  const double c = p->c, k = p->ax / c, tk = t * k;
  if (!(fabs(tk) < 1)) return false;
  const double C = sqrt(1 - tk * tk), w = eta + r * tk * k, v = r * C / c;
  const double below = p->ay * C - p->az * t / c;
  if (!(below > 0)) return false;
  o->Y = p->y + p->ay * w + p->az * v;
  o->Z = p->az * w - p->ay * v;
  o->slope = (p->ay * t / c + p->az * C) / below;
  return true;
}

/* Returns the index j of the interval Y[j] <= y < Y[j + 1] of the rail's points, from 0 to m − 2, starting the search at j; −1 if there is
 * none. y is in the axes of the profile. */
static int rail_interval(const cmb_contact_side *s, double y, int j)
{
  if (!(y >= s->Y[0] && y <= s->Y[s->m - 1])) return -1;
  while (j > 0 && y < s->Y[j]) j--;
  while (j < s->m - 2 && y >= s->Y[j + 1]) j++;
  return j;
}

/* Computes the height and the slope of the rail at y in its interval j by Hermite interpolation. */
static void rail_interpolated(const cmb_contact_side *s, int j, double y, double *z, double *slope)
{
  const double h = s->Y[j + 1] - s->Y[j], b = (y - s->Y[j]) / h, d = (s->Z[j + 1] - s->Z[j]) / h;
  const double p = s->slope[j], q = s->slope[j + 1];
  const double second = 3 * d - 2 * p - q, third = p + q - 2 * d;
  *z = s->Z[j] + h * b * (p + b * (second + b * third));
  *slope = p + b * (2 * second + 3 * b * third);
}

/* A point of the search with exact values. */
struct touch {
  double u, rail_u, height, slope, e;
};

/* Evaluates the height of contact and e exactly at the point wheel_u of the wheel. Returns false if it has no outline over the rail. */
static bool evaluate(const cmb_contact_side *s, const cmb_side_pose *pose, double wheel_u,
                     struct touch *q)
{
  const cmb_profile_point w = cmb_profile_at(s->wheel, wheel_u);
  struct outline o;
  if (!outline_at(pose, s->tape + w.y, s->radius - w.z, w.dz / w.dy, &o)) return false;
  const double y = o.Y - s->place;
  int low = 0, high = s->m - 1;
  if (!(y >= s->Y[low] && y <= s->Y[high])) return false;
  while (high - low > 1) {
    const int middle = (low + high) / 2;
    if (s->Y[middle] <= y) low = middle;
    if (s->Y[middle] > y) high = middle;
  }
  double u = s->rail_u[low] +
             (s->rail_u[high] - s->rail_u[low]) * (y - s->Y[low]) / (s->Y[high] - s->Y[low]);
  cmb_profile_point p = cmb_profile_at(s->rail, u);
  for (int i = 0; i < 8; i++) { /* Newton's method for y(u) = y, where y(u) is nearly linear */
    const double step = (y - p.y) / p.dy;
    u += step;
    p = cmb_profile_at(s->rail, u);
    if (!(fabs(step) > DBL_EPSILON * s->rail_u[high])) break;
  }
  *q = (struct touch){wheel_u, u, p.z - o.Z, o.slope, p.dz / p.dy - o.slope};
  return true;
}

/* ---- the search */

/* Finds the local maximum between two points with e > 0 and e <= 0, to rounding. */
static struct touch polish(const cmb_contact_side *s, const cmb_side_pose *pose, struct touch a,
                           struct touch b)
{
  cmb_root r;
  cmb_root_begin(&r, a.u, a.e, b.u, b.e);
  struct touch q = fabs(a.e) < fabs(b.e) ? a : b;
  for (int i = 0; i < 100 && cmb_root_width(&r) > DBL_EPSILON * b.u; i++) {
    struct touch next;
    if (!evaluate(s, pose, cmb_root_next(&r), &next)) break;
    cmb_root_update(&r, next.u, next.e);
    if (fabs(next.e) <= fabs(q.e)) q = next;
  }
  return q;
}

/* Takes a local maximum q of the height of contact into account: stores it in *c as the highest one so far, or as the second highest (the
 * rival). A maximum that is the highest one again, found from another interval, is ignored. */
static void enter(cmb_side_contact *c, const struct touch *q)
{
  if (fabs(q->u - c->wheel_u) < SAME) return;
  if (q->height > c->height) {
    c->rival = c->height;
    c->rival_u = c->wheel_u;
    c->height = q->height;
    c->wheel_u = q->u;
    c->rail_u = q->rail_u;
    c->slope = q->slope;
  } else if (q->height > c->rival) {
    c->rival = q->height;
    c->rival_u = q->u;
  }
}

/* Enters the local maxima between two points of the wheel, which is divided into `parts`. */
static void enter_interval(const cmb_contact_side *s, const cmb_side_pose *pose, double from,
                           double to, int parts, cmb_side_contact *c)
{
  struct touch a, b;
  bool good = evaluate(s, pose, from, &a);
  for (int i = 1; i <= parts; i++) {
    const bool next = evaluate(s, pose, from + (to - from) * i / parts, &b);
    if (good && next && a.e > 0 && b.e <= 0) {
      const struct touch q = polish(s, pose, a, b);
      enter(c, &q);
    }
    a = b;
    good = next;
  }
}

/* Evaluates the heights of contact and e at all points of the wheel by interpolation of the rail; returns the index of the highest, or −1 if
 * no point is over the rail. */
static int scan(cmb_contact_side *s, const cmb_side_pose *pose)
{
  int best = -1, j = 0;
  for (int i = 0; i < s->n; i++) {
    struct outline o;
    s->e[i] = NAN;
    if (!outline_at(pose, s->eta[i], s->r[i], s->t[i], &o)) continue;
    const int found = rail_interval(s, o.Y - s->place, j);
    if (found < 0) continue;
    j = found;
    double z, slope;
    rail_interpolated(s, j, o.Y - s->place, &z, &slope);
    s->outline[i] = o.Y;
    s->height[i] = z - o.Z;
    s->below[i] = slope;
    s->e[i] = slope - o.slope;
    if (best < 0 || s->height[i] > s->height[best]) best = i;
  }
  return best;
}

/* Returns the larger of two numbers of which none is NaN. */
static double larger(double a, double b)
{
  return a > b ? a : b;
}

/* Returns a bound of the change of e within interval i of the wheel: twice the largest change from end to end of it and its neighbours. */
static double bound_change(const cmb_contact_side *s, int i)
{
  double most = 0;
  for (int k = i > 0 ? i - 1 : 0; k <= i + 1 && k < s->n - 1; k++) {
    const double change = fabs(s->e[k + 1] - s->e[k]);
    if (change > most) most = change; /* not if it is NaN */
  }
  return 2 * most;
}

cmb_side_contact cmb_side_touch(cmb_contact_side *s, const cmb_side_pose *pose, bool all)
{
  cmb_side_contact c = {.height = -INFINITY, .rival = -INFINITY, .wheel_u = NAN, .rival_u = NAN};
  const int best = scan(s, pose);
  if (best < 0) return c;
  const double floor = all ? -INFINITY : s->height[best];
  for (int i = 0; i < s->n - 1; i++) {
    const double one = s->e[i], other = s->e[i + 1];
    if (!isfinite(one) || !isfinite(other)) continue;
    const bool falls = one > 0 && other <= 0;
    const double width = fabs(s->outline[i + 1] - s->outline[i]);
    const double change =
        falls ? larger(bound_change(s, i), larger(one, -other)) : bound_change(s, i);
    if (!falls && fabs(one) >= change && fabs(other) >= change) continue;
    if (larger(s->height[i], s->height[i + 1]) + width * change < floor) continue;
    /* wider by a little, since e by interpolation and on the splines can differ in sign at the ends */
    const double more = 0.01 * (s->u[i + 1] - s->u[i]);
    enter_interval(s, pose, s->u[i] - more, s->u[i + 1] + more, falls ? 1 : DIVISIONS, &c);
  }
  c.tangent = c.height >= s->height[best] - END_TOLERANCE;
  if (!c.tangent) {
    c.height = s->height[best];
    c.wheel_u = s->u[best];
  }
  return c;
}

/* Finds the point of the wheel between its points i and i + 1 whose outline is at Y, to rounding, from the outline there. */
static bool find_outline(const cmb_contact_side *s, const cmb_side_pose *pose, int i, double Y,
                         struct touch *q)
{
  cmb_root r;
  cmb_root_begin(&r, s->u[i], s->outline[i] - Y, s->u[i + 1], s->outline[i + 1] - Y);
  while (cmb_root_width(&r) > DBL_EPSILON * s->u[i + 1]) {
    const double u = cmb_root_next(&r);
    const cmb_profile_point w = cmb_profile_at(s->wheel, u);
    struct outline o;
    if (!outline_at(pose, s->tape + w.y, s->radius - w.z, w.dz / w.dy, &o)) return false;
    cmb_root_update(&r, u, o.Y - Y);
  }
  return evaluate(s, pose, r.a, q);
}

cmb_side_contact cmb_side_average(cmb_contact_side *s, const cmb_side_pose *pose, double z)
{
  cmb_side_contact c = {.height = -INFINITY, .rival = -INFINITY, .wheel_u = NAN, .rival_u = NAN};
  const int best = scan(s, pose);
  if (best < 0) return c;
  double sum = 0, moment = 0, angle = 0;
  bool inside = s->height[best] > z;
  for (int i = 0; i < s->n; i++) {
    if (!isfinite(s->e[i]) || !(s->height[i] > z)) continue;
    inside = inside && i > 0 && i < s->n - 1 && isfinite(s->e[i - 1]) && isfinite(s->e[i + 1]);
    if (!inside) break;
    const double p = s->height[i] - z;
    const double part = p * p * sqrt(p) * (s->outline[i + 1] - s->outline[i - 1]);
    sum += part;
    moment += part * (s->outline[i] - s->outline[best]);
    angle += part * atan(s->below[i]);
  }
  c.height = s->height[best];
  c.wheel_u = s->u[best];
  if (!inside) return c;
  const double Y = s->outline[best] + moment / sum;
  struct touch q;
  for (int i = 0; i < s->n - 1 && !c.tangent; i++) {
    if (!isfinite(s->e[i]) || !isfinite(s->e[i + 1])) continue;
    if (s->outline[i] > Y || s->outline[i + 1] < Y) continue;
    c.tangent = find_outline(s, pose, i, Y, &q);
  }
  if (!c.tangent) return c;
  c.wheel_u = q.u;
  c.rail_u = q.rail_u;
  c.slope = tan(angle / sum);
  c.penetration = s->height[best] - z;
  return c;
}

double cmb_side_ahead(const cmb_contact_side *s, const cmb_side_pose *pose, double wheel_u)
{
  const cmb_profile_point w = cmb_profile_at(s->wheel, wheel_u);
  return (s->tape + w.y) * pose->ax - (s->radius - w.z) * w.dz / w.dy * pose->ax;
}
