/*
 * Tyres with each method: a carriage on one wheel with the Magic Formula and one with TMeasy, which bounces on a wavy road, is driven at an angle
 * and braked.
 *
 *   - all methods agree with mdop853 at a tolerance of 1e-10;
 *   - exported C has the same bits as a run;
 *   - a spinning wheel can land with steps of any size, and lie converges with order 1;
 *   - a run that resumes a saved one has the same bits, or, with implicit methods, agrees within the tolerances.
 */
#include "check.h"
#include "export_bits.h"
#include "methods.h"
#include "model_run.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define MODEL(brake, height)                                                                       \
  "points: {F: [1, 0, 0.29], R: [-1, 0, " height "], C: [0, 0, 0.5]}\n"                            \
  "roads: {waves: {type: formula, height: '0.004*sin(8*x)', friction: 0.9 - 0.1*sin(x)}}\n"        \
  "bodies: {slide: {massless: true}, across: {massless: true},\n"                                  \
  "  carriage: {mass: 600, com: C, inertia: [90, 300, 300]},\n"                                    \
  "  front: {mass: 20, com: F, inertia: [0.5, 1, 0.5]},\n"                                         \
  "  rear: {mass: 20, com: R, inertia: [0.5, 1, 0.5]}}\n"                                          \
  "joints:\n"                                                                                      \
  "  x: {type: prismatic, child: slide, at: C, axis: x, rate: 4}\n"                                \
  "  y: {type: prismatic, parent: slide, child: across, at: C, axis: y}\n"                         \
  "  z: {type: prismatic, parent: across, child: carriage, at: C, axis: z, damping: 4000}\n"       \
  "  f: {type: revolute, parent: carriage, child: front, at: F, axis: [-0.04, 1, 0.03], rate: "    \
  "13}\n"                                                                                          \
  "  r: {type: revolute, parent: carriage, child: rear, at: R, axis: y, rate: 13}\n"               \
  "forces:\n"                                                                                      \
  "  t1: {type: tyre, on: front@F, axis: [-0.04, 1, 0.03], road: waves, file: "                    \
  "tyres/passenger.yaml}\n"                                                                        \
  "  t2: {type: tyre, on: rear@R, axis: y, road: waves, file: tyres/car-205-60r15.tir}\n"          \
  "  b1: {type: torsion, coordinate: f, torque: " brake "*sin(20*t)}\n"                            \
  "  b2: {type: torsion, coordinate: r, torque: 100 + 100*sin(15*t)}\n"                            \
  "outputs: {x1: t1.Fx, y1: t1.Fy, z1: t1.Fz, m1: t1.Mz,\n"                                        \
  "  x2: t2.Fx, y2: t2.Fy, z2: t2.Fz, m2: t2.Mz}\n"

static const char model[] = MODEL("800", "0.314");  /* slip beyond the peak; the rear wheel lands */
static const char gentle[] = MODEL("300", "0.305"); /* for steps of 1/256 s */

static const char *const outputs[] = {"x1", "y1", "z1", "m1", "x2", "y2", "z2", "m2"};
enum { OUTPUTS = sizeof outputs / sizeof *outputs };
static const double T = 0.25;

static void run(cmbt_run *r, const char *method, double rtol, double step)
{
  cmbt_run_open_text_with(r, model, CMB_FORM_EXPLICIT, step > 0);
  r->method = method;
  r->rtol = rtol;
  r->step = step;
  cmbt_run_to(r, T, 0);
}

static void test_methods(void **state)
{
  (void)state;
  static const struct {
    const char *name;
    double rtol, step, error; /* error of the forces relative to 3000 N */
  } methods[] = {{"mdop5", 1e-7, 0, 1e-6},    {"hem5", 1e-7, 0, 1e-6},   {"phem56", 1e-7, 0, 1e-6},
                 {"abm", 1e-7, 0, 1e-6},      {"radau5", 1e-7, 0, 1e-6}, {"radau", 1e-7, 0, 1e-6},
                 {"bdf", 1e-7, 0, 1e-6},      {"sdirk4", 1e-7, 0, 1e-6}, {"trap", 1e-5, 0, 1e-5},
                 {"forsdirk", 1e-6, 0, 1e-6}, {"auto", 1e-7, 0, 1e-6},   {"lie", 0, 1e-4, 2e-3},
                 {"rosw2", 0, 1e-4, 1e-5}};
  cmbt_run exact, r;
  double t[8];
  run(&exact, "mdop853", 1e-10, 0);
  assert_true(cmbt_switch_times(&exact, "t2.contact", 1, 8, t) == 1); /* the rear wheel lands */
  assert_true(cmbt_switch_times(&exact, "t1.peak", 1, 8, t) >= 1);
  assert_true(fabs(cmbt_output(&exact, "y1")) > 100 && fabs(cmbt_output(&exact, "x2")) > 100);
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
    double worst = 0;
    run(&r, methods[i].name, methods[i].rtol > 0 ? methods[i].rtol : 1e-6, methods[i].step);
    for (int k = 0; k < OUTPUTS; k++)
      worst = fmax(worst, fabs(cmbt_output(&r, outputs[k]) - cmbt_output(&exact, outputs[k])));
    printf("%-9s %.2g\n", methods[i].name, worst / 3000);
    cmbt_below(worst / 3000, methods[i].error);
    cmbt_run_close(&r);
  }
  cmbt_run_close(&exact);
}

static void test_exported(void **state)
{
  (void)state;
  static const cmb_option_setting none[] = {{"bound", "none"}};
  struct cmbt_export_bits seen;
  cmbt_run r;
  cmbt_run_open_text(&r, gentle, CMB_FORM_EXPLICIT);
  cmbt_export_bits(r.ctx, r.model, CMB_FORM_EXPLICIT, "lie", 1, none, "two tyres", &seen);
  assert_true(seen.whole && seen.steps == CMBT_EXPORT_STEPS);
  cmbt_run_close(&r);
}

/* Runs a system of its own to the end: with a save at 40 %, or resumed from there. */
static void run_piece(const char *method, bool resumes, double *q, double *v)
{
  cmbt_run r;
  cmb_simulation *sim;
  cmbt_run_open_text(&r, model, CMB_FORM_EXPLICIT);
  cmb_run_options o = cmb_run_defaults();
  o.method = cmb_method_find(method);
  o.integrator.rtol = 1e-6, o.integrator.atol = 1e-8;
  o.t_end = T;
  cmbt_ok(r.ctx, cmb_simulation_create(r.ctx, r.system, &o, &sim));
  if (resumes) {
    cmbt_ok(r.ctx, cmb_simulation_resume(sim, "tyres.state"));
  } else {
    cmbt_ok(r.ctx, cmb_simulation_advance(sim, 0.4 * T));
    cmbt_ok(r.ctx, cmb_simulation_save(sim, "tyres.state"));
  }
  cmbt_ok(r.ctx, cmb_simulation_advance(sim, T));
  const cmb_result *result = cmb_simulation_result(sim);
  memcpy(q, result->q, (size_t)r.eq->nq * sizeof *q);
  memcpy(v, result->v, (size_t)r.eq->nv * sizeof *v);
  cmb_simulation_destroy(sim);
  cmbt_run_close(&r);
}

static void test_resumed(void **state)
{
  (void)state;
  static const char *const methods[] = {"mdop5", "radau5", "bdf"};
  enum { ROOM = 20 };
  for (int i = 0; i < 3; i++) {
    double q[2][ROOM] = {{0}}, v[2][ROOM] = {{0}};
    for (int k = 0; k < 2; k++) run_piece(methods[i], k == 1, q[k], v[k]);
    const double most = cmbt_resumes_exactly(cmb_method_find(methods[i])) ? 0 : 1e-4;
    for (int k = 0; k < ROOM; k++) {
      cmbt_near(q[1][k], q[0][k], most * fmax(1, fabs(q[0][k])));
      cmbt_near(v[1][k], v[0][k], most * fmax(1, fabs(v[0][k])));
    }
    assert_true(v[0][0] > 1);
  }
}

/* Checks that the error of lie has order 1 for a wheel that lands spinning: its slip is unstable when it begins to slide, with a growth
 * rate that at some time equals 1/h for any step h in a wide range. */
static void test_landing(void **state)
{
  (void)state;
  static const char wheel[] =
      "points: {W: [0, 0, 0.36]}\n"
      "bodies: {slide: {massless: true}, carriage: {mass: 280, com: W, inertia: [9, 9, 9]},\n"
      "  wheel: {mass: 20, com: W, inertia: [0.5, 1, 0.5]}}\n"
      "joints:\n"
      "  x: {type: prismatic, child: slide, at: W, axis: x, rate: 4}\n"
      "  z: {type: prismatic, parent: slide, child: carriage, at: W, axis: z}\n"
      "  hub: {type: revolute, parent: carriage, child: wheel, at: W, axis: y, rate: 30}\n"
      "forces: {tyre: {type: tyre, on: wheel@W, axis: y, file: tyres/car-205-60r19.tir}}\n"
      "outputs: {w: \"hub'\"}\n";
  static const double steps[] = {0, 4e-4, 2e-4, 1e-4, 5e-5, 2.5e-5};
  enum { STEPS = sizeof steps / sizeof *steps };
  double w[STEPS];
  for (int i = 0; i < STEPS; i++) {
    cmbt_run r;
    cmbt_run_open_text_with(&r, wheel, CMB_FORM_EXPLICIT, i > 0);
    r.method = i == 0 ? "radau5" : "lie";
    r.rtol = 1e-8;
    r.step = steps[i];
    cmbt_run_to(&r, 0.3, 0);
    w[i] = cmbt_output(&r, "w");
    cmbt_run_close(&r);
  }
  const double order = log2((w[STEPS - 2] - w[0]) / (w[STEPS - 1] - w[0]));
  printf("lie at a landing: error %.2g, order %.3f\n", fabs(w[STEPS - 1] - w[0]), order);
  cmbt_below(fabs(order - 1), 0.2);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_methods),
      cmocka_unit_test(test_exported),
      cmocka_unit_test(test_resumed),
      cmocka_unit_test(test_landing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
