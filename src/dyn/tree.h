/*
 * The tree of links: a mechanism's joints decomposed into elementary motions, with a frame for each; the basis of kinematics and recursions.
 *
 * A link moves relative to its parent by a turn about its z axis, a shift along it, a rotation given by Euler parameters, or
 * (Cartesian formulation) freely, with position and Euler parameters as coordinates and their rates as velocities.
 * A universal joint is two links, a free joint four; intermediate links have no mass. Bodies connected by fixed joints share a link.
 *
 * In the design position the coordinates of turns and shifts are 0. Their frames (R0, r0) there have the origin on the axis, z along it,
 * and x such that the transformation to the parent's frame is short: with θ its angle and r its offset
 *
 *     x_parent = r + Rz(β) Rx(α) Rz(γ + θ) x,       β = 0 for the first child of a turn or shift (modified Denavit–Hartenberg)
 *
 * If live parameters turn an axis, no such angles are valid for all their values; the transformation is then x_parent = r + F Rz(θ) x with a
 * matrix F of numbers, and the frame's x axis is chosen near a global axis.
 */
#ifndef CMB_DYN_TREE_H
#define CMB_DYN_TREE_H

#include "model/model.h"

typedef enum cmb_link_kind {
  CMB_LINK_TURN,  /* q: angle about z */
  CMB_LINK_SHIFT, /* q: displacement along z */
  CMB_LINK_BALL,  /* q: Euler parameters, v: angular velocity in the link's axes */
  CMB_LINK_CARTESIAN /* q: position of the origin, Euler parameters; v: their rates; the parent is the ground */
} cmb_link_kind;

/* Cosine and sine of a constant rotation about one axis, exact for quarter turns. */
typedef struct cmb_quarter {
  double c, s;
} cmb_quarter;

/* The moments of a mass distribution about an origin: Σ m, Σ m x, Σ m x xᵀ. */
typedef struct cmb_moments {
  cmb_number mass, first[3], second[9];
} cmb_moments;

typedef struct cmb_link {
  cmb_link_kind kind;
  int parent;              /* CMB_GROUND or a smaller number */
  int q, v;                /* first coordinate, first velocity */
  int v_before;            /* number of velocities of the links between this one and the ground */
  int joint;               /* index in the model; −1: none (Cartesian) */
  cmb_number R0[9], r0[3]; /* the frame in the design position; columns of R0 are its axes */
  cmb_number offset[3];    /* origin in the parent's frame */
  cmb_quarter beta, alpha, gamma;
  bool general;              /* F replaces β, α, γ */
  cmb_number F[9];           /* rotation from the link's axes at θ = 0 to the parent's */
  cmb_number mass;           /* of the bodies on it; 0: none */
  cmb_number first[3], J[9]; /* mass times centre, inertia about the origin, in the link's axes */
  /* base parameters: the moments without the parts that are attributed to the parent (base.c); joint coordinates only */
  cmb_moments reduced;
} cmb_link;

typedef struct cmb_tree {
  const cmb_model *model;
  cmb_graph *g; /* contains the expressions of its numbers */
  int link_count, nq, nv;
  cmb_link *links; /* (room) */
  int *body_link;  /* (bodies) CMB_GROUND for bodies fixed to the ground */
  /* (joints) the last link of a joint, of a fixed one its parent's; CMB_GROUND: none (yet) */
  int *joint_link;
} cmb_tree;

/* Return the number of coordinates and of velocities of a link. */
int cmb_link_coordinates(cmb_link_kind kind);
int cmb_link_velocities(cmb_link_kind kind);

/* Creates the tree for joint coordinates: links for all joints of the model. */
cmb_status cmb_tree_create(cmb_arena *arena, cmb_graph *g, const cmb_model *model, cmb_tree **tree);

/* Creates the tree for Cartesian coordinates: a link for each group of bodies that are fixed to each other. */
cmb_status cmb_tree_create_cartesian(cmb_arena *arena, cmb_graph *g, const cmb_model *model,
                                     cmb_tree **tree);

/* Adds the links of a joint as a massless branch that begins on link `parent` (Cartesian formulation, when a formula
 * uses the joint's coordinates). A constraint connects its last link with the joint's child. */
void cmb_tree_add_joint(cmb_tree *tree, int joint, int parent);

/* base.c: cmb_tree_choose_origins moves origins such that offsets are short, before the offsets are computed;
 * cmb_tree_move_masses computes the base parameters (`reduced`) of all links, afterwards and for joint coordinates only. */
void cmb_tree_choose_origins(cmb_tree *tree, int from);
void cmb_tree_move_masses(cmb_tree *tree);

/* Returns the first link whose parent is this one, −1 if there is none. */
int cmb_tree_first_child(const cmb_tree *tree, int link);

/* Returns the last common link on the paths from a and b to the ground, or CMB_GROUND. */
int cmb_tree_common(const cmb_tree *tree, int a, int b);

/* Convert a point of the design position to the frame of a link (or of the ground), and a direction to its axes. */
void cmb_tree_point(const cmb_tree *tree, int link, const cmb_number at[3], cmb_number x[3]);
void cmb_tree_direction(const cmb_tree *tree, int link, const cmb_number u[3], cmb_number x[3]);

/* A motion that a joint allows and that moves no mass in any position (idle.c). */
typedef struct cmb_idle {
  int joint;      /* −1: there is none */
  int count;      /* number of such motions of this joint */
  bool turn;      /* a turn about the axis, else a shift along it */
  bool bare;      /* nothing that moves with the joint has mass */
  double axis[3]; /* in the design position */
} cmb_idle;

/* Finds the first joint with a motion that moves no mass, searching from the leaves of the tree; idle->joint is −1 if none is found. */
cmb_status cmb_tree_idle(cmb_arena *scratch, const cmb_tree *tree, cmb_idle *idle);

#endif
