/*
 * What the implicit methods share: their options, weights of errors, and the end of a step.
 */
#ifndef CMB_METHOD_IMPLICIT_H
#define CMB_METHOD_IMPLICIT_H

#include "form/form.h"
#include "math/dense.h"
#include "method/method.h"

#include <math.h>

#define CMB_OPTION_FORMALISM                                                                       \
  {                                                                                                \
    "formalism", "residual|explicit", "residual",                                                  \
        "dynamic equations as M a - f + G'lambda, or solved for a"                                 \
  }

typedef enum cmb_implicit_projection {
  CMB_IMPLICIT_NONE,
  CMB_IMPLICIT_VELOCITY,
  CMB_IMPLICIT_EVERY
} cmb_implicit_projection;

/* The words after "auto" stand in the order of the enumeration. */
#define CMB_OPTION_IMPLICIT_PROJECTION                                                             \
  {                                                                                                \
    "projection", "auto|none|velocity|every", "auto",                                              \
        "after each step: leave it as it is; velocities onto the constraints, accelerations and "  \
        "multipliers from them; positions too; what the form needs"                                \
  }

/* The choice of the option above, for a form. */
cmb_implicit_projection cmb_implicit_projection_of(const cmb_integrator *in, cmb_form_kind kind);

/* Whether index 1 is what form=auto chooses: with a T, of which the Newton matrix does not know how it depends on q, and with Euler
 * parameters, whose lengths are constraints that say nothing about the motion. */
static inline bool cmb_implicit_prefers_index1(const cmb_equations *eq)
{
  return eq->rates || eq->euler_parameters;
}

#define CMB_OPTION_MULTIPLIERS                                                                     \
  {                                                                                                \
    "multipliers", "free|tested", "free", "whether the error test looks at the multipliers, too"   \
  }

/* Steps of radau5 and bdf. Strict: errors at the end of a run are about as large as the tolerance, whatever it is. Classic: the
 * rule of the code that the method is made after; errors are then up to some 1000 times the tolerance, the more the smaller it is. */
typedef enum cmb_control { CMB_CONTROL_STRICT, CMB_CONTROL_CLASSIC } cmb_control;

#define CMB_OPTION_CONTROL(code)                                                                   \
  {                                                                                                \
    "control", "strict|classic", "strict",                                                         \
        "steps so small that errors at the end are about the tolerance; or as those of " code      \
  }

/* Tolerances of a step of an implicit method, and the least part of them that it looks at: what an iteration may leave, or the error
 * test of a cautious control. It is not below the rounding of the state (form->noise). */
typedef struct cmb_tolerance {
  const cmb_form *form;
  double rtol, atol, least;
} cmb_tolerance;

/* Weights 1 / (rtol |y| + atol) of errors in a step of size h: w_q (nq); w_v (nv) and w_l (ng) for velocities and multipliers, in the
 * units of the form's kind. Multipliers are not in the error test unless asked for, but an iteration has not arrived while they move. */
void cmb_weights(const cmb_integrator *in, const cmb_tolerance *tolerance, double h, double *w_q,
                 double *w_v, double *w_l);

/* What does not count of velocities x in index 3 is dropped, in place. There what crosses the constraints comes from g/c: it is the larger
 * the smaller the step, and the next step or a projection takes it away. What is along the constraints moves positions for the rest of
 * the motion, whatever the index. Dropped is all that crosses them, or what rounding of g can have made of it; `least` is that of
 * cmb_tolerance, the matrix that of c, real. */
void cmb_drop_crossing(cmb_form *form, cmb_linear *matrix, double *x);
void cmb_drop_rounding(cmb_form *form, double least, double c, cmb_linear *matrix,
                       const double *w_v, double *x);

/* Σ (w_i x_i)², two at a time */
static inline double cmb_weighted_square(int n, const double *w, const double *x)
{
  cmb_lanes sum = {0, 0};
  int i = 0;
  for (; i + 1 < n; i += 2) {
    const cmb_lanes part = cmb_lanes_load(w + i) * cmb_lanes_load(x + i);
    sum += part * part;
  }
  const double last = i < n ? w[i] * x[i] : 0;
  return sum[0] + sum[1] + last * last;
}

/* y_new onto the constraints at t; accelerations a and in->lambda_new from it. The evaluator's factors are new. */
cmb_status cmb_implicit_project(cmb_integrator *in, cmb_implicit_projection kind, double t,
                                double *a);

#endif
