/*
 * Static equilibrium: f(t,q,0) = G(t,q)ᵀ λ, g(t,q) = 0 with the modes that belong to it; where there are states, e(t,q,0,z) = 0 too.
 */
#ifndef CMB_SYSTEM_EQUILIBRIUM_H
#define CMB_SYSTEM_EQUILIBRIUM_H

#include "dae/modes.h"
#include "system/tangent.h"

#include <camber/system.h>

/* From q, which need not satisfy the constraints, to an equilibrium near it, in place; λ (ng) and the evaluator's modes
 * belong to it. Of v (nv; may be NULL) only what is along neutral directions stays. On failure q is what it was and the context says what is not in balance. */
cmb_status cmb_equilibrium(cmb_evaluator *ev, double t, double *q, double *v, double *lambda,
                           cmb_equilibrium_report *report);

/* The same where there are states z, in v (nv) behind the velocities: they are found with q (balance.c). */
cmb_status cmb_balance(cmb_evaluator *ev, double t, double *q, double *v, double *lambda,
                       cmb_equilibrium_report *report);

/* The tangent space at q; λ and what is left (nv) of f there at the velocities and states v, f − Gᵀ λ, with the modes that belong to them; the
 * size of f. */
cmb_status cmb_static_forces(cmb_tangent *tangent, cmb_mode_search *modes, double t,
                             const double *q, const double *v, double *lambda, double *left,
                             double *size);

/* to = q + α dq, brought onto the constraints. */
cmb_status cmb_displace(cmb_evaluator *ev, double t, const double *q, double alpha,
                        const double *dq, double *to);

/* Why there is none, in words: the coordinate or state with the largest force or rate of those that are left (nv), which nothing balances; NULL:
 * what the status says. */
cmb_status cmb_no_equilibrium(cmb_evaluator *ev, double t, cmb_status status, const double *left);

/* Notes a velocity for each of the neutral directions W (count x nv), by elimination with complete pivoting, so that none stands for two of
 * them. W is lost. */
void cmb_name_neutral(int count, int nv, double *W, cmb_equilibrium_report *report);

/* How far q is from what was given, into the report. */
void cmb_note_moved(int nq, const double *given, const double *q, cmb_equilibrium_report *report);

/* The same from start values q and v of the system, with the parameters p (np); NULL: those of the equations. No gap may be closed there. On
 * failure they are of no use. */
cmb_status cmb_equilibrium_start(cmb_context *ctx, const cmb_system *system, const double *p,
                                 double *q, double *v, cmb_equilibrium_report *report);

/* A stiffness below this part of the largest one cannot be told from 0, for stiffness in 1/s² as Nᵀ ∂r/∂q T N has it:
 * rounding where derivatives are exact, otherwise the error of differences. */
double cmb_stiffness_noise(const cmb_equations *eq);

#endif
