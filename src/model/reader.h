/*
 * The interface between the files of the reader of models: the state of a reading, and functions that read nodes, names and values with
 * checked types. read.c calls the readers of the sections.
 *
 * A scope (name space) is the model itself or an instance of a template. Its sections are in one or several maps (parts): those of the file
 * or the template, and those of the files it includes. A section is read for all scopes before the next section begins, so that references
 * may go in and out of instances and across files.
 *
 * The placement of an instance, x -> T sign x + offset, transforms the positions written in it to the global frame. It is applied where
 * numbers are read (positions, directions); named points are stored in the global frame.
 *
 * A message is "FILE:LINE:COL: SUBJECT: text", where the subject is the part of the model that is being read, such as joint 'left.pivot'; it
 * is left out if no part is being read. A model that is made by calls has a key such as bodies/rod/mass in place of line and column.
 */
#ifndef CMB_MODEL_READER_H
#define CMB_MODEL_READER_H

#include "base/input.h"
#include "model/model.h"
#include "model/yaml.h"

typedef enum cmb_name_kind {
  CMB_NAMES_PARAMETER,
  CMB_NAMES_BODY,
  CMB_NAMES_MARKER,
  CMB_NAMES_JOINT,
  CMB_NAMES_COORDINATE,
  CMB_NAMES_LOOP,
  CMB_NAMES_INPUT,
  CMB_NAMES_TABLE,
  CMB_NAMES_MEASURE,
  CMB_NAMES_STATE,
  CMB_NAMES_SAMPLED,
  CMB_NAMES_FORCE,
  CMB_NAMES_IMPLICIT,
  CMB_NAMES_ROAD,
  CMB_NAMES_INSTANCE,
  /* the kinds above share one namespace; each of the following has a namespace of its own */
  CMB_NAMES_SHARED,
  CMB_NAMES_POINT = CMB_NAMES_SHARED,
  CMB_NAMES_OUTPUT,
  CMB_NAMES_EVENT,
  CMB_NAMES_CONTROLLER,
  CMB_NAMES_TEMPLATE,
  CMB_NAMES_KINDS
} cmb_name_kind;

/* An include statement of a part: the file, and the parameters that are set in it (overrides.c). */
typedef struct cmb_include {
  struct cmb_part *part;      /* the included file */
  const cmb_node *file, *set; /* the file's name; a map of parameter values, or NULL */
  const struct cmb_include *next;
} cmb_include;

/* The sections of one file or template that belong to a scope. */
typedef struct cmb_part {
  const cmb_node *root;
  const cmb_include *includes;
  struct cmb_part *next;
  struct cmb_part *found; /* next part in the list of the latest search (overrides.c) */
  int search;             /* number of the latest search that found this part */
} cmb_part;

/* The placement x -> T sign x + offset of an instance, computed when it is first needed (place.c). The rows of mirror.axes are the columns
 * of T. */
typedef struct cmb_placement {
  enum { CMB_PLACE_UNKNOWN, CMB_PLACE_BUSY, CMB_PLACE_KNOWN } state;
  cmb_mirror mirror;
  cmb_number offset[3];
} cmb_placement;

/* The name space of the model or of a template instance. */
typedef struct cmb_scope {
  const char *prefix; /* prefix of its names: "" or "left." */
  const struct cmb_scope *parent;
  cmb_part *parts;
  cmb_placement *placed;
  const cmb_node *instance;         /* the entry of the section `instances`; NULL for the model */
  const cmb_node *arguments;        /* `parameters` of the instance, or NULL */
  const cmb_name *template_of;      /* its template; NULL for the model */
  int copy;                         /* number in a repeated instance, from 1; 0: not repeated */
  const struct cmb_scope *previous; /* the preceding copy; NULL for the first */
  struct cmb_scope *next;
} cmb_scope;

/* most characters of a name, without the names of its instances */
enum { CMB_MOST_NAME_PART = 60 };

enum { CMB_SUBJECT_ROOM = 128, CMB_NAME_ROOM = 256, CMB_MOST_DEPENDENCE = 100 };

/* The part of the model that is being read, for messages. */
typedef struct cmb_subject {
  const char *kind;            /* "joint"; "": none */
  char text[CMB_SUBJECT_ROOM]; /* "joint 'left.pivot'"; a long name is cut */
  char name[CMB_NAME_ROOM];    /* "left.pivot", or "" */
} cmb_subject;

/* A parameter or point, whose value is computed when it is first needed. */
typedef struct cmb_lazy {
  const char *name;
  const cmb_node *entry; /* its definition */
  /* its value as written, in the definition or where another value is given */
  const cmb_node *node;
  const cmb_scope *scope; /* in which the names of its formula are looked up */
  const cmb_scope *home;  /* in which it is defined */
  cmb_part *set_in;       /* part of `scope` whose include sets the value; NULL: no include does */
  enum { CMB_LAZY_NEW, CMB_LAZY_BUSY, CMB_LAZY_DONE } state;
  cmb_number value[3];
  bool is_index; /* the parameter `index`, the number of a copy, which cannot be set */
  bool live;     /* a parameter whose value can be changed later */
} cmb_lazy;

/* A parameter that is not live although the options make all parameters live, because a number that has to stay fixed depends on it. */
typedef struct cmb_not_live {
  const char *name;
  const struct cmb_not_live *next;
} cmb_not_live;

typedef struct cmb_reader {
  cmb_context *ctx;
  const cmb_model_options *options;
  cmb_model *model;
  cmb_arena *scratch; /* freed when the reading ends */
  cmb_graph *graph;   /* where formulas are parsed */
  cmb_name_map map;
  char spaces
      [CMB_NAMES_KINDS]; /* a byte per namespace: its address is the owner of names in `map` */
  cmb_scope *scopes, *last_scope;
  int unfolded_size; /* number of nodes in all scopes */
  int part_searches; /* number of searches in the graph of includes (overrides.c) */
  size_t bytes_read; /* from all files but the main one, and a constant for each (files.c) */
  cmb_subject subject;
  cmb_lazy *parameters, *points;
  int parameter_room, point_count;
  int lazy_depth; /* number of lazy values that are being computed, each needed by the one before */
  /* description of the number that is being read if it must not depend on live parameters, such as "the number of copies"; else NULL */
  const char *fixed_number;
  /* parameters that are not made live, because numbers that have to stay fixed depend on them */
  const cmb_not_live *fixed;
  cmb_arena *kept;    /* memory that survives when the model has to be read again */
  bool repeat_needed; /* a parameter had to be added to `fixed`: the model has to be read again */
  cmb_error_record nested;     /* first error that occurred for a name in a formula (values.c) */
  cmb_model_limit *last_limit; /* last one in the model's list */
} cmb_reader;

/* ---- reader.c: messages, names, sections */

/* Reports an error in the user's input at a place, with the current subject, if there is one, in front of the formatted text. Returns
 * CMB_ERROR_INPUT. */
cmb_status cmb_reader_fail(cmb_reader *r, cmb_place at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Reports the context's last failure, of a formula's text or of a table, once more with the file and the current subject; its place is
 * that of the failure if it has one, else `at`. Returns CMB_ERROR_INPUT. */
cmb_status cmb_reader_repeat(cmb_reader *r, cmb_place at);

/* Sets the subject of the messages that follow: a kind such as "joint", and the name prefix + name; name == NULL: the kind alone. */
void cmb_reader_subject(cmb_reader *r, const char *what, const char *prefix, const char *name);

/* Returns the word for a kind of names in messages, such as "joint". */
const char *cmb_name_kind_text(cmb_name_kind kind);

/* Returns the text prefix + name + suffix, such as "left.pivot", on the model's arena; NULL if out of memory. */
const char *cmb_full_name(cmb_reader *r, const char *prefix, const char *name, const char *suffix);

/* Writes prefix + name into `full`; returns false if it does not fit, which means that no such name exists. */
bool cmb_join_names(const char *prefix, const char *name, char full[CMB_NAME_ROOM]);

/* Registers a full name of a kind, with the index of what it names and the place of its definition. A name that is taken in the same
 * namespace already, or is too long, is an error; full == NULL is reported as a lack of memory. */
cmb_status cmb_define(cmb_reader *r, cmb_name_kind kind, const char *full, int index, cmb_place at);

/* Looks up a name of one kind as seen from the scope s: in s first, then in the scopes around it. "previous.NAME" means NAME in the
 * preceding copy of a repeated instance. Returns NULL if there is none. */
cmb_name *cmb_look_up(cmb_reader *r, const cmb_scope *s, cmb_name_kind kind, const char *name);

/* Returns the defined name of this kind that is most similar to an unknown one, as written in the scope s, for "did you mean"; NULL if none
 * is similar or out of memory. */
const char *cmb_nearest(cmb_reader *r, const cmb_scope *s, cmb_name_kind kind, const char *name);

/* Returns what to expect in place of an unknown name, such as "expected one of a, b" or "did you mean 'a'?", on the scratch arena; NULL if no
 * name of this kind is defined or out of memory. */
const char *cmb_expected(cmb_reader *r, const cmb_scope *s, cmb_name_kind kind, const char *name);

/* Looks up a name of one kind as seen from the scope s and stores it in *found; an unknown name is an error at the place `at`, whose message
 * suggests a similar one or lists the known ones. */
cmb_status cmb_refer(cmb_reader *r, const cmb_scope *s, cmb_name_kind kind, const char *name,
                     cmb_place at, const cmb_name **found);

typedef cmb_status (*cmb_entry_reader)(cmb_reader *r, const cmb_scope *s, const cmb_node *entry);

/* Calls `read` for each entry of a section in all scopes, with the subject of messages set to `what` and the entry's name, which is checked;
 * an entry of a list has none. Stops at the first failure; else there is no subject afterwards. */
cmb_status cmb_each_entry(cmb_reader *r, const char *section, const char *what,
                          cmb_entry_reader read);
/* Returns the number of entries of a section in all scopes. */
int cmb_count_entries(const cmb_reader *r, const char *section);

/* Calls `read` for each entry of a section in the scope s, with the subject of messages set to `what` and the entry's name, which is checked;
 * an entry of a list has none. Stops at the first failure; else there is no subject afterwards. */
cmb_status cmb_each_entry_of(cmb_reader *r, const cmb_scope *s, const char *section,
                             const char *what, cmb_entry_reader read);

/* Allocates a zeroed array on the model's arena, with an element of `size` bytes for each entry of the section and `more` besides, and
 * stores its address in *array (a pointer to a pointer of any type). */
cmb_status cmb_take_section(cmb_reader *r, const char *section, int more, size_t size, void *array);

/* ---- reader.c: nodes */

/* Checks that the node is a map, and that each of its keys is among the `count` names in `keys`; else it reports an error that suggests
 * one. */
cmb_status cmb_check_keys(cmb_reader *r, const cmb_node *map, int count, const char *const *keys);
#define CMB_CHECK_KEYS(r, map, keys)                                                               \
  cmb_check_keys(r, map, (int)(sizeof(keys) / sizeof *(keys)), keys)

/* Check the kind of a node: a map; a text that is not empty; a list of `count` entries. `expected` describes what is expected, for the
 * error message. */
cmb_status cmb_expect_map(cmb_reader *r, const cmb_node *node);
cmb_status cmb_expect_text(cmb_reader *r, const cmb_node *node, const char *expected);
cmb_status cmb_expect_list(cmb_reader *r, const cmb_node *node, int count, const char *expected);

/* Copies a text of one line for display, such as a title or a unit, to the model's arena, without line ends at its end. Control characters,
 * which quoted texts can have ("\t"), are an error. */
cmb_status cmb_read_line(cmb_reader *r, const cmb_node *node, const char **line);

/* Finds the entry of a map under a key and stores it in *node; a missing key is an error. */
cmb_status cmb_require(cmb_reader *r, const cmb_node *map, const char *key, const cmb_node **node);

/* Reads a text that has to be one of the `count` names in a table (an array of structures of `stride` bytes that begin with the name, as
 * for cmb_find_name) and stores its index in *choice. */
cmb_status cmb_read_choice(cmb_reader *r, const cmb_node *node, const void *names, int count,
                           size_t stride, int *choice);

/* Checks a name that the user gives to something: letters, digits and _, no digit first, not too long, and not a reserved name or a function
 * of formulas. */
cmb_status cmb_check_name(cmb_reader *r, const char *name, cmb_place at);

/* ---- limits.c: conditions on numbers, checked with the values of the file and later with other values of live parameters (limits.h) */

typedef enum cmb_limit_kind {
  CMB_POSITIVE = 1,
  CMB_NOT_NEGATIVE,
  /* any number, but a negative one gives a warning: stiffness, damping, free length */
  CMB_SELDOM_NEGATIVE,
  CMB_AT_LEAST, /* two numbers: the first is at least the second, .. */
  CMB_ABOVE,    /* .. is greater than the second .. */
  CMB_AT_MOST,  /* .. or is at most the second */
  /* nine numbers: no principal moment is negative or larger than the sum of the two others; two that are 0 only give a warning */
  CMB_INERTIA
} cmb_limit_kind;

/* Check a condition on one number, or the same condition on each of `count` numbers. `what` names the number in messages, such as "the
 * mass"; `expected` describes what is expected (NULL: a standard text). A condition on a live number is stored in the model and checked
 * again with other values. */
cmb_status cmb_limit_number(cmb_reader *r, cmb_place place, const char *what, cmb_limit_kind kind,
                            const char *expected, cmb_number x);
cmb_status cmb_limit_each(cmb_reader *r, cmb_place place, const char *what, cmb_limit_kind kind,
                          int count, const cmb_number *x);
/* Checks a number against another one: CMB_AT_LEAST, CMB_ABOVE or CMB_AT_MOST the bound. */
cmb_status cmb_limit_by(cmb_reader *r, cmb_place place, const char *what, cmb_limit_kind kind,
                        cmb_number x, cmb_number bound);
/* Checks that an inertia (3 x 3, by rows) is physically possible. */
cmb_status cmb_limit_inertia(cmb_reader *r, cmb_place place, const cmb_number inertia[9]);

/* ---- friction.c */

/* Reads the key `law` of a map, smooth (default) or stick; *sticks is true for the latter. The key `static` is only allowed with stick. */
cmb_status cmb_read_friction_law(cmb_reader *r, const cmb_node *map, bool *sticks);

/* Checks that the largest friction while sticking, `most`, is not less than the friction while slipping, if the map has the key
 * `static`. */
cmb_status cmb_limit_static(cmb_reader *r, const cmb_node *map, cmb_number slipping,
                            cmb_number most);

/* Reads `friction` of a contact into f: a coefficient, or {coefficient, law, static, direction}. */
cmb_status cmb_read_contact_friction(cmb_reader *r, const cmb_scope *s, const cmb_node *entry,
                                     cmb_model_force *f);

/* ---- values.c: numbers and formulas */

/* Reads a number or a formula of parameters, whose names are looked up in the scope s; the value must be finite. */
cmb_status cmb_read_number(cmb_reader *r, const cmb_scope *s, const cmb_node *node, cmb_number *x);

/* Reads a list of exactly `count` numbers into x[]. */
cmb_status cmb_read_numbers(cmb_reader *r, const cmb_scope *s, const cmb_node *node, int count,
                            cmb_number *x);

/* Read a number, or a list of exactly `count` numbers, that must not depend on live parameters and so stays
 * fixed. `what` describes the number for messages, such as "the number of copies". */
cmb_status cmb_read_fixed(cmb_reader *r, const cmb_scope *s, const cmb_node *node, const char *what,
                          double *x);
cmb_status cmb_read_fixed_list(cmb_reader *r, const cmb_scope *s, const cmb_node *node, int count,
                               const char *what, double *x);

/* Reads the number under a key of a map; *x is unchanged if the key is missing. */
cmb_status cmb_read_optional(cmb_reader *r, const cmb_scope *s, const cmb_node *map,
                             const char *key, cmb_number *x);

/* Reads the number under a key of a map and checks that it meets a condition, such as CMB_POSITIVE; *x is unchanged if the key is
 * missing. */
cmb_status cmb_read_limited(cmb_reader *r, const cmb_scope *s, const cmb_node *map, const char *key,
                            cmb_limit_kind limit, cmb_number *x);

/* Reads one number that applies to all x[0..count-1], or a list with one for each; x is unchanged if node is NULL. */
cmb_status cmb_read_each(cmb_reader *r, const cmb_scope *s, const cmb_node *node, int count,
                         cmb_number *x);

/* Reads stiffnesses or dampings under a key of a map, one number for all x[0..count-1] or a list; a negative one gives a warning. x is
 * unchanged if the key is missing. */
cmb_status cmb_read_signed(cmb_reader *r, const cmb_scope *s, const cmb_node *map, const char *key,
                           int count, cmb_number *x);

/* Sets everything in a formula but its text: its place, the current subject, the mirror of the scope s, and the prefix `names` with
 * which its names are looked up. */
cmb_status cmb_begin_formula(cmb_reader *r, const cmb_scope *s, const char *names, cmb_place place,
                             cmb_model_formula *formula);

/* Reads a formula that stays text, with full names in place of "previous.NAME". Checks only its syntax and the number of arguments of the
 * tables and roads that are known, since other names may be defined later. */
cmb_status cmb_read_formula(cmb_reader *r, const cmb_scope *s, const cmb_node *node,
                            cmb_model_formula *formula);

/* Computes a lazy value by calling `compute` if it has not been computed yet. It is an error if the value depends on itself or the chain
 * of values that need each other is too long. `what` is "parameter" or "point", asked_at the place for messages. */
cmb_status cmb_lazy_need(cmb_reader *r, cmb_lazy *lazy, const char *what, cmb_place asked_at,
                         cmb_status (*compute)(cmb_reader *r, cmb_lazy *lazy));

/* ---- parameters.c */

/* Defines the names of the parameters in a scope, and replaces their values by those that the options, the instance's arguments and the
 * including files give. The values are computed later, when they are first needed or in cmb_read_parameters. */
cmb_status cmb_define_parameters(cmb_reader *r, const cmb_scope *s);
/* Computes all parameters, stores them in the model and checks their bounds. */
cmb_status cmb_read_parameters(cmb_reader *r);
/* Stores the value of parameter number `index` in *x, computed if it is not known yet; asked_at is the place for messages. */
cmb_status cmb_parameter_value(cmb_reader *r, int index, cmb_place asked_at, cmb_number *x);

/* ---- overrides.c: parameters that including files set */

/* Replaces the values of the parameters of scope `home` by those that its own includes and those of the scopes around it set. */
cmb_status cmb_put_overrides(cmb_reader *r, const cmb_scope *home);

/* Checks that all names that includes set are parameters of the included files. */
cmb_status cmb_check_overrides(cmb_reader *r);

/* Handles the number x, which must not depend on live parameters (r->fixed_number describes it; parameters.c). A live parameter on which x
 * depends is an error if the options name it; otherwise it is made fixed, and the model will be read again. */
cmb_status cmb_fix_number(cmb_reader *r, cmb_number x, cmb_place asked_at);

/* ---- points.c: positions, directions and axes */

/* cmb_define_points defines the names of all points; cmb_read_points computes those that have not been needed before. */
cmb_status cmb_define_points(cmb_reader *r);
cmb_status cmb_read_points(cmb_reader *r);
/* Reads a position, transformed to the global frame. The placement of the scope s must be known. */
cmb_status cmb_read_position(cmb_reader *r, const cmb_scope *s, const cmb_node *node,
                             cmb_number at[3]);
/* Reads a direction as a unit vector in global axes. */
cmb_status cmb_read_direction(cmb_reader *r, const cmb_scope *s, const cmb_node *node,
                              cmb_number d[3]);

/* Reads axes from a map with two of the keys x, y, z; node == NULL: the axes of the scope. The rows of axes are orthonormal vectors in
 * global axes; mirrored scopes give mirrored axes. */
cmb_status cmb_read_axes(cmb_reader *r, const cmb_scope *s, const cmb_node *node,
                         cmb_number axes[9]);

/* Subtracts from the unit vector b its small component along the unit vector a and normalises b; a deviation of more than 1e-6 from a
 * right angle is an error. */
cmb_status cmb_make_perpendicular(cmb_reader *r, const cmb_node *node, const cmb_number a[3],
                                  cmb_number b[3]);

/* ---- anchors.c */

/* Looks up a body by its name; *body becomes its number, CMB_GROUND for "ground". */
cmb_status cmb_read_body(cmb_reader *r, const cmb_scope *s, const char *name, cmb_place at,
                         int *body);
/* Reads a point fixed to a body: body@point, a marker's name, or {body: B, at: P}. */
cmb_status cmb_read_anchor(cmb_reader *r, const cmb_scope *s, const cmb_node *node, cmb_anchor *a);

/* Reads two anchors: between: [body@P, body@Q], or bodies: [body, body] with a common point at: P. */
cmb_status cmb_read_between(cmb_reader *r, const cmb_scope *s, const cmb_node *map, cmb_anchor *a,
                            cmb_anchor *b);
/* Reads the markers of the section `markers` and of the bodies. */
cmb_status cmb_read_markers(cmb_reader *r);

/* ---- the sections, each in the file of its name */

cmb_status cmb_read_bodies(cmb_reader *r);
cmb_status cmb_read_tables(cmb_reader *r);
cmb_status cmb_read_joints(cmb_reader *r);
cmb_status cmb_read_loops(cmb_reader *r);
cmb_status cmb_read_signals(cmb_reader *r); /* inputs, measures, states, outputs */
cmb_status cmb_read_controllers(cmb_reader *r);
cmb_status cmb_read_implicits(cmb_reader *r);
cmb_status cmb_read_events(cmb_reader *r);
cmb_status cmb_read_forces(cmb_reader *r);
cmb_status cmb_read_shapes(cmb_reader *r);
cmb_status cmb_read_roads(cmb_reader *r);

/* Reads a force of the type `tyre` (tyres.c). */
cmb_status cmb_read_tyre(cmb_reader *r, const cmb_scope *s, const cmb_node *entry,
                         cmb_model_force *f);
/* Reads a random road and creates its waves (road_waves.c). */
cmb_status cmb_read_random_road(cmb_reader *r, const cmb_scope *s, const cmb_node *entry,
                                cmb_model_road *road);

/* ---- stops.c: contacts with a restitution, and loops of the type `stop` */
/* Allocates the model's array of stops, with room for all that forces and loops can define. */
cmb_status cmb_take_stops(cmb_reader *r);
/* Reads the point of a contact, which must be on a body and not on the ground (forces.c). */
cmb_status cmb_read_contact_point(cmb_reader *r, const cmb_scope *s, const cmb_node *on,
                                  cmb_anchor *at);
/* Read a stop from a contact with the key `restitution`, and from a loop of the type `stop`. */
cmb_status cmb_read_rigid_contact(cmb_reader *r, const cmb_scope *s, const cmb_node *entry);
cmb_status cmb_read_stop(cmb_reader *r, const cmb_scope *s, const cmb_node *entry);

/* Return the name of a type in files, such as "distance" (loops.c) or "box" (shapes.c). */
const char *cmb_loop_type_text(const cmb_model_loop *loop);
const char *cmb_shape_type_text(cmb_shape_type type);

/* Reads an optional line of text under a key of a map into memory of the model (signals.c); *text is "" if the key is missing. */
cmb_status cmb_read_words(cmb_reader *r, const cmb_node *map, const char *key, const char *expected,
                          const char **text);

/* cmb_joint_type_of returns the type of joint with this name, -1 if there is none; cmb_read_joint_axes reads the axes of a joint or loop
 * of this type from its entry, as unit vectors in global axes (joints.c). */
int cmb_joint_type_of(const char *name);
cmb_status cmb_read_joint_axes(cmb_reader *r, const cmb_scope *s, const cmb_node *node,
                               cmb_joint_type type, cmb_number axes[3][3]);

/* Stores the keys under which a joint of this type has its directions in keys[] and returns how many there are (0 to 2). */
int cmb_joint_direction_keys(cmb_joint_type type, const char *keys[2]);

/* Reads the names, initial values, stiffness, damping and friction of the coordinates of a joint (coordinates.c). j->type, euler, name and
 * place must be set. */
cmb_status cmb_read_coordinates(cmb_reader *r, const cmb_scope *s, const cmb_node *entry,
                                cmb_model_joint *j);

/* Reads a table from a map with points, a grid of values or a file, or from a list of points, and appends it to the model, which owns it. Its
 * name `full` must have been defined (tables.c). *table becomes the new one; table may be NULL. */
cmb_status cmb_read_table(cmb_reader *r, const cmb_scope *s, const cmb_node *node, const char *full,
                          const cmb_model_table **table);

/* Reads either the name of a table or a table that is written in place, which is named OWNER.KEY with the key of the node. *table becomes
 * its record in the model. */
cmb_status cmb_read_named_table(cmb_reader *r, const cmb_scope *s, const cmb_node *node,
                                const char *owner, const cmb_model_table **table);

/* Creates a table of two arguments, f(x[i], y[j]) = f[i ny + j], from numbers in memory; its name is OWNER.KEY with the key of the node, and
 * the model owns it. */
cmb_status cmb_make_grid(cmb_reader *r, const cmb_node *node, const char *owner, int nx,
                         const double *x, int ny, const double *y, const double *f,
                         const cmb_model_table **table);

/* Reads two columns of a CSV file, *x and *f of *n numbers each, on the scratch arena (csv.c). `columns` is a list of two names or
 * numbers of columns; NULL: the first two. */
cmb_status cmb_read_csv(cmb_reader *r, const cmb_node *file, const cmb_node *columns, int *n,
                        double **x, double **f);

/* Reads two columns, as cmb_read_csv does, from `length` bytes of text in memory; `name` is the name of the file for messages. */
cmb_status cmb_parse_csv(cmb_reader *r, const char *name, const char *text, size_t length,
                         const cmb_node *columns, int *n, double **x, double **f);

/* Check the keys of a body that is no massless frame, and read its centre of mass, inertia and, of a rod or cylinder, its ends; b->mass must
 * be set (inertia.c). */
cmb_status cmb_check_body_keys(cmb_reader *r, const cmb_node *body);
cmb_status cmb_read_inertia(cmb_reader *r, const cmb_scope *s, const cmb_node *body,
                            cmb_model_body *b);

/* Checks that the joints form a tree in which each body is the child of one joint, and sorts them with parents first (tree.c). */
cmb_status cmb_check_tree(cmb_reader *r);

/* ---- files.c, templates.c: files and the sections in them */

enum { CMB_MOST_INCLUDES = 16 };

/* Reads the text file that a node names, with a path relative to the file that contains the node. *name becomes its path for messages;
 * it is on the model's arena, the text on the scratch arena. */
cmb_status cmb_load_beside(cmb_reader *r, const cmb_node *node, const char **name,
                           const char **text, size_t *length);

/* Reads a file of any bytes that a node names, with a path relative to the file that contains the node. *name becomes its path for
 * messages; it is on the model's arena, the bytes on the scratch arena. */
cmb_status cmb_load_bytes_beside(cmb_reader *r, const cmb_node *node, const char **name,
                                 const char **bytes, size_t *length);

/* Reads a text file that is included: relative to the file that contains the node, else from the library of parts; the ending .yaml can
 * be left out. *name becomes its path for messages; it is on the model's arena, the text on the scratch arena. */
cmb_status cmb_load_included(cmb_reader *r, const cmb_node *node, const char **name,
                             const char **text, size_t *length);

/* Builds the list of scopes, r->scopes: the model with its included files, and all instances of templates. Also registers templates and
 * parameters. */
cmb_status cmb_unfold(cmb_reader *r, const cmb_node *root);

/* ---- place.c */
/* Compute the placement of one scope, or of all: the parameters must be known and the points defined. */
cmb_status cmb_place_scope(cmb_reader *r, const cmb_scope *s);
cmb_status cmb_place_scopes(cmb_reader *r);

/* cmb_scope_vector transforms a vector written in the scope to global axes, in place; cmb_scope_axis copies unit vector i of the scope's
 * axes, without its mirror. */
void cmb_scope_vector(cmb_graph *g, const cmb_scope *s, cmb_number x[3]);
void cmb_scope_axis(const cmb_scope *s, int i, cmb_number axis[3]);

/* Finds the entry that an instance gives to replace an entry of its template's section: *entry becomes it, and *s the scope in which it
 * is read; both are unchanged if there is none. It is an error if the template's entry is {needed: text} and there is none. */
cmb_status cmb_find_given(cmb_reader *r, const char *section, const cmb_scope **s,
                          const cmb_node **entry);

/* ---- repeat.c: copies of an instance */

/* Reads the number of copies of an instance under `repeat`; 0 if it is not repeated. */
cmb_status cmb_read_copies(cmb_reader *r, const cmb_scope *s, const cmb_node *entry, int *copies);

/* cmb_is_previous returns whether a name begins with "previous."; cmb_previous_name writes the full name to which it refers in the scope s
 * (which may be "ground") into `full`, and returns false if nothing precedes the copy; it does not check that the full name exists.
 * cmb_fail_previous reports why such a name is unknown. */
bool cmb_is_previous(const char *name);
bool cmb_previous_name(cmb_reader *r, const cmb_scope *s, const char *name,
                       char full[CMB_NAME_ROOM]);
cmb_status cmb_fail_previous(cmb_reader *r, const cmb_scope *s, cmb_name_kind kind,
                             const char *name, cmb_place at);

/* Checks that the key `before` of each repeated instance names a body or an instance. */
cmb_status cmb_check_before(cmb_reader *r);

/* Copies a formula's text to the model's arena, with full names in place of "previous.NAME". */
cmb_status cmb_write_previous(cmb_reader *r, const cmb_scope *s, const cmb_node *node,
                              const char **text);

/* Reads a model from a tree of nodes (read.c). `source` creates the tree from `from`; it is called again if the model has to be read
 * again. */
typedef cmb_status (*cmb_tree_source)(cmb_reader *r, const void *from, const cmb_node **root);
cmb_status cmb_read_model(cmb_context *ctx, const char *path, const cmb_model_options *options,
                          cmb_tree_source source, const void *from, cmb_model **model);

/* Checks that a file or template has only known sections, each of the right kind (text, list or map). */
cmb_status cmb_check_sections(cmb_reader *r, const cmb_node *root, bool in_template);

#endif
