/*
 * Releases of friction for other reasons than a growing load: the limit of friction drops to 0, at once or gradually, a clutch opens, a body
 * lifts off the surface on which it sticks, or friction turns into a drive. All compared with solutions in closed form.
 */
#include "check.h"
#include "methods.h"
#include "model_run.h"

#include <stdio.h>

static void open_run(cmbt_run *r, const char *text, int method)
{
  cmbt_run_open_text(r, text, cmbt_formulation(method % 3));
  r->method = cmb_method_name(cmb_method_at(method));
  if (!cmbt_is_precise(cmb_method_at(method))) r->rtol = 1e-8;
}

static double tolerance_of(const cmbt_run *r)
{
  return r->rtol < 1e-9 ? 1e-8 : 1e-5;
}

/* ---- varying limits of friction */

/* A body of 2 kg with the initial velocity `rate`, friction of a given amplitude and a load; `place` is its position at t = 3. */
struct fading {
  const char *amplitude, *load;
  double rate, place;
};

static void check_fading(const struct fading *f)
{
  char text[1000];
  snprintf(text, sizeof text,
           "gravity: [0, 0, 0]\n"
           "bodies: {b: {mass: 2, com: [0, 0, 0]}}\n"
           "joints: {x: {type: prismatic, child: b, axis: x, rate: %g}}\n"
           "forces: {f: {type: load, on: {body: b, at: [0, 0, 0]},\n"
           "             force: [\"-(%s)*sign(x') + %s\", 0, 0]}}\n"
           "outputs: {place: x}\n",
           f->rate, f->amplitude, f->load);
  for (int i = 0; (i = cmbt_next_but_trap(i)) < cmb_method_count(); i++) {
    cmbt_run r;
    open_run(&r, text, i);
    cmbt_run_to(&r, 3, 0);
    cmbt_near(cmbt_output(&r, "place"), f->place, tolerance_of(&r));
    cmbt_run_close(&r);
  }
}

/* Checks several amplitudes. With v₀ = 0.1 and the amplitude 4 (1 − t) the body stops where 0.1 = 2 s − s². */
static void test_fading(void **state)
{
  (void)state;
  const double s = 1 - sqrt(0.9), stop = 0.1 * s - s * s + s * s * s / 3;
  const struct fading cases[] = {
      {"if(t < 1, 4, 0)", "1", 0.1, 0.1 * 0.1 / 3 + 1},    /* sticks from 1/15 to 1, then a = 1/2 */
      {"if(t < 1, 4, 0)", "-1", -0.1, -0.1 * 0.1 / 3 - 1}, /* the same in the other direction */
      {"if(t < 1, 4, 0)", "0", 0.1, 0.0025},
      {"max(0, 1 - t)", "0", 0, 0},
      {"4*max(0, 1 - t)", "0", 0.1, stop},
      {"4*abs(1 - t)", "0", 0.1, stop},
      {"4*max(0, sin(3*t))", "0", 0, 0},
      /* released at 1, moved from 1.5 on, sticks again after 2 */
      {"if(t < 1 or t > 2, 4, 0)", "if(t > 1.5, 1, 0)", 0.1, 0.0025 + 0.0625 + 0.25 * 0.25 / 3},
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) check_fading(&cases[k]);
}

/* Checks that sticking ends when friction becomes a drive, which accelerates away from rest. */
static void test_reversed(void **state)
{
  (void)state;
  const struct fading cases[] = {
      {"if(t < 1, 4, -4)", "-1", 0.1, 0.002 - 5}, /* a = −5/2 from t = 1 on */
      {"if(t < 1, 4, -4)", "1", -0.1, -0.002 + 5},
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) check_fading(&cases[k]);
}

/* ---- a clutch */

/* Checks discs of 0.005 and 0.01 kg m² that lock at 10/3 rad/s and are separated at t = 1; from then on a torque of 0.1 N m acts on the
 * second. */
static void test_clutch(void **state)
{
  (void)state;
  for (int i = 0; (i = cmbt_next_but_trap(i)) < cmb_method_count(); i++) {
    cmbt_run r;
    open_run(
        &r,
        "gravity: [0, 0, 0]\n"
        "bodies:\n"
        "  a: {mass: 1, cylinder: [[0, 0, 0], [0, 0, 0.1]], radius: 0.1}\n"
        "  b: {mass: 2, cylinder: [[0, 0, 0], [0, 0, 0.1]], radius: 0.1}\n"
        "joints:\n"
        "  p: {type: revolute, child: a, at: [0, 0, 0], axis: z, rate: 10}\n"
        "  q: {type: revolute, child: b, at: [0, 0, 0], axis: z}\n"
        "inputs: {closed: \"if(t < 1, 1, 0)\"}\n"
        "forces:\n"
        "  fa: {type: torsion, coordinate: p, torque: \"closed*sign(p' - q')\"}\n"
        "  fb: {type: torsion, coordinate: q, torque: \"-closed*sign(p' - q') - if(t > 1, 0.1, "
        "0)\"}\n"
        "outputs: {WA: p', WB: q'}\n",
        i);
    cmbt_run_to(&r, 2, 0);
    cmbt_near(cmbt_output(&r, "WA"), 10.0 / 3, 10 * tolerance_of(&r));
    cmbt_near(cmbt_output(&r, "WB"), 10.0 / 3 + 10, 10 * tolerance_of(&r));
    cmbt_run_close(&r);
  }
}

/* ---- lift-off */

/* Checks a body that falls onto an elastic floor and stops sliding while it is in contact. It touches at x = 0.2 m, t₁ = 0.2 s; then z
 * makes a half oscillation −z = (v/ω) sin ωs + (g/ω²)(1 − cos ωs) with ω = 100, in which x' = 1 − μ (k/m) ∫ −z becomes 0. */
static void test_lift_off(void **state)
{
  (void)state;
  const double g = 10, fall = 0.2, v = g * fall, w = 100, mu = 0.5;
  double x = fall, speed = 1, s = 0;
  const double h = 1e-7;
  while (speed > 0) { /* mid-point rule: x' = 1 − μ ω² ∫ −z ds, in closed form inside */
    const double m = s + h / 2;
    const double push = v / w * (1 - cos(w * m)) / w + g / (w * w) * (m - sin(w * m) / w);
    speed = 1 - mu * w * w * push;
    x += fmax(speed, 0) * h;
    s += h;
  }
  for (int i = 0; (i = cmbt_next_but_trap(i)) < cmb_method_count(); i++) {
    cmbt_run r;
    open_run(&r,
             "gravity: [0, 0, -10]\n"
             "bodies: {b: {mass: 2, com: [0, 0, 0], inertia: [1, 1, 1]}}\n"
             "joints: {p: {type: planar, child: b, at: [0, 0, 0], axes: [x, z],\n"
             "             coordinates: [x, z, a], start: [0, 0.2, 0], rate: [1, 0, 0]}}\n"
             "forces:\n"
             "  c: {type: contact, on: {body: b, at: [0, 0, 0]}, surface: z, stiffness: 20000}\n"
             "  f: {type: load, on: {body: b, at: [0, 0, 0]},\n"
             "      force: [\"-0.5*c.fz*sign(x')\", 0, 0]}\n"
             "outputs: {place: x, height: z}\n",
             i);
    cmbt_run_to(&r, 0.35, 0);
    cmbt_near(cmbt_output(&r, "place"), x, 1e-6 + tolerance_of(&r));
    assert_true(cmbt_output(&r, "height") > 0.05);
    cmbt_run_close(&r);
  }
}

/* Checks a sticking body that a reset sets in motion, in either direction: the release is reported, and so is sticking again, v/a = 1/5 s
 * later. */
static void test_reset_of_sticking(void **state)
{
  (void)state;
  for (int i = 0; (i = cmbt_next_but_trap(i)) < cmb_method_count(); i++) {
    for (int side = -1; side <= 1; side += 2) {
      char text[500];
      double t[4];
      cmbt_run r;
      snprintf(text, sizeof text,
               "gravity: [0, 0, 0]\n"
               "bodies: {b: {mass: 1, sphere: [1, 0, 0], radius: 0.1}}\n"
               "joints: {j: {type: prismatic, child: b, axis: x}}\n"
               "forces: {fr: {type: torsion, coordinate: j, torque: \"5*sign(j')\"}}\n"
               "events: {k: {when: t > 1, action: {reset: {j': %d}}}}\n",
               side);
      cmbt_run_open_text(&r, text, cmbt_formulation(i % 3));
      r.method = cmb_method_name(cmb_method_at(i));
      r.rtol = 1e-6;
      cmbt_run_to(&r, 2, 0);
      assert_int_equal(cmbt_switch_times(&r, "force fr, line 4", side, 4, t), 1);
      cmbt_near(t[0], 1, 1e-9);
      assert_int_equal(cmbt_switch_times(&r, "force fr, line 4", -side, 4, t), 1);
      cmbt_near(t[0], 1.2, 1e-6);
      cmbt_run_close(&r);
    }
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_reset_of_sticking),
                                     cmocka_unit_test(test_fading), cmocka_unit_test(test_reversed),
                                     cmocka_unit_test(test_clutch),
                                     cmocka_unit_test(test_lift_off)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
