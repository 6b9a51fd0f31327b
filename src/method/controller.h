/*
 * How large the next step is: the one step-size controller of all methods.
 *
 * With an error err of a step of size h in units of the tolerance, O(h^k), the next size h_new is
 *
 *     PI          h 0.9 err^(−1/k + 0.75 β) err_before^β       DOPRI5: Hairer, Nørsett, Wanner, Solving ODEs I, §IV.2; β = 0: without memory
 *     PREDICTIVE  the smaller of h S err^(−1/k) and h 0.9 err^(−1/k) h/h_before (err_before/err)^(1/k), after Gustafsson
 *                 RADAU5: Hairer, Wanner, Solving ODEs II, §IV.8; S is 0.9, less the more iterations the step has taken;
 *                 h stays if the factors of the matrix serve again and little would be gained
 *     HALVING     h (2 err + floor)^(−1/k), but h doubles, stays, or becomes less by some part at the least, since differences of
 *                 equal steps tell more. DEABM: Shampine, Gordon 1975; DASSL: Brenan, Campbell, Petzold, §5.2
 *
 * within limits, and no larger than h after an attempt that was rejected. After a rejection the same with rules of its own; where
 * the equations or an iteration have failed, a fixed part of h, or what the rate of the iteration tells. Numbers are data: a
 * cmb_controller stands in each method's file. Only what errors and excesses are limited to, and RADAU5's power after a failure that was
 * foreseen, are constants here and in controller.c.
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
  double order; /* k; HALVING: of the first step, later attempts pass their own */
  double safety;
  double shrink, grow; /* limits of h_new/h; HALVING: grow is 2 */
  double failed;       /* h_new/h where the equations, a projection or an iteration have failed */

  /* PI: weight of the error before, and 1/k − 0.75 β (CMB_CONTROLLER_PI_ORDER) */
  double beta, exponent;

  /* PREDICTIVE */
  int iterations; /* N: S = safety (1 + 2 N) / (iterations of the step + 2 N), no more than safety */
  double keep_from, keep_to; /* h stays if h_new/h is between these and the matrix serves again */
  double first_rejected;     /* h_new/h after a rejection, if no step has been accepted yet */
  double foreseen; /* safety where an iteration was given up because it would not arrive in time */
  double below_failure, back; /* h stays below this part of one with which the iteration has failed;
                               * the limit grows by the factor `back` with each step */

  /* HALVING */
  double floor;
  double decided;         /* the most that h_new/h is if it is below 1 */
  double rejected_least;  /* limit of h_new/h after a rejection; */
  double rejected_most;   /* the other; */
  double rejected_safety; /* and a factor */
  double rejected_again;  /* h_new/h after a second one in a row */
} cmb_controller;

/* PI: the fields that belong together. */
#define CMB_CONTROLLER_PI_ORDER(k, b) .order = (k), .beta = (b), .exponent = 1.0 / (k)-0.75 * (b)

/* PI: smaller errors, of the step and of the one before it, count as these. */
#define CMB_CONTROLLER_LEAST_ERROR  1e-10
#define CMB_CONTROLLER_LEAST_BEFORE 1e-4

/* What is kept from step to step. */
typedef struct cmb_controller_memory {
  double log_error; /* PI: logarithm of the last accepted step's error, not below the least */
  double h, error;  /* PREDICTIVE: of the last accepted step; h = 0: there is none */
  double limit;     /* of h, since an iteration has failed */
} cmb_controller_memory;

/* An attempt: its size, its error, how many attempts before it from the same place were rejected, and how many iterations it took. */
typedef struct cmb_controller_step {
  double h, error;
  int rejections, iterations;
} cmb_controller_step;

/* A motion begins: nothing is known. */
void cmb_controller_begin(cmb_controller_memory *memory);

/* PREDICTIVE: a method begins anew on the way. */
void cmb_controller_restart(cmb_controller_memory *memory);

/* As fmax and fmin, where none is NaN; without a call. */
static inline double cmb_controller_larger(double a, double b)
{
  return a > b ? a : b;
}

static inline double cmb_controller_smaller(double a, double b)
{
  return a < b ? a : b;
}

/* PI: h_new/h in logarithms. `most` is the upper limit. */
static inline double cmb_controller_pi_factor(const cmb_controller *c, double log_error,
                                              double log_before, double most)
{
  const double factor = c->safety * exp(c->beta * log_before - c->exponent * log_error);
  return cmb_controller_smaller(most, cmb_controller_larger(c->shrink, factor));
}

/* PI: h_new after an accepted step. Here, so that it costs no call. */
static inline double cmb_controller_pi(const cmb_controller *c, cmb_controller_memory *memory,
                                       double h, double error, int rejections)
{
  const double log_error = log(cmb_controller_larger(error, CMB_CONTROLLER_LEAST_ERROR));
  const double most = rejections > 0 ? 1 : c->grow;
  const double next = h * cmb_controller_pi_factor(c, log_error, memory->log_error, most);
  memory->log_error = cmb_controller_larger(log_error, log(CMB_CONTROLLER_LEAST_BEFORE));
  return next;
}

/* PI: h_new after a rejection; what came before says nothing. */
static inline double cmb_controller_pi_rejected(const cmb_controller *c, double h, double error)
{
  return h * cmb_controller_pi_factor(c, log(error), 0, 1);
}

/* PREDICTIVE: h_new after an accepted step; `again`: the factors of the matrix would serve again. */
double cmb_controller_predict(const cmb_controller *c, cmb_controller_memory *memory,
                              const cmb_controller_step *step, bool again);

/* PREDICTIVE: h_new after a rejection. `first`: no step has been accepted yet. */
double cmb_controller_predict_rejected(const cmb_controller *c, const cmb_controller_step *step,
                                       bool first);

/* An iteration has failed with steps of size h although its matrix was new: the next stay below. */
void cmb_controller_stay_below(const cmb_controller *c, cmb_controller_memory *memory, double h);

/* h_new/h after a failure; of an iteration that would have left `excess` times too much after `left` further ones, if
 * excess > 0. */
double cmb_controller_failure(const cmb_controller *c, double excess, int left);

/* HALVING: h_new after an accepted step whose error with the order of the next one would be O(h^k). */
double cmb_controller_halve(const cmb_controller *c, double h, double error, int k, bool may_grow);

/* HALVING: h_new after a rejection, the `count`th in a row. */
double cmb_controller_halve_rejected(const cmb_controller *c, double h, double error, int k,
                                     int count);

#endif
