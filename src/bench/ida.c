/*
 * Runs SUNDIALS IDA on the equations of motion (ida.h), with the unknowns q, v, λ, μ:
 *
 *     0 = q̇ − v + Gᵀ μ,   0 = M v̇ − f + Gᵀ λ,   0 = g,   0 = G v + g_t
 *
 * The Jacobian is dense, by IDA's own differences (its default; each needs as many residuals as there are unknowns). λ and μ are marked as
 * algebraic and left out of the error test, as the IDA manual advises for such systems.
 */
#include "bench/ida.h"

#ifdef CMB_WITH_IDA

#include "math/pattern.h"

#include <ida/ida.h>
#include <nvector/nvector_serial.h>
#include <stdlib.h>
#include <string.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

enum { MOST_STEPS = 1000000 };

struct cli_ida {
  cmb_evaluator *ev;
  double t_end;
  SUNContext context;
  N_Vector y, y_dot, differential;
  SUNMatrix J;
  SUNLinearSolver solver;
  void *memory;
};

static int residual(realtype t, N_Vector yy, N_Vector yy_dot, N_Vector rr, void *user)
{
  cmb_evaluator *ev = user;
  const cmb_equations *eq = ev->eq;
  const int n = eq->nv, ng = eq->ng;
  const double *y_dot = N_VGetArrayPointer(yy_dot), *q = N_VGetArrayPointer(yy), *v = q + n;
  const double *lambda = v + n, *mu = lambda + ng;
  double *r = N_VGetArrayPointer(rr), *r_v = r + n, *g = r_v + n, *motion = g + ng;
  cmb_terms want = {.M = ev->M, .f = ev->f, .g = g, .G = ev->G, .gt = ev->gt};
  cmb_status status = cmb_evaluate(ev, t, q, v, &want);
  if (status != CMB_OK) return status;
  cmb_multiply_mass(ev, y_dot + n, r_v);
  for (int i = 0; i < n; i++) {
    r[i] = y_dot[i] - v[i];
    r_v[i] -= ev->f[i];
  }
  cmb_multiply_transposed_add(eq->G_pattern, ng, n, ev->G, 1.0, mu, r);
  cmb_multiply_transposed_add(eq->G_pattern, ng, n, ev->G, 1.0, lambda, r_v);
  cmb_multiply(eq->G_pattern, ng, n, ev->G, v, motion);
  for (int i = 0; i < ng; i++) motion[i] += ev->gt[i];
  return 0;
}

static int take_memory(struct cli_ida *ida, int unknowns)
{
  if (SUNContext_Create(NULL, &ida->context) != 0) return -1;
  ida->y = N_VNew_Serial(unknowns, ida->context);
  ida->y_dot = N_VNew_Serial(unknowns, ida->context);
  ida->differential = N_VNew_Serial(unknowns, ida->context);
  ida->J = SUNDenseMatrix(unknowns, unknowns, ida->context);
  ida->memory = IDACreate(ida->context);
  if (!ida->y || !ida->y_dot || !ida->differential || !ida->J || !ida->memory) return -1;
  ida->solver = SUNLinSol_Dense(ida->y, ida->J, ida->context);
  return ida->solver ? 0 : -1;
}

static void fill_start(struct cli_ida *ida, const double *q, const double *v, const double *a,
                       const double *lambda)
{
  const int n = ida->ev->eq->nv, ng = ida->ev->eq->ng;
  const size_t size = (size_t)n * sizeof(double);
  double *y = N_VGetArrayPointer(ida->y), *y_dot = N_VGetArrayPointer(ida->y_dot);
  N_VConst(0, ida->y);
  N_VConst(0, ida->y_dot);
  N_VConst(0, ida->differential);
  memcpy(y, q, size);
  memcpy(y + n, v, size);
  memcpy(y + 2 * n, lambda, (size_t)ng * sizeof(double));
  memcpy(y_dot, v, size);
  memcpy(y_dot + n, a, size);
  for (int i = 0; i < 2 * n; i++) N_VGetArrayPointer(ida->differential)[i] = 1;
}

static int set_up(struct cli_ida *ida, double t, double tolerance)
{
  int flag = IDAInit(ida->memory, residual, t, ida->y, ida->y_dot);
  if (flag == 0) flag = IDASStolerances(ida->memory, tolerance, tolerance);
  if (flag == 0) flag = IDASetUserData(ida->memory, ida->ev);
  if (flag == 0) flag = IDASetLinearSolver(ida->memory, ida->solver, ida->J);
  if (flag == 0) flag = IDASetId(ida->memory, ida->differential);
  if (flag == 0) flag = IDASetSuppressAlg(ida->memory, SUNTRUE);
  if (flag == 0) flag = IDASetMaxNumSteps(ida->memory, MOST_STEPS);
  if (flag == 0) flag = IDASetStopTime(ida->memory, ida->t_end);
  return flag;
}

struct cli_ida *cli_ida_create(cmb_evaluator *ev, const double *q, const double *v, const double *a,
                               const double *lambda, double t, double t_end, double tolerance)
{
  struct cli_ida *ida = calloc(1, sizeof *ida);
  if (!ida) return NULL;
  ida->ev = ev;
  ida->t_end = t_end;
  int flag = take_memory(ida, 2 * ev->eq->nv + 2 * ev->eq->ng);
  if (flag == 0) {
    fill_start(ida, q, v, a, lambda);
    flag = set_up(ida, t, tolerance);
  }
  if (flag == 0) return ida;
  cli_ida_destroy(ida);
  return NULL;
}

int cli_ida_run(struct cli_ida *ida)
{
  double t;
  return IDASolve(ida->memory, ida->t_end, &t, ida->y, ida->y_dot, IDA_NORMAL) < 0;
}

void cli_ida_collect(const struct cli_ida *ida, struct cli_outcome *o)
{
  const int n = ida->ev->eq->nv, ng = ida->ev->eq->ng;
  const double *y = N_VGetArrayPointer(ida->y);
  cmb_statistics *s = &o->statistics;
  long for_jacobian = 0;
  memcpy(o->q, y, (size_t)n * sizeof *y);
  memcpy(o->v, y + n, (size_t)n * sizeof *y);
  memcpy(o->lambda, y + 2 * n, (size_t)ng * sizeof *y);
  *s = (cmb_statistics){0};
  IDAGetNumSteps(ida->memory, &s->accepted);
  IDAGetNumErrTestFails(ida->memory, &s->rejected);
  IDAGetNumResEvals(ida->memory, &s->f);
  IDAGetNumLinResEvals(ida->memory, &for_jacobian);
  IDAGetNumJacEvals(ida->memory, &s->jacobian);
  s->f += for_jacobian;
}

void cli_ida_destroy(struct cli_ida *ida)
{
  if (!ida) return;
  if (ida->memory) IDAFree(&ida->memory);
  if (ida->solver) SUNLinSolFree(ida->solver);
  if (ida->J) SUNMatDestroy(ida->J);
  if (ida->y) N_VDestroy(ida->y);
  if (ida->y_dot) N_VDestroy(ida->y_dot);
  if (ida->differential) N_VDestroy(ida->differential);
  if (ida->context) SUNContext_Free(&ida->context);
  free(ida);
}

#endif
