/*
 * The expressions of a graph system, kept for those who make programs of their own from them: a whole step of a real-time
 * method, or C code to take away.
 *
 * The modes are frozen. The inputs u are still there, in a simulation they are 0, and so are the parameters that can change.
 */
#ifndef CMB_DAE_KEPT_H
#define CMB_DAE_KEPT_H

#include "dae/graph_parts.h"

typedef struct cmb_kept {
  cmb_graph *graph; /* not to be written to: cmb_import takes expressions out of it */
  int nq, nv, ng, ns, no, nu, np;
  cmb_evaluation evaluation;

  cmb_expr t, *q, *v, *mode, *lambda, *a, *u; /* the graph's inputs */
  cmb_expr *parameter;                        /* (np) those that are used, which are inputs too */
  double *parameter_value;
  const char **parameter_names;
  cmb_entries M, G;
  cmb_expr *f, *g, *gamma, *gt;
  int stiff_count; /* as in dyn/expressions.h; stiff_row == NULL: not known */
  cmb_expr *stiff_row, *stiff_x, *stiff_rate, *loose, *forces;
  cmb_expr *rates;   /* (nq) T(q) v; NULL: q̇ = v */
  cmb_expr *outputs; /* (no) of t, q, v, a, λ */
  cmb_expr *margin;  /* (ns) switching functions */
  int level_count;
  cmb_expr *deciding; /* (level_count) what decides on the modes that are levels */
  const cmb_table *
      *level_table; /* (level_count) the mode is its interval; NULL: the whole number below */
  int *level_mode;  /* (level_count) which mode */
  int ball_count, *ball_q;
} cmb_kept;

/* From the parts, while u is still in them; arrays from the arena. The graph is the caller's to destroy, also on failure. */
cmb_status cmb_keep(const cmb_graph_parts *p, cmb_arena *arena, cmb_kept *kept);

#endif
