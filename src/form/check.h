/*
 * The equations' own derivatives against differences, and their accelerations for given multipliers against their residual, once: for
 * all that solve with them.
 */
#ifndef CMB_FORM_CHECK_H
#define CMB_FORM_CHECK_H

#include "form/form.h"

typedef struct cmb_check cmb_check;

/* Memory is from the arena, a failure is left to it. */
cmb_check *cmb_check_create(cmb_evaluator *ev, cmb_arena *arena);

/* ∂r/∂q (nv x nq) and ∂r/∂v (nv x nv) at the state, stored as the equations store them. CMB_ERROR_ARGUMENT with words if they do
 * not agree with differences. Looks at the first ones only, and at none if the equations have no derivatives. */
cmb_status cmb_check_derivatives(cmb_check *check, const cmb_form_state *s, const double *by_q,
                                 const double *by_v);

/* The equations' accelerations for given multipliers, if they have some, against their residual: likewise, once. */
cmb_status cmb_check_forced(cmb_check *check, const cmb_form_state *s);

#endif
