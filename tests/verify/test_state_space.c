/*
 * Linearised models x' = A x + B u, y = C x + D u (camber/system.h), compared with formulas:
 *
 *   - a mass on a spring and a damper, pushed by an actuator with a lag: all matrices, the frequency response and the step response;
 *   - a slider-crank, with constraints: the response does not depend on the formulation, and A has the eigenvalues of cmb_linearize;
 *   - an acceleration as an output, with direct feedthrough of the input;
 *   - rates of inputs: a quarter car on a tyre with damping: zeros, poles, frequency and step responses;
 *   - an input that moves constraints is refused;
 *   - transfer functions: zeros, poles and gain compared with formulas of a quarter car and a motor, cancelled poles, and all compared with
 *     C (s − A)⁻¹ B + D by Gaussian elimination, also for random matrices.
 */
#include "check.h"
#include "failing_allocator.h"
#include "math/exponential.h"
#include "methods.h"
#include "model_case.h"
#include "random.h"

#include <camber/camber.h>
#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* A model as equations with inputs that can be changed, at its equilibrium or start. */
struct plant {
  cmb_context *ctx;
  cmb_model *model;
  cmb_system *system;
  const cmb_equations *eq;
  cmb_state_space *space;
};

static void open_plant(struct plant *p, const char *text, cmb_formulation formulation, bool settle)
{
  const cmb_model_system_options options = {
      .formulation = formulation, .derivatives = true, .expressions = true, .live_inputs = true};
  cmb_equilibrium_report report;
  *p = (struct plant){.ctx = cmb_context_create(NULL)};
  p->model = cmbt_model_parse(p->ctx, text);
  cmbt_ok(p->ctx, cmb_model_system(p->ctx, p->model, &options, &p->system));
  if (settle) cmbt_ok(p->ctx, cmb_system_equilibrium(p->ctx, p->system, &report));
  p->eq = cmb_system_equations(p->system);
}

/* Linearises with respect to all inputs and outputs, in their order. */
static cmb_status linearize(struct plant *p)
{
  int parameter[4] = {0, 1, 2, 3}, output[4] = {0, 1, 2, 3};
  assert_in_range(p->eq->np, 0, 4);
  assert_in_range(p->eq->no, 0, 4);
  return cmb_state_space_create(p->ctx, p->eq, 0, cmb_system_q(p->system), cmb_system_v(p->system),
                                p->eq->np, parameter, p->eq->no, output, &p->space);
}

static void close_plant(struct plant *p)
{
  cmb_state_space_destroy(p->space);
  cmb_system_destroy(p->system);
  cmb_model_destroy(p->model);
  cmb_context_destroy(p->ctx);
}

enum { LAGS = 40 }; /* in the longest chain of lags */

/* ---- a mass, a spring, a damper, an actuator */

static const double MASS = 2, STIFFNESS = 50, DAMPING = 3, LAG = 0.2;

static const char oscillator[] =
    "gravity: [0, 0, 0]\n"
    "points: {O: [0, 0, 0]}\n"
    "bodies: {block: {mass: 2, com: O}}\n"
    "joints: {slide: {type: prismatic, child: block, axis: x, coordinates: [x], stiffness: 50, "
    "damping: 3}}\n"
    "inputs: {command: '0', wind: '0'}\n"
    "states: {force: {rate: (command - force)/0.2}}\n"
    "forces: {push: {type: torsion, coordinate: x, torque: -force - wind}}\n"
    "outputs: {position: x, acceleration: block.ax, twice: 2*force}\n";

static void test_matrices(void **state)
{
  (void)state;
  static const char *const names[] = {"x", "x'", "force"};
  const double A[] = {0, 1, 0, -STIFFNESS / MASS, -DAMPING / MASS, 1 / MASS, 0, 0, -1 / LAG};
  const double B[] = {0, 0, 0, 1 / MASS, 1 / LAG, 0};
  const double C[] = {1, 0, 0, -STIFFNESS / MASS, -DAMPING / MASS, 1 / MASS, 0, 0, 2};
  const double D[] = {0, 0, 0, 1 / MASS, 0, 0};
  for (int f = 0; f < 2; f++) {
    struct plant p;
    open_plant(&p, oscillator, cmbt_formulation(f), false);
    cmbt_ok(p.ctx, linearize(&p));
    assert_int_equal(p.space->nx, 3);
    for (int i = 0; i < 3; i++) assert_string_equal(p.space->x_names[i], names[i]);
    for (int i = 0; i < 9; i++) cmbt_near(p.space->A[i], A[i], 1e-12);
    for (int i = 0; i < 6; i++) cmbt_near(p.space->B[i], B[i], 1e-12);
    for (int i = 0; i < 9; i++) cmbt_near(p.space->C[i], C[i], 1e-12);
    for (int i = 0; i < 6; i++) cmbt_near(p.space->D[i], D[i], 1e-12);
    close_plant(&p);
  }
}

/* Compares the frequency response with X/command = 1/((m s² + d s + k) (lag s + 1)) and X/wind = 1/(m s² + d s + k). */
static void test_response(void **state)
{
  (void)state;
  for (int f = 0; f < 3; f++) {
    struct plant p;
    double answer[2 * 3 * 2];
    open_plant(&p, oscillator, cmbt_formulation(f), false);
    cmbt_ok(p.ctx, linearize(&p));
    for (double omega = 0.1; omega < 100; omega *= 1.7) {
      const double complex s = I * omega, body = 1 / ((MASS * s + DAMPING) * s + STIFFNESS);
      const double complex exact[] = {body / (LAG * s + 1), body, s * s * body / (LAG * s + 1),
                                      s * s * body};
      cmbt_ok(p.ctx, cmb_state_space_response(p.ctx, p.space, omega, answer));
      for (int i = 0; i < 4; i++) {
        cmbt_near(answer[2 * i], creal(exact[i]), 1e-9);
        cmbt_near(answer[2 * i + 1], cimag(exact[i]), 1e-9);
      }
    }
    close_plant(&p);
  }
}

/* Compares step responses: of the first-order lag, and of the position to the wind, x(∞) (1 − exp(−δ t) (cos ω t + δ/ω sin ω t)). */
static void test_step(void **state)
{
  (void)state;
  enum { POINTS = 50 };
  const double dt = 0.07, decay = DAMPING / (2 * MASS);
  const double omega = sqrt(STIFFNESS / MASS - decay * decay);
  struct plant p;
  double y[POINTS * 3];
  open_plant(&p, oscillator, CMB_FORM_EXPLICIT, false);
  cmbt_ok(p.ctx, linearize(&p));
  cmbt_ok(p.ctx, cmb_state_space_step(p.ctx, p.space, 0, dt, POINTS, y));
  for (int k = 0; k < POINTS; k++) cmbt_near(y[3 * k + 2], 2 * (1 - exp(-k * dt / LAG)), 1e-9);
  cmbt_ok(p.ctx, cmb_state_space_step(p.ctx, p.space, 1, dt, POINTS, y));
  for (int k = 0; k < POINTS; k++) {
    const double t = k * dt;
    const double swing = exp(-decay * t) * (cos(omega * t) + decay / omega * sin(omega * t));
    cmbt_near(y[3 * k], (1 - swing) / STIFFNESS, 1e-9);
  }
  close_plant(&p);
}

/* ---- with constraints */

static const char crank[] =
    "points: {A: [0, 0, 0], B: [0.1, 0, 0.05], C: [0.4, 0, 0]}\n"
    "bodies:\n"
    "  crank: {mass: 1, rod: [A, B], radius: 0.01}\n"
    "  rod: {mass: 1, rod: [B, C], radius: 0.01}\n"
    "  piston: {mass: 0.5, com: C}\n"
    "joints:\n"
    "  pivot: {type: revolute, child: crank, at: A, axis: y, stiffness: 20, damping: 0.1}\n"
    "  pin: {type: revolute, parent: crank, child: rod, at: B, axis: y}\n"
    "  guide: {type: prismatic, child: piston, axis: x}\n"
    "loops: {end: {type: point-line, point: rod@C, on: piston@C, axis: y}}\n"
    "inputs: {gas: '0'}\n"
    "forces: {push: {type: load, on: piston@C, force: [gas, 0, 0]}}\n"
    "outputs: {place: piston.x, load: pivot.fx}\n";

/* Returns the sum of the eigenvalues, which is the trace of A. */
static double trace_of(const cmb_linearization *l)
{
  double sum = 0;
  for (int i = 0; i < l->eigenmode_count; i++) {
    sum += (l->eigenmodes[i].im > 0 ? 2 : 1) * l->eigenmodes[i].re;
  }
  return sum;
}

static void test_constraints(void **state)
{
  (void)state;
  double first[4] = {0};
  for (int f = 0; f < 3; f++) {
    struct plant p;
    cmb_linearization *l;
    double answer[4], sum = 0;
    open_plant(&p, crank, cmbt_formulation(f), true);
    cmbt_ok(p.ctx, linearize(&p));
    assert_int_equal(p.space->nx, 2);
    cmbt_ok(p.ctx,
            cmb_linearize(p.ctx, p.eq, 0, cmb_system_q(p.system), cmb_system_v(p.system), &l));
    for (int i = 0; i < 2; i++) sum += p.space->A[3 * i];
    cmbt_near(sum, trace_of(l), 1e-9);
    cmb_linearization_destroy(l);
    cmbt_ok(p.ctx, cmb_state_space_response(p.ctx, p.space, 7, answer));
    if (f == 0) memcpy(first, answer, sizeof first);
    for (int i = 0; i < 4; i++) cmbt_near(answer[i], first[i], 1e-8 * (1 + fabs(first[i])));
    close_plant(&p);
  }
}

/* Compares the response at frequency 0 with the difference of the equilibria for two small constant inputs. */
static void test_static_gain(void **state)
{
  (void)state;
  const double small = 1e-4;
  double place[2], answer[4];
  struct plant p;
  for (int k = 0; k < 2; k++) {
    char text[2000];
    const char *at = strstr(crank, "gas: '0'");
    snprintf(text, sizeof text, "%.*sgas: '%g'%s", (int)(at - crank), crank, k ? small : -small,
             at + strlen("gas: '0'"));
    open_plant(&p, text, CMB_FORM_EXPLICIT, true);
    place[k] = cmb_system_q(p.system)[2];
    close_plant(&p);
  }
  open_plant(&p, crank, CMB_FORM_EXPLICIT, true);
  cmbt_ok(p.ctx, linearize(&p));
  cmbt_ok(p.ctx, cmb_state_space_response(p.ctx, p.space, 0, answer));
  cmbt_near(answer[0], (place[1] - place[0]) / (2 * small), 1e-6 * fabs(answer[0]));
  close_plant(&p);
}

/* Checks that derivatives of outputs are exact: of functions with strong curvature (a width of 1e-6), and of the present branch at a kink. */
static void test_exact_outputs(void **state)
{
  (void)state;
  static const char text[] =
      "gravity: [0, 0, 0]\n"
      "points: {O: [0, 0, 0]}\n"
      "bodies: {block: {mass: 2, com: O}}\n"
      "joints: {slide: {type: prismatic, child: block, axis: x, coordinates: [x], stiffness: 50}}\n"
      "inputs: {u: '0'}\n"
      "outputs: {steep: tanh(x/1e-6), kink: \"max(0, x - 1e-5)\", fast: tanh(1e4*u), small: 1e8 + "
      "x}\n";
  const double C[] = {1e6, 0, 0, 0, 0, 0, 1, 0}, D[] = {0, 0, 1e4, 0};
  for (int f = 0; f < 2; f++) {
    struct plant p;
    open_plant(&p, text, cmbt_formulation(f), false);
    cmbt_ok(p.ctx, linearize(&p));
    for (int i = 0; i < 8; i++) cmbt_near(p.space->C[i], C[i], 1e-9);
    for (int i = 0; i < 4; i++) cmbt_near(p.space->D[i], D[i], 1e-9);
    close_plant(&p);
  }
}

/* Checks A for a point that moves on a circle of radius 1, x = (x2, x2'). By hand, with x1 = sqrt(1 − x2²): x2'' = −x2 x2'²/(1 − x2²) for a free
 * motion, and A has the derivatives of this formula. */
static void test_motion(void **state)
{
  (void)state;
  static const char text[] =
      "gravity: [0, 0, 0]\n"
      "points: {O: [0.8, 0.6, 0]}\n"
      "bodies: {carriage: {massless: true}, ball: {mass: 2, com: O}}\n"
      "joints:\n"
      "  along: {type: prismatic, child: carriage, axis: x, coordinates: [dx], rate: -1.5}\n"
      "  across: {type: prismatic, parent: carriage, child: ball, axis: y, coordinates: [dy], "
      "rate: 2}\n"
      "loops: {circle: {type: formula, formula: ball.x^2 + ball.y^2 - 1}}\n";
  const double y = 0.6, x = 0.8, vy = 2, vx = -1.5;
  for (int f = 0; f < 2; f++) {
    struct plant p;
    open_plant(&p, text, cmbt_formulation(f), false);
    cmbt_ok(p.ctx, linearize(&p));
    assert_int_equal(p.space->nx, 2);
    const bool across = strcmp(p.space->x_names[0], "dy") == 0;
    const double a = across ? y : x, v = across ? vy : vx, rest = 1 - a * a;
    const double A[] = {0, 1, -v * v * (1 + a * a) / (rest * rest), -2 * a * v / rest};
    for (int i = 0; i < 4; i++) cmbt_near(p.space->A[i], A[i], 1e-9);
    close_plant(&p);
  }
}

/* Checks for a chain that moves in space, with axes in general directions, that all matrices are the same in all formulations. */
static void test_moving_chain(void **state)
{
  (void)state;
  static const char text[] =
      "gravity: [0, 0, -9.81]\n"
      "points: {O: [0, 0, 0], A: [0.6, 0.2, 0.1], B: [1, 0.1, 0.3]}\n"
      "bodies: {arm: {mass: 2, com: A, inertia: [0.5, 0.7, 0.9]}, tip: {mass: 1, com: B, inertia: "
      "[0.2, 0.1, 0.25]}}\n"
      "joints:\n"
      "  a: {type: revolute, child: arm, at: O, axis: [0.3, 1, 0.2], start: 0.4, rate: 3}\n"
      "  b: {type: revolute, parent: arm, child: tip, at: A, axis: [1, -0.2, 0.7], start: -0.7, "
      "rate: -5}\n"
      "inputs: {u: '0', w: '0'}\n"
      "forces:\n"
      "  push: {type: torsion, coordinate: a, torque: -u + 5*a}\n"
      "  turn: {type: torsion, coordinate: b, torque: -w + 0.3*b'}\n"
      "outputs: {x: tip.x, speed: tip.vx, spin: tip.wy}\n";
  enum { NX = 4, NU = 2, NY = 3 };
  double first[NX * NX + NX * NU + NY * NX + NY * NU];
  for (int f = 0; f < 3; f++) {
    struct plant p;
    open_plant(&p, text, cmbt_formulation(f), false);
    cmbt_ok(p.ctx, linearize(&p));
    const cmb_state_space *s = p.space;
    const double *const matrices[] = {s->A, s->B, s->C, s->D};
    static const int sizes[] = {NX * NX, NX * NU, NY * NX, NY * NU};
    static const char *const names[NX] = {"a", "b", "a'", "b'"};
    assert_true(s->nx == NX && s->nu == NU && s->ny == NY);
    for (int i = 0; i < NX; i++) assert_string_equal(s->x_names[i], names[i]);
    double *expected = first;
    for (int k = 0; k < 4; k++) {
      for (int i = 0; i < sizes[k]; i++, expected++) {
        if (f == 0) *expected = matrices[k][i];
        cmbt_near(matrices[k][i], *expected, 1e-7 * (1 + fabs(*expected)));
      }
    }
    close_plant(&p);
  }
}

/* ---- transfer functions */

/* Returns the transfer function at s from zeros, poles and gain. */
static double complex value_at(const cmb_transfer *t, double complex s)
{
  double complex g = t->gain;
  for (int i = 0; i < t->zero_count; i++) g *= s - (t->zeros[2 * i] + t->zeros[2 * i + 1] * I);
  for (int i = 0; i < t->pole_count; i++) g /= s - (t->poles[2 * i] + t->poles[2 * i + 1] * I);
  return g;
}

/* Returns the same from the polynomials. */
static double complex quotient_at(const cmb_transfer *t, double complex s)
{
  double complex above = 0, below = 0;
  for (int i = 0; i <= t->zero_count; i++) above = above * s + t->numerator[i];
  for (int i = 0; i <= t->pole_count; i++) below = below * s + t->denominator[i];
  return above / below;
}

/* Returns c (s − A)⁻¹ (b + s b') + d + s d' by Gaussian elimination with row exchanges. */
static double complex response_of(const cmb_state_space *x, int input, int output, double complex s)
{
  enum { MOST = 30 };
  double complex W[MOST][MOST + 1], g = x->D[output * x->nu + input], b[MOST];
  const int n = x->nx;
  assert_in_range(n, 0, MOST);
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) W[i][j] = (i == j ? s : 0) - x->A[i * n + j];
    W[i][n] = x->B[i * x->nu + input];
    if (x->B_rate) W[i][n] += s * x->B_rate[i * x->nu + input];
  }
  if (x->D_rate) g += s * x->D_rate[output * x->nu + input];
  for (int k = 0; k < n; k++) {
    int pivot = k;
    for (int i = k; i < n; i++) pivot = cabs(W[i][k]) > cabs(W[pivot][k]) ? i : pivot;
    for (int j = 0; j <= n; j++) {
      const double complex kept = W[k][j];
      W[k][j] = W[pivot][j], W[pivot][j] = kept;
    }
    for (int i = k + 1; i < n; i++) {
      const double complex factor = W[i][k] / W[k][k];
      for (int j = k; j <= n; j++) W[i][j] -= factor * W[k][j];
    }
  }
  for (int i = n - 1; i >= 0; i--) {
    b[i] = W[i][n];
    for (int j = i + 1; j < n; j++) b[i] -= W[i][j] * b[j];
    b[i] /= W[i][i];
    g += x->C[output * n + i] * b[i];
  }
  return g;
}

/* Compares the roots with the expected ones, in any order. */
static void check_roots(int count, const double *roots, int wanted, const double complex *exact,
                        double tolerance)
{
  bool taken[30] = {false};
  assert_int_equal(count, wanted);
  for (int i = 0; i < wanted; i++) {
    int nearest = -1;
    double away = INFINITY;
    for (int k = 0; k < count; k++) {
      const double d = cabs((roots[2 * k] + roots[2 * k + 1] * I) - exact[i]);
      if (!taken[k] && d < away) nearest = k, away = d;
    }
    cmbt_below(away, tolerance * (1 + cabs(exact[i])));
    taken[nearest] = true;
  }
}

/* Returns a transfer function, and compares it with response_of at eleven values of s. */
static cmb_transfer *transfer_of(const struct plant *p, int input, int output)
{
  cmb_transfer *t;
  cmbt_ok(p->ctx, cmb_transfer_create(p->ctx, p->space, input, output, &t));
  for (int k = 1; k < 12; k++) {
    const double re = 1 + k % 3, im = k % 5 - 1;
    const double complex s = pow(2, k - 4) * (re + im * I);
    const double complex exact = response_of(p->space, input, output, s);
    cmbt_below(cabs(value_at(t, s) - exact), 1e-9 * cabs(exact));
    cmbt_below(cabs(quotient_at(t, s) - exact), 1e-8 * cabs(exact));
  }
  return t;
}

static void test_transfer(void **state)
{
  (void)state;
  const double decay = DAMPING / (2 * MASS), turn = sqrt(STIFFNESS / MASS - decay * decay);
  const double complex poles[] = {-decay + turn * I, -decay - turn * I, -1 / LAG};
  const double complex none[] = {0, 0};
  for (int f = 0; f < 3; f++) {
    struct plant p;
    open_plant(&p, oscillator, cmbt_formulation(f), false);
    cmbt_ok(p.ctx, linearize(&p));
    cmb_transfer *t = transfer_of(&p, 0, 0); /* position of command */
    check_roots(t->zero_count, t->zeros, 0, none, 0);
    check_roots(t->pole_count, t->poles, 3, poles, 1e-12);
    assert_int_equal(t->cancelled_count, 0);
    cmbt_near(t->gain, 1 / (MASS * LAG), 1e-12);
    cmb_transfer_destroy(t);
    /* acceleration by wind: s²/(m s² + d s + k); the pole of the lag is cancelled */
    t = transfer_of(&p, 1, 1);
    check_roots(t->zero_count, t->zeros, 2, none, 1e-7);
    check_roots(t->pole_count, t->poles, 2, poles, 1e-12);
    check_roots(t->cancelled_count, t->cancelled, 1, poles + 2, 1e-12);
    cmbt_near(t->gain, 1 / MASS, 1e-12);
    cmb_transfer_destroy(t);
    t = transfer_of(&p, 1, 2); /* the wind does not move the actuator */
    assert_true(t->gain == 0 && t->pole_count == 0 && t->zero_count == 0 &&
                t->cancelled_count == 3);
    cmb_transfer_destroy(t);
    close_plant(&p);
  }
}

/* Compares transfer functions of a quarter car with the road's height as input of an undamped tyre: z_body = (c s + k) k_t / Δ, and
 * z_body − z_wheel = −m_b s² k_t/Δ with Δ = (m_b s² + c s + k)(m_w s² + c s + k + k_t) − (c s + k)². */
static void test_quarter_car(void **state)
{
  (void)state;
  static const char text[] =
      "gravity: [0, 0, 0]\n"
      "points: {W: [0, 0, 0.3], B: [0, 0, 0.8]}\n"
      "bodies: {wheel: {mass: 40, com: W}, body: {mass: 400, com: B}}\n"
      "joints:\n"
      "  hub: {type: prismatic, child: wheel, axis: z, coordinates: [w]}\n"
      "  seat: {type: prismatic, child: body, axis: z, coordinates: [z]}\n"
      "inputs: {road: '0'}\n"
      "forces:\n"
      "  strut: {type: spring, between: [wheel@W, body@B], stiffness: 2e4, damping: 1500}\n"
      "  tyre: {type: torsion, coordinate: w, torque: 2e5*(w - road)}\n"
      "outputs: {heave: z, travel: z - w, load: 2e5*(road - w)}\n";
  const double mb = 400, mw = 40, k = 2e4, c = 1500, kt = 2e5;
  const double complex heave[] = {-k / c}, none[] = {0, 0};
  const double delta[] = {1, c * (mb + mw) / (mb * mw), (mb * (k + kt) + mw * k) / (mb * mw),
                          c * kt / (mb * mw), k * kt / (mb * mw)};
  for (int f = 0; f < 2; f++) {
    struct plant p;
    open_plant(&p, text, cmbt_formulation(f), false);
    cmbt_ok(p.ctx, linearize(&p));
    for (int y = 0; y < 3; y++) {
      cmb_transfer *t = transfer_of(&p, 0, y);
      assert_int_equal(t->pole_count, 4);
      for (int i = 0; i < 5; i++) cmbt_near(t->denominator[i], delta[i], 1e-10 * delta[i]);
      if (y == 0) check_roots(t->zero_count, t->zeros, 1, heave, 1e-10);
      if (y == 1) check_roots(t->zero_count, t->zeros, 2, none, 1e-6);
      cmbt_near(t->gain, y == 0 ? c * kt / (mb * mw) : y == 1 ? -kt / mw : kt, 1e-10 * kt);
      if (y == 2) assert_int_equal(t->zero_count, 4);
      cmb_transfer_destroy(t);
    }
    close_plant(&p);
  }
}

/* ---- rates of inputs */

/* The quarter car on a damped tyre, k_t + c_t s in place of k_t, so that the rate of the road acts too. Polynomials have the highest power
 * first. */
static const char damped_quarter_car[] =
    "points: {W: [0, 0, 0.3], B: [0, 0, 0.8]}\n"
    "bodies: {wheel: {mass: 40, com: W}, body: {mass: 400, com: B}}\n"
    "joints:\n"
    "  hub: {type: prismatic, child: wheel, axis: z, coordinates: [w]}\n"
    "  seat: {type: prismatic, child: body, axis: z, coordinates: [z]}\n"
    "inputs: {road: '0'}\n"
    "forces:\n"
    "  strut: {type: spring, between: [wheel@W, body@B], stiffness: 2e4, damping: 1500, "
    "preload: -400*9.81}\n"
    "  tyre: {type: contact, on: wheel@W, radius: 0.3, surface: z - road, stiffness: 1.8e5, "
    "damping: 2000}\n"
    "outputs: {heave: z, load: tyre.fz, lift: body.az}\n";
static const double damped_delta[] = {1, 91.25, 5237.5, 19375, 225000};
static const double damped_heave[] = {187.5, 19375, 225000};
static const double damped_load[] = {2000, 262500, 8.525e6, 9.9e7, 0, 0};
static const double damped_lift[] = {187.5, 19375, 225000, 0, 0};
static const struct {
  int degree;
  const double *numerator;
} damped[3] = {{2, damped_heave}, {5, damped_load}, {4, damped_lift}};

static double complex polynomial(int degree, const double *p, double complex s)
{
  double complex sum = 0;
  for (int i = 0; i <= degree; i++) sum = sum * s + p[i];
  return sum;
}

static void linearize_damped(struct plant *p, int formulation)
{
  static const int road = 0, outputs[3] = {0, 1, 2};
  open_plant(p, damped_quarter_car, cmbt_formulation(formulation), true);
  assert_string_equal(p->eq->p_names[0], "road");
  cmbt_ok(p->ctx, cmb_state_space_create(p->ctx, p->eq, 0, cmb_system_q(p->system),
                                         cmb_system_v(p->system), 1, &road, 3, outputs, &p->space));
  assert_non_null(p->space->B_rate);
  assert_string_equal(p->space->rate_names[0], "road'");
}

/* Checks gain, zeros and poles of transfer functions, also with more zeros than poles, and the frequency response. */
static void test_rates(void **state)
{
  (void)state;
  for (int f = 0; f < 2; f++) {
    struct plant p;
    linearize_damped(&p, f);
    for (int y = 0; y < 3; y++) {
      cmb_transfer *t = transfer_of(&p, 0, y);
      const double *numerator = damped[y].numerator;
      assert_int_equal(t->pole_count, 4);
      assert_int_equal(t->zero_count, damped[y].degree);
      assert_int_equal(t->cancelled_count, 0);
      for (int i = 0; i <= 4; i++) {
        cmbt_near(t->denominator[i], damped_delta[i], 1e-9 * damped_delta[i]);
      }
      /* a double zero at 0 is accurate to 1e-8 of the largest zero */
      for (int i = 0; i <= t->zero_count; i++) {
        cmbt_near(t->numerator[i], numerator[i], 1e-9 * numerator[i] + 1e-3 * (numerator[i] == 0));
      }
      cmb_transfer_destroy(t);
    }
    for (double omega = 0.5; omega < 1000; omega *= 1.7) {
      double response[6];
      cmbt_ok(p.ctx, cmb_state_space_response(p.ctx, p.space, omega, response));
      for (int y = 0; y < 3; y++) {
        const double complex s = I * omega;
        const double complex exact =
            polynomial(damped[y].degree, damped[y].numerator, s) / polynomial(4, damped_delta, s);
        cmbt_near(response[2 * y], creal(exact), 1e-9 * cabs(exact));
        cmbt_near(response[2 * y + 1], cimag(exact), 1e-9 * cabs(exact));
      }
    }
    close_plant(&p);
  }
}

/* Compares the step response with the residues of G(s)/s, without the impulses that an improper G has at t = 0. */
static void test_step_with_rate(void **state)
{
  (void)state;
  enum { POINTS = 60 };
  const double dt = 0.01;
  struct plant p;
  double y[3 * POINTS];
  linearize_damped(&p, 0);
  cmb_transfer *t = transfer_of(&p, 0, 0);
  cmbt_ok(p.ctx, cmb_state_space_step(p.ctx, p.space, 0, dt, POINTS, y));
  for (int k = 0; k < 3; k++) {
    const double *n = damped[k].numerator;
    for (int i = 1; i < POINTS; i++) {
      double complex sum = n[damped[k].degree] / damped_delta[4];
      for (int j = 0; j < 4; j++) {
        const double complex s = t->poles[2 * j] + I * t->poles[2 * j + 1];
        const double complex slope = ((4 * s + 3 * damped_delta[1]) * s + 2 * damped_delta[2]) * s;
        sum += polynomial(damped[k].degree, n, s) / (s * (slope + damped_delta[3])) *
               cexp(s * (i * dt));
      }
      cmbt_near(y[3 * i + k], creal(sum), 1e-8 * (1 + n[0]));
    }
  }
  cmb_transfer_destroy(t);
  close_plant(&p);
}

/* Checks that with the rate of the road as a further input the road acts without its rate. */
static void test_rate_as_input(void **state)
{
  (void)state;
  static const int both[2] = {0, 1}, outputs[1] = {0};
  struct plant p;
  open_plant(&p, damped_quarter_car, CMB_FORM_EXPLICIT, true);
  assert_string_equal(p.eq->p_names[1], "road'");
  cmbt_ok(p.ctx, cmb_state_space_create(p.ctx, p.eq, 0, cmb_system_q(p.system),
                                        cmb_system_v(p.system), 2, both, 1, outputs, &p.space));
  assert_null(p.space->B_rate);
  cmb_transfer *t = transfer_of(&p, 1, 0);
  assert_int_equal(t->zero_count, 1);
  cmbt_near(t->gain, 187.5, 1e-9);
  cmb_transfer_destroy(t);
  close_plant(&p);
}

/* Compares a bundled motor with a free load: speed by voltage is n K/((J s + b)(L s + R) + n² K²), and the angle has a further pole at 0. */
static void test_motor(void **state)
{
  (void)state;
  static const char text[] =
      "include: parts/dc-motor\n"
      "bodies: {arm: {mass: 1, com: [0, 0, 0], inertia: [0.02, 0.02, 0.02]}}\n"
      "joints: {hinge: {type: revolute, child: arm, at: [0, 0, 0], axis: z, coordinates: [phi]}}\n"
      "inputs: {u: '0'}\n"
      "instances: {m: {template: dc_motor, parameters: {resistance: 0.5, inductance: 0.02, "
      "constant: 0.08, inertia: 3e-4, damping: 1e-4, ratio: 5}, measures: {voltage: u, angle: "
      "phi}}}\n"
      "outputs: {angle: phi, speed: \"phi'\", current: m.current}\n";
  const double R = 0.5, L = 0.02, K = 0.08, n = 5, J = 0.02 + n * n * 3e-4, b = n * n * 1e-4;
  const double half = (J * R + b * L) / (2 * J * L), square = (b * R + n * n * K * K) / (J * L);
  const double complex turn = csqrt(half * half - square);
  const double complex poles[] = {-half + turn, -half - turn, 0}, zero[] = {-b / J};
  const cmb_model_system_options options = {
      .derivatives = true, .expressions = true, .live_inputs = true};
  struct plant p = {.ctx = cmb_context_create(NULL)};
  p.model = cmbt_model_of_parts(p.ctx, text);
  cmbt_ok(p.ctx, cmb_model_system(p.ctx, p.model, &options, &p.system));
  p.eq = cmb_system_equations(p.system);
  cmbt_ok(p.ctx, linearize(&p));
  for (int y = 0; y < 3; y++) {
    cmb_transfer *t = transfer_of(&p, 0, y);
    check_roots(t->pole_count, t->poles, y == 0 ? 3 : 2, poles, 1e-9);
    check_roots(t->zero_count, t->zeros, y == 2, zero, 1e-9);
    /* only the angle depends on the angle: its pole is cancelled for the other outputs */
    assert_int_equal(t->cancelled_count, y == 0 ? 0 : 1);
    const double gain = y == 2 ? 1 / L : n * K / (J * L);
    cmbt_near(t->gain, gain, 1e-10 * gain);
    cmb_transfer_destroy(t);
  }
  close_plant(&p);
}

/* Compares transfer functions with response_of for random matrices of 1 to 12 states with rates from 1e-2 to 1e4; some states are not
 * controllable or not observable, and their poles are cancelled. */
static void test_random_transfer(void **state)
{
  (void)state;
  enum { MOST = 12 };
  double A[MOST * MOST], B[MOST], C[MOST], D[1], worst = 0;
  cmb_context *ctx = cmb_context_create(NULL);
  int compared = 0, reduced = 0;
  for (uint64_t seed = 0; seed < 300; seed++) {
    struct cmbt_random r = {seed};
    const int n = cmbt_random_int(&r, 1, MOST), hidden = cmbt_random_int(&r, 0, n / 2);
    const cmb_state_space space = {.nx = n, .nu = 1, .ny = 1, .A = A, .B = B, .C = C, .D = D};
    for (int i = 0; i < n; i++) {
      const double rate = pow(10, cmbt_random_uniform(&r, -2, 4));
      for (int j = 0; j < n; j++) A[i * n + j] = rate * cmbt_random_uniform(&r, -1, 1);
      B[i] = rate * cmbt_random_uniform(&r, -1, 1);
      C[i] = cmbt_random_uniform(&r, -1, 1);
    }
    for (int i = n - hidden; i < n; i++) { /* not controllable, or not observable */
      if (seed % 2)
        B[i] = 0;
      else
        C[i] = 0;
      for (int j = 0; j < n - hidden; j++) *(seed % 2 ? &A[i * n + j] : &A[j * n + i]) = 0;
    }
    D[0] = seed % 3 ? 0 : cmbt_random_uniform(&r, -1, 1);
    cmb_transfer *t;
    cmbt_ok(ctx, cmb_transfer_create(ctx, &space, 0, 0, &t));
    assert_int_equal(t->pole_count + t->cancelled_count, n);
    assert_int_equal(t->zero_count, t->pole_count - (seed % 3 ? 1 : 0));
    assert_int_equal(t->cancelled_count, hidden);
    reduced += hidden > 0;
    for (int k = 0; k < 10; k++, compared++) {
      const double size = pow(10, cmbt_random_uniform(&r, -3, 5)),
                   angle = cmbt_random_uniform(&r, 0, 1.4);
      const double complex s = size * (cos(angle) + sin(angle) * I);
      const double complex exact = response_of(&space, 0, 0, s);
      worst = fmax(worst, cabs(value_at(t, s) - exact) / cabs(exact));
    }
    cmb_transfer_destroy(t);
  }
  printf("%d points, %d with hidden states, at most %.2g off\n", compared, reduced, worst);
  cmbt_below(worst, 1e-8);
  cmb_context_destroy(ctx);
}

/* Checks for a chain of n lags of 1 s that each failing allocation gives CMB_ERROR_MEMORY and that all memory is freed. */
static void check_transfer_memory(int n)
{
  double A[LAGS * LAGS] = {0}, B[LAGS] = {1}, C[LAGS] = {0}, D[] = {0};
  for (int i = 0; i < n; i++) {
    A[i * n + i] = -1;
    if (i > 0) A[i * n + i - 1] = 1;
  }
  C[n - 1] = 1;
  const cmb_state_space space = {.nx = n, .nu = 1, .ny = 1, .A = A, .B = B, .C = C, .D = D};
  long refused = 1;
  for (long k = 2; refused > 0; k++) {
    struct cmbt_allocator memory;
    cmb_transfer *t;
    cmbt_allocator_init(&memory);
    memory.fail_at = k;
    cmb_context *ctx = cmb_context_create(&memory.hook);
    const cmb_status status = cmb_transfer_create(ctx, &space, 0, 0, &t);
    refused = memory.refused;
    assert_int_equal(status, refused > 0 ? CMB_ERROR_MEMORY : CMB_OK);
    cmb_transfer_destroy(t);
    cmb_context_destroy(ctx);
    assert_int_equal(memory.outstanding, 0);
  }
}

static void test_transfer_memory(void **state)
{
  (void)state;
  check_transfer_memory(2);
  check_transfer_memory(LAGS); /* which needs several blocks of memory */
}

/* ---- refused inputs */

/* Checks that each entry of the matrices has to be finite, and that inputs and outputs which do not exist are refused. */
static void test_not_finite(void **state)
{
  (void)state;
  enum { NX = 3, NU = 2, NY = 4, MATRICES = 6 };
  static const int sizes[MATRICES] = {NX * NX, NX * NU, NY * NX, NY * NU, NX * NU, NY * NU};
  double m[MATRICES][NX * NY];
  const cmb_state_space space = {.nx = NX,
                                 .nu = NU,
                                 .ny = NY,
                                 .A = m[0],
                                 .B = m[1],
                                 .C = m[2],
                                 .D = m[3],
                                 .B_rate = m[4],
                                 .D_rate = m[5]};
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_transfer *t;
  for (int k = 0; k < MATRICES; k++) {
    for (int i = 0; i < sizes[k]; i++) m[k][i] = (i * 7 + k * 3) % 11 - 5;
  }
  cmbt_ok(ctx, cmb_transfer_create(ctx, &space, NU - 1, NY - 1, &t));
  cmb_transfer_destroy(t);
  for (int k = 0; k < MATRICES; k++) {
    for (int i = 0; i < sizes[k]; i++) {
      const double kept = m[k][i];
      m[k][i] = i % 2 ? NAN : INFINITY;
      assert_int_equal(cmb_transfer_create(ctx, &space, 0, 0, &t), CMB_ERROR_ARGUMENT);
      assert_null(t);
      m[k][i] = kept;
    }
  }
  for (int k = 0; k < 4; k++) {
    const int input = (int[]){-1, NU, 0, 0}[k], output = (int[]){0, 0, -1, NY}[k];
    assert_int_equal(cmb_transfer_create(ctx, &space, input, output, &t), CMB_ERROR_ARGUMENT);
  }
  cmb_context_destroy(ctx);
}

static void test_refused(void **state)
{
  (void)state;
  static const char text[] = "points: {O: [0, 0, 0], A: [0, 0, -1]}\n"
                             "bodies: {bob: {mass: 1, com: A, inertia: [1, 1, 1]}}\n"
                             "joints: {pivot: {type: revolute, child: bob, at: O, axis: y}}\n"
                             "inputs: {u: '0'}\n"
                             "motions: {drive: {coordinate: pivot, value: u}}\n";
  struct plant p;
  const int none[1] = {99};
  open_plant(&p, text, CMB_FORM_EXPLICIT, false);
  assert_int_equal(linearize(&p), CMB_ERROR_INPUT);
  assert_non_null(strstr(cmb_last_error(p.ctx), "'u' moves the constraint 'drive'"));
  assert_int_equal(cmb_state_space_create(p.ctx, p.eq, 0, cmb_system_q(p.system),
                                          cmb_system_v(p.system), 1, none, 0, NULL, &p.space),
                   CMB_ERROR_ARGUMENT);
  close_plant(&p);
}

/* ---- the exponential of a matrix */

static void test_exponential(void **state)
{
  (void)state;
  const double angle = 40, rate = -3, zero[4] = {0};
  const double turn[4] = {rate, -angle, angle, rate}, nilpotent[4] = {0, 1e6, 0, 0};
  double E[4], work[8];
  assert_int_equal(cmb_exponential(2, turn, E, work), CMB_OK);
  cmbt_near(E[0], exp(rate) * cos(angle), 1e-14);
  cmbt_near(E[1], -exp(rate) * sin(angle), 1e-14);
  assert_int_equal(cmb_exponential(2, nilpotent, E, work), CMB_OK);
  cmbt_near(E[1], 1e6, 1e-9);
  cmbt_near(E[0], 1, 1e-14);
  assert_int_equal(cmb_exponential(2, zero, E, work), CMB_OK);
  assert_true(E[0] == 1 && E[1] == 0 && E[2] == 0 && E[3] == 1);
  const double nan_there[4] = {0, NAN, 0, 0}, huge[4] = {1e4, 0, 0, 1e4};
  assert_int_equal(cmb_exponential(2, nan_there, E, work), CMB_RETRY_NONFINITE);
  assert_int_equal(cmb_exponential(2, huge, E, work), CMB_RETRY_NONFINITE);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_matrices),
      cmocka_unit_test(test_response),
      cmocka_unit_test(test_step),
      cmocka_unit_test(test_constraints),
      cmocka_unit_test(test_static_gain),
      cmocka_unit_test(test_refused),
      cmocka_unit_test(test_not_finite),
      cmocka_unit_test(test_exponential),
      cmocka_unit_test(test_exact_outputs),
      cmocka_unit_test(test_motion),
      cmocka_unit_test(test_moving_chain),
      cmocka_unit_test(test_transfer),
      cmocka_unit_test(test_quarter_car),
      cmocka_unit_test(test_rates),
      cmocka_unit_test(test_step_with_rate),
      cmocka_unit_test(test_rate_as_input),
      cmocka_unit_test(test_motor),
      cmocka_unit_test(test_random_transfer),
      cmocka_unit_test(test_transfer_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
