/*
 * What the implicit methods share (implicit.h).
 */
#include "method/implicit.h"

#include "dae/project.h"

#include <math.h>

static inline void weights_of(int n, const double *y, double rtol, double atol, double index,
                              double *w)
{
  int i = 0;
  for (; i + 1 < n; i += 2) {
    const cmb_lanes size = cmb_lanes_absolute(cmb_lanes_load(y + i));
    cmb_lanes_store(index / (rtol * size + atol), w + i);
  }
  if (i < n) w[i] = index / (rtol * fabs(y[i]) + atol);
}

void cmb_weights(const cmb_integrator *in, double rtol, double atol, double index, double *w_q,
                 double *w_v)
{
  weights_of(in->nq, in->y, rtol, atol, 1, w_q);
  weights_of(in->nv, in->y + in->nq, rtol, atol, index, w_v);
}

void cmb_multiplier_weights(const cmb_integrator *in, double rtol, double atol, double index,
                            double *w)
{
  double most = 0;
  for (int i = 0; i < in->ng; i++) most = fabs(in->lambda[i]) > most ? fabs(in->lambda[i]) : most;
  const double weight = index / (rtol * most + atol);
  for (int i = 0; i < in->ng; i++) w[i] = weight;
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
