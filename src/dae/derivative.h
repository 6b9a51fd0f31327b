/*
 * Derivatives of the residual r = M a − f + Gᵀ λ and of the constraints G v + g_t and G a + γ, for implicit methods: exact where
 * the equations supply them, difference quotients otherwise.
 */
#ifndef CMB_DAE_DERIVATIVE_H
#define CMB_DAE_DERIVATIVE_H

#include "dae/evaluator.h"

typedef struct cmb_differences cmb_differences;

/* Creates an object for difference quotients: allocates scratch memory, and groups the columns of each sparsity pattern such that
 * two columns of a group share no row. */
cmb_status cmb_differences_create(cmb_evaluator *ev, cmb_differences **differences);
void cmb_differences_destroy(cmb_differences *d);

/* Computes the derivative `which` at (t, q, v, a, λ) into J: dense and row-major, or the values on its pattern. Difference
 * quotients cost one evaluation more than there are column groups, counted in stats.f. Derivatives with respect to inputs and
 * parameters must come from the equations; without them the call fails. */
cmb_status cmb_derivative_at(cmb_differences *d, double t, const double *q, const double *v,
                             const double *a, const double *lambda, cmb_derivative which,
                             double *J);

#endif
