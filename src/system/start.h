/*
 * Start values of a model's system: from the model's and the settings' values for the joints, with loops closed and given values
 * held (hold.h), in the coordinates of the formulation. They are found in joint coordinates, so that they are the same for all
 * formulations.
 *
 * A system whose model has live parameters keeps the data for finding them again for other values of these.
 */
#ifndef CMB_SYSTEM_START_H
#define CMB_SYSTEM_START_H

#include "dae/system.h"

#include <camber/system.h>

struct cmb_start;

/* Start values that satisfy the constraints, and the values requested by model and user. */
typedef struct cmb_start_values {
  double *q, *v;             /* (nq), (nv) */
  double *q_given, *v_given; /* (nq), (nv) */
  /* q and v are the requested values; q_given and v_given are then undefined */
  bool as_given;
} cmb_start_values;

/* Finds start values x->q and x->v of a system in joint coordinates that satisfy the constraints, if these can be met. On entry
 * x->q_given and x->v_given are those of the model; the settings in the options o replace some of them. The live parameters are p (np),
 * NULL: those of the equations. */
cmb_status cmb_start_hold(cmb_context *ctx, const cmb_model_system_options *o,
                          const struct cmb_start *s, const cmb_system *joints, const double *p,
                          const cmb_start_values *x);

/* Applies to x those settings in the options o that concern Cartesian coordinates: the ones whose names do not occur in `joints`, the
 * equations in joint coordinates. */
cmb_status cmb_start_set_bodies(cmb_context *ctx, const cmb_model_system_options *o,
                                const cmb_equations *joints, const cmb_equations *eq,
                                const cmb_start_values *x);

/* Stores the data for finding start values again in the system, which takes ownership of them, also on failure; settings are copied
 * from the options. in_bodies and joints are NULL if the system has joint coordinates. */
cmb_status cmb_start_keep(cmb_context *ctx, const cmb_model_system_options *o,
                          struct cmb_start *in_joints, struct cmb_start *in_bodies,
                          cmb_system *joints, cmb_system *system);

/* How start values depend on the parameters. */
typedef enum cmb_start_way {
  /* by the model's formulas for joints: there are no constraints, and nothing was set */
  CMB_START_FORMULAS,
  CMB_START_CLOSED, /* found in joint coordinates from given values and the constraints */
  CMB_START_FOUND   /* in any other way: Cartesian bodies are placed, or an equilibrium is found */
} cmb_start_way;

cmb_start_way cmb_start_way_of(const cmb_system *system);

/* Finds the start values for the parameters p (np), and repeats later changes of them (cmb_system_set_start,
 * cmb_system_equilibrium). If the system has no data for that, they are the system's current ones. On failure x is undefined. */
cmb_status cmb_start_again(cmb_context *ctx, const cmb_system *system, const double *p,
                           cmb_start_values *x);

#endif
