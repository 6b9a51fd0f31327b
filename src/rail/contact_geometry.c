/*
 * The contact geometry of a rigid wheelset on a straight track: height, roll angle and contact points for a given lateral displacement and yaw
 * angle; contact_side.c has the contact of one wheel. Called by conicity.c and, as part of the public interface, by the program.
 *
 * The track has the axes x forward, y to the left and z upwards. The wheelset's centre is at (0, y, z), and its axle has the direction
 *
 *     a = Rz(ψ) Rx(φ) e_y = (−sin ψ cos φ, cos ψ cos φ, sin φ),
 *
 * with the yaw angle ψ and the roll angle φ. The right side is computed as the mirror image of a left one: with −y, −ψ and −φ.
 *
 * Let H_L(φ) be the height z at which the left wheel touches its rail for a given roll angle, and H_R(φ) that of the right one. The wheelset
 * touches both rails if
 *
 *     F(φ) = H_L(φ) − H_R(φ) = 0.
 *
 * F is continuous, also where a contact point jumps. If the contact points are at (Y_L, Z_L) and (−Y_R, Z_R) from the centre and their
 * contact angles are δ_L, δ_R, then F' = −Y_L − Y_R − Z_L tan δ_L − Z_R tan δ_R: about −2b + r (tan δ_L + tan δ_R), with the distance 2b
 * between the contact points. So F falls, and there is one root, up to flange angles of some 73° (tan δ < 2b/r). For steeper flanges the
 * root next to φ = 0 in the direction of the sign of F(0) is taken.
 */
#include "rail/contact_geometry.h"

#include "base/context.h"
#include "math/root.h"

#include <float.h>
#include <math.h>

static const double TAPE_FROM_BACK = 0.070; /* from the back of the flange to the tape line */
static const double FLANGE_DEPTH = 0.010;   /* below the tape line: where the flange is measured */
static const double MOST_ROLL = 0.2;        /* rad */
/* of the root F(φ) = 0: rounding errors of φ in rad and of heights of about 0.5 m */
static const double ROLL_TOLERANCE = DBL_EPSILON, ROUNDING = 2 * DBL_EPSILON;

static const char *const side_names[CMB_RAIL_SIDES] = {"left", "right"};

/* ---- the wheelset and the track */

/* Returns how far the outer side of the flange is from the middle of the axle, FLANGE_DEPTH below the tape line; −∞ if the wheel has no
 * flange there. */
static double flange_place(const cmb_contact_side *s)
{
  int i = s->n - 1;
  while (i > 0 && s->eta[i] > s->tape) i--;
  while (i >= 0 && s->r[i] < s->radius + FLANGE_DEPTH) i--;
  if (i < 0) return -INFINITY;
  if (i == s->n - 1) return s->eta[i];
  const double part = (s->radius + FLANGE_DEPTH - s->r[i]) / (s->r[i + 1] - s->r[i]);
  return s->eta[i] + part * (s->eta[i + 1] - s->eta[i]);
}

/* Samples the profiles and places the rails. */
static cmb_status prepare(cmb_contact_geometry *g, const cmb_wheelset *w)
{
  double flanges = 0;
  for (int i = 0; i < CMB_RAIL_SIDES; i++) {
    cmb_contact_side *s = &g->side[i];
    double gauge_point;
    if (!cmb_side_prepare(g->arena, w->wheel[i], w->rail[i], w->back_to_back / 2 + TAPE_FROM_BACK,
                          w->radius, s))
      return cmb_fail_memory(g->ctx);
    if (w->radius <= cmb_profile_about(w->wheel[i]).z_max)
      return cmb_fail(
          g->ctx, CMB_ERROR_INPUT,
          "the radius of %.6g mm is too small for the profile '%s', which rises %.6g mm "
          "above its tape line",
          1000 * w->radius, cmb_profile_about(w->wheel[i]).name,
          1000 * cmb_profile_about(w->wheel[i]).z_max);
    if (!cmb_side_gauge_point(s, &gauge_point)) {
      const cmb_profile_facts rail = cmb_profile_about(w->rail[i]);
      return cmb_fail(
          g->ctx, CMB_ERROR_INPUT,
          "the gauge is measured down to %g mm below the highest point of a rail, but on the "
          "gauge side the profile '%s' ends before",
          1000 * CMB_SIDE_GAUGE_DEPTH, rail.name);
    }
    s->place = w->gauge / 2 - gauge_point;
    flanges += flange_place(s);
  }
  g->play = w->gauge - flanges;
  if (g->play >= 0) return CMB_OK;
  return cmb_fail(
      g->ctx, CMB_ERROR_INPUT,
      "the wheelset does not fit between the rails: its flanges are %.2f mm apart, measured %g mm "
      "below the tape lines, and the gauge is %.2f mm",
      1000 * flanges, 1000 * FLANGE_DEPTH, 1000 * w->gauge);
}

cmb_status cmb_contact_geometry_create(cmb_context *ctx, const cmb_wheelset *w,
                                       cmb_contact_geometry **geometry)
{
  CMB_REQUIRE(ctx, w && geometry, "a contact geometry needs a wheelset and a place for the result");
  *geometry = NULL;
  CMB_REQUIRE(ctx, w->wheel[0] && w->wheel[1] && w->rail[0] && w->rail[1],
              "a wheelset needs two wheels and two rails");
  CMB_REQUIRE(ctx, w->penetration >= 0, "the penetration must not be negative");
  CMB_REQUIRE(ctx, w->radius > 0 && w->back_to_back > 0 && w->gauge > 0,
              "radius, back-to-back distance and gauge must be positive");
  cmb_arena *arena = cmb_arena_create(ctx);
  cmb_contact_geometry *g = arena ? cmb_arena_take(arena, 1, sizeof *g) : NULL;
  if (!g) {
    cmb_arena_destroy(arena);
    return cmb_fail_memory(ctx);
  }
  g->ctx = ctx;
  g->arena = arena;
  g->penetration = w->penetration;
  g->symmetric = w->wheel[0] == w->wheel[1] && w->rail[0] == w->rail[1];
  const cmb_status status = prepare(g, w);
  if (status == CMB_OK) *geometry = g;
  if (status != CMB_OK) cmb_arena_destroy(arena);
  return status;
}

void cmb_contact_geometry_destroy(cmb_contact_geometry *g)
{
  if (g) cmb_arena_destroy(g->arena);
}

double cmb_contact_play(const cmb_contact_geometry *g)
{
  return g->play;
}

double cmb_contact_rail_place(const cmb_contact_geometry *g, cmb_rail_side side)
{
  return side == CMB_RAIL_LEFT ? g->side[side].place : -g->side[side].place;
}

/* ---- contact of both wheels */

/* A lateral displacement and yaw angle, with the contacts of both wheels for the last roll angle. */
struct search {
  cmb_contact_geometry *g;
  double y, yaw;
  cmb_side_pose pose[CMB_RAIL_SIDES];
  cmb_side_contact contact[CMB_RAIL_SIDES];
};

/* Sets the position that both sides see to a roll angle. */
static void set_pose(struct search *x, double roll)
{
  for (int i = 0; i < CMB_RAIL_SIDES; i++) {
    const double sign = i == CMB_RAIL_LEFT ? 1 : -1, ax = -sin(sign * x->yaw) * cos(roll);
    x->pose[i] = (cmb_side_pose){sign * x->y, ax, cos(x->yaw) * cos(roll), sin(sign * roll),
                                 sqrt(1 - ax * ax)};
  }
}

/* Finds the contacts of both wheels for a roll angle. Returns F(φ); NaN if a wheel is not over its rail. */
static double difference(struct search *x, double roll, bool all)
{
  set_pose(x, roll);
  for (int i = 0; i < CMB_RAIL_SIDES; i++) {
    x->contact[i] = cmb_side_touch(&x->g->side[i], &x->pose[i], all);
  }
  const double f = x->contact[CMB_RAIL_LEFT].height - x->contact[CMB_RAIL_RIGHT].height;
  return isfinite(f) ? f : NAN;
}

/* Reports that the wheel on side i cannot touch its rail inside of both profiles. */
static cmb_status complain(const struct search *x, int i)
{
  const cmb_side_contact *c = &x->contact[i];
  const cmb_profile_facts wheel = cmb_profile_about(x->g->side[i].wheel),
                          rail = cmb_profile_about(x->g->side[i].rail);
  const double y = 1000 * x->y;
  if (!isfinite(c->height))
    return cmb_fail(x->g->ctx, CMB_ERROR_INPUT,
                    "at a lateral displacement of %.6g mm the %s wheel is not over its rail", y,
                    side_names[i]);
  const bool of_wheel = c->wheel_u <= 0 || c->wheel_u >= wheel.length;
  return cmb_fail(
      x->g->ctx, CMB_ERROR_INPUT,
      "at a lateral displacement of %.6g mm the %s wheel touches its rail where the profile "
      "'%s' ends",
      y, side_names[i], of_wheel ? wheel.name : rail.name);
}

/* Returns the step of φ by which Newton's method, with F' for contact points that stay where they are, passes F(φ) = f = 0 by 1 %, so that the
 * root lies between; a step by the distance of the tape lines alone where F' is not clearly negative. */
static double newton_step(const struct search *x, double f)
{
  double slope = 0, width = 0;
  for (int i = 0; i < CMB_RAIL_SIDES; i++) {
    const cmb_contact_side *s = &x->g->side[i];
    const cmb_side_contact *c = &x->contact[i];
    const cmb_profile_point r = cmb_profile_at(s->rail, c->rail_u);
    slope += s->place + r.y - x->pose[i].y + c->slope * (r.z - c->height);
    width += s->tape;
  }
  return f / (slope > 0.05 * width ? slope / 1.01 : width);
}

/* Finds a roll angle with F(φ) = 0 to rounding. */
static cmb_status find_roll(struct search *x, double *roll)
{
  double a = 0, fa = difference(x, a, false), b = a, fb = fa, more = 1;
  while (isfinite(fb) && fb != 0 && (fb < 0) == (fa < 0) && fabs(b) < MOST_ROLL) {
    a = b;
    fa = fb;
    b += more * newton_step(x, fb);
    fb = difference(x, b, false);
    more *= 1.1; /* beyond a jump that lies in the way of each step */
  }
  for (int i = 0; i < CMB_RAIL_SIDES; i++) {
    if (!isfinite(fb) && !isfinite(x->contact[i].height)) return complain(x, i);
  }
  *roll = b;
  if (fb == 0) return CMB_OK;
  if ((fb < 0) == (fa < 0))
    return cmb_fail(
        x->g->ctx, CMB_ERROR_INPUT,
        "at a lateral displacement of %.6g mm no roll angle up to %g rad lets both wheels "
        "touch their rails",
        1000 * x->y, MOST_ROLL);
  cmb_root r;
  cmb_root_begin(&r, a, fa, b, fb);
  for (int i = 0; i < 100 && cmb_root_width(&r) > ROLL_TOLERANCE && fabs(r.fa) > ROUNDING; i++) {
    const double next = cmb_root_next(&r);
    cmb_root_update(&r, next, difference(x, next, false));
  }
  *roll = fabs(r.fa) <= fabs(r.fb) ? r.a : r.b;
  return CMB_OK;
}

/* Computes the contact of the wheel on side i from the result of the search. */
static void describe(const struct search *x, int i, cmb_wheel_contact *out)
{
  const cmb_contact_side *s = &x->g->side[i];
  const cmb_side_contact *c = &x->contact[i];
  const cmb_profile_point w = cmb_profile_at(s->wheel, c->wheel_u),
                          r = cmb_profile_at(s->rail, c->rail_u);
  const double y = s->place + r.y;
  *out = (cmb_wheel_contact){.wheel_u = c->wheel_u,
                             .rail_u = c->rail_u,
                             .wheel_y = w.y,
                             .wheel_z = w.z,
                             .rail_y = r.y,
                             .rail_z = r.z,
                             .x = cmb_side_ahead(s, &x->pose[i], c->wheel_u),
                             .y = i == CMB_RAIL_LEFT ? y : -y,
                             .z = r.z,
                             .angle = atan(c->slope),
                             .radius = s->radius - w.z,
                             .penetration = c->penetration,
                             .other_distance = c->height - c->rival,
                             .other_wheel_u = c->rival_u};
}

/* Enters the contacts of both wheels that the search has found, for a wheelset at the height z. */
static cmb_status finish(const struct search *x, double z, double roll,
                         cmb_wheelset_contact *contact)
{
  for (int i = 0; i < CMB_RAIL_SIDES; i++) {
    if (!x->contact[i].tangent) return complain(x, i);
  }
  *contact = (cmb_wheelset_contact){.y = x->y, .yaw = x->yaw, .z = z, .roll = roll};
  for (int i = 0; i < CMB_RAIL_SIDES; i++) describe(x, i, &contact->at[i]);
  return CMB_OK;
}

cmb_status cmb_contact_patch(cmb_contact_geometry *g, double y, double z, double roll, double yaw,
                             cmb_wheelset_contact *contact)
{
  struct search x = {.g = g, .y = y, .yaw = yaw};
  set_pose(&x, roll);
  for (int i = 0; i < CMB_RAIL_SIDES; i++) {
    x.contact[i] = cmb_side_average(&g->side[i], &x.pose[i], z);
    if (x.contact[i].height <= z && isfinite(x.contact[i].height))
      return cmb_fail(
          g->ctx, CMB_ERROR_INPUT,
          "at a lateral displacement of %.6g mm and the height %.6g mm the %s wheel does "
          "not touch its rail",
          1000 * y, 1000 * z, side_names[i]);
  }
  return finish(&x, z, roll, contact);
}

cmb_status cmb_contact_find(cmb_contact_geometry *g, double y, double yaw,
                            cmb_wheelset_contact *contact)
{
  struct search x = {.g = g, .y = y, .yaw = yaw};
  double roll = 0;
  CMB_REQUIRE(g->ctx, isfinite(y) && fabs(yaw) < 1, "the displacement must be finite, |yaw| < 1");
  CMB_TRY(find_roll(&x, &roll));
  difference(&x, roll, true);
  const double z = (x.contact[0].height + x.contact[1].height) / 2;
  CMB_TRY(finish(&x, z, roll, contact));
  if (g->penetration > 0) return cmb_contact_patch(g, y, z - g->penetration, roll, yaw, contact);
  return CMB_OK;
}
