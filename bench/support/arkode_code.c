/*
 * SUNDIALS ARKODE in the race: explicit Runge–Kutta (ERKStep) on the index-1 form, y = (q, v),
 *
 *     q̇ = v,   v̇ = a(t, q, v) from [M Gᵀ; G 0] (a, λ) = (f, −γ),
 *
 * not projected. Options as they are by default, with a stop time so that the last step ends at t_end; λ
 * comes from one more solution there, outside the time.
 */
#include "support/codes.h"

#include <arkode/arkode_erkstep.h>
#include <nvector/nvector_serial.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_STEPS = 1000000 };

struct arkode_run {
  bench_caraxis *problem;
  bool by_hand;
  SUNContext context;
  N_Vector y;
  void *memory;
};

static int right_hand_side(realtype t, N_Vector y, N_Vector slope, void *user)
{
  bench_caraxis *p = user;
  const double *q = N_VGetArrayPointer(y), *v = q + 4;
  double *dy = N_VGetArrayPointer(slope), lambda[2];
  memcpy(dy, v, sizeof p->v);
  return cmb_accelerate(p->ev, t, q, v, dy + 4, lambda); /* > 0: try a smaller step, as in Camber */
}

static int right_hand_side_by_hand(realtype t, N_Vector y, N_Vector slope, void *user)
{
  const double *q = N_VGetArrayPointer(y), *v = q + 4;
  double *dy = N_VGetArrayPointer(slope), lambda[2];
  (void)user;
  memcpy(dy, v, 4 * sizeof *dy);
  bench_caraxis_by_hand(t, q, v, dy + 4, lambda);
  return 0;
}

static int set_up(struct arkode_run *r, const bench_code *code, double tolerance)
{
  bench_caraxis *p = r->problem;
  ARKRhsFn f = r->by_hand ? right_hand_side_by_hand : right_hand_side;
  if (SUNContext_Create(NULL, &r->context) != 0) return -1;
  r->y = N_VNew_Serial(8, r->context);
  if (!r->y) return -1;
  memcpy(N_VGetArrayPointer(r->y), p->q, sizeof p->q);
  memcpy(N_VGetArrayPointer(r->y) + 4, p->v, sizeof p->v);
  r->memory = ERKStepCreate(f, p->t_start, r->y, r->context);
  if (!r->memory) return -1;
  int flag = ERKStepSStolerances(r->memory, tolerance, tolerance);
  if (flag == 0) flag = ERKStepSetTableNum(r->memory, (ARKODE_ERKTableID)code->table);
  if (flag == 0) flag = ERKStepSetUserData(r->memory, p);
  if (flag == 0) flag = ERKStepSetMaxNumSteps(r->memory, MOST_STEPS);
  if (flag == 0) flag = ERKStepSetStopTime(r->memory, p->t_end);
  return flag;
}

void *bench_arkode_create(const bench_code *code, bench_caraxis *problem, double tolerance)
{
  struct arkode_run *r = calloc(1, sizeof *r);
  if (!r) return NULL;
  r->problem = problem;
  r->by_hand = code->by_hand;
  if (set_up(r, code, tolerance) == 0) return r;
  bench_arkode_destroy(r);
  return NULL;
}

int bench_arkode_run(void *run)
{
  struct arkode_run *r = run;
  double t;
  return ERKStepEvolve(r->memory, r->problem->t_end, r->y, &t, ARK_NORMAL) < 0;
}

void bench_arkode_collect(void *run, bench_outcome *o)
{
  struct arkode_run *r = run;
  bench_caraxis *p = r->problem;
  const double *y = N_VGetArrayPointer(r->y);
  double a[4];
  memcpy(o->q, y, sizeof o->q);
  memcpy(o->v, y + 4, sizeof o->v);
  if (cmb_accelerate(p->ev, p->t_end, o->q, o->v, a, o->lambda) != CMB_OK) o->failed = true;
  ERKStepGetNumSteps(r->memory, &o->steps);
  ERKStepGetNumErrTestFails(r->memory, &o->rejected);
  ERKStepGetNumRhsEvals(r->memory, &o->f);
}

void bench_arkode_destroy(void *run)
{
  struct arkode_run *r = run;
  if (r->memory) ERKStepFree(&r->memory);
  if (r->y) N_VDestroy(r->y);
  if (r->context) SUNContext_Free(&r->context);
  free(r);
}
