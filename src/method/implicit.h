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

/* Weights 1 / (rtol |y| + atol) of errors: w_q (nq), and w_v (nv) times `index` (cmb_form_velocity_weight). */
void cmb_weights(const cmb_integrator *in, double rtol, double atol, double index, double *w_q,
                 double *w_v);

/* The same for multipliers, w (ng) times `index`, all beside the largest one: many are 0 but for rounding. They are not in the error test unless asked for, but an iteration has not arrived
 * while they move. */
void cmb_multiplier_weights(const cmb_integrator *in, double rtol, double atol, double index,
                            double *w);

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
