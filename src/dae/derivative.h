/*
 * Derivatives of the residual r = M a − f + Gᵀ λ and of the constraints G v + g_t, G a + γ: exact where the equations supply them,
 * differences otherwise.
 */
#ifndef CMB_DAE_DERIVATIVE_H
#define CMB_DAE_DERIVATIVE_H

#include "dae/evaluator.h"

typedef struct cmb_differences cmb_differences;

/* Scratch memory and the column groups of the patterns that the equations give. */
cmb_status cmb_differences_create(cmb_evaluator *ev, cmb_differences **differences);
void cmb_differences_destroy(cmb_differences *d);

/* The derivative `which` at (t, q, v, a, λ): J dense row-major, or the values on its pattern. Costs as many
 * evaluations as there are column groups, and one; they are counted in stats.f. Derivatives with respect to the inputs must
 * come from the equations. */
cmb_status cmb_derivative_at(cmb_differences *d, double t, const double *q, const double *v,
                             const double *a, const double *lambda, cmb_derivative which,
                             double *J);

/* How many groups of columns `which`, not one of the inputs', needs. */
int cmb_difference_groups(const cmb_differences *d, cmb_derivative which);

#endif
