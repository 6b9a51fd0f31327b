/*
 * The convergence test of simplified Newton iterations, shared by all implicit methods: it tells when an iteration has converged, and when
 * it diverges or is too slow.
 *
 * It uses the sizes d_0, d_1, .. of the increments in units of the tolerance. With the rate θ of convergence
 *
 *     θ_i = d_i/d_{i−1},  or  (θ_i θ_{i−1})^½ of the last two,  or  (d_i/d_0)^(1/i) of all
 *     η = θ/(1 − θ),  so that η d_i bounds the remaining error     (Hairer, Wanner, Solving ODEs II, §IV.8)
 *
 *     converged     η d_i ≤ κ;  for the first increment η is that of the previous iteration, with a lower limit, to a power up to 1
 *     diverges      θ ≥ a limit, unless d_i is rounding: then it has converged
 *     too slow      η θ^left d_i > κ, with `left` further iterations permitted
 *     slow          θ > another limit: it has converged, but the next step should have a new matrix
 *
 * The constants that differ between methods are data: a cmb_newton_rule in the method's file, or in partitioned.c, which names their
 * source.
 */
#ifndef CMB_METHOD_NEWTON_H
#define CMB_METHOD_NEWTON_H

#include <camber/base.h>
#include <math.h>
#include <stdbool.h>

/* How the convergence rate θ is averaged. */
typedef enum cmb_newton_mean {
  CMB_NEWTON_OF_LAST, /* the quotient of the last two increments */
  CMB_NEWTON_OF_TWO,  /* the geometric mean of the last two quotients */
  CMB_NEWTON_OF_ALL   /* the geometric mean of all quotients */
} cmb_newton_mean;

typedef struct cmb_newton_rule {
  int most; /* permitted iterations, 2 or more */
  cmb_newton_mean mean;
  double diverges; /* the iteration diverges from this θ on */
  bool predicts;   /* gives up as soon as the rate predicts that it will not converge in time */
  int spare;   /* number of last iterations that neither measure θ nor count in the prediction */
  double slow; /* above this θ the next step should have a new matrix */
  double eta_new;   /* η while no rate is known: at the beginning, or with a new matrix */
  double eta_power; /* for the first increment: η of the previous iteration to this power; */
  double eta_least; /* this replaces a smaller η of the previous iteration */
  double kappa;     /* the largest part κ of the tolerance that may remain */
  double roundings; /* κ is at least this many machine epsilons, relative to the tolerance */
} cmb_newton_rule;

typedef struct cmb_newton {
  const cmb_newton_rule *rule;
  int most;         /* permitted iterations; those of the rule unless the method sets others */
  double enough;    /* the part κ of the tolerance that may remain */
  double tolerable; /* increments up to this size that no longer shrink are rounding; 0: none are */
  double negligible; /* a first increment up to this size is rounding; 0: none is */

  double eta;      /* the factor η of the error bound */
  double before;   /* size of the last increment, */
  double first;    /* and of the first one, once there is a second */
  double quotient; /* quotient of the last two increments */
  double theta;    /* the rate θ; 0: not known yet */
  double excess;   /* by which factor the final error is predicted to exceed `enough` */
  int left;        /* after how many more iterations; excess = 0: no prediction */
  int iterations;  /* increments checked so far */
  bool arrived;    /* the last increment was small enough */
} cmb_newton;

/* Initialises a convergence test with the rule. The part κ of the tolerance that may remain is `wanted`, but at most that of the rule
 * and at least the rounding of numbers relative to the tolerance rtol. */
void cmb_newton_create(cmb_newton *newton, const cmb_newton_rule *rule, double wanted, double rtol);

/* Resets the convergence rate η at the beginning of a motion, or when the Newton matrix is new. */
void cmb_newton_forget(cmb_newton *newton);

/* Begins a Newton iteration: resets its counters, and computes the factor η for its first increment. */
void cmb_newton_begin(cmb_newton *newton);

/* Checks an increment of this size that is not the first one, and sets `arrived` if the iteration has converged. Returns
 * CMB_RETRY_NEWTON if it diverges, is too slow, or this was the last permitted increment. */
cmb_status cmb_newton_judge_next(cmb_newton *newton, double size);

/* Checks an increment of this size after it has been added, and sets `arrived` if the iteration has converged. Returns
 * CMB_RETRY_NEWTON if the iteration diverges, is too slow, or has used up its increments, and CMB_RETRY_NONFINITE if the size is not
 * finite. */
static inline cmb_status cmb_newton_judge(cmb_newton *n, double size)
{
  if (!isfinite(size)) return CMB_RETRY_NONFINITE;
  if (n->iterations > 0) return cmb_newton_judge_next(n, size);
  n->iterations = 1;
  n->before = size;
  n->arrived = n->eta * size <= n->enough || size <= n->negligible;
  return CMB_OK;
}

/* Returns whether the iteration, which has converged, was so slow that the next step should have a new matrix. */
static inline bool cmb_newton_is_slow(const cmb_newton *newton)
{
  return newton->theta > newton->rule->slow;
}

#endif
