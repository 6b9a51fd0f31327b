/*
 * Whether a step size is held by stability rather than by accuracy, and the change between an explicit and an implicit method
 * that follows from it (--method auto).
 */
#ifndef CMB_METHOD_STIFFNESS_H
#define CMB_METHOD_STIFFNESS_H

#include "base/archive.h"
#include "method/method.h"

/* An estimate of ρ, the largest eigenvalue of the motion by its size. */
typedef struct cmb_stiffness {
  double *direction, *point, *slope; /* (n) */
  double stretch;                    /* of the last look, and */
  double rho;                        /* the geometric mean of two; 0: not known */
  int wait;                          /* accepted steps until the next look */
  int suspicion; /* looks in favour of the other kind of method, less those against */
  double since;  /* when suspicion began */
  bool reported;
  cmb_status end; /* < 0: the equations have asked for the end of the run in the last look */
} cmb_stiffness;

/* From the integrator's arena; a failure is left to it. */
cmb_stiffness *cmb_stiffness_create(cmb_integrator *in);
void cmb_stiffness_begin(cmb_stiffness *s);

/* After an accepted step of an explicit method: true if it has been held by stability, `enough` looks more than not. With an
 * implicit one: true if the explicit method, stable up to h ρ = `stability`, would not be. Costs two evaluations every few steps. */
bool cmb_stiffness_look(cmb_integrator *in, cmb_stiffness *s, double stability, int enough);

/* auto: the two methods, each with its data; in->method and in->data are those at work. */
typedef struct cmb_switcher {
  const cmb_method *method[2]; /* explicit, implicit */
  void *data[2];
  cmb_choices chosen[2];
  int active;
  int enough; /* looks for a change; more with each */
  bool due;   /* the change is to be made before the next step */
} cmb_switcher;

cmb_status cmb_switcher_create(cmb_integrator *in);
void cmb_switcher_begin(cmb_integrator *in); /* a new run */
void cmb_switcher_destroy(cmb_integrator *in);

/* Which of them is at work, for a run that is saved (base/archive.h). */
void cmb_switcher_visit(cmb_integrator *in, cmb_archive *a);

/* After an accepted step; and before the next one, when the change is made. */
void cmb_switcher_look(cmb_integrator *in);
cmb_status cmb_switcher_change(cmb_integrator *in);

/* Whether a change would bring a method that can pass positions in which the constraints lose rank. */
bool cmb_switcher_can_pass(const cmb_integrator *in);

#endif
