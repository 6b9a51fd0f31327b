/*
 * Roads: heights, slopes and friction of each type compared with closed forms in long double; the envelope of a disc with the maximum over
 * many points; edges as events; the spectrum of a random road with ISO 8608 by a Fourier transform; and exported C, bit for bit.
 */
#include "check.h"
#include "export_bits.h"
#include "model_case.h"
#include "model_run.h"

#include <camber/camber.h>
#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const long double PI = 3.141592653589793238462643383279503L;

/* A body that moves along x with 1 m/s. Roads are evaluated at its x and at y = 0.2, for discs with the radius 0.3. */
#define CART                                                                                       \
  "gravity: [0, 0, 0]\n"                                                                           \
  "bodies: {cart: {mass: 1, com: [0, 0, 0]}}\n"                                                    \
  "joints: {x: {type: prismatic, child: cart, at: [0, 0, 0], axis: x, start: -1, rate: 1}}\n"
#define CART_AND_RIDER                                                                             \
  "gravity: [0, 0, 0]\n"                                                                           \
  "bodies: {cart: {mass: 1, com: [0, 0, 0]}, rider: {mass: 1, com: [0, 0, 0]}}\n"                  \
  "joints:\n"                                                                                      \
  "  x: {type: prismatic, child: cart, at: [0, 0, 0], axis: x, start: -1, rate: 1}\n"              \
  "  z: {type: prismatic, parent: cart, child: rider, at: [0, 0, 0], axis: z}\n"                   \
  "motions: {drive: {coordinate: x, value: -1 + t}}\n"
#define ROADS                                                                                      \
  "tables: {map: {x: [0, 1, 2], y: [-1, 0, 1], values: [[0, 0, 0], [0, 0.1, 0.3], [0, 0, 0]]}}\n"  \
  "roads:\n"                                                                                       \
  "  all: {type: sum, roads: [sine, flat]}\n"                                                      \
  "  flat: {type: flat, height: 0.25}\n"                                                           \
  "  hill: {type: formula, height: 0.1*x^2 + y, friction: 'if(x > 1, 0.3, y)'}\n"                  \
  "  pipe: {type: half-cylinder, radius: 0.1, at: [1, 0, 0.02]}\n"                                 \
  "  bump: {type: bump, height: 0.1, length: 1.5, at: [0.5, 0, 0], direction: [3, 4, 0]}\n"        \
  "  stair: {type: stair, rise: 0.12, tread: 0.25, count: 3, at: [0.5, 0, 0]}\n"                   \
  "  sine: {type: sine, amplitude: 0.05, wavelength: 1.7, phase: 0.4, fade: 1.2, scale: 2}\n"      \
  "  line: {type: profile, table: [[0, 0.1], [1, 0.3], [2, 0]], at: [0.1, 0, 0]}\n"                \
  "  grid: {type: profile, table: map}\n"

/* ---- closed forms */

static long double bump_height(long double x, long double y)
{
  const long double s = 0.6L * (x - 0.5L) + 0.8L * y;
  return s <= 0 || s >= 1.5L ? 0 : 0.05L * (1 - cosl(2 * PI * s / 1.5L));
}

static long double fade(long double s)
{
  const long double u = fminl(fmaxl(s / 1.2L, 0), 1);
  return u * u * (3 - 2 * u);
}

static long double sine_height(long double s)
{
  return 0.1L * fade(s) * sinl(2 * PI * s / 1.7L + 0.4L);
}

static long double sine_slope(long double s)
{
  const long double u = s / 1.2L, w = 2 * PI / 1.7L, angle = w * s + 0.4L;
  const long double rate = u > 0 && u < 1 ? 6 * u * (1 - u) / 1.2L : 0;
  return 0.1L * (rate * sinl(angle) + fade(s) * w * cosl(angle));
}

static long double line_height(long double x)
{
  const long double s = fminl(fmaxl(x - 0.1L, 0), 2);
  return s < 1 ? 0.1L + 0.2L * s : 0.3L - 0.3L * (s - 1);
}

static long double pipe_height(long double s)
{
  return fabsl(s) < 0.1L ? sqrtl(0.01L - s * s) : 0;
}

static long double stair_height(long double s)
{
  return s < 0 ? 0 : s < 0.25L ? 0.12L : s < 0.5L ? 0.24L : 0.36L;
}

/* Returns the height at which a disc of radius R above s touches: max over u of road(s + u) + sqrt(R² − u²) − R, and over the corners. */
static long double envelope(long double (*road)(long double), long double s, int corners,
                            const long double *corner)
{
  enum { POINTS = 20000 };
  const long double R = 0.3L;
  long double most = 0;
  for (int i = -POINTS; i <= POINTS + corners; i++) {
    const long double at = i <= POINTS ? s + R * i / POINTS : corner[i - POINTS - 1], u = at - s;
    if (fabsl(u) <= R) most = fmaxl(most, road(at) + sqrtl(R * R - u * u) - R);
  }
  return most;
}

static void test_heights(void **state)
{
  (void)state;
  static const long double edges[] = {0, 0.25L, 0.5L};
  cmbt_run r;
  cmbt_run_open_text(
      &r,
      CART ROADS "outputs: {all: 'all(x, 0.2)', hill: 'hill(x, 0.2)', mu: 'hill.friction(x, "
                 "0.2)', pipe: 'pipe(x, 0.2)', disc: 'pipe(x, 0.2, 0.3)', bump: 'bump(x, 0.2)', "
                 "stair: 'stair(x, 0.2)', steps: 'stair(x, 0.2, 0.3)', sine: 'sine(x, 0.2)', "
                 "line: 'line(x, 0.2)', grid: 'grid(x, 1)'}\n",
      CMB_FORM_EXPLICIT);
  cmbt_run_to(&r, 4, 0.0371);
  assert_true(r.row_count > 100);
  for (int i = 0; i < r.row_count; i++) {
    const long double x = (long double)cmbt_row(&r, i, "x");
#define NEAR(name, value, tolerance)                                                               \
  assert_true(fabsl((long double)cmbt_row(&r, i, name) - (value)) <= (tolerance))
    NEAR("all", 0.25L + sine_height(x), 1e-15L);
    NEAR("hill", 0.1L * x * x + 0.2L, 1e-15L);
    NEAR("mu", x > 1 ? 0.3L : 0.2L, 1e-16L);
    NEAR("pipe", 0.02L + pipe_height(x - 1), 1e-14L);
    NEAR("disc", 0.02L + envelope(pipe_height, x - 1, 0, NULL), 1e-8L);
    NEAR("bump", bump_height(x, 0.2L), 1e-15L);
    NEAR("stair", stair_height(x - 0.5L), 1e-15L);
    NEAR("steps", envelope(stair_height, x - 0.5L, 3, edges), 1e-8L);
    NEAR("sine", sine_height(x), 1e-15L);
    NEAR("line", line_height(x), 1e-15L);
  }
  cmbt_run_close(&r);
}

/* Checks position and velocity of a point that is constrained to the road: its vertical velocity is slope times speed. */
static void test_slopes(void **state)
{
  (void)state;
  cmbt_run r;
  cmbt_run_open_text(
      &r, CART_AND_RIDER ROADS "loops: {ride: {type: formula, formula: 'z - sine(x, 0)'}}\n",
      CMB_FORM_EXPLICIT);
  cmbt_run_to(&r, 3, 0.05);
  for (int i = 0; i < r.row_count; i++) {
    const long double x = (long double)cmbt_row(&r, i, "x");
    assert_true(fabsl((long double)cmbt_row(&r, i, "z") - sine_height(x)) < 1e-12L);
    assert_true(fabsl((long double)cmbt_row(&r, i, "z'") - sine_slope(x)) < 1e-12L);
  }
  cmbt_run_close(&r);
}

/* Checks that the disc touches the pipe, and leaves it, at events: at the distance s with (R + r)² − s² = R². */
static void test_edges(void **state)
{
  (void)state;
  const double reach = sqrt(0.4 * 0.4 - 0.3 * 0.3);
  int met = 0, left = 0;
  cmbt_run r;
  cmbt_run_open_text(&r,
                     CART_AND_RIDER ROADS
                     "forces: {push: {type: load, on: {body: rider, at: [0, 0, 0]}, "
                     "force: [0, 0, '100*pipe(x, 0.2, 0.3)']}}\n",
                     CMB_FORM_EXPLICIT);
  cmbt_run_to(&r, 4, 0.1);
  for (int i = 0; i < r.event_count; i++) {
    met += fabs(r.events[i].t - (2 - reach)) < 1e-9;
    left += fabs(r.events[i].t - (2 + reach)) < 1e-9;
  }
  assert_true(met == 1 && left == 1);
  cmbt_run_close(&r);
}

/* Checks that the road of a mirrored instance is the mirrored road. */
static void test_mirror(void **state)
{
  (void)state;
  cmbt_run r;
  cmbt_run_open_text(
      &r,
      CART "templates: {side: {roads: {map: {type: profile, at: [0, 0.5, 0], direction: [1, 0.2, "
           "0], table: {x: [0, 1, 2], y: [-1, 0, 1], values: [[0, 0.2, 0], [0, 0.1, 0.3], [0, 0, "
           "0.1]]}}}}}\n"
           "instances: {left: {template: side}, right: {template: side, mirror: y}}\n"
           "outputs: {left: 'left.map(x, 0.3 + x/5)', right: 'right.map(x, -0.3 - x/5)'}\n",
      CMB_FORM_EXPLICIT);
  cmbt_run_to(&r, 3, 0.1);
  double most = 0;
  for (int i = 0; i < r.row_count; i++) {
    const double left = cmbt_row(&r, i, "left");
    most = fmax(most, fabs(left));
    assert_true(fabs(left - cmbt_row(&r, i, "right")) < 1e-15);
  }
  assert_true(most > 0.1);
  cmbt_run_close(&r);
}

/* ---- random roads */

enum { SAMPLES = 1 << 17 }; /* neighbouring waves are many lines of the spectrum apart */

/* Computes the Fourier transform of n values in place; n is a power of 2. */
static void transform(int n, double complex *x)
{
  for (int i = 1, j = 0; i < n; i++) {
    int bit = n / 2;
    for (; j & bit; bit /= 2) j ^= bit;
    j ^= bit;
    if (i < j) {
      const double complex swap = x[i];
      x[i] = x[j];
      x[j] = swap;
    }
  }
  for (int m = 2; m <= n; m *= 2) {
    for (int k = 0; k < n; k++) {
      if (k % m >= m / 2) continue;
      const double complex w = cexp(-2 * (double)PI * I * (k % m) / m) * x[k + m / 2];
      x[k + m / 2] = x[k] - w;
      x[k] += w;
    }
  }
}

/* Compares the power of a class C road in each octave with ISO 8608. An octave has 20 of the 200 waves; those at its ends, with 6.8 % and 3.4 %
 * of its power, can fall into the neighbouring octave, which gives the limit of 11 %. */
static void test_spectrum(void **state)
{
  (void)state;
  static double complex z[SAMPLES];
  const double step = 0.05, roughness = 256e-6 * 0.01;
  cmbt_run r;
  cmbt_run_open_text(&r,
                     CART "roads: {track: {type: random, class: C, seed: 5, frequencies: [0.01, "
                          "10], waves: 200}}\noutputs: {z: 'track(x, 0.7)'}\n",
                     CMB_FORM_EXPLICIT);
  r.rtol = 1e-6;
  cmbt_run_to(&r, SAMPLES * step, step);
  assert_true(r.row_count >= SAMPLES);
  for (int i = 0; i < SAMPLES; i++) {
    z[i] = cmbt_row(&r, i, "z") * (1 - cos(2 * (double)PI * i / SAMPLES)); /* Hann */
  }
  transform(SAMPLES, z);
  for (int octave = 0; octave < 7; octave++) {
    const double low = ldexp(0.05, octave), length = SAMPLES * step,
                 exact = roughness * (1 / low - 1 / (2 * low));
    double power = 0;
    for (int k = 1; k < SAMPLES / 2; k++) {
      if (k / length >= low && k / length < 2 * low) {
        power += 2 * creal(z[k] * conj(z[k])) / ((double)SAMPLES * SAMPLES) / 1.5;
      }
    }
    assert_true(fabs(power - exact) < 0.11 * exact);
  }
  cmbt_run_close(&r);
}

/* ---- steps on a rough road */

#define QUARTER_CAR                                                                                \
  "gravity: [0, 0, -9.81]\n"                                                                       \
  "roads: {track: {type: random, class: C, seed: 7, fade: 10}}\n"                                  \
  "points: {centre: [0, 0, 0.3]}\n"                                                                \
  "bodies: {cart: {mass: 1, com: [0, 0, 0]}, wheel: {mass: 40, com: centre},\n"                    \
  "  car: {mass: 400, com: [0, 0, 0.6]}}\n"                                                        \
  "joints:\n"                                                                                      \
  "  x: {type: prismatic, child: cart, at: [0, 0, 0], axis: x, rate: 20}\n"                        \
  "  z: {type: prismatic, parent: cart, child: wheel, at: centre, axis: z}\n"                      \
  "  s: {type: prismatic, parent: wheel, child: car, at: [0, 0, 0.6], axis: z}\n"                  \
  "motions: {drive: {coordinate: x, value: 20*t}}\n"                                               \
  "forces:\n"                                                                                      \
  "  tyre: {type: contact, on: wheel@centre, radius: 0.3, surface: 'z - track(x, y)',\n"           \
  "    stiffness: 2e5, damping: 500}\n"                                                            \
  "  spring: {type: torsion, coordinate: s, stiffness: 2e4, damping: 1500, preload: 3924}\n"

/* Checks that at most 15 % of the attempted steps of the method of high order are rejected, also with `auto` at tolerances for which it chooses
 * that method. The wheel leaves the class C road often, and the error of equal steps varies more than their size suggests. */
static void test_rejected_steps(void **state)
{
  (void)state;
  const struct {
    const char *method;
    double rtol;
  } runs[] = {
      {"mdop853", 1e-4}, {"mdop853", 1e-6}, {"mdop853", 1e-8}, {"auto", 1e-6}, {"auto", 1e-8}};
  for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
    cmbt_run r;
    cmbt_run_open_text(&r, QUARTER_CAR, CMB_FORM_EXPLICIT);
    r.method = runs[i].method;
    r.rtol = runs[i].rtol;
    cmbt_run_to(&r, 3, 0);
    const cmb_statistics *s = r.result->statistics;
    printf("%-7s rtol %.0e: %ld of %ld steps rejected\n", r.method, r.rtol, s->rejected, s->steps);
    assert_true((double)s->rejected <= 0.15 * (double)s->steps);
    cmbt_run_close(&r);
  }
}

/* ---- exported code */

static void test_export(void **state)
{
  (void)state;
  cmb_context *ctx = cmb_context_create(NULL);
  struct cmbt_export_bits seen;
  const cmb_option_setting unbound = {"bound", "none"};
  cmb_model *model = cmbt_model_parse(
      ctx,
      "gravity: [0, 0, -10]\n"
      "bodies: {ball: {mass: 1, com: [0, 0, 0.3], inertia: [0.01, 0.01, 0.01]}}\n"
      "joints:\n"
      "  p: {type: planar, child: ball, at: [0, 0, 0.3], axes: [x, z], rate: [3, 0, 0]}\n" ROADS
      "  rough: {type: random, class: E, waves: 40, fade: 1}\n"
      "  track: {type: sum, roads: [rough, pipe, stair, line]}\n"
      "forces: {c: {type: contact, on: {body: ball, at: [0, 0, 0.3]}, radius: 0.1, surface: 'z - "
      "track(x, y, 0.2)', "
      "stiffness: 1e4, damping: 50}}\n"
      "outputs: {h: 'track(ball.x, 0)'}\n");
  cmbt_export_bits(ctx, model, CMB_FORM_EXPLICIT, "lie", 1, &unbound, "a ball on a road", &seen);
  assert_true(seen.whole && seen.steps > 0 && seen.flags > 0);
  cmb_model_destroy(model);
  cmb_context_destroy(ctx);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_heights),  cmocka_unit_test(test_slopes),
      cmocka_unit_test(test_edges),    cmocka_unit_test(test_mirror),
      cmocka_unit_test(test_spectrum), cmocka_unit_test(test_rejected_steps),
      cmocka_unit_test(test_export)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
