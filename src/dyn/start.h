/*
 * Start values in the coordinates of a formulation, for any values of the live parameters: from what the model says of its joints, or from
 * other values of these.
 *
 * The object owns its memory and is not written after it was made: threads can share it, each with scratch memory of its own.
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
      joints_nv; /* of all joints, one after the other; states stand behind the velocities */
  int nz;        /* states, the last of both nv and joints_nv */
  int *q_joint, *v_joint;    /* (nq), (nv) which of these it is; -1: it follows from the poses */
  double *q_model, *v_model; /* (joints_nq), (joints_nv) as the model was read */
  cmb_program *model;        /* of p: both for other values; NULL: no parameter is live */

  /* Cartesian coordinates, by the kinematics in joint coordinates */
  cmb_program
      *poses; /* of the joints' values and p: R, r, ω, v, R0 of each link; NULL: there are none */
  int link_count;
  int *link_q, *link_v; /* (link_count) first coordinate and velocity; -1: no Cartesian link */
  cmb_number *R0;       /* (link_count x 9) of the body's link in joint coordinates */

  /* what can be held in joint coordinates */
  bool *angle;  /* (nq) whether it is one, or an Euler parameter */
  int *rate_of; /* (nv) the coordinate whose rate a velocity is; -1: none */
  int ball_count;
  int *ball_q, *ball_v; /* first of four Euler parameters, and of their velocities */
} cmb_start;

/* Fills `first` of x, if parameters are live. */
cmb_status cmb_start_expressions(struct cmb_build *b, cmb_expressions *x);

/* For the tree and the graph of the build, and the parameters of x. On failure *start is NULL. */
cmb_status cmb_start_create(struct cmb_build *b, const cmb_expressions *x, cmb_start **start);
void cmb_start_destroy(cmb_start *start);

/* What the model says of all joints: q (joints_nq) and v (joints_nv) for the parameters p (np); NULL: those that it was read with.
 * CMB_ERROR_MEMORY, without words, or CMB_OK. */
cmb_status cmb_start_of_model(const cmb_start *s, cmb_arena *scratch, const double *p, double *q,
                              double *v);

/* q (nq) and v (nv) of the formulation from those of all joints and the parameters p (np). Statuses as above. */
cmb_status cmb_start_place(const cmb_start *s, cmb_arena *scratch, const double *p,
                           const double *q_joints, const double *v_joints, double *q, double *v);

#endif
