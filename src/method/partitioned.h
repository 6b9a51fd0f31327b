/*
 * Functions that the methods with coordinate partitioning (form/partition.h) share: abm, forsdirk, sdirk4 and trap (Haug, Negrut and
 * Engstler 1999).
 *
 * All of y = (q, v) is integrated. Π(y) is the state whose dependent positions and velocities have been computed from the constraints, and
 * F its slope (T(q) v, a); the methods solve y' = F(Π(y)). The independent coordinates and velocities then follow the state-space form of
 * the paper, and the dependent ones are predictions for Newton's method. Where T ≠ I every coordinate of q is integrated by the formula
 * and then corrected along the dependent directions. Since Π is smooth and does not move points on the constraints, orders of convergence
 * are the same.
 */
#ifndef CMB_METHOD_PARTITIONED_H
#define CMB_METHOD_PARTITIONED_H

#include "form/partition.h"
#include "method/method.h"
#include "method/newton.h"

/* The data that these methods share; a method's own structure begins with it. */
typedef struct cmb_partitioned {
  cmb_partition *partition;
  bool ready; /* the partition has been checked at the state where the step begins */
} cmb_partitioned;

/* Destroys the partition. The function `destroy` of methods that have nothing else to release. */
void cmb_partitioned_destroy(cmb_integrator *in);

/* Discards the coordinate partition at the beginning of a motion, since the constraints may have another rank in the current modes
 * (signs of the switching functions). */
void cmb_partitioned_begin(cmb_integrator *in);

/* Checks the partition into dependent and independent coordinates at the current (t, y), once for all attempts from there, and computes
 * a new one if needed. */
cmb_status cmb_partitioned_prepare(cmb_integrator *in);

/* Computes y := Π(y) (n) at time t: corrects the dependent positions and velocities so that the constraints hold. */
cmb_status cmb_partitioned_recover(cmb_integrator *in, double t, double *y);

/* Corrects the dependent positions and velocities of y (n) at time t, y := Π(y), and computes the slope (n) and the multipliers λ (ng)
 * there. */
cmb_status cmb_partitioned_slope(cmb_integrator *in, double t, double *y, double *slope,
                                 double *lambda);

/* Computes a new coordinate partition at the end of a step of size h that began where the constraints had lost rank and so was made
 * without some of them. If these constraints are independent again, corrects y_new so that they hold and sets *regained. */
cmb_status cmb_partitioned_regain(cmb_integrator *in, double h, bool *regained);

/* Returns the norm of an error x (n) of y_new in units of the tolerance (eq. 59): the largest |x_i| / (rtol max(|y_i|, |y_new_i|) +
 * atol), or NaN if one component is NaN. A mean over k components as in (60) would let a single stiff one exceed its tolerance √k
 * times. */
double cmb_largest_error(const cmb_integrator *in, const double *x);

/* Returns the norm of an increment or error x (n) in units of the tolerance: the larger of the root mean squares of positions and of
 * velocities or, if velocities are rates of Euler parameters, the largest component. */
double cmb_size_of_change(const cmb_integrator *in, const double *x);

/* The limit of stages of a diagonally implicit Runge–Kutta method, whose last stage is the result. */
enum { CMB_DIRK_MOST_STAGES = 5 };

typedef struct cmb_dirk_table {
  int stages;
  bool explicit_first; /* the first stage is the state where the step begins */
  double gamma;        /* a_ii of the other stages */
  const double *c;     /* (stages) nodes */
  const double *a;     /* (stages x stages) coefficients, row by row */
  const double *error; /* (stages) weights of the difference to the embedded method */
  /* (stages x stages) row i: weights of earlier slopes for the starting value of stage i, i > 0 */
  const double *start;
  /* computes the weights (stages) of the slopes for dense output at theta */
  void (*dense)(double theta, double *weight);
} cmb_dirk_table;

extern const cmb_dirk_table cmb_sdirk4_table;

/* Returns the displacement of the step's result by the constraints, in units of the tolerance (eq. 59): y_new, whose dependent
 * components satisfy the constraints, minus the result of integrating all components with the slopes k over the step of size h. gap (n)
 * is scratch. The error estimate does not cover dependent components: a step could otherwise move so far off the constraints that the
 * correction fails or leads to another branch. */
double cmb_dirk_recovery_error(const cmb_integrator *in, const cmb_dirk_table *table,
                               double *const *k, double h, double *gap);

/* Prepares dense output over the last step with the slopes k: computes gap (n), the difference between the end of the step, where
 * dependent components satisfy the constraints, and the result of integrating with the slopes alone. */
void cmb_dirk_densify(const cmb_integrator *in, const cmb_dirk_table *table, double *const *k,
                      double *gap);

/* Computes the dense output y (n) at the fraction theta (0 to 1) of the last step from the slopes k and gap (n) of cmb_dirk_densify. */
void cmb_dirk_interpolate(const cmb_integrator *in, const cmb_dirk_table *table, double *const *k,
                          const double *gap, double theta, double *y);

/* Initialises the convergence test of Newton's method for the stages of the diagonally implicit methods: κ = min(0.03, √rtol), if
 * rounding permits. */
void cmb_dirk_newton(cmb_newton *newton, double rtol);

/* The step-size controller of Haug, Negrut and Engstler 1999, eq. (61), with a factor of at most 1 after a rejection, as they advise;
 * facmax, "usually between 1.5 and 5", is 4. Here k = q + 1, with the order q of the embedded formula. */
#define CMB_DIRK_CONTROLLER(k)                                                                     \
  {                                                                                                \
    .kind = CMB_CONTROLLER_PI, CMB_CONTROLLER_PI_ORDER(k, 0), .safety = 0.9, .shrink = 0.25,       \
    .grow = 4, .failed = 0.25                                                                      \
  }

#endif
