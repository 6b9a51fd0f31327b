/*
 * The car axis compared with SUNDIALS IDA, with other equations and another method. IDA integrates the stabilised index-2 form of Gear,
 * Gupta and Leimkuhler by BDF,
 *
 *     0 = p' − q + φ_pᵀ μ,   0 = K q' − f(t, p, λ),   0 = φ(t, p),   0 = φ_p q + φ_t,
 *
 * in the notation of the IVP Test Set, (II.17.1) to (II.17.5), implemented from there, so that errors of springs, bump, constraints or signs
 * of λ in the bundled problem would show. Camber's methods are compared with IDA at six times, and both with the quadruple-precision values
 * at t = 3.
 */
#include "check.h"
#include "dae/problems/caraxis_reference.h"

#include <camber/camber.h>
#include <ida/ida.h>
#include <nvector/nvector_serial.h>
#include <string.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

enum { UNKNOWNS = 12, VELOCITY = 4, LAMBDA = 8, MU = 10, TIMES = 6, MOST_STEPS = 100000 };

/* IDA at 1e-11 makes some 10,000 steps and has an error of 2e-8 at t = 3; the methods at 1e-10 have less than 1e-8. */
static const double IDA_TOLERANCE = 1e-11, IDA_ERROR = 1e-7, TOLERANCE = 1e-10, ERROR = 3e-8;

static const double L = 1, L0 = 0.5, EPSILON = 1e-2, MASS = 10, BUMP = 0.1, OMEGA = 10;

/* ---- IDA */

static int residual(realtype t, N_Vector yy, N_Vector yy_dot, N_Vector rr, void *user)
{
  const double *y = N_VGetArrayPointer(yy), *y_dot = N_VGetArrayPointer(yy_dot);
  const double xl = y[0], yl = y[1], xr = y[2], yr = y[3], *q = y + VELOCITY;
  const double l1 = y[LAMBDA], l2 = y[LAMBDA + 1], m1 = y[MU], m2 = y[MU + 1];
  const double K = EPSILON * EPSILON * MASS / 2;
  const double yb = BUMP * sin(OMEGA * t), xb = sqrt(L * L - yb * yb);
  const double yb_dot = BUMP * OMEGA * cos(OMEGA * t), xb_dot = -yb * yb_dot / xb;
  const double Ll = hypot(xl, yl), Lr = hypot(xr - xb, yr - yb);
  double *r = N_VGetArrayPointer(rr);
  (void)user;
  r[0] = y_dot[0] - q[0] + xb * m1 + 2 * (xl - xr) * m2;
  r[1] = y_dot[1] - q[1] + yb * m1 + 2 * (yl - yr) * m2;
  r[2] = y_dot[2] - q[2] - 2 * (xl - xr) * m2;
  r[3] = y_dot[3] - q[3] - 2 * (yl - yr) * m2;
  r[4] = K * y_dot[4] - ((L0 - Ll) * xl / Ll + l1 * xb + 2 * l2 * (xl - xr));
  r[5] = K * y_dot[5] - ((L0 - Ll) * yl / Ll + l1 * yb + 2 * l2 * (yl - yr) - K);
  r[6] = K * y_dot[6] - ((L0 - Lr) * (xr - xb) / Lr - 2 * l2 * (xl - xr));
  r[7] = K * y_dot[7] - ((L0 - Lr) * (yr - yb) / Lr - 2 * l2 * (yl - yr) - K);
  r[8] = xl * xb + yl * yb;
  r[9] = (xl - xr) * (xl - xr) + (yl - yr) * (yl - yr) - L * L;
  r[10] = q[0] * xb + q[1] * yb + xl * xb_dot + yl * yb_dot;
  r[11] = 2 * (xl - xr) * (q[0] - q[2]) + 2 * (yl - yr) * (q[1] - q[3]);
  return 0;
}

/* IDA with its vectors, matrix and linear solver. */
struct ida_solver {
  SUNContext context;
  N_Vector y, y_dot, differential;
  SUNMatrix J;
  SUNLinearSolver solver;
  void *memory;
};

/* Sets the start of the Test Set: λ = 0, q' = (0, −1, 0, −1). */
static void fill_start(struct ida_solver *j)
{
  static const double y[UNKNOWNS] = {0, 0.5, 1, 0.5, -0.5, 0, -0.5, 0};
  static const double y_dot[UNKNOWNS] = {-0.5, 0, -0.5, 0, 0, -1, 0, -1};
  double *differential = N_VGetArrayPointer(j->differential);
  memcpy(N_VGetArrayPointer(j->y), y, sizeof y);
  memcpy(N_VGetArrayPointer(j->y_dot), y_dot, sizeof y_dot);
  for (int i = 0; i < UNKNOWNS; i++) differential[i] = i < LAMBDA;
}

static void open_ida(struct ida_solver *j)
{
  assert_int_equal(SUNContext_Create(NULL, &j->context), 0);
  j->y = N_VNew_Serial(UNKNOWNS, j->context);
  j->y_dot = N_VNew_Serial(UNKNOWNS, j->context);
  j->differential = N_VNew_Serial(UNKNOWNS, j->context);
  j->J = SUNDenseMatrix(UNKNOWNS, UNKNOWNS, j->context);
  j->solver = SUNLinSol_Dense(j->y, j->J, j->context);
  j->memory = IDACreate(j->context);
  assert_non_null(j->memory);
  fill_start(j);
  assert_int_equal(IDAInit(j->memory, residual, 0, j->y, j->y_dot), 0);
  assert_int_equal(IDASStolerances(j->memory, IDA_TOLERANCE, IDA_TOLERANCE), 0);
  assert_int_equal(IDASetLinearSolver(j->memory, j->solver, j->J), 0);
  assert_int_equal(IDASetId(j->memory, j->differential), 0);
  assert_int_equal(IDASetSuppressAlg(j->memory, SUNTRUE), 0);
  assert_int_equal(IDASetMaxNumSteps(j->memory, MOST_STEPS), 0);
}

/* Returns IDA's solution at t_wanted. */
static const double *ida_at(struct ida_solver *j, double t_wanted)
{
  double t;
  assert_int_equal(IDASetStopTime(j->memory, t_wanted), 0);
  assert_true(IDASolve(j->memory, t_wanted, &t, j->y, j->y_dot, IDA_NORMAL) >= 0);
  cmbt_near(t, t_wanted, 1e-12);
  return N_VGetArrayPointer(j->y);
}

static void close_ida(struct ida_solver *j)
{
  IDAFree(&j->memory);
  SUNLinSolFree(j->solver);
  SUNMatDestroy(j->J);
  N_VDestroy(j->y);
  N_VDestroy(j->y_dot);
  N_VDestroy(j->differential);
  SUNContext_Free(&j->context);
}

/* ---- the comparison */

/* Returns the largest difference from y, in the measure of mescd (mixed error). */
static double difference(const cmb_result *r, const double *y)
{
  double worst = cmb_mixed_error(4, r->q, y, 1, 0);
  worst = cmb_mixed_error(4, r->v, y + VELOCITY, 1, worst);
  return cmb_mixed_error(2, r->lambda, y + LAMBDA, 1, worst);
}

/* Returns the error at t = 3. */
static double error_of(const double *q, const double *v, const double *lambda)
{
  return pow(10, -cmb_caraxis_mescd(q, v, lambda, 1));
}

static void check_method(const char *method, double y[TIMES][UNKNOWNS])
{
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_system *system;
  cmb_run_options options = cmb_run_defaults();
  cmbt_ok(ctx, cmb_problem_create(ctx, cmb_problem_find("caraxis"), 0, NULL, &system));
  options.method = cmb_method_find(method);
  options.integrator.rtol = options.integrator.atol = TOLERANCE;
  for (int k = 0; k < TIMES; k++) {
    cmb_simulation *sim;
    options.t_end = 0.5 * (k + 1);
    cmbt_ok(ctx, cmb_simulation_create(ctx, system, &options, &sim));
    cmbt_ok(ctx, cmb_simulation_run(sim));
    const cmb_result *r = cmb_simulation_result(sim);
    cmbt_below(difference(r, y[k]), IDA_ERROR);
    if (k == TIMES - 1) cmbt_below(error_of(r->q, r->v, r->lambda), ERROR);
    cmb_simulation_destroy(sim);
  }
  cmb_system_destroy(system);
  cmb_context_destroy(ctx);
}

static void test_caraxis(void **state)
{
  struct ida_solver j;
  double y[TIMES][UNKNOWNS];
  (void)state;
  open_ida(&j);
  for (int k = 0; k < TIMES; k++) memcpy(y[k], ida_at(&j, 0.5 * (k + 1)), sizeof y[k]);
  close_ida(&j);
  const double *end = y[TIMES - 1];
  cmbt_below(error_of(end, end + VELOCITY, end + LAMBDA), IDA_ERROR);
  for (int k = 0; k < TIMES; k++) { /* the exact μ is 0 */
    cmbt_near(y[k][MU], 0, IDA_ERROR);
    cmbt_near(y[k][MU + 1], 0, IDA_ERROR);
  }
  check_method("mdop5", y);
  check_method("mdop853", y);
  check_method("phem56", y);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_caraxis)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
