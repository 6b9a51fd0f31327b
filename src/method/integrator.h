/*
 * Functions of the integrator beyond its public ones (include/camber/method.h), for the run loop in sim.
 */
#ifndef CMB_METHOD_INTEGRATOR_H
#define CMB_METHOD_INTEGRATOR_H

#include "base/archive.h"
#include "dae/evaluator.h"

#include <camber/method.h>

/* Returns the integrator's evaluator, with which the run loop projects states and changes modes. It may be used freely between steps. */
cmb_evaluator *cmb_integrator_evaluator(cmb_integrator *in);

/* Resets the control of step sizes, the choice of the method and what is monitored in a run, before cmb_integrator_begin starts a new
 * one. */
void cmb_integrator_reset(cmb_integrator *in);

/* Save or restore the integrator's part of a saved run in the archive a (state.c). The first function saves or restores which method is
 * active; the second, called after the integrator has begun at the saved state, what the integrator and the method have learnt during the
 * run. */
void cmb_integrator_visit_method(cmb_integrator *in, cmb_archive *a);
void cmb_integrator_visit(cmb_integrator *in, cmb_archive *a);

/* Returns the time at the fraction theta (0 to 1) of the last step; rounding errors never lead beyond the step's end. */
double cmb_integrator_time_at(const cmb_integrator *in, double theta);

/* Returns in *rough whether dense output over the last step is still to be computed again, with a considerable number of evaluations,
 * before it is as accurate as the ends of the step, which cmb_integrator_interpolate does when it is called for a time between them. Then
 * cmb_integrator_interpolate_roughly evaluates the polynomial that there is, and bounds (n) are bounds of its errors. */
cmb_status cmb_integrator_is_rough(cmb_integrator *in, bool *rough, double *bounds);
cmb_status cmb_integrator_interpolate_roughly(cmb_integrator *in, double t, double *q, double *v);

/* Returns the multipliers λ (ng) at the beginning of the last step. */
const double *cmb_integrator_lambda_before(const cmb_integrator *in);

/* Returns the nodes, as fractions of a step (0 to 1), at which, besides the beginning of the step, the active method evaluates slopes that
 * its error estimate depends on; *count receives their number, which may be 0. */
const double *cmb_integrator_nodes(const cmb_integrator *in, int *count);

/* Computes the positions q (nq) at which the active method has evaluated the equations at node k of the last step. Dense output may have
 * others there: its order is not that of the stages, and it may use slopes that the step does not depend on. q has to come from an arena. */
void cmb_integrator_node_position(const cmb_integrator *in, int k, double *q);

/* Return the relative and the absolute tolerance. */
double cmb_integrator_rtol(const cmb_integrator *in);
double cmb_integrator_atol(const cmb_integrator *in);
bool cmb_integrator_is_fixed(const cmb_integrator *in); /* whether all steps have the given size */
double cmb_integrator_fixed_step(const cmb_integrator *in); /* that size */

/* Makes the next cmb_integrator_begin keep the step size and the stiffness estimate, because the motion changes little. Multistep methods
 * begin with a small step nevertheless, and a first step size given by the user is used again. */
void cmb_integrator_keep_size(cmb_integrator *in);

/* Returns whether a real-time method, with its options, never corrects velocities onto the velocity constraints. A discontinuity of a
 * prescribed velocity would then remain as an error. */
bool cmb_integrator_has_loose_rates(const cmb_integrator *in);

/* Returns whether each step of this real-time method solves for the forces of dry friction that can stick. */
bool cmb_method_holds_friction(const cmb_method *method);

/* Return the positions q (nq) and the velocities v (nv) at the beginning of the last step. */
const double *cmb_integrator_q_before(const cmb_integrator *in);
const double *cmb_integrator_v_before(const cmb_integrator *in);

/* Compares the violation of the constraints at the current time t and positions q, size = ‖g‖, with the bound on the drift, if there is
 * one. A bound that it exceeds is declared invalid. */
void cmb_integrator_meet_drift(cmb_integrator *in, double t, const double *q, double size);

#endif
