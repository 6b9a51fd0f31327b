/*
 * Kinematics as expressions: poses, velocities and accelerations of links, and the generalised forces of wrenches on them; used in most
 * files of this layer.
 *
 * A pose is relative to a base link (or the ground), as if that were at rest, and in its axes. Forces between two bodies
 * depend on the coordinates between them only: with their last common link as base the expressions, and so the
 * sparsity patterns, show that.
 */
#ifndef CMB_DYN_KINEMATICS_H
#define CMB_DYN_KINEMATICS_H

#include "dyn/tree.h"
#include "expr/algebra.h"

typedef struct cmb_pose {
  int base;
  cmb_matrix R;      /* transforms components in the link's axes to the base's axes */
  cmb_vector r;      /* the link's origin */
  cmb_vector w, v;   /* angular velocity, velocity of the origin */
  cmb_vector dw, dv; /* their time derivatives for v̇ = 0 */
  cmb_vector aw, av; /* their time derivatives for v̇ = a */
  struct cmb_pose *next;
} cmb_pose;

typedef struct cmb_kinematics {
  cmb_arena *arena;
  cmb_graph *g;
  cmb_tree *tree;
  cmb_expr t;
  /* inputs, one for each coordinate and velocity of the tree; more are added with joints */
  cmb_expr *q, *v, *a;
  const char **q_names, **v_names;
  cmb_pose **poses; /* (links) list of poses by base */
  cmb_pose *rest;   /* pose of the base itself */
  int *path;        /* (links) scratch of cmb_ways */
  bool *on_path;    /* (links) scratch, false between uses */
} cmb_kinematics;

cmb_status cmb_kinematics_create(cmb_arena *arena, cmb_graph *g, cmb_tree *tree,
                                 cmb_kinematics **k);

/* Creates the inputs q, v and a for the links from number `from` on, named after the model's coordinates or, of a Cartesian link, after its
 * first body. */
void cmb_kinematics_name(cmb_kinematics *k, int from);

/* Returns the pose of a link relative to `base`, which is a link on the path from `link` to the ground, or the link
 * itself, or CMB_GROUND. Returns NULL if out of memory. */
const cmb_pose *cmb_pose_of(cmb_kinematics *k, int link, int base);

/* A point x of a link, given in the link's axes: `arm` is the vector from the link's origin to the point in the
 * base's axes; then its position, velocity, acceleration for v̇ = 0 (bias) and acceleration for v̇ = a, relative to
 * the base. */
cmb_vector cmb_pose_arm(cmb_kinematics *k, const cmb_pose *p, const cmb_number x[3]);
cmb_vector cmb_point_position(cmb_kinematics *k, const cmb_pose *p, cmb_vector arm);
cmb_vector cmb_point_velocity(cmb_kinematics *k, const cmb_pose *p, cmb_vector arm);
cmb_vector cmb_point_bias(cmb_kinematics *k, const cmb_pose *p, cmb_vector arm);
cmb_vector cmb_point_acceleration(cmb_kinematics *k, const cmb_pose *p, cmb_vector arm);

/* The transformation from a link's frame to its parent's: rotation, and the position of the link's origin in the
 * parent's frame. */
typedef struct cmb_step {
  bool ball;
  cmb_matrix R;  /* of a ball: the rotation by its Euler parameters, before γ, α, β */
  cmb_expr c, s; /* cosine and sine of γ + θ */
  cmb_expr ca, sa, cb, sb;
  bool general; /* the matrix F is used instead of γ, α, β */
  cmb_matrix F;
  cmb_vector offset;
} cmb_step;

cmb_step cmb_step_of(cmb_kinematics *k, int link);
cmb_vector cmb_step_up(cmb_graph *g, const cmb_step *s,
                       cmb_vector x); /* transforms components to the parent's axes */
/* transforms components to the link's axes */
cmb_vector cmb_step_down(cmb_graph *g, const cmb_step *s, cmb_vector x);

/* Rotates a vector in a plane: (x_i, x_j) -> (c x_i − s x_j, s x_i + c x_j), where i and j follow `axis` cyclically. */
cmb_vector cmb_turn(cmb_graph *g, int axis, cmb_expr c, cmb_expr s, cmb_vector x);

/* The sum of forces on a link: moment about the link's origin and force, in the link's axes. `given`: it may be non-zero. */
typedef struct cmb_wrench {
  cmb_vector moment, force;
  bool given;
} cmb_wrench;

/* Adds the generalised forces of the wrenches `on` (links) to `out` (nv), along the paths to `base`. `on` is zero afterwards. */
void cmb_wrenches_project(cmb_kinematics *k, int base, cmb_wrench *on, cmb_expr *out);

/* Lists the links on the paths from the `count` links `from` to `base`, each once, in descending order, and returns
 * their number. *path is valid until the next call. */
int cmb_ways(cmb_kinematics *k, int base, int count, const int *from, const int **path);

/* Adds the generalised forces of wrenches that act only on the `count` links `from` to `out` (nv). The cost is
 * proportional to the length of the paths from them to `base`. `on` is zero afterwards. */
void cmb_wrenches_project_from(cmb_kinematics *k, int base, int count, const int *from,
                               cmb_wrench *on, cmb_expr *out);

/* Adds a moment and a force, given in the axes of the pose's base, to the wrench w on the pose's link. */
void cmb_wrench_add(cmb_kinematics *k, cmb_wrench *w, const cmb_pose *p, cmb_vector moment,
                    cmb_vector force);

/* Adds the components of a wrench along a link's own velocities to `out` (nv). */
void cmb_wrench_onto(cmb_kinematics *k, int link, const cmb_wrench *w, cmb_expr *out);

/* Products with the matrix L(p) of Euler parameters p, ω' = 2 L ṗ: L x for x (4), and Lᵀ y for y (3). */
cmb_vector cmb_euler_times(cmb_graph *g, const cmb_expr p[4], const cmb_expr x[4]);
void cmb_euler_transposed(cmb_graph *g, const cmb_expr p[4], cmb_vector y, cmb_expr out[4]);

#endif
