/*
 * Computes the error of the balance of momentum at an impact; for the tests of impacts and sticking.
 */
#ifndef CMBT_BALANCE_H
#define CMBT_BALANCE_H

#include "dae/evaluator.h"

/* Returns the relative error of M jump + Gᵀ τ = Σ_{k < count} impulse_k row_k, with M and G of the evaluator, the change of velocities
 * jump (nv), rows row[k] (nv) and constraint impulses τ (ng): the largest residual of an entry, divided by the largest sum of the
 * magnitudes of the three terms. The residual of an entry is first reduced by 4 eps times the magnitudes of all numbers that are
 * summed in it. That is the effect of rounding, which exceeds 1e-12 of the result where large impulses nearly cancel or a mechanism
 * is hundreds of metres wide. from (nv): magnitudes that determine the rounding errors of jump, namely the velocities if jump is
 * their difference; NULL: jump itself. */
double cmbt_imbalance(const cmb_evaluator *ev, const double *jump, const double *from, int count,
                      const double *const *row, const double *impulse, const double *tau);

#endif
