/*
 * Checks the derivatives that the equations supply against differences, and the accelerations that they compute for given multipliers
 * against their residual; once, for all methods that solve with them.
 */
#ifndef CMB_FORM_CHECK_H
#define CMB_FORM_CHECK_H

#include "form/form.h"

typedef struct cmb_check cmb_check;

/* Creates a check with memory from the arena; the caller checks whether the arena has failed. */
cmb_check *cmb_check_create(cmb_evaluator *ev, cmb_arena *arena);

/* Checks ∂r/∂q (nv x nq) and ∂r/∂v (nv x nv) at the state, stored as the equations store them. Returns CMB_ERROR_ARGUMENT with a message
 * if they do not agree with differences. Only the first call checks, and none if the equations have no derivatives. */
cmb_status cmb_check_derivatives(cmb_check *check, const cmb_form_state *s, const double *by_q,
                                 const double *by_v);

/* Checks, once, the equations' accelerations for given multipliers, if they have such a function, against their residual. */
cmb_status cmb_check_forced(cmb_check *check, const cmb_form_state *s);

#endif
