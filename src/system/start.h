/*
 * Start values of a model's system: what the model and the settings say of the joints, with loops closed and given values held (hold.h),
 * in the coordinates of the formulation. They are found in joint coordinates, so that they are the same for all formulations.
 *
 * A system whose model has live parameters keeps what it takes to find them again for other values of these.
 */
#ifndef CMB_SYSTEM_START_H
#define CMB_SYSTEM_START_H

#include "dae/system.h"

#include <camber/system.h>

struct cmb_start;

/* Start values, and what was asked for. */
typedef struct cmb_start_values {
  double *q, *v;             /* (nq), (nv) */
  double *q_given, *v_given; /* (nq), (nv) */
  bool as_given;             /* q and v are what was asked for: the last two mean nothing */
} cmb_start_values;

/* Values of a system in joint coordinates: q_given and v_given are what the model says of them. The settings among the options go into these,
 * q and v are found from them. With the parameters p (np); NULL: those of the equations. */
cmb_status cmb_start_hold(cmb_context *ctx, const cmb_model_system_options *o,
                          const struct cmb_start *s, const cmb_system *joints, const double *p,
                          const cmb_start_values *x);

/* Settings for Cartesian coordinates: those that no joint of `joints` has. */
cmb_status cmb_start_set_bodies(cmb_context *ctx, const cmb_model_system_options *o,
                                const cmb_equations *joints, const cmb_equations *eq,
                                const cmb_start_values *x);

/* What a system keeps. in_bodies and joints are NULL where the system has joint coordinates. They are the system's from now on, also on
 * failure; of the options the settings are copied. */
cmb_status cmb_start_keep(cmb_context *ctx, const cmb_model_system_options *o,
                          struct cmb_start *in_joints, struct cmb_start *in_bodies,
                          cmb_system *joints, cmb_system *system);

/* How start values come from the parameters. */
typedef enum cmb_start_way {
  CMB_START_FORMULAS, /* as the model says of its joints: there are no constraints, and nothing was set */
  CMB_START_CLOSED, /* found in joint coordinates, by what the model says and the constraints */
  CMB_START_FOUND   /* whatever places bodies, or forces in balance, may be in them */
} cmb_start_way;

cmb_start_way cmb_start_way_of(const cmb_system *system);

/* The start values for the parameters p (np), with what was done to them since (cmb_system_set_start, cmb_system_equilibrium). Those of the system
 * itself, if it does not know how they are found. On failure x has no meaning. */
cmb_status cmb_start_again(cmb_context *ctx, const cmb_system *system, const double *p,
                           cmb_start_values *x);

#endif
