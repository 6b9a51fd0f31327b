/*
 * When to project: the four ways of Simeon 1996 Table 1, with its projection control, eq. (16).
 */
#ifndef CMB_METHOD_PROJECTION_H
#define CMB_METHOD_PROJECTION_H

#include "method/method.h"

typedef enum cmb_projection {
  CMB_PROJECT_NONE,     /* index 1 as it is: drifts */
  CMB_PROJECT_VELOCITY, /* (12b) after each step */
  CMB_PROJECT_CONTROL,  /* (12b) after each step, (12a) when the control asks for it */
  CMB_PROJECT_EVERY     /* (12a) and (12b) after each step */
} cmb_projection;

/* The words of the option stand in the order of the enumeration. */
#define CMB_OPTION_PROJECTION                                                                      \
  {                                                                                                \
    "projection", "none|velocity|control|every", "control",                                        \
        "back onto the constraints: never; velocities each step; positions too, as often as "      \
        "needed; both "                                                                            \
        "each step"                                                                                \
  }

typedef struct cmb_projection_control {
  cmb_projection kind;
  int between;   /* steps to be made without (12a) */
  int since;     /* steps made without it */
  int next;      /* `between` if the step under way is accepted, 0 if it did not project */
  double *first; /* (nq) first increment of (13) */
} cmb_projection_control;

/* No constraints: nothing to project, whatever `kind` says. */
void cmb_projection_create(cmb_integrator *in, cmb_projection_control *control,
                           cmb_projection kind);
void cmb_projection_begin(cmb_projection_control *control);

/* (12a) for y_new at t if it is due, with the factors the evaluator holds from nearby, or new ones. *due tells. */
cmb_status cmb_projection_position(cmb_integrator *in, cmb_projection_control *control, double t,
                                   bool *due);

/* Whether (12a) is due in the step under way; and what its first increment (nq) of positions means for the steps to come. */
bool cmb_projection_due(const cmb_integrator *in, const cmb_projection_control *control);
void cmb_projection_measure(const cmb_integrator *in, cmb_projection_control *control,
                            const double *first);

/* For a run that is saved. */
void cmb_projection_visit(cmb_projection_control *control, cmb_archive *a);

/* The step was accepted. */
void cmb_projection_accept(cmb_projection_control *control);

#endif
