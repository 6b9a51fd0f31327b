/*
 * The projecting descriptor form (Simeon 1996, eq. 5): an index-1 form whose differential variables may be off the constraints, and whose
 * algebraic ones are their projections, with the multipliers of these.
 */
#ifndef CMB_FORM_PROJECTING_H
#define CMB_FORM_PROJECTING_H

#include "dae/evaluator.h"

typedef struct cmb_projecting {
  cmb_evaluator *ev;
  double *mass; /* (nv x nv) M, and then its factors */

  /* the algebraic variables where the form was last solved */
  double *p, *v, *w;    /* (nv) positions, velocities and accelerations on the constraints */
  double *lambda;       /* (ng) */
  double *tau, *eta;    /* (ng) multipliers of the projections of positions and of velocities */
  double *rate, *force; /* (nv) what curvature adds: q̇ = v + rate, u̇ = w + force */

  double *dp, *dv, *moved; /* (nv) p − q, v − u, and p a little further on */
} cmb_projecting;

/* Memory from the arena; fails in words for equations that the form does not cover: velocities that are not the rates of the
 * coordinates, and mass matrices that are not formed. */
cmb_status cmb_projecting_create(cmb_arena *arena, cmb_evaluator *ev, cmb_projecting **form);

/* The algebraic part (5c)–(5e) and the rates (5a), (5b) at t, q, u (nv each). The evaluator holds M, G and the factors at p then.
 * CMB_RETRY_SINGULAR where the constraints are dependent, or nearly: the multipliers are not determined. */
__attribute__((cold)) cmb_status cmb_projecting_solve(cmb_projecting *form, double t,
                                                      const double *q, const double *u);

#endif
