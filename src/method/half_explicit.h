/*
 * Half-explicit Runge–Kutta stages and what else the methods hem5 and phem56 share.
 *
 * The multipliers of a stage are chosen so that a velocity at a later node satisfies the velocity constraint there. No second derivatives
 * (γ) are needed, but the matrix is not symmetric. Near a loss of rank (dae/branch.h) such a matrix would carry the errors of a stage,
 * divided by the small singular values of both nodes, to the next stage: there the stages are those of an explicit method on the index-1
 * form, with the same coefficients, and the velocities are projected.
 */
#ifndef CMB_METHOD_HALF_EXPLICIT_H
#define CMB_METHOD_HALF_EXPLICIT_H

#include "method/hermite.h"
#include "method/projection.h"

typedef struct cmb_half_explicit_stage {
  double t;        /* time and state of the stage, at which M, f and B = G are evaluated */
  const double *y; /* (n) state (q, v) of the stage */
  double t_next;   /* time and position at which the velocity constraint is imposed */
  const double *q_next;
  double *v_next; /* (nv) in: the velocity without the term of this stage; out: with it */
  double weight;  /* weight * a is added to v_next */
  double *B;      /* (ng x nv) constraint Jacobian at the stage */
  bool B_known;   /* B is given; false: it is evaluated together with M and f */
  /* the stage is solved by the index-1 equations, near a loss of rank: t_next, q_next and B are not used */
  bool index1;
} cmb_half_explicit_stage;

/* Computes the accelerations a (nv) and the multipliers lambda (ng) of a half-explicit stage and adds weight a to stage->v_next. G, g_t
 * and the factors at q_next stay in the evaluator, unless index1 is set. Returns CMB_RETRY_SINGULAR if the constraints are near a loss of
 * rank, so that the stage has to be repeated with index1. */
cmb_status cmb_half_explicit_solve(cmb_integrator *in, const cmb_half_explicit_stage *stage,
                                   double *a, double *lambda);

/* The data of a half-explicit method; its own structure begins with this one. */
typedef struct cmb_half_explicit {
  double *B;       /* (ng x nv) G at the stage */
  double *y_plain; /* (n) y_new before its projection */
  double *work;    /* (n) scratch */
  cmb_projection_control projection;
  cmb_hermite dense;
} cmb_half_explicit;

/* Creates the shared data of a half-explicit method: allocates the arrays from the integrator's arena and reads the option
 * `projection`. */
void cmb_half_explicit_create(cmb_integrator *in, cmb_half_explicit *m);

/* Computes the dense output y (n) at the fraction theta (0 to 1) of the last step by quartic Hermite interpolation. */
void cmb_half_explicit_interpolate(const cmb_integrator *in, double theta, double *y);

extern const cmb_option cmb_half_explicit_options[];
enum { CMB_HALF_EXPLICIT_OPTIONS = 2 };

/* The fields of a cmb_method that both methods have in common; both are of order 5. */
#define CMB_HALF_EXPLICIT_METHOD                                                                   \
  .passes_singular = true, .order = 5, .options = cmb_half_explicit_options,                       \
  .option_count = CMB_HALF_EXPLICIT_OPTIONS, .stability = 3.25, .dense_degree = 4,                 \
  .interpolate = cmb_half_explicit_interpolate

/* The step-size controller with the limits of DOPRI5; `weight` is β, the exponent of the previous error. */
#define CMB_HALF_EXPLICIT_CONTROLLER(weight)                                                       \
  {                                                                                                \
    .kind = CMB_CONTROLLER_PI, CMB_CONTROLLER_PI_ORDER(5, weight), .safety = 0.9, .shrink = 0.2,   \
    .grow = 10, .failed = 0.25                                                                     \
  }

/* Projects y_new at time t onto the constraints after the last stage: the positions if projection control decides so, and with them, or
 * with index1, the velocities. Otherwise only Euler parameters are normalised. G and g_t at the new position stay in the evaluator. */
cmb_status cmb_half_explicit_project(cmb_integrator *in, cmb_projection_control *control, double t,
                                     bool index1);

/* Runs the function `stages` for an attempted step of size h. The stages use the index-1 equations (*index1 is set) if the step begins
 * near a loss of rank of the constraints; they are repeated with these equations if a stage comes near one. */
cmb_status cmb_half_explicit_attempt(cmb_integrator *in, double h,
                                     cmb_status (*stages)(cmb_integrator *in, double h,
                                                          bool index1),
                                     bool *index1);

#endif
