/*
 * The types of joints, a row each: what the reader, the tree of links, the constraints of loops and Cartesian coordinates, the outputs and
 * the random tests need to know of them.
 */
#ifndef CMB_MODEL_JOINT_TYPES_H
#define CMB_MODEL_JOINT_TYPES_H

#include <stdbool.h>

typedef enum cmb_joint_type {
  CMB_JOINT_FIXED,
  CMB_JOINT_REVOLUTE,    /* axes[0]: the axis */
  CMB_JOINT_PRISMATIC,   /* axes[0] */
  CMB_JOINT_CYLINDRICAL, /* axes[0]; coordinates: translation, rotation */
  CMB_JOINT_UNIVERSAL, /* axes[0] on the parent, axes[1] on the child, perpendicular; coordinates: the two angles */
  CMB_JOINT_SPHERICAL, /* axes[0..2]: three angles, each about an axis turned by the angles before it; or Euler parameters */
  CMB_JOINT_TRANSLATION, /* axes: a frame; coordinates: along its three axes */
  CMB_JOINT_PLANAR, /* axes[2]: the normal; coordinates: along axes[0], along axes[1], angle about axes[2] */
  CMB_JOINT_SCREW, /* axes[0]; as cylindrical, and the translation is the pitch times the turns */
  CMB_JOINT_CONSTANT_VELOCITY, /* axes[2]: the shafts when they are in line; Euler parameters; no turn about the shaft */
  CMB_JOINT_FREE, /* coordinates: x, y, z along the global axes (of the parent), Euler parameters */
  CMB_JOINT_TYPES
} cmb_joint_type;

enum { CMB_MOST_COORDINATES = 7, CMB_MOST_VELOCITIES = 6, CMB_MOST_STAGES = 4, CMB_MOST_HOLDS = 2 };

/* How a joint's directions are written. */
typedef enum cmb_joint_directions {
  CMB_AXES_NONE,
  CMB_AXES_ONE, /* axis: D, into axes[0] */
  CMB_AXES_TWO, /* axes: [D, D], perpendicular */
  CMB_AXES_THREE, /* axes: [D, D, D], each perpendicular to the one before; the global ones if there are none */
  CMB_AXES_PLANE, /* normal: D, or axes: [D, D] in the plane */
  CMB_AXES_SHAFT, /* axis: D, into axes[2], and two across it */
  CMB_AXES_FRAME  /* axes: {x: D, y: D}; the global ones if there are none */
} cmb_joint_directions;

/* The motions that a joint is made of, in the order in which they build on each other. */
typedef enum cmb_joint_motion {
  CMB_MOTION_SHIFT,
  CMB_MOTION_TURN,
  CMB_MOTION_BALL
} cmb_joint_motion;

typedef struct cmb_joint_stage {
  cmb_joint_motion motion;
  int axis;    /* of the joint's axes; of a ball not used */
  bool global; /* one of the global axes in their place */
} cmb_joint_stage;

/* What keeps two frames in the relation that a joint allows (dyn/constraints.c). */
typedef enum cmb_joint_condition {
  CMB_HOLD_NONE,
  CMB_HOLD_POINT,    /* the two points coincide */
  CMB_HOLD_FRAMES,   /* the two frames do not turn against each other */
  CMB_HOLD_LINE,     /* b's point is on the axis */
  CMB_HOLD_PARALLEL, /* the axes of both stay parallel */
  CMB_HOLD_ACROSS,   /* axis 0 of a stays perpendicular to axis 1 of b */
  CMB_HOLD_PLANE,    /* b's point is in the plane across the axis */
  CMB_HOLD_TWIST     /* no turn about the axis: e1_a·e2_b = e2_a·e1_b, e1 and e2 across it */
} cmb_joint_condition;

/* What the coordinates alone do not guarantee: a constraint in joint coordinates, too. */
typedef enum cmb_joint_own {
  CMB_OWN_NONE,
  CMB_OWN_PITCH, /* the first coordinate is the pitch times the turns of the second */
  CMB_OWN_TWIST  /* as CMB_HOLD_TWIST */
} cmb_joint_own;

typedef struct cmb_joint_row {
  const char *name;
  const char
      *suffix[CMB_MOST_COORDINATES]; /* of the coordinates' names, without Euler parameters */
  const char
      *more; /* a further key: `orientation`, or of a number that must be given; NULL: none */
  int stage_count;
  cmb_joint_stage stage[CMB_MOST_STAGES];
  struct {
    cmb_joint_condition kind;
    int axis;
  } hold[CMB_MOST_HOLDS];
  cmb_joint_own own;
  cmb_joint_directions directions;
  bool point;   /* `at` must be given */
  bool orients; /* `orientation` may say that it has Euler parameters */
  bool euler;   /* it always has */
  bool loop;    /* there is a loop of this name */
} cmb_joint_row;

extern const cmb_joint_row cmb_joint_rows[CMB_JOINT_TYPES];

/* Coordinates, velocities and translations of a joint of this type. */
int cmb_joint_coordinates(cmb_joint_type type, bool euler);
int cmb_joint_velocities(cmb_joint_type type);
int cmb_joint_translations(cmb_joint_type type);

#endif
