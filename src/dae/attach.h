/*
 * Checks user-supplied equations for completeness before they are used by a system, an evaluator or a run, so that a missing
 * function or a wrong size is reported with its name instead of crashing later. Called by cmb_system_create and by the methods.
 */
#ifndef CMB_DAE_ATTACH_H
#define CMB_DAE_ATTACH_H

#include <camber/dae.h>

/* Checks the sizes, names, functions and sparsity patterns of the equations. Returns CMB_ERROR_ARGUMENT with a message that names
 * the first fault. */
cmb_status cmb_equations_check(cmb_context *ctx, const cmb_equations *eq);

#endif
