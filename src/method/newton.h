/*
 * When a simplified Newton iteration has arrived, and when there is no hope for it: the one rule of all implicit methods.
 *
 * Seen are the sizes d_0, d_1, .. of its increments in units of the tolerance. With the rate θ of contraction
 *
 *     θ_i = d_i/d_{i−1},  or  (θ_i θ_{i−1})^½ of two that follow each other,  or  (d_i/d_0)^(1/i) of all
 *     η = θ/(1 − θ),  so that η d_i bounds what is left            (Hairer, Wanner, Solving ODEs II, §IV.8)
 *
 *     arrived       η d_i ≤ κ;  η of the first increment is that of the iteration before, to a power below 1 or not below a least one
 *     diverges      θ ≥ a limit, unless d_i is rounding: then it has arrived
 *     too slow      η θ^left d_i > κ, with `left` further iterations permitted
 *     slow          θ > another limit: it has arrived, but the next step is better off with a new matrix
 *
 * What differs between the codes is data: a cmb_newton_rule stands in each method's file, and says whose constants it has.
 */
#ifndef CMB_METHOD_NEWTON_H
#define CMB_METHOD_NEWTON_H

#include <camber/base.h>
#include <math.h>
#include <stdbool.h>

/* Whose rate θ is. */
typedef enum cmb_newton_mean {
  CMB_NEWTON_OF_LAST, /* the last quotient */
  CMB_NEWTON_OF_TWO,  /* the geometric mean of the last two */
  CMB_NEWTON_OF_ALL   /* the geometric mean of all */
} cmb_newton_mean;

typedef struct cmb_newton_rule {
  int most; /* iterations, 2 or more */
  cmb_newton_mean mean;
  double diverges;  /* θ from which on it does */
  bool predicts;    /* gives up as soon as the rate says that it will not arrive in time; */
  int spare;        /* last iterations that neither measure θ nor count in the prediction */
  double slow;      /* θ beyond which the matrix is to be renewed before the next step */
  double eta_new;   /* η while nothing is known: at the beginning, or with a new matrix */
  double eta_power; /* η of the first increment: that of the iteration before to this power, */
  double eta_least; /* not below this one */
  double kappa;     /* the largest part of the tolerance that may be left */
  double roundings; /* of 1, beside the tolerance: no κ is below them */
} cmb_newton_rule;

typedef struct cmb_newton {
  const cmb_newton_rule *rule;
  int most;          /* iterations; those of the rule unless the method says otherwise */
  double enough;     /* κ */
  double tolerable;  /* increments of this size that shrink no more are rounding; 0: none are */
  double negligible; /* a first increment of this size is rounding; 0: none is */

  double eta;      /* η */
  double before;   /* size of the last increment, */
  double first;    /* and of the first, once there is a second */
  double quotient; /* of the last two */
  double theta;    /* θ; 0 while it is not known */
  double excess;   /* foreseen not to arrive: how many times too large the end would be, .. */
  int left;        /* .. after how many more iterations; else 0: not known */
  int iterations;  /* increments that were judged */
  bool arrived;    /* the last one was small enough */
} cmb_newton;

/* κ is `wanted`, if the rule and the rounding of numbers beside the tolerance permit. */
void cmb_newton_create(cmb_newton *newton, const cmb_newton_rule *rule, double wanted, double rtol);

/* Nothing is known of η: a motion begins, or the matrix is new. */
void cmb_newton_forget(cmb_newton *newton);

/* An iteration begins. */
void cmb_newton_begin(cmb_newton *newton);

/* The same as below, for an increment that is not the first. */
cmb_status cmb_newton_judge_next(cmb_newton *newton, double size);

/* An increment of this size has been added; `arrived` tells. CMB_RETRY_NEWTON: it diverges, is too slow or was the last one;
 * CMB_RETRY_NONFINITE. */
static inline cmb_status cmb_newton_judge(cmb_newton *n, double size)
{
  if (!isfinite(size)) return CMB_RETRY_NONFINITE;
  if (n->iterations > 0) return cmb_newton_judge_next(n, size);
  n->iterations = 1;
  n->before = size;
  n->arrived = n->eta * size <= n->enough || size <= n->negligible;
  return CMB_OK;
}

/* Whether the iteration, which has arrived, asks for a new matrix. */
static inline bool cmb_newton_is_slow(const cmb_newton *newton)
{
  return newton->theta > newton->rule->slow;
}

#endif
