/*
 * Bumps that are far narrower than a step, in functions of time and of where the motion is: none is passed over (sim/variation.h).
 *
 * A puck of 1 kg slides freely but for one push of height A and width w, F = A b((x − c)/w) in the place x = s, or in time x = t. What it
 * does to the speed is known in closed form from the integral I of b:
 *
 *     in place   v₁² = v₀² + 2 A w I          (work)
 *     in time    v₁  = v₀ + A w I             (impulse)
 */
#include "check.h"
#include "methods.h"
#include "model_run.h"
#include "random.h"

#include <camber/camber.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT = 20000, CASES = 12, KNOTS = 201 };

static const double T_END = 100;

/* ---- tables that are A at c and 0 at the other knots, which are w apart */

/* The integral of the natural spline through f at knots h apart: h (f + f⁺)/2 − h³ (m + m⁺)/24, m the second derivatives. */
static double spline_integral(double h, const double *f)
{
  double diagonal[KNOTS], right[KNOTS], m[KNOTS] = {0}, sum = 0;
  for (int i = 1; i < KNOTS - 1; i++) {
    const double factor = i > 1 ? h / diagonal[i - 1] : 0;
    diagonal[i] = 4 * h - factor * h;
    right[i] = 6 * (f[i + 1] - 2 * f[i] + f[i - 1]) / h - (i > 1 ? factor * right[i - 1] : 0);
  }
  for (int i = KNOTS - 2; i > 0; i--) m[i] = (right[i] - h * m[i + 1]) / diagonal[i];
  for (int i = 0; i + 1 < KNOTS; i++) {
    sum += h * (f[i] + f[i + 1]) / 2 - h * h * h * (m[i] + m[i + 1]) / 24;
  }
  return sum;
}

/* ---- cases */

struct bump {
  bool in_time;
  int shape;
  double speed, place, width, height; /* v₀, c, w, A */
  double integral;                    /* A w I */
  char formula[200], table[TEXT / 2];
};

/* As the text of a model. A spline has knots along all of the way, since it would be far off between knots that are far apart. */
static double write_table(struct bump *b, bool spline, double way)
{
  double f[KNOTS] = {0};
  const int middle = KNOTS / 2;
  const char *kind = spline ? "spline" : "akima";
  int length = snprintf(b->table, sizeof b->table, "tables: {bump: {kind: %s, points: [", kind);
  const int first = spline ? 0 : middle - 4, last = spline ? KNOTS - 1 : middle + 4;
  f[middle] = b->height;
  if (!spline) {
    length += snprintf(b->table + length, sizeof b->table - (size_t)length, "[%.9g, 0], ", -way);
  }
  for (int i = first; i <= last; i++) {
    length += snprintf(b->table + length, sizeof b->table - (size_t)length, "[%.17g, %.17g], ",
                       b->place + (i - middle) * b->width, f[i]);
  }
  snprintf(b->table + length, sizeof b->table - (size_t)length, "[%.17g, 0]]}}\n", 10 * way);
  return spline ? spline_integral(b->width, f) : b->height * b->width;
}

static const char *const names[] = {"bell", "resonance", "two steps", "akima table",
                                    "spline table"};
enum { SHAPES = sizeof names / sizeof names[0] };

static void write_formula(struct bump *b, double way)
{
  const char *x = b->in_time ? "t" : "slide";
  const double c = b->place, w = b->width, A = b->height, pi = acos(-1);
  const size_t room = sizeof b->formula;
  b->table[0] = '\0';
  switch (b->shape) {
  case 0:
    snprintf(b->formula, room, "%.17g*exp(-((%s - %.17g)/%.17g)^2)", A, x, c, w);
    b->integral = A * w * sqrt(pi);
    break;
  case 1: /* falls as 1/x⁴: nothing is left of it at the ends of the way */
    snprintf(b->formula, room, "%.17g/(1 + ((%s - %.17g)/%.17g)^4)", A, x, c, w);
    b->integral = A * w * pi / sqrt(2);
    break;
  case 2:
    snprintf(b->formula, room, "%.17g*(tanh((%s - %.17g)/%.17g) - tanh((%s - %.17g)/%.17g))/2", A,
             x, c - w, w / 4, x, c + w, w / 4);
    b->integral = 2 * A * w;
    break;
  default:
    snprintf(b->formula, room, "bump(%s)", x);
    b->integral = write_table(b, b->shape == 4, way);
  }
}

/* Widths from 1e-6 of the way on; the push makes the puck faster by half at most. */
static struct bump random_bump(struct cmbt_random *r, int k)
{
  struct bump b = {.in_time = k % 2, .shape = k / 2 % SHAPES};
  b.speed = cmbt_random_uniform(r, 0.5, 20);
  const double way = b.in_time ? T_END : b.speed * T_END;
  b.place = way * cmbt_random_uniform(r, 0.2, 0.7);
  b.width = way * pow(10, cmbt_random_uniform(r, -6, -2));
  if (b.shape == 4) b.width = way / 60;
  b.height = cmbt_random_uniform(r, 0.1, 0.5) / b.width;
  b.height *= b.in_time ? b.speed : b.speed * b.speed;
  write_formula(&b, way);
  return b;
}

static double speed_after(const struct bump *b)
{
  return b->in_time ? b->speed + b->integral : sqrt(b->speed * b->speed + 2 * b->integral);
}

static double run_bump(const struct bump *b, const char *method, double rtol)
{
  char text[TEXT];
  cmbt_run r;
  snprintf(text, sizeof text,
           "gravity: [0, 0, 0]\n%s"
           "bodies: {puck: {mass: 1, com: [0, 0, 0]}}\n"
           "joints: {slide: {type: prismatic, child: puck, at: [0, 0, 0], axis: x,\n"
           "  start: {v: %.17g}}}\n"
           "forces: {f: {type: torsion, coordinate: slide, torque: \"-(%s)\"}}\n"
           "outputs: {speed: slide'}\n",
           b->table, b->speed, b->formula);
  cmbt_run_open_text(&r, text, CMB_FORM_EXPLICIT);
  r.method = method;
  r.rtol = rtol;
  cmbt_run_to(&r, T_END, 0);
  const double speed = cmbt_output(&r, "speed");
  cmbt_run_close(&r);
  return speed;
}

static void test_random_bumps(void **state)
{
  (void)state;
  struct cmbt_random r = {11};
  const int cases = cmbt_count("CAMBER_BUMPS", getenv("CAMBER_SANITIZED") ? 2 : CASES);
  double worst = 0;
  long runs = 0;
  for (int k = 0; k < cases * SHAPES; k++) {
    const struct bump b = random_bump(&r, k);
    const double right = speed_after(&b);
    for (int i = 0; i < cmb_method_count(); i++) {
      const cmb_method *method = cmb_method_at(i);
      if (cmb_method_is_real_time(method) || (cmbt_is(method, "trap") && k % 10 > 1)) continue;
      const double off = fabs(run_bump(&b, cmb_method_name(method), 1e-6) - right) / right;
      worst = fmax(worst, off);
      runs++;
      if (off > 1e-3) { /* passed over: 0.05 and more */
        fail_msg("%s: off by %.2g in %s (width %.3g, in %s): %s", cmb_method_name(method), off,
                 names[b.shape], b.width, b.in_time ? "time" : "place", b.formula);
      }
    }
  }
  printf("%ld runs over bumps, largest relative error %.1e\n", runs, worst);
}

/* ---- bumps beside something larger */

/*
 * A cart is driven by r t + H exp(−((t − c)/w)²), and a puck of 1 kg is held to it by a damper d: ÿ = −d (ẏ − ẋ), from ẏ = r. The bump is
 * lower than what the cart moves in one step. Behind it
 *
 *     ẏ = r − d² H w √π exp(−d (t − c) + (d w)²/4).
 */
static void test_bump_in_drive(void **state)
{
  (void)state;
  const double r = 0.3, H = 0.1, c = 0.531, w = 1e-4, d = 20, t = 0.7;
  const double right = -d * d * H * w * sqrt(acos(-1)) * exp(-d * (t - c) + d * w * d * w / 4);
  static const char text[] =
      "gravity: [0, 0, 0]\n"
      "bodies: {cart: {mass: 1, com: [0, 0, 0]}, puck: {mass: 1, com: [0, 0, 0]}}\n"
      "joints:\n"
      "  x: {type: prismatic, child: cart, at: [0, 0, 0], axis: x}\n"
      "  s: {type: prismatic, parent: cart, child: puck, at: [0, 0, 0], axis: x}\n"
      "forces: {d: {type: torsion, coordinate: s, damping: 20}}\n"
      "motions: {drive: {coordinate: x, value: \"0.3*t + 0.1*exp(-((t - 0.531)/1e-4)^2)\"}}\n"
      "outputs: {speed: puck.vx}\n";
  for (int form = 0; form < 3; form++) {
    for (int i = 0; (i = cmbt_next_but_trap(i)) < cmb_method_count(); i++) {
      cmbt_run run;
      cmbt_run_open_text(&run, text, cmbt_formulation(form));
      run.method = cmb_method_name(cmb_method_at(i));
      run.rtol = 1e-6;
      cmbt_run_to(&run, t, 0);
      cmbt_near(cmbt_output(&run, "speed") - r, right, 1e-5);
      cmbt_run_close(&run);
    }
  }
}

/* A puck of 1 kg on a spring k, with A exp(−((s − c)/w)²) in its way: v² + k s² − √π A w (erf((s − c)/w) + 1) stays v₀². */
static void test_bump_beside_spring(void **state)
{
  (void)state;
  const double k = 4, A = 0.1, c = 0.337, w = 0.003, v0 = 2;
  static const char text[] =
      "gravity: [0, 0, 0]\n"
      "bodies: {puck: {mass: 1, com: [0, 0, 0]}}\n"
      "joints: {s: {type: prismatic, child: puck, at: [0, 0, 0], axis: x, start: {v: 2}}}\n"
      "forces: {f: {type: torsion, coordinate: s, torque: "
      "\"4*s - 0.1*exp(-((s - 0.337)/0.003)^2)\"}}\n"
      "outputs: {place: s + 0, speed: s'}\n";
  for (int i = 0; (i = cmbt_next_method(i)) < cmb_method_count(); i++) {
    cmbt_run run;
    cmbt_run_open_text(&run, text, CMB_FORM_EXPLICIT);
    run.method = cmb_method_name(cmb_method_at(i));
    run.rtol = 1e-6;
    cmbt_run_to(&run, 0.4, 0);
    const double s = cmbt_output(&run, "place"), v = cmbt_output(&run, "speed");
    const double push = sqrt(acos(-1)) * A * w * (erf((s - c) / w) + 1);
    assert_true(push > 1e-3); /* the bump lies behind it */
    /* a fifth of the push, all of which would be missing if a step went over the bump; 50 tolerances of v0² */
    cmbt_near(v * v + k * s * s - push, v0 * v0, 2e-4);
    cmbt_run_close(&run);
  }
}

/* ---- a wheel on a road */

/* 30 kg on a tyre, drawn along by a cart of 300 kg at 20 m/s; after 163 m a bump of 5 cm. Returns where the cart has come to. */
static double run_wheel(const char *kind, const char *method, double rtol, double max_step)
{
  char text[TEXT];
  cmbt_run r;
  snprintf(text, sizeof text,
           "tables: {road: {kind: %s, points: [[-10, 0], [100, 0], [163, 0], [163.025, 0],\n"
           "  [163.05, 0.02], [163.075, 0], [163.1, 0], [200, 0], [1000, 0]]}}\n"
           "bodies:\n"
           "  cart: {mass: 300, com: [0, 0, 0]}\n"
           "  wheel: {mass: 30, com: [0, 0, 0.3], markers: {W: {at: [0, 0, 0.3]}}}\n"
           "joints:\n"
           "  drive: {type: prismatic, child: cart, at: [0, 0, 0], axis: x, start: {v: 20}}\n"
           "  bounce: {type: prismatic, parent: cart, child: wheel, at: [0, 0, 0], axis: z}\n"
           "forces:\n"
           "  tyre: {type: contact, on: wheel@W, radius: 0.3, surface: \"z - road(x)\",\n"
           "    stiffness: 200000, damping: 2000}\n"
           "  load: {type: torsion, coordinate: bounce, torque: \"3000 + 1000*bounce'\"}\n"
           "outputs: {way: drive + 0}\n",
           kind);
  cmbt_run_open_text(&r, text, CMB_FORM_EXPLICIT);
  cmb_run_options options = cmb_run_defaults();
  options.method = cmb_method_find(method);
  options.integrator.rtol = rtol;
  options.integrator.atol = rtol / 100;
  options.integrator.max_step = max_step;
  options.t_end = 8.2;
  cmbt_ok(r.ctx, cmb_simulation_create(r.ctx, r.system, &options, &r.sim));
  cmbt_ok(r.ctx, cmb_simulation_run(r.sim));
  const double way = cmb_simulation_result(r.sim)->outputs[0];
  cmbt_run_close(&r);
  return way;
}

static void test_wheel(void **state)
{
  (void)state;
  for (int k = 0; k < 2; k++) {
    const char *kind = k ? "linear" : "akima";
    const double way = run_wheel(kind, "mdop853", 1e-9, 1e-3);
    assert_true(fabs(way - 164) > 2e-3); /* the bump slows it down */
    for (int i = 0; i < cmb_method_count(); i++) {
      if (cmb_method_is_real_time(cmb_method_at(i))) continue;
      cmbt_near(run_wheel(kind, cmb_method_name(cmb_method_at(i)), 1e-6, 0), way, 1e-4);
    }
  }
}

/* ---- what is watched */

/* What the bundled models have to watch: the two compressors a force of the piston's place, the gas in the cylinder; the vehicle the curves
 * of its four springs, and in joint coordinates, where a spring depends on one angle alone, also the torque about it; the Iltis the bump below
 * its wheels, and ahead and behind for the slope, where the place of a wheel's centre is a coordinate; the V6 engine in each of its six
 * cylinders the pressure and the two steps (tanh) in it, all of them functions of the crank angle. Their kinematics have nothing. */
static int watched(const char *model, bool cartesian)
{
  if (strcmp(model, "slider-crank") == 0 || strcmp(model, "motor-crank") == 0) return 1;
  if (strcmp(model, "hmmwv14") == 0) return cartesian ? 4 : 8;
  if (strcmp(model, "iltis") == 0) return cartesian ? 32 : 0;
  if (strcmp(model, "engine-v6") == 0) return 6 * 3;
  return 0;
}

static void test_kinematics(void **state)
{
  (void)state;
  char model[CMBT_MOST_MODELS][CMBT_NAME_ROOM];
  const int count = cmbt_model_names(model);
  for (int i = 0; i < count; i++) {
    for (int k = 0; k < 3; k++) {
      cmbt_run r;
      cmbt_run_open(&r, model[i], cmbt_formulation(k), 0, NULL);
      assert_int_equal(r.eq->path_count, watched(model[i], k == 2));
      cmbt_run_close(&r);
    }
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_random_bumps), cmocka_unit_test(test_bump_in_drive),
      cmocka_unit_test(test_bump_beside_spring), cmocka_unit_test(test_wheel),
      cmocka_unit_test(test_kinematics)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
