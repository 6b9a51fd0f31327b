/*
 * Equations are checked when they are attached to anything: what is missing or does not fit is said then, and nothing crashes
 * on it later.
 */
#ifndef CMB_DAE_ATTACH_H
#define CMB_DAE_ATTACH_H

#include <camber/dae.h>

/* Sizes, names, functions and patterns; CMB_ERROR_ARGUMENT with words that say what is wrong. */
cmb_status cmb_equations_check(cmb_context *ctx, const cmb_equations *eq);

#endif
