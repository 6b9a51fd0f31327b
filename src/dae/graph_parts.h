/*
 * The expressions of a graph system while it is created, sorted into parts, each of which becomes the result of a program. The
 * files of this step:
 *
 *     graph_parts.c     freezes the modes, substitutes what is constant
 *     graph_names.c     names of the switching functions
 *     graph_programs.c  programs, Jacobians and native code from the parts
 *     graph_split.c     derivatives of the residual as sums of two parts
 *     graph_enclose.c   bounds of the switching functions over a piece of a motion
 *     graph_rules.c     events of the user's, and rates of the switching functions
 *     graph_idle.c      switching functions without effect
 *     graph_samples.c   sampled values
 *     graph_time.c      functions of time alone on which the motion depends
 *     graph_path.c      steep functions of the position
 *     graph_loads.c     bounds of forces while time goes on
 *     graph_rates.c     q̇ = T(q) v, which has no scratch memory
 *     graph_mass.c      products with the factors of a mass matrix
 *     graph_evaluate.c  the functions of cmb_equations, which run the programs
 *     graph_system.c    the system: names, patterns, start values, and all of the above
 */
#ifndef CMB_DAE_GRAPH_PARTS_H
#define CMB_DAE_GRAPH_PARTS_H

#include "base/arena.h"
#include "dae/graph_system.h"
#include "dae/layout.h"

/* The groups of results that programs compute. The first six are cmb_terms. Switching functions in parts before CMB_PART_CONDITIONS
 * affect the motion, and their crossings are events; parts from there to CMB_PART_OUTPUTS belong to the user's events. */
typedef enum cmb_graph_part {
  CMB_PART_M,
  CMB_PART_F,
  CMB_PART_POSITION, /* g */
  CMB_PART_G,
  CMB_PART_GAMMA,
  CMB_PART_GT,
  CMB_PART_RESIDUAL,
  CMB_PART_ACCELERATION,
  CMB_PART_MULTIPLIER,
  CMB_PART_PIVOT,
  CMB_PART_FORCED,     /* a for given λ */
  CMB_PART_APPLIED,    /* r without inertial forces */
  CMB_PART_INERTIAL_Q, /* derivatives of the inertial forces */
  CMB_PART_INERTIAL_V,
  CMB_PART_VELOCITY_LEVEL,     /* G v + g_t, to be differentiated */
  CMB_PART_ACCELERATION_LEVEL, /* G a + γ, to be differentiated */
  /* of stiff forces: rows, derivatives by x and by the rate, non-stiff forces, all forces, one after the other */
  CMB_PART_STIFF,
  CMB_PART_CONDITIONS, /* of rules */
  CMB_PART_RESETS,     /* rows, then changes */
  CMB_PART_SURFACES,   /* u, u_t and γ of all rules, then the entries of their gradients */
  CMB_PART_OUTPUTS,    /* outputs, then the next sampled values */
  CMB_PART_LATE,       /* rates of late states for given a and λ */
  CMB_PART_INPUTS,     /* u(t) */
  CMB_PART_ROOTS,      /* solutions of implicit functions */
  CMB_PART_ENERGY,
  CMB_PART_MASS_FORWARD, /* products with the mass matrix's factors; they have separate inputs */
  CMB_PART_MASS_BACKWARD,
  CMB_PART_MASS_MULTIPLY,
  CMB_PART_MARGINS,  /* switching functions */
  CMB_PART_DECIDING, /* the expressions that determine the modes that are levels */
  CMB_PART_FLOW,     /* rates of the switching functions */
  CMB_PARTS,
  CMB_TERMS = CMB_PART_RESIDUAL,
  CMB_MOTION_PARTS = CMB_PART_CONDITIONS,
  CMB_EVENT_PARTS = CMB_PART_OUTPUTS
} cmb_graph_part;

typedef struct cmb_graph_parts {
  cmb_context *ctx;
  cmb_arena *arena; /* released when the system has been created */
  const cmb_expressions *x;
  const cmb_graph_options *options;
  cmb_modes *modes;
  int ns;
  /* number of switching functions that the motion depends on; they come first */
  int motion_ns;
  const char **switch_names;     /* (ns) */
  cmb_switch_kind *switch_kinds; /* (ns) */
  int *switch_order;             /* (ns) as in cmb_equations */

  int count[CMB_PARTS];
  cmb_expr *part[CMB_PARTS]; /* (count) expressions, with u = 0 */
  cmb_entries M, G;          /* rows and columns of the entries; the expressions are in the parts */
  cmb_entries inertial_q, inertial_v;

  struct cmb_code *code; /* to be filled before u = 0 is substituted; NULL: not wanted */
  cmb_arena *lasting;    /* of the system, for what is kept */

  /* r and g before u = 0 was substituted, for derivatives with respect to u; NULL: not wanted */
  cmb_expr *residual_of_u, *position_of_u;

  int nr; /* number of input rates that some part reads; they follow the inputs in their block */
  cmb_expr *input_rate; /* (nr) */
  const char **input_rate_names;

  cmb_layout layout;
  cmb_expr *input; /* (cmb_layout_size) all inputs but h */
  /* (factor_inputs) inputs of the products with the mass matrix's factors: values of the factors, then a vector */
  cmb_expr *factor_input;
  int factor_inputs;
} cmb_graph_parts;

/* Sets *yes if the expression depends on λ, on a user's C function or on the solution of an implicit equation, so that it has no
 * bounds inside a step (graph_enclose.c). */
cmb_status cmb_graph_reads_unknown(const cmb_graph_parts *p, cmb_expr e, bool *yes);

/* Sizes and expressions of the parts that belong to rules, and CMB_PART_FLOW made from the switching functions (graph_rules.c). */
void cmb_graph_rule_counts(const cmb_expressions *x, int count[CMB_PARTS]);
void cmb_graph_rule_parts(const cmb_expressions *x, cmb_expr *const part[CMB_PARTS]);
cmb_status cmb_graph_flow_part(cmb_graph_parts *p);

/* Makes all parts from p->x. p->ctx, x, options, arena, code and lasting must be set. The caller destroys p->modes, also after a
 * failure. */
cmb_status cmb_graph_parts_make(cmb_graph_parts *p);

/* Sets switch_names and switch_kinds of all p->ns switching functions. */
cmb_status cmb_graph_name_switches(cmb_graph_parts *p);

#endif
