/*
 * A regime of a run: the equations that hold for the time being, the integrator that steps with them, and what is watched during its steps.
 * regimes.c chooses the regime that is in use.
 *
 * The first regime has the equations of the system. Others are made when they are needed and kept: in them contacts are closed
 * (dae/resting.h), or switching functions are held at their switch (dae/sliding.h).
 */
#ifndef CMB_SIM_REGIME_H
#define CMB_SIM_REGIME_H

#include "dae/mean.h"
#include "dae/resting.h"
#include "dae/sliding.h"
#include "sim/events.h"
#include "sim/impact.h"
#include "sim/left_out.h"
#include "sim/singular.h"
#include "sim/variation.h"

typedef struct cmb_regime {
  struct cmb_regime *next;
  int closed_count;
  int *closed_rule; /* (closed_count) the rules whose contacts are closed, ascending */
  int *hold_of;     /* (ns) how switching functions are held at their switch (dae/sliding.h) */
  cmb_mean *mean;   /* friction along the same line as closed contacts; NULL: there are none */
  cmb_resting *resting;
  cmb_sliding *sliding;
  const cmb_equations *eq; /* of the system, with closed contacts and held functions */

  cmb_integrator *in;
  cmb_evaluator *ev; /* of the integrator */
  cmb_events events;
  cmb_rank_watch watch;
  cmb_variation variation, variation_of_whole;
  cmb_left_out left_out_watch;
  cmb_impact impact;
} cmb_regime;

/* What all regimes of a run are made from. */
typedef struct cmb_regime_source {
  cmb_context *ctx;
  cmb_arena *arena;   /* for the regimes alone */
  cmb_arena *lasting; /* of the run: for names that observers keep */
  const cmb_system *system;
  const cmb_run_options *options;
  const double *p; /* (np) live parameters of the run */
  const bool
      *moved; /* live parameters have changed, and constraints may have, although no mode has */
  cmb_status (*singular)(void *user, const cmb_singularity *found);
  void *user;
} cmb_regime_source;

/* Creates the regime in which the contacts of the rules in closed[rule_count] are closed and functions are held as hold_of[ns] says
 * (dae/sliding.h); NULL for either: none. On failure *out may be set, too, and has to be destroyed; it is NULL if out of memory. */
cmb_status cmb_regime_create(const cmb_regime_source *source, const bool *closed,
                             const int *hold_of, cmb_regime **out);
void cmb_regime_destroy(cmb_regime *regime);

/* Returns whether the regime has these closed contacts and held functions. */
bool cmb_regime_is(const cmb_regime *regime, const cmb_equations *eq, const bool *closed,
                   const int *hold_of);

#endif
