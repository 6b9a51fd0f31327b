/*
 * The records of a model inside the library: what the user wrote, checked and with every reference resolved. The reader (reader.h) fills them
 * in, and layer dyn forms the equations of motion from them.
 *
 * All numbers are final: parameters are replaced by their values, templates are unfolded, mirrored copies are mirrored; a number that
 * depends on live parameters (whose values can change later) has, beside its value, the expression of them (expr/number.h). Positions and
 * directions are those of the design position in the one global frame. Formulas stay text, because dyn knows what their names mean; each
 * formula has its place in the file and the scope in which its names are looked up.
 *
 * Names of the parts of a template instance "left" begin with "left."; a name in a formula of that instance is looked up as
 * "left.NAME" first, then as "NAME". The scope of an inner instance is "left.inner."; in the search one part is removed at a time.
 */
#ifndef CMB_MODEL_MODEL_H
#define CMB_MODEL_MODEL_H

#include "base/arena.h"
#include "base/error.h"
#include "expr/number.h"
#include "model/force_types.h"
#include "model/joint_types.h"
#include "model/road_types.h"

#include <camber/model.h>

/* A place in the user's input, for messages. A model that was made by calls has no lines: there the key is the place. */
typedef struct cmb_place {
  const char *file; /* file name; the model's name if it was made by calls */
  int line, column; /* from 1; line 0: unknown */
  const char *key;  /* "bodies/rod/mass"; NULL in files */
} cmb_place;

static inline cmb_place cmb_place_in(const char *file, int line, int column)
{
  return (cmb_place){.file = file, .line = line, .column = column};
}

/* Returns the place of the first character of a formula for the formula parser, which counts lines and columns from it: a text that is
 * in no file begins at line 1, column 1. */
static inline cmb_place cmb_place_of_text(cmb_place at)
{
  if (at.line == 0) at.line = at.column = 1;
  return at;
}

static inline cmb_about cmb_about_at(cmb_place at)
{
  cmb_about about = cmb_about_place(at.file, at.line, at.line > 0 ? at.column : 0);
  about.key = at.key;
  return about;
}

/* How formulas in a turned or mirrored copy of a template see directions, so that they compute the same as those of the original:
 * component i of a position, velocity or force is sign[i] times its component along row i of `axes`; of a rotation, angular velocity or
 * torque it is turn · sign[i] times that. In other scopes all signs are 1, and the axes are the global ones. */
typedef struct cmb_mirror {
  double sign[3];
  int turn;
  const double *axes; /* (9) rows: orthonormal, right-handed unit vectors; NULL: the global axes */
} cmb_mirror;

/* Copies row i of the axes, a unit vector in global coordinates, to axis[3]. */
static inline void cmb_mirror_axis(const cmb_mirror *m, int i, double axis[3])
{
  for (int k = 0; k < 3; k++) axis[k] = m->axes ? m->axes[3 * i + k] : i == k;
}

/* Returns whether row 2 of the axes (z, not mirrored) points up like the global z-axis. A scope in which it does not cannot have roads. */
static inline bool cmb_is_upright(const cmb_mirror *m)
{
  return !m->axes || (m->axes[6] == 0 && m->axes[7] == 0 && m->axes[8] > 0);
}

/* Returns whether two sets of axes, a[9] and b[9], are equal. Only NULL, which means the global axes, equals NULL. */
static inline bool cmb_same_axes(const double *a, const double *b)
{
  bool same = a == b || (a && b);
  for (int i = 0; same && a && i < 9; i++) same = a[i] == b[i];
  return same;
}

/* A formula as written in the model; text == NULL: not given. */
typedef struct cmb_model_formula {
  const char *text;
  cmb_place place;         /* of its first character; of the entry if the reader made it */
  const char *scope;       /* prefix with which its names are looked up first: "" or "left." */
  const char *subject;     /* what the formula belongs to, for messages: "output 'x'" */
  const char *kind, *name; /* the parts of `subject`: "output", "x" */
  cmb_mirror mirror;       /* that of the formula's scope; outputs always use the global axes */
} cmb_model_formula;

enum { CMB_GROUND = -1 }; /* number of the ground where a body is expected */

/* A point fixed to a body. */
typedef struct cmb_anchor {
  int body;
  cmb_number at[3]; /* position in the design position */
} cmb_anchor;

typedef struct cmb_model_body {
  const char *name;
  cmb_place place;
  cmb_number mass;       /* 0: a massless frame */
  cmb_number com[3];     /* centre of mass in the design position */
  cmb_number inertia[9]; /* about the centre of mass, in global axes in the design position */
  bool is_rod;
  cmb_number ends[2][3]; /* of a rod or cylinder, in the design position */
} cmb_model_body;

/* A named frame fixed to a body. */
typedef struct cmb_model_marker {
  const char *name;
  cmb_place place;
  cmb_anchor anchor;
  cmb_number axes[9]; /* rows are the unit vectors x, y, z of the frame in the design position */
  cmb_mirror mirror;  /* of the scope in which the marker is defined */
} cmb_model_marker;

/* The name and the stiffness, damping and friction of one velocity of a joint (the rate of an angle or displacement, or a component of
 * an angular velocity). */
typedef struct cmb_model_coordinate {
  const char *name; /* unique in the model: "crank", "car.x"; the velocity has a ' appended */
  cmb_number stiffness, reference; /* generalised force -stiffness (q - reference) */
  cmb_number damping;              /* - damping q' */
  /* generalised force − friction tanh(q' / friction_velocity), unless it sticks */
  cmb_number friction, friction_velocity;
  bool sticks;                /* generalised force − friction sign(q'), and while q' = 0 .. */
  cmb_number friction_static; /* .. at most this */
} cmb_model_coordinate;

typedef struct cmb_model_joint {
  const char *name;
  cmb_place place;
  cmb_joint_type type;
  int parent, child; /* numbers of bodies; parent may be CMB_GROUND */
  cmb_number at[3];
  /* unit vectors in the design position, as the type requires; 0 if not used */
  cmb_number axes[3][3];
  cmb_number pitch; /* of a screw: translation per revolution */
  /* +1; -1 in a mirrored copy if it has no Euler parameters: rotations are about -axes (see `mirror` in docs/model-format.md) */
  int turn;
  bool euler; /* its orientation is given by Euler parameters, .. */
  /* .. and its coordinates are components along these axes (9); NULL: along the global axes */
  const double *axes0;
  int nq, nv; /* numbers of coordinates and velocities */
  /* (nq) names of the coordinates; of Euler parameters NAME.p0 to NAME.p3 */
  const char *q_names[CMB_MOST_COORDINATES];
  /* (nv) name of the coordinate + "'", or NAME.wx' and so on for angular velocities, components in axes fixed to the child */
  const char *v_names[CMB_MOST_VELOCITIES];
  /* (nq) start values; default 0, and (1, 0, 0, 0) for Euler parameters */
  cmb_number q_start[CMB_MOST_COORDINATES];
  cmb_number v_start[CMB_MOST_VELOCITIES];
  cmb_model_coordinate coordinate[CMB_MOST_VELOCITIES]; /* (nv) */
} cmb_model_joint;

/* Types of loops, which are constraints between a frame on body a and one on body b with the same axes in the design position, or between
 * quantities in a formula. */
typedef enum cmb_loop_type {
  /* joints that can be loops have their joint type as number (joint_types.h) */
  CMB_LOOP_DISTANCE = CMB_JOINT_TYPES, /* |b - a| = length */
  CMB_LOOP_POINT_LINE,                 /* b on the line through a along axes[0] */
  CMB_LOOP_POINT_PLANE,                /* b in the plane through a with normal axes[0] */
  CMB_LOOP_FORMULA                     /* formula = 0; gears and motions, too */
} cmb_loop_type;

typedef struct cmb_model_loop {
  const char *name;
  cmb_place place;
  int type;              /* cmb_joint_type or cmb_loop_type */
  cmb_anchor a, b;       /* not used by CMB_LOOP_FORMULA */
  cmb_number axes[3][3]; /* fixed to a, as for joints; universal: axes[1] is fixed to b */
  /* the same directions as axes, fixed to b */
  cmb_number axes_b[3][3];
  /* CMB_LOOP_DISTANCE: a formula of t and inputs; text NULL: the distance in the design position */
  cmb_model_formula length;
  cmb_model_formula formula; /* CMB_LOOP_FORMULA */
  cmb_model_formula second; /* of a gear, formula - ratio second - offset = 0; text NULL: no gear */
  cmb_number ratio, offset;
  /* subtracted from the formula: the prescribed value of a motion; text NULL: 0 */
  cmb_model_formula minus;
  bool motion; /* defined in `motions`: its multiplier is the driving force */
} cmb_model_loop;

typedef struct cmb_model_input {
  const char *name;
  cmb_place place;
  cmb_model_formula formula; /* of t, parameters and tables */
} cmb_model_input;

/* A function given by points, used in formulas as NAME(x) or NAME(x, y) with the value scale · table(x / stretch[0], y / stretch[1]).
 * Factors that are plain numbers are applied to the points when the model is read, and are 1 here. */
typedef struct cmb_model_table {
  const char *name;
  cmb_place place;
  cmb_table *table;
  int arguments; /* 1 or 2 */
  cmb_number scale, stretch[2];
} cmb_model_table;

/* A named quantity: the distance of two points (NAME, and its rate NAME.rate), or a formula. */
typedef struct cmb_model_measure {
  const char *name;
  cmb_place place;
  bool distance;
  cmb_anchor a, b;
  cmb_model_formula formula; /* if it is no distance */
} cmb_model_measure;

/* A first-order state, given by the formula of its rate; forces, other rates, outputs and events may depend on it. */
typedef struct cmb_model_state {
  const char *name;
  cmb_place place;
  cmb_model_formula rate; /* text NULL: a state of a tyre .. */
  int tyre; /* .. which is the force with this number, from 1; its rate is defined in dyn */
  cmb_number start;
  const char *unit, *title; /* "" if not given */
} cmb_model_state;

/* A sampled value: at each instant of its controller it becomes the value of its formula. The formulas of one instant all use the values
 * from before. */
typedef struct cmb_model_sampled {
  const char *name;
  cmb_place place;
  int controller;
  double start; /* value before the first sample */
  cmb_model_formula update;
  const char *unit; /* "" if not given */
} cmb_model_sampled;

/* A controller, which computes its sampled values at the times phase + k period, k = 0, 1, .. */
typedef struct cmb_model_controller {
  const char *name;
  cmb_place place;
  double period, phase;
} cmb_model_controller;

/* An unknown of an implicit function, which has as many equations as unknowns. */
typedef struct cmb_model_unknown {
  const char *name; /* the function's own name, or "touch.u" in a group */
  cmb_model_formula start;
  double size; /* typical size: Newton corrections are compared with this or with the value */
} cmb_model_unknown;

typedef struct cmb_model_implicit {
  const char *name;
  cmb_place place;
  bool group; /* written as a group, with the keys `unknowns` and `equations` */
  int count;  /* of unknowns and of equations */
  cmb_model_unknown unknown[CMB_MOST_UNKNOWNS];
  cmb_model_formula equation[CMB_MOST_UNKNOWNS];
} cmb_model_implicit;

/* A surface on which wheels and contacts roll; in formulas NAME(x, y) is its height. */
typedef struct cmb_model_road {
  const char *name;
  cmb_place place;
  cmb_road_type type;
  cmb_number n[CMB_MOST_ROAD_NUMBERS]; /* the numbers in the row of its type (road_types.h) */
  cmb_model_formula height;            /* of CMB_ROAD_FORMULA; else text NULL */
  cmb_model_formula friction;          /* text NULL: 1 */
  int count;                           /* of steps, or of the roads of a sum */
  cmb_table *waves;                    /* of a random road: its height as a function of s and n */
  bool striped;                        /* the waves do not depend on n */
  int *parts;                          /* (count) numbers of the roads of a sum */
  const cmb_model_table *table;        /* of a profile or an OpenCRG file */
  cmb_table *line; /* of an OpenCRG road that turns: (s, n) -> (u, v) (expr/foot.h) */

  /* of roads with a place (cmb_road_row.placed) */
  cmb_number at[3];               /* where the road begins; heights are counted from here */
  cmb_number along[2], across[2]; /* horizontal unit vectors along s and along n */
  cmb_number scale;               /* factor of the heights */
} cmb_model_road;

typedef struct cmb_model_force {
  const char *name;
  cmb_place place;
  cmb_force_type type;
  /* spring, bushing, spheres: both ends; load: b, and a.body if there is a reaction body; contact, tyre: b */
  cmb_anchor a, b;
  const char *coordinate; /* CMB_FORCE_COORDINATE: full name of the coordinate */
  cmb_place coordinate_place;
  cmb_mirror mirror; /* of the scope in which the force is defined */

  /* spring and coordinate, where x is the length or the coordinate: pull = k (x - free_length) + preload + c x' + spring_table(x -
   * free_length) + damper_table(x') + formula */
  cmb_number stiffness, free_length, preload, damping;
  /* of a spring: the force is only -stiffness times the vector between its ends, which may coincide */
  bool from_zero;
  const cmb_model_table *spring_table, *damper_table; /* NULL: none */
  cmb_model_formula formula;

  /* bushing: displacement and rotation of b relative to a, in axes fixed to a */
  cmb_number axes[9];                                  /* rows x, y, z */
  cmb_number bushing_stiffness[6], bushing_damping[6]; /* three translations, three rotations */

  /* load */
  cmb_model_formula force[3], torque[3];
  /* rows: the directions of the components of force and torque in global axes; in mirrored copies these are not the global axes */
  double directions[9], torque_directions[9];
  bool body_frame; /* the directions are fixed to body b; else to the ground */

  /* contact: `surface` is a formula of x, y, z, t that is 0 on the surface and positive above it; its gradient may have any length */
  cmb_model_formula surface;

  /* The radius is that of a contact's sphere, or the sum of both radii of two spheres. Contact, with the penetration d: normal force
   * stiffness d^exponent + damping d'. Spheres: stiffness d^exponent (1 + 3/2 damping d'), damping in s/m. */
  cmb_number radius, exponent, friction, friction_velocity;
  bool sticks;                /* friction acts along friction_direction and sticks at up to .. */
  cmb_number friction_static; /* .. this times the normal force */
  cmb_number friction_direction[3];

  const struct cmb_model_tyre *tyre; /* of CMB_FORCE_TYRE (tyre.h), else NULL */
} cmb_model_force;

typedef struct cmb_model_output {
  const char *name;
  cmb_place place;
  cmb_model_formula formula;
  const char *unit;  /* as written, for tables and plots; "" if not given */
  const char *title; /* description; "" if not given */
} cmb_model_output;

/* The action `reset` of an event: the target, a quantity that is linear in velocities or in first-order states, gets a new value. */
typedef struct cmb_model_reset {
  cmb_model_formula target, value;
} cmb_model_reset;

typedef struct cmb_model_event {
  const char *name;
  cmb_place place;
  /* a condition, or a formula that is positive when the condition is true */
  cmb_model_formula when;
  int direction; /* +1: acts when the condition becomes true, -1: when it becomes false, 0: both */
  cmb_event_action action;
  int reset_count;
  cmb_model_reset *resets;
} cmb_model_event;

/* A rigid unilateral contact, whose gap cannot become negative: when it closes, the bodies rebound or stay in resting contact. */
typedef struct cmb_model_stop {
  const char *name;
  cmb_place place;
  cmb_model_formula gap; /* a formula of positions; of a contact its surface */
  bool contact;          /* of a sphere (radius 0: a point) about b with the surface gap = 0 */
  cmb_anchor b;
  cmb_number radius;
  cmb_impact_law law;
  /* 0 to 1: ratio of the relative velocities after and before the impact (Newton), or of the impulses of restitution and compression
   * (Poisson) */
  double restitution;
} cmb_model_stop;

typedef struct cmb_model_template {
  const char *name;
  cmb_place place;
  const char *title; /* "" if not given */
} cmb_model_template;

typedef struct cmb_model_parameter {
  const char *name;
  cmb_place place;
  const char *text, *unit, *title; /* as written; the last two are "" if not given */
  cmb_number number;
  /* its value can be changed later: the number is an input of the model's graph, and no expression of others */
  bool live;
} cmb_model_parameter;

typedef enum cmb_shape_type {
  CMB_SHAPE_LINE,     /* polyline through the points */
  CMB_SHAPE_BOX,      /* size: edges, about point 0, along axes */
  CMB_SHAPE_CYLINDER, /* from point 0 to point 1, with radius size[0] */
  CMB_SHAPE_SPHERE    /* around point 0, with radius size[0] */
} cmb_shape_type;

typedef struct cmb_model_shape {
  const char *name; /* "" if it has none */
  cmb_place place;
  cmb_shape_type type;
  int point_count;
  const cmb_anchor *points; /* each on its body: a line may connect several bodies */
  cmb_number size[3];
  cmb_number axes[9];
  const char *colour; /* "" if not given: "#rrggbb" or a CSS name */
} cmb_model_shape;

/* A condition that numbers of the model have to meet for all values of the live parameters (limits.h). */
typedef struct cmb_model_limit cmb_model_limit;

/* A file from which the model was read: an included file, a table's CSV and so on. */
typedef struct cmb_model_file {
  const char *path;
  const struct cmb_model_file *next;
} cmb_model_file;

struct cmb_model {
  cmb_context *ctx;
  cmb_arena *arena;
  const char *name, *title, *path;
  cmb_place place; /* of the model as a whole, for messages */
  const cmb_model_file *files;
  cmb_graph *graph; /* of the expressions of live numbers; NULL: no parameter is live */
  const cmb_model_limit *limits; /* conditions on live numbers (limits.h) */
  cmb_number gravity[3];

  int parameter_count, body_count, marker_count, joint_count, loop_count, input_count, table_count,
      measure_count, state_count, controller_count, sampled_count, implicit_count, force_count,
      output_count, event_count, stop_count, shape_count, template_count, default_count, road_count;
  cmb_model_parameter *parameters; /* full names, final values */
  cmb_model_template *templates;   /* those of the model itself, not those inside of templates */
  cmb_model_body *bodies;
  cmb_model_marker *markers;
  /* each body but the ground is the child of exactly one; parents come before children */
  cmb_model_joint *joints;
  cmb_model_loop *loops; /* with the motions at the end */
  cmb_model_input *inputs;
  cmb_model_table *tables;
  cmb_model_measure *measures;
  cmb_model_state *states;
  cmb_model_controller *controllers;
  cmb_model_sampled *sampled;
  cmb_model_implicit *implicits;
  cmb_model_force *forces;
  cmb_model_output *outputs;
  cmb_model_event *events;
  cmb_model_stop *stops;
  cmb_model_shape *shapes;
  cmb_model_default *defaults;
  cmb_model_road *roads;
};

/* Returns whether `file`, the file of a place, means the text of cmb_model_options.addition. */
bool cmb_is_addition(const char *file);

#endif
