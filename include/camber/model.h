/*
 * Camber, layer model: a mechanism as its user wrote it, read from a YAML file (docs/model-format.md).
 *
 *     cmb_model_read(ctx, "models/fivelink.yaml", NULL, &model);
 *
 * or made by calls (cmb_draft).
 */
#ifndef CAMBER_MODEL_H
#define CAMBER_MODEL_H

#include <camber/expr.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cmb_model cmb_model;

typedef struct cmb_model_options {
  int set_count; /* parameters with other values than in the file */
  const char *const *set_names;
  const double *set_values;
  bool include_anywhere; /* included files may lie outside of the model's folder */
  /* folder in which `include` looks for files that are not beside the model; NULL: none */
  const char *library;
  /* Live parameters, whose values can still be changed after the model is read (cmb_point, exported code). What is computed from them
   * stays an expression; all other numbers are fixed. live_all: all parameters that are not computed from others and that do not
   * determine fixed numbers, such as the number of copies. */
  int live_count;
  const char *const *live_names;
  bool live_all;
  /* further sections, as if the model included a file with this text; NULL: none */
  const char *addition;
} cmb_model_options;

/* Reads a model with all files that it includes. Returns CMB_ERROR_INPUT (CMB_ERROR_IO if the file cannot be read) on failure, with
 * "FILE:LINE:COL: what is wrong, and what was expected" in the context; *model is NULL then. options may be NULL. */
CMB_API cmb_status cmb_model_read(cmb_context *ctx, const char *path,
                                  const cmb_model_options *options, cmb_model **model);

/* Reads a model from `length` bytes of text in memory, as cmb_model_read does from a file; `path` is its name in messages, and included
 * files are looked for in the folder of this path. */
CMB_API cmb_status cmb_model_parse(cmb_context *ctx, const char *text, size_t length,
                                   const char *path, const cmb_model_options *options,
                                   cmb_model **model);
/* Frees a model; NULL is allowed. */
CMB_API void cmb_model_destroy(cmb_model *model);

/* A model made by calls instead of a file:
 *
 *     cmb_draft_create(ctx, "pendulum", &draft);
 *     cmb_draft_point(draft, "pivot", 0, 0, 0);
 *     cmb_draft_point(draft, "tip", 0, 0, -0.8);
 *     cmb_draft_rod(draft, "rod", 1.5, "pivot", "tip");
 *     cmb_draft_joint(draft, "swing", "revolute", "ground", "rod", "pivot", "y");
 *     cmb_draft_text(draft, "joints/swing/start", "30 deg");
 *     cmb_draft_model(draft, NULL, &model);
 *
 * A draft contains what a file contains, under the same keys and with the same texts (docs/model-format.md); it is read and checked like
 * a file when cmb_draft_model makes the model. A key is the path to a part: section, name, part, separated by '/'; '~1' stands for a '/'
 * in a name and '~0' for '~'. Maps on the path are created as needed. Entries of lists are numbered from 0: "shapes/0/colour"; the
 * number after the last one appends an entry.
 *
 * The first failure is kept in the draft: all later calls do nothing and return it, so that a program may check the last status alone.
 * Mistakes in the meaning are found when the model is made, and can be corrected then; cmb_error_of has the key: "bodies/rod/mass". */
typedef struct cmb_draft cmb_draft;

/* Creates an empty draft. `name` is the name of the model; included files and tables are looked for as if it were the path of a model
 * file. The draft belongs to the context, which must outlive it. */
CMB_API cmb_status cmb_draft_create(cmb_context *ctx, const char *name, cmb_draft **draft);
/* Frees a draft; NULL is allowed. */
CMB_API void cmb_draft_destroy(cmb_draft *draft);

/* Makes the model that the draft contains at present, as cmb_model_read does from a file. The draft can be changed and used again; the
 * model does not need it. */
CMB_API cmb_status cmb_draft_model(cmb_draft *draft, const cmb_model_options *options,
                                   cmb_model **model);

/* Set any part of the draft by its key: to a text (number, formula, name, unit), a finite number, which is kept to the last bit, a list
 * of texts or numbers, or a list of rows, x (rows x columns), such as points of a table. A text or list under the key is replaced, a map
 * is an error. All data are copied. */
CMB_API cmb_status cmb_draft_text(cmb_draft *draft, const char *key, const char *text);
CMB_API cmb_status cmb_draft_number(cmb_draft *draft, const char *key, double x);
CMB_API cmb_status cmb_draft_texts(cmb_draft *draft, const char *key, int count,
                                   const char *const *texts);
CMB_API cmb_status cmb_draft_numbers(cmb_draft *draft, const char *key, int count, const double *x);
CMB_API cmb_status cmb_draft_rows(cmb_draft *draft, const char *key, int rows, int columns,
                                  const double *x);

/* Add entries to the sections that most mechanisms have. It is an error if the section has an entry of this name already. Arguments that
 * may be NULL are left out then; further parts, and formulas instead of numbers, are set by their keys. */
CMB_API cmb_status cmb_draft_parameter(cmb_draft *draft, const char *name, double value);
CMB_API cmb_status cmb_draft_point(cmb_draft *draft, const char *name, double x, double y,
                                   double z);

/* Adds a body. com (3): the centre of mass in the design position; inertia (6): Ixx, Iyy, Izz, Ixy, Ixz, Iyz about it; NULL: none. */
CMB_API cmb_status cmb_draft_body(cmb_draft *draft, const char *name, double mass,
                                  const double *com, const double *inertia);

/* Adds a thin homogeneous rod between two points, given by their names. */
CMB_API cmb_status cmb_draft_rod(cmb_draft *draft, const char *name, double mass, const char *from,
                                 const char *to);

/* Adds a joint. parent: name of a body, NULL: the ground; at: a point, NULL if the type needs none; axis: its direction ("z"), or the
 * normal of a planar joint, NULL if the type has none or several (key "joints/NAME/axes"). */
CMB_API cmb_status cmb_draft_joint(cmb_draft *draft, const char *name, const char *type,
                                   const char *parent, const char *child, const char *at,
                                   const char *axis);

/* Adds a loop. a and b: points on bodies, "rod@tip"; axis: its direction, or NULL, as for joints. */
CMB_API cmb_status cmb_draft_loop(cmb_draft *draft, const char *name, const char *type,
                                  const char *a, const char *b, const char *axis);
/* Adds a spring and damper between two points on bodies, "rod@tip", with its free length as in the design position. */
CMB_API cmb_status cmb_draft_spring(cmb_draft *draft, const char *name, const char *a,
                                    const char *b, double stiffness, double damping);

/* Adds an output; unit may be NULL. */
CMB_API cmb_status cmb_draft_output(cmb_draft *draft, const char *name, const char *formula,
                                    const char *unit);

/* Adds an event. action: "record" or "stop"; NULL: record. */
CMB_API cmb_status cmb_draft_event(cmb_draft *draft, const char *name, const char *when,
                                   const char *action);

/* Returns the name of a model: that of its file without folder and ending ("fivelink"), or that of the draft; NULL if model is NULL. */
CMB_API const char *cmb_model_name(const cmb_model *model);
CMB_API const char *cmb_model_title(const cmb_model *model); /* "" if there is none */

/* The kinds of parts (items) of a model. The items of a kind are numbered from 0, those of template instances included (left.pivot). All
 * texts are valid as long as the model. Numbers are those of the design position; where they depend on live parameters, with the values
 * with which the model was read. */
typedef enum cmb_item_kind {
  CMB_ITEM_PARAMETER,
  CMB_ITEM_BODY,
  CMB_ITEM_MARKER,
  CMB_ITEM_JOINT,
  CMB_ITEM_LOOP, /* with the motions, after the loops */
  CMB_ITEM_INPUT,
  CMB_ITEM_TABLE,
  CMB_ITEM_MEASURE,
  CMB_ITEM_STATE,
  CMB_ITEM_FORCE,
  CMB_ITEM_STOP, /* loops of the type `stop`, and contacts with a restitution */
  CMB_ITEM_OUTPUT,
  CMB_ITEM_EVENT,
  CMB_ITEM_SHAPE,
  CMB_ITEM_IMPLICIT, /* a group counts as one item */
  CMB_ITEM_CONTROLLER,
  CMB_ITEM_SAMPLED,  /* values of controllers */
  CMB_ITEM_TEMPLATE, /* those of the model, not those inside of templates */
  CMB_ITEM_ROAD,
  CMB_ITEM_KINDS
} cmb_item_kind;

/* What items of all kinds have in common. Missing texts are "", a missing value is NaN. */
typedef struct cmb_item {
  const char *kind; /* "joint" and so on; "motion" for motions, which are items of CMB_ITEM_LOOP */
  const char *name; /* "left.pivot" */
  const char *type; /* of joints ("revolute"), loops, measures, forces, roads, stops, shapes */
  /* the formula or number as written: of parameters, inputs, measures, outputs; the equation of a single implicit function, the rate of
   * a state, the update of a sampled value, the condition of an event, the gap of a stop, the surface of a contact, the formula of a
   * loop, the prescribed value of a motion, the length of a distance, the formula of a force, the height of a road */
  const char *text;
  const char *unit;  /* of parameters, states, sampled values and outputs, as written */
  const char *title; /* description of parameters, states, outputs and templates */
  /* of a parameter; the start value of a state or sampled value; the period of a controller */
  double value;
  bool live;        /* of a parameter: its value can still be changed */
  const char *file; /* where it is defined */
  int line, column; /* from 1; 0: not in a file */
  const char *key;  /* in a model that was made by calls */
} cmb_item;

/* Returns the number of items of a kind. */
CMB_API int cmb_model_count(const cmb_model *model, cmb_item_kind kind);

/* Describes item i of a kind in *item; returns false if there is no such item. */
CMB_API bool cmb_model_item(const cmb_model *model, cmb_item_kind kind, int i, cmb_item *item);

/* Returns the number of the item with this full name, -1 if there is none. */
CMB_API int cmb_model_find(const cmb_model *model, cmb_item_kind kind, const char *name);

enum { CMB_NO_BODY = -1 }; /* number of the ground where a body is expected */

/* A point fixed to a body, at its position in the design position. */
typedef struct cmb_body_point {
  int body;
  double at[3];
} cmb_body_point;

/* Gets the points of an item, in the order of the file: of bodies that are rods their two ends; of markers one; of loops, measures,
 * springs, bushings and contacts of spheres two, the second one on body b; of loads, contacts and tyres the point at which the force
 * acts; of shapes all. Returns the number of points; `points` receives the first `room` of them. */
CMB_API int cmb_model_points(const cmb_model *model, cmb_item_kind kind, int i, int room,
                             cmb_body_point *points);

typedef struct cmb_body {
  const char *name;
  int joint;         /* number of the joint of which it is the child */
  int parent;        /* number of the other body of this joint, or CMB_NO_BODY */
  double mass;       /* 0: a massless frame */
  double com[3];     /* centre of mass */
  double inertia[9]; /* about the centre of mass, in global axes */
} cmb_body;

enum { CMB_JOINT_MOST_Q = 7, CMB_JOINT_MOST_V = 6 };

typedef struct cmb_joint {
  const char *name, *type;
  int parent, child; /* numbers of bodies; parent may be CMB_NO_BODY */
  double at[3];
  /* rows: unit vectors as the type defines them, in the order of the file; 0 if it has none */
  double axes[9];
  int nq, nv;
  const char *q_names[CMB_JOINT_MOST_Q]; /* (nq) as in the equations in joint coordinates */
  const char *v_names[CMB_JOINT_MOST_V]; /* (nv) */
  double q_start[CMB_JOINT_MOST_Q];
  double v_start[CMB_JOINT_MOST_V];
} cmb_joint;

typedef struct cmb_shape {
  const char *name, *type; /* "line", "box", "cylinder", "sphere" */
  const char *colour;      /* as written, "" if not given */
  int point_count;         /* number of points, see cmb_model_points */
  double size[3];          /* edges of a box; size[0] is the radius of a cylinder or sphere */
  double axes[9];          /* rows: the axes of a box */
} cmb_shape;

typedef struct cmb_force_view {
  const char *name, *type; /* "spring" */
  double radius;           /* of the sphere of a contact, or the wheel of a tyre; 0: none */
  double axis[3];          /* spin axis of a tyre in the design position; 0 for other forces */
  /* of a spring: elastic if it has a stiffness or a table of forces over lengths; damped if it has a damping, a table of a damper or a
   * formula */
  bool elastic, damped;
} cmb_force_view;

/* Describe a body, joint, shape or force; return false if there is no such item. For the poses of bodies in other positions of the
 * mechanism see cmb_poses in camber/dyn.h. */
CMB_API bool cmb_body_of(const cmb_model *model, int i, cmb_body *body);
CMB_API bool cmb_joint_of(const cmb_model *model, int i, cmb_joint *joint);
CMB_API bool cmb_shape_of(const cmb_model *model, int i, cmb_shape *shape);
CMB_API bool cmb_force_of(const cmb_model *model, int i, cmb_force_view *force);

/* Copies the gravitational acceleration, in global axes, to gravity[3]. */
CMB_API void cmb_model_gravity(const cmb_model *model, double gravity[3]);

/* Parses a number as model files contain it: "0.3", or a formula of numbers, pi and deg: "2*900", "30 deg". Returns CMB_ERROR_INPUT if
 * it is neither, or not finite. */
CMB_API cmb_status cmb_number_parse(cmb_context *ctx, const char *text, double *x);

/* Returns whether the file at `path`, under any name, is one from which the model was read: the model itself, an included file or a
 * table's CSV. To be called before a file is written there. */
CMB_API bool cmb_model_reads(const cmb_model *model, const char *path);

/* An entry of the model's section `simulate`: an option of `camber run` and its value, as written. */
typedef struct cmb_model_default {
  const char *name, *value;
  const char *file;
  int line, column;         /* place of the value, from 1 */
  int key_line, key_column; /* place of the option's name */
} cmb_model_default;

/* Returns the entries of the section `simulate` and their number in *count; they belong to the model. */
CMB_API const cmb_model_default *cmb_model_defaults(const cmb_model *model, int *count);

/* The action of an event of the model: it is recorded, the run stops, or velocities or states get new values. */
typedef enum cmb_event_action {
  CMB_EVENT_RECORD,
  CMB_EVENT_STOP,
  CMB_EVENT_RESET
} cmb_event_action;

/* The law of impact between bodies: by Newton's law relative velocities are reversed, by Poisson's law the impulses of compression are
 * returned, each times the coefficient of restitution. */
typedef enum cmb_impact_law { CMB_LAW_NEWTON, CMB_LAW_POISSON } cmb_impact_law;

/* The part of a model from which a constraint of the equations was made: the constraint's name is that of a loop, motion or joint, or
 * this name with an ending such as ".x". */
typedef struct cmb_model_origin {
  const char *kind, *name; /* "loop", "motion" or "joint", and its full name */
  const char *file;
  int line, column; /* from 1 */
} cmb_model_origin;

/* Finds the origin of a constraint by the constraint's name; returns false if there is no such loop, motion or joint. */
CMB_API bool cmb_model_origin_of(const cmb_model *model, const char *constraint,
                                 cmb_model_origin *origin);

#ifdef __cplusplus
}
#endif
#endif
