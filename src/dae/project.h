/*
 * Projection onto the constraints in the natural metric (Simeon 1996 §4.1, eqs. 12 and 13), and consistent
 * initial values with it.
 */
#ifndef CMB_DAE_PROJECT_H
#define CMB_DAE_PROJECT_H

#include "dae/evaluator.h"

/* (12a) by the chord iteration (13) with the factors, M and G that the evaluator holds, taken near q.
 * q is projected in place; `first` (nq) receives the first increment Δq⁽⁰⁾, the measure of the drift
 * that projection control asks for (may be NULL). Converges to rounding. The factors stay.
 * CMB_RETRY_NEWTON if it does not converge. */
cmb_status cmb_project_position(cmb_evaluator *ev, double t, double *q, double *first);

/* (12b) with the factors, G and g_t that the evaluator holds, taken at the projected q: v in place. */
cmb_status cmb_project_velocity(cmb_evaluator *ev, double *v);

/* The same as a blow: the multipliers tau (ng) of the jump, M (v+ − v) = −Gᵀ tau. Of dependent constraints, those of least norm. */
cmb_status cmb_strike_velocity(cmb_evaluator *ev, double *v, double *tau);

/* Both, starting from a factorisation at q. Afterwards the factors are those at the projected q. */
cmb_status cmb_project(cmb_evaluator *ev, double t, double *q, double *v);

/* The length of row i of the evaluator's G. */
double cmb_gradient_length(const cmb_evaluator *ev, int i);

#define CMB_REFERENCE_PART 0.05

/* How long gradients usually are, and how much g changes when q moves by a part of itself: the largest values at q and at a few
 * places around, always the same ones. A gradient may vanish in one place, and a constraint be unmet where that cannot be told
 * from its gradient. The part is CMB_REFERENCE_PART
 * of the sizes of coordinates (size.h). For the evaluator's length and extent, and for the KKT object. */
cmb_status cmb_take_references(cmb_evaluator *ev, double t, const double *q);

/* Whether constraint i, by these, changes with nothing that moves, but for rounding. */
bool cmb_is_unmoved(const cmb_evaluator *ev, int i);

/* (12a) as it stands, with M and G at the nearest point: q is moved there, with its multipliers τ (ng). */
cmb_status cmb_nearest_position(cmb_evaluator *ev, double t, double *q, double *tau);

/* A position near q that meets the constraints, not the nearest one; with the factors there. CMB_RETRY_NEWTON: none is found. */
cmb_status cmb_position_near(cmb_evaluator *ev, double t, double *q);

/* Whether the evaluator's g is 0 as far as that can be told: an iteration with dependent constraints may end elsewhere. */
bool cmb_constraints_met(const cmb_evaluator *ev);

/* How far the evaluator's g is from 0: the largest of its entries, in parts of what q can make of it. */
double cmb_constraints_off(const cmb_evaluator *ev);

/* The same, but for rounding. */
bool cmb_constraints_exact(const cmb_evaluator *ev);

/* The 2-norm of x − given (n), and which entry changed most. */
double cmb_change(int n, const double *x, const double *given, int *most);

/* CMB_ERROR_INCONSISTENT: "no consistent initial values at t = T: WHY: words"; the constraint that the words name and why may be
 * NULL. */
cmb_status cmb_fail_start(const cmb_evaluator *ev, double t, const char *constraint,
                          const char *why, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* Simeon 1996 task 1: q and v made consistent in place, a and λ from eq. (4). M and G follow the iterate,
 * with damping, so that rough values will do. On failure the context says which constraint cannot be
 * met; q and v are then what they were. */
cmb_status cmb_consistent_start(cmb_evaluator *ev, double t, double *q, double *v, double *a,
                                double *lambda, cmb_start_report *report);

#endif
