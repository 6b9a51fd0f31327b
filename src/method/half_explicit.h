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

#include "method/hermite.h"
#include "method/projection.h"

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

/* The data of such a method begin with this. */
typedef struct cmb_half_explicit {
  double *B;       /* (ng x nv) G at the stage */
  double *y_plain; /* (n) y_new before projection */
  double *work;    /* (n) */
  cmb_projection_control projection;
  cmb_hermite dense;
} cmb_half_explicit;

/* What is above, from the integrator's arena. */
void cmb_half_explicit_create(cmb_integrator *in, cmb_half_explicit *m);

void cmb_half_explicit_interpolate(const cmb_integrator *in, double theta, double *y);

extern const cmb_option cmb_half_explicit_options[];
enum { CMB_HALF_EXPLICIT_OPTIONS = 2 };

/* What the two methods have in common, as fields of a cmb_method: both are of order 5. */
#define CMB_HALF_EXPLICIT_METHOD                                                                   \
  .passes_singular = true, .order = 5, .options = cmb_half_explicit_options,                       \
  .option_count = CMB_HALF_EXPLICIT_OPTIONS, .stability = 3.25, .dense_degree = 4,                 \
  .interpolate = cmb_half_explicit_interpolate

/* Limits of step sizes as in DOPRI5; beta is the weight of the error before. */
#define CMB_HALF_EXPLICIT_CONTROLLER(weight)                                                       \
  {                                                                                                \
    .kind = CMB_CONTROLLER_PI, CMB_CONTROLLER_PI_ORDER(5, weight), .safety = 0.9, .shrink = 0.2,   \
    .grow = 10, .failed = 0.25                                                                     \
  }

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
