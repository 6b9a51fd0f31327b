/*
 * Checks after each step, for the run loop, that the step has not missed a variation of a function. A step of an error-controlled method evaluates
 * the functions of time in the equations (inputs, drives, tables of t) and those of the position (a road's height along the way) at its stages
 * only. A bump between two stages, or after a long time without motion, would have no effect at all, and no error estimate would show it.
 *
 * After each step, the values at the stages span [low, high]; of the path, at the positions of the stages. If a function leaves
 *
 *     [low − slack, high + slack],   slack = (high − low)/2 + rtol times its largest value
 *
 * somewhere in the step, the step is undone and made half as long. Bounds over parts of the step prove that it does not, or lead to a
 * time where it does; a function that is smooth for the method's step never does. Methods that look at the ends of steps only count
 * the step before as well.
 *
 * While the derivatives of all functions of time keep their signs, there is nothing to look at: bounds of them over some steps ahead.
 *
 * Where bounds do not prove it, those by the mean value theorem may: f(middle) + f'(part) (θ − middle). Coordinates that grow together, as
 * those of two bodies that drive along, cancel in f' and not in f. Where there are second derivatives, those by Taylor's theorem may:
 * f(middle) + f'(middle) (θ − middle) + f''(part) (θ − middle)²/2. On a way along a line that turns the distance from it hardly varies, which
 * shows in f'(middle) and not in f'(part).
 *
 * The largest value of a function of time is that in the whole run; of a function of the path, that met so far. Along the path bounds come
 * from the dense output (motion.h). A first look at the cubic through the ends of the step, made wider by a quarter on each side, is most often enough.
 */
#ifndef CMB_SIM_VARIATION_H
#define CMB_SIM_VARIATION_H

#include "base/archive.h"
#include "dae/evaluator.h"
#include "sim/motion.h"

#include <camber/sim.h>

/* Functions that are watched together: those of time, or those of the path. */
typedef struct cmb_watched {
  int count;
  int budget; /* parts that the search along the next step may take */
  double
      t_end; /* where the last step ended that was looked at and stays: `begin` is of there; NaN: nowhere */
  double *value, *begin,
      *end;        /* (count) where it was last looked; where the step begins and ends */
  double *earlier; /* (count) where the step before began */
  double *scale;   /* (count) largest values */
  double *noise;   /* (count) of bounds: what rounding makes of a single value */
  cmb_interval *seen, *bounds; /* (count) what the stages span, with the slack; bounds on a part */
} cmb_watched;

typedef struct cmb_variation {
  cmb_integrator *in;
  cmb_evaluator *ev;          /* of the functions, in its modes */
  struct cmb_variation *also; /* functions of other equations along the same steps; NULL: none */
  cmb_watched time, path;
  double t_earlier;          /* where the step before the last one began; NaN: there was none */
  double same_from, same_to; /* all functions of time rise or fall from here to there, */
  double same_after;         /* and where it is worth while to look for that again */

  /* of the path */
  cmb_motion motion;
  double *q, *v;         /* a point of it */
  double *rate[2];       /* (nq) q̇ at the ends */
  cmb_interval *q_range; /* (nq) */
  cmb_interval *q_rate;  /* (nq) of dq/dθ */
  cmb_interval *q_bend;  /* (nq) of d²q/dθ² */
  cmb_interval *slope, *bend,
      *middle; /* (path.count) of the derivatives, and of the values in the middle of a part */
  bool *large; /* (path.count) functions that may be larger in the step than they have been */
} cmb_variation;

/* For a run that is saved (base/archive.h). */
void cmb_variation_visit(cmb_variation *w, cmb_archive *a);

/* Functions of `ev`, whose q and v are those of `in`. Memory from `arena`; a failure is left to it. */
void cmb_variation_create(cmb_variation *w, cmb_arena *arena, cmb_integrator *in,
                          cmb_evaluator *ev);

/* A run from t0 to t1 begins; or it begins again behind an event. */
void cmb_variation_begin(cmb_variation *w, double t0, double t1);
void cmb_variation_restart(cmb_variation *w);

/* Whether a function has varied in the last step where no stage has seen it. If not, the step stays. */
cmb_status cmb_variation_unseen(cmb_variation *w, bool *unseen);

#endif
