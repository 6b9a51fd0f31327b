/*
 * The step-size controller that all adaptive methods share: it computes the size of the next step from the error of the last one.
 *
 * With the error err of a step of size h in units of the tolerance, err = O(h^k), the next size h_new is
 *
 *     PI          h 0.9 err^(−1/k + 0.75 β) err_before^β       DOPRI5: Hairer, Nørsett, Wanner, Solving ODEs I, §IV.2; β = 0: without memory
 *     PREDICTIVE  the smaller of h S err^(−1/k) and h 0.9 err^(−1/k) h/h_before (err_before/err)^(1/k), after Gustafsson
 *                 RADAU5: Hairer, Wanner, Solving ODEs II, §IV.8; S is 0.9, or less if the step took many iterations;
 *                 h is kept if the factors of the matrix can be reused and a new size would gain little
 *     HALVING     h (2 err + floor)^(−1/k), but h is doubled, kept, or reduced by at least a given factor, since multistep methods
 *                 work best with equal steps. DEABM: Shampine, Gordon 1975; DASSL: Brenan, Campbell, Petzold, §5.2
 *
 * within limits, and no larger than h after an attempt that was rejected. After a rejection the same formulas hold with other constants and
 * without the previous error; where the equations or an iteration have failed, h_new is a fixed part of h, or follows from the convergence
 * rate of the iteration. The constants are data: each method's file has a cmb_controller. Only the limits of errors and excesses, the
 * constants of the mean number of rejected attempts, and RADAU5's power after an iteration that was given up early, are constants here and
 * in controller.c.
 */
#ifndef CMB_METHOD_CONTROLLER_H
#define CMB_METHOD_CONTROLLER_H

#include <math.h>
#include <stdbool.h>

typedef enum cmb_controller_kind {
  CMB_CONTROLLER_PI,
  CMB_CONTROLLER_PREDICTIVE,
  CMB_CONTROLLER_HALVING
} cmb_controller_kind;

typedef struct cmb_controller {
  cmb_controller_kind kind;
  double order;        /* k; HALVING: that of the first step, later attempts pass their own */
  double safety;       /* safety factor */
  double shrink, grow; /* limits of h_new/h; HALVING: grow is 2 */
  double failed;       /* h_new/h where the equations, a projection or an iteration have failed */

  /* PI: exponent β of the previous error, and 1/k − 0.75 β (CMB_CONTROLLER_PI_ORDER) */
  double beta, exponent;
  /* PI: decrease of the safety factor per unit of the mean number of rejected attempts; 0: errors of equal steps vary little. With
   * caution > 0 the first step after an event is no larger than the next one would have been without it. */
  double caution;

  /* fields of PREDICTIVE */
  int iterations; /* N: S = safety (1 + 2 N) / (iterations of the step + 2 N), no more than safety */
  /* h is kept if h_new/h is between these and the matrix can be reused */
  double keep_from, keep_to;
  double first_rejected; /* h_new/h after a rejection, if no step has been accepted yet */
  /* safety factor where an iteration was given up because it was predicted to be too slow */
  double foreseen;
  /* h stays below this part of a size with which the iteration failed; this limit grows by the factor `back` with each step */
  double below_failure, back;

  /* fields of HALVING */
  double floor;           /* term added to 2 err in the formula */
  double decided;         /* upper limit of h_new/h if it is below 1 */
  double rejected_least;  /* lower limit of h_new/h after a rejection, */
  double rejected_most;   /* upper limit, */
  double rejected_safety; /* and safety factor */
  double rejected_again;  /* h_new/h after further ones in a row */
} cmb_controller;

/* Initialises the fields order, beta and exponent of a PI controller for an error of O(h^k) and β = b. */
#define CMB_CONTROLLER_PI_ORDER(k, b) .order = (k), .beta = (b), .exponent = 1.0 / (k)-0.75 * (b)

/* PI: lower limits of the errors of a step and of the one before it; smaller errors count as these. */
#define CMB_CONTROLLER_LEAST_ERROR  1e-10
#define CMB_CONTROLLER_LEAST_BEFORE 1e-4

/* PI: constants of the safety factor where many attempts are rejected: weight of the last step in the mean number of rejected attempts
 * per step, the mean up to which the factor is the method's, and its lower limit in parts of the method's. */
#define CMB_CONTROLLER_MEAN_WEIGHT  0.02
#define CMB_CONTROLLER_FEW_REJECTED 0.08
#define CMB_CONTROLLER_LEAST_SAFETY 0.6

/* What the controller remembers from step to step. */
typedef struct cmb_controller_memory {
  double log_error; /* PI: logarithm of the last accepted step's error, limited from below */
  double rejected; /* PI: mean number of rejected attempts per accepted step, over the last steps */
  /* PREDICTIVE: size and error (at least 0.01) of the last accepted step; h = 0: there is none */
  double h, error;
  double limit; /* PREDICTIVE: upper limit of h after an iteration has failed */
} cmb_controller_memory;

/* An attempted step: its size, its error, how many attempts from the same state were rejected before it, and how many iterations it
 * took. */
typedef struct cmb_controller_step {
  double h, error;
  int rejections, iterations;
} cmb_controller_step;

/* Resets the controller's whole memory at the beginning of a run. */
void cmb_controller_reset(cmb_controller_memory *memory);

/* Resets the errors of earlier steps in the controller's memory where the motion begins anew, as after an event. */
void cmb_controller_begin(cmb_controller_memory *memory);

/* Resets the last step and the limit of the step size in the memory of the predictive controller, where a method restarts during a
 * run. */
void cmb_controller_restart(cmb_controller_memory *memory);

/* Returns the larger of a and b, neither of which is NaN; avoids the function call of fmax. */
static inline double cmb_controller_larger(double a, double b)
{
  return a > b ? a : b;
}

/* Returns the smaller of a and b, neither of which is NaN; avoids the function call of fmin. */
static inline double cmb_controller_smaller(double a, double b)
{
  return a < b ? a : b;
}

/* Returns h_new/h by the PI controller from the logarithms of the errors of this step and of the one before, at least c->shrink and at
 * most `most`. */
static inline double cmb_controller_pi_factor(const cmb_controller *c, double safety,
                                              double log_error, double log_before, double most)
{
  const double factor = safety * exp(c->beta * log_before - c->exponent * log_error);
  return cmb_controller_smaller(most, cmb_controller_larger(c->shrink, factor));
}

/* Updates the mean number of rejected attempts per step and returns the safety factor of the PI controller. With caution > 0 the factor
 * is reduced where many attempts are rejected: on a rough road the errors of equal steps of a method of high order vary so much that the
 * last error says little about the next one. */
static inline double cmb_controller_pi_safety(const cmb_controller *c,
                                              cmb_controller_memory *memory, int rejections)
{
  memory->rejected += CMB_CONTROLLER_MEAN_WEIGHT * (rejections - memory->rejected);
  const double excess = memory->rejected - CMB_CONTROLLER_FEW_REJECTED;
  if (excess <= 0) return c->safety;
  return c->safety * cmb_controller_larger(CMB_CONTROLLER_LEAST_SAFETY, 1 - c->caution * excess);
}

/* Returns the next step size by the PI controller after an accepted step of size h with this error and number of rejections, and stores
 * the error in the memory. Inline, to save a function call. */
static inline double cmb_controller_pi(const cmb_controller *c, cmb_controller_memory *memory,
                                       double h, double error, int rejections)
{
  const double log_error = log(cmb_controller_larger(error, CMB_CONTROLLER_LEAST_ERROR));
  const double most = rejections > 0 ? 1 : c->grow;
  const double safety = cmb_controller_pi_safety(c, memory, rejections);
  const double next = h * cmb_controller_pi_factor(c, safety, log_error, memory->log_error, most);
  memory->log_error = cmb_controller_larger(log_error, log(CMB_CONTROLLER_LEAST_BEFORE));
  return next;
}

/* Returns the size of the next attempt by the PI controller after one of size h was rejected for its error; the error of the previous
 * step is not used. */
static inline double cmb_controller_pi_rejected(const cmb_controller *c, double h, double error)
{
  return h * cmb_controller_pi_factor(c, c->safety, log(error), 0, 1);
}

/* Returns the next step size by the predictive controller after an accepted step. `again` tells that the factorised matrix can be reused
 * if the size does not change. */
double cmb_controller_predict(const cmb_controller *c, cmb_controller_memory *memory,
                              const cmb_controller_step *step, bool again);

/* Returns the size of the next attempt by the predictive controller after a rejection. `first` tells that no step has been accepted
 * yet. */
double cmb_controller_predict_rejected(const cmb_controller *c, const cmb_controller_step *step,
                                       bool first);

/* Limits the next step sizes of the predictive controller to a fraction of h, after the Newton iteration has failed with steps of size h
 * although its matrix was new. */
void cmb_controller_stay_below(const cmb_controller *c, cmb_controller_memory *memory, double h);

/* Returns h_new/h after a failed attempt. If excess > 0, an iteration was given up because its error was predicted to be `excess` times
 * its tolerance after `left` further iterations; the factor then depends on both. Otherwise it is c->failed. */
double cmb_controller_failure(const cmb_controller *c, double excess, int left);

/* Returns the next step size by the controller of multistep methods after an accepted step of size h, from the error estimate O(h^k) for
 * the order of the next step. The size may grow only if may_grow is set. */
double cmb_controller_halve(const cmb_controller *c, double h, double error, int k, bool may_grow);

/* Returns the size of the next attempt by the controller of multistep methods after the `count`th rejection in a row, from the error
 * estimate O(h^k). */
double cmb_controller_halve_rejected(const cmb_controller *c, double h, double error, int k,
                                     int count);

#endif
