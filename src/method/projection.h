/*
 * Projection of positions onto the constraints, and its frequency: the four variants of Simeon 1996 Table 1, with projection control, eq.
 * (16). Used by the explicit Runge–Kutta methods.
 */
#ifndef CMB_METHOD_PROJECTION_H
#define CMB_METHOD_PROJECTION_H

#include "method/method.h"

typedef enum cmb_projection {
  CMB_PROJECT_NONE,     /* never: the index-1 solution drifts */
  CMB_PROJECT_VELOCITY, /* velocities after each step (12b) */
  CMB_PROJECT_CONTROL, /* velocities after each step, positions (12a) when the control decides so */
  CMB_PROJECT_EVERY    /* positions and velocities after each step */
} cmb_projection;

/* The words of this option are in the order of the enumeration cmb_projection. */
#define CMB_OPTION_PROJECTION                                                                      \
  {                                                                                                \
    "projection", "none|velocity|control|every", "control",                                        \
        "back onto the constraints: never; velocities each step; positions too, as often as "      \
        "needed; both "                                                                            \
        "each step"                                                                                \
  }

typedef struct cmb_projection_control {
  cmb_projection kind;
  int between; /* number of steps between two projections of positions */
  int since;   /* number of steps since positions were projected */
  /* new value of `between` if the current step is accepted; 0: it did not project positions */
  int next;
  double *first; /* (nq) first increment of the last projection of positions (eq. 13) */
} cmb_projection_control;

/* Initialises the projection control and allocates its array from the integrator's arena. Without constraints nothing is projected,
 * whatever `kind` is. */
void cmb_projection_create(cmb_integrator *in, cmb_projection_control *control,
                           cmb_projection kind);

/* Resets the counters of the projection control at the beginning of a motion. */
void cmb_projection_begin(cmb_projection_control *control);

/* Projects the positions of y_new at time t onto the constraints if a projection is due, which *due tells, with a matrix that the
 * evaluator has factorised nearby or with a new one. Euler parameters are normalised in any case. */
cmb_status cmb_projection_position(cmb_integrator *in, cmb_projection_control *control, double t,
                                   bool *due);

/* Returns whether positions are projected in the current step. */
bool cmb_projection_due(const cmb_integrator *in, const cmb_projection_control *control);

/* Determines after how many steps the next projection of positions is due, from first (nq), the first increment of the last one. */
void cmb_projection_measure(const cmb_integrator *in, cmb_projection_control *control,
                            const double *first);

/* Saves or restores the counters of the projection control in the archive a. */
void cmb_projection_visit(cmb_projection_control *control, cmb_archive *a);

/* Updates the counters of the projection control after an accepted step. */
void cmb_projection_accept(cmb_projection_control *control);

#endif
