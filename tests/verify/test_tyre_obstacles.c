/*
 * Tyres on obstacles, on roads with switches, and in the air above waves (dyn/tyre_force.c, distances of dyn/road.c):
 *
 *   - a tyre that is only a spring conserves the energy at steps, walls, half-cylinders, bumps and on sums of them, at several speeds; with a
 *     damper the loss is the damper's work;
 *   - its deflection is that of the nearest of many points of the road;
 *   - on a slope far from an obstacle it has the same load as on the slope alone;
 *   - a wheel that is thrown above a wavy road lands on it.
 */
#include "check.h"
#include "model_run.h"

#include <math.h>
#include <stdio.h>

static const double R = 0.3, k = 50000;

/* A wheel of 20 kg that rolls along x, with the deflection due to its own weight at the start. */
#define WHEEL(road, speed, axis, more)                                                             \
  "gravity: [0, 0, -10]\n"                                                                         \
  "points: {W: [0, 0, 0.296]}\n"                                                                   \
  "roads:\n"                                                                                       \
  "  r: " road "\n"                                                                                \
  "  hill: {type: formula, height: 0.04*x + 0.02*y}\n"                                             \
  "  waves: {type: sine, amplitude: 0.01, wavelength: 1.7}\n"                                      \
  "  step: {type: stair, rise: 0.1, tread: 0.7, count: 2, at: [1, 0, 0]}\n"                        \
  "  pipe: {type: half-cylinder, radius: 0.08, at: [3, 0, 0]}\n"                                   \
  "bodies: {wheel: {mass: 20, com: W, inertia: [1, 2, 1]}}\n"                                      \
  "joints: {p: {type: planar, child: wheel, at: W, axes: [x, z], rate: [" speed ", 0, 0]}}\n"      \
  "forces: {t1: {type: tyre, on: wheel@W, axis: " axis                                             \
  ", road: r, radius: 0.3, stiffness: 50000" more "}}\n"                                           \
  "outputs: {E: 'energy + if(t1.deflection > 0, 25000*t1.deflection^2, 0)', X: wheel.x, Z: "       \
  "wheel.z, rho: t1.deflection, Fz: t1.Fz, fx: t1.fx, fy: t1.fy, fz: t1.fz}\n"

/* Returns the largest relative change of a column from its first value, and the smallest and largest deflection. */
static double change_of(const cmbt_run *r, const char *name, double *least, double *most)
{
  double worst = 0;
  const double first = cmbt_row(r, 0, name);
  *least = INFINITY, *most = -INFINITY;
  for (int i = 0; i < r->row_count; i++) {
    worst = fmax(worst, fabs(cmbt_row(r, i, name) / first - 1));
    *least = fmin(*least, cmbt_row(r, i, "rho"));
    *most = fmax(*most, cmbt_row(r, i, "rho"));
  }
  return worst;
}

static void test_spring_conserves_energy(void **state)
{
  (void)state;
#define CASES(X)                                                                                   \
  X("{type: stair, rise: 0.1, tread: 2, count: 1, at: [1, 0, 0]}", "y")                            \
  X("{type: stair, rise: 0.2, tread: 2, count: 1, at: [1, 0, 0]}", "y")                            \
  X("{type: stair, rise: 0.6, tread: 2, count: 1, at: [1, 0, 0]}", "y")                            \
  X("{type: stair, rise: 0.05, tread: 0.4, count: 6, at: [1, 0, 0]}", "y")                         \
  X("{type: half-cylinder, radius: 0.1, at: [1, 0, 0]}", "y")                                      \
  X("{type: bump, height: 0.05, length: 0.8, at: [1, 0, 0]}", "y")                                 \
  X("{type: half-cylinder, radius: 0.1, at: [1, 0, 0], direction: [1, 0.5, 0]}", "[0, 1, 0.1]")    \
  X("{type: stair, rise: 0.1, tread: 0.4, count: 2, at: [1, 0, 0]}", "[0.4, 1, 0.1]")              \
  X("{type: bump, height: 0.05, length: 0.8, at: [1, 0, 0]}", "[0.3, 0.95, 0.1]")                  \
  X("{type: sine, amplitude: 0.02, wavelength: 1.5, fade: 1}", "y")                                \
  X("{type: sine, amplitude: 0.02, wavelength: 1.5}", "y")                                         \
  X("{type: sum, roads: [hill, waves, step, pipe]}", "y")
  static const struct {
    const char *text;
    double end; /* about 4 m */
  } cases[] = {
#define SPEEDS(road, axis) {WHEEL(road, "1.5", axis, ""), 2.5}, {WHEEL(road, "9", axis, ""), 0.4},
      CASES(SPEEDS)
#undef SPEEDS
      /* so fast against a wall that the wheel's centre enters it */
      {WHEEL("{type: stair, rise: 0.6, tread: 2, count: 1, at: [1, 0, 0]}", "20", "y", ""), 0.2},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    double least, most;
    cmbt_run r;
    cmbt_run_open_text(&r, cases[i].text, CMB_FORM_EXPLICIT);
    r.rtol = 1e-9;
    cmbt_run_to(&r, cases[i].end, 0.01);
    const double worst = change_of(&r, "E", &least, &most);
    printf("road %d at %s speed: %.2g, deflection up to %.4f m\n", (int)i / 2,
           i % 2 ? "high" : "low", worst, most);
    cmbt_below(worst, 1e-7);
    assert_true(most > 0.0044); /* the wheel has met the obstacle */
    cmbt_run_close(&r);
  }
}

/* Checks that the loss of energy is ∫ c ρ̇² dt with c ρ̇ = Fz − k ρ for the deflection ρ, on a bump that the wheel does not leave. */
static void test_work_of_damper(void **state)
{
  (void)state;
  double least, most;
  cmbt_run r;
  cmbt_run_open_text(&r,
                     WHEEL("{type: bump, height: 0.03, length: 1, at: [0.5, 0, 0]}", "1.2", "y",
                           ", damping: 400") "states: {lost: {rate: '(t1.Fz - "
                                             "50000*t1.deflection)^2/400'}}\n",
                     CMB_FORM_EXPLICIT);
  r.rtol = 1e-9;
  cmbt_run_to(&r, 2.5, 0.01);
  (void)change_of(&r, "E", &least, &most);
  printf("deflection from %.4f to %.4f m\n", least, most);
  assert_true(least > 0 && most > 0.0045);
  const double lost = cmbt_row(&r, r.row_count - 1, "lost");
  assert_true(lost > 0.005);
  cmbt_near(cmbt_row(&r, 0, "E") - cmbt_output(&r, "E"), lost, 1e-6 * lost);
  cmbt_run_close(&r);
}

/* ---- geometry */

/* Returns the distance of (x, z) from the nearest of many points of a stair of two steps with its risers, and a half-cylinder. */
static double nearest(double x, double z)
{
  enum { POINTS = 4000 };
  double least = z;
  for (int i = 0; i <= POINTS; i++) {
    const double u = (double)i / POINTS, angle = acos(-1.0) * u;
    for (int step = 0; step < 2; step++) {
      const double c = 1 + 0.5 * step, low = 0.15 * step, high = low + 0.15;
      least = fmin(least, hypot(x - c, z - low - 0.15 * u));
      least = fmin(least, hypot(x - c - 4 * u, z - high));
    }
    least = fmin(least, hypot(x + 0.2 + 0.1 * cos(angle), z - 0.1 * sin(angle)));
  }
  return least;
}

static void test_nearest_point(void **state)
{
  (void)state;
  static const char *const heights[] = {"0.2", "0.3", "0.45", "0.6"};
  for (int n = 0; n < 4; n++) {
    char text[1000];
    cmbt_run r;
    snprintf(text, sizeof text,
             "points: {W: [-1, 0, %s]}\n"
             "roads: {a: {type: stair, rise: 0.15, tread: 0.5, count: 2, at: [1, 0, 0]},\n"
             "  b: {type: half-cylinder, radius: 0.1, at: [-0.2, 0, 0]}, r: {type: sum, roads: [a, "
             "b]}}\n"
             "bodies: {wheel: {mass: 1, com: W}}\n"
             "joints: {x: {type: prismatic, child: wheel, at: W, axis: x}}\n"
             "motions: {m: {coordinate: x, value: t}}\n"
             "forces: {t1: {type: tyre, on: wheel@W, axis: y, road: r, radius: 0.3, stiffness: "
             "50000}}\n"
             "outputs: {X: wheel.x, Z: wheel.z, rho: t1.deflection}\n",
             heights[n]);
    cmbt_run_open_text(&r, text, CMB_FORM_EXPLICIT);
    cmbt_run_to(&r, n == 0 ? 1.9 : n == 1 ? 2.4 : 3, 0.0173);
    for (int i = 0; i < r.row_count; i++) {
      const double D = nearest(cmbt_row(&r, i, "X"), cmbt_row(&r, i, "Z"));
      cmbt_near(cmbt_row(&r, i, "rho"), R - D, 2e-6);
    }
    cmbt_run_close(&r);
  }
}

/* Checks that far from the obstacle a sum of roads has the forces of the slope alone, whose contact point is found by another algorithm. */
static void test_slope_beside_an_obstacle(void **state)
{
  (void)state;
  static const char *const text[2] = {
      WHEEL("{type: formula, height: 0.04*x + 0.02*y}", "1", "[0.3, 0.95, 0.1]", ""),
      WHEEL("{type: sum, roads: [pipe, hill]}", "1", "[0.3, 0.95, 0.1]", "")};
  static const char *const same[] = {"Fz", "fx", "fy", "fz", "rho"};
  cmbt_run r[2];
  for (int i = 0; i < 2; i++) {
    cmbt_run_open_text(&r[i], text[i], CMB_FORM_EXPLICIT);
    cmbt_run_start(&r[i]);
  }
  assert_true(cmbt_output(&r[0], "Fz") > 100);
  for (int i = 0; i < 5; i++) {
    const double exact = cmbt_output(&r[0], same[i]);
    cmbt_near(cmbt_output(&r[1], same[i]), exact, 1e-12 * k);
  }
  for (int i = 0; i < 2; i++) cmbt_run_close(&r[i]);
}

/* ---- in the air */

/* Checks the energy of a wheel that is thrown up to 2 m above waves with a radius of curvature of 1.1 m, and lands. */
static void test_flight_above_waves(void **state)
{
  (void)state;
  static const char *const roads[] = {
      "{type: sine, amplitude: 0.05, wavelength: 1.5}",
      "{type: random, class: D, seed: 3, frequencies: [0.05, 2]}",
  };
  for (int i = 0; i < 2; i++) {
    char text[1000];
    double t[4], worst = 0;
    cmbt_run r;
    snprintf(text, sizeof text,
             "points: {W: [0, 0, 0.5]}\n"
             "roads: {r: %s}\n"
             "bodies: {wheel: {mass: 20, com: W, inertia: [1, 2, 1]}}\n"
             "joints: {p: {type: planar, child: wheel, at: W, axes: [x, z], rate: [3, 6, 0]}}\n"
             "forces: {t1: {type: tyre, on: wheel@W, axis: [0.1, 1, 0.05], road: r, radius: 0.3, "
             "stiffness: 50000}}\n"
             "outputs: {E: 'energy + if(t1.deflection > 0, 25000*t1.deflection^2, 0)'}\n",
             roads[i]);
    cmbt_run_open_text(&r, text, CMB_FORM_EXPLICIT);
    r.rtol = 1e-8;
    cmbt_run_to(&r, 3, 0.01);
    assert_true(cmbt_switch_times(&r, "t1.contact", 1, 4, t) >= 1);
    assert_true(t[0] > 1 && t[0] < 1.5);
    for (int n = 0; n < r.row_count; n++)
      worst = fmax(worst, fabs(cmbt_row(&r, n, "E") / cmbt_row(&r, 0, "E") - 1));
    cmbt_below(worst, 1e-6);
    cmbt_run_close(&r);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_spring_conserves_energy),
      cmocka_unit_test(test_work_of_damper),
      cmocka_unit_test(test_nearest_point),
      cmocka_unit_test(test_slope_beside_an_obstacle),
      cmocka_unit_test(test_flight_above_waves),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
