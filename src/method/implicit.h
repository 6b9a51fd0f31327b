/*
 * What the implicit methods share: their options, weights of errors, and the end of a step.
 */
#ifndef CMB_METHOD_IMPLICIT_H
#define CMB_METHOD_IMPLICIT_H

#include "form/form.h"
#include "math/dense.h"
#include "method/method.h"

#define CMB_OPTION_FORMALISM                                                                       \
  {                                                                                                \
    "formalism", "residual|explicit", "residual",                                                  \
        "dynamic equations as M a - f + G'lambda, or solved for a"                                 \
  }

/* The words stand in the order of cmb_implicit_projection. */
#define CMB_OPTION_IMPLICIT_PROJECTION(fallback)                                                   \
  {                                                                                                \
    "projection", "none|every", fallback,                                                          \
        "after each step: leave it as it is; or positions and velocities onto the constraints, "   \
        "accelerations and multipliers from them"                                                  \
  }

#define CMB_OPTION_MULTIPLIERS                                                                     \
  {                                                                                                \
    "multipliers", "free|tested", "free", "whether the error test looks at the multipliers, too"   \
  }

/* Weights 1 / (rtol |y| + atol) of errors: w_q (nq), and w_v (nv) times `index` (cmb_form_velocity_weight). */
void cmb_weights(const cmb_integrator *in, double rtol, double atol, double index, double *w_q,
                 double *w_v);

/* Σ (w_i x_i)², two at a time: w is from the arena, so that 0 follows its end, and x has something there that is finite */
static inline double cmb_weighted_square(int n, const double *w, const double *x)
{
  cmb_lanes sum = {0, 0};
  for (int i = 0; i < n; i += 2) {
    const cmb_lanes part = cmb_lanes_load(w + i) * cmb_lanes_load(x + i);
    sum += part * part;
  }
  return sum[0] + sum[1];
}

/* y_new onto the constraints at t; accelerations a and in->lambda_new from it. The evaluator's factors are new. */
cmb_status cmb_implicit_project(cmb_integrator *in, double t, double *a);

#endif
