/*
 * Camber compared with independent solvers: the same mechanisms as ordinary differential equations in minimal coordinates, derived differently
 * from the bundled problems, and integrated by SUNDIALS, once by ARKODE (explicit Runge-Kutta of order 8) and once by CVODE (Adams, variable
 * order). A wrong sign or factor in a problem, in the KKT solve or in the projection shows here.
 *
 *   pendulum         φ'' = −(g/l) sin φ;   tension m (g cos φ + l φ'²)
 *   circular track   m r'' = kp (s − r') + ki (s t − r);   also its exact solution for the standard gains
 *   pendulum chain   Newton's law for each mass, the tensions of the rods from a tridiagonal system
 *
 * mdop853 and SUNDIALS run at rtol = atol = 1e-12. Each step has an error of about that size at most; it grows until the end by a factor that was
 * measured by disturbing the start values and is stated at each test. So results may differ by steps x tolerance x growth. CVODE, with
 * thousands of steps of lower order, confirms ARKODE to 1e-8.
 */
#include "check.h"

#include <arkode/arkode_erkstep.h>
#include <camber/camber.h>
#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <stdio.h>
#include <string.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

enum { MOST_STEPS = 100000, MOST_UNKNOWNS = 16, MOST_SETTINGS = 24 };

static const double TOLERANCE = 1e-12;
static const double SOLVERS_AGREE = 1e-8;

/* ---- SUNDIALS */

typedef void (*ode)(const void *user, double t, const double *y, double *dy);

struct equation {
  ode f;
  const void *user;
};

static int right_hand_side(realtype t, N_Vector y, N_Vector dy, void *user)
{
  const struct equation *e = user;
  e->f(e->user, t, N_VGetArrayPointer(y), N_VGetArrayPointer(dy));
  return 0;
}

static void solve_by_arkode(struct equation e, int n, double t_end, const double *start, double *y)
{
  SUNContext context;
  double t;
  assert_int_equal(SUNContext_Create(NULL, &context), 0);
  memcpy(y, start, (size_t)n * sizeof *y);
  N_Vector vector = N_VMake_Serial(n, y, context);
  void *memory = ERKStepCreate(right_hand_side, 0, vector, context);
  assert_non_null(memory);
  assert_int_equal(ERKStepSetOrder(memory, 8), 0);
  assert_int_equal(ERKStepSStolerances(memory, TOLERANCE, TOLERANCE), 0);
  assert_int_equal(ERKStepSetUserData(memory, &e), 0);
  assert_int_equal(ERKStepSetMaxNumSteps(memory, MOST_STEPS), 0);
  assert_int_equal(ERKStepSetStopTime(memory, t_end), 0);
  assert_true(ERKStepEvolve(memory, t_end, vector, &t, ARK_NORMAL) >= 0);
  cmbt_near(t, t_end, 1e-12);
  ERKStepFree(&memory);
  N_VDestroy(vector);
  SUNContext_Free(&context);
}

static void solve_by_cvode(struct equation e, int n, double t_end, const double *start, double *y)
{
  SUNContext context;
  double t;
  assert_int_equal(SUNContext_Create(NULL, &context), 0);
  memcpy(y, start, (size_t)n * sizeof *y);
  N_Vector vector = N_VMake_Serial(n, y, context);
  SUNMatrix J = SUNDenseMatrix(n, n, context);
  SUNLinearSolver solver = SUNLinSol_Dense(vector, J, context);
  void *memory = CVodeCreate(CV_ADAMS, context);
  assert_non_null(memory);
  assert_int_equal(CVodeInit(memory, right_hand_side, 0, vector), 0);
  assert_int_equal(CVodeSStolerances(memory, TOLERANCE, TOLERANCE), 0);
  assert_int_equal(CVodeSetUserData(memory, &e), 0);
  assert_int_equal(CVodeSetLinearSolver(memory, solver, J), 0);
  assert_int_equal(CVodeSetMaxNumSteps(memory, MOST_STEPS), 0);
  assert_int_equal(CVodeSetStopTime(memory, t_end), 0);
  assert_true(CVode(memory, t_end, vector, &t, CV_NORMAL) >= 0);
  cmbt_near(t, t_end, 1e-12);
  CVodeFree(&memory);
  SUNLinSolFree(solver);
  SUNMatDestroy(J);
  N_VDestroy(vector);
  SUNContext_Free(&context);
}

/* Computes y(t_end) by ARKODE and checks that CVODE agrees. */
static void reference_solution(struct equation e, int n, double t_end, const double *start,
                               double *y)
{
  double other[MOST_UNKNOWNS];
  assert_in_range(n, 1, MOST_UNKNOWNS);
  solve_by_arkode(e, n, t_end, start, y);
  solve_by_cvode(e, n, t_end, start, other);
  for (int i = 0; i < n; i++) cmbt_near(other[i], y[i], SOLVERS_AGREE);
}

/* ---- Camber */

struct fixture {
  cmb_context *ctx;
  cmb_system *system;
  cmb_simulation *sim;
};

static const cmb_result *run(struct fixture *f, const char *problem, int count,
                             const cmb_setting *settings, int start_count, const cmb_setting *start,
                             double t_end)
{
  cmb_run_options options = cmb_run_defaults();
  *f = (struct fixture){.ctx = cmb_context_create(NULL)};
  assert_non_null(f->ctx);
  cmbt_ok(f->ctx,
          cmb_problem_create(f->ctx, cmb_problem_find(problem), count, settings, &f->system));
  cmbt_ok(f->ctx, cmb_system_set_start(f->ctx, f->system, start_count, start));
  options.method = cmb_method_find("mdop853");
  options.integrator.rtol = options.integrator.atol = TOLERANCE;
  options.t_end = t_end;
  cmbt_ok(f->ctx, cmb_simulation_create(f->ctx, f->system, &options, &f->sim));
  cmbt_ok(f->ctx, cmb_simulation_run(f->sim));
  return cmb_simulation_result(f->sim);
}

/* Returns a bound on the error of the result if errors grow by the factor `growth`. */
static double bound(const cmb_result *r, double growth)
{
  return growth * TOLERANCE * (double)r->statistics->accepted;
}

static void release(struct fixture *f)
{
  cmb_simulation_destroy(f->sim);
  cmb_system_destroy(f->system);
  cmb_context_destroy(f->ctx);
}

/* ---- the pendulum */

struct pendulum {
  double m, l, g;
};

static void pendulum_ode(const void *user, double t, const double *y, double *dy)
{
  const struct pendulum *p = user;
  (void)t;
  dy[0] = y[1];
  dy[1] = -p->g / p->l * sin(y[0]);
}

/* Compares position, velocity and tension. A disturbance ε of the initial angle becomes 15 ε in the angle and 21 ε in its rate at t = 12,
 * since the frequency depends on the amplitude. */
static void test_pendulum(void **state)
{
  const struct pendulum p = {2, 1.5, 9.81};
  const cmb_setting settings[] = {{"m", p.m}, {"l", p.l}, {"g", p.g}, {"angle", 2}};
  const double t_end = 12, start[2] = {2, 0};
  double y[2];
  struct fixture f;
  (void)state;
  reference_solution((struct equation){pendulum_ode, &p}, 2, t_end, start, y);
  const cmb_result *r = run(&f, "pendulum", 4, settings, 0, NULL, t_end);
  const double phi = y[0], omega = y[1], phi_off = bound(r, 15), omega_off = bound(r, 21);
  const double v_off = p.l * (omega_off + fabs(omega) * phi_off);
  cmbt_near(r->q[0], p.l * sin(phi), p.l * phi_off);
  cmbt_near(r->q[1], -p.l * cos(phi), p.l * phi_off);
  cmbt_near(r->v[0], p.l * omega * cos(phi), v_off);
  cmbt_near(r->v[1], p.l * omega * sin(phi), v_off);
  cmbt_near(r->lambda[0] * p.l, p.m * (p.g * cos(phi) + p.l * omega * omega),
            p.m * (p.g * phi_off + 2 * p.l * fabs(omega) * omega_off));
  release(&f);
}

/* ---- the circular track */

struct track {
  double m, speed, kp, ki, outward;
};

static void track_ode(const void *user, double t, const double *y, double *dy)
{
  const struct track *p = user;
  dy[0] = y[1];
  dy[1] = (p->kp * (p->speed - y[1]) + p->ki * (p->speed * t - y[0])) / p->m;
}

/* Compares the state on the circle with the distance r along it and its speed; the constraint pulls inwards with 2 λ. The controller damps
 * errors, so that they hardly grow; the error of λ is that of the speed times 2 m s, less than 10 here. */
static void check_track(const cmb_result *r, const struct track *p, double way, double speed)
{
  const double tolerance = bound(r, 2);
  cmbt_near(r->q[0], cos(way), tolerance);
  cmbt_near(r->q[1], sin(way), tolerance);
  cmbt_near(r->q[2], way, tolerance);
  cmbt_near(r->v[0], -speed * sin(way), tolerance);
  cmbt_near(r->v[1], speed * cos(way), tolerance);
  cmbt_near(2 * r->lambda[0], p->outward + p->m * speed * speed, 10 * tolerance);
}

static void test_track(void **state)
{
  static const struct track tracks[] = {
      {2.5, -1.3, 1.5, 7, 3}, {1, 0.7, 0.2, 4, -6}, {1, 1, 10, 25, 10}};
  const double t_end = 4, start[2] = {0, 0};
  (void)state;
  for (size_t k = 0; k < sizeof tracks / sizeof tracks[0]; k++) {
    const struct track *p = &tracks[k];
    const cmb_setting settings[] = {
        {"m", p->m}, {"speed", p->speed}, {"kp", p->kp}, {"ki", p->ki}, {"outward", p->outward}};
    double y[2];
    struct fixture f;
    reference_solution((struct equation){track_ode, p}, 2, t_end, start, y);
    check_track(run(&f, "circular-track", 5, settings, 0, NULL, t_end), p, y[0], y[1]);
    release(&f);
  }
}

/* Compares with the exact solution for the standard gains from rest, r = s t (1 − exp(−5 t)). */
static void test_track_exact(void **state)
{
  const struct track p = {1, 1, 10, 25, 10};
  (void)state;
  for (double t = 0.25; t <= 8; t *= 2) {
    struct fixture f;
    double decay = exp(-5 * t);
    check_track(run(&f, "circular-track", 0, NULL, 0, NULL, t), &p, t * (1 - decay),
                1 - decay + 5 * t * decay);
    release(&f);
  }
}

/* ---- the pendulum chain */

enum { LINKS = 5 };

struct chain {
  double m, l, g, omega, shift_x, shift_y;
};

/* Solves a_k x_{k−1} + b_k x_k + c_k x_{k+1} = r_k by elimination; x replaces r. */
static void solve_tridiagonal(int n, const double *a, double *b, const double *c, double *r)
{
  for (int k = 1; k < n; k++) {
    double factor = a[k] / b[k - 1];
    b[k] -= factor * c[k - 1];
    r[k] -= factor * r[k - 1];
  }
  for (int k = n - 1; k >= 0; k--) r[k] = (r[k] - (k < n - 1 ? c[k] * r[k + 1] : 0)) / b[k];
}

/*
 * Computes the rates of the chain's angles and angular velocities. Mass k hangs on rod k, which points along u_k = (sin α_k, −cos α_k) and pulls
 * with T_k:
 *     m r''_k = −m g e_y − T_k u_k + T_{k+1} u_{k+1}.
 * Rods keep their length: u_k · (r''_k − r''_{k−1}) = −l α'_k², with r_0 the suspension. This gives the tensions; the component perpendicular to
 * the rod gives l α''_k.
 */
static void chain_ode(const void *user, double t, const double *y, double *dy)
{
  const struct chain *p = user;
  const double *alpha = y, *rate = y + LINKS;
  const double swing = -p->omega * p->omega * sin(p->omega * t);
  double a[LINKS], b[LINKS], c[LINKS], T[LINKS + 1];
  double ux[LINKS], uy[LINKS];
  for (int k = 0; k < LINKS; k++) ux[k] = sin(alpha[k]), uy[k] = -cos(alpha[k]);
  for (int k = 0; k < LINKS; k++) {
    a[k] = k > 0 ? (ux[k] * ux[k - 1] + uy[k] * uy[k - 1]) / p->m : 0;
    b[k] = (k > 0 ? -2 : -1) / p->m;
    c[k] = k < LINKS - 1 ? (ux[k] * ux[k + 1] + uy[k] * uy[k + 1]) / p->m : 0;
    T[k] = -p->l * rate[k] * rate[k];
  }
  T[0] += ux[0] * p->shift_x * swing + uy[0] * (p->shift_y * swing + p->g);
  T[LINKS] = 0; /* nothing hangs on the last mass */
  solve_tridiagonal(LINKS, a, b, c, T);
  for (int k = 0; k < LINKS; k++) { /* r''_k − r''_{k−1} */
    double next_x = k < LINKS - 1 ? ux[k + 1] * T[k + 1] : 0;
    double next_y = k < LINKS - 1 ? uy[k + 1] * T[k + 1] : 0;
    double above_x = k > 0 ? (T[k - 1] * ux[k - 1] - T[k] * ux[k]) / p->m : -p->shift_x * swing;
    double above_y =
        k > 0 ? (T[k - 1] * uy[k - 1] - T[k] * uy[k]) / p->m : -p->shift_y * swing - p->g;
    double x2 = (next_x - T[k] * ux[k]) / p->m + above_x;
    double y2 = (next_y - T[k] * uy[k]) / p->m + above_y;
    dy[k] = rate[k];
    dy[LINKS + k] = (x2 * cos(alpha[k]) + y2 * sin(alpha[k])) / p->l;
  }
}

/* Writes settings "alpha1", "alpha1'", ... for a start that is neither straight nor at rest. Returns their number. */
static int chain_start(char names[][16], cmb_setting *settings, double *y)
{
  for (int k = 0; k < LINKS; k++) {
    y[k] = 0.4 * cos(1.3 * k);
    y[LINKS + k] = 0.5 * sin(2.1 * k + 1);
    snprintf(names[k], sizeof names[k], "alpha%d", k + 1);
    snprintf(names[LINKS + k], sizeof names[k], "alpha%d'", k + 1);
  }
  for (int i = 0; i < 2 * LINKS; i++) settings[i] = (cmb_setting){names[i], y[i]};
  return 2 * LINKS;
}

/* Compares angles, rates and the tip of the chain. At amplitudes of half a radian it is not chaotic: ε in any start value becomes 5 ε in
 * the angles and 49 ε in their rates. */
static void test_chain(void **state)
{
  const struct chain p = {0.8, 0.6, 9.81, 3, 0.25, -0.15};
  const cmb_setting settings[] = {{"N", LINKS},
                                  {"m", p.m},
                                  {"l", p.l},
                                  {"g", p.g},
                                  {"omega", p.omega},
                                  {"shift_x", p.shift_x},
                                  {"shift_y", p.shift_y}};
  const double t_end = 5;
  char names[2 * LINKS][16];
  cmb_setting start[MOST_SETTINGS];
  double y0[2 * LINKS], y[2 * LINKS];
  double tip[2] = {2 + p.shift_x * sin(p.omega * t_end), p.shift_y * sin(p.omega * t_end)};
  struct fixture f;
  (void)state;
  int count = chain_start(names, start, y0);
  reference_solution((struct equation){chain_ode, &p}, 2 * LINKS, t_end, y0, y);
  const cmb_result *r = run(&f, "pendulum-chain", 7, settings, count, start, t_end);
  for (int k = 0; k < LINKS; k++) {
    cmbt_near(r->q[k], y[k], bound(r, 5));
    cmbt_near(r->v[k], y[LINKS + k], bound(r, 49));
    tip[0] += p.l * sin(y[k]);
    tip[1] -= p.l * cos(y[k]);
  }
  cmbt_near(r->outputs[0], tip[0], LINKS * p.l * bound(r, 5));
  cmbt_near(r->outputs[1], tip[1], LINKS * p.l * bound(r, 5));
  release(&f);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_pendulum),
      cmocka_unit_test(test_track),
      cmocka_unit_test(test_track_exact),
      cmocka_unit_test(test_chain),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
