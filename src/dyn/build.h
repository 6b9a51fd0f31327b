/*
 * The state of building a mechanism's expressions from a model (cmb_build), and the functions that the files of this layer share for it.
 *
 * Actions are forces along measures, constraints are measures (or formulas of measures) that have to be 0. Both are the same
 * for joint and for Cartesian coordinates; only the tree of links differs.
 */
#ifndef CMB_DYN_BUILD_H
#define CMB_DYN_BUILD_H

#include "base/error.h"
#include "dyn/expressions.h"
#include "dyn/measure.h"
#include "model/name_map.h"

#include <camber/dyn.h>

/* One term of the applied forces: a force Q along a measure (a scalar such as a distance) with the rate ẋ. Its power is Q ẋ. */
typedef struct cmb_action {
  cmb_measure measure;
  cmb_expr force;     /* Q */
  cmb_expr potential; /* potential energy; 0: none */
  cmb_expr lost;      /* the part of Q that does not come from the potential */

  /* If along_line is set, the same force along the measure `line`: `law` is a function of the placeholder symbols of
   * cmb_build_law_symbols for the expressions `value` and `rate`. */
  bool along_line;
  cmb_measure line;
  cmb_expr law, value, rate;
  bool against; /* `value` increases when the rate of `line` is negative */
} cmb_action;

/* One term of a constraint's gradient: a coefficient times the gradient of a measure. */
typedef struct cmb_term {
  cmb_expr coefficient;
  cmb_measure measure;
} cmb_term;

/* A row of a sparse matrix: the columns (count), ascending, and the entries e (count), none of which is the constant 0. */
typedef struct cmb_row {
  int count, *column;
  cmb_expr *e;
} cmb_row;

/* A constraint g = 0, with g_t = ∂g/∂t and the part γ of g̈ that remains for v̇ = 0; its gradient is the sum of the terms (of Euler
 * parameters: `row`). */
typedef struct cmb_constraint {
  const char *name;
  cmb_expr g, gt, gamma;
  int term_count;
  cmb_term *terms;
  int loop; /* index in the model; -1: a constraint of a joint or of Euler parameters */
  /* g is made of cosines or Euler parameters, not of lengths; of a formula always false */
  bool angle;
  /* c Gᵀ G is added to the mass matrix in any case (Cartesian formulation); else only where bodies lack inertia */
  bool weigh;
  cmb_row row;     /* of G */
  cmb_expr lambda; /* its Lagrange multiplier; 0 if the constraint is left out as redundant */
} cmb_constraint;

typedef enum cmb_hint_kind {
  CMB_HINT_MOTION, /* a switching function of the equations of motion */
  CMB_HINT_CONTACT, /* a switching function of the motion that is positive while a contact is closed */
  CMB_HINT_RULE     /* a switching function in the condition of an event or a stop */
} cmb_hint_kind;

/* The name of a switching function: the one whose sign is that of the expression e. */
typedef struct cmb_hint {
  cmb_expr e;
  const char *name;
  cmb_hint_kind kind;
} cmb_hint;

/* A limit of validity of a force law: when e becomes positive, an event occurs and a warning is reported, or the simulation ends with an error. */
typedef struct cmb_bound {
  cmb_expr e; /* of t, q and v */
  const char *name;
  const char *warning;
  bool fails; /* the warning is an error */
} cmb_bound;

/* Progress of a formula, force, state or road: not begun, aborted until another one is read, being built, complete. */
enum { CMB_NOT_BUILT, CMB_WAITING, CMB_IN_WORK, CMB_BUILT };

/* The expression of a measure's formula when it was last read, and the kind of formula for which it was read. */
typedef struct cmb_read_measure {
  int state; /* CMB_BUILT: `e` is valid for the level, symbols and outputs below */
  int level, symbols;
  bool outputs;
  bool late; /* depends on accelerations, multipliers or contact forces */
  int implicit; /* implicit function in whose equations it was read, with symbols for the unknowns; −1: none */
  cmb_expr e;
} cmb_read_measure;

/* The roots w of an implicit function when it was last read, and the kind of formula for which it was read. */
typedef struct cmb_read_implicit {
  int state;
  int level, symbols;
  bool outputs;
  bool late;   /* depends on accelerations, multipliers or contact forces */
  bool starts; /* the initial values of its unknowns are being read */
  cmb_expr unknown[CMB_MOST_UNKNOWNS], w[CMB_MOST_UNKNOWNS];
} cmb_read_implicit;

/* A sampled value: one that a controller of the model updates, or a stage of the shift register of a delay (sampled.c). */
typedef struct cmb_sampled {
  const char *name;
  int sampler;
  double start;
  cmb_expr x, update; /* the graph input that represents it, and its next value */
  int delayed;        /* index of the sampled value that is this one delayed by a period; 0: none */
  bool late; /* it samples another sampled value `rest` seconds after that value's instants */
  double rest;
  /* if it samples an argument of delay() in an update: 1 + the index of the updated value, and the number of the delay there; else 0 */
  int of_update, number;
} cmb_sampled;

/* An array of `count` items that grows, in memory of the arena; it has room for `room` items. */
typedef struct cmb_list {
  void *items;
  int count, room;
} cmb_list;

typedef struct cmb_build {
  cmb_context *ctx;
  cmb_arena *arena;
  const cmb_model *model;
  cmb_graph *g;
  cmb_tree *tree;
  cmb_kinematics *k;
  bool cartesian;
  bool forced;       /* option: build the accelerations for given λ */
  bool whole_mass;   /* option: M by its entries, even if there are very many */
  bool stiffness;    /* option: separate stiff forces from the others, for steps of fixed cost */
  cmb_status status; /* of the first failure */
  cmb_error_record failure; /* its error message, if cmb_build_fail reported it */

  cmb_expr *u;      /* (3 x inputs) the free parts u, then u' and u'' */
  bool *rate_asked; /* (2 x inputs) whether u' and u'' occur in expressions */
  cmb_expr *input;  /* (inputs) formula plus free part */
  /* (states) z, its rate e, and the graph input that represents ż */
  cmb_expr *state, *state_rate, *state_change;
  int *rate_state; /* (states) CMB_BUILT if e is built */
  /* (states) e depends on accelerations, multipliers or contact forces (late_states.c) */
  bool *state_late;
  /* (states) e without resting contacts, for methods with steps of fixed cost */
  cmb_expr *state_rate_free;
  bool in_rate;    /* the rate of a state is being read */
  bool reads_late; /* the formula being read uses accelerations, multipliers or contact forces */
  cmb_list sampled, samplers; /* of cmb_sampled, of cmb_sampler */
  /* the sampled value whose update is being read, -1: none; and the number of delays in it so far */
  int updating, update_delays;
  cmb_name_map names;           /* names of the model's items, by kind */
  cmb_read_measure *measures;   /* (measures) */
  cmb_read_implicit *implicits; /* (implicits) */
  struct cmb_read_road *roads;  /* (roads) road.c */
  int road_depth;               /* nesting of roads that are being built */
  int implicit_now;             /* the implicit function whose formulas are being read; -1: none */
  int formula_depth;            /* nesting of formulas that are being read */
  int force_depth;              /* nesting of forces that are being built */
  int waiting;      /* measure before which reading was aborted as too deep; −1: none */
  int symbol_sets;  /* number of cmb_symbols made so far */
  int *force_state; /* (forces) CMB_NOT_BUILT, CMB_IN_WORK or CMB_BUILT */
  struct cmb_tyre_results **tyres; /* (forces) results of tyres that are built: tyre_force.c */
  int *first_action;               /* (forces) index of the first action of a force that is built */
  int *action_count;               /* (forces) number of its actions */
  cmb_list actions;                /* of cmb_action */
  cmb_list constraints;            /* of cmb_constraint */
  cmb_list hints;                  /* of cmb_hint */
  cmb_list bounds;                 /* of cmb_bound */
  /* of cmb_hint: the expressions of formulas, forces and loops, with the names of these */
  cmb_list sources;
  cmb_wrench *scratch; /* (room for links) zero between uses */
  void *reactions;     /* (bodies) outputs.c; NULL: not built yet */
  bool outputs;        /* output quantities are available to formulas */
  /* (push_count) pushes.c, one for each event and stop; NULL: not built yet */
  struct cmb_push *pushes;
  int push_count;
} cmb_build;

/* mechanism.c: allocates the memory of a build and makes its names, tree and kinematics. Context, arena, model, graph and formulation
 * must be set. */
cmb_status cmb_build_open(cmb_build *b);

/* Appends an item of `size` bytes to a list and returns it, zeroed unless an item has been removed, or NULL if out of memory. The items may
 * move, which makes pointers to earlier ones invalid. */
void *cmb_list_add(cmb_build *b, cmb_list *list, size_t size);
cmb_action *cmb_action_at(const cmb_build *b, int i);
cmb_constraint *cmb_constraint_at(const cmb_build *b, int i);

/* Return the description of what an error message is about: an item of the model with its position in the file, or a formula, for which
 * the message begins with "SUBJECT: ". */
cmb_about cmb_about_part(const cmb_place *place, const char *kind, const char *name);
cmb_about cmb_about_formula(const cmb_model_formula *formula);

/* Reports an error and stores it as the build's failure, unless there has been one before. Returns the first failure's status. */
cmb_status cmb_build_fail(cmb_build *b, cmb_about about, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Reports that a formula which must depend on the bodies' positions does not. */
cmb_status cmb_build_fail_fixed(cmb_build *b, const cmb_model_formula *formula, const char *kind,
                                const char *name);

/* Returns velocity n of a joint as the rate of a measure, which has no value if the velocity is not the rate of a coordinate. In the
 * Cartesian formulation the first call for a joint adds links for it. */
cmb_measure cmb_build_coordinate(cmb_build *b, int joint, int n);

/* Returns the sign (1 or −1) of velocity n of a joint, and of its coordinate, in formulas of a mirrored or rotated copy of a template; −1 is
 * possible only with Euler parameters, whose axes are not mirrored. Returns 0 if the coordinate's axes are not those of the formula. */
double cmb_coordinate_sign(const cmb_mirror *mirror, const cmb_model_joint *j, int n);
cmb_status cmb_build_fail_axes(cmb_build *b, cmb_about about, const char *coordinate);

/* Returns the index, in its joint, of the coordinate whose rate is velocity n of the joint; −1: there is none (Euler parameters). */
int cmb_joint_coordinate_index(const cmb_model_joint *j, int n);

/* Reports an error if a joint of this tree allows a motion that moves no mass. */
cmb_status cmb_build_check_idle(cmb_build *b, const cmb_tree *joints);

/* sources.c. Returns the name of the item of the model from which an expression comes, such as "SUBJECT, line N", without quotation marks
 * in it; NULL if out of memory. */
const char *cmb_build_source_text(cmb_build *b, const char *subject, const cmb_place *place);

/* Record from which item of the model, at which place, expressions come: e from SUBJECT; the actions from number first_action on from a
 * force; the expressions of a constraint from its loop; the derivative e of an action's force law from that force, since in derivatives the
 * argument of smooth(...) has switching functions, too. */
void cmb_build_source(cmb_build *b, cmb_expr e, const char *subject, const cmb_place *place);
void cmb_build_force_source(cmb_build *b, int force, int first_action);
void cmb_build_loop_source(cmb_build *b, const cmb_constraint *c);
void cmb_build_derivative_source(cmb_build *b, int action, cmb_expr e);
cmb_status cmb_build_take_sources(cmb_build *b, cmb_expressions *x);

/* actions.c. Builds the springs, dampers and friction of all joint coordinates. */
cmb_status cmb_build_joint_forces(cmb_build *b);

/* Builds the actions (terms of the applied forces) of a force element of the model; does nothing if they are built already. */
cmb_status cmb_build_force(cmb_build *b, int force);

/* Returns the measure along which a spring acts: a distance or a joint coordinate. */
cmb_measure cmb_build_spring_measure(cmb_build *b, int force);

/* friction.c: reports an error if dry friction (`stick`) in a formula drives the velocity that it depends on instead of opposing it; makes
 * it a limit of validity if that depends on the motion, time or an input. Must be called after all forces, and the links that they add,
 * have been built. */
cmb_status cmb_build_check_friction(cmb_build *b);

/* Placeholder symbols for the value x (such as a length) and the rate ẋ that a force depends on. */
typedef struct cmb_law_symbols {
  cmb_expr x, rate;
} cmb_law_symbols;
cmb_law_symbols cmb_build_law_symbols(cmb_build *b);

/* Replaces the placeholder symbols of force laws in *e by a value and a rate. */
cmb_status cmb_build_law(cmb_build *b, cmb_expr value, cmb_expr rate, cmb_expr *e);

/* names.c: returns the expression of a table of the model, with its scale factors, at the given arguments (one or two). */
cmb_expr cmb_build_table(cmb_build *b, const cmb_model_table *table, const cmb_expr *arguments);

/* Builds the formula of a surface at the point `at`: its value s, its gradient, and its partial time derivative (`rate`). */
cmb_status cmb_build_surface(cmb_build *b, const cmb_model_formula *formula, cmb_vector at,
                             cmb_expr *s, cmb_vector *gradient, cmb_expr *rate);

/* Gives the switching function whose sign is that of e the name NAME, or NAME.part. */
void cmb_build_hint(cmb_build *b, cmb_hint_kind kind, const char *name, const char *part,
                    cmb_expr e);

/* rules.c: adds a limit of validity of a force law, which is exceeded where e > 0. The event is called NAME.part; the warning describes the
 * consequence; if `fails`, it is what follows "NAME is .." in an error that ends the simulation. */
void cmb_build_bound(cmb_build *b, const char *name, const char *part, cmb_expr e,
                     const char *warning, bool fails);

/* Reads the formulas of events and stops once, because in the Cartesian formulation this creates the joint coordinates that they use. */
cmb_status cmb_build_scan_rules(cmb_build *b);

/* Builds the rules in x: first the events, then the stops, then the limits of validity. */
cmb_status cmb_build_rules(cmb_build *b, cmb_expressions *x);

/* states.c. Creates the inputs for the first-order states and their rates. */
cmb_status cmb_build_states(cmb_build *b);

/* Builds the rate of one first-order state; does nothing if it is built already. */
cmb_status cmb_build_state_rate(cmb_build *b, int state);
cmb_status cmb_build_state_rates(cmb_build *b);

/* Appends the states to the velocities of x, and their units to those of the velocities. */
cmb_status cmb_build_take_states(cmb_build *b, cmb_expressions *x);
cmb_status cmb_build_state_units(cmb_build *b, cmb_expressions *x);

/* sizes.c: computes q_sizes and v_sizes of x. */
cmb_status cmb_build_sizes(cmb_build *b, cmb_expressions *x);

/* states.c: appends the equations of the states to those of the mechanism. */
cmb_status cmb_build_state_equations(cmb_build *b, cmb_expressions *x);

/* late_states.c: builds the rates of all states as functions of t, q, v and z in rate[] (one for each state), by replacing accelerations
 * and multipliers by their solution without resting contacts. Stores in x the late states, whose rates depend on these. Must be called
 * after the equations of motion are built. */
cmb_status cmb_build_late_states(cmb_build *b, cmb_expressions *x, cmb_expr *rate);

/* input_rates.c. Creates the symbols u, u' and u'' of the model's inputs. */
cmb_status cmb_build_input_symbols(cmb_build *b);

/* Adds the terms ∂e/∂u u' + ∂e/∂u' u'' with the rates of inputs to *rate, which contains ∂e/∂t on entry. */
cmb_status cmb_build_add_input_rates(cmb_build *b, cmb_expr e, cmb_expr *rate);

/* Stores in x those input rates u', u'' that occur in expressions; must be called after all expressions are built. */
cmb_status cmb_build_take_input_rates(cmb_build *b, cmb_expressions *x);

/* sampled.c. Returns sampled value i. */
cmb_sampled *cmb_sampled_at(const cmb_build *b, int i);

/* Creates the inputs of the model's sampled values, and their samplers. */
cmb_status cmb_build_sampled(cmb_build *b);

/* Reads the formulas that update the sampled values. Must be called twice, because the first call creates the sampled values of delays. */
cmb_status cmb_build_updates(cmb_build *b);
cmb_status cmb_build_take_samplers(cmb_build *b, cmb_expressions *x);

/* Builds delay(x, time) in a formula. Returns false on failure, with an error message unless memory has run out. */
bool cmb_build_delay(cmb_build *b, const cmb_model_formula *formula, cmb_expr x, cmb_expr time,
                     cmb_expr *e);

/* stiffness.c: builds the stiff forces in x (stiff_row and the fields that follow it). */
cmb_status cmb_build_stiffness(cmb_build *b, cmb_expressions *x);

/* constraints.c. Builds the constraints of all loops and motions. */
cmb_status cmb_build_loops(cmb_build *b);

/* Builds those constraints of joints that the joint coordinates do not satisfy automatically: the pitch of screws and, in joint coordinates,
 * the twist of constant-velocity joints. */
cmb_status cmb_build_own_constraints(cmb_build *b);

/* Builds the constraints of a joint in the Cartesian formulation. */
cmb_status cmb_build_joint_constraints(cmb_build *b, int joint);

/* Builds the rows of the constraint Jacobian G of all constraints that have none yet. */
cmb_status cmb_build_rows(cmb_build *b);

/* Adds the constraint m = 0 with the name NAME.part (NAME if `part` is empty) and returns it, or NULL if out of memory. */
cmb_constraint *cmb_build_constraint(cmb_build *b, const char *name, const char *part,
                                     cmb_measure m);

/* names.c: the level of a formula determines which quantities it may use; each level includes the previous ones (POSITION and above have
 * no x, y, z). */
typedef enum cmb_level {
  CMB_LEVEL_TIME,     /* t, inputs, tables, parameters */
  CMB_LEVEL_SURFACE,  /* x, y, z: cmb_surface_symbols */
  CMB_LEVEL_POSITION, /* coordinates, lengths, positions */
  CMB_LEVEL_MOTION,   /* velocities, forces */
  CMB_LEVEL_OUTPUT    /* accelerations, reactions, energies */
} cmb_level;

/* Returns the graph inputs that represent x, y, z in the formula of a surface. */
cmb_vector cmb_surface_symbols(cmb_graph *g);

/* The placeholder symbols of the measures in a formula, so that it can be differentiated with respect to them. */
typedef struct cmb_symbols {
  cmb_list items; /* of struct cmb_symbol */
  int number;     /* of this set, from 1 */
} cmb_symbols;

typedef struct cmb_symbol {
  cmb_expr x, rate; /* graph inputs that represent x and ẋ */
  cmb_measure measure;
} cmb_symbol;

/* Reads a formula at a level into *e. Measures become symbols of the set `symbols`, or their own expressions if `symbols` is NULL. */
cmb_status cmb_build_formula(cmb_build *b, const cmb_model_formula *formula, cmb_level level,
                             cmb_symbols *symbols, cmb_expr *e);

/* Reads the formulas of the model's inputs. */
cmb_status cmb_build_inputs(cmb_build *b);

/* Makes the map of all names of the model; must be called before any formula is read. */
cmb_status cmb_build_names(cmb_build *b);

enum { CMB_KNOWN_NAMES = 1024 }; /* further names are not suggested */

typedef struct cmb_known_names {
  const char *names[CMB_KNOWN_NAMES];
  int count;
} cmb_known_names;

/* known_names.c: add what formulas can name: the quantities of the element with this full name (none if there is no such element), values
 * without an element, the names of all elements, and constants. */
void cmb_known_quantities(cmb_build *b, const char *element, cmb_known_names *known);
void cmb_known_values(const cmb_build *b, cmb_known_names *known);
void cmb_known_elements(const cmb_build *b, cmb_known_names *known);
void cmb_known_constants(cmb_known_names *known);

/* pushes.c: the contact force μ of the surface u = 0 of a rule (event or stop) on the bodies that rest on it. The force −μ times the coefficient of
 * each term acts along the term's measure. */
typedef struct cmb_push {
  cmb_expr force;       /* μ, a graph input */
  cmb_vector direction; /* of a rigid contact: μ times this is the force on the body */
  int term_count;
  cmb_term *terms; /* (term_count) ∂u/∂x for each measure x in u */
  cmb_expr ut;     /* ∂u/∂t */
} cmb_push;

/* Returns the contact forces of all events and stops, which are built at the first call; NULL on failure (b->status). */
cmb_push *cmb_build_pushes(cmb_build *b);

/* Builds the quantity NAME.suffix of a stop (force) or of a rigid contact (fx .. fz), which is 0 until `outputs` is set. Returns false if
 * there is no such quantity, or on failure. */
bool cmb_build_push(cmb_build *b, int stop, const char *suffix, cmb_expr *e);

/* Determines the units of the impulses of resets; must be called after the outputs are built. */
cmb_status cmb_build_reset_units(cmb_build *b, cmb_expressions *x);

/* rules.c: returns an expression that is positive where the condition `when` is true and changes its sign where the condition changes. Returns 0
 * if `when` combines several conditions or is an equality. */
cmb_expr cmb_build_deciding(const cmb_build *b, cmb_expr when);

/* actions.c: builds a measure whose rate is the power of a force and a moment on body b at a point, and of their reaction on body a, in
 * global axes; `arm` is the vector from the origin of b's link to the point. */
cmb_status cmb_build_wrench(cmb_build *b, cmb_site sa, cmb_site sb, cmb_vector force,
                            cmb_vector moment, cmb_vector arm, cmb_measure *out);

/* Adds a force and a moment from the ground on a body, at `arm` from its link's origin, as an action; global axes. */
cmb_status cmb_build_wrench_action(cmb_build *b, cmb_site on, cmb_vector force, cmb_vector moment,
                                   cmb_vector arm);

/* Returns an expression that is `normal` while `depth` and `second` are both positive, else 0; *both is its switching function, their minimum. */
cmb_expr cmb_while_pressed(cmb_graph *g, cmb_expr depth, cmb_expr second, cmb_expr normal,
                           cmb_expr *both);

/* tyre_force.c: builds the force of a tyre on its wheel and the rates of the tyre's states. */
cmb_status cmb_build_tyre(cmb_build *b, int force);

/* Finds the result NAME.suffix of a tyre that is built. Returns false if there is no such quantity. */
bool cmb_build_tyre_result(const cmb_build *b, int force, const char *suffix, cmb_expr *e);

/* outputs.c: compute NAME.suffix of a joint, a bushing or a loop, or a total of the whole mechanism; that of a joint or a loop is 0 until
 * `outputs` is set. They return false if there is no such quantity, or on failure. */
bool cmb_build_reaction(cmb_build *b, int joint, const char *suffix, cmb_expr *e);
bool cmb_build_bushing_force(cmb_build *b, int force, const char *suffix, cmb_expr *e);
bool cmb_build_loop_force(cmb_build *b, int loop, const char *suffix, cmb_expr *e);
bool cmb_build_total(cmb_build *b, const char *name, cmb_expr *e);

/* lock.c: finds the positions of gimbal lock. */
cmb_status cmb_build_locks(cmb_build *b, cmb_expressions *x);

/* joint_form.c and cartesian_form.c: build the equations of motion in joint or Cartesian coordinates; cmb_build_normalisation adds the
 * constraints of Euler parameters, before. */
cmb_status cmb_build_joint_form(cmb_build *b, cmb_expressions *x);
cmb_status cmb_build_normalisation(cmb_build *b);
cmb_status cmb_build_cartesian_form(cmb_build *b, cmb_expressions *x);

/* Adds all applied forces along measures with this base link (and, if with_lambda is set, the constraint forces −Gᵀλ along such measures) to the
 * wrenches `on` (links). */
void cmb_build_wrenches(cmb_build *b, int base, bool with_lambda, cmb_wrench *on);

/* Adds all other forces to the generalised forces f (nv): those along a coordinate, and those whose measure has a base other than the ground. */
void cmb_build_inner_forces(cmb_build *b, bool with_lambda, cmb_expr *f);

#endif
