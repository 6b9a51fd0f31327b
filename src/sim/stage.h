/*
 * A stage of a run: the equations that hold for the time being, the integrator that steps with them, and what watches its steps.
 *
 * The first stage has the equations of the system. Others are made when they are needed and kept: in them bodies rest on surfaces
 * (dae/resting.h), or the motion slides along the surfaces of switching functions (dae/sliding.h).
 */
#ifndef CMB_SIM_STAGE_H
#define CMB_SIM_STAGE_H

#include "dae/mean.h"
#include "dae/resting.h"
#include "dae/sliding.h"
#include "sim/agreement.h"
#include "sim/events.h"
#include "sim/impact.h"
#include "sim/singular.h"
#include "sim/variation.h"

typedef struct cmb_stage {
  struct cmb_stage *next;
  int rest_count;
  int *rest;      /* (rest_count) rules that bodies rest on, ascending */
  int *slide;     /* (ns) how switching functions slide (dae/sliding.h) */
  cmb_mean *mean; /* below the rests; NULL: there are none */
  cmb_resting *resting;
  cmb_sliding *sliding;
  const cmb_equations *eq; /* with all that */

  cmb_integrator *in;
  cmb_evaluator *ev; /* of the integrator */
  cmb_events events;
  cmb_rank_watch watch;
  cmb_variation variation, variation_of_whole;
  cmb_agreement agreement;
  cmb_impact impact;
} cmb_stage;

/* What all stages of a run are made from; the arena is theirs alone. */
typedef struct cmb_stage_source {
  cmb_context *ctx;
  cmb_arena *arena;
  cmb_arena *lasting; /* of the run: for names that observers are told */
  const cmb_system *system;
  const cmb_run_options *options;
  const double *p;   /* (np) live parameters of the run */
  const bool *moved; /* they have changed, and constraints may have, though no mode has */
  cmb_status (*singular)(void *user, const cmb_singularity *found);
  void *user;
} cmb_stage_source;

/* The stage in which bodies rest on these rules (rule_count) and functions slide (ns, dae/sliding.h); NULL: none. *out is set also on failure,
 * to be destroyed; NULL without memory. */
cmb_status cmb_stage_create(const cmb_stage_source *source, const bool *rests, const int *slides,
                            cmb_stage **out);
void cmb_stage_destroy(cmb_stage *stage);

/* Whether it is the stage with these. */
bool cmb_stage_is(const cmb_stage *stage, const cmb_equations *eq, const bool *rests,
                  const int *slides);

#endif
