/*
 * A step of fixed cost as programs (step.h): made once for given equations and options, then run as often as one likes without
 * allocating, and with the same operations each time.
 */
#ifndef CMB_METHOD_STEPPER_H
#define CMB_METHOD_STEPPER_H

#include "dae/derivative.h"
#include "method/step.h"

#include <camber/method.h>

/* The programs before the last compute the points where equations written in C are evaluated; a model has none of them. */
typedef struct cmb_stepper_call {
  cmb_step_call what;
  cmb_program *program;
} cmb_stepper_call;

typedef struct cmb_stepper {
  cmb_context *ctx;
  const cmb_equations *eq;
  cmb_arena *arena;
  cmb_step_options options;
  int call_count;
  cmb_stepper_call call[CMB_MOST_STEP_CALLS];
  cmb_program *program;
  cmb_program *first_grip; /* modes of friction that sticks at a state; NULL: none does */
  cmb_native *native;      /* NULL: interpreted */
  cmb_differences *differences;
  cmb_layout layout; /* of the inputs of the last program; behind them the values of calls */
  int inputs;
  double *in, *out, *work, *point;
  double *zero;        /* (nv + ng) */
  double *unit, *rate; /* (nv), (nq) */
} cmb_stepper;

/* What it computes: q, v, λ, a, health, modes of friction that sticks and whether they have settled, then q_plain and P if the bound is
 * wanted. Places of its outputs: */
typedef struct cmb_stepper_outputs {
  int v, lambda, a, health, grip, settled, q_plain, P, count;
} cmb_stepper_outputs;

cmb_stepper_outputs cmb_stepper_places(const cmb_equations *eq, const cmb_step_options *o);

/* ev: for equations written in C; its mode is what the step is made with. */
cmb_status cmb_stepper_create(cmb_evaluator *ev, const cmb_step_options *options,
                              cmb_stepper **stepper);
void cmb_stepper_destroy(cmb_stepper *stepper);

/* Below this health the constraints are too near to losing rank for an elimination without pivoting, or A is not positive:
 * the least that the explicit formalism bears, too (dae/graph_evaluate.c). */
#define CMB_LEAST_HEALTH 1e-10

/* The stepper of an integrator with a real-time method. */
const cmb_stepper *cmb_integrator_stepper(const cmb_integrator *in);

/* From (t, q, v) over h; the results stay until the next run. */
cmb_status cmb_stepper_run(cmb_stepper *stepper, cmb_evaluator *ev, double t, double h,
                           const double *q, const double *v, const double **results);

/* The modes of friction that sticks (cmb_grip_count) at a state of which nothing else is known; likewise. */
const double *cmb_stepper_first_grip(cmb_stepper *stepper, const cmb_evaluator *ev, double t,
                                     double h, const double *q, const double *v);

#endif
