/*
 * What the implicit methods bdf, radau5 and radau share: their options, the weights of their error norms, and the projection at the end of
 * a step.
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

/* The words of this option after "auto" are in the order of the enumeration cmb_implicit_projection. */
#define CMB_OPTION_IMPLICIT_PROJECTION                                                             \
  {                                                                                                \
    "projection", "auto|none|velocity|every", "auto",                                              \
        "after each step: leave it as it is; velocities onto the constraints, accelerations and "  \
        "multipliers from them; positions too; what the form needs"                                \
  }

/* Returns what is projected onto the constraints at the end of a step for this form of the equations: what the option `projection` names
 * or, with "auto", what the form requires. */
cmb_implicit_projection cmb_implicit_projection_of(const cmb_integrator *in, cmb_form_kind kind);

/* Returns whether form=auto selects the index-1 form: where q̇ = T(q) v with T ≠ I, because the Newton matrix does not contain the
 * derivative of T, and with Euler parameters, whose unit lengths are constraints without influence on the motion. */
static inline bool cmb_implicit_prefers_index1(const cmb_equations *eq)
{
  return eq->rates || eq->euler_parameters;
}

#define CMB_OPTION_MULTIPLIERS                                                                     \
  {                                                                                                \
    "multipliers", "free|tested", "free", "whether the error test looks at the multipliers, too"   \
  }

/* The values of the option `control` of radau5, radau and bdf, which has one more. Strict: errors at the end of a run are about as large as
 * the tolerance. Classic: the error test of the original code; errors at the end are then up to about 100 times the tolerance, the more the
 * smaller it is. */
typedef enum cmb_control { CMB_CONTROL_STRICT, CMB_CONTROL_CLASSIC } cmb_control;

#define CMB_OPTION_CONTROL(code)                                                                   \
  {                                                                                                \
    "control", "strict|classic", "strict",                                                         \
        "steps so small that errors at the end are about the tolerance; or as those of " code      \
  }

/* The tolerances of a step of an implicit method, and the smallest parts of them that matter: `left` is the part that the Newton
 * iteration may leave, `tested` the part that the error test of a cautious control permits. Neither part is held below the rounding of
 * the state (form->noise). They are limited separately, since an iteration that has to converge to a thousandth of the permitted error
 * reaches rounding long before the error does. */
typedef struct cmb_tolerance {
  const cmb_form *form;
  double rtol, atol, left, tested;
} cmb_tolerance;

/* The weights 1 / (rtol |y| + atol) of a step: q (nq), v (nv) and l (ng) for the Newton increments of positions, velocities and multipliers
 * (these relative to the largest one, times cmb_form_multiplier_weight); error_q (nq) and error_v (nv) for the error estimates. Multipliers
 * are in the error test only on request, but the iteration has not converged while they still change. */
typedef struct cmb_weights {
  double *q, *v, *l;
  /* q and v themselves, or where errors have other weights than increments the next two arrays: */
  double *error_q, *error_v;
  double *apart_q, *apart_v;
  bool rounded; /* the weights are widened by rounding */
} cmb_weights;

/* Allocates the arrays of the error weights from the integrator's arena. */
void cmb_weights_create(const cmb_integrator *in, cmb_weights *w);

/* Computes the weights of the error norms for a step of size h from the integrator's current state and the tolerances. */
void cmb_weights_at(const cmb_integrator *in, const cmb_tolerance *tolerance, double h,
                    cmb_weights *w);

/* Logs a warning, once in a run, if rounding errors increase the tolerance in the weights so much that the user's tolerance cannot be
 * met. For methods whose errors are about as large as their error test permits. */
void cmb_warn_of_rounding(cmb_integrator *in, const cmb_weights *w);

/* Logs a warning at the beginning of a run with adaptive steps if the user's relative tolerance is below `least`, the smallest one for
 * which the method can control its errors. */
void cmb_warn_of_least_tolerance(cmb_integrator *in, double least);

/* Returns the absolute tolerance of a method that raises relative tolerances below `least` to `least`. It is raised in the same
 * proportion, but at most to its usual fraction of `least`: an absolute tolerance above that can be met as it is. */
double cmb_raised_atol(const cmb_integrator *in, double least);

/* Multiplies the weights of velocities in the norm of error estimates by `factor`; the weights of Newton increments are not changed. */
void cmb_weigh_velocity_errors(const cmb_integrator *in, double factor, cmb_weights *w);

/* In the index-3 form, the component of velocities perpendicular to the constraints need not count in increments and errors: it results
 * from g/c, is the larger the smaller the step, and is removed by the next step or a projection. The tangential component moves positions
 * for the rest of the motion, whatever the index. */

/* Removes from velocities x (nv) their component perpendicular to the constraints in the index-3 form; does nothing in other forms.
 * `matrix` is the factorised real Newton matrix. */
void cmb_remove_normal_part(cmb_form *form, cmb_linear *matrix, double *x);

/* Returns whether rounding errors of the constraints g influence the size of velocity increments, so that cmb_remove_rounding is needed
 * (index-3 form only). `least` is the Newton tolerance, c the coefficient of the real Newton matrix and w_v (nv) the weights. */
bool cmb_rounding_matters(const cmb_form *form, double least, double c, const double *w_v);

/* Removes from velocity increments x (nv) of the index-3 form the share of their component perpendicular to the constraints that rounding
 * errors of g can have caused. `least` is the Newton tolerance, `matrix` the factorised real Newton matrix for the coefficient c, and w_v
 * (nv) the weights. Costs one solution with the matrix. */
void cmb_remove_rounding(cmb_form *form, double least, double c, cmb_linear *matrix,
                         const double *w_v, double *x);

/* Returns Σ (w_i x_i)² over n components, computed two at a time. */
static inline double cmb_weighted_square(int n, const double *w, const double *x)
{
  cmb_lanes sum = {0, 0};
  int i = 0;
  for (; i + 1 < n; i += 2) {
    const cmb_lanes part = cmb_lanes_load(w + i) * cmb_lanes_load(x + i);
    sum += part * part;
  }
  const double pairs = sum[0] + sum[1];
  return i < n ? pairs + w[i] * x[i] * (w[i] * x[i]) : pairs;
}

/* Returns max (w_i x_i)² over n components, or NaN if one of them is NaN. */
static inline double cmb_weighted_worst(int n, const double *w, const double *x)
{
  double most = 0;
  for (int i = 0; i < n; i++) most = cmb_larger_error(w[i] * w[i] * x[i] * x[i], most);
  return most;
}

/* Projects y_new onto the constraints at time t as `kind` requires, and computes the accelerations a (nv) and the multipliers
 * in->lambda_new there from the index-1 equations. Does nothing if `kind` is CMB_IMPLICIT_NONE. */
cmb_status cmb_implicit_project(cmb_integrator *in, cmb_implicit_projection kind, double t,
                                double *a);

#endif
