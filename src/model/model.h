/*
 * The inside of a model: what the user wrote, checked and with every reference resolved, for layer dyn.
 *
 * All numbers are final: parameters are put in, templates are unfolded, mirrored copies are mirrored; those that depend on parameters
 * that stay live are expressions of these beside their values (expr/number.h). Positions and directions are those of the design
 * position in the one global frame. Formulas stay text, because what a name means in them is for dyn to say; each knows where it
 * stands in the file and in which scope its names are looked up.
 *
 * Names of what a template instance "left" makes begin with "left."; a name in a formula of that instance is looked up as
 * "left.NAME" first, then as "NAME". The scope of an inner instance is "left.inner."; one part is taken off at a time.
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
#include <string.h>

/* Where something stands. In a model that was made by calls there are no lines: the key is the place. */
typedef struct cmb_place {
  const char *file; /* of a model that was made by calls its name */
  int line, column; /* from 1; line 0: none */
  const char *key;  /* "bodies/rod/mass"; NULL in files */
} cmb_place;

static inline cmb_place cmb_place_in(const char *file, int line, int column)
{
  return (cmb_place){.file = file, .line = line, .column = column};
}

/* Of the first character of a formula, for its parser: a text that stands in no line begins a line of its own. */
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

/* How formulas of a turned or mirrored copy see what has a direction, so that they compute what those of the original do: component i of a
 * position, velocity or force is sign[i] times the one along row i of `axes`, that of a turn or torque turn sign[i] times. Elsewhere all
 * signs are 1, and the axes are the global ones. */
typedef struct cmb_mirror {
  double sign[3];
  int turn;
  const double *axes; /* (9) orthonormal and right-handed; NULL: the global ones */
} cmb_mirror;

/* Row i of the axes. */
static inline void cmb_mirror_axis(const cmb_mirror *m, int i, double axis[3])
{
  for (int k = 0; k < 3; k++) axis[k] = m->axes ? m->axes[3 * i + k] : i == k;
}

/* Whether the axes' z points up as the global one does: where it does not, or is mirrored, there can be no roads. */
static inline bool cmb_is_upright(const cmb_mirror *m)
{
  return !m->axes || (m->axes[6] == 0 && m->axes[7] == 0 && m->axes[8] > 0);
}

/* Whether both are the global axes, or the same others. */
static inline bool cmb_same_axes(const double *a, const double *b)
{
  return a == b || (a && b && memcmp(a, b, 9 * sizeof *a) == 0);
}

/* A formula as written. text == NULL: not given. */
typedef struct cmb_model_formula {
  const char *text;
  cmb_place place;         /* of its first character */
  const char *scope;       /* "" or "left." */
  const char *subject;     /* what it belongs to, for messages: "output 'x'" */
  const char *kind, *name; /* the same as data: "output", "x" */
  cmb_mirror mirror;       /* that of its scope; outputs have none */
} cmb_model_formula;

enum { CMB_GROUND = -1 }; /* as a body's number */

/* A point fixed to a body. */
typedef struct cmb_anchor {
  int body;
  cmb_number at[3]; /* in the design position */
} cmb_anchor;

typedef struct cmb_model_body {
  const char *name;
  cmb_place place;
  cmb_number mass;       /* 0: a massless frame */
  cmb_number com[3];     /* centre of mass in the design position */
  cmb_number inertia[9]; /* about the centre of mass, in global axes in the design position */
  bool is_rod;
  cmb_number ends[2][3]; /* of a rod, in the design position */
} cmb_model_body;

/* A named frame fixed to a body. */
typedef struct cmb_model_marker {
  const char *name;
  cmb_place place;
  cmb_anchor anchor;
  cmb_number axes[9]; /* rows are the unit vectors x, y, z of the frame in the design position */
  cmb_mirror mirror;  /* of the scope that it is written in */
} cmb_model_marker;

/* What belongs to one velocity of a joint (an angle, a displacement, a component of an angular velocity). */
typedef struct cmb_model_coordinate {
  const char *name; /* unique in the model: "crank", "car.x"; the velocity is NAME' */
  cmb_number stiffness, reference;        /* generalised force -stiffness (q - reference) */
  cmb_number damping;                     /* - damping q' */
  cmb_number friction, friction_velocity; /* - friction tanh(q' / friction_velocity), or .. */
  bool sticks;                            /* .. - friction sign(q'), and where q' is held at 0 .. */
  cmb_number friction_static;             /* .. anything up to this */
} cmb_model_coordinate;

typedef struct cmb_model_joint {
  const char *name;
  cmb_place place;
  cmb_joint_type type;
  int parent, child; /* bodies; parent may be CMB_GROUND */
  cmb_number at[3];
  cmb_number axes[3][3]; /* unit vectors in the design position, as the type says; not used: 0 */
  cmb_number pitch;      /* of a screw: translation a turn */
  int turn; /* +1; -1 in a mirrored copy: rotations are about -axes (see `mirror` in docs/model-format.md) */
  bool euler;          /* it has Euler parameters, and */
  const double *axes0; /* (9) the axes that its coordinates count along, as in cmb_mirror */
  int nq, nv;          /* coordinates and velocities */
  const char
      *q_names[CMB_MOST_COORDINATES]; /* all coordinates; with Euler parameters NAME.p0 .. p3 */
  const char *v_names
      [CMB_MOST_VELOCITIES]; /* q name + "'", or NAME.wx' .. for angular velocities: components in the body */
  cmb_number
      q_start[CMB_MOST_COORDINATES]; /* design position: 0, and (1, 0, 0, 0) for Euler parameters */
  cmb_number v_start[CMB_MOST_VELOCITIES];
  cmb_model_coordinate coordinate[CMB_MOST_VELOCITIES]; /* for each velocity */
} cmb_model_joint;

/* Loops: constraints between a frame on body a and one on body b, which coincide in the design position unless stated. */
typedef enum cmb_loop_type {
  /* the types of joints that can be loops have the same numbers (joint_types.h) */
  CMB_LOOP_DISTANCE = CMB_JOINT_TYPES, /* |b - a| = length */
  CMB_LOOP_POINT_LINE,                 /* b on the line through a along axes[0] */
  CMB_LOOP_POINT_PLANE,                /* b in the plane through a with normal axes[0] */
  CMB_LOOP_FORMULA                     /* formula = 0; gears and motions too */
} cmb_loop_type;

typedef struct cmb_model_loop {
  const char *name;
  cmb_place place;
  int type;              /* cmb_joint_type or cmb_loop_type */
  cmb_anchor a, b;       /* not of CMB_LOOP_FORMULA */
  cmb_number axes[3][3]; /* fixed to a, as for joints; universal: axes[1] is fixed to b */
  cmb_number
      axes_b[3]
            [3]; /* the same directions fixed to b: equal to axes unless the model says otherwise */
  cmb_model_formula
      length; /* CMB_LOOP_DISTANCE: a formula of t and inputs; text NULL: as in the design position */
  cmb_model_formula formula; /* CMB_LOOP_FORMULA */
  cmb_model_formula second;  /* of a gear, formula - ratio second - offset = 0; text NULL: none */
  cmb_number ratio, offset;
  cmb_model_formula minus; /* to be subtracted from it (the value of a motion); text NULL: 0 */
  bool motion;             /* came from `motions`: its multiplier is the driving force */
} cmb_model_loop;

typedef struct cmb_model_input {
  const char *name;
  cmb_place place;
  cmb_model_formula formula; /* of t, parameters and tables */
} cmb_model_input;

/* A function given by points; in formulas NAME(x), or NAME(x, y): scale table(x / stretch[0], y / stretch[1]). Scales that are numbers are in
 * the points already: these are 1 then. */
typedef struct cmb_model_table {
  const char *name;
  cmb_place place;
  cmb_table *table;
  int arguments; /* 1 or 2 */
  cmb_number scale, stretch[2];
} cmb_model_table;

/* A named quantity: the distance of two points (NAME, NAME.rate), or a formula. */
typedef struct cmb_model_measure {
  const char *name;
  cmb_place place;
  bool distance;
  cmb_anchor a, b;
  cmb_model_formula formula; /* if not a distance */
} cmb_model_measure;

/* A state: what grows at this rate, and forces, other rates, outputs and events may depend on. */
typedef struct cmb_model_state {
  const char *name;
  cmb_place place;
  cmb_model_formula rate; /* text NULL: that of a tyre .. */
  int tyre;               /* .. the force of this number, from 1 */
  cmb_number start;
  const char *unit, *title; /* "" if not given */
} cmb_model_state;

/* A sampled value: a formula at the instants of its controller, which all formulas of an instant read as it was before. */
typedef struct cmb_model_sampled {
  const char *name;
  cmb_place place;
  int controller;
  double start; /* before the first sample */
  cmb_model_formula update;
  const char *unit; /* "" if not given */
} cmb_model_sampled;

/* Samples at the times phase + k period, k = 0, 1, .. */
typedef struct cmb_model_controller {
  const char *name;
  cmb_place place;
  double period, phase;
} cmb_model_controller;

/* Unknowns that equations are solved for, as many as there are equations. */
typedef struct cmb_model_unknown {
  const char *name; /* that of the whole, or "touch.u" */
  cmb_model_formula start;
  double size; /* corrections are small beside this, or beside the value */
} cmb_model_unknown;

typedef struct cmb_model_implicit {
  const char *name;
  cmb_place place;
  bool group; /* written as one, with names for its unknowns */
  int count;
  cmb_model_unknown unknown[CMB_MOST_UNKNOWNS];
  cmb_model_formula equation[CMB_MOST_UNKNOWNS];
} cmb_model_implicit;

/* What wheels and contacts roll on; in formulas NAME(x, y) is its height. */
typedef struct cmb_model_road {
  const char *name;
  cmb_place place;
  cmb_road_type type;
  cmb_number n[CMB_MOST_ROAD_NUMBERS]; /* as the row of its type says */
  cmb_model_formula height;            /* of a formula; else text NULL */
  cmb_model_formula friction;          /* text NULL: 1 */
  int count;                           /* of steps or roads */
  cmb_table *waves;                    /* of a random one, functions of s and n */
  bool striped;                        /* the waves do not depend on n */
  int *parts;                          /* (count) the roads of a sum */
  const cmb_model_table *table;        /* of a profile or a crg */
  cmb_table *line;                     /* of a crg that turns: u and v from s and n (expr/foot.h) */

  /* of those that have a place */
  cmb_number at[3];               /* where it begins; heights count from here */
  cmb_number along[2], across[2]; /* unit vectors in the direction of s and of n */
  cmb_number scale;               /* what heights are multiplied by */
} cmb_model_road;

typedef struct cmb_model_force {
  const char *name;
  cmb_place place;
  cmb_force_type type;
  cmb_anchor a,
      b; /* spring, bushing: both; load: b, and a.body if there is a reaction body; contact: b */
  const char *coordinate; /* CMB_FORCE_COORDINATE: full name of a coordinate */
  cmb_place coordinate_place;
  cmb_mirror mirror; /* of the scope that it is written in */

  /* spring and coordinate, x the length or coordinate: pull = k (x - free) + preload + c x' + spring_table(x - free)
   * + damper_table(x') + formula. */
  cmb_number stiffness, free_length, preload, damping;
  bool
      from_zero; /* of a spring: the force is -stiffness times the vector between its ends, and nothing else */
  const cmb_model_table *spring_table, *damper_table; /* NULL: none */
  cmb_model_formula formula;

  /* bushing: displacement and rotation of b in the axes fixed to a */
  cmb_number axes[9];                                  /* rows x, y, z */
  cmb_number bushing_stiffness[6], bushing_damping[6]; /* translation, rotation */

  /* load */
  cmb_model_formula force[3], torque[3];
  double directions[9],
      torque_directions
          [9];     /* rows: the directions that the components count along; not those of the
                                                 global frame in mirrored copies */
  bool body_frame; /* the directions are fixed to body b, else to the ground */

  /* contact: `surface` is a formula of x, y, z, t: 0 on the surface, positive above it; its gradient need not be of length 1 */
  cmb_model_formula surface;

  /* contact and spheres, where it is the sum of both radii; there the force is stiffness d^exponent (1 + 3/2 damping d'), damping in s/m */
  cmb_number radius, exponent, friction,
      friction_velocity;      /* stiffness, damping as above: stiffness d^exponent + damping d' */
  bool sticks;                /* friction along one direction holds, with up to .. */
  cmb_number friction_static; /* .. this part of the normal force */
  cmb_number friction_direction[3];

  const struct cmb_model_tyre *tyre; /* of a tyre: tyre.h */
} cmb_model_force;

typedef struct cmb_model_output {
  const char *name;
  cmb_place place;
  cmb_model_formula formula;
  const char *unit;  /* as written, for tables and plots; "" if not given */
  const char *title; /* what it is; "" if not given */
} cmb_model_output;

/* A quantity that is linear in the velocities gets a new value. */
typedef struct cmb_model_reset {
  cmb_model_formula target, value;
} cmb_model_reset;

typedef struct cmb_model_event {
  const char *name;
  cmb_place place;
  cmb_model_formula when; /* a condition, or a formula that is positive when it is met */
  int direction;          /* +1: when it comes to be met, -1: when it ceases to be, 0: both */
  cmb_event_action action;
  int reset_count;
  cmb_model_reset *resets;
} cmb_model_event;

/* A gap that cannot become negative: where it closes the bodies rebound, or come to rest on each other. */
typedef struct cmb_model_stop {
  const char *name;
  cmb_place place;
  cmb_model_formula gap; /* a formula of positions; of a contact its surface */
  bool contact;          /* of a point or sphere on b, with this radius, against the surface */
  cmb_anchor b;
  cmb_number radius;
  cmb_impact_law law;
  double
      restitution; /* 0 to 1: what is left of the relative velocity (Newton), or comes back of the impulse (Poisson) */
} cmb_model_stop;

typedef struct cmb_model_template {
  const char *name;
  cmb_place place;
  const char *title; /* "" if not given */
} cmb_model_template;

typedef struct cmb_model_parameter {
  const char *name;
  cmb_place place;
  const char *text, *unit, *title; /* as written, the last two "" if not given */
  cmb_number number;
  bool
      live; /* it can be set at any time: the number is an input of the model's graph, and not an expression of others */
} cmb_model_parameter;

typedef enum cmb_shape_type {
  CMB_SHAPE_LINE,     /* polyline through the points */
  CMB_SHAPE_BOX,      /* size: edges, about point 0, along axes */
  CMB_SHAPE_CYLINDER, /* from point 0 to point 1, radius size[0] */
  CMB_SHAPE_SPHERE    /* about point 0, radius size[0] */
} cmb_shape_type;

typedef struct cmb_model_shape {
  const char *name; /* "" if it has none */
  cmb_place place;
  cmb_shape_type type;
  int point_count;
  const cmb_anchor *points; /* each on its body: a line may connect bodies */
  cmb_number size[3];
  cmb_number axes[9];
  const char *colour; /* "" if not given: "#rrggbb" or a CSS name */
} cmb_model_shape;

/* What numbers that depend on live parameters have to be (limits.h). */
typedef struct cmb_model_limit cmb_model_limit;

/* A file that the model includes or takes numbers from. */
typedef struct cmb_model_file {
  const char *path;
  const struct cmb_model_file *next;
} cmb_model_file;

struct cmb_model {
  cmb_context *ctx;
  cmb_arena *arena;
  const char *name, *title, *path;
  cmb_place place; /* of the whole */
  const cmb_model_file *files;
  cmb_graph *graph;              /* of live numbers; NULL: no parameter is live */
  const cmb_model_limit *limits; /* what live numbers have to be (limits.h) */
  cmb_number gravity[3];

  int parameter_count, body_count, marker_count, joint_count, loop_count, input_count, table_count,
      measure_count, state_count, controller_count, sampled_count, implicit_count, force_count,
      output_count, event_count, stop_count, shape_count, template_count, default_count, road_count;
  cmb_model_parameter *parameters; /* full names, final values */
  cmb_model_template *templates;   /* the model's own, not those inside of others */
  cmb_model_body *bodies;
  cmb_model_marker *markers;
  cmb_model_joint *
      joints; /* each body but the ground is the child of exactly one; parents come before children */
  cmb_model_loop *loops; /* motions too, at the end */
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

/* Whether something stands in what cmb_model_options.addition has, and not in a file. */
bool cmb_is_addition(const char *file);

#endif
