/*
 * Data of a graph system, that is of equations made from a model's expressions: the programs that evaluate them and where their
 * results are stored. Written once when the system is created, read by the functions in graph_evaluate.c and its companions.
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
  CMB_PROGRAM_TERMS,       /* all six terms */
  CMB_PROGRAM_RESIDUAL,
  CMB_PROGRAM_ACCELERATE, /* a, λ, pivots */
  CMB_PROGRAM_FORCED,     /* a for given λ */
  CMB_PROGRAM_SWITCHES,
  CMB_PROGRAM_LEVELS,
  CMB_PROGRAM_OUTPUTS,
  CMB_PROGRAM_LATE,
  CMB_PROGRAM_INPUTS,
  CMB_PROGRAM_ENERGY,
  /* inertial part of the derivatives of r; the applied part is a Jacobian */
  CMB_PROGRAM_INERTIAL_Q,
  CMB_PROGRAM_INERTIAL_V,
  CMB_PROGRAM_CONDITIONS,
  CMB_PROGRAM_RESETS,
  CMB_PROGRAM_SURFACES,
  /* rates of switching functions; never compiled, since it is seldom run */
  CMB_PROGRAM_FLOW,
  CMB_PROGRAM_ROOTS,        /* roots of implicit functions; never compiled either */
  CMB_PROGRAM_MASS_FORWARD, /* products with the mass matrix's factors; they have separate inputs */
  CMB_PROGRAM_MASS_BACKWARD,
  CMB_PROGRAM_MASS_MULTIPLY,
  CMB_PROGRAMS,
  CMB_TERM_PROGRAMS = CMB_PROGRAM_RESIDUAL
} cmb_graph_program;

/* Native code of the programs, or of the Jacobians; native == NULL: all are interpreted. */
typedef struct cmb_graph_code {
  cmb_native *native;
  int index[CMB_PROGRAMS]; /* index of each program in `native` */
} cmb_graph_code;

/* Program that computes up to four successive rates q̇; most rates are just a velocity and need none. */
typedef struct cmb_graph_rate {
  cmb_program *program;
  int first; /* index of the first coordinate */
  /* (inputs) what each input is: a coordinate's index, or nq + a velocity's index */
  int inputs, *from;
} cmb_graph_rate;

/* A mode that is a level. */
typedef struct cmb_graph_level {
  int mode;
  const cmb_table *table; /* the mode is the interval of this table; NULL: the floor of the value */
} cmb_graph_level;

/* ∂r/∂q or ∂r/∂v as the sum of a Jacobian (of the applied forces) and of a program's results (for the inertial forces). */
typedef struct cmb_graph_split {
  cmb_pattern pattern;       /* of the sum; start == NULL: there is no sum */
  cmb_graph_program program; /* computes the inertial part */
  /* (applied_count) index in the sum of each value of the Jacobian, ascending */
  int applied_count, *applied;
  /* (inertial_count) index in the sum of each result of the program; NULL: they are the whole sum, in order */
  int inertial_count, *inertial;
} cmb_graph_split;

typedef struct cmb_graph_data {
  int nq, nv, ng, ns, np, no;
  const double *p; /* (np) values of the live parameters where a point has none */
  cmb_layout layout;
  int count[CMB_PARTS];      /* number of values of each part */
  unsigned in[CMB_PROGRAMS]; /* bit set of the parts that each program computes */
  /* NULL: nothing to compute, not wanted, or another program computes it too */
  cmb_program *program[CMB_PROGRAMS];
  uint8_t for_terms[1 << CMB_TERMS]; /* the program to run for each set of terms */
  unsigned term_parts;               /* bit set of the terms that are not empty or constant */
  cmb_graph_code code;
  cmb_jacobian *jacobian[CMB_DERIVATIVES]; /* NULL: empty, or not wanted */
  cmb_graph_code jacobian_code;
  cmb_graph_split split[CMB_DERIVATIVES];

  int M_size, G_size;       /* number of stored values */
  int *M_place, *G_place;   /* (count) index at which each entry is stored; NULL: in order */
  double *M_constant;       /* (M_size) NULL: M is not constant */
  cmb_mass_factors factors; /* values == 0: M is given by its entries */
  /* index of the results in the scratch memory of the factors, which is inputs, results, work array */
  int factor_out;

  const char *const *root_names; /* names of the results of CMB_PROGRAM_ROOTS */

  int level_count;
  cmb_graph_level *level; /* (level_count) */

  /* rates of what determines the modes (graph_enclose.c); NULL: no function has bounds */
  cmb_program *switch_rates;
  bool *switch_enclosed;   /* (ns) whether there are bounds of the function */
  bool *switch_reads;      /* (nq + nv) the components that these programs read */
  cmb_program *time;       /* functions of time alone (graph_time.c); NULL: none */
  cmb_program *time_rates; /* their derivatives */
  cmb_program *path;       /* steep functions of q (graph_path.c); NULL: none */
  cmb_program *path_rates; /* their first derivatives along a motion */
  /* second derivatives of some of them, then two coordinates on each table of path_grids; NULL: none */
  cmb_program *path_bends;
  int path_bent_count, path_grid_count;
  int *path_bent;               /* (path_bent_count) the functions that have second derivatives */
  const cmb_table **path_grids; /* (path_grid_count) tables over a grid that these functions read */
  bool *path_reads;             /* (nq) the coordinates that the functions read */

  bool loads_vary, matrices_vary; /* forces, matrices depend on t (graph_loads.c) */

  int rule_count, reset_count;
  cmb_pattern U_pattern; /* of the gradients of the rules' surfaces */

  int ball_count;
  int *ball_q;  /* (ball_count) first of four coordinates of length 1 */
  int *rate_of; /* (nq) the velocity that equals the coordinate's rate; −1: the rate is computed */
  int rate_count;
  cmb_graph_rate *rate; /* (rate_count) */

  /* scratch memory in doubles: indices of results and work array, behind the inputs; total size */
  int out, work, scratch;
  int enclose_plan; /* index in it of the data that graph_enclose.c keeps between calls */
} cmb_graph_data;

/* Creates d->program and d->jacobian (graph_programs.c) and measures their scratch memory; arrays come from the arena. Programs that were
 * created before a failure are in d, too. */
cmb_status cmb_graph_programs_make(const cmb_graph_parts *p, cmb_arena *arena, cmb_graph_data *d);
/* cmb_graph_constant_mass evaluates a constant M into d->M_constant; cmb_graph_compile makes native code, if that is wanted;
 * cmb_graph_programs_destroy frees the programs. */
cmb_status cmb_graph_constant_mass(const cmb_graph_parts *p, cmb_graph_data *d);
cmb_status cmb_graph_compile(const cmb_graph_parts *p, cmb_graph_data *d);
void cmb_graph_programs_destroy(cmb_graph_data *d);

/* Sets up the functions for products with the mass matrix's factors (graph_mass.c), whose programs must exist. */
void cmb_graph_mass_factors(cmb_graph_data *d);

/* Merges the patterns of the two parts of the derivative `which` (graph_split.c); arrays come from the arena. The Jacobian of the
 * applied forces must exist. */
cmb_status cmb_graph_split_make(const cmb_graph_parts *p, cmb_arena *arena, cmb_derivative which,
                                cmb_graph_data *d);
/* Completes the sum in J: on entry its first entries are the Jacobian's values; `inertial` are the program's results. */
void cmb_graph_split_add(const cmb_graph_split *s, const double *inertial, double *J);

/* Creates the program for rates of switching functions along a motion (graph_enclose.c); arrays come from the arena. Enlarges
 * d->scratch if the programs need more. */
cmb_status cmb_graph_enclose_make(const cmb_graph_parts *p, cmb_arena *arena, cmb_graph_data *d);
/* Reserves scratch memory whose content is kept between calls. Call it after all others that enlarge d->scratch. */
void cmb_graph_enclose_take_plan(cmb_graph_data *d);
/* Writes the inputs for the derivatives of t, q, v along a motion, the same in each call, to `direction` (count). cmb_graph_enclose
 * computes bounds of the switching functions, s (ns), and of their rates, rate (ns), over a box; either may be NULL. */
void cmb_graph_list_directions(const cmb_graph_parts *p, int count, cmb_expr *direction);
void cmb_graph_enclose(const void *self, const cmb_box *box, cmb_interval *s, cmb_interval *rate);

/* Copies the rules and what belongs to them into eq, arrays from the arena (graph_rules.c); cmb_graph_rule_functions sets their
 * functions. */
cmb_status cmb_graph_rules_list(const cmb_graph_parts *p, cmb_arena *arena, cmb_graph_data *d,
                                cmb_equations *eq);
void cmb_graph_rule_functions(const cmb_graph_data *d, cmb_equations *eq);

/* Sets eq->switch_idle, whose array comes from the arena, if there are live parameters (graph_idle.c). */
cmb_status cmb_graph_idle_list(const cmb_graph_parts *p, cmb_arena *arena, cmb_equations *eq);

/* Copies the description of the sampled values into eq, arrays from the arena (graph_samples.c). */
cmb_status cmb_graph_samples_list(const cmb_graph_parts *p, cmb_arena *arena, cmb_equations *eq);

/* Stores t, q, modes and parameters, with which the inputs of programs begin (not of products with mass factors), into `in`
 * (graph_evaluate.c). q == NULL: no program that runs then reads it. */
void cmb_graph_put_first(const cmb_graph_data *d, const cmb_point *at, const double *q, double *in);

/* Stores t, q, modes and parameters of a box as intervals into `in` (graph_enclose.c). */
void cmb_graph_put_first_box(const cmb_graph_data *d, const cmb_box *box, const cmb_interval *q,
                             cmb_interval *in);

/* Runs a program at a point and writes its results to `out` (graph_evaluate.c). λ and a may be NULL if the program does not read
 * them. */
void cmb_graph_run(const cmb_graph_data *d, cmb_graph_program k, const cmb_point *at,
                   const double *lambda, const double *a, double *out);
/* Returns the part of the point's scratch memory that is meant for results. */
double *cmb_graph_results(const cmb_graph_data *d, const cmb_point *at);

/* Functions of time alone on which the motion depends (graph_time.c): creation, which may enlarge d->scratch; values; bounds of
 * values and of derivatives over a box. */
cmb_status cmb_graph_time_make(const cmb_graph_parts *p, cmb_graph_data *d);
void cmb_graph_time_values(const void *self, const cmb_point *at, double *values);
void cmb_graph_time_bounds(const void *self, const cmb_box *box, cmb_interval *bounds);
void cmb_graph_time_rates(const void *self, const cmb_box *box, cmb_interval *rates);

/* cmb_graph_motion_results lists f, g and the surfaces; cmb_graph_list_parts the nodes that are marked by CMB_WATCHED_PART in
 * `used`. Both return arrays from p->arena, NULL if memory runs out. cmb_graph_watch_program creates the program of such nodes,
 * with t, q, modes and parameters as inputs. */
enum { CMB_WATCHED_PART = 2 };
cmb_expr *cmb_graph_motion_results(const cmb_graph_parts *p, int *results);
cmb_expr *cmb_graph_list_parts(const cmb_graph_parts *p, const uint8_t *used, int *count);
cmb_status cmb_graph_watch_program(const cmb_graph_parts *p, cmb_graph_data *d, int count,
                                   const cmb_expr *part, cmb_program **program);

/* cmb_graph_is_steep returns whether node e is a function with possibly narrow bumps, whatever its arguments are (graph_path.c);
 * cmb_graph_is_polynomial whether an exponent is a constant 0 .. 4, so that the power has none. cmb_graph_scaled_argument returns
 * which argument, 0 or 1, an operation only shifts or scales if the other one is fixed, −1 if neither. */
bool cmb_graph_is_steep(const cmb_graph *g, cmb_expr e);
bool cmb_graph_is_polynomial(const cmb_graph *g, cmb_expr exponent);
int cmb_graph_scaled_argument(cmb_op op, bool first_fixed, bool second_fixed);

/* Steep functions of the position (graph_path.c): creation, which may enlarge d->scratch; values; bounds of values, first and
 * second derivatives over a box. */
cmb_status cmb_graph_path_make(const cmb_graph_parts *p, cmb_arena *arena, cmb_graph_data *d);
void cmb_graph_path_values(const void *self, const cmb_point *at, double *values);
void cmb_graph_path_bounds(const void *self, const cmb_box *box, cmb_interval *bounds);
void cmb_graph_path_rates(const void *self, const cmb_box *box, cmb_interval *rates);
void cmb_graph_path_bends(const void *self, const cmb_box *box, cmb_interval *bends);

/* Bounds of forces, of rates of switching functions and of surfaces while time goes on (graph_loads.c). Creation may enlarge
 * d->scratch. */
cmb_status cmb_graph_loads_make(const cmb_graph_parts *p, cmb_graph_data *d);
void cmb_graph_load_functions(const cmb_graph_data *d, cmb_equations *eq);

/* Rates q̇ = T(q) v and the length of Euler parameters (graph_rates.c); arrays come from the arena. */
cmb_status cmb_graph_rates_make(const cmb_graph_parts *p, cmb_arena *arena, cmb_graph_data *d);
void cmb_graph_rates_destroy(cmb_graph_data *d);
void cmb_graph_rates(const void *self, const double *q, const double *v, double *qdot);
void cmb_graph_normalize(const void *self, double *q);

/* Sets the functions of eq (graph_evaluate.c). Sizes and patterns must be set. */
void cmb_graph_functions(const cmb_graph_parts *p, const cmb_graph_data *d, cmb_equations *eq);

#endif
