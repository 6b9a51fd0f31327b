/*
 * Locates events along a step: sign changes of switching functions, and levels that are left; in two phases (Simeon 1996 §4.3).
 */
#ifndef CMB_SIM_EVENTS_H
#define CMB_SIM_EVENTS_H

#include "dae/modes.h"
#include "sim/enclosure.h"

#include <camber/sim.h>

enum { CMB_EVENT_SAMPLES = 8 }; /* inspected points in a step */

typedef struct cmb_events {
  cmb_integrator *in;
  cmb_evaluator *ev;
  int ns;
  double *s[CMB_EVENT_SAMPLES + 1]; /* (ns) at the samples of the step under inspection */
  double *s_probe, *s_edge;         /* (ns) */
  double *q, *v, *lambda;           /* the state last sampled */
  double *a;                        /* (nv) */

  double
      from; /* θ where the inspection of the step begins: 0, or behind a change that nothing depends on */

  /* the event found: just behind the sign change */
  double t, theta;
  double *q_found, *v_found, *lambda_found, *s_found;
  int *mode_new; /* (ns) */

  bool
      solves; /* multipliers decide on events: they are computed wherever functions are looked at */
  bool *small;   /* (ns) functions of stops that are 0 but for rounding in the step .. */
  bool *ignored; /* (ns) .. and those of gaps of bodies that touch */
  bool *
      constrained; /* (ns) functions of velocities that the constraints hold in the step under inspection */
  const int *still; /* (ns) modes of conditions that hold still (held_conditions.c); 0: of others */
  double *scale;    /* (ns) the largest values of gaps */
  double *unit;     /* (ns) of gaps and their rates: the sizes of their gradients .. */
  double *steepest; /* (ns) .. and the largest that these have been */
  double *
      lift; /* (ns) by which functions that leave their zero, or dip to it, count as further on the side of their modes; 0: they have left it */
  double *lift_before; /* (ns) */

  cmb_mode_search search; /* of modes; it leaves s[0], where the next step begins */

  cmb_enclosure enclosure; /* proofs that nothing switches, where the equations have bounds */
  bool sampled;            /* some functions have none */
  /* states inside of the step under inspection will be handed out, besides those of events; and the work for them counts (simulation.c) */
  bool outputs_inside, outputs_count;

  int crowded; /* events in a row with no time between them */
} cmb_events;

/* Memory from `arena`; a failure is left to it. */
void cmb_events_create(cmb_events *e, cmb_arena *arena, cmb_integrator *in);

/* The first event in the integrator's last step: *found, and its state in e. CMB_RETRY_NEWTON if one was seen
 * on the plain dense output but could not be bracketed on the projected one: repeat the step smaller. */
cmb_status cmb_events_find(cmb_events *e, bool *found);

/* An event where the last step ends, since a function changes its sign within the time `soon` from there: *found, and its state in e, at that
 * end. For the end of a run, behind which no step looks. */
cmb_status cmb_events_find_at_end(cmb_events *e, double soon, bool *found);

/* The modes behind the event found are those of the evaluator now, and the same step can be inspected further, from there on: *goes_on.
 * Otherwise the next step has to begin at the event. */
cmb_status cmb_events_go_on(cmb_events *e, bool *goes_on);

/* The modes behind the event found (dae/modes.h) into mode_new; *changed: they are not those of the evaluator. */
cmb_status cmb_events_new_modes(cmb_events *e, bool *changed);

/* Function i, which has the value s here but for rounding 0, leaves it to the side of its mode: that is no event. It has left it where it is
 * further from 0 than `least`, and than rounding. */
void cmb_events_leave_zero(cmb_events *e, int i, double s, double least);

/* Where the integrator stands becomes the event found, whatever has switched. */
void cmb_events_at_end(cmb_events *e);

/* The same with the modes there into mode_new, as formulas have them: for methods that change their mode only at ends of steps. */
cmb_status cmb_events_modes_at_end(cmb_events *e);

/* Where the integrator stands now is where the next inspection begins (after a step or a restart). */
cmb_status cmb_events_here(cmb_events *e);

#endif
