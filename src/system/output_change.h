/*
 * Computes directional derivatives of the outputs: the product of the outputs' derivatives with a change of positions, velocities,
 * accelerations, multipliers and parameters, as one program, for equations whose expressions are kept. The branches are those of the
 * evaluator's modes. Used for state spaces and steady motions.
 */
#ifndef CMB_SYSTEM_OUTPUT_CHANGE_H
#define CMB_SYSTEM_OUTPUT_CHANGE_H

#include "dae/evaluator.h"
#include "expr/graph.h"

typedef struct cmb_output_change {
  cmb_evaluator *ev;
  cmb_graph *graph;
  cmb_jacobian *jacobian;
  double *in;   /* inputs of the program: the point, then the change */
  double *work; /* work array of the program */
  double *p;    /* (np) scratch */
} cmb_output_change;

/* A point or a change: positions (nq), velocities and accelerations (nv), multipliers (ng); and the parameter that changes by 1,
 * −1: none. */
typedef struct cmb_output_point {
  const double *q, *v, *a, *lambda;
  int parameter;
} cmb_output_point;

/* Creates the program for the equations of the evaluator, which must outlive it. Memory comes from `arena`, except for what
 * cmb_output_change_end frees, which is to be called also after a failure. */
cmb_status cmb_output_change_begin(cmb_output_change *x, cmb_arena *arena, cmb_evaluator *ev);
void cmb_output_change_end(cmb_output_change *x);

/* Computes the change (no) of the outputs at the point `at` for the change `by`, with the evaluator's modes and parameters. */
void cmb_output_change_at(cmb_output_change *x, double t, const cmb_output_point *at,
                          const cmb_output_point *by, double *change);

#endif
