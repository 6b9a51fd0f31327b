/*
 * Nothing is passed over: a step of an error-controlled method sees the functions of time in the equations (inputs, drives, tables of t)
 * at its stages only. A bump between two of them, or behind a long time of rest, would have no effect at all, and no error
 * estimate would tell.
 *
 * After each step, the values at the stages span [low, high]. If a function leaves
 *
 *     [low − slack, high + slack],   slack = (high − low)/2 + rtol times its largest value in the run
 *
 * somewhere in the step, the step is undone and made half as long. Bounds over parts of the step prove that it does not, or lead to a
 * time where it does; a function that is smooth for the method's step never does. Methods that look at the ends of steps only count
 * the step before as well.
 */
#ifndef CMB_SIM_VARIATION_H
#define CMB_SIM_VARIATION_H

#include "dae/evaluator.h"

#include <camber/sim.h>

typedef struct cmb_variation {
  cmb_integrator *in;
  cmb_evaluator *ev;
  double *value;               /* (nt) */
  double *value_end;           /* (nt) at t_end, where the last step looked at ends */
  double t_end;                /* NaN: not known */
  double *scale;               /* (nt) largest values in the run */
  cmb_interval *seen, *bounds; /* (nt) what the stages span, with the slack; bounds on a part */
  double t_earlier;            /* where the step before the last one began */
} cmb_variation;

/* Memory from `arena`; a failure is left to it. */
void cmb_variation_create(cmb_variation *w, cmb_arena *arena, cmb_integrator *in);

/* A run from t0 to t1 begins; or it begins again behind an event at t0. */
void cmb_variation_begin(cmb_variation *w, double t0, double t1);
void cmb_variation_restart(cmb_variation *w, double t0);

/* Whether a function of time has varied in the last step where no stage has seen it. If not, the step stays. */
bool cmb_variation_unseen(cmb_variation *w);

#endif
