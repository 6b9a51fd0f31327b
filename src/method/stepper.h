/*
 * A real-time step of fixed cost as programs (step.h): made once for given equations and options, then run any number of times without
 * allocation and with the same operations each time. Used by lie.c and the C export.
 */
#ifndef CMB_METHOD_STEPPER_H
#define CMB_METHOD_STEPPER_H

#include "dae/derivative.h"
#include "method/step.h"

#include <camber/method.h>

/* A program that computes the point of an evaluation of equations written in C, and what is evaluated there; a model needs none. */
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
  /* computes the modes of dry friction at a state with unknown history; NULL: there is none that can stick */
  cmb_program *first_grip;
  cmb_native *native; /* machine code of the program; NULL: it is interpreted */
  cmb_differences *differences;
  /* layout of the inputs of the last program, followed by the values of evaluations */
  cmb_layout layout;
  int inputs;
  double *in, *out, *work, *point;
  double *zero;        /* (nv + ng) zeros */
  double *unit, *rate; /* (nv), (nq) a unit velocity and its rates of coordinates */
} cmb_stepper;

/* The indices of the outputs of a step's program: q (from 0 on), v, λ, a, health, modes of friction that can stick and whether they
 * have settled; then, if the bound on the drift is wanted, q_plain, g, g_plain, G and G_plain, stored as the equations store G, Pg and
 * g_end (cmb_step). */
typedef struct cmb_stepper_outputs {
  int v, lambda, a, health, grip, settled, q_plain, g, g_plain, G, G_plain, Pg, g_end, count;
} cmb_stepper_outputs;

/* Returns the indices of the outputs of a step's program for these equations and options. */
cmb_stepper_outputs cmb_stepper_places(const cmb_equations *eq, const cmb_step_options *o);

/* Creates a stepper (the programs of a real-time step) for the equations of the evaluator ev, which it keeps to compute derivatives of
 * equations written in C. Returns an error if the equations or options do not permit steps of fixed cost. */
cmb_status cmb_stepper_create(cmb_evaluator *ev, const cmb_step_options *options,
                              cmb_stepper **stepper);
void cmb_stepper_destroy(cmb_stepper *stepper);

/* The smallest acceptable health of a step: below it the constraints are too near a loss of rank for an elimination without pivoting,
 * or A is not positive definite. It is also the limit of the explicit formalism (dae/graph_evaluate.c). */
#define CMB_LEAST_HEALTH 1e-10

/* Returns the stepper of an integrator with a real-time method. */
const cmb_stepper *cmb_integrator_stepper(const cmb_integrator *in);

/* Computes a step from (t, q, v) of size h; *results receives the outputs (cmb_stepper_outputs), which are valid until the next run.
 * Returns CMB_RETRY_NONFINITE if an evaluation of equations written in C is not finite. */
cmb_status cmb_stepper_run(cmb_stepper *stepper, cmb_evaluator *ev, double t, double h,
                           const double *q, const double *v, const double **results);

/* Returns the modes (cmb_grip_count) of dry friction that can stick at a state whose history is unknown; valid until the next run. */
const double *cmb_stepper_first_grip(cmb_stepper *stepper, const cmb_evaluator *ev, double t,
                                     double h, const double *q, const double *v);

#endif
