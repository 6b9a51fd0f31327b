/*
 * Watches a run for gimbal lock: positions of three angles about one point in which M is singular (dyn/lock.c).
 */
#ifndef CMB_SIM_LOCK_H
#define CMB_SIM_LOCK_H

#include "dae/system.h"

#include <camber/method.h>

/* CMB_ERROR_EQUATIONS if q is so near to a lock that rounding alone makes the result worse than the tolerance. */
cmb_status cmb_lock_check(cmb_context *ctx, const cmb_system *system,
                          const cmb_integrator_options *options, double t, const double *q);

/* A run that ended with `status` near a lock: its words say so, if they do not yet. */
void cmb_lock_blame(cmb_context *ctx, const cmb_system *system,
                    const cmb_integrator_options *options, cmb_status status, const double *q);

#endif
