/*
 * Shows that no step passes over a bump in a function of time or of position that is far narrower than the step (sim/variation.h).
 *
 * A puck of 1 kg slides freely along x except for one force of height A and width w, F = A b((x − c)/w) as a function of position or
 * A b((t − c)/w) as a function of time. The speed v₁ after it follows in closed form from v₀ and from the integral I of b:
 *
 *     function of position   v₁² = v₀² + 2 A w I          (work)
 *     function of time       v₁  = v₀ + A w I             (impulse)
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

/* ---- tables with the value A at c and 0 at the other knots, at distances w */

/* Returns the integral of the natural cubic spline through the values f at knots with the distance h. The part between two knots is
 * h (f_i + f_i+1)/2 − h³ (m_i + m_i+1)/24 with the second derivatives m. */
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

/* ---- the bumps */

struct bump {
  bool in_time;
  int shape;
  double speed, place, width, height; /* v₀, c, w, A */
  double integral;                    /* A w I */
  char formula[200], table[TEXT / 2];
};

/* Writes the bump as a table of the model text and returns its integral A w I. A spline gets knots along the whole way, because between
 * distant knots it would be far from 0. */
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
  case 1: /* decreases as 1/x⁴, so that nothing remains at the ends of the way */
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

/* Returns case k with random values: widths from 1e-6 of the way on, and a height with which the puck's speed grows by half at most. */
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
      if (off > 1e-3) { /* without the bump it would be 0.05 or more */
        fail_msg("%s: off by %.2g in %s (width %.3g, in %s): %s", cmb_method_name(method), off,
                 names[b.shape], b.width, b.in_time ? "time" : "place", b.formula);
      }
    }
  }
  printf("%ld runs over bumps, largest relative error %.1e\n", runs, worst);
}

/* Shows that it does not matter where a bump is: at 60 equally spaced places of the way, some of which are met by slopes that serve
 * dense output only. The dense output of such a step leads off the way, and with it to other places than those where the stages are. */
static void test_bumps_at_many_places(void **state)
{
  (void)state;
  enum { PLACES = 60 };
  for (int k = 0; k < PLACES; k++) {
    struct bump b = {.speed = 2};
    const double way = b.speed * T_END;
    b.width = way * 1e-3;
    b.place = way * (0.2 + 0.5 * k / PLACES);
    b.height = 0.3 * b.speed * b.speed / b.width;
    write_formula(&b, way);
    for (int i = 0; cmbt_is_sampled(k) && (i = cmbt_next_but_trap(i)) < cmb_method_count(); i++) {
      cmbt_near(run_bump(&b, cmb_method_name(cmb_method_at(i)), 1e-6) / speed_after(&b), 1, 1e-3);
    }
  }
}

/* ---- bumps beside larger changes */

/*
 * Checks a narrow bump in a drive, lower than the distance of one step: a cart follows x = r t + H exp(−((t − c)/w)²), and a damper d
 * connects a puck of 1 kg to it, ÿ = −d (ẏ − ẋ) with ẏ = r at the start. After the bump
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

/* Checks a puck of 1 kg on a spring k with the force A exp(−((s − c)/w)²) in its way: v² + k s² − √π A w (erf((s − c)/w) + 1) stays v₀². */
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
    assert_true(push > 1e-3); /* the puck has passed the bump */
    /* The limit is a fifth of the bump's work, which would be missing if a step passed over it, and 50 tolerances of v0². */
    cmbt_near(v * v + k * s * s - push, v0 * v0, 2e-4);
    cmbt_run_close(&run);
  }
}

/* Checks three bumps A exp(−((s − c)/w)²) in the way of one puck, beside forces on another one that change slowly and are far above and below
 * all values of the bumps: v² = v₀² + 2 √π A Σ w. */
static void test_bumps_beside_large_forces(void **state)
{
  (void)state;
  static const char text[] =
      "gravity: [0, 0, 0]\n"
      "bodies: {puck: {mass: 1, com: [0, 0, 0]}, other: {mass: 50, com: [0, 1, 0]}}\n"
      "joints:\n"
      "  s: {type: prismatic, child: puck, at: [0, 0, 0], axis: x, start: {v: 2}}\n"
      "  x: {type: prismatic, child: other, at: [0, 1, 0], axis: x, start: {v: 1}}\n"
      "forces:\n"
      "  f1: {type: torsion, coordinate: x, torque: \"700 + atan(x/2)\"}\n"
      "  b1: {type: torsion, coordinate: s, torque: \"-30*exp(-((s - 0.337)/0.003)^2)\"}\n"
      "  f2: {type: torsion, coordinate: x, torque: \"-800 + atan(x/3)\"}\n"
      "  b2: {type: torsion, coordinate: s, torque: \"-30*exp(-((s - 0.713)/0.002)^2)\"}\n"
      "  f3: {type: torsion, coordinate: x, torque: \"100 + atan(x/4)\"}\n"
      "  b3: {type: torsion, coordinate: s, torque: \"-30*exp(-((s - 1.571)/0.004)^2)\"}\n"
      "outputs: {speed: s'}\n";
  for (int i = 0; (i = cmbt_next_but_trap(i)) < cmb_method_count(); i++) {
    cmbt_run run;
    cmbt_run_open_text(&run, text, CMB_FORM_EXPLICIT);
    run.method = cmb_method_name(cmb_method_at(i));
    run.rtol = 1e-6;
    cmbt_run_to(&run, 1, 0);
    const double v = cmbt_output(&run, "speed");
    cmbt_near(v * v, 4 + 2 * sqrt(acos(-1)) * 30 * 0.009, 1e-4);
    cmbt_run_close(&run);
  }
}

/*
 * Checks narrow bumps of several coordinates, beside terms that vary more, and under a velocity. A puck of 1 kg with the coordinate s starts
 * at 2 m/s, a second one, u, moves freely at 1 m/s, and a force acts on s. Behind a bump of the width 1e-3 with the integral I the
 * following has changed by 1e-3 I or twice that: the square of the rate of s + u/2 if it is a function of s + u/2, the energy, the velocity.
 */
static void test_bumps_in_formulas(void **state)
{
  (void)state;
  const double pi = acos(-1), quartic = pi / sqrt(2); /* the integral of 1/(1 + x⁴) */
  const struct {
    const char *force, *output;
    double right;
  } cases[] = {
      {"500/(1 + ((s + u/2 - 3)/1e-3)^4)", "(s' + u'/2)^2", 6.25 + quartic},
      {"500*(1 + ((s + u/2 - 3)/1e-3)^2)^-2", "(s' + u'/2)^2", 6.25 + pi / 2},
      {"50/cosh((s + u/2 - 3)/1e-2)", "(s' + u'/2)^2", 6.25 + pi},
      {"-200*s'/(1 + ((s - 3)/1e-3)^4)", "s'", 2 - 0.2 * quartic},
      {"-200*s'/(1 + ((t - 1)/1e-3)^4)", "s'", 2 * exp(-0.2 * quartic)},
      {"-s + tanh((s - 1)/1e-3 + 4) - tanh((s - 1)/1e-3 - 4)", "s'^2 + s^2", 4 + 0.032},
      {"-s + 5/(1 + ((s - 1)/1e-3)^4)", "s'^2 + s^2", 4 + 0.01 * quartic},
      {"t + tanh((t - 1)/1e-3 + 4) - tanh((t - 1)/1e-3 - 4)", "s' - t^2/2", 2 + 0.016},
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    for (int i = 0; (i = cmbt_next_but_trap(i)) < cmb_method_count(); i++) {
      char text[TEXT];
      cmbt_run run;
      snprintf(text, sizeof text,
               "gravity: [0, 0, 0]\n"
               "bodies: {puck: {mass: 1, com: [0, 0, 0]}, other: {mass: 1, com: [0, 0, 0]}}\n"
               "joints:\n"
               "  s: {type: prismatic, child: puck, at: [0, 0, 0], axis: x, start: {v: 2}}\n"
               "  u: {type: prismatic, child: other, at: [0, 0, 0], axis: y, start: {v: 1}}\n"
               "forces: {f: {type: torsion, coordinate: s, torque: \"-(%s)\"}}\n"
               "outputs: {value: \"%s\"}\n",
               cases[k].force, cases[k].output);
      cmbt_run_open_text(&run, text, CMB_FORM_EXPLICIT);
      run.method = cmb_method_name(cmb_method_at(i));
      run.rtol = 1e-6;
      cmbt_run_to(&run, 2, 0);
      cmbt_near(cmbt_output(&run, "value"), cases[k].right, 1e-3);
      cmbt_run_close(&run);
    }
  }
}

/* Returns the final rate of a turning crank with mdop853. A force of 1200 N acts on the slider along 1 mm, 0.244 m from the start. */
static double run_crank(double rtol)
{
  static const char text[] =
      "gravity: [0, 0, 0]\n"
      "bodies:\n"
      "  crank: {mass: 2, com: [0.25, 0, 0], inertia: [0.1, 0.5, 0.5]}\n"
      "  rod: {mass: 1, com: [1.4, 0, 0], inertia: [0.05, 0.2, 0.2], markers: {W: {at: [2.3, 0, "
      "0]}}}\n"
      "  block: {mass: 1, com: [2.3, 0, 0], markers: {V: {at: [2.3, 0, 0]}}}\n"
      "joints:\n"
      "  turn: {type: revolute, child: crank, at: [0, 0, 0], axis: z, start: {v: 7.2}}\n"
      "  elbow: {type: revolute, parent: crank, child: rod, at: [0.5, 0, 0], axis: z, rate: -9.2}\n"
      "  slide: {type: prismatic, child: block, at: [2.3, 0, 0], axis: x}\n"
      "loops: {pin: {type: point-line, point: rod@W, on: block@V, axis: z}}\n"
      "forces: {f: {type: torsion, coordinate: slide, torque:\n"
      "  \"-600*(tanh((slide + 0.244)/1.3e-4 + 4) - tanh((slide + 0.244)/1.3e-4 - 4))\"}}\n"
      "outputs: {rate: turn'}\n";
  cmbt_run run;
  cmbt_run_open_text(&run, text, CMB_FORM_EXPLICIT);
  run.rtol = rtol;
  cmbt_run_to(&run, 0.5, 0);
  const double rate = cmbt_output(&run, "rate");
  cmbt_run_close(&run);
  return rate;
}

/* Shows that a bump is not hidden by dense output by thirds of a step, whose steps have no error test: one of them met the bump, and the
 * polynomial had coefficients of 1e80, with rounding errors larger than the bump. */
static void test_bump_in_thirds(void **state)
{
  (void)state;
  const double right = run_crank(1e-9);
  assert_true(fabs(right - 7.2) > 0.2); /* the slider has passed the bump */
  cmbt_near(run_crank(1e-6), right, 1e-3);
}

/* ---- a wheel on a road */

/* Runs a wheel of 30 kg on a tyre, pulled by a cart of 300 kg at 20 m/s, over a bump at 163 m, 2 cm high and 5 cm
 * wide. Returns the cart's position. */
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
    assert_true(fabs(way - 164) > 2e-3); /* the bump slows the cart down */
    for (int i = 0; i < cmb_method_count(); i++) {
      if (cmb_method_is_real_time(cmb_method_at(i))) continue;
      cmbt_near(run_wheel(kind, cmb_method_name(cmb_method_at(i)), 1e-6, 0), way, 1e-4);
    }
  }
}

/* ---- path functions of the bundled models */

/* Returns the number of functions of position that a bundled model has to have (path_count). The two compressors: the gas force in the
 * cylinder. The vehicle hmmwv14: the curves of its four springs, and in joint coordinates, where a spring depends on one angle alone, also
 * the torques about these angles. The Iltis in Cartesian coordinates, where the position of a wheel's centre is a coordinate: the road
 * below its wheels, also ahead and behind for the slope. The V6 engine: for each cylinder the pressure and two tanh steps in it, as
 * functions of the crank angle. Other models have none, since their kinematics count as none. */
static int expected_path_functions(const char *model, bool cartesian)
{
  if (strcmp(model, "slider-crank") == 0 || strcmp(model, "motor-crank") == 0) return 1;
  if (strcmp(model, "hmmwv14") == 0) return cartesian ? 4 : 8;
  if (strcmp(model, "iltis") == 0) return cartesian ? 32 : 0;
  if (strcmp(model, "engine-v6") == 0) return 6 * 3;
  return 0;
}

static void test_path_functions_of_models(void **state)
{
  (void)state;
  char model[CMBT_MOST_MODELS][CMBT_NAME_ROOM];
  const int count = cmbt_model_names(model);
  for (int i = 0; i < count; i++) {
    for (int k = 0; k < 3; k++) {
      cmbt_run r;
      cmbt_run_open(&r, model[i], cmbt_formulation(k), 0, NULL);
      assert_int_equal(r.eq->path_count, expected_path_functions(model[i], k == 2));
      cmbt_run_close(&r);
    }
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_bumps),
                                     cmocka_unit_test(test_bumps_at_many_places),
                                     cmocka_unit_test(test_bump_in_drive),
                                     cmocka_unit_test(test_bump_beside_spring),
                                     cmocka_unit_test(test_bumps_beside_large_forces),
                                     cmocka_unit_test(test_bumps_in_formulas),
                                     cmocka_unit_test(test_bump_in_thirds),
                                     cmocka_unit_test(test_wheel),
                                     cmocka_unit_test(test_path_functions_of_models)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
