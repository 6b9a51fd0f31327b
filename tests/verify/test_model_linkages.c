/*
 * Mechanisms with closed loops from models/, compared with closed forms:
 *
 * - slider-crank: the piston's motion; the crank's torque by virtual power; the force on the cylinder wall by the balance of moments;
 * - four-bar, four-bar-pin: Freudenstein's equation; the period of one turn as an integral over the crank's angle;
 * - spatial-four-bar: the input-output equation of the RSSR linkage; the period of one turn;
 * - engine-v6: the positions of the pistons, equal firing intervals, and the gas work of a cycle, which equals that of the brake;
 * - peaucellier: the straight line, the inversion, and the crank's speed from the energy.
 *
 * Planes have x to the right and z up, angles count from x towards z. A mechanism of one degree of freedom with the energy
 * E = J(θ) ω²/2 + V(θ) needs the time ∮ dθ/ω(θ) for a turn; the trapezoidal rule converges geometrically for periodic integrands.
 */
#include "check.h"
#include "model_run.h"

#include "math/vec3.h"

#include <stdio.h>

static const double PI = 3.14159265358979323846, GRAVITY = 9.81;

/* ---- slider-crank */

/* Motion of a slider-crank: rod angle φ with a sin θ + l sin φ = 0, piston position x, centre of the rod (cx, cz). */
struct crank {
  double phi, phi1, phi2; /* 1 and 2: first and second derivatives by time, here and below */
  double x, x1, x2;
  double cx1, cz1, cx2, cz2;
};

/* Returns the motion at the crank's angle theta for the crank length a, the rod length l and the constant angular velocity w. */
static struct crank crank_at(double a, double l, double w, double theta)
{
  struct crank k;
  const double s = sin(theta), c = cos(theta);
  k.phi = asin(-a / l * s);
  const double S = sin(k.phi), C = cos(k.phi);
  k.phi1 = -a * c * w / (l * C);
  k.phi2 = (a * s * w * w + l * S * k.phi1 * k.phi1) / (l * C);
  k.x = a * c + l * C;
  k.x1 = -a * s * w - l * S * k.phi1;
  k.x2 = -a * c * w * w - l * (C * k.phi1 * k.phi1 + S * k.phi2);
  k.cx1 = -a * s * w - l / 2 * S * k.phi1;
  k.cz1 = a * c * w + l / 2 * C * k.phi1;
  k.cx2 = -a * c * w * w - l / 2 * (C * k.phi1 * k.phi1 + S * k.phi2);
  k.cz2 = -a * s * w * w + l / 2 * (-S * k.phi1 * k.phi1 + C * k.phi2);
  return k;
}

static void test_slider_crank(void **state)
{
  (void)state;
  const double a = 0.04, l = 0.14, mc = 1.2, mr = 0.5, mp = 0.35, w = 100 * PI;
  const double I = mr * (l * l / 12 + 0.008 * 0.008 / 4), area = PI / 4 * 0.08 * 0.08;
  cmbt_run r;
  cmbt_run_open(&r, "slider-crank", CMB_FORM_EXPLICIT, 0, NULL);
  cmbt_run_to(&r, 0.04, 0.0005);
  assert_int_equal(r.row_count, 81);
  for (int i = 0; i < r.row_count; i++) {
    const double theta = w * cmbt_row(&r, i, "t");
    const struct crank k = crank_at(a, l, w, theta);
    const double left = (0.01 + 2 * a) / (0.01 + a + l - k.x);
    const double air = -1e5 * area * (pow(left, 1.4) - 1);
    cmbt_near(cmbt_row(&r, i, "piston_x"), k.x, 1e-11);
    cmbt_near(cmbt_row(&r, i, "piston_v"), k.x1, 1e-8);
    cmbt_near(cmbt_row(&r, i, "piston_a"), k.x2, 1e-5);
    cmbt_near(cmbt_row(&r, i, "air_force"), air, 1e-4);
    /* power of all forces, inertia forces included, except the motor's */
    double needed = mc * GRAVITY * a / 2 * cos(theta) * w + mr * GRAVITY * k.cz1;
    needed += mr * (k.cx1 * k.cx2 + k.cz1 * k.cz2) + I * k.phi1 * k.phi2;
    needed += (mp * k.x2 - air) * k.x1;
    cmbt_near(cmbt_row(&r, i, "torque"), needed / w, 1e-5);
    /* the moments on the rod about the crank pin give the force (Fx, Fz) of the piston on the rod */
    const double c = cos(k.phi), s = sin(k.phi), Fx = air - mp * k.x2;
    const double moment = I * k.phi2 + mr * l / 2 * (c * (k.cz2 + GRAVITY) - s * k.cx2);
    const double Fz = (moment / l + s * Fx) / c;
    cmbt_near(cmbt_row(&r, i, "side_force"), mp * GRAVITY + Fz, 1e-4);
  }
  cmbt_run_close(&r);
}

/* ---- four-bar */

static const double BAR[4] = {0.10, 0.35, 0.25, 0.30}; /* crank, coupler, rocker, ground */

/* Computes the angles of coupler and rocker from the crank's angle, in the configuration with the coupler joint above. */
static void four_bar_angles(double crank, double *coupler, double *rocker)
{
  const double x = BAR[3] - BAR[0] * cos(crank), z = -BAR[0] * sin(crank), d = hypot(x, z);
  const double turn = acos((d * d + BAR[1] * BAR[1] - BAR[2] * BAR[2]) / (2 * d * BAR[1]));
  *coupler = atan2(z, x) + turn;
  *rocker = atan2(BAR[0] * sin(crank) + BAR[1] * sin(*coupler),
                  BAR[0] * cos(crank) + BAR[1] * cos(*coupler) - BAR[3]);
}

/* Computes the inertia J reduced to the crank, the potential energy V, and the ratio of the rocker's to the crank's angular velocity. */
static void four_bar_energy(double crank, double *J, double *V, double *ratio)
{
  const double line = 4, thick = 0.008 * 0.008 / 4;
  double coupler, rocker, m[3];
  four_bar_angles(crank, &coupler, &rocker);
  for (int i = 0; i < 3; i++) m[i] = line * BAR[i];
  const double w1 = BAR[0] * sin(rocker - crank) / (BAR[1] * sin(coupler - rocker));
  const double w2 = BAR[0] * sin(crank - coupler) / (BAR[2] * sin(rocker - coupler));
  const double vx = -BAR[0] * sin(crank) - BAR[1] / 2 * sin(coupler) * w1;
  const double vz = BAR[0] * cos(crank) + BAR[1] / 2 * cos(coupler) * w1;
  *J = m[0] * (BAR[0] * BAR[0] / 3 + thick) + m[1] * (vx * vx + vz * vz) +
       m[1] * (BAR[1] * BAR[1] / 12 + thick) * w1 * w1 +
       m[2] * (BAR[2] * BAR[2] / 3 + thick) * w2 * w2;
  *V = GRAVITY * (m[0] * BAR[0] / 2 * sin(crank) + m[2] * BAR[2] / 2 * sin(rocker) +
                  m[1] * (BAR[0] * sin(crank) + BAR[1] / 2 * sin(coupler)));
  *ratio = w2;
}

typedef void (*energy_of)(double angle, double *J, double *V, double *ratio);

/* Returns the period of one turn that begins at the angle `start` with the angular velocity w. */
static double time_of_turn(energy_of energy, double start, double w)
{
  enum { PARTS = 4000 };
  double J, V, ratio, sum = 0;
  energy(start, &J, &V, &ratio);
  const double E = J * w * w / 2 + V;
  for (int i = 0; i < PARTS; i++) {
    energy(2 * PI * i / PARTS, &J, &V, &ratio);
    sum += sqrt(J / (2 * (E - V)));
  }
  return sum * 2 * PI / PARTS;
}

/* Checks Freudenstein's equation, the ratio of velocities and the energy along a turn, and that one period turns the crank by 360°. */
static void check_four_bar(const char *name)
{
  const double degree = PI / 180, T = time_of_turn(four_bar_energy, PI / 2, 20);
  const double K1 = BAR[3] / BAR[0], K2 = BAR[3] / BAR[2];
  const double K3 = (BAR[0] * BAR[0] - BAR[1] * BAR[1] + BAR[2] * BAR[2] + BAR[3] * BAR[3]) /
                    (2 * BAR[0] * BAR[2]);
  cmbt_run r;
  cmbt_run_open(&r, name, CMB_FORM_EXPLICIT, 0, NULL);
  cmbt_run_to(&r, T, T / 100);
  for (int i = 0; i < r.row_count; i++) {
    double crank = cmbt_row(&r, i, "crank_angle") * degree, J, V, ratio;
    double rocker = cmbt_row(&r, i, "rocker_angle") * degree;
    cmbt_near(K1 * cos(rocker) - K2 * cos(crank) + K3, cos(crank - rocker), 1e-9);
    four_bar_energy(crank, &J, &V, &ratio);
    cmbt_near(cmbt_row(&r, i, "rocker_rate"), ratio * cmbt_row(&r, i, "crank_rate"), 1e-7);
    cmbt_near(cmbt_row(&r, i, "energy"), cmbt_row(&r, 0, "energy"), 1e-7);
  }
  cmbt_near(cmbt_row(&r, 0, "crank_rate"), 20, 1e-12);
  cmbt_near(cmbt_output(&r, "crank_angle"), 450, 1e-6);
  cmbt_near(cmbt_output(&r, "crank_rate"), 20, 1e-7);
  cmbt_run_close(&r);
}

static void test_four_bar_pin(void **state)
{
  (void)state;
  check_four_bar("four-bar-pin");
}

/* Runs the four-bar with hinges only: three of the five constraints of the hinge that closes the loop are redundant. */
static void test_four_bar(void **state)
{
  (void)state;
  check_four_bar("four-bar");
}

/* ---- spatial-four-bar */

static const double A_LENGTH = 0.06, B_LENGTH = 0.15, C_POINT[3] = {0.20, 0.10, -0.02};

/* Returns ψ(θ) of the RSSR linkage: the rod |B − A| is as long as at θ = ψ = 0, which gives P sin ψ + Q cos ψ = R; on the branch through
 * ψ = 0. */
static double rssr_output(double theta)
{
  const double a = A_LENGTH, b = B_LENGTH, *c = C_POINT;
  const double y = c[1] - a * cos(theta), z = c[2] - a * sin(theta);
  const double rod2 = c[0] * c[0] + (c[1] - a) * (c[1] - a) + (c[2] + b) * (c[2] + b);
  const double P = 2 * b * c[0], Q = 2 * b * z;
  const double R = rod2 - c[0] * c[0] - b * b - y * y - z * z;
  return atan2(P, Q) - acos(R / hypot(P, Q));
}

/* Computes J, V and dψ/dθ of the RSSR linkage at the input angle theta. */
static void rssr_energy(double theta, double *J, double *V, double *ratio)
{
  const double a = A_LENGTH, b = B_LENGTH, psi = rssr_output(theta), thick = 0.01 * 0.01 / 4;
  const double A[3] = {0, a * cos(theta), a * sin(theta)};
  const double B[3] = {C_POINT[0] + b * sin(psi), C_POINT[1], C_POINT[2] + b * cos(psi)};
  const double vA[3] = {0, -a * sin(theta), a * cos(theta)};
  const double slope[3] = {b * cos(psi), 0, -b * sin(psi)};
  double rod[3], vB[3], dv[3], centre[3], turn[3];
  for (int i = 0; i < 3; i++) rod[i] = B[i] - A[i];
  *ratio = cmb_dot3(rod, vA) / cmb_dot3(rod, slope);
  for (int i = 0; i < 3; i++) {
    vB[i] = slope[i] * *ratio;
    dv[i] = vB[i] - vA[i];
    centre[i] = (vA[i] + vB[i]) / 2;
  }
  const double rod2 = cmb_dot3(rod, rod), I = 0.8 * (rod2 / 12 + thick);
  cmb_cross3(rod, dv, turn); /* |rod|² times the rod's angular velocity perpendicular to itself */
  *J = 0.6 * (a * a / 3 + thick) + (b * b / 3 + thick) * *ratio * *ratio +
       0.8 * cmb_dot3(centre, centre) + I * cmb_dot3(turn, turn) / (rod2 * rod2);
  *V = GRAVITY * (0.6 * A[2] / 2 + 0.8 * (A[2] + B[2]) / 2 + (C_POINT[2] + B[2]) / 2);
}

static void test_spatial_four_bar(void **state)
{
  (void)state;
  const double degree = PI / 180, T = time_of_turn(rssr_energy, 0, 30);
  double least = 0, most = 0;
  cmbt_run r;
  cmbt_run_open(&r, "spatial-four-bar", CMB_FORM_EXPLICIT, 0, NULL);
  cmbt_run_to(&r, 2 * T, T / 50);
  for (int i = 0; i < r.row_count; i++) {
    double theta = cmbt_row(&r, i, "input_angle") * degree, J, V, ratio;
    double psi = cmbt_row(&r, i, "output_angle") * degree;
    rssr_energy(theta, &J, &V, &ratio);
    cmbt_near(psi, rssr_output(theta), 1e-9);
    cmbt_near(cmbt_row(&r, i, "output_rate"), ratio * cmbt_row(&r, i, "input_rate"), 1e-7);
    cmbt_near(cmbt_row(&r, i, "energy"), cmbt_row(&r, 0, "energy"), 1e-7);
    least = fmin(least, psi), most = fmax(most, psi);
  }
  assert_true(most - least > 0.5); /* the rocker swings */
  cmbt_near(cmbt_output(&r, "input_angle"), 720, 1e-6);
  cmbt_near(cmbt_output(&r, "input_rate"), 30, 1e-7);
  cmbt_run_close(&r);
}

/* ---- peaucellier */

enum { PO, PD, PA, PB, PC, PP, PLACES };

static const double ARM = 0.5, SIDE = 0.25, CRANK = 0.15;

/* Computes all points for the crank's angle φ; the line OB has the direction φ/2. */
static void peaucellier_points(double phi, double at[PLACES][2])
{
  const double ux = cos(phi / 2), uz = sin(phi / 2);
  const double near = 2 * CRANK * ux, far = (ARM * ARM - SIDE * SIDE) / near;
  const double wide = sqrt(SIDE * SIDE - (far - near) * (far - near) / 4);
  for (int i = 0; i < 2; i++) {
    const double u = i ? uz : ux, across = i ? ux : -uz, middle = (near + far) / 2 * u;
    at[PO][i] = 0;
    at[PD][i] = i ? 0 : CRANK;
    at[PB][i] = near * u;
    at[PP][i] = far * u;
    at[PA][i] = middle + wide * across;
    at[PC][i] = middle - wide * across;
  }
}

/* Returns the reduced inertia J of the seven bars, with velocities of the points by central differences. */
static double peaucellier_inertia(double phi)
{
  static const int ends[7][2] = {{PO, PA}, {PO, PC}, {PD, PB}, {PA, PB},
                                 {PC, PB}, {PA, PP}, {PC, PP}};
  const double h = 1e-5, thick = 0.006 * 0.006 / 4;
  double up[PLACES][2], down[PLACES][2], J = 0;
  peaucellier_points(phi + h, up);
  peaucellier_points(phi - h, down);
  for (int k = 0; k < 7; k++) {
    const int p = ends[k][0], q = ends[k][1];
    double velocity2 = 0, turn2 = 0, length2 = 0;
    for (int i = 0; i < 2; i++) {
      double vp = (up[p][i] - down[p][i]) / (2 * h), vq = (up[q][i] - down[q][i]) / (2 * h);
      velocity2 += (vp + vq) * (vp + vq) / 4;
      turn2 += (vq - vp) * (vq - vp);
      length2 += (up[q][i] - up[p][i]) * (up[q][i] - up[p][i]);
    }
    J += 1.2 * sqrt(length2) * (velocity2 + turn2 / 12 + thick * turn2 / length2);
  }
  return J;
}

static void test_peaucellier(void **state)
{
  (void)state;
  const double far = (ARM * ARM - SIDE * SIDE) / (2 * CRANK);
  const double E = peaucellier_inertia(0) * 3 * 3 / 2;
  double most = 0;
  cmbt_run r;
  cmbt_run_open(&r, "peaucellier", CMB_FORM_EXPLICIT, 0, NULL);
  cmbt_run_to(&r, 5, 0.05);
  for (int i = 0; i < r.row_count; i++) {
    const double phi = cmbt_row(&r, i, "crank_angle") * PI / 180, z = far * tan(phi / 2);
    cmbt_near(cmbt_row(&r, i, "pen_x"), far, 1e-10);
    cmbt_near(cmbt_row(&r, i, "pen_z"), z, 1e-9);
    cmbt_near(cmbt_row(&r, i, "inversion"), ARM * ARM - SIDE * SIDE, 1e-10);
    cmbt_near(cmbt_row(&r, i, "energy"), E, 1e-8);
    const double rate = cmbt_row(&r, i, "crank_rate");
    cmbt_near(peaucellier_inertia(phi) * rate * rate / 2 + 40 * z * z / 2, E, 1e-8);
    most = fmax(most, fabs(z));
  }
  assert_true(most > 0.1);
  cmbt_run_close(&r);
}

/* ---- V6 engine */

enum { CYLINDERS = 6 };
static const double STROKE = 0.086, CONROD = 0.145, SPACE = 0.086 / 9.5,
                    PISTON_AREA = 3.14159265358979323846 / 4 * 0.092 * 0.092;

/* Returns the distance of the piston from its top dead centre, for the crank turned by a since then. */
static double piston_travel(double a)
{
  const double r = STROKE / 2, x = r * sin(a);
  return r + CONROD - r * cos(a) - sqrt(CONROD * CONROD - x * x);
}

/* Returns the gauge pressure of the gas at the crank angle a after the ignition. */
static double gas_pressure(double a)
{
  const double ratio = (SPACE + STROKE) / (SPACE + piston_travel(a));
  const double closed = (1 + tanh((cos(a / 2) - 0.35) / 0.08)) / 2;
  const double burnt = (1 + tanh((sin(a / 2) - 0.1) / 0.08)) / 2;
  return 0.9e5 * closed * (pow(ratio, 1.32) * (1 + 3 * burnt) - 1);
}

/* Returns the gas work ∮ p A dx over the two turns of a cycle, by the trapezoidal rule, since p and x are periodic. */
static double work_of_cycle(void)
{
  enum { PARTS = 20000 };
  const double h = 4 * PI / PARTS, d = 1e-5;
  double sum = 0;
  for (int i = 0; i < PARTS; i++) {
    const double slope = (piston_travel(i * h + d) - piston_travel(i * h - d)) / (2 * d);
    sum += gas_pressure(i * h) * PISTON_AREA * slope;
  }
  return sum * h;
}

/* Compares positions of the pistons and gas pressures with the formulas, and the work of the brake over the last two cycles with that of the
 * gas. */
static void test_engine_v6(void **state)
{
  (void)state;
  static const char *const names[CYLINDERS] = {"left1",  "right1", "left2",
                                               "right2", "left3",  "right3"};
  double work = 0;
  cmbt_run r;
  cmbt_run_open(&r, "engine-v6", CMB_FORM_EXPLICIT, 0, NULL);
  r.rtol = 1e-7;
  cmbt_run_to(&r, 1.2, 0.001);
  const double since =
      cmbt_row(&r, r.row_count - 1, "phi") - 8 * PI; /* two cycles before the end */
  for (int i = 0; i < r.row_count; i++) {
    const double phi = cmbt_row(&r, i, "phi");
    for (int k = 0; k < CYLINDERS; k++) {
      char name[40];
      const double firing = k * PI * 2 / 3, from = piston_travel(-firing);
      snprintf(name, sizeof name, "%s.s", names[k]);
      cmbt_near(cmbt_row(&r, i, name), from - piston_travel(phi - firing), 1e-8);
      snprintf(name, sizeof name, "%s.pressure", names[k]);
      cmbt_near(cmbt_row(&r, i, name), gas_pressure(phi - firing) / 1e5, 1e-8);
    }
    if (i == 0 || phi < since) continue;
    const double torque = cmbt_row(&r, i, "load_torque") + cmbt_row(&r, i - 1, "load_torque");
    work += torque / 2 * (phi - fmax(cmbt_row(&r, i - 1, "phi"), since));
  }
  cmbt_near(work / (2 * CYLINDERS * work_of_cycle()), 1, 1e-3);
  cmbt_run_close(&r);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_slider_crank), cmocka_unit_test(test_four_bar_pin),
      cmocka_unit_test(test_four_bar),     cmocka_unit_test(test_spatial_four_bar),
      cmocka_unit_test(test_peaucellier),  cmocka_unit_test(test_engine_v6),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
