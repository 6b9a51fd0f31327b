/*
 * Watches the constraints that were left out of the equations because they are redundant; a run calls it at the start, after each step and
 * at each event.
 *
 * A constraint that was left out is not enforced, and one that depends on others holds only as well as these do. Both can become violated
 * without any method noticing: by a drive that contradicts another one, or by a clamp that comes into force.
 */
#ifndef CMB_SIM_LEFT_OUT_H
#define CMB_SIM_LEFT_OUT_H

#include "dae/modes.h"

#include <camber/sim.h>

typedef struct cmb_left_out {
  const cmb_system *system;
  cmb_evaluator *run;   /* of the run's equations */
  cmb_evaluator *whole; /* of those with everything that was left out; NULL: nothing was */
  cmb_mode_search modes;
  double rtol, atol;
  double *rate;               /* G v + g_t of what is watched */
  double *last_g, *last_rate; /* (ng) g and its rate in the old modes */
  bool *left_out;             /* (ng of `whole`) */
  const bool *moved;          /* parameters have changed: constraints may have, in all modes */
  bool
      others_met; /* at the last look the constraints in the equations were met: what is left out was tried by it */

  /* of the last new modes */
  double *
      impulse; /* (ng) multipliers of the jump of velocities, M (v⁺ − v⁻) = −Gᵀ impulse; what is rounding is 0 */
  bool *impulse_unique; /* (ng) whether the equations determine them */
  double *v_struck;     /* (nv) */
} cmb_left_out;

/* Memory from `arena`, a failure to allocate there is left to it. Where nothing was left out there is nothing to do. */
cmb_status cmb_left_out_create(cmb_context *ctx, cmb_arena *arena, const cmb_system *system,
                               cmb_evaluator *run, const cmb_integrator_options *options,
                               cmb_left_out *a);
void cmb_left_out_destroy(cmb_left_out *a);

/* A run begins at (t, q, v), or is resumed there, with the references of the constraints (cmb_take_references) that were saved. */
cmb_status cmb_left_out_start(cmb_left_out *a, double t, const double *q, const double *v);
cmb_status cmb_left_out_resume(cmb_left_out *a, double t, const double *q, const double *v);

/* The start, consistent as far as the constraints' gradients allow: CMB_ERROR_INCONSISTENT if a constraint is not met there, in position
 * or velocity, because its gradient vanishes or depends on others. The run's evaluator has g, G and g_t there. */
cmb_status cmb_left_out_check_start(cmb_left_out *a, double t, const double *q, const double *v);

/* An accepted state: CMB_ERROR_CONTRADICTION if a constraint that was left out is violated, or one in the equations that is
 * dependent. The run's evaluator has g, G and g_t there. */
cmb_status cmb_left_out_check(cmb_left_out *a, double t, const double *q, const double *v);

/* Parameters have changed from `before` (NULL: they are those of a start). Whether (t, q) meets all constraints still, as well as before, those that were left out too, but not the surfaces that bodies rest on:
 * CMB_ERROR_CONTRADICTION. */
cmb_status cmb_left_out_check_moved(cmb_left_out *a, double t, const double *q,
                                    const double *before);

/* Whether constraints depend on the modes, or have changed otherwise. */
bool cmb_left_out_can_change(const cmb_left_out *a);

/* New modes at (t, q, v). Constraints that have come into force must be met at q, as no position can jump: if not,
 * CMB_ERROR_CONTRADICTION. Velocities jump to what the constraints ask for, v in place, as a blow would make them: `impulse`; and it
 * is counted anew how many constraints are redundant. */
cmb_status cmb_left_out_new_modes(cmb_left_out *a, double t, const double *q, double *v);

/* The same at the end of a step of length h, somewhere in which the modes have changed; first with the old modes, then with the
 * new ones. A constraint may be off by what its rate has changed in h, and a rate by what the acceleration has. v stays as it is, since the next
 * step will bring it to the constraints; `impulse` is what that takes where a rate has jumped. */
cmb_status cmb_left_out_last_modes(cmb_left_out *a, double t, const double *q, const double *v);
cmb_status cmb_left_out_late_modes(cmb_left_out *a, double t, double h, const double *q,
                                   const double *v, const double *acceleration);

/* Whether there is an impulse of constraint i. */
bool cmb_left_out_has_impulse(const cmb_left_out *a, int i);

#endif
