/*
 * The projecting descriptor form (Simeon 1996, eq. 5): an index-1 form whose differential variables may violate the constraints, and whose
 * algebraic variables are their projections onto the constraints, with the multipliers of these projections.
 */
#ifndef CMB_FORM_PROJECTING_H
#define CMB_FORM_PROJECTING_H

#include "dae/evaluator.h"

typedef struct cmb_projecting {
  cmb_evaluator *ev;
  double *mass; /* (nv x nv) M, overwritten by its factors */

  /* the algebraic variables of the last solution */
  double *p, *v, *w; /* (nv) positions, velocities and accelerations on the constraints */
  double *lambda;    /* (ng) */
  double *tau, *eta; /* (ng) multipliers of the projections of positions and of velocities */
  /* (nv) corrections for the curvature of the constraints: q̇ = v + rate, u̇ = w + force */
  double *rate, *force;

  double *dp, *dv, *moved; /* (nv) p − q, v − u, and positions near p */
} cmb_projecting;

/* Creates the form with memory from the arena. Fails with a message for equations that the form does not cover: velocities that are not
 * the rates of the coordinates, and mass matrices that are not formed. */
cmb_status cmb_projecting_create(cmb_arena *arena, cmb_evaluator *ev, cmb_projecting **form);

/* Computes the algebraic variables (5c)–(5e) and the rates (5a), (5b) at t, q, u (nv each). M, G and the factors at p stay in the
 * evaluator. Returns CMB_RETRY_SINGULAR where the constraints are dependent, or nearly so, as the multipliers are then not determined. */
__attribute__((cold)) cmb_status cmb_projecting_solve(cmb_projecting *form, double t,
                                                      const double *q, const double *u);

#endif
