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

cmb_status cmb_implicit_project(cmb_integrator *in, double t, double *a)
{
  cmb_evaluator *ev = in->ev;
  double *q = in->y_new, *v = in->y_new + in->nq;
  if (in->ng == 0) {
    if (ev->eq->normalize) ev->eq->normalize(ev->eq->self, q);
    return cmb_accelerate(ev, t, q, v, a, in->lambda_new);
  }
  CMB_TRY(cmb_project(ev, t, q, v));
  return cmb_accelerate_factored(ev, t, q, v, a, in->lambda_new);
}
