/*
 * Quartic Hermite interpolation over one step: values and slopes at both ends and one value inside.
 */
#ifndef CMB_METHOD_HERMITE_H
#define CMB_METHOD_HERMITE_H

#include "method/method.h"

typedef struct cmb_hermite {
  double node;     /* T, where the inner value lies, 0 < T < 1 */
  double *f0, *f1; /* (n) slopes at the ends */
  double *inside;  /* (n) value at T */
} cmb_hermite;

/* y at θ over the integrator's last step. */
void cmb_hermite_at(const cmb_integrator *in, const cmb_hermite *p, double theta, double *y);

/* The inner value by bootstrapping: the cubic through the ends gives a state of third order at T, the slope
 * there fixes the fourth-degree term. Fills f0, f1 and inside by three evaluations. */
cmb_status cmb_hermite_bootstrap(cmb_integrator *in, cmb_hermite *p);

#endif
