/*
 * What a graph system keeps: its programs and where their results go. Never written after its making.
 */
#ifndef CMB_DAE_GRAPH_DATA_H
#define CMB_DAE_GRAPH_DATA_H

#include "dae/graph_parts.h"
#include "dae/system.h"
#include "math/mass_factors.h"

typedef enum cmb_graph_program {
  CMB_PROGRAM_POSITION,    /* g */
  CMB_PROGRAM_CONSTRAINTS, /* g, G, g_t */
  CMB_PROGRAM_KINEMATICS,  /* M, g, G, g_t */
  CMB_PROGRAM_FORCES,      /* f, γ */
  CMB_PROGRAM_DYNAMICS,    /* M, f */
  CMB_PROGRAM_TERMS,       /* all six */
  CMB_PROGRAM_RESIDUAL,
  CMB_PROGRAM_ACCELERATE, /* a, λ, pivots */
  CMB_PROGRAM_FORCED,     /* a for given λ */
  CMB_PROGRAM_SWITCHES,
  CMB_PROGRAM_LEVELS,
  CMB_PROGRAM_OUTPUTS,
  CMB_PROGRAM_LATE,
  CMB_PROGRAM_INPUTS,
  CMB_PROGRAM_ENERGY,
  CMB_PROGRAM_INERTIAL_Q, /* derivatives of the residual in two parts: this one, the other is a Jacobian */
  CMB_PROGRAM_INERTIAL_V,
  CMB_PROGRAM_CONDITIONS,
  CMB_PROGRAM_RESETS,
  CMB_PROGRAM_SURFACES,
  CMB_PROGRAM_FLOW,         /* of switching functions; never compiled, since it is seldom run */
  CMB_PROGRAM_ROOTS,        /* of implicit functions, likewise */
  CMB_PROGRAM_MASS_FORWARD, /* products with the mass matrix's factors: inputs of their own */
  CMB_PROGRAM_MASS_BACKWARD,
  CMB_PROGRAM_MASS_MULTIPLY,
  CMB_PROGRAMS,
  CMB_TERM_PROGRAMS = CMB_PROGRAM_RESIDUAL
} cmb_graph_program;

/* Programs or Jacobians that may be compiled; native == NULL: all are interpreted. */
typedef struct cmb_graph_code {
  cmb_native *native;
  int index[CMB_PROGRAMS]; /* of a program in `native` */
} cmb_graph_code;

/* A few rates q̇ as a program on arrays of fixed size; most rates are just a velocity. */
typedef struct cmb_graph_rate {
  cmb_program *program;
  int first;         /* coordinate */
  int inputs, *from; /* (inputs) number of a coordinate, or nq + that of a velocity */
} cmb_graph_rate;

/* A mode that is a level. */
typedef struct cmb_graph_level {
  int mode;
  const cmb_table *table; /* the mode is its interval; NULL: the whole number below */
} cmb_graph_level;

/* ∂r/∂q or ∂r/∂v that is the sum of a Jacobian (of applied forces) and of a program's results (for inertial forces). */
typedef struct cmb_graph_split {
  cmb_pattern pattern;         /* of the sum; start == NULL: it is not in two parts */
  cmb_graph_program program;   /* for the inertial part */
  int applied_count, *applied; /* (applied_count) where the Jacobian's values go, ascending */
  int inertial_count,
      *inertial; /* (inertial_count) where the program's results go; NULL: in this order, and that is all */
} cmb_graph_split;

typedef struct cmb_graph_data {
  int nq, nv, ng, ns, np, no;
  const double *p; /* (np) values of the live parameters where a point has none */
  cmb_layout layout;
  int count[CMB_PARTS];               /* values of each part */
  unsigned in[CMB_PROGRAMS];          /* the parts that a program computes, as bits */
  cmb_program *program[CMB_PROGRAMS]; /* NULL: nothing to compute, or another one does it too */
  uint8_t for_terms[1 << CMB_TERMS];  /* which program computes these terms */
  unsigned term_parts;                /* the terms that have values that are not constant */
  cmb_graph_code code;
  cmb_jacobian *jacobian[CMB_DERIVATIVES]; /* NULL: empty, or not wanted */
  cmb_graph_code jacobian_code;
  cmb_graph_split split[CMB_DERIVATIVES];

  int M_size, G_size;       /* values as they are stored */
  int *M_place, *G_place;   /* (count) where an entry is stored; NULL: in this order */
  double *M_constant;       /* (M_size) NULL: M is not constant */
  cmb_mass_factors factors; /* values == 0: M is given by its entries */
  int factor_out;           /* their scratch memory: values and vector, result, work array */

  const char *const *root_names; /* of CMB_PROGRAM_ROOTS */

  int level_count;
  cmb_graph_level *level; /* (level_count) */

  cmb_program
      *switch_rates; /* (graph_enclose.c) of what decides on the modes; NULL: none is enclosed */
  bool *switch_enclosed;   /* (ns) */
  bool *switch_reads;      /* (nq + nv) the components that they read */
  cmb_program *time;       /* (graph_time.c) functions of time alone; NULL: none */
  cmb_program *time_rates; /* their derivatives */
  cmb_program *path;       /* (graph_path.c) steep functions of q; NULL: none */
  cmb_program *path_rates; /* their derivatives along a motion */
  cmb_program *path_bends; /* second derivatives of some of them; NULL: of none */
  int path_bent_count, path_grid_count;
  int *path_bent; /* (path_bent_count) which ones; behind them path_bends has .. */
  const cmb_table *
      *path_grids;  /* (path_grid_count) .. where the motion is on these, two numbers each */
  bool *path_reads; /* (nq) the coordinates that they read */

  bool loads_vary, matrices_vary; /* (graph_loads.c) they depend on t */

  int rule_count, reset_count;
  cmb_pattern U_pattern; /* of the surfaces' gradients */

  int ball_count;
  int *ball_q;  /* (ball_count) first of four coordinates of length 1 */
  int *rate_of; /* (nq) a coordinate's rate is this velocity; -1: computed */
  int rate_count;
  cmb_graph_rate *rate; /* (rate_count) */

  int out, work, scratch; /* scratch memory: inputs, results, work array; in doubles */
  int enclose_plan;       /* where graph_enclose.c remembers in it */
} cmb_graph_data;

/* graph_programs.c, its arrays from the arena. What is made goes into d, also on failure. */
cmb_status cmb_graph_programs_make(const cmb_graph_parts *p, cmb_arena *arena, cmb_graph_data *d);
/* The values of a constant M into M_constant. */
cmb_status cmb_graph_constant_mass(const cmb_graph_parts *p, cmb_graph_data *d);
cmb_status cmb_graph_compile(const cmb_graph_parts *p, cmb_graph_data *d);
void cmb_graph_programs_destroy(cmb_graph_data *d);

/* graph_mass.c: the functions of the mass matrix's factors; the programs are there. */
void cmb_graph_mass_factors(cmb_graph_data *d);

/* graph_split.c, its arrays from the arena. The Jacobian of the applied forces is there. */
cmb_status cmb_graph_split_make(const cmb_graph_parts *p, cmb_arena *arena, cmb_derivative which,
                                cmb_graph_data *d);
/* J has the Jacobian's values in its first places; `inertial` are the program's results. */
void cmb_graph_split_add(const cmb_graph_split *s, const double *inertial, double *J);

/* graph_enclose.c, its arrays from the arena: bounds of switching functions. scratch grows where it needs more. */
cmb_status cmb_graph_enclose_make(const cmb_graph_parts *p, cmb_arena *arena, cmb_graph_data *d);
/* The last to take scratch memory: what is there stays. */
void cmb_graph_enclose_take_plan(cmb_graph_data *d);
/* Inputs for the derivatives of t, q, v along a motion, the first `count` of them. */
void cmb_graph_list_directions(const cmb_graph_parts *p, int count, cmb_expr *direction);
void cmb_graph_enclose(const void *self, const cmb_box *box, cmb_interval *s, cmb_interval *rate);

/* graph_rules.c: the rules into eq, their arrays from the arena; and the functions. */
cmb_status cmb_graph_rules_list(const cmb_graph_parts *p, cmb_arena *arena, cmb_graph_data *d,
                                cmb_equations *eq);
void cmb_graph_rule_functions(const cmb_graph_data *d, cmb_equations *eq);

/* graph_samples.c: sampled values into eq, their arrays from the arena. */
cmb_status cmb_graph_samples_list(const cmb_graph_parts *p, cmb_arena *arena, cmb_equations *eq);

/* graph_evaluate.c: t, q (NULL: it is not read), modes and parameters, which the inputs of all programs begin with. */
void cmb_graph_put_first(const cmb_graph_data *d, const cmb_point *at, const double *q, double *in);

/* graph_enclose.c: the same as intervals */
void cmb_graph_put_first_box(const cmb_graph_data *d, const cmb_box *box, const cmb_interval *q,
                             cmb_interval *in);

/* graph_evaluate.c: runs a program on a point, results into `out`; λ and a may be NULL where it does not read them. */
void cmb_graph_run(const cmb_graph_data *d, cmb_graph_program k, const cmb_point *at,
                   const double *lambda, const double *a, double *out);
/* Where results may go on their way, in the point's scratch memory. */
double *cmb_graph_results(const cmb_graph_data *d, const cmb_point *at);

/* graph_time.c: what the motion takes from time alone. scratch grows where it needs more. */
cmb_status cmb_graph_time_make(const cmb_graph_parts *p, cmb_graph_data *d);
void cmb_graph_time_values(const void *self, const cmb_point *at, double *values);
void cmb_graph_time_bounds(const void *self, const cmb_box *box, cmb_interval *bounds);
void cmb_graph_time_rates(const void *self, const cmb_box *box, cmb_interval *rates);

/* f and g, and the nodes that are marked in `used`, from the arena of the making; NULL without memory. A program of t, q and the
 * modes. */
enum { CMB_WATCHED_PART = 2 };
cmb_expr *cmb_graph_motion_results(const cmb_graph_parts *p, int *results);
cmb_expr *cmb_graph_list_parts(const cmb_graph_parts *p, const uint8_t *used, int *count);
cmb_status cmb_graph_watch_program(const cmb_graph_parts *p, cmb_graph_data *d, int count,
                                   const cmb_expr *part, cmb_program **program);

/* graph_path.c: whether a function has narrow bumps for arguments of any kind; a power that has none, being a polynomial of small degree;
 * and the argument that an operation only shifts or scales, given which are fixed: 0 or 1, −1 for none. */
bool cmb_graph_is_steep(const cmb_graph *g, cmb_expr e);
bool cmb_graph_is_polynomial(const cmb_graph *g, cmb_expr exponent);
int cmb_graph_scaled_argument(cmb_op op, bool first_fixed, bool second_fixed);

/* graph_path.c: steep functions of where the motion is. scratch grows where it needs more. */
cmb_status cmb_graph_path_make(const cmb_graph_parts *p, cmb_arena *arena, cmb_graph_data *d);
void cmb_graph_path_values(const void *self, const cmb_point *at, double *values);
void cmb_graph_path_bounds(const void *self, const cmb_box *box, cmb_interval *bounds);
void cmb_graph_path_rates(const void *self, const cmb_box *box, cmb_interval *rates);
void cmb_graph_path_bends(const void *self, const cmb_box *box, cmb_interval *bends);

/* graph_loads.c: bounds of forces, rates and surfaces. scratch grows where they need more. */
cmb_status cmb_graph_loads_make(const cmb_graph_parts *p, cmb_graph_data *d);
void cmb_graph_load_functions(const cmb_graph_data *d, cmb_equations *eq);

/* graph_rates.c, its arrays from the arena */
cmb_status cmb_graph_rates_make(const cmb_graph_parts *p, cmb_arena *arena, cmb_graph_data *d);
void cmb_graph_rates_destroy(cmb_graph_data *d);
void cmb_graph_rates(const void *self, const double *q, const double *v, double *qdot);
void cmb_graph_normalize(const void *self, double *q);

/* graph_evaluate.c: fills in eq's functions; sizes and patterns are there. */
void cmb_graph_functions(const cmb_graph_parts *p, const cmb_graph_data *d, cmb_equations *eq);

#endif
