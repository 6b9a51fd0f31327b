/*
 * What the implicit methods share (implicit.h).
 */
#include "method/implicit.h"

#include "dae/project.h"

#include <math.h>

void cmb_weights(const cmb_integrator *in, double rtol, double atol, double index, double *w_q,
                 double *w_v)
{
  const double *q = in->y, *v = in->y + in->nq;
  for (int i = 0; i < in->nq; i++) w_q[i] = 1 / (rtol * fabs(q[i]) + atol);
  for (int i = 0; i < in->nv; i++) w_v[i] = index / (rtol * fabs(v[i]) + atol);
}

void cmb_multiplier_weights(const cmb_integrator *in, double rtol, double atol, double index,
                            double *w)
{
  double most = 0;
  for (int i = 0; i < in->ng; i++) most = fmax(most, fabs(in->lambda[i]));
  for (int i = 0; i < in->ng; i++) w[i] = index / (rtol * most + atol);
}

cmb_implicit_projection cmb_implicit_projection_of(const cmb_integrator *in, cmb_form_kind kind)
{
  const int choice = cmb_choice(in, "projection");
  if (choice > 0) return (cmb_implicit_projection)(choice - 1);
  return kind == CMB_FORM_INDEX3 || kind == CMB_FORM_GGL ? CMB_IMPLICIT_VELOCITY
                                                         : CMB_IMPLICIT_EVERY;
}

cmb_status cmb_implicit_project(cmb_integrator *in, cmb_implicit_projection kind, double t,
                                double *a)
{
  cmb_evaluator *ev = in->ev;
  double *q = in->y_new, *v = in->y_new + in->nq;
  if (kind == CMB_IMPLICIT_NONE) return CMB_OK;
  if (ev->eq->normalize) ev->eq->normalize(ev->eq->self, q);
  if (in->ng == 0) return cmb_accelerate(ev, t, q, v, a, in->lambda_new);
  if (kind == CMB_IMPLICIT_EVERY) {
    CMB_TRY(cmb_project(ev, t, q, v));
  } else {
    CMB_TRY(cmb_factor_at(ev, t, q));
    CMB_TRY(cmb_project_velocity(ev, v));
  }
  return cmb_accelerate_factored(ev, t, q, v, a, in->lambda_new);
}
