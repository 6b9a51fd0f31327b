/*
 * The quarter car of models/ compared with an independent solution of its kinematics.
 *
 * The three joints of the wheel carrier and the wheel's centre form a tetrahedron of fixed edges. For a given angle of the lower wishbone
 * each further point is an intersection of three spheres, or of a circle and a sphere. This gives the wheel's travel z, camber and toe and
 * the strut's length L; the wheel rate is k L'² + F L'' with L' = dL/dz, the strut's stiffness k and its force F.
 */
#include "check.h"
#include "model_run.h"

#include "math/vec3.h"

#include <stdio.h>

static const double PI = 3.14159265358979323846, GRAVITY = 9.81;

static const double lower_front[3] = {0.16, 0.36, 0.19}, lower_rear[3] = {-0.20, 0.37, 0.20};
static const double lower_ball[3] = {0.005, 0.70, 0.18}, upper_front[3] = {0.13, 0.42, 0.47};
static const double upper_rear[3] = {-0.14, 0.43, 0.455}, upper_ball[3] = {-0.015, 0.66, 0.49};
static const double rod_inner[3] = {-0.13, 0.37, 0.265}, rod_outer[3] = {-0.14, 0.69, 0.26};
static const double spring_top[3] = {0.01, 0.46, 0.60}, spring_seat[3] = {0.005, 0.58, 0.19};
static const double wheel_centre[3] = {0, 0.76, 0.30}, wheel_side[3] = {0, 0.86, 0.30};
static const double lower_com[3] = {-0.012, 0.50, 0.188}, upper_com[3] = {-0.008, 0.52, 0.472};
static const double carrier_com[3] = {-0.008, 0.71, 0.31};

static const double SPRUNG = 380, LOWER = 4.2, UPPER = 2.1, CARRIER = 9, WHEEL = 17;
static const double STIFFNESS = 48000, TYRE = 200000;

static double distance(const double a[3], const double b[3])
{
  const double d[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
  return cmb_norm3(d);
}

/* Computes x rotated by the angle about the line from p to q. */
static void turn(const double p[3], const double q[3], double angle, const double x[3],
                 double out[3])
{
  double axis[3], arm[3], across[3], length = distance(p, q);
  for (int i = 0; i < 3; i++) {
    axis[i] = (q[i] - p[i]) / length;
    arm[i] = x[i] - p[i];
  }
  cmb_cross3(axis, arm, across);
  const double part = (1 - cos(angle)) * cmb_dot3(axis, arm);
  for (int i = 0; i < 3; i++) {
    out[i] = p[i] + cos(angle) * arm[i] + sin(angle) * across[i] + part * axis[i];
  }
}

/* Computes an intersection of the spheres about p[k] with the radii |hint − design[k]|. Of the two points, takes the one that is on the same
 * side of the plane through p as `hint` is of the plane through `design`. */
static void three_spheres(const double *const p[3], const double *const design[3],
                          const double hint[3], double out[3])
{
  double r[3], ex[3], ey[3], ez[3], u[3], v[3];
  for (int k = 0; k < 3; k++) r[k] = distance(design[k], hint);
  for (int i = 0; i < 3; i++) u[i] = p[1][i] - p[0][i], v[i] = p[2][i] - p[0][i];
  const double d = cmb_norm3(u);
  for (int i = 0; i < 3; i++) ex[i] = u[i] / d;
  const double along = cmb_dot3(ex, v);
  for (int i = 0; i < 3; i++) ey[i] = v[i] - along * ex[i];
  const double up = cmb_norm3(ey);
  for (int i = 0; i < 3; i++) ey[i] /= up;
  cmb_cross3(ex, ey, ez);
  const double x = (r[0] * r[0] - r[1] * r[1] + d * d) / (2 * d);
  const double y = (r[0] * r[0] - r[2] * r[2] + along * along + up * up - 2 * along * x) / (2 * up);
  double normal[3], from[3], a[3], b[3];
  for (int i = 0; i < 3; i++) {
    a[i] = design[1][i] - design[0][i], b[i] = design[2][i] - design[0][i];
    from[i] = hint[i] - design[0][i];
  }
  cmb_cross3(a, b, normal);
  const double z = copysign(sqrt(r[0] * r[0] - x * x - y * y), cmb_dot3(normal, from));
  for (int i = 0; i < 3; i++) out[i] = p[0][i] + x * ex[i] + y * ey[i] + z * ez[i];
}

struct corner {
  double wheel[3], axis[3]; /* axis of the wheel, a unit vector outwards */
  double strut;             /* length of the strut */
  double moment;            /* Σ m z of the unsprung bodies */
};

/* Returns the geometry for an angle of the lower wishbone: the angle of the upper wishbone by bisection on the distance of the ball joints,
 * all other points as intersections of spheres. */
static struct corner corner_at(double lower_angle)
{
  double ball[3], upper[3], outer[3], seat[3], side[3], com[3][3], low = -0.6, high = 0.6;
  struct corner c;
  turn(lower_rear, lower_front, lower_angle, lower_ball, ball);
  turn(lower_rear, lower_front, lower_angle, spring_seat, seat);
  const double between = distance(lower_ball, upper_ball);
  for (int i = 0; i < 60; i++) { /* the distance of the ball joints grows with the upper angle */
    turn(upper_rear, upper_front, (low + high) / 2, upper_ball, upper);
    if (distance(ball, upper) > between)
      high = (low + high) / 2;
    else
      low = (low + high) / 2;
  }
  const double *p[3] = {ball, upper, rod_inner}, *design[3] = {lower_ball, upper_ball, rod_inner};
  three_spheres(p, design, rod_outer, outer);
  p[2] = outer, design[2] = rod_outer;
  three_spheres(p, design, wheel_centre, c.wheel);
  three_spheres(p, design, wheel_side, side);
  for (int i = 0; i < 3; i++) c.axis[i] = (side[i] - c.wheel[i]) / 0.1;
  c.strut = distance(spring_top, seat);
  turn(lower_rear, lower_front, lower_angle, lower_com, com[0]);
  turn(upper_rear, upper_front, (low + high) / 2, upper_com, com[1]);
  three_spheres(p, design, carrier_com, com[2]);
  c.moment = LOWER * com[0][2] + UPPER * com[1][2] + CARRIER * com[2][2] + WHEEL * c.wheel[2];
  return c;
}

/* Opens the model with the chassis held fixed and the wheel lifted by `travel`. */
static void open_lifted(cmbt_run *r, double travel)
{
  char text[300];
  snprintf(text, sizeof text,
           "include: [quarter-car.yaml]\nmotions:\n  hold: {coordinate: z, value: 0}\n"
           "  lift: {formula: left.hub.z, value: %.17g}\noutputs: {angle: left.lower_arm}\n",
           0.30 + travel);
  cmbt_run_open_text(r, text, CMB_FORM_EXPLICIT);
  cmbt_run_start(r);
}

static void test_kinematics(void **state)
{
  (void)state;
  for (int k = -4; k <= 4; k++) {
    cmbt_run r;
    open_lifted(&r, 0.02 * k);
    const struct corner c = corner_at(cmbt_output(&r, "angle"));
    cmbt_near(cmbt_output(&r, "left.travel"), 0.02 * k, 1e-10);
    cmbt_near(c.wheel[2] - 0.30, 0.02 * k, 1e-9);
    cmbt_near(cmbt_output(&r, "left.track"), c.wheel[1], 1e-9);
    cmbt_near(cmbt_output(&r, "left.strut_length"), c.strut, 1e-9);
    cmbt_near(cmbt_output(&r, "left.camber"), -asin(c.axis[2]) * 180 / PI, 1e-6);
    cmbt_near(cmbt_output(&r, "left.toe"), -atan2(c.axis[0], c.axis[1]) * 180 / PI, 1e-6);
    cmbt_run_close(&r);
  }
}

/* Returns the geometry for a wheel travel, with the lower wishbone's angle by bisection. */
static struct corner corner_for(double travel)
{
  double low = -0.5, high = 0.5;
  for (int i = 0; i < 60; i++) {
    double middle = (low + high) / 2;
    if (corner_at(middle).wheel[2] - 0.30 > travel)
      high = middle;
    else
      low = middle;
  }
  return corner_at((low + high) / 2);
}

/* Checks at equilibrium that the tyre force equals the total weight, and the virtual work of a wheel travel: tyre force times dz = strut
 * force times dL + weight of the unsprung bodies times their rise. */
static void test_static_load(void **state)
{
  (void)state;
  const double h = 1e-4;
  cmbt_run r;
  cmbt_run_open(&r, "quarter-car", CMB_FORM_EXPLICIT, 0, NULL);
  cmbt_run_settle(&r);
  cmbt_run_start(&r);
  const double travel = cmbt_output(&r, "left.travel"), load = cmbt_output(&r, "left.tyre_force");
  const struct corner above = corner_for(travel + h), below = corner_for(travel - h);
  const double slope = (above.strut - below.strut) / (2 * h);
  const double weight = GRAVITY * (above.moment - below.moment) / (2 * h);
  cmbt_near(load, (SPRUNG + LOWER + UPPER + CARRIER + WHEEL) * GRAVITY, 1e-8);
  cmbt_near(cmbt_output(&r, "left.strut_force") * slope, load - weight, 1e-3);
  cmbt_near(cmbt_output(&r, "acceleration"), 0, 1e-9);
  cmbt_below(fabs(travel), 0.01); /* the model's design position is near its equilibrium */
  cmbt_run_close(&r);
}

/* Computes the eigenfrequencies of two masses on the wheel rate and the tyre's stiffness; half of the wishbones' mass belongs to each. */
static void two_masses(double wheel_rate, double frequency[2])
{
  const double arms = (LOWER + UPPER) / 2, m = SPRUNG + arms, u = CARRIER + WHEEL + arms;
  const double b = wheel_rate / m + (wheel_rate + TYRE) / u, c = wheel_rate * TYRE / (m * u);
  frequency[0] = sqrt((b - sqrt(b * b - 4 * c)) / 2) / (2 * PI);
  frequency[1] = sqrt((b + sqrt(b * b - 4 * c)) / 2) / (2 * PI);
}

/* Compares the frequencies with the model of two masses. In the body's mode the wishbones hardly rotate (limit 0.5 %); in the wheel's mode
 * they do, and half of their mass represents this only roughly (5 %). */
static void test_frequencies(void **state)
{
  (void)state;
  const cmb_setting undamped[] = {{"left.damping", 0}, {"left.tyre_damping", 0}};
  const double h = 1e-3;
  double frequency[2];
  cmb_linearization *lin;
  cmbt_run r;
  cmbt_run_open(&r, "quarter-car", CMB_FORM_RESIDUAL, 2, undamped);
  cmbt_run_settle(&r);
  cmbt_run_start(&r);
  const double travel = cmbt_output(&r, "left.travel"), F = cmbt_output(&r, "left.strut_force");
  const double below = corner_for(travel - h).strut, above = corner_for(travel + h).strut;
  const double slope = (above - below) / (2 * h);
  const double bend = (above - 2 * corner_for(travel).strut + below) / (h * h);
  two_masses(STIFFNESS * slope * slope + F * bend, frequency);
  cmbt_ok(r.ctx, cmb_linearize(r.ctx, r.eq, 0, r.result->q, r.result->v, &lin));
  const cmb_eigenmode *last = &lin->eigenmodes[lin->eigenmode_count - 2];
  assert_true(lin->eigenmodes[0].neutral); /* rotation of the wheel */
  cmbt_near(last[0].frequency / frequency[0], 1, 0.005);
  cmbt_near(last[1].frequency / frequency[1], 1, 0.05);
  cmb_linearization_destroy(lin);
  cmbt_run_close(&r);
}

/* Checks over a bump that the energy changes by the work of road and dampers and that the suspension returns to its initial travel. */
static void test_bump(void **state)
{
  (void)state;
  cmbt_run r;
  cmbt_run_open(&r, "quarter-car", CMB_FORM_EXPLICIT, 0, NULL);
  cmbt_run_settle(&r);
  cmbt_run_to(&r, 6, 0.0005);
  double first = cmbt_row(&r, 0, "energy"), travel = cmbt_row(&r, 0, "left.travel"), most = 0;
  for (int i = 0; i < r.row_count; i++) {
    most = fmax(most, fabs(cmbt_row(&r, i, "energy") - first));
    assert_true(cmbt_row(&r, i, "left.tyre_force") > 0);
  }
  assert_true(most > 50);
  cmbt_near(cmbt_integral(&r, "power"), cmbt_output(&r, "energy") - first, 1e-5 * most);
  cmbt_near(cmbt_output(&r, "left.travel"), travel, 1e-4);
  cmbt_run_close(&r);
}

/* Checks the same energy balance in the middle of the bump, where the energy differs much from its initial value. */
static void test_energy_in_the_bump(void **state)
{
  (void)state;
  cmbt_run r;
  cmbt_run_open(&r, "quarter-car", CMB_FORM_EXPLICIT, 0, NULL);
  cmbt_run_settle(&r);
  cmbt_run_to(&r, 0.2, 0.0001);
  double gain = cmbt_output(&r, "energy") - cmbt_row(&r, 0, "energy");
  assert_true(fabs(gain) > 10);
  cmbt_near(cmbt_integral(&r, "power"), gain, 1e-5 * fabs(gain));
  cmbt_run_close(&r);
}

/* Checks that a mirrored right corner has the same lengths and forces as the left one, and the opposite y. */
static void test_mirrored(void **state)
{
  (void)state;
  static const char text[] = "include: [quarter-car.yaml]\ninstances:\n"
                             "  right: {template: corner, mirror: y}\n";
  static const char *const same[] = {"travel", "strut_length", "strut_force", "rod_force",
                                     "tyre_force"};
  cmbt_run r;
  cmbt_run_open_text(&r, text, CMB_FORM_EXPLICIT);
  cmbt_run_to(&r, 0.5, 0.01);
  for (int i = 0; i < r.row_count; i++) {
    for (int k = 0; k < 5; k++) {
      char left[40], right[40];
      snprintf(left, sizeof left, "left.%s", same[k]);
      snprintf(right, sizeof right, "right.%s", same[k]);
      const double x = cmbt_row(&r, i, left);
      cmbt_near(cmbt_row(&r, i, right), x, 1e-7 * fmax(1, fabs(x)));
    }
    cmbt_near(cmbt_row(&r, i, "right.track"), -cmbt_row(&r, i, "left.track"), 1e-9);
  }
  assert_true(fabs(cmbt_output(&r, "left.travel")) > 0.001);
  cmbt_run_close(&r);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_kinematics),         cmocka_unit_test(test_static_load),
      cmocka_unit_test(test_frequencies),        cmocka_unit_test(test_bump),
      cmocka_unit_test(test_energy_in_the_bump), cmocka_unit_test(test_mirrored),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
