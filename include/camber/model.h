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
  int set_count; /* parameters in place of those in the file */
  const char *const *set_names;
  const double *set_values;
  bool include_anywhere; /* included files may lie outside the folder of the model */
  const char *
      library; /* folder in which `include` looks for files that are not beside the model; NULL: none */
  /* Parameters that can still be set when the model has been read (cmb_point, exported code). What is computed from them stays an
   * expression; everything else is a number. All: those that are not computed from others and that choose nothing, such as a number
   * of copies. */
  int live_count;
  const char *const *live_names;
  bool live_all;
  const char *
      addition; /* the model has these sections, too, as if it included a file with this text; NULL: none */
} cmb_model_options;

/* Reads a model with all it includes. On failure CMB_ERROR_INPUT (CMB_ERROR_IO if the file cannot be read), and the
 * context has "FILE:LINE:COL: what is wrong, and what was expected". options may be NULL. */
CMB_API cmb_status cmb_model_read(cmb_context *ctx, const char *path,
                                  const cmb_model_options *options, cmb_model **model);

/* The same from text in memory; `path` names it in messages, and included files are looked for beside it. */
CMB_API cmb_status cmb_model_parse(cmb_context *ctx, const char *text, size_t length,
                                   const char *path, const cmb_model_options *options,
                                   cmb_model **model);
CMB_API void cmb_model_destroy(cmb_model *model);

/* A model made by calls, in place of a file:
 *
 *     cmb_draft_create(ctx, "pendulum", &draft);
 *     cmb_draft_point(draft, "pivot", 0, 0, 0);
 *     cmb_draft_point(draft, "tip", 0, 0, -0.8);
 *     cmb_draft_rod(draft, "rod", 1.5, "pivot", "tip");
 *     cmb_draft_joint(draft, "swing", "revolute", "ground", "rod", "pivot", "y");
 *     cmb_draft_text(draft, "joints/swing/start", "30 deg");
 *     cmb_draft_model(draft, NULL, &model);
 *
 * A draft says what a file says, under the same keys and in the same words (docs/model-format.md); it is read, checked and refused as a
 * file is, when the model is made. A key is the way to a part: section, name, part, with '/' between; '~1' stands for a '/' in a name and
 * '~0' for '~'. Maps on the way are made as they are needed. Entries of lists are counted from 0: "shapes/0/colour"; the number behind
 * the last one adds an entry.
 *
 * The first failure stays with the draft: all later calls do nothing and return it, so that a program may look at the last status
 * alone. What is wrong with the meaning is known when the model is made, and can be mended then; cmb_error_of has the key:
 * "bodies/rod/mass". */
typedef struct cmb_draft cmb_draft;

/* `name` is that of the model; included files and tables are looked for beside it, as beside a file of that name. The draft
 * belongs to the context. */
CMB_API cmb_status cmb_draft_create(cmb_context *ctx, const char *name, cmb_draft **draft);
CMB_API void cmb_draft_destroy(cmb_draft *draft);

/* The model that the draft describes now, like cmb_model_read. The draft can be changed and used again; the model does not need it. */
CMB_API cmb_status cmb_draft_model(cmb_draft *draft, const cmb_model_options *options,
                                   cmb_model **model);

/* Any part, by its key: a text (number, formula, name, unit) or a finite number, which is kept to the last bit; lists of these; a list
 * of rows, x (rows x columns), as points of a table. What was there under the key is replaced, except for maps. */
CMB_API cmb_status cmb_draft_text(cmb_draft *draft, const char *key, const char *text);
CMB_API cmb_status cmb_draft_number(cmb_draft *draft, const char *key, double x);
CMB_API cmb_status cmb_draft_texts(cmb_draft *draft, const char *key, int count,
                                   const char *const *texts);
CMB_API cmb_status cmb_draft_numbers(cmb_draft *draft, const char *key, int count, const double *x);
CMB_API cmb_status cmb_draft_rows(cmb_draft *draft, const char *key, int rows, int columns,
                                  const double *x);

/* The same for what most mechanisms have. A name that the section has already is an error. What can be NULL is left out; further
 * parts, and formulas in place of numbers, are set by their keys. */
CMB_API cmb_status cmb_draft_parameter(cmb_draft *draft, const char *name, double value);
CMB_API cmb_status cmb_draft_point(cmb_draft *draft, const char *name, double x, double y,
                                   double z);

/* com (3): the centre of mass in the design position. inertia (6): Ixx, Iyy, Izz, Ixy, Ixz, Iyz about it; NULL: none. */
CMB_API cmb_status cmb_draft_body(cmb_draft *draft, const char *name, double mass,
                                  const double *com, const double *inertia);

/* A thin homogeneous rod between two points. */
CMB_API cmb_status cmb_draft_rod(cmb_draft *draft, const char *name, double mass, const char *from,
                                 const char *to);

/* parent NULL: the ground; at: a point, NULL where the type needs none; axis: its direction ("z"), or the normal of a planar joint; NULL
 * where it has none or several ("joints/NAME/axes"). */
CMB_API cmb_status cmb_draft_joint(cmb_draft *draft, const char *name, const char *type,
                                   const char *parent, const char *child, const char *at,
                                   const char *axis);

/* a and b: points on bodies, "rod@tip"; axis as for joints. */
CMB_API cmb_status cmb_draft_loop(cmb_draft *draft, const char *name, const char *type,
                                  const char *a, const char *b, const char *axis);
CMB_API cmb_status cmb_draft_spring(cmb_draft *draft, const char *name, const char *a,
                                    const char *b, double stiffness, double damping);

/* unit may be NULL. */
CMB_API cmb_status cmb_draft_output(cmb_draft *draft, const char *name, const char *formula,
                                    const char *unit);

/* action: "record", "stop"; NULL: record. */
CMB_API cmb_status cmb_draft_event(cmb_draft *draft, const char *name, const char *when,
                                   const char *action);

CMB_API const char *cmb_model_name(
    const cmb_model *model); /* "fivelink": the file's name without its ending */
CMB_API const char *cmb_model_title(const cmb_model *model); /* "" if it has none */

/* What a model has: items of several kinds, each counted from 0, those of template instances too (left.pivot). All texts are good as long
 * as the model is. Numbers are those of the design position; where they depend on live parameters, with the values that the model was
 * read with. */
typedef enum cmb_item_kind {
  CMB_ITEM_PARAMETER,
  CMB_ITEM_BODY,
  CMB_ITEM_MARKER,
  CMB_ITEM_JOINT,
  CMB_ITEM_LOOP, /* and motions, behind the loops */
  CMB_ITEM_INPUT,
  CMB_ITEM_TABLE,
  CMB_ITEM_MEASURE,
  CMB_ITEM_STATE,
  CMB_ITEM_FORCE,
  CMB_ITEM_STOP, /* loops of the type `stop`, and contacts with a restitution */
  CMB_ITEM_OUTPUT,
  CMB_ITEM_EVENT,
  CMB_ITEM_SHAPE,
  CMB_ITEM_IMPLICIT, /* a group is one item */
  CMB_ITEM_CONTROLLER,
  CMB_ITEM_SAMPLED,  /* values of controllers */
  CMB_ITEM_TEMPLATE, /* what can be copied; not those inside of others */
  CMB_ITEM_ROAD,
  CMB_ITEM_KINDS
} cmb_item_kind;

/* What all kinds have. What there is not is "", and NaN for a value. */
typedef struct cmb_item {
  const char *kind; /* "joint"; "motion" for those among the loops */
  const char *name; /* "left.pivot" */
  const char *type; /* of joints, loops, measures, forces, roads, stops, shapes: "revolute" */
  const char *
      text; /* the formula or number as written: of parameters, inputs, measures, outputs; the equation of a single implicit function, the rate of a state, the update of a sampled value, the condition of an event, the gap of
                        a stop, the surface of a contact, what a formula constrains or a motion prescribes, the length of a distance, the formula of a force, the height of a road */
  const char *unit;  /* of parameters, states, sampled values and outputs, as written */
  const char *title; /* likewise, and of templates: what it is, in words */
  double
      value; /* of a parameter; the start value of a state or sampled value; the period of a controller */
  bool live;        /* of a parameter: it can still be set */
  const char *file; /* where it stands */
  int line, column; /* from 1; 0: in no file */
  const char *key;  /* of a model that was made by calls */
} cmb_item;

CMB_API int cmb_model_count(const cmb_model *model, cmb_item_kind kind);

/* False if there is no such item. */
CMB_API bool cmb_model_item(const cmb_model *model, cmb_item_kind kind, int i, cmb_item *item);

/* The number of the item with this name, -1 if there is none. */
CMB_API int cmb_model_find(const cmb_model *model, cmb_item_kind kind, const char *name);

enum { CMB_NO_BODY = -1 }; /* the ground, as the number of a body */

/* A point fixed to a body, in the design position. */
typedef struct cmb_body_point {
  int body;
  double at[3];
} cmb_body_point;

/* The points of an item, in the order of the file: of bodies that are rods their two ends; of markers one; of loops, measures, springs, bushings and contacts of spheres two, the
 * second one of `b`; of loads and contacts that which the force acts at; of shapes all. Returns how many there are; `points` (room) receives
 * the first of them. */
CMB_API int cmb_model_points(const cmb_model *model, cmb_item_kind kind, int i, int room,
                             cmb_body_point *points);

typedef struct cmb_body {
  const char *name;
  int joint;         /* that it is the child of */
  int parent;        /* the body on the other side, or CMB_NO_BODY */
  double mass;       /* 0: a frame without mass */
  double com[3];     /* centre of mass */
  double inertia[9]; /* about it, in global axes */
} cmb_body;

enum { CMB_JOINT_MOST_Q = 7, CMB_JOINT_MOST_V = 6 };

typedef struct cmb_joint {
  const char *name, *type;
  int parent, child; /* bodies */
  double at[3];
  double axes
      [9]; /* rows: unit vectors as the type has them, in the order of the file; 0 where it has none */
  int nq, nv;
  const char *q_names[CMB_JOINT_MOST_Q]; /* (nq) as in the equations in joint coordinates */
  const char *v_names[CMB_JOINT_MOST_V]; /* (nv) */
  double q_start[CMB_JOINT_MOST_Q];
  double v_start[CMB_JOINT_MOST_V];
} cmb_joint;

typedef struct cmb_shape {
  const char *name, *type; /* "line", "box", "cylinder", "sphere" */
  const char *colour;      /* as written, "" if not given */
  int point_count;         /* cmb_model_points has them */
  double size[3];          /* of a box its edges; of a cylinder or sphere size[0] is the radius */
  double axes[9];          /* rows: the axes of a box */
} cmb_shape;

typedef struct cmb_force_view {
  const char *name, *type; /* "spring" */
  double radius;           /* of a contact's sphere, or a tyre's wheel; 0: it has none */
  double axis[3];          /* of a tyre's spin, in the design position; 0 of others */
  bool elastic, damped; /* of a spring: it has a stiffness or a table of forces against lengths; it
                              has a damping, a table of a damper or a formula */
} cmb_force_view;

/* False if there is no such body, joint, shape or force. Where a body is when the mechanism has moved: cmb_poses in camber/dyn.h. */
CMB_API bool cmb_body_of(const cmb_model *model, int i, cmb_body *body);
CMB_API bool cmb_joint_of(const cmb_model *model, int i, cmb_joint *joint);
CMB_API bool cmb_shape_of(const cmb_model *model, int i, cmb_shape *shape);
CMB_API bool cmb_force_of(const cmb_model *model, int i, cmb_force_view *force);

CMB_API void cmb_model_gravity(const cmb_model *model, double gravity[3]);

/* A number as model files have it: "0.3", or a formula of numbers, pi and deg: "2*900", "30 deg". CMB_ERROR_INPUT if it is neither,
 * or not finite. */
CMB_API cmb_status cmb_number_parse(cmb_context *ctx, const char *text, double *x);

/* Whether the file at `path`, under whatever name, is one that the model was read from: the model itself, a file that it includes
 * or a table's CSV. To be asked before a file is written there. */
CMB_API bool cmb_model_reads(const cmb_model *model, const char *path);

/* What the model says under `simulate`: an option of `camber run` and its value, as written. */
typedef struct cmb_model_default {
  const char *name, *value;
  const char *file;
  int line, column;         /* of the value, from 1 */
  int key_line, key_column; /* of the option's name */
} cmb_model_default;

CMB_API const cmb_model_default *cmb_model_defaults(const cmb_model *model, int *count);

/* What happens at an event that the model asks for: it is recorded, the run stops there, or velocities change. */
typedef enum cmb_event_action {
  CMB_EVENT_RECORD,
  CMB_EVENT_STOP,
  CMB_EVENT_RESET
} cmb_event_action;

/* How bodies rebound from each other: by Newton's law rates are turned round, by Poisson's law impulses of compression come back. */
typedef enum cmb_impact_law { CMB_LAW_NEWTON, CMB_LAW_POISSON } cmb_impact_law;

/* What a constraint of the equations came from: its name is that of a loop, motion or joint, perhaps with ".x" behind. */
typedef struct cmb_model_origin {
  const char *kind, *name; /* "loop", "motion" or "joint", and its full name */
  const char *file;
  int line, column; /* from 1 */
} cmb_model_origin;

/* False if the name is none of theirs. */
CMB_API bool cmb_model_origin_of(const cmb_model *model, const char *constraint,
                                 cmb_model_origin *origin);

#ifdef __cplusplus
}
#endif
#endif
