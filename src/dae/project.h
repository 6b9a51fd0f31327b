/*
 * Projection onto the constraints in the natural metric (Simeon 1996 §4.1, eqs. 12 and 13), used by methods after a step, and consistent
 * initial values by projection.
 */
#ifndef CMB_DAE_PROJECT_H
#define CMB_DAE_PROJECT_H

#include "dae/evaluator.h"

/* Projects q (nq) onto the position constraints in place, eq. (12a), by the chord iteration (13) with the evaluator's current M, G
 * and factors, made near q. Converges to rounding; the factors are kept. `first` (nq) receives the first increment Δq⁽⁰⁾, the
 * measure of drift for projection control; it may be NULL. Returns CMB_RETRY_NEWTON if it does not converge. */
cmb_status cmb_project_position(cmb_evaluator *ev, double t, double *q, double *first);

/* Projects v (nv) onto the velocity constraints in place, eq. (12b), with the evaluator's factors, G and g_t, made at the projected
 * q. */
cmb_status cmb_project_velocity(cmb_evaluator *ev, double *v);

/* Projects v (nv) onto the velocity constraints by an impact, in place, and computes its impulses tau (ng): M (v⁺ − v) = −Gᵀ tau.
 * For dependent constraints they are those of least norm. */
cmb_status cmb_strike_velocity(cmb_evaluator *ev, double *v, double *tau);

/* Projects q and v onto the constraints in place, making new factors. Afterwards the factors are those at the projected q. */
cmb_status cmb_project(cmb_evaluator *ev, double t, double *q, double *v);

/* Does the same where no time step can be repeated with a smaller size, as at an event: accepts a position whose last increment is caused by
 * rounding errors of the constraints alone, where the gradient of one is small. */
cmb_status cmb_project_outside_steps(cmb_evaluator *ev, double t, double *q, double *v);

/* Returns the 2-norm of row i of the evaluator's constraint Jacobian G. */
double cmb_gradient_length(const cmb_evaluator *ev, int i);

#define CMB_REFERENCE_PART 0.05

/* Computes reference values of the constraints for the evaluator (`length`, `extent`) and the KKT object: the usual lengths of
 * gradients, and how much g changes when q is displaced by the part CMB_REFERENCE_PART of the coordinates' sizes (size.h). They are
 * the largest values at q and at a few displaced positions, always the same ones, since a gradient may vanish in one position. */
cmb_status cmb_take_references(cmb_evaluator *ev, double t, const double *q);

/* Returns whether constraint i does not depend on any coordinate but for rounding, judged by the reference values. */
bool cmb_is_unmoved(const cmb_evaluator *ev, int i);

/* Moves q to the nearest position that meets the constraints, eq. (12a) with M and G at that position, and writes its multipliers τ
 * (ng). */
cmb_status cmb_nearest_position(cmb_evaluator *ev, double t, double *q, double *tau);

/* Moves q (nq) to a position nearby that satisfies the constraints, not necessarily the nearest one, after it has taken the reference
 * values at the given q. The factors are made at the new one. Returns CMB_RETRY_NEWTON if the iteration does not converge. */
cmb_status cmb_position_near(cmb_evaluator *ev, double t, double *q);

/* Returns whether the evaluator's g is 0 within the tolerance, 1e-8 of each constraint's extent (at least 1e-4): an iteration with
 * dependent constraints may converge elsewhere. */
bool cmb_constraints_met(const cmb_evaluator *ev);

/* Returns the largest of the evaluator's |g_i| divided by the constraints' extents (at least 1e-4 each). */
double cmb_constraints_off(const cmb_evaluator *ev);

/* Returns whether the evaluator's g is 0 but for rounding. */
bool cmb_constraints_exact(const cmb_evaluator *ev);

/* Returns the 2-norm of x − given (n), and writes the index of the entry that changed most to *most (0 if none has). */
double cmb_change(int n, const double *x, const double *given, int *most);

/* Fails with CMB_ERROR_INCONSISTENT and "no consistent initial values at t = T: WHY: text". `constraint` (the one concerned) and
 * `why` may be NULL. */
cmb_status cmb_fail_start(const cmb_evaluator *ev, double t, const char *constraint,
                          const char *why, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* Makes q and v consistent in place and computes a and λ from eq. (4) (Simeon 1996 task 1). M and G follow the iterate, with damping, so
 * that rough values are enough. On failure the message names the constraint that cannot be met, if there is one; q and v are unchanged. */
cmb_status cmb_consistent_start(cmb_evaluator *ev, double t, double *q, double *v, double *a,
                                double *lambda, cmb_start_report *report);

#endif
