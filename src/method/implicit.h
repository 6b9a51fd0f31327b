/*
 * What the implicit methods share: their options, weights of errors, and the end of a step.
 */
#ifndef CMB_METHOD_IMPLICIT_H
#define CMB_METHOD_IMPLICIT_H

#include "form/form.h"
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

/* w (n) = 1 / (rtol |y| + atol) */
void cmb_weights(const cmb_integrator *in, double rtol, double atol, const double *y, double *w);

/* Σ (w_i x_i)² */
static inline double cmb_weighted_square(int n, const double *w, const double *x)
{
  double sum = 0;
  for (int i = 0; i < n; i++) sum += (w[i] * x[i]) * (w[i] * x[i]);
  return sum;
}

/* y_new onto the constraints at t; accelerations a and in->lambda_new from it. The evaluator's factors are new. */
cmb_status cmb_implicit_project(cmb_integrator *in, double t, double *a);

#endif
