/*
 * The table of joint types: directions, elementary motions and constraints of each, used by the reader of models, for the tree of links, for
 * the constraints of loops and of Cartesian coordinates, for queries of a model and by the random tests.
 */
#ifndef CMB_MODEL_JOINT_TYPES_H
#define CMB_MODEL_JOINT_TYPES_H

#include <stdbool.h>

typedef enum cmb_joint_type {
  CMB_JOINT_FIXED,
  CMB_JOINT_REVOLUTE,    /* axes[0]: the axis */
  CMB_JOINT_PRISMATIC,   /* axes[0] */
  CMB_JOINT_CYLINDRICAL, /* axes[0]; coordinates: translation, rotation */
  /* axes[0] on the parent, axes[1] on the child, perpendicular; coordinates: the two angles */
  CMB_JOINT_UNIVERSAL,
  /* axes[0..2]: three angles, each about an axis rotated by the angles before it; or Euler parameters */
  CMB_JOINT_SPHERICAL,
  /* axes[2]: the normal; coordinates: along axes[0], along axes[1], angle about axes[2] */
  CMB_JOINT_PLANAR,
  /* axes[0]; coordinates as of a cylindrical joint, with the constraint translation = pitch · number of turns */
  CMB_JOINT_SCREW,
  /* axes[2]: the direction of both shafts when they are in line; Euler parameters; no relative rotation about the shaft */
  CMB_JOINT_CONSTANT_VELOCITY,
  CMB_JOINT_TRANSLATION, /* axes: a frame; coordinates: along its three axes */
  /* coordinates: x, y, z along the global axes, in a turned copy along its own (fixed to the parent), Euler parameters */
  CMB_JOINT_FREE,
  CMB_JOINT_TYPES
} cmb_joint_type;

enum { CMB_MOST_COORDINATES = 7, CMB_MOST_VELOCITIES = 6, CMB_MOST_STAGES = 4, CMB_MOST_HOLDS = 2 };

/* How the directions of a joint are written in a file. */
typedef enum cmb_joint_directions {
  CMB_AXES_NONE,
  CMB_AXES_ONE, /* axis: D, into axes[0] */
  CMB_AXES_TWO, /* axes: [D, D], perpendicular */
  /* axes: [D, D, D], each perpendicular to the one before; default: the axes of the scope */
  CMB_AXES_THREE,
  CMB_AXES_PLANE, /* normal: D, or axes: [D, D] in the plane */
  CMB_AXES_SHAFT, /* axis: D, into axes[2]; axes[0] and axes[1] are chosen perpendicular to it */
  CMB_AXES_FRAME  /* axes: {x: D, y: D} or another two; default: the axes of the scope */
} cmb_joint_directions;

/* The elementary motions of which a joint is composed, each relative to the preceding one: a translation, a rotation about an axis, a free
 * rotation. */
typedef enum cmb_joint_motion {
  CMB_MOTION_SHIFT,
  CMB_MOTION_TURN,
  CMB_MOTION_BALL
} cmb_joint_motion;

typedef struct cmb_joint_stage {
  cmb_joint_motion motion;
  int axis;    /* number of the joint's axis; not used by CMB_MOTION_BALL */
  bool global; /* `axis` is a global axis instead, in a turned copy one of its own */
} cmb_joint_stage;

/* The constraints between two frames that a joint imposes (dyn/constraints.c). */
typedef enum cmb_joint_condition {
  CMB_HOLD_NONE,
  CMB_HOLD_POINT,    /* the two points coincide */
  CMB_HOLD_FRAMES,   /* no relative rotation of the two frames */
  CMB_HOLD_LINE,     /* b's point is on the axis of a */
  CMB_HOLD_PARALLEL, /* an axis of a and the same axis of b stay parallel */
  CMB_HOLD_ACROSS,   /* axis 0 of a stays perpendicular to axis 1 of b */
  CMB_HOLD_PLANE,    /* b's point is in the plane of a perpendicular to the axis */
  CMB_HOLD_TWIST /* no relative rotation about the axis: e1_a·e2_b = e2_a·e1_b, e1 and e2 perpendicular to it */
} cmb_joint_condition;

/* A constraint that remains when the joint is described by its own coordinates. */
typedef enum cmb_joint_own {
  CMB_OWN_NONE,
  CMB_OWN_PITCH, /* first coordinate = pitch · turns of the second */
  CMB_OWN_TWIST  /* as CMB_HOLD_TWIST */
} cmb_joint_own;

typedef struct cmb_joint_row {
  const char *name;
  /* default suffixes of the coordinates' names (not of Euler parameters) */
  const char *suffix[CMB_MOST_COORDINATES];
  /* a further key: `orientation`, or that of a number that must be given; NULL: none */
  const char *more;
  int stage_count;
  cmb_joint_stage stage[CMB_MOST_STAGES];
  struct {
    cmb_joint_condition kind;
    int axis;
  } hold[CMB_MOST_HOLDS];
  cmb_joint_own own;
  cmb_joint_directions directions;
  bool point;   /* `at` must be given */
  bool orients; /* `orientation` can choose Euler parameters */
  bool euler;   /* it always has Euler parameters */
  bool loop;    /* a loop can have this type, too */
} cmb_joint_row;

extern const cmb_joint_row cmb_joint_rows[CMB_JOINT_TYPES];

/* Return the number of coordinates of a joint of this type (one more with `euler`, that is, with Euler parameters), the number of its
 * velocities, and the number of its translations. */
int cmb_joint_coordinates(cmb_joint_type type, bool euler);
int cmb_joint_velocities(cmb_joint_type type);
int cmb_joint_translations(cmb_joint_type type);

#endif
