/*
 * Static equilibrium: f(t,q,0) = G(t,q)ᵀ λ, g(t,q) = 0 with the modes that belong to it.
 */
#ifndef CMB_SYSTEM_EQUILIBRIUM_H
#define CMB_SYSTEM_EQUILIBRIUM_H

#include "dae/evaluator.h"

#include <camber/system.h>

/* From q, which need not satisfy the constraints, to an equilibrium near it, in place; λ (ng) and the evaluator's modes
 * belong to it. Of v (nv; may be NULL) only what is along neutral directions stays. On failure q is what it was and the context says what is not in balance. */
cmb_status cmb_equilibrium(cmb_evaluator *ev, double t, double *q, double *v, double *lambda,
                           cmb_equilibrium_report *report);

/* The same from start values q and v of the system, with the parameters p (np); NULL: those of the equations. No gap may be closed there. On
 * failure they are of no use. */
cmb_status cmb_equilibrium_start(cmb_context *ctx, const cmb_system *system, const double *p,
                                 double *q, double *v, cmb_equilibrium_report *report);

/* A stiffness below this part of the largest one cannot be told from 0, for stiffness in 1/s² as Nᵀ ∂r/∂q T N has it:
 * rounding where derivatives are exact, otherwise the error of differences. */
double cmb_stiffness_noise(const cmb_equations *eq);

#endif
