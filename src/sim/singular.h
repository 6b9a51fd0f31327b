/*
 * Watches a run for positions in which the constraints lose rank: they are noticed even if steps pass over them, located, and reported with names.
 */
#ifndef CMB_SIM_SINGULAR_H
#define CMB_SIM_SINGULAR_H

#include "dae/evaluator.h"
#include "math/pivots.h"

#include <camber/sim.h>

typedef struct cmb_rank_watch {
  cmb_integrator *in;
  cmb_evaluator *ev;
  cmb_pivots pivots;  /* rank 0: none is watched */
  double *q, *v;      /* the state last looked at */
  double *q_dot[2];   /* (nq) at both ends of a step */
  double *share;      /* (ng) of each constraint in the dependence */
  const char **names; /* (ng) */

  /* who is told what was found */
  cmb_status (*tell)(void *user, const cmb_singularity *found);
  void *user;
  double t_last; /* when one was found last */
} cmb_rank_watch;

/* Memory from `arena`. `tell` is called for each loss of rank; what it returns is handed on. */
cmb_status cmb_rank_watch_create(cmb_rank_watch *w, cmb_arena *arena, cmb_integrator *in,
                                 cmb_status (*tell)(void *user, const cmb_singularity *found),
                                 void *user);

/* A run begins at (t, q), with the evaluator's G there. */
cmb_status cmb_rank_watch_start(cmb_rank_watch *w, double t, const double *q);

/* The integrator's last step has come to (t, q, v), or a part of it, and the evaluator has G there. */
cmb_status cmb_rank_watch_step(cmb_rank_watch *w, double t, const double *q, const double *v);

#endif
