/*
 * What the files of the reader share: the state of a reading, and the typed access to nodes, names and values.
 *
 * A scope is the model itself or an instance of a template. Its sections stand in one or several maps (parts): those of
 * the file or the template, and those of the files it includes. A section is read for all scopes before the next one
 * begins, so that references may go in and out of instances and across files.
 *
 * An instance's transformation x -> T sign x + offset, with T a rotation, takes the positions written in it to the global frame. It is
 * put on where numbers are read (positions, directions); what comes from a named point is global already.
 *
 * Every message is "FILE:LINE:COL: SUBJECT: words", where the subject is what is read: joint 'left.pivot'.
 */
#ifndef CMB_MODEL_READER_H
#define CMB_MODEL_READER_H

#include "base/error.h"
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
  CMB_NAMES_SHARED, /* those above are all different; of the following each has names of its own */
  CMB_NAMES_POINT = CMB_NAMES_SHARED,
  CMB_NAMES_OUTPUT,
  CMB_NAMES_EVENT,
  CMB_NAMES_CONTROLLER,
  CMB_NAMES_TEMPLATE,
  CMB_NAMES_KINDS
} cmb_name_kind;

/* A file that a part includes, and what it sets of it (overrides.c). */
typedef struct cmb_include {
  struct cmb_part *part;
  const cmb_node *file, *set; /* its name, and a map of values or NULL */
  const struct cmb_include *next;
} cmb_include;

typedef struct cmb_part {
  const cmb_node *root;
  const cmb_include *includes;
  struct cmb_part *next;
  struct cmb_part *found; /* the next one that a search has found, .. */
  int search;             /* .. and the last one that has found this */
} cmb_part;

/* Where an instance is: known when it is asked for (place.c). The rows of mirror.axes are the columns of T. */
typedef struct cmb_placement {
  enum { CMB_PLACE_UNKNOWN, CMB_PLACE_BUSY, CMB_PLACE_KNOWN } state;
  cmb_mirror mirror;
  cmb_number offset[3];
} cmb_placement;

typedef struct cmb_scope {
  const char *prefix; /* "" or "left." */
  const struct cmb_scope *parent;
  cmb_part *parts;
  cmb_placement *placed;
  const cmb_node *instance;         /* what it came from, NULL for the model */
  const cmb_node *arguments;        /* the instance's `parameters`, or NULL */
  const cmb_name *template_of;      /* NULL for the model */
  int copy;                         /* its number in a repeated instance, 0 if it is none */
  const struct cmb_scope *previous; /* the copy before, NULL for the first */
  struct cmb_scope *next;
} cmb_scope;

enum { CMB_MOST_NAME_PART = 60 }; /* characters of a name, without those of its instances */

enum { CMB_SUBJECT_ROOM = 128, CMB_NAME_ROOM = 256, CMB_MOST_DEPENDENCE = 100 };

/* What is read, for messages. */
typedef struct cmb_subject {
  const char *kind;            /* "joint"; "": nothing yet */
  char text[CMB_SUBJECT_ROOM]; /* "joint 'left.pivot'"; a long name is cut */
  char name[CMB_NAME_ROOM];    /* "left.pivot", or "" */
} cmb_subject;

/* A parameter or point, which is computed when it is first asked for. */
typedef struct cmb_lazy {
  const char *name;
  const cmb_node *entry;  /* what it is defined by */
  const cmb_node *node;   /* its value */
  const cmb_scope *scope; /* that its formulas are looked up in */
  const cmb_scope *home;  /* that it is defined in */
  cmb_part *set_in;       /* of the scope: what includes the file and sets it; NULL: none does */
  enum { CMB_LAZY_NEW, CMB_LAZY_BUSY, CMB_LAZY_DONE } state;
  cmb_number value[3];
  bool is_index; /* the number of a copy, which nobody can set */
  bool live;     /* a parameter that can be set at any time */
} cmb_lazy;

/* A parameter that was to stay live with all others and cannot. */
typedef struct cmb_not_live {
  const char *name;
  const struct cmb_not_live *next;
} cmb_not_live;

typedef struct cmb_reader {
  cmb_context *ctx;
  const cmb_model_options *options;
  cmb_model *model;
  cmb_arena *scratch; /* lives as long as the reading */
  cmb_graph *graph;   /* where formulas are tried */
  cmb_name_map map;
  char spaces[CMB_NAMES_KINDS]; /* their addresses own the names */
  cmb_scope *scopes, *last_scope;
  int unfolded_size; /* nodes in all scopes */
  int part_searches; /* among files that include each other */
  size_t bytes_read; /* from other files than the first */
  cmb_subject subject;
  cmb_lazy *parameters, *points;
  int parameter_room, point_count;
  int dependence; /* how deep lazy values ask for each other now */
  const char
      *chooses; /* what the number being read decides on, which no live one can; NULL: nothing */
  const cmb_not_live *fixed;   /* parameters that such numbers depend on */
  cmb_arena *kept;             /* what outlives a reading that has to be repeated */
  bool again;                  /* one of them was found only now: what has been read is of no use */
  cmb_error_record nested;     /* failure inside of a formula's name */
  cmb_model_limit *last_limit; /* of the model's */
} cmb_reader;

/* ---- reader.c: messages, names, sections */

cmb_status cmb_reader_fail(cmb_reader *r, cmb_place at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The last failure, of a formula's text or of a table, once more with file and subject: at its own place if it has one. */
cmb_status cmb_reader_repeat(cmb_reader *r, cmb_place at);

/* What messages are about from now on: "joint" and a name. */
void cmb_reader_subject(cmb_reader *r, const char *what, const char *prefix, const char *name);

const char *cmb_name_kind_text(cmb_name_kind kind); /* "joint" */

/* "left." + name, on the model's arena; NULL without memory. suffix may be "". */
const char *cmb_full_name(cmb_reader *r, const char *prefix, const char *name, const char *suffix);

/* prefix + name; false if there is no room for it, as no name is so long. */
bool cmb_join_names(const char *prefix, const char *name, char full[CMB_NAME_ROOM]);

/* A name of one kind comes into being; one that is taken already is an error. */
cmb_status cmb_define(cmb_reader *r, cmb_name_kind kind, const char *full, int index, cmb_place at);

/* The name as seen from a scope: inside it, then outside. NULL if there is none of that kind. */
cmb_name *cmb_look_up(cmb_reader *r, const cmb_scope *s, cmb_name_kind kind, const char *name);

/* The known name of this kind that is near, as seen from the scope; NULL if none is. */
const char *cmb_nearest(cmb_reader *r, const cmb_scope *s, cmb_name_kind kind, const char *name);

/* The same as cmb_look_up; an unknown name is an error at `at`. */
cmb_status cmb_refer(cmb_reader *r, const cmb_scope *s, cmb_name_kind kind, const char *name,
                     cmb_place at, const cmb_name **found);

typedef cmb_status (*cmb_entry_reader)(cmb_reader *r, const cmb_scope *s, const cmb_node *entry);

/* All entries of a section in all scopes; the subject is set. */
cmb_status cmb_each_entry(cmb_reader *r, const char *section, const char *what,
                          cmb_entry_reader read);
int cmb_count_entries(const cmb_reader *r, const char *section);

/* The same in one scope. */
cmb_status cmb_each_entry_of(cmb_reader *r, const cmb_scope *s, const char *section,
                             const char *what, cmb_entry_reader read);

/* An array on the model's arena for as many objects as the section has entries, and perhaps more. */
cmb_status cmb_take_section(cmb_reader *r, const char *section, int more, size_t size, void *array);

/* ---- reader.c: nodes */

/* Every key of the map is among the `count` names of `keys`; else an error that suggests one. */
cmb_status cmb_check_keys(cmb_reader *r, const cmb_node *map, int count, const char *const *keys);
#define CMB_CHECK_KEYS(r, map, keys)                                                               \
  cmb_check_keys(r, map, (int)(sizeof(keys) / sizeof *(keys)), keys)

cmb_status cmb_expect_map(cmb_reader *r, const cmb_node *node);
cmb_status cmb_expect_text(cmb_reader *r, const cmb_node *node, const char *expected);
cmb_status cmb_expect_list(cmb_reader *r, const cmb_node *node, int count, const char *expected);

/* A text of one line for people, such as a title or a unit, for the model: without control characters, which quoted texts can have ("\t"). */
cmb_status cmb_read_line(cmb_reader *r, const cmb_node *node, const char **line);

/* The entry of a map, which must be there. */
cmb_status cmb_require(cmb_reader *r, const cmb_node *map, const char *key, const cmb_node **node);

/* One of the names in a table (as for cmb_find_name); its index. */
cmb_status cmb_read_choice(cmb_reader *r, const cmb_node *node, const void *names, int count,
                           size_t stride, int *choice);

/* A name that the user may give to something: letters, digits and _, not one of the reserved ones. */
cmb_status cmb_check_name(cmb_reader *r, const char *name, cmb_place at);

/* ---- limits.c: what numbers have to be, with the values of the file and with others of live parameters (limits.h) */

typedef enum cmb_limit_kind {
  CMB_POSITIVE = 1,
  CMB_NOT_NEGATIVE,
  CMB_SELDOM_NEGATIVE, /* any number, but there is a warning if it is negative: stiffness, damping, free length */
  CMB_AT_LEAST, /* two numbers: the first is at least the second, .. */
  CMB_ABOVE,    /* .. greater .. */
  CMB_AT_MOST,  /* .. or at most the second */
  CMB_INERTIA /* nine numbers: principal moments not negative, and none larger than the two others' sum; with a warning if two are 0 */
} cmb_limit_kind;

/* `what` is "the mass", "'radius'"; `expected` may be NULL: a number greater than 0, or not less. */
cmb_status cmb_limit_number(cmb_reader *r, cmb_place place, const char *what, cmb_limit_kind kind,
                            const char *expected, cmb_number x);
cmb_status cmb_limit_each(cmb_reader *r, cmb_place place, const char *what, cmb_limit_kind kind,
                          int count, const cmb_number *x);
/* By another number: CMB_AT_LEAST, CMB_ABOVE or CMB_AT_MOST. */
cmb_status cmb_limit_by(cmb_reader *r, cmb_place place, const char *what, cmb_limit_kind kind,
                        cmb_number x, cmb_number bound);
cmb_status cmb_limit_inertia(cmb_reader *r, cmb_place place, const cmb_number inertia[9]);

/* ---- friction.c */

/* `law: smooth | stick` of a map, smooth if not given; `static` belongs to stick. */
cmb_status cmb_read_friction_law(cmb_reader *r, const cmb_node *map, bool *sticks);

/* What friction can hold is not less than what it exerts while it slips. */
cmb_status cmb_limit_static(cmb_reader *r, const cmb_node *map, cmb_number slipping,
                            cmb_number most);

/* `friction` of a contact: a coefficient, or {coefficient, law, static, direction}. */
cmb_status cmb_read_contact_friction(cmb_reader *r, const cmb_scope *s, const cmb_node *entry,
                                     cmb_model_force *f);

/* ---- values.c: numbers and formulas */

cmb_status cmb_read_number(cmb_reader *r, const cmb_scope *s, const cmb_node *node, cmb_number *x);

/* A list of `count` numbers. */
cmb_status cmb_read_numbers(cmb_reader *r, const cmb_scope *s, const cmb_node *node, int count,
                            cmb_number *x);

/* The same for what cannot depend on live parameters: `chooses` says what it is, "the number of copies". */
cmb_status cmb_read_fixed(cmb_reader *r, const cmb_scope *s, const cmb_node *node,
                          const char *chooses, double *x);
cmb_status cmb_read_fixed_list(cmb_reader *r, const cmb_scope *s, const cmb_node *node, int count,
                               const char *chooses, double *x);

/* The number under a key of a map; left alone if it is not there. */
cmb_status cmb_read_optional(cmb_reader *r, const cmb_scope *s, const cmb_node *map,
                             const char *key, cmb_number *x);

/* The same, and it must be positive, or not negative. */
cmb_status cmb_read_limited(cmb_reader *r, const cmb_scope *s, const cmb_node *map, const char *key,
                            cmb_limit_kind limit, cmb_number *x);

/* One number for all of `count`, or a list with one for each; left alone if there is no node. */
cmb_status cmb_read_each(cmb_reader *r, const cmb_scope *s, const cmb_node *node, int count,
                         cmb_number *x);

/* Such stiffnesses or dampings under a key of a map: a negative one is taken, with a warning. */
cmb_status cmb_read_signed(cmb_reader *r, const cmb_scope *s, const cmb_node *map, const char *key,
                           int count, cmb_number *x);

/* Everything of a formula but its text: it is written in the scope, and its names are looked up from the prefix `names` on. */
cmb_status cmb_begin_formula(cmb_reader *r, const cmb_scope *s, const char *names, cmb_place place,
                             cmb_model_formula *formula);

/* A formula that stays text; its syntax is checked. */
cmb_status cmb_read_formula(cmb_reader *r, const cmb_scope *s, const cmb_node *node,
                            cmb_model_formula *formula);

/* Runs `compute` for a value that is asked for the first time; asking for itself is an error. */
cmb_status cmb_lazy_need(cmb_reader *r, cmb_lazy *lazy, const char *what, cmb_place asked_at,
                         cmb_status (*compute)(cmb_reader *r, cmb_lazy *lazy));

/* ---- parameters.c */

/* The names of a scope's parameters, with what its instance and the options say; the values are computed when they are
 * asked for, or in cmb_read_parameters. */
cmb_status cmb_define_parameters(cmb_reader *r, const cmb_scope *s);
cmb_status cmb_read_parameters(cmb_reader *r);
cmb_status cmb_parameter_value(cmb_reader *r, int index, cmb_place asked_at, cmb_number *x);

/* ---- overrides.c: what including files set */

/* Puts the values that the scope's own includes and those of the scopes around it have for its parameters. */
cmb_status cmb_put_overrides(cmb_reader *r, const cmb_scope *home);

/* All that includes set are parameters of the included files. */
cmb_status cmb_check_overrides(cmb_reader *r);

/* A number that decides on something depends on a live parameter: an error, or a reason to read again without it. */
cmb_status cmb_fix_number(cmb_reader *r, cmb_number x, cmb_place asked_at);

/* ---- points.c: positions, directions, frames, points on bodies */

cmb_status cmb_define_points(cmb_reader *r);
cmb_status cmb_read_points(cmb_reader *r);
cmb_status cmb_read_position(cmb_reader *r, const cmb_scope *s, const cmb_node *node,
                             cmb_number at[3]);
cmb_status cmb_read_direction(cmb_reader *r, const cmb_scope *s, const cmb_node *node,
                              cmb_number d[3]);

/* Orthonormal rows from a map with two of x, y, z; NULL: those of the scope. Mirrored scopes give mirrored frames. */
cmb_status cmb_read_axes(cmb_reader *r, const cmb_scope *s, const cmb_node *node,
                         cmb_number axes[9]);

/* b is made perpendicular to a, if it is nearly so; else an error. */
cmb_status cmb_make_perpendicular(cmb_reader *r, const cmb_node *node, const cmb_number a[3],
                                  cmb_number b[3]);

/* ---- anchors.c */

cmb_status cmb_read_body(cmb_reader *r, const cmb_scope *s, const char *name, cmb_place at,
                         int *body);
cmb_status cmb_read_anchor(cmb_reader *r, const cmb_scope *s, const cmb_node *node, cmb_anchor *a);

/* between: [body@P, body@Q], or bodies: [body, body] and at: P */
cmb_status cmb_read_between(cmb_reader *r, const cmb_scope *s, const cmb_node *map, cmb_anchor *a,
                            cmb_anchor *b);
cmb_status cmb_read_markers(cmb_reader *r);

/* ---- the sections, a file each */

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

/* tyres.c */
cmb_status cmb_read_tyre(cmb_reader *r, const cmb_scope *s, const cmb_node *entry,
                         cmb_model_force *f);
/* road_waves.c: the waves of a random road */
cmb_status cmb_read_random_road(cmb_reader *r, const cmb_scope *s, const cmb_node *entry,
                                cmb_model_road *road);

/* stops.c: a contact with a restitution in place of a stiffness, and a loop of the type `stop` */
cmb_status cmb_take_stops(cmb_reader *r);
cmb_status cmb_read_contact_point(cmb_reader *r, const cmb_scope *s, const cmb_node *on,
                                  cmb_anchor *at); /* forces.c */
cmb_status cmb_read_rigid_contact(cmb_reader *r, const cmb_scope *s, const cmb_node *entry);
cmb_status cmb_read_stop(cmb_reader *r, const cmb_scope *s, const cmb_node *entry);

/* loops.c, shapes.c: what the type is called in files */
const char *cmb_loop_type_text(const cmb_model_loop *loop);
const char *cmb_shape_type_text(cmb_shape_type type);

/* signals.c: the text under a key, for the model; "" if it is not there */
cmb_status cmb_read_words(cmb_reader *r, const cmb_node *map, const char *key, const char *expected,
                          const char **text);

/* joints.c: the type of joint under this name, -1 if there is none; and its directions */
int cmb_joint_type_of(const char *name);
cmb_status cmb_read_joint_axes(cmb_reader *r, const cmb_scope *s, const cmb_node *node,
                               cmb_joint_type type, cmb_number axes[3][3]);

/* The keys that these directions stand under: how many. */
int cmb_joint_direction_keys(cmb_joint_type type, const char *keys[2]);

/* coordinates.c: what a joint says of its coordinates; type, euler and name are known */
cmb_status cmb_read_coordinates(cmb_reader *r, const cmb_scope *s, const cmb_node *entry,
                                cmb_model_joint *j);

/* tables.c: a table that the model owns from now on, under a full name; node is a map with points or a file, or a list */
cmb_status cmb_read_table(cmb_reader *r, const cmb_scope *s, const cmb_node *node, const char *full,
                          const cmb_model_table **table);

/* A table's name, or a table that stands here and is called OWNER.KEY. */
cmb_status cmb_read_named_table(cmb_reader *r, const cmb_scope *s, const cmb_node *node,
                                const char *owner, const cmb_model_table **table);

/* A table f(x[i], y[j]) = f[i ny + j] with numbers from elsewhere, which is called OWNER.KEY. */
cmb_status cmb_make_grid(cmb_reader *r, const cmb_node *node, const char *owner, int nx,
                         const double *x, int ny, const double *y, const double *f,
                         const cmb_model_table **table);

/* csv.c: two columns of a file, each (n); memory from the scratch arena. columns may be NULL. */
cmb_status cmb_read_csv(cmb_reader *r, const cmb_node *file, const cmb_node *columns, int *n,
                        double **x, double **f);

/* The same from text in memory; `name` is that of the file in messages. */
cmb_status cmb_parse_csv(cmb_reader *r, const char *name, const char *text, size_t length,
                         const cmb_node *columns, int *n, double **x, double **f);

/* inertia.c: whether the entry has the keys that a body of its kind has, and no others; then what they say but for the mass */
cmb_status cmb_check_body_keys(cmb_reader *r, const cmb_node *body);
cmb_status cmb_read_inertia(cmb_reader *r, const cmb_scope *s, const cmb_node *body,
                            cmb_model_body *b);

/* tree.c: each body is the child of one joint, without loops; joints are sorted, parents first */
cmb_status cmb_check_tree(cmb_reader *r);

/* ---- files.c, templates.c: where sections come from */

enum { CMB_MOST_BYTES = 16 << 20, CMB_MOST_INCLUDES = 16 };

/* A file that a node names, beside the file that the node stands in. `name` is how messages call it; both are on the
 * scratch or model arena. */
cmb_status cmb_load_beside(cmb_reader *r, const cmb_node *node, const char **name,
                           const char **text, size_t *length);

/* The same for a file that need not be text. */
cmb_status cmb_load_bytes_beside(cmb_reader *r, const cmb_node *node, const char **name,
                                 const char **bytes, size_t *length);

/* The same for a file that is included, which may lie in the library; the ending .yaml can be left out. */
cmb_status cmb_load_included(cmb_reader *r, const cmb_node *node, const char **name,
                             const char **text, size_t *length);
cmb_status cmb_load_main(cmb_context *ctx, const char *path, char **text, size_t *length);

/* Text in UTF-8 without control characters, else an error; `at` is the place of its first character. */
cmb_status cmb_check_text(cmb_context *ctx, const char *text, size_t length, cmb_place at);

/* The scopes: the model with its includes, and all instances of templates. */
cmb_status cmb_unfold(cmb_reader *r, const cmb_node *root);

/* place.c: where instances are, when the parameters are known and the points have names. */
cmb_status cmb_place_scope(cmb_reader *r, const cmb_scope *s);
cmb_status cmb_place_scopes(cmb_reader *r);

/* A vector as written in the scope to global axes; and unit vector i of the scope's axes before they are mirrored. */
void cmb_scope_vector(cmb_graph *g, const cmb_scope *s, cmb_number x[3]);
void cmb_scope_axis(const cmb_scope *s, int i, cmb_number axis[3]);

/* What an instance gives in place of an entry of its template's section, and the scope that it is read in; both stay as they are if it
 * gives nothing. An entry `{needed: words}` must be given. */
cmb_status cmb_find_given(cmb_reader *r, const char *section, const cmb_scope **s,
                          const cmb_node **entry);

/* ---- repeat.c: copies of an instance */

/* How many, 0 if the instance is not repeated. */
cmb_status cmb_read_copies(cmb_reader *r, const cmb_scope *s, const cmb_node *entry, int *copies);

/* "previous.NAME", and the full name of what it stands for in a scope, perhaps "ground"; false if that is nothing. */
bool cmb_is_previous(const char *name);
bool cmb_previous_name(cmb_reader *r, const cmb_scope *s, const char *name,
                       char full[CMB_NAME_ROOM]);
cmb_status cmb_fail_previous(cmb_reader *r, const cmb_scope *s, cmb_name_kind kind,
                             const char *name, cmb_place at);

/* `before` of all instances is a body or an instance. */
cmb_status cmb_check_before(cmb_reader *r);

/* A formula's text with full names in place of "previous.NAME". */
cmb_status cmb_write_previous(cmb_reader *r, const cmb_scope *s, const cmb_node *node,
                              const char **text);

/* read.c: a model from the tree that `source` makes, which may be asked for it several times. */
typedef cmb_status (*cmb_tree_source)(cmb_reader *r, const void *from, const cmb_node **root);
cmb_status cmb_read_model(cmb_context *ctx, const char *path, const cmb_model_options *options,
                          cmb_tree_source source, const void *from, cmb_model **model);

/* What stands in a file or template: known sections, each of its kind */
cmb_status cmb_check_sections(cmb_reader *r, const cmb_node *root, bool in_template);

#endif
