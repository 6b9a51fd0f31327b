/*
 * Checks user-supplied equations for completeness before they are used by a system, an evaluator or a run, so that a missing
 * function or a wrong size is reported with its name instead of crashing later. Called when a system or an integrator is created,
 * and before a linearisation.
 */
#ifndef CMB_DAE_ATTACH_H
#define CMB_DAE_ATTACH_H

#include <camber/dae.h>

/* Checks the sizes, the required names and functions, and the sparsity patterns (except for those of derivatives with respect to
 * p) of the equations. Returns CMB_ERROR_ARGUMENT with a message that names the first fault. */
cmb_status cmb_equations_check(cmb_context *ctx, const cmb_equations *eq);

#endif
