/*
 * The expressions of a graph system while it is made, sorted into parts.
 *
 *     graph_parts.c     freezes the modes, puts in what is constant
 *     graph_programs.c  programs, Jacobians and native code from the parts
 *     graph_enclose.c   bounds of the switching functions over a piece of a motion
 *     graph_rules.c     events of the user's, and rates of the switching functions
 *     graph_samples.c   sampled values
 *     graph_time.c      what the motion takes from time alone
 *     graph_path.c      steep functions of where it is
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

/* What a program may compute. The first six are cmb_terms; those before CMB_PART_CONDITIONS decide on the motion, and
 * their switches are events. Those from there to CMB_PART_OUTPUTS decide on events of the user's. */
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
  CMB_PART_APPLIED,    /* r without inertial forces .. */
  CMB_PART_INERTIAL_Q, /* .. and these forces' derivatives */
  CMB_PART_INERTIAL_V,
  CMB_PART_VELOCITY_LEVEL,     /* G v + g_t .. */
  CMB_PART_ACCELERATION_LEVEL, /* .. and G a + γ, to be differentiated */
  CMB_PART_STIFF,      /* rows, derivatives, loose forces and all forces, one after the other */
  CMB_PART_CONDITIONS, /* of rules */
  CMB_PART_RESETS,     /* rows, then changes */
  CMB_PART_SURFACES,   /* u, u_t and γ of all rules, then the entries of their gradients */
  CMB_PART_OUTPUTS,    /* and what sampled values become, behind them */
  CMB_PART_LATE,       /* rates of late states, of a and λ as they are */
  CMB_PART_INPUTS,     /* u(t) */
  CMB_PART_ROOTS,      /* of implicit functions */
  CMB_PART_ENERGY,
  CMB_PART_MASS_FORWARD, /* products with the mass matrix's factors: functions of inputs of their own */
  CMB_PART_MASS_BACKWARD,
  CMB_PART_MASS_MULTIPLY,
  CMB_PART_MARGINS,  /* switching functions */
  CMB_PART_DECIDING, /* what decides on the modes that are levels */
  CMB_PART_FLOW,     /* rates of the switching functions */
  CMB_PARTS,
  CMB_TERMS = CMB_PART_RESIDUAL,
  CMB_MOTION_PARTS = CMB_PART_CONDITIONS,
  CMB_EVENT_PARTS = CMB_PART_OUTPUTS
} cmb_graph_part;

typedef struct cmb_graph_parts {
  cmb_context *ctx;
  cmb_arena *arena; /* for the time of the making */
  const cmb_expressions *x;
  const cmb_graph_options *options;
  cmb_modes *modes;
  int ns;
  int motion_ns;                 /* the first of them: those that the motion reads */
  const char **switch_names;     /* (ns) */
  cmb_switch_kind *switch_kinds; /* (ns) */
  int *switch_order;             /* (ns) as in cmb_equations */

  int count[CMB_PARTS];
  cmb_expr *part[CMB_PARTS]; /* (count), with u = 0 */
  cmb_entries M, G;          /* places of the entries; the expressions are in the parts */
  cmb_entries inertial_q, inertial_v;

  struct cmb_code *code; /* to be filled before u = 0 is put in; NULL: not wanted */
  cmb_arena *lasting;    /* for what is kept */

  /* for derivatives with respect to u, before u = 0 was put in; NULL if they are not wanted */
  cmb_expr *residual_of_u, *position_of_u;

  int nr; /* rates of inputs that are in the block of inputs, behind these: those that something reads */
  cmb_expr *input_rate; /* (nr) */
  const char **input_rate_names;

  cmb_layout layout;
  cmb_expr *input; /* (layout) but for h */
  cmb_expr *
      factor_input; /* those of the products with the mass matrix's factors: their values, and a vector */
  int factor_inputs;
} cmb_graph_parts;

/* graph_enclose.c: whether the expression reads λ or calls a C function, so that nothing is known of it inside a step. */
cmb_status cmb_graph_reads_unknown(const cmb_graph_parts *p, cmb_expr e, bool *yes);

/* graph_rules.c: the parts of rules, and CMB_PART_FLOW from the margins. */
void cmb_graph_rule_counts(const cmb_expressions *x, int count[CMB_PARTS]);
void cmb_graph_rule_parts(const cmb_expressions *x, cmb_expr *const part[CMB_PARTS]);
cmb_status cmb_graph_flow_part(cmb_graph_parts *p);

/* x, options, ctx, arena, code and lasting are set. The modes are to be destroyed afterwards, also on failure. */
cmb_status cmb_graph_parts_make(cmb_graph_parts *p);

/* switch_names and switch_kinds for all modes that there are by now (ns). */
cmb_status cmb_graph_name_switches(cmb_graph_parts *p);

#endif
