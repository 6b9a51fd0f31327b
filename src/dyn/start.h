/*
 * Initial values in the coordinates of a formulation, for any values of the live parameters: from the initial values of the joints in the model,
 * or from other values of the joints.
 *
 * The object owns its memory and is constant after its creation: threads can share it, each with its own scratch memory.
 */
#ifndef CMB_DYN_START_H
#define CMB_DYN_START_H

#include "dyn/expressions.h"
#include "expr/number.h"

struct cmb_build;

typedef struct cmb_start {
  cmb_arena *arena;
  int nq, nv, np; /* of the formulation */
  int joints_nq,
      joints_nv; /* of all joints, one after the other; the velocities are followed by the states */
  int nz;        /* states, the last of both nv and joints_nv */
  /* (nq), (nv) index among the joints' values; −1: computed from the poses */
  int *q_joint, *v_joint;
  double *q_model, *v_model; /* (joints_nq), (joints_nv) as the model was read */
  /* computes the joints' start values from p; NULL: there are no parameters */
  cmb_program *model;

  /* Cartesian coordinates, computed by the kinematics in joint coordinates */
  /* computes R, r, ω, v, R0 of each link from the joints' values and p; NULL: no Cartesian coordinates */
  cmb_program *poses;
  int link_count;
  int *link_q, *link_v; /* (link_count) first coordinate and velocity; −1: no Cartesian link */
  cmb_number *R0;       /* (link_count x 9) of the body's link in joint coordinates */

  /* which start values can be held in joint coordinates */
  bool *angle;  /* (nq) an angle or an Euler parameter */
  int *rate_of; /* (nv) the coordinate whose rate a velocity is; −1: none */
  int ball_count;
  int *ball_q, *ball_v; /* first of four Euler parameters, and of their velocities */
} cmb_start;

/* Fills x->first with the start values of all joints and states as functions of the parameters, if there are any. */
cmb_status cmb_start_expressions(struct cmb_build *b, cmb_expressions *x);

/* Creates the start values for the tree and the graph of the build and the parameters of x. *start is NULL on failure. */
cmb_status cmb_start_create(struct cmb_build *b, const cmb_expressions *x, cmb_start **start);
void cmb_start_destroy(cmb_start *start);

/* Computes the start values of all joints in the model, q (joints_nq) and v (joints_nv), for the parameters p (np;
 * NULL: those that the model was read with). Returns CMB_OK, or CMB_ERROR_MEMORY without a message. */
cmb_status cmb_start_of_model(const cmb_start *s, cmb_arena *scratch, const double *p, double *q,
                              double *v);

/* Computes q (nq) and v (nv) of the formulation from those of all joints and the parameters p (np). Returns CMB_OK,
 * or CMB_ERROR_MEMORY without a message. */
cmb_status cmb_start_place(const cmb_start *s, cmb_arena *scratch, const double *p,
                           const double *q_joints, const double *v_joints, double *q, double *v);

#endif
