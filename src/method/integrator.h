/*
 * What the run loop may reach of an integrator beyond its public functions.
 */
#ifndef CMB_METHOD_INTEGRATOR_H
#define CMB_METHOD_INTEGRATOR_H

#include "base/archive.h"
#include "dae/evaluator.h"

#include <camber/method.h>

/* The evaluator, for projecting and for the mode. It may be used freely between steps. */
cmb_evaluator *cmb_integrator_evaluator(cmb_integrator *in);

/* A new run: what was learnt in the last one is forgotten. Before cmb_integrator_begin. */
void cmb_integrator_reset(cmb_integrator *in);

/* A run that is saved, or goes on from there (state.c): first which method is at work; then, when it has begun at the state,
 * what it has learnt on the way. */
void cmb_integrator_visit_method(cmb_integrator *in, cmb_archive *a);
void cmb_integrator_visit(cmb_integrator *in, cmb_archive *a);

/* The time at the part theta of the last step, 0 to 1: never beyond its end. */
double cmb_integrator_time_at(const cmb_integrator *in, double theta);

/* λ where the last step began. */
const double *cmb_integrator_lambda_before(const cmb_integrator *in);

/* Where in a step, as parts of it, the method at work evaluates the equations besides at its ends; how many places, perhaps none. */
const double *cmb_integrator_nodes(const cmb_integrator *in, int *count);

double cmb_integrator_rtol(const cmb_integrator *in);
double cmb_integrator_atol(const cmb_integrator *in);
bool cmb_integrator_is_fixed(const cmb_integrator *in);     /* its steps have the size given */
double cmb_integrator_fixed_step(const cmb_integrator *in); /* that size */

/* Where it begins next it takes the step size along, and what it knows of stiffness: what changes there is small. A multistep method
 * begins small all the same. */
void cmb_integrator_keep_size(cmb_integrator *in);

/* Whether a real-time method, with its options, never brings velocities to the constraints: a jump of a rate would stay an error. */
bool cmb_integrator_has_loose_rates(const cmb_integrator *in);

/* Whether steps of a real-time method solve for friction that sticks. */
bool cmb_method_holds_friction(const cmb_method *method);

/* q and v there. */
const double *cmb_integrator_q_before(const cmb_integrator *in);
const double *cmb_integrator_v_before(const cmb_integrator *in);

/* ‖g‖ at t, where the integrator stands: a bound on the drift that it has passed is over. */
void cmb_integrator_meet_drift(cmb_integrator *in, double t, double size);

#endif
