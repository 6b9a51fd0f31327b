/*
 * The compiled model: its expressions with frozen modes, for the makers of whole-step programs of real-time methods (method/) and of
 * exported C code (export/), and for derivatives of outputs (system/). The inputs of these programs lie as layout.h says, like those of the
 * equations' own programs.
 *
 * The inputs u and their rates are still variables here; in a simulation they are 0, unless they are live: then they are among the
 * parameters.
 */
#ifndef CMB_DAE_CODE_H
#define CMB_DAE_CODE_H

#include "dae/graph_parts.h"

typedef struct cmb_code {
  cmb_graph *graph; /* read-only: use cmb_import to copy expressions out of it */
  int nq, nv, ng, ns, no, nu, np, nh;
  int nr; /* number of input rates, which follow the inputs in their block */
  const char **input_rate_names;
  cmb_evaluation evaluation;

  cmb_layout layout;
  /* (cmb_layout_size) all inputs of the graph */
  cmb_expr *input;
  const cmb_expr *q, *v, *mode, *lambda, *a, *u, *parameter; /* blocks of `input` */
  cmb_expr t;
  double *parameter_value; /* (np) values of the live parameters */
  const char **parameter_names;
  cmb_entries M, G;
  cmb_expr *f, *g, *gamma, *gt;
  /* number of stiff forces; fields as in dyn/expressions.h. stiff_row == NULL: not known */
  int stiff_count;
  cmb_expr *stiff_row, *stiff_x, *stiff_rate, *loose, *forces;
  cmb_expr *rates; /* (nq) T(q) v; NULL: q̇ = v */
  /* (no + nh) outputs and next sampled values, functions of t, q, v, a, λ and contact forces */
  cmb_expr *outputs;
  cmb_expr *margin; /* (ns) switching functions */
  int level_count;
  /* (level_count) for each mode that is a level, the expression that determines it */
  cmb_expr *deciding;
  /* (level_count) the mode is the interval of this table; NULL: the floor of the expression */
  const cmb_table **level_table;
  int *level_mode; /* (level_count) index of the mode */
  int ball_count, *ball_q;

  /* start values for other parameters; NULL: no parameter is live */
  int first_count;
  cmb_expr *first;   /* (first_count) as in dyn/expressions.h */
  bool *start_reads; /* (np) whether the start values or the constraints depend on the parameter */
} cmb_code;

/* Fills `code` from the parts of a graph system while the inputs u are still variables in them; arrays come from the arena. The
 * caller destroys code->graph, also after a failure. */
cmb_status cmb_code_fill(const cmb_graph_parts *p, cmb_arena *arena, cmb_code *code);

#endif
