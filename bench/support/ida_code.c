/*
 * SUNDIALS IDA in the race: variable-order BDF on the stabilised index-2 form of Gear, Gupta and Leimkuhler,
 * unknowns q, v, λ, μ:
 *
 *     0 = q̇ − v + Gᵀ μ,   0 = M v̇ − f + Gᵀ λ,   0 = g,   0 = G v + g_t
 *
 * Dense Jacobian by IDA's own differences (its default; twelve more residuals each time). λ and μ are marked
 * as algebraic and left out of the error test, as the IDA manual advises for such systems.
 */
#include "support/codes.h"

#include "math/pattern.h"

#include <ida/ida.h>
#include <nvector/nvector_serial.h>
#include <stdlib.h>
#include <string.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

enum { MOST_STEPS = 1000000, UNKNOWNS = 12, LAMBDA = 8, MU = 10 };

struct ida_run {
  bench_caraxis *problem;
  SUNContext context;
  N_Vector y, y_dot, differential;
  SUNMatrix J;
  SUNLinearSolver solver;
  void *memory;
};

static int residual(realtype t, N_Vector yy, N_Vector yy_dot, N_Vector rr, void *user)
{
  bench_caraxis *p = user;
  cmb_evaluator *ev = p->ev;
  const double *y = N_VGetArrayPointer(yy), *y_dot = N_VGetArrayPointer(yy_dot);
  const double *q = y, *v = y + 4;
  double *r = N_VGetArrayPointer(rr);
  cmb_terms want = {.M = ev->M, .f = ev->f, .g = r + 8, .G = ev->G, .gt = ev->gt};
  cmb_status status = cmb_evaluate(ev, t, q, v, &want);
  if (status != CMB_OK) return status;
  cmb_multiply_mass(ev, y_dot + 4, r + 4);
  for (int i = 0; i < 4; i++) {
    r[i] = y_dot[i] - v[i];
    r[4 + i] -= ev->f[i];
  }
  cmb_multiply_transposed_add(NULL, 2, 4, ev->G, 1.0, y + MU, r);
  cmb_multiply_transposed_add(NULL, 2, 4, ev->G, 1.0, y + LAMBDA, r + 4);
  cmb_multiply(NULL, 2, 4, ev->G, v, r + 10);
  for (int i = 0; i < 2; i++) r[10 + i] += ev->gt[i];
  return 0;
}

static void fill_start(struct ida_run *r)
{
  bench_caraxis *p = r->problem;
  double *y = N_VGetArrayPointer(r->y), *y_dot = N_VGetArrayPointer(r->y_dot);
  double *differential = N_VGetArrayPointer(r->differential);
  memset(y, 0, UNKNOWNS * sizeof *y);
  memset(y_dot, 0, UNKNOWNS * sizeof *y_dot);
  memcpy(y, p->q, sizeof p->q);
  memcpy(y + 4, p->v, sizeof p->v);
  memcpy(y + LAMBDA, p->lambda, sizeof p->lambda);
  memcpy(y_dot, p->v, sizeof p->v);
  memcpy(y_dot + 4, p->a, sizeof p->a);
  for (int i = 0; i < UNKNOWNS; i++) differential[i] = i < LAMBDA;
}

static int take_memory(struct ida_run *r)
{
  if (SUNContext_Create(NULL, &r->context) != 0) return -1;
  r->y = N_VNew_Serial(UNKNOWNS, r->context);
  r->y_dot = N_VNew_Serial(UNKNOWNS, r->context);
  r->differential = N_VNew_Serial(UNKNOWNS, r->context);
  r->J = SUNDenseMatrix(UNKNOWNS, UNKNOWNS, r->context);
  r->memory = IDACreate(r->context);
  if (!r->y || !r->y_dot || !r->differential || !r->J || !r->memory) return -1;
  r->solver = SUNLinSol_Dense(r->y, r->J, r->context);
  return r->solver ? 0 : -1;
}

static int set_up(struct ida_run *r, double tolerance)
{
  int flag = take_memory(r);
  if (flag != 0) return flag;
  fill_start(r);
  flag = IDAInit(r->memory, residual, r->problem->t_start, r->y, r->y_dot);
  if (flag == 0) flag = IDASStolerances(r->memory, tolerance, tolerance);
  if (flag == 0) flag = IDASetUserData(r->memory, r->problem);
  if (flag == 0) flag = IDASetLinearSolver(r->memory, r->solver, r->J);
  if (flag == 0) flag = IDASetId(r->memory, r->differential);
  if (flag == 0) flag = IDASetSuppressAlg(r->memory, SUNTRUE);
  if (flag == 0) flag = IDASetMaxNumSteps(r->memory, MOST_STEPS);
  if (flag == 0) flag = IDASetStopTime(r->memory, r->problem->t_end);
  return flag;
}

void *bench_ida_create(const bench_code *code, bench_caraxis *problem, double tolerance)
{
  struct ida_run *r = calloc(1, sizeof *r);
  (void)code;
  if (!r) return NULL;
  r->problem = problem;
  if (set_up(r, tolerance) == 0) return r;
  bench_ida_destroy(r);
  return NULL;
}

int bench_ida_run(void *run)
{
  struct ida_run *r = run;
  double t;
  return IDASolve(r->memory, r->problem->t_end, &t, r->y, r->y_dot, IDA_NORMAL) < 0;
}

void bench_ida_collect(void *run, bench_outcome *o)
{
  struct ida_run *r = run;
  const double *y = N_VGetArrayPointer(r->y);
  long for_jacobian = 0;
  memcpy(o->q, y, sizeof o->q);
  memcpy(o->v, y + 4, sizeof o->v);
  memcpy(o->lambda, y + LAMBDA, sizeof o->lambda);
  IDAGetNumSteps(r->memory, &o->steps);
  IDAGetNumErrTestFails(r->memory, &o->rejected);
  IDAGetNumResEvals(r->memory, &o->f);
  IDAGetNumLinResEvals(r->memory, &for_jacobian);
  o->f += for_jacobian;
}

void bench_ida_destroy(void *run)
{
  struct ida_run *r = run;
  if (r->memory) IDAFree(&r->memory);
  if (r->solver) SUNLinSolFree(r->solver);
  if (r->J) SUNMatDestroy(r->J);
  if (r->y) N_VDestroy(r->y);
  if (r->y_dot) N_VDestroy(r->y_dot);
  if (r->differential) N_VDestroy(r->differential);
  if (r->context) SUNContext_Free(&r->context);
  free(r);
}
