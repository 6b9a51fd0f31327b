/*
 * Steady motions (camber/system.h) of single-track cars, compared with formulas:
 *
 *   - straight ahead: the eigenvalues at each speed are those of the linear single-track model, and the critical speed of an oversteering car is
 *     sqrt(cf cr l² / (m (a cf − b cr))); the yaw rate's response to steering is that of the same model;
 *   - on a circle: the steering angle is l r/V + m/l (b/cf − a/cr) V r, and the eigenvalues in the rotating frame are those of the equations in
 *     body-fixed velocities u, w, r, written out here;
 *   - the same car with a free joint, on a spring, has these eigenvalues too; the motion of one that rolls is steady in a simulation;
 *   - with a loop: a tank that hangs from the car on two parallel arms, closed by a redundant hinge, has the steady motions and the
 *     eigenvalues of a pendulum with the same energy, straight ahead and on a circle;
 *   - refused: a drag that nothing balances, a force that depends on the position along the road.
 */
#include "check.h"
#include "failing_allocator.h"
#include "methods.h"
#include "model_case.h"

#include <camber/camber.h>
#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const double M = 1500, J = 2500, A = 1.2, B = 1.5, CF = 80000, CR = 60000;

#define TYRES                                                                                      \
  "points: {F: [1.2, 0, HEIGHT], R: [-1.5, 0, HEIGHT], G: [0, 0, 0]}\n"                            \
  "bodies: {car: {mass: 1500, com: G, inertia: [500, 2000, 2500]}}\n"                              \
  "inputs: {steer: '0', drive: '0'}\n"                                                             \
  "outputs: {r: turn, speed: u, side: w, lean: car.z_y*hx - car.z_x*hy}\n"                         \
  "forces:\n"                                                                                      \
  "  front: {type: load, on: car@F, force: [-hy*sf, hx*sf, 0]}\n"                                  \
  "  rear: {type: load, on: car@R, force: ['hx*(drive - drag) - hy*sr', 'hy*(drive - drag) + "     \
  "hx*sr', 0]}\n"

#define MEASURES                                                                                   \
  "  u: car.vx*hx + car.vy*hy\n  w: car.vy*hx - car.vx*hy\n"                                       \
  "  sf: 80000*(steer - (w + 1.2*turn)/u)\n  sr: CR*(1.5*turn - w)/u\n  drag: DRAG\n"

static const char planar[] =
    "gravity: [0, 0, 0]\nparameters: {HEIGHT: 0, CR: 60000}\n" TYRES
    "joints: {road: {type: planar, child: car, at: G, axes: [x, y], coordinates: [x, y, yaw], "
    "rate: [20, 0, 0]}}\n"
    "measures:\n  hx: cos(yaw)\n  hy: sin(yaw)\n  turn: yaw'\n" MEASURES;

static const char rolling[] =
    "parameters: {HEIGHT: -0.4, CR: 60000}\n" TYRES
    "  spring: {type: load, on: car@G, force: ['0', '0', '14715 - 9e4*car.z - 8e3*car.vz'],\n"
    "           torque: ['5e4*car.z_y - 4e3*car.wx', '-5e4*car.z_x - 4e3*car.wy', '0']}\n"
    "joints: {road: {type: free, child: car, at: G, rate: [20, 0, 0, 0, 0, 0]}}\n"
    "measures:\n  n: sqrt(car.x_x^2 + car.x_y^2)\n  hx: car.x_x/n\n  hy: car.x_y/n\n"
    "  turn: car.wz\n" MEASURES;

struct car {
  cmb_context *ctx;
  cmb_model *model;
  cmb_system *system;
  const cmb_equations *eq;
  cmb_steady_report report;
};

/* Copies the text with each `word` replaced; `out` has `room` bytes. */
static void fill_in(const char *text, const char *word, const char *by, char *out, size_t room)
{
  size_t used = 0;
  for (const char *at = text; *at;) {
    const bool here = strncmp(at, word, strlen(word)) == 0;
    const int n =
        snprintf(out + used, room - used, "%.*s", here ? (int)strlen(by) : 1, here ? by : at);
    used += (size_t)n;
    assert_true(used < room);
    at += here ? strlen(word) : 1;
  }
}

static void open_car_in(struct car *c, const cmb_allocator *memory, const char *text,
                        const char *drag)
{
  static char whole[4000];
  const cmb_model_system_options options = {
      .derivatives = true, .expressions = true, .live_inputs = true};
  fill_in(text, "DRAG", drag, whole, sizeof whole);
  *c = (struct car){.ctx = cmb_context_create(memory)};
  c->model = cmbt_model_parse(c->ctx, whole);
  cmbt_ok(c->ctx, cmb_model_system(c->ctx, c->model, &options, &c->system));
  c->eq = cmb_system_equations(c->system);
}

static void open_car(struct car *c, const char *text, const char *drag)
{
  open_car_in(c, NULL, text, drag);
}

static void close_car(struct car *c)
{
  cmb_system_destroy(c->system);
  cmb_model_destroy(c->model);
  cmb_context_destroy(c->ctx);
}

/* Finds the steady motion at this speed (and yaw rate r with two trims), with the inputs drive (and steer) as unknowns. */
static cmb_status drive(struct car *c, double speed, double r, int trims)
{
  static const char *const trim[] = {"drive", "steer"};
  const cmb_setting holds[] = {{"speed", speed}, {"r", r}};
  const cmb_steady_options o = {
      .hold_count = trims < 2 ? 1 : 2, .holds = holds, .trim_count = trims, .trim = trim};
  return cmb_system_steady(c->ctx, c->system, &o, &c->report);
}

static double parameter(const struct car *c, const char *name)
{
  for (int i = 0; i < c->eq->np; i++) {
    if (strcmp(c->eq->p_names[i], name) == 0) return c->eq->p[i];
  }
  fail_msg("no parameter %s", name);
  return NAN;
}

/* Linearises in the moving frame and checks that the accelerations are 0. */
static cmb_linearization *linearize(struct car *c)
{
  cmb_linearization *l;
  cmbt_ok(c->ctx, cmb_linearize_in(c->ctx, c->eq, cmb_system_frame(c->system), 0,
                                   cmb_system_q(c->system), cmb_system_v(c->system), &l));
  assert_true(fabs(l->a[l->a_most]) < 1e-9);
  return l;
}

/* Checks that the linearisation has this eigenvalue, not counting neutral ones. */
static void has_eigenvalue(const cmb_linearization *l, double complex wanted)
{
  double least = INFINITY;
  for (int i = 0; i < l->eigenmode_count; i++) {
    const cmb_eigenmode *m = &l->eigenmodes[i];
    if (!m->neutral) least = fmin(least, cabs(m->re + I * m->im - wanted));
  }
  if (least > 1e-8 * (1 + cabs(wanted))) {
    fail_msg("no eigenvalue %g + %g i, the nearest is %g away", creal(wanted), cimag(wanted),
             least);
  }
}

/* Computes the matrix L of the linear single-track model (ẇ, ṙ) = L (w, r) at the speed V. */
static void track(double V, double cr, double L[4])
{
  L[0] = -(CF + cr) / (M * V), L[1] = -(A * CF - B * cr) / (M * V) - V;
  L[2] = -(A * CF - B * cr) / (J * V), L[3] = -(A * A * CF + B * B * cr) / (J * V);
}

static void test_straight(void **state)
{
  (void)state;
  struct car c;
  open_car(&c, planar, "0");
  for (int i = 1; i <= 10; i++) {
    const double V = 5 * i;
    double L[4];
    cmbt_ok(c.ctx, drive(&c, V, 0, 1));
    cmbt_near(c.report.turn, 0, 1e-12);
    track(V, CR, L);
    const double half = (L[0] + L[3]) / 2;
    const double complex root = csqrt(half * half - (L[0] * L[3] - L[1] * L[2]));
    cmb_linearization *l = linearize(&c);
    has_eigenvalue(l, half + root);
    if (cimag(root) == 0) has_eigenvalue(l, half - root);
    cmb_linearization_destroy(l);
  }
  close_car(&c);
}

/* Returns the largest real part of the eigenvalues that are not neutral. */
static double growth(struct car *c, double V)
{
  double most = -INFINITY;
  cmbt_ok(c->ctx, drive(c, V, 0, 1));
  cmb_linearization *l = linearize(c);
  for (int i = 0; i < l->eigenmode_count; i++) {
    if (!l->eigenmodes[i].neutral) most = fmax(most, l->eigenmodes[i].re);
  }
  cmb_linearization_destroy(l);
  return most;
}

static void test_critical_speed(void **state)
{
  (void)state;
  static char text[4000];
  const double cr = 50000, wanted = sqrt(CF * cr * (A + B) * (A + B) / (M * (A * CF - B * cr)));
  struct car c;
  double low = 20, high = 40;
  fill_in(planar, "CR: 60000", "CR: 50000", text, sizeof text);
  open_car(&c, text, "0");
  assert_true(growth(&c, low) < 0 && growth(&c, high) > 0);
  for (int i = 0; i < 12; i++) {
    const double V = (low + high) / 2;
    *(growth(&c, V) < 0 ? &low : &high) = V;
  }
  assert_true(low < wanted && wanted < high);
  close_car(&c);
}

/* Returns det(D − x I) of the 3 x 3 matrix D. */
static double determinant(const double D[9], double x)
{
  const double a = D[0] - x, e = D[4] - x, k = D[8] - x;
  return a * (e * k - D[5] * D[7]) - D[1] * (D[3] * k - D[5] * D[6]) +
         D[2] * (D[3] * D[7] - e * D[6]);
}

/* Checks that the linearisation has the eigenvalues of u̇ = drive/m + w r − drag/m, ẇ = (sf + sr)/m − u r, ṙ = (a sf − b sr)/J with the
 * drag 2 u² at the centre line. */
static void check_circle(const cmb_linearization *l, const double x[3])
{
  const double u = x[0], w = x[1], r = x[2];
  const double f_u = CF * (w + A * r) / (u * u), f_w = -CF / u, f_r = -CF * A / u;
  const double r_u = -CR * (B * r - w) / (u * u), r_w = -CR / u, r_r = CR * B / u;
  const double D[9] = {-4 * u / M,
                       r,
                       w,
                       (f_u + r_u) / M - r,
                       (f_w + r_w) / M,
                       (f_r + r_r) / M - u,
                       (A * f_u - B * r_u) / J,
                       (A * f_w - B * r_w) / J,
                       (A * f_r - B * r_r) / J};
  int found = 0;
  for (int i = 0; i < l->eigenmode_count; i++) {
    const cmb_eigenmode *m = &l->eigenmodes[i];
    if (m->neutral || m->im != 0) continue;
    const double slope = (determinant(D, m->re * 1.001) - determinant(D, m->re)) / (m->re * 1e-3);
    if (fabs(determinant(D, m->re) / slope) < 1e-8) found++;
  }
  assert_int_equal(found, 3);
}

static void test_circle(void **state)
{
  (void)state;
  struct car c;
  const double V = 20, r = 0.2, l = A + B;
  open_car(&c, planar, "2*u^2");
  cmbt_ok(c.ctx, drive(&c, V, r, 2));
  cmbt_near(c.report.turn, r, 1e-12);
  cmbt_near(parameter(&c, "steer"), l * r / V + M / l * (B / CF - A / CR) * V * r, 1e-10);
  const double side = B * r - M * V * r * A / l * V / CR; /* from sr = m V r a/l */
  cmbt_near(cmb_system_v(c.system)[1], side, 1e-9);
  cmbt_near(parameter(&c, "drive"), 2 * V * V - M * side * r, 1e-6);
  cmb_linearization *linear = linearize(&c);
  check_circle(linear, (double[]){V, side, r});
  cmb_linearization_destroy(linear);
  close_car(&c);
}

/* Compares the frequency response of the yaw rate to steering on a straight line with that of the linear single-track model. */
static void test_response(void **state)
{
  (void)state;
  struct car c;
  cmb_state_space *space;
  const double V = 20, omega = 3;
  double L[4], answer[2];
  open_car(&c, planar, "0");
  cmbt_ok(c.ctx, drive(&c, V, 0, 1));
  const int steer = strcmp(c.eq->p_names[0], "steer") == 0 ? 0 : 1, r = 0;
  cmbt_ok(c.ctx, cmb_state_space_create_in(c.ctx, c.eq, cmb_system_frame(c.system), 0,
                                           cmb_system_q(c.system), cmb_system_v(c.system), 1,
                                           &steer, 1, &r, &space));
  cmbt_ok(c.ctx, cmb_state_space_response(c.ctx, space, omega, answer));
  track(V, CR, L);
  const double complex s = I * omega, det = (s - L[0]) * (s - L[3]) - L[1] * L[2];
  const double complex wanted = ((s - L[0]) * (A * CF / J) + L[2] * (CF / M)) / det;
  cmbt_near(answer[0], creal(wanted), 1e-9);
  cmbt_near(answer[1], cimag(wanted), 1e-9);
  cmb_state_space_destroy(space);
  close_car(&c);
}

static double output(const cmb_result *r, int i)
{
  return r->outputs[i];
}

/* Checks a car with a free joint. With the tyre forces at the height of the centre of mass it has the eigenvalues of the plane model; with lower
 * ones it rolls, and a simulation keeps the steady motion. */
static void test_free_joint(void **state)
{
  (void)state;
  static char flat[4000];
  struct car c;
  const double V = 20, r = 0.2, side = B * r - M * V * r * A / (A + B) * V / CR;
  fill_in(rolling, "HEIGHT: -0.4", "HEIGHT: 0", flat, sizeof flat);
  open_car(&c, flat, "2*u^2");
  cmbt_ok(c.ctx, drive(&c, V, r, 2));
  cmb_linearization *l = linearize(&c);
  check_circle(l, (double[]){V, side, r});
  cmb_linearization_destroy(l);
  close_car(&c);

  open_car(&c, rolling, "2*u^2");
  cmbt_ok(c.ctx, drive(&c, V, r, 2));
  cmb_run_options options = cmb_run_defaults();
  cmb_simulation *sim;
  options.t_end = 3, options.integrator.rtol = 1e-10, options.integrator.atol = 1e-12;
  cmbt_ok(c.ctx, cmb_simulation_create(c.ctx, c.system, &options, &sim));
  cmbt_ok(c.ctx, cmb_simulation_start(sim));
  const double lean = output(cmb_simulation_result(sim), 3);
  assert_true(fabs(lean) > 0.02); /* the car rolls */
  cmbt_ok(c.ctx, cmb_simulation_run(sim));
  const cmb_result *end = cmb_simulation_result(sim);
  cmbt_near(output(end, 0), r, 1e-7);
  cmbt_near(output(end, 1), V, 1e-6);
  cmbt_near(output(end, 3), lean, 1e-7);
  cmb_simulation_destroy(sim);
  close_car(&c);
}

/*
 * A tank on two equal arms beside each other (at y = ±D, of length H) does not rotate relative to the car, and both arms have the same angle.
 * So its moments of inertia, and the part 2 m D² due to the arms' distance, belong to the car, and the rest is one pendulum in the middle.
 */
static const double ARM = 6, ARM_J = 0.5, ARM_JZ = 0.05, TANK = 120, D = 0.3, H = 0.8;

#define SWAY "  damper: {type: torsion, coordinate: sway, stiffness: 300, damping: 60}\n  spring: {"

static void hang(const char *points, const char *bodies, const char *joints, char out[4000])
{
  static char with_rest[4000], with_bodies[4000];
  fill_in(rolling, "G: [0, 0, 0]}", points, with_rest, sizeof with_rest);
  fill_in(with_rest, "inertia: [500, 2000, 2500]}}", bodies, with_bodies, sizeof with_bodies);
  fill_in(with_bodies, "rate: [20, 0, 0, 0, 0, 0]}}", joints, with_rest, sizeof with_rest);
  fill_in(with_rest, "  spring: {", SWAY, out, 4000);
}

static void write_linkage(char text[4000])
{
  hang("G: [0, 0, 0], A: [-0.5, 0.3, 0.5], B: [-0.5, -0.3, 0.5], P: [-0.5, 0.3, -0.3], "
       "Q: [-0.5, -0.3, -0.3], T: [-0.5, 0, -0.3]}",
       "inertia: [500, 2000, 2500]},\n"
       "  left: {mass: 6, com: [-0.5, 0.3, 0.1], inertia: [0.5, 0.5, 0.05]},\n"
       "  right: {mass: 6, com: [-0.5, -0.3, 0.1], inertia: [0.5, 0.5, 0.05]},\n"
       "  tank: {mass: 120, com: T, inertia: [9, 14, 11]}}",
       "rate: [20, 0, 0, 0, 0, 0]},\n"
       "  sway: {type: revolute, parent: car, child: left, at: A, axis: x},\n"
       "  other: {type: revolute, parent: car, child: right, at: B, axis: x},\n"
       "  pin: {type: revolute, parent: left, child: tank, at: P, axis: x}}\n"
       "loops: {close: {type: revolute, between: [right@Q, tank@Q], axis: x}}",
       text);
}

static void write_pendulum(char text[4000])
{
  char bodies[400];
  const double mass = 2 * ARM + TANK, apart = 2 * ARM * D * D, low = (ARM * H + TANK * H) / mass;
  const double own =
      2 * ARM_J + 2 * ARM * (low - H / 2) * (low - H / 2) + TANK * (H - low) * (H - low);
  snprintf(bodies, sizeof bodies,
           "inertia: [%.17g, 2014, %.17g]},\n  pendulum: {mass: %.17g, com: [-0.5, 0, %.17g], "
           "inertia: [%.17g, %.17g, %.17g]}}",
           509 + apart, 2511 + apart, mass, 0.5 - low, own, own, 2 * ARM_JZ);
  hang("G: [0, 0, 0], A: [-0.5, 0, 0.5]}", bodies,
       "rate: [20, 0, 0, 0, 0, 0]},\n"
       "  sway: {type: revolute, parent: car, child: pendulum, at: A, axis: x}}",
       text);
}

static double coordinate(const struct car *c, const char *name)
{
  for (int i = 0; i < c->eq->nq; i++) {
    if (strcmp(c->eq->q_names[i], name) == 0) return cmb_system_q(c->system)[i];
  }
  fail_msg("no coordinate %s", name);
  return NAN;
}

static int count_not_neutral(const cmb_linearization *l)
{
  int count = 0;
  for (int i = 0; i < l->eigenmode_count; i++) count += !l->eigenmodes[i].neutral;
  return count;
}

/* Compares steady motion and eigenvalues of the car with the linkage with those of the car with the pendulum. */
static void compare(struct car *linkage, struct car *pendulum)
{
  const double sway = coordinate(pendulum, "sway");
  cmbt_near(coordinate(linkage, "sway"), sway, 1e-9);
  cmbt_near(coordinate(linkage, "other"), sway, 1e-9);
  cmbt_near(coordinate(linkage, "pin"), -sway, 1e-9);
  cmbt_near(parameter(linkage, "steer"), parameter(pendulum, "steer"), 1e-9);
  cmbt_near(parameter(linkage, "drive"), parameter(pendulum, "drive"), 1e-5);
  cmb_linearization *one = linearize(linkage), *two = linearize(pendulum);
  assert_int_equal(one->freedoms, 7);
  assert_int_equal(count_not_neutral(one), count_not_neutral(two));
  for (int i = 0; i < two->eigenmode_count; i++) {
    const cmb_eigenmode *m = &two->eigenmodes[i];
    if (!m->neutral) has_eigenvalue(one, m->re + I * m->im);
  }
  cmb_linearization_destroy(one);
  cmb_linearization_destroy(two);
}

static void test_loop(void **state)
{
  (void)state;
  static char text[4000];
  struct car linkage, pendulum;
  write_linkage(text);
  open_car(&linkage, text, "2*u^2");
  write_pendulum(text);
  open_car(&pendulum, text, "2*u^2");
  cmbt_ok(linkage.ctx, drive(&linkage, 20, 0, 1));
  cmbt_ok(pendulum.ctx, drive(&pendulum, 20, 0, 1));
  compare(&linkage, &pendulum);
  cmbt_ok(linkage.ctx, drive(&linkage, 20, 0.2, 2));
  cmbt_ok(pendulum.ctx, drive(&pendulum, 20, 0.2, 2));
  assert_true(fabs(coordinate(&pendulum, "sway")) > 0.1);
  compare(&linkage, &pendulum);
  close_car(&linkage);
  close_car(&pendulum);
}

/* Checks that the message names the missing option if a held velocity is not declared free: without that it stays 0. */
static void test_held_velocity(void **state)
{
  (void)state;
  static char text[4000];
  static const char *const trim[] = {"drive"}, *const free[] = {"sway"};
  const cmb_setting holds[] = {{"speed", 20}, {"sway'", 0.5}};
  cmb_steady_options o = {.hold_count = 2, .holds = holds, .trim_count = 1, .trim = trim};
  struct car c;
  write_pendulum(text);
  open_car(&c, text, "0");
  assert_int_equal(cmb_system_steady(c.ctx, c.system, &o, &c.report), CMB_ERROR_INPUT);
  assert_non_null(strstr(cmb_last_error(c.ctx), "--free sway is missing"));
  o.free_count = 1, o.free = free; /* still no steady motion, for another reason */
  assert_int_equal(cmb_system_steady(c.ctx, c.system, &o, &c.report), CMB_ERROR_EQUATIONS);
  assert_null(strstr(cmb_last_error(c.ctx), "missing"));
  close_car(&c);
}

/* Checks that each failing allocation gives an error, frees its memory and leaves the start as it was. */
static void test_memory(void **state)
{
  (void)state;
  static char text[4000];
  static const char *const trim[] = {"drive", "steer"};
  static const cmb_setting holds[] = {{"speed", 20}, {"r", 0.2}};
  static const cmb_steady_options o = {
      .hold_count = 2, .holds = holds, .trim_count = 2, .trim = trim};
  struct cmbt_allocator memory;
  struct car c;
  cmb_linearization *l = NULL;
  write_linkage(text);
  cmbt_allocator_init(&memory);
  open_car_in(&c, &memory.hook, text, "2*u^2");
  const long begun = memory.outstanding;
  const double sway = coordinate(&c, "sway");
  cmb_status status = CMB_ERROR_MEMORY;
  for (long k = 1; status != CMB_OK; k++) {
    memory.fail_at = memory.calls + k;
    status = cmb_system_steady(c.ctx, c.system, &o, &c.report);
    if (status == CMB_OK) break;
    assert_int_equal(status, CMB_ERROR_MEMORY);
    assert_int_equal(memory.outstanding, begun);
    assert_true(coordinate(&c, "sway") == sway && !cmb_system_frame(c.system));
  }
  status = CMB_ERROR_MEMORY;
  const long found = memory.outstanding;
  for (long k = 1; status != CMB_OK; k++) {
    memory.fail_at = memory.calls + k;
    status = cmb_linearize_in(c.ctx, c.eq, cmb_system_frame(c.system), 0, cmb_system_q(c.system),
                              cmb_system_v(c.system), &l);
    if (status == CMB_OK) break;
    assert_int_equal(status, CMB_ERROR_MEMORY);
    assert_int_equal(memory.outstanding, found);
  }
  memory.fail_at = 0;
  cmb_linearization_destroy(l);
  close_car(&c);
  assert_int_equal(memory.outstanding, 0);
}

static void test_refused(void **state)
{
  (void)state;
  struct car c;
  open_car(&c, planar, "2*u^2"); /* no force balances the drag */
  assert_int_equal(drive(&c, 20, 0, 0), CMB_ERROR_EQUATIONS);
  assert_non_null(strstr(cmb_last_error(c.ctx), "no steady motion"));
  assert_true(cmb_system_frame(c.system) == NULL);
  close_car(&c);
  open_car(&c, planar, "100*sin(car.x)"); /* steady at this place, but not a metre further on */
  assert_int_equal(drive(&c, 20, 0, 1), CMB_ERROR_EQUATIONS);
  assert_non_null(strstr(cmb_last_error(c.ctx), "holds at this place only"));
  close_car(&c);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_straight),      cmocka_unit_test(test_critical_speed),
      cmocka_unit_test(test_circle),        cmocka_unit_test(test_response),
      cmocka_unit_test(test_free_joint),    cmocka_unit_test(test_loop),
      cmocka_unit_test(test_held_velocity), cmocka_unit_test(test_memory),
      cmocka_unit_test(test_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
