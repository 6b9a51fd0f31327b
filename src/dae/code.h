/*
 * The compiled model, for those who make programs of their own from its expressions: a whole step of a real-time method, or C code to
 * take away. Their inputs lie where the layout says, as those of the equations' own programs do.
 *
 * The modes are frozen. The inputs u and their rates are still there; in a simulation they are 0, unless they are live: then
 * they are among the parameters.
 */
#ifndef CMB_DAE_CODE_H
#define CMB_DAE_CODE_H

#include "dae/graph_parts.h"

typedef struct cmb_code {
  cmb_graph *graph; /* not to be written to: cmb_import takes expressions out of it */
  int nq, nv, ng, ns, no, nu, np, nh;
  int nr; /* rates of inputs, behind the inputs in their block */
  const char **input_rate_names;
  cmb_evaluation evaluation;

  cmb_layout layout;
  cmb_expr *input;                                           /* (layout) the graph's inputs, .. */
  const cmb_expr *q, *v, *mode, *lambda, *a, *u, *parameter; /* .. of which these are blocks */
  cmb_expr t;
  double *parameter_value; /* (np) */
  const char **parameter_names;
  cmb_entries M, G;
  cmb_expr *f, *g, *gamma, *gt;
  int stiff_count; /* as in dyn/expressions.h; stiff_row == NULL: not known */
  cmb_expr *stiff_row, *stiff_x, *stiff_rate, *loose, *forces;
  cmb_expr *rates;   /* (nq) T(q) v; NULL: q̇ = v */
  cmb_expr *outputs; /* (no + nh) of t, q, v, a, λ */
  cmb_expr *margin;  /* (ns) switching functions */
  int level_count;
  cmb_expr *deciding; /* (level_count) what decides on the modes that are levels */
  const cmb_table *
      *level_table; /* (level_count) the mode is its interval; NULL: the whole number below */
  int *level_mode;  /* (level_count) which mode */
  int ball_count, *ball_q;

  /* starts with other parameters; NULL: none is live */
  int first_count;
  cmb_expr *first;   /* (first_count) as in dyn/expressions.h */
  bool *start_reads; /* (np) that or the constraints depend on the parameter */
} cmb_code;

/* From the parts, while u is still in them; arrays from the arena. The graph is the caller's to destroy, also on failure. */
cmb_status cmb_code_fill(const cmb_graph_parts *p, cmb_arena *arena, cmb_code *code);

#endif
