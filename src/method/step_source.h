/*
 * Sources of the expressions from which a real-time step is built (step.c): M, f, g, G, γ, g_t at a point that is itself given by
 * expressions.
 *
 *     step_graph.c   for a model: its own expressions, with the point substituted. The whole step is one program
 *     step_calls.c   for equations written in C: values that are inputs of the program. The step is divided where they are needed: a
 *                    program computes the point, the equations are evaluated there, and the next program continues
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

/* The wanted terms of the equations; NULL: not wanted. Matrices are dense, row by row. */
typedef struct cmb_step_terms {
  cmb_expr *M;                  /* (nv x nv) */
  cmb_expr *f, *g, *gamma, *gt; /* (nv), (ng) */
  cmb_expr *G;                  /* (ng x nv) */
} cmb_step_terms;

/* One evaluation of equations written in C between two programs of a step; its values become inputs after those that exist. */
typedef struct cmb_step_call {
  cmb_expr *point; /* (1 + nq + nv) outputs of the program before: t, q, v of the evaluation */
  bool velocities; /* v is part of the point */
  bool M, f, g, G, gamma, gt, force_q, force_v, T;
  int first; /* index of its first value among the inputs */
} cmb_step_call;

/* The largest number of evaluations in a step, that of rosw2 with `exact` and projection where T ≠ I: terms and T at both stages, the
 * derivatives of forces, T again for the new velocities of the second stage, g and T before the projection, G and g after it. */
enum { CMB_MOST_STEP_CALLS = 10 };

typedef struct cmb_step_source cmb_step_source;

struct cmb_step_source {
  cmb_context *ctx;
  const cmb_equations *eq;
  cmb_arena *arena;
  cmb_graph *graph;
  int nq, nv, ng;

  /* inputs of the program so far: those of the layout, then values of evaluations */
  cmb_layout layout;
  cmb_expr *input;
  int inputs, room;
  cmb_expr t, h, *q, *v;

  int call_count;
  cmb_step_call call[CMB_MOST_STEP_CALLS];
  /* expressions that a source keeps: in step_calls.c the derivatives of forces (nv x nq), (nv x nv); in step_graph.c forces (nv) to be
   * differentiated */
  cmb_expr *force_q, *force_v;
  cmb_expr *stiff; /* data of stiff forces, in step_graph.c */
  cmb_expr *T; /* (nq x nv) T at the beginning of the step, in step_calls.c; NULL: not made yet */

  /* builds the wanted terms at a point */
  cmb_status (*terms)(cmb_step_source *s, const cmb_step_point *at, const cmb_step_terms *want);

  bool stiff_only; /* of forces along a line only the stiff part has to be differentiated */

  /* build derivatives of the applied forces at the beginning of the step: `forces` ∂f/∂q T and ∂f/∂v (nv x nv), NULL: not wanted;
   * `along` the product of ∂f/∂q with a direction (nq). `forces` has to be called first */
  cmb_status (*forces)(cmb_step_source *s, cmb_expr *by_q, cmb_expr *by_v);
  cmb_status (*along)(cmb_step_source *s, const cmb_expr *direction, cmb_expr *result);

  /* builds qdot := T(q) v (nq) */
  cmb_status (*rates)(cmb_step_source *s, const cmb_expr *q, const cmb_expr *v, cmb_expr *qdot);

  /* build friction that can stick, for the switching functions `which` (count). `friction`: the forces (count x nv) of each at the
   * beginning of the step, while it slides towards w > 0 and the largest with which it can hold w = 0. `sliding`: the sliding
   * velocities w (count) and their gradients S with respect to v (count x nv) at a point. The terms above do not contain this
   * friction. NULL: there is none. They return an error if forces are not linear in the friction, or w in v */
  cmb_status (*friction)(cmb_step_source *s, int count, const int *which, cmb_expr *slip,
                         cmb_expr *hold);
  cmb_status (*sliding)(cmb_step_source *s, const cmb_step_point *at, int count, const int *which,
                        cmb_expr *w, cmb_expr *S);
  /* normalises Euler parameters; NULL: nothing to do */
  void (*normalize)(cmb_step_source *s, cmb_expr *q);
};

/* Creates the layout of the inputs of a step's programs for the equations, and these inputs. t, h, q and v get names of the step, the
 * others those of the model. */
cmb_status cmb_step_layout(cmb_step_source *s);

/* Set the functions of the source: the first for a model, the second for equations written in C. The layout has to exist, and ctx, eq,
 * arena and graph to be set. */
cmb_status cmb_step_graph(cmb_step_source *s);
cmb_status cmb_step_calls(cmb_step_source *s);

/* Creates `count` new inputs of the step's programs after the existing ones, named by `name` and their indices; *input receives their
 * expressions. */
cmb_status cmb_step_inputs(cmb_step_source *s, const char *name, int count, cmb_expr **input);

#endif
