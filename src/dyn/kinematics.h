/*
 * Kinematics as expressions: where links are, how fast they move, and how forces on them act on the coordinates.
 *
 * A pose is taken relative to a base link (or the ground) as if that stood still, and in its axes. What two bodies feel of each
 * other depends on the coordinates between them only: with their last common link as base the expressions, and so the
 * sparsity patterns, show that.
 */
#ifndef CMB_DYN_KINEMATICS_H
#define CMB_DYN_KINEMATICS_H

#include "dyn/tree.h"
#include "expr/algebra.h"

typedef struct cmb_pose {
  int base;
  cmb_matrix R;      /* takes the link's components to the base's */
  cmb_vector r;      /* the link's origin */
  cmb_vector w, v;   /* angular velocity, velocity of the origin */
  cmb_vector dw, dv; /* their rates for v̇ = 0 */
  cmb_vector aw, av; /* their rates for v̇ = a */
  struct cmb_pose *next;
} cmb_pose;

typedef struct cmb_kinematics {
  cmb_arena *arena;
  cmb_graph *g;
  cmb_tree *tree;
  cmb_expr t;
  cmb_expr *q, *v, *a; /* inputs, as many as the tree has; more come when joints are added to it */
  const char **q_names, **v_names;
  cmb_pose **poses; /* (links) list by base */
  cmb_pose *rest;   /* of what stands still */
  int *way;         /* (links) scratch of cmb_ways */
  bool *on_way;     /* (links) false between uses */
} cmb_kinematics;

cmb_status cmb_kinematics_create(cmb_arena *arena, cmb_graph *g, cmb_tree *tree,
                                 cmb_kinematics **k);

/* The inputs for links from number `from` on, named after the model's coordinates. */
void cmb_kinematics_name(cmb_kinematics *k, int from);

/* base: a link on the way from `link` to the ground, or itself, or CMB_GROUND. */
const cmb_pose *cmb_pose_of(cmb_kinematics *k, int link, int base);

/* A point of a link (in the link's axes): from the origin, in the base's axes; and its velocity and so on. */
cmb_vector cmb_pose_arm(cmb_kinematics *k, const cmb_pose *p, const cmb_number x[3]);
cmb_vector cmb_point_position(cmb_kinematics *k, const cmb_pose *p, cmb_vector arm);
cmb_vector cmb_point_velocity(cmb_kinematics *k, const cmb_pose *p, cmb_vector arm);
cmb_vector cmb_point_bias(cmb_kinematics *k, const cmb_pose *p, cmb_vector arm);
cmb_vector cmb_point_acceleration(cmb_kinematics *k, const cmb_pose *p, cmb_vector arm);

/* The way from a link's frame to its parent's: components, and the origin's place in the parent's frame. */
typedef struct cmb_step {
  bool ball;
  cmb_matrix R;  /* of a ball: its own rotation, before γ, α, β */
  cmb_expr c, s; /* of γ + θ */
  cmb_expr ca, sa, cb, sb;
  bool general; /* F is there in place of γ, α, β */
  cmb_matrix F;
  cmb_vector offset;
} cmb_step;

cmb_step cmb_step_of(cmb_kinematics *k, int link);
cmb_vector cmb_step_up(cmb_graph *g, const cmb_step *s,
                       cmb_vector x); /* to the parent's components */
cmb_vector cmb_step_down(cmb_graph *g, const cmb_step *s, cmb_vector x); /* and back */

/* Turn the components in a plane: (x_i, x_j) -> (c x_i - s x_j, s x_i + c x_j), i and j those after `axis`. */
cmb_vector cmb_turn(cmb_graph *g, int axis, cmb_expr c, cmb_expr s, cmb_vector x);

/* Forces on links: moment about the origin and force, in the link's axes. */
typedef struct cmb_wrench {
  cmb_vector moment, force;
  bool given;
} cmb_wrench;

/* Adds the generalised forces of `on` (links) to `out` (nv), along the ways down to `base`. `on` is used up. */
void cmb_wrenches_project(cmb_kinematics *k, int base, cmb_wrench *on, cmb_expr *out);

/* The links on the ways from these `count` links to their base, each once, last link first. Good until the next call. */
int cmb_ways(cmb_kinematics *k, int base, int count, const int *from, const int **way);

/* The same where wrenches act on these `count` links only: costs what the ways from them to the base are long. */
void cmb_wrenches_project_from(cmb_kinematics *k, int base, int count, const int *from,
                               cmb_wrench *on, cmb_expr *out);

/* w += a wrench whose components are the base's. */
void cmb_wrench_add(cmb_kinematics *k, cmb_wrench *w, const cmb_pose *p, cmb_vector moment,
                    cmb_vector force);

/* The part of a wrench along a link's own velocities, added to out (at the link's first velocity). */
void cmb_wrench_onto(cmb_kinematics *k, int link, const cmb_wrench *w, cmb_expr *out);

/* L(p) of Euler parameters times x (4), and Lᵀ times y (3); ω' = 2 L ṗ. */
cmb_vector cmb_euler_times(cmb_graph *g, const cmb_expr p[4], const cmb_expr x[4]);
void cmb_euler_transposed(cmb_graph *g, const cmb_expr p[4], cmb_vector y, cmb_expr out[4]);

#endif
