/*
 * The balance of momentum at an impact.
 */
#ifndef CMBT_BALANCE_H
#define CMBT_BALANCE_H

#include "dae/evaluator.h"

/* The largest entry of M jump − Σ impulse_k row_k + Gᵀ τ with the evaluator's M and G, rows (nv), beside the largest sum of the sizes of the
 * three. What rounding jump, impulses and τ alone makes of an entry does not count, some units in the last place of all that is added
 * up in it: where large impulses nearly cancel, or a mechanism is hundreds of metres wide, that is more than 1e-12 of what is left.
 * from (nv): what jump is rounded to, the sizes of the velocities if it is their difference; NULL: it is no difference. */
double cmbt_imbalance(const cmb_evaluator *ev, const double *jump, const double *from, int count,
                      const double *const *row, const double *impulse, const double *tau);

#endif
