/*
 * Quartic Hermite interpolation over one step, the dense output of the half-explicit methods: from values and slopes at both ends and one
 * value inside.
 */
#ifndef CMB_METHOD_HERMITE_H
#define CMB_METHOD_HERMITE_H

#include "method/method.h"

typedef struct cmb_hermite {
  double node;     /* T, the part of the step at which the inner value lies, 0 < T < 1 */
  double *f0, *f1; /* (n) slopes at both ends of the step */
  double *inside;  /* (n) value at T */
} cmb_hermite;

/* Computes the value y (n) of the Hermite polynomial p at the fraction theta (0 to 1) of the integrator's last step. */
void cmb_hermite_at(const cmb_integrator *in, const cmb_hermite *p, double theta, double *y);

/* Computes the inner value of the Hermite polynomial by bootstrapping, with three evaluations of the equations: the cubic through both
 * ends gives a state of third order at T, and the slope there determines the fourth-degree term. Sets node, f0, f1 and inside. */
cmb_status cmb_hermite_bootstrap(cmb_integrator *in, cmb_hermite *p);

#endif
