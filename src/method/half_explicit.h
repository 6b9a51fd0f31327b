/*
 * Half-explicit Runge–Kutta stages, as hem5 and phem56 need them.
 *
 * A stage's multipliers are chosen so that a velocity further on satisfies the velocity constraint there. No
 * second derivatives (γ) are needed, but the matrix is not symmetric. Near a loss of rank (dae/branch.h) that would carry a
 * stage's errors, divided by the small singular values of both ends, to the next: there the stages are those of an explicit
 * method on the index-1 form, with the same coefficients, and the velocities are projected.
 */
#ifndef CMB_METHOD_HALF_EXPLICIT_H
#define CMB_METHOD_HALF_EXPLICIT_H

#include "method/projection.h"

#define CMB_OPTION_HALF_EXPLICIT_PROJECTION                                                        \
  {                                                                                                \
    "projection", "none|control|every", "control",                                                 \
        "positions back onto the constraints: never, as often as needed, each step; velocities "   \
        "satisfy "                                                                                 \
        "theirs anyway"                                                                            \
  }

typedef struct cmb_half_explicit_stage {
  double t;        /* time and state of the stage: M, f, Bᵀ are taken here */
  const double *y; /* (n) */
  double t_next;   /* time and position at which the velocity constraint is imposed */
  const double *q_next;
  double *v_next; /* (nv) in: the velocity without this stage; out: with it */
  double weight;  /* v_next gains weight * a */
  double *B;      /* (ng x nv) G at the stage */
  bool B_known;   /* false: evaluate B with M and f */
  bool index1;    /* near a loss of rank: none of t_next, q_next and B are needed */
} cmb_half_explicit_stage;

/* Solve for the stage's acceleration a and multipliers; v_next is completed. G, g_t and the factors at
 * q_next stay in the evaluator, unless index1. CMB_RETRY_SINGULAR: it is to be done with index1. */
cmb_status cmb_half_explicit_solve(cmb_integrator *in, const cmb_half_explicit_stage *stage,
                                   double *a, double *lambda);

/* The choice of the option above. */
cmb_projection cmb_half_explicit_projection(const cmb_integrator *in);

/* After the last stage: y_new projected if it is due, else left as it is; the velocities in any case if index1. G and g_t at the
 * new position stay in the evaluator. */
cmb_status cmb_half_explicit_project(cmb_integrator *in, cmb_projection_control *control, double t,
                                     bool index1);

/* The stages of an attempt by `stages`, with index1 at once if the step begins near a loss of rank, or else if it comes near one;
 * *index1 tells. */
cmb_status cmb_half_explicit_attempt(cmb_integrator *in, double h,
                                     cmb_status (*stages)(cmb_integrator *in, double h,
                                                          bool index1),
                                     bool *index1);

#endif
