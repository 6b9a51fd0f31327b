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

/* Steps of radau5, radau and bdf. Strict: errors at the end of a run are about as large as the tolerance, whatever it is. Classic: the
 * rule of the code that the method is made after; errors are then up to some 100 times the tolerance, the more the smaller it is. */
typedef enum cmb_control { CMB_CONTROL_STRICT, CMB_CONTROL_CLASSIC } cmb_control;

#define CMB_OPTION_CONTROL(code)                                                                   \
  {                                                                                                \
    "control", "strict|classic", "strict",                                                         \
        "steps so small that errors at the end are about the tolerance; or as those of " code      \
  }

/* Tolerances of a step of an implicit method, and the least parts of them that it looks at: what an iteration may leave, and the error test
 * of a cautious control. They are not below the rounding of the state (form->noise), each of them for itself: an iteration that has
 * to arrive within a thousandth of what a step may have is at rounding long before the error is. */
typedef struct cmb_tolerance {
  const cmb_form *form;
  double rtol, atol, left, tested;
} cmb_tolerance;

/* Weights 1 / (rtol |y| + atol): q (nq); v (nv) and l (ng) for velocities and multipliers, in the units of the form's kind, of an
 * iteration's increments; error_q (nq) and error_v (nv) of the errors of a step. Multipliers are not in the error test unless asked
 * for, but an iteration has not arrived while they move. */
typedef struct cmb_weights {
  double *q, *v, *l;
  double *error_q, *error_v; /* q and v, or where errors count otherwise than increments: */
  double *apart_q, *apart_v;
  bool rounded; /* rounding is in them */
} cmb_weights;

void cmb_weights_create(const cmb_integrator *in, cmb_weights *w);

/* For a step of size h from where the integrator stands. */
void cmb_weights_at(const cmb_integrator *in, const cmb_tolerance *tolerance, double h,
                    cmb_weights *w);

/* Where rounding makes many tolerances of one a run says so, once: for a method whose errors are about what its error test permits. */
void cmb_warn_of_rounding(cmb_integrator *in, const cmb_weights *w);

/* The same where a run begins, for a method whose steps cannot be held to less than what the relative tolerance `least` asks for. */
void cmb_warn_of_least_tolerance(cmb_integrator *in, double least);

/* Errors of velocities count `factor` times; increments do not. */
void cmb_weigh_velocity_errors(const cmb_integrator *in, double factor, cmb_weights *w);

/* What does not count of velocities x in index 3 is dropped, in place. There what crosses the constraints comes from g/c: it is the larger
 * the smaller the step, and the next step or a projection takes it away. What is along the constraints moves positions for the rest of
 * the motion, whatever the index. Dropped is all that crosses them, or what rounding of g can have made of it, which costs a solution
 * with the matrix and is needed only where rounding shows; `least` is that of cmb_tolerance, the matrix that of c, real. */
void cmb_drop_crossing(cmb_form *form, cmb_linear *matrix, double *x);
bool cmb_rounding_shows(const cmb_form *form, double least, double c, const double *w_v);
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

/* max (w_i x_i)², NaN if one of them is */
static inline double cmb_weighted_worst(int n, const double *w, const double *x)
{
  double most = 0;
  for (int i = 0; i < n; i++) most = cmb_larger_error(w[i] * w[i] * x[i] * x[i], most);
  return most;
}

/* y_new onto the constraints at t; accelerations a and in->lambda_new from it. The evaluator's factors are new. */
cmb_status cmb_implicit_project(cmb_integrator *in, cmb_implicit_projection kind, double t,
                                double *a);

#endif
