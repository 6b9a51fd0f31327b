/*
 * Linearisation about a state, seen from inside the library: with an evaluator that is at hand.
 */
#ifndef CMB_SYSTEM_LINEARIZE_H
#define CMB_SYSTEM_LINEARIZE_H

#include "system/tangent.h"

#include <camber/system.h>

/* A (m x m, m = 2n − nz) of ẋ = A x at the consistent state (t, q, v) with accelerations a and multipliers λ and the evaluator's
 * modes; the tangent space is computed on the way, its n gives the size. A must have room for 4 nv² numbers. Derivatives
 * are the equations' own or differences. */
cmb_status cmb_linearize_at(cmb_tangent *tangent, double t, const double *q, const double *v,
                            const double *a, const double *lambda, double *A);

#endif
