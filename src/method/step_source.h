/*
 * Where the expressions of a real-time step come from: M, f, g, G, γ, g_t at a point that is itself given by expressions.
 *
 *     step_graph.c   of a model: its own expressions, with the point put in. The whole step is one program
 *     step_calls.c   of equations written in C: values that are inputs of the program. The step is cut where they are needed: a
 *                    program computes the point, the equations are evaluated there, the next program goes on
 */
#ifndef CMB_METHOD_STEP_SOURCE_H
#define CMB_METHOD_STEP_SOURCE_H

#include "base/arena.h"
#include "dae/evaluator.h"
#include "dae/layout.h"

#include <camber/expr.h>

typedef struct cmb_step_point {
  cmb_expr t;
  const cmb_expr *q, *v; /* (nq), (nv); v == NULL: neither f nor γ is wanted */
} cmb_step_point;

/* Matrices row by row, with zeros; what is NULL is not wanted. */
typedef struct cmb_step_terms {
  cmb_expr *M;                  /* (nv x nv) */
  cmb_expr *f, *g, *gamma, *gt; /* (nv), (ng) */
  cmb_expr *G;                  /* (ng x nv) */
} cmb_step_terms;

/* One evaluation of the equations between two programs; values go behind the inputs that are there. */
typedef struct cmb_step_call {
  cmb_expr *point; /* (1 + nq + nv) */
  bool velocities; /* v is part of it */
  bool M, f, g, G, gamma, gt, force_q, force_v, T;
  int first; /* place of its first value among the inputs */
} cmb_step_call;

/* As many as rosw2 makes with `exact` and projection where T ≠ I: terms and T at both stages, the forces' derivatives, T again for the new
 * velocities of the second, g and T before the projection, G after it. No other step makes more. */
enum { CMB_MOST_STEP_CALLS = 9 };

typedef struct cmb_step_source cmb_step_source;

struct cmb_step_source {
  cmb_context *ctx;
  const cmb_equations *eq;
  cmb_arena *arena;
  cmb_graph *graph;
  int nq, nv, ng;

  /* inputs of the program so far: those of the layout, then values of calls */
  cmb_layout layout;
  cmb_expr *input;
  int inputs, room;
  cmb_expr t, h, *q, *v;

  int call_count;
  cmb_step_call call[CMB_MOST_STEP_CALLS];
  /* what a source keeps: derivatives (nv x nq), (nv x nv) of step_calls.c; forces (nv) to be differentiated of step_graph.c */
  cmb_expr *force_q, *force_v;
  cmb_expr *stiff; /* of step_graph.c */
  cmb_expr *T;     /* (nq x nv) there, at the beginning of the step; NULL: not yet */

  cmb_status (*terms)(cmb_step_source *s, const cmb_step_point *at, const cmb_step_terms *want);

  bool stiff_only; /* of the forces' derivatives the stiff part will do */

  /* Derivatives of the applied forces at the beginning of the step: ∂f/∂q T and ∂f/∂v (nv x nv), NULL: not wanted, and
   * ∂f/∂q times a direction (nq). `forces` comes first. */
  cmb_status (*forces)(cmb_step_source *s, cmb_expr *by_q, cmb_expr *by_v);
  cmb_status (*along)(cmb_step_source *s, const cmb_expr *direction, cmb_expr *result);

  cmb_status (*rates)(cmb_step_source *s, const cmb_expr *q, const cmb_expr *v, cmb_expr *qdot);

  /* Friction that sticks, the functions `which` (count): forces (count x nv) of each at the beginning of the step, while it slips towards
   * w > 0 and the most with which it holds w there; and w (count) with its gradients by v (count x nv) at a point. The terms above are
   * without it. NULL: none sticks. An error in words: the forces are not linear in what friction does, or w in v. */
  cmb_status (*friction)(cmb_step_source *s, int count, const int *which, cmb_expr *slip,
                         cmb_expr *hold);
  cmb_status (*sliding)(cmb_step_source *s, const cmb_step_point *at, int count, const int *which,
                        cmb_expr *w, cmb_expr *S);
  void (*normalize)(cmb_step_source *s, cmb_expr *q); /* NULL: nothing to do */
};

/* The layout of the equations, and its inputs: t, h, q and v have names of their own. */
cmb_status cmb_step_layout(cmb_step_source *s);

/* The layout's inputs are made; ctx, eq, arena and graph are set. */
cmb_status cmb_step_graph(cmb_step_source *s);
cmb_status cmb_step_calls(cmb_step_source *s);

/* `count` new inputs, with this name and their numbers. */
cmb_status cmb_step_inputs(cmb_step_source *s, const char *name, int count, cmb_expr **input);

#endif
