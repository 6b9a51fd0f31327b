/*
 * Bounds of what holds: of the switching functions of slides (sliding.h) and rests (resting.h) in one state, over an interval of time.
 *
 * They are made of functionals L_j of the forces: ṡ_j = S_j v̇ + c_j(t) of a slide, the multiplier μ_j of a rest. In one state M, G and S do not depend on time, so
 * that with the row (x_j, y_j) of the inverse of [M Gᵀ; G 0] that belongs to a functional
 *
 *     L_j(t) = L_j(t₀) + x_j·(f(t) − f(t₀)) − y_j·(γ(t) − γ(t₀)) + c_j(t) − c_j(t₀),
 *
 * and bounds of f, γ and c over the interval (dae.h, `load_bounds`) bound it. This is done in the modes in which all groups of slides are at −1, and in those
 * with one group at +1. What mixes them, θ, is bounded by A(t) (θ − θ₀) = −(r(t) + A(t) θ₀) with the inverse of A(t₀); and by 0 and 1, for where it leaves these the
 * function of its own slide is negative.
 *
 * Bounds are those of the exact functions but for rounding in the rows, which is little beside what varies.
 */
#ifndef CMB_DAE_HOLDING_H
#define CMB_DAE_HOLDING_H

#include "dae/resting.h"
#include "dae/sliding.h"

typedef struct cmb_holding {
  const cmb_equations *eq;    /* of the slides and rests, */
  const cmb_sliding *sliding; /* which are these; NULL: there are none */
  const cmb_resting *resting;
  cmb_evaluator *ev; /* of the equations below the slides */
  int slides, count; /* functionals: those of slides come first; 0: there are no bounds */
  int *function;     /* (count) the switching function of each */
  int *rest;         /* (count) which rest; of slides 0 */

  double *gradient;         /* (slides x nv) S */
  double *row, *row_g;      /* (count x nv), (count x ng) x and y */
  double *a, *lambda, *rhs; /* (nv), (ng), (nv + ng) */
  double *force;            /* (nv) f(t₀) with all groups at −1 */
  double *rate, *none;      /* (2 ns) */
  bool *varies; /* ((slides + 1) x nv) forces that depend on time, in the modes of each side */
  bool *gamma_varies; /* (ng) */
  bool *flow_varies;  /* (slides) */

  double *small;       /* (count) by which functions may be wrong; it does not matter */
  double *first;       /* (count) L_j(t₀) with all groups at −1 */
  cmb_interval *v, *q; /* (nv), (nq) the state */
  cmb_interval *f, *gamma; /* (nv), (ng) f − f(t₀) and γ − γ(t₀) with all groups at −1, .. */
  cmb_interval *g_f, *g_gamma; /* .. and with one at +1 */
  cmb_interval *flow;          /* (2 ns) */
  cmb_interval *value;         /* ((slides + 1) x count) L_j on each side */
  cmb_interval *change;        /* (slides x count) L_j with one group at +1, less that at −1 */
  cmb_interval *theta;         /* (slides) */
  double *inverse;             /* (slides x slides) absolute values of that of A(t₀) */
  double *defect, *spread;     /* (slides) */
} cmb_holding;

/* For equations with `sliding` on top, or `resting` on top, or both; `ev` is that of `eq`. Memory from the arena; a failure is left to it. */
void cmb_holding_create(cmb_holding *x, cmb_arena *arena, cmb_evaluator *ev,
                        const cmb_sliding *sliding, const cmb_resting *resting);

/* The function itself; of a rest, one that its rule reads. */
int cmb_holding_name(const cmb_holding *x, int function);

/* Which loads depend on time, at a state and in the modes (ns) of `eq`; *any: some do. */
cmb_status cmb_holding_begin(cmb_holding *x, const int *mode, double t, const double *q,
                             const double *v, bool *any);

/* Bounds over the times t, in one state, into s[function[j]]; unknown where there are none. The loads that depend on time are known. */
cmb_status cmb_holding_enclose(cmb_holding *x, const int *mode, cmb_interval t, const double *q,
                               const double *v, cmb_interval *s);

#endif
