/*
 * Proves for events.c that no switching function changes its sign in a part of a step: encloses the functions along the dense output of the step.
 *
 * Dense output is a polynomial in θ, so its Bernstein coefficients bound the state on any part of the step, and the equations bound
 * the switching functions there (dae.h, `enclose`). On a part [a, b] with the width w a function s with the sign m does not become
 * negative (m s < 0) after m s(a) >= 0
 *
 *     if its bounds say so;
 *     if the derivative of what decides has one sign and m s(b) >= 0: then s is monotone, or of a level first rises and then falls;
 *     if m s(a) + m s(b) >= w max |s'|.
 *
 * Otherwise the part is halved. So the first event is isolated: parts before it are proved, and in its own part every function
 * becomes negative at most once. Parts as short as time can be told apart that are neither are undecided: they are counted.
 *
 * Functions of slides and rests depend on the state through the solution of a linear system. Of these the dependence on time is enclosed, in the state in the
 * middle of the part (dae/holding.h): s_m(t). By how much the state changes them, δ, is taken from the ends of the part at one time. They do not become negative on it if
 *
 *     s_m(t) >= 2 δ for all its t,
 *
 * or if they vary so little that it does not matter (1e-9 of what friction can hold) and end at m s(b) >= 0.
 *
 * Where nothing moves, δ is 0, and this is a proof. Where something does, it is as good as the points in which these functions are looked at anyway
 * (events.h). Where there are no bounds of the loads, or matrices depend on time, δ has what time changes, too, and parts are halved until the functions of
 * time (dae.h, `time_bounds`) hardly vary on them.
 */
#ifndef CMB_SIM_ENCLOSURE_H
#define CMB_SIM_ENCLOSURE_H

#include "dae/evaluator.h"
#include "dae/holding.h"
#include "sim/motion.h"

#include <camber/sim.h>

typedef struct cmb_enclosure {
  cmb_integrator *in;
  cmb_evaluator *ev;
  cmb_motion motion;
  int n;                    /* its components */
  cmb_interval *y, *y_rate; /* (n) on a part */
  cmb_interval *s, *rate;   /* (ns) */
  double *s_begin, *s_end;  /* (ns) at the ends of the part, of the plain dense output */
  double *rough;            /* (n) bounds of the errors of rough dense output */
  double *until;            /* (ns) as far as this a function is proved */
  bool *open;          /* (ns) functions that are not proved yet in the part under inspection */
  const bool *ignored; /* (ns) functions that are not to be looked at; NULL: none */
  const double *
      lift; /* (ns) what is added to functions on the side of their modes (events.h); NULL: nothing */
  cmb_holding holding;             /* what slides and rests */
  bool loads_vary;                 /* in the last step, what holds depends on time */
  double *q, *v;                   /* (nq), (nv) a state of the step */
  double *a, *lambda;              /* (nv), (ng) */
  double *s_state[3];              /* (ns) in the states at the ends of a part and in its middle */
  cmb_interval *time, *time_whole; /* (nt) functions of time on the part, and in the step */
  long parts;                      /* looked at, in all */
  int budget;                      /* parts that the next step may take */

  long undecided; /* rows of parts that were neither proved nor isolated */
  int undecided_function;
  double undecided_t; /* of the last of them */
} cmb_enclosure;

/* Switching functions of the plain dense output at θ, into s. */
typedef cmb_status cmb_sample(void *user, double theta, double *s);

/* Memory from `arena`; a failure is left to it. Nothing is done if the equations have no bounds. */
void cmb_enclosure_create(cmb_enclosure *e, cmb_arena *arena, cmb_integrator *in);

/* What slides and rests in these equations; NULL: nothing does. */
void cmb_enclosure_hold(cmb_enclosure *e, cmb_arena *arena, const cmb_sliding *sliding,
                        const cmb_resting *resting);

/* A new run: nothing is undecided yet. */
void cmb_enclosure_begin(cmb_enclosure *e);

/* *proved: dense output over the last step is still rough (method/integrator.h), and no function with bounds becomes negative in the step,
 * neither on this dense output nor on any motion that differs from it by no more than its errors. So it need not be refined as long as no
 * state inside of the step is handed out: the proof is not one for the refined polynomial, whose errors nobody has bounded. */
cmb_status cmb_enclosure_excludes(cmb_enclosure *e, bool *proved);

/* The first part [*a, *b] of the last step from θ = `from` on at whose end a function with bounds is negative; *b > 1 if there is none. Functions
 * without bounds are not looked at. */
cmb_status cmb_enclosure_first(cmb_enclosure *e, cmb_sample *sample, void *user, double from,
                               double *a, double *b);

#endif
