/*
 * The bundled parts (models/parts, docs/parts.md): each in a small model, with explicit and implicit methods, in joint and in Cartesian
 * coordinates, compared with an exact solution, or where there is none with the Runge-Kutta method in long double applied to equations
 * written here; and in exported code, bit for bit as in a run. A part whose required entries are missing is refused with a message.
 */
#include "check.h"
#include "export_bits.h"
#include "failing_allocator.h"
#include "methods.h"
#include "model_case.h"
#include "part_case.h"

#include <camber/camber.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_OUTPUTS = 6 };

/* ---- the parts: models and their exact outputs at the end */

#define BLOCK                                                                                      \
  "gravity: [0, 0, 0]\n"                                                                           \
  "points: {O: [0, 0, 0], P: [1, 0, 0]}\n"                                                         \
  "bodies: {block: {mass: 2, com: P}}\n"                                                           \
  "joints: {slide: {type: prismatic, child: block, axis: x, coordinates: [x]"

static const char filters[] =
    "include: parts/filter\n" BLOCK "}}\n"
    "instances:\n"
    "  one: {template: first_order, parameters: {time: 0.2}, measures: {input: sin(5*t)}}\n"
    "  two: {template: second_order, parameters: {frequency: 8, damping: 0.3}, measures: {input: "
    "2}}\n"
    "outputs: {a: one.low, b: one.high, c: two.low, d: two.band, e: two.high}\n";

/* Computes the first-order low and high pass of sin(w t), and the second-order filter of a step of 2, an underdamped oscillation. */
static void exact_filters(double t, double *y)
{
  const double T = 0.2, w = 5, f = 8, z = 0.3;
  double low, slope;
  y[0] = (sin(w * t) - w * T * cos(w * t) + w * T * exp(-t / T)) / (1 + w * w * T * T);
  y[1] = sin(w * t) - y[0];
  cmbt_swing(z * f, f, -2, 0, t, &low, &slope);
  y[2] = 2 + low;
  y[3] = 2 * z * slope / f;
  y[4] = 2 - y[2] - y[3];
}

static const char limiters[] =
    "include: parts/rate-limiter\n" BLOCK "}}\n"
    "instances:\n"
    "  rise: {template: rate_limiter, parameters: {up: 2, down: 1, time: 0.1}, measures: {input: "
    "1.5}}\n"
    "  fall: {template: rate_limiter, parameters: {up: 1, down: 4, time: 0.2}, measures: {input: "
    "-2}}\n"
    "outputs: {a: rise.output, b: fall.output}\n";

/* Returns the output of a limiter for a step of the height `way` at time 0: it changes at the limit `rate` until the remaining difference is
 * rate T, and approaches the input exponentially with the time constant T from then on. */
static double limited(double way, double rate, double T, double t)
{
  const double until = way / rate - T;
  return t < until ? rate * t : way - rate * T * exp(-(t - until) / T);
}

static void exact_limiters(double t, double *y)
{
  y[0] = limited(1.5, 2, 0.1, t);
  y[1] = -limited(2, 4, 0.2, t);
}

static const char delays[] = "include: parts/delay\n" BLOCK ", start: 0.1, rate: 0.5}}\n"
                             "instances:\n"
                             "  whole: {template: sampled_delay, parameters: {time: 3/64, period: "
                             "1/64}, measures: {input: x}}\n"
                             "  part: {template: sampled_delay, parameters: {time: 3/256, period: "
                             "1/64}, measures: {input: x}}\n"
                             "outputs: {a: whole.output, b: part.output}\n";

/* Computes the newest sample of x = 0.1 + 0.5 t that is at least as old as the delay. */
static void exact_delays(double t, double *y)
{
  y[0] = 0.1 + 0.5 * floor(64 * (t - 3 / 64.0)) / 64;
  y[1] = 0.1 + 0.5 * floor(64 * (t - 3 / 256.0)) / 64;
}

static const char maxwell[] =
    "include: parts/maxwell\n" BLOCK ", start: 0.1, rate: 0.5}}\n"
    "instances:\n"
    "  rubber: {template: maxwell, parameters: {stiffness: 800, damping: 60, free: 1}, measures: "
    "{length: "
    "pull.length}}\n"
    "forces: {pull: {type: spring, between: [ground@O, block@P], force: rubber.force}}\n"
    "outputs: {a: x, b: \"x'\", c: rubber.extension, d: rubber.force}\n";

/* Computes the motion with spring and damper in series. For the spring's extension e: e'' + k/c e' + k/m e = 0. From m v' = −k e and c y' =
 * k e the damper's extension y is −m (v − v0)/c. */
static void exact_maxwell(double t, double *y)
{
  const double m = 2, k = 800, c = 60, x0 = 0.1, v0 = 0.5;
  double e, slope;
  cmbt_swing(k / (2 * c), sqrt(k / m), x0, v0 - k / c * x0, t, &e, &slope);
  y[1] = slope + k / c * e;
  y[2] = -m / c * (y[1] - v0);
  y[0] = e + y[2];
  y[3] = k * e;
}

/* One motor turns an arm, the other moves a block by a spindle. */
static const char motors[] =
    "include: parts/dc-motor\n"
    "gravity: [0, 0, 0]\n"
    "points: {O: [0, 0, 0], P: [1, 0, 0]}\n"
    "bodies: {arm: {mass: 1, com: O, inertia: [0.02, 0.02, 0.02]}, block: {mass: 2, com: P}}\n"
    "joints:\n"
    "  hinge: {type: revolute, child: arm, at: O, axis: z, coordinates: [phi]}\n"
    "  slide: {type: prismatic, child: block, axis: x, coordinates: [x]}\n"
    "measures: {gap: {distance: [ground@O, block@P]}}\n"
    "instances:\n"
    "  first: {template: dc_motor, parameters: {resistance: 0.5, inductance: 0.02, constant: 0.08, "
    "inertia: 3e-4, damping: 1e-4, ratio: 5}, measures: {voltage: 12, angle: phi}}\n"
    "  second: {template: dc_motor, parameters: {resistance: 0.5, inductance: 0.02, constant: "
    "0.08, "
    "inertia: 3e-4, damping: 1e-4, ratio: 60}, measures: {voltage: -3, angle: gap - 1}}\n"
    "outputs: {a: phi, b: \"phi'\", c: first.current, d: x, e: \"x'\", f: second.current}\n";

/* Solves J w' = n K i − d n² w and L i' = U − R i − K n w for a start at rest, where J is the inertia of load and rotor on the load's side:
 * w'' + (R/L + b) w' + (b R/L + n² K²/(L J)) w = n K U/(L J) with b = d n²/J. y is angle, angular velocity and current. */
static void exact_motor(double load, double n, double U, double t, double y[3])
{
  const double R = 0.5, L = 0.02, K = 0.08, d = 1e-4, J = load + n * n * 3e-4, b = d * n * n / J;
  const double square = b * R / L + n * n * K * K / (L * J), rest = n * K * U / (L * J * square);
  double w, slope;
  cmbt_swing((R / L + b) / 2, sqrt(square), -rest, 0, t, &w, &slope);
  w += rest;
  y[1] = w;
  y[2] = (J * slope + d * n * n * w) / (n * K);
  y[0] = (U * t - L * y[2] - R * J * w / (n * K)) /
         (K * n + R * d * n / K); /* L i + R ∫i + K n φ = U t */
}

static void exact_motors(double t, double *y)
{
  exact_motor(0.02, 5, 12, t, y);
  exact_motor(2, 60, -3, t, y + 3);
}

/* The block starts so far from its target that the output is at its limit first and the integral would wind up. */
static const char controlled[] =
    "include: parts/pid\n" BLOCK ", damping: 1}}\n"
    "instances:\n"
    "  pid: {template: pid, parameters: {kp: 60, ki: 40, kd: 20, derivative_time: 0.05, "
    "windup_time: 0.2, low: -6, high: 10}, measures: {error: 1 - x}}\n"
    "forces: {push: {type: torsion, coordinate: x, torque: -pid.output}}\n"
    "outputs: {a: x, b: \"x'\", c: pid.integral, d: pid.filtered, e: pid.output}\n";

static long double pid_output(const long double *x, long double *asked)
{
  *asked = 60 * (1 - x[0]) + x[2] + 20 * (1 - x[0] - x[3]) / 0.05L;
  return fminl(fmaxl(*asked, -6), 10);
}

static void pid_rates(long double t, const long double *x, long double *rate)
{
  (void)t;
  long double asked, u = pid_output(x, &asked);
  rate[0] = x[1];
  rate[1] = (u - x[1]) / 2;
  rate[2] = 40 * (1 - x[0]) + (u - asked) / 0.2L;
  rate[3] = (1 - x[0] - x[3]) / 0.05L;
}

static void exact_controlled(double t, double *y)
{
  long double x[4] = {0}, asked;
  cmbt_runge_kutta(pid_rates, 4, t, 40000, x);
  for (int i = 0; i < 4; i++) y[i] = (double)x[i];
  y[4] = (double)pid_output(x, &asked);
}

static const char air[] =
    "include: parts/air-spring\n"
    "points: {O: [0, 0, 0], P: [0, 0, 0.2]}\n"
    "bodies: {car: {mass: 500, com: P}}\n"
    "joints: {guide: {type: prismatic, child: car, axis: z, coordinates: [z], start: 0.03}}\n"
    "instances:\n"
    "  air: {template: air_spring, measures: {height: strut.length}}\n"
    "forces: {strut: {type: spring, between: [ground@O, car@P], force: air.force}}\n"
    "outputs: {a: z, b: \"z'\", c: 100*air.share, d: air.force/5000, e: air.tank_pressure/6e5}\n";

static long double air_pressure(const long double *x)
{
  return 6e5L * powl((1 - x[2]) * 2e-3L / (2e-3L + 0.01L * x[0]), 1.3L);
}

static void air_rates(long double t, const long double *x, long double *rate)
{
  (void)t;
  const long double p = air_pressure(x), tank = 1 + x[2] / 2, dense = 6e5L / (287 * 293.0L);
  const long double d = p - 6e5L * powl(tank, 1.3L);
  const long double rho = dense * ((1 - x[2]) * 2e-3L / (2e-3L + 0.01L * x[0]) + tank);
  rate[0] = x[1];
  rate[1] = (p - 1e5L) * 0.01L / 500 - 9.81L;
  rate[2] = 0.6L * 2e-5L * sqrtl(rho) * d / sqrtl(sqrtl(d * d + 1e4L)) / (dense * 2e-3L);
}

static void exact_air(double t, double *y)
{
  long double x[3] = {0.03L, 0, 0};
  cmbt_runge_kutta(air_rates, 3, t, 40000, x);
  y[0] = (double)x[0];
  y[1] = (double)x[1];
  y[2] = (double)(100 * x[2]);
  y[3] = (double)(-(air_pressure(x) - 1e5L) * 0.01L / 5000);
  y[4] = (double)powl(1 + x[2] / 2, 1.3L);
}

/* The force 3 u − 40 s + 2 u s is linear in the voltage u and in the position s: a table of few points gives it exactly. */
static const char driven[] =
    "include: parts/actuator\n" BLOCK ", damping: 4}}\n"
    "inputs: {voltage: 5*sin(3*t)}\n"
    "instances:\n"
    "  valve:\n"
    "    template: actuator\n"
    "    parameters: {time: 0.05}\n"
    "    measures: {command: voltage, position: x}\n"
    "    tables: {map: {x: [-10, 0, 10], y: [-2, 0, 1, 2], values: [[90, -30, -90, -150], [80, 0, "
    "-40, -80], [70, 30, 10, -10]]}}\n"
    "forces: {push: {type: torsion, coordinate: x, torque: -valve.force}}\n"
    "outputs: {a: x, b: \"x'\", c: valve.force}\n";

static void driven_rates(long double t, const long double *x, long double *rate)
{
  const long double u = 5 * sinl(3 * t);
  rate[0] = x[1];
  rate[1] = (x[2] - 4 * x[1]) / 2;
  rate[2] = (3 * u - 40 * x[0] + 2 * u * x[0] - x[2]) / 0.05L;
}

static void exact_driven(double t, double *y)
{
  long double x[3] = {0};
  cmbt_runge_kutta(driven_rates, 3, t, 40000, x);
  for (int i = 0; i < 3; i++) y[i] = (double)x[i];
}

static const struct part {
  const char *name, *text;
  void (*exact)(double t, double *y);
} parts[] = {
    {"filters", filters, exact_filters},         {"rate limiters", limiters, exact_limiters},
    {"Maxwell element", maxwell, exact_maxwell}, {"DC motors", motors, exact_motors},
    {"PID", controlled, exact_controlled},       {"air spring", air, exact_air},
    {"actuator", driven, exact_driven},          {"delays", delays, exact_delays},
};

enum { PARTS = sizeof parts / sizeof *parts };

/* ---- comparison with the exact outputs */

static void test_exact(void **state)
{
  (void)state;
  static const char *const methods[] = {"mdop5", "radau5", "auto"};
  cmb_context *ctx = cmb_context_create(NULL);
  for (int i = 0; i < PARTS; i++) {
    cmb_model *model = cmbt_model_of_parts(ctx, parts[i].text);
    double exact[MOST_OUTPUTS], worst = 0;
    const double t_end = 1.1;
    parts[i].exact(t_end, exact);
    for (int k = 0; k < 3; k++) {
      worst = fmax(worst, cmbt_part_error(ctx, model, methods[k], CMB_FORM_EXPLICIT, t_end, exact));
    }
    worst = fmax(worst, cmbt_part_error(ctx, model, "mdop5", CMB_FORM_CARTESIAN, t_end, exact));
    printf("%-16s %.2g tolerances\n", parts[i].name, worst);
    cmbt_below(worst, 30);
    cmb_model_destroy(model);
  }
  cmb_context_destroy(ctx);
}

/* ---- exported code */

static void test_exported(void **state)
{
  (void)state;
  static const cmb_option_setting none[] = {{"bound", "none"}};
  cmb_context *ctx = cmb_context_create(NULL);
  for (int i = 0; i < PARTS; i++) {
    cmb_model *model = cmbt_model_of_parts(ctx, parts[i].text);
    struct cmbt_export_bits seen;
    cmbt_export_bits(ctx, model, i % 3 == 2 ? CMB_FORM_CARTESIAN : CMB_FORM_EXPLICIT,
                     i % 2 ? "rosw2" : "lie", 1, none, parts[i].name, &seen);
    assert_true(seen.whole);
    cmb_model_destroy(model);
  }
  cmb_context_destroy(ctx);
}

/* ---- equilibria */

/* Compares the equilibrium of the air spring with (p − p_a) A = m g, the same pressure in the tank, and the total mass of the gas as at the
 * start. */
static void test_air_spring_equilibrium(void **state)
{
  (void)state;
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_model *model = cmbt_model_of_parts(ctx, air);
  cmb_system *system;
  cmb_equilibrium_report report;
  const cmb_model_system_options o = {.derivatives = true};
  cmbt_ok(ctx, cmb_model_system(ctx, model, &o, &system));
  cmbt_ok(ctx, cmb_system_equilibrium(ctx, system, &report));
  const double dense = pow((500 * 9.81 / 0.01 + 1e5) / 6e5, 1 / 1.3), share = 2 * (dense - 1);
  cmbt_near(cmb_system_v(system)[1], share, 1e-9);
  cmbt_near(cmb_system_q(system)[0], 0.2 * ((1 - share) / dense - 1), 1e-9);
  assert_int_equal(report.stability, CMB_STABLE);
  cmb_system_destroy(system);
  cmb_model_destroy(model);
  cmb_context_destroy(ctx);
}

/* ---- errors in models */

/* Checks that reading the model fails with CMB_ERROR_INPUT and a message that contains `fragment`. */
static void refuse(cmb_context *ctx, const char *text, const char *fragment)
{
  char library[1000];
  cmb_model *model = NULL;
  const cmb_model_options options = {.library = library};
  snprintf(library, sizeof library, "%s/models", getenv("SOURCE_DIR"));
  assert_int_equal(cmb_model_parse(ctx, text, strlen(text), "test.yaml", &options, &model),
                   CMB_ERROR_INPUT);
  if (!strstr(cmb_last_error(ctx), fragment)) fail_msg("%s", cmb_last_error(ctx));
}

static void test_refused(void **state)
{
  (void)state;
  cmb_context *ctx = cmb_context_create(NULL);
  refuse(ctx, "include: parts/pdi\n", "test.yaml:1:10: the file 'parts/pdi' cannot be read");
  refuse(ctx, "include: parts/pdi\n", "did you mean 'parts/pid'?");
  refuse(ctx, "include: ../models/parts/pid\n",
         "is an absolute path or leads out of the model's folder");
  refuse(ctx, "include: parts/pid\ninstances: {c: {template: pid}}\n",
         "test.yaml:2:13: measure 'c.error': the template 'pid' needs 'error' (what is wanted less "
         "what "
         "is); expected 'measures: {error: ...}'");
  refuse(ctx, "include: parts/pid\ninstances: {c: {template: pid, measures: {eror: t}}}\n",
         "has no 'eror' under 'measures': did you mean 'error'?");
  refuse(ctx,
         "include: parts/pid\ninstances: {c: {template: pid, tables: {map: [[0, 0], [1, 1]]}}}\n",
         "has no 'map' under 'tables'; expected a name that the template has there");
  refuse(ctx, "include: parts/actuator\ninstances: {c: {template: actuator}}\n",
         "table 'c.map': the template 'actuator' needs 'map' (forces in N");
  refuse(ctx, "measures: {m: {needed: a number}}\n", "'needed' is only for templates");
  assert_int_equal(
      cmb_model_parse(ctx, "include: parts/pid\n", 19, "test.yaml", NULL, &(cmb_model *){NULL}),
      CMB_ERROR_INPUT);
  cmb_context_destroy(ctx);
}

/* Checks that a file beside the model is taken before the library's of the same name, also if the ending .yaml is left out. */
static void test_own_file(void **state)
{
  (void)state;
  static const char own[] = "templates: {mine: {title: my own, states: {a: {rate: 1}}}}\n";
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_item item;
  cmbt_write_file("parts/pid.yaml", own, strlen(own));
  cmb_model *model =
      cmbt_model_of_parts(ctx, "include: [parts/pid, parts/pid.yaml, parts/maxwell]\n"
                               "instances: {m: {template: mine}}\n");
  assert_int_equal(cmb_model_count(model, CMB_ITEM_TEMPLATE), 2);
  assert_true(cmb_model_item(model, CMB_ITEM_TEMPLATE, 0, &item));
  assert_string_equal(item.name, "mine");
  assert_string_equal(item.title, "my own");
  assert_string_equal(cmb_model_title(model), "");
  assert_int_equal(remove("parts/pid.yaml"), 0);
  cmb_model_destroy(model);
  cmb_context_destroy(ctx);
}

/* Checks that files of a library can include each other, and no file outside of the library. */
static void test_library(void **state)
{
  (void)state;
  static const char a[] = "include: deep/b\n", b[] = "include: [../c.yaml, ../c]\n";
  static const char c[] = "parameters: {seen: 7}\n", out[] = "include: ../test.yaml\n";
  const cmb_model_options options = {.library = "lib"};
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_model *model;
  cmbt_write_file("lib/a.yaml", a, strlen(a));
  cmbt_write_file("lib/deep/b.yaml", b, strlen(b));
  cmbt_write_file("lib/c.yaml", c, strlen(c));
  cmbt_write_file("lib/out.yaml", out, strlen(out));
  cmbt_ok(ctx, cmb_model_parse(ctx, "include: a\n", 11, "test.yaml", &options, &model));
  cmbt_near(cmbt_model_parameter(model, "seen"), 7, 0);
  cmb_model_destroy(model);
  assert_int_equal(cmb_model_parse(ctx, "include: out\n", 13, "test.yaml", &options, &model),
                   CMB_ERROR_INPUT);
  assert_non_null(strstr(cmb_last_error(ctx), "lib/out.yaml:1:10: "));
  assert_non_null(strstr(cmb_last_error(ctx), "is an absolute path or leads out"));
  cmb_context_destroy(ctx);
}

/* Checks that each failing allocation while a model with a part is read gives CMB_ERROR_MEMORY and that all memory is freed. */
static void test_memory(void **state)
{
  (void)state;
  char library[1000];
  const cmb_model_options options = {.library = library};
  long refused = 1;
  snprintf(library, sizeof library, "%s/models", getenv("SOURCE_DIR"));
  for (long k = 2; refused > 0; k++) {
    struct cmbt_allocator memory;
    cmb_model *model = NULL;
    cmbt_allocator_init(&memory);
    memory.fail_at = k;
    cmb_context *ctx = cmb_context_create(&memory.hook);
    const cmb_status status =
        cmb_model_parse(ctx, driven, sizeof driven - 1, "test.yaml", &options, &model);
    refused = memory.refused;
    assert_int_equal(status, refused > 0 ? CMB_ERROR_MEMORY : CMB_OK);
    cmb_model_destroy(model);
    cmb_context_destroy(ctx);
    assert_int_equal(memory.outstanding, 0);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_exact),    cmocka_unit_test(test_exported),
      cmocka_unit_test(test_refused),  cmocka_unit_test(test_air_spring_equilibrium),
      cmocka_unit_test(test_own_file), cmocka_unit_test(test_library),
      cmocka_unit_test(test_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
