/*
 * Tests of the contact geometry of a wheelset (camber/rail.h): cones on rails with circular heads against closed forms; S1002 on UIC60 against
 * the surface of the wheel in space, in mirror images, and at jumps; and what is refused.
 */
#include "check.h"
#include "failing_allocator.h"
#include "random.h"

#include <camber/rail.h>
#include <string.h>

enum { CONE_POINTS = 25, ARC_POINTS = 2001 };

static const double SLOPE = 0.05,
                    HEAD = 0.020; /* of the cone; radius of the head of the rail, in m */
static const double RADIUS = 0.46, BACK = 1.36, GAUGE = 1.435;

static cmb_context *ctx;

static int begin(void **state)
{
  (void)state;
  ctx = cmb_context_create(NULL);
  return ctx ? 0 : -1;
}

static int end(void **state)
{
  (void)state;
  cmb_context_destroy(ctx);
  return 0;
}

/* Creates a conical wheel: z = SLOPE y. */
static cmb_profile *cone(void)
{
  double y[CONE_POINTS], z[CONE_POINTS];
  cmb_profile *p = NULL;
  for (int i = 0; i < CONE_POINTS; i++) {
    y[i] = -0.06 + 0.12 * i / (CONE_POINTS - 1);
    z[i] = SLOPE * y[i];
  }
  cmbt_ok(ctx, cmb_profile_create(ctx, "cone", CMB_PROFILE_WHEEL, CONE_POINTS, y, z, NULL, &p));
  return p;
}

/* Creates a rail whose head is an arc of the radius HEAD and 80° to both sides of the crown. */
static cmb_profile *arc(void)
{
  static double y[ARC_POINTS], z[ARC_POINTS];
  cmb_profile *p = NULL;
  for (int i = 0; i < ARC_POINTS; i++) {
    const double angle = 80 / 57.29577951308232 * (2.0 * i / (ARC_POINTS - 1) - 1);
    y[i] = HEAD * sin(angle);
    z[i] = HEAD * (cos(angle) - 1);
  }
  cmbt_ok(ctx, cmb_profile_create(ctx, "arc", CMB_PROFILE_RAIL, ARC_POINTS, y, z, NULL, &p));
  return p;
}

/* A wheelset with the same profiles on both sides. */
struct wheelset {
  cmb_profile *wheel, *rail;
  cmb_contact_geometry *geometry;
};

static struct wheelset create(cmb_profile *wheel, cmb_profile *rail)
{
  struct wheelset w = {.wheel = wheel, .rail = rail};
  const cmb_wheelset set = {.wheel = {wheel, wheel},
                            .rail = {rail, rail},
                            .radius = RADIUS,
                            .back_to_back = BACK,
                            .gauge = GAUGE};
  cmbt_ok(ctx, cmb_contact_geometry_create(ctx, &set, &w.geometry));
  return w;
}

static struct wheelset create_standard(void)
{
  cmb_profile *wheel = NULL, *rail = NULL;
  const cmb_profile_options canted = {.cant = atan(1.0 / 40)};
  cmbt_ok(ctx, cmb_profile_open(ctx, "S1002", CMB_PROFILE_WHEEL, NULL, &wheel));
  cmbt_ok(ctx, cmb_profile_open(ctx, "UIC60", CMB_PROFILE_RAIL, &canted, &rail));
  return create(wheel, rail);
}

static void destroy(struct wheelset *w)
{
  cmb_contact_geometry_destroy(w->geometry);
  cmb_profile_destroy(w->wheel);
  cmb_profile_destroy(w->rail);
}

/* ---- cones on circular heads: without yaw the outline of a wheel is a straight line, tangent to the circle */

/* The position of the outline of a wheel, with y outwards, in a wheelset with the roll angle `roll` about its own side: the angle of the line,
 * and its distance from the centre of the rail's head minus HEAD, which is 0 in contact. */
struct line {
  double angle, gap, along; /* along: from the tape point to the contact point, on the line */
};

static struct line line_of(double y, double z, double roll)
{
  const double b = BACK / 2 + 0.070;
  /* the innermost point of the rail down to 14 mm is at half the gauge */
  const double head = GAUGE / 2 + HEAD * sin(acos(1 - 0.014 / HEAD));
  const double angle = atan(SLOPE) + roll;
  const double dy = head - (y + b * cos(roll) + RADIUS * sin(roll)),
               dz = -HEAD - (z + b * sin(roll) - RADIUS * cos(roll));
  return (struct line){.angle = angle,
                       .gap = dy * sin(angle) - dz * cos(angle) - HEAD,
                       .along = dy * cos(angle) + dz * sin(angle)};
}

/* Solves for the height and the roll angle of cones at the displacement y by Newton's method with difference quotients. */
static void solve_cones(double y, double *z, double *roll)
{
  *z = RADIUS;
  *roll = 0;
  for (int i = 0; i < 20; i++) {
    const double h = 1e-6, l = line_of(y, *z, *roll).gap, r = line_of(-y, *z, -*roll).gap;
    const double lz = (line_of(y, *z + h, *roll).gap - line_of(y, *z - h, *roll).gap) / (2 * h),
                 rz = (line_of(-y, *z + h, -*roll).gap - line_of(-y, *z - h, -*roll).gap) / (2 * h),
                 lr = (line_of(y, *z, *roll + h).gap - line_of(y, *z, *roll - h).gap) / (2 * h),
                 rr = (line_of(-y, *z, -*roll - h).gap - line_of(-y, *z, -*roll + h).gap) / (2 * h);
    const double below = lz * rr - lr * rz;
    *z -= (l * rr - r * lr) / below;
    *roll -= (lz * r - rz * l) / below;
  }
}

/* Returns Δr of cones. */
static double cone_difference(double y)
{
  double z, roll;
  solve_cones(y, &z, &roll);
  return SLOPE * cos(atan(SLOPE)) * (line_of(-y, z, -roll).along - line_of(y, z, roll).along);
}

static void test_cones(void **state)
{
  (void)state;
  struct wheelset w = create(cone(), arc());
  assert_true(isinf(cmb_contact_play(w.geometry)));
  for (int i = -10; i <= 10; i++) {
    const double y = 1e-3 * i;
    double z, roll;
    cmb_wheelset_contact c;
    cmbt_ok(ctx, cmb_contact_find(w.geometry, y, 0, &c));
    solve_cones(y, &z, &roll);
    cmbt_near(c.z, z, 1e-10);
    cmbt_near(c.roll, roll, 1e-10);
    for (int side = 0; side < CMB_RAIL_SIDES; side++) {
      const double sign = side == CMB_RAIL_LEFT ? 1 : -1;
      const struct line l = line_of(sign * y, z, sign * roll);
      cmbt_near(c.at[side].angle, l.angle, 1e-9);
      /* the derivative of a spline through points at 0.03 mm gives the place on the arc */
      cmbt_near(c.at[side].wheel_y, l.along * cos(atan(SLOPE)), 1e-9);
      cmbt_near(c.at[side].radius, RADIUS - SLOPE * c.at[side].wheel_y, 1e-14);
      cmbt_near(c.at[side].x, 0, 0);
    }
    cmbt_near(c.at[0].radius - c.at[1].radius, cone_difference(y), 1e-10);
  }
  destroy(&w);
}

/* The conicity is that of Δr by Simpson's rule; for small amplitudes it is that of Wickens for cones with the slope s on rails with the radius
 * R of the head, s (e + R s)/(e − r s), where e is half the distance of the contact points, up to terms of the relative order s². */
static void test_conicity_of_cones(void **state)
{
  (void)state;
  enum { N = 400 };
  struct wheelset w = create(cone(), arc());
  const double amplitude[3] = {1e-4, 3e-3, 8e-3};
  double conicity[3], centre[3];
  cmb_wheelset_contact c;
  cmbt_ok(ctx, cmb_contact_conicity(w.geometry, 3, amplitude, conicity, centre));
  for (int k = 0; k < 3; k++) {
    double sum = 0;
    for (int i = 0; i <= N; i++) {
      const double phase = 3.14159265358979323846 / 2 * i / N;
      const double factor = i == 0 || i == N ? 1 : i % 2 ? 4 : 2;
      sum += factor * cone_difference(amplitude[k] * sin(phase)) * sin(phase);
    }
    cmbt_near(conicity[k], sum / (3 * N * amplitude[k]), 1e-7);
    cmbt_near(centre[k], 0, 0);
  }
  cmbt_ok(ctx, cmb_contact_find(w.geometry, 0, 0, &c));
  const double e = c.at[CMB_RAIL_LEFT].y;
  cmbt_near(conicity[0], SLOPE * (e + HEAD * SLOPE) / (e - RADIUS * SLOPE),
            2 * SLOPE * SLOPE * SLOPE);
  destroy(&w);
}

/* With a rail 1 mm farther out on the right, the wave of cones is displaced by half of it to the right, and its conicity stays the same. */
static void test_centre(void **state)
{
  (void)state;
  struct wheelset w = create(cone(), arc());
  double y[ARC_POINTS], z[ARC_POINTS], amplitude = 2e-3, conicity[2], centre[2];
  cmb_profile *moved = NULL;
  /* the gauge point of this rail, 14 mm below its crown on a flank, is 1 mm nearer to its head */
  for (int i = 0; i < ARC_POINTS; i++) {
    const double angle = 80 / 57.29577951308232 * (2.0 * i / (ARC_POINTS - 1) - 1);
    y[i] = HEAD * sin(angle);
    z[i] = HEAD * (cos(angle) - 1);
    const double part = fmax(0, fmin(1, (-1 - angle) / 0.24));
    y[i] += 1e-3 * part * part * (3 - 2 * part);
  }
  cmbt_ok(ctx, cmb_profile_create(ctx, "moved", CMB_PROFILE_RAIL, ARC_POINTS, y, z, NULL, &moved));
  const cmb_wheelset set = {.wheel = {w.wheel, w.wheel},
                            .rail = {w.rail, moved},
                            .radius = RADIUS,
                            .back_to_back = BACK,
                            .gauge = GAUGE};
  cmb_contact_geometry *g = NULL;
  cmbt_ok(ctx, cmb_contact_geometry_create(ctx, &set, &g));
  cmbt_near(cmb_contact_rail_place(g, CMB_RAIL_RIGHT) -
                cmb_contact_rail_place(w.geometry, CMB_RAIL_RIGHT),
            1e-3, 1e-6);
  cmbt_ok(ctx, cmb_contact_conicity(w.geometry, 1, &amplitude, conicity, centre));
  cmbt_ok(ctx, cmb_contact_conicity(g, 1, &amplitude, conicity + 1, centre + 1));
  cmbt_near(centre[1], 0.5e-3, 1e-6);
  cmbt_near(conicity[1], conicity[0], 2e-4);
  cmb_contact_geometry_destroy(g);
  cmb_profile_destroy(moved);
  destroy(&w);
}

/* ---- S1002 on UIC60 */

/* Returns the height of the rail below a point at y outwards of the left side, by bisection over the arc length; −∞ beside it. */
static double rail_height(const struct wheelset *w, double y)
{
  double a = 0, b = cmb_profile_about(w->rail).length;
  y -= cmb_contact_rail_place(w->geometry, CMB_RAIL_LEFT);
  if (y < cmb_profile_at(w->rail, a).y || y > cmb_profile_at(w->rail, b).y) return -INFINITY;
  for (int i = 0; i < 45; i++) {
    const double m = (a + b) / 2;
    if (cmb_profile_at(w->rail, m).y < y)
      a = m;
    else
      b = m;
  }
  return cmb_profile_at(w->rail, (a + b) / 2).z;
}

/* Returns the least height of points of a wheel's surface above its rail, over a grid of profile points and angles about the axle. */
static double least_distance(const struct wheelset *w, const cmb_wheelset_contact *c, int side)
{
  const double sign = side == CMB_RAIL_LEFT ? 1 : -1;
  const double length = cmb_profile_about(w->wheel).length, b = BACK / 2 + 0.070;
  const double cr = cos(sign * c->roll), sr = sin(sign * c->roll), cy = cos(sign * c->yaw),
               sy = sin(sign * c->yaw);
  double least = INFINITY;
  for (int i = 0; i <= 300; i++) {
    const cmb_profile_point p = cmb_profile_at(w->wheel, length * i / 300);
    for (int k = -40; k <= 40; k++) {
      /* a point of the wheel in its own axes, rolled, then yawed */
      const double angle = 0.15 * k / 40, r = RADIUS - p.z;
      const double x0 = r * sin(angle), y0 = b + p.y, z0 = -r * cos(angle);
      const double y1 = cr * y0 - sr * z0, z1 = sr * y0 + cr * z0;
      const double y2 = sy * x0 + cy * y1 + sign * c->y;
      /* the rail is nowhere above 0 */
      if (z1 + c->z < least) least = fmin(least, z1 + c->z - rail_height(w, y2));
    }
  }
  return least;
}

/* Nowhere does the surface of a wheel, sampled in space, go below that of the rail, and it comes near it; with yaw and roll. */
static void test_no_penetration(void **state)
{
  (void)state;
  struct wheelset w = create_standard();
  struct cmbt_random random = {11};
  for (int i = 0; i < 12; i++) {
    const double y = cmbt_random_uniform(&random, -0.012, 0.012),
                 yaw = cmbt_random_uniform(&random, -0.05, 0.05);
    cmb_wheelset_contact c;
    cmbt_ok(ctx, cmb_contact_find(w.geometry, y, yaw, &c));
    for (int side = 0; side < CMB_RAIL_SIDES; side++) {
      const double least = least_distance(&w, &c, side);
      cmbt_below(-least, 1e-12);
      cmbt_below(least, 2e-4); /* the grid has points at 0.5 mm */
    }
  }
  destroy(&w);
}

/* In the contact point both surfaces have the same place and tangent plane. */
static void test_contact_point(void **state)
{
  (void)state;
  struct wheelset w = create_standard();
  for (int i = -6; i <= 6; i++) {
    const double yaw = 0.004 * i;
    cmb_wheelset_contact c;
    cmbt_ok(ctx, cmb_contact_find(w.geometry, 1.5e-3 * i, yaw, &c));
    const cmb_wheel_contact *left = &c.at[CMB_RAIL_LEFT];
    const cmb_profile_point p = cmb_profile_at(w.wheel, left->wheel_u),
                            q = cmb_profile_at(w.rail, left->rail_u);
    /* from the centre of the wheelset, in its axes: back by yaw, then by roll */
    const double x0 = left->x, y0 = left->y - c.y, z0 = left->z - c.z;
    const double x = cos(yaw) * x0 + sin(yaw) * y0, y1 = cos(yaw) * y0 - sin(yaw) * x0;
    const double y = cos(c.roll) * y1 + sin(c.roll) * z0, z = cos(c.roll) * z0 - sin(c.roll) * y1;
    cmbt_near(y, BACK / 2 + 0.070 + p.y, 1e-13);
    cmbt_near(hypot(x, z), left->radius, 1e-13);
    cmbt_near(left->radius, RADIUS - p.z, 1e-15);
    /* the normal of the wheel there is that of the rail, which has no part along x */
    const double n0[3] = {p.dy * x / hypot(x, z), p.dz, p.dy * z / hypot(x, z)};
    const double n1 = cos(c.roll) * n0[1] - sin(c.roll) * n0[2],
                 nz = sin(c.roll) * n0[1] + cos(c.roll) * n0[2];
    const double nx = cos(yaw) * n0[0] - sin(yaw) * n1, ny = sin(yaw) * n0[0] + cos(yaw) * n1;
    cmbt_near(nx, 0, 1e-12);
    cmbt_near(ny * q.dy + nz * q.dz, 0, 1e-12);
    cmbt_near(tan(left->angle), q.dz / q.dy, 1e-12);
  }
  destroy(&w);
}

/* The mirror image across the track exchanges the sides; the one along the track changes the sign of x. */
static void test_mirror_images(void **state)
{
  (void)state;
  struct wheelset w = create_standard();
  for (int i = 0; i <= 9; i++) {
    const double y = 1.1e-3 * i, yaw = 0.003 * (i - 3);
    cmb_wheelset_contact c, across, along;
    cmbt_ok(ctx, cmb_contact_find(w.geometry, y, yaw, &c));
    cmbt_ok(ctx, cmb_contact_find(w.geometry, -y, -yaw, &across));
    cmbt_ok(ctx, cmb_contact_find(w.geometry, y, -yaw, &along));
    cmbt_near(across.z, c.z, 1e-15);
    cmbt_near(across.roll, -c.roll, 1e-15);
    cmbt_near(along.roll, c.roll, 1e-15);
    for (int side = 0; side < CMB_RAIL_SIDES; side++) {
      const cmb_wheel_contact *a = &c.at[side], *b = &across.at[1 - side], *d = &along.at[side];
      cmbt_near(b->y, -a->y, 1e-11);
      cmbt_near(b->x, a->x, 1e-11);
      cmbt_near(b->angle, a->angle, 1e-10);
      cmbt_near(d->y, a->y, 1e-11);
      cmbt_near(d->x, -a->x, 1e-11);
    }
  }
  destroy(&w);
}

/* At a jump both places touch: the next local minimum has no distance, and is where the contact point is on the other side of the jump. At 6.25
 * mm, where wheel and rail both have the radius 13 mm, several small jumps follow each other within 1e-7 m. The grid of the search does not
 * matter. */
static void test_jumps(void **state)
{
  (void)state;
  struct wheelset w = create_standard();
  static const double known[] = {0.20901e-3, 4.84770e-3, 6.25180e-3};
  cmb_contact_jump jump[16];
  int count = 0;
  cmbt_ok(ctx, cmb_contact_jumps(w.geometry, 0, 8e-3, 0, 0, 16, jump, &count));
  assert_int_equal(count, 3);
  for (int i = 0; i < 3; i++) {
    const cmb_wheel_contact *a = &jump[i].before.at[jump[i].side],
                            *b = &jump[i].after.at[jump[i].side];
    assert_int_equal(jump[i].side, CMB_RAIL_LEFT);
    assert_true(fabs(a->wheel_u - b->wheel_u) > 1e-3);
    cmbt_near(jump[i].before.y, known[i], 1e-6);
    cmbt_below(jump[i].after.y - jump[i].before.y, i < 2 ? 1e-10 : 1e-7);
    if (i == 2) continue;
    cmbt_below(a->other_distance, 1e-9);
    cmbt_below(b->other_distance, 1e-9);
    cmbt_near(a->other_wheel_u, b->wheel_u, 1e-6);
    cmbt_near(b->other_wheel_u, a->wheel_u, 1e-6);
  }
  for (int i = 0; i < 12; i++) {
    cmbt_ok(ctx, cmb_contact_jumps(w.geometry, 6.2e-3 - 1e-6 * i, 6.3e-3 + 7e-6 * i, 0, 0, 16, jump,
                                   &count));
    assert_int_equal(count, 1);
  }
  /* with quasi-elastic contact there is none */
  const cmb_wheelset set = {.wheel = {w.wheel, w.wheel},
                            .rail = {w.rail, w.rail},
                            .radius = RADIUS,
                            .back_to_back = BACK,
                            .gauge = GAUGE,
                            .penetration = 2e-5};
  cmb_contact_geometry *soft = NULL;
  cmbt_ok(ctx, cmb_contact_geometry_create(ctx, &set, &soft));
  cmbt_ok(ctx, cmb_contact_jumps(soft, 0, 6e-3, 0, 0, 16, jump, &count));
  assert_int_equal(count, 0);
  cmb_contact_geometry_destroy(soft);
  destroy(&w);
}

/* ---- quasi-elastic contact */

/* For a cone on an arc, the mean of the region of penetration is the place of rigid contact up to the third order of its size. */
static void test_small_patch(void **state)
{
  (void)state;
  struct wheelset w = create(cone(), arc());
  for (int i = -3; i <= 3; i++) {
    cmb_wheelset_contact rigid, soft;
    cmbt_ok(ctx, cmb_contact_find(w.geometry, 2e-3 * i, 0.002 * i, &rigid));
    cmbt_ok(ctx,
            cmb_contact_patch(w.geometry, rigid.y, rigid.z - 1e-5, rigid.roll, rigid.yaw, &soft));
    for (int side = 0; side < CMB_RAIL_SIDES; side++) {
      cmbt_near(soft.at[side].penetration, 1e-5, 1e-8);
      cmbt_near(soft.at[side].y, rigid.at[side].y, 1e-6);
      cmbt_near(soft.at[side].angle, rigid.at[side].angle, 1e-4);
    }
  }
  destroy(&w);
}

/* ---- what is refused */

static void refuse(const cmb_wheelset *set, double y, const char *words)
{
  cmb_contact_geometry *g = NULL;
  cmb_wheelset_contact c;
  cmb_status status = cmb_contact_geometry_create(ctx, set, &g);
  if (status == CMB_OK) status = cmb_contact_find(g, y, 0, &c);
  assert_int_equal(status, CMB_ERROR_INPUT);
  if (!strstr(cmb_last_error(ctx), words))
    fail_msg("'%s' has not '%s'", cmb_last_error(ctx), words);
  cmb_contact_geometry_destroy(g);
}

static void test_refusals(void **state)
{
  (void)state;
  struct wheelset w = create_standard();
  cmb_wheelset_contact c;
  const cmb_wheelset good = {.wheel = {w.wheel, w.wheel},
                             .rail = {w.rail, w.rail},
                             .radius = RADIUS,
                             .back_to_back = BACK,
                             .gauge = GAUGE};
  cmb_wheelset set = good;
  set.gauge = 1.42;
  refuse(&set, 0, "does not fit between the rails: its flanges are 1425.00 mm apart");
  set.gauge = 1.6;
  refuse(&set, 0,
         "at a lateral displacement of 0 mm the left wheel touches its rail where the profile "
         "'S1002' ends");
  set.gauge = 1.7;
  refuse(&set, 0, "at a lateral displacement of 0 mm the left wheel is not over its rail");
  set.gauge = 1.5;
  refuse(&set, 0.05, "the right wheel");
  set = good;
  set.radius = 1e-3;
  refuse(&set, 0, "the radius of 1 mm is too small for the profile 'S1002'");
  assert_int_equal(cmb_contact_patch(w.geometry, 0, 0.47, 0, 0, &c), CMB_ERROR_INPUT);
  assert_non_null(strstr(cmb_last_error(ctx), "the left wheel does not touch its rail"));
  /* a rail that ends 5 mm below its crown */
  double y[41], z[41];
  for (int i = 0; i <= 40; i++) {
    y[i] = 1e-3 * (i - 20);
    z[i] = 0.0125 * (cos(y[i] / 0.0225) - 1);
  }
  cmb_profile *flat = NULL;
  cmbt_ok(ctx, cmb_profile_create(ctx, "flat", CMB_PROFILE_RAIL, 41, y, z, NULL, &flat));
  set = good;
  set.rail[CMB_RAIL_RIGHT] = flat;
  refuse(&set, 0,
         "down to 14 mm below the highest point of a rail, but on the gauge side the profile "
         "'flat' ends before");
  cmb_profile_destroy(flat);
  destroy(&w);
}

/* Each allocation that fails is reported, and nothing is leaked. */
static void test_memory(void **state)
{
  (void)state;
  struct wheelset w = create_standard();
  const cmb_wheelset set = {.wheel = {w.wheel, w.wheel},
                            .rail = {w.rail, w.rail},
                            .radius = RADIUS,
                            .back_to_back = BACK,
                            .gauge = GAUGE};
  const double amplitude = 1e-4;
  for (long k = 1;; k++) {
    struct cmbt_allocator memory;
    cmb_contact_geometry *g = NULL;
    double conicity, centre;
    cmbt_allocator_init(&memory);
    cmb_context *own = cmb_context_create(&memory.hook);
    assert_non_null(own);
    memory.fail_at = memory.calls + k;
    cmb_status status = cmb_contact_geometry_create(own, &set, &g);
    if (status == CMB_OK) status = cmb_contact_conicity(g, 1, &amplitude, &conicity, &centre);
    assert_int_equal(status, memory.refused ? CMB_ERROR_MEMORY : CMB_OK);
    cmb_contact_geometry_destroy(g);
    cmb_context_destroy(own);
    assert_int_equal(memory.outstanding, 0);
    if (!memory.refused) break;
  }
  destroy(&w);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_cones),         cmocka_unit_test(test_conicity_of_cones),
      cmocka_unit_test(test_centre),        cmocka_unit_test(test_no_penetration),
      cmocka_unit_test(test_contact_point), cmocka_unit_test(test_mirror_images),
      cmocka_unit_test(test_jumps),         cmocka_unit_test(test_small_patch),
      cmocka_unit_test(test_refusals),      cmocka_unit_test(test_memory)};
  return cmocka_run_group_tests(tests, begin, end);
}
