/*
 * A mechanism on its way from the model to expressions: what the files of this layer share.
 *
 * Actions are forces along measures, constraints are measures (or formulas of measures) that have to be 0. Both are the same
 * for joint and for Cartesian coordinates; only the tree under them differs.
 */
#ifndef CMB_DYN_BUILD_H
#define CMB_DYN_BUILD_H

#include "base/error.h"
#include "dyn/expressions.h"
#include "dyn/measure.h"
#include "model/name_map.h"

#include <camber/dyn.h>

/* A force Q along a measure: its power is Q ẋ. */
typedef struct cmb_action {
  cmb_measure measure;
  cmb_expr force;     /* Q */
  cmb_expr potential; /* what it has of one */
  cmb_expr lost;      /* the part of Q that does not come from the potential */

  /* the same as a force along the measure `line`: `law` in symbols (cmb_build_law_symbols) for this value and rate */
  bool along_line;
  cmb_measure line;
  cmb_expr law, value, rate;
  bool against; /* the value grows where the line's rate is negative */
} cmb_action;

/* One term of a constraint's gradient. */
typedef struct cmb_term {
  cmb_expr coefficient;
  cmb_measure measure;
} cmb_term;

/* A row of a sparse matrix: columns ascending, no entry 0. */
typedef struct cmb_row {
  int count, *column;
  cmb_expr *e;
} cmb_row;

typedef struct cmb_constraint {
  const char *name;
  cmb_expr g, gt, gamma;
  int term_count;
  cmb_term *terms;
  int loop;        /* of the model; -1: a joint, or Euler parameters */
  bool angle;      /* g counts an angle, not a length */
  bool weigh;      /* stands in for mass that is missing (Cartesian formulation) */
  cmb_row row;     /* of G */
  cmb_expr lambda; /* its multiplier; 0 if it is left out */
} cmb_constraint;

typedef enum cmb_hint_kind {
  CMB_HINT_MOTION,  /* a switch that the equations of motion read */
  CMB_HINT_CONTACT, /* such a switch that is positive while a contact or tyre presses */
  CMB_HINT_RULE     /* a switch that the condition of an event or a stop reads */
} cmb_hint_kind;

/* The name of the switch that is decided by the sign of this expression. */
typedef struct cmb_hint {
  cmb_expr e;
  const char *name;
  cmb_hint_kind kind;
} cmb_hint;

/* A bound of what a law is good for: where e comes to be positive, an event and a warning tell of it. */
typedef struct cmb_bound {
  cmb_expr e; /* of t, q and v */
  const char *name;
  const char *warning;
} cmb_bound;

enum { CMB_NOT_BUILT, CMB_WAITING, CMB_IN_WORK, CMB_BUILT };

/* A measure's formula as it was read last: for such a formula, with these symbols. */
typedef struct cmb_read_measure {
  int state; /* BUILT: `e` is good for the rest of this */
  int level, symbols;
  bool outputs;
  bool late; /* it reads what is known only when the motion is */
  int implicit; /* read in the equations of this implicit function, where its unknowns are symbols; -1: none */
  cmb_expr e;
} cmb_read_measure;

/* An implicit function as it was read last, likewise. */
typedef struct cmb_read_implicit {
  int state;
  int level, symbols;
  bool outputs;
  bool late;   /* as of a measure */
  bool starts; /* its start values are being read */
  cmb_expr unknown[CMB_MOST_UNKNOWNS], w[CMB_MOST_UNKNOWNS];
} cmb_read_implicit;

/* A sampled value (sampled.c), of the model or of a delay. */
typedef struct cmb_sampled {
  const char *name;
  int sampler;
  double start;
  cmb_expr x, update; /* the input that it is, and its next value */
  int delayed;        /* the item that is this one, a period later; 0: there is none */
  bool late;          /* it takes its value later than the sampler of that does, by `rest` */
  double rest;
  int of_update,
      number; /* 1 + the item in whose update it is sampled, and the how manieth there; 0: nowhere */
} cmb_sampled;

/* A list that grows in the arena. */
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
  bool forced;              /* a for given λ is wanted */
  bool whole_mass;          /* M by its entries, however many they are */
  bool stiffness;           /* stiff forces apart from the others, for steps of fixed cost */
  cmb_status status;        /* the first failure */
  cmb_error_record failure; /* and what it says, if it has words of its own */

  cmb_expr *u;                                 /* (3 x inputs) the free parts u, then u' and u'' */
  bool *rate_asked;                            /* (2 x inputs) of these u' and u'' */
  cmb_expr *input;                             /* (inputs) the whole */
  cmb_expr *state, *state_rate, *state_change; /* (states) z, e, and the input that ż is */
  int *rate_state;                             /* (states) whether e is built */
  bool *state_late; /* (states) e reads what is known only when the motion is (late_states.c) */
  cmb_expr *state_rate_free;  /* (states) e where no body rests, for steps of fixed cost */
  bool in_rate;               /* the rate of a state is being read */
  bool reads_late;            /* what is being read has asked for such a quantity */
  cmb_list sampled, samplers; /* of cmb_sampled, of cmb_sampler */
  int updating,
      update_delays; /* the sampled value whose update is being read, -1: none; and the delays in it so far */
  cmb_name_map names;              /* of the model's items, by what they are */
  cmb_read_measure *measures;      /* (measures) */
  cmb_read_implicit *implicits;    /* (implicits) */
  struct cmb_read_road *roads;     /* (roads) road.c */
  int road_depth;                  /* roads of roads that are being made */
  int implicit_now;                /* the one whose formulas are being read; -1: none */
  int formula_depth;               /* formulas in formulas that are being read */
  int force_depth;                 /* likewise forces */
  int waiting;                     /* the measure that must be read first; -1: none */
  int symbol_sets;                 /* how many cmb_symbols there have been */
  int *force_state;                /* (forces) */
  struct cmb_tyre_results **tyres; /* (forces) of those that are tyres and built: tyre_force.c */
  int *first_action;               /* (forces) of those built: where their actions begin */
  int *action_count;               /* (forces) and how many they are */
  cmb_list actions;                /* of cmb_action */
  cmb_list constraints;            /* of cmb_constraint */
  cmb_list hints;                  /* of cmb_hint */
  cmb_list bounds;                 /* of cmb_bound */
  cmb_list
      sources; /* of cmb_hint: what formulas and forces have become, and what these are called */
  cmb_wrench *scratch;     /* (room for links) zero between uses */
  void *reactions;         /* (bodies) outputs.c; NULL: not built yet */
  bool outputs;            /* the quantities of outputs may be asked for */
  struct cmb_push *pushes; /* (push_count) pushes.c, a rule each; NULL: not built yet */
  int push_count;
} cmb_build;

/* mechanism.c: a build with context, arena, model, graph and formulation gets its memory, names, tree and kinematics. */
cmb_status cmb_build_open(cmb_build *b);

/* The next item of a list, zeroed; NULL without memory. */
void *cmb_list_add(cmb_build *b, cmb_list *list, size_t size);
cmb_action *cmb_action_at(const cmb_build *b, int i);
cmb_constraint *cmb_constraint_at(const cmb_build *b, int i);

/* A part of the model at its place; a formula at its own, with "SUBJECT: " before the words. */
cmb_about cmb_about_part(const cmb_place *place, const char *kind, const char *name);
cmb_about cmb_about_formula(const cmb_model_formula *formula);

/* The error of the build, if it has none yet. Returns that which it has. */
cmb_status cmb_build_fail(cmb_build *b, cmb_about about, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The error of what should depend on where the bodies are, and does not. */
cmb_status cmb_build_fail_fixed(cmb_build *b, const cmb_model_formula *formula, const char *kind,
                                const char *name);

/* The measure of a joint's velocity n, which must be the rate of a coordinate. Adds links in the Cartesian formulation. */
cmb_measure cmb_build_coordinate(cmb_build *b, int joint, int n);

/* What formulas of a mirrored copy see of velocity n of a joint, and of the coordinate that belongs to it, is this times the value: −1
 * only with Euler parameters, where they count along axes that are not mirrored. 0: these are not the formula's axes. */
double cmb_coordinate_sign(const cmb_mirror *mirror, const cmb_model_joint *j, int n);
cmb_status cmb_build_fail_axes(cmb_build *b, cmb_about about, const char *coordinate);
int cmb_joint_coordinate_index(const cmb_model_joint *j, int n); /* of q for velocity n; -1: none */

/* An error if a joint of this tree allows a motion that moves no mass. */
cmb_status cmb_build_check_idle(cmb_build *b, const cmb_tree *joints);

/* sources.c: e comes from what is called so, "input 'u'", at that place; the actions from the first one on are this force's; the
 * constraint is its loop's; e is a derivative of the action's force, where what stands in smooth(...) switches, too */
const char *cmb_build_source_text(cmb_build *b, const char *subject, const cmb_place *place);
void cmb_build_source(cmb_build *b, cmb_expr e, const char *subject, const cmb_place *place);
void cmb_build_force_source(cmb_build *b, int force, int first_action);
void cmb_build_loop_source(cmb_build *b, const cmb_constraint *c);
void cmb_build_derivative_source(cmb_build *b, int action, cmb_expr e);
cmb_status cmb_build_take_sources(cmb_build *b, cmb_expressions *x);

/* actions.c */
cmb_status cmb_build_joint_forces(cmb_build *b);
cmb_status cmb_build_force(cmb_build *b, int force); /* once; later calls do nothing */
cmb_measure cmb_build_spring_measure(cmb_build *b, int force);

/* friction.c: an error if a `stick` in a formula drives the velocity that it reads; after all forces and the links that they add. */
cmb_status cmb_build_check_friction(cmb_build *b);

/* Symbols for the value and the rate that a force depends on; and an expression of them with these put in. */
typedef struct cmb_law_symbols {
  cmb_expr x, rate;
} cmb_law_symbols;
cmb_law_symbols cmb_build_law_symbols(cmb_build *b);
cmb_status cmb_build_law(cmb_build *b, cmb_expr value, cmb_expr rate, cmb_expr *e);

/* names.c: a table of the model at its arguments, with its scales. */
cmb_expr cmb_build_table(cmb_build *b, const cmb_model_table *table, const cmb_expr *arguments);

/* The formula of a surface in symbols x, y, z at a place; its gradient and its rate with the place held. */
cmb_status cmb_build_surface(cmb_build *b, const cmb_model_formula *formula, cmb_vector at,
                             cmb_expr *s, cmb_vector *gradient, cmb_expr *rate);

/* The switch that the sign of e decides is called NAME, or NAME.part: one of conditions, or of the motion. */
void cmb_build_hint(cmb_build *b, cmb_hint_kind kind, const char *name, const char *part,
                    cmb_expr e);

/* rules.c: e > 0 is beyond what a law is good for. The event is NAME.part; the warning says what is so from then on. */
void cmb_build_bound(cmb_build *b, const char *name, const char *part, cmb_expr e,
                     const char *warning);

/* Events and stops, and behind them such bounds. The first reads their formulas, for the coordinates that they ask for. */
cmb_status cmb_build_scan_rules(cmb_build *b);
cmb_status cmb_build_rules(cmb_build *b, cmb_expressions *x);

/* states.c: their inputs; their rates; both among the velocities of x; their units; their equations, behind those of the mechanism */
cmb_status cmb_build_states(cmb_build *b);
cmb_status cmb_build_state_rate(cmb_build *b, int state); /* once; later calls do nothing */
cmb_status cmb_build_state_rates(cmb_build *b);
cmb_status cmb_build_take_states(cmb_build *b, cmb_expressions *x);
cmb_status cmb_build_state_units(cmb_build *b, cmb_expressions *x);

/* sizes.c: q_sizes and v_sizes of x. */
cmb_status cmb_build_sizes(cmb_build *b, cmb_expressions *x);
cmb_status cmb_build_state_equations(cmb_build *b, cmb_expressions *x);

/* late_states.c: rates that read accelerations and constraint forces; e of all states (states), with these put in; and both into x.
 * After the formulation. */
cmb_status cmb_build_late_states(cmb_build *b, cmb_expressions *x, cmb_expr *rate);

/* input_rates.c: u, u' and u'' of the model's inputs; what these rates add to ∂e/∂t, added to *rate; and those that have been asked
 * for into x, after all else */
cmb_status cmb_build_input_symbols(cmb_build *b);
cmb_status cmb_build_add_input_rates(cmb_build *b, cmb_expr e, cmb_expr *rate);
cmb_status cmb_build_take_input_rates(cmb_build *b, cmb_expressions *x);

/* sampled.c: their inputs; their updates, which have to be read twice, the first time for the delays in them; and both into x */
cmb_sampled *cmb_sampled_at(const cmb_build *b, int i);
cmb_status cmb_build_sampled(cmb_build *b);
cmb_status cmb_build_updates(cmb_build *b);
cmb_status cmb_build_take_samplers(cmb_build *b, cmb_expressions *x);

/* delay(x, time) in a formula; false: a failure, with words unless memory is missing */
bool cmb_build_delay(cmb_build *b, const cmb_model_formula *formula, cmb_expr x, cmb_expr time,
                     cmb_expr *e);

/* stiffness.c */
cmb_status cmb_build_stiffness(cmb_build *b, cmb_expressions *x);

/* constraints.c */
cmb_status cmb_build_loops(cmb_build *b);
cmb_status cmb_build_own_constraints(
    cmb_build *b); /* of joints, beside what their coordinates allow */
cmb_status cmb_build_joint_constraints(cmb_build *b, int joint);
cmb_status cmb_build_rows(cmb_build *b);
cmb_constraint *cmb_build_constraint(cmb_build *b, const char *name, const char *part,
                                     cmb_measure m);

/* names.c: formulas. What may stand in one depends on what it is for. */
typedef enum cmb_level {
  CMB_LEVEL_TIME,     /* t, inputs, tables, parameters */
  CMB_LEVEL_SURFACE,  /* and x, y, z: cmb_surface_symbols */
  CMB_LEVEL_POSITION, /* and coordinates, lengths, positions */
  CMB_LEVEL_MOTION,   /* and velocities, forces */
  CMB_LEVEL_OUTPUT    /* and accelerations, reactions, energies */
} cmb_level;

/* The inputs that x, y, z of a surface are. */
cmb_vector cmb_surface_symbols(cmb_graph *g);

/* Measures that stand in a formula of level POSITION as symbols, so that it can be differentiated. */
typedef struct cmb_symbols {
  cmb_list items; /* of struct cmb_symbol */
  int number;     /* of this set, from 1 */
} cmb_symbols;

typedef struct cmb_symbol {
  cmb_expr x, rate; /* inputs that stand for x and ẋ */
  cmb_measure measure;
} cmb_symbol;

/* symbols: NULL unless the level is POSITION. */
cmb_status cmb_build_formula(cmb_build *b, const cmb_model_formula *formula, cmb_level level,
                             cmb_symbols *symbols, cmb_expr *e);
cmb_status cmb_build_inputs(cmb_build *b);
cmb_status cmb_build_names(cmb_build *b); /* to be called first */

/* pushes.c: the force μ with which a rule's surface u holds what rests on it; −μ times the coefficients acts along the measures. */
typedef struct cmb_push {
  cmb_expr force;       /* an input */
  cmb_vector direction; /* of a contact: μ times this is the force on the body */
  int term_count;
  cmb_term *terms; /* (term_count) ∂u/∂x */
  cmb_expr ut;     /* ∂u/∂t */
} cmb_push;

/* All of them, once; NULL: a failure, in b->status. And NAME.suffix of a stop or rigid contact; false: no such quantity. */
cmb_push *cmb_build_pushes(cmb_build *b);
bool cmb_build_push(cmb_build *b, int stop, const char *suffix, cmb_expr *e);

/* The units of impulses along what is reset; after the outputs. */
cmb_status cmb_build_reset_units(cmb_build *b, cmb_expressions *x);

/* rules.c: what is positive where a condition is met and changes its sign where the condition changes; 0 if it is made of several. */
cmb_expr cmb_build_deciding(const cmb_build *b, cmb_expr when);

/* actions.c: a measure whose rate is the power of a force and a moment on b at a point, and of the reaction on a, global axes. */
cmb_status cmb_build_wrench(cmb_build *b, cmb_site sa, cmb_site sb, cmb_vector force,
                            cmb_vector moment, cmb_vector arm, cmb_measure *out);

/* The same from the ground as an action of the force that is being built. */
cmb_status cmb_build_wrench_action(cmb_build *b, cmb_site on, cmb_vector force, cmb_vector moment,
                                   cmb_vector arm);

/* `normal` while the depth and a second quantity are positive, else 0; `both` is what decides. */
cmb_expr cmb_while_pressed(cmb_graph *g, cmb_expr depth, cmb_expr second, cmb_expr normal,
                           cmb_expr *both);

/* tyre_force.c: the force of a tyre and the rates of its states; and NAME.suffix of it when it is built, false: no such quantity. */
cmb_status cmb_build_tyre(cmb_build *b, int force);
bool cmb_build_tyre_result(const cmb_build *b, int force, const char *suffix, cmb_expr *e);

/* outputs.c: NAME.suffix of joints, bushings, loops and the whole mechanism; false: no such quantity. */
bool cmb_build_reaction(cmb_build *b, int joint, const char *suffix, cmb_expr *e);
bool cmb_build_bushing_force(cmb_build *b, int force, const char *suffix, cmb_expr *e);
bool cmb_build_loop_force(cmb_build *b, int loop, const char *suffix, cmb_expr *e);
bool cmb_build_total(cmb_build *b, const char *name, cmb_expr *e);

/* forms */
cmb_status cmb_build_locks(cmb_build *b, cmb_expressions *x); /* lock.c */
cmb_status cmb_build_joint_form(cmb_build *b, cmb_expressions *x);
cmb_status cmb_build_normalisation(cmb_build *b);
cmb_status cmb_build_cartesian_form(cmb_build *b, cmb_expressions *x);

/* Adds Q of all actions with sides on `base` to wrenches, sign +1 or -1; and what has no sides, or another base, to f. */
void cmb_build_wrenches(cmb_build *b, int base, bool with_lambda, cmb_wrench *on);
void cmb_build_inner_forces(cmb_build *b, bool with_lambda, cmb_expr *f);

#endif
