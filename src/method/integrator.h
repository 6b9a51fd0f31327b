/*
 * What the run loop may reach of an integrator beyond its public functions.
 */
#ifndef CMB_METHOD_INTEGRATOR_H
#define CMB_METHOD_INTEGRATOR_H

#include "dae/evaluator.h"

#include <camber/method.h>

/* The evaluator, for projecting and for the mode. It may be used freely between steps. */
cmb_evaluator *cmb_integrator_evaluator(cmb_integrator *in);

/* A new run: what was learnt in the last one is forgotten. Before cmb_integrator_begin. */
void cmb_integrator_reset(cmb_integrator *in);

/* λ where the last step began. */
const double *cmb_integrator_lambda_before(const cmb_integrator *in);

/* q and v there. */
const double *cmb_integrator_q_before(const cmb_integrator *in);
const double *cmb_integrator_v_before(const cmb_integrator *in);

/* ‖g‖ at t, where the integrator stands: a bound on the drift that it has passed is over. */
void cmb_integrator_meet_drift(cmb_integrator *in, double t, double size);

#endif
