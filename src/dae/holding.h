/*
 * Bounds over an interval of time of the switching functions that end sticking (sliding.h) and contact (resting.h), in one fixed
 * state. Used to find when loads that depend on time alone release what is held.
 *
 * The functions are made of functionals L_j of the forces: the rate ṡ_j = S_j v̇ + c_j(t) of a switching function that is held at
 * 0, or the multiplier μ_j of a contact. In one state M, G and S do not depend on time, so that with the row (x_j, y_j) of the
 * inverse of [M Gᵀ; G 0] that belongs to a functional
 *
 *     L_j(t) = L_j(t₀) + x_j·(f(t) − f(t₀)) − y_j·(γ(t) − γ(t₀)) + c_j(t) − c_j(t₀),
 *
 * and bounds of f, γ and c over the interval (dae.h, `load_bounds`) give bounds of L_j. This is done in the modes in which all
 * groups of held functions are at −1, and in those with one group at +1. The weights θ of the mixture are bounded by A(t) (θ − θ₀)
 * = −(r(t) + A(t) θ₀) with the inverse of A(t₀); and by 0 and 1, since outside of these the group's own function is negative.
 *
 * Bounds are those of the exact functions but for rounding errors in the rows, which are small beside what varies.
 */
#ifndef CMB_DAE_HOLDING_H
#define CMB_DAE_HOLDING_H

#include "dae/resting.h"
#include "dae/sliding.h"

typedef struct cmb_holding {
  const cmb_equations *eq; /* the equations with the held functions and contacts */
  /* its groups of held functions, or its contacts; NULL: there are none */
  const cmb_sliding *sliding;
  const cmb_resting *resting;
  cmb_evaluator *ev; /* evaluator of the equations below the layer of held functions */
  /* number of groups of held functions, and of all functionals, groups first; 0: there are no bounds */
  int slides, count;
  int *function; /* (count) the switching function of each functional */
  int *rest;     /* (count) index of the contact of each functional; 0 for groups */

  double *gradient;         /* (slides x nv) gradients S of the held functions */
  double *row, *row_g;      /* (count x nv), (count x ng) rows x and y of the inverse */
  double *a, *lambda, *rhs; /* (nv), (ng), (nv + ng) scratch */
  double *force;            /* (nv) f(t₀) with all groups at −1 */
  double *rate, *none;      /* (2 ns) rates of switching functions with and without accelerations */
  /* ((slides + 1) x nv) forces that depend on time, on each side: all groups at −1, or one at +1 */
  bool *varies;
  bool *gamma_varies; /* (ng) entries of γ that depend on time */
  bool *flow_varies;  /* (slides) held functions whose c depends on time */

  double *small;           /* (count) error of each function that is negligible */
  double *first;           /* (count) L_j(t₀) with all groups at −1 */
  cmb_interval *v, *q;     /* (nv), (nq) the state as intervals */
  cmb_interval *f, *gamma; /* (nv), (ng) f − f(t₀) and γ − γ(t₀) with all groups at −1 */
  cmb_interval *g_f, *g_gamma; /* (nv), (ng) the same with one group at +1 */
  cmb_interval *flow;          /* (2 ns) rates of switching functions */
  cmb_interval *value;         /* ((slides + 1) x count) L_j on each side */
  /* (slides x count) L_j with one group at +1 minus L_j with all at −1 */
  cmb_interval *change;
  cmb_interval *theta;     /* (slides) weights of the mixture */
  double *inverse;         /* (slides x slides) |A(t₀)⁻¹|, entry by entry */
  double *defect, *spread; /* (slides) right-hand sides, and bounds of |θ − θ₀| */
} cmb_holding;

/* Prepares bounds for equations whose top layer is `sliding`, `resting` or both; `ev` is the evaluator of these equations. Memory
 * comes from the arena; the caller detects a failure by cmb_arena_failed. */
void cmb_holding_create(cmb_holding *x, cmb_arena *arena, cmb_evaluator *ev,
                        const cmb_sliding *sliding, const cmb_resting *resting);

/* Returns the switching function that names the end of sticking or contact in messages: the function itself, or for a contact the
 * first one that the condition of its rule depends on (0 if there is none). */
int cmb_holding_name(const cmb_holding *x, int function);

/* Finds which loads depend on time, at the state (t, q, v) in the modes mode (ns) of `eq`; *any becomes whether some do. If so,
 * also computes the negligible errors of the functions. */
cmb_status cmb_holding_begin(cmb_holding *x, const int *mode, double t, const double *q,
                             const double *v, bool *any);

/* Computes bounds of the functions over the interval of times t, with unchanged q and v, into s[function[j]]; unknown where no
 * bounds are found. cmb_holding_begin must have been called. */
cmb_status cmb_holding_enclose(cmb_holding *x, const int *mode, cmb_interval t, const double *q,
                               const double *v, cmb_interval *s);

#endif
