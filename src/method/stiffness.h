/*
 * Detects whether stability rather than accuracy limits the step size, and makes the change between two methods that follows from it
 * (method auto) or from a loss of rank of the constraints. Called by the step loop.
 */
#ifndef CMB_METHOD_STIFFNESS_H
#define CMB_METHOD_STIFFNESS_H

#include "base/archive.h"
#include "method/method.h"

/* The estimate of ρ, the largest absolute value of an eigenvalue of the motion. */
typedef struct cmb_stiffness {
  double *direction, *point, *slope; /* (n) direction of the power iteration; scratch */
  double stretch; /* the stretching factor of the last step of the power iteration */
  double rho;     /* the geometric mean of the last two factors; 0: not known */
  int wait;       /* accepted steps until the next estimate */
  int suspicion;  /* estimates for the other kind of method, less those against it; at least 0 */
  double since;   /* time when `suspicion` last rose from 0 */
  bool reported;
  cmb_status end; /* < 0: the equations requested the end of the run in the last estimate */
} cmb_stiffness;

/* Allocates the stiffness estimate from the integrator's arena. Returns NULL if memory runs out, or leaves the failure recorded in the
 * arena. */
cmb_stiffness *cmb_stiffness_create(cmb_integrator *in);

/* Resets the stiffness estimate at the beginning of a motion. */
void cmb_stiffness_begin(cmb_stiffness *s);

/* Updates the stiffness estimate after an accepted step, which costs one or two evaluations every few steps. Returns true if there is a new
 * estimate and at least `enough` more estimates are for a change of the method than against: with an explicit method those in which
 * stability limits the step size, with an implicit one those in which an explicit method, stable up to h ρ = `stability`, would not be
 * limited. */
bool cmb_stiffness_update(cmb_integrator *in, cmb_stiffness *s, double stability, int enough);

/* Two methods that take turns, each with its data; in->method and in->data are those of the active one. With auto, stiffness decides which
 * one is active, and the explicit one takes over where the other fails near a loss of rank of the constraints. Any other method with
 * adaptive steps that cannot pass a loss of rank has an explicit method beside it that can; that one is active only near it. */
typedef struct cmb_switcher {
  const cmb_method
      *method[2]; /* the explicit method; the implicit one, or that which the user chose */
  void *data[2];
  cmb_choices chosen[2];
  bool by_stiffness; /* the method is auto */
  int active;        /* index of the active method */
  bool inside; /* the state is too near to a loss of rank for a step to end there; not with auto */
  int steps;  /* accepted steps of the explicit method, counted up to RELIEF_STEPS; not with auto */
  int enough; /* estimates needed for a change; grows with each change, up to a limit */
  bool due;   /* the method is to be changed before the next step */
} cmb_switcher;

/* Creates both methods of auto with their options; the function `create` of this method. */
cmb_status cmb_switcher_create(cmb_integrator *in);

/* Creates an explicit method beside the integrator's method, which has been created, for losses of rank that this one cannot pass. */
cmb_status cmb_switcher_add(cmb_integrator *in);

/* Activates the method with which a new run begins. */
void cmb_switcher_begin(cmb_integrator *in);
void cmb_switcher_destroy(cmb_integrator *in);

/* Saves or restores in the archive a which of the two methods is active and the data that decide on the next change. */
void cmb_switcher_visit(cmb_integrator *in, cmb_archive *a);

/* Decides after an accepted step whether a change to the other method of auto is due. */
void cmb_switcher_check(cmb_integrator *in);

/* Changes to the other one of the two methods before the next step; the new method begins at the current state. */
cmb_status cmb_switcher_change(cmb_integrator *in);

/* Returns whether a change would bring the explicit method, which can pass positions where the constraints lose rank. */
bool cmb_switcher_can_pass(const cmb_integrator *in);

#endif
