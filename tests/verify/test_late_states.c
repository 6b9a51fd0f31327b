/*
 * States whose rates depend on accelerations and constraint forces ("late" states), against references that do not use the library:
 *
 *   - A damped pendulum with the integral of its joint's reaction, one of that reaction's square, and an accelerometer whose filtered value
 *     acts back as a torque: observed orders of every method, runs with step size control, derivatives, and numbers of Newton iterations
 *     compared with those of the same rates written out by hand.
 *   - A slider driven by a motion: momentum, work and a filter in closed form.
 *   - A body that stays on a stop after its impact, and one that friction holds.
 *   - An equilibrium and a linearisation, exported C, a run that is saved and resumed.
 *   - Errors: a late rate in a force, and one that redundant constraints leave indeterminate.
 */
#include "check.h"
#include "export_bits.h"
#include "methods.h"
#include "model_case.h"
#include "model_run.h"
#include "reference.h"
#include "state_orders.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { THETA, OMEGA, SIDE, FILTER, SQUARE, UNKNOWNS, STATES = UNKNOWNS - SIDE };

#define PENDULUM(side, ax, square, more)                                                           \
  "points: {O: [0, 0, 0], A: [0, 0, -1]}\n"                                                        \
  "bodies: {bob: {mass: 2, com: A, inertia: [0.5, 0.5, 0.5]}}\n"                                   \
  "joints: {pivot: {type: revolute, child: bob, at: O, axis: y, start: -0.9, rate: 0.3}}\n"        \
  "inputs: {u: 0}\n"                                                                               \
  "states:\n"                                                                                      \
  "  side: {rate: " side "}\n"                                                                     \
  "  filter: {rate: (" ax " - filter)/0.05, start: 1}\n"                                           \
  "  square: {rate: 0.05*(" square ")^2}\n"                                                        \
  "forces: {motor: {type: torsion, coordinate: pivot, torque: 0.4*pivot' - 0.3*filter - "          \
  "u}}\n" more

#define LATE(more) PENDULUM("pivot.fx", "bob.ax", "pivot.fz", more)

/* The same with the accelerations written out by hand. */
#define TURN "(0.3*filter - 0.4*pivot' - 19.62*sin(pivot))/2.5"
#define AX   "(sin(pivot)*pivot'^2 - cos(pivot)*" TURN ")"
#define WRITTEN(more)                                                                              \
  PENDULUM("2*" AX, AX, "2*(9.81 + cos(pivot)*pivot'^2 + sin(pivot)*" TURN ")", more)

static void rates(const void *user, long double t, const long double *y, long double *dy)
{
  (void)user, (void)t;
  const long double s = sinl(y[THETA]), c = cosl(y[THETA]), w = y[OMEGA];
  const long double turn = (0.3L * y[FILTER] - 0.4L * w - 2 * 9.81L * s) / 2.5L;
  const long double ax = s * w * w - c * turn, fz = 2 * (9.81L + c * w * w + s * turn);
  dy[THETA] = w;
  dy[OMEGA] = turn;
  dy[SIDE] = 2 * ax;
  dy[FILTER] = (ax - y[FILTER]) / 0.05L;
  dy[SQUARE] = 0.05L * fz * fz;
}

static void exact_at(double t, double z[STATES])
{
  long double y[UNKNOWNS] = {-0.9L, 0.3L, 0, 1, 0};
  if (t > 0) cmbt_extrapolate(rates, NULL, UNKNOWNS, 0, t, 80, y);
  for (int i = 0; i < STATES; i++) z[i] = (double)y[SIDE + i];
}

/* ---- orders */

static void compare(const cmb_equations *eq, const cmb_integrator *in, double *difference)
{
  const double *z = cmb_integrator_v(in) + eq->nv - STATES;
  double exact[STATES];
  exact_at(cmb_integrator_t(in), exact);
  for (int i = 0; i < STATES; i++) difference[i] = z[i] - exact[i];
}

static const char *const state_names[STATES] = {"side", "filter", "square"};

static const struct cmbt_state_problem pendulum = {.t_end = 0.8,
                                                   .points = 4,
                                                   .unknowns = STATES,
                                                   .names = state_names,
                                                   .compare = compare,
                                                   .steps = {{32, 64},
                                                             {10, 16},
                                                             {32, 64},
                                                             {32, 48},
                                                             {160, 320},
                                                             {80, 160},
                                                             {8, 16},
                                                             {32, 64},
                                                             {40, 80},
                                                             {32, 64},
                                                             {800, 1600},
                                                             {160, 320}}};

/* Returns the norm of all three errors; the leading term of a single one may nearly vanish. */
static double norm_of(const double error[STATES])
{
  return hypot(hypot(error[0], error[1]), error[2]);
}

static void check_orders(cmb_context *ctx, const cmb_system *system, int number, const char *where)
{
  double coarse[STATES], fine[STATES];
  if (pendulum.steps[number][0] == 0) return;
  cmbt_state_errors(ctx, system, &pendulum, number, where, coarse, fine);
  const double order = cmbt_state_order(&pendulum, number, norm_of(coarse), norm_of(fine));
  printf("%-19s  all %.2f\n", "", order);
  cmbt_near(order, cmbt_order_cases[number].order, 0.2);
}

static void test_orders(void **state)
{
  (void)state;
  static const char *const where[] = {"explicit", "residual", "cartesian"};
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_model *model = cmbt_model_parse(ctx, LATE(""));
  for (int f = 0; f < 3; f++) {
    const cmb_model_system_options options = {
        .formulation = cmbt_formulation(f), .derivatives = true, .expressions = true};
    cmb_system *system;
    cmbt_ok(ctx, cmb_model_system(ctx, model, &options, &system));
    assert_int_equal(cmb_system_equations(system)->nl, 3);
    for (int i = 0; i < CMBT_ORDER_CASES; i++) {
      if (cmbt_is_sampled(i + f)) check_orders(ctx, system, i, where[f]);
    }
    cmb_system_destroy(system);
  }
  cmb_model_destroy(model);
  cmb_context_destroy(ctx);
}

/* ---- runs with step size control, and their numbers of Newton iterations compared with those of rates written out */

static long run_pendulum(const char *text, int f, const char *method, double *worst)
{
  double exact[STATES];
  cmbt_run r;
  exact_at(2, exact);
  cmbt_run_open_text(&r, text, cmbt_formulation(f));
  r.method = method;
  r.rtol = r.atol = 1e-7;
  cmbt_run_to(&r, 2, 0);
  for (int k = 0; k < STATES; k++) {
    const double off =
        fabs(cmbt_velocity(&r, state_names[k]) - exact[k]) / (1e-7 * (1 + fabs(exact[k])));
    *worst = fmax(*worst, off);
  }
  const long iterations = r.result->statistics->newton;
  cmbt_run_close(&r);
  return iterations;
}

/* Returns whether a method uses Newton's method only in projections, with few iterations each. */
static bool is_explicit(const char *method)
{
  static const char *const names[] = {"auto", "mdop5", "mdop853", "hem5", "phem56", "abm"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    if (strcmp(names[i], method) == 0) return true;
  }
  return false;
}

static void test_tolerances(void **state)
{
  (void)state;
  double worst = 0, other = 0;
  for (int f = 0; f < 3; f++) {
    for (int i = cmbt_next_but_trap(0); i < cmb_method_count(); i = cmbt_next_but_trap(i + 1)) {
      const char *name = cmb_method_name(cmb_method_at(i));
      if (!cmbt_is_sampled(i + f)) continue;
      const long late = run_pendulum(LATE(""), f, name, &worst);
      const long written = run_pendulum(WRITTEN(""), f, name, &other);
      printf("%d %-8s %ld Newton iterations, written out %ld\n", f, name, late, written);
      if (!is_explicit(name)) assert_true(labs(late - written) <= 2 + written / 50);
    }
  }
  printf("worst error: %.1f tolerances, written out %.1f\n", worst, other);
  assert_true(worst <= 30);
}

/* ---- derivatives: rows of late states are exact, compared with central differences of f */

static double entry_of(const cmb_pattern *p, const double *J, int columns, int row, int column)
{
  if (!p) return J[row * columns + column];
  for (int k = p->start[row]; k < p->start[row + 1]; k++) {
    if (p->column[k] == column) return J[k];
  }
  return 0;
}

static void check_derivative(const cmbt_run *r, cmb_derivative which)
{
  enum { ROOM = 64 };
  const cmb_equations *eq = r->eq;
  const int columns = which == CMB_RESIDUAL_Q ? eq->nq : eq->nv;
  double q[ROOM], v[ROOM], f[2][ROOM], J[ROOM * ROOM], a[ROOM] = {0}, lambda[ROOM] = {0};
  int mode[ROOM] = {0};
  void *scratch = calloc(1, eq->scratch_size + 1);
  const cmb_point at = {.q = q, .v = v, .mode = mode, .scratch = scratch};
  memcpy(q, cmb_system_q(r->system), (size_t)eq->nq * sizeof *q);
  memcpy(v, cmb_system_v(r->system), (size_t)eq->nv * sizeof *v);
  cmbt_ok(r->ctx, eq->derivative(eq->self, &at, a, lambda, which, J));
  for (int j = 0; j < columns; j++) {
    double *moved = which == CMB_RESIDUAL_Q ? &q[j] : &v[j];
    const double before = *moved, h = 1e-5;
    for (int side = 0; side < 2; side++) {
      *moved = before + (side == 0 ? h : -h);
      cmbt_ok(r->ctx, eq->evaluate(eq->self, &at, &(cmb_terms){.f = f[side]}));
    }
    *moved = before;
    for (int i = 0; i < eq->nl; i++) {
      const int row = eq->late_row[i];
      const double difference = -(f[0][row] - f[1][row]) / (2 * h);
      cmbt_near(entry_of(eq->derivative_pattern[which], J, columns, row, j), difference,
                1e-7 * (100 + fabs(difference)));
    }
  }
  free(scratch);
}

static void test_derivatives(void **state)
{
  (void)state;
  for (int f = 0; f < 3; f++) {
    cmbt_run r;
    cmbt_run_open_text(&r, LATE(""), cmbt_formulation(f));
    check_derivative(&r, CMB_RESIDUAL_Q);
    check_derivative(&r, CMB_RESIDUAL_V);
    cmbt_run_close(&r);
  }
}

/* ---- a slider driven by x = 0.1 sin 5t: momentum, kinetic energy, and an accelerometer's filter (τ = 0.1), a = −2.5 sin 5t */

static void test_driven(void **state)
{
  (void)state;
  static const char text[] =
      "points: {O: [0, 0, 0]}\nbodies: {box: {mass: 3, com: O, inertia: [1, 1, 1]}}\n"
      "joints: {x: {type: prismatic, child: box, axis: x, rate: 0.5}}\n"
      "motions: {drive: {coordinate: x, value: 0.1*sin(5*t)}}\n"
      "states: {push: {rate: drive.force}, work: {rate: drive.force*x'},\n"
      "  seen: {rate: (box.ax - seen)/0.1}, gain: {rate: power}}\n";
  const double t = 1.3, v = 0.5 * cos(5 * t);
  /* 0.1 y' + y = −2.5 sin 5t with y(0) = 0: y = −2 sin 5t + cos 5t − exp(−10t), since 1 + 0.5² = 1.25 */
  const double seen = -2 * sin(5 * t) + cos(5 * t) - exp(-10 * t);
  for (int f = 0; f < 3; f++) {
    for (int i = cmbt_next_but_trap(0); i < cmb_method_count(); i = cmbt_next_but_trap(i + 1)) {
      cmbt_run r;
      if (!cmbt_is_sampled(i + f)) continue;
      cmbt_run_open_text(&r, text, cmbt_formulation(f));
      r.method = cmb_method_name(cmb_method_at(i));
      r.rtol = r.atol = 1e-8;
      cmbt_run_to(&r, t, 0);
      cmbt_near(cmbt_velocity(&r, "push"), 3 * (v - 0.5), 1e-6);
      cmbt_near(cmbt_velocity(&r, "work"), 1.5 * (v * v - 0.25), 1e-6);
      cmbt_near(cmbt_velocity(&r, "gain"), 1.5 * (v * v - 0.25), 1e-6);
      cmbt_near(cmbt_velocity(&r, "seen"), seen, 1e-6);
      cmbt_run_close(&r);
    }
  }
}

/* ---- angular accelerations: their integral is the change of the angular velocity, of a heavy top and of its mirror image */

static void test_angular(void **state)
{
  (void)state;
  static const char text[] =
      "templates:\n  top:\n"
      "    bodies: {b: {mass: 1, com: [0, 0.3, 0.1], inertia: [1, 2, 2.5], markers: {m: {at: [0, "
      "1, 0]}}}}\n"
      "    joints: {j: {type: spherical, orientation: euler, child: b, at: [0, 0, 0], rate: [0.4, "
      "1, -0.5]}}\n"
      "    states: {sx: {rate: b.alx}, sy: {rate: b.aly}, sz: {rate: m.alz}}\n"
      "    measures: {wx: b.wx, wy: b.wy, wz: m.wz}\n"
      "    outputs: {dx: sx - wx, dy: sy - wy, dz: sz - wz, x: b.alx}\n"
      "instances: {l: {template: top}, r: {template: top, mirror: y}}\n";
  static const char *const sides[] = {"l.dx", "l.dy", "l.dz", "r.dx", "r.dy", "r.dz"};
  const double start[] = {-0.4, -1, 0.5};
  for (int f = 0; f < 3; f++) {
    cmbt_run r;
    cmbt_run_open_text(&r, text, cmbt_formulation(f));
    r.method = "mdop5";
    r.rtol = r.atol = 1e-10;
    cmbt_run_to(&r, 1.5, 0);
    for (int i = 0; i < 6; i++) cmbt_near(cmbt_output(&r, sides[i]), start[i % 3], 1e-8);
    cmbt_near(cmbt_output(&r, "l.x"), -cmbt_output(&r, "r.x"), 1e-8); /* outputs are not mirrored */
    assert_true(fabs(cmbt_output(&r, "l.x")) > 0.1);
    cmbt_run_close(&r);
  }
}

/* ---- contacts that stay closed, and friction that holds */

/* Checks a ball that falls on a stop at T, with 0.3 = 9.81/2 T² + 5/12 T³, where the contact force is 19.62 + 5 t from then on; the impulse of the
 * impact is no part of the integrals. */
static void test_closed_contact(void **state)
{
  (void)state;
  static const char text[] =
      "points: {O: [0, 0, 0]}\nbodies: {ball: {mass: 2, com: O, inertia: [1, 1, 1]}}\n"
      "joints: {z: {type: prismatic, child: ball, axis: z, start: 0.3}}\n"
      "forces: {load: {type: load, on: ball@O, force: [0, 0, -5*t]}}\n"
      "loops: {bed: {type: stop, formula: z, restitution: 0}}\n"
      "states: {sum: {rate: bed.force}, speed: {rate: ball.az}, square: {rate: bed.force^2}}\n";
  double T = 0.25;
  for (int k = 0; k < 20; k++) {
    T -= (9.81 / 2 * T * T + 5.0 / 12 * T * T * T - 0.3) / (9.81 * T + 1.25 * T * T);
  }
  const double sum = 19.62 * (1 - T) + 2.5 * (1 - T * T);
  const double square = (pow(24.62, 3) - pow(19.62 + 5 * T, 3)) / 15;
  for (int f = 0; f < 3; f++) {
    for (int i = cmbt_next_but_trap(0); i < cmb_method_count(); i = cmbt_next_but_trap(i + 1)) {
      cmbt_run r;
      if (!cmbt_is_sampled(i + f)) continue;
      cmbt_run_open_text(&r, text, cmbt_formulation(f));
      r.method = cmb_method_name(cmb_method_at(i));
      r.rtol = r.atol = 1e-9;
      cmbt_run_to(&r, 1, 0);
      cmbt_near(cmbt_velocity(&r, "sum"), sum, 1e-7);
      cmbt_near(cmbt_velocity(&r, "square"), square, 1e-5);
      cmbt_near(cmbt_velocity(&r, "speed"), -9.81 * T - 1.25 * T * T, 1e-7);
      cmbt_run_close(&r);
    }
  }
}

/* Checks a body under a load 12 t: friction holds it up to 6 N, at t = 0.5, and is 6 N afterwards. */
static void test_friction(void **state)
{
  (void)state;
  static const char text[] =
      "points: {O: [0, 0, 0]}\nbodies: {box: {mass: 2, com: O, inertia: [1, 1, 1]}}\n"
      "joints: {x: {type: prismatic, child: box, axis: x, friction: {force: 6, law: stick}}}\n"
      "forces: {load: {type: load, on: box@O, force: [12*t, 0, 0]}}\n"
      "states: {sum: {rate: x.fx}, square: {rate: x.fx^2}, speed: {rate: box.ax}}\n";
  for (int f = 0; f < 3; f++) {
    for (int i = cmbt_next_but_trap(0); i < cmb_method_count(); i = cmbt_next_but_trap(i + 1)) {
      cmbt_run r;
      if (!cmbt_is_sampled(i + f)) continue;
      cmbt_run_open_text(&r, text, cmbt_formulation(f));
      r.method = cmb_method_name(cmb_method_at(i));
      r.rtol = r.atol = 1e-9;
      cmbt_run_to(&r, 1, 0);
      cmbt_near(cmbt_velocity(&r, "sum"), -4.5, 1e-7);
      cmbt_near(cmbt_velocity(&r, "square"), 24, 1e-6);
      cmbt_near(cmbt_velocity(&r, "speed"), 0.75, 1e-7);
      cmbt_run_close(&r);
    }
  }
}

/* ---- equilibrium, and frequency response about it */

#define FILTERS                                                                                    \
  "points: {O: [0, 0, 0], A: [0, 0, -1]}\n"                                                        \
  "bodies: {bob: {mass: 2, com: A, inertia: [0.5, 0.5, 0.5]}}\n"                                   \
  "joints: {pivot: {type: revolute, child: bob, at: O, axis: y, start: -0.3}}\n"                   \
  "inputs: {u: 0}\n"                                                                               \
  "states: {filter: {rate: (bob.ax - filter)/0.05, start: 1}, load: {rate: (pivot.fz - "           \
  "load)/0.1}}\n"                                                                                  \
  "forces: {motor: {type: torsion, coordinate: pivot, torque: 0.4*pivot' - 0.3*filter - u}}\n"     \
  "outputs: {seen: filter, side: pivot.fx}\n"

/* Computes the frequency response. With s = iω: (2.5 s² + 0.4 s + 19.62) θ = 0.3 F + U, (0.05 s + 1) F = −s² θ, and the joint's force is
 * 2 (−s² θ). */
static void response_at(double w, double seen[2], double side[2])
{
  /* F = −s² U / ((0.05 s + 1)(2.5 s² + 0.4 s + 19.62) + 0.3 s²) = w² U / (re + i im) */
  const double k = 19.62 - 2.5 * w * w, c = 0.4 * w;
  const double re = k - 0.05 * w * c - 0.3 * w * w, im = c + 0.05 * w * k;
  const double size = re * re + im * im;
  seen[0] = w * w * re / size, seen[1] = -w * w * im / size;
  side[0] = 2 * (seen[0] - 0.05 * w * seen[1]), side[1] = 2 * (seen[1] + 0.05 * w * seen[0]);
}

static void test_linearization(void **state)
{
  (void)state;
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_model *model = cmbt_model_parse(ctx, FILTERS);
  for (int f = 0; f < 3; f++) {
    const cmb_model_system_options options = {.formulation = cmbt_formulation(f),
                                              .derivatives = true,
                                              .expressions = true,
                                              .live_inputs = true};
    const int parameters[] = {0}, outputs[] = {0, 1};
    cmb_equilibrium_report report;
    cmb_state_space *space;
    cmb_system *system;
    cmbt_ok(ctx, cmb_model_system(ctx, model, &options, &system));
    const cmb_equations *eq = cmb_system_equations(system);
    cmbt_ok(ctx, cmb_system_equilibrium(ctx, system, &report));
    cmbt_near(cmb_system_v(system)[eq->nv - 2], 0, 1e-9);
    cmbt_near(cmb_system_v(system)[eq->nv - 1], 19.62, 1e-9);
    cmbt_ok(ctx, cmb_state_space_create(ctx, eq, 0, cmb_system_q(system), cmb_system_v(system), 1,
                                        parameters, 2, outputs, &space));
    for (int k = 0; k < 6; k++) {
      const double w = 0.5 * pow(2.3, k);
      double seen[2], side[2], found[4];
      response_at(w, seen, side);
      cmbt_ok(ctx, cmb_state_space_response(ctx, space, w, found));
      for (int i = 0; i < 2; i++) {
        cmbt_near(found[i], seen[i], 1e-8);
        cmbt_near(found[2 + i], side[i], 1e-8);
      }
    }
    cmb_state_space_destroy(space);
    cmb_system_destroy(system);
  }
  cmb_model_destroy(model);
  cmb_context_destroy(ctx);
}

/* ---- exported C, and resumed runs */

static void test_export(void **state)
{
  (void)state;
  static const cmb_option_setting plain[] = {{"bound", "none"}, {"jacobian", "exact"}};
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_model *model = cmbt_model_parse(ctx, LATE("outputs: {reaction: side.rate}\n"));
  for (int k = 0; k < 3; k++) {
    struct cmbt_export_bits seen;
    cmbt_export_bits(ctx, model, k == 2 ? CMB_FORM_CARTESIAN : CMB_FORM_EXPLICIT,
                     k == 1 ? "rosw2" : "lie", k == 0 ? 2 : 1, plain, "late states", &seen);
    assert_true(seen.whole);
  }
  cmb_model_destroy(model);
  cmb_context_destroy(ctx);
}

static void run_second_half(const cmbt_run *r, const char *method, bool resumed, double *v)
{
  cmb_run_options options = cmb_run_defaults();
  cmb_simulation *sim;
  options.method = cmb_method_find(method);
  options.t_end = 1;
  cmbt_ok(r->ctx, cmb_simulation_create(r->ctx, r->system, &options, &sim));
  if (resumed) {
    cmbt_ok(r->ctx, cmb_simulation_resume(sim, "late.state"));
  } else {
    cmbt_ok(r->ctx, cmb_simulation_advance(sim, 0.5));
    cmbt_ok(r->ctx, cmb_simulation_save(sim, "late.state"));
  }
  cmbt_ok(r->ctx, cmb_simulation_advance(sim, 1));
  memcpy(v, cmb_simulation_result(sim)->v, (size_t)r->eq->nv * sizeof *v);
  cmb_simulation_destroy(sim);
}

static void test_resume(void **state)
{
  (void)state;
  const double nearly = 1e-5; /* the relative tolerance is 1e-6 */
  for (int i = cmbt_next_method(0); i < cmb_method_count(); i = cmbt_next_method(i + 1)) {
    const char *name = cmb_method_name(cmb_method_at(i));
    double v[2][16];
    cmbt_run r;
    cmbt_run_open_text(&r, LATE(""), CMB_FORM_EXPLICIT);
    run_second_half(&r, name, false, v[0]);
    run_second_half(&r, name, true, v[1]);
    const double most = cmbt_resumes_exactly(cmb_method_at(i)) ? 0 : nearly;
    for (int k = 0; k < r.eq->nv; k++) cmbt_near(v[1][k], v[0][k], most);
    cmbt_run_close(&r);
  }
}

/* ---- errors */

static void check_refused(const char *text, const char *words)
{
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_model *model = cmbt_model_parse(ctx, text);
  const cmb_model_system_options options = {.formulation = CMB_FORM_EXPLICIT};
  cmb_system *system;
  assert_int_equal(cmb_model_system(ctx, model, &options, &system), CMB_ERROR_INPUT);
  if (!strstr(cmb_error_of(ctx)->text, words)) fail_msg("%s", cmb_error_of(ctx)->text);
  cmb_model_destroy(model);
  cmb_context_destroy(ctx);
}

static void test_refused(void **state)
{
  (void)state;
  check_refused(
      "points: {O: [0, 0, 0]}\nbodies: {box: {mass: 2, com: O, inertia: [1, 1, 1]}}\n"
      "joints: {x: {type: prismatic, child: box, axis: x}}\n"
      "forces: {load: {type: load, on: box@O, force: [s.rate, 0, 0]}}\n"
      "measures: {m: box.ax}\nstates: {s: {rate: m}}\n",
      "'s.rate' is a quantity computed from the motion, such as an acceleration or a constraint "
      "force; this formula can use only positions, velocities, states, applied forces,");
  check_refused("points: {O: [0, 0, 0], A: [1, 0, 0]}\n"
                "bodies: {b: {mass: 2, com: A, inertia: [1, 1, 1]}}\n"
                "joints: {j: {type: revolute, child: b, at: O, axis: z, rate: 1}}\n"
                "loops: {h: {type: revolute, between: [ground@O, b@O], axis: z}}\n"
                "states: {s: {rate: h.fx}}\n",
                "state 's': its rate is not unique");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_orders),      cmocka_unit_test(test_tolerances),
      cmocka_unit_test(test_derivatives), cmocka_unit_test(test_driven),
      cmocka_unit_test(test_angular),     cmocka_unit_test(test_closed_contact),
      cmocka_unit_test(test_friction),    cmocka_unit_test(test_linearization),
      cmocka_unit_test(test_export),      cmocka_unit_test(test_resume),
      cmocka_unit_test(test_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
