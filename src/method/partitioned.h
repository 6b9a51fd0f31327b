/*
 * What the methods with coordinate partitioning (form/partition.h) share: Haug, Negrut and Engstler 1999.
 *
 * All of y = (q, v) is integrated. With Π(y) the state whose dependent positions and velocities are those of the constraints,
 * and F its slope (T(q) v, a), the methods solve y' = F(Π(y)): independent coordinates and velocities are the state-space form
 * of the paper, and the dependent ones are predictions for Newton's method. Where T ≠ I every coordinate of q is integrated by
 * the formula and then corrected along the dependent directions; as Π is smooth and leaves points on the constraints alone,
 * orders are the same.
 */
#ifndef CMB_METHOD_PARTITIONED_H
#define CMB_METHOD_PARTITIONED_H

#include "form/partition.h"
#include "method/method.h"
#include "method/newton.h"

/* The data of such a method begin with this. */
typedef struct cmb_partitioned {
  cmb_partition *partition;
  bool ready; /* the partition has been checked where the step begins */
} cmb_partitioned;

/* Give back the partition. A method without more to give back takes it as its destroy. */
void cmb_partitioned_destroy(cmb_integrator *in);

/* A motion begins: in its modes the constraints may have another rank. */
void cmb_partitioned_begin(cmb_integrator *in);

/* Check the partition at (t, y), once for all attempts from there. */
cmb_status cmb_partitioned_prepare(cmb_integrator *in);

/* y := Π(y) */
cmb_status cmb_partitioned_recover(cmb_integrator *in, double t, double *y);

/* The same, slope (n) and λ (ng) there. */
cmb_status cmb_partitioned_slope(cmb_integrator *in, double t, double *y, double *slope,
                                 double *lambda);

/* y_new := Π(y_new) with a partition for where the step of size h ends: after a step that began where the constraints had lost rank,
 * and so went without some of them, if they are back there. */
cmb_status cmb_partitioned_regain(cmb_integrator *in, double h, bool *regained);

/* (59) for an error x (n) of y_new: the largest |x_i| / (rtol max(|y_i|, |y_new_i|) + atol), NaN if there is one. A mean as (60)
 * lets a single stiff component exceed its tolerance √k times. */
double cmb_largest_error(const cmb_integrator *in, const double *x);

/* The size of an increment x (n), or of an error: the larger of the norms of positions and of velocities; with turning velocities the
 * largest of all. */
double cmb_size_of_change(const cmb_integrator *in, const double *x);

/* A diagonally implicit Runge–Kutta method whose last stage is the result. */
enum { CMB_DIRK_MOST_STAGES = 5 };

typedef struct cmb_dirk_table {
  int stages;
  bool explicit_first; /* the first stage is where the step begins */
  double gamma;        /* a_ii of the others */
  const double *c;     /* (stages) */
  const double *a;     /* (stages x stages) */
  const double *error; /* (stages) weights of the difference to the embedded method */
  const double *
      start; /* (stages x stages) row i: combination of earlier slopes to begin the iteration with, i > 0 */
  void (*dense)(double theta, double *weight); /* (stages) of the continuous solution */
} cmb_dirk_table;

extern const cmb_dirk_table cmb_sdirk4_table;

/* The difference between y_new, whose dependent components are those of the constraints, and all of it as integrated over the step
 * of size h from y with the slopes k, as an error (59); gap (n) is scratch. The formula's own error says nothing about how fast the
 * dependent components change: driven by time alone they have none, and between its ends a step would leave the constraints so far
 * that nothing leads back, or lead to another of their branches. */
double cmb_dirk_recovery_error(const cmb_integrator *in, const cmb_dirk_table *table,
                               double *const *k, double h, double *gap);

/* The continuous solution over the last step with the slopes k, and gap (n), which is what it misses at the right end: there the
 * dependent components are those of the constraints. */
void cmb_dirk_densify(const cmb_integrator *in, const cmb_dirk_table *table, double *const *k,
                      double *gap);
void cmb_dirk_interpolate(const cmb_integrator *in, const cmb_dirk_table *table, double *const *k,
                          const double *gap, double theta, double *y);

/* Newton's method for the stages of an implicit method: κ = min(0.03, √rtol), if rounding permits. */
void cmb_dirk_newton(cmb_newton *newton, double rtol);

/* Haug, Negrut and Engstler 1999, eq. (61), with a factor of at most 1 after a rejection, as they advise; facmax, "usually between
 * 1.5 and 5", is 4. k = q + 1, the order of the embedded formula and 1. */
#define CMB_DIRK_CONTROLLER(k)                                                                     \
  {                                                                                                \
    .kind = CMB_CONTROLLER_PI, CMB_CONTROLLER_PI_ORDER(k, 0), .safety = 0.9, .shrink = 0.25,       \
    .grow = 4, .failed = 0.25                                                                      \
  }

#endif
