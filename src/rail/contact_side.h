/*
 * One wheel over one rail: the height of the wheelset at which the wheel touches the rail, and the contact point there. Used by
 * contact_geometry.c, whose header has the frames; a side has the axes of the left one, so that the right side is computed as its mirror image.
 *
 * The surface of the wheel is that of a body of revolution: the profile point at the arc length u has the distance η = b + y(u) along the
 * axle and the radius r = R − z(u). The axle has the direction a = (−sin ψ cos φ, cos ψ cos φ, sin φ). The rail is a cylinder along x. So only the outline
 * of the wheel, seen along x, can touch the rail: the points whose normal is perpendicular to x. On the circle of a profile point with the
 * slope t = dz/dy there is one such point below the axle (Wang 1984). With c = sqrt(1 − a_x²), k = a_x/c and C = sqrt(1 − t² k²),
 *
 *     w = η + r t k²,   v = r C/c,
 *     x = η a_x − r t k c,   Y = y + a_y w + a_z v,   Z = z + a_z w − a_y v,
 *     slope of the outline  dZ/dY = (a_y t/c + a_z C)/(a_y C − a_z t/c).
 *
 * A circle with |t k| ≥ 1 has no point on the outline. The wheel touches the rail, of height f(Y), if the largest value of
 * f(Y) − (Z − z) over u is z. Its derivative has the sign of
 *
 *     e(u) = f'(Y) − dZ/dY.
 *
 * The largest of all local maxima is found in two steps. The function and e are evaluated at points of the wheel at most CMB_SIDE_STEP
 * apart. An interval in which e changes from positive to negative contains a local maximum; one in which the changes of e nearby, doubled,
 * could take e to 0 twice is divided further. Intervals that cannot contain the largest value are left out: in an interval of the width ΔY
 * the function exceeds its values at the ends by at most ΔY |e|. Then the root of e is found to rounding (math/root.h) on the splines
 * themselves.
 *
 * If the wheelset is at a height z below that of contact, the wheel penetrates the rail by p(Y) = f(Y) − (Z − z) − z where this is positive.
 * Along x the penetration is about p − x²/(2 r), whose square has the integral ∝ p^(5/2). So the mean place of the region of penetration,
 * weighted by the square of the penetration, is
 *
 *     Y_m = ∫ p^(5/2) Y dY / ∫ p^(5/2) dY,
 *
 * and the mean contact angle that of arctan f'(Y) in the same way. Both are continuous functions of the position with continuous first
 * derivatives, also where the contact point of a rigid wheel jumps.
 */
#ifndef CMB_RAIL_CONTACT_SIDE_H
#define CMB_RAIL_CONTACT_SIDE_H

#include "base/arena.h"

#include <camber/rail.h>
#include <stdbool.h>

/* Largest distances, in m: between points of a profile that are searched; from the crown of a rail down to the points that define the gauge. */
#define CMB_SIDE_STEP        5e-5
#define CMB_SIDE_GAUGE_DEPTH 0.014

/* A wheel and a rail. */
typedef struct cmb_contact_side {
  const cmb_profile *wheel, *rail;
  double tape, radius;     /* b, the distance of the tape line from the middle of the axle, and R */
  double place;            /* the rail's lateral position: Y = place + y of its profile */
  int n;                   /* number of points of the wheel */
  double *u, *eta, *r, *t; /* (n) */
  int m;                   /* number of points of the rail that are visible from above */
  double *rail_u, *Y, *Z, *slope; /* (m) Y ascends; slope = f'(Y) */
  /* (n) work: Y, f(Y) − (Z − z), f'(Y) and e; e is NaN where there is no outline over the rail */
  double *outline, *height, *below, *e;
} cmb_contact_side;

/* The position of the wheelset, as the side sees it. */
typedef struct cmb_side_pose {
  double y, ax, ay, az, c;
} cmb_side_pose;

/* The highest contact of a wheel with its rail. */
typedef struct cmb_side_contact {
  double height; /* of the wheelset; −∞: the wheel is not over the rail */
  double wheel_u, rail_u, slope;
  /* whether the wheel touches inside both profiles, with a common tangent plane; otherwise it touches at an end of one of them */
  bool tangent;
  /* height and wheel_u of the next highest local maximum; −∞: there is none */
  double rival, rival_u;
  double penetration; /* the largest one; 0: rigid contact */
} cmb_side_contact;

/* Prepares a side: samples both profiles, whose owner remains the caller, onto the arena. side->place is 0 afterwards. Returns false if memory
 * runs out. */
bool cmb_side_prepare(cmb_arena *arena, const cmb_profile *wheel, const cmb_profile *rail,
                      double tape, double radius, cmb_contact_side *side);

/* Computes y of the innermost point of the rail, in the axes of its profile, down to CMB_SIDE_GAUGE_DEPTH below its highest point. Returns
 * false if the profile does not reach so far down on the gauge side. */
bool cmb_side_gauge_point(const cmb_contact_side *side, double *y);

/* Finds the highest contact for a pose of the wheelset. With `all`, every local maximum is considered, for the rival; otherwise only those
 * that can be the highest. */
cmb_side_contact cmb_side_touch(cmb_contact_side *side, const cmb_side_pose *pose, bool all);

/* Computes the quasi-elastic contact of a wheelset at the height z: the point at Y_m. `tangent` is then true, and false if there is no
 * penetration or its region comes to an end of a profile; the height is −∞ if the wheel is not over the rail. */
cmb_side_contact cmb_side_average(cmb_contact_side *side, const cmb_side_pose *pose, double z);

/* Computes the distance x of the contact point from the axle's vertical plane across the track. */
double cmb_side_ahead(const cmb_contact_side *side, const cmb_side_pose *pose, double wheel_u);

#endif
